/** The rules of a policy, each with its default. For what each does, see docs/balances.md, The rules of a policy. */
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

/** A choice of these words. The first is the default. */
const oneOf = <W extends string>(usual: W, ..._others: readonly W[]): W => usual;

/** A value, by default none. */
export const optional = <T>(): T | null => null;

const RULES = {
  accrualTiming: oneOf("start", "end", "lastDay"),
  periodAnchor: oneOf("calendar", "anniversary"),
  prorate: true,
  waitingPeriodDays: 0,
  carryoverLimitMinutes: optional<number>(),
  balanceCapMinutes: optional<number>(),
  prorateBy: oneOf<Parts | `startsBy:${number}`>("days"),
  instalments: optional<"daily" | "weekly" | "biweekly" | "semimonthly" | "quarterly" | "halfYearly">(),
  instalmentsFrom: optional<Day>(),
  /** `MM-DD`. */
  yearStartsOn: "01-01",
  tiers: optional<readonly Tier[]>(),
  tierFrom: oneOf("nextPeriod", "sameDay", "sameYear"),
  roundGrantsToMinutes: optional<number>(),
  roundGrants: oneOf("nearest", "up", "down"),
  yearlyAccrualCapMinutes: optional<number>(),
  carryoverExpiresAfterMonths: optional<number>(),
  carryoverExpiresAfterDays: optional<number>(),
  carryoverKeepsMinutes: optional<number>(),
  /** `MM-DD`. */
  carryoverOn: optional<string>(),
  grantsExpireAfterMonths: optional<number>(),
  balanceCapTiers: optional<readonly Tier[]>(),
  carryoverLimitTiers: optional<readonly Tier[]>(),
  useCapMinutes: optional<number>(),
  roundSumToMinutes: optional<number>(),
  roundSum: oneOf("nearest", "up", "down", "halfUpKeep"),
  roundSumOn: oneOf("every", "yearEnd"),
  firstYearWholeAfterMonths: optional<number>(),
  firstYearGrants: oneOf("atOnce", "monthly"),
  serviceCounts: oneOf("employed", "assigned"),
  payPeriods: optional<"weekly" | "biweekly" | "fourWeekly" | "semimonthly" | "monthly">(),
  payPeriodsFrom: optional<Day>(),
  scaleWith: oneOf("none", "share"),
  revalue: oneOf("none", "remaining", "weeks"),
  whenItEnds: oneOf("keep", "forfeit"),
};

export type PolicyRules = Readonly<typeof RULES>;

/** The rules of a policy that sets none. */
export const DEFAULT_RULES: PolicyRules = RULES;
