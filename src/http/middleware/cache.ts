// Cached responses, limited in bytes. The key contains the company's version and the day, so a cached response is never stale.
import { LRUCache } from "lru-cache";
import type { Observe } from "../../observe.ts";
import { Computation } from "../computation.ts";
import { momentOf } from "../known-on.ts";
import { type Looked, noteLook } from "../looks.ts";
import { endPhase, type RequestContext } from "../request-context.ts";
import { type AnyValues, type Content, type RouteMatch, validateAndRead } from "../routes/route.ts";
import { parseSignedIn, type SignedInRoute } from "../routes/signed-in.ts";
import type { Caller } from "../sign-in.ts";
import { hidesReasons, isLimited, noCompany } from "../sign-in.ts";
import { type CompanyParts, companyFor, requireWorker, viewOf, wholeCompany } from "../visibility.ts";
import type { Admission } from "./admission.ts";
import { type AuthParts, unknownKey } from "./auth.ts";
import type { RateLimit } from "./rate-limit.ts";

/** The parts of the pipeline that every read needs. */
export interface ReadingParts extends AuthParts, CompanyParts {
  readonly cache: ResponseCache;
  readonly looked: Looked;
  /** How long a response may be computed, in milliseconds. */
  readonly longestMs: number;
  readonly observe: Observe;
  readonly rateLimit: RateLimit | null;
  readonly admission: Admission;
}

/** An endpoint of the contract, or a path of the page. */
export type MatchedRoute = RouteMatch | { readonly kind: "signedIn"; readonly route: SignedInRoute };

/**
 * The request's part of the cache key; null if the response must not be cached. It includes the key's scopes if the parameters decide
 * which scopes are needed. It leaves out how long the request would wait.
 */
function cacheTarget({ path, query }: RequestContext, matched: MatchedRoute, caller: Caller): string | null {
  if (!matched.route.isCached) return null;
  const { key, person } = caller;
  const isOfCompany = matched.kind === "signedIn" && person !== null;
  const view = isLimited(caller) && !isOfCompany ? `${viewOf(caller)} ` : "";
  if (matched.kind === "signedIn") return `${view}${path}?${query}`;
  if (matched.route.contract.scopeNote === undefined) return `${view}${path}?${query}`;
  const parameters = new URLSearchParams(query);
  parameters.delete("wait");
  return `${view}${path}?${parameters} ${key.scopes.toSorted().join(" ")}`;
}

/** The response for the company's version, and that version. Only valid queries have cached responses. */
export async function cachedOrRead(
  parts: ReadingParts,
  context: RequestContext,
  matched: MatchedRoute,
  caller: Caller,
  admit?: Admit,
): Promise<{ readonly content: Content; readonly version: string }> {
  const { store } = parts;
  const { key, person } = caller;
  const { companyId } = key;
  const version = await store.version(companyId);
  if (version === null) throw person === null ? unknownKey() : noCompany();
  if (matched.kind === "signedIn") await requireWorker(parts, caller, version);
  const day = parts.today();
  const target = cacheTarget(context, matched, caller);
  const keyInCache = target === null ? null : cacheKey(companyId, version, day, hidesReasons(key), target);
  const read = async (computation: Computation) => {
    if (matched.kind === "endpoint") {
      const momentFor = (values: AnyValues) => momentOf(store, companyId, values, day);
      const companyAt = (revision: number | null) =>
        companyFor(parts, caller, version, computation, revision);
      return validateAndRead({ momentFor, companyAt }, matched, context, key, { today: day, computation });
    }
    const { route } = matched;
    const query = parseSignedIn(route, new URLSearchParams(context.query));
    // People who see only some workers still see when the others are away.
    const company =
      person === null || route.isLimited
        ? await companyFor(parts, caller, version, computation)
        : wholeCompany(parts, companyId, version, computation);
    return route.handle(company, query, { person, hidesReasons: hidesReasons(key), today: day });
  };
  const content = await cachedContent(parts, keyInCache, context, read, admit);
  if (matched.route.isOfPeople) {
    const { kind, route } = matched;
    const endpoint = kind === "endpoint" ? route.contract.path : route.pattern;
    noteLook(parts.looked, context, caller, endpoint, content.count, objectOf(context, matched));
  }
  return { content, version };
}

