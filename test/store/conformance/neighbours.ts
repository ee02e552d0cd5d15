// Property: a company among others reads, counts, changes, closes and erases what it would without them, and changes nothing of theirs. Its
// neighbours come before and after it in every index; one of them has rows with the same ids and other values.
import { describe, expect, setSystemTime, test } from "bun:test";
import { type DoubtfulCode, doubtfulRows } from "../../../src/import/load/doubtful-rows.ts";
import { daySpan, lastRecords, medianMinutes } from "../../../src/import/load/gate.ts";
import { brokenMoves } from "../../../src/import/load/kinds/assignments.ts";
import { requestsInWorkersZone } from "../../../src/import/load/kinds/requests.ts";
import { workersWithoutManager } from "../../../src/import/load/prune.ts";
import { referenced } from "../../../src/import/load/references.ts";
import { CHANGE_RESOURCES } from "../../../src/resources/changes.ts";
import { LIST_KINDS, PARENT_KINDS } from "../../../src/resources/kinds.ts";
import { addRecords, forgetRecords, readRecords, replaceStates } from "../../../src/store/history.ts";
import { replaceImports } from "../../../src/store/shared-reads.ts";
import {
  type ChangePosition,
  type ImportTransaction,
  NOTHING_ERASED,
  type StoredRecord,
  StoreRefusal,
} from "../../../src/store/store.ts";
import { type Execute, KINDS, type Kind, keyOf, type RowKey, type Rows } from "../../../src/store/tables.ts";
import { makeFacts, randomOf, twinsOf } from "../../support/random-rows.ts";
import { adjustmentRow } from "../../support/rows.ts";
import {
  type AllRows,
  addCompany,
  change,
  createCompany,
  exported,
  makeFeed,
  makeHook,
  makeKey,
  putFacts,
} from "../../support/stores.ts";
import { type Engine, type OpenStore, withStore } from "./engine.ts";
import { everything, FACTS, factsIn, night, recordsOf } from "./known.ts";

const START_MS = Date.parse("2026-01-31T10:00:00Z");
const DAY_MS = 86_400_000;
const DOUBTS: readonly DoubtfulCode[] = [
  "unassigned-requests",
  "unassigned-adjustments",
  "unused-policy",
  "two-spellings",
  "opening-leave",
  "moved-leave",
  "uncovered-leave",
  "snapshot-leave",
  "unlimited-adjustment",
];

/** Rows of "acme" that are doubtful, and would be less so, or more, with those of its neighbours. */
const UNLIMITED = { ...FACTS.policies[0]!, terms: '{"isUnlimited":true}' };
const onDay = (day: number, at: number, workerId: string, policyId: string) =>
  adjustmentRow(`adj_day${day}${at}`, workerId, policyId, { day, minutes: 100 + at });
const OF_POLICY = FACTS.assignments.filter(({ policyId }) => policyId === "top_B");
const REMAINING = [
  ...OF_POLICY.map(({ workerId }, at) => onDay(19_998, at, workerId, "top_B")),
  ...FACTS.policies.flatMap(({ id }, at) => onDay(19_999, at, FACTS.requests[at]!.workerId, id)),
];

/** A move that breaks no rule, of a worker who has a third policy. */
const MOVE = FACTS.workers
  .flatMap(({ id }) => {
    const ofWorker = (policy: string) =>
      FACTS.assignments.find((row) => row.workerId === id && row.policyId === policy);
    const [from, to, third] = [ofWorker("top_B"), ofWorker("top_b"), ofWorker("top_-x")];
    if (from === undefined || to === undefined || third === undefined) return [];
    return [
      { ...from, assignedDay: 10, endsDay: 99, movesFrom: null },
      { ...to, assignedDay: 100, movesFrom: "top_B" },
    ];
  })
  .slice(0, 2);

/** A worker who is assigned to nothing, except in the company of twins. */
const UNASSIGNED = FACTS.workers.find(({ id }) =>
  FACTS.assignments.every(({ workerId }) => workerId !== id),
)!;
const TWINS = twinsOf(FACTS);
const ofTwin = FACTS.policies.map(({ id }) => ({
  ...FACTS.assignments[0]!,
  ...{ id: `toa_twin ${id}`, workerId: UNASSIGNED.id, policyId: id },
}));

