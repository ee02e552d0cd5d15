// A backup: an SQLite database that holds points and their pieces, whatever engine the store is on. One that is written at once has
// one point; one that is added to has a point for each moment. format.ts says what these are.
import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, existsSync, openSync, realpathSync, statSync, utimesSync } from "node:fs";
import { type Contents, StoreRefusal } from "../../store.ts";
import { BACKUP_ID, BUSY_TIMEOUT_MS, failure, pragma } from "../database.ts";
import {
  compressed,
  contentsOfPoint,
  DamagedFile,
  type Digest,
  decompressed,
  FORMAT,
  listedPieces,
  type MadePoint,
  makePoint,
  newerBackup,
  olderBackup,
  type Pieces,
  type Point,
  parsePoint,
  pointText,
  readableOrNull,
  sha256,
  verifyPoint,
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
  "create table points (made_at_ms integer primary key, json text not null) strict",
  "create table pieces (digest text primary key, compressed blob not null) strict",
];

/** A backup that is open. */
class BackupFile implements Pieces {
  writtenBytes = 0;

  constructor(
    readonly database: Database,
    readonly path: string,
  ) {}

  piece(digest: Digest): string {
    const [row] = this.#read("select compressed from pieces where digest = ?", digest);
    const text = row === undefined ? null : decompressed(row[0] as Uint8Array); // a blob: the table is strict
    if (text === null || sha256(text) !== digest) throw damaged(this.path);
    return text;
  }

  putPiece(text: string): Digest {
    const digest = sha256(text);
    if (this.#read("select 1 from pieces where digest = ?", digest).length > 0) return digest;
    const bytes = compressed(text);
    this.database.query("insert into pieces values (?, ?)").run(digest, bytes);
    this.writtenBytes += bytes.length;
    return digest;
  }

  /** The moments of the points, oldest first. */
  moments(): number[] {
    return this.#read("select made_at_ms from points order by 1").map(([atMs]) => Number(atMs));
  }

  /** Raises DamagedFile, and StoreRefusal for the point of another version. */
  point(atMs: number): Point {
    const [row] = this.#read("select json from points where made_at_ms = ?", atMs);
    const point = parsePoint(String(row?.[0]), this.path);
    if (point?.madeAtMs !== atMs) throw damaged(this.path);
    return point;
  }

  putPoint(point: Point): void {
    const text = pointText(point);
    this.database.query("insert into points values (?, ?)").run(point.madeAtMs, text);
    this.writtenBytes += text.length;
  }

  /** The last point that is not later than `atMs`. Raises StoreRefusal if there is none, or it is damaged. */
  pointAt(atMs = Number.POSITIVE_INFINITY): Point {
    const moments = this.moments();
    const found = moments.findLast((moment) => moment <= atMs);
    if (found !== undefined) return this.point(found);
    if (moments.length === 0) throw damaged(this.path);
    throw new StoreRefusal(
      `The first backup in ${this.path} is of ${new Date(moments[0]!).toISOString()}, after that moment. Nothing was changed`,
      "give a later one with --at",
    );
  }

  /** What SQLite cannot read of a backup is never taken for an error of the store that it is restored into. */
  #read(text: string, ...values: (string | number)[]): unknown[][] {
    return readOf(this.path, () => this.database.query(text).values(...values));
  }
}

function readOf<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    throw error.code?.startsWith("SQLITE_BUSY") ? failure(path, error) : damaged(path, error);
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
        const { last } = await verifyBackup(temporary);
        withFileErrors(outPath, () => moveIntoPlace(temporary, outPath));
        return last;
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
    for (const setting of ["journal_mode = off", "synchronous = off"]) database.run(`pragma ${setting}`);
    database.run("begin");
    makeTables(database);
    const file = new BackupFile(database, path);
    const { point } = (await makePoint(file, contents, { nowMs, onRows }))!; // there is no last one
    file.putPoint(point);
    database.run("commit");
  } finally {
    database.close();
  }
}

