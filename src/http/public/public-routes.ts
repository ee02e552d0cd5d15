// Routes that need no key: the reference, the page, and the health checks (docs/api.md, Beside the contract).
import { type RoutePattern, routePattern } from "../../resources/resource.ts";
import { type ReadStore, StoreRefusal, StoreUnavailable } from "../../store/store.ts";
import { acceptsGzip } from "../middleware/negotiation.ts";
import type { PublicResponse } from "../request-context.ts";
import { reference } from "./reference/reference.ts";

export type PublicRoutes = (path: string, headers: Headers) => Promise<PublicResponse | null>;

/** Files that are ready to be served; null if there is none at this path. */
export type FilePages = (path: string, acceptsGzip: boolean) => PublicResponse | null;

export interface PublicRoutesParts {
  readonly store: ReadStore;
  /** A server that is stopping is not ready. */
  readonly isStopping: () => boolean;
  readonly page: FilePages;
}

export function publicRoutes({ store, isStopping, page }: PublicRoutesParts): PublicRoutes {
  return async (path, headers) => {
    const gzip = acceptsGzip(headers.get("accept-encoding"));
    const found = reference(path, gzip) ?? page(path, gzip) ?? (await health(path, store, isStopping));
    return found ?? (isForPeople(path, headers) ? notFoundPage(page("/", gzip)) : null);
  };
}

/** Whether a browser opens the path as a page: then people read the response. */
function isForPeople(path: string, headers: Headers): boolean {
  return (headers.get("accept") ?? "").includes("text/html") && !/^\/(?:v1|mcp|calendar|web)\//.test(path);
}

/** The page says in its own form that nothing is at this address. */
function notFoundPage(page: PublicResponse | null): PublicResponse | null {
  return page?.status === 200
    ? { ...page, status: 404, headers: { ...page.headers, "cache-control": "no-store" } }
    : null;
}

/** The patterns of the public routes: a path alone, or a folder with what is in it. */
const PATTERNS: readonly RoutePattern[] = [
  routePattern("/"),
  routePattern("/people"),
  routePattern("/people/{id}"),
  routePattern("/balances"),
  routePattern("/policies"),
  routePattern("/policies/{id}"),
  routePattern("/web/{file}"),
  routePattern("/docs"),
  routePattern("/docs/{file}"),
  routePattern("/openapi.json"),
  routePattern("/healthz"),
  routePattern("/readyz"),
];

const OTHER = routePattern("other");

/** The pattern of a public route, for logs and metrics. */
export function publicPattern(path: string): RoutePattern {
  const folder = path.slice(0, path.indexOf("/", 1) + 1);
  return (
    PATTERNS.find((pattern) => pattern === path) ??
    PATTERNS.find((pattern) => folder !== "" && pattern.startsWith(`${folder}{`)) ??
    OTHER
  );
}

const HEALTH_HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

/** `/healthz`: the process is up. `/readyz`: it can respond to requests. Null for any other path. */
async function health(
  path: string,
  store: ReadStore,
  isStopping: () => boolean,
): Promise<PublicResponse | null> {
  if (path === "/healthz") return { status: 200, headers: HEALTH_HEADERS, body: '{"status":"up"}' };
  if (path !== "/readyz") return null;
  if (!isStopping() && (await canRead(store)))
    return { status: 200, headers: HEALTH_HEADERS, body: '{"status":"ready"}' };
  const headers = { ...HEALTH_HEADERS, "retry-after": "1" };
  return { status: 503, headers, body: '{"status":"not ready"}' };
}

async function canRead(store: ReadStore): Promise<boolean> {
  try {
    await store.ping();
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof StoreRefusal) return false;
    throw error;
  }
}
