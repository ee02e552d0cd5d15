// Backups of a PostgreSQL store: the same kind of file, of one moment, that either kind of store can be restored from.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeAt } from "../../../src/cli/open.ts";
import { migratePostgres } from "../../../src/store/postgres/maintenance/role.ts";
import { openPostgresReadStore } from "../../../src/store/postgres/read.ts";
import { openPostgresWriteStore } from "../../../src/store/postgres/write.ts";
import { withBackup } from "../../../src/store/sqlite/backup.ts";
import { StoreRefusal } from "../../../src/store/store.ts";
import { type SharedServer, sharedServer } from "../../support/postgres.ts";
import { rejection } from "../../support/rejection.ts";
import { change, createCompany, exported, makeFeed, makeKey, putFacts } from "../../support/stores.ts";
import { backUp, contents, NOW_MS, restore, type StoreFolder, verify, withStore } from "./store-folder.ts";

setDefaultTimeout(120_000);

interface Both extends StoreFolder {
  readonly server: SharedServer;
  /** A PostgreSQL store with what `db` holds, which is also in `backup`. */
  readonly postgres: string;
}

/** The embedded store of `withStore`, restored into PostgreSQL. */
const withBoth = (work: (storeFolder: Both) => Promise<void>) =>
  withStore(async (storeFolder) => {
    const server = await sharedServer();
    const postgres = await server.createDatabase();
    await backUp(storeFolder.db, storeFolder.backup);
    await restore(storeFolder.backup, postgres);
    await work({ ...storeFolder, server, postgres });
  });

const nameOf = (db: string) => new URL(db).pathname.slice(1);

test("from SQLite into PostgreSQL, from there into another one, and back: everything is the same", () =>
  withBoth(async ({ folder, db, server, postgres }) => {
    const before = await contents(db);
    expect(await contents(postgres)).toEqual(before);
    const out = join(folder, "from-postgres.backup");
    const made = await backUp(postgres, out);
    expect(made).toEqual(await verify(out));
    expect(made).toEqual(await verify(join(folder, "copy.backup")));
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith("from-"))).toEqual(["from-postgres.backup"]);
    const another = await server.createDatabase();
    expect(await storeAt(another).exists()).toBe(false);
    await restore(out, another);
    expect(await storeAt(another).exists()).toBe(true);
    expect(await contents(another)).toEqual(before);
    const file = join(folder, "again.db");
    await restore(out, file);
    expect(await contents(file)).toEqual(before);
    expect((await backUp(another, join(folder, "third"))).rows).toEqual(made.rows);
  }));

const ROUND = { workerId: "wrk_round", day: 1 };
const minutesOf = (row: object) => ("minutes" in row && typeof row.minutes === "number" ? row.minutes : 0);

test("a backup is of one moment, of all companies together, while imports go on", () =>
  withBoth(async ({ folder, postgres }) => {
    const writer = await openPostgresWriteStore(postgres);
    let isDone = false;
    // acme is always as far as zenith, or one round ahead.
    const imports = (async () => {
      for (let round = 1; !isDone; round++) {
        for (const company of ["acme", "zenith"]) {
          await change(writer, company, (transaction) =>
            transaction.put("work_hours", [{ ...ROUND, minutes: round }]),
          );
        }
      }
    })();
    for (let number = 0; number < 5; number++) {
      const out = join(folder, `${number}.backup`);
      await backUp(postgres, out);
      const [acme, zenith] = await withBackup(out, async (read) => {
        const found: number[] = [];
        for (const company of ["acme", "zenith"]) {
          let round = 0;
          await read.export(company, async (_, rows) => {
            for (const row of rows)
              if ("workerId" in row && row.workerId === ROUND.workerId) round = minutesOf(row);
          });
          found.push(round);
        }
        return found as [number, number]; // one for each company
      });
      expect([0, 1]).toContain(acme - zenith);
    }
    isDone = true;
    await imports;
    await writer.close();
  }));

test("over a store in use: the new state at once, keys as they are now, companies that are gone with their keys", () =>
  withBoth(async ({ db, backup, postgres }) => {
    const before = await contents(db);
    const writer = await openPostgresWriteStore(postgres);
    const reader = await openPostgresReadStore(postgres);
    await putFacts(writer, "acme", { work_hours: [{ workerId: "wrk_new", day: 1, minutes: 2 }] });
    await change(writer, "acme", (transaction) =>
      transaction.remove("requests", [[before.facts[0]!.requests[0]!.id]]),
    );
    await createCompany(writer, "later");
    await writer.createSecret(makeKey("key_3", "later", { scopes: ["workers:read"] }));
    await writer.updateSecret("keys", "key_1", { revokedAtMs: 5 });
    await writer.updateSecret("feeds", "feed_1", { revokedAtMs: 5 });
    await writer.createSecret(makeKey("key_4", "acme", { scopes: ["workers:read"] }));
    await writer.deleteCompany("zenith");
    const changed = await reader.version("acme");
    const sequence = (await reader.company("acme").calendarSequence())!;
    await restore(backup, postgres);
    expect(await reader.version("acme")).not.toEqual(changed);
    // Above the sequence of what the lost import changed.
    expect(await reader.company("acme").calendarSequence()).toBeGreaterThan(sequence + 1);
    expect(await reader.version("later")).toBeNull();
    const { keys, feeds, ...rest } = await contents(postgres);
    expect(rest).toEqual({ companies: before.companies, facts: before.facts });
    expect(keys).toEqual([
      { ...makeKey("key_1", "acme", { scopes: ["workers:read"] }), revokedAtMs: 5 },
      makeKey("key_2", "zenith", { scopes: ["workers:read"] }),
      makeKey("key_4", "acme", { scopes: ["workers:read"] }),
    ]);
    expect(feeds).toEqual([
      makeFeed("feed_1", "acme", { revokedAtMs: 5 }),
      makeFeed("feed_2", "zenith", { lastUsedAtMs: 5 }),
    ]);
    await reader.close();
    await writer.close();
  }));

