// Cached responses. The key contains the company's version and the day, so a cached response is never stale: changed data
// has another key. Bounded in bytes, least recently used first out.
//
// A response is cached when it is made for the second time, so that list scans evict nothing. Once the cache is full, only one in
// so many of these takes the place of others: callers that poll more than fits would otherwise evict everything right before it
// is asked for again. What a company's new version replaces goes at once.
import { LRUCache } from "lru-cache";
import type { Content } from "../render.ts";

export interface CachedResponse {
  /** Its body becomes a `Blob` when it is sent as it is for the second time. */
  content: Omit<Content, "body"> & { readonly body: Uint8Array | Blob };
  /** The compressed forms of the body, by content coding. */
  readonly compressed: Map<string, Uint8Array>;
  /** The company's version that it is of. */
  readonly version: string;
  /** Whether a response was made of it. */
  wasSent?: true;
  /** The headers of its responses, by content coding, or `unchanged`: see negotiation.ts. */
  prepared?: Map<string, PreparedHeaders>;
}

export function bodyBytes(body: Uint8Array | Blob): number {
  return body instanceof Blob ? body.size : body.length;
}

/** Headers that Bun has checked and stored: a response takes half the time that it takes from a record. */
export interface PreparedHeaders {
  /** Without those that differ from one request to the next. */
  readonly headers: Headers;
  /** What earlier phases had added to `Vary`. */
  readonly varies: string | undefined;
}

export interface ResponseCache {
  get(key: string): CachedResponse | undefined;
  /** Offers a response that was not cached. */
  offer(key: string, response: CachedResponse): void;
}

/** What an entry costs beside its texts. */
const OVERHEAD_BYTES = 1024;

interface Costs {
  /**
   * What an entry costs, in sizes of its body: its compressed forms, evicted bodies that wait to be collected as garbage, and that
   * Bun's heap grows to twice what lives in it before old garbage is collected. Measured: see decision 40.
   */
  readonly timesBody: number;
  /** While the cache is full, one offer in so many is taken. What it evicts is old garbage. */
  readonly admittedWhenFull: number;
}

const COSTS: Costs = { timesBody: 8, admittedWhenFull: 16 };

/** Where reads wait for something outside, more is under way when garbage is collected, and becomes old (decision 61). */
const COSTS_WAITING: Costs = { timesBody: 12, admittedWhenFull: 64 };

/** A cache of at most `maxBytes`; 0 caches nothing. `readsWait`: whether reading the store waits for something outside. */
export function responseCache(maxBytes: number, readsWait = false): ResponseCache {
  if (maxBytes === 0) return { get: () => undefined, offer: () => {} };
  // The key contains the query, which a caller can make long. The links contain it again.
  const { timesBody, admittedWhenFull } = readsWait ? COSTS_WAITING : COSTS;
  const sizeOf = ({ content }: CachedResponse, key: string) =>
    bodyBytes(content.body) * timesBody + key.length + (content.link?.length ?? 0) + OVERHEAD_BYTES;
  const companies = new CompanyKeys();
  const cached = new LRUCache<string, CachedResponse>({
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
    dispose: (_response, key) => companies.remove(key),
  });
  const wasOffered = recentOffers();
  let offeredWhenFull = 0;
  return {
    get: (key) => cached.get(key),
    offer(key, response) {
      for (const old of companies.replacedBy(key)) cached.delete(old);
      if (!wasOffered(key)) return;
      const bytes = sizeOf(response, key);
      const isFull = cached.calculatedSize + bytes > maxBytes;
      if (bytes > maxBytes || (isFull && offeredWhenFull++ % admittedWhenFull !== 0)) return;
      cached.set(key, response);
      companies.add(key);
    },
  };
}

/** The cached keys of each company, all of one version and day. */
class CompanyKeys {
  readonly #companies = new Map<string, { readonly state: string; readonly keys: Set<string> }>();

  add(key: string): void {
    const { companyId, state } = partsOf(key);
    const known = this.#companies.get(companyId);
    if (known === undefined) this.#companies.set(companyId, { state, keys: new Set([key]) });
    else known.keys.add(key);
  }

  remove(key: string): void {
    const { companyId } = partsOf(key);
    const known = this.#companies.get(companyId);
    known?.keys.delete(key);
    if (known?.keys.size === 0) this.#companies.delete(companyId);
  }

  /** The keys of the company's other version or day. */
  replacedBy(key: string): readonly string[] {
    const { companyId, state } = partsOf(key);
    const known = this.#companies.get(companyId);
    return known === undefined || known.state === state ? [] : [...known.keys];
  }
}

/** See `cacheKey`: neither a company's id nor a version nor a day contains a space. */
function partsOf(key: string): { readonly companyId: string; readonly state: string } {
  const company = key.indexOf(" ");
  const day = key.indexOf(" ", key.indexOf(" ", company + 1) + 1);
  return { companyId: key.slice(0, company), state: key.slice(company + 1, day) };
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
