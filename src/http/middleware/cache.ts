// Answers kept until the company changes. The key holds the company's version and the day, so an answer under it is
// never stale: what changed has another key. Bounded in bytes; what is least recently used goes first.
//
// An answer is kept from the second time on that it is made. A walk of a whole list, which asks for each page once, so
// costs nothing for keeping, and drives out nothing that is asked for again and again.
import { LRUCache } from "lru-cache";
import type { Content } from "../render.ts";
import type { Compressed } from "./encoding.ts";

export interface CachedResponse {
  readonly content: Content;
  readonly compressed: Compressed;
}

export interface ResponseCache {
  get(key: string): CachedResponse | undefined;
  /** Offers an answer that had to be made. */
  offer(key: string, answer: CachedResponse): void;
}

/** What an entry costs beside its texts. */
const OVERHEAD_BYTES = 1024;

/** Compressed forms are counted in advance at this share of the body. */
const COMPRESSED_SHARE = 0.5;

export function answerCache(maxBytes: number): ResponseCache {
  if (maxBytes === 0) return { get: () => undefined, offer: () => {} };
  const kept = new LRUCache<string, CachedResponse>({
    maxSize: maxBytes,
    // The key holds the query, which is the caller's to make long, and the links hold it again.
    sizeCalculation: ({ content }, key) =>
      Math.ceil(content.body.length * (1 + COMPRESSED_SHARE)) +
      key.length +
      (content.link?.length ?? 0) +
      OVERHEAD_BYTES,
  });
  const wasOffered = firstOffers();
  return {
    get: (key) => kept.get(key),
    offer(key, answer) {
      if (wasOffered(key)) kept.set(key, answer);
    },
  };
}

/** So many of the latest offers are remembered. */
const REMEMBERED_OFFERS = 65_536;

/** Tells whether a key was offered before; as each has one place, another that falls on it makes it forgotten. */
function firstOffers(): (key: string) => boolean {
  const digests = new Uint32Array(REMEMBERED_OFFERS);
  return (key) => {
    const digest = Bun.hash.xxHash32(key);
    const place = digest % REMEMBERED_OFFERS;
    if (digests[place] === digest) return true;
    digests[place] = digest;
    return false;
  };
}

/** Everything that an answer is a function of. */
export function cacheKey(companyId: string, version: string, today: string, pathAndQuery: string): string {
  return `${companyId} ${version} ${today} ${pathAndQuery}`;
}
