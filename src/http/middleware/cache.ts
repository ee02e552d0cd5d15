// Cached responses. The key contains the company's version and the day, so a cached response is never stale: changed data
// has another key. Bounded in bytes, least recently used first out.
//
// A response is cached when it is made for the second time, so that list scans evict nothing.
import { LRUCache } from "lru-cache";
import type { Content } from "../render.ts";

export interface CachedResponse {
  readonly content: Content;
  /** The compressed forms of the body, by content coding. */
  readonly compressed: Map<string, Uint8Array>;
}

export interface ResponseCache {
  get(key: string): CachedResponse | undefined;
  /** Offers a response that was not cached. */
  offer(key: string, response: CachedResponse): void;
}

/** What an entry costs beside its texts. */
const OVERHEAD_BYTES = 1024;

/** Compressed forms are counted in advance, as this share of the body. */
const COMPRESSED_SHARE = 0.5;

/** A cache of at most `maxBytes`; 0 caches nothing. */
export function responseCache(maxBytes: number): ResponseCache {
  if (maxBytes === 0) return { get: () => undefined, offer: () => {} };
  const cached = new LRUCache<string, CachedResponse>({
    maxSize: maxBytes,
    // The key contains the query, which a caller can make long. The links contain it again.
    sizeCalculation: ({ content }, key) =>
      Math.ceil(content.body.length * (1 + COMPRESSED_SHARE)) +
      key.length +
      (content.link?.length ?? 0) +
      OVERHEAD_BYTES,
  });
  const wasOffered = recentOffers();
  return {
    get: (key) => cached.get(key),
    offer(key, response) {
      if (wasOffered(key)) cached.set(key, response);
    },
  };
}

/** How many recent offers are remembered: 256 kB of digests, where an LRU cache of the keys would take megabytes. */
const REMEMBERED_OFFERS = 65_536;

/** Tells whether a key was offered before. A collision overwrites the older entry. */
function recentOffers(): (key: string) => boolean {
  const digests = new Uint32Array(REMEMBERED_OFFERS);
  return (key) => {
    const digest = Bun.hash.xxHash32(key);
    const slot = digest % REMEMBERED_OFFERS;
    if (digests[slot] === digest) return true;
    digests[slot] = digest;
    return false;
  };
}

/** Everything that a response is a function of. */
export function cacheKey(
  companyId: string,
  version: string,
  today: string,
  hidesReasons: boolean,
  pathAndQuery: string,
): string {
  return `${companyId} ${version} ${today} ${hidesReasons ? "hidden " : ""}${pathAndQuery}`;
}
