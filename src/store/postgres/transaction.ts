// One import of one company into PostgreSQL: the primitives that `src/import` uses. A batch takes one or two round trips.
import type pg from "pg";
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { CompanySettings } from "../../resources/company.ts";
import { FOLLOWS_WORKER } from "../../resources/requests.ts";
import { type FeedNotes, isNumbered, type NotedRow, notedColumns } from "../feed-notes.ts";
import * as queries from "../queries.ts";
import {
  type Company,
  DuplicateRows,
  type ImportTransaction,
  type NamedKind,
  type NameMatch,
  type RowDigest,
  type RowKey,
  type WorkerBefore,
} from "../store.ts";
import { columnName, FACT_KINDS, type FactKind, type Rows, TABLES } from "../tables.ts";
import { type PostgresStatement, run } from "./connection/database.ts";
import { isUniqueViolation } from "./connection/errors.ts";
import { RowStream } from "./copy.ts";
import { PostgresDigests } from "./digests.ts";
import * as statements from "./rows.ts";
import { FILED_COLUMNS, type FiledRequest, type Refiled, refile, unfile } from "./rows.ts";
import { FILE_REQUESTS_OF_COMPANY, type TableName } from "./schema.ts";

/** How many rows a scan holds at a time. */
export const SCAN_BATCH_ROWS = 1000;

/** Rows of a kind in key order, in batches, each continuing after the last key of the one before. */
export async function* scanRows<K extends FactKind>(
  execute: <R>(query: Sql) => Promise<R[]>,
  companyId: string,
  kind: K,
): AsyncGenerator<readonly Rows[K][]> {
  let last: Rows[K] | null = null;
  for (;;) {
    const rows: Rows[K][] = await execute(statements.scanPage(kind, companyId, last, SCAN_BATCH_ROWS));
    if (rows.length > 0) yield rows;
    if (rows.length < SCAN_BATCH_ROWS) return;
    last = rows[rows.length - 1]!;
  }
}

export class PostgresImportTransaction implements ImportTransaction {
  readonly #client: pg.PoolClient;
  readonly #serverName: string;
  readonly #companyId: string;
  readonly #notes: FeedNotes;
  #firstLoad: FactKind | null = null;
  /** The rows of a first load: the server stores them while the next are read. */
  #copying: RowStream | null = null;
  /** What else the server was asked for meanwhile. Gives the first error, which the next call raises. */
  #underWay: Promise<Error | null> = Promise.resolve(null);
  /** By kind, what `isEmpty` found, until something is written. */
  #emptyKinds = new Map<FactKind, boolean>();
  /** Keys that were just found to be missing, by kind: their rows can be added without looking them up again. */
  readonly #missing = new Map<FactKind, Set<string>>();
  /** By kind, how many rows were put: a store that changed much needs new statistics. */
  readonly rowsPut = new Map<FactKind, number>();
  /** The kinds with removed or replaced rows: their tables contain the old rows until a vacuum. */
  readonly leftBehind = new Set<TableName>();
  readonly digests: PostgresDigests;

  constructor(client: pg.PoolClient, serverName: string, companyId: string, notes: FeedNotes) {
    this.#client = client;
    this.#serverName = serverName;
    this.#companyId = companyId;
    this.#notes = notes;
    this.digests = new PostgresDigests((query) => this.#run(query), companyId, this.leftBehind);
  }

  async #run<R>(query: PostgresStatement): Promise<R[]> {
    await this.settle();
    return run<R>(this.#client, this.#serverName, query);
  }

  /**
   * Waits until what was sent is stored. Raises what went wrong first: DuplicateRows where two rows of a first load have the same key. To
   * be called before the transaction is committed.
   */
  async settle(): Promise<void> {
    this.#endCopy();
    const error = await this.#underWay;
    if (error !== null) throw error;
  }

  #endCopy(): void {
    const stream = this.#copying;
    this.#copying = null;
    if (stream !== null) this.#begin(() => stream.end());
  }

