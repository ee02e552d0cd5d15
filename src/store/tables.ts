// What is stored of a company, once for every engine: the tables, derived from the definitions of the resources.
//
// A row holds its wire object as text (`doc`), written at import and never looked into by an engine, plus only the
// columns that keys, filters, balances and a later import need. Days are whole days since 1970-01-01, instants UTC
// milliseconds, amounts minutes.
import { FACT_KINDS, type FactKind, RESOURCES, type Rows } from "../resources/registry.ts";
import { type ColumnType, columnName, columnTypes } from "../resources/resource.ts";

export interface Table<K extends FactKind = FactKind> {
  readonly kind: K;
  /** What tells one row from another within a company, in order. The company's id comes before it in every key. */
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

export { columnName, FACT_KINDS, type FactKind, type Rows };
