// What an import is asked for, and what it tells.
import type { FactKind } from "../store/tables.ts";
import { type FindingCode, findingText, type ImportFinding } from "./findings.ts";
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
  readonly kind: FactKind;
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
  readonly notInFiles: Readonly<Partial<Record<FactKind, number>>>;
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

/** An import that was refused for its findings alone. */
export class FindingsRefused extends ImportRefused {
  constructor(readonly list: readonly ImportFinding[]) {
    super(list.map(findingText));
  }
}
