// Holding companies against imports, deletion and restoring, and against nothing else.
import type pg from "pg";
import sql, { type Sql } from "sql-template-tag";
import { StoreUnavailable } from "../store.ts";
import { run } from "./connection/database.ts";
import { LOCK_NOT_AVAILABLE, mapError, sqlState } from "./connection/errors.ts";

/**
 * Begins a transaction with a selection that locks its rows, and returns them. `onWait` is called once if somebody
 * else holds one of them.
 */
export async function beginLocking<R>(
  client: pg.PoolClient,
  place: string,
  selection: Sql,
  onWait?: () => void,
): Promise<R[]> {
  await run(client, place, sql`begin`);
  try {
    return (await client.query(`${selection.text} nowait`, selection.values)).rows as R[]; // the caller's selection
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw mapError(error, place);
  }
  onWait?.();
  await run(client, place, sql`rollback`);
  await run(client, place, sql`begin`);
  return run<R>(client, place, selection);
}

/** Ends such a transaction. Raises StoreUnavailable where the connection is lost at that moment. `what` was done in it. */
export async function commit(client: pg.PoolClient, place: string, what: string): Promise<void> {
  try {
    await run(client, place, sql`commit`);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new StoreUnavailable(
      `${error.message}. Whether the ${what} was done is not known`,
      "run it again, which changes nothing twice",
      { cause: error },
    );
  }
}
