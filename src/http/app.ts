// The request lifecycle: request id → problem boundary → path and method → key → scope → rate limit → admission → cache →
// validate → store and render → ETag/304 and compress. Each phase is one small function; `endPhase` names and times it.
// Everything that turns a caller away comes before admission, so that it takes no capacity from callers with a valid key.
import type { Observe } from "../observe.ts";
import { PROBLEMS, type ProblemCode } from "../resources/problems.ts";
import {
  type CompanyReader,
  type ReadStore,
  type StoredKey,
  type StoredSecret,
  StoreRefusal,
  StoreUnavailable,
} from "../store/store.ts";
import { CALENDAR_FOLDER, sendCalendar } from "./calendar/feed.ts";
import { assistantsKey, MCP_PATH, messageResponse, readMessage, requireOrigin, requirePost } from "./mcp.ts";
import type { Admission } from "./middleware/admission.ts";
import {
  type Caller,
  findKey,
  identify,
  requirePerson,
  requireScope,
  unknownKey,
} from "./middleware/auth.ts";
import { type Asked, cachedOrRead, cacheTarget, type ResponseCache } from "./middleware/cache.ts";
import { corsHeaders, preflight } from "./middleware/cors.ts";
import { conditionalResponse, publicResponse, streamFormat } from "./middleware/negotiation.ts";
import { addressShare, type FailureLimit, type RateLimit } from "./middleware/rate-limit.ts";
import { loggedError, loggedId, requestObservation } from "./observation.ts";
import {
  HttpProblem,
  internalError,
  invalidParameters,
  overloaded,
  problemBody,
  requireReading,
  unavailable,
  unknownPath,
} from "./problems.ts";
import { type PublicRoutes, publicPattern } from "./public/public-routes.ts";
import {
  beginRequest,
  type Connection,
  endPhase,
  headersOf,
  type RequestContext,
  type RequestTrace,
  requestTrace,
  respond,
  serverTiming,
  vary,
} from "./request-context.ts";
import { isServedPath, matchPath } from "./router.ts";
import { type RouteMatch, validateAndRead, validated } from "./routes/route.ts";
import { signedInRoute } from "./routes/signed-in.ts";
import type { ProxyAuth } from "./sign-in.ts";
import { admittedLater, type StreamLimits, StreamSlots, streamList } from "./stream.ts";
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
  readonly streamLimits: StreamLimits;
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
 * `isAsSent`: whether the request's path is what the caller sent. URLs are normalised: `/docs/../v1/workers` and `/v1\workers`
 * become `/v1/workers`. A proxy's rules did not see that path, so such a request has no route, and nobody is signed in.
 */
export type App = (request: Request, connection: Connection, isAsSent?: boolean) => Promise<Response>;

type RequestObservation = ReturnType<typeof requestObservation>;

/** The service as a function from a request to its response. It never throws. */
export function createApp(parts: AppParts): App {
  const streams = new StreamSlots();
  const timed = { isTimed: parts.serverTiming || parts.traced !== null, isTls: parts.isTls };
  return async function handle(request, connection, isAsSent = true) {
    const context = beginRequest(request, connection, timed);
    if (parts.corsOrigin !== null) Object.assign(context.headers, corsHeaders(parts.corsOrigin, request));
    try {
      const response = isAsSent ? await runPhases(parts, streams, context) : respondNotFound(parts, context);
      return observed(parts, context, response, null);
    } catch (error) {
      const problem = await countFailure(parts, context, asProblem(parts.observe, context, error));
      return observed(parts, context, problemResponse(context, problem), problem.code);
    }
  };
}

/** The response with the duration of its phases, if they are timed. The request is reported once it has its response. */
function observed(
  parts: AppParts,
  context: RequestContext,
  response: Response,
  code: ProblemCode | null,
): Response {
  const timing = parts.serverTiming ? serverTiming(context) : null;
  if (timing !== null) response.headers.set("server-timing", timing);
  if (context.streamed === null) observe(parts, context, response, code);
  else void context.streamed.then(() => observe(parts, context, response, code));
  return response;
}

function observe(
  { observe, traced }: AppParts,
  context: RequestContext,
  { status }: Response,
  code: ProblemCode | null,
): void {
  const observation = requestObservation(context, status, code);
  observe(observation);
  traced?.(requestTrace(context, context.connection.isFromProxy), observation);
}

async function runPhases(parts: AppParts, streams: StreamSlots, context: RequestContext): Promise<Response> {
  const { path, method, request } = context;
  requireOneHost(request);
  if (path === MCP_PATH) return runAssistantPhases(parts, context);
  if (path.startsWith(CALENDAR_FOLDER)) return sendCalendar(parts, context);
  const asked = matchPath(path) ?? (parts.proxyAuth === null ? null : askedBySignedIn(path));
  if (asked === null) return runPublicPhases(parts, context);
  context.route = asked.kind === "signedIn" ? asked.route.pattern : asked.route.contract.path;
  endPhase(context, "route");
  if (parts.corsOrigin !== null && method === "OPTIONS") return preflight(headersOf(context), "api");
  requireReading(method, parts.corsOrigin !== null);
  const caller = await identify(parts, context);
  if (asked.kind === "signedIn") requirePerson(caller);
  else requireScope(caller.key, asked.route.contract.scope, caller.person !== null);
  endPhase(context, "key");
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(caller.key.id));
  endPhase(context, "rate-limit");
  if (asked.kind !== "signedIn") {
    const other = streamOrWait(parts, streams, context, asked, caller);
    if (other !== null) return other;
  }
  return respondAdmitted(parts, context, asked, caller);
}

