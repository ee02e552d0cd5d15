// One import of a company: all or nothing, except for rows that the operator sends to quarantine. Its files are read, converted and staged,
// and all rows are checked, while nothing is held. One transaction then writes what is new, changed or gone.
import sql, { raw } from "sql-template-tag";
import { isNamedKind, isParent, isTree, KINDS, type Kind } from "../resources/kinds.ts";
import {
  CompanyChanged,
  type ImportSession,
  type ImportTransaction,
  type WriteStore,
} from "../store/store.ts";
import { formatDay } from "../time/day.ts";
import { formatInstant } from "../time/instant.ts";
import { BadRows, type RefusedRow } from "./bad-rows.ts";
import { type Complete, prunableFrom } from "./convert/complete.ts";
import { amountNote, checkHeaders, importRowsOf, skipNotes } from "./convert/import-rows.ts";
import type { KnownDigests } from "./convert/record-digests.ts";
import { AbsentRows } from "./load/absent.ts";
import { movedCloses } from "./load/closed.ts";
import { StoredDigests } from "./load/digests.ts";
import {
  EXPECTED,
  type FindingCode,
  Findings,
  FindingsRefused,
  findingText,
  type ImportFinding,
} from "./load/findings.ts";
import {
  brokenMoveTexts,
  ChangedAmounts,
  changeTimes,
  measure,
  olderFiles,
  policyNames,
  renamedDepartments,
  renamedPolicies,
  unusualShares,
} from "./load/gate.ts";
import { identifyRows, refuseDuplicates } from "./load/identity.ts";
import { refuseTakenIds } from "./load/kinds/assignments.ts";
import { adoptGroups, isGroup, refuseCircles, removeUnused } from "./load/kinds/groups.ts";
import { KIND_RULES } from "./load/kinds/index.ts";
import type { BuildContext } from "./load/kinds/kind.ts";
import { type CountsFrom, Policies } from "./load/kinds/policies.ts";
import { refreshPolicies, writeDated } from "./load/kinds/policy-changes.ts";
import { circlesOfManagers, type GroupKind, resolveManagers, WorkerLinks } from "./load/kinds/workers.ts";
import { Changes, loadKind } from "./load/load.ts";
import { recomputeLocalDays } from "./load/local-times.ts";
import { movedPast, movedText } from "./load/past.ts";
import { ALLOWED_REMOVALS, type PrunedKind, prune } from "./load/prune.ts";
import { makeNameTables, resolveReferences } from "./load/references.ts";
import { Retention, tooMuch } from "./load/retention.ts";
import { loadedRows, setIds } from "./load/stored-rows.ts";
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
import { ImportRefused, shown } from "./row-errors.ts";
import { clearStagedTable, indexStagedTable, makeStagedTables, mintedId, Stage } from "./staging.ts";

/** Findings that refuse an import, unless they are accepted. */
const REFUSING: ReadonlySet<FindingCode> = new Set([
  "unit-changed",
  "renamed-policy",
  "renamed-department",
  "changes-the-past",
]);
/** More columns of a file are not remembered. */
const MOST_IGNORED = 200;

/**
 * Imports the sources into a company. Raises ImportRefused, which lists every mistake, if a row is bad and may not go to quarantine, or
 * if pruning is unsafe; and whatever the store raises. Then nothing has changed. The order of files and rows makes no difference. Prints
 * nothing.
 */
export async function importCompany(
  store: WriteStore,
  companyId: string,
  given: readonly Source[],
  options: ImportOptions,
): Promise<ImportReport> {
  const sources = given.map((source) => withToday(source, options.today));
  const queries = new QueryDatabases({ ...DEFAULT_QUERY_LIMITS, ...options.queryLimits });
  try {
    const totalBytes = await checkHeaders(sources, queries);
    const changedAtMs = await changeTimes(sources, options.pulled);
    for (;;) {
      try {
        return await store.stage(
          companyId,
          async (session) => {
            const isLater = options.pulled !== undefined && (await session.count("openings")) > 0;
            const all = isLater ? [...sources, ...reportedOf(sources, options.today)] : sources;
            return await new CompanyImport(session, all, options, queries, totalBytes, changedAtMs).run();
          },
          options.writing,
        );
      } catch (error) {
        if (!(error instanceof CompanyChanged)) throw error;
      }
    }
  } finally {
    queries.close();
  }
}

