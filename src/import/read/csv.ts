// CSV files as records: a header row, then rows with as many cells as the header.
import Papa from "papaparse";
import {
  type Doubt,
  headerBelow,
  isHeaderAgain,
  MAX_COLUMNS,
  MAX_RECORD_CHARACTERS,
  type ReadOptions,
  type RecordReader,
  requireFewColumns,
  type SourceRecord,
  UnreadableFile,
} from "./records.ts";
import { newlinesIn, otherFormatOf, textOf } from "./text.ts";

/** The default delimiter of a file. */
export const usualDelimiter = (path: string) => (/\.tsv(?:\.gz)?$/i.test(path) ? "\t" : ",");

/** Opens a CSV file and reads its header. Raises UnreadableFile if it has none. */
export async function openCsv(
  path: string,
  options: ReadOptions,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const text = await textAfterTitle(textOf(path, options, onBytes), options.skipLines);
  const delimiter = options.delimiter ?? text.delimiter ?? usualDelimiter(path);
  const doubts: Doubt[] = [];
  const batches = csvRecords(text.pieces, delimiter, text.skippedLines, () => {
    doubts.push({ code: "cut-file", part: "" });
  });
  const first: CsvRecord[] = [];
  while (first.length < options.headerRows) {
    const next = await batches.next();
    if (next.done) throw new UnreadableFile(null, "is empty: it needs a header row");
    first.push(...next.value);
  }
  const { cells } = first[0]!;
  if (cells.some((name) => /\r(?!\n)/.test(name))) {
    await batches.return();
    throw new UnreadableFile(
      1,
      "has lines that end in CR alone, as old Macintosh files do: save it with LF or CRLF line ends",
    );
  }
  const [upper, lower] = first.map((row) => row.cells.map((name) => name.trim())) as [string[], string[]]; // as many as were read
  const header = options.headerRows === 1 ? upper : headerBelow(upper, lower);
  if (header.length > MAX_COLUMNS) await batches.return();
  requireFewColumns(header.length, first[0]!.line);
  const rest = first.slice(options.headerRows);
  return {
    header,
    headerLine: first[0]!.line,
    isHeaderFixed: true,
    form: JSON.stringify([delimiter, header]),
    doubts,
    async *records() {
      if (rest.length > 0) yield withHeader(rest, header, delimiter);
      for await (const batch of batches) yield withHeader(batch, header, delimiter);
    },
    close: async () => void (await batches.return(undefined)),
  };
}

/** Leaves out empty records and repeated headers. Gives each the header, so that a record of another length can say so. */
function withHeader(
  batch: readonly CsvRecord[],
  header: readonly string[],
  delimiter: string,
): readonly SourceRecord[] {
  const records: SourceRecord[] = [];
  const [name = ""] = header;
  for (const record of batch) {
    if (!hasContent(record, header, delimiter)) continue;
    if (record.text.includes(name) && isHeaderAgain(record.cells, header)) continue;
    record.header = header;
    records.push(record);
  }
  return records;
}

function hasContent(record: CsvRecord, header: readonly string[], delimiter: string): boolean {
  if (!record.text.startsWith(delimiter) && !record.text.startsWith('"')) return true; // its first cell is not empty
  return header.length === 1 || record.cells.some((cell) => cell !== "");
}

function count(cells: number): string {
  return cells === 1 ? "1 cell" : `${cells} cells`;
}

interface TextAfterTitle {
  readonly pieces: AsyncIterable<string>;
  readonly skippedLines: number;
  /** The delimiter of Excel's line `sep=;`. */
  readonly delimiter: string | null;
}

/** More characters than a line `sep=;` has. */
const SEP_CHARACTERS = 16;

