// Erases removed people from the store's files. SQLite overwrites a row that it deletes (`secure_delete`). But copies stay in unused
// parts of pages when SQLite moves rows between pages, and in the log. So after a removal of people the file is rewritten, and the log
// emptied. A row of `pending_erasures`, written with the removal, tells the next writer that an erasure is not complete.
import type { Erasure } from "../store.ts";
import { emptyLog, openWriter, Statements, unlessBusy } from "./database.ts";
import { STORE_SCHEMA } from "./schema.ts";

/** Notes a removal, in the transaction that removes people. */
export function noteRemoval(statements: Statements): void {
  statements.prepare("insert into pending_erasures default values").run();
}

/** The number of the last removal whose erasure is not complete; null if there is none. */
export function pendingErasure(statements: Statements): number | null {
  const [row] = statements.prepare("select max(number) from pending_erasures").values();
  return (row?.[0] as number | null | undefined) ?? null; // a number, or null where there is no row
}

/** Completes erasures after a transaction. Waits for others up to `waitMs`. If one fails, the next transaction repeats it. */
export function erase(statements: Statements, waitMs: number): Erasure {
  const { database } = statements;
  return unlessBusy(database, waitMs, () => {
    const removal = pendingErasure(statements);
    statements.finalize(); // SQLite does not rewrite a file that a statement reads
    if (removal !== null) database.run("vacuum");
    const emptied = emptyLog(database);
    if (removal !== null && emptied.isErased)
      database.run("delete from pending_erasures where number <= ?", [removal]);
    return emptied;
  });
}

/** Completes erasures of the store at `path` after a long read. Waits for nobody. */
export function eraseAfterReading(path: string): void {
  try {
    using statements = new Statements(openWriter({ path, schema: STORE_SCHEMA }, {}));
    erase(statements, 0);
  } catch {
    // The store is read-only. Its next writer completes them.
  }
}
