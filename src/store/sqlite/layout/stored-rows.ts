// Rows of one company as an import finds them. Of a row that may have changed it asks several things, one after the other: what the
// row is, its digest, and what is to be replaced of it. All of that is read at once.
import type { SQLQueryBindings } from "bun:sqlite";
import type { NotedRow } from "../../feed-notes.ts";
import type { RowDigest, RowKey } from "../../store.ts";
import { columnName, type FactKind, isDigested, type Rows, TABLES } from "../../tables.ts";
import type { Statements } from "../database.ts";
import { idOf, type Numbers } from "./numbers.ts";
import { hasNumber, hasPlace, keyCondition, keyedTable, statusAt, toRow, writtenColumns } from "./rows.ts";

/** A digest has more bits than a number of JavaScript: it is read in two halves. */
export const HALVES = "digest >> 32, digest & 4294967295";

export interface FoundRow<K extends FactKind = FactKind> {
  readonly row: Rows[K];
  /** What is stored of `writtenColumns`. The digest there is not exact. */
  readonly values: readonly SQLQueryBindings[];
  readonly digest: RowDigest | null;
}

export class StoredRows {
  readonly #statements: Statements;
  readonly #company: number;
  readonly #numbers: Numbers;
  /** By kind, what was found of the last batch. Only of kinds with digests: of those, most batches are small. */
  readonly #recent = new Map<FactKind, Map<string, FoundRow | null>>();

  constructor(statements: Statements, company: number, numbers: Numbers) {
    this.#statements = statements;
    this.#company = company;
    this.#numbers = numbers;
  }

  /** What is stored under each key, or null, in the order of `keys`. */
  batch<K extends FactKind>(kind: K, keys: readonly RowKey[]): (FoundRow<K> | null)[] {
    if (!isDigested(kind)) return keys.map((key) => this.#read(kind, key));
    const recent = new Map<string, FoundRow | null>();
    this.#recent.set(kind, recent);
    return keys.map((key) => {
      const found = this.#read(kind, key);
      recent.set(textOf(key), found);
      return found;
    });
  }

  one<K extends FactKind>(kind: K, key: RowKey): FoundRow<K> | null {
    const recent = this.#recent.get(kind)?.get(textOf(key));
    return recent === undefined ? this.#read(kind, key) : (recent as FoundRow<K> | null); // by its kind
  }

  /** Before rows are written. Without a key: any. */
  forget(kind?: FactKind, key?: RowKey): void {
    if (kind === undefined || key === undefined) this.#recent.clear();
    else this.#recent.get(kind)?.delete(textOf(key));
  }

  #read<K extends FactKind>(kind: K, key: RowKey): FoundRow<K> | null {
    const { text, places, numbers, halves } = layoutOf(kind);
    const [values] = this.#statements.prepare(text).values(this.#company, ...key) as SQLQueryBindings[][]; // the selection
    if (values === undefined) return null;
    const row: Record<string, unknown> = {};
    for (const [column, place, isStatus] of places)
      row[column] = isStatus ? statusAt(values[place] as number) : values[place]; // a place
    // Whoever writes the row needs them.
    for (const [id, number] of numbers)
      this.#numbers.remember(values[id] as string, values[number] as number); // by their columns
    const digest = halves === null ? null : digestOf(values.slice(halves));
    return { row: toRow(kind, row as unknown as Rows[K]), values, digest }; // its columns
  }
}

/** What the change feed notes of a row that is there. */
export function notedOf(kind: FactKind, { row, values }: FoundRow): NotedRow {
  const seq = layoutOf(kind).seq;
  return seq === null ? (row as unknown as NotedRow) : ({ ...row, seq: values[seq] } as unknown as NotedRow); // columns are such values
}

/** The digest of a row that begins with the digest's halves; null if it has none. */
export function digestOf([high, low]: readonly unknown[]): RowDigest | null {
  if (high === null) return null;
  return (BigInt(high as number) << 32n) | BigInt(low as number); // as the engine gives them
}

function textOf(key: RowKey): string {
  return key.length === 1 ? String(key[0]) : key.join("\0");
}

interface Layout {
  readonly text: string;
  /** Of each column of a row, its place in what is selected, and whether that is the place of a status. */
  readonly places: readonly (readonly [column: string, place: number, isStatus: boolean])[];
  /** The places of ids and of their numbers. */
  readonly numbers: readonly (readonly [id: number, number: number])[];
  /** The place of the number of the import that changed the row; null where the kind has none. */
  readonly seq: number | null;
  /** The place of the halves of the digest. */
  readonly halves: number | null;
}

const LAYOUTS = new Map<FactKind, Layout>();

function layoutOf(kind: FactKind): Layout {
  let layout = LAYOUTS.get(kind);
  if (layout === undefined) {
    const written = writtenColumns(kind);
    const selected = [...written];
    const places = TABLES[kind].columns.map((column) => {
      const name = columnName(column);
      const place = hasNumber(kind, column) ? selected.push(idOf(name)) - 1 : written.indexOf(name);
      return [column, place, hasPlace(kind, column)] as const;
    });
    const numbers = places.flatMap(([column, place]) =>
      hasNumber(kind, column) ? [[place, written.indexOf(columnName(column))] as const] : [],
    );
    const halves = isDigested(kind) ? selected.push(HALVES) - 1 : null;
    const text = `select ${selected.join(", ")} from ${keyedTable(kind)} where ${keyCondition(kind)}`;
    const seq = written.includes("seq") ? written.indexOf("seq") : null;
    layout = { text, places, numbers, seq, halves };
    LAYOUTS.set(kind, layout);
  }
  return layout;
}
