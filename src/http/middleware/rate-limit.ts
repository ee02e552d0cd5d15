// The rate limit of each key, and the limit of failed attempts of each address (docs/api.md, Errors and Headers).
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { HttpProblem } from "../problems.ts";

/** The state of a name after counting one more request. */
export interface Counted {
  /** Whether this request exceeds the limit. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** Time until the count starts again at 0. */
  readonly msBeforeNext: number;
}

export type Count = (name: string) => Promise<Counted>;

/** Counts in this process only. */
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
  /** Counts one request of a key and returns the headers to send. Raises a 429 if the limit is exceeded. */
  take(keyId: string): Promise<Readonly<Record<string, string>>>;
}

/** At most this many requests per second and key; no limit for 0. */
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
      throw tooMany(
        `This API key may make ${requestsPerSecond} requests a second.`,
        seconds(counted),
        headers,
      );
    },
  };
}

export interface FailureLimit {
  /** Counts one failure of an address. Raises a 429 if it has failed too often. */
  failed(address: string): Promise<void>;
}

/** At most this many failures per second and address; no limit for 0. Keys cannot be guessed; this bounds the work. */
export function failureLimit(
  failuresPerSecond: number,
  count: Count = ownCount(failuresPerSecond),
): FailureLimit | null {
  if (failuresPerSecond === 0) return null;
  return {
    async failed(address) {
      const counted = await count(address);
      if (!counted.isOver) return;
      throw tooMany("Too many requests with an invalid key came from your address.", seconds(counted), {});
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
