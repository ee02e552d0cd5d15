// A primary with a streaming standby: reads go to the standby exactly while it is proven to be as fresh.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import type { CompanyVersion, ReadStore } from "../../../src/store/store.ts";
import { newServer, type Server } from "../../support/postgres.ts";
import { startProxy, type TcpProxy } from "../../support/proxy.ts";
import { caughtUp, startStandby } from "../../support/standby.ts";
import { change, makeKey } from "../../support/stores.ts";
import { listed } from "../listed.ts";
import { FACTS, fill, startLoad } from "./load.ts";

const WORKER = FACTS.workers[0]!;
const KEY = makeKey("one", "acme");

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
  await writer.createKey(KEY);
  await writer.close();
  standby = await startStandby(primary);
  await caughtUp(primary, standby);
  toPrimary = await startProxy(primary.port);
  toStandby = await startProxy(standby.port);
  db = through(direct, toPrimary);
  replica = through(standby.url(new URL(direct).pathname.slice(1)), toStandby);
}, 30_000);

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
): Promise<{ doc: string | null; fromStandby: boolean; version: CompanyVersion }> {
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
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
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
  30_000,
);

test(
  "a frozen standby costs one wait, not one for each read",
  () =>
    withReplica(async (store) => {
      await readWorker(store);
      toStandby.freeze();
      expect((await readWorker(store)).doc).toBe(WORKER.doc);
      const startedAtMs = performance.now();
      for (let read = 0; read < 20; read++) expect((await readWorker(store)).doc).toBe(WORKER.doc);
      expect(performance.now() - startedAtMs).toBeLessThan(500);
      toStandby.thaw();
      await untilStandbyServes(store);
    }),
  30_000,
);

for (const loss of ["stopped", "frozen"] as const) {
  test(
    `the primary lost (${loss}): reads and keys go on, nothing is proven; it comes back by itself`,
    () =>
      withReplica(async (store) => {
        const load = startLoad(store);
        await load.servedAgain();
        if (loss === "stopped") await primary.stop();
        else toPrimary.freeze();
        await load.servedAgain();
        const lost = await readWorker(store);
        expect(lost.version.isProven).toBe(false);
        expect(lost).toMatchObject({ doc: WORKER.doc, fromStandby: true });
        expect(await store.version("nobody")).toBeNull();
        expect(await store.key(KEY.digest)).toEqual(KEY);
        await store.ping();
        const late = await openPostgresReadStore(db, { replicas: [replica] });
        expect((await readWorker(late)).doc).toBe(WORKER.doc);
        await late.close();
        if (loss === "stopped") await primary.start();
        else toPrimary.thaw();
        const startedAtMs = performance.now();
        while (!(await readWorker(store)).version.isProven) {
          expect(performance.now() - startedAtMs).toBeLessThan(5000);
          await Bun.sleep(20);
        }
        await load.stop();
        expect(load.wrong).toEqual([]);
      }),
    30_000,
  );
}
