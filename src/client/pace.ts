// Keeps a client's calls within its key's limit, as told by the server's `RateLimit` headers (docs/api.md, Headers).

export class Pace {
  /** Requests in a window, as the server says; no limit until it does. */
  #limit = Number.POSITIVE_INFINITY;
  /** How many more requests may start in this window. */
  #left = Number.POSITIVE_INFINITY;
  #windowMs = 0;
  #windowEndsMs = 0;
  /** Whether a response has said when this window ends. */
  #isWindowKnown = false;

  /** Resolves when another request may start; rejects with the signal's reason. */
  async enter(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const nowMs = performance.now();
      if (nowMs >= this.#windowEndsMs) this.#begin(nowMs);
      if (this.#left > 0) {
        this.#left -= 1;
        return;
      }
      await pause(this.#windowEndsMs - nowMs, signal);
    }
  }

  #begin(nowMs: number): void {
    this.#left = this.#limit;
    this.#windowEndsMs = nowMs + this.#windowMs;
    this.#isWindowKnown = false;
  }

  /** Updates the limit from a response. Other programs may use the same key, so fewer requests may be left than this client counts. */
  heard({ headers }: Response): void {
    const policy = /;q=(\d+);w=(\d+)/.exec(headers.get("ratelimit-policy") ?? "");
    const state = /;r=(\d+);t=(\d+)/.exec(headers.get("ratelimit") ?? "");
    if (policy === null || state === null) return;
    this.#limit = Number(policy[1]);
    this.#windowMs = Number(policy[2]) * 1000;
    this.#left = Math.min(this.#left, Number(state[1]));
    // Counted from the arrival of the response, the window has surely ended on the server by then.
    if (!this.#isWindowKnown) this.#windowEndsMs = performance.now() + Number(state[2]) * 1000;
    this.#isWindowKnown = true;
  }
}

/** Resolves after `delayMs`; rejects with the signal's reason as soon as it is aborted. */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
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
