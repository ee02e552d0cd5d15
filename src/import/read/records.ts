// The common form of every file format: records with the line on which they start.

import { normalised } from "../../resources/cells.ts";
import type { UnitName } from "../convert/units.ts";

/** A cell: text from CSV, any JSON value from JSON, text or a SheetValue from a workbook; null if empty. */
export type Cell = unknown;

/** A value that a workbook marks as something else than text. A text field takes its text. */
export abstract class SheetValue {
  abstract toString(): string;
}

/** A number with decimals. A mapping's `decimal` does not apply to its point: 1.125 is never 1125. */
export class DecimalNumber extends SheetValue {
  constructor(readonly value: number) {
    super();
  }

  toString(): string {
    return String(this.value);
  }
}

/** A number whose format of a workbook says its unit: `0.0 "h"`. */
export class UnitNumber extends DecimalNumber {
  constructor(
    value: number,
    readonly unit: UnitName,
  ) {
    super(value);
  }

  override toString(): string {
    return `${this.value} ${this.unit}`;
  }
}

/** A text of a query's result. Its tables have the same text in one cell as a number, in another as text. */
export class UncertainNumber extends SheetValue {
  constructor(readonly text: string) {
    super();
  }

  toString(): string {
    return this.text;
  }
}

/** A local date or time of a workbook's cell. */
export class LocalMoment extends SheetValue {
  constructor(
    /** In milliseconds, as if it were UTC. */
    readonly localMs: number,
    readonly hasTime: boolean,
    /** Whether the cell's format shows the day alone. */
    readonly isTimeHidden = false,
  ) {
    super();
  }

  /** `2026-03-01`, or `2026-03-01 09:00:00`. */
  toString(): string {
    const text = new Date(this.localMs).toISOString();
    return this.hasTime ? text.slice(0, 19).replace("T", " ") : text.slice(0, 10);
  }
}

/** A formula whose value was never computed, or is to be computed again: a program wrote it, and no spreadsheet has saved it since. */
export class UnstoredFormula extends SheetValue {
  static readonly problem =
    "is a formula without a stored value, or whose value must be computed again: open the workbook in a spreadsheet program, and save it";

  toString(): string {
    return "";
  }
}

/** Undoes text written as a formula so that spreadsheets keep its zeros: `="007"` is `007`. */
export function plainCell(cell: Cell): Cell {
  return typeof cell === "string" && cell.startsWith('="') && cell.endsWith('"') && cell.length > 2
    ? cell.slice(2, -1).replaceAll('""', '"')
    : cell;
}

/** How many cells are not empty. */
export function widthOf(cells: readonly Cell[]): number {
  return cells.filter((cell) => cell !== null && String(cell).trim() !== "").length;
}

/** Whether a row is the header again: reports repeat it on each page, and files that were joined have one each. */
export function isHeaderAgain(cells: readonly Cell[], header: readonly string[]): boolean {
  return header.length > 1 && header.every((name, at) => String(cells[at] ?? "").trim() === name);
}

export interface SourceRecord {
  /** The file's line on which the record starts, counted from 1. */
  readonly line: number;
  /** For JSON elements on one line: the number of the element, from 1. */
  readonly item?: number | undefined;
  /** The original file, if another one is read: see `_file` of queries. */
  readonly file?: string;
  /** The cells in the order of the header; shorter if a JSON object lacks the last columns. */
  readonly cells: readonly Cell[];
  /** The text of the record. Together with the reader's `form`, it decides the cells; undefined if more is needed. */
  readonly text?: string;
  /** Why the whole record is bad, if it is. */
  readonly problem?: string | undefined;
}

/** Something probably wrong with a readable file: a finding of the import. */
export interface Doubt {
  readonly code:
    | "cut-file"
    | "merged-cells"
    | "hidden-rows"
    | "struck-rows"
    | "unread-sheet"
    | "swapped-dates"
    | "days-from-1904"
    | "early-days"
    | "left-out-event"
    | "regional-holiday"
    | "doubtful-holiday"
    | "yearly-rule"
    | "round-rows";
  /** The part of the file that it is about; "" for all of it. */
  readonly part: string;
  /** By default 1. */
  readonly count?: number;
}

/** Records in file order, in batches. `header` may grow between batches. */
export interface RecordReader {
  readonly header: readonly string[];
  /** The line of the header, for messages. */
  readonly headerLine: number;
  /** Whether the header is fixed and every record has all its columns. */
  readonly isHeaderFixed: boolean;
  /** Identifies how texts of records become cells; undefined if records have no text. */
  readonly form?: string;
  records(): AsyncIterable<readonly SourceRecord[]>;
  /** After all records: what is probably wrong with the file. */
  readonly doubts?: readonly Doubt[];
  /** Whether a column that no record had may still exist: in each record, the object that holds it was empty or missing. */
  mayHave?(path: string): boolean;
  close(): Promise<void>;
}

