// PostgreSQL fails in every way that it does in practice, while readers continue: no wrong page, and a quick recovery.
import { expect, test } from "bun:test";
import pg from "pg";
import sql from "sql-template-tag";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { type ReadStore, StoreRefusal, StoreUnavailable } from "../../../src/store/store.ts";
import { newServer, type SharedServer, sharedServer } from "../../support/postgres.ts";
import { startProxy } from "../../support/proxy.ts";
import { listed } from "../listed.ts";
import { fill, type Load, startLoad } from "./load.ts";

const RECOVERY_MS = 5000;

async function under(db: string, work: (load: Load, store: ReadStore) => Promise<void>): Promise<Load> {
  const store = await openPostgresReadStore(db);
  const load = startLoad(store);
  try {
    await load.servedAgain();
    await work(load, store);
  } finally {
    await load.stop();
    await store.close();
  }
  expect(load.wrong).toEqual([]);
  return load;
}

async function filled(server: SharedServer): Promise<string> {
  const db = await server.createDatabase();
  await fill(db);
  return db;
}

test("stopped and started: unavailable meanwhile, back by itself", async () => {
  const server = await newServer();
  const load = await under(await filled(server), async (load) => {
    for (let round = 0; round < 2; round++) {
      await server.stop();
      await load.refused();
      await Bun.sleep(300);
      await server.start();
      expect(await load.servedAgain()).toBeLessThan(RECOVERY_MS);
    }
  });
  expect(load.unavailable).toBeGreaterThan(0);
  await server.stop();
}, 120_000);

test("every connection terminated, again and again: reads go on over new ones", async () => {
  const server = await sharedServer();
  const db = await filled(server);
  const name = new URL(db).pathname.slice(1);
  await under(db, async (load) => {
    for (let round = 0; round < 5; round++) {
      await server.run("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
      expect(await load.servedAgain()).toBeLessThan(RECOVERY_MS);
    }
  });
}, 120_000);

test("a statement that hangs ends in time, on the server too, and hinders no other read", async () => {
  const server = await sharedServer();
  const db = await filled(server);
  const store = await openPostgresReadStore(`${db}?timeout=600&pool=3`);
  const blocker = new pg.Client({ connectionString: db });
  await blocker.connect();
  await blocker.query("begin; lock table workers in access exclusive mode");
  try {
    const startedAtMs = performance.now();
    const hanging = Array.from({ length: 3 }, () =>
      listed(store.company("acme"), "workers", { limit: 5 }, {}),
    );
    const others = await Promise.all([store.version("acme"), store.key("0".repeat(64))]);
    expect(others[0]).not.toBeNull();
    for (const page of await Promise.allSettled(hanging)) {
      expect(page.status).toBe("rejected");
      expect(page.status === "rejected" && page.reason).toBeInstanceOf(StoreUnavailable);
    }
    expect(performance.now() - startedAtMs).toBeLessThan(2500);
    const waiting = await server
      .run(
        "select 1 from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'",
        [],
        new URL(db).pathname.slice(1),
      )
      .catch(() => []);
    expect(waiting).toEqual([]);
  } finally {
    await blocker.query("rollback");
    await blocker.end();
  }
  expect((await listed(store.company("acme"), "workers", { limit: 5 }, {})).docs.length).toBe(5);
  await store.close();
}, 120_000);

test("connections frozen rather than closed: unavailable in time, back when packets flow again", async () => {
  const server = await sharedServer();
  const db = await filled(server);
  const proxy = await startProxy(server.port);
  const through = new URL(`${db}?timeout=700`);
  through.port = String(proxy.port);
  const load = await under(through.href, async (load) => {
    proxy.freeze();
    await load.refused();
    const served = load.served;
    await Bun.sleep(2500);
    expect(load.served).toBe(served);
    proxy.thaw();
    expect(await load.servedAgain()).toBeLessThan(RECOVERY_MS);
  });
  expect(load.unavailable).toBeGreaterThan(0);
  expect(load.slowestMs).toBeLessThan(5000);
  await proxy.close();
}, 120_000);

test("more readers than connections: the pool stays bounded, nobody is turned away", async () => {
  const server = await sharedServer();
  const db = await filled(server);
  const store = await openPostgresReadStore(`${db}?pool=4`);
  const load = startLoad(store, 60);
  let most = 0;
  for (let look = 0; look < 10; look++) {
    const [row] = await server.run<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where datname = $1",
      [new URL(db).pathname.slice(1)],
    );
    most = Math.max(most, row!.count);
    await Bun.sleep(30);
  }
  await load.stop();
  expect(most).toBeGreaterThan(3);
  expect(most).toBeLessThanOrEqual(4 + 3);
  expect(load.unavailable).toBe(0);
  expect(load.wrong).toEqual([]);
  await store.close();
}, 120_000);

test("no connection free in time: unavailable, not a wait without end", async () => {
  const server = await sharedServer();
  const db = await filled(server);
  const store = await openPostgresReadStore(`${db}?timeout=3000&pool=1`);
  const blocker = new pg.Client({ connectionString: db });
  await blocker.connect();
  await blocker.query("begin; lock table workers in access exclusive mode");
  const startedAtMs = performance.now();
  const reads = [1, 2].map(() =>
    listed(store.company("acme"), "workers", { limit: 5 }, {}).catch((error) => error),
  );
  expect(await Promise.race(reads)).toBeInstanceOf(StoreUnavailable);
  expect(performance.now() - startedAtMs).toBeLessThan(2500);
  await blocker.query("rollback");
  await Promise.all(reads);
  await blocker.end();
  await store.close();
}, 120_000);

// https://www.postgresql.org/docs/current/runtime-config-resource.html: temporary tables do not count, sorts do.
test("an import that needs more temporary files than the server allows: refused, with the setting's name", async () => {
  const store = await openPostgresWriteStore(await filled(await sharedServer()));
  const refused = store.stage("acme", async (session) => {
    await session.makeTable("many", { id: "text" });
    await session.run(sql`insert into many select repeat('x', 100) || n from generate_series(1, 20000) as n`);
    await session.run(sql`set local work_mem = '64kB'`);
    await session.run(sql`set local temp_file_limit = '64kB'`);
    for await (const _ of session.batches(sql`select id from many order by md5(id)`));
  });
  await expect(refused).rejects.toThrow("temp_file_limit");
  await expect(refused).rejects.toBeInstanceOf(StoreRefusal);
  await store.close();
}, 120_000);
