// Time-off requests: from a row of a file to what is stored, and back.
import { z } from "zod";
import { REQUEST_STATUSES, type TimeOffRequest } from "../../resources/requests.ts";
import type { Rows } from "../../store/tables.ts";
import { isStorable } from "../../time/instant.ts";
import { instantOf, localDays } from "../../time/zone.ts";
import { idOf } from "../resolve/identity.ts";
import type { LocalTime } from "../resolve/local-times.ts";
import { shown } from "../row-errors.ts";
import * as value from "../values.ts";
import { dateTimeText, type FileCells, type NamedIdentity } from "./kind.ts";

export const requestRowSchema = z
  .object({
    id: idOf.request,
    legacyId: value.legacyId,
    createdAt: value.instantOrLocal,
    endAt: value.instantOrLocal,
    reason: value.optionalText,
    requestedMinutes: value.amount(),
    startAt: value.instantOrLocal,
    status: value.choice(REQUEST_STATUSES),
    timeOffPolicyId: value.reference,
    timeZone: value.optionalTimeZone,
    workerId: value.reference,
  })
  .superRefine((request, context) => {
    const { startAt, endAt } = request;
    if (typeof startAt === "number" && typeof endAt === "number" && endAt < startAt) {
      context.addIssue({
        code: "custom",
        path: ["endAt"],
        message: IS_BEFORE_START,
        params: { otherField: "startAt" },
      });
    }
  });

const IS_BEFORE_START = "is before startAt";

export type RequestFact = z.output<typeof requestRowSchema>;

const TIMES = ["createdAt", "startAt", "endAt"] as const;

/** A request whose times are all instants, in UTC milliseconds. */
export type TimedRequest = Omit<RequestFact, (typeof TIMES)[number]> & {
  readonly [T in (typeof TIMES)[number]]: number;
};

/**
 * The request with its local times as instants: in the zone that the mapping names, else the request's own, else the
 * worker's, else UTC, in which its days are counted too (docs/balances.md, Requests and days). A list of what is
 * wrong where they cannot be stored.
 */
export function timedRequest(fact: RequestFact, workerTimeZone: string | null): TimedRequest | string[] {
  const { createdAt, startAt, endAt } = fact;
  if (typeof createdAt === "number" && typeof startAt === "number" && typeof endAt === "number") {
    return { ...fact, createdAt, startAt, endAt };
  }
  const at = (time: number | LocalTime) =>
    typeof time === "number"
      ? time
      : instantOf(time.localMs, time.zone ?? fact.timeZone ?? workerTimeZone ?? "UTC");
  const timed = { ...fact, createdAt: at(createdAt), startAt: at(startAt), endAt: at(endAt) };
  const problems = TIMES.filter((field) => !isStorable(timed[field])).map(
    (field) => `${field}: ${writtenTime(fact[field])} ${value.OUT_OF_RANGE}`,
  );
  if (timed.endAt < timed.startAt)
    problems.push(`endAt: ${writtenTime(endAt)} ${IS_BEFORE_START} (${writtenTime(startAt)})`);
  return problems.length > 0 ? problems : timed;
}

function writtenTime(time: number | LocalTime): string {
  return shown(typeof time === "number" ? dateTimeText(time) : time.written);
}

/** What a request's references name; the zone is the worker's. */
export interface RequestParents {
  readonly workerId: string;
  readonly policyId: string;
  readonly workerTimeZone: string | null;
}

export function requestRow(
  fact: TimedRequest,
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
