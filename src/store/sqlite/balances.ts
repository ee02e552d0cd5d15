// A page of balances with all that they are computed from.
import sql, { type Sql } from "sql-template-tag";
import { type FactsRows, toFactsPage } from "../balance-facts.ts";
import * as queries from "../queries.ts";
import type { BalanceQuery, FactsPage, JoinedAssignment, SchedulesOf } from "../store.ts";
import type { Statements } from "./database.ts";
import { assignmentSource } from "./sql.ts";

const among = (column: string, values: readonly string[]) => queries.anyOf(column, [...new Set(values)]);

/** Reads a page in one snapshot: the caller has begun a transaction. */
export function readBalanceFacts(statements: Statements, companyId: string, query: BalanceQuery): FactsPage {
  const source = assignmentSource(companyId, query);
  const assignments = statements.all<JoinedAssignment>(queries.balancePage(companyId, query, { source }));
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
  const found = {
    assignments,
    policies,
    requests: statements.all(queries.requestFacts(companyId, ofWorkers, query.withIds)),
    adjustments: statements.all(queries.adjustmentFacts(companyId, ofWorkers, query.withIds)),
    workedHours:
      withHours.length === 0
        ? []
        : statements.all(queries.workedHoursFacts(companyId, among("worker_id", withHours))),
    openings: statements.all(queries.openingFacts(companyId, ofWorkers)),
    ...schedulesWithHolidays(statements, companyId, ofWorkers),
  } as FactsRows; // what the queries select
  return toFactsPage(found, query);
}

/** The workers of a page. Without a filter they follow one another: their rows are one range of each table. */
function ofPage(listed: readonly JoinedAssignment[], { workerIds, policyIds }: BalanceQuery): Sql {
  const ids = listed.map(({ workerId }) => workerId);
  if (workerIds !== undefined || policyIds !== undefined) return among("worker_id", ids);
  const [first, last] = [ids[0]!, ids.at(-1)!].sort();
  return sql`worker_id between ${first} and ${last}`;
}

/** In one snapshot: the caller has begun a transaction. */
export function readSchedules(
  statements: Statements,
  companyId: string,
  workerIds: readonly string[],
): SchedulesOf {
  if (workerIds.length === 0) return new Map();
  const { schedules, holidays } = schedulesWithHolidays(statements, companyId, among("worker_id", workerIds));
  return queries.schedulesOf(schedules, holidays);
}

function schedulesWithHolidays(statements: Statements, companyId: string, ofWorkers: Sql) {
  const schedules = statements.all<queries.ScheduleRow>(queries.scheduleFacts(companyId, ofWorkers));
  const calendars = schedules.flatMap(({ calendar }) => calendar ?? []);
  if (calendars.length === 0) return { schedules, holidays: [] };
  const ofCalendars = among("calendar", calendars);
  const holidays = statements.all<queries.CalendarDay>(queries.holidayFacts(companyId, ofCalendars));
  return { schedules, holidays };
}
