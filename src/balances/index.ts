/** The package `@rollcall/balances`: the balance engine alone (docs/balances-package.md). */
import {
  type AssignmentFacts,
  type BalanceFacts,
  PLAIN_ASSIGNMENT,
  type PolicyFacts,
  type WorkerFacts,
} from "./facts.ts";
import { DEFAULT_RULES, type PolicyRules } from "./rules.ts";

export { type Day, dayOfText, formatDay } from "../time/day.ts";
export { type BalanceAmounts, type BalanceEntry, balance, explain } from "./balance.ts";
export { type PastDifference, pastDifferences } from "./differences.ts";
export type * from "./facts.ts";
export { type Loss, losses, type Movements, movements } from "./movements.ts";
export { type Preview, preview } from "./preview.ts";
export { DEFAULT_RULES } from "./rules.ts";

/** Facts, most of them optional. */
export interface GivenFacts extends Partial<Omit<BalanceFacts, "policy" | "assignment" | "worker">> {
  readonly policy: Pick<PolicyFacts, "schedule"> &
    Partial<Omit<PolicyFacts, "schedule" | "rules">> & { readonly rules?: Partial<PolicyRules> };
  readonly assignment: Pick<AssignmentFacts, "assignedOn"> & Partial<AssignmentFacts>;
  /** By default, employed from the assignment day on. */
  readonly worker?: Partial<WorkerFacts>;
}

/** The facts of a balance, with defaults for whatever is not given. */
export function factsOf({ policy, assignment, worker = {}, ...given }: GivenFacts): BalanceFacts {
  const { assignedOn } = assignment;
  return {
    policy: {
      minutesPerPeriod: null,
      minutesPerChunk: null,
      hoursWorkedPerChunk: null,
      changes: [],
      isUnlimited: policy.schedule === "unlimited",
      ...policy,
      rules: { ...DEFAULT_RULES, ...policy.rules },
    },
    assignment: { ...PLAIN_ASSIGNMENT, endsOn: null, ...assignment },
    worker: { startDate: assignedOn, endDate: null, workDays: null, schedules: [], holidays: [], ...worker },
    adjustments: [],
    workedHours: [],
    requests: [],
    opening: null,
    movesFrom: null,
    movesOn: null,
    ...given,
  };
}
