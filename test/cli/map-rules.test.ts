// Property: what rollcall map rules prints, imported as a mapping, makes rollcall reconcile agree; and it says what it cannot find.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolderWithCompany, rollcallHere } from "./command.ts";

const PEOPLE = Array.from({ length: 10 }, (_, at) => `E${at}`);
const lines = (rows: readonly string[]) => `${rows.join("\n")}\n`;
const FILES = {
  workers: lines([
    "legacyId,firstName,lastName,email,startDate,isBusiness,status,type",
    ...PEOPLE.map((id, at) => `${id},${id},N,${id}@x.example,202${3 + (at % 2)}-01-01,false,active,employee`),
  ]),
  policies: lines([
    "legacyId,name,paid,schedule,timeOffTypeName,unit",
    "PTO,Annual leave,true,unlimited,Vacation,day",
    "ODD,Odd leave,true,unlimited,Odd,day",
    "OLD,Old leave,true,unlimited,Old,day",
  ]),
  assignments: lines([
    "workerId,policyId,startsOn",
    ...PEOPLE.flatMap((id, at) => [
      `${id},PTO,202${3 + (at % 2)}-01-01`,
      `${id},ODD,202${3 + (at % 2)}-01-01`,
    ]),
    "E0,OLD,2023-01-01",
    "E1,OLD,2024-01-01",
  ]),
  requests: lines([
    "legacyId,workerId,timeOffPolicyId,startAt,endAt,requestedMinutes,status,createdAt",
    ...PEOPLE.map(
      (id, at) =>
        `R${at},${id},PTO,2024-07-01T00:00:00Z,2024-07-03T00:00:00Z,${480 * (at + 1)},approved,2024-05-01T00:00:00Z`,
    ),
  ]),
  // 9600 minutes a year, of which 2400 may be carried over.
  reported: lines([
    "workerId,policyId,date,minutes",
    ...PEOPLE.flatMap((id, at) => {
      const carried = at % 2 === 1 ? 0 : 2400;
      const left = carried + 9600 - 480 * (at + 1);
      return [
        `${id},PTO,2024-02-28,${carried + 9600}`,
        `${id},PTO,2024-12-31,${left}`,
        `${id},PTO,2025-01-31,${Math.min(left, 2400) + 9600}`,
        `${id},ODD,2025-01-31,${1000 + ((at * 7919) % 977) * 31}`,
      ];
    }),
    // 4800 a year, and both are there for two years.
    "E0,OLD,2025-12-31,14400",
    "E0,OLD,2026-01-31,19200",
    "E1,OLD,2025-12-31,9600",
    "E1,OLD,2026-01-31,14400",
  ]),
};

test("rules that were found, and balances that no rules give", () =>
  inFolderWithCompany(async (folder) => {
    const run = async (...args: string[]) => await rollcallHere(folder, [...args, "--company", "acme"]);
    expect(await run("map", "rules")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no balance was reported"),
    });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.csv`), text);
    const files = Object.keys(FILES).map((name) => `${name}.csv`);
    expect((await run("import", ...files)).exitCode).toBe(0);

    const { exitCode, stdout, stderr } = await run("map", "rules");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("no rules were found for Odd leave"),
    });
    expect(stdout).toContain("// Annual leave: 30 of 30 within 1 minute");
    expect(stdout).toMatch(/Annual leave: .*; of only 10 workers, for whom other rules may give the same/);
    expect(stdout).not.toMatch(/Annual leave: .*what newcomers get is a guess/);
    expect(stdout).toMatch(
      /Old leave: 4 of 4 .*; nobody began lately, so what newcomers get is a guess; also fits: .*, \d more/,
    );
    expect(stdout).toMatch(/\/\/ Odd leave: not found; .* of 10 within 1 minute/);
    expect(stdout).toContain('"schedule":"yearly","minutesPerPeriod":9600,"carryoverLimitMinutes":2400');
    writeFileSync(join(folder, "rules.map.json"), stdout);
    const imported = await run(
      ...["import", "workers.csv", "--map", "rules.map.json", "--accept", "changes-the-past"],
    );
    expect(imported.exitCode, imported.stderr).toBe(0);
    const json = await run("reconcile", "--json");
    const { policies } = JSON.parse(json.stdout) as { policies: { name: string; agree: number }[] };
    expect(policies.find(({ name }) => name === "Annual leave")).toMatchObject({ agree: 30, reported: 30 });
  }));
