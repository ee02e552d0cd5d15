// The embedded store as versions had it before rows had numbers instead of ids (src/store/sqlite/layout).
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { renameSync, rmSync } from "node:fs";
import { INSERT_BARE_SPANS } from "../../src/store/sqlite/layout/schema-parts.ts";
import { MIGRATIONS } from "../../src/store/sqlite/schema.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { columnName, TABLES } from "../../src/store/tables.ts";

/** The schema's version before there were numbers. */
const VERSION = MIGRATIONS.findIndex((text) => text.includes("create table numbers"));

/** Makes the store at `path` one of that version, with the same rows; none of them says which import changed it. */
export async function becomeUnnumbered(path: string): Promise<void> {
  const older = `${path}-older`;
  const database = new Database(older, { create: true });
  database.run("pragma journal_mode = wal");
  for (const text of MIGRATIONS.slice(0, VERSION)) database.run(text);
  database.run(`pragma application_id = ${0x524f4c4c}`);
  database.run(`pragma user_version = ${VERSION}`);
  database.run("attach ? as store", [path]);
  for (const table of ["companies", "imports", "changes"])
    database.run(`insert into ${table} select * from store.${table}`);
  await sqliteStore(path).snapshot(async (contents) => {
    for (const { id } of await contents.companies()) {
      await contents.export(id, async (kind, rows) => {
        const columns = TABLES[kind].columns;
        const names = ["company_id", ...columns.map(columnName)];
        const insert = database.query(
          `insert into ${kind} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
        );
        for (const row of rows) insert.run(id, ...columns.map((column) => row[column] as SQLQueryBindings)); // what rows hold
      });
    }
  });
  database.run(INSERT_BARE_SPANS("requests"));
  database.run("detach store");
  database.run("pragma wal_checkpoint(truncate)");
  database.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  renameSync(older, path);
  for (const suffix of ["-wal", "-shm"]) rmSync(older + suffix, { force: true });
}
