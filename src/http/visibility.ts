// The workers whom a caller sees: the whole company, the person's own row, or also those of everybody below them. A key sees the whole
// company unless its access names workers. Every read of `/v1` goes through `companyFor`, so none can bypass it.
import { LRUCache } from "lru-cache";
import { foldEmail } from "../resources/cells.ts";
import type { Department } from "../resources/departments.ts";
import { isOwned, LIST_KINDS, LISTS, type ListKind } from "../resources/kinds.ts";
import type { Field, Scope } from "../resources/resource.ts";
import { WORKER_FILTERS } from "../resources/worker-filters.ts";
import { hasLeft, type Worker } from "../resources/workers.ts";
import { idOf, SCAN_ROWS, trimPage } from "../store/plan.ts";
import type {
  AssignmentWithFacts,
  BalanceQuery,
  CompanyReader,
  Condition,
  FactsPage,
  KeyAccess,
  PageQuery,
  ReadStore,
} from "../store/store.ts";
import { type Computation, inTurns } from "./computation.ts";
import { requireWorkersScope } from "./middleware/auth.ts";
import { HttpProblem } from "./problems.ts";
import { parsed, readAll } from "./read-all.ts";
import { type Caller, hidesReasons, isLimited, refusal, type SignedIn, visibleWorkers } from "./sign-in.ts";

/** The most workers that a limited caller may see. For more, a caller needs access to the whole company. */
const MOST_WORKERS = 10_000;
/** How many managers' reports one statement reads. */
const MANAGERS = 100;
const PAGE_ROWS = 500;

/** The ids of the workers whom a caller sees, in order; or the error that says why there are none. */
type Visible = ReadonlySet<string> | HttpProblem;

/** `Visible` by company, version, access and address. Cached, because finding a manager's reports costs as much as fifty pages. */
export type VisibilityCache = LRUCache<string, Visible, () => Promise<Visible>>;

const CACHED_IDS = 500_000;

export function visibilityCache(): VisibilityCache {
  return new LRUCache({
    maxSize: CACHED_IDS,
    sizeCalculation: (visible) => 10 + (visible instanceof HttpProblem ? 0 : visible.size),
    fetchMethod: (_key, _stale, { context: read }) => read(),
    ignoreFetchAbort: true, // a value that leaves the cache while it is read is still used
  });
}

/** What reads of companies need. */
export interface CompanyParts {
  readonly store: ReadStore;
  readonly visible: VisibilityCache;
  /** The current UTC day, `YYYY-MM-DD`; an argument, so that tests and operators can choose it. */
  readonly today: () => string;
}

/** The whole company, read by a computation. */
export function wholeCompany(
  { store }: Pick<CompanyParts, "store">,
  companyId: string,
  version: string,
  computation: Computation,
  revision: number | null = null,
): CompanyReader {
  return inTurns(store.company(companyId, version, revision), computation);
}

/** The company, limited to what the caller may see now, also at an earlier revision. Raises a 403 unless one worker is the person. */
export async function companyFor(
  parts: CompanyParts,
  caller: Caller,
  version: string,
  computation: Computation,
  revision: number | null = null,
): Promise<CompanyReader> {
  const { store, visible } = parts;
  const { key } = caller;
  const stored = wholeCompany(parts, key.companyId, version, computation, revision);
  const company = hidesReasons(key) ? withoutReasons(stored) : stored;
  if (!isLimited(caller)) return company;
  const today = parts.today();
  const name = `${key.companyId} ${version} ${today} ${viewOf(caller)}`;
  const workers = await visible.forceFetch(name, {
    context: () => workersOf(store.company(key.companyId, version), caller, today), // not through the computation, whose caller may leave
  });
  if (workers instanceof HttpProblem) throw workers;
  return limitedTo(company, workers);
}

/** Raises a 403 for a person with limited access who is not a worker now. Somebody who has left sees nothing, not even who is away. */
export async function requireWorker(
  { store, today }: CompanyParts,
  caller: Caller,
  version: string,
): Promise<void> {
  const { key, person } = caller;
  if (person === null || !isLimited(caller)) return;
  const worker = await workerOf(store.company(key.companyId, version), person, today());
  if (worker === null) throw noWorker(person);
}

/** The part of a cache key that stands for what a limited caller sees of a company. */
export function viewOf({ key, person }: Caller): string {
  return JSON.stringify(person === null ? key.access : [person.access, foldEmail(person.user)]);
}

