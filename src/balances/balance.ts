/** The balance of one worker under one policy: a pure function of facts and days. */
import type { Day } from "../time/day.ts";
import type { BalanceFacts, BalanceWindow } from "./facts.ts";
import { minutesOfLeave } from "./leave.ts";
import { eachPosting } from "./postings.ts";
import { add, type Rational, toHundredths, ZERO } from "./rational.ts";

/** Minutes, with at most 2 decimals. */
export interface Balance {
  /** Posted in the window, but not usable by its end or by today. */
  readonly accruedLocked: number;
  readonly accruedUnlocked: number;
  /** `accruedUnlocked - used - holds`, to 0.01 minute; may be negative. */
  readonly available: number;
  /** Pending leave in the window. */
  readonly holds: number;
  /** Approved leave in the window. */
  readonly used: number;
}

/** The four sums of a balance before rounding. */
export interface BalanceSums {
  readonly accruedLocked: Rational;
  readonly accruedUnlocked: Rational;
  readonly holds: Rational;
  readonly used: Rational;
}

/**
 * The balance in a window. Each sum is rounded once, half away from zero, to 2 decimals, and `available` comes from
 * the rounded sums. With an unlimited policy the accrued numbers and `available` are 0. Throws `RangeError` when a
 * fact that counts is not a finite number, or a chunk has zero hours (docs/balances.md, The numbers).
 */
export function balance(facts: BalanceFacts, window: BalanceWindow): Balance {
  const sums = balanceSums(facts, window);
  const accruedUnlocked = toHundredths(sums.accruedUnlocked);
  const holds = toHundredths(sums.holds);
  const used = toHundredths(sums.used);
  return {
    accruedLocked: toHundredths(sums.accruedLocked) / 100,
    accruedUnlocked: accruedUnlocked / 100,
    available: facts.policy.isUnlimited ? 0 : (accruedUnlocked - used - holds) / 100,
    holds: holds / 100,
    used: used / 100,
  };
}

/** The exact sums behind `balance`: those of adjacent windows add up to those of both together. */
export function balanceSums(facts: BalanceFacts, window: BalanceWindow): BalanceSums {
  const { today, startDate = -Infinity, endDate } = window;
  const lastPostingDay: Day = endDate ?? today;
  const asOf = Math.min(today, lastPostingDay);
  let accruedLocked = ZERO;
  let accruedUnlocked = ZERO;
  eachPosting(facts, lastPostingDay, (postedOn, minutes, _kind, unlocksOn) => {
    if (postedOn < startDate) return;
    if (unlocksOn <= asOf) accruedUnlocked = add(accruedUnlocked, minutes);
    else accruedLocked = add(accruedLocked, minutes);
  });
  // Leave that is booked for the future is already spoken for.
  const lastLeaveDay = endDate ?? Infinity;
  return {
    accruedLocked,
    accruedUnlocked,
    holds: minutesOfLeave(facts.requests, "pending", startDate, lastLeaveDay),
    used: minutesOfLeave(facts.requests, "approved", startDate, lastLeaveDay),
  };
}
