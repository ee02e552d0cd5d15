// Requests: their times, local days and minutes.
import sql, { raw } from "sql-template-tag";
import { isLocalInstant, type LocalTime, OUT_OF_RANGE } from "../../../resources/cells.ts";
import type { Rows } from "../../../resources/kinds.ts";
import {
  dayOutside,
  daysOfAnyZone,
  FOLLOWS_WORKER,
  hasMidnightTimes,
  IS_BEFORE_START,
  LEAVE_AMOUNT,
  LEAVE_SPAN,
  type RequestImportRow,
  rangeTypes,
  requestDays,
  requests,
  zoneOf,
} from "../../../resources/requests.ts";
import { anyOf } from "../../../store/queries.ts";
import type { ImportStatements, ImportTransaction } from "../../../store/store.ts";
import { chunks, selected, TABLES } from "../../../store/tables.ts";
import { countWorkDays, formatDay, MONDAY_TO_FRIDAY } from "../../../time/day.ts";
import { isStorable } from "../../../time/instant.ts";
import { instantOf, localDays } from "../../../time/zone.ts";
import type { WorkPattern } from "../../convert/import-rows.ts";
import { type RowProblem, shown } from "../../row-errors.ts";
import { type Hints, midnightsOf } from "./hints.ts";
import { type KindRules, plainRow, type RowNote, refusedFor } from "./kind.ts";

export const requestRules: KindRules<"requests"> = {
  hintsOf({ row, amountFrom }): Hints | null {
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
    const { fields, stored, workersZone: own } = loaded;
    const workersZone = fields.timeZone === null ? (own ?? timeZone) : null;
    const timed = timedRequest(fields, workersZone);
    if (Array.isArray(timed)) return refusedFor(...timed);
    const days = requestDays(timed, workersZone);
    const { pattern } = loaded.hints;
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
    if (pattern !== undefined && hasMidnightTimes(fields, row, workersZone))
      return refusedFor({
        field: LEAVE_SPAN.end,
        value: writtenTime(fields.endAt),
        message: `is a midnight: is it the last day of leave, or the day of return? Read it as a day: in a mapping, put the time in quotes (yyyy-MM-dd '00:00') and say "endDay"`,
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

// Local times of exports become instants (docs/importing.md, Local dates and times) once references are resolved, because the zone may be
// the worker's. When a zone changes later, the days of requests are computed again.

/** How many workers' requests are recomputed together. */
const BATCH_WORKERS = 100;

const { fields } = requests;
type RequestTime = "createdAt" | "startAt" | "endAt";
const TIMES = (Object.keys(fields) as (keyof typeof fields)[]).filter((field): field is RequestTime =>
  isLocalInstant(fields[field].cell.holds),
);

/**
 * The request with its local times as instants: in the mapping's zone, else in the zone of its days (docs/importing.md, Local dates and
 * times). Returns problems if they cannot be stored.
 */
export function timedRequest(
  importRow: RequestImportRow,
  workersZone: string | null,
): (RequestImportRow & Readonly<Record<RequestTime, number>>) | RowProblem[] {
  const { createdAt, startAt, endAt } = importRow;
  if (typeof createdAt === "number" && typeof startAt === "number" && typeof endAt === "number") {
    return importRow as RequestImportRow & Readonly<Record<RequestTime, number>>; // just checked
  }
  const at = (time: number | LocalTime) =>
    typeof time === "number" ? time : instantOf(time.localMs, time.zone ?? zoneOf(importRow, workersZone));
  const timed = { ...importRow, createdAt: at(createdAt), startAt: at(startAt), endAt: at(endAt) };
  const problems: RowProblem[] = TIMES.filter((field) => !isStorable(timed[field])).map((field) => ({
    field,
    value: writtenTime(importRow[field]),
    message: OUT_OF_RANGE,
  }));
  // A last day before the first one ends as the first one begins.
  const isDayBefore =
    typeof startAt !== "number" &&
    typeof endAt !== "number" &&
    endAt.isDayEnd &&
    endAt.localMs <= startAt.localMs;
  if (timed.endAt < timed.startAt || isDayBefore)
    problems.push({
      field: "endAt",
      value: writtenTime(endAt),
      message: IS_BEFORE_START,
      other: ` (${writtenTime(startAt)})`,
    });
  return problems.length > 0 ? problems : timed;
}

function writtenTime(time: number | LocalTime): string {
  return shown(fields.startAt.cell.write(time));
}

/** Recomputes the days of stored requests of workers whose time zone changed. Returns whether any changed. */
export async function recomputeLocalDays(
  transaction: ImportTransaction,
  zones: ReadonlyMap<string, string | null>,
): Promise<boolean> {
  let isAnyChanged = false;
  for (const some of chunks([...zones], BATCH_WORKERS))
    if ((await recomputeDays(transaction, new Map(some))) > 0) isAnyChanged = true;
  return isAnyChanged;
}

/** Recomputes the days of requests in the company's zone: neither they nor their workers have one. Returns how many changed. */
export async function recomputeDefaultDays(transaction: ImportTransaction): Promise<number> {
  const zone = (await transaction.company()).timeZone;
  let changed = 0;
  let zones = new Map<string, string | null>();
  const recompute = async () => {
    changed += await recomputeDays(transaction, zones);
    zones = new Map();
  };
  for await (const workers of transaction.scan("workers")) {
    for (const worker of workers) {
      if (worker.timeZone === null) zones.set(worker.id, zone);
      if (zones.size === BATCH_WORKERS) await recompute();
    }
  }
  await recompute();
  return changed;
}

/** The requests of these workers without a time zone of their own: their days follow the worker's zone. */
export async function requestsInWorkersZone(
  statements: ImportStatements,
  workerIds: readonly string[],
): Promise<Rows["requests"][]> {
  if (workerIds.length === 0) return [];
  return statements.run(sql`
    select ${raw(selected(TABLES.requests.columns))}
    from requests
    where company_id = ${statements.companyId} and ${anyOf("worker_id", workerIds)} and ${raw(FOLLOWS_WORKER)}`);
}

/** Recomputes the days of these workers' requests without a zone of their own. Returns how many changed. */
async function recomputeDays(
  transaction: ImportTransaction,
  zones: ReadonlyMap<string, string | null>,
): Promise<number> {
  const requests = await requestsInWorkersZone(transaction, [...zones.keys()]);
  const changed = requests.flatMap((request) => {
    const zone = zoneOf(request, zones.get(request.workerId) ?? null);
    const days = localDays(request.startAtMs, request.endAtMs, zone);
    const isSame = days.firstDay === request.firstDay && days.lastDay === request.lastDay;
    return isSame ? [] : [{ ...request, ...days }];
  });
  if (changed.length > 0) await transaction.put("requests", changed);
  return changed.length;
}
