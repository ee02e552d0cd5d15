// One error class for everything that can go wrong with a call; its `code` says which.

/** The codes that the server answers with (the reference explains each at `/docs/errors`). */
export type ProblemCode =
  | "invalid_parameter"
  | "missing_api_key"
  | "invalid_api_key"
  | "missing_scope"
  | "unknown_path"
  | "worker_not_found"
  | "policy_not_found"
  | "method_not_allowed"
  | "rate_limited"
  | "internal_error"
  | "unavailable"
  | "overloaded";

/** What can go wrong before a server's own answer is there. `unexpected_answer`: not Rollcall's, a proxy's perhaps. */
export type ConnectionCode = "network_error" | "timeout" | "unexpected_answer";

export type ErrorCode = ProblemCode | ConnectionCode;

/** One bad parameter: its name as it was sent, and what would be right. */
export interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
}

export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly errors?: readonly ParameterError[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A call that failed, after all attempts. A call that its own signal aborted rejects with the signal's reason instead. */
export class RollcallError extends Error {
  override readonly name = "RollcallError";
  /** Stable; decide by this. */
  readonly code: ErrorCode;
  /** The HTTP status, or null where no answer came. */
  readonly status: number | null;
  /** Names the request in the server's log. Null where no answer came. */
  readonly requestId: string | null;
  /** What is wrong, and what would be right, for people. */
  readonly detail: string;
  /** For `invalid_parameter`: one entry per bad parameter. */
  readonly errors: readonly ParameterError[];
  /** How long the server asks to wait, where it does. */
  readonly retryAfterMs: number | null;

  constructor(facts: ErrorFacts) {
    const where = facts.requestId === undefined ? "" : ` (request ${facts.requestId})`;
    // The detail of an `invalid_parameter` names the parameters already.
    super(`${facts.code}: ${facts.detail.replace(/\.$/, "")}${where}`, { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? null;
    this.requestId = facts.requestId ?? null;
    this.detail = facts.detail;
    this.errors = facts.errors ?? [];
    this.retryAfterMs = facts.retryAfterMs ?? null;
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
