// What every file format gives: records with the line they start on, whatever the file is made of.

/** A cell as a format gives it: text from CSV, any JSON value from JSON lines; null where there is nothing. */
export type Cell = unknown;

export interface SourceRecord {
  /** The file's line on which the record starts, counted from 1. */
  readonly line: number;
  /** The cells in the order of the header; shorter than the header where a JSON object lacks the last columns. */
  readonly cells: readonly Cell[];
  /** Why the record as a whole is bad, where it is. */
  readonly problem?: string;
}

/** Records in file order, in batches as they are read. `header` may grow from one batch to the next. */
export interface RecordReader {
  readonly header: readonly string[];
  /** Of a fixed header: that every record has all of its columns. */
  readonly isHeaderFixed: boolean;
  records(): AsyncIterable<readonly SourceRecord[]>;
  close(): Promise<void>;
}

/** The longest record or line, in characters. */
export const MAX_RECORD_CHARACTERS = 1_048_576;

/** A file that cannot be read any further; the message says what to do. `line` is null where it concerns the whole file. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";

  constructor(
    readonly line: number | null,
    message: string,
  ) {
    super(message);
  }
}
