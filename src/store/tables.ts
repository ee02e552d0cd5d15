// What is stored of a company, once for every engine: the tables, derived from the definitions of the resources.
//
// A row holds its wire object as text (`doc`), written at import and never looked into by an engine, plus only the
// columns that keys, filters, balances and a later import need. Days are whole days since 1970-01-01, instants UTC
// milliseconds, amounts minutes.
import type { Sql } from "sql-template-tag";
import {
  isListKind,
  isOwned,
  KINDS,
  type Kind,
  type OwnedKind,
  RESOURCES,
  type Rows,
} from "../resources/kinds.ts";
import {
  type ColumnType,
  columnName,
  columnTypes,
  type Index,
  type Resource,
} from "../resources/resource.ts";

export interface Table<K extends Kind = Kind> {
  readonly kind: K;
  /** What identifies a row within a company, in order. The company's id comes before it in every key. */
  readonly key: readonly (keyof Rows[K] & string)[];
  readonly columns: readonly (keyof Rows[K] & string)[];
  readonly types: ReadonlyMap<string, ColumnType>;
}

/** Every table, parents before those that refer to them. */
export const TABLES = Object.fromEntries(
  KINDS.map((kind) => {
    const types = columnTypes(RESOURCES[kind]);
    return [kind, { kind, key: RESOURCES[kind].key, columns: [...types.keys()], types }];
  }),
) as unknown as { readonly [K in Kind]: Table<K> }; // columns are the properties of a row, by its definition

/** The kinds whose rows keep a digest of the record that they were made from: see `RowDigests`. */
export type DigestedKind = OwnedKind;
export const isDigested: (kind: Kind) => kind is DigestedKind = isOwned;
export const DIGESTED_KINDS = KINDS.filter(isDigested);

/** The key of a row: the values of `TABLES[kind].key`. */
export type RowKey = readonly (string | number)[];

export function keyOf<K extends Kind>(kind: K, row: Rows[K]): RowKey {
  return TABLES[kind].key.map((field) => row[field] as string | number); // keys are texts and days
}

/** What is known of a row as it was stored: some of its columns. */
export type NotedRow = Readonly<Record<string, string | number | null>>;

// In SQL ---------------------------------------------------------------------------------------------------------------

/** Runs a statement, on one connection or in one transaction. */
export type Execute = <R>(query: Sql) => Promise<R[]>;

/** How an engine writes a table. */
export interface Dialect {
  readonly types: Readonly<Record<ColumnType, string>>;
  /** What follows the columns of a table. */
  readonly tableOptions: string;
  /** The end of an index: the columns that it holds beside those that it is ordered by. */
  readonly covering: (columns: readonly string[]) => string;
}

/** The statements that make the table of a kind and its indexes. Wire objects come last, so that the others are read without them. */
export function tableSql(kind: Kind, { types, tableOptions, covering }: Dialect): string {
  const { key, types: columns } = TABLES[kind];
  const { indexes }: Resource = RESOURCES[kind];
  const columnLine = (name: string, type: ColumnType) =>
    `${columnName(name)} ${types[type]}${isRequired(kind, name) ? " not null" : ""}`;
  const [docs, others] = [
    [...columns].filter(([name]) => name === "doc"),
    [...columns].filter(([name]) => name !== "doc"),
  ];
  const lines = [
    `company_id ${types.text} not null`,
    ...others.map(([name, type]) => columnLine(name, type)),
    ...(isListKind(kind) ? [`seq ${types.bigint}`] : []),
    ...(isDigested(kind) ? [`digest ${types.bigint}`] : []),
    ...docs.map(([name, type]) => columnLine(name, type)),
    `primary key (company_id, ${key.map(columnName).join(", ")})`,
  ];
  const table = `create table ${kind} (\n  ${lines.join(",\n  ")}\n)${tableOptions};`;
  return [
    table,
    ...indexes.flatMap((index) => (index.name === null ? [] : [indexSql(kind, index.name, index, covering)])),
    ...(hasId(kind) && !key.some((name) => name === "id")
      ? [`create unique index ${kind}_id on ${kind} (company_id, id);`]
      : []),
    ...(isListKind(kind)
      ? [`create index ${kind}_seq on ${kind} (company_id, seq, id) where seq is not null;`]
      : []),
  ].join("\n");
}

function indexSql(kind: Kind, name: string, index: Index, covering: Dialect["covering"]): string {
  const columns = index.columns.map(columnName);
  const isUnique = columns[0] === "legacy_id";
  const order = isUnique || !hasId(kind) ? columns : [...columns, "id"];
  const filled = isRequired(kind, index.columns[0]!) ? "" : ` where ${columns[0]} is not null`;
  return `create ${isUnique ? "unique " : ""}index ${name} on ${kind} (company_id, ${order.join(", ")}${covering(index.covers.map(columnName))}${filled};`;
}

function hasId(kind: Kind): boolean {
  return "id" in RESOURCES[kind].fields;
}

/** Whether every row has a value in the column. */
function isRequired(kind: Kind, property: string): boolean {
  const { fields, derived, key }: Resource = RESOURCES[kind];
  if (property === "id" || property === "doc" || key.includes(property) || property in derived) return true;
  return Object.values(fields).some(
    ({ column, cell }) => column?.key === property && cell?.isRequired === true,
  );
}

export { columnName, KINDS, type Kind, type Rows };
