// The SQL that both engines share, and how its rows are read. Pages of lists are in the `sql.ts` of each engine. Values are
// always bound; only our own text is inserted raw.
//
// Each query begins with the company, as every key and index does. `in (...)` lists are padded to a power of two by
// repeating the last value, so that a few prepared statements serve lists of any length.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { COMPANY_COLUMNS } from "../resources/company.ts";
import { columnName, SCOPES } from "../resources/resource.ts";
import { trimPage } from "./plan.ts";
import type {
  AdjustmentColumns,
  BalanceQuery,
  CalendarDefinition,
  Condition,
  FactsPage,
  HolidayColumns,
  HoursColumns,
  JoinedAssignment,
  NewCompany,
  OpeningColumns,
  PageQuery,
  RequestColumns,
  ScheduleColumns,
  SecretChange,
  SecretTable,
  StoredCalendar,
  StoredKey,
  StoredSecret,
  WorkTimeColumns,
  WorkTimesOf,
} from "./store.ts";
import { KEY_LEVELS, type KeyAccess, StoreRefusal } from "./store.ts";
import { selected } from "./tables.ts";

/** The condition that a column has one of these values. There must be at least one value. */
export function anyOf(column: string, values: readonly (string | number)[]): Sql {
  if (values.length === 1) return sql`${raw(column)} = ${values[0]}`;
  return sql`${raw(column)} in (${join(padded(values))})`;
}

/** A list padded to a power of two with its last element, so that a few statements serve lists of any length. */
export function padded<T>(list: readonly T[]): T[] {
  const length = list.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(list.length));
  return Array.from({ length }, (_, at) => list[Math.min(at, list.length - 1)]!);
}

/** The condition that a row lies beyond the cursor; empty without one. */
export function pagePosition({ after, before }: PageQuery): Sql {
  if (after !== undefined) return sql` and id > ${after}`;
  return before !== undefined ? sql` and id < ${before}` : empty;
}

/** The conditions of a filter, each with `and` before it. */
export function where(conditions: readonly Condition[]): Sql {
  return conditions.reduce((all, { column, is, values }) => {
    const name = columnName(column);
    return is === "in"
      ? sql`${all} and ${anyOf(name, values)}`
      : sql`${all} and ${raw(name)} ${raw(is)} ${values[0]}`;
  }, empty);
}

/** The columns of leave, from a row of `requests`. */
export const LEAVE_COLUMNS = `
  requests.id as "id", requests.worker_id as "workerId", requests.policy_id as "policyId",
  requests.status as "status", requests.first_day as "firstDay", requests.last_day as "lastDay",
  requests.minutes as "minutes", requests.terms as "terms"`;

/** Columns under the names of their properties. */
const columns = (...names: readonly string[]) => raw(selected(names));

export function companies(id?: string): Sql {
  const ofId = id === undefined ? empty : sql` where id = ${id}`;
  return sql`select ${columns(...COMPANY_COLUMNS)} from companies${ofId} order by id`;
}

/** What a company gets with each new version. */
export interface Revision {
  readonly version: string;
  /** The lowest `calendarSequence` of a company that is made or restored now. */
  readonly sequence: number;
}

const SEQUENCE_STARTS_MS = Date.UTC(2020, 0);

/** A random version, and the seconds since 2020: more than a lost store can have counted, unless clocks were set back. */
export function newRevision(nowMs: number): Revision {
  return { version: crypto.randomUUID(), sequence: Math.floor((nowMs - SEQUENCE_STARTS_MS) / 1000) };
}

/** The sequence of a replaced company: higher than in all its earlier events, even if the clock went back. */
const NEXT_SEQUENCE = raw(`
  case
    when companies.calendar_sequence + companies.seq < excluded.calendar_sequence
    then excluded.calendar_sequence
    else companies.calendar_sequence + companies.seq + 1
  end`);

