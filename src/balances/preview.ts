/** The cost of leave that is not booked yet, and how much can be taken (docs/balances.md, A preview). */
import { addMonths, type Day } from "../time/day.ts";
import { approved, closingOf, leftOfCap } from "./balance.ts";
import { coverageOf, employmentOf, isCovered } from "./coverage.ts";
import type { BalanceFacts, DayMinutes, RequestFacts, WorkerFacts } from "./facts.ts";
import { approvedLeave, countedLeave, lastLeaveDay, minutesOfDay } from "./leave.ts";
import { type Loss, losses } from "./movements.ts";
import { eachPosting } from "./postings.ts";
import { add, addTo, negate, type Rational, rational, subtract, toHundredths, ZERO } from "./rational.ts";
import { scheduleOn, usualSchedule, workedMinutes } from "./working-time.ts";

/** Minutes have at most 2 decimals. */
export interface Preview {
  readonly days: readonly DayMinutes[];
  /** The balance at the end of the last day without and with this leave. All approved and pending leave counts. */
  readonly before: number;
  readonly after: number;
  /** The most that can be taken on the first day, so that no day has less than zero to use; 0 outside of the employment or assignment. */
  readonly most: number;
  /** Whether this leave can be taken (docs/balances.md, A preview). */
  readonly isCovered: boolean;
  /** The losses of the first day and the twelve months after it if this leave is taken. */
  readonly lost: readonly Loss[];
}

/** Previews leave from `first` through `last`. `minutes`: of all days together; null: the working time of these days. */
export function preview(facts: BalanceFacts, first: Day, last: Day, minutes: number | null): Preview {
  const booked = allApproved(facts);
  const employment = employmentOf(facts, coverageOf(facts));
  const days = leaveDays(facts.worker, first, last, minutes);
  const taken = withLeave(booked, days);
  return {
    days,
    before: closingOf(booked, last) / 100,
    after: closingOf(taken, last) / 100,
    most: isCovered(employment, first)
      ? Math.min(mostOn(booked, first), Math.max(0, leftOfCap(booked, { today: first })) / 100)
      : 0,
    isCovered:
      days.every(({ day }) => isCovered(employment, day)) &&
      (facts.policy.isUnlimited ||
        (lowestUsable(taken, first).ever >= 0 &&
          days.every(({ day }) => leftOfCap(taken, { today: day }) >= 0))),
    lost: losses(taken, first, addMonths(first, 12)),
  };
}

/** The facts with all pending leave approved, also under policies from which the balance moved. */
function allApproved(facts: BalanceFacts): BalanceFacts {
  const movesFrom = facts.movesFrom && allApproved(facts.movesFrom);
  return { ...facts, movesFrom, requests: facts.requests.map(approved) };
}

function withLeave(facts: BalanceFacts, days: readonly DayMinutes[]): BalanceFacts {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return facts;
  const minutes = days.reduce<Rational>((sum, day) => add(sum, rational(day.minutes)), ZERO);
  const leave: RequestFacts = {
    status: "approved",
    firstDay: first.day,
    lastDay: last.day,
    dayMinutes: days,
    minutes: toHundredths(minutes) / 100,
  };
  return { ...facts, requests: [...facts.requests, leave] };
}

/** The minutes of each day: those given, spread as those of a request, or the working time. */
function leaveDays(worker: WorkerFacts, firstDay: Day, lastDay: Day, minutes: number | null): DayMinutes[] {
  const usual = usualSchedule(worker);
  const minutesOf = (day: Day) => {
    if (minutes === null)
      return toHundredths(workedMinutes(scheduleOn(worker.schedules, day) ?? usual, day)) / 100;
    return Number(minutesOfDay({ status: "approved", firstDay, lastDay, minutes }, day, worker));
  };
  const days: DayMinutes[] = [];
  for (let day = firstDay; day <= lastDay; day++) days.push({ day, minutes: minutesOf(day) });
  return days.filter((day) => day.minutes > 0);
}

/** Binary search: more leave never leaves a higher balance. */
function mostOn(facts: BalanceFacts, day: Day): number {
  const lowestWith = (hundredths: number) =>
    lowestUsable(withLeave(facts, [{ day, minutes: hundredths / 100 }]), day);
  let [low, high] = [0, Math.max(0, lowestWith(0).onFirst)];
  if (lowestWith(high).ever >= 0) return high / 100;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (lowestWith(middle).ever >= 0) low = middle;
    else high = middle;
  }
  return low / 100;
}

/** Days ahead that are checked, since less working time or corrected hours may take grants back. */
const DAYS_AHEAD = 800;

/** What can be used on `from`, and the least of any day from then on, up to `DAYS_AHEAD` or the last fact. In hundredths of a minute. */
function lowestUsable(facts: BalanceFacts, from: Day): { readonly onFirst: number; readonly ever: number } {
  const dated = [...facts.adjustments, ...facts.workedHours].map(({ day }) => day);
  const last = Math.max(from + DAYS_AHEAD, ...facts.requests.map(lastLeaveDay), ...dated);
  const usableOn = new Map<Day, Rational>();
  let left = negate(countedLeave(facts, -Infinity, from).approved);
  eachPosting(facts, last, (_day, minutes, _kind, unlocksOn) => {
    if (unlocksOn <= from) left = add(left, minutes);
    else addTo(usableOn, unlocksOn, minutes);
  });
  const leaveThrough = approvedLeave(facts.requests, facts.worker, from + 1);
  const onFirst = toHundredths(left);
  let ever = onFirst;
  for (let day = from + 1; day <= last && ever >= 0; day++) {
    left = subtract(add(left, usableOn.get(day) ?? ZERO), leaveThrough(day));
    ever = Math.min(ever, toHundredths(left));
  }
  return { onFirst, ever };
}
