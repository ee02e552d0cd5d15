// A page of balances with all that they are computed from. There are hundreds of rows to a few workers, so they are read as plain
// lists of values.
import type { SQLQueryBindings } from "bun:sqlite";
import { trimPage } from "../plan.ts";
import * as queries from "../queries.ts";
import type {
  AdjustmentColumns,
  BalanceQuery,
  FactsPage,
  HoursColumns,
  JoinedAssignment,
  OpeningColumns,
  RequestColumns,
  ScheduleColumns,
  SchedulesOf,
} from "../store.ts";
import type { Statements } from "./database.ts";
import { assignmentSource } from "./sql.ts";

/** An assignment whose facts are being read. */
interface Assignment extends JoinedAssignment {
  readonly policyTerms: string;
  readonly requests: RequestColumns[];
  readonly adjustments: AdjustmentColumns[];
  readonly workedHours: HoursColumns[];
  opening: OpeningColumns | null;
  movesDay: number | null;
  schedules: readonly ScheduleColumns[];
}

// What each statement selects of a row.

type AssignmentValues = [
  workerId: string,
  policyId: string,
  assignedDay: number,
  endsDay: number | null,
  terms: string | null,
  oldPolicyId: string | null,
];
type WorkerValues = [
  id: string,
  legacyId: string | null,
  startDay: number,
  endDay: number | null,
  terms: string | null,
];
type RequestValues = [
  workerId: string,
  policyId: string,
  status: RequestColumns["status"],
  firstDay: number,
  lastDay: number,
  minutes: number,
  terms: string | null,
  id?: string,
];
type AdjustmentValues = [workerId: string, policyId: string, day: number, minutes: number, id?: string];
type OpeningValues = [
  workerId: string,
  policyId: string,
  day: number,
  minutes: number,
  carriedMinutes: number | null,
  accruedMinutes: number | null,
];
type HoursValues = [workerId: string, day: number, minutes: number];

/** Reads a page in one snapshot: the caller has begun a transaction. */
export function readBalanceFacts(statements: Statements, companyId: string, query: BalanceQuery): FactsPage {
  const page = queries.assignmentPage(companyId, query, assignmentSource(companyId, query));
  const found = rowsOf<AssignmentValues>(statements, page.sql, page.values);
  const { rows, hasMore } = trimPage(found, query.limit, query.before !== undefined);
  const assignments = joined(statements, companyId, rows);
  const byWorker = Map.groupBy(assignments, ({ workerId }) => workerId);
  const find = (workerId: string, policyId: string) =>
    byWorker.get(workerId)?.find((one) => one.policyId === policyId);
  const read = <R>(select: string, workers: Iterable<string>, and = "") =>
    readAmong<R>(statements, companyId, select, "worker_id", [...workers], and);
  const id = query.withIds === true ? ", id" : "";

  const requests = read<RequestValues>(
    `select worker_id, policy_id, status, first_day, last_day, minutes, terms${id} from requests indexed by requests_worker`,
    byWorker.keys(),
    "and status <> 'denied'", // what was denied bears on no balance
  );
  for (const [workerId, policyId, status, firstDay, lastDay, minutes, terms, ownId] of requests) {
    const request = { status, firstDay, lastDay, minutes, terms };
    find(workerId, policyId)?.requests.push(ownId === undefined ? request : { ...request, id: ownId });
  }
  const adjustments = read<AdjustmentValues>(
    `select worker_id, policy_id, day, minutes${id} from adjustments indexed by adjustments_worker`,
    byWorker.keys(),
  );
  for (const [workerId, policyId, day, minutes, ownId] of adjustments) {
    const adjustment = { day, minutes };
    find(workerId, policyId)?.adjustments.push(
      ownId === undefined ? adjustment : { ...adjustment, id: ownId },
    );
  }
  const openings = read<OpeningValues>(
    "select worker_id, policy_id, day, minutes, carried_minutes, accrued_minutes from openings",
    byWorker.keys(),
  );
  for (const [workerId, policyId, day, minutes, carriedMinutes, accruedMinutes] of openings) {
    const assignment = find(workerId, policyId);
    if (assignment !== undefined) assignment.opening = { day, minutes, carriedMinutes, accruedMinutes };
  }
  const moves = read<[workerId: string, oldPolicyId: string, assignedDay: number]>(
    "select worker_id, moves_from, assigned_day from assignments",
    byWorker.keys(),
    "and moves_from is not null",
  );
  for (const [workerId, oldPolicyId, assignedDay] of moves) {
    const assignment = find(workerId, oldPolicyId);
    if (assignment !== undefined) assignment.movesDay = assignedDay;
  }
  const schedules = readSchedules(statements, companyId, [...byWorker.keys()]);
  for (const [workerId, ofWorker] of schedules)
    for (const one of byWorker.get(workerId)!) one.schedules = ofWorker; // they are asked for
  const byHours = Map.groupBy(
    assignments.filter(({ policyTerms }) => policyTerms.includes(queries.BY_HOURS)),
    ({ workerId }) => workerId,
  );
  const hours = read<HoursValues>("select worker_id, day, minutes from work_hours", byHours.keys());
  for (const [workerId, day, minutes] of hours)
    for (const one of byHours.get(workerId)!) one.workedHours.push({ day, minutes }); // they are asked for
  return { assignments, hasMore };
}

