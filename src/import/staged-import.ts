// The first half of an import: its files are read, converted and staged, and all rows are checked, while nothing is held.
import sql, { raw } from "sql-template-tag";
import { isNamedKind, isParent, isTree, KINDS, type Kind } from "../resources/kinds.ts";
import type { ImportSession } from "../store/store.ts";
import { formatInstant } from "../time/instant.ts";
import { BadRows, type RefusedRow } from "./bad-rows.ts";
import { amountsInOtherUnits } from "./convert/columns.ts";
import { type Complete, prunableFrom } from "./convert/complete.ts";
import { importRowsOf, type SourceEnd, skipNotes } from "./convert/import-rows.ts";
import type { KnownDigests } from "./convert/record-digests.ts";
import { StoredDigests } from "./load/digests.ts";
import { type FindingCode, Findings } from "./load/findings.ts";
import { lastRecords, olderFiles } from "./load/gate.ts";
import { identifyRows, refuseDuplicates } from "./load/identity.ts";
import { refuseTakenIds } from "./load/kinds/assignments.ts";
import { adoptGroups, isGroup, refuseCycles } from "./load/kinds/groups.ts";
import { KIND_RULES } from "./load/kinds/index.ts";
import type { BuildContext } from "./load/kinds/kind.ts";
import { type CountsFrom, Policies } from "./load/kinds/policies.ts";
import { type GroupKind, resolveManagers, WorkerLinks } from "./load/kinds/workers.ts";
import type { PrunedKind } from "./load/prune.ts";
import { makeNameTables, resolveReferences } from "./load/references.ts";
import { Retention } from "./load/retention.ts";
import { loadedRows, setIds } from "./load/stored-rows.ts";
import { isDelimited } from "./read/files.ts";
import type { QueryDatabases } from "./read/query.ts";
import { pathsOf, type Source } from "./read/sources.ts";
import {
  type ChangedAtMs,
  type FileCounts,
  type ImportOptions,
  type ImportRecord,
  NO_ROWS,
} from "./report.ts";
import { ImportRefused, shown } from "./row-errors.ts";
import { clearStagedTable, indexStagedTable, makeStagedTables, mintedId, Stage } from "./staging.ts";

/** More columns of a file are not remembered. */
const MOST_IGNORED = 200;

/** The files of an import and where they come from. */
export interface ImportFiles {
  readonly sources: readonly Source[];
  readonly queries: QueryDatabases;
  readonly totalBytes: number;
  /** By kind, when its newest file was last changed. */
  readonly changedAtMs: ChangedAtMs;
}

/** The staged rows of an import, and what is known of them. */
export class StagedImport {
  /** The kinds that the files have, parents first. */
  readonly kinds: readonly Kind[];
  /** What became of the rows, by source. */
  readonly counts: FileCounts[];
  readonly bad: BadRows;
  readonly digests: StoredDigests;
  readonly findings: Findings;
  readonly links: WorkerLinks;
  /** Why the import is refused, although each row is right. */
  readonly refusals: string[] = [];
  /** What the mapping's `skip` left out, by source. */
  readonly skipNotes: (readonly string[])[];
  /** The kinds of which `skip` left out rows with legacy ids: these are in the table `skipped_KIND`. */
  readonly skippedKinds = new Set<Kind>();
  /** The columns that `"ignore": "*"` left out, by source. */
  readonly ignored: Record<string, readonly string[]> = {};
  /** For kinds of text files: whether all of them end with a line end. */
  readonly lineEnds: Partial<Record<Kind, boolean>> = {};
  readonly storedBefore = new Map<Kind, number>();
  /** What pruning would look at. */
  readonly pruned = new Map<Kind, PrunedKind>();
  /** Its policies are read once those of the files are staged. */
  readonly context: { -readonly [K in keyof BuildContext]: BuildContext[K] } & { policies: Policies };
  /** What is remembered of the import before. */
  last: ImportRecord | null = null;
  retention: Retention | null = null;
  readonly #hasGivenIds = new Map<Kind, boolean>();
  readonly #readKinds = new Set<GroupKind>();
  #rows = 0;
  #bytes = 0;

