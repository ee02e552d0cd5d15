/** The postings of an assignment: everything that changes what a worker has, in order, with the reason. */
import { addMonths, type Day, formatDay } from "../time/day.ts";
import { accrue, type Coverage, coverageOf, inOrder, isCovered } from "./accruals.ts";
import type { AdjustmentFacts, BalanceFacts, PolicyRules } from "./facts.ts";
import { approvedLeave } from "./leave.ts";
import { leaveYears, type Periods, periodOf, periodStart } from "./periods.ts";
import {
  add,
  atLeastZero,
  decimalText,
  negate,
  type Rational,
  rational,
  sign,
  smaller,
  subtract,
  ZERO,
} from "./rational.ts";

export type PostingKind = "accrual" | "adjustment" | "forfeit" | "expiry";

export interface Posting {
  readonly postedOn: Day;
  readonly minutes: Rational;
  readonly kind: PostingKind;
  /** The day from which the minutes count as usable: never before `postedOn`. */
  readonly unlocksOn: Day;
  /** How the amount came about, in words; empty unless it was asked for. */
  readonly detail: string;
  /** The adjustment that it comes from. */
  readonly source: AdjustmentFacts | null;
}

/** Receives the parts of a posting; scalars, because a page of balances makes thousands. */
export type ReceivePosting = (
  postedOn: Day,
  minutes: Rational,
  kind: PostingKind,
  unlocksOn: Day,
  detail: string,
  source: AdjustmentFacts | null,
) => void;

/** All postings up to and including `until`, in order, with details. */
export function postings(facts: BalanceFacts, until: Day): Posting[] {
  const list: Posting[] = [];
  eachPosting(facts, until, true, (postedOn, minutes, kind, unlocksOn, detail, source) => {
    list.push({ postedOn, minutes, kind, unlocksOn, detail, source });
  });
  return list;
}

/**
 * Hands over every posting up to and including `until`: by day, and on one day forfeits, expiries, adjustments,
 * accruals (docs/balances.md, Postings). An unlimited policy has none. `isExplained` asks for details.
 */
export function eachPosting(
  facts: BalanceFacts,
  until: Day,
  isExplained: boolean,
  receive: ReceivePosting,
): void {
  if (facts.policy.isUnlimited) return;
  const coverage = coverageOf(facts);
  if (!looksBack(facts.policy.rules)) {
    postAsGranted(facts, coverage, until, isExplained, receive);
    return;
  }
  const account = new Account(facts, coverage, until, isExplained, receive);
  accrue(facts, coverage, until, isExplained, (day, minutes, detail) => account.accrue(day, minutes, detail));
  account.settle(until);
}

/** Whether a posting can depend on those before it. */
function looksBack(rules: PolicyRules): boolean {
  return (
    rules.carryoverLimitMinutes !== null ||
    rules.balanceCapMinutes !== null ||
    rules.yearlyAccrualCapMinutes !== null ||
    rules.carryoverExpiresAfterMonths !== null ||
    rules.carryoverExpiresAfterDays !== null
  );
}

/** The postings of a policy without caps, limits and expiry: grants and adjustments as they are, in order. */
function postAsGranted(
  facts: BalanceFacts,
  coverage: Coverage,
  until: Day,
  isExplained: boolean,
  receive: ReceivePosting,
): void {
  const adjustments = inOrder(facts.adjustments);
  const usableFrom = facts.assignment.assignedOn + facts.policy.rules.waitingPeriodDays;
  let next = 0;
  const adjustThrough = (day: Day) => {
    for (; next < adjustments.length && adjustments[next]!.day <= day; next++) {
      const adjustment = adjustments[next]!;
      receive(
        adjustment.day,
        rational(adjustment.minutes),
        "adjustment",
        adjustment.day,
        ADJUSTED,
        adjustment,
      );
    }
  };
  accrue(facts, coverage, until, isExplained, (day, minutes, detail) => {
    adjustThrough(day);
    receive(day, minutes, "accrual", day < usableFrom ? usableFrom : day, detail, null);
  });
  adjustThrough(until);
}

const ADJUSTED = "adjustment, as imported";

/** What was carried over at a year boundary and has not expired. */
interface Carried {
  readonly on: Day;
  readonly expiresOn: Day;
  readonly minutes: Rational;
  /** Approved leave of all days before the boundary. */
  readonly leaveBefore: Rational;
  /** What negative adjustments took since. */
  adjustedAway: Rational;
}

