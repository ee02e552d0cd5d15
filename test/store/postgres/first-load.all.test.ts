// Rows that are on their way to the server while a first load goes on, and the time buckets of requests.

import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { ImportTransaction, WriteStore } from "../../../src/store/store.ts";
import type { Kind, Rows } from "../../../src/store/tables.ts";
import { bucketsOf } from "../../../src/store/time-buckets.ts";
import { sharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { assignmentRow, requestRow, workerRow } from "../../support/rows.ts";
import { createCompany, EMPTY_STORE, exported } from "../../support/stores.ts";

setDefaultTimeout(120_000);

const DAY_MS = 86_400_000;

let db: string;
let writer: WriteStore;

beforeEach(async () => {
  db = await (await sharedServer()).createDatabase(EMPTY_STORE);
  writer = await openPostgresWriteStore(db);
  await createCompany(writer, "acme");
  return () => writer.close();
});

function importing(work: (transaction: ImportTransaction) => Promise<void>): Promise<null> {
  return writer.change("acme", async (transaction) => {
    await work(transaction);
    return { result: null, changed: true, commit: true };
  });
}

async function load<K extends Kind>(transaction: ImportTransaction, kind: K, batches: Rows[K][][]) {
  await transaction.beginFirstLoad(kind);
  for (const rows of batches) await transaction.put(kind, rows);
  await transaction.endFirstLoad();
}

const workers = Array.from({ length: 3000 }, (_, at) => workerRow(`wrk_${at}`));

/** From hours to years, so that every length of bucket is used. */
const requests = Array.from({ length: 400 }, (_, at) => {
  const startAtMs = (18_000 + at) * DAY_MS;
  const endAtMs = startAtMs + Math.round(1.1 ** (at % 100) * DAY_MS);
  return { ...requestRow(`tor_${at}`, `wrk_${at % 7}`, `top_${at % 3}`), startAtMs, endAtMs };
});

async function stored<R>(text: string): Promise<R[]> {
  return (await sharedServer()).run<R>(text, [], new URL(db).pathname.slice(1));
}

/** The buckets of the stored requests are those of `expected`. */
async function expectInBuckets(expected: readonly Rows["requests"][]): Promise<void> {
  const found = await stored(
    "select company_id, bucket, id, policy_id, status, start_at_ms::float8 as start, end_at_ms::float8 as end, is_first, doc from request_buckets order by id, bucket",
  );
  const entries = expected.flatMap(({ id, policyId, status, startAtMs: start, endAtMs: end, doc }) =>
    bucketsOf(start, end).map((bucket, at) => {
      return {
        company_id: "acme",
        bucket,
        id,
        policy_id: policyId,
        status,
        start,
        end,
        is_first: at === 0,
        doc,
      };
    }),
  );
  expect(found).toEqual(
    entries.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.bucket - b.bucket)),
  );
}

test("an import that fails while rows are on their way stores nothing, and the next one begins at once", async () => {
  const failing = importing(async (transaction) => {
    await load(transaction, "workers", [workers]);
    await transaction.beginFirstLoad("requests");
    await transaction.put("requests", requests);
    throw new Error("the file ends in the middle");
  });
  expect(await rejection(failing)).toThrow("the file ends in the middle");
  await importing(async (transaction) => {
    expect(await transaction.count("workers")).toBe(0);
    await load(transaction, "requests", [requests.slice(0, 100), requests.slice(100)]);
    await load(transaction, "work_hours", [[{ workerId: "wrk_1", day: 1, minutes: 60 }]]);
  });
  await expectInBuckets(requests);
});

test("an import that is not committed leaves no time buckets", async () => {
  await writer.change("acme", async (transaction) => {
    await load(transaction, "requests", [requests]);
    return { result: null, changed: true, commit: false };
  });
  await expectInBuckets([]);
});

test("rows that cannot be stored are told of whatever is asked next", async () => {
  const asks: ((transaction: ImportTransaction) => Promise<unknown>)[] = [
    (transaction) => transaction.endFirstLoad(),
    (transaction) => transaction.count("workers"),
    (transaction) => transaction.put("workers", workers.slice(100, 200)),
  ];
  for (const ask of asks) {
    const failing = importing(async (transaction) => {
      await transaction.beginFirstLoad("workers");
      await transaction.put("workers", workers.slice(0, 50));
      await transaction.put("workers", workers.slice(0, 50));
      await ask(transaction);
      await transaction.endFirstLoad();
    });
    await expect(failing).rejects.toThrow("duplicate key");
  }
});

