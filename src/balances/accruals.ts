/** The grants of a schedule before caps: days, minutes, and how each amount came about. */
import { addMonths, type Day, formatDay } from "../time/day.ts";
import { type Coverage, coveredDays, coveredFrom, coveredThrough, isCovered } from "./coverage.ts";
import { type Detail, type DetailPart, fractionOf, part, rangeOf } from "./detail.ts";
import type { BalanceFacts, PolicyRules } from "./facts.ts";
import {
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
  divide,
  isEqual,
  multiply,
  negate,
  type Rational,
  rational,
  sign,
  smaller,
  subtract,
  ZERO,
} from "./rational.ts";
import { roundingDetail, YearSums } from "./rounding.ts";
import { type ReachedTier, reachedTiers, serviceDay, tierOn } from "./service.ts";
import { type Version, versionDetail, versionOn } from "./versions.ts";
import { accrueWorkedHours, type GrantReceiver } from "./worked-hours.ts";
import { type FactorStep, factorSteps } from "./working-time.ts";

/** The grants of an assignment, in order of days. */
export class Accruals {
  readonly periods: Periods;
  readonly years: Periods;
  readonly sums: YearSums;
  /** The last period that granted anything. */
  running: PeriodGrant | null = null;

  constructor(
    private readonly facts: BalanceFacts,
    private readonly versions: readonly Version[],
    readonly coverage: Coverage,
    readonly receiver: GrantReceiver,
  ) {
    const { policy, assignment } = facts;
    this.periods = grantPeriods(policy, assignment.assignedOn);
    this.years = leaveYears(policy.rules, assignment.assignedOn);
    const roundsSums = versions.some(({ rules }) => rules.roundSumToMinutes !== null);
    this.sums = new YearSums(this.years, roundsSums);
  }

  /** Posts all grants up to and including `until`. */
  post(until: Day): void {
    const { facts, versions, coverage, sums, receiver } = this;
    if (coverage.last < coverage.first) return;
    if (facts.policy.schedule === "per_hour_worked")
      accrueWorkedHours(facts, versions, coverage, sums, until, receiver);
    else this.#postPeriods(until);
  }

  /** Posts the grants of each period with a covered day (docs/balances.md, Monthly and yearly). */
  #postPeriods(until: Day): void {
    const { coverage, periods } = this;
    let terms: GrantTerms | null = null;
    let n = periodOf(periods, coverage.first);
    let start = periodStart(periods, n);
    while (start <= coverage.last) {
      const first = coveredFrom(coverage, start);
      const next = periodStart(periods, n + 1);
      if (first >= next) {
        // The period has no covered day: go on with that of the next one.
        n = periodOf(periods, first);
        start = periodStart(periods, n);
        continue;
      }
      const last = coveredThrough(coverage, next - 1);
      const version = versionOn(this.versions, first);
      if (terms?.version !== version) terms = grantTerms(version);
      const grant = new PeriodGrant(this, terms, { n, start, days: next - start, first, last });
      if (grant.postedOn > until) return;
      grant.post(until);
      n += 1;
      start = next;
    }
  }
}

/** A version of a policy, with what its grants need ready to use. */
type GrantTerms = ReturnType<typeof grantTerms>;

function grantTerms(version: Version) {
  const { facts, rules } = version;
  const { assignment, policy } = facts;
  const isByWeeks = rules.revalue === "weeks";
  const months = rules.firstYearWholeAfterMonths;
  const steps = factorSteps(facts, isByWeeks ? "none" : rules.scaleWith);
  return {
    version,
    rules,
    /** The amount of a whole period before tiers. */
    usualAmount: assignment.minutesPerPeriod ?? policy.minutesPerPeriod ?? 0,
    tiers: assignment.minutesPerPeriod === null ? reachedTiers(facts, rules.tiers) : [],
    steps,
    /** The shares that make minutes of weeks (docs/balances.md, Shares and rates); null if grants are minutes. Then `steps` has only rates. */
    weekShares: isByWeeks ? factorSteps({ ...facts, assignment: { ...assignment, rates: [] } }) : null,
    /** The day from which the first year grants its whole amount; Infinity: never. */
    firstYearWholeOn: months === null ? Infinity : serviceDay(facts, months),
    /** Whether no period's total can change inside it. */
    isSteady: months === null && steps === null && rules.tierFrom === "nextPeriod",
  };
}

