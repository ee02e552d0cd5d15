/**
 * The rules of docs/balances.md a second time, to check the first against: slow and plain. It goes from day to day,
 * asks Temporal for every date and counts in BigInt fractions. It shares no code with src/balances.
 */
import { Temporal } from "temporal-polyfill";
import type { BalanceFacts, BalanceWindow, RequestFacts } from "../../src/balances/facts.ts";

type Fraction = readonly [numerator: bigint, denominator: bigint];

const NONE: Fraction = [0n, 1n];

function plus(one: Fraction, other: Fraction): Fraction {
  const [[a, b], [c, d]] = [one, other];
  if (c === 0n) return one; // as on most days
  return b === d ? [a + c, b] : reduced([a * d + c * b, b * d]);
}

const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const minus = (a: Fraction, [c, d]: Fraction): Fraction => plus(a, [-c, d]);
const isAbove = (a: Fraction, b: Fraction): boolean => minus(a, b)[0] > 0n;
const least = (a: Fraction, b: Fraction): Fraction => (isAbove(a, b) ? b : a);
const most = (a: Fraction, b: Fraction): Fraction => (isAbove(a, b) ? a : b);

function reduced([numerator, denominator]: Fraction): Fraction {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return [numerator / a, denominator / a];
}

const decimals = new Map<number, Fraction>();

function decimal(value: number): Fraction {
  const known = decimals.get(value) ?? readDecimal(value);
  decimals.set(value, known);
  return known;
}

function readDecimal(value: number): Fraction {
  // Twenty decimals are more than a generated amount has; what String writes with an exponent needs them spelt out.
  const text = String(value).includes("e") ? value.toFixed(20).replace(/0+$/, "") : String(value);
  const [whole, places = ""] = text.split(".");
  return [BigInt(whole! + places), 10n ** BigInt(places.length)];
}

function rounded([numerator, denominator]: Fraction): number {
  const size = numerator < 0n ? -numerator : numerator;
  let hundredths = (size * 100n) / denominator;
  if ((size * 100n - hundredths * denominator) * 2n >= denominator) hundredths += 1n;
  return Number(numerator < 0n ? -hundredths : hundredths);
}

const EPOCH = Temporal.PlainDate.from("1970-01-01");

/** What Temporal says of a day, asked once: its getters are slow. */
interface PlainDate {
  readonly month: number;
  readonly day: number;
  readonly dayOfWeek: number;
  readonly daysInMonth: number;
}

const dates = new Map<number, PlainDate>();

function dateOf(day: number): PlainDate {
  const known = dates.get(day);
  if (known) return known;
  const { month, day: dayOfMonth, dayOfWeek, daysInMonth } = EPOCH.add({ days: day });
  const date = { month, day: dayOfMonth, dayOfWeek, daysInMonth };
  dates.set(day, date);
  return date;
}

function monthsLater(day: number, months: number): number {
  return EPOCH.until(EPOCH.add({ days: day }).add({ months })).days;
}

/** The month and the day that the leave year is counted from. */
function yearAnchor({ policy, assignment }: BalanceFacts): { month: number; day: number } {
  if (policy.rules.periodAnchor === "anniversary") return dateOf(assignment.assignedOn);
  const [month, day] = policy.rules.yearStartsOn.split("-");
  return { month: Number(month), day: Number(day) };
}

/** Whether a day begins a year's part of so many months (12: the year itself), counted from the anchor. */
function beginsPart(facts: BalanceFacts, months: number, day: number): boolean {
  const [date, anchor] = [dateOf(day), yearAnchor(facts)];
  return (date.month - anchor.month) % months === 0 && date.day === Math.min(anchor.day, date.daysInMonth);
}

const isYearStart = (facts: BalanceFacts, day: number): boolean => beginsPart(facts, 12, day);

