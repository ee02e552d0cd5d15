// When an import collects garbage. Bun alone would let it grow by half as much memory again as an import may have. Young garbage takes
// one to four milliseconds to collect. Collecting all of it takes 13 to 24, and throws away compiled code, so that is left out while the
// process has little memory.
import { edenGC } from "bun:jsc";

/** An import may have 300 MB: with so much and the garbage until the next time, it stays below. */
const FROM_RESIDENT_BYTES = 225_000_000;

/** Calls between two collections of all garbage: if they do not help, they are not worth more time. */
const PAUSE_CALLS = 4;

let callsSinceLast = 0;

/** Collects this thread's young garbage, or all of it, if the process has much memory. To be called for every 2,500 rows or so. */
export function collectGarbage(): void {
  callsSinceLast++;
  if (callsSinceLast < PAUSE_CALLS || process.memoryUsage.rss() < FROM_RESIDENT_BYTES) {
    edenGC();
    return;
  }
  callsSinceLast = 0;
  Bun.gc(true);
}
