/** Requests as days of leave: how much of them falls into a window. */
import type { Day } from "../time/day.ts";
import type { RequestFacts } from "./facts.ts";
import { add, type Rational, rational, share, ZERO } from "./rational.ts";

/**
 * The minutes of all requests of a status that fall on the days from `from` through `through`. A request is spread
 * evenly over its days, so adjacent windows add up to the whole (docs/balances.md, Requests and days).
 */
export function minutesOfLeave(
  requests: readonly RequestFacts[],
  status: RequestFacts["status"],
  from: Day,
  through: Day,
): Rational {
  let sum = ZERO;
  for (const request of requests) {
    if (request.status !== status) continue;
    const daysInside = Math.min(request.lastDay, through) - Math.max(request.firstDay, from) + 1;
    if (daysInside <= 0) continue;
    const days = request.lastDay - request.firstDay + 1;
    const minutes = rational(request.minutes);
    sum = add(sum, daysInside === days ? minutes : share(minutes, daysInside, days));
  }
  return sum;
}

/**
 * Approved leave as time goes on: each call gives the minutes of the days after those of the call before, up to and
 * including `through`, which must not go back. Each request is looked at only while it lasts, so that a long history
 * costs no more for being asked about often.
 */
export function approvedLeave(requests: readonly RequestFacts[]): (through: Day) => Rational {
  const inOrder = requests
    .filter(({ status }) => status === "approved")
    .sort((a, b) => a.firstDay - b.firstDay);
  let next = 0;
  let from: Day = -Infinity;
  let current: RequestFacts[] = [];
  return (through) => {
    for (; next < inOrder.length && inOrder[next]!.firstDay <= through; next++) current.push(inOrder[next]!);
    const minutes = minutesOfLeave(current, "approved", from, through);
    current = current.filter(({ lastDay }) => lastDay > through);
    from = through + 1;
    return minutes;
  };
}