/** Calendars expand their events around today. */
function withToday(source: Source, today: number): Source {
  const { origin } = source;
  return origin.type === "file"
    ? { ...source, origin: { ...origin, options: { ...origin.options, today } } }
    : source;
}

/** What a system says is left, to compare: of the months before this one, the last of each stays. */
function reportedOf(sources: readonly Source[], today: number): readonly Source[] {
  if (sources.some(({ kind }) => kind === "reported")) return [];
  const complete = { startsOnOrAfter: `${formatDay(today).slice(0, 7)}-01` };
  return sources.flatMap((source): Source[] => {
    const { kind, label, mapping } = source;
    if (kind !== "openings" || mapping === null) return [];
    const own = { ...mapping, mapping: { ...mapping.mapping, complete, ignore: "*" as const } };
    return [{ ...source, kind: "reported", label: `${label}, compared`, mapping: own }];
  });
}

class CompanyImport {
  readonly #kinds: readonly Kind[];
  readonly #counts: FileCounts[];
  readonly #bad: BadRows;
  readonly #digests: StoredDigests;
  readonly #findings: Findings;
  readonly #links: WorkerLinks;
  readonly #changes = new Changes(new ChangedAmounts());
  /** Whether a file could not be read to its end, or lacks a column: then nothing is imported. */
  #hasIncomplete = false;
  readonly #storedBefore = new Map<Kind, number>();
  /** The rows that were skipped, by source. */
  readonly #skipNotes: (readonly string[])[];
  readonly #notes: string[] = [];
  /** Why the import is refused, although each row is right. */
  readonly #refusals: string[] = [];
  readonly #ignored: Record<string, readonly string[]> = {};
  #last: ImportRecord | null = null;
  /** Its policies are read once those of the files are staged. */
  readonly #context: { -readonly [K in keyof BuildContext]: BuildContext[K] } & { policies: Policies };
  readonly #hasGivenIds = new Map<Kind, boolean>();
  readonly #readKinds = new Set<GroupKind>();
  readonly #pruned = new Map<Kind, PrunedKind>();
  #hasOtherDays = false;
  #hasOtherTerms = false;
  #hasErased = false;
  #retention: Retention | null = null;
  /** Departments and workplaces that were made of names which nobody has any more. */
  #unusedRemoved = 0;
  #rows = 0;
  #bytes = 0;

  constructor(
    private readonly session: ImportSession,
    private readonly sources: readonly Source[],
    private readonly options: ImportOptions,
    private readonly queries: QueryDatabases,
    private readonly totalBytes: number,
    /** By kind, when its newest file was last changed. */
    private readonly changedAtMs: ChangedAtMs,
  ) {
    this.#kinds = KINDS.filter((kind) => sources.some((source) => source.kind === kind));
    this.#counts = sources.map(({ label, kind }) => ({ file: label, kind, ...NO_ROWS }));
    this.#bad = new BadRows(session, sources, this.#counts, options.quarantine?.limit ?? null);
    this.#digests = new StoredDigests(session, this.#bad);
    this.#findings = new Findings(options.today);
    this.#links = new WorkerLinks(session, formatInstant(options.nowMs));
    this.#skipNotes = sources.map(() => []);
    const { companyId } = session;
    const policies = new Policies(companyId, options.today, null);
    this.#context = { companyId, today: options.today, timeZone: null, policies, links: this.#links };
  }

