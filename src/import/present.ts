// Which stored rows a refused row stands for, so that pruning leaves them as they are.
import { cellOf, type FactKind } from "../resources/registry.ts";
import type { ImportTransaction, NamedKind, RowKey } from "../store/store.ts";
import type { Row } from "./mapping/columns.ts";
import { mintedId } from "./resolve/identity.ts";

/**
 * The keys of the stored rows that a refused row may be, none where nothing stored can be it; null where the row does not
 * say. `names`: its id and legacy id, as far as it has them.
 */
export async function presentKeys(
  kind: FactKind,
  row: Row | null,
  names: readonly string[],
  transaction: ImportTransaction,
  companyId: string,
): Promise<RowKey[] | null> {
  if (kind === "assignments" || kind === "work_hours" || (kind === "adjustments" && names.length === 0))
    return row === null ? null : keysByReference(kind, row, transaction, companyId);
  if (names.length === 0) return null;
  const matches = await transaction.match(kind satisfies NamedKind, names);
  return matches.flatMap(({ byId, byLegacyId }, at) => [
    ...(byId ? [[names[at]!]] : []),
    ...(byLegacyId === null ? [] : [[byLegacyId]]),
  ]);
}

async function keysByReference(
  kind: "assignments" | "work_hours" | "adjustments",
  row: Row,
  transaction: ImportTransaction,
  companyId: string,
): Promise<RowKey[] | null> {
  const worker = await storedId("workers", row.workerId, transaction);
  if (worker === undefined) return null;
  const date = cellOf(kind, "date")?.read(row.date);
  if (kind !== "assignments" && typeof date !== "number") return null;
  if (kind === "work_hours") return worker === null ? [] : [[worker, date as number]]; // as checked
  const policy = await storedId("policies", row.policyId, transaction);
  if (policy === undefined) return null;
  if (worker === null || policy === null) return [];
  if (kind === "assignments") return [[worker, policy]];
  return [[mintedId(companyId, "adjustments", worker, policy, String(date))]];
}

/** The id of the stored row that a cell names; null where there is none, undefined where the cell names nothing. */
async function storedId(
  kind: "workers" | "policies",
  cell: unknown,
  transaction: ImportTransaction,
): Promise<string | null | undefined> {
  const name = typeof cell === "number" ? String(cell) : typeof cell === "string" ? cell.trim() : "";
  if (name === "") return undefined;
  const [match] = await transaction.match(kind, [name]);
  return match!.byId ? name : match!.byLegacyId;
}
