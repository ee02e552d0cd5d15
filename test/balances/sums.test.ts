// Property: the shortcut for sums equals the sum of single postings, which explanations show.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { postedThrough } from "../../src/balances/balance.ts";
import type { BalanceFacts } from "../../src/balances/facts.ts";
import { add, type Rational, subtract, toMillionths, ZERO } from "../../src/balances/rational.ts";
import { day, factsOf, on, perHourWorked, postings } from "./builders.ts";
import { anyDay, anyFacts } from "./generators.ts";

/** Without rules that require each posting. */
function withoutCaps(facts: BalanceFacts): BalanceFacts {
  const rules = {
    ...facts.policy.rules,
    yearlyAccrualCapMinutes: null,
    balanceCapMinutes: null,
    carryoverExpiresAfterMonths: null,
    carryoverExpiresAfterDays: null,
  };
  return { ...facts, policy: { ...facts.policy, rules } };
}

function difference(a: Rational, b: Rational): number {
  return toMillionths(subtract(a, b));
}

test("the shortcut equals the sum of single postings", () => {
  let summed = 0;
  fc.assert(
    fc.property(anyFacts, anyDay, (anything, until) => {
      const facts = withoutCaps(anything);
      const sums = postedThrough(facts, until);
      if (sums === null) return;
      summed += 1;
      let unlocked = ZERO;
      let locked = ZERO;
      for (const { minutes, unlocksOn } of postings(facts, until)) {
        if (unlocksOn <= until) unlocked = add(unlocked, minutes);
        else locked = add(locked, minutes);
      }
      expect(difference(sums.unlocked, unlocked)).toBe(0);
      expect(difference(sums.locked, locked)).toBe(0);
    }),
    { numRuns: 4000 },
  );
  expect(summed).toBeGreaterThan(1000);
}, 120_000);

test("hours under a limit lose nothing at a year boundary in a gap", () => {
  const facts = factsOf({
    policy: perHourWorked(60, 1, { carryoverLimitMinutes: 0 }),
    assigned: "2024-01-01",
    gaps: ["2024-12-20/2025-01-10"],
    workedHours: [on("2024-06-03", 480)],
  });
  expect(postedThrough(facts, day("2025-02-01"))).toBeNull();
  const posted = postings(facts, day("2025-02-01")).map(({ kind, minutes }) => [kind, toMillionths(minutes)]);
  expect(posted).toEqual([
    ["accrual", 480],
    ["forfeit", 0],
  ]);
});
