// Days as whole numbers since 1970-01-01, so that weeks and months are sums. A day here is a calendar day, of no zone.

const DAY_MS = 86_400_000;

export type Day = number;

/** The days `first` up to, not including, `end`. */
export interface DayRange {
  readonly first: Day;
  readonly end: Day;
}

export function dayOf(text: string): Day {
  return Math.floor(Date.parse(`${text.slice(0, 10)}T00:00:00Z`) / DAY_MS);
}

/** `YYYY-MM-DD`. */
export function dayText(day: Day): string {
  return dayDate(day).toISOString().slice(0, 10);
}

/** Midnight UTC, to be formatted in UTC. */
export function dayDate(day: Day): Date {
  return new Date(day * DAY_MS);
}

/** 0 is Monday. */
export function weekday(day: Day): number {
  return (((day + 3) % 7) + 7) % 7;
}

export function isWeekend(day: Day): boolean {
  return weekday(day) >= 5;
}

export function firstOfMonth(year: number, month: number): Day {
  return Math.floor(Date.UTC(year, month, 1) / DAY_MS);
}

export function weekOf(day: Day): DayRange {
  const first = day - weekday(day);
  return { first, end: first + 7 };
}

export function monthOf(day: Day): DayRange {
  const date = dayDate(day);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { first: firstOfMonth(year, month), end: firstOfMonth(year, month + 1) };
}

export function daysIn({ first, end }: DayRange): Day[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** A real `YYYY-MM-DD` of the days that can be stored, or null. */
export function parseDay(text: string | null): Day | null {
  if (text === null || !/^(19|20|21)\d\d-\d\d-\d\d$/.test(text)) return null;
  const day = dayOf(text);
  return Number.isNaN(day) || dayText(day) !== text ? null : day;
}
