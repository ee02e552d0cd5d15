/** Properties that hold for any facts: windows add up, the order of facts does not matter, caps and rounding hold. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type BalanceEntry, balance, balancesIn } from "../../src/balances/balance.ts";
import { coverageOf, employmentOf, isCovered } from "../../src/balances/coverage.ts";
import type { BalanceFacts, PolicyRules, PolicyTerms } from "../../src/balances/facts.ts";
import { countedLeave } from "../../src/balances/leave.ts";
import { leaveYears, periodOf } from "../../src/balances/periods.ts";
import { add, type Rational, rational, sign, subtract, ZERO } from "../../src/balances/rational.ts";
import { DEFAULT_RULES } from "../../src/resources/policies.ts";
import { entriesOf, type Posting, postings, sumsIn } from "./builders.ts";
import {
  allFacts,
  anyAdjustment,
  anyDay,
  anyFacts,
  anyRequest,
  lateDay,
  neverExpiring,
} from "./generators.ts";

const NUM_RUNS = { numRuns: Number(process.env.ROLLCALL_TEST_PROPERTY_RUNS ?? 200) };

function expectSame(a: Rational, b: Rational): void {
  expect(sign(subtract(a, b))).toBe(0);
}

/** Three days in order; they may be equal. */
const threeDays = fc.tuple(anyDay, anyDay, anyDay).map((days) => days.sort((a, b) => a - b));

test("the balances in several windows are those of each window alone", () => {
  fc.assert(
    fc.property(allFacts, anyDay, fc.array(anyDay, { maxLength: 12 }), (facts, today, days) => {
      days.sort((a, b) => a - b);
      const windows = days.map((endDate) => ({ today, endDate }));
      expect(balancesIn(facts, windows)).toEqual(windows.map((window) => balance(facts, window)));
    }),
    NUM_RUNS,
  );
});

test("two adjacent windows add up to their union", () => {
  fc.assert(
    fc.property(anyFacts, anyDay, threeDays, (facts, today, [startDate, middle, endDate]) => {
      const first = sumsIn(facts, { today, startDate, endDate: middle });
      const second = sumsIn(facts, {
        today,
        startDate: middle! + 1,
        endDate: Math.max(endDate!, middle! + 1),
      });
      const both = sumsIn(facts, { today, startDate, endDate: Math.max(endDate!, middle! + 1) });
      expectSame(add(first.used, second.used), both.used);
      expectSame(add(first.holds, second.holds), both.holds);
      const accrued = (sums: typeof both) => add(sums.accruedLocked, sums.accruedUnlocked);
      expectSame(add(accrued(first), accrued(second)), accrued(both));
    }),
    NUM_RUNS,
  );
});

test("a window until yesterday and one from today on add up to one without bounds", () => {
  fc.assert(
    fc.property(anyFacts, anyDay, (facts, today) => {
      const past = sumsIn(facts, { today, endDate: today - 1 });
      const rest = sumsIn(facts, { today, startDate: today });
      const all = sumsIn(facts, { today });
      expectSame(add(past.used, rest.used), all.used);
    }),
    NUM_RUNS,
  );
});

