// Time-off requests: the wire object and the list.
import { z } from "zod";
import { parseInstant } from "../time/instant.ts";
import { dateTimeSchema, timeZoneSchema } from "./fields.ts";
import { idSchema } from "./ids.ts";
import { cursors, type ListContract, listOf, one } from "./lists.ts";

export const REQUEST_STATUSES = ["pending", "approved", "denied"] as const;

export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** A request, key by key in the order of the wire. */
export const requestSchema = z
  .strictObject({
    id: idSchema("request", "tor_1q2w3e4r5t6y7u8i9o0p"),
    createdAt: dateTimeSchema,
    endAt: dateTimeSchema.meta({ description: "The end, itself not included." }),
    reason: z.string().nullable(),
    requestedMinutes: z
      .number()
      .meta({ description: "What the source system decided; minutes.", example: 480 }),
    startAt: dateTimeSchema.meta({ description: "The start, included." }),
    status: z.enum(REQUEST_STATUSES),
    timeOffPolicyId: idSchema("policy", "top_8m2v5x9c1b7n4k6j3h0g"),
    timeZone: timeZoneSchema.nullable(),
    workerId: idSchema("worker", "wrk_3f9k2m7q8r5t1v4w6x0z"),
  })
  .meta({ id: "Request", description: "A worker's request for time off." });

export type TimeOffRequest = z.infer<typeof requestSchema>;

const INSTANT_SHAPE = "YYYY-MM-DD, or a date-time with an offset such as 2026-03-01T09:00:00Z";

/** An instant in a query, in milliseconds: a day is taken as midnight UTC (docs/api.md, Instants). */
function instant(description: string) {
  return one(
    z
      .string()
      .transform((text, context) => {
        const instantMs = parseInstant(text);
        if (instantMs !== null) return instantMs;
        context.addIssue({ code: "custom", message: `is not a real instant: write ${INSTANT_SHAPE}` });
        return z.NEVER;
      })
      .meta({
        description: `${description} ${INSTANT_SHAPE}; a day is midnight UTC.`,
        example: "2026-03-01",
      }),
  );
}

export const listRequests = {
  path: "/v1/time_off/requests",
  operationId: "listRequests",
  summary: "List time-off requests",
  description:
    "Requests in the order of their ids. Filters combine with AND; the values of one list with OR. A request lasts from `startAt` until just before `endAt`; its days are those of its `timeZone`, else of its worker's, else of UTC.",
  tag: "Time off",
  scope: "time_off:read",
  item: requestSchema,
  response: listOf("RequestList", requestSchema),
  parameters: {
    ...cursors("request"),
    policyIds: listOf.ids("policy", "Only requests against one of these policies."),
    workerIds: listOf.ids("worker", "Only requests of one of these workers."),
    statuses: listOf.choices(REQUEST_STATUSES, "Only requests with one of these statuses.", "approved"),
    startsBefore: instant("Only requests with `startAt` before this."),
    startsOnOrAfter: instant("Only requests with `startAt` at this or later."),
    endsBefore: instant("Only requests with `endAt` before this."),
    endsOnOrAfter: instant("Only requests with `endAt` at this or later."),
  },
} satisfies ListContract;
