// The rate limit of keys, and the limit of failed attempts of addresses (docs/api.md, Errors and Headers).
import RateLimiterMemory from "rate-limiter-flexible/lib/RateLimiterMemory.js"; // the index would load limiters of other stores, too
import RateLimiterRes from "rate-limiter-flexible/lib/RateLimiterRes.js";
import { HttpProblem } from "../problems.ts";

/** Limits of requests count per second, so a caller never waits longer, even if a clock is set. */
const WINDOW_SECONDS = 1;

/** How long a refusal is held back, so that a caller who asks again at once cannot fill the server with refusals (decision 7). */
const HELD_MS = 100;

/** The state of a name after counting one more. */
interface Counted {
  /** Whether this one exceeds the limit. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** How long until the count begins anew. */
  readonly waitSeconds: number;
}

/** Counts by name, in this process only. At most `points` fit into `seconds`, which begin with the first one. */
export function counter(points: number, seconds = WINDOW_SECONDS): (name: string) => Promise<Counted> {
  const limiter = new RateLimiterMemory({ points, duration: seconds });
  return async (name) => {
    const state = await limiter.consume(name).catch((refused: unknown) => refused);
    if (!(state instanceof RateLimiterRes)) throw state;
    const { consumedPoints, remainingPoints, msBeforeNext } = state;
    return {
      isOver: consumedPoints > points,
      remaining: remainingPoints,
      waitSeconds: Math.ceil(msBeforeNext / 1000),
    };
  };
}

export interface RateLimit {
  /** Counts one request of a key and returns the headers to send. Raises a 429 if the limit is exceeded. */
  take(keyId: string): Promise<Readonly<Record<string, string>>>;
  /** Counts more points for running work. It is not refused, but the key's next requests may be. */
  charge(keyId: string): Promise<void>;
}

/** At most this many requests per second and key; no limit for 0. */
export function rateLimit(requestsPerSecond: number): RateLimit | null {
  if (requestsPerSecond === 0) return null;
  const count = counter(requestsPerSecond);
  const policy = `"key";q=${requestsPerSecond};w=1`;
  return {
    async take(keyId) {
      const counted = await count(keyId);
      const headers = {
        "ratelimit-policy": policy,
        ratelimit: `"key";r=${counted.remaining};t=${WINDOW_SECONDS}`,
      };
      if (!counted.isOver) return headers;
      await Bun.sleep(HELD_MS);
      throw tooMany(`This API key may make ${requestsPerSecond} requests a second.`, headers);
    },
    async charge(keyId) {
      await count(keyId);
    },
  };
}

export interface FailureLimit {
  /** Counts one failure of an address. Returns a 429 if it has failed too often. */
  failed(address: string): Promise<HttpProblem | null>;
}

/** At most this many failures per second and address; 0 for no limit. Keys cannot be guessed, so this only limits the work. */
export function failureLimit(failuresPerSecond: number): FailureLimit | null {
  if (failuresPerSecond === 0) return null;
  const count = counter(failuresPerSecond);
  return {
    async failed(address) {
      const counted = await count(address);
      if (!counted.isOver) return null;
      await Bun.sleep(HELD_MS);
      return tooMany("Too many failed requests came from your address.", {});
    },
  };
}

/** What is limited as one caller: an IPv4 address, or the /64 network of an IPv6 address, which may all be one caller's. */
export function addressShare(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head, tail] = address.split("::") as [string, string?];
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

function tooMany(detail: string, headers: Readonly<Record<string, string>>): HttpProblem {
  return new HttpProblem("rate_limited", `${detail} Try again in ${WINDOW_SECONDS} s.`, {
    headers: { ...headers, "retry-after": String(WINDOW_SECONDS) },
  });
}
