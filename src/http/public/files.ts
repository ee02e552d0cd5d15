// Files that need no key. A file is read at its first request, compressed once for callers that accept gzip, and cached.
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { PublicResponse } from "../request-context.ts";

/** Reads a file imported `with { type: "file" }`. In a bundle its path is relative to the bundle, not to the working folder. */
export function readShippedFile(path: string): Uint8Array {
  return readFileSync(isAbsolute(path) ? path : join(import.meta.dir, path));
}

export interface FileSource {
  readonly contentType: string;
  readonly content: () => string | Uint8Array;
  /** `no-cache` unless given: revalidated each time, with a 304 if nothing changed. */
  readonly cacheControl?: string;
  /** Set if the content is compressed already. */
  readonly isCompressed?: boolean;
}

/** Only this server's own files may run, style or be called. No site may frame the page, because people type a key into it. */
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

/** The file's response, plain or gzipped, with one weak `etag`. The caller of this function handles 304 and HEAD. */
export function fileResponses(source: FileSource): (acceptsGzip: boolean) => PublicResponse {
  let plain: PublicResponse | undefined;
  let gzipped: PublicResponse | undefined;
  return (acceptsGzip) => {
    plain ??= plainResponse(source);
    if (!acceptsGzip || source.isCompressed) return plain;
    gzipped ??= {
      ...plain,
      headers: { ...plain.headers, "content-encoding": "gzip" },
      body: Bun.gzipSync(Buffer.from(plain.body), { level: 9 }),
    };
    return gzipped;
  };
}

function plainResponse({ contentType, content, cacheControl = "no-cache" }: FileSource): PublicResponse {
  const made = content();
  const body = typeof made === "string" ? made : new Uint8Array(made);
  const digest = new Bun.CryptoHasher("sha256").update(body).digest("base64url").slice(0, 22);
  return {
    status: 200,
    headers: {
      "content-type": contentType,
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": cacheControl,
      etag: `W/"${digest}"`,
      vary: "accept-encoding",
    },
    body,
  };
}
