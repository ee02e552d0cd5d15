// One GET: attempts with a timeout each, retries between them, and responses cached for conditional requests.
import { ResponseCache } from "./cache.ts";
import { connectionCause, errorFrom, notJson, RollcallError } from "./errors.ts";
import { Pace, pause } from "./pace.ts";

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;
/** If the server asks for a longer pause, the call fails at once. */
const LONGEST_RETRY_AFTER_MS = 60_000;

// 502 and 504 are network failures that a proxy reports.
const RETRIED_STATUSES: readonly (number | null)[] = [null, 429, 502, 503, 504];

/** A longer timer, such as Infinity, would end at once. Leaves room for `waitMs`. */
const LONGEST_TIMER_MS = 2 ** 31 - 1 - 60_000;

/** For messages about a bad address. */
const EXAMPLE = "http://127.0.0.1:4010";

/** The part of `fetch` that we need. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface RollcallOptions {
  /** The server's address with its scheme, such as `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
  /** `rk_…`, as `rollcall keys create` prints it. Null behind a proxy that signs people in (`--auth-proxy`). */
  readonly apiKey: string | null;
  /** For each attempt, including its body; by default 10 s. */
  readonly timeoutMs?: number;
  /** Attempts after the first one; by default 3. */
  readonly retries?: number;
  /** How many characters of responses to cache for conditional requests; by default 4 million, 0 for none. */
  readonly cacheCharacters?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly waitMs?: number;
}

export class Transport {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #fetch: Fetch;
  readonly #cache: ResponseCache;
  readonly #pace = new Pace();

  /** Checks the options, because JavaScript callers have no compiler that does. */
  constructor(options: Partial<RollcallOptions> = {}) {
    this.#baseUrl = baseAddress(options.baseUrl);
    const key = options.apiKey === null ? {} : { "x-api-key": usableKey(options.apiKey) };
    this.#headers = { accept: "application/json", ...key };
    this.#timeoutMs = Math.min(options.timeoutMs ?? 10_000, LONGEST_TIMER_MS);
    this.#retries = options.retries ?? 3;
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#cache = new ResponseCache(options.cacheCharacters ?? 4_000_000);
  }

  /** The body of a 200. Raises RollcallError, or the signal's reason. `waitMs` is added to the timeout of each attempt. */
  async get<T>(pathAndQuery: string, { signal, waitMs = 0 }: CallOptions & Waiting): Promise<T> {
    const timeoutMs = this.#timeoutMs + waitMs;
    return this.#retried(signal, () => this.#attempt<T>(this.#baseUrl + pathAndQuery, timeoutMs, signal));
  }

  /** The objects of a list as they arrive. An attempt is repeated only if no object has arrived yet. */
  async *lines<T>(pathAndQuery: string, { signal }: CallOptions): AsyncGenerator<T, void, undefined> {
    const url = this.#baseUrl + pathAndQuery;
    const { response, watch } = await this.#retried(signal, () => this.#openLines(url, signal));
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    try {
      while (reader !== undefined) {
        const { done, value } = await watch.guard(() => reader.read());
        const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) yield parsed<T>(response, line);
        if (!done) continue;
        if (rest !== "") yield parsed<T>(response, rest);
        return;
      }
    } finally {
      watch.stop();
      await reader?.cancel().catch(() => {}); // the caller stopped reading
    }
  }

  async #retried<R>(signal: AbortSignal | undefined, attemptOnce: () => Promise<R>): Promise<R> {
    for (let attempt = 0; ; attempt++) {
      await this.#pace.enter(signal);
      signal?.throwIfAborted(); // an attempt does not notice an abort before its start
      try {
        return await attemptOnce();
      } catch (error) {
        if (!(error instanceof RollcallError) || attempt >= this.#retries) throw error;
        const delayMs = retryDelayMs(error, attempt, Math.random());
        if (delayMs === null) throw error;
        await pause(delayMs, signal);
      }
    }
  }

  async #attempt<T>(url: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<T> {
    const cached = this.#cache.get(url);
    const headers = cached === undefined ? this.#headers : { ...this.#headers, "if-none-match": cached.etag };
    const watch = new Watch(url, timeoutMs, signal);
    try {
      const { response, text } = await watch.guard(async (abort) => {
        const made = await this.#open(url, headers, abort);
        return { response: made, text: await made.text() };
      });
      if (response.status === 304 && cached !== undefined) return JSON.parse(cached.text) as T;
      if (response.status !== 200) throw errorFrom(response, text, Date.now());
      const body = parsed<T>(response, text);
      const etag = response.headers.get("etag");
      if (etag !== null) this.#cache.set(url, { etag, text });
      return body;
    } finally {
      watch.stop();
    }
  }

  async #openLines(url: string, signal: AbortSignal | undefined) {
    const watch = new Watch(url, this.#timeoutMs, signal);
    try {
      const headers = { ...this.#headers, accept: LINES };
      const response = await watch.guard((abort) => this.#open(url, headers, abort));
      if (response.status !== 200)
        throw errorFrom(response, await watch.guard(() => response.text()), Date.now());
      if (!response.headers.get("content-type")?.startsWith(LINES)) throw notJson(response, undefined);
      return { response, watch };
    } catch (error) {
      watch.stop();
      throw error;
    }
  }

  // A redirect is not followed, because it would send the key elsewhere. Rollcall sends none.
  async #open(
    url: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const response = await this.#fetch(url, { headers, signal, redirect: "manual" });
    this.#pace.heard(response);
    return response;
  }
}

