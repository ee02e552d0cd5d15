// Counts what responses cost, in a process of its own: without garbage collection (the test starts it so) each object that
// was made is still there to be counted. Prints the counts as JSON.
import { heapStats } from "bun:jsc";
import { existsSync, readFileSync } from "node:fs";
import { createApp } from "../../src/http/app.ts";
import { ResponseCache } from "../../src/http/middleware/cache.ts";
import { bareParts, CONNECTION } from "../http/bare-parts.ts";
import { recordStatements, statementsDuring } from "../http/statements.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../support/rows.ts";
import { addCompany, addKey, openTestStore } from "../support/stores.ts";

const RESPONSES = 100;
const IO = "/proc/self/io";

/** Of one response. */
export interface Cost {
  readonly statements: number;
  readonly objects: number;
  /** Buffers of bytes: each is a copy of something. */
  readonly buffers: number;
  /** Of files; null where the system does not tell. */
  readonly readCalls: number | null;
}

export type Measure = (typeof MEASURES)[number];

export const MEASURES = [
  "hot",
  "revalidated",
  "page of 25",
  "page of 100",
  "worker",
  "page of many",
  "balances",
  "away",
  "manager, hot",
  "manager, page of many",
  "manager, balances",
  "manager, bad query",
  "bad query",
] as const;

const PROXY = { ...CONNECTION, isFromProxy: () => true };

const numberOf = (at: number) => String(at).padStart(5, "0");

const workerIds = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `wrk_${numberOf(from + at)}`).join();

function facts(workers: number) {
  const ids = Array.from({ length: workers }, (_, at) => numberOf(at));
  return {
    workers: ids.map((id, at) =>
      workerRow(`wrk_${id}`, {
        workEmail: `${id}@example.com`,
        managerId: at === 0 ? null : `wrk_${numberOf(Math.floor((at - 1) / 10))}`,
      }),
    ),
    policies: [policyRow("top_1")],
    assignments: ids.map((id) => assignmentRow(`toa_${id}`, `wrk_${id}`, "top_1")),
    requests: ids.map((id) => requestRow(`tor_${id}`, `wrk_${id}`, "top_1")),
  };
}

async function measureAll(): Promise<Record<Measure, Cost>> {
  recordStatements();
  const store = await openTestStore();
  await addCompany(store.writer, "few", facts(400));
  await addCompany(store.writer, "many", facts(4000));
  const keys = { few: await addKey(store.writer, "few"), many: await addKey(store.writer, "many") };
  const app = createApp(
    bareParts(store.reader, {
      today: () => "2026-03-01",
      cache: new ResponseCache(64 * 1024 * 1024),
      proxyAuth: {
        userHeader: "x-user",
        groupsHeader: null,
        rules: [{ group: "*", companyId: "many", access: "reports" }],
      },
    }),
  );
  async function ask(company: keyof typeof keys, path: string, headers: Record<string, string> = {}) {
    const request = new Request(`http://h${path}`, { headers: { "x-api-key": keys[company], ...headers } });
    const { status } = await app(request, CONNECTION);
    if (status !== 200 && status !== 304) throw new Error(`${path}: ${status}`);
  }
  async function respond(path: string, headers: Record<string, string>, expected: number) {
    const request = new Request(`http://h${path}`, { headers });
    const { status } = await app(request, PROXY);
    if (status !== expected) throw new Error(`${path}: ${status}`);
  }
  /** Everybody of the large company is below this manager. */
  const manager = { "x-user": "00000@example.com" };
  // Each address is asked for once, so that no response is cached; what is hot is requested before.
  const cold = (company: keyof typeof keys, limit: number) => (at: number) =>
    ask(company, `/v1/workers?limit=${limit}&afterId=${workerIds(at, 1)}`);
  const asking: Record<Measure, (at: number) => Promise<void>> = {
    hot: () => ask("few", "/v1/workers"),
    revalidated: () => ask("few", "/v1/workers", { "if-none-match": "*" }),
    "page of 25": cold("few", 25),
    "page of 100": cold("few", 100),
    worker: (at) => ask("few", `/v1/workers/${workerIds(at, 1)}`),
    "page of many": cold("many", 25),
    away: (at) =>
      ask(
        "few",
        `/v1/time_off/requests?startsBefore=2026-03-06&endsOnOrAfter=2026-02-27&afterId=tor_${numberOf(at)}`,
      ),
    balances: (at) => ask("few", `/v1/time_off/balances?workerIds=${workerIds(at, 25)}`),
    "bad query": (at: number) => respond(`/v1/workers?limit=x${at}`, { "x-api-key": keys.many }, 400),
    "manager, hot": () => respond("/v1/workers", manager, 200),
    "manager, page of many": (at: number) => respond(`/v1/workers?afterId=${workerIds(at, 1)}`, manager, 200),
    "manager, balances": (at: number) =>
      respond(`/v1/time_off/balances?afterId=${workerIds(at, 1)}`, manager, 200),
    "manager, bad query": (at: number) => respond(`/v1/workers?limit=x${at}`, manager, 400),
  };
  const costs: Partial<Record<Measure, Cost>> = {};
  for (const name of MEASURES) costs[name] = await measure(asking[name]);
  await store.dispose();
  return costs as Record<Measure, Cost>; // each was measured
}

/** Called with numbers that it was not called with before. */
async function measure(request: (at: number) => Promise<void>): Promise<Cost> {
  for (let at = 0; at < 50; at++) await request(at);
  const statements = (await statementsDuring(() => request(50))).length;
  const before = counts();
  for (let at = 0; at < RESPONSES; at++) await request(100 + at);
  const after = counts();
  const each = (a: number, b: number) => (b - a) / RESPONSES;
  return {
    statements,
    objects: each(before.objects, after.objects),
    buffers: each(before.buffers, after.buffers),
    readCalls: before.reads === null ? null : each(before.reads, after.reads!),
  };
}

function counts() {
  const types: Record<string, number> = heapStats().objectTypeCounts;
  const reads = existsSync(IO) ? Number(/^syscr: (\d+)$/m.exec(readFileSync(IO, "utf8"))![1]) : null;
  const objects = Object.values(types).reduce((sum, count) => sum + count, 0);
  return { objects, buffers: types.Uint8Array ?? 0, reads };
}

if (import.meta.main) console.log(JSON.stringify(await measureAll()));
