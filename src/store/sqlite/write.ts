// Writing the embedded store. It has one writer at a time: an import holds it, readers go on undisturbed.
import { type Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { Mutex } from "async-mutex";
import sql, { type Sql } from "sql-template-tag";
import type { AddedSecrets, WriterOptions } from "../engine.ts";
import { beginFeed, FEED_TABLES, FeedNotes } from "../feed-notes.ts";
import * as queries from "../queries.ts";
import {
  type Company,
  type ImportOutcome,
  type ImportTransaction,
  type KindSize,
  type LastImports,
  type NewCompany,
  type Remains,
  type SecretChange,
  type StoredFeed,
  type StoredKey,
  type StoreImportOptions,
  StoreRefusal,
  type StoreTransaction,
  StoreUnavailable,
  takenCompany,
  unknownCompany,
  type WriteStore,
} from "../store.ts";
import { FACT_KINDS, type FactKind, type Rows } from "../tables.ts";
import type { SidePlace } from "../thread/messages.ts";
import { importInThread } from "../thread/remote.ts";
import { removeDatabase } from "./backup/temporary-file.ts";
import { companiesOf } from "./contents.ts";
import {
  BUSY_TIMEOUT_MS,
  failure,
  keysPath,
  mapError,
  openReader,
  openWriter,
  requireCurrent,
  Statements,
  type StoreFile,
} from "./database.ts";
import { clearStore, Eraser } from "./erasure.ts";
import { openSideFile, releaseSidePlace } from "./first-load.ts";
import { afterTheData, SqliteKeyWriter } from "./keys.ts";
import { expanded, isCompacted, type StoredDoc } from "./layout/documents.ts";
import { companyNumber, idOf, numberCompany, removeNumbers } from "./layout/numbers.ts";
import { ASSIGNMENT_PAIRS, hasNumber, type StoredCompany } from "./layout/rows.ts";
import { CONVERSIONS, MIGRATIONS } from "./schema.ts";
import { isLarge, THREAD_ENTRY } from "./thread/start.ts";
import { SqliteImportTransaction, scanRows } from "./transaction.ts";

/** How long to wait before trying again while another process writes. */
const RETRY_MS = 100;

/** How long a deletion waits for readers, so that the log can be emptied of what was deleted. */
const DELETE_CHECKPOINT_MS = 5000;

/** The same after an import that changed something: servers read for milliseconds, an export may read for minutes. */
const IMPORT_CHECKPOINT_MS = 2000;

/** Page cache of a writing connection; what exceeds it spills to disk, so memory stays flat. */
const WRITE_CACHE_KIB = 32_768;

/** Opens the embedded store at `path` for writing. Raises StoreRefusal where it is missing or not of this version. */
export function openSqliteWriteStore(path: string, options: WriterOptions = {}): WriteStore {
  return new SqliteWriteStore(path, options);
}

class SqliteWriteStore implements WriteStore {
  readonly #path: string;
  readonly #file: StoreFile;
  readonly #statements: Statements;
  readonly #keys: SqliteKeyWriter;
  readonly #eraser: Eraser;
  #remains: Remains = { isErased: true };
  /** The connection can hold only one transaction. */
  readonly #mutex = new Mutex();

  constructor(path: string, options: WriterOptions) {
    this.#path = path;
    this.#file = { path, migrations: MIGRATIONS, conversions: CONVERSIONS };
    const database = openWriter(this.#file, options);
    database.run(`pragma cache_size = -${WRITE_CACHE_KIB}`);
    this.#statements = new Statements(database);
    this.#eraser = new Eraser(path, this.#statements);
    this.#keys = new SqliteKeyWriter(path);
    if (options.migrate && existsSync(keysPath(path))) this.#keys.migrate();
    if (options.migrate) this.#eraser.eraseAll(IMPORT_CHECKPOINT_MS);
  }

  async createCompany(company: NewCompany): Promise<void> {
    this.#keys.requireUsable();
    await this.#write(() => {
      if (this.#hasCompany(company.id)) throw takenCompany(company.id);
      // A deletion that failed may have left keys and feeds of an older company with this id.
      if (this.#keys.keys(company.id).length + this.#keys.feeds(company.id).length > 0)
        this.#keys.removeCompany(company.id);
      this.#statements.all(queries.putCompany(company, queries.newRevision(Date.now())));
      numberCompany(this.#statements, company.id);
      this.#statements.all(beginFeed(company.id));
    });
    this.#eraser.erase(IMPORT_CHECKPOINT_MS);
  }

  async companies(): Promise<Company[]> {
    return mapError(this.#path, () => companiesOf(this.#statements));
  }

  #hasCompany(id: string): boolean {
    return this.#statements.all(sql`select 1 from companies where id = ${id}`).length > 0;
  }

  async deleteCompany(id: string): Promise<Remains | null> {
    this.#keys.requireUsable();
    const isKnown = await this.#write(() => {
      if (!this.#hasCompany(id)) return false;
      this.#removeFacts(id);
      this.#eraser.mark(true);
      return true;
    });
    const keysRemain = this.#removeKeys(id, isKnown);
    const remains = this.#eraser.erase(DELETE_CHECKPOINT_MS);
    if (!isKnown) return null;
    return remains.isErased ? keysRemain : remains;
  }

  /** Keys and feeds go after the facts: until then a failure changes nothing, and without its company a secret opens nothing. */
  #removeKeys(companyId: string, isDeleted: boolean): Remains {
    try {
      return this.#keys.removeCompany(companyId);
    } catch (error) {
      if (!isDeleted || !(error instanceof StoreRefusal || error instanceof StoreUnavailable)) throw error;
      throw new StoreUnavailable(
        `The company was deleted, but not its keys and feeds, which open nothing any more (${error.problem})`,
        `run rollcall companies create ${companyId} and delete it again`,
        { cause: error },
      );
    }
  }

  #removeFacts(companyId: string): void {
    const { number } = this.#stored(companyId);
    for (const kind of FACT_KINDS)
      this.#statements.prepare(`delete from ${kind} where company_id = ?`).run(number);
    for (const table of FEED_TABLES)
      this.#statements.prepare(`delete from ${table} where company_id = ?`).run(companyId);
    this.#statements.prepare("delete from worker_facts where company_id = ?").run(number);
    removeNumbers(this.#statements, number);
    this.#statements.all(sql`delete from companies where id = ${companyId}`);
  }

  /** How rows name a company that is there. */
  #stored(id: string): StoredCompany {
    return { id, number: companyNumber(this.#statements, id)! }; // each has one since it was made
  }

  async createKey(key: StoredKey): Promise<void> {
    this.#requireCompany(key.companyId);
    this.#keys.createKey(key);
  }

  async keys(companyId?: string): Promise<StoredKey[]> {
    return this.#keys.keys(companyId);
  }

  async updateKey(id: string, change: SecretChange): Promise<boolean> {
    return this.#keys.update("keys", id, change);
  }

  async createFeed(feed: StoredFeed): Promise<void> {
    this.#requireCompany(feed.companyId);
    this.#keys.createFeed(feed);
  }

  async feeds(companyId?: string): Promise<StoredFeed[]> {
    return this.#keys.feeds(companyId);
  }

  async updateFeed(id: string, change: SecretChange): Promise<boolean> {
    return this.#keys.update("feeds", id, change);
  }

  #requireCompany(id: string): void {
    if (!mapError(this.#path, () => this.#hasCompany(id))) throw unknownCompany(id);
  }

  async import<T>(
    companyId: string,
    work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>,
    { onWait, sourceBytes = 0 }: StoreImportOptions = {},
  ): Promise<T> {
    if (isLarge(sourceBytes) && this.#isWithoutRows(companyId))
      return this.#importInThread(companyId, work, onWait);
    const result = await this.#write(async () => {
      if (!this.#hasCompany(companyId)) throw unknownCompany(companyId);
      const notes = await FeedNotes.begin(this.#execute, companyId);
      const transaction = new SqliteImportTransaction(this.#statements, this.#stored(companyId), notes);
      const outcome = await work(transaction);
      if (outcome.commit) {
        transaction.end();
        const nowMs = Date.now();
        await notes.end(nowMs, outcome);
        const changed = outcome.changed || notes.hasNoted;
        this.#statements.all(queries.endImport(companyId, { ...outcome, changed }, nowMs));
        this.#eraser.mark(transaction.hasRemoved || notes.hasForgotten);
      }
      return outcome.commit ? outcome.result : new Rollback(outcome.result);
    }, onWait).catch((error) => {
      this.#eraseAfterImport();
      throw error;
    });
    this.#eraseAfterImport();
    return result;
  }

  #eraseAfterImport(): void {
    releaseSidePlace(this.#statements);
    this.#remains = this.#eraser.erase(IMPORT_CHECKPOINT_MS);
  }

  /** Whether nothing was imported yet. Another import that is running may change that. */
  #isWithoutRows(companyId: string): boolean {
    return mapError(this.#path, () => {
      const number = companyNumber(this.#statements, companyId);
      const isAny = (kind: FactKind) =>
        this.#statements.prepare(`select 1 from ${kind} where company_id = ? limit 1`).get(number) !== null;
      return number !== null && !FACT_KINDS.some(isAny);
    });
  }

  async #importInThread<T>(
    companyId: string,
    work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>,
    onWait?: () => void,
  ): Promise<T> {
    if (this.#mutex.isLocked()) onWait?.();
    const onRemains = (remains: Remains | null) => {
      this.#remains = remains ?? this.#remains;
    };
    const openSide = (place: SidePlace) => openSideFile(this.#path, this.#statements, place);
    const [entry, address] = [THREAD_ENTRY, this.#path];
    return this.#mutex.runExclusive(() =>
      importInThread({ entry, address, companyId, work, openSide, onWait, onRemains }),
    );
  }

  async noteFailedImport(companyId: string, record: string): Promise<boolean> {
    if (this.#mutex.isLocked()) return false;
    const { database } = this.#statements;
    database.run("pragma busy_timeout = 0");
    try {
      database.run("begin immediate");
      this.#eraser.begin();
      return await this.#commit(
        () => this.#statements.all(queries.noteFailedImport(companyId, record)).length > 0,
      );
    } catch (error) {
      if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY")) return false;
      throw error instanceof SQLiteError ? failure(this.#path, error) : error;
    } finally {
      database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
      this.#eraser.erase(0);
    }
  }

  async lastImports(companyId: string): Promise<LastImports | null> {
    return mapError(
      this.#path,
      () => this.#statements.all<LastImports>(queries.lastImportsOf(companyId))[0] ?? null,
    );
  }

  async sizes(companyId: string): Promise<KindSize[]> {
    return mapError(this.#path, () => {
      const number = companyNumber(this.#statements, companyId);
      return FACT_KINDS.map((kind) => {
        const [found] = this.#statements.all<queries.MeasuredKind>(queries.kindSize(kind, number ?? 0));
        return queries.sizeOf(
          kind,
          isCompacted(kind) ? { ...found!, mean: this.#meanOf(kind, number) } : found!,
        );
      });
    });
  }

  /** Bytes of a wire object, of those that are stored compact. */
  #meanOf(kind: FactKind, company: number | null): number {
    const policyId = hasNumber(kind, "policyId") ? idOf("policy_id") : "policy_id";
    const select = this.#statements.prepare(
      `select id, doc, ${policyId} from ${kind} where company_id = ? limit ${queries.MEASURED_ROWS}`,
    );
    const rows = select.values(company) as [id: string, doc: StoredDoc, policyId: string][]; // the selection
    const bytes = rows.map(([id, doc, policyId]) => Buffer.byteLength(expanded(kind, id, doc, policyId)));
    return bytes.reduce((sum, one) => sum + one, 0) / Math.max(1, rows.length);
  }

  remains(): Remains {
    return this.#remains;
  }

  /** See `Store.replace`. `isNew`: no other process knows the store, and it is deleted after a failure. */
  async replace(
    work: (transaction: StoreTransaction) => Promise<void>,
    { isNew, onWait }: { readonly isNew: boolean; readonly onWait?: () => void },
  ): Promise<AddedSecrets> {
    const { database } = this.#statements;
    this.#keys.requireUsable();
    if (isNew) {
      for (const setting of ["journal_mode = delete", "journal_mode = off", "synchronous = off"])
        database.run(`pragma ${setting}`);
    }
    const gone: string[] = [];
    const keys: StoredKey[] = [];
    const feeds: StoredFeed[] = [];
    const transactions: SqliteImportTransaction[] = [];
    const noted: FeedNotes[] = [];
    await this.#write(async () => {
      // Rows come in key order. Making the indexes afterwards is far faster: their entries are sorted first.
      const derived = isNew ? dropDerived(database) : [];
      await work({
        companiesBefore: companiesOf(this.#statements).map(({ id }) => id),
        putCompany: async (company) => this.#putCompany(company),
        removeCompany: async (id) => {
          this.#removeFacts(id);
          gone.push(id);
        },
        facts: async (companyId) => {
          const notes = await FeedNotes.begin(this.#execute, companyId);
          noted.push(notes);
          const transaction = new SqliteImportTransaction(this.#statements, this.#stored(companyId), notes);
          transactions.push(transaction);
          return transaction;
        },
        addKeys: async (added) => void keys.push(...added),
        addFeeds: async (added) => void feeds.push(...added),
      });
      // Those that a restore left which ended between the two files, too.
      gone.push(...this.#keys.companyIds().filter((id) => !this.#hasCompany(id)));
      for (const notes of noted) await notes.end(Date.now());
      for (const transaction of transactions) transaction.finish();
      this.#statements.finalize();
      for (const text of derived) database.run(text);
      for (const transaction of transactions) transaction.end();
      if (isNew) return;
      requireSound(this.#path, database);
      const hasRemoved = transactions.some((one) => one.hasRemoved) || noted.some((one) => one.hasForgotten);
      this.#eraser.mark(gone.length > 0 || hasRemoved);
    }, onWait);
    if (isNew) return this.#keys.replaceCompanies(gone, keys, feeds);
    try {
      return afterTheData(() => this.#keys.replaceCompanies(gone, keys, feeds));
    } finally {
      this.#eraser.erase(IMPORT_CHECKPOINT_MS);
    }
  }

  #putCompany(company: Company): void {
    const revision = queries.newRevision(Date.now());
    this.#statements.all(queries.putCompany(company, revision, queries.REPLACE_COMPANY));
    numberCompany(this.#statements, company.id);
    this.#statements.all(beginFeed(company.id));
  }

  readonly #execute = async <R>(query: Sql): Promise<R[]> => this.#statements.all<R>(query);

  async export(
    companyId: string,
    visit: <K extends FactKind>(kind: K, rows: readonly Rows[K][]) => Promise<void>,
  ): Promise<void> {
    const statements = new Statements(openReader({ path: this.#path, migrations: MIGRATIONS }));
    try {
      statements.prepare("begin").run();
      const number = companyNumber(statements, companyId);
      if (number === null) throw unknownCompany(companyId);
      for (const kind of FACT_KINDS) {
        for (const rows of scanRows(statements, number, kind)) {
          await visit(kind, rows);
          await new Promise(setImmediate); // lets signals through
        }
      }
    } catch (error) {
      throw error instanceof SQLiteError ? failure(this.#path, error) : error;
    } finally {
      statements.close();
      // Its snapshot may have kept an import from emptying the log.
      if (!this.#statements.database.inTransaction) this.#eraser.erase(0);
    }
  }

  /** Runs `work` in one transaction, once nobody else writes. A `Rollback` it returns is rolled back. */
  async #write<T>(work: () => Outcome<T> | Promise<Outcome<T>>, onWait?: () => void): Promise<T> {
    const mustWait = this.#mutex.isLocked();
    if (mustWait) onWait?.();
    return this.#mutex.runExclusive(async () => {
      try {
        await this.#begin(mustWait ? undefined : onWait);
        this.#eraser.begin();
        return await this.#commit(work);
      } catch (error) {
        throw error instanceof SQLiteError ? failure(this.#path, error) : error;
      }
    });
  }

  async #commit<T>(work: () => Outcome<T> | Promise<Outcome<T>>): Promise<T> {
    const { database } = this.#statements;
    try {
      requireCurrent(database, this.#file); // whoever held the lock may have migrated
      const result = await work();
      if (!(result instanceof Rollback)) this.#eraser.mark(false);
      database.run(result instanceof Rollback ? "rollback" : "commit");
      return result instanceof Rollback ? result.result : result;
    } catch (error) {
      if (database.inTransaction) database.run("rollback");
      throw error;
    }
  }

  async #begin(onWait?: () => void): Promise<void> {
    const { database } = this.#statements;
    database.run("pragma busy_timeout = 0");
    for (let tries = 0; ; tries++) {
      try {
        database.run("begin immediate");
        database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
        return;
      } catch (error) {
        if (!(error instanceof SQLiteError) || !error.code?.startsWith("SQLITE_BUSY")) throw error;
        if (tries === 1) onWait?.();
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  async close(): Promise<void> {
    this.#statements.close();
    this.#keys.close();
  }
}

/** The store's file is damaged in a part that was not written to. */
export class DamagedStore extends StoreUnavailable {}

/** A file that is damaged elsewhere would lose the new rows sooner or later. */
function requireSound(path: string, database: Database): void {
  const found = database.query("pragma main.integrity_check(1)").values()[0]?.[0];
  if (found !== "ok") throw new DamagedStore(`${path} is damaged (${found})`, "run rollcall doctor");
}

/** Drops all indexes and triggers but the one by which rows are replaced. Returns the statements that make them again. */
function dropDerived(database: Database): string[] {
  const derived = database
    .query<{ type: string; name: string; sql: string }, [string]>(
      "select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null and name <> ? order by name",
    )
    .all(ASSIGNMENT_PAIRS);
  for (const { type, name } of derived) database.run(`drop ${type} ${name}`);
  return derived.map((one) => one.sql);
}

/** Replaces what the store at `path` holds. Raises DamagedStore where its file is damaged. */
export async function replaceInStore(
  path: string,
  work: (transaction: StoreTransaction) => Promise<void>,
  onWait: () => void,
): Promise<AddedSecrets> {
  const store = new SqliteWriteStore(path, { create: true }); // in a file that has become empty, too
  try {
    return await store.replace(work, { isNew: false, onWait });
  } finally {
    await store.close();
  }
}

/** Makes a store, with its keys beside it, at the path of an empty file that nobody else uses. */
export async function fillNewStore(
  path: string,
  work: (transaction: StoreTransaction) => Promise<void>,
): Promise<AddedSecrets> {
  removeDatabase(keysPath(path));
  const store = new SqliteWriteStore(path, { create: true });
  let added: AddedSecrets;
  try {
    added = await store.replace(work, { isNew: true });
  } finally {
    await store.close();
  }
  clearStore(path, MIGRATIONS); // from here on it has a log
  return added;
}

/** The result of work whose writes are to be rolled back. */
class Rollback<T> {
  constructor(readonly result: T) {}
}

type Outcome<T> = T | Rollback<T>;
