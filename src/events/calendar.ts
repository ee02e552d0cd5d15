// Date-driven events: of leave and workers when a local day begins, of balances when a UTC day begins. They are computed when due.
import { byId, parsed, readAll, readRows } from "../http/read-all.ts";
import { expirationsList } from "../http/routes/movements.ts";
import { pagesOf } from "../http/routes/route.ts";
import { type EventType, isNamedBy } from "../resources/events.ts";
import type { Expiration } from "../resources/movements.ts";
import { atWorkOf, type Policy } from "../resources/policies.ts";
import { requestDays, type TimeOffRequest, zoneOf } from "../resources/requests.ts";
import type { Worker } from "../resources/workers.ts";
import type { HookDefinition } from "../store/hooks.ts";
import type { CompanyReader, Condition } from "../store/store.ts";
import { DAY_MS, type Day, dayOfText, formatDay, utcDayOf } from "../time/day.ts";
import { instantOf } from "../time/zone.ts";

/** An event that is due at a moment. Events of one moment are ordered by key. */
export interface CalendarEvent {
  readonly type: EventType;
  readonly key: string;
  readonly ids: Readonly<Record<string, string | number>>;
  readonly atMs: number;
}

export interface Span {
  /** Exclusive. */
  readonly fromMs: number;
  /** Inclusive. */
  readonly toMs: number;
}

/** How many days before minutes expire an event is sent. */
const EXPIRING_DAYS = 30;
/** Workers and requests that are read at once. */
const PAGE_ROWS = 500;
/** Local days begin up to 14 hours before and 12 hours after UTC days. */
const ZONES_MS = DAY_MS;
/** A local day on which clocks go back has 25 or 26 hours. */
const LONGEST_DAY_MS = 2 * DAY_MS;

/** The events that are due in a span for a hook with this definition, in order. */
export function calendarEvents(
  company: CompanyReader,
  { daysBefore, allLeave, events }: HookDefinition,
  span: Span,
): Promise<CalendarEvent[]> {
  return company.atOneVersion(async (reader) => {
    const about = await reader.about();
    const zone = about === null ? null : about.timeZone;
    const inAnySpan = [
      ...(await leaveEvents(reader, span, zone, allLeave)),
      ...(await workerEvents(reader, span, zone, "startDay", daysBefore)),
      ...(await workerEvents(reader, span, zone, "endDay", daysBefore)),
      ...(events.some((pattern) => isNamedBy(pattern, EXPIRING)) ? await expiringEvents(reader, span) : []),
    ];
    return inAnySpan
      .filter(({ atMs }) => span.fromMs < atMs && atMs <= span.toMs)
      .sort((left, right) => left.atMs - right.atMs || (left.key < right.key ? -1 : 1));
  });
}

export const ENDED = "time_off.leave.ended";
const EXPIRING = "time_off.balance.expiring";

async function leaveEvents(
  reader: CompanyReader,
  { fromMs, toMs }: Span,
  companyZone: string | null,
  allLeave: boolean,
): Promise<CalendarEvent[]> {
  const requests = await readAll<TimeOffRequest>(reader, "requests", {
    statuses: ["approved"],
    endsOnOrAfter: fromMs - LONGEST_DAY_MS,
    startsBefore: toMs + LONGEST_DAY_MS,
  });
  return eventsOfRequests(reader, requests, companyZone, allLeave);
}

