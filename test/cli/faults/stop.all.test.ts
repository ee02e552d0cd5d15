// SIGTERM under load: every request gets a complete response, or its connection was never accepted.
import { expect, test } from "bun:test";
import { PAUSED_CALLERS, stopPaused, stopUnderLoad } from "./stop.ts";
import { withStoreFolder } from "./store-folder.ts";

test("a server that stops drops no response", async () => {
  await withStoreFolder(
    async (storeFolder) => {
      for (const stopAfterMs of [50, 400]) {
        const { responded, dropped, exitCode } = await stopUnderLoad(storeFolder, stopAfterMs);
        expect(dropped).toBe(0);
        expect(responded).toBeGreaterThan(0);
        expect(exitCode).toBe(0);
      }
    },
    { small: 60, big: 1 },
  );
}, 120_000);

test("a server that did not run for a while when it stopped drops nothing that came meanwhile", async () => {
  await withStoreFolder(
    async (storeFolder) => {
      for (const pausedMs of [300, 300, 2500])
        expect(await stopPaused(storeFolder, pausedMs)).toEqual({
          responded: 2 * PAUSED_CALLERS,
          dropped: 0,
        });
    },
    { small: 60, big: 1 },
  );
}, 120_000);