/** In one snapshot: the caller has begun a transaction. */
export function readSchedules(
  statements: Statements,
  companyId: string,
  workerIds: readonly string[],
): SchedulesOf {
  if (workerIds.length === 0) return new Map();
  const ofWorkers = queries.anyOf("worker_id", queries.padded(workerIds));
  const rows = statements.all<queries.ScheduleRow>(queries.scheduleFacts(companyId, ofWorkers));
  const calendars = new Set(rows.flatMap(({ calendar }) => calendar ?? []));
  if (calendars.size === 0) return queries.schedulesOf(rows, []);
  const ofCalendars = queries.anyOf("calendar", queries.padded([...calendars]));
  return queries.schedulesOf(rows, statements.all(queries.holidayFacts(companyId, ofCalendars)));
}

/** Assignments with what their workers and policies say. */
function joined(
  statements: Statements,
  companyId: string,
  rows: readonly AssignmentValues[],
): readonly Assignment[] {
  const workers = readAmong<WorkerValues>(
    statements,
    companyId,
    "select id, legacy_id, start_day, end_day, terms from workers",
    "id",
    distinct(rows.map(([workerId]) => workerId)),
  );
  const policies = readAmong<[id: string, terms: string]>(
    statements,
    companyId,
    "select id, terms from policies",
    "id",
    distinct(rows.map(([, policyId]) => policyId)),
  );
  const workerOf = new Map(workers.map((worker) => [worker[0], worker]));
  const termsOf = new Map(policies);
  return rows.flatMap(([workerId, policyId, assignedDay, endsDay, assignmentTerms, oldPolicyId]) => {
    const worker = workerOf.get(workerId);
    if (worker === undefined) return []; // an import leaves none without
    const [, workerLegacyId, workerStartDay, workerEndDay, workerTerms] = worker;
    return {
      workerId,
      policyId,
      workerLegacyId,
      assignedDay,
      endsDay,
      oldPolicyId,
      movesDay: null,
      assignmentTerms,
      workerStartDay,
      workerEndDay,
      workerTerms,
      policyTerms: termsOf.get(policyId)!, // each assignment has a policy
      requests: [],
      adjustments: [],
      workedHours: [],
      opening: null,
      schedules: [],
    };
  });
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

/** The company's rows whose column has one of the values; `R` lists what is selected. */
function readAmong<R>(
  statements: Statements,
  companyId: string,
  select: string,
  column: string,
  values: readonly string[],
  and = "",
): R[] {
  if (values.length === 0) return [];
  const bound = queries.padded(values);
  const places = bound.map(() => "?").join(", ");
  const text = `${select} where company_id = ? and ${column} in (${places}) ${and}`;
  return rowsOf<R>(statements, text, [companyId, ...bound]);
}

function rowsOf<R>(statements: Statements, text: string, bound: readonly unknown[]): R[] {
  return statements.prepare(text).values(...(bound as SQLQueryBindings[])) as R[]; // texts and numbers; what the text selects
}
