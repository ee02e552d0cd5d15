// Cross-origin calls: closed, unless the operator names an origin (docs/api.md, Headers; the Fetch standard).
const EXPOSED = "x-request-id, ETag, Link, RateLimit-Policy, RateLimit, Retry-After, WWW-Authenticate, Allow";

/** What a page of this origin is told; nothing for any other. */
export function corsHeaders(allowedOrigin: string, request: Request): Record<string, string> {
  const vary = { vary: "Origin" };
  if (request.headers.get("origin") !== allowedOrigin) return vary;
  return { ...vary, "access-control-allow-origin": allowedOrigin, "access-control-expose-headers": EXPOSED };
}

/** The answer to a preflight; without the allowed origin's headers a browser takes it for a refusal. */
export function preflight(headers: Record<string, string>): Response {
  const allowed =
    headers["access-control-allow-origin"] === undefined
      ? {}
      : {
          "access-control-allow-methods": "GET, HEAD, OPTIONS",
          "access-control-allow-headers": "x-api-key, If-None-Match, x-request-id",
          "access-control-max-age": "86400",
        };
  return new Response(null, { status: 204, headers: { ...headers, ...allowed } });
}
