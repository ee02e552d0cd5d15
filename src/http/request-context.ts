// The request context: what the phases know about one request and its caller's trace, how they respond, and what they report.
import { LOGGED_METHODS, type LoggedText, type LoggedTool, type Observation } from "../observe.ts";
import { type RoutePattern, routePattern } from "../resources/resource.ts";
import type { StoredSecret } from "../store/store.ts";

/** The connection of a request. Each method is called only when needed. */
export interface Connection {
  address(): string;
  /** Whether it comes from a trusted proxy. */
  isFromProxy(): boolean;
  /** Closes the connection if nothing could be sent for this long, as the server usually does; 0 for never. */
  limitIdle(seconds?: number): void;
}

export interface RequestContext {
  readonly request: Request;
  /** A copy, because `request.method` makes a new text each time. */
  readonly method: string;
  readonly requestId: string;
  readonly connection: Connection;
  readonly startedAtMs: number;
  /** The caller's trace, if it sent one. */
  readonly trace: TraceContext | null;
  /** Below `basePath`. */
  readonly path: string;
  /** The prefix of links in the response, such as `/hr`; empty for the root. */
  readonly basePath: string;
  /** Without the question mark. */
  readonly query: string;
  /** For logs and metrics. */
  route: RoutePattern;
  /** The key or the calendar feed; null until it is known. */
  key: StoredSecret | null;
  /** Headers of the response, collected by the phases. */
  readonly headers: Record<string, string>;
  /** Length of the response's body as sent. */
  bytes: number;
  /** The body of an assistant's message, once read. */
  body: string | null;
  /** The tool that an assistant called; null for any other request. */
  tool: LoggedTool | null;
  /** How long the request waited for a change; not counted as work. */
  waitedMs: number;
  /** Resolves when the body of a stream has been sent, or will not be; null for any other response. */
  streamed: Promise<void> | null;
  /** The phases that have ended, in order; null if they are not timed. */
  readonly phases: Phase[] | null;
}

interface Phase {
  readonly name: string;
  readonly endedAtMs: number;
}

/** The response of a public route, without the headers that every response gets. */
export interface PublicResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

const UNKNOWN_ROUTE = routePattern("unknown");

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export interface ContextOptions {
  readonly isTimed: boolean;
  readonly isTls: boolean;
  readonly basePath: string;
}

export function isBasePath(text: string): boolean {
  return /^(?:\/[\w~-][\w.~-]*)+$/.test(text);
}

/** The path without the base path, if a proxy did not strip it. */
function belowBase(path: string, basePath: string): string {
  if (basePath === "" || !path.startsWith(basePath)) return path;
  const rest = path.slice(basePath.length);
  return rest === "" ? "/" : rest.startsWith("/") ? rest : path;
}

/** The configured base path, else the one that a trusted proxy names. */
function basePathOf(request: Request, connection: Connection, configured: string): string {
  if (configured !== "") return configured;
  const forwarded = request.headers.get("x-forwarded-prefix");
  return forwarded !== null && isBasePath(forwarded) && connection.isFromProxy() ? forwarded : "";
}

/** Starts a request's context. Uses the caller's own request id if it is well-formed (docs/api.md, Headers). */
export function beginRequest(
  request: Request,
  connection: Connection,
  { isTimed, isTls, basePath }: ContextOptions,
): RequestContext {
  const { url } = request;
  // HTTP/1.0 may omit the Host header. Then the URL is only the request target.
  const pathStart = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", pathStart);
  const callersId = request.headers.get("x-request-id");
  const requestId = callersId !== null && REQUEST_ID.test(callersId) ? callersId : crypto.randomUUID();
  const headers: Record<string, string> = {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
  };
  if (isTls) Object.assign(headers, HTTPS_ONLY);
  if (hasBody(request)) Object.assign(headers, CLOSE);
  return {
    request,
    method: request.method,
    requestId,
    connection,
    startedAtMs: performance.now(),
    trace: traceContext(request),
    path: belowBase(queryStart === -1 ? url.slice(pathStart) : url.slice(pathStart, queryStart), basePath),
    basePath: basePathOf(request, connection, basePath),
    query: queryStart === -1 ? "" : url.slice(queryStart + 1),
    route: UNKNOWN_ROUTE,
    key: null,
    headers,
    bytes: 0,
    body: null,
    tool: null,
    waitedMs: 0,
    streamed: null,
    phases: isTimed ? [] : null,
  };
}

/** Tells browsers to use only HTTPS for this host, for a year (RFC 6797). */
const HTTPS_ONLY = { "strict-transport-security": "max-age=31536000" };

/** Only messages have a body that is read. An unread body closes the connection, or a caller could send it forever. */
const CLOSE = { connection: "close" };

function hasBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}

