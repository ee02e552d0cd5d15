// A folder of backups. It holds what the store was at many moments, and equal rows once:
//
//   pieces/ab/cdef….zst       some rows of a company, compressed. The name is the SHA-256 of what is in it
//   points/20261121T….json.zst   what the store was at that moment: which pieces
//   lock                      held by the one process that writes
//
// Files appear whole, a point after all its pieces, and are never changed. So a process that is killed leaves at most files
// that no point names; the next one removes them. docs/decisions/0031-backups-of-every-moment.md says why it is built so.
import { Database } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StoreRefusal } from "../../store.ts";
import { syncFile, withFileErrors } from "./temporary-file.ts";

/** SHA-256 in hexadecimal. */
export type Digest = string;

const LOCK = "lock";
const PARTS = [LOCK, "pieces", "points"];
const POINT_NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.json\.zst$/;
const TEMPORARY = ".part";

export function sha256(bytes: string | Uint8Array): Digest {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** A piece or a point is missing or not as it was written. */
export class DamagedFile extends StoreRefusal {
  constructor(
    readonly path: string,
    problem: "is missing" | "is damaged",
  ) {
    super(`${path} ${problem}`, "run rollcall backup --verify on the folder to see what can be restored");
  }
}

/** The folder that a process writes to was removed and made again, or another disk is mounted there. */
export class ReplacedFolder extends StoreRefusal {}

/** Reads a folder of backups. Needs no lock: files are never changed. */
export class BackupFolder {
  constructor(readonly path: string) {}

  /** The moments of the points, oldest first. Raises StoreRefusal if this is no folder of backups. */
  points(): number[] {
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

  pointPath(atMs: number): string {
    return join(this.path, "points", `${new Date(atMs).toISOString().replaceAll(/[-:.]/g, "")}.json.zst`);
  }

  piecePath(digest: Digest): string {
    return join(this.path, "pieces", digest.slice(0, 2), `${digest.slice(2)}.zst`);
  }

  /** What is in the piece. Raises DamagedFile if it is not what its name says. */
  piece(digest: Digest): string {
    const path = this.piecePath(digest);
    const bytes = content(path);
    if (sha256(bytes) !== digest) throw new DamagedFile(path, "is damaged");
    return new TextDecoder().decode(bytes);
  }

  /** The JSON of the point. Raises DamagedFile. */
  point(atMs: number): string {
    return new TextDecoder().decode(content(this.pointPath(atMs)));
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

function content(path: string): Uint8Array {
  const compressed = withFileErrors(path, () => {
    try {
      return readFileSync(path);
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      throw isMissing ? new DamagedFile(path, "is missing") : error;
    }
  });
  try {
    return Bun.zstdDecompressSync(compressed);
  } catch {
    throw new DamagedFile(path, "is damaged");
  }
}

/** Writes a folder of backups, and makes it. One process at a time: `open` refuses a second one. */
export class WritableBackupFolder extends BackupFolder {
  readonly #lock: Database;
  readonly #lockId: string | null;
  /** The pieces that are there. */
  #there: Set<Digest>;
  readonly #unsynced = new Set<string>();

  private constructor(path: string, lock: Database) {
    super(path);
    this.#lock = lock;
    this.#lockId = this.#idOfLock();
    this.#there = new Set(this.#listPieces());
  }

  /** Looks which pieces are there: somebody may have removed some. Raises StoreRefusal if this is not the folder any more. */
  refresh(): void {
    withFileErrors(this.path, () => {
      const advice = "start the command again to";
      if (!existsSync(this.path))
        throw new StoreRefusal(`${this.path} is missing`, `bring it back, or ${advice} make a new one`);
      if (this.#idOfLock() !== this.#lockId)
        throw new ReplacedFolder(
          `${this.path} is not the folder any more that was there before`,
          `${advice} write to this one`,
        );
      this.#there = new Set(this.#listPieces());
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
      return new WritableBackupFolder(path, lock);
    });
  }

  #listPieces(): Digest[] {
    const root = join(this.path, "pieces");
    return readdirSync(root).flatMap((start) =>
      readdirSync(join(root, start)).flatMap((name) =>
        name.endsWith(".zst") ? [start + name.slice(0, -4)] : [],
      ),
    );
  }

  hasPiece(digest: Digest): boolean {
    return this.#there.has(digest);
  }

  /** Stores the text, unless it is there already. Returns its digest, and how many bytes were written. */
  putPiece(text: string): { digest: Digest; writtenBytes: number } {
    const digest = sha256(text);
    if (this.#there.has(digest)) return { digest, writtenBytes: 0 };
    const writtenBytes = this.#write(this.piecePath(digest), text);
    this.#there.add(digest);
    return { digest, writtenBytes };
  }

  /** Stores a point, whose pieces are there. From here on it can be restored, also after a loss of power. */
  putPoint(atMs: number, json: string): number {
    withFileErrors(this.path, () => {
      for (const folder of this.#unsynced) syncFile(folder);
    });
    this.#unsynced.clear();
    const writtenBytes = this.#write(this.pointPath(atMs), json);
    withFileErrors(this.path, () => syncFile(join(this.path, "points")));
    this.#unsynced.clear();
    return writtenBytes;
  }

  #write(path: string, text: string): number {
    const bytes = Bun.zstdCompressSync(text);
    withFileErrors(this.path, () => {
      const folder = dirname(path);
      if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined)
        this.#unsynced.add(dirname(folder));
      const file = openSync(path + TEMPORARY, "w", 0o600);
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(path + TEMPORARY, path);
      this.#unsynced.add(folder);
    });
    return bytes.length;
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
          this.#there.delete(digest);
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
