// What an import tells PostgreSQL's planner of the tables that it filled.

import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { migratePostgres } from "../../../src/store/postgres/maintenance/role.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import { sharedServer } from "../../support/postgres.ts";
import { workerRow } from "../../support/rows.ts";
import { change, createCompany, EMPTY_STORE } from "../../support/stores.ts";

setDefaultTimeout(120_000);

let db: string;
let writer: WriteStore;

beforeEach(async () => {
  db = await (await sharedServer()).createDatabase(EMPTY_STORE);
  await ask("alter table workers set (autovacuum_enabled = false)"); // nobody else renews what is looked at
  writer = await openPostgresWriteStore(db);
  return () => writer.close();
});

async function ask<R>(text: string): Promise<R[]> {
  return (await sharedServer()).run<R>(text, [], new URL(db).pathname.slice(1));
}

async function importWorkers(companyId: string, count: number): Promise<void> {
  await createCompany(writer, companyId);
  await writer.change(companyId, async (transaction) => {
    await transaction.beginFirstLoad("workers");
    await transaction.put(
      "workers",
      Array.from({ length: count }, (_, at) => workerRow(`wrk_${at}`)),
    );
    await transaction.endFirstLoad();
    return { result: null, changed: true, commit: true };
  });
}

/** Rows of the table as the planner knows them, and between how many values it has divided the ids. */
async function known(table = "workers"): Promise<{ rows: number; ids: number | null }> {
  const [found] = await ask<{ rows: number; ids: number | null }>(
    `select reltuples as rows, (select array_length(histogram_bounds::text::text[], 1) from pg_stats
      where tablename = '${table}' and attname = 'id') as ids from pg_class where oid = '${table}'::regclass`,
  );
  return found!;
}

test("an import of many rows tells the planner of them at once", async () => {
  await importWorkers("acme", 10_000);
  expect(await known()).toEqual({ rows: 10_000, ids: 101 });
});

test("an import by a role that owns no tables tells the planner, too", async () => {
  const [reader, importer] = ["reader", "importer"].map(
    (role) => `${role}_${crypto.randomUUID().slice(0, 8)}`,
  );
  await ask(`create role ${importer} login password 'secret'`);
  await migratePostgres(db, { name: reader!, importer: importer! });
  const address = new URL(db);
  address.username = importer!;
  address.password = "secret";
  await writer.close();
  writer = await openPostgresWriteStore(address.href);
  await importWorkers("acme", 10_000);
  expect(await known()).toEqual({ rows: 10_000, ids: 101 });
});

test("an import that changes many rows tells the planner of their former versions at once", async () => {
  await ask("alter table workers_history set (autovacuum_enabled = false)");
  await importWorkers("acme", 1000);
  const changeSome = (count: number) =>
    change(writer, "acme", (transaction) =>
      transaction.put(
        "workers",
        Array.from({ length: count }, (_, at) => workerRow(`wrk_${at}`, { position: `${count}` })),
      ),
    );
  await changeSome(999);
  expect(await known("workers_history")).toEqual({ rows: -1, ids: null });
  await changeSome(1000);
  expect(await known("workers_history")).toEqual({ rows: 1999, ids: 101 });
});

test("a first import of few rows leaves all of that to autovacuum", async () => {
  await importWorkers("acme", 9_999);
  expect(await known()).toEqual({ rows: -1, ids: null });
});
