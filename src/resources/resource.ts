// How a resource is defined: one plain object describes each field once. Types, columns, import files and the OpenAPI document are
// derived from it, here and in registry.ts and endpoints.ts.
import { z } from "zod";
import type { CellCodec, LocalTime, Written } from "./cells.ts";
import type { IdKind, NotFoundCode } from "./ids.ts";
import { LIMIT_MAX, type Parameter, type Parameters } from "./query.ts";

/** The types of stored columns: of texts, of days and flags, of instants in milliseconds, of amounts. */
export type ColumnType = "text" | "integer" | "bigint" | "double precision";

type Stored = string | number | null;

/** A stored column. `key` is the property of a row that has its value. */
export interface Column<Key extends string = string, Value = unknown> {
  readonly key: Key;
  readonly type: ColumnType;
  /** A function from the field's value to the column's; undefined if they are the same. */
  readonly from: Value;
}

/** One field. It lacks the parts that do not apply: a field of a balance is only in the API, so it has no `cell` and no `column`. */
export interface Field {
  readonly wire?: z.ZodType;
  readonly cell?: CellCodec;
  readonly column?: Column;
  /** Whether only balances need it. Then its value is in the row's `terms`, under the field's name. */
  readonly isTerm?: true;
  /** Whether it is a reason, and so null for callers who may not see reasons. Every field of free text must set it. */
  readonly isReason?: boolean;
  /** Whether callers who see only who is away may see it. By default they may not. */
  readonly isAway?: true;
  /** For a field that is in no file: computes its value for the API from the values of all fields. */
  readonly compute?: (values: Readonly<Record<string, unknown>>) => unknown;
}

export type Fields = Readonly<Record<string, Field>>;

/** How to find rows by values of some columns: see `store/plan.ts`. */
export interface Index {
  /** The index's name in every store; null for the table's own key. */
  readonly name: string | null;
  /** The searched columns, in the order of the index. */
  readonly columns: readonly string[];
  /** Further columns of the index. Filters on them are checked in the index, before the row is read. */
  readonly covers: readonly string[];
  /** How many rows a value has. `few`: a page collects them all. `many`: a page merges the first rows of each value. */
  readonly rows: "few" | "many";
}

/** A list parameter that compares one column. */
export interface Filter {
  readonly parameter: Parameter;
  readonly column: string;
  readonly is: "in" | "<" | ">=";
}

export function filter(column: string, parameter: Parameter, is: Filter["is"] = "in"): Filter {
  return { column, is, parameter };
}

/** The endpoints of a resource. */
export interface Api {
  readonly path: RoutePattern;
  readonly tag: "Workers" | "Time off";
  readonly scope: Scope;
  /** The word before the noun in titles. */
  readonly adjective?: string;
  /** Whether single objects can be retrieved. */
  readonly isRetrieved: boolean;
  /** A note for the list's description. */
  readonly note?: string;
  readonly filters: Readonly<Record<string, Filter>>;
}

export interface Resource {
  /** The name of its table, of its import file, and of the list. */
  readonly kind: string;
  readonly fields: Fields;
  /** The properties of a row that identify it within a company, in order. */
  readonly key: readonly string[];
  /** The prefix of minted ids of rows that are not in the API. In the API, `ID_PREFIX` has it. */
  readonly idPrefix?: string;
  /** Columns computed from several fields. Every row has a value. */
  readonly derived: Readonly<Record<string, ColumnType>>;
  /** The kind that each referring property refers to. The order of loading, removal and checks follows from it. */
  readonly belongsTo: Readonly<Record<string, string>>;
  /** The properties of a row on which balances depend; empty if none do. */
  readonly balanceColumns: readonly string[];
  readonly indexes: readonly Index[];
}

export interface WireResource {
  readonly schemaName: string;
  readonly description: string;
  readonly idKind: IdKind;
  readonly fields: Fields;
}

/** A resource whose list the store can read in pages. */
export interface ListResource extends Resource, WireResource {
  readonly api: Api;
  /** Whether everybody in the company may see all of it. If not, people with limited access see only rows of workers whom they see. */
  readonly isOfCompany: boolean;
  /** Whether its rows are also found by time (`store/time-buckets.ts`). */
  readonly hasTimeBuckets?: boolean;
}

// Endpoints -----------------------------------------------------------------------------------------------------------

/** What keys may read. */
export const SCOPES = ["workers:read", "time_off:read"] as const;
export type Scope = (typeof SCOPES)[number];

declare const isPattern: unique symbol;

/** A route's pattern, such as `/v1/workers/{id}`, for logs and metrics. Text from outside can never become one. */
export type RoutePattern = string & { readonly [isPattern]: true };

/** Marks a string literal as a pattern. Other strings are a type error: `{}` extends `Record<string, 1>`, but not `Record<"/v1", 1>`. */
export function routePattern<const T extends string>(
  literal: Record<never, never> extends Record<T, 1> ? never : T,
): RoutePattern {
  return literal as string as RoutePattern; // only this and `retrievalPattern` make patterns
}