/** The text after the skipped lines and a line `sep=;`. Raises UnreadableFile if the text is no table. */
async function textAfterTitle(text: AsyncGenerator<string>, skipLines: number): Promise<TextAfterTitle> {
  let head = "";
  let skippedLines = 0;
  let isAtEnd = false;
  const read = async () => {
    const next = await text.next();
    if (next.done) isAtEnd = true;
    else head += next.value;
  };
  await read();
  const other = otherFormatOf(head.slice(0, 1000));
  if (other !== null) {
    await text.return(undefined);
    throw new UnreadableFile(null, `is ${other} by its content, but is read as CSV: ${otherAdvice(other)}`);
  }
  while (skippedLines < skipLines) {
    const end = head.indexOf("\n");
    if (end !== -1) {
      head = head.slice(end + 1);
      skippedLines++;
    } else if (isAtEnd || head.length > MAX_RECORD_CHARACTERS) {
      await text.return(undefined);
      throw new UnreadableFile(
        null,
        `has only ${skippedLines + (head === "" ? 0 : 1)} lines, but skipLines is ${skipLines}`,
      );
    } else await read();
  }
  while (head.length < SEP_CHARACTERS && !isAtEnd) await read();
  const sep = /^sep=([^"\r\n])\r*(?:\n|$)/i.exec(head.slice(0, SEP_CHARACTERS));
  if (sep !== null) {
    head = head.slice(sep[0].length);
    skippedLines++;
  }
  async function* pieces() {
    try {
      if (head !== "") yield head;
      yield* text;
    } finally {
      await text.return(undefined);
    }
  }
  return { pieces: pieces(), skippedLines, delimiter: sep?.[1] ?? null };
}

function otherAdvice(format: "HTML" | "XML" | "JSON"): string {
  return format === "JSON"
    ? "rename it to .json (one array) or .jsonl (one object a line)"
    : "a web page or report was saved in its place; export it as CSV";
}

// Records of CSV text by RFC 4180. Papa Parse splits records with quotes into cells (docs/decisions/0006-libraries.md). This code handles
// line ends, line numbers, too long records, and stray quotes.

/** A record. Its cells are only split when asked for, which is never for a record that is known by its text. */
export class CsvRecord implements SourceRecord {
  #cells: readonly string[] | null = null;
  /** The header of the table, if it has one. */
  header: readonly string[] | null = null;

  /** `text` is without its line end. */
  constructor(
    readonly line: number,
    readonly text: string,
    private readonly delimiter: string,
  ) {}

  get cells(): readonly string[] {
    this.#cells ??= cellsOf(this.text, this.delimiter);
    return this.#cells;
  }

  get problem(): string | undefined {
    const { length } = this.cells;
    const { header } = this;
    if (header === null || length === header.length) return undefined;
    const delimiter = this.delimiter;
    const cause =
      length > header.length
        ? `put a cell that contains ${delimiter === "," ? "a comma" : `the delimiter ${JSON.stringify(delimiter)}`} in quotes`
        : "an empty cell needs its delimiter too";
    return `has ${count(length)}, but the header has ${header.length}: ${cause}`;
  }
}

/** A quoted cell; with a sign before, as `="007"`, by which some programs have spreadsheets keep zeros. */
const TEXT_AS_FORMULA = /=?"(?:[^"]|"")*"/g;

function cellsOf(text: string, delimiter: string): readonly string[] {
  if (!text.includes('"')) return text.split(delimiter);
  if (text.includes('="')) text = text.replace(TEXT_AS_FORMULA, (cell) => cell.replace(/^=/, ""));
  const { data } = new Papa.Parser({ delimiter, newline: "\n" }).parse(text, 0, false) as {
    data: string[][];
  }; // as documented
  return data[0]!; // one record
}

/** How many records a batch has. */
const BATCH_RECORDS = 1000;

/**
 * The records of a text, in batches. Lines end in LF, with or without CRs before: Python on Windows may write two. Blank lines are skipped.
 * `linesBefore` is the number of lines before the text in its file. `onOpenEnd` is called if the last line has no end. Raises
 * UnreadableFile, naming the line, for quotes that RFC 4180 does not allow and for too long records.
 */
export async function* csvRecords(
  pieces: AsyncIterable<string>,
  delimiter: string,
  linesBefore: number,
  onOpenEnd: () => void = () => {},
): AsyncGenerator<CsvRecord[], void, void> {
  const reader = new CsvReader(delimiter, linesBefore + 1);
  let batch: CsvRecord[] = [];
  for await (const piece of pieces) {
    reader.read(piece, false, batch);
    if (batch.length < BATCH_RECORDS) continue;
    yield batch;
    batch = [];
  }
  if (reader.rest !== "") onOpenEnd();
  reader.read("", true, batch);
  if (batch.length > 0) yield batch;
}

interface QuotedCell {
  readonly open: number;
  readonly end: number;
}

