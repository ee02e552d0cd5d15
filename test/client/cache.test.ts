import { expect, test } from "bun:test";
import { ResponseCache } from "../../src/client/cache.ts";
import { retryAfterMs } from "../../src/client/errors.ts";
import { ok, scripted } from "./stub.ts";

test("a repeated request sends the ETag, and a 304 is served from the cache", async () => {
  const unchanged = new Response(null, { status: 304, headers: { etag: 'W/"1"' } });
  const { rollcall, asked } = scripted([ok({ id: "wrk_a" }, { etag: 'W/"1"' }), unchanged]);
  const first = await rollcall.workers.retrieve("wrk_a");
  first.position = "changed by the caller";
  expect(await rollcall.workers.retrieve("wrk_a")).toEqual({ id: "wrk_a" } as typeof first);
  expect(asked.map(({ headers }) => headers.get("if-none-match"))).toEqual([null, 'W/"1"']);
});

test("a changed response replaces the cached one", async () => {
  const steps = [ok({ id: "1" }, { etag: 'W/"1"' }), ok({ id: "2" }, { etag: 'W/"2"' }), ok({ id: "3" })];
  const { rollcall, asked } = scripted(steps);
  for (const id of ["1", "2", "3"]) expect((await rollcall.policies.retrieve("top_a")).id).toBe(id);
  expect(asked.at(-1)?.headers.get("if-none-match")).toBe('W/"2"');
});

test("the cache is bounded and drops the least recently used", () => {
  const cache = new ResponseCache(10);
  const response = (text: string) => ({ etag: "e", text });
  cache.set("a", response("1234"));
  cache.set("b", response("1234"));
  cache.get("a");
  cache.set("c", response("1234"));
  expect([cache.get("a"), cache.get("b"), cache.get("c")].map((cached) => cached !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
  cache.set("a", response("12345678901"));
  expect(cache.get("a")).toBeUndefined();
  expect(cache.get("c")).toBeDefined();
});

test("Retry-After is seconds or a date", () => {
  const nowMs = Date.parse("2026-11-21T10:00:00Z");
  expect(retryAfterMs("2", nowMs)).toBe(2000);
  expect(retryAfterMs("0.5", nowMs)).toBe(500); // some servers send fractions
  expect(retryAfterMs("Sat, 21 Nov 2026 10:00:05 GMT", nowMs)).toBe(5000);
  expect(retryAfterMs("Sat, 21 Nov 2026 09:00:00 GMT", nowMs)).toBe(0);
  expect(retryAfterMs("soon", nowMs)).toBeUndefined();
  expect(retryAfterMs(null, nowMs)).toBeUndefined();
});
