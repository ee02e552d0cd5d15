// Instants, in UTC milliseconds since 1970: how they are written (RFC 3339), and which may be stored (docs/api.md, Resources).
import { DAY_MS, type Day, dayOfText, parseDay, utcDayOf } from "./day.ts";

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/** The first and the last day that may be stored. */
export const FIRST_STORED_DAY = "1900-01-01";
export const LAST_STORED_DAY = "2200-12-31";

const FIRST_STORED: Day = dayOfText(FIRST_STORED_DAY);
const LAST_STORED: Day = dayOfText(LAST_STORED_DAY);

export function isStorableDay(day: Day): boolean {
  return day >= FIRST_STORED && day <= LAST_STORED;
}

/** Whether an instant may be stored: its UTC day decides. */
export function isStorable(instantMs: number): boolean {
  return isStorableDay(utcDayOf(instantMs));
}

/**
 * Parses an RFC 3339 date-time with an offset; null for anything else. A fraction finer than a millisecond is rounded down, because
 * rounding up could reach the next day or a later import. For comparisons, pass `Math.ceil`: an instant of whole milliseconds, as the
 * store has them, is before the rounded instant exactly if it is before the given one.
 */
export function parseDateTime(text: string, round = Math.floor): number | null {
  const match = DATE_TIME.exec(text);
  if (match === null) return null;
  const day = parseDay(match[1]!);
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const [offsetHours, offsetMinutes] = [Number(match[8] ?? 0), Number(match[9] ?? 0)];
  if (day === null || hours > 23 || minutes > 59 || seconds > 59) return null;
  if (offsetHours > 23 || offsetMinutes > 59) return null;
  const fractionMs = match[5] === undefined ? 0 : round(Number(match[5].padEnd(9, "0")) / 1_000_000);
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[7] === "-" ? -1 : 1);
  return day * DAY_MS + (hours * 3600 + minutes * 60 + seconds) * 1000 + fractionMs - offsetMs;
}

/** A day (its midnight UTC) or a date-time with an offset, rounded as `parseDateTime` does; null for anything else. */
export function parseInstant(text: string, round = Math.floor): number | null {
  if (text.length !== 10) return parseDateTime(text, round);
  const day = parseDay(text);
  return day === null ? null : day * DAY_MS;
}

/** Writes an instant as RFC 3339 in UTC with milliseconds: `2026-03-01T09:00:00.000Z`. */
export function formatInstant(instantMs: number): string {
  return new Date(instantMs).toISOString();
}
