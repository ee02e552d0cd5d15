// One import: every file of every kind, parents first, in one transaction. All or nothing.
import type { ImportTransaction, WriteStore } from "../store/store.ts";
import { FACT_KINDS, type FactKind, type Rows, TABLES } from "../store/tables.ts";
import type { Skipped } from "./mapping/columns.ts";
import { prune } from "./prune.ts";
import { recomputeMovedDays } from "./resolve/local-times.ts";
import { BadNames, References } from "./resolve/references.ts";
import { RESOLVERS, type Resolver } from "./resolve/resolve.ts";
import { RowErrors, shown } from "./row-errors.ts";
import { keyText, Scratch } from "./scratch.ts";
import { checkHeader, type FactBatch, factsOf, type Located, type SourceFile } from "./source/source-file.ts";

/** Rows that are resolved, compared and written together. */
const BATCH_ROWS = 1000;
/** Rows between two collections of garbage: Bun alone would let memory grow to half as much memory again. */
const COLLECT_AFTER_ROWS = 50_000;

export interface ImportOptions {
  /** Do everything but keep nothing. */
  readonly isDryRun: boolean;
  /** Remove what the given files no longer contain, kind by kind. */
  readonly isPruning: boolean;
  /** Let pruning remove more than half of what is stored of a kind. */
  readonly mayRemoveMost: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called once if another import must end first. */
  readonly onWait?: () => void;
}

export interface ImportProgress {
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** What happened to the rows of one file; what pruning removed of a kind is told with its first file. */
export interface FileCounts {
  readonly file: string;
  readonly kind: FactKind;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Rows that the mapping's `skip` leaves out. */
  skipped: number;
}

export interface ImportReport {
  readonly files: readonly FileCounts[];
  /** By kind of the files, how many stored rows they do not contain, where there are any: what pruning would remove. */
  readonly notInFiles: Readonly<Partial<Record<FactKind, number>>>;
  /** What the mapping's `skip` left out, and what of it fits no row. */
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  /** Of a dry run, why the import itself would be refused as it stands; its counts are what it would do with --yes. */
  readonly refusals: readonly string[];
  /** Whether anything differs from before (or would, in a dry run). */
  readonly isChanged: boolean;
}

/**
 * Imports the files into a company. Raises ImportRefused with every finding where any row is bad or pruning must not
 * go on, and whatever the store raises; then nothing has changed. The order of files and rows makes no difference.
 */
export async function importFiles(
  store: WriteStore,
  companyId: string,
  sourceFiles: readonly SourceFile[],
  options: ImportOptions,
): Promise<ImportReport> {
  const bad = new RowErrors();
  let totalBytes = 0;
  for (const sourceFile of sourceFiles) totalBytes += await checkHeader(sourceFile, bad);
  bad.refuseAny();
  const scratch = new Scratch();
  try {
    return await store.import(
      companyId,
      async (transaction) => {
        const report = await new Import(
          companyId,
          sourceFiles,
          options,
          transaction,
          scratch,
          totalBytes,
        ).run();
        return { result: report, changed: report.isChanged, commit: !options.isDryRun };
      },
      options.onWait,
    );
  } finally {
    scratch.close();
  }
}

class Import {
  readonly #bad = new RowErrors();
  readonly #badNames = new BadNames();
  readonly #references: References;
  readonly #counts: FileCounts[];
  readonly #notes: string[] = [];
  readonly #freshKinds = new Set<FactKind>();
  #rows = 0;
  #rowsCollected = 0;
  #bytes = 0;

