// The error of a failed call: its `code` says what happened. Also makes errors from responses.
import type { Retrieved } from "./types.ts";

/** The server's codes; the reference explains each at `/docs/errors`. */
export type ProblemCode =
  | "invalid_parameter"
  | "before_opening"
  | "not_known"
  | "close_not_found"
  | "missing_api_key"
  | "invalid_api_key"
  | "invalid_token"
  | "missing_scope"
  | "unknown_path"
  | `${Retrieved}_not_found`
  | "feed_not_found"
  | "not_acceptable"
  | "method_not_allowed"
  | "position_gone"
  | "origin_not_allowed"
  | "body_too_large"
  | "rate_limited"
  | "internal_error"
  | "unavailable"
  | "timed_out"
  | "overloaded";

/** Failures without a response of Rollcall. `unexpected_answer`: another program responded, perhaps a proxy. */
export type ConnectionCode = "network_error" | "timeout" | "unexpected_answer";

export type ErrorCode = ProblemCode | ConnectionCode;

/** A bad parameter as it was sent, and what would be right. */
export interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
}

/** Why somebody who is signed in may see nothing: a code, and values for its message, such as `user` and `contact`. */
export interface Refusal {
  readonly code: "noGroup" | "noWorker" | "severalWorkers" | "tooManyReports" | "noCompany";
  readonly values: Readonly<Record<string, number | string>>;
}

export interface ErrorFields {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly errors?: readonly ParameterError[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly refusal?: Refusal | undefined;
  readonly cause?: unknown;
}

/** A call that failed, after all attempts. A call whose signal is aborted rejects with the signal's reason instead. */
export class RollcallError extends Error {
  override readonly name = "RollcallError";
  /** Stable, for programs. */
  readonly code: ErrorCode;
  /** The HTTP status, or null without a response. */
  readonly status: number | null;
  /** Identifies the request in the server's log. Null without a response. */
  readonly requestId: string | null;
  /** What is wrong and what would be right, for people. */
  readonly detail: string;
  /** For `invalid_parameter`: one entry per bad parameter. */
  readonly errors: readonly ParameterError[];
  /** How long the server asks to wait; null if it does not. */
  readonly retryAfterMs: number | null;
  readonly refusal: Refusal | null;

  constructor(fields: ErrorFields) {
    const where = fields.requestId === undefined ? "" : ` (request ${fields.requestId})`;
    // The detail of an `invalid_parameter` names the parameters already.
    super(`${fields.code}: ${fields.detail.replace(/\.$/, "")}${where}`, { cause: fields.cause });
    this.code = fields.code;
    this.status = fields.status ?? null;
    this.requestId = fields.requestId ?? null;
    this.detail = fields.detail;
    this.errors = fields.errors ?? [];
    this.retryAfterMs = fields.retryAfterMs ?? null;
    this.refusal = fields.refusal ?? null;
  }
}

/** Whether `error` is a RollcallError and, with codes given, whether it has one of them. */
export function isRollcallError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is RollcallError & { readonly code: C } {
  return (
    error instanceof RollcallError &&
    (codes.length === 0 || (codes as readonly string[]).includes(error.code))
  );
}

/** Advice on a server's certificate, by the error code of Node and Bun. */
const CERTIFICATE_TEXTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired: renew it on the server",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: check the clocks of both machines",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another name: use the name that the certificate has, or have one made for this name",
};
const UNKNOWN_AUTHORITY =
  "its certificate is from an unknown authority: put the path of the authority's certificate (a self-signed one is its own) into the environment variable NODE_EXTRA_CA_CERTS";

/** Why a connection failed, in words; null if unknown, as in browsers. */
export function connectionCause(error: unknown): string | null {
  const code = codeOf(error) ?? codeOf(error instanceof Error ? error.cause : undefined);
  if (code === null) return null;
  // A server that does not send its intermediate certificate causes these codes, too.
  if (/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(code)) return `${UNKNOWN_AUTHORITY} (${code})`;
  const text = CERTIFICATE_TEXTS[code];
  return text === undefined ? code : `${text} (${code})`;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

interface Problem {
  code: ErrorCode;
  detail?: string;
  requestId?: string;
  errors?: ParameterError[];
  refusal?: Refusal;
}

/** `Retry-After`, as seconds or an HTTP date (RFC 9110, 10.2.3), in milliseconds from now. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(header.trim())) return Number(header) * 1000; // some servers send fractions
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

function asProblem(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text);
    const problem =
      typeof value === "object" && value !== null && "code" in value && typeof value.code === "string";
    return problem ? (value as Problem) : null; // the server's one error shape (docs/api.md, Errors)
  } catch {
    return null;
  }
}

/** The error for a response whose status is not 200. */
export function errorFrom(response: Response, text: string, nowMs: number): RollcallError {
  const problem = asProblem(text);
  return new RollcallError({
    code: problem?.code ?? "unexpected_answer",
    detail: problem?.detail ?? unexplained(response),
    status: response.status,
    requestId: problem?.requestId ?? response.headers.get("x-request-id") ?? undefined,
    errors: problem?.errors,
    refusal: problem?.refusal,
    retryAfterMs: retryAfterMs(response.headers.get("retry-after"), nowMs),
  });
}

function unexplained({ status, headers }: Response): string {
  const isRedirect = status === 0 || (status >= 300 && status < 400); // browsers hide the status of a redirect
  if (!isRedirect) return `the server responded with ${status} and no reason`;
  return `the server redirects to ${headers.get("location") ?? "another address"}: make that the baseUrl`;
}

/** The error for a 200 whose body is not JSON, such as a proxy's login page. */
export function notJson(response: Response, cause: unknown): RollcallError {
  return new RollcallError({
    code: "unexpected_answer",
    detail: "the response is not JSON: is baseUrl the address of a Rollcall server?",
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    cause,
  });
}
