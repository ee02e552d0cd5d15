// The value of a workbook's cell by its format: text, a number, a boolean, or a date or time.
import { DAY_MS } from "../../time/day.ts";
import { type UnitName, unitNamed } from "../convert/units.ts";
import { SAVE_AS_CSV } from "./archive.ts";
import {
  type Cell,
  DecimalNumber,
  LocalMoment,
  UnitNumber,
  UnreadableFile,
  UnstoredFormula,
} from "./records.ts";

/**
 * How numbers are shown: as a date, a date with time, or a time, with a unit, in percent, or as digits; null for a number alone.
 * `dateOrTime` shows dates or times by the language of the program that wrote the workbook.
 */
export type CellStyle = "date" | "dateTime" | "time" | "dateOrTime" | "percent" | UnitName | Digits | null;

/** Digits among text, as `"E-"0000` shows ids and `00":"00` shows 730 as 07:30: texts, and how many zeros are between them. */
type Digits = readonly (string | number)[];

/**
 * The formats that a workbook names by id alone, by what they show; those from 27 on are of Chinese, Japanese and Korean programs (ECMA-376,
 * part 1, 18.8.30). All others show a number alone.
 */
const BUILT_IN = new Map<number, CellStyle>([
  ...styled("date", [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]),
  ...styled("time", [18, 19, 20, 21, 32, 33, 45, 46, 47]),
  ...styled("dateTime", [22]),
  ...styled("percent", [9, 10]),
  ...styled("dateOrTime", [34, 35, 55, 56]),
]);

function styled(style: CellStyle, ids: readonly number[]) {
  return ids.map((id) => [id, style] as const);
}

/** The style of a number format, by its id and its code if the workbook has one. */
export function styleOf(id: number, code: string | undefined): CellStyle {
  if (code === undefined) return BUILT_IN.get(id) ?? null;
  // Quoted text, escaped characters, colours and conditions are not part of a date; [h] counts hours.
  const bare = code
    .split(";", 1)[0]!
    .replace(/"[^"]*"|\\.|_.|\*./g, "")
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "")
    .toLowerCase();
  const hasTime = /[hs]|am\/pm|\[m+\]/.test(bare);
  const hasDate = /[yd]/.test(bare) || (/m/.test(bare) && !hasTime);
  if (bare.includes("general") || bare === "@") return unitIn(code);
  if (hasDate) return hasTime ? "dateTime" : "date";
  if (hasTime) return "time";
  return bare.includes("%") ? "percent" : (unitIn(code) ?? digitsIn(code));
}

/** Text before and between zeros, or two zeros. A point or comma between them may part thousands. */
const DIGITS = /^(?!0$)(?:"[^"]*"|\\.)*0+(?:(?:"[^".,]*"|\\[^.,\s]|-)+0+)*$/;

