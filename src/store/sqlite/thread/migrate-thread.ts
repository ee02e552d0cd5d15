// Migrates the embedded store whose path it gets, and posts what went wrong, or null. It is an entry of its own in a bundle.
import { SQLiteError } from "bun:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { StoreUnavailable } from "../../store.ts";
import type { SentError } from "../../thread/messages.ts";
import { sentError } from "../../thread/serve.ts";
import { openSqliteWriteStore } from "../write.ts";
import { IS_WAITING } from "./start.ts";

/** SQLite itself waits before it gives up, but not in all cases. */
const RETRY_MS = 200;

let error: SentError | null = null;
try {
  for (let tries = 1; !(await isMigrated()); tries++) {
    if (tries === 1) parentPort!.postMessage(IS_WAITING); // this runs only as a thread
    await Bun.sleep(RETRY_MS);
  }
} catch (caught) {
  error = sentError(caught);
}
parentPort!.postMessage(error); // this runs only as a thread

/** False if another process wrote to the store for as long as SQLite waits. */
async function isMigrated(): Promise<boolean> {
  try {
    await openSqliteWriteStore(String(workerData), { migrate: true }).close();
    return true;
  } catch (caught) {
    const cause = caught instanceof StoreUnavailable ? caught.cause : null;
    if (cause instanceof SQLiteError && cause.code?.startsWith("SQLITE_BUSY")) return false;
    throw caught;
  }
}
