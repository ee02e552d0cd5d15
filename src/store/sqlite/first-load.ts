// The first rows of a company. They come in the order of their files, and their keys are hashes: written as they come, each
// would touch another page. So the rows of a kind are gathered in a temporary table, which SQLite puts on disk, and moved
// in the order of their keys: pages are filled one after the other, and full. Where no other company has rows of the kind
// either, the indexes are made afterwards, in one pass each.
import { Database, SQLiteError, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { closeSync, openSync, rmSync, statSync, unlinkSync } from "node:fs";
import { collectGarbage } from "../garbage.ts";
import { DuplicateRows, type RowDigest } from "../store.ts";
import { columnName, type FactKind, type Rows, TABLES } from "../tables.ts";
import type { SidePlace } from "../thread/messages.ts";
import type { SideRows } from "../thread/remote.ts";
import { failure, mapError, pragma, Statements } from "./database.ts";
import { Numbers } from "./layout/numbers.ts";
import {
  ASSIGNMENT_PAIRS,
  IN_DOC,
  mintedRequestId,
  type StoredCompany,
  storedValues,
  writtenColumns,
} from "./layout/rows.ts";
import { INSERT_REQUEST_SPANS } from "./layout/schema-parts.ts";

/** Page cache of the temporary table. */
const GATHER_CACHE_KIB = 4096;
/** Page cache while rows are sorted: SQLite, and each thread that sorts for it, sorts in as much memory again before it goes to disk. */
const SORT_CACHE_KIB = 4096;
/** SQLite's threads that sort while it reads the next rows: the thread that reads files has little to do by then. */
const SORT_THREADS = 2;

/** Indexes of the few rows that have something: keeping them costs less than reading the whole table for each. */
const IS_OF_FEW = /where (terms|seq) is not null$/;

/** That of the legacy ids of requests, of which most are usually left to the object. */
const IS_OF_OWN_LEGACY_IDS = /where legacy_id > ''$/;
/** The index is kept while it has at most this many. */
const FEW_LEGACY_IDS = 1000;

/** Pairs of each kind that are remembered, at most: a few megabytes. */
const PAIRS_MAX = 50_000;
/** A pair is one number while the policy's number is below this one. */
const POLICIES_END = 2 ** 21;

/** Kinds of rows that somebody should be assigned for. */
type AssignedFor = "requests" | "adjustments";

interface Index {
  readonly name: string;
  readonly sql: string;
}

export class FirstLoads {
  readonly #statements: Statements;
  readonly #company: StoredCompany;
  readonly #numbers: Numbers;
  /** The kind whose rows are gathered now. */
  #kind: FactKind | null = null;
  /** Adds a row to those that are gathered. */
  #insert: Statement | null = null;
  /** Where the gathered kind has its worker and its policy among `writtenColumns`. */
  #workerPlace = -1;
  #policyPlace = -1;
  #legacyIdPlace = -1;
  /** Legacy ids of the gathered kind that are in its table. */
  #legacyIds = 0;
  readonly #pairs = new Pairs();

  constructor(statements: Statements, company: StoredCompany, numbers: Numbers) {
    this.#statements = statements;
    this.#company = company;
    this.#numbers = numbers;
  }

  gathers(kind: FactKind): boolean {
    return this.#kind === kind;
  }

  begin(kind: FactKind): void {
    this.#kind = kind;
    const { database } = this.#statements;
    database.run(`pragma temp.cache_size = -${GATHER_CACHE_KIB}`);
    // Else each page is written to a journal before it is overwritten. SQLite has removed the file already: it goes with the connection.
    database.run("pragma temp.secure_delete = off");
    const columns = writtenColumns(kind);
    database.run(`create temp table gathered (${columns.join(", ")})`);
    const places = columns.map(() => "?").join(", ");
    this.#insert = this.#statements.prepare(`insert into temp.gathered values (${places})`);
    this.#workerPlace = columns.indexOf("worker_id");
    this.#policyPlace = columns.indexOf("policy_id");
    this.#legacyIdPlace = columns.indexOf("legacy_id");
    this.#legacyIds = 0;
    if (kind === "requests" || kind === "adjustments") this.#pairs.begin(kind);
  }

  /** Gathers a row: the values of `writtenColumns`. */
  gather(values: readonly SQLQueryBindings[]): void {
    this.#insert!.run(...values); // it was begun
    if (values[this.#legacyIdPlace]) this.#legacyIds++;
    this.#notePair(this.#kind!, values);
  }

  #notePair(kind: FactKind, values: readonly SQLQueryBindings[]): void {
    const [worker, policy] = [values[this.#workerPlace], values[this.#policyPlace]];
    if (kind === "requests" || kind === "adjustments")
      this.#pairs.need(kind, worker as number, policy as number); // numbers of ids
    else if (kind === "assignments") this.#pairs.assign(this.#numbers, worker as string, policy as string); // ids
  }

  /**
   * Whether all rows of a kind are known to have an assignment, because each was gathered, and so was its assignment. False says
   * nothing.
   */
  areAssigned(kind: AssignedFor): boolean {
    return this.#pairs.areAssigned(kind);
  }

  /** Rows change that were gathered. */
  forgetPairs(): void {
    this.#pairs.forget();
  }

  /** Moves what was gathered to its table, and makes the indexes that were left out. Raises DuplicateRows. */
  end(): void {
    for (const _ of this.endInSteps());
  }

  /** The same in steps, each a statement that may take long. */
  *endInSteps(): Generator<void, void, undefined> {
    collectGarbage(); // what reading left behind, before sorting takes memory
    const { database } = this.#statements;
    const before = pragma(database, "cache_size");
    database.run(`pragma cache_size = -${SORT_CACHE_KIB}`);
    database.run(`pragma threads = ${SORT_THREADS}`);
    try {
      yield* this.#move();
    } catch (error) {
      throw duplicatesOr(error);
    } finally {
      database.run("pragma threads = 0");
      database.run(`pragma cache_size = ${before}`);
    }
  }

  /** Notes who is assigned by the rows in a side file, `count` of them. */
  noteSidePairs(count: number): void {
    if (count > PAIRS_MAX) this.#pairs.forget();
    if (!this.#pairs.areNeeded) return;
    const select = `select worker_id, policy_id from ${SIDE}.assignments indexed by ${ASSIGNMENT_PAIRS}`;
    for (const [worker, policy] of this.#statements.database.query(select).values() as [string, string][]) // the selection
      this.#pairs.assign(this.#numbers, worker, policy);
  }

  *#move(): Generator<void, void, undefined> {
    const kind = this.#kind!; // it was begun
    this.#kind = null;
    this.#insert = null;
    const { database } = this.#statements;
    this.#statements.finalize();
    const indexes = this.#dropIndexes(kind);
    const names = writtenColumns(kind).join(", ");
    // In list order, so that the facts of a page's workers lie side by side.
    if (kind === "workers") {
      database.run(
        "insert or ignore into numbers (company_id, id) select company_id, id from temp.gathered order by id",
      );
      this.#numbers.readSome();
    }
    const key = kind === "assignments" ? "id" : TABLES[kind].key.map(columnName).join(", ");
    database.run(`insert into ${kind} (${names}) select ${names} from temp.gathered order by ${key}`);
    yield;
    if (kind === "requests") indexes.push(...this.#fileRequests());
    database.run("drop table temp.gathered");
    for (const { sql } of indexes) {
      database.run(sql);
      yield;
    }
    if (kind === "requests" && this.#hasLegacyIdTwice()) throw new DuplicateRows();
    if (kind === "assignments" && this.#hasPairTwice()) throw new DuplicateRows();
  }

  /** Whether a request has the legacy id from which the id of another one is minted. No index has both. */
  #hasLegacyIdTwice(): boolean {
    const { id: companyId, number } = this.#company;
    const own = this.#statements.prepare(
      "select legacy_id from requests where company_id = ? and legacy_id > ''",
    );
    const minted = this.#statements.prepare(
      "select 1 from requests where company_id = ? and id = ? and legacy_id = ?",
    );
    for (const [legacyId] of own.values(number)) {
      const id = mintedRequestId(companyId, String(legacyId));
      if (minted.get(number, id, IN_DOC) !== null) return true;
    }
    return false;
  }

  #hasPairTwice(): boolean {
    return (
      this.#statements
        .prepare(
          `select 1 from assignments indexed by ${ASSIGNMENT_PAIRS} where company_id = ? group by worker_id, policy_id having count(*) > 1 limit 1`,
        )
        .get(this.#company.number) !== null
    );
  }

  /** Writes the time buckets of the requests that were gathered. Returns the indexes that are still to be made. */
  #fileRequests(): Index[] {
    const indexes = this.#dropIndexes("request_spans");
    this.#statements.database.run(INSERT_REQUEST_SPANS("temp.gathered"));
    return indexes;
  }

  /** Drops the indexes of a table without rows, and returns them. */
  #dropIndexes(table: string): Index[] {
    const { database } = this.#statements;
    if (database.query(`select 1 from ${table} limit 1`).get() !== null) return [];
    const indexes = database
      .query<Index, [string]>(
        "select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null order by name",
      )
      .all(table)
      .filter(({ sql }) => !this.#isOfFew(sql));
    for (const { name } of indexes) database.run(`drop index ${name}`);
    return indexes;
  }

  #isOfFew(sql: string): boolean {
    return IS_OF_FEW.test(sql) || (IS_OF_OWN_LEGACY_IDS.test(sql) && this.#legacyIds <= FEW_LEGACY_IDS);
  }
}

/** Of what is gathered, the workers and policies that rows need an assignment for, and those that have one. By their numbers. */
class Pairs {
  /** By kind, if all of its rows were gathered; null if there are too many pairs, or rows have changed. */
  #needed: Map<AssignedFor, Set<number>> | null = new Map();
  readonly #assigned = new Set<number>();

  begin(kind: AssignedFor): void {
    this.#needed?.set(kind, new Set());
  }

  need(kind: AssignedFor, worker: number, policy: number): void {
    const pairs = this.#needed?.get(kind);
    if (pairs === undefined) return;
    pairs.add(worker * POLICIES_END + policy);
    if (policy >= POLICIES_END || pairs.size > PAIRS_MAX) this.forget();
  }

  get areNeeded(): boolean {
    return this.#needed !== null && this.#needed.size > 0;
  }

  assign(numbers: Numbers, workerId: string, policyId: string): void {
    if (this.#needed === null) return;
    // Without a number nothing needs it yet.
    const [worker, policy] = [numbers.known(workerId), numbers.known(policyId)];
    if (worker === null || policy === null) return;
    this.#assigned.add(worker * POLICIES_END + policy);
    if (policy >= POLICIES_END || this.#assigned.size > PAIRS_MAX) this.forget();
  }

  areAssigned(kind: AssignedFor): boolean {
    const needed = this.#needed?.get(kind);
    return needed?.isSubsetOf(this.#assigned) ?? false;
  }

  forget(): void {
    this.#needed = null;
    this.#assigned.clear();
  }
}

/** DuplicateRows, if SQLite found two rows with one key. */
function duplicatesOr(error: unknown): unknown {
  if (!(error instanceof SQLiteError) || !error.code?.startsWith("SQLITE_CONSTRAINT")) return error;
  return new DuplicateRows(undefined, { cause: error });
}

// A side file: the thread that reads has nothing left to do while the other one still stores requests. So it stores assignments, whose rows
// need nothing that only the other one has, in a database of their own. SQLite copies the trees of a table and its indexes into those
// of an empty one as they are, if both have one form. The file loses its name before it has any row, so a kill leaves none behind.
// https://www.sqlite.org/src/file/src/insert.c, "The xfer optimization"

/** The schema that the thread which stores knows the file by. */
const SIDE = "side";
const SIDE_KIND = "assignments";
const SIDE_CACHE_KIB = 4096;

/** Whether SQLite may go on with a file that has lost its name. Windows does not allow it, and macOS makes SQLite stop. */
const CAN_UNLINK = process.platform === "linux";

/**
 * In a transaction that has written nothing yet: makes an empty file beside the store and opens it, before the other thread does. Null
 * where that cannot be, or any company has such rows.
 */
export function makeSidePlace({ database }: Statements, company: StoredCompany): SidePlace | null {
  if (!CAN_UNLINK || database.query(`select 1 from ${SIDE_KIND} limit 1`).get() !== null) return null;
  const path = `${database.filename}-side`; // one import at a time makes it
  try {
    // Of an import that was killed, if it is empty. Any other is not ours, such as a store of that name.
    if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path);
    closeSync(openSync(path, "wx", 0o600));
    database.run(`attach ? as ${SIDE}`, [path]);
    return { path, kind: SIDE_KIND, company };
  } catch {
    return null; // what is wrong with the folder shows where the store is written to
  }
}

/** Copies the rows of the side file, `count` of them. Raises DuplicateRows. */
export function copySideRows({ database }: Statements, count: number): void {
  let changes: number;
  try {
    ({ changes } = database.run(`insert into main.${SIDE_KIND} select * from ${SIDE}.${SIDE_KIND}`));
  } catch (error) {
    throw duplicatesOr(error);
  }
  if (changes !== count) throw new Error(`${changes} ${SIDE_KIND} were copied of ${count}`);
}

/**
 * Gives the side file up after its transaction. No other may include it: a transaction of an empty file begins with a journal, whose
 * permissions SQLite takes from the file's name.
 */
export function releaseSidePlace({ database }: Statements): void {
  const isAttached = database.query("select 1 from pragma_database_list where name = ?").get(SIDE) !== null;
  if (isAttached) database.run(`detach ${SIDE}`);
}

/** Opens the side file of an import into the store at `storePath`, and takes its name away; null if that cannot be. `store`: a connection. */
export function openSideFile(storePath: string, store: Statements, place: SidePlace): SideRows | null {
  let database: Database | null = null;
  try {
    database = new Database(place.path, { readwrite: true });
    unlinkSync(place.path);
  } catch {
    database?.close();
    return null;
  }
  return new SideFile(storePath, store, new Statements(database), place);
}

class SideFile implements SideRows {
  readonly kind: FactKind;
  readonly #storePath: string;
  readonly #store: Statements;
  readonly #statements: Statements;
  readonly #company: StoredCompany;
  readonly #numbers: Numbers;
  readonly #loads: FirstLoads;
  #count = 0;
  #isOpen = true;

  constructor(storePath: string, store: Statements, statements: Statements, { kind, company }: SidePlace) {
    this.kind = kind;
    this.#storePath = storePath;
    this.#store = store;
    this.#statements = statements;
    this.#company = company;
    this.#numbers = new Numbers(statements, company.number); // which the kind has none of
    this.#loads = new FirstLoads(statements, company, this.#numbers);
    this.#loads.forgetPairs();
  }

  begin(): void {
    mapError(this.#storePath, () => {
      const { database } = this.#statements;
      // Nothing of it outlasts the import.
      for (const setting of ["journal_mode = memory", "synchronous = off", "secure_delete = off"])
        database.run(`pragma ${setting}`);
      database.run(`pragma cache_size = -${SIDE_CACHE_KIB}`);
      const schema = this.#store.prepare(
        "select sql from sqlite_schema where tbl_name = ? and sql is not null order by type = 'table' desc",
      );
      for (const [text] of schema.values(this.kind)) database.run(String(text));
      this.#loads.begin(this.kind);
    });
  }

  put(rows: readonly Rows[FactKind][], digests: readonly (RowDigest | null)[]): void {
    mapError(this.#storePath, () => {
      for (const [at, row] of rows.entries()) {
        const noted = { seq: null, digest: digests[at] ?? null };
        this.#loads.gather(storedValues(this.kind, this.#company, row, noted, this.#numbers));
      }
    });
    this.#count += rows.length;
  }

  async end(): Promise<number> {
    try {
      for (const _ of this.#loads.endInSteps()) await new Promise(setImmediate); // lets signals through
    } catch (error) {
      throw error instanceof SQLiteError ? failure(this.#storePath, error) : error;
    }
    this.close();
    return this.#count;
  }

  close(): void {
    if (this.#isOpen) this.#statements.close();
    this.#isOpen = false;
  }
}
