// Writes CSV files (RFC 4180). A file has a temporary name until it is published, so none looks complete after a failure.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import Papa from "papaparse";

const BATCH_ROWS = 500;

export type CsvCell = string | number | boolean | null;

export class CsvFile {
  #descriptor: number | null = null;
  #pending: CsvCell[][];
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
  write(row: Readonly<Record<string, CsvCell>>): void {
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

/** Text that a spreadsheet would run as a formula. A plain number is safe. */
const FORMULA = /^(?![+-]?\d+(?:\.\d+)?$)[=+\-@\t\r＝＋－＠]/;

/** Rows as lines of CSV; empty without rows. */
export function csvText(
  rows: readonly (readonly CsvCell[])[],
  { newline = "\r\n", guarded = false }: { readonly newline?: string; readonly guarded?: boolean } = {},
): string {
  if (rows.length === 0) return "";
  return Papa.unparse([...rows], { newline, escapeFormulae: guarded && FORMULA }) + newline;
}
