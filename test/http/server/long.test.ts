// Responses that take long, on real sockets: the work ends once nobody waits for it, and with a 503 after its limit. The store is a
// real one, each read of which takes a while.
import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { createApp } from "../../../src/http/app.ts";
import { listen } from "../../../src/http/server.ts";
import type { CompanyReader, ReadStore } from "../../../src/store/store.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, openTestStore } from "../../support/stores.ts";
import { bareParts } from "../bare-parts.ts";

const WORKERS = 2000;
const READ_MS = 40;
const number = (at: number) => String(10_000 + at);
const store = await openTestStore();
const all = Array.from({ length: WORKERS }, (_, at) => number(at));
await addCompany(store.writer, "acme", {
  workers: all.map((id) => workerRow(`wrk_${id}`, { displayName: "Zoe" })),
  policies: [policyRow("top_1")],
  assignments: all.map((id) => assignmentRow(`toa_${id}`, `wrk_${id}`, "top_1")),
  requests: all.map((id) => requestRow(`tor_${id}`, `wrk_${id}`, "top_1")),
});
const key = await addKey(store.writer, "acme");

let reads = 0;

function slowly(reader: CompanyReader): CompanyReader {
  return new Proxy(reader, {
    get(target, name) {
      const read = Reflect.get(target, name);
      if (name === "atOneVersion")
        return (work: (company: CompanyReader) => unknown) =>
          target.atOneVersion(async (company) => work(slowly(company)));
      if (typeof read !== "function") return read;
      return async (...given: unknown[]) => {
        reads++;
        await Bun.sleep(READ_MS);
        return Reflect.apply(read, target, given);
      };
    },
  });
}

const slowStore: ReadStore = new Proxy(store.reader, {
  get(target, name) {
    if (name === "company")
      return (...given: Parameters<ReadStore["company"]>) => slowly(target.company(...given));
    const value = Reflect.get(target, name);
    return typeof value === "function" ? value.bind(target) : value;
  },
});

const options = {
  host: "127.0.0.1",
  port: 0,
  reusePort: false,
  tls: null,
  addressOf: (_request: Request, peer: string) => peer,
  isTrustedPeer: () => false,
  basePath: "",
};
const serve = (longestMs: number) =>
  listen(createApp(bareParts(slowStore, { today: () => "2026-03-01", longestMs })), options, () => {});
const servers = { patient: serve(60_000), hasty: serve(150) };
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  await store.dispose();
});

const tool = (name: string, given: object) => ({
  path: "/mcp",
  accept: "application/json, text/event-stream",
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }),
});

/** What takes at least ten reads. */
const LONG: Readonly<Record<string, { path: string; accept?: string; body?: string }>> = {
  movements: { path: "/v1/time_off/movements" },
  expirations: { path: "/v1/time_off/expirations" },
  "a stream of movements": { path: "/v1/time_off/movements", accept: "text/csv" },
  "a stream of workers": { path: "/v1/workers", accept: "application/x-ndjson" },
  "days of leave": { path: "/v1/time_off/days?to=2027-02-20&from=2026-04-20" },
  "a tool of assistants": tool("time_off_movements", {}),
};

/** Sends a request and hangs up when so many reads have begun. Returns how many begin until nothing is read any more. */
async function readsAfterHangUp({ path, accept = "*/*", body = "" }: (typeof LONG)[string]): Promise<number> {
  reads = 0;
  const socket = connect(Number(new URL(servers.patient.address).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  const headers = `Host: a\r\nx-api-key: ${key}\r\nAccept: ${accept}\r\nContent-Type: application/json\r\n`;
  const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
  socket.write(`${body === "" ? "GET" : "POST"} ${path} HTTP/1.1\r\n${headers}${length}\r\n${body}`);
  const giveUpAtMs = performance.now() + 20_000;
  while (reads < 4 && performance.now() < giveUpAtMs) await Bun.sleep(5);
  expect(reads).toBeGreaterThanOrEqual(4);
  socket.destroy();
  await Bun.sleep(2 * READ_MS);
  const then = reads;
  await Bun.sleep(10 * READ_MS);
  return reads - then;
}

for (const [what, request] of Object.entries(LONG))
  test(`${what}: nothing is read for a caller who has hung up`, async () => {
    expect(await readsAfterHangUp(request)).toBeLessThanOrEqual(1);
  });

test("work that several callers wait for goes on until the last one has hung up", async () => {
  const path = `${servers.patient.address}/v1/time_off/movements?to=2026-02-01`;
  const leaving = new AbortController();
  const headers = { "x-api-key": key };
  const left = fetch(path, { headers, signal: leaving.signal }).catch((error: Error) => error.name);
  await Bun.sleep(3 * READ_MS);
  const staying = fetch(path, { headers });
  await Bun.sleep(READ_MS);
  leaving.abort();
  expect(await left).toBe("AbortError");
  expect((await staying).status).toBe(200);
});

test("a response that takes too long is a 503 that says what to do; a stream may take longer", async () => {
  for (const what of ["movements", "days of leave"]) {
    const response = await fetch(servers.hasty.address + LONG[what]!.path, { headers: { "x-api-key": key } });
    expect([what, response.status, response.headers.get("retry-after")]).toEqual([what, 503, "30"]);
    expect(await response.json()).toMatchObject({
      code: "timed_out",
      detail: expect.stringContaining("it took too long to compute. Ask for fewer days or workers"),
    });
  }
  const headers = { "x-api-key": key, accept: "text/csv" };
  const stream = await fetch(`${servers.hasty.address}/v1/time_off/movements`, { headers });
  expect((await stream.text()).split("\n").length).toBeGreaterThan(1);
});
