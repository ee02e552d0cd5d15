// A folder of backups. It holds what the store was at many moments, and equal pieces once (format.ts):
//
//   pieces/ab/cdef….zst          a piece, compressed; its name is its digest
//   points/20261121T….json.zst   the point of that moment
//   lock                         held by the one process that writes
//
// Files appear whole, a point after all its pieces, and are never changed. So a process that is killed leaves at most files
// that no point names; the next one removes them.
import { Database } from "bun:sqlite";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Contents, StoreRefusal } from "../../store.ts";
import {
  compressed,
  DamagedFile,
  type Digest,
  decompressed,
  makePoint,
  type Pieces,
  type Point,
  parsePoint,
  pointText,
  readableOrNull,
  sha256,
  type WritablePieces,
} from "./format.ts";
import { syncFile, withFileErrors } from "./temporary-file.ts";

const LOCK = "lock";
const PARTS = [LOCK, "pieces", "points"];
const POINT_NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.json\.zst$/;
const TEMPORARY = ".part";

/** The folder that a process writes to was removed and made again, or another disk is mounted there. */
export class ReplacedFolder extends StoreRefusal {}

/** Reads a folder of backups. Needs no lock: files are never changed. */
export class BackupFolder implements Pieces {
  constructor(readonly path: string) {}

  /** The moments of the points, oldest first. Raises StoreRefusal if this is no folder of backups. */
  moments(): number[] {
    return withFileErrors(this.path, () => {
      if (!existsSync(join(this.path, "points")))
        throw new StoreRefusal(
          `${this.path} is not a folder of backups. Nothing was changed`,
          "check the path",
        );
      return readdirSync(join(this.path, "points"))
        .map(momentOf)
        .filter((atMs) => atMs !== null)
        .toSorted((one, other) => one - other);
    });
  }

  /** The same, but raises StoreRefusal if there is none. */
  recordedMoments(): number[] {
    const moments = this.moments();
    if (moments.length === 0) throw new StoreRefusal(`${this.path} holds no backup yet`, "check the path");
    return moments;
  }

  pointPath(atMs: number): string {
    return join(this.path, "points", `${new Date(atMs).toISOString().replaceAll(/[-:.]/g, "")}.json.zst`);
  }

  piecePath(digest: Digest): string {
    return join(this.path, "pieces", digest.slice(0, 2), `${digest.slice(2)}.zst`);
  }

  piece(digest: Digest): string {
    const path = this.piecePath(digest);
    const text = content(path);
    if (sha256(text) !== digest) throw damaged(path);
    return text;
  }

  /** The point of that moment. Raises DamagedFile, and StoreRefusal for one of another version. */
  point(atMs: number): Point {
    const path = this.pointPath(atMs);
    const point = parsePoint(content(path), this.path);
    if (point === null) throw damaged(path);
    return point;
  }

  /** The last point that is not later than `atMs`. Raises StoreRefusal if there is none, or it is damaged. */
  pointAt(atMs = Number.POSITIVE_INFINITY): Point {
    const moments = this.recordedMoments();
    const found = moments.findLast((moment) => moment <= atMs);
    if (found !== undefined) return this.point(found);
    throw new StoreRefusal(
      `The first backup in ${this.path} is of ${new Date(moments[0]!).toISOString()}, after that moment. Nothing was changed`,
      "give a later one with --at",
    );
  }

  /** When the store was last seen to be as the point says, if the file's time was kept. */
  seenMs(atMs: number): number {
    return Math.max(atMs, Math.floor(statSync(this.pointPath(atMs)).mtimeMs));
  }
}

