// Every error that a caller can get, with its status and code (docs/api.md, Errors; RFC 9457).
import { z } from "zod";
import { type NotFoundCode, notFoundCode, nounOf } from "./ids.ts";
import { LIST_KINDS, LISTS, type RetrievedIdKind } from "./kinds.ts";
import type { ListResource } from "./resource.ts";

interface ProblemText {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
}

/** The errors of retrievals for an unknown id. */
const NOT_FOUND = Object.fromEntries(
  LIST_KINDS.flatMap((kind): [string, ProblemText][] => {
    const { api, idKind }: ListResource = LISTS[kind];
    if (!api.isRetrieved) return [];
    const noun = nounOf(idKind);
    const title = `No ${noun} has this id`;
    const meaning = `The company of this key has no ${noun} with this id, or the id is malformed.`;
    return [[notFoundCode(idKind), { status: 404, title, meaning }]];
  }),
) as Readonly<Record<NotFoundCode<RetrievedIdKind>, ProblemText>>; // one entry per kind with a retrieval

export const NOT_FOUND_CODES = Object.keys(NOT_FOUND) as readonly NotFoundCode<RetrievedIdKind>[]; // the keys of NOT_FOUND

/** Each problem's status, title and meaning, as in the reference. */
export const PROBLEMS = {
  invalid_parameter: {
    status: 400,
    title: "A parameter is not valid",
    meaning:
      "At least one query parameter is unknown, malformed, given twice, or contradicts another. `errors` names each of them, up to 20, and says how to correct it.",
  },
  before_opening: {
    status: 400,
    title: "The balance begins later",
    meaning:
      "The balance was taken over from another system on its `openedOn`, and nothing is known of the time before. Ask for that day or a later one; lists leave such balances out.",
  },
  not_known: {
    status: 400,
    title: "Nothing is known of this moment",
    meaning: "`knownOn` is in the future, or before the history begins. `detail` names the first moment.",
  },
  missing_api_key: {
    status: 401,
    title: "An API key is needed",
    meaning: "The request has no `x-api-key` header. Every path under `/v1` needs one.",
  },
  invalid_api_key: {
    status: 401,
    title: "The API key is not valid",
    meaning:
      "The key is malformed (its checksum shows a typo), unknown, revoked or expired. Ask the operator for a new one.",
  },
  invalid_token: {
    status: 401,
    title: "The access token is not valid",
    meaning:
      "A message to `/mcp` has an access token that has expired, is not for this server, or was not issued by the company's identity provider. Sign in again.",
  },
  missing_scope: {
    status: 403,
    title: "The caller may not see this",
    meaning:
      "The key, or the group of the person who is signed in, may not read this path. `detail` says what is missing.",
  },
  origin_not_allowed: {
    status: 403,
    title: "This origin may not call",
    meaning:
      "A page of another origin sent a message to `/mcp`, where the operator can allow one origin (`--cors`) and programs send no `Origin`; or it asked for a calendar feed.",
  },
  unknown_path: {
    status: 404,
    title: "Nothing is at this path",
    meaning:
      "The API has no such path. Compare it with the reference. Paths do not end with a slash. The message names the path as it is once the segments `.` and `..` are resolved.",
  },
  ...NOT_FOUND,
  balance_not_found: {
    status: 404,
    title: "No balance has this id",
    meaning:
      "The company of this key has no assignment of this worker to this policy, or the id is malformed.",
  },
  close_not_found: {
    status: 404,
    title: "No close has this name",
    meaning: "The company of this key has no close with this name: `/v1/time_off/closes` lists them.",
  },
  feed_not_found: {
    status: 404,
    title: "No calendar feed has this address",
    meaning:
      "The address is mistyped, or the feed was revoked or has expired; the error does not say which. Ask the operator for a new address.",
  },
  not_acceptable: {
    status: 406,
    title: "None of the accepted types is available",
    meaning:
      "`Accept` names only types that this list does not have. Name `application/json`, `text/csv` or `application/x-ndjson`, or send no `Accept`.",
  },
  method_not_allowed: {
    status: 405,
    title: "The method is not allowed",
    meaning: "This API is read-only: use one of the methods named in the `Allow` header.",
  },
  position_gone: {
    status: 410,
    title: "The position is gone",
    meaning:
      "The position is older than the stored removals, or belongs to a history that the store does not have. Start again without `after`, and delete every object that is not sent.",
  },
  body_too_large: {
    status: 413,
    title: "The body is too large",
    meaning: "A message to `/mcp` has more than 64 KiB. No call needs so much: ask about fewer people.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    meaning:
      "The limit of this key, of failed attempts from this address, or of calendar links of this person, is used up. Wait for `Retry-After` seconds.",
  },
  internal_error: {
    status: 500,
    title: "Something went wrong here",
    meaning: "The server failed. The operator finds the cause in the log under the same `requestId`.",
  },
  unavailable: {
    status: 503,
    title: "The data cannot be read right now",
    meaning:
      "The store is unreachable, gone, or too slow; or, for a message to `/mcp`, the identity provider. Try again after `Retry-After` seconds.",
  },
  timed_out: {
    status: 503,
    title: "The response took too long",
    meaning:
      "A response may be computed for 50 seconds. Ask for fewer days or workers, or for a list as a stream, which may take an hour.",
  },
  overloaded: {
    status: 503,
    title: "The server is overloaded",
    meaning:
      "The request was refused at once to keep the server responsive. Try again as `Retry-After` says (seconds).",
  },
} as const satisfies Record<string, ProblemText>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The error names of the published interface, if it has one (docs/api.md, The published interface). */
export const PROBLEM_TAGS: { readonly [C in ProblemCode]?: string } = {
  invalid_parameter: "HttpApiDecodeError",
  missing_api_key: "ApiKeyUnauthorized",
  invalid_api_key: "ApiKeyUnauthorized",
  missing_scope: "MissingRequiredCompanyPermissions",
  worker_not_found: "WorkerNotFoundError",
  department_not_found: "DepartmentNotFound",
  workplace_not_found: "WorkplaceNotFound",
  policy_not_found: "TimeOffPolicyNotFound",
  request_not_found: "TimeOffRequestNotFoundError",
  rate_limited: "RateLimitExceeded",
  internal_error: "InternalServerError",
};

