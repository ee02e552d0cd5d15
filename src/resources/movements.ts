// Movements of balances and future losses: computed for the requested days, never stored (docs/balances.md, Movements).
import { z } from "zod";
import { dateSchema } from "./cells.ts";
import { EXAMPLE_ID, idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  type ListContract,
  listOf,
  routePattern,
  type Wire,
  type WireResource,
  wireSchema,
} from "./resource.ts";

export const GROUPS = ["policy", "department", "worker"] as const;
/** The columns of minutes. */
export const MOVEMENTS = [
  ...(["opening", "restated", "granted", "used", "adjusted", "forfeited", "expired"] as const),
  ...(["opened", "moved", "revalued", "closing", "earned"] as const),
] as const;
export const CAUSES = ["carryoverLimit", "carryoverExpiry", "grantExpiry", "balanceCap"] as const;

const minutes = (description: string, example: number) => ({
  wire: z.number().meta({ description, example }),
});

const grouped = (kind: "worker" | "policy", group: string) =>
  idSchema(kind)
    .nullable()
    .meta({ description: `Null unless \`groupBy\` has ${group}.`, example: EXAMPLE_ID[kind] });

export const movements = {
  schemaName: "Movement",
  description: "What moved the balances of a group between two days, in minutes with at most two decimals.",
  idKind: "movement",
  fields: {
    id: { wire: idSchema("movement") },
    workerId: { wire: grouped("worker", "worker") },
    policyId: { wire: grouped("policy", "policy") },
    department: {
      wire: z.string().nullable().meta({
        description: "Null unless `groupBy` has department, and of workers without one.",
        example: "Payroll",
      }),
    },
    isPaidOut: {
      wire: z.boolean().meta({ description: "The policies': whether what is left is owed.", example: true }),
    },
    hasLeft: {
      wire: z.boolean().meta({
        description: "Whether these are workers whose last day is `to` or earlier.",
        example: false,
      }),
    },
    opening: minutes(
      "What there was at the end of the day before `from`, locked time included; after a close, the figure that was closed.",
      4800,
    ),
    restated: minutes("After a close, what became known since of the time until it, signed.", 0),
    granted: minutes("What accrued; under an unlimited policy, what was used.", 1200),
    used: minutes("Approved leave, which is taken off.", 480),
    adjusted: minutes("Adjustments, signed.", 0),
    forfeited: minutes("What exceeded the limit of a carry-over, which is taken off.", 0),
    expired: minutes("What expired, which is taken off.", 0),
    opened: minutes("Openings: what was taken over from another system, signed.", 0),
    moved: minutes("What moved here from another policy; negative where it moved away.", 0),
    revalued: minutes("What a change of the share of full time made of what was left, signed.", 0),
    closing: minutes("What there is at the end of `to`, locked time included.", 5520),
    earned: minutes(
      "What there would be if `to` were the workers' last day: of a grant for days ahead, the part until then.",
      5400,
    ),
  },
} satisfies WireResource;

export type Movement = Wire<typeof movements.fields>;

export const expirations = {
  schemaName: "Expiration",
  description: "What a worker loses of a balance on a day, if no more leave is taken than what is approved.",
  idKind: "expiration",
  fields: {
    id: { wire: idSchema("expiration") },
    workerId: { wire: idSchema("worker") },
    policyId: { wire: idSchema("policy") },
    date: { wire: dateSchema.meta({ description: "The first day without it.", example: "2027-01-01" }) },
    minutes: minutes("Above 0, with at most two decimals.", 960),
    cause: {
      wire: z.enum(CAUSES).meta({ description: "The rule that takes it.", example: "carryoverLimit" }),
    },
  },
} satisfies WireResource;

export type Expiration = Wire<typeof expirations.fields>;

const days = (from: string, to: string) => ({
  policyIds: query.ids("policy", "Only balances of one of these policies."),
  workerIds: query.ids("worker", "Only balances of one of these workers."),
  from: query.day(`The first day; ${from} when left out. A date-time's UTC day is taken.`),
  to: query.day(
    `The last day, included, at most ten years from today; ${to} when left out. A date-time's UTC day is taken.`,
  ),
});

const movementSchema = wireSchema(movements);

export const listMovements = {
  path: routePattern("/v1/time_off/movements"),
  operationId: "listMovements",
  summary: "List movements of balances",
  description:
    "What moved balances between two days, by groups. In each row opening + restated + granted − used + adjusted − forfeited − expired + opened + moved + revalued = closing. Pending leave does not count. Ordered by worker, policy, department, `isPaidOut` and `hasLeft`, which are always apart.",
  tag: "Time off",
  scope: "time_off:read",
  scopeNote: "Needs the scope `time_off:read`; grouped by department, `workers:read`, too.",
  item: movementSchema,
  response: listOf("MovementList", movementSchema),
  parameters: {
    ...query.cursors("movement"),
    groupBy: query.choices(GROUPS, "What has rows of its own; the policy when left out.", "policy"),
    ...days("the first of the month of `to`", "today"),
    after: query.single(
      z.string().meta({
        description:
          "A close: openings are the figures that were closed, and `restated` has what became known since. `from` is the day after its last one.",
        example: "2026-10",
      }),
    ),
    ...query.known,
  },
} satisfies ListContract;

const expirationSchema = wireSchema(expirations);

export const listExpirations = {
  path: routePattern("/v1/time_off/expirations"),
  operationId: "listExpirations",
  summary: "List what will be lost",
  description:
    "What will be forfeited, expire, or not accrue under a balance cap, on which day, if no more leave is taken than what is approved. Pending leave does not count. Ordered by worker, policy, day and cause.",
  tag: "Time off",
  scope: "time_off:read",
  item: expirationSchema,
  response: listOf("ExpirationList", expirationSchema),
  parameters: {
    ...query.cursors("expiration"),
    ...days("today", "a year after `from`"),
    ...query.known,
  },
} satisfies ListContract;
