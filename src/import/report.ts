// The options of an import, its report, and what the store remembers of it.
import type { FailureSummary, ImportSummary, StoreImportOptions } from "../store/store.ts";
import type { Kind } from "../store/tables.ts";
import type { Complete } from "./convert/complete.ts";
import type { FindingCode, ImportFinding } from "./load/findings.ts";
import type { QueryLimits } from "./read/query-thread.ts";
import { ImportRefused } from "./row-errors.ts";

export interface ImportOptions {
  /** Do everything, then roll it back. */
  readonly isDryRun?: boolean;
  /** Remove what the given files no longer contain, kind by kind. */
  readonly isPruning?: boolean;
  /** The share of a kind's rows that pruning may remove: 0.1 unless told otherwise. Ten rows may always go. */
  readonly allowedRemovals?: number | undefined;
  /** Import files that were last changed before those of the import before. */
  readonly mayBeOlder?: boolean | undefined;
  /** Files that no source reads, though they have the columns of one that is read: `FoundSources.unread`. */
  readonly unread?: readonly string[];
  /** What is known of files that `rollcall pull` wrote. */
  readonly pulled?: PulledFiles | undefined;
  /** The current UTC day, in days since 1970-01-01. */
  readonly today: number;
  /** When the import began, UTC milliseconds: the `updatedAt` of what it changes. */
  readonly nowMs: number;
  /** Refuse the import if there is a finding that is not accepted. */
  readonly isStrict?: boolean;
  /** The day from which changed rules of stored policies apply. Without it they apply from the beginning, or as the mapping says. */
  readonly rulesFrom?: number | undefined;
  /** Findings that are not reported. */
  readonly accepted?: ReadonlySet<FindingCode>;
  /** What a query of a mapping may take; else what `DEFAULT_QUERY_LIMITS` says. */
  readonly queryLimits?: Partial<QueryLimits>;
  /** Quarantine at most `limit` bad rows. `write` gets them before anything is committed. */
  readonly quarantine?: { readonly limit: number; write(rows: readonly QuarantinedRow[]): void } | undefined;
  /** What the store is to remember of the import: `LastImports.lastImport`. */
  readonly record?: (report: ImportReport) => string;
  /** How long the change feed keeps removals, in milliseconds: 90 days unless told otherwise. */
  readonly keepRemovalsMs?: number | undefined;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Which build of the program this is: only the same one knows rows by digests. Left out, no row keeps one. */
  readonly program?: string | undefined;
  /** The wait for other writers, and whether hooks get no events of this import. */
  readonly writing?: StoreImportOptions;
}

export interface PulledFiles {
  /** When the pull began: the files are as old as that. */
  readonly beganAtMs: number;
  /** What the files have all rows of, by kind; days are dates. */
  readonly complete: Readonly<Partial<Record<Kind, Complete>>>;
  /** The number of people whose data the API refused, by file. */
  readonly refused: readonly { readonly file: string; readonly count: number }[];
}

export interface ImportProgress {
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
  /** Whether all files are read, and the rows are checked and written now. */
  readonly isRead: boolean;
}

/** What happened to the rows of one source; what pruning removed of a kind counts for the kind's first source. */
export interface FileCounts extends Record<RowOutcome, number> {
  readonly file: string;
  readonly kind: Kind;
}

/** A bad row that was put aside: as its file has it, and what is wrong with it. */
export interface QuarantinedRow {
  readonly file: string;
  readonly line: number;
  readonly kind: Kind;
  readonly findings: readonly string[];
  readonly row: Readonly<Record<string, unknown>>;
}

export interface ImportReport {
  readonly files: readonly FileCounts[];
  /** How many stored rows the files do not contain, which pruning would remove; by kind, without kinds that have none. */
  readonly notInFiles: Readonly<Partial<Record<Kind, number>>>;
  /** What the mapping's `skip` left out, which of its values are in no row, which amounts were computed, and what was pruned. */
  readonly notes: readonly string[];
  /** What is allowed but probably wrong. */
  readonly findings: readonly ImportFinding[];
  readonly quarantined: readonly QuarantinedRow[];
  /** Why the import would be refused; only in a dry run. The counts are what it would do if it were not refused. */
  readonly refusals: readonly string[];
  readonly gate: Gate;
  /** The gate of the import before; null if none is remembered. */
  readonly lastGate: Gate | null;
  readonly ignored: IgnoredColumns;
  /** When the newest file of each kind was last changed, in the last import that had the kind. */
  readonly changedAtMs: ChangedAtMs;
  readonly lineEnds: LineEnds;
  /** Whether anything differs from before (or would, in a dry run). */
  readonly isChanged: boolean;
  /** How long the transaction that writes held the company, in milliseconds. */
  readonly heldMs: number;
}

// The gate: what an import does to a company, in figures that tell a wrong file from a right one.

