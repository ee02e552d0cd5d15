// Logical replication: whoever publishes all tables, for an upgrade or to capture changes, goes on importing and serving.
import { expect, setDefaultTimeout, test } from "bun:test";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { KINDS } from "../../../src/store/tables.ts";
import { sharedServer } from "../../support/postgres.ts";
import { addCompany, change, EMPTY_STORE, makeFeed, makeKey } from "../../support/stores.ts";
import { FACTS } from "./load.ts";

setDefaultTimeout(120_000);

test("with all tables published, rows of each are added, changed and removed", async () => {
  const server = await sharedServer();
  const db = await server.createDatabase(EMPTY_STORE);
  const name = new URL(db).pathname.slice(1);
  await server.run("create publication everything for all tables", [], name);
  const writer = await openPostgresWriteStore(db);
  const reader = await openPostgresReadStore(db);
  await addCompany(writer, "acme", FACTS);
  await change(writer, "acme", async (transaction) => {
    for (const kind of KINDS) await transaction.put(kind, FACTS[kind].slice(0, 5));
    await transaction.remove(
      "requests",
      FACTS.requests.slice(0, 5).map(({ id }) => [id]),
    );
  });
  await writer.createSecret(makeKey("one", "acme"));
  await writer.createSecret(makeFeed("two", "acme"));
  await reader.touchKeys(new Map([["one", 1]]));
  expect(await writer.deleteCompany("acme")).toMatchObject({ isErased: false });
  await reader.close();
  await writer.close();
});

test("every table has a primary key", async () => {
  const server = await sharedServer();
  const name = new URL(await server.createDatabase(EMPTY_STORE)).pathname.slice(1);
  const without = await server.run(
    "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and not exists (select from pg_index where indrelid = pg_class.oid and indisprimary)",
    [],
    name,
  );
  expect(without).toEqual([]);
});
