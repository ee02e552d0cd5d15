// What other systems and offices publish of their own calculations comes out the same here. A day is 480 minutes.
import { describe, expect, test } from "bun:test";
import type { BalanceFacts } from "../../src/balances/facts.ts";
import { balanceOn, factsOf, leave, MON_TO_FRI, monthly, on, perHourWorked, yearly } from "./builders.ts";

const DAY = 480;

/** Days that are there on a day, to 4 decimals. */
function days(facts: BalanceFacts, endDate: string): number {
  const { accruedLocked, accruedUnlocked } = balanceOn(facts, { endDate });
  return Math.round(((accruedLocked + accruedUnlocked) / DAY) * 10_000) / 10_000;
}

/** Days that are left on a day, after leave, to 4 decimals. */
function left(facts: BalanceFacts, endDate: string): number {
  return Math.round((balanceOn(facts, { endDate }).available / DAY) * 10_000) / 10_000;
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

  test("28 days, left on 15 August with 11 taken: 1.283 weeks (QCS, What is half-day rounding?)", () => {
    const facts = factsOf({
      policy: yearly(28 * DAY),
      assigned: "2019-01-01",
      ends: "2019-08-15",
      requests: [leave("approved", 11 * DAY, "2019-05-06", "2019-05-20")],
    });
    expect((left(facts, "2019-08-15") / 5).toFixed(3)).toBe("1.283");
  });

  test("28 days from 1 July are 14 (Leavely, Pro rata annual leave)", () => {
    const policy = yearly(28 * DAY, { prorateBy: "monthsStarted" });
    expect(days(factsOf({ policy, assigned: "2025-07-01" }), "2025-12-31")).toBe(14);
  });

  test("5.6 weeks of two days, rounded up to half a day, are 11.5 (People Inc., Leave entitlement calculator)", () => {
    const policy = yearly(2 * 5.6 * DAY, { roundGrantsToMinutes: DAY / 2, roundGrants: "up" });
    expect(days(factsOf({ policy, assigned: "2025-01-01" }), "2025-12-31")).toBe(11.5);
  });

  test("12.07 % of 30 and of 100 hours worked (Citation, Holiday entitlement; Leavely)", () => {
    const earned = (hours: number) => {
      const workedHours = [on("2025-03-03", hours * 60)];
      const facts = factsOf({ policy: perHourWorked(724.2, 100), assigned: "2025-01-01", workedHours });
      return (balanceOn(facts, { endDate: "2025-03-31" }).available / 60).toFixed(2);
    };
    expect([earned(30), earned(100)]).toEqual(["3.62", "12.07"]);
  });
});

