// The request lifecycle: request id → problem boundary → path and method → key → scope → rate limit → admission → cache →
// validate → store and render → ETag/304 and compress. Each phase is one small function; `endPhase` names and times it.
// A caller without a key or a scope, or above the rate limit, is refused before admission, and takes no capacity from others.
import type { ProblemCode } from "../resources/problems.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { CALENDAR_FOLDER, FEEDS_PATH, sendCalendar } from "./calendar/feed.ts";
import { makeFeed } from "./calendar/make-feed.ts";
import { runAssistantPhases } from "./mcp.ts";
import { admitted } from "./middleware/admission.ts";
import { identify, requireOpen, requireScope } from "./middleware/auth.ts";
import { cachedOrRead, type MatchedRoute, type ReadingParts } from "./middleware/cache.ts";
import { corsHeaders, preflight } from "./middleware/cors.ts";
import { conditionalResponse, publicResponse, streamFormat } from "./middleware/negotiation.ts";
import { addressShare, type FailureLimit } from "./middleware/rate-limit.ts";
import {
  asProblem,
  type HttpProblem,
  invalidParameters,
  problemResponse,
  requireReading,
  unknownPath,
} from "./problems.ts";
import { type PublicRoutes, publicPattern } from "./public/public-routes.ts";
import {
  beginRequest,
  type Connection,
  endPhase,
  type RequestContext,
  type RequestTrace,
  requestObservation,
  requestTrace,
  serverTiming,
  vary,
} from "./request-context.ts";
import { isServedPath, MCP_PATH, matchPath } from "./router.ts";
import type { RouteMatch } from "./routes/route.ts";
import { signedInRoute } from "./routes/signed-in.ts";
import type { Caller } from "./sign-in.ts";
import { type StreamLimits, StreamSlots, streamList } from "./stream.ts";
import { type Waits, waitOf } from "./waits.ts";

export interface AppParts extends ReadingParts {
  readonly failureLimit: FailureLimit | null;
  readonly waits: Waits;
  readonly streamLimits: StreamLimits;
  /** The one origin whose pages may call, if any. */
  readonly corsOrigin: string | null;
  /** Whether this server itself serves TLS. Then it tells browsers to use HTTPS only. */
  readonly isTls: boolean;
  /** The path at which a proxy serves Rollcall, such as `/hr`; empty for the root. */
  readonly basePath: string;
  /** Whether responses tell the duration of their phases in `Server-Timing`. */
  readonly serverTiming: boolean;
  /** Called after each request; null if no traces are exported. */
  readonly traced: ((trace: RequestTrace, observation: RequestObservation) => void) | null;
  /** Whether people with full access may make calendar feeds on the page. */
  readonly allowsFeeds: boolean;
  /** How assistants sign people in; null if they cannot. */
  readonly accessTokens: AccessTokens | null;
  /** What needs no key: the reference, the page, the health checks. */
  readonly publicRoutes: PublicRoutes;
}

/**
 * `isAsSent`: whether the path is what the caller sent. Bun normalises URLs: `/docs/../v1/workers` becomes `/v1/workers`. A proxy in front
 * applied its rules to another path then, so such a request gets a 404.
 */
export type App = (request: Request, connection: Connection, isAsSent?: boolean) => Promise<Response>;

type RequestObservation = ReturnType<typeof requestObservation>;

/** The whole service: a function from a request to its response. Never throws. */
export function createApp(parts: AppParts): App {
  const streams = new StreamSlots();
  const options = {
    isTimed: parts.serverTiming || parts.traced !== null,
    isTls: parts.isTls,
    basePath: parts.basePath,
  };
  return async function handle(request, connection, isAsSent = true) {
    const context = beginRequest(request, connection, options);
    if (parts.corsOrigin !== null) Object.assign(context.headers, corsHeaders(parts.corsOrigin, request));
    connection.limitIdle(0); // computing the response has its own time limit
    try {
      if (!isAsSent) throw unknownPath(context, isServedPath(context.path));
      const response = await runPhases(parts, streams, context);
      return observed(parts, context, response, null);
    } catch (error) {
      const problem = await countFailure(parts, context, asProblem(parts.observe, context, error));
      return observed(parts, context, problemResponse(context, problem), problem.code);
    }
  };
}

/** Adds the durations of the phases to a response, and reports the request: a stream once it has ended. */
function observed(
  parts: AppParts,
  context: RequestContext,
  response: Response,
  code: ProblemCode | null,
): Response {
  if (context.streamed === null) context.connection.limitIdle();
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
  traced?.(requestTrace(context), observation);
}

