// What tells whether two stores hold the same: a digest of every row in key order, the same on every engine.
import { type FactKind, type Rows, TABLES } from "../tables.ts";

/** The row's columns in the order of `TABLES`, as one text. */
export function rowText<K extends FactKind>(kind: K, row: Rows[K]): string {
  return JSON.stringify(TABLES[kind].columns.map((column) => row[column]));
}

/** SHA-256 over rows that are given kind by kind, in key order. */
export class FactsDigest {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  #kind: FactKind | null = null;

  add<K extends FactKind>(kind: K, rows: readonly Rows[K][]): void {
    if (rows.length === 0) return;
    let text = kind === this.#kind ? "" : `${kind}\n`;
    this.#kind = kind;
    for (const row of rows) text += `${rowText(kind, row)}\n`;
    this.#hasher.update(text);
  }

  /** In hexadecimal. */
  hex(): string {
    return this.#hasher.digest("hex");
  }
}
