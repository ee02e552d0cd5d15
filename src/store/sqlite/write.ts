// Writes the embedded store. It has one writer at a time, while readers go on undisturbed.
import { type Database, SQLiteError } from "bun:sqlite";
import { Mutex } from "async-mutex";
import sql, { type Sql } from "sql-template-tag";
import { beginChanges, ChangeNotes, EventNotes, lastNumber } from "../change-notes.ts";
import { StoredContents } from "../contents.ts";
import type { AddedSecrets, WriterOptions } from "../engine.ts";
import { Hooks, insertHook, type StoredHook } from "../hooks.ts";
import * as queries from "../queries.ts";
import { noteImport } from "../shared-reads.ts";
import {
  type Company,
  CompanyChanged,
  companyExists,
  DEFAULT_WAIT_MS,
  type Erasure,
  type ImportOutcome,
  type ImportSession,
  type ImportTransaction,
  type NewCompany,
  type SecretChange,
  type SecretTable,
  type StoredCalendar,
  type StoredKey,
  type StoreImportOptions,
  StoreRefusal,
  type StoreTransaction,
  StoreUnavailable,
  stillHeld,
  unknownCompany,
  type Waiting,
  type WriteStore,
} from "../store.ts";
import { type Execute, KINDS, type Kind, OWNED_TABLES, type Rows } from "../tables.ts";
import {
  BUSY_TIMEOUT_MS,
  DamagedStore,
  failure,
  keysPath,
  mapError,
  openWriter,
  requireCurrent,
  Statements,
  type StoreFile,
} from "./database.ts";
import { erase, noteRemoval } from "./erasure.ts";
import { dropIndexes, dropInsertTrigger } from "./first-load.ts";
import { afterTheData, SqliteKeyWriter } from "./keys.ts";
import { insertBuckets } from "./rows.ts";
import { STORE_SCHEMA } from "./schema.ts";
import { SqliteStaging } from "./staging.ts";
import { removeDatabase } from "./temporary-file.ts";
import { SqliteImportTransaction } from "./transaction.ts";

/** How long to wait before trying again while another process writes. */
const RETRY_MS = 100;

/** How long a transaction waits for readers before it empties the log. Servers read for milliseconds, an export may for minutes. */
const READERS_WAIT_MS = 2000;

/** Page cache of a writing connection. What exceeds it spills to the log, so memory stays flat; more was not faster. */
const WRITE_CACHE_KIB = 8_192;

/** Opens the embedded store at `path` for writing. Raises StoreRefusal if it is missing or not of this version. */
export function openSqliteWriteStore(path: string, options: WriterOptions = {}): WriteStore {
  return new SqliteWriteStore(path, options);
}

class SqliteWriteStore extends StoredContents implements WriteStore {
  readonly #path: string;
  readonly #file: StoreFile;
  readonly #statements: Statements;
  readonly #keys: SqliteKeyWriter;
  readonly #read: Execute;
  #erasure: Erasure = { isErased: true };
  /** The connection can hold only one transaction. */
  readonly #mutex = new Mutex();

  constructor(path: string, options: WriterOptions) {
    const file: StoreFile = { path, schema: STORE_SCHEMA };
    const database = openWriter(file, options);
    mapError(path, () => database.run(`pragma cache_size = -${WRITE_CACHE_KIB}`));
    const statements = new Statements(database);
    const keys = new SqliteKeyWriter(path);
    const read: Execute = async (query) => mapError(path, () => statements.all(query));
    super(read, async (query) => keys.run(query));
    this.#read = read;
    this.#path = path;
    this.#file = file;
    this.#statements = statements;
    this.#keys = keys;
  }

