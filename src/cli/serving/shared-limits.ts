// Limits that several serving processes share. The parent counts. A child asks it for a few points at a time and spends them itself, so
// most requests need no message. Together they never exceed a limit. They may fall short by the points that other processes hold in the
// same second: less than an eighth.
import { LRUCache } from "lru-cache";
import RateLimiterMemory from "rate-limiter-flexible/lib/RateLimiterMemory.js";
import type { Count, Counted } from "../../http/middleware/rate-limit.ts";

/** A child's request: points of one limit for a name, such as a key's id. */
export interface PointsAsked {
  readonly limit: LimitName;
  readonly name: string;
}

export interface PointsGranted extends PointsAsked {
  /** 0 if the limit is used up. */
  readonly points: number;
  /** Points that any process may still ask for. */
  readonly remaining: number;
  /** Time until the count starts again. */
  readonly msBeforeNext: number;
}

/** Limits count per second. */
const WINDOW_MS = 1000;

export const LIMIT_NAMES = ["key", "address"] as const;
type LimitName = (typeof LIMIT_NAMES)[number];

/** The share of a second's points that may stay unused in other processes: one in this many. */
const LOST_AT_MOST = 8;

/** The parent's side: grants at most `perSecond` points a second for each name, a few at a time. */
export function quotaBroker(perSecond: number, processes: number) {
  const few = Math.max(1, Math.floor(perSecond / (LOST_AT_MOST * processes)));
  const limiters = new Map(
    LIMIT_NAMES.map((limit) => [limit, new RateLimiterMemory({ points: perSecond, duration: 1 })]),
  );
  return async function grant({ limit, name }: PointsAsked): Promise<PointsGranted> {
    const counted = await limiters.get(limit)!.penalty(name, few); // one step: several processes may ask at once
    const spentBefore = counted.consumedPoints - few;
    const points = Math.max(0, Math.min(few, perSecond - spentBefore));
    // If the clock was set back, the limiter's own figure is too long.
    const msBeforeNext = Math.min(counted.msBeforeNext, WINDOW_MS);
    return { limit, name, points, remaining: counted.remainingPoints, msBeforeNext };
  };
}

interface Held {
  points: number;
  readonly remaining: number;
  readonly untilMs: number;
}

/** A child remembers points for this many names. */
const NAMES_HELD = 10_000;

/** The child's side: a counter for `rateLimit` or `failureLimit`. `ask` resolves with the points that the parent grants. */
export function sharedCount(
  limit: LimitName,
  ask: (asked: PointsAsked) => Promise<PointsGranted>,
  nowMs: () => number = () => performance.now(),
): Count {
  const held = new LRUCache<string, Held>({ max: NAMES_HELD });
  const asking = new Map<string, Promise<void>>();
  async function askFor(name: string): Promise<void> {
    const { points, remaining, msBeforeNext } = await ask({ limit, name });
    held.set(name, { points, remaining, untilMs: nowMs() + msBeforeNext });
    asking.delete(name);
  }
  return async function count(name): Promise<Counted> {
    for (;;) {
      const own = held.get(name);
      const msBeforeNext = own === undefined ? 0 : own.untilMs - nowMs();
      if (own !== undefined && msBeforeNext > 0) {
        if (own.points > 0) {
          own.points--;
          return { isOver: false, remaining: own.remaining + own.points };
        }
        if (own.remaining === 0) return { isOver: true, remaining: 0 };
      }
      let pending = asking.get(name);
      if (pending === undefined) {
        pending = askFor(name);
        asking.set(name, pending);
      }
      await pending;
    }
  };
}
