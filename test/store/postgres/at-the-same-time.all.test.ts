// What goes on at the same time on PostgreSQL: migrations, imports and servers of the version before, deletions.
import { expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { sharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change, createCompany, putFacts } from "../../support/stores.ts";

setDefaultTimeout(120_000);

const WORKERS = [workerRow("wrk_one"), workerRow("wrk_two")];

async function withStore(
  work: (parts: {
    db: string;
    writer: Awaited<ReturnType<typeof openPostgresWriteStore>>;
    administrator: pg.Client;
  }) => Promise<void>,
): Promise<void> {
  const db = await (await sharedServer()).createDatabase();
  const writer = await openPostgresWriteStore(db, { create: true });
  await addCompany(writer, "acme", { workers: WORKERS });
  const administrator = new pg.Client({ connectionString: db });
  await administrator.connect();
  try {
    await work({ db, writer, administrator });
  } finally {
    await administrator.end();
    await writer.close();
  }
}

/** Until somebody waits for a lock. */
async function untilOneWaits(administrator: pg.Client): Promise<void> {
  const waiting =
    "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and pid <> pg_backend_pid()";
  while ((await administrator.query(waiting)).rowCount === 0) await Bun.sleep(5);
}

test("who had opened a store before a later version migrated it neither reads nor writes it any more", () =>
  withStore(async ({ db, writer, administrator }) => {
    const reader = await openPostgresReadStore(db);
    expect(await reader.version("acme")).toBeString();
    expect(await reader.version("none")).toBeNull();

    // What another version does: an import waits until it ends.
    await administrator.query("begin; lock table rollcall_schema in exclusive mode");
    const said = Promise.withResolvers<string | null>();
    const waiting = writer
      .change(
        "acme",
        async (transaction) => {
          await transaction.remove("workers", [["wrk_one"]]);
          return { result: "stored", changed: true, commit: true };
        },
        {
          onWait: said.resolve,
        },
      )
      .catch(String);
    await untilOneWaits(administrator);
    expect(await said.promise).toContain("process ");
    expect(await reader.version("acme")).toBeString(); // readers go on
    await administrator.query("update rollcall_schema set version = 99999999; commit");

    expect(await waiting).toContain("was written by a newer Rollcall");
    const another = "was migrated by another version of Rollcall";
    expect(await rejection(reader.version("acme"))).toThrow(another);
    expect(await rejection(reader.version("none"))).toThrow(another);
    expect(await rejection(reader.key("0".repeat(64)))).toThrow(another);
    expect(await rejection(reader.ping())).toThrow(another);
    expect(await rejection(change(writer, "acme", async () => {}))).toThrow("newer Rollcall");
    expect(await rejection(writer.deleteCompany("acme"))).toThrow("newer Rollcall");
    expect((await administrator.query("select id from workers")).rowCount).toBe(WORKERS.length);
    await reader.close();
  }));

test("a migration waits for an import, while readers go on; one that has nothing to do waits for nobody", () =>
  withStore(async ({ db, writer, administrator }) => {
    await createCompany(writer, "other");
    const reader = await openPostgresReadStore(db);
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const importing = change(writer, "acme", async (transaction) => {
      await transaction.remove("workers", [["wrk_one"]]);
      begun.resolve();
      await gate.promise;
    });
    await begun.promise;
    await (await postgresStore(db).openWriter({ create: true })).close();
    await putFacts(writer, "other", { workers: WORKERS }); // imports do not wait for each other's

    // As a later version migrates: it first takes the row of the version.
    const later = new pg.Client({ connectionString: db });
    await later.connect();
    const migrating = later.query("begin; select from rollcall_schema for update; commit");
    await untilOneWaits(administrator);
    expect((await reader.company("acme").list("workers", { limit: 5 }, [])).docs).toHaveLength(2);
    gate.resolve();
    await importing;
    await migrating;
    await later.end();
    expect((await reader.company("acme").list("workers", { limit: 5 }, [])).docs).toHaveLength(1);
    await reader.close();
  }));

test("a deletion that lost against servers which note the last use of keys is done again", () =>
  withStore(async ({ writer, administrator }) => {
    await addKey(writer, "acme");
    await addKey(writer, "acme");
    const { rows } = await administrator.query<{ id: string }>("select id from keys order by ctid");
    const touch = (at: number) =>
      administrator.query("update keys set last_used_at_ms = 1 where id = $1", [rows[at]!.id]);
    await administrator.query("begin; set local deadlock_timeout = '1min'"); // so the deletion is what is ended
    await touch(1);
    const deleting = writer.deleteCompany("acme");
    const waiting =
      "select from pg_locks where not granted and pid <> pg_backend_pid() and locktype = 'transactionid'";
    while ((await administrator.query(waiting)).rowCount === 0) await Bun.sleep(5);
    await touch(0);
    await administrator.query("commit");
    expect(await deleting).toMatchObject({ isErased: false });
    expect(await writer.companies()).toEqual([]);
  }));
