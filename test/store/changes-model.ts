// A model of the change feed: random imports, restores, companies made again and clocks set to other days, and consumers that
// read pages of random sizes meanwhile, some of them twice. Whenever the feed says that a copy is complete, it must equal the
// rows that are stored; so must what balances are computed from, where a consumer has fetched again what the feed named.
import { expect, setSystemTime } from "bun:test";
import { CHANGE_RESOURCES, type ChangeResource } from "../../src/resources/changes.ts";
import { LISTS, type ListKind } from "../../src/resources/kinds.ts";
import type { ChangePosition, ChangesPage, Contents, ReadStore, WriteStore } from "../../src/store/store.ts";
import { KINDS, type Kind, keyOf, type Rows } from "../../src/store/tables.ts";
import { restoreContents } from "../../src/store/transfer/copy.ts";
import { makeFacts, randomOf } from "../support/random-rows.ts";
import { type AllRows, createCompany, exported } from "../support/stores.ts";
import { type Engine, type StoreLocation, withStore } from "./conformance/engine.ts";
import { workTimeOf } from "./conformance/model.ts";

const LIST_KINDS = Object.keys(LISTS) as ListKind[]; // the keys of LISTS are the kinds
const CHILDREN_FIRST = KINDS.toReversed();
const DAY_MS = 86_400_000;
const COMPANY = "acme";

interface World {
  readonly location: StoreLocation;
  readonly writer: WriteStore;
  readonly reader: ReadStore;
  readonly random: (below: number) => number;
  /** Every row that may ever be stored. */
  readonly universe: AllRows;
  serial: number;
  backup: Contents | null;
}

type AnyRow = Rows[Kind];

/** Whether the row is a child of one of these workers or policies. */
function refersTo(row: object, ids: ReadonlySet<string>): boolean {
  const { workerId = "", policyId = "" } = row as { workerId?: string; policyId?: string }; // some kinds have them
  return ids.has(workerId) || ids.has(policyId);
}

/** Another version of the row: of its object, of what balances are computed from, or of nothing. */
function changed(world: World, kind: Kind, row: AnyRow): AnyRow {
  const { random } = world;
  const number = ++world.serial;
  const doc = "doc" in row && random(3) > 0 ? { doc: JSON.stringify({ id: row.id, number }) } : {};
  if (random(4) === 0) return { ...row, ...doc } as AnyRow; // of its own kind
  const facts: { [K in Kind]?: Partial<Rows[K]>[] } = {
    departments: [{ name: `${number}` }],
    workplaces: [{ name: `${number}` }],
    holidays: [{ minutes: number }, { calendar: `${number}` }],
    workers: [{ legacyId: `${"id" in row ? row.id : ""} ${number}` }, { endDay: number }, { terms: null }],
    policies: [{ terms: `{"number":${number}}` }],
    policy_changes: [{ terms: `{"minutesPerPeriod":${number}}` }],
    assignments: [{ assignedDay: number }, { endsDay: null }, { movesFrom: null }],
    requests: [
      { minutes: number },
      { status: "denied" },
      { status: "approved" },
      { firstDay: number },
      { timeZone: null },
    ],
    adjustments: [{ minutes: number }, { note: `${number}` }],
    work_hours: [{ minutes: number }],
    schedules: [{ terms: null }, { calendar: `${number}` }],
    openings: [{ minutes: number }, { carriedMinutes: number }],
    reported: [{ minutes: number }],
  };
  const some: readonly object[] = facts[kind] ?? [{}];
  return { ...row, ...doc, ...some[random(some.length)] } as AnyRow; // of its own kind
}

const parts = ["change", "add", "remove", "replace", "same"] as const;

