// The words of an explanation, in the policy's unit: the API has every amount in minutes (docs/balances.md, The explanation).
import type { Policy } from "../../client/index.ts";
import { amount } from "../data/format.ts";

/** What stands before an amount, and what after it. Other numbers are of days, months, hours worked and parts. */
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

/** `600 × 29/30 for …` becomes `1.25 days × 29/30 for …`, or `10 h × 29/30 for …`. */
export function detailIn(unit: Policy["unit"], detail: string): string {
  return detail.replace(AMOUNT, (minutes) => amount(Number(minutes), unit));
}
