// What removed rows leave behind: freed at once where the role may, and said honestly where it may not.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMPANY_TABLES, TABLE_NAMES } from "../../../src/store/postgres/schema.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import { newServer, type SharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { addCompany, change, makeKey } from "../../support/stores.ts";
import { backUp, restore } from "../transfer/store-folder.ts";
import { FACTS, fill } from "./load.ts";

setDefaultTimeout(120_000);

/** Autovacuum would vacuum too, and keep a table from shrinking while it reads it. */
const own = await newServer(["autovacuum=off"]);
afterAll(() => own.stop());

interface Vacuumed {
  readonly name: string;
  readonly times: number;
  readonly bytes: number;
}

/** A store with the company "acme", by a database's owner. */
async function withStore(
  work: (open: {
    server: SharedServer;
    db: string;
    writer: WriteStore;
    tables(): Promise<Map<string, Vacuumed>>;
  }) => Promise<void>,
): Promise<void> {
  const server: SharedServer = own;
  const db = await server.createDatabase();
  await fill(db);
  const writer = await openPostgresWriteStore(db);
  const tables = async () => {
    const rows = await server.run<Vacuumed>(
      `select relname as name, vacuum_count::int as times, pg_relation_size(relid)::int as bytes from pg_stat_user_tables`,
      [],
      new URL(db).pathname.slice(1),
    );
    return new Map(rows.map((row) => [row.name, row]));
  };
  try {
    await work({ server, db, writer, tables });
  } finally {
    await writer.close();
  }
}

test("a deleted company leaves free space: its tables are vacuumed, and shrink where nothing else is in them", () =>
  withStore(async ({ writer, tables }) => {
    await writer.createSecret(makeKey("one", "acme"));
    expect((await tables()).get("workers")!.bytes).toBeGreaterThan(0);
    expect(await writer.deleteCompany("acme")).toEqual({ isErased: false, until: "overwritten" });
    const after = await tables();
    for (const table of COMPANY_TABLES) {
      expect(after.get(table)).toMatchObject({ times: 1, bytes: 0 });
    }
    expect(await writer.deleteCompany("acme")).toBeNull();
  }));

test("a company that a restore removes leaves free space, too", () =>
  withStore(async ({ db, writer, tables }) => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-vacuum-"));
    try {
      await backUp(db, join(folder, "acme.backup"));
      await addCompany(writer, "later", FACTS);
      await restore(join(folder, "acme.backup"), db);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const after = await tables();
    for (const table of COMPANY_TABLES) expect(after.get(table)).toMatchObject({ times: 1 });
  }));

test("a role that may not vacuum says that rows are left", () =>
  withStore(async ({ server, db, writer, tables }) => {
    const database = new URL(db).pathname.slice(1);
    const name = `clerk_${crypto.randomUUID().slice(0, 8)}`;
    await server.run(`create role ${name} login password 'pw'`);
    for (const grant of [
      "select, insert, update, delete on all tables in schema public",
      "usage on schema public",
    ])
      await server.run(`grant ${grant} to ${name}`, [], database);
    const clerk = await openPostgresWriteStore(server.url(database, name, "pw"));
    expect(await clerk.deleteCompany("acme")).toEqual({ isErased: false, until: "vacuumed" });
    await clerk.close();
    expect((await tables()).get("workers")).toMatchObject({ times: 0 });
    expect(await writer.companies()).toEqual([]);
  }));

test("an import leaves the tables, which all companies share, to rollcall vacuum and the server", () =>
  withStore(async ({ server, db, writer, tables }) => {
    await change(writer, "acme", (transaction) => transaction.remove("workers", [[FACTS.workers[0]!.id]]));
    expect(writer.erasure()).toEqual({ isErased: false, until: "vacuumed" });
    expect((await tables()).get("workers")).toMatchObject({ times: 0 });
    await postgresStore(db).vacuum!();
    const after = await tables();
    for (const table of TABLE_NAMES) expect(after.get(table)).toMatchObject({ times: 1 });

    const name = `clerk_${crypto.randomUUID().slice(0, 8)}`;
    await server.run(`create role ${name} login password 'pw'`);
    const database = new URL(db).pathname.slice(1);
    await server.run(`grant select on all tables in schema public to ${name}`, [], database);
    const refused = await rejection(postgresStore(server.url(database, name, "pw")).vacuum!());
    expect(refused).toThrow("use the role that owns the tables");
  }));

test("every table is vacuumed before more than a fiftieth of it are dead rows, and changes of digests hardly touch an index", () =>
  withStore(async ({ server, db }) => {
    const database = new URL(db).pathname.slice(1);
    const late = await server.run(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'rollcall_schema' and not coalesce(reloptions, '{}') @> '{autovacuum_vacuum_scale_factor=0.02}'",
      [],
      database,
    );
    expect(late).toEqual([]);
    const writer = await openPostgresWriteStore(db);
    const same = FACTS.adjustments.slice(0, 5);
    await change(writer, "acme", (transaction) =>
      transaction.put(
        "adjustments",
        same,
        same.map((row) => ({ digest: 7n, stored: { ...row } })),
      ),
    );
    await writer.close();
    const [counted] = await server.run<{ changed: number; hot: number }>(
      "select n_tup_upd::int as changed, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'adjustments'",
      [],
      database,
    );
    expect(counted!.changed).toBe(5);
    expect(counted!.hot).toBeGreaterThanOrEqual(4); // a row may find its page full
  }));
