// A page of balances with all that they are computed from. There are hundreds of rows to a few workers, so they are read as plain
// lists of values.
import type { SQLQueryBindings } from "bun:sqlite";
import { trimPage } from "../plan.ts";
import * as queries from "../queries.ts";
import type {
  AdjustmentColumns,
  AssignmentWithFacts,
  BalanceQuery,
  FactsPage,
  HoursColumns,
  JoinedAssignment,
  RequestColumns,
} from "../store.ts";
import type { Statements } from "./database.ts";
import { assignmentSource } from "./sql.ts";

/** An assignment whose facts are being read. */
interface Assignment extends JoinedAssignment {
  readonly policyTerms: string;
  readonly requests: RequestColumns[];
  readonly adjustments: AdjustmentColumns[];
  readonly workedHours: HoursColumns[];
}

/** Reads a page in one snapshot: the caller has begun a transaction. */
export function readBalanceFacts(statements: Statements, companyId: string, query: BalanceQuery): FactsPage {
  const { rows, hasMore } = readAssignments(statements, companyId, query);
  if (rows.length === 0) return { assignments: [], hasMore };
  const terms = readTerms(statements, companyId, new Set(rows.map(({ policyId }) => policyId)));
  const assignments = rows.map(
    (row): Assignment => ({
      ...row,
      policyTerms: terms.get(row.policyId)!, // each assignment has a policy
      requests: [],
      adjustments: [],
      workedHours: [],
    }),
  );
  const byWorker = Map.groupBy(assignments, ({ workerId }) => workerId);
  const read = <R>(table: string, selected: string, and = "", workers: Iterable<string> = byWorker.keys()) =>
    readOfWorkers<R>(statements, companyId, `select ${selected} from ${table}`, and, [...workers]);
  const id = query.withIds === true ? ", id" : "";
  const find = (workerId: string, policyId: string) =>
    byWorker.get(workerId)!.find((one) => one.policyId === policyId); // those that are asked for

  for (const [workerId, policyId, status, firstDay, lastDay, minutes, own, id_] of read<RequestValues>(
    "requests indexed by requests_worker",
    `worker_id, policy_id, status, first_day, last_day, minutes, terms${id}`,
    " and status <> 'denied'", // what was denied bears on no balance
  )) {
    const request = { status, firstDay, lastDay, minutes, terms: own };
    find(workerId, policyId)?.requests.push(id_ === undefined ? request : { ...request, id: id_ });
  }
  for (const [workerId, policyId, day, minutes, id_] of read<AdjustmentValues>(
    "adjustments indexed by adjustments_worker",
    `worker_id, policy_id, day, minutes${id}`,
  ))
    find(workerId, policyId)?.adjustments.push(
      id_ === undefined ? { day, minutes } : { day, minutes, id: id_ },
    );
  const byHours = assignments.filter(({ policyTerms }) => policyTerms.includes(queries.BY_HOURS));
  if (byHours.length > 0) {
    const workers = new Set(byHours.map(({ workerId }) => workerId));
    for (const [workerId, day, minutes] of read<HoursValues>(
      "work_hours",
      "worker_id, day, minutes",
      "",
      workers,
    ))
      for (const one of byWorker.get(workerId)!)
        if (one.policyTerms.includes(queries.BY_HOURS)) one.workedHours.push({ day, minutes });
  }
  return { assignments: assignments satisfies readonly AssignmentWithFacts[], hasMore };
}

type RequestValues = readonly [
  workerId: string,
  policyId: string,
  status: RequestColumns["status"],
  firstDay: number,
  lastDay: number,
  minutes: number,
  terms: string | null,
  id?: string,
];
type AdjustmentValues = readonly [
  workerId: string,
  policyId: string,
  day: number,
  minutes: number,
  id?: string,
];
type HoursValues = readonly [workerId: string, day: number, minutes: number];

function readAssignments(statements: Statements, companyId: string, query: BalanceQuery) {
  const page = queries.balancePage(companyId, query, undefined, assignmentSource(companyId, query));
  return trimPage(statements.all<JoinedAssignment>(page), query.limit, query.before !== undefined);
}

/** The terms of policies, by their ids. */
function readTerms(
  statements: Statements,
  companyId: string,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const policies = queries.policyFacts(companyId, queries.anyOf("id", [...ids]));
  return new Map(statements.all<queries.PolicyColumns>(policies).map(({ id, terms }) => [id, terms]));
}

/** The rows of these workers; `R` lists what is selected. */
function readOfWorkers<R>(
  statements: Statements,
  companyId: string,
  select: string,
  and: string,
  workerIds: readonly string[],
): R[] {
  const bound = queries.padded(workerIds);
  const places = bound.map(() => "?").join(", ");
  const text = `${select} where company_id = ? and worker_id in (${places})${and}`;
  return statements.prepare(text).values(companyId, ...(bound as SQLQueryBindings[])) as R[];
}
