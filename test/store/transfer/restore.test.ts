// What a backup holds comes back, wherever it is restored to and whoever is reading meanwhile.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PAGE_BYTES } from "../../../src/store/sqlite/database.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { createCompany, makeFeed, makeKey, putFacts } from "../../support/stores.ts";
import { backUp, contents, NOW_MS, restore, verify, withStore } from "./store-folder.ts";

test("a backup says what it holds, is its owner's alone, and leaves nothing else behind", () =>
  withStore(async ({ folder, db, backup }) => {
    const made = await backUp(db, backup);
    expect(made).toEqual(await verify(backup));
    expect(made).toMatchObject({ madeAtMs: NOW_MS, rows: { companies: 2, keys: 2, workers: 55 } });
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith("copy."))).toEqual(["copy.backup"]);
  }));

test("into a missing store: everything is there, readable by its owner alone, each company with a new version", () =>
  withStore(async ({ folder, db, backup }) => {
    const before = await contents(db);
    const reader = openSqliteReadStore(db);
    const version = await reader.version("acme");
    await reader.close();
    await backUp(db, backup);
    const other = join(folder, "other.db");
    expect(await restore(backup, other)).toEqual({ quarantine: null, added: { keys: 2, feeds: 2 } });
    expect(await contents(other)).toEqual(before);
    for (const path of [other, `${other}-keys`]) expect(statSync(path).mode & 0o777).toBe(0o600);
    const restored = openSqliteReadStore(other);
    expect(await restored.version("acme")).not.toEqual(version);
    expect(await restored.version("acme")).not.toEqual(await restored.version("zenith"));
    await restored.close();
  }));

test("where a store was taken away: its left-over log is not applied to the restored one", () =>
  withStore(async ({ db, backup }) => {
    const before = await contents(db);
    await backUp(db, backup);
    const log = `${db}-wal`;
    const writer = new Database(db);
    writer.run("pragma wal_autocheckpoint = 0");
    writer.run("update workers set doc = doc || ' ', status = 'active'");
    const frames = await Bun.file(log).bytes();
    expect(frames.length).toBeGreaterThan(PAGE_BYTES);
    writer.close();
    rmSync(db);
    writeFileSync(log, frames);
    await restore(backup, db);
    expect(await contents(db)).toEqual(before);
  }));

test("over a store in use: a reader sees the whole of one state or the other, and the new one at once", () =>
  withStore(async ({ db, backup }) => {
    const before = await contents(db);
    await backUp(db, backup);
    const writer = openSqliteWriteStore(db);
    const hours = [{ workerId: "wrk_new", day: 1, minutes: 2 }];
    await putFacts(writer, "acme", { work_hours: hours });
    await createCompany(writer, "later");
    await writer.createSecret(makeKey("key_3", "later", { scopes: ["workers:read"] }));
    const reader = openSqliteReadStore(db);
    const changed = await reader.version("acme");
    const sequence = (await reader.company("acme").calendarSequence())!;
    const inode = statSync(db).ino;
    await restore(backup, db);
    expect(statSync(db).ino).toBe(inode);
    expect(await reader.version("acme")).not.toEqual(changed);
    // Above the sequence of what the lost import changed.
    expect(await reader.company("acme").calendarSequence()).toBeGreaterThan(sequence + 1);
    expect(await reader.version("later")).toEqual(null);
    expect(await contents(db)).toEqual(before);
    await putFacts(writer, "zenith", { work_hours: hours }); // a writer that had it open all along goes on
    expect((await contents(db)).facts[1]!.work_hours).toContainEqual(hours[0]!);
    await Promise.all([reader.close(), writer.close()]);
  }));

test("keys and feeds stay as they are now: revoked ones revoked, newer ones working, lost ones back", () =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    const store = openSqliteWriteStore(db);
    await store.updateSecret("keys", "key_1", { revokedAtMs: 5 });
    await store.updateSecret("feeds", "feed_1", { revokedAtMs: 5 });
    await store.createSecret(makeKey("key_4", "acme", { scopes: ["workers:read"] }));
    await store.deleteCompany("zenith");
    await store.close();
    // Those of the company that was deleted.
    expect(await restore(backup, db)).toEqual({ quarantine: null, added: { keys: 1, feeds: 1 } });
    expect(await restore(backup, db)).toEqual({ quarantine: null, added: { keys: 0, feeds: 0 } });
    const { keys, feeds } = await contents(db);
    expect(feeds).toEqual([
      makeFeed("feed_1", "acme", { revokedAtMs: 5 }),
      makeFeed("feed_2", "zenith", { lastUsedAtMs: 5 }),
    ]);
    expect(keys).toEqual(
      [
        { ...makeKey("key_1", "acme", { scopes: ["workers:read"] }), revokedAtMs: 5 },
        makeKey("key_2", "zenith", { scopes: ["workers:read"] }),
        makeKey("key_4", "acme", { scopes: ["workers:read"] }),
      ].toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    );
  }));

test("over a damaged store: it is set aside whole, and the restored one is sound", () =>
  withStore(async ({ db, backup }) => {
    const before = await contents(db);
    await backUp(db, backup);
    const bytes = await Bun.file(db).bytes();
    const size = bytes.length;
    for (let page = PAGE_BYTES; page < size; page += PAGE_BYTES) bytes.fill(0xa5, page + 8, page + 200);
    writeFileSync(db, bytes);
    const failing = restore(backup, db, undefined, () => ({
      keys: () => Promise.reject(new Error("the backup can no longer be read")),
    }));
    expect(await failing.catch(String)).toContain("no longer be read");
    expect(await Bun.file(db).bytes()).toEqual(bytes); // until the restored one is whole
    const { quarantine, added } = await restore(backup, db);
    expect(added).toEqual({ keys: 2, feeds: 2 });
    expect(quarantine).toContain(".damaged-");
    expect(await Bun.file(quarantine!).bytes()).toEqual(bytes);
    expect(existsSync(`${quarantine}-keys`)).toBe(true);
    expect(await contents(db)).toEqual(before);
  }));

test("over a store cut short", () =>
  withStore(async ({ db, backup }) => {
    const before = await contents(db);
    await backUp(db, backup);
    truncateSync(db, 20_000);
    expect((await restore(backup, db)).quarantine).not.toBeNull();
    expect(await contents(db)).toEqual(before);
  }));

test("over a sound store: an error that is no damage leaves it in place", () =>
  withStore(async ({ folder, db, backup }) => {
    const before = await contents(db);
    await backUp(db, backup);
    let calls = 0;
    const failing = restore(backup, db, undefined, (read) => ({
      keys: async () => {
        calls += 1;
        if (calls === 1) new Database(":memory:").run("select no_such_column"); // SQLITE_ERROR
        return await read.keys();
      },
    }));
    expect(await failing.catch(String)).toContain("failed (SQLITE_ERROR)");
    expect(readdirSync(folder).filter((name) => name.includes(".damaged-"))).toEqual([]);
    expect(await contents(db)).toEqual(before);
  }));
