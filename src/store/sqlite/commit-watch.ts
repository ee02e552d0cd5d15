// Tells by one short read that nobody has committed to a database in WAL mode since the last look.
//
// All connections share the index of the log, a file beside the database. Every commit rewrites the header at its start: a
// counter, the length of the log, its salts and checksums (https://www.sqlite.org/walformat.html, "The WAL-Index Header").
// While these bytes stay the same, what SQLite said last still holds. If they differ, SQLite is asked. So a change of the
// layout could cost time, but never give a stale response.
import { openSync, readSync } from "node:fs";

const HEADER_BYTES = 48;

export class CommitWatch {
  readonly #index: number | null;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #words = new Uint32Array(this.#header.buffer);
  readonly #seen = new Uint32Array(this.#words.length);

  /** Watches the database at `path`. This process must have it open and have read from it. */
  constructor(path: string) {
    this.#index = opened(`${path}-shm`);
  }

  /**
   * Whether nothing was committed since the last call. Call it before asking SQLite: then the next call notices a commit in
   * between.
   */
  isQuiet(): boolean {
    if (this.#index === null) return false;
    if (readSync(this.#index, this.#header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false;
    let isQuiet = true;
    for (let word = 0; word < this.#words.length; word++) {
      if (this.#seen[word] === this.#words[word]) continue;
      this.#seen[word] = this.#words[word]!;
      isQuiet = false;
    }
    return isQuiet;
  }
}

/**
 * Never closed. A process that closes any descriptor of a file loses all its locks on the file (POSIX), and SQLite holds one
 * while the database is open. Null if the database has no log.
 */
function opened(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch {
    return null;
  }
}
