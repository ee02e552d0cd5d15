/** Rounds each grant, or the sum of a leave year (docs/balances.md, Twelfths and rounding). */
import type { Day } from "../time/day.ts";
import { type DetailPart, part } from "./detail.ts";
import type { PolicyRules } from "./facts.ts";
import { type Periods, periodOf } from "./periods.ts";
import {
  add,
  type Rational,
  rational,
  roundToMultiple,
  smaller,
  subtract,
  toMillionths,
  ZERO,
} from "./rational.ts";

/** Sums the grants of a leave year. Each grant becomes the rounded sum less the grants before. */
export class YearSums {
  #n = -Infinity;
  #exact: Rational = ZERO;
  #posted: Rational = ZERO;

  /** `isUsed`: whether any version rounds the sum of a year. */
  constructor(
    private readonly years: Periods,
    private readonly isUsed: boolean,
  ) {}

  /** Rounds the grant of a period. `first`: its first covered day. `endsYear`: whether it is the last period of its leave year. */
  rounded(rules: PolicyRules, first: Day, minutes: Rational, endsYear: () => boolean): Rational {
    const { roundGrantsToMinutes, roundGrants, roundSumToMinutes, roundSum, roundSumOn } = rules;
    if (roundSumToMinutes === null && roundGrantsToMinutes === null) return minutes;
    if (roundSumToMinutes === null)
      return roundToMultiple(minutes, rational(roundGrantsToMinutes!), roundGrants); // one is there
    this.#begin(first);
    const sum = add(this.#exact, minutes);
    if (roundSumOn === "yearEnd" && !endsYear()) return subtract(sum, this.#posted);
    const isKept = roundSum === "halfUpKeep"; // a sum is never rounded below itself
    const nearest = roundToMultiple(sum, rational(roundSumToMinutes), isKept ? "nearest" : roundSum);
    const rounded = isKept && smaller(sum, nearest) === nearest ? sum : nearest;
    return subtract(rounded, this.#posted);
  }

  /** Adds the total of a period to the sum of its year. */
  add(rules: PolicyRules, first: Day, minutes: Rational, posted: Rational): void {
    if (!this.isUsed) return;
    this.#begin(first);
    this.#exact = add(this.#exact, rules.roundSumToMinutes === null ? posted : minutes);
    this.#posted = add(this.#posted, posted);
  }

  #begin(first: Day): void {
    const n = periodOf(this.years, first);
    if (n === this.#n) return;
    this.#n = n;
    this.#exact = ZERO;
    this.#posted = ZERO;
  }
}

/** Says how an amount was rounded; empty if rounding did not change it. */
export function roundingDetail(rules: PolicyRules, from: Rational, to: Rational): readonly DetailPart[] {
  const { roundGrantsToMinutes, roundGrants, roundSumToMinutes } = rules;
  const [fromMinutes, minutes] = [toMillionths(from), toMillionths(to)];
  if (fromMinutes === minutes) return [];
  if (roundSumToMinutes !== null) return [part("sumRounded", { fromMinutes, minutes })];
  if (roundGrantsToMinutes === null) return [];
  return [part("rounded", { fromMinutes, how: roundGrants, toMinutes: roundGrantsToMinutes })];
}
