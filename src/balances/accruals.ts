/** What a schedule grants, before a cap cuts it: the days, the minutes, and how they came about. */
import { addMonths, type Day } from "../time/day.ts";
import type { BalanceFacts, DayMinutes, DayRange, PolicyRules } from "./facts.ts";
import {
  daysText,
  grantPeriods,
  INSTALMENTS_PER_YEAR,
  type Periods,
  periodOf,
  periodStart,
} from "./periods.ts";
import {
  add,
  decimalText,
  divide,
  multiply,
  type Rational,
  rational,
  roundToMultiple,
  share,
  subtract,
  ZERO,
} from "./rational.ts";

/** The days on which an assignment accrues: `first` through `last` without the gaps. Empty if `last` is before `first`. */
export interface Coverage {
  readonly first: Day;
  /** Infinity while no end is known. */
  readonly last: Day;
  /** In order, apart from each other, and inside: `first` and `last` are covered. */
  readonly gaps: readonly DayRange[];
}

/** From the assignment or the worker's start to the worker's end or the assignment's (docs/balances.md, Coverage). */
export function coverageOf({ assignment, worker }: BalanceFacts): Coverage {
  let first = Math.max(assignment.assignedOn, worker.startDate);
  let last = Math.min(assignment.endsOn ?? Infinity, worker.endDate ?? Infinity);
  if (assignment.pauses.length === 0) return { first, last, gaps: [] };
  const gaps: { first: Day; last: Day }[] = [];
  for (const pause of [...assignment.pauses].sort((a, b) => a.first - b.first)) {
    const before = gaps.at(-1);
    if (pause.first <= first) first = Math.max(first, pause.last + 1);
    else if (before !== undefined && pause.first <= before.last + 1)
      before.last = Math.max(before.last, pause.last);
    else gaps.push({ ...pause });
  }
  // A pause that reaches the end brings the end forward.
  while (gaps.length > 0 && gaps.at(-1)!.last >= last) last = Math.min(last, gaps.pop()!.first - 1);
  return { first, last, gaps };
}

export function isCovered(coverage: Coverage, day: Day): boolean {
  return day >= coverage.first && day <= coverage.last && gapOn(coverage, day) === undefined;
}

/** The gap that a day lies in. */
function gapOn({ gaps }: Coverage, day: Day): DayRange | undefined {
  if (gaps.length === 0) return undefined;
  const gap = gaps[firstGapEndingFrom(gaps, day)];
  return gap !== undefined && gap.first <= day ? gap : undefined;
}

/** The index of the first gap that ends on `day` or later. */
function firstGapEndingFrom(gaps: readonly DayRange[], day: Day): number {
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gaps[middle]!.last < day) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the days `from` through `through` are covered. */
function coveredDays({ first, last, gaps }: Coverage, from: Day, through: Day): number {
  const start = Math.max(first, from);
  const end = Math.min(last, through);
  if (start > end) return 0;
  let days = end - start + 1;
  for (let at = firstGapEndingFrom(gaps, start); at < gaps.length && gaps[at]!.first <= end; at++) {
    days -= Math.min(gaps[at]!.last, end) - Math.max(gaps[at]!.first, start) + 1;
  }
  return days;
}

/** Receives what is granted on a day; `detail` is empty unless it was asked for. */
export type Grant = (postedOn: Day, minutes: Rational, detail: string) => void;

/** A tier of this assignment: from which day its amount applies. */
interface ReachedTier {
  readonly months: number;
  readonly reachedOn: Day;
  readonly minutes: number;
}

/**
 * Grants everything that the schedule posts up to and including the day `until`, in order of days. `isExplained` asks
 * for words about each grant.
 */
export function accrue(
  facts: BalanceFacts,
  coverage: Coverage,
  until: Day,
  isExplained: boolean,
  grant: Grant,
): void {
  if (coverage.last < coverage.first) return;
  const { schedule } = facts.policy;
  if (schedule === "monthly" || schedule === "yearly")
    accruePeriods(facts, coverage, until, isExplained, grant);
  if (schedule === "per_hour_worked") accrueWorkedHours(facts, coverage, until, isExplained, grant);
}

/**
 * The sum of all that `accrue` grants up to and including a day, which must not go back from call to call. Where every whole period
 * grants the same, it is one product, however long the history. Null where it takes looking at each grant: with tiers and gaps.
 */
