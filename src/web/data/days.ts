// What the page adds to the calendar and the zones of src/time: weeks and months on screen, and clocks.
import { addMonths, type Day, firstOfMonth, parseDay, utcDayOf, weekdayOf } from "../../time/day.ts";
import { isStorableDay } from "../../time/instant.ts";
import { isTimeZone, localMsOf } from "../../time/zone.ts";

/** The days `first` up to, not including, `end`. */
export interface DayRange {
  readonly first: Day;
  readonly end: Day;
}

export function isWeekend(day: Day): boolean {
  return weekdayOf(day) >= 5;
}

export function weekOf(day: Day): DayRange {
  const first = day - weekdayOf(day);
  return { first, end: first + 7 };
}

export function monthOf(day: Day): DayRange {
  const first = firstOfMonth(day);
  return { first, end: addMonths(first, 1) };
}

export function daysIn({ first, end }: DayRange): Day[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** A `YYYY-MM-DD` of the days that can be stored, or null: addresses may hold anything. */
export function storedDay(text: string | null): Day | null {
  const day = text === null ? null : parseDay(text);
  return day !== null && isStorableDay(day) ? day : null;
}

export interface WallTime {
  readonly day: Day;
  /** Since local midnight. */
  readonly minute: number;
}

/** The local day and time of an instant; in UTC where the browser does not know the zone (yet). */
export function wallTime(instant: string, zone: string): WallTime {
  const minutes = Math.floor(localMsOf(Date.parse(instant), isTimeZone(zone) ? zone : "UTC") / 60_000);
  const day = utcDayOf(minutes * 60_000);
  return { day, minute: minutes - day * 1440 };
}

export function viewerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
