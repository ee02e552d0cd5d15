// Opens the embedded store's files, and maps SQLite's error codes to errors that say what to do.
import { Database, SQLiteError, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { LRUCache } from "lru-cache";
import type { Sql } from "sql-template-tag";
import { formVersion, OlderStore, requireForm, type WriterOptions } from "../engine.ts";
import { type Erasure, StoreRefusal, StoreUnavailable } from "../store.ts";

/** Marks a file as ours ("Roll"), so that another program's database is never written to. */
const APPLICATION_ID = 0x526f6c6c;
/** Marks files of versions before 1.0. */
const OLDER_APPLICATION_ID = 0x524f4c4c;
/** The number of the format of our files. A released version that changes their tables raises it. */
const FORMAT = 1;

/** The `user_version` of a file with these tables. */
export const versionOf = (schema: string) => formVersion(FORMAT, schema);
/** Marks a file as a backup ("RolB"): it is not served as a store, and not mistaken for another program's file. */
export const BACKUP_ID = 0x526f6c42;

export interface StoreFile {
  readonly path: string;
  /** The statements that make its tables. */
  readonly schema: string;
}

/** How long a statement of a writer waits for another process's lock. */
export const BUSY_TIMEOUT_MS = 5000;

/** A page holds at least four rows of a table without rowids: SQLite puts the rest of a longer row on a page of its own. */
export const PAGE_BYTES = 8192;

/** The keys live beside the store. */
export function keysPath(path: string): string {
  return `${path}-keys`;
}

const MISSING_KEYS_ADVICE =
  "it should hold the store's keys and calendar feeds: put it back, or move it away. Then rollcall restore brings back those of a backup, and rollcall keys create makes new ones";

/** Runs `work`; SQLite's own errors become a StoreUnavailable that keeps them as its cause. */
export function mapError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    throw failure(path, error);
  }
}

/** The StoreRefusal or StoreUnavailable for one of SQLite's errors. */
export function failure(path: string, error: SQLiteError): Error {
  const cause = { cause: error };
  switch (error.code?.split("_").slice(0, 2).join("_")) {
    case "SQLITE_NOTADB":
      return new StoreRefusal(
        `${path} is not a Rollcall store (nor any SQLite database)`,
        path.endsWith(keysPath(""))
          ? MISSING_KEYS_ADVICE
          : "name another file with --db; if it is a backup, make a store of it with rollcall restore",
        cause,
      );
    case "SQLITE_CANTOPEN":
      return new StoreUnavailable(
        `${path} cannot be opened`,
        "check that the folder exists, that you may read it and write to it, and that its disk is not read-only",
        cause,
      );
    case "SQLITE_READONLY":
      return new StoreRefusal(
        `${path} cannot be written to`,
        "check the permissions of the file and of its folder",
        cause,
      );
    case "SQLITE_FULL":
      return full(path, cause);
    case "SQLITE_IOERR":
      // The index of the log could not be made longer.
      if (error.code === "SQLITE_IOERR_SHMSIZE") return full(path, cause);
      if (error.code === "SQLITE_IOERR_GETTEMPPATH")
        return new StoreRefusal(
          "There is no folder for temporary files that can be written to",
          "set SQLITE_TMPDIR to one that can",
          cause,
        );
      return new StoreUnavailable(
        `${path} cannot be read or written (${error.code})`,
        "check the disk, then run rollcall doctor",
        cause,
      );
    case "SQLITE_CORRUPT":
      return new StoreUnavailable(`${path} is damaged`, "run rollcall doctor, and restore a backup", cause);
    case "SQLITE_BUSY":
      return new StoreUnavailable(
        `${path} is in use by another process`,
        "try again when that is done",
        cause,
      );
    default:
      return new StoreUnavailable(`${path} failed (${error.code ?? "unknown"})`, null, cause);
  }
}

/** SQLite does not tell which disk is full: that of the store, or that of temporary files. */
function full(path: string, cause: ErrorOptions): StoreRefusal {
  return new StoreRefusal(
    `The disk that holds ${path} is full. Nothing was changed`,
    `free some space and try again. If it has space, the disk of temporary files (${temporaryFolder()}) is full: set SQLITE_TMPDIR to a folder elsewhere`,
    cause,
  );
}

export function fullOfTemporaryFiles(cause: Error): StoreRefusal {
  return new StoreRefusal(
    `The disk of temporary files (${temporaryFolder()}) is full. Nothing was changed`,
    "free some space there, or set SQLITE_TMPDIR to a folder on another disk, and try again",
    { cause },
  );
}

