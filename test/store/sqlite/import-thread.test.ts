// A large first import is stored by another thread: it must do and say what one without a thread does.
import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { rowOf } from "../../../src/resources/registry.ts";
import { THREAD_ENTRY } from "../../../src/store/sqlite/thread/start.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import {
  DuplicateRows,
  type ImportTransaction,
  type StoreImportOptions,
  StoreRefusal,
  StoreUnavailable,
  type WriteStore,
} from "../../../src/store/store.ts";
import { FACT_KINDS, type FactKind, type Rows, TABLES } from "../../../src/store/tables.ts";
import { packRows, unpackRows } from "../../../src/store/thread/messages.ts";
import { importInThread } from "../../../src/store/thread/remote.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { assignmentRow, workerRow } from "../../support/rows.ts";
import { createCompany, exported, openTestStore, type TestStore } from "../../support/stores.ts";

const LARGE: StoreImportOptions = { sourceBytes: 1e9 };
const FACTS = makeFacts(5, 25);
const DIGEST = -(2n ** 62n) - 1n;

let store: TestStore;
const opened: TestStore[] = [];

beforeEach(async () => {
  store = await openTestStore();
  opened.push(store);
  await createCompany(store.writer, "acme");
});

afterAll(async () => {
  for (const one of opened) await one.dispose();
});

async function collected<T>(batches: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

/** First loads of all kinds, and what every method says afterwards. */
async function loadAndAsk(transaction: ImportTransaction): Promise<unknown> {
  const said: unknown[] = [
    await transaction.digests.key("tests").then(({ key, isNew }) => [key.length, isNew]),
  ];
  for (const kind of FACT_KINDS) {
    said.push(await transaction.isEmpty(kind));
    await transaction.beginFirstLoad(kind);
    await putAll(transaction, kind);
    await transaction.endFirstLoad();
    said.push(await transaction.isEmpty(kind), await transaction.count(kind));
    said.push(await collected(transaction.scan(kind)));
  }
  const [worker, policy] = [FACTS.workers[0]!, FACTS.policies[0]!];
  for await (const _ of transaction.scan("requests")) break; // nobody reads the rest
  said.push(
    await transaction.match("workers", [worker.id, worker.legacyId ?? "", "nobody"]),
    await transaction.stored("workers", [[worker.id], ["nobody"]]),
    await transaction.assignmentsById([FACTS.assignments[0]!.id]),
    await transaction.workersBefore([worker.id, "nobody"]),
    await transaction.requestsInWorkersZone([worker.id]),
    await transaction.referenced("policies", [policy.id]),
    { ...(await transaction.company()), dataAsOfMs: 0 },
    await transaction.workersWithoutManager(5),
    await transaction.withoutAssignment("requests"),
    (await collected(transaction.digests.all("requests"))).map((halves) => [...halves].toSorted()),
    await transaction.digests.of("requests", [[FACTS.requests[0]!.id]]),
    await collected(transaction.digests.keys("work_hours")),
  );
  await transaction.digests.set("requests", [[[FACTS.requests[1]!.id], 7n]]);
  await transaction.digests.forget([worker.id]);
  await transaction.put("workers", [{ ...worker, doc: '{"new":true}' }]);
  await transaction.remove("work_hours", [[FACTS.work_hours[0]!.workerId, FACTS.work_hours[0]!.day]]);
  await transaction.updateCompany({ name: "Acme & Sons" });
  said.push(await collected(transaction.digests.keys("requests")));
  await transaction.digests.forgetAll();
  return said;
}

function putAll<K extends FactKind>(transaction: ImportTransaction, kind: K): Promise<void> {
  const rows: readonly Rows[K][] = FACTS[kind];
  return transaction.put(
    kind,
    rows,
    rows.map((_, at) => (at % 3 === 0 ? null : DIGEST + BigInt(at))),
  );
}

function load<T>(
  writer: WriteStore,
  work: (transaction: ImportTransaction) => Promise<T>,
  options: StoreImportOptions = LARGE,
): Promise<T> {
  const outcome = async (transaction: ImportTransaction) => ({
    result: await work(transaction),
    changed: true,
    commit: true,
    record: '{"a":1}',
  });
  return writer.import("acme", outcome, options);
}

test("a thread stores and says what an import without one does", async () => {
  const other = await openTestStore();
  opened.push(other);
  await createCompany(other.writer, "acme");
  const said = await load(store.writer, loadAndAsk);
  expect(said).toEqual(await load(other.writer, loadAndAsk, {}));
  expect(await exported(store.writer, "acme")).toEqual(await exported(other.writer, "acme"));
  expect((await store.writer.lastImports("acme"))?.lastImport).toBe('{"a":1}');
  expect(store.writer.remains()).toEqual(other.writer.remains());
  expect(await store.writer.companies()).toMatchObject([{ id: "acme", name: "Acme & Sons" }]);
});

async function loadAssignments(transaction: ImportTransaction, rows: readonly Rows["assignments"][]) {
  await transaction.beginFirstLoad("assignments");
  await transaction.put("assignments", rows);
  await transaction.endFirstLoad();
}

const MANY_ASSIGNMENTS = Array.from({ length: 500 }, (_, at) =>
  assignmentRow(`toa_${at}`, `wrk_${at}`, "top_a"),
);

/** Paths of the store's side file: by its name, and of this process's open files. */
function sideFiles(): string[] {
  const named = readdirSync(dirname(store.path)).filter((name) => name.endsWith("-side"));
  const folder = "/proc/self/fd";
  const open = existsSync(folder) ? readdirSync(folder).map((name) => linked(join(folder, name))) : [];
  return [...named, ...open.filter((path) => path.startsWith(`${store.path}-side`))];
}

function linked(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // that by which the folder was read
  }
}

