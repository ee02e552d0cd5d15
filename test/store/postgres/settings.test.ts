// Defaults of a server, a database or a role that are unlike PostgreSQL's own: they change nothing, or are refused by name.
import { expect, setDefaultTimeout, test } from "bun:test";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { StoreRefusal } from "../../../src/store/store.ts";
import { sharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { EMPTY_STORE } from "../../support/stores.ts";

setDefaultTimeout(120_000);

/** A store in a database with these settings. */
async function storeWith(...settings: string[]): Promise<string> {
  const server = await sharedServer();
  const db = await server.createDatabase(EMPTY_STORE);
  for (const setting of settings) await server.run(`alter database ${nameOf(db)} set ${setting}`);
  return db;
}

const nameOf = (db: string) => new URL(db).pathname.slice(1);

// https://www.postgresql.org/docs/current/runtime-config-client.html and runtime-config-compatible.html
test.each([
  ["extra_float_digits", "0"], // 0.30000000000000004 is read as 0.3
  ["array_nulls", "off"], // null is stored as the text NULL
  ["session_replication_role", "replica"], // no trigger writes what was known
])("with %s = %s the store is not used, and the setting is named", async (name, value) => {
  const db = await storeWith(`${name} = ${value}`);
  for (const opening of [
    () => openPostgresWriteStore(db),
    () => openPostgresReadStore(db),
    () => postgresStore(db).snapshot(async () => {}),
  ]) {
    const refusal = await rejection(opening());
    expect(refusal).toThrow(StoreRefusal);
    expect(refusal).toThrow(`(${name} = ${value}): reset ${name} for the database and the role`);
  }
  const { findings } = await postgresStore(db).examine(false, async () => []);
  expect(findings.map(({ problem }) => problem).join()).toContain(`${name} = ${value}`);
  await (await sharedServer()).run(`alter database ${nameOf(db)} reset ${name}`);
  await (await openPostgresReadStore(db)).close();
});

test("a server that is older than the oldest that is tested is refused, and gets no tables", async () => {
  const server = await sharedServer();
  const db = await server.createDatabase();
  for (const statement of [
    "create schema older",
    `create function older.current_setting(name text) returns text language sql as
      $$ select case name when 'server_version' then '14.23 (Debian 14.23-1)' else pg_catalog.current_setting(name) end $$`,
    `alter database ${nameOf(db)} set search_path = older, pg_catalog`,
  ])
    await server.run(statement, [], nameOf(db));
  const refusal = await rejection(openPostgresWriteStore(db, { create: true }));
  expect(refusal).toThrow(
    "has version 14.23 (Debian 14.23-1), a store needs 15 or newer: name a newer server",
  );
  expect(await postgresStore(db).exists()).toBe(false);
});
