// When an import collects garbage. Bun alone would let it grow by half as much memory again as an import may have. Collecting
// each time is a sixth of an import's CPU time, so it is left out while the process has little memory.

/** An import may have 300 MB: with so much and the garbage until the next time, it stays below. */
const FROM_RESIDENT_BYTES = 225_000_000;

/** Calls between two collections: if they do not help, they are not worth more time. */
const PAUSE_CALLS = 2;

let callsSinceLast = 0;

/** Collects this thread's garbage, if the process has much memory. To be called for every 5,000 rows or so. */
export function collectGarbage(): void {
  callsSinceLast++;
  if (callsSinceLast < PAUSE_CALLS || process.memoryUsage.rss() < FROM_RESIDENT_BYTES) return;
  callsSinceLast = 0;
  Bun.gc(true);
}
