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
import { verifyBackup } from "../../../src/store/sqlite/backup/backup.ts";
import { abandonedFiles } from "../../../src/store/sqlite/backup/temporary-file.ts";
import { openReader } from "../../../src/store/sqlite/database.ts";
import { STORE_SCHEMA } from "../../../src/store/sqlite/schema.ts";
import { StoreRefusal } from "../../../src/store/store.ts";
import { backUp, NOW_MS, withStore } from "./store-folder.ts";

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
  "update workers set doc = replace(doc, 'seed', 'need')",
  "update requests set minutes = minutes + 0.001 where id = (select min(id) from requests)",
  "delete from keys where id = 'key_1'",
  "insert into companies (id, name, created_at_ms) values ('mine', 'Mine', 1)",
  "update keys set digest = 'f' where id = 'key_1'",
  "update backup set made_at_ms = made_at_ms + 1",
  "delete from backup",
  "insert into backup select * from backup",
  "create trigger t after insert on companies begin delete from keys; end",
  "create view v as select 1",
  "create table more (a)",
  "drop table work_hours",
  "alter table workers add column more text",
] as const;

test.each(EDITS)("a backup that was edited: %s", (edit) =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    const database = new Database(backup);
    database.run(edit);
    database.close();
    expect(await refusal(backup)).toContain("not as it was written");
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
        expect((await verifyBackup(flipped)).digest).toBe(digest);
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
      await expect(backUp(db, path)).rejects.toThrow("choose another name");
    }
    expect(readFileSync(notes, "utf8")).toBe("not yours");
    await backUp(db, backup);
    await backUp(db, backup, NOW_MS + 1);
    expect((await verifyBackup(backup)).madeAtMs).toBe(NOW_MS + 1);
    await expect(backUp(join(folder, "none.db"), backup)).rejects.toThrow("There is no store at");
    await expect(backUp(db, join(folder, "none", "backup"))).rejects.toThrow("its folder does not exist");
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
