// The engines that every store test runs on.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../src/store/conformance/place.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";

export const sqlite: Engine = {
  name: "SQLite",
  async place() {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-store-"));
    const path = join(folder, "store.db");
    const within = <T>(work: (database: Database) => T): T => {
      const database = new Database(path, { create: true, readwrite: true });
      try {
        return work(database);
      } finally {
        database.close();
      }
    };
    return {
      openWriter: async (options) => openSqliteWriteStore(path, options),
      openReader: async () => openSqliteReadStore(path),
      becomeForeign: async () =>
        within((database) => void database.run("create table workers (surname text)")),
      becomeNewer: async () => within((database) => void database.run("pragma user_version = 999")),
      vanish: async () => rmSync(path),
      columns: async (table) =>
        within((database) =>
          database
            .query(`pragma table_info(${table})`)
            .values()
            .map((column) => String(column[1])),
        ),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};
