/** The postings of an assignment: everything that changes what a worker has, in order, with the reason. */
import { addMonths, type Day, formatDay } from "../time/day.ts";
import { accrue } from "./accruals.ts";
import { type Coverage, coverageOf, type GrantReceiver, isCovered } from "./coverage.ts";
import {
  type AdjustmentFacts,
  type BalanceFacts,
  countsFrom,
  inOrder,
  type PolicyRules,
  rulesOf,
} from "./facts.ts";
import { approvedLeave } from "./leave.ts";
import { type Lot, Lots } from "./lots.ts";
import { carriedExpiry, expiryDay } from "./openings.ts";
import { carryoverYears, leaveYears, type Periods, periodOf, periodStart } from "./periods.ts";
import {
  add,
  atLeastZero,
  decimalText,
  multiply,
  negate,
  type Rational,
  rational,
  sign,
  smaller,
  subtract,
  ZERO,
} from "./rational.ts";
import { limitByService } from "./service.ts";

export type PostingKind = "opening" | "moved" | "forfeit" | "expiry" | "revalued" | "adjustment" | "accrual";

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
  /** What the balance cap cut of an accrual. */
  cut: Rational,
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
 * Hands over every posting up to and including `until`: by day, and on one day what moves here, forfeits, expiries, adjustments,
 * accruals, what moves away, the opening (docs/balances.md, Postings). An unlimited policy has none. `isExplained` asks for details.
 */
export function eachPosting(
  facts: BalanceFacts,
  until: Day,
  isExplained: boolean,
  receive: ReceivePosting,
): void {
  if (facts.policy.isUnlimited || until < countsFrom(facts) - 1) return;
  const account = postThrough(facts, until, isExplained, receive);
  if (facts.movesOn === null || facts.movesOn > until) return;
  account.moveAway(facts.movesOn);
  account.settle(until);
}

/** An account with all postings up to and including a day, or to the day on which its balance moves away. */
function postThrough(
  facts: BalanceFacts,
  until: Day,
  isExplained: boolean,
  receive: ReceivePosting,
): Account {
  const coverage = coverageOf(facts);
  const last = Math.min(until, facts.movesOn ?? Infinity);
  const account = new Account(facts, coverage, last, isExplained, receive);
  accrue(facts, coverage, last, isExplained, account);
  account.settle(last);
  return account;
}

/** What is left under a policy on the day on which it moves to another. */
interface Left {
  readonly minutes: Rational;
  readonly carried: readonly Carried[];
  readonly lots: readonly Lot[];
}

function leftOn(facts: BalanceFacts, day: Day): Left {
  if (day < countsFrom(facts) - 1) return { minutes: ZERO, carried: [], lots: [] };
  return postThrough({ ...facts, movesOn: day }, day, false, () => {}).left(day);
}

/** What was carried over at a year boundary and has not expired. */
interface Carried {
  readonly on: Day;
  readonly expiresOn: Day;
  minutes: Rational;
  /** Approved leave of all days before the boundary. */
  readonly leaveBefore: Rational;
  /** What negative adjustments and other expiries took since. */
  takenAway: Rational;
}

