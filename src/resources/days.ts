// Days of leave: computed for the requested days, never stored (docs/api.md, Days of leave).
import { z } from "zod";
import { type Day, formatDay } from "../time/day.ts";
import { dateSchema, emailSchema } from "./cells.ts";
import { dayId, idSchema } from "./ids.ts";
import type { Policy } from "./policies.ts";
import * as query from "./query.ts";
import { REQUEST_STATUSES } from "./requests.ts";
import {
  type ListContract,
  listOf,
  onWire,
  routePattern,
  type Wire,
  type WireResource,
  wireSchema,
} from "./resource.ts";
import { workerFilters } from "./worker-filters.ts";
import type { Worker } from "./workers.ts";

export const days = {
  schemaName: "DayOfLeave",
  description: "The minutes of one request on one day.",
  idKind: "day",
  fields: {
    id: { wire: idSchema("day") },
    date: onWire(dateSchema, "A day in the request's zone.", "2026-03-02"),
    minutes: onWire(
      z.number(),
      "Above 0. The minutes of all days of a request add up exactly to its `requestedMinutes`.",
      480,
    ),
    status: onWire(z.enum(REQUEST_STATUSES), "The request's status.", "approved"),
    requestId: { wire: idSchema("request") },
    workerId: { wire: idSchema("worker") },
    policyId: { wire: idSchema("policy") },
    isAbsence: onWire(z.boolean(), "Whether people are away. False for leave during which they work.", true),
    workEmail: onWire(
      emailSchema.nullable(),
      "The worker's work address; null without the scope `workers:read`.",
      "ana@example.com",
    ),
  },
} satisfies WireResource;

export type DayOfLeave = Wire<typeof days.fields>;

type OfRequest = Pick<DayOfLeave, "status" | "requestId" | "workerId" | "policyId">;

/** A day of leave as JSON, with keys in the order of the definition. `minutes` is decimal text; `worker` is null if the key may not read workers. */
export function dayText(
  { status, requestId, workerId, policyId }: OfRequest,
  { day, minutes }: { readonly day: Day; readonly minutes: string },
  { isAbsence }: Policy,
  worker: Worker | null,
): string {
  const workEmail = worker?.workEmail ?? null;
  return `{"id":"${dayId(day, requestId)}","date":"${formatDay(day)}","minutes":${minutes},"status":"${status}","requestId":"${requestId}","workerId":"${workerId}","policyId":"${policyId}","isAbsence":${isAbsence},"workEmail":${JSON.stringify(workEmail)}}`;
}

/** The most days from `from` to `to`. */
export const SPAN_MAX_DAYS = 366;
/** How many days after `from` are shown by default. */
export const SPAN_DAYS = 6;

/** The requested days. */
export const span = {
  from: query.day(
    "The first day; by default six days before `to`, or today without `to`. A date-time means its UTC day.",
  ),
  to: query.day(
    `The last day, included; by default six days after \`from\`, and at most ${SPAN_MAX_DAYS} after it. A date-time means its UTC day.`,
  ),
};

const daySchema = wireSchema(days);

export const listDays = {
  path: routePattern("/v1/time_off/days"),
  operationId: "listDays",
  summary: "List days of leave",
  description:
    "Who is away on which day, for how many minutes: one object for each day on which a request has minutes. Balances count the same minutes. Ordered by id, and so by date, then by request.",
  tag: "Time off",
  scope: "time_off:read",
  scopeNote:
    "Needs the scope `time_off:read`. `workEmail` is null without `workers:read`, which `departmentIds` and `managerIds` need.",
  item: daySchema,
  response: listOf("DayOfLeaveList", daySchema),
  parameters: {
    ...query.cursors("day"),
    ...span,
    workerIds: query.ids("worker", "Only leave of one of these workers."),
    policyIds: query.ids("policy", "Only leave under one of these policies."),
    statuses: query.choices(
      REQUEST_STATUSES,
      "Only requests with one of these statuses; by default approved ones.",
      "approved",
    ),
    ...workerFilters("leave"),
    ...query.known,
  },
} satisfies ListContract;