test("assignments are stored in a file that has lost its name, and is gone at the end", async () => {
  await load(store.writer, async (transaction) => {
    await transaction.beginFirstLoad("assignments");
    await transaction.put("assignments", MANY_ASSIGNMENTS);
    const nameless = `${store.path}-side (deleted)`;
    // Both threads have it open.
    expect(sideFiles()).toEqual(process.platform === "linux" ? [nameless, nameless] : []);
    await transaction.endFirstLoad();
    expect(await transaction.count("assignments")).toBe(MANY_ASSIGNMENTS.length);
  });
  expect(sideFiles()).toEqual([]);
  expect((await exported(store.writer, "acme")).assignments).toHaveLength(MANY_ASSIGNMENTS.length);
});

describe("assignments are stored as other rows are, if", () => {
  const stored = async (loaded = () => {}) => {
    await store.writer.import(
      "acme",
      async (transaction) => {
        await loadAssignments(transaction, MANY_ASSIGNMENTS);
        loaded();
        return { result: null, changed: true, commit: true };
      },
      LARGE,
    );
    expect((await exported(store.writer, "acme")).assignments).toHaveLength(MANY_ASSIGNMENTS.length);
  };
  const storedPlainly = () => stored(() => expect(sideFiles()).toEqual([]));

  test("another company has some", async () => {
    await createCompany(store.writer, "other");
    await store.writer.import("other", async (transaction) => {
      await loadAssignments(transaction, MANY_ASSIGNMENTS);
      return { result: null, changed: true, commit: true };
    });
    await storedPlainly();
  });

  test("rows were removed before, so that each has the number of its import", async () => {
    await load(store.writer, (transaction) => loadAssignments(transaction, MANY_ASSIGNMENTS));
    await load(store.writer, (transaction) =>
      transaction.remove(
        "assignments",
        MANY_ASSIGNMENTS.map(({ workerId, policyId }) => [workerId, policyId]),
      ),
    );
    await storedPlainly();
  });

  test("their file cannot be made", async () => {
    mkdirSync(join(`${store.path}-side`, "taken"), { recursive: true });
    await stored();
  });

  test("a file with something in it has that name: it is somebody else's, such as another store", async () => {
    const path = `${store.path}-side`;
    writeFileSync(path, "of somebody else");
    await stored();
    expect(readFileSync(path, "utf8")).toBe("of somebody else");
  });
});

