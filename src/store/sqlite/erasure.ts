// Nothing of people who were removed stays in the store's files. SQLite overwrites a row that it deletes (`secure_delete`), but when it
// distributes rows anew over its pages, copies stay in their unused parts, and the log has pages as they were. So after a removal of
// people the file is rewritten, and the log emptied. A row of `pending_erasures`, written with the removal, tells the next writer of one
// that could not be completed.
import type { Erasure } from "../store.ts";
import { emptyLog, openWriter, Statements, unlessBusy } from "./database.ts";
import { STORE_SCHEMA } from "./schema.ts";

/** In the transaction that removes people. */
export function noteRemoval(statements: Statements): void {
  statements.prepare("insert into pending_erasures default values").run();
}

/** The number of the last removal whose erasure is not complete; null where there is none. */
export function pendingErasure(statements: Statements): number | null {
  const [row] = statements.prepare("select max(number) from pending_erasures").values();
  return (row?.[0] as number | null | undefined) ?? null; // a number, or null where there is no row
}

/** After a transaction. Waits for others up to `waitMs`. What cannot be done now is done after the next transaction. */
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

/** The same for the store at `path`, after something has read it for long. Waits for nobody. */
export function eraseAfterReading(path: string): void {
  try {
    const statements = new Statements(openWriter({ path, schema: STORE_SCHEMA }, {}));
    try {
      erase(statements, 0);
    } finally {
      statements.close();
    }
  } catch {
    // The store is read-only: its next writer does it.
  }
}