/** The link to the reference's section on a problem, relative to the server's base address. */
export function problemType(code: ProblemCode): string {
  return `/docs/errors#${code}`;
}

/** Why somebody who is signed in may see nothing; for programs that say it in another language. */
export const REFUSALS = ["noGroup", "noWorker", "severalWorkers", "tooManyReports", "noCompany"] as const;

const refusalSchema = z.strictObject({
  code: z.enum(REFUSALS),
  values: z.record(z.string(), z.union([z.number(), z.string()])),
});

export type Refusal = z.infer<typeof refusalSchema>;

/** The form of every error. */
export const problemSchema = z
  .strictObject({
    type: z.string().describe("A link to the section of the reference that explains the error."),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe("What is wrong, and how to correct it."),
    code: z.string().describe("The stable name of the error."),
    requestId: z.string().describe("The same as the header `x-request-id`."),
    message: z.string().describe("The same as `detail`, for clients of the published interface."),
    _tag: z.string().optional().describe("The error's name in the published interface."),
    errors: z
      .array(z.strictObject({ parameter: z.string(), detail: z.string() }))
      .optional()
      .describe("For a 400: one entry per bad parameter."),
    refusal: refusalSchema
      .optional()
      .describe("Why somebody who is signed in may see nothing; only in a 403 for that."),
  })
  .meta({ id: "Problem", description: "An error (RFC 9457)." });

export type Problem = z.infer<typeof problemSchema>;
