// CSV files as records: a header row, and rows that have as many cells as it.
import { type CsvRecord, csvRecords } from "./csv-records.ts";
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
  const text = await textAfterTitle(textOf(path, options, onBytes), options.skipLines);
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
  return batch.flatMap((record) =>
    hasContent(record, header, delimiter) ? [new TableRecord(record, header, delimiter)] : [],
  );
}

function hasContent(record: CsvRecord, header: readonly string[], delimiter: string): boolean {
  const first = record.text[0];
  if (first !== delimiter && first !== '"') return true; // its first cell has something
  return header.length === 1 || record.cells.some((cell) => cell !== "");
}

/** A record of a table with a header. What it has is looked at when somebody asks for it: see CsvRecord. */
class TableRecord implements SourceRecord {
  readonly #record: CsvRecord;
  readonly #header: readonly string[];
  readonly #delimiter: string;

  constructor(record: CsvRecord, header: readonly string[], delimiter: string) {
    this.#record = record;
    this.#header = header;
    this.#delimiter = delimiter;
  }

  get line(): number {
    return this.#record.line;
  }

  get text(): string {
    return this.#record.text;
  }

  get cells(): readonly string[] {
    return this.#record.cells;
  }

  get problem(): string | undefined {
    const [header, delimiter] = [this.#header, this.#delimiter];
    const { length } = this.cells;
    if (length === header.length) return undefined;
    const cause =
      length > header.length
        ? `put a cell that contains ${delimiter === "," ? "a comma" : `the delimiter ${JSON.stringify(delimiter)}`} in quotes`
        : "an empty cell needs its delimiter too";
    return `has ${count(length)}, but the header has ${header.length}: ${cause}`;
  }
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
