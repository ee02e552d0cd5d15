// The page as answers to paths, for the server: the built files and what the page must know before it has a key.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** An answer without the parts that every answer gets, such as the request id; the shape of the reference's. */
export interface WebAnswer {
  readonly status: 200 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface WebOptions {
  /** All data is invented: a link may carry the key, and the page says that this is a demo. */
  readonly demo: boolean;
  /** The day the server was told to compute for (`--today`), `YYYY-MM-DD`; null to let the page take the viewer's. */
  readonly today: string | null;
  /** Where the built files lie; `dist/web` unless given. */
  readonly directory?: string;
}

/** Only what this server itself sends may run, style or be called; nobody may frame a page on which a key is typed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const CONTENT_TYPE: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Every view has an address of its own; all of them are the same document. */
const VIEW = /^\/(?:(?:people|policies)(?:\/[A-Za-z0-9_%-]+)?)?$/;

/** The bundler puts a digest of the content into these names. */
const FOREVER = /-[a-z0-9]{8}\.(?:js|css|svg)$/;

const BUILT_DIRECTORY = join(import.meta.dir, "../../dist/web");

/** The answer to a path, or null where the page has nothing. Files are read, and compressed, when first asked for. */
export function webPages({ demo, today, directory = BUILT_DIRECTORY }: WebOptions) {
  const names = new Set(existsSync(directory) ? readdirSync(directory) : []);
  const config = new TextEncoder().encode(JSON.stringify({ demo, today }));
  const made = new Map<string, WebAnswer>();

  return function page(path: string, acceptsGzip = false): WebAnswer | null {
    const name = VIEW.test(path)
      ? "index.html"
      : path.startsWith("/web/")
        ? path.slice("/web/".length)
        : null;
    if (name === null || !(names.has(name) || name === "index.html" || name === "config.json")) return null;
    if (name === "index.html" && !names.has(name)) return NOT_BUILT;
    const isGzipped = acceptsGzip && extname(name) !== ".woff2"; // those are compressed as they are
    const key = isGzipped ? `${name} gzip` : name;
    let answer = made.get(key);
    if (answer === undefined) {
      const content = name === "config.json" ? config : new Uint8Array(readFileSync(join(directory, name)));
      answer = answerOf(name, content, isGzipped);
      made.set(key, answer);
    }
    return answer;
  };
}

function answerOf(name: string, content: Uint8Array<ArrayBuffer>, isGzipped: boolean): WebAnswer {
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("base64url").slice(0, 22);
  const headers: Record<string, string> = {
    "content-type": CONTENT_TYPE[extname(name)] ?? "application/octet-stream",
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": FOREVER.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
    etag: `W/"${digest}"`,
    vary: "accept-encoding",
  };
  if (isGzipped) headers["content-encoding"] = "gzip";
  return { status: 200, headers, body: isGzipped ? Bun.gzipSync(content) : content };
}

const NOT_BUILT: WebAnswer = {
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: new TextEncoder().encode(
    "The page is not built: run `npm run prepare`. The API works without it: see /docs.\n",
  ),
};
