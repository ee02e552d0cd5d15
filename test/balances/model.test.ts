// Property: for any facts and window, `balance` equals the slow day-by-day model (model.ts).
import { expect, test } from "bun:test";
import fc from "fast-check";
import { balance } from "../../src/balances/balance.ts";
import { anyDay, anyFacts, lateDay } from "./generators.ts";
import { modelBalance } from "./model.ts";

const anyWindow = fc.record({
  today: lateDay,
  startDate: fc.option(anyDay, { freq: 2, nil: undefined }),
  endDate: fc.option(lateDay, { freq: 2, nil: undefined }),
});

/** `model.trial.ts` looks longer. */
const RUNS = Number(process.env.ROLLCALL_TEST_MODEL_RUNS ?? 2500);

test(
  "agrees with the day-by-day model on any facts, in any window",
  () => {
    fc.assert(
      fc.property(anyFacts, anyWindow, (given, window) => {
        // The model does not know yet that a lower tier takes nothing that a cap cut before.
        const uncapped = { yearlyAccrualCapMinutes: null, balanceCapMinutes: null };
        const { policy } = given;
        const rules = policy.rules.tierFrom === "sameDay" ? { ...policy.rules, ...uncapped } : policy.rules;
        const facts = { ...given, policy: { ...policy, rules } };
        const shown = balance(facts, window);
        const hundredths = Object.entries(shown).map(([name, minutes]) => [name, Math.round(minutes * 100)]);
        expect(Object.fromEntries(hundredths)).toEqual(modelBalance(facts, window));
      }),
      { numRuns: RUNS },
    );
  },
  RUNS * 60,
);
