// How pages of workers and assignments are found: by the index that leads with what is asked for. An equality range of
// an index is in list order, so the first rows of a few such ranges, merged, are the page.

import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { WORKER_STATUSES, WORKER_TYPES } from "../../resources/workers.ts";
import type { AssignmentFilter, BalanceQuery, PageQuery, WorkerFilter } from "../store.ts";
import { distinct, ListStatement, type Statement } from "./list-statement.ts";

export function workersStatement(companyId: string, page: PageQuery, filter: WorkerFilter): Statement {
  const { workEmailFolded, statuses, types } = filter;
  const statement = new ListStatement("workers", companyId, page);
  if (workEmailFolded !== undefined) {
    const email = `work_email_folded = ${statement.bind(workEmailFolded)}${statement.position}`;
    const ids = `select id from workers indexed by workers_email where company_id = ?1 and ${email}`;
    return statement.pageOf([ids], statement.anyOf("status", statuses) + statement.anyOf("type", types));
  }
  if (statuses === undefined && types === undefined) return statement.list();
  const ranges = distinct(statuses ?? WORKER_STATUSES).flatMap((status) =>
    distinct(types ?? WORKER_TYPES).map(
      (type) => `status = ${statement.bind(status)} and type = ${statement.bind(type)}`,
    ),
  );
  return statement.pageOf(
    ranges.map((range) => statement.firstOf("workers indexed by workers_status", range)),
  );
}

export function policiesStatement(companyId: string, page: PageQuery): Statement {
  return new ListStatement("policies", companyId, page).list();
}

export function assignmentsStatement(
  companyId: string,
  page: PageQuery,
  { workerIds, policyIds }: AssignmentFilter,
): Statement {
  const statement = new ListStatement("assignments", companyId, page);
  if (workerIds !== undefined) {
    const fits = statement.anyOf("worker_id", workerIds) + statement.anyOf("policy_id", policyIds);
    return statement.pageOf([
      `select id from assignments not indexed where company_id = ?1${fits}${statement.plainPosition}`,
    ]);
  }
  if (policyIds === undefined) return statement.list();
  const source = "assignments indexed by assignments_policy";
  return statement.pageOf(
    distinct(policyIds).map((policyId) =>
      statement.firstOf(source, `policy_id = ${statement.bind(policyId)}`),
    ),
  );
}

/** For balances of some policies, where they are looked for: the first assignments of each, from the position on. */
export function balanceSource(companyId: string, query: BalanceQuery): Sql | undefined {
  if (query.policyIds === undefined || query.workerIds !== undefined) return undefined;
  const workerId = query.after?.workerId ?? query.before?.workerId;
  const isBackward = query.before !== undefined;
  const from =
    workerId === undefined ? empty : sql` and worker_id ${raw(isBackward ? "<=" : ">=")} ${workerId}`;
  const order = raw(isBackward ? "worker_id desc" : "worker_id");
  // The position itself may be among them: one more row of each policy makes up for it.
  const firstOf = (policyId: string) =>
    sql`select * from (select company_id, worker_id, policy_id, assigned_day, ends_day from assignments indexed by assignments_policy_worker where company_id = ${companyId} and policy_id = ${policyId}${from} order by ${order} limit ${query.limit + 2})`;
  return sql`(${join(distinct(query.policyIds).map(firstOf), " union all ")})`;
}
