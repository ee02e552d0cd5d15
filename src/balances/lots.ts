/** Grants that expire one by one: what is left of each (docs/balances.md, Grants that expire one by one). */
import type { Day } from "../time/day.ts";
import { add, atLeastZero, negate, type Rational, sign, smaller, subtract, ZERO } from "./rational.ts";

export interface Lot {
  readonly postedOn: Day;
  /** Infinity: never. */
  readonly expiresOn: Day;
  readonly granted: Rational;
  left: Rational;
  /** Whether it reached its expiry on a day without coverage. Then it never expires, but keeps its place. */
  isKept: boolean;
}

export class Lots {
  /** In the order of use: earliest expiry first, then posting. */
  readonly all: Lot[] = [];
  /** What was used beyond all lots. Later lots pay for it. */
  #owed: Rational = ZERO;

  /** `isUsed`: false if nothing expires by itself. Then there are no lots. */
  constructor(readonly isUsed: boolean) {}

  /** Adds minutes that were posted on a day, less what is owed. `expiresOn` Infinity: never. */
  add(postedOn: Day, expiresOn: Day, minutes: Rational, granted = minutes): void {
    if (!this.isUsed) return;
    const paid = smaller(this.#owed, minutes);
    this.#owed = subtract(this.#owed, paid);
    const left = subtract(minutes, paid);
    const lot = { postedOn, expiresOn, granted, left, isKept: false };
    const at = this.all.findIndex(
      (other) => other.expiresOn > expiresOn || (other.expiresOn === expiresOn && other.postedOn > postedOn),
    );
    this.all.splice(at === -1 ? this.all.length : at, 0, lot);
  }

  /** Takes minutes from the lots in order. The next lots owe the rest. */
  use(minutes: Rational, inOrder: readonly Lot[] = this.all): void {
    if (this.isUsed) this.#owed = add(this.#owed, this.#takeFrom(inOrder, minutes));
  }

  /** Adds minutes above zero, or takes the others. */
  change(day: Day, minutes: Rational, expiresOn: Day): void {
    if (sign(minutes) >= 0) this.add(day, expiresOn, minutes);
    else this.use(negate(minutes));
  }

  /** Adds what never expires, or takes it back: from what never expires first, then from the latest expiry. */
  changeRest(day: Day, minutes: Rational): void {
    if (sign(minutes) > 0) this.add(day, Infinity, minutes);
    else this.use(negate(minutes), this.all.toReversed());
  }

  /** Takes minutes from the lots that were posted on the days `first` through `last` and expire. */
  forfeit(first: Day, last: Day, minutes: Rational): void {
    this.#takeFrom(this.#postedOn(first, last), minutes);
  }

  /** What is left of the lots that were posted on the days `first` through `last` and expire. */
  leftOf(first: Day, last: Day): Rational {
    return this.#postedOn(first, last).reduce((sum, { left }) => add(sum, left), ZERO);
  }

  get nextExpiry(): Day {
    return this.isUsed ? (this.#next()?.expiresOn ?? Infinity) : Infinity;
  }

  /** Takes the next lot out, or makes it never expire. */
  expire(isKept: boolean): Lot {
    const lot = this.#next()!; // there is a next expiry
    if (isKept) lot.isKept = true;
    else this.all.splice(this.all.indexOf(lot), 1);
    return lot;
  }

  #next(): Lot | undefined {
    return this.all.find(({ isKept }) => !isKept);
  }

  clear(): void {
    this.all.length = 0;
    this.#owed = ZERO;
  }

  /** Returns the minutes that the lots could not cover. */
  #takeFrom(lots: readonly Lot[], minutes: Rational): Rational {
    let rest = minutes;
    for (const lot of lots) {
      if (sign(rest) <= 0) break;
      const taken = smaller(lot.left, rest);
      lot.left = subtract(lot.left, taken);
      rest = subtract(rest, taken);
    }
    for (let at = this.all.length - 1; at >= 0; at--)
      if (sign(this.all[at]!.left) <= 0) this.all.splice(at, 1);
    return atLeastZero(rest);
  }

  /** The lots that were posted on these days and expire. */
  #postedOn(first: Day, last: Day): readonly Lot[] {
    return this.all.filter(
      ({ postedOn, expiresOn }) => expiresOn !== Infinity && postedOn >= first && postedOn <= last,
    );
  }
}
