// One request on its way to its answer; the phases add what they find out.
import type { StoredKey } from "../store/store.ts";

export interface RequestContext {
  readonly request: Request;
  readonly requestId: string;
  /** The caller's address, found out only when it matters. */
  readonly address: () => string;
  readonly startedAtMs: number;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** The route's pattern, for the log: never the path itself. */
  route: string;
  key: StoredKey | null;
  /** Of the answer. */
  headers: Record<string, string>;
  /** Of the answer's body as sent. */
  bytes: number;
}

/** An answer that needs no key, ready to be sent. */
export interface PublicRoute {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Reads off the request what every answer needs. A caller's own request id is kept where it is a sound one. */
export function begin(request: Request, address: () => string): RequestContext {
  const { url } = request;
  // Without a sound Host header, which HTTP/1.0 need not send, the target stands alone.
  const pathStart = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", pathStart);
  const asked = request.headers.get("x-request-id");
  const requestId = asked !== null && REQUEST_ID.test(asked) ? asked : crypto.randomUUID();
  return {
    request,
    requestId,
    address,
    startedAtMs: performance.now(),
    path: queryStart === -1 ? url.slice(pathStart) : url.slice(pathStart, queryStart),
    query: queryStart === -1 ? "" : url.slice(queryStart + 1),
    route: "unknown",
    key: null,
    headers: { "x-request-id": requestId, ...(hasBody(request) ? CLOSE : {}) },
    bytes: 0,
  };
}

/** No body is read. One that was announced ends the connection, or a caller could go on sending it for ever. */
const CLOSE = { connection: "close" };

function hasBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}

/** The answer with what the phases gathered. HEAD answers as GET does, with the length and without the body. */
export function respond(context: RequestContext, status: number, body: string | Uint8Array | null): Response {
  context.bytes = body === null || context.request.method === "HEAD" ? 0 : body.length;
  const sent = typeof body === "string" || body === null ? body : (body as Uint8Array<ArrayBuffer>); // never shared memory
  return new Response(sent, { status, headers: context.headers });
}

/** Adds names to `Vary`, keeping those that an earlier phase set. */
export function vary(context: RequestContext, names: string): void {
  const { headers } = context;
  headers.vary = headers.vary === undefined ? names : `${names}, ${headers.vary}`;
}