export function accruedThrough(facts: BalanceFacts, coverage: Coverage): ((through: Day) => Rational) | null {
  const { assignment, policy } = facts;
  if (coverage.gaps.length > 0) return null;
  if (policy.schedule === "per_hour_worked") return accruedInHours(facts, coverage);
  if (assignment.minutesPerPeriod === null && policy.rules.tiers !== null) return null;
  return (through) => accruedInPeriods(facts, coverage, through);
}

/** As `accruePeriods` grants them, without tiers and gaps: only the first and the last period can be covered in part. */
function accruedInPeriods({ assignment, policy }: BalanceFacts, coverage: Coverage, until: Day): Rational {
  const { rules } = policy;
  const amount = assignment.minutesPerPeriod ?? policy.minutesPerPeriod;
  if (amount === null || coverage.last < coverage.first) return ZERO;
  const parts = rules.instalments === null ? 1 : INSTALMENTS_PER_YEAR[rules.instalments];
  const whole = instalmentOf(amount, parts);
  const periods = grantPeriods(policy, assignment.assignedOn);
  const firstPeriod = periodOf(periods, coverage.first);
  const lastPeriod = lastPeriodPosted(periods, rules, coverage, until);
  if (lastPeriod < firstPeriod) return ZERO;
  const grantOf = (n: number): Rational => {
    const start = periodStart(periods, n);
    const next = periodStart(periods, n + 1);
    const isWhole = !rules.prorate || (start >= coverage.first && next - 1 <= coverage.last);
    const part = isWhole ? WHOLE : partOf(rules, periods, n, next - start, coverage);
    return rounded(rules, part.of === part.parts ? whole : share(whole, part.parts, part.of));
  };
  const first = grantOf(firstPeriod);
  if (lastPeriod === firstPeriod) return first;
  const between = multiply(rounded(rules, whole), lastPeriod - firstPeriod - 1);
  return add(add(first, between), grantOf(lastPeriod));
}

/** The last period with a covered day whose grant is posted by `until`; one before the first if none is. */
function lastPeriodPosted(
  periods: Periods,
  rules: PolicyRules,
  { first, last }: Coverage,
  until: Day,
): number {
  const { accrualTiming } = rules;
  if (accrualTiming === "start") return until < first ? -Infinity : periodOf(periods, Math.min(until, last));
  // Its last covered day has to come by then.
  const through = accrualTiming === "end" ? until - 1 : until;
  return through >= last ? periodOf(periods, last) : periodOf(periods, through + 1) - 1;
}

/** One grant for each period that has a covered day, and one for each tier reached inside (docs/balances.md, Monthly and yearly). */
function accruePeriods(
  facts: BalanceFacts,
  coverage: Coverage,
  until: Day,
  isExplained: boolean,
  grant: Grant,
): void {
  const { assignment, policy } = facts;
  const { rules } = policy;
  const ownAmount = assignment.minutesPerPeriod;
  const usualAmount = ownAmount ?? policy.minutesPerPeriod;
  if (usualAmount === null) return;
  const tiers = ownAmount === null ? tiersOf(facts) : [];
  const parts = rules.instalments === null ? 1 : INSTALMENTS_PER_YEAR[rules.instalments];
  const hasGaps = coverage.gaps.length > 0;
  const periods = grantPeriods(policy, assignment.assignedOn);
  let tiersReached = 0;
  let amount = usualAmount;
  let whole = instalmentOf(amount, parts);
  let n = periodOf(periods, coverage.first);
  let start = periodStart(periods, n);
  while (start <= coverage.last) {
    let first = Math.max(start, coverage.first);
    if (hasGaps) first = coveredFrom(coverage, first);
    const next = periodStart(periods, n + 1);
    if (first >= next) {
      n = periodOf(periods, first);
      start = periodStart(periods, n);
      continue;
    }
    let last = Math.min(next - 1, coverage.last);
    if (hasGaps) last = coveredThrough(coverage, last);
    const postedOn =
      rules.accrualTiming === "start" ? first : rules.accrualTiming === "end" ? last + 1 : last;
    if (postedOn > until) return;

    while (tiersReached < tiers.length && tiers[tiersReached]!.reachedOn <= first) {
      amount = tiers[tiersReached]!.minutes;
      whole = instalmentOf(amount, parts);
      tiersReached += 1;
    }
    // Most periods are wholly covered: they need no part.
    const isWhole = !rules.prorate || (last - first === next - start - 1 && !hasGaps);
    const part = isWhole ? WHOLE : partOf(rules, periods, n, next - start, coverage);
    const granted = part.of === part.parts ? whole : share(whole, part.parts, part.of);
    const posted = rounded(rules, granted);
    const detail = isExplained
      ? periodDetail(amount, parts, part, first, last) +
        amountDetail(ownAmount, tiers[tiersReached - 1]) +
        roundingDetail(rules, granted, posted)
      : "";
    grant(postedOn, posted, detail);

    if (
      rules.tierFrom === "sameDay" &&
      tiersReached < tiers.length &&
      tiers[tiersReached]!.reachedOn <= last
    ) {
      const period = { amount, parts, days: next - start, granted, posted, postedOn, last };
      grantTiers(facts, coverage, tiers.slice(tiersReached), period, until, isExplained, grant);
    }
    n += 1;
    start = next;
  }
}

