// One import: every source of every kind, parents first, in one transaction. All or nothing, except for rows that the
// operator sends to quarantine.
import {
  type ImportRows,
  isNamedKind,
  isParent,
  isTree,
  KINDS,
  type Kind,
  type NamedKind,
  type Rows,
} from "../resources/kinds.ts";
import { hasOtherZone } from "../resources/workers.ts";
import type { ImportTransaction, WriteStore } from "../store/store.ts";
import { keyOf, TABLES } from "../store/tables.ts";
import { formatDay } from "../time/day.ts";
import { formatInstant } from "../time/instant.ts";
import { type Complete, prunableFrom } from "./complete.ts";
import { ImportDigests, type LoadedRow, RepeatedRecord } from "./digests.ts";
import {
  EXPECTED,
  type FindingCode,
  Findings,
  FindingsRefused,
  findingText,
  type ImportFinding,
} from "./findings.ts";
import { brokenMoveTexts, ChangedAmounts, changeTimes, measure, olderFiles, Renames } from "./gate.ts";
import { type CountedAs, ImportMemory, keyText } from "./memory.ts";
import { ALLOWED_REMOVALS, Presence, type PrunedKind, prune } from "./prune.ts";
import { presentKeys, Quarantine } from "./quarantine.ts";
import {
  amountNote,
  checkHeaders,
  type DigestUse,
  type ImportRowBatch,
  importRowsOf,
  type Located,
  type LocatedRow,
  skipNotes,
} from "./read/import-rows.ts";
import { QueryDatabases } from "./read/query.ts";
import { DEFAULT_QUERY_LIMITS } from "./read/query-thread.ts";
import type { Source } from "./read/sources.ts";
import {
  type ChangedAtMs,
  type FileCounts,
  type ImportOptions,
  type ImportRecord,
  type ImportReport,
  NO_ROWS,
  readImportRecord,
} from "./report.ts";
import { recomputeLocalDays } from "./resolve/local-times.ts";
import { References, RefusedRows } from "./resolve/references.ts";
import { type Resolver, resolverOf } from "./resolve/resolve.ts";
import { circleIn, type FileBatch, parentsFirst } from "./resolve/trees.ts";
import {
  type CountedRow,
  noteManagers,
  removeUnused,
  resolveManagers,
  WorkerLinks,
  WorkersAside,
} from "./resolve/worker-objects.ts";
import {
  duplicateAdvice,
  ImportRefused,
  identityOf,
  namesOf,
  placeText,
  RowErrors,
  type RowProblem,
  shown,
} from "./row-errors.ts";

/** Findings that refuse an import, unless they are accepted. */
const REFUSING: ReadonlySet<FindingCode> = new Set(["unit-changed", "renamed-policy", "renamed-department"]);
/** More columns of a file are not remembered. */
const MOST_IGNORED = 200;
/** Rows that are resolved, compared and written together. */
const BATCH_ROWS = 1000;
/**
 * Imports the sources into a company. Raises ImportRefused with everything that is wrong where any row is bad (and none,
 * or not so many, may go to quarantine) or pruning must not go on, and whatever the store raises; then nothing has
 * changed. The order of files and rows makes no difference.
 */
