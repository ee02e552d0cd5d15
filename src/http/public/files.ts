// Files that need no key: read when first asked for, compressed once for callers that take gzip, kept.

/** An answer without the parts that every answer gets, such as the request id. */
export interface FileResponse {
  readonly status: 200 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface FileSource {
  readonly contentType: string;
  readonly content: () => string | Uint8Array;
  /** `no-cache` unless given: asked for again each time, answered with 304 where it is the same. */
  readonly cacheControl?: string;
  /** Set for what is compressed already. */
  readonly isCompressed?: boolean;
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

/**
 * The file as an answer, plain or gzipped. The weak `etag` is the same for both (docs/api.md, Headers); turning it into a
 * 304, and leaving the body out for HEAD, is up to the caller.
 */
export function fileResponses(source: FileSource): (acceptsGzip: boolean) => FileResponse {
  let plain: FileResponse | undefined;
  let gzipped: FileResponse | undefined;
  return (acceptsGzip) => {
    plain ??= plainAnswer(source);
    if (!acceptsGzip || source.isCompressed) return plain;
    gzipped ??= {
      ...plain,
      headers: { ...plain.headers, "content-encoding": "gzip" },
      body: Bun.gzipSync(plain.body),
    };
    return gzipped;
  };
}

function plainAnswer({ contentType, content, cacheControl = "no-cache" }: FileSource): FileResponse {
  const made = content();
  const body = typeof made === "string" ? new TextEncoder().encode(made) : new Uint8Array(made);
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
