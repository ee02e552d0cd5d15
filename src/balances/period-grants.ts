/** The grants of one period: its amount, its covered part, and changes inside it. */
import { addMonths, type Day, formatDay } from "../time/day.ts";
import { type Coverage, coveredDays, coveredFrom, coveredThrough } from "./coverage.ts";
import { type Detail, type DetailPart, fractionOf, part, rangeOf } from "./detail.ts";
import type { PolicyRules } from "./facts.ts";
import { type GrantedPart, monthsFrom, partOf, shareOf, WHOLE } from "./parts.ts";
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
  share,
  sign,
  smaller,
  subtract,
  ZERO,
} from "./rational.ts";
import { rounded, roundingDetail, type YearSums } from "./rounding.ts";
import { type ReachedTier, reachedTiers, serviceDay, tierOn } from "./service.ts";
import { type Version, versionDetail } from "./versions.ts";
import { type FactorStep, factorSteps } from "./working-time.ts";

/** Receives the grants of a schedule, in order of days. */
export interface GrantReceiver {
  /** Returns the minutes that caps leave. `rules`: those of the grant. `earnedFrom`: the day whose tier of a cap applies. */
  accrue(postedOn: Day, minutes: Rational, earnedFrom: Day, rules: PolicyRules, detail: Detail): Rational;
}

/** A period with a covered day. */
export interface GrantPeriod {
  readonly n: number;
  readonly start: Day;
  readonly days: number;
  /** The first and the last covered day. */
  readonly first: Day;
  readonly last: Day;
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
 * Posts the grants of periods in turn, under one version of a policy. A period's total may change on a day inside it: a tier is reached,
 * the share of full time or the rate changes, or the first year becomes whole. `#total` computes it as known on a day.
 */
export class PeriodGrants {
  readonly #rules: PolicyRules;
  /** The amount of a whole period before tiers. */
  readonly #usualAmount: number;
  readonly #tiers: readonly ReachedTier[];
  readonly #steps: readonly FactorStep[] | null;
  /** The shares that make minutes of weeks (`revaluing.ts`); null if grants are minutes. Then `#steps` has only rates. */
  readonly #weekShares: readonly FactorStep[] | null;
  /** The day from which the first year grants its whole amount; Infinity: never. */
  readonly #firstYearWholeOn: Day;
  /** Whether no period's total can change inside it. */
  readonly #isSteady: boolean;
  /** The last period with a grant, and its minutes after caps. */
  #running: GrantPeriod | null = null;
  #net: Rational = ZERO;

  constructor(
    readonly version: Version,
    private readonly coverage: Coverage,
    private readonly periods: Periods,
    private readonly years: Periods,
    /** Null if no version rounds the sum of a year. */
    private readonly sums: YearSums | null,
    private readonly receiver: GrantReceiver,
    /** The grants of the version before. */
    private readonly before: PeriodGrants | null,
  ) {
    const { facts, rules } = version;
    const { assignment, policy } = facts;
    this.#rules = rules;
    this.#usualAmount = assignment.minutesPerPeriod ?? policy.minutesPerPeriod ?? 0;
    this.#tiers = assignment.minutesPerPeriod === null ? reachedTiers(facts, rules.tiers) : [];
    const isByWeeks = rules.revalue === "weeks";
    this.#steps = factorSteps(facts, isByWeeks ? "none" : rules.scaleWith);
    this.#weekShares = isByWeeks ? factorSteps({ ...facts, assignment: { ...assignment, rates: [] } }) : null;
    const months = rules.firstYearWholeAfterMonths;
    this.#firstYearWholeOn = months === null ? Infinity : serviceDay(facts, months);
    this.#isSteady = months === null && this.#steps === null && rules.tierFrom === "nextPeriod";
  }

  postedOn({ first, last }: GrantPeriod): Day {
    const { accrualTiming } = this.#rules;
    return accrualTiming === "start" ? first : accrualTiming === "end" ? last + 1 : last;
  }

