/** The balance of one worker under one policy, and its explanation: pure functions of facts and days. */
import type { Day } from "../time/day.ts";
import { type DetailPart, fractionOf, part, rangeOf } from "./detail.ts";
import {
  type BalanceFacts,
  type BalanceWindow,
  countsFrom,
  type RequestFacts,
  type WorkerFacts,
} from "./facts.ts";
import { countedLeave, firstLeaveDay, lastLeaveDay, minutesOn, spread } from "./leave.ts";
import { leaveYears, periodOf, periodStart } from "./periods.ts";
import { eachPosting, type PostingKind } from "./postings.ts";
import {
  add,
  isEqual,
  negate,
  type Rational,
  rational,
  sign,
  subtract,
  toHundredths,
  toMillionths,
  ZERO,
} from "./rational.ts";
import { versionOn, versionsOf } from "./versions.ts";

/** Minutes, with at most 2 decimals. */
export interface BalanceAmounts {
  /** Posted in the window, but not usable by its end or by today. */
  readonly accruedLocked: number;
  readonly accruedUnlocked: number;
  /** `accruedUnlocked - used - holds`, to 0.01 minute; may be negative. */
  readonly available: number;
  /** Pending leave in the window. */
  readonly holds: number;
  /** Approved leave in the window. */
  readonly used: number;
}

/** The four sums of a balance before rounding. */
export type BalanceSums = Readonly<Record<Exclude<keyof BalanceAmounts, "available">, Rational>>;

/** One line of an explanation; minutes have at most 6 decimals. */
export interface BalanceEntry {
  readonly date: Day;
  readonly kind: Exclude<PostingKind, "carryoverExpiry" | "grantExpiry"> | "expiry" | "used" | "hold";
  /** Signed: leave is negative. */
  readonly minutes: number;
  /** Everything before the window and the entries so far, without holds. */
  readonly balance: number;
  /** Null for leave. */
  readonly unlocksOn: Day | null;
  /** The id of the adjustment or the request. */
  readonly sourceId: string | null;
  /** How the amount came about. */
  readonly detailParts: readonly DetailPart[];
}

/**
 * The balance in a window. Each sum is rounded once, half away from zero, to 2 decimals, and `available` comes from
 * the rounded sums. With an unlimited policy the accrued numbers and `available` are 0. Throws `RangeError` when a
 * fact that counts is not a finite number, or a chunk has zero hours (docs/balances.md, The numbers).
 */
export function balance(facts: BalanceFacts, window: BalanceWindow): BalanceAmounts {
  return balancesIn(facts, [window])[0]!; // one for each window
}

/** The balance in each window, in one pass over the postings. */
export function balancesIn(facts: BalanceFacts, windows: readonly BalanceWindow[]): BalanceAmounts[] {
  return balanceSums(facts, windows).map((sums, at) => {
    const accruedUnlocked = toHundredths(sums.accruedUnlocked);
    const holds = toHundredths(sums.holds);
    const used = toHundredths(sums.used);
    const usable = Math.max(0, leftOfCap(facts, windows[at]!));
    const available = Math.min(accruedUnlocked - used - holds, usable);
    return {
      accruedLocked: toHundredths(sums.accruedLocked) / 100,
      accruedUnlocked: accruedUnlocked / 100,
      available: facts.policy.isUnlimited ? 0 : available / 100,
      holds: holds / 100,
      used: used / 100,
    };
  });
}

/**
 * What the cap on use leaves in the leave year of `endDate` or today, in hundredths of a minute; Infinity without a cap. Negative if
 * approved and pending leave exceed it.
 */
export function leftOfCap(facts: BalanceFacts, { today, startDate, endDate }: BalanceWindow): number {
  if (startDate !== undefined) return Infinity;
  const { rules } = versionOn(versionsOf(facts), endDate ?? today);
  if (rules.useCapMinutes === null) return Infinity;
  const years = leaveYears(rules, facts.assignment.assignedOn);
  const n = periodOf(years, endDate ?? today);
  const first = Math.max(periodStart(years, n), countsFrom(facts));
  let last = Math.min(periodStart(years, n + 1) - 1, endDate ?? Infinity);
  let left = rational(rules.useCapMinutes);
  // Leave under an earlier policy counts until the day on which its balance moved here.
  for (let source: BalanceFacts | null = facts; source !== null; source = source.movesFrom) {
    const { approved, pending } = countedLeave(source, first, last);
    left = subtract(left, add(approved, pending));
    last = Math.min(last, source.assignment.assignedOn - 1);
  }
  return toHundredths(left);
}

