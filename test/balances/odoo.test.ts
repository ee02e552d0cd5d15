// The accrual plans that Odoo tests (addons/hr_holidays/tests/test_accrual_allocations.py) come out the same here. A day is
// 480 minutes.
import { describe, expect, test } from "bun:test";
import type { BalanceFacts, PolicyFacts } from "../../src/balances/facts.ts";
import { balanceOn, day, factsOf, leave, monthly, on, perHourWorked, yearly } from "./builders.ts";

const DAY = 480;
const HOUR = 60;

/** What there is on each day, in units of so many minutes, to 4 decimals. Leave is not taken off. */
function granted(facts: BalanceFacts, unit: number, ...dates: string[]): number[] {
  return dates.map((endDate) => {
    const { accruedLocked, accruedUnlocked } = balanceOn(facts, { endDate });
    return Math.round(((accruedLocked + accruedUnlocked) / unit) * 10_000) / 10_000;
  });
}

function weekly(minutes: number, monday: string, rules: Partial<PolicyFacts["rules"]> = {}): PolicyFacts {
  const instalments = { instalments: "weekly", instalmentsFrom: day(monday) } as const;
  return yearly(52 * minutes, { ...instalments, ...rules });
}

describe("Odoo: periods", () => {
  test("a day a week from a Saturday: 2 of 7 days first", () => {
    const policy = weekly(DAY, "2021-08-30", { accrualTiming: "end" });
    const facts = factsOf({ policy, assigned: "2021-09-04" });
    expect(granted(facts, DAY, "2021-09-05", "2021-09-06", "2021-09-13")).toEqual([0, 0.2857, 1.2857]);
  });

  test("a day a week, at its start or at its end", () => {
    const onFirstDay = (accrualTiming: "start" | "end") => {
      const policy = weekly(DAY, "2023-04-24", { accrualTiming });
      return granted(factsOf({ policy, assigned: "2023-04-24" }), DAY, "2023-04-24")[0];
    };
    expect([onFirstDay("end"), onFirstDay("start")]).toEqual([0, 1]);
  });

  test("half-yearly, one day each, from 2 September: 121 of 184 days first", () => {
    const facts = factsOf({
      policy: yearly(2 * DAY, { accrualTiming: "end", instalments: "halfYearly" }),
      assigned: "2021-09-02",
    });
    expect(granted(facts, DAY, "2021-12-31", "2022-01-01", "2022-07-01")).toEqual([0, 0.6576, 1.6576]);
  });

  test("yearly, one day, from 2 September: 121 of 365 days first", () => {
    const facts = factsOf({ policy: yearly(DAY, { accrualTiming: "end" }), assigned: "2021-09-02" });
    expect(granted(facts, DAY, "2022-01-01", "2023-01-01")).toEqual([0.3315, 1.3315]);
  });

  test("five days a week from a Tuesday: 6 of 7 days first", () => {
    const policy = yearly(52 * 5 * DAY, {
      accrualTiming: "end",
      instalments: "weekly",
      instalmentsFrom: day("2021-08-30"),
    });
    const facts = factsOf({ policy, assigned: "2021-08-31" });
    expect(granted(facts, DAY, "2021-09-06", "2021-09-13")).toEqual([4.2857, 9.2857]);
  });

  test("one day a month at the end, from 31 August: nothing is lost of September", () => {
    const facts = factsOf({ policy: monthly(DAY, { accrualTiming: "end" }), assigned: "2021-09-01" });
    expect(granted(facts, DAY, "2021-10-01")).toEqual([1]);
  });

  test("34 weeks by September, and a part of the first", () => {
    const policy = weekly(DAY, "2023-01-02", { accrualTiming: "end" });
    const facts = factsOf({ policy, assigned: "2023-01-01" });
    expect(granted(facts, DAY, "2023-09-01").map(Math.round)).toEqual([34]);
  });

  test("a day a month at its start", () => {
    const facts = factsOf({ policy: monthly(DAY), assigned: "2024-01-01" });
    expect(granted(facts, DAY, "2024-03-01", "2024-04-01")).toEqual([3, 4]);
  });

  test("an hour a month at its end, an hour given before", () => {
    const outline = { policy: monthly(HOUR, { accrualTiming: "end" }), assigned: "2024-01-01" };
    const facts = factsOf({ ...outline, adjustments: [on("2023-12-31", HOUR)] });
    expect(granted(facts, HOUR, "2024-02-01")).toEqual([2]);
  });

  test("a tier after four months, within a half-year", () => {
    const policy = yearly(2 * 15 * DAY, {
      instalments: "halfYearly",
      accrualTiming: "end",
      tiers: [{ months: 4, minutes: 2 * 10 * DAY }],
      tierFrom: "sameDay",
    });
    const facts = factsOf({ policy, assigned: "2020-08-16", serviceFrom: "2020-08-16" });
    expect(granted(facts, DAY, "2022-01-10")[0]?.toFixed(2)).toBe("30.82");
  });
});

