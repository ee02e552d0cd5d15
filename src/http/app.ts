// The way of a request, whole: request id → problem boundary → path and method → key → scope → rate limit → cache →
// validate → store → render → entity tag → compress. Each phase is one small function.
import type { Scope } from "../contract/list.ts";
import { PROBLEMS } from "../contract/problems.ts";
import { parseQuery } from "../contract/query.ts";
import type { Observe } from "../observe.ts";
import { type ReadStore, type StoredKey, StoreUnavailable } from "../store/store.ts";
import { authenticate, requireScope, unknownKey } from "./auth.ts";
import { type AnswerCache, cacheKey, type KeptAnswer } from "./cache.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { encodedBody } from "./encoding.ts";
import { HttpProblem, internalError, invalidParameters, problemBody, unavailable } from "./problems.ts";
import type { FailureLimit, RateLimit } from "./rate-limit.ts";
import { type Content, contentOf } from "./render.ts";
import { type Match, matchPath } from "./router.ts";

/** What the pipeline is made of. `today` and `now` are arguments, so that a test can choose the day. */
export interface AppParts {
  readonly store: ReadStore;
  readonly cache: AnswerCache;
  readonly observe: Observe;
  /** The current UTC day, `YYYY-MM-DD`. */
  readonly today: () => string;
  readonly rateLimit: RateLimit | null;
  readonly failureLimit: FailureLimit | null;
  /** The one origin whose pages may call, if any. */
  readonly corsOrigin: string | null;
  /** Called with each use of a key. */
  readonly used: (key: StoredKey) => void;
  /** Pages that need no key: the reference, the page, the health checks. */
  readonly openPages: (path: string) => Promise<OpenPage | null>;
}

export interface OpenPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** One request on its way; phases add what they find out. */
interface Exchange {
  readonly request: Request;
  readonly requestId: string;
  readonly address: () => string;
  readonly startedAtMs: number;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  route: string;
  key: StoredKey | null;
  headers: Record<string, string>;
  /** Of the body as sent. */
  bytes: number;
}

/** `address` tells where the caller is, when that matters. */
export type App = (request: Request, address: () => string) => Promise<Response>;

/** The service as a function from a request to its answer; it never throws. */
export function createApp(parts: AppParts): App {
  return async function handle(request, address) {
    const exchange = begin(request, address);
    if (parts.corsOrigin !== null) Object.assign(exchange.headers, corsHeaders(parts.corsOrigin, request));
    let response: Response;
    let code: string | null = null;
    try {
      response = await answer(parts, exchange);
    } catch (error) {
      const problem = asProblem(parts.observe, exchange, error);
      code = problem.code;
      response = refuse(exchange, problem);
    }
    observeRequest(parts.observe, exchange, response, code);
    return response;
  };
}

async function answer(parts: AppParts, exchange: Exchange): Promise<Response> {
  const match = matchPath(exchange.path);
  const page = match === null ? await parts.openPages(exchange.path) : null;
  if (match === null && page === null) throw unknownPath(exchange.path);
  exchange.route = match?.route.contract.path ?? exchange.path;
  if (parts.corsOrigin !== null && exchange.request.method === "OPTIONS") return preflight(exchange.headers);
  requireReading(exchange.request.method, parts.corsOrigin !== null);
  if (match === null) return openAnswer(exchange, page!);

  const key = await identify(parts, exchange);
  requireScope(key, scopeOf(match));
  if (parts.rateLimit !== null) Object.assign(exchange.headers, await parts.rateLimit.take(key.id));
  const version = await parts.store.version(key.companyId);
  if (version === null) throw unknownKey();
  const today = parts.today();
  const kept = cacheKey(key.companyId, version, today, `${exchange.path}?${exchange.query}`);
  let found = parts.cache.get(kept);
  if (found === undefined) {
    found = {
      content: await read(parts.store, match, exchange, key.companyId, today),
      compressed: new Map(),
    };
    parts.cache.set(kept, found);
  }
  return negotiate(exchange, found);
}

