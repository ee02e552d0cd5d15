// Reads the embedded store. It is opened read-only, so that no bug can change a company's data.
import { type Database, SQLiteError, type Statement } from "bun:sqlite";
import { statSync } from "node:fs";
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { ListKind } from "../../resources/kinds.ts";
import { asKnown, type KnownDialect, knownMoment } from "../history.ts";
import { Hooks } from "../hooks.ts";
import { pageOf, trimPage } from "../plan.ts";
import * as queries from "../queries.ts";
import { CompanyReads } from "../shared-reads.ts";
import {
  type BalanceQuery,
  type CompanyReader,
  type Condition,
  type DocPage,
  type FactsPage,
  type JoinedAssignment,
  type KnownMoment,
  type LastImports,
  type LeavePage,
  type LeaveRow,
  type PageQuery,
  type ReadStore,
  type StoredCalendar,
  type StoredKey,
  StoreUnavailable,
  type WorkTimesOf,
} from "../store.ts";
import { bucketsSql } from "../time-buckets.ts";
import { mapError, openReader, openWriter, Statements, versionOf } from "./database.ts";
import { SqliteKeyReader, SqliteKeyWriter } from "./keys.ts";
import { STORE_SCHEMA } from "./schema.ts";
import { type BoundSql, pageStatements } from "./sql.ts";

/** How often the file is checked: a removed or replaced file is noticed within this time. */
const PRESENCE_CHECK_MS = 200;

/** Page cache of a serving connection: the upper pages of the trees of millions of rows. */
export const READ_CACHE_KIB = 12_288;

/** What the file has as `user_version`. */
const FORM = versionOf(STORE_SCHEMA);

const VERSION = `${queries.companyVersion("").sql} and (select user_version from pragma_user_version) = ${FORM}`;

/** Opens the embedded store at `path` for serving. Raises StoreRefusal if there is none, or one of another version. */
export function openSqliteReadStore(path: string): ReadStore {
  return new SqliteReadStore(path);
}

class SqliteReadStore implements ReadStore {
  readonly #keys: SqliteKeyReader;
  #statements: Statements;
  #identity: string;
  #checkedAtMs = -Infinity;

  constructor(private readonly path: string) {
    this.#statements = this.#open();
    this.#identity = fileIdentity(path);
    this.#keys = new SqliteKeyReader(path);
  }

