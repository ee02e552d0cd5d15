// Reads dates of other systems in formats such as `dd/MM/yyyy` or `M/d/yyyy h:mm a` as days and instants.
import {
  type CellContent,
  epochHint,
  isLocalInstant,
  LocalTime,
  placeholderHint,
  ValidationError,
} from "../../resources/cells.ts";
import { DAY_MS, parseDay } from "../../time/day.ts";
import { DecimalNumber, LocalMoment } from "../read/records.ts";
import { localMsOfSerial } from "../read/xlsx-cells.ts";

/** The pattern of each token. The token's first letter names its group. The names of months depend on the language. */
const TOKENS: Readonly<Record<string, string>> = {
  yyyy: "\\d{4}",
  yy: "\\d{2}",
  MMMM: "",
  MMM: "",
  MM: "\\d{2}",
  M: "\\d{1,2}",
  dd: "\\d{2}",
  d: "\\d{1,2}",
  HH: "\\d{2}",
  H: "\\d{1,2}",
  hh: "\\d{2}",
  h: "\\d{1,2}",
  mm: "\\d{2}",
  ss: "\\d{2}",
  SSS: "\\d{1,9}",
  a: "[ap]m|[ap]\\.\\s?m\\.",
  EEE: "[^\\s\\d,;]+",
  XXX: "z|utc|gmt|[+-]\\d{2}(?::?\\d{2})?",
};

/** Two-digit years from here on belong to the 20th century. */
const FIRST_YEAR_OF_CENTURY = 50;

/** Stands for a format: dates are a spreadsheet's serial numbers, such as 45658 for 2025-01-01. */
export const SERIALS = "excel";
const SERIAL = /^\d{1,7}(?:\.\d+)?$/;

/** What may be after the day beside the name of a month: `1st`, `2nd`, `1er`, `1º`. */
const ORDINAL = "(?:st|nd|rd|th|er|[ºª°])?";

const PIECE = /'([^']*)'|([A-Za-z])\2*|[^A-Za-z']/g;

interface Format {
  readonly pattern: RegExp;
  /** Whether it has no time of day. */
  readonly isDayAlone: boolean;
  /** Names of months in lower case, from 1. */
  readonly months: ReadonlyMap<string, number>;
}

const compiled = new Map<string, Format | string>();

/** The compiled format, or what is wrong with it. `locale` is the language of its months, English by default. */
export function compiledFormat(format: string, locale = "en"): Format | string {
  const key = `${locale} ${format}`;
  let known = compiled.get(key);
  if (known === undefined) {
    known = compile(format, locale);
    compiled.set(key, known);
  }
  return known;
}

function compile(format: string, locale: string): Format | string {
  if (format === SERIALS) return { pattern: SERIAL, isDayAlone: false, months: new Map() };
  const pieces = [...format.matchAll(PIECE)];
  const letters = pieces.flatMap(([, , letter]) => letter ?? []);
  const isDayAlone = !letters.includes("H") && !letters.includes("h");
  const mistake = mistakeOfPieces(format, pieces) ?? mistakeOfParts(letters, isDayAlone);
  if (mistake !== null) return mistake;
  const named = pieces.find(([piece]) => TOKENS[piece] === "")?.[0];
  const months = named === undefined ? new Map() : monthNames(locale, named === "MMMM" ? "long" : "short");
  const patterns = pieces.map(([piece, quoted, letter]) => {
    if (letter === undefined) return literal(quoted ?? piece);
    const ordinal = piece === "d" && named !== undefined ? ORDINAL : "";
    return `(?<${letter}>${TOKENS[piece] || alternatives([...months.keys()])})${ordinal}`;
  });
  return { pattern: new RegExp(`^${patterns.join("")}$`), isDayAlone, months };
}

/** What is wrong with a piece of a format; null if nothing is. */
function mistakeOfPieces(format: string, pieces: readonly RegExpExecArray[]): string | null {
  const isRead = pieces.map(([piece]) => piece).join("") === format;
  if (!isRead) return "has a quote that is never closed";
  const tokens = pieces.filter(([, , letter]) => letter !== undefined);
  const unknown = tokens.find(([piece]) => TOKENS[piece] === undefined)?.[0];
  if (unknown !== undefined) return `has ${unknown}, which is not one of ${Object.keys(TOKENS).join(", ")}`;
  const letters = tokens.map(([, , letter]) => letter);
  const twice = letters.find((letter, at) => letters.indexOf(letter) < at);
  return twice === undefined ? null : `has ${twice} twice`;
}

/** What is wrong with the parts of a format, by their letters; null if they make a date. */
function mistakeOfParts(letters: readonly string[], isDayAlone: boolean): string | null {
  const has = (letter: string) => letters.includes(letter);
  if (!has("y") || !has("M")) return "does not have year, month and day, such as dd/MM/yyyy";
  if (!has("d") && !isDayAlone) return "has a time of day, but no day, such as dd/MM/yyyy HH:mm";
  if (has("h") !== has("a")) return "needs h and a together: a 12-hour clock with am or pm";
  return null;
}

