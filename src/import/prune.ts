// What the given files no longer contain: how many stored rows that are, and pruning, which removes them, children before what they
// refer to.
import { isParent, isTree, type ParentKind } from "../resources/kinds.ts";
import type { FromDay, ImportTransaction, RowKey } from "../store/store.ts";
import { isDigested, KINDS, type Kind, keyOf } from "../store/tables.ts";
import { isPrunable } from "./complete.ts";
import type { ImportDigests } from "./digests.ts";
import { type ImportMemory, keyText } from "./memory.ts";
import type { FileCounts } from "./report.ts";
import { ImportRefused, RowErrors, shown } from "./row-errors.ts";

const BATCH_ROWS = 1000;

export interface Pruned {
  /** How many rows of each given kind. */
  readonly removed: ReadonlyMap<Kind, number>;
  /** What stays, because rows that the files do not have all of refer to it. */
  readonly notes: readonly string[];
  /** A message for each kind that loses more rows than is allowed. */
  readonly refusals: readonly string[];
}

/** A kind that is pruned. */
export interface PrunedKind {
  /** How many rows there were before the import, of those that may go. */
  readonly stored: number;
  /** The days from which rows may go: none where all may, null where no row may. */
  readonly from: readonly FromDay[] | null;
}

/** So few rows may always go: in a small company each is a large share. */
const FEW_ROWS = 10;
/** The share of a kind's rows that an import may remove unless it is told otherwise. */
export const ALLOWED_REMOVALS = 0.1;
const MAX_EXAMPLES = 3;

interface PruneContext {
  /** The file of a kind, for messages. */
  fileOf(kind: Kind): string;
  /** The keys of the stored rows of a kind that this import did not contain, in batches. */
  absent(kind: Kind): AsyncIterable<readonly RowKey[]>;
}

/**
 * Removes the stored rows of each given kind that this import did not contain. `allowed`: the share of its rows that a kind may lose.
 * Throws ImportRefused if something that remains refers to them, and, with `refuses`, if a kind would lose more.
 */
export async function prune(
  transaction: ImportTransaction,
  memory: ImportMemory,
  pruned: ReadonlyMap<Kind, PrunedKind>,
  { allowed, refuses }: { readonly allowed: number; readonly refuses: boolean },
  { fileOf, absent }: PruneContext,
): Promise<Pruned> {
  const removed = new Map<Kind, number>();
  const refusals: string[] = [];
  const kinds = KINDS.filter((kind) => pruned.has(kind)).reverse();
  for (const kind of kinds) {
    const { stored, from } = pruned.get(kind)!;
    // All that is stored now is of this import where nothing was before.
    const isFixed = stored === 0 || from === null;
    const count = isFixed ? 0 : await markAbsent(absent(kind), transaction, memory, kind, from);
    removed.set(kind, count);
    if (count <= FEW_ROWS || count <= stored * allowed) continue;
    const share = Math.ceil((count * 100) / stored);
    refusals.push(
      `${fileOf(kind)}: pruning would remove ${count} of ${stored} stored ${kind} (${share} %), such as ${await examples(transaction, memory, kind)}: is the file whole? If so, say --allow-removals ${share}%`,
    );
  }
  if (refuses && refusals.length > 0) throw new ImportRefused(refusals);
  const bad = new RowErrors();
  const notes: string[] = [];
  /** Rows of these kinds may be there that the source has, but not the files: what they refer to stays. */
  const isInPart = (kind: Kind) => {
    const from = pruned.get(kind)?.from;
    return from === null || (from !== undefined && from.length > 0);
  };
  for (const kind of kinds) {
    let kept = 0;
    if (isTree(kind) && isParent(kind)) await removeLeaves(transaction, memory, kind);
    for (const keys of memory.markedForDeletion(kind, BATCH_ROWS)) {
      const stays = isParent(kind)
        ? await referencedRows(transaction, kind, keys, isInPart, bad, fileOf(kind))
        : new Set<string>();
      kept += stays.size;
      if (bad.count > 0) continue;
      await transaction.remove(
        kind,
        keys.filter(([id]) => !stays.has(String(id))),
      );
    }
    if (kept === 0) continue;
    removed.set(kind, removed.get(kind)! - kept);
    notes.push(
      `${fileOf(kind)}: ${kept} ${kind} that are not in the file stay: stored rows refer to them that the files do not have all of (complete)`,
    );
  }
  if (removed.get("workers")) await noteMissingManagers(transaction, bad, fileOf("workers"));
  bad.refuseAny();
  return { removed, refusals, notes };
}

/** Rows of one kind may belong to each other: of those that are marked, what nothing refers to goes first, and so on. */
async function removeLeaves(
  transaction: ImportTransaction,
  memory: ImportMemory,
  kind: ParentKind,
): Promise<void> {
  for (let isAnyRemoved = true; isAnyRemoved; ) {
    isAnyRemoved = false;
    for (const keys of memory.markedForDeletion(kind, BATCH_ROWS)) {
      const stored = await transaction.stored(kind, keys);
      const there = stored.flatMap((row) => (row === null ? [] : [row.id]));
      const referring = await transaction.referenced(kind, there);
      const leaves = there.filter((id) => !referring.has(id));
      await transaction.remove(
        kind,
        leaves.map((id) => [id]),
      );
      isAnyRemoved ||= leaves.length > 0;
    }
  }
}

