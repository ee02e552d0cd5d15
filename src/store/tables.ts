// The tables of a company, for every engine, derived from the definitions of the resources.
//
// A row has its wire object as text (`doc`), which an import writes and no engine looks into, and only those
// columns that keys, filters, balances and later imports need. Days are whole days since 1970-01-01, instants UTC
// milliseconds, amounts minutes.
import type { Sql } from "sql-template-tag";
import { COMPANY_COLUMNS, COMPANY_TYPES } from "../resources/company.ts";
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
  /** The properties that identify a row within a company, in order. In every key, the company's id comes before them. */
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

/** Kinds with digests (`RowDigest`). An opening also depends on its assignment, so each import looks at all openings. */
export type DigestedKind = Exclude<OwnedKind, "openings">;
export const isDigested = (kind: Kind): kind is DigestedKind => isOwned(kind) && kind !== "openings";
export const DIGESTED_KINDS = KINDS.filter(isDigested);

/** The key of a row: the values of `TABLES[kind].key`. */
export type RowKey = readonly (string | number)[];

export function keyOf<K extends Kind>(kind: K, row: Rows[K]): RowKey {
  return TABLES[kind].key.map((field) => row[field] as string | number); // keys are texts and days
}

/**
 * Identifies the record that made a row (decision 41): 64 bits, as a number from -2^63 to 2^63 - 1, in SQL also as its
 * text. A row that is put without a digest has none. `export`, backups and copies have no digests.
 */
export type RowDigest = bigint | string;

export interface RowToWrite<K extends Kind = Kind> {
  readonly row: Rows[K];
  /** The number that the row carries for the change feed; not for kinds without numbers. */
  readonly seq: number | null;
  /** Null for kinds without digests. */
  readonly digest: RowDigest | null;
}

/** The columns of a kind's table that are written, in the order of `writtenValues`. */
export function writtenColumns(kind: Kind): string[] {
  const numbered = isListKind(kind) ? ["seq"] : [];
  const digested = isDigested(kind) ? ["digest"] : [];
  return ["company_id", ...TABLES[kind].columns.map(columnName), ...numbered, ...digested];
}

export function writtenValues<K extends Kind>(
  kind: K,
  companyId: string,
  { row, seq, digest }: RowToWrite<K>,
): (string | number | bigint | null)[] {
  const values: (string | number | bigint | null)[] = [companyId];
  for (const column of TABLES[kind].columns) values.push(row[column] as string | number | null); // as every column
  if (isListKind(kind)) values.push(seq);
  if (isDigested(kind)) values.push(digest);
  return values;
}

/** Some columns of a row as it was stored. */
export type NotedRow = Readonly<Record<string, string | number | null>>;

// In SQL ---------------------------------------------------------------------------------------------------------------

/** Runs a statement, on one connection or in one transaction. */
export type Execute = <R>(query: Sql) => Promise<R[]>;

/** Columns under the names of their properties: `worker_id as "workerId", …`. `row`: the row's name, with its dot. */
export function selected(properties: readonly string[], row = ""): string {
  return properties.map((property) => `${row}${columnName(property)} as "${property}"`).join(", ");
}

/** A list in parts of at most `size`, because a statement binds a limited number of values. */
export function* chunks<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