  constructor(
    readonly session: ImportSession,
    readonly files: ImportFiles,
    readonly options: ImportOptions,
  ) {
    const { sources } = files;
    this.kinds = KINDS.filter((kind) => sources.some((source) => source.kind === kind));
    this.counts = sources.map(({ label, kind }) => ({ file: label, kind, ...NO_ROWS }));
    this.bad = new BadRows(session, sources, this.counts, options.quarantine?.limit ?? null);
    this.digests = new StoredDigests(session, this.bad);
    this.findings = new Findings(options.today);
    this.links = new WorkerLinks(session, formatInstant(options.nowMs));
    this.skipNotes = sources.map(() => []);
    const { companyId } = session;
    const policies = new Policies(companyId, options.today, null);
    const isPulled = options.pulled !== undefined;
    this.context = { companyId, today: options.today, timeZone: null, isPulled, policies, links: this.links };
  }

  /** Reads what is stored of the company, and makes the tables of staged rows. */
  async begin(): Promise<void> {
    const { session, options } = this;
    this.last = (await lastRecords(session, 1))[0] ?? null;
    this.refuse(options.mayBeOlder ? [] : olderFiles(this.files.changedAtMs, this.last));
    this.refuse(this.#datingProblems());
    this.findings.noteAll("unread-file", options.unread ?? []);
    for (const { label, mapping } of this.files.sources)
      for (const amount of amountsInOtherUnits(mapping?.mapping ?? {}))
        this.findings.note("other-unit", `${label}: ${amount}`);
    for (const { place, cells, problem } of this.files.queries.badRecords) {
      this.bad.errors.add(place, [problem]);
      this.bad.refused.addCells(cells);
    }
    await makeStagedTables(session, this.kinds);
    await makeNameTables(session);
    await this.digests.open(options.program ?? null);
    for (const kind of this.kinds) {
      const stored = await session.count(kind);
      this.storedBefore.set(kind, stored);
      const from = prunableFrom(kind, this.#complete(kind), options.today);
      const isAll = from === null || from.length === 0;
      this.pruned.set(kind, { stored: isAll ? stored : await session.count(kind, from), from });
    }
    const company = await session.company();
    this.context.timeZone = company.timeZone;
    this.retention = Retention.of(company, options.nowMs);
    if (!this.kinds.includes("policies"))
      this.context.policies = await Policies.read(session, this.options.today, null);
  }

  /** The day from which changed rules of policies apply. */
  readonly #countsFrom: CountsFrom = (source) => {
    const { rulesFrom, today } = this.options;
    if (rulesFrom !== undefined) return { day: rulesFrom, isNext: false };
    return this.files.sources[source]!.mapping?.mapping.changes === undefined
      ? null
      : { day: today, isNext: true };
  };

  /** Why changed rules can have no day: changes come from a file, or from policies that differ, but not from both. */
  #datingProblems(): string[] {
    const { rulesFrom } = this.options;
    const isMapped = this.files.sources.some(({ mapping }) => mapping?.mapping.changes !== undefined);
    const how = rulesFrom !== undefined ? "--rules-from" : '"changes": "nextPeriod"';
    if (rulesFrom === undefined && !isMapped) return [];
    if (!this.kinds.includes("policies")) return [`${how}: the files have no policies`];
    return this.kinds.includes("policy_changes")
      ? [`${how}: the files have policy_changes: write there what counts from which day on`]
      : [];
  }

  /** Whether nothing of the kind was stored before. */
  isFresh(kind: Kind): boolean {
    return this.storedBefore.get(kind) === 0;
  }

  /** The first file of a kind: what pruning removes counts for it. */
  fileOf(kind: Kind): FileCounts {
    return this.counts.find((counts) => counts.kind === kind)!;
  }

  /** Ends the import for these reasons; a dry run goes on and tells them. */
  refuse(reasons: readonly string[]): void {
    if (reasons.length > 0 && !this.options.isDryRun) throw new ImportRefused(reasons);
    this.refusals.push(...reasons);
  }

