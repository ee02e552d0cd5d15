// What an operator sees of requests: enough to follow each of them, and nothing of a key or a person.

import { expect, test } from "bun:test";
import { newCalendar } from "../../../src/http/new-key.ts";
import { freePort } from "../../support/postgres.ts";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, openTestStore } from "../../support/stores.ts";

/** Of a person and of queries: none of it may be seen. */
const SECRETS = ["Quetzal", "quetzal@example.com", "wrk_secret", "tor_secret", "broken leg", "2026-07-0"];

const PATHS = [
  "/v1/workers?workEmail=quetzal@example.com",
  "/v1/workers/wrk_secret",
  "/v1/workers/wrk_secretive",
  "/v1/time_off/requests?workerIds=wrk_secret&startsBefore=2026-07-03",
  "/v1/time_off/requests?workerIds=Quetzal",
  "/v1/Quetzal?q=quetzal@example.com",
  "/people/wrk_secret",
  "/policies/Quetzal",
  "/people/quetzal@example.com",
  "/web/Quetzal.js",
  "/docs/wrk_secret",
  "/Quetzal",
];

test("logs and metrics hold no key, no query and nothing of a worker", async () => {
  const store = await openTestStore();
  const worker = workerRow("wrk_secret", { firstName: "Quetzal", workEmail: "quetzal@example.com" });
  const request = requestRow("tor_secret", "wrk_secret", "top_a", { reason: "broken leg" });
  await addCompany(store.writer, "acme", {
    workers: [worker],
    policies: [policyRow("top_a")],
    requests: [request],
  });
  const key = await addKey(store.writer, "acme");
  const definition = {
    workers: ["wrk_secret"],
    types: [],
    policies: [],
    show: "busy",
    withPending: false,
  } as const;
  const feed = newCalendar({ companyId: "acme", name: "Quetzal", definition }, Date.now());
  await store.writer.createSecret(feed.stored);
  const wrong = `${key.slice(0, 10)}XXXX${key.slice(14)}`;
  const metricsPort = await freePort();
  const child = Bun.spawn(
    [ROLLCALL, "serve", "--db", store.path, "--port", "0", "--metrics-port", String(metricsPort)],
    {
      stdout: "pipe",
      stderr: "pipe",
      stdin: "ignore",
    },
  );
  try {
    const address = await listening(child.stdout);
    for (const path of PATHS) {
      for (const apiKey of [key, wrong])
        await fetch(address + path, { headers: { "x-api-key": apiKey, "x-request-id": "r1" } });
    }
    // A key that was pasted where it does not belong, and any other header.
    for (const path of [`/people/${key}`, `/v1/workers/${key}?${key}`, `/${key}`]) {
      const headers = { "x-api-key": key, "x-request-id": key, "user-agent": "Quetzal", cookie: key };
      await fetch(address + path, { headers });
    }
    const calendar = await fetch(`${address}/calendar/${feed.secret}.ics`, {
      headers: { "x-request-id": feed.secret },
    });
    expect(calendar.status).toBe(200);
    await fetch(`${address}/calendar/${feed.secret}`);
    for (const given of [{ name: "Quetzal" }, { Quetzal: "wrk_secret" }]) {
      const params = { name: "find_people", arguments: given };
      await fetch(`${address}/mcp`, {
        method: "POST",
        headers: {
          "x-api-key": key,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      });
    }
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    child.kill("SIGTERM");
    const log = await new Response(child.stderr).text();
    const lines = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>); // every line is JSON
    const requests = lines.filter(({ msg }) => msg === "request");
    expect(requests.length).toBe(PATHS.length * 2 + 7);
    for (const line of requests.slice(0, PATHS.length * 2)) {
      expect(line).toMatchObject({ requestId: "r1", method: "GET" });
      for (const field of ["route", "status", "durationMs", "bytes", "keyId", "companyId", "code"])
        expect(line).toHaveProperty(field);
    }
    expect(requests.find(({ status }) => status === 200)).toMatchObject({
      companyId: "acme",
      route: "/v1/workers",
    });
    const fetches = requests.filter(({ route }) => route === "/calendar/{feed}");
    expect(fetches).toMatchObject([
      { status: 200, keyId: feed.stored.id, companyId: "acme", requestId: "(key)" },
      { status: 404, keyId: null, companyId: null, code: "feed_not_found" },
    ]);
    expect(metrics).toMatch(/route="\/calendar\/\{feed\}"/);
    const calls = requests.filter(({ route }) => route === "/mcp");
    expect(calls).toMatchObject([
      { method: "POST", status: 200, tool: "find_people", isError: false },
      { method: "POST", status: 200, tool: "find_people", isError: true },
    ]);
    const fields = ["level", "time", "requestId", "method", "route", "status", "durationMs", "bytes"];
    const names = [...fields, "keyId", "companyId", "code"];
    expect(Object.keys(requests[0]!)).toEqual([...names, "msg"]);
    expect(Object.keys(calls[0]!)).toEqual([...names, "tool", "isError", "msg"]);
    const started = lines.find(({ msg }) => msg === "started")!; // which the library wrote
    expect(Object.keys(started).slice(0, 2)).toEqual(fields.slice(0, 2));
    expect(requests[0]!.level).toBe(started.level);
    for (const { time } of [started, requests[0]!])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(metrics).toContain('rollcall_mcp_tool_calls_total{tool="find_people",outcome="error"} 1');
    expect(metrics).toContain("200");
    for (const secret of [...SECRETS, key, key.slice(3, 20), wrong, feed.secret.slice(3, 20)]) {
      expect(log).not.toContain(secret);
      expect(metrics).not.toContain(secret);
    }
  } finally {
    child.kill("SIGKILL");
    await store.dispose();
  }
}, 120_000);

test("thousands of distinct paths and methods add no label to the metrics", async () => {
  const store = await openTestStore();
  await addCompany(store.writer, "acme");
  const metricsPort = await freePort();
  const child = Bun.spawn(
    [
      ROLLCALL,
      "serve",
      "--db",
      store.path,
      "--port",
      "0",
      "--metrics-port",
      String(metricsPort),
      "--log",
      "none",
    ],
    { stdout: "pipe", stderr: "pipe", stdin: "ignore" },
  );
  const scrape = async () => (await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).length;
  try {
    const address = await listening(child.stdout);
    const folders = ["people", "policies", "web", "docs", "v1", "v1/workers", "x"];
    const visit = async (number: number) => {
      for (const folder of folders)
        await fetch(`${address}/${folder}/${number}`, { method: METHODS[number % 8]! });
    };
    for (let number = 0; number < 16; number++) await visit(number);
    const before = await scrape();
    for (let number = 16; number < 500; number++) await visit(number);
    expect((await scrape()) - before).toBeLessThan(2000); // numbers with more digits
  } finally {
    child.kill("SIGKILL");
    await store.dispose();
  }
}, 120_000);

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];

async function listening(stdout: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stdout) {
    const address = /at (https?:\/\/\S+)/.exec(new TextDecoder().decode(chunk))?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("the server did not start");
}