describe("Odoo: what is carried over", () => {
  test("an hour a month on its last day, at most 4 carried over", () => {
    const policy = monthly(HOUR, { accrualTiming: "lastDay", carryoverLimitMinutes: 4 * HOUR });
    const facts = factsOf({ policy, assigned: "2025-01-01" });
    expect(granted(facts, HOUR, "2025-12-02", "2026-02-02")).toEqual([11, 5]);
  });

  test("2 days a year stay below a limit of 10", () => {
    const policy = yearly(2 * DAY, { accrualTiming: "end", carryoverLimitMinutes: 10 * DAY });
    expect(granted(factsOf({ policy, assigned: "2021-01-01" }), DAY, "2023-01-26")).toEqual([4]);
  });

  test("a day a month at its end, nothing carried over: December's comes after the forfeit", () => {
    const policy = monthly(DAY, { accrualTiming: "end", carryoverLimitMinutes: 0 });
    expect(granted(factsOf({ policy, assigned: "2021-01-01" }), DAY, "2022-04-04")).toEqual([4]);
  });

  test("3 days a year at its start, nothing carried over", () => {
    const policy = yearly(3 * DAY, { carryoverLimitMinutes: 0 });
    expect(granted(factsOf({ policy, assigned: "2019-01-01" }), DAY, "2022-04-01")).toEqual([3]);
  });

  test("10 days a year at its end, nothing carried over: the forfeit comes first", () => {
    const policy = yearly(10 * DAY, { accrualTiming: "end", carryoverLimitMinutes: 0 });
    const facts = factsOf({ policy, assigned: "2024-01-01" });
    expect(granted(facts, DAY, "2025-01-01", "2026-01-01")).toEqual([10, 10]);
  });

  test.each([
    [0, 2],
    [5, 7],
  ])("a day a month on its last day, at most %i carried over, twice", (limit, expected) => {
    const policy = monthly(DAY, { accrualTiming: "lastDay", carryoverLimitMinutes: limit * DAY });
    const facts = factsOf({ policy, assigned: "2022-01-01" });
    expect(granted(facts, DAY, "2022-12-31", "2024-03-02")).toEqual([12, expected]);
  });

  test("a day a month at its start, a leave year from June, nothing carried over", () => {
    const policy = monthly(DAY, { yearStartsOn: "06-01", carryoverLimitMinutes: 0 });
    const dates = ["2024-05-01", "2024-06-01", "2024-08-01", "2024-09-01", "2024-12-01", "2025-01-01"];
    expect(granted(factsOf({ policy, assigned: "2024-01-01" }), DAY, ...dates)).toEqual([5, 1, 3, 4, 7, 8]);
  });
});

describe("Odoo: caps", () => {
  test("a day a week up to 5: five days of leave make room for five more", () => {
    const policy = weekly(DAY, "2022-01-03", { accrualTiming: "end", balanceCapMinutes: 5 * DAY });
    const requests = [leave("approved", 5 * DAY, "2022-03-07", "2022-03-11")];
    const facts = factsOf({ policy, assigned: "2022-01-01", requests });
    expect(granted(facts, DAY, "2022-03-02", "2022-06-01")).toEqual([5, 10]);
  });

  test("an hour a week up to 10: eight hours of leave make room for eight more", () => {
    const policy = weekly(HOUR, "2022-01-03", { accrualTiming: "end", balanceCapMinutes: 10 * HOUR });
    const without = factsOf({ policy, assigned: "2022-01-01" });
    const requests = [leave("approved", 8 * HOUR, "2022-03-07")];
    expect(granted(without, HOUR, "2022-04-01")).toEqual([10]);
    expect(granted({ ...without, requests }, HOUR, "2022-06-01")).toEqual([18]);
  });

  test("0.06 hours an hour worked, at most 120 a year and 180 in all", () => {
    const workedHours = [];
    for (let date = day("2024-01-01"); date <= day("2025-12-31"); date++) {
      // Day 0 was a Thursday.
      if ((date + 3) % 7 < 5) workedHours.push({ day: date, minutes: 8 * HOUR });
    }
    const rules = { yearlyAccrualCapMinutes: 120 * HOUR, balanceCapMinutes: 180 * HOUR };
    const policy = perHourWorked(0.06 * HOUR, 1, rules);
    const inDecember = leave("approved", 2 * HOUR, "2024-12-19");
    const inJune = leave("approved", 64 * HOUR, "2025-06-02", "2025-06-11");
    const outline = { policy, assigned: "2024-01-01", workedHours };
    const before = factsOf({ ...outline, requests: [inDecember] });
    expect(granted(before, HOUR, "2024-12-19", "2024-12-31", "2025-01-05")).toEqual([120, 120, 121.44]);
    expect(granted(before, HOUR, "2025-07-02")).toEqual([182]);
    const after = factsOf({ ...outline, requests: [inDecember, inJune] });
    expect(granted(after, HOUR, "2025-12-24", "2025-12-31")).toEqual([240, 240]);
    expect(balanceOn(after, { endDate: "2025-12-31" }).available / HOUR).toBe(174);
  });
});
