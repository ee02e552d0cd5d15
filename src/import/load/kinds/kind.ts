// The rules that a kind may have beyond its definition.
import type { Kind, Rows } from "../../../resources/kinds.ts";
import type { StoredPolicyTerms } from "../../../resources/policies.ts";
import { rowOf } from "../../../resources/registry.ts";
import type { EmbeddedObjects } from "../../../resources/workers.ts";
import type { LocatedRow } from "../../convert/import-rows.ts";
import type { RowProblem } from "../../row-errors.ts";
import type { LoadedRow, RowsQuery } from "../stored-rows.ts";
import type { Hints } from "./hints.ts";

/** What `build` may use. */
export interface BuildContext {
  readonly companyId: string;
  /** The import's day, in days since 1970-01-01. */
  readonly today: number;
  readonly timeZone: string | null;
  /** Whether a pull wrote the files. */
  readonly isPulled: boolean;
  /** All policies, as they are after the import. */
  readonly policies: {
    termsOf(id: string): StoredPolicyTerms | undefined;
    rowOf(row: LoadedRow<"policies">): Rows["policies"];
  };
  readonly links: {
    objectsOf(
      place: Pick<Rows["workers"], "departmentId" | "workplaceId">,
      manager: EmbeddedObjects["manager"],
    ): EmbeddedObjects;
    /** When a department or workplace was created, in milliseconds: as imported, else as stored, else now. */
    createdAt(imported: number | null, stored: { readonly doc: string } | null): number;
    /** The row. If its object is unchanged, it keeps the stored `updatedAt`. */
    dated(row: Rows["workers"], stored: Rows["workers"] | null): Rows["workers"];
  };
}

/** A finding about a row that was built. */
export interface RowNote {
  readonly code:
    | "opening-grant"
    | "opening-leaver"
    | "opening-expiry"
    | "opening-same-day"
    | "never-assigned"
    | "assumed-days";
  /** Shown after the row's place. */
  readonly example: string;
}

/** A row to store, with its findings; or why it cannot be built. */
export type Built<K extends Kind> =
  | {
      readonly row: Rows[K];
      readonly problems?: undefined;
      /** For a request: a day of `dayMinutes` that it touches only in another time zone. */
      readonly dayOfAnotherZone?: number;
      /** Whether its amount was computed, because the file has none. */
      readonly isComputed?: boolean;
      readonly notes?: readonly RowNote[];
    }
  | { readonly row?: undefined; readonly problems: readonly RowProblem[] };

export interface KindRules<K extends Kind> {
  /** The id of a row without id and legacy id, minted from its fields. */
  readonly idOf?: (companyId: string, row: LoadedRow<K>["fields"]) => string | null;
  /** How the file writes the row, for findings and `build`; null for none. */
  readonly hintsOf?: (row: LocatedRow<K>) => Hints | null;
  /** Whether building the row may fail; by default it may not. Such a row is also built before anything is written, as a check. */
  readonly mayFail?: (row: LocatedRow<K>) => boolean;
  /** Further columns that `build` needs. */
  readonly query?: (companyId: string) => Pick<RowsQuery, "select" | "joins">;
  readonly build: (row: LoadedRow<K>, context: BuildContext) => Built<K>;
}

/** The rules of a kind that has none beyond its definition. */
export function plainRules<K extends Kind>(kind: K): KindRules<K> {
  return { build: (row) => ({ row: plainRow(kind, row) }) };
}

/** Makes a row of its fields, its references, further values (`more`) and computed columns (`derived`). */
export function plainRow<K extends Kind>(
  kind: K,
  { staged, fields, references, stored }: LoadedRow<K>,
  more: object = {},
  derived: object = {},
): Rows[K] {
  const values: Record<string, unknown> = Object.assign({}, fields, references);
  const before = stored as { readonly id?: string; readonly legacyId?: string | null } | null; // of kinds that have them
  if ("id" in values) values.id = staged.id ?? before?.id ?? null;
  if ("legacyId" in values) values.legacyId ??= before?.legacyId ?? null;
  type Values = Parameters<typeof rowOf<K>>[1];
  type Derived = Parameters<typeof rowOf<K>>[2];
  return rowOf<K>(kind, Object.assign(values, more) as Values, derived as Derived); // what its definition asks for
}

export function refusedFor(...problems: readonly RowProblem[]): { readonly problems: readonly RowProblem[] } {
  return { problems };
}
