// Readers of streams on real sockets: who takes too little for too long is cut, and everybody else is sent everything.
import { afterAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { createApp } from "../../../src/http/app.ts";
import { listen, type Server } from "../../../src/http/server.ts";
import { STREAM_LIMITS, type StreamLimits } from "../../../src/http/stream.ts";
import { workerRow } from "../../support/rows.ts";
import { addCompany, addKey, openTestStore } from "../../support/stores.ts";
import { bareParts } from "../bare-parts.ts";

/** 16 MB: more than the kernel holds for a reader that takes nothing. */
const WORKERS = 2000;
const LONG_NAME = "x".repeat(8000);

const store = await openTestStore();
await addCompany(store.writer, "acme", {
  workers: Array.from({ length: WORKERS }, (_, number) =>
    workerRow(`wrk_${1000 + number}`, { displayName: LONG_NAME }),
  ),
});
const key = await addKey(store.writer, "acme");
const servers: Server[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await store.dispose();
});

/** Serves with these limits; returns the port. */
function serveWith(limits: Partial<StreamLimits>): number {
  const parts = bareParts(store.reader, {
    today: () => "2026-03-01",
    streamLimits: { ...STREAM_LIMITS, ...limits },
  });
  const server = listen(
    createApp(parts),
    {
      host: "127.0.0.1",
      port: 0,
      reusePort: false,
      tls: null,
      addressOf: (_request, peer) => peer,
      isTrustedPeer: () => false,
      basePath: "",
    },
    () => {},
  );
  servers.push(server);
  return Number(new URL(server.address).port);
}

/** Asks for the stream, and takes its first bytes and no more. */
async function openStream(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  const headers = `Host: a\r\nx-api-key: ${key}\r\nAccept: application/x-ndjson\r\n`;
  socket.write(`GET /v1/workers HTTP/1.1\r\n${headers}\r\n`);
  await new Promise<void>((resolve) => {
    socket.once("data", (bytes) => {
      expect(bytes.toString("latin1")).toStartWith("HTTP/1.1 200");
      socket.pause();
      resolve();
    });
  });
  return socket;
}

const LAST_CHUNK = "\r\n0\r\n\r\n";

/** Takes what comes, so many bytes a second, until the connection ends. Returns whether the stream was whole, and its bytes. */
async function readToEnd(socket: Socket, bytesPerSecond: number) {
  let last = "";
  let bytes = 0;
  const end = Promise.withResolvers<void>();
  socket.on("data", (data: Buffer) => {
    bytes += data.length;
    last = (last + data.subarray(-10).toString("latin1")).slice(-10);
    if (last.endsWith(LAST_CHUNK)) return end.resolve();
    socket.pause();
    setTimeout(() => socket.resume(), (data.length / bytesPerSecond) * 1000);
  });
  socket.on("error", () => end.resolve()).on("close", () => end.resolve());
  socket.resume();
  await end.promise;
  socket.destroy();
  return { isWhole: last.endsWith(LAST_CHUNK), bytes };
}

test("readers that stop reading are disconnected and make room; their response has no end", async () => {
  const port = serveWith({ overMs: 300 });
  const stalled = [await openStream(port), await openStream(port)];
  const headers = { "x-api-key": key, accept: "text/csv" };
  let status: number;
  do {
    const response = await fetch(`http://127.0.0.1:${port}/v1/workers`, { headers });
    status = response.status;
    await response.bytes();
  } while (status === 503); // until both have their 300 ms behind them
  expect(status).toBe(200);
  for (const socket of stalled)
    expect(await readToEnd(socket, Number.POSITIVE_INFINITY)).toMatchObject({ isWhole: false });
});

test("a reader that reads too slowly is disconnected", async () => {
  const port = serveWith({ slowestBytesPerSecond: 10_000_000, overMs: 300 });
  expect(await readToEnd(await openStream(port), 1_000_000)).toMatchObject({ isWhole: false });
});

test("a slow reader that reads fast enough gets everything", async () => {
  const port = serveWith({ overMs: 30_000 });
  const { isWhole, bytes } = await readToEnd(await openStream(port), 4_000_000);
  expect(isWhole).toBe(true);
  expect(bytes).toBeGreaterThan(WORKERS * LONG_NAME.length);
});

test("no stream lasts longer than its limit, however it is read", async () => {
  const port = serveWith({ slowestBytesPerSecond: 0, longestMs: 500 });
  expect(await readToEnd(await openStream(port), 4_000_000)).toMatchObject({ isWhole: false });
});

test("without a limit, a reader may pause for long", async () => {
  const port = serveWith({ slowestBytesPerSecond: 0, overMs: 1 });
  const socket = await openStream(port);
  await Bun.sleep(500);
  expect(await readToEnd(socket, Number.POSITIVE_INFINITY)).toMatchObject({ isWhole: true });
});

test("a stream that fails prints nothing outside the log", async () => {
  const script = `
    import { listen } from ${JSON.stringify(import.meta.resolve("../../../src/http/server.ts"))};
    let pages = 0;
    const pull = async (controller) => {
      await Bun.sleep(1);
      if (++pages < 3) controller.enqueue(new Uint8Array(1000));
      else controller.error(new Error("lost, with what a caller sent"));
    };
    const app = () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    const options = { host: "127.0.0.1", port: 0, reusePort: false, tls: null };
    const own = { addressOf: (_, peer) => peer, isTrustedPeer: () => false, basePath: "" };
    const server = listen(app, { ...options, ...own }, () => {});
    await fetch(server.address).then((response) => response.text()).catch(() => console.log("reset"));
    process.exit(0);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  expect(await Promise.all(texts)).toEqual(["reset\n", ""]);
});
