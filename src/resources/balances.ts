// Balances: the wire object and the list. How the numbers come about is docs/balances.md.
import { z } from "zod";
import { formatDay, isWritableDay, utcDayOf } from "../time/day.ts";
import { parseInstant } from "../time/instant.ts";
import { minutesSchema } from "./fields.ts";
import { idSchema, isId } from "./ids.ts";
import { cursors, type ListContract, listOf, one } from "./lists.ts";

/** A balance, key by key in the order of the wire. All amounts are minutes with at most two decimals. */
export const balanceSchema = z
  .strictObject({
    id: z
      .string()
      .refine((text) => isId("balance", text))
      .meta({ example: "tob_203f9k2m7q8r5t1v4w6x0z8m2v5x9c1b7n4k6j3h0g", maxLength: 140 }),
    accruedLocked: minutesSchema.meta({
      description:
        "Accrued in the days asked for, but not usable by today (by `endDate`, if that is earlier): still in a wait, or, for a day to come, still to accrue.",
    }),
    accruedUnlocked: minutesSchema.meta({
      description: "Accrued in the days asked for and usable by then; what was forfeited is taken off.",
    }),
    available: minutesSchema.meta({
      description:
        "accruedUnlocked − used − holds; 0 for an unlimited policy. For a day to come, add `accruedLocked` for what there will be then.",
    }),
    holds: minutesSchema.meta({ description: "Minutes of pending requests." }),
    legacyWorkerId: z.string().meta({
      description: "The worker's id in the source system; the worker id where there is none.",
      example: "E00042",
    }),
    policyId: idSchema("policy", "top_8m2v5x9c1b7n4k6j3h0g"),
    used: minutesSchema.meta({ description: "Minutes of approved requests." }),
    workerId: idSchema("worker", "wrk_3f9k2m7q8r5t1v4w6x0z"),
  })
  .meta({ id: "Balance", description: "What a worker has of a policy, computed for the days asked for." });

export type Balance = z.infer<typeof balanceSchema>;

function day(description: string) {
  return one(
    z
      .string()
      .transform((text, context) => {
        const instantMs = parseInstant(text);
        // An offset can carry a date-time of the first or the last day out of the years that can be written.
        if (instantMs !== null && isWritableDay(utcDayOf(instantMs))) return formatDay(utcDayOf(instantMs));
        context.addIssue({ code: "custom", message: "is not a real day: write YYYY-MM-DD" });
        return z.NEVER;
      })
      .meta({ description, example: "2026-03-01" }),
  );
}

export const listBalances = {
  path: "/v1/time_off/balances",
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
    ...cursors("balance"),
    policyIds: listOf.ids("policy", "Only balances of one of these policies."),
    workerIds: listOf.ids("worker", "Only balances of one of these workers."),
    startDate: day(
      "The first day that counts; from the beginning when left out. A date-time's UTC day is taken.",
    ),
    endDate: day(
      "The last day that counts, at most ten years from today; today when left out, with leave that is already booked " +
        "for later counted as well. A date-time's UTC day is taken.",
    ),
  },
} satisfies ListContract;