class CsvReader {
  /** The line of the next record. */
  #line: number;
  /** The text of an incomplete record. */
  rest = "";

  constructor(
    private readonly delimiter: string,
    firstLine: number,
  ) {
    this.#line = firstLine;
  }

  /** Adds the records that this piece completes. */
  read(piece: string, isLast: boolean, records: CsvRecord[]): void {
    const text = this.rest + piece;
    const quoted = this.#quotedCells(text, isLast).reverse();
    let start = 0;
    while (start < text.length) {
      const { lineFeed, lines } = recordEnd(text, start, quoted);
      if (lineFeed === -1 && !isLast) break;
      const end = lineFeed === -1 ? text.length : lineFeed;
      let textEnd = end;
      while (textEnd > start && text[textEnd - 1] === "\r") textEnd--;
      const record = text.slice(start, textEnd);
      if (record.length > MAX_RECORD_CHARACTERS) throw tooLong(this.#line);
      if (record !== "") records.push(new CsvRecord(this.#line, record, this.delimiter));
      this.#line += lines;
      start = end + 1;
    }
    this.rest = text.slice(start);
    if (this.rest.length > MAX_RECORD_CHARACTERS) throw tooLong(this.#line);
  }

  /**
   * Where the quoted cells begin and end; one that has no closing quote yet has no end. Raises UnreadableFile for a quote inside an unquoted
   * cell, for text after a closing quote, and for a missing closing quote.
   */
  #quotedCells(text: string, isLast: boolean): QuotedCell[] {
    const quoted: QuotedCell[] = [];
    const lineOf = (at: number) => this.#line + newlinesIn(text.slice(0, at));
    for (let open = text.indexOf('"'); open !== -1; ) {
      if (!this.#mayOpen(text, open)) throw new UnreadableFile(lineOf(open), STRAY);
      const close = closingQuote(text, open);
      const end = close === -1 ? text.length : close + 1;
      if (end < text.length && !this.#mayFollow(text, end)) throw new UnreadableFile(lineOf(end), STRAY);
      if (close === -1 && isLast)
        throw end - open > MAX_RECORD_CHARACTERS
          ? tooLong(lineOf(open))
          : new UnreadableFile(lineOf(open), NEVER_ENDS);
      quoted.push({ open, end: close === -1 ? Infinity : close });
      open = text.indexOf('"', end);
    }
    return quoted;
  }

  /** Whether a cell begins here, also with a sign (see `TEXT_AS_FORMULA`). */
  #mayOpen(text: string, at: number): boolean {
    const isStart = (at: number) =>
      at === 0 || text[at - 1] === "\n" || this.#isDelimiter(text, at - this.delimiter.length);
    return isStart(at) || (text[at - 1] === "=" && isStart(at - 1));
  }

  /** Whether a quoted cell may end before this. */
  #mayFollow(text: string, at: number): boolean {
    if (text[at] === "\n" || this.#isDelimiter(text, at)) return true;
    let next = at;
    while (text[next] === "\r") next++;
    return next > at && (text[next] === "\n" || next === text.length);
  }

  #isDelimiter(text: string, at: number): boolean {
    return at >= 0 && text.startsWith(this.delimiter, at);
  }
}

/** The line feed that ends the record at `start`, -1 if none does; and how many lines it has. `quoted`: the cells to come, the next one last. */
function recordEnd(text: string, start: number, quoted: QuotedCell[]) {
  let lineFeed = text.indexOf("\n", start);
  let lines = 1;
  while (lineFeed !== -1 && (quoted.at(-1)?.open ?? Infinity) < lineFeed) {
    const { end } = quoted.pop()!; // a line end between quotes belongs to the cell
    for (; lineFeed !== -1 && lineFeed < end; lineFeed = text.indexOf("\n", lineFeed + 1)) lines++;
  }
  return { lineFeed, lines };
}

/** The quote that closes a cell; two quotes in it are one of its characters. -1 if none does. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close;
}

const NEVER_ENDS = "a quoted cell that begins here never ends: a closing quote is missing";
const STRAY =
  'a quote stands where RFC 4180 allows none: put the whole cell in quotes and double those inside it ("5"" pipe")';

function tooLong(line: number): UnreadableFile {
  return new UnreadableFile(line, "the record here is longer than 1 MB: a closing quote may be missing");
}
