/** The grants of one period: its amount, its covered part, and changes inside it. */
import { addMonths, type Day, formatDay } from "../time/day.ts";
import { type Coverage, coveredDays, coveredFrom, coveredThrough, isCovered } from "./coverage.ts";
import { type Detail, type DetailPart, fractionOf, part, rangeOf } from "./detail.ts";
import type { PolicyRules } from "./facts.ts";
import { type GrantedPart, type GrantPeriod, monthsFrom, partOf, shareOf, WHOLE } from "./parts.ts";
import { INSTALMENTS_PER_YEAR, type Periods, periodOf, periodStart } from "./periods.ts";
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
import { roundingDetail, type YearSums } from "./rounding.ts";
import { type ReachedTier, reachedTiers, serviceDay, tierOn } from "./service.ts";
import { type Version, versionDetail } from "./versions.ts";
import { type FactorStep, factorSteps } from "./working-time.ts";

/** Receives the grants of a schedule, in order of days. */
export interface GrantReceiver {
  /** Returns the minutes that caps leave. `rules`: those of the grant. `earnedFrom`: the day whose tier of a cap applies. */
  accrue(postedOn: Day, minutes: Rational, earnedFrom: Day, rules: PolicyRules, detail: Detail): Rational;
}

/** A version of a policy, with what its grants need ready to use. */
export type GrantTerms = ReturnType<typeof grantTerms>;

export function grantTerms(version: Version) {
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
    /** The shares that make minutes of weeks (`revaluing.ts`); null if grants are minutes. Then `steps` has only rates. */
    weekShares: isByWeeks ? factorSteps({ ...facts, assignment: { ...assignment, rates: [] } }) : null,
    /** The day from which the first year grants its whole amount; Infinity: never. */
    firstYearWholeOn: months === null ? Infinity : serviceDay(facts, months),
    /** Whether no period's total can change inside it. */
    isSteady: months === null && steps === null && rules.tierFrom === "nextPeriod",
  };
}

/** What the grants of an assignment have in common. */
interface Context {
  readonly coverage: Coverage;
  readonly periods: Periods;
  readonly years: Periods;
  readonly sums: YearSums;
  readonly receiver: GrantReceiver;
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
export class PeriodGrant {
  readonly postedOn: Day;
  readonly #isAtStart: boolean;
  readonly #instalments: number;
  #changes = NO_CHANGES;
  // As of the last posting:
  /** The total, without the share of weeks. */
  #total: Rational = ZERO;
  /** The share of weeks; 1 if grants are minutes. */
  #share: Rational = 1;
  /** `#total` × `#share`. */
  #granted: Rational = ZERO;
  /** `#granted`, rounded. */
  #posted: Rational = ZERO;
  /** What caps leave of `#posted`. */
  #net: Rational = ZERO;

  constructor(
    private readonly context: Context,
    private readonly terms: GrantTerms,
    private readonly period: GrantPeriod,
  ) {
    const { accrualTiming } = terms.rules;
    this.#isAtStart = accrualTiming === "start";
    this.postedOn = this.#isAtStart ? period.first : accrualTiming === "end" ? period.last + 1 : period.last;
    this.#instalments = instalmentsOf(terms.rules, context.years, period.start);
  }

