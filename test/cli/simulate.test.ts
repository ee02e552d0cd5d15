// Property: what rollcall simulate says of other rules is what the balances are once these rules are imported as a change from its first
// day on.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolderWithCompany, rollcallHere } from "./command.ts";

const PEOPLE = Array.from({ length: 12 }, (_, at) => `E${at}`);
const lines = (rows: readonly string[]) => `${rows.join("\n")}\n`;
const policies = (carryoverLimitMinutes: string, roundGrants: string) =>
  lines([
    "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit,carryoverLimitMinutes,roundGrantsToMinutes",
    `PTO,Annual leave,true,yearly,9600,Vacation,day,${carryoverLimitMinutes},${roundGrants}`,
    "SICK,Sick,true,yearly,2400,Sick,day,,",
  ]);
const FILES = {
  workers: lines([
    "legacyId,displayName,firstName,lastName,email,startDate,isBusiness,status,type",
    ...PEOPLE.map(
      (id, at) => `${id},Person ${id},${id},N,${id}@x.example,2024-0${(at % 9) + 1}-01,false,active,employee`,
    ),
  ]),
  policies: policies("", ""),
  assignments: lines([
    "workerId,policyId,startsOn",
    ...PEOPLE.map((id, at) => `${id},PTO,2024-0${(at % 9) + 1}-01`),
    ...PEOPLE.slice(0, 2).map((id) => `${id},SICK,2024-01-01`),
  ]),
  requests: lines([
    "legacyId,workerId,timeOffPolicyId,startAt,endAt,requestedMinutes,status,createdAt",
    ...PEOPLE.map(
      (id, at) =>
        `R${at},${id},PTO,2024-11-01T00:00:00Z,2024-11-03T00:00:00Z,${300 * (at + 1)},approved,2024-05-01T00:00:00Z`,
    ),
  ]),
};
const SPAN = ["--from", "2024-06-01", "--to", "2025-06-30"];

/** What each balance moved by in the span, by worker and policy. */
async function moved(folder: string): Promise<ReadonlyMap<string, number>> {
  const args = ["movements", "--company", "acme", ...SPAN, "--group-by", "policy,worker", "--json"];
  const { stdout } = await rollcallHere(folder, args);
  const rows = JSON.parse(stdout) as {
    workerId: string;
    policyId: string;
    opening: number;
    closing: number;
  }[];
  return new Map(
    rows.map(({ workerId, policyId, opening, closing }) => [`${policyId} ${workerId}`, closing - opening]),
  );
}

test.each([
  ["2400", ""],
  ["0", "480"],
  ["", "480"],
])("a limit of %p and grants rounded to %p", (limit, roundGrants) =>
  inFolderWithCompany(async (folder) => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.csv`), text);
    const files = Object.keys(FILES).map((name) => `${name}.csv`);
    expect((await rollcallHere(folder, ["import", ...files, "--company", "acme"])).exitCode).toBe(0);
    const before = await moved(folder);
    mkdirSync(join(folder, "new"));
    writeFileSync(join(folder, "new/policies.csv"), policies(limit, roundGrants));
    const simulate = ["simulate", "--policy", "new/policies.csv", "--company", "acme", ...SPAN];
    const { stdout, stderr } = await rollcallHere(folder, [...simulate, "--json"]);
    expect(stderr).toBe("");
    const said = new Map<string, number>();
    for (const { policyId, groups } of JSON.parse(stdout).policies)
      for (const { minutes, workers } of groups)
        for (const id of workers) said.set(`${policyId} ${id}`, minutes);
    expect(await moved(folder)).toEqual(before); // nothing is stored
    const change = `policyId,from,carryoverLimitMinutes,roundGrantsToMinutes\nPTO,${SPAN[1]},${limit},${roundGrants}\n`;
    writeFileSync(join(folder, "policy_changes.csv"), change);
    expect((await rollcallHere(folder, ["import", "policy_changes.csv", "--company", "acme"])).exitCode).toBe(
      0,
    );
    const after = await moved(folder);
    expect(said.size).toBe(PEOPLE.length + 2);
    for (const [key, minutes] of said) expect(before.get(key)! + minutes).toBeCloseTo(after.get(key)!, 5);
    expect([...said.values()].some((minutes) => minutes !== 0)).toBe(true);
  }),
);

test("years before the first day are by the company's own rules; another schedule counts from the beginning", () =>
  inFolderWithCompany(async (folder) => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.csv`), text);
    const files = Object.keys(FILES).map((name) => `${name}.csv`);
    await rollcallHere(folder, ["import", ...files, "--company", "acme"]);
    mkdirSync(join(folder, "new"));
    const simulate = ["simulate", "--policy", "new/policies.csv", "--company", "acme"];
    const run = (...more: readonly string[]) =>
      rollcallHere(folder, [...simulate, "--from", "2027-01-01", "--to", "2027-01-01", ...more]);
    writeFileSync(join(folder, "new/policies.csv"), policies("2400", ""));
    // E0 began on 1 January 2024 and took 300: 28800 − 300 − 2400.
    const { policies: simulated } = JSON.parse((await run("--json")).stdout);
    const ofE0 = simulated[0].groups.find(({ example }: { example: string }) => example === "Person E0");
    expect(ofE0).toMatchObject({ minutes: -26_100 });
    writeFileSync(join(folder, "new/policies.csv"), policies("2400", "").replaceAll(",yearly,", ",monthly,"));
    expect((await run()).stdout).toContain("Annual leave, with the other rules from the beginning:");
  }));