/** The worker with the work address of the signed-in person; null if there is none, or they have left. Raises a 403 for several. */
export async function workerOf(
  company: CompanyReader,
  person: SignedIn,
  today: string,
): Promise<Worker | null> {
  const named = await readAll<Worker>(company, "workers", { workEmail: foldEmail(person.user) });
  const workers = named.filter((worker) => !hasLeft(worker, today));
  if (workers.length <= 1) return workers[0] ?? null;
  throw refusal("severalWorkers", { user: person.user }, person.contact);
}

async function workersOf(company: CompanyReader, { key, person }: Caller, today: string): Promise<Visible> {
  if (person === null) return workersOfKey(company, key.access);
  try {
    const worker = await workerOf(company, person, today);
    if (worker === null) return noWorker(person);
    if (visibleWorkers(person.access) === "self") return new Set([worker.id]);
    const workers = await withReports(company, worker.id);
    if (workers.length > MOST_WORKERS)
      return refusal("tooManyReports", { user: person.user, most: MOST_WORKERS }, person.contact);
    return new Set(workers.toSorted());
  } catch (error) {
    if (error instanceof HttpProblem) return error;
    throw error;
  }
}

async function workersOfKey(company: CompanyReader, access: KeyAccess): Promise<Visible> {
  const workers = new Set(access.workers);
  const parents = await readAll<Department>(company, "departments", {});
  const departments = new Set(access.departments);
  for (const id of departments)
    for (const part of parents) if (part.parentId === id) departments.add(part.id); // also of those
  if (departments.size > 0)
    for (const id of await idsOf(company, { departmentIds: [...departments] })) workers.add(id);
  for (const managerId of access.managers)
    for (const id of await withReports(company, managerId)) workers.add(id);
  if (workers.size <= MOST_WORKERS) return new Set([...workers].toSorted());
  return new HttpProblem(
    "missing_scope",
    `This API key sees more than ${MOST_WORKERS} workers: ask the operator for one that sees the whole company.`,
  );
}

/** The ids of a manager and everybody below; stops above `MOST_WORKERS`. In a circle of managers, each sees only themselves. */
async function withReports(company: CompanyReader, managerId: string): Promise<string[]> {
  const workers = new Set([managerId]);
  for (let level = [managerId]; level.length > 0 && workers.size <= MOST_WORKERS; ) {
    const below = new Set<string>();
    for (let at = 0; at < level.length; at += MANAGERS) {
      const managerIds = level.slice(at, at + MANAGERS);
      for (const id of await idsOf(company, { managerIds })) below.add(id);
    }
    // Somebody who is their own manager has no manager, so that is no circle.
    if (below.has(managerId) && workers.size > 1) return [managerId];
    level = [...below].filter((id) => !workers.has(id));
    for (const id of level) workers.add(id);
  }
  return [...workers];
}

/** The ids of the workers that match these values of the list's filters. */
async function idsOf(company: CompanyReader, values: Readonly<Record<string, unknown>>): Promise<string[]> {
  const workers = await readAll<Worker>(company, "workers", values);
  return workers.map(({ id }) => id);
}

/** Runs `work` on the company; if `values` name departments or managers, only on their workers. Raises a 403 without the scope for that. */
export async function readAsked<T>(
  company: CompanyReader,
  scopes: readonly Scope[],
  values: { readonly [K in (typeof WORKER_FILTERS)[number]]?: readonly string[] },
  work: (company: CompanyReader) => Promise<T>,
): Promise<T> {
  const asked = WORKER_FILTERS.filter((name) => values[name] !== undefined);
  if (asked.length === 0) return work(company);
  requireWorkersScope(scopes, asked);
  return company.atOneVersion(async (reader) => {
    const filters = Object.fromEntries(asked.map((name) => [name, values[name]]));
    return work(limitedTo(reader, new Set(await idsOf(reader, filters))));
  });
}

function noWorker(person: SignedIn): HttpProblem {
  return refusal("noWorker", { user: person.user }, person.contact);
}

/** The column with the id of the worker who owns a row; null for a kind without owners. */
function ownerColumn(kind: ListKind): "id" | "workerId" | null {
  if (kind === "workers") return "id";
  return isOwned(kind) ? "workerId" : null;
}

/** For more workers than these, the list is scanned and filtered, which is faster than an index search for each worker. */
const MANY_WORKERS = 200;