function askedBySignedIn(path: string): Asked | null {
  const route = signedInRoute(path);
  return route === null ? null : { kind: "signedIn", route };
}

/** The phases of a path that needs no key. */
async function runPublicPhases(parts: AppParts, context: RequestContext): Promise<Response> {
  const { path, method, request } = context;
  const page = await parts.publicRoutes.find(path, request.headers);
  if (page === null) return respondNotFound(parts, context);
  context.route = publicPattern(path);
  endPhase(context, "route");
  if (parts.corsOrigin !== null && method === "OPTIONS") return preflight(headersOf(context), "api");
  requireReading(method, parts.corsOrigin !== null);
  return publicResponse(context, page);
}

/** Nothing is at the path: a page for people, a problem for programs. */
function respondNotFound({ publicRoutes, corsOrigin }: AppParts, context: RequestContext): Response {
  const { path, method, request } = context;
  const page = publicRoutes.notFound(path, request.headers);
  if (page === null) throw unknownPath(path, isServedPath(path));
  context.route = publicPattern(path);
  endPhase(context, "route");
  requireReading(method, corsOrigin !== null);
  return publicResponse(context, page);
}

/** The response where a caller wants a stream, or to wait for a change; null where it wants neither. */
function streamOrWait(
  parts: AppParts,
  streams: StreamSlots,
  context: RequestContext,
  match: RouteMatch,
  caller: Caller,
): Promise<Response> | null {
  const { key } = caller;
  const check = async () => void (await identify(parts, context));
  if (match.kind === "fixed" && match.route.list !== null) {
    const format = streamFormat(context.request.headers.get("accept"));
    if (format !== null) {
      const query = new URLSearchParams(context.query);
      const today = parts.today();
      const input = { values: validated(match.route, query, today, context), today };
      const { list } = match.route;
      const failed = (error: unknown) => void asProblem(parts.observe, context, error);
      return streamList(parts, streams, context, { key, list, query, format, input, check, failed });
    }
    vary(context, "accept");
  }
  const waitMs = waitOf(match, context, parts.today());
  if (waitMs === 0) return null;
  return parts.waits.respond(
    context,
    key,
    waitMs,
    (isFirst) => tryToRespond(parts, context, match, isFirst ? caller : null),
    check,
  );
}

/** The response to a request once admission lets it in; it counts as running until the response is made. */
async function respondAdmitted(
  parts: AppParts,
  context: RequestContext,
  asked: Asked,
  caller: Caller,
): Promise<Response> {
  const release = await parts.admission.acquire(caller.key.id);
  if (release === null) throw overloaded();
  try {
    endPhase(context, "admission");
    const isShared =
      asked.kind === "signedIn" ? asked.route.isShared : asked.kind === "retrieve" || asked.route.isCached;
    const target = isShared ? cacheTarget(context, asked, caller.key) : null;
    const found = await cachedOrRead(parts, caller, target, context, (company, today) =>
      asked.kind === "signedIn"
        ? asked.route.handle(company, new URLSearchParams(context.query), requirePerson(caller))
        : validateAndRead(company, asked, context, caller.key, today),
    );
    const response = conditionalResponse(context, found);
    endPhase(context, "negotiate");
    return response;
  } finally {
    release();
  }
}

/** The phases of a message of an assistant. Whatever a tool reads, the message is counted and admitted once. */
async function runAssistantPhases(parts: AppParts, context: RequestContext): Promise<Response> {
  const { method, request } = context;
  context.route = MCP_PATH;
  endPhase(context, "route");
  requireOrigin(request, parts.corsOrigin);
  if (parts.corsOrigin !== null && method === "OPTIONS") return preflight(headersOf(context), "assistants");
  requirePost(method, parts.corsOrigin !== null);
  const apiKey = assistantsKey(request.headers);
  const { id } = await findKey(parts, context, apiKey);
  endPhase(context, "key");
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(id));
  endPhase(context, "rate-limit");
  const message = await readMessage(context);
  const key = await findKey(parts, context, apiKey); // it may be revoked by now
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
    return new Response(content.body as Uint8Array<ArrayBuffer>); // never shared memory
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
  context: RequestContext,
  match: RouteMatch,
  known: Caller | null,
): Promise<Response | Idle> {
  const caller = known ?? (await identify(parts, context));
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
    (keyInCache, make) => parts.waits.share(keyInCache, make),
  );
  const respond = () => conditionalResponse(context, found);
  return found.content.isIdle === true ? { version: found.version, respond } : respond();
}

/** A second Host header is an attempt to make two programs see different requests (RFC 9112, 3.2). */
function requireOneHost(request: Request): void {
  if (!/,\s/.test(request.headers.get("host") ?? "")) return;
  throw invalidParameters([{ parameter: "Host", detail: "was sent more than once: send it once" }]);
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
  return (await parts.failureLimit.failed(addressShare(context.connection.address()))) ?? problem;
}

function problemResponse(context: RequestContext, problem: HttpProblem): Response {
  Object.assign(context.headers, problem.extra.headers, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
  });
  return respond(context, PROBLEMS[problem.code].status, problemBody(problem, context.requestId));
}
