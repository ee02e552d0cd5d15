// Limits that several serving processes keep together. The parent counts; a child asks it for a few points at a time and
// spends them itself, so that most requests cost no message. Never more is spent than the limit allows; fewer only by the
// points that other processes hold of the same second, less than an eighth of the limit.
import { LRUCache } from "lru-cache";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Count, Counted } from "../../http/middleware/rate-limit.ts";

/** What a child asks for: points of a name, such as a key's id, under one of the limits. */
export interface PointsAsked {
  readonly limit: LimitName;
  readonly name: string;
}

export interface PointsGranted extends PointsAsked {
  /** 0 where the limit is used up. */
  readonly points: number;
  /** What is left for anybody to ask for. */
  readonly remaining: number;
  /** Until the count begins again. */
  readonly msBeforeNext: number;
}

export const LIMIT_NAMES = ["key", "address"] as const;
type LimitName = (typeof LIMIT_NAMES)[number];

/** Points that may be lost to a second because other processes hold them: one part in so many. */
const LOST_AT_MOST = 8;

/** The parent's side: at most `perSecond` points a second and name, a few at a time, for so many processes. */
export function quotaBroker(perSecond: number, processes: number) {
  const few = Math.max(1, Math.floor(perSecond / (LOST_AT_MOST * processes)));
  const limiters = new Map(
    LIMIT_NAMES.map((limit) => [limit, new RateLimiterMemory({ points: perSecond, duration: 1 })]),
  );
  return async function grant({ limit, name }: PointsAsked): Promise<PointsGranted> {
    const counted = await limiters.get(limit)!.penalty(name, few); // in one step, as several processes ask
    const spentBefore = counted.consumedPoints - few;
    const points = Math.max(0, Math.min(few, perSecond - spentBefore));
    return { limit, name, points, remaining: counted.remainingPoints, msBeforeNext: counted.msBeforeNext };
  };
}

interface Held {
  points: number;
  readonly remaining: number;
  readonly untilMs: number;
}

/** Names of which a child remembers what it holds. */
const NAMES_HELD = 10_000;

/** The child's side: a count for `rateLimit`, and one for `failureLimit`. `ask` resolves with what the parent grants. */
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
          return { isOver: false, remaining: own.remaining + own.points, msBeforeNext };
        }
        if (own.remaining === 0) return { isOver: true, remaining: 0, msBeforeNext };
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
