// The way of a request, whole: request id → problem boundary → path and method → overload → key → scope → rate limit →
// cache → validate → store → render → entity tag → compress. Each phase is one small function.

import type { Observe } from "../observe.ts";
import { PROBLEMS } from "../resources/problems.ts";
import { parseQuery } from "../resources/query.ts";
import {
  type CompanyReader,
  type ReadStore,
  type StoredKey,
  StoreRefusal,
  StoreUnavailable,
  UNPROVEN,
} from "../store/store.ts";
import { authenticate, requireScope, unknownKey } from "./middleware/auth.ts";
import { cacheKey, type ResponseCache } from "./middleware/cache.ts";
import { conditionalAnswer, openAnswer } from "./middleware/conditional.ts";
import { corsHeaders, preflight } from "./middleware/cors.ts";
import type { Overload } from "./middleware/overload.ts";
import type { FailureLimit, RateLimit } from "./middleware/rate-limit.ts";
import {
  HttpProblem,
  internalError,
  invalidParameters,
  overloaded,
  problemBody,
  unavailable,
} from "./problems.ts";
import type { PublicRoutes } from "./public/public-routes.ts";
import { type Content, contentOf } from "./render.ts";
import { begin, type RequestContext, respond } from "./request-context.ts";
import { type Match, matchPath } from "./router.ts";

/** What the pipeline is made of. The day is an argument, so that a test or an operator can choose it. */
export interface AppParts {
  readonly store: ReadStore;
  readonly cache: ResponseCache;
  readonly observe: Observe;
  /** The current UTC day, `YYYY-MM-DD`. */
  readonly today: () => string;
  readonly rateLimit: RateLimit | null;
  readonly failureLimit: FailureLimit | null;
  readonly overload: Overload;
  /** The one origin whose pages may call, if any. */
  readonly corsOrigin: string | null;
  /** Called with each use of a key. */
  readonly used: (key: StoredKey) => void;
  /** Pages that need no key: the reference, the health checks. */
  readonly publicRoutes: PublicRoutes;
}

/** `address` tells where the caller is, when that matters. */
export type App = (request: Request, address: () => string) => Promise<Response>;

/** The service as a function from a request to its answer; it never throws. */
export function createApp(parts: AppParts): App {
  return async function handle(request, address) {
    const context = begin(request, address);
    if (parts.corsOrigin !== null) Object.assign(context.headers, corsHeaders(parts.corsOrigin, request));
    let response: Response;
    let code: string | null = null;
    try {
      response = await answer(parts, context);
    } catch (error) {
      const problem = asProblem(parts.observe, context, error);
      code = problem.code;
      response = refuse(context, problem);
    }
    observeRequest(parts.observe, context, response.status, code);
    return response;
  };
}

async function answer(parts: AppParts, context: RequestContext): Promise<Response> {
  const { path, request } = context;
  const match = matchPath(path);
  const page = match === null ? await parts.publicRoutes(path, request.headers.get("accept-encoding")) : null;
  if (match === null && page === null) throw unknownPath(path);
  context.route = match?.route.contract.path ?? path;
  if (parts.corsOrigin !== null && request.method === "OPTIONS") return preflight(context.headers);
  requireReading(request.method, parts.corsOrigin !== null);
  if (match === null) return openAnswer(context, page!);
  if (parts.overload.sheds()) throw overloaded();
  try {
    return await answerOfCompany(parts, context, match);
  } finally {
    parts.overload.left();
  }
}

async function answerOfCompany(parts: AppParts, context: RequestContext, match: Match): Promise<Response> {
  const key = await identify(parts, context);
  requireScope(key, match.route.contract.scope);
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(key.id));
  const version = await parts.store.version(key.companyId);
  if (version === null) throw unknownKey();
  const today = parts.today();
  const kept = cacheKey(key.companyId, version, today, `${context.path}?${context.query}`);
  let found = parts.cache.get(kept);
  if (found === undefined) {
    const company = parts.store.company(key.companyId, version);
    found = { content: await read(company, match, context, today), compressed: new Map() };
    // What only a replica could say, with the primary lost, is answered but not kept.
    if (!version.startsWith(UNPROVEN)) parts.cache.offer(kept, found);
  }
  return conditionalAnswer(context, found);
}

function requireReading(method: string, corsOpen: boolean): void {
  if (method === "GET" || method === "HEAD") return;
  const allow = corsOpen ? "GET, HEAD, OPTIONS" : "GET, HEAD";
  throw new HttpProblem("method_not_allowed", `This API is read-only: use GET instead of ${method}.`, {
    headers: { allow },
  });
}

function unknownPath(path: string): HttpProblem {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  return new HttpProblem(
    "unknown_path",
    `There is nothing at ${shown}: see /docs for the paths that there are.`,
  );
}

async function identify(parts: AppParts, context: RequestContext): Promise<StoredKey> {
  try {
    const key = await authenticate(parts.store, context.request.headers.get("x-api-key"), Date.now());
    context.key = key;
    parts.used(key);
    return key;
  } catch (error) {
    if (error instanceof HttpProblem) await parts.failureLimit?.failed(context.address());
    throw error;
  }
}

/** Validates the query and reads the answer from the store. */
async function read(
  company: CompanyReader,
  match: Match,
  context: RequestContext,
  today: string,
): Promise<Content> {
  const query = new URLSearchParams(context.query);
  const parsed = parseQuery(match.route.contract.parameters, query, (values) =>
    match.kind === "list" ? match.route.crossFieldErrors(values as never, today) : [],
  );
  if (!parsed.ok) throw invalidParameters(parsed.errors);
  if (match.kind === "list") {
    const values = parsed.values as never; // made by this route's own schemas
    return await match.route.answer({ company, values, path: context.path, query, today });
  }
  const { id: idSchema, notFound } = match.route.contract;
  const doc = idSchema.safeParse(match.id).success ? await match.route.answer(company, match.id) : null;
  if (doc === null) throw new HttpProblem(notFound, `${PROBLEMS[notFound].title} with this id.`);
  return contentOf(doc);
}

function asProblem(observe: Observe, context: RequestContext, error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  // A store that became another's, or a newer version's, under a running server refuses instead.
  if (error instanceof StoreUnavailable || error instanceof StoreRefusal) {
    observe({ kind: "unavailable", requestId: context.requestId, error });
    return unavailable();
  }
  observe({ kind: "fault", requestId: context.requestId, error });
  return internalError();
}

function refuse(context: RequestContext, problem: HttpProblem): Response {
  Object.assign(context.headers, problem.extra.headers, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
  });
  return respond(context, PROBLEMS[problem.code].status, problemBody(problem, context.requestId));
}

function observeRequest(
  observe: Observe,
  context: RequestContext,
  status: number,
  code: string | null,
): void {
  observe({
    kind: "request",
    requestId: context.requestId,
    method: context.request.method,
    route: context.route,
    status,
    durationMs: performance.now() - context.startedAtMs,
    bytes: context.bytes,
    keyId: context.key?.id ?? null,
    companyId: context.key?.companyId ?? null,
    code,
  });
}
