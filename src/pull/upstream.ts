// Requests to the API: one at a time, at its pace, with retries. Only its own origin is contacted.
import { renameSync, writeFileSync } from "node:fs";
import { connectionCause, retryAfterMs } from "../client/errors.ts";
import { repeatedKey } from "../json-file.ts";
import { isLoopback } from "../loopback.ts";
import { PathDenied, PullRefused, UpstreamAway } from "./errors.ts";
import { parseJson } from "./json-text.ts";
import type { PullFile } from "./schema.ts";
import { expand, expandAll, type PullValues, textOf } from "./template.ts";

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const MAX_TOTAL_BYTES = 1024 * 1024 * 1024;
const TRIES = 8;
/** Tries of a request that fails in the API, such as with a 500: often it always will. */
const TRIES_OF_FAILURE = 3;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
/** An API that asks for a longer pause counts as away. */
const MAX_RETRY_AFTER_MS = 600_000;
const MINUTE_MS = 60_000;
const DEFAULT_PER_MINUTE = 60;
const DEFAULT_TIMEOUT_SECONDS = 30;
const MAX_QUOTED_CHARACTERS = 200;

/** Statuses worth a retry: the API or a proxy is busy. */
const AWAY = new Set([429, 502, 503, 504]);
/** Whether a retry may succeed: 500, statuses of proxies (520), and requests that came too slowly or too early. */
const isFailure = (status: number) => status >= 500 || status === 408 || status === 425;
const DENIED = new Set([401, 403, 404]);
/** Messages of APIs that use 403 for too many requests, or for an expired token. */
const TOO_MANY = /\brate.?limit|\btoo many (?:calls|requests)|\bthrottl/i;
const EXPIRED = /\b(?:session|token)\b.*\bexpired\b|\bexpired\b.*\b(?:session|token)\b/i;
/** Statuses of an API that has retired a version. */
const RETIRED = new Set([406, 410]);
/** A run that may be Base64, in either alphabet (RFC 4648). */
const BASE64 = /[\w+/-]{4,}={0,2}/g;

/** The time and randomness of waits. `src/cli` provides them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(durationMs: number): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** A request with its values filled in. */
export interface Call {
  readonly method: "GET" | "POST";
  readonly address: URL;
  readonly json?: Readonly<Record<string, unknown>> | undefined;
  readonly form?: Readonly<Record<string, string>> | undefined;
  /** For messages: the file and page, and the path as the pull file writes it. */
  readonly place: string;
}

export interface Answer {
  readonly body: unknown;
  readonly headers: Headers;
}

/** A request that is worth a retry. */
interface Retry {
  readonly reason: string;
  readonly said?: string;
  /** How long the API asks to wait. */
  readonly waitMs?: number | undefined;
  /** The status of a failure, which gets fewer tries. */
  readonly failed?: number | null;
}

export class Upstream {
  #values: PullValues;
  readonly #file: PullFile;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #base: URL;
  readonly #timeoutMs: number;
  readonly #perMinute: number;
  /** The start times of the requests of the last minute. */
  readonly #begun: number[] = [];
  /** Texts that no message may contain. */
  readonly #hidden: Set<string>;
  #token: string | null = null;
  #bytes = 0;

