/** What a schedule grants, before a cap cuts it: the days and the minutes. */
import type { Day } from "../time/day.ts";
import type { BalanceFacts, DayMinutes } from "./facts.ts";
import { periodOf, periodStart, periodsOf } from "./periods.ts";
import { divide, multiply, type Rational, rational, share } from "./rational.ts";

/** The days on which an assignment accrues, both included; empty when `last` is before `first`. */
export interface Coverage {
  readonly first: Day;
  /** Infinity while no end is known. */
  readonly last: Day;
}

/** From the assignment or the worker's start through the worker's end or the assignment's (docs/balances.md, Coverage). */
export function coverageOf({ assignment, worker }: BalanceFacts): Coverage {
  return {
    first: Math.max(assignment.assignedOn, worker.startDate),
    last: Math.min(assignment.endsOn ?? Infinity, worker.endDate ?? Infinity),
  };
}

/** Receives what is granted on a day. */
export type Grant = (postedOn: Day, minutes: Rational) => void;

/** Grants everything the schedule posts up to and including the day `until`, in order of days. */
export function accrue(facts: BalanceFacts, coverage: Coverage, until: Day, grant: Grant): void {
  if (coverage.last < coverage.first) return;
  if (facts.policy.schedule === "monthly") accruePeriods(facts, 1, coverage, until, grant);
  if (facts.policy.schedule === "yearly") accruePeriods(facts, 12, coverage, until, grant);
  if (facts.policy.schedule === "per_hour_worked") accrueWorkedHours(facts, coverage, until, grant);
}

/** One grant for each period that the coverage touches (docs/balances.md, Monthly and yearly). */
function accruePeriods(
  facts: BalanceFacts,
  months: 1 | 12,
  coverage: Coverage,
  until: Day,
  grant: Grant,
): void {
  const { minutesPerPeriod, rules } = facts.policy;
  if (minutesPerPeriod === null) return;
  const whole = rational(minutesPerPeriod);
  const periods = periodsOf(rules.periodAnchor, months, facts.assignment.assignedOn);
  let n = periodOf(periods, coverage.first);
  let start = periodStart(periods, n);
  while (start <= coverage.last) {
    n += 1;
    const next = periodStart(periods, n);
    const firstCovered = Math.max(start, coverage.first);
    const lastCovered = Math.min(next - 1, coverage.last);
    const postedOn = rules.accrualTiming === "start" ? firstCovered : lastCovered + 1;
    if (postedOn > until) return;
    const coveredDays = lastCovered - firstCovered + 1;
    const periodDays = next - start;
    const isWhole = coveredDays === periodDays || !rules.prorate;
    grant(postedOn, isWhole ? whole : share(whole, coveredDays, periodDays));
    start = next;
  }
}

/** One grant for each entry inside the coverage; part-filled chunks count (docs/balances.md, Per hour worked). */
function accrueWorkedHours(facts: BalanceFacts, coverage: Coverage, until: Day, grant: Grant): void {
  const { minutesPerChunk, hoursWorkedPerChunk } = facts.policy;
  if (minutesPerChunk === null || hoursWorkedPerChunk === null) return;
  const minutesWorkedPerChunk = multiply(rational(hoursWorkedPerChunk), rational(60));
  const rate = divide(rational(minutesPerChunk), minutesWorkedPerChunk);
  const last = Math.min(coverage.last, until);
  for (const { day, minutes } of inOrder(facts.workedHours)) {
    if (day >= coverage.first && day <= last) grant(day, multiply(rate, rational(minutes)));
  }
}

/** Entries by day, then by minutes, so that a cap cuts the same whatever order they came in. Rows that are sorted are not copied. */
export function inOrder(entries: readonly DayMinutes[]): readonly DayMinutes[] {
  const isOrdered = entries.every((entry, at) => at === 0 || compare(entries[at - 1]!, entry) <= 0);
  return isOrdered ? entries : [...entries].sort(compare);
}

function compare(a: DayMinutes, b: DayMinutes): number {
  return a.day - b.day || a.minutes - b.minutes;
}