/** One import of a few random parts. Says whether it may have changed anything. */
async function importSome(world: World): Promise<void> {
  const { writer, random, universe } = world;
  const before = await exported(writer, COMPANY);
  const wanted = Array.from({ length: 1 + random(3) }, () => parts[random(parts.length)]!);
  const isIdle = wanted.every((part) => part === "same");
  const positionBefore = await now(world);
  const versionBefore = await world.reader.version(COMPANY);
  await writer.change(COMPANY, async (transaction) => {
    for (const part of wanted) {
      const gone = new Set<string>();
      const isTaken = () => random(4) === 0;
      if (part === "remove" || part === "replace") {
        for (const kind of ["workers", "policies"] as const)
          for (const row of before[kind]) if (random(8) === 0) gone.add(row.id);
      }
      for (const kind of part === "remove" ? CHILDREN_FIRST : KINDS) {
        const stored: readonly AnyRow[] = before[kind];
        const keys = (rows: readonly AnyRow[]) => rows.map((row) => keyOf(kind, row as never)); // of the kind
        const put = (rows: readonly AnyRow[]) => transaction.put(kind, rows as never); // of the kind
        const there = stored.filter((_, at) => at >= 0);
        if (part === "same") await put(there.filter(isTaken));
        if (part === "change") {
          const some = there.filter(isTaken).map((row) => changed(world, kind, row));
          await put(some);
          before[kind] = there.map(
            (row) =>
              some.find((one) => String(keyOf(kind, one as never)) === String(keyOf(kind, row as never))) ??
              row,
          ) as never; // of the kind
        }
        if (part === "add") {
          const known = new Set(keys(there).map(String));
          const parents = new Set([...before.workers, ...before.policies].map(({ id }) => id));
          const missing = (universe[kind] as readonly AnyRow[]).filter((row) => {
            const { workerId, policyId } = row as { workerId?: string; policyId?: string }; // some kinds have them
            const hasParents = [workerId, policyId].every((id) => id === undefined || parents.has(id));
            return hasParents && !known.has(String(keyOf(kind, row as never))) && random(2) === 0;
          });
          await put(missing);
          before[kind] = [...there, ...missing] as never; // of the kind
        }
        if (part === "remove") {
          const isParent = kind === "workers" || kind === "policies";
          const leaf = kind === "requests" || kind === "adjustments" || kind === "work_hours";
          const some = there.filter(
            (row) =>
              (isParent && gone.has((row as { id: string }).id)) ||
              refersTo(row, gone) ||
              (leaf && isTaken()),
          );
          await transaction.remove(kind, keys(some));
          before[kind] = there.filter((row) => !some.includes(row)) as never; // of the kind
        }
        if (part === "replace") {
          // As a copy does: stale rows are removed, parents first, and then put in another version.
          const some = there.filter((row) => gone.has((row as { id?: string }).id ?? "") || isTaken());
          await transaction.remove(kind, keys(some));
          const others = some.map((row) => changed(world, kind, row));
          await put(others);
          before[kind] = [...there.filter((row) => !some.includes(row)), ...others] as never; // of the kind
        }
      }
    }
    const keep = [undefined, undefined, undefined, 0, 5 * DAY_MS][random(5)];
    return { result: null, changed: !isIdle, commit: random(12) > 0, keepRemovalsMs: keep };
  });
  if (!isIdle) return;
  expect(await now(world)).toEqual(positionBefore);
  expect(await world.reader.version(COMPANY)).toBe(versionBefore);
}

async function now({ reader }: World): Promise<ChangePosition> {
  const page = await reader.company(COMPANY).changes({ after: "now", resources: CHANGE_RESOURCES, limit: 1 });
  return (page as ChangesPage).position; // `now` is never gone
}

/** What the store holds, to be restored later. */
async function takeBackup({ writer }: World): Promise<Contents> {
  const companies = await writer.companies();
  const rows = await exported(writer, COMPANY);
  return {
    companies: async () => companies,
    imports: async () => [],
    keys: async () => [],
    feeds: async () => [],
    states: async () => [],
    records: async () => {},
    async export(_id, visit) {
      for (const kind of KINDS) if (rows[kind].length > 0) await visit(kind, rows[kind] as never); // of the kind
    },
  };
}

/** What each balance is computed from, by worker and policy. */
function balancesOf(rows: AllRows): Map<string, string> {
  const workers = new Map(rows.workers.map((row) => [row.id, row]));
  const policies = new Map(rows.policies.map((row) => [row.id, row]));
  const own = (
    list: readonly { workerId: string; policyId?: string }[],
    workerId: string,
    policyId: string,
  ) => list.filter((row) => row.workerId === workerId && (row.policyId ?? policyId) === policyId);
  const all = new Map(
    rows.assignments.map(({ workerId, policyId, assignedDay, endsDay, terms, movesFrom }) => {
      const worker = workers.get(workerId);
      const requests = rows.requests
        .filter((row) => row.workerId === workerId && row.policyId === policyId && row.status !== "denied")
        .map(({ status, firstDay, lastDay, minutes, terms }) => [status, firstDay, lastDay, minutes, terms]);
      const adjustments = rows.adjustments
        .filter((row) => row.workerId === workerId && row.policyId === policyId)
        .map(({ day, minutes }) => [day, minutes]);
      const of = [
        worker?.legacyId,
        worker?.startDay,
        worker?.endDay,
        worker?.terms,
        policies.get(policyId)?.terms,
      ];
      const facts = [
        assignedDay,
        endsDay,
        terms,
        movesFrom,
        of,
        requests,
        adjustments,
        own(rows.work_hours, workerId, policyId),
        workTimeOf(rows, workerId, false),
      ];
      return [`${workerId} ${policyId}` as string, { facts, before: `${workerId} ${movesFrom}` }];
    }),
  );
  /** With those of the balances that moved there. */
  const withFormer = (pair: string): readonly unknown[] => {
    const balance = all.get(pair);
    return balance === undefined ? [] : [...balance.facts, ...withFormer(balance.before)];
  };
  return new Map([...all.keys()].map((pair) => [pair, JSON.stringify(withFormer(pair))]));
}

