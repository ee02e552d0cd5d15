// Adjustments: from a row of a file to what is stored, and back.
import { z } from "zod";
import type { Rows } from "../../store/tables.ts";
import { formatDay } from "../../time/day.ts";
import { idOf } from "../resolve/identity.ts";
import * as value from "../values.ts";
import type { FileCells, NamedIdentity } from "./kind.ts";

export const adjustmentRowSchema = z.object({
  id: idOf.adjustment,
  legacyId: value.legacyId,
  workerId: value.reference,
  policyId: value.reference,
  date: value.day,
  minutes: value.amount({ isSigned: true }),
  note: value.optionalText,
});

export type AdjustmentFact = z.output<typeof adjustmentRowSchema>;

/** `workerId` and `policyId` are those that the fact's references name. */
export function adjustmentRow(
  fact: AdjustmentFact,
  { id, legacyId }: NamedIdentity,
  workerId: string,
  policyId: string,
): Rows["adjustments"] {
  return { id, legacyId, workerId, policyId, day: fact.date, minutes: fact.minutes, note: fact.note };
}

export function adjustmentCells({ day, ...row }: Rows["adjustments"]): FileCells {
  return { ...row, date: formatDay(day) };
}
