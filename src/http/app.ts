// The request lifecycle: request id → problem boundary → path and method → key → scope → rate limit → admission → cache →
// validate → store and render → ETag/304 and compress. Each phase is one small function; `endPhase` names and times it.
// Everything that turns a caller away comes before admission, so that it takes no capacity from callers with a valid key.
import type { Observe } from "../observe.ts";
import { isId } from "../resources/ids.ts";
import { PROBLEMS, type ProblemCode } from "../resources/problems.ts";
import { parseQuery } from "../resources/query.ts";
import {
  type CompanyReader,
  type Doc,
  type ReadStore,
  type StoredKey,
  type StoredSecret,
  StoreRefusal,
  StoreUnavailable,
} from "../store/store.ts";
import { isFeedPath, sendFeed } from "./calendar/feed.ts";
import { type Caller, findKey, identify, requirePerson } from "./caller.ts";
import {
  assistantsKey,
  isForAssistants,
  MCP_PATH,
  messageResponse,
  readMessage,
  requireOrigin,
  requirePost,
} from "./mcp.ts";
import type { Admission } from "./middleware/admission.ts";
import {
  type Authenticator,
  authenticator,
  requireScope,
  unknownKey,
  withoutReasons,
} from "./middleware/auth.ts";
import { type CachedResponse, cacheKey, type ResponseCache } from "./middleware/cache.ts";
import { corsHeaders, preflight } from "./middleware/cors.ts";
import { conditionalResponse, publicResponse } from "./middleware/negotiation.ts";
import { noCompany, type ProxyAuth } from "./middleware/proxy-auth.ts";
import { addressShare, chargedByRows, type FailureLimit, type RateLimit } from "./middleware/rate-limit.ts";
import { loggedError, loggedId, requestObservation } from "./observation.ts";
import {
  HttpProblem,
  internalError,
  invalidParameters,
  noObject,
  overloaded,
  problemBody,
  requireReading,
  unavailable,
  unknownPath,
} from "./problems.ts";
import { type PublicRoutes, publicPattern } from "./public/public-routes.ts";
import { type Content, contentOf } from "./render.ts";
import {
  beginRequest,
  endPhase,
  type RequestContext,
  type RequestTrace,
  requestTrace,
  respond,
  serverTiming,
  vary,
} from "./request-context.ts";
import { matchPath, type RequestTarget, type RouteMatch } from "./router.ts";
import type { Route } from "./routes/route.ts";
import { signedInRoute } from "./routes/signed-in.ts";
import { admittedLater, StreamSlots, streamFormat, streamList } from "./stream.ts";
import type { Idle, Waits } from "./waits.ts";

/** The parts of the pipeline. The day is an argument, so that a test or an operator can choose it. */
export interface AppParts {
  readonly store: ReadStore;
  readonly cache: ResponseCache;
  readonly observe: Observe;
  /** The current UTC day, `YYYY-MM-DD`. */
  readonly today: () => string;
  readonly rateLimit: RateLimit | null;
  readonly failureLimit: FailureLimit | null;
  readonly admission: Admission;
  readonly waits: Waits;
  /** The one origin whose pages may call, if any. */
  readonly corsOrigin: string | null;
  /** Whether this server does TLS itself. Then it tells browsers to use nothing else. */
  readonly isTls: boolean;
  /** Whether each response says in `Server-Timing` how long its phases took. */
  readonly serverTiming: boolean;
  /** Called after each request, where traces are exported. */
  readonly traced: ((trace: RequestTrace, observation: RequestObservation) => void) | null;
  /** Called with each use of a key or a calendar feed. */
  readonly used: (secret: StoredSecret) => void;
  /** How a trusted proxy says who is signed in; null if none does. */
  readonly proxyAuth: ProxyAuth | null;
  /** What needs no key: the reference, the page, the health checks. */
  readonly publicRoutes: PublicRoutes;
}

/**
 * `address` finds the caller's address when it is needed. `target` is the request target as it was sent, if known. `isTrusted`
 * says whether the request came through a trusted proxy.
 */
export type App = (
  request: Request,
  address: () => string,
  target?: RequestTarget,
  isTrusted?: () => boolean,
) => Promise<Response>;

type RequestObservation = ReturnType<typeof requestObservation>;