function makeTables(database: Database): void {
  for (const text of TABLES_SQL) database.run(text);
  database.run(`pragma application_id = ${BACKUP_ID}`);
  database.run(`pragma user_version = ${FORMAT}`);
}

export interface VerifiedBackup {
  /** How many moments there are, and the first. */
  readonly moments: number;
  readonly firstMs: number;
  readonly last: Point;
  /** When the store was last seen to be as the last point says, if the file's time was kept. */
  readonly seenMs: number;
}

/** Reads a backup through. Raises StoreRefusal for a file that is not one, or not whole, or not as it was written. */
export async function verifyBackup(path: string): Promise<VerifiedBackup> {
  return withFile(path, async (file) => {
    const moments = file.moments();
    const last = file.pointAt();
    const whole = new Set<Digest>();
    const restorable: number[] = [];
    for (const atMs of moments) {
      try {
        await verifyPoint(file, file.point(atMs), whole);
        restorable.push(atMs);
      } catch (error) {
        if (!(error instanceof DamagedFile)) throw error;
      }
    }
    if (restorable.length < moments.length) throw damagedMoments(path, moments.length, restorable);
    const seenMs = Math.max(last.madeAtMs, Math.floor(statSync(path).mtimeMs));
    return { moments: moments.length, firstMs: moments[0]!, last, seenMs };
  });
}

function damagedMoments(path: string, moments: number, restorable: readonly number[]): StoreRefusal {
  const lastMs = restorable.at(-1);
  if (lastMs === undefined) return damaged(path);
  const last = new Date(lastMs).toISOString();
  return new StoreRefusal(
    `${path} is damaged: ${moments - restorable.length} of its ${moments} moments cannot be restored; the last that can is ${last}`,
    "move it elsewhere, and take another backup",
  );
}

/** Gives `work` what the store was at the last point up to `atMs`, once read through. Raises StoreRefusal as `verifyBackup`. */
export async function withBackup<T>(
  path: string,
  work: (contents: Contents, point: Point) => Promise<T>,
  atMs?: number,
): Promise<T> {
  return withFile(path, async (file) => {
    const point = file.pointAt(atMs);
    await verifyPoint(file, point);
    return work(contentsOfPoint(file, point), point);
  });
}

