// What is stored of a company, once for every engine: the tables, derived from the definitions of the resources.
//
// A row holds its wire object as text (`doc`), written at import and never looked into by an engine, plus only the
// columns that keys, filters, balances and a later import need. Days are whole days since 1970-01-01, instants UTC
// milliseconds, amounts minutes.
import {
  FACT_KINDS,
  type FactKind,
  isWorkersKind,
  RESOURCES,
  type Rows,
  type WorkersKind,
} from "../resources/kinds.ts";
import { type ColumnType, columnName, columnTypes, type Resource, wireNames } from "../resources/resource.ts";

export interface Table<K extends FactKind = FactKind> {
  readonly kind: K;
  /** What identifies a row within a company, in order. The company's id comes before it in every key. */
  readonly key: readonly (keyof Rows[K] & string)[];
  readonly columns: readonly (keyof Rows[K] & string)[];
  readonly types: ReadonlyMap<string, ColumnType>;
}

/** Every table, parents before those that refer to them. */
export const TABLES = Object.fromEntries(
  FACT_KINDS.map((kind) => {
    const types = columnTypes(RESOURCES[kind]);
    return [kind, { kind, key: RESOURCES[kind].key, columns: [...types.keys()], types }];
  }),
) as unknown as { readonly [K in FactKind]: Table<K> }; // columns are the properties of a row, by its definition

/** The kinds whose rows keep a digest of the record that they were made from: see `RowDigests`. */
export type DigestedKind = WorkersKind;
export const isDigested: (kind: FactKind) => kind is DigestedKind = isWorkersKind;
export const DIGESTED_KINDS = FACT_KINDS.filter(isDigested);

// Older versions: stores and backups read as what this version would have stored. A backup must be possible before
// `rollcall migrate`, and an old backup can be restored ------------------------------------------------------------------

/** The columns that each table has, by the names in SQL. */
export type StoredColumns = ReadonlyMap<string, ReadonlySet<string>>;

/** `column as "key"` for each; null for a column that the table does not have yet. */
export function selectionOf(table: string, keys: readonly string[], stored: StoredColumns): string {
  const has = stored.get(table);
  return keys
    .map((key) => `${has === undefined || has.has(columnName(key)) ? columnName(key) : "null"} as "${key}"`)
    .join(", ");
}

/** The keys of a wire object that version 3 added, and those after them. */
function addedKeys(kind: FactKind): readonly string[] {
  const { fields }: Resource = RESOURCES[kind];
  const wire = wireNames(fields);
  const first = wire.indexOf("legacyId");
  return first === -1 ? [] : wire.slice(first);
}

/** Whether rows of the kind were stored by a version that knew fewer keys of their wire objects. */
export function isOlder(kind: FactKind, stored: StoredColumns): boolean {
  const workers = stored.get("workers");
  const isCurrent =
    workers === undefined || TABLES.workers.columns.every((key) => workers.has(columnName(key)));
  return !isCurrent && addedKeys(kind).length > 0;
}

/** The row with the keys that were added to its wire object since: from their columns, which may be null. */
export function currentRow<K extends FactKind>(kind: K, row: Rows[K]): Rows[K] {
  const stored = row as Readonly<Record<string, unknown>>;
  const { fields }: Resource = RESOURCES[kind];
  const added = addedKeys(kind).map((name) => [name, stored[fields[name]!.column!.key]]);
  const doc = JSON.parse(String(stored.doc)) as object; // these kinds have one
  return { ...row, doc: JSON.stringify({ ...doc, ...Object.fromEntries(added) }) };
}

export { columnName, FACT_KINDS, type FactKind, type Rows };
