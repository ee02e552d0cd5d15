// One GET: attempts with a timeout each, retries between them, and answers kept for conditional requests.
import { baseAddress, usableKey } from "./address.ts";
import { ResponseCache } from "./cache.ts";
import { RollcallError } from "./errors.ts";
import { errorFrom, notJson } from "./response.ts";
import { pause, retryDelayMs } from "./retry.ts";

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
  /** How many characters of answers to keep for conditional requests; 4 million unless given, 0 for none. */
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

  /** What is missing is told here: JavaScript has no compiler that would. */
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
    const kept = this.#cache.get(url);
    const headers = kept === undefined ? this.#headers : { ...this.#headers, "if-none-match": kept.etag };
    const { response, text } = await this.#send(url, headers, signal);
    if (response.status === 304 && kept !== undefined) return JSON.parse(kept.text) as T;
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
            detail: `no answer from ${origin} within ${this.#timeoutMs} ms`,
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
    return JSON.parse(text) as T; // the contract's answer to this path; the caller names its type
  } catch (cause) {
    throw notJson(response, cause);
  }
}