  async createCompany(company: NewCompany): Promise<void> {
    this.#keys.requireUsable();
    await this.#write(async () => {
      if (this.#hasCompany(company.id)) throw companyExists(company.id);
      // A deletion that failed may have left keys and feeds of an older company with this id.
      if ((await this.keys(company.id)).length + (await this.feeds(company.id)).length > 0)
        this.#keys.removeCompany(company.id);
      this.#statements.all(queries.putCompany(company, queries.newRevision(Date.now())));
      this.#statements.all(beginChanges(company.id));
    });
  }

  #hasCompany(id: string): boolean {
    return this.#statements.all(sql`select 1 from companies where id = ${id}`).length > 0;
  }

  async deleteCompany(id: string, waiting: Waiting = {}): Promise<Erasure | null> {
    this.#keys.requireUsable();
    const isKnown = await this.#write(() => {
      if (!this.#hasCompany(id)) return false;
      this.#removeCompany(id);
      noteRemoval(this.#statements);
      return true;
    }, waiting);
    // An interrupted deletion left keys and feeds: this one finishes it.
    if (!isKnown && !this.#keys.companyIds().includes(id)) return null;
    const ofKeys = this.#removeKeys(id, isKnown);
    return this.#erasure.isErased ? ofKeys : this.#erasure;
  }

  /** Removes keys and feeds, after the facts: a failure before changes nothing, and a key or feed without its company opens nothing. */
  #removeKeys(companyId: string, isDeleted: boolean): Erasure {
    try {
      return this.#keys.removeCompany(companyId);
    } catch (error) {
      if (!isDeleted || !(error instanceof StoreRefusal || error instanceof StoreUnavailable)) throw error;
      throw new StoreUnavailable(
        `The company was deleted, but not its keys and feeds, which open nothing any more (${error.problem})`,
        "delete it again",
        { cause: error },
      );
    }
  }

  #removeCompany(id: string): void {
    this.#statements.all(sql`update companies set revision = 0 where id = ${id}`); // so that no history is written
    for (const table of OWNED_TABLES)
      this.#statements.prepare(`delete from ${table} where company_id = ?`).run(id);
    this.#statements.all(sql`delete from companies where id = ${id}`);
  }

  async createSecret(secret: StoredKey | StoredCalendar): Promise<void> {
    this.#requireCompany(secret.companyId);
    this.#keys.create(secret);
  }

  async updateSecret(table: SecretTable, id: string, change: SecretChange): Promise<boolean> {
    return this.#keys.update(table, id, change);
  }

  async createHook(hook: StoredHook): Promise<void> {
    this.#requireCompany(hook.companyId);
    const { number } = await lastNumber(this.#read, this.#keys.readHooks, hook.companyId);
    this.#keys.run(insertHook({ ...hook, sentNumber: number }));
  }

  get hooks(): Hooks {
    const { readHooks } = this.#keys;
    return new Hooks({
      readHooks,
      writeHooks: readHooks,
      readNotes: this.#read,
      removeNotes: async () => [],
    });
  }

  #requireCompany(id: string): void {
    if (!mapError(this.#path, () => this.#hasCompany(id))) throw unknownCompany(id);
  }

  async change<T>(
    companyId: string,
    work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>,
    { isQuiet = false, ...waiting }: StoreImportOptions = {},
  ): Promise<T> {
    return this.#write(() => this.#importInto(companyId, work, isQuiet), waiting);
  }

  async stage<T>(
    companyId: string,
    work: (session: ImportSession) => Promise<T>,
    { isQuiet = false, ...waiting }: StoreImportOptions = {},
  ): Promise<T> {
    if (this.#mutex.isLocked()) waiting.onWait?.(null);
    return this.#mutex.runExclusive(async () => {
      this.#requireCompany(companyId);
      const state = this.#stateOf(companyId);
      const requireUnchanged = async () => {
        if (this.#stateOf(companyId) !== state) throw new CompanyChanged();
      };
      const hold: ImportSession["hold"] = (write) =>
        this.#transact(async () => {
          await requireUnchanged();
          return this.#importInto(companyId, write, isQuiet);
        }, waiting);
      const staging = new SqliteStaging(this.#path, this.#statements, companyId, hold, requireUnchanged);
      try {
        return await work(staging);
      } finally {
        staging.drop();
      }
    });
  }

  /** A text that changes when anybody changes the company or its digests. */
  #stateOf(companyId: string): string {
    return JSON.stringify(mapError(this.#path, () => this.#statements.all(queries.companyState(companyId))));
  }

  /** Runs an import within a transaction that has begun. */
  async #importInto<T>(
    companyId: string,
    work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>,
    isQuiet: boolean,
  ): Promise<Outcome<T>> {
    if (!this.#hasCompany(companyId)) throw unknownCompany(companyId);
    const events = await this.#eventNotes(companyId, isQuiet);
    const notes = await ChangeNotes.begin(this.#execute, companyId, events);
    const transaction = new SqliteImportTransaction(this.#statements, companyId, notes);
    const outcome = await work(transaction);
    if (!outcome.commit) return new Rollback(outcome.result);
    await transaction.end(outcome);
    if (transaction.hasRemovedPeople || notes.hasForgotten || outcome.hasErased === true)
      noteRemoval(this.#statements);
    return outcome.result;
  }

  async noteFailedImport(companyId: string, record: string): Promise<boolean> {
    if (this.#mutex.isLocked()) return false;
    const { database } = this.#statements;
    database.run("pragma busy_timeout = 0");
    try {
      database.run("begin immediate");
      return await this.#commit(() => noteImport(this.#execute, companyId, record, true));
    } catch (error) {
      if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY")) return false;
      throw error instanceof SQLiteError ? failure(this.#path, error) : error;
    } finally {
      database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  erasure(): Erasure {
    return this.#erasure;
  }

  /** See `Store.replace`. `isNew`: no other process knows the store, and it is deleted after a failure. */
  async replace(
    work: (transaction: StoreTransaction) => Promise<void>,
    { isNew, ...waiting }: { readonly isNew: boolean } & Waiting,
  ): Promise<AddedSecrets> {
    const { database } = this.#statements;
    this.#keys.requireUsable();
    if (isNew) {
      for (const setting of ["journal_mode = delete", "journal_mode = off", "synchronous = off"])
        database.run(`pragma ${setting}`);
    }
    const gone: string[] = [];
    let keys: readonly StoredKey[] = [];
    let feeds: readonly StoredCalendar[] = [];
    const transactions: SqliteImportTransaction[] = [];
    const noted: ChangeNotes[] = [];
    await this.#write(async () => {
      // Rows come in key order. Indexes and time buckets are made afterwards, which is far faster: entries are sorted first.
      const tables = isNew ? [...KINDS, "request_buckets"] : [];
      const dropped = tables.flatMap((table) => dropIndexes(database, table));
      if (isNew) dropped.push(...KINDS.flatMap((kind) => dropInsertTrigger(database, kind)));
      await work({
        companiesBefore: this.#statements.all<Company>(queries.companies()).map(({ id }) => id),
        putCompany: async (company) => this.#putCompany(company),
        removeCompany: async (id) => {
          this.#removeCompany(id);
          gone.push(id);
        },
        rows: async (companyId) => {
          const notes = await ChangeNotes.begin(
            this.#execute,
            companyId,
            await this.#eventNotes(companyId, true),
          );
          noted.push(notes);
          const transaction = new SqliteImportTransaction(this.#statements, companyId, notes, !isNew);
          transactions.push(transaction);
          return transaction;
        },
        addSecrets: async (...added) => {
          [keys, feeds] = added;
        },
      });
      // Also removes keys and feeds that an interrupted restore left.
      gone.push(...this.#keys.companyIds().filter((id) => !this.#hasCompany(id)));
      for (const notes of noted) await notes.end(Date.now());
      this.#statements.finalize();
      if (isNew) {
        for (const text of [insertBuckets("requests"), ...dropped]) database.run(text);
        return;
      }
      requireSound(this.#path, database);
      const hasRemoved =
        transactions.some((transaction) => transaction.hasRemovedPeople) ||
        noted.some((notes) => notes.hasForgotten);
      if (gone.length > 0 || hasRemoved) noteRemoval(this.#statements);
    }, waiting);
    const replaceKeys = () => this.#keys.replaceCompanies(gone, keys, feeds);
    return isNew ? replaceKeys() : afterTheData(replaceKeys);
  }

  #eventNotes(companyId: string, isQuiet: boolean): Promise<EventNotes | null> {
    const now = { companyId, nowMs: Date.now(), isQuiet };
    return EventNotes.begin(this.#execute, this.#keys.readHooks, now);
  }

  #putCompany(company: Company): void {
    const revision = queries.newRevision(Date.now());
    this.#statements.all(queries.putCompany(company, revision, queries.REPLACE_COMPANY));
    this.#statements.all(beginChanges(company.id));
  }

  readonly #execute = async <R>(query: Sql): Promise<R[]> => this.#statements.all<R>(query);

  override async export(
    companyId: string,
    visit: <K extends Kind>(kind: K, rows: readonly Rows[K][]) => Promise<void>,
  ): Promise<void> {
    await this.#mutex.runExclusive(async () => {
      const { database } = this.#statements;
      mapError(this.#path, () => database.run("begin"));
      try {
        await super.export(companyId, visit);
      } finally {
        this.#statements.finalize();
        database.run("rollback");
        erase(this.#statements, 0); // its snapshot may have kept an import from emptying the log
      }
    });
  }

  /** Waits for other writers, runs `work` in one transaction, then rewrites the files if rows of people were removed. */
  async #write<T>(work: () => Outcome<T> | Promise<Outcome<T>>, waiting: Waiting = {}): Promise<T> {
    const mustWait = this.#mutex.isLocked();
    if (mustWait) waiting.onWait?.(null);
    const rest = mustWait ? { waitMs: waiting.waitMs } : waiting;
    return this.#mutex.runExclusive(() => this.#transact(work, rest));
  }

  /** As `#write`, for a caller that holds the mutex. */
  async #transact<T>(work: () => Outcome<T> | Promise<Outcome<T>>, waiting: Waiting): Promise<T> {
    try {
      await this.#begin(waiting);
      try {
        return await this.#commit(work);
      } finally {
        this.#erasure = erase(this.#statements, READERS_WAIT_MS);
      }
    } catch (error) {
      throw error instanceof SQLiteError ? failure(this.#path, error) : error;
    }
  }

  async #commit<T>(work: () => Outcome<T> | Promise<Outcome<T>>): Promise<T> {
    const { database } = this.#statements;
    try {
      requireCurrent(database, this.#file); // whoever held the lock may have migrated
      const result = await work();
      database.run(result instanceof Rollback ? "rollback" : "commit");
      return result instanceof Rollback ? result.result : result;
    } catch (error) {
      if (database.inTransaction) database.run("rollback");
      throw error;
    }
  }

  /** Begins a transaction once nobody else writes. SQLite does not tell who does. */
  async #begin({ onWait, waitMs = DEFAULT_WAIT_MS }: Waiting): Promise<void> {
    const { database } = this.#statements;
    const endMs = performance.now() + waitMs;
    database.run("pragma busy_timeout = 0");
    for (let tries = 0; ; tries++) {
      try {
        database.run("begin immediate");
        database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
        return;
      } catch (error) {
        if (!(error instanceof SQLiteError) || !error.code?.startsWith("SQLITE_BUSY")) throw error;
        if (tries === 1) onWait?.(null);
        if (performance.now() >= endMs) throw stillHeld(this.#path, waitMs, null, "end that command");
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  async close(): Promise<void> {
    this.#statements.close();
    this.#keys.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Raises DamagedStore for a file that is damaged in another part: it would lose the new rows sooner or later. */
function requireSound(path: string, database: Database): void {
  const result = database.query("pragma main.integrity_check(1)").values()[0]?.[0];
  if (result !== "ok") throw new DamagedStore(`${path} is damaged (${result})`, "run rollcall doctor");
}

/** Replaces the contents of the store at `path`. Raises DamagedStore if its file is damaged. */
export async function replaceInStore(
  path: string,
  work: (transaction: StoreTransaction) => Promise<void>,
  waiting: Waiting,
): Promise<AddedSecrets> {
  await using store = new SqliteWriteStore(path, { create: true }); // also in a file that has become empty
  return await store.replace(work, { isNew: false, ...waiting });
}

/** Makes a store, with its keys beside it, at the path of an empty file that nobody else uses. */
export async function fillNewStore(
  path: string,
  work: (transaction: StoreTransaction) => Promise<void>,
): Promise<AddedSecrets> {
  removeDatabase(keysPath(path));
  let added: AddedSecrets;
  {
    await using store = new SqliteWriteStore(path, { create: true });
    added = await store.replace(work, { isNew: true });
  }
  openWriter({ path, schema: STORE_SCHEMA }, {}).close(); // turns the log on
  return added;
}

/** The result of work whose writes are to be rolled back. */
class Rollback<T> {
  constructor(readonly result: T) {}
}

type Outcome<T> = T | Rollback<T>;
