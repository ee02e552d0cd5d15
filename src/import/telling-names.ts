// What the names of policies and of a calendar's events tell, in many languages.
import { fold } from "../fold.ts";
import NAMES from "./telling-names.json" with { type: "json" };

/** A line of words for each language, with spaces between them. */
const patternOf = (lines: readonly string[]) => new RegExp(fold(lines.join(" ")).replaceAll(" ", "|"), "u");
const WORK = patternOf(NAMES.work);
const NO_HOLIDAY = patternOf(NAMES.noHoliday);
const OBSERVANCE = patternOf(NAMES.observance);
const MOVABLE = patternOf(NAMES.movable);
const BIRTHDAY = patternOf(NAMES.birthday);

/** Whether a policy's name says that people work during it: `Home office`, `Dienstreise`, `Training`. */
export function isNamedLikeWork(policy: string): boolean {
  return WORK.test(fold(policy).replace(/[^\p{L}\p{N}]/gu, ""));
}

/** Whether an event's name has a word for leave, work or pay: `Ana Lind – Urlaub`, `Bo OOO`, `Make-up workday`, `Payday`. */
export function isNamedLikeNoHoliday(event: string): boolean {
  return NO_HOLIDAY.test(fold(event));
}

/** Whether an event's name is that of a day that no country has off: `Valentine's Day`, `Halloween`, `Daylight Saving Time starts`. */
export function isNamedLikeObservance(event: string): boolean {
  return OBSERVANCE.test(fold(event));
}

/** Whether a holiday's name is that of a day that has another date each year: `Easter Monday`, `Thanksgiving`, `Diwali`. */
export function isNamedLikeMovable(event: string): boolean {
  return MOVABLE.test(fold(event));
}

export function isNamedLikeBirthday(event: string): boolean {
  return BIRTHDAY.test(fold(event));
}
