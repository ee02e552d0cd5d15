// Property: for any facts and window, `balance` equals the slow day-by-day model (model.ts).
import { expect, test } from "bun:test";
import fc from "fast-check";
import { balance } from "../../src/balances/balance.ts";
import type { BalanceFacts, BalanceWindow } from "../../src/balances/facts.ts";
import { allFacts, anyDay, lateDay } from "./generators.ts";
import { modelBalance } from "./model.ts";

const anyWindow = fc.record({
  today: lateDay,
  startDate: fc.option(anyDay, { freq: 2, nil: undefined }),
  endDate: fc.option(lateDay, { freq: 2, nil: undefined }),
});

/** `model.trial.ts` looks longer. */
const RUNS = Number(process.env.ROLLCALL_TEST_MODEL_RUNS ?? 100);

/** There is no balance before an opening. */
function from({ opening }: BalanceFacts, { today, startDate, endDate }: BalanceWindow): BalanceWindow {
  const first = opening?.day ?? -Infinity;
  if (endDate === undefined) return { today: Math.max(today, first), startDate };
  return { today, startDate, endDate: Math.max(endDate, first) };
}

function expectAgreement(facts: BalanceFacts, window: BalanceWindow): void {
  const shown = balance(facts, window);
  const hundredths = Object.entries(shown).map(([name, minutes]) => [name, Math.round(minutes * 100)]);
  expect(Object.fromEntries(hundredths)).toEqual(modelBalance(facts, window));
}

test("agrees with the day-by-day model on any facts, in any window", () => {
  fc.assert(
    fc.property(allFacts, anyWindow, (facts, window) => {
      expectAgreement(facts, from(facts, window));
      if (facts.movesFrom !== null) expectAgreement(facts.movesFrom, from(facts.movesFrom, window));
    }),
    { numRuns: RUNS },
  );
});