/** A period whose own grant is posted, and what that grant was. */
interface GrantedPeriod {
  readonly amount: number;
  readonly parts: number;
  readonly days: number;
  readonly granted: Rational;
  readonly posted: Rational;
  readonly postedOn: Day;
  /** The last covered day. */
  readonly last: Day;
}

/** Grants the differences of the tiers that are reached inside a period (docs/balances.md, Tiers). */
function grantTiers(
  { policy }: BalanceFacts,
  coverage: Coverage,
  tiers: readonly ReachedTier[],
  period: GrantedPeriod,
  until: Day,
  isExplained: boolean,
  grant: Grant,
): void {
  let { amount, granted, posted } = period;
  for (const tier of tiers) {
    const first = coveredFrom(coverage, tier.reachedOn);
    const postedOn = policy.rules.accrualTiming === "start" ? first : period.postedOn;
    if (tier.reachedOn > period.last || postedOn > until) return;
    const days = coveredDays(coverage, first, period.last);
    const change = subtract(rational(tier.minutes), rational(amount));
    granted = add(granted, share(change, days, period.days * period.parts));
    const before = posted;
    posted = rounded(policy.rules, granted);
    const minutes = subtract(posted, before);
    const detail = isExplained ? tierDetail(tier, amount, period, days, first, policy.rules, minutes) : "";
    if (tier.minutes !== amount) grant(postedOn, minutes, detail);
    amount = tier.minutes;
  }
}

/** A covered day: `day` itself, or the first one after it. */
function coveredFrom(coverage: Coverage, day: Day): Day {
  const gap = gapOn(coverage, day);
  return gap === undefined ? day : gap.last + 1;
}

/** A covered day: `day` itself, or the last one before it. */
function coveredThrough(coverage: Coverage, day: Day): Day {
  const gap = gapOn(coverage, day);
  return gap === undefined ? day : gap.first - 1;
}

/** The tiers by months, each with the day on which its months of service are completed. */
function tiersOf({ policy, assignment, worker }: BalanceFacts): readonly ReachedTier[] {
  const { tiers } = policy.rules;
  if (tiers === null) return [];
  const serviceFrom = assignment.serviceFrom ?? worker.startDate;
  return [...tiers]
    .sort((a, b) => a.months - b.months)
    .map(({ months, minutes }) => ({ months, minutes, reachedOn: addMonths(serviceFrom, months) }));
}

/** The part of a period that is granted, `parts / of`, and what it counts. */
interface Part {
  readonly parts: number;
  readonly of: number;
  readonly counts: "days" | "months started" | "full months";
}

const WHOLE: Part = { parts: 1, of: 1, counts: "days" };

/** How much of period `n`, of so many days, is covered: as `prorateBy` measures it. */
function partOf(rules: PolicyRules, periods: Periods, n: number, days: number, coverage: Coverage): Part {
  const start = periodStart(periods, n);
  const covered = coveredDays(coverage, start, start + days - 1);
  if (covered === days) return WHOLE;
  if (rules.prorateBy === "days") return { parts: covered, of: days, counts: "days" };
  const isStarted = rules.prorateBy === "monthsStarted";
  const counts = isStarted ? "months started" : "full months";
  if (periods.unit !== "months" || periods.length !== 12) return { parts: isStarted ? 1 : 0, of: 1, counts };
  const months: Periods = { ...periods, length: 1 };
  let parts = 0;
  for (let month = n * 12; month < (n + 1) * 12; month++) {
    const from = periodStart(months, month);
    const next = periodStart(months, month + 1);
    const inMonth = coveredDays(coverage, from, next - 1);
    if (isStarted ? inMonth > 0 : inMonth === next - from) parts += 1;
  }
  return { parts, of: 12, counts };
}