describe("France and Austria", () => {
  test("2.5 days a month: 25 after ten months, 30 after twelve (Code du travail, L3141-3)", () => {
    const policy = monthly(2.5 * DAY, { yearStartsOn: "06-01", accrualTiming: "lastDay" });
    expect(days(factsOf({ policy, assigned: "2024-08-01" }), "2025-05-31")).toBe(25);
    expect(days(factsOf({ policy, assigned: "2024-06-01" }), "2025-05-31")).toBe(30);
  });

  test("a part of a day counts as a whole one (Code du travail, L3141-7)", () => {
    const policy = yearly(30 * DAY, {
      yearStartsOn: "06-01",
      prorateBy: "fullMonths",
      roundGrantsToMinutes: DAY,
      roundGrants: "up",
    });
    expect(days(factsOf({ policy, assigned: "2024-09-01" }), "2025-05-31")).toBe(23);
  });

  test("30 days a working year, 36 once 25 years are completed (Urlaubsgesetz, 2)", () => {
    const policy = yearly(30 * DAY, {
      periodAnchor: "anniversary",
      carryoverLimitMinutes: 0,
      tiers: [{ months: 300, minutes: 36 * DAY }],
    });
    const facts = factsOf({ policy, assigned: "2000-03-01" });
    expect([left(facts, "2025-02-28"), left(facts, "2025-03-01")]).toEqual([30, 36]);
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

describe("Urlaubsverwaltung", () => {
  test("twelfths from the month of the start, rounded up (AccountInteractionServiceImplTest)", () => {
    const starts = [
      ...["2022-01-12", "2022-02-16", "2022-03-13", "2022-04-20", "2022-05-01", "2022-06-03"],
      ...["2022-07-14", "2022-08-17", "2022-09-12", "2022-10-11", "2022-11-01", "2022-12-31"],
    ];
    const granted = (annual: number) => {
      const rules = { roundGrantsToMinutes: DAY, roundGrants: "up" } as const;
      const policy = yearly(annual * DAY, { prorateBy: "monthsStarted", ...rules });
      return starts.map((assigned) => days(factsOf({ policy, assigned }), "2022-12-31"));
    };
    expect(granted(30)).toEqual([30, 28, 25, 23, 20, 18, 15, 13, 10, 8, 5, 3]);
    expect(granted(24)).toEqual([24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2]);
  });

  test.each([
    ["before 1 April", 10, 10, "2022-03-07", "2022-03-18", 30],
    ["after 1 April", 10, 10, "2022-06-06", "2022-06-17", 20],
    ["across 1 April: 4 days of the old year, 6 of the new", 10, 10, "2022-03-28", "2022-04-08", 24],
    ["from December on: only 5 of 10 days in the new year", 10, 10, "2021-12-27", "2022-01-07", 30],
  ])("30 days and the old year's until 1 April, leave %s (VacationDaysServiceTest)", (...row) => {
    const [, remaining, taken, first, last, expected] = row;
    const facts = factsOf({
      policy: yearly(30 * DAY, { carryoverExpiresAfterMonths: 3 }),
      assigned: "2021-01-01",
      adjustments: [on("2021-06-01", (remaining - 30) * DAY)],
      requests: [leave("approved", taken * DAY, first, last)],
      workDays: MON_TO_FRI,
    });
    expect(left(facts, "2022-12-31")).toBe(expected);
  });

  test.each([
    [5, 10, 18],
    [10, 5, 18],
    [5, 2, 26],
    [5, 0, 28],
  ])(
    "28 days and 5 of the old year, %i used before 1 April and %i after it (VacationDaysLeftTest)",
    (...row) => {
      const [before, after, expected] = row;
      const facts = factsOf({
        policy: yearly(28 * DAY, { carryoverExpiresAfterMonths: 3 }),
        assigned: "2021-01-01",
        adjustments: [on("2021-06-01", -23 * DAY)],
        requests: [
          leave("approved", before * DAY, "2022-02-01"),
          leave("approved", after * DAY, "2022-05-02"),
        ],
      });
      expect(left(facts, "2022-12-31")).toBe(expected);
    },
  );
});

describe("TimeOff.Management (t/unit/model/user_allowance.js)", () => {
  test.each([
    ["2015-07-14", null, "2016", 20, 20],
    ["2015-04-23", "2016-04-01", "2016", 20, 5],
    ["2015-04-23", "2017-04-01", "2016", 20, 20],
    ["2018-04-01", null, "2018", 20, 15],
    ["2016-04-01", "2016-10-01", "2016", 20, 10],
    ["2018-04-01", "2019-10-01", "2018", 20, 15],
    ["2016-10-01", null, "2017", 24, 24],
    ["2016-04-01", null, "2016", 24, 18],
    ["2019-01-01", null, "2018", 24, 0],
  ])("the allowance of one who is there from %s to %s, in %s", (assigned, ends, year, annual, expected) => {
    const policy = yearly(annual * DAY, { roundGrantsToMinutes: DAY });
    const window = { startDate: `${year}-01-01`, endDate: `${year}-12-31` };
    const { accruedUnlocked } = balanceOn(factsOf({ policy, assigned, ends }), window);
    expect(accruedUnlocked / DAY).toBe(expected);
  });

  test("what was carried over and adjustments come on top of the allowance", () => {
    const total = (annual: number, adjusted: number) => {
      const policy = yearly(annual * DAY, { roundGrantsToMinutes: DAY });
      const adjustments = [on("2016-04-01", adjusted * DAY)];
      return left(factsOf({ policy, assigned: "2016-04-01", adjustments }), "2016-12-31");
    };
    expect([total(24, 10), total(20, 4)]).toEqual([28, 19]);
  });
});

describe("Frappe HR", () => {
  test("a day a month from 15 March: 2.548 on 16 May (test_earned_leaves.py)", () => {
    const facts = factsOf({ policy: monthly(DAY), assigned: "2023-03-15" });
    expect(days(facts, "2023-05-16").toFixed(3)).toBe("2.548");
  });

  test("on the first or the last day of the month (test_earned_leaves.py)", () => {
    const first = factsOf({ policy: monthly(DAY), assigned: "2024-03-01" });
    expect([days(first, "2024-03-31"), days(first, "2024-04-01")]).toEqual([1, 2]);
    const last = factsOf({ policy: monthly(DAY, { accrualTiming: "lastDay" }), assigned: "2024-03-01" });
    const onDays = ["2024-03-31", "2024-04-29", "2024-04-30", "2024-05-31"];
    expect(onDays.map((date) => days(last, date))).toEqual([1, 1, 2, 3]);
  });

  test("six months of half a day, at most 2 (test_earned_leaves.py)", () => {
    const policy = monthly(DAY / 2, { balanceCapMinutes: 2 * DAY });
    expect(days(factsOf({ policy, assigned: "2024-01-01" }), "2024-06-30")).toBe(2);
  });

  test("22 days in rounded months end after eleven; 5 from before stay (test_earned_leaves.py)", () => {
    const rules = { roundGrantsToMinutes: DAY, yearlyAccrualCapMinutes: 22 * DAY };
    const granted = (before: number) => {
      const outline = { policy: monthly((22 * DAY) / 12, rules), assigned: "2024-01-01" };
      const facts = factsOf({ ...outline, adjustments: [on("2024-01-01", before * DAY)] });
      return [days(facts, "2024-11-30"), days(facts, "2024-12-31")];
    };
    expect([granted(0), granted(5)]).toEqual([
      [22, 22],
      [27, 27],
    ]);
  });

  test("15 days, at most 10 carried over, never more than 30 (test_leave_allocation.py)", () => {
    const policy = yearly(15 * DAY, {
      carryoverLimitMinutes: 10 * DAY,
      balanceCapMinutes: 30 * DAY,
      tiers: [{ months: 24, minutes: 25 * DAY }],
    });
    const facts = factsOf({ policy, assigned: "2022-01-01", serviceFrom: "2022-01-01" });
    expect([days(facts, "2023-01-01"), days(facts, "2024-01-01")]).toEqual([25, 30]);
  });

  test.each([
    ["none", 15, 0, "2024-01-01", "2024-01-01", 15, 15],
    ["3 days at the start, of 5 carried over", 5, 3, "2024-01-01", "2024-01-03", 2, 15],
    ["6 days at the start, of 5 carried over", 5, 6, "2024-01-01", "2024-01-06", 0, 14],
    ["4 days from the last good day on", 15, 4, "2024-03-30", "2024-04-02", 14, 12],
    ["20 days, 17 of them in time", 15, 20, "2024-03-14", "2024-04-02", 0, 10],
    ["4 days too late", 15, 4, "2024-03-31", "2024-04-03", 15, 11],
  ])(
    "carried over for 90 days, leave: %s (test_leave_allocation.py, test_leave_application.py)",
    (...row) => {
      const [, carried, taken, first, last, expired, remaining] = row;
      const facts = factsOf({
        policy: yearly(15 * DAY, { carryoverExpiresAfterDays: 90 }),
        assigned: "2023-01-01",
        adjustments: [on("2023-06-01", (carried - 15) * DAY)],
        requests: [leave("approved", taken * DAY, first, last)],
      });
      expect(carried + 15 - days(facts, "2024-04-30")).toBe(expired);
      expect(left(facts, "2024-04-30")).toBe(remaining);
    },
  );
});

describe("other systems", () => {
  test("granted, booked and asked for (OrangeHRM, LeaveEntitlementDaoGetLeaveBalanceTest)", () => {
    const counted = (grantedDays: number, approvedDays: number) => {
      const requests = [
        leave("approved", approvedDays * DAY, "2012-05-02"),
        leave("pending", 0.5 * DAY, "2012-06-04"),
      ];
      const adjustments = [on("2012-01-01", grantedDays * DAY)];
      const facts = factsOf({ policy: monthly(0), assigned: "2012-01-01", adjustments, requests });
      const { accruedUnlocked, used, holds } = balanceOn(facts, { endDate: "2012-07-02" });
      return [accruedUnlocked / DAY, used / DAY, holds / DAY];
    };
    expect([counted(4, 0), counted(3, 0.75)]).toEqual([
      [4, 0, 0.5],
      [3, 0.75, 0.5],
    ]);
  });

  test("10 days, 92 days before the year ends: 3, rounded (GitLab handbook, Public holidays)", () => {
    const policy = yearly(10 * DAY, { roundGrantsToMinutes: DAY });
    expect(days(factsOf({ policy, assigned: "2025-10-01" }), "2025-12-31")).toBe(3);
  });
});

describe("accrual plans of other systems", () => {
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
