/** The sums of all postings until now, without making each posting: what nearly every balance is. */
import type { Day } from "../time/day.ts";
import { accruedThrough, coverageOf, inOrder } from "./accruals.ts";
import type { AdjustmentFacts, BalanceFacts, PolicyRules } from "./facts.ts";
import { approvedLeave } from "./leave.ts";
import { leaveYears, periodOf, periodStart } from "./periods.ts";
import { add, atLeastZero, type Rational, rational, sign, smaller, subtract, ZERO } from "./rational.ts";

/** What is usable on the last day, and what is not yet. */
interface PostedSums {
  readonly unlocked: Rational;
  readonly locked: Rational;
}

const NOTHING: PostedSums = { unlocked: ZERO, locked: ZERO };

/**
 * The sums of what `eachPosting` hands over up to and including `until`, as they are usable on that day. Null where it takes making
 * each posting: with caps, expiry, tiers and pauses.
 */
export function postedThrough(facts: BalanceFacts, until: Day): PostedSums | null {
  const { assignment, policy } = facts;
  const { rules } = policy;
  if (policy.isUnlimited) return NOTHING;
  if (looksAtEach(rules)) return null;
  const coverage = coverageOf(facts);
  const accrued = accruedThrough(facts, coverage);
  if (accrued === null) return null;
  const adjusted = adjustedThrough(facts.adjustments);
  const usableFrom = assignment.assignedOn + rules.waitingPeriodDays;
  let forfeited = ZERO;
  // Of what was forfeited, what was locked then.
  let lockedForfeited = ZERO;
  if (rules.carryoverLimitMinutes !== null) {
    const limit = rational(rules.carryoverLimitMinutes);
    const leaveThrough = approvedLeave(facts.requests, facts.worker.workDays);
    const years = leaveYears(rules, assignment.assignedOn);
    const last = Math.min(coverage.last, until);
    let leave = ZERO;
    // There are no gaps, so each boundary after the first day has a covered day before it.
    let year = periodOf(years, coverage.first) + 1;
    for (let boundary = periodStart(years, year); boundary <= last; boundary = periodStart(years, ++year)) {
      // What is posted on the boundary itself comes after the forfeit.
      const accruedBefore = accrued(boundary - 1);
      const posted = subtract(add(accruedBefore, adjusted(boundary - 1)), forfeited);
      leave = add(leave, leaveThrough(boundary - 1));
      const excess = subtract(subtract(posted, leave), limit);
      if (sign(excess) <= 0) continue;
      forfeited = add(forfeited, excess);
      if (boundary >= usableFrom) continue;
      const locked = atLeastZero(subtract(accruedBefore, lockedForfeited));
      lockedForfeited = add(lockedForfeited, smaller(excess, locked));
    }
  }
  const all = subtract(add(accrued(until), adjusted(until)), forfeited);
  if (usableFrom <= until) return { unlocked: all, locked: ZERO };
  const locked = subtract(accrued(until), lockedForfeited);
  return { unlocked: subtract(all, locked), locked };
}

/** Whether a posting can depend on each of those before it. A limit at the end of a year depends on their sum. */
function looksAtEach(rules: PolicyRules): boolean {
  return (
    rules.balanceCapMinutes !== null ||
    rules.yearlyAccrualCapMinutes !== null ||
    rules.carryoverExpiresAfterMonths !== null ||
    rules.carryoverExpiresAfterDays !== null
  );
}

/** The sum of the adjustments up to and including a day, which must not go back from call to call. */
function adjustedThrough(adjustments: readonly AdjustmentFacts[]): (through: Day) => Rational {
  const entries = inOrder(adjustments);
  let next = 0;
  let sum = ZERO;
  return (through) => {
    for (; next < entries.length && entries[next]!.day <= through; next++)
      sum = add(sum, rational(entries[next]!.minutes));
    return sum;
  };
}
