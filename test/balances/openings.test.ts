// Property: an opening with the balance that the rules give, on any day, changes no later balance.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { balance, explain } from "../../src/balances/balance.ts";
import { coverageOf, employmentOf, isCovered } from "../../src/balances/coverage.ts";
import type { BalanceFacts, OpeningFacts } from "../../src/balances/facts.ts";
import { countedLeave } from "../../src/balances/leave.ts";
import { leaveYears, periodOf, periodStart } from "../../src/balances/periods.ts";
import { add, type Rational, subtract, toMillionths, ZERO } from "../../src/balances/rational.ts";
import { formatDay } from "../../src/time/day.ts";
import {
  balanceOn,
  day,
  factsOf,
  leave,
  monthly,
  on,
  opening,
  postings,
  writtenLeave,
  yearly,
} from "./builders.ts";
import { anyFacts, lateDay, neverExpiring } from "./generators.ts";

/** `openings.trial.ts` has more. */
const RUNS = Number(process.env.ROLLCALL_TEST_OPENING_RUNS ?? 1500);

/** The balance at the end of a day, locked or not. */
function left(facts: BalanceFacts, endDate: number): number {
  const { accruedLocked, accruedUnlocked, used } = balance(facts, { today: endDate, endDate });
  return accruedLocked + accruedUnlocked - used;
}

/** The opening with the balance that the rules give at the end of a day. */
function ownOpening(facts: BalanceFacts, date: number): OpeningFacts {
  const posted = postings(facts, date);
  const sum = (some: typeof posted) => some.reduce((total, { minutes }) => add(total, minutes), ZERO);
  const used = (from: number, through: number): Rational =>
    countedLeave({ ...facts, opening: null }, from, through).approved;
  const minutes = toNumber(subtract(sum(posted), used(-Infinity, date)));
  const employment = employmentOf(facts, coverageOf(facts)); // years end in pauses, too
  const years = leaveYears(facts.policy.rules, facts.assignment.assignedOn);
  const boundary = periodStart(years, periodOf(years, date));
  const isCarriedOver = isCovered(employment, boundary) && isCovered(employment, boundary - 1);
  const before = posted.filter(
    ({ postedOn, kind }) => postedOn < boundary || (postedOn === boundary && kind === "forfeit"),
  );
  const carried = toNumber(subtract(sum(before), used(-Infinity, boundary - 1)));
  const adjustedAway = facts.adjustments
    .filter((entry) => entry.day >= boundary && entry.day <= date && entry.minutes < 0)
    .reduce((total, entry) => total - entry.minutes, 0);
  const carriedMinutes = isCarriedOver
    ? Math.min(
        Math.max(0, minutes),
        Math.max(0, Math.max(0, carried) - toNumber(used(boundary, date)) - adjustedAway),
      )
    : 0;
  const accruals = posted.filter(({ postedOn, kind }) => postedOn >= boundary && kind === "accrual");
  return { day: date, minutes, carriedMinutes, accruedMinutes: toNumber(sum(accruals)) };
}

function toNumber(minutes: Rational): number {
  return toMillionths(minutes);
}

test("an opening with the balance that the rules give, on any day, changes no later balance", () => {
  // Left out: lower tiers, because an opening does not say what a balance cap cut; corrections of worked hours, because they cannot be
  // told from carried time; and adjustments that expire, because they do not expire once they are in an opening.
  const opened = anyFacts
    .filter(({ policy }) => !policy.isUnlimited)
    .map((facts) => ({
      ...facts,
      policy: { ...facts.policy, rules: { ...facts.policy.rules, tierFrom: "nextPeriod" as const } },
      workedHours: facts.workedHours.filter(({ minutes }) => minutes > 0),
      adjustments: neverExpiring(facts.adjustments),
    }));
  fc.assert(
    fc.property(opened, lateDay, lateDay, fc.integer({ min: 0, max: 900 }), (facts, ...days) => {
      const [at, , later] = days;
      const date = Math.max(at, facts.assignment.assignedOn - 1);
      const endDate = date + later;
      const withOpening = { ...facts, opening: ownOpening(facts, date) };
      // The opening has six decimals.
      expect(Math.abs(left(withOpening, endDate) - left(facts, endDate))).toBeLessThan(0.02);
      expect(left(withOpening, date)).toBeCloseTo(withOpening.opening.minutes, 1);
    }),
    { numRuns: RUNS },
  );
});

