import { describe, expect, test } from "bun:test";
import { type CachedResponse, responseCache } from "../../../src/http/middleware/cache.ts";

const response = (bytes: number): CachedResponse => ({
  content: { body: new Uint8Array(bytes), etag: 'W/"1"', link: null },
  compressed: new Map(),
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

  test("the cache stays within its bytes and evicts the least recently used response first", () => {
    const cache = responseCache(100_000);
    for (let page = 0; page < 50; page++) {
      for (let times = 0; times < 2; times++) cache.offer(`page ${page}`, response(10_000));
      cache.get("page 0");
    }
    const cached = Array.from({ length: 50 }, (_, page) => page).filter(
      (page) => cache.get(`page ${page}`) !== undefined,
    );
    expect(cached).toEqual([0, 45, 46, 47, 48, 49]);
  });

  test("a cache of 0 bytes caches nothing", () => {
    const cache = responseCache(0);
    for (let times = 0; times < 3; times++) cache.offer("a", response(1));
    expect(cache.get("a")).toBeUndefined();
  });
});
