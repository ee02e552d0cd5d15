// Checks that stored wire objects follow the contract and agree with the columns that keys and filters use.
import type { z } from "zod";
import { DEFAULT_RULES, type PolicyFacts } from "../../balances/facts.ts";
import { type Assignment, assignmentSchema } from "../../resources/assignments.ts";
import { foldEmail } from "../../resources/fields.ts";
import { type Policy, policySchema } from "../../resources/policies.ts";
import { requestSchema, type TimeOffRequest } from "../../resources/requests.ts";
import { type Worker, workerSchema } from "../../resources/workers.ts";
import type { Rows } from "../../store/tables.ts";
import { dayOfText, utcDayOf } from "../../time/day.ts";
import { isTimeZone, localDays } from "../../time/zone.ts";

/** Says what is wrong with one row's document; null if nothing is. */
export type Check<R> = (row: R) => string | null;

/** The checks of the kinds that have a wire object. `zoneOf` gives a worker's time zone. */
export function documentChecks(zoneOf: (workerId: string) => string | null | undefined) {
  return {
    workers: check<Rows["workers"], Worker>(workerSchema, workerColumns),
    policies: check<Rows["policies"], Policy>(policySchema, policyColumns),
    assignments: check<Rows["assignments"], Assignment>(assignmentSchema, assignmentColumns),
    requests: check<Rows["requests"], TimeOffRequest>(requestSchema, (wire, row) =>
      requestColumns(wire, zoneOf(row.workerId)),
    ),
  };
}

function check<R extends { readonly doc: string }, W>(
  schema: z.ZodType<W>,
  columns: (wire: W, row: R) => Partial<R>,
): Check<R> {
  return (row) => {
    let json: unknown;
    try {
      json = JSON.parse(row.doc);
    } catch {
      return "do not hold JSON";
    }
    const parsed = schema.safeParse(json);
    if (!parsed.success)
      return `break the contract at ${parsed.error.issues[0]?.path.join(".") || "their top"}`;
    if (JSON.stringify(parsed.data) !== row.doc) return "are not written as the contract orders";
    const expected = columns(parsed.data, row);
    for (const column of Object.keys(expected) as (keyof R & string)[]) {
      if (expected[column] !== row[column]) return `disagree with their column ${column}`; // the keys are columns
    }
    return null;
  };
}

function workerColumns(wire: Worker): Partial<Rows["workers"]> {
  return {
    id: wire.id,
    status: wire.status,
    type: wire.type,
    workEmailFolded: wire.workEmail === null ? null : foldEmail(wire.workEmail),
    startDay: dayOfText(wire.startDate),
    endDay: wire.endDate === null ? null : dayOfText(wire.endDate),
    timeZone: wire.timeZone,
  };
}

/** The terms repeat the numbers of the wire object, so they are compared as text, with the rules as they are. */
function policyColumns(wire: Policy, row: Rows["policies"]): Partial<Rows["policies"]> {
  const stored = termsOf(row.terms);
  const terms: PolicyFacts = {
    schedule: wire.schedule,
    minutesPerPeriod: wire.minutesPerPeriod,
    minutesPerChunk: wire.minutesPerChunk,
    hoursWorkedPerChunk: wire.hoursWorkedPerChunk,
    isUnlimited: wire.schedule === "unlimited",
    rules: stored?.rules ?? DEFAULT_RULES,
  };
  return { id: wire.id, terms: JSON.stringify(terms) };
}

function termsOf(text: string): PolicyFacts | null {
  try {
    return JSON.parse(text) as PolicyFacts; // only its rules are used, and only to write them again
  } catch {
    return null;
  }
}

function assignmentColumns(wire: Assignment): Partial<Rows["assignments"]> {
  const { id, workerId, policyId } = wire;
  return { id, workerId, policyId, assignedDay: utcDayOf(Date.parse(wire.assignedAt)) };
}

function requestColumns(
  wire: TimeOffRequest,
  workerZone: string | null | undefined,
): Partial<Rows["requests"]> {
  const startAtMs = Date.parse(wire.startAt);
  const endAtMs = Date.parse(wire.endAt);
  const zone = wire.timeZone ?? workerZone ?? "UTC";
  return {
    id: wire.id,
    workerId: wire.workerId,
    policyId: wire.timeOffPolicyId,
    status: wire.status,
    startAtMs,
    endAtMs,
    minutes: wire.requestedMinutes,
    timeZone: wire.timeZone,
    // Without its worker, a request has no known zone. The missing worker is a finding of its own.
    ...(workerZone !== undefined && isTimeZone(zone) ? localDays(startAtMs, endAtMs, zone) : {}),
  };
}