function digitsIn(code: string): Digits | null {
  const [format = ""] = code.split(";", 1);
  if (!DIGITS.test(format)) return null;
  const pieces = format.match(/"[^"]*"|\\.|-|0+/g) ?? [];
  return pieces.map((piece) => (piece.startsWith("0") ? piece.length : piece.replace(/^\\|"/g, "")));
}

/** A whole number as its format shows it. The first zeros take all digits for which there are no others. */
function asDigits(format: Digits, number: string): string {
  const zeros = format.reduce<number>((sum, piece) => sum + (typeof piece === "number" ? piece : 0), 0);
  const digits = number.padStart(zeros, "0");
  let [at, more] = [0, digits.length - zeros];
  const shown = format.map((piece) => {
    if (typeof piece === "string") return piece;
    const part = digits.slice(at, at + piece + more);
    [at, more] = [at + part.length, 0];
    return part;
  });
  return shown.join("");
}

/** The unit that a format writes beside the number: `0.0 "h"`, `0\ \d`. */
function unitIn(code: string): CellStyle {
  const texts = code.split(";", 1)[0]!.match(/"[^"]*"|\\./g) ?? [];
  return unitNamed(texts.map((text) => text.replace(/^\\|"/g, "")).join("")) ?? null;
}

/** Day 0 of each date system, in UTC milliseconds. The first system has a 29 February 1900 that never existed. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** Smaller numbers are counts, or 0 of an empty cell, and no dates of people. */
const FIRST_DATE = Date.UTC(1901, 0, 1);

/** Returns a function from a stored cell to its value; null if empty. `isStale`: stored values of formulas do not count. */
export function cellReader(
  texts: SharedTexts,
  styles: readonly CellStyle[],
  { is1904, isStale }: { readonly is1904: boolean; readonly isStale: boolean },
) {
  return (
    type: string,
    style: string | undefined,
    value: string,
    inline: string | null,
    isFormula: boolean,
  ): Cell => {
    if (type === "inlineStr") return unescaped(inline ?? "") || null;
    if (isFormula && (isStale || (value === "" && type !== "str"))) return new UnstoredFormula();
    if (value === "") return null;
    const format = style === undefined ? null : (styles[Number(style)] ?? null);
    switch (type) {
      case "s":
        return texts.get(Number(value)) || null;
      case "b":
        return value === "1" || value === "true";
      case "str":
      case "e":
        return unescaped(value);
      case "d":
        return isoMoment(value, format);
      default:
        return formatted(value, format, is1904);
    }
  };
}

/** A stored number as its format shows it. */
function formatted(value: string, format: CellStyle, is1904: boolean): Cell {
  if (format === "date" || format === "dateTime" || format === "time")
    return moment(Number(value), format, is1904);
  if (format === "dateOrTime") return moment(Number(value), Number(value) < 1 ? "time" : "date", is1904); // no leave is of 1899
  const number = numberOf(value);
  if (format === null || !Number.isFinite(Number(value))) return number;
  if (format === "percent") return `${Number((Number(value) * 100).toPrecision(15))}%`;
  if (typeof format === "object")
    return typeof number === "string" && /^-?\d+$/.test(number)
      ? number.replace(/\d+/, (digits) => asDigits(format, digits))
      : number;
  return new UnitNumber(Number(number), format);
}

/** A number as people see it: 0.1, even if the workbook stores 0.10000000000000001. A whole number becomes its digits. */
function numberOf(value: string): Cell {
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  // Spreadsheets keep 15 digits: an id that had more is refused.
  if (Number.isInteger(number) && Math.abs(number) >= 1e15) return number.toExponential().toUpperCase();
  if (Number.isInteger(number)) return String(number);
  const text = String(Number(number.toPrecision(15)));
  return text.includes("e") ? value : new DecimalNumber(Number(text));
}

function moment(serial: number, format: "date" | "dateTime" | "time", is1904: boolean): Cell {
  if (!Number.isFinite(serial)) return null;
  if (format === "time") return timeText(msOf(serial));
  const localMs = localMsOfSerial(serial, is1904);
  return localMs === null ? String(serial) : localMoment(localMs, format);
}

function localMoment(localMs: number, format: CellStyle): LocalMoment {
  const isTimed = localMs % DAY_MS !== 0;
  return new LocalMoment(localMs, format === "dateTime" || isTimed, format === "date" && isTimed);
}

/** A date or time that is stored as ISO 8601. One with an offset, such as `Z`, stays a text: it is an instant. */
function isoMoment(value: string, format: CellStyle): Cell {
  const [, day, time = "T00:00"] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/.exec(value) ?? [];
  const localMs = msOf(Date.parse(`${day}${time}Z`) / DAY_MS);
  if (Number.isNaN(localMs)) return value;
  if (format === "time") return timeText(localMs - EPOCH_1900);
  return localMoment(localMs, format);
}

/** Workbooks store fractions of a day and show seconds at most. */
const msOf = (serial: number) => Math.round(serial * 86_400) * 1000;

/** The local time of a stored number, in milliseconds as if it were UTC; null if no date can be written for it. */
export function localMsOfSerial(serial: number, is1904 = false): number | null {
  // Before March 1900 that system is a day off.
  const before = !is1904 && serial > 0 && serial < 60 ? DAY_MS : 0;
  const ms = msOf(serial);
  // Databases end a day at 23:59:59.997: its seconds are not rounded up to the next day.
  const over = ms % DAY_MS === 0 && ms - serial * DAY_MS > 1 ? 1000 : 0;
  const localMs = (is1904 ? EPOCH_1904 : EPOCH_1900) + ms - over + before;
  return localMs < FIRST_DATE || localMs > Date.UTC(9999, 11, 31) ? null : localMs;
}

/** `7:30:00`, or `37:30:00` for a duration. */
function timeText(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  const two = (part: number) => String(Math.floor(part)).padStart(2, "0");
  return `${ms < 0 ? "-" : ""}${Math.floor(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** The memory limit of shared texts. Reading them takes the same again, so an import stays below 300 MB. */
const MAX_SHARED_BYTES = 48 * 1024 * 1024;
/** The memory of a text besides its characters. */
const TEXT_BYTES = 96;
/** A text with such a character takes two bytes for each character. */
const WIDE = /[\u0100-\uffff]/;

/** The texts that cells of a workbook share, by number. */
export class SharedTexts {
  readonly #texts: string[] = [];
  /** The numbers of texts of which a part is struck through. */
  readonly #struck = new Set<number>();
  #bytes = 0;

  add(stored: string, isStruck = false): void {
    if (isStruck) this.#struck.add(this.#texts.length);
    this.#bytes += stored.length * (WIDE.test(stored) ? 2 : 1) + TEXT_BYTES;
    if (this.#bytes > MAX_SHARED_BYTES)
      throw new UnreadableFile(
        null,
        `is a workbook whose texts take more than 48 MB of memory: ${SAVE_AS_CSV}`,
      );
    this.#texts.push(unescaped(stored));
  }

  isStruck(number: number): boolean {
    return this.#struck.has(number);
  }

  get(number: number): string | null {
    return this.#texts[number] ?? null;
  }
}

/** XML writes characters that it cannot hold as `_x000D_`. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
