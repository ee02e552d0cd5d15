/** Which past balances change with other facts (docs/balances.md, Rules with a date). */
import type { Day } from "../time/day.ts";
import { type BalanceAmounts, balance } from "./balance.ts";
import type { BalanceFacts } from "./facts.ts";
import { countedLeave } from "./leave.ts";
import { leaveYears, periodOf, periodStart } from "./periods.ts";
import { eachPosting } from "./postings.ts";
import { add, type Rational, subtract, ZERO } from "./rational.ts";

export interface PastDifference {
  readonly day: Day;
  /** The new balance less the old one, with at most 2 decimals. If both are equal, the difference of `available`. */
  readonly minutes: number;
}

/** Returns the days on which the balance or `available` differs between two sets of facts. */
export function pastDifferences(
  before: BalanceFacts,
  after: BalanceFacts,
  days: readonly Day[],
): PastDifference[] {
  return days.flatMap((day) => {
    const window = { today: day, endDate: day };
    const [was, is] = [balance(before, window), balance(after, window)];
    const total = ({ accruedUnlocked, accruedLocked, used }: BalanceAmounts) =>
      accruedUnlocked + accruedLocked - used;
    const byTotal = Math.round((total(is) - total(was)) * 100);
    const minutes = (byTotal === 0 ? Math.round((is.available - was.available) * 100) : byTotal) / 100;
    return minutes === 0 ? [] : [{ day, minutes }];
  });
}

/** The first day of the leave year that contains the day. */
export function lastYearBoundary({ policy, assignment }: BalanceFacts, day: Day): Day {
  const years = leaveYears(policy.rules, assignment.assignedOn);
  return periodStart(years, periodOf(years, day));
}

/** The balance at the end of a day. Locked time counts; pending leave does not. */
export function balanceOn(facts: BalanceFacts, day: Day): Rational {
  if (facts.policy.isUnlimited) return ZERO;
  let sum = ZERO;
  eachPosting(facts, day, (_, minutes) => {
    sum = add(sum, minutes);
  });
  return subtract(sum, countedLeave(facts, -Infinity, day).approved);
}
