// One import of one company into the embedded store: the primitives that `src/import` uses, inside one transaction.
import type { Sql } from "sql-template-tag";
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
import type { Statements } from "./database.ts";
import { FirstLoad } from "./first-load.ts";
import {
  BUCKET_FIELDS,
  type BucketRequest,
  boundValues,
  byKind,
  INSERT_NEW,
  keyCondition,
  refileRequest,
  scanColumns,
  scanRows,
  selectionOf,
  UPSERT,
} from "./rows.ts";

/** By kind, selects what must be known of a row before it is replaced or removed. */
const NOTED = byKind((kind) => {
  const columns = [...notedColumns(kind), ...(kind === "requests" ? BUCKET_FIELDS : [])];
  if (isListKind(kind)) columns.push("seq");
  return selectionOf(kind, [...new Set(columns)]);
});

const SELECT_NOTED = byKind((kind) => `select ${NOTED[kind]} from ${kind} where ${keyCondition(kind)}`);
const DELETE = byKind((kind) => `delete from ${kind} where ${keyCondition(kind)} returning ${NOTED[kind]}`);
const SELECT = byKind((kind) => `select ${selectionOf(kind)} from ${kind} where ${keyCondition(kind)}`);

export class SqliteImportTransaction extends ImportReads implements ImportTransaction {
  #firstLoad: FirstLoad | null = null;
  readonly digests: SqliteDigests;
  /** Whether a person was removed, whose bytes must then go from the store's files. */
  hasRemovedPeople = false;

  /** `hasBuckets`: false where time buckets are made later, of all requests at once. */
  constructor(
    private readonly statements: Statements,
    readonly companyId: string,
    private readonly notes: ChangeNotes,
    readonly hasBuckets = true,
  ) {
    super();
    this.digests = new SqliteDigests(statements, companyId);
  }

  protected async run<R>(query: Sql): Promise<R[]> {
    return this.statements.all(query);
  }

  async match(kind: NamedKind, names: readonly string[]): Promise<NameMatch[]> {
    const byId = this.statements.prepare(`select 1 from ${kind} where company_id = ? and id = ?`);
    const byLegacyId = this.statements.prepare(
      `select id from ${kind} where company_id = ? and legacy_id = ?`,
    );
    return names.map((name) => ({
      byId: byId.get(this.companyId, name) !== null,
      byLegacyId: (byLegacyId.values(this.companyId, name)[0]?.[0] as string | undefined) ?? null, // an id
    }));
  }

  async stored<K extends Kind>(kind: K, keys: readonly RowKey[]): Promise<(Rows[K] | null)[]> {
    const select = this.statements.prepare(SELECT[kind]);
    return keys.map((key) => select.get(this.companyId, ...key) as Rows[K] | null); // the selection
  }

  async assignmentsById(ids: readonly string[]): Promise<(Rows["assignments"] | null)[]> {
    const select = this.statements.prepare(
      `select ${selectionOf("assignments")} from assignments where company_id = ? and id = ?`,
    );
    return ids.map((id) => select.get(this.companyId, id) as Rows["assignments"] | null); // the selection
  }

  async beginFirstLoad(kind: Kind): Promise<void> {
    this.#firstLoad = new FirstLoad(this.statements, kind);
  }

  async endFirstLoad(): Promise<void> {
    const load = this.#firstLoad;
    this.#firstLoad = null;
    load?.end();
  }

  async put<K extends Kind>(
    kind: K,
    rows: readonly Rows[K][],
    digests: readonly (RowDigest | null)[] = [],
  ): Promise<void> {
    for (const [at, row] of rows.entries()) {
      const digest = digests[at] ?? null;
      if (this.#firstLoad?.kind === kind) this.#gather(this.#firstLoad, kind, row, digest);
      else this.#put(kind, row, digest);
    }
    await this.notes.relieve();
  }

  #gather<K extends Kind>(load: FirstLoad, kind: K, row: Rows[K], digest: RowDigest | null): void {
    const seq = this.notes.put(kind, null, notedRow(row));
    load.put(boundValues(kind, this.companyId, row, seq, digest));
  }