/** Whether a grant's period begins on a day. */
function isBoundary(facts: BalanceFacts, day: number): boolean {
  const { schedule, rules } = facts.policy;
  if (schedule === "monthly")
    return rules.periodAnchor === "calendar" ? dateOf(day).day === 1 : beginsPart(facts, 1, day);
  switch (rules.instalments) {
    case null:
      return isYearStart(facts, day);
    case "daily": // the generators leave it out
      return true;
    case "weekly":
      return (day - rules.instalmentsFrom!) % 7 === 0;
    case "biweekly":
      return (day - rules.instalmentsFrom!) % 14 === 0;
    case "semimonthly":
      return dateOf(day).day === 1 || dateOf(day).day === 16;
    case "quarterly":
      return beginsPart(facts, 3, day);
    case "halfYearly":
      return beginsPart(facts, 6, day);
  }
}

function isCovered({ assignment, worker }: BalanceFacts, day: number): boolean {
  if (day < assignment.assignedOn || day < worker.startDate) return false;
  if (worker.endDate !== null && day > worker.endDate) return false;
  if (assignment.pauses.some(({ first, last }) => first <= day && day <= last)) return false;
  return assignment.endsOn === null || day <= assignment.endsOn;
}

/** The periods that were looked for, by each of their days. */
type KnownPeriods = Map<number, Period>;

interface Period {
  readonly days: readonly number[];
  readonly grants: readonly Grant[];
}

function periodAround(facts: BalanceFacts, day: number, periods: KnownPeriods): Period {
  const known = periods.get(day);
  if (known !== undefined) return known;
  const days = daysAround(facts, day);
  const period = { days, grants: periodGrants(facts, days) };
  for (const at of days) periods.set(at, period);
  return period;
}

/** The days of the period around a day, in order. */
function daysAround(facts: BalanceFacts, day: number): number[] {
  let first = day;
  while (!isBoundary(facts, first)) first -= 1;
  const days = [first];
  for (let at = first + 1; !isBoundary(facts, at); at++) days.push(at);
  return days;
}

/** The share of the year or the month that `monthsStarted` and `fullMonths` grant. */
function twelfths(facts: BalanceFacts, days: readonly number[], isFull: boolean): Fraction {
  const months: number[][] = [];
  for (const day of days) {
    if (months.length === 0 || (facts.policy.schedule === "yearly" && beginsPart(facts, 1, day)))
      months.push([]);
    months.at(-1)!.push(day);
  }
  const counted = months.filter((month) =>
    isFull ? month.every((day) => isCovered(facts, day)) : month.some((day) => isCovered(facts, day)),
  );
  return [BigInt(counted.length), BigInt(months.length)];
}

const PARTS = { daily: 1n, weekly: 52n, biweekly: 26n, semimonthly: 24n, quarterly: 4n, halfYearly: 2n };

interface Grant {
  /** The first of the days on which it is posted, or the last, or the one after that. */
  readonly postedOn: number;
  readonly minutes: Fraction;
}

/** What the period of these days grants: its own grant, then those of tiers reached in it. */
function periodGrants(facts: BalanceFacts, days: readonly number[]): Grant[] {
  const { policy, assignment, worker } = facts;
  const { rules } = policy;
  const covered = days.filter((at) => isCovered(facts, at));
  if (covered.length === 0) return [];
  const [first, last] = [covered[0]!, covered.at(-1)!];
  const postedOn = { start: first, end: last + 1, lastDay: last }[rules.accrualTiming];
  const serviceFrom = assignment.serviceFrom ?? worker.startDate;
  const tiers = (assignment.minutesPerPeriod === null ? (rules.tiers ?? []) : [])
    .map((tier) => ({ ...tier, from: monthsLater(serviceFrom, tier.months) }))
    .sort((a, b) => a.months - b.months);
  let amount = assignment.minutesPerPeriod ?? policy.minutesPerPeriod!;
  for (const tier of tiers) if (tier.from <= first) amount = tier.minutes;
  const perPeriod: Fraction = [1n, rules.instalments === null ? 1n : PARTS[rules.instalments]];
  const ofDays = (count: number): Fraction => times(perPeriod, [BigInt(count), BigInt(days.length)]);
  let part = ofDays(covered.length);
  if (!rules.prorate) part = perPeriod;
  else if (rules.prorateBy !== "days") part = twelfths(facts, days, rules.prorateBy === "fullMonths");

  let total = times(decimal(amount), part);
  let posted = roundedGrant(facts, total);
  const grants = [{ postedOn, minutes: posted }];
  if (rules.tierFrom === "nextPeriod") return grants;
  for (const tier of tiers) {
    const after = covered.filter((at) => at >= tier.from);
    if (tier.from <= first || after.length === 0) continue;
    total = plus(total, times(minus(decimal(tier.minutes), decimal(amount)), ofDays(after.length)));
    const before = posted;
    posted = roundedGrant(facts, total);
    amount = tier.minutes;
    grants.push({
      postedOn: rules.accrualTiming === "start" ? after[0]! : postedOn,
      minutes: minus(posted, before),
    });
  }
  return grants;
}

