/** What a schedule grants, before a cap cuts it: the days, the minutes, and how they came about. */
import { type Day, formatDay } from "../time/day.ts";
import {
  type Coverage,
  coveredDays,
  coveredFrom,
  coveredThrough,
  type GrantReceiver,
  isCovered,
} from "./coverage.ts";
import type { BalanceFacts, PolicyRules } from "./facts.ts";
import {
  daysText,
  grantPeriods,
  INSTALMENTS_PER_YEAR,
  leaveYears,
  type Periods,
  periodOf,
  periodStart,
} from "./periods.ts";
import {
  add,
  atLeastZero,
  decimalText,
  divide,
  multiply,
  negate,
  type Rational,
  rational,
  roundToMultiple,
  share,
  sign,
  smaller,
  subtract,
  ZERO,
} from "./rational.ts";
import { type ReachedTier, reachedTiers, serviceDay, tierOn } from "./service.ts";
import { accruedInHours, accrueWorkedHours } from "./worked-hours.ts";
import { type FactorStep, factorSteps } from "./working-time.ts";

/** Grants all that the schedule posts up to and including `until`. `isExplained` asks for words about each grant. */
export function accrue(
  facts: BalanceFacts,
  coverage: Coverage,
  until: Day,
  isExplained: boolean,
  receiver: GrantReceiver,
): void {
  if (coverage.last < coverage.first) return;
  const { schedule } = facts.policy;
  if (schedule === "monthly" || schedule === "yearly")
    accruePeriods(facts, coverage, until, isExplained, receiver);
  if (schedule === "per_hour_worked") accrueWorkedHours(facts, coverage, until, isExplained, receiver);
}

/**
 * The sum of all that `accrue` grants up to and including a day, which must not go back from call to call. Where every whole period
 * grants the same, it is one product, however long the history. Null where it takes looking at each grant: with gaps, tiers, and what else
 * changes the amount.
 */
export function accruedThrough(facts: BalanceFacts, coverage: Coverage): ((through: Day) => Rational) | null {
  const { assignment, policy } = facts;
  const { rules } = policy;
  if (coverage.gaps.length > 0 || factorSteps(facts) !== null || rules.payPeriods !== null) return null;
  if (policy.schedule === "per_hour_worked") return accruedInHours(facts, coverage);
  if (assignment.minutesPerPeriod === null && rules.tiers !== null) return null;
  if (rules.roundSumToMinutes !== null || rules.firstYearWholeAfterMonths !== null) return null;
  if (rules.instalments === "daily") return null;
  return (through) => accruedInPeriods(facts, coverage, through);
}

/** As `accruePeriods` grants them, without tiers and gaps: only the first and the last period can be covered in part. */
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

/** A period with a covered day. */
interface Period {
  readonly n: number;
  readonly start: Day;
  readonly days: number;
  /** Its first and its last covered day. */
  readonly first: Day;
  readonly last: Day;
}

/** Grants what each period with a covered day grants (docs/balances.md, Monthly and yearly). */
function accruePeriods(
  facts: BalanceFacts,
  coverage: Coverage,
  until: Day,
  isExplained: boolean,
  receiver: GrantReceiver,
): void {
  const grants = new PeriodGrants(facts, coverage, isExplained, receiver);
  const hasGaps = coverage.gaps.length > 0;
  const periods = grantPeriods(facts.policy, facts.assignment.assignedOn);
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
    if (!grants.post({ n, start, days: next - start, first, last }, until)) return;
    n += 1;
    start = next;
  }
}

/** Days inside a period on which what it grants in all changes. */
interface Change {
  readonly on: Day;
  /** In words. */
  readonly detail: () => string;
}

/** A tier that is reached inside a period. */
interface TierInside {
  readonly tier: ReachedTier;
  /** The amount before. */
  readonly before: number;
  /** The first covered day on which it applies. */
  readonly on: Day;
}

const NO_CHANGES: readonly Change[] = [];

/** What the periods of one leave year have granted, for rounding its sum. */
interface YearSoFar {
  readonly n: number;
  readonly exact: Rational;
  readonly posted: Rational;
}

