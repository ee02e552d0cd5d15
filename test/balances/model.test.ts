// Property: for any facts and window, `balance` equals the slow day-by-day model (model.ts).
import { expect, test } from "bun:test";
import fc from "fast-check";
import { balance } from "../../src/balances/balance.ts";
import type { BalanceFacts, BalanceWindow } from "../../src/balances/facts.ts";
import { day, factsOf, monthly, worksFrom, yearly } from "./builders.ts";
import { allFacts, anyDay, factsOnFewDays, lateDay } from "./generators.ts";
import { modelBalance } from "./model.ts";

const anyWindow = fc.record({
  today: lateDay,
  startDate: fc.option(anyDay, { freq: 2, nil: undefined }),
  endDate: fc.option(lateDay, { freq: 2, nil: undefined }),
});

/** `model.trial.ts` has more. */
const RUNS = Number(process.env.ROLLCALL_TEST_MODEL_RUNS ?? 60);

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
      for (let each: BalanceFacts | null = facts; each !== null; each = each.movesFrom)
        expectAgreement(each, from(each, window));
    }),
    { numRuns: RUNS },
  );
});

test("agrees where a tier, a change of working time, a change of the rules and a year boundary meet in few months", () => {
  const near = fc.integer({ min: day("2020-11-01"), max: day("2021-04-30") });
  const meeting = fc.record({
    facts: allFacts,
    tierOn: near,
    scheduledFrom: near,
    changesOn: near,
    tierFrom: fc.constantFrom("nextPeriod" as const, "sameDay" as const, "sameYear" as const),
    revalue: fc.constantFrom("none" as const, "remaining" as const, "weeks" as const),
  });
  fc.assert(
    fc.property(
      meeting,
      anyWindow,
      ({ facts: given, tierOn, scheduledFrom, changesOn, ...asked }, window) => {
        fc.pre(given.policy.schedule === "monthly" || given.policy.schedule === "yearly");
        const isYear = given.policy.schedule === "yearly" && given.policy.rules.instalments === null;
        const rules = {
          ...given.policy.rules,
          ...{
            tiers: [{ months: 12, minutes: 1200.5 }],
            scaleWith: "share" as const,
            revalue: asked.revalue,
          },
          ...{
            prorateBy: "days" as const,
            firstYearWholeAfterMonths: null,
            firstYearGrants: "atOnce" as const,
          },
          tierFrom:
            asked.revalue === "weeks" || (asked.tierFrom === "sameYear" && !isYear)
              ? ("nextPeriod" as const)
              : asked.tierFrom,
          grantsExpireAfterMonths: null,
          roundSumToMinutes: asked.revalue === "weeks" ? null : given.policy.rules.roundSumToMinutes,
        };
        const { minutesPerPeriod, ...terms } = given.policy;
        const later = { ...terms, from: changesOn, minutesPerPeriod: minutesPerPeriod! + 480, rules };
        const facts = {
          ...given,
          movesFrom: null,
          policy: { ...given.policy, rules, changes: [later] },
          assignment: {
            ...given.assignment,
            minutesPerPeriod: null,
            serviceFrom: tierOn - 365,
            grantsExpireAfterMonths: null,
          },
          worker: {
            ...given.worker,
            schedules: [
              worksFrom("2018-01-01", "480,480,480,480,480,0,0", 2400),
              { ...worksFrom("2018-01-01", "240,240,240,240,240,0,0", 2400), startsOn: scheduledFrom },
            ],
          },
        };
        expectAgreement(facts, from(facts, window));
      },
    ),
    { numRuns: RUNS },
  );
});

test("agrees where everything falls on few days, on these days and around them", () => {
  fc.assert(
    fc.property(factsOnFewDays, fc.nat(6), fc.integer({ min: -1, max: 1 }), ({ facts, days }, at, offset) => {
      const endDate = days[at % days.length]! + offset;
      expectAgreement(facts, from(facts, { today: endDate, endDate }));
    }),
    { numRuns: RUNS },
  );
});

test("a change of working time after a tier on the same day leaves what the tier granted for later days", () => {
  const facts = factsOf({
    policy: monthly(480, {
      ...{ scaleWith: "share", revalue: "remaining", prorate: false },
      ...{ tiers: [{ months: 12, minutes: 1200.5 }], tierFrom: "sameDay" },
    }),
    assigned: "2020-01-01",
    serviceFrom: "2019-11-02",
    schedules: [
      worksFrom("2018-01-01", "480,480,480,480,480,0,0", 2400),
      worksFrom("2020-11-03", "240,240,240,240,240,0,0", 2400),
    ],
  });
  for (const today of ["2020-11-02", "2020-11-03", "2020-12-31"])
    expectAgreement(facts, { today: day(today) });
});

test("a change of working time inside a pause is revalued on the day after it, by what was known before it", () => {
  const paused = factsOf({
    policy: yearly(9600, { scaleWith: "share", revalue: "remaining" }),
    assigned: "2020-01-01",
    pauses: ["2021-01-02/2021-02-26"],
    schedules: [
      worksFrom("2018-01-01", "480,480,480,480,480,0,0", 2400),
      worksFrom("2021-01-02", "240,240,240,240,240,0,0", 2400),
    ],
  });
  for (const today of ["2021-01-01", "2021-02-26", "2021-02-27", "2021-12-31"])
    expectAgreement(paused, { today: day(today) });
});
