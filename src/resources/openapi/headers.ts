// The headers of the contract (docs/api.md, Headers), described once and referred to by every response.
import type { oas31 } from "zod-openapi";

const text = (description: string, example: string): oas31.HeaderObject => ({
  description,
  schema: { type: "string" },
  example,
});

export const EXAMPLE_REQUEST_ID = "0f8b6c1e-4d2a-47c9-9a35-1f6e0c7b2d84";

export const RESPONSE_HEADERS = {
  "x-request-id": text(
    "Names this request in the operator's log. A caller's own is echoed when it is 1–128 of `A–Z a–z 0–9 . _ -`.",
    EXAMPLE_REQUEST_ID,
  ),
  ETag: text(
    "A weak tag of the content. Send it back as `If-None-Match`: an unchanged response is a 304 without a body.",
    'W/"2k9x0v7c1m4qz"',
  ),
  "Cache-Control": text(
    "Only the caller may cache a response, and must revalidate it before using it again. An error must not be cached (`no-store`).",
    "private, no-cache",
  ),
  Vary: text("The request headers that the response depends on.", "x-api-key, accept-encoding"),
  Link: text(
    "The neighbouring pages (RFC 8288) as relative references with every filter: `next` and `prev`. Absent where there are none.",
    '</v1/workers?limit=25&afterId=wrk_3f9k2m7q8r5t1v4w6x0z>; rel="next"',
  ),
  RateLimit: text(
    "What is left of the limit (`r`) and the seconds until there is more (`t`), where a limit applies (IETF draft, RateLimit header fields).",
    '"key";r=99;t=1',
  ),
  "RateLimit-Policy": text("The limit: `q` requests in `w` seconds, where one applies.", '"key";q=100;w=1'),
  "Retry-After": {
    description: "The seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 0 },
    example: 1,
  },
  "WWW-Authenticate": text(
    "How to authenticate: with an API key in `x-api-key`.",
    'ApiKey realm="rollcall", header="x-api-key"',
  ),
  Allow: text("The methods that the path allows.", "GET, HEAD"),
} satisfies Record<string, oas31.HeaderObject>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** References to these headers, for a response. */
export function headersOf(...names: readonly ResponseHeader[]): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
