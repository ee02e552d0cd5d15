// One GET: attempts with a timeout each, retries between them, and responses cached for conditional requests.
import { ResponseCache } from "./cache.ts";
import { errorFrom, notJson, RollcallError } from "./errors.ts";

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;
/** When the server asks for a longer pause, the call fails at once. */
const LONGEST_RETRY_AFTER_MS = 60_000;

// A proxy says 502 or 504 for what is a network failure without one.
const RETRIED_STATUSES: readonly (number | null)[] = [null, 429, 502, 503, 504];

/** In the messages about a bad address. */
const EXAMPLE = "http://127.0.0.1:4010";

/** What is needed of `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface RollcallOptions {
  /** The server's address with its scheme, such as `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
  /** `rk_…`, as `rollcall keys create` prints it. */
  readonly apiKey: string;
  /** For each attempt, its body included; 10 s unless given. */
  readonly timeoutMs?: number;
  /** Attempts after the first one; 3 unless given. */
  readonly retries?: number;
  /** How many characters of responses to cache for conditional requests; 4 million unless given, 0 for none. */
  readonly cacheCharacters?: number;
  /** Instead of the global `fetch`. */
  readonly fetch?: Fetch;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export class Transport {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #fetch: Fetch;
  readonly #cache: ResponseCache;

  /** Checks its options itself, because JavaScript callers have no compiler that would. */
  constructor(options: Partial<RollcallOptions> = {}) {
    this.#baseUrl = baseAddress(options.baseUrl);
    this.#headers = { accept: "application/json", "x-api-key": usableKey(options.apiKey) };
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#retries = options.retries ?? 3;
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#cache = new ResponseCache(options.cacheCharacters ?? 4_000_000);
  }

  /** The parsed body of a 200. Raises RollcallError, or the signal's reason. */
  async get<T>(pathAndQuery: string, { signal }: CallOptions): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await this.#attempt<T>(this.#baseUrl + pathAndQuery, signal);
      } catch (error) {
        if (!(error instanceof RollcallError) || attempt >= this.#retries) throw error;
        const delayMs = retryDelayMs(error, attempt, Math.random());
        if (delayMs === null) throw error;
        await pause(delayMs, signal);
      }
    }
  }

  async #attempt<T>(url: string, signal: AbortSignal | undefined): Promise<T> {
    const cached = this.#cache.get(url);
    const headers = cached === undefined ? this.#headers : { ...this.#headers, "if-none-match": cached.etag };
    const { response, text } = await this.#send(url, headers, signal);
    if (response.status === 304 && cached !== undefined) return JSON.parse(cached.text) as T;
    if (response.status !== 200) throw errorFrom(response, text, Date.now());
    const body = parsed<T>(response, text);
    const etag = response.headers.get("etag");
    if (etag !== null) this.#cache.set(url, { etag, text });
    return body;
  }

  async #send(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const timer = setTimeout(abort, this.#timeoutMs);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      // A redirect is not followed: it would take the key to wherever it points. Rollcall has none.
      const response = await this.#fetch(url, { headers, signal: controller.signal, redirect: "manual" });
      return { response, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      const { origin } = new URL(url);
      throw controller.signal.aborted
        ? new RollcallError({
            code: "timeout",
            detail: `no response from ${origin} within ${this.#timeoutMs} ms`,
            cause,
          })
        : new RollcallError({ code: "network_error", detail: `no connection to ${origin}`, cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}

function parsed<T>(response: Response, text: string): T {
  try {
    return JSON.parse(text) as T; // the contract's response to this path; the caller names its type
  } catch (cause) {
    throw notJson(response, cause);
  }
}

/** The base address without a slash at its end. Raises a TypeError that never shows a key, a password or a query. */
function baseAddress(baseUrl: unknown): string {
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
    throw new TypeError(`baseUrl must be the server's address and nothing more: write "${url.origin}"`);
  return text.replace(/\/+$/, "");
}

/** The key as it came. Raises a TypeError that does not show it. */
function usableKey(apiKey: unknown): string {
  if (typeof apiKey !== "string" || apiKey.trim() === "")
    throw new TypeError('apiKey is missing: write the key, "rk_…", that `rollcall keys create` prints');
  try {
    new Headers({ "x-api-key": apiKey });
  } catch {
    // Without its cause, which some runtimes write the key into.
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

/**
 * How long to wait before attempt number `attempt` + 1, in milliseconds, or null where another attempt cannot help.
 * The delay doubles each time, with jitter over its upper half, so that callers who failed together spread out.
 */
function retryDelayMs(error: RollcallError, attempt: number, random: number): number | null {
  if (!RETRIED_STATUSES.includes(error.status)) return null;
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random / 2);
  if (error.retryAfterMs === null) return backoff;
  if (error.retryAfterMs > LONGEST_RETRY_AFTER_MS) return null;
  return error.retryAfterMs + (error.retryAfterMs === 0 ? backoff : FIRST_DELAY_MS * random);
}

/** Resolves after `delayMs`; rejects with the signal's reason as soon as it is aborted. */
function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, delayMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
