// Defaults of a server, a database or a role that are unlike PostgreSQL's own: they change nothing, or are refused by name.
import { expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import sql from "sql-template-tag";
import { cancel, commit, PostgresDatabase, run } from "../../../src/store/postgres/connection/database.ts";
import { mapError } from "../../../src/store/postgres/connection/errors.ts";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { StoreRefusal, StoreUnavailable } from "../../../src/store/store.ts";
import { sharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { change, createCompany, EMPTY_STORE } from "../../support/stores.ts";

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

test("where rows are hidden from a role, the tables are named; the owner sees all", async () => {
  const db = await storeWith();
  const server = await sharedServer();
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await server.run(`create role ${role} login password 'password'`);
  for (const statement of [
    `grant select on all tables in schema public to ${role}`,
    "alter table workers enable row level security",
    "alter table keys enable row level security",
    "create table notes (id int)", // another program's, which Rollcall does not read
    "alter table notes enable row level security",
  ])
    await server.run(statement, [], nameOf(db));
  expect(await rejection(openPostgresReadStore(server.url(nameOf(db), role, "password")))).toThrow(
    "would hide or change data (row-level security of keys, workers): disable it (alter table … disable",
  );
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

test("a database whose transactions only read takes no changes, and the message names the setting", async () => {
  const db = await storeWith("default_transaction_read_only = on");
  const writer = await openPostgresWriteStore(db);
  const refusal = await rejection(createCompany(writer, "acme"));
  expect(refusal).toThrow("it is a standby, or default_transaction_read_only is on");
  await writer.close();
});

test("a role that is not let in is told what to see to, not to correct its password", async () => {
  const server = await sharedServer();
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await server.run(`create role ${role} nologin password 'password'`);
  const database = new PostgresDatabase(server.url("postgres", role, "password"), { max: 1 });
  const refusal = await rejection(database.read(sql`select 1`));
  expect(refusal).toThrow("does not let this role in from here: see that pg_hba.conf has a line");
  expect(refusal).toThrow("sslmode");
  await database.close();
});

test("what a pooler says when it refuses a connection is shown", () => {
  const refusal = new pg.DatabaseError("no such database: rollcal", 0, "error");
  refusal.code = "08P01";
  expect(mapError(refusal, "PostgreSQL at db.example.com:6432/rollcal%20l")).toMatchObject({
    problem:
      "PostgreSQL at db.example.com:6432/rollcal%20l is a pooler that refuses this (no such database: rollcal)",
    advice: expect.stringContaining("it does not know the role or its password"),
  });
  refusal.message = "transaction blocks not allowed in statement pooling mode";
  expect(mapError(refusal, "db")).toMatchObject({
    problem: "db is a pooler that refuses this (transaction blocks not allowed in statement pooling mode)",
    advice: expect.stringContaining("it takes no transactions: then let commands connect directly"),
  });
});

test("a connection that ends, and a server that fails, are outages; a statement that is wrong is our bug", () => {
  const errorOf = (code: string) => Object.assign(new pg.DatabaseError("said", 0, "error"), { code });
  const mapped = (code: string) => mapError(errorOf(code), "db");
  expect(mapped("57P01")).toMatchObject({ problem: "db ended the connection" });
  expect(mapped("08006")).toMatchObject({ problem: "db ended the connection" });
  for (const said of [
    "Connection terminated unexpectedly",
    "Client has encountered a connection error and is not queryable",
  ]) {
    expect(mapError(new Error(said), "db")).toMatchObject({
      problem: "db ended the connection",
      advice: expect.stringContaining("its log says why"),
    });
  }
  expect(mapped("57P05")).toMatchObject({
    problem: "db ended a session that was idle for too long",
    advice: "raise idle_session_timeout for the database or the role",
  });
  expect(mapped("53100")).toMatchObject({ problem: "A disk of db is full (said). Nothing was changed" });
  expect(mapped("XX001")).toMatchObject({ problem: "db failed (XX001)" }); // data corrupted
  expect(mapped("42601")).toBeInstanceOf(pg.DatabaseError); // syntax error
});

test("a read that lasts longer than transaction_timeout is unavailable, and the setting is named", async () => {
  const server = await sharedServer();
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await server.run(`create role ${role} login password 'password'`);
  await server.run(`alter role ${role} set transaction_timeout = '100ms'`);
  const database = new PostgresDatabase(server.url("postgres", role, "password"), {
    max: 1,
    timeoutMs: 9000,
  });
  const refusal = await rejection(database.read(sql`select pg_sleep(5)`));
  expect(refusal).toThrow(StoreUnavailable);
  expect(refusal).toThrow("raise transaction_timeout for the database or the role");
  await database.close();
});

test("a session that is ended while it waits says why at its next statement", async () => {
  const server = await sharedServer();
  const database = new PostgresDatabase(server.url(), { max: 1 });
  const ending = (statement: string) =>
    rejection(
      database.hold(async (client) => {
        const ended = new Promise((resolve) => client.once("end", resolve));
        await client.query(statement);
        await ended;
        await run(client, database.serverName, sql`select 1`);
      }),
    );
  const isIdle = "set idle_in_transaction_session_timeout = '50ms'; begin";
  expect(await ending(isIdle)).toThrow("ended a transaction that was idle for too long");
  await database.close();
});

test("a command's transaction may last, whatever the database allows", async () => {
  const db = await storeWith("transaction_timeout = '500ms'");
  const writer = await openPostgresWriteStore(db);
  await createCompany(writer, "acme");
  await change(writer, "acme", () => Bun.sleep(1000));
  await writer.close();
});

test("a session that was idle for too long is made again, also for a statement that must not run twice", async () => {
  const server = await sharedServer();
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await server.run(`create role ${role} login password 'password'`);
  await server.run(`alter role ${role} set idle_session_timeout = '100ms'`);
  const address = server.url("postgres", role, "password");
  const database = new PostgresDatabase(address, { max: 1, timeoutMs: 4000 });
  const block = () => Bun.sleepSync(300); // the server's message waits while the next statement is sent
  for (const ask of [
    () => database.read(sql`select 1 as "one"`),
    () => database.execute(sql`select 1 as "one"`),
  ]) {
    expect(await ask()).toEqual([{ one: 1 }]);
    block();
    expect(await ask()).toEqual([{ one: 1 }]);
  }
  await database.close();
});

test("a command's session may be idle, whatever the role has", async () => {
  const server = await sharedServer();
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await server.run(`create role ${role} login password 'password'`);
  await server.run(`alter role ${role} set idle_session_timeout = '100ms'`);
  const database = new PostgresDatabase(server.url("postgres", role, "password"), { max: 1 });
  const rows = await database.hold(async (client) => {
    await run(client, database.serverName, sql`select 1`);
    await Bun.sleep(300);
    return run(client, database.serverName, sql`select 1 as "one"`);
  });
  expect(rows).toEqual([{ one: 1 }]);
  await database.close();
});

test("the statement of a connection is cancelled without a session more, which the role may not have", async () => {
  const server = await sharedServer();
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await server.run(`create role ${role} login password 'password' connection limit 1`);
  const database = new PostgresDatabase(server.url("postgres", role, "password"), { max: 1 });
  const ended = database.hold(async (client) => {
    const sleeping = rejection(client.query("select pg_sleep(60)"));
    const isAsleep = `select from pg_stat_activity where usename = '${role}' and wait_event = 'PgSleep'`;
    while ((await server.run(isAsleep)).length === 0) await Bun.sleep(5);
    await cancel(client);
    return sleeping;
  });
  expect(await ended).toThrow("canceling statement due to user request");
  await database.close();
});

test("a session that is ended has changed nothing; during its commit, nobody knows", async () => {
  const server = await sharedServer();
  const database = new PostgresDatabase(server.url(), { max: 1 });
  const { serverName } = database;
  const ended = (last: (client: pg.PoolClient) => Promise<unknown>) =>
    rejection(
      database.hold(async (client) => {
        const [session] = await run<{ pid: number }>(
          client,
          serverName,
          sql`select pg_backend_pid() as "pid"`,
        );
        const gone = new Promise((resolve) => client.once("end", resolve));
        await server.run("select pg_terminate_backend($1)", [session!.pid]);
        await gone;
        await last(client);
      }),
    );
  expect(await ended((client) => run(client, serverName, sql`select 1`))).toThrow(
    `${serverName} ended the connection. Nothing was changed: it stops or starts`,
  );
  expect(await ended((client) => commit(client, serverName, "import"))).toThrow(
    `${serverName} ended the connection. Whether the import was done is not known: run it again, which changes nothing twice`,
  );
  await database.close();
});
