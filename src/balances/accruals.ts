/** The grants of a schedule before caps: days, minutes, and how each amount came about. */
import type { Day } from "../time/day.ts";
import { type Coverage, coveredFrom, coveredThrough } from "./coverage.ts";
import type { BalanceFacts, PolicyRules } from "./facts.ts";
import { partOf, shareOf, WHOLE } from "./parts.ts";
import { type GrantPeriod, type GrantReceiver, instalmentOf, PeriodGrants } from "./period-grants.ts";
import {
  grantPeriods,
  INSTALMENTS_PER_YEAR,
  leaveYears,
  type Periods,
  periodOf,
  periodStart,
} from "./periods.ts";
import { add, multiply, type Rational, ZERO } from "./rational.ts";
import { rounded, YearSums } from "./rounding.ts";
import { type Version, versionOn, versionsOf } from "./versions.ts";
import { accruedInHours, accrueWorkedHours } from "./worked-hours.ts";
import { factorSteps } from "./working-time.ts";

/** The grants of an assignment, in order of days. */
export class Accruals {
  /** The grants of the last period that granted anything. */
  #running: PeriodGrants | null = null;

  constructor(
    private readonly facts: BalanceFacts,
    private readonly versions: readonly Version[],
    private readonly coverage: Coverage,
  ) {}

  /** Posts all grants up to and including `until`. */
  post(until: Day, receiver: GrantReceiver): void {
    if (this.coverage.last < this.coverage.first) return;
    const { schedule } = this.facts.policy;
    if (schedule === "monthly" || schedule === "yearly") this.#postPeriods(until, receiver);
    if (schedule === "per_hour_worked")
      accrueWorkedHours(this.facts, this.versions, this.coverage, until, receiver);
  }

  /** What the running period has granted for `day` and later days. */
  grantedFrom(day: Day): Rational {
    return this.#running?.grantedFrom(day) ?? ZERO;
  }

  /** Posts the grants of each period with a covered day (docs/balances.md, Monthly and yearly). */
  #postPeriods(until: Day, receiver: GrantReceiver): void {
    const coverage = this.coverage;
    const { policy, assignment } = this.facts;
    const periods = grantPeriods(policy, assignment.assignedOn);
    const years = leaveYears(policy.rules, assignment.assignedOn);
    const sums = this.versions.some(({ rules }) => rules.roundSumToMinutes !== null)
      ? new YearSums(years)
      : null;
    let grants: PeriodGrants | null = null;
    let n = periodOf(periods, coverage.first);
    let start = periodStart(periods, n);
    while (start <= coverage.last) {
      const first = coveredFrom(coverage, Math.max(start, coverage.first));
      const next = periodStart(periods, n + 1);
      if (first >= next) {
        // The period has no covered day: go on with that of the next one.
        n = periodOf(periods, first);
        start = periodStart(periods, n);
        continue;
      }
      const last = coveredThrough(coverage, Math.min(next - 1, coverage.last));
      const version = versionOn(this.versions, first);
      if (grants?.version !== version)
        grants = new PeriodGrants(version, coverage, periods, years, sums, receiver, grants);
      const period: GrantPeriod = { n, start, days: next - start, first, last };
      if (grants.postedOn(period) > until) return;
      this.#running = grants;
      grants.post(period, until);
      n += 1;
      start = next;
    }
  }
}

/**
 * Returns a function that sums all grants up to and including a day. Its days must not decrease from call to call. It needs not compute
 * each grant, because every whole period grants the same. Null if that is not so: with gaps, tiers and the like. The policy must not have
 * rules with a date.
 */
export function accruedThrough(facts: BalanceFacts, coverage: Coverage): ((through: Day) => Rational) | null {
  const { assignment, policy } = facts;
  const { rules } = policy;
  if (coverage.gaps.length > 0 || factorSteps(facts) !== null || rules.payPeriods !== null) return null;
  if (rules.roundSumToMinutes !== null) return null;
  if (policy.schedule === "per_hour_worked")
    return rules.tiers === null ? accruedInHours(facts, coverage) : null;
  if (assignment.minutesPerPeriod === null && rules.tiers !== null) return null;
  if (rules.firstYearWholeAfterMonths !== null) return null;
  if (rules.instalments === "daily") return null;
  return (through) => accruedInPeriods(facts, coverage, through);
}

/** The sum without tiers and gaps: only the first and the last period can be covered in part. */
function accruedInPeriods({ assignment, policy }: BalanceFacts, coverage: Coverage, until: Day): Rational {
  const { rules } = policy;
  const amount = assignment.minutesPerPeriod ?? policy.minutesPerPeriod;
  if (amount === null || coverage.last < coverage.first) return ZERO;
  const { instalments } = rules;
  const parts = instalments === null || instalments === "daily" ? 1 : INSTALMENTS_PER_YEAR[instalments];
  const whole = instalmentOf(amount, parts);
  const periods = grantPeriods(policy, assignment.assignedOn);
  const firstPeriod = periodOf(periods, coverage.first);
  const lastPeriod = lastPeriodPosted(periods, rules, coverage, until);
  if (lastPeriod < firstPeriod) return ZERO;
  const grantOf = (n: number): Rational => {
    const start = periodStart(periods, n);
    const next = periodStart(periods, n + 1);
    const isWhole = !rules.prorate || (start >= coverage.first && next - 1 <= coverage.last);
    const part = isWhole ? WHOLE : partOf(rules.prorateBy, periods, n, start, next - start, coverage);
    return rounded(rules, shareOf(whole, part));
  };
  const first = grantOf(firstPeriod);
  if (lastPeriod === firstPeriod) return first;
  const between = multiply(rounded(rules, whole), lastPeriod - firstPeriod - 1);
  return add(add(first, between), grantOf(lastPeriod));
}

/** The last covered period whose grant is posted by `until`; if none is, a number before the first. */
function lastPeriodPosted(
  periods: Periods,
  rules: PolicyRules,
  { first, last }: Coverage,
  until: Day,
): number {
  const { accrualTiming } = rules;
  if (accrualTiming === "start") return until < first ? -Infinity : periodOf(periods, Math.min(until, last));
  // The grant is posted once the last covered day of the period has come ("end": on the day after it).
  const through = accrualTiming === "end" ? until - 1 : until;
  return through >= last ? periodOf(periods, last) : periodOf(periods, through + 1) - 1;
}

/** The sum of all grants up to and including a day, without caps. */
export function grantedThrough(facts: BalanceFacts, coverage: Coverage, day: Day): Rational {
  let sum = ZERO;
  new Accruals(facts, versionsOf(facts), coverage).post(day, {
    accrue: (_, minutes) => {
      sum = add(sum, minutes);
      return minutes;
    },
  });
  return sum;
}