/** The service as a function from a request to its response. It never throws. */
export function createApp(parts: AppParts): App {
  const keys = authenticator(parts.store);
  const streams = new StreamSlots();
  const timed = { isTimed: parts.serverTiming || parts.traced !== null, isTls: parts.isTls };
  return async function handle(request, address, target, isTrusted = nobody) {
    const context = beginRequest(request, { address, isFromProxy: isTrusted }, timed);
    if (parts.corsOrigin !== null) Object.assign(context.headers, corsHeaders(parts.corsOrigin, request));
    let response: Response;
    let code: string | null = null;
    try {
      response = await runPhases(parts, keys, streams, context, target);
      if (context.streamed === null) streams.noteRequest();
    } catch (error) {
      const problem = await countFailure(parts, context, asProblem(parts.observe, context, error));
      code = problem.code;
      response = problemResponse(context, problem);
    }
    const timing = parts.serverTiming ? serverTiming(context) : null;
    if (timing !== null) response.headers.set("server-timing", timing);
    const observe = () => {
      const observation = requestObservation(context, response.status, code);
      parts.observe(observation);
      parts.traced?.(requestTrace(context, isTrusted), observation);
    };
    if (context.streamed === null) observe();
    else void context.streamed.then(observe);
    return response;
  };
}

const nobody = () => false;

async function runPhases(
  parts: AppParts,
  keys: Authenticator,
  streams: StreamSlots,
  context: RequestContext,
  target: RequestTarget | undefined,
): Promise<Response> {
  const { path, request } = context;
  requireOneHost(request);
  if (isForAssistants(path, target)) return await runAssistantPhases(parts, keys, context);
  if (isFeedPath(path)) return await sendFeed(parts, context);
  const match = matchPath(path, target);
  const own = parts.proxyAuth === null ? null : signedInRoute(path);
  const page = match === null && own === null ? await parts.publicRoutes(path, request.headers) : null;
  if (match === null && own === null && page === null)
    throw unknownPath(path, path === MCP_PATH || matchPath(path) !== null);
  context.route = match?.route.contract.path ?? own?.pattern ?? publicPattern(path);
  endPhase(context, "route");
  if (parts.corsOrigin !== null && request.method === "OPTIONS") return preflight(context.headers, "api");
  requireReading(request.method, parts.corsOrigin !== null);
  if (page !== null) return publicResponse(context, page);
  const found = identify(parts, keys, context);
  const caller = found instanceof Promise ? await found : found;
  const { key } = caller;
  if (match !== null) requireScope(key, match.route.contract.scope);
  const access = own === null ? null : requirePerson(caller);
  endPhase(context, "key");
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(key.id));
  endPhase(context, "rate-limit");
  if (match?.kind === "fixed" && match.route.list !== null) {
    const format = streamFormat(request.headers.get("accept"));
    if (format !== null) {
      const query = new URLSearchParams(context.query);
      const today = parts.today();
      const input = { values: validated(match.route, query, today, context), today };
      return await streamList(parts, streams, context, { key, list: match.route.list, query, format, input });
    }
    vary(context, "accept");
  }
  const waitMs = match === null ? 0 : waitOf(match, context, parts.today());
  if (waitMs > 0)
    return await parts.waits.respond(
      context,
      caller.key,
      waitMs,
      (isFirst) => tryToRespond(parts, keys, context, match!, isFirst ? caller : null), // only an endpoint waits
      async () => void (await identify(parts, keys, context)),
    );
  const due = parts.admission.acquire(key.id);
  const release = due instanceof Promise ? await due : due;
  if (release === null) throw overloaded();
  try {
    endPhase(context, "admission");
    const read = (company: CompanyReader, today: string) =>
      match === null
        ? own!.handle(company, new URLSearchParams(context.query), access!)
        : validateAndRead(company, match, context, key, today);
    const isShared = own?.isShared ?? (match!.kind === "retrieve" || match!.route.isCached);
    const target = isShared ? cacheTarget(context, match, key) : null;
    const sent = conditionalResponse(context, await cachedOrRead(parts, caller, target, context, read));
    const response = sent instanceof Promise ? await sent : sent;
    endPhase(context, "negotiate");
    return response;
  } finally {
    release();
  }
}

