// Finds workers and policies by name. The names that a caller may see are indexed once for each version of the company, so that no call
// reads the whole list.
import { LRUCache } from "lru-cache";
import type { Policy, Rollcall, Worker } from "../client/index.ts";
import { fold } from "../fold.ts";
import { isFamilyFirst } from "../full-name.ts";
import { emailSchema } from "../resources/cells.ts";
import { quoted, ToolProblem } from "./arguments.ts";

export interface IndexedWorker {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string | null;
  readonly status: Worker["status"];
  readonly endDate: Worker["endDate"];
  /** Every full or given name, folded, one a line, with a line break before and after each. */
  readonly names: string;
}

/** By id, in the order of ids. */
type WorkerIndex = ReadonlyMap<string, IndexedWorker>;

/** The most workers in all indexes together, which need less than 100 MB. A larger company has the cache to itself. */
const INDEXED_MAX = 200_000;

// Keyed by view and version. Failed reads are not cached, and simultaneous callers share one read.
const workersCache = new LRUCache<string, WorkerIndex, Rollcall>({
  maxSize: INDEXED_MAX,
  sizeCalculation: (index) => Math.min(index.size + 1, INDEXED_MAX),
  fetchMethod: (_key, _stale, { context }) => indexWorkers(context),
  ignoreFetchAbort: true,
});

/** How many people an error lists. */
const LISTED = 10;

/** Finds the workers and policies that a call names. Raises ToolProblem for a name with no match or several. */
export class CompanyNames {
  readonly #key: string;
  /** All policies by `knownOn`, undefined for now. Each list is read at most once; there are few policies. */
  readonly #policies = new Map<string | undefined, Promise<readonly Policy[]>>();
  #companyZone: Promise<string | null> | null = null;

  /** The names in a view of a company at a version. `client` must read just that view, because the view's callers share the result. */
  constructor(
    view: string,
    version: string,
    readonly client: Rollcall,
  ) {
    this.#key = `${view} ${version}`;
  }

