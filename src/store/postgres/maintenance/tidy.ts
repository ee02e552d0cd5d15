// After a commit: statistics that are out of date, and removed rows, which PostgreSQL keeps in its tables' files until a
// vacuum. The server does both in its own time, too.
import type pg from "pg";
import { FACT_KINDS, type FactKind } from "../../tables.ts";
import type { TableName } from "../schema.ts";

/** From this many rows on the tables' statistics are renewed at once, which would otherwise happen within minutes. */
const ANALYZE_FROM_ROWS = 10_000;

/** What is looked at of a table that is mostly new: 300 rows for each of these. PostgreSQL's default is 100. */
const FIRST_STATISTICS_TARGET = 10;

const ANALYZED_TABLES: readonly TableName[] = [...FACT_KINDS, "request_buckets"];

export interface Changes {
  /** By kind, how many rows were put. */
  readonly rowsPut: ReadonlyMap<FactKind, number>;
  /** The tables whose rows were removed or replaced. */
  readonly leftBehind: ReadonlySet<TableName>;
}

/**
 * After a commit. What cannot be done now, or is being done by another session, is left to the server. Returns whether
 * every table with removed rows was vacuumed.
 */
export async function tidy(client: pg.PoolClient, { rowsPut, leftBehind }: Changes): Promise<boolean> {
  const isVacuumed =
    leftBehind.size === 0 || (await quietly(client, `vacuum (skip_locked) ${[...leftBehind].join(", ")}`));
  const rows = [...rowsPut.values()].reduce((sum, one) => sum + one, 0);
  if (rows >= ANALYZE_FROM_ROWS) await renewStatistics(client, rowsPut);
  return isVacuumed;
}

/**
 * Of tables that are mostly new, few rows are looked at, so that a first import need not wait. The columns are named: then PostgreSQL
 * goes on counting the table's rows as changed, and autovacuum looks at more of them within minutes.
 */
async function renewStatistics(client: pg.PoolClient, rowsPut: Changes["rowsPut"]): Promise<void> {
  const known = await knownTables(client).catch(() => []); // then all of them are looked at in full
  const put = (table: TableName) =>
    rowsPut.get(table === "request_buckets" ? "requests" : (table as FactKind)) ?? 0; // the others are kinds
  const mostlyNew = known.filter(({ table, rows }) => rows < put(table));
  const names = mostlyNew.map(({ table }) => table);
  const others = ANALYZED_TABLES.filter((table) => !names.includes(table));
  if (mostlyNew.length > 0) {
    const columns = mostlyNew.map(({ table, columns }) => `${table} (${columns})`);
    // One message is one transaction: what is set in it ends with it.
    await quietly(
      client,
      `set local default_statistics_target = ${FIRST_STATISTICS_TARGET}; analyze ${columns.join(", ")}`,
    );
  }
  if (others.length > 0) await quietly(client, `analyze ${others.join(", ")}`);
}

interface KnownTable {
  readonly table: TableName;
  /** As of the last ANALYZE or vacuum; not above 0 if there was none. */
  readonly rows: number;
  /** Those that have statistics. */
  readonly columns: string;
}

async function knownTables(client: pg.PoolClient): Promise<readonly KnownTable[]> {
  const { rows } = await client.query<KnownTable>(
    `select relname as "table", reltuples as "rows", (select string_agg(attname, ', ') from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attstattarget is distinct from 0) as "columns"
      from pg_class where oid = any($1::regclass[])`,
    [ANALYZED_TABLES],
  );
  return rows;
}

/**
 * Frees the space of removed rows, but of those that a transaction which is still open may read. False where any table
 * was left out: a role may vacuum what it owns (or, from version 17 on, maintains), and not every engine can.
 */
export function vacuum(client: pg.PoolClient, tables: readonly string[]): Promise<boolean> {
  return quietly(client, `vacuum ${tables.join(", ")}`);
}

/** Whether it was done for every table: one that is left out is a warning, not an error. */
async function quietly(client: pg.PoolClient, statement: string): Promise<boolean> {
  let isWhole = true;
  const noteLeftOut = () => {
    isWhole = false;
  };
  client.on("notice", noteLeftOut);
  try {
    await client.query(statement);
    return isWhole;
  } catch {
    return false;
  } finally {
    client.off("notice", noteLeftOut);
  }
}