/** What COPY writes in a way of its own, what UTF-8 does, and more than a stream takes at once. */
const TEXTS = [
  "\\N",
  "\\.",
  "tab\tline\nreturn\rbell\u0007 back\\slash",
  "",
  "Ærø 渋谷 🙂 \u{10ffff}",
  "half \ud83d of a pair",
  "é".repeat(400_000),
];
const WHOLE_NUMBERS = [
  0,
  1,
  -1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32 - 1,
  -(2 ** 32),
  2 ** 53 - 1,
  -(2 ** 53) + 1,
];

test("every value arrives as it was", async () => {
  const rows = [...TEXTS, ...WHOLE_NUMBERS].map((value, at) => {
    const row = requestRow(`tor_${at}`, "wrk_1", "top_1");
    if (typeof value === "string") return { ...row, legacyId: value.slice(0, 100), doc: value };
    return {
      ...row,
      startAtMs: value,
      endAtMs: value,
      minutes: value / 3,
      firstDay: -at,
      lastDay: 2 ** 31 - 1,
    };
  });
  const digests = rows.map((_, at) => (at === 0 ? null : at % 2 === 0 ? 2n ** 63n - 1n : -(2n ** 63n)));
  const known = digests.map((digest) => ({ digest, stored: null }));
  await importing(async (transaction) => {
    await transaction.beginFirstLoad("requests");
    await transaction.put("requests", rows.slice(0, 3), known.slice(0, 3));
    await transaction.put("requests", rows.slice(3), known.slice(3));
    await transaction.endFirstLoad();
  });
  const found = await stored<{ id: string; digest: string | null }>(
    "select id, digest::text as digest from requests",
  );
  expect(new Map(found.map(({ id, digest }) => [id, digest]))).toEqual(
    new Map(rows.map(({ id }, at) => [id, digests[at]?.toString() ?? null])),
  );
  const asUtf8 = (text: string) => Buffer.from(text).toString();
  const read = new Map((await exported(writer, "acme")).requests.map((row) => [row.id, row]));
  for (const row of rows) {
    const expected = { ...row, doc: asUtf8(row.doc), legacyId: row.legacyId && asUtf8(row.legacyId) };
    expect(read.get(row.id)).toEqual(expected);
  }
});

test("what goes wrong after the last rows were sent is raised before anything is committed", async () => {
  const twice = ["wrk_1", "wrk_2"].map((workerId) => assignmentRow("toa_1", workerId, "top_1"));
  for (const loadTwice of [
    (transaction: ImportTransaction) => load(transaction, "assignments", [twice]),
    (transaction: ImportTransaction) => load(transaction, "requests", [requests, requests.slice(0, 1)]),
  ]) {
    await expect(importing(loadTwice)).rejects.toThrow("duplicate key");
    expect(await stored("select id from assignments union all select id from requests")).toEqual([]);
  }
});

test("time buckets follow requests that are added, replaced and removed, also within a first import", async () => {
  const moved = requests.map((row, at) => ({
    ...row,
    ...(at % 2 === 0 && { startAtMs: row.startAtMs - 3 * DAY_MS }),
    ...(at % 3 === 0 && { endAtMs: row.endAtMs + 30 * DAY_MS }),
    ...(at % 5 === 0 && { status: "denied" as const }),
    ...(at % 7 === 0 && { policyId: "top_9" }),
    ...(at % 11 === 0 && { doc: row.doc.replace("}", ',"reason":"moved"}') }),
  }));
  await importing(async (transaction) => {
    await load(transaction, "requests", [requests.slice(0, 300)]);
    await transaction.put("requests", requests.slice(250));
    await transaction.put("requests", moved.slice(0, 20));
  });
  await expectInBuckets([...moved.slice(0, 20), ...requests.slice(20)]);
  await importing(async (transaction) => {
    await transaction.put("requests", moved);
    await transaction.remove(
      "requests",
      moved.slice(50, 150).map(({ id }) => [id]),
    );
  });
  await expectInBuckets([...moved.slice(0, 50), ...moved.slice(150)]);
  await writer.deleteCompany("acme");
  await expectInBuckets([]);
});