/** Adds a company. `onConflict` says what happens if there is one with its id. */
export function putCompany(
  company: NewCompany,
  { version, sequence }: Revision,
  onConflict: Sql = empty,
): Sql {
  const names = COMPANY_COLUMNS.map(columnName).join(", ");
  const values = COMPANY_COLUMNS.map((column) => company[column] ?? null);
  return sql`
    insert into companies (version, calendar_sequence, ${raw(names)})
    values (${version}, ${sequence}, ${join(values)})${onConflict}`;
}

/** Replaces a stored company: an import that waits for its row continues with the new one. */
export const REPLACE_COMPANY = sql`
  on conflict (id) do update
  set version = excluded.version,
    calendar_sequence = ${NEXT_SEQUENCE},
    digest_key = null,
    revision = 0,
    ${raw(
      COMPANY_COLUMNS.slice(1)
        .map((column) => `${columnName(column)} = excluded.${columnName(column)}`)
        .join(", "),
    )}`;

/** The last imports of one company, or of the first companies by id. */
export function lastImports(limit: number, id?: string): Sql {
  const last = (hasFailed: number) => sql`
    (
      select record
      from import_records
      where company_id = id and has_failed = ${hasFailed}
      order by number desc
      limit 1
    )`;
  return sql`
    select id, data_as_of_ms as "dataAsOfMs", ${last(0)} as "lastImport", ${last(1)} as "lastFailure"
    from companies${id === undefined ? empty : sql` where id = ${id}`}
    order by id
    limit ${limit}`;
}

/** The columns that every change of a company replaces. An import begins again if they change. */
export function companyState(companyId: string): Sql {
  return sql`select version, digest_key from companies where id = ${companyId}`;
}

export function companyVersion(companyId: string): Sql {
  return sql`select version from companies where id = ${companyId}`;
}

/** The columns of an assignment that its balance needs. */
export const ASSIGNMENT_COLUMNS =
  "worker_id, policy_id, assigned_day, ends_day, terms, moves_from, company_id";

/** A page of the balance list: assignments by worker, then policy. `source`: the table, or a selection that has the page. */
function assignmentPage(companyId: string, query: BalanceQuery, source = raw("assignments")): Sql {
  const { workerIds, policyIds } = query;
  const ofWorkers = workerIds === undefined ? empty : sql` and ${anyOf("worker_id", workerIds)}`;
  const ofPolicies = policyIds === undefined ? empty : sql` and ${anyOf("policy_id", policyIds)}`;
  const direction = listDirection(query);
  return sql`
    select ${raw(ASSIGNMENT_COLUMNS)}
    from ${source}
    where company_id = ${companyId}${balancePosition(query)}${ofWorkers}${ofPolicies}
    order by worker_id${direction}, policy_id${direction}
    limit ${query.limit + 1}`;
}

/**
 * A page of the balance list with the facts of its workers. `worker` joins workers, as `w`, to the assignments, as `a`. The limit comes
 * before the join. Otherwise PostgreSQL scans all workers up to the cursor, and SQLite reads a page of a past revision twice.
 */
export function balancePage(
  companyId: string,
  query: BalanceQuery,
  source: Sql | undefined,
  worker: Sql,
): Sql {
  const direction = listDirection(query);
  const page = assignmentPage(companyId, query, source);
  return sql`
    with listed_assignments as materialized (${page})
    select
      a.worker_id as "workerId", a.policy_id as "policyId", w.legacy_id as "workerLegacyId",
      a.assigned_day as "assignedDay", a.ends_day as "endsDay", a.moves_from as "oldPolicyId",
      (
        select n.assigned_day
        from assignments n
        where n.company_id = a.company_id and n.worker_id = a.worker_id and n.moves_from = a.policy_id
      ) as "movesDay",
      a.terms as "assignmentTerms", w.start_day as "workerStartDay", w.end_day as "workerEndDay"
    from listed_assignments a
    ${worker}
    order by a.worker_id${direction}, a.policy_id${direction}`;
}

function listDirection({ before }: BalanceQuery): Sql {
  return raw(before === undefined ? "" : " desc");
}

