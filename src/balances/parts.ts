/** The part of a period that is granted if only some of it is covered (docs/balances.md, Twelfths and rounding). */
import { addMonths, type Day } from "../time/day.ts";
import { type Coverage, coveredDays, coveredFrom } from "./coverage.ts";
import type { PolicyRules } from "./facts.ts";
import { type Periods, periodStart } from "./periods.ts";
import { type Rational, share } from "./rational.ts";

/** The granted part of a period, `parts / of`, and the rule that counts them. */
export interface GrantedPart {
  readonly parts: number;
  readonly of: number;
  readonly counts: PolicyRules["prorateBy"];
}

export const WHOLE: GrantedPart = { parts: 1, of: 1, counts: "days" };

type MonthRule = Exclude<PolicyRules["prorateBy"], "days" | "serviceMonths" | "thirtieths">;

/** Whether a month counts, from its first day to the day before `next`. */
function isCounted(prorateBy: MonthRule, coverage: Coverage, from: Day, next: Day): boolean {
  const covered = coveredDays(coverage, from, next - 1);
  switch (prorateBy) {
    case "monthsStarted":
      return covered >= 1;
    case "halfMonths":
      return covered >= 15;
    case "fullMonths":
      return covered === next - from;
    default:
      return covered > 0 && coveredDays(coverage, from, from + Number(prorateBy.split(":")[1]) - 1) > 0;
  }
}

/** The granted part of period `n`, which begins on `start` and has this number of `days`. */
export function partOf(
  prorateBy: PolicyRules["prorateBy"],
  periods: Periods,
  n: number,
  start: Day,
  days: number,
  coverage: Coverage,
): GrantedPart {
  const covered = coveredDays(coverage, start, start + days - 1);
  if (covered === days) return WHOLE;
  if (prorateBy === "days") return { parts: covered, of: days, counts: "days" };
  if (prorateBy === "serviceMonths") {
    const first = coveredFrom(coverage, Math.max(start, coverage.first));
    return { parts: monthsFrom(first, start + days - 1, coverage), of: 12, counts: prorateBy };
  }
  const months = monthsOf(periods, n, start, days);
  if (prorateBy === "thirtieths") {
    const parts = months.reduce((sum, [from, next]) => sum + thirtieths(coverage, from, next), 0);
    return { parts, of: 30 * months.length, counts: prorateBy };
  }
  const parts = months.filter(([from, next]) => isCounted(prorateBy, coverage, from, next)).length;
  return { parts, of: months.length, counts: prorateBy };
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

/** Counts each month as thirty days: a 31st does not count, and the last day of a shorter month counts for the missing ones, too. */
function thirtieths(coverage: Coverage, from: Day, next: Day): number {
  const counted = coveredDays(coverage, from, Math.min(next - 1, from + 29));
  const lacking = Math.max(0, 30 - (next - from));
  return counted + (coveredDays(coverage, next - 1, next - 1) === 1 ? lacking : 0);
}

export function shareOf(minutes: Rational, { parts, of }: GrantedPart): Rational {
  return parts === of ? minutes : share(minutes, parts, of);
}
