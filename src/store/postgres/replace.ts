// Replacing everything that a PostgreSQL store holds, keys and all in one transaction: readers see one state or the other.
import type pg from "pg";
import sql from "sql-template-tag";
import type { ReplaceOutcome } from "../engine.ts";
import { insertion } from "../key-rows.ts";
import * as queries from "../queries.ts";
import type { StoreTransaction } from "../store.ts";
import type { FactKind } from "../tables.ts";
import { PostgresDatabase, run } from "./connection/database.ts";
import type { Execute } from "./contents.ts";
import { openSchema } from "./maintenance/migrate.ts";
import { PostgresImportTransaction } from "./transaction.ts";
import { beginLocking, COMPANY_TABLES, commit, newVersion, removeCompany, tidy, vacuum } from "./write.ts";

type Work = (transaction: StoreTransaction) => Promise<void>;

/** See `Store.replace`. Tables are made where there are none. */
export async function replaceStore(db: string, work: Work, onWait: () => void): Promise<ReplaceOutcome> {
  const database = new PostgresDatabase(db, { max: 1 });
  try {
    await openSchema(database, { create: true });
    await database.hold((client) => replaceOn(client, database.serverName, work, onWait));
    return { quarantine: null };
  } finally {
    await database.close();
  }
}

async function replaceOn(
  client: pg.PoolClient,
  serverName: string,
  work: Work,
  onWait: () => void,
): Promise<void> {
  const execute: Execute = (query) => run(client, serverName, query);
  const lock = sql`select id from companies order by id for no key update`;
  const before = await beginLocking<{ id: string }>(client, serverName, lock, onWait);
  const facts: PostgresImportTransaction[] = [];
  let hasRemoved = false;
  await work({
    companiesBefore: before.map(({ id }) => id),
    putCompany: async (company) =>
      void (await execute(queries.putCompany(company, newVersion(), queries.REPLACE_COMPANY))),
    async removeCompany(id) {
      await removeCompany(execute, id);
      hasRemoved = true;
    },
    facts(companyId) {
      const transaction = new PostgresImportTransaction(client, serverName, companyId);
      facts.push(transaction);
      return transaction;
    },
    async addKeys(keys) {
      for (const key of keys) await execute(sql`${insertion(key)} on conflict do nothing`);
    },
  });
  await commit(client, serverName, "restore");
  if (hasRemoved) await vacuum(client, COMPANY_TABLES);
  await tidy(client, {
    rowsPut: facts.reduce((sum, one) => sum + one.rowsPut, 0),
    leftBehind: hasRemoved ? new Set<FactKind>() : new Set(facts.flatMap((one) => [...one.leftBehind])),
  });
}