/** What an import did to the rows of a kind. */
export interface KindGate {
  /** Rows before the import. */
  readonly stored: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Rows that are stored, and that the files do not contain; 0 with pruning. */
  readonly absent: number;
  /** The first and the last day of all rows that are stored now; null for none. */
  readonly from: string | null;
  readonly to: string | null;
}

/** A kind whose rows have an amount under a policy. */
export type AmountKind = "requests" | "adjustments";

export interface MedianMinutes {
  readonly policyId: string;
  readonly rows: number;
  readonly minutes: number;
}

export interface PolicyMedian extends MedianMinutes {
  readonly kind: AmountKind;
  readonly policy: string;
}

export interface Gate {
  /** The kinds that were imported. */
  readonly kinds: Readonly<Partial<Record<Kind, KindGate>>>;
  /** Computed from everything stored now, for policies with at least 20 rows. */
  readonly medians: readonly PolicyMedian[];
}

/** When the newest file of each kind was last changed. */
export type ChangedAtMs = Readonly<Partial<Record<Kind, number>>>;

/** Whether the text files of each kind all ended with a line end, in the last import that had the kind. */
export type LineEnds = Readonly<Partial<Record<Kind, boolean>>>;

/** The columns that `"ignore": "*"` left out, by source. */
export type IgnoredColumns = Readonly<Record<string, readonly string[]>>;

// What a store remembers of imports, as JSON. It has no values of rows: somebody who is removed must not stay in it.

/** What can become of a row; the labels of a metric. `skipped` are records that the mapping's `skip` leaves out. */
export const ROW_OUTCOMES = ["added", "changed", "unchanged", "removed", "skipped", "quarantined"] as const;

type RowOutcome = (typeof ROW_OUTCOMES)[number];

export const NO_ROWS = Object.fromEntries(ROW_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
  RowOutcome,
  number
>; // each of them

export type OutcomeCounts = Readonly<Record<RowOutcome, number>>;

/** What made an import. */
export interface ImportOrigin {
  /** Without the store's address, which may have a password. */
  readonly command: string;
  /** The path of a mapping, or the name of a preset. */
  readonly mapping: string | null;
  /** Rollcall's. */
  readonly version: string;
}

export interface ImportRecord extends ImportOrigin, ImportSummary {
  /** When the files were pulled; null if no pull wrote them. */
  readonly pulledAtMs: number | null;
  /** The first files; `moreFiles` says how many there were besides. */
  readonly files: readonly FileCounts[];
  readonly moreFiles: number;
  /** Over all files. */
  readonly rows: OutcomeCounts;
  /** Findings that the import passed over. */
  readonly findings: readonly { readonly code: FindingCode; readonly count: number }[];
  readonly gate: Gate;
  readonly changedAtMs: ChangedAtMs;
  /** Records of earlier versions have none. */
  readonly lineEnds?: LineEnds;
  readonly ignored: IgnoredColumns;
  /** How long the transaction that wrote held the company, in milliseconds. */
  readonly heldMs: number;
}

export interface FailureRecord extends ImportOrigin, FailureSummary {}

/** A record stays small. */
const FILES_LIMIT = 20;

export function importRecord(
  origin: ImportOrigin,
  { files, findings, gate, changedAtMs, lineEnds, ignored, heldMs }: ImportReport,
  endedAtMs: number,
  pulled?: PulledFiles,
): ImportRecord {
  const rows = Object.fromEntries(
    ROW_OUTCOMES.map((outcome) => [outcome, files.reduce((sum, file) => sum + file[outcome], 0)]),
  ) as OutcomeCounts; // every outcome
  return {
    ...origin,
    endedAtMs,
    pulledAtMs: pulled?.beganAtMs ?? null,
    files: files.slice(0, FILES_LIMIT),
    moreFiles: Math.max(0, files.length - FILES_LIMIT),
    rows,
    findings: findings.map(({ code, count }) => ({ code, count })),
    gate,
    changedAtMs,
    lineEnds,
    ignored,
    heldMs,
  };
}

export function failureRecord(
  origin: ImportOrigin,
  error: unknown,
  endedAtMs: number,
  reason: string | null,
): FailureRecord {
  const isRefused = error instanceof ImportRefused;
  const mistakes = isRefused ? error.mistakes.length + error.moreRows : null;
  return { ...origin, endedAtMs, outcome: isRefused ? "refused" : "failed", mistakes, reason };
}

/** Null where nothing is stored. */
export function readImportRecord(text: string | null): ImportRecord | null {
  return text === null ? null : (JSON.parse(text) as ImportRecord); // an import of this program wrote it
}

/** Null where nothing is stored. */
export function readFailureRecord(text: string | null): FailureRecord | null {
  return text === null ? null : (JSON.parse(text) as FailureRecord); // as above
}
