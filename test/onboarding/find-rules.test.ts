// Property: the rules that are found for a company whose rules are known, and not stored, give what was reported, and what is reported in
// the year after; or it is said of whom they do not. Also where balances are shown in tenths of a day.
import { expect, test } from "bun:test";
import { findRules } from "../../src/onboarding/find-rules.ts";
import { monthly, yearly } from "../balances/builders.ts";
import { foundIn, HIDDEN, monthEnds, reportedOf } from "./hidden-rules.ts";

test.each([
  [HIDDEN[2]!, 0.01],
  [HIDDEN[7]!, 48],
  [HIDDEN[20]!, 0.01],
  [HIDDEN[21]!, 0.01],
  [HIDDEN[24]!, 0.01],
])("%j, shown in %d minutes", (policy, roundTo) => {
  const { rules, missed } = foundIn(policy, 5, roundTo, 16);
  expect(rules).toMatchObject({ agree: rules.reported, differ: [] });
  expect(missed).toBe(0);
  expect(rules.policy.rules).toEqual(policy.rules);
});

test("who has another amount is told, and is not in the way of the others", () => {
  const most = reportedOf(yearly(9600), { workers: 10, days: monthEnds(12), seed: 3 });
  const other = reportedOf(monthly(700), { workers: 1, days: monthEnds(12), seed: 4 });
  const rules = findRules([...most, { ...other[0]!, workerId: "wrk_other" }], 1)!; // nobody has an own amount
  expect(rules.policy).toEqual(yearly(9600));
  expect(rules.differ).toEqual(["wrk_other"]);
  expect(rules.agree).toBeLessThan(rules.reported);
});
