// The server never reads a request body, whatever the headers announce and whatever is sent.
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { send } from "../socket.ts";
import { startTarget } from "./target.ts";

const MB = 1024 * 1024;

const target = await startTarget();
const { port, get, truth, key } = target;

describe("bodies are never read", () => {
  test.each([
    ["of a length", "Content-Length: 5\r\n", "hello"],
    ["in chunks", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"],
    ["expected first", "Content-Length: 5\r\nExpect: 100-continue\r\n", "hello"],
    ["that never comes", "Content-Length: 99999999\r\n", ""],
  ])("%s: a response, then the connection closes", async (_, headers, body) => {
    const bytes = `${get("/v1/workers", headers)}${body}${get("/healthz")}`;
    const { responses, closed } = await send(port, bytes, { responses: 2 });
    expect(responses.map(({ body: text }) => text.toString())).toEqual([truth]);
    expect(responses[0]!.headers.get("connection")).toBe("close");
    expect(closed).toBe(true);
  });

  test("a body of length 0 keeps the connection open", async () => {
    const { responses } = await send(port, get("/v1/workers", "Content-Length: 0\r\n").repeat(2), {
      responses: 2,
    });
    expect(responses.map(({ body }) => body.toString())).toEqual([truth, truth]);
  });

  test.each(["GET", "POST"])("%s with an endless body is cut off", async (method) => {
    const before = target.memoryBytes();
    const socket = connect(port, "127.0.0.1");
    const isClosed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => {});
    socket.resume();
    socket.write(
      `${method} /v1/workers HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    let sent = 0;
    while (!socket.destroyed && sent < 256 * MB) {
      sent += chunk.length;
      if (!socket.write(chunk))
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), isClosed]);
    }
    expect(sent).toBeLessThan(128 * MB);
    expect(target.memoryBytes() - before).toBeLessThan(32 * MB);
    await target.expectCorrect();
  });
});
