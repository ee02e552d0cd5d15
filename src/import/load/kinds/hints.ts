// Hints: how a file writes a row, as far as its fields do not show it. They are staged beside the fields, for findings.
import type { WorkPattern } from "../../convert/import-rows.ts";

export interface Hints {
  /** Of a request without an amount: how it is computed. */
  readonly pattern?: WorkPattern;
  /** Of a request: the days of a start and an end that are written as midnights; null for an end at the last minute of a day. */
  readonly midnights?: readonly [start: string, end: string | null];
  /** Of a policy: whether it does not say if people are away. */
  readonly isAbsenceEmpty?: boolean;
  /** Of an assignment, if only `assignedAt` says when it begins: the day, if it is written as a midnight; null for another time. */
  readonly assignedAt?: string | null;
}

const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})[Tt]00:00(?::00(?:\.0{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** An end written as the last minute of a day. */
const ENDS_WITH_DAY = /^\d{4}-\d{2}-\d{2}[Tt]23:59/;

/** The day of a date-time that is written as a midnight; null for any other. */
export function midnightDay(cell: unknown): string | null {
  return typeof cell === "string" && cell.includes("00:00")
    ? (MIDNIGHT.exec(cell.trim())?.[1] ?? null)
    : null;
}

export function midnightsOf(start: unknown, end: unknown): Hints["midnights"] {
  const [startDay, endDay] = [midnightDay(start), midnightDay(end)];
  // Leave by the hour may begin or end at a UTC midnight by chance. Only leave that is written as whole days tells something.
  const isWholeDays = endDay !== null || (typeof end === "string" && ENDS_WITH_DAY.test(end.trim()));
  return startDay === null || !isWholeDays ? undefined : [startDay, endDay];
}
