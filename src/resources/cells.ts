// Reads a field from a cell of an import file, and writes it back (docs/importing.md, Values).
import { distance } from "fastest-levenshtein";
import { z } from "zod";
import { formatDay, parseDay } from "../time/day.ts";
import {
  FIRST_STORED_DAY,
  formatInstant,
  isStorable,
  isStorableDay,
  LAST_STORED_DAY,
  parseDateTime,
} from "../time/instant.ts";
import { isTimeZone } from "../time/zone.ts";
import { type IdKind, idShape, isId } from "./ids.ts";

/** A value as a file holds it. */
export type Written = string | number | boolean | null;

/** What a field holds, for the conversions of mappings. */
export type CellContent = "text" | "number" | "minutes" | "day" | "instant" | "local instant" | "local end";

/** Whether a field is the start or end of something, which may be written in local time. */
export function isLocalInstant(holds: CellContent | undefined): holds is "local instant" | "local end" {
  return holds === "local instant" || holds === "local end";
}

/** Reads a field from a cell, and writes it to one. */
export interface CellCodec<Value = unknown> {
  /** The value, or why the cell has none. */
  read(cell: unknown): Value | ValidationError;
  /** The value as in a file and in the API. Reading it again gives the same value. */
  write(value: Value): Written;
  readonly holds: CellContent;
  /** Whether every row needs a value. */
  readonly isRequired: boolean;
  /** All possible values, if they can be listed. */
  readonly choices?: readonly string[];
}

/** A local time that a mapping read without an offset. */
export class LocalTime {
  constructor(
    /** In milliseconds, as if it were UTC. */
    readonly localMs: number,
    /** The zone that the mapping names for times; null for the request's (`zoneOf`). */
    readonly zone: string | null,
    /** The cell, for messages. */
    readonly written: string,
    /** Whether the cell is a day without time. */
    readonly isDay: boolean,
    /** Whether it is the end of the cell's day, not its beginning. */
    readonly isDayEnd: boolean,
  ) {}
}

/** Why a cell is not valid. It follows the value: `"aproved" is not one of …`. */
export class ValidationError {
  constructor(
    readonly message: string,
    /** Whether the value is not in a fixed list, so that a mapping could translate it. */
    readonly isNoChoice = false,
    /** What this value probably means. Unlike the message, it differs between values. */
    readonly hint = "",
  ) {}
}

/** The message for a cell that must not be empty. */
export const IS_MISSING = "is missing";

export const OUT_OF_RANGE = `is not between ${FIRST_STORED_DAY} and ${LAST_STORED_DAY}`;

const MAX_AMOUNT = 1_000_000_000;
const DECIMAL = /^[+-]?(\d{1,20})(?:\.(\d{1,20}))?$/;

type Read<T> = (cell: unknown) => T | ValidationError;

/** What required and optional fields of a type share. */
interface ValueKind<T> {
  readonly read: Read<T>;
  readonly write?: (value: T) => Written;
  readonly holds?: CellContent;
  readonly choices?: readonly string[];
}

export function required<T>(kind: ValueKind<T>): CellCodec<T> {
  const read: Read<T> = (cell) => (isNothing(cell) ? new ValidationError(IS_MISSING) : kind.read(cell));
  return cellOf(kind, read, true);
}

/** An optional field; `absent` stands for no value. */
export function optional<T, A extends Written>(kind: ValueKind<T>, absent: A): CellCodec<T | A> {
  const read: Read<T | A> = (cell) => (isNothing(cell) ? absent : kind.read(cell));
  return cellOf<T | A>(kind as ValueKind<T | A>, read, false); // write() only gets a value or `absent`: see `cellOf`
}

function cellOf<T>(
  { write, holds = "text", choices }: ValueKind<T>,
  read: Read<T>,
  isRequired: boolean,
): CellCodec<T> {
  const written = write ?? ((value: T) => value as Written); // without a notation, the value is the cell
  return {
    read,
    write: (value) => (value === null ? null : written(value)),
    holds,
    isRequired,
    ...(choices === undefined ? {} : { choices }),
  };
}

export function isNothing(cell: unknown): cell is null | undefined | "" {
  return cell === null || cell === undefined || cell === "";
}

