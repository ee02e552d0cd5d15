import { describe, expect, test } from "bun:test";
import { type CachedResponse, cacheKey, responseCache } from "../../../src/http/middleware/cache.ts";

const response = (bytes: number): CachedResponse => ({
  content: { body: new Uint8Array(bytes), etag: 'W/"1"', link: null },
  compressed: new Map(),
  version: "1",
});

describe("cached responses", () => {
  test("what was not asked for the longest goes first, and what is larger than the cache is not cached", () => {
    const cache = responseCache(162_000);
    for (let page = 0; page < 50; page++) {
      cache.set(`page ${page}`, response(2560));
      cache.get("page 0");
    }
    cache.set("large", response(100_000));
    const cached = Array.from({ length: 50 }, (_, page) => page).filter(
      (page) => cache.get(`page ${page}`) !== undefined,
    );
    expect(cached).toEqual([0, 46, 47, 48, 49]); // five fit
    expect(cache.get("large")).toBeUndefined();
  });

  test("another version, another day and hidden reasons are other responses", () => {
    const cache = responseCache(1_000_000);
    const keyOf = (version: string, day: string, hidesReasons: boolean) =>
      cacheKey("acme", version, day, hidesReasons, "/v1/workers?");
    cache.set(keyOf("v1", "2026-03-01", false), response(100));
    expect(cache.get(keyOf("v1", "2026-03-01", false))).toBeDefined();
    expect(cache.get(keyOf("v2", "2026-03-01", false))).toBeUndefined();
    expect(cache.get(keyOf("v1", "2026-03-02", false))).toBeUndefined();
    expect(cache.get(keyOf("v1", "2026-03-01", true))).toBeUndefined();
  });

  test("a cache of 0 bytes caches nothing", () => {
    const cache = responseCache(0);
    cache.set("a", response(1));
    expect(cache.get("a")).toBeUndefined();
  });
});
