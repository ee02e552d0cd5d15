/** The part of a period that is granted if only some of it is covered (docs/balances.md, Twelfths and rounding). */
import { addMonths, type Day } from "../time/day.ts";
import { type Coverage, coveredDays } from "./coverage.ts";
import type { PolicyRules } from "./facts.ts";
import { type Periods, periodStart } from "./periods.ts";
import { divide, multiply, type Rational } from "./rational.ts";

/** The granted part of a period, `parts / of`, and the rule that counts them. */
export interface GrantedPart {
  readonly parts: number;
  readonly of: number;
  readonly counts: PolicyRules["prorateBy"];
}

export const WHOLE: GrantedPart = { parts: 1, of: 1, counts: "days" };

/** A period with a covered day. */
export interface GrantPeriod {
  readonly n: number;
  readonly start: Day;
  readonly days: number;
  /** The first and the last covered day. */
  readonly first: Day;
  readonly last: Day;
}

/** The granted part of a period. */
export function partOf(
  prorateBy: PolicyRules["prorateBy"],
  periods: Periods,
  { n, start, days, first }: GrantPeriod,
  coverage: Coverage,
): GrantedPart {
  const covered = coveredDays(coverage, start, start + days - 1);
  if (covered === days) return WHOLE;
  if (prorateBy === "days") return { parts: covered, of: days, counts: prorateBy };
  if (prorateBy === "serviceMonths")
    return { parts: monthsFrom(first, start + days - 1, coverage), of: 12, counts: prorateBy };
  const months = monthsOf(periods, n, start, days);
  const parts = months.reduce((sum, [from, next]) => sum + countOf(prorateBy, coverage, from, next), 0);
  return { parts, of: months.length * (prorateBy === "thirtieths" ? 30 : 1), counts: prorateBy };
}

/** What a month counts, from its first day to the day before `next`: in thirtieths 0 to 30, else 0 or 1. */
function countOf(
  prorateBy: Exclude<PolicyRules["prorateBy"], "days" | "serviceMonths">,
  coverage: Coverage,
  from: Day,
  next: Day,
): number {
  const covered = (through: Day) => coveredDays(coverage, from, through);
  switch (prorateBy) {
    case "thirtieths": {
      // A 31st does not count, and the last day of a shorter month counts for the missing ones, too.
      const lacking = Math.max(0, 30 - (next - from));
      return covered(Math.min(next - 1, from + 29)) + coveredDays(coverage, next - 1, next - 1) * lacking;
    }
    case "monthsStarted":
      return covered(next - 1) >= 1 ? 1 : 0;
    case "halfMonths":
      return covered(next - 1) >= 15 ? 1 : 0;
    case "fullMonths":
      return covered(next - 1) === next - from ? 1 : 0;
    default:
      return covered(Math.min(next, from + Number(prorateBy.split(":")[1])) - 1) > 0 ? 1 : 0;
  }
}

/** The months of a yearly period, else the period itself: the first day, and the day after the last. */
function monthsOf(periods: Periods, n: number, start: Day, days: number): (readonly [Day, Day])[] {
  if (periods.unit !== "months" || periods.length !== 12) return [[start, start + days]];
  const months: Periods = { ...periods, length: 1 };
  return Array.from({ length: 12 }, (_, at) => [
    periodStart(months, n * 12 + at),
    periodStart(months, n * 12 + at + 1),
  ]);
}

/** How many months, counted from a covered day and ending by `through`, are wholly covered. */
export function monthsFrom(first: Day, through: Day, coverage: Coverage): number {
  let count = 0;
  for (let month = 1; month <= 12; month++) {
    const [from, next] = [addMonths(first, month - 1), addMonths(first, month)];
    if (next - 1 <= through && coveredDays(coverage, from, next - 1) === next - from) count += 1;
  }
  return count;
}

export function shareOf(minutes: Rational, { parts, of }: GrantedPart): Rational {
  return parts === of ? minutes : divide(multiply(minutes, parts), of);
}
