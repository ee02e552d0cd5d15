// Absences for people who may see nothing else: turns `/web/away.json` into the API's form.

import type { CallOptions, RequestStatus, TimeOffRequest, Worker } from "../../client/index.ts";
import { Transport } from "../../client/transport.ts";
import { type Day, formatDay } from "../../time/day.ts";
import { SERVER } from "../address.ts";
import type { DayRange } from "./days.ts";

interface AwayResponse {
  readonly people: readonly (Pick<
    Worker,
    "id" | "displayName" | "timeZone" | "department" | "primaryWorkplace" | "managerId"
  > & {
    /** The first day of a worker who starts after the first day of the range; else null. */
    readonly startsOn: string | null;
  })[];
  readonly absences: readonly Pick<TimeOffRequest, "id" | "workerId" | "startAt" | "endAt" | "timeZone">[];
}

/** A response has at most this many days: `to` is within 60 days of `from` (src/http/routes/signed-in.ts). */
const MOST_DAYS = 61;

function load({ first, end }: DayRange, options: CallOptions): Promise<AwayResponse> {
  const transport = new Transport({ baseUrl: SERVER, apiKey: null });
  return transport.get(`/web/away.json?from=${formatDay(first)}&to=${formatDay(end - 1)}`, options);
}

export const HIDDEN_WORKER = {
  businessName: null,
  email: "",
  endDate: null,
  firstName: "",
  isBusiness: false,
  lastName: "",
  position: "",
  preferredName: null,
  startDate: "1900-01-01",
  status: "active",
  type: "employee",
  workEmail: null,
  legacyId: null,
  manager: null,
  latestRehireDate: null,
  terminationReason: null,
  updatedAt: "1970-01-01T00:00:00.000Z",
} as const;

/** Splits the days into parts that fit into one response each. */
function partsOf(range: DayRange): DayRange[] {
  return Array.from({ length: Math.ceil((range.end - range.first) / MOST_DAYS) }, (_, at) => {
    const first = range.first + MOST_DAYS * at;
    return { first, end: Math.min(first + MOST_DAYS, range.end) };
  });
}

/** People who have not left, and have started by today or the last of these days. Their start is known only if it is in these days. */
export async function awayWorkers(range: DayRange, today: Day, options: CallOptions): Promise<Worker[]> {
  const workers = new Map<string, Worker>();
  const later = range.end <= today ? [{ first: today, end: today + 1 }] : []; // for people who started after the range
  for (const part of [...partsOf(range), ...later]) {
    const { people } = await load(part, options);
    for (const { startsOn, ...person } of people)
      if (!workers.has(person.id)) {
        const started = part.first === range.first ? HIDDEN_WORKER.startDate : formatDay(part.first);
        workers.set(person.id, { ...HIDDEN_WORKER, ...person, startDate: startsOn ?? started });
      }
  }
  return [...workers.values()];
}

export async function awayRequests(range: DayRange, options: CallOptions): Promise<TimeOffRequest[]> {
  const absences = new Map<string, AwayResponse["absences"][number]>(); // one may be in two responses
  for (const part of partsOf(range))
    for (const absence of (await load(part, options)).absences) absences.set(absence.id, absence);
  const hidden = {
    reason: null,
    requestedMinutes: 0,
    timeOffPolicyId: "",
    legacyId: null,
    startRangeType: "datetime",
    endRangeType: "datetime",
  } as const;
  const status: RequestStatus = "approved";
  return [...absences.values()].map((absence) => ({
    ...hidden,
    ...absence,
    createdAt: absence.startAt,
    status,
  }));
}
