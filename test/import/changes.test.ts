// What an import changes, and what it leaves exactly as it was.
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { ENDPOINTS } from "../../src/resources/endpoints.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import {
  counted,
  folderOf,
  REQUEST_HEADER,
  requestsCsv,
  SMALL,
  TestCompany,
  workersCsv,
} from "../support/import-files.ts";

test("an unchanged import changes nothing, not even the company's version", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  const reader = openSqliteReadStore(company.path);
  const [before, stored] = [await reader.version("acme"), await company.stored()];
  const report = await company.import(SMALL);
  expect(report.isChanged).toBe(false);
  expect(Object.values(counted(report)).every((counts) => /^0\/0\/2\/0$/.test(counts))).toBe(true);
  expect(await reader.version("acme")).toEqual(before);
  expect(await company.stored()).toEqual(stored);
  await company.import({ ...SMALL, "workers.csv": workersCsv("E1", "E2").replace("Ana", "Bo") });
  expect(await reader.version("acme")).not.toEqual(before);
  await reader.close();
});

test("a dry run says what would change and changes nothing", async () => {
  const company = await TestCompany.open();
  const report = await company.import(SMALL, { isDryRun: true });
  expect(report.isChanged).toBe(true);
  expect(Object.values(await company.stored()).flat()).toEqual([]);
});

test("what is stored for the wire is the contract's object, with its keys in order", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  const stored = await company.stored();
  const schemas = {
    workers: ENDPOINTS.workers.list.item,
    policies: ENDPOINTS.policies.list.item,
    assignments: ENDPOINTS.assignments.list.item,
    requests: ENDPOINTS.requests.list.item,
  };
  for (const kind of ["workers", "policies", "assignments", "requests"] as const) {
    for (const { doc } of stored[kind]) {
      const wire = JSON.parse(doc);
      // Keys come in the order of the definition.
      expect(JSON.stringify(schemas[kind].parse(wire))).toBe(doc);
    }
  }
});

test("an absent column is null or its default, not the stored value", async () => {
  const company = await TestCompany.open();
  await company.import({ "workers.csv": workersCsv("E1") });
  await company.import({ "workers.csv": workersCsv("E1").replaceAll(/,[^,\n]*$/gm, "") });
  expect((await company.stored()).workers).toMatchObject([{ timeZone: null }]);
});

test.each([
  ["Ana,Lind,no,,,", "Ana Lind"],
  ["Ana,Lind,no,,Annie,", "Annie"],
  ["Ana,Lind,yes,Lind Ltd,Annie,", "Lind Ltd"],
  ["Ana,Lind,yes,,,", "Ana Lind"],
  ["Ana,Lind,yes,Lind Ltd,Annie,Shown", "Shown"],
  ["花子,佐藤,no,,,", "佐藤 花子"],
  ["민수,김,no,,,", "김 민수"],
  ["Hanako,Sato,no,,,", "Hanako Sato"],
])("the name to show of %s is %s", async (cells, expected) => {
  const company = await TestCompany.open();
  const header =
    "legacyId,email,startDate,status,type,firstName,lastName,isBusiness,businessName,preferredName,displayName";
  await company.import({
    "workers.csv": `${header}\nE1,a@b.co,2024-01-01,active,contractor,${cells}`,
  });
  expect(JSON.parse((await company.stored()).workers[0]!.doc).displayName).toBe(expected);
});

test("any offset is accepted and shown as UTC with milliseconds", async () => {
  const company = await TestCompany.open();
  const row =
    "R1,2025-01-01T00:00:00.1234-03:30,2025-03-03T08:00:00+14:00,2025-03-03T16:00:00Z,480.5,approved,PTO,E1";
  await company.import({ ...SMALL, "requests.csv": `${REQUEST_HEADER}\n${row}` });
  expect(JSON.parse((await company.stored()).requests[0]!.doc)).toMatchObject({
    createdAt: "2025-01-01T03:30:00.123Z",
    startAt: "2025-03-02T18:00:00.000Z",
    requestedMinutes: 480.5,
  });
});

test("the days of a request are in its zone, else the worker's, also when that changes later", async () => {
  const company = await TestCompany.open();
  const header = `${REQUEST_HEADER},timeZone`;
  const row = (id: string, zone: string) =>
    `${id},2025-01-01T00:00:00Z,2025-03-03T22:00:00Z,2025-03-03T23:00:00Z,60,approved,PTO,E1,${zone}`;
  const files = { ...SMALL, "requests.csv": `${header}\n${row("R1", "")}\n${row("R2", "UTC")}` };
  const days = async () =>
    Object.fromEntries(
      (await company.stored()).requests.map(({ legacyId, firstDay }) => [
        legacyId,
        new Date(firstDay * 86_400_000).toISOString().slice(0, 10),
      ]),
    );
  await company.import(files);
  expect(await days()).toEqual({ R1: "2025-03-03", R2: "2025-03-03" });
  const moved = workersCsv("E1", "E2").replace("Europe/Berlin", "Pacific/Auckland");
  const report = await company.import({ "workers.csv": moved });
  expect(counted(report)).toEqual({ "workers.csv": "0/1/1/0" });
  expect(await days()).toEqual({ R1: "2025-03-04", R2: "2025-03-03" });
  const again = await company.import({ ...files, "workers.csv": moved });
  expect(again.isChanged).toBe(false);
});

test("adjustments without an assignment are kept, with one warning", async () => {
  const company = await TestCompany.open();
  const csv =
    "legacyId,workerId,policyId,date,minutes,note\nA1,E1,SICK,2025-01-01,-60.25,=1+1\nA2,E2,SICK,2025-01-01,60,\nA3,E1,PTO,2025-01-01,60,";
  const report = await company.import({ ...SMALL, "adjustments.csv": csv });
  const warning = report.findings.find(({ code }) => code === "never-assigned");
  expect(warning).toMatchObject({
    count: 2,
    examples: [expect.stringMatching(/^adjustment A[12]$/), expect.stringMatching(/^adjustment A[12]$/)],
  });
  expect((await company.stored()).adjustments).toHaveLength(3);
});

test("progress counts rows and bytes, up to all of them", async () => {
  const company = await TestCompany.open();
  const seen: string[] = [];
  await company.import(
    {
      "workers.csv": workersCsv("E1", "E2"),
      "policies.csv": SMALL["policies.csv"]!,
      "requests.csv": requestsCsv("R1 denied E1"),
    },
    { onProgress: ({ rows, bytes, totalBytes }) => seen.push(`${rows} ${bytes === totalBytes}`) },
  );
  expect(seen.at(-1)).toBe("5 true");
});

test("a file that is removed before its rows are read is an error that names it", async () => {
  const company = await TestCompany.open();
  const folder = folderOf(SMALL);
  const { sources } = await findSources([folder], null);
  rmSync(join(folder, "policies.csv"));
  const options = { isDryRun: false, isPruning: false, today: 20_240, nowMs: 0 };
  await expect(importCompany(company.store, "acme", sources, options)).rejects.toThrow(
    "policies.csv: was removed while the import ran",
  );
});

test("an unknown company is an error that names the command to create it", async () => {
  const company = await TestCompany.open();
  const { sources } = await findSources([folderOf(SMALL)], null);
  const options = { isDryRun: false, isPruning: false, today: 20_240, nowMs: 0 };
  await expect(importCompany(company.store, "nobody", sources, options)).rejects.toThrow(
    "rollcall companies create nobody",
  );
});
