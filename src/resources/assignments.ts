// Assignments of workers to policies: the wire object and the list.
import { z } from "zod";
import { dateTimeSchema } from "./fields.ts";
import { idSchema } from "./ids.ts";
import { cursors, type ListContract, listOf } from "./lists.ts";

/** An assignment, key by key in the order of the wire. */
export const assignmentSchema = z
  .strictObject({
    id: idSchema("assignment", "toa_9z8x7c6v5b4n3m2k1j0h"),
    assignedAt: dateTimeSchema.meta({ description: "When the policy began to apply to the worker." }),
    policyId: idSchema("policy", "top_8m2v5x9c1b7n4k6j3h0g"),
    workerId: idSchema("worker", "wrk_3f9k2m7q8r5t1v4w6x0z"),
  })
  .meta({
    id: "Assignment",
    description: "That a policy applies to a worker; at most one per worker and policy.",
  });

export type Assignment = z.infer<typeof assignmentSchema>;

export const listAssignments = {
  path: "/v1/time_off/assignments",
  operationId: "listAssignments",
  summary: "List assignments",
  description:
    "Assignments in the order of their ids. Filters combine with AND; the values of one list with OR.",
  tag: "Time off",
  scope: "time_off:read",
  item: assignmentSchema,
  response: listOf("AssignmentList", assignmentSchema),
  parameters: {
    ...cursors("assignment"),
    policyIds: listOf.ids("policy", "Only assignments to one of these policies."),
    workerIds: listOf.ids("worker", "Only assignments of one of these workers."),
  },
} satisfies ListContract;
