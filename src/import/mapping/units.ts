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
    const text = withSignBefore(cell.trim());
    if (!NUMBERS[sign].test(text))
      return new ValidationError(`is not a number with "${sign}" before its decimals`);
    return text.replace(other, "").replace(",", ".");
  };
}

/** Numbers below zero as books of account and some systems write them: `(12.50)`, `12.50-`, and with a typographic minus. */
const NEGATIVE = /^(?:\((?<inBrackets>[^()+-]+)\)|(?<before>[^()+-]+)-|[\u2212\u2013](?<after>.+))$/;

function withSignBefore(text: string): string {
  const { inBrackets, before, after } = NEGATIVE.exec(text)?.groups ?? {};
  const negative = inBrackets ?? before ?? after;
  return negative === undefined ? text : `-${negative.trim()}`;
}

export const HOURS_IN_A_DAY = 8;

const PLAIN_NUMBER = /^\s*[+-]?\d{1,20}(?:\.\d{1,20})?\s*$/;
const CLOCK = /^([+-]?)(\d{1,6}):([0-5]\d)(?::([0-5]\d))?$/;

/** The words for units, in small letters, in English and the languages of the presets. */
const UNIT_WORDS: ReadonlyMap<string, "minutes" | "hours" | "days"> = new Map(
  (
    [
      ["minutes", "m min mins minute minutes minuten minuto minutos minuto minuti minuut"],
      ["hours", "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren"],
      [
        "days",
        "d day days tag tage tagen jour jours journée journées j día días dia dias giorno giorni gg dag dagen",
      ],
    ] as const
  ).flatMap(([unit, words]) => words.split(" ").map((word) => [word, unit] as const)),
);

/** The unit that a word means; undefined for any other word. */
export function unitNamed(word: string): "minutes" | "hours" | "days" | undefined {
  return UNIT_WORDS.get(word.trim().replace(/\.$/, "").toLowerCase());
}

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

/** A number with its own unit: `5 Days`, `2.5h`. Several of them are an amount, too: `4h 30m`. */
const OWN_UNIT = /\s*(?<number>[^\p{L}]*\d[^\p{L}]*?)\s*(?<word>\p{L}+\.?)/uy;

/**
 * A function from a cell in the unit to minutes; what is no number passes unchanged, to be refused as it is.
 * `unitCell` is the row's own unit, where a column has it; a unit in the cell itself comes before both. `hoursPerDay`: of
 * a day whose length the unit does not say. `sign`: what stands before decimals.
 */
export function minutesReader(
  unit: Unit,
  hoursPerDay: number,
  sign?: DecimalSign,
): (cell: unknown, unitCell: unknown) => unknown {
  const read = sign === undefined ? accountedNumber : decimalReader(sign);
  if (unit === "HH:mm") return clockMinutes;
  const dayHours = typeof unit === "object" ? (unit.days ?? hoursPerDay) : hoursPerDay;
  const factors = { minutes: 1, hours: 60, days: 60 * dayHours };
  const ofRow = (unitCell: unknown): keyof typeof factors | ValidationError => {
    if (typeof unit === "string") return unit;
    if (!("column" in unit)) return "days";
    return (
      unitNamed(String(unitCell ?? "")) ??
      new ValidationError(
        `has the unit ${JSON.stringify(unitCell ?? "")} in ${unit.column}, which is none of minutes, hours, days`,
      )
    );
  };
  return (cell, unitCell) => {
    if (cell === null || cell === undefined || cell === "") return cell;
    const own = typeof cell === "string" ? ownAmount(cell, read, factors) : null;
    if (own !== null) return own;
    const named = ofRow(unitCell);
    return named instanceof ValidationError ? named : times(read(cell), factors[named]);
  };
}

/** The minutes of an amount whose units are written in it; null for anything else. */
function ownAmount(
  cell: string,
  read: (text: string) => unknown,
  factors: Readonly<Record<"minutes" | "hours" | "days", number>>,
): unknown {
  let minutes = 0;
  let isNegative = false;
  OWN_UNIT.lastIndex = 0;
  for (let at = 0; at < cell.trimEnd().length; at = OWN_UNIT.lastIndex) {
    const { number = "", word = "" } = OWN_UNIT.exec(cell)?.groups ?? {};
    const unit = unitNamed(word);
    const part = unit === undefined ? null : times(read(number.trim()), factors[unit]);
    if (typeof part !== "number") return null;
    if (at === 0) isNegative = part < 0 || /^\s*[-\u2212]/.test(cell);
    minutes += isNegative && at > 0 ? -part : part;
  }
  return Number(minutes.toPrecision(12));
}

/** Where the mapping does not say what stands before decimals, only plain numbers are certain. */
function accountedNumber(cell: unknown): unknown {
  const text = typeof cell === "string" ? withSignBefore(cell.trim()) : "";
  return PLAIN_NUMBER.test(text) ? text : cell;
}

function times(cell: unknown, factor: number): unknown {
  const isNumber = typeof cell === "number" || (typeof cell === "string" && PLAIN_NUMBER.test(cell));
  if (!isNumber) return cell;
  // Twelve digits: 7.7 hours are 462 minutes, not 462.00000000000006.
  return Number((Number(cell) * factor).toPrecision(12));
}

function clockMinutes(cell: unknown): unknown {
  if (cell === null || cell === undefined || String(cell).trim() === "") return cell;
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
