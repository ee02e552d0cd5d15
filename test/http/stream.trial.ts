// Streams in a real process, at length: flat memory at 1,000,000 rows, what other callers notice, and slow readers.
import { expect, test } from "bun:test";
import { assignmentRow, policyRow, requestRow, sampleFacts, workerRow } from "../support/rows.ts";
import { addCompany, addKey, change } from "../support/stores.ts";
import { serveStore } from "./process.ts";

const LAUNCHER = new URL("../../bin/rollcall", import.meta.url).pathname;
const WORKERS = 20_000;
const REQUESTS = 1_000_000;
const MB = 1024 * 1024;

const served = await serveStore("--cache", "0");
const numbered = (prefix: string, at: number) => `${prefix}_${String(at).padStart(7, "0")}`;
const worker = (at: number) => numbered("wrk", at % WORKERS);

/** Puts rows in batches, so that the test does not hold them all. */
async function putMany(): Promise<void> {
  await addCompany(served.writer, "large", { policies: [policyRow("top_1")] });
  await change(served.writer, "large", async (transaction) => {
    const batches = async (count: number, put: (ats: readonly number[]) => Promise<void>) => {
      for (let from = 0; from < count; from += 5000)
        await put(Array.from({ length: Math.min(5000, count - from) }, (_, at) => from + at));
    };
    await batches(WORKERS, (ats) =>
      transaction.put(
        "workers",
        ats.map((at) => workerRow(worker(at))),
      ),
    );
    await batches(WORKERS, (ats) =>
      transaction.put(
        "assignments",
        ats.map((at) => assignmentRow(numbered("toa", at), worker(at), "top_1")),
      ),
    );
    await batches(REQUESTS, (ats) =>
      transaction.put(
        "requests",
        ats.map((at) => requestRow(numbered("tor", at), worker(at), "top_1")),
      ),
    );
  });
}

await putMany();
await addCompany(served.writer, "small", sampleFacts());
const key = await addKey(served.writer, "large");
const otherKeyOfLarge = await addKey(served.writer, "large");
const otherKey = await addKey(served.writer, "small");

function open(path: string, accept: string): Promise<Response> {
  return fetch(served.address + path, { headers: { "x-api-key": key, accept } });
}

/** Reads a stream to its end: its lines, and the memory of the server after each tenth of them, in megabytes. */
async function readStream(path: string, accept: string, rows: number) {
  const response = await open(path, accept);
  let lines = 0;
  const megabytes: number[] = [];
  for await (const chunk of response.body!) {
    for (const byte of chunk) if (byte === 10) lines++;
    if (lines >= ((megabytes.length + 1) * rows) / 10) megabytes.push(Math.round(served.memoryBytes() / MB));
  }
  return { status: response.status, lines, megabytes };
}

test.each([
  ["application/x-ndjson", REQUESTS],
  ["text/csv", REQUESTS + 1],
])(
  "memory stays flat over 1,000,000 requests as %s",
  async (accept, lines) => {
    const began = performance.now();
    const { megabytes, ...read } = await readStream("/v1/time_off/requests", accept, REQUESTS);
    const seconds = (performance.now() - began) / 1000;
    console.log(`${accept}: ${seconds.toFixed(1)} s, MB after each tenth: ${megabytes.join(", ")}`);
    expect(read).toEqual({ status: 200, lines });
    // Bun's heap has a size to which it grows before it collects: the second half adds nothing to that.
    expect(Math.max(...megabytes.slice(5))).toBeLessThan(Math.max(...megabytes.slice(0, 5)) + 16);
  },
  600_000,
);

/** Durations of requests one after the other, in milliseconds, sorted. */
async function durations(count: number): Promise<number[]> {
  const all: number[] = [];
  for (let request = 0; request < count; request++) {
    const began = performance.now();
    const response = await fetch(`${served.address}/v1/workers`, { headers: { "x-api-key": otherKey } });
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    all.push(performance.now() - began);
  }
  return all.toSorted((a, b) => a - b);
}

const READ_ON = `for (;;) {
  const headers = { "x-api-key": process.env.KEY, accept: "application/x-ndjson" };
  for await (const _ of (await fetch(process.env.FROM, { headers })).body);
}`;

/** A reader that does nothing with what it reads, again and again, in a process of its own. */
function drain(url: string, apiKey: string): Bun.Subprocess {
  return Bun.spawn([process.execPath, "-e", READ_ON], {
    env: { KEY: apiKey, FROM: url },
    stdio: ["ignore", "ignore", "ignore"],
  });
}

test.each([
  ["the requests", "/v1/time_off/requests"],
  ["everybody's balances", "/v1/time_off/balances"],
])(
  "the 99th percentile of another caller beside three streams of %s is as if another process sent them",
  async (_, path) => {
    const options = ["--port", "0", "--log", "none", "--rate-limit", "0", "--cache", "0"];
    const elsewhere = Bun.spawn([LAUNCHER, "serve", "--db", served.path, ...options], { stdout: "pipe" });
    const said = await elsewhere.stdout.getReader().read();
    const address = /http:\/\/[^ ]+/.exec(new TextDecoder().decode(said.value))![0];
    const percentiles: number[] = [];
    for (const [name, from] of [
      ["alone", null],
      ["beside streams of another process", address],
      ["beside streams of this process", served.address],
    ] as const) {
      const streams =
        from === null ? [] : [key, key, otherKeyOfLarge].map((apiKey) => drain(from + path, apiKey));
      await durations(500);
      const all = await durations(3000);
      for (const stream of streams) stream.kill();
      await Bun.sleep(500);
      const at = (share: number) => all[Math.floor(all.length * share)]!;
      console.log(`${path} ${name}: p50 ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms`);
      percentiles.push(at(0.99));
    }
    elsewhere.kill();
    await elsewhere.exited;
    // A process that computes all the time is interrupted by others on a busy machine; one that waits is not.
    expect(percentiles[2]).toBeLessThan(percentiles[1]! + 40);
  },
  600_000,
);

/** Reads a stream in a process of its own, so many kB a second: the kernel holds megabytes that it has not taken. */
function readSlowly(apiKey: string, kilobytesPerSecond: number) {
  const script = `
    const { connect } = require("node:net");
    const socket = connect(${served.port}, "127.0.0.1");
    socket.write("GET /v1/time_off/requests HTTP/1.1\\r\\nHost: a\\r\\nx-api-key: ${apiKey}\\r\\nAccept: text/csv\\r\\n\\r\\n");
    socket.on("data", (data) => {
      socket.pause();
      setTimeout(() => socket.resume(), data.length / ${kilobytesPerSecond});
    });
    socket.on("error", () => {}).on("close", () => process.exit());`;
  return Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"] });
}

test("readers of less than 64 kB/s are cut after a minute or two and make room; one of 100 kB/s is not", async () => {
  const fair = readSlowly(key, 100);
  const slow = [readSlowly(key, 10), readSlowly(otherKeyOfLarge, 10)];
  await Bun.sleep(5000);
  expect((await open("/v1/workers", "text/csv")).status).toBe(503);
  const other = await fetch(`${served.address}/v1/workers`, {
    headers: { "x-api-key": otherKey, accept: "text/csv" },
  });
  expect((await other.bytes()).length).toBeGreaterThan(0); // another company finds a slot
  await Bun.sleep(180_000);
  const next = await open("/v1/workers", "text/csv");
  expect(next.status).toBe(200);
  await next.arrayBuffer();
  expect(fair.exitCode).toBe(null);
  for (const reader of [fair, ...slow]) reader.kill();
}, 300_000);
