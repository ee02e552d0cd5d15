// Time-off requests.
import { z } from "zod";
import { DAY_MS, type Day } from "../time/day.ts";
import { localDays, localMsOf } from "../time/zone.ts";
import { addUpTo, dayMinutes, type WrittenDay } from "./balance-cells.ts";
import * as cell from "./cells.ts";
import { dateTimeSchema, legacyIdSchema, timeZoneSchema } from "./cells.ts";
import { idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  type AwayKey,
  column,
  columnName,
  filter,
  type ImportRow,
  type ListResource,
  type Report,
  type Resolved,
  type Row,
  routePattern,
  type Wire,
} from "./resource.ts";

export const REQUEST_STATUSES = ["pending", "approved", "denied"] as const;
export const RANGE_TYPES = ["date", "datetime"] as const;

function rangeType(what: "starts" | "ends") {
  return {
    wire: z.enum(RANGE_TYPES).meta({
      description: `Whether the source system knows only the day on which it ${what}, or the time, too.`,
      example: "date",
    }),
    cell: cell.optionalChoice(RANGE_TYPES), // see `rangeTypes` for the default
  };
}

/** The types that a file gives; by default, a day without time is a date. */
export function rangeTypes({ startAt, endAt, startRangeType, endRangeType }: RequestImportRow) {
  const typeOf = (time: number | cell.LocalTime): (typeof RANGE_TYPES)[number] =>
    typeof time === "object" && time.isDay ? "date" : "datetime";
  return {
    startRangeType: startRangeType ?? typeOf(startAt),
    endRangeType: endRangeType ?? typeOf(endAt),
  };
}

export const requests = {
  kind: "requests",
  schemaName: "Request",
  description: "A worker's request for time off.",
  idKind: "request",
  key: ["id"],
  fields: {
    id: { wire: idSchema("request"), cell: cell.id("request"), column: column.text("id"), isAway: true },
    createdAt: {
      wire: dateTimeSchema.meta({ example: "2026-01-12T08:15:30.000Z" }),
      cell: cell.instantOrLocal,
    },
    endAt: {
      wire: dateTimeSchema.meta({
        description: "The end, not included.",
        example: "2026-03-04T23:00:00.000Z",
      }),
      cell: cell.endOrLocal,
      column: column.instant("endAtMs"),
      isAway: true,
    },
    reason: {
      wire: z.string().nullable().meta({ maxLength: cell.PROSE_MAX, example: "Family visit" }),
      cell: cell.optionalProse,
      isReason: true,
    },
    requestedMinutes: {
      wire: z.number().meta({ description: "Minutes, as the source system decided.", example: 1440 }),
      cell: cell.amount(),
      column: column.minutes("minutes"),
    },
    startAt: {
      wire: dateTimeSchema.meta({ description: "The start, included.", example: "2026-03-01T23:00:00.000Z" }),
      cell: cell.instantOrLocal,
      column: column.instant("startAtMs"),
      isAway: true,
    },
    status: {
      wire: z.enum(REQUEST_STATUSES).meta({ example: "approved" }),
      cell: cell.choice(REQUEST_STATUSES),
      column: column.text("status"),
    },
    timeOffPolicyId: { wire: idSchema("policy"), cell: cell.reference, column: column.text("policyId") },
    timeZone: {
      wire: timeZoneSchema.nullable().meta({ example: "Europe/Berlin" }),
      cell: cell.optionalTimeZone,
      column: column.text("timeZone"),
      isAway: true,
    },
    workerId: {
      wire: idSchema("worker"),
      cell: cell.reference,
      column: column.text("workerId"),
      isAway: true,
    },
    // Added later, so at the end: clients see the earlier fields in their old order.
    legacyId: { wire: legacyIdSchema, cell: cell.legacyId, column: column.text("legacyId") },
    startRangeType: rangeType("starts"),
    endRangeType: rangeType("ends"),
    dayMinutes: { cell: dayMinutes, isTerm: true },
  },
  /** The first and last local day that the request touches: see `requestDays`. */
  derived: { firstDay: "integer", lastDay: "integer" },
  isOfCompany: false,
  belongsTo: { workerId: "workers", policyId: "policies" },
  balanceColumns: ["workerId", "policyId", "status", "firstDay", "lastDay", "minutes", "terms"],
  indexes: [
    { name: "requests_legacy_id", columns: ["legacyId"], covers: [], rows: "few" },
    {
      name: "requests_worker",
      columns: ["workerId"],
      // What most balances need of a request, and the times that show overlaps.
      covers: ["policyId", "status", "firstDay", "lastDay", "minutes", "startAtMs", "endAtMs", "terms"],
      rows: "few",
    },
  ],
  hasTimeBuckets: true,
  api: {
    path: routePattern("/v1/time_off/requests"),
    tag: "Time off",
    scope: "time_off:read",
    adjective: "time-off",
    isRetrieved: true,
    note: "A request lasts from `startAt` until just before `endAt`; its days are those of its `timeZone`, else of the worker's zone, else of the company's, else of UTC.",
    filters: {
      policyIds: filter("policyId", query.ids("policy", "Only requests against one of these policies.")),
      workerIds: filter("workerId", query.ids("worker", "Only requests of one of these workers.")),
      statuses: filter(
        "status",
        query.choices(REQUEST_STATUSES, "Only requests with one of these statuses.", "approved"),
      ),
      legacyIds: filter("legacyId", query.legacyIds("requests")),
      startsBefore: filter("startAtMs", query.instant("Only requests with `startAt` before this."), "<"),
      startsOnOrAfter: filter(
        "startAtMs",
        query.instant("Only requests with `startAt` at this or later."),
        ">=",
      ),
      endsBefore: filter("endAtMs", query.instant("Only requests with `endAt` before this."), "<"),
      endsOnOrAfter: filter("endAtMs", query.instant("Only requests with `endAt` at this or later."), ">="),
    },
  },
} as const satisfies ListResource;