/** Records that a phase ended now; the next one begins. */
export function endPhase(context: RequestContext, name: string): void {
  context.phases?.push({ name, endedAtMs: performance.now() });
}

/** The phases' durations in milliseconds, as a `Server-Timing` header (W3C Server Timing); null if they are not timed. */
export function serverTiming({ phases, startedAtMs }: RequestContext): string | null {
  if (phases === null) return null;
  return phases
    .map(({ name, endedAtMs }, at) => {
      const beganAtMs = phases[at - 1]?.endedAtMs ?? startedAtMs;
      return `${name};dur=${(endedAtMs - beganAtMs).toFixed(3)}`;
    })
    .join(", ");
}

/** The response with the collected headers. HEAD has GET's headers and no body. */
export function respond(context: RequestContext, status: number, body: string | Uint8Array | null): Response {
  const isSent = body !== null && context.method !== "HEAD";
  context.bytes = isSent ? Buffer.byteLength(body) : 0;
  const sent = body as string | Uint8Array<ArrayBuffer> | null; // never shared memory
  const response = new Response(sent, { status, headers: context.headers });
  // Bun adds the date to every other response.
  if (context.method === "HEAD") response.headers.set("date", new Date().toUTCString());
  return response;
}

/** Adds names to `Vary`, keeping those of earlier phases. */
export function vary(context: RequestContext, names: string): void {
  const { headers } = context;
  headers.vary = headers.vary === undefined ? names : `${names}, ${headers.vary}`;
}

// The caller's trace: the `traceparent` header (W3C Trace Context, 2). src/cli/serving/traces.ts exports it.

export interface TraceContext {
  readonly traceId: LoggedText;
  /** The caller's span. */
  readonly parentId: string;
  /** Whether the caller records its span. Only a trusted caller decides for this server. */
  readonly isSampled: boolean;
}

/** Later versions may append fields; version ff is forbidden. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?=$|-)/;

/** Longer ones cannot be valid in any known version. */
const LENGTH_MAX = 256;

/** Null if the header is missing or invalid: an invalid one is ignored. */
export function traceContext({ headers }: Request): TraceContext | null {
  const header = headers.get("traceparent");
  if (header === null || header.length > LENGTH_MAX) return null;
  const match = TRACEPARENT.exec(header);
  if (match === null || (header.startsWith("00") && header.length > match[0].length)) return null;
  const [, traceId, parentId, flags] = match;
  return {
    traceId: traceId as LoggedText, // 32 hexadecimal digits
    parentId: parentId!,
    isSampled: (Number.parseInt(flags!, 16) & 1) === 1,
  };
}

/** One finished request, as it is traced. Times are of `performance.now()`, in milliseconds. */
export interface RequestTrace {
  readonly parent: TraceContext | null;
  /** Whether the request came through a proxy of `--trust-proxy`. */
  readonly isTrusted: () => boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** When the store was read; undefined for a cached response or no read. */
  readonly storeRead: { readonly startedAtMs: number; readonly endedAtMs: number } | undefined;
}

export function requestTrace({ phases, startedAtMs, trace, connection }: RequestContext): RequestTrace {
  const at = phases?.findIndex(({ name }) => name === "read") ?? -1;
  const read = phases?.[at];
  return {
    parent: trace,
    isTrusted: () => connection.isFromProxy(),
    startedAtMs,
    endedAtMs: performance.now(),
    storeRead: read && {
      startedAtMs: phases?.[at - 1]?.endedAtMs ?? startedAtMs,
      endedAtMs: read.endedAtMs,
    },
  };
}

// What a server reports about a request, without anything that the caller wrote: path, query or headers.

const METHODS = new Map<string, (typeof LOGGED_METHODS)[number]>(
  LOGGED_METHODS.map((method) => [method, method]),
);

export function requestObservation(
  context: RequestContext,
  status: number,
  code: string | null,
): Extract<Observation, { readonly kind: "request" }> {
  const { method, key } = context;
  return {
    kind: "request",
    requestId: loggedId(context),
    method: METHODS.get(method) ?? "other",
    route: context.route,
    status,
    durationMs: performance.now() - context.startedAtMs - context.waitedMs,
    bytes: context.bytes,
    keyId: key?.id ?? null,
    companyId: key?.companyId ?? null,
    code,
    called: context.tool,
    traceId: context.trace?.traceId ?? null,
  };
}

/** Anything that looks like a key, which people paste anywhere. */
export const KEY_FORM = /r[kc]_[0-9A-Za-z]{8,}/g;

/** The request id, which callers may choose to find their request in the log. A key in it is removed. */
export function loggedId({ requestId }: RequestContext): LoggedText {
  if (!requestId.includes("_")) return requestId as LoggedText; // harmless, as below
  return requestId.replace(KEY_FORM, "(key)") as LoggedText; // at most 128 harmless characters
}
