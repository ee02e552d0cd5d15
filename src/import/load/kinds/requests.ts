// Requests: their times, local days and minutes.
import { countWorkDays } from "../../../balances/leave.ts";
import { MONDAY_TO_FRIDAY } from "../../../balances/working-time.ts";
import type { Rows } from "../../../resources/kinds.ts";
import {
  dayOutside,
  daysOfAnyZone,
  LEAVE_AMOUNT,
  LEAVE_SPAN,
  rangeTypes,
  requestDays,
  zoneOf,
} from "../../../resources/requests.ts";
import { formatDay } from "../../../time/day.ts";
import type { WorkPattern } from "../../convert/import-rows.ts";
import type { RowProblem } from "../../row-errors.ts";
import { timedRequest } from "../local-times.ts";
import { midnightsOf, type RequestHints } from "./hints.ts";
import { type KindRules, plainRow, type RowNote, refusedFor } from "./kind.ts";

export const requestRules: KindRules<"requests"> = {
  hintsOf({ row, amountFrom }): RequestHints | null {
    const midnights = midnightsOf(row[LEAVE_SPAN.start], row[LEAVE_SPAN.end]);
    if (midnights === undefined && amountFrom === null) return null;
    return {
      ...(amountFrom === null ? {} : { pattern: amountFrom }),
      ...(midnights === undefined ? {} : { midnights }),
    };
  },
  mayFail({ amountFrom, importRow }) {
    const times = [importRow.createdAt, importRow.startAt, importRow.endAt];
    return (
      amountFrom !== null || importRow.dayMinutes !== null || times.some((time) => typeof time !== "number")
    );
  },
  build(loaded, { timeZone }) {
    const { fields, staged, stored, workersZone: own } = loaded;
    const workersZone = fields.timeZone === null ? (own ?? timeZone) : null;
    const timed = timedRequest(fields, workersZone);
    if (Array.isArray(timed)) return refusedFor(...timed);
    const days = requestDays(timed, workersZone);
    const { pattern } = staged.hints === null ? {} : (JSON.parse(staged.hints) as RequestHints); // as it was staged
    const times = { createdAt: timed.createdAt, startAt: timed.startAt, endAt: timed.endAt };
    const workDays = pattern === undefined ? null : (pattern.workDays ?? ownWorkDays(loaded.workersTerms));
    const amount = pattern === undefined ? {} : { [LEAVE_AMOUNT]: minutesOf(pattern, workDays, days) };
    const row = plainRow("requests", loaded, { ...times, ...rangeTypes(fields), ...amount }, days);
    const lastsMinutes = (row.endAtMs - row.startAtMs) / 60_000;
    if (pattern !== undefined && lastsMinutes > 0 && row.minutes > lastsMinutes)
      return refusedFor({
        field: LEAVE_AMOUNT,
        value: String(row.minutes),
        message: `by hoursPerDay is more than the ${lastsMinutes} minutes from ${LEAVE_SPAN.start} to ${LEAVE_SPAN.end}: compute the amount in a query (docs/mapping.md, Queries)`,
      });
    const isAssumed = pattern !== undefined && workDays === null;
    const outside = dayOutside(timed.dayMinutes, days);
    const notes: RowNote[] = isAssumed
      ? [{ code: "assumed-days", example: `worker ${fields.workerId}` }]
      : [];
    const isComputed = pattern !== undefined;
    if (outside === null || hasWrittenDays(row, stored)) return { row, notes, isComputed };
    const mistaken = dayOutside(timed.dayMinutes, daysOfAnyZone(timed));
    if (mistaken !== null) return refusedFor(outsideProblem(mistaken, days, zoneOf(timed, workersZone)));
    return { row, notes, isComputed, dayOfAnotherZone: outside };
  },
};

/** Whether the same times and `dayMinutes` are stored. They were right then, and stay so when a time zone changes. */
function hasWrittenDays(row: Rows["requests"], stored: Rows["requests"] | null): boolean {
  if (stored === null) return false;
  return row.terms === stored.terms && row.startAtMs === stored.startAtMs && row.endAtMs === stored.endAtMs;
}

/** A day of `dayMinutes` that the request does not touch in any zone. */
function outsideProblem(
  outside: number,
  { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
  zone: string,
): RowProblem {
  const range =
    firstDay === lastDay
      ? `is ${formatDay(firstDay)}`
      : `are ${formatDay(firstDay)} to ${formatDay(lastDay)}`;
  return {
    field: "dayMinutes",
    value: formatDay(outside),
    message: `is none of the request's days, which ${range} in ${zone}`,
  };
}

/** The worker's own `workDays`; null if unknown. */
function ownWorkDays(terms: string | null): number | null {
  const { workDays = null } = JSON.parse(terms ?? "{}") as { readonly workDays?: number }; // as it was stored
  return workDays;
}

/** The amount of a request without one: its working days times the hours of a day. */
function minutesOf(
  { hoursPerDay }: WorkPattern,
  workDays: number | null,
  { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
): number {
  return Number(
    (countWorkDays(firstDay, lastDay, workDays ?? MONDAY_TO_FRIDAY) * hoursPerDay * 60).toPrecision(12),
  );
}