function begin(request: Request, address: () => string): Exchange {
  const { url } = request;
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", pathStart);
  const asked = request.headers.get("x-request-id");
  const requestId = asked !== null && /^[A-Za-z0-9._-]{1,128}$/.test(asked) ? asked : crypto.randomUUID();
  return {
    request,
    requestId,
    address,
    startedAtMs: performance.now(),
    path: queryStart === -1 ? url.slice(pathStart) : url.slice(pathStart, queryStart),
    query: queryStart === -1 ? "" : url.slice(queryStart + 1),
    route: "unknown",
    key: null,
    headers: { "x-request-id": requestId },
    bytes: 0,
  };
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

async function identify(parts: AppParts, exchange: Exchange): Promise<StoredKey> {
  try {
    const key = await authenticate(parts.store, exchange.request.headers.get("x-api-key"), Date.now());
    exchange.key = key;
    parts.used(key);
    return key;
  } catch (error) {
    if (error instanceof HttpProblem) await parts.failureLimit?.failed(exchange.address());
    throw error;
  }
}

function scopeOf(match: Match): Scope {
  return match.route.contract.scope;
}

/** Validates the query and reads the answer from the store. */
async function read(
  store: ReadStore,
  match: Match,
  exchange: Exchange,
  companyId: string,
  today: string,
): Promise<Content> {
  const query = new URLSearchParams(exchange.query);
  const parsed = parseQuery(match.route.contract.parameters, query);
  if (!parsed.ok) throw invalidParameters(parsed.errors);
  const company = store.company(companyId);
  if (match.kind === "list") {
    const values = parsed.values as never; // made by this route's own schemas
    return await match.route.answer({ company, values, path: exchange.path, query, today });
  }
  const { id: idSchema, notFound } = match.route.contract;
  const doc = idSchema.safeParse(match.id).success ? await match.route.answer(company, match.id) : null;
  if (doc === null) throw new HttpProblem(notFound, `${PROBLEMS[notFound].title} with this id.`);
  return contentOf(doc);
}

/** A 304 where the caller has the content already; else the content, compressed as the caller likes. */
function negotiate(exchange: Exchange, { content, compressed }: KeptAnswer): Response {
  const { headers } = exchange;
  const asked = exchange.request.headers;
  headers["content-type"] = "application/json";
  headers.etag = content.etag;
  headers["cache-control"] = "private, no-cache";
  headers.vary = headers.vary === undefined ? VARY : `${VARY}, ${headers.vary}`;
  if (content.link !== null) headers.link = content.link;
  if (matchesTag(asked.get("if-none-match"), content.etag)) {
    delete headers["content-type"];
    return new Response(null, { status: 304, headers });
  }
  const { body, encoding } = encodedBody(content, compressed, asked.get("accept-encoding"));
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  return respond(exchange, 200, body);
}

const VARY = "x-api-key, accept-encoding";

/** Weak comparison (RFC 9110, 8.8.3.2). Our tags hold letters and digits only, so a quoted match is a whole tag. */
function matchesTag(ifNoneMatch: string | null, etag: string): boolean {
  return ifNoneMatch !== null && (ifNoneMatch.trim() === "*" || ifNoneMatch.includes(etag.slice(2)));
}

function openAnswer(exchange: Exchange, page: OpenPage): Response {
  Object.assign(exchange.headers, page.headers);
  if (
    page.headers.etag !== undefined &&
    matchesTag(exchange.request.headers.get("if-none-match"), page.headers.etag)
  ) {
    return new Response(null, { status: 304, headers: exchange.headers });
  }
  return respond(exchange, page.status, page.body);
}

/** HEAD answers as GET does, with the length and without the body. */
function respond(exchange: Exchange, status: number, body: string | Uint8Array): Response {
  exchange.bytes = exchange.request.method === "HEAD" ? 0 : body.length;
  const sent = typeof body === "string" ? body : (body as Uint8Array<ArrayBuffer>); // never over shared memory
  return new Response(sent, { status, headers: exchange.headers });
}

function asProblem(observe: Observe, exchange: Exchange, error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof StoreUnavailable) {
    observe({ kind: "unavailable", requestId: exchange.requestId, error });
    return unavailable();
  }
  observe({ kind: "fault", requestId: exchange.requestId, error });
  return internalError();
}

function refuse(exchange: Exchange, problem: HttpProblem): Response {
  Object.assign(exchange.headers, problem.extra.headers, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
  });
  return respond(exchange, PROBLEMS[problem.code].status, problemBody(problem, exchange.requestId));
}

function observeRequest(observe: Observe, exchange: Exchange, response: Response, code: string | null): void {
  observe({
    kind: "request",
    requestId: exchange.requestId,
    method: exchange.request.method,
    route: exchange.route,
    status: response.status,
    durationMs: performance.now() - exchange.startedAtMs,
    keyId: exchange.key?.id ?? null,
    companyId: exchange.key?.companyId ?? null,
    bytes: exchange.bytes,
    code,
  });
}
