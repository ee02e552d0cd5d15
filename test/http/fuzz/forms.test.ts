// Older and unusual forms of HTTP: the path alone decides the response.
import { describe, expect, test } from "bun:test";
import { send } from "../socket.ts";
import { startTarget } from "./target.ts";

const target = await startTarget();
const { port, get, truth } = target;

describe("older and unusual forms of HTTP", () => {
  test("HTTP/1.0, with and without a host: a response, then the connection closes", async () => {
    for (const host of ["Host: a\r\n", "", "Host: \r\n"]) {
      const { responses, closed } = await send(
        port,
        `GET /v1/workers HTTP/1.0\r\n${host}x-api-key: ${target.key}\r\n\r\n`,
        { responses: 2 },
      );
      expect(responses.map(({ body }) => body.toString())).toEqual([truth]);
      expect(closed).toBe(true);
    }
  });

  test.each(["a/b", "a?x", "a#x", "a b", "", "//", "a/v1/workers?limit=1&x=", "a@b", "[::1", "%00", "\xff"])(
    "the host %s changes nothing",
    async (host) => {
      const { responses } = await send(port, get("/v1/workers").replace("Host: a", `Host: ${host}`));
      // The parser may refuse it. If it does not, the path alone decides the response.
      if (responses[0]!.headers.has("x-request-id")) expect(responses[0]!.body.toString()).toBe(truth);
      else expect(responses[0]!.status).toBe(400);
    },
  );

  test.each([
    "http://other.example/v1/workers",
    "https://u:p@other.example:99/v1/workers",
    "http:///v1/workers",
  ])("an absolute request target counts by its path: %s", async (target) => {
    const { responses } = await send(port, get(target));
    expect(responses[0]!.body.toString()).toBe(truth);
  });

  test.each([
    ["close", true],
    ["keep-alive", false],
    ["keep-alive, close", true],
    [
      "upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      false,
    ],
    ["x-api-key", false],
  ])("Connection: %s", async (connection, ends) => {
    const bytes = get("/v1/workers", `Connection: ${connection}\r\n`);
    const { responses, closed } = await send(port, bytes + bytes, { responses: 2 });
    expect(responses[0]!.body.toString()).toBe(truth);
    expect(closed).toBe(ends);
    expect(responses.length).toBe(ends ? 1 : 2);
  });
});

test("request heads up to 16 kB are read; larger ones are refused", async () => {
  for (const [size, isRead] of [
    [15_000, true],
    [17_000, false],
    [64_000, false],
    [1_000_000, false],
  ] as const) {
    const filler = "x".repeat(size);
    for (const bytes of [
      get(`/v1/workers?${filler}=1`),
      get(`/v1/${filler}`),
      get("/v1/workers", `x-a: ${filler}\r\n`),
    ]) {
      const { responses } = await send(port, bytes);
      expect(responses[0]?.headers.has("x-request-id") ?? false).toBe(isRead);
      if (!isRead && responses.length > 0) expect(responses[0]!.status).toBe(431);
    }
  }
});

test("200 ids of ordinary length fit in both lists", async () => {
  const ids = (prefix: string) =>
    Array.from({ length: 200 }, (_, number) => `${prefix}_${String(number).padStart(20, "0")}`).join(",");
  const query = `workerIds=${ids("wrk")}&policyIds=${ids("top")}`;
  const { responses } = await send(port, get(`/v1/time_off/requests?${query}`));
  expect(responses[0]!.status).toBe(200);
});
