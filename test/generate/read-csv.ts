// Reads what the generator wrote with a parser that it does not know.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";

export const names = [
  "workplaces",
  "holidays",
  "workers",
  "schedules",
  "policies",
  "assignments",
  "requests",
  "adjustments",
  "work_hours",
] as const;

export type Row = Record<string, string>;

/** Rows by header; every row must have as many cells as the header. A file without rows is not written. */
export function readCsv(folder: string, name: (typeof names)[number]): Row[] {
  const path = join(folder, `${name}.csv`);
  return existsSync(path) ? parse(readFileSync(path), { columns: true, record_delimiter: "\r\n" }) : [];
}

/** Days since 1970 of `YYYY-MM-DD`, or of the UTC day of a date-time. */
export function dayOf(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T00:00:00Z`) / 86_400_000;
}

/** By time zone: to make one takes a hundred times as long as to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The local date and time of an instant, as `YYYY-MM-DD HH:MM`. */
export function localText(instant: string, timeZone: string): string {
  const format = formats.getOrInsertComputed(
    timeZone,
    () => new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }),
  );
  return format.format(Date.parse(instant));
}
