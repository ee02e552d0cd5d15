// What removed rows leave behind: freed at once where the role may, and said honestly where it may not.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import { COMPANY_TABLES, openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import { newServer, type SharedServer } from "../../support/postgres.ts";
import { change, createCompany, makeKey, putFacts } from "../../support/stores.ts";
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
    await writer.createKey(makeKey("one", "acme"));
    expect((await tables()).get("workers")!.bytes).toBeGreaterThan(0);
    expect(await writer.deleteCompany("acme")).toEqual({ isErased: false, until: "overwritten" });
    const after = await tables();
    for (const table of COMPANY_TABLES) {
      expect(after.get(table)).toMatchObject({ times: 1, bytes: 0 });
    }
    expect(await writer.deleteCompany("acme")).toBeNull();
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

test("an import that removes or replaces rows has their tables vacuumed, one that adds rows has not", () =>
  withStore(async ({ writer, tables }) => {
    await createCompany(writer, "other");
    await putFacts(writer, "other", FACTS);
    expect([...(await tables()).values()].filter(({ times }) => times > 0)).toEqual([]);
    const [gone, changed] = FACTS.workers;
    await change(writer, "acme", async (transaction) => {
      await transaction.remove("workers", [[gone!.id]]);
      await transaction.put("requests", [{ ...FACTS.requests[0]!, status: "denied" }]);
    });
    const after = await tables();
    expect(after.get("workers")).toMatchObject({ times: 1 });
    expect(after.get("requests")).toMatchObject({ times: 1 });
    expect(after.get("policies")).toMatchObject({ times: 0 });
    await change(writer, "acme", (transaction) => transaction.put("workers", [{ ...changed!, doc: "{}" }]));
    expect((await tables()).get("workers")).toMatchObject({ times: 2 });
  }));

test("an import does not wait for a vacuum of somebody else's", () =>
  withStore(async ({ db, writer, tables }) => {
    const other = new pg.Client({ connectionString: db });
    await other.connect();
    await other.query("begin; lock table workers in share update exclusive mode");
    await change(writer, "acme", (transaction) => transaction.remove("workers", [[FACTS.workers[0]!.id]]));
    expect((await tables()).get("workers")).toMatchObject({ times: 0 });
    await other.query("rollback");
    await other.end();
  }));
