// Nothing of a removed row, or of what a row was before it changed, stays in the store's files. SQLite overwrites most of it
// (`secure_delete`). The rest is in unused parts of pages that a transaction wrote, and the log says which pages these are.
//
// Every transaction makes a mark beside the store before it commits. The mark goes when the pages are cleared, so it outlives a
// kill. If it is there when a transaction begins, nobody knows which pages may hold something: then all are looked at.
import { Buffer } from "node:buffer";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import type { Remains } from "../store.ts";
import {
  BUSY_TIMEOUT_MS,
  emptyLog,
  freeSpace,
  isMarkedForErasure,
  markForErasure,
  notCleared,
  openWriter,
  pragma,
  removeErasureMark,
  Statements,
  vacuum,
} from "./database.ts";

/** How long to wait for another writer, who clears the file in any case. */
const ALONE_WAIT_MS = 500;

/** Clears the store at `path` of what an earlier transaction left, without waiting for anybody. */
export function clearStore(path: string, migrations: readonly string[]): void {
  const statements = new Statements(openWriter({ path, migrations }, {}));
  try {
    new Eraser(path, statements).erase(0);
  } finally {
    statements.close();
  }
}

export class Eraser {
  readonly #path: string;
  readonly #statements: Statements;
  /** What `data_version` was in the last transaction, if there was no mark. Another one shows that others have committed since. */
  #version: number | null = null;

  constructor(path: string, statements: Statements) {
    this.#path = path;
    this.#statements = statements;
  }

  /** In a transaction that has written nothing yet. */
  begin(): void {
    this.#version = isMarkedForErasure(this.#path) ? null : this.#pragma("data_version");
  }

