// Vacuums removed rows and renews statistics after a commit. PostgreSQL does both in its own time, so a failure is no error.
import type pg from "pg";
import sql, { raw } from "sql-template-tag";
import { StoreRefusal } from "../../store.ts";
import { HISTORY_TABLES, KINDS } from "../../tables.ts";
import { PostgresDatabase, run } from "../connection/database.ts";
import { COMPANY_TABLES, TABLE_NAMES } from "../schema.ts";
import { requireCurrentSchema } from "./migrate.ts";

/** After a first load of this many rows, statistics are renewed at once. The server would take minutes. */
const ANALYZE_FROM_ROWS = 10_000;

/** The same after a later import, which fills history tables. Without their statistics, reads with `knownOn` take three times as long. */
const ANALYZE_FROM_CHANGED_ROWS = 1000;

/**
 * Frees the space of removed rows, except those that an open transaction may still read. Returns false if a table was left out. A role
 * may vacuum only tables that it owns, or from version 17 on maintains. Not every engine can vacuum.
 */
export function vacuum(client: pg.PoolClient): Promise<boolean> {
  return isDone(client, `vacuum ${COMPANY_TABLES.join(", ")}`);
}

/** Vacuums and analyses every table. An import does not, since all companies share the tables. Raises StoreRefusal if the role may not. */
export async function vacuumStore(db: string): Promise<void> {
  await using database = new PostgresDatabase(db, { max: 1 });
  await requireCurrentSchema(database);
  await database.hold(async (client) => {
    const leftOut: string[] = [];
    client.on("notice", ({ message }) => leftOut.push(message ?? ""));
    await run(client, database.serverName, sql`vacuum (analyze) ${raw(TABLE_NAMES.join(", "))}`);
    if (leftOut.length === 0) return;
    throw new StoreRefusal(
      `${database.serverName} left out ${leftOut.length} of ${TABLE_NAMES.length} tables (${leftOut[0]})`,
      "use the role that owns the tables, or from version 17 on one that may maintain them",
    );
  });
}

/** The statement that renews the planner's statistics of all tables that an import writes. */
export const ANALYZE = `analyze ${[...KINDS, ...HISTORY_TABLES, "request_buckets"].join(", ")}`;

/** Renews statistics after many rows were put. A role that imports owns no tables, and has a function for it (`grantImporter`). */
export async function analyze(
  client: pg.PoolClient,
  { rowsPut, isFirst }: { readonly rowsPut: number; readonly isFirst: boolean },
): Promise<void> {
  const least = isFirst ? ANALYZE_FROM_ROWS : ANALYZE_FROM_CHANGED_ROWS;
  if (rowsPut < least || (await isDone(client, ANALYZE))) return;
  await isDone(client, "select rollcall_analyze()");
}

/** Whether the statement was done for every table. PostgreSQL reports a table that it leaves out as a warning, not as an error. */
async function isDone(client: pg.PoolClient, statement: string): Promise<boolean> {
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
