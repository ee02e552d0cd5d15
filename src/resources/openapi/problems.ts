// The errors of the contract as responses of the OpenAPI document, one example for each code.
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { PROBLEMS, type Problem, type ProblemCode, problemSchema, problemType } from "../problems.ts";
import { EXAMPLE_REQUEST_ID, headersOf, type ResponseHeader } from "./headers.ts";

/** Where the query `limit=500&workerId=wrk_1` on the list of requests goes wrong. */
const BAD_PARAMETERS = [
  { parameter: "workerId", detail: "is not known here: did you mean `workerIds`?" },
  { parameter: "limit", detail: '"500" is not between 1 and 100' },
];

const EXAMPLE_DETAIL: Record<ProblemCode, string> = {
  invalid_parameter: BAD_PARAMETERS.map(({ parameter, detail }) => `${parameter}: ${detail}`).join("; "),
  missing_api_key: "Send your API key in the x-api-key header.",
  invalid_api_key: "This API key has expired: ask for a new one.",
  missing_scope: "This API key lacks the scope time_off:read, which this path requires.",
  origin_not_allowed:
    "Pages of this origin may not call this server: the operator can allow one origin with --cors.",
  body_too_large: "A message may have 64 KiB.",
  feed_not_found:
    "No calendar feed has this address: it is mistyped, or the feed was revoked or has expired. Ask for a new one.",
  not_acceptable:
    'Accept: "image/png" fits none of application/json, text/csv, application/x-ndjson: name one of them, or send no Accept.',
  unknown_path: "Nothing is at /v1/worker: see /docs for the paths.",
  worker_not_found: "No worker has this id.",
  policy_not_found: "No policy has this id.",
  request_not_found: "No request has this id.",
  balance_not_found: "No balance has this id.",
  method_not_allowed: "This API is read-only: use GET instead of DELETE.",
  position_gone:
    "This position cannot be followed any more: start again without `after`, and drop what was not sent.",
  rate_limited: "This API key may make 100 requests a second. Try again in 1 s.",
  internal_error: "The server failed on this request. Its log has the cause, under this request id.",
  unavailable: "The data cannot be read right now; try again in a moment.",
  overloaded: "The server has more requests than it can handle; try again in a moment.",
};

/** What a caller gets for this code: a complete problem, as the server words it. */
export function problemExample(code: ProblemCode): Problem {
  return {
    type: problemType(code),
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    detail: EXAMPLE_DETAIL[code],
    code,
    requestId: EXAMPLE_REQUEST_ID,
    ...(code === "invalid_parameter" ? { errors: BAD_PARAMETERS } : {}),
  };
}

/** What a status carries of its own (docs/api.md, Errors and Headers); the limit only once the key is known. */
const STATUS_HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  400: ["RateLimit", "RateLimit-Policy"],
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  503: ["Retry-After"],
};

/** The error responses by their names in the document; the codes of one have the same status. */
export const PROBLEM_RESPONSES = {
  InvalidParameter: ["invalid_parameter"],
  Unauthorized: ["missing_api_key", "invalid_api_key"],
  Forbidden: ["missing_scope"],
  UnknownPath: ["unknown_path"],
  WorkerNotFound: ["worker_not_found"],
  PolicyNotFound: ["policy_not_found"],
  RequestNotFound: ["request_not_found"],
  BalanceNotFound: ["balance_not_found"],
  FeedNotFound: ["feed_not_found"],
  MethodNotAllowed: ["method_not_allowed"],
  NotAcceptable: ["not_acceptable"],
  PositionGone: ["position_gone"],
  RateLimited: ["rate_limited"],
  InternalError: ["internal_error"],
  Unavailable: ["unavailable", "overloaded"],
} as const satisfies Record<string, readonly ProblemCode[]>;

/** The response that carries these codes, each with its example. */
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
