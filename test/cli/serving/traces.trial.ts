// What tracing costs a request where no traces are exported: at most 0.2 µs, measured over a million requests.
import { expect, test } from "bun:test";
import { startTraces } from "../../../src/cli/serving/traces.ts";
import {
  beginRequest,
  requestTrace,
  type TraceContext,
  traceContext,
} from "../../../src/http/request-context.ts";
import { CONNECTION } from "../../http/bare-parts.ts";

const CALLS = 1_000_000;
const ROUNDS = 15;
const MOST_NS = 200;

const request = new Request("http://localhost/v1/workers?limit=3", {
  headers: {
    "x-api-key": "k",
    accept: "application/json",
    "accept-encoding": "gzip",
    "user-agent": "curl/8",
  },
});

/** Nanoseconds of a call, the least of some rounds: what else the machine does only adds. */
function nanoseconds(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  let kept: unknown;
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = Bun.nanoseconds();
    for (let call = 0; call < CALLS; call++) kept = work();
    least = Math.min(least, (Bun.nanoseconds() - startedAt) / CALLS);
  }
  expect(kept).toBeNull();
  return least;
}

test("what a request pays for traces that are off", async () => {
  const traces = await startTraces({});
  expect(traces).toBeNull();
  const context = beginRequest(request, CONNECTION, { isTimed: false, isTls: false, basePath: "" });
  const traced = traces as { record(trace: unknown): void } | null; // what the app is given
  const off = nanoseconds(() => {
    const trace: TraceContext | null = traceContext(request);
    traced?.record(requestTrace({ ...context, trace }));
    return trace?.traceId ?? null;
  });
  const nothing = nanoseconds(() => null);
  console.log(`traces that are off: ${(off - nothing).toFixed(0)} ns a request`);
  expect(off - nothing).toBeLessThanOrEqual(MOST_NS);
  expect(Object.keys(require.cache).filter((path) => path.includes("@opentelemetry"))).toEqual([]);
});
