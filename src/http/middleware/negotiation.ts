// The last phases: 304 where the caller has the content already, else the content in an encoding that the caller accepts
// (docs/api.md, Headers).
import { brotliCompressSync, constants } from "node:zlib";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import type { Content } from "../render.ts";
import { type PublicResponse, type RequestContext, respond, vary } from "../request-context.ts";
import type { CachedResponse } from "./cache.ts";

/** Sends a 200 of the contract, or a 304; with another type and `Vary` for what is not of the contract. */
export function conditionalResponse(
  context: RequestContext,
  { content, compressed }: CachedResponse,
  contentType = "application/json",
  varies = "x-api-key, accept-encoding",
): Response {
  const { headers } = context;
  headers.etag = content.etag;
  headers["cache-control"] = "private, no-cache";
  vary(context, varies);
  if (content.link !== null) headers.link = content.link;
  if (matchesEtag(context, content.etag)) return respond(context, 304, null);
  const { body, encoding } = encodedBody(content, compressed, context.request.headers.get("accept-encoding"));
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  headers["content-type"] = contentType;
  return respond(context, 200, body);
}

/** Sends a public route's response, or a 304. */
export function publicResponse(context: RequestContext, page: PublicResponse): Response {
  for (const [name, value] of Object.entries(page.headers)) {
    if (name === "vary") vary(context, value);
    else context.headers[name] = value;
  }
  const { etag } = page.headers;
  if (etag !== undefined && matchesEtag(context, etag)) return respond(context, 304, null);
  return respond(context, page.status, page.body);
}

/** Weak comparison (RFC 9110, 8.8.3.2). Our tags contain no quotes, so a quoted match is a whole tag. */
function matchesEtag(context: RequestContext, etag: string): boolean {
  const header = context.request.headers.get("if-none-match");
  return header !== null && (header.trim() === "*" || header.includes(etag.slice(etag.indexOf('"'))));
}

/** A smaller body fits one packet uncompressed. */
const COMPRESS_FROM_BYTES = 1024;

type Encoding = "gzip" | "br" | "zstd" | "identity";

/** In our order of preference. */
const OFFERED = ["zstd", "br", "gzip", "identity"];

const compress: Record<Exclude<Encoding, "identity">, (body: Uint8Array<ArrayBuffer>) => Uint8Array> = {
  gzip: (body) => Bun.gzipSync(body, { level: 6 }),
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (body) => Bun.zstdCompressSync(body, { level: 3 }),
};

interface Negotiated {
  readonly encoding: Encoding;
  /** Whether the caller also accepts the body uncompressed. */
  readonly acceptsIdentity: boolean;
}

/** By Accept-Encoding header. Callers send only a few different ones. */
const negotiations = new LRUCache<string, Negotiated>({ max: 1000 });

function negotiate(header: string): Negotiated {
  let negotiated = negotiations.get(header);
  if (negotiated === undefined) {
    const negotiator = new Negotiator({ headers: { "accept-encoding": header } });
    // The published types are of an older version, without the second argument: our order among equals.
    const encodings = negotiator.encodings as (
      offered: string[],
      options: { preferred: string[] },
    ) => string[];
    const [chosen] = encodings.call(negotiator, OFFERED, { preferred: OFFERED });
    negotiated = {
      encoding: (chosen ?? "identity") as Encoding, // one of OFFERED
      acceptsIdentity: negotiator.encodings(["identity"]).length > 0,
    };
    negotiations.set(header, negotiated);
  }
  return negotiated;
}

/** Compresses a content at most once per encoding. */
function encodedBody(
  content: Content,
  compressed: CachedResponse["compressed"],
  acceptEncoding: string | null,
): { body: Uint8Array; encoding: Encoding } {
  const plain = { body: content.body, encoding: "identity" } as const;
  if (acceptEncoding === null) return plain;
  const { encoding, acceptsIdentity } = negotiate(acceptEncoding);
  if (encoding === "identity" || (acceptsIdentity && content.body.length < COMPRESS_FROM_BYTES)) return plain;
  let body = compressed.get(encoding);
  if (body === undefined) {
    body = compress[encoding](content.body as Uint8Array<ArrayBuffer>); // made by TextEncoder, so over an ArrayBuffer
    compressed.set(encoding, body);
  }
  return { body, encoding };
}

/** By Accept header. */
const types = new LRUCache<string, string>({ max: 1000 });

/** The offered media type that the caller prefers, ours first among equals; null if it accepts none. */
export function preferredType(accept: string, offered: readonly string[]): string | null {
  let chosen = types.get(accept);
  if (chosen === undefined) {
    chosen = new Negotiator({ headers: { accept } }).mediaTypes([...offered])[0] ?? "";
    types.set(accept, chosen);
  }
  return chosen === "" ? null : chosen;
}

/** Whether a caller accepts gzip, the one encoding that every browser and client knows. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  return new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encodings(["gzip"]).length > 0;
}
