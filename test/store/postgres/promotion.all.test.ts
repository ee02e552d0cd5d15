// The primary is lost for good, its standby is promoted, and the address that servers know leads to it: no restart.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { writeBackup } from "../../../src/store/sqlite/backup.ts";
import { type ReadStore, StoreRefusal, StoreUnavailable } from "../../../src/store/store.ts";
import { newServer, type Server } from "../../support/postgres.ts";
import { startProxy, type TcpProxy } from "../../support/proxy.ts";
import { rejection } from "../../support/rejection.ts";
import { caughtUp, startStandby } from "../../support/standby.ts";
import { change, makeHook, makeKey } from "../../support/stores.ts";
import { FACTS, fill, startLoad } from "./load.ts";

/** Not among those that the load looks at. */
const WORKER = FACTS.workers[20]!;

const RECOVERY_MS = 5000;

interface Cluster {
  readonly primary: Server;
  readonly standby: Server;
  /** What servers and operators know, whichever machine it leads to. */
  readonly address: TcpProxy;
  readonly db: string;
  readonly standbyDb: string;
}

async function withCluster(work: (cluster: Cluster) => Promise<void>): Promise<void> {
  const primary = await newServer();
  const direct = await primary.createDatabase();
  await fill(direct);
  const standby = await startStandby(primary);
  await caughtUp(primary, standby);
  const address = await startProxy(primary.port);
  const db = new URL(`${direct}?timeout=1000`);
  db.port = String(address.port);
  const standbyDb = standby.url(db.pathname.slice(1));
  try {
    await work({ primary, standby, address, db: db.href, standbyDb });
  } finally {
    await address.close();
    await standby.stop();
  }
}

async function put(db: string, doc: string): Promise<void> {
  const writer = await openPostgresWriteStore(db);
  await change(writer, "acme", (transaction) => transaction.put("workers", [{ ...WORKER, doc }]));
  await writer.close();
}

/** The worker's document, as a request would get it. */
async function read(store: ReadStore): Promise<string | null> {
  const version = (await store.version("acme"))!;
  return store.company("acme", version).object("workers", WORKER.id);
}

/** The standby becomes the primary, and the address leads to it. Nothing of the old one is left to be asked. */
async function promote({ standby, address }: Cluster): Promise<void> {
  const [promoted] = await standby.run<{ done: boolean }>("select pg_promote() as done");
  expect(promoted).toEqual({ done: true });
  address.leadTo(standby.port);
}

test(
  "a standby can be backed up and promoted; servers with it as a replica and without go on, and imports are seen at once again",
  () =>
    withCluster(async (cluster) => {
      const { primary, db, standbyDb } = cluster;
      const folder = mkdtempSync(join(tmpdir(), "rollcall-standby-"));
      const backUp = async () => {
        const out = join(folder, "standby.backup");
        const made = await writeBackup(postgresStore(standbyDb), out, { now: () => 0 });
        expect(made.rows).toMatchObject({ companies: 1, workers: FACTS.workers.length });
      };
      const stores = [
        await openPostgresReadStore(db, { replicas: [standbyDb] }),
        await openPostgresReadStore(db),
      ];
      const loads = stores.map((store) => startLoad(store));
      await Promise.all(loads.map((load) => load.servedAgain()));
      await backUp();
      await primary.stop();
      await Promise.all(loads.map((load) => load.refused()));
      for (const store of stores) expect(await rejection(read(store))).toThrow(StoreUnavailable);
      expect(await rejection(put(standbyDb, "{}"))).toThrow(StoreRefusal);
      await backUp();
      rmSync(folder, { recursive: true });
      await promote(cluster);
      for (const load of loads) expect(await load.servedAgain()).toBeLessThan(RECOVERY_MS);
      for (const round of [1, 2, 3]) {
        await put(db, `{"round":${round}}`);
        for (const store of stores) expect(await read(store)).toBe(`{"round":${round}}`);
      }
      for (const load of loads) {
        await load.stop();
        expect(load.wrong).toEqual([]);
      }
      const writer = await openPostgresWriteStore(db);
      for (const [at, store] of stores.entries()) {
        const key = makeKey(`key${at}`, "acme");
        await writer.createSecret(key);
        await store.touchKeys(new Map([[key.id, 77]]));
        expect(await store.key(key.digest)).toMatchObject({ lastUsedAtMs: 77 });
        await store.close();
      }
      await writer.close();
    }),
  120_000,
);

test("a standby without the last import is promoted while a message of that import is sent: no event of the next import is lost", async () => {
  const primary = await newServer(["wal_sender_timeout=1s"]); // its stop waits so long for the standby
  const direct = await primary.createDatabase();
  await fill(direct);
  const writer = await openPostgresWriteStore(direct);
  const hook = makeHook("hook_1", "acme");
  await writer.createHook(hook);
  const address = await startProxy(primary.port);
  const db = new URL(direct);
  db.port = String(address.port);
  const server = await openPostgresReadStore(db.href);
  await server.hooks.claim("server", 1000);
  const replication = await startProxy(primary.port);
  const standby = await startStandby(primary, replication.port);
  await caughtUp(primary, standby);
  replication.freeze();
  await put(direct, '{"import":"lost"}');
  const [lost] = await server.hooks.notes("acme", 0, 10);
  await writer.close();
  await primary.stop();
  await replication.close();
  const standbyDb = standby.url(db.pathname.slice(1));
  await promote({ primary, standby, address, db: db.href, standbyDb });
  await put(db.href, '{"import":"next"}');
  await server.hooks.save("server", hook, { ...hook, sentNumber: lost!.number });
  const [{ sentNumber } = hook] = await server.hooks.list("acme");
  expect(sentNumber).toBe(lost!.number); // it is as far as the server has sent
  expect(await server.hooks.notes("acme", sentNumber, 10)).toMatchObject([{ ids: { workerId: WORKER.id } }]);
  await server.close();
  await address.close();
  await standby.stop();
}, 120_000);
