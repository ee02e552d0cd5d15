// A database in another encoding than UTF8 cannot hold a store: none is created there, and none there is opened.
import { expect, setDefaultTimeout, test } from "bun:test";
import { migratePostgres } from "../../../src/store/postgres/maintenance/role.ts";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { StoreRefusal } from "../../../src/store/store.ts";
import { sharedServer } from "../../support/postgres.ts";
import { fill } from "./load.ts";

setDefaultTimeout(120_000);

const REMEDY =
  "make another database (create database … encoding 'UTF8' template template0) and name it with --db";

async function expectRefusal(work: Promise<unknown>, encoding: string): Promise<void> {
  const error = await work.then(
    () => null,
    (raised) => raised,
  );
  expect(error).toBeInstanceOf(StoreRefusal);
  expect(error.message).toEndWith(` has the encoding ${encoding}, a store needs UTF8: ${REMEDY}`);
}

test.each(["SQL_ASCII", "LATIN1"])("no store is made in a database in %s", async (encoding) => {
  const server = await sharedServer();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await server.run(
    `create database ${name} encoding '${encoding}' template template0 locale_provider libc locale 'C'`,
  );
  const db = server.url(name);
  await expectRefusal(openPostgresWriteStore(db, { create: true }), encoding);
  await expectRefusal(migratePostgres(db, { name: "never_made" }), encoding);
  expect(await postgresStore(db).exists()).toBe(false);
});

test("one that was made before it was refused is not opened, but can be backed up and so brought elsewhere", async () => {
  const server = await sharedServer();
  const db = await server.createDatabase();
  await fill(db);
  const name = new URL(db).pathname.slice(1);
  await server.run("update pg_database set encoding = 0 where datname = $1", [name]);
  await expectRefusal(openPostgresWriteStore(db), "SQL_ASCII");
  await expectRefusal(openPostgresReadStore(db), "SQL_ASCII");
  expect(await postgresStore(db).snapshot((contents) => contents.companies())).toHaveLength(1);
});