  /** In the transaction, before it is committed. */
  mark(hasRemoved: boolean): void {
    // A file that cannot be cleared is rewritten, which is not worth it for rows that changed.
    if (hasRemoved || this.#pages() !== null) markForErasure(this.#path);
  }

  /** After a transaction. Waits for readers up to `waitMs`. What cannot be done now is done after the next transaction. */
  erase(waitMs: number): Remains {
    const version = this.#version;
    this.#version = null;
    const { database } = this.#statements;
    const isMarked = isMarkedForErasure(this.#path);
    if (isMarked) this.#statements.finalize();
    const rewritten = isMarked && this.#pages() === null ? vacuum(database) : null;
    if (rewritten !== null && !rewritten.isErased) return rewritten;
    const isRewritten = isMarked && freeSpace(database);
    const pages = this.#pages();
    const suspects =
      !isMarked || isRewritten || version === null || pages === null
        ? null
        : suspectsInLog(`${this.#path}-wal`, pages);
    const emptied = emptyLog(database, waitMs);
    if (!emptied.isErased) return emptied;
    if (!isMarked) return { isErased: true };
    return this.#alone(() => {
      const known = this.#pragma("data_version") === version ? suspects : null;
      const now = this.#pages();
      if (now !== null) clearResidues(writingDescriptor(this.#path), now, known);
      removeErasureMark(this.#path);
    });
  }

  /** The same, of a store that a version may have written which left residues. */
  eraseAll(waitMs: number): Remains {
    markForErasure(this.#path);
    return this.erase(waitMs);
  }

  /** Runs `work`, which clears the file, while nobody else may write and the log is empty, unless that cannot be had now. */
  #alone(work: () => void): Remains {
    const { database } = this.#statements;
    database.run(`pragma busy_timeout = ${ALONE_WAIT_MS}`);
    try {
      database.run("begin immediate");
    } catch (error) {
      return notCleared(error);
    } finally {
      database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    try {
      const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
      if (log !== undefined && log.size > 0)
        return { isErased: false, until: "cleared", because: "another command has just written" }; // it clears the file
      work();
      return { isErased: true };
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      return { isErased: false, until: "cleared", because: error.message };
    } finally {
      database.run("rollback");
    }
  }

  #pages() {
    return pagesOf((name) => this.#pragma(name));
  }

  #pragma(name: string): number {
    return pragma(this.#statements.database, name);
  }
}

// Overwriting what SQLite leaves in unused parts of the file, in place: they are unused, so neither a reader nor a kill in the middle
// minds. Only while this connection may write, nobody else does, and the log is empty.

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Pages that are read at a time. */
const BATCH_PAGES = 256;

/** Shape of a database's file. */
export interface Pages {
  readonly bytes: number;
  readonly count: number;
}

/**
 * The pages in the log at `path` that hold residues. Null if the log is empty, not of such pages, or has most pages of the file:
 * then looking at all pages, one after the other, costs less. The log may have frames of earlier transactions.
 */
function suspectsInLog(path: string, { bytes, count }: Pages): Set<number> | null {
  const file = openSync(path, "r"); // SQLite has no lock on the log itself, which closing it would drop
  try {
    if (fstatSync(file).size / bytes > count / 2) return null;
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    if (readSync(file, header, 0, header.length, 0) < header.length || header.readUInt32BE(8) !== bytes)
      return null;
    const suspects = new Set<number>();
    const frameBytes = FRAME_HEADER_BYTES + bytes;
    const batch = Buffer.alloc(frameBytes * BATCH_PAGES);
    for (let offset = LOG_HEADER_BYTES; ; offset += batch.length) {
      const read = readSync(file, batch, 0, batch.length, offset);
      for (let at = 0; at + frameBytes <= read; at += frameBytes) {
        const number = batch.readUInt32BE(at);
        const page = batch.subarray(at + FRAME_HEADER_BYTES, at + frameBytes);
        if (residuesOf(page, number === 1).length > 0) suspects.add(number);
      }
      if (read < batch.length) return suspects;
    }
  } finally {
    closeSync(file);
  }
}

/** Overwrites the residues of the suspects, or of all pages. */
function clearResidues(file: number, pages: Pages, suspects: ReadonlySet<number> | null): void {
  const hasWritten = suspects === null ? clearAll(file, pages) : clearSome(file, pages, suspects);
  if (hasWritten) fsyncSync(file);
}

function clearSome(file: number, { bytes, count }: Pages, suspects: ReadonlySet<number>): boolean {
  const page = Buffer.alloc(bytes);
  let hasWritten = false;
  for (const number of suspects) {
    const offset = (number - 1) * bytes;
    if (number > count || readSync(file, page, 0, bytes, offset) < bytes) continue;
    if (overwrite(file, offset, residuesOf(page, number === 1))) hasWritten = true;
  }
  return hasWritten;
}

function clearAll(file: number, { bytes, count }: Pages): boolean {
  const free = freePages(file, { bytes, count });
  const batch = Buffer.alloc(bytes * BATCH_PAGES);
  let hasWritten = false;
  for (let first = 1; first <= count; first += BATCH_PAGES) {
    const offset = (first - 1) * bytes;
    const read = readSync(file, batch, 0, batch.length, offset);
    for (let at = 0; at + bytes <= read; at += bytes) {
      const number = first + at / bytes;
      const page = batch.subarray(at, at + bytes);
      const unused = free.get(number);
      const residues =
        unused === undefined ? residuesOf(page, number === 1) : isZero(page, unused) ? [] : [unused];
      if (overwrite(file, offset + at, residues)) hasWritten = true;
    }
  }
  return hasWritten;
}

/** What is unused of each free page: an older version may have freed it without overwriting it. */
function freePages(file: number, { bytes, count }: Pages): ReadonlyMap<number, Residue> {
  const free = new Map<number, Residue>();
  const page = Buffer.alloc(bytes);
  readSync(file, page, 0, bytes, 0);
  for (let trunk = page.readUInt32BE(32); trunk > 1 && trunk <= count && !free.has(trunk); ) {
    readSync(file, page, 0, bytes, (trunk - 1) * bytes);
    const leaves = page.readUInt32BE(4);
    const end = 8 + leaves * 4;
    if (end > bytes) break; // damaged
    free.set(trunk, { from: end, to: bytes });
    for (let at = 8; at < end; at += 4) free.set(page.readUInt32BE(at), { from: 0, to: bytes });
    trunk = page.readUInt32BE(0);
  }
  return free;
}

function overwrite(file: number, offset: number, residues: readonly Residue[]): boolean {
  for (const { from, to } of residues) writeSync(file, ZEROS, 0, to - from, offset + from);
  return residues.length > 0;
}

/** Where the kernel does not tell the descriptors of a process, those that were opened here: by file. Never closed. */
const opened = new Map<string, number>();

/**
 * A descriptor to write to the database at `path` with, which this process has open. It is SQLite's own, if the kernel tells which that
 * is. One that was opened here could never be closed: a process that closes any descriptor of a file loses its locks on it (POSIX).
 */
function writingDescriptor(path: string): number {
  const { dev, ino } = statSync(path);
  for (const name of ownDescriptors())
    if (isSame(Number(name), dev, ino) && isWritable(name)) return Number(name);
  const key = `${dev}:${ino}`;
  const file = opened.get(key) ?? openSync(path, "r+");
  opened.set(key, file);
  return file;
}

/** None where there is no /proc. */
function ownDescriptors(): readonly string[] {
  try {
    return readdirSync("/proc/self/fd");
  } catch {
    return [];
  }
}

function isSame(file: number, dev: number, ino: number): boolean {
  try {
    const found = fstatSync(file);
    return found.ino === ino && found.dev === dev;
  } catch {
    return false; // the descriptor by which the folder was read
  }
}

function isWritable(file: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & 3) === constants.O_RDWR;
}

/** The pages of a file that can be cleared like this; null if it is of another kind. */
function pagesOf(value: (pragma: string) => number): Pages | null {
  const pages = { bytes: value("page_size"), count: value("page_count") };
  return value("auto_vacuum") === 0 && pages.count < PAGES_MAX ? pages : null;
}

// What SQLite leaves in the unused parts of its pages. With `secure_delete` it overwrites rows that it removes and pages that it frees.
// But when it distributes entries anew over neighbouring pages, it writes a page's entries from the end, and does not overwrite what was
// there in the gap before them. https://www.sqlite.org/fileformat2.html, "B-tree Pages"

const FILE_HEADER_BYTES = 100;

const LARGEST_PAGE_BYTES = 65_536;
/** As many as a page has bytes, at most. */
const ZEROS: Readonly<Buffer> = Buffer.alloc(LARGEST_PAGE_BYTES);

/** Bytes of a page's header, by the type of the page. Other pages belong to no tree: they hold the rest of long rows, or nothing. */
const HEADER_BYTES: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 };

/** From here on, the first byte of a page that belongs to no tree may be that of a type. */
const PAGES_MAX = 0x0200_0000;

/** Bytes of a page, from `from` to before `to`. */
interface Residue {
  readonly from: number;
  readonly to: number;
}

/**
 * The unused parts of a page that hold something. None of a page that belongs to no tree, or that is damaged. `isFirst`: page 1, which
 * begins with the file's header.
 */
function residuesOf(page: Buffer, isFirst: boolean): readonly Residue[] {
  const base = isFirst ? FILE_HEADER_BYTES : 0;
  const header = HEADER_BYTES[page[base]!];
  if (header === undefined) return [];
  const pointers = base + header;
  const gap = {
    from: pointers + wholeAt(page, base + 3) * 2,
    to: wholeAt(page, base + 5) || LARGEST_PAGE_BYTES,
  };
  if (gap.from > gap.to || gap.to > page.length) return [];
  const found = isZero(page, { from: afterPointers(page, gap), to: gap.to }) ? [] : [gap];
  for (let at = wholeAt(page, base + 1), before = gap.to - 1; at !== 0; ) {
    if (at <= before || at + 4 > page.length) return [];
    const block = { from: at + 4, to: at + wholeAt(page, at + 2) };
    if (block.to < block.from || block.to > page.length) return [];
    if (!isZero(page, block)) found.push(block);
    before = at;
    at = wholeAt(page, at);
  }
  return found.length === 0 || areApart(page, pointers, gap, found) ? found : [];
}

/** Whether no entry begins in a part that is unused. */
function areApart(page: Buffer, pointers: number, gap: Residue, unused: readonly Residue[]): boolean {
  const end = page.length;
  const hasBlocks = unused.length > 1 || unused[0] !== gap;
  for (let at = pointers; at < gap.from; at += 2) {
    const entry = wholeAt(page, at);
    if (entry < gap.to || entry >= end) return false;
    if (hasBlocks && unused.some(({ from, to }) => entry >= from && entry < to)) return false;
  }
  return true;
}

/** Two bytes as a number, without the checks of `readUInt16BE`: every page that is written is looked at. */
function wholeAt(page: Buffer, at: number): number {
  return page[at]! * 256 + page[at + 1]!;
}

/** Where the gap goes on after the positions of entries that were removed: no more than that stays of them in most pages. */
function afterPointers(page: Buffer, { from, to }: Residue): number {
  let at = from;
  for (; at + 2 <= to; at += 2) {
    const position = wholeAt(page, at);
    if (position < to || position >= page.length) break;
  }
  return at;
}

function isZero(page: Buffer, { from, to }: Residue): boolean {
  return page.compare(ZEROS, 0, to - from, from, to) === 0;
}
