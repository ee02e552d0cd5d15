// Time-off policies: the wire object, the list and the retrieval.
import { z } from "zod";
import { idSchema } from "./ids.ts";
import { cursors, type ListContract, listOf, type RetrieveContract } from "./lists.ts";

export const SCHEDULES = ["per_hour_worked", "monthly", "yearly", "unlimited"] as const;
export const UNITS = ["hour", "day"] as const;

/** A policy, key by key in the order of the wire. */
export const policySchema = z
  .strictObject({
    id: idSchema("policy", "top_8m2v5x9c1b7n4k6j3h0g"),
    description: z.string().nullable(),
    hoursWorkedPerChunk: z
      .number()
      .nullable()
      .meta({ description: "`per_hour_worked`: the hours worked that earn one chunk; otherwise null." }),
    isUnlimited: z.boolean().meta({ description: "True exactly when the schedule is `unlimited`." }),
    minutesPerChunk: z
      .number()
      .nullable()
      .meta({ description: "`per_hour_worked`: the minutes that one chunk grants; otherwise null." }),
    minutesPerPeriod: z.number().nullable().meta({
      description: "`monthly` and `yearly`: the minutes that one period grants; otherwise null.",
      example: 600,
    }),
    name: z.string().meta({ example: "Annual leave" }),
    paid: z.boolean(),
    schedule: z.enum(SCHEDULES),
    timeOffTypeId: idSchema("timeOffType", "tot_5t8y1u4i7o0p3a6s9d2f"),
    timeOffTypeName: z.string().meta({ example: "Vacation" }),
    unit: z.enum(UNITS).meta({ description: "The unit that people see; amounts are minutes all the same." }),
  })
  .meta({
    id: "Policy",
    description: "A time-off policy: what accrues, when, and for which type of time off.",
  });

export type Policy = z.infer<typeof policySchema>;

export const listPolicies = {
  path: "/v1/time_off/policies",
  operationId: "listPolicies",
  summary: "List time-off policies",
  description: "Policies in the order of their ids.",
  tag: "Time off",
  scope: "time_off:read",
  item: policySchema,
  response: listOf("PolicyList", policySchema),
  parameters: { ...cursors("policy") },
} satisfies ListContract;

export const retrievePolicy = {
  path: "/v1/time_off/policies/{id}",
  operationId: "retrievePolicy",
  summary: "Retrieve a time-off policy",
  description: "One policy by id.",
  tag: "Time off",
  scope: "time_off:read",
  notFound: "policy_not_found",
  id: idSchema("policy", "top_8m2v5x9c1b7n4k6j3h0g").meta({ description: "The policy's id." }),
  response: policySchema,
  parameters: {},
} satisfies RetrieveContract;
