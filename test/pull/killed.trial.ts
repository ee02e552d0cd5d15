// kill -9 at 50 moments of a sync.
import { expect, test } from "bun:test";
import { killSyncs } from "./killed-syncs.ts";

test("killed at 50 random moments, the company is as before or as after", async () => {
  const seen = await killSyncs(50);
  console.log(seen);
  expect(seen.before).toBeGreaterThan(5);
  expect(seen.before + seen.after).toBe(50);
}, 1_200_000);
