// `/mcp`: messages of assistants (docs/assistants.md). Tools read through the API, within the one request of the message.
import Negotiator from "negotiator";
import { LOGGED_TOOLS } from "../observe.ts";
import { PROBLEMS } from "../resources/problems.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { admitted } from "./middleware/admission.ts";
import { findKey, requireOpen, requireScope, unknownKey } from "./middleware/auth.ts";
import { cachedOrRead, type ReadingParts } from "./middleware/cache.ts";
import { preflight } from "./middleware/cors.ts";
import { asProblem, HttpProblem, problemBody, refused, requirePost, unknownPath } from "./problems.ts";
import { endPhase, type RequestContext, respond } from "./request-context.ts";
import { MCP_PATH, matchPath } from "./router.ts";
import { signedInRoute } from "./routes/signed-in.ts";
import type { Caller } from "./sign-in.ts";
import { isLimited, keyOf, noCompany, seesAway, visibleWorkers } from "./sign-in.ts";
import { viewOf } from "./visibility.ts";

/** Raises a 403 for a page of another origin. That `Origin` equals `Host` proves nothing: a page can rebind its name to this server. */
function requireOrigin({ headers }: Request, corsOrigin: string | null): void {
  const origin = headers.get("origin");
  if (origin === null || origin === corsOrigin) return;
  throw new HttpProblem(
    "origin_not_allowed",
    "Pages of this origin may not call this server: the operator can allow one origin with --cors.",
  );
}

/** The key in `x-api-key`, or the key or access token after `Bearer` in `Authorization`. Raises a 401 if there are two different ones. */
function assistantsKey(headers: Headers): string | null {
  const apiKey = headers.get("x-api-key");
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
  if (apiKey !== null && bearer !== null && apiKey !== bearer)
    throw refused("x-api-key and Authorization have different keys: send one of them.");
  return apiKey ?? bearer;
}

/** A message has one call and its arguments. */
const MESSAGE_MAX_BYTES = 64 * 1024;
const MESSAGE_MAX_LEVELS = 32;

/** A message arrives at once. A slow one would hold a connection. */
const BODY_TIMEOUT_MS = 10_000;