  constructor(
    readonly companyId: string,
    readonly sourceFiles: readonly SourceFile[],
    readonly options: ImportOptions,
    readonly transaction: ImportTransaction,
    readonly scratch: Scratch,
    readonly totalBytes: number,
  ) {
    this.#references = new References(transaction, this.#badNames);
    this.#counts = sourceFiles.map(({ label, kind }) => ({
      file: label,
      kind,
      added: 0,
      changed: 0,
      unchanged: 0,
      removed: 0,
      skipped: 0,
    }));
  }

  async run(): Promise<ImportReport> {
    const { transaction, scratch, options } = this;
    const kinds = FACT_KINDS.filter((kind) =>
      this.sourceFiles.some((sourceFile) => sourceFile.kind === kind),
    );
    const storedBefore = new Map<FactKind, number>();
    if (options.isPruning) for (const kind of kinds) storedBefore.set(kind, await transaction.count(kind));
    for (const kind of kinds) await this.#loadKind(kind);
    this.#bad.refuseAny();
    const isMoved = await recomputeMovedDays(transaction, scratch, this.#references);
    let refusals: readonly string[] = [];
    if (options.isPruning) {
      const refusesMost = !options.mayRemoveMost && !options.isDryRun;
      const fileOf = (kind: FactKind) => this.#firstFile(kind).file;
      const { removed, mostRemoved } = await prune(transaction, scratch, storedBefore, refusesMost, fileOf);
      for (const [kind, count] of removed) this.#firstFile(kind).removed = count;
      if (!options.mayRemoveMost) refusals = mostRemoved;
    }
    const isChanged =
      isMoved || this.#counts.some(({ added, changed, removed }) => added + changed + removed > 0);
    const notInFiles = options.isPruning ? {} : await this.#notInFiles(kinds);
    const warnings = await this.#warnings(kinds);
    return { files: this.#counts, notInFiles, notes: this.#notes, warnings, refusals, isChanged };
  }

  /** Every row of the files is stored by now, so what is stored beyond them is not in them. */
  async #notInFiles(kinds: readonly FactKind[]): Promise<ImportReport["notInFiles"]> {
    const absent: Partial<Record<FactKind, number>> = {};
    for (const kind of kinds) {
      if (this.#freshKinds.has(kind)) continue; // nothing was stored before
      const files = this.#counts.filter((counts) => counts.kind === kind);
      const seen = files.reduce((sum, { added, changed, unchanged }) => sum + added + changed + unchanged, 0);
      const rows = (await this.transaction.count(kind)) - seen;
      if (rows > 0) absent[kind] = rows;
    }
    return absent;
  }

  #firstFile(kind: FactKind): FileCounts {
    return this.#counts.find((counts) => counts.kind === kind)!;
  }

  async #warnings(kinds: readonly FactKind[]): Promise<string[]> {
    if (!kinds.includes("adjustments") && !kinds.includes("assignments")) return [];
    const orphaned = await this.transaction.adjustmentsWithoutAssignment();
    if (orphaned === 0) return [];
    return [
      `${orphaned} ${orphaned === 1 ? "adjustment is" : "adjustments are"} for a worker and policy without an assignment: imported, but no balance shows them until there is one`,
    ];
  }

  async #loadKind<K extends FactKind>(kind: K): Promise<void> {
    const isFresh = await this.transaction.isEmpty(kind);
    if (isFresh) this.#freshKinds.add(kind);
    const { companyId, transaction, scratch } = this;
    const resolver = RESOLVERS[kind]({
      companyId,
      transaction,
      scratch,
      references: this.#references,
      isFresh,
    });
    for (const [file, sourceFile] of this.sourceFiles.entries()) {
      if (sourceFile.kind !== kind) continue;
      const facts = factsOf(
        { ...sourceFile, kind },
        this.#bad,
        (bytes) => {
          this.#bytes += bytes;
        },
        (skipped) => {
          this.#counts[file]!.skipped = skipped.rows;
          this.#notes.push(...skipNotes(sourceFile, skipped));
        },
      );
      for await (const batch of facts) await this.#loadBatch(kind, file, resolver, batch);
    }
  }

  async #loadBatch<K extends FactKind>(
    kind: K,
    file: number,
    resolver: Resolver<K>,
    batch: FactBatch<K>,
  ): Promise<void> {
    for (const names of batch.badNames) this.#badNames.add(kind, names);
    for (let at = 0; at < batch.facts.length; at += BATCH_ROWS) {
      await this.#loadFacts(kind, file, resolver, batch.facts.slice(at, at + BATCH_ROWS));
    }
    this.#rows += batch.rows;
    if (this.#rows - this.#rowsCollected >= COLLECT_AFTER_ROWS) {
      this.#rowsCollected = this.#rows;
      Bun.gc(true);
    }
    this.options.onProgress?.({ rows: this.#rows, bytes: this.#bytes, totalBytes: this.totalBytes });
  }

  async #loadFacts<K extends FactKind>(
    kind: K,
    file: number,
    resolver: Resolver<K>,
    located: readonly Located<K>[],
  ): Promise<void> {
    const { scratch } = this;
    const { key, columns } = TABLES[kind];
    const counts = this.#counts[file]!;
    const label = this.sourceFiles[file]!.label;
    const resolved = await resolver(located.map(({ fact }) => fact));
    const written: Rows[K][] = [];
    for (let at = 0; at < located.length; at++) {
      const { line, fact } = located[at]!;
      const found = resolved[at]!;
      if ("problems" in found) {
        if (found.problems.length > 0) this.#bad.add({ file: label, line }, found.problems);
        if ("legacyId" in fact)
          this.#badNames.add(
            kind,
            [fact.id, fact.legacyId].flatMap((name) => name ?? []),
          );
        continue;
      }
      const { row, stored } = found;
      const first = scratch.firstPlace(
        kind,
        keyText(key.map((field) => row[field] as string | number)),
        file,
        line,
      ); // keys are these
      if (first !== null) {
        const where = first.file === file ? "" : ` of ${this.sourceFiles[first.file]!.label}`;
        this.#bad.add({ file: label, line }, [
          `${identityText(fact)} is already on line ${first.line}${where}${duplicateAdvice(kind, fact)}`,
        ]);
        continue;
      }
      if (stored === null) counts.added++;
      else if (columns.every((column) => row[column] === stored[column])) {
        counts.unchanged++;
        continue;
      } else {
        counts.changed++;
        if (
          "timeZone" in row &&
          "timeZone" in stored &&
          kind === "workers" &&
          row.timeZone !== stored.timeZone
        ) {
          scratch.noteMovedWorker(String(row[key[0]!]));
        }
      }
      written.push(row);
    }
    // Once a row is bad, nothing is committed. Rows that others refer to are still written, so that references can be checked.
    const isParent = kind === "workers" || kind === "policies";
    if (written.length > 0 && (isParent || this.#bad.count === 0)) await this.transaction.put(kind, written);
  }
}

