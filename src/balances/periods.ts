/** Accrual periods and leave years, and where each begins (docs/balances.md, Periods and years). */
import { type Day, dayInMonth, monthOf } from "../time/day.ts";
import type { BalanceFacts, PolicyFacts, PolicyRules } from "./facts.ts";

/** An endless sequence of numbered periods. Negative numbers lie before the anchor. */
export type Periods = MonthPeriods | DayPeriods | HalfMonths;

interface MonthPeriods {
  readonly unit: "months";
  readonly length: number;
  /** Months since January of year 0. */
  readonly anchorMonth: number;
  readonly anchorDayOfMonth: number;
}

interface DayPeriods {
  readonly unit: "days";
  readonly length: number;
  readonly from: Day;
}

/** The 1st to the 15th, and the 16th to the end of the month. */
interface HalfMonths {
  readonly unit: "halfMonths";
}

/** The number of instalments of a year. Daily ones are not here: a leave year has as many as days. */
export const INSTALMENTS_PER_YEAR = {
  weekly: 52,
  biweekly: 26,
  semimonthly: 24,
  quarterly: 4,
  halfYearly: 2,
} as const satisfies Partial<Record<NonNullable<PolicyRules["instalments"]>, number>>;

const CALENDAR_YEARS: Periods = { unit: "months", length: 12, anchorMonth: 0, anchorDayOfMonth: 1 };
const CALENDAR_MONTHS: Periods = { ...CALENDAR_YEARS, length: 1 };
const DAYS = { daily: 1, weekly: 7, biweekly: 14, fourWeekly: 28 } as const;

/** The leave years: from `yearStartsOn`, or from each anniversary of the assignment day. */
export function leaveYears(rules: PolicyRules, assignedOn: Day): Periods {
  if (rules.periodAnchor === "calendar" && rules.yearStartsOn === "01-01") return CALENDAR_YEARS;
  return monthPeriods(rules, assignedOn, 12);
}

/** The first day of the leave year that contains the day. */
export function lastYearBoundary({ policy, assignment }: BalanceFacts, day: Day): Day {
  const years = leaveYears(policy.rules, assignment.assignedOn);
  return periodStart(years, periodOf(years, day));
}

/** The years at whose start time is carried over or forfeited. */
export function carryoverYears(rules: PolicyRules, assignedOn: Day): Periods {
  const { carryoverOn } = rules;
  if (carryoverOn === null) return leaveYears(rules, assignedOn);
  return monthPeriods({ ...rules, periodAnchor: "calendar", yearStartsOn: carryoverOn }, assignedOn, 12);
}

/** Pay periods, and instalments that do not depend on the leave year. `from`: the first day of any of them. */
export function payPeriods(
  unit: NonNullable<PolicyRules["payPeriods"]> | "daily",
  from: Day | null,
): Periods {
  if (unit === "monthly") return CALENDAR_MONTHS;
  if (unit === "semimonthly") return { unit: "halfMonths" };
  return { unit: "days", length: DAYS[unit], from: from ?? 0 };
}

/** The periods that have one grant each, for a monthly or a yearly schedule. */
export function grantPeriods({ schedule, rules }: PolicyFacts, assignedOn: Day): Periods {
  const { instalments, instalmentsFrom, periodAnchor } = rules;
  if (schedule === "monthly")
    return periodAnchor === "anniversary" ? monthPeriods(rules, assignedOn, 1) : CALENDAR_MONTHS;
  if (instalments === null) return leaveYears(rules, assignedOn);
  if (instalments === "quarterly" || instalments === "halfYearly")
    return monthPeriods(rules, assignedOn, 12 / INSTALMENTS_PER_YEAR[instalments]);
  return payPeriods(instalments, instalmentsFrom);
}

function monthPeriods({ periodAnchor, yearStartsOn }: PolicyRules, assignedOn: Day, length: number): Periods {
  if (periodAnchor === "calendar") {
    const [month, dayOfMonth] = [Number(yearStartsOn.slice(0, 2)), Number(yearStartsOn.slice(3))];
    return { unit: "months", length, anchorMonth: month - 1, anchorDayOfMonth: dayOfMonth };
  }
  const month = monthOf(assignedOn);
  const dayOfMonth = assignedOn - dayInMonth(month, 1) + 1;
  return { unit: "months", length, anchorMonth: month, anchorDayOfMonth: dayOfMonth };
}

/** The first day of period `n`, which may be negative; the month's last day if a month is too short: 31 January, 28 February, 31 March. */
export function periodStart(periods: Periods, n: number): Day {
  if (periods.unit === "months")
    return dayInMonth(periods.anchorMonth + n * periods.length, periods.anchorDayOfMonth);
  if (periods.unit === "days") return periods.from + n * periods.length;
  return dayInMonth(Math.floor(n / 2), n % 2 === 0 ? 1 : 16);
}

export function periodOf(periods: Periods, day: Day): number {
  if (periods.unit === "days") return Math.floor((day - periods.from) / periods.length);
  const month = monthOf(day);
  if (periods.unit === "halfMonths") return month * 2 + (day < dayInMonth(month, 16) ? 0 : 1);
  const n = Math.floor((month - periods.anchorMonth) / periods.length);
  // A period that begins in the day's month may begin after the day.
  return periodStart(periods, n) > day ? n - 1 : n;
}
