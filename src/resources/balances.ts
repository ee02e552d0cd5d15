// Balances: computed for the days asked for, stored nowhere. How the numbers come about is docs/balances.md.

import { z } from "zod";
import { minutesSchema } from "./fields.ts";
import { EXAMPLE_ID, idSchema, isId } from "./ids.ts";
import { type ListContract, listOf, routePattern } from "./lists.ts";
import * as query from "./query.ts";
import { type Wire, type WireResource, wireSchema } from "./resource.ts";

/** All amounts are minutes with at most two decimals. */
export const balances = {
  schemaName: "Balance",
  description: "What a worker has of a policy, computed for the days asked for.",
  idKind: "balance",
  fields: {
    id: {
      wire: z
        .string()
        .refine((text) => isId("balance", text))
        .meta({ example: EXAMPLE_ID.balance, maxLength: 140 }),
    },
    accruedLocked: {
      wire: minutesSchema.meta({
        description:
          "Accrued in the days asked for, but not usable by today (by `endDate`, if that is earlier): still in a wait, or, for a day to come, still to accrue.",
        example: 0,
      }),
    },
    accruedUnlocked: {
      wire: minutesSchema.meta({
        description: "Accrued in the days asked for and usable by then; what was forfeited is taken off.",
        example: 3600,
      }),
    },
    available: {
      wire: minutesSchema.meta({
        description:
          "accruedUnlocked − used − holds; 0 for an unlimited policy. For a day to come, add `accruedLocked` for what there will be then.",
        example: 1680,
      }),
    },
    holds: { wire: minutesSchema.meta({ description: "Minutes of pending requests.", example: 480 }) },
    legacyWorkerId: {
      wire: z.string().meta({
        description: "The worker's id in the source system; the worker id where there is none.",
        example: "E00042",
      }),
    },
    policyId: { wire: idSchema("policy") },
    used: { wire: minutesSchema.meta({ description: "Minutes of approved requests.", example: 1440 }) },
    workerId: { wire: idSchema("worker") },
  },
} satisfies WireResource;

export type Balance = Wire<typeof balances.fields>;

export const balanceSchema = wireSchema(balances);

export const listBalances = {
  path: routePattern("/v1/time_off/balances"),
  operationId: "listBalances",
  summary: "List balances",
  description:
    "One balance per assignment, ordered by worker id, then policy id, computed for the days asked for. " +
    "The cursor is a balance id or a worker id: after a worker id, all of that worker's balances are passed; before it, none is.",
  tag: "Time off",
  scope: "time_off:read",
  item: balanceSchema,
  response: listOf("BalanceList", balanceSchema),
  parameters: {
    ...query.cursors("balance"),
    policyIds: query.ids("policy", "Only balances of one of these policies."),
    workerIds: query.ids("worker", "Only balances of one of these workers."),
    startDate: query.day(
      "The first day that counts; from the beginning when left out. A date-time's UTC day is taken.",
    ),
    endDate: query.day(
      "The last day that counts, at most ten years from today; today when left out, with leave that is already booked " +
        "for later counted as well. A date-time's UTC day is taken.",
    ),
  },
} satisfies ListContract;
