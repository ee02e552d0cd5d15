// Before a company is copied over an older copy of itself: what does not belong there any more is removed, so that no
// old row stands in the way of a new one (a legacy id, say, that now belongs to another).

import type { ImportTransaction, RowKey } from "../store.ts";
import { FACT_KINDS, type FactKind, type Rows, TABLES } from "../tables.ts";
import { rowText } from "./contents.ts";

/** Walks the target's rows beside the source's, both in key order. */
export class StaleRows {
  readonly #transaction: ImportTransaction;
  #kindIndex = 0;
  #walk: TargetWalk | null = null;
  removed = 0;

  constructor(transaction: ImportTransaction) {
    this.#transaction = transaction;
  }

  /** The source's next rows. Target rows that should have come before them, or that differ from them, are removed. */
  async pass<K extends FactKind>(kind: K, rows: readonly Rows[K][]): Promise<void> {
    const walk = await this.#at(kind);
    for (const row of rows) await walk.until(kind, row);
  }

  /** There are no more rows in the source. */
  async end(): Promise<void> {
    while (this.#kindIndex < FACT_KINDS.length) await this.#finish();
  }

  async #at(kind: FactKind): Promise<TargetWalk> {
    while (FACT_KINDS[this.#kindIndex] !== kind) await this.#finish();
    this.#walk ??= new TargetWalk(this.#transaction, kind);
    return this.#walk;
  }

  async #finish(): Promise<void> {
    const walk = this.#walk ?? new TargetWalk(this.#transaction, FACT_KINDS[this.#kindIndex]!);
    await walk.end();
    this.removed += walk.removed;
    this.#walk = null;
    this.#kindIndex++;
  }
}

class TargetWalk {
  readonly #transaction: ImportTransaction;
  readonly #kind: FactKind;
  readonly #batches: AsyncIterator<readonly Rows[FactKind][]>;
  #batch: readonly Rows[FactKind][] = [];
  #next = 0;
  #leaving: RowKey[] = [];
  removed = 0;

  constructor(transaction: ImportTransaction, kind: FactKind) {
    this.#transaction = transaction;
    this.#kind = kind;
    this.#batches = transaction.scan(kind)[Symbol.asyncIterator]();
  }

  async #head(): Promise<Rows[FactKind] | null> {
    while (this.#next === this.#batch.length) {
      // Only rows of batches already seen may be written while a scan goes on.
      await this.#flush();
      const { value, done } = await this.#batches.next();
      if (done) return null;
      this.#batch = value;
      this.#next = 0;
    }
    return this.#batch[this.#next]!;
  }

  /** Goes past every row up to the source's row; only one that equals it may stay. */
  async until<K extends FactKind>(kind: K, row: Rows[K]): Promise<void> {
    for (let head = await this.#head(); head !== null; head = await this.#head()) {
      const order = compareKeys(keyOf(this.#kind, head), keyOf(kind, row));
      if (order > 0) return;
      if (order < 0 || rowText(this.#kind, head) !== rowText(kind, row))
        this.#leaving.push(keyOf(this.#kind, head));
      this.#next++;
      if (order === 0) return;
    }
  }

  async end(): Promise<void> {
    for (let head = await this.#head(); head !== null; head = await this.#head()) {
      this.#leaving.push(keyOf(this.#kind, head));
      this.#next++;
    }
    await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#transaction.remove(this.#kind, this.#leaving);
    this.removed += this.#leaving.length;
    this.#leaving = [];
  }
}

/** The row's key, as `TABLES` names it. */
export function keyOf<K extends FactKind>(kind: K, row: Rows[K]): RowKey {
  return TABLES[kind].key.map((field) => row[field] as string | number); // keys are texts and days
}

/** Ids are ASCII, where JavaScript compares as every engine does: byte by byte. */
function compareKeys(left: RowKey, right: RowKey): number {
  for (const [index, value] of left.entries()) {
    const other = right[index]!;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
