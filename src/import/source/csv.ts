// CSV as RFC 4180 has it, from pieces of text to records, through csv-parse.
import { Readable } from "node:stream";
import { CsvError, type Info, parse } from "csv-parse";
import { MAX_RECORD_CHARACTERS, type SourceRecord, UnreadableFile } from "./records.ts";

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