  /** Posts a period's grants up to `until`. With timing `start`, each change is posted on its day. */
  post(period: GrantPeriod, until: Day): void {
    const { first, last } = period;
    const isAtStart = this.#rules.accrualTiming === "start";
    const changes = this.#changes(period);
    let total = this.#total(period, isAtStart ? first : last);
    let since = this.postedOn(period);
    let share = this.#weekShareOn(since);
    const granted = multiply(total, share);
    let posted = this.#rounded(period, granted);
    const detail = () => this.#detail(period, granted, posted, isAtStart ? NO_CHANGES : changes);
    this.#net = this.receiver.accrue(since, posted, first, this.#rules, detail);
    this.#running = period;
    for (const change of isAtStart ? changes : NO_CHANGES) {
      if (change.on > until) break;
      const totalBefore = total;
      total = this.#total(period, change.on);
      if (isEqual(total, totalBefore)) continue;
      const shareBefore = share;
      share = this.#weekShareOn(change.on);
      // What was granted of weeks has been revalued since. A share of 0 took all of it.
      const isTaken = sign(shareBefore) === 0 || this.#hasShareOfZero(since, change.on);
      this.#net = isTaken ? ZERO : divide(multiply(this.#net, share), shareBefore);
      since = change.on;
      const before = this.#rounded(period, multiply(totalBefore, share));
      posted = this.#rounded(period, multiply(total, share));
      this.#postChange(change, multiply(total, share), before, posted);
    }
    this.sums?.add(this.#rules, first, multiply(total, share), posted);
  }

  /** The share of the last covered day up to the day of a posting; 1 if grants are minutes. */
  #weekShareOn(postedOn: Day): Rational {
    return this.#weekStepOn(postedOn)?.share ?? 1;
  }

  /** Whether a share of 0 begins after one day and up to another. */
  #hasShareOfZero(after: Day, through: Day): boolean {
    return (
      this.#weekShares?.some(({ from, share }) => sign(share) === 0 && from > after && from <= through) ??
      false
    );
  }

