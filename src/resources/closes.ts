// Closes: the balances as known when a period was closed, and figures that differ today (docs/record.md).
import { z } from "zod";
import { balances } from "./balances.ts";
import { dateSchema, dateTimeSchema } from "./cells.ts";
import { idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  type EndpointContract,
  type ListContract,
  listOf,
  onWire,
  routePattern,
  type Wire,
  type WireResource,
  wireSchema,
} from "./resource.ts";

const nameSchema = z
  .string()
  .meta({ description: "The name: 1 to 64 of A-Z a-z 0-9 . _ -", example: "2026-10" });

export function isCloseName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}

export const closes = {
  schemaName: "Close",
  description: "The balances as they were known when a period was closed.",
  fields: {
    id: { wire: nameSchema },
    from: onWire(dateSchema, "The first day of the period.", "2026-10-01"),
    through: onWire(dateSchema, "The last day of the period.", "2026-10-31"),
    knownOn: onWire(
      dateTimeSchema,
      "The moment of the close. Send it as `knownOn` to read what was known then.",
      "2026-11-02T06:00:00.000Z",
    ),
    sha256: onWire(
      z.string(),
      "SHA-256 in hexadecimal over two CSV texts, as known then: the balances at the end of the last day, and the movements of the period by worker and policy.",
      "9f2c4a06d7e1b35c8f0a9d2e6b7c4f1a3e5d8b0c2f4a6e8d1b3c5f7a9e0d2c4b",
    ),
    balances: onWire(z.number().int(), "The number of balances.", 579),
    minutes: onWire(z.number(), "The sum of all balances.", 1204310),
    erasedWorkers: onWire(
      z.number().int(),
      "How many of the workers with a figure were erased since. Their figures are gone, so the digest differs from what is known now.",
      0,
    ),
    erasedRequests: onWire(
      z.number().int(),
      "How many requests of other workers the company's retention erased since, of those that were known then and not denied. If any were, the digest may differ.",
      0,
    ),
  },
};

export type Close = Wire<typeof closes.fields>;

/** Why a closed figure differs today, in the order in which facts are replaced. */
export const DIFFERENCE_CAUSES = [
  ...(["rule", "worker", "assignment", "schedule", "holiday", "moved", "opening", "workedHours"] as const),
  ...(["adjustmentAdded", "adjustmentChanged", "adjustmentRemoved"] as const),
  ...(["leaveAdded", "leaveChanged", "leaveDenied", "leaveRemoved"] as const),
] as const;

const datedMinutes = (when: string) =>
  z
    .strictObject({
      from: dateSchema,
      through: dateSchema,
      minutes: z.number(),
      status: z.enum(["pending", "approved", "denied"]).nullable(),
    })
    .nullable()
    .meta({
      description: `The request, adjustment or opening balance as it was known ${when}: its days, its minutes, and the status of a request. Null if there was none, or a denied one.`,
      example: { from: "2026-10-05", through: "2026-10-05", minutes: 480, status: "approved" },
    });

const causeSchema = z
  .strictObject({
    cause: z.enum(DIFFERENCE_CAUSES).meta({ description: "What changed since.", example: "leaveDenied" }),
    sourceId: z.string().nullable().meta({
      description: "The id of the request or the adjustment; otherwise null.",
      example: "tor_7d2k9f4m1q6w3r8t5y0z",
    }),
    minutes: z.number().meta({ description: "How it changed the figure, signed.", example: 480 }),
    was: datedMinutes("at the close"),
    is: datedMinutes("today"),
  })
  .meta({ id: "CloseDifferenceCause" });

export const closeDifferences = {
  schemaName: "CloseDifference",
  description: "A balance whose figure at the end of a close's last day differs today, and why.",
  idKind: "balance",
  fields: {
    id: balances.fields.id,
    workerId: { wire: idSchema("worker") },
    policyId: { wire: idSchema("policy") },
    closedMinutes: onWire(z.number(), "The figure that was closed.", 16800),
    nowMinutes: onWire(z.number(), "The figure as known now.", 17280),
    difference: onWire(z.number(), "`nowMinutes - closedMinutes`.", 480),
    causes: onWire(
      z.array(causeSchema),
      "Their minutes add up to `difference`, to 0.01. Facts are replaced one after the other, and each change of the figure is a cause.",
    ),
  },
} satisfies WireResource;

export type CloseDifference = Wire<typeof closeDifferences.fields>;

const closeSchema = wireSchema({ ...closes });
const differenceSchema = wireSchema(closeDifferences);

const idParameter = nameSchema.meta({ description: "The close's name.", example: "2026-10" });

export const listCloses = {
  path: routePattern("/v1/time_off/closes"),
  operationId: "listCloses",
  summary: "List closes",
  description: "The last 100 closes, newest first. Operators create them with `rollcall closes create`.",
  tag: "Time off",
  scope: "time_off:read",
  response: listOf("CloseList", closeSchema),
  parameters: {},
} satisfies EndpointContract;

export const retrieveClose = {
  path: routePattern("/v1/time_off/closes/{id}"),
  operationId: "retrieveClose",
  summary: "Retrieve a close",
  description: "One close by its name.",
  tag: "Time off",
  scope: "time_off:read",
  id: idParameter,
  moreProblems: { "404": "CloseNotFound" },
  response: closeSchema,
  parameters: {},
} satisfies EndpointContract & { readonly id: z.ZodType };

export const listCloseDifferences = {
  path: routePattern("/v1/time_off/closes/{id}/differences"),
  operationId: "listCloseDifferences",
  summary: "List differences from a close",
  description:
    "The balances whose figure at the end of the close's last day differs today. Each has its causes, which add up to the difference. Ordered by worker, then policy.",
  tag: "Time off",
  scope: "time_off:read",
  id: idParameter,
  moreProblems: { "404": "CloseNotFound" },
  item: differenceSchema,
  response: listOf("CloseDifferenceList", differenceSchema),
  parameters: {
    ...query.cursors("balance"),
    policyIds: query.ids("policy", "Only balances of one of these policies."),
    workerIds: query.ids("worker", "Only balances of one of these workers."),
  },
} satisfies ListContract & { readonly id: z.ZodType };
