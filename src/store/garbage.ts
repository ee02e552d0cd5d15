// When an import collects garbage. Bun alone would let it grow by half as much memory again as an import may have. Collecting
// each time is a sixth of an import's CPU time, so it is left out while the process has little memory.

/** An import may have 300 MB: with so much and the garbage until the next time, it stays below. */
const FROM_RESIDENT_BYTES = 225_000_000;

/** Collects garbage, if the process has much memory. */
export function collectGarbage(): void {
  if (process.memoryUsage.rss() >= FROM_RESIDENT_BYTES) Bun.gc(true);
}
