// CSV files as records: a header row, and rows that have as many cells as it.
import Papa from "papaparse";
import {
  MAX_COLUMNS,
  MAX_RECORD_CHARACTERS,
  type ReadOptions,
  type RecordReader,
  requireFewColumns,
  type SourceRecord,
  UnreadableFile,
  type Utf8Text,
} from "./records.ts";
import { otherFormatOf, utf8Of } from "./text.ts";

/** Opens a CSV file and reads its header. Raises UnreadableFile where it has none. */
export async function openCsv(
  path: string,
  options: ReadOptions,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const text = await textAfterTitle(utf8Of(path, options, onBytes), options.skipLines);
  const delimiter = options.delimiter ?? text.delimiter ?? (/\.tsv(\.gz)?$/i.test(path) ? "\t" : ",");
  const batches = csvRecords(text.pieces, delimiter, text.skippedLines);
  let first: CsvRecord[] = [];
  while (first.length === 0) {
    const next = await batches.next();
    if (next.done) throw new UnreadableFile(null, "is empty: it needs a header row");
    first = next.value;
  }
  const { cells } = first[0]!;
  if (cells.some((name) => /\r(?!\n)/.test(name))) {
    await batches.return();
    throw new UnreadableFile(
      1,
      "has lines that end in CR alone, as old Macintosh files do: save it with LF or CRLF line ends",
    );
  }
  const header = cells.map((name) => name.trim());
  if (header.length > MAX_COLUMNS) await batches.return();
  requireFewColumns(header.length, first[0]!.line);
  const rest = first.slice(1);
  return {
    header,
    headerLine: first[0]!.line,
    isHeaderFixed: true,
    form: JSON.stringify([delimiter, header]),
    async *records() {
      if (rest.length > 0) yield evened(rest, header, delimiter);
      for await (const batch of batches) yield evened(batch, header, delimiter);
    },
    close: async () => void (await batches.return(undefined)),
  };
}

/** The records that have anything in them; one that is not as long as the header says how long it is. */
function evened(
  batch: readonly CsvRecord[],
  header: readonly string[],
  delimiter: string,
): readonly SourceRecord[] {
  const code = delimiter.charCodeAt(0);
  const records: SourceRecord[] = [];
  for (const record of batch) {
    if (!hasContent(record, header, code)) continue;
    record.header = header;
    records.push(record);
  }
  return records;
}

/** `delimiter`: its code. */
function hasContent(record: CsvRecord, header: readonly string[], delimiter: number): boolean {
  const first = record.bytes[record.start]!; // no record is empty
  const isDelimiter = delimiter < NOT_ASCII ? first === delimiter : first >= NOT_ASCII;
  if (!isDelimiter && first !== QUOTE) return true; // its first cell has something
  return header.length === 1 || record.cells.some((cell) => cell !== "");
}

function count(cells: number): string {
  return cells === 1 ? "1 cell" : `${cells} cells`;
}

interface TextAfterTitle {
  readonly pieces: AsyncIterable<Buffer>;
  readonly skippedLines: number;
  /** What Excel's line `sep=;` names. */
  readonly delimiter: string | null;
}

/** Bytes that have the first thousand characters of a text. */
const BEGINNING_BYTES = 4000;
/** Bytes that have a line `sep=;`, and more. */
const SEP_BYTES = 16;

