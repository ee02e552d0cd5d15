// Property: see known-on.ts. Six hundred pairs of a night and a query, of three made-up companies.
import { expect, test } from "bun:test";
import { compareNights } from "./known-on.ts";

for (const seed of [1, 2, 3])
  test(`what was known on a night is what the server sent that night: seed ${seed}`, async () => {
    const compared = await compareNights({ seed, workers: 30, nights: 10, queriesANight: 20 });
    expect(compared).toBe(200);
  });
