// Replacing what a store in use holds: readers go on undisturbed, an import that runs is waited for.
import { type Database, SQLiteError } from "bun:sqlite";
import { StoreUnavailable } from "../../store.ts";
import { failure, keysPath, openWriter, type StoreFile } from "../database.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "../schema.ts";
import { takeRows } from "./unpack.ts";

const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** The file is damaged where the new rows do not go. */
export class DamagedStore extends StoreUnavailable {}

export interface Replacement {
  readonly storePath: string;
  /** The store, of this version's schema and with its keys beside it, that holds what is to be. */
  readonly part: string;
  /** Called once if an import must end first. */
  readonly onWait: () => void;
}

/** Every row but the keys, in one transaction. Raises StoreUnavailable, with nothing changed, for a damaged store. */
export function replaceRows({ storePath, part, onWait }: Replacement): void {
  const file = { path: storePath, migrations: MIGRATIONS };
  change(file, { source: part }, onWait, takeRows);
}

/**
 * Keys stay as they are now: what was revoked or made since the backup is not undone. Those of companies that are gone
 * go, those of companies that came back come back.
 */
export function replaceKeys({ storePath, part, onWait }: Replacement): void {
  const file = { path: keysPath(storePath), migrations: KEYS_MIGRATIONS };
  change(file, { source: keysPath(part), restored: part }, onWait, (database) => {
    database.run("delete from main.keys where company_id not in (select id from restored.companies)");
    database.run(
      "insert into main.keys select * from source.keys where id not in (select id from main.keys)",
    );
  });
}

function change(
  file: StoreFile,
  attached: Readonly<Record<string, string>>,
  onWait: () => void,
  work: (database: Database) => void,
): void {
  const database = openWriter(file, { create: true });
  try {
    for (const [name, path] of Object.entries(attached)) database.run(`attach ? as ${name}`, [path]);
    begin(database, onWait);
    work(database);
    requireSound(file, database);
    database.run("commit");
    database.run("pragma main.wal_checkpoint(truncate)");
  } catch (error) {
    if (database.inTransaction) database.run("rollback");
    throw error instanceof SQLiteError ? failure(file.path, error) : error;
  } finally {
    database.close();
  }
}

function begin(database: Database, onWait: () => void): void {
  try {
    database.run("begin immediate");
  } catch (error) {
    if (!(error instanceof SQLiteError) || !error.code?.startsWith("SQLITE_BUSY")) throw error;
    onWait();
    database.run(`pragma busy_timeout = ${LONGEST_WAIT_MS}`);
    database.run("begin immediate");
  }
}

/** New rows in a file that is damaged elsewhere would be lost sooner or later. */
function requireSound(file: StoreFile, database: Database): void {
  const found = database.query("pragma main.integrity_check(1)").values()[0]?.[0];
  if (found === "ok") return;
  throw new DamagedStore(`${file.path} is damaged (${found})`, "run rollcall doctor");
}