  /** The steps of an import, in order. */
  async run(): Promise<ImportReport> {
    try {
      await this.#begin();
      for (const kind of this.#kinds) await this.#check(kind); // reads, converts and stages, parents first
      this.#bad.refuse(this.queries.badRecords.length, this.#hasIncomplete);
    } catch (error) {
      if (error instanceof ImportRefused) await this.session.requireUnchanged();
      throw error;
    }
    return this.session.hold(async (transaction) => {
      const heldSinceMs = performance.now();
      await this.#load(transaction); // what is new or changed
      const notInFiles = await this.#prune(transaction); // what is gone
      await this.#refreshPolicies(transaction);
      await this.#tellOfCloses(transaction);
      await this.#eraseOld(transaction); // what is older than the company keeps it
      const report = await this.#report(transaction, notInFiles, heldSinceMs);
      const record = this.options.record?.(report);
      const { isDryRun, keepRemovalsMs } = this.options;
      return {
        result: report,
        changed: report.isChanged,
        commit: !isDryRun,
        keepRemovalsMs,
        hasErased: this.#hasErased,
        ...(record === undefined ? {} : { record }),
      };
    });
  }

  async #begin(): Promise<void> {
    const { session, options } = this;
    this.#last = readImportRecord(await session.lastImport());
    this.#refuse(options.mayBeOlder ? [] : olderFiles(this.changedAtMs, this.#last));
    this.#refuse(this.#datingProblems());
    for (const { place, cells, problem } of this.queries.badRecords) {
      this.#bad.errors.add(place, [problem]);
      this.#bad.refused.addCells(cells);
    }
    await makeStagedTables(session, this.#kinds);
    await makeNameTables(session);
    await this.#digests.open(options.program ?? null);
    for (const kind of this.#kinds) {
      const stored = await session.count(kind);
      this.#storedBefore.set(kind, stored);
      const from = prunableFrom(kind, this.#complete(kind), options.today);
      const isAll = from === null || from.length === 0;
      this.#pruned.set(kind, { stored: isAll ? stored : await session.count(kind, from), from });
    }
    const company = await session.company();
    this.#context.timeZone = company.timeZone;
    this.#retention = Retention.of(company, options.nowMs);
    if (!this.#kinds.includes("policies"))
      this.#context.policies = await Policies.read(session, this.options.today, null);
  }

  /** From which day on what a file says otherwise of policies counts. */
  readonly #countsFrom: CountsFrom = (source) => {
    const { rulesFrom, today } = this.options;
    if (rulesFrom !== undefined) return { day: rulesFrom, isNext: false };
    return this.sources[source]!.mapping?.mapping.changes === undefined ? null : { day: today, isNext: true };
  };

  /** Changes are either in files or made of what files say otherwise. */
  #datingProblems(): string[] {
    const { rulesFrom } = this.options;
    const isMapped = this.sources.some(({ mapping }) => mapping?.mapping.changes !== undefined);
    const how = rulesFrom !== undefined ? "--rules-from" : '"changes": "nextPeriod"';
    if (rulesFrom === undefined && !isMapped) return [];
    if (!this.#kinds.includes("policies")) return [`${how}: the files have no policies`];
    return this.#kinds.includes("policy_changes")
      ? [`${how}: the files have policy_changes: write there what counts from which day on`]
      : [];
  }

  #isFresh(kind: Kind): boolean {
    return this.#storedBefore.get(kind) === 0;
  }

  #fileOf(kind: Kind): FileCounts {
    return this.#counts.find((counts) => counts.kind === kind)!;
  }

