// What a request is sent: the response that is cached, or one that is read now. The key in the cache contains the company's version
// and the day, so a cached response is never stale: changed data has another key. Bounded in bytes, least recently used first out.
import { LRUCache } from "lru-cache";
import type { ReadStore, StoredKey } from "../../store/store.ts";
import { companyFor, isLimited } from "../people.ts";
import type { Content } from "../render.ts";
import { endPhase, type RequestContext } from "../request-context.ts";
import { type RouteMatch, validateAndRead } from "../routes/route.ts";
import type { SignedInRoute } from "../routes/signed-in.ts";
import { noCompany } from "../sign-in.ts";
import { type Caller, unknownKey } from "./auth.ts";

export interface ReadingParts {
  readonly store: ReadStore;
  readonly cache: ResponseCache;
  readonly today: () => string;
}

/** An endpoint of the contract, or a path for people whom a proxy has signed in. */
export type Asked = RouteMatch | { readonly kind: "signedIn"; readonly route: SignedInRoute };

/**
 * What of a request a response depends on, beside what `cacheKey` adds; null for a response that is not cached. Where the parameters
 * decide which scopes are needed, it depends on those of the key. It does not depend on how long the request would wait.
 */
function cacheTarget({ path, query }: RequestContext, asked: Asked, { scopes }: StoredKey): string | null {
  const isCached =
    asked.kind === "signedIn" ? asked.route.isShared : asked.kind === "retrieve" || asked.route.isCached;
  if (!isCached) return null;
  if (asked.kind === "signedIn" || asked.route.contract.scopeNote === undefined) return `${path}?${query}`;
  const parameters = new URLSearchParams(query);
  parameters.delete("wait");
  return `${path}?${parameters} ${scopes.toSorted().join(" ")}`;
}

/** Makes a response that is not cached. `keyInCache`: that of the response; null if it is not to be cached. */
type Make = (keyInCache: string | null, make: () => Promise<CachedResponse>) => Promise<CachedResponse>;

/** The response of the company's current version. A cached one was validated when it was made. */
export async function cachedOrRead(
  { store, cache, today }: ReadingParts,
  context: RequestContext,
  asked: Asked,
  caller: Caller,
  ifMissing: Make = (_keyInCache, make) => make(),
): Promise<CachedResponse> {
  const { key, person } = caller;
  const { companyId, hidesReasons } = key;
  const version = await store.version(companyId);
  if (version === null) throw person === null ? unknownKey() : noCompany();
  const day = today();
  // What depends on the person is nobody else's.
  const target = isLimited(person) && asked.kind !== "signedIn" ? null : cacheTarget(context, asked, key);
  const keyInCache = target === null ? null : cacheKey(companyId, version, day, hidesReasons, target);
  const cached = keyInCache === null ? undefined : cache.get(keyInCache);
  endPhase(context, "cache");
  if (cached !== undefined) return cached;
  return ifMissing(keyInCache, async () => {
    const content =
      asked.kind === "signedIn"
        ? await asked.route.handle(
            store.company(companyId, version),
            new URLSearchParams(context.query),
            person,
          )
        : await validateAndRead(await companyFor(store, caller, version), asked, context, key, day);
    const response = { content, compressed: new Map(), version };
    if (keyInCache !== null) cache.set(keyInCache, response);
    return response;
  });
}

export interface CachedResponse {
  readonly content: Content;
  /** The compressed forms of the body, by content coding. */
  readonly compressed: Map<string, Uint8Array>;
  /** The company's version that it is of. */
  readonly version: string;
}

export interface ResponseCache {
  get(key: string): CachedResponse | undefined;
  set(key: string, response: CachedResponse): void;
}

/** What an entry costs beside its texts. */
const OVERHEAD_BYTES = 1024;

/**
 * What an entry costs, in sizes of its body: its compressed forms, evicted bodies that wait to be collected as garbage, and that
 * Bun's heap grows to twice what lives in it before old garbage is collected. See decision 67.
 */
const TIMES_BODY = 12;

/** A cache of at most `maxBytes`; 0 caches nothing. */
export function responseCache(maxBytes: number): ResponseCache {
  if (maxBytes === 0) return { get: () => undefined, set: () => {} };
  // The key contains the query, which a caller can make long. The links contain it again.
  const sizeOf = ({ content }: CachedResponse, key: string) =>
    content.body.length * TIMES_BODY + key.length + (content.link?.length ?? 0) + OVERHEAD_BYTES;
  const cached = new LRUCache<string, CachedResponse>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  return { get: (key) => cached.get(key), set: (key, response) => void cached.set(key, response) };
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
