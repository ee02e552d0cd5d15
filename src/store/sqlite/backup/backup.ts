// Making a backup: one file, consistent while others serve and import. The store is read in one snapshot; keys follow
// in a second one, and only those of companies that the first one holds.
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import {
  failure,
  keysPath,
  mapError,
  openReader,
  openWriter,
  type StoreFile,
  schemaVersion,
} from "../database.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "../schema.ts";
import { attachReadOnly, type BackupDescription, tablesOf } from "./backup-file.ts";
import { BackupPart } from "./backup-part.ts";

/**
 * Writes a backup of the store at `storePath`, of whatever schema version, to `outPath`. What is there is replaced if
 * it is a backup, once the new one has been read through. Raises StoreRefusal or StoreUnavailable; then nothing is left.
 */
export function backUp(storePath: string, outPath: string, nowMs: number): BackupDescription {
  const versions = {
    storeVersion: versionOf({ path: storePath, migrations: MIGRATIONS }),
    keysVersion: existsSync(keysPath(storePath))
      ? versionOf({ path: keysPath(storePath), migrations: KEYS_MIGRATIONS })
      : KEYS_MIGRATIONS.length,
  };
  const part = new BackupPart(outPath, { ...versions, madeAtMs: nowMs }, [storePath, keysPath(storePath)]);
  try {
    const database = part.open();
    copyTables(database, storePath);
    return part.finish(database);
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    const isOfStore = /^SQLITE_(CORRUPT|BUSY)/.test(error.code ?? "");
    throw failure(isOfStore ? storePath : outPath, error);
  } finally {
    part.discard();
    emptyLog(storePath);
  }
}

/** The snapshot may have kept an import from emptying the log of what it removed. */
function emptyLog(storePath: string): void {
  try {
    const database = openWriter({ path: storePath, migrations: MIGRATIONS }, {});
    database.run("pragma busy_timeout = 0");
    database.run("pragma wal_checkpoint(truncate)");
    database.close();
  } catch {
    // A store that may only be read, or is of an older version: its next writer does it.
  }
}

/** Any version that this Rollcall knows will do: a backup is what should be made before `rollcall migrate`. */
function versionOf(file: StoreFile): number {
  if (!existsSync(file.path)) openReader(file).close(); // refuses with what to do
  return mapError(file.path, () => {
    const database = new Database(file.path, { readonly: true });
    try {
      return schemaVersion(database, file);
    } finally {
      database.close();
    }
  });
}

function copyTables(database: Database, storePath: string): void {
  attachReadOnly(database, storePath, "store");
  const withKeys = existsSync(keysPath(storePath));
  if (withKeys) attachReadOnly(database, keysPath(storePath), "keys_file");
  database.run("begin");
  // "keys" comes last, after the store's snapshot was taken: a key never comes without its company.
  for (const { name, columns, key } of tablesOf(database)) {
    if (name === "keys") continue;
    const list = columns.join(", ");
    database.run(
      `insert into main.${name} (${list}) select ${list} from store.${name} order by ${key.join(", ")}`,
    );
  }
  if (!withKeys) return;
  const list = tablesOf(database)
    .find(({ name }) => name === "keys")!
    .columns.join(", ");
  database.run(
    `insert into main.keys (${list}) select ${list} from keys_file.keys where company_id in (select id from main.companies) order by id`,
  );
}
