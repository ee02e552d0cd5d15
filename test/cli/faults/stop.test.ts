// SIGTERM under load: every request gets a complete response, or its connection was never accepted.
import { expect, test } from "bun:test";
import { withPlace } from "./place.ts";
import { stopUnderLoad } from "./stop.ts";

test("a server that stops drops no response", async () => {
  await withPlace(async (place) => {
    for (const stopAfterMs of [50, 300, 700]) {
      const { responded, dropped, exitCode } = await stopUnderLoad(place, stopAfterMs);
      expect(dropped).toBe(0);
      expect(responded).toBeGreaterThan(0);
      expect(exitCode).toBe(0);
    }
  });
}, 60_000);
