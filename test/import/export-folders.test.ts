// An export deletes no folder that is not its own, whatever it is called; what killed exports left, it removes.
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportCompany } from "../../src/import/export.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import { createCompany } from "../support/stores.ts";

test("folders beside the export stay, those of killed exports go, and an export is replaced whole", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-export-"));
  const store = openSqliteWriteStore(join(folder, "store.db"), { create: true });
  await createCompany(store, "acme");
  const out = join(folder, "x");
  const dead = Bun.spawnSync(["true"]).pid;
  const write = (name: string, file: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, file), "mine");
  };
  const foreign = [
    ["x.partial", "notes.txt"],
    ["x.partial", "workers.csv"],
    ["x.former", "workers.csv"],
    [`x.partial-${dead}`, "notes.txt"],
    [`x.partial-${process.ppid}`, "workers.csv"],
    [`x.partial-${process.pid}`, "workers.csv"],
    ["x.partial-old", "workers.csv"],
  ] as const;
  for (const [name, file] of foreign) write(name, file);
  for (const name of [`x.partial-${dead}-1`, `x.former-${dead}`]) write(name, "workers.csv");
  for (const mayOverwrite of [false, true]) await exportCompany(store, "acme", out, mayOverwrite);
  for (const [name, file] of foreign) expect(readFileSync(join(folder, name, file), "utf8")).toBe("mine");
  expect(existsSync(join(folder, `x.partial-${dead}-1`))).toBe(false);
  expect(existsSync(join(folder, `x.former-${dead}`))).toBe(false);
  expect(readFileSync(join(out, "workers.csv"), "utf8")).not.toBe("mine");
  const expected = new Set(["x", "store.db", "store.db-keys", ...foreign.map(([name]) => name)]);
  expect(readdirSync(folder).filter((name) => !expected.has(name) && !/-(wal|shm)$/.test(name))).toEqual([]);
  await store.close();
  rmSync(folder, { recursive: true });
});
