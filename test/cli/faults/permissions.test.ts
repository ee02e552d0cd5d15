// A store that may not be written to: it is served, changing it is refused with what to do, and nothing breaks.
import { expect, test } from "bun:test";
import { chmodSync, rmSync } from "node:fs";
import { findings } from "../doctor/place.ts";
import { exportedText, type Place, rollcall, type Served, withPlace, withServer } from "./place.ts";

const importBig = (place: Place) => rollcall(["import", place.big, "--company", "acme", "--db", place.db]);

async function refuses(place: Place): Promise<void> {
  const imported = await importBig(place);
  expect(imported.exitCode).toBe(1);
  expect(imported.stderr).toContain("cannot be written to: check the permissions of the file");
  const made = await rollcall(["companies", "create", "other", "--db", place.db]);
  expect(made.exitCode).toBe(1);
}

async function serves({ get }: Served): Promise<void> {
  expect(await get("/readyz")).toMatchObject({ status: 200 });
  expect(await get("/v1/workers?limit=1")).toMatchObject({ status: 200, body: { count: 1, hasMore: true } });
}

test("a read-only file: changing is refused, serving goes on", async () => {
  await withPlace(async (place) => {
    const before = await exportedText(place);
    chmodSync(place.db, 0o400);
    await refuses(place);
    await withServer(place, serves);
    for (const suffix of ["", "-wal", "-shm"]) chmodSync(place.db + suffix, 0o600);
    expect(await exportedText(place)).toBe(before);
    expect(await importBig(place)).toMatchObject({ exitCode: 0 });
  });
}, 60_000);

test("a read-only file that was made writable again, but not those beside it: doctor tells", async () => {
  await withPlace(async (place) => {
    chmodSync(place.db, 0o400);
    await withServer(place, serves);
    chmodSync(place.db, 0o600);
    await refuses(place);
    const found = await findings(place.db);
    expect(found).not.toEqual([]);
    for (const { check, advice } of found) {
      expect(check).toBe("permissions");
      expect(advice).toMatch(/^chmod 600 '.*rollcall\.db-(wal|shm)'$/);
    }
  });
}, 60_000);

test("a folder that may not be written to: changing is refused, a server that runs goes on", async () => {
  await withPlace(async (place) => {
    const before = await exportedText(place);
    await withServer(place, async (server) => {
      await serves(server);
      chmodSync(place.folder, 0o500);
      await serves(server).finally(() => chmodSync(place.folder, 0o700));
    });
    for (const suffix of ["-wal", "-shm"]) rmSync(place.db + suffix, { force: true });
    chmodSync(place.folder, 0o500);
    await refuses(place);
    const started = await rollcall(["serve", "--port", "0", "--db", place.db]);
    chmodSync(place.folder, 0o700);
    expect(started).toMatchObject({ exitCode: 1 });
    expect(started.stderr).toContain("check the permissions of the file and of its folder");
    expect(await exportedText(place)).toBe(before);
  });
}, 60_000);

test("a folder that may not be read, or is not there", async () => {
  await withPlace(async (place) => {
    chmodSync(place.folder, 0o000);
    const ended = await rollcall(["serve", "--port", "0", "--db", place.db]);
    chmodSync(place.folder, 0o700);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/^rollcall: .*rollcall\.db/);
    const missing = await rollcall([
      "companies",
      "create",
      "acme",
      "--db",
      `${place.folder}/none/rollcall.db`,
    ]);
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain("check that the folder exists");
  });
}, 60_000);
