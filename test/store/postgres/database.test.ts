// Connections: prepared statements that a pooler loses, addresses that are wrong, reads that are joined.
import { expect, setDefaultTimeout, test } from "bun:test";
import sql from "sql-template-tag";
import {
  PostgresDatabase,
  parseAddress,
  SERVER_CONNECT_TIMEOUT_MS,
  sharedReads,
} from "../../../src/store/postgres/connection/database.ts";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { StoreRefusal, StoreUnavailable } from "../../../src/store/store.ts";
import { sharedServer } from "../../support/postgres.ts";
import { startProxy } from "../../support/proxy.ts";
import { rejection } from "../../support/rejection.ts";
import { EMPTY_STORE } from "../../support/stores.ts";

setDefaultTimeout(120_000);

test("a session that lost our prepared statements costs a second try, and no result", async () => {
  const server = await sharedServer();
  const database = new PostgresDatabase(server.url(), { max: 1 });
  const prepared = () =>
    database.read<{ count: number }>(sql`select count(*) as "count" from pg_prepared_statements`);
  expect(await prepared()).toEqual([{ count: 1 }]);
  await database.hold((client) => client.query("deallocate all"));
  expect(await prepared()).toEqual([{ count: 0 }]);
  expect(await prepared()).toEqual([{ count: 0 }]);
  await database.close();
});

test("behind a transaction pooler nothing is prepared and no session setting is sent", async () => {
  const server = await sharedServer();
  const setting = sql`select setting::int as "timeoutMs", (select count(*) from pg_prepared_statements) as "count" from pg_settings where name = 'statement_timeout'`;
  const direct = new PostgresDatabase(server.url(), { max: 1, timeoutMs: 1234 });
  expect(await direct.read(setting)).toEqual([{ timeoutMs: 1234, count: 1 }]);
  await direct.close();
  const pooled = new PostgresDatabase(`${server.url()}?pooler=transaction`, { max: 1, timeoutMs: 1234 });
  expect(await pooled.read(setting)).toEqual([{ timeoutMs: 0, count: 0 }]);
  await pooled.close();
});

// https://www.postgresql.org/docs/current/runtime-config-client.html: lock_timeout may be set for a role.
test("a read that the role's lock_timeout ends names that setting, not the ten minutes of commands", async () => {
  const server = await sharedServer();
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await server.run(`create role ${role} login password 'password'`);
  await server.run(`alter role ${role} set lock_timeout = '20ms'`);
  const database = new PostgresDatabase(server.url("postgres", role, "password"), {
    max: 1,
    timeoutMs: 5000,
  });
  const holder = new PostgresDatabase(server.url(), { max: 1 });
  const refused = await holder.hold(async (client) => {
    await client.query("select pg_advisory_lock(7777)");
    return rejection(database.read(sql`select pg_advisory_lock(7777)`));
  });
  expect(refused).toThrow("for longer than lock_timeout allows: find that session");
  await holder.close();
  await database.close();
});

test("a server that starts asks for all its first connections at once: it waits once for a host that falls silent", async () => {
  let asked = 0;
  const silent = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: () => {
        asked++;
      },
      data: () => {},
    },
  });
  const opening = openPostgresReadStore(`postgres://nobody@127.0.0.1:${silent.port}/rollcall`);
  const outcome = opening.catch((error) => error);
  while (asked < 2) await Bun.sleep(10);
  silent.stop(true);
  expect(await outcome).toBeInstanceOf(StoreUnavailable);
});

