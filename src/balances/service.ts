/** Length of service (docs/balances.md, Tiers). */
import { addMonths, type Day } from "../time/day.ts";
import type { BalanceFacts, Tier } from "./facts.ts";
import { type Rational, rational } from "./rational.ts";

/** A tier, with the day on which an assignment reaches it. */
export interface ReachedTier extends Tier {
  readonly reachedOn: Day;
}

/** The day on which a number of months of service is completed. */
export function serviceDay({ policy, assignment, worker }: BalanceFacts, months: number): Day {
  const from = assignment.serviceFrom ?? worker.startDate;
  let day = addMonths(from, months);
  const { pauses, gaps } = assignment;
  const without = policy.rules.serviceCounts === "employed" ? gaps : [...pauses, ...gaps];
  // Each day without service puts it off by one day.
  for (const { first, last } of without.toSorted((a, b) => a.first - b.first))
    if (last >= from && first < day) day += last - Math.max(first, from) + 1;
  return day;
}

const NO_TIERS: readonly ReachedTier[] = [];

/** The tiers, sorted by months, each with the day on which it is reached. */
export function reachedTiers(facts: BalanceFacts, tiers: readonly Tier[] | null): readonly ReachedTier[] {
  if (tiers === null) return NO_TIERS;
  return [...tiers]
    .sort((a, b) => a.months - b.months)
    .map(({ months, minutes }) => ({ months, minutes, reachedOn: serviceDay(facts, months) }));
}

/** The highest tier that is reached by a day. */
export function tierOn(tiers: readonly ReachedTier[], day: Day): ReachedTier | undefined {
  return tiers.findLast(({ reachedOn }) => reachedOn <= day);
}

/** The limit on a day, which may depend on the length of service; null if there is none. `usual`: before the first tier. */
export function limitOn(usual: number | null, tiers: readonly ReachedTier[], day: Day): Rational | null {
  const limit = tiers.length === 0 ? usual : (tierOn(tiers, day)?.minutes ?? usual);
  return limit === null ? null : rational(limit);
}
