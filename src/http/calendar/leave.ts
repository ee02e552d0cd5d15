// The leave that a calendar feed shows, earliest first, with people's names (docs/calendars.md).
import { atWorkOf, type Policy } from "../../resources/policies.ts";
import { leaveOf, type TimeOffRequest } from "../../resources/requests.ts";
import { mayBeAway, nameOf, type Worker } from "../../resources/workers.ts";
import type { CalendarDefinition, CompanyReader, LastChange } from "../../store/store.ts";
import { DAY_MS, type Day, dayOfText, formatDay } from "../../time/day.ts";
import { localDays } from "../../time/zone.ts";
import { byId, readAll } from "../read-all.ts";

/** Leave that ended or begins outside of these days is left out. */
const DAYS_BACK = 31;
const DAYS_AHEAD = 400;

export const MOST_EVENTS = 5000;

/** Leave with a duration. Its zone is the request's, else the worker's, else the company's. */
export interface Leave extends ReturnType<typeof leaveOf> {
  readonly requestId: string;
  readonly workerId: string;
  readonly name: string;
}

/** Leave as a calendar event, with the fields by which programs tell its versions (RFC 5545, 3.8.7). */
export interface Event extends Leave {
  readonly sequence: number;
  readonly changedAtMs: number;
}

export interface CalendarLeave {
  /** At most `MOST_EVENTS`. */
  readonly leave: readonly Leave[];
  /** Whether there is more. */
  readonly isCut: boolean;
  readonly policyNames: ReadonlyMap<string, string>;
}

/** Requests are read by start, some weeks at a time, so that reading can stop at the limit. */
const WEEKS_AT_ONCE = 4;

export async function readLeave(
  company: CompanyReader,
  definition: CalendarDefinition,
  today: Day,
  companyZone: string | null,
): Promise<CalendarLeave> {
  const [fromMs, toMs] = [(today - DAYS_BACK) * DAY_MS, (today + DAYS_AHEAD + 1) * DAY_MS];
  const workers = new Map<string, Worker>(); // each is read once
  const policies = await readAll<Policy>(company, "policies", {});
  const atWork = atWorkOf(policies);
  const isShown = (policyId: string) => !atWork.has(policyId) || definition.policies.includes(policyId);
  const leave: Leave[] = [];
  const filters = filtersOf(definition);
  // An index finds the requests of a few people.
  const stepMs = definition.workers.length > 0 ? toMs - fromMs : WEEKS_AT_ONCE * 7 * DAY_MS;
  for (let startMs = fromMs; startMs < toMs && leave.length <= MOST_EVENTS; startMs += stepMs) {
    const requests = await readAll<TimeOffRequest>(company, "requests", {
      ...filters,
      ...(startMs === fromMs ? { endsOnOrAfter: fromMs + 1 } : { startsOnOrAfter: startMs }),
      startsBefore: Math.min(startMs + stepMs, toMs),
    });
    const missing = requests.map(({ workerId }) => workerId).filter((id) => !workers.has(id));
    for (const worker of (await byId<Worker>(company, "workers", missing)).values())
      workers.set(worker.id, worker);
    const next = requests.flatMap((request): Leave[] => {
      const worker = workers.get(request.workerId);
      if (worker === undefined || !fits(worker, definition, today) || !isShown(request.timeOffPolicyId))
        return [];
      const lasting = leaveOf(request, worker.timeZone ?? companyZone);
      if (lasting.endMs <= lasting.startMs || beginsAfterLastDay(lasting, worker)) return [];
      return [{ requestId: request.id, workerId: request.workerId, name: nameOf(worker), ...lasting }];
    });
    next.sort((left, right) => left.startMs - right.startMs); // ties stay in the order of ids
    for (const event of next) leave.push(event); // no spread: arguments go on the stack, which is too small for them
  }
  const policyNames = new Map(policies.map(({ id, name }) => [id, name]));
  return { leave: leave.slice(0, MOST_EVENTS), isCut: leave.length > MOST_EVENTS, policyNames };
}

/** Whether leave begins after the worker's last day: then nobody is away. */
function beginsAfterLastDay(
  { startMs, endMs, zone }: ReturnType<typeof leaveOf>,
  { endDate }: Worker,
): boolean {
  return endDate !== null && localDays(startMs, endMs, zone ?? "UTC").firstDay > dayOfText(endDate);
}

/** The filters for the requests that a feed shows. */
function filtersOf({ workers, policies, withPending }: CalendarDefinition) {
  return {
    ...(workers.length > 0 && { workerIds: workers }),
    ...(policies.length > 0 && { policyIds: policies }),
    statuses: withPending ? ["approved", "pending"] : ["approved"],
  };
}

/** When each event last changed. Objects that are unchanged since the first import count as changed at `firstAtMs`. */
export async function eventsOf(
  company: CompanyReader,
  leave: readonly Leave[],
  sequence: number,
  firstAtMs: number,
): Promise<Event[]> {
  const parts = [
    ["requests", "requestId"],
    ["workers", "workerId"],
    ["policies", "policyId"],
  ] as const;
  const changes = new Map<string, LastChange>();
  for (const [kind, name] of parts) {
    const ids = [...new Set(leave.map((request) => request[name]))];
    for (const [id, change] of await company.lastChanges(kind, ids)) changes.set(id, change);
  }
  return leave.map((request) => {
    const of = [request.requestId, request.workerId, request.policyId].flatMap((id) => changes.get(id) ?? []);
    return {
      ...request,
      sequence: sequence + Math.max(0, ...of.map(({ seq }) => seq)),
      changedAtMs: Math.max(firstAtMs, ...of.map(({ endedAtMs }) => endedAtMs)),
    };
  });
}

function fits(worker: Worker, { types }: CalendarDefinition, today: Day): boolean {
  return (types.length === 0 || types.includes(worker.type)) && mayBeAway(worker, formatDay(today));
}
