// Calendar functions that only the page needs: weeks and months on screen, and clocks.
import {
  addMonths,
  type Day,
  dateOf,
  dayOf,
  firstOfMonth,
  parseDay,
  utcDayOf,
  weekdayOf,
} from "../../time/day.ts";
import { isStorableDay } from "../../time/instant.ts";
import { isTimeZone, localMsOf } from "../../time/zone.ts";
import { firstWeekday } from "./format.ts";

/** The days from `first` to before `end`. */
export interface DayRange {
  readonly first: Day;
  readonly end: Day;
}

/** Saturday and Sunday, which the calendar shades for everybody. */
export function isWeekend(day: Day): boolean {
  return weekdayOf(day) >= 5;
}

// Weekends that are not Saturday and Sunday, by zone (CLDR, weekData). 0 is Monday.
const FRIDAY_AND_SATURDAY = [4, 5];
const WEEKENDS: Readonly<Record<string, readonly number[]>> = {
  ...Object.fromEntries(
    [
      "Africa/Algiers",
      "Africa/Cairo",
      "Africa/Khartoum",
      "Africa/Tripoli",
      "Asia/Aden",
      "Asia/Amman",
      "Asia/Baghdad",
      "Asia/Bahrain",
      "Asia/Damascus",
      "Asia/Jerusalem",
      "Asia/Kuwait",
      "Asia/Muscat",
      "Asia/Qatar",
      "Asia/Riyadh",
    ].map((zone) => [zone, FRIDAY_AND_SATURDAY]),
  ),
  "Asia/Kabul": [3, 4],
  "Asia/Tehran": [4],
};

/** Whether people in this zone have the day of the week off. */
export function isDayOff(day: Day, zone: string): boolean {
  return (WEEKENDS[zone] ?? [5, 6]).includes(weekdayOf(day));
}

export function weekOf(day: Day): DayRange {
  const first = day - ((weekdayOf(day) - firstWeekday() + 7) % 7);
  return { first, end: first + 7 };
}

export function monthOf(day: Day): DayRange {
  const first = firstOfMonth(day);
  return { first, end: addMonths(first, 1) };
}

export function monthsOf({ first, end }: DayRange): DayRange[] {
  const months = [monthOf(first)];
  while (months.at(-1)!.end < end) months.push(monthOf(months.at(-1)!.end));
  return months;
}

export function yearOf(day: Day): DayRange {
  const { year } = dateOf(day);
  return { first: dayOf(year, 1, 1), end: dayOf(year + 1, 1, 1) };
}

export function daysIn({ first, end }: DayRange): Day[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
}

/** Parses `YYYY-MM-DD`. Null for other texts, and for days that cannot be stored. */
export function storedDay(text: string | null): Day | null {
  const day = text === null ? null : parseDay(text);
  return day !== null && isStorableDay(day) ? day : null;
}

export interface WallTime {
  readonly day: Day;
  /** Minutes since local midnight. */
  readonly minute: number;
}

/** The first zone that is not null, or UTC if the browser does not know that zone. */
export function knownZone(...zones: readonly (string | null)[]): string {
  const zone = zones.find((each) => each !== null) ?? "UTC";
  return isTimeZone(zone) ? zone : "UTC";
}

/** The local day and time of an instant, in a zone that is known. */
export function wallTime(instant: string, zone: string): WallTime {
  const minutes = Math.floor(localMsOf(Date.parse(instant), zone) / 60_000);
  const day = utcDayOf(minutes * 60_000);
  return { day, minute: minutes - day * 1440 };
}

export function viewerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
