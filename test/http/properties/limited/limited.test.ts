// Property: see limited.ts; limited.all.test.ts has more companies.
import { afterAll, expect, test } from "bun:test";
import { openTestStore } from "../../../support/stores.ts";
import { compareLimited } from "./limited.ts";

const store = await openTestStore();
afterAll(() => store.dispose());

test("whoever sees some workers gets their part of every response, and nothing else", async () => {
  expect(await compareLimited(store, { seed: 1, nights: 3, queries: 16 })).toBe(48);
});
