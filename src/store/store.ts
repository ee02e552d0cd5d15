// What every store promises, whatever its engine. The suite in test/store/conformance tests both engines against it.
import ms from "ms";
import type { Sql } from "sql-template-tag";
import type { ChangeResource } from "../resources/changes.ts";
import type { Company, CompanySettings } from "../resources/company.ts";
import type { NotedType } from "../resources/events.ts";
import type { ListKind, OwnedKind } from "../resources/kinds.ts";

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

/** The store is unreachable, gone, or too slow. Trying again later may help. */
export class StoreUnavailable extends StoreError {
  override readonly name = "StoreUnavailable";
}

/** The store refuses a call, which would fail again. */
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

/** A page: at most `limit` objects after `after`, right before `before`, or from the start. */
export interface PageQuery {
  readonly limit: number;
  /** Whether a reader that computes all rows for each page may return more than `limit`. */
  readonly takesAll?: boolean;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** A comparison of a column, named by its property. `in`: the column has one of the values. */
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

/** A position in the balance list. The policy `""` comes before all balances of the worker, `~` after them. */
export interface BalancePosition {
  readonly workerId: string;
  readonly policyId: string;
}

export interface BalanceQuery {
  readonly policyIds?: readonly string[] | undefined;
  readonly workerIds?: readonly string[] | undefined;
  readonly limit: number;
  readonly after?: BalancePosition | undefined;
  readonly before?: BalancePosition | undefined;
  /** Whether requests and adjustments have their ids, for an explanation. */
  readonly withIds?: boolean | undefined;
}

/** An assignment with columns of its worker's row. */
export interface JoinedAssignment {
  readonly workerId: string;
  readonly policyId: string;
  readonly workerLegacyId: string | null;
  readonly assignedDay: number;
  readonly endsDay: number | null;
  /** The policy whose balance moves here on the assignment day. */
  readonly oldPolicyId: string | null;
  /** The assignment day of the worker's assignment to which this balance moves; null if it does not move. */
  readonly movesDay: number | null;
  /** `AssignmentRow.terms`. */
  readonly assignmentTerms: string | null;
  readonly workerStartDay: number;
  readonly workerEndDay: number | null;
}

/** An assignment with the facts of its balance. Lists have no order, unless stated. */
export interface AssignmentWithFacts extends JoinedAssignment {
  /** `PolicyRow.terms`. */
  readonly policyTerms: string;
  /** Pending and approved requests of the worker under the policy. */
  readonly requests: readonly RequestColumns[];
  /** Adjustments of the worker under the policy. */
  readonly adjustments: readonly AdjustmentColumns[];
  /** Worked hours of the worker; none if the policy does not count them. */
  readonly workedHours: readonly HoursColumns[];
  readonly opening: OpeningColumns | null;
  readonly workTime: WorkTimeColumns;
}

/** The facts of a page of balances, in one snapshot: ordered by worker id, then policy id. */
export interface FactsPage {
  readonly assignments: readonly AssignmentWithFacts[];
  readonly hasMore: boolean;
}

/** The columns of a request that balances need. */
export interface RequestColumns
  extends Pick<Rows["requests"], "status" | "firstDay" | "lastDay" | "minutes" | "terms"> {
  /** Absent unless `BalanceQuery.withIds`. */
  readonly id?: string;
}

export interface LeaveRow extends RequestColumns {
  readonly id: string;
  readonly workerId: string;
  readonly policyId: string;
}

/** A page of leave, in the order of requests. */
export interface LeavePage {
  readonly rows: readonly LeaveRow[];
  readonly hasMore: boolean;
}

/** The columns of an adjustment that balances need. */
export interface AdjustmentColumns extends Pick<Rows["adjustments"], "day" | "minutes"> {
  /** `AdjustmentRow.expiresDay`. */
  readonly expiresOn: Rows["adjustments"]["expiresDay"];
  /** Absent unless `BalanceQuery.withIds`. */
  readonly id?: string;
}

export type HoursColumns = Pick<Rows["work_hours"], "day" | "minutes">;

export type OpeningColumns = Omit<Rows["openings"], "workerId" | "policyId">;

/** A worker's schedule from a day on, with the holidays of its calendar in order of days. */
export interface ScheduleColumns extends Pick<Rows["schedules"], "day"> {
  readonly terms: string;
  readonly holidays: readonly HolidayColumns[];
}

/** A worker's working time, as far as it is known. */
export interface WorkTimeColumns {
  /** `WorkerRow.terms`. */
  readonly workerTerms: string | null;
  /** The holidays of the workplace's calendar, in order of days. */
  readonly holidays: readonly HolidayColumns[];
  /** In order of days. */
  readonly schedules: readonly ScheduleColumns[];
}

export interface HolidayColumns extends Pick<Rows["holidays"], "day" | "minutes"> {
  /** Null in facts that are read without ids: only explanations and passports name it. */
  readonly name: string | null;
}

export type RowsOfWorker = { readonly [K in OwnedKind | "workers"]: readonly Rows[K][] };

/** The work time of each worker, by id. A worker without any has no entry. */
export type WorkTimesOf = ReadonlyMap<string, WorkTimeColumns>;

export interface ChangeEntry {
  readonly resource: ChangeResource;
  readonly id: string;
  readonly removed: boolean;
  /** The wire object as JSON; null for a removal and for balances. */
  readonly doc: string | null;
}

/**
 * A position in the change feed. `scan`: within the pass over all objects as of import `seq`, after the object `id` of the resource
 * `step`. `scan-with-balances`: the same, and the pass also names the workers who have balances. `tail`: after the entry `id` of a step
 * of import `seq`. `step` is the name of one of `STEPS`, or `END_STEP`.
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

/** Reads one company, and no other. Every call is one snapshot. Raises StoreUnavailable. */
export interface CompanyReader {
  /** A page of a list: the objects that meet all of the conditions. */
  list(kind: ListKind, page: PageQuery, conditions: readonly Condition[]): Promise<DocPage>;
  /** The wire object as JSON; null if the company has none with this id. */
  object(kind: ListKind, id: string): Promise<string | null>;
  balanceFacts(query: BalanceQuery): Promise<FactsPage>;
  workTimes(workerIds: readonly string[]): Promise<WorkTimesOf>;
  /** All rows of a worker; none if the company does not have the worker. */
  rowsOf(workerId: string): Promise<RowsOfWorker>;
  /** Balances that another system reported, by worker, policy and day. */
  reported(): Promise<Rows["reported"][]>;
  /** The page of the list of requests, as leave. */
  leave(page: PageQuery, conditions: readonly Condition[]): Promise<LeavePage>;
  /** Runs `work`, and again if an import changes the company meanwhile, until all its reads see one version. */
  atOneVersion<T>(work: (company: CompanyReader) => Promise<T>): Promise<T>;
  /** Null if there is no such company (any more). */
  about(): Promise<Company | null>;
  /** `KnownMoment.firstMs`. */
  knownSince(): Promise<number | null>;
  /** Null if there is no such company (any more). */
  lastImports(): Promise<LastImports | null>;
  /**
   * A page of the change feed, parents before children, removals of children before those of parents. "gone" if the
   * position is of another history, or older than the removals that are kept. May read several snapshots: each entry is as in
   * the newest of them.
   */
  changes(query: ChangesQuery): Promise<ChangesPage | "gone">;
  /**
   * The sequence of a calendar event is this number plus the number of an import. It never falls: a restore raises this number, even after
   * clocks were set back. At most 2^31 - 1. Null if there is no such company (any more).
   */
  calendarSequence(): Promise<number | null>;
  /** The closes, the newest first. */
  closes(): Promise<StoredClose[]>;
  /** The company as it was known at that revision. */
  known(revision: number): CompanyReader;
  /** The import that last changed each object, by id. Objects that the company's first import wrote last are left out. */
  lastChanges(kind: ListKind, ids: readonly string[]): Promise<ReadonlyMap<string, LastChange>>;
}

/** A closed period: its revision, and figures of the balances at that revision. */
export interface StoredClose {
  readonly name: string;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly revision: number;
  /** When the revision was known. */
  readonly atMs: number;
  /** SHA-256 of the balances and movements as CSV, in hexadecimal. */
  readonly digest: string;
  readonly balances: number;
  readonly minutes: number;
  /** Erased since the close: workers with a figure, their balances, and requests of other workers that counted then. */
  readonly erasedWorkers: number;
  readonly erasedBalances: number;
  readonly erasedRequests: number;
  /** When the last of these workers was erased. */
  readonly workersErasedMs: number | null;
}

/** The fields of a close from which nothing was erased yet. */
export const NOTHING_ERASED = {
  erasedWorkers: 0,
  erasedBalances: 0,
  erasedRequests: 0,
  workersErasedMs: null,
} as const;

/** An import that changed an object: its number in its company, and when it ended. */
export interface LastChange {
  readonly seq: number;
  readonly endedAtMs: number;
}

/** A key or a calendar feed as it is stored, without the secret itself. Instants are UTC milliseconds. */
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

export const SECRET_TABLES = ["keys", "feeds"] as const;
export type SecretTable = (typeof SECRET_TABLES)[number];

export type SecretChange = Partial<Pick<StoredSecret, "expiresAtMs" | "revokedAtMs">>;

/** How much a key reads of objects: everything; everything but reasons; or only who is away. */
export const KEY_LEVELS = ["everything", "no-reasons", "away"] as const;

/** Which part of a company a key reads, like the access of people who sign in. */
export interface KeyAccess {
  readonly level: (typeof KEY_LEVELS)[number];
  /** Ids of the workers that it sees. With no ids here and below, it sees the whole company. */
  readonly workers: readonly string[];
  /** Ids of departments: it sees their workers, and those of departments within them. */
  readonly departments: readonly string[];
  /** Ids of managers: it sees them and everybody below them. */
  readonly managers: readonly string[];
}

/** The default access of a key. */
export const FULL_ACCESS: KeyAccess = { level: "everything", workers: [], departments: [], managers: [] };

export interface StoredKey extends StoredSecret {
  readonly scopes: readonly Scope[];
  readonly access: KeyAccess;
}

/** The most ids of a kind that a key or a calendar feed names. */
export const SECRET_IDS_MAX = 200;

/** Which leave a calendar feed shows, and how much of it. An empty list restricts nothing. */
export interface CalendarDefinition {
  /** Ids. */
  readonly workers: readonly string[];
  readonly types: readonly Worker["type"][];
  /** Ids. */
  readonly policies: readonly string[];
  /** What an event shows besides the name: "busy", or the policy's name. */
  readonly show: "busy" | "policy";
  /** Whether pending leave is shown, too, as tentative. */
  readonly withPending: boolean;
}

/** A calendar feed. Its secret is a part of its address. */
export interface StoredCalendar extends StoredSecret {
  readonly definition: CalendarDefinition;
}

export interface KnownMoment {
  /** Null for a moment before the first known revision. */
  readonly revision: number | null;
  /** When the revision became known; null if there is none. */
  readonly atMs: number | null;
  /** When the first revision became known; null if nothing was imported yet. */
  readonly firstMs: number | null;
  /** When the first revision after the moment became known; null if there is none. */
  readonly nextMs: number | null;
}

/** What a server needs. It can change only the last use of keys and feeds, the progress of hooks, and the notes for them. */
export interface ReadStore extends AsyncDisposable {
  /** The company's version, read after the call began; null if there is no such company. Each import with changes makes a new version. */
  version(companyId: string): Promise<string | null>;
  /**
   * With a `version` that was just read, replicas with this version may serve the reads. With a `revision`, the reader sees the company as
   * it was known then, except for the change feed and the times of changes, which are always as of now.
   */
  company(companyId: string, version?: string, revision?: number | null): CompanyReader;
  /** Which revision of the company was known at a moment. */
  knownAt(companyId: string, atMs: number): Promise<KnownMoment>;
  /** The key with this digest, even if revoked or expired. At most one second old, except for its last use. */
  key(digest: string): Promise<StoredKey | null>;
  /** The calendar feed with this digest as it is now, even if revoked or expired. */
  calendar(digest: string): Promise<StoredCalendar | null>;
  /** Adds a calendar feed. On PostgreSQL the role needs a right for that, which `migrate` grants on request. */
  createCalendar(feed: StoredCalendar): Promise<void>;
  /** Records the last use of keys and feeds, by id, in milliseconds. An earlier time never replaces a later one. */
  touchKeys(lastUsedAtMs: ReadonlyMap<string, number>): Promise<void>;
  readonly hooks: Hooks;
  /** The last imports of the first `limit` companies by id. One statement. */
  lastImports(limit: number): Promise<LastImports[]>;
  /** Resolves when the store can be read; raises StoreUnavailable otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A row of a history table or a close, by column names. */
export type StoredRecord = Readonly<Record<string, string | number | null>>;

export type VisitRecords = (table: string, rows: readonly StoredRecord[]) => Promise<void>;

// Writing ------------------------------------------------------------------------------------------------------------

export type { Company, RowKey };

/** A company's last import and its last failed one, as JSON, which `src/import/report.ts` reads. */
export interface LastImports extends Pick<Company, "id" | "dataAsOfMs"> {
  /** The last import that succeeded; null if none did. */
  readonly lastImport: string | null;
  readonly lastFailure: string | null;
}

/** The part of an import's record that all readers of the data may see. */
export interface ImportSummary {
  readonly endedAtMs: number;
}

/** The part of a failed import's record that all readers of the data may see. */
export interface FailureSummary {
  readonly endedAtMs: number;
  /** `refused`: because of its rows, its mapping or its findings. `failed`: for another reason, such as a full disk. */
  readonly outcome: "refused" | "failed";
  /** How many row errors it had; null if it failed before rows were checked. */
  readonly mistakes: number | null;
  /** Why a pull failed, without personal data. Null for imports. */
  readonly reason: string | null;
}

/** The record of one import, as JSON. */
export interface StoredImport {
  readonly hasFailed: boolean;
  readonly record: string;
}

/** The size of a kind in a company: the rows, and about how many bytes their wire objects have. */
export interface KindSize {
  readonly kind: Kind;
  readonly rows: number;
  readonly bytes: number;
}

/** The condition that a day of a row is this one or a later one. */
export interface FromDay {
  readonly column: string;
  readonly day: number;
}

/** A temporary table: its columns with their types, in order. A column of row numbers is the table's key. */
export type StagedColumns = Readonly<Record<string, ColumnType | "row number">>;

export type StagedValue = string | number | bigint | null;

/** Statements of an import about its company. */
export interface ImportStatements {
  readonly companyId: string;
  /** Runs one statement. It sees committed rows; within `hold`, also the written ones. */
  run<R>(query: Sql): Promise<R[]>;
  company(): Promise<Company>;
  /** With `from`, counts the rows on or after these days, and those without the day. */
  count(kind: Kind, from?: readonly FromDay[]): Promise<number>;
}

/**
 * An import's connection before it holds its company. It has temporary tables, which nobody else sees and which end with it,
 * and runs statements over them and over stored rows. `hold` begins the transaction that writes.
 */
export interface ImportSession extends ImportStatements {
  /** Makes an empty temporary table. Not while `batches` are read. */
  makeTable(name: string, columns: StagedColumns): Promise<void>;
  /** Adds rows to a temporary table, each with a value for every column. */
  fill(table: string, rows: readonly (readonly StagedValue[])[]): Promise<void>;
  /** The rows of a query in batches, which need little memory. Other statements may run between two batches. */
  batches<R>(query: Sql): AsyncIterable<readonly R[]>;
  /** Raises CompanyChanged if the company changed since the session began: then the rows that were read may be of two states. */
  requireUnchanged(): Promise<void>;
  /**
   * Runs `work` in the transaction that writes, which sees the temporary tables. Waits until nobody else writes the company. Raises
   * CompanyChanged, with nothing done, if the company changed since the session began.
   */
  hold<T>(work: (transaction: ImportTransaction) => Promise<ImportOutcome<T>>): Promise<T>;
}

/** The company changed while an import read its files: the import must begin again. */
export class CompanyChanged extends Error {
  override readonly name = "CompanyChanged";
}

/** What an import knows of a row that it puts, beside the row. */
export interface KnownOfRow {
  readonly digest: RowDigest | null;
  /** The row that it replaces, with its `seq`. */
  readonly stored: NotedRow | null;
}

/** One import of one company. It sees its own writes. Others see none before the commit, and all after it. */
export interface ImportTransaction extends ImportStatements {
  /** Begins a first load. Until `endFirstLoad`, only rows of this kind are put, in key order, and nobody reads them. */
  beginFirstLoad(kind: Kind): Promise<void>;
  endFirstLoad(): Promise<void>;
  /** Adds rows with different keys, or replaces stored rows. Looks these up unless `known` has them. */
  put<K extends Kind>(kind: K, rows: readonly Rows[K][], known?: readonly KnownOfRow[]): Promise<void>;
  remove(kind: Kind, keys: readonly RowKey[]): Promise<void>;
  /** All rows of a kind in key order, in batches, which need little memory. Rows of batches already seen may be written meanwhile. */
  scan<K extends Kind>(kind: K): AsyncIterable<readonly Rows[K][]>;
  /** Replaces the history of the company's own row, as a copy does. The transaction is then no revision. Call it after all rows. */
  replaceStates(states: readonly StoredRecord[]): Promise<void>;
  /** Adds a close, and keeps the history that it needs. False if its revision is not the last one, or if there is one with its name. */
  putClose(close: StoredClose): Promise<boolean>;
  /** Removes a close. False if there is none with the name. */
  removeClose(name: string): Promise<boolean>;
  /** Changes settings. Also removes all digests, because rows depend on settings. */
  updateCompany(change: Partial<CompanySettings>): Promise<void>;
  /** Runs checks of the whole company, which write nothing. */
  check<T>(work: () => Promise<T>): Promise<T>;
  /** As `CompanyReader.workTimes`, with the written rows. */
  workTimes(workerIds: readonly string[]): Promise<WorkTimesOf>;
  /** As `CompanyReader.balanceFacts`, with the written rows. */
  balanceFacts(query: BalanceQuery): Promise<FactsPage>;
  /** As `CompanyReader.balanceFacts`, without the written rows. */
  balanceFactsBefore(query: BalanceQuery): Promise<FactsPage>;
  closes(): Promise<StoredClose[]>;
  /** Ids of the workers and policies whose balances this import may have changed; none for a first import. */
  changedBalances(): Promise<readonly string[]>;
  /** Ids of the workers that this import has removed. */
  removedWorkers(): readonly string[];
  /** Notes an event for all hooks of the company. */
  noteEvent(type: NotedType, ids: Readonly<Record<string, string | number>>): void;
}

export interface ImportOutcome<T> {
  readonly result: T;
  /** Whether anything changed. Then the company gets a new version in the same transaction. */
  readonly changed: boolean;
  /** If false, the store stays as it was. */
  readonly commit: boolean;
  /** How long the change feed keeps removals, in milliseconds; by default 90 days. */
  readonly keepRemovalsMs?: number | undefined;
  /** For a change that is no import: the times that the company then has. By default, those of an import that ended now. */
  readonly times?: Pick<Company, "dataAsOfMs" | "changedAtMs">;
  /** The record of the import. Left out by copies, which are no imports. */
  readonly record?: string;
  /** Whether data of present workers was erased. No bytes of it may stay in the store's files. */
  readonly hasErased?: boolean;
}

/** The required properties of a new company; the others are null by default. */
export type NewCompany = Pick<Company, "id" | "name" | "createdAtMs"> & Partial<Company>;

/** Whether removed data is gone from the store's own files, too. Readers never see it. */
export type Erasure =
  | { readonly isErased: true }
  | {
      readonly isErased: false;
      /**
       * When the bytes are erased. `readersEnd`: present readers must end, then the next export, backup or import erases them.
       * `nextImport`: the file could not be rewritten now, so the next import or deletion erases them. `vacuumed`: the database
       * must vacuum its tables. `overwritten`: bytes stay in free space until it is used again.
       */
      readonly until: "readersEnd" | "nextImport" | "vacuumed" | "overwritten";
      /** Why the file could not be rewritten. */
      readonly because?: string;
    };

export type ErasedBy = Extract<Erasure, { readonly isErased: false }>["until"];

/** A writer's wait for another writer. */
export interface Waiting {
  /** Called once if another writer must end first. `holder` names it; null if the engine cannot tell. */
  readonly onWait?: ((holder: string | null) => void) | undefined;
  /** How long to wait, by default ten minutes. Then StoreUnavailable is raised. */
  readonly waitMs?: number | undefined;
  /** How long the other writer may pause while it sends rows before it is ended (PostgreSQL); by default 90 seconds. */
  readonly stoppedAfterMs?: number | undefined;
}

export const DEFAULT_WAIT_MS = 600_000;

/** Raised at the end of a wait: another writer holds `what`. */
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
  /** Whether no hook gets events of the import. */
  readonly isQuiet?: boolean | undefined;
}

/** What the command line needs. Every call is all or nothing. Calls for keys and feeds never wait for an import. */
export interface WriteStore extends AsyncDisposable {
  /** Raises StoreRefusal if the id is taken. */
  createCompany(company: NewCompany): Promise<void>;
  companies(): Promise<Company[]>;
  /** Removes the company with its facts, keys, feeds and hooks. Null if it does not exist. Afterwards nobody can read any of it. */
  deleteCompany(id: string, waiting?: Waiting): Promise<Erasure | null>;
  /** Adds a key or a feed. Raises StoreRefusal for an unknown company. */
  createSecret(secret: StoredKey | StoredCalendar): Promise<void>;
  /** The keys of one company, or of all. */
  keys(companyId?: string): Promise<StoredKey[]>;
  /** The feeds of one company, or of all. */
  feeds(companyId?: string): Promise<StoredCalendar[]>;
  /** Sets expiry or revocation; false if there is none with this id. */
  updateSecret(table: SecretTable, id: string, change: SecretChange): Promise<boolean>;
  /** Adds a hook, which gets events from now on. Raises StoreRefusal for an unknown company. */
  createHook(hook: StoredHook): Promise<void>;
  readonly hooks: Hooks;
  /** Changes a company in one transaction, which is an import of the change feed. Raises StoreRefusal for an unknown company. */
  change<T>(
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
  /** Records a failed import. False if there is no such company, or if another import holds it and will record its own end. */
  noteFailedImport(companyId: string, record: string): Promise<boolean>;
  /** The last imports of a company, failed ones included, the oldest first. Empty for an unknown company. */
  imports(companyId: string): Promise<StoredImport[]>;
  /** Counts are exact. Bytes are estimated from the first rows of each kind, and exact if there are few. */
  sizes(companyId: string): Promise<KindSize[]>;
  /** Whether rows that the last import through this object removed, or was refused with, are erased from the store's files. */
  erasure(): Erasure;
  /** Every row of a company, kind by kind in key order, in one snapshot. Raises StoreRefusal for an unknown company. */
  export(
    companyId: string,
    visit: <K extends Kind>(kind: K, rows: readonly Rows[K][]) => Promise<void>,
  ): Promise<void>;
  /** The company's own row at each revision. */
  states(companyId: string): Promise<StoredRecord[]>;
  /** The history of the facts, and the closes, table by table in key order. */
  records(companyId: string, visit: VisitRecords): Promise<void>;
  close(): Promise<void>;
}

/** Reads the contents of a store or a backup, as of one moment. */
export type Contents = Pick<
  WriteStore,
  "companies" | "imports" | "keys" | "feeds" | "export" | "states" | "records"
>;

/** Writes all companies of a store at once. Readers see everything before or everything after. */
export interface StoreTransaction {
  /** Ids of the companies when the transaction began. */
  readonly companiesBefore: readonly string[];
  /** Makes a company, or changes the one with this id. It gets a new version. */
  putCompany(company: Company): Promise<void>;
  /** Removes a company with its facts, keys and feeds. */
  removeCompany(id: string): Promise<void>;
  /** Writes the facts of an existing company. */
  rows(companyId: string): Promise<ImportTransaction>;
  /** Adds the keys and feeds whose ids are new; all others stay as they are. */
  addSecrets(keys: readonly StoredKey[], feeds: readonly StoredCalendar[]): Promise<void>;
}