/** Reads the body. Returns null and closes the connection if it does not arrive whole and in time. Raises a 413. */
export async function readMessage(
  context: RequestContext,
  timeoutMs = BODY_TIMEOUT_MS,
): Promise<string | null> {
  const { body, headers } = context.request;
  if (Number(headers.get("content-length")) > MESSAGE_MAX_BYTES) throw tooLarge();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), timeoutMs);
  const reader = body?.getReader();
  try {
    for (;;) {
      const next = await Promise.race([reader?.read().catch(() => "late" as const), late.promise]);
      if (next === "late") return null;
      if (next === undefined || next.done) break;
      bytes += next.value.length;
      if (bytes > MESSAGE_MAX_BYTES) throw tooLarge();
      text += decoder.decode(next.value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    void reader?.cancel().catch(() => {}); // drops the unread rest
  }
  delete context.headers.connection;
  context.body = text + decoder.decode();
  return context.body;
}

function tooLarge(): HttpProblem {
  return new HttpProblem("body_too_large", `A message may have ${MESSAGE_MAX_BYTES / 1024} KiB.`, {
    headers: { connection: "close" },
  });
}

const PARSE_ERROR = -32700;
const TOO_LATE = `The body did not arrive whole within ${BODY_TIMEOUT_MS / 1000} s.`;

export interface Assistant extends Caller {
  readonly version: string;
  readonly today: string;
  /** Reads a path of the API as the caller. Never throws. */
  readonly read: (pathAndQuery: string) => Promise<Response>;
  /** Reports a fault of ours; returns the text for the caller. */
  readonly failed: (error: unknown) => string;
}

/** The response to a message; null if it did not arrive in time. The library is loaded for the first message, because most servers get none. */
export async function messageResponse(
  context: RequestContext,
  text: string | null,
  { key, person, version, today, read, failed }: Assistant,
): Promise<Response> {
  const { respondToAssistant, rpcError } = await import("../mcp/endpoint.ts");
  const message = text === null ? undefined : parsed(text);
  const response =
    message === undefined
      ? rpcError(
          400,
          null,
          PARSE_ERROR,
          text === null ? TOO_LATE : `The body is not JSON of at most ${MESSAGE_MAX_LEVELS} levels.`,
        )
      : await respondToAssistant(acceptingBoth(context.request), message, {
          scopes: key.scopes,
          ...viewFor({ key, person }),
          version,
          today,
          read,
          failed,
          called: (name, isError) => {
            context.tool = { tool: LOGGED_TOOLS.find((known) => known === name) ?? "unknown", isError };
          },
        });
  const body = await response.bytes();
  context.headers["content-type"] = response.headers.get("content-type") ?? "application/json";
  context.headers["cache-control"] = "no-store";
  return respond(context, response.status, body.length === 0 ? null : body);
}

/** The SDK requires that both types of the protocol are accepted. We always send JSON, so accepting JSON is enough. */
function acceptingBoth({ url, method, headers: sent }: Request): Request {
  const headers = new Headers(sent);
  const accept = headers.get("accept") || "*/*";
  if (new Negotiator({ headers: { accept } }).mediaTypes(["application/json"]).length > 0)
    headers.set("accept", "application/json, text/event-stream");
  return new Request(url, { method, headers });
}

/**
 * Describes what the caller may see. An assistant must know its limits, or it would say that nobody is away. Callers with limited access
 * never share a view. A company's id has no space.
 */
function viewFor(caller: Caller) {
  const { key, person } = caller;
  const { companyId, access } = key;
  const isAwayOnly = (person?.access ?? access.level) === "away";
  if (!(isLimited(caller) || isAwayOnly)) return { view: companyId, limits: null, seesAway: false };
  const view = `${companyId} ${viewOf(caller)}`;
  if (person === null) {
    const limits = `This API key may see only ${isAwayOnly ? "who is away" : "some workers of the company"}${isAwayOnly && isLimited(caller) ? ", of some workers of the company" : ""}.`;
    return { view, limits, seesAway: isAwayOnly };
  }
  const whom =
    visibleWorkers(person.access) === "self" ? "themselves" : "themselves and the people below them";
  const limits = isAwayOnly
    ? "The user may see only who is away."
    : `The user may see only ${whom}: of others, ${seesAway(person.access) ? "only when they are away" : "nothing is known here"}.`;
  return { view, limits, seesAway: seesAway(person.access) };
}

/** Any JSON; undefined for invalid JSON, and for more levels than a message needs: printing 30,000 levels takes a second. */
export function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, MESSAGE_MAX_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

interface AssistantParts extends ReadingParts {
  readonly accessTokens: AccessTokens | null;
  readonly corsOrigin: string | null;
}

/** The sender of a message: a key, or the person of an access token. */
async function callerOf(parts: AssistantParts, context: RequestContext): Promise<Caller> {
  const { headers } = context.request;
  const secret = assistantsKey(headers);
  const isToken = secret !== null && !headers.has("x-api-key") && !secret.startsWith("rk_");
  if (parts.accessTokens === null || !isToken)
    return { key: await findKey(parts, context, secret), person: null };
  const person = await parts.accessTokens.person(secret);
  const key = keyOf(person);
  context.key = key;
  return { key, person };
}

/** The phases of an assistant's message. It is counted and admitted once, whatever its tool reads. */
export async function runAssistantPhases(parts: AssistantParts, context: RequestContext): Promise<Response> {
  try {
    return await runPhases(parts, context);
  } catch (error) {
    throw parts.accessTokens?.challenged(error) ?? error;
  }
}

async function runPhases(parts: AssistantParts, context: RequestContext): Promise<Response> {
  const { method, request } = context;
  context.route = MCP_PATH;
  endPhase(context, "route");
  requireOrigin(request, parts.corsOrigin);
  if (parts.corsOrigin !== null && method === "OPTIONS") return preflight(context.headers, "assistants");
  requirePost(method, parts.corsOrigin !== null);
  const { id } = (await callerOf(parts, context)).key;
  endPhase(context, "key");
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(id));
  endPhase(context, "rate-limit");
  const message = await readMessage(context);
  const caller = await callerOf(parts, context); // the key may have been revoked meanwhile
  const { key, person } = caller;
  endPhase(context, "body");
  return admitted(parts.admission, key.id, async () => {
    endPhase(context, "admission");
    const version = await parts.store.version(key.companyId);
    if (version === null) throw person === null ? unknownKey() : noCompany();
    const today = parts.today();
    const read = (pathAndQuery: string) => readForTool(parts, context, caller, pathAndQuery);
    const failed = (error: unknown) =>
      `${asProblem(parts.observe, context, error).detail} (${context.requestId})`;
    const response = await messageResponse(context, message, { ...caller, version, today, read, failed });
    endPhase(context, "tool");
    return response;
  });
}

function calledTool(body: string | null): RequestContext["tool"] {
  const message = parsed(body ?? "") as { readonly params?: { readonly name?: unknown } } | null | undefined; // any JSON
  const tool = LOGGED_TOOLS.find((name) => name === message?.params?.name) ?? "unknown";
  return { tool, isError: false };
}

/** The API's response to a tool, without the phases that count requests. */
async function readForTool(
  parts: AssistantParts,
  message: RequestContext,
  caller: Caller,
  pathAndQuery: string,
): Promise<Response> {
  const [path = "", query = ""] = pathAndQuery.split("?");
  const context = { ...message, path, query, phases: null, tool: calledTool(message.body) };
  try {
    const signedIn = signedInRoute(path);
    const match = signedIn === null ? matchPath(path) : ({ kind: "signedIn", route: signedIn } as const);
    if (match === null) throw unknownPath(context);
    if (match.kind === "signedIn") requireOpen(caller, match.route);
    else requireScope(caller.key, match.route.contract.scope, caller.person !== null);
    const { content } = await cachedOrRead(parts, context, match, caller);
    return new Response(content.body as Uint8Array<ArrayBuffer>); // never shared memory
  } catch (error) {
    const problem = asProblem(parts.observe, context, error);
    return new Response(problemBody(problem, context), { status: PROBLEMS[problem.code].status });
  }
}