/** Marks rows for deletion, since rows may not be removed while they are read. Returns how many. */
async function markAbsent(
  batches: AsyncIterable<readonly RowKey[]>,
  transaction: ImportTransaction,
  memory: ImportMemory,
  kind: Kind,
  from: readonly FromDay[],
): Promise<number> {
  let count = 0;
  for await (const absent of batches) {
    const keys = await prunableKeys(transaction, kind, absent, from);
    for (const key of keys) memory.markForDeletion(kind, key);
    count += keys.length;
  }
  return count;
}

/** Those of the keys whose rows are at or after the days. */
async function prunableKeys(
  transaction: ImportTransaction,
  kind: Kind,
  keys: readonly RowKey[],
  from: readonly FromDay[],
): Promise<readonly RowKey[]> {
  if (from.length === 0 || keys.length === 0) return keys;
  const rows = await transaction.stored(kind, keys);
  return keys.filter((_, at) => rows[at] !== null && isPrunable(rows[at]!, from));
}

/** The first rows that are marked for deletion, by their ids in the source. */
async function examples(transaction: ImportTransaction, memory: ImportMemory, kind: Kind): Promise<string> {
  for (const keys of memory.markedForDeletion(kind, MAX_EXAMPLES)) {
    const rows = await transaction.stored(kind, keys);
    const names = rows.map((row, at) =>
      row !== null && "legacyId" in row && row.legacyId !== null ? shown(row.legacyId) : keys[at]!.join(" "),
    );
    return names.join(", ");
  }
  return "";
}

/** Which rows stay, by id, because others refer to them. Those that should not are noted in `bad`. */
async function referencedRows(
  transaction: ImportTransaction,
  kind: ParentKind,
  keys: readonly RowKey[],
  isInPart: (kind: Kind) => boolean,
  bad: RowErrors,
  file: string,
): Promise<ReadonlySet<string>> {
  const referring = await transaction.referenced(
    kind,
    keys.map(([id]) => String(id)),
  );
  const stays = new Set([...referring].flatMap(([id, by]) => (isInPart(by) ? [id] : [])));
  if (referring.size === stays.size) return stays;
  const rows = await transaction.stored(kind, keys);
  for (const row of rows) {
    const by = row === null ? undefined : referring.get(row.id);
    if (row === null || by === undefined || stays.has(row.id)) continue;
    const name = row.legacyId === null ? row.id : `${row.id} (legacyId ${row.legacyId})`;
    const message = `is not in the file but cannot be removed: stored ${by} refer to it`;
    const advice = `. Keep it in the file, or give a file of ${by} without them in the same import`;
    bad.add({ file, line: null }, [
      { field: null, value: name, message, advice: { one: advice, many: advice } },
    ]);
  }
  return stays;
}

/** How many missing managers are reported. */
const MANAGERS_SHOWN = 100;

async function noteMissingManagers(
  transaction: ImportTransaction,
  bad: RowErrors,
  file: string,
): Promise<void> {
  for (const { id, managerId } of await transaction.workersWithoutManager(MANAGERS_SHOWN)) {
    const message = "is not in the file but cannot be removed, because it is a managerId";
    const advice = {
      one: `: that of worker ${id}. Keep it in the file, or give ${id} another manager`,
      many: ": keep them in the file, or give their reports other managers",
    };
    bad.add({ file, line: null }, [{ field: null, value: managerId, message, advice }]);
  }
}

/** Which stored rows the files of an import contain, once all of them are loaded. */
export class Presence {
  constructor(
    readonly transaction: ImportTransaction,
    readonly memory: ImportMemory,
    readonly digests: ImportDigests,
    readonly counts: readonly FileCounts[],
  ) {}

  /** How many stored rows of a kind, at or after these days, the files do not contain. */
  async countAbsent(kind: Kind, from: readonly FromDay[]): Promise<number> {
    let count = 0;
    for await (const keys of this.absentKeys(kind))
      count += (await prunableKeys(this.transaction, kind, keys, from)).length;
    return count;
  }

  #countLoaded(kind: Kind): number {
    const files = this.counts.filter((counts) => counts.kind === kind);
    return files.reduce((sum, { added, changed, unchanged }) => sum + added + changed + unchanged, 0);
  }

  /** The keys of the stored rows of a kind that the files do not contain, in batches. */
  async *absentKeys(kind: Kind): AsyncGenerator<readonly RowKey[]> {
    // As many rows are stored as the files have.
    if (!this.memory.hasPresent(kind) && (await this.transaction.count(kind)) === this.#countLoaded(kind))
      return;
    const known = this.digests.known(kind);
    if (known === null || !isDigested(kind)) {
      for await (const rows of this.transaction.scan(kind)) {
        const keys = rows.map((row) => keyOf(kind, row));
        yield keys.filter((key) => !this.memory.isPresent(kind, keyText(key)));
      }
      return;
    }
    for await (const rows of this.transaction.digests.keys(kind)) {
      const isFound = ([key, digest]: (typeof rows)[number]) =>
        (digest !== null && known.isClaimed(digest)) || this.memory.isPresent(kind, keyText(key));
      yield rows.flatMap((row) => (isFound(row) ? [] : [row[0]]));
    }
  }
}
