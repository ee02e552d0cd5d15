// Every kind of row, once. What else is known of kinds follows from their definitions: a new kind is a file beside this one and a line
// here.
import { adjustments, openings, reported, workHours } from "./adjustments.ts";
import { assignments } from "./assignments.ts";
import { departments } from "./departments.ts";
import { holidays } from "./holidays.ts";
import { policies } from "./policies.ts";
import { policyChanges } from "./policy-changes.ts";
import { requests } from "./requests.ts";
import type { Field, ImportRow, ListResource, Resolved, Resource, Row } from "./resource.ts";
import { schedules } from "./schedules.ts";
import { workers } from "./workers.ts";
import { workplaces } from "./workplaces.ts";

/** The definitions, named as the files of an import are. Parents come before what belongs to them. */
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

/** Every kind, in the order in which rows are loaded. They are removed in the reverse of it. */
export const KINDS = Object.keys(RESOURCES) as readonly Kind[]; // the keys are the kinds

type RowTypes = { [K in Kind]: Row<Resources[K]> };
type ImportRowTypes = { [K in Kind]: ImportRow<Resources[K]["fields"]> };

/** The rows of each kind, as they are stored. An interface: of a kind that is not known, the checker knows what all have. */
export interface Rows extends RowTypes {}

/** What a row of each kind of file says, before its references are looked up. */
export interface ImportRows extends ImportRowTypes {}

/** The same with its own id, the ids that its references name, and instants in place of local times. */
export type ResolvedRows = { [K in Kind]: Resolved<Resources[K]["fields"]> };

/** The kinds whose rows can be named by a legacy id. */
export type NamedKind = { [K in Kind]: "legacyId" extends keyof Rows[K] ? K : never }[Kind];

export function isNamedKind(kind: Kind): kind is NamedKind {
  return "legacyId" in RESOURCES[kind].fields;
}

// Lists ----------------------------------------------------------------------------------------------------------------

/** The kinds that are on the wire, and so in the change feed. */
export type ListKind = { [K in Kind]: Resources[K] extends ListResource ? K : never }[Kind];

export function isListKind(kind: Kind): kind is ListKind {
  return "api" in RESOURCES[kind];
}

export const LIST_KINDS = KINDS.filter(isListKind);

/** Their definitions: the store pages through these lists. */
export const LISTS = Object.fromEntries(LIST_KINDS.map((kind) => [kind, RESOURCES[kind]])) as {
  readonly [K in ListKind]: Resources[K];
}; // one entry per kind

/** What single objects can be retrieved of. */
export type RetrievedIdKind = {
  [K in ListKind]: Resources[K]["api"] extends { readonly isRetrieved: true }
    ? Resources[K]["idKind"]
    : never;
}[ListKind];

// What belongs to what ---------------------------------------------------------------------------------------------------

type BelongsTo<K extends Kind> = Resources[K]["belongsTo"];

/** The kinds that rows of other kinds belong to. */
export type ParentKind = { [K in Kind]: BelongsTo<K>[keyof BelongsTo<K>] }[Kind];

/** A column that names a row of another kind. */
export interface ParentColumn {
  readonly kind: Kind;
  /** The property of a row. */
  readonly column: string;
  /** The field whose column it is: a file has an id or a legacy id there. */
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

/** Whether rows of the kind belong to others of the same kind. */
export function isTree(kind: Kind): boolean {
  return PARENT_COLUMNS.some((column) => column.kind === kind && column.parent === kind);
}

const PARENTS: ReadonlySet<Kind> = new Set(PARENT_COLUMNS.map(({ parent }) => parent));

export const PARENT_KINDS = KINDS.filter(isParent);

export function isParent(kind: Kind): kind is ParentKind {
  return PARENTS.has(kind);
}

/** The kinds of what a worker has: most rows of a company. Imports remember the records that these were made from. */
export type OwnedKind = {
  [K in Kind]: BelongsTo<K> extends { readonly workerId: "workers" } ? K : never;
}[Kind];

export function isOwned(kind: Kind): kind is OwnedKind {
  return "workerId" in RESOURCES[kind].belongsTo;
}

/** The definitions, as far as they name columns: the type checker refuses one that names another. */
const COLUMNS: {
  readonly [K in Kind]: {
    readonly belongsTo: { readonly [C in keyof Rows[K] & string]?: Kind };
    readonly balanceColumns: readonly (keyof Rows[K] & string)[];
  };
} = RESOURCES;

/** The properties of a row that balances are computed from; none where no balance depends on the kind. */
export function balanceColumnsOf<K extends Kind>(kind: K): readonly (keyof Rows[K] & string)[] {
  return COLUMNS[kind].balanceColumns;
}
