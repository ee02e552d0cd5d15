// The digests of one company's rows on PostgreSQL.
import sql, { join, raw, type Sql } from "sql-template-tag";
import * as queries from "../queries.ts";
import type { DigestKey, RowDigest, RowDigests, RowKey } from "../store.ts";
import { columnName, DIGESTED_KINDS, type DigestedKind, TABLES } from "../tables.ts";
import * as statements from "./rows.ts";
import type { TableName } from "./schema.ts";

/** Rows that are read at a time. */
const BATCH_ROWS = 10_000;

/** Bytes of a digest. */
const DIGEST_BYTES = 8;

interface Part {
  /** The digests of some rows, one after the other, each from its highest byte. */
  readonly bytes: Buffer | null;
  /** How many rows there were. */
  readonly rows: number;
  readonly [key: string]: unknown;
}

/** A key with its digest as text: it has more bits than a number of JavaScript. */
type DigestRow = Readonly<Record<string, string | number | null>> & { readonly digest: string | null };

export class PostgresDigests implements RowDigests {
  readonly #run: <R>(query: Sql) => Promise<R[]>;
  readonly #companyId: string;
  readonly #tablesToVacuum: Set<TableName>;

  /** `tablesToVacuum`: gets the kinds with rows that were replaced. */
  constructor(run: <R>(query: Sql) => Promise<R[]>, companyId: string, tablesToVacuum: Set<TableName>) {
    this.#run = run;
    this.#companyId = companyId;
    this.#tablesToVacuum = tablesToVacuum;
  }

  async key(program: string): Promise<DigestKey> {
    const [stored] = await this.#run<{ key: string | null }>(queries.digestKey(this.#companyId));
    if (stored?.key != null && queries.isDigestKeyOf(program, stored.key))
      return { key: stored.key, isNew: false };
    const key = queries.newDigestKey(program);
    await this.#run(queries.setDigestKey(this.#companyId, key));
    return { key, isNew: true };
  }

  async *all(kind: DigestedKind): AsyncGenerator<Uint32Array> {
    const key: readonly string[] = TABLES[kind].key;
    const columns = raw(key.map(columnName).join(", "));
    let last: Part | null = null;
    do {
      const page: Sql = sql`select digest, ${columns} from ${raw(kind)} where company_id = ${this.#companyId}${after(kind, last)} order by ${columns} limit ${BATCH_ROWS}`;
      const lasts = key.map(
        (field) =>
          `(array_agg(${columnName(field)} order by ${key.map(columnName).join(", ")}))[count(*)] as "${field}"`,
      );
      const [part]: Part[] = await this.#run<Part>(
        sql`select string_agg(int8send(digest), ''::bytea) as "bytes", count(*) as "rows", ${raw(lasts.join(", "))} from (${page}) as page`,
      );
      yield halvesOf(part!.bytes);
      last = part!;
    } while (last.rows === BATCH_ROWS);
  }

  async of(kind: DigestedKind, keys: readonly RowKey[]): Promise<(RowDigest | null)[]> {
    if (keys.length === 0) return [];
    const key: readonly string[] = TABLES[kind].key;
    const selected = [
      ...key.map((field) => `row.${columnName(field)} as "${field}"`),
      `row.digest::text as "digest"`,
    ];
    const rows = await this.#run<DigestRow>(
      statements.rowsByKeys(selected.join(", "), kind, this.#companyId, keys),
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
    await this.#run(statements.setDigests(kind, this.#companyId, rows));
    this.#tablesToVacuum.add(kind);
  }

  async *keys(kind: DigestedKind) {
    const key: readonly string[] = TABLES[kind].key;
    const columns = raw(key.map(columnName).join(", "));
    const named = raw(key.map((field) => `${columnName(field)} as "${field}"`).join(", "));
    let last: DigestRow | undefined;
    do {
      const rows: DigestRow[] = await this.#run<DigestRow>(
        sql`select ${named}, digest::text as "digest" from ${raw(kind)} where company_id = ${this.#companyId}${after(kind, last ?? null)} order by ${columns} limit ${BATCH_ROWS}`,
      );
      yield rows.map((row) => [key.map((field) => row[field]) as RowKey, digestOf(row)] as const); // keys are texts and days
      last = rows.length === BATCH_ROWS ? rows[rows.length - 1] : undefined;
    } while (last !== undefined);
  }

  async forget(workerIds: readonly string[]): Promise<void> {
    if (workerIds.length === 0) return;
    for (const kind of DIGESTED_KINDS) {
      await this.#run(
        sql`update ${raw(kind)} set digest = null where company_id = ${this.#companyId} and worker_id = any(${workerIds}) and digest is not null`,
      );
      this.#tablesToVacuum.add(kind);
    }
  }

  async forgetAll(): Promise<void> {
    await this.#run(queries.setDigestKey(this.#companyId, null));
  }
}

/** The condition that a row comes after this one; empty without one. */
function after(kind: DigestedKind, last: Readonly<Record<string, unknown>> | null): Sql {
  if (last === null) return sql``;
  const key: readonly string[] = TABLES[kind].key;
  return sql` and (${raw(key.map(columnName).join(", "))}) > (${join(key.map((field) => last[field] as string | number))})`; // keys are texts and days
}

function digestOf({ digest }: DigestRow): RowDigest | null {
  return digest === null ? null : BigInt(digest);
}

/** The higher and the lower half of each digest. */
function halvesOf(bytes: Buffer | null): Uint32Array {
  const halves = new Uint32Array((bytes?.length ?? 0) / (DIGEST_BYTES / 2));
  for (let at = 0; at < halves.length; at++) halves[at] = bytes!.readUInt32BE(at * (DIGEST_BYTES / 2)); // it has that many
  return halves;
}