/** Literal text. A space matches any space, because some languages write narrow ones, also after a comma: `2/2/2026, 9:00`. */
function literal(text: string): string {
  return text
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replace(/\s/g, ",?\\s")
    .toLowerCase();
}

function alternatives(names: readonly string[]): string {
  return names
    .toSorted((a, b) => b.length - a.length)
    .map(literal)
    .join("|");
}

const DATE_PART = /[dMy](?:.*[dMy])?/;
/** 4 March 2005, by token. */
const PROBE: Readonly<Record<string, string>> = {
  yyyy: "2005",
  yy: "05",
  M: "3",
  MM: "03",
  d: "4",
  dd: "04",
};

/** A date that two formats read as different days, such as `04/03/2005`; null if there is none. Times of day do not matter. */
export function ambiguousDate(first: string, other: string): string | null {
  const [datePart, otherDatePart] = [first, other].map(
    (format) => DATE_PART.exec(format.replace(/'[^']*'/g, ""))?.[0] ?? "",
  );
  const text = datePart!.replace(PIECE, (piece) => PROBE[piece] ?? piece);
  const compiled = compiledFormat(otherDatePart!);
  if (typeof compiled === "string" || /[a-z]/i.test(text)) return null;
  const groups = compiled.pattern.exec(text)?.groups;
  const isSame = groups === undefined || (Number(groups.d) === 4 && Number(groups.M) === 3);
  return isSame ? null : text;
}

/** The numbers of months by name, in lower case. Includes the forms alone and within a date, and short names without their point. */
function monthNames(locale: string, length: "long" | "short"): Map<string, number> {
  const names = new Map<string, number>();
  const forms: Intl.DateTimeFormatOptions[] = [{ month: length }, { month: length, day: "numeric" }];
  for (const form of forms) {
    const clock = new Intl.DateTimeFormat(locale, { ...form, calendar: "gregory", timeZone: "UTC" });
    for (let month = 1; month <= 12; month++) {
      const parts = clock.formatToParts(Date.UTC(2026, month - 1, 1));
      const name = parts.find(({ type }) => type === "month")!.value.toLowerCase();
      for (const spelling of [name, name.replace(/\.$/, "")])
        if (!/^\d+$/.test(spelling)) names.set(spelling, month);
    }
  }
  if (length === "short") addShortNames(locale, names);
  return names;
}

/** Spreadsheets shorten some months differently: "Mrz" in German, and three letters if no other month begins with them. */
function addShortNames(locale: string, names: Map<string, number>): void {
  if (/^en\b/.test(locale)) names.set("sept", 9).set("sep", 9);
  if (/^de\b/.test(locale)) names.set("mrz", 3);
  const long = [...monthNames(locale, "long")];
  for (const [name, month] of long) {
    const start = name.slice(0, 3);
    const isUnique = long.every(([other, otherMonth]) => otherMonth === month || !other.startsWith(start));
    if (isUnique && !names.has(start)) names.set(start, month);
  }
}

/** Whether a language is known and has names of months. */
export function isLocale(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0 && monthNames(name, "long").size >= 12;
  } catch {
    return false;
  }
}

/** How a field's dates are read, besides their formats. */
export interface DateReading {
  readonly holds: Extract<CellContent, "day" | "instant" | "local instant" | "local end">;
  readonly locale: string | undefined;
  /** The zone of local times; null for the zone of the request (CONTRIBUTING.md, Glossary), in which days alone always are. */
  readonly zone: string | null;
  /** For an end field: whether a day without a time is itself included; null for other fields. */
  readonly endDay: "included" | "excluded" | "unknown" | null;
}

/**
 * Returns a function that reads a cell. It returns a date or a date-time in the API's notation, a LocalTime, or a ValidationError if no
 * format fits. Cells that are no text, number or date stay as they are.
 */
export function dateReader(formats: readonly string[], reading: DateReading): (cell: unknown) => unknown {
  const hasSerials = formats.includes(SERIALS);
  const ofTexts = formats.filter((format) => format !== SERIALS);
  const compiledFormats = ofTexts.map((format) => {
    const compiled = compiledFormat(format, reading.locale);
    if (typeof compiled === "string") throw new RangeError(compiled); // the mapping was checked
    return { format, ...compiled };
  });
  return (cell) => {
    if (cell instanceof LocalMoment) return momentValue(cell, reading);
    const localMs = hasSerials ? serialMs(cell) : null;
    if (localMs !== null) return momentValue(new LocalMoment(localMs, localMs % DAY_MS !== 0), reading);
    const written = writtenDate(cell);
    if (written === null || formats.length === 0) return cell;
    const text = written.trim().toLowerCase();
    if (text === "") return "";
    let firstError: ValidationError | null = null;
    for (const compiled of compiledFormats) {
      const groups = compiled.pattern.exec(text)?.groups;
      if (groups === undefined) continue;
      const value = dateOf(groups, compiled, written, reading);
      if (!(value instanceof ValidationError)) return value;
      firstError ??= value;
    }
    const message = `does not have the form ${formats.join(" or ")}: correct it, or add its form to the mapping's "dates"`;
    return firstError ?? new ValidationError(message, false, epochHint(text));
  };
}

