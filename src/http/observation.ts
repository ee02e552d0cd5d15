// What a server reports of a request, free of everything that the caller wrote: path, query, headers.
import { LOGGED_METHODS, type LoggedError, type LoggedText, type Observation } from "../observe.ts";
import type { RequestContext } from "./request-context.ts";

const METHODS = new Map<string, (typeof LOGGED_METHODS)[number]>(LOGGED_METHODS.map((one) => [one, one]));

export function requestObservation(
  context: RequestContext,
  status: number,
  code: string | null,
): Extract<Observation, { readonly kind: "request" }> {
  const { method, key } = context;
  return {
    kind: "request",
    requestId: loggedId(context),
    method: METHODS.get(method) ?? "other",
    route: context.route,
    status,
    durationMs: performance.now() - context.startedAtMs - context.waitedMs,
    bytes: context.bytes,
    keyId: key?.id ?? null,
    companyId: key?.companyId ?? null,
    code,
    called: context.tool,
    traceId: context.trace?.traceId ?? null,
  };
}

/** Something in the form of a key, which may be pasted anywhere. */
const KEY_FORM = /r[kc]_[0-9A-Za-z]{8,}/g;

/** The request id, which callers may choose to find their request in the log; but never a key. */
export function loggedId({ requestId }: RequestContext): LoggedText {
  if (!requestId.includes("_")) return requestId as LoggedText; // as below
  return requestId.replace(KEY_FORM, "(key)") as LoggedText; // of a few harmless characters, and at most 128 of them
}

/** An error without what the caller wrote: in its texts, each part of the request is replaced. `context` is null outside one. */
export function loggedError(error: unknown, context: RequestContext | null): LoggedError {
  const parts = context === null ? [] : callersTexts(context);
  return describe(error, (text) => withoutParts(text, parts), 0);
}

const CAUSES = 5;

function describe(error: unknown, clean: (text: string) => LoggedText, depth: number): LoggedError {
  const isError = error instanceof Error;
  return {
    type: clean(isError ? error.name : typeof error),
    message: clean(isError ? error.message : String(error)),
    stack: clean((isError && error.stack) || ""),
    cause:
      isError && error.cause !== undefined && depth < CAUSES ? describe(error.cause, clean, depth + 1) : null,
  };
}

function withoutParts(text: string, parts: readonly string[]): LoggedText {
  let clean = text.replace(KEY_FORM, "(key)");
  for (const part of parts) clean = clean.replaceAll(part, "(sent)");
  return clean as LoggedText; // of which every part of the request was removed
}

/** Shorter texts are words of any message. */
const PART_MIN_CHARACTERS = 3;

/** Every text of a request that an error could repeat, as sent and decoded, the longest first. */
function callersTexts({ path, query, route, request, body }: RequestContext): string[] {
  const known = new Set(route.split("/"));
  const texts = [...path.split("/").filter((segment) => !known.has(segment)), query, ...query.split(/[&=,]/)];
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

/** Every key and text of a message. */
function textsOf(body: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(body, (key, value) => {
      texts.push(key);
      if (typeof value === "string") texts.push(value);
      return value;
    });
  } catch {
    // It is no JSON, and no text of it is used.
  }
  return texts;
}
