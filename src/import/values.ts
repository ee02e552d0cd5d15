// The values of cells: what a field accepts, and the words for what it does not (docs/importing.md, Values).
import { z } from "zod";
import { isEmail } from "../resources/fields.ts";
import { parseDay } from "../time/day.ts";
import {
  FIRST_STORED_DAY,
  isStorable,
  isStorableDay,
  LAST_STORED_DAY,
  parseDateTime,
} from "../time/instant.ts";
import { isTimeZone } from "../time/zone.ts";
import { LocalTime } from "./resolve/local-times.ts";
import { didYouMean, normalised } from "./suggest.ts";

/** Why a cell is not acceptable; reads after the value: `"aproved" is not one of …`. */
export class ValidationError {
  constructor(
    readonly message: string,
    /** That it is none of a fixed list of values, so that a mapping could translate it. */
    readonly isNoChoice = false,
  ) {}
}

/** What a message says of a cell that must not be empty. */
export const IS_MISSING = "is missing";

export const OUT_OF_RANGE = `is not between ${FIRST_STORED_DAY} and ${LAST_STORED_DAY}`;

const MAX_AMOUNT = 1_000_000_000;
const DECIMAL = /^[+-]?(\d{1,20})(?:\.(\d{1,20}))?$/;

type Read<T> = (cell: unknown) => T | ValidationError;

function field<T>(read: Read<T>) {
  return z.unknown().transform((cell, context): T => {
    const value = read(cell);
    if (!(value instanceof ValidationError)) return value;
    context.addIssue({
      code: "custom",
      message: value.message,
      ...(value.isNoChoice && { params: { isNoChoice: true } }),
    });
    return z.NEVER;
  });
}

/** A field that must have a value. */
function required<T>(read: Read<T>) {
  return field<T>((cell) => (isNothing(cell) ? new ValidationError(IS_MISSING) : read(cell)));
}

/** A field that is `absent` where there is no value. */
function optional<T, A>(read: Read<T>, absent: A) {
  return field<T | A>((cell) => (isNothing(cell) ? absent : read(cell)));
}

function isNothing(cell: unknown): boolean {
  return cell === null || cell === undefined || cell === "";
}

/** A cell that is none of a fixed list of values. */
function noChoice(cell: unknown, list: string, hint = ""): ValidationError {
  return typeof cell === "object"
    ? notWanted(cell, list)
    : new ValidationError(`is not ${list}${hint}`, true);
}

/** What cannot be a value of any field: nested JSON, what a mapping could not convert, text that cannot be stored. */
function notWanted(cell: unknown, wanted: string): ValidationError {
  if (cell instanceof ValidationError) return cell;
  if (Array.isArray(cell)) return new ValidationError(`is a list, not ${wanted}`);
  if (typeof cell === "object") return new ValidationError(`is an object, not ${wanted}`);
  return new ValidationError(`is not ${wanted}`);
}

function readText(cell: unknown): string | ValidationError {
  if (typeof cell !== "string") return notWanted(cell, "text: put it in quotes");
  if (!cell.isWellFormed() || cell.includes("\0"))
    return new ValidationError("contains characters that are not text (NUL, or half of a surrogate pair)");
  return cell;
}

function readFilledText(cell: unknown): string | ValidationError {
  const text = readText(cell);
  return typeof text === "string" && text.trim() === "" ? new ValidationError(IS_MISSING) : text;
}

/** Text that names a row: surrounding space does not count, and JSON may give it as a whole number. */
function readName(cell: unknown): string | ValidationError {
  if (typeof cell === "number" && Number.isSafeInteger(cell)) return String(cell);
  const text = readText(cell);
  if (text instanceof ValidationError) return text;
  const name = text.trim();
  if (name === "") return new ValidationError(IS_MISSING);
  return name.length > 255 ? new ValidationError("is longer than 255 characters") : name;
}

/** A value in a fixed notation: surrounding space does not count. */
function inNotation<T>(wanted: string, read: (text: string) => T | ValidationError): Read<T> {
  return (cell) => (typeof cell === "string" ? read(cell.trim()) : notWanted(cell, wanted));
}

const DATE = "a date: write YYYY-MM-DD (or name the file's format in a mapping)";

const NO_SUCH_DAY = "is a day that does not exist";

