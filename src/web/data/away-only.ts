// Who is away, for people who may see nothing else: turns `/web/away.json` into the API's form.

import type { CallOptions, RequestStatus, TimeOffRequest, Worker } from "../../client/index.ts";
import { Transport } from "../../client/transport.ts";
import { type Day, formatDay } from "../../time/day.ts";
import { SERVER } from "../address.ts";
import type { DayRange } from "./days.ts";

interface AwayResponse {
  readonly people: readonly Pick<
    Worker,
    "id" | "displayName" | "timeZone" | "department" | "primaryWorkplace" | "managerId"
  >[];
  readonly absences: readonly Pick<TimeOffRequest, "id" | "workerId" | "startAt" | "endAt" | "timeZone">[];
}

/** The most days of one response: `to` is within 60 days of `from` (src/http/routes/signed-in.ts). */
const MOST_DAYS = 61;

function load({ first, end }: DayRange, options: CallOptions): Promise<AwayResponse> {
  const transport = new Transport({ baseUrl: SERVER, apiKey: null });
  return transport.get(`/web/away.json?from=${formatDay(first)}&to=${formatDay(end - 1)}`, options);
}

const HIDDEN_WORKER = {
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

/** The people who have started by a day, and have not left. */
export async function awayWorkers(by: Day, options: CallOptions): Promise<Worker[]> {
  const { people } = await load({ first: by, end: by + 1 }, options);
  return people.map((person) => ({ ...HIDDEN_WORKER, ...person }));
}

export async function awayRequests(range: DayRange, options: CallOptions): Promise<TimeOffRequest[]> {
  const absences = new Map<string, AwayResponse["absences"][number]>(); // one may be in two responses
  for (let first = range.first; first < range.end; first += MOST_DAYS) {
    const part = await load({ first, end: Math.min(first + MOST_DAYS, range.end) }, options);
    for (const absence of part.absences) absences.set(absence.id, absence);
  }
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
