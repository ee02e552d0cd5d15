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
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { formVersion } from "../../../src/store/engine.ts";
import { openReader, PAGE_BYTES } from "../../../src/store/sqlite/database.ts";
import { STORE_SCHEMA } from "../../../src/store/sqlite/schema.ts";
import { abandonedFiles } from "../../../src/store/sqlite/temporary-file.ts";
import { StoreRefusal } from "../../../src/store/store.ts";
import { rejection } from "../../support/rejection.ts";
import { backUp, NOW_MS, verify, withStore } from "./store-folder.ts";

async function refusal(path: string): Promise<string> {
  try {
    await verify(path);
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
    expect(await refusal(other)).toContain("not a whole backup");
    writeFileSync(other, "id,name\n1,Ana\n".repeat(1000));
    expect(await refusal(other)).toContain("not a whole backup");
    writeFileSync(other, zstdCompressSync("id,name\n1,Ana\n".repeat(1000)));
    expect(await refusal(other)).toContain("not a whole backup");
    writeFileSync(other, zstdCompressSync(readFileSync(db)));
    expect(await refusal(other)).toContain("not a backup made by rollcall backup");
    expect(await refusal(db)).toContain("not a whole backup");
    expect(await refusal(folder)).toContain("not a whole backup");
  }));

test("a backup cut short anywhere", () =>
  withStore(async ({ folder, db, backup }) => {
    await backUp(db, backup);
    const { length } = readFileSync(backup);
    const short = join(folder, "short");
    for (let bytes = 1; bytes < length - 4; bytes += Math.ceil(length / 50)) {
      copyFileSync(backup, short);
      truncateSync(short, bytes);
      expect(await refusal(short)).toContain("Nothing was changed");
    }
    truncateSync(backup, length - 5); // the checksum and one byte
    expect(await refusal(backup)).toContain("is not a whole backup");
  }));

test("a flipped bit is noticed, unless it changes nothing", () =>
  withStore(async ({ folder, db, backup }) => {
    await backUp(db, backup);
    const bytes = readFileSync(backup);
    const flipped = join(folder, "flipped");
    let noticed = 0;
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 200)) {
      bytes[at]! ^= 0x10;
      writeFileSync(flipped, bytes);
      bytes[at]! ^= 0x10;
      if (isSame(flipped, backup)) continue; // a bit that zstd does not use
      expect(await refusal(flipped)).toContain("is not a whole backup");
      noticed++;
    }
    expect(noticed).toBeGreaterThan(180);
  }));

function isSame(flipped: string, backup: string): boolean {
  try {
    return zstdDecompressSync(readFileSync(flipped)).equals(zstdDecompressSync(readFileSync(backup)));
  } catch {
    return false;
  }
}

/** Changes the database in a backup, as somebody with its tools can. */
function edit(backup: string, change: string): void {
  const path = `${backup}.db`;
  writeFileSync(path, zstdDecompressSync(readFileSync(backup)));
  const database = new Database(path);
  database.run(change);
  database.close();
  writeFileSync(backup, zstdCompressSync(readFileSync(path)));
}

const VERSIONS = [
  ["a newer Rollcall", formVersion(2, "")],
  ["another development version", formVersion(1, "")],
] as const;

test.each(VERSIONS)("a backup of %s", (name, version) =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    edit(backup, `pragma user_version = ${version}`);
    expect(await refusal(backup)).toContain(`made by ${name}`);
  }),
);

test("tables that were damaged before they were compressed are not restored", () =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    const bytes = zstdDecompressSync(readFileSync(backup));
    for (let page = PAGE_BYTES; page < bytes.length; page += PAGE_BYTES)
      bytes.fill(0xa5, page + 8, page + 200);
    writeFileSync(backup, zstdCompressSync(bytes));
    expect(await refusal(backup)).toContain("is not a whole backup");
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
    expect((await verify(backup)).madeAtMs).toBe(NOW_MS);
  }));

test("a backup is not served as a store", () =>
  withStore(async ({ db, backup }) => {
    await backUp(db, backup);
    const served = (path: string) => () => openReader({ path, schema: STORE_SCHEMA });
    expect(served(backup)).toThrow("if it is a backup, make a store of it with rollcall restore");
    writeFileSync(backup, zstdDecompressSync(readFileSync(backup)));
    expect(served(backup)).toThrow("is a backup, not a store: make a store of it with rollcall restore");
  }));

test("a backup replaces a backup, and nothing else", () =>
  withStore(async ({ folder, db, backup }) => {
    const notes = join(folder, "notes.txt");
    writeFileSync(notes, "not yours");
    const archive = join(folder, "notes.zst");
    writeFileSync(
      archive,
      zstdCompressSync("not yours, either, and longer than a header of SQLite: ".repeat(9)),
    );
    for (const path of [db, `${db}-keys`, notes, archive, folder]) {
      expect(await rejection(backUp(db, path))).toThrow("choose another name");
    }
    expect(readFileSync(notes, "utf8")).toBe("not yours");
    await backUp(db, backup);
    await backUp(db, backup, NOW_MS + 1);
    expect((await verify(backup)).madeAtMs).toBe(NOW_MS + 1);
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
