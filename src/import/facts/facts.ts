// The kinds of facts side by side: their schemas, their fields, and which of these every row needs.
import type { z } from "zod";
import type { FactKind, Rows } from "../../store/tables.ts";
import { type AdjustmentFact, adjustmentCells, adjustmentRowSchema } from "./adjustments.ts";
import { type AssignmentFact, assignmentCells, assignmentRowSchema } from "./assignments.ts";
import type { FileCells } from "./kind.ts";
import { type PolicyFact, policyCells, policyRowSchema } from "./policies.ts";
import { type RequestFact, requestCells, requestRowSchema } from "./requests.ts";
import { type WorkHoursFact, workHoursCells, workHoursRowSchema } from "./work-hours.ts";
import { type WorkerFact, workerCells, workerRowSchema } from "./workers.ts";

/** What a row of each kind of file says, before its references are looked up. */
export interface Facts {
  workers: WorkerFact;
  policies: PolicyFact;
  assignments: AssignmentFact;
  requests: RequestFact;
  adjustments: AdjustmentFact;
  work_hours: WorkHoursFact;
}

interface KindOfFacts<K extends FactKind> {
  readonly schema: z.ZodType<Facts[K]>;
  /** Every field, in the order in which an export writes them. */
  readonly fields: readonly string[];
  readonly requiredFields: ReadonlySet<string>;
  /** Why no row can have this in a field; null where it can. */
  problemOf(field: string, cell: unknown): string | null;
  /** A stored row as a row of a file. */
  cells(row: Rows[K]): FileCells;
}

function kind<K extends FactKind>(
  schema: z.ZodObject & z.ZodType<Facts[K]>,
  cells: (row: Rows[K]) => FileCells,
): KindOfFacts<K> {
  const fields = Object.keys(schema.shape);
  const problemOf = (field: string, cell: unknown) => {
    const parsed = (schema.shape[field] as z.ZodType).safeParse(cell); // a key of the shape
    return parsed.success ? null : parsed.error.issues[0]!.message;
  };
  const isRequired = (field: string) => problemOf(field, null) !== null;
  return { schema, fields, requiredFields: new Set(fields.filter(isRequired)), problemOf, cells };
}

export const KINDS: { readonly [K in FactKind]: KindOfFacts<K> } = {
  workers: kind<"workers">(workerRowSchema, workerCells),
  policies: kind<"policies">(policyRowSchema, policyCells),
  assignments: kind<"assignments">(assignmentRowSchema, assignmentCells),
  requests: kind<"requests">(requestRowSchema, requestCells),
  adjustments: kind<"adjustments">(adjustmentRowSchema, adjustmentCells),
  work_hours: kind<"work_hours">(workHoursRowSchema, workHoursCells),
};