/** The phases of a message of an assistant. Whatever a tool reads, the message is counted and admitted once. */
async function runAssistantPhases(
  parts: AppParts,
  keys: Authenticator,
  context: RequestContext,
): Promise<Response> {
  const { request } = context;
  context.route = MCP_PATH;
  endPhase(context, "route");
  requireOrigin(request, parts.corsOrigin);
  if (parts.corsOrigin !== null && request.method === "OPTIONS")
    return preflight(context.headers, "assistants");
  requirePost(request.method, parts.corsOrigin !== null);
  const key = await findKey(parts, keys, context, assistantsKey(request.headers));
  endPhase(context, "key");
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(key.id));
  endPhase(context, "rate-limit");
  const message = await readMessage(context);
  endPhase(context, "body");
  const release = await parts.admission.acquire(key.id);
  if (release === null) throw overloaded();
  try {
    endPhase(context, "admission");
    const version = await parts.store.version(key.companyId);
    if (version === null) throw unknownKey();
    const today = parts.today();
    const read = (pathAndQuery: string) => readForTool(parts, context, key, pathAndQuery);
    const failed = (error: unknown) =>
      `${asProblem(parts.observe, context, error).detail} (${context.requestId})`;
    const response = await messageResponse(context, message, { key, version, today, read, failed });
    endPhase(context, "tool");
    return response;
  } finally {
    release();
  }
}

/** A response of the API to a tool: what a caller with the same key gets, without the phases that count requests. */
async function readForTool(
  parts: AppParts,
  message: RequestContext,
  key: StoredKey,
  pathAndQuery: string,
): Promise<Response> {
  const [path = "", query = ""] = pathAndQuery.split("?");
  const context = { ...message, path, query, phases: null };
  try {
    const match = matchPath(path);
    if (match === null) throw unknownPath(path);
    requireScope(key, match.route.contract.scope);
    const isShared = match.kind === "retrieve" || match.route.isCached;
    const read = (company: CompanyReader, today: string) =>
      validateAndRead(company, match, context, key, today);
    const caller = { key, person: null };
    const target = isShared ? cacheTarget(context, match, key) : null;
    const { content } = await cachedOrRead(parts, caller, target, context, read);
    return new Response(content.body as Uint8Array<ArrayBuffer> | Blob); // never shared memory
  } catch (error) {
    const problem = asProblem(parts.observe, context, error);
    return new Response(problemBody(problem, context.requestId), { status: PROBLEMS[problem.code].status });
  }
}

/** How long the request would wait for a change, in milliseconds. Raises a 400 for a bad query. */
function waitOf({ route }: RouteMatch, context: RequestContext, today: string): number {
  if (!("wait" in route.contract.parameters)) return 0;
  const query = new URLSearchParams(context.query);
  if (!query.has("wait")) return 0;
  const { wait } = validated(route, query, today, context) as { readonly wait: number }; // as its schema makes it
  return wait * 1000;
}

/**
 * One try to respond to a request that waits. A cached page needs no admission: many ask again at once, when their time is over.
 * The request may have waited since its first try (then `known` is null): its key may be revoked by now, and what has begun is not
 * shed.
 */
async function tryToRespond(
  parts: AppParts,
  keys: Authenticator,
  context: RequestContext,
  match: RouteMatch,
  known: Caller | null,
): Promise<Response | Idle> {
  const caller = known ?? (await identify(parts, keys, context));
  const { key } = caller;
  const found = await cachedOrRead(
    parts,
    caller,
    cacheTarget(context, match, key),
    context,
    async (company, today) => {
      const release = await (known === null
        ? admittedLater(parts.admission, key.id)
        : parts.admission.acquire(key.id));
      if (release === null) throw overloaded();
      try {
        endPhase(context, "admission");
        return await validateAndRead(company, match, context, key, today);
      } finally {
        release();
      }
    },
    parts.waits,
  );
  const respond = () => conditionalResponse(context, found);
  return found.content.isIdle === true ? { version: found.version, respond } : respond();
}

/** A second Host header is an attempt to make two programs see different requests (RFC 9112, 3.2). */
function requireOneHost(request: Request): void {
  if (!/,\s/.test(request.headers.get("host") ?? "")) return;
  throw invalidParameters([{ parameter: "Host", detail: "was sent more than once: send it once" }]);
}

