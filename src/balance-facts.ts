// Makes the facts of balances from the rows of a store.
import {
  type BalanceFacts,
  PLAIN_ASSIGNMENT,
  type RequestFacts,
  type ScheduleFacts,
  type WorkTime,
} from "./balances/facts.ts";
import { policyOf, storedTerms } from "./resources/policies.ts";
import type { ScheduleTerms } from "./resources/schedules.ts";
import {
  type AssignmentWithFacts,
  type BalanceQuery,
  type CompanyReader,
  type FactsPage,
  type RequestColumns,
  type ScheduleColumns,
  StoreUnavailable,
  type WorkTimeColumns,
} from "./store/store.ts";

/** An assignment with the facts of its balance. */
export type BalanceWithFacts = AssignmentWithFacts & { readonly facts: BalanceFacts };

/** More assignments than a page of workers has. */
const ALL_ASSIGNMENTS = 1_000_000;

/** A page of balances with their facts, including facts under the policies from which balances moved. */
export async function readFacts(
  company: Pick<CompanyReader, "balanceFacts" | "atOneVersion">,
  query: BalanceQuery,
): Promise<{ readonly assignments: readonly BalanceWithFacts[]; readonly hasMore: boolean }> {
  const page = await company.balanceFacts(query);
  if (page.assignments.every(({ oldPolicyId }) => oldPolicyId === null)) return withFacts(page, []);
  return company.atOneVersion(async (reader) => {
    const again = await reader.balanceFacts(query);
    const moved = again.assignments.filter(({ oldPolicyId }) => oldPolicyId !== null);
    const workerIds = [...new Set(moved.map(({ workerId }) => workerId))];
    const { withIds } = query;
    const all = await reader.balanceFacts({ workerIds, withIds, limit: ALL_ASSIGNMENTS });
    return withFacts(again, all.assignments);
  });
}

/** `others`: all assignments of workers with a balance that moved. */
function withFacts({ assignments, hasMore }: FactsPage, others: readonly AssignmentWithFacts[]) {
  return {
    assignments: assignments.map((assignment) => ({ ...assignment, facts: factsOf(assignment, others) })),
    hasMore,
  };
}

/** The facts of one balance. Raises StoreUnavailable for an amount that is not a number; no import writes one. */
function factsOf(assignment: AssignmentWithFacts, others: readonly AssignmentWithFacts[]): BalanceFacts {
  const { workerId, policyId, oldPolicyId } = assignment;
  const old =
    oldPolicyId === null
      ? undefined
      : others.find((other) => other.workerId === workerId && other.policyId === oldPolicyId);
  const { assignmentTerms, assignedDay, endsDay, policyTerms, workTime } = assignment;
  const { adjustments, workedHours, requests, opening } = assignment;
  const areNumbers = adjustments.every(isNumber) && workedHours.every(isNumber) && requests.every(isNumber);
  if (!areNumbers || (opening !== null && !isNumber(opening)))
    throw new StoreUnavailable(
      `The balance of worker ${workerId} under policy ${policyId} cannot be computed: an amount in the store is no number`,
      "find it with rollcall doctor, then import the company again or restore a backup",
    );
  return {
    assignment: { ...assignmentTermsOf(assignmentTerms), policyId, assignedOn: assignedDay, endsOn: endsDay },
    policy: policyTermsOf(policyTerms),
    worker: {
      startDate: assignment.workerStartDay,
      endDate: assignment.workerEndDay,
      ...workTimeOf(workTime),
    },
    adjustments,
    workedHours,
    requests: withTerms(requests),
    opening,
    movesFrom: old === undefined ? null : factsOf(old, others),
    movesOn: assignment.movesDay,
  };
}

const isNumber = ({ minutes }: { readonly minutes: number }) => Number.isFinite(minutes);

/** When a worker works: leave uses time on these days. `stored` is undefined if nothing is known. */
export function workTimeOf(stored: WorkTimeColumns | undefined): WorkTime {
  const { workerTerms = null, holidays = [], schedules = [] } = stored ?? {};
  return { workDays: workerTermsOf(workerTerms).workDays, holidays, schedules: schedules.map(scheduleFacts) };
}

function scheduleFacts({ day, terms, holidays }: ScheduleColumns): ScheduleFacts {
  const { minutesPerWeekday, fullTimeMinutesPerWeek = null } = scheduleTermsOf(terms);
  return { startsOn: day, weeks: minutesPerWeekday, fullTimeMinutesPerWeek, holidays };
}

/** Requests with their terms parsed. Hardly any has terms, so usually the array itself. */
export function withTerms(requests: readonly RequestColumns[]): readonly RequestFacts[] {
  for (const { terms } of requests) {
    if (terms !== null)
      return requests.map((request) =>
        request.terms === null ? request : { ...request, ...JSON.parse(request.terms) },
      );
  }
  return requests;
}

const policyTermsOf = parsedOnce((terms) => policyOf(storedTerms({ terms })));
const assignmentTermsOf = withUsual(PLAIN_ASSIGNMENT);
const scheduleTermsOf = parsedOnce((terms) => JSON.parse(terms) as ScheduleTerms);
const workerTermsOf = withUsual<Pick<WorkTime, "workDays">>({ workDays: null });

/** A parser of terms as the import wrote them, which adds the usual value of each missing term. */
function withUsual<T extends object>(usual: T): (terms: string | null) => T {
  const parsed = parsedOnce((terms) => ({ ...usual, ...(JSON.parse(terms) as Partial<T>) }));
  return (terms) => (terms === null ? usual : parsed(terms));
}

/** Many assignments have the same terms, and companies have few policies: each text is parsed once. */
function parsedOnce<T>(parse: (terms: string) => T): (terms: string) => T {
  const known = new Map<string, T>();
  return (terms) => {
    let value = known.get(terms);
    if (value === undefined) {
      if (known.size >= 10_000) known.clear();
      value = parse(terms);
      known.set(terms, value);
    }
    return value;
  };
}