/**
 * Grants what one period after the other grants. What a period grants in all may change on a day inside: a tier is reached, the share of
 * full time or the rate becomes another, the first year becomes whole. `#total` says it, as it is known on a day.
 */
class PeriodGrants {
  readonly #facts: BalanceFacts;
  readonly #rules: PolicyRules;
  readonly #coverage: Coverage;
  readonly #isExplained: boolean;
  readonly #receiver: GrantReceiver;
  readonly #periods: Periods;
  readonly #years: Periods;
  readonly #usualAmount: number;
  readonly #tiers: readonly ReachedTier[];
  readonly #steps: readonly FactorStep[] | null;
  /** The day from which the first year grants all of its amount; Infinity: it does not. */
  readonly #firstYearWholeOn: Day;
  #year: YearSoFar = { n: -Infinity, exact: ZERO, posted: ZERO };
  /** The share on the last covered day that was looked at. */
  #share: Rational | null = null;

  constructor(facts: BalanceFacts, coverage: Coverage, isExplained: boolean, receiver: GrantReceiver) {
    const { assignment, policy } = facts;
    const { rules } = policy;
    this.#facts = facts;
    this.#rules = rules;
    this.#coverage = coverage;
    this.#isExplained = isExplained;
    this.#receiver = receiver;
    this.#periods = grantPeriods(policy, assignment.assignedOn);
    this.#years = leaveYears(rules, assignment.assignedOn);
    this.#usualAmount = usualAmount(facts);
    this.#tiers = assignment.minutesPerPeriod === null ? reachedTiers(facts, rules.tiers) : [];
    this.#steps = factorSteps(facts);
    const months = rules.firstYearWholeAfterMonths;
    this.#firstYearWholeOn = months === null ? Infinity : serviceDay(facts, months);
  }