test("an address is understood, or refused with what to write", () => {
  const address = parseAddress(
    "postgres://u:p@db.example.com:6432/rollcall?pool=3&timeout=500&sslmode=require",
  );
  expect(address).toMatchObject({
    serverName: "PostgreSQL at db.example.com:6432/rollcall",
    pool: 3,
    timeoutMs: 500,
  });
  expect(address.connection.connectionString).toBe(
    "postgres://u:p@db.example.com:6432/rollcall?sslmode=require",
  );
  for (const wrong of ["pool=0", "pool=many", "timeout=-1", "pooler=session"]) {
    expect(() => parseAddress(`postgres://localhost/rollcall?${wrong}`)).toThrow(StoreRefusal);
  }
  expect(() => parseAddress("postgres://user:p@ss word@@/")).toThrow(StoreRefusal);
  for (const unknown of ["sslmod=verify-full", "SSLMODE=verify-full", "Pool=3", "connect_timeout=3"]) {
    expect(() => parseAddress(`postgres://localhost/rollcall?${unknown}`)).toThrow(
      `The address of the store has an unknown parameter: ${unknown.split("=")[0]}: known are pool, timeout, `,
    );
  }
  expect(() => parseAddress("postgres://localhost/rollcall?sslmode=verify_full")).toThrow(
    "sslmode=verify_full in the address of the store: write one of disable, no-verify, ",
  );
  expect(() => parseAddress("postgres://u:12?secret=4@localhost/rollcall")).toThrow("is malformed");
  expect(parseAddress("postgres:///rollcall?host=/run/postgresql&port=5433").serverName).toBe(
    "PostgreSQL at /run/postgresql:5433/rollcall",
  );
  for (const several of [
    "postgres://u:p@one.example.com:5432,two.example.com:5432/rollcall",
    "postgres://u@one,two/rollcall",
    "postgres://u@one/rollcall?target_session_attrs=primary",
  ]) {
    expect(() => parseAddress(several)).toThrow("name one address that leads to the primary");
  }
});

test("a certificate's file that is not there is named", async () => {
  const server = await sharedServer();
  const database = new PostgresDatabase(`${server.url()}?sslmode=verify-full&sslrootcert=/nowhere/ca.crt`, {
    max: 1,
  });
  expect(await rejection(database.read(sql`select 1`))).toThrow(
    "/nowhere/ca.crt, which --db names, cannot be read",
  );
  await database.close();
});

test("a command waits for a session that begins slowly, as on a busy machine", async () => {
  const proxy = await startProxy((await sharedServer()).port);
  proxy.freeze();
  const through = new URL((await sharedServer()).url());
  through.port = String(proxy.port);
  const database = new PostgresDatabase(through.href, { max: 1 });
  const reading = database.read<{ one: number }>(sql`select 1 as "one"`).catch(String);
  await Bun.sleep(SERVER_CONNECT_TIMEOUT_MS + 300); // a server would not wait for it any more
  proxy.thaw();
  expect(await reading).toEqual([{ one: 1 }]);
  await database.close();
  await proxy.close();
});

test("a server that starts waits for slow sessions, too, and its first reads need no further one", async () => {
  const own = await sharedServer();
  const through = new URL(await own.createDatabase(EMPTY_STORE));
  const proxy = await startProxy(own.port);
  through.port = String(proxy.port);
  proxy.freeze();
  const opening = openPostgresReadStore(through.href);
  opening.catch(() => {}); // told below
  await Bun.sleep(SERVER_CONNECT_TIMEOUT_MS + 300);
  proxy.thaw();
  const store = await opening;
  const sessions = async () =>
    (
      await own.run<{ pid: number }>("select pid from pg_stat_activity where datname = $1 order by pid", [
        through.pathname.slice(1),
      ])
    ).map(({ pid }) => pid);
  const begun = await sessions();
  expect(begun).toHaveLength(2); // for versions and keys, and for pages
  expect(await store.version("acme")).toBeNull();
  expect(await store.key("0".repeat(64))).toBeNull();
  expect(await store.company("acme").object("workers", "wrk_1")).toBeNull();
  expect(await sessions()).toEqual(begun);
  await store.close();
  await proxy.close();
});

test("whoever comes while a read is under way waits for the next one", async () => {
  const begun: string[][] = [];
  const gates: (() => void)[] = [];
  const reads = sharedReads<number>(async (keys) => {
    begun.push([...keys]);
    const round = begun.length;
    await new Promise<void>((resolve) => gates.push(resolve));
    return new Map(keys.filter((key) => key !== "absent").map((key) => [key, round]));
  });
  const first = [reads.load("a"), reads.load("b"), reads.load("a")];
  await Bun.sleep(0);
  const second = [reads.load("a"), reads.load("absent")];
  expect(begun).toEqual([["a", "b"]]);
  gates[0]!();
  expect(await Promise.all(first)).toEqual([1, 1, 1]);
  await Bun.sleep(0);
  expect(begun).toEqual([
    ["a", "b"],
    ["a", "absent"],
  ]);
  gates[1]!();
  expect(await Promise.all(second)).toEqual([2, null]);
  const third = reads.load("a");
  await Bun.sleep(0);
  gates[2]!();
  expect(await third).toBe(3);
});
