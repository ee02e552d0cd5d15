// Property: each moment of a backup gives back what the store was then, by the digest that a backup of that moment alone has,
// whatever came later and whatever was removed since. What is damaged is found, and never restored.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { storeAt } from "../../../src/cli/open.ts";
import { verifyBackup, withBackup, writeBackup } from "../../../src/store/sqlite/backup/file.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import type { ImportTransaction } from "../../../src/store/store.ts";
import { restoreContents } from "../../../src/store/transfer/copy.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { rejection } from "../../support/rejection.ts";
import { addCompany, change, makeKey } from "../../support/stores.ts";
import { addTo, type StoreFolder, withStore } from "./store-folder.ts";

const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2026, 10, 21);

const manyIn = ({ folder }: StoreFolder) => join(folder, "many.backup");

const record = (store: StoreFolder, atMs: number) => addTo(store.db, manyIn(store), atMs);

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
  const made = storeAt(join(store.folder, `restored-${crypto.randomUUID()}.db`));
  await withBackup(
    manyIn(store),
    (contents) => made.replace((transaction) => restoreContents(transaction, contents, () => {}), {}),
    atMs,
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
    expect(await rejection(restoredDigest(store, FIRST_MS - 1))).toThrow(
      "is of 2026-11-21T00:00:00.000Z, after that moment",
    );
    expect(await verifyBackup(manyIn(store))).toMatchObject({ moments: 4, firstMs: FIRST_MS });
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
      const database = new Database(manyIn(store), { readonly: true });
      const pieces = database.query("select compressed from pieces").values();
      database.close();
      return pieces.some(([bytes]) =>
        Buffer.from(Bun.zstdDecompressSync(bytes as Uint8Array)).includes("Quetzalcoatlus"),
      );
    };
    const swept = async (nowMs: number) => {
      expect(await addTo(store.db, manyIn(store), nowMs, 24 * HOUR_MS)).toBeNull();
      return (await verifyBackup(manyIn(store))).moments;
    };
    expect(isThere()).toBe(true);
    expect(await swept(FIRST_MS + 25 * HOUR_MS - 1)).toBe(2);
    expect(isThere()).toBe(true);
    expect(await swept(FIRST_MS + 25 * HOUR_MS)).toBe(1);
    expect(isThere()).toBe(false);
    expect(await restoredDigest(store)).toBe(await digestOf(store, storeAt(store.db)));
  }));

test("each missing or edited piece and point is found, and what needs it is not restored", () =>
  withStore(async (store) => {
    await record(store, FIRST_MS);
    await removeOne(store);
    await record(store, FIRST_MS + HOUR_MS);
    const database = new Database(manyIn(store));
    const damages = database
      .query<{ id: number }, []>("select rowid as id from pieces")
      .all()
      .flatMap(({ id }) => [
        `delete from pieces where rowid = ${id}`,
        `update pieces set compressed = substr(compressed, 1, length(compressed) - 1) where rowid = ${id}`,
      ]);
    damages.push("update points set json = replace(json, 'acme', 'mine') where made_at_ms = 1");
    expect(damages.length).toBeGreaterThan(20);
    database.run(`update points set made_at_ms = 1 where made_at_ms = ${FIRST_MS}`);
    expect(await rejection(verifyBackup(manyIn(store)))).toThrow("1 of its 2 moments cannot be restored");
    database.run(`update points set made_at_ms = ${FIRST_MS} where made_at_ms = 1`);
    const isLost = (atMs?: number) =>
      withBackup(manyIn(store), async () => false, atMs).catch((error: Error) =>
        error.message.includes("is not a whole backup"),
      );
    const file = await Bun.file(manyIn(store)).bytes();
    for (const damage of damages) {
      database.run(damage.replace("made_at_ms = 1", `made_at_ms = ${FIRST_MS}`));
      const lost = [await isLost(), await isLost(FIRST_MS)];
      expect(lost).toContain(true);
      expect(await rejection(verifyBackup(manyIn(store)))).toThrow(
        lost.includes(false) ? "1 of its 2 moments cannot be restored" : "is not a whole backup",
      );
      await Bun.write(manyIn(store), file);
    }
    database.close();
    expect((await verifyBackup(manyIn(store))).moments).toBe(2);
  }));

test("a damaged moment keeps the next from being added no more than it is restored", () =>
  withStore(async (store) => {
    await record(store, FIRST_MS);
    const database = new Database(manyIn(store));
    database.run("update points set json = '7'");
    database.close();
    await record(store, FIRST_MS + HOUR_MS);
    expect(await rejection(verifyBackup(manyIn(store)))).toThrow("1 of its 2 moments cannot be restored");
    expect(await restoredDigest(store)).toBe(await digestOf(store, storeAt(store.db)));
    expect(await addTo(store.db, manyIn(store), FIRST_MS + 3 * HOUR_MS, HOUR_MS)).toBeNull();
    expect((await verifyBackup(manyIn(store))).moments).toBe(1);
  }));
