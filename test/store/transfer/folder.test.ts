// Property: of a folder of backups, each state of the last 24 hours can be restored, and the state at the end of each day (UTC) of
// the time that they are kept; what was removed from the store longer ago than that and a day is in none of them.
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { storeAt } from "../../../src/cli/open.ts";
import { backupAt, backupsIn, thinFolder } from "../../../src/store/sqlite/backup.ts";
import { openSqliteReadStore } from "../../../src/store/sqlite/read.ts";
import { openSqliteWriteStore } from "../../../src/store/sqlite/write.ts";
import { rollcallHere } from "../../cli/command.ts";
import { rejection } from "../../support/rejection.ts";
import { change } from "../../support/stores.ts";
import { addTo, contents, restore, type StoreFolder, withStore } from "./store-folder.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_MS = Date.UTC(2026, 10, 21);

/** The name of a backup of a moment. */
const nameAt = (atMs: number) =>
  `${new Date(atMs).toISOString().replaceAll(":", "-")}-${"0".repeat(12)}.backup`;

const times = fc.uniqueArray(fc.nat({ max: 12 * 24 }), { minLength: 1, maxLength: 60 });

test("what a folder keeps", () =>
  withStore(({ folder }) => {
    let number = 0;
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 10 * 24 }), (hours, keepHours) => {
        const into = join(folder, String(number++));
        mkdirSync(into);
        const all = hours.map((hour) => FIRST_MS + hour * HOUR_MS).toSorted((left, right) => left - right);
        const keepMs = keepHours * HOUR_MS;
        // As the command does it: thinned each time that one is added, and once more a while later.
        const nowMs = all.at(-1)! + (keepHours % 7) * HOUR_MS;
        for (const atMs of all) {
          writeFileSync(join(into, nameAt(atMs)), "");
          thinFolder(into, atMs, keepMs);
        }
        thinFolder(into, nowMs, keepMs);
        const kept = backupsIn(into).map(({ madeAtMs }) => madeAtMs);
        const stateAt = (moments: readonly number[], atMs: number) =>
          moments.findLast((moment) => moment <= atMs);
        for (let atMs = FIRST_MS; atMs <= nowMs; atMs += HOUR_MS) {
          if (atMs < nowMs - keepMs) continue;
          const isEndOfDay = (atMs + HOUR_MS) % DAY_MS === 0;
          if (isEndOfDay || atMs >= nowMs - DAY_MS) expect(stateAt(kept, atMs)).toBe(stateAt(all, atMs)!);
        }
        for (const [at, atMs] of all.entries()) {
          const replacedMs = all[at + 1];
          if (replacedMs !== undefined && replacedMs < nowMs - keepMs - DAY_MS)
            expect(kept).not.toContain(atMs);
        }
      }),
    );
  }));

test("the command removes what is older than --keep, and does not call a folder whole of which one is damaged", () =>
  withStore(async ({ folder, db }) => {
    const into = join(folder, "kept");
    const run = (...args: string[]) => rollcallHere(folder, ["backup", ...args, "--db", db]);
    mkdirSync(into);
    for (const days of [40, 39, 2]) await addTo(db, into, Date.now() - days * DAY_MS);
    const [oldest, first] = backupsIn(into); // the second is the state of ten days ago, too
    expect((await run("--into", into, "--keep", "10d")).exitCode).toBe(0);
    expect(backupsIn(into)).toHaveLength(3);
    expect(backupsIn(into)).not.toContainEqual(oldest!);
    expect((await run("--verify", into)).exitCode).toBe(0);
    truncateSync(first!.path, 1000);
    const { exitCode, stdout, stderr } = await run("--verify", into);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${first!.path}: damaged; the last whole one is of `);
  }));

async function removeFirstRequest({ db }: StoreFolder): Promise<void> {
  const writer = openSqliteWriteStore(db);
  await change(writer, "acme", async (transaction) => {
    for await (const [row] of transaction.scan("requests"))
      return transaction.remove("requests", [[row!.id]]);
  });
  await writer.close();
}

test("every moment comes back, by its time, whatever the clock did", () =>
  withStore(async (store) => {
    const into = join(store.folder, "kept");
    mkdirSync(into);
    const states = [];
    // The clock is set back before the third.
    for (const atMs of [FIRST_MS, FIRST_MS + HOUR_MS, FIRST_MS]) {
      if (states.length > 0) await removeFirstRequest(store);
      states.push(await contents(store.db));
      await addTo(store.db, into, atMs);
    }
    writeFileSync(join(into, "notes.txt"), "not yours");
    const moments = [FIRST_MS, FIRST_MS + HOUR_MS, FIRST_MS + HOUR_MS + 1];
    expect(backupsIn(into).map(({ madeAtMs }) => madeAtMs)).toEqual(moments);
    expect(readdirSync(into).length).toBe(4);
    for (const [at, atMs] of moments.entries()) {
      const other = join(store.folder, `${at}.db`);
      await restore(backupAt(into, atMs).path, other);
      expect(await contents(other)).toEqual(states[at]!);
    }
    expect(backupAt(into).madeAtMs).toBe(moments[2]!);
    expect(backupAt(into, FIRST_MS + HOUR_MS - 1).madeAtMs).toBe(FIRST_MS);
    expect(() => backupAt(into, FIRST_MS - 1)).toThrow("is of 2026-11-21T00:00:00.000Z, after that moment");
    expect(() => backupAt(store.folder)).toThrow('There is no backup of "rollcall backup --into" in');
    // Such as the one of each night (docs/running.md, 4. Every night).
    writeFileSync(join(store.folder, "rollcall-1.backup"), "");
    expect(() => backupAt(store.folder)).toThrow(
      `give one file, such as ${join(store.folder, "rollcall-1.backup")}`,
    );
    expect(await rejection(addTo(store.db, join(into, "none"), FIRST_MS))).toThrow("There is no folder");
  }));

test("the mark of a store tells what is committed, and not what is used", () =>
  withStore(async (store) => {
    const { file } = storeAt(store.db);
    const before = await file!.mark();
    const reader = openSqliteReadStore(store.db);
    await reader.touchKeys(new Map([["key_1", 7]]));
    await reader.close();
    const writer = openSqliteWriteStore(store.db);
    expect(await file!.mark()).toBe(before);
    await writer.updateSecret("keys", "key_1", { revokedAtMs: 7 });
    const revoked = await file!.mark();
    expect(revoked).not.toBe(before);
    await writer.close();
    await removeFirstRequest(store);
    expect(await file!.mark()).not.toBe(revoked);
  }));
