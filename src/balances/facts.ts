/**
 * The input of a balance: imported facts, and a window of days. The order of entries in a list never matters. Minutes are decimals as the
 * source wrote them (docs/balances.md, The facts).
 */
import type { Day } from "../time/day.ts";
import { type DayMinutes, type DayRange, optional, type PolicyRules, type Rate, type Tier } from "./rules.ts";

export type { DayMinutes, DayRange, PolicyRules, Rate, Tier };

/** The amounts and rules of a policy. Numbers that the schedule does not use are null. */
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

/** The terms of an assignment that has none of its own. */
export const PLAIN_ASSIGNMENT = {
  /** This worker's own amount, instead of the policy's and its tiers. */
  minutesPerPeriod: optional<number>(),
  /** Months of service are counted from this day; null: from the worker's first day. */
  serviceFrom: optional<Day>(),
  /** Days of employment on which nothing accrues. */
  pauses: [] as readonly DayRange[],
  /** Days without employment. They overlap neither each other nor pauses. */
  gaps: [] as readonly DayRange[],
  /** The percentages by which grants are scaled, sorted by day; 100 percent before the first. */
  rates: [] as readonly Rate[],
  /** These two override the policy's. */
  grantsExpireAfterMonths: optional<number>(),
  carryoverKeepsMinutes: optional<number>(),
};

/** Terms of one worker's assignment that differ from the policy's. */
export type AssignmentTerms = Readonly<typeof PLAIN_ASSIGNMENT>;

export interface AssignmentFacts extends AssignmentTerms {
  /** Only causes of a difference need it: whether the balance moved from the same policy as before. */
  readonly policyId?: string;
  /** The assignment day: `startsOn`, else the UTC day of `assignedAt`. */
  readonly assignedOn: Day;
  readonly endsOn: Day | null;
}

export interface WorkerFacts {
  readonly startDate: Day;
  readonly endDate: Day | null;
  /** The worker's days of the week: bit 0 is Monday, bit 6 Sunday. Null: unknown. */
  readonly workDays: number | null;
  /** Sorted by day. Each holds until the next one; nothing is known before the first. */
  readonly schedules: readonly ScheduleFacts[];
  /** The holidays of the worker's workplace, sorted by day. They count on days without a schedule, which may have other ones. */
  readonly holidays: readonly HolidayFacts[];
}

/** What is known of the time that a worker works. */
export type WorkTime = Pick<WorkerFacts, "workDays" | "schedules" | "holidays">;

/** A worker's working time from a day on. */
export interface ScheduleFacts {
  readonly startsOn: Day;
  /** Minutes of each day, Monday first. Several weeks take turns. The first is the week of `startsOn`. */
  readonly weeks: readonly (readonly number[])[];
  /** Null: the worker's share of full time is 1. */
  readonly fullTimeMinutesPerWeek: number | null;
  /** The holidays of the worker's calendar, sorted by day. */
  readonly holidays: readonly HolidayFacts[];
}

/** A day that is not worked, in whole or for some minutes. */
export interface HolidayFacts {
  readonly day: Day;
  /** Null: the whole day. */
  readonly minutes: number | null;
}

/** The balance of the previous system at the end of a day. It replaces all postings up to that day. */
export interface OpeningFacts {
  readonly day: Day;
  /** Signed. */
  readonly minutes: number;
  /** How much of it was carried over from earlier years, up to `minutes`; null: nothing. */
  readonly carriedMinutes: number | null;
  /** What the leave year had granted by then, for a yearly cap; null: as the rules compute it. */
  readonly accruedMinutes: number | null;
}

/** Signed minutes. Only an explanation needs the id. */
export interface AdjustmentFacts extends DayMinutes {
  readonly id?: string;
  /** The day on which the rest of an addition expires; null: never. */
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
  /** Minutes of single days from the source, sorted, at least one. Without them the minutes are spread (`minutesOn`). */
  readonly dayMinutes?: readonly DayMinutes[];
}

/** Everything that one worker's balance under one policy depends on. */
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
  /** The day on which the balance moves on to another policy. */
  readonly movesOn: Day | null;
}

/** The first day on which leave and postings count: the one after the opening's. */
export function countsFrom({ opening }: BalanceFacts): Day {
  return opening === null ? -Infinity : opening.day + 1;
}

/** `today` is the current UTC day. The window includes `startDate` and `endDate`. */
export interface BalanceWindow {
  readonly today: Day;
  readonly startDate?: Day | undefined;
  readonly endDate?: Day | undefined;
}

/** How many years after today the server and passports give balances for: each year adds up to 366 postings. */
export const YEARS_AHEAD = 10;

/** Sorts by day. On one day additions come first, by expiry, so that subtractions can use them (docs/balances.md, Postings). */
export function adjustmentsInOrder(adjustments: readonly AdjustmentFacts[]): readonly AdjustmentFacts[] {
  const expiry = ({ expiresOn = null }: AdjustmentFacts) => expiresOn ?? Number.MAX_SAFE_INTEGER;
  return adjustments.toSorted(
    (a, b) =>
      a.day - b.day ||
      Number(b.minutes > 0) - Number(a.minutes > 0) ||
      expiry(a) - expiry(b) ||
      compareEntries(a, b),
  );
}

/** By day, minutes and id, so that a cap cuts the same in whatever order facts arrive. */
export function compareEntries(a: AdjustmentFacts, b: AdjustmentFacts): number {
  const byMinutes = a.day - b.day || a.minutes - b.minutes;
  if (byMinutes !== 0 || a.id === undefined || b.id === undefined) return byMinutes;
  return a.id < b.id ? -1 : 1;
}
