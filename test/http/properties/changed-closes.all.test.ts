// Property: see changed-closes.ts. changed-closes.trial.ts has more people and months.
import { expect, test } from "bun:test";
import { compareCloses } from "./changed-closes.ts";

test("what differs from a close is named, on both engines", async () => {
  expect(await compareCloses({ seed: 7, people: 15, months: 3 })).toBeGreaterThan(5);
}, 120_000);
