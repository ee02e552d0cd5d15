/** The package `@rollcall/balances`: the balance engine alone (docs/balances-package.md). */
import type { Day } from "../time/day.ts";
import {
  type AssignmentFacts,
  type BalanceFacts,
  PLAIN_ASSIGNMENT,
  PLAIN_WORKER,
  type PolicyFacts,
  type WorkerFacts,
} from "./facts.ts";
import type { PolicyRules } from "./rules.ts";

export { type Day, dayOfText, formatDay } from "../time/day.ts";
export { type BalanceAmounts, type BalanceEntry, balance, explain } from "./balance.ts";
export type * from "./facts.ts";
export { type Loss, losses, type Movements, movements } from "./movements.ts";
export { type PastDifference, pastDifferences } from "./past.ts";
export { type Preview, preview } from "./preview.ts";
export type * from "./rules.ts";

/** The rules of a policy that sets none. */
export const DEFAULT_RULES: PolicyRules = {
  accrualTiming: "start",
  periodAnchor: "calendar",
  prorate: true,
  waitingPeriodDays: 0,
  carryoverLimitMinutes: null,
  balanceCapMinutes: null,
  prorateBy: "days",
  instalments: null,
  instalmentsFrom: null,
  yearStartsOn: "01-01",
  tiers: null,
  tierFrom: "nextPeriod",
  roundGrantsToMinutes: null,
  roundGrants: "nearest",
  yearlyAccrualCapMinutes: null,
  carryoverExpiresAfterMonths: null,
  carryoverExpiresAfterDays: null,
  carryoverKeepsMinutes: null,
  carryoverOn: null,
  grantsExpireAfterMonths: null,
  balanceCapTiers: null,
  carryoverLimitTiers: null,
  useCapMinutes: null,
  roundSumToMinutes: null,
  roundSum: "nearest",
  roundSumOn: "every",
  firstYearWholeAfterMonths: null,
  firstYearGrants: "atOnce",
  serviceCounts: "employed",
  payPeriods: null,
  payPeriodsFrom: null,
  scaleWith: "none",
  revalue: "none",
  whenItEnds: "keep",
};

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
  const assignedOn: Day = assignment.assignedOn;
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
    worker: { ...PLAIN_WORKER, startDate: assignedOn, endDate: null, schedules: [], holidays: [], ...worker },
    adjustments: [],
    workedHours: [],
    requests: [],
    opening: null,
    movesFrom: null,
    movesOn: null,
    ...given,
  };
}