/** The id of the requested object: the one in the path, or the worker of a preview or a passport. Empty for a list. */
function objectOf({ query }: RequestContext, matched: MatchedRoute): string {
  if (matched.kind === "endpoint" && matched.id !== "") return matched.id;
  const isOfWorker =
    matched.kind === "endpoint" ? "workerId" in matched.route.contract.parameters : matched.route.isLimited;
  return (isOfWorker && new URLSearchParams(query).get("workerId")) || "";
}

/** Admits a read that is not cached. */
type Admit = (read: () => Promise<Content>) => Promise<Content>;

/** The cached content, or what `read` returns. Requests for the same key at the same time share one read. Without a key nothing is cached. */
export function cachedContent(
  { cache, longestMs }: Pick<ReadingParts, "cache" | "longestMs">,
  key: string | null,
  context: RequestContext,
  read: (computation: Computation) => Promise<Content>,
  admit: Admit = (admitted) => admitted(),
): Content | Promise<Content> {
  const cached = key === null ? undefined : cache.get(key);
  endPhase(context, "cache");
  if (cached !== undefined) return cached;
  return admit(() => {
    const { signal } = context.request;
    const begin = () => new Computation(context.startedAtMs + context.waitedMs + longestMs);
    if (key !== null) return cache.shared(key, signal, begin, read);
    const computation = begin();
    computation.join(signal);
    return read(computation);
  });
}

/** The memory of an entry beside its texts. */
const OVERHEAD_BYTES = 1024;

/** The memory of an entry in multiples of its body: compressed forms, evicted bodies, and the growth of Bun's heap (decision 67). */
const TIMES_BODY = 12;

/** A cache of at most `maxBytes`; 0 caches nothing. */
export class ResponseCache {
  readonly #contents: LRUCache<string, Content>;
  readonly #computing = new Map<
    string,
    { readonly computation: Computation; readonly content: Promise<Content> }
  >();

  constructor(maxBytes: number) {
    this.#contents = new LRUCache({
      maxSize: Math.max(1, maxBytes), // for the library 0 means no limit
      // The key contains the query, which can be long. The links repeat it.
      sizeCalculation: ({ body, link }, key) =>
        body.length * TIMES_BODY + key.length + (link?.length ?? 0) + OVERHEAD_BYTES,
    });
  }

  get(key: string): Content | undefined {
    return this.#contents.get(key);
  }

  set(key: string, content: Content): void {
    this.#contents.set(key, content);
  }

  /** Runs one read for all callers who ask at the same time, while at least one of them waits. */
  shared(
    key: string,
    signal: AbortSignal,
    begin: () => Computation,
    read: (computation: Computation) => Promise<Content>,
  ): Promise<Content> {
    const running = this.#computing.get(key);
    if (running !== undefined && !running.computation.isLeft) {
      running.computation.join(signal);
      return running.content;
    }
    const computation = begin();
    computation.join(signal);
    const content = read(computation)
      .then((made) => {
        this.set(key, made);
        return made;
      })
      .finally(() => {
        if (this.#computing.get(key)?.computation === computation) this.#computing.delete(key);
      });
    this.#computing.set(key, { computation, content });
    return content;
  }
}

/** Everything on which a response depends. */
export function cacheKey(
  companyId: string,
  version: string,
  today: string,
  isHidden: boolean,
  pathAndQuery: string,
): string {
  return `${companyId} ${version} ${today} ${isHidden ? "hidden " : ""}${pathAndQuery}`;
}
