// Reading all that a store holds, on one connection.
import sql from "sql-template-tag";
import type { Execute } from "../feed-notes.ts";
import * as queries from "../queries.ts";
import { type FeedRow, type KeyRow, listed, toFeed, toKey } from "../secret-rows.ts";
import { type Company, type Contents, unknownCompany } from "../store.ts";
import { FACT_KINDS, type StoredColumns } from "../tables.ts";
import { PostgresDatabase, run } from "./connection/database.ts";
import { requireKnownSchema } from "./maintenance/migrate.ts";
import { scanRows } from "./transaction.ts";

/** What is read through `execute`. It is of one moment if `execute` runs in a transaction with one snapshot. */
export function contentsOf(execute: Execute): Contents {
  let stored: Promise<StoredColumns> | undefined;
  const columns = () => {
    stored ??= columnsOf(execute);
    return stored;
  };
  return {
    companies: async () => execute<Company>(queries.companies(undefined, await columns())),
    keys: async (companyId) => (await execute<KeyRow>(listed("keys", companyId))).map(toKey),
    async feeds(companyId) {
      // A store of an older version has no such table.
      const table = await execute<{ isThere: boolean }>(
        sql`select to_regclass('feeds') is not null as "isThere"`,
      );
      return table[0]!.isThere ? (await execute<FeedRow>(listed("feeds", companyId))).map(toFeed) : [];
    },
    async export(companyId, visit) {
      const company = await execute(sql`select id from companies where id = ${companyId}`);
      if (company.length === 0) throw unknownCompany(companyId);
      for (const kind of FACT_KINDS) {
        const batches = scanRows(execute, companyId, kind, await columns());
        for await (const rows of batches) await visit(kind, rows);
      }
    },
  };
}

/** The columns of each table, which in a store of an older version are fewer. */
async function columnsOf(execute: Execute): Promise<StoredColumns> {
  const found = await execute<{ table: string; column: string }>(
    sql`select relname as "table", attname as "column" from pg_attribute join pg_class on pg_class.oid = attrelid where attrelid = any(array(select to_regclass(name) from unnest(${["companies", ...FACT_KINDS]}::text[]) as name)) and attnum > 0 and not attisdropped`,
  );
  const byTable = Map.groupBy(found, ({ table }) => table);
  return new Map(
    [...byTable].map(([table, columns]) => [table, new Set(columns.map(({ column }) => column))]),
  );
}

/** Begins a read-only transaction in which all reads see the same moment. */
export const BEGIN_SNAPSHOT = sql`begin isolation level repeatable read read only`;

/**
 * Gives `work` all that the store holds at one moment, while others serve and import. Stores of older schema versions
 * will do: a backup is what should be made before `rollcall migrate`.
 */
export async function withSnapshot<T>(db: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const database = new PostgresDatabase(db, { max: 1 });
  try {
    await requireKnownSchema(database);
    return await database.hold(async (client) => {
      const execute: Execute = (query) => run(client, database.serverName, query);
      await execute(BEGIN_SNAPSHOT);
      const result = await work(contentsOf(execute));
      await execute(sql`commit`);
      return result;
    });
  } finally {
    await database.close();
  }
}
