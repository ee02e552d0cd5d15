// The web page: the built files of src/web, and the settings that the page needs before it has a key.
import { extname } from "node:path";
import { type FileResponse, fileResponses, readShippedFile } from "./files.ts";
import { pageFiles } from "./page-files.ts";

export interface PageOptions {
  /** All data is made up: a link may contain the key, and the page says that this is a demo. */
  readonly demo: boolean;
  /** The day that `--today` fixed, `YYYY-MM-DD`; null if the page uses the viewer's. */
  readonly today: string | null;
  /** Whether a proxy may have signed people in. */
  readonly hasProxySignIn?: boolean;
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
const VIEW = /^\/(?:(?:people|policies|balances)(?:\/[A-Za-z0-9_%-]+)?)?$/;

/** The bundler puts a digest of the content into these names, so they can be cached forever. */
const FOREVER = /-[a-z0-9]{8}\.(?:js|css|svg)$/;

/** Returns the response for a path, or null if the page has none. */
export function webPages({ demo, today, hasProxySignIn = false, directory }: PageOptions) {
  const files = new Map<string, (acceptsGzip: boolean) => FileResponse>();
  for (const [name, path] of pageFiles(directory)) files.set(`/web/${name}`, builtFile(name, path));
  const config = JSON.stringify({ demo, today, hasProxySignIn });
  files.set("/web/config.json", fileResponses({ contentType: "application/json", content: () => config }));
  const view = files.get("/web/index.html") ?? (() => NOT_BUILT);

  return function page(path: string, acceptsGzip = false): FileResponse | null {
    const file = VIEW.test(path) ? view : files.get(path);
    return file?.(acceptsGzip) ?? null;
  };
}

function builtFile(name: string, path: string): (acceptsGzip: boolean) => FileResponse {
  return fileResponses({
    contentType: CONTENT_TYPE[extname(name)] ?? "application/octet-stream",
    content: () => readShippedFile(path),
    isCompressed: extname(name) === ".woff2",
    ...(FOREVER.test(name) ? { cacheControl: "public, max-age=31536000, immutable" } : {}),
  });
}

const NOT_BUILT: FileResponse = {
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: new TextEncoder().encode(
    "The page is not built: run `npm run prepare`. The API works without it: see /docs.\n",
  ),
};
