// What the names of policies and of a calendar's events tell, in many languages.
import { fold } from "../fold.ts";
import NAMES from "./telling-names.json" with { type: "json" };

/** A line of words for each language, with spaces between them. */
const patternOf = (lines: readonly string[]) => new RegExp(fold(lines.join(" ")).replaceAll(" ", "|"), "u");
const WORK = patternOf(NAMES.work);

/** Whether a policy's name says that people work during it: `Home office`, `Dienstreise`, `Training`. */
export function isNamedLikeWork(policy: string): boolean {
  return WORK.test(fold(policy).replace(/[^\p{L}\p{N}]/gu, ""));
}

/** Whether an event's name has one of these words. */
function hasWordOf(lines: readonly string[]) {
  const pattern = patternOf(lines);
  return (event: string) => pattern.test(fold(event));
}

/** A word for leave, work or pay: `Ana Lind – Urlaub`, `Bo OOO`, `Make-up workday`, `Payday`. */
export const isNamedLikeNoHoliday = hasWordOf(NAMES.noHoliday);
/** That of a day that no country has off: `Valentine's Day`, `Halloween`, `Daylight Saving Time starts`. */
export const isNamedLikeObservance = hasWordOf(NAMES.observance);
/** That of a day that has another date each year: `Easter Monday`, `Thanksgiving`, `Diwali`. */
export const isNamedLikeMovable = hasWordOf(NAMES.movable);
export const isNamedLikeBirthday = hasWordOf(NAMES.birthday);
