// A primary with a streaming standby: reads go to the standby exactly while it is proven to be as fresh.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApp } from "../../../src/http/app.ts";
import { newKey } from "../../../src/http/new-key.ts";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { type ReadStore, StoreUnavailable } from "../../../src/store/store.ts";
import { bareParts, CONNECTION } from "../../http/bare-parts.ts";
import { newServer, type Server } from "../../support/postgres.ts";
import { startProxy, type TcpProxy } from "../../support/proxy.ts";
import { rejection } from "../../support/rejection.ts";
import { caughtUp, startStandby } from "../../support/standby.ts";
import { change } from "../../support/stores.ts";
import { listed } from "../listed.ts";
import { FACTS, fill, startLoad } from "./load.ts";

const WORKER = FACTS.workers[0]!;
const { apiKey: API_KEY, stored: KEY } = newKey({ companyId: "acme", name: "one" }, 0);

/** Longer than a server trusts a key that it has read. */
const KEY_TRUST_MS = 600;

/** A standby that is back serves within two seconds; a busy machine takes longer. */
const STANDBY_BACK_MS = 30_000;

let primary: Server;
let standby: Server;
let toPrimary: TcpProxy;
let toStandby: TcpProxy;
let db: string;
let replica: string;

function through(url: string, proxy: TcpProxy): string {
  const address = new URL(`${url}?timeout=1000`);
  address.port = String(proxy.port);
  return address.href;
}

beforeAll(async () => {
  primary = await newServer();
  const direct = await primary.createDatabase();
  await fill(direct);
  const writer = await openPostgresWriteStore(direct);
  await writer.createSecret(KEY);
  await writer.close();
  standby = await startStandby(primary);
  await caughtUp(primary, standby);
  toPrimary = await startProxy(primary.port);
  toStandby = await startProxy(standby.port);
  db = through(direct, toPrimary);
  replica = through(standby.url(new URL(direct).pathname.slice(1)), toStandby);
}, 120_000);

afterAll(async () => {
  await Promise.all([toPrimary.close(), toStandby.close()]);
  await standby.stop();
  await primary.stop();
});

