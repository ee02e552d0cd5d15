/**
 * What a balance is computed from: facts as they were imported, and the days that are asked for. The order of the
 * entries in a list never matters. Minutes are decimals as the source wrote them.
 */
import type { Day } from "../time/day.ts";
import type { PeriodAnchor } from "./periods.ts";

/** What a policy's accrual obeys beside its numbers (docs/balances.md, The rules of a policy). */
export interface PolicyRules {
  /** A period's grant is posted on its first covered day, or on the day after its last. */
  readonly accrualTiming: "start" | "end";
  readonly periodAnchor: PeriodAnchor;
  /** Whether a period that is only partly covered grants only that part. */
  readonly prorate: boolean;
  /** Accrued time can be used only from this many days after the assignment day. */
  readonly waitingPeriodDays: number;
  /** At each year boundary what exceeds this is forfeited; null: nothing is. */
  readonly carryoverLimitMinutes: number | null;
  /** No accrual lifts the running balance above this; null: no limit. */
  readonly balanceCapMinutes: number | null;
}

/** What a policy obeys that says nothing else. */
export const DEFAULT_RULES = {
  accrualTiming: "start",
  periodAnchor: "calendar",
  prorate: true,
  waitingPeriodDays: 0,
  carryoverLimitMinutes: null,
  balanceCapMinutes: null,
} as const satisfies PolicyRules;

/** The numbers that the schedule does not use are null. */
export interface PolicyFacts {
  readonly schedule: "per_hour_worked" | "monthly" | "yearly" | "unlimited";
  readonly minutesPerPeriod: number | null;
  readonly minutesPerChunk: number | null;
  readonly hoursWorkedPerChunk: number | null;
  readonly isUnlimited: boolean;
  readonly rules: PolicyRules;
}

/** Minutes on one day: signed for an adjustment, worked for an entry of worked hours. */
export interface DayMinutes {
  readonly day: Day;
  readonly minutes: number;
}

/** Requested minutes, spread evenly over the days from `firstDay` through `lastDay` (at least one day). */
export interface RequestFacts {
  readonly status: "pending" | "approved" | "denied";
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly minutes: number;
}

/** Everything that bears on one worker's balance under one policy. */
export interface BalanceFacts {
  readonly assignment: { readonly assignedOn: Day; readonly endsOn: Day | null };
  readonly policy: PolicyFacts;
  readonly worker: { readonly startDate: Day; readonly endDate: Day | null };
  readonly adjustments: readonly DayMinutes[];
  readonly workedHours: readonly DayMinutes[];
  readonly requests: readonly RequestFacts[];
}

/** `today` is the current UTC day. Both other days are included in the window. */
export interface BalanceWindow {
  readonly today: Day;
  readonly startDate?: Day | undefined;
  readonly endDate?: Day | undefined;
}
