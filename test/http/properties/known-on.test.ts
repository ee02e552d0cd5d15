// Property: see known-on.ts. Here a few nights, in the trial five hundred pairs of a night and a query.
import { expect, test } from "bun:test";
import { compareNights } from "./known-on.ts";

test("a read as known on a night equals the response of that night", async () => {
  const compared = await compareNights({ seed: 55, workers: 14, nights: 5, queriesANight: 24 });
  expect(compared).toBe(120);
});
