// Property: see changed-closes.ts. Three companies of sixty people whose data is odd, eight months each.
import { expect, test } from "bun:test";
import { compareCloses } from "./changed-closes.ts";

for (const seed of [1, 2, 3])
  test(`what differs from a close is named, on both engines: seed ${seed}`, async () => {
    const compared = await compareCloses({ seed, people: 60, months: 8 });
    console.log(seed, compared);
    expect(compared).toBeGreaterThan(200);
  }, 3_600_000);
