// One import of one company into the embedded store: the primitives that `src/import` uses, inside one transaction.
import type { Sql } from "sql-template-tag";
import { byKind, isListKind } from "../../resources/kinds.ts";
import { type ChangeNotes, notedColumns } from "../change-notes.ts";
import { SharedTransaction } from "../shared-reads.ts";
import type { BalanceQuery, ImportTransaction, KnownOfRow } from "../store.ts";
import type { NotedRow, RowKey } from "../tables.ts";
import { type Kind, keyOf, type Rows, selected, writtenValues } from "../tables.ts";
import type { Statements } from "./database.ts";
import { FirstLoad } from "./first-load.ts";
import { KnownStatements, readBalanceFacts, readWorkTimes } from "./read.ts";
import { BUCKET_FIELDS, type BucketRequest, INSERT, keyCondition, refileRequest, UPSERT } from "./rows.ts";

/** The columns that are read before a row is replaced or removed, by kind. */
const NOTED = byKind((kind) => {
  const columns = [...notedColumns(kind), ...(kind === "requests" ? BUCKET_FIELDS : [])];
  if (isListKind(kind)) columns.push("seq");
  return selected([...new Set(columns)]);
});

const SELECT_NOTED = byKind((kind) => `select ${NOTED[kind]} from ${kind} where ${keyCondition(kind)}`);
const DELETE = byKind((kind) => `delete from ${kind} where ${keyCondition(kind)} returning ${NOTED[kind]}`);

export class SqliteImportTransaction extends SharedTransaction implements ImportTransaction {
  #firstLoad: FirstLoad | null = null;
  /** Whether a person was removed: then their bytes must be erased from the store's files. */
  hasRemovedPeople = false;

  /** `hasBuckets`: false if the time buckets of all requests are made later, at once. */
  constructor(
    private readonly statements: Statements,
    readonly companyId: string,
    notes: ChangeNotes,
    readonly hasBuckets = true,
  ) {
    super(notes);
  }

  async run<R>(query: Sql): Promise<R[]> {
    return this.statements.all(query);
  }

  async workTimes(workerIds: readonly string[]) {
    return readWorkTimes(this.statements, this.companyId, workerIds);
  }

  async balanceFacts(query: BalanceQuery) {
    return readBalanceFacts(this.statements, this.companyId, query);
  }

  async balanceFactsBefore(query: BalanceQuery) {
    const { statements, companyId, notes } = this;
    const before = new KnownStatements(statements.database, companyId, notes.revisionBefore);
    return readBalanceFacts(before, companyId, query);
  }

  async beginFirstLoad(kind: Kind): Promise<void> {
    this.#firstLoad = new FirstLoad(this.statements, this.companyId, kind);
  }

  async endFirstLoad(): Promise<void> {
    this.#firstLoad?.end();
    this.#firstLoad = null;
  }

  async put<K extends Kind>(kind: K, rows: readonly Rows[K][], known?: readonly KnownOfRow[]): Promise<void> {
    const isFirst = this.#firstLoad?.kind === kind;
    const insert = this.statements.prepare(isFirst ? INSERT[kind] : UPSERT[kind]);
    for (const [at, row] of rows.entries()) {
      const { digest, stored } = known?.[at] ?? { digest: null };
      const before = isFirst ? null : stored === undefined ? this.#noted(kind, keyOf(kind, row)) : stored;
      const seq = this.notes.put(kind, before, row);
      insert.run(...writtenValues(kind, this.companyId, { row, seq, digest }));
      if (kind === "requests" && !isFirst) this.#refileRequest(before, row);
    }
    await this.notes.relieve();
  }

  #refileRequest(before: NotedRow | null, after: NotedRow | null): void {
    if (!this.hasBuckets) return;
    refileRequest(this.statements, this.companyId, bucketRequest(before), bucketRequest(after));
  }

  /** The noted columns of the stored row with a key. */
  #noted(kind: Kind, key: RowKey): NotedRow | null {
    return this.statements.prepare(SELECT_NOTED[kind]).get(this.companyId, ...key) as NotedRow | null; // the selection
  }

  async remove(kind: Kind, keys: readonly RowKey[]): Promise<void> {
    const remove = this.statements.prepare(DELETE[kind]);
    for (const key of keys) {
      const removed = remove.get(this.companyId, ...key) as NotedRow | null; // what is returned
      if (removed === null) continue;
      this.notes.removed(kind, removed);
      if (kind === "requests") this.#refileRequest(removed, null);
      if (kind === "workers") this.hasRemovedPeople = true;
    }
    await this.notes.relieve();
  }
}

/** A request with the columns of its time buckets. */
function bucketRequest(row: NotedRow | null): BucketRequest | null {
  return row as BucketRequest | null; // `NOTED` selects them
}
