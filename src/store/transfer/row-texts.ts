// Rows as texts, the same for equal rows on every engine, and digests over them.
import type { StoredRecord } from "../store.ts";
import { KINDS, type Kind, type Rows, TABLES } from "../tables.ts";

/** The columns of each kind, sorted by name: texts do not depend on the order in which the code lists them. */
const SORTED_COLUMNS = Object.fromEntries(
  KINDS.map((kind) => [kind, TABLES[kind].columns.toSorted()]),
) as unknown as { readonly [K in Kind]: readonly (keyof Rows[K] & string)[] }; // each kind has its own columns

/** The row as a JSON object of its columns, without those that are null. */
export function rowText<K extends Kind>(kind: K, row: Rows[K]): string {
  const values: Record<string, unknown> = {};
  for (const column of SORTED_COLUMNS[kind]) if (row[column] !== null) values[column] = row[column];
  return JSON.stringify(values);
}

/** A row of another table as JSON, in the same form. */
export function recordText(record: StoredRecord): string {
  const columns = Object.keys(record).filter((column) => record[column] !== null);
  return JSON.stringify(Object.fromEntries(columns.toSorted().map((column) => [column, record[column]])));
}

/** SHA-256 over the rows of one company. They must come kind by kind, in key order. The same on every engine. */
export class RowsDigest {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  /** How many rows were added. */
  rows = 0;

  add<K extends Kind>(kind: K, rows: readonly Rows[K][]): void {
    let lines = "";
    for (const row of rows) lines += `${kind} ${rowText(kind, row)}\n`;
    this.#hasher.update(lines);
    this.rows += rows.length;
  }

  addRecords(table: string, records: readonly StoredRecord[]): void {
    this.#hasher.update(records.map((record) => `${table} ${recordText(record)}\n`).join(""));
  }

  /** In hexadecimal. */
  hex(): string {
    return this.#hasher.digest("hex");
  }
}
