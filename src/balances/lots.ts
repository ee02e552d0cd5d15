/** Grants that expire one by one: what is left of each (docs/balances.md, Grants that expire one by one). */
import type { Day } from "../time/day.ts";
import { add, atLeastZero, negate, type Rational, sign, smaller, subtract, ZERO } from "./rational.ts";

export interface Lot {
  readonly postedOn: Day;
  /** Infinity: never. */
  readonly expiresOn: Day;
  readonly granted: Rational;
  readonly left: Rational;
}

interface OpenLot extends Lot {
  left: Rational;
  /** Whether it reached its expiry on a day without coverage. Then it never expires, but keeps its place. */
  isKept: boolean;
}

export class Lots {
  /** In the order of use: earliest expiry first, then posting. */
  readonly #lots: OpenLot[] = [];
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
    const at = this.#lots.findIndex(
      (other) => other.expiresOn > expiresOn || (other.expiresOn === expiresOn && other.postedOn > postedOn),
    );
    this.#lots.splice(at === -1 ? this.#lots.length : at, 0, lot);
  }

  /** Takes minutes from the lots in order. The next lots owe the rest. */
  use(minutes: Rational, inOrder = this.#lots): void {
    if (!this.isUsed) return;
    const rest = this.#takeFrom(() => true, minutes, inOrder);
    this.#owed = add(this.#owed, rest);
  }

  /** Adds minutes above zero, or takes the others. */
  change(day: Day, minutes: Rational, expiresOn: Day): void {
    if (sign(minutes) >= 0) this.add(day, expiresOn, minutes);
    else this.use(negate(minutes));
  }

  /** Adds what never expires, or takes it back: from what never expires first, then from the latest expiry. */
  changeRest(day: Day, minutes: Rational): void {
    if (sign(minutes) > 0) this.add(day, Infinity, minutes);
    else this.use(negate(minutes), this.#lots.toReversed());
  }

  /** Takes minutes from the lots that were posted on the days `first` through `last` and expire. */
  forfeit(first: Day, last: Day, minutes: Rational): void {
    this.#takeFrom((lot) => isGrantOf(lot, first, last), minutes);
  }

  /** What is left of the lots that were posted on the days `first` through `last` and expire. */
  leftOf(first: Day, last: Day): Rational {
    let sum = ZERO;
    for (const lot of this.#lots) if (isGrantOf(lot, first, last)) sum = add(sum, lot.left);
    return sum;
  }

  get nextExpiry(): Day {
    if (!this.isUsed) return Infinity;
    return this.#lots.find(({ isKept }) => !isKept)?.expiresOn ?? Infinity;
  }

  /** Takes the next lot out. */
  expire(): Lot {
    const at = this.#lots.findIndex(({ isKept }) => !isKept);
    return this.#lots.splice(at, 1)[0]!; // there is a next expiry
  }

  /** Makes the next lot never expire. */
  keep(): Lot {
    const lot = this.#lots.find(({ isKept }) => !isKept)!; // there is a next expiry
    lot.isKept = true;
    return lot;
  }

  /** Copies of the lots. */
  all(): readonly Lot[] {
    return this.#lots.map((lot) => ({ ...lot }));
  }

  clear(): void {
    this.#lots.length = 0;
    this.#owed = ZERO;
  }

  /** Returns the minutes that the lots could not cover. */
  #takeFrom(isTaken: (lot: Lot) => boolean, minutes: Rational, inOrder = this.#lots): Rational {
    let rest = minutes;
    for (const lot of inOrder) {
      if (sign(rest) <= 0) break;
      if (!isTaken(lot)) continue;
      const taken = smaller(lot.left, rest);
      lot.left = subtract(lot.left, taken);
      rest = subtract(rest, taken);
    }
    for (let at = this.#lots.length - 1; at >= 0; at--)
      if (sign(this.#lots[at]!.left) <= 0) this.#lots.splice(at, 1);
    return atLeastZero(rest);
  }
}

function isGrantOf({ postedOn, expiresOn }: Lot, first: Day, last: Day): boolean {
  return expiresOn !== Infinity && postedOn >= first && postedOn <= last;
}
