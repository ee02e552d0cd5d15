// The calendar. A day is a whole number, the days since 1970-01-01, so counting days needs no zone or clock. Runs in browsers too.

/** Days since 1970-01-01; negative before it. */
export type Day = number;

/** Milliseconds of a day in UTC. */
export const DAY_MS = 86_400_000;

const DAYS_IN_400_YEARS = 146_097;
/** From 0000-03-01, where `dateOf` starts its years, to 1970-01-01. */
const DAYS_FROM_MARCH_0000 = 719_468;
/** From 0000-12-31 to 1970-01-01. */
const DAYS_TO_1970 = 719_163;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** The UTC day of an instant, in milliseconds since 1970. */
export function utcDayOf(instantMs: number): Day {
  return Math.floor(instantMs / DAY_MS);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The number of days in a month; `month` is 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : MONTH_LENGTHS[month - 1]!;
}

/** The day of a date that exists; `month` and `dayOfMonth` count from 1. */
export function dayOf(year: number, month: number, dayOfMonth: number): Day {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const ownLeapDay = month > 2 && isLeapYear(year) ? 1 : 0;
  return before * 365 + leapDays + DAYS_BEFORE_MONTH[month - 1]! + ownLeapDay + dayOfMonth - DAYS_TO_1970;
}

/** The number of the month of `day`, counted from January of year 0. */
export function monthOf(day: Day): number {
  const { year, month } = dateOf(day);
  return year * 12 + month - 1;
}

/** A day of the month with that number, or its last day if the month is too short. */
export function dayInMonth(month: number, dayOfMonth: number): Day {
  const year = Math.floor(month / 12);
  const inYear = month - year * 12 + 1;
  return dayOf(year, inYear, Math.min(dayOfMonth, daysInMonth(year, inYear)));
}

/** The date of a day; `month` and `dayOfMonth` count from 1. The inverse of `dayOf`. */
export function dateOf(day: Day): { year: number; month: number; dayOfMonth: number } {
  // Years that begin in March have the leap day last, so months follow one straight line.
  const shifted = day + DAYS_FROM_MARCH_0000;
  const era = Math.floor(shifted / DAYS_IN_400_YEARS);
  const dayOfEra = shifted - era * DAYS_IN_400_YEARS;
  const leapDays =
    Math.floor(dayOfEra / 1460) -
    Math.floor(dayOfEra / 36_524) +
    Math.floor(dayOfEra / (DAYS_IN_400_YEARS - 1));
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Parses `YYYY-MM-DD`, years 0000 to 9999. Null for any other text and for a date that does not exist. */
export function parseDay(text: string): Day | null {
  if (!DATE.test(text)) return null;
  const [year, month, dayOfMonth] = [+text.slice(0, 4), +text.slice(5, 7), +text.slice(8)];
  if (month < 1 || month > 12 || dayOfMonth < 1) return null;
  return dayOfMonth > daysInMonth(year, month) ? null : dayOf(year, month, dayOfMonth);
}

/** The day at the beginning of a date or an RFC 3339 date-time. Throws `RangeError` if there is none. */
export function dayOfText(text: string): Day {
  const day = parseDay(text.length > 10 && (text[10] === "T" || text[10] === "t") ? text.slice(0, 10) : text);
  if (day === null) throw new RangeError(`"${text}" does not begin with a day`);
  return day;
}

/** 0000-01-01 and 9999-12-31. */
const [FIRST_WRITABLE, LAST_WRITABLE] = [-719_528, 2_932_896];

/** The day itself, or the nearest one that `formatDay` can write. */
export function nearestWritable(day: Day): Day {
  return Math.min(Math.max(day, FIRST_WRITABLE), LAST_WRITABLE);
}

/** Whether `formatDay` can write the day. */
export function isWritableDay(day: Day): boolean {
  return day === nearestWritable(day);
}

/** Writes a day as `YYYY-MM-DD`. Throws `RangeError` outside the years 0000 to 9999. */
export function formatDay(day: Day): string {
  if (!isWritableDay(day)) throw new RangeError(`day ${day} has no four-digit year`);
  const { year, month, dayOfMonth } = dateOf(day);
  return `${String(year).padStart(4, "0")}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** The number of Saturday: weekdays from it on are a weekend. */
export const SATURDAY = 5;

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: Day): number {
  // 1970-01-01 was a Thursday.
  const sinceMonday = (day + 3) % 7;
  return sinceMonday < 0 ? sinceMonday + 7 : sinceMonday;
}

/** Work days as bits: bit 0 is Monday, bit 6 Sunday. */
export const MONDAY_TO_FRIDAY = 0b0011111;

export function isWorkDay(weekday: number, workDays: number): boolean {
  return ((workDays >> weekday) & 1) === 1;
}

/** How many days from `first` through `last` are work days. */
export function countWorkDays(first: Day, last: Day, workDays: number): number {
  let count = 0;
  for (let day = first; day <= last; day++) if (isWorkDay(weekdayOf(day), workDays)) count += 1;
  return count;
}

/** The 1st of the month that the day lies in. */
export function firstOfMonth(day: Day): Day {
  return dayInMonth(monthOf(day), 1);
}

/**
 * The same day of the month, `months` later (earlier if negative); the last day if that month is too short. Count every boundary from the
 * first day: 31 January plus one and two months is 28 February and 31 March.
 */
export function addMonths(day: Day, months: number): Day {
  const month = monthOf(day);
  return dayInMonth(month + months, day - dayInMonth(month, 1) + 1);
}