test("an import without assignments clears the store's file all the same", async () => {
  await load(store.writer, (transaction) => transaction.put("workers", FACTS.workers));
  expect(store.writer.remains()).toEqual({ isErased: true });
  expect(existsSync(`${store.path}-erase`)).toBe(false);
});

test("the thread ends where the side file cannot be closed", async () => {
  const ended = spyOn(Worker.prototype, "terminate");
  const none = () => {};
  const cannotClose = () => {
    throw new Error("cannot be closed");
  };
  try {
    const importing = importInThread({
      entry: THREAD_ENTRY,
      address: store.path,
      companyId: "acme",
      work: async () => ({ result: null, changed: false, commit: false }),
      openSide: () => ({
        kind: "assignments",
        begin: none,
        put: none,
        end: async () => 0,
        close: cannotClose,
      }),
      onRemains: none,
    });
    expect(await importing.catch(String)).toContain("cannot be closed");
    expect(ended).toHaveBeenCalledTimes(1);
  } finally {
    ended.mockRestore();
  }
});

test("an empty side file, of an import that was killed, is removed by the next import", async () => {
  writeFileSync(`${store.path}-side`, "");
  await load(store.writer, (transaction) => loadAssignments(transaction, MANY_ASSIGNMENTS));
  expect(sideFiles()).toEqual([]);
  expect((await exported(store.writer, "acme")).assignments).toHaveLength(MANY_ASSIGNMENTS.length);
});

describe("nothing is stored, and the next import is made, when", () => {
  const expectNothing = async (error: unknown, kind: new (...args: never[]) => Error) => {
    expect(error).toBeInstanceOf(kind);
    expect((await exported(store.writer, "acme")).workers).toEqual([]);
    await load(store.writer, (transaction) => transaction.put("workers", FACTS.workers));
    expect((await exported(store.writer, "acme")).workers).toHaveLength(FACTS.workers.length);
  };
  const failing = async (work: (transaction: ImportTransaction) => Promise<unknown>) =>
    load(store.writer, work).then(
      () => null,
      (error: unknown) => error,
    );

  test("the importer gives up", async () => {
    class GivenUp extends Error {}
    const error = await failing(async (transaction) => {
      await transaction.put("workers", FACTS.workers);
      throw new GivenUp();
    });
    await expectNothing(error, GivenUp);
  });

  test("it is a dry run", async () => {
    const work = async (transaction: ImportTransaction) => {
      await transaction.put("workers", FACTS.workers);
      return { result: await transaction.count("workers"), changed: true, commit: false };
    };
    expect(await store.writer.import("acme", work, LARGE)).toBe(FACTS.workers.length);
    await expectNothing(new Error(), Error);
  });

  test("two rows of a first load have one key", async () => {
    const error = await failing(async (transaction) => {
      await transaction.beginFirstLoad("workers");
      await transaction.put("workers", [workerRow("wrk_a"), workerRow("wrk_a")]);
      await transaction.endFirstLoad();
    });
    await expectNothing(error, DuplicateRows);
  });

  test.each([
    ["id", [assignmentRow("toa_a", "wrk_a", "top_a"), assignmentRow("toa_a", "wrk_a", "top_b")]],
    ["pair", [assignmentRow("toa_a", "wrk_a", "top_a"), assignmentRow("toa_b", "wrk_a", "top_a")]],
  ])("two assignments have one %s", async (_, rows) => {
    await expectNothing(await failing((transaction) => loadAssignments(transaction, rows)), DuplicateRows);
  });

  test("the disk has no room for the file of assignments", async () => {
    const run = Database.prototype.run;
    // As the file's settings begin.
    Database.prototype.run = function (this: Database, text: string, ...bindings: never[]) {
      const changes = run.call(this, text, ...bindings);
      if (text === "pragma journal_mode = memory") run.call(this, "pragma max_page_count = 8");
      return changes;
    } as typeof run; // the same parameters
    try {
      const error = await failing((transaction) => loadAssignments(transaction, MANY_ASSIGNMENTS));
      expect(String(error)).toContain("is full. Nothing was changed");
      await expectNothing(error, StoreRefusal);
    } finally {
      Database.prototype.run = run;
    }
  });

  test("the store cannot take a row, which a later call tells", async () => {
    const error = await failing(async (transaction) => {
      await transaction.put("workers", [{ ...workerRow("wrk_a"), status: null as never }]);
      for (;;) await transaction.count("workers");
    });
    await expectNothing(error, StoreUnavailable);
  });
});