/** The error for a value that is not in a fixed list. */
function noChoice(cell: unknown, list: string, hint = ""): ValidationError {
  return typeof cell === "object" ? notWanted(cell, list) : new ValidationError(`is not ${list}`, true, hint);
}

/** The error for a cell that no field accepts: nested JSON, a failed conversion, or text that cannot be stored. */
function notWanted(cell: unknown, wanted: string): ValidationError {
  if (cell instanceof ValidationError) return cell;
  if (Array.isArray(cell)) return new ValidationError(`is a list, not ${wanted}`);
  if (typeof cell === "object") return new ValidationError(`is an object, not ${wanted}`);
  const isTime = wanted === DATE || wanted === DATE_TIME;
  return new ValidationError(`is not ${wanted}`, false, isTime ? epochHint(String(cell)) : "");
}

function readText(cell: unknown): string | ValidationError {
  if (typeof cell === "object")
    return notWanted(cell, "text: name a value inside of it by its path in a mapping");
  if (typeof cell !== "string") return notWanted(cell, "text: put it in quotes");
  if (!cell.isWellFormed() || cell.includes("\0"))
    return new ValidationError("contains characters that are not text (NUL, or half of a surrogate pair)");
  if (FORMULA_ERROR.test(cell))
    return new ValidationError(
      "is an error of a formula: correct the spreadsheet, or say in a mapping what it means (translate)",
    );
  return cell;
}

/** What a spreadsheet of any language shows for a formula without a value: `#N/A`, `#REF!`, `#NV`, `#¿NOMBRE?`. */
const FORMULA_ERROR = /^\s*#(?:N\/[ABD]!?|NV|[¡¿]?[\p{Lu}/0]+[!?])\s*$/u;

function readFilledText(cell: unknown): string | ValidationError {
  const text = readText(cell);
  return typeof text === "string" && text.trim() === "" ? new ValidationError(IS_MISSING) : text;
}

/** Control characters except line breaks and tabs, which spreadsheet cells have. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;
const HAS_CONTROL = "has a control character, such as an escape, which no name has: leave it out";

/** A name without characters that control a terminal. */
function readPlain<T extends string | null>(read: Read<T>): Read<T> {
  return (cell) => {
    const text = read(cell);
    return typeof text === "string" && CONTROL.test(text) ? new ValidationError(HAS_CONTROL) : text;
  };
}

const LEGACY_ID_MAX = 255;

/** How spreadsheets write a long number in a narrow column: 1.00012E+11. */
const SHORTENED = /^-?\d(?:[.,]\d+)?E\+\d{2,3}$/;

/** Text that identifies a row, without surrounding space. JSON may give it as a whole number. */
function readName(cell: unknown): string | ValidationError {
  if (typeof cell === "number" && Number.isSafeInteger(cell)) return String(cell);
  const text = readText(cell);
  if (text instanceof ValidationError) return text;
  const name = text.trim().normalize("NFC"); // é may be one character or two
  if (CONTROL.test(name)) return new ValidationError(HAS_CONTROL);
  if (name === "") return new ValidationError(IS_MISSING);
  if (SHORTENED.test(name))
    return new ValidationError("is a number whose last digits a spreadsheet left out: export ids as text");
  return name.length > LEGACY_ID_MAX
    ? new ValidationError(`is longer than ${LEGACY_ID_MAX} characters`)
    : name;
}

/** A name that rows are matched by, without surrounding space; null if it is only space. */
function readGroup(cell: unknown): string | null | ValidationError {
  const text = readText(cell);
  return text instanceof ValidationError ? text : text.trim().normalize("NFC") || null; // as in readName
}

const readFilledGroup: Read<string> = (cell) => readGroup(cell) ?? new ValidationError(IS_MISSING);

// The most characters of a text (docs/api.md, Resources).
export const NAME_MAX = 200;
/** A whole name may be made of two with a space between them. */
export const WHOLE_NAME_MAX = 2 * NAME_MAX + 1;
export const TITLE_MAX = 500;
export const PROSE_MAX = 4000;

/** Text of at most `most` code points. A code point may take two units of a JavaScript string. */
function bounded<T extends string | null>(most: number, read: Read<T>): Read<T> {
  return (cell) => {
    const text = read(cell);
    return typeof text === "string" && isLonger(text, most)
      ? new ValidationError(`is longer than ${most} characters: shorten it`)
      : text;
  };
}

