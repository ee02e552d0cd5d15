// The last phases: a 304 where the caller has the content already, else the content as the caller likes it.
import type { KeptAnswer } from "./cache.ts";
import { encodedBody } from "./encoding.ts";
import { type Exchange, type OpenPage, respond, vary } from "./exchange.ts";

/** A 200 of the contract, with its headers (contract, Headers). */
export function conditionalAnswer(exchange: Exchange, { content, compressed }: KeptAnswer): Response {
  const { headers } = exchange;
  headers.etag = content.etag;
  headers["cache-control"] = "private, no-cache";
  vary(exchange, "x-api-key, accept-encoding");
  if (content.link !== null) headers.link = content.link;
  if (isKnown(exchange, content.etag)) return respond(exchange, 304, null);
  const { body, encoding } = encodedBody(
    content,
    compressed,
    exchange.request.headers.get("accept-encoding"),
  );
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  headers["content-type"] = "application/json";
  return respond(exchange, 200, body);
}

/** A page that needs no key. */
export function openAnswer(exchange: Exchange, page: OpenPage): Response {
  for (const [name, value] of Object.entries(page.headers)) {
    if (name === "vary") vary(exchange, value);
    else exchange.headers[name] = value;
  }
  const { etag } = page.headers;
  if (etag !== undefined && isKnown(exchange, etag)) return respond(exchange, 304, null);
  return respond(exchange, page.status, page.body);
}

/** Weak comparison (RFC 9110, 8.8.3.2). Our tags have no quotes inside, so a quoted match is a whole tag. */
function isKnown(exchange: Exchange, etag: string): boolean {
  const asked = exchange.request.headers.get("if-none-match");
  return asked !== null && (asked.trim() === "*" || asked.includes(etag.slice(etag.indexOf('"'))));
}