async function runPhases(parts: AppParts, streams: StreamSlots, context: RequestContext): Promise<Response> {
  const { path, method, request } = context;
  requireOneHost(request);
  const separate = separatePhases(parts, context);
  if (separate !== null) return separate;
  const atSignIn = await parts.signIn?.respond(parts, context);
  if (atSignIn) return atSignIn;
  const signsIn = parts.proxyAuth !== null || parts.signIn !== null;
  const matched = matchPath(path) ?? matchPage(path, signsIn);
  if (matched === null) return runPublicPhases(parts, context);
  context.route = matched.kind === "signedIn" ? matched.route.pattern : matched.route.contract.path;
  endPhase(context, "route");
  if (parts.corsOrigin !== null && method === "OPTIONS") return preflight(context.headers, "api");
  requireReading(method, parts.corsOrigin !== null);
  if (parts.signIn !== null) vary(context, "cookie");
  const caller = await identify(parts, context);
  if (matched.kind === "signedIn") requireOpen(caller, matched.route);
  else requireScope(caller.key, matched.route.contract.scope, caller.person !== null);
  endPhase(context, "key");
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(caller.key.id));
  endPhase(context, "rate-limit");
  if (matched.kind === "endpoint") {
    const lasting = lastingResponse(parts, streams, context, matched, caller);
    if (lasting !== null) return lasting;
  }
  return admitted(parts.admission, caller.key.id, async () => {
    endPhase(context, "admission");
    const { content } = await cachedOrRead(parts, context, matched, caller);
    const response = conditionalResponse(context, content);
    endPhase(context, "negotiate");
    return response;
  });
}

/** The response to an assistant's message or for a calendar feed, which have phases of their own; null for another path. */
function separatePhases(parts: AppParts, context: RequestContext): Promise<Response> | null {
  const { path } = context;
  if (path === MCP_PATH) return runAssistantPhases(parts, context);
  if (path.startsWith(CALENDAR_FOLDER)) return sendCalendar(parts, context);
  return parts.allowsFeeds && path === FEEDS_PATH ? makeFeed(parts, context) : null;
}

/** A list as a stream, or the response to a caller who waits for a change; null if neither was asked for. */
function lastingResponse(
  parts: AppParts,
  streams: StreamSlots,
  context: RequestContext,
  matched: RouteMatch,
  caller: Caller,
): Promise<Response> | null {
  const { route } = matched;
  if (route.list !== null) {
    const format = streamFormat(context.request.headers.get("accept"));
    if (format !== null)
      return streamList(parts, streams, context, route, route.list, matched.id, caller, format);
    vary(context, "accept");
  }
  const mayWait = "wait" in route.contract.parameters;
  const waitMs = mayWait ? waitOf(route, context, parts.today()) : 0;
  return waitMs > 0 ? parts.waits.respond(parts, context, matched, caller, waitMs) : null;
}

/** The page's own route at a path; null if there is none, or nobody may use it. `signsIn`: whether people can sign in without a key. */
function matchPage(path: string, signsIn: boolean): MatchedRoute | null {
  const route = signedInRoute(path);
  if (route === null) return null;
  const isOpen = signsIn || route.isOpenTo("key") || route.isOpenTo("away key");
  return isOpen ? { kind: "signedIn", route } : null;
}

async function runPublicPhases(parts: AppParts, context: RequestContext): Promise<Response> {
  const { path, method, request } = context;
  const page =
    parts.accessTokens?.metadata(path) ??
    (await parts.publicRoutes.find(path, request.headers, context.basePath));
  if (page === null) return nothingHere(parts, context);
  context.route = publicPattern(path);
  endPhase(context, "route");
  if (parts.corsOrigin !== null && method === "OPTIONS") return preflight(context.headers, "api");
  requireReading(method, parts.corsOrigin !== null);
  return publicResponse(context, page);
}

/** Responds with a 404. A browser gets the page, which says so; other callers get the problem. */
async function nothingHere(parts: AppParts, context: RequestContext): Promise<Response> {
  const { path, method, request } = context;
  const isNavigation =
    (method === "GET" || method === "HEAD") && /\btext\/html\b/.test(request.headers.get("accept") ?? "");
  const isOfPrograms = /^\/(?:v1|web|docs)(?:\/|$)/.test(path);
  const page =
    isNavigation && !isOfPrograms
      ? await parts.publicRoutes.find("/", request.headers, context.basePath)
      : null;
  if (page === null || page.status !== 200) throw unknownPath(context);
  context.route = publicPattern(path);
  vary(context, "accept");
  const { etag: _etag, ...headers } = page.headers; // the tag belongs to another path
  return publicResponse(context, { ...page, status: 404, headers });
}

/** A second Host header is an attempt to make two programs see different requests (RFC 9112, 3.2). */
function requireOneHost(request: Request): void {
  if (!/,\s/.test(request.headers.get("host") ?? "")) return;
  throw invalidParameters([{ parameter: "Host", detail: "was sent more than once: send it once" }]);
}

/** Errors that callers cause by guessing keys, scopes, paths or feed addresses. */
const FAILURES: ReadonlySet<ProblemCode> = new Set([
  "missing_api_key",
  "invalid_api_key",
  "invalid_token",
  "missing_scope",
  "unknown_path",
  "origin_not_allowed",
  "feed_not_found",
]);

/** Counts a failure of the caller's address. An address with too many failures gets a 429. */
async function countFailure(
  parts: AppParts,
  context: RequestContext,
  problem: HttpProblem,
): Promise<HttpProblem> {
  if (parts.failureLimit === null || !FAILURES.has(problem.code)) return problem;
  return (await parts.failureLimit.failed(addressShare(context.connection.address()))) ?? problem;
}
