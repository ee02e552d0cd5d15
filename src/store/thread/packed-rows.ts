// Rows on their way to another thread: one text of all texts, and numbers. A copy of each object would cost four times as much.

import { RESOURCES } from "../../resources/registry.ts";
import { type ColumnType, columnTypes } from "../../resources/resource.ts";
import type { RowDigest } from "../store.ts";
import type { FactKind, Rows } from "../tables.ts";

export interface PackedRows<K extends FactKind = FactKind> {
  readonly kind: K;
  readonly count: number;
  /** The texts of all rows, one after the other. */
  readonly text: string;
  /** For each row and column: the length of its text, or its number. `NaN` is null. */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** 0 where a row has none. */
  readonly digests: BigInt64Array<ArrayBuffer>;
}

type Packed = readonly [column: string, isText: boolean];

const COLUMNS = new Map<FactKind, readonly Packed[]>();

function columnsOf(kind: FactKind): readonly Packed[] {
  const known = COLUMNS.get(kind);
  if (known !== undefined) return known;
  const isText = (type: ColumnType) => type === "text";
  const columns = [...columnTypes(RESOURCES[kind])].map(([name, type]) => [name, isText(type)] as const);
  COLUMNS.set(kind, columns);
  return columns;
}

export function packRows<K extends FactKind>(
  kind: K,
  rows: readonly Rows[K][],
  digests: readonly (RowDigest | null)[],
): PackedRows<K> {
  const columns = columnsOf(kind);
  const texts: string[] = [];
  const numbers = new Float64Array(rows.length * columns.length);
  let at = 0;
  for (const row of rows as unknown as readonly Readonly<Record<string, string | number | null>>[]) {
    // columns are these
    for (let index = 0; index < columns.length; index++) {
      const value = row[columns[index]![0]];
      if (typeof value === "string") {
        texts.push(value);
        numbers[at++] = value.length;
      } else numbers[at++] = value ?? Number.NaN;
    }
  }
  const packed = new BigInt64Array(rows.length);
  for (let index = 0; index < rows.length; index++) packed[index] = digests[index] ?? 0n;
  return { kind, count: rows.length, text: texts.join(""), numbers, digests: packed };
}

/** About how many bytes rows take while they are packed. */
export function packedBytes({ text, numbers, digests }: PackedRows): number {
  return text.length + numbers.byteLength + digests.byteLength;
}

export interface UnpackedRows<K extends FactKind> {
  readonly rows: Rows[K][];
  readonly digests: (RowDigest | null)[];
}

export function unpackRows<K extends FactKind>({
  kind,
  count,
  text,
  numbers,
  digests,
}: PackedRows<K>): UnpackedRows<K> {
  const columns = columnsOf(kind);
  const rows: Record<string, string | number | null>[] = [];
  let [at, place] = [0, 0];
  for (let index = 0; index < count; index++) {
    const row: Record<string, string | number | null> = {};
    for (let column = 0; column < columns.length; column++) {
      const [name, isText] = columns[column]!;
      const number = numbers[at++]!;
      if (Number.isNaN(number)) row[name] = null;
      else if (isText) {
        row[name] = text.slice(place, place + number);
        place += number;
      } else row[name] = number;
    }
    rows.push(row);
  }
  return {
    rows: rows as unknown as Rows[K][], // every column of the kind
    digests: Array.from(digests, (digest) => (digest === 0n ? null : digest)),
  };
}
