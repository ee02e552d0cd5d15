// Reads the whole contents of a store, on one connection.
import sql from "sql-template-tag";
import { StoredContents } from "../contents.ts";
import type { Contents } from "../store.ts";
import type { Execute } from "../tables.ts";
import { PostgresDatabase, run } from "./connection/database.ts";
import { requireCurrentSchema, requireFaithful } from "./maintenance/migrate.ts";

/** Begins a read-only transaction in which all reads see the same moment. */
export const BEGIN_SNAPSHOT = sql`begin isolation level repeatable read read only`;

/** Calls `work` with a snapshot of the store, while others serve and import. */
export async function withSnapshot<T>(db: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  await using database = new PostgresDatabase(db, { max: 1 });
  await requireFaithful(database);
  await requireCurrentSchema(database);
  return await database.hold(async (client) => {
    const execute: Execute = (query) => run(client, database.serverName, query);
    await execute(BEGIN_SNAPSHOT);
    const result = await work(new StoredContents(execute));
    await execute(sql`commit`);
    return result;
  });
}
