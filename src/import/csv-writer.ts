// CSV as RFC 4180 has it, to a file that only its owner may read.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { FileCells } from "./facts/kind.ts";

const FLUSH_CHARACTERS = 1 << 18;
const NEEDS_QUOTES = /[",\r\n]/;

/** Writes rows by field; what a row lacks is an empty cell. Raises the system's errors. */
export class CsvWriter {
  readonly #file: number;
  readonly #fields: readonly string[];
  #pending: string;

  constructor(path: string, fields: readonly string[]) {
    this.#file = openSync(path, "wx", 0o600);
    this.#fields = fields;
    this.#pending = `${fields.join(",")}\r\n`;
  }

  write(row: FileCells): void {
    this.#pending += `${this.#fields.map((field) => cellText(row[field] ?? null)).join(",")}\r\n`;
    if (this.#pending.length >= FLUSH_CHARACTERS) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pending, "utf8");
    this.#pending = "";
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  /** Writes the rest, down to the disk. */
  close(): void {
    try {
      this.#flush();
      fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }
}

/** A cell's text; never in exponent notation, since amounts are between a millionth and a thousand million. */
function cellText(cell: string | number | boolean | null): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