  /** Reads the files of a kind and puts their rows where statements find them. Records whose digests are stored go no further. */
  async #stage<K extends Kind>(kind: K, known: KnownDigests | null): Promise<void> {
    const { session } = this;
    const stage = new Stage(session, kind, KIND_RULES[kind], this.bad.hasQuarantine);
    const key = this.digests.keyFor(kind);
    for (const [sourceAt, source] of this.files.sources.entries()) {
      if (source.kind !== kind) continue;
      const counts = this.counts[sourceAt]!;
      const kept = await this.#keptIds(kind, source);
      const batches = importRowsOf({
        source: { ...source, kind },
        queries: this.files.queries,
        errors: this.bad.errors,
        digests: key === null ? null : { key, known },
        onBytes: (bytes) => {
          this.#bytes += bytes;
        },
        onEnd: ({ isWhole, skipped, doubts, ignored }) => {
          this.#noteDoubts(source, doubts);
          if (ignored !== null) this.#noteIgnored(source, ignored);
          counts.skipped = skipped.rows;
          this.skipNotes[sourceAt] = skipNotes(source, skipped);
          if (isWhole) return;
          // Report other mistakes, too, but no unknown reference: the file may have its row.
          this.bad.isIncomplete = true;
          this.bad.refused.add(kind, []);
        },
      });
      for await (const batch of batches) {
        counts.unchanged += batch.unchanged;
        for (const bad of batch.bad) await this.bad.addRecord(kind, sourceAt, bad, bad.problems);
        await stage.add(sourceAt, source.label, batch.importRows, kept);
        if (batch.skippedIds.length > 0 && isNamedKind(kind)) await this.#addSkipped(kind, batch.skippedIds);
        this.#rows += batch.records;
        this.tellProgress(false);
      }
    }
    this.#hasGivenIds.set(kind, stage.hasGivenIds);
    if (isParent(kind) || !this.isFresh(kind)) await indexStagedTable(session, kind);
  }

  /** `isRead`: whether all files are read. */
  tellProgress(isRead: boolean): void {
    const { totalBytes } = this.files;
    const bytes = Math.min(this.#bytes, totalBytes); // files may be read twice
    this.options.onProgress?.({ rows: this.#rows, bytes, totalBytes, isRead });
  }

  async #addSkipped(kind: Kind, ids: readonly string[]): Promise<void> {
    const table = `skipped_${kind}`;
    if (!this.skippedKinds.has(kind)) await this.session.makeTable(table, { legacyId: "text" });
    this.skippedKinds.add(kind);
    await this.session.fill(
      table,
      ids.map((id) => [id]),
    );
  }

  /** Notes what is probably wrong with files. A pull has proven that no row is missing, and programs differ in the end of the last line. */
  #noteDoubts({ kind, origin }: Source, doubts: SourceEnd["doubts"]): void {
    const expected = new Set<FindingCode>(this.context.isPulled ? ["round-rows"] : []);
    if (this.last?.lineEnds?.[kind] !== true) expected.add("cut-file");
    this.findings.ofFiles(doubts, expected);
    if (!pathsOf(origin).some(isDelimited)) return;
    const isCut = [...doubts.values()].flat().some(({ code }) => code === "cut-file");
    this.lineEnds[kind] = !isCut && (this.lineEnds[kind] ?? true);
  }

  /** Notes ignored columns that the last import did not have. Columns of earlier imports stay known, because a JSON file may lack some. */
  #noteIgnored({ label, mapping }: Source, ignored: readonly string[]): void {
    const source = mapping!.path; // the names of files may have dates in them
    const before = this.last?.ignored[source];
    const known = this.ignored[source] ?? before ?? []; // a file may be read twice
    if (ignored.length > MOST_IGNORED) return;
    for (const name of before === undefined ? [] : ignored.filter((column) => !known.includes(column)))
      this.findings.note("new-column", `${shown(name)} in ${label}`);
    this.ignored[source] = [...new Set([...known, ...ignored])];
  }

  /** For rows that the mapping's `was` renames: by the new legacy id, the id that the row keeps. */
  async #keptIds(kind: Kind, { mapping }: Source): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    const was = mapping?.mapping.was;
    if (was === undefined || !isNamedKind(kind)) return ids;
    for (const [now, before] of Object.entries(was)) {
      const rows = await this.session.run<{ id: string; legacyId: string | null }>(sql`
        select id as "id", legacy_id as "legacyId"
        from ${raw(kind)}
        where company_id = ${this.session.companyId} and (legacy_id in (${now}, ${before}) or id = ${before})`);
      const kept = rows.find(({ legacyId }) => legacyId === before) ?? rows.find(({ id }) => id === before);
      if (kept !== undefined && rows.every(({ legacyId }) => legacyId !== now)) ids.set(now, kept.id);
    }
    return ids;
  }

  /** Stages a kind, and finds which stored row each of its rows is, and what it refers to. */
  async #stageAndResolve(kind: Kind, known: KnownDigests | null): Promise<void> {
    const { session } = this;
    const bad = this.bad;
    await this.#stage(kind, known);
    const hasAdopted = isGroup(kind) && !this.isFresh(kind) && (await adoptGroups(session, kind));
    const hasGivenIds = hasAdopted || this.#hasGivenIds.get(kind)!;
    await identifyRows(session, kind, bad, { hasGivenIds, isFresh: this.isFresh(kind) });
    await resolveReferences(session, kind, bad);
    if (isTree(kind) && isParent(kind))
      await refuseCycles(session, kind, bad, (place) => this.fileOf(place).file);
    if (kind === "adjustments") {
      const unnamed = sql` and s.id is null`;
      const { companyId } = session;
      await setIds(session, kind, unnamed, ({ references: { workerId, policyId }, fields: { date } }) =>
        mintedId(companyId, kind, workerId!, policyId!, String(date)),
      );
    }
    if (kind === "assignments") await refuseTakenIds(session, bad, hasGivenIds);
  }

  /** Reads and checks the rows of a kind. Mistakes that depend on stored rows are noticed later, in `load`. */
  async check(kind: Kind): Promise<void> {
    const { session } = this;
    const bad = this.bad;
    const known = await this.digests.read(kind, this.storedBefore.get(kind)!);
    await this.#stageAndResolve(kind, known);
    if (known?.hasRepeated || (await this.digests.hasRepeated(kind))) {
      // Two records of one row: each record of the kind is looked at, to name the lines of both.
      this.digests.ignore(kind);
      await clearStagedTable(session, kind);
      bad.restart(kind);
      await this.#stageAndResolve(kind, null);
    }
    await this.digests.keepUnclaimed(kind);
    await this.#checkRows(kind);
    if (kind === "workers") {
      for (const group of ["departments", "workplaces"] as const) await this.readGroups(group);
      await this.links.resolve(bad);
    }
    await refuseDuplicates(session, kind, bad, this.files.sources);
    if (isGroup(kind)) await this.readGroups(kind);
    if (kind === "workers") {
      await resolveManagers(session, bad);
      await this.retention?.skipWorkers(session);
      await this.digests.forgetWorkers();
    }
    if (kind === "policies") {
      const hasChanges = this.kinds.includes("policy_changes");
      const policies = await Policies.read(session, this.options.today, hasChanges ? null : this.#countsFrom);
      this.refuse([...policies.problems]);
      this.context.policies = policies;
      await this.digests.forgetOthers(kind, policies.isAnyOther);
    }
  }

  /** Ends the import if rows are bad that may not go to quarantine. */
  refuseBad(): void {
    this.bad.refuse(this.files.queries.badRecords.length);
  }

  /** Tries to build the rows that may fail, and refuses those that do. */
  async #checkRows<K extends Kind>(kind: K): Promise<void> {
    const { mayFail, query, build } = KIND_RULES[kind];
    if (mayFail === undefined) return;
    const isFresh = this.isFresh(kind);
    const refused: RefusedRow[] = [];
    const more = query?.(this.session.companyId);
    for await (const rows of loadedRows(this.session, kind, {
      isFresh,
      where: sql` and s.may_fail = 1`,
      ...more,
    }))
      for (const row of rows) {
        const { problems } = build(row, this.context);
        if (problems !== undefined) refused.push({ row: row.staged, problems });
      }
    refused.sort((a, b) => a.row.n - b.row.n);
    await this.bad.refuseRows(kind, refused);
  }

  /** Reads the departments or workplaces that workers may name: those of the files, else the stored ones. */
  async readGroups<K extends GroupKind>(kind: K): Promise<void> {
    if (this.#readKinds.has(kind)) return;
    this.#readKinds.add(kind);
    const { build } = KIND_RULES[kind];
    await this.links.read(kind, (row) => build(row, this.context).row!); // groups are built of their fields alone
  }

  /** The conditions for which each source of a kind is complete. */
  #complete(kind: Kind): Complete[] {
    const sources = this.files.sources.filter((source) => source.kind === kind);
    const all = [
      ...sources.map(({ mapping }) => mapping?.mapping.complete),
      this.options.pulled?.complete[kind],
    ];
    return all.filter((item) => item !== undefined);
  }
}
