// Rows that are put aside so that the others can be loaded: what an import leaves out, each with what is wrong with it.
import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import {
  isNamedKind,
  KINDS,
  type Kind,
  PARENT_KINDS,
  type ParentKind,
  RESOURCES,
} from "../resources/kinds.ts";
import { cellOf } from "../resources/registry.ts";
import type { Resource } from "../resources/resource.ts";
import type { ImportTransaction, RowKey } from "../store/store.ts";
import type { FileRow } from "./convert/columns.ts";
import type { Located } from "./read/import-rows.ts";
import { mintedId } from "./resolve/identity.ts";
import { ImportRefused, problemText, type RowErrors, type RowProblem } from "./row-errors.ts";

/** How many rows may be put aside unless the operator says otherwise. */
export const DEFAULT_QUARANTINE_LIMIT = 50;

/** A row in quarantine, as its file has it. */
export interface QuarantinedRow {
  readonly file: string;
  readonly line: number;
  readonly kind: Kind;
  readonly findings: readonly string[];
  readonly row: Readonly<Record<string, unknown>>;
}

export class Quarantine {
  readonly limit: number;
  readonly #rows: QuarantinedRow[] = [];
  #count = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

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

  add(kind: Kind, { file, line, header, cells }: Located, problems: readonly RowProblem[]): void {
    this.#count++;
    if (this.#count > this.limit) return;
    // A record that makes several rows is put aside once: it is loaded again as a whole.
    const findings = problems.map(problemText);
    const row = Object.fromEntries(
      header.slice(0, cells.length).map((name, at) => [name, writable(cells[at])]),
    );
    this.#rows.push({ file, line, kind, findings, row });
  }

  /**
   * Raises ImportRefused, with everything that is wrong, where there are more rows than may be put aside, or bad records in tables of
   * queries: a query that adds records up would make something wrong of the others.
   */
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

function writable(cell: unknown): unknown {
  if (typeof cell !== "object" || cell === null) return cell ?? null;
  return cell.constructor === Object || Array.isArray(cell) ? cell : String(cell);
}

/** Writes the rows as JSON lines, down to the disk, in place of what was there. Only the owner may read the file. */
export function writeQuarantine(path: string, rows: readonly QuarantinedRow[]): void {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) replaceFile(path, text);
  else if (there.isFile()) replaceFile(realpathSync(path), text);
  else writeFileSync(path, text); // such as /dev/null: a file that is renamed would take its place
}

/** Writes a file, down to the disk, in place of what was there. Only the owner may read it. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.partial`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The keys of stored rows that a refused row may stand for; null if it does not say. `names`: its id and its legacy id. */
export async function presentKeys(
  kind: Kind,
  row: FileRow | null,
  names: readonly string[],
  transaction: ImportTransaction,
  companyId: string,
): Promise<RowKey[] | null> {
  if (!isNamedKind(kind) || (kind === "adjustments" && names.length === 0))
    return row === null ? null : keysByReference(kind, row, transaction, companyId);
  if (names.length === 0) return null;
  const matches = await transaction.match(kind, names);
  return matches.flatMap(({ byId, byLegacyId }, at) => [
    ...(byId ? [[names[at]!]] : []),
    ...(byLegacyId === null ? [] : [[byLegacyId]]),
  ]);
}

/** What tells an adjustment without a name from others: see `mintedId`. */
const UNNAMED_ADJUSTMENT = ["workerId", "policyId", "day"];

/** Of a row without a name of its own: the stored row of what it belongs to, on its day. */
async function keysByReference(
  kind: Kind,
  row: FileRow,
  transaction: ImportTransaction,
  companyId: string,
): Promise<RowKey[] | null> {
  const { belongsTo, fields, key: ownKey }: Resource = RESOURCES[kind];
  const key: (string | number)[] = [];
  let isStored = true;
  for (const property of kind === "adjustments" ? UNNAMED_ADJUSTMENT : ownKey) {
    const name = Object.keys(fields).find((field) => fields[field]!.column?.key === property)!; // a key has fields
    const parent = PARENT_KINDS.find((one) => one === belongsTo[property]);
    const value =
      parent === undefined
        ? cellOf(kind, name)?.read(row[name])
        : await storedId(parent, row[name], transaction);
    if (value === null) isStored = false;
    else if (typeof value === "string" || typeof value === "number") key.push(value);
    else return null;
  }
  if (!isStored) return [];
  return kind === "adjustments" ? [[mintedId(companyId, kind, ...key.map(String))]] : [key];
}

/** The id of the stored row that a cell names; null where there is none, undefined where the cell names nothing. */
async function storedId(
  kind: ParentKind,
  cell: unknown,
  transaction: ImportTransaction,
): Promise<string | null | undefined> {
  const name = typeof cell === "number" ? String(cell) : typeof cell === "string" ? cell.trim() : "";
  if (name === "") return undefined;
  const [match] = await transaction.match(kind, [name]);
  return match!.byId ? name : match!.byLegacyId;
}