function rows(facts: BalanceFacts, endDate: string): string[] {
  return explain(facts, { today: day(endDate), endDate: day(endDate) }).map(
    ({ date, kind, minutes, balance: after, unlocksOn }) =>
      `${formatDay(date)} ${kind} ${minutes} = ${after}${unlocksOn === null || unlocksOn === date ? "" : ` from ${formatDay(unlocksOn)}`}`,
  );
}

describe("an opening", () => {
  const policy = yearly(9600, { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 6 });
  const outline = { policy, assigned: "2019-03-01" };

  test("replaces all postings up to its day, and leave of those days", () => {
    const facts = factsOf({
      ...outline,
      adjustments: [on("2025-02-01", 500), on("2025-05-31", 70), on("2025-06-01", 30)],
      requests: [
        leave("approved", 960, "2025-05-30", "2025-06-02"),
        writtenLeave("2025-05-31", "2025-06-01", { "2025-05-31": 480, "2025-06-01": 240 }),
        leave("pending", 480, "2025-05-31", "2025-06-01"),
      ],
      opening: opening("2025-05-31", 7200, { carriedMinutes: 1200 }),
    });
    expect(rows(facts, "2026-01-01")).toEqual([
      "2025-05-31 opening 7200 = 7200",
      "2025-06-01 adjustment 30 = 7230",
      "2025-06-01 used -480 = 6750",
      "2025-06-01 used -240 = 6510",
      "2025-06-01 hold 0 = 6510",
      "2025-07-01 expiry -480 = 6030",
      "2026-01-01 forfeit -3630 = 2400",
      "2026-01-01 accrual 9600 = 12000",
    ]);
    expect(balanceOn(facts, { startDate: "2025-05-31", endDate: "2025-06-30" })).toMatchObject({
      accruedUnlocked: 7230,
      used: 720,
      holds: 240,
    });
  });

  test.each([
    ["start", "2025-02-01"],
    ["lastDay", "2025-01-31"],
    ["end", "2025-01-31"],
  ] as const)("has every grant of its day and before: %s", (accrualTiming, first) => {
    const facts = factsOf({
      policy: monthly(600, { accrualTiming }),
      assigned: "2020-01-15",
      opening: opening("2025-01-30", 100),
    });
    const asked = accrualTiming === "end" ? "2025-02-01" : first;
    expect(rows(facts, asked)).toEqual(["2025-01-30 opening 100 = 100", `${asked} accrual 600 = 700`]);
    expect(rows({ ...facts, opening: opening(asked, 100) }, asked)).toEqual([`${asked} opening 100 = 100`]);
  });

  test("keeps the yearly cap, the waiting period and the years of service", () => {
    const facts = factsOf({
      policy: monthly(600, {
        yearlyAccrualCapMinutes: 3000,
        waitingPeriodDays: 365,
        tiers: [{ months: 12, minutes: 900 }],
      }),
      assigned: "2024-08-01",
      starts: "2024-08-01",
      opening: opening("2025-05-31", 4000, { accruedMinutes: 2500 }),
    });
    expect(rows(facts, "2025-08-01")).toEqual([
      "2025-05-31 opening 4000 = 4000 from 2025-08-01",
      "2025-06-01 accrual 500 = 4500 from 2025-08-01",
      "2025-07-01 accrual 0 = 4500 from 2025-08-01",
      "2025-08-01 accrual 0 = 4500",
    ]);
    const byRules = { ...facts, opening: opening("2025-05-31", -60) };
    expect(rows(byRules, "2025-06-01")).toEqual([
      "2025-05-31 opening -60 = -60",
      "2025-06-01 accrual 0 = -60 from 2025-08-01",
    ]);
  });

  test("on a year boundary includes its forfeit and carried time", () => {
    const facts = factsOf({ ...outline, opening: opening("2025-01-01", 12_000, { carriedMinutes: 2400 }) });
    expect(rows(facts, "2025-07-01")).toEqual([
      "2025-01-01 opening 12000 = 12000",
      "2025-07-01 expiry -2400 = 9600",
    ]);
  });
});