async function withReplica(work: (store: ReadStore) => Promise<void>): Promise<void> {
  const store = await openPostgresReadStore(db, { replicas: [replica] });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** The worker's document, read as a request reads it, and whether the standby gave it. */
async function readWorker(
  store: ReadStore,
): Promise<{ doc: string | null; fromStandby: boolean; version: string }> {
  const version = (await store.version("acme"))!;
  const before = toStandby.forwarded;
  const doc = await store.company("acme", version).object("workers", WORKER.id);
  return { doc, fromStandby: toStandby.forwarded > before, version };
}

async function put(doc: string): Promise<void> {
  const writer = await openPostgresWriteStore(primary.url(new URL(db).pathname.slice(1)));
  await change(writer, "acme", (transaction) => transaction.put("workers", [{ ...WORKER, doc }]));
  await writer.close();
}

async function untilStandbyServes(store: ReadStore): Promise<void> {
  const startedAtMs = performance.now();
  while (!(await readWorker(store)).fromStandby) {
    expect(performance.now() - startedAtMs).toBeLessThan(STANDBY_BACK_MS);
    await Bun.sleep(20);
  }
}

test("a standby with the company's version serves the same pages and facts", () =>
  withReplica(async (store) => {
    const version = (await store.version("acme"))!;
    expect((await readWorker(store)).fromStandby).toBe(true);
    const fromPrimary = store.company("acme");
    const fromStandby = store.company("acme", version);
    for (const page of [{ limit: 7 }, { limit: 7, before: "wrk_M" }, { limit: 7, after: "~" }]) {
      expect(await listed(fromStandby, "workers", page, {})).toEqual(
        await listed(fromPrimary, "workers", page, {}),
      );
      expect(await listed(fromStandby, "requests", page, {})).toEqual(
        await listed(fromPrimary, "requests", page, {}),
      );
    }
    const facts = await fromStandby.balanceFacts({ limit: 5 });
    expect(facts).toEqual(await fromPrimary.balanceFacts({ limit: 5 }));
    const nothing = { limit: 5, after: "~" };
    expect(await listed(fromStandby, "assignments", nothing, {})).toEqual({
      docs: [],
      ends: null,
      hasMore: false,
    });
    expect(await fromStandby.object("workers", "wrk_nobody")).toBeNull();
  }));

// https://www.postgresql.org/docs/current/hot-standby.html: a standby refuses serializable transactions.
test("where transactions are serializable by default, a standby can be backed up, and the primary serves in its place", async () => {
  const name = new URL(db).pathname.slice(1);
  const isolate = (setting: string) =>
    primary.run(`alter database ${name} ${setting}`).then(() => caughtUp(primary, standby));
  await isolate("set default_transaction_isolation = serializable");
  try {
    const companies = await postgresStore(standby.url(name)).snapshot((contents) => contents.companies());
    expect(companies).toHaveLength(1);
    await withReplica(async (store) => {
      expect((await readWorker(store)).doc).toBe(WORKER.doc);
    });
  } finally {
    await isolate("reset default_transaction_isolation");
  }
});

test("a replica that cannot be read, as with a wrong password, is told of once, and the primary serves", async () => {
  const wrong = new URL(replica);
  wrong.password = "wrong";
  const told: unknown[] = [];
  const store = await openPostgresReadStore(db, {
    replicas: [wrong.href],
    onReplicaDown: (error) => told.push(error),
  });
  while (told.length === 0) await Bun.sleep(10);
  expect(String(told[0])).toContain("does not let this role in: check the name and the password");
  for (let reads = 0; reads < 20; reads++) {
    expect(await readWorker(store)).toMatchObject({ doc: WORKER.doc });
    await Bun.sleep(50); // it is tried meanwhile
  }
  expect(told).toHaveLength(1);
  await store.close();
});

test("a replica whose settings change values is told of, and the primary serves", async () => {
  const other = new URL(replica);
  other.searchParams.set("options", "-c extra_float_digits=0");
  const told: unknown[] = [];
  const store = await openPostgresReadStore(db, {
    replicas: [other.href],
    onReplicaDown: (error) => told.push(error),
  });
  while (told.length === 0) await Bun.sleep(10);
  expect(String(told[0])).toContain("would hide or change data (extra_float_digits = 0)");
  expect(await readWorker(store)).toMatchObject({ doc: WORKER.doc });
  await store.close();
});

test("a standby that is behind is left out until it has followed", () =>
  withReplica(async (store) => {
    await standby.run("select pg_wal_replay_pause()");
    for (const round of [1, 2, 3]) {
      await put(`{"round":${round}}`);
      expect(await readWorker(store)).toMatchObject({ doc: `{"round":${round}}` });
    }
    await standby.run("select pg_wal_replay_resume()");
    await untilStandbyServes(store);
    await put(WORKER.doc);
    expect((await readWorker(store)).doc).toBe(WORKER.doc);
    await caughtUp(primary, standby);
  }));

test(
  "a standby that is down is left out, and comes back by itself",
  () =>
    withReplica(async (store) => {
      const load = startLoad(store);
      await load.servedAgain();
      await standby.stop();
      await load.servedAgain();
      expect(await readWorker(store)).toMatchObject({ doc: WORKER.doc });
      await standby.start();
      await untilStandbyServes(store);
      await load.stop();
      expect(load.wrong).toEqual([]);
      expect(load.unavailable).toBe(0);
    }),
  120_000,
);

test(
  "a frozen standby costs one wait, not one for each read",
  () =>
    withReplica(async (store) => {
      await readWorker(store);
      toStandby.freeze();
      const frozenAtMs = performance.now();
      expect((await readWorker(store)).doc).toBe(WORKER.doc);
      const waitedAtMs = performance.now();
      for (let read = 0; read < 20; read++) expect((await readWorker(store)).doc).toBe(WORKER.doc);
      expect(performance.now() - waitedAtMs).toBeLessThan((20 / 2) * (waitedAtMs - frozenAtMs));
      toStandby.thaw();
      await untilStandbyServes(store);
    }),
  120_000,
);

for (const loss of ["stopped", "frozen"] as const) {
  test(
    `the primary lost (${loss}): a replica brings back no revoked key and no removed person; after it, all is as before`,
    () =>
      withReplica(async (store) => {
        const direct = primary.url(new URL(db).pathname.slice(1));
        expect(await store.key(KEY.digest)).toMatchObject({ revokedAtMs: null });
        await readWorker(store);
        // What the standby has not heard of when the primary is lost.
        await standby.run("select pg_wal_replay_pause()");
        const writer = await openPostgresWriteStore(direct);
        await writer.updateSecret("keys", KEY.id, { revokedAtMs: 5 });
        await change(writer, "acme", (transaction) => transaction.remove("workers", [[WORKER.id]]));
        await writer.close();
        if (loss === "stopped") await primary.stop();
        else toPrimary.freeze();
        await Bun.sleep(KEY_TRUST_MS);
        expect(await rejection(store.key(KEY.digest))).toThrow(StoreUnavailable);
        expect(await rejection(store.key("0".repeat(64)))).toThrow(StoreUnavailable);
        expect(await rejection(store.version("acme"))).toThrow(StoreUnavailable);
        expect(await rejection(store.version("nobody"))).toThrow(StoreUnavailable);
        expect(await rejection(store.ping())).toThrow(StoreUnavailable);
        expect(await rejection(openPostgresReadStore(db, { replicas: [replica] }))).toThrow(StoreUnavailable);
        if (loss === "stopped") await primary.start();
        else toPrimary.thaw();
        await standby.run("select pg_wal_replay_resume()");
        const load = startLoad(store);
        await load.servedAgain();
        expect(await store.key(KEY.digest)).toMatchObject({ revokedAtMs: 5 });
        expect((await readWorker(store)).doc).toBeNull();
        const restored = await openPostgresWriteStore(direct);
        await restored.updateSecret("keys", KEY.id, { revokedAtMs: null });
        await change(restored, "acme", (transaction) => transaction.put("workers", [WORKER]));
        await restored.close();
        await load.stop();
      }),
    120_000,
  );
}

test(
  "the primary lost, and a standby that is behind: a newer position of the change feed is not gone, but unavailable",
  () =>
    withReplica(async (store) => {
      const app = createApp(bareParts(store, { today: () => "2026-03-01" }));
      const ask = async (query: string) => {
        const request = new Request(`http://rollcall.test/v1/changes?${query}`, {
          headers: { "x-api-key": API_KEY },
        });
        const response = await app(request, CONNECTION);
        return {
          status: response.status,
          body: (await response.json()) as { code?: string; position: string },
        };
      };
      await untilStandbyServes(store);
      await standby.run("select pg_wal_replay_pause()");
      await put('{"newer":true}');
      const newer = await ask("after=now");
      expect(newer.status).toBe(200);
      const version = (await store.version("acme"))!;
      await primary.stop();
      for (const query of [
        `after=${newer.body.position}`,
        `after=${newer.body.position}&wait=1`,
        "after=now",
        "",
      ])
        expect(await ask(query)).toMatchObject({ status: 503, body: { code: "unavailable" } });
      // Lost just after it said which version there is.
      const after = { kind: "tail", seq: 999, mark: "0".repeat(16), step: "end", id: "" } as const;
      const late = store.company("acme", version).changes({ after, resources: ["workers"], limit: 1 });
      expect(await rejection(late)).toThrow(StoreUnavailable);
      await primary.start();
      await standby.run("select pg_wal_replay_resume()");
      const load = startLoad(store);
      await load.servedAgain();
      expect((await ask(`after=${newer.body.position}`)).status).toBe(200);
      await put(WORKER.doc);
      await load.stop();
    }),
  120_000,
);

test("a standby in the place of the primary serves nothing, though it answers", async () => {
  const database = new URL(db).pathname.slice(1);
  expect(await rejection(openPostgresReadStore(standby.url(database)))).toThrow("is a standby");
  const store = await openPostgresReadStore(db);
  const end = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";
  toPrimary.leadTo(standby.port);
  await primary.run(end, [database]);
  await Bun.sleep(KEY_TRUST_MS);
  expect(await rejection(store.key(KEY.digest))).toThrow("is a standby");
  expect(await rejection(store.version("acme"))).toThrow("is a standby");
  toPrimary.leadTo(primary.port);
  await standby.run(end, [database]);
  expect(await store.version("acme")).not.toBeNull();
  await store.close();
}, 120_000);
