// What every store promises, whatever its engine. The suite in test/store/conformance tests both engines against it.

import ms from "ms";
import type { Sql } from "sql-template-tag";
import type { ChangeResource } from "../resources/changes.ts";
import type { Company, CompanySettings } from "../resources/company.ts";
import type { EventType } from "../resources/events.ts";
import type { ListKind, OwnedKind, ParentKind } from "../resources/kinds.ts";

import type { ColumnType, Scope } from "../resources/resource.ts";
import type { Worker } from "../resources/workers.ts";
import type { Hooks, StoredHook } from "./hooks.ts";
import type { Kind, NotedRow, RowDigest, RowKey, Rows } from "./tables.ts";

/** Why a store cannot do something, and what the operator can do about it. */
abstract class StoreError extends Error {
  constructor(
    readonly problem: string,
    readonly advice: string | null = null,
    options?: ErrorOptions,
  ) {
    super(advice === null ? problem : `${problem}: ${advice}`, options);
  }
}

/** The store cannot be read: unreachable, gone, or too slow. Trying again later may help. */
export class StoreUnavailable extends StoreError {
  override readonly name = "StoreUnavailable";
}

/** The store refuses what it was asked for. */
export class StoreRefusal extends StoreError {
  override readonly name = "StoreRefusal";
}

export function unknownCompany(id: string): StoreRefusal {
  const advice = `see rollcall companies list, or create it with rollcall companies create ${id}`;
  return new StoreRefusal(`There is no company "${id}"`, advice);
}

export function companyExists(id: string): StoreRefusal {
  return new StoreRefusal(`There is a company "${id}" already`, "choose another id");
}

// Reading ------------------------------------------------------------------------------------------------------------