test("an unknown company is refused", async () => {
  const work = async () => ({ result: null, changed: false, commit: true });
  expect(store.writer.import("nobody", work, LARGE)).rejects.toBeInstanceOf(StoreRefusal);
});

test("a thread waits for another import, and says so", async () => {
  const second = openSqliteWriteStore(store.path);
  const held = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<void>();
  const first = load(
    store.writer,
    async (transaction) => {
      await transaction.put("workers", [workerRow("wrk_first")]);
      await held.promise;
    },
    {},
  );
  const other = load(second, (transaction) => transaction.count("workers"), {
    ...LARGE,
    onWait: waits.resolve,
  });
  await waits.promise;
  held.resolve();
  await first;
  expect(await other).toBe(1);
  await second.close();
});

test("rows come as they went, whatever they contain", () => {
  const texts = ["", "\0", "é", "😀", "\ud800", '"', "\u2028"];
  const rows = texts.map((text, at) => ({ ...workerRow(`wrk_${at}`), doc: text, department: text || null }));
  const digests = texts.map((_, at) => (at === 0 ? null : DIGEST + BigInt(at)));
  expect(unpackRows(structuredClone(packRows("workers", rows, digests)))).toEqual({ rows, digests });
});

test("requests that were read from a file go as what they were made of, and are stored as such", async () => {
  const fact = {
    id: "tor_1",
    createdAt: Date.UTC(1969, 0, 1, 8),
    startAt: Date.UTC(2026, 2, 1, 8, 0, 0, 1),
    endAt: Date.UTC(2026, 2, 3),
    requestedMinutes: 90.5,
    status: "denied",
    workerId: "wrk_1",
    timeOffPolicyId: "top_1",
  } as const;
  const rows = [
    { ...fact, reason: 'é "😀"', timeZone: "Asia/Tokyo", legacyId: "R-1", dayMinutes: null },
    {
      ...fact,
      id: "tor_2",
      reason: "",
      timeZone: null,
      legacyId: null,
      dayMinutes: [{ day: 20513, minutes: 90.5 }],
    },
  ].map((one) => rowOf("requests", one, { firstDay: 20513, lastDay: 20514 }));
  const { rows: found } = unpackRows(structuredClone(packRows("requests", rows, [null, null])));
  const columns = (row: Rows["requests"]) => TABLES.requests.columns.map((column) => [column, row[column]]);
  expect(found.map(columns)).toEqual(rows.map(columns));
  expect(JSON.parse(found[0]!.doc)).toMatchObject({
    reason: 'é "😀"',
    createdAt: "1969-01-01T08:00:00.000Z",
  });
  const stored = async (options: StoreImportOptions) => {
    const other = await openTestStore();
    opened.push(other);
    await createCompany(other.writer, "acme");
    const work = async (transaction: ImportTransaction) => {
      await transaction.beginFirstLoad("requests");
      await transaction.put("requests", rows, [DIGEST, null]);
      await transaction.endFirstLoad();
      return transaction.digests.of("requests", [["tor_1"], ["tor_2"]]);
    };
    const digests = await load(other.writer, work, options);
    return { digests, requests: (await exported(other.writer, "acme")).requests };
  };
  const inThread = await stored(LARGE);
  expect(inThread.requests).toHaveLength(2);
  expect(inThread).toEqual(await stored({}));
});
