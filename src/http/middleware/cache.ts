// What a request is sent: the response that is cached, or one that is read now. The key in the cache contains the company's version
// and the day, so a cached response is never stale: changed data has another key. Bounded in bytes, least recently used first out.
import { LRUCache } from "lru-cache";
import type { Observe } from "../../observe.ts";
import { type CompanyParts, companyFor, isLimited, viewOf } from "../people.ts";
import { endPhase, type RequestContext } from "../request-context.ts";
import { type Content, type RouteMatch, validateAndRead } from "../routes/route.ts";
import type { SignedInRoute } from "../routes/signed-in.ts";
import { noCompany } from "../sign-in.ts";
import type { Admission } from "./admission.ts";
import { type AuthParts, type Caller, unknownKey } from "./auth.ts";
import type { RateLimit } from "./rate-limit.ts";

/** The parts of the pipeline that every read needs, whatever becomes of what it read. */
export interface ReadingParts extends AuthParts, CompanyParts {
  readonly cache: ResponseCache;
  readonly observe: Observe;
  /** The current UTC day, `YYYY-MM-DD`: an argument, so that a test or an operator can choose it. */
  readonly today: () => string;
  readonly rateLimit: RateLimit | null;
  readonly admission: Admission;
}

/** An endpoint of the contract, or a path for people whom a proxy has signed in. */
export type Asked = RouteMatch | { readonly kind: "signedIn"; readonly route: SignedInRoute };

/**
 * The request's part of the cache key; null if the response must not be cached. Where the parameters decide which scopes are
 * needed, it has those of the key. It does not have how long the request would wait.
 */
function cacheTarget({ path, query }: RequestContext, asked: Asked, { key, person }: Caller): string | null {
  if (!asked.route.isCached) return null;
  if (asked.kind === "signedIn") return `${path}?${query}`;
  const view = isLimited(person) ? `${viewOf(person)} ` : "";
  if (asked.route.contract.scopeNote === undefined) return `${view}${path}?${query}`;
  const parameters = new URLSearchParams(query);
  parameters.delete("wait");
  return `${view}${path}?${parameters} ${key.scopes.toSorted().join(" ")}`;
}

/** The response of the company's current version, and which that is. A cached one was validated when it was made. */
export async function cachedOrRead(
  parts: ReadingParts,
  context: RequestContext,
  asked: Asked,
  caller: Caller,
  admit?: Admit,
): Promise<{ readonly content: Content; readonly version: string }> {
  const { store, cache } = parts;
  const { key, person } = caller;
  const { companyId, hidesReasons } = key;
  const version = await store.version(companyId);
  if (version === null) throw person === null ? unknownKey() : noCompany();
  const day = parts.today();
  const target = cacheTarget(context, asked, caller);
  const keyInCache = target === null ? null : cacheKey(companyId, version, day, hidesReasons, target);
  const read = async () =>
    asked.kind === "signedIn"
      ? asked.route.handle(store.company(companyId, version), new URLSearchParams(context.query), person)
      : validateAndRead(() => companyFor(parts, caller, version), asked, context, key, day);
  return { content: await cachedContent(cache, keyInCache, context, read, admit), version };
}

/** Lets a read in, when nothing is cached. */
type Admit = (read: () => Promise<Content>) => Promise<Content>;

/** What is cached under a key, or what is read now: once for all who ask at the same time. Without a key nothing is cached. */
export function cachedContent(
  cache: ResponseCache,
  key: string | null,
  context: RequestContext,
  read: () => Promise<Content>,
  admit: Admit = (admitted) => admitted(),
): Content | Promise<Content> {
  const cached = key === null ? undefined : cache.get(key);
  endPhase(context, "cache");
  if (cached !== undefined) return cached;
  return admit(key === null ? read : () => cache.forceFetch(key, { context: read }));
}

export type ResponseCache = LRUCache<string, Content, () => Promise<Content>>;

/** What an entry costs beside its texts. */
const OVERHEAD_BYTES = 1024;

/**
 * What an entry costs, in sizes of its body: its compressed forms, evicted bodies that wait to be collected as garbage, and that
 * Bun's heap grows to twice what lives in it before old garbage is collected. See decision 67.
 */
const TIMES_BODY = 12;

/** A cache of at most `maxBytes`; 0 caches nothing. */
export function responseCache(maxBytes: number): ResponseCache {
  return new LRUCache({
    maxSize: Math.max(1, maxBytes), // the library takes 0 for no limit
    // The key contains the query, which a caller can make long. The links contain it again.
    sizeCalculation: ({ body, link }, key) =>
      body.length * TIMES_BODY + key.length + (link?.length ?? 0) + OVERHEAD_BYTES,
    fetchMethod: (_key, _stale, { context: read }) => read(),
    ignoreFetchAbort: true, // one that goes from the cache while it is read is sent all the same
  });
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
