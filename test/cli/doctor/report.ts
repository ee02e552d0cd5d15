// A store with a made-up company that was imported for real, and doctor's report on it.
import { Database } from "bun:sqlite";
import { spyOn } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { doctorCommand } from "../../../src/cli/commands/store/doctor.ts";
import { newKey } from "../../../src/http/new-key.ts";
import type { Finding } from "../../../src/store/engine.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { importGenerated } from "../../support/stores.ts";
import { processMutex } from "../command.ts";

/** What a store's name is followed by in the names of its files. */
const PARTS = ["", "-keys"] as const;

/** The files of stores that were made, by the number of their workers: each is made once. */
const made = new Map<number, Promise<readonly Uint8Array[]>>();

/** Gives the path of a store with the company "acme" and a key. The folder is removed afterwards. */
export async function withCompany(work: (db: string) => Promise<void>, workers = 40): Promise<void> {
  const files = await made.getOrInsertComputed(workers, () =>
    withDatabase(async (db) => {
      await makeCompany(db, workers);
      return PARTS.map((part) => readFileSync(db + part));
    }),
  );
  await withDatabase(async (db) => {
    for (const [at, part] of PARTS.entries()) writeFileSync(db + part, files[at]!);
    await work(db);
  });
}

/** Gives the path of a store that is not there yet. */
async function withDatabase<T>(work: (db: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-doctor-"));
  const before = process.umask(0o077); // as the command sets it
  try {
    return await work(join(folder, "rollcall.db"));
  } finally {
    process.umask(before);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeCompany(db: string, workers: number): Promise<void> {
  const store = openSqliteWriteStore(db, { create: true });
  await store.createCompany({ id: "acme", name: "Acme", createdAtMs: 0 });
  await importGenerated(store, "acme", { workers, today: "2026-03-01" });
  await store.createSecret(newKey({ companyId: "acme", name: "payroll" }, 0).stored);
  await store.close();
}

/** What doctor prints with `--json`; whether it ends with 1 must fit it. */
export function findings(db: string, ...flags: string[]): Promise<Finding[]> {
  return processMutex.runExclusive(() => findingsAlone(db, flags));
}

async function findingsAlone(db: string, flags: readonly string[]): Promise<Finding[]> {
  const printed = spyOn(console, "log").mockImplementation(() => {});
  let failed = false;
  try {
    await doctorCommand()
      .exitOverride()
      .parseAsync(["--db", db, "--json", ...flags], { from: "user" });
  } catch {
    failed = true;
  }
  const report = JSON.parse(String(printed.mock.calls[0]?.[0])) as { sound: boolean; findings: Finding[] }; // its own form
  printed.mockRestore();
  if (report.sound === failed || report.sound !== (report.findings.length === 0))
    throw new Error("contradicts itself");
  return report.findings;
}

/** Changes the store behind Rollcall's back. */
export function edit(path: string, ...statements: string[]): void {
  const database = new Database(path);
  for (const statement of statements) database.run(statement);
  database.close();
}
