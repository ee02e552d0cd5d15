/**
 * What a balance is computed from: facts as they were imported, and the days that are asked for. The order of the
 * entries in a list never matters. Minutes are decimals as the source wrote them (docs/balances.md, The facts).
 */
import type { Day } from "../time/day.ts";
import type { DayMinutes, DayRange, PolicyRules, Rate, Tier } from "./rules.ts";

export type { DayMinutes, DayRange, PolicyRules, Rate, Tier };

/** The amounts and the rules of a policy. The numbers that the schedule does not use are null. */
export interface PolicyTerms {
  readonly minutesPerPeriod: number | null;
  readonly minutesPerChunk: number | null;
  readonly hoursWorkedPerChunk: number | null;
  readonly rules: PolicyRules;
}

/** All terms of a policy from a day on. */
export interface DatedTerms extends PolicyTerms {
  readonly from: Day;
}

/** The terms are those before the first change. */
export interface PolicyFacts extends PolicyTerms {
  readonly schedule: "per_hour_worked" | "monthly" | "yearly" | "unlimited";
  readonly isUnlimited: boolean;
  /** In order of days. */
  readonly changes: readonly DatedTerms[];
}

/** What is special about one worker's assignment to a policy. */
export interface AssignmentTerms {
  /** This worker's own amount, instead of the policy's and its tiers; null: none. */
  readonly minutesPerPeriod: number | null;
  /** Months of service are counted from this day; null: from the worker's first day. */
  readonly serviceFrom: Day | null;
  /** Days of employment on which nothing accrues. */
  readonly pauses: readonly DayRange[];
  /** Days without employment. They overlap neither each other nor pauses. */
  readonly gaps: readonly DayRange[];
  /** Grants of these spans are scaled. In order; before the first day it is 100 percent. */
  readonly rates: readonly Rate[];
  /** These two stand in place of the policy's; null: none. */
  readonly grantsExpireAfterMonths: number | null;
  readonly carryoverKeepsMinutes: number | null;
}

export interface AssignmentFacts extends AssignmentTerms {
  /** The assignment day: `startsOn`, else the UTC day of `assignedAt`. */
  readonly assignedOn: Day;
  readonly endsOn: Day | null;
}

export interface WorkerTerms {
  /** The days of the week that the worker works: bit 0 is Monday, bit 6 Sunday. Null: not known. */
  readonly workDays: number | null;
}

export interface WorkerFacts extends WorkerTerms {
  readonly startDate: Day;
  readonly endDate: Day | null;
  /** What the worker works, in order of days. Each holds until the next one; nothing is known before the first. */
  readonly schedules: readonly ScheduleFacts[];
}

/** What a worker works from a day on. */
export interface ScheduleFacts {
  readonly startsOn: Day;
  /** The minutes of each day, Monday first, of one week or several in turn. The first week is that of `startsOn`. */
  readonly weeks: readonly (readonly number[])[];
  /** Null: the worker's share of full time is 1. */
  readonly fullTimeMinutesPerWeek: number | null;
  /** Those of the calendar that holds for the worker, in order of days. */
  readonly holidays: readonly HolidayFacts[];
}

/** A day that is not worked, or so many minutes of it. */
export interface HolidayFacts {
  readonly day: Day;
  /** Null: the whole day. */
  readonly minutes: number | null;
}

/** What is stored where nothing is special: terms say only what differs. */
export const PLAIN_ASSIGNMENT: AssignmentTerms = {
  minutesPerPeriod: null,
  serviceFrom: null,
  pauses: [],
  gaps: [],
  rates: [],
  grantsExpireAfterMonths: null,
  carryoverKeepsMinutes: null,
};
export const PLAIN_WORKER: WorkerTerms = { workDays: null };

/** What was left at the end of a day in the system before. It stands in place of all that came until then. */
export interface OpeningFacts {
  readonly day: Day;
  /** Signed. */
  readonly minutes: number;
  /** How much of it was carried over from earlier years: 0 to `minutes`. */
  readonly carriedMinutes: number;
  /** What the leave year had granted by then, for a yearly cap; null: what the rules give. */
  readonly accruedMinutes: number | null;
}

/** As it is stored: nothing that was carried over is null there. */
export function openingFacts(
  stored: Omit<OpeningFacts, "carriedMinutes"> & { readonly carriedMinutes: number | null },
): OpeningFacts {
  return { ...stored, carriedMinutes: stored.carriedMinutes ?? 0 };
}

/** Signed minutes. Only an explanation needs the id. */
export interface AdjustmentFacts extends DayMinutes {
  readonly id?: string;
  /** Of an addition: the first day without what is left of it; null: it never expires. */
  readonly expiresOn?: Day | null;
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
  readonly opening: OpeningFacts | null;
  /** The facts of the policy whose balance moves to this one on the assignment day. */
  readonly movesFrom: BalanceFacts | null;
  /** The day on which what is left moves on to another policy. */
  readonly movesOn: Day | null;
}

/** The first day on which leave and postings count: the one after the opening's. */
export function countsFrom({ opening }: BalanceFacts): Day {
  return opening === null ? -Infinity : opening.day + 1;
}

/** `today` is the current UTC day. Both other days are included in the window. */
export interface BalanceWindow {
  readonly today: Day;
  readonly startDate?: Day | undefined;
  readonly endDate?: Day | undefined;
}

/** The rules of an assignment: its own amounts stand in place of the policy's. */
export function rulesOf({ policy, assignment }: BalanceFacts): PolicyRules {
  const { grantsExpireAfterMonths, carryoverKeepsMinutes } = assignment;
  if (grantsExpireAfterMonths === null && carryoverKeepsMinutes === null) return policy.rules;
  return {
    ...policy.rules,
    grantsExpireAfterMonths: grantsExpireAfterMonths ?? policy.rules.grantsExpireAfterMonths,
    carryoverKeepsMinutes: carryoverKeepsMinutes ?? policy.rules.carryoverKeepsMinutes,
  };
}

// The order of facts, whichever they came in.

interface Entry extends DayMinutes {
  readonly id?: string;
}

/** By day, minutes and id: a cap cuts the same whatever order they came in. Sorted entries are not copied. */
export function inOrder<E extends Entry>(entries: readonly E[]): readonly E[] {
  for (let at = 1; at < entries.length; at++)
    if (compare(entries[at - 1]!, entries[at]!) > 0) return [...entries].sort(compare);
  return entries;
}

/**
 * By day. On one day what is added comes first, the earliest expiry before others, so that what is taken away can use it
 * (docs/balances.md, Postings).
 */
export function adjustmentsInOrder(adjustments: readonly AdjustmentFacts[]): readonly AdjustmentFacts[] {
  if (adjustments.length < 2) return adjustments;
  const expiry = ({ expiresOn = null }: AdjustmentFacts) => expiresOn ?? Number.MAX_SAFE_INTEGER;
  return [...adjustments].sort(
    (a, b) =>
      a.day - b.day ||
      Number(b.minutes > 0) - Number(a.minutes > 0) ||
      expiry(a) - expiry(b) ||
      compare(a, b),
  );
}

function compare(a: Entry, b: Entry): number {
  const byMinutes = a.day - b.day || a.minutes - b.minutes;
  if (byMinutes !== 0 || a.id === undefined || b.id === undefined) return byMinutes;
  return a.id < b.id ? -1 : 1;
}
