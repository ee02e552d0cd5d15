import { describe, expect, test } from "bun:test";
import type { PolicyFacts, PolicyRules } from "../../src/balances/facts.ts";
import { grantPeriods, leaveYears, type Periods, periodOf, periodStart } from "../../src/balances/periods.ts";
import { DEFAULT_RULES } from "../../src/resources/policies.ts";
import { formatDay } from "../../src/time/day.ts";
import { day, monthly, yearly } from "./builders.ts";

function periodsOf(
  rules: Partial<PolicyRules>,
  schedule: "monthly" | "yearly" = "yearly",
  assigned = "2024-01-01",
): Periods {
  const policy: PolicyFacts = schedule === "monthly" ? monthly(1, rules) : yearly(1, rules);
  return grantPeriods(policy, day(assigned));
}

function around(periods: Periods, date: string, count: number): string[] {
  const n = periodOf(periods, day(date));
  return Array.from({ length: count }, (_, at) => formatDay(periodStart(periods, n + at)));
}

describe("periods", () => {
  function starts(assigned: string, months: 1 | 12, from: number, through: number): string[] {
    const periods = periodsOf({ periodAnchor: "anniversary" }, months === 1 ? "monthly" : "yearly", assigned);
    return Array.from({ length: through - from + 1 }, (_, at) => formatDay(periodStart(periods, from + at)));
  }

  test("months from the 31st end where the month ends, and come back to the 31st", () => {
    expect(starts("2023-01-31", 1, 0, 4)).toEqual([
      "2023-01-31",
      "2023-02-28",
      "2023-03-31",
      "2023-04-30",
      "2023-05-31",
    ]);
  });

  test("months from the 29th and 30th know leap years", () => {
    expect(starts("2023-12-29", 1, 2, 3)).toEqual(["2024-02-29", "2024-03-29"]);
    expect(starts("2022-12-30", 1, 2, 3)).toEqual(["2023-02-28", "2023-03-30"]);
  });

  test("years from 29 February fall on the 28th until the next leap year", () => {
    expect(starts("2024-02-29", 12, 0, 4)).toEqual([
      "2024-02-29",
      "2025-02-28",
      "2026-02-28",
      "2027-02-28",
      "2028-02-29",
    ]);
  });

  test("periodOf gives the period that contains the day", () => {
    const from = day("2020-02-14");
    const rules: Partial<PolicyRules>[] = [
      {},
      { yearStartsOn: "08-31" },
      { instalments: "weekly", instalmentsFrom: from },
      { instalments: "biweekly", instalmentsFrom: from },
      { instalments: "semimonthly" },
      { instalments: "quarterly", yearStartsOn: "08-31" },
      { instalments: "halfYearly", yearStartsOn: "04-06" },
      { periodAnchor: "anniversary" },
      { periodAnchor: "anniversary", instalments: "quarterly" },
    ];
    for (const assigned of ["2023-01-31", "2024-02-29", "2024-03-01", "2023-06-15"]) {
      for (const rule of rules) {
        for (const schedule of ["monthly", "yearly"] as const) {
          const periods = periodsOf(rule, schedule, assigned);
          for (let at = day("2022-12-01"); at < day("2029-03-05"); at++) {
            const n = periodOf(periods, at);
            expect(periodStart(periods, n) <= at && at < periodStart(periods, n + 1)).toBe(true);
          }
        }
      }
    }
  });

  test("leave years and their quarters start on the day that the year starts on, or on a short month's last", () => {
    const rules = { yearStartsOn: "08-31" };
    expect(around(periodsOf({ ...rules, instalments: "quarterly" }), "2024-09-15", 5)).toEqual([
      "2024-08-31",
      "2024-11-30",
      "2025-02-28",
      "2025-05-31",
      "2025-08-31",
    ]);
    const years = leaveYears({ ...DEFAULT_RULES, yearStartsOn: "04-06" }, day("2024-01-01"));
    expect(around(years, "2024-04-05", 2)).toEqual(["2023-04-06", "2024-04-06"]);
  });

  test("months follow the calendar whatever day the leave year starts on", () => {
    expect(around(periodsOf({ yearStartsOn: "04-06" }, "monthly"), "2024-04-06", 2)).toEqual([
      "2024-04-01",
      "2024-05-01",
    ]);
  });

  test("weeks count in both directions from instalmentsFrom", () => {
    const rules = { instalments: "biweekly", instalmentsFrom: day("2024-01-05") } as const;
    expect(around(periodsOf(rules), "2023-12-31", 3)).toEqual(["2023-12-22", "2024-01-05", "2024-01-19"]);
  });

  test("a half month has 15 days, or the rest of the month", () => {
    expect(around(periodsOf({ instalments: "semimonthly" }), "2024-02-15", 3)).toEqual([
      "2024-02-01",
      "2024-02-16",
      "2024-03-01",
    ]);
  });
});
