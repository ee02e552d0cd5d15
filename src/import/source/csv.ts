// CSV files as RFC 4180 has them, as records: a header row, and rows that have as many cells as it.
import { Readable } from "node:stream";
import { CsvError, type Info, parse } from "csv-parse";
import {
  MAX_RECORD_CHARACTERS,
  type ReadOptions,
  type RecordReader,
  type SourceRecord,
  UnreadableFile,
} from "./records.ts";
import { otherFormatOf, textOf } from "./text.ts";

/** Opens a CSV file and reads its header. Raises UnreadableFile where it has none. */
export async function openCsv(
  path: string,
  options: ReadOptions,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const text = await textAfterTitle(textOf(path, options.encoding, onBytes), options.skipLines);
  const delimiter = options.delimiter ?? text.delimiter ?? (/\.tsv(\.gz)?$/i.test(path) ? "\t" : ",");
  const batches = csvRecords(text.pieces, delimiter, text.skippedLines);
  let first: CsvRecord[] = [];
  while (first.length === 0) {
    const next = await batches.next();
    if (next.done) throw new UnreadableFile(null, "is empty: it needs a header row");
    first = next.value;
  }
  const header = first[0]!.cells.map((name) => name.trim());
  if (header.some((name) => name.includes("\r"))) {
    await batches.return();
    throw new UnreadableFile(
      1,
      "has lines that end in CR alone, as old Macintosh files do: save it with LF or CRLF line ends",
    );
  }
  const rest = first.slice(1);
  return {
    header,
    headerLine: first[0]!.line,
    isHeaderFixed: true,
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
  const filled = batch.filter(({ cells }) => header.length === 1 || cells.some((cell) => cell !== ""));
  return filled.map((record) => even(record, header, delimiter));
}

function even(record: CsvRecord, header: readonly string[], delimiter: string): SourceRecord {
  const { line, cells } = record;
  if (cells.length === header.length) return record;
  const cause =
    cells.length > header.length
      ? `put a cell that contains ${delimiter === "," ? "a comma" : `the delimiter ${JSON.stringify(delimiter)}`} in quotes`
      : "an empty cell needs its delimiter too";
  return {
    line,
    cells,
    problem: `has ${count(cells.length)}, but the header has ${header.length}: ${cause}`,
  };
}

function count(cells: number): string {
  return cells === 1 ? "1 cell" : `${cells} cells`;
}

interface TextAfterTitle {
  readonly pieces: AsyncIterable<string>;
  readonly skippedLines: number;
  /** What Excel's line `sep=;` names. */
  readonly delimiter: string | null;
}

/** The text without its first lines, and without a line `sep=;`. Raises UnreadableFile where the text is no table. */
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
  while (head.length < 7 && !isAtEnd) await read();
  const sep = /^sep=([^"\r\n])\r?(?:\n|$)/i.exec(head);
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

export interface CsvRecord extends SourceRecord {
  readonly cells: readonly string[];
}

/** Records that are handed over together. */
const BATCH_RECORDS = 1000;

/**
 * The records of a text, in batches. Lines may end in CRLF or LF; blank lines are no records. `linesBefore` come before
 * the text in its file. Raises UnreadableFile, naming the line, for quotes that RFC 4180 does not allow, and for records
 * that are too long.
 */
export async function* csvRecords(
  pieces: AsyncIterable<string>,
  delimiter: string,
  linesBefore = 0,
): AsyncGenerator<CsvRecord[], void, void> {
  const source = Readable.from(pieces);
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: MAX_RECORD_CHARACTERS,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  source.once("error", (error) => parser.destroy(error));
  source.pipe(parser);
  let batch: CsvRecord[] = [];
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      // The parser counts lines up to the record's end.
      batch.push({ line: linesBefore + info.lines - newlinesIn(record), cells: record });
      if (batch.length === BATCH_RECORDS) {
        yield batch;
        batch = [];
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error, linesBefore) : error;
  } finally {
    source.destroy();
  }
  if (batch.length > 0) yield batch;
}

function newlinesIn(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    for (let at = cell.indexOf("\n"); at !== -1; at = cell.indexOf("\n", at + 1)) count++;
  }
  return count;
}

function unreadable(error: CsvError, linesBefore: number): UnreadableFile {
  const line = typeof error.lines === "number" ? linesBefore + error.lines : null;
  switch (error.code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return new UnreadableFile(
        line,
        "a quoted cell that begins here never ends: a closing quote is missing",
      );
    case "CSV_MAX_RECORD_SIZE":
      return new UnreadableFile(line, "the record here is longer than 1 MB: a closing quote may be missing");
    default:
      return new UnreadableFile(
        line,
        'a quote stands where RFC 4180 allows none: put the whole cell in quotes and double those inside it ("5"" pipe")',
      );
  }
}
