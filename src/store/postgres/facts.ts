// The facts of a page of balances in one statement, so that one snapshot and one round trip are enough.
import sql, { type Sql } from "sql-template-tag";
import { byWorker, trimPage } from "../pages.ts";
import * as queries from "../queries.ts";
import type { AdjustmentFacts, AssignmentFacts, BalanceFacts, BalanceQuery, RequestFacts } from "../store.ts";

interface OfWorker {
  readonly workerId: string;
}

/** The one row of the statement; a list without rows is null. */
export interface FactsRow {
  readonly assignments: AssignmentFacts[] | null;
  readonly requests: (RequestFacts & OfWorker)[] | null;
  readonly adjustments: (AdjustmentFacts & OfWorker)[] | null;
  readonly workedHours: ({ readonly day: number; readonly minutes: number } & OfWorker)[] | null;
}

export function factsStatement(companyId: string, query: BalanceQuery): Sql {
  // As an array, the workers are known before the facts are looked up, so their indexes are always used.
  const ofWorkers = sql`worker_id = any(array(select distinct "workerId" from (select "workerId" from page limit ${query.limit}) as listed))`;
  const all = (facts: Sql) => sql`(select json_agg(row) from (${facts}) as row)`;
  return sql`with page as materialized (${queries.balancePage(companyId, query)}) select (select json_agg(row) from page as row) as "assignments", ${all(queries.requestFacts(companyId, ofWorkers))} as "requests", ${all(queries.adjustmentFacts(companyId, ofWorkers))} as "adjustments", ${all(queries.workedHoursFacts(companyId, ofWorkers))} as "workedHours"`;
}

export function toBalanceFacts(row: FactsRow, query: BalanceQuery): BalanceFacts {
  const { rows, hasMore } = trimPage(row.assignments ?? [], query.limit, query.before !== undefined);
  return {
    assignments: rows,
    hasMore,
    requests: byWorker(row.requests ?? []),
    adjustments: byWorker(row.adjustments ?? []),
    workedHours: byWorker(row.workedHours ?? []),
  };
}
