// Migrates the embedded store whose path it gets, and posts what went wrong, or null. It is an entry of its own in a bundle.
import { parentPort, workerData } from "node:worker_threads";
import type { SentError } from "../../thread/messages.ts";
import { sentError } from "../../thread/serve.ts";
import { openSqliteWriteStore } from "../write.ts";

let error: SentError | null = null;
try {
  await openSqliteWriteStore(String(workerData), { migrate: true }).close();
} catch (caught) {
  error = sentError(caught);
}
parentPort!.postMessage(error); // this runs only as a thread