/** While few rows belong to the workers, each next read takes this many times more rows. */
const GROWTH = 4;

interface Rows<R> {
  readonly rows: readonly R[];
  readonly hasMore: boolean;
}

/** The company with only these workers and their rows. `workers`: their ids in order. */
function limitedTo(company: CompanyReader, workers: ReadonlySet<string>): CompanyReader {
  const ids: ReadonlySet<unknown> = workers;
  /** A page of the rows of these workers. */
  async function pageOfTheirs<R>(
    column: "id" | "workerId",
    page: PageQuery,
    conditions: readonly Condition[],
    read: (reader: CompanyReader, page: PageQuery, conditions: readonly Condition[]) => Promise<Rows<R>>,
    of: (row: R) => { readonly id: string; readonly owner: unknown },
  ): Promise<Rows<R>> {
    const given = conditions.find((condition) => condition.column === column && condition.is === "in");
    const wanted = given?.values.filter((id) => ids.has(id));
    const count = wanted?.length ?? workers.size;
    if (count === 0) return { rows: [], hasMore: false };
    const readTheirs = (reader: CompanyReader) =>
      read(reader, page, [
        ...conditions.filter((condition) => condition !== given),
        { column, is: "in", values: wanted ?? [...workers] },
      ]);
    if (count <= MANY_WORKERS) return readTheirs(company);
    const isBackward = page.before !== undefined;
    return company.atOneVersion(async (reader) => {
      const rows: R[] = []; // in the direction of the page
      let cursor = page.before ?? page.after;
      let scanned = 0;
      // For more than `MOST_WORKERS` ids, the whole list is scanned: no statement takes so many, and most rows belong to them.
      for (let limit = page.limit + 1; scanned < SCAN_ROWS || count > MOST_WORKERS; limit *= GROWTH) {
        const next = await read(
          reader,
          { limit: Math.min(limit, SCAN_ROWS), [isBackward ? "before" : "after"]: cursor },
          conditions,
        );
        const inOrder = isBackward ? next.rows.toReversed() : next.rows;
        rows.push(...inOrder.filter((row) => ids.has(of(row).owner)));
        if (!next.hasMore || rows.length > page.limit) {
          return trimPage(rows.slice(0, page.limit + 1), page.limit, isBackward);
        }
        scanned += limit;
        cursor = of(inOrder.at(-1)!).id; // more rows follow this one
      }
      return readTheirs(reader);
    });
  }
  return {
    async list(kind, page, conditions) {
      if (LISTS[kind].isOfCompany) return company.list(kind, page, conditions);
      const column = ownerColumn(kind);
      if (column === null) return { docs: [], ends: null, hasMore: false };
      const { rows: docs, hasMore } = await pageOfTheirs(
        column,
        page,
        conditions,
        async (reader, ...wanted) => {
          const { docs, hasMore } = await reader.list(kind, ...wanted);
          return { rows: docs, hasMore };
        },
        (doc) => {
          const id = idOf(doc);
          return { id, owner: column === "id" ? id : parsed<{ readonly workerId: string }>(doc).workerId };
        },
      );
      const [first, last] = [docs[0], docs.at(-1)];
      return { docs, ends: first && last ? { first: idOf(first), last: idOf(last) } : null, hasMore };
    },
    leave: async (page, conditions) =>
      pageOfTheirs(
        "workerId",
        page,
        conditions,
        (reader, ...wanted) => reader.leave(...wanted),
        ({ id, workerId }) => ({ id, owner: workerId }),
      ),
    workTimes: (workerIds) => company.workTimes(workerIds.filter((id) => ids.has(id))),
    atOneVersion: (work) => company.atOneVersion((reader) => work(limitedTo(reader, workers))),
    async object(kind, id) {
      const doc = await company.object(kind, id);
      if (doc === null || LISTS[kind].isOfCompany) return doc;
      const column = ownerColumn(kind);
      const object = parsed<Readonly<Record<string, unknown>>>(doc);
      return column !== null && ids.has(object[column]) ? doc : null;
    },
    balanceFacts(query) {
      const asked = query.workerIds && new Set(query.workerIds); // an id may be asked for twice
      return factsOfSome(
        company,
        query,
        [...workers].filter((id) => asked?.has(id) ?? true),
      );
    },
    about: () => company.about(),
    knownSince: () => company.knownSince(),
    lastImports: () => company.lastImports(),
    async changes() {
      throw new HttpProblem(
        "missing_scope",
        "The change feed is about all people of the company, and you may see only some: use a key of the whole company.",
      );
    },
    rowsOf: (workerId) => company.rowsOf(ids.has(workerId) ? workerId : ""),
    reported: async () => (await company.reported()).filter(({ workerId }) => ids.has(workerId)),
    async closes() {
      throw new HttpProblem(
        "missing_scope",
        "Closes are about all people of the company, and you may see only some: use a key of the whole company.",
      );
    },
    known: (revision) => limitedTo(company.known(revision), workers),
    calendarSequence: () => company.calendarSequence(),
    lastChanges: (kind, ids) => company.lastChanges(kind, ids),
  };
}

