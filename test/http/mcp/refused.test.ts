// What a message is refused for before any tool runs, and what it costs.

import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { type Assistant, messageResponse, readMessage } from "../../../src/http/mcp.ts";
import type { Admission } from "../../../src/http/middleware/admission.ts";
import { type RateLimit, rateLimit } from "../../../src/http/middleware/rate-limit.ts";
import { HttpProblem } from "../../../src/http/problems.ts";
import { beginRequest } from "../../../src/http/request-context.ts";
import { TOOLS } from "../../../src/mcp/endpoint.ts";
import { type Tool, type ToolCall, tool } from "../../../src/mcp/tool.ts";
import type { Observation } from "../../../src/observe.ts";
import type { Problem } from "../../../src/resources/problems.ts";
import { StoreUnavailable } from "../../../src/store/store.ts";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { CONNECTION } from "../bare-parts.ts";
import { type Service, startService } from "../service.ts";
import { connectTo, SPECIFICATIONS } from "./assistant.ts";

const ORIGIN = "https://intranet.example.com";
const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");
const otherKey = await addKey(service.writer, "acme");

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A message as any program sends it. */
async function send({ app }: Service, { method = "POST", headers = {}, body = JSON.stringify(LIST) }: Sent) {
  const response = await app(
    new Request("http://rollcall.test/mcp", {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": String(Buffer.byteLength(body)),
        ...headers,
      },
      body: method === "GET" || method === "HEAD" ? null : body,
    }),
    CONNECTION,
  );
  const text = await response.text();
  const json = (text === "" ? {} : JSON.parse(text)) as Problem & Record<string, unknown>; // one or the other
  return { status: response.status, headers: response.headers, text, json };
}

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

test("the key is in x-api-key, or a Bearer token; both may be given if they are equal", async () => {
  for (const headers of [
    { "x-api-key": key },
    bearer(key),
    { "x-api-key": key, ...bearer(key) },
    { authorization: `bearer ${key}` },
  ]) {
    const { status, json } = await send(service, { headers });
    expect([status, json.id]).toEqual([200, 1]);
  }
});

test("a caller that accepts JSON gets JSON, whatever else it accepts; no other type is sent", async () => {
  for (const accept of [
    "*/*",
    "application/json",
    "application/*",
    "",
    "text/event-stream, application/json;q=0.5",
  ])
    expect((await send(service, { headers: { ...bearer(key), accept } })).json.id).toBe(1);
  for (const accept of ["text/html", "text/event-stream", "application/json;q=0"])
    expect((await send(service, { headers: { ...bearer(key), accept } })).status).toBe(406);
  const request = new Request("http://rollcall.test/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(key) },
    body: JSON.stringify(LIST),
  });
  request.headers.delete("accept");
  expect((await service.app(request, CONNECTION)).status).toBe(200);
});

test.each([
  ["none", {}, "missing_api_key"],
  ["two that differ", { "x-api-key": key, ...bearer(otherKey) }, "invalid_api_key"],
  ["a mistyped one", bearer(`${key}x`), "invalid_api_key"],
  ["a password", { authorization: "Basic YTpi" }, "missing_api_key"],
])("a key refused: %s", async (_, headers, code) => {
  const { status, json, headers: sent } = await send(service, { headers: headers as Record<string, string> }); // of texts
  expect([status, json.code]).toEqual([401, code]);
  // A client that is offered OAuth would start a flow that fails.
  expect(sent.get("www-authenticate")).not.toMatch(/bearer|resource_metadata/i);
});

test("without --mcp-issuer there is no OAuth metadata", async () => {
  for (const path of [
    "oauth-protected-resource",
    "oauth-protected-resource/mcp",
    "oauth-authorization-server",
  ])
    expect(await service.call(`/.well-known/${path}`, {})).toMatchObject({
      status: 404,
      text: expect.stringContaining(`Nothing is at /.well-known/${path}: see /docs`),
    });
});

test("a revoked key is refused within a second", async () => {
  const own = await addKey(service.writer, "acme", { change: { id: "key_assistant" } });
  const { call } = await connectTo(service.app, own);
  expect((await call("find_people")).isError).toBe(false);
  await service.writer.updateSecret("keys", "key_assistant", { revokedAtMs: Date.now() });
  await Bun.sleep(1000);
  await expect(call("find_people")).rejects.toThrow();
  expect((await send(service, { headers: bearer(own) })).json.detail).toContain("revoked");
});