async function withFile<T>(path: string, work: (file: BackupFile) => Promise<T>): Promise<T> {
  if (!existsSync(path)) throw new StoreRefusal(`There is no backup at ${path}`, "check the path");
  // What a process that was killed has left half written is rolled back, where the file may be written to.
  const database = readOf(path, () => new Database(path, { readwrite: true, create: false }));
  try {
    readOf(path, () => {
      database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`); // somebody may be adding to it
      requireOurs(database, path);
    });
    return await work(new BackupFile(database, path));
  } finally {
    database.close();
  }
}

function requireOurs(database: Database, path: string): void {
  database.run("pragma trusted_schema = off");
  const application = pragma(database, "application_id");
  if (application === OLDER_BACKUP_ID) throw olderBackup(path);
  if (application !== BACKUP_ID)
    throw new StoreRefusal(`${path} is not a backup made by rollcall backup. Nothing was changed`);
  if (pragma(database, "user_version") > FORMAT) throw newerBackup(path);
  // A backup has our tables and nothing else: no trigger, no view.
  const defined = database.query("select sql from sqlite_schema where sql is not null").values();
  const expected = TABLES_SQL.join().replaceAll("create table", "CREATE TABLE");
  if (defined.join() !== expected) throw damaged(path);
}

// Adding to a backup -------------------------------------------------------------------------------------------------

export interface Recorded extends MadePoint {
  readonly writtenBytes: number;
}

export interface AddOptions {
  readonly nowMs: number;
  /** For how long each moment is kept after it was replaced. */
  readonly keepMs: number;
  /** Whether the backup is made where there is none. */
  readonly create: boolean;
}

/**
 * Adds what the store is to the backup at `path`, in one transaction, unless it is what the last point says: then returns null.
 * `versions` are those of its companies. Removes moments that were replaced so long ago. Raises StoreRefusal or StoreUnavailable.
 */
export async function addToBackup(
  path: string,
  contents: Contents,
  versions: ReadonlyMap<string, string>,
  { nowMs, keepMs, create }: AddOptions,
): Promise<Recorded | null> {
  if (!existsSync(path) && !create)
    throw new StoreRefusal(
      `${path} is missing`,
      "bring it back, or start the command again to make a new one",
    );
  if (existsSync(path)) return addTo(path, contents, versions, { nowMs, keepMs });
  // The first one is made as a whole: who is killed leaves no file that is empty.
  const temporary = withFileErrors(path, () => makeTemporaryFile(path));
  return thenRemove(
    () => removeDatabase(temporary),
    async () => {
      const made = await addTo(temporary, contents, versions, { nowMs, keepMs });
      if (existsSync(path))
        throw new StoreRefusal(`${path} was made by another command meanwhile`, "start this one again");
      withFileErrors(path, () => moveIntoPlace(temporary, path));
      return made;
    },
  );
}

async function addTo(
  path: string,
  contents: Contents,
  versions: ReadonlyMap<string, string>,
  { nowMs, keepMs }: Omit<AddOptions, "create">,
): Promise<Recorded | null> {
  withFileErrors(path, () => closeSync(openSync(path, "r+"))); // whose errors say more than SQLite's
  const database = new Database(path, { readwrite: true });
  try {
    database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.run("pragma secure_delete = on"); // what is removed may be about people
    database.run("begin immediate");
    if (statSync(path).size === 0) makeTables(database);
    requireOurs(database, path);
    const file = new BackupFile(database, path);
    const lastMs = file.moments().at(-1);
    const last = lastMs === undefined ? null : readableOrNull(() => file.point(lastMs));
    const madeAtMs = Math.max(nowMs, (lastMs ?? 0) + 1); // also if the clock was set back
    const made = await makePoint(file, contents, { nowMs: madeAtMs, versions, last });
    if (made !== null) file.putPoint(made.point);
    sweep(file, nowMs - keepMs);
    database.run("commit");
    return made && { ...made, writtenBytes: file.writtenBytes };
  } catch (error) {
    if (database.inTransaction) database.run("rollback");
    throw error instanceof SQLiteError ? failure(path, error) : error;
  } finally {
    database.close();
  }
}

/** Notes that the store is still as the last point says. */
export function noteSeen(path: string, nowMs: number): void {
  withFileErrors(path, () => utimesSync(path, nowMs / 1000, nowMs / 1000));
}

/**
 * Removes points whose successor is older than `oldestMs`, and then the pieces that no point names. So every moment since then can be
 * restored, and what was removed from the store leaves the backup so long after the next point.
 */
function sweep(file: BackupFile, oldestMs: number): void {
  const { database } = file;
  const removed = database
    .query("delete from points where made_at_ms < (select max(made_at_ms) from points where made_at_ms <= ?)")
    .run(oldestMs);
  if (removed.changes === 0) return;
  database.run("create temp table named (digest text primary key) without rowid");
  const note = database.query("insert or ignore into named values (?)");
  const isWhole = readableOrNull(() => {
    for (const atMs of file.moments()) {
      const { secrets, companies } = file.point(atMs);
      note.run(secrets);
      for (const { list, imports } of companies) {
        note.run(imports);
        if (note.run(list).changes > 0) for (const { digest } of listedPieces(file, list)) note.run(digest);
      }
    }
    return true;
  });
  // What a damaged point or list names is not known: all pieces stay.
  if (isWhole) database.run("delete from pieces where digest not in (select digest from named)");
  database.run("drop table named");
}
