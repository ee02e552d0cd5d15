// Whom a caller sees. A key sees its whole company; so does HR. Somebody who is signed in as themselves sees their own rows, and a
// manager those of everybody below, too. Every read of `/v1` goes through `companyFor`, so nobody can ask around it.

import { foldEmail } from "../resources/cells.ts";
import { isOwned, LISTS, type ListKind } from "../resources/kinds.ts";
import type { Worker } from "../resources/workers.ts";
import type { CompanyReader, Condition, ReadStore } from "../store/store.ts";
import type { Caller } from "./middleware/auth.ts";
import { HttpProblem } from "./problems.ts";
import { parsed, readAll } from "./read-all.ts";
import { askFor, reachOf, type SignedIn } from "./sign-in.ts";

/** More people below one manager have access to everybody. */
const MOST_PEOPLE = 10_000;
/** Managers whose reports are asked for at once. */
const MANAGERS = 100;

/** The caller's company, as they may see it. Raises a 403 where it does not have the person, or not once. */
export async function companyFor(
  store: ReadStore,
  { key, person }: Caller,
  version: string,
): Promise<CompanyReader> {
  const stored = store.company(key.companyId, version);
  const company = key.hidesReasons ? withoutReasons(stored) : stored;
  if (!isLimited(person)) return company;
  return limitedTo(company, await peopleOf(stored, person));
}

/** Whether the person sees some people of the company alone. */
export function isLimited(person: SignedIn | null): person is SignedIn {
  return person !== null && reachOf(person.access) !== "company";
}

/** The worker whose work address the person has signed in with; null if there is none. Raises a 403 if there are several. */
export async function workerOf(company: CompanyReader, person: SignedIn): Promise<Worker | null> {
  const found = await readAll<Worker>(company, "workers", { workEmail: foldEmail(person.user) });
  const workers = found.filter(({ status }) => status !== "inactive");
  if (workers.length <= 1) return workers[0] ?? null;
  throw refusal(person, "several workers have this work address");
}

async function peopleOf(company: CompanyReader, person: SignedIn): Promise<readonly string[]> {
  const own = await workerOf(company, person);
  if (own === null) throw noWorker(person);
  const people = new Set([own.id]);
  let level = reachOf(person.access) === "reports" ? [own.id] : [];
  while (level.length > 0) {
    const below: string[] = [];
    for (let at = 0; at < level.length; at += MANAGERS) {
      const managerIds = level.slice(at, at + MANAGERS);
      for (const { id } of await readAll<Worker>(company, "workers", { managerIds })) {
        if (!people.has(id)) below.push(id);
        people.add(id);
      }
    }
    if (people.size > MOST_PEOPLE) throw refusal(person, `you have more than ${MOST_PEOPLE} reports`);
    level = below;
  }
  return [...people];
}

export function noWorker(person: SignedIn): HttpProblem {
  return refusal(person, "no worker has this work address");
}

function refusal(person: SignedIn, why: string): HttpProblem {
  return new HttpProblem(
    "missing_scope",
    `You are signed in as ${person.user}, but ${why}: ${askFor(person)}.`,
  );
}

/** The column that says whose a row is; null for what is nobody's. */
function ownerColumn(kind: ListKind): "id" | "workerId" | null {
  if (kind === "workers") return "id";
  return isOwned(kind) ? "workerId" : null;
}

const NOTHING = { docs: [], ends: null, hasMore: false } as const;

/** The company with these workers alone, and what is theirs. */
function limitedTo(company: CompanyReader, people: readonly string[]): CompanyReader {
  const ids = new Set<unknown>(people);
  /** The conditions, and that a row is one of theirs; null where none can be. */
  const limited = (kind: ListKind, conditions: readonly Condition[]): Condition[] | null => {
    const column = ownerColumn(kind);
    const given = conditions.find((one) => one.column === column && one.is === "in");
    const values = given === undefined ? people : given.values.filter((id) => ids.has(id));
    if (column === null || values.length === 0) return null;
    return [...conditions.filter((one) => one !== given), { column, is: "in", values }];
  };
  return {
    async list(kind, page, conditions) {
      if (LISTS[kind].isOfCompany) return company.list(kind, page, conditions);
      const own = limited(kind, conditions);
      return own === null ? NOTHING : company.list(kind, page, own);
    },
    async leave(page, conditions) {
      const own = limited("requests", conditions);
      return own === null ? { rows: [], hasMore: false } : company.leave(page, own);
    },
    schedules: (workerIds) => company.schedules(workerIds.filter((id) => ids.has(id))),
    steady: (work) => company.steady((reader) => work(limitedTo(reader, people))),
    async object(kind, id) {
      const doc = await company.object(kind, id);
      if (doc === null || LISTS[kind].isOfCompany) return doc;
      const column = ownerColumn(kind);
      const object = parsed<Readonly<Record<string, unknown>>>(doc);
      return column !== null && ids.has(object[column]) ? doc : null;
    },
    async balanceFacts(query) {
      const workerIds = query.workerIds?.filter((id) => ids.has(id)) ?? people;
      return workerIds.length === 0
        ? { assignments: [], hasMore: false }
        : company.balanceFacts({ ...query, workerIds });
    },
    about: () => company.about(),
    lastImports: () => company.lastImports(),
    async changes() {
      throw new HttpProblem("missing_scope", "You see some people of your company: its changes are of all.");
    },
    reported: async () => (await company.reported()).filter(({ workerId }) => ids.has(workerId)),
    calendarSequence: () => company.calendarSequence(),
    lastChanges: (kind, ids) => company.lastChanges(kind, ids),
  };
}

/** The company as a key with `hidesReasons` sees it: every reason of a request, and why workers left, is null. */
export function withoutReasons(company: CompanyReader): CompanyReader {
  return {
    async list(kind, page, conditions) {
      const found = await company.list(kind, page, conditions);
      return hasReason(kind) ? { ...found, docs: found.docs.map((doc) => withoutReason(kind, doc)) } : found;
    },
    async object(kind, id) {
      const doc = await company.object(kind, id);
      return hasReason(kind) && doc !== null ? withoutReason(kind, doc) : doc;
    },
    balanceFacts: (query) => company.balanceFacts(query),
    schedules: (workerIds) => company.schedules(workerIds),
    leave: (page, conditions) => company.leave(page, conditions),
    steady: (work) => company.steady((reader) => work(withoutReasons(reader))),
    about: () => company.about(),
    lastImports: () => company.lastImports(),
    async changes(query) {
      const page = await company.changes(query);
      if (page === "gone") return page;
      const entries = page.entries.map((entry) =>
        hasReason(entry.resource) && entry.doc !== null
          ? { ...entry, doc: withoutReason(entry.resource, entry.doc) }
          : entry,
      );
      return { ...page, entries };
    },
    reported: () => company.reported(),
    calendarSequence: () => company.calendarSequence(),
    lastChanges: (kind, ids) => company.lastChanges(kind, ids),
  };
}

/** The keys that are hidden. */
const REASONS = { requests: "reason", workers: "terminationReason" } as const;

function hasReason(kind: string): kind is keyof typeof REASONS {
  return kind in REASONS;
}

/** The order of keys stays as it is. */
function withoutReason(kind: keyof typeof REASONS, doc: string): string {
  const object: unknown = JSON.parse(doc);
  return JSON.stringify({ ...(object as object), [REASONS[kind]]: null }); // a stored object, which has the key
}
