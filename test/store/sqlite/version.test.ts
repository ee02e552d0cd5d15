// Property: a reader's version of a company changes with every commit of an import, and with nothing else that writers do: neither what is
// rolled back, nor checkpoints, nor other companies' imports change it. Writers are other connections and other processes.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { createCompany, putFacts } from "../../support/stores.ts";

let folder: string;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(fastFolder(), "rollcall-version-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

interface Step {
  readonly changes: boolean;
  act(writer: WriteStore, path: string): Promise<unknown> | unknown;
}

const hours = (count: number) => ({
  work_hours: Array.from({ length: count }, (_, day) => ({ workerId: "wrk_a", day, minutes: 1 })),
});

const onFile = (path: string, work: (database: Database) => void) => {
  const database = new Database(path);
  work(database);
  database.close();
};

const STEPS: Record<string, Step> = {
  "a small import": { changes: true, act: (writer) => putFacts(writer, "acme", hours(1)) },
  "an import of many pages": { changes: true, act: (writer) => putFacts(writer, "acme", hours(3000)) },
  "an import that is rolled back": {
    changes: false,
    act: (writer) =>
      writer.change("acme", async (transaction) => {
        await transaction.put("work_hours", hours(3000).work_hours);
        return { result: null, changed: true, commit: false };
      }),
  },
  "another company's import": { changes: false, act: (writer) => putFacts(writer, "other", hours(1)) },
  "a checkpoint": {
    changes: false,
    act: (_, path) => onFile(path, (database) => void database.query("pragma wal_checkpoint(passive)").get()),
  },
  "a checkpoint that restarts the log": {
    changes: false,
    act: (_, path) =>
      onFile(path, (database) => void database.query("pragma wal_checkpoint(truncate)").get()),
  },
};

test("the version changes with every import that is committed, and with nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 3 }), { maxLength: 6 }),
      async (rounds) => {
        const path = join(folder, `${files++}.db`);
        const writer = openSqliteWriteStore(path, { create: true });
        for (const company of ["acme", "other"]) await createCompany(writer, company);
        const reader = openSqliteReadStore(path);
        for (const steps of rounds) {
          const before = await reader.version("acme");
          expect(await reader.version("acme")).toBe(before);
          for (const step of steps) await STEPS[step]!.act(writer, path);
          const isChanged = (await reader.version("acme")) !== before;
          expect(isChanged).toBe(steps.some((step) => STEPS[step]!.changes));
        }
        await reader.close();
        await writer.close();
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);

test("a reader notices another process's commit, and keeps its own locks on the store", async () => {
  const path = join(folder, `${files++}.db`);
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  await writer.close();
  const reader = openSqliteReadStore(path);
  const seen = new Set([await reader.version("acme")]);
  for (let times = 1; times <= 3; times++) {
    const code = `
      const database = new (require("bun:sqlite").Database)(process.argv[1]);
      database.run("update companies set version = version || '.'");`;
    expect(Bun.spawnSync([process.execPath, "-e", code, path]).exitCode).toBe(0);
    seen.add(await reader.version("acme"));
    expect(seen.size).toBe(times + 1);
  }
  await reader.close();
});