  /** Ends the import for these reasons; a dry run goes on and tells them. */
  #refuse(reasons: readonly string[]): void {
    if (reasons.length > 0 && !this.options.isDryRun) throw new ImportRefused(reasons);
    this.#refusals.push(...reasons);
  }

  // Read, convert and check ----------------------------------------------------------------------------------------------

  /** Reads the files of a kind and puts their rows where statements find them. Records whose digests are stored go no further. */
  async #stage<K extends Kind>(kind: K, known: KnownDigests | null): Promise<void> {
    const { session, options } = this;
    const { companyId } = session;
    const { idOf, hintsOf, mayFail } = KIND_RULES[kind];
    const stage = new Stage(session, kind, {
      withRecords: this.#bad.hasQuarantine,
      ...(idOf === undefined ? {} : { idOf: (fields) => idOf(companyId, fields) }),
      ...(hintsOf === undefined ? {} : { hintsOf }),
      ...(mayFail === undefined ? {} : { mayFail }),
    });
    const key = this.#digests.keyFor(kind);
    for (const [sourceAt, source] of this.sources.entries()) {
      if (source.kind !== kind) continue;
      const counts = this.#counts[sourceAt]!;
      const kept = await this.#keptIds(kind, source);
      const batches = importRowsOf({
        source: { ...source, kind },
        queries: this.queries,
        errors: this.#bad.errors,
        digests: key === null ? null : { key, known },
        onBytes: (bytes) => {
          this.#bytes += bytes;
        },
        onEnd: ({ isWhole, skipped, doubts, ignored }) => {
          this.#findings.ofFiles(doubts);
          this.#noteIgnored(source.label, ignored);
          counts.skipped = skipped.rows;
          this.#skipNotes[sourceAt] = skipNotes(source, skipped);
          if (isWhole) return;
          // Report other mistakes, too, but no unknown reference: the file may have its row.
          this.#hasIncomplete = true;
          this.#bad.refused.add(kind, []);
        },
      });
      for await (const batch of batches) {
        counts.unchanged += batch.unchanged;
        for (const bad of batch.bad) await this.#bad.addRecord(kind, sourceAt, bad, bad.problems);
        await stage.add(sourceAt, source.label, batch.importRows, kept);
        this.#rows += batch.records;
        const bytes = Math.min(this.#bytes, this.totalBytes); // files may be read twice
        options.onProgress?.({ rows: this.#rows, bytes, totalBytes: this.totalBytes });
      }
    }
    this.#hasGivenIds.set(kind, stage.hasGivenIds);
    if (isParent(kind) || !this.#isFresh(kind)) await indexStagedTable(session, kind);
  }

  /** What is ignored now, and was not there in the last import. What it had stays known: a file of JSON may lack it. */
  #noteIgnored(label: string, ignored: readonly string[]): void {
    const before = this.#ignored[label] ?? this.#last?.ignored[label]; // a file may be read twice
    if (ignored.length === 0 || ignored.length > MOST_IGNORED) return;
    for (const name of before === undefined ? [] : ignored.filter((column) => !before.includes(column)))
      this.#findings.note("new-column", `${shown(name)} in ${label}`);
    this.#ignored[label] = [...new Set([...(before ?? []), ...ignored])];
  }

  /** For rows that the mapping's `was` renames: by the new legacy id, the id that the row keeps. */
  async #keptIds(kind: Kind, { mapping }: Source): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    const was = mapping?.mapping.was;
    if (was === undefined || !isNamedKind(kind)) return ids;
    for (const [now, before] of Object.entries(was)) {
      const rows = await this.session.run<{ id: string; legacyId: string }>(sql`
        select id as "id", legacy_id as "legacyId"
        from ${raw(kind)}
        where company_id = ${this.session.companyId} and legacy_id in (${now}, ${before})`);
      const stored = new Map(rows.map(({ id, legacyId }) => [legacyId, id]));
      if (!stored.has(now) && stored.has(before)) ids.set(now, stored.get(before)!);
    }
    return ids;
  }

  /** Stages a kind, and finds which stored row each of its rows is, and what it refers to. */
  async #stageAndResolve(kind: Kind, known: KnownDigests | null): Promise<void> {
    const { session } = this;
    const bad = this.#bad;
    await this.#stage(kind, known);
    const hasAdopted = isGroup(kind) && !this.#isFresh(kind) && (await adoptGroups(session, kind));
    const hasGivenIds = hasAdopted || this.#hasGivenIds.get(kind)!;
    await identifyRows(session, kind, bad, { hasGivenIds, isFresh: this.#isFresh(kind) });
    await resolveReferences(session, kind, bad);
    if (isTree(kind) && isParent(kind))
      await refuseCircles(session, kind, bad, (place) => this.#fileOf(place).file);
    if (kind === "adjustments") {
      const unnamed = sql` and s.id is null`;
      const { companyId } = session;
      await setIds(session, kind, unnamed, ({ references: { workerId, policyId }, fields: { date } }) =>
        mintedId(companyId, kind, workerId!, policyId!, String(date)),
      );
    }
    if (kind === "assignments") await refuseTakenIds(session, bad, hasGivenIds);
  }

  /** Reads and checks the rows of a kind. Mistakes that depend on stored rows are noticed later, in `#load`. */
  async #check(kind: Kind): Promise<void> {
    const { session } = this;
    const bad = this.#bad;
    const known = await this.#digests.read(kind, this.#storedBefore.get(kind)!);
    await this.#stageAndResolve(kind, known);
    if (known?.hasRepeated || (await this.#digests.hasRepeated(kind))) {
      // Two records of one row: each record of the kind is looked at, to name the lines of both.
      this.#digests.ignore(kind);
      await clearStagedTable(session, kind);
      bad.restart(kind);
      await this.#stageAndResolve(kind, null);
    }
    await this.#checkRows(kind);
    if (kind === "workers") {
      for (const group of ["departments", "workplaces"] as const) await this.#readGroups(group);
      await this.#links.resolve(bad);
    }
    await refuseDuplicates(session, kind, bad, this.sources);
    if (isGroup(kind)) await this.#readGroups(kind);
    if (kind === "workers") {
      await resolveManagers(session, bad);
      await this.#retention?.leaveOutWorkers(session);
      await this.#digests.forgetWorkers();
    }
    if (kind === "policies") {
      const hasChanges = this.#kinds.includes("policy_changes");
      const policies = await Policies.read(session, this.options.today, hasChanges ? null : this.#countsFrom);
      this.#refuse([...policies.problems]);
      this.#context.policies = policies;
      await this.#digests.forgetOthers(kind, policies.isAnyOther);
    }
  }

  /** Tries to build the rows that may fail, and refuses those that do. */
  async #checkRows<K extends Kind>(kind: K): Promise<void> {
    const { mayFail, query, build } = KIND_RULES[kind];
    if (mayFail === undefined) return;
    const isFresh = this.#isFresh(kind);
    const refused: RefusedRow[] = [];
    const more = query?.(this.session.companyId);
    for await (const rows of loadedRows(this.session, kind, {
      isFresh,
      where: sql` and s.may_fail = 1`,
      ...more,
    }))
      for (const row of rows) {
        const { problems } = build(row, this.#context);
        if (problems !== undefined) refused.push({ row: row.staged, problems });
      }
    refused.sort((a, b) => a.row.n - b.row.n);
    await this.#bad.refuseRows(kind, refused);
  }

  async #readGroups<K extends GroupKind>(kind: K): Promise<void> {
    if (this.#readKinds.has(kind)) return;
    this.#readKinds.add(kind);
    const { build } = KIND_RULES[kind];
    await this.#links.read(kind, (row) => build(row, this.#context).row!); // groups are built of their fields alone
  }

  // Write --------------------------------------------------------------------------------------------------------------------

  /** Writes new and changed rows, and the rows that follow from them. */
  async #load(transaction: ImportTransaction): Promise<void> {
    const { session } = this;
    const [digests, findings, changes, counts] = [this.#digests, this.#findings, this.#changes, this.#counts];
    const isPulled = this.options.pulled !== undefined;
    const retention = this.#retention;
    const made = { counts, digests, findings, changes };
    const context = { ...this.#context, session, transaction, ...made, isPulled, retention };
    await digests.forget();
    // Whether a request is kept depends on openings.
    const isLast = (kind: Kind) => Number(retention !== null && kind === "requests");
    for (const kind of this.#kinds.toSorted((a, b) => isLast(a) - isLast(b)))
      await loadKind(kind, this.#isFresh(kind), context);
    if (this.#kinds.some((kind) => kind === "workers" || isGroup(kind))) {
      for (const group of ["departments", "workplaces"] as const) await this.#readGroups(group);
      await this.#links.writeMade(transaction);
      for (const [name, workers] of this.#links.unrecognised)
        findings.note("department-of-name", shown(name), workers);
      await this.#links.refresh(transaction, changes.renamed);
    }
    const zones = new Map([...changes.rezoned].map(([id, zone]) => [id, zone ?? context.timeZone]));
    this.#hasOtherDays = await recomputeLocalDays(transaction, zones);
  }

  /** Policies have other terms than before by their changes, or as days pass. */
  async #refreshPolicies(transaction: ImportTransaction): Promise<void> {
    if ((await transaction.count("policies")) === 0) return;
    const { today, accepted } = this.options;
    const { dated } = this.#context.policies;
    const names = dated.size === 0 ? new Map<string, string>() : await policyNames(transaction);
    this.#notes.push(...(await writeDated(transaction, dated, (id) => names.get(id)!)));
    const { policyTerms } = this.#changes;
    const { changed, problems, undated } = await refreshPolicies(transaction, policyTerms, today);
    this.#refuse(problems);
    this.#hasOtherTerms = changed > 0;
    if (undated.size === 0 || problems.length > 0 || accepted?.has("changes-the-past")) return;
    const named = await policyNames(transaction);
    for (const moved of await movedPast(transaction, undated, today))
      this.#findings.note("changes-the-past", movedText(moved, named.get(moved.policyId)!));
  }

  /** Closed figures that are others now. */
  async #tellOfCloses(transaction: ImportTransaction): Promise<void> {
    for (const [name, balances] of await movedCloses(transaction)) {
      transaction.noteEvent("time_off.close.differs", { closeId: name, balances });
      const figures = balances === 1 ? "1 figure" : `${balances} figures`;
      this.#notes.push(
        `this import changes ${figures} of the close ${name}: see rollcall closes diff ${name} --company ${this.session.companyId}`,
      );
    }
  }

  /** Erases what is stored and older than the company keeps it, and says whom that concerns. */
  async #eraseOld(transaction: ImportTransaction): Promise<void> {
    const { session, options } = this;
    const retention = this.#retention;
    if (retention === null) return;
    for (const [source, rows] of await retention.leftOut(session, this.#kinds)) {
      const { file, kind } = this.#counts[source]!;
      this.#counts[source]!.skipped += rows;
      this.#notes.push(
        `${file}: skipped ${rows} ${rows === 1 ? "row" : "rows"} of ${kind} (older than is kept)`,
      );
    }
    const old = await retention.find(session);
    this.#refuse(tooMuch(old, options.allowedRemovals ?? ALLOWED_REMOVALS));
    this.#hasErased = await retention.erase(session, transaction, old);
    const kept = [...old.keptLeavers].map(([id, why]) => `${id} (${why})`);
    for (const [code, ids] of [
      ["erased-workers", old.leavers],
      ["erased-requests", old.requests],
      ["erased-reasons", old.reasons],
      ["kept-leavers", kept],
      ["kept-requests", old.keptRequests],
    ] as const)
      this.#findings.noteAll(code, ids);
  }

  /** Removes what the files do not contain, if that is asked for. Returns how many rows there are that it would remove. */
  async #prune(transaction: ImportTransaction): Promise<ImportReport["notInFiles"]> {
    const { session, options } = this;
    for (const kind of ["departments", "workplaces"] as const)
      this.#bad.addPresent(kind, this.#links[kind].used);
    const absent = new AbsentRows(session, this.#bad, this.#digests, this.#counts);
    await this.#noteRenamed(transaction, absent);
    const pruned = this.#pruned;
    if (!options.isPruning) {
      const counts: Partial<Record<Kind, number>> = {};
      for (const [kind, { from }] of pruned) {
        if (this.#isFresh(kind) || this.#bad.unidentified.has(kind)) continue; // nothing was stored, or it is not known
        const rows = from === null ? 0 : await absent.count(kind, from);
        if (rows > 0) counts[kind] = rows;
      }
      return counts;
    }
    for (const kind of this.#bad.unidentified) {
      if (!pruned.delete(kind)) continue;
      this.#notes.push(
        `no ${kind} are pruned: a row in quarantine has no id, so it cannot be told which stored one it is`,
      );
    }
    const limit = { allowed: options.allowedRemovals ?? ALLOWED_REMOVALS, refuses: !options.isDryRun };
    const done = await prune(session, transaction, pruned, absent, limit, (kind) => this.#fileOf(kind).file);
    for (const [kind, count] of done.removed) this.#fileOf(kind).removed = count;
    this.#notes.push(...done.notes);
    this.#refuse(done.refusals);
    if (pruned.has("workers"))
      for (const kind of ["departments", "workplaces"] as const)
        this.#unusedRemoved += await removeUnused(session, transaction, kind);
    return {};
  }

  /** Policies and departments that the files seem to have under another name. */
  async #noteRenamed(transaction: ImportTransaction, absent: AbsentRows): Promise<void> {
    const { session } = this;
    const { newPolicies, newDepartments, moves } = this.#changes;
    if (newPolicies.size > 0 && !this.#isFresh("policies"))
      for (const text of await renamedPolicies(session, newPolicies, await absent.query("policies")))
        this.#findings.note("renamed-policy", text);
    const isNew = (id: string) => newDepartments.has(id) || this.#links.departments.made.has(id);
    for (const text of await renamedDepartments(session, transaction, moves, isNew))
      this.#findings.note("renamed-department", text);
  }

  /** The conditions for which each source of a kind is complete. */
  #complete(kind: Kind): Complete[] {
    const sources = this.sources.filter((source) => source.kind === kind);
    const all = [
      ...sources.map(({ mapping }) => mapping?.mapping.complete),
      this.options.pulled?.complete[kind],
    ];
    return all.filter((item) => item !== undefined);
  }

  async #report(
    transaction: ImportTransaction,
    notInFiles: ImportReport["notInFiles"],
    heldSinceMs: number,
  ): Promise<ImportReport> {
    const { options } = this;
    const last = this.#last;
    if (this.#kinds.includes("assignments")) this.#refuse(brokenMoveTexts(await transaction.brokenMoves()));
    const isOtherwise = this.#hasErased || this.#hasOtherDays;
    const gate = await measure(transaction, this.#counts, this.#storedBefore, isOtherwise ? null : last);
    for (const { text, rows } of await unusualShares(this.session, gate))
      this.#findings.note("many-changed", text, rows);
    for (const { text, rows } of this.#changes.amounts.otherUnits(gate, last))
      this.#findings.note("unit-changed", text, rows);
    for (const { file, count } of options.pulled?.refused ?? [])
      if (count > 0) this.#findings.note("refused-rows", file, count);
    if (this.#kinds.includes("workers"))
      for (const circle of await circlesOfManagers(this.session))
        this.#findings.note("circle-of-managers", circle);
    const findings = await this.#listFindings(transaction);
    const { quarantined } = this.#bad;
    options.quarantine?.write(quarantined);
    for (const [source, count] of this.#changes.computedAmounts)
      this.#notes.push(amountNote(this.sources[source]!, count));
    const skipped = this.#kinds.flatMap((kind) =>
      this.#skipNotes.filter((_, at) => this.sources[at]!.kind === kind),
    );
    return {
      files: this.#counts,
      notInFiles,
      notes: [...skipped.flat(), ...this.#notes],
      findings,
      quarantined,
      refusals: this.#refusals,
      isChanged:
        this.#hasOtherDays ||
        this.#hasOtherTerms ||
        this.#hasErased ||
        this.#unusedRemoved > 0 ||
        this.#counts.some(({ added, changed, removed }) => added + changed + removed > 0),
      gate,
      lastGate: last?.gate ?? null,
      changedAtMs: { ...last?.changedAtMs, ...this.changedAtMs },
      ignored: { ...last?.ignored, ...this.#ignored },
      heldMs: Math.round(performance.now() - heldSinceMs),
    };
  }

  /** What is probably wrong with what was loaded. Raises FindingsRefused where the import is strict. */
  async #listFindings(transaction: ImportTransaction): Promise<readonly ImportFinding[]> {
    const { options } = this;
    const accepted = options.accepted ?? new Set();
    await this.#findings.seeStored(this.session, transaction, this.#kinds, accepted);
    const findings = this.#findings.list(accepted);
    this.#refuse(findings.filter(({ code }) => REFUSING.has(code)).map(findingText));
    const doubtful = findings.filter(({ code }) => !EXPECTED.has(code));
    if (options.isStrict && doubtful.length > 0) throw new FindingsRefused(doubtful);
    return findings;
  }
}
