// An import that is killed at any moment leaves the store as it was before, or as it is after. No position of its change feed
// ever stands for two contents.
// killed.trial.ts kills 100 of them, on each engine.
import { expect, test } from "bun:test";
import { importing, killChanges, sqliteCopies } from "./killed-imports.ts";

const ROUNDS = 6;

test(`killed at ${ROUNDS} random moments, the store is as before or as after`, async () => {
  const { before, after } = await killChanges(sqliteCopies(), ROUNDS, importing);
  expect(before + after).toBe(ROUNDS);
});
