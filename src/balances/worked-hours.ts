/** What hours worked grant (docs/balances.md, Per hour worked). */
import { type Day, formatDay } from "../time/day.ts";
import { type Coverage, coveredThrough, type GrantReceiver, isCovered } from "./coverage.ts";
import { type BalanceFacts, inOrder } from "./facts.ts";
import { payPeriods, periodOf, periodStart } from "./periods.ts";
import {
  add,
  decimalText,
  divide,
  multiply,
  type Rational,
  rational,
  roundToMultiple,
  sign,
  subtract,
  ZERO,
} from "./rational.ts";
import { type FactorStep, factorSteps } from "./working-time.ts";

/** As `accrueWorkedHours` grants them. The hours are summed before they are multiplied. */
export function accruedInHours(facts: BalanceFacts, coverage: Coverage): (through: Day) => Rational {
  const rate = minutesPerWorkedMinute(facts);
  if (rate === null) return () => ZERO;
  const entries = inOrder(facts.workedHours);
  let next = 0;
  let worked = ZERO;
  return (through) => {
    for (; next < entries.length && entries[next]!.day <= through; next++) {
      const { day, minutes } = entries[next]!;
      if (isCovered(coverage, day)) worked = add(worked, rational(minutes));
    }
    return multiply(rate, worked);
  };
}

function minutesPerWorkedMinute({ policy }: BalanceFacts): Rational | null {
  const { minutesPerChunk, hoursWorkedPerChunk } = policy;
  if (minutesPerChunk === null || hoursWorkedPerChunk === null) return null;
  return divide(rational(minutesPerChunk), multiply(rational(hoursWorkedPerChunk), rational(60)));
}

/** One grant for each entry on a covered day, or for each pay period (docs/balances.md, Per hour worked). */
export function accrueWorkedHours(
  facts: BalanceFacts,
  coverage: Coverage,
  until: Day,
  isExplained: boolean,
  receiver: GrantReceiver,
): void {
  const rate = minutesPerWorkedMinute(facts);
  if (rate === null) return;
  const { minutesPerChunk, hoursWorkedPerChunk, rules } = facts.policy;
  const steps = factorSteps(facts);
  const entries = inOrder(facts.workedHours)
    .filter(({ day }) => day <= until && isCovered(coverage, day))
    .map(({ day, minutes }) => ({ day, minutes: scaled(rational(minutes), day, steps) }));
  const grant = (day: Day, minutes: Rational, earnedFrom: Day, days: string) => {
    const exact = multiply(rate, minutes);
    const unit = rules.roundGrantsToMinutes;
    const posted = unit === null ? exact : roundToMultiple(exact, rational(unit), rules.roundGrants);
    let detail = "";
    if (isExplained) {
      detail = `${minutesPerChunk} × ${decimalText(divide(minutes, 60))}/${hoursWorkedPerChunk} hours worked${days}`;
      if (sign(subtract(posted, exact)) !== 0)
        detail += `; ${decimalText(exact)} rounded to a multiple of ${unit}`;
    }
    receiver.accrue(day, posted, earnedFrom, detail);
  };
  if (rules.payPeriods === null) {
    for (const { day, minutes } of entries) grant(day, minutes, day, "");
    return;
  }
  const periods = payPeriods(rules.payPeriods, rules.payPeriodsFrom);
  for (const [n, inPeriod] of Map.groupBy(entries, ({ day }) => periodOf(periods, day))) {
    const start = periodStart(periods, n);
    const last = coveredThrough(coverage, Math.min(periodStart(periods, n + 1) - 1, coverage.last));
    if (last > until) return;
    const minutes = inPeriod.reduce<Rational>((sum, one) => add(sum, one.minutes), ZERO);
    grant(last, minutes, inPeriod[0]!.day, ` in the pay period from ${formatDay(start)}`);
  }
}

/** Hours are scaled by the rate of their day. */
function scaled(minutes: Rational, day: Day, steps: readonly FactorStep[] | null): Rational {
  if (steps === null) return minutes;
  return multiply(minutes, steps.findLast(({ from }) => from <= day)!.factor); // the first is from the beginning
}
