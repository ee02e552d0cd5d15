// A store that is damaged while a writer has it open: the writer says so at once, and waits for nobody.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { temporaryFolder } from "../../support/import-files.ts";
import { createCompany } from "../../support/stores.ts";

test("an import into a file that became no database is refused, and takes it for no other writer's lock", async () => {
  const path = join(temporaryFolder(), "store.db");
  const writer = openSqliteWriteStore(path, { create: true });
  await createCompany(writer, "acme");
  const other = new Database(path);
  other.run("pragma wal_checkpoint(truncate)"); // so that the file itself is read
  other.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, "x"), 0, 4096, 0);
  closeSync(file);
  const waited: unknown[] = [];
  await expect(
    writer.change("acme", async () => ({ result: null, changed: false, commit: true }), {
      waitMs: 500,
      onWait: (holder) => waited.push(holder),
    }),
  ).rejects.toThrow("is not a Rollcall store (nor any SQLite database)");
  expect(waited).toEqual([]);
  await writer.close();
});
