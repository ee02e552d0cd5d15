// The leave that a calendar feed shows (docs/calendars.md): the earliest first, with the names of the people.

import { LISTS, type ListKind } from "../../resources/kinds.ts";
import type { Policy } from "../../resources/policies.ts";
import { leaveOf, type TimeOffRequest } from "../../resources/requests.ts";
import { nameOf, ownZone, type Worker } from "../../resources/workers.ts";
import { conditionsOf } from "../../store/plan.ts";
import type { CalendarDefinition, CompanyReader, Condition, Doc, DocPage } from "../../store/store.ts";
import { DAY_MS, type Day } from "../../time/day.ts";

/** Leave that ended before is left out, and leave that begins later. */
const DAYS_BACK = 31;
const DAYS_AHEAD = 400;

export const MOST_EVENTS = 5000;

/** Leave of some length. Its zone is that of the request, else of the worker, else of the company. */
export interface Leave extends ReturnType<typeof leaveOf> {
  readonly requestId: string;
  readonly name: string;
}

export interface CalendarLeave {
  /** At most `MOST_EVENTS`. */
  readonly leave: readonly Leave[];
  /** Whether there is more. */
  readonly isCut: boolean;
}

/** Requests are read by their start, a few weeks at a time, so that not all of them are read where there are too many. */
const WEEKS_AT_ONCE = 4;

/** Rows of a page; other requests are served between two pages. */
const PAGE_ROWS = 500;

export async function readLeave(
  company: CompanyReader,
  definition: CalendarDefinition,
  today: Day,
  companyZone: string | null,
): Promise<CalendarLeave> {
  const [fromMs, toMs] = [(today - DAYS_BACK) * DAY_MS, (today + DAYS_AHEAD + 1) * DAY_MS];
  const people = new People(company);
  const leave: Leave[] = [];
  // The requests of a few people are found by an index of their own.
  const stepMs = definition.workers.length > 0 ? toMs - fromMs : WEEKS_AT_ONCE * 7 * DAY_MS;
  for (let startMs = fromMs; startMs < toMs && leave.length <= MOST_EVENTS; startMs += stepMs) {
    const found = await readAll<TimeOffRequest>(company, "requests", {
      ...(definition.workers.length > 0 && { workerIds: definition.workers }),
      ...(definition.policies.length > 0 && { policyIds: definition.policies }),
      statuses: definition.withPending ? ["approved", "pending"] : ["approved"],
      ...(startMs === fromMs ? { endsOnOrAfter: fromMs + 1 } : { startsOnOrAfter: startMs }),
      startsBefore: Math.min(startMs + stepMs, toMs),
    });
    const workers = await people.withIds(found.map(({ workerId }) => workerId));
    const next: Leave[] = [];
    for (const request of found) {
      const worker = workers.get(request.workerId);
      if (worker === undefined || !fits(worker, definition)) continue;
      const lasting = leaveOf(request, worker.zone ?? companyZone);
      if (lasting.endMs > lasting.startMs)
        next.push({ requestId: request.id, name: worker.name, ...lasting });
    }
    next.sort((left, right) => left.startMs - right.startMs); // else in the order of their ids
    for (const one of next) leave.push(one); // not by spreading: a stack does not hold hundreds of thousands
  }
  return { leave: leave.slice(0, MOST_EVENTS), isCut: leave.length > MOST_EVENTS };
}

function fits({ type }: Person, { types }: CalendarDefinition): boolean {
  return types.length === 0 || types.includes(type);
}

/** The names of all policies, by id. */
export async function policyNames(company: CompanyReader): Promise<ReadonlyMap<string, string>> {
  const policies = await readAll<Policy>(company, "policies", {});
  return new Map(policies.map(({ id, name }) => [id, name]));
}

interface Person {
  readonly name: string;
  readonly zone: string | null;
  readonly type: Worker["type"];
}

/** Workers by id; each is read once. */
class People {
  readonly #company: CompanyReader;
  readonly #known = new Map<string, Person>();

  constructor(company: CompanyReader) {
    this.#company = company;
  }

  async withIds(ids: readonly string[]): Promise<ReadonlyMap<string, Person>> {
    const missing = [...new Set(ids)].filter((id) => !this.#known.has(id)).toSorted();
    for (let at = 0; at < missing.length; at += PAGE_ROWS) {
      const values = missing.slice(at, at + PAGE_ROWS);
      const conditions: Condition[] = [{ column: "id", is: "in", values }];
      const { docs } = await this.#company.list("workers", { limit: PAGE_ROWS }, conditions);
      for (const worker of docs.map((doc) => parsed<Worker>(doc))) {
        const { id, type } = worker;
        this.#known.set(id, { name: nameOf(worker), zone: ownZone(worker), type });
      }
    }
    return this.#known;
  }
}

/** All objects of a list that its filters let through. */
async function readAll<T extends { readonly id: string }>(
  company: CompanyReader,
  kind: ListKind,
  values: Readonly<Record<string, unknown>>,
): Promise<T[]> {
  const conditions = conditionsOf(LISTS[kind].api.filters, values);
  const all: T[] = [];
  for (;;) {
    const page: DocPage = await company.list(kind, { limit: PAGE_ROWS, after: all.at(-1)?.id }, conditions);
    for (const doc of page.docs) all.push(parsed<T>(doc));
    if (!page.hasMore) return all;
    await new Promise(setImmediate);
  }
}

const decoder = new TextDecoder();

function parsed<T>(doc: Doc): T {
  return JSON.parse(typeof doc === "string" ? doc : decoder.decode(doc)) as T; // one of the store's own
}