/** The text without its first lines, and without a line `sep=;`. Raises UnreadableFile where the text is no table. */
async function textAfterTitle(text: AsyncGenerator<Buffer>, skipLines: number): Promise<TextAfterTitle> {
  let head: Buffer = Buffer.alloc(0);
  let skippedLines = 0;
  let isAtEnd = false;
  const read = async () => {
    const next = await text.next();
    if (next.done) isAtEnd = true;
    else head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  };
  await read();
  const other = otherFormatOf(head.toString("utf8", 0, BEGINNING_BYTES).slice(0, 1000));
  if (other !== null) {
    await text.return(undefined);
    throw new UnreadableFile(null, `is ${other} by its content, but is read as CSV: ${otherAdvice(other)}`);
  }
  while (skippedLines < skipLines) {
    const end = head.indexOf(LF);
    if (end !== -1) {
      head = head.subarray(end + 1);
      skippedLines++;
    } else if (isAtEnd || isTooLong(head, 0, head.length)) {
      await text.return(undefined);
      throw new UnreadableFile(
        null,
        `has only ${skippedLines + (head.length === 0 ? 0 : 1)} lines, but skipLines is ${skipLines}`,
      );
    } else await read();
  }
  while (head.length < SEP_BYTES && !isAtEnd) await read();
  const sep = /^sep=([^"\r\n])\r?(?:\n|$)/i.exec(head.toString("utf8", 0, SEP_BYTES));
  if (sep !== null) {
    head = head.subarray(Buffer.byteLength(sep[0]));
    skippedLines++;
  }
  async function* pieces() {
    try {
      if (head.length > 0) yield head;
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

// Records of CSV text as RFC 4180 has them. Papa Parse finds the cells of those with quotes (docs/decisions/0006-libraries.md).
// What it does not do is here: lines that end in CRLF or LF, line numbers, records that are too long, and refusing stray quotes.

/** A record, whose text and cells are found when somebody asks for them: of one that is known by its bytes, nobody does. */
export class CsvRecord implements SourceRecord, Utf8Text {
  readonly line: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly #delimiter: string;
  #cells: readonly string[] | null = null;
  /** That of the table, if it has one. */
  header: readonly string[] | null = null;

  /** `end`: that of its text, before its line end. */
  constructor(line: number, bytes: Buffer, start: number, end: number, delimiter: string) {
    this.line = line;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.#delimiter = delimiter;
  }

  get utf8(): Utf8Text {
    return this;
  }

  get text(): string {
    return this.bytes.toString("utf8", this.start, this.end);
  }

  get cells(): readonly string[] {
    this.#cells ??= cellsOf(this.text, this.#delimiter);
    return this.#cells;
  }

  get problem(): string | undefined {
    const { length } = this.cells;
    const { header } = this;
    if (header === null || length === header.length) return undefined;
    const delimiter = this.#delimiter;
    const cause =
      length > header.length
        ? `put a cell that contains ${delimiter === "," ? "a comma" : `the delimiter ${JSON.stringify(delimiter)}`} in quotes`
        : "an empty cell needs its delimiter too";
    return `has ${count(length)}, but the header has ${header.length}: ${cause}`;
  }
}

function cellsOf(text: string, delimiter: string): readonly string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const { data } = new Papa.Parser({ delimiter, newline: "\n" }).parse(text, 0, false) as {
    data: string[][];
  }; // as documented
  return data[0]!; // one record
}

const LF = 10;
const CR = 13;
const QUOTE = 34;
/** No byte of another character is below this. */
const NOT_ASCII = 128;

/** Records that are handed over together. */
const BATCH_RECORDS = 1000;

/**
 * The records of a text in UTF-8, in batches. Lines may end in CRLF or LF; blank lines are no records. `linesBefore` come before the text in its file. Raises UnreadableFile, naming the line, for
 * quotes that RFC 4180 does not allow, and for records that are too long.
 */
export async function* csvRecords(
  pieces: AsyncIterable<Buffer>,
  delimiter: string,
  linesBefore = 0,
): AsyncGenerator<CsvRecord[], void, void> {
  const reader = new CsvReader(delimiter, linesBefore + 1);
  let batch: CsvRecord[] = [];
  for await (const piece of pieces) {
    reader.read(piece, false, batch);
    if (batch.length < BATCH_RECORDS) continue;
    yield batch;
    batch = [];
  }
  reader.read(NOTHING, true, batch);
  if (batch.length > 0) yield batch;
}

const NOTHING = Buffer.alloc(0);

class CsvReader {
  readonly #delimiter: string;
  readonly #delimiterBytes: Buffer;
  /** Of the record that begins next. */
  #line: number;
  /** The bytes of a record that is not complete yet. */
  #rest: Buffer = NOTHING;

  constructor(delimiter: string, firstLine: number) {
    this.#delimiter = delimiter;
    this.#delimiterBytes = Buffer.from(delimiter);
    this.#line = firstLine;
  }

  /** Adds the records that are complete with this piece. */
  read(piece: Buffer, isLast: boolean, records: CsvRecord[]): void {
    let next = piece;
    const rest = this.#rest;
    if (rest.length > 0) {
      // Only the record that was cut is put together, not the piece.
      const end = isLast ? -1 : recordEndIn(piece, hasOpenQuote(rest));
      next = end === -1 ? Buffer.concat([rest, piece]) : piece.subarray(end);
      if (end !== -1) this.#split(Buffer.concat([rest, piece.subarray(0, end)]), false, records);
    }
    this.#split(next, isLast, records);
  }

  #split(bytes: Buffer, isLast: boolean, records: CsvRecord[]): void {
    let quote = bytes.indexOf(QUOTE);
    if (quote !== -1) this.#refuseStrayQuotes(bytes, isLast);
    let start = 0;
    while (start < bytes.length) {
      let end = bytes.indexOf(LF, start);
      let lines = 1;
      // A line end between two quotes is inside a cell.
      while (end !== -1 && quote !== -1 && quote < end) {
        const close = bytes.indexOf(QUOTE, quote + 1);
        for (; end !== -1 && (end < close || close === -1); end = bytes.indexOf(LF, end + 1)) lines++;
        if (close !== -1) quote = bytes.indexOf(QUOTE, close + 1);
      }
      if (end === -1 && !isLast) break;
      const isCrLf = end > start && bytes[end - 1] === CR;
      if (end === -1) end = bytes.length;
      const recordEnd = isCrLf ? end - 1 : end;
      if (isTooLong(bytes, start, recordEnd)) throw tooLong(this.#line);
      if (recordEnd > start)
        records.push(new CsvRecord(this.#line, bytes, start, recordEnd, this.#delimiter));
      this.#line += lines;
      start = end + 1;
    }
    this.#rest = isLast ? NOTHING : bytes.subarray(start);
    if (isTooLong(this.#rest, 0, this.#rest.length)) throw tooLong(this.#line);
  }

  /** Raises UnreadableFile for a quote inside a cell that does not begin with one, text after a closing quote, or none. */
  #refuseStrayQuotes(bytes: Buffer, isLast: boolean): void {
    const delimiter = this.#delimiterBytes;
    const isCrLf = (at: number) =>
      bytes[at] === CR && (bytes[at + 1] === LF || (at + 1 === bytes.length && !isLast));
    const isDelimiter = (at: number) => {
      for (let byte = 0; byte < delimiter.length; byte++)
        if (bytes[at + byte] !== delimiter[byte]) return false;
      return true;
    };
    const lineOf = (at: number) => this.#line + newlinesIn(bytes.subarray(0, at));
    for (let open = bytes.indexOf(QUOTE); open !== -1; ) {
      const isAtBorder = open === 0 || bytes[open - 1] === LF || isDelimiter(open - delimiter.length);
      if (!isAtBorder) throw new UnreadableFile(lineOf(open), STRAY);
      let close = bytes.indexOf(QUOTE, open + 1);
      while (close !== -1 && bytes[close + 1] === QUOTE) close = bytes.indexOf(QUOTE, close + 2);
      const end = close === -1 ? bytes.length : close + 1;
      if (end < bytes.length) {
        if (bytes[end] !== LF && !isDelimiter(end) && !isCrLf(end))
          throw new UnreadableFile(lineOf(end), STRAY);
      } else if (isLast && close === -1) {
        if (isTooLong(bytes, open, end)) throw tooLong(lineOf(open));
        throw new UnreadableFile(lineOf(open), NEVER_ENDS);
      }
      open = bytes.indexOf(QUOTE, end);
    }
  }
}

/** Whether a record that begins with these bytes is inside a quoted cell at their end. */
function hasOpenQuote(bytes: Buffer): boolean {
  let isOpen = false;
  for (let at = bytes.indexOf(QUOTE); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) isOpen = !isOpen;
  return isOpen;
}

/** Where the next record begins, if the piece begins in a record, or inside a quoted cell of it; -1 if in no place of the piece. */
function recordEndIn(piece: Buffer, isInQuotes: boolean): number {
  let isOpen = isInQuotes;
  let quote = piece.indexOf(QUOTE);
  for (let end = piece.indexOf(LF); end !== -1; end = piece.indexOf(LF, end + 1)) {
    for (; quote !== -1 && quote < end; quote = piece.indexOf(QUOTE, quote + 1)) isOpen = !isOpen;
    if (!isOpen) return end + 1;
  }
  return -1;
}

/** Whether a part of a text has more characters than a record may have. */
function isTooLong(bytes: Buffer, start: number, end: number): boolean {
  return (
    end - start > MAX_RECORD_CHARACTERS && bytes.toString("utf8", start, end).length > MAX_RECORD_CHARACTERS
  );
}

const NEVER_ENDS = "a quoted cell that begins here never ends: a closing quote is missing";
const STRAY =
  'a quote stands where RFC 4180 allows none: put the whole cell in quotes and double those inside it ("5"" pipe")';

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}

function tooLong(line: number): UnreadableFile {
  return new UnreadableFile(line, "the record here is longer than 1 MB: a closing quote may be missing");
}
