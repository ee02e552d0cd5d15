// Pruning removes what the given files no longer contain, kind by kind, and nothing that is still needed.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ImportOptions } from "../../src/import/report.ts";
import {
  counted,
  type Files,
  folderOf,
  requestsCsv,
  SMALL,
  TestCompany,
  temporaryFolder,
  workersCsv,
} from "../support/import-files.ts";

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

test("without pruning they stay, and the report counts them", async () => {
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

// An API may answer with an empty list one night, and in a small company no share of rows tells.
test("pruning all rows of a kind is a finding, one row is not", async () => {
  const company = await small();
  const { findings } = await company.import({ "requests.csv": requestsCsv() }, { ...prune, isDryRun: true });
  expect(findings).toMatchObject([
    { code: "nothing-left", count: 2, examples: ["requests.csv: 2 requests"] },
  ]);
  for (const rows of [["R1 approved E1"], []])
    expect((await company.import({ "requests.csv": requestsCsv(...rows) }, prune)).findings).toEqual([]);
  expect((await company.stored()).requests).toEqual([]);
});

// A status that is translated reaches the stored row; one that `skip` leaves out does not.
test("leave that was cancelled since is a finding until it is pruned", async () => {
  const company = await TestCompany.open();
  await company.import({ ...SMALL, "requests.csv": requestsCsv("R1 approved E1", "R2 approved E2") });
  const map = join(temporaryFolder(), "map.json");
  writeFileSync(map, JSON.stringify({ requests: { from: "requests.csv", skip: { status: "Cancelled" } } }));
  const importing = async (rows: readonly string[], options: Partial<ImportOptions> = {}) => {
    const folder = folderOf({ "requests.csv": requestsCsv(...rows) });
    const { findings } = await company.importFolder(folder, options, map);
    return findings.filter(({ code }) => code === "skipped-row");
  };
  expect(await importing(["R1 Cancelled E1", "R2 approved E2"])).toEqual([
    expect.objectContaining({ count: 1, examples: ['"R1"'] }),
  ]);
  expect(await importing(["R1 Cancelled E1", "R1 approved E1", "R2 approved E2"])).toEqual([]); // its newest version
  expect((await company.stored()).requests).toHaveLength(2);
  expect(await importing(["R1 Cancelled E1", "R2 approved E2", "R3 Cancelled E2"])).toHaveLength(1);
  expect(await importing(["R1 Cancelled E1", "R2 approved E2"], prune)).toEqual([]);
  expect((await company.stored()).requests).toHaveLength(1);
});

test("parents and their children are removed together if both files lack them", async () => {
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

test("a row to which a remaining row refers is refused, with the kind of the other", async () => {
  const company = await small();
  const [mistake, ...more] = await company.refused({ "workers.csv": workersCsv("E1", "E3") }, prune);
  expect(more).toEqual([]);
  expect(mistake).toMatch(
    /^workers.csv: wrk_\w{20} \(legacyId E2\) is not in the file but cannot be removed: stored assignments refer to it. Keep it in the file, or give a file of assignments without them in the same import/,
  );
  expect((await company.stored()).workers).toHaveLength(3);
});

/** Workers with these numbers, and nothing else. */
const numbered = (from: number, to: number) =>
  workersCsv(...Array.from({ length: to - from + 1 }, (_, at) => `N${from + at}`));

test("more than a tenth, and more than ten rows, are removed only if allowed", async () => {
  const company = await TestCompany.open();
  await company.import({ "workers.csv": numbered(1, 110) });
  // Eleven of 110 are a tenth; ten of 99 are more than a tenth, but few.
  expect(counted(await company.import({ "workers.csv": numbered(12, 110) }, prune))).toEqual({
    "workers.csv": "0/0/99/11",
  });
  expect(counted(await company.import({ "workers.csv": numbered(22, 110) }, prune))).toEqual({
    "workers.csv": "0/0/89/10",
  });
  const most = { "workers.csv": numbered(60, 110) };
  const [mistake, ...more] = await company.refused(most, prune);
  expect(more).toEqual([]);
  expect(mistake).toMatch(
    /^workers\.csv: pruning would remove 38 of 89 stored workers \(43 %\), such as "N\d+", "N\d+", "N\d+": is the file complete\? If so, say --allow-removals 43%$/,
  );
  expect(await company.refused(most, { ...prune, allowedRemovals: 0.42 })).toHaveLength(1);
  expect((await company.stored()).workers).toHaveLength(89);
  expect(counted(await company.import(most, { ...prune, allowedRemovals: 0.43 }))).toEqual({
    "workers.csv": "0/0/51/38",
  });
});

test("a dry run reports what would be removed, and removes nothing", async () => {
  const company = await small();
  const report = await company.import(
    { "workers.csv": workersCsv("E1", "E2") },
    { ...prune, isDryRun: true },
  );
  expect(counted(report)).toEqual({ "workers.csv": "0/0/2/1" });
  expect(report.isChanged).toBe(true);
  expect((await company.stored()).workers).toHaveLength(3);
});

test("a dry run reports what would be removed even if the import would be refused, and why", async () => {
  const company = await TestCompany.open();
  await company.import({ "workers.csv": numbered(1, 20) });
  const files = { "workers.csv": numbered(12, 20) };
  const report = await company.import(files, { ...prune, isDryRun: true });
  expect(counted(report)).toEqual({ "workers.csv": "0/0/9/11" });
  expect(report.refusals).toEqual([expect.stringContaining("would remove 11 of 20 stored workers (55 %)")]);
  const meant = await company.import(files, { ...prune, isDryRun: true, allowedRemovals: 1 });
  expect(meant.refusals).toEqual([]);
  expect(await company.refused(files, prune)).toEqual(report.refusals);
  expect((await company.stored()).workers).toHaveLength(20);
});

const HEAD = "legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId";
/** Requests: each is an id, a day of 2025 and a worker. */
const leave = (...all: readonly string[]) =>
  [
    HEAD,
    ...all.map((row) => {
      const [id, day, worker] = row.split(" ");
      return `${id},2025-01-01T00:00:00Z,2025-${day}T08:00:00Z,2025-${day}T16:00:00Z,480,approved,PTO,${worker}`;
    }),
  ].join("\n");

test("only rows within the complete range are removed; what others refer to stays", async () => {
  const company = await small();
  await company.import({ "requests.csv": leave("A1 01-10 E1", "A2 03-31 E2", "A3 04-01 E1", "A4 05-01 E3") });
  const map = join(temporaryFolder(), "map.json");
  const importing = (complete: unknown, files: Files, options: Partial<ImportOptions> = prune) => {
    writeFileSync(map, JSON.stringify({ requests: { from: "requests.csv", complete } }));
    return company.importFolder(folderOf(files), options, map);
  };
  const idsOf = async () => (await company.stored()).requests.map(({ legacyId }) => legacyId).sort();
  const file = { "requests.csv": leave("A4 05-01 E3") };
  const window = { endsOnOrAfter: "2025-04-01" };
  expect((await importing(window, file, {})).notInFiles).toEqual({ requests: 1 });
  expect((await importing({ updatedSince: "2025-04-01" }, file, {})).notInFiles).toEqual({});
  expect(counted(await importing({ updatedSince: "2025-04-01" }, file))).toEqual({
    "requests.csv": "0/0/1/0",
  });
  expect(counted(await importing(window, file))).toEqual({ "requests.csv": "0/0/1/1" });
  expect(await idsOf()).toEqual(["A1", "A2", "A4", "R1", "R2"]);
  // Today is 2025-06-01: March 1 is 92 days before.
  await importing({ startsOnOrAfter: "{today-92d}" }, file);
  expect(await idsOf()).toEqual(["A1", "A4"]);
  // E1 has leave before that, which the file would not have.
  const report = await importing(window, {
    ...file,
    "workers.csv": workersCsv("E3"),
    "assignments.csv": "workerId,policyId,assignedAt",
  });
  expect(counted(report)).toEqual({
    "workers.csv": "0/0/1/1",
    "assignments.csv": "0/0/0/2",
    "requests.csv": "0/0/1/0",
  });
  expect(report.notes).toEqual([
    "workers.csv: 1 workers are not in the file but stay: stored rows refer to them, and the files have only part of those rows (complete)",
  ]);
  expect((await company.stored()).workers.map(({ legacyId }) => legacyId).sort()).toEqual(["E1", "E3"]);
  // The same of files that a pull wrote, and both together.
  const complete = { requests: { endsOnOrAfter: "2025-02-01" } };
  const pulled = { beganAtMs: Date.now(), complete, refused: [] };
  const none = { "requests.csv": leave("A9 01-02 E3") };
  await company.import(none, { ...prune, pulled });
  expect(await idsOf()).toEqual(["A1", "A9"]);
  await expect(importing({ endsOnOrAfter: "May" }, file)).rejects.toThrow(
    'requests.complete.endsOnOrAfter: "May" is not a day such as {today-730d} or 2025-01-01',
  );
  writeFileSync(map, JSON.stringify({ policies: { from: "policies.csv", complete: window } }));
  await expect(company.importFolder(folderOf(SMALL), prune, map)).rejects.toThrow(
    "policies.complete.endsOnOrAfter: policies have no days",
  );
});
