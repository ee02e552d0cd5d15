// Property: a company whose nights, history, closes and place change at random, by copies and restores between both engines, always
// knows what a plain model knows. Each moment that is kept gives what was read then; another one names the first that is kept. Whoever
// follows the change feed has the objects and balances of the store, or is told to start anew. docs/record.md says what is kept.
import { afterAll, expect, setSystemTime, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readFacts } from "../../../src/balance-facts.ts";
import { CHANGE_RESOURCES } from "../../../src/resources/changes.ts";
import { LIST_KINDS } from "../../../src/resources/kinds.ts";
import { type ChangePosition, NOTHING_ERASED } from "../../../src/store/store.ts";
import { copyCompany } from "../../../src/store/transfer/copy.ts";
import { addMonths, DAY_MS, utcDayOf } from "../../../src/time/day.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { randomOf } from "../../support/random-rows.ts";
import { addCompany, change, exported } from "../../support/stores.ts";
import type { OpenStore } from "../conformance/engine.ts";
import { ENGINES } from "../conformance/engines.ts";
import { everything, FACTS, night } from "../conformance/known.ts";
import { backUp, restore } from "./store-folder.ts";

interface Revision {
  readonly number: number;
  readonly atMs: number;
  /** All that could be read then. */
  readonly given: string;
}

/** What a store keeps. It moves with the company. */
interface Kept {
  readonly revisions: readonly Revision[];
  /** The revision of each close. */
  readonly closes: ReadonlyMap<string, number>;
  readonly history: string;
}

const readAll = async ({ reader }: OpenStore, revision: number | null = null) =>
  JSON.stringify(await everything(reader.company("acme", undefined, revision)));

/** What is kept after a change, which makes a revision. */
async function after(store: OpenStore, kept: Kept): Promise<Kept> {
  const last = kept.revisions.at(-1);
  const [number, nowMs] = [(last?.number ?? 0) + 1, Date.now()];
  const revisions = [...kept.revisions, { number, atMs: nowMs, given: await readAll(store) }];
  const today = utcDayOf(nowMs);
  const months = kept.history === "none" ? 0 : Number.parseInt(kept.history, 10);
  const fromMs =
    kept.history === "forever" ? -Infinity : nowMs - (today - addMonths(today, -months)) * DAY_MS;
  const first = revisions.findLast(({ atMs }) => atMs <= fromMs)?.number ?? 0;
  const closed = new Set(kept.closes.values());
  return { ...kept, revisions: revisions.filter(({ number }) => number >= first || closed.has(number)) };
}

async function expectKept(store: OpenStore, { revisions }: Kept, isRead: () => boolean): Promise<void> {
  const first = revisions.findLast(({ number }, at) => revisions[at - 1]?.number !== number - 1)!;
  expect(await store.reader.company("acme").knownSince()).toBe(first.atMs);
  for (const atMs of revisions.flatMap((revision) => [revision.atMs - 1, revision.atMs])) {
    const isKnown = (revision: Revision) => revision.number >= first.number && revision.atMs <= atMs;
    const expected = revisions.findLast((revision) => revision.atMs === atMs || isKnown(revision));
    const { revision, firstMs } = await store.reader.knownAt("acme", atMs);
    expect([revision, firstMs]).toEqual([expected?.number ?? null, first.atMs]);
    if (expected !== undefined && isRead()) expect(await readAll(store, revision)).toBe(expected.given);
  }
}

/** Keeps a copy by the change feed alone, of whichever store the company is in. */
class Follower {
  #position: ChangePosition | null = null;
  #objects = new Map<string, string>();
  #balances = new Map<string, string>();
  restarts = 0;

