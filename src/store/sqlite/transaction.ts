// One import of one company into the embedded store: the primitives that `src/import` uses, inside one transaction.
import type { SQLQueryBindings } from "bun:sqlite";
import type { CompanySettings } from "../../resources/company.ts";
import { FOLLOWS_WORKER } from "../../resources/requests.ts";
import { type FeedNotes, isNumbered, type NotedRow, notedColumns } from "../feed-notes.ts";
import * as queries from "../queries.ts";
import type {
  Company,
  ImportTransaction,
  NamedKind,
  NameMatch,
  RowDigest,
  RowKey,
  WorkerBefore,
} from "../store.ts";
import {
  columnName,
  currentRow,
  type FactKind,
  isDigested,
  isOlder,
  type Rows,
  type StoredColumns,
  selectionOf,
  TABLES,
} from "../tables.ts";
import { bucketsOf } from "../time-buckets.ts";
import type { Statements } from "./database.ts";
import { SqliteDigests } from "./digests.ts";
import { FirstLoads, writtenColumns } from "./first-load.ts";

/** How many rows a scan holds at a time. */
export const SCAN_BATCH_ROWS = 1000;

const selection = (kind: FactKind, stored: StoredColumns = new Map()) =>
  selectionOf(kind, TABLES[kind].columns, stored);

const keyCondition = (kind: FactKind) =>
  ["company_id", ...TABLES[kind].key.map(columnName)].map((column) => `${column} = ?`).join(" and ");

const notedSelection = (kind: FactKind) =>
  notedColumns(kind)
    .map((column) => `${columnName(column)} as "${column}"`)
    .join(", ");

/** What the change feed notes of the row with a key. */
const selectNoted = (kind: FactKind) =>
  `select ${notedSelection(kind)}${isNumbered(kind) ? ", seq" : ""} from ${kind} where ${keyCondition(kind)}`;

/** Adds a row of `writtenColumns`, or replaces the one with its key. */
function upsertText(kind: FactKind): string {
  const names = writtenColumns(kind);
  const keyNames = ["company_id", ...TABLES[kind].key.map(columnName)];
  const updates = names.filter((name) => !keyNames.includes(name));
  return `insert into ${kind} (${names.join(", ")}) values (?${", ?".repeat(names.length - 1)})
    on conflict (${keyNames.join(", ")}) do update set
    ${updates.map((name) => `${name} = excluded.${name}`).join(", ")}`;
}

/**
 * Rows of a kind in key order, in batches, each continuing after the last key of the one before. `stored`: the columns of
 * an older store.
 */
export function* scanRows<K extends FactKind>(
  statements: Statements,
  companyId: string,
  kind: K,
  stored: StoredColumns = new Map(),
): Generator<Rows[K][], void, undefined> {
  const { key } = TABLES[kind];
  const columns = key.map(columnName).join(", ");
  const select = `select ${selection(kind, stored)} from ${kind} where company_id = ?`;
  const isOld = isOlder(kind, stored);
  const rest = `order by ${columns} limit ${SCAN_BATCH_ROWS}`;
  const first = statements.prepare(`${select} ${rest}`);
  const next = statements.prepare(`${select} and (${columns}) > (${key.map(() => "?").join(", ")}) ${rest}`);
  let rows = first.all(companyId) as Rows[K][]; // the selection is the row's columns
  while (rows.length > 0) {
    yield isOld ? rows.map((row) => currentRow(kind, row)) : rows;
    if (rows.length < SCAN_BATCH_ROWS) return;
    const last = rows[rows.length - 1]!;
    rows = next.all(companyId, ...key.map((field) => last[field] as SQLQueryBindings)) as Rows[K][]; // as above
  }
}

export class SqliteImportTransaction implements ImportTransaction {
  readonly #statements: Statements;
  readonly #companyId: string;
  readonly #notes: FeedNotes;
  readonly #firstLoads: FirstLoads;
  readonly digests: SqliteDigests;
  hasRemoved = false;

  constructor(statements: Statements, companyId: string, notes: FeedNotes) {
    this.#statements = statements;
    this.#firstLoads = new FirstLoads(statements);
    this.#companyId = companyId;
    this.#notes = notes;
    this.digests = new SqliteDigests(statements, companyId);
  }

  async isEmpty(kind: FactKind): Promise<boolean> {
    return (
      this.#statements.prepare(`select 1 from ${kind} where company_id = ? limit 1`).get(this.#companyId) ===
      null
    );
  }

