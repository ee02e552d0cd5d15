// Quarantine: the bad rows that an import leaves out so that it can load the others, each with its mistakes.
import sql, { join, raw } from "sql-template-tag";
import { replaceFile } from "../replace-file.ts";
import { isNamedKind, KINDS, type Kind, PARENT_KINDS, RESOURCES } from "../resources/kinds.ts";
import { cellOf } from "../resources/registry.ts";
import type { Resource } from "../resources/resource.ts";
import type { ImportSession, RowKey } from "../store/store.ts";
import type { FileRow } from "./convert/columns.ts";
import { ImportRefused, problemText, type RowErrors, type RowProblem } from "./row-errors.ts";
import { mintedId } from "./staging.ts";

/** How many rows may be put aside unless the operator says otherwise. */
export const DEFAULT_QUARANTINE_LIMIT = 50;

export interface QuarantinedRow {
  readonly file: string;
  readonly line: number;
  readonly kind: Kind;
  readonly findings: readonly string[];
  readonly row: Readonly<Record<string, unknown>>;
}

export class Quarantine {
  #rows: QuarantinedRow[] = [];
  /** How many rows there are, by kind, including those beyond the limit. */
  readonly #counts = new Map<Kind, number>();

  constructor(readonly limit: number) {}

  /** The rows, by kind, file and line. */
  get rows(): readonly QuarantinedRow[] {
    const files = [...new Set(this.#rows.map(({ file }) => file))];
    return this.#rows.toSorted(
      (a, b) =>
        KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
        files.indexOf(a.file) - files.indexOf(b.file) ||
        a.line - b.line,
    );
  }

  get #count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  forget(kind: Kind): void {
    this.#counts.delete(kind);
    this.#rows = this.#rows.filter((row) => row.kind !== kind);
  }

  /** `record`: as its file has it, as JSON. */
  add(
    kind: Kind,
    { file, line }: { readonly file: string; readonly line: number },
    record: string,
    problems: readonly RowProblem[],
  ): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (this.#count > this.limit) return;
    const findings = problems.map(problemText);
    this.#rows.push({ file, line, kind, findings, row: JSON.parse(record) as QuarantinedRow["row"] }); // an object
  }

  /** Raises ImportRefused for too many rows, or for bad records of queries: a query that sums records would give wrong sums. */
  refuse(bad: RowErrors, tableRecords: number): void {
    const reasons: string[] = [];
    if (tableRecords > 0)
      reasons.push(
        `${tableRecords === 1 ? "1 record" : `${tableRecords} records`} that queries read cannot go to quarantine, as what they make of the others may be wrong: mend ${tableRecords === 1 ? "it" : "them"}, or leave such records out with "skip" under tables`,
      );
    if (this.#count > this.limit)
      reasons.push(
        `${this.#count} rows would go to quarantine, but at most ${this.limit} may: mend them, or raise --quarantine-limit`,
      );
    if (reasons.length > 0) throw new ImportRefused([...bad.mistakes(), ...reasons]);
  }
}

/** Writes the rows as JSON lines, down to the disk, in place of what was there. Only the owner may read the file. */
export function writeQuarantine(path: string, rows: readonly QuarantinedRow[]): void {
  replaceFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

/** The keys of stored rows that a bad row may stand for; null if it does not say. `names`: its id and its legacy id. */
export async function presentKeys(
  kind: Kind,
  row: FileRow | null,
  names: readonly string[],
  session: ImportSession,
): Promise<RowKey[] | null> {
  if (!isNamedKind(kind) || (kind === "adjustments" && names.length === 0))
    return row === null ? null : keysByReference(kind, row, session);
  if (names.length === 0) return null;
  return (await storedIds(kind, names, session)).map((id) => [id]);
}

/** The ids of the stored rows that have one of these names as id or legacy id. */
async function storedIds(kind: Kind, names: readonly string[], session: ImportSession): Promise<string[]> {
  const rows = await session.run<{ id: string }>(sql`
    select id
    from ${raw(kind)}
    where company_id = ${session.companyId}
      and (id in (${join(names)}) or legacy_id in (${join(names)}))`);
  return rows.map(({ id }) => id);
}

/** What tells an adjustment without a name from others: see `mintedId`. */
const UNNAMED_ADJUSTMENT = ["workerId", "policyId", "day"];

/** The keys of the stored rows that a row without a name may stand for: those with the same parents and day. */
async function keysByReference(kind: Kind, row: FileRow, session: ImportSession): Promise<RowKey[] | null> {
  const { belongsTo, fields, key: ownKey }: Resource = RESOURCES[kind];
  const key: (string | number)[] = [];
  for (const property of kind === "adjustments" ? UNNAMED_ADJUSTMENT : ownKey) {
    const name = Object.keys(fields).find((field) => fields[field]!.column?.key === property)!; // a key has fields
    const value = valueIn(kind, name, row);
    if (value === null) return null;
    const parent = PARENT_KINDS.find((kind) => kind === belongsTo[property]);
    const [part] = parent === undefined ? [value] : await storedIds(parent, [String(value)], session);
    if (part === undefined) return [];
    key.push(part);
  }
  return kind === "adjustments" ? [[mintedId(session.companyId, kind, ...key.map(String))]] : [key];
}

/** The value of a field of a row; null if it has none. */
function valueIn(kind: Kind, field: string, row: FileRow): string | number | null {
  const value = cellOf(kind, field)?.read(row[field]);
  return typeof value === "string" || typeof value === "number" ? value : null;
}
