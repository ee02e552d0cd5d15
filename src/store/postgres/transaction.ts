// One import of one company into PostgreSQL: the primitives that `src/import` uses. A batch takes one or two round trips.
import type pg from "pg";
import sql, { type Sql } from "sql-template-tag";
import { isListKind } from "../../resources/kinds.ts";
import { type ChangeNotes, notedColumns } from "../change-notes.ts";
import { SharedTransaction } from "../shared-reads.ts";
import type { BalanceQuery, ImportTransaction, KnownOfRow } from "../store.ts";
import type { NotedRow, RowDigest, RowKey, RowToWrite } from "../tables.ts";
import { type Kind, keyOf, type Rows, TABLES, writtenColumns, writtenValues } from "../tables.ts";
import { run } from "./connection/database.ts";
import { copyRows } from "./copy.ts";
import * as statements from "./rows.ts";
import { asKnownThen, type FactsRow, factsPageOf, factsStatement, readWorkTimes } from "./sql.ts";

export class PostgresImportTransaction extends SharedTransaction implements ImportTransaction {
  #firstLoad: Kind | null = null;
  /** How many rows were put: after many, statistics are renewed. */
  rowsPut = 0;
  /** Whether rows were removed or replaced: tables contain the old rows until a vacuum. */
  hasLeftRows = false;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly serverName: string,
    readonly companyId: string,
    notes: ChangeNotes,
  ) {
    super(notes);
  }

  async run<R>(query: Sql): Promise<R[]> {
    return run<R>(this.client, this.serverName, query);
  }

  workTimes(workerIds: readonly string[]) {
    return readWorkTimes((query) => this.run(query), this.companyId, workerIds);
  }

  async balanceFacts(query: BalanceQuery) {
    const [row] = await this.run<FactsRow>(factsStatement(this.companyId, query));
    return factsPageOf(row!, query);
  }

  async balanceFactsBefore(query: BalanceQuery) {
    const { companyId, notes } = this;
    const statement = asKnownThen(factsStatement(companyId, query, true), companyId, notes.revisionBefore);
    const [row] = await this.run<FactsRow>(statement);
    return factsPageOf(row!, query);
  }

  async beginFirstLoad(kind: Kind): Promise<void> {
    this.#firstLoad = kind;
  }

  async endFirstLoad(): Promise<void> {
    const kind = this.#firstLoad;
    this.#firstLoad = null;
    if (kind === "requests") await this.run(statements.addToBuckets(this.companyId, null));
  }

  async put<K extends Kind>(kind: K, rows: readonly Rows[K][], known?: readonly KnownOfRow[]): Promise<void> {
    if (rows.length === 0) return;
    this.rowsPut += rows.length;
    if (kind === this.#firstLoad) await this.#copy(kind, rows, known);
    else await this.#upsert(kind, rows, known);
    await this.notes.relieve();
  }

  async #copy<K extends Kind>(
    kind: K,
    rows: readonly Rows[K][],
    known?: readonly KnownOfRow[],
  ): Promise<void> {
    const written = rows.map((row, at) =>
      writtenValues(kind, this.companyId, this.#noted(kind, null, row, known?.[at]?.digest)),
    );
    await copyRows(this.client, this.serverName, kind, written, writtenColumns(kind));
  }

  async #upsert<K extends Kind>(
    kind: K,
    rows: readonly Rows[K][],
    known?: readonly KnownOfRow[],
  ): Promise<void> {
    const keys = rows.map((row) => keyOf(kind, row));
    const stored = known === undefined ? await this.#notedByKey(kind, keys) : null;
    const replaced = keys.map(
      (key, at) => stored?.get(statements.keyText(key)) ?? known?.[at]?.stored ?? null,
    );
    const written = rows.map((row, at) => this.#noted(kind, replaced[at]!, row, known?.[at]?.digest));
    if (kind === "requests") await this.run(statements.removeFromBuckets(this.companyId, keys));
    await this.run(statements.upsert(kind, this.companyId, written));
    if (kind === "requests") await this.run(statements.addToBuckets(this.companyId, keys));
    if (replaced.some((row) => row !== null)) this.hasLeftRows = true;
  }

  #noted<K extends Kind>(
    kind: K,
    before: NotedRow | null,
    row: Rows[K],
    digest: RowDigest | null = null,
  ): RowToWrite<K> {
    return { row, seq: this.notes.put(kind, before, row), digest };
  }

  /** The stored rows with these keys, with the columns that the change feed needs, by key. */
  async #notedByKey(kind: Kind, keys: readonly RowKey[]): Promise<Map<string, NotedRow>> {
    const columns = [...notedColumns(kind), ...(isListKind(kind) ? ["seq"] : [])];
    const rows = await this.run<NotedRow>(statements.selectByKeys(kind, this.companyId, keys, columns));
    const { key } = TABLES[kind];
    return new Map(rows.map((row) => [statements.keyText(key.map((field) => row[field])), row]));
  }

  async remove(kind: Kind, keys: readonly RowKey[]): Promise<void> {
    if (keys.length === 0) return;
    if (kind === "requests") await this.run(statements.removeFromBuckets(this.companyId, keys));
    const removed = await this.run<NotedRow>(
      statements.deleteByKeys(kind, this.companyId, keys, notedColumns(kind)),
    );
    for (const row of removed) this.notes.removed(kind, row);
    this.hasLeftRows = true;
    await this.notes.relieve();
  }

  /**
   * Uncommitted rows are in no statistics, so PostgreSQL would choose nested loops, and compare each request with all of the company.
   * Before version 18, a plan that cannot avoid a nested loop seems so expensive that it would be compiled (jit).
   */
  override async check<T>(work: () => Promise<T>): Promise<T> {
    await this.run(sql`set local enable_nestloop = off; set local jit = off`);
    const result = await work();
    await this.run(sql`set local enable_nestloop = on`);
    return result;
  }
}