/**
 * The balance at the end of a day, of rounded sums, in hundredths of a minute; 0 if there is none. Locked time counts; pending leave does
 * not. It is the same whenever it is asked for.
 */
export function closingOf(facts: BalanceFacts | null, day: Day): number {
  return facts === null || facts.policy.isUnlimited ? 0 : figureOf(facts, day);
}

/** The same, but under an unlimited policy the approved leave, as a negative number. This is what a close compares. */
export function figureOf(facts: BalanceFacts | null, day: Day): number {
  if (facts === null) return 0;
  const { accruedUnlocked, accruedLocked, used } = plainSums(facts, [{ today: day, endDate: day }]).sums[0]!; // one window
  return toHundredths(accruedUnlocked) + toHundredths(accruedLocked) - toHundredths(used);
}

/**
 * The exact sums behind `balance`. With a `startDate`, the sums of adjacent windows add up. Without one, pending leave holds what it
 * would take from the balance (docs/balances.md, Pending leave).
 */
export function balanceSums(facts: BalanceFacts, windows: readonly BalanceWindow[]): readonly BalanceSums[] {
  const { sums, lastLoss } = plainSums(facts, windows);
  const holdsLess = windows.map((window) => mayHoldLess(facts, window, lastLoss));
  if (!holdsLess.includes(true)) return sums;
  const ifApproved = plainSums({ ...facts, requests: facts.requests.map(approved) }, windows).sums;
  return sums.map((plain, at) =>
    holdsLess[at] ? { ...plain, holds: subtract(totalOf(plain), totalOf(ifApproved[at]!)) } : plain,
  );
}

/** Accrued less used, without holds. */
function totalOf({ accruedLocked, accruedUnlocked, used }: BalanceSums): Rational {
  return subtract(add(accruedLocked, accruedUnlocked), used);
}

/** The request, approved if it was pending. */
export function approved(request: RequestFacts): RequestFacts {
  return request.status === "pending" ? { ...request, status: "approved" } : request;
}

/** Whether time was lost or revalued after pending leave. Only then would approving that leave change a posting. */
function mayHoldLess(
  { movesOn, requests }: BalanceFacts,
  { today, startDate, endDate }: BalanceWindow,
  lastLoss: Day,
): boolean {
  const hasMoved = movesOn !== null && movesOn <= (endDate ?? today);
  if (startDate !== undefined || hasMoved || lastLoss === -Infinity) return false;
  return requests.some(
    (request) => request.status === "pending" && request.minutes !== 0 && firstLeaveDay(request) < lastLoss,
  );
}

/** Sums where holds are all pending minutes. */
function plainSums(
  facts: BalanceFacts,
  windows: readonly BalanceWindow[],
): { readonly sums: readonly BalanceSums[]; readonly lastLoss: Day } {
  const sums = windows.map((window) => {
    const { from, lastPosting, lastLeave, asOf } = daysOf(window);
    const { approved: used, pending: holds } = countedLeave(facts, from, lastLeave);
    return { from, lastPosting, asOf, accruedLocked: ZERO, accruedUnlocked: ZERO, holds, used };
  });
  const last = Math.max(...sums.map(({ lastPosting }) => lastPosting));
  const lastLoss = eachPosting(facts, last, (postedOn, minutes, _kind, unlocksOn) => {
    for (const sum of sums) {
      if (postedOn < sum.from || postedOn > sum.lastPosting) continue;
      if (unlocksOn <= sum.asOf) sum.accruedUnlocked = add(sum.accruedUnlocked, minutes);
      else sum.accruedLocked = add(sum.accruedLocked, minutes);
    }
  });
  return { sums, lastLoss };
}

function daysOf({ today, startDate = -Infinity, endDate }: BalanceWindow) {
  return {
    from: startDate,
    lastPosting: endDate ?? today,
    // Without an end, leave that is booked for the future counts.
    lastLeave: endDate ?? Infinity,
    asOf: Math.min(today, endDate ?? today),
  };
}