  /** Raises PullRefused for a base address that is not allowed. */
  constructor(file: PullFile, values: PullValues, clock: Clock, version: string) {
    this.#file = file;
    this.#values = values;
    this.#clock = clock;
    this.#version = version;
    this.#timeoutMs = (file.pace?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
    this.#perMinute = file.pace?.perMinute ?? DEFAULT_PER_MINUTE;
    this.#hidden = new Set(values.secrets.values());
    const base = expand(file.base, values).replace(/\/*$/, "/");
    if (!URL.canParse(base)) throw new PullRefused(`base: ${this.masked(base)} is not an address`);
    this.#base = new URL(base);
    const { protocol, hostname, username, password, search } = this.#base;
    if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname)))
      throw new PullRefused(
        `base: ${this.masked(this.#base.origin)} is not https: only this machine may use http`,
      );
    if (username + password + search !== "")
      throw new PullRefused(
        "base: has a name, a password or a query: they go into auth, headers and the query of a file",
      );
  }

  /** The address of a path, or a next address. Raises PullRefused if it is of another origin. */
  address(path: string, from: URL = this.#base): URL {
    const isNext = from !== this.#base || /^[a-z]+:/i.test(path);
    const written = isNext ? path : path.replace(/^\/+/, "");
    const address = URL.canParse(written, from) ? new URL(written, from) : null;
    if (address?.origin === this.#base.origin) return address;
    const other = address === null ? "is not an address" : `leads to ${this.masked(address.origin)}`;
    throw new PullRefused(`${other}: only ${this.#base.origin} is contacted`);
  }

  /** The text with every secret replaced by `***`, in each encoding in which we sent it. */
  masked(text: string): string {
    let masked = text;
    for (const secret of [...this.#hidden].toSorted((a, b) => b.length - a.length)) {
      for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
        masked = masked.replaceAll(form, "***");
      // A path, a query and a form each escape different characters.
      for (const plain of [unescaped(masked), unescaped(masked.replaceAll("+", "%20"))])
        if (plain.includes(secret)) masked = plain.replaceAll(secret, "***");
      masked = masked.replaceAll(BASE64, (run) =>
        Buffer.from(run, "base64").includes(secret) ? "***" : run,
      );
    }
    return masked;
  }

  /** Sends a request. Raises UpstreamAway, PathDenied, or PullRefused for anything else that is not JSON. */
  async ask(call: Call): Promise<Answer> {
    const hadToken = this.#token !== null;
    try {
      return await this.#patiently(call, await this.#headers());
    } catch (error) {
      const isExpired = error instanceof PathDenied && error.status === 401 && hadToken;
      if (!isExpired || this.#file.auth?.token === undefined) throw error;
      this.#token = null;
      return await this.#patiently(call, await this.#headers());
    }
  }

  async #headers(): Promise<Headers> {
    const headers = this.#plainHeaders();
    const { basic, bearer, header, token } = this.#file.auth ?? {};
    const text = (template: string) => expand(template, this.#values);
    if (basic !== undefined) headers.set("authorization", this.#basic(basic));
    if (bearer !== undefined) headers.set("authorization", `Bearer ${text(bearer)}`);
    if (token !== undefined) {
      this.#token ??= await this.#freshToken();
      headers.set("authorization", `${token.scheme ?? "Bearer"} ${this.#token}`);
    }
    for (const [name, value] of Object.entries({ ...this.#file.headers, ...header }))
      headers.set(name, text(value));
    return headers;
  }

  #basic(nameAndPassword: readonly [string, string]): string {
    const pair = nameAndPassword.map((template) => expand(template, this.#values)).join(":");
    const encoded = Buffer.from(pair).toString("base64");
    this.#hidden.add(encoded); // BASE64 would miss it after a letter, or if it is escaped
    return `Basic ${encoded}`;
  }

  #plainHeaders(): Headers {
    return new Headers({ accept: "application/json", "user-agent": `rollcall/${this.#version}` });
  }

  async #freshToken(): Promise<string> {
    const request = this.#file.auth!.token!; // the caller checked it
    for (const secret of Object.keys(request.renew ?? {}))
      if (!this.#values.secretFiles.has(secret))
        throw new PullRefused(
          `auth.token: each ${secret} is used once, and the next is written into its file: set ${secret}_FILE to the path of a file that has it, and not ${secret}`,
        );
    const call = callOf(this, { ...request, get: undefined }, this.#values, null, "auth.token");
    const headers = this.#plainHeaders();
    if (request.basic !== undefined) headers.set("authorization", this.#basic(request.basic));
    const { body } = await this.#patiently(call, headers).catch((error) => {
      // The token is not optional, even if a file is.
      throw error instanceof PathDenied ? new PullRefused(error.reason, error.said) : error;
    });
    const token = valueAt(body, request.at);
    if (typeof token !== "string" || token === "") {
      // The rest of the response may have a token at another path.
      const error = ["error_description", "error", "message"].map((key) => valueAt(body, key)).find(Boolean);
      const said = typeof error === "string" ? this.#quoted(error) : "";
      throw new PullRefused(`auth.token: the response has no text at ${request.at}`, said);
    }
    this.#hidden.add(token);
    for (const [secret, at] of Object.entries(request.renew ?? {}))
      this.#renew(secret, valueAt(body, at), at);
    return token;
  }

  /** Writes the new secret into its file. Call it before using the token, because that may revoke the old secret. */
  #renew(name: string, secret: unknown, at: string): void {
    if (typeof secret !== "string" || secret === "")
      throw new PullRefused(`auth.token: the response has no text at ${at}`);
    this.#hidden.add(secret);
    const file = this.#values.secretFiles.get(name)!; // it was checked
    try {
      writeFileSync(`${file}.new`, `${secret}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // only writing a file can fail here
      throw new PullRefused(
        `${name}_FILE: ${file} cannot be written (${code}), and must take the next ${name}`,
      );
    }
    this.#values = { ...this.#values, secrets: new Map([...this.#values.secrets, [name, secret]]) };
  }

  async #patiently(call: Call, headers: Headers): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      await this.#pace();
      const outcome = await this.#once(call, headers);
      if (!("reason" in outcome)) return outcome;
      const { reason, said, waitMs = this.#backoffMs(tries), failed = null } = outcome;
      if (tries >= (failed === null ? TRIES : TRIES_OF_FAILURE))
        throw new UpstreamAway(`${call.place}: ${reason}, in ${tries} tries`, said, failed);
      if (waitMs > MAX_RETRY_AFTER_MS)
        throw new UpstreamAway(
          `${call.place}: ${reason}, and asks for a pause of ${Math.ceil(waitMs / 1000)} s`,
          said,
        );
      await this.#clock.sleep(waitMs);
    }
  }

  #backoffMs(tries: number): number {
    const longest = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
    return FIRST_WAIT_MS + this.#clock.random() * (longest - FIRST_WAIT_MS);
  }

  async #pace(): Promise<void> {
    const begun = this.#begun;
    if (begun.length === this.#perMinute) {
      const waitMs = begun.shift()! + MINUTE_MS - this.#clock.now();
      if (waitMs > 0) await this.#clock.sleep(waitMs);
    }
    begun.push(this.#clock.now());
  }

  /** The response, or why a retry is worth it. */
  async #once(call: Call, headers: Headers): Promise<Answer | Retry> {
    const sent = await this.#sent(call, headers);
    if ("reason" in sent) return sent;
    const { response, text } = sent;
    const { place } = call;
    const said = this.#quoted(text);
    const isLimited = response.status === 403 && (response.headers.has("retry-after") || TOO_MANY.test(said));
    const isAway = AWAY.has(response.status) || isLimited;
    if (isAway || isFailure(response.status)) {
      const waitMs = retryAfterMs(response.headers.get("retry-after"), this.#clock.now());
      return {
        reason: `responded ${response.status}`,
        said,
        waitMs,
        failed: isAway ? null : response.status,
      };
    }
    if (response.ok && response.status !== 200)
      throw new PullRefused(
        `${place}: responded ${response.status}, which is no whole list: only 200 is`, // its body may have rows
        "",
        response.status,
      );
    if (response.status !== 200) throw this.#refusal(call, response, said);
    return { body: bodyOf(text, place, response.headers), headers: response.headers };
  }

  /** Any response with its body, or why there is none. */
  async #sent(
    { method, address, json, form, place }: Call,
    headers: Headers,
  ): Promise<{ readonly response: Response; readonly text: string } | Retry> {
    if (json !== undefined) headers.set("content-type", "application/json");
    try {
      const response = await fetch(address, {
        method,
        headers,
        body:
          json !== undefined ? JSON.stringify(json) : form !== undefined ? new URLSearchParams(form) : null,
        redirect: "manual",
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      return { response, text: await this.#read(response, place) };
    } catch (error) {
      if (error instanceof PullRefused) throw error;
      if (error instanceof Error && error.name === "TimeoutError")
        return { reason: `no response within ${this.#timeoutMs / 1000} s` };
      const cause = connectionCause(error);
      if (cause === null) throw error;
      if (/CERT|SIGNATURE|SELF_SIGNED/.test(cause)) throw new PullRefused(`${place}: ${cause}`);
      return { reason: `the connection failed: ${cause}` };
    }
  }

  /** The error for a failure that a retry would not change. */
  #refusal({ address, place }: Call, { status, headers }: Response, said: string): PullRefused {
    const reason = `${place}: responded ${status}`;
    if (status === 403 && EXPIRED.test(said)) return new PathDenied(reason, said, 401);
    if (DENIED.has(status)) return new PathDenied(reason, said, status);
    if (status >= 300 && status < 400) {
      const to = headers.get("location");
      const where =
        to !== null && URL.canParse(to, address) ? ` to ${this.masked(new URL(to, address).origin)}` : "";
      return new PullRefused(`${reason}, a redirect${where}: none is followed, correct base or the path`);
    }
    if (RETIRED.has(status))
      return new PullRefused(`${reason}: the API may have retired the requested version`, said);
    return new PullRefused(reason, said, status);
  }

  /** The body as text. Raises PullRefused where it is too long. */
  async #read(response: Response, place: string): Promise<string> {
    const charset =
      /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(response.headers.get("content-type") ?? "")?.[1] ?? "utf-8";
    const decoder = decoderOf(charset);
    if (decoder === null)
      throw new PullRefused(`${place}: the response is in ${charset}, which is not supported`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      this.#bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES)
        throw new PullRefused(`${place}: the response has more than 8 MB: ask for fewer rows a page`);
      if (this.#bytes > MAX_TOTAL_BYTES) throw new PullRefused(`${place}: more than 1 GB in all`);
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    // Some servers declare UTF-8 JSON as a one-byte charset. So try UTF-8 first: text in such a charset is not valid UTF-8, except ASCII.
    const isOfOneByte = /^(?:iso-8859|windows)-/.test(decoder.encoding);
    const text = (isOfOneByte ? decoded(decoderOf("utf-8")!, body) : null) ?? decoded(decoder, body);
    if (text === null)
      throw new PullRefused(`${place}: the response says that it is ${charset}, but has other bytes`);
    return text;
  }

  /** The API's message, shortened. */
  #quoted(text: string): string {
    const line = this.masked(text)
      .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
      .trim();
    if (line === "") return "";
    if (/^<(?:!doctype|html)/i.test(line)) return ": an HTML document";
    return `: ${line.length > MAX_QUOTED_CHARACTERS ? `${line.slice(0, MAX_QUOTED_CHARACTERS)}…` : line}`;
  }
}

/** The JSON of a body. Raises PullRefused for anything else. */
function bodyOf(text: string, place: string, headers: Headers): unknown {
  let body: unknown;
  let repeated: string | null;
  try {
    body = parseJson(text);
    repeated = repeatedKey(text); // of the text, because long numbers in `body` are objects
  } catch {
    const type = /^[^\s;]+/.exec(headers.get("content-type") ?? "")?.[0] ?? "text";
    throw new PullRefused(
      /[/+]json$/i.test(type)
        ? `${place}: the response is not JSON, although it says so: it may have been cut`
        : `${place}: the response is ${type}, not JSON: correct base or the path, or ask the API for JSON`,
    );
  }
  if (repeated !== null)
    throw new PullRefused(`${place}: the response has the key ${repeated} twice, and JSON keeps only one`);
  return body;
}

/** Null if the bytes are not valid in the charset. */
function decoded(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Null for an unknown charset. */
function decoderOf(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return null;
  }
}

/** A text with its percent-escapes decoded. */
function unescaped(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString(),
  );
}

/** A request of a pull file with its values filled in. */
export function callOf(
  upstream: Upstream,
  request: Pick<PullFile["files"][string], "get" | "post" | "query" | "json" | "form">,
  values: PullValues,
  row: ReadonlyMap<string, unknown> | null,
  place: string,
): Call {
  const written = request.get ?? request.post!; // the schema requires one
  const address = upstream.address(expand(written, values, row, inPath));
  for (const [name, given] of Object.entries(request.query ?? {}))
    for (const item of [given].flat())
      address.searchParams.append(name, textOf(expandAll(item, values, row)));
  const json = request.json && (expandAll(request.json, values, row) as Record<string, unknown>); // expanding an object gives an object
  const form =
    request.form &&
    Object.fromEntries(
      Object.entries(request.form).map(([key, item]) => [key, textOf(expandAll(item, values, row))]),
    );
  const method = request.get === undefined ? "POST" : "GET";
  return {
    method,
    address,
    json,
    form,
    place: `${place}: ${method} ${upstream.masked(written.split("?")[0]!)}`,
  };
}

/** A value as part of a path. Dots alone would lead out of it, however they are encoded. */
function inPath(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new PullRefused("a value for a path is empty, or dots alone");
  return encodeURIComponent(text);
}

/** The value at a path in JSON; undefined if there is none. A key may contain dots: `@odata.nextLink`. */
export function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const at = value as Record<string, unknown>; // an object, or a list with indexes as keys
  if (Object.hasOwn(at, path)) return at[path];
  const [key, ...rest] = path.split(".");
  return rest.length > 0 && Object.hasOwn(at, key!) ? valueAt(at[key!], rest.join(".")) : undefined;
}
