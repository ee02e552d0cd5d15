// What a request is sent: the response that is cached of the company's current version, or one that is read now.
import { isId } from "../resources/ids.ts";
import { parseQuery } from "../resources/query.ts";
import type { CompanyReader, ReadStore, StoredKey } from "../store/store.ts";
import { type Caller, noCompany } from "./caller.ts";
import { unknownKey, withoutReasons } from "./middleware/auth.ts";
import { type CachedResponse, cacheKey, type ResponseCache } from "./middleware/cache.ts";
import type { RateLimit } from "./middleware/rate-limit.ts";
import { invalidParameters, noObject } from "./problems.ts";
import { type Content, contentOf } from "./render.ts";
import { endPhase, type RequestContext, whenReady } from "./request-context.ts";
import type { RouteMatch } from "./router.ts";
import type { SignedInRoute } from "./routes/signed-in.ts";
import type { Waits } from "./waits.ts";

interface ReadingParts {
  readonly store: ReadStore;
  readonly cache: ResponseCache;
  readonly today: () => string;
  readonly rateLimit: RateLimit | null;
}

/** An endpoint of the contract, or a path for people whom a proxy has signed in. */
export type Asked = RouteMatch | { readonly kind: "signedIn"; readonly route: SignedInRoute };

/**
 * What of a request a response depends on. Where the parameters decide which scopes are needed, it depends on those of the key.
 * It does not depend on how long the request would wait.
 */
export function cacheTarget({ path, query }: RequestContext, asked: Asked, { scopes }: StoredKey): string {
  if (asked.kind === "signedIn" || asked.route.contract.scopeNote === undefined) return `${path}?${query}`;
  const parameters = new URLSearchParams(query);
  parameters.delete("wait");
  return `${path}?${parameters} ${scopes.toSorted().join(" ")}`;
}

/** The response of the company's current version, cached under `target`. A cached response was validated when it was made. */
export function cachedOrRead(
  parts: ReadingParts,
  caller: Caller,
  target: string | null,
  context: RequestContext,
  read: (company: CompanyReader, today: string) => Content | Promise<Content>,
  sharing: Waits | null = null,
): CachedResponse | Promise<CachedResponse> {
  return whenReady(parts.store.version(caller.key.companyId), (version) =>
    cachedOrReadOf(version, parts, caller, target, context, read, sharing),
  );
}

function cachedOrReadOf(
  version: string | null,
  parts: ReadingParts,
  { key, person }: Caller,
  target: string | null,
  context: RequestContext,
  read: (company: CompanyReader, today: string) => Content | Promise<Content>,
  sharing: Waits | null,
): CachedResponse | Promise<CachedResponse> {
  const { companyId, hidesReasons } = key;
  if (version === null) throw person === null ? unknownKey() : noCompany();
  const today = parts.today();
  const keyInCache = target === null ? null : cacheKey(companyId, version, today, hidesReasons, target);
  const cached = keyInCache === null ? undefined : parts.cache.get(keyInCache);
  endPhase(context, "cache");
  if (cached !== undefined) return cached;
  const made = (content: Content): CachedResponse => {
    const response = { content, compressed: new Map(), version };
    if (keyInCache !== null) parts.cache.offer(keyInCache, response);
    return response;
  };
  const make = () => {
    const all = parts.store.company(companyId, version);
    return whenReady(read(hidesReasons ? withoutReasons(all) : all, today), made);
  };
  return sharing === null || keyInCache === null ? make() : sharing.share(keyInCache, async () => make());
}

/** No promise where the store need not wait. */
export function validateAndRead(
  company: CompanyReader,
  match: RouteMatch,
  context: RequestContext,
  { scopes }: StoredKey,
  today: string,
): Content | Promise<Content> {
  const query = new URLSearchParams(context.query);
  const values = validated(match.route, query, today, context);
  const input = { company, values, path: context.path, query, scopes, today };
  if (match.kind === "fixed")
    return whenReady(match.route.handle(input), (content) => {
      endPhase(context, "read");
      return content;
    });
  const { idKind, notFound } = match.route.contract;
  return whenReady(isId(idKind, match.id) ? match.route.retrieve(input, match.id) : null, (doc) => {
    endPhase(context, "read");
    if (doc === null) throw noObject(notFound, idKind, match.id);
    return contentOf(doc);
  });
}

/** The values of a query, made by the route's own schemas. Raises a 400 that names the bad parameters. */
export function validated(
  route: RouteMatch["route"],
  query: URLSearchParams,
  today: string,
  context: RequestContext,
): never {
  const parsed = parseQuery(route.contract.parameters, query, (values) =>
    route.crossFieldErrors(values as never, today),
  );
  endPhase(context, "validate");
  if (!parsed.ok) throw invalidParameters(parsed.errors, parsed.more);
  return parsed.values as never; // what the route's handler takes
}