function rounded({ roundGrantsToMinutes, roundGrants }: PolicyRules, minutes: Rational): Rational {
  if (roundGrantsToMinutes === null) return minutes;
  return roundToMultiple(minutes, rational(roundGrantsToMinutes), roundGrants);
}

function instalmentOf(amount: number, parts: number): Rational {
  return parts === 1 ? rational(amount) : share(rational(amount), 1, parts);
}

/** `600 × 29/30 for 2024-09-02 to 2024-09-30`. */
function periodDetail(amount: number, parts: number, part: Part, first: Day, last: Day): string {
  if (part.parts === 0) return `0 of ${amount} for ${daysText(first, last)}: only ${part.counts} count`;
  const instalment = parts === 1 ? "" : ` ÷ ${parts}`;
  const share = part.parts === part.of ? "" : ` × ${part.parts}/${part.of}`;
  const counts = share === "" || part.counts === "days" ? "" : ` (${part.counts})`;
  return `${amount}${instalment}${share}${counts} for ${daysText(first, last)}`;
}

function amountDetail(ownAmount: number | null, tier: ReachedTier | undefined): string {
  if (ownAmount !== null) return "; this worker's own amount";
  return tier === undefined ? "" : `; the amount after ${tier.months} months of service`;
}

/** `(800 − 600) × 17/31 for 2024-07-15 to 2024-07-31; the amount after 60 months of service`. */
function tierDetail(
  tier: ReachedTier,
  amountBefore: number,
  period: GrantedPeriod,
  days: number,
  first: Day,
  rules: PolicyRules,
  minutes: Rational,
): string {
  const instalment = period.parts === 1 ? "" : ` ÷ ${period.parts}`;
  const part = days === period.days ? "" : ` × ${days}/${period.days}`;
  const change = subtract(rational(tier.minutes), rational(amountBefore));
  const exactly = share(change, days, period.days * period.parts);
  return (
    `(${tier.minutes} − ${amountBefore})${instalment}${part} for ${daysText(first, period.last)}` +
    amountDetail(null, tier) +
    roundingDetail(rules, exactly, minutes)
  );
}

function roundingDetail(
  { roundGrantsToMinutes, roundGrants }: PolicyRules,
  from: Rational,
  to: Rational,
): string {
  if (roundGrantsToMinutes === null || decimalText(from) === decimalText(to)) return "";
  const how = roundGrants === "nearest" ? "to the nearest" : `${roundGrants} to a`;
  return `; ${decimalText(from)} rounded ${how} multiple of ${roundGrantsToMinutes}`;
}

/** As `accrueWorkedHours` grants them. The hours are summed before they are multiplied. */
function accruedInHours(facts: BalanceFacts, coverage: Coverage): (through: Day) => Rational {
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

/** One grant for each entry on a covered day; chunks filled in part count (docs/balances.md, Per hour worked). */
function accrueWorkedHours(
  facts: BalanceFacts,
  coverage: Coverage,
  until: Day,
  isExplained: boolean,
  grant: Grant,
): void {
  const rate = minutesPerWorkedMinute(facts);
  if (rate === null) return;
  const { minutesPerChunk, hoursWorkedPerChunk } = facts.policy;
  for (const { day, minutes } of inOrder(facts.workedHours)) {
    if (day > until || !isCovered(coverage, day)) continue;
    const hours = () => decimalText(divide(rational(minutes), rational(60)));
    const detail = isExplained ? `${minutesPerChunk} × ${hours()}/${hoursWorkedPerChunk} hours worked` : "";
    grant(day, multiply(rate, rational(minutes)), detail);
  }
}

interface Entry extends DayMinutes {
  readonly id?: string;
}

/**
 * Entries by day, then by minutes, then by id: a cap cuts the same whatever order they came in, and an explanation has
 * one order. Sorted entries are not copied.
 */
export function inOrder<E extends Entry>(entries: readonly E[]): readonly E[] {
  for (let at = 1; at < entries.length; at++)
    if (compare(entries[at - 1]!, entries[at]!) > 0) return [...entries].sort(compare);
  return entries;
}

function compare(a: Entry, b: Entry): number {
  const byMinutes = a.day - b.day || a.minutes - b.minutes;
  if (byMinutes !== 0 || a.id === undefined || b.id === undefined) return byMinutes;
  return a.id < b.id ? -1 : 1;
}