function isDayInForm(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

const readDay = inNotation(DATE, (text) => {
  const day = parseDay(text);
  if (day === null) return new ValidationError(isDayInForm(text) ? NO_SUCH_DAY : `is not ${DATE}`);
  return isStorableDay(day) ? day : new ValidationError(OUT_OF_RANGE);
});

const DATE_TIME =
  "a date-time: write it with an offset, as 2026-03-01T09:00:00Z or 2026-03-01T10:00:00+01:00 (or name the file's format in a mapping)";

const readInstant = inNotation(DATE_TIME, (text) => {
  const instantMs = parseDateTime(text);
  if (instantMs === null) {
    const day = text.slice(0, 10);
    return new ValidationError(
      isDayInForm(day) && parseDay(day) === null ? NO_SUCH_DAY : `is not ${DATE_TIME}`,
    );
  }
  return isStorable(instantMs) ? instantMs : new ValidationError(OUT_OF_RANGE);
});

const readInstantOrLocal: Read<number | LocalTime> = (cell) =>
  cell instanceof LocalTime ? cell : readInstant(cell);

const BOOLEANS = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

function readBoolean(cell: unknown): boolean | ValidationError {
  if (typeof cell === "boolean") return cell;
  if (cell === 0 || cell === 1) return cell === 1;
  const known = typeof cell === "string" ? BOOLEANS.get(cell.trim().toLowerCase()) : undefined;
  return known ?? noChoice(cell, "one of true, false, yes, no, 1, 0");
}

interface AmountRules {
  /** Whether it may be below zero. */
  readonly isSigned?: boolean;
  readonly isWhole?: boolean;
  readonly isPositive?: boolean;
}

const SEPARATED = /^[+-]?\d+(?:[.,'’\s]\d+)+$/;

/** For a number with other separators, the key of a mapping that says what they mean. */
function decimalHint(text: string): string {
  if (!SEPARATED.test(text)) return "";
  if (/^[+-]?\d{1,3}(?:,\d{3})+$/.test(text))
    return ' (or say in a mapping what the comma is: "decimal": "," if it stands before decimals, "." if it parts thousands)';
  const sign = /,\d+$/.test(text) ? "," : ".";
  return ` (or say in a mapping how the file writes numbers: "decimal": "${sign}")`;
}

function amountReader(rules: AmountRules): Read<number> {
  const wanted = "a number: write digits, with a point before decimals and no thousands separators";
  return (cell) => {
    let amount: number;
    if (typeof cell === "number") amount = cell;
    else if (typeof cell !== "string") return notWanted(cell, wanted);
    else {
      const text = cell.trim();
      if (!DECIMAL.test(text)) return new ValidationError(`is not ${wanted}${decimalHint(text)}`);
      amount = Number(text);
    }
    if (!(Math.abs(amount) <= MAX_AMOUNT))
      return new ValidationError(`is not between ${rules.isSigned ? `-${MAX_AMOUNT}` : 0} and ${MAX_AMOUNT}`);
    // Smaller ones would be written with an exponent, and no amount of time is meant.
    if (amount !== 0 && Math.abs(amount) < 0.000_001)
      return new ValidationError("is too small to count: write 0");
    if (amount < 0 && !rules.isSigned) return new ValidationError("is below 0");
    if (amount === 0 && rules.isPositive) return new ValidationError("is 0: write a number above 0");
    if (rules.isWhole && !Number.isInteger(amount)) return new ValidationError("is not a whole number");
    return amount === 0 ? 0 : amount;
  };
}

const readEmail: Read<string> = inNotation("an email address", (text) =>
  isEmail(text) && text.isWellFormed()
    ? text
    : new ValidationError("is not an email address such as ana@example.com"),
);

const readTimeZone: Read<string> = inNotation("a time zone", (text) => {
  if (isTimeZone(text)) return text;
  const meant = didYouMean(text, Intl.supportedValuesOf("timeZone"));
  return new ValidationError(`is not a time zone of the IANA database, such as Europe/Berlin or UTC${meant}`);
});

function choiceReader<const C extends readonly string[]>(choices: C): Read<C[number]> {
  const known = new Map<string, C[number]>(choices.map((choice) => [choice, choice]));
  const list = `one of ${choices.join(", ")}`;
  return (cell) => {
    if (typeof cell !== "string") return noChoice(cell, list);
    const choice = known.get(cell) ?? known.get(cell.trim());
    if (choice !== undefined) return choice;
    const sameLetters = choices.find((candidate) => normalised(candidate) === normalised(cell));
    return noChoice(cell, list, sameLetters ? ` (write ${sameLetters})` : didYouMean(cell, choices));
  };
}

/** An id of this system; `isShaped` tells its shape, `shape` names it. */
export function idField(isShaped: (text: string) => boolean, shape: string) {
  return optional<string, null>((cell) => {
    const name = readName(cell);
    return name instanceof ValidationError || isShaped(name) ? name : new ValidationError(`is not ${shape}`);
  }, null);
}

export const text = required(readFilledText);
export const optionalText = optional(readText, null);
export const textOrEmpty = optional(readText, "");
export const reference = required(readName);
export const legacyId = optional(readName, null);
/** Days since 1970-01-01. */
export const day = required(readDay);
export const optionalDay = optional(readDay, null);
/** UTC milliseconds. */
export const instant = required(readInstant);
/** UTC milliseconds, or what a mapping read without an offset. */
export const instantOrLocal = required(readInstantOrLocal);
export const boolean = required(readBoolean);
export const booleanOr = <A>(absent: A) => optional(readBoolean, absent);
export const email = required(readEmail);
export const optionalEmail = optional(readEmail, null);
export const optionalTimeZone = optional(readTimeZone, null);
export const choice = <const C extends readonly string[]>(choices: C) => required(choiceReader(choices));
export const choiceOr = <const C extends readonly string[], A extends C[number]>(choices: C, absent: A) =>
  optional(choiceReader(choices), absent);
export const amount = (rules: AmountRules = {}) => required(amountReader(rules));
export const optionalAmount = (rules: AmountRules = {}) => optional(amountReader(rules), null);
export const wholeOr = (absent: number) => optional(amountReader({ isWhole: true }), absent);
