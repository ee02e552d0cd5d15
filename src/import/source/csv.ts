// CSV files as RFC 4180 has them, as records: a header row, and rows that have as many cells as it.
import { Readable } from "node:stream";
import { CsvError, type Info, parse } from "csv-parse";
import { MAX_RECORD_CHARACTERS, type RecordReader, type SourceRecord, UnreadableFile } from "./records.ts";
import { textOf } from "./text.ts";

export interface TextOptions {
  /** A label of the Encoding Standard; null: UTF-8. */
  readonly encoding: string | null;
  readonly delimiter: string;
}

/** Opens a CSV file and reads its header. Raises UnreadableFile where it has none. */
export async function openCsv(
  path: string,
  options: TextOptions,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const batches = csvRecords(textOf(path, options.encoding, onBytes), options.delimiter);
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
    isHeaderFixed: true,
    async *records() {
      if (rest.length > 0) yield rest.map((record) => even(record, header, options.delimiter));
      for await (const batch of batches) yield batch.map((record) => even(record, header, options.delimiter));
    },
    close: async () => void (await batches.return(undefined)),
  };
}

/** The record itself where it is as long as the header; else one that says how long it is. */
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

export interface CsvRecord extends SourceRecord {
  readonly cells: readonly string[];
}

/** Records that are handed over together. */
const BATCH_RECORDS = 1000;

/**
 * The records of a text, in batches. Lines may end in CRLF or LF; blank lines are no records. Raises UnreadableFile,
 * naming the line, for quotes that RFC 4180 does not allow, and for records that are too long.
 */
export async function* csvRecords(
  pieces: AsyncIterable<string>,
  delimiter: string,
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
      batch.push({ line: info.lines - newlinesIn(record), cells: record });
      if (batch.length === BATCH_RECORDS) {
        yield batch;
        batch = [];
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error) : error;
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

function unreadable(error: CsvError): UnreadableFile {
  const line = typeof error.lines === "number" ? error.lines : null;
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