/** The position of a page: at most `limit` objects after `after`, right before `before`, or from the start. */
export interface PageQuery {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** One comparison of a column, which is named by its property of a row: with `in`, it has one of the values. */
export interface Condition {
  readonly column: string;
  readonly is: "in" | "<" | ">=";
  readonly values: readonly (string | number)[];
}

/** Wire objects as JSON in list order (by id, byte by byte), and whether more follow in the direction of the query. */
export interface DocPage {
  readonly docs: readonly string[];
  /** The ids of the first and of the last object; null on an empty page. */
  readonly ends: { readonly first: string; readonly last: string } | null;
  readonly hasMore: boolean;
}

/** A position in the balance list: with no policy, after (or before) all balances of that worker. */
export interface BalancePosition {
  readonly workerId: string;
  readonly policyId: string | null;
}

export interface BalanceQuery {
  readonly policyIds?: readonly string[] | undefined;
  readonly workerIds?: readonly string[] | undefined;
  readonly limit: number;
  readonly after?: BalancePosition | undefined;
  readonly before?: BalancePosition | undefined;
  /** Whether requests and adjustments come with their ids, for an explanation. */
  readonly withIds?: boolean | undefined;
}

/** An assignment, with what its worker's row says. */
export interface JoinedAssignment {
  readonly workerId: string;
  readonly policyId: string;
  readonly workerLegacyId: string | null;
  readonly assignedDay: number;
  readonly endsDay: number | null;
  /** The policy whose balance moves here on the assignment day. */
  readonly oldPolicyId: string | null;
  /** The assignment day of the worker's assignment to which the balance moves from here. */
  readonly movesDay: number | null;
  /** `AssignmentRow.terms`. */
  readonly assignmentTerms: string | null;
  readonly workerStartDay: number;
  readonly workerEndDay: number | null;
  /** `WorkerRow.terms`. */
  readonly workerTerms: string | null;
}

/** An assignment with all that its balance is computed from. The order within a list has no meaning. */
export interface AssignmentWithFacts extends JoinedAssignment {
  /** `PolicyRow.terms`. */
  readonly policyTerms: string;
  /** Pending and approved requests of the worker under the policy. */
  readonly requests: readonly RequestColumns[];
  /** Of the worker under the policy. */
  readonly adjustments: readonly AdjustmentColumns[];
  /** Of the worker; none if the policy does not count them. */
  readonly workedHours: readonly HoursColumns[];
  readonly opening: OpeningColumns | null;
  /** Of the worker, in order of days. */
  readonly schedules: readonly ScheduleColumns[];
}

/** What a page of balances is computed from, in one snapshot: ordered by worker id, then policy id. */
export interface FactsPage {
  readonly assignments: readonly AssignmentWithFacts[];
  readonly hasMore: boolean;
}

/** What balances need of a request's row. */
export interface RequestColumns
  extends Pick<Rows["requests"], "status" | "firstDay" | "lastDay" | "minutes" | "terms"> {
  /** Absent unless `BalanceQuery.withIds`. */
  readonly id?: string;
}

/** A request as leave, with what its worker's row says. */
export interface LeaveRow extends RequestColumns {
  readonly id: string;
  readonly workerId: string;
  readonly policyId: string;
  /** `WorkerRow.terms`. */
  readonly workerTerms: string | null;
}

/** A page of leave, in the order of requests. */
export interface LeavePage {
  readonly rows: readonly LeaveRow[];
  readonly hasMore: boolean;
}

/** What balances need of an adjustment's row. */
export interface AdjustmentColumns extends Pick<Rows["adjustments"], "day" | "minutes"> {
  /** `AdjustmentRow.expiresDay`. */
  readonly expiresOn: Rows["adjustments"]["expiresDay"];
  /** Absent unless `BalanceQuery.withIds`. */
  readonly id?: string;
}

/** What balances need of a row of worked hours. */
export type HoursColumns = Pick<Rows["work_hours"], "day" | "minutes">;

/** What balances need of an opening's row. */
export type OpeningColumns = Omit<Rows["openings"], "workerId" | "policyId">;

/** What a worker works from a day on, with the holidays of its calendar in order of days. */
export interface ScheduleColumns extends Pick<Rows["schedules"], "day"> {
  readonly terms: string;
  readonly holidays: readonly HolidayColumns[];
}

export type HolidayColumns = Pick<Rows["holidays"], "day" | "minutes" | "name">;

/** The row of a worker, and the rows that belong to them. */
export type RowsOfWorker = { readonly [K in OwnedKind | "workers"]: readonly Rows[K][] };

/** By worker, in order of days; whoever has none is not there. */
export type SchedulesOf = ReadonlyMap<string, readonly ScheduleColumns[]>;

/** One object in the change feed. */
export interface ChangeEntry {
  readonly resource: ChangeResource;
  readonly id: string;
  readonly removed: boolean;
  /** The wire object as JSON; null for a removal and for balances. */
  readonly doc: string | null;
}

/**
 * A place in the change feed. `scan`: within the pass over all objects as of import `seq`, after the object `id` of the resource
 * `step`. `scan-with-balances`: the same, and it also names the workers who have balances. `tail`: after the entry `id` of a step of
 * import `seq`. `step`: the name of one of `STEPS`, or `END_STEP`.
 */
export interface ChangePosition {
  readonly kind: "scan" | "scan-with-balances" | "tail";
  readonly seq: number;
  /** The random mark of import `seq`. */
  readonly mark: string;
  readonly step: string;
  readonly id: string;
}

export interface ChangesQuery {
  /** Null for the beginning. */
  readonly after: ChangePosition | "now" | null;
  readonly resources: readonly ChangeResource[];
  readonly limit: number;
}

export interface ChangesPage {
  readonly entries: readonly ChangeEntry[];
  readonly hasMore: boolean;
  readonly position: ChangePosition;
  /** When the newest import that the page includes ended; null before the first. */
  readonly asOfMs: number | null;
}

/** Reads one company, and nothing of another. Every call is one snapshot. Raises StoreUnavailable. */
export interface CompanyReader {
  /** A page of a list: the objects that meet all of the conditions. */
  list(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): Promise<DocPage>;
  /** The wire object as JSON, or null where the company has none with this id. */
  object(kind: ListKind, id: string): Promise<string | null>;
  balanceFacts(query: BalanceQuery): Promise<FactsPage>;
  schedules(workerIds: readonly string[]): Promise<SchedulesOf>;
  /** Everything that is stored of a worker; no rows of one whom the company does not have. */
  rowsOf(workerId: string): Promise<RowsOfWorker>;
  /** What another system said of balances, by worker, policy and day. */
  reported(): Promise<Rows["reported"][]>;
  /** The page of the list of requests, as leave. */
  leave(page: PageQuery, conditions: readonly Condition[]): Promise<LeavePage>;
  /** What `work` makes of several reads of one version: it is called again if an import was committed meanwhile. */
  atOneVersion<T>(work: (company: CompanyReader) => Promise<T>): Promise<T>;
  /** Null where there is no such company (any more). */
  about(): Promise<Company | null>;
  /** Null where there is no such company (any more). */
  lastImports(): Promise<LastImports | null>;
  /**
   * A page of the change feed, parents before children, removals of children before those of parents. "gone" where the
   * position is of another history, or older than the removals that are kept. May read several snapshots: each entry is as of
   * the newest of them or was unchanged until then.
   */
  changes(query: ChangesQuery): Promise<ChangesPage | "gone">;
  /**
   * What the number of an import is added to, so that the sequence of a calendar's event never falls: it grows by a restore, also after
   * clocks were set back. At most 2^31 - 1. Null where there is no such company (any more).
   */
  calendarSequence(): Promise<number | null>;
  /** The closes, the newest first. */
  closes(): Promise<StoredClose[]>;
  /** The company as it was known at a revision. */
  known(revision: number): CompanyReader;
  /** By id, the import that last changed each of these objects; none where that was the company's first. */
  lastChanges(kind: ListKind, ids: readonly string[]): Promise<ReadonlyMap<string, LastChange>>;
}

/** What was known when a period was closed: at which revision, and what that gave. */
export interface StoredClose {
  readonly name: string;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly revision: number;
  /** When that was known. */
  readonly atMs: number;
  /** SHA-256 of the balances and movements as CSV, in hexadecimal. */
  readonly digest: string;
  readonly balances: number;
  readonly minutes: number;
  /** How many workers were erased since, and how many requests of others. */
  readonly erasedWorkers: number;
  readonly erasedRequests: number;
}

/** An import that changed an object: its number in its company, and when it ended. */
export interface LastChange {
  readonly seq: number;
  readonly endedAtMs: number;
}

/** What a secret opens, as it is stored: never with the secret itself. Instants are UTC milliseconds. */
export interface StoredSecret {
  readonly id: string;
  readonly companyId: string;
  readonly name: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly digest: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

export type SecretChange = Partial<Pick<StoredSecret, "expiresAtMs" | "revokedAtMs">>;

/** What a key reads of an object: all of it; all but its reasons; or, of who is away, no more than that. */
export const KEY_LEVELS = ["everything", "no-reasons", "away"] as const;

/** What of a company a key reads, as the accesses of people who are signed in. */
export interface KeyAccess {
  readonly level: (typeof KEY_LEVELS)[number];
  /** Ids of the workers whom it sees. With no ids here and below, it sees the whole company. */
  readonly workers: readonly string[];
  /** Ids: it sees the workers of these departments, and of those that are parts of them. */
  readonly departments: readonly string[];
  /** Ids: it sees these workers and everybody below them. */
  readonly managers: readonly string[];
}

/** That of a key for which nothing else is said. */
export const FULL_ACCESS: KeyAccess = { level: "everything", workers: [], departments: [], managers: [] };

/** An API key. */
export interface StoredKey extends StoredSecret {
  readonly scopes: readonly Scope[];
  readonly access: KeyAccess;
}

/** The most ids of a kind that a key or a calendar feed names. */
export const SECRET_IDS_MAX = 200;

/** Which leave a calendar feed shows, and what of it. An empty list restricts nothing. */
export interface CalendarDefinition {
  /** Ids. */
  readonly workers: readonly string[];
  readonly types: readonly Worker["type"][];
  /** Ids. */
  readonly policies: readonly string[];
  /** What an event says beside the name: that somebody is away, or the policy's name. */
  readonly show: "busy" | "policy";
  /** Whether pending leave is shown, too, as tentative. */
  readonly withPending: boolean;
}

/** A calendar feed. Its secret is a part of its address. */
export interface StoredCalendar extends StoredSecret {
  readonly definition: CalendarDefinition;
}

export interface KnownMoment {
  /** Null for a moment before the first that is known. */
  readonly revision: number | null;
  /** From when on it is known; null for such a moment. */
  readonly atMs: number | null;
  /** When the first one was; null where nothing was imported yet. */
  readonly firstMs: number | null;
}

/** What a server needs. It can change nothing but the last use of keys and feeds, how far hooks are, and what is noted for them. */
export interface ReadStore {
  /** The company's version after the call began; null where there is none. Every import that changes something changes it. */
  version(companyId: string): Promise<string | null>;
  /**
   * With the `version` that was just read, a replica that has that version may be used too. With a `revision`, the company as it was
   * known then; its change feed, and when objects changed, are always those of now.
   */
  company(companyId: string, version?: string, revision?: number | null): CompanyReader;
  /** Which revision of the company was known at a moment. */
  knownAt(companyId: string, atMs: number): Promise<KnownMoment>;
  /** The key with this digest, revoked and expired ones too; at most one second old, but for its last use. */
  key(digest: string): Promise<StoredKey | null>;
  /** The calendar feed with this digest, revoked and expired ones too, as it is now. */
  calendar(digest: string): Promise<StoredCalendar | null>;
  /** Adds a calendar feed. On PostgreSQL the role needs a right for that, which `migrate` grants if it is asked to. */
  createCalendar(feed: StoredCalendar): Promise<void>;
  /** Records the last use of keys and feeds, by id, in milliseconds. An earlier time never replaces a later one. */
  touchKeys(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void>;
  readonly hooks: Hooks;
  /** The last imports of each company, of the first `limit` companies by id. One statement. */
  lastImports(limit: number): Promise<LastImports[]>;
  /** Resolves when the store can be read; raises StoreUnavailable otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The row of a table that holds what was known, or a close: by the names of its columns. */
export type StoredRecord = Readonly<Record<string, string | number | null>>;

export type VisitRecords = (table: string, rows: readonly StoredRecord[]) => Promise<void>;

// Writing ------------------------------------------------------------------------------------------------------------

export type { Company, RowKey };

/** What is known of a company's last import and of the last one that failed, as JSON: `src/import/report.ts` reads it. */
export interface LastImports extends Pick<Company, "id" | "dataAsOfMs"> {
  /** Of the last import that succeeded; null where none did. */
  readonly lastImport: string | null;
  readonly lastFailure: string | null;
}

/** Of what is known of an import: what concerns all who read the data. */
export interface ImportSummary {
  readonly endedAtMs: number;
}

/** The same of one that failed. */
export interface FailureSummary {
  readonly endedAtMs: number;
  /** `refused`: for its rows, its mapping or its findings. `failed`: for anything else, such as a full disk. */
  readonly outcome: "refused" | "failed";
  /** How many things were wrong with rows; null if it did not come so far. */
  readonly mistakes: number | null;
  /** Of a pull that failed, why: it has nothing of a person. Null for imports. */
  readonly reason: string | null;
}

/** What is remembered of one import, as JSON. */
export interface StoredImport {
  readonly hasFailed: boolean;
  readonly record: string;
}

/** What a company holds of a kind: how many rows, and about how many bytes their wire objects have. */
export interface KindSize {
  readonly kind: Kind;
  readonly rows: number;
  readonly bytes: number;
}

/** A kind whose rows have an amount under a policy. */
export type AmountKind = "requests" | "adjustments";

/** The properties of a row with its first and its last day. */
export type DayColumns = readonly [first: string, last: string];

/** That a property of a row, a day, is this one or a later one. */
export interface FromDay {
  readonly column: string;
  readonly day: number;
}

export interface DaySpan {
  readonly firstDay: number | null;
  readonly lastDay: number | null;
}

export interface MedianMinutes {
  readonly policyId: string;
  readonly rows: number;
  readonly minutes: number;
}

/** A temporary table: its columns with their types, in order. A column of row numbers is the table's key. */
export type StagedColumns = Readonly<Record<string, ColumnType | "row number">>;

/** A value of a staged row. */
export type StagedValue = string | number | bigint | null;

/**
 * The work of an import on one connection, before it holds its company: temporary tables, which nobody else sees and which go with it,
 * and statements over them and over what is stored. `hold` begins the transaction that writes.
 */
export interface ImportSession {
  readonly companyId: string;
  /** Makes an empty temporary table. */
  makeTable(name: string, columns: StagedColumns): Promise<void>;
  /** Adds rows to a temporary table, each with a value for every column. */
  fill(table: string, rows: readonly (readonly StagedValue[])[]): Promise<void>;
  /** Runs one statement. It sees what is staged, and what is stored and committed; within `hold`, what was written, too. */
  run<R>(query: Sql): Promise<R[]>;
  /** The rows of a query in batches; flat in memory. Other statements may run between two batches. */
  batches<R>(query: Sql): AsyncIterable<readonly R[]>;
  company(): Promise<Company>;
  count(kind: Kind, from?: readonly FromDay[]): Promise<number>;
  /** The record of the last import that succeeded. */
  lastImport(): Promise<string | null>;
  /**
   * Runs `work` in the transaction that writes, which sees the temporary tables. Waits until nobody else writes the company. Raises
   * CompanyChanged, with nothing done, if somebody changed it since the session began.
   */
  hold<T>(work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>): Promise<T>;
}

/** Somebody changed the company while an import read its files: the import must begin again. */
export class CompanyChanged extends Error {
  override readonly name = "CompanyChanged";
}

/** One import of one company. It sees its own writes; everybody else sees all of them after the commit, and none before. */
export interface ImportTransaction {
  /** With `from`, the rows at or after these days; a row without the day counts. */
  count(kind: Kind, from?: readonly FromDay[]): Promise<number>;
  /** The first and the last day that rows of a kind have; null for none. */
  daySpan(kind: Kind, columns: DayColumns): Promise<DaySpan>;
  /** The median amount, without its sign, of each policy with at least so many rows, by id. */
  medianMinutes(kind: AmountKind, leastRows: number): Promise<MedianMinutes[]>;
  /** The record of the last import that succeeded. */
  lastImport(): Promise<string | null>;
  /** Until `endFirstLoad`, rows of the kind are put alone, in the order of their keys, and nobody reads them. */
  beginFirstLoad(kind: Kind): Promise<void>;
  endFirstLoad(): Promise<void>;
  /**
   * Adds rows, or replaces those with the same key. `digests`: that of each row, where it has one. `stored`: what each row replaces,
   * with its `seq`, or null; looked up where it is not given.
   */
  put<K extends Kind>(
    kind: K,
    rows: readonly Rows[K][],
    digests?: readonly (RowDigest | null)[],
    stored?: readonly (NotedRow | null)[],
  ): Promise<void>;
  remove(kind: Kind, keys: readonly RowKey[]): Promise<void>;
  /** All rows of a kind in key order, in batches; flat in memory. Rows may be written meanwhile in batches already seen. */
  scan<K extends Kind>(kind: K): AsyncIterable<readonly Rows[K][]>;
  /** The requests of these workers that name no time zone, so that their days follow the worker's. */
  requestsInWorkersZone(workerIds: readonly string[]): Promise<Rows["requests"][]>;
  /** Which of these rows others still belong to, with the kind of the first of those. */
  referenced(kind: ParentKind, ids: readonly string[]): Promise<Map<string, Kind>>;
  /** As the transaction sees it. */
  company(): Promise<Company>;
  /** Makes these all that is remembered of the company's imports, as a copy does. */
  replaceImports(imports: readonly StoredImport[]): Promise<void>;
  /** Makes these all that is known of what the company's own row was, as a copy does, which then is no revision. After all rows. */
  replaceStates(states: readonly StoredRecord[]): Promise<void>;
  /** What the close needs is then kept. Its name is free. False where its revision is not known any more. */
  putClose(close: StoredClose): Promise<boolean>;
  /** False where there is none with the name. */
  removeClose(name: string): Promise<boolean>;
  /** See `Contents.records`. */
  records(visit: VisitRecords): Promise<void>;
  removeRecords(): Promise<void>;
  /** Adds what `records` gave. */
  addRecords(table: string, rows: readonly StoredRecord[]): Promise<void>;
  /** Also forgets all digests: rows depend on settings. */
  updateCompany(change: Partial<CompanySettings>): Promise<void>;
  /** Workers whose manager is not stored, with that manager's id: the first `limit` of them. */
  workersWithoutManager(limit: number): Promise<{ readonly id: string; readonly managerId: string }[]>;
  /** Requests and adjustments without an assignment, policies without any: how many, and the first three names. */
  withoutAssignment(
    kind: "requests" | "adjustments" | "policies",
  ): Promise<{ readonly count: number; readonly names: readonly string[] }>;
  /** What is probably wrong, although each row is right: how many, and a few of them. */
  doubtful(code: DoubtfulCode): Promise<{ readonly count: number; readonly names: readonly string[] }>;
  /** Assignments to which no balance can move. */
  brokenMoves(): Promise<readonly BrokenMove[]>;
  /** As `CompanyReader`, with what was written. */
  balanceFacts(query: BalanceQuery): Promise<FactsPage>;
  /** The same as it was before this import. */
  balanceFactsBefore(query: BalanceQuery): Promise<FactsPage>;
  closes(): Promise<StoredClose[]>;
  /** Ids of the workers and policies with balances that this import may have changed; none of a first import. */
  changedBalances(): Promise<readonly string[]>;
  /** Tells the company's hooks, once for all. */
  noteEvent(type: EventType, ids: Readonly<Record<string, string | number>>): void;
}

export type DoubtfulCode =
  | "opening-leave"
  | "moved-leave"
  | "uncovered-leave"
  | "snapshot-leave"
  | "unlimited-adjustment";

/** An assignment that names a policy from which no balance can move to it. */
export interface BrokenMove {
  /** The worker's legacy id, else its id. */
  readonly worker: string;
  readonly oldPolicyId: string;
  readonly assignedDay: number;
  /** Of the assignment to that policy; null where there is none. */
  readonly oldDay: number | null;
  readonly oldEndsDay: number | null;
}

export interface ImportOutcome<T> {
  readonly result: T;
  /** Whether anything changed: then the company gets a new version in the same transaction. */
  readonly changed: boolean;
  /** False leaves the store as it was. */
  readonly commit: boolean;
  /** How long the change feed keeps removals, in milliseconds: 90 days unless told otherwise. */
  readonly keepRemovalsMs?: number | undefined;
  /** What the company then says of its data: that this import ended now, unless it is told otherwise. */
  readonly times?: Pick<Company, "dataAsOfMs" | "changedAtMs">;
  /** What is remembered of the import. Left out by what is none, such as a copy. */
  readonly record?: string;
  /** Whether data of people was erased who are still there: nothing of it may stay in the store's files, as of those who are removed. */
  readonly hasErased?: boolean;
}

/** What must be known of a company to make it; the rest is null. */
export type NewCompany = Pick<Company, "id" | "name" | "createdAtMs"> & Partial<Company>;

/** Whether what was removed is gone from the store's own files, too. Readers never see it. */
export type Erasure =
  | { readonly isErased: true }
  | {
      readonly isErased: false;
      /**
       * What makes it go. `readersEnd`: what reads the store now must end, then the next export, backup or import removes it.
       * `nextImport`: the file could not be rewritten now, the next import or deletion does it. `vacuumed`: the database must
       * vacuum its tables. `overwritten`: bytes of it stay in free space until that is used again.
       */
      readonly until: "readersEnd" | "nextImport" | "vacuumed" | "overwritten";
      /** Why the file could not be rewritten. */
      readonly because?: string;
    };

export type ErasedBy = Extract<Erasure, { readonly isErased: false }>["until"];

/** A writer's wait for another writer. */
export interface Waiting {
  /** Called once if another writer must end first. `holder` says who that is; null where the engine cannot tell. */
  readonly onWait?: ((holder: string | null) => void) | undefined;
  /** How long to wait: ten minutes if left out. Then StoreUnavailable is raised. */
  readonly waitMs?: number | undefined;
  /** How long the other writer may stop in the midst of sending rows before it is ended (PostgreSQL): 90 seconds if left out. */
  readonly stoppedAfterMs?: number | undefined;
}

export const DEFAULT_WAIT_MS = 600_000;

/** `what` is held by another writer. Raised at the end of a wait. */
export function stillHeld(
  what: string,
  waitMs: number,
  holder: string | null,
  advice: string,
): StoreUnavailable {
  const who = holder === null ? "Another writer" : `Another writer (${holder})`;
  return new StoreUnavailable(
    `${who} still holds ${what} after ${ms(waitMs, { long: true })}. Nothing was changed`,
    `${advice}, or let imports, restores and deletions wait longer (--wait)`,
  );
}

export interface StoreImportOptions extends Waiting {
  /** Whether no hook is told of what the import changes. */
  readonly isQuiet?: boolean | undefined;
}

/** What the command line needs. Every call is all or nothing. Calls for keys and feeds never wait for an import. */
export interface WriteStore {
  /** Raises StoreRefusal where the id is taken. */
  createCompany(company: NewCompany): Promise<void>;
  companies(): Promise<Company[]>;
  /** Removes the company, its facts, its keys, feeds and hooks; null if it does not exist. Afterwards nobody can read any of it. */
  deleteCompany(id: string, waiting?: Waiting): Promise<Erasure | null>;
  /** Raises StoreRefusal for an unknown company. */
  createKey(key: StoredKey): Promise<void>;
  /** Of one company, or of all. */
  keys(companyId?: string): Promise<StoredKey[]>;
  /** Sets expiry or revocation; false if the key does not exist. */
  updateKey(id: string, change: SecretChange): Promise<boolean>;
  /** Raises StoreRefusal for an unknown company. */
  createCalendar(feed: StoredCalendar): Promise<void>;
  /** Of one company, or of all. */
  feeds(companyId?: string): Promise<StoredCalendar[]>;
  /** Sets expiry or revocation; false if the feed does not exist. */
  updateCalendar(id: string, change: SecretChange): Promise<boolean>;
  /** It gets what is noted from now on. Raises StoreRefusal for an unknown company. */
  createHook(hook: StoredHook): Promise<void>;
  readonly hooks: Hooks;
  /** Raises StoreRefusal for an unknown company. */
  import<T>(
    companyId: string,
    work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>,
    options?: StoreImportOptions,
  ): Promise<T>;
  /** Runs an import that stages its rows first. Raises StoreRefusal for an unknown company. */
  stage<T>(
    companyId: string,
    work: (session: ImportSession) => Promise<T>,
    options?: StoreImportOptions,
  ): Promise<T>;
  /** Remembers a failed import. False where there is no such company, or another import holds it, which will tell its own end. */
  noteFailedImport(companyId: string, record: string): Promise<boolean>;
  /** The last imports of a company, those that failed too, the oldest first: none of an unknown one. */
  imports(companyId: string): Promise<StoredImport[]>;
  /** Counts from indexes; bytes from the first rows of each kind, so exact where there are few. */
  sizes(companyId: string): Promise<KindSize[]>;
  /** Whether the rows that the last import through this store removed, or was refused with, are gone from its files. */
  erasure(): Erasure;
  /** Every row of a company, kind by kind in key order, in one snapshot. Raises StoreRefusal for an unknown company. */
  export(
    companyId: string,
    visit: <K extends Kind>(kind: K, rows: readonly Rows[K][]) => Promise<void>,
  ): Promise<void>;
  /** What the company's own row was, by revision. */
  states(companyId: string): Promise<StoredRecord[]>;
  /** What rows of facts were, and the closes, table by table in the order of their keys. */
  records(companyId: string, visit: VisitRecords): Promise<void>;
  close(): Promise<void>;
}

/** Everything that a store or a backup holds, all of it at one moment. */
export type Contents = Pick<
  WriteStore,
  "companies" | "imports" | "keys" | "feeds" | "export" | "states" | "records"
>;

/** Writing all companies of a store at once. Readers see everything before or everything after. */
export interface StoreTransaction {
  /** As they were when the transaction began. */
  readonly companiesBefore: readonly string[];
  /** Makes a company, or changes the one with this id. It gets a new version. */
  putCompany(company: Company): Promise<void>;
  /** With its facts, its keys and its feeds. */
  removeCompany(id: string): Promise<void>;
  /** The facts of a company that is there. */
  rows(companyId: string): Promise<ImportTransaction>;
  /** Adds those keys whose ids are not there; all others stay as they are. */
  addKeys(keys: readonly StoredKey[]): Promise<void>;
  /** The same for feeds. */
  addCalendars(feeds: readonly StoredCalendar[]): Promise<void>;
}
