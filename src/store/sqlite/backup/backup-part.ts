// A backup on its way: a file that nobody knows yet, filled by whoever has the rows, and read through before it takes
// its name.
import type { Database } from "bun:sqlite";
import { existsSync, realpathSync } from "node:fs";
import { StoreRefusal } from "../../store.ts";
import {
  BACKUP_APPLICATION_ID,
  BACKUP_FORMAT,
  type BackupDescription,
  digestOf,
  isBackup,
  makeBackupTables,
  openAttaching,
  type SchemaVersions,
  verifyBackup,
} from "./backup-file.ts";
import { fileWork, makePart, placePart, removeDatabase } from "./temporary-file.ts";

export class BackupPart {
  readonly #about: SchemaVersions & { readonly madeAtMs: number };
  readonly #outPath: string;
  readonly #path: string;
  #database: Database | null = null;

  /** Raises StoreRefusal where there is something at `outPath` that is not a backup, or is one of the `stores`. */
  constructor(
    outPath: string,
    about: SchemaVersions & { readonly madeAtMs: number },
    stores: readonly string[],
  ) {
    refuseToReplace(outPath, stores);
    this.#about = about;
    this.#outPath = outPath;
    this.#path = fileWork(outPath, () => makePart(outPath));
  }

  /** The file, with empty tables. */
  open(): Database {
    const database = openAttaching(this.#path);
    this.#database = database;
    // Nobody else knows this file, and after a failure it is thrown away: it needs no journal of its own.
    for (const setting of [
      "journal_mode = off",
      "synchronous = off",
      `application_id = ${BACKUP_APPLICATION_ID}`,
      `user_version = ${BACKUP_FORMAT}`,
      "busy_timeout = 5000",
    ])
      database.run(`pragma ${setting}`);
    makeBackupTables(database, this.#about);
    return database;
  }

  /** Seals the open file with the digest of its rows, and puts it in its place. */
  finish(database: Database): BackupDescription {
    const about = this.#about;
    const { digest } = digestOf(database, about);
    database
      .query("insert into backup (made_at_ms, store_version, keys_version, digest) values (?, ?, ?, ?)")
      .run(about.madeAtMs, about.storeVersion, about.keysVersion, digest);
    if (database.inTransaction) database.run("commit");
    this.#close();
    const description = verifyBackup(this.#path);
    fileWork(this.#outPath, () => placePart(this.#path, this.#outPath));
    return description;
  }

  #close(): void {
    this.#database?.close();
    this.#database = null;
  }

  /** Removes what is left of the file: nothing, once it is in its place. */
  discard(): void {
    this.#close();
    removeDatabase(this.#path);
  }
}

function refuseToReplace(outPath: string, stores: readonly string[]): void {
  if (!existsSync(outPath)) return;
  const isStore = stores.some((path) => existsSync(path) && realpathSync(path) === realpathSync(outPath));
  if (isStore || !isBackup(outPath)) {
    throw new StoreRefusal(
      `${outPath} is there already and is not a backup`,
      "choose another name, it will not be overwritten",
    );
  }
}
