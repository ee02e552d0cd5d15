// What an import is asked for, what it tells, and what the store remembers of it.
import type { Kind } from "../store/tables.ts";
import type { FindingCode, ImportFinding } from "./findings.ts";
import type { QuarantinedRow } from "./quarantine.ts";
import { ImportRefused } from "./row-errors.ts";

export interface ImportOptions {
  /** Do everything, then roll it back. */
  readonly isDryRun: boolean;
  /** Remove what the given files no longer contain, kind by kind. */
  readonly isPruning: boolean;
  /** Let pruning remove more than half of what is stored of a kind. */
  readonly mayRemoveMost: boolean;
  /** The current UTC day, in days since 1970-01-01. */
  readonly today: number;
  /** Refuse the import where there is any finding that is not accepted. */
  readonly isStrict?: boolean;
  /** Findings that are not reported. */
  readonly accepted?: ReadonlySet<FindingCode>;
  /** Put bad rows aside, at most so many; `write` is called with them before anything is committed. */
  readonly quarantine?: { readonly limit: number; write(rows: readonly QuarantinedRow[]): void } | undefined;
  /** What the store is to remember of the import: `LastImports.lastImport`. */
  readonly record?: (report: ImportReport) => string;
  /** How long the change feed keeps removals, in milliseconds: 90 days unless told otherwise. */
  readonly keepRemovalsMs?: number | undefined;
  readonly onProgress?: (progress: ImportProgress) => void;
  /**
   * Which build of the program this is: rows of records that the same one has loaded are not made again. Left out, every
   * row is made, and none keeps a digest.
   */
  readonly program?: string | undefined;
  /** Called once if another import must end first. */
  readonly onWait?: () => void;
}

export interface ImportProgress {
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** What happened to the rows of one source; what pruning removed of a kind counts for the kind's first source. */
export interface FileCounts {
  readonly file: string;
  readonly kind: Kind;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Records that the mapping's `skip` leaves out. */
  skipped: number;
  /** Rows that went to quarantine. */
  quarantined: number;
}

export interface ImportReport {
  readonly files: readonly FileCounts[];
  /** By kind of the files, how many stored rows they do not contain, where there are any: what pruning would remove. */
  readonly notInFiles: Readonly<Partial<Record<Kind, number>>>;
  /** What the mapping's `skip` left out, which of its values are in no row, and which amounts were computed. */
  readonly notes: readonly string[];
  /** What is allowed but probably wrong. */
  readonly findings: readonly ImportFinding[];
  readonly quarantined: readonly QuarantinedRow[];
  /** Of a dry run, why the import itself would be refused as it stands; its counts are what it would do with --yes. */
  readonly refusals: readonly string[];
  /** Whether anything differs from before (or would, in a dry run). */
  readonly isChanged: boolean;
}

// What a store remembers of the last import and of the last one that failed, as JSON. It has no values of rows: somebody
// who is removed from the company must not stay in it.

/** What can become of a row; the labels of a metric. */
export const ROW_OUTCOMES = ["added", "changed", "unchanged", "removed", "skipped", "quarantined"] as const;

export type OutcomeCounts = Readonly<Record<(typeof ROW_OUTCOMES)[number], number>>;

/** By what an import was made. */
export interface ImportOrigin {
  /** Without the store's address, which may have a password. */
  readonly command: string;
  /** The path of a mapping, or the name of a preset. */
  readonly mapping: string | null;
  /** Rollcall's. */
  readonly version: string;
}

export interface ImportRecord extends ImportOrigin {
  /** The first files; `moreFiles` says how many there were besides. */
  readonly files: readonly FileCounts[];
  readonly moreFiles: number;
  /** Of all files. */
  readonly rows: OutcomeCounts;
}

export interface FailureRecord extends ImportOrigin {
  readonly endedAtMs: number;
  /** `refused`: for its rows, its mapping or its findings. `failed`: for anything else, such as a full disk. */
  readonly outcome: "refused" | "failed";
  /** How many things were wrong with rows; null if it did not come so far. */
  readonly mistakes: number | null;
}

/** More of them would make each read of the company's row slower. */
const FILES_LIMIT = 20;

export function importRecord(origin: ImportOrigin, { files }: Pick<ImportReport, "files">): ImportRecord {
  const rows = Object.fromEntries(
    ROW_OUTCOMES.map((outcome) => [outcome, files.reduce((sum, file) => sum + file[outcome], 0)]),
  ) as OutcomeCounts; // every outcome
  return {
    ...origin,
    files: files.slice(0, FILES_LIMIT),
    moreFiles: Math.max(0, files.length - FILES_LIMIT),
    rows,
  };
}

export function failureRecord(origin: ImportOrigin, error: unknown, endedAtMs: number): FailureRecord {
  const isRefused = error instanceof ImportRefused;
  const mistakes = isRefused ? error.findings.length + error.moreRows : null;
  return { ...origin, endedAtMs, outcome: isRefused ? "refused" : "failed", mistakes };
}

/** Null where nothing is stored. */
export function readImportRecord(text: string | null): ImportRecord | null {
  return text === null ? null : (JSON.parse(text) as ImportRecord); // an import of this program wrote it
}

/** Null where nothing is stored. */
export function readFailureRecord(text: string | null): FailureRecord | null {
  return text === null ? null : (JSON.parse(text) as FailureRecord); // as above
}
