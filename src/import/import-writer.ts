// The second half of an import: one transaction writes what is new, changed or gone.
import type { Kind } from "../resources/kinds.ts";
import type { ImportTransaction } from "../store/store.ts";
import { amountNote } from "./convert/import-rows.ts";
import {
  EXPECTED,
  type FindingCode,
  FindingsRefused,
  findingText,
  type ImportFinding,
} from "./load/findings.ts";
import {
  ChangedAmounts,
  measure,
  policyNames,
  renamedDepartments,
  renamedPolicies,
  unusualShares,
} from "./load/gate.ts";
import { brokenMoves } from "./load/kinds/assignments.ts";
import { isGroup, removeUnused } from "./load/kinds/groups.ts";
import { refreshPolicies, writeDated } from "./load/kinds/policy-changes.ts";
import { recomputeLocalDays } from "./load/kinds/requests.ts";
import { circlesOfManagers } from "./load/kinds/workers.ts";
import { Changes, loadKind } from "./load/load.ts";
import { movedPast, movedText, tellOfCloses } from "./load/past.ts";
import { renamedWorkers } from "./load/people.ts";
import { AbsentRows, ALLOWED_REMOVALS, prune } from "./load/prune.ts";
import { tooMuch } from "./load/retention.ts";
import type { ImportReport } from "./report.ts";
import { shown } from "./row-errors.ts";
import type { StagedImport } from "./staged-import.ts";

/** Findings that refuse an import, unless they are accepted. */
const REFUSING: ReadonlySet<FindingCode> = new Set([
  "unit-changed",
  "renamed-policy",
  "renamed-department",
  "changes-the-past",
]);

/** Writes the staged rows of an import within its transaction. The order of its steps is that of `importCompany`. */
export class ImportWriter {
  /** Whether the transaction erases rows that are older than the company keeps them. */
  hasErased = false;
  readonly #changes = new Changes(new ChangedAmounts());
  readonly #notes: string[] = [];
  #hasOtherDays = false;
  #hasOtherTerms = false;
  /** Departments and workplaces that were made of names which nobody has any more. */
  #unusedRemoved = 0;

  constructor(
    private readonly staged: StagedImport,
    private readonly transaction: ImportTransaction,
  ) {}

  /** Writes new and changed rows, and the rows that follow from them. */
  async load(): Promise<void> {
    const { staged, transaction } = this;
    const { session, counts, digests, findings, retention, kinds, links } = staged;
    const changes = this.#changes;
    const made = { counts, digests, findings, changes, retention };
    const context = { ...staged.context, session, transaction, ...made };
    await digests.forget();
    // Whether a request is kept depends on openings.
    const isLast = (kind: Kind) => Number(retention !== null && kind === "requests");
    for (const kind of kinds.toSorted((a, b) => isLast(a) - isLast(b)))
      await loadKind(kind, staged.isFresh(kind), context);
    if (kinds.some((kind) => kind === "workers" || isGroup(kind))) {
      for (const group of ["departments", "workplaces"] as const) await staged.readGroups(group);
      await links.writeMade(transaction);
      for (const [name, workers] of links.unrecognised)
        findings.note("department-of-name", shown(name), workers);
      await links.refresh(transaction, changes.renamed);
    }
    const zones = new Map([...changes.rezoned].map(([id, zone]) => [id, zone ?? context.timeZone]));
    this.#hasOtherDays = await recomputeLocalDays(transaction, zones);
  }

  /** With `--prune`, removes rows that the files no longer have. Otherwise counts them, by kind. */
  async prune(): Promise<ImportReport["notInFiles"]> {
    const { staged } = this;
    const { session, bad, links } = staged;
    for (const kind of ["departments", "workplaces"] as const) bad.addPresent(kind, links[kind].used);
    const absent = new AbsentRows(session, bad, staged.digests, staged.counts);
    await this.#noteRenamed(absent);
    const counts = staged.options.isPruning ? {} : await this.#countAbsent(absent);
    if (staged.options.isPruning) await this.#removeAbsent(absent);
    for (const kind of staged.skippedKinds)
      staged.findings.noteAll("skipped-row", (await absent.skipped(kind)).map(shown));
    return counts;
  }

