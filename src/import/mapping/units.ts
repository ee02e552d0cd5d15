// Numbers of foreign exports, as they write them, and amounts in hours or days to minutes.
import { ValidationError } from "../../resources/cells.ts";

export type DecimalSign = "," | ".";

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

export const HOURS_IN_A_DAY = 8;

const PLAIN_NUMBER = /^\s*[+-]?\d{1,20}(?:\.\d{1,20})?\s*$/;
const CLOCK = /^([+-]?)(\d{1,6}):([0-5]\d)(?::([0-5]\d))?$/;

/** The words for units in a column of units, in small letters. */
const UNIT_WORDS: Readonly<Record<string, "minutes" | "hours" | "days">> = {
  ...Object.fromEntries(["m", "min", "mins", "minute", "minutes"].map((word) => [word, "minutes"])),
  ...Object.fromEntries(["h", "hr", "hrs", "hour", "hours"].map((word) => [word, "hours"])),
  ...Object.fromEntries(["d", "day", "days"].map((word) => [word, "days"])),
};

export type Unit =
  | "minutes"
  | "hours"
  | "days"
  | "HH:mm"
  | { readonly days: number }
  | { readonly column: string; readonly days?: number | undefined };

/** The column that has the unit of each row; null where all rows have one unit. */
export function unitColumnOf(unit: Unit | undefined): string | null {
  return typeof unit === "object" && "column" in unit ? unit.column : null;
}

/**
 * A function from a cell in the unit to minutes; what is no number passes unchanged, to be refused as it is.
 * `unitCell` is the row's own unit, where a column has it. `hoursPerDay`: of a day whose length the unit does not say.
 */
export function minutesReader(
  unit: Unit,
  hoursPerDay: number,
): (cell: unknown, unitCell: unknown) => unknown {
  if (unit === "HH:mm") return clockMinutes;
  const dayHours = typeof unit === "object" ? (unit.days ?? hoursPerDay) : hoursPerDay;
  const factors = { minutes: 1, hours: 60, days: 60 * dayHours };
  if (typeof unit === "object" && "column" in unit) {
    return (cell, unitCell) => {
      if (cell === null || cell === undefined || cell === "") return cell;
      const word =
        UNIT_WORDS[
          String(unitCell ?? "")
            .trim()
            .toLowerCase()
        ];
      if (word === undefined)
        return new ValidationError(
          `has the unit ${JSON.stringify(unitCell ?? "")} in ${unit.column}, which is none of minutes, hours, days`,
        );
      return times(cell, factors[word]);
    };
  }
  const factor = factors[typeof unit === "object" ? "days" : unit];
  return (cell) => times(cell, factor);
}

function times(cell: unknown, factor: number): unknown {
  const isNumber = typeof cell === "number" || (typeof cell === "string" && PLAIN_NUMBER.test(cell));
  if (!isNumber) return cell;
  // Twelve digits: 7.7 hours are 462 minutes, not 462.00000000000006.
  return Number((Number(cell) * factor).toPrecision(12));
}

function clockMinutes(cell: unknown): unknown {
  if (cell === null || cell === undefined || cell === "") return cell;
  const found = typeof cell === "string" ? CLOCK.exec(cell.trim()) : null;
  if (found === null) return new ValidationError("is not hours and minutes such as 7:30");
  const [, sign, hours, minutes, seconds = "0"] = found;
  const amount = Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
  return Number(((sign === "-" ? -1 : 1) * amount).toPrecision(12));
}

/** The number with the other sign; what is no number passes unchanged. */
export function negated(cell: unknown): unknown {
  if (typeof cell === "number") return cell === 0 ? 0 : -cell;
  if (typeof cell !== "string" || !PLAIN_NUMBER.test(cell)) return cell;
  const text = cell.trim().replace(/^\+/, "");
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}
