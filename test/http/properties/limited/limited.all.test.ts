// Property: see limited.ts. Six nights of two made-up companies.
import { expect, test } from "bun:test";
import { openTestStore } from "../../../support/stores.ts";
import { compareLimited } from "./limited.ts";

for (const seed of [1, 2])
  test(`whoever sees some workers gets their part of every response: seed ${seed}`, async () => {
    const store = await openTestStore();
    try {
      expect(await compareLimited(store, { seed, nights: 6, queries: 60 })).toBe(360);
    } finally {
      await store.dispose();
    }
  }, 300_000);
