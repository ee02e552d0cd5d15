// What is stored of a company, once for every engine: the tables, derived from the definitions of the resources.
//
// A row holds its wire object as text (`doc`), written at import and never looked into by an engine, plus only the
// columns that keys, filters, balances and a later import need. Days are whole days since 1970-01-01, instants UTC
// milliseconds, amounts minutes.
import { FACT_KINDS, type FactKind, RESOURCES, type Rows } from "../resources/registry.ts";
import { type ColumnType, columnName, columnTypes } from "../resources/resource.ts";

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
export const DIGESTED_KINDS = [
  "assignments",
  "requests",
  "adjustments",
  "work_hours",
] as const satisfies readonly FactKind[];
export type DigestedKind = (typeof DIGESTED_KINDS)[number];

export function isDigested(kind: FactKind): kind is DigestedKind {
  return (DIGESTED_KINDS as readonly FactKind[]).includes(kind);
}

export { columnName, FACT_KINDS, type FactKind, type Rows };
