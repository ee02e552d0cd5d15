// CSV files as RFC 4180 has them, written through a buffer. A file has a temporary name until it is published, so that
// a run that fails leaves no file that looks complete.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { stringify } from "csv-stringify/sync";

const BATCH_ROWS = 500;

type Cell = string | number | boolean | null;

/** A row of a file with these columns: one cell for each, null for an empty one. */
export type CsvRow<Columns extends readonly string[]> = Record<Columns[number], Cell>;

export class CsvFile<const Columns extends readonly string[]> {
  readonly #path: string;
  readonly #columns: Columns;
  #descriptor: number | null = null;
  #pending: Cell[][];
  #rows = 0;

  /** Touches the disk only when there is something to write. Only the owner may read the file. */
  constructor(path: string, columns: Columns) {
    this.#path = path;
    this.#columns = columns;
    this.#pending = [[...columns]];
  }

  get #temporary(): string {
    return `${this.#path}.partial`;
  }

  /** Rows written so far, the header not counted. */
  get rows(): number {
    return this.#rows;
  }

  /** A field that the row lacks is an empty cell. Raises the kernel's errors. */
  write(row: Readonly<CsvRow<Columns>>): void {
    const columns: readonly Columns[number][] = this.#columns;
    this.#pending.push(columns.map((column) => row[column] ?? null));
    this.#rows++;
    if (this.#pending.length >= BATCH_ROWS) this.#flush();
  }

  /** Writes what is left, down to the disk. The file keeps its temporary name. */
  close(): void {
    this.#flush();
    fsyncSync(this.#descriptor!); // the flush opened it: there is at least a header
    this.#release();
  }

  /** Gives the closed file its name, replacing a file that has it. */
  publish(): void {
    renameSync(this.#temporary, this.#path);
  }

  /** Leaves nothing of a file that was not published. */
  discard(): void {
    this.#release();
    rmSync(this.#temporary, { force: true });
  }

  #release(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #flush(): void {
    if (this.#descriptor === null) {
      rmSync(this.#temporary, { force: true });
      this.#descriptor = openSync(this.#temporary, "wx", 0o600);
    }
    const bytes = Buffer.from(csvText(this.#pending), "utf8");
    this.#pending = [];
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#descriptor, bytes, written);
    }
  }
}

/** Rows as lines of CSV. A line break in a cell needs quotes, whichever it is. */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], {
    record_delimiter: "\r\n",
    quoted_match: /[\r\n]/,
    cast: { boolean: String },
  }); // it changes none of the rows
}
