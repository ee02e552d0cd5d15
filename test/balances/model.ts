/**
 * The rules of docs/balances.md a second time, to check the first against: slow and plain. It walks from day to
 * day, asks Temporal for every date and counts in BigInt fractions. It shares no code with src/balances.
 */
import { Temporal } from "temporal-polyfill";
import type { BalanceFacts, BalanceWindow } from "../../src/balances/facts.ts";

type Fraction = readonly [numerator: bigint, denominator: bigint];

const NONE: Fraction = [0n, 1n];

const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction =>
  b === d ? [a + c, b] : [a * d + c * b, b * d];
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const minus = (a: Fraction, [c, d]: Fraction): Fraction => plus(a, [-c, d]);
const isAbove = (a: Fraction, b: Fraction): boolean => minus(a, b)[0] > 0n;

function decimal(value: number): Fraction {
  // Twenty decimals are more than a generated amount has; what String writes with an exponent needs them spelt out.
  const text = String(value).includes("e") ? value.toFixed(20).replace(/0+$/, "") : String(value);
  const [whole, decimals = ""] = text.split(".");
  return [BigInt(whole! + decimals), 10n ** BigInt(decimals.length)];
}

function rounded([numerator, denominator]: Fraction): number {
  const size = numerator < 0n ? -numerator : numerator;
  let hundredths = (size * 100n) / denominator;
  if ((size * 100n - hundredths * denominator) * 2n >= denominator) hundredths += 1n;
  return Number(numerator < 0n ? -hundredths : hundredths);
}

const dates = new Map<number, Temporal.PlainDate>();

function dateOf(day: number): Temporal.PlainDate {
  const known = dates.get(day);
  if (known) return known;
  const date = Temporal.PlainDate.from("1970-01-01").add({ days: day });
  dates.set(day, date);
  return date;
}

/** Whether a month (or a year) of the assignment begins on a day. */
function isBoundary(facts: BalanceFacts, unit: "month" | "year", day: number): boolean {
  const date = dateOf(day);
  if (facts.policy.rules.periodAnchor === "calendar")
    return date.day === 1 && (unit === "month" || date.month === 1);
  const anchor = dateOf(facts.assignment.assignedOn);
  if (unit === "year" && date.month !== anchor.month) return false;
  return date.day === Math.min(anchor.day, date.daysInMonth);
}

function isCovered({ assignment, worker }: BalanceFacts, day: number): boolean {
  if (day < assignment.assignedOn || day < worker.startDate) return false;
  if (worker.endDate !== null && day > worker.endDate) return false;
  return assignment.endsOn === null || day <= assignment.endsOn;
}

/** What the period around a covered day grants. */
function periodGrant(facts: BalanceFacts, unit: "month" | "year", day: number): Fraction {
  const minutes = decimal(facts.policy.minutesPerPeriod!);
  let first = day;
  while (!isBoundary(facts, unit, first)) first -= 1;
  let [all, covered] = [0n, 0n];
  for (let at = first; at === first || !isBoundary(facts, unit, at); at++) {
    all += 1n;
    if (isCovered(facts, at)) covered += 1n;
  }
  return facts.policy.rules.prorate ? times(minutes, [covered, all]) : minutes;
}

function grantsOn(facts: BalanceFacts, day: number): Fraction[] {
  const { schedule, rules } = facts.policy;
  if (schedule === "unlimited") return [];
  if (schedule === "per_hour_worked") {
    if (!isCovered(facts, day)) return [];
    const [hours, per] = decimal(facts.policy.hoursWorkedPerChunk!);
    const rate = times(decimal(facts.policy.minutesPerChunk!), [per, hours * 60n]);
    const entries = facts.workedHours.filter((entry) => entry.day === day).map((entry) => entry.minutes);
    return entries.sort((a, b) => a - b).map((minutes) => times(rate, decimal(minutes)));
  }
  const unit = schedule === "monthly" ? "month" : "year";
  const [yesterday, today] = [isCovered(facts, day - 1), isCovered(facts, day)];
  if (rules.accrualTiming === "start") {
    return today && (!yesterday || isBoundary(facts, unit, day)) ? [periodGrant(facts, unit, day)] : [];
  }
  return yesterday && (!today || isBoundary(facts, unit, day)) ? [periodGrant(facts, unit, day - 1)] : [];
}

function leaveOn(facts: BalanceFacts, status: string, day: number): Fraction {
  let sum = NONE;
  for (const request of facts.requests) {
    if (request.status !== status || day < request.firstDay || day > request.lastDay) continue;
    sum = plus(sum, times(decimal(request.minutes), [1n, BigInt(request.lastDay - request.firstDay + 1)]));
  }
  return sum;
}

/** The same result as `balance`, in hundredths of minutes. */
export function modelBalance(facts: BalanceFacts, { today, startDate, endDate }: BalanceWindow) {
  const { policy, assignment } = facts;
  const { carryoverLimitMinutes, balanceCapMinutes, waitingPeriodDays } = policy.rules;
  const isInWindow = (day: number, last: number) =>
    (startDate === undefined || day >= startDate) && day <= last;
  const lastPosting = endDate ?? today;
  const asOf = endDate !== undefined && endDate < today ? endDate : today;
  const usableFrom = assignment.assignedOn + waitingPeriodDays;
  let [running, locked, unlocked, used, holds] = [NONE, NONE, NONE, NONE, NONE];

  const post = (day: number, minutes: Fraction, waits: boolean) => {
    running = plus(running, minutes);
    if (!isInWindow(day, lastPosting)) return;
    if (day <= asOf && (!waits || usableFrom <= asOf)) unlocked = plus(unlocked, minutes);
    else locked = plus(locked, minutes);
  };

  const factDays = [
    assignment.assignedOn,
    ...facts.adjustments.map((entry) => entry.day),
    ...facts.requests.flatMap((request) => [request.firstDay, request.lastDay]),
  ];
  const lastLeave = endDate ?? Infinity;
  for (let day = Math.min(...factDays); day <= Math.max(lastPosting, ...factDays); day++) {
    if (isInWindow(day, lastLeave)) {
      used = plus(used, leaveOn(facts, "approved", day));
      holds = plus(holds, leaveOn(facts, "pending", day));
    }
    if (day > lastPosting || policy.isUnlimited) continue;
    running = minus(running, leaveOn(facts, "approved", day - 1));
    const isYearsEnd = isCovered(facts, day) && isCovered(facts, day - 1) && isBoundary(facts, "year", day);
    if (carryoverLimitMinutes !== null && isYearsEnd) {
      const limit = decimal(carryoverLimitMinutes);
      if (isAbove(running, limit)) post(day, minus(limit, running), true);
    }
    for (const entry of facts.adjustments) if (entry.day === day) post(day, decimal(entry.minutes), false);
    for (const grant of grantsOn(facts, day)) {
      let cut = grant;
      if (balanceCapMinutes !== null && isAbove(plus(running, grant), decimal(balanceCapMinutes))) {
        const room = minus(decimal(balanceCapMinutes), running);
        cut = room[0] > 0n ? room : NONE;
        if (isAbove(cut, grant)) cut = grant;
      }
      post(day, cut, true);
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
