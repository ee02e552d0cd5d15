// One import of one company into PostgreSQL: the primitives that `src/import` uses. A batch takes one or two round trips.
import type pg from "pg";
import sql, { join, raw, type Sql } from "sql-template-tag";
import { isListKind, PARENT_COLUMNS, type ParentKind } from "../../resources/kinds.ts";
import { FOLLOWS_WORKER } from "../../resources/requests.ts";
import { type ChangeNotes, notedColumns } from "../change-notes.ts";
import { DigestReads, ImportReads } from "../shared-reads.ts";
import type { ImportTransaction, NamedKind, NameMatch, RowDigest, RowDigests, RowKey } from "../store.ts";
import type { NotedRow } from "../tables.ts";
import {
  columnName,
  DIGESTED_KINDS,
  type DigestedKind,
  type Kind,
  keyOf,
  type Rows,
  TABLES,
} from "../tables.ts";
import { run } from "./connection/database.ts";
import { RowStream, type RowToWrite } from "./copy.ts";
import * as statements from "./rows.ts";
import type { TableName } from "./schema.ts";

/** How many rows a scan holds at a time. */
const SCAN_BATCH_ROWS = 1000;

/** Rows of a kind in key order, in batches, each continuing after the last key of the one before. */
export async function* scanRows<K extends Kind>(
  execute: <R>(query: Sql) => Promise<R[]>,
  companyId: string,
  kind: K,
): AsyncGenerator<readonly Rows[K][]> {
  let last: Rows[K] | undefined;
  do {
    const rows: Rows[K][] = await execute(
      statements.selectPage(kind, companyId, TABLES[kind].columns, last, SCAN_BATCH_ROWS),
    );
    if (rows.length > 0) yield rows;
    last = rows.length === SCAN_BATCH_ROWS ? rows[rows.length - 1] : undefined;
  } while (last !== undefined);
}

export class PostgresImportTransaction extends ImportReads implements ImportTransaction {
  #firstLoad: Kind | null = null;
  /** The rows of a first load: the server stores them while the next are read. */
  #copying: RowStream | null = null;
  /** How many rows were put: a store that changed much needs new statistics. */
  rowsPut = 0;
  /** The tables with removed or replaced rows: they contain the old rows until a vacuum. */
  readonly tablesToVacuum = new Set<TableName>();
  readonly digests: PostgresDigests;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly serverName: string,
    readonly companyId: string,
    private readonly notes: ChangeNotes,
  ) {
    super();
    this.digests = new PostgresDigests((query) => this.run(query), companyId, this.tablesToVacuum);
  }

  protected async run<R>(query: Sql): Promise<R[]> {
    await this.#endCopy();
    return run<R>(this.client, this.serverName, query);
  }

  /** Nothing else may be asked before. */
  async #endCopy(): Promise<void> {
    const stream = this.#copying;
    this.#copying = null;
    await stream?.end();
  }

  async match(kind: NamedKind, names: readonly string[]): Promise<NameMatch[]> {
    if (names.length === 0) return [];
    const found = (column: string) =>
      sql`select row.id as "id", row.legacy_id as "legacyId" from unnest(${names}::text[]) as wanted(name), lateral (select id, legacy_id from ${raw(kind)} as stored where stored.company_id = ${this.companyId} and stored.${raw(column)} = wanted.name limit 1) as row`;
    const rows = await this.run<{ id: string; legacyId: string | null }>(
      sql`${found("id")} union all ${found("legacy_id")}`,
    );
    const ids = new Set(rows.map((row) => row.id));
    const byLegacyId = new Map(rows.map((row) => [row.legacyId, row.id]));
    return names.map((name) => ({ byId: ids.has(name), byLegacyId: byLegacyId.get(name) ?? null }));
  }

  async stored<K extends Kind>(kind: K, keys: readonly RowKey[]): Promise<(Rows[K] | null)[]> {
    if (keys.length === 0) return [];
    const rows = await this.run<Rows[K]>(statements.selectByKeys(kind, this.companyId, keys));
    const found = new Map(rows.map((row) => [keyTextOf(kind, row), row]));
    return keys.map((key) => found.get(statements.keyText(key)) ?? null);
  }

  async assignmentsById(ids: readonly string[]): Promise<(Rows["assignments"] | null)[]> {
    const rows = await this.run<Rows["assignments"]>(
      statements.rowsByColumn("assignments", "id", this.companyId, ids),
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }

  async beginFirstLoad(kind: Kind): Promise<void> {
    this.#firstLoad = kind;
  }

  async endFirstLoad(): Promise<void> {
    const kind = this.#firstLoad;
    this.#firstLoad = null;
    await this.#endCopy();
    if (kind === "requests") await this.run(statements.addToBuckets(this.companyId, null));
  }

  async put<K extends Kind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[] = [],
  ): Promise<void> {
    if (rows.length === 0) return;
    this.rowsPut += rows.length;
    if (kind === this.#firstLoad) await this.#copy(kind, rows, digests);
    else await this.#upsert(kind, rows, digests);
    await this.notes.relieve();
  }

  async #copy<K extends Kind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[],
  ): Promise<void> {
    const written = rows.map((row, at) => this.#noted(kind, null, row, digests[at]));
    this.#copying ??= new RowStream(this.client, this.serverName, kind, this.companyId);
    await this.#copying.write(written);
    if (!this.notes.isFirst) await this.#endCopy(); // notes may be written now
  }

  async #upsert<K extends Kind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[],
  ): Promise<void> {
    // Of several rows with one key, the last counts.
    const wanted = new Map(rows.map((row, at) => [keyTextOf(kind, row), [row, digests[at]] as const]));
    const keys = [...wanted.values()].map(([row]) => keyOf(kind, row));
    const stored = await this.#notedByKey(kind, keys);
    const written = [...wanted].map(([text, [row, digest]]) =>
      this.#noted(kind, stored.get(text) ?? null, row, digest),
    );
    if (kind === "requests") await this.run(statements.removeFromBuckets(this.companyId, keys));
    await this.run(statements.upsert(kind, this.companyId, written));
    if (kind === "requests") await this.run(statements.addToBuckets(this.companyId, keys));
    if (stored.size > 0) this.#left(kind);
  }

  #noted<K extends Kind>(
    kind: K,
    before: NotedRow | null,
    row: Rows[K],
    digest: RowDigest | null = null,
  ): RowToWrite<K> {
    return { row, seq: this.notes.put(kind, before, row as unknown as NotedRow), digest }; // its columns are such values
  }

  /** Old rows of the kind are left in its table. */
  #left(kind: Kind): void {
    this.tablesToVacuum.add(kind);
    if (kind === "requests") this.tablesToVacuum.add("request_buckets");
  }

  /** By key, what is stored, as far as the change feed needs it. */
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
    this.#left(kind);
    await this.notes.relieve();
  }

  async *scan<K extends Kind>(kind: K): AsyncGenerator<readonly Rows[K][]> {
    yield* scanRows((query) => this.run(query), this.companyId, kind);
  }

  async requestsInWorkersZone(workerIds: readonly string[]): Promise<Rows["requests"][]> {
    return this.run(
      statements.rowsByColumn(
        "requests",
        "workerId",
        this.companyId,
        [...new Set(workerIds)],
        ` and stored.${FOLLOWS_WORKER}`,
      ),
    );
  }

  async referenced(parent: ParentKind, ids: readonly string[]): Promise<Map<string, Kind>> {
    const columns = PARENT_COLUMNS.filter((one) => one.parent === parent);
    // One look at an index for each id and kind: `limit 1` keeps it from counting all that refer to it.
    const looks = columns.map(
      ({ kind, column }) =>
        sql`select asked.id as "id", ${kind}::text as "kind" from unnest(${ids}::text[]) as asked(id), lateral (select 1 from ${raw(kind)} as row where row.company_id = ${this.companyId} and row.${raw(columnName(column))} = asked.id limit 1) as found`,
    );
    const rows = await this.run<{ id: string; kind: Kind }>(join(looks, " union all "));
    const found = new Map<string, Kind>();
    for (const { kind } of columns)
      for (const row of rows) if (row.kind === kind && !found.has(row.id)) found.set(row.id, kind);
    return found;
  }

  async withoutAssignment(kind: "requests" | "adjustments" | "policies") {
    const { counted, named } = statements.withoutAssignment(kind, this.companyId);
    const [row] = await this.run<{ count: number }>(counted);
    const first = row!.count === 0 ? [] : await this.run<{ name: string }>(named);
    return { count: row!.count, names: first.map(({ name }) => name) };
  }
}

