/**
 * What a balance is computed from: facts as they were imported, and the days that are asked for. The order of the
 * entries in a list never matters. Minutes are decimals as the source wrote them (docs/balances.md, The facts).
 */
import type { DayMinutes, DayRange, Tier } from "../resources/balance-cells.ts";
import type { Day } from "../time/day.ts";

export type { DayMinutes, DayRange, Tier };

/** What a policy's accrual obeys beside its numbers (docs/balances.md, The rules of a policy). */
export interface PolicyRules {
  /** A period's grant is posted on its first covered day, the day after its last covered day, or that last day. */
  readonly accrualTiming: "start" | "end" | "lastDay";
  /** Periods follow the calendar, or the anniversary of the assignment day. */
  readonly periodAnchor: "calendar" | "anniversary";
  /** Whether a period that is covered only in part grants only that part. */
  readonly prorate: boolean;
  /** How the part is measured. */
  readonly prorateBy: "days" | "monthsStarted" | "fullMonths";
  /** Accrued time can be used only from this many days after the assignment day. */
  readonly waitingPeriodDays: number;
  /** The parts in which a yearly amount is granted; null: at once. */
  readonly instalments: Instalments | null;
  /** The first day of any one weekly or biweekly instalment; null with all others. */
  readonly instalmentsFrom: Day | null;
  /** `MM-DD`: the first day of the leave year. */
  readonly yearStartsOn: string;
  /** Amounts by length of service; null: none. */
  readonly tiers: readonly Tier[] | null;
  /** From when a new tier applies. */
  readonly tierFrom: "nextPeriod" | "sameDay";
  /** A period's grant is rounded to a multiple of this; null: it is not. */
  readonly roundGrantsToMinutes: number | null;
  /** How: to the nearest multiple (half up), up or down. */
  readonly roundGrants: "nearest" | "up" | "down";
  /** The accruals of one leave year never exceed this; null: no limit. */
  readonly yearlyAccrualCapMinutes: number | null;
  /** No accrual lifts the running balance above this; null: no limit. */
  readonly balanceCapMinutes: number | null;
  /** At each year boundary what exceeds this is forfeited; null: nothing is. */
  readonly carryoverLimitMinutes: number | null;
  /** What was carried over and not used expires after this time; null: it does not. At most one of the two is set. */
  readonly carryoverExpiresAfterMonths: number | null;
  readonly carryoverExpiresAfterDays: number | null;
}

export type Instalments = "weekly" | "biweekly" | "semimonthly" | "quarterly" | "halfYearly";

/** What a policy obeys that says nothing else. */
export const DEFAULT_RULES = {
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

/** A policy as it is stored: rules that it does not name are at their default. */
export type PolicyTerms = Omit<PolicyFacts, "rules"> & { readonly rules: Partial<PolicyRules> };

export function policyOf(terms: PolicyTerms): PolicyFacts {
  return { ...terms, rules: { ...DEFAULT_RULES, ...terms.rules } };
}

/** What is special about one worker's assignment to a policy. */
export interface AssignmentTerms {
  /** This worker's own amount, instead of the policy's and its tiers; null: none. */
  readonly minutesPerPeriod: number | null;
  /** Months of service are counted from this day; null: from the worker's first day. */
  readonly serviceFrom: Day | null;
  /** Days without coverage. They do not overlap. */
  readonly pauses: readonly DayRange[];
}

export interface AssignmentFacts extends AssignmentTerms {
  /** The assignment day: `startsOn`, else the UTC day of `assignedAt`. */
  readonly assignedOn: Day;
  readonly endsOn: Day | null;
}

/** Copied by name: a page of balances makes many. */
export function assignmentFacts(
  { minutesPerPeriod, serviceFrom, pauses }: AssignmentTerms,
  assignedOn: Day,
  endsOn: Day | null,
): AssignmentFacts {
  return { minutesPerPeriod, serviceFrom, pauses, assignedOn, endsOn };
}

export interface WorkerTerms {
  /** The days of the week that the worker works: bit 0 is Monday, bit 6 Sunday. Null: not known. */
  readonly workDays: number | null;
}

export interface WorkerFacts extends WorkerTerms {
  readonly startDate: Day;
  readonly endDate: Day | null;
}

/** What is stored where nothing is special: terms say only what differs. */
export const PLAIN_ASSIGNMENT: AssignmentTerms = { minutesPerPeriod: null, serviceFrom: null, pauses: [] };
export const PLAIN_WORKER: WorkerTerms = { workDays: null };

/** Signed minutes. Only an explanation needs the id. */
export interface AdjustmentFacts extends DayMinutes {
  readonly id?: string;
}

/** Requested minutes of leave. Only an explanation needs the id. */
export interface RequestFacts {
  readonly id?: string;
  readonly status: "pending" | "approved" | "denied";
  /** The local days that the request touches, both included. */
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly minutes: number;
  /** What the source knows about single days, in their order, at least one. Without it the minutes are spread evenly. */
  readonly dayMinutes?: readonly DayMinutes[];
}

/** Everything that bears on one worker's balance under one policy. */
export interface BalanceFacts {
  readonly assignment: AssignmentFacts;
  readonly policy: PolicyFacts;
  readonly worker: WorkerFacts;
  readonly adjustments: readonly AdjustmentFacts[];
  readonly workedHours: readonly DayMinutes[];
  readonly requests: readonly RequestFacts[];
}

/** `today` is the current UTC day. Both other days are included in the window. */
export interface BalanceWindow {
  readonly today: Day;
  readonly startDate?: Day | undefined;
  readonly endDate?: Day | undefined;
}
