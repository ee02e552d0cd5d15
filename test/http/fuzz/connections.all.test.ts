// Misused connections: each ends within bounds of time and size, and delays no other caller.
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { send } from "../socket.ts";
import { startTarget } from "./target.ts";

/** How long the head of a request may take, and how long a connection may be idle. Both include late timers. */
const HEAD_LIMIT_MS = 22_000;
const IDLE_LIMIT_MS = 45_000;

const SLOW_CONNECTIONS = 200;
const MB = 1024 * 1024;

const target = await startTarget();
const { port, get, truth } = target;

/** Sends `drip` every second; resolves with the time until the server closed the connection. */
function slow(start: string, drip: string): Promise<number> {
  return new Promise((resolve) => {
    const startedAtMs = performance.now();
    const socket = connect(port, "127.0.0.1");
    const timer = setInterval(() => drip !== "" && socket.write(drip), 1000);
    socket.write(start);
    socket.resume();
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      resolve(performance.now() - startedAtMs);
    });
  });
}

/** Started before the other tests and awaited after them, which must not notice. */
const idleConnections = Promise.all([
  slow(get("/v1/workers"), ""),
  slow(get("/v1/workers", "Content-Length: 1000\r\n"), ""),
  slow(get("/v1/workers", "Content-Length: 1000\r\n"), "x"),
  slow(get("/v1/workers", "Transfer-Encoding: chunked\r\n"), "1\r\nx\r\n"),
]);

const slowHeads = Promise.all(
  Array.from({ length: SLOW_CONNECTIONS }, (_, number) =>
    slow(
      ["", "GET", "GET /v1/workers HTTP/1.1\r\nHost: a\r\nx-slow: "][number % 3]!,
      number % 3 === 0 ? "" : "x",
    ),
  ),
);

describe("pipelining", () => {
  test("a hundred requests get their responses in order", async () => {
    const kinds = [
      "/v1/workers",
      "/v1/workers?limit=0",
      "/nowhere",
      "/v1/time_off/balances",
      "/v1/workers/wrk_absent",
      "/healthz",
    ];
    const statuses = [200, 400, 404, 200, 404, 200];
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    const bytes = numbers.map((number) => get(kinds[number % 6]!, `x-request-id: r${number}\r\n`)).join("");
    // On a busy machine, a turn of a hundred requests may last so long that the rest would have to wait. Bun closes the connection
    // then. It closes it after a whole response, and the next try gets all.
    for (let tries = 1; ; tries++) {
      const { responses, rest, closed } = await send(port, bytes, { responses: 100 });
      expect(responses.map(({ headers }) => headers.get("x-request-id"))).toEqual(
        numbers.slice(0, responses.length).map((number) => `r${number}`),
      );
      for (const [number, { status }] of responses.entries())
        expect([statuses[number % 6]!, 503]).toContain(status);
      expect(rest.length).toBe(0);
      if (responses.length === numbers.length) break;
      expect(closed).toBeTrue();
      expect(tries).toBeLessThan(10);
    }
  });

  test("a connection that pipelines goes on to get every response, however many requests it sends one by one", async () => {
    const one = get("/v1/workers");
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.on("data", (data) => {
      received += data;
    });
    let sent = 0;
    const sendAndWait = async (requests: number) => {
      socket.write(one.repeat(requests));
      sent += requests;
      while (received.split("HTTP/1.1 ").length <= sent && !socket.closed) await Bun.sleep(1);
    };
    await sendAndWait(2);
    for (let alone = 0; alone < 32; alone++) await sendAndWait(1);
    await sendAndWait(3);
    expect(received.split("HTTP/1.1 200").length - 1).toBe(sent);
    socket.destroy();
  });

  test("valid requests before an invalid one get their responses", async () => {
    const { responses, closed } = await send(
      port,
      `${get("/v1/workers")}${get("/healthz")}NONSENSE\r\n\r\n`,
      {
        responses: 9,
      },
    );
    expect(responses.slice(0, 2).map(({ status }) => status)).toEqual([200, 200]);
    expect(closed).toBe(true);
  });

  test("ten thousand requests whose responses are not read hold no memory", async () => {
    const before = target.memoryBytes();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(get("/v1/workers").repeat(10_000));
    await Bun.sleep(500);
    await target.expectCorrect();
    expect(target.memoryBytes() - before).toBeLessThan(64 * MB);
    socket.destroy();
  });

  test("a request may arrive byte by byte", async () => {
    const socket = connect(port, "127.0.0.1");
    const received: Promise<string> = new Promise((resolve) =>
      socket.once("data", (data) => resolve(data.toString())),
    );
    for (const byte of get("/v1/workers")) {
      socket.write(byte);
      await Bun.sleep(1);
    }
    expect(await received).toContain(truth);
    socket.destroy();
  });
});

describe("half-closed", () => {
  test("a caller that has sent its whole request gets its response", async () => {
    const { responses } = await send(port, get("/v1/workers"), { halfClose: true });
    expect(responses[0]!.body.toString()).toBe(truth);
  });

  test("a caller that has sent half a request is disconnected at once", async () => {
    const { responses, closed } = await send(port, "GET /v1/wor", { halfClose: true });
    expect(closed).toBe(true);
    expect(responses.length).toBe(0);
  });

  test("callers that disconnect before the response leave nothing behind", async () => {
    for (let round = 0; round < 200; round++) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(get("/v1/time_off/balances?limit=100"));
      if (round % 2 === 0) await Bun.sleep(1);
      socket.resetAndDestroy();
    }
    await target.expectCorrect();
  });
});

test(
  `${SLOW_CONNECTIONS} connections that send their head slowly are closed, and delay no other caller`,
  async () => {
    await target.expectCorrect();
    for (const heldMs of await slowHeads) expect(heldMs).toBeLessThan(HEAD_LIMIT_MS);
    await target.expectCorrect();
  },
  HEAD_LIMIT_MS * 2,
);

// Half a minute of waiting, mostly during the tests above.
test(
  "idle connections and slow bodies are closed",
  async () => {
    const held = await idleConnections;
    for (const heldMs of held) expect(heldMs).toBeLessThan(IDLE_LIMIT_MS);
  },
  IDLE_LIMIT_MS * 2,
);