/** The folder of SQLite's temporary files: the first that can be written (https://www.sqlite.org/tempfiles.html, section 5). */
export function temporaryFolder(): string {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const folders = [SQLITE_TMPDIR, TMPDIR, "/var/tmp", "/usr/tmp", "/tmp"];
  return folders.find((folder) => folder !== undefined && isWritable(folder)) ?? ".";
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function pragma(database: Database, name: string): number {
  const row = database.query(`pragma ${name}`).values()[0];
  return Number(row?.[0] ?? 0);
}

/** Raises StoreRefusal unless the file is ours and of this version. Also for an empty file, which may have been a store. */
export function requireCurrent(database: Database, file: StoreFile): void {
  if (formVersionOf(database, file) !== 0) return;
  throw new StoreRefusal(
    `${file.path} is empty: nothing of Rollcall is in it`,
    file.path.endsWith(keysPath(""))
      ? MISSING_KEYS_ADVICE
      : "if it was a store, bring back a backup with rollcall restore; else remove it",
  );
}

/** The `user_version` of a file that is ours and of this version; 0 for an empty file. Raises StoreRefusal for any other. */
function formVersionOf(database: Database, file: StoreFile): number {
  const application = pragma(database, "application_id");
  if (application === BACKUP_ID)
    throw new StoreRefusal(
      `${file.path} is a backup, not a store`,
      "make a store of it with rollcall restore",
    );
  if (application === OLDER_APPLICATION_ID) throw new OlderStore(file.path);
  if (application === 0 && pragma(database, "schema_version") === 0) return 0;
  if (application !== APPLICATION_ID)
    throw new StoreRefusal(
      `${file.path} is a database of another program`,
      file.path.endsWith(keysPath("")) ? MISSING_KEYS_ADVICE : "name another file with --db",
    );
  const version = pragma(database, "user_version");
  requireForm(file.path, version, versionOf(file.schema));
  return version;
}

function missing(path: string): StoreRefusal {
  return new StoreRefusal(
    `There is no store at ${path}`,
    "make one with rollcall companies create <id>, or name another store",
  );
}

/** Opens a file for reading. Raises StoreRefusal or StoreUnavailable with what to do. */
export function openReader(file: StoreFile): Database {
  if (!existsSync(file.path)) throw missing(file.path);
  return mapError(file.path, () => {
    const database = new Database(file.path, { readonly: true });
    try {
      database.run("pragma busy_timeout = 2000");
      requireCurrent(database, file);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
}

/** Opens a file for writing. Raises StoreRefusal or StoreUnavailable with what to do. */
export function openWriter(file: StoreFile, options: WriterOptions): Database {
  const isNew = !existsSync(file.path);
  if (isNew && !options.create) throw missing(file.path);
  if (isNew) makePrivate(file.path);
  return mapError(file.path, () => {
    const database = new Database(file.path, { readwrite: true, create: true });
    try {
      database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
      if (!options.create) requireCurrent(database, file);
      const isEmpty = formVersionOf(database, file) === 0;
      const lack = isEmpty ? null : lackOfParts(database, file);
      if (lack !== null) throw lack;
      database.run(`pragma page_size = ${PAGE_BYTES}`); // only for an empty file: a file with tables keeps its own
      database.run("pragma journal_mode = wal");
      database.run("pragma synchronous = full");
      database.run("pragma secure_delete = on");
      if (isEmpty) makeTables(database, file);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
}

/** A file that cannot be written to: a part of it is damaged or missing. */
export class DamagedStore extends StoreUnavailable {}

/** The error of a file in which somebody removed a table, an index, or a trigger that writes the history; null if it has all. */
export function lackOfParts(database: Database, { path, schema }: StoreFile): DamagedStore | null {
  const parts = schema.matchAll(/create (unique index|index|table|trigger) (\w+)/g);
  const stored = new Set(database.query("select name from sqlite_schema").values().flat());
  const missing = [...parts].filter(([, , name]) => !stored.has(name!));
  if (missing.length === 0) return null;
  return new DamagedStore(
    `${path} lacks parts of its store: ${missing.map(([, kind, name]) => `the ${kind} ${name}`).join(", ")}`,
    "bring back a backup from before: rollcall restore <file> --yes",
  );
}

/** Makes the empty file, readable by its owner only; the log beside it inherits that. SQLite reports what fails here. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

/** Makes the tables, unless another process has just made them. */
function makeTables(database: Database, file: StoreFile): void {
  database
    .transaction(() => {
      if (formVersionOf(database, file) !== 0) return;
      database.run(file.schema);
      database.run(`pragma application_id = ${APPLICATION_ID}`);
      database.run(`pragma user_version = ${versionOf(file.schema)}`);
    })
    .immediate();
}

/** Runs work that erases removed rows. Waits for others up to `waitMs`. After an error of SQLite, the next import erases them. */
export function unlessBusy(database: Database, waitMs: number, work: () => Erasure): Erasure {
  database.run(`pragma busy_timeout = ${waitMs}`);
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    return { isErased: false, until: "nextImport", because: error.message };
  } finally {
    database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Moves the log into the database and empties it. If others read the log, the next writer does it. */
export function emptyLog(database: Database): Erasure {
  const [row] = database.query("pragma wal_checkpoint(truncate)").values(); // busy, frames, frames moved
  return row?.[0] === 0 ? { isErased: true } : { isErased: false, until: "readersEnd" };
}

/** Quoted texts, which are left as they are, and placeholders. */
const QUOTED_OR_PLACEHOLDER = /'[^']*'|"[^"]*"|\?\d*/g;

/**
 * The statement with `+?` for each `?`. SQLite plans a statement again when a `?` after `=` or `limit` gets another value, which takes
 * longer than most statements run. It ignores values behind a plus.
 */
function plannedOnce(text: string): string {
  return text.replace(QUOTED_OR_PLACEHOLDER, (match) => (match.startsWith("?") ? `+${match}` : match));
}

/** How many prepared statements a connection caches. */
const PREPARED_MAX = 500;

/** A database with its prepared statements, cached by their text. */
export class Statements {
  readonly #prepared = new LRUCache<string, Statement>({
    max: PREPARED_MAX,
    dispose: (statement) => statement.finalize(),
  });

  constructor(readonly database: Database) {}

  prepare(text: string): Statement {
    let statement = this.#prepared.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(plannedOnce(text));
      this.#prepared.set(text, statement);
    }
    return statement;
  }

  /** The rows of a query. `R` is the type of its selection. */
  all<R>(query: Sql): R[] {
    return this.prepare(query.sql).all(...(query.values as SQLQueryBindings[])) as R[]; // bound values are strings and numbers
  }

  finalize(): void {
    this.#prepared.clear();
  }

  close(): void {
    this.finalize();
    this.database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
