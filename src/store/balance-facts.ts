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
  const requests = Map.groupBy(found.requests, pairOf);
  const adjustments = Map.groupBy(found.adjustments, pairOf);
  const openings = new Map(found.openings.map((opening) => [pairOf(opening), opening]));
  const schedules = schedulesOf(found.schedules, found.holidays);
  const workedHours = Map.groupBy(found.workedHours, ({ workerId }) => workerId);
  const assignments = rows.map((assignment) => {
    const { workerId, policyId } = assignment;
    const policyTerms = policies.get(policyId)!; // each assignment has a policy
    return {
      ...assignment,
      policyTerms,
      requests: requests.get(pairOf(assignment)) ?? [],
      adjustments: adjustments.get(pairOf(assignment)) ?? [],
      workedHours: policyTerms.includes(BY_HOURS) ? (workedHours.get(workerId) ?? []) : [],
      opening: openings.get(pairOf(assignment)) ?? null,
      schedules: schedules.get(workerId) ?? [],
    };
  });
  return { assignments, hasMore };
}

/** No id has a space in it. */
function pairOf({ workerId, policyId }: OfPolicy): string {
  return `${workerId} ${policyId}`;
}
