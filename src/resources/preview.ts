// A preview of leave: computed for the request, never stored (docs/balances.md, A preview).
import { z } from "zod";
import { dateSchema } from "./cells.ts";
import { idSchema } from "./ids.ts";
import { CAUSES } from "./movements.ts";
import * as query from "./query.ts";
import { type EndpointContract, onWire, routePattern, type Wire, wireSchema } from "./resource.ts";

const balance = (description: string, example: number) =>
  onWire(z.number().nullable(), `${description} Null under an unlimited policy.`, example);

const dayMinutes = z.strictObject({ date: dateSchema, minutes: z.number() }).meta({ id: "PreviewedDay" });
const loss = z
  .strictObject({ date: dateSchema, minutes: z.number(), cause: z.enum(CAUSES) })
  .meta({ id: "PreviewedLoss" });

export const leavePreview = {
  schemaName: "Preview",
  description: "The cost of leave, in minutes with at most two decimals.",
  idKind: "request",
  fields: {
    workerId: { wire: idSchema("worker") },
    policyId: { wire: idSchema("policy") },
    minutes: onWire(z.number(), "The minutes of all days.", 2400),
    days: onWire(z.array(dayMinutes), "The days that have minutes.", [{ date: "2026-08-03", minutes: 480 }]),
    balanceBefore: balance(
      "The balance at the end of the last day, locked time included. All approved and pending leave counts.",
      9600,
    ),
    balanceAfter: balance("The same with this leave.", 7200),
    mostMinutes: balance(
      "The most that can be taken on the first day: no day from then on may have less than zero to use. 0 on a day outside the employment or the assignment.",
      9600,
    ),
    isCovered: onWire(
      z.boolean(),
      "Whether this leave can be taken. Its days with minutes must be in the employment and the assignment. No day from the first one on may have less than zero to use. No leave year that it touches may have more leave than its cap on use. Under an unlimited policy, only the employment and the assignment count.",
      true,
    ),
    lost: onWire(
      z.array(loss),
      "The losses in the year from the first day on if this leave is taken, each with its day.",
      [{ date: "2027-01-01", minutes: 960, cause: "carryoverLimit" }],
    ),
  },
} as const;

export type LeavePreview = Wire<typeof leavePreview.fields>;

export const previewLeave = {
  path: routePattern("/v1/time_off/preview"),
  operationId: "previewLeave",
  summary: "Preview leave",
  description:
    "The cost of leave, the balance before and after it, and the most that can be taken. Nothing is stored.",
  tag: "Time off",
  scope: "time_off:read",
  response: wireSchema(leavePreview),
  parameters: {
    workerId: query.required(query.single(idSchema("worker").describe("The worker."))),
    policyId: query.required(query.single(idSchema("policy").describe("The policy."))),
    startAt: query.required(query.day("The first day. A date-time means its UTC day.")),
    endAt: query.day("The last day, included, at most 366 days after the first; by default the first day."),
    minutes: query.minutes(
      1_000_000,
      "The minutes of all days, in place of the working time (by schedule, else eight hours on each work day that is no holiday of the workplace); 0 asks what can be taken, and what is lost if nothing is",
      480,
    ),
    ...query.known,
  },
} satisfies EndpointContract;
