// Assignments: which policies apply to which workers.
import { DAY_MS, type Day, formatDay, utcDayOf } from "../time/day.ts";
import { dayRanges, overlapOf, rates } from "./balance-cells.ts";
import * as cell from "./cells.ts";
import { dateSchema, dateTimeSchema } from "./cells.ts";
import { idSchema } from "./ids.ts";
import * as query from "./query.ts";
import {
  column,
  filter,
  type ImportRow,
  type ListResource,
  type Report,
  type Row,
  routePattern,
  type Wire,
} from "./resource.ts";

export const assignments = {
  kind: "assignments",
  schemaName: "Assignment",
  description: "Applies a policy to a worker; at most one per worker and policy.",
  idKind: "assignment",
  key: ["workerId", "policyId"],
  fields: {
    id: { wire: idSchema("assignment"), cell: cell.id("assignment"), column: column.text("id") },
    assignedAt: {
      wire: dateTimeSchema.meta({
        description: "When the policy began to apply to the worker.",
        example: "2024-03-01T00:00:00.000Z",
      }),
      cell: cell.optionalInstant,
    },
    policyId: { wire: idSchema("policy"), cell: cell.reference, column: column.text("policyId") },
    workerId: { wire: idSchema("worker"), cell: cell.reference, column: column.text("workerId") },
    // Added later, so at the end: clients see the earlier fields in their old order.
    startsOn: {
      wire: dateSchema.nullable().meta({
        description: "The assignment day as imported; null if it is the UTC day of `assignedAt`.",
        example: "2024-03-01",
      }),
      cell: cell.optionalDay,
      isTerm: true,
    },
    endsOn: {
      wire: dateSchema.nullable().meta({
        description: "The last day on which the policy applies; null if unknown.",
        example: null,
      }),
      cell: cell.optionalDay,
      column: column.day("endsDay"),
    },
    minutesPerPeriod: { cell: cell.optionalAmount(), isTerm: true },
    serviceFrom: { cell: cell.optionalDay, isTerm: true },
    pauses: { cell: dayRanges, isTerm: true },
    gaps: { cell: dayRanges, isTerm: true },
    rates: { cell: rates, isTerm: true },
    grantsExpireAfterMonths: { cell: cell.optionalWhole, isTerm: true },
    carryoverKeepsMinutes: { cell: cell.optionalAmount(), isTerm: true },
    movesFrom: { cell: cell.optionalReference, column: column.text("movesFrom") },
  },
  /** The assignment day: see `assignmentDay`. */
  derived: { assignedDay: "integer" },
  isOfCompany: false,
  belongsTo: { workerId: "workers", policyId: "policies", movesFrom: "policies" },
  balanceColumns: ["workerId", "policyId", "assignedDay", "endsDay", "terms", "movesFrom"],
  indexes: [
    { name: null, columns: ["workerId"], covers: ["policyId"], rows: "few" },
    { name: "assignments_policy", columns: ["policyId"], covers: [], rows: "many" },
    // For pages of the balances of a policy.
    { name: "assignments_policy_worker", columns: ["policyId", "workerId"], covers: [], rows: "many" },
    // Few balances move, so single look-ups suffice.
    { name: "assignments_moves_from", columns: ["movesFrom", "workerId"], covers: [], rows: "few" },
  ],
  api: {
    path: routePattern("/v1/time_off/assignments"),
    tag: "Time off",
    scope: "time_off:read",
    isRetrieved: false,
    filters: {
      policyIds: filter("policyId", query.ids("policy", "Only assignments to one of these policies.")),
      workerIds: filter("workerId", query.ids("worker", "Only assignments of one of these workers.")),
    },
  },
} as const satisfies ListResource;

export type Assignment = Wire<typeof assignments.fields>;
export type AssignmentRow = Row<typeof assignments>;
export type AssignmentImportRow = ImportRow<typeof assignments.fields>;

export function checkAssignment(assignment: AssignmentImportRow, report: Report<AssignmentImportRow>): void {
  const { assignedAt, startsOn, endsOn, pauses, gaps, grantsExpireAfterMonths: months } = assignment;
  const both = overlapOf([...(pauses ?? []), ...(gaps ?? [])]);
  if (both !== null)
    report("gaps", `and pauses both have ${formatDay(both)}: a day is in one of them`, "pauses");
  if (months !== null && (months < 1 || months > 120))
    report("grantsExpireAfterMonths", "is not between 1 and 120");
  if (assignedAt === null && startsOn === null) {
    report("assignedAt", "is missing: give it, or startsOn");
    return;
  }
  if (endsOn === null || endsOn >= assignmentDay(assignment)) return;
  if (startsOn === null) report("endsOn", "is before the day of assignedAt", "assignedAt");
  else report("endsOn", "is before startsOn", "startsOn");
}

/** The day on which the policy begins to apply: `startsOn`, else the UTC day of `assignedAt`. */
export function assignmentDay({
  startsOn,
  assignedAt,
}: Pick<AssignmentImportRow, "startsOn" | "assignedAt">): Day {
  return startsOn ?? utcDayOf(assignedAt!); // validation requires one of them
}

/** `assignedAt` as callers see it; by default midnight UTC of the assignment day. */
export function assignedAtOf({
  startsOn,
  assignedAt,
}: Pick<AssignmentImportRow, "startsOn" | "assignedAt">): number {
  return assignedAt ?? startsOn! * DAY_MS; // validation requires one of them
}
