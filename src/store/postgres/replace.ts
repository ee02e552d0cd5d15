// Replaces the whole contents of a PostgreSQL store, with its keys, in one transaction: readers see one state or the other.
import type pg from "pg";
import sql, { type Sql } from "sql-template-tag";
import { beginChanges, ChangeNotes, EventNotes } from "../change-notes.ts";
import type { AddedSecrets, ReplaceOutcome } from "../engine.ts";
import * as queries from "../queries.ts";
import type { StoreTransaction, Waiting } from "../store.ts";
import type { Execute } from "../tables.ts";
import { commit, PostgresDatabase, run } from "./connection/database.ts";
import { openSchema } from "./maintenance/migrate.ts";
import { analyze, vacuum } from "./maintenance/vacuum.ts";
import { PostgresImportTransaction } from "./transaction.ts";
import { beginLocking, removeCompany } from "./write.ts";

type Work = (transaction: StoreTransaction) => Promise<void>;

/** See `Store.replace`. Makes missing tables. */
export async function replaceStore(db: string, work: Work, waiting: Waiting): Promise<ReplaceOutcome> {
  await using database = new PostgresDatabase(db, { max: 1 });
  await openSchema(database, { create: true });
  const added = await database.hold((client) => replaceOn(database, client, work, waiting));
  return { quarantine: null, added };
}

async function replaceOn(
  database: PostgresDatabase,
  client: pg.PoolClient,
  work: Work,
  waiting: Waiting,
): Promise<AddedSecrets> {
  const { serverName } = database;
  const execute: Execute = (query) => run(client, serverName, query);
  const lock = sql`select id from companies order by id for no key update`;
  const before = await beginLocking<{ id: string }>(database, client, lock, waiting);
  const facts: PostgresImportTransaction[] = [];
  const noted: ChangeNotes[] = [];
  let hasRemoved = false;
  const added = { keys: 0, feeds: 0 };
  await work({
    companiesBefore: before.map(({ id }) => id),
    async putCompany(company) {
      const revision = queries.newRevision(Date.now());
      await execute(queries.putCompany(company, revision, queries.REPLACE_COMPANY));
      await execute(beginChanges(company.id));
    },
    async removeCompany(id) {
      await removeCompany(execute, id);
      hasRemoved = true;
    },
    async rows(companyId) {
      const quiet = { companyId, nowMs: Date.now(), isQuiet: true };
      const events = await EventNotes.begin(execute, execute, quiet);
      const notes = await ChangeNotes.begin(execute, companyId, events);
      noted.push(notes);
      const transaction = new PostgresImportTransaction(client, serverName, companyId, notes);
      facts.push(transaction);
      return transaction;
    },
    async addSecrets(keys, feeds) {
      const add = async (insertion: Sql) =>
        (await execute(sql`${insertion} on conflict do nothing returning id`)).length;
      for (const key of keys) added.keys += await add(queries.insertSecret(key));
      for (const feed of feeds) added.feeds += await add(queries.insertSecret(feed));
    },
  });
  for (const notes of noted) await notes.end(Date.now());
  await commit(client, serverName, "restore");
  if (hasRemoved || facts.some(({ hasLeftRows }) => hasLeftRows)) await vacuum(client);
  const rowsPut = facts.reduce((rows, each) => rows + each.rowsPut, 0);
  await analyze(client, { rowsPut, isFirst: true });
  return added;
}
