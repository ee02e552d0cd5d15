// One import of one company into the embedded store: the primitives that `src/import` uses, inside one transaction.
import type { SQLQueryBindings } from "bun:sqlite";
import type { CompanySettings } from "../../resources/company.ts";
import { FOLLOWS_WORKER } from "../../resources/requests.ts";
import { type FeedNotes, type NotedRow, notedColumns } from "../feed-notes.ts";
import * as queries from "../queries.ts";
import type { Company, NamedKind, NameMatch, RowDigest, RowKey, WorkerBefore } from "../store.ts";
import { type FactKind, type Rows, TABLES } from "../tables.ts";
import {
  eachPacked,
  type PackedRows,
  packedNames,
  type SidePlace,
  type ThreadedTransaction,
} from "../thread/messages.ts";
import type { Statements } from "./database.ts";
import { SqliteDigests } from "./digests.ts";
import { copySideRows, FirstLoads, makeSidePlace } from "./first-load.ts";
import { idOf, Numbers, numberOf } from "./layout/numbers.ts";
import {
  IN_DOC,
  keyCondition,
  keyedTable,
  mintedRequestId,
  type StoredCompany,
  scanOf,
  selectionOf,
  storedValues,
  storedValuesOf,
  toRow,
  withSeq,
} from "./layout/rows.ts";
import { type FoundRow, notedOf, StoredRows } from "./layout/stored-rows.ts";
import { WorkerFactsWriter } from "./layout/worker-facts.ts";
import { RowWriter } from "./row-writer.ts";

/** How many rows a scan holds at a time. */
export const SCAN_BATCH_ROWS = 1000;

const notedSelection = (kind: FactKind) => selectionOf(kind, notedColumns(kind));

/** Rows of a kind in key order, in batches, each continuing after the last key of the one before. */
export function* scanRows<K extends FactKind>(
  statements: Statements,
  company: number,
  kind: K,
): Generator<Rows[K][], void, undefined> {
  const { key } = TABLES[kind];
  const { from, company: ofCompany, keys } = scanOf(kind);
  const columns = keys.join(", ");
  const select = `select ${selectionOf(kind)} from ${from} where ${ofCompany} = ?`;
  const rest = `order by ${columns} limit ${SCAN_BATCH_ROWS}`;
  const first = statements.prepare(`${select} ${rest}`);
  const next = statements.prepare(`${select} and (${columns}) > (${key.map(() => "?").join(", ")}) ${rest}`);
  let rows = first.all(company) as Rows[K][]; // the selection is the row's columns
  while (rows.length > 0) {
    yield rows.map((row) => toRow(kind, row));
    if (rows.length < SCAN_BATCH_ROWS) return;
    const last = rows[rows.length - 1]!;
    rows = next.all(company, ...key.map((field) => last[field] as SQLQueryBindings)) as Rows[K][]; // as above
  }
}

export class SqliteImportTransaction implements ThreadedTransaction {
  readonly #statements: Statements;
  readonly #company: StoredCompany;
  readonly #numbers: Numbers;
  readonly #notes: FeedNotes;
  readonly #writer: RowWriter;
  readonly #rows: StoredRows;
  readonly #firstLoads: FirstLoads;
  readonly #facts: WorkerFactsWriter;
  readonly digests: SqliteDigests;
  hasRemoved = false;

