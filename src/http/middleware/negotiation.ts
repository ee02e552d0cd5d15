// The last phases: a 304 if the caller has the content, else the content in an encoding that it accepts (docs/api.md, Headers).
import { brotliCompressSync, constants } from "node:zlib";
import Negotiator from "negotiator";
import { show } from "../../resources/query.ts";
import { HttpProblem } from "../problems.ts";
import { type PublicResponse, type RequestContext, respond, vary } from "../request-context.ts";
import type { Content } from "../routes/route.ts";

/** Sends content as a 200, or a 304. By default it is a JSON object of the contract. */
export function conditionalResponse(
  context: RequestContext,
  content: Content,
  contentType = "application/json",
  varies = "x-api-key, accept-encoding",
): Response {
  const { etag, link, lastModified } = content;
  const { headers } = context;
  headers.etag = etag;
  headers["cache-control"] = "private, no-cache";
  // Cached links have no base path, because proxies may use several. No id and no filter contains "<".
  if (link !== null) headers.link = link.replaceAll("<", `<${context.basePath}`);
  if (lastModified !== undefined) headers["last-modified"] = lastModified;
  vary(context, varies);
  if (matchesEtag(context, etag) || matchesDate(context, lastModified)) return respond(context, 304, null);
  const { body, encoding } = encodedBody(content, context.request.headers.get("accept-encoding"));
  headers["content-type"] = contentType;
  if (encoding !== "identity") headers["content-encoding"] = encoding;
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

/** Compares dates only if the caller sent no tag, and a valid date (RFC 9110, 13.1.3). */
function matchesDate({ request }: RequestContext, lastModified: string | undefined): boolean {
  if (lastModified === undefined || request.headers.has("if-none-match")) return false;
  return Date.parse(lastModified) <= Date.parse(request.headers.get("if-modified-since") ?? "");
}

/** A smaller body fits one packet uncompressed. */
const COMPRESS_FROM_BYTES = 1024;

type Encoding = "gzip" | "br" | "zstd" | "identity";

/** In our order of preference. */
const OFFERED: readonly Encoding[] = ["zstd", "br", "gzip", "identity"];

const compress: Record<Exclude<Encoding, "identity">, (body: Uint8Array<ArrayBuffer>) => Uint8Array> = {
  gzip: (body) => Bun.gzipSync(body, { level: 6 }),
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (body) => Bun.zstdCompressSync(body, { level: 3 }),
};

/** The offered encodings that the header accepts, best first; equals in our order. `*` accepts only gzip, which every client knows. */
function acceptedEncodings<E extends string>(header: string, offered: readonly E[]): E[] {
  const names = header.toLowerCase().split(/[\s,;]+/);
  const known = header.includes("*")
    ? offered.filter((coding) => coding === "gzip" || coding === "identity" || names.includes(coding))
    : [...offered];
  const negotiator = new Negotiator({ headers: { "accept-encoding": header } });
  // The published types lack the second argument, which sets our order among equals.
  const encodings = negotiator.encodings as (offered: string[], options: { preferred: string[] }) => string[];
  return encodings.call(negotiator, known, { preferred: known }) as E[]; // some of those offered
}

/** Compresses a content at most once per encoding. */
function encodedBody(
  { body, compressed }: Content,
  acceptEncoding: string | null,
): { readonly body: Uint8Array; readonly encoding: Encoding } {
  if (acceptEncoding === null) return { body, encoding: "identity" };
  const accepted = acceptedEncodings(acceptEncoding, OFFERED);
  const [encoding = "identity"] = accepted;
  if (encoding === "identity" || (accepted.includes("identity") && body.length < COMPRESS_FROM_BYTES))
    return { body, encoding: "identity" };
  let compressedBody = compressed.get(encoding);
  if (compressedBody === undefined) {
    compressedBody = compress[encoding](body as Uint8Array<ArrayBuffer>); // never shared memory
    compressed.set(encoding, compressedBody);
  }
  return { body: compressedBody, encoding };
}

export type StreamFormat = "csv" | "ndjson";

export const STREAM_TYPES = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson",
} as const;

/** Media types with the parameters that callers may add, in our order of preference. Null stands for a page in JSON. */
const FORMATS = new Map<string, StreamFormat | null>([
  ["application/json; charset=utf-8", null],
  [STREAM_TYPES.csv, "csv"],
  [`${STREAM_TYPES.ndjson}; charset=utf-8`, "ndjson"],
]);

const MEDIA_TYPES = [...FORMATS.keys()];

/** The format of a stream, or null for a page in JSON. Raises a 406 if the caller accepts none of them. */
export function streamFormat(accept: string | null): StreamFormat | null {
  if (accept === null || accept.trim() === "") return null;
  const [preferred = ""] = new Negotiator({ headers: { accept } }).mediaTypes(MEDIA_TYPES); // ours first among equals
  const format = FORMATS.get(preferred);
  if (format !== undefined) return format;
  throw new HttpProblem(
    "not_acceptable",
    `Accept: ${show(accept)} fits none of application/json, text/csv, application/x-ndjson: name one of them, or send no Accept.`,
  );
}

/** The offered encoding that the caller prefers; of equals, our first. "identity" if it accepts none, or says nothing. */
export function preferredEncoding<E extends string>(
  header: string | null,
  offered: readonly (E | "identity")[],
): E | "identity" {
  return (header === null ? undefined : acceptedEncodings(header, offered)[0]) ?? "identity";
}
