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
    date: {
      wire: dateSchema.meta({ description: "A day in the request's zone.", example: "2026-03-02" }),
    },
    minutes: {
      wire: z.number().meta({
        description: "Above 0. Over all days of a request they add up to its `requestedMinutes`, exactly.",
        example: 480,
      }),
    },
    status: { wire: z.enum(REQUEST_STATUSES).meta({ description: "The request's.", example: "approved" }) },
    requestId: { wire: idSchema("request") },
    workerId: { wire: idSchema("worker") },
    policyId: { wire: idSchema("policy") },
    isAbsence: {
      wire: z.boolean().meta({
        description: "The policy's: false for leave during which people work.",
        example: true,
      }),
    },
    workEmail: {
      wire: emailSchema.nullable().meta({
        description: "The worker's; null without the scope `workers:read`.",
        example: "ana@example.com",
      }),
    },
  },
} satisfies WireResource;

export type DayOfLeave = Wire<typeof days.fields>;

type OfRequest = Pick<DayOfLeave, "status" | "requestId" | "workerId" | "policyId">;

/** A day of leave as JSON, with keys in the order of the definition. `minutes` is a decimal; `worker` is null if the key may not read it. */
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
    "The first day; six days before `to` when left out, and today where both are. A date-time's UTC day is taken.",
  ),
  to: query.day(
    `The last day, included; six days after \`from\` when left out, and at most ${SPAN_MAX_DAYS} after it. A date-time's UTC day is taken.`,
  ),
};

const daySchema = wireSchema(days);

export const listDays = {
  path: routePattern("/v1/time_off/days"),
  operationId: "listDays",
  summary: "List days of leave",
  description:
    "Who is away on which day, for how many minutes: one object for each day on which a request has minutes, by the rule that balances count by. Ordered by id, so by date, then by request.",
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
      "Only requests with one of these statuses; approved ones when left out.",
      "approved",
    ),
    ...workerFilters("leave"),
    ...query.known,
  },
} satisfies ListContract;
