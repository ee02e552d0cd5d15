// What other systems and offices publish of their own calculations comes out the same here. A day is 480 minutes.
import { describe, expect, test } from "bun:test";
import type { BalanceFacts } from "../../src/balances/facts.ts";
import { balanceOn, day, factsOf, leave, MON_TO_FRI, monthly, on, yearly } from "./builders.ts";

const DAY = 480;

/** Days that are there on a day, to 4 decimals. */
function days(facts: BalanceFacts, endDate: string): number {
  const { accruedLocked, accruedUnlocked } = balanceOn(facts, { endDate });
  return Math.round(((accruedLocked + accruedUnlocked) / DAY) * 10_000) / 10_000;
}

describe("United Kingdom", () => {
  test("28 days, a twelfth each month: 7 after the third month (GOV.UK, Calculate leave entitlement)", () => {
    const rules = { periodAnchor: "anniversary", accrualTiming: "lastDay" } as const;
    const facts = factsOf({ policy: monthly((28 * DAY) / 12, rules), assigned: "2024-05-13" });
    expect(days(facts, "2024-08-12")).toBe(7);
  });

  test("five months of an April year of 28 days, rounded up to half a day, are 12", () => {
    const policy = yearly(28 * DAY, {
      yearStartsOn: "04-01",
      prorateBy: "monthsStarted",
      roundGrantsToMinutes: DAY / 2,
      roundGrants: "up",
    });
    expect(days(factsOf({ policy, assigned: "2024-11-01" }), "2025-03-31")).toBe(12);
  });

  test("of 28 days at most 8 are carried over", () => {
    const policy = yearly(28 * DAY, { carryoverLimitMinutes: 8 * DAY });
    const requests = [leave("approved", 10 * DAY, "2024-07-01", "2024-07-12")];
    const facts = factsOf({ policy, assigned: "2024-01-01", requests });
    expect(balanceOn(facts, { endDate: "2025-01-01" }).available / DAY).toBe(36);
  });
});

describe("Germany", () => {
  test("a twelfth for each full month; a fraction of at least half a day is a whole one (BUrlG, 5)", () => {
    const policy = (annual: number) =>
      yearly(annual * DAY, { prorateBy: "fullMonths", roundGrantsToMinutes: DAY });
    expect(days(factsOf({ policy: policy(24), assigned: "2024-08-15" }), "2024-12-31")).toBe(8);
    expect(days(factsOf({ policy: policy(30), assigned: "2024-10-01" }), "2024-12-31")).toBe(8);
    expect(days(factsOf({ policy: policy(28), assigned: "2024-08-01" }), "2024-12-31")).toBe(12);
  });

  test("what is carried over ends with March, unless it was taken (BUrlG, 7)", () => {
    const facts = factsOf({
      policy: yearly(30 * DAY, { carryoverExpiresAfterMonths: 3 }),
      assigned: "2024-01-01",
      requests: [
        leave("approved", 25 * DAY, "2024-06-03", "2024-07-05"),
        leave("approved", 2 * DAY, "2025-02-10", "2025-02-11"),
      ],
      workDays: MON_TO_FRI,
    });
    const available = (endDate: string) => balanceOn(facts, { endDate }).available / DAY;
    expect([available("2025-03-31"), available("2025-04-01")]).toEqual([33, 30]);
  });
});

describe("accrual plans of other systems", () => {
  const from = { accrualTiming: "end" } as const;

  test("half-yearly, one day each, from 2 September: 121 of 184 days first", () => {
    const facts = factsOf({
      policy: yearly(2 * DAY, { ...from, instalments: "halfYearly" }),
      assigned: "2021-09-02",
    });
    expect(days(facts, "2021-12-31")).toBe(0);
    expect(days(facts, "2022-01-01")).toBe(0.6576);
    expect(days(facts, "2022-07-01")).toBe(1.6576);
  });

  test("yearly, one day, from 2 September: 121 of 365 days first", () => {
    const facts = factsOf({ policy: yearly(DAY, from), assigned: "2021-09-02" });
    expect(days(facts, "2022-01-01")).toBe(0.3315);
    expect(days(facts, "2023-01-01")).toBe(1.3315);
  });

  test("five days a week from a Tuesday: 6 of 7 days first", () => {
    const policy = yearly(52 * 5 * DAY, {
      ...from,
      instalments: "weekly",
      instalmentsFrom: day("2021-08-30"),
    });
    const facts = factsOf({ policy, assigned: "2021-08-31" });
    expect(days(facts, "2021-09-06")).toBe(4.2857);
    expect(days(facts, "2021-09-13")).toBe(9.2857);
  });

  test("one day a month at the end, from 31 August: nothing is lost of September", () => {
    const facts = factsOf({ policy: monthly(DAY, from), assigned: "2021-09-01" });
    expect(days(facts, "2021-10-01")).toBe(1);
  });

  test("one and a quarter days a month, rounded to half days", () => {
    const facts = factsOf({
      policy: monthly(1.25 * DAY, { roundGrantsToMinutes: DAY / 2 }),
      assigned: "2024-01-01",
    });
    expect(days(facts, "2024-02-01")).toBe(3);
  });

  test("carried-over days end 90 days after the year began, less what was used", () => {
    const facts = factsOf({
      policy: yearly(15 * DAY, { carryoverExpiresAfterDays: 90, carryoverLimitMinutes: 10 * DAY }),
      assigned: "2023-01-01",
      adjustments: [on("2023-06-01", -5 * DAY)],
      requests: [leave("approved", 4 * DAY, "2024-01-15", "2024-01-18")],
    });
    expect(balanceOn(facts, { endDate: "2024-03-30" }).available / DAY).toBe(21);
    expect(balanceOn(facts, { endDate: "2024-03-31" }).available / DAY).toBe(15);
  });
});
