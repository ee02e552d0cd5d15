/**
 * A second, slow implementation of docs/balances.md, to check the first. It goes day by day, asks Temporal for every date and counts in
 * BigInt fractions. It shares no code with src/balances.
 */
import { Temporal } from "temporal-polyfill";
import type {
  BalanceFacts,
  BalanceWindow,
  DayRange,
  PolicyRules,
  RequestFacts,
  ScheduleFacts,
} from "../../src/balances/facts.ts";

type Fraction = readonly [numerator: bigint, denominator: bigint];

const NONE: Fraction = [0n, 1n];

function plus(left: Fraction, right: Fraction): Fraction {
  const [[a, b], [c, d]] = [left, right];
  if (c === 0n) return left; // as on most days
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

/** Caches what Temporal says of a day: its getters are slow. */
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

/** The facts with the terms that the policy has on a day. */
function at(facts: BalanceFacts, day: number): BalanceFacts {
  const terms = facts.policy.changes.filter(({ from }) => from <= day).at(-1);
  return terms === undefined ? facts : { ...facts, policy: { ...facts.policy, ...terms } };
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

/** Whether the balance is carried over on a day. */
function isCarriedOn(facts: BalanceFacts, day: number): boolean {
  const { carryoverOn } = at(facts, day).policy.rules;
  if (carryoverOn === null) return isYearStart(facts, day);
  const [month, dayOfMonth] = carryoverOn.split("-").map(Number);
  const date = dateOf(day);
  return date.month === month && date.day === dayOfMonth;
}

/** The last day, up to the given one, on which something begins. */
function lastOn(day: number, begins: (day: number) => boolean): number {
  let at = day;
  while (!begins(at)) at -= 1;
  return at;
}

/** The first day of the leave year around a day. */
const yearOf = (facts: BalanceFacts, day: number): number => lastOn(day, (at) => isYearStart(facts, at));

function daysOfYear(facts: BalanceFacts, day: number): number {
  const first = yearOf(facts, day);
  let next = first + 1;
  while (!isYearStart(facts, next)) next += 1;
  return next - first;
}

/** Whether a grant's period begins on a day. */
function isBoundary(facts: BalanceFacts, day: number): boolean {
  const { schedule, rules } = facts.policy;
  const { payPeriods, instalments } = rules;
  if (schedule === "per_hour_worked") {
    switch (payPeriods) {
      case "weekly":
        return (day - rules.payPeriodsFrom!) % 7 === 0;
      case "biweekly":
        return (day - rules.payPeriodsFrom!) % 14 === 0;
      case "fourWeekly":
        return (day - rules.payPeriodsFrom!) % 28 === 0;
      case "semimonthly":
        return dateOf(day).day === 1 || dateOf(day).day === 16;
      default:
        return dateOf(day).day === 1;
    }
  }
  if (schedule === "monthly")
    return rules.periodAnchor === "calendar" ? dateOf(day).day === 1 : beginsPart(facts, 1, day);
  switch (instalments) {
    case null:
      return isYearStart(facts, day);
    case "daily":
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

const isIn = (ranges: readonly DayRange[], day: number): boolean =>
  ranges.some(({ first, last }) => first <= day && day <= last);

const isCovered = (facts: BalanceFacts, day: number): boolean =>
  isEmployed(facts, day) && !isIn(facts.assignment.pauses, day);

/** Whether years end, and carried time expires. */
function isEmployed(facts: BalanceFacts, day: number): boolean {
  const { assignment, worker } = facts;
  if (day < assignment.assignedOn || day < worker.startDate) return false;
  if (worker.endDate !== null && day > worker.endDate) return false;
  if (isIn(assignment.gaps, day)) return false;
  return assignment.endsOn === null || day <= assignment.endsOn;
}

/** The last day of employment; Infinity: none is known. */
function endsOn(facts: BalanceFacts): number {
  const { assignment, worker } = facts;
  const last = Math.min(worker.endDate ?? Infinity, assignment.endsOn ?? Infinity);
  if (last === Infinity) return last;
  for (let day = last; day >= assignment.assignedOn; day--) if (isEmployed(facts, day)) return day;
  return last;
}

/** The day on which so many months of service are completed. */
function servedOn(facts: BalanceFacts, months: number): number {
  const from = facts.assignment.serviceFrom ?? facts.worker.startDate;
  let until = monthsLater(from, months);
  const { pauses, gaps } = facts.assignment;
  for (let day = from; day < until; day++) {
    const isPause = facts.policy.rules.serviceCounts === "assigned" && isIn(pauses, day);
    if (isPause || isIn(gaps, day)) until += 1;
  }
  return until;
}

/** The minutes of the tier that is reached by a day, or those before the first one. */
function tierOn(facts: BalanceFacts, tiers: PolicyRules["tiers"], before: number | null, day: number) {
  let minutes = before;
  for (const tier of [...(tiers ?? [])].sort((a, b) => a.months - b.months))
    if (servedOn(facts, tier.months) <= day) minutes = tier.minutes;
  return minutes;
}

function scheduleOn(facts: BalanceFacts, day: number): ScheduleFacts | undefined {
  return facts.worker.schedules
    .filter(({ startsOn }) => startsOn <= day)
    .sort((a, b) => a.startsOn - b.startsOn)
    .at(-1);
}

function shareOn(facts: BalanceFacts, day: number): Fraction {
  const schedule = scheduleOn(facts, day);
  if (schedule === undefined || schedule.fullTimeMinutesPerWeek === null) return [1n, 1n];
  const minutes = schedule.weeks.flat().map(decimal).reduce(plus, NONE);
  const [full, per] = times(decimal(schedule.fullTimeMinutesPerWeek), [BigInt(schedule.weeks.length), 1n]);
  return reduced(times(minutes, [per, full]));
}

/** What a week that is granted on a day is worth; 1 if grants are minutes. */
function worthOn(facts: BalanceFacts, day: number): Fraction {
  if (facts.policy.rules.revalue !== "weeks") return [1n, 1n];
  return shareOn(
    facts,
    lastOn(day, (at) => isCovered(facts, at)),
  );
}

/** The factor of a day's grants. */
function weightOn(facts: BalanceFacts, day: number): Fraction {
  const { assignment, policy } = facts;
  const rate =
    assignment.rates
      .filter(({ from }) => from <= day)
      .sort((a, b) => a.from - b.from)
      .at(-1)?.percent ?? 100;
  const { scaleWith, revalue } = policy.rules;
  const share: Fraction = scaleWith === "share" && revalue !== "weeks" ? shareOn(facts, day) : [1n, 1n];
  return reduced(times(times(decimal(rate), [1n, 100n]), share));
}

/** The periods that were looked for, by each of their days. */
type KnownPeriods = Map<number, Period>;

interface Period {
  readonly days: readonly number[];
  /** With the terms of its first covered day. */
  readonly facts: BalanceFacts;
  readonly grants: readonly Grant[];
}

function periodAround(facts: BalanceFacts, day: number, periods: KnownPeriods): Period {
  const known = periods.get(day);
  if (known !== undefined) return known;
  const days = daysAround(facts, day);
  const first = days.find((each) => isCovered(facts, each)) ?? days[0]!;
  const dated = at(facts, first);
  const period = { days, facts: dated, grants: periodGrants(dated, days) };
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

/** The share of the year or the month that counting months grants. */
function twelfths(
  facts: BalanceFacts,
  days: readonly number[],
  atLeast: "one" | "fifteen" | "all",
): Fraction {
  const months: number[][] = [];
  for (const day of days) {
    if (months.length === 0 || (facts.policy.schedule === "yearly" && beginsPart(facts, 1, day)))
      months.push([]);
    months.at(-1)!.push(day);
  }
  const counted = months.filter((month) => {
    const covered = month.filter((day) => isCovered(facts, day)).length;
    return covered >= { one: 1, fifteen: 15, all: month.length }[atLeast];
  });
  return [BigInt(counted.length), BigInt(months.length)];
}

const PARTS = { weekly: 52n, biweekly: 26n, semimonthly: 24n, quarterly: 4n, halfYearly: 2n };
const MONTHS = { monthsStarted: "one", halfMonths: "fifteen", fullMonths: "all" } as const;

/** The twelfths for full months from a day on, of those that end by another. */
function monthsSince(facts: BalanceFacts, first: number, through: number): Fraction {
  let count = 0n;
  for (let month = 1; month <= 12; month++) {
    const [from, next] = [monthsLater(first, month - 1), monthsLater(first, month)];
    let isFull = next - 1 <= through;
    for (let day = from; day < next; day++) isFull &&= isCovered(facts, day);
    if (isFull) count += 1n;
  }
  return [count, 12n];
}

/** The part of a period that is not counted by days. */
function partBy(facts: BalanceFacts, days: readonly number[], first: number): Fraction {
  const { prorateBy } = facts.policy.rules;
  if (prorateBy === "serviceMonths") return monthsSince(facts, first, days.at(-1)!);
  const months: number[][] = [];
  for (const day of days) {
    if (months.length === 0 || (facts.policy.schedule === "yearly" && beginsPart(facts, 1, day)))
      months.push([]);
    months.at(-1)!.push(day);
  }
  const of = BigInt(months.length);
  if (prorateBy === "thirtieths") {
    let counted = 0n;
    for (const month of months)
      for (const [at, day] of month.entries()) {
        if (!isCovered(facts, day)) continue;
        if (at < 30) counted += 1n;
        if (at === month.length - 1 && at < 29) counted += BigInt(29 - at);
      }
    return [counted, 30n * of];
  }
  if (prorateBy.startsWith("startsBy:")) {
    const most = Number(prorateBy.split(":")[1]);
    const counted = months.filter((month) => month.slice(0, most).some((day) => isCovered(facts, day)));
    return [BigInt(counted.length), of];
  }
  return twelfths(facts, days, MONTHS[prorateBy as keyof typeof MONTHS]);
}

interface Grant {
  readonly postedOn: number;
  /** What the period has granted by then in all, before rounding and caps: minutes, or minutes of full weeks. */
  readonly exact: Fraction;
  /** The minutes of it on this day, and of what was granted before, rounded. */
  readonly total: Fraction;
  readonly before: Fraction;
  readonly worth: Fraction;
}

/** What a period has granted by one of its covered days for those from a day on, if nothing changes after it. */
function exactlyBy(
  facts: BalanceFacts,
  days: readonly number[],
  covered: readonly number[],
  by: number,
  since: number,
): Fraction {
  const { policy, assignment } = facts;
  const { rules } = policy;
  const first = covered[0]!;
  const own = assignment.minutesPerPeriod;
  const tiers = own === null ? (rules.tiers ?? []) : [];
  const amountOn = (day: number) => decimal(tierOn(facts, tiers, own ?? policy.minutesPerPeriod!, day)!);
  let perPeriod: Fraction = [1n, 1n];
  if (rules.instalments === "daily") perPeriod = [1n, BigInt(daysOfYear(facts, first))];
  else if (rules.instalments !== null) perPeriod = [1n, PARTS[rules.instalments]];
  /** The weights of days, each as it is known by then. */
  const weigh = (some: readonly number[]) =>
    some.map((day) => weightOn(facts, Math.min(day, by))).reduce((a, b) => reduced(plus(a, b)), NONE);
  const average = times(weigh(covered), [1n, BigInt(covered.length)]);
  const ofDays = (some: readonly number[]) => times(perPeriod, times(weigh(some), [1n, BigInt(days.length)]));
  const isFirst = !days.some((day) => day < first && isCovered(facts, day)) && firstCovered(facts) === first;

  let share = ofDays(covered);
  if (rules.firstYearWholeAfterMonths !== null && isFirst) {
    const isWhole = servedOn(facts, rules.firstYearWholeAfterMonths) <= by;
    const monthly = rules.firstYearGrants === "monthly";
    const part = monthly
      ? monthsSince(facts, first, Math.min(by, covered.at(-1)!))
      : twelfths(facts, days, "all");
    share = times(isWhole ? [1n, 1n] : part, average);
  } else if (!rules.prorate) share = times(perPeriod, average);
  else if (covered.length < days.length && rules.prorateBy !== "days")
    share = times(partBy(facts, days, first), average);

  const [all, later] = [weigh(covered), weigh(covered.filter((day) => day >= since))];
  if (all[0] === 0n) return NONE;
  const part = times(share, times(later, [all[1], all[0]]));
  let total = times(amountOn(rules.tierFrom === "sameYear" ? by : first), part);
  if (rules.tierFrom === "sameDay") {
    const steps = tiers
      .map(({ months }) => servedOn(facts, months))
      .filter((day) => first < day && day <= by);
    for (const step of new Set(steps)) {
      const more = minus(amountOn(step), amountOn(step - 1));
      total = plus(total, times(more, ofDays(covered.filter((day) => day >= Math.max(step, since)))));
    }
  }
  return reduced(total);
}

function firstCovered(facts: BalanceFacts): number {
  let day = Math.max(facts.assignment.assignedOn, facts.worker.startDate);
  while (!isCovered(facts, day)) day += 1;
  return day;
}

/** What the period of these days grants: by its first covered day, and by each day on which that changes. */
function periodGrants(facts: BalanceFacts, days: readonly number[]): Grant[] {
  const { rules } = facts.policy;
  const covered = days.filter((at) => isCovered(facts, at));
  if (covered.length === 0) return [];
  const last = covered.at(-1)!;
  const posted = (postedOn: number, exact: Fraction, exactBefore: Fraction): Grant => {
    const worth = worthOn(facts, postedOn);
    const granted = (minutes: Fraction) => roundedGrant(facts, times(minutes, worth));
    return { postedOn, worth, exact, total: granted(exact), before: granted(exactBefore) };
  };
  const by = (day: number) => exactlyBy(facts, days, covered, day, -Infinity);
  if (rules.accrualTiming !== "start")
    return [posted(rules.accrualTiming === "end" ? last + 1 : last, by(last), NONE)];
  const whole = rules.firstYearWholeAfterMonths;
  const months = [...(rules.tiers ?? []).map((tier) => tier.months), ...(whole === null ? [] : [whole])];
  const steps = months.map((count) => servedOn(facts, count));
  const grants: Grant[] = [];
  for (const [at, day] of covered.entries()) {
    const before = covered[at - 1];
    const changes =
      before === undefined ||
      steps.some((step) => before < step && step <= day) ||
      rules.firstYearGrants === "monthly" ||
      minus(weightOn(facts, day), weightOn(facts, before))[0] !== 0n;
    if (!changes) continue;
    const [exact, exactBefore] = [by(day), grants.at(-1)?.exact ?? NONE];
    if (at === 0 || minus(exact, exactBefore)[0] !== 0n) grants.push(posted(day, exact, exactBefore));
  }
  return grants;
}

/** Rounded to a multiple; `halfUpKeep` leaves what is less than half. */
function multiple(minutes: Fraction, of: number, how: "nearest" | "up" | "down" | "halfUpKeep"): Fraction {
  const [unit, per] = decimal(of);
  const [numerator, denominator] = times(minutes, [per, unit]);
  const below = numerator / denominator - (numerator % denominator < 0n ? 1n : 0n);
  const rest = numerator - below * denominator;
  if (how === "halfUpKeep" && rest * 2n < denominator) return minutes;
  const goesUp = how === "up" ? rest > 0n : how !== "down" && rest * 2n >= denominator;
  return times([below + (goesUp ? 1n : 0n), 1n], [unit, per]);
}

function roundedGrant({ policy }: BalanceFacts, minutes: Fraction): Fraction {
  const { roundGrantsToMinutes, roundGrants } = policy.rules;
  return roundGrantsToMinutes === null ? minutes : multiple(minutes, roundGrantsToMinutes, roundGrants);
}

/** Minutes that come on a day, before caps. */
interface Coming {
  readonly minutes: Fraction;
  /** The period that grants them; hours worked have none. */
  readonly period?: Period;
  readonly grant?: Grant;
  /** The day on which the tiers of a cap are looked up. */
  readonly from: number;
  /** With the terms under which they are granted. */
  readonly facts: BalanceFacts;
}

function comingOn(facts: BalanceFacts, day: number, periods: KnownPeriods): Coming[] {
  const { schedule, rules } = facts.policy;
  if (schedule === "unlimited") return [];
  if (schedule === "per_hour_worked") {
    if (rules.payPeriods === null) {
      const dated = at(facts, day);
      return earnedOn(dated, day, day).map((minutes) => ({ minutes, from: day, facts: dated }));
    }
    const covered = daysAround(facts, day).filter((at) => isCovered(facts, at));
    if (covered.at(-1) !== day) return [];
    const dated = at(facts, covered[0]!);
    const entries = covered.flatMap((each) => earnedOn(dated, each, covered[0]!));
    if (entries.length === 0) return []; // nothing is granted where nothing was worked
    const earned = entries.reduce(plus, NONE);
    return [{ minutes: roundedGrant(dated, earned), from: covered[0]!, facts: dated }];
  }
  // A period posts on one of its days or on the day after it: today's and yesterday's periods are all that may.
  const [today, yesterday] = [periodAround(facts, day, periods), periodAround(facts, day - 1, periods)];
  return (today === yesterday ? [today] : [yesterday, today]).flatMap((period) =>
    period.grants.flatMap((grant, at) => {
      const { postedOn, total, before } = grant;
      const minutes = minus(total, before);
      const from = at === 0 ? period.days.find((some) => isCovered(facts, some))! : day;
      return postedOn === day ? [{ minutes, period, grant, from, facts: period.facts }] : [];
    }),
  );
}

/** What the hours worked on a day earn. */
function earnedOn(facts: BalanceFacts, day: number, from: number): Fraction[] {
  if (!isCovered(facts, day)) return [];
  const [hours, per] = decimal(facts.policy.hoursWorkedPerChunk!);
  const chunk = tierOn(facts, facts.policy.rules.tiers, facts.policy.minutesPerChunk, from)!;
  const rate = times(times(decimal(chunk), [per, hours * 60n]), weightOn(facts, day));
  const entries = facts.workedHours.filter((entry) => entry.day === day).map((entry) => entry.minutes);
  return entries.sort((a, b) => a - b).map((minutes) => reduced(times(rate, decimal(minutes))));
}

/** The minutes that are worked on a day as the schedule says; without one, nothing is known. */
function workedOn(facts: BalanceFacts, day: number, withHolidays: boolean): Fraction | null {
  const schedule = scheduleOn(facts, day);
  if (schedule === undefined) return null;
  const monday = schedule.startsOn - (dateOf(schedule.startsOn).dayOfWeek - 1);
  const week = schedule.weeks[Math.floor((day - monday) / 7) % schedule.weeks.length]!;
  const minutes = decimal(week[dateOf(day).dayOfWeek - 1]!);
  const holiday = schedule.holidays.find((entry) => entry.day === day);
  if (holiday === undefined || withHolidays) return minutes;
  return holiday.minutes === null ? NONE : most(NONE, minus(minutes, decimal(holiday.minutes)));
}

/** The parts of a request without written days that fall on its days. */
function partsOf(facts: BalanceFacts, request: RequestFacts): Map<number, Fraction> {
  const days: number[] = [];
  for (let at = request.firstDay; at <= request.lastDay; at++) days.push(at);
  const { workDays } = facts.worker;
  const isWorkDay = (day: number) => workDays !== null && (workDays >> (dateOf(day).dayOfWeek - 1)) % 2 === 1;
  const equal = (day: number): Fraction => [isWorkDay(day) ? 1n : 0n, 1n];
  /** Work days of eight hours, less the holidays of the workplace. */
  const usual = (day: number): Fraction => {
    const holiday = facts.worker.holidays.find((entry) => entry.day === day);
    if (holiday === undefined || !isWorkDay(day)) return equal(day);
    return holiday.minutes === null
      ? NONE
      : most(NONE, times(minus([480n, 1n], decimal(holiday.minutes)), [1n, 480n]));
  };
  const choices: ((day: number) => Fraction)[] = [usual, equal, () => [1n, 1n]];
  if (days.every((day) => scheduleOn(facts, day) !== undefined))
    choices.unshift(
      (day) => workedOn(facts, day, false)!,
      (day) => workedOn(facts, day, true)!,
    );
  for (const weigh of choices) {
    const weights = days.map(weigh);
    const [all, per] = sum(weights);
    if (all > 0n) return new Map(days.map((day, at) => [day, reduced(times(weights[at]!, [per, all]))]));
  }
  return new Map();
}

const knownParts = new WeakMap<RequestFacts, Map<unknown, Map<number, Fraction>>>();

function knownPartsOf(facts: BalanceFacts, request: RequestFacts): Map<number, Fraction> {
  const known = knownParts.get(request) ?? new Map();
  knownParts.set(request, known);
  const parts = known.get(facts.worker) ?? partsOf(facts, request);
  known.set(facts.worker, parts);
  return parts;
}

/** A request's minutes on one day. */
function leaveOfDay(facts: BalanceFacts, request: RequestFacts, day: number): Fraction {
  if (request.dayMinutes !== undefined) {
    const written = request.dayMinutes.find((entry) => entry.day === day);
    return written === undefined ? NONE : decimal(written.minutes);
  }
  return times(decimal(request.minutes), knownPartsOf(facts, request).get(day) ?? NONE);
}

function leaveOn(facts: BalanceFacts, status: string, day: number): Fraction {
  let sum = NONE;
  if (facts.opening !== null && day <= facts.opening.day) return sum;
  for (const request of facts.requests) {
    // Written days may lie a day outside of the request.
    if (request.status !== status || day < request.firstDay - 1 || day > request.lastDay + 1) continue;
    sum = plus(sum, leaveOfDay(facts, request, day));
  }
  return sum;
}

/** Carried time, and what was taken of it since. */
interface Carried {
  minutes: Fraction;
  readonly kept: Fraction;
  readonly expiresOn: number;
  taken: Fraction;
}

/** A grant that is not used up. */
interface Lot {
  readonly postedOn: number;
  readonly expiresOn: number;
  left: Fraction;
}

interface Posting {
  readonly day: number;
  readonly minutes: Fraction;
  readonly unlocksOn: number;
}

interface Told {
  readonly postings: readonly Posting[];
  /** What was left on the day on which it moved to another policy. */
  readonly moved: {
    readonly minutes: Fraction;
    readonly carried: readonly Carried[];
    readonly lots: readonly Lot[];
  } | null;
}

const factDays = ({ assignment, adjustments, requests, opening, workedHours }: BalanceFacts): number[] => [
  assignment.assignedOn - 1,
  ...adjustments.flatMap((entry) => [entry.day, entry.expiresOn ?? entry.day]),
  ...workedHours.map((entry) => entry.day),
  ...requests.flatMap((request) => [request.firstDay - 1, request.lastDay + 1]),
  ...(opening === null ? [] : [opening.day]),
];

const sum = (amounts: readonly Fraction[]): Fraction => amounts.reduce((a, b) => reduced(plus(a, b)), NONE);

/** Everything that is posted through a day. */
function tell(facts: BalanceFacts, until: number): Told {
  const { assignment, policy, opening, movesOn } = facts;
  const lotMonthsOf = (rules: PolicyRules) =>
    assignment.grantsExpireAfterMonths ?? rules.grantsExpireAfterMonths;
  const keptOn = (day: number) =>
    decimal(assignment.carryoverKeepsMinutes ?? at(facts, day).policy.rules.carryoverKeepsMinutes ?? 0);
  const usableFrom = (rules: PolicyRules) => assignment.assignedOn + rules.waitingPeriodDays;
  const postings: Posting[] = [];
  const periods: KnownPeriods = new Map();
  /** What each period has granted: before caps, and after them. */
  const granted = new Map<Period, { total: Fraction; net: Fraction; worth: Fraction }>();
  /** What each leave year has granted: as computed, and as rounded. */
  const years = new Map<number, { exact: Fraction; posted: Fraction }>();
  let [running, accruedThisYear] = [NONE, NONE];
  /** By the day on which they unlock. */
  const locked = new Map<number, Fraction>();
  const lock = (unlocksOn: number, minutes: Fraction) =>
    locked.set(unlocksOn, plus(locked.get(unlocksOn) ?? NONE, minutes));
  const lockedOn = (day: number) =>
    [...locked].filter(([unlocksOn]) => unlocksOn > day).sort(([a], [b]) => a - b);
  let carriedOver: Carried[] = [];
  let [lots, owed]: [Lot[], Fraction] = [[], NONE];
  let moved: Told["moved"] = null;
  if (policy.isUnlimited) return { postings, moved };

  const post = (day: number, minutes: Fraction, unlocksOn: number) => {
    running = reduced(plus(running, minutes));
    postings.push({ day, minutes, unlocksOn });
  };

  /** Posts a multiple of minutes, locked ones first. */
  const postParts = (day: number, minutes: Fraction, lockedMinutes: Fraction, factor: Fraction) => {
    let [rest, lockedRest] = [minutes, lockedMinutes];
    for (const [unlocksOn, there] of lockedOn(day)) {
      const part = least(lockedRest, most(there, NONE));
      const posted = reduced(times(part, factor));
      lock(unlocksOn, posted);
      post(day, posted, unlocksOn);
      rest = minus(rest, part);
      lockedRest = minus(lockedRest, part);
    }
    post(day, reduced(times(rest, factor)), day);
  };

  const take = (day: number, minutes: Fraction) => postParts(day, minutes, minutes, [-1n, 1n]);

  const carry = (minutes: Fraction, boundary: number) => {
    const { carryoverExpiresAfterMonths: months, carryoverExpiresAfterDays: days } = at(facts, boundary)
      .policy.rules;
    if (months === null && days === null) return;
    const expiresOn = months !== null ? monthsLater(boundary, months) : boundary + days!;
    carriedOver.push({ minutes, kept: keptOn(boundary), expiresOn, taken: NONE });
  };

  /** A new lot pays first what is owed. */
  const addLot = (postedOn: number, expiresOn: number, minutes: Fraction) => {
    const paid = least(owed, minutes);
    owed = minus(owed, paid);
    lots.push({ postedOn, expiresOn, left: minus(minutes, paid) });
    lots.sort((a, b) =>
      a.expiresOn === b.expiresOn ? a.postedOn - b.postedOn : a.expiresOn < b.expiresOn ? -1 : 1,
    );
  };

  /** Takes from lots, the earliest expiry first, and returns what they did not have. */
  const takeLots = (some: readonly Lot[], minutes: Fraction): Fraction => {
    let rest = minutes;
    for (const lot of some) {
      const part = least(lot.left, rest);
      lot.left = reduced(minus(lot.left, part));
      rest = reduced(minus(rest, part));
    }
    return rest;
  };

  const owe = (minutes: Fraction) => {
    owed = plus(owed, takeLots(lots, minutes));
  };

  /** Leave, and adjustments that take away. */
  const use = (minutes: Fraction) => {
    for (const carried of carriedOver) carried.taken = plus(carried.taken, minutes);
    owe(minutes);
  };

  for (let day = Math.min(...factDays(facts)); day <= until; day++) {
    const today = at(facts, day);
    const { rules } = today.policy;
    const lotMonths = lotMonthsOf(rules);
    const counts = opening === null || day > opening.day;
    const leave = leaveOn(facts, "approved", day - 1);
    if (leave[0] !== 0n) {
      running = reduced(minus(running, leave));
      use(leave);
    }

    const comes = facts.movesFrom !== null && day === assignment.assignedOn;
    if (comes && counts) {
      const from = tell(facts.movesFrom!, day).moved ?? { minutes: NONE, carried: [], lots: [] };
      post(day, from.minutes, day);
      const hasExpiry =
        rules.carryoverExpiresAfterMonths !== null || rules.carryoverExpiresAfterDays !== null;
      if (hasExpiry) carriedOver.push(...from.carried.map((carried) => ({ ...carried })));
      const living = lotMonths === null ? [] : from.lots;
      for (const { postedOn, expiresOn, left } of living) addLot(postedOn, expiresOn, left);
      const rest = minus(from.minutes, sum(living.map((lot) => lot.left)));
      if (rest[0] > 0n) addLot(day, Infinity, rest);
      else owe(minus(NONE, rest));
    }
    if (isYearStart(facts, day)) accruedThisYear = NONE;
    for (const carried of carriedOver.filter(({ expiresOn }) => expiresOn === day)) {
      const left = most(NONE, least(running, minus(minus(carried.minutes, carried.kept), carried.taken)));
      if (!isEmployed(facts, day)) continue;
      take(day, left);
      use(left);
    }
    // On the day of a move away, time expires under the policy that it moves to.
    carriedOver = carriedOver.filter(
      ({ expiresOn }) => expiresOn > day || (expiresOn === day && day === movesOn),
    );
    const isCarried = counts && isCarriedOn(facts, day) && isEmployed(facts, day);
    if (isCarried && (comes || isEmployed(facts, day - 1))) {
      const limit = tierOn(today, rules.carryoverLimitTiers, rules.carryoverLimitMinutes, day);
      if (limit !== null) {
        const began = lastOn(day - 1, (at) => isCarriedOn(facts, at));
        const ended = lots.filter(
          (lot) => lot.expiresOn < Infinity && began <= lot.postedOn && lot.postedOn < day,
        );
        const there = lotMonths === null ? running : sum(ended.map((lot) => lot.left));
        const excess = most(NONE, minus(there, decimal(limit)));
        take(day, excess);
        takeLots(lotMonths === null ? lots : ended, excess);
      }
      carry(most(running, NONE), day);
    }
    if (isEmployed(facts, day)) {
      for (const lot of lots.filter(({ expiresOn }) => counts && expiresOn === day)) {
        const left = least(lot.left, most(running, NONE));
        take(day, left);
        for (const carried of carriedOver) carried.taken = plus(carried.taken, left);
      }
      lots = lots.filter(({ expiresOn }) => expiresOn !== day);
    }
    if (rules.revalue !== "none" && counts && isCovered(facts, day) && firstCovered(facts) < day) {
      const yesterday = lastOn(day - 1, (at) => isCovered(facts, at));
      const [before, after] = [shareOn(facts, yesterday), shareOn(facts, day)];
      const changes = before[0] !== 0n && minus(before, after)[0] !== 0n;
      const base = changes ? most(NONE, minus(running, grantedFor(facts, day, periods, granted))) : NONE;
      if (base[0] > 0n) {
        const factor = reduced(times(after, [before[1], before[0]]));
        const more = minus(factor, [1n, 1n]);
        const lockedAll = sum(lockedOn(day).map(([, minutes]) => minutes));
        postParts(day, base, least(base, most(NONE, minus(lockedAll, minus(running, base)))), more);
        const change = reduced(times(base, more));
        if (change[0] > 0n) addLot(day, Infinity, change);
        else takeLots([...lots].reverse(), minus(NONE, change));
        for (const carried of carriedOver) {
          carried.minutes = reduced(times(carried.minutes, factor));
          carried.taken = reduced(times(carried.taken, factor));
        }
      }
    }
    // Additions come first, by expiry.
    const ofDay = counts ? facts.adjustments.filter((entry) => entry.day === day) : [];
    const rank = ({ minutes, expiresOn }: (typeof ofDay)[number]) => (minutes > 0 ? (expiresOn ?? 1e8) : 1e9);
    for (const entry of ofDay.sort((a, b) => rank(a) - rank(b))) {
      post(day, decimal(entry.minutes), day);
      if (entry.minutes > 0) addLot(day, entry.expiresOn ?? Infinity, decimal(entry.minutes));
      else use(decimal(-entry.minutes));
    }
    for (const { minutes, period, grant, from, facts: dated } of comingOn(facts, day, periods)) {
      const grantRules = dated.policy.rules;
      let coming = minutes;
      {
        const year = yearOf(facts, period?.days.find((each) => isCovered(facts, each)) ?? from);
        const before = years.get(year) ?? { exact: NONE, posted: NONE };
        const exact = plus(before.exact, minutes);
        const isEnd = period !== undefined && isLastOfYear(facts, period.days, year);
        const { roundSumToMinutes: unit, roundSum, roundSumOn } = grantRules;
        const isRounded = unit !== null && (roundSumOn === "every" || isEnd);
        let posted = exact;
        if (unit === null) posted = plus(before.posted, minutes);
        else if (isRounded) posted = multiple(exact, unit, roundSum);
        coming = minus(posted, before.posted);
        years.set(year, { exact, posted });
      }
      let cut = coming;
      const yearlyCap = at(facts, yearOf(facts, day)).policy.rules.yearlyAccrualCapMinutes;
      if (yearlyCap !== null) cut = least(cut, most(NONE, minus(decimal(yearlyCap), accruedThisYear)));
      const cap = tierOn(today, rules.balanceCapTiers, rules.balanceCapMinutes, from);
      if (cap !== null && counts) cut = least(cut, most(NONE, minus(decimal(cap), running)));
      if (period !== undefined && grant !== undefined) {
        const { worth } = grant;
        const before = granted.get(period) ?? { total: NONE, net: NONE, worth };
        const total = grantRules.revalue === "weeks" ? grant.total : plus(before.total, coming);
        // Weeks that were granted before have been revalued.
        const [full, per] = before.worth;
        const net = full === 0n ? NONE : times(before.net, times(worth, [per, full]));
        // A smaller total takes the excess back, but not what a cap has cut already.
        if (coming[0] < 0n) cut = least(NONE, minus(total, net));
        granted.set(period, { total, net: plus(net, cut), worth });
      }
      accruedThisYear = plus(accruedThisYear, cut);
      const months = lotMonthsOf(grantRules);
      const expiresOn = months === null ? Infinity : monthsLater(day, months);
      if (!counts) {
        if (cut[0] > 0n) addLot(day, expiresOn, cut);
        continue;
      }
      const unlocksOn = Math.max(day, usableFrom(grantRules));
      if (unlocksOn > day) lock(unlocksOn, cut);
      post(day, cut, unlocksOn);
      if (cut[0] > 0n) addLot(day, expiresOn, cut);
      // What is taken back of grants that never expire takes such time first.
      else if (months === null) owed = plus(owed, takeLots([...lots].reverse(), minus(NONE, cut)));
      else owe(minus(NONE, cut));
    }
    if (day === movesOn && counts) {
      moved = { minutes: running, carried: carriedOver, lots };
      // Locked time moves as locked time; what leave has taken of it comes back as unlocked time.
      let rest = minus(NONE, running);
      for (const [unlocksOn, part] of lockedOn(day)) {
        post(day, minus(NONE, part), unlocksOn);
        rest = plus(rest, part);
      }
      post(day, rest, day);
      locked.clear();
      [carriedOver, lots, owed] = [[], [], NONE];
    }
    if (counts && movesOn === null && day === endsOn(facts) + 1) {
      if (at(facts, day - 1).policy.rules.whenItEnds === "forfeit") {
        take(day, most(running, NONE));
        [carriedOver, lots, owed] = [[], [], NONE];
      }
    }
    if (day === opening?.day) {
      running = NONE;
      const minutes = decimal(opening.minutes);
      const unlocksOn = minutes[0] > 0n ? Math.max(day, usableFrom(rules)) : day;
      post(day, minutes, unlocksOn);
      locked.clear();
      if (unlocksOn > day) lock(unlocksOn, minutes);
      if (opening.accruedMinutes !== null) accruedThisYear = decimal(opening.accruedMinutes);
      carriedOver = [];
      carry(
        decimal(opening.carriedMinutes ?? 0),
        lastOn(day, (each) => isCarriedOn(facts, each)),
      );
      carriedOver = carriedOver.filter(({ expiresOn }) => expiresOn > day);
      // Fills the grants that have not expired, newest first.
      const living = lots.filter(({ expiresOn }) => expiresOn > day).sort((a, b) => b.postedOn - a.postedOn);
      [lots, owed] = [[], most(NONE, minus(NONE, minutes))];
      let rest = most(NONE, minutes);
      for (const lot of living) {
        const part = least(rest, lot.left);
        addLot(lot.postedOn, lot.expiresOn, part);
        rest = minus(rest, part);
      }
      addLot(day, Infinity, rest);
    }
  }
  return { postings, moved };
}

/** What the period around a day has granted for this day and later ones. */
function grantedFor(
  facts: BalanceFacts,
  day: number,
  periods: KnownPeriods,
  granted: ReadonlyMap<Period, { readonly net: Fraction }>,
): Fraction {
  if (facts.policy.schedule === "per_hour_worked") return NONE;
  const period = periodAround(facts, day, periods);
  if (period.facts.policy.rules.revalue === "weeks") return NONE;
  const net = granted.get(period)?.net ?? NONE;
  const covered = period.days.filter((at) => isCovered(facts, at));
  const before = covered.filter((at) => at < day).at(-1);
  return before === undefined ? NONE : least(net, exactlyBy(period.facts, period.days, covered, before, day));
}

/** Whether no later period of the leave year grants anything. */
function isLastOfYear(facts: BalanceFacts, days: readonly number[], year: number): boolean {
  let later = days.at(-1)! + 1;
  while (yearOf(facts, later) === year && !isCovered(facts, later)) later += 1;
  return yearOf(facts, later) !== year;
}

/** The same numbers as `balance`, in hundredths of minutes. */
export function modelBalance(facts: BalanceFacts, { today, startDate, endDate }: BalanceWindow) {
  const isInWindow = (day: number, last: number) =>
    (startDate === undefined || day >= startDate) && day <= last;
  const lastPosting = endDate ?? today;
  const asOf = endDate !== undefined && endDate < today ? endDate : today;
  let [locked, unlocked] = [NONE, NONE];
  for (const { day, minutes, unlocksOn } of tell(facts, lastPosting).postings) {
    if (!isInWindow(day, lastPosting)) continue;
    if (unlocksOn <= asOf) unlocked = plus(unlocked, minutes);
    else locked = plus(locked, minutes);
  }
  const leaveDays = facts.requests.flatMap(({ firstDay, lastDay }) => [firstDay - 1, lastDay + 1]);
  const leaveWhere = (status: string, isMeant: (day: number) => boolean) => {
    let minutes = NONE;
    for (let day = Math.min(...leaveDays); day <= Math.max(...leaveDays); day++)
      if (isMeant(day)) minutes = plus(minutes, leaveOn(facts, status, day));
    return minutes;
  };
  const isMeant = (day: number) => isInWindow(day, endDate ?? Infinity);
  const pending = leaveWhere("pending", isMeant);
  const used = leaveWhere("approved", isMeant);
  let holds = pending;
  const isHere = facts.movesOn === null || facts.movesOn > lastPosting;
  if (startDate === undefined && pending[0] !== 0n && isHere && !facts.policy.isUnlimited) {
    const decided = facts.requests.map(
      (request) =>
        ({ ...request, status: request.status === "pending" ? "approved" : request.status }) as const,
    );
    const then = sum(
      tell({ ...facts, requests: decided }, lastPosting).postings.map(({ minutes }) => minutes),
    );
    holds = minus(minus(plus(locked, unlocked), used), minus(then, plus(used, pending)));
  }
  const sums = {
    accruedLocked: rounded(locked),
    accruedUnlocked: rounded(unlocked),
    holds: rounded(holds),
    used: rounded(used),
  };
  let available = facts.policy.isUnlimited ? 0 : sums.accruedUnlocked - sums.holds - sums.used;
  const { useCapMinutes } = at(facts, lastPosting).policy.rules;
  if (useCapMinutes !== null && startDate === undefined) {
    const year = yearOf(facts, lastPosting);
    const inYear = (day: number) => isMeant(day) && yearOf(facts, day) === year;
    let left = [leaveWhere("approved", inYear), leaveWhere("pending", inYear)].reduce(
      minus,
      decimal(useCapMinutes),
    );
    for (let target = facts; target.movesFrom !== null; target = target.movesFrom)
      for (let day = year; day < target.assignment.assignedOn; day++)
        if (
          day <= (endDate ?? Infinity) &&
          yearOf(facts, day) === year &&
          (facts.opening === null || day > facts.opening.day)
        )
          for (const status of ["approved", "pending"])
            left = minus(left, leaveOn(target.movesFrom, status, day));
    available = Math.min(available, Math.max(0, rounded(left)));
  }
  return { ...sums, available };
}
