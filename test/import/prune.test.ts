// Pruning removes what the given files no longer contain, kind by kind, and nothing that is still needed.
import { expect, test } from "bun:test";
import { counted, requestsCsv, SMALL, TestCompany, workersCsv } from "../support/import-files.ts";

const prune = { isPruning: true };

async function small() {
  const company = await TestCompany.open();
  await company.import({ ...SMALL, "workers.csv": workersCsv("E1", "E2", "E3") });
  return company;
}

test("rows that the file no longer has are removed, those of other kinds stay", async () => {
  const company = await small();
  expect(counted(await company.import({ "workers.csv": workersCsv("E1", "E2") }, prune))).toEqual({
    "workers.csv": "0/0/2/1",
  });
  const stored = await company.stored();
  expect(stored.workers.map(({ legacyId }) => legacyId).sort()).toEqual(["E1", "E2"]);
  expect(stored.requests).toHaveLength(2);
});

test("without it, they stay, and their number is told", async () => {
  const company = await small();
  const report = await company.import({
    "workers.csv": workersCsv("E1", "E9"),
    "policies.csv": SMALL["policies.csv"]!,
    "adjustments.csv": "legacyId,workerId,policyId,date,minutes\nA1,E1,PTO,2025-01-01,60",
  });
  expect(counted(report)["workers.csv"]).toBe("1/0/1/0");
  expect(report.notInFiles).toEqual({ workers: 2 });
  expect(
    (await company.import({ "workers.csv": workersCsv("E1", "E9") }, { isDryRun: true })).notInFiles,
  ).toEqual({
    workers: 2,
  });
  expect((await company.stored()).workers).toHaveLength(4);
});

test("parents and their children go together when both files say so", async () => {
  const company = await small();
  const report = await company.import(
    {
      "workers.csv": workersCsv("E1", "E3"),
      "assignments.csv": "workerId,policyId,assignedAt\nE1,PTO,2024-01-01T00:00:00Z",
      "requests.csv": requestsCsv("R1 approved E1"),
    },
    prune,
  );
  expect(counted(report)).toEqual({
    "workers.csv": "0/0/2/1",
    "assignments.csv": "0/0/1/1",
    "requests.csv": "0/0/1/1",
  });
});

test("a row that a remaining row refers to is a bad row that names the other", async () => {
  const company = await small();
  const [found, ...more] = await company.refused({ "workers.csv": workersCsv("E1", "E3") }, prune);
  expect(more).toEqual([]);
  expect(found).toMatch(
    /^workers.csv: wrk_\w{20} \(legacyId E2\) is not in the file but cannot be removed: stored assignments refer to it. Keep it in the file, or give a file of assignments without them in the same import/,
  );
  expect((await company.stored()).workers).toHaveLength(3);
});

test("more than half only when it is said that this is meant", async () => {
  const company = await small();
  const files = {
    "assignments.csv": "workerId,policyId,assignedAt",
    "requests.csv": requestsCsv("R1 approved E1"),
  };
  expect(await company.refused(files, prune)).toEqual([
    "assignments.csv: pruning would remove 2 of 2 stored assignments: if the file is complete, say so with --yes",
  ]);
  expect((await company.stored()).assignments).toHaveLength(2);
  const report = await company.import(files, { ...prune, mayRemoveMost: true });
  expect(counted(report)).toEqual({ "assignments.csv": "0/0/0/2", "requests.csv": "0/0/1/1" });
});

test("a dry run tells what would go, and removes nothing", async () => {
  const company = await small();
  const report = await company.import(
    { "workers.csv": workersCsv("E1", "E2") },
    { ...prune, isDryRun: true },
  );
  expect(counted(report)).toEqual({ "workers.csv": "0/0/2/1" });
  expect(report.isChanged).toBe(true);
  expect((await company.stored()).workers).toHaveLength(3);
});

test("a dry run tells what would go even where an import would be refused, and why it would be", async () => {
  const company = await small();
  const files = { "requests.csv": requestsCsv() };
  const refusal =
    "requests.csv: pruning would remove 2 of 2 stored requests: if the file is complete, say so with --yes";
  const report = await company.import(files, { ...prune, isDryRun: true });
  expect(counted(report)).toEqual({ "requests.csv": "0/0/0/2" });
  expect(report.refusals).toEqual([refusal]);
  const meant = await company.import(files, { ...prune, isDryRun: true, mayRemoveMost: true });
  expect(meant.refusals).toEqual([]);
  expect(await company.refused(files, prune)).toEqual([refusal]);
  expect((await company.stored()).requests).toHaveLength(2);
});
