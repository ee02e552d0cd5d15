// The server reads no request body but that of a message to /mcp, and of that no more than 64 KiB, whatever the headers
// announce and whatever is sent.
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

  test.each([
    ["GET", "/v1/workers"],
    ["POST", "/v1/workers"],
    ["POST", "/mcp"],
  ])("%s %s with an endless body is cut off", async (method, path) => {
    const before = target.memoryBytes();
    const socket = connect(port, "127.0.0.1");
    const isClosed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => {});
    socket.resume();
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`,
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

describe("messages to /mcp", () => {
  const message = (body: string, headers = `Content-Length: ${Buffer.byteLength(body)}\r\n`) =>
    `POST /mcp HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${headers}\r\n${body}`;
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

  test("consecutive messages use one connection", async () => {
    const chunks = `${list.length.toString(16)}\r\n${list}\r\n0\r\n\r\n`;
    const chunked = message("", "Transfer-Encoding: chunked\r\n") + chunks;
    const socket = connect(port, "127.0.0.1");
    let received = "";
    for (const text of [message(list), chunked, message(list)]) {
      const isRead = new Promise<void>((resolve) => {
        received = "";
        socket.removeAllListeners("data").on("data", (data) => {
          received += data;
          if (received.endsWith('"id":1}')) resolve();
        });
      });
      socket.write(text);
      await isRead;
      expect(received).toStartWith("HTTP/1.1 200 OK\r\n");
    }
    socket.destroy();
  });

  test("a message of more than 64 KiB is a 413 that says so, and closes the connection", async () => {
    const body = "x".repeat(70_000);
    const { responses, closed } = await send(port, message(body), { responses: 2 });
    expect(responses[0]!.status).toBe(413);
    expect(JSON.parse(responses[0]!.body.toString()).code).toBe("body_too_large");
    expect(closed).toBe(true);
  });
});
