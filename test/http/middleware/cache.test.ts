import { describe, expect, test } from "bun:test";
import { type CachedResponse, cacheKey, responseCache } from "../../../src/http/middleware/cache.ts";

const response = (bytes: number): CachedResponse => ({
  content: { body: new Uint8Array(bytes), etag: 'W/"1"', link: null },
  compressed: new Map(),
  version: "1",
});

describe("cached responses", () => {
  test("a response is cached when it is made for the second time", () => {
    const cache = responseCache(1_000_000);
    const asked = response(1000);
    cache.offer("a", asked);
    expect(cache.get("a")).toBeUndefined();
    cache.offer("a", asked);
    expect(cache.get("a")).toBe(asked);
  });

  test("a scan larger than the cache evicts no response that is requested repeatedly", () => {
    const cache = responseCache(1_000_000);
    const often = response(10_000);
    for (let times = 0; times < 2; times++) cache.offer("often", often);
    for (let page = 0; page < 1000; page++) cache.offer(`page ${page}`, response(10_000));
    expect(cache.get("often")).toBe(often);
    expect(Array.from({ length: 1000 }, (_, page) => cache.get(`page ${page}`))).toEqual(
      Array.from({ length: 1000 }, () => undefined),
    );
  });

  test("a full cache takes one response in sixteen, in the place of those that were not asked for the longest", () => {
    const cache = responseCache(162_000);
    for (let page = 0; page < 50; page++) {
      for (let times = 0; times < 2; times++) cache.offer(`page ${page}`, response(2560));
      cache.get("page 0");
    }
    const cached = Array.from({ length: 50 }, (_, page) => page).filter(
      (page) => cache.get(`page ${page}`) !== undefined,
    );
    // Five fit; the sixth was the first to be offered when it was full.
    expect(cached).toEqual([0, 4, 5, 21, 37]);
  });

  test("callers that poll three times what fits find a quarter of it", () => {
    const cache = responseCache(1_500_000);
    let found = 0;
    for (let round = 0; round < 20; round++) {
      for (let page = 0; page < 150; page++) {
        if (cache.get(`page ${page}`) === undefined) cache.offer(`page ${page}`, response(2560));
        else if (round >= 10) found++;
      }
    }
    expect(found / (10 * 150)).toBeGreaterThan(0.25);
  });

  test("what a company's new version or another day replaces goes at once; other companies' stay", () => {
    const cache = responseCache(1_000_000);
    const keyOf = (company: string, version: string, day: string, page: number) =>
      cacheKey(company, version, day, false, `/v1/workers?page=${page}`);
    const old = Array.from({ length: 10 }, (_, page) => keyOf("acme", "v1", "2026-03-01", page));
    const others = keyOf("other", "v1", "2026-03-01", 1);
    for (const key of [...old, others, ...old, others]) cache.offer(key, response(100));
    expect(old.every((key) => cache.get(key) !== undefined)).toBe(true);
    cache.offer(keyOf("acme", "v2", "2026-03-01", 0), response(100));
    expect(old.some((key) => cache.get(key) !== undefined)).toBe(false);
    expect(cache.get(others)).toBeDefined();
    for (let times = 0; times < 2; times++) cache.offer(keyOf("other", "v1", "2026-03-02", 1), response(100));
    expect(cache.get(others)).toBeUndefined();
    expect(cache.get(keyOf("other", "v1", "2026-03-02", 1))).toBeDefined();
  });

  test("a cache of 0 bytes caches nothing", () => {
    const cache = responseCache(0);
    for (let times = 0; times < 3; times++) cache.offer("a", response(1));
    expect(cache.get("a")).toBeUndefined();
  });
});