/** Whether a text has more code points than that. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || [...text].length > most);
}

/** A value in a fixed notation, without surrounding space. */
export function inNotation<T>(wanted: string, read: (text: string) => T | ValidationError): Read<T> {
  return (cell) => (typeof cell === "string" ? read(cell.trim()) : notWanted(cell, wanted));
}

const DATE = "a date: write YYYY-MM-DD (or name the file's format in a mapping)";

const NO_SUCH_DAY = "is a day that does not exist";

/** How to convert a time counted from 1970, or a day that a spreadsheet counts from 1900; empty for other texts. */
export function epochHint(text: string): string {
  if (/^\/date\(-?\d+/i.test(text))
    return " (milliseconds since 1970: make a date of them in a query, such as date(substr(startDate, 7) / 1000.0, 'unixepoch'))";
  if (/^[2-7]\d{4}(?:\.\d+)?$/.test(text))
    return ' (a day as spreadsheets count it? Say "dates": "excel" in a mapping)';
  if (/^\d{10}(?:\d{3})?$/.test(text))
    return ` (${text.length === 10 ? "seconds" : "milliseconds"} since 1970? Make a date of them in a query, such as date(startDate${text.length === 10 ? "" : " / 1000"}, 'unixepoch'))`;
  return "";
}

function isDayInForm(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

const readDay = inNotation(DATE, (text) => {
  const day = parseDay(text);
  if (day === null) {
    return isDayInForm(text)
      ? new ValidationError(NO_SUCH_DAY, false, placeholderHint(text))
      : new ValidationError(`is not ${DATE}`, false, epochHint(text));
  }
  return isStorableDay(day) ? day : new ValidationError(OUT_OF_RANGE, false, placeholderHint(text));
});

/** A hint for years that mean "no date" in other systems. */
export function placeholderHint(date: string): string {
  return /^(?:[2-9]9|0|1[0-7])\d*-/.test(date)
    ? ' (if it means that there is no date, translate it to "")'
    : "";
}

const DATE_TIME =
  "a date-time: write it with an offset, as 2026-03-01T09:00:00Z or 2026-03-01T10:00:00+01:00 (or name the file's format in a mapping)";

const readInstant = inNotation(DATE_TIME, (text) => {
  const instantMs = parseDateTime(text);
  if (instantMs === null) {
    const day = text.slice(0, 10);
    return isDayInForm(day) && parseDay(day) === null
      ? new ValidationError(NO_SUCH_DAY)
      : new ValidationError(`is not ${DATE_TIME}`, false, epochHint(text));
  }
  return isStorable(instantMs) ? instantMs : new ValidationError(OUT_OF_RANGE);
});

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
  readonly isSigned?: boolean;
  readonly isWhole?: boolean;
  readonly isPositive?: boolean;
  /** False for a number of something else. */
  readonly isMinutes?: boolean;
}

const SEPARATED = /^[+-]?\d+(?:[.,'’\s]\d+)+$/;

/** A hint for a number in another notation: the mapping key that describes it. */
function decimalHint(text: string): string {
  if (/^[+-]?[\d.,]+\s*\p{L}/u.test(text))
    return ' (amounts with their units are read by a mapping that names a unit for this field in "units")';
  if (/^-?\d+:\d{2}(?::\d{2})?$/.test(text))
    return ' (hours and minutes? Say the unit "HH:mm" for this field in "units" of a mapping)';
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
      if (!DECIMAL.test(text)) return new ValidationError(`is not ${wanted}`, false, decimalHint(text));
      amount = Number(text);
    }
    if (!(Math.abs(amount) <= MAX_AMOUNT))
      return new ValidationError(`is not between ${rules.isSigned ? `-${MAX_AMOUNT}` : 0} and ${MAX_AMOUNT}`);
    // Smaller amounts would be written with an exponent, and nobody means them.
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
  const message = "is not a time zone of the IANA database, such as Europe/Berlin or UTC";
  return new ValidationError(message, false, meant);
});

function choiceOf<const C extends readonly string[]>(choices: C): ValueKind<C[number]> {
  const known = new Map<string, C[number]>(choices.map((choice) => [choice, choice]));
  const list = `one of ${choices.join(", ")}`;
  const read: Read<C[number]> = (cell) => {
    if (typeof cell !== "string") return noChoice(cell, list);
    const choice = known.get(cell) ?? known.get(cell.trim());
    if (choice !== undefined) return choice;
    const sameLetters = choices.find((candidate) => normalised(candidate) === normalised(cell));
    return noChoice(cell, list, sameLetters ? ` (write ${sameLetters})` : didYouMean(cell, choices));
  };
  return { read, choices };
}

const amountOf = (rules: AmountRules): ValueKind<number> => ({
  read: amountReader(rules),
  holds: rules.isMinutes === false || rules.isWhole ? "number" : "minutes",
});

const aDay: ValueKind<number> = { read: readDay, write: formatDay, holds: "day" };

/** An id: `isShaped` checks its form and `shape` names it. Null if the row has none. */
export function shapedId(isShaped: (text: string) => boolean, shape: string): CellCodec<string | null> {
  const read: Read<string> = (cell) => {
    const name = readName(cell);
    return name instanceof ValidationError || isShaped(name) ? name : new ValidationError(`is not ${shape}`);
  };
  return optional({ read }, null);
}

export const id = (kind: Exclude<IdKind, "balance">) => shapedId((text) => isId(kind, text), idShape(kind));
/** The id or source id of another row; which one it is shows when it is resolved. */
export const reference = required({ read: readName });
export const optionalReference = optional({ read: readName }, null);
/** The id of the row in the source system. */
export const legacyId = optional({ read: readName }, null);
/** A name of somebody or something: at most 200 characters. */
export const text = required({ read: bounded(NAME_MAX, readPlain(readFilledText)) });
export const optionalText = optional({ read: bounded(NAME_MAX, readPlain(readText)) }, null);
export const optionalWholeName = optional({ read: bounded(WHOLE_NAME_MAX, readPlain(readText)) }, null);
/** The name of a department, a workplace, a calendar or a type of time off. */
export const group = required({ read: bounded(NAME_MAX, readPlain(readFilledGroup)) });
export const optionalGroup = optional({ read: bounded(NAME_MAX, readPlain(readGroup)) }, null);
/** A title: at most 500 characters. */
export const title = required({ read: bounded(TITLE_MAX, readPlain(readFilledText)) });
export const titleOrEmpty = optional({ read: bounded(TITLE_MAX, readPlain(readText)) }, "");
/** A longer text: at most 4,000 characters. */
export const optionalProse = optional({ read: bounded(PROSE_MAX, readText) }, null);
/** Days since 1970-01-01. */
export const day = required(aDay);
export const optionalDay = optional(aDay, null);
/** UTC milliseconds; null if empty. */
export const optionalInstant = optional({ read: readInstant, write: formatInstant, holds: "instant" }, null);
function localInstant(holds: "local instant" | "local end") {
  return required<number | LocalTime>({
    read: (cell) => (cell instanceof LocalTime ? cell : readInstant(cell)),
    write: (value) => (typeof value === "number" ? formatInstant(value) : value.written),
    holds,
  });
}

/** UTC milliseconds, or a local time that a mapping read. */
export const instantOrLocal = localInstant("local instant");
/** An end, read like `instantOrLocal`. A mapping says whether a day without time is included. */
export const endOrLocal = localInstant("local end");
export const boolean = required({ read: readBoolean });
export const booleanOr = <A extends boolean | null>(absent: A) => optional({ read: readBoolean }, absent);
export const email = required({ read: readEmail });
export const optionalEmail = optional({ read: readEmail }, null);
export const optionalTimeZone = optional({ read: readTimeZone }, null);
export const choice = <const C extends readonly string[]>(choices: C) => required(choiceOf(choices));
export const choiceOr = <const C extends readonly string[], A extends C[number]>(choices: C, absent: A) =>
  optional(choiceOf(choices), absent);
/** A choice whose column a file may lack. If the column is there, an empty cell is an error. */
export function choiceOrNoColumn<const C extends readonly string[]>(choices: C): CellCodec<C[number] | null> {
  const kind = choiceOf(choices);
  const read: Read<C[number] | null> = (cell) => {
    if (cell === "") return new ValidationError(IS_MISSING, false, OR_NO_COLUMN);
    return isNothing(cell) ? null : kind.read(cell);
  };
  return cellOf<C[number] | null>(kind as ValueKind<C[number] | null>, read, false); // write() only gets a choice or null
}
const OR_NO_COLUMN = ": write it, or leave out the column";
export const optionalChoice = <const C extends readonly string[]>(choices: C) =>
  optional(choiceOf(choices), null);
export const amount = (rules: AmountRules = {}) => required(amountOf(rules));
export const optionalAmount = (rules: AmountRules = {}) => optional(amountOf(rules), null);
export const wholeOr = (absent: number) => optional(amountOf({ isWhole: true }), absent);
export const optionalWhole = optional(amountOf({ isWhole: true }), null);

// On the wire: schemas that several resources share ----------------------------------------------------------------------

export const EMAIL_MAX_CHARACTERS = 254;

// Labels exclude dots, so matching is linear.
const EMAIL = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@.]+(?:\.[^\s\p{Cc}@.]+)+$/u;

