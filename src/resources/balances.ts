// Balances: computed for the requested days, never stored. docs/balances.md explains the numbers.
import { z } from "zod";
import { DETAIL_TEXTS } from "./balance-details.ts";
import { dateSchema } from "./cells.ts";
import { EXAMPLE_ID, idSchema, isId } from "./ids.ts";
import * as query from "./query.ts";
import {
  type ListContract,
  listOf,
  minutesOnWire,
  onWire,
  type RetrieveContract,
  routePattern,
  type Wire,
  type WireResource,
  wireSchema,
} from "./resource.ts";
import { WORKER_FILTERS_NOTE, workerFilters } from "./worker-filters.ts";

/** All amounts are minutes with at most two decimals. */
export const balances = {
  schemaName: "Balance",
  description: "The balance of a worker under a policy, computed for the requested days.",
  idKind: "balance",
  fields: {
    id: {
      wire: z
        .string()
        .refine((text) => isId("balance", text))
        .meta({ example: EXAMPLE_ID.balance, maxLength: 140 }),
    },
    accruedLocked: minutesOnWire(
      "Accrued in the requested days, but not usable by today (or by `endDate`, if that is earlier): in a waiting period, or, for a future day, still to accrue.",
      0,
    ),
    accruedUnlocked: minutesOnWire(
      "Accrued in the requested days and usable by then, less what was forfeited.",
      3600,
    ),
    available: minutesOnWire(
      "accruedUnlocked − used − holds; 0 for an unlimited policy. For a future day, add `accruedLocked` to get the balance of that day.",
      1680,
    ),
    holds: minutesOnWire("Minutes of pending requests.", 480),
    legacyWorkerId: onWire(
      z.string(),
      "The worker's id in the source system; the worker id if there is none.",
      "E00042",
    ),
    policyId: { wire: idSchema("policy") },
    used: minutesOnWire("Minutes of approved requests.", 1440),
    workerId: { wire: idSchema("worker") },
    // Added later, so at the end: clients see the earlier fields in their old order.
    openedOn: onWire(
      dateSchema.nullable(),
      "The day at whose end the balance was taken over from another system; null if it was not. There is no balance before that day.",
      null,
    ),
  },
} satisfies WireResource;

export type Balance = Wire<typeof balances.fields>;

export const balanceSchema = wireSchema(balances);

/** The most entries that one explanation may have. */
export const ENTRIES_MAX = 10_000;

const ENTRY_KINDS = [
  ...(["opening", "moved", "accrual", "adjustment", "forfeit", "expiry", "revalued"] as const),
  ...(["used", "hold"] as const),
] as const;

const DETAIL_CODES = Object.keys(DETAIL_TEXTS) as (keyof typeof DETAIL_TEXTS)[]; // its keys

const detailPartSchema = z
  .strictObject({
    code: z.enum(DETAIL_CODES).meta({ example: "granted" }),
    values: z.record(z.string(), z.union([z.number(), z.string()])).meta({
      description: "Minutes if the name ends with `minutes`; days are `YYYY-MM-DD`.",
      example: { minutes: 600, parts: 29, of: 30, from: "2024-09-02", through: "2024-09-30" },
    }),
  })
  .meta({
    id: "BalanceDetailPart",
    description: "One reason for an amount (docs/balances.md, The explanation).",
  });

/** One line of an explanation (docs/balances.md, The explanation). Minutes have at most six decimals. */
const entrySchema = z
  .strictObject({
    date: dateSchema.meta({
      description: "The day on which the entry counts; for leave, its first day in the window.",
      example: "2024-09-02",
    }),
    kind: z.enum(ENTRY_KINDS).meta({ example: "accrual" }),
    minutes: z.number().meta({ description: "Signed: `used` and `hold` are negative.", example: 580 }),
    balance: z.number().meta({
      description: "The balance after this entry, without holds. It includes everything before the window.",
      example: 580,
    }),
    unlocksOn: dateSchema.nullable().meta({
      description: "The day from which the minutes can be used; null for leave.",
      example: "2024-09-02",
    }),
    sourceId: z.string().nullable().meta({
      description: "The id of the adjustment or the request; otherwise null.",
      example: null,
    }),
    detail: z.string().meta({
      description: "How the amount came about, in English.",
      example: "600 × 29/30 for 2024-09-02 to 2024-09-30",
    }),
    detailParts: z.array(detailPartSchema).describe("`detail` as codes and values."),
  })
  .meta({ id: "BalanceEntry", description: "One line of a balance's explanation." });

export const balanceExplanation = {
  ...balances,
  schemaName: "BalanceExplanation",
  description: "A balance with every entry behind its numbers, in order.",
  fields: {
    ...balances.fields,
    entries: onWire(
      z.array(entrySchema).max(ENTRIES_MAX),
      "By day; on one day postings in their order, then leave.",
    ),
  },
} satisfies WireResource;

export type BalanceExplanation = Wire<typeof balanceExplanation.fields>;

/** The window of a balance. */
const days = {
  startDate: query.day("The first day that counts; by default the beginning. A date-time means its UTC day."),
  endDate: query.day(
    "The last day that counts, at most ten years from today. By default today; then leave that is booked for later counts, " +
      "too. A date-time means its UTC day.",
  ),
};

export const listBalances = {
  path: routePattern("/v1/time_off/balances"),
  operationId: "listBalances",
  summary: "List balances",
  description:
    "One balance per assignment, ordered by worker id, then policy id, computed for the requested days. " +
    "The cursor is a balance id, the id of its assignment, or a worker id. A page after or before a worker id has none of that worker's balances.",
  tag: "Time off",
  scope: "time_off:read",
  scopeNote: WORKER_FILTERS_NOTE,
  item: balanceSchema,
  response: listOf("BalanceList", balanceSchema),
  parameters: {
    ...query.cursors("balance"),
    policyIds: query.ids("policy", "Only balances of one of these policies."),
    workerIds: query.ids("worker", "Only balances of one of these workers."),
    ...workerFilters("balances"),
    ...days,
    ...query.known,
  },
} satisfies ListContract;

export const retrieveBalance = {
  path: routePattern("/v1/time_off/balances/{id}"),
  operationId: "retrieveBalance",
  summary: "Explain a balance",
  description:
    `One balance with its \`entries\`: each posting and each request of the requested days, with the running balance and an explanation. ` +
    `More than ${ENTRIES_MAX} entries are a 400: ask for fewer days.`,
  tag: "Time off",
  scope: "time_off:read",
  idKind: "balance",
  id: z.string().meta({
    description: "The balance's id from the list, or the id of its assignment.",
    example: EXAMPLE_ID.balance,
  }),
  notFound: "balance_not_found",
  response: wireSchema(balanceExplanation),
  moreProblems: { "400": "NoBalanceYet" },
  parameters: { ...days, ...query.known },
} satisfies RetrieveContract;
