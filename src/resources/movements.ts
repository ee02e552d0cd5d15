// Movements of balances and future losses: computed for the requested days, never stored (docs/balances.md, Movements).
import { z } from "zod";
import { dateSchema } from "./cells.ts";
import { EXAMPLE_ID, idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  type ListContract,
  listOf,
  minutesOnWire,
  onWire,
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
export const CAUSES = [
  "carryoverLimit",
  "carryoverExpiry",
  "grantExpiry",
  "balanceCap",
  "policyEnds",
] as const;

const grouped = (kind: "worker" | "policy", group: string) =>
  idSchema(kind)
    .nullable()
    .meta({ description: `Null unless \`groupBy\` has ${group}.`, example: EXAMPLE_ID[kind] });

export const movements = {
  schemaName: "Movement",
  description: "What changed the balances of a group between two days, in minutes with at most two decimals.",
  idKind: "movement",
  fields: {
    id: { wire: idSchema("movement") },
    workerId: { wire: grouped("worker", "worker") },
    policyId: { wire: grouped("policy", "policy") },
    department: onWire(
      z.string().nullable(),
      "Null unless `groupBy` has department, and for workers without a department.",
      "Payroll",
    ),
    isPaidOut: onWire(z.boolean(), "Whether the policies pay out the balance when somebody leaves.", true),
    hasLeft: onWire(z.boolean(), "Whether the workers' last day is `to` or earlier.", false),
    opening: minutesOnWire(
      "The balance at the end of the day before `from`, locked time included; after a close, the closed figure.",
      4800,
    ),
    restated: minutesOnWire(
      "After a close, changes since then that concern the time before `from`, signed.",
      0,
    ),
    granted: minutesOnWire("Accruals; under an unlimited policy, what was used.", 1200),
    used: minutesOnWire("Approved leave; positive, and subtracted.", 480),
    adjusted: minutesOnWire("Adjustments, signed.", 0),
    forfeited: minutesOnWire("The excess over carry-over limits; positive, and subtracted.", 0),
    expired: minutesOnWire("Expired minutes; positive, and subtracted.", 0),
    opened: minutesOnWire("Openings: balances taken over from another system, signed.", 0),
    moved: minutesOnWire("Balances that moved here from another policy; negative if they moved away.", 0),
    revalued: minutesOnWire("How changes of the share of full time revalued balances, signed.", 0),
    closing: minutesOnWire("The balance at the end of `to`, locked time included.", 5520),
    earned: minutesOnWire(
      "The balance if `to` were the workers' last day: only the part of a grant until then counts.",
      5400,
    ),
  },
} satisfies WireResource;

export type Movement = Wire<typeof movements.fields>;

export const expirations = {
  schemaName: "Expiration",
  description: "What a worker loses of a balance on a day, if no leave is added to what is approved.",
  idKind: "expiration",
  fields: {
    id: { wire: idSchema("expiration") },
    workerId: { wire: idSchema("worker") },
    policyId: { wire: idSchema("policy") },
    date: onWire(dateSchema, "The day on which it is lost.", "2027-01-01"),
    minutes: minutesOnWire("Above 0, with at most two decimals.", 960),
    cause: onWire(z.enum(CAUSES), "The rule that causes the loss.", "carryoverLimit"),
  },
} satisfies WireResource;

export type Expiration = Wire<typeof expirations.fields>;

const days = (from: string, to: string) => ({
  policyIds: query.ids("policy", "Only balances of one of these policies."),
  workerIds: query.ids("worker", "Only balances of one of these workers."),
  from: query.day(`The first day; by default ${from}. A date-time means its UTC day.`),
  to: query.day(
    `The last day, included, at most ten years from today; by default ${to}. A date-time means its UTC day.`,
  ),
});

const movementSchema = wireSchema(movements);

export const listMovements = {
  path: routePattern("/v1/time_off/movements"),
  operationId: "listMovements",
  summary: "List movements of balances",
  description:
    "What changed balances between two days, by group. In each row, opening + restated + granted − used + adjusted − forfeited − expired + opened + moved + revalued = closing. Pending leave does not count. Ordered by worker, policy, department, `isPaidOut` and `hasLeft`; the last two always have rows of their own.",
  tag: "Time off",
  scope: "time_off:read",
  scopeNote: "Needs the scope `time_off:read`; grouped by department, `workers:read`, too.",
  moreProblems: { "404": "CloseNotFound" },
  item: movementSchema,
  response: listOf("MovementList", movementSchema),
  parameters: {
    ...query.cursors("movement"),
    groupBy: query.choices(GROUPS, "How rows are grouped; by default by policy.", "policy"),
    ...days("the first of the month of `to`", "today"),
    after: query.single(
      z.string().meta({
        description:
          "The name of a close. Openings are its figures, `restated` has later changes, and `from` is the day after the close's last day.",
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
    "What will be forfeited, expire, or not accrue because of a balance cap, if no leave is added to what is approved. Pending leave does not count. Ordered by worker, policy, day and cause.",
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
