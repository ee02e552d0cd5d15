// Builds rows and their objects from staged, checked rows, and writes those that are new or changed.
import { KINDS, type Kind, type Rows } from "../../resources/kinds.ts";
import { type StoredPolicyTerms, storedTerms } from "../../resources/policies.ts";
import type { ImportSession, ImportTransaction, KnownOfRow } from "../../store/store.ts";
import { keyOf, type RowKey } from "../../store/tables.ts";
import { formatDay } from "../../time/day.ts";
import type { FileCounts } from "../report.ts";
import { placeText } from "../row-errors.ts";
import { placeOf } from "../staging.ts";
import type { StoredDigests } from "./digests.ts";
import type { Findings } from "./findings.ts";
import type { ChangedAmounts } from "./gate.ts";
import { KIND_RULES } from "./kinds/index.ts";
import type { BuildContext } from "./kinds/kind.ts";
import { hasOtherNames, isOtherWorker } from "./kinds/workers.ts";
import { ChangedPeople } from "./people.ts";
import type { Retention } from "./retention.ts";
import { isSameRow, type LoadedRow, loadedRows } from "./stored-rows.ts";

export interface LoadContext extends BuildContext {
  readonly session: ImportSession;
  readonly transaction: ImportTransaction;
  /** The file and the counts of rows of each source. */
  readonly counts: readonly FileCounts[];
  readonly digests: StoredDigests;
  readonly findings: Findings;
  readonly changes: Changes;
  readonly retention: Retention | null;
}

/** More rows than one import has of a kind. Findings are ordered by kind, then by row. */
const ROWS_OF_KIND = 2 ** 40;

/** Changes of an import that have effects beyond the rows that it writes. */
export class Changes {
  /** The legacy ids of policies that were not stored before, by id. */
  readonly newPolicies = new Map<string, string>();
  readonly newDepartments = new Set<string>();
  /** How many workers moved between two departments, by `OLD_ID NEW_ID`. */
  readonly moves = new Map<string, number>();
  /** The new time zones of workers whose zone changed, by id. */
  readonly rezoned = new Map<string, string | null>();
  /** The ids of workers whose names changed. */
  readonly renamed: string[] = [];
  readonly people = new ChangedPeople();
  /** The ids of workers who came to those that were stored. */
  readonly newWorkers: string[] = [];
  /** The replaced terms of policies, by id. */
  readonly policyTerms = new Map<string, StoredPolicyTerms>();
  /** How many amounts were computed, by source. */
  readonly computedAmounts = new Map<number, number>();

  constructor(readonly amounts: ChangedAmounts) {}

  added(kind: Kind, row: Rows[Kind]): void {
    if (kind === "departments") this.newDepartments.add((row as Rows["departments"]).id); // the kind says so, here and below
    if (kind !== "policies") return;
    const { id, legacyId } = row as Rows["policies"];
    if (legacyId !== null) this.newPolicies.set(id, legacyId);
  }

  changedWorker(now: Rows["workers"], before: Rows["workers"]): void {
    if (now.timeZone !== before.timeZone) this.rezoned.set(now.id, now.timeZone);
    if (hasOtherNames(now, before)) this.renamed.push(now.id);
    this.people.note(now, before);
    if (before.departmentId === null || before.departmentId === now.departmentId) return;
    const move = `${before.departmentId} ${now.departmentId}`;
    this.moves.set(move, (this.moves.get(move) ?? 0) + 1);
  }
}

/** Writes the new and changed rows of a kind. `isFresh`: nothing of the kind is stored. */
export async function loadKind<K extends Kind>(
  kind: K,
  isFresh: boolean,
  context: LoadContext,
): Promise<void> {
  const { session, transaction, digests } = context;
  if (isFresh) await transaction.beginFirstLoad(kind);
  const query = {
    ...KIND_RULES[kind].query?.(session.companyId),
    ...context.retention?.query(kind),
  };
  for await (const batch of loadedRows(session, kind, { isFresh, ...query })) {
    const { rows, known, newDigests } = changedOf(kind, batch, isFresh, context);
    await transaction.put(kind, rows, known);
    await digests.set(kind, newDigests);
  }
  if (isFresh) await transaction.endFirstLoad();
}