/** Posts in order of days. Computes the running balance if a rule needs it. */
class Account {
  readonly #isExplained: boolean;
  readonly #receive: ReceivePosting;
  readonly #coverage: Coverage;
  readonly #rules: PolicyRules;
  readonly #adjustments: readonly AdjustmentFacts[];
  readonly #years: Periods;
  /** Accruals unlock on this day at the earliest. */
  readonly #usableFrom: Day;
  readonly #limit: Rational | null;
  readonly #cap: Rational | null;
  readonly #yearlyCap: Rational | null;
  readonly #expires: boolean;
  readonly #leaveThrough: ((through: Day) => Rational) | null;
  #nextAdjustment = 0;
  /** The next year boundary at which something is forfeited or carried over; Infinity: none. */
  #boundary: Day = Infinity;
  #boundaryYear = 0;
  readonly #lastBoundary: Day;
  #carried: Carried | null = null;
  /** All that was posted, less `#leave`. */
  #running: Rational = ZERO;
  /** Approved leave of the days before the day of the last look. */
  #leave: Rational = ZERO;
  /** Accruals and forfeits that unlock on `#usableFrom`. */
  #locked: Rational = ZERO;
  /** The accruals of the leave year that ends before `#accruedUntil`. */
  #accrued: Rational = ZERO;
  #accruedUntil: Day = -Infinity;

  constructor(
    facts: BalanceFacts,
    coverage: Coverage,
    until: Day,
    isExplained: boolean,
    receive: ReceivePosting,
  ) {
    const { assignment, policy, requests, worker } = facts;
    const { rules } = policy;
    this.#isExplained = isExplained;
    this.#receive = receive;
    this.#coverage = coverage;
    this.#rules = rules;
    this.#adjustments = inOrder(facts.adjustments);
    this.#usableFrom = assignment.assignedOn + rules.waitingPeriodDays;
    this.#limit = orNull(rules.carryoverLimitMinutes);
    this.#cap = orNull(rules.balanceCapMinutes);
    this.#yearlyCap = orNull(rules.yearlyAccrualCapMinutes);
    this.#expires = rules.carryoverExpiresAfterMonths !== null || rules.carryoverExpiresAfterDays !== null;
    this.#years = leaveYears(rules, assignment.assignedOn);
    this.#lastBoundary = Math.min(coverage.last, until);
    const needsBoundaries = this.#limit !== null || this.#expires;
    this.#leaveThrough =
      needsBoundaries || this.#cap !== null ? approvedLeave(requests, worker.workDays) : null;
    if (needsBoundaries) {
      this.#boundaryYear = periodOf(this.#years, coverage.first);
      this.#nextBoundary();
    }
  }

