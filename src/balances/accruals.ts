/** The grants of a schedule before caps: days, minutes, and how each amount came about. */
import type { Day } from "../time/day.ts";
import { type Coverage, coverageOf, coveredFrom, coveredThrough } from "./coverage.ts";
import type { BalanceFacts } from "./facts.ts";
import { type GrantReceiver, type GrantTerms, grantTerms, PeriodGrant } from "./period-grants.ts";
import { grantPeriods, leaveYears, periodOf, periodStart } from "./periods.ts";
import { add, type Rational, ZERO } from "./rational.ts";
import { YearSums } from "./rounding.ts";
import { type Version, versionOn, versionsOf } from "./versions.ts";
import { accrueWorkedHours } from "./worked-hours.ts";

/** The grants of an assignment, in order of days. */
export class Accruals {
  /** The last period that granted anything. */
  #running: PeriodGrant | null = null;

  constructor(
    private readonly facts: BalanceFacts,
    private readonly versions: readonly Version[],
    private readonly coverage: Coverage,
  ) {}

  /** Posts all grants up to and including `until`. */
  post(until: Day, receiver: GrantReceiver): void {
    const { policy, assignment } = this.facts;
    if (this.coverage.last < this.coverage.first) return;
    const years = leaveYears(policy.rules, assignment.assignedOn);
    const sums = new YearSums(years, this.versions);
    if (policy.schedule === "per_hour_worked")
      accrueWorkedHours(this.facts, this.versions, this.coverage, sums, until, receiver);
    else {
      const periods = grantPeriods(policy, assignment.assignedOn);
      this.#postPeriods({ coverage: this.coverage, periods, years, sums, receiver }, until);
    }
  }

  /** What the running period has granted for `day` and later days. */
  grantedFrom(day: Day): Rational {
    return this.#running?.grantedFrom(day) ?? ZERO;
  }

  /** Posts the grants of each period with a covered day (docs/balances.md, Monthly and yearly). */
  #postPeriods(context: ConstructorParameters<typeof PeriodGrant>[0], until: Day): void {
    const { coverage, periods } = context;
    let terms: GrantTerms | null = null;
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
      if (terms?.version !== version) terms = grantTerms(version);
      const grant = new PeriodGrant(context, terms, { n, start, days: next - start, first, last });
      if (grant.postedOn > until) return;
      grant.post();
      this.#running = grant;
      grant.postChanges(until);
      n += 1;
      start = next;
    }
  }
}

/** The sum of all grants up to and including a day, without caps. */
export function grantedThrough(facts: BalanceFacts, day: Day): Rational {
  let sum = ZERO;
  new Accruals(facts, versionsOf(facts), coverageOf(facts)).post(day, {
    accrue: (_, minutes) => {
      sum = add(sum, minutes);
      return minutes;
    },
  });
  return sum;
}
