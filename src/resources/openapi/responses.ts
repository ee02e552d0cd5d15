// Headers and errors of the OpenAPI document, described once for all responses (docs/api.md, Headers and Errors).
import type { oas31, ZodOpenApiResponseObject } from "zod-openapi";
import {
  NOT_FOUND_CODES,
  PROBLEM_TAGS,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  problemSchema,
  problemType,
} from "../problems.ts";

const text = (description: string, example: string): oas31.HeaderObject => ({
  description,
  schema: { type: "string" },
  example,
});

const EXAMPLE_REQUEST_ID = "0f8b6c1e-4d2a-47c9-9a35-1f6e0c7b2d84";

export const RESPONSE_HEADERS = {
  "x-request-id": text(
    "Names this request in the operator's log. A caller's own id is echoed if it is 1–128 of `A–Z a–z 0–9 . _ -`.",
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
    "The neighbouring pages (RFC 8288) as relative references with every filter: `next` and `prev`. Absent if there are none.",
    '</v1/workers?limit=25&afterId=wrk_3f9k2m7q8r5t1v4w6x0z>; rel="next"',
  ),
  RateLimit: text(
    "The remaining requests (`r`) and the seconds until there are more (`t`), if a limit applies (IETF draft, RateLimit header fields).",
    '"key";r=99;t=1',
  ),
  "RateLimit-Policy": text("The limit: `q` requests in `w` seconds, if one applies.", '"key";q=100;w=1'),
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

type ResponseHeader = keyof typeof RESPONSE_HEADERS;

export function headersOf(...names: readonly ResponseHeader[]): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The errors of the query `limit=500&workerId=wrk_1` on the list of requests. */
const BAD_PARAMETERS = [
  { parameter: "workerId", detail: "is not known here: did you mean `workerIds`?" },
  { parameter: "limit", detail: '"500" is not between 1 and 100' },
];

/** Example details that differ from the problem's title. */
const EXAMPLE_DETAIL: { readonly [C in ProblemCode]?: string } = {
  invalid_parameter: BAD_PARAMETERS.map(({ parameter, detail }) => `${parameter}: ${detail}`).join("; "),
  before_opening:
    'endDate: "2025-05-01" is before the opening of this balance on 2025-05-31: ask for 2025-05-31 or later',
  missing_api_key: "Send your API key in the x-api-key header.",
  invalid_api_key: "This API key has expired: ask for a new one.",
  invalid_token: "The access token has expired: sign in again.",
  missing_scope: "This API key lacks the scope time_off:read, which this path requires.",
  origin_not_allowed:
    "Pages of this origin may not call this server: the operator can allow one origin with --cors.",
  body_too_large: "A message may have 64 KiB.",
  feed_not_found:
    "No calendar feed has this address: it is mistyped, or the feed was revoked or has expired. Ask for a new one.",
  not_acceptable:
    'Accept: "image/png" fits none of application/json, text/csv, application/x-ndjson: name one of them, or send no Accept.',
  unknown_path: "Nothing is at /v1/worker: see /docs for the paths.",
  method_not_allowed: "This API is read-only: use GET instead of DELETE.",
  position_gone:
    "This position is gone: start again without `after`, and delete every object that is not sent.",
  rate_limited: "This API key may make 100 requests a second. Try again in 1 s.",
  internal_error: "The server failed on this request. Its log has the cause, under this request id.",
  unavailable: "The data cannot be read right now; try again in a moment.",
  timed_out:
    "The response was not finished: it took too long to compute. Ask for fewer days or workers, or for a list as a stream (Accept: text/csv).",
  overloaded: "The server has more requests than it can handle; try again in a moment.",
};

export function problemExample(code: ProblemCode): Problem {
  const detail = EXAMPLE_DETAIL[code] ?? `${PROBLEMS[code].title}.`;
  const tag = PROBLEM_TAGS[code];
  return {
    type: problemType(code),
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    detail,
    code,
    requestId: EXAMPLE_REQUEST_ID,
    message: detail,
    ...(tag === undefined ? {} : { _tag: tag }),
    ...(code === "invalid_parameter" ? { errors: BAD_PARAMETERS } : {}),
  };
}

/** Headers of some statuses (docs/api.md, Errors and Headers). The limit is only known with the key. */
const STATUS_HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  400: ["RateLimit", "RateLimit-Policy"],
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  503: ["Retry-After"],
};

/** The error responses by their names in the document. All codes of one have the same status. */
export const PROBLEM_RESPONSES = {
  InvalidParameter: ["invalid_parameter"],
  NotKnown: ["invalid_parameter", "not_known"],
  NoBalanceYet: ["invalid_parameter", "not_known", "before_opening"],
  Unauthorized: ["missing_api_key", "invalid_api_key"],
  Forbidden: ["missing_scope"],
  UnknownPath: ["unknown_path"],
  ...Object.fromEntries(NOT_FOUND_CODES.map((code) => [componentName(code), [code]])),
  BalanceNotFound: ["balance_not_found"],
  CloseNotFound: ["close_not_found"],
  FeedNotFound: ["feed_not_found"],
  MethodNotAllowed: ["method_not_allowed"],
  NotAcceptable: ["not_acceptable"],
  PositionGone: ["position_gone"],
  RateLimited: ["rate_limited"],
  InternalError: ["internal_error"],
  Unavailable: ["unavailable", "timed_out", "overloaded"],
} satisfies Readonly<Record<string, readonly ProblemCode[]>>;

/** `worker_not_found`: `WorkerNotFound`. */
function componentName(code: string): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The response with these codes, each with an example. */
export function problemResponse(codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const status = PROBLEMS[codes[0]!].status;
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join("\n\n"),
    headers: headersOf("x-request-id", "Cache-Control", ...(STATUS_HEADERS[status] ?? [])),
    content: {
      "application/problem+json": {
        schema: problemSchema,
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: PROBLEMS[code].title, value: problemExample(code) }]),
        ),
      },
    },
  };
}
