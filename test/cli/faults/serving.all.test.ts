// What goes wrong with the store under a server that runs: it says 503, never something else, and comes back by itself.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { PAGE_BYTES } from "../../../src/store/sqlite/database.ts";
import { findings } from "../doctor/report.ts";
import {
  eventually,
  rollcall,
  type Served,
  type StoreFolder,
  withServer,
  withStoreFolder,
} from "./store-folder.ts";

const PATHS = ["/v1/workers", "/v1/time_off/requests", "/v1/time_off/balances", "/v1/time_off/policies"];

async function answersAll(server: Served): Promise<string> {
  const responses = await Promise.all(PATHS.map((path) => server.get(path)));
  for (const { status } of responses) expect(status).toBe(200);
  return JSON.stringify(responses);
}

const isUnavailable = async (server: Served) => {
  const responses = await Promise.all(PATHS.map((path) => server.get(path)));
  return responses.every(
    ({ status, body }) => status === 503 && (body as { code: string }).code === "unavailable",
  );
};

test(
  "the file is removed: 503, also for cached responses; restored: everything as before",
  () =>
    withStoreFolder(async (storeFolder) => {
      await withServer(storeFolder, async (server) => {
        const before = await answersAll(server);
        const suffixes = ["", "-wal", "-shm", "-keys", "-keys-wal", "-keys-shm"];
        const move = (from: string, to: string) => {
          for (const suffix of suffixes) {
            try {
              renameSync(from + suffix, to + suffix);
            } catch {} // not every one of them is there
          }
        };
        move(storeFolder.db, `${storeFolder.db}.away`);
        await eventually("503 once the store is gone", () => isUnavailable(server));
        expect(await server.get("/readyz")).toMatchObject({ status: 503 });
        expect(await server.get("/healthz")).toMatchObject({ status: 200 });
        move(`${storeFolder.db}.away`, storeFolder.db);
        await eventually("ready again", async () => (await server.get("/readyz")).status === 200);
        expect(await answersAll(server)).toBe(before);
      });
    }),
  120_000,
);

test(
  "the keys file alone is removed: 503, since no key can be called wrong; put back: everything as before",
  () =>
    withStoreFolder(async (storeFolder) => {
      await withServer(storeFolder, async (server) => {
        const before = await answersAll(server);
        renameSync(`${storeFolder.db}-keys`, `${storeFolder.db}-away`);
        await eventually("503 once the keys are gone", () => isUnavailable(server));
        expect(await server.get("/readyz")).toMatchObject({ status: 503 });
        renameSync(`${storeFolder.db}-away`, `${storeFolder.db}-keys`);
        await eventually("let in again", async () => (await server.get("/v1/workers")).status === 200);
        expect(await answersAll(server)).toBe(before);
      });
    }),
  120_000,
);

test(
  "a second server on the same store sends the same responses, and both see an import that a third process makes",
  () =>
    withStoreFolder(async (storeFolder) => {
      await withServer(storeFolder, (one) =>
        withServer(storeFolder, async (other) => {
          expect(await answersAll(other)).toBe(await answersAll(one));
          const before = await answersAll(one);
          const done = await rollcall([
            "import",
            storeFolder.big,
            "--company",
            "acme",
            "--db",
            storeFolder.db,
          ]);
          expect(done.exitCode).toBe(0);
          const after = await answersAll(one);
          expect(after).not.toBe(before);
          expect(await answersAll(other)).toBe(after);
        }),
      );
    }),
  120_000,
);

test(
  "damaged pages: doctor reports them; servers respond with 503 or with the truth",
  () =>
    withStoreFolder(async (storeFolder) => {
      let truth: unknown;
      await withServer(storeFolder, async ({ get }) => {
        truth = await allPages(get);
      });
      const bytes = readFileSync(storeFolder.db);
      // Without the schema no server starts: pages of rows are damaged.
      for (const table of ["workers", "assignments", "requests"]) {
        damage(storeFolder, bytes, table);
        await withServer(storeFolder, async ({ get }) => {
          for (const [path, response] of Object.entries(truth as object)) {
            const found = await get(path);
            if (found.status === 200) expect(found.body).toEqual(response);
            else expect(found).toMatchObject({ status: 503, body: { code: "unavailable" } });
          }
        });
        expect((await findings(storeFolder.db))[0]).toMatchObject({ check: "integrity" });
      }
    }),
  120_000,
);

/** Every page of every list, by path. */
async function allPages(get: Served["get"]): Promise<Record<string, unknown>> {
  const pages: Record<string, unknown> = {};
  for (const list of PATHS) {
    let after = "";
    do {
      const path = `${list}?limit=50${after}`;
      const { status, body } = await get(path);
      expect(status).toBe(200);
      pages[path] = body;
      const { data, hasMore } = body as { data: { id: string }[]; hasMore: boolean };
      after = hasMore ? `&afterId=${data[data.length - 1]!.id}` : "";
    } while (after !== "");
  }
  return pages;
}

/** Overwrites a page of a table's rows, as a failing disk might. */
function damage(storeFolder: StoreFolder, bytes: Buffer, table: string): void {
  const damaged = Buffer.from(bytes);
  writeFileSync(storeFolder.db, bytes);
  const database = new Database(storeFolder.db, { readonly: true });
  const leaves = "select pageno from dbstat where name = ? and pagetype = 'leaf' order by pageno";
  const [page] = database.query(leaves).values(table).flat() as number[]; // every table has rows
  database.close();
  const at = (page! - 1) * PAGE_BYTES;
  damaged.fill(0xa5, at, at + PAGE_BYTES);
  for (const suffix of ["-wal", "-shm"]) rmSync(storeFolder.db + suffix, { force: true });
  writeFileSync(storeFolder.db, damaged);
}