export function retrievalPattern(list: RoutePattern): RoutePattern {
  return `${list}/{id}` as RoutePattern; // a pattern and a literal
}

export interface EndpointContract {
  readonly path: RoutePattern;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: "Company" | "Workers" | "Time off" | "Changes";
  /** Null if every key may use it. */
  readonly scope: Scope | null;
  /** Which scopes are needed, if that depends on the parameters. */
  readonly scopeNote?: string;
  /** Errors besides those of every endpoint: the name in `PROBLEM_RESPONSES` by status. */
  readonly moreProblems?: Readonly<Record<string, string>>;
  readonly parameters: Parameters;
  readonly response: z.ZodType;
}

export interface ListContract extends EndpointContract {
  readonly item: z.ZodType;
}

export interface RetrieveContract extends EndpointContract {
  readonly idKind: IdKind;
  readonly id: z.ZodType;
  readonly notFound: NotFoundCode;
}

/** The envelope of a list (docs/api.md, Lists). */
export function listOf(id: string, item: z.ZodType) {
  return z
    .strictObject({
      count: z.number().int().min(0).max(LIMIT_MAX).describe("The number of objects in `data`."),
      data: z.array(item),
      hasMore: z
        .boolean()
        .describe("Whether there are more objects after the page, in the requested direction."),
    })
    .meta({ id });
}

// Types ----------------------------------------------------------------------------------------------------------------

/** The type of an API object. */
export type Wire<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends { wire: z.ZodType } ? K : never]: F[K] extends {
    wire: infer S extends z.ZodType;
  }
    ? z.infer<S>
    : never;
};

/** The type of a row of a file, before references are resolved. */
export type ImportRow<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { cell: CellCodec } ? K : never]: F[K] extends {
    cell: CellCodec<infer V>;
  }
    ? V
    : never;
};

/** The type of that row once its id, references and local times are resolved. */
export type Resolved<F extends Fields> = {
  readonly [K in keyof ImportRow<F>]: K extends "id" ? string : Exclude<ImportRow<F>[K], LocalTime>;
};

type ColumnKey<F> = F extends { column: { key: infer K extends string } } ? K : never;

type ColumnValue<F> = F extends { column: { from: (value: never) => infer V } }
  ? V
  : F extends { cell: CellCodec<infer V> }
    ? Exclude<V, LocalTime>
    : never;

type TermKeys<F> = { [K in keyof F]: F[K] extends { isTerm: true } ? K : never }[keyof F];

type TypeOf<C> = C extends "text" ? string : number;

/** A stored row. `doc` is the API object as text; engines never look into it. */
export type Row<R extends Resource> = {
  [K in keyof R["fields"] as ColumnKey<R["fields"][K]>]: K extends "id"
    ? string
    : ColumnValue<R["fields"][K]>;
} & { [K in keyof R["derived"]]: TypeOf<R["derived"][K]> } & (R extends WireResource
    ? { doc: string }
    : unknown) &
  (TermKeys<R["fields"]> extends never ? unknown : { terms: string | null });

// Defining -------------------------------------------------------------------------------------------------------------

/** Makes a field that is only in the API. */
export function onWire<S extends z.ZodType>(schema: S, description: string, example?: unknown): { wire: S } {
  return { wire: schema.meta({ description, ...(example !== undefined && { example }) }) };
}

/** Makes a field of minutes that is only in the API. */
export function minutesOnWire(description: string, example: number) {
  return onWire(z.number(), description, example);
}

/** Makes the column of a field. `key` is the row's property with its value; `from` computes it from the field's value. */
export const column = {
  text: columnOf("text"),
  /** Days since 1970-01-01. */
  day: columnOf("integer"),
  /** UTC milliseconds. */
  instant: columnOf("bigint"),
  minutes: columnOf("double precision"),
};

function columnOf(type: ColumnType) {
  function make<const K extends string>(key: K): Column<K>;
  function make<const K extends string, V>(key: K, from: V): Column<K, V>;
  function make(key: string, from?: unknown): Column {
    return { key, type, from };
  }
  return make;
}

/** Reports a mistake in a row. The error's text is the field, its value, and `message`. */
export type Report<F> = (field: keyof F & string, message: string, otherField?: keyof F & string) => void;

// Using ----------------------------------------------------------------------------------------------------------------

/** The fields of a file, in the order of an export. */
export function fileFields(fields: Fields): [name: string, cell: CellCodec][] {
  const all = Object.entries(fields).flatMap(([name, { cell }]): [string, CellCodec][] =>
    cell === undefined ? [] : [[name, cell]],
  );
  // Identifying fields come first.
  const isId = ([name]: [string, CellCodec]) => name === "id" || name === "legacyId";
  return [...all.filter(isId), ...all.filter((field) => !isId(field))];
}

/** The keys of the API object, in the order of the definition. */
export function wireNames(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => fields[name]!.wire !== undefined);
}

