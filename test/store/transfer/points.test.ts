// Property: each moment of a folder of backups gives back what the store was then, by the digest that a backup in one file
// has, whatever came later and whatever was removed since. What is damaged is found, and never restored.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeAt } from "../../../src/cli/open.ts";
import { writeBackup } from "../../../src/store/sqlite/backup/file.ts";
import { BackupFolder, WritableBackupFolder } from "../../../src/store/sqlite/backup/folder.ts";
import { contentsOfPoint, verifyPoint } from "../../../src/store/sqlite/backup/format.ts";
import { sweep, verifyFolder } from "../../../src/store/sqlite/backup/retention.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { ImportTransaction } from "../../../src/store/store.ts";
import { restoreContents } from "../../../src/store/transfer/copy.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { addCompany, change, makeKey } from "../../support/stores.ts";
import { type StoreFolder, withStore } from "./store-folder.ts";

const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2026, 10, 21);

async function record(store: StoreFolder, atMs: number) {
  const folder = WritableBackupFolder.open(join(store.folder, "backups"));
  try {
    return await storeAt(store.db).commits!.snapshot((contents, versions) =>
      folder.record(contents, versions, atMs),
    );
  } finally {
    folder.close();
  }
}

const reader = (store: StoreFolder) => new BackupFolder(join(store.folder, "backups"));

async function edit(
  store: StoreFolder,
  work: (transaction: ImportTransaction) => Promise<void>,
  companyId = "acme",
): Promise<void> {
  const writer = openSqliteWriteStore(store.db);
  await change(writer, companyId, work);
  await writer.close();
}

/** The digest of a store that is made from the point. */
async function restoredDigest(store: StoreFolder, atMs?: number): Promise<string> {
  const folder = reader(store);
  const point = folder.pointAt(atMs);
  await verifyPoint(folder, point);
  const made = storeAt(join(store.folder, `restored-${crypto.randomUUID()}.db`));
  await made.replace(
    (transaction) => restoreContents(transaction, contentsOfPoint(folder, point), () => {}),
    () => {},
  );
  return digestOf(store, made);
}

/** The digest of a backup of it in one file. */
const digestOf = async ({ folder }: StoreFolder, of: ReturnType<typeof storeAt>) =>
  (
    await of.snapshot((contents) =>
      writeBackup(contents, join(folder, `${crypto.randomUUID()}.backup`), FIRST_MS),
    )
  ).digest;

/** Removes a worker with its rows, and adds a key. */
async function removeOne(store: StoreFolder): Promise<void> {
  await edit(store, async (transaction) => {
    for await (const [row] of transaction.scan("workers")) {
      for await (const rows of transaction.scan("requests"))
        await transaction.remove(
          "requests",
          rows.filter((one) => one.workerId === row!.id).map(({ id }) => [id]),
        );
      return transaction.remove("workers", [[row!.id]]);
    }
  });
}

test("every moment comes back, and equal rows are stored once", () =>
  withStore(async (store) => {
    const digests = [];
    const written = [];
    for (let hour = 0; hour < 4; hour++) {
      if (hour === 2) {
        const writer = openSqliteWriteStore(store.db);
        await writer.createKey(makeKey("key_3", "acme"));
        await writer.deleteCompany("zenith");
        await writer.close();
      } else if (hour > 0) await removeOne(store);
      const recorded = await record(store, FIRST_MS + hour * HOUR_MS);
      digests.push(await digestOf(store, storeAt(store.db)));
      expect(recorded!.point.digest).toBe(digests.at(-1)!);
      expect(recorded!.changed).toBe(hour === 0 ? 2 : hour === 2 ? 0 : 1);
      written.push(recorded!.writtenBytes);
      expect(await record(store, FIRST_MS + hour * HOUR_MS + 1)).toBeNull();
    }
    for (const [hour, digest] of digests.entries()) {
      expect(await restoredDigest(store, FIRST_MS + hour * HOUR_MS)).toBe(digest);
      expect(await restoredDigest(store, FIRST_MS + (hour + 1) * HOUR_MS - 1)).toBe(digest);
    }
    expect(await restoredDigest(store)).toBe(digests.at(-1)!);
    expect(() => reader(store).pointAt(FIRST_MS - 1)).toThrow(
      "is of 2026-11-21T00:00:00.000Z, after that moment",
    );
    expect(verifyFolder(reader(store))).toMatchObject({ points: 4, firstMs: FIRST_MS });
    expect(written[2]!).toBeLessThan(3000);
  }));