/** The condition that an assignment lies after the cursor; empty without one. */
function balancePosition({ after, before }: BalanceQuery): Sql {
  const at = after ?? before;
  if (at === undefined) return empty;
  const operator = raw(before === undefined ? ">" : "<");
  return sql` and (worker_id, policy_id) ${operator} (${at.workerId}, ${at.policyId})`;
}

/** The policies of a page, which are few. `ofPage` is a condition on the column `id`. */
export function policyFacts(companyId: string, ofPage: Sql): Sql {
  return sql`
    select ${columns("id", "terms")}
    from policies
    where company_id = ${companyId} and ${ofPage}`;
}

export interface PolicyColumns {
  readonly id: string;
  readonly terms: string;
}

/** Part of the terms of each policy that counts worked hours. */
export const BY_HOURS = '"per_hour_worked"';

// The facts of the workers of a page: `ofWorkers` is a condition on the column `worker_id`.

/** Pending and approved requests. The index of a worker's requests has all columns but the ids. */
export function requestFacts(companyId: string, ofWorkers: Sql, withIds: boolean | undefined): Sql {
  return sql`
    select ${columns("workerId", "policyId", "status", "firstDay", "lastDay", "minutes", "terms", ...ids(withIds))}
    from requests
    where company_id = ${companyId} and ${ofWorkers} and status <> 'denied'`;
}

export function adjustmentFacts(companyId: string, ofWorkers: Sql, withIds: boolean | undefined): Sql {
  return sql`
    select ${columns("workerId", "policyId", "day", "minutes", ...ids(withIds))}, expires_day as "expiresOn"
    from adjustments
    where company_id = ${companyId} and ${ofWorkers}`;
}

const ids = (isWanted: boolean | undefined) => (isWanted ? ["id"] : []);

export function workedHoursFacts(companyId: string, ofWorkers: Sql): Sql {
  return sql`
    select ${columns("workerId", "day", "minutes")}
    from work_hours
    where company_id = ${companyId} and ${ofWorkers}`;
}

export function openingFacts(companyId: string, ofWorkers: Sql): Sql {
  return sql`
    select ${columns("workerId", "policyId", "day", "minutes", "carriedMinutes", "accruedMinutes")}
    from openings
    where company_id = ${companyId} and ${ofWorkers}`;
}

/** A schedule. A row without a day has the worker's own terms and the calendar of the workplace. */
export interface WorkTimeRow {
  readonly workerId: string;
  readonly day: number | null;
  readonly terms: string | null;
  readonly calendar: string | null;
}

export interface CalendarDay extends HolidayColumns {
  readonly calendar: string;
}

/** The calendar of a row of `schedules`: its own, else that of the worker's workplace. */
const SCHEDULE_CALENDAR = raw(`
  coalesce(schedules.calendar, (
    select p.holiday_calendar
    from workers w
    join workplaces p on p.company_id = w.company_id and p.id = w.workplace_id
    where w.company_id = schedules.company_id and w.id = schedules.worker_id
  ))`);

/** Selects a `WorkTimeRow` for each schedule, which always has terms, and for each worker. */
export function workTimeFacts(companyId: string, ofWorkers: Sql): Sql {
  return sql`
    select ${columns("workerId", "day", "terms")}, ${SCHEDULE_CALENDAR} as "calendar"
    from schedules
    where company_id = ${companyId} and ${ofWorkers}
    union all
    select worker_id, null, terms, calendar
    from (
      select
        w.company_id, w.id as worker_id, w.terms,
        (
          select p.holiday_calendar
          from workplaces p
          where p.company_id = w.company_id and p.id = w.workplace_id
        ) as calendar
      from workers w) as usual
    where company_id = ${companyId} and ${ofWorkers} and (terms is not null or calendar is not null)
    order by 1, 2`;
}

/** Holidays by day. Of several on one day, the longest is first, and counts. `ofCalendars`: a condition on `calendar`. */
export function holidayFacts(companyId: string, ofCalendars: Sql, withNames: boolean | undefined): Sql {
  const name = raw(withNames ? "name" : "null");
  return sql`
    select ${columns("calendar", "day", "minutes")}, ${name} as "name"
    from holidays
    where company_id = ${companyId} and ${ofCalendars}
    order by calendar, day`;
}

