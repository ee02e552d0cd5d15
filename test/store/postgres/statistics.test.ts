// What an import tells PostgreSQL's planner of the tables that it filled.

import { beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import { tidy } from "../../../src/store/postgres/maintenance/tidy.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import { sharedServer } from "../../support/postgres.ts";
import { workerRow } from "../../support/rows.ts";
import { createCompany, EMPTY_STORE } from "../../support/stores.ts";

setDefaultTimeout(60_000);

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
  await writer.import(companyId, async (transaction) => {
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
async function known(): Promise<{ rows: number; ids: number | null }> {
  const [found] = await ask<{ rows: number; ids: number | null }>(
    `select reltuples as rows, (select array_length(histogram_bounds::text::text[], 1) from pg_stats
      where tablename = 'workers' and attname = 'id') as ids from pg_class where oid = 'workers'::regclass`,
  );
  return found!;
}

test("a first import looks at few rows", async () => {
  await importWorkers("acme", 10_000);
  expect(await known()).toEqual({ rows: 10_000, ids: 11 });
});

test("what was left out counts as changed, so that autovacuum looks at it", async () => {
  const pool = new pg.Pool({ connectionString: db, max: 1 });
  const client = await pool.connect();
  try {
    await client.query(
      "insert into workers (company_id, id, status, type, start_day, doc) select 'acme', 'wrk_' || n, 'active', 'employee', 0, '{}' from generate_series(1, 10000) as n",
    );
    await client.query("select pg_stat_force_next_flush()"); // else a session counts for a second on its own
    await tidy(client, { rowsPut: new Map([["workers", 10_000]]), leftBehind: new Set() });
    const { rows } = await client.query(
      "select analyze_count::int as analyzed, n_mod_since_analyze::int as changed from pg_stat_user_tables where relname = 'workers'",
    );
    expect(rows).toEqual([{ analyzed: 1, changed: 10_000 }]);
  } finally {
    client.release();
    await pool.end();
  }
});

test("statistics of a table that is mostly older stay as exact as they are", async () => {
  await importWorkers("acme", 10_000);
  await importWorkers("other", 10_000);
  expect(await known()).toEqual({ rows: 20_000, ids: 101 });
});

test("an import of few rows leaves all of that to autovacuum", async () => {
  await importWorkers("acme", 9_999);
  expect(await known()).toEqual({ rows: -1, ids: null });
});
