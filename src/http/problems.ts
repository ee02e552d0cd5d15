// Errors: one class, one translator, one shape (docs/api.md, Errors; RFC 9457).
import type { LoggedError, LoggedText, Observe } from "../observe.ts";
import { type IdKind, idShape, isId } from "../resources/ids.ts";
import {
  PROBLEM_TAGS,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  problemType,
  type Refusal,
} from "../resources/problems.ts";
import type { ParameterError } from "../resources/query.ts";
import { StoreRefusal, StoreUnavailable } from "../store/store.ts";
import { KEY_FORM, loggedId, type RequestContext, respond } from "./request-context.ts";

/** An error response. Any phase of a request may throw one. `detail` is for the caller. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extra: {
      errors?: readonly ParameterError[];
      headers?: Readonly<Record<string, string>>;
      refusal?: Refusal;
    } = {},
  ) {
    super(detail);
  }
}

export const CHALLENGE = { "www-authenticate": 'ApiKey realm="rollcall", header="x-api-key"' };

/** A 401 that says why the caller is unknown. */
export function refused(detail: string): HttpProblem {
  return new HttpProblem("invalid_api_key", detail, { headers: CHALLENGE });
}

/** How long a caller should wait when the store or the server cannot respond. */
const RETRY_AFTER_SECONDS = "1";

/** A 400 for bad parameters: the first ones, and how many more there are. */
export function invalidParameters(errors: readonly ParameterError[], more = 0): HttpProblem {
  const shown = errors.map(({ parameter, detail }) => `${parameter === "" ? '""' : parameter}: ${detail}`);
  if (more > 0) shown.push(`and ${more} more bad parameters`);
  return new HttpProblem("invalid_parameter", shown.join("; "), { errors });
}

export function invalidParameter(parameter: string, detail: string): HttpProblem {
  return invalidParameters([{ parameter, detail }]);
}

/** Raises a 405 for a method that does more than read. */
export function requireReading(method: string, corsOpen: boolean): void {
  if (method === "GET" || method === "HEAD") return;
  const allow = corsOpen ? "GET, HEAD, OPTIONS" : "GET, HEAD";
  throw new HttpProblem("method_not_allowed", `This API is read-only: use GET instead of ${method}.`, {
    headers: { allow },
  });
}

/** Raises a 405 for any method but POST. `/mcp` has no streams to GET and no sessions to DELETE. */
export function requirePost(method: string, corsOpen: boolean): void {
  if (method === "POST") return;
  throw new HttpProblem("method_not_allowed", `This path takes only POST: use it instead of ${method}.`, {
    headers: { allow: corsOpen ? "POST, OPTIONS" : "POST" },
  });
}

/**
 * Raises a 403 unless a page of this server sent the request, so that no other site can POST for a signed-in person. Browsers say so in
 * `Sec-Fetch-Site` (Fetch Metadata), which no page can set, and only over HTTPS or to this machine. `what`: what the request does.
 */
export function requireOwnPage({ headers }: Request, what: string): void {
  if (headers.get("sec-fetch-site") === "same-origin") return;
  throw new HttpProblem(
    "origin_not_allowed",
    `Only this server's own page may ${what}, over HTTPS and in a browser that says so (Sec-Fetch-Site).`,
  );
}

/** The identity provider cannot be reached. `cause` is for the operator. */
export class ProviderUnavailable extends Error {
  override readonly name = "ProviderUnavailable";
}

export function unavailable(what: string): HttpProblem {
  return new HttpProblem("unavailable", `${what} cannot be read right now; try again in a moment.`, {
    headers: { "retry-after": RETRY_AFTER_SECONDS },
  });
}

export function overloaded(): HttpProblem {
  return new HttpProblem(
    "overloaded",
    "The server has more requests than it can handle; try again in a moment.",
    {
      headers: { "retry-after": RETRY_AFTER_SECONDS },
    },
  );
}

/** A 500. It does not say the cause, only where the operator finds it. */
export function internalError(): HttpProblem {
  return new HttpProblem(
    "internal_error",
    "The server failed on this request. Its log has the cause, under this request id.",
  );
}

export function problemBody(
  problem: HttpProblem,
  { requestId, basePath }: Pick<RequestContext, "requestId" | "basePath">,
): string {
  const { status, title } = PROBLEMS[problem.code];
  const body: Problem = {
    type: basePath + problemType(problem.code),
    title,
    status,
    detail: problem.detail,
    code: problem.code,
    requestId,
    message: problem.detail,
  };
  const tag = PROBLEM_TAGS[problem.code];
  if (tag !== undefined) body._tag = tag;
  if (problem.extra.errors !== undefined) body.errors = [...problem.extra.errors];
  if (problem.extra.refusal !== undefined) body.refusal = problem.extra.refusal;
  return JSON.stringify(body);
}