function skipNotes({ label, kind, mapping }: SourceFile, { rows, idle }: Skipped): string[] {
  const skipped = `${rows} ${rows === 1 ? "row is" : "rows are"} left out of ${kind} by the mapping's skip`;
  return [
    ...(rows === 0 ? [] : [`${label}: ${skipped}`]),
    ...idle.map(({ name, values }) => {
      const listed = [...values].map(shown).join(" or ");
      return `${label}: no row has ${listed} in ${name}, so ${kind}.skip.${name} of ${mapping?.label} leaves out none`;
    }),
  ];
}

/** What to do where a row has the id of another. Of a worker, many systems write one row for every employment. */
function duplicateAdvice(kind: FactKind, fact: object): string {
  if (!("legacyId" in fact)) return "";
  const each = kind === "workers" ? "each employment" : "each";
  return `: each row needs an id of its own: leave one of them out, or give ${each} its own id`;
}

/** What tells a fact from others, in the words of its file. */
function identityText(fact: object): string {
  const named = fact as {
    id?: string | null;
    legacyId?: string | null;
    workerId?: string;
    policyId?: string;
    date?: number;
  }; // any kind's
  if (named.date !== undefined && named.legacyId === undefined)
    return `workerId: ${JSON.stringify(named.workerId)} with this date`;
  if (named.legacyId === undefined)
    return `workerId: ${JSON.stringify(named.workerId)} with policyId ${JSON.stringify(named.policyId)}`;
  return named.id == null ? `legacyId: ${JSON.stringify(named.legacyId)}` : `id: ${JSON.stringify(named.id)}`;
}
