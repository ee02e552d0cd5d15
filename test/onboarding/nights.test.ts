// Some nights of each preset; `nights.trial.ts` has a year of them.
import { expect, test } from "bun:test";
import { PRESET_PULL_FILES } from "../../src/onboarding/presets/index.ts";
import { NIGHTLY, syncNights } from "./nights.ts";

test("each preset has its nights", () => {
  expect(Object.keys(NIGHTLY).sort()).toEqual([...PRESET_PULL_FILES.keys()].sort());
});

test.each(Object.keys(NIGHTLY))("%s: five nights while leave comes and goes lose nothing", async (preset) => {
  const { unproven } = await syncNights(preset, 5);
  expect(unproven).toBeLessThan(5);
});
