// The digests of one company's rows on PostgreSQL.
import sql, { raw, type Sql } from "sql-template-tag";
import { DigestReads } from "../shared-reads.ts";
import type { RowDigest, RowDigests, RowKey } from "../store.ts";
import { DIGESTED_KINDS, type DigestedKind, TABLES } from "../tables.ts";
import * as statements from "./rows.ts";
import type { TableName } from "./schema.ts";

/** Rows that are read at a time. */
const BATCH_ROWS = 10_000;

/** A key with its digest as text: it has more bits than a number of JavaScript. */
type DigestRow = Readonly<Record<string, string | number | null>> & { readonly digest: string | null };

export class PostgresDigests extends DigestReads implements RowDigests {
  readonly #tablesToVacuum: Set<TableName>;

  /** `tablesToVacuum`: gets the kinds with rows that were replaced. */
  constructor(
    readonly run: <R>(query: Sql) => Promise<R[]>,
    companyId: string,
    tablesToVacuum: Set<TableName>,
  ) {
    super(companyId);
    this.#tablesToVacuum = tablesToVacuum;
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
    this.#tablesToVacuum.add(kind);
  }

  async *keys(kind: DigestedKind) {
    const key: readonly string[] = TABLES[kind].key;
    let last: DigestRow | undefined;
    do {
      const rows: DigestRow[] = await this.run<DigestRow>(
        statements.selectPage(kind, this.companyId, [...key, "digest"], last, BATCH_ROWS),
      );
      yield rows.map((row) => [key.map((field) => row[field]) as RowKey, digestOf(row)] as const); // keys are texts and days
      last = rows.length === BATCH_ROWS ? rows[rows.length - 1] : undefined;
    } while (last !== undefined);
  }

  async forget(workerIds: readonly string[]): Promise<void> {
    if (workerIds.length === 0) return;
    for (const kind of DIGESTED_KINDS) {
      await this.run(
        sql`update ${raw(kind)} set digest = null where company_id = ${this.companyId} and worker_id = any(${workerIds}) and digest is not null`,
      );
      this.#tablesToVacuum.add(kind);
    }
  }
}

function digestOf({ digest }: DigestRow): RowDigest | null {
  return digest === null ? null : BigInt(digest);
}
