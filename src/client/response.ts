// From an HTTP answer that is not a 200 to a RollcallError.
import { type ErrorCode, type ParameterError, RollcallError } from "./errors.ts";

interface Problem {
  code: ErrorCode;
  detail?: string;
  requestId?: string;
  errors?: ParameterError[];
}

/** Seconds or an HTTP date (RFC 9110), in milliseconds from now; undefined where there is none. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
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

export function errorFrom(response: Response, text: string, nowMs: number): RollcallError {
  const problem = asProblem(text);
  return new RollcallError({
    code: problem?.code ?? "unexpected_answer",
    detail: problem?.detail ?? unexplained(response),
    status: response.status,
    requestId: problem?.requestId ?? response.headers.get("x-request-id") ?? undefined,
    errors: problem?.errors,
    retryAfterMs: retryAfterMs(response.headers.get("retry-after"), nowMs),
  });
}

function unexplained({ status, headers }: Response): string {
  const isRedirect = status === 0 || (status >= 300 && status < 400); // browsers hide the status of a redirect
  if (!isRedirect) return `the server answered ${status} without saying why`;
  return `the server redirects to ${headers.get("location") ?? "another address"}: make that the baseUrl`;
}

/** A 200 whose body is not JSON: a login page of a proxy, for example. */
export function notJson(response: Response, cause: unknown): RollcallError {
  return new RollcallError({
    code: "unexpected_answer",
    detail: "the answer is not JSON: is baseUrl the address of a Rollcall server?",
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    cause,
  });
}
