// How often a key may ask, and how often an address may fail to authenticate (contract, Errors and Headers).
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { HttpProblem } from "./problems.ts";

export interface RateLimit {
  /** Counts one request of a key; the headers to send. Raises a 429 where the limit is used up. */
  take(keyId: string): Promise<Readonly<Record<string, string>>>;
}

/** At most so many requests per second and key; none counted for 0. */
export function rateLimit(requestsPerSecond: number): RateLimit | null {
  if (requestsPerSecond === 0) return null;
  const limiter = new RateLimiterMemory({ points: requestsPerSecond, duration: 1 });
  const policy = `"key";q=${requestsPerSecond};w=1`;
  const headers = (state: RateLimiterRes) => ({
    "ratelimit-policy": policy,
    ratelimit: `"key";r=${state.remainingPoints};t=${seconds(state)}`,
  });
  return {
    async take(keyId) {
      const state = await limiter.consume(keyId).catch((refused: unknown) => refused);
      if (!(state instanceof RateLimiterRes)) throw state;
      if (state.consumedPoints <= requestsPerSecond) return headers(state);
      throw tooMany(
        `This API key may ask ${requestsPerSecond} times a second.`,
        seconds(state),
        headers(state),
      );
    },
  };
}

export interface FailureLimit {
  /** Counts one failure of an address. Raises a 429 where it has failed too often. */
  failed(address: string): Promise<void>;
}

/** An address may fail as often as a key may ask: keys cannot be guessed, so this only bounds the work. */
export function failureLimit(failuresPerSecond: number): FailureLimit | null {
  if (failuresPerSecond === 0) return null;
  const limiter = new RateLimiterMemory({ points: failuresPerSecond, duration: 1 });
  return {
    async failed(address) {
      const state = await limiter.consume(address).catch((refused: unknown) => refused);
      if (!(state instanceof RateLimiterRes)) throw state;
      if (state.consumedPoints <= failuresPerSecond) return;
      throw tooMany(
        "Too many attempts with a key that is not valid came from your address.",
        seconds(state),
        {},
      );
    },
  };
}

function seconds(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
}

function tooMany(
  detail: string,
  waitSeconds: number,
  headers: Readonly<Record<string, string>>,
): HttpProblem {
  return new HttpProblem("rate_limited", `${detail} Try again in ${waitSeconds} s.`, {
    headers: { ...headers, "retry-after": String(waitSeconds) },
  });
}
