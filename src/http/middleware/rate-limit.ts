// How often a key may ask, and how often an address may fail to authenticate (docs/api.md, Errors and Headers).
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { HttpProblem } from "../problems.ts";

/** What counting one more of a name found. */
export interface Counted {
  /** Whether this one is beyond the limit. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** Until the count begins again. */
  readonly msBeforeNext: number;
}

export type Count = (name: string) => Promise<Counted>;

/** Counts in this process alone. */
function ownCount(perSecond: number): Count {
  const limiter = new RateLimiterMemory({ points: perSecond, duration: 1 });
  return async (name) => {
    const state = await limiter.consume(name).catch((refused: unknown) => refused);
    if (!(state instanceof RateLimiterRes)) throw state;
    const { consumedPoints, remainingPoints: remaining, msBeforeNext } = state;
    return { isOver: consumedPoints > perSecond, remaining, msBeforeNext };
  };
}

export interface RateLimit {
  /** Counts one request of a key; the headers to send. Raises a 429 where the limit is used up. */
  take(keyId: string): Promise<Readonly<Record<string, string>>>;
}

/** At most so many requests per second and key; none counted for 0. */
export function rateLimit(
  requestsPerSecond: number,
  count: Count = ownCount(requestsPerSecond),
): RateLimit | null {
  if (requestsPerSecond === 0) return null;
  const policy = `"key";q=${requestsPerSecond};w=1`;
  return {
    async take(keyId) {
      const counted = await count(keyId);
      const headers = {
        "ratelimit-policy": policy,
        ratelimit: `"key";r=${counted.remaining};t=${seconds(counted)}`,
      };
      if (!counted.isOver) return headers;
      throw tooMany(`This API key may ask ${requestsPerSecond} times a second.`, seconds(counted), headers);
    },
  };
}

export interface FailureLimit {
  /** Counts one failure of an address. Raises a 429 where it has failed too often. */
  failed(address: string): Promise<void>;
}

/** An address may fail as often as a key may ask: keys cannot be guessed, so this only bounds the work. */
export function failureLimit(
  failuresPerSecond: number,
  count: Count = ownCount(failuresPerSecond),
): FailureLimit | null {
  if (failuresPerSecond === 0) return null;
  return {
    async failed(address) {
      const counted = await count(address);
      if (!counted.isOver) return;
      throw tooMany(
        "Too many attempts with a key that is not valid came from your address.",
        seconds(counted),
        {},
      );
    },
  };
}

function seconds({ msBeforeNext }: Counted): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
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
