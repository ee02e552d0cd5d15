// Sessions of commands: what they set for themselves, and that none outlives its command.
import { expect, setDefaultTimeout, test } from "bun:test";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import sql from "sql-template-tag";
import { PostgresDatabase } from "../../../src/store/postgres/connection/database.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { WriteStore } from "../../../src/store/store.ts";
import { inFolder, start } from "../../cli/command.ts";
import { sharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { change, createCompany, EMPTY_STORE } from "../../support/stores.ts";

setDefaultTimeout(120_000);

const CHANGE = async () => ({ result: null, changed: true, commit: true });

test("whatever the role has as default, statements of a command may take long, and who hangs is ended", async () => {
  const server = await sharedServer();
  const role = `role_${crypto.randomUUID().slice(0, 8)}`;
  await server.run(`create role ${role} login password 'password'`);
  await server.run(`alter role ${role} set statement_timeout = '1s'`);
  const database = new PostgresDatabase(server.url("postgres", role, "password"), { max: 1 });
  const settings = await database.read(
    sql`select name, setting::int as "setting" from pg_settings where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'client_connection_check_interval', 'tcp_keepalives_idle') order by name`,
  );
  await database.close();
  expect(settings).toEqual([
    { name: "client_connection_check_interval", setting: 5000 },
    { name: "idle_in_transaction_session_timeout", setting: 90_000 },
    { name: "lock_timeout", setting: 600_000 },
    { name: "statement_timeout", setting: 0 },
    { name: "tcp_keepalives_idle", setting: 30 },
  ]);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
  "the statement of a command that %s ends is ended, too, while what it waits for goes on",
  async (signal) => {
    const server = await sharedServer();
    const db = await server.createDatabase(EMPTY_STORE);
    const writer = await openPostgresWriteStore(db);
    await createCompany(writer, "acme");
    const holder = new pg.Client({ connectionString: db });
    await holder.connect();
    await holder.query("begin; select id from companies for update");
    const waiting = async () =>
      (
        await server.run("select pid from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'", [
          new URL(db).pathname.slice(1),
        ])
      ).length;
    await inFolder(async (folder) => {
      const child = start(folder, ["companies", "delete", "acme", "--yes"], { ROLLCALL_DB: db });
      while ((await waiting()) === 0) await Bun.sleep(20);
      child.kill(signal);
      await child.exited;
      while ((await waiting()) !== 0) await Bun.sleep(20);
    });
    await holder.query("rollback");
    await holder.end();
    await change(writer, "acme", async () => {});
    await writer.close();
  },
);

test("who waits for a company is told who holds it, and gives up in time", async () => {
  const server = await sharedServer();
  const db = await server.createDatabase(EMPTY_STORE);
  const writer = await openPostgresWriteStore(db);
  await createCompany(writer, "acme");
  const holder = new pg.Client({ connectionString: db, application_name: "night" });
  await holder.connect();
  const { rows } = await holder
    .query("begin; select pg_backend_pid() as pid; select id from companies for update")
    .then(
      (results) => (results as unknown as pg.QueryResult<{ pid: number }>[])[1]!, // several statements
    );
  const { pid } = rows[0]!;
  const who = new RegExp(
    `process ${pid}, night as \\w+ from [\\d.]+, since \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ`,
  );
  const said = Promise.withResolvers<string | null>();
  const failing = rejection(
    writer.change("acme", async () => ({ result: null, changed: true, commit: true }), {
      onWait: said.resolve,
      waitMs: 5000, // long enough for the second connection on a busy machine
    }),
  );
  expect(await said.promise).toMatch(who);
  const refusal = await failing;
  expect(refusal).toThrow("still holds PostgreSQL at ");
  expect(refusal).toThrow(who);
  expect(refusal).toThrow(
    `after 5 seconds. Nothing was changed: end it (select pg_terminate_backend(${pid})`,
  );
  const waiting = "select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'";
  while ((await server.run(waiting, [new URL(db).pathname.slice(1)])).length > 0) await Bun.sleep(20);
  await holder.query("rollback");
  await holder.end();
  await change(writer, "acme", async () => {});
  await writer.close();
});

/** A session that holds the row of acme, in a store with that company alone. */
async function withHolder(work: (writer: WriteStore, holder: pg.Client) => Promise<void>): Promise<void> {
  const db = await (await sharedServer()).createDatabase(EMPTY_STORE);
  const writer = await openPostgresWriteStore(db);
  await createCompany(writer, "acme");
  const holder = new pg.Client({ connectionString: db });
  holder.on("error", () => {}); // the server may end it
  await holder.connect();
  await holder.query("begin; select id from companies for update; create temporary table staged (id text)");
  await work(writer, holder);
  await holder.end();
  await writer.close();
}

test("a writer that stopped in the midst of sending rows is ended by whoever waits for it", () =>
  withHolder(async (writer, holder) => {
    const stream = holder.query(copyFrom("copy staged from stdin"));
    const end = new Promise<Error>((resolve) => stream.on("error", resolve));
    await writer.change("acme", CHANGE, { stoppedAfterMs: 1000, waitMs: 60_000 });
    expect((await end).message).toMatch(/terminating connection|Connection terminated/);
  }));

test("a writer that works is left alone, however long it takes", () =>
  withHolder(async (writer, holder) => {
    const working = holder.query("select pg_sleep(6)").then(() => "done");
    const waiting = { stoppedAfterMs: 1000, waitMs: 4000 };
    expect(await rejection(writer.change("acme", CHANGE, waiting))).toThrow("still holds PostgreSQL at ");
    expect(await working).toBe("done");
  }));

test("an import waits for nobody else's company", async () => {
  const db = await (await sharedServer()).createDatabase(EMPTY_STORE);
  const writer = await openPostgresWriteStore(db);
  await createCompany(writer, "acme");
  await createCompany(writer, "other");
  await writer.change("acme", async (transaction) => {
    await transaction.put("work_hours", [{ workerId: "wrk_1", day: 1, minutes: 60 }]);
    const hasWaited = await new Promise<boolean>((resolve, reject) => {
      writer
        .change(
          "other",
          async (inner) => {
            await inner.put("work_hours", [{ workerId: "wrk_1", day: 1, minutes: 60 }]);
            return { result: null, changed: true, commit: true };
          },
          { onWait: () => resolve(true) },
        )
        .then(() => resolve(false), reject);
    });
    expect(hasWaited).toBe(false);
    return { result: null, changed: true, commit: true };
  });
  await writer.close();
});