  #weekStepOn(postedOn: Day): FactorStep | undefined {
    const day = coveredThrough(this.coverage, Math.min(postedOn, this.coverage.last));
    return this.#weekShares?.findLast(({ from }) => from <= day);
  }

  #postChange({ on, detail }: Change, total: Rational, before: Rational, posted: Rational): void {
    const difference = subtract(posted, before);
    // Only minutes that the caps left can be taken back.
    const excess = atLeastZero(subtract(this.#net, posted));
    const minutes = sign(difference) < 0 ? negate(smaller(negate(difference), excess)) : difference;
    const words = () => {
      const isRounded = this.#rules.roundGrantsToMinutes !== null || this.#rules.roundSumToMinutes !== null;
      const rounding = part("totalRounded", {
        fromMinutes: total,
        minutes: posted,
        beforeMinutes: before,
      });
      const isUncut = isEqual(minutes, difference);
      return [...detail(), ...(isRounded ? [rounding] : []), ...(isUncut ? [] : [part("onlyUncut")])];
    };
    this.#net = add(this.#net, this.receiver.accrue(on, minutes, on, this.#rules, words));
  }

  /** The running period's grants for `day` and later days, after caps, as known on the covered day before. */
  grantedFrom(day: Day): Rational {
    if (this.#running === null) return this.before?.grantedFrom(day) ?? ZERO;
    if (this.#rules.revalue === "weeks" || day > this.#running.last) return ZERO;
    const { first, last } = this.#running;
    const known = coveredThrough(this.coverage, day - 1);
    if (known < first || sign(this.#weight(first, last, known)) === 0) return ZERO;
    return smaller(this.#net, this.#total(this.#running, known, day));
  }

  /** The changes inside a period, sorted, at most one for each day. */
  #changes(period: GrantPeriod): readonly Change[] {
    const { start, days, first, last } = period;
    if (this.#isSteady) return NO_CHANGES;
    const changes: Change[] = [];
    const isInside = (day: Day) => day > first && day <= last;
    if (this.#rules.tierFrom !== "nextPeriod")
      for (const reached of this.#tiersInside(period))
        changes.push({ on: reached.on, detail: () => this.#tierDetail(reached, period) });
    const wholeOn = this.#firstYearWholeOn;
    if (isInside(wholeOn) && this.#isFirst(start, days))
      changes.push({
        on: coveredFrom(this.coverage, wholeOn),
        detail: () => [part("restOfYear", { on: formatDay(wholeOn) })],
      });
    if (this.#rules.firstYearGrants === "monthly" && this.#isFirst(start, days))
      for (let month = 1; month <= 12; month++) {
        const on = addMonths(first, month) - 1;
        if (isInside(on) && coveredFrom(this.coverage, on) === on)
          changes.push({ on, detail: () => [part("firstYear", { months: month })] });
      }
    for (const step of this.#steps ?? [])
      if (isInside(step.from))
        changes.push({ on: coveredFrom(this.coverage, step.from), detail: () => stepDetail(step) });
    return [...Map.groupBy(changes, ({ on }) => on)]
      .map(([on, same]) => ({ on, detail: () => same.flatMap(({ detail }) => detail()) }))
      .sort((a, b) => a.on - b.on);
  }

  #isFirst(start: Day, days: number): boolean {
    return start <= this.coverage.first && this.coverage.first < start + days;
  }

  #amountOn(day: Day): number {
    return tierOn(this.#tiers, day)?.minutes ?? this.#usualAmount;
  }

  /** A period's total for its days from `since` on, with the changes up to and including `known`. */
  #total(period: GrantPeriod, known: Day, since = period.first): Rational {
    const { start, days, first, last } = period;
    const part = this.#part(period, known);
    const parts = this.#partsOfYear(start);
    let total = shareOf(instalmentOf(this.#amountOn(first), parts), part);
    const { tierFrom } = this.#rules;
    if (this.#steps !== null)
      total = multiply(
        total,
        divide(this.#weight(first, last, known), coveredDays(this.coverage, first, last)),
      );
    let ofTiers = ZERO;
    for (const { tier, before, on } of tierFrom === "nextPeriod" ? [] : this.#tiersInside(period)) {
      if (on > known) continue;
      const change = subtract(rational(tier.minutes), rational(before));
      if (tierFrom === "sameDay") {
        const weight = this.#weight(Math.max(on, since), last, known);
        ofTiers = add(ofTiers, share(multiply(change, weight), 1, days * parts));
      } else total = add(total, shareOf(multiply(change, this.#average(first, last, known)), part));
    }
    if (since > first)
      total = multiply(total, divide(this.#weight(since, last, known), this.#weight(first, last, known)));
    return add(total, ofTiers);
  }

  #tiersInside({ first, last }: GrantPeriod): readonly TierInside[] {
    let amount = this.#amountOn(first);
    const inside: TierInside[] = [];
    for (const tier of this.#tiers) {
      if (tier.reachedOn <= first || tier.reachedOn > last) continue;
      inside.push({ tier, before: amount, on: coveredFrom(this.coverage, tier.reachedOn) });
      amount = tier.minutes;
    }
    return inside;
  }

  /** The sum of the factors of covered days. Days after `known` have the factor of `known`. */
  #weight(from: Day, through: Day, known: Day): Rational {
    if (this.#steps === null) return coveredDays(this.coverage, from, through);
    let sum = ZERO;
    for (const [at, step] of this.#steps.entries()) {
      if (step.from > known) break;
      const next = this.#steps[at + 1]?.from ?? Infinity;
      const last = next > known ? through : Math.min(through, next - 1);
      const days = coveredDays(this.coverage, Math.max(from, step.from), last);
      sum = add(sum, multiply(step.factor, days));
    }
    return sum;
  }

  #average(from: Day, through: Day, known: Day): Rational {
    return divide(this.#weight(from, through, known), coveredDays(this.coverage, from, through));
  }

  #part({ n, start, days, first, last }: GrantPeriod, known: Day): GrantedPart {
    const { prorateBy, firstYearWholeAfterMonths, firstYearGrants } = this.#rules;
    if (firstYearWholeAfterMonths !== null && this.#isFirst(start, days)) {
      const wholeOn = this.#firstYearWholeOn;
      if (wholeOn <= last && coveredFrom(this.coverage, wholeOn) <= known) return WHOLE;
      if (firstYearGrants === "atOnce")
        return partOf("fullMonths", this.periods, n, start, days, this.coverage);
      const parts = monthsFrom(first, Math.min(known, last), this.coverage);
      return { parts, of: 12, counts: "fullMonths" };
    }
    if (!this.#rules.prorate) return WHOLE;
    return partOf(prorateBy, this.periods, n, start, days, this.coverage);
  }

  #partsOfYear(day: Day): number {
    const { instalments } = this.#rules;
    if (instalments === null) return 1;
    if (instalments !== "daily") return INSTALMENTS_PER_YEAR[instalments];
    const n = periodOf(this.years, day);
    return periodStart(this.years, n + 1) - periodStart(this.years, n);
  }

  /** The period's total after rounding, which is posted. */
  #rounded(period: GrantPeriod, total: Rational): Rational {
    if (this.sums === null) return rounded(this.#rules, total);
    return this.sums.rounded(this.#rules, period.first, total, () => this.#endsYear(period));
  }

  /** Whether no later period of the same leave year has a covered day. */
  #endsYear({ start, days, first }: GrantPeriod): boolean {
    const next = coveredFrom(this.coverage, start + days);
    return next > this.coverage.last || periodOf(this.years, next) !== periodOf(this.years, first);
  }

  /** `600 × 29/30 for 2024-09-02 to 2024-09-30`, with the `changes` that are granted together with it. */
  #detail(
    period: GrantPeriod,
    total: Rational,
    posted: Rational,
    changes: readonly Change[],
  ): readonly DetailPart[] {
    const { start, first, last } = period;
    const isOwn = this.version.facts.assignment.minutesPerPeriod !== null;
    const tier = tierOn(this.#tiers, first);
    const steps = [
      this.#weekStepOn(this.postedOn(period)),
      this.#steps?.findLast(({ from }) => from <= first),
    ];
    return [
      ...productDetail(
        { minutes: this.#amountOn(first) },
        this.#partsOfYear(start),
        this.#part(period, first),
        first,
        last,
      ),
      ...versionDetail(this.version),
      ...(isOwn ? [part("ownAmount")] : tier === undefined ? [] : [part("tier", { months: tier.months })]),
      ...steps.flatMap((step) => (step === undefined || isEqual(step.factor, 1) ? [] : stepDetail(step))),
      ...changes.flatMap((change) => change.detail()),
      ...(changes.length > 0 ? [part("total", { minutes: total })] : []),
      ...roundingDetail(this.#rules, total, posted),
    ];
  }

  /** `(800 − 600) × 17/31 for 2024-07-15 to 2024-07-31; the amount after 60 months of service`. */
  #tierDetail({ tier, before, on }: TierInside, period: GrantPeriod): readonly DetailPart[] {
    const { start, days, first, last } = period;
    const isSameYear = this.#rules.tierFrom === "sameYear";
    const covered: GrantedPart = { parts: coveredDays(this.coverage, on, last), of: days, counts: "days" };
    const known = this.#rules.accrualTiming === "start" ? on : last;
    const factor = this.#average(isSameYear ? first : on, last, known);
    return [
      ...productDetail(
        { minutes: tier.minutes, lessMinutes: before },
        isSameYear ? 1 : this.#partsOfYear(start),
        isSameYear ? this.#part(period, on) : covered,
        isSameYear ? first : on,
        last,
      ),
      part("tier", { months: tier.months }),
      ...(isEqual(factor, 1) ? [] : [part("shareAndRate", { factor })]),
    ];
  }
}

export function instalmentOf(amount: number, parts: number): Rational {
  return parts === 1 ? rational(amount) : share(rational(amount), 1, parts);
}

/** `600 × 29/30 for 2024-09-02 to 2024-09-30`. */
function productDetail(
  amount: { readonly minutes: number; readonly lessMinutes?: number },
  instalments: number,
  { parts, of, counts }: GrantedPart,
  first: Day,
  last: Day,
): readonly DetailPart[] {
  const dividedBy = instalments === 1 ? {} : { dividedBy: instalments };
  const product = part("granted", {
    ...amount,
    ...dividedBy,
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
