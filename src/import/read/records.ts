// What every file format gives: records with the line they start on, whatever the file is made of.

/** A cell as a format gives it: text from CSV, any JSON value from JSON, text and SheetValues from a workbook; null: nothing. */
export type Cell = unknown;

/** What a workbook marks as something else than text. A field that wants text takes its text. */
export abstract class SheetValue {
  abstract toString(): string;
}

/** A number with decimals. No mapping's `decimal` may take its point for one between thousands: 1.125 is not 1125. */
export class DecimalNumber extends SheetValue {
  constructor(readonly value: number) {
    super();
  }

  toString(): string {
    return String(this.value);
  }
}

/** The text of a number in a query's result that one cell of its tables has as a number, and another as text. */
export class UncertainNumber extends SheetValue {
  constructor(readonly text: string) {
    super();
  }

  toString(): string {
    return this.text;
  }
}

/** A date or time of a workbook's cell, which is local: a day alone, or with a time of day. */
export class LocalMoment extends SheetValue {
  constructor(
    /** As if the clock were in UTC. */
    readonly localMs: number,
    readonly hasTime: boolean,
  ) {
    super();
  }

  /** `2026-03-01`, or `2026-03-01 09:00:00`. */
  toString(): string {
    const text = new Date(this.localMs).toISOString();
    return this.hasTime ? text.slice(0, 19).replace("T", " ") : text.slice(0, 10);
  }
}

/** A formula of a workbook whose value was never computed: a program wrote it, and no spreadsheet has saved it since. */
export class UnstoredFormula extends SheetValue {
  static readonly problem =
    "is a formula without a stored value: open the workbook in a spreadsheet program, and save it";

  toString(): string {
    return "";
  }
}

/** Text that was written as a formula, so that spreadsheets keep its zeros: `="007"` is `007`. */
export function plainCell(cell: Cell): Cell {
  return typeof cell === "string" && cell.startsWith('="') && cell.endsWith('"') && cell.length > 2
    ? cell.slice(2, -1).replaceAll('""', '"')
    : cell;
}

/** How many cells have something in them. */
export function widthOf(cells: readonly Cell[]): number {
  return cells.filter((cell) => cell !== null && String(cell).trim() !== "").length;
}

export interface SourceRecord {
  /** The file's line on which the record starts, counted from 1. */
  readonly line: number;
  /** Of a JSON array whose elements are on one line: which of them it is, counted from 1. */
  readonly item?: number | undefined;
  /** The file that the record came from, where that is not the one that is read: see `_file` of queries. */
  readonly file?: string;
  /** The cells in the order of the header; shorter than the header where a JSON object lacks the last columns. */
  readonly cells: readonly Cell[];
  /** What the cells were read from, where nothing else decides them but the reader's `form`. */
  readonly text?: string;
  /** Why the record as a whole is bad, where it is. */
  readonly problem?: string | undefined;
}

/** What is probably wrong with a file, although it can be read: a finding of the import. */
export interface Doubt {
  readonly code: "merged-cells" | "unread-sheet" | "swapped-dates" | "left-out-event" | "yearly-rule";
  /** Which part of the file it is about; "" for all of it. */
  readonly part: string;
  /** How often; once where it is not said. */
  readonly count?: number;
}

/** Records in file order, in batches as they are read. `header` may grow from one batch to the next. */
export interface RecordReader {
  readonly header: readonly string[];
  /** The line of the header, for messages. */
  readonly headerLine: number;
  /** Of a fixed header: that every record has all of its columns. */
  readonly isHeaderFixed: boolean;
  /** How cells come out of the texts of records; records without texts have none. */
  readonly form?: string;
  records(): AsyncIterable<readonly SourceRecord[]>;
  /** Once all records were read: what is probably wrong with the file. */
  readonly doubts?: readonly Doubt[];
  /** Whether records may have a column that none had so far, since each had nothing where its path begins. */
  mayHave?(path: string): boolean;
  close(): Promise<void>;
}

/** How the records of a file are found in it; what a format has no use for is refused. */
export interface ReadOptions {
  /** A label of the Encoding Standard; null: UTF-8. */
  readonly encoding: string | null;
  /** null: what the name or the file itself says, else a comma. */
  readonly delimiter: string | null;
  /** Lines (of a workbook: rows) before the header. */
  readonly skipLines: number;
  /** Of a workbook; null: the first sheet. */
  readonly sheet: string | null;
  /** The path to the array of a JSON document; null: the document is the array. */
  readonly at: string | null;
  /** The real path of the folder that the file was found in, which it must not lead out of; null: it was named itself. */
  readonly within: string | null;
  /** Of a workbook: the sheets of it that are read, in small letters; "" for the first. */
  readonly readSheets?: ReadonlySet<string>;
  /** The day around which the recurring events of a calendar are expanded. */
  readonly today?: number;
}

export const DEFAULT_OPTIONS: ReadOptions = {
  encoding: null,
  delimiter: null,
  skipLines: 0,
  sheet: null,
  at: null,
  within: null,
};

/** The longest record or line, in characters. */
export const MAX_RECORD_CHARACTERS = 1_048_576;

/** As many columns as a table of a query can have: SQLite's limit, less the two that every table has. */
export const MAX_COLUMNS = 1998;

/** Raises UnreadableFile for a header that is no export's: work grows with its columns. */
export function requireFewColumns(columns: number, line: number): void {
  if (columns > MAX_COLUMNS)
    throw new UnreadableFile(
      line,
      `has ${columns} columns, and at most ${MAX_COLUMNS} are read: leave out those that are not needed, or say with "skipLines" where the header is`,
    );
}

/** What is compressed further than this, and is large, was made to fill a machine: exports reach 50. */
const MAX_EXPANSION = 200;
const MAX_EXPANDED_BYTES = 64 * 1024 * 1024;

export function isBomb(compressedBytes: number, bytes: number): boolean {
  return bytes > MAX_EXPANDED_BYTES && bytes > compressedBytes * MAX_EXPANSION;
}

/** The same in words. */
export const BOMB = `unpacks to more than ${MAX_EXPANSION} times its size and more than 64 MB`;

/** A file that cannot be read any further; the message says what to do. `line` is null where it concerns the whole file. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";

  constructor(
    readonly line: number | null,
    message: string,
    /** Of a JSON document, the paths of arrays that it has. */
    readonly arrays: readonly string[] = [],
    /** Of a JSON document without arrays there, the paths of what it has instead. */
    readonly objects: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The text of one JSON value and the line it starts on. */
export interface TextPiece {
  readonly line: number;
  /** Which element of the array it is, where another one begins on the same line. */
  readonly item?: number | undefined;
  readonly text: string;
}
