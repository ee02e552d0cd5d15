// Numbers of foreign exports, as they write them, and amounts in hours or days to minutes.
import { ValidationError } from "../../resources/cells.ts";
import type { KindMapping } from "./schema.ts";

export type DecimalSign = NonNullable<KindMapping["decimal"]>;

/** By the sign before decimals, a number that may part its thousands with the other sign, a space or an apostrophe. */
const NUMBERS: Readonly<Record<DecimalSign, RegExp>> = {
  ",": /^[+-]?(?:\d{1,20}|\d{1,3}(?:[.'’\s]\d{3}){1,6})(?:,\d{1,20})?$/,
  ".": /^[+-]?(?:\d{1,20}|\d{1,3}(?:[,'’\s]\d{3}){1,6})(?:\.\d{1,20})?$/,
};

/** A function from a number as the file writes it to the notation of our own files. */
export function decimalReader(sign: DecimalSign): (cell: unknown) => unknown {
  const other = sign === "," ? /[.'’\s]/g : /[,'’\s]/g;
  return (cell) => {
    if (typeof cell !== "string" || cell.trim() === "") return cell;
    const text = cell.trim();
    if (!NUMBERS[sign].test(text))
      return new ValidationError(`is not a number with "${sign}" before its decimals`);
    return text.replace(other, "").replace(",", ".");
  };
}

const HOURS_IN_A_DAY = 8;

export type Unit = NonNullable<KindMapping["units"]>[string];

/** A function from a cell in the unit to minutes; what is no number passes unchanged, to be refused as it is. */
export function minutesReader(unit: Unit): (cell: unknown) => unknown {
  const factor =
    unit === "minutes" ? 1 : unit === "hours" ? 60 : 60 * (unit === "days" ? HOURS_IN_A_DAY : unit.days);
  return (cell) => {
    const isNumber =
      typeof cell === "number" ||
      (typeof cell === "string" && /^\s*[+-]?\d{1,20}(\.\d{1,20})?\s*$/.test(cell));
    if (!isNumber) return cell;
    // Twelve digits: 7.7 hours are 462 minutes, not 462.00000000000006.
    return Number((Number(cell) * factor).toPrecision(12));
  };
}
