/** How much of a period is granted where only a part of it is covered (docs/balances.md, Twelfths and rounding). */
import type { Day } from "../time/day.ts";
import { type Coverage, coveredDays } from "./coverage.ts";
import type { PolicyRules } from "./facts.ts";
import { type Periods, periodStart } from "./periods.ts";
import { type Rational, share } from "./rational.ts";

/** The part of a period that is granted, `parts / of`, and what it counts. */
export interface GrantedPart {
  readonly parts: number;
  readonly of: number;
  readonly counts: "days" | "months started" | "months of at least 15 days" | "full months";
}

export const WHOLE: GrantedPart = { parts: 1, of: 1, counts: "days" };

const TWELFTHS = {
  monthsStarted: "months started",
  halfMonths: "months of at least 15 days",
  fullMonths: "full months",
} as const;

/** How much of period `n`, of so many days, is covered. */
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
  const counts = TWELFTHS[prorateBy];
  const isCounted = (inMonth: number, ofMonth: number) =>
    inMonth >= { monthsStarted: 1, halfMonths: 15, fullMonths: ofMonth }[prorateBy];
  if (periods.unit !== "months" || periods.length !== 12)
    return { parts: isCounted(covered, days) ? 1 : 0, of: 1, counts };
  const months: Periods = { ...periods, length: 1 };
  let parts = 0;
  for (let month = n * 12; month < (n + 1) * 12; month++) {
    const from = periodStart(months, month);
    const next = periodStart(months, month + 1);
    if (isCounted(coveredDays(coverage, from, next - 1), next - from)) parts += 1;
  }
  return { parts, of: 12, counts };
}

export function shareOf(minutes: Rational, { parts, of }: GrantedPart): Rational {
  return parts === of ? minutes : share(minutes, parts, of);
}