  /** Posts the grant. With timing `start`, changes inside the period are not known yet. */
  post(): void {
    const { first, last } = this.period;
    const { rules } = this.terms;
    if (!this.terms.isSteady) this.#changes = this.#changesInside();
    this.#total = this.#totalOn(this.#isAtStart ? first : last);
    this.#share = this.#weekShareOn(this.postedOn);
    const granted = multiply(this.#total, this.#share);
    const posted = this.#rounded(granted);
    this.#granted = granted;
    this.#posted = posted;
    const detail = () => this.#detail(granted, posted);
    this.#net = this.context.receiver.accrue(this.postedOn, posted, first, rules, detail);
  }

  /** With timing `start`, posts each change inside the period on its day, up to `until`. */
  postChanges(until: Day): void {
    let since = this.postedOn;
    for (const change of this.#isAtStart ? this.#changes : NO_CHANGES) {
      if (change.on > until) break;
      const totalBefore = this.#total;
      this.#total = this.#totalOn(change.on);
      if (isEqual(this.#total, totalBefore)) continue;
      const shareBefore = this.#share;
      this.#share = this.#weekShareOn(change.on);
      // Changes of the share have multiplied the grant since. A share of 0 took all of it.
      const isTaken = sign(shareBefore) === 0 || this.#hasShareOfZero(since, change.on);
      this.#net = isTaken ? ZERO : divide(multiply(this.#net, this.#share), shareBefore);
      since = change.on;
      this.#postChange(change, this.#rounded(multiply(totalBefore, this.#share)));
    }
    this.context.sums.add(this.terms.rules, this.period.first, this.#granted, this.#posted);
  }

  #postChange({ on, detail }: Change, beforeMinutes: Rational): void {
    const { rules } = this.terms;
    const granted = multiply(this.#total, this.#share);
    const posted = this.#rounded(granted);
    this.#granted = granted;
    this.#posted = posted;
    const difference = subtract(posted, beforeMinutes);
    // Only minutes that the caps left can be taken back.
    const excess = atLeastZero(subtract(this.#net, posted));
    const minutes = sign(difference) < 0 ? negate(smaller(negate(difference), excess)) : difference;
    const isRounded = rules.roundGrantsToMinutes !== null || rules.roundSumToMinutes !== null;
    const words = () => [
      ...detail(),
      ...(isRounded ? [part("totalRounded", { fromMinutes: granted, minutes: posted, beforeMinutes })] : []),
      ...(isEqual(minutes, difference) ? [] : [part("onlyUncut")]),
    ];
    this.#net = add(this.#net, this.context.receiver.accrue(on, minutes, on, rules, words));
  }

  /** What the period has granted for `day` and later days, after caps, as known on the covered day before. */
  grantedFrom(day: Day): Rational {
    const { first, last } = this.period;
    if (this.terms.rules.revalue === "weeks" || day > last) return ZERO;
    const known = coveredThrough(this.context.coverage, day - 1);
    return known < first ? ZERO : smaller(this.#net, this.#totalOn(known, day));
  }

  /** The share of the last covered day up to the day of a posting; 1 if grants are minutes. */
  #weekShareOn(postedOn: Day): Rational {
    return this.#weekStepOn(postedOn)?.share ?? 1;
  }

  #weekStepOn(postedOn: Day): FactorStep | undefined {
    const { coverage } = this.context;
    const day = coveredThrough(coverage, Math.min(postedOn, coverage.last));
    return this.terms.weekShares?.findLast(({ from }) => from <= day);
  }

  /** Whether a share of 0 begins after one day and up to another. */
  #hasShareOfZero(after: Day, through: Day): boolean {
    const shares = this.terms.weekShares ?? [];
    return shares.some(({ from, share }) => sign(share) === 0 && from > after && from <= through);
  }

  /** The changes inside the period, sorted, at most one for each day. */
  #changesInside(): readonly Change[] {
    const { first, last } = this.period;
    const { rules, steps, firstYearWholeOn: wholeOn } = this.terms;
    const { coverage } = this.context;
    const changes: Change[] = [];
    const change = (day: Day, detail: Detail) => {
      if (day > first && day <= last) changes.push({ on: coveredFrom(coverage, day), detail });
    };
    if (rules.tierFrom !== "nextPeriod")
      for (const inside of this.#tiersInside()) change(inside.on, () => this.#tierDetail(inside));
    if (this.#isFirst()) {
      change(wholeOn, () => [part("restOfYear", { on: formatDay(wholeOn) })]);
      for (let months = 1; months <= 12 && rules.firstYearGrants === "monthly"; months++) {
        const on = addMonths(first, months) - 1;
        if (isCovered(coverage, on)) change(on, () => [part("firstYear", { months })]);
      }
    }
    for (const step of steps ?? []) change(step.from, () => stepDetail(step));
    return [...Map.groupBy(changes, ({ on }) => on)]
      .map(([on, same]) => ({ on, detail: () => same.flatMap(({ detail }) => detail()) }))
      .sort((a, b) => a.on - b.on);
  }

  /** Whether the first covered day is in the period. */
  #isFirst(): boolean {
    return this.period.first === this.context.coverage.first;
  }

  #amountOn(day: Day): number {
    return tierOn(this.terms.tiers, day)?.minutes ?? this.terms.usualAmount;
  }

  /** What the period grants for its days from `since` on, before rounding, as known on a covered day. */
  #totalOn(known: Day, since = this.period.first): Rational {
    const { first, last, days } = this.period;
    const { rules, steps } = this.terms;
    const amount = this.#amountOn(rules.tierFrom === "sameYear" ? known : first);
    let total = shareOf(instalmentOf(amount, this.#instalments), this.#part(known));
    if (steps !== null || since > first) {
      const weight = this.#weight(since, last, known);
      total = multiply(total, divide(weight, coveredDays(this.context.coverage, first, last)));
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
      inside.push({ tier, before, on: coveredFrom(this.context.coverage, tier.reachedOn) });
      before = tier.minutes;
    }
    return inside;
  }

  /** The sum of the factors of covered days. Days after `known` have the factor of `known`. */
  #weight(from: Day, through: Day, known: Day): Rational {
    const { coverage } = this.context;
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
    const { periods, coverage } = this.context;
    const { rules, firstYearWholeOn: wholeOn } = this.terms;
    if (rules.firstYearWholeAfterMonths === null || !this.#isFirst())
      return rules.prorate ? partOf(rules.prorateBy, periods, this.period, coverage) : WHOLE;
    if (wholeOn <= last && coveredFrom(coverage, wholeOn) <= known) return WHOLE;
    if (rules.firstYearGrants === "atOnce") return partOf("fullMonths", periods, this.period, coverage);
    return { parts: monthsFrom(first, Math.min(known, last), coverage), of: 12, counts: "fullMonths" };
  }

  /** The period's total after rounding, which is posted. */
  #rounded(total: Rational): Rational {
    const { start, days, first } = this.period;
    const { coverage, years, sums } = this.context;
    return sums.rounded(this.terms.rules, first, total, () => {
      const next = coveredFrom(coverage, start + days);
      return next > coverage.last || periodOf(years, next) !== periodOf(years, first);
    });
  }

  /** `600 × 29/30 for 2024-09-02 to 2024-09-30`, with the changes that are granted together with it. */
  #detail(total: Rational, posted: Rational): readonly DetailPart[] {
    const { first, last } = this.period;
    const { rules, steps, tiers, version } = this.terms;
    const isOwn = version.facts.assignment.minutesPerPeriod !== null;
    const tier = tierOn(tiers, first);
    const changes = this.#isAtStart ? [] : this.#changes;
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
    const { coverage } = this.context;
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

function instalmentOf(amount: number, parts: number): Rational {
  return parts === 1 ? rational(amount) : divide(rational(amount), parts);
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
