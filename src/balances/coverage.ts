/** The days on which time accrues (docs/balances.md, Coverage). */
import type { Day } from "../time/day.ts";
import type { BalanceFacts, DayRange } from "./facts.ts";

/** The days on which an assignment accrues: `first` through `last` without the gaps. Empty if `last` is before `first`. */
export interface Coverage {
  readonly first: Day;
  /** Infinity while no end is known. */
  readonly last: Day;
  /** Sorted, not adjacent, and inside: `first` and `last` are covered. */
  readonly gaps: readonly DayRange[];
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

function coverageWithout(
  { assignment, worker, movesOn }: BalanceFacts,
  uncovered: readonly DayRange[],
): Coverage {
  let first = Math.max(assignment.assignedOn, worker.startDate);
  let last = Math.min(assignment.endsOn ?? Infinity, worker.endDate ?? Infinity);
  if (movesOn !== null) last = Math.min(last, movesOn - 1);
  if (uncovered.length === 0) return { first, last, gaps: [] };
  const gaps: { first: Day; last: Day }[] = [];
  for (const pause of [...uncovered].sort((a, b) => a.first - b.first)) {
    const before = gaps.at(-1);
    if (pause.first <= first) first = Math.max(first, pause.last + 1);
    else if (before !== undefined && pause.first <= before.last + 1)
      before.last = Math.max(before.last, pause.last);
    else gaps.push({ ...pause });
  }
  // A pause that reaches the end brings the end forward.
  while (gaps.length > 0 && gaps.at(-1)!.last >= last) last = Math.min(last, gaps.pop()!.first - 1);
  return { first, last, gaps };
}

export function isCovered(coverage: Coverage, day: Day): boolean {
  return day >= coverage.first && day <= coverage.last && gapOn(coverage, day) === undefined;
}

function gapOn({ gaps }: Coverage, day: Day): DayRange | undefined {
  for (const gap of gaps) if (gap.first <= day && day <= gap.last) return gap;
  return undefined;
}

/** How many of the days `from` through `through` are covered. */
export function coveredDays({ first, last, gaps }: Coverage, from: Day, through: Day): number {
  const start = Math.max(first, from);
  const end = Math.min(last, through);
  if (start > end) return 0;
  let days = end - start + 1;
  for (const gap of gaps) days -= Math.max(0, Math.min(gap.last, end) - Math.max(gap.first, start) + 1);
  return days;
}

/** A covered day: `day` itself, or the first one after it. */
export function coveredFrom(coverage: Coverage, day: Day): Day {
  const gap = gapOn(coverage, day);
  return gap === undefined ? day : gap.last + 1;
}

/** A covered day: `day` itself, or the last one before it. */
export function coveredThrough(coverage: Coverage, day: Day): Day {
  const gap = gapOn(coverage, day);
  return gap === undefined ? day : gap.first - 1;
}
