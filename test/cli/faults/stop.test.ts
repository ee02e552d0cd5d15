// SIGTERM under load: every request is answered whole, or its connection was never taken.
import { expect, test } from "bun:test";
import { withPlace } from "./place.ts";
import { stopUnderLoad } from "./stop.ts";

test("a server that is told to stop drops no answer", async () => {
  await withPlace(async (place) => {
    for (const stopAfterMs of [50, 300, 700]) {
      const { answered, dropped, exitCode } = await stopUnderLoad(place, stopAfterMs);
      expect(dropped).toBe(0);
      expect(answered).toBeGreaterThan(0);
      expect(exitCode).toBe(0);
    }
  });
}, 60_000);
