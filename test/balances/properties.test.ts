/** Properties that hold for any facts: windows add up, the order of facts does not matter, caps and rounding hold. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { balance, balanceSums } from "../../src/balances/balance.ts";
import type { BalanceFacts } from "../../src/balances/facts.ts";
import { postings } from "../../src/balances/postings.ts";
import { add, type Rational, sign, subtract, ZERO } from "../../src/balances/rational.ts";
import { anyAdjustment, anyDay, anyFacts, anyRequest } from "./generators.ts";

const NUM_RUNS = { numRuns: 1000 };

function expectSame(a: Rational, b: Rational): void {
  expect(sign(subtract(a, b))).toBe(0);
}

/** Three days in order, two of which may be one. */
const threeDays = fc.tuple(anyDay, anyDay, anyDay).map((days) => days.sort((a, b) => a - b));

test("two adjacent windows add up to their union", () => {
  fc.assert(
    fc.property(anyFacts, anyDay, threeDays, (facts, today, [startDate, middle, endDate]) => {
      const first = balanceSums(facts, { today, startDate, endDate: middle });
      const second = balanceSums(facts, {
        today,
        startDate: middle! + 1,
        endDate: Math.max(endDate!, middle! + 1),
      });
      const both = balanceSums(facts, { today, startDate, endDate: Math.max(endDate!, middle! + 1) });
      expectSame(add(first.used, second.used), both.used);
      expectSame(add(first.holds, second.holds), both.holds);
      const accrued = (sums: typeof both) => add(sums.accruedLocked, sums.accruedUnlocked);
      expectSame(add(accrued(first), accrued(second)), accrued(both));
    }),
    NUM_RUNS,
  );
});

test("a window through the day before today and one without an end add up to all there is", () => {
  fc.assert(
    fc.property(anyFacts, anyDay, (facts, today) => {
      const past = balanceSums(facts, { today, endDate: today - 1 });
      const rest = balanceSums(facts, { today, startDate: today });
      const all = balanceSums(facts, { today });
      expectSame(add(past.used, rest.used), all.used);
      expectSame(add(past.holds, rest.holds), all.holds);
    }),
    NUM_RUNS,
  );
});

test("available is unlocked less used and held, to 0.01 minute; nothing with an unlimited policy", () => {
  const hundredths = (minutes: number) => Math.round(minutes * 100);
  fc.assert(
    fc.property(anyFacts, anyDay, anyDay, (facts, today, endDate) => {
      const { accruedUnlocked, available, holds, used } = balance(facts, { today, endDate });
      const expected = hundredths(accruedUnlocked) - hundredths(used) - hundredths(holds);
      expect(hundredths(available)).toBe(facts.policy.isUnlimited ? 0 : expected);
      // No noise: each number is the one that its two decimals name.
      for (const minutes of [accruedUnlocked, available, holds, used]) {
        expect(Number(minutes.toFixed(2))).toBe(minutes);
      }
    }),
    NUM_RUNS,
  );
});

test("a later today never lowers what accruals have unlocked", () => {
  const unlocked = (facts: BalanceFacts, today: number, endDate: number): Rational =>
    postings(facts, endDate)
      .filter(({ kind, unlocksOn }) => kind === "accrual" && unlocksOn <= Math.min(today, endDate))
      .reduce((sum, { minutes }) => add(sum, minutes), ZERO);
  const grantsOnly = anyFacts.map((facts) => ({
    ...facts,
    workedHours: facts.workedHours.filter(({ minutes }) => minutes >= 0),
  }));
  fc.assert(
    fc.property(grantsOnly, threeDays, anyDay, (facts, [today, later], endDate) => {
      expect(
        sign(subtract(unlocked(facts, later!, endDate), unlocked(facts, today!, endDate))),
      ).not.toBeLessThan(0);
    }),
    NUM_RUNS,
  );
});

test("without a wait, what a projection shows as locked is unlocked when that day comes", () => {
  fc.assert(
    fc.property(anyFacts, threeDays, (given, [today, endDate]) => {
      const rules = { ...given.policy.rules, waitingPeriodDays: 0 };
      const facts = { ...given, policy: { ...given.policy, rules } };
      const projected = balanceSums(facts, { today: today!, endDate });
      const then = balanceSums(facts, { today: endDate!, endDate });
      expectSame(then.accruedLocked, ZERO);
      expectSame(add(projected.accruedLocked, projected.accruedUnlocked), then.accruedUnlocked);
    }),
    NUM_RUNS,
  );
});

test("a posting is never usable before its day, and they come in order of days", () => {
  fc.assert(
    fc.property(anyFacts, anyDay, (facts, until) => {
      let last = -Infinity;
      for (const { postedOn, unlocksOn } of postings(facts, until)) {
        expect(postedOn >= last && postedOn <= until && unlocksOn >= postedOn).toBe(true);
        last = postedOn;
      }
    }),
    NUM_RUNS,
  );
});

describe("the result depends on the facts alone", () => {
  test("not on their order", () => {
    const shuffled = anyFacts.chain((facts) =>
      fc.record({
        facts: fc.constant(facts),
        adjustments: shuffle(facts.adjustments),
        workedHours: shuffle(facts.workedHours),
        requests: shuffle(facts.requests),
      }),
    );
    fc.assert(
      fc.property(shuffled, anyDay, anyDay, ({ facts, ...lists }, today, endDate) => {
        expect(balance({ ...facts, ...lists }, { today, endDate })).toEqual(
          balance(facts, { today, endDate }),
        );
      }),
      NUM_RUNS,
    );
  });

  test("a fact that is added and removed leaves no trace", () => {
    fc.assert(
      fc.property(anyFacts, anyAdjustment, anyRequest, anyDay, (facts, adjustment, request, today) => {
        const before = structuredClone(facts);
        const shown = balance(facts, { today });
        balance({ ...facts, adjustments: [...facts.adjustments, adjustment] }, { today });
        balance({ ...facts, requests: [request, ...facts.requests] }, { today });
        expect(facts).toEqual(before);
        expect(balance(facts, { today })).toEqual(shown);
      }),
      NUM_RUNS,
    );
  });

  test("an adjustment and its opposite on the same day change nothing", () => {
    fc.assert(
      fc.property(anyFacts, anyAdjustment, anyDay, (facts, adjustment, today) => {
        const opposite = { ...adjustment, minutes: 0 - adjustment.minutes };
        const adjusted = { ...facts, adjustments: [adjustment, ...facts.adjustments, opposite] };
        expect(balance(adjusted, { today })).toEqual(balance(facts, { today }));
      }),
      NUM_RUNS,
    );
  });

  test("denied requests count nowhere", () => {
    fc.assert(
      fc.property(anyFacts, anyRequest, anyDay, (facts, request, today) => {
        const denied = { ...request, status: "denied" as const };
        const shown = balance({ ...facts, requests: [...facts.requests, denied] }, { today });
        expect(shown).toEqual(balance(facts, { today }));
      }),
      NUM_RUNS,
    );
  });
});

function shuffle<Value>(list: readonly Value[]): fc.Arbitrary<Value[]> {
  return fc.shuffledSubarray([...list], { minLength: list.length });
}
