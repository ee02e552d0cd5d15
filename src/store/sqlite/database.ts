// Opens the embedded store's files, and maps SQLite's error codes to errors that say what to do.
import { Database, SQLiteError, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { closeSync, existsSync, openSync, readSync, rmSync } from "node:fs";
import { LRUCache } from "lru-cache";
import type { Sql } from "sql-template-tag";
import type { WriterOptions } from "../engine.ts";
import { NewerStore } from "../engine.ts";
import { type Remains, StoreRefusal, StoreUnavailable } from "../store.ts";

/** Marks a file as ours ("ROLL"), so that another program's database is never written to. */
const APPLICATION_ID = 0x524f4c4c;
/** Marks a file as a backup ("RolB"): it is not served as a store, and not mistaken for another program's file. */
export const BACKUP_ID = 0x526f6c42;

export interface StoreFile {
  readonly path: string;
  readonly migrations: readonly string[];
  /** What code does of a migration, by the version whose statements ran just before. */
  readonly conversions?: ReadonlyMap<number, (database: Database) => void>;
}

/** How long a statement of a writer waits for another process's lock. */
export const BUSY_TIMEOUT_MS = 5000;

/** The keys live beside the store. */
export function keysPath(path: string): string {
  return `${path}-keys`;
}

/** What to do about a file that is not ours. */
function foreignAdvice(path: string): string {
  return path.endsWith(keysPath("")) ? MISSING_KEYS_ADVICE : "name another file with --db";
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
        foreignAdvice(path),
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
          "set TMPDIR to one that can",
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

/** SQLite does not tell which file found no room: the store, or a temporary one, which may be on another disk. */
function full(path: string, cause: ErrorOptions): StoreRefusal {
  return new StoreRefusal(
    `The disk that holds ${path} is full. Nothing was changed`,
    "free some space and try again. If it has space, the disk of temporary files is full: set TMPDIR to a folder elsewhere",
    cause,
  );
}

export function pragma(database: Database, name: string): number {
  const row = database.query(`pragma ${name}`).values()[0];
  return Number(row?.[0] ?? 0);
}

/** The version of the file's schema. Raises StoreRefusal for a file that is not ours, and for an empty one, which may have been a store. */
export function schemaVersion(database: Database, file: StoreFile): number {
  const version = schemaVersionOrNone(database, file);
  if (version > 0) return version;
  throw new StoreRefusal(
    `${file.path} is empty: nothing of Rollcall is in it`,
    file.path.endsWith(keysPath(""))
      ? MISSING_KEYS_ADVICE
      : "if it was a store, bring back a backup with rollcall restore; else remove it",
  );
}

/** The same, but 0 for an empty file. */
function schemaVersionOrNone(database: Database, file: StoreFile): number {
  const application = pragma(database, "application_id");
  const version = pragma(database, "user_version");
  if (application === BACKUP_ID)
    throw new StoreRefusal(
      `${file.path} is a backup, not a store`,
      "make a store of it with rollcall restore",
    );
  if (application !== APPLICATION_ID && (application !== 0 || pragma(database, "schema_version") !== 0)) {
    throw new StoreRefusal(`${file.path} is a database of another program`, foreignAdvice(file.path));
  }
  if (version > file.migrations.length) throw new NewerStore(file.path, version, file.migrations.length);
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

/** Raises StoreRefusal where the file has not the schema of this version. */
export function requireCurrent(database: Database, file: StoreFile): void {
  const version = schemaVersion(database, file);
  if (version < file.migrations.length) {
    throw new StoreRefusal(
      `${file.path} has schema version ${version}, this Rollcall needs ${file.migrations.length}`,
      "run rollcall migrate",
    );
  }
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
      const version = (options.create ? schemaVersionOrNone : schemaVersion)(database, file);
      database.run("pragma journal_mode = wal");
      database.run("pragma synchronous = full");
      database.run("pragma secure_delete = on");
      if (version === 0 || options.migrate) migrate(database, file);
      requireCurrent(database, file);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
}

/** Makes the empty file, readable by its owner only; the log beside it inherits that. SQLite reports what fails here. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

function migrate(database: Database, file: StoreFile): void {
  const before = schemaVersionOrNone(database, file);
  database
    .transaction(() => {
      for (let version = schemaVersionOrNone(database, file); version < file.migrations.length; version++) {
        database.run(file.migrations[version]!);
        file.conversions?.get(version + 1)?.(database);
        database.run(`pragma user_version = ${version + 1}`);
      }
      database.run(`pragma application_id = ${APPLICATION_ID}`);
    })
    .immediate();
  if (before > 0 && before < file.migrations.length) freeSpace(database);
}

/** Rewrites the file if a quarter of it is free. Returns whether it was rewritten: not if the disk has no room for another copy. */
export function freeSpace(database: Database): boolean {
  return (
    pragma(database, "freelist_count") * 4 >= pragma(database, "page_count") && vacuum(database).isErased
  );
}

/** Rewrites the file as a whole, unless another process writes, or the disk has no room for another copy. */
export function vacuum(database: Database): Remains {
  try {
    database.run("vacuum");
    return { isErased: true };
  } catch (error) {
    return notCleared(error);
  }
}

/** What remains after an error of SQLite's; any other is raised. */
export function notCleared(error: unknown): Remains {
  if (!(error instanceof SQLiteError)) throw error;
  return { isErased: false, until: "cleared", because: error.message };
}

/**
 * Moves the log's contents into the database and empties the log, so that no removed row stays in it. Waits for readers up to
 * `waitMs`. What stays in the log where they read on, or the disk is full, the next writer moves.
 */
export function emptyLog(database: Database, waitMs: number): Remains {
  database.run(`pragma busy_timeout = ${waitMs}`);
  try {
    const [row] = database.query("pragma wal_checkpoint(truncate)").values(); // busy, frames, frames moved
    return row?.[0] === 0 ? { isErased: true } : { isErased: false, until: "readersEnd" };
  } catch (error) {
    return notCleared(error);
  } finally {
    database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** An empty file beside the store: rows were removed or changed, and the store's file was not cleared of them since. */
export function erasureMark(path: string): string {
  return `${path}-erase`;
}

/** Before a transaction is committed. */
export function markForErasure(path: string): void {
  makePrivate(erasureMark(path));
}

export function isMarkedForErasure(path: string): boolean {
  return existsSync(erasureMark(path));
}

export function removeErasureMark(path: string): void {
  rmSync(erasureMark(path), { force: true });
}

/** Quoted texts, which stay, and places for values. */
const QUOTED_OR_PLACE = /'[^']*'|"[^"]*"|\?\d*/g;

/**
 * The statement with `+?` for each `?`. SQLite looks at the value of a `?` after `=` or `limit` when it plans, and so plans the
 * statement again each time another is bound, which takes longer than most of them run. It does not look behind a plus.
 */
function plannedOnce(text: string): string {
  return text.replace(QUOTED_OR_PLACE, (found) => (found.startsWith("?") ? `+${found}` : found));
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

  /** The rows of a query; `R` names what its text selects. */
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
}

// Tells by one short read that nobody has committed to a database in WAL mode since the last look.
//
// All connections share the index of the log, a file beside the database. Every commit rewrites the header at its start: a
// counter, the length of the log, its salts and checksums (https://www.sqlite.org/walformat.html, "The WAL-Index Header").
// While these bytes stay the same, what SQLite said last still holds. If they differ, SQLite is asked. So a change of the
// layout could cost time, but never give a stale response.

const HEADER_BYTES = 48;

export class CommitWatch {
  readonly #index: number | null;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #words = new Uint32Array(this.#header.buffer);
  readonly #seen = new Uint32Array(this.#words.length);

  /** Watches the database at `path`. This process must have it open and have read from it. */
  constructor(path: string) {
    this.#index = opened(`${path}-shm`);
  }

  /**
   * Whether nothing was committed since the last call. Call it before asking SQLite: then the next call notices a commit in
   * between.
   */
  isQuiet(): boolean {
    if (this.#index === null) return false;
    if (readSync(this.#index, this.#header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false;
    let isQuiet = true;
    for (let word = 0; word < this.#words.length; word++) {
      if (this.#seen[word] === this.#words[word]) continue;
      this.#seen[word] = this.#words[word]!;
      isQuiet = false;
    }
    return isQuiet;
  }
}

/**
 * Never closed. A process that closes any descriptor of a file loses all its locks on the file (POSIX), and SQLite holds one
 * while the database is open. Null if the database has no log.
 */
function opened(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch {
    return null;
  }
}
