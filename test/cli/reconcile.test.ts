// Balances are compared with what another system reported: those that differ are grouped by the rule that explains most of them.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolderWithCompany, rollcallHere } from "./command.ts";

const PEOPLE = Array.from({ length: 12 }, (_, at) => `E${at}`);
const lines = (rows: readonly string[]) => `${rows.join("\n")}\n`;
const FILES = {
  workers: lines([
    "legacyId,displayName,firstName,lastName,email,startDate,isBusiness,status,type",
    ...PEOPLE.map((id) => `${id},${id},${id},N,${id}@x.example,2024-01-01,false,active,employee`),
  ]),
  policies: lines([
    "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit",
    "PTO,Annual leave,true,yearly,9600,Vacation,day",
    "SICK,Sick,true,yearly,2400,Sick,day",
    "CARE,Care,true,yearly,600,Care,day",
    "FREE,Free,true,unlimited,,Free,day", // it has no balance to report
  ]),
  assignments: lines([
    "workerId,policyId,startsOn",
    ...PEOPLE.map((id) => `${id},PTO,2024-01-01`),
    ...PEOPLE.slice(0, 2).map((id) => `${id},SICK,2024-01-01`),
    ...PEOPLE.slice(0, 7).map((id, at) => `${id},CARE,${at === 6 ? "2025-01-01" : "2024-01-01"}`),
    "E0,FREE,2024-01-01",
  ]),
  requests: lines([
    "legacyId,workerId,timeOffPolicyId,startAt,endAt,requestedMinutes,status,createdAt",
    ...PEOPLE.map(
      (id, at) =>
        `R${at},${id},PTO,2024-07-01T00:00:00Z,2024-07-03T00:00:00Z,${480 * (at + 1)},approved,2024-05-01T00:00:00Z`,
    ),
    "L,E0,PTO,2025-06-02T00:00:00Z,2025-06-03T00:00:00Z,480,approved,2025-01-01T00:00:00Z", // later: it does not count
    "P,E11,PTO,2025-02-03T00:00:00Z,2025-02-04T00:00:00Z,480,pending,2025-01-01T00:00:00Z",
  ]),
  // Of 2024, 9600 - 480 × (at + 1) are left; the other system let 2400 be carried over, but knew nothing of it for the first two.
  reported: lines([
    "workerId,policyId,date,minutes",
    ...PEOPLE.map((id, at) => {
      const left = 9600 - 480 * (at + 1);
      const theirs = at < 2 ? left : at === 11 ? left - 480 : Math.min(left, 2400);
      return `${id},PTO,2025-02-28,${theirs + 9600 + (at === 0 ? 1 : 0)}`; // within the tolerance
    }),
    "E0,SICK,2025-02-28,4800",
    "E5,SICK,2025-02-28,4800",
    // The seventh has it on the last reported day, and not on the others.
    ...PEOPLE.slice(0, 6).map((id, at) => `${id},CARE,${at === 3 ? "2025-02-28,1200" : "2024-03-31,600"}`),
  ]),
};

test("by policy, how many agree, and why the others do not", () =>
  inFolderWithCompany(async (folder) => {
    const run = async (...args: string[]) => await rollcallHere(folder, args);
    const nothing = await run("reconcile", "--company", "acme");
    expect(nothing).toMatchObject({ exitCode: 1, stdout: "" });
    expect(nothing.stderr).toContain("nothing was reported: import a file reported.csv first");
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.csv`), text);
    const files = Object.keys(FILES).map((name) => `${name}.csv`);
    const imported = await run("import", ...files, "--company", "acme");
    expect(imported.exitCode, imported.stderr).toBe(0);

    const { exitCode, stdout, stderr } = await run("reconcile", "--company", "acme", "--json");
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("11 balances differ by more than 1 minute"),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      tolerance: 1,
      agrees: false,
      policies: [
        {
          name: "Annual leave",
          reported: 12,
          agree: 2,
          unreported: 0,
          groups: [
            { balances: 9, cause: "a carry-over limit of 2400 there?" },
            {
              ...{ balances: 1, cause: "pending leave is taken off there?", medianDifference: 480 },
              exampleDate: "2025-02-28",
            },
          ],
        },
        { name: "Care", reported: 6, agree: 6, unreported: 1, groups: [] },
        {
          name: "Sick",
          reported: 2,
          agree: 1,
          unreported: 1,
          groups: [{ cause: "there is no such balance here" }],
        },
      ],
    });
    const shown = (await run("reconcile", "--company", "acme")).stdout;
    expect(shown).toMatch(
      /^ {2}9 balances: \+3840: a carry-over limit of 2400 there\? \(wrk_\w+ on 2025-02-28; 3 other balances contradict it\)$/m,
    );
    expect(shown).toContain(
      "+480: pending leave is taken off there? Or: leave of later days and pending leave are taken off there? (",
    );
    const doctor = await run("doctor");
    expect(doctor.exitCode).toBe(0);
    expect(doctor.stdout).toContain("balances differ from what was reported");

    const exported = await run("export", "--company", "acme", "--out", "out");
    expect(exported.exitCode, exported.stderr).toBe(0);
    writeFileSync(
      join(folder, "reported.csv"),
      lines(["workerId,policyId,date,minutes", "E0,PTO,2025-02-28,18720.5"]),
    );
    const pruned = await run(
      "import",
      "reported.csv",
      "--company",
      "acme",
      "--prune",
      "--allow-removals",
      "93%",
    );
    expect(pruned.exitCode, pruned.stderr).toBe(0);
    const agreed = await run("reconcile", "--company", "acme");
    expect(agreed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(agreed.stdout).toContain("Annual leave: 1 of 1 agree");
    expect(agreed.stdout).toContain("\n  11 more workers have no reported balance\n");
    expect(agreed.stdout).toContain("\nSick: nothing was reported\n  2 workers have no reported balance\n");
  }));