  constructor(statements: Statements, company: StoredCompany, notes: FeedNotes) {
    this.#statements = statements;
    this.#writer = new RowWriter(statements, company.number);
    this.#company = company;
    this.#numbers = new Numbers(statements, company.number);
    this.#firstLoads = new FirstLoads(statements, company, this.#numbers);
    this.#facts = new WorkerFactsWriter(statements, company.number, this.#numbers);
    this.#notes = notes;
    this.#rows = new StoredRows(statements, company.number, this.#numbers);
    this.digests = new SqliteDigests(statements, company, this.#rows, this.#writer);
  }

  async isEmpty(kind: FactKind): Promise<boolean> {
    return (
      this.#statements
        .prepare(`select 1 from ${kind} where company_id = ? limit 1`)
        .get(this.#company.number) === null
    );
  }

  async count(kind: FactKind): Promise<number> {
    const row = this.#statements
      .prepare(`select count(*) from ${kind} where company_id = ?`)
      .values(this.#company.number)[0];
    return Number(row?.[0]);
  }

  async match(kind: NamedKind, names: readonly string[]): Promise<NameMatch[]> {
    const byId = this.#statements.prepare(`select 1 from ${kind} where company_id = ? and id = ?`);
    return names.map((name) => ({
      byId: byId.get(this.#company.number, name) !== null,
      byLegacyId: this.#idOfLegacyId(kind, name),
    }));
  }

  #idOfLegacyId(kind: NamedKind, legacyId: string): string | null {
    const { id: companyId, number } = this.#company;
    // Only what is not minted from its legacy id is in the index of requests.
    const isIndexed = kind === "requests" ? " and legacy_id > ''" : "";
    const select = this.#statements.prepare(
      `select id from ${kind} where company_id = ? and legacy_id = ?${isIndexed}`,
    );
    const found = select.values(number, legacyId)[0]?.[0] as string | undefined; // an id
    if (found !== undefined || kind !== "requests") return found ?? null;
    const minted = mintedRequestId(companyId, legacyId);
    const isThere = this.#statements.prepare(
      "select 1 from requests where company_id = ? and id = ? and legacy_id = ?",
    );
    return isThere.get(number, minted, IN_DOC) === null ? null : minted;
  }

  async stored<K extends FactKind>(kind: K, keys: readonly RowKey[]): Promise<(Rows[K] | null)[]> {
    this.#writer.finishFor(kind, keys);
    return this.#rows.batch(kind, keys).map((found) => found?.row ?? null);
  }

  async assignmentsById(ids: readonly string[]): Promise<(Rows["assignments"] | null)[]> {
    const select = this.#statements.prepare(
      `select ${selectionOf("assignments")} from assignments where company_id = ? and id = ?`,
    );
    return ids.map((id) => {
      const row = select.get(this.#company.number, id) as Rows["assignments"] | null; // as above
      return row && toRow("assignments", row);
    });
  }

  async beginFirstLoad(kind: FactKind): Promise<void> {
    this.#firstLoads.begin(kind);
  }

  async endFirstLoad(): Promise<void> {
    this.#firstLoads.end();
  }

  async putPacked(packed: PackedRows): Promise<boolean> {
    const { kind, areFacts, count } = packed;
    const isReadable = areFacts === (kind === "requests"); // as `storedValuesOf` needs them
    if (!isReadable || !this.#notes.isFirst || !this.#firstLoads.gathers(kind)) return false;
    const valuesOf = storedValuesOf(kind, packedNames(packed));
    if (valuesOf === null) return false;
    const stored = { company: this.#company, numbers: this.#numbers, seq: null };
    eachPacked(packed, (values, digest) => this.#firstLoads.gather(valuesOf(values, { ...stored, digest })));
    this.#noteGathered(count);
    return true;
  }

  #noteGathered(count: number): void {
    if (count === 0) return;
    this.#facts.noteAll();
    this.#notes.hasNoted = true;
  }

  async makeSidePlace(): Promise<SidePlace | null> {
    return this.#notes.isFirst ? makeSidePlace(this.#statements, this.#company) : null; // later rows have numbers of imports
  }

  async copySideRows(count: number): Promise<void> {
    copySideRows(this.#statements, count);
    this.#firstLoads.noteSidePairs(count);
    this.#noteGathered(count);
  }

  /** Writes the requests that wait, and their time buckets. */
  finish(): void {
    this.#writer.finish();
  }

  /** Before the transaction is committed, when the indexes of all tables are there. */
  end(): void {
    this.finish();
    this.#facts.write();
    if (this.hasRemoved) this.#numbers.prune();
  }

  async put<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[] = [],
  ): Promise<void> {
    if (this.#firstLoads.gathers(kind)) this.#gather(kind, rows, digests);
    else {
      if (kind !== "workers") this.#firstLoads.forgetPairs();
      this.#upsert(kind, rows, digests);
    }
    await this.#notes.relieve();
  }

  #gather<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[],
  ): void {
    if (rows.length > 0) this.#facts.noteAll();
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
    return storedValues(kind, this.#company, row, { seq, digest }, this.#numbers);
  }

  #upsert<K extends FactKind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[],
  ): void {
    const { isFirst } = this.#notes;
    // A restore puts workers in list order: then the facts of neighbours lie side by side.
    if (kind === "workers") for (const row of rows as readonly Rows["workers"][]) this.#numbers.of(row.id); // the kind says so
    for (const [at, row] of rows.entries()) {
      const values = this.#valuesOf(kind, row, null, digests[at] ?? null);
      const isAdded = isFirst && this.#writer.add(kind, values);
      const found = isAdded ? null : this.#found(kind, row);
      this.#facts.note(kind, row, found?.row ?? null);
      const before = isFirst || found === null ? null : notedOf(kind, found);
      const seq = this.#notes.put(kind, before, row as unknown as NotedRow); // its columns are such values
      if (!isAdded) this.#writer.put(kind, found?.values ?? null, withSeq(kind, values, seq));
      else if (kind === "requests") this.#writer.file(values);
    }
  }

  /** What is stored under the key of a row, which is written next. */
  #found<K extends FactKind>(kind: K, row: Rows[K]): FoundRow<K> | null {
    const key = TABLES[kind].key.map((field) => row[field] as string | number); // keys are these
    this.#writer.finishFor(kind, [key]);
    const found = this.#rows.one(kind, key);
    this.#rows.forget(kind, key);
    return found;
  }

  async remove(kind: FactKind, keys: readonly RowKey[]): Promise<void> {
    this.finish();
    this.#rows.forget();
    this.#firstLoads.forgetPairs();
    const remove = this.#statements.prepare(
      `delete from ${keyedTable(kind)} where ${keyCondition(kind)} returning ${notedSelection(kind)}`,
    );
    for (const key of keys) {
      const removed = remove.get(this.#company.number, ...key) as NotedRow | null; // the selection
      if (removed === null) continue;
      const row = toRow(kind, removed);
      this.#facts.note(kind, row, null);
      this.#notes.removed(kind, row);
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
      const { seq } = select.get(this.#company.number, row.id) as { seq: number | null }; // the selection
      return { row, seq };
    });
  }

  async takeBackWorker(id: string, before: WorkerBefore | null): Promise<void> {
    if (before === null) {
      this.#statements
        .prepare("delete from workers where company_id = ? and id = ?")
        .run(this.#company.number, id);
      this.hasRemoved = true;
    } else {
      const values = this.#valuesOf("workers", before.row, before.seq, null);
      const found = this.#rows.one("workers", [id]);
      this.#writer.put("workers", found?.values ?? null, values);
    }
    this.#facts.note("workers", { id }, null);
    this.#notes.tookBackWorker(id, before !== null);
  }

  async *scan<K extends FactKind>(kind: K): AsyncGenerator<readonly Rows[K][]> {
    this.finish();
    yield* scanRows(this.#statements, this.#company.number, kind);
  }

  async requestsInWorkersZone(workerIds: readonly string[]): Promise<Rows["requests"][]> {
    this.finish();
    const select = this.#statements.prepare(
      `select ${selectionOf("requests")} from requests where company_id = ?1 and worker_id = ${numberOf("?1", "?2")} and ${FOLLOWS_WORKER}`,
    );
    const found = workerIds.flatMap((id) => select.all(this.#company.number, id) as Rows["requests"][]); // as above
    return found.map((row) => toRow("requests", row));
  }

  async referenced(kind: "workers" | "policies", ids: readonly string[]): Promise<Map<string, FactKind>> {
    this.finish();
    const column = kind === "workers" ? "worker_id" : "policy_id";
    const kinds: FactKind[] = ["assignments", "requests", "adjustments"];
    if (kind === "workers") kinds.push("work_hours");
    const found = new Map<string, FactKind>();
    for (const id of ids) {
      const referring = kinds.find((other) => {
        const value = other === "assignments" ? "?2" : numberOf("?1", "?2");
        return (
          this.#statements
            .prepare(`select 1 from ${other} where company_id = ?1 and ${column} = ${value} limit 1`)
            .get(this.#company.number, id) !== null
        );
      });
      if (referring !== undefined) found.set(id, referring);
    }
    return found;
  }

  async company(): Promise<Company> {
    return this.#statements.all<Company>(queries.companies(this.#company.id))[0]!; // the import holds it
  }

  async updateCompany(change: Partial<CompanySettings>): Promise<void> {
    this.#statements.all(queries.updateCompany(this.#company.id, change));
  }

  async workersWithoutManager(limit: number): Promise<{ id: string; managerId: string }[]> {
    return this.#statements.all(queries.workersWithoutManager(this.#company.number, limit));
  }

  async withoutAssignment(kind: "requests" | "adjustments" | "policies") {
    if (kind !== "policies" && this.#firstLoads.areAssigned(kind)) return { count: 0, names: [] };
    this.finish();
    const pair =
      kind === "policies"
        ? "a.policy_id = d.id"
        : `a.worker_id = ${idOf("d.worker_id")} and a.policy_id = ${idOf("d.policy_id")}`;
    const rows = `where company_id = ? and not exists (
      select 1 from assignments a where a.company_id = d.company_id and ${pair})`;
    // Each worker and policy is looked up once. The index of workers has all that is asked for.
    const source =
      kind === "policies"
        ? "(select company_id, id, 1 as many from policies)"
        : `(select company_id, worker_id, policy_id, count(*) as many from ${kind} indexed by ${kind}_worker
            group by company_id, worker_id, policy_id)`;
    const found = this.#statements
      .prepare(`select coalesce(sum(many), 0) from ${source} d ${rows}`)
      .values(this.#company.number);
    const count = Number(found[0]?.[0]);
    if (count === 0) return { count, names: [] };
    const names = selectionOf(
      kind,
      kind === "requests" ? ["id", "legacyId", "policyId", "doc"] : ["id", "legacyId"],
    );
    const first = this.#statements.prepare(`select ${names} from ${kind} d ${rows} order by id limit 3`);
    const named = first.all(this.#company.number) as { id: string; legacyId: string | null }[]; // the selection
    return { count, names: named.map((row) => toRow(kind, row)).map(({ id, legacyId }) => legacyId ?? id) };
  }
}
