// The last phases: 304 where the caller has the content already, else the content in an encoding that the caller accepts
// (docs/api.md, Headers).
import { brotliCompressSync, constants } from "node:zlib";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import {
  OF_EVERY_RESPONSE,
  type PublicResponse,
  type RequestContext,
  respond,
  vary,
  whenReady,
} from "../request-context.ts";
import { bodyBytes, type CachedResponse } from "./cache.ts";

/**
 * Sends a 200 of the contract, or a 304; with another type and `Vary` for what is not of the contract. It is a promise only where a
 * cached body is compressed for the first time.
 */
export function conditionalResponse(
  context: RequestContext,
  cached: CachedResponse,
  contentType = "application/json",
  varies = "x-api-key, accept-encoding",
): Response | Promise<Response> {
  const sent = matchesEtag(context, cached.content.etag)
    ? UNCHANGED
    : encodedBody(cached, context.request.headers.get("accept-encoding"));
  return whenReady(sent, (one) => sentResponse(context, cached, one, contentType, varies));
}

interface Sent {
  readonly body: Uint8Array | Blob | null;
  readonly encoding: Encoding | "unchanged";
}

const UNCHANGED: Sent = { body: null, encoding: "unchanged" };

/**
 * Bun is given headers that it has checked and stored already (decision 54). The first response of a content borrows those of its form.
 * Those after it have their own, and a `Blob`, whose bytes Bun does not copy.
 */
function sentResponse(
  context: RequestContext,
  cached: CachedResponse,
  { body, encoding }: Sent,
  contentType: string,
  varies: string,
): Response {
  const status = encoding === "unchanged" ? 304 : 200;
  const earlierVary = context.headers.vary;
  const prepared = cached.prepared?.get(encoding);
  if (prepared !== undefined && prepared.varies === earlierVary)
    return respondPrepared(context, prepared.headers, status, body);
  vary(context, varies);
  const { content } = cached;
  const headers = headersOfForm(encoding, contentType, context.headers.vary!); // as it was just made
  headers.set("etag", content.etag);
  if (content.link === null) headers.delete("link");
  else headers.set("link", content.link);
  if (cached.wasSent === true) {
    cached.prepared ??= new Map();
    cached.prepared.set(encoding, { headers: new Headers(headers), varies: earlierVary });
    if (encoding === "identity") cached.content = { ...content, body: blobOf(content.body) };
  }
  cached.wasSent = true;
  return respondPrepared(context, headers, status, body);
}

/** A server sends few forms of responses: those of its encodings, types and values of `Vary`. */
const forms = new LRUCache<string, Headers>({ max: 100 });

/** What contents of one form have in common. Whoever gets it sets the rest, and sends a response at once. */
function headersOfForm(encoding: Sent["encoding"], contentType: string, varies: string): Headers {
  const form = `${encoding} ${contentType} ${varies}`;
  let headers = forms.get(form);
  if (headers === undefined) {
    headers = new Headers({
      ...OF_EVERY_RESPONSE,
      "cache-control": "private, no-cache",
      vary: varies,
      ...(encoding === "unchanged" ? {} : { "content-type": contentType }),
      ...(encoding === "unchanged" || encoding === "identity" ? {} : { "content-encoding": encoding }),
    });
    forms.set(form, headers);
  }
  return headers;
}

/** Adds this request's headers to prepared ones, and takes them away afterwards, except those that the next request replaces. */
function respondPrepared(
  context: RequestContext,
  headers: Headers,
  status: number,
  body: Uint8Array | Blob | null,
): Response {
  const ofRequest = context.headers;
  headers.set("x-request-id", context.requestId);
  for (const name in ofRequest) if (name !== "vary") headers.set(name, ofRequest[name]!);
  const response = respond(context, status, body, headers);
  for (const name in ofRequest) if (name !== "vary") headers.delete(name);
  return response;
}

function blobOf(body: Uint8Array | Blob): Blob {
  return body instanceof Blob ? body : new Blob([body as Uint8Array<ArrayBuffer>]); // never shared memory
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
    const [chosen] = encodingsOf(negotiator, OFFERED);
    negotiated = {
      encoding: (chosen ?? "identity") as Encoding, // one of OFFERED
      acceptsIdentity: negotiator.encodings(["identity"]).length > 0,
    };
    negotiations.set(header, negotiated);
  }
  return negotiated;
}

/** What a caller accepts of these, best first. */
function encodingsOf(negotiator: Negotiator, offered: readonly string[]): string[] {
  // The published types are of an older version, without the second argument: our order among equals.
  const encodings = negotiator.encodings as (offered: string[], options: { preferred: string[] }) => string[];
  return encodings.call(negotiator, [...offered], { preferred: [...offered] });
}

/** Compresses a content at most once per encoding. */
function encodedBody(
  { content: { body }, compressed }: CachedResponse,
  acceptEncoding: string | null,
): Sent | Promise<Sent> {
  if (acceptEncoding === null) return { body, encoding: "identity" };
  const { encoding, acceptsIdentity } = negotiate(acceptEncoding);
  if (encoding === "identity" || (acceptsIdentity && bodyBytes(body) < COMPRESS_FROM_BYTES))
    return { body, encoding: "identity" };
  const known = compressed.get(encoding);
  if (known !== undefined) return { body: known, encoding };
  const compressedBody = (bytes: Uint8Array): Sent => {
    const made = compress[encoding](bytes as Uint8Array<ArrayBuffer>); // never shared memory
    compressed.set(encoding, made);
    return { body: made, encoding };
  };
  return body instanceof Blob ? body.bytes().then(compressedBody) : compressedBody(body);
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

/** The offered encoding that the caller prefers, ours first among equals; "identity" if it accepts none, or says nothing. */
export function preferredEncoding<E extends string>(
  header: string | null,
  offered: readonly (E | "identity")[],
): E | "identity" {
  if (header === null) return "identity";
  const known = new Negotiator({ headers: { "accept-encoding": header } });
  return (encodingsOf(known, offered)[0] ?? "identity") as E | "identity"; // one of those offered
}

/** Whether a caller accepts gzip, the one encoding that every browser and client knows. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  return new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encodings(["gzip"]).length > 0;
}