/** A day inside a period on which its total changes. */
interface Change {
  readonly on: Day;
  readonly detail: Detail;
}

interface TierInside {
  readonly tier: ReachedTier;
  /** The amount before the tier. */
  readonly before: number;
  /** The first covered day on which it applies. */
  readonly on: Day;
}

const NO_CHANGES: readonly Change[] = [];

/**
 * The grant of a period. Its total may change on a day inside it: a tier is reached, the share of full time or the rate changes, or the
 * first year becomes whole. `#totalOn` computes it as known on a day.
 */
class PeriodGrant {
  readonly postedOn: Day;
  readonly #isAtStart: boolean;
  readonly #instalments: number;
  /** The total as last posted, before it is multiplied with the share of weeks. */
  #total: Rational = ZERO;
  /** What caps leave of all that was posted. */
  #net: Rational = ZERO;

  constructor(
    private readonly accruals: Accruals,
    private readonly terms: GrantTerms,
    private readonly period: GrantPeriod,
  ) {
    const { accrualTiming } = terms.rules;
    this.#isAtStart = accrualTiming === "start";
    this.postedOn = this.#isAtStart ? period.first : accrualTiming === "end" ? period.last + 1 : period.last;
    this.#instalments = instalmentsOf(terms.rules, accruals.years, period.start);
  }

