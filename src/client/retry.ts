// When a failed attempt is tried again, and after how long.
import type { RollcallError } from "./errors.ts";

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;
/** A server that asks for a longer pause than this is believed, and the call fails at once. */
const LONGEST_RETRY_AFTER_MS = 60_000;

// 502 and 504 are a proxy's words for what is a network failure without one.
const RETRIED_STATUSES: readonly (number | null)[] = [null, 429, 502, 503, 504];

/**
 * How long to wait before attempt number `attempt` + 1, in milliseconds, or null where trying again is no use.
 * The delay doubles each time and is drawn from its upper half, so that callers who failed together come back apart.
 */
export function retryDelayMs(error: RollcallError, attempt: number, random: number): number | null {
  if (!RETRIED_STATUSES.includes(error.status)) return null;
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random / 2);
  if (error.retryAfterMs === null) return backoff;
  if (error.retryAfterMs > LONGEST_RETRY_AFTER_MS) return null;
  return error.retryAfterMs + (error.retryAfterMs === 0 ? backoff : FIRST_DELAY_MS * random);
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