test("an import that runs is waited for, and one that comes meanwhile goes on afterwards", () =>
  withBoth(async ({ db, backup, postgres }) => {
    const before = await contents(db);
    const writer = await openPostgresWriteStore(postgres);
    const hours = (minutes: number) => [{ workerId: "wrk_new", day: 1, minutes }];
    const began = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    let waits = 0;
    const first = change(writer, "acme", async (transaction) => {
      await transaction.put("work_hours", hours(1));
      began.resolve();
      await mayEnd.promise;
    });
    await began.promise;
    const restoring = restore(backup, postgres, () => {
      waits++;
      mayEnd.resolve();
    });
    await Promise.all([first, restoring]);
    expect(waits).toBe(1);
    expect((await contents(postgres)).facts).toEqual(before.facts);

    // Now the restore stops in its midst, until an import waits for it.
    const inTheMidst = Promise.withResolvers<void>();
    const isWaiting = Promise.withResolvers<void>();
    const slow = restore(
      backup,
      postgres,
      () => {},
      (read) => ({
        async keys() {
          inTheMidst.resolve();
          await isWaiting.promise;
          return read.keys();
        },
      }),
    );
    await inTheMidst.promise;
    const second = writer.change(
      "acme",
      async (transaction) => {
        await transaction.put("work_hours", hours(2));
        return { result: null, changed: true, commit: true };
      },
      { onWait: () => isWaiting.resolve() },
    );
    await Promise.all([slow, second]);
    expect((await exported(writer, "acme")).work_hours).toContainEqual(hours(2)[0]!);
    await writer.close();
  }));

test("a restore that fails in its midst changes nothing", () =>
  withBoth(async ({ backup, server, postgres }) => {
    const writer = await openPostgresWriteStore(postgres);
    await putFacts(writer, "zenith", { work_hours: [{ workerId: "wrk_new", day: 1, minutes: 2 }] });
    await createCompany(writer, "later");
    const before = await contents(postgres);
    const end =
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and state like 'idle in%'";
    const failing = restore(
      backup,
      postgres,
      () => {},
      (read) => ({
        async keys() {
          await server.run(end, [nameOf(postgres)]);
          return read.keys();
        },
      }),
    );
    expect(await rejection(failing)).toThrow(/cannot be reached|ended the connection/);
    expect(await contents(postgres)).toEqual(before);
    await writer.close();
  }));

test("a backup that fails leaves no file, and the one that was there", () =>
  withBoth(async ({ folder, server, postgres }) => {
    const out = join(folder, "kept.backup");
    const made = await backUp(postgres, out);
    const failing = backUp(postgres, out, NOW_MS + 1, (read) => ({
      async keys() {
        await server.run("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
          nameOf(postgres),
        ]);
        return read.keys();
      },
    }));
    expect(await rejection(failing)).toThrow(/cannot be reached|ended the connection/);
    expect(await verify(out)).toEqual(made);
    expect(readdirSync(folder).filter((name) => name.startsWith("kept."))).toEqual(["kept.backup"]);
    const notes = join(folder, "notes.txt");
    writeFileSync(notes, "not yours");
    expect(await rejection(backUp(postgres, notes))).toThrow("choose another name");
  }));

test("the reader's role will do for a backup; no store, or one of another version, will not", () =>
  withBoth(async ({ folder, server, postgres }) => {
    const out = join(folder, "x.backup");
    const name = `reader_${crypto.randomUUID().slice(0, 8)}`;
    await migratePostgres(postgres, { name, password: "pw" });
    const asReader = server.url(nameOf(postgres), name, "pw");
    expect((await backUp(asReader, out)).rows).toMatchObject({ companies: 2, keys: 2, workers: 55 });
    expect(await rejection(restore(out, asReader))).toThrow(StoreRefusal);

    const set = (version: string) =>
      server.run(`update rollcall_schema set version = ${version}`, [], nameOf(postgres));
    await set("11");
    expect(await rejection(backUp(postgres, out))).toThrow("before 1.0");
    expect(await rejection(restore(out, postgres))).toThrow("before 1.0");
    await set("99999999");
    expect(await rejection(backUp(postgres, out))).toThrow("newer Rollcall");
    expect(await rejection(backUp(await server.createDatabase(), out))).toThrow("There is no store at");
  }));