export async function importSources(
  store: WriteStore,
  companyId: string,
  given: readonly Source[],
  options: ImportOptions,
): Promise<ImportReport> {
  const { today } = options;
  const sources = given.map((source): Source => {
    const { origin } = source;
    if (origin.type !== "file") return source;
    return { ...source, origin: { ...origin, options: { ...origin.options, today } } };
  });
  const queries = new QueryDatabases({ ...DEFAULT_QUERY_LIMITS, ...options.queryLimits });
  try {
    const totalBytes = await checkHeaders(sources, queries);
    const changedAtMs = await changeTimes(sources, options.pulled);
    const workersAside = new Map<string, RowProblem>();
    const attempt = async (program: string | null) => {
      const memory = new ImportMemory();
      try {
        return await store.import(
          companyId,
          async (transaction) => {
            const report = await new Import(
              companyId,
              sources,
              options,
              transaction,
              memory,
              queries,
              totalBytes,
              changedAtMs,
              workersAside,
              program,
            ).run();
            const record = options.record?.(report);
            const { isDryRun, keepRemovalsMs } = options;
            return {
              result: report,
              changed: report.isChanged,
              commit: !isDryRun,
              keepRemovalsMs,
              ...(record === undefined ? {} : { record }),
            };
          },
          { onWait: options.onWait, isQuiet: options.isQuiet },
        );
      } finally {
        memory.close();
      }
    };
    let program = options.program ?? null;
    for (;;) {
      try {
        return await attempt(program);
      } catch (error) {
        if (error instanceof WorkersAside) for (const one of error.problems) workersAside.set(...one);
        else if (error instanceof RepeatedRecord && program !== null) program = null;
        else throw error;
      }
    }
  } finally {
    queries.close();
  }
}

class Import {
  readonly #bad = new RowErrors();
  readonly #refused = new RefusedRows();
  /** Whether a file could not be read to its end, or lacks a column: then nothing is imported. */
  #hasIncomplete = false;
  readonly #quarantine: Quarantine | null;
  readonly #findings: Findings;
  readonly #references: References;
  readonly #links: WorkerLinks;
  readonly #counts: FileCounts[];
  readonly #notes: string[] = [];
  /** By source, what was skipped of it. */
  readonly #skipNotes: (readonly string[])[];
  readonly #freshKinds = new Set<Kind>();
  /** Kinds with a row in quarantine that has no id: pruning cannot know which stored row it is. */
  readonly #unidentified = new Set<Kind>();
  /** Why the import is refused, although each row is right. */
  readonly #refusals: string[] = [];
  readonly #changedAmounts = new ChangedAmounts();
  readonly #ignored: Record<string, readonly string[]> = {};
  #last: ImportRecord | null = null;
  readonly #renames = new Renames();
  /** By source, how many amounts were computed. */
  readonly #computedAmounts = new Map<number, number>();
  /** Departments and workplaces that were made of names which nobody has any more. */
  #unusedRemoved = 0;
  #rows = 0;
  #bytes = 0;

  readonly #digests: ImportDigests;
  readonly #presence: Presence;

