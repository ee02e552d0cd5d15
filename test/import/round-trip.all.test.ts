// Export and import again: the same company, elsewhere or in place.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { ExportRefused, exportCompany } from "../../src/import/export.ts";
import { LIST_KINDS } from "../../src/resources/kinds.ts";
import { FILE_FIELDS } from "../../src/resources/registry.ts";
import { KINDS, type Kind } from "../../src/store/tables.ts";
import { SMALL, TestCompany, temporaryFolder, workersCsv } from "../support/import-files.ts";
import { sampleFacts } from "../support/rows.ts";
import { putFacts } from "../support/stores.ts";

test("an export with every kind of row imports elsewhere without a difference, and changes nothing at home", async () => {
  const generated = join(temporaryFolder(), "generated");
  await generateCompany({
    outDir: generated,
    workers: 300,
    seed: 3,
    today: "2026-11-21",
    requestsPerWorker: 4,
  });
  const [here, there] = [await TestCompany.open(), await TestCompany.open()];
  await here.importFolder(generated);
  const out = join(temporaryFolder(), "export");
  await exportCompany(here.store, "acme", out, false);
  await there.importFolder(out);
  expect(await there.stored()).toEqual(await here.stored());
  const back = await here.importFolder(out, { isPruning: true });
  expect(back.isChanged).toBe(false);
  const again = join(temporaryFolder(), "again");
  await exportCompany(there.store, "acme", again, false);
  for (const name of readdirSync(out))
    expect(readFileSync(join(again, name))).toEqual(readFileSync(join(out, name)));
});

test("a company with a row of every list is the same after an export and an import elsewhere", async () => {
  const [here, there] = [await TestCompany.open(), await TestCompany.open()];
  await putFacts(here.store, "acme", sampleFacts());
  const out = join(temporaryFolder(), "export");
  await exportCompany(here.store, "acme", out, false);
  await there.importFolder(out);
  const [before, after] = [await here.stored(), await there.stored()];
  // Each import makes them.
  const made = { updatedAt: undefined, calendarId: undefined };
  const objects = (rows: readonly { readonly doc: string }[]) =>
    rows.map(({ doc }) => ({ ...JSON.parse(doc), ...made }));
  for (const kind of LIST_KINDS) {
    expect(before[kind], `sampleFacts in test/support/rows.ts has no row of ${kind}`).not.toEqual([]);
    expect([kind, ...objects(after[kind])]).toEqual([kind, ...objects(before[kind])]);
  }
});

test("an exported request keeps its written days after its worker moved", async () => {
  const [here, there] = [await TestCompany.open(), await TestCompany.open()];
  const workers = "legacyId,firstName,lastName,email,startDate,status,type,isBusiness,position,timeZone\n";
  const worker = (zone: string) =>
    `${workers}E1,Ada,Berg,ada@example.com,2020-01-01,active,employee,no,Engineer,${zone}\n`;
  await here.import({
    ...SMALL,
    "workers.csv": `${worker("Pacific/Auckland")}`,
    "assignments.csv": "workerId,policyId,startsOn\nE1,PTO,2020-01-01\n",
    "requests.csv":
      "legacyId,workerId,timeOffPolicyId,createdAt,startAt,endAt,requestedMinutes,status,dayMinutes\n" +
      "R1,E1,PTO,2025-12-01T00:00:00Z,2025-12-22T11:00:00Z,2025-12-24T11:00:00Z,720,approved,2025-12-23:480; 2025-12-24:240\n" +
      "R2,E1,PTO,2025-12-01T00:00:00Z,2026-01-12T11:00:00Z,2026-01-12T11:00:00Z,480,approved,2026-01-13:480\n",
  });
  await here.import({ "workers.csv": worker("Pacific/Honolulu") });
  const out = join(temporaryFolder(), "export");
  await exportCompany(here.store, "acme", out, false);
  const { findings } = await there.importFolder(out);
  expect(findings.find(({ code }) => code === "written-days")?.count).toBe(1);
  expect(await there.stored()).toEqual(await here.stored());
});

test("an export has every field of every kind, and is its owner's alone", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  const out = join(temporaryFolder(), "export");
  const counts = await exportCompany(company.store, "acme", out, false);
  const rows: { [K in Kind]?: number } = { workers: 2, policies: 2, assignments: 2, requests: 2 };
  expect([...counts]).toEqual(KINDS.map((kind) => [kind, rows[kind] ?? 0]));
  expect(statSync(out).mode & 0o777).toBe(0o700);
  for (const kind of KINDS) {
    const path = join(out, `${kind}.csv`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8").split("\r\n")[0]).toBe(FILE_FIELDS[kind].join(","));
  }
});

test("a folder with an export is replaced only on request; one with other files never is", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  const out = join(temporaryFolder(), "export");
  await exportCompany(company.store, "acme", out, false);
  await expect(exportCompany(company.store, "acme", out, false)).rejects.toThrow("--overwrite");
  await company.import({ "workers.csv": workersCsv("E1", "E2", "E3") });
  await exportCompany(company.store, "acme", out, true);
  expect(readFileSync(join(out, "workers.csv"), "utf8").trimEnd().split("\r\n")).toHaveLength(4);
  writeFileSync(join(out, "diary.txt"), "mine");
  await expect(exportCompany(company.store, "acme", out, true)).rejects.toThrow(ExportRefused);
  expect(existsSync(join(out, "diary.txt"))).toBe(true);
});

test("an export that fails leaves nothing", async () => {
  const company = await TestCompany.open();
  const folder = temporaryFolder();
  await expect(exportCompany(company.store, "nobody", join(folder, "export"), false)).rejects.toThrow(
    "nobody",
  );
  expect(readdirSync(folder)).toEqual([]);
});
