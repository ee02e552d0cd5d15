/** Where months and years of accrual begin: on the calendar, or on the anniversary of the assignment day. */
import { type Day, dateOf, dayOf, daysInMonth } from "../time/day.ts";

export type PeriodAnchor = "calendar" | "anniversary";

/** An endless row of periods, each `months` long; period 0 begins at the anchor. */
export interface Periods {
  readonly months: 1 | 12;
  /** Months since January of year 0. */
  readonly anchorMonth: number;
  readonly anchorDayOfMonth: number;
}

/** The months (`months` 1) or years (12) that an assignment's rules count in. */
export function periodsOf(anchor: PeriodAnchor, months: 1 | 12, assignedOn: Day): Periods {
  if (anchor === "calendar") return { months, anchorMonth: 0, anchorDayOfMonth: 1 };
  const { year, month, dayOfMonth } = dateOf(assignedOn);
  return { months, anchorMonth: year * 12 + month - 1, anchorDayOfMonth: dayOfMonth };
}

/**
 * The first day of the n-th period; `n` may be negative. Always derived from the anchor, never from the boundary
 * before it, and moved to the month's last day where the month is too short: 31 January, 28 February, 31 March
 * (docs/balances.md, Monthly and yearly).
 */
export function periodStart(periods: Periods, n: number): Day {
  const monthIndex = periods.anchorMonth + n * periods.months;
  const year = Math.floor(monthIndex / 12);
  const month = monthIndex - year * 12 + 1;
  return dayOf(year, month, Math.min(periods.anchorDayOfMonth, daysInMonth(year, month)));
}

/** The n of the period that holds `day`. */
export function periodOf(periods: Periods, day: Day): number {
  const { year, month } = dateOf(day);
  const n = Math.floor((year * 12 + month - 1 - periods.anchorMonth) / periods.months);
  // In the boundary's own month the period may begin after the day.
  return periodStart(periods, n) > day ? n - 1 : n;
}