const LINES = "application/x-ndjson";

/** Ends an attempt that takes too long or that the caller aborts. Its error says which. */
class Watch {
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort();

  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** Runs a step, which may take `timeoutMs`. Raises RollcallError, or the signal's reason. */
  async guard<R>(step: (abort: AbortSignal) => Promise<R>): Promise<R> {
    const timer = setTimeout(this.#abort, this.timeoutMs);
    try {
      return await step(this.#controller.signal);
    } catch (cause) {
      this.signal?.throwIfAborted();
      const { origin } = new URL(this.url);
      throw this.#controller.signal.aborted
        ? new RollcallError({
            code: "timeout",
            detail: `no response from ${origin} within ${this.timeoutMs} ms`,
            cause,
          })
        : new RollcallError({ code: "network_error", detail: noConnection(origin, cause), cause });
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): void {
    this.signal?.removeEventListener("abort", this.#abort);
  }
}

function noConnection(origin: string, cause: unknown): string {
  const why = connectionCause(cause);
  return `no connection to ${origin}${why === null ? "" : `: ${why}`}`;
}

function parsed<T>(response: Response, text: string): T {
  try {
    return JSON.parse(text) as T; // the caller names the type of this path's response
  } catch (cause) {
    throw notJson(response, cause);
  }
}

/** The base address without a slash at its end. Raises a TypeError that never shows a key, a password or a query. */
export function baseAddress(baseUrl: unknown): string {
  if (typeof baseUrl !== "string" || baseUrl.trim() === "")
    throw new TypeError(`baseUrl is missing: write the server's address, such as "${EXAMPLE}"`);
  const text = baseUrl.trim();
  if (!/^https?:\/\//i.test(text)) {
    const host = /^[a-z][a-z+.-]*:\/\//i.test(text) ? undefined : asUrl(`http://${text}`)?.host;
    const better = host === undefined || host.startsWith("rk_") ? EXAMPLE : `http://${host}`;
    throw new TypeError(`baseUrl must begin with http:// or https://: write "${better}"`);
  }
  const url = asUrl(text);
  if (url === undefined)
    throw new TypeError(`baseUrl is not an address: write the server's, such as "${EXAMPLE}"`);
  if (url.username + url.password + url.search + url.hash !== "")
    throw new TypeError(`baseUrl must be only the server's address: write "${url.origin}"`);
  return text.replace(/\/+$/, "");
}

/** Checks the key. Raises a TypeError that does not show it. */
function usableKey(apiKey: unknown): string {
  if (typeof apiKey !== "string" || apiKey.trim() === "")
    throw new TypeError('apiKey is missing: write the key, "rk_…", that `rollcall keys create` prints');
  try {
    new Headers({ "x-api-key": apiKey });
  } catch {
    // Without its cause, because some runtimes write the key into it.
    throw new TypeError('apiKey holds a character that no header can carry: write "rk_…" alone, on one line');
  }
  return apiKey;
}

function asUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The delay before the next attempt, in milliseconds; null if a retry cannot help. It doubles each time; its second half is random. */
function retryDelayMs(error: RollcallError, attempt: number, random: number): number | null {
  if (!RETRIED_STATUSES.includes(error.status) || error.code === "timed_out") return null;
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random / 2);
  if (error.retryAfterMs === null) return backoff;
  if (error.retryAfterMs > LONGEST_RETRY_AFTER_MS) return null;
  return error.retryAfterMs + (error.retryAfterMs === 0 ? backoff : FIRST_DELAY_MS * random);
}
