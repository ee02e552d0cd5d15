// How a field gets its value: fixed texts and templates, translations, and conversions of dates and amounts.
import { type CellContent, isLocalInstant, isNothing, ValidationError } from "../../resources/cells.ts";
import type { Kind } from "../../resources/kinds.ts";
import { cellOf } from "../../resources/registry.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { type Cell, DecimalNumber, SheetValue, UncertainNumber, UnitNumber } from "../read/records.ts";
import { type DateReading, dateReader } from "./dates.ts";
import { dateFormatsOf, type SourceMapping, type Unit } from "./schema.ts";
import { unitNamed } from "./units.ts";

/** Turns a cell into our own notation. `unitCell` is the row's unit, if a column has it. */
export type Convert = (cell: Cell, unitCell: Cell) => Cell;

/** A text with columns, such as `{Employee}|{Type}`: texts and columns in turn, a text first. */
export interface Template {
  readonly texts: readonly string[];
  readonly columns: readonly string[];
}

/** The template of a fixed value; null if it names no column. Raises SyntaxError for an open brace. */
export function templateOf(value: unknown): Template | null {
  if (typeof value !== "string") return null;
  const texts: string[] = [];
  const columns: string[] = [];
  let start = 0;
  for (const { 0: part, 1: name, index } of value.matchAll(/\{\{|\{([^}]*)\}?/g)) {
    if (name === undefined) continue; // a doubled brace
    if (!part.endsWith("}")) throw new SyntaxError("has a { that is never closed: write {{ for a brace");
    if (name.trim() === "") throw new SyntaxError("has {} without a column: write {{ for a brace");
    texts.push(withoutDoubled(value.slice(start, index)));
    columns.push(name.trim());
    start = index + part.length;
  }
  texts.push(withoutDoubled(value.slice(start)));
  return columns.length === 0 ? null : { texts, columns };
}

/** A fixed value without the doubled brace of `{{`. */
export function fixedValue(value: Cell): Cell {
  return typeof value === "string" ? withoutDoubled(value) : value;
}

const withoutDoubled = (text: string) => text.replaceAll("{{", "{");

/**
 * Fills a template with the cells of its columns, in order; null if all of them are empty. Numbers among other text get the decimal sign
 * with which the text is read.
 */
export function filled({ texts }: Template, cells: readonly Cell[], decimal: DecimalSign = "."): Cell {
  let text = texts[0]!;
  const [only] = cells;
  if (texts.length === 2 && texts.join("") === "") {
    if (only instanceof DecimalNumber || only instanceof UncertainNumber) return only;
    if (typeof only === "number" && !Number.isInteger(only)) return new DecimalNumber(only);
  }
  for (const [at, cell] of cells.entries()) {
    if (cell instanceof ValidationError) return cell;
    if (Array.isArray(cell)) return new ValidationError("has a list in a column of its template");
    if (typeof cell === "object" && cell !== null && !(cell instanceof SheetValue))
      return new ValidationError("has an object in a column of its template");
    text += joinedText(cell, decimal) + texts[at + 1]!;
  }
  return cells.some((cell) => cell instanceof UncertainNumber) ? new UncertainNumber(text) : text;
}

function joinedText(cell: Cell, decimal: DecimalSign): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number" || cell instanceof DecimalNumber) return String(cell).replace(".", decimal);
  return String(cell).trim();
}