/** The 404 of an object. It tells a malformed id from an unknown one: the caller may have sent the source system's id. */
export function noObject(code: ProblemCode, kind: IdKind, id: string): HttpProblem {
  const why = isId(kind, id) ? "" : `: what was sent is not ${idShape(kind)}`;
  return new HttpProblem(code, `${PROBLEMS[code].title}${why}.`);
}

/** The 404 of a path. `isRewritten`: the path exists, but the caller sent another one, which Bun normalised. */
export function unknownPath(
  { path, basePath }: Pick<RequestContext, "path" | "basePath">,
  isRewritten = false,
): HttpProblem {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  const detail = isRewritten
    ? `The path must be sent exactly as ${shown}: without the segments . and .. and without backslashes.`
    : `Nothing is at ${shown}: see ${basePath}/docs for the paths.`;
  return new HttpProblem("unknown_path", detail);
}

/** Turns anything thrown into a problem, and reports it if it is our fault. A 500 never carries its cause. */
export function asProblem(observe: Observe, context: RequestContext, error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const isProvider = error instanceof ProviderUnavailable;
  // A store refuses reads if a newer version migrated it, or other data replaced it, while the server runs.
  const isUnavailable = isProvider || error instanceof StoreUnavailable || error instanceof StoreRefusal;
  observe({
    kind: isUnavailable ? "unavailable" : "fault",
    requestId: loggedId(context),
    traceId: context.trace?.traceId ?? null,
    error: loggedError(error, context),
  });
  if (!isUnavailable) return internalError();
  return unavailable(isProvider ? "The keys of the identity provider" : "The data");
}

export function problemResponse(context: RequestContext, problem: HttpProblem): Response {
  Object.assign(context.headers, problem.extra.headers, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
  });
  return respond(context, PROBLEMS[problem.code].status, problemBody(problem, context));
}

/** An error for the log, without the caller's data: parts of the request are replaced in its texts. `context`: null outside a request. */
export function loggedError(error: unknown, context: RequestContext | null): LoggedError {
  const parts = context === null ? [] : callersTexts(context);
  return describe(error, (text) => withoutParts(text, parts), 0);
}

const MAX_CAUSES = 5;

function describe(error: unknown, clean: (text: string) => LoggedText, depth: number): LoggedError {
  const isError = error instanceof Error;
  // openid-client has the identity provider's response as a cause.
  const other = error instanceof Response ? `${error.status} from ${error.url}` : String(error);
  return {
    type: clean(isError ? error.name : typeof error),
    message: clean(isError ? error.message : other),
    stack: clean((isError && error.stack) || ""),
    cause:
      isError && error.cause !== undefined && depth < MAX_CAUSES
        ? describe(error.cause, clean, depth + 1)
        : null,
  };
}

function withoutParts(text: string, parts: readonly string[]): LoggedText {
  let clean = text.replace(KEY_FORM, "(key)");
  for (const part of parts) clean = clean.replaceAll(part, "(sent)");
  return clean as LoggedText; // every part of the request was removed above
}

/** Shorter texts occur in any message, so they are not replaced. */
const PART_MIN_CHARACTERS = 3;

/** Every text of the request that an error could repeat, raw and decoded, longest first. */
function callersTexts({ path, query, route, request, body }: RequestContext): string[] {
  const routeSegments = new Set(route.split("/"));
  const texts = [
    ...path.split("/").filter((segment) => !routeSegments.has(segment)),
    query,
    ...query.split(/[&=,]/),
  ];
  for (const [name, value] of new URLSearchParams(query)) texts.push(name, value, ...value.split(","));
  for (const [, value] of request.headers) texts.push(value);
  if (body !== null) texts.push(body, ...textsOf(body));
  const decoded = texts.map((text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  });
  return [...new Set([...texts, ...decoded])]
    .filter(({ length }) => length >= PART_MIN_CHARACTERS)
    .sort((a, b) => b.length - a.length);
}

/** Every key and string of a JSON body; none if it is not JSON. */
function textsOf(body: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(body, (key, value) => {
      texts.push(key);
      if (typeof value === "string") texts.push(value);
      return value;
    });
  } catch {
    // Not JSON, so no error can repeat a part of it.
  }
  return texts;
}
