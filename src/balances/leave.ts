/** How the minutes of requests fall on days (docs/balances.md, Requests and days). */
import type { Day } from "../time/day.ts";
import { type BalanceFacts, countsFrom, type RequestFacts, type WorkTime } from "./facts.ts";
import { add, divide, multiply, type Rational, rational, sign, toDecimals, ZERO } from "./rational.ts";
import { USUAL_MINUTES, usualSchedule, workedBetween } from "./working-time.ts";

/** The first day that can have minutes. Days that the source wrote may lie outside the request's local days. */
export function firstLeaveDay({ dayMinutes, firstDay }: RequestFacts): Day {
  return dayMinutes === undefined ? firstDay : dayMinutes[0]!.day;
}

/** The last day that can have minutes. */
export function lastLeaveDay({ dayMinutes, lastDay }: RequestFacts): Day {
  return dayMinutes === undefined ? lastDay : dayMinutes.at(-1)!.day;
}

/** The minutes of a request on these days (docs/balances.md, Requests and days). Adjacent windows add up to the whole. */
export function minutesOn(request: RequestFacts, from: Day, through: Day, worker: WorkTime): Rational {
  const { dayMinutes } = request;
  if (dayMinutes !== undefined) {
    let sum = ZERO;
    for (const { day, minutes } of dayMinutes)
      if (day >= from && day <= through) sum = add(sum, rational(minutes));
    return sum;
  }
  const { firstDay, lastDay, minutes } = request;
  if (firstDay >= from && lastDay <= through) return rational(minutes);
  const first = Math.max(firstDay, from);
  const last = Math.min(lastDay, through);
  if (first > last) return ZERO;
  const { counted, of } = spread(request, first, last, worker);
  return divide(multiply(rational(minutes), counted), of);
}

/** The least number of decimals to which a day's minutes are rounded. */
const DECIMALS = 2;

const decimalsOf = (minutes: number) => String(minutes).split(".")[1]?.length ?? 0;

/** The minutes of a request on one day, as text; null for none. The texts of all days add up to the request's minutes. */
export function minutesOfDay(request: RequestFacts, day: Day, worker: WorkTime): string | null {
  if (day < firstLeaveDay(request) || day > lastLeaveDay(request)) return null;
  const written = request.dayMinutes?.map(({ minutes }) => minutes) ?? [];
  const decimals = Math.max(DECIMALS, ...[request.minutes, ...written].map(decimalsOf));
  const through = (last: Day) => toDecimals(minutesOn(request, -Infinity, last, worker), decimals);
  const digits = String(through(day) - through(day - 1)).padStart(decimals + 1, "0");
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
  return text === "0" ? null : text;
}

/** How a request without written days is spread: the days `first` through `last` get the share `counted` / `of` of its minutes. */
export function spread({ firstDay, lastDay }: RequestFacts, first: Day, last: Day, worker: WorkTime) {
  const { workDays, schedules } = worker;
  const isScheduled = schedules.length > 0 && schedules[0]!.startsOn <= firstDay;
  const ways = [
    ...(isScheduled ? [{ by: "minutesWorked", schedules, unit: 1 } as const] : []),
    ...(workDays === null
      ? []
      : [{ by: "workDays", schedules: [usualSchedule(worker)], unit: USUAL_MINUTES } as const]),
  ];
  for (const { by, schedules, unit } of ways) {
    for (const ignoresHolidays of [false, true]) {
      const worked = (from: Day, through: Day) =>
        divide(workedBetween(schedules, from, through, ignoresHolidays), unit);
      const of = worked(firstDay, lastDay);
      if (sign(of) > 0) return { counted: worked(first, last), of, by };
    }
  }
  return { counted: last - first + 1, of: lastDay - firstDay + 1, by: "calendarDays" } as const;
}

/** The minutes of approved and of pending requests on the days `from` through `through`. Only leave after an opening counts. */
export function countedLeave(facts: BalanceFacts, from: Day, through: Day) {
  const { requests, worker } = facts;
  const first = Math.max(from, countsFrom(facts));
  let approved = ZERO;
  let pending = ZERO;
  for (const request of requests) {
    if (request.minutes === 0) continue;
    if (request.status === "approved") approved = add(approved, minutesOn(request, first, through, worker));
    else if (request.status === "pending") pending = add(pending, minutesOn(request, first, through, worker));
  }
  return { approved, pending };
}

/**
 * Approved leave from `countsFrom` on, in steps. Each call returns the minutes of the days since the last call, up to and including
 * `through`, which must not decrease. A call reads only requests of its days, so calls over a long history cost little.
 */
export function approvedLeave(
  requests: readonly RequestFacts[],
  worker: WorkTime,
  countsFrom: Day,
): (through: Day) => Rational {
  const inOrder = requests
    .filter(({ status, minutes }) => status === "approved" && minutes !== 0)
    .sort((a, b) => firstLeaveDay(a) - firstLeaveDay(b));
  let next = 0;
  let from = countsFrom;
  const current: RequestFacts[] = [];
  return (through) => {
    if (through < from) return ZERO;
    for (; next < inOrder.length && firstLeaveDay(inOrder[next]!) <= through; next++)
      current.push(inOrder[next]!);
    let minutes = ZERO;
    let lasting = 0;
    for (const request of current) {
      minutes = add(minutes, minutesOn(request, from, through, worker));
      if (lastLeaveDay(request) > through) current[lasting++] = request;
    }
    current.length = lasting;
    from = through + 1;
    return minutes;
  };
}
