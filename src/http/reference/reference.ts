// The reference as answers: the interface document, its interactive page and the page of errors (contract, Beside the
// contract). None needs a key, and none tells anything of a company.
import { PAGES, type Page } from "./pages.ts";

/** An answer without the parts that every answer gets, such as the request id. */
export interface ReferenceAnswer {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Only what this server itself sends may run, style or be called; nobody may frame a page on which a key is typed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

interface Prepared {
  readonly plain: ReferenceAnswer;
  readonly gzipped: () => ReferenceAnswer;
}

function prepare({ contentType, content }: Page): Prepared {
  const body = new Uint8Array(content());
  const digest = new Bun.CryptoHasher("sha256").update(body).digest("base64url").slice(0, 22);
  const headers = {
    "content-type": contentType,
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
    etag: `W/"${digest}"`,
    vary: "accept-encoding",
  };
  let gzipped: ReferenceAnswer | undefined;
  return {
    plain: { status: 200, headers, body },
    gzipped: () => {
      gzipped ??= {
        status: 200,
        headers: { ...headers, "content-encoding": "gzip" },
        body: Bun.gzipSync(body),
      };
      return gzipped;
    },
  };
}

const prepared = new Map<string, Prepared>();

/**
 * The page at exactly this path, or null where the reference has none. A page is read (and compressed, for callers
 * that take gzip) when it is first asked for and kept. The weak `etag` is the same for both encodings (contract,
 * Headers); turning it into a 304, and leaving the body out for HEAD, is up to the caller.
 */
export function reference(path: string, acceptsGzip = false): ReferenceAnswer | null {
  let answer = prepared.get(path);
  if (answer === undefined) {
    const page = PAGES.get(path);
    if (page === undefined) return null;
    answer = prepare(page);
    prepared.set(path, answer);
  }
  return acceptsGzip ? answer.gzipped() : answer.plain;
}