describe("a balance that moves", () => {
  const expiring = { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 6 };
  const before = factsOf({
    policy: yearly(9600, expiring),
    assigned: "2024-01-01",
    movesOn: "2025-03-01",
    requests: [leave("approved", 480, "2025-02-03"), leave("approved", 480, "2025-03-03")],
    adjustments: [on("2025-04-01", 60)],
  });

  test("moves from one policy to the other, with the expiry of carried time", () => {
    expect(rows(before, "2025-12-31")).toEqual([
      "2024-01-01 accrual 9600 = 9600",
      "2025-01-01 forfeit -7200 = 2400",
      `2025-01-01 accrual ${Math.round((9600 * 59 * 1e6) / 365) / 1e6} = 3951.780822`,
      "2025-02-03 used -480 = 3471.780822",
      "2025-03-01 moved -3471.780822 = 0",
      "2025-03-03 used -480 = -480",
      "2025-04-01 adjustment 60 = -420",
    ]);
    const after = factsOf({ policy: yearly(4800, expiring), assigned: "2025-03-01", movesFrom: before });
    expect(rows(after, "2025-07-01")).toEqual([
      "2025-03-01 moved 3471.780822 = 3471.780822",
      "2025-03-01 accrual 4024.109589 = 7495.890411",
      "2025-07-01 expiry -1920 = 5575.890411",
    ]);
  });

  test("comes before the forfeit of its day, below zero too, and is usable at once", () => {
    const old = factsOf({
      policy: monthly(600, { accrualTiming: "end", waitingPeriodDays: 400 }),
      assigned: "2024-10-01",
      movesOn: "2025-01-01",
    });
    expect(rows(old, "2025-01-01").slice(-2)).toEqual([
      "2025-01-01 accrual 600 = 1800 from 2025-11-05",
      "2025-01-01 moved -1800 = 0 from 2025-11-05",
    ]);
    const limit = { carryoverLimitMinutes: 1000, waitingPeriodDays: 30, balanceCapMinutes: 1100 };
    const after = factsOf({ policy: yearly(480, limit), assigned: "2025-01-01", movesFrom: old });
    expect(rows(after, "2025-01-01")).toEqual([
      "2025-01-01 moved 1800 = 1800",
      "2025-01-01 forfeit -800 = 1000",
      "2025-01-01 accrual 100 = 1100 from 2025-01-31",
    ]);
    const owing = { ...old, adjustments: [on("2024-12-01", -2000)] };
    expect(rows({ ...after, movesFrom: owing }, "2025-01-01")[0]).toBe("2025-01-01 moved -200 = -200");
    expect(rows({ ...after, opening: opening("2025-01-01", 5) }, "2025-01-01")).toEqual([
      "2025-01-01 opening 5 = 5 from 2025-01-31",
    ]);
  });

  test("keeps what never expires of carried time, though the new policy keeps nothing", () => {
    const keeping = { carryoverExpiresAfterMonths: 6, carryoverKeepsMinutes: 600 };
    const old = factsOf({ policy: yearly(2400, keeping), assigned: "2024-01-01", movesOn: "2025-01-02" });
    const policy = yearly(0, { carryoverExpiresAfterMonths: 6 });
    const after = factsOf({ policy, assigned: "2025-01-02", movesFrom: old });
    expect(rows(after, "2025-07-01").at(-1)).toMatch(/^2025-07-01 expiry -1800 = /);
  });

  test("leaves an opening of that day or later under the old policy", () => {
    for (const date of ["2025-03-01", "2025-06-30"]) {
      const opened = { ...before, adjustments: [], opening: opening(date, 300) };
      expect(rows(opened, "2025-12-31")[0]).toBe(`${date} opening 300 = 300`);
      expect(rows(opened, "2025-12-31").join()).not.toContain("moved");
      const after = factsOf({ policy: yearly(0), assigned: "2025-03-01", movesFrom: opened });
      expect(rows(after, "2025-07-01").join()).not.toContain("300");
    }
  });
});