  /** Posts the grant. With timing `start`, also posts each change inside the period on its day, up to `until`. */
  post(until: Day): void {
    const { first, last } = this.period;
    const { rules, isSteady } = this.terms;
    const { receiver, sums } = this.accruals;
    const changes = isSteady ? NO_CHANGES : this.#changesInside();
    this.#total = this.#totalOn(this.#isAtStart ? first : last);
    let share = this.#weekStepOn(this.postedOn)?.share ?? 1;
    let granted = multiply(this.#total, share);
    let posted = this.#rounded(granted);
    this.#net = receiver.accrue(this.postedOn, posted, first, rules, () =>
      this.#detail(granted, posted, this.#isAtStart ? NO_CHANGES : changes),
    );
    this.accruals.running = this;
    let since = this.postedOn;
    for (const { on } of this.#isAtStart ? changes : NO_CHANGES) {
      if (on > until) break;
      const totalBefore = this.#total;
      this.#total = this.#totalOn(on);
      if (isEqual(this.#total, totalBefore)) continue;
      const shareBefore = share;
      share = this.#weekStepOn(on)?.share ?? 1;
      // Changes of the share have multiplied the grant since. A share of 0 took all of it.
      const isTaken = sign(shareBefore) === 0 || this.#hasShareOfZero(since, on);
      this.#net = isTaken ? ZERO : divide(multiply(this.#net, share), shareBefore);
      since = on;
      const before = this.#rounded(multiply(totalBefore, share));
      granted = multiply(this.#total, share);
      posted = this.#rounded(granted);
      this.#postChange(on, granted, posted, before, changes);
    }
    sums.add(rules, first, granted, posted);
  }

  #postChange(
    on: Day,
    fromMinutes: Rational,
    posted: Rational,
    before: Rational,
    changes: readonly Change[],
  ): void {
    const { rules } = this.terms;
    const difference = subtract(posted, before);
    // Only minutes that the caps left can be taken back.
    const excess = atLeastZero(subtract(this.#net, posted));
    const minutes = sign(difference) < 0 ? negate(smaller(negate(difference), excess)) : difference;
    const isRounded = rules.roundGrantsToMinutes !== null || rules.roundSumToMinutes !== null;
    const words = () => [
      ...changes.flatMap((change) => (change.on === on ? change.detail() : [])),
      ...(isRounded ? [part("totalRounded", { fromMinutes, minutes: posted, beforeMinutes: before })] : []),
      ...(isEqual(minutes, difference) ? [] : [part("onlyUncut")]),
    ];
    this.#net = add(this.#net, this.accruals.receiver.accrue(on, minutes, on, rules, words));
  }

  /** What the period has granted for `day` and later days, after caps, as known on the covered day before. */
  grantedFrom(day: Day): Rational {
    const { first, last } = this.period;
    if (this.terms.rules.revalue === "weeks" || day > last) return ZERO;
    const known = coveredThrough(this.accruals.coverage, day - 1);
    return known < first ? ZERO : smaller(this.#net, this.#totalOn(known, day));
  }

  /** The share of the last covered day up to the day of a posting; undefined if grants are minutes. */
  #weekStepOn(postedOn: Day): FactorStep | undefined {
    const day = coveredThrough(this.accruals.coverage, postedOn);
    return this.terms.weekShares?.findLast(({ from }) => from <= day);
  }

  /** Whether a share of 0 begins after one day and up to another. */
  #hasShareOfZero(after: Day, through: Day): boolean {
    const shares = this.terms.weekShares ?? [];
    return shares.some(({ from, share }) => sign(share) === 0 && from > after && from <= through);
  }

  /** The changes inside the period, sorted by day. */
  #changesInside(): readonly Change[] {
    const { first, last } = this.period;
    const { rules, steps, firstYearWholeOn: wholeOn } = this.terms;
    const { coverage } = this.accruals;
    const changes: Change[] = [];
    const change = (day: Day, detail: Detail) => {
      if (day > first && day <= last) changes.push({ on: coveredFrom(coverage, day), detail });
    };
    if (rules.tierFrom !== "nextPeriod")
      for (const inside of this.#tiersInside()) change(inside.on, () => this.#tierDetail(inside));
    if (first === coverage.first) {
      change(wholeOn, () => [part("restOfYear", { on: formatDay(wholeOn) })]);
      for (let months = 1; months <= 12 && rules.firstYearGrants === "monthly"; months++) {
        const on = addMonths(first, months) - 1;
        if (isCovered(coverage, on)) change(on, () => [part("firstYear", { months })]);
      }
    }
    for (const step of steps ?? []) change(step.from, () => stepDetail(step));
    return changes.sort((a, b) => a.on - b.on);
  }

  #amountOn(day: Day): number {
    return tierOn(this.terms.tiers, day)?.minutes ?? this.terms.usualAmount;
  }

  /** What the period grants for its days from `since` on, before rounding, as known on a covered day. */
  #totalOn(known: Day, since = this.period.first): Rational {
    const { first, last, days } = this.period;
    const { rules, steps } = this.terms;
    const amount = this.#amountOn(rules.tierFrom === "sameYear" ? known : first);
    const { parts, of } = this.#part(known);
    let total = divide(multiply(rational(amount), parts), of * this.#instalments);
    if (steps !== null || since > first) {
      const weight = this.#weight(since, last, known);
      total = multiply(total, divide(weight, coveredDays(this.accruals.coverage, first, last)));
    }
    if (rules.tierFrom !== "sameDay") return total;
    for (const { tier, before, on } of this.#tiersInside()) {
      if (on > known) continue;
      const change = subtract(rational(tier.minutes), rational(before));
      const weight = this.#weight(Math.max(on, since), last, known);
      total = add(total, divide(multiply(change, weight), days * this.#instalments));
    }
    return total;
  }

  #tiersInside(): readonly TierInside[] {
    const { first, last } = this.period;
    let before = this.#amountOn(first);
    const inside: TierInside[] = [];
    for (const tier of this.terms.tiers) {
      if (tier.reachedOn <= first || tier.reachedOn > last) continue;
      inside.push({ tier, before, on: coveredFrom(this.accruals.coverage, tier.reachedOn) });
      before = tier.minutes;
    }
    return inside;
  }

  /** The sum of the factors of covered days. Days after `known` have the factor of `known`. */
  #weight(from: Day, through: Day, known: Day): Rational {
    const { coverage } = this.accruals;
    const { steps } = this.terms;
    if (steps === null) return coveredDays(coverage, from, through);
    let sum = ZERO;
    for (const [at, step] of steps.entries()) {
      if (step.from > known) break;
      const next = steps[at + 1]?.from ?? Infinity;
      const last = next > known ? through : Math.min(through, next - 1);
      sum = add(sum, multiply(step.factor, coveredDays(coverage, Math.max(from, step.from), last)));
    }
    return sum;
  }

  #part(known: Day): GrantedPart {
    const { first, last } = this.period;
    const { periods, coverage } = this.accruals;
    const { rules, firstYearWholeOn: wholeOn } = this.terms;
    if (rules.firstYearWholeAfterMonths === null || first !== coverage.first)
      return rules.prorate ? partOf(rules.prorateBy, periods, this.period, coverage) : WHOLE;
    if (wholeOn <= last && coveredFrom(coverage, wholeOn) <= known) return WHOLE;
    if (rules.firstYearGrants === "atOnce") return partOf("fullMonths", periods, this.period, coverage);
    return { parts: monthsFrom(first, Math.min(known, last), coverage), of: 12, counts: "fullMonths" };
  }

  /** The period's total after rounding, which is posted. */
  #rounded(total: Rational): Rational {
    const { start, days, first } = this.period;
    const { coverage, years, sums } = this.accruals;
    return sums.rounded(this.terms.rules, first, total, () => {
      const next = coveredFrom(coverage, start + days);
      return next > coverage.last || periodOf(years, next) !== periodOf(years, first);
    });
  }