/** The translation of a field's cells; null if there is none. Case and surrounding space are ignored. */
export function translationOf(mapping: SourceMapping, field: string): ((cell: Cell) => Cell) | null {
  const translations = mapping.translate?.[field];
  if (translations === undefined) return null;
  const exact = new Map(Object.entries(translations));
  const folded = new Map<string, Cell>();
  for (const [from, to] of exact) if (!folded.has(fold(from))) folded.set(fold(from), to);
  folded.delete("*");
  const hasRest = exact.has("*");
  const rest = exact.get("*");
  const hasBooleans = folded.has("true") || folded.has("false") || !folded.keys().some((key) => key !== "");
  return (cell) => {
    const key = cell === null || cell === undefined ? "" : String(cell);
    if (exact.has(key)) return exact.get(key);
    const isNumber = typeof cell === "number" || cell instanceof DecimalNumber;
    const keys = [key, isNumber ? key.replace(".", ",") : key].map(fold); // as people see the number
    const named = keys.find((name) => folded.has(name));
    if (named !== undefined) return folded.get(named);
    if (hasRest && typeof cell === "boolean" && !hasBooleans)
      return new ValidationError(`is ${cell} in the file, not a word: translate "${cell}"`);
    return hasRest ? rest : cell;
  };
}

function fold(text: string): string {
  return text.trim().normalize("NFC").toLowerCase();
}

/** A mapping with `endDay` needs no format for days in this form. */
const ISO_DAY = "yyyy-MM-dd";

function isIsoDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

function isDated(holds: CellContent | undefined): holds is DateReading["holds"] {
  return holds === "day" || holds === "instant" || isLocalInstant(holds);
}

/** The conversion of a field's translated cells; null if they are taken unchanged. */
export function conversionOf(kind: Kind, mapping: SourceMapping | null, field: string): Convert | null {
  const holds = cellOf(kind, field)?.holds;
  if (isDated(holds)) return dateConversion(holds, mapping, field);
  if (mapping === null || (holds !== "number" && holds !== "minutes"))
    return holds === "number" ? withoutUnit : null;
  const unit = mapping.units?.[field];
  const steps: Convert[] = holds === "number" ? [withoutUnit] : [];
  if (unit !== undefined)
    steps.push(minutesReader(unit, mapping.hoursPerDay ?? HOURS_IN_A_DAY, mapping.decimal));
  else if (mapping.decimal !== undefined) steps.push(decimalReader(mapping.decimal));
  if (mapping.negate?.includes(field)) steps.push(negated);
  return steps.length === 0
    ? null
    : (cell, unitCell) => {
        if (cell instanceof UncertainNumber) return new ValidationError(UNCERTAIN);
        const plain = cell instanceof DecimalNumber && !(cell instanceof UnitNumber) ? cell.value : cell;
        return steps.reduce((taken, step) => step(taken, unitCell), plain);
      };
}

function dateConversion(holds: DateReading["holds"], mapping: SourceMapping | null, field: string): Convert {
  const endDay = holds === "local end" ? (mapping?.endDay ?? "unknown") : null;
  const formats = mapping === null ? [] : dateFormatsOf(mapping, field);
  const reading: DateReading = { holds, locale: mapping?.locale, zone: mapping?.zone ?? null, endDay };
  const read = dateReader(formats, reading);
  if (formats.length > 0 || mapping?.endDay === undefined || !isLocalInstant(holds)) return read;
  const readDay = dateReader([ISO_DAY], reading);
  return (cell) => (typeof cell === "string" && isIsoDay(cell.trim()) ? readDay(cell) : read(cell));
}

/** The number alone, for a field that counts something else than minutes. */
const withoutUnit: Convert = (cell) => (cell instanceof UnitNumber ? cell.value : cell);

const UNCERTAIN =
  'may come from a number or from text, which a query cannot tell apart; with "decimal": "," they mean different numbers: write all as numbers, join them in "values" and not in SQL, or read the texts in another source';

/** The parts of a whole name by field; the same error for the first if it cannot be split. */
export function nameParts(written: Cell): Readonly<Record<string, Cell>> {
  const { parts, split } = FULL_NAME;
  const cell = written instanceof SheetValue ? String(written) : written;
  if (typeof cell !== "string" || cell.trim() === "")
    return Object.fromEntries(parts.map((part) => [part, cell]));
  const oneWord = new ValidationError(
    `is a single name, without first and last name: translate it, as in "translate": {"${FULL_NAME.name}": {"Pelé": "Nascimento, Pelé"}}`,
  );
  return Object.fromEntries(split(cell).map((text, at) => [parts[at]!, text === "" ? oneWord : text]));
}

