// A month of nights; nights.trial.ts has a year.
import { expect, test } from "bun:test";
import { syncNights } from "./nights.ts";

test("in a month of nightly syncs with a window of two weeks, no request is lost, and deleted ones go", async () => {
  const { stored, deleted } = await syncNights(31);
  expect(stored).toBeGreaterThan(20);
  expect(deleted).toBeGreaterThan(5);
}, 120_000);
