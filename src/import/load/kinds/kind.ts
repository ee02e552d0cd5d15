// What a kind may need beside what follows from its definition.
import type { Kind, Rows } from "../../../resources/kinds.ts";
import type { StoredPolicyTerms } from "../../../resources/policies.ts";
import { rowOf } from "../../../resources/registry.ts";
import type { EmbeddedObjects } from "../../../resources/workers.ts";
import type { LocatedRow } from "../../convert/import-rows.ts";
import type { RowProblem } from "../../row-errors.ts";
import type { OpeningNote } from "../opening-notes.ts";
import type { LoadedRow, RowsQuery } from "../stored-rows.ts";

/** What rows are made with. */
export interface BuildContext {
  readonly companyId: string;
  /** The company's time zone. */
  readonly timeZone: string | null;
  /** All policies, as they are once the import is done. */
  readonly policies: {
    /** Undefined where there is no such policy. */
    termsOf(id: string): StoredPolicyTerms | undefined;
    rowOf(row: LoadedRow<"policies">): Rows["policies"];
  };
  /** What workers repeat of departments and workplaces. */
  readonly links: {
    objectsOf(
      place: Pick<Rows["workers"], "departmentId" | "workplaceId">,
      manager: EmbeddedObjects["manager"],
    ): EmbeddedObjects;
    /** When a department or workplace was made, in milliseconds: as imported, else as stored, else now. */
    createdAt(imported: number | null, stored: { readonly doc: string } | null): number;
    /** An object that is as it was keeps the time of its last change. */
    dated(row: Rows["workers"], stored: Rows["workers"] | null): Rows["workers"];
  };
}

/** A row as it is stored, and what is probably wrong with it; or why there can be none. */
export type Built<K extends Kind> =
  | {
      readonly row: Rows[K];
      readonly problems?: undefined;
      /** Of a request: a written day that it touches in another time zone only. */
      readonly dayOfAnotherZone?: number;
      readonly notes?: readonly OpeningNote[];
    }
  | { readonly row?: undefined; readonly problems: readonly RowProblem[] };

export interface KindRules<K extends Kind> {
  /** The id of a row that has none and no legacy id, of its own fields. */
  readonly idOf?: (companyId: string, row: LoadedRow<K>["fields"]) => string | null;
  /** What findings and `build` need of how a file writes a row; null for nothing. */
  readonly hintsOf?: (row: LocatedRow<K>) => object | null;
  /** Which rows have to be built before anything is written, since that may show that there can be no such row. */
  readonly checked?: RowsQuery["where"];
  /** What `build` needs beside the row. */
  readonly query?: (companyId: string) => Pick<RowsQuery, "select" | "joins">;
  readonly build: (row: LoadedRow<K>, context: BuildContext) => Built<K>;
}

/** How rows of a kind are made that need nothing else. */
export function plainRules<K extends Kind>(kind: K): KindRules<K> {
  return { build: (row) => ({ row: plainRow(kind, row) }) };
}

/** A row of its fields, its references and these values. */
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
