// Assignments: from a row of a file to what is stored, and back.
import { z } from "zod";
import type { Assignment } from "../../resources/assignments.ts";
import type { Rows } from "../../store/tables.ts";
import { formatDay, utcDayOf } from "../../time/day.ts";
import { idOf } from "../resolve/identity.ts";
import * as value from "../values.ts";
import { dateTimeText, type FileCells } from "./kind.ts";

export const assignmentRowSchema = z
  .object({
    id: idOf.assignment,
    assignedAt: value.instant,
    policyId: value.reference,
    workerId: value.reference,
    endsOn: value.optionalDay,
  })
  .superRefine((assignment, context) => {
    const assignedDay = utcDayOf(assignment.assignedAt);
    if (assignment.endsOn !== null && assignment.endsOn < assignedDay) {
      context.addIssue({
        code: "custom",
        path: ["endsOn"],
        message: "is before the day of assignedAt",
        params: { otherField: "assignedAt" },
      });
    }
  });

export type AssignmentFact = z.output<typeof assignmentRowSchema>;

/** `workerId` and `policyId` are those that the fact's references name. */
export function assignmentRow(
  fact: AssignmentFact,
  id: string,
  workerId: string,
  policyId: string,
): Rows["assignments"] {
  const wire: Assignment = { id, assignedAt: dateTimeText(fact.assignedAt), policyId, workerId };
  const assignedDay = utcDayOf(fact.assignedAt);
  return { id, workerId, policyId, doc: JSON.stringify(wire), assignedDay, endsDay: fact.endsOn };
}

export function assignmentCells(row: Rows["assignments"]): FileCells {
  const wire = JSON.parse(row.doc) as Assignment; // what assignmentRow wrote
  return { ...wire, endsOn: row.endsDay === null ? null : formatDay(row.endsDay) };
}
