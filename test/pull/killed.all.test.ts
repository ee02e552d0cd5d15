// A sync that is killed at any moment leaves the company as it was before, or as it is after; and the next run is right.
// killed.trial.ts kills 100 of them, on each engine.
import { expect, test } from "bun:test";
import { killSyncs } from "./killed-syncs.ts";

const ROUNDS = 4;

test(`killed at ${ROUNDS} random moments, the company is as before or as after`, async () => {
  const { before, after } = await killSyncs(ROUNDS);
  expect(before + after).toBe(ROUNDS);
}, 120_000);
