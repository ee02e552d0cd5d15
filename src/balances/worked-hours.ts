/** Grants for hours worked (docs/balances.md, Per hour worked). */
import { type Day, formatDay } from "../time/day.ts";
import { type Coverage, coveredFrom, coveredThrough, isCovered } from "./coverage.ts";
import { type DetailPart, part } from "./detail.ts";
import { type BalanceFacts, type DayMinutes, inOrder } from "./facts.ts";
import type { GrantReceiver } from "./period-grants.ts";
import { leaveYears, payPeriods, periodOf, periodStart } from "./periods.ts";
import { add, divide, isEqual, multiply, type Rational, rational, sign, ZERO } from "./rational.ts";
import { rounded, roundingDetail, YearSums } from "./rounding.ts";
import { type ReachedTier, reachedTiers, tierOn } from "./service.ts";
import { type Version, versionDetail, versionOn } from "./versions.ts";
import { type FactorStep, factorSteps } from "./working-time.ts";

function minutesPerWorkedMinute(
  { policy }: BalanceFacts,
  minutesPerChunk = policy.minutesPerChunk,
): Rational | null {
  const { hoursWorkedPerChunk } = policy;
  if (minutesPerChunk === null || hoursWorkedPerChunk === null) return null;
  return divide(rational(minutesPerChunk), multiply(rational(hoursWorkedPerChunk), rational(60)));
}

/** One grant for each entry on a covered day, or for each pay period (docs/balances.md, Per hour worked). */
export function accrueWorkedHours(
  facts: BalanceFacts,
  versions: readonly Version[],
  coverage: Coverage,
  until: Day,
  receiver: GrantReceiver,
): void {
  const { payPeriods: unit, payPeriodsFrom } = facts.policy.rules;
  const entries = inOrder(facts.workedHours).filter(({ day }) => day <= until && isCovered(coverage, day));
  const steps = factorSteps(facts);
  const rated = versions.map((version) => {
    const tiers = reachedTiers(version.facts, version.rules.tiers);
    return { ...version, tiers, rate: minutesPerWorkedMinute(version.facts) };
  });
  const isSummed = versions.some(({ rules }) => rules.roundSumToMinutes !== null);
  const sums = isSummed ? new YearSums(leaveYears(facts.policy.rules, facts.assignment.assignedOn)) : null;
  /** Posts a grant for hours worked. `earnedFrom`: the first covered day of their period. */
  const grant = (
    postedOn: Day,
    hours: readonly DayMinutes[],
    earnedFrom: Day,
    where: readonly DetailPart[],
  ) => {
    const version = versionOn(rated, earnedFrom);
    if (version.rate === null) return;
    let worked = rational(hours[0]!.minutes); // never empty
    for (let at = 1; at < hours.length; at++) worked = add(worked, rational(hours[at]!.minutes));
    const weighted = steps === null ? worked : weightedBy(steps, hours);
    const tier = tierOn(version.tiers, earnedFrom);
    const rate = tier === undefined ? version.rate : minutesPerWorkedMinute(version.facts, tier.minutes)!; // there are chunks
    const exact = multiply(rate, weighted);
    const { rules } = version;
    const posted =
      sums === null ? rounded(rules, exact) : sums.rounded(rules, earnedFrom, exact, () => false);
    sums?.add(rules, earnedFrom, exact, posted);
    receiver.accrue(postedOn, posted, earnedFrom, version.rules, () => [
      ...hoursDetail(version.facts, tier, worked, weighted),
      ...where,
      ...(tier === undefined ? [] : [part("tier", { months: tier.months })]),
      ...versionDetail(version),
      ...roundingDetail(version.rules, exact, posted),
    ]);
  };
  if (unit === null) {
    for (const entry of entries) grant(entry.day, [entry], entry.day, []);
    return;
  }
  const periods = payPeriods(unit, payPeriodsFrom);
  for (const [n, inPeriod] of Map.groupBy(entries, ({ day }) => periodOf(periods, day))) {
    const start = periodStart(periods, n);
    const first = coveredFrom(coverage, Math.max(start, coverage.first));
    const last = coveredThrough(coverage, Math.min(periodStart(periods, n + 1) - 1, coverage.last));
    if (last > until) return;
    grant(last, inPeriod, first, [part("payPeriod", { from: formatDay(start) })]);
  }
}

/** The sum of the hours, in minutes, each times the factor of its day. */
function weightedBy(steps: readonly FactorStep[], hours: readonly DayMinutes[]): Rational {
  let weighted = ZERO;
  for (const { day, minutes } of hours) {
    const { factor } = steps.findLast(({ from }) => from <= day)!; // the first is from the beginning
    weighted = add(weighted, multiply(rational(minutes), factor));
  }
  return weighted;
}

/** `160 hours × 2/52 × 0.96, the rate`. */
function hoursDetail(
  { policy }: BalanceFacts,
  tier: ReachedTier | undefined,
  worked: Rational,
  weighted: Rational,
): readonly DetailPart[] {
  const isRated = !isEqual(weighted, worked) && sign(worked) !== 0;
  const hours = part("hoursWorked", {
    hours: divide(isRated ? worked : weighted, 60),
    minutesPerChunk: tier?.minutes ?? policy.minutesPerChunk ?? 0,
    hoursPerChunk: policy.hoursWorkedPerChunk ?? 1,
  });
  return isRated ? [hours, part("rate", { factor: divide(weighted, worked) })] : [hours];
}