function momentOf(name: string): number | null {
  const match = POINT_NAME.exec(name);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction] = match;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}Z`);
}

function content(path: string): string {
  const bytes = withFileErrors(path, () => {
    try {
      return readFileSync(path);
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      throw isMissing ? damaged(path, "is missing") : error;
    }
  });
  const text = decompressed(bytes);
  if (text === null) throw damaged(path);
  return text;
}

function damaged(path: string, problem = "is damaged"): DamagedFile {
  return new DamagedFile(
    `${path} ${problem}`,
    "run rollcall backup --verify on the folder to see what can be restored",
  );
}

export interface Recorded {
  readonly point: Point;
  /** Companies whose rows were read. */
  readonly changed: number;
  readonly writtenBytes: number;
}

/** Writes a folder of backups, and makes it. One process at a time: `open` refuses a second one. */
export class WritableBackupFolder extends BackupFolder implements WritablePieces {
  readonly #lock: Database;
  readonly #lockId: string | null;
  readonly #unsynced = new Set<string>();
  #writtenBytes = 0;

  private constructor(path: string, lock: Database) {
    super(path);
    this.#lock = lock;
    this.#lockId = this.#idOfLock();
  }

  /** Raises StoreRefusal if this is not the folder any more that was opened. */
  requireSame(): void {
    withFileErrors(this.path, () => {
      const advice = "start the command again to";
      if (!existsSync(this.path))
        throw new StoreRefusal(`${this.path} is missing`, `bring it back, or ${advice} make a new one`);
      if (this.#idOfLock() !== this.#lockId)
        throw new ReplacedFolder(
          `${this.path} is not the folder any more that was there before`,
          `${advice} write to this one`,
        );
    });
  }

  #idOfLock(): string | null {
    const lock = statSync(join(this.path, LOCK), { throwIfNoEntry: false });
    return lock === undefined ? null : `${lock.dev} ${lock.ino}`;
  }

  /** Raises StoreRefusal if the folder holds something else, cannot be written to, or another process writes to it. */
  static open(path: string): WritableBackupFolder {
    return withFileErrors(path, () => {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      const others = readdirSync(path).filter((name) => !PARTS.some((part) => name.startsWith(part)));
      if (others.length > 0 && !existsSync(join(path, "points")))
        throw new StoreRefusal(`${path} is not empty and no folder of backups`, "name another folder");
      const lock = lockOf(path);
      for (const part of ["pieces", "points"]) mkdirSync(join(path, part), { recursive: true, mode: 0o700 });
      // What a killed process wrote is used again, and must then outlast a loss of power.
      const pieces = join(path, "pieces");
      for (const folder of [path, pieces, ...readdirSync(pieces).map((start) => join(pieces, start))])
        syncFile(folder);
      return new WritableBackupFolder(path, lock);
    });
  }

  hasPiece(digest: Digest): boolean {
    return existsSync(this.piecePath(digest));
  }

  putPiece(text: string): Digest {
    const digest = sha256(text);
    if (!this.hasPiece(digest)) this.#write(this.piecePath(digest), text);
    return digest;
  }

  /** Records what the store is, unless it is what the last point says: then null. `versions` are those of its companies. */
  async record(
    contents: Contents,
    versions: ReadonlyMap<string, string>,
    nowMs: number,
  ): Promise<Recorded | null> {
    const writtenBefore = this.#writtenBytes;
    const lastMs = this.moments().at(-1);
    const last = lastMs === undefined ? null : readableOrNull(() => this.point(lastMs));
    const madeAtMs = Math.max(nowMs, (lastMs ?? 0) + 1); // also if the clock was set back
    const made = await makePoint(this, contents, { nowMs: madeAtMs, versions, last });
    if (made === null) return null;
    this.#sync(); // a point that is there has its pieces, also after a loss of power
    this.#write(this.pointPath(madeAtMs), pointText(made.point));
    this.#sync();
    return { ...made, writtenBytes: this.#writtenBytes - writtenBefore };
  }

  #write(path: string, text: string): void {
    const bytes = compressed(text);
    withFileErrors(this.path, () => {
      const folder = dirname(path);
      if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined)
        this.#unsynced.add(dirname(folder));
      writeFileSync(path + TEMPORARY, bytes, { mode: 0o600 });
      syncFile(path + TEMPORARY);
      renameSync(path + TEMPORARY, path);
      this.#unsynced.add(folder);
    });
    this.#writtenBytes += bytes.length;
  }

  /** Files that were renamed keep their names after a loss of power. */
  #sync(): void {
    withFileErrors(this.path, () => {
      for (const folder of this.#unsynced) syncFile(folder);
    });
    this.#unsynced.clear();
  }

  /** Notes that the store is still as the point says. */
  noteSeen(atMs: number, nowMs: number): void {
    withFileErrors(this.path, () => utimesSync(this.pointPath(atMs), nowMs / 1000, nowMs / 1000));
  }

  removePoint(atMs: number): void {
    withFileErrors(this.path, () => rmSync(this.pointPath(atMs), { force: true }));
  }

  /** Removes every piece that is not among these, and what a killed process left. Returns how many. */
  keepPieces(digests: ReadonlySet<Digest>): number {
    return withFileErrors(this.path, () => {
      // A point that comes back after a loss of power must not lack pieces.
      syncFile(join(this.path, "points"));
      let removed = 0;
      const root = join(this.path, "pieces");
      for (const start of readdirSync(root)) {
        for (const name of readdirSync(join(root, start))) {
          const digest = start + name.slice(0, -".zst".length);
          if (name.endsWith(".zst") && digests.has(digest)) continue;
          rmSync(join(root, start, name));
          removed++;
        }
      }
      for (const name of readdirSync(join(this.path, "points")))
        if (name.endsWith(TEMPORARY)) rmSync(join(this.path, "points", name));
      return removed;
    });
  }

  close(): void {
    this.#lock.close();
  }
}

/** SQLite's lock on a file ends with the process, however it ends. */
function lockOf(path: string): Database {
  const lock = new Database(join(path, LOCK), { create: true, readwrite: true });
  try {
    lock.run("pragma locking_mode = exclusive");
    lock.run("begin exclusive");
    return lock;
  } catch (cause) {
    lock.close();
    throw new StoreRefusal(`Another process writes backups to ${path}`, "let one process write to a folder", {
      cause,
    });
  }
}
