// A CSV file as records: its header row, and rows that have as many cells as it.
import { type CsvRecord, csvRecords } from "./csv.ts";
import { type RecordReader, type SourceRecord, UnreadableFile } from "./records.ts";
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
