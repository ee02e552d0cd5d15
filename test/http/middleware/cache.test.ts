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

  test("what a company's new version or another day replaces goes at once; other companies' stay", () => {
    const cache = responseCache(1_000_000);
    const keyOf = (company: string, version: string, day: string, page: number) =>
      cacheKey(company, version, day, false, `/v1/workers?page=${page}`);
    const old = Array.from({ length: 10 }, (_, page) => keyOf("acme", "v1", "2026-03-01", page));
    const others = keyOf("other", "v1", "2026-03-01", 1);
    for (const key of [...old, others]) cache.set(key, response(100));
    expect(old.every((key) => cache.get(key) !== undefined)).toBe(true);
    cache.set(keyOf("acme", "v2", "2026-03-01", 0), response(100));
    expect(old.some((key) => cache.get(key) !== undefined)).toBe(false);
    expect(cache.get(others)).toBeDefined();
    cache.set(keyOf("other", "v1", "2026-03-02", 1), response(100));
    expect(cache.get(others)).toBeUndefined();
    expect(cache.get(keyOf("other", "v1", "2026-03-02", 1))).toBeDefined();
  });

  test("a cache of 0 bytes caches nothing", () => {
    const cache = responseCache(0);
    cache.set("a", response(1));
    expect(cache.get("a")).toBeUndefined();
  });
});
