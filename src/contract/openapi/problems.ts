// The errors of the contract as responses of the interface document, one example for each code.
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { PROBLEMS, type Problem, type ProblemCode, problemSchema, problemType } from "../problems.ts";
import { headersOf, type ResponseHeader } from "./headers.ts";

const EXAMPLE_DETAIL: Record<ProblemCode, string> = {
  invalid_parameter: "2 query parameters are not valid; `errors` says what would be right.",
  missing_api_key: "Send the API key in the `x-api-key` header.",
  invalid_api_key: "The API key is malformed, unknown, revoked or expired.",
  missing_scope: "This path needs the scope `time_off:read`, which the API key does not have.",
  unknown_path: "Nothing is at `/v1/worker`. The paths of this API are listed at /docs.",
  worker_not_found: "There is no worker `wrk_0000000000example`.",
  policy_not_found: "There is no policy `top_0000000000example`.",
  method_not_allowed: "`DELETE` is not allowed here: use GET or HEAD.",
  rate_limited: "The limit is used up. Try again in 1 second.",
  internal_error: "The fault is on this side and has been logged. Quote the request id when you report it.",
  unavailable: "The data cannot be read right now. Try again in 2 seconds.",
  overloaded: "Too many requests are being answered already. Try again in 1 second.",
};

/** What a caller gets for this code, complete, with an invented detail and request id. */
export function problemExample(code: ProblemCode): Problem {
  const example: Problem = {
    type: problemType(code),
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    detail: EXAMPLE_DETAIL[code],
    code,
    requestId: "0f8b6c1e4d2a47c9",
  };
  if (code !== "invalid_parameter") return example;
  const errors = [
    { parameter: "limit", detail: "is not between 1 and 100" },
    { parameter: "workerId", detail: "is not a parameter of this path: did you mean `workerIds`?" },
  ];
  return { ...example, errors };
}

/** What a status of the contract's error table carries besides `x-request-id` (contract, Errors and Headers). */
const STATUS_HEADERS: Partial<Record<number, readonly ResponseHeader[]>> = {
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
  MethodNotAllowed: ["method_not_allowed"],
  RateLimited: ["rate_limited"],
  InternalError: ["internal_error"],
  Unavailable: ["unavailable", "overloaded"],
} as const satisfies Record<string, readonly ProblemCode[]>;

/** The response that carries these codes, each with its example. */
export function problemResponse(codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const status = PROBLEMS[codes[0]!].status;
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join("\n\n"),
    headers: headersOf("x-request-id", ...(STATUS_HEADERS[status] ?? [])),
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