  /** Adds the row. If one with its key is there, it is replaced. */
  #put<K extends Kind>(kind: K, row: Rows[K], digest: RowDigest | null): void {
    // As `notes.put` gives a new row. Whether it is one is known once it was inserted.
    const newSeq = this.notes.isFirst || !isListKind(kind) ? null : this.notes.seq;
    const values = boundValues(kind, this.companyId, row, newSeq, digest);
    const isAdded = this.statements.prepare(INSERT_NEW[kind]).run(...values).changes > 0;
    const before = isAdded ? null : this.#noted(kind, keyOf(kind, row));
    const seq = this.notes.put(kind, before, notedRow(row));
    if (!isAdded) this.#replace(kind, row, seq, digest);
    if (kind === "requests") this.#refileRequest(before, notedRow(row));
  }

  #replace<K extends Kind>(kind: K, row: Rows[K], seq: number | null, digest: RowDigest | null): void {
    const values = boundValues(kind, this.companyId, row, seq, digest);
    this.statements.prepare(UPSERT[kind]).run(...values);
  }

  #refileRequest(before: NotedRow | null, after: NotedRow | null): void {
    if (!this.hasBuckets) return;
    refileRequest(this.statements, this.companyId, bucketRequest(before), bucketRequest(after));
  }

  /** What is stored under a key. */
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

  async *scan<K extends Kind>(kind: K): AsyncGenerator<readonly Rows[K][]> {
    yield* scanRows(this.statements, this.companyId, kind);
  }

  async requestsInWorkersZone(workerIds: readonly string[]): Promise<Rows["requests"][]> {
    const select = this.statements.prepare(
      `select ${selectionOf("requests")} from requests indexed by requests_worker where company_id = ? and worker_id = ? and ${FOLLOWS_WORKER}`,
    );
    return workerIds.flatMap((id) => select.all(this.companyId, id) as Rows["requests"][]); // the selection
  }

  async referenced(parent: ParentKind, ids: readonly string[]): Promise<Map<string, Kind>> {
    const columns = PARENT_COLUMNS.filter((one) => one.parent === parent);
    const found = new Map<string, Kind>();
    for (const id of ids) {
      const referring = columns.find(({ kind, column }) => {
        const select = `select 1 from ${kind} where company_id = ? and ${columnName(column)} = ? limit 1`;
        return this.statements.prepare(select).get(this.companyId, id) !== null;
      });
      if (referring !== undefined) found.set(id, referring.kind);
    }
    return found;
  }

  async withoutAssignment(kind: "requests" | "adjustments" | "policies") {
    const [index, pair] =
      kind === "policies"
        ? ["", "a.policy_id = d.id"]
        : [`indexed by ${kind}_worker`, "a.worker_id = d.worker_id and a.policy_id = d.policy_id"];
    const rows = `where company_id = ? and not exists (
      select 1 from assignments a where a.company_id = d.company_id and ${pair})`;
    const counted = this.statements.prepare(`select count(*) from ${kind} d ${index} ${rows}`);
    const count = Number(counted.values(this.companyId)[0]?.[0]);
    if (count === 0) return { count, names: [] };
    const named = this.statements.prepare(
      `select coalesce(legacy_id, id) from ${kind} d ${rows} order by id limit 3`,
    );
    return { count, names: named.values(this.companyId).map(([name]) => String(name)) };
  }
}

function notedRow(row: Rows[Kind]): NotedRow {
  return row as unknown as NotedRow; // its columns are such values
}

/** A request with what its time buckets have. */
function bucketRequest(row: NotedRow | null): BucketRequest | null {
  return row as unknown as BucketRequest | null; // these are selected
}

/** A digest has more bits than a number of JavaScript, so it is read as text. */
const AS_TEXT = "cast(digest as text) as digest";

interface DigestRow {
  readonly digest: string | null;
}

export class SqliteDigests extends DigestReads implements RowDigests {
  constructor(
    private readonly statements: Statements,
    readonly companyId: string,
  ) {
    super();
  }

  protected async run<R>(query: Sql): Promise<R[]> {
    return this.statements.all(query);
  }

  async of(kind: DigestedKind, keys: readonly RowKey[]): Promise<(RowDigest | null)[]> {
    const select = this.statements.prepare(`select ${AS_TEXT} from ${kind} where ${keyCondition(kind)}`);
    return keys.map((key) => digestOf(select.get(this.companyId, ...key) as DigestRow | null)); // the selection
  }

  async set(
    kind: DigestedKind,
    rows: readonly (readonly [key: RowKey, digest: RowDigest | null])[],
  ): Promise<void> {
    const update = this.statements.prepare(`update ${kind} set digest = ? where ${keyCondition(kind)}`);
    for (const [key, digest] of rows) update.run(digest, this.companyId, ...key);
  }

  async *keys(kind: DigestedKind) {
    const { key } = TABLES[kind];
    const selected = `${selectionOf(kind, key)}, ${AS_TEXT}`;
    type Selected = DigestRow & Readonly<Record<string, string | number>>;
    for (const rows of scanColumns<Selected>(this.statements, this.companyId, kind, selected))
      yield rows.map((row) => [key.map((field) => row[field]!) as RowKey, digestOf(row)] as const); // keys are texts and days
  }

  async forget(workerIds: readonly string[]): Promise<void> {
    for (const kind of DIGESTED_KINDS) {
      const forget = this.statements.prepare(
        `update ${kind} set digest = null where company_id = ? and worker_id = ? and digest is not null`,
      );
      for (const id of workerIds) forget.run(this.companyId, id);
    }
  }
}

function digestOf(row: DigestRow | null): RowDigest | null {
  return row?.digest == null ? null : BigInt(row.digest);
}
