// The role that servers connect with: made by a migration, able to read and to note the use of keys, and nothing else.

import { expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import { examineStore, readGrants } from "../../../src/store/postgres/maintenance/examine.ts";
import { migratePostgres } from "../../../src/store/postgres/maintenance/role.ts";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { StoreRefusal, StoreUnavailable } from "../../../src/store/store.ts";
import { sharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { change, createCompany, makeFeed, makeHook, makeKey } from "../../support/stores.ts";
import { listed } from "../listed.ts";
import { fill } from "./load.ts";

setDefaultTimeout(120_000);

const PASSWORD = "pass'wörd $1";

/** A role of its own for each test: roles belong to the whole server. */
async function withRole(work: (db: string, name: string, asRole: string) => Promise<void>): Promise<void> {
  const server = await sharedServer();
  const db = await server.createDatabase();
  const name = `reader "${crypto.randomUUID().slice(0, 8)}"`;
  const asRole = new URL(db);
  asRole.username = name;
  asRole.password = PASSWORD;
  await work(db, name, asRole.href);
}

test("a migration makes tables and role; run again, it changes nothing", () =>
  withRole(async (db, name) => {
    expect(await migratePostgres(db, { name, password: PASSWORD })).toEqual({
      schema: "created",
      role: { name, created: true, hasNewPassword: true, importer: null },
    });
    expect(await migratePostgres(db, { name })).toEqual({
      schema: "none",
      role: { name, created: false, hasNewPassword: false, importer: null },
    });
  }));

test("a server works with the role, and the doctor has nothing to say of it", () =>
  withRole(async (db, name, asRole) => {
    await fill(db);
    await migratePostgres(db, { name, password: PASSWORD });
    const writer = await openPostgresWriteStore(db);
    const key = makeKey("one", "acme");
    await writer.createSecret(key);
    const reader = await openPostgresReadStore(asRole);
    await reader.ping();
    expect((await listed(reader.company("acme"), "workers", { limit: 3 }, {})).docs.length).toBe(3);
    expect((await reader.company("acme").balanceFacts({ limit: 3 })).assignments.length).toBe(3);
    await reader.touchKeys(new Map([["one", 77]]));
    expect((await writer.keys())[0]?.lastUsedAtMs).toBe(77);
    await writer.createHook(makeHook("hook_1", "acme"));
    const [hook] = await reader.hooks.claim("me", 1);
    await reader.hooks.save("me", hook!, { ...hook!, lastOutcome: "200" });
    expect((await writer.hooks.list())[0]?.lastOutcome).toBe("200");
    await reader.hooks.release("me");
    await reader.hooks.forget(Date.now());
    await reader.close();
    await writer.close();
    const { grants, findings } = await readGrants(asRole);
    expect(grants).toMatchObject({ role: name, touchesKeys: true, powers: [] });
    expect(findings).toEqual([]);
    for (const { table, privileges } of grants.tables)
      expect(privileges).toEqual(table === "events" ? ["select", "delete"] : ["select"]);
  }));

test("the role adds calendar feeds only if the last migration was told so", () =>
  withRole(async (db, name, asRole) => {
    await fill(db);
    await migratePostgres(db, { name, password: PASSWORD, addsFeeds: true });
    const reader = await openPostgresReadStore(asRole);
    const feed = makeFeed("feed_1", "acme");
    await reader.createCalendar(feed);
    expect(await reader.calendar(feed.digest)).toEqual(feed);
    expect((await readGrants(asRole)).findings).toEqual([]);
    await migratePostgres(db, { name });
    const refused = await rejection(reader.createCalendar(makeFeed("feed_2", "acme")));
    expect(refused).toThrow(StoreUnavailable);
    expect(refused).toThrow("rollcall migrate --allow-feeds");
    const owner = new pg.Client({ connectionString: db });
    await owner.connect();
    await owner.query("alter table feeds rename to gone");
    await owner.end();
    const failed = await rejection(reader.createCalendar(makeFeed("feed_3", "acme")));
    expect(failed).toThrow(StoreUnavailable);
    expect(failed).not.toThrow("--allow-feeds");
    await reader.close();
  }));

test("the role can change nothing, whatever it tries", () =>
  withRole(async (db, name, asRole) => {
    await fill(db);
    await migratePostgres(db, { name, password: PASSWORD });
    const client = new pg.Client({ connectionString: asRole });
    await client.connect();
    for (const statement of [
      "insert into companies values ('x', 'x', 'x', 1)",
      "update companies set version = 'x'",
      "update keys set digest = 'x'",
      "update keys set revoked_at_ms = null",
      "insert into feeds values ('x', 'x', 'x', 'x', '{}', 1)",
      "update hooks set secret = 'x'",
      "update hooks set definition = '{}'",
      "insert into events values ('x', 1, 'x', 'x', 1)",
      "update events set ids = 'x'",
      "delete from workers",
      "truncate requests",
      "update rollcall_schema set version = 0",
      "create table mine (id int)",
      "drop table workers",
      "create role another",
      "create temporary table mine (id int)",
      "select lo_create(0)",
      "select lo_creat(-1)",
      "select lo_from_bytea(0, 'x')",
    ]) {
      const outcome = await client.query(statement).catch((error) => error.code);
      expect([statement, outcome]).toEqual([statement, "42501"]);
    }
    await client.end();
    const writer = await openPostgresWriteStore(asRole);
    const company = { id: "new", name: "", createdAtMs: 1 };
    expect(await rejection(writer.createCompany(company))).toThrow(StoreRefusal);
    await writer.close();
  }));

test("a role that can do more, or less, is a finding", () =>
  withRole(async (db, name, asRole) => {
    await fill(db);
    const owner = await readGrants(db);
    expect(owner.grants.powers).toContain("superuser");
    expect(owner.findings[0]?.problem).toContain(
      "can do more than any command needs (superuser; makes roles;",
    );
    await migratePostgres(db, { name, password: PASSWORD });
    const client = new pg.Client({ connectionString: db });
    await client.connect();
    const quoted = pg.escapeIdentifier(name);
    await client.query(`grant insert on workers to ${quoted}; revoke select on policies from ${quoted}`);
    await client.query(`revoke update (last_used_at_ms) on keys from ${quoted}`);
    await client.end();
    const { findings } = await readGrants(asRole);
    expect(findings.length).toBe(3);
    expect(findings[0]?.problem).toContain("insert on workers");
    expect(findings[1]?.problem).toContain("cannot read policies");
    expect(findings[2]?.problem).toContain("last used");
  }));

test("a single column, and each of PostgreSQL's own roles that runs programs or reaches other files and rows, is a finding", () =>
  withRole(async (db, name, asRole) => {
    await migratePostgres(db, { name, password: PASSWORD });
    const server = await sharedServer();
    const database = new URL(db).pathname.slice(1);
    const quoted = pg.escapeIdentifier(name);
    const problems = async () => (await readGrants(asRole)).findings.map(({ problem }) => problem);
    expect(await problems()).toEqual([]);
    await server.run(`grant update (doc), insert (id) on workers to ${quoted}`, [], database);
    await server.run(`grant update (digest) on keys to ${quoted}`, [], database);
    expect(await problems()).toEqual([
      `The role "${name}" can do more than a server needs (insert of workers.id; update of keys.digest; update of workers.doc)`,
    ]);
    for (const role of [
      "pg_execute_server_program",
      "pg_read_all_data",
      "pg_read_server_files",
      "pg_write_all_data",
      "pg_write_server_files",
    ]) {
      await server.run(`grant ${role} to ${quoted}`);
      expect(await problems()).toEqual([expect.stringContaining(`is a member of ${role}`)]);
      await server.run(`revoke ${role} from ${quoted}`);
    }
  }));

test("a table that somebody removed is named by the doctor and a migration, which does not make it", () =>
  withRole(async (db, name) => {
    await migratePostgres(db, { name, password: PASSWORD });
    await (await sharedServer()).run("drop table events", [], new URL(db).pathname.slice(1));
    const lacks = "lacks parts of its store: events";
    expect(await rejection(migratePostgres(db, { name }))).toThrow(lacks);
    const { findings } = await examineStore(db, async () => []);
    expect(findings.at(-1)?.problem).toEndWith(lacks);
    expect(findings.map(({ advice }) => advice).join()).not.toContain("rollcall migrate");
  }));

test("a trigger that somebody disabled or removed is named: what was known would not be kept", () =>
  withRole(async (db, name) => {
    await migratePostgres(db, { name, password: PASSWORD });
    const run = async (statement: string) =>
      (await sharedServer()).run(statement, [], new URL(db).pathname.slice(1));
    for (const statement of [
      "alter table workers disable trigger user",
      "drop trigger requests_delete on requests",
    ])
      await run(statement);
    const lacks =
      "lacks parts of its store: the trigger requests_delete, the trigger workers_delete, the trigger workers_insert, the trigger workers_update";
    const { findings } = await examineStore(db, async () => []);
    expect(findings.at(-1)?.problem).toEndWith(lacks);
    expect(await rejection(migratePostgres(db, { name }))).toThrow(lacks);
    expect(await rejection(openPostgresWriteStore(db))).toThrow(lacks);
    await (await openPostgresReadStore(db)).close(); // what is stored can be read, and backed up
  }));

test("a role that imports and lacks a right for that is told which", async () => {
  const server = await sharedServer();
  const db = await server.createDatabase();
  const [database, suffix] = [new URL(db).pathname.slice(1), crypto.randomUUID().slice(0, 8)];
  const [importer, reader] = [`importer_${suffix}`, `reader_${suffix}`];
  for (const role of [importer, reader]) await server.run(`create role ${role} login password 'password'`);
  await migratePostgres(db, { name: reader, importer });
  const asImporter = server.url(database, importer, "password");
  const problems = async () => (await readGrants(asImporter)).findings.map(({ problem }) => problem).join();
  expect(await problems()).not.toContain("cannot import");
  for (const right of ["update on rollcall_schema", `temporary on database ${database}`])
    await server.run(`revoke ${right} from ${importer}`, [], database);
  expect(await problems()).toContain(
    `The role "${importer}" cannot import: it lacks update on rollcall_schema and the right to make temporary tables`,
  );
  for (const right of ["update on requests", "insert, delete on hooks"]) {
    await server.run(`revoke ${right} from ${importer}`, [], database);
    expect(await problems()).not.toContain("a server needs");
  }
  expect(await problems()).toMatch(
    /cannot import: it lacks .*\bupdate on requests\b.*insert, delete on hooks/,
  );
  for (const right of ["update on requests", "insert, delete on hooks"])
    await server.run(`grant ${right} to ${importer}`, [], database);
  const writer = await openPostgresWriteStore(asImporter);
  await createCompany(writer, "acme");
  expect(await rejection(change(writer, "acme", async () => {}))).toThrow(
    "(permission denied for table rollcall_schema): to change something, use the role that imports",
  );
  await writer.close();
});

test("the owner itself is not taken for a server's role, nor is a wrong password told from a wrong name", () =>
  withRole(async (db, name, asRole) => {
    expect(await rejection(migratePostgres(db, { name: "postgres" }))).toThrow(StoreRefusal);
    await migratePostgres(db, { name, password: PASSWORD });
    const wrong = new URL(asRole);
    wrong.password = "wrong";
    const refused = await openPostgresReadStore(wrong.href).catch((error) => error);
    expect(refused).toBeInstanceOf(StoreRefusal);
    expect(refused.message).not.toContain("wrong");
  }));

test("an owner that lacks a right is told which, and what to run", () =>
  withRole(async (db, name) => {
    const server = await sharedServer();
    const owner = `owner_${crypto.randomUUID().slice(0, 8)}`;
    const database = new URL(db).pathname.slice(1);
    const asOwner = server.url(database, owner, PASSWORD);
    await server.run(`create role ${owner} login password ${pg.escapeLiteral(PASSWORD)}`);
    const role = { name, password: PASSWORD };

    expect(await rejection(migratePostgres(asOwner, role))).toThrow(
      `The role ${owner} may not create tables in schema public of PostgreSQL at`,
    );
    expect(await rejection(migratePostgres(asOwner, role))).toThrow(": connect as postgres, the owner of");
    await server.run(`alter database ${database} owner to ${owner}`);
    expect(await rejection(migratePostgres(asOwner, role))).toThrow(`may not make the role ${name}`);
    expect(await rejection(migratePostgres(asOwner, role))).toThrow(`alter role ${owner} createrole`);

    const quoted = pg.escapeIdentifier(name);
    await server.run(`create role ${quoted} login password ${pg.escapeLiteral(PASSWORD)}`);
    expect(await rejection(migratePostgres(asOwner, role))).toThrow("leave ROLLCALL_READER_PASSWORD unset");
    const unread = await openPostgresReadStore(server.url(database, name, PASSWORD)).catch((error) => error);
    expect(unread).toBeInstanceOf(StoreRefusal);
    expect(unread.message).toContain("run rollcall migrate as that owner to grant it");
    expect(await migratePostgres(asOwner, { name })).toMatchObject({
      role: { created: false, hasNewPassword: false },
    });
    await (await openPostgresReadStore(server.url(database, name, PASSWORD))).close();
  }));

test("an owner with createrole makes tables and role, as the documentation has it", () =>
  withRole(async (_db, name) => {
    const server = await sharedServer();
    const owner = `owner_${crypto.randomUUID().slice(0, 8)}`;
    await server.run(`create role ${owner} login createrole password ${pg.escapeLiteral(PASSWORD)}`);
    await server.run(`create database ${owner} owner ${owner}`);
    const asOwner = server.url(owner, owner, PASSWORD);
    expect(await migratePostgres(asOwner, { name, password: PASSWORD })).toMatchObject({
      role: { created: true },
    });
    expect(await migratePostgres(asOwner, { name, password: PASSWORD })).toMatchObject({
      schema: "none",
      role: { created: false },
    });
    const asReader = server.url(owner, name, PASSWORD);
    const [finding, ...others] = (await readGrants(asReader)).findings;
    expect(others).toEqual([]);
    expect(finding?.problem).toContain("can fill the disk: it makes large objects");
    expect(finding!.advice).toStartWith(
      "have an administrator run, connected to this database: revoke execute",
    );
    const revoke = /revoke execute .*$/.exec(finding!.advice)![0];
    await server.run(revoke, [], owner); // as an administrator
    expect((await readGrants(asReader)).findings).toEqual([]);
  }));

test("four roles, as the documentation has them: none makes roles, each is told by what it may do, and is content", async () => {
  const server = await sharedServer();
  const database = `store_${crypto.randomUUID().slice(0, 8)}`;
  const named = (role: string) => `${database}_${role}`;
  const roles = ["owner", "importer", "reader"].map(named);
  for (const role of roles)
    await server.run(`create role ${role} login password ${pg.escapeLiteral(PASSWORD)}`);
  await server.run(`create database ${database} owner ${named("owner")}`);
  await server.run(
    "revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea), lo_put(oid, bigint, bytea), lowrite(integer, bytea) from public",
    [],
    database,
  );
  const as = (role: string) => server.url(database, named(role), PASSWORD);
  expect(await migratePostgres(as("owner"), { name: named("reader"), importer: named("importer") })).toEqual({
    schema: "created",
    role: { name: named("reader"), created: false, hasNewPassword: false, importer: named("importer") },
  });
  for (const role of ["owner", "importer", "reader"] as const) {
    const { grants, findings } = await readGrants(as(role));
    expect([grants.isOf, findings]).toEqual([role, []]);
  }

  await fill(as("importer"));
  const importer = await openPostgresWriteStore(as("importer"));
  await importer.createSecret(makeKey("one", "acme"));
  await importer.createHook(makeHook("hook_1", "acme"));
  await importer.deleteCompany("acme");
  await importer.close();
  const client = new pg.Client({ connectionString: as("importer") });
  await client.connect();
  for (const statement of [
    "create table mine (id int)",
    "drop table workers",
    "truncate workers",
    "create role another",
    `grant pg_execute_server_program to ${named("importer")}`,
    "copy workers to program 'true'",
    "select lo_create(0)",
  ]) {
    const outcome = await client.query(statement).catch((error) => error.code);
    expect([statement, outcome]).toEqual([statement, "42501"]);
  }
  await client.end();
  const superuser = await readGrants(server.url(database));
  expect(superuser.findings.map(({ problem }) => problem.split("\n").length)).toEqual([1]);
});
