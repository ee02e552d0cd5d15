// Time-off requests: from a row of a file to what is stored, and back.
import { z } from "zod";
import { localDays } from "../../balances/zones.ts";
import { REQUEST_STATUSES, type TimeOffRequest } from "../../contract/requests.ts";
import type { Rows } from "../../store/tables.ts";
import { idOf } from "../identity.ts";
import * as value from "../values.ts";
import { dateTimeText, type FileCells, type NamedIdentity } from "./kind.ts";

export const requestRowSchema = z
  .object({
    id: idOf.request,
    legacyId: value.legacyId,
    createdAt: value.instant,
    endAt: value.instant,
    reason: value.optionalText,
    requestedMinutes: value.amount(),
    startAt: value.instant,
    status: value.choice(REQUEST_STATUSES),
    timeOffPolicyId: value.reference,
    timeZone: value.optionalTimeZone,
    workerId: value.reference,
  })
  .superRefine((request, context) => {
    if (request.endAt < request.startAt) {
      context.addIssue({
        code: "custom",
        path: ["endAt"],
        message: `is before startAt (${dateTimeText(request.startAt)})`,
      });
    }
  });

export type RequestFact = z.output<typeof requestRowSchema>;

/** What a request's references name; the zone is the worker's. */
export interface RequestParents {
  readonly workerId: string;
  readonly policyId: string;
  readonly workerTimeZone: string | null;
}

export function requestRow(
  fact: RequestFact,
  { id, legacyId }: NamedIdentity,
  parents: RequestParents,
): Rows["requests"] {
  const { workerId, policyId } = parents;
  const wire: TimeOffRequest = {
    id,
    createdAt: dateTimeText(fact.createdAt),
    endAt: dateTimeText(fact.endAt),
    reason: fact.reason,
    requestedMinutes: fact.requestedMinutes,
    startAt: dateTimeText(fact.startAt),
    status: fact.status,
    timeOffPolicyId: policyId,
    timeZone: fact.timeZone,
    workerId,
  };
  const { firstDay, lastDay } = localDays(
    fact.startAt,
    fact.endAt,
    fact.timeZone ?? parents.workerTimeZone ?? "UTC",
  );
  return {
    id,
    legacyId,
    doc: JSON.stringify(wire),
    workerId,
    policyId,
    status: fact.status,
    startAtMs: fact.startAt,
    endAtMs: fact.endAt,
    firstDay,
    lastDay,
    minutes: fact.requestedMinutes,
    timeZone: fact.timeZone,
  };
}

export function requestCells(row: Rows["requests"]): FileCells {
  const wire = JSON.parse(row.doc) as TimeOffRequest; // what requestRow wrote
  return { ...wire, legacyId: row.legacyId };
}
