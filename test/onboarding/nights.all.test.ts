// Some nights of each preset, and months of its pulls alone; `nights.trial.ts` has a year of both.
import { expect, test } from "bun:test";
import { PRESET_PULL_FILES } from "../../src/onboarding/presets/index.ts";
import { NIGHTLY, pullNights, syncNights } from "./nights.ts";

test("each preset has its nights", () => {
  expect(Object.keys(NIGHTLY).sort()).toEqual([...PRESET_PULL_FILES.keys()].sort());
});

test.each(Object.keys(NIGHTLY))("%s: five nights while leave comes and goes lose nothing", async (preset) => {
  const { unproven } = await syncNights(preset, 5);
  expect(unproven).toBeLessThan(5);
});

test.each(Object.keys(NIGHTLY))(
  "%s: months of pulls while leave comes and goes lose nothing",
  async (preset) => {
    const { deleted, unproven } = await pullNights(preset, 120);
    if (preset !== "hibob") expect(deleted).toBeGreaterThan(30);
    expect(unproven).toBeLessThan(120);
  },
);
