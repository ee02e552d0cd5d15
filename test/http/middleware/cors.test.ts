import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { startService } from "../service.ts";

const ORIGIN = "https://intranet.example.com";
const closed = await startService();
const open = await startService({ corsOrigin: ORIGIN });
await addCompany(closed.writer, "acme", sampleFacts());
await addCompany(open.writer, "acme", sampleFacts());
const closedKey = await addKey(closed.writer, "acme");
const key = await addKey(open.writer, "acme");

const corsHeaders = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control"));
const words = (text: string | null) => (text ?? "").toLowerCase().split(/ *, */);

const PATHS = [...ENDPOINTS.map(({ path }) => path), "/healthz", "/openapi.json", "/docs"];

describe.each(PATHS)("%s", (path) => {
  test("closed: pages of no origin may read", async () => {
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      const headers = { origin: ORIGIN, "access-control-request-method": "GET" };
      const response = await closed.call(path, { key: closedKey, method, headers });
      expect(corsHeaders(response.headers)).toEqual([]);
      expect(words(response.headers.get("vary"))).not.toContain("origin");
      expect(response.status).toBe(method === "OPTIONS" ? 405 : 200);
    }
  });

  test("open: pages of the origin may read responses, also errors and 304, and the headers of the contract", async () => {
    const calls = [{}, { key }, { key, method: "HEAD" }, { key, headers: { "if-none-match": "*" } }];
    for (const call of calls) {
      const response = await open.call(path, { ...call, headers: { origin: ORIGIN, ...call.headers } });
      expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(response.headers.has("access-control-allow-credentials")).toBe(false);
      expect(words(response.headers.get("vary"))).toContain("origin");
      expect(words(response.headers.get("access-control-expose-headers"))).toEqual(
        expect.arrayContaining([
          "x-request-id",
          "etag",
          "link",
          "ratelimit",
          "ratelimit-policy",
          "retry-after",
        ]),
      );
    }
  });

  test("open: pages of other origins may not", async () => {
    const others = [
      "https://evil.example.com",
      "http://intranet.example.com",
      `${ORIGIN}.evil.com`,
      `${ORIGIN}:444`,
      "null",
      "*",
    ];
    for (const origin of others) {
      for (const method of ["GET", "OPTIONS"]) {
        const headers = { origin, "access-control-request-method": "GET" };
        const response = await open.call(path, { key, method, headers });
        expect(corsHeaders(response.headers)).toEqual([]);
        expect(words(response.headers.get("vary"))).toContain("origin");
      }
    }
  });

  test("open: a preflight needs no key and allows what a caller sends", async () => {
    const headers = {
      origin: ORIGIN,
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-api-key",
    };
    const response = await open.call(path, { method: "OPTIONS", headers });
    expect(response.status).toBe(204);
    expect(response.text).toBe("");
    expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(words(response.headers.get("access-control-allow-methods"))).toEqual(["get", "head", "options"]);
    expect(words(response.headers.get("access-control-allow-headers"))).toEqual(
      expect.arrayContaining(["x-api-key", "if-none-match"]),
    );
  });
});

test("a response cached for one origin does not name it to another", async () => {
  const mine = await open.call("/v1/workers", { key, headers: { origin: ORIGIN } });
  const none = await open.call("/v1/workers", { key });
  expect(mine.text).toBe(none.text);
  expect(corsHeaders(none.headers)).toEqual([]);
});
