// A store that may not be written to: it is served, changing it is refused with what to do, and nothing breaks.
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findings } from "../doctor/report.ts";
import {
  factsDigest,
  rollcall,
  type Served,
  type StoreFolder,
  withServer,
  withStoreFolder,
} from "./store-folder.ts";

const importBig = (storeFolder: StoreFolder) =>
  rollcall(["import", storeFolder.big, "--company", "acme", "--db", storeFolder.db]);

async function refuses(storeFolder: StoreFolder): Promise<void> {
  const imported = await importBig(storeFolder);
  expect(imported.exitCode).toBe(1);
  expect(imported.stderr).toContain("cannot be written to: check the permissions of the file");
  const made = await rollcall(["companies", "create", "other", "--db", storeFolder.db]);
  expect(made.exitCode).toBe(1);
}

async function serves({ get }: Served): Promise<void> {
  expect(await get("/readyz")).toMatchObject({ status: 200 });
  expect(await get("/v1/workers?limit=1")).toMatchObject({ status: 200, body: { count: 1, hasMore: true } });
}

test("a read-only file: changing is refused, serving goes on", async () => {
  await withStoreFolder(async (storeFolder) => {
    const before = await factsDigest(storeFolder);
    chmodSync(storeFolder.db, 0o400);
    await refuses(storeFolder);
    await withServer(storeFolder, serves);
    for (const suffix of ["", "-wal", "-shm"]) chmodSync(storeFolder.db + suffix, 0o600);
    expect(await factsDigest(storeFolder)).toBe(before);
    expect(await importBig(storeFolder)).toMatchObject({ exitCode: 0 });
  });
}, 120_000);

test("a read-only file that was made writable again, but not those beside it: doctor tells", async () => {
  await withStoreFolder(async (storeFolder) => {
    chmodSync(storeFolder.db, 0o400);
    await withServer(storeFolder, serves);
    chmodSync(storeFolder.db, 0o600);
    await refuses(storeFolder);
    const found = await findings(storeFolder.db);
    expect(found).not.toEqual([]);
    for (const { check, advice } of found) {
      expect(check).toBe("permissions");
      expect(advice).toMatch(/^chmod 600 '.*rollcall\.db-(wal|shm)'$/);
    }
  });
}, 120_000);

test("a folder that may be written to but not listed takes an export", async () => {
  await withStoreFolder(async ({ db, folder }) => {
    const drop = join(folder, "drop");
    mkdirSync(drop, { mode: 0o300 });
    const exported = await rollcall(["export", "--company", "acme", "--db", db, "--out", join(drop, "x")]);
    chmodSync(drop, 0o700);
    expect(exported).toMatchObject({ exitCode: 0, stderr: "" });
  });
}, 120_000);

test("a folder that may not be written to: changing is refused, a server that runs goes on", async () => {
  await withStoreFolder(async (storeFolder) => {
    const before = await factsDigest(storeFolder);
    await withServer(storeFolder, async (server) => {
      await serves(server);
      chmodSync(storeFolder.folder, 0o500);
      await serves(server).finally(() => chmodSync(storeFolder.folder, 0o700));
    });
    for (const suffix of ["-wal", "-shm"]) rmSync(storeFolder.db + suffix, { force: true });
    chmodSync(storeFolder.folder, 0o500);
    await refuses(storeFolder);
    const started = await rollcall(["serve", "--port", "0", "--db", storeFolder.db]);
    chmodSync(storeFolder.folder, 0o700);
    expect(started).toMatchObject({ exitCode: 1 });
    expect(started.stderr).toContain("check the permissions of the file and of its folder");
    expect(await factsDigest(storeFolder)).toBe(before);
  });
}, 120_000);

test("a folder that may not be read, or is not there", async () => {
  await withStoreFolder(async (storeFolder) => {
    chmodSync(storeFolder.folder, 0o000);
    const ended = await rollcall(["serve", "--port", "0", "--db", storeFolder.db]);
    chmodSync(storeFolder.folder, 0o700);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/^rollcall: .*rollcall\.db/);
    const missing = await rollcall([
      "companies",
      "create",
      "acme",
      "--db",
      `${storeFolder.folder}/none/rollcall.db`,
    ]);
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain("check that the folder exists");
  });
}, 120_000);