describe("origins", () => {
  test.each(["https://evil.example.com", "http://rollcall.test", "null", ORIGIN])(
    "%s is refused",
    async (origin) => {
      const { status, json } = await send(service, {
        headers: { ...bearer(key), origin, host: "rollcall.test" },
      });
      expect([status, json.code]).toEqual([403, "origin_not_allowed"]);
    },
  );

  test("the origin of --cors may call, after a preflight", async () => {
    const open = await startService({ corsOrigin: ORIGIN });
    await addCompany(open.writer, "acme");
    const own = await addKey(open.writer, "acme");
    const { status, headers } = await send(open, { headers: { ...bearer(own), origin: ORIGIN } });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([200, ORIGIN]);
    const preflight = await send(open, { method: "OPTIONS", headers: { origin: ORIGIN } });
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "POST, OPTIONS",
    ]);
    expect(preflight.headers.get("access-control-allow-headers")!.toLowerCase()).toContain(
      "mcp-protocol-version",
    );
    const other = await send(open, { headers: { ...bearer(own), origin: "https://evil.example.com" } });
    expect(other.status).toBe(403);
  });
});

test.each(["GET", "HEAD", "DELETE", "PUT", "OPTIONS"])("%s is a 405", async (method) => {
  const { status, headers } = await send(service, { method, headers: bearer(key) });
  expect([status, headers.get("allow")]).toEqual([405, "POST"]);
});

/** A message that lists the tools, with so many levels. */
function nested(levels: number): string {
  const inner = levels - 2; // those of the message and its parameters
  return JSON.stringify({ ...LIST, params: { _meta: 0 } }).replace(
    `"_meta":0`,
    `"_meta":${'{"a":'.repeat(inner)}1${"}".repeat(inner)}`,
  );
}

describe("bodies", () => {
  test("a body over 64 KiB is a 413, with or without a length", async () => {
    const body = JSON.stringify({ ...LIST, pad: "x".repeat(64 * 1024) });
    for (const length of [String(body.length), "10"]) {
      const { status, json, headers } = await send(service, {
        headers: { ...bearer(key), "content-length": length },
        body,
      });
      expect([status, json.code, headers.get("connection")]).toEqual([413, "body_too_large", "close"]);
    }
  });

  test("a body that does not arrive in time is an error of the protocol, and closes the connection", async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
    });
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "transfer-encoding": "chunked" },
      body,
    });
    const context = beginRequest(request, CONNECTION, { isTimed: false, isTls: false, basePath: "" });
    expect(await readMessage(context, 20)).toBe(null);
    const assistant = { key: { scopes: [] } } as unknown as Assistant; // nothing is read
    const response = await messageResponse(context, null, assistant);
    expect([response.status, response.headers.get("connection")]).toEqual([400, "close"]);
    expect(await response.json()).toMatchObject({
      error: { code: -32700, message: expect.stringContaining("within 10 s") },
    });
  });

  /** A message whose body arrives as the test says. */
  function arriving(apiKey: string) {
    let arrival!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        arrival = controller;
      },
    });
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "transfer-encoding": "chunked",
      ...bearer(apiKey),
    };
    const request = new Request("http://rollcall.test/mcp", { method: "POST", headers, body });
    return { arrival, response: Promise.resolve(service.app(request, CONNECTION)) };
  }

  test("a body whose caller disconnects is no fault", async () => {
    const { arrival, response } = arriving(key);
    arrival.enqueue(new TextEncoder().encode("{"));
    await Bun.sleep(10);
    arrival.error(new Error("The connection was closed."));
    expect((await response).status).toBe(400);
    expect(service.faults).toEqual([]);
  });

  test("a body that arrives after its key was revoked is refused", async () => {
    const own = await addKey(service.writer, "acme", { change: { id: "key_slow" } });
    const { arrival, response } = arriving(own);
    const body = new TextEncoder().encode(JSON.stringify(LIST));
    arrival.enqueue(body.slice(0, 5));
    await Bun.sleep(10);
    await service.writer.updateSecret("keys", "key_slow", { revokedAtMs: Date.now() });
    await Bun.sleep(1000);
    arrival.enqueue(body.slice(5));
    arrival.close();
    expect((await response).status).toBe(401);
  });

  test("a body that was read leaves the connection open", async () => {
    expect((await send(service, { headers: bearer(key) })).headers.has("connection")).toBe(false);
    expect((await send(service, {})).headers.get("connection")).toBe("close");
  });

  test.each([
    ["not JSON", "{", 400, -32700],
    ["too many levels", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, 400, -32700],
    ["33 levels", nested(33), 400, -32700],
    ["empty", "", 400, -32700],
    ["several messages", JSON.stringify([LIST, LIST]), 400, -32600],
    ["no message", "5", 400, -32600],
    ["a subscription", JSON.stringify({ ...LIST, method: "subscriptions/listen" }), 404, -32601],
  ])("%s is an error of the protocol", async (_, body, status, code) => {
    const response = await send(service, { headers: bearer(key), body });
    expect([response.status, (response.json.error as { code: number }).code]).toEqual([status, code]);
  });

  test("a message may have 32 levels", async () => {
    const { status, headers } = await send(service, { headers: bearer(key), body: nested(32) });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  });

  test("a body that is not JSON is refused", async () => {
    const { status } = await send(service, { headers: { ...bearer(key), "content-type": "text/plain" } });
    expect(status).toBe(415);
  });
});

