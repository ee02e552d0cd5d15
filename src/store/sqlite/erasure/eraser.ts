// Nothing of a removed row, or of what a row was before it changed, stays in the store's files. SQLite overwrites most of it
// (`secure_delete`). The rest is in unused parts of pages that a transaction wrote, and the log says which pages these are.
//
// Every transaction makes a mark beside the store before it commits. The mark goes when the pages are cleared, so it outlives a
// kill. If it is there when a transaction begins, nobody knows which pages may hold something: then all are looked at.
import { SQLiteError } from "bun:sqlite";
import { statSync } from "node:fs";
import type { Remains } from "../../store.ts";
import {
  BUSY_TIMEOUT_MS,
  emptyLog,
  freeSpace,
  isMarkedForErasure,
  markForErasure,
  openWriter,
  pragma,
  removeErasureMark,
  Statements,
  vacuum,
} from "../database.ts";
import { clearResidues, pagesOf, suspectsInLog, writingDescriptor } from "./clear.ts";

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
    if (isMarked && this.#pages() === null && !vacuum(database)) return { isErased: false, until: "cleared" };
    const isRewritten = isMarked && freeSpace(database);
    const pages = this.#pages();
    const suspects =
      !isMarked || isRewritten || version === null || pages === null
        ? null
        : suspectsInLog(`${this.#path}-wal`, pages);
    const emptied = emptyLog(database, waitMs);
    if (!emptied.isErased) return emptied;
    if (!isMarked) return { isErased: true };
    const isCleared = this.#alone(() => {
      const known = this.#pragma("data_version") === version ? suspects : null;
      const now = this.#pages();
      if (now !== null) clearResidues(writingDescriptor(this.#path), now, known);
      removeErasureMark(this.#path);
    });
    return isCleared ? { isErased: true } : { isErased: false, until: "cleared" };
  }

  /** The same, of a store that a version may have written which left residues. */
  eraseAll(waitMs: number): Remains {
    markForErasure(this.#path);
    return this.erase(waitMs);
  }

  /** Runs `work` while nobody else may write and the log is empty. Returns false if that cannot be had now. */
  #alone(work: () => void): boolean {
    const { database } = this.#statements;
    database.run(`pragma busy_timeout = ${ALONE_WAIT_MS}`);
    try {
      database.run("begin immediate");
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error;
      return false;
    } finally {
      database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    try {
      const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
      if (log !== undefined && log.size > 0) return false; // somebody has committed, and clears the file
      work();
      return true;
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      return false;
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
