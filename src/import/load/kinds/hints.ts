// What rows say only as their files write them. It is staged beside their fields, for findings.
import type { WorkPattern } from "../../convert/import-rows.ts";

/** How a file writes a request, as far as that tells more than its fields. */
export interface RequestHints {
  /** How its amount is computed, where it has none. */
  readonly pattern?: WorkPattern;
  /** The day of a start that is written as a midnight, and of an end; null for an end at the last minute of a day. */
  readonly midnights?: readonly [start: string, end: string | null];
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

export function midnightsOf(start: unknown, end: unknown): RequestHints["midnights"] {
  const [startDay, endDay] = [midnightDay(start), midnightDay(end)];
  // Leave by the hour can end at a midnight of UTC. Only leave that is written as whole days is meant to begin at one.
  const isWholeDays = endDay !== null || (typeof end === "string" && ENDS_WITH_DAY.test(end.trim()));
  return startDay === null || !isWholeDays ? undefined : [startDay, endDay];
}

/** How a file writes an assignment. */
export interface AssignmentHints {
  /** `assignedAt` alone says when it begins, and it is written as a midnight of this day; null for another time. */
  readonly assignedAt?: string | null;
}
