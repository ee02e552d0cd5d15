// Every kind of row, once. What else is known of kinds follows from their definitions: a new kind is a file beside this one and a line
// here.
import { adjustments, workHours } from "./adjustments.ts";
import { assignments } from "./assignments.ts";
import { policies } from "./policies.ts";
import { requests } from "./requests.ts";
import type { Fact, ListResource, Resolved, Resource, Row } from "./resource.ts";
import { workers } from "./workers.ts";

/** The definitions, named as the files of an import are. Parents come before what belongs to them. */
export const RESOURCES = {
  workers,
  policies,
  assignments,
  requests,
  adjustments,
  work_hours: workHours,
} as const satisfies Record<string, Resource>;

type Resources = typeof RESOURCES;
export type FactKind = keyof Resources;

/** Every kind, in the order in which rows are loaded. They are removed in the reverse of it. */
export const FACT_KINDS = Object.keys(RESOURCES) as readonly FactKind[]; // the keys are the kinds

type RowTypes = { [K in FactKind]: Row<Resources[K]> };
type FactTypes = { [K in FactKind]: Fact<Resources[K]["fields"]> };

/** The rows of each kind, as they are stored. An interface: of a kind that is not known, the checker knows what all have. */
export interface Rows extends RowTypes {}

/** What a row of each kind of file says, before its references are looked up. */
export interface Facts extends FactTypes {}

/** The same with its own id, the ids that its references name, and instants in place of local times. */
export type ResolvedFacts = { [K in FactKind]: Resolved<Resources[K]["fields"]> };

/** The kinds whose rows can be named by a legacy id. */
export type NamedKind = { [K in FactKind]: "legacyId" extends keyof Rows[K] ? K : never }[FactKind];

export function isNamedKind(kind: FactKind): kind is NamedKind {
  return "legacyId" in RESOURCES[kind].fields;
}

// Lists ----------------------------------------------------------------------------------------------------------------

/** The kinds that are on the wire, and so in the change feed. */
export type ListKind = { [K in FactKind]: Resources[K] extends ListResource ? K : never }[FactKind];

export function isListKind(kind: FactKind): kind is ListKind {
  return "api" in RESOURCES[kind];
}

export const LIST_KINDS = FACT_KINDS.filter(isListKind);

/** Their definitions: the store pages through these lists. */
export const LISTS = Object.fromEntries(LIST_KINDS.map((kind) => [kind, RESOURCES[kind]])) as {
  readonly [K in ListKind]: Resources[K];
}; // one entry per kind

// What belongs to what ---------------------------------------------------------------------------------------------------

type BelongsTo<K extends FactKind> = Resources[K]["belongsTo"];

/** The kinds that rows of other kinds belong to. */
export type ParentKind = { [K in FactKind]: BelongsTo<K>[keyof BelongsTo<K>] }[FactKind];

/** A column that names a row of another kind. */
export interface ParentColumn {
  readonly kind: FactKind;
  /** The property of a row. */
  readonly column: string;
  readonly parent: ParentKind;
}

export const PARENT_COLUMNS: readonly ParentColumn[] = FACT_KINDS.flatMap((kind) =>
  Object.entries(RESOURCES[kind].belongsTo).map(([column, parent]) => ({ kind, column, parent })),
);

export const PARENT_KINDS = FACT_KINDS.filter(isParent);

export function isParent(kind: FactKind): kind is ParentKind {
  return PARENT_COLUMNS.some(({ parent }) => parent === kind);
}

/** The kinds of what a worker has: most rows of a company. Imports remember the records that these were made from. */
export type WorkersKind = {
  [K in FactKind]: BelongsTo<K> extends { readonly workerId: "workers" } ? K : never;
}[FactKind];

export function isWorkersKind(kind: FactKind): kind is WorkersKind {
  return "workerId" in RESOURCES[kind].belongsTo;
}

for (const { kind, parent } of PARENT_COLUMNS)
  if (FACT_KINDS.indexOf(parent) >= FACT_KINDS.indexOf(kind))
    throw new Error(`RESOURCES has ${kind} before ${parent}, which they belong to`);

/** The definitions, as far as they name columns: the type checker refuses one that names another. */
const COLUMNS: {
  readonly [K in FactKind]: {
    readonly belongsTo: { readonly [C in keyof Rows[K] & string]?: FactKind };
    readonly balanceColumns: readonly (keyof Rows[K] & string)[];
  };
} = RESOURCES;

/** The properties of a row that balances are computed from; none where no balance depends on the kind. */
export function balanceColumnsOf<K extends FactKind>(kind: K): readonly (keyof Rows[K] & string)[] {
  return COLUMNS[kind].balanceColumns;
}
