// When an import or a migration of the embedded store gets a thread of its own, and where the thread's code is.
import { Worker } from "node:worker_threads";
import type { SentError } from "../../thread/messages.ts";
import { revived } from "../../thread/remote.ts";

/** Starting the thread takes a tenth of a second: as long as importing a tenth of this. */
const FROM_BYTES = 2_000_000;

declare const ROLLCALL_BUILD: unknown;

const isSource = typeof ROLLCALL_BUILD === "undefined";

/** Its source, or where `delivery/bundle.ts` puts it. */
export const THREAD_ENTRY = new URL(isSource ? "./import-thread.ts" : "./import-thread.js", import.meta.url);

const MIGRATE_ENTRY = new URL(isSource ? "./migrate-thread.ts" : "./migrate-thread.js", import.meta.url);

/** What the thread of a migration posts once, if another process writes to the store. */
export const IS_WAITING = "waiting";

/** Migrates the store at `path`, and makes it where there is none. Waits for other writers. Meanwhile, signals are seen. */
export async function migrateInThread(path: string, onWait?: () => void): Promise<void> {
  const thread = new Worker(MIGRATE_ENTRY, { workerData: path });
  const ended = Promise.withResolvers<SentError | null>();
  thread.on("message", (message: SentError | null | typeof IS_WAITING) => {
    if (message === IS_WAITING) onWait?.();
    else ended.resolve(message);
  });
  thread.once("error", ended.reject);
  thread.once("exit", () => ended.reject(new Error("the thread of the migration ended")));
  try {
    const error = await ended.promise;
    if (error !== null) throw revived(error);
  } finally {
    await thread.terminate();
  }
}

/** Whether files of so many bytes are worth a thread. */
export function isLarge(sourceBytes: number): boolean {
  return sourceBytes >= FROM_BYTES;
}
