// Routes that need no key: the reference, the page, and the health checks (docs/api.md, Beside the contract).
import { extname } from "node:path";
import type { Observe } from "../../observe.ts";
import { type RoutePattern, routePattern } from "../../resources/resource.ts";
import { type ReadStore, StoreRefusal, StoreUnavailable } from "../../store/store.ts";
import { METADATA_PATHS } from "../access-tokens.ts";
import { preferredEncoding } from "../middleware/negotiation.ts";
import { loggedError } from "../problems.ts";
import type { PublicResponse } from "../request-context.ts";
import { fileResponses, readShippedFile } from "./files.ts";
import { pageFiles } from "./page-files.ts";
import { reference } from "./reference/reference.ts";

export interface PublicRoutes {
  /** The response at a path, with links that begin with `basePath`; null if there is none. */
  find(path: string, headers: Headers, basePath: string): Promise<PublicResponse | null>;
}

/** Files that are ready to be served; null if there is none at this path. */
export type FilePages = (path: string, acceptsGzip: boolean) => PublicResponse | null;

export interface PublicRoutesParts {
  readonly store: ReadStore;
  /** A server that is stopping is not ready. */
  readonly isStopping: () => boolean;
  readonly page: FilePages;
  /** Gets the reason why the server is not ready. */
  readonly observe?: Observe;
}

export function publicRoutes({
  store,
  isStopping,
  page,
  observe = () => {},
}: PublicRoutesParts): PublicRoutes {
  const file = (path: string, headers: Headers, basePath: string) => {
    // Links are rewritten only in uncompressed content.
    const encoding = preferredEncoding(headers.get("accept-encoding"), ["gzip"]);
    const isGzipped = basePath === "" && encoding === "gzip";
    const response = reference(path, isGzipped) ?? page(path, isGzipped);
    return response === null || basePath === "" ? response : belowBasePath(response, basePath);
  };
  return {
    find: async (path, headers, basePath) =>
      file(path, headers, basePath) ?? (await health(path, store, isStopping, observe)),
  };
}

/** The first slash of each of the server's own links in HTML and style sheets. */
const LINKS = /(?<=\b(?:href|src)="|\burl\("?)\/(?!\/)/g;