/**
 * What of a request a response depends on. Where the parameters decide which scopes are needed, it depends on those of the key.
 * It does not depend on how long the request would wait.
 */
function cacheTarget(
  { path, query }: RequestContext,
  match: RouteMatch | null,
  { scopes }: StoredKey,
): string {
  if (match?.route.contract.scopeNote === undefined) return `${path}?${query}`;
  const parameters = new URLSearchParams(query);
  parameters.delete("wait");
  return `${path}?${parameters} ${scopes.toSorted().join(" ")}`;
}

/** The response of the company's current version, cached under `target`. A cached response was validated when it was made. */
async function cachedOrRead(
  parts: AppParts,
  { key, person }: Caller,
  target: string | null,
  context: RequestContext,
  read: (company: CompanyReader, today: string) => Content | Promise<Content>,
  sharing: Waits | null = null,
): Promise<CachedResponse> {
  const { companyId, hidesReasons } = key;
  const found = parts.store.version(companyId);
  const version = found instanceof Promise ? await found : found;
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
    const all = chargedByRows(parts.store.company(companyId, version), parts.rateLimit, key.id);
    const content = read(hidesReasons ? withoutReasons(all) : all, today);
    return content instanceof Promise ? content.then(made) : made(content);
  };
  return sharing === null || keyInCache === null ? make() : sharing.share(keyInCache, async () => make());
}

/** No promise where the store needs not wait for a single object. */
function validateAndRead(
  company: CompanyReader,
  match: RouteMatch,
  context: RequestContext,
  { scopes }: StoredKey,
  today: string,
): Content | Promise<Content> {
  const query = new URLSearchParams(context.query);
  const values = validated(match.route, query, today, context);
  const input = { company, values, path: context.path, query, scopes, today };
  if (match.kind === "fixed") return readPage(match.route, input, context);
  const { idKind, notFound } = match.route.contract;
  const found = isId(idKind, match.id) ? match.route.retrieve(input, match.id) : null;
  const made = (doc: Doc | null): Content => {
    endPhase(context, "read");
    if (doc === null) throw noObject(notFound, idKind, match.id);
    return contentOf(doc);
  };
  return found instanceof Promise ? found.then(made) : made(found);
}

async function readPage(
  route: Route,
  input: Parameters<Route["handle"]>[0],
  context: RequestContext,
): Promise<Content> {
  const content = await route.handle(input);
  endPhase(context, "read");
  return content;
}

/** The values of a query, made by the route's own schemas. Raises a 400 that names the bad parameters. */
function validated(
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

/** Translates whatever was thrown. A 500 never carries its cause. */
function asProblem(observe: Observe, context: RequestContext, error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const traceId = context.trace?.traceId ?? null;
  // A store refuses when, under a running server, a newer version migrated it or other data replaced it.
  if (error instanceof StoreUnavailable || error instanceof StoreRefusal) {
    observe({
      kind: "unavailable",
      requestId: loggedId(context),
      traceId,
      error: loggedError(error, context),
    });
    return unavailable();
  }
  observe({ kind: "fault", requestId: loggedId(context), traceId, error: loggedError(error, context) });
  return internalError();
}

/** Errors of callers that guess: keys, scopes, paths or the addresses of calendar feeds. */
const FAILURES: ReadonlySet<ProblemCode> = new Set([
  "missing_api_key",
  "invalid_api_key",
  "missing_scope",
  "unknown_path",
  "origin_not_allowed",
  "feed_not_found",
]);

/** Counts a failure of the caller's address. An address that fails too often gets a 429 instead. */
async function countFailure(
  parts: AppParts,
  context: RequestContext,
  problem: HttpProblem,
): Promise<HttpProblem> {
  if (parts.failureLimit === null || !FAILURES.has(problem.code)) return problem;
  return (await parts.failureLimit.failed(addressShare(context.address()))) ?? problem;
}

function problemResponse(context: RequestContext, problem: HttpProblem): Response {
  Object.assign(context.headers, problem.extra.headers, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
  });
  return respond(context, PROBLEMS[problem.code].status, problemBody(problem, context.requestId));
}
