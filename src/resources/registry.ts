// How a row of a file is read and stored: what follows from the definitions of all kinds (kinds.ts).
import { checkAdjustment, checkOpening } from "./adjustments.ts";
import { checkAssignment } from "./assignments.ts";
import { type CellCodec, ValidationError, type Written } from "./cells.ts";
import { checkHoliday } from "./holidays.ts";
import { byKind, type ImportRows, type Kind, RESOURCES, type ResolvedRows, type Rows } from "./kinds.ts";
import { checkPolicy, storedTermCells } from "./policies.ts";
import { checkPolicyChange } from "./policy-changes.ts";
import { checkRequest } from "./requests.ts";
import { fileCells, fileFields, type Report, storedRow } from "./resource.ts";
import { checkSchedule } from "./schedules.ts";
import { checkWorker } from "./workers.ts";

type Derived<K extends Kind> = Pick<Rows[K], keyof (typeof RESOURCES)[K]["derived"] & keyof Rows[K]>;

/** Cross-field validation by kind. The other kinds need none. */
const CHECKS: {
  readonly [K in Kind]?: (importRow: ImportRows[K], report: Report<ImportRows[K]>) => void;
} = {
  holidays: checkHoliday,
  workers: checkWorker,
  policies: checkPolicy,
  policy_changes: checkPolicyChange,
  assignments: checkAssignment,
  requests: checkRequest,
  adjustments: checkAdjustment,
  openings: checkOpening,
  schedules: checkSchedule,
};

/** A mistake of a field of a row. The message follows the value. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
  /** What this value probably means. */
  readonly hint?: string;
  /** Another field whose value the message shows. */
  readonly otherField?: string | undefined;
  /** Whether the value is not in a fixed list, so that a mapping could translate it. */
  readonly isNoChoice?: boolean;
}

export type ReadImportRow<K extends Kind> =
  | { readonly importRow: ImportRows[K]; readonly problems: readonly [] }
  | { readonly importRow: null; readonly problems: readonly FieldProblem[] };

const NO_PROBLEMS = [] as const;

const FIELDS = byKind((kind) => fileFields(RESOURCES[kind].fields));

/** The fields of each kind of file, in the order of an export. */
export const FILE_FIELDS: Readonly<Record<Kind, readonly string[]>> = byKind((kind) =>
  FIELDS[kind].map(([name]) => name),
);

/** The cell of a field; undefined if the kind has no such field. */
export function cellOf(kind: Kind, field: string): CellCodec | undefined {
  return FIELDS[kind].find(([name]) => name === field)?.[1];
}

/** Reads a row of a file from the cells of all fields. Returns the import row, or everything that is wrong with it. */
export function readImportRow<K extends Kind>(
  kind: K,
  cells: Readonly<Record<string, unknown>>,
): ReadImportRow<K> {
  const values: Record<string, unknown> = {};
  let problems: FieldProblem[] | null = null;
  const fields = FIELDS[kind];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]![0];
    const value = fields[at]![1].read(cells[field]);
    if (value instanceof ValidationError) {
      problems ??= [];
      problems.push({ field, message: value.message, hint: value.hint, isNoChoice: value.isNoChoice });
    } else values[field] = value;
  }
  if (problems !== null) return { importRow: null, problems };
  const importRow = values as ImportRows[K]; // each value was read by its field's cell
  const check = CHECKS[kind];
  if (check === undefined) return { importRow, problems: NO_PROBLEMS };
  const wrong: FieldProblem[] = [];
  check(importRow, (field, message, otherField) => wrong.push({ field, message, otherField }));
  return wrong.length > 0 ? { importRow: null, problems: wrong } : { importRow, problems: NO_PROBLEMS };
}

/** Why a field cannot have this value; null if it can. */
export function problemOf(kind: Kind, field: string, value: unknown): string | null {
  const read = cellOf(kind, field)?.read(value);
  return read instanceof ValidationError ? `${read.message}${read.hint}` : null;
}

/** The stored row of a resolved import row. `derived` are the columns computed from several fields. */
export function rowOf<K extends Kind>(kind: K, importRow: ResolvedRows[K], derived: Derived<K>): Rows[K] {
  const columns = derived as Readonly<Record<string, string | number | null>>; // columns have these types
  return storedRow(RESOURCES[kind], importRow, columns) as Rows[K]; // storedRow follows the definition
}

export function cellsOf<K extends Kind>(kind: K, row: Rows[K]): Readonly<Record<string, Written>> {
  const cells = fileCells(RESOURCES[kind], row);
  return kind === "policies" ? { ...cells, ...storedTermCells((row as Rows["policies"]).terms) } : cells; // the kind is "policies"
}