/** A page of balances of these workers, in order. Reads a few workers at a time until the page is full. */
async function factsOfSome(
  company: CompanyReader,
  query: BalanceQuery,
  workerIds: readonly string[],
): Promise<FactsPage> {
  const isBackward = query.before !== undefined;
  const at = (query.before ?? query.after)?.workerId;
  const inOrder = (isBackward ? workerIds.toReversed() : workerIds).filter(
    (id) => at === undefined || (isBackward ? id <= at : id >= at),
  );
  return company.atOneVersion(async (reader) => {
    const assignments: AssignmentWithFacts[] = []; // in the direction of the page
    for (
      let from = 0, count = query.limit + 2;
      from < inOrder.length;
      count = Math.min(count * GROWTH, PAGE_ROWS)
    ) {
      const some = inOrder.slice(from, from + count);
      const limit = query.limit + 1 - assignments.length;
      const next = (await reader.balanceFacts({ ...query, workerIds: some, limit })).assignments;
      assignments.push(...(isBackward ? next.toReversed() : next));
      if (assignments.length > query.limit) break;
      from += some.length;
    }
    const { rows, hasMore } = trimPage(assignments, query.limit, isBackward);
    return { assignments: rows, hasMore };
  });
}

/** The company as a key with `hidesReasons` sees it: every reason of a request, and why workers left, is null. */
export function withoutReasons(company: CompanyReader): CompanyReader {
  return {
    async list(kind, page, conditions) {
      const listed = await company.list(kind, page, conditions);
      if (!hasReason(kind)) return listed;
      return { ...listed, docs: listed.docs.map((doc) => withoutReason(kind, doc)) };
    },
    async object(kind, id) {
      const doc = await company.object(kind, id);
      return hasReason(kind) && doc !== null ? withoutReason(kind, doc) : doc;
    },
    balanceFacts: (query) => company.balanceFacts(query),
    workTimes: (workerIds) => company.workTimes(workerIds),
    leave: (page, conditions) => company.leave(page, conditions),
    atOneVersion: (work) => company.atOneVersion((reader) => work(withoutReasons(reader))),
    about: () => company.about(),
    knownSince: () => company.knownSince(),
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
    async rowsOf(workerId) {
      const rows = await company.rowsOf(workerId);
      const hidden = (kind: "workers" | "requests") =>
        rows[kind].map((row) => ({ ...row, doc: withoutReason(kind, row.doc) })) as never; // of that kind
      const adjustments = rows.adjustments.map((row) => ({ ...row, note: null }));
      return { ...rows, workers: hidden("workers"), requests: hidden("requests"), adjustments };
    },
    reported: () => company.reported(),
    closes: () => company.closes(),
    known: (revision) => withoutReasons(company.known(revision)),
    calendarSequence: () => company.calendarSequence(),
    lastChanges: (kind, ids) => company.lastChanges(kind, ids),
  };
}

/** By kind with reasons: an object that has null under the key of each reason. */
const HIDDEN = new Map<string, Readonly<Record<string, null>>>(
  LIST_KINDS.flatMap((kind) => {
    const names = Object.entries<Field>(LISTS[kind].fields).flatMap(([name, { isReason }]) =>
      isReason ? [name] : [],
    );
    return names.length === 0 ? [] : [[kind, Object.fromEntries(names.map((name) => [name, null]))] as const];
  }),
);

function hasReason(kind: string): boolean {
  return HIDDEN.has(kind);
}

/** The order of keys stays as it is. */
function withoutReason(kind: string, doc: string): string {
  return JSON.stringify({ ...parsed<object>(doc), ...HIDDEN.get(kind) }); // a stored object, which has the keys
}
