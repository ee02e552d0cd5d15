// Files that are not a whole, unedited backup are refused before anything changes.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { formVersion } from "../../../src/store/engine.ts";
import { verifyBackup, withBackup } from "../../../src/store/sqlite/backup/file.ts";
import { abandonedFiles } from "../../../src/store/sqlite/backup/temporary-file.ts";
import { openReader } from "../../../src/store/sqlite/database.ts";
import { STORE_SCHEMA } from "../../../src/store/sqlite/schema.ts";
import { StoreRefusal } from "../../../src/store/store.ts";
import { rejection } from "../../support/rejection.ts";
import { addTo, backUp, NOW_MS, withStore } from "./store-folder.ts";

async function refusal(path: string): Promise<string> {
  try {
    await verifyBackup(path);
  } catch (error) {
    expect(error).toBeInstanceOf(StoreRefusal);
    return (error as StoreRefusal).message; // checked above
  }
  throw new Error(`${path} was taken for a backup`);
}

test("a file that is missing, empty, of another kind, or a store", () =>
  withStore(async ({ folder, db }) => {
    const other = join(folder, "other");
    expect(await refusal(other)).toContain("There is no backup at");
    writeFileSync(other, "");
    expect(await refusal(other)).toContain("not a backup made by rollcall backup");
    writeFileSync(other, "id,name\n1,Ana\n".repeat(1000));
    expect(await refusal(other)).toContain("not a whole backup");
    expect(await refusal(db)).toContain("not a backup made by rollcall backup");
    expect(await refusal(folder)).toContain("not a whole backup");
  }));

test("a backup cut short anywhere", () =>
  withStore(async ({ folder, db, backup }) => {
    await backUp(db, backup);
    const { length } = readFileSync(backup);
    const short = join(folder, "short");
    for (let bytes = 1; bytes < length; bytes += Math.ceil(length / 50)) {
      copyFileSync(backup, short);
      truncateSync(short, bytes);
      expect(await refusal(short)).toContain("Nothing was changed");
    }
  }));

const EDITS = [
  "delete from pieces where rowid = 1",
  "update pieces set compressed = (select compressed from pieces where rowid = 2) where rowid = 1",
  "update pieces set compressed = x'00'",
  "update points set json = replace(json, 'acme', 'mine')",
  "update points set json = json_replace(json, '$.madeAtMs', 1)",
  "update points set json = json_remove(json, '$.seal')",
  "update points set json = '7'",
  "delete from points",
  "update points set made_at_ms = 1",
  "create trigger t after insert on points begin delete from pieces; end",
  "create view v as select 1",
  "create table more (a)",
  "drop table pieces",
  "alter table pieces add column more text",
] as const;

test.each(EDITS)("a backup that was edited: %s", (edit) =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    const database = new Database(backup);
    database.run(edit);
    database.close();
    expect(await refusal(backup)).toContain("is not a whole backup");
  }),
);

test("a flipped bit is noticed, unless it is where a page holds nothing", () =>
  withStore(async ({ folder, db, backup }) => {
    const { digest } = await backUp(db, backup);
    const bytes = readFileSync(backup);
    const flipped = join(folder, "flipped");
    let noticed = 0;
    const step = Math.ceil(bytes.length / 400);
    for (let at = 100; at < bytes.length; at += step) {
      bytes[at]! ^= 0x10;
      writeFileSync(flipped, bytes);
      bytes[at]! ^= 0x10;
      try {
        expect((await verifyBackup(flipped)).last.digest).toBe(digest);
      } catch (error) {
        if (!(error instanceof StoreRefusal)) throw error;
        noticed++;
      }
    }
    expect(noticed).toBeGreaterThan(150);
  }));

test("a backup of a newer Rollcall", () =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    const database = new Database(backup);
    database.run("pragma user_version = 99");
    database.close();
    expect(await refusal(backup)).toContain("newer Rollcall");
  }));

test("a backup of before 1.0: how it is brought over; another backup may replace it", () =>
  withStore(async ({ db, backup }) => {
    const database = new Database(backup, { create: true });
    database.run("pragma application_id = 0x524f4c42");
    database.run("pragma user_version = 3");
    database.run("create table backup (made_at_ms integer)");
    database.close();
    expect(await refusal(backup)).toMatch(
      /made by a Rollcall before 1\.0, .*rollcall restore .* --db older\.db, .*rollcall export .*rollcall import/,
    );
    await backUp(db, backup);
    expect((await verifyBackup(backup)).last.madeAtMs).toBe(NOW_MS);
  }));

test("a moment of before 1.0, of another development version, or of a newer Rollcall", () =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    for (const [header, said] of [
      [{ format: 1 }, "made by a Rollcall before 1.0"],
      [{ rollcallBackup: 1 }, "made by a Rollcall before 1.0"],
      [{ rollcallBackup: formVersion(1, "") }, "made by another development version"],
      [{ rollcallBackup: formVersion(2, "") }, "made by a newer Rollcall"],
    ] as const) {
      const seal = new Bun.CryptoHasher("sha256").update(JSON.stringify(header)).digest("hex");
      const database = new Database(backup);
      database.run("update points set json = ?", [JSON.stringify({ ...header, seal })]);
      database.close();
      expect(await refusal(backup)).toContain(said);
      expect(await rejection(withBackup(backup, async () => {}))).toThrow(said);
      expect(await rejection(addTo(db, backup, NOW_MS + 1))).toThrow(said);
    }
  }));

test("a backup is not served as a store", () =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    expect(() => openReader({ path: backup, schema: STORE_SCHEMA })).toThrow(StoreRefusal);
  }));

test("a backup replaces a backup, and nothing else", () =>
  withStore(async ({ folder, db, backup }) => {
    const notes = join(folder, "notes.txt");
    writeFileSync(notes, "not yours");
    for (const path of [db, `${db}-keys`, notes, folder]) {
      expect(await rejection(backUp(db, path))).toThrow("choose another name");
    }
    expect(readFileSync(notes, "utf8")).toBe("not yours");
    await backUp(db, backup);
    await backUp(db, backup, NOW_MS + 1);
    expect((await verifyBackup(backup)).last.madeAtMs).toBe(NOW_MS + 1);
    expect(await rejection(backUp(join(folder, "none.db"), backup))).toThrow("There is no store at");
    expect(await rejection(backUp(db, join(folder, "none", "backup")))).toThrow("its folder does not exist");
  }));

test("what a killed backup left behind is found and removed by the next one", () =>
  withStore(async ({ folder, db, backup }) => {
    const dead = Bun.spawnSync(["true"]).pid;
    writeFileSync(`${backup}.part-${dead}`, "half");
    writeFileSync(`${backup}.part-${process.ppid}`, "another one at work");
    mkdirSync(join(folder, "x"));
    expect(abandonedFiles(backup)).toEqual([`${backup}.part-${dead}`]);
    await backUp(db, backup);
    expect(existsSync(`${backup}.part-${dead}`)).toBe(false);
    expect(readdirSync(folder)).toContain(`copy.backup.part-${process.ppid}`);
  }));
