// Answers kept until the company changes. The key holds the company's version and the day, so an answer under it is
// never stale: what changed has another key. Bounded in bytes; what is least recently used goes first.
import { LRUCache } from "lru-cache";
import type { Compressed } from "./encoding.ts";
import type { Content } from "./render.ts";

export interface KeptAnswer {
  readonly content: Content;
  readonly compressed: Compressed;
}

export interface AnswerCache {
  get(key: string): KeptAnswer | undefined;
  set(key: string, answer: KeptAnswer): void;
}

/** What an entry costs beside its texts. */
const OVERHEAD_BYTES = 1024;

/** Compressed forms are counted in advance at this share of the body. */
const COMPRESSED_SHARE = 0.5;

export function answerCache(maxBytes: number): AnswerCache {
  if (maxBytes === 0) return { get: () => undefined, set: () => {} };
  return new LRUCache<string, KeptAnswer>({
    maxSize: maxBytes,
    // The key holds the query, which is the caller's to make long, and the links hold it again.
    sizeCalculation: ({ content }, key) =>
      Math.ceil(content.body.length * (1 + COMPRESSED_SHARE)) +
      key.length +
      (content.link?.length ?? 0) +
      OVERHEAD_BYTES,
  });
}

/** Everything that an answer is a function of. */
export function cacheKey(companyId: string, version: string, today: string, pathAndQuery: string): string {
  return `${companyId} ${version} ${today} ${pathAndQuery}`;
}