/** One `@` with text on both sides, a dot in the domain, no spaces or control characters; letters of any script. */
export function isEmail(text: string): boolean {
  return !isLonger(text, EMAIL_MAX_CHARACTERS) && EMAIL.test(text);
}

/**
 * The compared form of an address, computed at import and in the query, so that every engine agrees. Letters are folded one by one, as in
 * Unicode's simple case folding: the two lower-case sigmas are the same letter, while ß and ss, ı and i stay different mailboxes.
 */
export function foldEmail(email: string): string {
  if (IS_ASCII.test(email)) return email.toLowerCase();
  return Array.from(email.normalize("NFC"), foldLetter).join("").normalize("NFC");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII
const IS_ASCII = /^[\u0000-\u007f]*$/;

function foldLetter(letter: string): string {
  const upper = letter === "ı" ? letter : letter.toUpperCase();
  return ([...upper].length === 1 ? upper : letter).toLowerCase();
}

export const emailSchema = z
  .string()
  .refine(isEmail, { error: "is not an email address such as ana@example.com" })
  .meta({
    description: "An email address; letters of any script are allowed.",
    example: "francoise@example.com",
    maxLength: EMAIL_MAX_CHARACTERS,
  });

export const dateSchema = z.iso.date().meta({ description: "A day, `YYYY-MM-DD`.", example: "2026-03-01" });

export const dateTimeSchema = z.iso.datetime({ precision: 3 }).meta({
  description: "An instant: RFC 3339 in UTC with milliseconds.",
  example: "2026-03-01T00:00:00.000Z",
});

export const createdAtSchema = dateTimeSchema.meta({
  description:
    "When it was created in the source system; if unknown, the time of the first import that had it.",
  example: "2024-03-01T00:00:00.000Z",
});

export const timeZoneSchema = z
  .string()
  .meta({ description: "A name of the IANA time-zone database.", example: "Europe/Berlin" });

export const legacyIdSchema = z.string().nullable().meta({
  maxLength: LEGACY_ID_MAX,
  description: "The id in the source system; null where it has none.",
  example: "E00042",
});

// Names: how they are compared, and which known name a mistyped one was probably meant to be ------------------------------

/** A name for comparison: ignores case, spaces, `_`, `-` (docs/importing.md, Files), and how accented letters are encoded. */
export function normalised(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "");
}

/** The known name nearest to `name`; null if none is near enough. */
export function nearest(name: string, known: readonly string[]): string | null {
  const wanted = normalised(name).slice(0, 100);
  const letters = lettersOf(wanted);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const other = normalised(candidate);
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const mistakes = distance(wanted, other);
    const counted = lettersOf(other) === letters ? Math.min(1, mistakes) : mistakes; // swapped letters count as one mistake
    if (counted < bestDistance) {
      best = candidate;
      bestDistance = counted;
    }
  }
  return best;
}

/** The letters of a name in alphabetical order. */
function lettersOf(name: string): string {
  return [...name].sort().join("");
}

/** ` (did you mean X?)`, or empty if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? "" : ` (did you mean ${meant}?)`;
}
