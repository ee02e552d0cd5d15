// A proxy signs people in, but lets some paths through without a sign-in, calendars above all. Property: whatever target such a
// path is written as, forged headers that name a person open nothing. The sockets are those of the trusted proxy itself.
import { expect, test } from "bun:test";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany } from "../../support/stores.ts";
import { serveStore } from "../process.ts";
import { send } from "../socket.ts";

const served = await serveStore(
  ...["--trust-proxy", "127.0.0.1", "--auth-proxy", "X-Forwarded-Email", "--auth-group", "*=acme:everything"],
);
await addCompany(served.writer, "acme", {
  workers: [workerRow("wrk_ana", { displayName: "Ana Secret" })],
  policies: [policyRow("top_a")],
  requests: [requestRow("tor_a", "wrk_ana", "top_a")],
});

const DAYS = "?from=2026-02-20&to=2026-03-20";
const TARGETS = [
  "/calendar/\\..\\..\\web\\away.json",
  "/calendar/../web/away.json",
  "/calendar/%2e%2e/web/away.json",
  "/calendar/.%2E/web/away.json",
  "/calendar/..\\web/away.json",
  "/calendar/x/../../web/away.json",
  "/calendar/..",
  "/calendar/%2e%2e",
  "/calendar/\\..\\..\\v1\\workers",
  "/calendar/../v1/workers",
  "/calendar/../v1/workers/wrk_ana",
  "/web/./away.json",
  "/web/%2e/away.json",
  "/web\\away.json",
  "/./web/away.json",
  "/docs/../web/away.json",
  "/docs/\\..\\..\\web\\away.json",
  "/docs/../web/session.json",
  "/docs/../healthz",
  "/docs/../openapi.json",
  "/web/../docs",
  "/docs/%2e%2e/",
  "http://evil/calendar/../web/away.json",
  "http://evil/web/./away.json",
  "http://evil/web\\away.json",
];

async function get(target: string) {
  const head = `GET ${target} HTTP/1.1\r\nHost: a\r\nX-Forwarded-Email: boss@acme.example\r\n\r\n`;
  const { responses } = await send(served.port, head);
  return { status: responses[0]!.status, text: responses[0]!.body.toString() };
}

test("the person that the proxy names sees who is away, so the headers below are trusted", async () => {
  const { status, text } = await get(`/web/away.json${DAYS}`);
  expect([status, text.includes("Ana Secret")]).toEqual([200, true]);
});

test.each(TARGETS)("%s is nothing", async (target) => {
  const { status, text } = await get(target + DAYS);
  expect([status, JSON.parse(text).code]).toEqual([404, "unknown_path"]);
});

test.each([
  "/calendar/away.json",
  "/calendar/x.ics",
  "/calendar/%5c..%5c..%5cweb%5caway.json",
  "/calendar/..%2fweb%2faway.json",
  "/calendar/x/y",
  "/calendar/",
])("a calendar's path signs nobody in: %s", async (target) => {
  const { status, text } = await get(target + DAYS);
  expect([status, text.includes("Secret")]).toEqual([404, false]);
});

test("a target with a scheme and a host is its path, as every proxy reads it (RFC 9112, 3.2.2)", async () => {
  const { status } = await get(`http://evil/web/away.json${DAYS}`);
  expect(status).toBe((await get(`/web/away.json${DAYS}`)).status);
  expect((await get(`http://evil/calendar/x.ics`)).status).toBe(404);
});
