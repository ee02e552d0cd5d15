// An export deletes no folder that is not its own, whatever it is called.
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportCompany } from "../../src/import/export.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import { createCompany } from "../support/stores.ts";

test("folders beside the export stay, and an export is replaced whole", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-export-"));
  const store = openSqliteWriteStore(join(folder, "store.db"), { create: true });
  await createCompany(store, "acme");
  const out = join(folder, "x");
  const write = (name: string, file: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, file), "mine");
  };
  const foreign = [
    ["x.partial", "notes.txt"],
    ["x.partial", "workers.csv"],
    ["x.former", "workers.csv"],
    ["x.partial-old", "workers.csv"],
  ] as const;
  for (const [name, file] of foreign) write(name, file);
  for (const mayOverwrite of [false, true]) await exportCompany(store, "acme", out, mayOverwrite);
  for (const [name, file] of foreign) expect(readFileSync(join(folder, name, file), "utf8")).toBe("mine");
  expect(readFileSync(join(out, "workers.csv"), "utf8")).not.toBe("mine");
  const expected = new Set(["x", "store.db", "store.db-keys", ...foreign.map(([name]) => name)]);
  expect(readdirSync(folder).filter((name) => !expected.has(name) && !/-(wal|shm)$/.test(name))).toEqual([]);
  await store.close();
  rmSync(folder, { recursive: true });
});