/** The longer of two holidays; one without minutes is a whole day. */
function longer(a: HolidayColumns, b: HolidayColumns): HolidayColumns {
  const [ofA, ofB] = [a.minutes ?? Infinity, b.minutes ?? Infinity];
  if (ofA === ofB) return (a.name ?? "") <= (b.name ?? "") ? a : b;
  return ofA > ofB ? a : b;
}

/** The work times by worker. The schedules and the holidays of each calendar are in order of days. */
export function workTimesOf(rows: readonly WorkTimeRow[], holidays: readonly CalendarDay[]): WorkTimesOf {
  const ofCalendar = new Map<string | null, HolidayColumns[]>();
  for (const { calendar, day, minutes, name } of holidays) {
    const days = ofCalendar.get(calendar) ?? [];
    ofCalendar.set(calendar, days);
    const last = days.at(-1);
    if (last?.day === day) days[days.length - 1] = longer(last, { day, minutes, name });
    else days.push({ day, minutes, name });
  }
  const ofWorkers = new Map<string, WorkTimeColumns & { readonly schedules: ScheduleColumns[] }>();
  for (const { workerId, day, terms, calendar } of rows) {
    const ofWorker = ofWorkers.get(workerId) ?? { ...NO_WORK_TIME, schedules: [] };
    const days = ofCalendar.get(calendar) ?? [];
    if (day === null) ofWorkers.set(workerId, { ...ofWorker, workerTerms: terms, holidays: days });
    else {
      ofWorkers.set(workerId, ofWorker);
      ofWorker.schedules.push({ day, terms: terms!, holidays: days }); // every schedule has terms
    }
  }
  return ofWorkers;
}

/** Nothing is known. */
export const NO_WORK_TIME: WorkTimeColumns = { workerTerms: null, holidays: [], schedules: [] };

interface OfWorker {
  readonly workerId: string;
}

interface OfPolicy extends OfWorker {
  readonly policyId: string;
}

/** The rows of a page of balances, by table. There may be one assignment too many. */
export interface FactsRows {
  readonly assignments: JoinedAssignment[];
  readonly policies: PolicyColumns[];
  readonly requests: (RequestColumns & OfPolicy)[];
  readonly adjustments: (AdjustmentColumns & OfPolicy)[];
  readonly workedHours: (HoursColumns & OfWorker)[];
  readonly openings: (OpeningColumns & OfPolicy)[];
  readonly workTimes: WorkTimeRow[];
  readonly holidays: CalendarDay[];
}

/** A page of balances with their facts. */
export function toFactsPage(facts: FactsRows, query: BalanceQuery): FactsPage {
  const { rows, hasMore } = trimPage(facts.assignments, query.limit, query.before !== undefined);
  const policies = new Map(facts.policies.map(({ id, terms }) => [id, terms]));
  const requests = byWorker(facts.requests);
  const adjustments = byWorker(facts.adjustments);
  const openings = byWorker(facts.openings);
  const workTimes = workTimesOf(facts.workTimes, facts.holidays);
  const workedHours = byWorker(facts.workedHours);
  const assignments = rows.map((assignment) => {
    const { workerId, policyId } = assignment;
    const policyTerms = policies.get(policyId)!; // each assignment has a policy
    const isOfPolicy = (row: OfPolicy) => row.policyId === policyId;
    return {
      ...assignment,
      policyTerms,
      requests: requests.get(workerId)?.filter(isOfPolicy) ?? [],
      adjustments: adjustments.get(workerId)?.filter(isOfPolicy) ?? [],
      workedHours: policyTerms.includes(BY_HOURS) ? (workedHours.get(workerId) ?? []) : [],
      opening: openings.get(workerId)?.find(isOfPolicy) ?? null,
      workTime: workTimes.get(workerId) ?? NO_WORK_TIME,
    };
  });
  return { assignments, hasMore };
}

function byWorker<R extends OfWorker>(rows: R[]): Map<string, R[]> {
  return Map.groupBy(rows, ({ workerId }) => workerId);
}

