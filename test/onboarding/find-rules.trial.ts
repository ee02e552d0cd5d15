// Property: of two dozen companies whose rules are known, the rules that are found from a year of month ends give the year after, too, also
// where balances are shown in tenths of a day.
import { expect, test } from "bun:test";
import { foundIn, HIDDEN } from "./hidden-rules.ts";

test.each(HIDDEN.flatMap((policy, at) => [0.01, 48].map((roundTo) => [at, roundTo, policy] as const)))(
  "policy %d, shown in %d minutes",
  (at, roundTo, policy) => {
    const { rules, missed } = foundIn(policy, at + 1, roundTo, 40);
    expect(rules.agree).toBe(rules.reported);
    expect(missed).toBe(0);
  },
);