  async #removeAbsent(absent: AbsentRows): Promise<void> {
    const { staged, transaction } = this;
    const { session, options, bad, pruned } = staged;
    for (const kind of bad.unidentified) {
      if (!pruned.delete(kind)) continue;
      this.#notes.push(
        `no ${kind} are pruned: a row in quarantine has no id, so it cannot be told which stored one it is`,
      );
    }
    const limit = { allowed: options.allowedRemovals ?? ALLOWED_REMOVALS, refuses: !options.isDryRun };
    const done = await prune(session, transaction, pruned, absent, limit, (kind) => staged.fileOf(kind).file);
    for (const [kind, count] of done.removed) {
      const counts = staged.fileOf(kind);
      counts.removed = count;
      if (count > 1 && kind !== "reported" && (await transaction.count(kind)) === 0)
        staged.findings.note("nothing-left", `${counts.file}: ${count} ${kind}`, count);
    }
    this.#notes.push(...done.notes);
    staged.refuse(done.refusals);
    if (pruned.has("workers"))
      for (const kind of ["departments", "workplaces"] as const)
        this.#unusedRemoved += await removeUnused(session, transaction, kind);
  }

  async #countAbsent(absent: AbsentRows): Promise<ImportReport["notInFiles"]> {
    const { staged } = this;
    const counts: Partial<Record<Kind, number>> = {};
    for (const [kind, { from }] of staged.pruned) {
      if (staged.isFresh(kind) || staged.bad.unidentified.has(kind)) continue; // nothing was stored, or it is not known
      const rows = from === null ? 0 : await absent.count(kind, from);
      if (rows > 0) counts[kind] = rows;
    }
    return counts;
  }

  /** Notes policies, departments and workers that the files seem to have under another name. */
  async #noteRenamed(absent: AbsentRows): Promise<void> {
    const { staged } = this;
    const { session, findings, links } = staged;
    const { newPolicies, newDepartments, moves, people, newWorkers } = this.#changes;
    if (newPolicies.size > 0 && !staged.isFresh("policies"))
      for (const text of await renamedPolicies(session, newPolicies, await absent.query("policies")))
        findings.note("renamed-policy", text);
    const isNew = (id: string) => newDepartments.has(id) || links.departments.made.has(id);
    for (const text of await renamedDepartments(session, moves, isNew))
      findings.note("renamed-department", text);
    findings.noteAll("other-person", people.others());
    const from = staged.pruned.get("workers")?.from; // null: workers whom the files lack may be there
    if (from != null)
      for (const text of await renamedWorkers(session, newWorkers, await absent.query("workers", from)))
        findings.note("renamed-worker", text);
  }

  /** Moves the terms of policies on: by their changes, and as days pass. */
  async refreshPolicies(): Promise<void> {
    const { staged, transaction } = this;
    if ((await transaction.count("policies")) === 0) return;
    const { today, accepted } = staged.options;
    const { dated } = staged.context.policies;
    const names = dated.size === 0 ? new Map<string, string>() : await policyNames(transaction);
    this.#notes.push(...(await writeDated(transaction, dated, (id) => names.get(id)!)));
    const { policyTerms } = this.#changes;
    const { changed, problems, undated } = await refreshPolicies(transaction, policyTerms, today);
    staged.refuse(problems);
    this.#hasOtherTerms = changed > 0;
    if (undated.size === 0 || problems.length > 0 || accepted?.has("changes-the-past")) return;
    const named = await policyNames(transaction);
    for (const moved of await movedPast(transaction, undated, today))
      staged.findings.note("changes-the-past", movedText(moved, named.get(moved.policyId)!));
  }

  /** Notes which closed figures would be others now, and tells hooks. */
  async tellOfCloses(): Promise<void> {
    for (const text of await tellOfCloses(this.transaction)) this.#notes.push(`this import changes ${text}`);
  }

  /** Erases what is stored and older than the company keeps it, and says whom that concerns. */
  async eraseOld(): Promise<void> {
    const { session, options, retention, kinds, counts, findings } = this.staged;
    if (retention === null) return;
    for (const [source, rows] of await retention.skippedRows(session, kinds)) {
      const { file, kind } = counts[source]!;
      counts[source]!.skipped += rows;
      this.#notes.push(
        `${file}: skipped ${rows} ${rows === 1 ? "row" : "rows"} of ${kind} (older than is kept)`,
      );
    }
    const old = await retention.find(session);
    this.staged.refuse(tooMuch(old, options.allowedRemovals ?? ALLOWED_REMOVALS));
    this.hasErased = await retention.erase(session, this.transaction, old);
    const kept = [...old.keptLeavers].map(([id, why]) => `${id} (${why})`);
    for (const [code, ids] of [
      ["erased-workers", old.leavers],
      ["erased-requests", old.requests],
      ["erased-reasons", old.reasons],
      ["kept-leavers", kept],
      ["kept-requests", old.keptRequests],
    ] as const)
      findings.noteAll(code, ids);
  }

  /** `notInFiles`: what `prune` returned. `heldSinceMs`: when the transaction began, of `performance.now()`. */
  async report(notInFiles: ImportReport["notInFiles"], heldSinceMs: number): Promise<ImportReport> {
    const { staged, transaction } = this;
    const { session, options, kinds, counts, findings, last, bad } = staged;
    const { sources, changedAtMs } = staged.files;
    if (kinds.includes("assignments")) staged.refuse(await brokenMoves(transaction));
    const isOtherwise = this.hasErased || this.#hasOtherDays;
    const gate = await measure(
      transaction,
      counts,
      staged.storedBefore,
      notInFiles,
      isOtherwise ? null : last,
    );
    for (const { text, rows } of await unusualShares(session, gate))
      findings.note("many-changed", text, rows);
    for (const { text, rows } of this.#changes.amounts.otherUnits(gate, last))
      findings.note("unit-changed", text, rows);
    for (const { file, count } of options.pulled?.refused ?? [])
      if (count > 0) findings.note("refused-rows", file, count);
    if (kinds.includes("workers"))
      for (const circle of await circlesOfManagers(session)) findings.note("circle-of-managers", circle);
    const found = await this.#listFindings();
    options.quarantine?.write(bad.quarantined);
    for (const [source, count] of this.#changes.computedAmounts)
      this.#notes.push(amountNote(sources[source]!, count));
    const skipped = kinds.flatMap((kind) => staged.skipNotes.filter((_, at) => sources[at]!.kind === kind));
    return {
      files: counts,
      notInFiles,
      notes: [...skipped.flat(), ...this.#notes],
      findings: found,
      quarantined: bad.quarantined,
      refusals: staged.refusals,
      isChanged:
        this.#hasOtherDays ||
        this.#hasOtherTerms ||
        this.hasErased ||
        this.#unusedRemoved > 0 ||
        counts.some(({ added, changed, removed }) => added + changed + removed > 0),
      gate,
      lastGate: last?.gate ?? null,
      changedAtMs: { ...last?.changedAtMs, ...changedAtMs },
      lineEnds: { ...last?.lineEnds, ...staged.lineEnds },
      ignored: { ...last?.ignored, ...staged.ignored },
      heldMs: Math.round(performance.now() - heldSinceMs),
    };
  }

  /** Lists what is probably wrong with what was loaded. Raises FindingsRefused where the import is strict. */
  async #listFindings(): Promise<readonly ImportFinding[]> {
    const { staged, transaction } = this;
    const { session, options, findings, kinds } = staged;
    const accepted = options.accepted ?? new Set();
    await findings.seeStored(session, transaction, kinds, accepted, options.today);
    const listed = findings.list(accepted);
    staged.refuse(listed.filter(({ code }) => REFUSING.has(code)).map(findingText));
    const doubtful = listed.filter(({ code }) => !EXPECTED.has(code));
    if (options.isStrict && doubtful.length > 0) throw new FindingsRefused(doubtful);
    return listed;
  }
}
