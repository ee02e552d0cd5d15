// What a transaction leaves to tidy up: statistics that are out of date, and removed rows, which PostgreSQL keeps in its
// tables' files until a vacuum. It does both in its own time, too.
import type pg from "pg";
import { FACT_KINDS, type FactKind } from "../../tables.ts";

/** From this many rows on the tables' statistics are renewed at once, which would otherwise happen within minutes. */
const ANALYZE_FROM_ROWS = 10_000;

export interface Changes {
  readonly rowsPut: number;
  /** The kinds of which rows were removed or replaced. */
  readonly leftBehind: ReadonlySet<FactKind>;
}

/** After a commit. What cannot be done now, or is being done by another session, is left to the server. */
export async function tidy(client: pg.PoolClient, { rowsPut, leftBehind }: Changes): Promise<void> {
  if (leftBehind.size > 0) await quietly(client, `vacuum (skip_locked) ${[...leftBehind].join(", ")}`);
  if (rowsPut >= ANALYZE_FROM_ROWS) await quietly(client, `analyze ${FACT_KINDS.join(", ")}`);
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