/** The keys of fields that callers who see only who is away may see. */
export type AwayKey<F extends Fields> = {
  [K in keyof F & string]: F[K] extends { readonly isAway: true } ? K : never;
}[keyof F & string];

/** The part of an object that callers who see only who is away may see. */
export function awayPart<F extends Fields, T extends object>(
  fields: F,
  object: T,
): Pick<T, AwayKey<F> & keyof T> {
  const seen = Object.entries(object).filter(([name]) => fields[name]?.isAway === true);
  return Object.fromEntries(seen) as Pick<T, AwayKey<F> & keyof T>; // filtered by these keys
}

/** The schema of the API object: every key, in the order of the definition. */
export function wireSchema<F extends Fields>(resource: {
  readonly schemaName: string;
  readonly description: string;
  readonly fields: F;
}): z.ZodType<Wire<F>> {
  const { schemaName, description, fields } = resource;
  const shape = Object.fromEntries(wireNames(fields).map((name) => [name, fields[name]!.wire!])); // wireNames only returns fields with a schema
  // The shape has the same fields as `Wire`.
  return z.strictObject(shape).meta({ id: schemaName, description }) as z.ZodType<Wire<F>>;
}

/** The name of a column in SQL: `startAtMs` becomes `start_at_ms`. */
export function columnName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Every stored column with its type, except the company's id. */
export function columnTypes(resource: Resource): Map<string, ColumnType> {
  const isOnWire = "schemaName" in resource;
  const hasTerms = Object.values(resource.fields).some(({ isTerm }) => isTerm === true);
  const ofFields = Object.values(resource.fields).flatMap((field): [string, ColumnType][] =>
    field.column === undefined ? [] : [[field.column.key, field.column.type]],
  );
  return new Map([
    ...ofFields,
    ...Object.entries(resource.derived),
    ...(hasTerms ? [["terms", "text"] as const] : []),
    ...(isOnWire ? [["doc", "text"] as const] : []),
  ]);
}

export function columnValue({ from }: Column, value: unknown): Stored {
  return typeof from === "function" ? from(value) : (value as Stored); // without `from`, the value itself is stored
}

/** The stored row of a resolved row. `derived` are its computed columns. */
export function storedRow(
  resource: Resource,
  values: Readonly<Record<string, unknown>>,
  derived: Readonly<Record<string, Stored>>,
): Record<string, Stored> {
  const row: Record<string, Stored> = {};
  const object: Record<string, unknown> = {};
  const terms: Record<string, unknown> = {};
  let hasTerms = false;
  for (const [name, { wire, compute, cell, column, isTerm }] of Object.entries(resource.fields)) {
    const value = values[name];
    // An API field that is not computed is read from files, so it has a cell.
    if (wire !== undefined) object[name] = compute === undefined ? cell!.write(value) : compute(values);
    hasTerms ||= isTerm === true;
    if (isTerm && value !== null) terms[name] = value;
    if (column !== undefined) row[column.key] = columnValue(column, value);
  }
  if ("schemaName" in resource) row.doc = JSON.stringify(object);
  if (hasTerms) row.terms = Object.keys(terms).length === 0 ? null : JSON.stringify(terms);
  return Object.assign(row, derived);
}

/** The cells for a stored row, by field. Fields that are only in derived columns are left out. */
export function fileCells(
  resource: Resource,
  row: Readonly<Record<string, unknown>>,
): Record<string, Written> {
  const object = typeof row.doc === "string" ? JSON.parse(row.doc) : {};
  const terms = typeof row.terms === "string" ? JSON.parse(row.terms) : {};
  const cells: Record<string, Written> = {};
  for (const [name, cell] of fileFields(resource.fields)) {
    const { wire, column, isTerm, compute } = resource.fields[name]!;
    if (wire !== undefined && compute === undefined) cells[name] = object[name];
    else if (isTerm) cells[name] = cell.write(terms[name] ?? null);
    else if (column !== undefined) cells[name] = cell.write(row[column.key]);
  }
  return cells;
}

/** A CSV column of a list: a key of its objects, or a key of an object inside them. */
interface CsvColumn {
  readonly name: string;
  readonly of: (object: Readonly<Record<string, unknown>>) => unknown;
}

/** The CSV columns of a list. Objects inside its objects have a column for each key, such as `department.name`. */
export function csvColumns({ item }: ListContract): CsvColumn[] {
  const keys: [string, unknown][] = Object.entries((item as z.ZodObject).shape); // list items are objects
  return keys.flatMap(([key, schema]): CsvColumn[] => {
    const inner = schema instanceof z.ZodNullable ? schema.unwrap() : null;
    if (!(inner instanceof z.ZodObject)) return [{ name: key, of: (object) => object[key] }];
    return Object.keys(inner.shape).map((within) => ({
      name: `${key}.${within}`,
      of: (object) => (object[key] as Readonly<Record<string, unknown>> | null)?.[within] ?? null, // its schema says so
    }));
  });
}
