// What is stored of a company, once for every engine: the rows, their keys and their columns.
//
// A row holds its wire object as text (`doc`), written at import and never looked into by an engine, plus only the
// columns that keys, filters, balances and a later import need. Days are whole days since 1970-01-01, instants UTC
// milliseconds, amounts minutes.
import type { RequestStatus } from "../resources/requests.ts";
import type { WORKER_STATUSES, WORKER_TYPES } from "../resources/workers.ts";

export interface WorkerRow {
  id: string;
  legacyId: string | null;
  doc: string;
  status: (typeof WORKER_STATUSES)[number];
  type: (typeof WORKER_TYPES)[number];
  /** The work address as `foldEmail` gives it. */
  workEmailFolded: string | null;
  startDay: number;
  endDay: number | null;
  timeZone: string | null;
}

export interface PolicyRow {
  id: string;
  legacyId: string | null;
  doc: string;
  /** What balances need of the policy, as JSON: schedule, numbers and rules. */
  terms: string;
}

export interface AssignmentRow {
  id: string;
  workerId: string;
  policyId: string;
  doc: string;
  /** The UTC day of `assignedAt`. */
  assignedDay: number;
  endsDay: number | null;
}

export interface RequestRow {
  id: string;
  legacyId: string | null;
  doc: string;
  workerId: string;
  policyId: string;
  status: RequestStatus;
  startAtMs: number;
  endAtMs: number;
  /** The first and last local day that the request touches, in its own zone, else the worker's, else UTC. */
  firstDay: number;
  lastDay: number;
  minutes: number;
  timeZone: string | null;
}

export interface AdjustmentRow {
  id: string;
  legacyId: string | null;
  workerId: string;
  policyId: string;
  day: number;
  /** Signed. */
  minutes: number;
  note: string | null;
}

export interface WorkHoursRow {
  workerId: string;
  day: number;
  minutes: number;
}

/** The rows of each kind of fact; the kinds are named as their import files are. */
export interface Rows {
  workers: WorkerRow;
  policies: PolicyRow;
  assignments: AssignmentRow;
  requests: RequestRow;
  adjustments: AdjustmentRow;
  work_hours: WorkHoursRow;
}

export type FactKind = keyof Rows;

export interface Table<K extends FactKind = FactKind> {
  readonly kind: K;
  /** What tells one row from another within a company, in order. The company's id comes before it in every key. */
  readonly key: readonly (keyof Rows[K] & string)[];
  readonly columns: readonly (keyof Rows[K] & string)[];
}

/** Every table, parents before those that refer to them. */
export const TABLES: { readonly [K in FactKind]: Table<K> } = {
  workers: {
    kind: "workers",
    key: ["id"],
    columns: ["id", "legacyId", "doc", "status", "type", "workEmailFolded", "startDay", "endDay", "timeZone"],
  },
  policies: { kind: "policies", key: ["id"], columns: ["id", "legacyId", "doc", "terms"] },
  assignments: {
    kind: "assignments",
    key: ["workerId", "policyId"],
    columns: ["id", "workerId", "policyId", "doc", "assignedDay", "endsDay"],
  },
  requests: {
    kind: "requests",
    key: ["id"],
    columns: [
      "id",
      "legacyId",
      "doc",
      "workerId",
      "policyId",
      "status",
      "startAtMs",
      "endAtMs",
      "firstDay",
      "lastDay",
      "minutes",
      "timeZone",
    ],
  },
  adjustments: {
    kind: "adjustments",
    key: ["id"],
    columns: ["id", "legacyId", "workerId", "policyId", "day", "minutes", "note"],
  },
  work_hours: { kind: "work_hours", key: ["workerId", "day"], columns: ["workerId", "day", "minutes"] },
};

export const FACT_KINDS = Object.keys(TABLES) as readonly FactKind[]; // the keys of TABLES are the kinds

/** The name of a column in SQL: `workEmailFolded` is `work_email_folded`. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