  /**
   * `changedAtMs`: by kind, when its newest file was last changed. `workersAside`: by id, workers who are put aside for their managers,
   * as an attempt before found. `program`: `ImportOptions.program`; null where no digests are used.
   */
  constructor(
    readonly companyId: string,
    readonly sources: readonly Source[],
    readonly options: ImportOptions,
    readonly transaction: ImportTransaction,
    readonly memory: ImportMemory,
    readonly queries: QueryDatabases,
    readonly totalBytes: number,
    readonly changedAtMs: ChangedAtMs,
    private readonly workersAside: ReadonlyMap<string, RowProblem>,
    program: string | null,
  ) {
    this.#digests = new ImportDigests(transaction, memory, this.#refused, program);
    this.#references = new References(transaction, this.#refused);
    const updatedAt = formatInstant(options.nowMs);
    this.#links = new WorkerLinks(companyId, this.#references, updatedAt);
    this.#findings = new Findings(options.today);
    this.#quarantine = options.quarantine === undefined ? null : new Quarantine(options.quarantine.limit);
    this.#skipNotes = sources.map(() => []);
    this.#counts = sources.map(({ label, kind }) => ({
      file: label,
      kind,
      ...NO_ROWS,
    }));
    this.#presence = new Presence(transaction, memory, this.#digests, this.#counts);
    for (const { place, cells, problem } of this.queries.badRecords) {
      this.#bad.add(place, [problem]);
      this.#refused.addCells(cells);
    }
  }

  async run(): Promise<ImportReport> {
    const { transaction, memory, options } = this;
    const kinds = KINDS.filter((kind) => this.sources.some((source) => source.kind === kind));
    const last = readImportRecord(await transaction.lastImport());
    this.#last = last;
    this.#refuse(options.mayBeOlder ? [] : olderFiles(this.changedAtMs, last));
    const storedBefore = new Map<Kind, number>();
    const pruned = new Map<Kind, PrunedKind>();
    for (const kind of kinds) {
      storedBefore.set(kind, await transaction.count(kind));
      const from = prunableFrom(kind, this.#complete(kind), options.today);
      const isAll = from === null || from.length === 0;
      const stored = isAll ? storedBefore.get(kind)! : await transaction.count(kind, from);
      pruned.set(kind, { stored, from });
    }
    for (const kind of kinds) if (storedBefore.get(kind) === 0) this.#freshKinds.add(kind);
    for (const kind of kinds) await this.#loadKind(kind);
    await this.#writeLinks(kinds);
    await this.#digests.prepareKey();
    if (this.#quarantine === null || this.#hasIncomplete) this.#bad.refuseAny();
    else this.#quarantine.refuse(this.#bad, this.queries.badRecords.length);
    const hasOtherDays = await recomputeLocalDays(transaction, memory, this.#references);
    if (!this.#freshKinds.has("policies"))
      for await (const text of this.#renames.policies(transaction, this.#presence.absentKeys("policies")))
        this.#findings.note("renamed-policy", text);
    for await (const text of this.#renames.departments(transaction, memory, this.#links.newDepartments))
      this.#findings.note("renamed-department", text);
    await this.#prune(pruned);
    if (kinds.includes("assignments")) this.#refuse(brokenMoveTexts(await transaction.brokenMoves()));
    const isChanged =
      hasOtherDays ||
      this.#unusedRemoved > 0 ||
      this.#counts.some(({ added, changed, removed }) => added + changed + removed > 0);
    const notInFiles = options.isPruning ? {} : await this.#notInFiles(pruned);
    const gate = await measure(transaction, this.#counts, storedBefore, last);
    for (const { text, rows } of this.#changedAmounts.otherUnits(gate, last))
      this.#findings.note("unit-changed", text, rows);
    for (const { file, count } of options.pulled?.refused ?? [])
      if (count > 0) this.#findings.note("refused-rows", file, count);
    const findings = await this.#listFindings(kinds);
    const quarantined = this.#quarantine?.rows ?? [];
    options.quarantine?.write(quarantined);
    this.#noteAmounts();
    const skipped = kinds.flatMap((kind) =>
      this.#skipNotes.filter((_, at) => this.sources[at]!.kind === kind),
    );
    return {
      files: this.#counts,
      notInFiles,
      notes: [...skipped.flat(), ...this.#notes],
      findings,
      quarantined,
      refusals: this.#refusals,
      isChanged,
      gate,
      lastGate: last?.gate ?? null,
      changedAtMs: { ...last?.changedAtMs, ...this.changedAtMs },
      ignored: { ...last?.ignored, ...this.#ignored },
    };
  }

  /** What the sources of a kind have all of. */
  #complete(kind: Kind): Complete[] {
    const sources = this.sources.filter((source) => source.kind === kind);
    const all = [
      ...sources.map(({ mapping }) => mapping?.mapping.complete),
      this.options.pulled?.complete[kind],
    ];
    return all.filter((one) => one !== undefined);
  }

  /** Ends the import for these reasons; a dry run goes on and tells them. */
  #refuse(reasons: readonly string[]): void {
    if (reasons.length > 0 && !this.options.isDryRun) throw new ImportRefused(reasons);
    this.#refusals.push(...reasons);
  }

  /** Removes what the files do not contain. */
  async #prune(pruned: Map<Kind, PrunedKind>): Promise<void> {
    const { transaction, memory, options } = this;
    if (!options.isPruning) return;
    for (const kind of this.#unidentified) {
      if (!pruned.delete(kind)) continue;
      this.#notes.push(
        `no ${kind} are pruned: a row in quarantine has no id, so it cannot be told which stored one it is`,
      );
    }
    const limit = { allowed: options.allowedRemovals ?? ALLOWED_REMOVALS, refuses: !options.isDryRun };
    const fileOf = (kind: Kind) => this.#firstFile(kind).file;
    const absent = (kind: Kind) => this.#presence.absentKeys(kind);
    const { removed, refusals, notes } = await prune(transaction, memory, pruned, limit, { fileOf, absent });
    for (const [kind, count] of removed) this.#firstFile(kind).removed = count;
    this.#notes.push(...notes);
    this.#refuse(refusals);
    if (!pruned.has("workers")) return;
    for (const kind of ["departments", "workplaces"] as const)
      this.#unusedRemoved += await removeUnused(transaction, this.companyId, kind);
  }

  /** Every row of the files is stored by now, so what is stored beyond them is not in them. */
  async #notInFiles(pruned: ReadonlyMap<Kind, PrunedKind>): Promise<ImportReport["notInFiles"]> {
    const absent: Partial<Record<Kind, number>> = {};
    for (const [kind, { from }] of pruned) {
      if (this.#freshKinds.has(kind) || this.#unidentified.has(kind)) continue; // nothing was stored, or it is not known
      const rows = from === null ? 0 : await this.#presence.countAbsent(kind, from);
      if (rows > 0) absent[kind] = rows;
    }
    return absent;
  }

  #firstFile(kind: Kind): FileCounts {
    return this.#counts.find((counts) => counts.kind === kind)!;
  }

  /** What is probably wrong with what was loaded. Raises FindingsRefused where the import is strict. */
  async #listFindings(kinds: readonly Kind[]): Promise<readonly ImportFinding[]> {
    const { transaction, options } = this;
    const accepted = options.accepted ?? new Set();
    await this.#findings.seeStored(transaction, kinds, accepted);
    const findings = this.#findings.list(accepted);
    this.#refuse(findings.filter(({ code }) => REFUSING.has(code)).map(findingText));
    const doubtful = findings.filter(({ code }) => !EXPECTED.has(code));
    if (options.isStrict && doubtful.length > 0) throw new FindingsRefused(doubtful);
    return findings;
  }

  async #loadKind<K extends Kind>(kind: K): Promise<void> {
    const isFresh = this.#freshKinds.has(kind);
    const { companyId, transaction, memory } = this;
    const resolver = resolverOf(kind, {
      companyId,
      transaction,
      memory,
      references: this.#references,
      links: this.#links,
      isFresh,
    });
    const isFirstLoad = isFresh && !isTree(kind); // rows of a tree are looked up while others of it are loaded
    await this.#digests.open(kind, isFresh);
    const key = this.#digests.keyFor(kind);
    const digests: DigestUse | null = key === null ? null : { key, known: this.#digests.known(kind) };
    if (kind === "workers") await this.#links.prepare(transaction);
    if (isFirstLoad) await transaction.beginFirstLoad(kind);
    const held: FileBatch<K>[] = [];
    for (const [sourceAt, source] of this.sources.entries()) {
      if (source.kind !== kind) continue;
      const importRows = importRowsOf(
        { ...source, kind },
        this.queries,
        this.#bad,
        (bytes) => {
          this.#bytes += bytes;
        },
        ({ isWhole, skipped, merged, ignored }) => {
          this.#findings.mergedCells(merged);
          this.#noteIgnored(source.label, ignored);
          this.#counts[sourceAt]!.skipped = skipped.rows;
          this.#skipNotes[sourceAt] = skipNotes(source, skipped);
          if (!isWhole) this.#noteIncomplete(kind);
        },
        digests,
      );
      for await (const batch of importRows)
        if (isTree(kind)) held.push([sourceAt, batch]);
        else await this.#loadBatch(kind, sourceAt, resolver, batch);
    }
    if (isTree(kind)) await this.#loadTree(kind, resolver, held);
    if (isFirstLoad) await transaction.endFirstLoad();
    await this.#digests.close(kind);
    if (kind === "workers") await this.#resolveManagers();
  }

  async #loadTree<K extends Kind>(
    kind: K,
    resolver: Resolver<K>,
    held: readonly FileBatch<K>[],
  ): Promise<void> {
    for (const [sourceAt, batch] of parentsFirst(kind, this.companyId, held))
      await this.#loadBatch(kind, sourceAt, resolver, batch);
    const circle = await circleIn(kind, this.transaction.scan(kind));
    if (circle !== null)
      this.#bad.add({ file: this.#firstFile(kind).file, line: null }, [
        `${circle} would belong to itself, or to one below it, with what is stored: give it another parent`,
      ]);
  }

  /** What is ignored now, and was not there in the last import. What it had stays known: a file of JSON may lack it. */
  #noteIgnored(label: string, ignored: readonly string[]): void {
    const before = this.#last?.ignored[label];
    if (ignored.length === 0 || ignored.length > MOST_IGNORED) return;
    for (const name of before === undefined ? [] : ignored.filter((one) => !before.includes(one)))
      this.#findings.note("new-column", `${shown(name)} in ${label}`);
    this.#ignored[label] = [...new Set([...(before ?? []), ...ignored])];
  }

  /** Gives rows the ids that they had under the names of the mapping's `was`, until these are stored under their new names. */
  async #keepIds<K extends Kind>(
    kind: K,
    source: Source,
    located: readonly LocatedRow<K>[],
  ): Promise<readonly LocatedRow<K>[]> {
    const was = source.mapping?.mapping.was;
    if (was === undefined || !isNamedKind(kind)) return located;
    const ids = new Map<string, string>();
    for (const [now, before] of Object.entries(was)) {
      const [stored, old] = await this.transaction.match(kind, [now, before]);
      if (stored!.byLegacyId === null && old!.byLegacyId !== null) ids.set(now, old!.byLegacyId);
    }
    return located.map((one) => {
      const { id, legacyId } = one.importRow as ImportRows[NamedKind]; // the kind says so
      const kept = id === null && legacyId !== null ? ids.get(legacyId) : undefined;
      return kept === undefined ? one : { ...one, importRow: { ...one.importRow, id: kept } };
    });
  }

  /** Of a file that cannot be read to its end, other mistakes are told, too, but none of what refers to rows that it may have. */
  #noteIncomplete(kind: Kind): void {
    this.#hasIncomplete = true;
    this.#refused.add(kind, []);
  }

  /** Departments and workplaces that names made, and what workers repeat of these and of their managers. */
  async #writeLinks(kinds: readonly Kind[]): Promise<void> {
    const { transaction, memory } = this;
    const linked = (["departments", "workplaces", "workers"] as const).filter((kind) => kinds.includes(kind));
    if (linked.length === 0 || !this.#mayCommit) return;
    if (kinds.includes("workers")) await this.#links.write(transaction, memory);
    else await this.#links.prepare(transaction);
    for (const [name, workers] of this.#links.unrecognised)
      this.#findings.note("department-of-name", shown(name), workers);
    const isAnyOther = this.#counts.some(
      ({ kind, added, changed }) => linked.some((one) => one === kind) && added + changed > 0,
    );
    if (isAnyOther) await this.#links.refresh(transaction, memory);
  }

  async #resolveManagers(): Promise<void> {
    await resolveManagers(this.memory, this.#references, {
      isPuttingAside: this.#quarantine !== null,
      bad: async ({ legacyId, workerId, sourceAt, place }, problem) => {
        const row = { id: workerId, legacyId };
        const located = { ...place, line: place.line!, header: [], cells: [], row }; // a row has a line
        await this.#noteBad("workers", sourceAt, located, [problem], null);
      },
      changed: ({ sourceAt }) => {
        this.#counts[sourceAt]!.unchanged--;
        this.#counts[sourceAt]!.changed++;
      },
    });
    for (const id of this.workersAside.keys()) this.#refused.addId("workers", id);
  }

  async #loadBatch<K extends Kind>(
    kind: K,
    sourceAt: number,
    resolver: Resolver<K>,
    batch: ImportRowBatch<K>,
  ): Promise<void> {
    this.#counts[sourceAt]!.unchanged += batch.unchanged;
    for (const bad of batch.bad) await this.#noteBad(kind, sourceAt, bad, bad.problems, null);
    for (let at = 0; at < batch.importRows.length; at += BATCH_ROWS) {
      const importRows = batch.importRows.slice(at, at + BATCH_ROWS);
      await this.#loadRows(
        kind,
        sourceAt,
        resolver,
        await this.#keepIds(kind, this.sources[sourceAt]!, importRows),
      );
    }
    this.#rows += batch.records;
    this.options.onProgress?.({ rows: this.#rows, bytes: this.#bytes, totalBytes: this.totalBytes });
  }

  /** Notes a bad row: as a mistake, and so that what refers to it is understood. */
  async #noteBad(
    kind: Kind,
    sourceAt: number,
    located: Located,
    problems: readonly RowProblem[],
    importRow: ImportRows[Kind] | null,
  ): Promise<void> {
    this.#bad.add(located, problems);
    const names = namesOf(importRow ?? located.row ?? {});
    if (importRow === null || "legacyId" in importRow) this.#refused.add(kind, names);
    if (this.#quarantine === null) return;
    this.#quarantine.add(kind, located, problems);
    this.#counts[sourceAt]!.quarantined++;
    const keys = await presentKeys(kind, located.row, names, this.transaction, this.companyId);
    if (keys === null) this.#unidentified.add(kind);
    for (const key of keys ?? []) {
      this.memory.notePresent(kind, keyText(key));
      // A worker who is put aside for the manager is stored as before, and may have reports.
      if (isParent(kind) && !this.workersAside.has(String(key[0]))) this.#refused.addId(kind, String(key[0]));
    }
  }

  async #loadRows<K extends Kind>(
    kind: K,
    sourceAt: number,
    resolver: Resolver<K>,
    located: readonly LocatedRow<K>[],
  ): Promise<void> {
    const counts = this.#counts[sourceAt]!;
    const resolved = await resolver(located);
    const isAssignment = kind === "assignments";
    const workerIds = resolved.map((found) =>
      isAssignment && found.row !== null ? (found.row as Rows["assignments"]).workerId : null,
    ); // the kind says so
    const zones = isAssignment ? await this.#references.timeZones(workerIds) : [];
    const loaded: (LoadedRow<K> & CountedRow<K>)[] = [];
    for (let at = 0; at < located.length; at++) {
      const one = located[at]!;
      const found = resolved[at]!;
      if ("problems" in found) {
        // A row whose only mistake is that it refers to a refused row is reported only if rows are put aside.
        if (found.isOrphaned !== true || this.#quarantine !== null)
          await this.#noteBad(kind, sourceAt, one, found.problems, one.importRow);
        else if ("legacyId" in one.importRow) this.#refused.add(kind, namesOf(one.importRow));
        continue;
      }
      const { row, stored } = found;
      const duplicate = this.#duplicate(kind, sourceAt, one, row, stored);
      if (duplicate !== null) {
        this.#bad.add(one, [duplicate]);
        this.#quarantine?.add(kind, one, [duplicate]);
        counts.quarantined += this.#quarantine === null ? 0 : 1;
        continue;
      }
      const aside = kind === "workers" ? this.workersAside.get((row as Rows["workers"]).id) : undefined; // the kind says so
      if (aside !== undefined) {
        await this.#noteBad(kind, sourceAt, one, [aside], one.importRow);
        continue;
      }
      const isPlain = this.#findings.see(kind, one, row, zones[at] ?? null);
      const { dayOfAnotherZone, notes = [] } = found;
      for (const { code, example } of notes)
        this.#findings.note(code, () => `${placeText(one)} (${example})`);
      if (dayOfAnotherZone !== undefined)
        this.#findings.note("written-days", () => `${placeText(one)} (${formatDay(dayOfAnotherZone)})`);
      if (one.amountFrom !== null)
        this.#computedAmounts.set(sourceAt, (this.#computedAmounts.get(sourceAt) ?? 0) + 1);
      const counted = this.#count(kind, counts, row, stored);
      const digest = isPlain ? one.digest : null;
      loaded.push({ located: one, row, stored, digest, counted, isWritten: counted !== "unchanged" });
    }
    if (kind === "workers") {
      const workers = loaded as unknown as readonly CountedRow<"workers">[]; // the kind says so
      noteManagers(this.memory, sourceAt, workers);
    }
    const before = await this.#digests.takeStored(kind, loaded);
    if (!this.#isWriting(kind)) return;
    const written = loaded.filter(({ isWritten }) => isWritten);
    await this.transaction.put(
      kind,
      written.map(({ row }) => row),
      written.map(({ digest }) => digest),
    );
    if (!this.#freshKinds.has(kind)) await this.#digests.afterWriting(kind, loaded, before);
  }

  /** Once a row is bad nothing is committed, unless bad rows are put aside. */
  get #mayCommit(): boolean {
    return this.#bad.count === 0 || this.#quarantine !== null;
  }

  /** Rows that others refer to are written even so, so that references can be checked. */
  #isWriting(kind: Kind): boolean {
    return isParent(kind) || this.#mayCommit;
  }

  /** What is wrong where another row of this import has the same key. */
  #duplicate<K extends Kind>(
    kind: K,
    sourceAt: number,
    { line, importRow }: LocatedRow<K>,
    row: Rows[K],
    stored: Rows[K] | null,
  ): RowProblem | null {
    const key = keyText(keyOf(kind, stored ?? row));
    const first = this.memory.firstPlace(kind, key, sourceAt, line);
    if (first === null) return null;
    const where = first.sourceAt === sourceAt ? "" : ` of ${this.sources[first.sourceAt]!.label}`;
    const advice = duplicateAdvice(kind, importRow);
    return {
      ...identityOf(importRow),
      message: "is already on",
      other: ` line ${first.line}${where}`,
      advice: { one: advice, many: ` other lines${advice}` },
    };
  }

  /** Counts a row, and says as what. */
  #count<K extends Kind>(kind: K, counts: FileCounts, row: Rows[K], stored: Rows[K] | null): CountedAs {
    const isSame = stored !== null && TABLES[kind].columns.every((column) => row[column] === stored[column]);
    const counted = stored === null ? "added" : isSame ? "unchanged" : "changed";
    counts[counted]++;
    if (counted === "changed") this.#changedAmounts.note(kind, row, stored!);
    if (counted === "added") this.#renames.noteAdded(kind, row);
    if (kind === "workers" && counted === "changed") {
      const [now, before] = [row as Rows["workers"], stored as Rows["workers"]]; // the kind says so
      if (hasOtherZone(now, before)) this.memory.noteRezonedWorker(now.id);
      this.#findings.seeChanged(now, before);
      this.#renames.noteMoved(now, before);
    }
    return counted;
  }

  #noteAmounts(): void {
    for (const [sourceAt, count] of this.#computedAmounts)
      this.#notes.push(amountNote(this.sources[sourceAt]!, count));
  }
}
