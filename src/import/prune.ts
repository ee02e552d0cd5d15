// What the given files no longer contain: how many stored rows that are, and pruning, which removes them, children before what they
// refer to.
import { isParent, type ParentKind } from "../resources/kinds.ts";
import type { ImportTransaction, RowKey } from "../store/store.ts";
import { isDigested, KINDS, type Kind, keyOf } from "../store/tables.ts";
import type { ImportDigests } from "./digests.ts";
import { type ImportMemory, keyText } from "./memory.ts";
import { halvesOf } from "./record-digests.ts";
import type { FileCounts } from "./report.ts";
import { ImportRefused, RowErrors } from "./row-errors.ts";

const BATCH_ROWS = 1000;

export interface Pruned {
  /** How many rows of each given kind. */
  readonly removed: ReadonlyMap<Kind, number>;
  /** A message for each kind that loses more than half of its rows: that it does, and how to confirm it. */
  readonly mostRemoved: readonly string[];
}

interface PruneContext {
  /** The file of a kind, for messages. */
  fileOf(kind: Kind): string;
  /** The keys of the stored rows of a kind that this import did not contain, in batches. */
  absent(kind: Kind): AsyncIterable<readonly RowKey[]>;
}

/**
 * Removes the stored rows of each given kind that this import did not contain. Throws ImportRefused if something
 * that remains refers to them, or, with `refusesMost`, if it would remove more than half of the rows of a kind.
 * `storedBefore`: by given kind, how many rows there were before the import.
 */
export async function prune(
  transaction: ImportTransaction,
  memory: ImportMemory,
  storedBefore: ReadonlyMap<Kind, number>,
  refusesMost: boolean,
  { fileOf, absent }: PruneContext,
): Promise<Pruned> {
  const removed = new Map<Kind, number>();
  const kinds = KINDS.filter((kind) => storedBefore.has(kind)).reverse();
  for (const kind of kinds) {
    // All that is stored now is of this import where nothing was before.
    const isFresh = storedBefore.get(kind) === 0;
    removed.set(kind, isFresh ? 0 : await markAbsent(absent(kind), memory, kind));
  }
  const mostRemoved = kinds
    .filter((kind) => removed.get(kind)! * 2 > storedBefore.get(kind)!)
    .map(
      (kind) =>
        `${fileOf(kind)}: pruning would remove ${removed.get(kind)} of ${storedBefore.get(kind)} stored ${kind}: if the file is complete, say so with --yes`,
    );
  if (refusesMost && mostRemoved.length > 0) throw new ImportRefused(mostRemoved);
  const bad = new RowErrors();
  for (const kind of kinds) {
    for (const keys of memory.markedForDeletion(kind, BATCH_ROWS)) {
      if (isParent(kind)) await noteReferenced(transaction, kind, keys, bad, fileOf(kind));
      if (bad.count === 0) await transaction.remove(kind, keys);
    }
  }
  if (removed.get("workers")) await noteMissingManagers(transaction, bad, fileOf("workers"));
  bad.refuseAny();
  return { removed, mostRemoved };
}

/** Marks rows for deletion, since rows may not be removed while they are read. Returns how many. */
async function markAbsent(
  batches: AsyncIterable<readonly RowKey[]>,
  memory: ImportMemory,
  kind: Kind,
): Promise<number> {
  let count = 0;
  for await (const keys of batches) {
    for (const key of keys) memory.markForDeletion(kind, key);
    count += keys.length;
  }
  return count;
}

async function noteReferenced(
  transaction: ImportTransaction,
  kind: ParentKind,
  keys: readonly RowKey[],
  bad: RowErrors,
  file: string,
): Promise<void> {
  const referring = await transaction.referenced(
    kind,
    keys.map(([id]) => String(id)),
  );
  if (referring.size === 0) return;
  const rows = await transaction.stored(kind, keys);
  for (const row of rows) {
    const by = row === null ? undefined : referring.get(row.id);
    if (row === null || by === undefined) continue;
    const name = row.legacyId === null ? row.id : `${row.id} (legacyId ${row.legacyId})`;
    bad.add({ file, line: null }, [
      `${name} is not in the file but cannot be removed: stored ${by} refer to it. Keep it in the file, or give a file of ${by} without them in the same import`,
    ]);
  }
}

/** How many missing managers are reported. */
const MANAGERS_SHOWN = 100;

async function noteMissingManagers(
  transaction: ImportTransaction,
  bad: RowErrors,
  file: string,
): Promise<void> {
  for (const { id, managerId } of await transaction.workersWithoutManager(MANAGERS_SHOWN)) {
    bad.add({ file, line: null }, [
      `${managerId} is not in the file but cannot be removed: it is the managerId of worker ${id}. Keep it in the file, or give ${id} another manager`,
    ]);
  }
}

/** Which stored rows the files of an import contain, once all of them are loaded. */
export class Presence {
  readonly #transaction: ImportTransaction;
  readonly #memory: ImportMemory;
  readonly #digests: ImportDigests;
  readonly #counts: readonly FileCounts[];

  constructor(
    transaction: ImportTransaction,
    memory: ImportMemory,
    digests: ImportDigests,
    counts: readonly FileCounts[],
  ) {
    this.#transaction = transaction;
    this.#memory = memory;
    this.#digests = digests;
    this.#counts = counts;
  }

  /** How many stored rows of a kind the files do not contain. */
  async countAbsent(kind: Kind): Promise<number> {
    return (await this.#transaction.count(kind)) - this.#countLoaded(kind) - (await this.#countPresent(kind));
  }

  #countLoaded(kind: Kind): number {
    const files = this.#counts.filter((counts) => counts.kind === kind);
    return files.reduce((sum, { added, changed, unchanged }) => sum + added + changed + unchanged, 0);
  }

  /** How many rows are not loaded, although the files have them. */
  async #countPresent(kind: Kind): Promise<number> {
    let count = 0;
    for (const keys of this.#memory.presentKeys(kind, BATCH_ROWS))
      count += keys.length - (await this.#digests.countTaken(kind, keys));
    return count;
  }

  /** The keys of the stored rows of a kind that the files do not contain, in batches. */
  async *absentKeys(kind: Kind): AsyncGenerator<readonly RowKey[]> {
    const known = this.#digests.known(kind);
    if (known === null || !isDigested(kind)) {
      for await (const rows of this.#transaction.scan(kind)) {
        const keys = rows.map((row) => keyOf(kind, row));
        yield keys.filter((key) => !this.#memory.isPresent(kind, keyText(key)));
      }
      return;
    }
    const isAnyPresent = !this.#memory.presentKeys(kind, 1).next().done;
    if (!isAnyPresent && (await this.#transaction.count(kind)) === this.#countLoaded(kind)) return;
    for await (const rows of this.#transaction.digests.keys(kind)) {
      const isFound = ([key, digest]: (typeof rows)[number]) =>
        (digest !== null && known.isTaken(...halvesOf(digest))) || this.#memory.isPresent(kind, keyText(key));
      yield rows.flatMap((row) => (isFound(row) ? [] : [row[0]]));
    }
  }
}