/** The companies around "acme". */
const NEIGHBOURS: Readonly<Record<string, AllRows>> = {
  acm: { ...TWINS, assignments: [...ofTwin, ...TWINS.assignments] },
  "acme-2": makeFacts(12, 20),
};

/** Where the workers are who change in each company. Of the second, only the twin's manager is erased from "acme". */
const CHANGING = [2, 6] as const;

/** A schedule with the calendar of the workplace. */
const ofWorkplace = {
  ...{ workerId: FACTS.workers.find(({ workplaceId }) => workplaceId === "wkp_b")!.id, day: 19_100 },
  ...{ calendar: null, terms: '{"minutesPerWeekday":[[480,480,480,480,480,0,0]]}' },
};
/** A worker whose manager is another company's. */
const managedByNobody = {
  ...FACTS.workers[CHANGING[0]]!,
  managerId: NEIGHBOURS["acme-2"]!.workers[0]!.id,
};
const WORKER_IDS = FACTS.workers.map(({ id }) => id);
const GONE = [UNASSIGNED.id, FACTS.workers[CHANGING[0]]!.managerId!, TWINS.workers[CHANGING[1]]!.managerId!];
const CHILDREN_FIRST = KINDS.toReversed();

const theirRows = (all: AllRows, kind: Kind, workerIds: readonly string[]) =>
  (all[kind] as readonly Rows[Kind][]).filter((row) =>
    workerIds.includes(
      (kind === "workers" ? (row as Rows["workers"]).id : "workerId" in row && row.workerId) || "",
    ),
  );

/** More than are kept of a company. */
const MANY_FAILED = Array.from({ length: 120 }, (_, at) => ({ hasFailed: true, record: `{"failed":${at}}` }));

/** Removes workers with all their rows. Returns which still had some before they went. */
async function erase(
  transaction: ImportTransaction,
  all: AllRows,
  workerIds: readonly string[],
): Promise<unknown> {
  let theirs: ReadonlyMap<string, Kind> = new Map();
  for (const kind of CHILDREN_FIRST) {
    if (kind === "workers") theirs = await referenced(transaction, "workers", workerIds);
    await transaction.remove(
      kind,
      theirRows(all, kind, workerIds).map((row) => keyOf(kind, row as never)), // of the kind
    );
  }
  return [...theirs];
}

async function exportedBy<K extends Kind>(transaction: ImportTransaction, kind: K): Promise<Rows[K][]> {
  const rows: Rows[K][] = [];
  for await (const batch of transaction.scan(kind)) rows.push(...batch);
  return rows;
}

/** All that an import can ask. */
async function asked(transaction: ImportTransaction): Promise<unknown> {
  const counts = [];
  for (const kind of KINDS)
    counts.push([kind, await transaction.count(kind), await exportedBy(transaction, kind)]);
  const doubts = [];
  for (const code of DOUBTS) doubts.push([code, await doubtfulRows(transaction, code)]);
  const parents = [];
  for (const kind of PARENT_KINDS)
    parents.push([
      ...(await referenced(
        transaction,
        kind,
        FACTS[kind].map(({ id }) => id),
      )),
    ]);
  return {
    ...{ counts, doubts, parents },
    ofDays: await transaction.count("requests", [{ column: "lastDay", day: FACTS.requests[3]!.lastDay }]),
    span: await daySpan(transaction, "requests", ["firstDay", "lastDay"]),
    medians: [
      await medianMinutes(transaction, "requests", 2),
      await medianMinutes(transaction, "adjustments", 1),
    ],
    ofZone: (await requestsInWorkersZone(transaction, WORKER_IDS)).map(({ id }) => id).toSorted(),
    company: await transaction.company(),
    managers: await workersWithoutManager(transaction, 50),
    moves: await brokenMoves(transaction),
    workTimes: [...(await transaction.workTimes(WORKER_IDS))].toSorted(),
    facts: await factsIn({ balanceFacts: (query) => transaction.balanceFacts(query) }),
    before: await factsIn({ balanceFacts: (query) => transaction.balanceFactsBefore(query) }),
    closes: await transaction.closes(),
    changed: (await transaction.changedBalances()).toSorted(),
  };
}