  async count(kind: FactKind): Promise<number> {
    const row = this.#statements
      .prepare(`select count(*) from ${kind} where company_id = ?`)
      .values(this.#companyId)[0];
    return Number(row?.[0]);
  }

  async match(kind: NamedKind, names: readonly string[]): Promise<NameMatch[]> {
    const byId = this.#statements.prepare(`select 1 from ${kind} where company_id = ? and id = ?`);
    const byLegacyId = this.#statements.prepare(
      `select id from ${kind} where company_id = ? and legacy_id = ?`,
    );
    return names.map((name) => {
      const legacy = byLegacyId.get(this.#companyId, name) as { id: string } | null; // the selection
      return { byId: byId.get(this.#companyId, name) !== null, byLegacyId: legacy?.id ?? null };
    });
  }

  async stored<K extends FactKind>(kind: K, keys: readonly RowKey[]): Promise<(Rows[K] | null)[]> {
    const select = this.#statements.prepare(
      `select ${selection(kind)} from ${kind} where ${keyCondition(kind)}`,
    );
    return keys.map((key) => select.get(this.#companyId, ...key) as Rows[K] | null); // the selection is the row's columns
  }

  async assignmentsById(ids: readonly string[]): Promise<(Rows["assignments"] | null)[]> {
    this.finish();
    const select = this.#statements.prepare(
      // Without the hint the planner scans the whole company by the primary key.
      `select ${selection("assignments")} from assignments indexed by assignments_id where company_id = ? and id = ?`,
    );
    return ids.map((id) => select.get(this.#companyId, id) as Rows["assignments"] | null); // as above
  }

  async beginFirstLoad(kind: FactKind): Promise<void> {
    this.#firstLoads.begin(kind);
  }

  async endFirstLoad(): Promise<void> {
    this.#firstLoads.end();
  }

  /** Before the transaction is committed: makes what first loads left out. */
  finish(): void {
    this.#firstLoads.finish();
  }

  async put<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[] = [],
  ): Promise<void> {
    if (this.#firstLoads.gathers(kind)) this.#gather(kind, rows, digests);
    else this.#upsert(kind, rows, digests);
    await this.#notes.relieve();
  }

  #gather<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[],
  ): void {
    for (const [at, row] of rows.entries()) {
      const seq = this.#notes.put(kind, null, row as unknown as NotedRow); // its columns are such values
      this.#firstLoads.gather(this.#valuesOf(kind, row, seq, digests[at] ?? null));
    }
  }

  /** What is bound for `writtenColumns`. */
  #valuesOf<K extends FactKind>(
    kind: K,
    row: Rows[K],
    seq: number | null,
    digest: RowDigest | null,
  ): SQLQueryBindings[] {
    const values: SQLQueryBindings[] = [this.#companyId];
    for (const column of TABLES[kind].columns) values.push(row[column] as SQLQueryBindings); // strings, numbers and null
    if (isNumbered(kind)) values.push(seq);
    if (isDigested(kind)) values.push(digest);
    return values;
  }

  #upsert<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[],
  ): void {
    const { key } = TABLES[kind];
    const upsert = this.#statements.prepare(upsertText(kind));
    const isFiled = kind === "requests";
    const before = this.#notes.isFirst ? null : this.#statements.prepare(selectNoted(kind));
    for (const [at, row] of rows.entries()) {
      const stored = before?.get(
        this.#companyId,
        ...key.map((field) => row[field] as SQLQueryBindings), // keys are texts and days
      ) as NotedRow | null | undefined; // the selection
      const seq = this.#notes.put(kind, stored ?? null, row as unknown as NotedRow); // its columns are such values
      if (isFiled) this.#file(row as Rows["requests"]); // the kind says so
      upsert.run(...this.#valuesOf(kind, row, seq, digests[at] ?? null));
    }
  }

  /** Writes the time buckets of a request that is about to be put, and removes the old ones. */
  #file(row: Rows["requests"]): void {
    // Deleting the old row deletes its time buckets (by a trigger).
    this.#statements
      .prepare("delete from requests where company_id = ? and id = ?")
      .run(this.#companyId, row.id);
    const { id, policyId, status, startAtMs, endAtMs } = row;
    const file = this.#statements.prepare("insert into request_spans values (?, ?, ?, ?, ?, ?, ?)");
    for (const bucket of bucketsOf(startAtMs, endAtMs)) {
      file.run(this.#companyId, bucket, id, policyId, status, startAtMs, endAtMs);
    }
  }

  async remove(kind: FactKind, keys: readonly RowKey[]): Promise<void> {
    this.finish();
    const remove = this.#statements.prepare(
      `delete from ${kind} where ${keyCondition(kind)} returning ${notedSelection(kind)}`,
    );
    for (const key of keys) {
      const removed = remove.get(this.#companyId, ...key) as NotedRow | null; // the selection
      if (removed !== null) this.#notes.removed(kind, removed);
    }
    if (keys.length > 0) this.hasRemoved = true;
    await this.#notes.relieve();
  }

  async workersBefore(ids: readonly string[]): Promise<(WorkerBefore | null)[]> {
    const rows = await this.stored(
      "workers",
      ids.map((id) => [id]),
    );
    const select = this.#statements.prepare("select seq from workers where company_id = ? and id = ?");
    return rows.map((row) => {
      if (row === null) return null;
      const { seq } = select.get(this.#companyId, row.id) as { seq: number | null }; // the selection
      return { row, seq };
    });
  }

  async takeBackWorker(id: string, before: WorkerBefore | null): Promise<void> {
    if (before === null) {
      this.#statements
        .prepare("delete from workers where company_id = ? and id = ?")
        .run(this.#companyId, id);
      this.hasRemoved = true;
    } else {
      this.#statements
        .prepare(upsertText("workers"))
        .run(...this.#valuesOf("workers", before.row, before.seq, null));
    }
    this.#notes.tookBackWorker(id, before !== null);
  }

  async *scan<K extends FactKind>(kind: K): AsyncGenerator<readonly Rows[K][]> {
    yield* scanRows(this.#statements, this.#companyId, kind);
  }

  async requestsInWorkersZone(workerIds: readonly string[]): Promise<Rows["requests"][]> {
    this.finish();
    const select = this.#statements.prepare(
      `select ${selection("requests")} from requests where company_id = ? and worker_id = ? and ${FOLLOWS_WORKER}`,
    );
    return workerIds.flatMap((id) => select.all(this.#companyId, id) as Rows["requests"][]); // as above
  }

  async referenced(kind: "workers" | "policies", ids: readonly string[]): Promise<Map<string, FactKind>> {
    this.finish();
    const column = kind === "workers" ? "worker_id" : "policy_id";
    const kinds: FactKind[] = ["assignments", "requests", "adjustments"];
    if (kind === "workers") kinds.push("work_hours");
    const found = new Map<string, FactKind>();
    for (const id of ids) {
      const referring = kinds.find(
        (other) =>
          this.#statements
            .prepare(`select 1 from ${other} where company_id = ? and ${column} = ? limit 1`)
            .get(this.#companyId, id) !== null,
      );
      if (referring !== undefined) found.set(id, referring);
    }
    return found;
  }

  async company(): Promise<Company> {
    return this.#statements.all<Company>(queries.companies(this.#companyId))[0]!; // the import holds it
  }

  async updateCompany(change: Partial<CompanySettings>): Promise<void> {
    this.#statements.all(queries.updateCompany(this.#companyId, change));
  }

  async workersWithoutManager(limit: number): Promise<{ id: string; managerId: string }[]> {
    return this.#statements.all(queries.workersWithoutManager(this.#companyId, limit));
  }

  async withoutAssignment(kind: "requests" | "adjustments" | "policies") {
    this.finish();
    const pair =
      kind === "policies" ? "a.policy_id = d.id" : "a.worker_id = d.worker_id and a.policy_id = d.policy_id";
    const rows = `where company_id = ? and not exists (
      select 1 from assignments a where a.company_id = d.company_id and ${pair})`;
    // The index of their workers has all that is asked for, in the order of assignments.
    const source = kind === "policies" ? `${kind} d` : `${kind} d indexed by ${kind}_worker`;
    const found = this.#statements.prepare(`select count(*) from ${source} ${rows}`).values(this.#companyId);
    const count = Number(found[0]?.[0]);
    if (count === 0) return { count, names: [] };
    const first = this.#statements.prepare(
      `select coalesce(legacy_id, id) from ${kind} d ${rows} order by id limit 3`,
    );
    return { count, names: first.values(this.#companyId).map(([name]) => String(name)) };
  }
}