test("a change of one row in many writes a part of what the first backup wrote", () =>
  withStore(async (store) => {
    const writer = openSqliteWriteStore(store.db);
    await addCompany(writer, "big", makeFacts(3, 500));
    await writer.close();
    const first = await record(store, FIRST_MS);
    await edit(
      store,
      async (transaction) => {
        for await (const [row] of transaction.scan("requests"))
          return transaction.put("requests", [{ ...row!, minutes: row!.minutes + 1 }]);
      },
      "big",
    );
    const second = await record(store, FIRST_MS + 1);
    expect(second!.writtenBytes).toBeLessThan(first!.writtenBytes / 10);
    expect(await restoredDigest(store)).toBe(second!.point.digest);
  }));

test("a moment is kept until what replaced it is too old; then nothing of it is left", () =>
  withStore(async (store) => {
    await edit(store, async (transaction) => {
      for await (const [row] of transaction.scan("workers"))
        return transaction.put("workers", [
          { ...row!, doc: row!.doc.replace("{", '{"mark":"Quetzalcoatlus",') },
        ]);
    });
    await record(store, FIRST_MS);
    await removeOne(store);
    await record(store, FIRST_MS + HOUR_MS);
    const isThere = () => {
      const folder = join(store.folder, "backups", "pieces");
      return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
        (entry) =>
          entry.isFile() &&
          Bun.zstdDecompressSync(readFileSync(join(entry.parentPath, entry.name))).includes("Quetzalcoatlus"),
      );
    };
    const swept = (nowMs: number) => {
      const folder = WritableBackupFolder.open(join(store.folder, "backups"));
      writeFileSync(
        join(store.folder, "backups", "points", "20261121T.json.zst.part"),
        "of a process that was killed",
      );
      const removed = sweep(folder, 24 * HOUR_MS, nowMs);
      folder.close();
      return removed;
    };
    expect(isThere()).toBe(true);
    expect(swept(FIRST_MS + 25 * HOUR_MS - 1)).toBe(0);
    expect(isThere()).toBe(true);
    expect(swept(FIRST_MS + 25 * HOUR_MS)).toBeGreaterThan(0);
    expect(isThere()).toBe(false);
    expect(reader(store).moments()).toEqual([FIRST_MS + HOUR_MS]);
    expect(readdirSync(join(store.folder, "backups", "points"))).toHaveLength(1);
    expect(await restoredDigest(store)).toBe(await digestOf(store, storeAt(store.db)));
  }));

test("each missing, cut or edited file is found, and what needs it is not restored", () =>
  withStore(async (store) => {
    await record(store, FIRST_MS);
    await removeOne(store);
    await record(store, FIRST_MS + HOUR_MS);
    const folder = reader(store);
    const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name !== "lock");
    expect(files.length).toBeGreaterThan(10);
    const later = folder.pointAt();
    for (const { parentPath, name } of files) {
      const path = join(parentPath, name);
      const bytes = readFileSync(path);
      const isPoint = parentPath.endsWith("points");
      const flipped = Buffer.from(bytes);
      flipped[bytes.length - 3]! ^= 1;
      for (const damage of isPoint
        ? [bytes.subarray(0, -1), flipped]
        : [null, bytes.subarray(0, -1), flipped]) {
        if (damage === null) rmSync(path);
        else writeFileSync(path, damage);
        expect(() => verifyFolder(folder)).toThrow(path);
        expect(() => verifyFolder(folder)).toThrow(/of its moments cannot be restored; /);
        const isOfBoth = (await attempt(() => verifyPoint(folder, folder.pointAt()))) !== null;
        const isOfFirst = (await attempt(() => verifyPoint(folder, folder.pointAt(FIRST_MS)))) !== null;
        expect(isOfBoth || isOfFirst).toBe(true);
        writeFileSync(path, bytes);
      }
    }
    expect(verifyFolder(folder).points).toBe(2);
    expect(folder.pointAt()).toEqual(later);
  }));

async function attempt(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return null;
  } catch (error) {
    return error;
  }
}

test("a damaged piece that was removed is written again, if the store still has it", () =>
  withStore(async (store) => {
    await record(store, FIRST_MS);
    const folder = reader(store);
    for (const company of folder.pointAt().companies) rmSync(folder.piecePath(company.list));
    expect(() => verifyFolder(folder)).toThrow("is missing");
    await record(store, FIRST_MS + 1);
    expect(verifyFolder(folder).points).toBeGreaterThan(0);
  }));

test("one process writes to a folder; a folder of something else is refused", () =>
  withStore(async (store) => {
    const path = join(store.folder, "backups");
    const first = WritableBackupFolder.open(path);
    expect(() => WritableBackupFolder.open(path)).toThrow("Another process writes backups to");
    first.close();
    WritableBackupFolder.open(path).close();
    expect(() => reader(store).pointAt()).toThrow("holds no backup yet");
    renameSync(join(path, "points"), join(path, "others"));
    expect(() => WritableBackupFolder.open(path)).toThrow("is not empty and no folder of backups");
    expect(() => reader(store).pointAt()).toThrow("is not a folder of backups");
  }));
