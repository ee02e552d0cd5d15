// Whether response times tell an id of another company from an absent id. Handles requests in this process, where no network hides a
// difference, with both sorts of ids in random order. A second sort of absent ids shows the effect of chance.
// `bun bench/foreign-timing.ts --pairs 20000`, with `ROLLCALL_TEST_ENGINE=postgres` for PostgreSQL; exit code 1 if the odds of telling
// them apart differ from a coin's by more than one in a hundred.
import { parseArgs } from "node:util";
import { createApp } from "../src/http/app.ts";
import { ResponseCache } from "../src/http/middleware/cache.ts";
import { bareParts, CONNECTION } from "../test/http/bare-parts.ts";
import { assignmentRow, type Facts, policyRow, requestRow, workerRow } from "../test/support/rows.ts";
import { addCompany, addKey, openTestStore } from "../test/support/stores.ts";

const { values: options } = parseArgs({ options: { pairs: { type: "string", default: "20000" } } });
const PAIRS = Number(options.pairs);
const WORKERS = 2000;
const AT_MOST = 0.01;

/** Random ids, like minted ones, so that every sort is spread over the whole list. */
const opaque = () => Buffer.from(crypto.getRandomValues(new Uint8Array(10))).toString("hex");

interface Ids {
  readonly workers: readonly string[];
  readonly requests: readonly string[];
}

const idsLike = (count: number): Ids => ({
  workers: Array.from({ length: count }, () => `wrk_${opaque()}`),
  requests: Array.from({ length: count }, () => `tor_${opaque()}`),
});

function factsOf({ workers, requests }: Ids): Facts {
  const policy = `top_${opaque()}`;
  return {
    workers: workers.map((id) => workerRow(id)),
    policies: [policyRow(policy)],
    assignments: workers.map((id) => assignmentRow(`toa_${opaque()}`, id, policy)),
    requests: requests.map((id, at) => requestRow(id, workers[at]!, policy)),
  };
}

const PATHS: Readonly<Record<string, (ids: Ids, at: number) => string>> = {
  "a worker": ({ workers }, at) => `/v1/workers/${workers[at]}`,
  "requests of a worker": ({ workers }, at) => `/v1/time_off/requests?workerIds=${workers[at]}`,
  "balances of a worker": ({ workers }, at) => `/v1/time_off/balances?workerIds=${workers[at]}`,
  "workers from a cursor on": ({ workers }, at) => `/v1/workers?limit=1&afterId=${workers[at]}`,
  "requests from a cursor on": ({ requests }, at) => `/v1/time_off/requests?limit=1&afterId=${requests[at]}`,
};

/** The probability that a time of `a` is longer than a time of `b`: 0.5 if they do not differ (Mann and Whitney's U). */
function odds(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((ms) => ({ ms, isA: true })), ...b.map((ms) => ({ ms, isA: false }))];
  all.sort((a, b) => a.ms - b.ms);
  let ranks = 0;
  for (let at = 0; at < all.length; ) {
    let end = at;
    while (end < all.length && all[end]!.ms === all[at]!.ms) end++;
    const rank = (at + end + 1) / 2; // ties share their mean rank
    for (; at < end; at++) if (all[at]!.isA) ranks += rank;
  }
  return (ranks - (a.length * (a.length + 1)) / 2) / (a.length * b.length);
}

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const store = await openTestStore();
try {
  const ids = { foreign: idsLike(WORKERS), absent: idsLike(WORKERS), control: idsLike(WORKERS) };
  await addCompany(store.writer, "acme", factsOf(idsLike(WORKERS)));
  await addCompany(store.writer, "rival", factsOf(ids.foreign));
  const key = await addKey(store.writer, "acme");
  const app = createApp(bareParts(store.reader, { cache: new ResponseCache(0), today: () => "2026-03-01" }));
  const took = async (path: string) => {
    const request = new Request(`http://localhost${path}`, { headers: { "x-api-key": key } });
    const startedAtMs = performance.now();
    await (await app(request, CONNECTION)).arrayBuffer();
    return performance.now() - startedAtMs;
  };
  for (const [name, pathOf] of Object.entries(PATHS)) {
    const times = { foreign: [] as number[], absent: [] as number[], control: [] as number[] };
    const sorts = ["foreign", "absent", "control"] as const;
    for (let pair = -PAIRS / 10; pair < PAIRS; pair++) {
      for (const sort of sorts.toSorted(() => Math.random() - 0.5)) {
        const ms = await took(pathOf(ids[sort], Math.floor(Math.random() * WORKERS)));
        if (pair >= 0) times[sort].push(ms); // negative pairs are the warm-up
      }
    }
    const result = {
      name,
      pairs: PAIRS,
      oddsForeignSlower: Number(odds(times.foreign, times.absent).toFixed(4)),
      oddsByChance: Number(odds(times.control, times.absent).toFixed(4)),
      medianUs: {
        foreign: Number((middle(times.foreign) * 1000).toFixed(1)),
        absent: Number((middle(times.absent) * 1000).toFixed(1)),
        control: Number((middle(times.control) * 1000).toFixed(1)),
      },
    };
    console.log(JSON.stringify(result));
    if (Math.abs(result.oddsForeignSlower - 0.5) > AT_MOST) process.exitCode = 1;
  }
} finally {
  await store.dispose();
}
process.exit();
