// A year of nights of each preset, as in nights.all.test.ts.
import { expect, test } from "bun:test";
import { NIGHTLY, pullNights, syncNights } from "./nights.ts";

test.each(Object.keys(NIGHTLY))(
  "%s: a year of nights while leave comes and goes loses nothing",
  async (preset) => {
    const { deleted, unproven } = await syncNights(preset, 365);
    if (preset !== "hibob") expect(deleted).toBeGreaterThan(100);
    expect(unproven).toBeLessThan(365);
  },
  3_600_000,
);

test.each(Object.keys(NIGHTLY))(
  "%s: a year of pulls while leave comes and goes loses nothing",
  async (preset) => {
    const { deleted, unproven } = await pullNights(preset, 365);
    if (preset !== "hibob") expect(deleted).toBeGreaterThan(100);
    expect(unproven).toBeLessThan(365);
  },
  600_000,
);
