import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GenerateOptions, generateCompany } from "../../src/generate/generate.ts";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { openTestStore } from "../support/stores.ts";
import { dayOf, names, readCsv } from "./read-csv.ts";

const root = mkdtempSync(join(tmpdir(), "rollcall-generate-"));
afterAll(() => rmSync(root, { recursive: true }));

async function generated(folder: string, options: Partial<GenerateOptions> = {}): Promise<string> {
  const outDir = join(root, folder);
  await generateCompany({ outDir, workers: 120, seed: 1, today: "2026-03-01", ...options });
  return outDir;
}

const text = (folder: string, name: string) => readFileSync(join(folder, `${name}.csv`), "utf8");

test("the same seed gives the same bytes", async () => {
  const [one, two] = [await generated("same-1"), await generated("same-2")];
  for (const name of names) expect(text(one, name)).toBe(text(two, name));
});

test("another seed is another company under the same policies", async () => {
  const [one, two] = [await generated("seed-1"), await generated("seed-2", { seed: 2 })];
  const shared = ["workplaces", "holidays", "policies"];
  for (const name of names) expect(text(one, name) === text(two, name)).toBe(shared.includes(name));
});

test("a larger company begins with the same workers", async () => {
  const [small, large] = [await generated("small"), await generated("large", { workers: 150 })];
  for (const name of ["workers", "requests", "work_hours"]) {
    expect(text(large, name).startsWith(text(small, name))).toBe(true);
  }
});

test("the counts are the rows that the files hold", async () => {
  const outDir = join(root, "counts");
  const counts = await generateCompany({ outDir, workers: 120, seed: 1, today: "2026-03-01" });
  const rows = Object.fromEntries(names.map((name) => [name, readCsv(outDir, name).length]));
  expect(rows).toEqual(counts);
});

test("only the owner can read folder and files", async () => {
  const folder = await generated("modes");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of names) expect(statSync(join(folder, `${name}.csv`)).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toHaveLength(names.length);
});

test("what is generated is imported without a finding", async () => {
  const { sources } = await findSources([await generated("findings")], null);
  const store = await openTestStore();
  await store.writer.createCompany({ id: "acme", name: "Acme", createdAtMs: 0 });
  const { findings } = await importCompany(store.writer, "acme", sources, {
    isDryRun: false,
    isPruning: false,
    today: dayOf("2026-03-01"),
    nowMs: Date.parse("2026-03-01"),
  });
  await store.dispose();
  expect(findings).toEqual([]);
});

test("an existing file stays, unless overwriting is allowed", async () => {
  const folder = await generated("kept");
  writeFileSync(join(folder, "requests.csv"), "mine");
  await expect(generated("kept")).rejects.toThrow(/already holds workplaces\.csv, .*allow overwriting/);
  expect(text(folder, "requests")).toBe("mine");
  await generated("kept", { overwrite: true });
  expect(text(folder, "requests")).toStartWith("legacyId,workerId,");
});

test("a run that fails leaves the folder as it was", async () => {
  const folder = await generated("failed");
  const before = text(folder, "workers");
  const onProgress = () => {
    throw new Error("stopped");
  };
  const failing = generated("failed", { workers: 1001, overwrite: true, onProgress });
  await expect(failing).rejects.toThrow("stopped");
  expect(text(folder, "workers")).toBe(before);
  expect(readdirSync(folder)).toHaveLength(names.length);
});

test("progress ends with the whole", async () => {
  const seen: [number, number][] = [];
  await generated("progress", { workers: 1001, onProgress: (done, total) => seen.push([done, total]) });
  expect(seen).toEqual([
    [1000, 1001],
    [1001, 1001],
  ]);
});

test("requests per worker come out as asked for", async () => {
  for (const requestsPerWorker of [5, 10, 20]) {
    const outDir = join(root, `requests-${requestsPerWorker}`);
    const options = { outDir, workers: 1001, seed: 3, today: "2026-03-01", requestsPerWorker };
    const { requests, work_hours } = await generateCompany(options);
    expect(requests / 1001 / requestsPerWorker).toBeWithin(0.85, 1.15);
    expect(work_hours).toBeLessThan(requests);
  }
});

test("a day far from now is refused", async () => {
  await expect(generated("refused", { today: "1949-12-31" })).rejects.toThrow(/is not in 1950 to 2190/);
});
