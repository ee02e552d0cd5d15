// Making a backup: one file, consistent while others serve and import. The store is read in one snapshot; keys follow
// in a second one, and only those of companies that the first one holds.
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, realpathSync } from "node:fs";
import { StoreRefusal } from "../store.ts";
import {
  attachReadOnly,
  BACKUP_APPLICATION_ID,
  BACKUP_FORMAT,
  type BackupDescription,
  digestOf,
  isBackup,
  makeBackupTables,
  openAttaching,
  tablesOf,
  verifyBackup,
} from "./backup-file.ts";
import {
  failure,
  guarded,
  keysPath,
  openReader,
  openWriter,
  type StoreFile,
  schemaVersion,
} from "./database.ts";
import { fileWork, makePart, placePart, removeDatabase } from "./part-file.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "./schema.ts";

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
  refuseToReplace(storePath, outPath);
  const part = fileWork(outPath, () => makePart(outPath));
  try {
    write(part, storePath, { ...versions, madeAtMs: nowMs });
    const description = verifyBackup(part);
    fileWork(outPath, () => placePart(part, outPath));
    return description;
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    const isOfStore = /^SQLITE_(CORRUPT|BUSY)/.test(error.code ?? "");
    throw failure(isOfStore ? storePath : outPath, error);
  } finally {
    removeDatabase(part);
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
  return guarded(file.path, () => {
    const database = new Database(file.path, { readonly: true });
    try {
      return schemaVersion(database, file);
    } finally {
      database.close();
    }
  });
}

function refuseToReplace(storePath: string, outPath: string): void {
  if (!existsSync(outPath)) return;
  const isStore = [storePath, keysPath(storePath)].some(
    (path) => existsSync(path) && realpathSync(path) === realpathSync(outPath),
  );
  if (isStore || !isBackup(outPath)) {
    throw new StoreRefusal(
      `${outPath} is there already and is not a backup: choose another name, it will not be overwritten`,
    );
  }
}

function write(
  part: string,
  storePath: string,
  about: { storeVersion: number; keysVersion: number; madeAtMs: number },
): void {
  const database = openAttaching(part);
  try {
    // Nobody else knows this file, and after a failure it is thrown away: it needs no journal of its own.
    for (const setting of [
      "journal_mode = off",
      "synchronous = off",
      `application_id = ${BACKUP_APPLICATION_ID}`,
    ])
      database.run(`pragma ${setting}`);
    database.run(`pragma user_version = ${BACKUP_FORMAT}`);
    database.run("pragma busy_timeout = 5000");
    makeBackupTables(database, about);
    attachReadOnly(database, storePath, "store");
    const withKeys = existsSync(keysPath(storePath));
    if (withKeys) attachReadOnly(database, keysPath(storePath), "keys_file");
    database.run("begin");
    copyTables(database, withKeys);
    const { digest } = digestOf(database, about);
    database
      .query("insert into backup (made_at_ms, store_version, keys_version, digest) values (?, ?, ?, ?)")
      .run(about.madeAtMs, about.storeVersion, about.keysVersion, digest);
    database.run("commit");
  } finally {
    database.close();
  }
}

function copyTables(database: Database, withKeys: boolean): void {
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
