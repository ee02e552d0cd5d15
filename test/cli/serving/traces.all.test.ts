// Traces: the caller's trace id is logged always, and spans are exported where a collector is named.
import { expect, test } from "bun:test";
import { startTraces } from "../../../src/cli/serving/traces.ts";
import { type TraceContext, traceContext } from "../../../src/http/request-context.ts";
import { freePort } from "../../support/postgres.ts";
import { done, prepared, start } from "../command.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const SAMPLED = `00-${TRACE}-${PARENT}-01`;

const of = (traceparent: string) => traceContext(new Request("http://a/", { headers: { traceparent } }));

test("traceparent is read as W3C Trace Context says, and an invalid one is ignored", () => {
  const valid = { traceId: TRACE, parentId: PARENT } as unknown as TraceContext; // its text as a caller sends it
  expect(of(SAMPLED)).toEqual({ ...valid, isSampled: true });
  expect(of(SAMPLED.replace(/01$/, "00"))).toEqual({ ...valid, isSampled: false });
  expect(of(`cc-${TRACE}-${PARENT}-01-later`)).toEqual({ ...valid, isSampled: true });
  for (const invalid of [
    "",
    "x",
    `ff-${TRACE}-${PARENT}-01`,
    `${SAMPLED}-more`,
    `${SAMPLED}x`,
    SAMPLED.toUpperCase(),
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01-${"x".repeat(300)}`,
  ]) {
    expect(of(invalid)).toBeNull();
  }
});

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

interface Traced {
  readonly spans: readonly Span[];
  /** Everything that the collector got. */
  readonly text: string;
  /** The lines of the log. */
  readonly log: readonly Record<string, unknown>[];
}

/** A folder with a company of five workers and the files they came from, and a key. */
const inFolderWithWorkers = prepared(async (folder) => {
  await done(folder, "companies", "create", "acme");
  await done(folder, "generate", "--out", "made", "--workers", "5");
  await done(folder, "import", "made", "--company", "acme");
  return done(folder, "keys", "create", "--company", "acme", "--quiet");
});

/** Serves a company with these variables, calls it, stops it, and returns what a collector got. */
async function traced(
  env: Record<string, string>,
  call: (address: string, key: string) => Promise<void>,
  ...more: string[]
): Promise<Traced> {
  let text = "";
  const spans: Span[] = [];
  const collector = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      text += body;
      const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }; // OTLP's form
      spans.push(...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)));
      return Response.json({});
    },
  });
  let log = "";
  await inFolderWithWorkers(async (folder, key) => {
    const child = start(folder, ["serve", "--port", "0", ...more], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      ...env,
    });
    try {
      const logged = new Response(child.stderr).text();
      let printed = "";
      for await (const chunk of child.stdout) {
        printed += new TextDecoder().decode(chunk);
        if (printed.includes("\n")) break;
      }
      await call(/http:\/\/\S+:\d+/.exec(printed)![0], key);
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
      log = await logged;
    } finally {
      child.kill("SIGKILL");
    }
  });
  await collector.stop(true);
  const lines = log.split("\n").filter((line) => line.startsWith("{"));
  return { spans, text, log: lines.map((line) => JSON.parse(line)) };
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test("a stop sends one span per request, one for a store read that was not cached, and nothing about people", async () => {
  const { spans, text, log } = await traced(
    { OTEL_TRACES_SAMPLER: "always_on", OTEL_SERVICE_NAME: "rollcall-test" },
    async (address, key) => {
      const headers = { "x-api-key": key, traceparent: SAMPLED };
      for (let time = 0; time < 4; time++) await fetch(`${address}/v1/workers?limit=3`, { headers });
      await fetch(`${address}/v1/workers/wrk_somebody?q=someone@example.com`, {
        headers: { "x-api-key": key },
      });
    },
  );
  const lists = spans.filter(({ name }) => name === "GET /v1/workers");
  expect(lists).toHaveLength(4);
  for (const list of lists) {
    expect(list).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2 });
    expect(attributesOf(list)).toEqual({
      "http.request.method": "GET",
      "http.route": "/v1/workers",
      "http.response.status_code": 200,
    });
    expect(BigInt(list.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(list.startTimeUnixNano));
    expect(Math.abs(Number(BigInt(list.startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(60_000);
  }
  const reads = spans.filter(({ name, traceId }) => name === "store read" && traceId === TRACE);
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.length).toBeLessThan(4);
  for (const { parentSpanId } of reads) expect(lists.map(({ spanId }) => spanId)).toContain(parentSpanId!);
  const bad = spans.find(({ name }) => name === "GET /v1/workers/{id}");
  expect(attributesOf(bad!)).toMatchObject({
    "http.response.status_code": 400,
    "error.type": "invalid_parameter",
  });
  expect(bad!.traceId).not.toBe(TRACE);
  expect(text).toContain("rollcall-test");
  for (const secret of ["acme", "wrk_", "example.com", "somebody", "rk_", "key_"])
    expect(text).not.toContain(secret);
  const ids = log.filter(({ msg }) => msg === "request").map(({ traceId }) => traceId);
  expect(ids).toEqual([TRACE, TRACE, TRACE, TRACE, undefined]);
});

test("only a trusted caller's sampled flag counts; others are drawn by lot", async () => {
  const call = async (address: string) => {
    for (let time = 0; time < 10; time++)
      await fetch(`${address}/healthz`, { headers: { traceparent: SAMPLED } });
  };
  const none = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" };
  expect((await traced(none, call)).spans).toEqual([]);
  expect((await traced(none, call, "--trust-proxy", "127.0.0.1")).spans).toHaveLength(10);
  const notSampled = async (address: string) => {
    await fetch(`${address}/healthz`, { headers: { traceparent: SAMPLED.replace(/01$/, "00") } });
  };
  const all = { OTEL_TRACES_SAMPLER: "parentbased_always_on" };
  expect((await traced(all, notSampled)).spans).toHaveLength(1);
  expect((await traced(all, notSampled, "--trust-proxy", "127.0.0.1")).spans).toEqual([]);
});

test("a collector that is not there costs no request, and a stop does not wait for it for long", async () => {
  const env = {
    OTEL_TRACES_SAMPLER: "always_on",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  };
  await traced(env, async (address) => {
    for (let time = 0; time < 20; time++) expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });
});

test("without a collector nothing is exported and no package is loaded", async () => {
  expect(await startTraces({})).toBeNull();
  for (const off of [{ OTEL_SDK_DISABLED: "true" }, { OTEL_TRACES_EXPORTER: "none" }]) {
    expect(await startTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", ...off })).toBeNull();
  }
  const source = await Bun.file(new URL("../../../src/cli/serving/traces.ts", import.meta.url)).text();
  expect(source.match(/^import (?!type).*@opentelemetry/gm)).toBeNull();
});

test.each([
  [{ OTEL_TRACES_SAMPLER: "sometimes" }, 'OTEL_TRACES_SAMPLER: "sometimes" is not one of always_on'],
  [{ OTEL_TRACES_SAMPLER_ARG: "2" }, 'OTEL_TRACES_SAMPLER_ARG: "2" is not a share from 0 to 1'],
])("%p is refused at the start", async (env, message) => {
  await expect(startTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", ...env })).rejects.toThrow(
    message,
  );
});
