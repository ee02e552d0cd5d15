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
import { type Lot, Lots } from "./lots.ts";
import { carriedExpiry, expiryDay } from "./openings.ts";
import type { GrantReceiver } from "./period-grants.ts";
import { leaveYears, type Periods, periodOf, periodStart } from "./periods.ts";
import {
  add,
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
import { type Revaluation, revaluations } from "./revaluing.ts";
import { limitByService } from "./service.ts";
import { Boundaries, type Version, versionDetail, versionOn, versionsOf } from "./versions.ts";

export type PostingKind =
  | "opening"
  | "moved"
  | "forfeit"
  | "carryoverExpiry"
  | "grantExpiry"
  | "revalued"
  | "adjustment"
  | "accrual";

type LossKind = Extract<PostingKind, "forfeit" | "carryoverExpiry" | "grantExpiry">;

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
 * policy has none.
 */
export function eachPosting(facts: BalanceFacts, until: Day, receive: ReceivePosting): void {
  if (facts.policy.isUnlimited || until < countsFrom(facts) - 1) return;
  const endsOn = forfeitsOn(facts);
  const account = postThrough(facts, Math.min(until, endsOn), receive);
  if (endsOn <= until) account.forfeitRest(endsOn);
  else if (facts.movesOn === null || facts.movesOn > until) return;
  // An opening of that day or later says what is left after the move.
  else if (facts.movesOn >= countsFrom(facts)) account.moveAway(facts.movesOn);
  account.settle(until);
}

/** The day after the last covered one, on which a policy with `whenItEnds` forfeit takes the rest; Infinity if none does, or the rest moves. */
export function forfeitsOn(facts: BalanceFacts): Day {
  if (facts.movesOn !== null) return Infinity;
  const { last } = employmentOf(facts, coverageOf(facts));
  if (last === Infinity || last + 1 < countsFrom(facts)) return Infinity;
  return versionOn(versionsOf(facts), last).rules.whenItEnds === "forfeit" ? last + 1 : Infinity;
}

/** An account with all postings up to and including `until`, or the day on which its balance moves away. */
function postThrough(facts: BalanceFacts, until: Day, receive: ReceivePosting): Account {
  const coverage = coverageOf(facts);
  const versions = versionsOf(facts);
  const last = Math.min(until, facts.movesOn ?? Infinity);
  const accruals = new Accruals(facts, versions, coverage);
  const account = new Account(facts, versions, coverage, accruals, last, receive);
  accruals.post(last, account);
  account.settle(last);
  return account;
}

/** The balance of a policy on the day on which it moves to another. */
interface Left {
  readonly minutes: Rational;
  readonly carried: readonly Carried[];
  readonly lots: readonly Lot[];
}

function leftOn(facts: BalanceFacts, day: Day): Left {
  if (day < countsFrom(facts)) return { minutes: ZERO, carried: [], lots: [] };
  return postThrough({ ...facts, movesOn: day }, day, () => {}).left(day);
}

/** Time that was carried over at a year boundary and has not expired. */
interface Carried {
  readonly on: Day;
  readonly expiresOn: Day;
  minutes: Rational;
  /** The minutes that never expire. */
  readonly keptMinutes: number;
  /** Approved leave before the boundary. */
  readonly leaveBefore: Rational;
  /** Minutes that negative adjustments and other expiries took since. */
  takenAway: Rational;
}

/** A version of the rules, with its limits ready to use. */
type AccountRules = ReturnType<typeof accountRules>;

function accountRules(version: Version) {
  const { facts, rules } = version;
  return {
    ...version,
    limitOn: limitByService(facts, rules.carryoverLimitMinutes, rules.carryoverLimitTiers),
    capOn: limitByService(facts, rules.balanceCapMinutes, rules.balanceCapTiers),
    yearlyCap: rules.yearlyAccrualCapMinutes === null ? null : rational(rules.yearlyAccrualCapMinutes),
    /** Whether carried time expires. */
    expires: rules.carryoverExpiresAfterMonths !== null || rules.carryoverExpiresAfterDays !== null,
  };
}

/** Posted minutes that are not usable yet, by the day on which they unlock. */
class LockedTime {
  /** Sorted by day. Only a waiting period that changes makes more than one. */
  readonly #amounts: { readonly unlocksOn: Day; minutes: Rational }[] = [];

  get isEmpty(): boolean {
    return this.#amounts.length === 0;
  }

  add(unlocksOn: Day, minutes: Rational): void {
    const same = this.#amounts.find((amount) => amount.unlocksOn === unlocksOn);
    if (same !== undefined) same.minutes = add(same.minutes, minutes);
    else {
      this.#amounts.push({ unlocksOn, minutes });
      this.#amounts.sort((a, b) => a.unlocksOn - b.unlocksOn);
    }
  }

  on(day: Day): readonly { readonly unlocksOn: Day; readonly minutes: Rational }[] {
    const locked = this.#amounts.filter(({ unlocksOn }) => unlocksOn > day);
    return locked.map((amount) => ({ ...amount }));
  }

  /** Splits minutes into parts that are locked on `day`, soonest to unlock first, and an unlocked rest. */
  split(day: Day, minutes: Rational): readonly (readonly [unlocksOn: Day, minutes: Rational])[] {
    let rest = minutes;
    const parts: (readonly [Day, Rational])[] = [];
    for (const amount of this.#amounts) {
      if (amount.unlocksOn <= day) continue;
      const part = smaller(rest, atLeastZero(amount.minutes));
      if (sign(part) > 0) parts.push([amount.unlocksOn, part]);
      rest = subtract(rest, part);
    }
    if (sign(rest) > 0) parts.push([day, rest]);
    return parts;
  }
}

/** Posts in order of days, and knows the running balance. */
class Account implements GrantReceiver {
  readonly #versions: readonly AccountRules[];
  /** Includes pauses: years end in them, too. */
  readonly #employment: Coverage;
  readonly #adjustments: readonly AdjustmentFacts[];
  readonly #revaluations: readonly Revaluation[];
  /** Where time is carried over or forfeited. */
  readonly #boundaries: Boundaries;
  readonly #leaveYears: Periods;
  readonly #hasYearlyCap: boolean;
  /** Null if neither single grants nor adjustments expire under any version. */
  readonly #lots: Lots | null;
  /** Grants up to the opening. They do not count; the opening fills them. */
  readonly #grantsInOpening: { readonly day: Day; readonly expiresOn: Day; minutes: Rational }[] = [];
  readonly #countsFrom: Day;
  #isOpen: boolean;
  #nextAdjustment = 0;
  #nextRevaluation = 0;
  /** The day on which a balance moves here; Infinity: never, or it has moved. */
  #movesHereOn: Day;
  /** The next year boundary; Infinity: no boundary matters any more. */
  #boundary: Day = Infinity;
  readonly #lastBoundary: Day;
  /** Sorted by day of expiry. */
  #carried: Carried[] = [];
  /** The sum of all postings, less `#leave`. */
  #running: Rational = ZERO;
  /** Approved leave before the last day that `#runningBalanceOn` was called with. */
  #leave: Rational = ZERO;
  #leaveThrough: ((through: Day) => Rational) | null = null;
  readonly #locked = new LockedTime();
  /** The accruals and the cap of the leave year that ends before `#accruedUntil`. */
  #accrued: Rational = ZERO;
  #accruedUntil: Day = -Infinity;
  #yearlyCap: Rational | null = null;

  constructor(
    private readonly facts: BalanceFacts,
    versions: readonly Version[],
    coverage: Coverage,
    private readonly accruals: Accruals,
    until: Day,
    private readonly receive: ReceivePosting,
  ) {
    const { assignment, opening } = facts;
    this.#versions = versions.map(accountRules);
    this.#employment = employmentOf(facts, coverage);
    this.#countsFrom = countsFrom(facts);
    this.#isOpen = opening === null;
    const adjustments = adjustmentsInOrder(facts.adjustments);
    this.#adjustments = opening === null ? adjustments : adjustments.filter(({ day }) => day > opening.day);
    this.#revaluations = revaluations(versions, coverage).filter(({ on }) => on >= this.#countsFrom);
    const isMovedHere = facts.movesFrom !== null && assignment.assignedOn >= this.#countsFrom;
    this.#movesHereOn = isMovedHere ? assignment.assignedOn : Infinity;
    this.#hasYearlyCap = this.#versions.some(({ yearlyCap }) => yearlyCap !== null);
    const expires = versions.some(({ rules }) => rules.grantsExpireAfterMonths !== null);
    this.#lots = expires || this.#adjustments.some(isExpiring) ? new Lots() : null;
    this.#boundaries = new Boundaries(versions);
    this.#leaveYears = leaveYears(facts.policy.rules, assignment.assignedOn);
    this.#lastBoundary = Math.min(this.#employment.last, until);
    // Boundaries count after the first day, and on it if a balance moves here that day.
    if (this.#versions.some(({ limitOn, expires }) => limitOn !== null || expires))
      this.#nextBoundary(Math.max(this.#employment.first - (isMovedHere ? 1 : 0), this.#countsFrom - 1));
  }

  /** The rules that hold on a day. */
  #on(day: Day): AccountRules {
    return versionOn(this.#versions, day);
  }

  /** Posts everything that comes before an accrual, then the accrual, cut by caps. Returns the minutes posted. */
  accrue(day: Day, minutes: Rational, earnedFrom: Day, rules: PolicyRules, detail: Detail): Rational {
    const counts = day >= this.#countsFrom;
    if (counts) this.settle(day);
    const yearlyCap = this.#hasYearlyCap ? this.#yearlyCapOn(day) : null;
    const inYear =
      yearlyCap === null ? minutes : smaller(minutes, atLeastZero(subtract(yearlyCap, this.#accrued)));
    const cap = counts ? (this.#on(day).capOn?.(earnedFrom) ?? null) : null;
    const cut =
      cap === null ? inYear : smaller(inYear, atLeastZero(subtract(cap, this.#runningBalanceOn(day))));
    const lost = cut === inYear ? ZERO : subtract(inYear, cut);
    if (this.#hasYearlyCap) this.#accrued = add(this.#accrued, cut);
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
    if (this.#lots !== null && expiresOn === Infinity) {
      this.#runningBalanceOn(day);
      this.#lots.changeRest(day, cut);
    } else if (this.#lots !== null) this.#fill(this.#lots, day, cut, expiresOn);
    const usableFrom = this.facts.assignment.assignedOn + rules.waitingPeriodDays;
    this.#post(day, cut, "accrual", Math.max(day, usableFrom), words, null, lost);
    return cut;
  }

  /** Posts everything but accruals up to and including a day. */
  settle(through: Day): void {
    if (!this.#isOpen) this.#open();
    for (; this.#nextAdjustment < this.#adjustments.length; this.#nextAdjustment++) {
      const adjustment = this.#adjustments[this.#nextAdjustment]!;
      if (adjustment.day > through) break;
      this.#revalueThrough(adjustment.day);
      const minutes = rational(adjustment.minutes);
      if (sign(minutes) < 0) this.#noteTaken(negate(minutes));
      if (this.#lots !== null)
        this.#fill(this.#lots, adjustment.day, minutes, adjustment.expiresOn ?? Infinity);
      this.#post(adjustment.day, minutes, "adjustment", adjustment.day, ADJUSTED, adjustment);
    }
    this.#revalueThrough(through);
  }

  /** Posts year ends, expiries and revaluations up to and including a day. */
  #revalueThrough(through: Day): void {
    for (; this.#nextRevaluation < this.#revaluations.length; this.#nextRevaluation++) {
      const revaluation = this.#revaluations[this.#nextRevaluation]!;
      if (revaluation.on > through) break;
      this.#settleYears(revaluation.on);
      this.#revalue(revaluation);
    }
    this.#settleYears(through);
  }

  /** Multiplies the balance, without what the running period granted for later days. */
  #revalue({ on, ratio, detail }: Revaluation): void {
    const granted = this.accruals.grantedFrom(on);
    const earned = subtract(this.#runningBalanceOn(on), granted);
    if (sign(earned) <= 0) return;
    const change = subtract(ratio, 1);
    let rest = earned;
    let locked = ZERO;
    for (const { minutes } of this.#locked.on(on)) locked = add(locked, minutes);
    const lockedEarned = smaller(earned, atLeastZero(subtract(locked, granted)));
    for (const [unlocksOn, minutes] of this.#locked.split(on, lockedEarned)) {
      this.#post(on, multiply(minutes, change), "revalued", unlocksOn, detail);
      rest = subtract(rest, minutes);
    }
    if (sign(rest) !== 0) this.#post(on, multiply(rest, change), "revalued", on, detail);
    this.#lots?.changeRest(on, multiply(earned, change));
    for (const carried of this.#carried) {
      const left = atLeastZero(subtract(carried.minutes, this.#takenOf(carried)));
      carried.minutes = add(carried.minutes, multiply(left, change));
    }
  }

  /** The balance at the end of a day, before the day's own leave. */
  left(day: Day): Left {
    const minutes = this.#runningBalanceOn(day);
    const carried = this.#carried.map((part) => ({
      ...part,
      minutes: atLeastZero(subtract(part.minutes, this.#takenOf(part))),
      takenAway: ZERO,
    }));
    return { minutes, carried, lots: this.#lots?.all() ?? [] };
  }

  /** Posts that the balance moves to another policy; locked time is a posting of its own. */
  moveAway(day: Day): void {
    let { minutes: rest } = this.left(day);
    this.#carried = [];
    this.#lots?.clear();
    const detail = () => [part("movesAway")];
    for (const { unlocksOn, minutes } of this.#locked.on(day)) {
      if (sign(minutes) !== 0) this.#post(day, negate(minutes), "moved", unlocksOn, detail);
      rest = subtract(rest, minutes);
    }
    if (sign(rest) !== 0) this.#post(day, negate(rest), "moved", day, detail);
  }

  /** Posts that the rest is lost because the policy ends. */
  forfeitRest(day: Day): void {
    const { minutes } = this.left(day);
    this.#carried = [];
    this.#lots?.clear();
    this.#take(day, atLeastZero(minutes), "forfeit", () => [part("policyEnds")]);
  }

  /** Posts the opening; nothing before it counts (docs/balances.md, Opening balances). */
  #open(): void {
    this.#isOpen = true;
    const { day, minutes, carriedMinutes, accruedMinutes } = this.facts.opening!; // without one it is open
    const expiry = carriedExpiry(this.facts);
    if (expiry !== null && carriedMinutes > 0) {
      const minutes = rational(carriedMinutes);
      this.#carried.push({ ...expiry, minutes, leaveBefore: ZERO, takenAway: ZERO });
    }
    if (accruedMinutes !== null && this.#hasYearlyCap) {
      this.#yearlyCapOn(day);
      this.#accrued = rational(accruedMinutes);
    }
    if (this.#lots !== null) this.#fillFromOpening(this.#lots, day, rational(minutes));
    const usableFrom = this.facts.assignment.assignedOn + this.#on(day).rules.waitingPeriodDays;
    this.#post(day, rational(minutes), "opening", minutes > 0 ? Math.max(day, usableFrom) : day, () => [
      carriedMinutes > 0 ? part("openingCarried", { minutes: carriedMinutes }) : part("opening"),
    ]);
  }

  /** Posts the balance of the policy before, which can be used at once. */
  #moveHere(): void {
    const day = this.#movesHereOn;
    this.#movesHereOn = Infinity;
    const { minutes, carried, lots } = leftOn(this.facts.movesFrom!, day); // it moves here
    const { rules, expires } = this.#on(day);
    this.#runningBalanceOn(day);
    if (this.#lots !== null) {
      let rest = minutes;
      for (const lot of rules.grantsExpireAfterMonths === null ? [] : lots) {
        this.#lots.add(lot.postedOn, lot.expiresOn, lot.left, lot.granted);
        rest = subtract(rest, lot.left);
      }
      this.#fill(this.#lots, day, rest, Infinity);
    }
    this.#post(day, minutes, "moved", day, () => [part("movesHere")]);
    if (!expires) return;
    for (const part of carried) this.#carried.push({ ...part, leaveBefore: this.#leave });
  }

  /** Posts moves, expiries and forfeits through a day. Carried time expires first: a forfeit would take it a second time. */
  #settleYears(through: Day): void {
    for (;;) {
      const carriedOn = this.#carried[0]?.expiresOn ?? Infinity;
      const expiresOn = this.#lots === null ? carriedOn : Math.min(carriedOn, this.#lots.nextExpiry);
      const day = Math.min(this.#movesHereOn, this.#boundary, expiresOn);
      // On the day of a move away, time expires under the policy that it moves to.
      if (day > through || (day === expiresOn && day === this.facts.movesOn)) return;
      if (day === this.#movesHereOn) this.#moveHere();
      else if (day === carriedOn)
        this.#expire(this.#carried.shift()!); // the first expires next
      else if (day === this.#boundary) this.#endYear(day);
      else this.#expireLot(this.#lots!, day); // a lot expires
    }
  }

  /** Forfeits what exceeds the limit, and carries the rest over. */
  #endYear(boundary: Day): void {
    const { assignment, movesFrom } = this.facts;
    const isDayBeforeCovered =
      isCovered(this.#employment, boundary - 1) || (movesFrom !== null && boundary === assignment.assignedOn);
    const isEmployed = isCovered(this.#employment, boundary) && isDayBeforeCovered;
    const version = this.#on(boundary);
    this.#forfeit(boundary, version, isEmployed);
    if (isEmployed && version.expires) {
      this.#carried.push({
        on: boundary,
        expiresOn: expiryDay(version.rules, boundary)!, // it expires
        minutes: atLeastZero(this.#runningBalanceOn(boundary)),
        keptMinutes: version.rules.carryoverKeepsMinutes ?? 0,
        leaveBefore: this.#leave,
        takenAway: ZERO,
      });
      this.#carried.sort((a, b) => a.expiresOn - b.expiresOn || a.on - b.on);
    }
    this.#nextBoundary(boundary);
  }

  /** Forfeits what exceeds the carry-over limit. If single grants expire, only the rest of the ended year's grants counts. */
  #forfeit(boundary: Day, version: AccountRules, isEmployed: boolean): void {
    const limit = version.limitOn?.(boundary) ?? null;
    if (limit === null) return;
    const running = this.#runningBalanceOn(boundary);
    const lots = version.rules.grantsExpireAfterMonths === null ? null : this.#lots;
    const yearBefore = lots === null ? boundary : this.#boundaries.upTo(boundary - 1);
    const balance = lots === null ? running : lots.leftOf(yearBefore, boundary - 1);
    const excess = subtract(balance, limit);
    if (sign(excess) <= 0) return;
    const detail = () => [
      part("carryoverLimit", { minutes: balance, limitMinutes: limit }),
      ...versionDetail(version),
    ];
    if (!isEmployed) {
      this.#keep(boundary, excess, "forfeit", detail);
      return;
    }
    if (lots === null) this.#lots?.use(excess);
    else lots.forfeit(yearBefore, boundary - 1, excess);
    this.#take(boundary, excess, "forfeit", detail);
  }

  /** Adds minutes to the lots, or takes them from the lots. */
  #fill(lots: Lots, day: Day, minutes: Rational, expiresOn: Day): void {
    this.#runningBalanceOn(day);
    if (sign(minutes) >= 0) lots.add(day, expiresOn, minutes);
    else lots.use(negate(minutes));
  }

  /** The opening fills the grants that have not expired, newest first. The rest never expires. */
  #fillFromOpening(lots: Lots, day: Day, minutes: Rational): void {
    let rest = minutes;
    for (const grant of this.#grantsInOpening.toReversed()) {
      const filled = atLeastZero(smaller(rest, grant.minutes));
      if (grant.expiresOn <= day || sign(filled) === 0) continue;
      lots.add(grant.day, grant.expiresOn, filled, grant.minutes);
      rest = subtract(rest, filled);
    }
    this.#fill(lots, day, rest, Infinity);
  }

  /** Posts the expiry of what is left of a grant. */
  #expireLot(lots: Lots, day: Day): void {
    this.#runningBalanceOn(day);
    if (lots.nextExpiry !== day) return; // leave took the rest of it
    const isKept = !isCovered(this.#employment, day);
    const { postedOn, granted, left } = isKept ? lots.keep() : lots.expire();
    const detail = () => [
      part("grantExpired", {
        minutes: left,
        grantedMinutes: granted,
        grantedOn: formatDay(postedOn),
        on: formatDay(day),
      }),
    ];
    if (isKept) {
      this.#keep(day, left, "grantExpiry", detail);
      return;
    }
    this.#noteTaken(left);
    this.#take(day, left, "grantExpiry", detail);
  }

  /** Posts the expiry of carried time, less what was taken since. */
  #expire(carried: Carried): void {
    const { on, expiresOn, minutes } = carried;
    const balance = this.#runningBalanceOn(expiresOn);
    const taken = this.#takenOf(carried);
    const kept = rational(carried.keptMinutes);
    const expired = atLeastZero(smaller(balance, subtract(subtract(minutes, kept), taken)));
    const detail = () => [
      part("carriedExpired", {
        minutes,
        carriedOn: formatDay(on),
        takenMinutes: taken,
        on: formatDay(expiresOn),
      }),
      ...(sign(kept) > 0 ? [part("neverExpire", { minutes: kept })] : []),
    ];
    if (!isCovered(this.#employment, expiresOn)) {
      this.#keep(expiresOn, expired, "carryoverExpiry", detail);
      return;
    }
    this.#noteTaken(expired);
    this.#lots?.use(expired);
    this.#take(expiresOn, expired, "carryoverExpiry", detail);
  }

  /** What was taken of carried time, up to the last call of `#runningBalanceOn`. */
  #takenOf({ leaveBefore, takenAway }: Carried): Rational {
    return add(subtract(this.#leave, leaveBefore), takenAway);
  }

  /** Notes that something other than leave took carried time. */
  #noteTaken(minutes: Rational): void {
    for (const carried of this.#carried) carried.takenAway = add(carried.takenAway, minutes);
  }

  /** Posts that minutes are not lost, because the day is without employment. */
  #keep(day: Day, minutes: Rational, kind: LossKind, detail: Detail): void {
    if (sign(minutes) <= 0) return;
    const words = () => [...detail(), part("notCovered", { minutes })];
    this.#post(day, ZERO, kind, day, words);
  }

  /** Takes minutes away, locked time first (docs/balances.md, Locked time). */
  #take(day: Day, minutes: Rational, kind: LossKind, detail: Detail): void {
    if (this.#locked.isEmpty) {
      if (sign(minutes) > 0) this.#post(day, negate(minutes), kind, day, detail);
      return;
    }
    for (const [unlocksOn, taken] of this.#locked.split(day, minutes)) {
      const words = unlocksOn === day ? detail : () => [...detail(), part("locked")];
      this.#post(day, negate(taken), kind, unlocksOn, words);
    }
  }

  #nextBoundary(after: Day): void {
    this.#boundary = this.#boundaries.after(after);
    if (this.#boundary > this.#lastBoundary) this.#boundary = Infinity;
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
    this.#lots?.use(leave);
    this.#leave = add(this.#leave, leave);
    this.#running = subtract(this.#running, leave);
    return this.#running;
  }

  /** The yearly cap of a day's leave year, as on the year's first day. A new year resets `#accrued`. */
  #yearlyCapOn(day: Day): Rational | null {
    if (day >= this.#accruedUntil) {
      const n = periodOf(this.#leaveYears, day);
      this.#accrued = ZERO;
      this.#accruedUntil = periodStart(this.#leaveYears, n + 1);
      this.#yearlyCap = this.#on(periodStart(this.#leaveYears, n)).yearlyCap;
    }
    return this.#yearlyCap;
  }
}

export function isExpiring({ expiresOn = null }: AdjustmentFacts): boolean {
  return expiresOn !== null;
}

const ADJUSTED = () => [part("adjustment")];

/** Says that a cap cut an accrual; empty if it did not. */
function cutDetail(
  code: "yearlyCap" | "balanceCap",
  from: Rational,
  to: Rational,
  cap: Rational | null,
): readonly DetailPart[] {
  if (cap === null || isEqual(from, to)) return [];
  return [part(code, { fromMinutes: from, minutes: to, capMinutes: cap })];
}
