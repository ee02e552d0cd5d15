// Whether anybody has committed to a database in WAL mode, told by one short read instead of a transaction.
//
// Beside the database lies the index of its log, which all connections share. It begins with a header that every commit
// writes anew: a counter, the length of the log, its salts and checksums (https://www.sqlite.org/walformat.html, "The
// WAL-Index Header"). While those bytes stay the same, nothing was committed, and what SQLite said last is still so. When
// they differ, nothing is concluded: SQLite is asked. So this can save a question, and cannot give an answer.
import { openSync, readSync } from "node:fs";

const HEADER_BYTES = 48;

export class CommitWatch {
  readonly #index: number | null;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #words = new Uint32Array(this.#header.buffer);
  readonly #seen = new Uint32Array(this.#words.length);

  /** Watches the database at `path`, which this process must have open and have read from. */
  constructor(path: string) {
    this.#index = opened(`${path}-shm`);
  }

  /**
   * Whether nothing was committed since the last call. One that says no comes before SQLite is asked: then a commit
   * in between is noticed at the next call.
   */
  isQuiet(): boolean {
    if (this.#index === null) return false;
    if (readSync(this.#index, this.#header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false;
    let quiet = true;
    for (let word = 0; word < this.#words.length; word++) {
      if (this.#seen[word] === this.#words[word]) continue;
      this.#seen[word] = this.#words[word]!;
      quiet = false;
    }
    return quiet;
  }
}

/**
 * Never closed: a process that closes any descriptor of a file loses all locks that it holds on it (POSIX), and SQLite holds
 * one for as long as the database is open. Null for a database without a log.
 */
function opened(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch {
    return null;
  }
}
