// The temporary tables of an import, in its transaction. The server removes them when the transaction ends, also if it fails.
import type pg from "pg";
import sql, { raw, type Sql } from "sql-template-tag";
import { ImportReads } from "../shared-reads.ts";
import type { ImportSession, StagedColumns, StagedValue } from "../store.ts";
import { columnName } from "../tables.ts";
import { run } from "./connection/database.ts";
import { copyRows } from "./copy.ts";
import { COLUMN_TYPES } from "./schema.ts";

const BATCH_ROWS = 2000;

export class PostgresStaging extends ImportReads implements ImportSession {
  /** Tables that were filled since they were analysed. */
  readonly #grown = new Set<string>();
  #cursors = 0;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly serverName: string,
    readonly companyId: string,
    readonly hold: ImportSession["hold"],
    readonly requireUnchanged: ImportSession["requireUnchanged"],
  ) {
    super();
  }

  async makeTable(name: string, columns: StagedColumns): Promise<void> {
    const list = Object.entries(columns).map(
      ([column, type]) =>
        `${columnName(column)} ${type === "row number" ? "bigint primary key" : COLUMN_TYPES[type]}`,
    );
    await this.run(sql`create temporary table ${raw(name)} (${raw(list.join(", "))}) on commit drop`);
  }

  async fill(table: string, rows: readonly (readonly StagedValue[])[]): Promise<void> {
    this.#grown.add(table);
    await copyRows(this.client, this.serverName, table, rows);
  }

  /** Analyses filled tables before the next statement: the server gathers no statistics of temporary tables by itself. */
  async run<R>(query: Sql): Promise<R[]> {
    const [...grown] = this.#grown;
    this.#grown.clear();
    if (grown.length > 0) await run(this.client, this.serverName, sql`analyze ${raw(grown.join(", "))}`);
    return run<R>(this.client, this.serverName, query);
  }

  async *batches<R>(query: Sql): AsyncGenerator<R[]> {
    const cursor = raw(`batches${++this.#cursors}`);
    await this.run(sql`declare ${cursor} no scroll cursor for ${query}`);
    for (;;) {
      const rows = await this.run<R>(sql`fetch ${raw(String(BATCH_ROWS))} from ${cursor}`);
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH_ROWS) break;
    }
    await this.run(sql`close ${cursor}`);
  }
}