/** Posts in order of days, and knows the running balance. */
class Account implements GrantReceiver {
  readonly #facts: BalanceFacts;
  readonly #isExplained: boolean;
  readonly #receive: ReceivePosting;
  readonly #coverage: Coverage;
  readonly #rules: PolicyRules;
  readonly #adjustments: readonly AdjustmentFacts[];
  /** At their start time is forfeited and carried over. */
  readonly #years: Periods;
  readonly #leaveYears: Periods;
  /** Accruals unlock on this day at the earliest. */
  readonly #usableFrom: Day;
  readonly #limitOn: ((day: Day) => Rational | null) | null;
  readonly #capOn: ((day: Day) => Rational | null) | null;
  readonly #yearlyCap: Rational | null;
  readonly #expires: boolean;
  /** Where grants expire one by one. */
  readonly #lots: Lots | null;
  /** What the rules granted by the opening, which fills it; its minutes are not counted. */
  readonly #grantsInOpening: { readonly day: Day; minutes: Rational }[] = [];
  readonly #countsFrom: Day;
  #isOpen: boolean;
  #nextAdjustment = 0;
  /** The day on which a balance moves here; Infinity: none, or it has. */
  #movesHereOn: Day;
  /** The next year boundary at which something is forfeited or carried over; Infinity: none. */
  #boundary: Day = Infinity;
  #boundaryYear = 0;
  readonly #lastBoundary: Day;
  /** By the day of expiry. */
  #carried: Carried[] = [];
  /** All that was posted, less `#leave`. */
  #running: Rational = ZERO;
  /** Approved leave of the days before the day of the last look. */
  #leave: Rational = ZERO;
  #leaveThrough: ((through: Day) => Rational) | null = null;
  /** What was posted and unlocks on `#usableFrom`. */
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
    const { assignment, opening } = facts;
    const rules = rulesOf(facts);
    this.#facts = facts;
    this.#isExplained = isExplained;
    this.#receive = receive;
    this.#coverage = coverage;
    this.#rules = rules;
    this.#countsFrom = countsFrom(facts);
    this.#isOpen = opening === null;
    const adjustments = inOrder(facts.adjustments);
    this.#adjustments = opening === null ? adjustments : adjustments.filter(({ day }) => day > opening.day);
    this.#usableFrom = assignment.assignedOn + rules.waitingPeriodDays;
    const isMovedHere = facts.movesFrom !== null && assignment.assignedOn >= this.#countsFrom;
    this.#movesHereOn = isMovedHere ? assignment.assignedOn : Infinity;
    this.#limitOn = limitByService(facts, rules.carryoverLimitMinutes, rules.carryoverLimitTiers);
    this.#capOn = limitByService(facts, rules.balanceCapMinutes, rules.balanceCapTiers);
    this.#yearlyCap = orNull(rules.yearlyAccrualCapMinutes);
    this.#expires = rules.carryoverExpiresAfterMonths !== null || rules.carryoverExpiresAfterDays !== null;
    this.#lots = rules.grantsExpireAfterMonths === null ? null : new Lots();
    this.#years = carryoverYears(rules, assignment.assignedOn);
    this.#leaveYears = leaveYears(rules, assignment.assignedOn);
    this.#lastBoundary = Math.min(coverage.last, until);
    if (this.#limitOn !== null || this.#expires) {
      // The first boundary is after the first day; one on it counts if a balance moves here on that day.
      const first = Math.max(coverage.first - (isMovedHere ? 1 : 0), this.#countsFrom - 1);
      this.#boundaryYear = periodOf(this.#years, first);
      this.#nextBoundary();
    }
  }

