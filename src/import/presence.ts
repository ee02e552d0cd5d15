// Which stored rows the files of an import contain, once all of them are loaded.
import type { ImportTransaction, RowKey } from "../store/store.ts";
import { type FactKind, isDigested } from "../store/tables.ts";
import { type ImportDigests, keyOf } from "./digests/digests.ts";
import { halvesOf } from "./digests/known.ts";
import type { FileCounts } from "./report.ts";
import { keyText, type Scratch } from "./scratch.ts";

const BATCH_ROWS = 1000;

export class Presence {
  readonly #transaction: ImportTransaction;
  readonly #scratch: Scratch;
  readonly #digests: ImportDigests;
  readonly #counts: readonly FileCounts[];

  constructor(
    transaction: ImportTransaction,
    scratch: Scratch,
    digests: ImportDigests,
    counts: readonly FileCounts[],
  ) {
    this.#transaction = transaction;
    this.#scratch = scratch;
    this.#digests = digests;
    this.#counts = counts;
  }

  /** How many stored rows of a kind the files do not contain. */
  async countAbsent(kind: FactKind): Promise<number> {
    return (await this.#transaction.count(kind)) - this.#countLoaded(kind) - (await this.#countPresent(kind));
  }

  #countLoaded(kind: FactKind): number {
    const files = this.#counts.filter((counts) => counts.kind === kind);
    return files.reduce((sum, { added, changed, unchanged }) => sum + added + changed + unchanged, 0);
  }

  /** How many rows are not loaded, although the files have them. */
  async #countPresent(kind: FactKind): Promise<number> {
    let count = 0;
    for (const keys of this.#scratch.presentKeys(kind, BATCH_ROWS))
      count += keys.length - (await this.#digests.countTaken(kind, keys));
    return count;
  }

  /** The keys of the stored rows of a kind that the files do not contain, in batches. */
  async *absentKeys(kind: FactKind): AsyncGenerator<readonly RowKey[]> {
    const known = this.#digests.known(kind);
    if (known === null || !isDigested(kind)) {
      for await (const rows of this.#transaction.scan(kind)) {
        const keys = rows.map((row) => keyOf(kind, row));
        yield keys.filter((key) => !this.#scratch.isPresent(kind, keyText(key)));
      }
      return;
    }
    const isAnyPresent = !this.#scratch.presentKeys(kind, 1).next().done;
    if (!isAnyPresent && (await this.#transaction.count(kind)) === this.#countLoaded(kind)) return;
    for await (const rows of this.#transaction.digests.keys(kind)) {
      const isFound = ([key, digest]: (typeof rows)[number]) =>
        (digest !== null && known.isTaken(...halvesOf(digest))) ||
        this.#scratch.isPresent(kind, keyText(key));
      yield rows.flatMap((row) => (isFound(row) ? [] : [row[0]]));
    }
  }
}
