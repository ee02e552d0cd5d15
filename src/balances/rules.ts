/** The rules of a policy. For what each does, see docs/balances.md, The rules of a policy. */
import type { Day } from "../time/day.ts";

/** An amount that applies once a number of months of service are completed. */
export interface Tier {
  readonly months: number;
  readonly minutes: number;
}

/** Both days are included. */
export interface DayRange {
  readonly first: Day;
  readonly last: Day;
}

export interface DayMinutes {
  readonly day: Day;
  readonly minutes: number;
}

/** A percentage of grants from a day on. */
export interface Rate {
  readonly from: Day;
  readonly percent: number;
}

type Parts = "days" | "thirtieths" | "monthsStarted" | "halfMonths" | "fullMonths" | "serviceMonths";
type Instalments = "daily" | "weekly" | "biweekly" | "semimonthly" | "quarterly" | "halfYearly";
type PayPeriods = "weekly" | "biweekly" | "fourWeekly" | "semimonthly" | "monthly";

export interface PolicyRules {
  readonly accrualTiming: "start" | "end" | "lastDay";
  readonly periodAnchor: "calendar" | "anniversary";
  readonly prorate: boolean;
  readonly waitingPeriodDays: number;
  readonly carryoverLimitMinutes: number | null;
  readonly balanceCapMinutes: number | null;
  readonly prorateBy: Parts | `startsBy:${number}`;
  readonly instalments: Instalments | null;
  readonly instalmentsFrom: Day | null;
  /** `MM-DD`. */
  readonly yearStartsOn: string;
  readonly tiers: readonly Tier[] | null;
  readonly tierFrom: "nextPeriod" | "sameDay" | "sameYear";
  readonly roundGrantsToMinutes: number | null;
  readonly roundGrants: "nearest" | "up" | "down";
  readonly yearlyAccrualCapMinutes: number | null;
  readonly carryoverExpiresAfterMonths: number | null;
  readonly carryoverExpiresAfterDays: number | null;
  readonly carryoverKeepsMinutes: number | null;
  /** `MM-DD`. */
  readonly carryoverOn: string | null;
  readonly grantsExpireAfterMonths: number | null;
  readonly balanceCapTiers: readonly Tier[] | null;
  readonly carryoverLimitTiers: readonly Tier[] | null;
  readonly useCapMinutes: number | null;
  readonly roundSumToMinutes: number | null;
  readonly roundSum: "nearest" | "up" | "down" | "halfUpKeep";
  readonly roundSumOn: "every" | "yearEnd";
  readonly firstYearWholeAfterMonths: number | null;
  readonly firstYearGrants: "atOnce" | "monthly";
  readonly serviceCounts: "employed" | "assigned";
  readonly payPeriods: PayPeriods | null;
  readonly payPeriodsFrom: Day | null;
  readonly scaleWith: "none" | "share";
  readonly revalue: "none" | "remaining" | "weeks";
  readonly whenItEnds: "keep" | "forfeit";
}
