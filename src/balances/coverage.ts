/** The days on which time accrues (docs/balances.md, Coverage). */
import type { Day } from "../time/day.ts";
import type { BalanceFacts, DayRange } from "./facts.ts";

/** The days on which an assignment accrues. Empty if `last` is before `first`. */
export interface Coverage {
  readonly first: Day;
  /** Infinity while no end is known. */
  readonly last: Day;
  /** All covered days, sorted: days without a gap are one range. */
  readonly ranges: readonly DayRange[];
}

/** Begins once the assignment and the employment have begun; ends with the first of them to end (docs/balances.md, Coverage). */
export function coverageOf(facts: BalanceFacts): Coverage {
  const { pauses, gaps } = facts.assignment;
  return coverageWithout(facts, gaps.length === 0 ? pauses : [...pauses, ...gaps]);
}

/** The coverage with pauses included. Years end and carried time expires in pauses, too. */
export function employmentOf(facts: BalanceFacts, coverage: Coverage): Coverage {
  const { pauses, gaps } = facts.assignment;
  return pauses.length === 0 ? coverage : coverageWithout(facts, gaps);
}

function coverageWithout({ assignment, worker, movesOn }: BalanceFacts, gaps: readonly DayRange[]): Coverage {
  let first = Math.max(assignment.assignedOn, worker.startDate);
  const end = Math.min(assignment.endsOn ?? Infinity, worker.endDate ?? Infinity);
  const last = movesOn === null ? end : Math.min(end, movesOn - 1);
  if (gaps.length === 0) return { first, last, ranges: first <= last ? [{ first, last }] : [] };
  const ranges: DayRange[] = [];
  for (const gap of [...gaps].sort((a, b) => a.first - b.first)) {
    const through = Math.min(last, gap.first - 1);
    if (first <= through) ranges.push({ first, last: through });
    first = Math.max(first, gap.last + 1);
  }
  if (first <= last) ranges.push({ first, last });
  return { first: ranges[0]?.first ?? first, last: ranges.at(-1)?.last ?? last, ranges };
}

export function isCovered(coverage: Coverage, day: Day): boolean {
  return coveredDays(coverage, day, day) === 1;
}

/** How many of the days `from` through `through` are covered. */
export function coveredDays({ ranges }: Coverage, from: Day, through: Day): number {
  let days = 0;
  for (const { first, last } of ranges)
    days += Math.max(0, Math.min(last, through) - Math.max(first, from) + 1);
  return days;
}

/** A covered day: `day` itself, or the first one after it; the day itself if there is none. */
export function coveredFrom({ ranges }: Coverage, day: Day): Day {
  for (const { first, last } of ranges) if (last >= day) return Math.max(day, first);
  return day;
}

/** A covered day: `day` itself, or the last one before it; the day itself if there is none. */
export function coveredThrough({ ranges }: Coverage, day: Day): Day {
  let through = day;
  for (const { first, last } of ranges) if (first <= day) through = Math.min(day, last);
  return through;
}