/** An entry before the balances are added up. */
type Line = Omit<BalanceEntry, "minutes" | "balance"> & { readonly minutes: Rational };

/**
 * Every entry behind the numbers of the window: by day, and on one day postings in their order, then leave. An unlimited policy shows
 * only leave (docs/balances.md, The explanation).
 */
export function explain(facts: BalanceFacts, window: BalanceWindow): BalanceEntry[] {
  const { from, lastPosting, lastLeave } = daysOf(window);
  const lines: Line[] = [];
  let sum = negate(countedLeave(facts, -Infinity, from - 1).approved);
  const lastLoss = eachPosting(facts, lastPosting, (date, minutes, kind, unlocksOn, detail, source) => {
    if (date < from) sum = add(sum, minutes);
    else
      lines.push({
        date,
        kind: kind === "carryoverExpiry" || kind === "grantExpiry" ? "expiry" : kind,
        minutes,
        unlocksOn,
        detailParts: detail(),
        sourceId: source?.id ?? null,
      });
  });
  const leave = leaveLines(facts, Math.max(from, countsFrom(facts)), lastLeave);
  lines.push(...(mayHoldLess(facts, window, lastLoss) ? heldLines(facts, window, leave) : leave));
  // Sorting is stable: postings keep their order and come before the leave of their day.
  lines.sort((a, b) => a.date - b.date);
  return lines.map(({ date, kind, minutes, unlocksOn, sourceId, detailParts }) => {
    if (kind !== "hold") sum = add(sum, minutes);
    const balance = facts.policy.isUnlimited ? 0 : toMillionths(sum);
    return { date, kind, minutes: toMillionths(minutes), balance, unlocksOn, sourceId, detailParts };
  });
}

/** One line for each request with minutes in the window, by its first day there. On one day approved leave comes first, then by id. */
function leaveLines({ requests, worker }: BalanceFacts, from: Day, through: Day): Line[] {
  const lines: Line[] = [];
  for (const request of requests) {
    if (request.status === "denied") continue;
    const minutes = minutesOn(request, from, through, worker);
    if (sign(minutes) === 0) continue;
    const [first, last] = [Math.max(from, firstLeaveDay(request)), Math.min(through, lastLeaveDay(request))];
    lines.push({
      date: first,
      kind: request.status === "approved" ? "used" : "hold",
      minutes: negate(minutes),
      unlocksOn: null,
      sourceId: request.id ?? null,
      detailParts: leaveDetail(request, minutes, first, last, worker),
    });
  }
  return lines.sort(
    (a, b) =>
      a.date - b.date || compareText(b.kind, a.kind) || compareText(a.sourceId ?? "", b.sourceId ?? ""),
  );
}

/** Corrects the holds: approves pending requests one after the other, and takes how much the balance falls each time. */
function heldLines(facts: BalanceFacts, window: BalanceWindow, lines: readonly Line[]): Line[] {
  let { requests } = facts;
  const total = () => totalOf(plainSums({ ...facts, requests }, [window]).sums[0]!); // one window
  let before = total();
  return lines.map((line) => {
    if (line.kind !== "hold") return line;
    requests = requests.map((request) => (request.id === line.sourceId ? approved(request) : request));
    const after = total();
    const minutes = subtract(after, before);
    before = after;
    if (isEqual(minutes, line.minutes)) return line;
    const less = part("heldLess", { minutes: negate(minutes) });
    return { ...line, minutes, detailParts: [...line.detailParts, less] };
  });
}

/** `approved leave, 2013-12-23 to 2013-12-31: 2400 × 7/9, by work days`. */
function leaveDetail(
  request: RequestFacts,
  minutes: Rational,
  first: Day,
  last: Day,
  worker: WorkerFacts,
): readonly DetailPart[] {
  const leave = part("leave", { status: request.status, ...rangeOf(first, last) });
  const isWhole = first === firstLeaveDay(request) && last === lastLeaveDay(request);
  if (request.dayMinutes !== undefined) {
    const written = part("writtenPart", { minutes, ofMinutes: request.minutes });
    return [leave, ...(isWhole ? [] : [written]), part("writtenDays")];
  }
  if (isWhole) return [leave];
  const { counted, of, by } = spread(request, first, last, worker);
  return [leave, part("leavePart", { minutes: request.minutes, ...fractionOf(counted, of), by })];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
