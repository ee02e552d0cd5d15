// Whether anybody has committed to a database in WAL mode, told without a system call.
//
// Beside the database lies the index of its log, memory that all connections share. It begins with a header that every
// commit writes anew: a counter, the length of the log, checksums (https://www.sqlite.org/walformat.html, "The WAL-Index
// Header"). While those bytes stay the same, nothing was committed, and what SQLite said last is still so. When they
// differ, nothing is concluded: SQLite is asked. So this can save a question, and cannot give an answer.
const HEADER_WORDS = 12;

export class CommitWatch {
  readonly #header: Uint32Array | null;
  readonly #seen = new Uint32Array(HEADER_WORDS);

  /** Watches the database at `path`, which this process must have open and have read from. */
  constructor(path: string) {
    this.#header = sharedHeader(`${path}-shm`);
  }

  /**
   * Whether nothing was committed since the last call. One that says no comes before SQLite is asked: then a commit
   * in between is noticed at the next call.
   */
  isQuiet(): boolean {
    const header = this.#header;
    if (header === null) return false;
    let quiet = true;
    for (let word = 0; word < HEADER_WORDS; word++) {
      if (this.#seen[word] === header[word]) continue;
      this.#seen[word] = header[word]!;
      quiet = false;
    }
    return quiet;
  }
}

/** Null where it cannot be had: a database that is not in WAL mode, or a system without shared mappings. */
function sharedHeader(path: string): Uint32Array | null {
  try {
    return new Uint32Array(Bun.mmap(path, { shared: true }).buffer, 0, HEADER_WORDS);
  } catch {
    return null;
  }
}