test("available is unlocked less used and held, to 0.01 minute; 0 for an unlimited policy", () => {
  const hundredths = (minutes: number) => Math.round(minutes * 100);
  fc.assert(
    fc.property(anyFacts, anyDay, anyDay, (facts, today, endDate) => {
      const { accruedUnlocked, available, holds, used } = balance(facts, { today, endDate });
      const expected = hundredths(accruedUnlocked) - hundredths(used) - hundredths(holds);
      expect(hundredths(available)).toBe(facts.policy.isUnlimited ? 0 : expected);
      // No binary error: each number is that of its two decimals.
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
  // Except with lower tiers and corrections of worked hours, which take minutes back.
  const grantsOnly = anyFacts.map((facts) => ({
    ...withRules(facts, { tierFrom: "nextPeriod" }),
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

test("without a waiting period, minutes that a projection shows as locked are unlocked on that day", () => {
  fc.assert(
    fc.property(anyFacts, threeDays, (given, [today, endDate]) => {
      const rules = { ...given.policy.rules, waitingPeriodDays: 0 };
      const facts = { ...given, policy: { ...given.policy, rules } };
      const projected = sumsIn(facts, { today: today!, endDate });
      const then = sumsIn(facts, { today: endDate!, endDate });
      expectSame(then.accruedLocked, ZERO);
      expectSame(add(projected.accruedLocked, projected.accruedUnlocked), then.accruedUnlocked);
    }),
    NUM_RUNS,
  );
});

test("postings come in order of days, and none is usable before its day", () => {
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

  test("an adjustment and its opposite on the same day change nothing if nothing expires", () => {
    const lasting = anyFacts.map((facts) =>
      withRules(facts, { carryoverExpiresAfterMonths: null, carryoverExpiresAfterDays: null }),
    );
    fc.assert(
      fc.property(lasting, anyAdjustment, anyDay, (facts, adjustment, today) => {
        const others = neverExpiring(facts.adjustments);
        const both = [adjustment, { ...adjustment, minutes: 0 - adjustment.minutes }];
        const adjusted = { ...facts, adjustments: [...others, ...neverExpiring(both)] };
        expect(balance(adjusted, { today })).toEqual(balance({ ...facts, adjustments: others }, { today }));
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

describe("a rule that cannot matter changes nothing", () => {
  const HUGE = 1e9;
  test.each<[string, Partial<PolicyRules>]>([
    ["a balance cap that is never reached", { balanceCapMinutes: HUGE }],
    ["a carry-over limit that is never reached", { carryoverLimitMinutes: HUGE }],
    ["a yearly cap that is never reached", { yearlyAccrualCapMinutes: HUGE }],
    ["a tier that is never reached", { tiers: [{ months: 1200, minutes: 1 }], tierFrom: "sameDay" }],
    ["rounding to a unit of all amounts", { roundGrantsToMinutes: 1e-9, roundGrants: "nearest" }],
  ])("%s", (_, rule) => {
    const without = anyFacts.map((facts) => {
      const neutral = Object.fromEntries(
        Object.keys(rule).map((name) => [name, DEFAULT_RULES[name as keyof PolicyRules]]), // the keys are rules
      );
      const whole = {
        ...neutral,
        ...("roundGrantsToMinutes" in rule ? { prorate: false, tiers: null } : {}),
      };
      const plain = withRules(facts, { ...whole, instalments: null, instalmentsFrom: null });
      const minutesPerPeriod = plain.policy.minutesPerPeriod === null ? null : 600;
      return {
        ...plain,
        policy: { ...plain.policy, minutesPerPeriod },
        assignment: { ...plain.assignment, minutesPerPeriod: null },
      };
    });
    fc.assert(
      fc.property(without, anyDay, anyDay, (facts, today, endDate) => {
        const { schedule } = facts.policy;
        if (schedule !== "monthly" && schedule !== "yearly") return;
        expect(balance(withRules(facts, rule), { today, endDate })).toEqual(
          balance(facts, { today, endDate }),
        );
      }),
      NUM_RUNS,
    );
  });

  test("pauses outside of the coverage, work on all seven days, and service from the first day", () => {
    fc.assert(
      fc.property(anyFacts, anyDay, anyDay, (given, today, endDate) => {
        const plain = {
          ...given,
          assignment: { ...given.assignment, pauses: [], serviceFrom: null },
          worker: { ...given.worker, workDays: null, holidays: [] }, // which count only where work days are known
        };
        const { first, last } = coverageOf(plain);
        const pauses = [
          { first: first - 40, last: first - 1 },
          ...(last === Infinity ? [] : [{ first: Math.max(first, last + 1), last: last + 400 }]),
        ];
        const same = {
          ...plain,
          assignment: { ...plain.assignment, pauses, serviceFrom: plain.worker.startDate },
          worker: { ...plain.worker, workDays: 0b1111111 },
        };
        expect(balance(same, { today, endDate })).toEqual(balance(plain, { today, endDate }));
      }),
      NUM_RUNS,
    );
  });
});

test("after the last covered day only earlier periods are posted; nothing accrues in a pause; no year ends in a gap", () => {
  fc.assert(
    fc.property(anyFacts, anyDay, (facts, until) => {
      const coverage = coverageOf(facts);
      const isAfterwards =
        facts.policy.rules.accrualTiming === "end" && facts.policy.schedule !== "per_hour_worked";
      for (const { postedOn, kind, minutes, detail } of postings(facts, until)) {
        const keeps = /not employed under the policy then, so [\d.]+ are kept$/.test(detail);
        if (keeps) expect([minutes, kind === "forfeit" || kind === "expiry"]).toEqual([ZERO, true]);
        if (kind === "adjustment" || keeps) continue;
        const earnedOn = kind === "accrual" && isAfterwards ? postedOn - 1 : postedOn;
        expect(isCovered(kind === "accrual" ? coverage : employmentOf(facts, coverage), earnedOn)).toBe(true);
      }
    }),
    NUM_RUNS,
  );
});

test("accruals never exceed the balance cap or the yearly cap", () => {
  fc.assert(
    fc.property(anyFacts, anyDay, (facts, until) => {
      const { yearlyAccrualCapMinutes, balanceCapMinutes } = facts.policy.rules;
      const years = leaveYears(facts.policy.rules, facts.assignment.assignedOn);
      const accrued = new Map<number, Rational>();
      let posted = ZERO;
      for (const { postedOn, kind, minutes } of postings(facts, until)) {
        posted = add(posted, minutes);
        if (kind !== "accrual") continue;
        const year = periodOf(years, postedOn);
        accrued.set(year, add(accrued.get(year) ?? ZERO, minutes));
        if (sign(minutes) <= 0) continue;
        const leave = countedLeave({ ...facts, opening: null }, -Infinity, postedOn - 1).approved;
        const isWithin = (cap: number | null, sum: Rational) =>
          cap === null || sign(subtract(sum, rational(cap))) <= 0;
        expect(isWithin(balanceCapMinutes, subtract(posted, leave))).toBe(true);
        expect(isWithin(yearlyAccrualCapMinutes, accrued.get(year)!)).toBe(true);
      }
    }),
    NUM_RUNS,
  );
});

test("days of dayMinutes have their minutes, and other days none", () => {
  fc.assert(
    fc.property(anyFacts, anyDay, (facts, today) => {
      const requests = facts.requests.filter(({ dayMinutes }) => dayMinutes !== undefined);
      for (const request of requests) {
        const alone = { ...facts, requests: [{ ...request, status: "approved" as const }] };
        for (let at = request.firstDay - 2; at <= request.lastDay + 2; at++) {
          const written = request.dayMinutes!.find(({ day }) => day === at)?.minutes ?? 0;
          expect(balance(alone, { today, startDate: at, endDate: at }).used).toBe(written);
        }
      }
    }),
    { numRuns: 100 },
  );
});

describe("the entries of a window", () => {
  const anyWindow = fc.record({
    today: anyDay,
    startDate: fc.option(anyDay, { freq: 2, nil: undefined }),
    endDate: fc.option(anyDay, { freq: 2, nil: undefined }),
  });

  test("add up to its numbers, within the rounding of each", () => {
    fc.assert(
      fc.property(anyFacts, anyWindow, (facts, window) => {
        const shown = balance(facts, window);
        const entries = entriesOf(facts, window);
        const asOf = Math.min(window.today, window.endDate ?? window.today);
        const expectSum = (number: number, entries: readonly BalanceEntry[]) => {
          const sum = entries.reduce((total, { minutes }) => total + minutes, 0);
          expect(Math.abs(sum - number)).toBeLessThanOrEqual(0.005 + 0.000001 * entries.length + 1e-9);
        };
        const accrued = entries.filter(({ unlocksOn }) => unlocksOn !== null);
        expectSum(
          shown.accruedUnlocked,
          accrued.filter(({ unlocksOn }) => unlocksOn! <= asOf),
        );
        expectSum(
          shown.accruedLocked,
          accrued.filter(({ unlocksOn }) => unlocksOn! > asOf),
        );
        expectSum(
          0 - shown.used,
          entries.filter(({ kind }) => kind === "used"),
        );
        expectSum(
          0 - shown.holds,
          entries.filter(({ kind }) => kind === "hold"),
        );
      }),
      NUM_RUNS,
    );
  });

  test("are in order, and continue the balance of the window before", () => {
    const ranks = ["forfeit", "expiry", "adjustment", "accrual", "used", "hold"];
    fc.assert(
      fc.property(anyFacts, anyDay, anyDay, (facts, endDate, startDate) => {
        const entries = entriesOf(facts, { today: endDate, startDate, endDate });
        for (const [at, entry] of entries.entries()) {
          expect(entry.detail).not.toBe("");
          expect(entry.unlocksOn === null).toBe(entry.kind === "used" || entry.kind === "hold");
          const before = entries[at - 1];
          if (before === undefined) continue;
          const order = before.date - entry.date || ranks.indexOf(before.kind) - ranks.indexOf(entry.kind);
          expect(order).toBeLessThanOrEqual(0);
        }
        const before = entriesOf(facts, { today: endDate, endDate: startDate - 1 }).at(-1)?.balance ?? 0;
        const [first] = entries;
        if (first !== undefined && startDate <= endDate && !facts.policy.isUnlimited)
          expect(first.balance).toBeCloseTo(before + (first.kind === "hold" ? 0 : first.minutes), 4);
      }),
      NUM_RUNS,
    );
  });

  test("do not depend on the order of facts", () => {
    fc.assert(
      fc.property(anyFacts, anyDay, (facts, today) => {
        const reversed = {
          ...facts,
          adjustments: [...facts.adjustments].reverse(),
          workedHours: [...facts.workedHours].reverse(),
          requests: [...facts.requests].reverse(),
        };
        expect(entriesOf(reversed, { today })).toEqual(entriesOf(facts, { today }));
      }),
      NUM_RUNS,
    );
  });
});

test("a schedule of equal days equals no schedule", () => {
  const rows = fc
    .uniqueArray(anyDay, { minLength: 1, maxLength: 3 })
    .map((days) => days.sort((a, b) => a - b));
  const minutes = fc.constantFrom(480, 450.5, 1);
  const withWorkTime = (facts: BalanceFacts, change: Partial<BalanceFacts["worker"]>): BalanceFacts => ({
    ...facts,
    worker: { ...facts.worker, ...change },
    movesFrom: facts.movesFrom && withWorkTime(facts.movesFrom, change),
  });
  fc.assert(
    fc.property(
      allFacts,
      rows,
      minutes,
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      anyDay,
      lateDay,
      (...given) => {
        const [facts, startDays, perDay, weeks, knowsFullTime, today, endDate] = given;
        const schedules = startDays.map((startsOn) => ({
          startsOn,
          weeks: Array.from({ length: weeks }, () => Array.from({ length: 7 }, () => perDay)),
          fullTimeMinutesPerWeek: knowsFullTime ? perDay * 7 : null,
          holidays: [],
        }));
        const scheduled = withWorkTime(facts, { schedules, workDays: null });
        const plain = withWorkTime(facts, { schedules: [], workDays: null });
        expect(balance(scheduled, { today, endDate })).toEqual(balance(plain, { today, endDate }));
        const [posted, same] = [plain, scheduled].map((facts) => postings(facts, endDate)) as [
          Posting[],
          Posting[],
        ];
        expect(same).toHaveLength(posted.length);
        for (const [at, { minutes: expected, detail: _, ...posting }] of posted.entries()) {
          const { minutes, detail: _, ...others } = same[at]!;
          expect(others).toEqual(posting);
          expectSame(minutes, expected);
        }
      },
    ),
    NUM_RUNS,
  );
});

test("single grants that expire never give less than grants without expiry, less what expired", () => {
  const total = (facts: BalanceFacts, endDate: number) =>
    postings(facts, endDate).reduce((sum, { minutes }) => add(sum, minutes), ZERO);
  let expiring = 0;
  fc.assert(
    fc.property(allFacts, fc.integer({ min: 1, max: 30 }), lateDay, (given, months, endDate) => {
      const none = {
        carryoverExpiresAfterMonths: null,
        carryoverExpiresAfterDays: null,
        revalue: "none",
      } as const;
      const own = { grantsExpireAfterMonths: null, carryoverKeepsMinutes: null };
      const bare = { ...given, assignment: { ...given.assignment, ...own } };
      const neutral = { ...none, carryoverKeepsMinutes: null };
      const lasting = withRules(bare, { ...neutral, grantsExpireAfterMonths: null });
      const lots = withRules(bare, { ...neutral, grantsExpireAfterMonths: months });
      const expired = postings(lots, endDate)
        .filter(({ kind }) => kind === "expiry")
        .reduce((sum, { minutes }) => subtract(sum, minutes), ZERO);
      expect(sign(expired)).not.toBeLessThan(0);
      if (sign(expired) > 0) expiring++;
      const least = subtract(total(lasting, endDate), expired);
      expect(sign(subtract(total(lots, endDate), least))).not.toBeLessThan(0);
    }),
    NUM_RUNS,
  );
  expect(expiring).toBeGreaterThan(8); // about 50 of 200
});

function withRules(facts: BalanceFacts, rules: Partial<PolicyRules>): BalanceFacts {
  const changed = <T extends PolicyTerms>(terms: T): T => ({ ...terms, rules: { ...terms.rules, ...rules } });
  return { ...facts, policy: { ...changed(facts.policy), changes: facts.policy.changes.map(changed) } };
}

function shuffle<Value>(list: readonly Value[]): fc.Arbitrary<Value[]> {
  return fc.shuffledSubarray([...list], { minLength: list.length });
}
