// Closes on the command line: what creating one tells, and that `doctor` computes the newest again.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { dirname } from "node:path";
import { TestCompany, workersCsv } from "../../support/import-files.ts";
import { rollcallHere } from "../command.ts";

const FILES = {
  "workers.csv": workersCsv("E1"),
  "policies.csv":
    "legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod\nV,V,yes,day,V,yearly,9600\n",
  "adjustments.csv": "legacyId,workerId,policyId,date,minutes\nA,E1,V,2025-03-03,60\n",
  "assignments.csv": "workerId,policyId,startsOn\nE1,V,2024-01-01\n",
};

test("a close that is not what was closed is noted", async () => {
  const company = await TestCompany.open();
  await company.import(FILES);
  await company.store.close();
  const run = (...command: string[]) =>
    rollcallHere(dirname(company.path), [...command, "--db", company.path]);
  const made = await run("closes", "create", "2025-12", "--company", "acme", "--through", "2025-12-31");
  expect(made.exitCode).toBe(0);
  const early = await run("closes", "create", "2999", "--company", "acme", "--through", "2999-12-31");
  expect(early.stderr).toContain("2999-12-31 is still to come: today, in UTC, is the latest last day");
  const today = new Date().toISOString().slice(0, 10);
  const now = await run("closes", "create", "today", "--company", "acme", "--through", today);
  expect([now.exitCode, now.stdout]).toEqual([0, expect.stringContaining("Closed today:")]);
  await run("closes", "delete", "today", "--company", "acme", "--yes");
  expect(made.stderr).not.toContain("note");
  const before = await run("closes", "create", "2025-11", "--company", "acme", "--through", "2025-11-30");
  expect(before.exitCode).toBe(0);
  expect(before.stderr).toContain("note: 2025-12 ends on this day or later, and was closed before");
  await run("closes", "delete", "2025-11", "--company", "acme", "--yes");
  await run("closes", "create", "today", "--company", "acme", "--through", today);
  expect((await run("doctor")).stdout).not.toContain("is not what was closed");
  const database = new Database(company.path);
  const triggers = database.query(
    "select name from sqlite_schema where type = 'trigger' and tbl_name = 'adjustments'",
  );
  for (const [name] of triggers.values()) database.run(`drop trigger ${name}`);
  database.run("update adjustments set minutes = 90");
  const { stdout } = await run("doctor");
  expect(stdout).toContain("close today is not what was closed");
  database.run("update closes set erased_workers = 1 where name = 'today'");
  database.close();
  expect((await run("doctor")).stdout).not.toContain("close today is not what was closed"); // nor can it be
  expect(stdout).toContain(
    "note: company acme: close 2025-12 is not what was closed\n  do: see rollcall closes verify 2025-12 --company acme",
  );
  const verified = await run("closes", "verify", "2025-12", "--company", "acme");
  expect([verified.exitCode, verified.stdout]).toEqual([
    1,
    expect.stringContaining(
      ": the store was changed by something else than Rollcall, or by another version with other rules",
    ),
  ]);
  expect((await run("doctor", "--quick")).stdout).not.toContain("close 2025-12");
});