  #open(): Statements {
    const database = openReader({ path: this.path, schema: STORE_SCHEMA });
    mapError(this.path, () => database.run(`pragma cache_size = -${READ_CACHE_KIB}`));
    return new Statements(database);
  }

  /** The open store, after checking that its file is still the one that was opened. */
  #present(): Statements {
    const nowMs = performance.now();
    if (nowMs - this.#checkedAtMs > PRESENCE_CHECK_MS) {
      const identity = fileIdentity(this.path);
      if (identity !== this.#identity) this.#reopen(identity);
      this.#checkedAtMs = nowMs;
    }
    return this.#statements;
  }

  #reopen(identity: string): void {
    let opened: Statements;
    try {
      opened = this.#open();
    } catch (error) {
      throw new StoreUnavailable(error instanceof Error ? error.message : String(error), null, {
        cause: error,
      });
    }
    this.#statements.close();
    this.#statements = opened;
    this.#identity = identity;
  }

  async version(companyId: string): Promise<string | null> {
    return mapError(this.path, () => {
      const statements = this.#present();
      const [row] = statements.prepare(VERSION).values(companyId) as [string][]; // what is selected
      if (row !== undefined) return row[0];
      requireForm(this.path, statements);
      return null;
    });
  }

  async knownAt(companyId: string, atMs: number): Promise<KnownMoment> {
    return mapError(this.path, () => this.#present().all<KnownMoment>(knownMoment(companyId, atMs))[0]!); // one row
  }

  company(companyId: string, _version?: string, revision: number | null = null): CompanyReader {
    return new SqliteCompanyReader(companyId, this, revision, (work) =>
      mapError(this.path, () => {
        const statements = this.#present();
        const known =
          revision === null ? null : new KnownStatements(statements.database, companyId, revision);
        try {
          return inSnapshot(statements, () => {
            requireForm(this.path, statements); // a migration may have ended since the version was asked for
            return work(known ?? statements);
          });
        } finally {
          known?.finalize();
        }
      }),
    );
  }

  async key(digest: string): Promise<StoredKey | null> {
    return this.#keys.key(digest);
  }

  async calendar(digest: string): Promise<StoredCalendar | null> {
    return this.#keys.feed(digest);
  }

  async createCalendar(feed: StoredCalendar): Promise<void> {
    this.#keys.ping(); // a missing file of keys is not made anew
    using writer = new SqliteKeyWriter(this.path);
    writer.create(feed);
  }

  async touchKeys(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void> {
    this.#keys.touch(lastUsedAtMs);
  }

  get hooks(): Hooks {
    const readNotes = async <R>(query: Sql) => mapError(this.path, () => this.#present().all<R>(query));
    const removeNotes = async <R>(query: Sql) => this.#unlessHeld<R>(query);
    return new Hooks({ ...this.#keys.hookAccess, readNotes, removeNotes });
  }

  /** Runs a statement that writes, on its own connection. Does nothing while an import holds the file. */
  #unlessHeld<R>(query: Sql): R[] {
    using statements = new Statements(openWriter({ path: this.path, schema: STORE_SCHEMA }, {}));
    try {
      statements.database.run("pragma busy_timeout = 0");
      return statements.all<R>(query);
    } catch (error) {
      if (error instanceof SQLiteError) return [];
      throw error;
    }
  }

  async lastImports(limit: number): Promise<LastImports[]> {
    return mapError(this.path, () => this.#present().all<LastImports>(queries.lastImports(limit)));
  }

  async ping(): Promise<void> {
    mapError(this.path, () => {
      this.#checkedAtMs = -Infinity; // also in the first second of the process
      const statements = this.#present();
      statements.prepare("select id from companies limit 1").values();
      requireForm(this.path, statements);
      this.#keys.ping();
    });
  }

  async close(): Promise<void> {
    this.#statements.close();
    this.#keys.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Raises StoreUnavailable if another version of Rollcall has migrated the file. */
function requireForm(path: string, statements: Statements): void {
  if (statements.prepare("pragma user_version").values()[0]?.[0] === FORM) return;
  throw new StoreUnavailable(
    `${path} was migrated by another version of Rollcall`,
    "restart this server with that version",
  );
}

/** Identifies the file at this path: a restore puts another one there. Raises StoreUnavailable if there is none. */
function fileIdentity(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new StoreUnavailable(`${path} is gone`, "put it back, or restore a backup");
  return `${stat.dev}:${stat.ino}`;
}

const KNOWN: KnownDialect = {
  stored: "main.",
  bucketColumns: ["company_id", "bucket", "id", "policy_id", "status", "start_at_ms", "end_at_ms"],
  firstBucket: bucketsSql().first,
  lastBucket: bucketsSql().last,
  hasStatistics: false,
};

/** A page that is merged from ranges: see `pageStatements`. */
const MERGED =
  /^\s*select (.*?)\s+from \((.*)\) as merged\s+cross join (.*?) on .* order by merged\.id( desc)?$/s;

/** The statements of a read as of a past revision. See `asKnown`. */
export class KnownStatements extends Statements {
  constructor(
    database: Database,
    readonly companyId: string,
    readonly revision: number,
  ) {
    super(database);
  }

  override prepare(text: string): Statement {
    // SQLite would store a cross-joined selection in a temporary table.
    const query = text.replace(
      MERGED,
      "select $1 from $3 where company_id = ?1 and id in (select id from ($2) union select null where 0) order by id$4",
    );
    return super.prepare(asKnown(query, this.companyId, this.revision, KNOWN));
  }
}

/** Runs statements in one snapshot. */
type Read = <T>(work: (statements: Statements) => T) => T;

class SqliteCompanyReader extends CompanyReads implements CompanyReader {
  constructor(
    readonly companyId: string,
    readonly store: ReadStore,
    readonly revision: number | null,
    readonly read: Read,
  ) {
    super();
  }

  async run<R>(query: Sql): Promise<R[]> {
    return this.read((statements) => statements.all<R>(query));
  }

  async list(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): Promise<DocPage> {
    // SQLite orders a union by selected columns only.
    const columns = this.revision === null ? "doc" : `doc, ${kind}.id`;
    const toRun = pageStatements(kind, this.companyId, page, conditions, columns);
    const rows = this.#firstFull(toRun, page, (statement, values) => statement.values(...values));
    return pageOf(
      rows.map(([doc]) => doc as string), // what the text selects
      page,
    );
  }

  /** Runs the statements in turn until one fills the page. Returns the rows of the last one. */
  #firstFull<R>(
    toRun: readonly BoundSql[],
    { limit }: PageQuery,
    run: (statement: Statement, values: BoundSql["values"]) => R[],
  ): R[] {
    return this.read((statements) => {
      let rows: R[] = [];
      for (const { text, values } of toRun) {
        rows = run(statements.prepare(text), values);
        if (rows.length > limit) break;
      }
      return rows;
    });
  }

  async leave(page: PageQuery, conditions: readonly Condition[]): Promise<LeavePage> {
    const toRun = pageStatements("requests", this.companyId, page, conditions, queries.LEAVE_COLUMNS);
    const rows = this.#firstFull(toRun, page, (statement, values) => statement.all(...values) as LeaveRow[]);
    return trimPage(rows, page.limit, page.before !== undefined);
  }

  async workTimes(workerIds: readonly string[]): Promise<WorkTimesOf> {
    return this.read((statements) => readWorkTimes(statements, this.companyId, workerIds));
  }

  async balanceFacts(query: BalanceQuery): Promise<FactsPage> {
    return this.read((statements) => readBalanceFacts(statements, this.companyId, query));
  }
}

function inSnapshot<T>(statements: Statements, work: () => T): T {
  statements.prepare("begin").run();
  try {
    return work();
  } finally {
    if (statements.database.inTransaction) statements.prepare("rollback").run(); // which succeeds after an error, too
  }
}

const among = (column: string, values: readonly string[]) => queries.anyOf(column, [...new Set(values)]);

const WORKER = sql`join workers w on w.company_id = a.company_id and w.id = a.worker_id`;

/** A page of balances with all that they are computed from. The caller has begun a transaction. */
export function readBalanceFacts(statements: Statements, companyId: string, query: BalanceQuery): FactsPage {
  const source = assignmentSource(companyId, query);
  const assignments = statements.all<JoinedAssignment>(queries.balancePage(companyId, query, source, WORKER));
  const listed = assignments.slice(0, query.limit);
  if (listed.length === 0) return { assignments: [], hasMore: false };
  const policies = statements.all<queries.PolicyColumns>(
    queries.policyFacts(
      companyId,
      among(
        "id",
        listed.map(({ policyId }) => policyId),
      ),
    ),
  );
  const byHours = new Set(
    policies.flatMap(({ id, terms }) => (terms.includes(queries.BY_HOURS) ? [id] : [])),
  );
  const withHours = listed.flatMap(({ workerId, policyId }) => (byHours.has(policyId) ? [workerId] : []));
  const ofWorkers = ofPage(listed, query);
  const facts = {
    assignments,
    policies,
    requests: statements.all(queries.requestFacts(companyId, ofWorkers, query.withIds)),
    adjustments: statements.all(queries.adjustmentFacts(companyId, ofWorkers, query.withIds)),
    workedHours:
      withHours.length === 0
        ? []
        : statements.all(queries.workedHoursFacts(companyId, among("worker_id", withHours))),
    openings: statements.all(queries.openingFacts(companyId, ofWorkers)),
    ...workTimesWithHolidays(statements, companyId, ofWorkers, query.withIds),
  } as queries.FactsRows; // what the queries select
  return queries.toFactsPage(facts, query);
}

/** For balances of some policies: the first assignments of each, from the position on. */
function assignmentSource(companyId: string, query: BalanceQuery): Sql | undefined {
  const { policyIds, workerIds } = query;
  if (policyIds === undefined || workerIds !== undefined) return undefined;
  const workerId = query.after?.workerId ?? query.before?.workerId;
  const isBackward = query.before !== undefined;
  const from =
    workerId === undefined ? empty : sql` and worker_id ${raw(isBackward ? "<=" : ">=")} ${workerId}`;
  const order = raw(isBackward ? "worker_id desc" : "worker_id");
  // The position itself may be among them, so one more row of each policy is selected.
  const firstOf = (policyId: string) =>
    sql`
      select *
      from (
        select ${raw(queries.ASSIGNMENT_COLUMNS)}
        from assignments indexed by assignments_policy_worker
        where company_id = ${companyId} and policy_id = ${policyId}${from}
        order by ${order}
        limit ${query.limit + 2})`;
  return sql`(${join([...new Set(policyIds)].map(firstOf), " union all ")})`;
}

/** The workers of a page. Without a filter, the page has all workers between its first and its last: one range of each table. */
function ofPage(listed: readonly JoinedAssignment[], { workerIds, policyIds }: BalanceQuery): Sql {
  const ids = listed.map(({ workerId }) => workerId);
  if (workerIds !== undefined || policyIds !== undefined) return among("worker_id", ids);
  const [first, last] = [ids[0]!, ids.at(-1)!].sort();
  return sql`worker_id between ${first} and ${last}`;
}

/** The work times in one snapshot, for which the caller has begun a transaction. */
export function readWorkTimes(
  statements: Statements,
  companyId: string,
  workerIds: readonly string[],
): WorkTimesOf {
  if (workerIds.length === 0) return new Map();
  const ofWorkers = among("worker_id", workerIds);
  const { workTimes, holidays } = workTimesWithHolidays(statements, companyId, ofWorkers, true);
  return queries.workTimesOf(workTimes, holidays);
}

function workTimesWithHolidays(
  statements: Statements,
  companyId: string,
  ofWorkers: Sql,
  withNames: boolean | undefined,
) {
  const workTimes = statements.all<queries.WorkTimeRow>(queries.workTimeFacts(companyId, ofWorkers));
  const calendars = workTimes.flatMap(({ calendar }) => calendar ?? []);
  if (calendars.length === 0) return { workTimes, holidays: [] };
  const ofCalendars = among("calendar", calendars);
  const holidays = statements.all<queries.CalendarDay>(
    queries.holidayFacts(companyId, ofCalendars, withNames),
  );
  return { workTimes, holidays };
}
