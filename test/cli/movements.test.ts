// What operators see of a month's end and of what will be lost, without a server: rows of the API with names, and amounts of money.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { inFolderWithCompany, rollcallHere } from "./command.ts";

const FILES = {
  workers:
    "legacyId,displayName,firstName,lastName,email,startDate,endDate,department,isBusiness,status,type\nE1,Ana,Ana,N,a@x.example,2025-01-01,,Payroll,false,active,employee\nE2,Bo,Bo,N,b@x.example,2025-01-01,2026-01-31,Sales,false,inactive,employee\n",
  policies:
    "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit,carryoverLimitMinutes,isPaidOut\nPTO,Annual leave,true,yearly,9600,Vacation,day,2400,true\nSICK,Sick,true,yearly,2400,Sick,day,0,false\n",
  assignments: "workerId,policyId,startsOn\nE1,PTO,2025-01-01\nE2,PTO,2025-01-01\nE1,SICK,2025-01-01\n",
  requests:
    "legacyId,workerId,timeOffPolicyId,startAt,endAt,requestedMinutes,status,createdAt\nR1,E1,PTO,2026-01-05T00:00:00Z,2026-01-07T00:00:00Z,960,approved,2025-12-01T00:00:00Z\n",
};

test("movements and expirations, with names and with money", () =>
  inFolderWithCompany(async (folder) => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.csv`), text);
    const run = async (...args: string[]) => await rollcallHere(folder, [...args, "--company", "acme"]);
    const imported = await run("import", ...Object.keys(FILES).map((name) => `${name}.csv`));
    expect(imported.exitCode, imported.stderr).toBe(0);
    const csv = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await run(...args, "--csv");
      expect(exitCode, stderr).toBe(0);
      return parse(stdout, { columns: true }) as Record<string, string>[];
    };
    const month = ["movements", "--from", "2026-01-01", "--to", "2026-01-31"];
    expect(await csv(...month)).toMatchObject([
      {
        "policy name": "Annual leave",
        opening: "9600",
        "has left": "no",
        used: "960",
        closing: "11040",
        earned: "2255.34",
      },
      { "policy name": "Annual leave", "has left": "yes", "paid out": "yes", forfeited: "7200" },
      { "policy name": "Sick", "paid out": "no", granted: "2400", forfeited: "2400", closing: "2400" },
    ]);
    writeFileSync(join(folder, "rates.csv"), "worker,amountPerHour,currency\nE1,25.5,EUR\n");
    const priced = await run(...month, "--group-by", "department", "--rates", "rates.csv", "--json");
    expect(priced.stderr).toContain("1 workers have no rate");
    expect(JSON.parse(priced.stdout)).toMatchObject([
      { department: "Payroll", isPaidOut: false, closing: 2400, amount: null, currency: null },
      {
        department: "Payroll",
        isPaidOut: true,
        closing: 11_040,
        earned: 2255.34,
        amount: 958.52,
        currency: "EUR",
      },
      { department: "Sales", isPaidOut: true, hasLeft: true, amount: null },
    ]);
    const ofAna = expect.objectContaining({ amount: "958.52", currency: "EUR" });
    expect(await csv(...month, "--rates", "rates.csv")).toContainEqual(ofAna);
    // Sums over workers have their own ids, which name no worker.
    const rated = async (...rows: string[]) => {
      writeFileSync(join(folder, "rates.csv"), ["worker,amountPerHour,currency", ...rows, ""].join("\n"));
      return await run(...month, "--rates", "rates.csv", "--json");
    };
    const ofBoth = await rated("E1,25.5,EUR", "E2,10,EUR");
    expect(ofBoth.stderr).toBe("");
    const summed = JSON.parse(ofBoth.stdout);
    const groups = summed.map(({ id, workerId, amount }: Record<string, unknown>) => {
      const [worker, , ...others] = idParts(id);
      return [workerId, worker, others.join(" "), amount];
    });
    expect(groups.toSorted()).toEqual([
      [null, "", " false false ", null],
      [null, "", " true false EUR", 958.52],
      [null, "", " true true EUR", expect.any(Number)],
    ]);
    // A day before Bo leaves both are of one row, whose figures are the sums of theirs.
    const until = [
      "movements",
      "--from",
      "2026-01-01",
      "--to",
      "2026-01-30",
      "--rates",
      "rates.csv",
      "--json",
    ];
    const [ofPeople, ofPolicy] = await Promise.all(
      ["policy,worker", "policy"].map(async (groups) => {
        const rows: Record<string, number | boolean>[] = JSON.parse(
          (await run(...until, "--group-by", groups)).stdout,
        );
        return rows.filter(({ isPaidOut }) => isPaidOut === true);
      }),
    );
    expect([ofPeople!.length, ofPolicy!.length]).toEqual([2, 1]);
    for (const name of ["amount", "earned", "opening", "granted", "used", "forfeited", "closing"]) {
      const [ana, bo] = ofPeople!.map((row) => Number(row[name]));
      expect([name, Number(ofPolicy![0]![name])]).toEqual([name, Math.round((ana! + bo!) * 100) / 100]);
    }
    for (const [rows, mistake] of [
      [["E1,a lot,EUR"], 'row 1: "a lot EUR" is no rate'],
      [["E1,-25.5,EUR"], 'row 1: "-25.5 EUR" is no rate'],
      [["E1,25,50,EUR"], "row 1: it has more or fewer cells"], // a decimal comma: not 25 of the currency 50
      [["E2,10,EUR", "E1,25.5"], "row 2: it has more or fewer cells"],
      [["E1,25.5,EUR", "E2,10,EUR", "E1,27,EUR"], 'row 3: worker "E1" has a rate above'],
      [["E3,25.5,EUR"], 'row 1: worker "E3" is nobody'],
      [['E1,25.5,"EUR', "E2,10,EUR"], "rates.csv has a quote that does not end"], // which would take the next rows
    ] as const) {
      const { exitCode, stderr, stdout } = await rated(...rows);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(mistake);
    }
    writeFileSync(join(folder, "rates.csv"), "worker,amountPerHour,currency,amountPerHour\nE1,25,EUR,30\n");
    expect((await run(...month, "--rates", "rates.csv")).stderr).toContain("the column amountPerHour twice");
    expect((await run(...month, "--rates", "missing.csv")).stderr).toBe(
      "rollcall: --rates: missing.csv cannot be read: check the path and its permissions\n",
    );
    expect((await run("movements", "--group-by", "team")).stderr).toContain(
      '--group-by: "team" is not one of',
    );
    const lost = await csv("expirations", "--from", "2026-02-01", "--to", "2027-01-01");
    expect(lost).toMatchObject([
      { name: "Ana", date: "2027-01-01", minutes: "8640", cause: "carryoverLimit" },
      { name: "Ana", "policy name": "Sick", minutes: "2400", cause: "carryoverLimit" },
    ]);
    // Before the day of its opening there is no balance.
    writeFileSync(join(folder, "openings.csv"), "workerId,policyId,date,minutes\nE1,SICK,2026-03-31,-100\n");
    await run("import", "openings.csv");
    expect((await csv(...month)).map((row) => row["policy name"])).toEqual(["Annual leave", "Annual leave"]);
    // A minus is no formula.
    const spring = ["movements", "--from", "2026-04-01", "--to", "2026-04-30"];
    expect(await csv(...spring)).toContainEqual(
      expect.objectContaining({ opening: "-100", closing: "-100" }),
    );
  }));

/** The texts that an id of a computed row is made of. */
const idParts = (id: unknown) =>
  Buffer.from(String(id).replace(/^[a-z]+_/, ""), "base64url")
    .toString()
    .split("\0");
