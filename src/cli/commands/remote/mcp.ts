// rollcall mcp: passes messages between an assistant, on stdin and stdout, and a server's `/mcp`. It opens no store.
import { createInterface } from "node:readline";
import type { Command } from "commander";
import { UsageError, unreachable } from "../../failure.ts";
import { parseUrl, RollcallCommand } from "../../options.ts";

/** How long assistants wait for a tool. */
const TIMEOUT_MS = 60_000;

/** The code of this bridge's own errors, from the range for servers (JSON-RPC 2.0, 5.1). */
const BRIDGE_ERROR = -32000;
const PARSE_ERROR = -32700;

export function mcpCommand(): Command {
  return new RollcallCommand("mcp")
    .description("Connect an assistant (Model Context Protocol) on stdin and stdout to a server's /mcp.")
    .option("--url <url>", "the server's address, such as https://rollcall.example.com")
    .addHelpText(
      "after",
      `
The key is in ROLLCALL_KEY. Stdout carries only messages of the protocol. Assistants that can use a URL need
no bridge: give them <url>/mcp and the key (docs/assistants.md).`,
    )
    .examples("ROLLCALL_URL=http://127.0.0.1:4010 ROLLCALL_KEY=rk_… rollcall mcp")
    .action(async ({ url }: { readonly url?: string }) => {
      const bridge = new Bridge(endpointOf(url), requireKey(process.env.ROLLCALL_KEY), (line) =>
        process.stdout.write(`${line}\n`),
      );
      const pending = new Set<Promise<void>>();
      for await (const line of createInterface({
        input: process.stdin,
        crlfDelay: Number.POSITIVE_INFINITY,
      })) {
        if (line.trim() === "") continue;
        const pass = bridge.pass(line).finally(() => pending.delete(pass));
        pending.add(pass);
      }
      await Promise.all(pending);
    });
}

/** Raises UsageError for a wrong address. */
function endpointOf(url: string | undefined): URL {
  const address = parseUrl(url);
  return new URL(address.endsWith("/mcp") ? address : `${address}/mcp`);
}

/** Raises UsageError for a missing or malformed key, without showing it. */
function requireKey(key: string | undefined): string {
  if (key === undefined || key === "")
    throw new UsageError("ROLLCALL_KEY is missing: it is the key that rollcall keys create prints");
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError("ROLLCALL_KEY is not a key: it begins with rk_ and has 41 characters");
}

type Id = string | number;

/** The members of a message that the bridge reads. It passes on the rest unchanged. */
interface Message {
  readonly id?: Id | null;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly requestId?: Id;
    readonly _meta?: { readonly "io.modelcontextprotocol/protocolVersion"?: unknown };
  };
}

/** Sends messages to a server, and gives each response to `write` as one line. */
class Bridge {
  readonly #running = new Map<Id, AbortController>();
  /** The protocol version that an older client agreed on in its handshake. */
  #agreedVersion: string | null = null;

  constructor(
    readonly endpoint: URL,
    readonly key: string,
    readonly write: (line: string) => void,
  ) {}

  /** Passes one message. Never throws: an error becomes a response, if the message expects one. */
  async pass(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line) ?? {}; // the server checks it
    } catch {
      this.#respond(null, PARSE_ERROR, "The line is not JSON.");
      return;
    }
    const { id = null, method, params } = message;
    if (method === "notifications/cancelled") {
      this.#running.get(params?.requestId ?? "")?.abort();
      return;
    }
    const controller = new AbortController();
    if (id !== null) this.#running.set(id, controller);
    try {
      const text = await this.#post(line, message, controller.signal);
      if (text !== "") this.write(text);
    } catch (error) {
      if (id !== null && !controller.signal.aborted)
        this.#respond(id, BRIDGE_ERROR, error instanceof Error ? error.message : String(error));
    } finally {
      if (id !== null) this.#running.delete(id);
    }
  }

  #respond(id: Id | null, code: number, message: string): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  /** The response as one line; empty if there is none. Raises an Error with a message for people. */
  async #post(body: string, message: Message, cancelled: AbortSignal): Promise<string> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.endpoint, {
        method: "POST",
        body,
        headers: this.#headers(message),
        redirect: "manual", // a redirect would send the key elsewhere
        signal: AbortSignal.any([cancelled, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      text = await response.text();
    } catch (error) {
      throw unreachable(this.endpoint.origin, error, TIMEOUT_MS);
    }
    const reply = parsed(text);
    if (reply === null) {
      if (text === "" && response.ok) return "";
      throw new Error(
        `${this.endpoint.href} is not a Rollcall server: it responded with ${response.status}.`,
      );
    }
    if (typeof reply.detail === "string") throw new Error(reply.detail); // a problem of the API
    const version = (reply.result as { protocolVersion?: unknown } | undefined)?.protocolVersion; // any JSON
    if (message.method === "initialize" && typeof version === "string") this.#agreedVersion = version;
    return JSON.stringify(reply);
  }

  /** The headers that repeat parts of the message for proxies. */
  #headers({ method, params }: Message): Record<string, string> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "x-api-key": this.key,
    };
    const version = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
    if (typeof version !== "string") {
      if (this.#agreedVersion !== null) headers["mcp-protocol-version"] = this.#agreedVersion;
      return headers;
    }
    headers["mcp-protocol-version"] = headerOf(version);
    if (typeof method === "string") headers["mcp-method"] = headerOf(method);
    if (typeof params?.name === "string") headers["mcp-name"] = headerOf(params.name);
    return headers;
  }
}

/** A text as a header value, in base64 if it has other characters (MCP 2026-07-28, Streamable HTTP). */
function headerOf(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null; // an object
  } catch {
    return null;
  }
}