  /** All workers whose names have a word beginning with each word of `name`, in the order of ids. */
  async search(name: string): Promise<IndexedWorker[]> {
    const words = folded(name).split(" ");
    const fits = ({ names }: IndexedWorker) =>
      words.every((word) => word !== "" && (names.includes(`\n${word}`) || names.includes(` ${word}`)));
    return [...(await this.#workers()).values()].filter(fits);
  }

  /** Null if an import just removed or added the worker. */
  async worker(id: string): Promise<IndexedWorker | null> {
    return (await this.#workers()).get(id) ?? null;
  }

  /** The worker with this id, work address or source id; or the only one with this name. */
  async workerMeant(text: string): Promise<IndexedWorker> {
    const byId = await this.#workers();
    const known = byId.get(text);
    if (known !== undefined) return known;
    const name = folded(text);
    const named = [...byId.values()].filter(({ names }) => names.includes(`\n${name}\n`));
    const isAddress = emailSchema.safeParse(text).success;
    const filter = isAddress ? { workEmail: text } : { legacyIds: [text] };
    const { data } = await this.client.workers.list(filter).page({ limit: LISTED });
    const workers = new Map(named.map((worker) => [worker.id, worker]));
    for (const worker of data) workers.set(worker.id, byId.get(worker.id) ?? indexed(worker));
    const [only, ...others] = workers.values();
    if (only === undefined)
      throw new ToolProblem(
        `Nobody is called ${quoted(text)}, or has it as work address or id: look with find_people.`,
      );
    if (others.length > 0) throw new ToolProblem(await this.#several(text, [only, ...others]));
    return only;
  }

  /** The policy as it is now, or as it was known at `knownOn`; null if there was none. */
  async policy(id: string, knownOn?: string): Promise<Policy | null> {
    return (await this.policies(knownOn)).find((policy) => policy.id === id) ?? null;
  }

  /** Every policy, in the order of ids. */
  policies(knownOn?: string): Promise<readonly Policy[]> {
    const read = this.#policies.get(knownOn) ?? this.client.policies.list({ knownOn }).toArray();
    this.#policies.set(knownOn, read);
    return read;
  }

  /** The time zone of workers that have none of their own; null for UTC. */
  companyZone(): Promise<string | null> {
    this.#companyZone ??= this.client.company().then(({ timeZone }) => timeZone);
    return this.#companyZone;
  }

  /** The policies with this id, source id or name, including those that existed at `knownOn`. Several may have the same name. */
  async policiesMeant(text: string, knownOn?: string): Promise<readonly Policy[]> {
    const now = await this.policies();
    const ids = new Set(now.map(({ id }) => id));
    const policies = [...now, ...(await this.policies(knownOn)).filter(({ id }) => !ids.has(id))];
    const known = policies.filter(({ id }) => id === text);
    const name = folded(text);
    const isCalled = (policy: Policy) =>
      [policy.name, policy.legacyId ?? policy.name].map(folded).includes(name);
    const matching = known.length > 0 ? known : policies.filter(isCalled);
    if (matching.length > 0) return matching;
    throw noneCalled(
      "policy",
      text,
      [...new Set(policies.map(({ name }) => name))],
      " (list_policies has all)",
    );
  }

  async #several(text: string, workers: readonly IndexedWorker[]): Promise<string> {
    return `${quoted(text)} fits ${workers.length} people: give the id of the person.\n${await this.#lines(workers)}`;
  }

  /** Lines that tell people of the same name apart. */
  async #lines(workers: readonly IndexedWorker[]): Promise<string> {
    const shown = await Promise.all(
      workers.slice(0, LISTED).map(async ({ id, name, status }) => {
        const { department, workEmail } = await this.client.workers.retrieve(id);
        return [id, quoted(name), quoted(department?.name ?? null), quoted(workEmail), status].join(" | ");
      }),
    );
    const lines = ["id | name | department | work email | status", ...shown];
    if (workers.length > LISTED) lines.push(`and ${workers.length - LISTED} more`);
    return lines.join("\n");
  }

  #workers(): Promise<WorkerIndex> {
    return workersCache.forceFetch(this.#key, { context: this.client });
  }
}

/** The error for a name that no object of this kind has. `more` says how to get the names that the error leaves out. */
export function noneCalled(
  kind: string,
  text: string | undefined,
  names: readonly string[],
  more = "",
): ToolProblem {
  const listed = names.slice(0, LISTED).map(quoted).join(", ");
  const all = names.length === 0 ? "there are none" : `there are ${listed}`;
  return new ToolProblem(
    `No ${kind} is called ${quoted(text)}: ${all}${names.length > LISTED ? `, …${more}` : ""}.`,
  );
}

async function indexWorkers(client: Rollcall): Promise<WorkerIndex> {
  const byId = new Map<string, IndexedWorker>();
  for await (const page of client.workers.list().pages()) {
    for (const worker of page.data) byId.set(worker.id, indexed(worker));
    await nextTurn();
  }
  return byId;
}

/** On the embedded store a page itself never waits, so let other requests run here. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function indexed(worker: Worker): IndexedWorker {
  const { id, displayName, timeZone, status, endDate } = worker;
  const names = `\n${[...namesOf(worker)].join("\n")}\n`;
  return { id, name: displayName, timeZone, status, endDate, names };
}

/** All names of a worker, folded: full names and given names. */
function namesOf({ displayName, firstName, lastName, preferredName, businessName }: Worker): Set<string> {
  const first = folded(firstName);
  const last = folded(lastName);
  const given = [first, first.split(" ")[0]!, folded(preferredName ?? "")].filter((name) => name !== "");
  const whole = last === "" ? [] : given.flatMap((name) => [`${name} ${last}`, `${last} ${name}`]);
  const names = new Set([folded(displayName), folded(businessName ?? ""), ...given, ...whole]);
  names.delete("");
  // 山田 太郎 is mostly written without the space.
  for (const name of [...names]) if (isFamilyFirst(name)) names.add(name.replaceAll(" ", ""));
  return names;
}

/** A name in the form that is compared: without case, accents, commas and repeated spaces. */
export const folded = (name: string) =>
  fold(name)
    .replaceAll(/[\s,]+/g, " ")
    .trim();
