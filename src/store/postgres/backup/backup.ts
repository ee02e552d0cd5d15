// What a backup of a PostgreSQL store is made from: everything in it, in one snapshot. Reading is all it needs.
import sql from "sql-template-tag";
import type { Contents } from "../../store.ts";
import { PostgresDatabase, run } from "../connection/database.ts";
import { BEGIN_SNAPSHOT, contentsOf, type Execute } from "../contents.ts";
import { knownVersion } from "../maintenance/migrate.ts";

/**
 * Gives `work` all that the store holds at one moment, while others serve and import. An older
 * version's store will do: a backup is what should be made before `rollcall migrate`. Raises StoreRefusal where there is
 * no store, and StoreUnavailable where it stops answering.
 */
export async function withSnapshot<T>(db: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const database = new PostgresDatabase(db, { max: 1 });
  try {
    await knownVersion(database);
    return await database.hold(async (client) => {
      const execute: Execute = (query) => run(client, database.place, query);
      await execute(BEGIN_SNAPSHOT);
      const result = await work(contentsOf(execute));
      await execute(sql`commit`);
      return result;
    });
  } finally {
    await database.close();
  }
}