/** A consumer that keeps a copy. */
class Consumer {
  #position: ChangePosition | null = null;
  readonly #copy = new Map<string, string>();
  #balances = new Map<string, string>();
  restarts = 0;
  completions = 0;

  constructor(readonly resources: readonly ChangeResource[]) {}

  /** Reads one page. `isKilled`: it is applied, and its position is not stored. */
  async read(world: World, isKilled: boolean): Promise<boolean> {
    const limit = 1 + world.random(25);
    const query = { after: this.#position, resources: this.resources, limit };
    const page = await world.reader.company(COMPANY).changes(query);
    if (page === "gone") {
      this.#position = null;
      this.restarts++;
      return false;
    }
    if (this.#position === null) this.#copy.clear(); // from the beginning, what is not sent is dropped
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    await this.#apply(world, page, this.#position === null);
    if (isKilled) return false;
    this.#position = page.position;
    if (page.hasMore) return false;
    await this.#expectComplete(world);
    this.completions++;
    return true;
  }

  async #apply({ writer }: World, { entries }: ChangesPage, isFirst: boolean): Promise<void> {
    const current = balancesOf(await exported(writer, COMPANY));
    if (isFirst) this.#balances = new Map(current); // fetched once, after the first page
    for (const { resource, id, removed, doc } of entries) {
      expect(this.resources).toContain(resource);
      if (resource === "balances") {
        expect([removed, doc]).toEqual([false, null]);
        const isOfIt = (pair: string) => pair.split(" ").includes(id);
        for (const pair of this.#balances.keys()) if (isOfIt(pair)) this.#balances.delete(pair);
        for (const [pair, facts] of current) if (isOfIt(pair)) this.#balances.set(pair, facts);
      } else if (removed) this.#copy.delete(`${resource} ${id}`);
      else this.#copy.set(`${resource} ${id}`, Buffer.from(doc!).toString());
    }
  }

  async #expectComplete({ writer }: World): Promise<void> {
    const rows = await exported(writer, COMPANY);
    const kinds = LIST_KINDS.filter((kind) => this.resources.includes(kind));
    const stored = kinds.flatMap((kind) =>
      rows[kind].map((row) => [`${kind} ${row.id}`, row.doc] as [string, string]),
    );
    expect([...this.#copy].sort()).toEqual(stored.sort());
    if (this.resources.includes("balances"))
      expect([...this.#balances].sort()).toEqual([...balancesOf(rows)].sort());
  }
}

export interface ModelRun {
  readonly imports: number;
  readonly pages: number;
  readonly completions: number;
  readonly restarts: number;
}

/** Random runs, one for each seed, with a new company each, in one store. */
export async function runModels(engine: Engine, seeds: readonly number[], steps: number): Promise<ModelRun> {
  const counts = { imports: 0, pages: 0, completions: 0, restarts: 0 };
  await withStore(engine, async (open) => {
    for (const seed of seeds) {
      try {
        const one = await runModel(open, seed, steps);
        for (const name of Object.keys(counts) as (keyof ModelRun)[]) counts[name] += one[name]; // its keys
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      } finally {
        setSystemTime();
      }
      await open.writer.deleteCompany(COMPANY);
    }
  });
  return counts;
}

async function runModel(
  { location, writer, reader }: Pick<World, "location" | "writer" | "reader">,
  seed: number,
  steps: number,
): Promise<ModelRun> {
  const random = randomOf(seed);
  const counts = { imports: 0, pages: 0, completions: 0, restarts: 0 };
  const universe = makeFacts(seed, 4);
  const world: World = { location, writer, reader, random, universe, serial: 30_000, backup: null };
  await createCompany(writer, COMPANY);
  const some = CHANGE_RESOURCES.filter(() => random(2) === 0);
  const consumers = [CHANGE_RESOURCES, some.length === 0 ? (["workers"] as const) : some].map(
    (resources) => new Consumer(resources),
  );
  for (let step = 0; step < steps; step++) {
    const what = random(40);
    if (what < 10) {
      await importSome(world);
      counts.imports++;
    } else if (what === 10) setSystemTime(new Date(Date.UTC(2026, 0, 1) + random(400) * DAY_MS));
    else if (what === 11) world.backup = await takeBackup(world);
    else if (what === 12 && world.backup !== null) {
      const { backup } = world;
      await location.store.replace((transaction) => restoreContents(transaction, backup, () => {}), {});
    } else if (what === 13 && random(3) === 0) {
      await writer.deleteCompany(COMPANY);
      await createCompany(writer, COMPANY);
    } else {
      await consumers[random(consumers.length)]!.read(world, random(6) === 0);
      counts.pages++;
    }
  }
  for (const consumer of consumers) {
    while (!(await consumer.read(world, false))) counts.pages++;
    counts.completions += consumer.completions;
    counts.restarts += consumer.restarts;
  }
  return counts;
}
