/** The grants of a schedule before caps: days, minutes, and how each amount came about. */
import type { Day } from "../time/day.ts";
import { type Coverage, coveredFrom, coveredThrough } from "./coverage.ts";
import type { BalanceFacts } from "./facts.ts";
import { type GrantPeriod, type GrantReceiver, PeriodGrants } from "./period-grants.ts";
import { grantPeriods, leaveYears, periodOf, periodStart } from "./periods.ts";
import { add, type Rational, ZERO } from "./rational.ts";
import { YearSums } from "./rounding.ts";
import { type Version, versionOn, versionsOf } from "./versions.ts";
import { accrueWorkedHours } from "./worked-hours.ts";

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
    if (this.facts.policy.schedule === "per_hour_worked")
      accrueWorkedHours(this.facts, this.versions, this.coverage, until, receiver);
    else this.#postPeriods(until, receiver);
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
