// Records of CSV text as RFC 4180 has them. Our own reader, because an import spends most of its time here with any other:
// a line without quotes, which most are, is cut at its delimiters in one call (docs/decisions/0030-faster-imports.md).
import { MAX_RECORD_CHARACTERS, type SourceRecord, UnreadableFile } from "./records.ts";

export interface CsvRecord extends SourceRecord {
  readonly cells: readonly string[];
}

/** Records that are handed over together. */
const BATCH_RECORDS = 1000;

const LF = 10;
const CR = 13;
const QUOTE = 34;

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
  const reader = new CsvReader(delimiter, linesBefore + 1);
  let batch: CsvRecord[] = [];
  for await (const piece of pieces) {
    reader.read(piece, false, batch);
    if (batch.length < BATCH_RECORDS) continue;
    yield batch;
    batch = [];
  }
  reader.read("", true, batch);
  if (batch.length > 0) yield batch;
}

class CsvReader {
  readonly #delimiter: string;
  /** Of the record that begins next. */
  #line: number;
  /** Text of a record that is not complete yet. */
  #rest = "";
  /** Where the record that was read last ends, with its line end. */
  #end = 0;

  constructor(delimiter: string, firstLine: number) {
    this.#delimiter = delimiter;
    this.#line = firstLine;
  }

  /** Adds the records that are complete with this piece. */
  read(piece: string, isLast: boolean, records: CsvRecord[]): void {
    const text = this.#rest === "" ? piece : this.#rest + piece;
    let at = 0;
    let quote = text.indexOf('"');
    while (at < text.length) {
      const lineEnd = text.indexOf("\n", at);
      if (lineEnd === -1 && !isLast) break;
      const end = lineEnd === -1 ? text.length : lineEnd;
      if (quote !== -1 && quote < at) quote = text.indexOf('"', at);
      const line = this.#line;
      let cells: string[] | null;
      if (quote === -1 || quote >= end) {
        cells = this.#plain(text, at, end);
        this.#end = end + 1;
        this.#line++;
      } else {
        cells = this.#quoted(text, at, isLast);
        if (cells === null) break;
      }
      if (this.#end - at > MAX_RECORD_CHARACTERS) throw tooLong(line);
      at = this.#end;
      if (cells !== null && cells.length > 0) records.push({ line, cells });
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > MAX_RECORD_CHARACTERS) throw tooLong(this.#line);
  }

  /** The cells of a line without quotes; none where it is blank. */
  #plain(text: string, from: number, end: number): string[] {
    const hasCr = end < text.length && end > from && text.charCodeAt(end - 1) === CR;
    const line = text.slice(from, hasCr ? end - 1 : end);
    return line === "" ? [] : line.split(this.#delimiter);
  }

  /** The cells of a record with quotes; null where the text ends before it is complete. */
  #quoted(text: string, from: number, isLast: boolean): string[] | null {
    const cells: string[] = [];
    const delimiter = this.#delimiter;
    let lines = 0;
    for (let at = from; ; ) {
      let cell = "";
      if (text.charCodeAt(at) === QUOTE) {
        const opened = this.#line + lines;
        for (let start = ++at; ; start = at) {
          at = text.indexOf('"', at) + 1;
          if (at === 0 || (at === text.length && !isLast)) {
            if (!isLast) return null;
            if (text.length - from > MAX_RECORD_CHARACTERS) throw tooLong(this.#line);
            throw new UnreadableFile(
              opened,
              "a quoted cell that begins here never ends: a closing quote is missing",
            );
          }
          if (text.charCodeAt(at) !== QUOTE) {
            cell += text.slice(start, at - 1);
            break;
          }
          cell += text.slice(start, at++);
        }
        for (let newline = cell.indexOf("\n"); newline !== -1; newline = cell.indexOf("\n", newline + 1))
          lines++;
      } else {
        const lineEnd = text.indexOf("\n", at);
        const cellEnd = text.indexOf(delimiter, at);
        if (lineEnd === -1 && cellEnd === -1 && !isLast) return null;
        const start = at;
        at = Math.min(lineEnd === -1 ? text.length : lineEnd, cellEnd === -1 ? text.length : cellEnd);
        if (at === lineEnd && at > start && text.charCodeAt(at - 1) === CR) at--;
        cell = text.slice(start, at);
        if (cell.includes('"')) throw this.#strayQuote(lines);
      }
      cells.push(cell);
      if (text.startsWith(delimiter, at)) {
        at += delimiter.length;
        continue;
      }
      if (text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF) at++;
      else if (at < text.length && text.charCodeAt(at) !== LF) {
        if (text.charCodeAt(at) === CR && at + 1 === text.length && !isLast) return null;
        throw this.#strayQuote(lines);
      }
      this.#end = at + 1;
      this.#line += lines + 1;
      return cells;
    }
  }

  #strayQuote(lines: number): UnreadableFile {
    return new UnreadableFile(
      this.#line + lines,
      'a quote stands where RFC 4180 allows none: put the whole cell in quotes and double those inside it ("5"" pipe")',
    );
  }
}

function tooLong(line: number): UnreadableFile {
  return new UnreadableFile(line, "the record here is longer than 1 MB: a closing quote may be missing");
}
