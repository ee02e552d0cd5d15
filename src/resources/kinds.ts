// The list of all kinds of rows. Everything else follows from their definitions: a new kind is a file beside this one and a line here.
import type { z } from "zod";
import { adjustments, openings, reported, workHours } from "./adjustments.ts";
import { assignments } from "./assignments.ts";
import { departments } from "./departments.ts";
import { holidays } from "./holidays.ts";
import { policies } from "./policies.ts";
import { policyChanges } from "./policy-changes.ts";
import { requests } from "./requests.ts";
import {
  type Field,
  type Fields,
  type ImportRow,
  type ListResource,
  type Resolved,
  type Resource,
  type Row,
  wireSchema,
} from "./resource.ts";
import { schedules } from "./schedules.ts";
import { workers } from "./workers.ts";
import { workplaces } from "./workplaces.ts";

/** The definitions, named like the files of an import. Parents come before the kinds that belong to them. */
export const RESOURCES = {
  departments,
  workplaces,
  holidays,
  workers,
  policies,
  policy_changes: policyChanges,
  assignments,
  requests,
  adjustments,
  work_hours: workHours,
  openings,
  schedules,
  reported,
} as const satisfies Record<string, Resource>;

type Resources = typeof RESOURCES;
export type Kind = keyof Resources;

/** Every kind in the order of loading. Rows are removed in the reverse order. */
export const KINDS = Object.keys(RESOURCES) as readonly Kind[]; // the keys are the kinds

export function byKind<T>(make: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<Kind, T>; // one entry per kind
}

type RowTypes = { [K in Kind]: Row<Resources[K]> };
type ImportRowTypes = { [K in Kind]: ImportRow<Resources[K]["fields"]> };

/** The stored rows of each kind. An interface, so that for an unknown kind the type checker knows the common properties. */
export interface Rows extends RowTypes {}

/** A row of each kind of file, before its references are resolved. */
export interface ImportRows extends ImportRowTypes {}

/** An import row with its own id, the ids of its references, and instants instead of local times. */
export type ResolvedRows = { [K in Kind]: Resolved<Resources[K]["fields"]> };

/** Kinds whose rows may have a legacy id. */
export type NamedKind = { [K in Kind]: "legacyId" extends keyof Rows[K] ? K : never }[Kind];

export function isNamedKind(kind: Kind): kind is NamedKind {
  return "legacyId" in RESOURCES[kind].fields;
}

// Lists ----------------------------------------------------------------------------------------------------------------

/** Kinds with a list in the API, which are also in the change feed. */
export type ListKind = { [K in Kind]: Resources[K] extends ListResource ? K : never }[Kind];

export function isListKind(kind: Kind): kind is ListKind {
  return "api" in RESOURCES[kind];
}

export const LIST_KINDS = KINDS.filter(isListKind);

/** The definitions of lists that the store reads in pages. */
export const LISTS = Object.fromEntries(LIST_KINDS.map((kind) => [kind, RESOURCES[kind]])) as {
  readonly [K in ListKind]: Resources[K];
}; // one entry per kind

/** The schema of each list's objects. It is made only once, because OpenAPI gets a component for each schema. */
export const LIST_SCHEMAS = Object.fromEntries(
  LIST_KINDS.map((kind) => [kind, wireSchema<Fields>(LISTS[kind])]),
) as Readonly<Record<ListKind, z.ZodType>>; // one entry per kind

/** Kinds of ids whose objects can be retrieved. */
export type RetrievedIdKind = {
  [K in ListKind]: Resources[K]["api"] extends { readonly isRetrieved: true }
    ? Resources[K]["idKind"]
    : never;
}[ListKind];

// What belongs to what ---------------------------------------------------------------------------------------------------

type BelongsTo<K extends Kind> = Resources[K]["belongsTo"];

/** Kinds that rows of other kinds belong to. */
export type ParentKind = { [K in Kind]: BelongsTo<K>[keyof BelongsTo<K>] }[Kind];

/** A column that names a row of another kind. */
export interface ParentColumn {
  readonly kind: Kind;
  /** A property of a row. */
  readonly column: string;
  /** The column's field; in a file it holds an id or a legacy id. */
  readonly field: string;
  readonly parent: ParentKind;
}

export const PARENT_COLUMNS: readonly ParentColumn[] = KINDS.flatMap((kind) => {
  const fields = Object.entries<Field>(RESOURCES[kind].fields);
  return Object.entries(RESOURCES[kind].belongsTo).map(([column, parent]) => {
    const [field] = fields.find(([, field]) => field.column?.key === column)!; // a row's properties are columns
    return { kind, column, field, parent };
  });
});

/** Whether rows may belong to others of the same kind. */
export function isTree(kind: Kind): boolean {
  return PARENT_COLUMNS.some((column) => column.kind === kind && column.parent === kind);
}

const PARENTS: ReadonlySet<Kind> = new Set(PARENT_COLUMNS.map(({ parent }) => parent));

export const PARENT_KINDS = KINDS.filter(isParent);

export function isParent(kind: Kind): kind is ParentKind {
  return PARENTS.has(kind);
}

/** Kinds that belong to workers: most rows of a company. Imports store digests of their records. */
export type OwnedKind = {
  [K in Kind]: BelongsTo<K> extends { readonly workerId: "workers" } ? K : never;
}[Kind];

export function isOwned(kind: Kind): kind is OwnedKind {
  return "workerId" in RESOURCES[kind].belongsTo;
}

/** The definitions' column names; the type checker refuses an unknown one. */
const COLUMNS: {
  readonly [K in Kind]: {
    readonly belongsTo: { readonly [C in keyof Rows[K] & string]?: Kind };
    readonly balanceColumns: readonly (keyof Rows[K] & string)[];
  };
} = RESOURCES;

/** The properties of a row on which balances depend; empty if none do. */
export function balanceColumnsOf<K extends Kind>(kind: K): readonly (keyof Rows[K] & string)[] {
  return COLUMNS[kind].balanceColumns;
}