test("a balance that moves counts under the policy where it is on the last day, and once", () =>
  inFolderWithCompany(async (folder) => {
    const assignments = lines([
      "workerId,policyId,startsOn,endsOn,movesFrom",
      ...["E0,SICK,2024-01-01,2025-03-31,", "E0,PTO,2025-04-01,,SICK", "E1,SICK,2024-02-01,,"],
    ]);
    const { workers, policies: own } = FILES;
    for (const [name, text] of Object.entries({ workers, policies: own, assignments }))
      writeFileSync(join(folder, `${name}.csv`), text);
    const company = ["--company", "acme"];
    await rollcallHere(folder, ["import", "workers.csv", "policies.csv", "assignments.csv", ...company]);
    mkdirSync(join(folder, "new"));
    const sick = own.split("\n").filter((line) => !line.startsWith("PTO"));
    writeFileSync(join(folder, "new/policies.csv"), lines(sick).replace(",2400,", ",4800,"));
    const simulate = ["simulate", "--policy", "new/policies.csv", ...company, "--from", "2025-01-01"];
    const groupsUntil = async (day: string) => {
      const { stdout } = await rollcallHere(folder, [...simulate, "--to", day, "--json"]);
      const groups: { minutes: number; example: string }[] = JSON.parse(stdout).policies[0].groups;
      return groups.map(({ minutes, example }) => `${example} ${minutes}`).toSorted();
    };
    // The grant of 2025 is for 90 of its days: 2400 × 90 ÷ 365 more.
    for (const day of ["2025-03-31", "2025-04-01", "2025-06-30"])
      expect([day, ...(await groupsUntil(day))]).toEqual([day, "Person E0 591.78", "Person E1 2400"]);
  }));

test("groups are told by policy, and a file with no policy of the company is refused", () =>
  inFolderWithCompany(async (folder) => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.csv`), text);
    const files = Object.keys(FILES).map((name) => `${name}.csv`);
    await rollcallHere(folder, ["import", ...files, "--company", "acme"]);
    mkdirSync(join(folder, "new"));
    const run = () =>
      rollcallHere(folder, ["simulate", "--policy", "new/policies.csv", "--company", "acme", ...SPAN]);
    writeFileSync(join(folder, "new/policies.csv"), policies("0", ""));
    const { stdout } = await run();
    expect(stdout).toContain("Annual leave:");
    expect(stdout).toMatch(/ lose \d+ minutes \(Person E\d+\)/);
    expect(stdout).toContain("Sick:\n  2 have the same (Person E");
    // One that is mistyped would be left out without a word.
    writeFileSync(
      join(folder, "new/policies.csv"),
      policies("0", "").replace("PTO,Annual leave", "PTOO,Anual"),
    );
    const mistyped = await run();
    expect([mistyped.exitCode, mistyped.stdout]).toEqual([1, ""]);
    expect(mistyped.stderr).toContain("one in --policy: Anual: correct its row, or leave it out");
    writeFileSync(
      join(folder, "new/policies.csv"),
      policies("0", "").replaceAll("PTO,Annual", "X,X").replaceAll("SICK,Sick", "Y,Y"),
    );
    expect(await run()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no policy of the company has the legacyId or name"),
    });
    writeFileSync(join(folder, "new/policies.csv"), policies("many", ""));
    expect(await run()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("carryoverLimitMinutes"),
    });
  }));