/** The response with `basePath` before each of the server's own links. It may be relative: `..`. */
export function belowBasePath(response: PublicResponse, basePath: string): PublicResponse {
  const { "content-type": contentType = "", etag = "" } = response.headers;
  if (!/^(?:text\/(?:html|css)|application\/json)/.test(contentType)) return response;
  const text = typeof response.body === "string" ? response.body : new TextDecoder().decode(response.body);
  const body = text
    .replace(LINKS, `${basePath}/`)
    .replace('"url": "/"', `"url": "${basePath}"`) // OpenAPI: paths are appended as they are
    .replace('<html lang="en"', `<html lang="en" data-base-path="${basePath}"`);
  const headers = { ...response.headers, etag: etag.replace(/"$/, `-${Bun.hash(basePath).toString(36)}"`) };
  return { ...response, headers, body };
}

/** The patterns of the public routes: a path, or a folder with its contents. */
export const PUBLIC_PATTERNS: readonly RoutePattern[] = [
  routePattern("/"),
  routePattern("/people"),
  routePattern("/people/{id}"),
  routePattern("/me"),
  routePattern("/team"),
  routePattern("/away"),
  routePattern("/requests"),
  routePattern("/balances"),
  routePattern("/policies"),
  routePattern("/policies/{id}"),
  routePattern("/web/{file}"),
  routePattern("/docs"),
  routePattern("/docs/{file}"),
  routePattern("/openapi.json"),
  routePattern("/openapi-streams.json"),
  routePattern("/healthz"),
  routePattern("/readyz"),
  ...METADATA_PATHS.map(routePattern),
];

const OTHER = routePattern("other");

/** The pattern of a public route, for logs and metrics. */
export function publicPattern(path: string): RoutePattern {
  const folder = path.slice(0, path.indexOf("/", 1) + 1);
  return (
    PUBLIC_PATTERNS.find((pattern) => pattern === path) ??
    PUBLIC_PATTERNS.find((pattern) => folder !== "" && pattern.startsWith(`${folder}{`)) ??
    OTHER
  );
}

const HEALTH_HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

/** `/healthz`: the process runs. `/readyz`: it can serve requests. Null for any other path. */
async function health(
  path: string,
  store: ReadStore,
  isStopping: () => boolean,
  observe: Observe,
): Promise<PublicResponse | null> {
  if (path === "/healthz") return { status: 200, headers: HEALTH_HEADERS, body: '{"status":"up"}' };
  if (path !== "/readyz") return null;
  if (!isStopping() && (await canRead(store, observe)))
    return { status: 200, headers: HEALTH_HEADERS, body: '{"status":"ready"}' };
  const headers = { ...HEALTH_HEADERS, "retry-after": "1" };
  return { status: 503, headers, body: '{"status":"not ready"}' };
}

async function canRead(store: ReadStore, observe: Observe): Promise<boolean> {
  try {
    await store.ping();
    return true;
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof StoreRefusal)) throw error;
    observe({ kind: "unavailable", requestId: null, traceId: null, error: loggedError(error, null) });
    return false;
  }
}

// The web page: the built files of src/web, and the settings that the page needs before it has a key.

export interface PageOptions {
  /** All data is made up: a link may contain the key, and the page says that it is a demo. */
  readonly demo: boolean;
  /** The day that `--today` fixed, `YYYY-MM-DD`; null if the page uses the viewer's. */
  readonly today: string | null;
  /** What signs people in: a proxy in front, or this server at an identity provider; null if keys alone do. */
  readonly signIn?: "proxy" | "provider" | null;
  /** Where that proxy signs people out. */
  readonly proxySignOut?: string | null;
  /** Whether signed-in people who see everything may make calendar feeds. */
  readonly allowsFeeds?: boolean;
  /** The folder of the built files; `dist/web` unless given. */
  readonly directory?: string;
}

const CONTENT_TYPE: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Every view has its own path. All of them are the same document. */
const VIEW = /^\/(?:me|team|away|requests|balances|(?:people|policies)(?:\/[A-Za-z0-9_%-]+)?)?$/;

/** The bundler puts a digest of the content into these names, so they can be cached forever. */
const FOREVER = /-[a-z0-9]{8}\.(?:js|css|svg)$/;

/** Returns the response for a path, or null if the page has none. */
export function webPages({
  demo,
  today,
  signIn = null,
  proxySignOut = null,
  allowsFeeds = false,
  directory,
}: PageOptions) {
  const files = new Map<string, (acceptsGzip: boolean) => PublicResponse>();
  for (const [name, path] of pageFiles(directory)) files.set(`/web/${name}`, builtFile(name, path));
  const config = JSON.stringify({ demo, today, signIn, proxySignOut, allowsFeeds });
  files.set("/web/config.json", fileResponses({ contentType: "application/json", content: () => config }));
  const view = files.get("/web/index.html") ?? (() => NOT_BUILT);

  return function page(path: string, acceptsGzip = false): PublicResponse | null {
    const file = VIEW.test(path) ? view : files.get(path);
    return file?.(acceptsGzip) ?? null;
  };
}

function builtFile(name: string, path: string): (acceptsGzip: boolean) => PublicResponse {
  return fileResponses({
    contentType: CONTENT_TYPE[extname(name)] ?? "application/octet-stream",
    content: () => readShippedFile(path),
    isCompressed: extname(name) === ".woff2",
    ...(FOREVER.test(name) ? { cacheControl: "public, max-age=31536000, immutable" } : {}),
  });
}

const NOT_BUILT: PublicResponse = {
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: "The page is not built: run `npm run prepare`. The API works without it: see /docs.\n",
};
