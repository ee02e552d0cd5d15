// The days of a recurrence rule (RFC 5545, 3.3.10). ical.js reads rules, but does not expand all of them rightly.
import { type Day, dateOf, dayOf, daysInMonth, weekdayOf } from "../../time/day.ts";

/** A rule whose days are whole periods or parts of them. Numbers count from 1, or from -1 backwards. */
export interface DayRule {
  readonly freq: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";
  readonly interval: number;
  /** How many days there are, from the first day on; null for no limit. */
  readonly count: number | null;
  /** 0 for Monday: how weeks begin. */
  readonly weekStart: number;
  readonly parts: RuleParts;
}

export interface RuleParts {
  readonly BYMONTH?: readonly number[];
  readonly BYWEEKNO?: readonly number[];
  readonly BYYEARDAY?: readonly number[];
  readonly BYMONTHDAY?: readonly number[];
  /** `MO`, `2MO`, `-1FR`. */
  readonly BYDAY?: readonly string[];
  readonly BYSETPOS?: readonly number[];
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** Why a rule cannot be read: the standard forbids it, or programs read it in several ways. Null if it can. */
export function unclearRule({ freq, interval, parts }: DayRule): string | null {
  const isNumbered = parts.BYDAY?.some((day) => day.length > 2);
  if (isNumbered && (freq === "DAILY" || freq === "WEEKLY")) return "numbers the days of its weeks";
  if (parts.BYWEEKNO === undefined) return null;
  if (
    freq !== "YEARLY" ||
    interval > 1 ||
    parts.BYSETPOS !== undefined ||
    parts.BYDAY === undefined ||
    isNumbered
  )
    return "numbers weeks, but is not yearly with days of the week alone";
  return null;
}

/** The days of a rule from `fromDay` to `lastDay`. Days from `firstDay` count for its COUNT. Calls `spend` with the steps it takes. */
export function daysOfRule(
  rule: DayRule,
  firstDay: Day,
  { fromDay, lastDay }: { readonly fromDay: Day; readonly lastDay: Day },
  spend: (steps: number) => void,
): Day[] {
  const days: Day[] = [];
  const isOfRule = matcherOf(rule, firstDay);
  let counted = 0;
  for (const { start, end } of periodsOf(rule, firstDay, lastDay)) {
    spend(1);
    if (rule.count === null && end <= fromDay) continue;
    spend(end - start);
    const ofPeriod = Array.from({ length: end - start }, (_, at) => start + at).filter(isOfRule);
    for (const day of atPositions(ofPeriod, rule.parts.BYSETPOS)) {
      if (day < firstDay) continue;
      if (day > lastDay || (rule.count !== null && ++counted > rule.count)) return days;
      if (day >= fromDay) days.push(day);
    }
  }
  return days;
}

/** The days at these positions, which count from 1, or from -1 backwards; all without positions. */
function atPositions(days: readonly Day[], positions: RuleParts["BYSETPOS"]): readonly Day[] {
  if (positions === undefined) return days;
  return days.filter((_, at) => positions.includes(at + 1) || positions.includes(at - days.length));
}

/** The periods of a rule that begin by `lastDay`; the first one contains `firstDay`. */
function* periodsOf(
  { freq, interval, weekStart }: DayRule,
  firstDay: Day,
  lastDay: Day,
): Generator<{ readonly start: Day; readonly end: Day }> {
  const { year, month } = dateOf(firstDay);
  const monthStart = (months: number) =>
    dayOf(year + Math.floor((month - 1 + months) / 12), ((month - 1 + months) % 12) + 1, 1);
  const startOf = {
    DAILY: (at: number) => firstDay + at,
    WEEKLY: (at: number) => firstDay - sinceWeekStart(firstDay, weekStart) + at * 7,
    MONTHLY: monthStart,
    YEARLY: (at: number) => dayOf(year + at, 1, 1),
  }[freq];
  for (let at = 0; startOf(at) <= lastDay; at += interval) yield { start: startOf(at), end: startOf(at + 1) };
}

const sinceWeekStart = (day: Day, weekStart: number) => (weekdayOf(day) - weekStart + 7) % 7;

/** Tells the days of a rule; what it does not say is that of its first day. */
function matcherOf({ freq, parts, weekStart }: DayRule, firstDay: Day): (day: Day) => boolean {
  const first = dateOf(firstDay);
  const { BYWEEKNO: weeks, BYYEARDAY: yearDays } = parts;
  let { BYMONTH: months, BYMONTHDAY: monthDays, BYDAY: weekdays } = parts;
  if ([weeks, yearDays, monthDays, weekdays].every((part) => part === undefined)) {
    if (freq === "YEARLY") months ??= [first.month];
    if (freq === "YEARLY" || freq === "MONTHLY") monthDays = [first.dayOfMonth];
    if (freq === "WEEKLY") weekdays = [WEEKDAYS[weekdayOf(firstDay)]!];
  }
  const days = weekdays?.map((text) => ({
    weekday: WEEKDAYS.indexOf(text.slice(-2)),
    at: Number(text.slice(0, -2)),
  }));
  const isInMonths = freq === "MONTHLY" || months !== undefined;
  return (day) => {
    const { year, month, dayOfMonth } = dateOf(day);
    if (months !== undefined && !months.includes(month)) return false;
    const length = daysInMonth(year, month);
    if (monthDays !== undefined && !isAt(monthDays, dayOfMonth, length)) return false;
    const [start, end] = [dayOf(year, 1, 1), dayOf(year + 1, 1, 1)];
    if (yearDays !== undefined && !isAt(yearDays, day - start + 1, end - start)) return false;
    if (weeks !== undefined && !isInWeeks(weeks, day, weekStart)) return false;
    if (days === undefined) return true;
    const [before, after] = isInMonths ? [dayOfMonth - 1, length - dayOfMonth] : [day - start, end - 1 - day];
    const fromStart = Math.floor(before / 7) + 1;
    const fromEnd = -Math.floor(after / 7) - 1;
    const weekday = weekdayOf(day);
    return days.some(
      (of) => of.weekday === weekday && (of.at === 0 || of.at === fromStart || of.at === fromEnd),
    );
  };
}

/** Whether a list has a number from 1 to `length`, or the same number counted backwards. */
function isAt(list: readonly number[], number: number, length: number): boolean {
  return list.includes(number) || list.includes(number - length - 1);
}

/** Whether a day is in one of these weeks of a year. Week 1 is the first that has four days in its year. */
function isInWeeks(weeks: readonly number[], day: Day, weekStart: number): boolean {
  const start = day - sinceWeekStart(day, weekStart);
  const { year } = dateOf(start + 3);
  const firstWeekOf = (ofYear: number) => {
    const inIt = dayOf(ofYear, 1, 4);
    return inIt - sinceWeekStart(inIt, weekStart);
  };
  const first = firstWeekOf(year);
  return isAt(weeks, (start - first) / 7 + 1, (firstWeekOf(year + 1) - first) / 7);
}
