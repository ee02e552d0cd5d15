// A backup in one file: an SQLite database that holds the point and its pieces, whatever engine the store is on. format.ts has the
// format of both.
import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, realpathSync } from "node:fs";
import { type Contents, StoreRefusal } from "../../store.ts";
import { BACKUP_ID, failure, pragma } from "../database.ts";
import {
  compressed,
  contentsOfPoint,
  DamagedFile,
  type Digest,
  decompressed,
  FORMAT,
  makePoint,
  newerBackup,
  olderBackup,
  type Point,
  parsePoint,
  pointText,
  sha256,
  verifyPoint,
  type WritablePieces,
} from "./format.ts";
import {
  makeTemporaryFile,
  moveIntoPlace,
  removeDatabase,
  thenRemove,
  withFileErrors,
} from "./temporary-file.ts";

/** The mark of versions before 1.0. */
const OLDER_BACKUP_ID = 0x524f4c42;

const TABLES_SQL = [
  "create table point (json text not null) strict",
  "create table pieces (digest text primary key, compressed blob not null) strict",
];

class PiecesInFile implements WritablePieces {
  constructor(
    readonly database: Database,
    readonly path: string,
  ) {}

  piece(digest: Digest): string {
    const stored = this.#stored(digest);
    const text = stored === undefined ? null : decompressed(stored);
    if (text === null || sha256(text) !== digest) throw damaged(this.path);
    return text;
  }

  hasPiece(digest: Digest): boolean {
    return this.#stored(digest) !== undefined;
  }

  putPiece(text: string): Digest {
    const digest = sha256(text);
    if (!this.hasPiece(digest))
      this.database.query("insert into pieces values (?, ?)").run(digest, compressed(text));
    return digest;
  }

  #stored(digest: Digest): Uint8Array | undefined {
    const select = "select compressed from pieces where digest = ?";
    const [row] = readOf(this.path, () => this.database.query(select).values(digest));
    return row?.[0] as Uint8Array | undefined; // a blob: the table is strict
  }
}

/** What SQLite cannot read of a backup is never taken for an error of the store that it is restored into. */
function readOf<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof SQLiteError ? damaged(path, error) : error;
  }
}

function damaged(path: string, cause?: unknown): DamagedFile {
  return new DamagedFile(
    `${path} is not a whole backup: it is damaged, cut short, edited, or another kind of file. Nothing was changed`,
    "take another backup",
    { cause },
  );
}

/**
 * Writes a backup of `contents` to `outPath`, and reads it through to see that it is whole. A backup that is there is replaced,
 * nothing else is. Raises StoreRefusal or StoreUnavailable; then nothing is left. `onRows` gets how many rows there are so far.
 */
export async function writeBackup(
  contents: Contents,
  outPath: string,
  nowMs: number,
  onRows: (rows: number) => void = () => {},
): Promise<Point> {
  refuseToReplace(outPath);
  const temporary = withFileErrors(outPath, () => makeTemporaryFile(outPath));
  try {
    return await thenRemove(
      () => removeDatabase(temporary),
      async () => {
        await fill(temporary, contents, nowMs, onRows);
        const written = await verifyBackup(temporary);
        withFileErrors(outPath, () => moveIntoPlace(temporary, outPath));
        return written;
      },
    );
  } catch (error) {
    throw error instanceof SQLiteError ? failure(outPath, error) : error;
  }
}

function refuseToReplace(outPath: string): void {
  if (!existsSync(outPath) || isBackup(outPath)) return;
  throw new StoreRefusal(
    `${outPath} is there already and is not a backup`,
    "choose another name, it will not be overwritten",
  );
}

/** Whether the file at `path` is marked as a backup, of whatever version. */
function isBackup(path: string): boolean {
  try {
    const database = new Database(realpathSync(path), { readonly: true });
    try {
      return [BACKUP_ID, OLDER_BACKUP_ID].includes(pragma(database, "application_id"));
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

async function fill(
  path: string,
  contents: Contents,
  nowMs: number,
  onRows: (rows: number) => void,
): Promise<void> {
  const database = new Database(path, { readwrite: true });
  try {
    // No other process knows this file, and it is deleted after a failure, so it needs no journal.
    for (const setting of [
      "journal_mode = off",
      "synchronous = off",
      `application_id = ${BACKUP_ID}`,
      `user_version = ${FORMAT}`,
    ])
      database.run(`pragma ${setting}`);
    database.run("begin");
    for (const text of TABLES_SQL) database.run(text);
    const { point } = (await makePoint(new PiecesInFile(database, path), contents, { nowMs, onRows }))!; // there is no last one
    database.run("insert into point values (?)", [pointText(point)]);
    database.run("commit");
  } finally {
    database.close();
  }
}

/** Reads a backup through. Raises StoreRefusal for a file that is not one, or not whole, or not as it was written. */
export async function verifyBackup(path: string): Promise<Point> {
  return withPoint(path, async (pieces, point) => {
    await verifyPoint(pieces, point);
    return point;
  });
}

/** Gives `work` what the backup at `path` holds. Reading raises StoreRefusal as `verifyBackup` does. */
export async function withBackup<T>(path: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  return withPoint(path, (pieces, point) => work(contentsOfPoint(pieces, point)));
}

async function withPoint<T>(
  path: string,
  work: (pieces: PiecesInFile, point: Point) => Promise<T>,
): Promise<T> {
  if (!existsSync(path)) throw new StoreRefusal(`There is no backup at ${path}`, "check the path");
  const database = readOf(path, () => new Database(path, { readonly: true }));
  try {
    const point = readOf(path, () => pointIn(database, path));
    return await work(new PiecesInFile(database, path), point);
  } finally {
    database.close();
  }
}

function pointIn(database: Database, path: string): Point {
  database.run("pragma trusted_schema = off");
  const application = pragma(database, "application_id");
  if (application === OLDER_BACKUP_ID) throw olderBackup(path);
  if (application !== BACKUP_ID)
    throw new StoreRefusal(`${path} is not a backup made by rollcall backup. Nothing was changed`);
  if (pragma(database, "user_version") > FORMAT) throw newerBackup(path);
  // A backup has our tables and nothing else: no trigger, no view.
  const defined = database.query("select sql from sqlite_schema where sql is not null").values();
  const expected = TABLES_SQL.join().replaceAll("create table", "CREATE TABLE");
  const [row, ...others] =
    defined.join() === expected ? database.query("select json from point").values() : [];
  const point = row === undefined || others.length > 0 ? null : parsePoint(String(row[0]), path);
  if (point === null) throw damaged(path);
  return point;
}
