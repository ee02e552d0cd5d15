// The folder of a pull. It is written under a temporary name, and renamed when complete.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { PullRefused } from "./errors.ts";
import { type PullRecord, RECORD_FILE, readRecord } from "./record.ts";

/** Rows are written in pieces of about this many characters. */
const PIECE_CHARACTERS = 65_536;

export class PulledFolder {
  /** The final path. */
  readonly place: string;
  /** The temporary path. */
  readonly path: string;
  /** The record of the pull before; null if there is none that can be read. */
  readonly recordBefore: PullRecord | null;

  /**
   * Begins a folder for `place`. Leftovers of a killed pull are removed or moved back. Raises PullRefused if something is there that no
   * pull wrote. Two pulls must not write the same folder at the same time.
   */
  constructor(place: string) {
    this.place = resolve(place);
    this.path = `${this.place}.new`;
    const before = this.#before;
    onDisk(place, () => {
      mkdirSync(dirname(this.place), { recursive: true, mode: 0o700 });
      if (existsSync(before) && existsSync(this.place)) rmSync(before, { recursive: true });
      if (existsSync(before)) renameSync(before, this.place); // killed between the two renames
      requireOwn(this.place);
      if (existsSync(this.path)) requireUnfinished(this.path);
      rmSync(this.path, { recursive: true, force: true });
      mkdirSync(this.path, { mode: 0o700 });
      writeFileSync(join(this.path, RECORD_FILE), "{}\n", { mode: 0o600 });
    });
    this.recordBefore = recordOf(this.place);
  }

  get #before(): string {
    return `${this.place}.before`;
  }

  /** Begins a file. `at` is the path of the list of rows in it; undefined if the file itself is the list. */
  file(name: string, at: string | undefined): RowFile {
    return new RowFile(join(this.path, name), at);
  }

  remove(name: string): void {
    rmSync(join(this.path, name), { force: true });
  }

  /** Writes the record of the pull. */
  finish(record: object): void {
    const path = join(this.path, RECORD_FILE);
    onDisk(this.place, () => {
      writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
      sync(path);
    });
  }

  /** Moves the finished folder to its place. */
  replace(): void {
    onDisk(this.place, () => {
      sync(this.path);
      if (existsSync(this.place)) renameSync(this.place, this.#before);
      renameSync(this.path, this.place);
      sync(dirname(this.place));
      rmSync(this.#before, { recursive: true, force: true });
    });
  }

  /** Removes the temporary folder. */
  discard(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A file of a pulled folder, written row by row, one a line. */
export class RowFile {
  readonly #file: number;
  readonly #opening: string;
  readonly #closing: string;
  #hasher = new Bun.CryptoHasher("sha256");
  #piece = "";
  #bytes = 0;
  rows = 0;

  /** `at` as in `PulledFolder.file`. */
  constructor(path: string, at: string | undefined) {
    this.#file = openSync(path, "w", 0o600);
    chmodSync(path, 0o600);
    const keys = at?.split(".") ?? [];
    this.#closing = `\n]${"}".repeat(keys.length)}\n`;
    this.#opening = `${keys.map((key) => `{${JSON.stringify(key)}:`).join("")}[`;
    this.#write(this.#opening);
  }

  /** Starts the file again. */
  restart(): void {
    ftruncateSync(this.#file, 0);
    this.#hasher = new Bun.CryptoHasher("sha256");
    [this.#piece, this.#bytes, this.rows] = ["", 0, 0];
    this.#write(this.#opening);
  }

  add(row: unknown): void {
    this.#write(`${this.rows++ === 0 ? "\n" : ",\n"}${JSON.stringify(row)}`);
  }

  #write(text: string): void {
    this.#piece += text;
    if (this.#piece.length >= PIECE_CHARACTERS) this.#flush();
  }

  /** Ends the file. Returns its SHA-256 in hexadecimal. */
  end(): string {
    this.#write(this.#closing);
    this.#flush();
    fsyncSync(this.#file);
    return this.#hasher.digest("hex");
  }

  close(): void {
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#piece);
    this.#piece = "";
    this.#hasher.update(bytes);
    for (let at = 0; at < bytes.length; ) {
      const written = writeSync(this.#file, bytes, at, bytes.length - at, this.#bytes);
      at += written;
      this.#bytes += written;
    }
  }
}

function recordOf(place: string): PullRecord | null {
  try {
    return readRecord(place);
  } catch (error) {
    if (error instanceof PullRefused) return null; // of another version
    throw error;
  }
}

/** Raises PullRefused if `place` exists and is not a pulled folder. */
function requireOwn(place: string): void {
  if (!existsSync(place) || readdirSync(place).length === 0 || existsSync(join(place, RECORD_FILE))) return;
  throw new PullRefused(
    `${place} exists, but no pull wrote it (it has no ${RECORD_FILE}): name another folder`,
  );
}

function requireUnfinished(path: string): void {
  if (existsSync(join(path, RECORD_FILE)) || readdirSync(path).length === 0) return;
  throw new PullRefused(`${path} exists, but no pull wrote it: rename ${basename(path)}`);
}

/** Flushes a file or a folder to the disk. */
function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Turns an error of the disk into PullRefused. */
export function onDisk<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PullRefused || !(error instanceof Error && "code" in error)) throw error;
    throw new PullRefused(
      `${place} cannot be written (${error.code}): check its folder, its permissions and the free space of the disk`,
    );
  }
}
