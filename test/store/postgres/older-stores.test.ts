// A store of before 1.0, or of another development version, is left as it is. Whoever opens it is told how to bring it over.
import { expect, setDefaultTimeout, test } from "bun:test";
import { formVersion } from "../../../src/store/engine.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { StoreRefusal } from "../../../src/store/store.ts";
import { sharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { EMPTY_STORE } from "../../support/stores.ts";

setDefaultTimeout(120_000);

test.each([
  ["a Rollcall before 1.0", 11],
  ["another development version of Rollcall, with other tables", formVersion(1, "")],
])("a store of %s is refused, with the commands that bring it over", async (by, version) => {
  const server = await sharedServer();
  const db = await server.createDatabase();
  const database = new URL(db).pathname.slice(1);
  for (const statement of [
    "create table rollcall_schema (id integer primary key, version integer)",
    `insert into rollcall_schema values (1, ${version})`,
    "create table companies (id text primary key)",
    "create table keys (id text primary key, last_used_at_ms bigint)",
  ])
    await server.run(statement, [], database);
  const store = postgresStore(db);
  expect(await store.exists()).toBe(true);
  for (const opening of [
    () => store.openReader({}),
    () => store.openWriter({ create: true }),
    () => store.migrate({ name: "never_made" }),
    () => store.snapshot(async () => {}),
    () => store.replace(async () => {}, {}),
  ]) {
    const error = await opening().then(
      () => null,
      (raised) => raised,
    );
    expect(error).toBeInstanceOf(StoreRefusal);
    expect(error.message).toContain(by);
    expect(error.message).toContain("rollcall export --company");
    expect(error.message).toContain("rollcall import");
  }
  const { findings } = await store.examine(false, async () => []);
  expect(findings.map(({ problem }) => problem).join()).toContain(by);
  const tables = "select tablename from pg_tables where schemaname = 'public' order by 1";
  expect(await server.run(tables, [], database)).toEqual([
    { tablename: "companies" },
    { tablename: "keys" },
    { tablename: "rollcall_schema" },
  ]);
});

test("a store that is still being filled from another server is not taken for an older one", async () => {
  const server = await sharedServer();
  const db = await server.createDatabase(EMPTY_STORE);
  await server.run("delete from rollcall_schema", [], new URL(db).pathname.slice(1));
  const refusal = await rejection(postgresStore(db).openReader({}));
  expect(refusal).toThrow("has the tables of a store, but not their version: it is still being filled");
});
