// Writes CSV files (RFC 4180). A file has a temporary name until it is published, so none looks complete after a failure.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { stringify } from "csv-stringify/sync";

const BATCH_ROWS = 500;

type Cell = string | number | boolean | null;

export class CsvFile {
  #descriptor: number | null = null;
  #pending: Cell[][];
  #rows = 0;

  /** Opens the file at the first write. Only the owner may read it. */
  constructor(
    private readonly path: string,
    private readonly columns: readonly string[],
  ) {
    this.#pending = [[...columns]];
  }

  get #temporary(): string {
    return `${this.path}.partial`;
  }

  /** Rows written so far, without the header. */
  get rows(): number {
    return this.#rows;
  }

  /** Writes a row; missing fields are empty cells. Raises the kernel's errors. */
  write(row: Readonly<Record<string, Cell>>): void {
    this.#pending.push(this.columns.map((column) => row[column] ?? null));
    this.#rows++;
    if (this.#pending.length >= BATCH_ROWS) this.#flush();
  }

  /** Writes the rest to the disk. The file keeps its temporary name. */
  close(): void {
    this.#flush();
    fsyncSync(this.#descriptor!); // the flush opened it, because there is a header
    this.#release();
  }

  /** Gives the closed file its name, replacing an older file. */
  publish(): void {
    renameSync(this.#temporary, this.path);
  }

  /** Removes the file, unless it was published. */
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

/** Rows as lines of CSV. Any line break in a cell needs quotes. */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], {
    record_delimiter: "\r\n",
    quoted_match: /[\r\n]/,
    cast: { boolean: String },
  }); // it does not change the rows
}