function roundedGrant({ policy }: BalanceFacts, minutes: Fraction): Fraction {
  const { roundGrantsToMinutes, roundGrants } = policy.rules;
  if (roundGrantsToMinutes === null) return minutes;
  const [unit, per] = decimal(roundGrantsToMinutes);
  const [numerator, denominator] = times(minutes, [per, unit]);
  const below = numerator / denominator;
  const rest = numerator - below * denominator;
  const goesUp = roundGrants === "up" ? rest > 0n : roundGrants === "nearest" && rest * 2n >= denominator;
  return times([below + (goesUp ? 1n : 0n), 1n], [unit, per]);
}

function grantsOn(facts: BalanceFacts, day: number, periods: KnownPeriods): Fraction[] {
  const { schedule } = facts.policy;
  if (schedule === "unlimited") return [];
  if (schedule === "per_hour_worked") {
    if (!isCovered(facts, day)) return [];
    const [hours, per] = decimal(facts.policy.hoursWorkedPerChunk!);
    const rate = times(decimal(facts.policy.minutesPerChunk!), [per, hours * 60n]);
    const entries = facts.workedHours.filter((entry) => entry.day === day).map((entry) => entry.minutes);
    return entries.sort((a, b) => a - b).map((minutes) => times(rate, decimal(minutes)));
  }
  // A period posts on one of its days or on the day after it: today's and yesterday's periods are all that may.
  const today = periodAround(facts, day, periods);
  const yesterday = periodAround(facts, day - 1, periods);
  const found = today === yesterday ? today.grants : [...yesterday.grants, ...today.grants];
  return found.filter(({ postedOn }) => postedOn === day).map(({ minutes }) => minutes);
}

/** The days over which requests without written days are spread. */
const spreadDays = new WeakMap<RequestFacts, Map<number | null, readonly number[]>>();

function daysOf(request: RequestFacts, workDays: number | null): readonly number[] {
  const known = spreadDays.get(request)?.get(workDays);
  if (known !== undefined) return known;
  const days: number[] = [];
  for (let at = request.firstDay; at <= request.lastDay; at++) days.push(at);
  const worked = days.filter((at) => workDays !== null && (workDays >> (dateOf(at).dayOfWeek - 1)) % 2 === 1);
  const counted = worked.length > 0 ? worked : days;
  spreadDays.set(request, new Map([...(spreadDays.get(request) ?? []), [workDays, counted]]));
  return counted;
}

/** A request's minutes on one day. */
function leaveOfDay({ worker }: BalanceFacts, request: RequestFacts, day: number): Fraction {
  if (request.dayMinutes !== undefined) {
    const written = request.dayMinutes.find((entry) => entry.day === day);
    return written === undefined ? NONE : decimal(written.minutes);
  }
  const days = daysOf(request, worker.workDays);
  return days.includes(day) ? times(decimal(request.minutes), [1n, BigInt(days.length)]) : NONE;
}

function leaveOn(facts: BalanceFacts, status: string, day: number): Fraction {
  let sum = NONE;
  for (const request of facts.requests) {
    // Written days may lie a day outside of the request.
    if (request.status !== status || day < request.firstDay - 1 || day > request.lastDay + 1) continue;
    sum = plus(sum, leaveOfDay(facts, request, day));
  }
  return sum;
}