  /** `600 × 29/30 for 2024-09-02 to 2024-09-30`, with the changes that are granted together with it. */
  #detail(total: Rational, posted: Rational, changes: readonly Change[]): readonly DetailPart[] {
    const { first, last } = this.period;
    const { rules, steps, tiers, version } = this.terms;
    const isOwn = version.facts.assignment.minutesPerPeriod !== null;
    const tier = tierOn(tiers, first);
    const scaledBy = [this.#weekStepOn(this.postedOn), steps?.findLast(({ from }) => from <= first)];
    return [
      ...productDetail({ minutes: this.#amountOn(first) }, this.#instalments, this.#part(first), first, last),
      ...versionDetail(version),
      ...(isOwn ? [part("ownAmount")] : tier === undefined ? [] : [part("tier", { months: tier.months })]),
      ...scaledBy.flatMap((step) => (step === undefined || isEqual(step.factor, 1) ? [] : stepDetail(step))),
      ...changes.flatMap((change) => change.detail()),
      ...(changes.length > 0 ? [part("total", { minutes: total })] : []),
      ...roundingDetail(rules, total, posted),
    ];
  }

  /** `(800 − 600) × 17/31 for 2024-07-15 to 2024-07-31; the amount after 60 months of service`. */
  #tierDetail({ tier, before, on }: TierInside): readonly DetailPart[] {
    const { days, last } = this.period;
    const { coverage } = this.accruals;
    const isSameYear = this.terms.rules.tierFrom === "sameYear";
    const first = isSameYear ? this.period.first : on;
    const covered = coveredDays(coverage, first, last);
    const factor = divide(this.#weight(first, last, this.#isAtStart ? on : last), covered);
    const amount = { minutes: tier.minutes, lessMinutes: before };
    const granted: GrantedPart = isSameYear ? this.#part(on) : { parts: covered, of: days, counts: "days" };
    return [
      ...productDetail(amount, this.#instalments, granted, first, last),
      part("tier", { months: tier.months }),
      ...(isEqual(factor, 1) ? [] : [part("shareAndRate", { factor })]),
    ];
  }
}

/** In how many parts a year's amount comes in the leave year of a day. */
function instalmentsOf({ instalments }: PolicyRules, years: Periods, day: Day): number {
  if (instalments === null) return 1;
  if (instalments !== "daily") return INSTALMENTS_PER_YEAR[instalments];
  const n = periodOf(years, day);
  return periodStart(years, n + 1) - periodStart(years, n);
}

/** `600 × 29/30 for 2024-09-02 to 2024-09-30`. */
function productDetail(
  amount: { readonly minutes: number; readonly lessMinutes?: number },
  instalments: number,
  { parts, of, counts }: GrantedPart,
  first: Day,
  last: Day,
): readonly DetailPart[] {
  const product = part("granted", {
    ...amount,
    dividedBy: instalments === 1 ? undefined : instalments,
    ...fractionOf(parts, of),
    ...rangeOf(first, last),
  });
  return parts === of || counts === "days" ? [product] : [product, part("countedBy", { by: counts })];
}

function stepDetail({ from, share, factor }: FactorStep): readonly DetailPart[] {
  const isShare = isEqual(share, factor);
  return [
    isShare ? part("share", { share }) : part("shareAndRate", { factor }),
    ...(from === -Infinity ? [] : [part("since", { from: formatDay(from) })]),
  ];
}

/** The granted part of a period, `parts / of`, and the rule that counts them. */
interface GrantedPart {
  readonly parts: number;
  readonly of: number;
  readonly counts: PolicyRules["prorateBy"];
}

const WHOLE: GrantedPart = { parts: 1, of: 1, counts: "days" };

/** A period with a covered day. */
interface GrantPeriod {
  readonly n: number;
  readonly start: Day;
  readonly days: number;
  /** The first and the last covered day. */
  readonly first: Day;
  readonly last: Day;
}

/** The granted part of a period. */
function partOf(
  prorateBy: PolicyRules["prorateBy"],
  periods: Periods,
  { n, start, days, first }: GrantPeriod,
  coverage: Coverage,
): GrantedPart {
  const covered = coveredDays(coverage, start, start + days - 1);
  if (covered === days) return WHOLE;
  if (prorateBy === "days") return { parts: covered, of: days, counts: prorateBy };
  if (prorateBy === "serviceMonths")
    return { parts: monthsFrom(first, start + days - 1, coverage), of: 12, counts: prorateBy };
  const months = monthsOf(periods, n, start, days);
  const parts = months.reduce((sum, [from, next]) => sum + countOf(prorateBy, coverage, from, next), 0);
  return { parts, of: months.length * (prorateBy === "thirtieths" ? 30 : 1), counts: prorateBy };
}

/** What a month counts, from its first day to the day before `next`: in thirtieths 0 to 30, else 0 or 1. */
function countOf(
  prorateBy: Exclude<PolicyRules["prorateBy"], "days" | "serviceMonths">,
  coverage: Coverage,
  from: Day,
  next: Day,
): number {
  const covered = (through: Day) => coveredDays(coverage, from, through);
  switch (prorateBy) {
    case "thirtieths": {
      // A 31st does not count, and the last day of a shorter month counts for the missing ones, too.
      const lacking = Math.max(0, 30 - (next - from));
      return covered(Math.min(next - 1, from + 29)) + coveredDays(coverage, next - 1, next - 1) * lacking;
    }
    case "monthsStarted":
      return covered(next - 1) >= 1 ? 1 : 0;
    case "halfMonths":
      return covered(next - 1) >= 15 ? 1 : 0;
    case "fullMonths":
      return covered(next - 1) === next - from ? 1 : 0;
    default:
      return covered(Math.min(next, from + Number(prorateBy.split(":")[1])) - 1) > 0 ? 1 : 0;
  }
}

/** The months of a yearly period, else the period itself: the first day, and the day after the last. */
function monthsOf(periods: Periods, n: number, start: Day, days: number): (readonly [Day, Day])[] {
  if (periods.unit !== "months" || periods.length !== 12) return [[start, start + days]];
  const months: Periods = { ...periods, length: 1 };
  return Array.from({ length: 12 }, (_, at) => [
    periodStart(months, n * 12 + at),
    periodStart(months, n * 12 + at + 1),
  ]);
}

/** How many months, counted from a covered day and ending by `through`, are wholly covered. */
function monthsFrom(first: Day, through: Day, coverage: Coverage): number {
  let count = 0;
  for (let month = 1; month <= 12; month++) {
    const [from, next] = [addMonths(first, month - 1), addMonths(first, month)];
    if (next - 1 <= through && coveredDays(coverage, from, next - 1) === next - from) count += 1;
  }
  return count;
}
