// Dates, date-times and the days that may be stored (docs/api.md, Resources and Lists). All times are UTC milliseconds.
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

const DAY_MS = 86_400_000;

/** The first and the last day that may be stored. */
export const FIRST_STORED_DAY = "1900-01-01";
export const LAST_STORED_DAY = "2200-12-31";

/** Midnight UTC of a `YYYY-MM-DD` that is a real day, in milliseconds; null for anything else. */
export function parseDay(text: string): number | null {
  const match = DAY.exec(text);
  if (match === null) return null;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCDate() === day && date.getUTCMonth() === month - 1 ? date.getTime() : null;
}

/**
 * An RFC 3339 date-time with an offset, in milliseconds; null for anything else.
 * A finer fraction is taken up to the next millisecond: stored instants are whole milliseconds, so `<` and `>=`
 * against the rounded instant answer exactly as they would against the given one.
 */
export function parseDateTime(text: string): number | null {
  const match = DATE_TIME.exec(text);
  if (match === null) return null;
  const midnight = parseDay(match[1]!);
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const [offsetHours, offsetMinutes] = [Number(match[8] ?? 0), Number(match[9] ?? 0)];
  if (midnight === null || hours > 23 || minutes > 59 || seconds > 59) return null;
  if (offsetHours > 23 || offsetMinutes > 59) return null;
  const fractionMs = match[5] === undefined ? 0 : Math.ceil(Number(match[5].padEnd(9, "0")) / 1_000_000);
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[7] === "-" ? -1 : 1);
  return midnight + (hours * 3600 + minutes * 60 + seconds) * 1000 + fractionMs - offsetMs;
}

/** A day (taken as midnight UTC) or a date-time with an offset, in milliseconds; null for anything else. */
export function parseInstant(text: string): number | null {
  return text.length === 10 ? parseDay(text) : parseDateTime(text);
}

/** The `YYYY-MM-DD` of the UTC day that holds this instant. */
export function dayText(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}

/** The day so many years later; 29 February becomes the 28th where it must. */
export function yearsAfter(day: string, years: number): string {
  const text = `${String(Number(day.slice(0, 4)) + years).padStart(4, "0")}${day.slice(4)}`;
  return parseDay(text) === null ? `${text.slice(0, 8)}28` : text;
}

/** Whole days since 1970-01-01 of the UTC day that holds this instant. */
export function epochDay(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS);
}