  /** Posts everything that comes before an accrual, then the accrual, cut by the caps. Returns what is left of it. */
  accrue(day: Day, minutes: Rational, earnedFrom: Day, detail: string): Rational {
    const counts = day >= this.#countsFrom;
    if (counts) this.settle(day);
    let cut = minutes;
    let lost = ZERO;
    let words = detail;
    if (this.#yearlyCap !== null) {
      cut = smaller(cut, atLeastZero(subtract(this.#yearlyCap, this.#accruedInYearOf(day))));
      if (this.#isExplained && cut !== minutes)
        words += `; ${decimalText(minutes)} cut to ${decimalText(cut)} by the yearly cap of ${decimalText(this.#yearlyCap)}`;
    }
    const cap = counts ? (this.#capOn?.(earnedFrom) ?? null) : null;
    if (cap !== null) {
      const before = cut;
      cut = smaller(cut, atLeastZero(subtract(cap, this.#runningBalanceOn(day))));
      lost = subtract(before, cut);
      if (this.#isExplained && cut !== before)
        words += `; ${decimalText(before)} cut to ${decimalText(cut)} by the balance cap of ${decimalText(cap)}`;
    }
    if (this.#yearlyCap !== null) this.#accrued = add(this.#accrued, cut);
    if (!counts) {
      this.#grantsInOpening.push({ day, minutes: cut });
      return cut;
    }
    if (this.#lots !== null) this.#fill(this.#lots, day, cut, this.#expiryOfGrant(day));
    this.#post(day, cut, "accrual", Math.max(day, this.#usableFrom), words, null, lost);
    return cut;
  }

  /** Posts that what is left is multiplied, but for what running periods granted for later days. */
  revalue(day: Day, granted: Rational, ratio: Rational, detail: string): void {
    if (day < this.#countsFrom) return;
    this.settle(day - 1);
    this.#settleYears(day);
    const earned = subtract(this.#runningBalanceOn(day), granted);
    if (sign(earned) <= 0) return;
    const change = subtract(ratio, 1);
    const lockedBalance = day < this.#usableFrom ? atLeastZero(subtract(this.#locked, granted)) : ZERO;
    const locked = multiply(smaller(earned, lockedBalance), change);
    const rest = subtract(multiply(earned, change), locked);
    if (sign(locked) !== 0) this.#post(day, locked, "revalued", this.#usableFrom, detail);
    if (sign(rest) !== 0) this.#post(day, rest, "revalued", day, detail);
    for (const carried of this.#carried) {
      const left = atLeastZero(subtract(carried.minutes, this.#takenOf(carried)));
      carried.minutes = add(carried.minutes, multiply(left, change));
    }
  }

  /** Posts everything up to and including a day that is no accrual. */
  settle(through: Day): void {
    if (!this.#isOpen) this.#open();
    for (; this.#nextAdjustment < this.#adjustments.length; this.#nextAdjustment++) {
      const adjustment = this.#adjustments[this.#nextAdjustment]!;
      if (adjustment.day > through) break;
      this.#settleYears(adjustment.day);
      const minutes = rational(adjustment.minutes);
      if (sign(minutes) < 0) this.#noteTaken(negate(minutes));
      if (this.#lots !== null) this.#fill(this.#lots, adjustment.day, minutes, Infinity);
      this.#post(adjustment.day, minutes, "adjustment", adjustment.day, ADJUSTED, adjustment);
    }
    this.#settleYears(through);
  }

  /** What is left at the end of a day but for its leave. */
  left(day: Day): Left {
    const minutes = this.#runningBalanceOn(day);
    const carried = this.#carried.map((one) => ({
      ...one,
      minutes: atLeastZero(subtract(one.minutes, this.#takenOf(one))),
      takenAway: ZERO,
    }));
    return { minutes, carried, lots: this.#lots?.all() ?? [] };
  }

  /** Posts that what is left moves to another policy, time that is still locked apart. */
  moveAway(day: Day): void {
    const { minutes } = this.left(day);
    this.#carried = [];
    this.#lots?.clear();
    const locked = day < this.#usableFrom ? this.#locked : ZERO;
    const detail = this.#isExplained ? "what is left moves to the policy that follows" : "";
    if (sign(locked) !== 0) this.#post(day, negate(locked), "moved", this.#usableFrom, detail);
    const rest = subtract(minutes, locked);
    if (sign(rest) !== 0) this.#post(day, negate(rest), "moved", day, detail);
  }

  /** Posts the opening: nothing before it counted (docs/balances.md, Opening balances). */
  #open(): void {
    this.#isOpen = true;
    const { day, minutes, carriedMinutes, accruedMinutes } = this.#facts.opening!; // without one it is open
    const expiry = carriedExpiry(this.#facts);
    if (expiry !== null && carriedMinutes > 0) {
      const minutes = rational(carriedMinutes);
      this.#carried.push({ ...expiry, minutes, leaveBefore: ZERO, takenAway: ZERO });
    }
    if (accruedMinutes !== null && this.#yearlyCap !== null) {
      this.#accruedInYearOf(day);
      this.#accrued = rational(accruedMinutes);
    }
    if (this.#lots !== null) this.#fillFromOpening(this.#lots, day, rational(minutes));
    const words =
      carriedMinutes > 0 ? `opening, of which ${carriedMinutes} were carried over` : "opening, as imported";
    this.#post(day, rational(minutes), "opening", minutes > 0 ? Math.max(day, this.#usableFrom) : day, words);
  }

  /** Posts what was left under the policy before, which can be used at once. */
  #moveHere(): void {
    const day = this.#movesHereOn;
    this.#movesHereOn = Infinity;
    const { minutes, carried, lots } = leftOn(this.#facts.movesFrom!, day); // it moves here
    this.#runningBalanceOn(day);
    if (this.#lots !== null) {
      let rest = minutes;
      for (const lot of lots) {
        this.#lots.add(lot.postedOn, lot.expiresOn, lot.left, lot.granted);
        rest = subtract(rest, lot.left);
      }
      this.#fill(this.#lots, day, rest, Infinity);
    }
    this.#post(day, minutes, "moved", day, "what was left under the policy before");
    if (!this.#expires) return;
    for (const one of carried) this.#carried.push({ ...one, leaveBefore: this.#leave });
  }

  /** Posts what moves here, and the forfeits and expiries up to and including a day. An expiry comes after a forfeit. */
  #settleYears(through: Day): void {
    for (;;) {
      const expiresOn = this.#carried[0]?.expiresOn ?? this.#lots?.nextExpiry ?? Infinity;
      const day = Math.min(this.#movesHereOn, this.#boundary, expiresOn);
      // What would expire on the day on which it moves away expires where it moves to.
      if (day > through || (day === expiresOn && day === this.#facts.movesOn)) return;
      if (day === this.#movesHereOn) this.#moveHere();
      else if (day === this.#boundary) this.#endYear(day);
      else if (this.#lots !== null) this.#expireLot(this.#lots, day);
      else this.#expire(this.#carried.shift()!); // it is the one that expires
    }
  }

  /** Forfeits what exceeds the limit, and notes what is carried over. */
  #endYear(boundary: Day): void {
    const { assignment, movesFrom } = this.#facts;
    const isDayBeforeCovered =
      isCovered(this.#coverage, boundary - 1) || (movesFrom !== null && boundary === assignment.assignedOn);
    if (isCovered(this.#coverage, boundary) && isDayBeforeCovered) {
      const yearBefore = periodStart(this.#years, this.#boundaryYear - 1);
      const running = this.#runningBalanceOn(boundary);
      const balance = this.#lots === null ? running : this.#lots.leftOf(yearBefore, boundary - 1);
      const limit = this.#limitOn?.(boundary) ?? balance;
      const excess = subtract(balance, limit);
      if (sign(excess) > 0) {
        const detail = this.#isExplained
          ? `the year ends with ${decimalText(balance)}, of which ${decimalText(limit)} may be carried over`
          : "";
        this.#lots?.forfeit(yearBefore, boundary - 1, excess);
        this.#take(boundary, excess, "forfeit", detail);
      }
      if (this.#expires) {
        this.#carried.push({
          on: boundary,
          expiresOn: expiryDay(this.#rules, boundary)!, // it expires
          minutes: atLeastZero(this.#running),
          leaveBefore: this.#leave,
          takenAway: ZERO,
        });
        this.#carried.sort((a, b) => a.expiresOn - b.expiresOn || a.on - b.on);
      }
    }
    this.#nextBoundary();
  }

  #expiryOfGrant(postedOn: Day): Day {
    return addMonths(postedOn, this.#rules.grantsExpireAfterMonths!); // there are lots
  }

  /** Adds minutes to the lots, or takes them from the lots. */
  #fill(lots: Lots, day: Day, minutes: Rational, expiresOn: Day): void {
    this.#runningBalanceOn(day);
    if (sign(minutes) >= 0) lots.add(day, expiresOn, minutes);
    else lots.use(negate(minutes));
  }

  /** The opening fills the grants that the rules gave and that have not expired, the newest first. The rest does not expire. */
  #fillFromOpening(lots: Lots, day: Day, minutes: Rational): void {
    let rest = minutes;
    for (const grant of this.#grantsInOpening.toReversed()) {
      const expiresOn = this.#expiryOfGrant(grant.day);
      const filled = atLeastZero(smaller(rest, grant.minutes));
      if (expiresOn <= day || sign(filled) === 0) continue;
      lots.add(grant.day, expiresOn, filled, grant.minutes);
      rest = subtract(rest, filled);
    }
    this.#fill(lots, day, rest, Infinity);
  }

  /** Posts the expiry of what is left of a grant. */
  #expireLot(lots: Lots, day: Day): void {
    this.#runningBalanceOn(day);
    if (lots.nextExpiry !== day) return; // leave took the rest of it
    if (!isCovered(this.#coverage, day)) {
      lots.keep();
      return;
    }
    const { postedOn, granted, left } = lots.expire();
    const detail = this.#isExplained
      ? `${decimalText(left)} of the ${decimalText(granted)} granted on ${formatDay(postedOn)} were not used in ${this.#rules.grantsExpireAfterMonths} months`
      : "";
    this.#take(day, left, "expiry", detail);
  }

  /** Posts the expiry of what was carried over, less what was taken since. */
  #expire(carried: Carried): void {
    const { on, expiresOn, minutes } = carried;
    if (!isCovered(this.#coverage, expiresOn)) return;
    const balance = this.#runningBalanceOn(expiresOn);
    const taken = this.#takenOf(carried);
    const kept = rational(this.#rules.carryoverKeepsMinutes ?? 0);
    const expired = atLeastZero(smaller(balance, subtract(subtract(minutes, kept), taken)));
    this.#noteTaken(expired);
    let detail = "";
    if (this.#isExplained) {
      detail = `${decimalText(minutes)} carried over on ${formatDay(on)}, ${decimalText(taken)} taken before ${formatDay(expiresOn)}`;
      if (sign(kept) > 0) detail += `, ${decimalText(kept)} never expire`;
    }
    this.#take(expiresOn, expired, "expiry", detail);
  }

  /** What was taken of it until the last look at the running balance. */
  #takenOf({ leaveBefore, takenAway }: Carried): Rational {
    return add(subtract(this.#leave, leaveBefore), takenAway);
  }

  /** Notes that something other than leave took from what was carried over. */
  #noteTaken(minutes: Rational): void {
    for (const carried of this.#carried) carried.takenAway = add(carried.takenAway, minutes);
  }

  /** Takes minutes away, time that is locked on that day first (docs/balances.md, Locked time). */
  #take(day: Day, minutes: Rational, kind: "forfeit" | "expiry", detail: string): void {
    const locked = day < this.#usableFrom ? smaller(minutes, atLeastZero(this.#locked)) : ZERO;
    const unlocked = subtract(minutes, locked);
    if (sign(locked) > 0) {
      const words = detail && `${detail}; from time that is still locked`;
      this.#post(day, negate(locked), kind, this.#usableFrom, words);
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
    cut = ZERO,
  ): void {
    this.#running = add(this.#running, minutes);
    if (unlocksOn > day) this.#locked = add(this.#locked, minutes);
    this.#receive(day, minutes, kind, unlocksOn, detail, source, cut);
  }

  /** All that was posted, less the approved leave of earlier days: later leave changes neither a cap nor a forfeit. */
  #runningBalanceOn(day: Day): Rational {
    const { requests, worker } = this.#facts;
    this.#leaveThrough ??= approvedLeave(requests, worker, this.#countsFrom);
    const leave = this.#leaveThrough(day - 1);
    if (leave === ZERO) return this.#running;
    this.#lots?.use(leave);
    this.#leave = add(this.#leave, leave);
    this.#running = subtract(this.#running, leave);
    return this.#running;
  }

  #accruedInYearOf(day: Day): Rational {
    if (day >= this.#accruedUntil) {
      this.#accrued = ZERO;
      this.#accruedUntil = periodStart(this.#leaveYears, periodOf(this.#leaveYears, day) + 1);
    }
    return this.#accrued;
  }
}

const ADJUSTED = "adjustment, as imported";

function orNull(minutes: number | null): Rational | null {
  return minutes === null ? null : rational(minutes);
}
