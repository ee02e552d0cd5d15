// What follows from the definitions of all kinds (kinds.ts): how a row of a file is read and stored, and the endpoints of the API.
import { checkAdjustment, checkOpening } from "./adjustments.ts";
import { checkAssignment } from "./assignments.ts";
import { balanceExplanation, balances, listBalances, retrieveBalance } from "./balances.ts";
import { capacity, listCapacity } from "./capacity.ts";
import { type CellCodec, ValidationError, type Written } from "./cells.ts";
import { listChanges } from "./changes.ts";
import { closeDifferences, closes, listCloseDifferences, listCloses, retrieveClose } from "./closes.ts";
import { company, retrieveCompany } from "./company.ts";
import { days, listDays } from "./days.ts";
import { checkHoliday } from "./holidays.ts";
import { idSchema, notFoundCode, nounOf } from "./ids.ts";
import {
  byKind,
  type ImportRows,
  type Kind,
  LIST_KINDS,
  LISTS,
  type ListKind,
  RESOURCES,
  type ResolvedRows,
  type Rows,
} from "./kinds.ts";
import { expirations, listExpirations, listMovements, movements } from "./movements.ts";
import { checkPolicy, storedTermCells } from "./policies.ts";
import { checkPolicyChange } from "./policy-changes.ts";
import { leavePreview, previewLeave } from "./preview.ts";
import { cursors, known } from "./query.ts";
import { checkRequest } from "./requests.ts";
import {
  type Api,
  type EndpointContract,
  fileCells,
  fileFields,
  type ListContract,
  type ListResource,
  listOf,
  type Report,
  type RetrieveContract,
  retrievalPattern,
  storedRow,
  type WireResource,
  wireSchema,
} from "./resource.ts";
import { checkSchedule, retrieveSchedule, workSchedule } from "./schedules.ts";
import { WORKER_FILTERS_NOTE, workerFilters } from "./worker-filters.ts";
import { checkWorker } from "./workers.ts";

type Derived<K extends Kind> = Pick<Rows[K], keyof (typeof RESOURCES)[K]["derived"] & keyof Rows[K]>;

// Files ----------------------------------------------------------------------------------------------------------------

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
  /** Whether the value is missing in a fixed list, so that a mapping could translate it. */
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

/** Reads a row of a file, which has every field: the import row, or everything that is wrong with it. */
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

// Endpoints ------------------------------------------------------------------------------------------------------------

/** The name of a kind in code: `camelName("work_hours")` is "workHours". */
export function camelName(kind: string): string {
  return kind.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const capitalised = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase());

function listContract(resource: ListResource): ListContract {
  const { kind, api, schemaName, idKind } = resource;
  const item = wireSchema(resource);
  const filters = Object.entries(api.filters).map(([name, { parameter }]) => [name, parameter]);
  const isOfWorkers = "workerId" in resource.belongsTo;
  const nouns = kind.replaceAll("_", " ");
  const combine = filters.length > 1 && "Filters combine with AND; the values of one list with OR.";
  return {
    operationId: `list${capitalised(camelName(kind))}`,
    summary: `List ${titled(api, nouns)}`,
    description: [`${capitalised(nouns)} in the order of their ids.`, combine, api.note]
      .filter(Boolean)
      .join(" "),
    path: api.path,
    tag: api.tag,
    scope: api.scope,
    ...(isOfWorkers && { scopeNote: WORKER_FILTERS_NOTE }),
    item,
    response: listOf(`${schemaName}List`, item),
    parameters: {
      ...cursors(idKind),
      ...Object.fromEntries(filters),
      ...(isOfWorkers && workerFilters(nouns)),
      ...known,
    },
  };
}

const titled = ({ adjective }: Api, noun: string) =>
  adjective === undefined ? noun : `${adjective} ${noun}`;

/** The contract of a resource's retrieval, or null if single objects cannot be retrieved. */
function retrieveContract(
  { idKind, schemaName, api }: ListResource,
  { path, tag, scope, item }: ListContract,
): RetrieveContract | null {
  if (!api.isRetrieved || idKind === "balance") return null;
  const noun = nounOf(idKind);
  return {
    operationId: `retrieve${schemaName}`,
    summary: `Retrieve a ${titled(api, noun)}`,
    description: `One ${noun} by id.`,
    path: retrievalPattern(path),
    tag,
    scope,
    idKind,
    id: idSchema(idKind).meta({ description: `The ${noun}'s id.` }),
    notFound: notFoundCode(idKind),
    response: item,
    parameters: known,
  };
}

export interface Endpoints {
  readonly list: ListContract;
  readonly retrieve: RetrieveContract | null;
}

function endpointsOf(kind: ListKind): Endpoints {
  const list = listContract(LISTS[kind]);
  return { list, retrieve: retrieveContract(LISTS[kind], list) };
}

/** The contracts of every list that the store reads in pages. */
export const ENDPOINTS = Object.fromEntries(LIST_KINDS.map((kind) => [kind, endpointsOf(kind)])) as Readonly<
  Record<ListKind, Endpoints>
>; // one entry per kind

/** Every contract, in the order of the reference. */
export const CONTRACTS: readonly EndpointContract[] = [
  retrieveCompany,
  ...Object.values(ENDPOINTS).flatMap(({ list, retrieve }) =>
    retrieve === null ? [list] : [list, retrieve],
  ),
  retrieveSchedule,
  listBalances,
  retrieveBalance,
  listDays,
  listMovements,
  listExpirations,
  listCapacity,
  previewLeave,
  listCloses,
  retrieveClose,
  listCloseDifferences,
  listChanges,
];

/** Every object of the API. */
export const WIRE_OBJECTS: readonly Pick<WireResource, "schemaName" | "description" | "fields">[] = [
  company,
  ...Object.values(LISTS),
  balances,
  balanceExplanation,
  days,
  movements,
  expirations,
  capacity,
  workSchedule,
  leavePreview,
  closes,
  closeDifferences,
];
