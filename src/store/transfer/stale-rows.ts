// Before a company is copied over an older copy of itself, its stale rows are removed. Otherwise an old row could be in the
// way of a new one: a legacy id, for example, may now belong to another row.

import type { ImportTransaction, RowKey } from "../store.ts";
import { FACT_KINDS, type FactKind, type Rows, TABLES } from "../tables.ts";
import { rowText } from "./contents.ts";

/** Reads the target's rows beside the source's, both in key order, and removes those that the source does not have. */
export class StaleRows {
  readonly #transaction: ImportTransaction;
  #kindIndex = 0;
  #scan: TargetScan | null = null;
  removed = 0;

  constructor(transaction: ImportTransaction) {
    this.#transaction = transaction;
  }

  /** Takes the source's next rows. Removes the target's rows that come before them or differ from them. */
  async pass<K extends FactKind>(kind: K, rows: readonly Rows[K][]): Promise<void> {
    const scan = await this.#at(kind);
    for (const row of rows) await scan.until(kind, row);
  }

  /** The source has no more rows: removes what is left in the target. */
  async end(): Promise<void> {
    while (this.#kindIndex < FACT_KINDS.length) await this.#finish();
  }

  async #at(kind: FactKind): Promise<TargetScan> {
    while (FACT_KINDS[this.#kindIndex] !== kind) await this.#finish();
    this.#scan ??= new TargetScan(this.#transaction, kind);
    return this.#scan;
  }

  async #finish(): Promise<void> {
    const scan = this.#scan ?? new TargetScan(this.#transaction, FACT_KINDS[this.#kindIndex]!);
    await scan.end();
    this.removed += scan.removed;
    this.#scan = null;
    this.#kindIndex++;
  }
}

class TargetScan {
  readonly #transaction: ImportTransaction;
  readonly #kind: FactKind;
  readonly #batches: AsyncIterator<readonly Rows[FactKind][]>;
  #batch: readonly Rows[FactKind][] = [];
  #next = 0;
  #stale: RowKey[] = [];
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

  /** Passes every row up to the source's row. Only a row that equals it stays. */
  async until<K extends FactKind>(kind: K, row: Rows[K]): Promise<void> {
    for (let head = await this.#head(); head !== null; head = await this.#head()) {
      const order = compareKeys(keyOf(this.#kind, head), keyOf(kind, row));
      if (order > 0) return;
      if (order < 0 || rowText(this.#kind, head) !== rowText(kind, row))
        this.#stale.push(keyOf(this.#kind, head));
      this.#next++;
      if (order === 0) return;
    }
  }

  async end(): Promise<void> {
    for (let head = await this.#head(); head !== null; head = await this.#head()) {
      this.#stale.push(keyOf(this.#kind, head));
      this.#next++;
    }
    await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#transaction.remove(this.#kind, this.#stale);
    this.removed += this.#stale.length;
    this.#stale = [];
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