/** The begin and the end of each of these approved requests, as two events in a row. */
async function eventsOfRequests(
  reader: CompanyReader,
  requests: readonly TimeOffRequest[],
  companyZone: string | null,
  allLeave: boolean,
): Promise<CalendarEvent[]> {
  const atWork = allLeave ? new Set() : atWorkOf(await readAll<Policy>(reader, "policies", {}));
  const events: CalendarEvent[] = [];
  for (let at = 0; at < requests.length; at += PAGE_ROWS) {
    const batch = requests.slice(at, at + PAGE_ROWS);
    const workers = await byId<Worker>(
      reader,
      "workers",
      batch.map(({ workerId }) => workerId),
    );
    for (const request of batch) {
      const { id, workerId, timeOffPolicyId: policyId } = request;
      const [startAt, endAt] = [Date.parse(request.startAt), Date.parse(request.endAt)];
      if (endAt <= startAt || atWork.has(policyId)) continue;
      const worker = workers.get(workerId);
      const workersZone = worker?.timeZone ?? companyZone;
      const { firstDay, lastDay } = requestDays({ ...request, startAt, endAt }, workersZone);
      if (worker?.endDate && firstDay > dayOfText(worker.endDate)) continue; // somebody who left is not on leave
      const zone = zoneOf(request, workersZone);
      const event = (type: EventType, day: Day) => {
        const ids = { requestId: id, workerId, policyId, date: formatDay(day) };
        events.push({ type, key: `${type} ${id}`, ids, atMs: instantOf(day * DAY_MS, zone) });
      };
      event("time_off.leave.started", firstDay);
      event(ENDED, lastDay + 1);
    }
  }
  return events;
}

/** The event of a leave's end that an import moved from after `sentMs` to `sentMs` or earlier; null if it did not. */
export async function endMovedBack(
  [before, after]: readonly [CompanyReader, CompanyReader],
  requestId: string,
  { allLeave }: HookDefinition,
  sentMs: number,
): Promise<CalendarEvent | null> {
  const requestIn = async (reader: CompanyReader) => {
    const doc = await reader.object("requests", requestId);
    const request = doc === null ? null : parsed<TimeOffRequest>(doc);
    return request?.status === "approved" ? request : null;
  };
  const [was, is] = [await requestIn(before), await requestIn(after)];
  if (was === null || is === null) return null;
  // For most requests, their times rule this out, and no zone or policy must be read.
  if (Date.parse(is.endAt) > sentMs || Date.parse(was.endAt) < sentMs - LONGEST_DAY_MS) return null;
  const eventsOf = async (reader: CompanyReader, request: TimeOffRequest) => {
    const about = await reader.about();
    return eventsOfRequests(reader, [request], about === null ? null : about.timeZone, allLeave);
  };
  const isDue = (event: CalendarEvent | undefined) => event !== undefined && event.atMs <= sentMs;
  const [start, end] = await eventsOf(before, was);
  const [, ended] = await eventsOf(after, is);
  return isDue(start) && !isDue(end) && isDue(ended) ? ended! : null;
}

/** Events some days before workers start, or have their last day. */
async function workerEvents(
  reader: CompanyReader,
  { fromMs, toMs }: Span,
  companyZone: string | null,
  column: "startDay" | "endDay",
  daysBefore: number,
): Promise<CalendarEvent[]> {
  const [first, last] = [utcDayOf(fromMs - ZONES_MS) + daysBefore, utcDayOf(toMs + ZONES_MS) + daysBefore];
  const conditions: Condition[] = [
    { column, is: ">=", values: [first] },
    { column, is: "<", values: [last + 1] },
  ];
  const type = column === "startDay" ? "worker.starting" : "worker.leaving";
  const workers = await readRows<Worker>(reader, "workers", conditions);
  return workers.map(({ id, startDate, endDate, timeZone }) => {
    const date = column === "startDay" ? startDate : endDate!; // the conditions require it
    const atMs = instantOf((dayOfText(date) - daysBefore) * DAY_MS, timeZone ?? companyZone ?? "UTC");
    return { type, key: `${type} ${id}`, ids: { workerId: id, date }, atMs };
  });
}

async function expiringEvents(reader: CompanyReader, { fromMs, toMs }: Span): Promise<CalendarEvent[]> {
  const [first, last] = [utcDayOf(fromMs) + 1, utcDayOf(toMs)];
  if (first > last) return []; // no UTC day begins in the span
  const values = { from: formatDay(first + EXPIRING_DAYS), to: formatDay(last + EXPIRING_DAYS) };
  const events: CalendarEvent[] = [];
  for await (const { docs } of pagesOf(expirationsList, reader, values, formatDay(last)))
    for (const doc of docs) {
      const { id, ...ids } = parsed<Expiration>(doc);
      const atMs = (dayOfText(ids.date) - EXPIRING_DAYS) * DAY_MS;
      events.push({ type: EXPIRING, key: `${EXPIRING} ${id}`, ids, atMs });
    }
  return events;
}