// Keys and calendar feeds. Each is looked up by the digest of its secret.

export interface KeyRow extends StoredSecret {
  /** Words with spaces between them, as `storedScopes` writes them. */
  readonly scopes: string;
}

export interface CalendarRow extends StoredSecret {
  /** `CalendarDefinition` as JSON. */
  readonly definition: string;
}

/** Among the words of a stored key, an id follows its word: `manager=wrk_…`. */
const ID_WORDS = { worker: "workers", department: "departments", manager: "managers" } as const;

/** A key's scopes and the limits of its access, as words. */
export function storedScopes({ scopes, access }: StoredKey): readonly string[] {
  const ids = Object.entries(ID_WORDS).flatMap(([word, list]) => access[list].map((id) => `${word}=${id}`));
  return [...scopes, ...(access.level === "everything" ? [] : [access.level]), ...ids];
}

/** A feed's definition as it is stored: the same text for the same definition. */
export function storedDefinition({ definition }: StoredCalendar): string {
  const { workers, types, policies, show, withPending } = definition;
  return JSON.stringify({ workers, types, policies, show, withPending });
}

function secrets(table: SecretTable): Sql {
  const own = table === "keys" ? "scopes" : "definition";
  return sql`
    select
      ${columns("id", "companyId", "name", "digest", own, "createdAtMs", "expiresAtMs", "revokedAtMs", "lastUsedAtMs")}
    from ${raw(table)}`;
}

export function secretByDigest(table: SecretTable, digest: string): Sql {
  return sql`${secrets(table)} where digest = ${digest}`;
}

/** PostgreSQL only. */
export function keysByDigests(digests: readonly string[]): Sql {
  return sql`${secrets("keys")} where digest = any(${digests})`;
}

/** The rows of the table, or only those of one company, oldest first. */
export function listedSecrets(table: SecretTable, companyId?: string): Sql {
  const ofCompany = companyId === undefined ? empty : sql` where company_id = ${companyId}`;
  return sql`${secrets(table)}${ofCompany} order by created_at_ms, id`;
}

export function insertSecret(secret: StoredKey | StoredCalendar): Sql {
  const { id, companyId, name, digest, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = secret;
  const [table, ownColumn, own] =
    "scopes" in secret
      ? ["keys", "scopes", storedScopes(secret).join(" ")]
      : ["feeds", "definition", storedDefinition(secret)];
  const values = [id, companyId, name, digest, own, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs];
  return sql`
    insert into ${raw(table)}
      (id, company_id, name, digest, ${raw(ownColumn)}, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms)
    values (${join(values)})`;
}

/** Sets expiry or revocation. Returns a row if the id exists. */
export function updateSecret(table: SecretTable, id: string, change: SecretChange): Sql {
  const columns = { expiresAtMs: "expires_at_ms", revokedAtMs: "revoked_at_ms" } as const;
  const sets = Object.entries(change).map(
    ([field, value]) => sql`${raw(columns[field as keyof typeof columns])} = ${value}`, // the type of `change`
  );
  return sql`update ${raw(table)} set ${join(sets)} where id = ${id} returning id`;
}

export function toKey(row: KeyRow): StoredKey {
  const words = row.scopes.split(" ").filter((word) => word !== "");
  const scopes = SCOPES.filter((scope) => words.includes(scope));
  const level = KEY_LEVELS.findLast((known) => words.includes(known)) ?? "everything";
  const idsOf = (name: string) =>
    words.flatMap((word) => (word.startsWith(`${name}=`) ? [word.slice(name.length + 1)] : []));
  const access: KeyAccess = {
    level,
    workers: idsOf("worker"),
    departments: idsOf("department"),
    managers: idsOf("manager"),
  };
  const key = { ...row, scopes, access };
  if (storedScopes(key).length === words.length) return key;
  throw new StoreRefusal(`Key ${row.id} has an access that this version does not know`, "revoke it");
}

export function toCalendar(row: CalendarRow): StoredCalendar {
  return { ...row, definition: JSON.parse(row.definition) as CalendarDefinition }; // as `storedDefinition` writes it
}
