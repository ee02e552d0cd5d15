// From a backup to the files of a store that nobody uses yet.
import type { Database } from "bun:sqlite";
import { keysPath, openWriter, type StoreFile } from "../database.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "../schema.ts";
import { attachReadOnly, derived, openAttaching, type SchemaVersions, tablesOf } from "./backup-file.ts";
import { removeDatabase } from "./temporary-file.ts";

/** Makes a store and its keys at `path`, of this version's schema. Every company gets a new version. */
export function unpack(backupPath: string, versions: SchemaVersions, path: string): void {
  fill({ path, migrations: MIGRATIONS }, versions.storeVersion, backupPath);
  fill({ path: keysPath(path), migrations: KEYS_MIGRATIONS }, versions.keysVersion, backupPath);
}

function fill(file: StoreFile, version: number, backupPath: string): void {
  removeDatabase(file.path);
  openWriter({ path: file.path, migrations: file.migrations.slice(0, version) }, { create: true }).close();
  const database = openAttaching(file.path);
  try {
    // Nobody else knows this file yet, and after a failure it is thrown away: it needs no journal.
    for (const setting of ["journal_mode = delete", "journal_mode = off", "synchronous = off"])
      database.run(`pragma ${setting}`);
    attachReadOnly(database, backupPath, "source");
    database.run("begin");
    takeRows(database);
    database.run("commit");
  } finally {
    database.close();
  }
  openWriter(file, { migrate: true }).close();
}

/** Makes every table hold what the attached "source" holds. Indexes are made afterwards, which is far faster, and so are triggers. */
export function takeRows(database: Database): void {
  const dropped = derived(database);
  for (const { type, name } of dropped) database.run(`drop ${type} main.${name}`);
  for (const { name, columns, key } of tablesOf(database)) {
    const values = columns.map((column) => (column === "version" ? "lower(hex(randomblob(16)))" : column));
    database.run(`delete from main.${name}`);
    database.run(
      `insert into main.${name} (${columns.join(", ")}) select ${values.join(", ")} from source.${name} order by ${key.join(", ")}`,
    );
  }
  for (const { sql } of dropped) database.run(sql);
}