/** The text of a cell that may be a date: JSON may have 20260301 as a number. */
function writtenDate(cell: unknown): string | null {
  return typeof cell === "number" ? String(cell) : typeof cell === "string" ? cell : null;
}

function serialMs(cell: unknown): number | null {
  const text = cell instanceof DecimalNumber || typeof cell === "number" ? String(cell) : cell;
  return typeof text === "string" && SERIAL.test(text.trim()) ? localMsOfSerial(Number(text)) : null;
}

function dateOf(
  groups: Readonly<Record<string, string | undefined>>,
  { format, isDayAlone, months }: Format & { readonly format: string },
  cell: string,
  reading: DateReading,
): unknown {
  const date = dateText(groups, months);
  const day = parseDay(date);
  if (day === null)
    return new ValidationError(
      `is a day that does not exist (read as ${format})`,
      false,
      placeholderHint(date),
    );
  if (reading.holds === "day") return date;
  const timeMs = timeOfDayMs(groups);
  if (timeMs === null) return new ValidationError(`is a time that does not exist (read as ${format})`);
  const isDayEnd = isDayAlone && reading.endDay === "included";
  const localMs = day * DAY_MS + timeMs + (isDayEnd ? DAY_MS : 0);
  const offset = groups.X;
  if (offset === undefined && isLocalInstant(reading.holds))
    return new LocalTime(localMs, isDayAlone ? null : reading.zone, cell, isDayAlone, isDayEnd);
  return dateTimeAt(localMs, offset ?? "z");
}

/** `YYYY-MM-DD`; the first of the month if there is no day. */
function dateText(
  { y = "", M = "", d = "1" }: Readonly<Record<string, string | undefined>>,
  months: ReadonlyMap<string, number>,
): string {
  const year = y.length === 4 ? y : String((Number(y) >= FIRST_YEAR_OF_CENTURY ? 1900 : 2000) + Number(y));
  const month = String(months.get(M) ?? Number(M)).padStart(2, "0");
  return `${year}-${month}-${d.padStart(2, "0")}`;
}

function momentValue(moment: LocalMoment, { holds, zone, endDay }: DateReading): unknown {
  const { localMs, hasTime } = moment;
  if (hasTime && (endDay === "included" || endDay === "excluded"))
    return new ValidationError(
      "has a time, but endDay is for days without time: remove endDay from the mapping, or make days of all of the column in a query; a sheet or file of days beside one of times needs a source of its own",
    );
  const text = moment.toString();
  if (holds === "day") return text.slice(0, 10);
  if (holds === "instant") return dateTimeAt(localMs, "z");
  if (!hasTime && endDay === "unknown")
    return new ValidationError(
      'is a day alone: say in a mapping whether leave lasts through that day ("endDay": "included") or ends when it begins ("excluded")',
    );
  const isDayEnd = !hasTime && endDay === "included";
  return new LocalTime(localMs + (isDayEnd ? DAY_MS : 0), hasTime ? zone : null, text, !hasTime, isDayEnd);
}

/** The time of day in milliseconds; null if it does not exist. 24:00 is the end of the day (ISO 8601). */
function timeOfDayMs(groups: Readonly<Record<string, string | undefined>>): number | null {
  const hour =
    groups.h === undefined
      ? Number(groups.H ?? 0)
      : (Number(groups.h) % 12) + (groups.a?.startsWith("p") ? 12 : 0);
  const [minute, second] = [Number(groups.m ?? 0), Number(groups.s ?? 0)];
  if (hour === 24 && minute + second + Number(groups.S ?? 0) === 0) return DAY_MS;
  if (hour > 23 || minute > 59 || second > 59 || Number(groups.h ?? 1) > 12) return null;
  return ((hour * 60 + minute) * 60 + second) * 1000 + Math.floor(Number(`0.${groups.S ?? 0}`) * 1000);
}

/** A local time and its offset (`z`, `utc`, `+02:00`, `+0200` or `+02`) as RFC 3339. */
function dateTimeAt(localMs: number, offset: string): string {
  const [hours, minutes] = [offset.slice(0, 3), offset.slice(3).replace(":", "") || "00"];
  return new Date(localMs).toISOString().slice(0, -1) + (/^[a-z]/.test(offset) ? "Z" : `${hours}:${minutes}`);
}
