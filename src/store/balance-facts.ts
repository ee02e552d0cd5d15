// A page of balances with all that they are computed from, made of the rows that an engine has read.
import { trimPage } from "./plan.ts";
import { BY_HOURS, type CalendarDay, type PolicyColumns, type ScheduleRow, schedulesOf } from "./queries.ts";
import type {
  AdjustmentColumns,
  BalanceQuery,
  FactsPage,
  HoursColumns,
  JoinedAssignment,
  OpeningColumns,
  RequestColumns,
} from "./store.ts";

interface OfWorker {
  readonly workerId: string;
}

interface OfPolicy extends OfWorker {
  readonly policyId: string;
}

/** The rows of the queries of the same names. There may be one assignment too many. */
export interface FactsRows {
  readonly assignments: JoinedAssignment[];
  readonly policies: PolicyColumns[];
  readonly requests: (RequestColumns & OfPolicy)[];
  readonly adjustments: (AdjustmentColumns & OfPolicy)[];
  readonly workedHours: (HoursColumns & OfWorker)[];
  readonly openings: (OpeningColumns & OfPolicy)[];
  readonly schedules: ScheduleRow[];
  readonly holidays: CalendarDay[];
}

export function toFactsPage(found: FactsRows, query: BalanceQuery): FactsPage {
  const { rows, hasMore } = trimPage(found.assignments, query.limit, query.before !== undefined);
  const policies = new Map(found.policies.map(({ id, terms }) => [id, terms]));
  const requests = byWorker(found.requests);
  const adjustments = byWorker(found.adjustments);
  const openings = byWorker(found.openings);
  const schedules = schedulesOf(found.schedules, found.holidays);
  const workedHours = byWorker(found.workedHours);
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
      schedules: schedules.get(workerId) ?? [],
    };
  });
  return { assignments, hasMore };
}

function byWorker<R extends OfWorker>(rows: R[]): Map<string, R[]> {
  return Map.groupBy(rows, ({ workerId }) => workerId);
}