// Numbers as other systems write them, and amounts in hours or days, converted to minutes.

export type DecimalSign = "," | ".";

/** For each decimal sign: a number that may separate thousands with the other sign, a space or an apostrophe. */
const NUMBERS: Readonly<Record<DecimalSign, RegExp>> = {
  ",": /^[+-]?(?:\d{1,20}|\d{1,3}(?:[.'’\s]\d{3}){1,6})(?:,\d{1,20})?$/,
  ".": /^[+-]?(?:\d{1,20}|\d{1,3}(?:[,'’\s]\d{3}){1,6})(?:\.\d{1,20})?$/,
};

/** Returns a function from a number as written to our notation. */
function decimalReader(sign: DecimalSign): (cell: unknown) => unknown {
  const other = sign === "," ? /[.'’\s]/g : /[,'’\s]/g;
  return (cell) => {
    if (typeof cell !== "string" || cell.trim() === "") return cell;
    const text = withSignBefore(cell.trim());
    if (!NUMBERS[sign].test(text))
      return new ValidationError(`is not a number with "${sign}" before its decimals`);
    return text.replace(other, "").replace(",", ".");
  };
}

/** Negative numbers as in accounting and some systems: `(12.50)`, `12.50-`, and with a typographic minus. */
const NEGATIVE = /^(?:\((?<inBrackets>[^()+-]+)\)|(?<before>[^()+-]+)-|[\u2212\u2013](?<after>.+))$/;

function withSignBefore(text: string): string {
  const { inBrackets, before, after } = NEGATIVE.exec(text)?.groups ?? {};
  const negative = inBrackets ?? before ?? after;
  return negative === undefined ? text : `-${negative.trim()}`;
}

const HOURS_IN_A_DAY = 8;

const PLAIN_NUMBER = /^\s*[+-]?\d{1,20}(?:\.\d{1,20})?\s*$/;
const CLOCK = /^([+-]?)(\d{1,6}):([0-5]\d)(?::([0-5]\d))?$/;

/** The column with each row's unit; null if all rows have one unit. */
export function unitColumnOf(unit: Unit | undefined): string | null {
  return typeof unit === "object" && "column" in unit ? unit.column : null;
}

/** Numbers with units: `5 Days`, `2.5h`, `4h 30m`. */
const OWN_UNIT = /\s*(?<number>[^\p{L}]*[\d¼½¾][^\p{L}]*?)\s*(?<word>\p{L}+(?:\.|\([a-z]{1,2}\))?)/uy;

/** `1½`, as people write in lists. */
const WITH_FRACTION = /^\s*([+-]?)(\d{0,6})\s?([¼½¾])\s*$/;
const FRACTIONS: Readonly<Record<string, number>> = { "¼": 0.25, "½": 0.5, "¾": 0.75 };

/** The number of a text with a fraction; other cells pass unchanged. */
function withoutFraction(cell: unknown): unknown {
  const [, sign, whole, fraction] = (typeof cell === "string" && WITH_FRACTION.exec(cell)) || [];
  if (fraction === undefined) return cell;
  return (sign === "-" ? -1 : 1) * (Number(whole) + FRACTIONS[fraction]!);
}

/**
 * Returns a function from a cell to minutes; other texts pass unchanged, to be refused later. `unitCell` is the row's own unit, if a column
 * has it; a unit in the cell itself comes first. `hoursPerDay` is for days whose length the unit does not say. `sign` is the decimal sign.
 */
export function minutesReader(
  unit: Unit,
  hoursPerDay: number,
  sign?: DecimalSign,
): (cell: unknown, unitCell: unknown) => unknown {
  const readPlain = sign === undefined ? accountedNumber : decimalReader(sign);
  const read = (cell: unknown) => readPlain(withoutFraction(cell));
  const dayHours = typeof unit === "object" ? (unit.days ?? hoursPerDay) : hoursPerDay;
  const factors = { minutes: 1, hours: 60, days: 60 * dayHours };
  const ofRow = (unitCell: unknown): keyof typeof factors | ValidationError => {
    if (typeof unit === "string") return unit === "HH:mm" ? "hours" : unit;
    if (!("column" in unit)) return "days";
    return (
      unitNamed(String(unitCell ?? "")) ??
      new ValidationError(
        `has the unit ${JSON.stringify(unitCell ?? "")} in ${unit.column}, which is none of minutes, hours, days`,
      )
    );
  };
  return (cell, unitCell) => {
    if (isNothing(cell)) return cell;
    if (cell instanceof UnitNumber) return times(cell.value, factors[cell.unit]);
    const duration = typeof cell === "string" ? durationMinutes(cell) : null;
    if (duration !== null) return duration;
    if (unit === "HH:mm") return clockMinutes(cell);
    const own = typeof cell === "string" ? ownAmount(cell, read, factors) : null;
    if (own !== null) return own;
    const named = ofRow(unitCell);
    // A workbook may show some hours as a clock, and others as numbers.
    if (named === "hours" && typeof cell === "string" && CLOCK.test(cell.trim())) return clockMinutes(cell);
    return named instanceof ValidationError ? named : times(read(cell), factors[named]);
  };
}

/** `7h30`, as French programs write. */
const HOURS_AND_MINUTES = /^([+-]?)(\d{1,6})\s?h([0-5]\d)$/i;

/** Of ISO 8601, such as `PT6H30M`. Days are not read: `P1D` may be 24 hours, or a day of work. */
const DURATION = /^([+-]?)PT(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?$/i;

/** The minutes of a duration; null for anything else. */
function durationMinutes(cell: string): number | null {
  const match = HOURS_AND_MINUTES.exec(cell.trim()) ?? DURATION.exec(cell.trim());
  if (match === null) return null;
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const amount = Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
  return Number(((sign === "-" ? -1 : 1) * amount).toPrecision(12));
}

/** The minutes of an amount with units in its text; null for anything else. */
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
    // A sign further on is unclear: `5 days -4h` may have a dash.
    if (typeof part !== "number" || (at > 0 && part < 0)) return null;
    if (at === 0) isNegative = part < 0 || /^\s*[-\u2212]/.test(cell);
    minutes += isNegative && at > 0 ? -part : part;
  }
  return Number(minutes.toPrecision(12));
}

/** Without a given decimal sign, only plain numbers are certain. */
function accountedNumber(cell: unknown): unknown {
  const text = typeof cell === "string" ? withSignBefore(cell.trim()) : "";
  return PLAIN_NUMBER.test(text) ? text : cell;
}

function times(cell: unknown, factor: number): unknown {
  const isNumber = typeof cell === "number" || (typeof cell === "string" && PLAIN_NUMBER.test(cell));
  if (!isNumber) return cell;
  // Rounded to twelve digits: 7.7 hours are 462 minutes, not 462.00000000000006.
  return Number((Number(cell) * factor).toPrecision(12));
}

function clockMinutes(cell: unknown): unknown {
  if (cell === null || cell === undefined || String(cell).trim() === "") return cell;
  const match = typeof cell === "string" ? CLOCK.exec(cell.trim()) : null;
  if (match === null) return new ValidationError("is not hours and minutes such as 7:30");
  const [, sign, hours, minutes, seconds = "0"] = match;
  const amount = Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
  return Number(((sign === "-" ? -1 : 1) * amount).toPrecision(12));
}

/** The number with the opposite sign; other texts pass unchanged. */
function negated(cell: unknown): unknown {
  if (typeof cell === "number") return cell === 0 ? 0 : -cell;
  if (typeof cell !== "string" || !PLAIN_NUMBER.test(cell)) return cell;
  const text = cell.trim().replace(/^\+/, "");
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}
