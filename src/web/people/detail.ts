// Rewrites the words of an explanation with the page's amounts and days. The API has every amount in minutes (docs/balances.md, The
// explanation).
import type { Policy } from "../../client/index.ts";
import { dayOfText } from "../../time/day.ts";
import { amount, plainDay, shortRange } from "../data/format.ts";

/** Texts before and after an amount. Other numbers are days, months, hours worked and parts. */
const BEFORE = ["^", "^0 of ", "\\(", "; ", ": ", " − ", "multiple of ", "cut to ", "cap of ", "ends with "];
const BEFORE_LAST = ["of which ", "\\d of ", "carried over on \\d{4}-\\d\\d-\\d\\d, "];
const AFTER = [
  " ÷ ",
  " × ",
  " for ",
  " − ",
  " of \\d",
  " rounded ",
  " cut to ",
  " by the ",
  " may ",
  " carried ",
];
const AFTER_LAST = [" taken ", "\\)", "; ", ", ", "$"];

const AMOUNT = new RegExp(
  `(?<=${[...BEFORE, ...BEFORE_LAST].join("|")})\\d+(?:\\.\\d+)?(?=${[...AFTER, ...AFTER_LAST].join("|")})`,
  "g",
);

const DAYS = /(\d{4}-\d\d-\d\d)(?: to (\d{4}-\d\d-\d\d))?/g;

/** `600 × 29/30 for 2024-09-02 to 2024-09-30` becomes `10 h × 29/30 for 2 – 30 Sept 2024`. */
export function detailIn(unit: Policy["unit"], detail: string): string {
  return detail
    .replace(AMOUNT, (minutes) => amount(Number(minutes), unit))
    .replace(DAYS, (_, first: string, last?: string) =>
      last === undefined ? plainDay(dayOfText(first)) : shortRange(dayOfText(first), dayOfText(last)),
    );
}
