/** Grants for hours worked (docs/balances.md, Per hour worked). */
import { type Day, formatDay } from "../time/day.ts";
import { type Coverage, coveredFrom, coveredThrough, isCovered } from "./coverage.ts";
import { type Detail, type DetailPart, part } from "./detail.ts";
import { type BalanceFacts, compareEntries, type DayMinutes, type PolicyRules } from "./facts.ts";
import { payPeriods, periodOf, periodStart } from "./periods.ts";
import { add, divide, isEqual, multiply, type Rational, rational, sign, ZERO } from "./rational.ts";
import { roundingDetail, type YearSums } from "./rounding.ts";
import { reachedTiers, tierOn } from "./service.ts";
import { type Version, versionDetail, versionOn } from "./versions.ts";
import { factorSteps } from "./working-time.ts";

/** Receives the grants of a schedule, in order of days. */
export interface GrantReceiver {
  /** Returns the minutes that caps leave. `rules`: those of the grant. `earnedFrom`: the day whose tier of a cap applies. */
  accrue(postedOn: Day, minutes: Rational, earnedFrom: Day, rules: PolicyRules, detail: Detail): Rational;
}

/** One grant for each entry on a covered day, or for each pay period (docs/balances.md, Per hour worked). */
export function accrueWorkedHours(
  facts: BalanceFacts,
  versions: readonly Version[],
  coverage: Coverage,
  sums: YearSums,
  until: Day,
  receiver: GrantReceiver,
): void {
  const { payPeriods: unit, payPeriodsFrom } = facts.policy.rules;
  const entries = facts.workedHours
    .filter(({ day }) => day <= until && isCovered(coverage, day))
    .sort(compareEntries);
  const steps = factorSteps(facts) ?? [];
  const factorOn = (day: Day) => steps.findLast(({ from }) => from <= day)?.factor ?? 1;
  const rated = versions.map((each) => ({ ...each, tiers: reachedTiers(each.facts, each.rules.tiers) }));
  /** Posts a grant for hours worked. `earnedFrom`: the first covered day of their period. */
  const grant = (on: Day, hours: readonly DayMinutes[], earnedFrom: Day, detail: readonly DetailPart[]) => {
    const version = versionOn(rated, earnedFrom);
    const { rules } = version;
    const { minutesPerChunk, hoursWorkedPerChunk } = version.facts.policy;
    if (minutesPerChunk === null || hoursWorkedPerChunk === null) return;
    const tier = tierOn(version.tiers, earnedFrom);
    const chunk = { minutesPerChunk: tier?.minutes ?? minutesPerChunk, hoursPerChunk: hoursWorkedPerChunk };
    const worked = hours.reduce<Rational>((sum, { minutes }) => add(sum, rational(minutes)), ZERO);
    const byFactor = hours.map(({ day, minutes }) => multiply(rational(minutes), factorOn(day)));
    const weighted = byFactor.reduce((sum, each) => add(sum, each), ZERO);
    const minutesWorked = multiply(rational(hoursWorkedPerChunk), 60);
    const exact = divide(multiply(rational(chunk.minutesPerChunk), weighted), minutesWorked);
    const posted = sums.rounded(rules, earnedFrom, exact, () => false);
    sums.add(rules, earnedFrom, exact, posted);
    receiver.accrue(on, posted, earnedFrom, rules, () => [
      ...hoursDetail(chunk, worked, weighted),
      ...detail,
      ...(tier === undefined ? [] : [part("tier", { months: tier.months })]),
      ...versionDetail(version),
      ...roundingDetail(rules, exact, posted),
    ]);
  };
  if (unit === null) {
    for (const entry of entries) grant(entry.day, [entry], entry.day, []);
    return;
  }
  const periods = payPeriods(unit, payPeriodsFrom);
  for (const [n, inPeriod] of Map.groupBy(entries, ({ day }) => periodOf(periods, day))) {
    const start = periodStart(periods, n);
    const first = coveredFrom(coverage, start);
    const last = coveredThrough(coverage, periodStart(periods, n + 1) - 1);
    if (last > until) return;
    grant(last, inPeriod, first, [part("payPeriod", { from: formatDay(start) })]);
  }
}

/** `160 hours × 2/52 × 0.96, the rate`. */
function hoursDetail(
  chunk: { readonly minutesPerChunk: number; readonly hoursPerChunk: number },
  worked: Rational,
  weighted: Rational,
): readonly DetailPart[] {
  const isRated = !isEqual(weighted, worked) && sign(worked) !== 0;
  const hours = part("hoursWorked", { hours: divide(isRated ? worked : weighted, 60), ...chunk });
  return isRated ? [hours, part("rate", { factor: divide(weighted, worked) })] : [hours];
}