test("a path that becomes /mcp only when normalised is not found", async () => {
  const request = new Request("http://rollcall.test/mcp", {
    method: "POST",
    headers: bearer(key),
    body: "{}",
  });
  const response = await service.app(request, CONNECTION, false);
  expect(response.status).toBe(404);
});

test("the scopes of a key decide which tools there are", async () => {
  for (const [scopes, tools] of [
    [["workers:read"], ["find_people"]],
    [["time_off:read"], ["list_policies"]],
    [[], []],
  ] as const) {
    const { client, call } = await connectTo(
      service.app,
      await addKey(service.writer, "acme", { scopes: [...scopes] }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([...tools]);
    await expect(call("who_is_away")).rejects.toThrow(
      /who_is_away requires the scope .*, which this caller lacks/,
    );
  }
});

test("whatever a tool asks for, the API gives it no more than the key may read", async () => {
  const greedy = (name: string, idsOf: (call: ToolCall) => Promise<readonly { id: string }[]>) =>
    tool({
      ...{ name, title: name, description: name, narrow: "", scopes: [] },
      input: z.strictObject({}),
      row: z.strictObject({ id: z.string() }),
      run: async (_given, call) => ({
        heading: name,
        rows: (await idsOf(call)).map(({ id }) => ({ id })),
        total: null,
        hasMore: false,
      }),
    });
  const limited = await addKey(service.writer, "acme", { change: { scopes: ["time_off:read"] } });
  const { call } = await connectTo(service.app, limited);
  const tools = TOOLS as Tool[]; // for this test alone
  const added = [
    greedy("all_workers", async ({ client }) => (await client.workers.list().page()).data),
    greedy("all_away", async ({ away, today }) => (await away(today, today)).people),
  ];
  tools.push(...added);
  try {
    const workers = await call("all_workers");
    expect(workers).toMatchObject({ isError: true, text: expect.stringContaining("workers:read") });
    const away = await call("all_away");
    expect(away).toMatchObject({ isError: true, text: expect.stringContaining("--access away") });
  } finally {
    tools.splice(-added.length);
  }
});

test("a company sees nothing of another", async () => {
  await addCompany(service.writer, "other");
  const { call } = await connectTo(service.app, await addKey(service.writer, "other"));
  const own = await (await connectTo(service.app, key)).call("find_people");
  expect(own.rows.length).toBeGreaterThan(0);
  expect((await call("find_people")).rows).toEqual([]);
  expect((await call("list_policies")).rows).toEqual([]);
  const foreign = await call("list_time_off", { person: String(own.rows[0]!.id) });
  expect(foreign).toMatchObject({ isError: true, text: expect.stringContaining("Nobody is called") });
});

test("the key of a deleted company is refused", async () => {
  await addCompany(service.writer, "gone");
  const own = await addKey(service.writer, "gone");
  await service.writer.deleteCompany("gone");
  expect((await send(service, { headers: bearer(own) })).status).toBe(401);
});

describe.each(SPECIFICATIONS)("%s", (specification) => {
  test("one call is one point of the limit, one admission, and one line without arguments", async () => {
    const seen: Observation[] = [];
    let admitted = 0;
    let points = 0;
    const admission: Admission = {
      async acquire() {
        admitted++;
        return () => {};
      },
    };
    const limit = rateLimit(1000)!;
    const counting = await startService({
      observe: (one) => seen.push(one),
      admission,
      rateLimit: {
        ...limit,
        take(id) {
          points++;
          return limit.take(id);
        },
      },
    });
    await addCompany(counting.writer, "acme", sampleFacts());
    const own = await addKey(counting.writer, "acme");
    const { call } = await connectTo(counting.app, own, { specification });
    [admitted, points] = [0, 0];
    seen.length = 0;
    await call("who_is_away", {
      from: "2026-01-01",
      to: "2026-12-31",
      statuses: ["approved", "pending", "denied"],
    });
    // The look-up of a new key is admitted too, for the caller's address; this key is known.
    expect([points, admitted, seen.length]).toEqual([1, 1, 1]);
    await call("find_people", { name: "PRIVATE" });
    await call("time_off_balance", { people: ["PRIVATE"] });
    await call("no_such_PRIVATE").catch(() => {});
    expect(seen).toMatchObject([
      {
        kind: "request",
        route: "/mcp",
        method: "POST",
        status: 200,
        called: { tool: "who_is_away", isError: false },
      },
      { called: { tool: "find_people", isError: false } },
      { called: { tool: "time_off_balance", isError: true } },
      { called: { tool: "unknown", isError: true } },
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/PRIVATE|2026-12-31/);
  });
});

test("who looked is noted with the tool that was called", async () => {
  const tools: (readonly [string | undefined, string])[] = [];
  const noting = await startService({ looked: ({ tool, endpoint }) => tools.push([tool, endpoint]) });
  await addCompany(noting.writer, "acme", sampleFacts());
  const { call } = await connectTo(noting.app, await addKey(noting.writer, "acme"));
  await call("find_people");
  await call("who_is_away", { from: "2026-01-01", to: "2026-12-31" });
  expect(tools).toContainEqual(["find_people", "/v1/workers"]);
  expect(tools).toContainEqual(["who_is_away", "/v1/time_off/days"]);
  expect(tools.some(([tool]) => tool === "unknown")).toBe(false);
});

test("beyond the limit it is a 429, and without capacity a 503", async () => {
  let counted = 0;
  const limit: RateLimit = {
    async take() {
      if (++counted > 1) throw new HttpProblem("rate_limited", "Beyond the limit."); // however long a second is here
      return {};
    },
    charge: async () => {},
  };
  const limited = await startService({ rateLimit: limit });
  await addCompany(limited.writer, "acme");
  const headers = bearer(await addKey(limited.writer, "acme"));
  const statuses = [await send(limited, { headers }), await send(limited, { headers })].map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([200, 429]);
  let isKnown = false;
  const full = await startService({ admission: { acquire: async () => (isKnown ? null : () => {}) } });
  await addCompany(full.writer, "acme");
  const own = bearer(await addKey(full.writer, "acme"));
  await send(full, { headers: own });
  isKnown = true;
  expect((await send(full, { headers: own })).json.code).toBe("overloaded");
});

test("a lost store is a 503, or an error within a call; the cause of our own faults is not shown", async () => {
  const broken = await startService();
  await addCompany(broken.writer, "acme", sampleFacts());
  const { call } = await connectTo(broken.app, await addKey(broken.writer, "acme"));
  const company = broken.reader.company.bind(broken.reader);
  let error: Error = new StoreUnavailable("gone");
  broken.reader.company = (...args) => ({ ...company(...args), list: () => Promise.reject(error) });
  const lost = await call("find_people");
  expect(lost).toMatchObject({ isError: true, text: expect.stringContaining("try again") });
  error = new TypeError("x is undefined for QUETZAL");
  const failed = await call("find_people", { name: "QUETZAL" });
  expect(failed.isError).toBe(true);
  expect(failed.text).toMatch(/^The server failed on this request\..*\([0-9a-f-]{36}\)$/);
  expect(broken.faults.splice(0)).toMatchObject([{ message: "x is undefined for (sent)" }]);
  broken.reader.company = company;
  expect((await call("find_people")).isError).toBe(false);
  broken.reader.version = () => Promise.reject(new StoreUnavailable("gone"));
  await expect(call("find_people")).rejects.toThrow();
});
