// Connections that are used as no client would: whatever they do, they end within bounds of time and size, and nobody
// else waits for them.
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { send } from "../socket.ts";
import { startTarget } from "./target.ts";

/** How long a head may take, and a connection may idle between requests; with what timers are late by. */
const HEAD_LIMIT_MS = 22_000;
const IDLE_LIMIT_MS = 45_000;

const SLOW_CONNECTIONS = 200;
const MB = 1024 * 1024;

const target = await startTarget();
const { port, get, truth } = target;

/** Writes a byte a second, or nothing, and tells how long the server bore it. */
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

/** Begun before everything else and awaited after it: meanwhile the other tests must not notice. */
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
  test("a hundred requests are answered in their order", async () => {
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
    const { answers, rest } = await send(port, bytes, { answers: 100 });
    expect(answers.map(({ headers }) => headers.get("x-request-id"))).toEqual(
      numbers.map((number) => `r${number}`),
    );
    for (const [number, { status }] of answers.entries())
      expect([statuses[number % 6]!, 503]).toContain(status);
    expect(rest.length).toBe(0);
  });

  test("what is right before something wrong is still answered", async () => {
    const { answers, closed } = await send(port, `${get("/v1/workers")}${get("/healthz")}NONSENSE\r\n\r\n`, {
      answers: 9,
    });
    expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([200, 200]);
    expect(closed).toBe(true);
  });

  test("ten thousand that nobody reads the answers of hold no memory", async () => {
    const before = target.memoryBytes();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(get("/v1/workers").repeat(10_000));
    await Bun.sleep(500);
    await target.expectRight();
    expect(target.memoryBytes() - before).toBeLessThan(64 * MB);
    socket.destroy();
  });

  test("byte by byte is as good as at once", async () => {
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
  test("a caller that has said everything is answered", async () => {
    const { answers } = await send(port, get("/v1/workers"), { halfClose: true });
    expect(answers[0]!.body.toString()).toBe(truth);
  });

  test("a caller that has said half is let go at once", async () => {
    const { answers, closed } = await send(port, "GET /v1/wor", { halfClose: true });
    expect(closed).toBe(true);
    expect(answers.length).toBe(0);
  });

  test("callers that leave before the answer leave nothing behind", async () => {
    for (let round = 0; round < 200; round++) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(get("/v1/time_off/balances?limit=100"));
      if (round % 2 === 0) await Bun.sleep(1);
      socket.resetAndDestroy();
    }
    await target.expectRight();
  });
});

test(
  `${SLOW_CONNECTIONS} connections that dawdle over their head are closed, and nobody waits for them`,
  async () => {
    await target.expectRight();
    for (const heldMs of await slowHeads) expect(heldMs).toBeLessThan(HEAD_LIMIT_MS);
    await target.expectRight();
  },
  HEAD_LIMIT_MS * 2,
);

// Half a minute of waiting, most of it beside the tests above.
test(
  "idle connections and slow bodies end",
  async () => {
    const held = await idleConnections;
    for (const heldMs of held) expect(heldMs).toBeLessThan(IDLE_LIMIT_MS);
  },
  IDLE_LIMIT_MS * 2,
);
