// Workers: from a row of a file to what is stored, and back.
import { z } from "zod";
import { foldEmail } from "../../resources/fields.ts";
import { WORKER_STATUSES, WORKER_TYPES, type Worker } from "../../resources/workers.ts";
import type { Rows } from "../../store/tables.ts";
import { formatDay } from "../../time/day.ts";
import { idOf } from "../resolve/identity.ts";
import * as value from "../values.ts";
import type { FileCells, NamedIdentity } from "./kind.ts";

export const workerRowSchema = z
  .object({
    id: idOf.worker,
    legacyId: value.legacyId,
    businessName: value.optionalText,
    displayName: value.optionalText,
    email: value.email,
    endDate: value.optionalDay,
    firstName: value.text,
    isBusiness: value.boolean,
    lastName: value.text,
    position: value.textOrEmpty,
    preferredName: value.optionalText,
    startDate: value.day,
    status: value.choice(WORKER_STATUSES),
    timeZone: value.optionalTimeZone,
    type: value.choice(WORKER_TYPES),
    workEmail: value.optionalEmail,
  })
  .superRefine((worker, context) => {
    if (worker.endDate !== null && worker.endDate < worker.startDate) {
      context.addIssue({
        code: "custom",
        path: ["endDate"],
        message: "is before startDate",
        params: { otherField: "startDate" },
      });
    }
    if (!worker.isBusiness && worker.businessName !== null) {
      context.addIssue({
        code: "custom",
        path: ["businessName"],
        message:
          "is given although isBusiness is false: leave it empty, or say that the worker is a business",
      });
    }
  });

export type WorkerFact = z.output<typeof workerRowSchema>;

/** The name to show where none is given (docs/api.md, Worker). */
function displayName(fact: WorkerFact): string {
  if (fact.displayName !== null) return fact.displayName;
  if (fact.isBusiness && fact.businessName !== null) return fact.businessName;
  return fact.preferredName ?? `${fact.firstName} ${fact.lastName}`;
}

export function workerRow(fact: WorkerFact, { id, legacyId }: NamedIdentity): Rows["workers"] {
  const wire: Worker = {
    id,
    businessName: fact.businessName,
    displayName: displayName(fact),
    email: fact.email,
    endDate: fact.endDate === null ? null : formatDay(fact.endDate),
    firstName: fact.firstName,
    isBusiness: fact.isBusiness,
    lastName: fact.lastName,
    position: fact.position,
    preferredName: fact.preferredName,
    startDate: formatDay(fact.startDate),
    status: fact.status,
    timeZone: fact.timeZone,
    type: fact.type,
    workEmail: fact.workEmail,
  };
  return {
    id,
    legacyId,
    doc: JSON.stringify(wire),
    status: fact.status,
    type: fact.type,
    workEmailFolded: fact.workEmail === null ? null : foldEmail(fact.workEmail),
    startDay: fact.startDate,
    endDay: fact.endDate,
    timeZone: fact.timeZone,
  };
}

export function workerCells(row: Rows["workers"]): FileCells {
  const wire = JSON.parse(row.doc) as Worker; // what workerRow wrote
  return { ...wire, legacyId: row.legacyId };
}
