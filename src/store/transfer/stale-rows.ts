// Before a company is copied over an older copy of itself, its stale rows are removed. Otherwise an old row could be in the
// way of a new one: a legacy id, for example, may now belong to another row.

import type { ImportTransaction, RowKey } from "../store.ts";
import { KINDS, type Kind, keyOf, type Rows } from "../tables.ts";
import { rowText } from "./row-texts.ts";

/** A row of the target, whatever its kind. */
interface TargetRow {
  readonly kind: Kind;
  readonly key: RowKey;
  readonly text: string;
}

/** Reads the target's rows beside the source's, kind by kind in key order, and removes those that the source does not have. */
export class StaleRows {
  readonly #transaction: ImportTransaction;
  readonly #rows: AsyncIterator<TargetRow, undefined>;
  #row: TargetRow | undefined;
  #stale: RowKey[] = [];
  removed = 0;

  private constructor(transaction: ImportTransaction) {
    this.#transaction = transaction;
    this.#rows = this.#targetRows();
  }

  static async begin(transaction: ImportTransaction): Promise<StaleRows> {
    const staleRows = new StaleRows(transaction);
    await staleRows.#next();
    return staleRows;
  }

  /** Takes the source's next rows. Removes the target's rows that come before them or differ from them. */
  async pass<K extends Kind>(kind: K, rows: readonly Rows[K][]): Promise<void> {
    for (const row of rows) {
      const key = keyOf(kind, row);
      while (this.#row !== undefined && compare(this.#row, { kind, key }) < 0) await this.#remove(this.#row);
      if (this.#row === undefined) return;
      if (compare(this.#row, { kind, key }) > 0) continue;
      if (this.#row.text === rowText(kind, row)) await this.#next();
      else await this.#remove(this.#row);
    }
  }

  /** The source has no more rows: removes what is left in the target. */
  async end(): Promise<void> {
    while (this.#row !== undefined) await this.#remove(this.#row);
  }

  async #remove({ key }: TargetRow): Promise<void> {
    this.#stale.push(key);
    this.removed++;
    await this.#next();
  }

  async #next(): Promise<void> {
    this.#row = (await this.#rows.next()).value;
  }

  async *#targetRows(): AsyncGenerator<TargetRow, undefined> {
    for (const kind of KINDS) {
      for await (const batch of this.#transaction.scan(kind)) {
        for (const row of batch) yield { kind, key: keyOf(kind, row), text: rowText(kind, row) };
        // While a scan goes on, only rows of batches that were seen may be written.
        await this.#transaction.remove(kind, this.#stale);
        this.#stale = [];
      }
    }
    return undefined;
  }
}

type Position = Pick<TargetRow, "kind" | "key">;

/** Below 0 if `left` comes first. Ids are ASCII, where JavaScript compares as every engine does: byte by byte. */
function compare(left: Position, right: Position): number {
  const kinds = KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind);
  if (kinds !== 0) return kinds;
  for (const [index, value] of left.key.entries()) {
    const other = right.key[index]!;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