  /** Asks the server for something when it has done what it was asked for before, unless that failed. */
  #begin(work: () => Promise<unknown>): void {
    this.#underWay = this.#underWay.then((error) => error ?? work().then(() => null, duplicateOr));
  }

  /** Of all kinds at once: what is asked later would wait for the rows that are on their way. */
  async isEmpty(kind: FactKind): Promise<boolean> {
    if (!this.#emptyKinds.has(kind)) {
      const looks = FACT_KINDS.map(
        (one) =>
          sql`not exists (select 1 from ${raw(one)} where company_id = ${this.#companyId}) as ${raw(one)}`,
      );
      const [found] = await this.#run<Record<FactKind, boolean>>(sql`select ${join(looks)}`);
      this.#emptyKinds = new Map(FACT_KINDS.map((one) => [one, found![one]]));
    }
    return this.#emptyKinds.get(kind)!;
  }

  async count(kind: FactKind): Promise<number> {
    const [row] = await this.#run<{ count: number }>(
      sql`select count(*) as "count" from ${raw(kind)} where company_id = ${this.#companyId}`,
    );
    return row!.count;
  }

  async match(kind: NamedKind, names: readonly string[]): Promise<NameMatch[]> {
    if (names.length === 0) return [];
    const found = (column: string) =>
      sql`select row.id as "id", row.legacy_id as "legacyId" from unnest(${names}::text[]) as wanted(name), lateral (select id, legacy_id from ${raw(kind)} as stored where stored.company_id = ${this.#companyId} and stored.${raw(column)} = wanted.name limit 1) as row`;
    const rows = await this.#run<{ id: string; legacyId: string | null }>(
      sql`${found("id")} union all ${found("legacy_id")}`,
    );
    const ids = new Set(rows.map((row) => row.id));
    const byLegacyId = new Map(rows.map((row) => [row.legacyId, row.id]));
    return names.map((name) => ({ byId: ids.has(name), byLegacyId: byLegacyId.get(name) ?? null }));
  }

  async stored<K extends FactKind>(kind: K, keys: readonly RowKey[]): Promise<(Rows[K] | null)[]> {
    const missing = new Set<string>();
    this.#missing.set(kind, missing);
    if (keys.length === 0) return [];
    const rows = await this.#run<Rows[K]>(statements.selectByKeys(kind, this.#companyId, keys));
    const found = new Map(rows.map((row) => [keyTextOf(kind, row), row]));
    return keys.map((key) => {
      const text = statements.keyText(key);
      const row = found.get(text);
      if (row === undefined) missing.add(text);
      return row ?? null;
    });
  }

  async assignmentsById(ids: readonly string[]): Promise<(Rows["assignments"] | null)[]> {
    const rows = await this.#run<Rows["assignments"]>(
      statements.rowsByColumn("assignments", "id", this.#companyId, ids),
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }

  async beginFirstLoad(kind: FactKind): Promise<void> {
    this.#firstLoad = kind;
  }

  /** The next rows are read meanwhile: see `settle`. */
  async endFirstLoad(): Promise<void> {
    this.#endCopy();
    const kind = this.#firstLoad;
    this.#firstLoad = null;
    if (kind === "requests") {
      const values = [this.#companyId];
      this.#begin(() => run(this.#client, this.#serverName, { text: FILE_REQUESTS_OF_COMPANY, values }));
    }
    if (kind === "assignments") this.#begin(() => this.#requireDifferentIds());
  }

  /** The key of assignments is another one. */
  async #requireDifferentIds(): Promise<void> {
    const twice = await run(
      this.#client,
      this.#serverName,
      sql`select 1 from assignments where company_id = ${this.#companyId} group by id having count(*) > 1 limit 1`,
    );
    if (twice.length > 0) throw new DuplicateRows();
  }

  /** Rows that are new go by COPY, the others replace what is there. */
  async put<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[] = [],
  ): Promise<void> {
    if (rows.length === 0) return;
    this.#emptyKinds.delete(kind);
    if (kind === this.#firstLoad) {
      await this.#putFirst(kind, rows, digests);
      return;
    }
    await this.settle();
    const digestOf = new Map(rows.map((row, at) => [row, digests[at] ?? null]));
    const wanted = new Map(rows.map((row) => [keyTextOf(kind, row), row]));
    const stored = await this.#storedAmong(kind, wanted);
    const added: Rows[K][] = [];
    const replaced: Rows[K][] = [];
    const seqs: (number | null)[] = [];
    for (const [text, row] of wanted) {
      const before = stored.get(text) ?? null;
      const seq = this.#notes.put(kind, before, row as unknown as NotedRow); // its columns are such values
      if (before === null) added.push(row);
      else {
        replaced.push(row);
        seqs.push(seq);
      }
      this.#missing.get(kind)?.delete(text);
    }
    if (replaced.length > 0) {
      const own = replaced.map((row) => digestOf.get(row)!);
      await this.#run(statements.upsert(kind, this.#companyId, replaced, seqs, own));
      this.leftBehind.add(kind);
    }
    if (added.length > 0) {
      const stream = this.#beginCopy(kind);
      const own = added.map((row) => digestOf.get(row)!);
      await stream.write(added, own);
      await stream.end();
    }
    if (kind === "requests")
      await this.#refile(
        [...wanted].map(([text, row]) => [row, stored.get(text) ?? null] as unknown as Refiled),
      ); // the kind says so
    this.#countPut(kind, wanted.size);
    await this.#notes.relieve();
  }

  async #putFirst<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[],
  ): Promise<void> {
    for (const row of rows) this.#notes.put(kind, null, row as unknown as NotedRow); // its columns are such values
    this.#copying ??= this.#beginCopy(kind);
    try {
      await this.#copying.write(rows, digests);
    } catch (error) {
      throw (await this.#underWay) ?? duplicateOr(error);
    }
    this.#countPut(kind, rows.length);
    if (!this.#notes.isFirst) await this.settle(); // notes may be written now
    await this.#notes.relieve();
  }

  #countPut(kind: FactKind, rows: number): void {
    this.rowsPut.set(kind, (this.rowsPut.get(kind) ?? 0) + rows);
  }

  /** By key, what is stored, as far as the change feed needs it. */
  async #storedAmong<K extends FactKind>(
    kind: K,
    wanted: ReadonlyMap<string, Rows[K]>,
  ): Promise<Map<string, NotedRow>> {
    const missing = this.#missing.get(kind);
    const unsure: RowKey[] = [];
    for (const [text, row] of wanted) if (!missing?.has(text)) unsure.push(keyOf(kind, row));
    if (unsure.length === 0) return new Map();
    const { key } = TABLES[kind];
    const noted = this.#notes.isFirst ? key : [...notedColumns(kind), ...(isNumbered(kind) ? ["seq"] : [])];
    const rows = await this.#run<NotedRow>(
      statements.selectKeys(kind, this.#companyId, unsure, withFiled(kind, noted)),
    );
    return new Map(rows.map((row) => [statements.keyText(key.map((field) => row[field])), row]));
  }

  async #refile(requests: readonly Refiled[]): Promise<void> {
    for (const statement of refile(this.#companyId, requests)) await this.#run(statement);
    if (requests.some(([, before]) => before !== null)) this.leftBehind.add("request_buckets");
  }

  /** The number that new rows of the kind carry. */
  #seqOf(kind: FactKind): number | null {
    return this.#notes.isFirst || !isNumbered(kind) ? null : this.#notes.seq;
  }

  #beginCopy(kind: FactKind): RowStream {
    return new RowStream(this.#client, this.#serverName, kind, {
      companyId: this.#companyId,
      seq: this.#seqOf(kind),
      before: this.#underWay,
    });
  }

  async remove(kind: FactKind, keys: readonly RowKey[]): Promise<void> {
    if (keys.length === 0) return;
    const removed = await this.#run<NotedRow>(
      statements.deleteByKeys(kind, this.#companyId, keys, withFiled(kind, notedColumns(kind))),
    );
    this.#emptyKinds.delete(kind);
    if (kind === "requests" && removed.length > 0) {
      await this.#run(unfile(this.#companyId, removed as unknown as FiledRequest[])); // their columns are selected
      this.leftBehind.add("request_buckets");
    }
    for (const row of removed) this.#notes.removed(kind, row);
    this.leftBehind.add(kind);
    await this.#notes.relieve();
  }

  async workersBefore(ids: readonly string[]): Promise<(WorkerBefore | null)[]> {
    if (ids.length === 0) return [];
    const keys = ids.map((id) => [id]);
    const columns = [...TABLES.workers.columns, "seq"];
    const rows = await this.#run<Rows["workers"] & { seq: number | null }>(
      statements.selectKeys("workers", this.#companyId, keys, columns),
    );
    const found = new Map(rows.map(({ seq, ...row }) => [row.id, { row, seq }]));
    return ids.map((id) => found.get(id) ?? null);
  }

  async takeBackWorker(id: string, before: WorkerBefore | null): Promise<void> {
    if (before === null) await this.#run(statements.deleteByKeys("workers", this.#companyId, [[id]], ["id"]));
    else await this.#run(statements.upsert("workers", this.#companyId, [before.row], [before.seq], []));
    this.#emptyKinds.delete("workers");
    this.leftBehind.add("workers");
    this.#notes.tookBackWorker(id, before !== null);
  }

  async *scan<K extends FactKind>(kind: K): AsyncGenerator<readonly Rows[K][]> {
    yield* scanRows((query) => this.#run(query), this.#companyId, kind);
  }

  async requestsInWorkersZone(workerIds: readonly string[]): Promise<Rows["requests"][]> {
    return this.#run(
      statements.rowsByColumn(
        "requests",
        "workerId",
        this.#companyId,
        [...new Set(workerIds)],
        ` and stored.${FOLLOWS_WORKER}`,
      ),
    );
  }

  async referenced(kind: "workers" | "policies", ids: readonly string[]): Promise<Map<string, FactKind>> {
    const column = kind === "workers" ? "workerId" : "policyId";
    const kinds: FactKind[] = ["assignments", "requests", "adjustments"];
    if (kind === "workers") kinds.push("work_hours");
    // One look at an index for each id and kind: `limit 1` keeps it from counting all that refer to it.
    const looks = kinds.map(
      (other) =>
        sql`select asked.id as "id", ${other}::text as "kind" from unnest(${ids}::text[]) as asked(id), lateral (select 1 from ${raw(other)} as row where row.company_id = ${this.#companyId} and row.${raw(columnName(column))} = asked.id limit 1) as found`,
    );
    const rows = await this.#run<{ id: string; kind: FactKind }>(join(looks, " union all "));
    const found = new Map<string, FactKind>();
    for (const other of kinds) {
      for (const row of rows) if (row.kind === other && !found.has(row.id)) found.set(row.id, other);
    }
    return found;
  }

  async company(): Promise<Company> {
    const [company] = await this.#run<Company>(queries.companies(this.#companyId));
    return company!; // the import holds it
  }

  async updateCompany(change: Partial<CompanySettings>): Promise<void> {
    await this.#run(queries.updateCompany(this.#companyId, change));
  }

  workersWithoutManager(limit: number): Promise<{ id: string; managerId: string }[]> {
    return this.#run(queries.workersWithoutManager(this.#companyId, limit));
  }

  async withoutAssignment(kind: "requests" | "adjustments" | "policies") {
    const { counted, named } = statements.withoutAssignment(kind, this.#companyId);
    const [row] = await this.#run<{ count: number }>(counted);
    const first = row!.count === 0 ? [] : await this.#run<{ name: string }>(named);
    return { count: row!.count, names: first.map(({ name }) => name) };
  }
}

/** DuplicateRows where two rows have the same key. */
function duplicateOr(error: unknown): Error {
  return isUniqueViolation(error) ? new DuplicateRows(undefined, { cause: error }) : (error as Error); // what the driver raises
}

/** These columns of a kind, and what its time buckets hold. */
function withFiled(kind: FactKind, columns: readonly string[]): string[] {
  return [...new Set([...columns, ...(kind === "requests" ? FILED_COLUMNS : [])])];
}

function keyOf<K extends FactKind>(kind: K, row: Rows[K]): RowKey {
  return TABLES[kind].key.map((field) => row[field] as string | number); // keys are texts and days
}

function keyTextOf<K extends FactKind>(kind: K, row: Rows[K]): string {
  return statements.keyText(keyOf(kind, row));
}
