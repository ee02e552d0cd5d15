// What a store remembers of the last import and of the last one that failed, as JSON. It has no values of rows: somebody
// who is removed from the company must not stay in it.
import type { FileCounts, ImportReport } from "./report.ts";
import { ImportRefused } from "./row-errors.ts";

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
