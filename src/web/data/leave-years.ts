// The leave years of a policy. The static demo uses them, too, so this file imports no view.
import type { Policy } from "../../client/index.ts";
import { type Day, dateOf, dayOf, dayOfText, daysInMonth } from "../../time/day.ts";
import type { DayRange } from "./days.ts";

/** The first day of a leave year, in any year. */
interface YearStart {
  readonly month: number;
  readonly dayOfMonth: number;
}

function startIn(year: number, { month, dayOfMonth }: YearStart): Day {
  return dayOf(year, month, Math.min(dayOfMonth, daysInMonth(year, month)));
}

/** The leave year of a day, or the one `offset` years from it. */
export function leaveYearOf(day: Day, start: YearStart, offset = 0): DayRange {
  const { year } = dateOf(day);
  const began = (startIn(year, start) <= day ? year : year - 1) + offset;
  return { first: startIn(began, start), end: startIn(began + 1, start) };
}

/** The start of leave years: the policy's day, or the anniversary of the assignment day `since`. */
export function yearStartOf({ rules }: Pick<Policy, "rules">, since: Day): YearStart {
  if (rules.periodAnchor === "anniversary") return dateOf(since);
  const [month, dayOfMonth] = String(rules.yearStartsOn ?? "01-01").split("-");
  return { month: Number(month), dayOfMonth: Number(dayOfMonth) };
}

/** The last day on which leave can be taken: the earliest of these ends, of employment and assignment. Infinity if none is known. */
export function lastTakeable(...ends: readonly (string | null | undefined)[]): Day {
  return Math.min(...ends.map((end) => (end ? dayOfText(end) : Number.POSITIVE_INFINITY)));
}
