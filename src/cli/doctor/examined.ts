// What doctor needs of a store, whatever its engine. An engine's own checks have been made when one of these is there.
import type { FactKind, Rows } from "../../store/tables.ts";

export interface Examined {
  readonly companyIds: readonly string[];
  readonly keys: readonly { readonly id: string; readonly companyId: string }[];
  /** Every row of a company, parents before those that refer to them. */
  visitRows(
    companyId: string,
    visit: <K extends FactKind>(kind: K, rows: readonly Rows[K][]) => void,
  ): Promise<void>;
}