  /** Posts everything that comes before an accrual, then the accrual, cut by the caps. */
  accrue(day: Day, minutes: Rational, detail: string): void {
    this.settle(day);
    let cut = minutes;
    let words = detail;
    if (this.#yearlyCap !== null) {
      cut = smaller(cut, atLeastZero(subtract(this.#yearlyCap, this.#accruedInYearOf(day))));
      if (this.#isExplained && cut !== minutes)
        words += `; ${decimalText(minutes)} cut to ${decimalText(cut)} by the yearly cap of ${decimalText(this.#yearlyCap)}`;
    }
    if (this.#cap !== null) {
      const before = cut;
      cut = smaller(cut, atLeastZero(subtract(this.#cap, this.#runningBalanceOn(day))));
      if (this.#isExplained && cut !== before)
        words += `; ${decimalText(before)} cut to ${decimalText(cut)} by the balance cap of ${decimalText(this.#cap)}`;
    }
    if (this.#yearlyCap !== null) this.#accrued = add(this.#accrued, cut);
    const unlocksOn = Math.max(day, this.#usableFrom);
    if (this.#leaveThrough !== null && unlocksOn > day) this.#locked = add(this.#locked, cut);
    this.#post(day, cut, "accrual", unlocksOn, words);
  }

  /** Posts all forfeits, expiries and adjustments up to and including a day. */
  settle(through: Day): void {
    for (; this.#nextAdjustment < this.#adjustments.length; this.#nextAdjustment++) {
      const adjustment = this.#adjustments[this.#nextAdjustment]!;
      if (adjustment.day > through) break;
      this.#settleYears(adjustment.day);
      const minutes = rational(adjustment.minutes);
      if (this.#carried !== null && sign(minutes) < 0)
        this.#carried.adjustedAway = subtract(this.#carried.adjustedAway, minutes);
      this.#post(adjustment.day, minutes, "adjustment", adjustment.day, ADJUSTED, adjustment);
    }
    this.#settleYears(through);
  }

  /** Posts the forfeits and expiries up to and including a day. An expiry comes before the next boundary. */
  #settleYears(through: Day): void {
    for (;;) {
      const expiresOn = this.#carried?.expiresOn ?? Infinity;
      if (Math.min(expiresOn, this.#boundary) > through) return;
      if (expiresOn < this.#boundary) this.#expire(this.#carried!);
      else this.#endYear(this.#boundary);
    }
  }

  /** Forfeits what exceeds the limit, and notes what is carried over. */
  #endYear(boundary: Day): void {
    if (isCovered(this.#coverage, boundary) && isCovered(this.#coverage, boundary - 1)) {
      const balance = this.#runningBalanceOn(boundary);
      const limit = this.#limit;
      if (limit !== null && sign(subtract(balance, limit)) > 0) {
        const detail = this.#isExplained
          ? `the year ends with ${decimalText(balance)}, of which ${decimalText(limit)} may be carried over`
          : "";
        this.#take(boundary, subtract(balance, limit), "forfeit", detail);
      }
      if (this.#expires) {
        this.#carried = {
          on: boundary,
          expiresOn: this.#expiryOf(boundary),
          minutes: atLeastZero(this.#running),
          leaveBefore: this.#leave,
          adjustedAway: ZERO,
        };
      }
    }
    this.#nextBoundary();
  }

  #expiryOf(boundary: Day): Day {
    const { carryoverExpiresAfterMonths, carryoverExpiresAfterDays } = this.#rules;
    return carryoverExpiresAfterMonths !== null
      ? addMonths(boundary, carryoverExpiresAfterMonths)
      : boundary + carryoverExpiresAfterDays!;
  }

  /** Posts the expiry of what was carried over, less what was used or adjusted away since. */
  #expire({ on, expiresOn, minutes, leaveBefore, adjustedAway }: Carried): void {
    this.#carried = null;
    if (!isCovered(this.#coverage, expiresOn)) return;
    const balance = this.#runningBalanceOn(expiresOn);
    const taken = add(subtract(this.#leave, leaveBefore), adjustedAway);
    const expired = atLeastZero(smaller(balance, subtract(minutes, taken)));
    const detail = this.#isExplained
      ? `${decimalText(minutes)} carried over on ${formatDay(on)}, ${decimalText(taken)} taken before ${formatDay(expiresOn)}`
      : "";
    this.#take(expiresOn, expired, "expiry", detail);
  }

  /** Takes minutes away, time that is locked on that day first (docs/balances.md, Locked time). */
  #take(day: Day, minutes: Rational, kind: "forfeit" | "expiry", detail: string): void {
    const locked = day < this.#usableFrom ? smaller(minutes, atLeastZero(this.#locked)) : ZERO;
    const unlocked = subtract(minutes, locked);
    if (sign(locked) > 0) {
      this.#locked = subtract(this.#locked, locked);
      this.#post(
        day,
        negate(locked),
        kind,
        this.#usableFrom,
        detail && `${detail}; from time that is still locked`,
      );
    }
    if (sign(unlocked) > 0) this.#post(day, negate(unlocked), kind, day, detail);
  }

  #nextBoundary(): void {
    this.#boundaryYear += 1;
    this.#boundary = periodStart(this.#years, this.#boundaryYear);
    if (this.#boundary > this.#lastBoundary) this.#boundary = Infinity;
  }

  #post(
    day: Day,
    minutes: Rational,
    kind: PostingKind,
    unlocksOn: Day,
    detail: string,
    source: AdjustmentFacts | null = null,
  ): void {
    if (this.#leaveThrough !== null) this.#running = add(this.#running, minutes);
    this.#receive(day, minutes, kind, unlocksOn, detail, source);
  }

  /**
   * All that was posted so far, less the approved leave of earlier days: later leave neither lets more accrue under a cap
   * nor reduces a forfeit.
   */
  #runningBalanceOn(day: Day): Rational {
    const leave = this.#leaveThrough!(day - 1);
    if (leave === ZERO) return this.#running;
    this.#leave = add(this.#leave, leave);
    this.#running = subtract(this.#running, leave);
    return this.#running;
  }

  #accruedInYearOf(day: Day): Rational {
    if (day >= this.#accruedUntil) {
      this.#accrued = ZERO;
      this.#accruedUntil = periodStart(this.#years, periodOf(this.#years, day) + 1);
    }
    return this.#accrued;
  }
}

function orNull(minutes: number | null): Rational | null {
  return minutes === null ? null : rational(minutes);
}
