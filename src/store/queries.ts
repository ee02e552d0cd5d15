// The SQL of every read, once for both engines. Values are always bound; the only text that is put in raw is ours.
//
// Each query begins with the company, as every key and index does. `in (...)` lists are padded to a power of two by
// repeating the last value, so that a few prepared statements serve lists of any length.
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type {
  AssignmentFilter,
  BalancePosition,
  BalanceQuery,
  PageQuery,
  RequestFilter,
  WorkerFilter,
} from "./store.ts";

/** That a column has one of these values, of which there is at least one. */
export function anyOf(column: string, values: readonly string[]): Sql {
  if (values.length === 1) return sql`${raw(column)} = ${values[0]}`;
  const padded = [...values];
  while (padded.length & (padded.length - 1)) padded.push(values[values.length - 1]!);
  return sql`${raw(column)} in (${join(padded)})`;
}

/** The conditions that were asked for; a filter that was not given adds none. */
function conditions(...wanted: (Sql | false | undefined)[]): Sql {
  const given = wanted.filter((one) => one !== false && one !== undefined);
  return given.length === 0 ? empty : sql` and ${join(given, " and ")}`;
}

const given = <T>(value: T | undefined, condition: (value: T) => Sql): Sql | false =>
  value !== undefined && condition(value);

/** The condition that a row lies where the page begins, or after; empty without a cursor. */
export function pagePosition({ after, before }: PageQuery): Sql {
  if (after !== undefined) return sql` and id > ${after}`;
  return before !== undefined ? sql` and id < ${before}` : empty;
}

/** One more row than the page holds, so that the reader sees whether anything follows. */
function pageOf(table: string, companyId: string, page: PageQuery, where: Sql): Sql {
  const order = raw(page.before === undefined ? "id" : "id desc");
  return sql`select doc from ${raw(table)} where company_id = ${companyId}${pagePosition(page)}${where} order by ${order} limit ${page.limit + 1}`;
}

export function workersPage(companyId: string, page: PageQuery, filter: WorkerFilter): Sql {
  const where = conditions(
    given(filter.workEmailFolded, (email) => sql`work_email_folded = ${email}`),
    given(filter.statuses, (statuses) => anyOf("status", statuses)),
    given(filter.types, (types) => anyOf("type", types)),
  );
  return pageOf("workers", companyId, page, where);
}

export function policiesPage(companyId: string, page: PageQuery): Sql {
  return pageOf("policies", companyId, page, empty);
}

export function requestsPage(companyId: string, page: PageQuery, filter: RequestFilter): Sql {
  return pageOf("requests", companyId, page, requestConditions(filter));
}

export function requestConditions(filter: RequestFilter): Sql {
  return conditions(
    given(filter.workerIds, (ids) => anyOf("worker_id", ids)),
    given(filter.policyIds, (ids) => anyOf("policy_id", ids)),
    given(filter.statuses, (statuses) => anyOf("status", statuses)),
    given(filter.startsBefore, (instant) => sql`start_at_ms < ${instant}`),
    given(filter.startsOnOrAfter, (instant) => sql`start_at_ms >= ${instant}`),
    given(filter.endsBefore, (instant) => sql`end_at_ms < ${instant}`),
    given(filter.endsOnOrAfter, (instant) => sql`end_at_ms >= ${instant}`),
  );
}

export function assignmentsPage(companyId: string, page: PageQuery, filter: AssignmentFilter): Sql {
  const where = conditions(
    given(filter.workerIds, (ids) => anyOf("worker_id", ids)),
    given(filter.policyIds, (ids) => anyOf("policy_id", ids)),
  );
  return pageOf("assignments", companyId, page, where);
}

export function docById(table: "workers" | "policies", companyId: string, id: string): Sql {
  return sql`select doc from ${raw(table)} where company_id = ${companyId} and id = ${id}`;
}

export function companyVersion(companyId: string): Sql {
  return sql`select version from companies where id = ${companyId}`;
}

/**
 * A page of the balance list: assignments by worker, then policy, each with its policy's and its worker's facts. The
 * page is cut before anything is joined to it: PostgreSQL would else walk all workers up to the cursor. An
 * engine that knows where to look gives a `source` with those assignments alone.
 */
export function balancePage(companyId: string, query: BalanceQuery, source = raw("assignments")): Sql {
  const where = conditions(
    given(query.workerIds, (ids) => anyOf("worker_id", ids)),
    given(query.policyIds, (ids) => anyOf("policy_id", ids)),
  );
  const direction = raw(query.before === undefined ? "" : " desc");
  const at = query.after ?? query.before;
  const position = at === undefined ? empty : balancePosition(at, query.before === undefined ? ">" : "<");
  const page = sql`select company_id, worker_id, policy_id, assigned_day, ends_day from ${source} where company_id = ${companyId}${position}${where} order by worker_id${direction}, policy_id${direction} limit ${query.limit + 1}`;
  return sql`select a.worker_id as "workerId", a.policy_id as "policyId", w.legacy_id as "legacyWorkerId", a.assigned_day as "assignedDay", a.ends_day as "endsDay", w.start_day as "workerStartDay", w.end_day as "workerEndDay", p.terms as "terms" from (${page}) a join workers w on w.company_id = a.company_id and w.id = a.worker_id join policies p on p.company_id = a.company_id and p.id = a.policy_id order by a.worker_id${direction}, a.policy_id${direction}`;
}

function balancePosition(at: BalancePosition, operator: ">" | "<"): Sql {
  return at.policyId === null
    ? sql` and worker_id ${raw(operator)} ${at.workerId}`
    : sql` and (worker_id, policy_id) ${raw(operator)} (${at.workerId}, ${at.policyId})`;
}

// The facts of the workers of a page: `ofWorkers` is a condition on the column `worker_id`.

/** Pending and approved requests; what was denied bears on no balance. */
export function requestFacts(companyId: string, ofWorkers: Sql): Sql {
  return sql`select worker_id as "workerId", policy_id as "policyId", status as "status", first_day as "firstDay", last_day as "lastDay", minutes as "minutes" from requests where company_id = ${companyId} and ${ofWorkers} and status <> 'denied'`;
}

export function adjustmentFacts(companyId: string, ofWorkers: Sql): Sql {
  return sql`select worker_id as "workerId", policy_id as "policyId", day as "day", minutes as "minutes" from adjustments where company_id = ${companyId} and ${ofWorkers}`;
}

export function workedHoursFacts(companyId: string, ofWorkers: Sql): Sql {
  return sql`select worker_id as "workerId", day as "day", minutes as "minutes" from work_hours where company_id = ${companyId} and ${ofWorkers}`;
}
