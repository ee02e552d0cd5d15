// The last phases: a 304 where the caller has the content already, else the content as the caller likes it.

import { type PublicRoute, type RequestContext, respond, vary } from "../request-context.ts";
import type { CachedResponse } from "./cache.ts";
import { encodedBody } from "./encoding.ts";

/** A 200 of the contract, with its headers (docs/api.md, Headers). */
export function conditionalAnswer(
  context: RequestContext,
  { content, compressed }: CachedResponse,
): Response {
  const { headers } = context;
  headers.etag = content.etag;
  headers["cache-control"] = "private, no-cache";
  vary(context, "x-api-key, accept-encoding");
  if (content.link !== null) headers.link = content.link;
  if (isKnown(context, content.etag)) return respond(context, 304, null);
  const { body, encoding } = encodedBody(content, compressed, context.request.headers.get("accept-encoding"));
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  headers["content-type"] = "application/json";
  return respond(context, 200, body);
}

/** A page that needs no key. */
export function openAnswer(context: RequestContext, page: PublicRoute): Response {
  for (const [name, value] of Object.entries(page.headers)) {
    if (name === "vary") vary(context, value);
    else context.headers[name] = value;
  }
  const { etag } = page.headers;
  if (etag !== undefined && isKnown(context, etag)) return respond(context, 304, null);
  return respond(context, page.status, page.body);
}

/** Weak comparison (RFC 9110, 8.8.3.2). Our tags have no quotes inside, so a quoted match is a whole tag. */
function isKnown(context: RequestContext, etag: string): boolean {
  const asked = context.request.headers.get("if-none-match");
  return asked !== null && (asked.trim() === "*" || asked.includes(etag.slice(etag.indexOf('"'))));
}