/** The same numbers as `balance`, in hundredths of minutes. */
export function modelBalance(facts: BalanceFacts, { today, startDate, endDate }: BalanceWindow) {
  const { policy, assignment } = facts;
  const { rules } = policy;
  const isInWindow = (day: number, last: number) =>
    (startDate === undefined || day >= startDate) && day <= last;
  const lastPosting = endDate ?? today;
  const asOf = endDate !== undefined && endDate < today ? endDate : today;
  const usableFrom = assignment.assignedOn + rules.waitingPeriodDays;
  let [running, lockedAccruals, accruedThisYear] = [NONE, NONE, NONE];
  let [locked, unlocked, used, holds] = [NONE, NONE, NONE, NONE];
  let carried: { minutes: Fraction; expiresOn: number; taken: Fraction } | null = null;
  const periods: KnownPeriods = new Map();

  const post = (day: number, minutes: Fraction, unlocksOn: number) => {
    running = plus(running, minutes);
    if (!isInWindow(day, lastPosting)) return;
    if (unlocksOn <= asOf) unlocked = plus(unlocked, minutes);
    else locked = plus(locked, minutes);
  };

  /** Takes minutes away, locked ones first. */
  const take = (day: number, minutes: Fraction) => {
    if (day < usableFrom) {
      const part = least(minutes, most(lockedAccruals, NONE));
      lockedAccruals = minus(lockedAccruals, part);
      post(day, minus(NONE, part), usableFrom);
      post(day, minus(part, minutes), day);
    } else post(day, minus(NONE, minutes), day);
  };

  const factDays = [
    assignment.assignedOn,
    ...facts.adjustments.map((entry) => entry.day),
    ...facts.requests.flatMap((request) => [request.firstDay - 1, request.lastDay + 1]),
  ];
  const lastLeave = endDate ?? Infinity;
  for (let day = Math.min(...factDays); day <= Math.max(lastPosting, ...factDays); day++) {
    if (isInWindow(day, lastLeave)) {
      used = plus(used, leaveOn(facts, "approved", day));
      holds = plus(holds, leaveOn(facts, "pending", day));
    }
    if (day > lastPosting || policy.isUnlimited) continue;
    const leave = leaveOn(facts, "approved", day - 1);
    running = minus(running, leave);
    if (carried !== null) carried.taken = plus(carried.taken, leave);

    if (isYearStart(facts, day)) {
      accruedThisYear = NONE;
      if (isCovered(facts, day) && isCovered(facts, day - 1)) {
        if (rules.carryoverLimitMinutes !== null) {
          const excess = minus(running, decimal(rules.carryoverLimitMinutes));
          if (excess[0] > 0n) take(day, excess);
        }
        const { carryoverExpiresAfterMonths: months, carryoverExpiresAfterDays: days } = rules;
        if (months !== null || days !== null) {
          const expiresOn = months !== null ? monthsLater(day, months) : day + days!;
          carried = { minutes: most(running, NONE), expiresOn, taken: NONE };
        }
      }
    }
    if (carried !== null && carried.expiresOn === day) {
      const left = most(NONE, least(running, minus(carried.minutes, carried.taken)));
      if (isCovered(facts, day)) take(day, left);
      carried = null;
    }
    for (const entry of facts.adjustments) {
      if (entry.day !== day) continue;
      post(day, decimal(entry.minutes), day);
      if (carried !== null && entry.minutes < 0) carried.taken = minus(carried.taken, decimal(entry.minutes));
    }
    for (const grant of grantsOn(facts, day, periods)) {
      let cut = grant;
      if (rules.yearlyAccrualCapMinutes !== null)
        cut = least(cut, most(NONE, minus(decimal(rules.yearlyAccrualCapMinutes), accruedThisYear)));
      if (rules.balanceCapMinutes !== null)
        cut = least(cut, most(NONE, minus(decimal(rules.balanceCapMinutes), running)));
      accruedThisYear = plus(accruedThisYear, cut);
      if (day < usableFrom) lockedAccruals = plus(lockedAccruals, cut);
      post(day, cut, Math.max(day, usableFrom));
    }
  }
  const sums = {
    accruedLocked: rounded(locked),
    accruedUnlocked: rounded(unlocked),
    holds: rounded(holds),
    used: rounded(used),
  };
  const available = policy.isUnlimited ? 0 : sums.accruedUnlocked - sums.holds - sums.used;
  return { ...sums, available };
}