/** The rows of a batch that are new or changed, and the new digests of those that are not. */
function changedOf<K extends Kind>(
  kind: K,
  batch: readonly LoadedRow<K>[],
  isFresh: boolean,
  context: LoadContext,
) {
  const rows: Rows[K][] = [];
  const known: KnownOfRow[] = [];
  const newDigests: (readonly [RowKey, string])[] = [];
  for (const loaded of batch) {
    const built = buildRow(kind, loaded, context);
    if (built === null) continue;
    const { row, isPlain } = built;
    const { stored, storedDigest, staged } = loaded;
    const digest = isPlain ? staged.digest : null;
    if (kind === "workers" && !isFresh && stored === null)
      context.changes.newWorkers.push((row as Rows["workers"]).id); // the kind says so
    if (isChanged(kind, row, stored, context, staged.source)) {
      rows.push(row);
      known.push({ digest, stored }); // with its `seq`
    } else if (digest !== null && digest !== storedDigest) newDigests.push([keyOf(kind, row), digest]);
  }
  return { rows, known, newDigests };
}

/** Builds a row; null if it is too old to be kept. `isPlain`: there is nothing to report about it, so its digest may be stored. */
function buildRow<K extends Kind>(
  kind: K,
  loaded: LoadedRow<K>,
  context: LoadContext,
): { readonly row: Rows[K]; readonly isPlain: boolean } | null {
  const { findings, counts, changes, timeZone, retention } = context;
  const built = KIND_RULES[kind].build(loaded, context);
  if (built.row === undefined) throw new Error(`a row that was checked cannot be built: ${kind}`);
  const {
    row,
    dayOfAnotherZone,
    isComputed,
    notes = [],
  } = built as Exclude<typeof built, { readonly row?: undefined }>; // it has a row
  if (retention?.skips(kind, row, loaded, context.policies)) return null;
  const { fields, staged, hints, workersZone } = loaded;
  const place = placeOf(staged, counts[staged.source]!.file);
  const order = KINDS.indexOf(kind) * ROWS_OF_KIND + staged.n;
  const seen = { place, order, fields, hints, workersZone: workersZone ?? timeZone };
  const isPlain = findings.see(kind, seen, row) && notes.length === 0;
  for (const { code, example } of notes) findings.note(code, () => `${placeText(place)} (${example})`);
  if (dayOfAnotherZone !== undefined)
    findings.note("written-days", () => `${placeText(place)} (${formatDay(dayOfAnotherZone)})`);
  if (isComputed === true)
    changes.computedAmounts.set(staged.source, (changes.computedAmounts.get(staged.source) ?? 0) + 1);
  return { row: retention?.withoutOldReasons(kind, row, loaded.stored) ?? row, isPlain };
}

/** Counts a row as added, changed or unchanged. Returns whether to write it. */
function isChanged<K extends Kind>(
  kind: K,
  row: Rows[K],
  stored: Rows[K] | null,
  { counts, changes, findings, isPulled }: LoadContext,
  source: number,
): boolean {
  const fileCounts = counts[source]!;
  if (stored === null) {
    fileCounts.added++;
    changes.added(kind, row);
    return true;
  }
  // Each pull has an opening. Balances start from the first; later ones are only compared.
  if ((kind === "openings" && isPulled) || isSameRow(kind, row, stored)) {
    fileCounts.unchanged++;
    return false;
  }
  if (kind === "workers") {
    const [now, before] = [row as Rows["workers"], stored as Rows["workers"]]; // the kind says so
    changes.changedWorker(now, before);
    // A change of the manager's names is no change of the worker.
    fileCounts[isOtherWorker(now, before) ? "changed" : "unchanged"]++;
    findings.seeChanged(now, before);
    return true;
  }
  fileCounts.changed++;
  if (kind === "policies") {
    const before = stored as Rows["policies"]; // the kind says so
    changes.policyTerms.set(before.id, storedTerms(before));
  }
  changes.amounts.note(kind, row, stored);
  return true;
}
