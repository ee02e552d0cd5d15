// The digests of one company's rows in the embedded store.
import type { SQLQueryBindings } from "bun:sqlite";
import * as queries from "../queries.ts";
import type { DigestKey, RowDigest, RowDigests, RowKey } from "../store.ts";
import { DIGESTED_KINDS, type DigestedKind, TABLES } from "../tables.ts";
import type { Statements } from "./database.ts";
import { numberOf } from "./layout/numbers.ts";
import { hasNumber, keyCondition, keyedTable, type StoredCompany, scanOf } from "./layout/rows.ts";
import { digestOf, HALVES, type StoredRows } from "./layout/stored-rows.ts";
import type { RowWriter } from "./row-writer.ts";

/** Rows that are read at a time. */
const BATCH_ROWS = 1000;

export class SqliteDigests implements RowDigests {
  readonly #statements: Statements;
  readonly #company: StoredCompany;
  readonly #rows: StoredRows;
  readonly #writer: RowWriter;

  constructor(statements: Statements, company: StoredCompany, rows: StoredRows, writer: RowWriter) {
    this.#statements = statements;
    this.#company = company;
    this.#rows = rows;
    this.#writer = writer;
  }

  async key(program: string): Promise<DigestKey> {
    const [stored] = this.#statements.all<{ key: string | null }>(queries.digestKey(this.#company.id));
    if (stored?.key != null && queries.isDigestKeyOf(program, stored.key))
      return { key: stored.key, isNew: false };
    const key = queries.newDigestKey(program);
    this.#statements.all(queries.setDigestKey(this.#company.id, key));
    return { key, isNew: true };
  }

  async *all(kind: DigestedKind): AsyncGenerator<Uint32Array> {
    if (kind === "requests") this.#writer.finish();
    // The table itself: an index would read each of its pages many times.
    const select = this.#statements.prepare(
      `select digest >> 32 as high, digest & 4294967295 as low from ${kind} not indexed where company_id = ?`,
    );
    let halves = new Uint32Array(BATCH_ROWS * 2);
    let at = 0;
    for (const { high, low } of select.iterate(this.#company.number) as Iterable<Halves>) {
      if (high === null) continue;
      halves[at++] = high;
      halves[at++] = low;
      if (at < halves.length) continue;
      yield halves;
      halves = new Uint32Array(BATCH_ROWS * 2);
      at = 0;
    }
    yield halves.subarray(0, at);
  }

  async of(kind: DigestedKind, keys: readonly RowKey[]): Promise<(RowDigest | null)[]> {
    this.#writer.finishFor(kind, keys);
    return keys.map((key) => this.#rows.one(kind, key)?.digest ?? null);
  }

  async set(
    kind: DigestedKind,
    rows: readonly (readonly [key: RowKey, digest: RowDigest | null])[],
  ): Promise<void> {
    const update = this.#statements.prepare(
      `update ${keyedTable(kind)} set digest = ?${TABLES[kind].key.length + 2} where ${keyCondition(kind)}`,
    );
    this.#writer.finishFor(
      kind,
      rows.map(([key]) => key),
    );
    for (const [key, digest] of rows) {
      this.#rows.forget(kind, key);
      update.run(this.#company.number, ...key, digest);
    }
  }

  async *keys(kind: DigestedKind) {
    for (const rows of this.#scan(kind)) {
      yield rows.map((row) => [row.slice(2) as RowKey, digestOf(row)] as const); // the selection: after the halves, the key
    }
  }

  async forget(workerIds: readonly string[]): Promise<void> {
    if (workerIds.length === 0) return;
    this.#writer.finish();
    this.#rows.forget();
    for (const kind of DIGESTED_KINDS) {
      const forget = this.#statements.prepare(
        `update ${kind} set digest = null where company_id = ?1 and worker_id = ${workerValue(kind)} and digest is not null`,
      );
      for (const id of workerIds) forget.run(this.#company.number, id);
    }
  }

  async forgetAll(): Promise<void> {
    this.#statements.all(queries.setDigestKey(this.#company.id, null));
  }

  /** The halves of each row's digest and its key, in the order of the keys, in batches. */
  *#scan(kind: DigestedKind): Generator<unknown[][]> {
    const { from, company, keys: key } = scanOf(kind);
    if (kind === "requests") this.#writer.finish();
    const select = `select ${HALVES}, ${key.join(", ")} from ${from} where ${company} = ?`;
    const rest = `order by ${key.join(", ")} limit ${BATCH_ROWS}`;
    const first = this.#statements.prepare(`${select} ${rest}`);
    const next = this.#statements.prepare(
      `${select} and (${key.join(", ")}) > (${key.map(() => "?").join(", ")}) ${rest}`,
    );
    let rows = first.values(this.#company.number);
    while (rows.length > 0) {
      yield rows;
      if (rows.length < BATCH_ROWS) return;
      const last = rows[rows.length - 1]!.slice(2) as SQLQueryBindings[]; // keys are texts and days
      rows = next.values(this.#company.number, ...last);
    }
  }
}

/** Of a digest: both null where a row has none. */
type Halves = { readonly high: number; readonly low: number } | { readonly high: null; readonly low: null };

/** The worker whose id is `?2`, as rows of the kind name it. */
const workerValue = (kind: DigestedKind) => (hasNumber(kind, "workerId") ? numberOf("?1", "?2") : "?2");