function keyTextOf<K extends Kind>(kind: K, row: Rows[K]): string {
  return statements.keyText(keyOf(kind, row));
}

/** How many digests a scan holds at a time. */
const DIGESTS_BATCH_ROWS = 10_000;

/** A key with its digest as text: it has more bits than a number of JavaScript. */
type DigestRow = Readonly<Record<string, string | number | null>> & { readonly digest: string | null };

class PostgresDigests extends DigestReads implements RowDigests {
  /** `tablesToVacuum`: gets the kinds with rows that were replaced. */
  constructor(
    readonly run: <R>(query: Sql) => Promise<R[]>,
    readonly companyId: string,
    private readonly tablesToVacuum: Set<TableName>,
  ) {
    super();
  }

  async of(kind: DigestedKind, keys: readonly RowKey[]): Promise<(RowDigest | null)[]> {
    if (keys.length === 0) return [];
    const key: readonly string[] = TABLES[kind].key;
    const rows = await this.run<DigestRow>(
      statements.selectByKeys(kind, this.companyId, keys, [...key, "digest"]),
    );
    const found = new Map(
      rows.map((row) => [statements.keyText(key.map((field) => row[field])), digestOf(row)]),
    );
    return keys.map((one) => found.get(statements.keyText(one)) ?? null);
  }

  async set(
    kind: DigestedKind,
    rows: readonly (readonly [key: RowKey, digest: RowDigest | null])[],
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.run(statements.setDigests(kind, this.companyId, rows));
    this.tablesToVacuum.add(kind);
  }

  async *keys(kind: DigestedKind) {
    const key: readonly string[] = TABLES[kind].key;
    let last: DigestRow | undefined;
    do {
      const rows: DigestRow[] = await this.run<DigestRow>(
        statements.selectPage(kind, this.companyId, [...key, "digest"], last, DIGESTS_BATCH_ROWS),
      );
      yield rows.map((row) => [key.map((field) => row[field]) as RowKey, digestOf(row)] as const); // keys are texts and days
      last = rows.length === DIGESTS_BATCH_ROWS ? rows[rows.length - 1] : undefined;
    } while (last !== undefined);
  }

  async forget(workerIds: readonly string[]): Promise<void> {
    if (workerIds.length === 0) return;
    for (const kind of DIGESTED_KINDS) {
      await this.run(
        sql`update ${raw(kind)} set digest = null where company_id = ${this.companyId} and worker_id = any(${workerIds}) and digest is not null`,
      );
      this.tablesToVacuum.add(kind);
    }
  }
}

function digestOf({ digest }: DigestRow): RowDigest | null {
  return digest === null ? null : BigInt(digest);
}