export type TimeOffRequest = Wire<typeof requests.fields>;
/** The fields of leave for callers who see only who is away (docs/security.md, Sign-in through a proxy). */
export type AwayRequest = Pick<TimeOffRequest, AwayKey<typeof requests.fields>>;
export type RequestRow = Row<typeof requests>;
export type RequestImportRow = ImportRow<typeof requests.fields>;

/** The amount of leave. A mapping may have it computed from the days. */
export const LEAVE_AMOUNT = "requestedMinutes";

export const LEAVE_SPAN = { start: "startAt", end: "endAt" } as const;

/** The message for an end before the start. */
export const IS_BEFORE_START = "is before startAt";

/** What to do about days that belong to a request only in another zone. */
export const OF_ANOTHER_ZONE =
  "they count as written. If they were written for another time zone, give it as the request's timeZone";

/** Cross-field validation of a request. */
export function checkRequest(request: RequestImportRow, report: Report<RequestImportRow>): void {
  const { startAt, endAt } = request;
  if (typeof startAt === "number" && typeof endAt === "number" && endAt < startAt)
    report("endAt", IS_BEFORE_START, "startAt");
  if (request.dayMinutes !== null) {
    const minutes = request.dayMinutes.map((entry) => entry.minutes);
    if (!addUpTo(minutes, request.requestedMinutes))
      report("dayMinutes", "does not add up to requestedMinutes", "requestedMinutes");
  }
}

/** The first day of `dayMinutes` that is not a day of the request; null if there is none. */
export function dayOutside(
  written: readonly WrittenDay[] | null,
  { firstDay, lastDay }: { readonly firstDay: Day; readonly lastDay: Day },
): Day | null {
  return written?.find(({ day }) => day < firstDay || day > lastDay)?.day ?? null;
}

type Zoned = Pick<RequestImportRow, "timeZone">;

/** The zone of a request's days (docs/balances.md): its own, else `workersZone` (which may be the company's), else UTC. */
export function zoneOf(request: Zoned, workersZone: string | null): string {
  return request.timeZone ?? workersZone ?? "UTC";
}

/** The condition in SQL that a stored request names no zone. Then its days depend on its worker's zone. */
export const FOLLOWS_WORKER = `${columnName(requests.fields.timeZone.column.key)} is null`;

/** The first and last local day that a request touches: see `zoneOf`. */
export function requestDays(
  request: Pick<Resolved<typeof requests.fields>, "startAt" | "endAt" | "timeZone">,
  workersZone: string | null,
) {
  return localDays(request.startAt, request.endAt, zoneOf(request, workersZone));
}

/** Whether both times of a request, which are not dates, are midnight. Such an end is often meant to include the day that begins then. */
export function hasMidnightTimes(
  request: RequestImportRow,
  { startAtMs, endAtMs }: { readonly startAtMs: number; readonly endAtMs: number },
  workersZone: string | null,
): boolean {
  if (rangeTypes(request).endRangeType === "date") return false;
  const zone = zoneOf(request, workersZone);
  return [startAtMs, endAtMs].every((atMs) => localMsOf(atMs, zone) % DAY_MS === 0);
}

/** The days that a request touches in any zone: 12 hours behind UTC to 14 ahead. */
export function daysOfAnyZone({ startAt, endAt }: { readonly startAt: number; readonly endAt: number }) {
  const { firstDay } = localDays(startAt, endAt, "Etc/GMT+12");
  const { lastDay } = localDays(startAt, endAt, "Etc/GMT-14");
  return { firstDay, lastDay };
}

/** A request as leave: its times in UTC milliseconds (end exclusive), zone and policy. */
export function leaveOf(request: TimeOffRequest, workersZone: string | null) {
  return {
    policyId: request.timeOffPolicyId,
    startMs: Date.parse(request.startAt),
    endMs: Date.parse(request.endAt),
    zone: zoneOf(request, workersZone),
    isPending: request.status === "pending",
  };
}
