/** What leave would cost, and how much can be taken (docs/balances.md, A preview). */
import { type Day, weekdayOf } from "../time/day.ts";
import { approved, usableInYear } from "./balance.ts";
import type { BalanceFacts, DayMinutes, RequestFacts } from "./facts.ts";
import { minutesOn } from "./leave.ts";
import { type Loss, losses } from "./movements.ts";
import { balanceOn } from "./past.ts";
import { eachPosting } from "./postings.ts";
import { add, type Rational, rational, sign, subtract, toHundredths, ZERO } from "./rational.ts";
import { scheduleOn, workedMinutes } from "./working-time.ts";

/** Minutes have at most 2 decimals. */
export interface Preview {
  /** What falls on each day that has minutes. */
  readonly days: readonly DayMinutes[];
  /** At the end of the last day, with all leave that is approved or pending; without this, and with it. */
  readonly before: number;
  readonly after: number;
  /** The most that can be taken on the first day so that neither it nor a later one is below zero, and its year's cap of use holds. */
  readonly most: number;
  /** What is lost in the year from the first day on if this is taken. */
  readonly lost: readonly Loss[];
}

/** How long somebody works on a day of which no schedule tells. */
const USUAL_MINUTES = 480;
const MONDAY_TO_FRIDAY = 0b0011111;

/** Previews leave from one day to another, both included. `minutes`: of all of it; null: what is worked on these days. */
export function preview(facts: BalanceFacts, first: Day, last: Day, minutes: number | null): Preview {
  const booked = { ...facts, requests: facts.requests.map(approved) };
  const days = minutes === null ? workedDays(facts, first, last) : spreadDays(facts, first, last, minutes);
  const taken = withLeave(booked, days);
  const hundredths = (value: Rational) => toHundredths(value) / 100;
  return {
    days,
    before: hundredths(balanceOn(booked, last)),
    after: hundredths(balanceOn(taken, last)),
    most: Math.min(mostOn(booked, first), usableInYear(booked, { today: first }) / 100),
    lost: losses(taken, first, first + 365),
  };
}

function withLeave(facts: BalanceFacts, days: readonly DayMinutes[]): BalanceFacts {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return facts;
  const minutes = days.reduce<Rational>((sum, one) => add(sum, rational(one.minutes)), ZERO);
  const leave: RequestFacts = {
    ...{ status: "approved", firstDay: first.day, lastDay: last.day, dayMinutes: days },
    minutes: toHundredths(minutes) / 100,
  };
  return { ...facts, requests: [...facts.requests, leave] };
}

/** What is worked on each day, holidays left out. */
function workedDays({ worker }: BalanceFacts, first: Day, last: Day): DayMinutes[] {
  const days: DayMinutes[] = [];
  for (let day = first; day <= last; day++) {
    const schedule = scheduleOn(worker.schedules, day);
    const isWorkDay = (((worker.workDays ?? MONDAY_TO_FRIDAY) >> weekdayOf(day)) & 1) === 1;
    const worked = schedule === undefined ? (isWorkDay ? USUAL_MINUTES : 0) : workedMinutes(schedule, day);
    if (sign(worked) > 0) days.push({ day, minutes: toHundredths(worked) / 100 });
  }
  return days;
}

/** Minutes as a request's are spread; those of all days add up. */
function spreadDays({ worker }: BalanceFacts, firstDay: Day, lastDay: Day, minutes: number): DayMinutes[] {
  const request: RequestFacts = { status: "approved", firstDay, lastDay, minutes };
  const through = (day: Day) => toHundredths(minutesOn(request, -Infinity, day, worker));
  const days: DayMinutes[] = [];
  for (let day = firstDay; day <= lastDay; day++)
    days.push({ day, minutes: (through(day) - through(day - 1)) / 100 });
  return days.filter((one) => one.minutes > 0);
}

/** By halving: more leave never leaves more. */
function mostOn(facts: BalanceFacts, day: Day): number {
  const fits = (hundredths: number) =>
    !isEverBelow(withLeave(facts, [{ day, minutes: hundredths / 100 }]), day);
  let [low, high] = [0, Math.max(0, toHundredths(balanceOn(facts, day)))];
  if (fits(high)) return high / 100;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low / 100;
}

/** Grants are taken back when working time falls, and by hours worked that are corrected: so far ahead it is looked for. */
const DAYS_AHEAD = 800;

/** Whether the balance of a day or of a later one is below zero, as far as `DAYS_AHEAD` and the last fact. */
function isEverBelow(facts: BalanceFacts, from: Day): boolean {
  const lastDays = facts.requests.map(({ lastDay, dayMinutes }) => dayMinutes?.at(-1)?.day ?? lastDay);
  const lastLeave = Math.max(from, ...lastDays);
  const dated = [...facts.adjustments, ...facts.workedHours].map(({ day }) => day);
  const last = Math.max(lastLeave, from + DAYS_AHEAD, ...dated);
  const postedOn = new Map<Day, Rational>();
  let left = balanceOn(facts, from);
  eachPosting(facts, last, (day, minutes) => {
    if (day > from) postedOn.set(day, add(postedOn.get(day) ?? ZERO, minutes));
  });
  const approvedLeave = facts.requests.filter(({ status }) => status === "approved");
  for (let day = from; ; ) {
    if (toHundredths(left) < 0) return true;
    day += 1;
    if (day > last) return false;
    left = add(left, postedOn.get(day) ?? ZERO);
    if (day > lastLeave) continue;
    for (const request of approvedLeave) left = subtract(left, minutesOn(request, day, day, facts.worker));
  }
}
