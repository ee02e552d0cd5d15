/** The postings of an assignment: every change of its balance but leave, in order, with the reason. */
import { addMonths, type Day, formatDay } from "../time/day.ts";
import { Accruals } from "./accruals.ts";
import { type Coverage, coverageOf, employmentOf, isCovered } from "./coverage.ts";
import { type Detail, type DetailPart, part } from "./detail.ts";
import {
  type AdjustmentFacts,
  adjustmentsInOrder,
  type BalanceFacts,
  countsFrom,
  type PolicyRules,
} from "./facts.ts";
import { approvedLeave } from "./leave.ts";
import { Lots } from "./lots.ts";
import { leaveYears, type Periods, periodOf, periodStart } from "./periods.ts";
import {
  add,
  addTo,
  atLeastZero,
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
import { limitOn, reachedTiers } from "./service.ts";
import {
  boundaryAfter,
  boundaryUpTo,
  carriedExpiry,
  expiryDay,
  type Version,
  versionDetail,
  versionOn,
  versionsOf,
} from "./versions.ts";
import type { GrantReceiver } from "./worked-hours.ts";
import { type Revaluation, revaluations } from "./working-time.ts";

export type PostingKind =
  | "opening"
  | "moved"
  | "forfeit"
  | "carryoverExpiry"
  | "grantExpiry"
  | "revalued"
  | "adjustment"
  | "accrual";

/** Receives a posting as scalars: a page of balances has thousands of postings. */
export type ReceivePosting = (
  postedOn: Day,
  minutes: Rational,
  kind: PostingKind,
  /** The day from which the minutes count as usable: never before `postedOn`. */
  unlocksOn: Day,
  /** How the amount came about. Call it before the next posting. */
  detail: Detail,
  /** The adjustment that was posted. */
  source: AdjustmentFacts | null,
  /** The minutes that the balance cap cut from an accrual. */
  cut: Rational,
) => void;

/**
 * Passes every posting up to and including `until` to `receive`, by day. The order on one day: moves here, expiries of carried time,
 * forfeits, expiries of grants, revaluing, adjustments, accruals, moves away, the opening (docs/balances.md, Postings). An unlimited
 * policy has none. Returns the last day on which time was lost or revalued; -Infinity if it never was.
 */
export function eachPosting(facts: BalanceFacts, until: Day, receive: ReceivePosting): Day {
  if (facts.policy.isUnlimited || until < countsFrom(facts) - 1) return -Infinity;
  const { movesOn } = facts;
  const endsOn = forfeitsOn(facts);
  const account = new Account(facts, Math.min(until, endsOn), receive);
  if (endsOn <= until) account.forfeitRest(endsOn);
  // An opening of that day or later says what is left after the move.
  else if (movesOn !== null && movesOn <= until && movesOn >= countsFrom(facts)) account.moveAway(movesOn);
  account.settle(until);
  return account.lastLoss;
}

/** The day on which the rest is lost: the one after the last covered day. Infinity if `whenItEnds` is not `forfeit`, or if the rest moves. */
export function forfeitsOn(facts: BalanceFacts): Day {
  if (facts.movesOn !== null) return Infinity;
  const { last } = employmentOf(facts, coverageOf(facts));
  if (last === Infinity || last + 1 < countsFrom(facts)) return Infinity;
  return versionOn(versionsOf(facts), last).rules.whenItEnds === "forfeit" ? last + 1 : Infinity;
}

/** Time that was carried over at a year boundary and has not expired. */
interface Carried {
  readonly on: Day;
  readonly expiresOn: Day;
  minutes: Rational;
  /** The minutes that never expire. */
  readonly keptMinutes: number;
  /** What leave, negative adjustments and other expiries took since. */
  taken: Rational;
}

function leftOf({ minutes, taken }: Carried): Rational {
  return atLeastZero(subtract(minutes, taken));
}

/** A version of the rules, with the tiers of its limits. */
type AccountRules = ReturnType<typeof accountRules>;

function accountRules(version: Version) {
  const { balanceCapTiers, carryoverLimitTiers } = version.rules;
  return {
    ...version,
    capTiers: reachedTiers(version.facts, balanceCapTiers),
    carryoverTiers: reachedTiers(version.facts, carryoverLimitTiers),
  };
}

/** Posted minutes that are not usable yet, by the day on which they unlock. */
class LockedTime {
  readonly #amounts = new Map<Day, Rational>();

  add(unlocksOn: Day, minutes: Rational): void {
    addTo(this.#amounts, unlocksOn, minutes);
  }

  /** The minutes that are locked on a day, soonest to unlock first. */
  on(day: Day): readonly (readonly [unlocksOn: Day, minutes: Rational])[] {
    return [...this.#amounts].filter(([unlocksOn]) => unlocksOn > day).sort(([a], [b]) => a - b);
  }

  /** Splits minutes into parts that are locked on `day`, soonest to unlock first, and an unlocked rest. */
  split(day: Day, minutes: Rational): readonly (readonly [unlocksOn: Day, minutes: Rational])[] {
    let rest = minutes;
    const parts: (readonly [Day, Rational])[] = [];
    for (const [unlocksOn, locked] of this.on(day)) {
      const part = smaller(rest, atLeastZero(locked));
      parts.push([unlocksOn, part]);
      rest = subtract(rest, part);
    }
    return [...parts, [day, rest] as const].filter(([, part]) => sign(part) > 0);
  }
}

/** Posts in order of days, and knows the running balance. */
class Account implements GrantReceiver {
  readonly #versions: readonly AccountRules[];
  readonly #accruals: Accruals;
  /** Includes pauses: years end in them, too. */
  readonly #employment: Coverage;
  /** Revaluations and adjustments, by day. */
  readonly #events: readonly { readonly on: Day; readonly post: () => void }[];
  #nextEvent = 0;
  readonly #leaveYears: Periods;
  readonly #lots: Lots;
  /** Grants up to the opening. They do not count; the opening fills them. */
  readonly #grantsInOpening: { readonly day: Day; readonly expiresOn: Day; minutes: Rational }[] = [];
  readonly #countsFrom: Day;
  #isOpen: boolean;
  /** The day on which a balance moves here; Infinity: never, or it has moved. */
  #movesHereOn: Day;
  /** The next year boundary; Infinity: no boundary matters any more. */
  #boundary: Day = Infinity;
  readonly #lastBoundary: Day;
  /** Sorted by day of expiry. */
  #carried: Carried[] = [];
  /** All postings, less the approved leave before the last day that `#runningBalanceOn` was called with. */
  #running: Rational = ZERO;
  #leaveThrough: ((through: Day) => Rational) | null = null;
  readonly #locked = new LockedTime();
  /** The accruals and the cap of the leave year that ends before `#accruedUntil`. */
  #accrued: Rational = ZERO;
  #accruedUntil: Day;
  #yearlyCap: Rational | null = null;
  /** The last day on which a cap, a forfeit, an expiry or revaluing made a difference. */
  lastLoss: Day = -Infinity;

  /** Posts everything up to and including `until`, or the day on which the balance moves away. */
  constructor(
    private readonly facts: BalanceFacts,
    until: Day,
    private readonly receive: ReceivePosting,
  ) {
    const { assignedOn } = facts.assignment;
    const coverage = coverageOf(facts);
    const versions = versionsOf(facts);
    this.#versions = versions.map(accountRules);
    this.#employment = employmentOf(facts, coverage);
    this.#countsFrom = countsFrom(facts);
    this.#isOpen = facts.opening === null;
    const counts = (day: Day) => day >= this.#countsFrom;
    const events: { on: Day; post: () => void }[] = [];
    for (const revaluation of revaluations(versions, coverage))
      if (counts(revaluation.on)) events.push({ on: revaluation.on, post: () => this.#revalue(revaluation) });
    for (const adjustment of adjustmentsInOrder(facts.adjustments))
      if (counts(adjustment.day)) events.push({ on: adjustment.day, post: () => this.#adjust(adjustment) });
    this.#events = events.sort((a, b) => a.on - b.on);
    const isMovedHere = facts.movesFrom !== null && assignedOn >= this.#countsFrom;
    this.#movesHereOn = isMovedHere ? assignedOn : Infinity;
    this.#accruedUntil = versions.some(({ rules }) => rules.yearlyAccrualCapMinutes !== null)
      ? -Infinity
      : Infinity;
    const grantsExpire = versions.some(({ rules }) => rules.grantsExpireAfterMonths !== null);
    const adjustmentsExpire = facts.adjustments.some(({ expiresOn = null }) => expiresOn !== null);
    this.#lots = new Lots(grantsExpire || adjustmentsExpire);
    this.#leaveYears = leaveYears(facts.policy.rules, assignedOn);
    const last = Math.min(until, facts.movesOn ?? Infinity);
    this.#lastBoundary = Math.min(this.#employment.last, last);
    // Boundaries count after the first day, and on it if a balance moves here that day.
    this.#nextBoundary(Math.max(this.#employment.first - (isMovedHere ? 1 : 0), this.#countsFrom - 1));
    this.#accruals = new Accruals(facts, versions, coverage, this);
    this.#accruals.post(last);
    this.settle(last);
  }

  /** The rules that hold on a day. */
  #on(day: Day): AccountRules {
    return versionOn(this.#versions, day);
  }

  /** Posts everything that comes before an accrual, then the accrual, cut by caps. Returns the minutes posted. */
  accrue(day: Day, minutes: Rational, earnedFrom: Day, rules: PolicyRules, detail: Detail): Rational {
    const counts = day >= this.#countsFrom;
    if (counts) this.settle(day);
    const yearlyCap = this.#yearlyCapOn(day);
    const inYear = yearlyCap === null ? minutes : cutTo(subtract(yearlyCap, this.#accrued), minutes);
    const { rules: then, capTiers } = this.#on(day);
    const cap = counts ? limitOn(then.balanceCapMinutes, capTiers, earnedFrom) : null;
    const cut = cap === null ? inYear : cutTo(subtract(cap, this.#runningBalanceOn(day)), inYear);
    if (yearlyCap !== null) this.#accrued = add(this.#accrued, cut);
    const { grantsExpireAfterMonths: months } = rules;
    const expiresOn = months === null ? Infinity : addMonths(day, months);
    if (!counts) {
      this.#grantsInOpening.push({ day, expiresOn, minutes: cut });
      return cut;
    }
    const words = () => [
      ...detail(),
      ...cutDetail("yearlyCap", minutes, inYear, yearlyCap),
      ...cutDetail("balanceCap", inYear, cut, cap),
    ];
    const lots = this.#lotsOn(day);
    if (expiresOn === Infinity) lots?.changeRest(day, cut);
    else lots?.change(day, cut, expiresOn);
    const usableFrom = this.facts.assignment.assignedOn + rules.waitingPeriodDays;
    const lost = cut === inYear ? ZERO : subtract(inYear, cut);
    if (lost !== ZERO) this.lastLoss = day;
    this.#post(day, cut, "accrual", Math.max(day, usableFrom), words, null, lost);
    return cut;
  }

  /**
   * Posts everything but accruals up to and including a day, in the order of docs/balances.md, Postings. Carried time expires before a
   * forfeit, which would take it a second time.
   */
  settle(through: Day): void {
    if (!this.#isOpen) this.#open();
    for (;;) {
      const carriedOn = this.#carried[0]?.expiresOn ?? Infinity;
      let expiresOn = Math.min(carriedOn, this.#lots.nextExpiry);
      // On the day of a move away, time expires under the policy that it moves to.
      if (expiresOn === this.facts.movesOn) expiresOn = Infinity;
      const event = this.#events[this.#nextEvent];
      const day = Math.min(this.#movesHereOn, this.#boundary, expiresOn, event?.on ?? Infinity);
      if (day > through) return;
      if (day === this.#movesHereOn) this.#moveHere();
      else if (day === expiresOn && day === carriedOn) this.#expireCarried(day);
      else if (day === this.#boundary) this.#endYear(day);
      else if (day === expiresOn) this.#expireLot(day);
      else {
        this.#nextEvent += 1;
        event!.post(); // nothing else is of this day
      }
    }
  }

  #adjust(adjustment: AdjustmentFacts): void {
    const { day, expiresOn } = adjustment;
    const minutes = rational(adjustment.minutes);
    if (sign(minutes) < 0) this.#noteTaken(negate(minutes));
    this.#lotsOn(day)?.change(day, minutes, expiresOn ?? Infinity);
    this.#post(day, minutes, "adjustment", day, () => [part("adjustment")], adjustment);
  }

  /** Multiplies the balance, without what the running period granted for later days. */
  #revalue({ on, ratio, detail }: Revaluation): void {
    const granted = this.#accruals.running?.grantedFrom(on) ?? ZERO;
    const earned = subtract(this.#runningBalanceOn(on), granted);
    if (sign(earned) <= 0) return;
    this.lastLoss = on;
    const change = subtract(ratio, 1);
    const allLocked = this.#locked.on(on).reduce((sum, [, minutes]) => add(sum, minutes), ZERO);
    const locked = smaller(earned, atLeastZero(subtract(allLocked, granted)));
    for (const [unlocksOn, minutes] of this.#locked.split(on, locked))
      this.#post(on, multiply(minutes, change), "revalued", unlocksOn, detail);
    const rest = subtract(earned, locked);
    if (sign(rest) !== 0) this.#post(on, multiply(rest, change), "revalued", on, detail);
    this.#lots.changeRest(on, multiply(earned, change));
    for (const carried of this.#carried) {
      carried.minutes = add(carried.minutes, multiply(leftOf(carried), change));
    }
  }

  /** Posts that the balance moves to another policy; locked time is a posting of its own. */
  moveAway(day: Day): void {
    let rest = this.#takeAll(day);
    const detail = () => [part("movesAway")];
    for (const [unlocksOn, minutes] of this.#locked.on(day)) {
      if (sign(minutes) !== 0) this.#post(day, negate(minutes), "moved", unlocksOn, detail);
      rest = subtract(rest, minutes);
    }
    if (sign(rest) !== 0) this.#post(day, negate(rest), "moved", day, detail);
  }

  /** Posts that the rest is lost because the policy ends. */
  forfeitRest(day: Day): void {
    this.#lose(day, this.#takeAll(day), "forfeit", () => [part("policyEnds")], true);
  }

  /** Returns the running balance, and empties the parts of it that would expire later. */
  #takeAll(day: Day): Rational {
    const minutes = this.#runningBalanceOn(day);
    this.#carried = [];
    this.#lots.clear();
    return minutes;
  }

  /** Posts the opening; nothing before it counts (docs/balances.md, Opening balances). */
  #open(): void {
    this.#isOpen = true;
    const { day, minutes, carriedMinutes, accruedMinutes } = this.facts.opening!; // without one it is open
    const expiry = carriedExpiry(this.facts);
    const carried = carriedMinutes ?? 0;
    if (expiry !== null && carried > 0)
      this.#carried.push({ ...expiry, minutes: rational(carried), taken: ZERO });
    if (accruedMinutes !== null) {
      this.#yearlyCapOn(day);
      this.#accrued = rational(accruedMinutes);
    }
    this.#fillFromOpening(day, rational(minutes));
    const usableFrom = this.facts.assignment.assignedOn + this.#on(day).rules.waitingPeriodDays;
    this.#post(day, rational(minutes), "opening", minutes > 0 ? Math.max(day, usableFrom) : day, () => [
      carried > 0 ? part("openingCarried", { minutes: carried }) : part("opening"),
    ]);
  }

  /** The opening fills the grants that have not expired, newest first. The rest never expires. */
  #fillFromOpening(day: Day, minutes: Rational): void {
    let rest = minutes;
    for (const grant of this.#grantsInOpening.toReversed()) {
      const filled = atLeastZero(smaller(rest, grant.minutes));
      if (grant.expiresOn <= day || sign(filled) === 0) continue;
      this.#lots.add(grant.day, grant.expiresOn, filled, grant.minutes);
      rest = subtract(rest, filled);
    }
    this.#lotsOn(day)?.change(day, rest, Infinity);
  }

  /** Posts the balance of the policy before, which can be used at once. */
  #moveHere(): void {
    const day = this.#movesHereOn;
    this.#movesHereOn = Infinity;
    const former = this.facts.movesFrom!; // it moves here
    const isOpen = day >= countsFrom(former);
    const source = isOpen ? new Account({ ...former, movesOn: day }, day, () => {}) : null;
    const { rules } = this.#on(day);
    const minutes = source === null ? ZERO : source.#runningBalanceOn(day);
    const lots = source === null || rules.grantsExpireAfterMonths === null ? [] : source.#lots.all;
    this.#runningBalanceOn(day);
    let rest = minutes;
    for (const lot of lots) {
      this.#lots.add(lot.postedOn, lot.expiresOn, lot.left, lot.granted);
      rest = subtract(rest, lot.left);
    }
    this.#lots.change(day, rest, Infinity);
    this.#post(day, minutes, "moved", day, () => [part("movesHere")]);
    for (const carried of source === null || expiryDay(rules, day) === null ? [] : source.#carried)
      this.#carried.push({ ...carried, minutes: leftOf(carried), taken: ZERO });
  }

  /** Forfeits what exceeds the limit, and carries the rest over. */
  #endYear(boundary: Day): void {
    const { assignment, movesFrom } = this.facts;
    const isDayBeforeCovered =
      isCovered(this.#employment, boundary - 1) || (movesFrom !== null && boundary === assignment.assignedOn);
    const isEmployed = isCovered(this.#employment, boundary) && isDayBeforeCovered;
    const version = this.#on(boundary);
    this.#forfeit(boundary, version, isEmployed);
    const expiresOn = expiryDay(version.rules, boundary);
    if (isEmployed && expiresOn !== null) {
      this.#carried.push({
        on: boundary,
        expiresOn,
        minutes: atLeastZero(this.#runningBalanceOn(boundary)),
        keptMinutes: version.rules.carryoverKeepsMinutes ?? 0,
        taken: ZERO,
      });
      this.#carried.sort((a, b) => a.expiresOn - b.expiresOn || a.on - b.on);
    }
    this.#nextBoundary(boundary);
  }

  /** Forfeits what exceeds the carry-over limit. If single grants expire, only the rest of the ended year's grants counts. */
  #forfeit(boundary: Day, version: AccountRules, isEmployed: boolean): void {
    const { carryoverLimitMinutes, grantsExpireAfterMonths } = version.rules;
    const limit = limitOn(carryoverLimitMinutes, version.carryoverTiers, boundary);
    if (limit === null) return;
    const running = this.#runningBalanceOn(boundary);
    const ofGrants = grantsExpireAfterMonths !== null;
    const yearBefore = ofGrants ? boundaryUpTo(this.#versions, boundary - 1) : boundary;
    const balance = ofGrants ? this.#lots.leftOf(yearBefore, boundary - 1) : running;
    const excess = subtract(balance, limit);
    if (sign(excess) <= 0) return;
    const detail = () => [
      part("carryoverLimit", { minutes: balance, limitMinutes: limit }),
      ...versionDetail(version),
    ];
    if (!this.#lose(boundary, excess, "forfeit", detail, isEmployed)) return;
    if (ofGrants) this.#lots.forfeit(yearBefore, boundary - 1, excess);
    else this.#lots.use(excess);
  }

  /** Posts the expiry of what is left of a grant. */
  #expireLot(day: Day): void {
    this.#runningBalanceOn(day);
    if (this.#lots.nextExpiry !== day) return; // leave took the rest of it
    const isEmployed = isCovered(this.#employment, day);
    const { postedOn, granted, left } = this.#lots.expire(!isEmployed);
    const grantedOn = formatDay(postedOn);
    const detail = () => [
      part("grantExpired", { minutes: left, grantedMinutes: granted, grantedOn, on: formatDay(day) }),
    ];
    if (this.#lose(day, left, "grantExpiry", detail, isEmployed)) this.#noteTaken(left);
  }

  /** Posts the expiry of the first carried time, less what was taken since. */
  #expireCarried(day: Day): void {
    const balance = this.#runningBalanceOn(day);
    const { on, minutes, keptMinutes, taken } = this.#carried.shift()!; // it expires
    const kept = rational(keptMinutes);
    const expired = atLeastZero(smaller(balance, subtract(subtract(minutes, kept), taken)));
    const [carriedOn, expiresOn] = [formatDay(on), formatDay(day)];
    const detail = () => [
      part("carriedExpired", { minutes, carriedOn, takenMinutes: taken, on: expiresOn }),
      ...(keptMinutes > 0 ? [part("neverExpire", { minutes: kept })] : []),
    ];
    if (!this.#lose(day, expired, "carryoverExpiry", detail, isCovered(this.#employment, day))) return;
    this.#noteTaken(expired);
    this.#lots.use(expired);
  }

  /** Notes that carried time was taken. */
  #noteTaken(minutes: Rational): void {
    for (const carried of this.#carried) carried.taken = add(carried.taken, minutes);
  }

  /**
   * Takes minutes away, locked time first (docs/balances.md, Locked time). On a day without employment, it posts only that they are kept,
   * and returns false.
   */
  #lose(day: Day, minutes: Rational, kind: PostingKind, detail: Detail, isEmployed: boolean): boolean {
    if (!isEmployed && sign(minutes) > 0)
      this.#post(day, ZERO, kind, day, () => [...detail(), part("notCovered", { minutes })]);
    for (const [unlocksOn, taken] of isEmployed ? this.#locked.split(day, minutes) : []) {
      const words = unlocksOn === day ? detail : () => [...detail(), part("locked")];
      this.#post(day, negate(taken), kind, unlocksOn, words);
      this.lastLoss = day;
    }
    return isEmployed;
  }

  #nextBoundary(after: Day): void {
    const boundary = boundaryAfter(this.#versions, after);
    this.#boundary = boundary > this.#lastBoundary ? Infinity : boundary;
  }

  #post(
    day: Day,
    minutes: Rational,
    kind: PostingKind,
    unlocksOn: Day,
    detail: Detail,
    source: AdjustmentFacts | null = null,
    cut = ZERO,
  ): void {
    this.#running = add(this.#running, minutes);
    if (unlocksOn > day) this.#locked.add(unlocksOn, minutes);
    this.receive(day, minutes, kind, unlocksOn, detail, source, cut);
  }

  /** All postings less the approved leave of earlier days. Later leave changes neither a cap nor a forfeit. */
  #runningBalanceOn(day: Day): Rational {
    const { requests, worker } = this.facts;
    this.#leaveThrough ??= approvedLeave(requests, worker, this.#countsFrom);
    const leave = this.#leaveThrough(day - 1);
    if (leave === ZERO) return this.#running;
    this.#lots.use(leave);
    this.#noteTaken(leave);
    this.#running = subtract(this.#running, leave);
    return this.#running;
  }

  /** The lots, of which leave of earlier days has been used; null if there are none. */
  #lotsOn(day: Day): Lots | null {
    if (!this.#lots.isUsed) return null;
    this.#runningBalanceOn(day);
    return this.#lots;
  }

  /** The yearly cap of a day's leave year, as on the year's first day. A new year resets `#accrued`. */
  #yearlyCapOn(day: Day): Rational | null {
    if (day >= this.#accruedUntil) {
      const n = periodOf(this.#leaveYears, day);
      this.#accrued = ZERO;
      this.#accruedUntil = periodStart(this.#leaveYears, n + 1);
      const { yearlyAccrualCapMinutes: cap } = this.#on(periodStart(this.#leaveYears, n)).rules;
      this.#yearlyCap = cap === null ? null : rational(cap);
    }
    return this.#yearlyCap;
  }
}

/** The part of minutes for which there is room; none if the room is below zero. */
function cutTo(room: Rational, minutes: Rational): Rational {
  return smaller(minutes, atLeastZero(room));
}

/** Says that a cap cut an accrual; empty if it did not. */
function cutDetail(
  code: "yearlyCap" | "balanceCap",
  fromMinutes: Rational,
  minutes: Rational,
  capMinutes: Rational | null,
): readonly DetailPart[] {
  if (capMinutes === null || isEqual(fromMinutes, minutes)) return [];
  return [part(code, { fromMinutes, minutes, capMinutes })];
}