/** All that is stored of a company, but what is random. */
async function stored({ reader, writer }: OpenStore, id: string): Promise<unknown> {
  const hooks = await writer.hooks.list(id);
  return {
    rows: await exported(writer, id),
    records: await recordsOf(writer, id),
    states: await writer.states(id),
    imports: await writer.imports(id),
    sizes: await writer.sizes(id),
    keys: [await writer.keys(id), await writer.feeds(id), hooks],
    closes: await reader.company(id).closes(),
    imported: await reader.company(id).lastImports(),
    notes: (await reader.hooks.notes(id, 0, 500))
      .map(({ type, ids }) => JSON.stringify([type, ids]))
      .toSorted(),
    newest: (await reader.hooks.newest([id])).has(id),
    lost: await Promise.all(
      hooks.map((hook) => reader.hooks.lostUntil({ ...hook, sentNumber: 0 }, START_MS + 20 * DAY_MS)),
    ),
  };
}

/** What each read gave in the life of a company among these neighbours, with the step that it came after. */
async function lifeOf(open: OpenStore, neighbours: readonly string[]): Promise<string[]> {
  const { reader, writer } = open;
  const given: string[] = [];
  let step = "";
  const give = (read: string, value: unknown) =>
    void given.push(`${step}, ${read}: ${JSON.stringify(value)}`);
  const company = reader.company("acme");

  /** Positions of the neighbours' feeds from before some of their removals. */
  const earlier: ChangePosition[] = [];
  /** All that the neighbours have. */
  const ofOthers = async () => {
    const others = [];
    for (const [at, id] of neighbours.entries()) {
      const neighbour = reader.company(id);
      const feed = await neighbour.changes({ after: earlier[at]!, resources: CHANGE_RESOURCES, limit: 500 });
      others.push(JSON.stringify([await stored(open, id), await everything(neighbour), feed]));
    }
    return others;
  };

  const feedFrom = async (from: ChangePosition | "now" | null): Promise<ChangePosition> => {
    for (let after = from; ; ) {
      const page = await company.changes({ after, resources: CHANGE_RESOURCES, limit: 100 });
      if (page === "gone") throw new Error("a position is gone");
      const { entries, hasMore, position, asOfMs } = page;
      give("feed", { entries, hasMore, asOfMs, at: { ...position, mark: "" } });
      after = position;
      if (!hasMore) return position;
    }
  };

  let position: ChangePosition | null = null;
  const moments: number[] = [];
  const lookAround = async () => {
    moments.push(Date.now());
    give("everything", await everything(company));
    give("stored", await stored(open, "acme"));
    give("about", [await company.knownSince(), await company.calendarSequence()]);
    for (const kind of LIST_KINDS) {
      const ids = FACTS[kind].map(({ id }) => id);
      const changes = [...(await company.lastChanges(kind, ids))].toSorted(([a], [b]) => (a < b ? -1 : 1));
      give(kind, [changes, await company.object(kind, ids[0]!)]);
    }
    give("rows of a worker", await company.rowsOf(WORKER_IDS[1]!));
    position = await feedFrom(position);
  };
  const lookBack = async () => {
    for (const atMs of moments.filter((_, at) => at % 3 === 0)) {
      const known = await reader.knownAt("acme", atMs);
      give("known", known);
      if (known.revision !== null) give("everything then", await everything(company.known(known.revision)));
    }
    await feedFrom(null);
  };

  /** Something that happens to the company. */
  const happens = async (name: string, work: () => Promise<unknown>) => {
    step = name;
    setSystemTime(Date.now() + DAY_MS);
    give("result", await work());
    await lookAround();
  };

  const closeAs = async (id: string, name: string) => {
    const { revision, atMs } = await reader.knownAt(id, Number.MAX_SAFE_INTEGER);
    return change(writer, id, (one) =>
      one.putClose({
        ...{ name, firstDay: 20_454, lastDay: 20_484, revision: revision!, atMs: atMs! },
        ...{
          digest: id,
          balances: 3,
          minutes: 1.5,
          ...NOTHING_ERASED,
        },
      }),
    );
  };

  /** Makes a neighbour that has something of everything. */
  const settle = async (id: string, imports: number) => {
    await addCompany(writer, id, NEIGHBOURS[id]!);
    await writer.createSecret(makeKey(`key-${id}`, id));
    await writer.createSecret(makeFeed(`feed-${id}`, id));
    await writer.createHook(makeHook(`hook-${id}`, id));
    for (let number = 1; number <= imports; number++) {
      setSystemTime(Date.now() + 1000);
      await change(writer, id, async (one) => {
        await one.updateCompany({ name: `${id} ${number}` });
        const workers = CHANGING.map((at) => NEIGHBOURS[id]!.workers[at]!);
        await one.put(
          "workers",
          workers.map((worker) => ({ ...worker, doc: `{"id":"${worker.id}","number":${number}}` })),
        );
      });
    }
    expect(await closeAs(id, "2026-01")).toBe(true);
    const [forgotten, gone] = NEIGHBOURS[id]!.requests.map((row) => keyOf("requests", row));
    const assigned = keyOf("assignments", NEIGHBOURS[id]!.assignments[0]!);
    const remove = (key: RowKey, keepRemovalsMs?: number) =>
      writer.change(id, async (one) => {
        await one.remove("requests", [key]);
        if (keepRemovalsMs !== undefined) await one.remove("assignments", [assigned]);
        return { result: 0, changed: true, commit: true, keepRemovalsMs, record: `{"made":"${id}"}` };
      });
    if (imports > 0) await remove(forgotten!, -1);
    // What is known of the other neighbour begins later than of the company.
    else
      for (const history of ["none", null]) await change(writer, id, (one) => one.updateCompany({ history }));
    // Newer imports and newer events than the company has.
    await change(writer, id, (one) => replaceImports(one, MANY_FAILED));
    await writer.createHook(makeHook(`late-${id}`, id));
    const now = await reader.company(id).changes({ after: "now", resources: CHANGE_RESOURCES, limit: 1 });
    if (now === "gone") throw new Error("a position is gone");
    earlier.push(now.position);
    await remove(gone!);
    await writer.noteFailedImport(id, `{"failed":"${id}"}`);
  };

  const [twin, late] = neighbours;
  setSystemTime(START_MS);
  if (twin !== undefined) await settle(twin, 15);
  setSystemTime(START_MS);
  await createCompany(writer, "acme");
  await writer.createSecret(makeKey("key-acme", "acme"));
  await writer.createSecret(makeFeed("feed-acme", "acme"));
  await writer.createHook(makeHook("hook-acme", "acme"));
  const beforeAll = await feedFrom("now");
  await happens("first import", () => putFacts(writer, "acme", FACTS));
  const first = position;
  const ofAcme = { companyId: "acme", facts: FACTS };
  await happens("night 1", () => night(writer, randomOf(1), 1, ofAcme));
  // The neighbours change between the company's own changes. One has more imports, the other fewer, and none as old.
  const betweenMs = START_MS + 3.6 * DAY_MS;
  setSystemTime(betweenMs);
  if (twin !== undefined)
    await night(writer, randomOf(11), 11, { companyId: twin, facts: NEIGHBOURS[twin]! });
  if (late !== undefined) await settle(late, 0);
  setSystemTime(START_MS + 2 * DAY_MS);
  await happens("night 2", () => night(writer, randomOf(2), 2, ofAcme));
  const others = await ofOthers();
  await happens("notes sent and forgotten", async () => {
    const hook = (await reader.hooks.claim("test", Date.now())).find(
      ({ companyId }) => companyId === "acme",
    )!;
    const newest = (await reader.hooks.newest()).get("acme")!;
    await reader.hooks.save("test", hook, { ...hook, sentNumber: newest });
    await reader.hooks.forget(Date.now());
    await reader.hooks.release("test");
  });
  await happens("close", () => closeAs("acme", "2026-01"));
  await happens("staged import", () =>
    writer.stage("acme", async (session) => {
      const read: unknown[] = [await session.count("requests"), await session.company()];
      read.push(await lastRecords(session, 100));
      await session.requireUnchanged();
      return session.hold(async (transaction) => {
        const renamed = { ...FACTS.workers[CHANGING[1]]!, doc: `{"id":"${FACTS.workers[CHANGING[1]]!.id}"}` };
        await transaction.put("workers", [managedByNobody, renamed]);
        await transaction.put("policies", [UNLIMITED]);
        await transaction.put("assignments", MOVE);
        await transaction.put("schedules", [ofWorkplace]);
        await transaction.put("adjustments", REMAINING);
        const [holiday] = FACTS.holidays;
        await transaction.put("holidays", [{ ...holiday!, minutes: 60 }]);
        // What is removed and comes back is not removed: one of these is gone from a neighbour.
        const requests = (await exportedBy(transaction, "requests")).slice(0, 9);
        await transaction.remove(
          "requests",
          requests.map((row) => keyOf("requests", row)),
        );
        await transaction.put("requests", requests);
        read.push(await asked(transaction));
        return { result: read, changed: true, commit: true, record: '{"made":"acme"}' };
      });
    }),
  );
  await happens("a holiday of a calendar that only others have", () =>
    change(writer, "acme", async (one) => {
      const twins = { id: "hol_Twins", legacyId: null, calendar: "Twins" };
      await one.put("holidays", [{ ...FACTS.holidays[0]!, ...twins }]);
      return one.changedBalances();
    }),
  );
  await happens("erasure", async () => {
    await writer.noteFailedImport("acme", '{"failed":"acme"}');
    const all = await exported(writer, "acme");
    return change(writer, "acme", (one) => erase(one, all, GONE));
  });
  await lookBack();
  await feedFrom(beforeAll); // it names the workers who have balances, too
  await happens("close removed", () => change(writer, "acme", (one) => one.removeClose("2026-01")));
  const states = await writer.states("acme");
  await happens("records replaced", () =>
    change(writer, "acme", async (one) => {
      await replaceImports(one, [{ hasFailed: false, record: '{"copied":1}' }]);
      const kept: { table: string; rows: readonly StoredRecord[] }[] = [];
      const execute: Execute = (query) => one.run(query);
      await replaceStates(execute, "acme", states);
      await readRecords(execute, "acme", async (table, rows) => void kept.push({ table, rows }));
      await forgetRecords(execute, "acme");
      for (const { table, rows } of kept) await addRecords(execute, "acme", table, rows);
      return kept;
    }),
  );
  await happens("old removals forgotten", () =>
    writer.change("acme", async (one) => {
      await one.updateCompany({ timeZone: "Asia/Tokyo" });
      const [worker] = FACTS.workers;
      await one.put("workers", [{ ...worker!, doc: `{"id":"${worker!.id}","last":1}` }]);
      return {
        result: 0,
        changed: true,
        commit: true,
        keepRemovalsMs: Date.now() - (START_MS + 2.5 * DAY_MS),
      };
    }),
  );
  give(
    "feed from the first position",
    await company.changes({ after: first, resources: ["requests"], limit: 1 }),
  );
  setSystemTime(Date.now() + 40 * DAY_MS);
  await happens("a month of history", () =>
    change(writer, "acme", (one) => one.updateCompany({ history: "1mo" })),
  );
  await lookBack();
  await happens("no history", () => change(writer, "acme", (one) => one.updateCompany({ history: "none" })));
  position = null;
  await happens("deleted and made again", async () => {
    await writer.deleteCompany("acme");
    await expect(exported(writer, "acme")).rejects.toThrow(StoreRefusal);
    give("nothing", [await company.about(), await company.lastImports(), await company.knownSince()]);
    await createCompany(writer, "acme");
  });
  expect(await ofOthers()).toEqual(others);
  // Of notes that are given up, each company keeps its newest.
  await reader.hooks.forget(Date.now());
  for (const id of neighbours) expect(await reader.hooks.notes(id, 0, 500)).toHaveLength(1);
  // Their history goes on.
  for (const id of neighbours) {
    const { revision } = await reader.knownAt(id, Date.now());
    const before = await everything(reader.company(id));
    setSystemTime(Date.now() + DAY_MS);
    await night(writer, randomOf(20), 20, { companyId: id, facts: NEIGHBOURS[id]! });
    expect(await everything(reader.company(id).known(revision!))).toEqual(before);
  }
  return given;
}

export function neighbours(engine: Engine): void {
  describe("a company among others", () => {
    test("reads, counts, changes, closes and erases as if it were alone, and changes nothing of theirs", async () => {
      try {
        const lives: string[][] = [];
        for (const around of [[], Object.keys(NEIGHBOURS)])
          await withStore(engine, async (open) => void lives.push(await lifeOf(open, around)));
        const [alone, among] = lives;
        const different = among!.findIndex((read, at) => read !== alone![at]);
        expect(among![different]).toBe(alone![different]!);
        expect(among).toHaveLength(alone!.length);
      } finally {
        setSystemTime();
      }
    });
  });
}