/** How an engine writes a table. */
export interface Dialect {
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Follows the columns of a table. */
  readonly tableOptions: string;
  /** The end of an index: the columns that it holds besides those that order it. */
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

/** The table with former rows of a kind. */
export function historyTable(kind: Kind): `${Kind}_history` {
  return `${kind}_history`;
}

export const HISTORY_TABLES = KINDS.map(historyTable);

/** The tables with a company's rows, besides its keys, feeds and hooks. */
export const OWNED_TABLES = [
  ...KINDS,
  "request_buckets",
  ...HISTORY_TABLES,
  "company_states",
  "closes",
  "change_marks",
  "import_records",
  "changes",
  "events",
] as const;

/** The additional columns of a row in its history (`history.ts`). */
export const HISTORY_COLUMNS = ["since", "until", "is_there"] as const;

/** The columns that the history of a kind has: those of the facts, so no digests. */
export function factColumns(kind: Kind): string[] {
  return ["company_id", ...TABLES[kind].columns.map(columnName)];
}

/** The column with the id of the worker who owns a row; null for a kind without owners. */
export function ownerColumn(kind: Kind): string | null {
  return kind === "workers" ? "id" : isOwned(kind) ? "worker_id" : null;
}

/** The statements that make the table with the history of a kind. */
export function historySql(kind: Kind, { types, tableOptions }: Dialect): string {
  const { key, types: columns } = TABLES[kind];
  const name = historyTable(kind);
  const keys = key.map(columnName);
  const owner = ownerColumn(kind);
  const lines = [
    `company_id ${types.text} not null`,
    ...[...columns].map(
      ([property, type]) =>
        `${columnName(property)} ${types[type]}${key.some((part) => part === property) ? " not null" : ""}`,
    ),
    ...HISTORY_COLUMNS.map((column) => `${column} ${types.bigint} not null`),
    `primary key (company_id, ${keys.join(", ")}, until)`,
  ];
  const index = (columns: readonly string[]) =>
    `create index ${name}_${columns[0]} on ${name} (company_id, ${columns.join(", ")});`;
  return [
    `create table ${name} (\n  ${lines.join(",\n  ")}\n)${tableOptions};`,
    index(["until"]),
    ...(owner !== null && owner !== keys[0] ? [index([owner])] : []),
    ...(hasId(kind) && keys[0] !== "id" ? [index(["id"])] : []),
  ].join("\n");
}

/** The columns of `closes` after the company's id. */
export const CLOSE_TYPES = {
  name: "text",
  firstDay: "integer",
  lastDay: "integer",
  revision: "bigint",
  atMs: "bigint",
  digest: "text",
  balances: "bigint",
  minutes: "double precision",
  erasedWorkers: "bigint",
  erasedBalances: "bigint",
  erasedRequests: "bigint",
  workersErasedMs: "bigint",
} as const satisfies Record<string, ColumnType>;

export const CLOSE_COLUMNS = Object.keys(CLOSE_TYPES).map(columnName);

export function closesSql({ types, tableOptions }: Dialect): string {
  const columns = Object.entries(CLOSE_TYPES).map(
    ([name, type]) => `${columnName(name)} ${types[type]}${name === "workersErasedMs" ? "" : " not null"}`,
  );
  return `create table closes (
    company_id ${types.text} not null,
    ${columns.join(",\n    ")},
    primary key (company_id, name)
  )${tableOptions};`;
}

/** The statement that makes the table of each company's own row at each revision (`history.ts`). */
export function statesSql({ types, tableOptions }: Dialect): string {
  const columns = COMPANY_COLUMNS.filter((column) => column !== "id").map(
    (column) => `${columnName(column)} ${types[COMPANY_TYPES[column].type]}`,
  );
  return `create table company_states (
    company_id ${types.text} not null,
    revision ${types.bigint} not null,
    known_at_ms ${types.bigint} not null,
    ${columns.join(",\n    ")},
    primary key (company_id, revision)
  )${tableOptions};`;
}

/** The statements that make the tables of companies, of their imports and of their change feed. */
export function companiesSql({ types: { text, bigint }, tableOptions }: Dialect): string {
  return `create table companies (
    id ${text} not null primary key,
    name text not null,
    version text not null,
    created_at_ms ${bigint} not null,
    time_zone text,
    colors text,
    data_as_of_ms ${bigint},
    changed_at_ms ${bigint},
    seq ${bigint} not null default 0,
    forgotten_removals text not null default '{}',
    calendar_sequence integer not null default 0,
    digest_key text,
    history text,
    retention text,
    revision ${bigint} not null default 0
  )${tableOptions};

  create table change_marks (
    company_id ${text} not null,
    seq ${bigint} not null,
    mark text not null,
    ended_at_ms ${bigint},
    primary key (company_id, seq)
  )${tableOptions};

  create table import_records (
    company_id ${text} not null,
    has_failed integer not null,
    number ${bigint} not null,
    record text not null,
    primary key (company_id, has_failed, number)
  )${tableOptions};

  create table changes (
    company_id ${text} not null,
    resource ${text} not null,
    id ${text} not null,
    seq ${bigint} not null,
    is_gone integer not null,
    primary key (company_id, resource, id)
  )${tableOptions};
  create index changes_seq on changes (company_id, is_gone, resource, seq, id);`;
}

/** The statements that make the tables of keys and feeds. Both are found by digest, so their keys cannot begin with the company. */
export function secretsSql({ types: { text, bigint }, tableOptions }: Dialect): string {
  const secrets = (table: string, own: string) => `create table ${table} (
    id ${text} not null primary key,
    company_id ${text} not null,
    name text not null,
    digest ${text} not null unique,
    ${own} text not null,
    created_at_ms ${bigint} not null,
    expires_at_ms ${bigint},
    revoked_at_ms ${bigint},
    last_used_at_ms ${bigint}
  )${tableOptions};
  create index ${table}_company on ${table} (company_id);`;
  return [secrets("keys", "scopes"), secrets("feeds", "definition")].join("\n");
}

function indexSql(kind: Kind, name: string, index: Index, covering: Dialect["covering"]): string {
  const columns = index.columns.map(columnName);
  const isUnique = columns[0] === "legacy_id";
  const order = isUnique || !hasId(kind) ? columns : [...columns, "id"];
  const filled = isRequired(kind, index.columns[0]!) ? "" : ` where ${columns[0]} is not null`;
  const held = covering(index.covers.map(columnName));
  return `create ${isUnique ? "unique " : ""}index ${name} on ${kind} (company_id, ${order.join(", ")}${held}${filled};`;
}

function hasId(kind: Kind): boolean {
  return "id" in RESOURCES[kind].fields;
}

/** Whether every row has a value in the column. */
function isRequired(kind: Kind, property: string): boolean {
  const { fields, derived, key }: Resource = RESOURCES[kind];
  if (property === "id" || property === "doc" || key.includes(property) || property in derived) return true;
  return Object.values(fields).some(
    ({ column, cell, wire }) =>
      column?.key === property && (cell?.isRequired === true || wire?.safeParse(null).success === false),
  );
}

export { columnName, KINDS, type Kind, type Rows };
