// Days as whole numbers since 1970-01-01, so that spans are subtractions. No clock and no zone in here.

export type Day = number;

const dayMs = 86_400_000;
const texts = new Map<Day, string>();

/** `2026-03-01` → its day. Throws when the text is not a day of the calendar. */
export function parseDay(text: string): Day {
  const day = Date.parse(`${text}T00:00:00Z`) / dayMs;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !Number.isInteger(day) || dayText(day) !== text) {
    throw new Error(`today: "${text}" is not a day; write it as YYYY-MM-DD`);
  }
  return day;
}

/** The day as `YYYY-MM-DD`. */
export function dayText(day: Day): string {
  let text = texts.get(day);
  if (text === undefined) {
    text = new Date(day * dayMs).toISOString().slice(0, 10);
    texts.set(day, text);
  }
  return text;
}

/** An instant as RFC 3339 in UTC with milliseconds. `epochMinutes` are minutes since 1970 began in UTC. */
export function instantText(epochMinutes: number, seconds = 0): string {
  const day = Math.floor(epochMinutes / 1440);
  const minute = epochMinutes - day * 1440;
  return `${dayText(day)}T${two(Math.floor(minute / 60))}:${two(minute % 60)}:${two(seconds)}.000Z`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

/** 0 Sunday to 6 Saturday. */
export function weekday(day: Day): number {
  return (((day + 4) % 7) + 7) % 7;
}

export function yearOf(day: Day): number {
  return new Date(day * dayMs).getUTCFullYear();
}

/** 0 January to 11 December. */
export function monthOf(day: Day): number {
  return new Date(day * dayMs).getUTCMonth();
}

/** The first day of a month. `month` may lie outside 0–11 and carries into the year. */
export function firstOfMonth(year: number, month: number): Day {
  return Date.UTC(year, month, 1) / dayMs;
}

/** The same month and day so many years later; 29 February becomes the 28th in a common year. */
export function yearsLater(day: Day, years: number): Day {
  const date = new Date(day * dayMs);
  const first = firstOfMonth(date.getUTCFullYear() + years, date.getUTCMonth());
  const last = firstOfMonth(date.getUTCFullYear() + years, date.getUTCMonth() + 1) - 1;
  return Math.min(first + date.getUTCDate() - 1, last);
}
