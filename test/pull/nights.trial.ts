// A year of nights.
import { expect, test } from "bun:test";
import { syncNights } from "./nights.ts";

test("in a year of nightly syncs with a window of two weeks, no request is lost, and deleted ones go", async () => {
  const seen = await syncNights(365);
  console.log(seen);
  expect(seen.stored).toBeGreaterThan(200);
  expect(seen.deleted).toBeGreaterThan(50);
}, 1_200_000);