  async follow(store: OpenStore): Promise<void> {
    const balances = await balancesOf(store);
    if (this.#position === null) this.#balances = new Map(balances);
    for (let hasMore = true; hasMore; ) {
      const query = { after: this.#position, resources: CHANGE_RESOURCES, limit: 13 };
      const page = await store.reader.company("acme").changes(query);
      if (page === "gone") {
        this.restarts++;
        this.#position = null;
        [this.#objects, this.#balances] = [new Map(), new Map(balances)];
        continue;
      }
      for (const { resource, id, doc } of page.entries) {
        if (resource === "balances") this.#fetch(id, balances);
        else if (doc === null) this.#objects.delete(id);
        else this.#objects.set(id, doc);
      }
      this.#position = page.position;
      hasMore = page.hasMore;
    }
    const rows = await exported(store.writer, "acme");
    const stored = LIST_KINDS.flatMap((kind) => rows[kind].map(({ id, doc }) => [id, doc] as const));
    expect([...this.#objects].sort()).toEqual(stored.toSorted() as [string, string][]);
    expect([...this.#balances].sort()).toEqual([...balances].sort());
  }

  /** Fetches the balances of a worker or a policy again. */
  #fetch(id: string, balances: ReadonlyMap<string, string>): void {
    const isOfIt = (pair: string) => pair.split(" ").includes(id);
    for (const pair of this.#balances.keys()) if (isOfIt(pair)) this.#balances.delete(pair);
    for (const [pair, facts] of balances) if (isOfIt(pair)) this.#balances.set(pair, facts);
  }
}

/** What each balance is computed from, by worker and policy. The order within lists has no meaning. */
async function balancesOf({ reader }: OpenStore): Promise<ReadonlyMap<string, string>> {
  const { assignments } = await readFacts(reader.company("acme"), { limit: 1000, withIds: true });
  const inOrder = (_name: string, value: unknown) =>
    Array.isArray(value) && typeof value[0] === "object"
      ? value.map((entry) => JSON.stringify(entry)).sort()
      : value;
  return new Map(
    assignments.map(({ workerId, policyId, facts }) => [
      `${workerId} ${policyId}`,
      JSON.stringify(facts, inOrder),
    ]),
  );
}

afterAll(() => void setSystemTime());

test("what was known, closes and the change feed go along, whatever moves the company", async () => {
  const random = randomOf(12);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const folder = mkdtempSync(join(fastFolder(), "rollcall-moves-"));
  const stores = [await ENGINES[0]!.openStore(), await ENGINES[1]!.openStore()];
  const backups: { readonly file: string; readonly kept: Kept }[] = [];
  const follower = new Follower();
  setSystemTime(Date.parse("2026-01-31T10:00:00Z"));
  let store = stores[0]!;
  await addCompany(store.writer, "acme", FACTS);
  let kept = await after(store, { revisions: [], closes: new Map(), history: "25mo" });
  const steps: ((name: string) => Promise<void>)[] = [
    async () => {
      await night(store.writer, random, random(1000));
      kept = await after(store, kept);
    },
    async () => {
      const history = pick(["none", "forever", "1mo", "3mo", "60mo"]);
      await change(store.writer, "acme", (one) => one.updateCompany({ history }));
      kept = await after(store, { ...kept, history });
    },
    async (name) => {
      const { revision, atMs } = await store.reader.knownAt("acme", Number.MAX_SAFE_INTEGER);
      const days = { firstDay: 20_454, lastDay: 20_484, revision: revision!, atMs: atMs! }; // there was an import
      const figures = { digest: "ab", balances: 1, minutes: 1 };
      await change(store.writer, "acme", (one) =>
        one.putClose({ name, ...days, ...figures, ...NOTHING_ERASED }),
      );
      kept = await after(store, { ...kept, closes: new Map([...kept.closes, [name, revision!]]) });
    },
    async () => {
      const [name] = pick([...kept.closes]) ?? [""];
      await change(store.writer, "acme", (one) => one.removeClose(name));
      kept = await after(store, {
        ...kept,
        closes: new Map([...kept.closes].filter(([other]) => other !== name)),
      });
    },
    async () => {
      const [company] = await store.writer.companies();
      const target = stores.find((other) => other !== store)!;
      await copyCompany(store.writer, { store: target.writer, touchKeys: async () => {} }, company!);
      store = target;
    },
    async (name) => {
      const file = join(folder, `${name}.backup`);
      await backUp(store.location.address, file);
      backups.push({ file, kept });
    },
    async () => {
      const backup = pick(backups);
      if (backup === undefined) return;
      store = pick(stores);
      await restore(backup.file, store.location.address);
      kept = backup.kept;
    },
  ];
  try {
    for (let step = 0; step < 30; step++) {
      setSystemTime(Date.now() + (1 + random(25)) * DAY_MS);
      await pick([steps[0]!, ...steps])(`step-${step}`);
      if (random(3) > 0) await follower.follow(store);
      await expectKept(store, kept, () => random(4) === 0);
    }
    await follower.follow(store);
    expect(follower.restarts).toBeGreaterThan(2);
    expect(kept.revisions.length).toBeGreaterThan(2);
  } finally {
    for (const { close } of stores) await close();
    rmSync(folder, { recursive: true });
  }
}, 120_000);