  /** Grants what a period grants up to `until`; with `start`, a change on its day. False if the period's grant comes later. */
  post(period: Period, until: Day): boolean {
    const { accrualTiming } = this.#rules;
    const { first, last } = period;
    const isAtStart = accrualTiming === "start";
    const postedOn = isAtStart ? first : accrualTiming === "end" ? last + 1 : last;
    const changes = this.#changes(period);
    this.#revalue(first, until, ZERO);
    if (!isAtStart) for (const { on } of changes) this.#revalue(on, until, ZERO);
    if (postedOn > until) return false;
    // What is left is revalued before the day's grants.
    if (postedOn > last && isCovered(this.#coverage, postedOn)) this.#revalue(postedOn, until, ZERO);

    let total = this.#total(period, isAtStart ? first : last);
    let posted = this.#rounded(period, total);
    let net = this.#receiver.accrue(
      postedOn,
      posted,
      first,
      this.#isExplained ? this.#detail(period, total, posted, isAtStart ? NO_CHANGES : changes) : "",
    );
    for (const change of isAtStart ? changes : NO_CHANGES) {
      if (change.on > until) break;
      this.#revalue(change.on, until, smaller(net, this.#grantedFrom(period, change.on)));
      const before = posted;
      const totalBefore = total;
      total = this.#total(period, change.on);
      if (sign(subtract(total, totalBefore)) === 0) continue;
      posted = this.#rounded(period, total);
      const difference = subtract(posted, before);
      // What a cap cut from the period's grants is not taken a second time.
      const excess = atLeastZero(subtract(net, posted));
      const minutes = sign(difference) < 0 ? negate(smaller(negate(difference), excess)) : difference;
      let words = "";
      if (this.#isExplained) {
        words = change.detail();
        if (this.#isRounded)
          words += `; the period's total of ${decimalText(total)} is ${decimalText(posted)} once rounded, ${decimalText(before)} were granted before`;
        if (sign(subtract(minutes, difference)) !== 0) words += `; only what a cap had not cut is taken`;
      }
      net = add(net, this.#receiver.accrue(change.on, minutes, change.on, words));
    }
    if (this.#rules.roundSumToMinutes !== null) {
      const { n, exact, posted: before } = this.#yearOf(period);
      this.#year = { n, exact: add(exact, total), posted: add(before, posted) };
    }
    return true;
  }

  /** The changes inside a period, in order of days: at most one for a day. */
  #changes(period: Period): readonly Change[] {
    const { start, days, first, last } = period;
    const changes: Change[] = [];
    const isInside = (day: Day) => day > first && day <= last;
    if (this.#rules.tierFrom !== "nextPeriod")
      for (const reached of this.#tiersInside(period))
        changes.push({ on: reached.on, detail: () => this.#tierDetail(reached, period) });
    const wholeOn = this.#firstYearWholeOn;
    if (isInside(wholeOn) && this.#isFirst(start, days))
      changes.push({
        on: coveredFrom(this.#coverage, wholeOn),
        detail: () => `the rest of the year, as ${formatDay(wholeOn)} is reached`,
      });
    for (const step of this.#steps ?? [])
      if (isInside(step.from))
        changes.push({ on: coveredFrom(this.#coverage, step.from), detail: () => this.#stepDetail(step) });
    if (changes.length < 2) return changes;
    return [...Map.groupBy(changes, ({ on }) => on)]
      .map(([on, same]) => ({ on, detail: () => same.map(({ detail }) => detail()).join(", ") }))
      .sort((a, b) => a.on - b.on);
  }

  #isFirst(start: Day, days: number): boolean {
    return start <= this.#coverage.first && this.#coverage.first < start + days;
  }

  #amountOn(day: Day): number {
    return tierOn(this.#tiers, day)?.minutes ?? this.#usualAmount;
  }

  /** What a period grants in all, with the changes up to and including a day. */
  #total(period: Period, known: Day): Rational {
    const { start, days, first, last } = period;
    const part = this.#part(period, known);
    const parts = this.#partsOfYear(start);
    let total = shareOf(instalmentOf(this.#amountOn(first), parts), part);
    const { tierFrom } = this.#rules;
    if (this.#steps !== null)
      total = multiply(
        total,
        divide(this.#weight(first, last, known), coveredDays(this.#coverage, first, last)),
      );
    if (tierFrom === "nextPeriod") return total;
    for (const { tier, before, on } of this.#tiersInside(period)) {
      if (on > known) continue;
      const change = subtract(rational(tier.minutes), rational(before));
      total =
        tierFrom === "sameDay"
          ? add(total, share(multiply(change, this.#weight(on, last, known)), 1, days * parts))
          : add(total, shareOf(multiply(change, this.#average(first, last, known)), part));
    }
    return total;
  }

  /** The part of what was known the day before that is for a day and those after it. */
  #grantedFrom(period: Period, day: Day): Rational {
    if (this.#rules.revalue === "none") return ZERO;
    const { first, last } = period;
    const all = this.#weight(first, last, day - 1);
    if (sign(all) === 0) return ZERO;
    return multiply(this.#total(period, day - 1), divide(this.#weight(day, last, day - 1), all));
  }

  #tiersInside({ first, last }: Period): readonly TierInside[] {
    let amount = this.#amountOn(first);
    const inside: TierInside[] = [];
    for (const tier of this.#tiers) {
      if (tier.reachedOn <= first || tier.reachedOn > last) continue;
      inside.push({ tier, before: amount, on: coveredFrom(this.#coverage, tier.reachedOn) });
      amount = tier.minutes;
    }
    return inside;
  }

  /** Covered days, each times its factor; those after `known` have that of `known`. */
  #weight(from: Day, through: Day, known: Day): Rational {
    if (this.#steps === null) return coveredDays(this.#coverage, from, through);
    let sum = ZERO;
    for (const [at, step] of this.#steps.entries()) {
      if (step.from > known) break;
      const next = this.#steps[at + 1]?.from ?? Infinity;
      const last = next > known ? through : Math.min(through, next - 1);
      const days = coveredDays(this.#coverage, Math.max(from, step.from), last);
      sum = add(sum, multiply(step.factor, days));
    }
    return sum;
  }

  #average(from: Day, through: Day, known: Day): Rational {
    return divide(this.#weight(from, through, known), coveredDays(this.#coverage, from, through));
  }

  #part({ n, start, days, first, last }: Period, known: Day): Part {
    // Most periods are wholly covered: they need no part.
    const isWhole = last - first === days - 1 && this.#coverage.gaps.length === 0;
    if (!this.#rules.prorate || isWhole) return WHOLE;
    let { prorateBy } = this.#rules;
    if (this.#rules.firstYearWholeAfterMonths !== null && this.#isFirst(start, days)) {
      const wholeOn = this.#firstYearWholeOn;
      if (wholeOn <= last && coveredFrom(this.#coverage, wholeOn) <= known) return WHOLE;
      prorateBy = "fullMonths";
    }
    return partOf(prorateBy, this.#periods, n, start, days, this.#coverage);
  }

  /** Into how many instalments a year's amount is divided. */
  #partsOfYear(day: Day): number {
    const { instalments } = this.#rules;
    if (instalments === null) return 1;
    if (instalments !== "daily") return INSTALMENTS_PER_YEAR[instalments];
    const n = periodOf(this.#years, day);
    return periodStart(this.#years, n + 1) - periodStart(this.#years, n);
  }

  get #isRounded(): boolean {
    return this.#rules.roundGrantsToMinutes !== null || this.#rules.roundSumToMinutes !== null;
  }

  /** What of a period's total is posted in all. */
  #rounded(period: Period, total: Rational): Rational {
    const { roundSumToMinutes, roundSum, roundSumOn } = this.#rules;
    if (roundSumToMinutes === null) return rounded(this.#rules, total);
    const { exact, posted } = this.#yearOf(period);
    const sum = add(exact, total);
    if (roundSumOn === "yearEnd" && !this.#endsYear(period)) return subtract(sum, posted);
    return subtract(roundedSum(sum, rational(roundSumToMinutes), roundSum), posted);
  }

  /** What the leave year of a period's first covered day has granted before the period. */
  #yearOf({ first }: Period): YearSoFar {
    const n = periodOf(this.#years, first);
    return n === this.#year.n ? this.#year : { n, exact: ZERO, posted: ZERO };
  }

  /** Whether no later period of the same leave year has a covered day. */
  #endsYear({ start, days, first }: Period): boolean {
    const next = coveredFrom(this.#coverage, start + days);
    return next > this.#coverage.last || periodOf(this.#years, next) !== periodOf(this.#years, first);
  }

  /** Tells of a share that is another one than on the covered day before. `granted`: what running periods granted for later days. */
  #revalue(day: Day, until: Day, granted: Rational): void {
    if (this.#rules.revalue === "none" || this.#steps === null || day > until) return;
    const { share: now } = this.#steps.findLast(({ from }) => from <= day)!; // the first is from the beginning
    const before = this.#share;
    this.#share = now;
    if (before === null || sign(before) === 0 || sign(subtract(before, now)) === 0) return;
    const detail = this.#isExplained
      ? `what is left × ${decimalText(now)} ÷ ${decimalText(before)}, as the share of full time changes`
      : "";
    this.#receiver.revalue(day, granted, divide(now, before), detail);
  }

  /** `600 × 29/30 for 2024-09-02 to 2024-09-30`, with what changed inside if that is granted together. */
  #detail(period: Period, total: Rational, posted: Rational, changes: readonly Change[]): string {
    const { start, first, last } = period;
    const isOwn = this.#facts.assignment.minutesPerPeriod !== null;
    const tier = tierOn(this.#tiers, first);
    const part = this.#part(period, first);
    let words = periodDetail(this.#amountOn(first), this.#partsOfYear(start), part, first, last);
    if (isOwn) words += "; this worker's own amount";
    else if (tier !== undefined) words += `; the amount after ${tier.months} months of service`;
    const step = this.#steps?.findLast(({ from }) => from <= first);
    if (step !== undefined && sign(subtract(step.factor, 1)) !== 0) words += `; ${this.#stepDetail(step)}`;
    for (const change of changes) words += ` + ${change.detail()}`;
    if (changes.length > 0) words += `; ${decimalText(total)} in all`;
    if (this.#rules.roundSumToMinutes === null) return words + roundingDetail(this.#rules, total, posted);
    if (decimalText(total) === decimalText(posted)) return words;
    return `${words}; ${decimalText(total)} become ${decimalText(posted)} by rounding the year's sum`;
  }

  #stepDetail({ from, share, factor }: FactorStep): string {
    const since = from === -Infinity ? "" : ` from ${formatDay(from)} on`;
    const isShare = sign(subtract(share, factor)) === 0;
    return `${isShare ? `a share of ${decimalText(share)} of full time` : `× ${decimalText(factor)}, share and rate`}${since}`;
  }

  /** `(800 − 600) × 17/31 for 2024-07-15 to 2024-07-31; the amount after 60 months of service`. */
  #tierDetail({ tier, before, on }: TierInside, { start, days, last }: Period): string {
    const why = `the amount after ${tier.months} months of service`;
    if (this.#rules.tierFrom === "sameYear") return `(${tier.minutes} − ${before}) for the year; ${why}`;
    const parts = this.#partsOfYear(start);
    const covered = coveredDays(this.#coverage, on, last);
    const part = covered === days ? "" : ` × ${covered}/${days}`;
    return `(${tier.minutes} − ${before})${parts === 1 ? "" : ` ÷ ${parts}`}${part} for ${daysText(on, last)}; ${why}`;
  }
}

/** What a whole period grants before tiers. */
function usualAmount({ assignment, policy }: BalanceFacts): number {
  return assignment.minutesPerPeriod ?? policy.minutesPerPeriod ?? 0;
}

function roundedSum(sum: Rational, unit: Rational, how: PolicyRules["roundSum"]): Rational {
  if (how !== "halfUpKeep") return roundToMultiple(sum, unit, how);
  const nearest = roundToMultiple(sum, unit, "nearest");
  return smaller(sum, nearest) === sum ? nearest : sum;
}

/** The part of a period that is granted, `parts / of`, and what it counts. */
interface Part {
  readonly parts: number;
  readonly of: number;
  readonly counts: "days" | "months started" | "months of at least 15 days" | "full months";
}

const WHOLE: Part = { parts: 1, of: 1, counts: "days" };

const TWELFTHS = {
  monthsStarted: "months started",
  halfMonths: "months of at least 15 days",
  fullMonths: "full months",
} as const;

/** How much of period `n`, of so many days, is covered. */
function partOf(
  prorateBy: PolicyRules["prorateBy"],
  periods: Periods,
  n: number,
  start: Day,
  days: number,
  coverage: Coverage,
): Part {
  const covered = coveredDays(coverage, start, start + days - 1);
  if (covered === days) return WHOLE;
  if (prorateBy === "days") return { parts: covered, of: days, counts: "days" };
  const counts = TWELFTHS[prorateBy];
  const isCounted = (inMonth: number, ofMonth: number) =>
    inMonth >= { monthsStarted: 1, halfMonths: 15, fullMonths: ofMonth }[prorateBy];
  if (periods.unit !== "months" || periods.length !== 12)
    return { parts: isCounted(covered, days) ? 1 : 0, of: 1, counts };
  const months: Periods = { ...periods, length: 1 };
  let parts = 0;
  for (let month = n * 12; month < (n + 1) * 12; month++) {
    const from = periodStart(months, month);
    const next = periodStart(months, month + 1);
    if (isCounted(coveredDays(coverage, from, next - 1), next - from)) parts += 1;
  }
  return { parts, of: 12, counts };
}

function shareOf(minutes: Rational, { parts, of }: Part): Rational {
  return parts === of ? minutes : share(minutes, parts, of);
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

function roundingDetail(
  { roundGrantsToMinutes, roundGrants }: PolicyRules,
  from: Rational,
  to: Rational,
): string {
  if (roundGrantsToMinutes === null || decimalText(from) === decimalText(to)) return "";
  const how = roundGrants === "nearest" ? "to the nearest" : `${roundGrants} to a`;
  return `; ${decimalText(from)} rounded ${how} multiple of ${roundGrantsToMinutes}`;
}
