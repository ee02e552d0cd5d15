// CSV files as RFC 4180 has them, written through a buffer. A file carries a provisional name until the whole
// company is written, so that a folder never shows half of one.

import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

type Cell = string | number | boolean | null;

/** A row of the file whose columns are `Columns`: one cell for each, null for an empty one. */
export type Row<Columns extends readonly string[]> = Record<Columns[number], Cell>;

const flushAt = 1 << 18;
const needsQuotes = /[",\r\n]/;

export class CsvFile<const Columns extends readonly string[]> {
  readonly #path: string;
  readonly #columns: Columns;
  #descriptor: number | null = null;
  #pending: string;
  #rows = 0;

  /** Touches the disk only when there is something to write; the file is readable by its owner only. */
  constructor(path: string, columns: Columns) {
    this.#path = path;
    this.#columns = columns;
    this.#pending = `${columns.join(",")}\r\n`;
  }

  get #provisional(): string {
    return `${this.#path}.partial`;
  }

  /** Rows written so far, the header not counted. */
  get rows(): number {
    return this.#rows;
  }

  write(row: Row<Columns>): void {
    const columns: readonly Columns[number][] = this.#columns;
    let line = "";
    for (let column = 0; column < columns.length; column++) {
      if (column > 0) line += ",";
      const cell = row[columns[column]!];
      if (cell !== null) line += typeof cell === "string" ? quoted(cell) : cell;
    }
    this.#pending += `${line}\r\n`;
    this.#rows++;
    if (this.#pending.length >= flushAt) this.#flush();
  }

  /** Writes what is left; the file still has its provisional name. */
  close(): void {
    this.#flush();
    this.#release();
  }

  /** Gives the closed file its name, replacing a file that has it. */
  publish(): void {
    renameSync(this.#provisional, this.#path);
  }

  /** Leaves nothing of a file that was not published. */
  discard(): void {
    this.#release();
    rmSync(this.#provisional, { force: true });
  }

  #release(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pending, "utf8");
    this.#pending = "";
    if (this.#descriptor === null) {
      rmSync(this.#provisional, { force: true });
      this.#descriptor = openSync(this.#provisional, "wx", 0o600);
    }
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#descriptor, bytes, written);
    }
  }
}

function quoted(text: string): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