/** How many rows programs export at most, most of them without a word. */
const CAPS: ReadonlySet<number> = new Set([
  ...[1000, 5000, 10_000, 50_000, 65_535, 65_536, 100_000, 1_000_000, 1_048_575],
]);

/** What is probably wrong with a file of so many records, all of which were read. */
export function doubtsOf({ doubts = [] }: RecordReader, records: number): readonly Doubt[] {
  return CAPS.has(records) ? [...doubts, { code: "round-rows", part: `${records} rows` }] : doubts;
}

/** How to find records in a file. A format refuses options that it does not use. */
export interface ReadOptions {
  /** A label of the Encoding Standard; null for UTF-8. */
  readonly encoding: string | null;
  /** null: by the name or the file itself, else a comma. */
  readonly delimiter: string | null;
  /** Lines before the header; in a workbook, rows. */
  readonly skipLines: number;
  /** How many rows the header has. A row above the names of columns may name groups of them. */
  readonly headerRows: 1 | 2;
  /** The sheet of a workbook; null for the first. */
  readonly sheet: string | null;
  /** The path of the array in a JSON document; null if the document is the array. */
  readonly at: string | null;
  /** The real path of the folder where the file was found, which it must not leave; null if it was named itself. */
  readonly within: string | null;
  /** The sheets of a workbook that are read, in lower case; "" for the first. */
  readonly readSheets?: ReadonlySet<string>;
  /** Recurring events of a calendar are expanded around this day. */
  readonly today?: number;
}

export const DEFAULT_OPTIONS: ReadOptions = {
  encoding: null,
  delimiter: null,
  skipLines: 0,
  headerRows: 1,
  sheet: null,
  at: null,
  within: null,
};

/** The longest record or line, in characters. */
export const MAX_RECORD_CHARACTERS = 1_048_576;

/** Names that say nothing without the group of their column. */
const BARE_NAME = /^(?:id|no\.?|nr\.?|code|name|#)$/i;

/** The names of columns below a row of groups. A bare or repeated name gets its group before it; a missing name is the group. */
export function headerBelow(groups: readonly string[], names: readonly string[]): string[] {
  let group = "";
  return Array.from({ length: Math.max(groups.length, names.length) }, (_, at) => {
    const [upper, name] = [groups[at] ?? "", names[at] ?? ""];
    group = upper || group;
    const isOnly = name === "" || (!BARE_NAME.test(name) && names.indexOf(name) === names.lastIndexOf(name));
    return isOnly ? name || upper : `${group} ${name}`.trim();
  });
}

/** How many rows are searched for the header. */
export const MAX_TITLE_ROWS = 25;

/** The share of a list's columns that another part of the same list has at least. */
const SAME_LIST = 0.8;

/** Whether another header is probably one of the same list: it has most of the columns, in any order and spelling. */
export function isOfSameList(header: readonly string[], other: readonly string[]): boolean {
  const namesOf = (columns: readonly string[]) =>
    new Set(columns.map(normalised).filter((name) => name !== ""));
  const names = namesOf(header);
  const { size } = names.intersection(namesOf(other));
  return size > 0 && size >= names.size * SAME_LIST;
}

/** SQLite's limit for a table of a query, less the two columns that every table has. */
export const MAX_COLUMNS = 1998;

/** Raises UnreadableFile for a header that is too wide, because work grows with its columns. */
export function requireFewColumns(columns: number, line: number): void {
  if (columns > MAX_COLUMNS)
    throw new UnreadableFile(
      line,
      `has ${columns} columns, and at most ${MAX_COLUMNS} are read: leave out those that are not needed, or say with "skipLines" where the header is`,
    );
}

/** Large content with a higher compression ratio was made to exhaust a machine; exports reach 50. */
const MAX_EXPANSION = 200;
const MAX_EXPANDED_BYTES = 64 * 1024 * 1024;

export function isBomb(compressedBytes: number, bytes: number): boolean {
  return bytes > MAX_EXPANDED_BYTES && bytes > compressedBytes * MAX_EXPANSION;
}

/** The same, in words. */
export const BOMB = `unpacks to more than ${MAX_EXPANSION} times its size and more than 64 MB`;

/** A file that cannot be read further. The message says what to do; `line` is null if it is about the whole file. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";

  constructor(
    readonly line: number | null,
    message: string,
    /** The paths of arrays in a JSON document. */
    readonly arrays: readonly string[] = [],
    /** For a JSON document without arrays there: the paths of its objects. */
    readonly objects: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The text of one JSON value and the line it starts on. */
export interface TextPiece {
  readonly line: number;
  /** The number of the element, if another one begins on the same line. */
  readonly item?: number | undefined;
  readonly text: string;
}
