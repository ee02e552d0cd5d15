// Cross-origin calls: refused, unless the operator allows an origin (docs/api.md, Headers; the Fetch standard).
const EXPOSED = "x-request-id, ETag, Link, RateLimit-Policy, RateLimit, Retry-After, WWW-Authenticate, Allow";

/** The CORS headers for a page of the allowed origin; only `Vary` for any other. */
export function corsHeaders(allowedOrigin: string, request: Request): Record<string, string> {
  const vary = { vary: "Origin" };
  if (request.headers.get("origin") !== allowedOrigin) return vary;
  return { ...vary, "access-control-allow-origin": allowedOrigin, "access-control-expose-headers": EXPOSED };
}

/** What pages may send to the API and to `/mcp`. */
const PREFLIGHT = {
  api: { methods: "GET, HEAD, OPTIONS", headers: "x-api-key, If-None-Match, x-request-id" },
  assistants: {
    methods: "POST, OPTIONS",
    headers:
      "x-api-key, Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, x-request-id",
  },
} as const;

/** The response to a preflight. Without the allowed origin's headers, a browser refuses the call. */
export function preflight(headers: Record<string, string>, of: keyof typeof PREFLIGHT): Response {
  const allowed =
    headers["access-control-allow-origin"] === undefined
      ? {}
      : {
          "access-control-allow-methods": PREFLIGHT[of].methods,
          "access-control-allow-headers": PREFLIGHT[of].headers,
          "access-control-max-age": "86400",
        };
  return new Response(null, { status: 204, headers: { ...headers, ...allowed } });
}
