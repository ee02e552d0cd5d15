import { describe, expect, test } from "bun:test";
import { cachedContent, cacheKey, ResponseCache } from "../../../src/http/middleware/cache.ts";
import { beginRequest } from "../../../src/http/request-context.ts";
import { type Content, contentOf } from "../../../src/http/routes/route.ts";
import { CONNECTION } from "../bare-parts.ts";

const response = (bytes: number): Content => contentOf("x".repeat(bytes));

describe("cached responses", () => {
  test("the least recently used response is dropped first, and one larger than the cache is not cached", () => {
    const cache = new ResponseCache(162_000);
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

  test("another version, another day and hidden reasons have their own responses", () => {
    const cache = new ResponseCache(1_000_000);
    const keyOf = (version: string, day: string, hidesReasons: boolean) =>
      cacheKey("acme", version, day, hidesReasons, "/v1/workers?");
    cache.set(keyOf("v1", "2026-03-01", false), response(100));
    expect(cache.get(keyOf("v1", "2026-03-01", false))).toBeDefined();
    expect(cache.get(keyOf("v2", "2026-03-01", false))).toBeUndefined();
    expect(cache.get(keyOf("v1", "2026-03-02", false))).toBeUndefined();
    expect(cache.get(keyOf("v1", "2026-03-01", true))).toBeUndefined();
  });

  test("a cache of 0 bytes caches nothing", () => {
    const cache = new ResponseCache(0);
    cache.set("a", response(1));
    expect(cache.get("a")).toBeUndefined();
  });

  test.each([0, 1_000_000])("with %i bytes, what many ask for at once is read once", async (maxBytes) => {
    const cache = new ResponseCache(maxBytes);
    const options = { isTimed: false, isTls: false, basePath: "" };
    const context = beginRequest(new Request("http://a/v1/workers"), CONNECTION, options);
    let reads = 0;
    const ask = async (outcome: () => Content) =>
      cachedContent({ cache, longestMs: 1000 }, "a", context, async () => {
        reads++;
        await Bun.sleep(1);
        return outcome();
      });
    const lost = () => {
      throw new Error("lost");
    };
    const failed = await Promise.allSettled([ask(lost), ask(lost)]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const page = response(100);
    expect(await Promise.all([1, 2, 3].map(() => ask(() => page)))).toEqual([page, page, page]);
    expect(reads).toBe(2);
  });
});
