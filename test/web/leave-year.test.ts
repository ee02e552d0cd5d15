// Property: the numbers of a leave year add up. For any entries, the sum of the parts is what is left, and so is the last
// step of the line.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { BalanceEntry, Policy } from "../../src/client/index.ts";
import { dayOfText, formatDay } from "../../src/time/day.ts";
import { leaveYear, leaveYearOf, yearStartOf } from "../../src/web/people/leave-year.ts";

const entry = (date: string, kind: BalanceEntry["kind"], minutes: number): BalanceEntry => ({
  date,
  kind,
  minutes,
  balance: 0,
  unlocksOn: null,
  sourceId: null,
  detail: "",
});

const policy = (schedule: Policy["schedule"]) => ({ schedule }) as Policy; // nothing else is looked at
const shown = (start: { month: number; dayOfMonth: number }) =>
  [start.month, start.dayOfMonth].map((part) => String(part).padStart(2, "0")).join("-");

describe("the first day of a leave year", () => {
  const since = dayOfText("2023-05-17");
  const startOf = (schedule: Policy["schedule"], ...entries: readonly BalanceEntry[]) =>
    shown(yearStartOf(entries, policy(schedule), since));

  test("is where time is forfeited", () => {
    const entries = [entry("2024-04-01", "forfeit", -60), entry("2025-01-01", "accrual", 60)];
    expect(startOf("monthly", ...entries)).toBe("04-01");
  });

  test("is where a yearly amount is granted, after the first one", () => {
    const grants = ["2023-05-17", "2024-04-01", "2025-04-01"].map((date) => entry(date, "accrual", 9600));
    expect(startOf("yearly", ...grants)).toBe("04-01");
    expect(startOf("yearly", grants[0]!)).toBe("01-01");
  });

  test("is the day after, if the amount is granted on the last day of a year", () => {
    const grants = ["2024-03-31", "2025-03-31"].map((date) => entry(date, "accrual", 9600));
    expect(startOf("yearly", ...grants)).toBe("04-01");
    const anniversary = ["2024-05-16", "2025-05-16"].map((date) => entry(date, "accrual", 9600));
    expect(startOf("yearly", ...anniversary)).toBe("05-17");
  });

  test("is the anniversary for a policy that goes by it", () => {
    const grants = ["2023-05-17", "2024-05-17", "2025-05-17"].map((date) => entry(date, "accrual", 9600));
    expect(startOf("yearly", ...grants)).toBe("05-17");
    const leapDay = dayOfText("2024-02-29");
    const forfeits = ["2025-02-28", "2026-02-28"].map((date) => entry(date, "forfeit", -60));
    expect(shown(yearStartOf(forfeits, policy("monthly"), leapDay))).toBe("02-29");
  });

  test("is 1 January where nothing tells", () => {
    expect(startOf("monthly", entry("2024-04-01", "accrual", 60))).toBe("01-01");
    const quarters = ["2024-01-01", "2024-04-01", "2024-07-01", "2024-10-01"];
    expect(startOf("yearly", ...quarters.map((date) => entry(date, "accrual", 60)))).toBe("01-01");
  });
});

test.each([
  ["2026-11-21", { month: 1, dayOfMonth: 1 }, "2026-01-01", "2027-01-01"],
  ["2026-02-10", { month: 4, dayOfMonth: 1 }, "2025-04-01", "2026-04-01"],
  ["2026-04-01", { month: 4, dayOfMonth: 1 }, "2026-04-01", "2027-04-01"],
  ["2026-02-28", { month: 2, dayOfMonth: 29 }, "2026-02-28", "2027-02-28"],
  ["2028-02-28", { month: 2, dayOfMonth: 29 }, "2027-02-28", "2028-02-29"],
])("%s is in the leave year that starts on %o: %s to %s", (day, start, first, end) => {
  const range = leaveYearOf(dayOfText(day), start);
  expect([formatDay(range.first), formatDay(range.end)]).toEqual([first, end]);
});

const range = { first: dayOfText("2026-01-01"), end: dayOfText("2027-01-01") };

test("what was forfeited when the year began is part of what was carried over", () => {
  const entries = [
    entry("2026-01-01", "forfeit", -240),
    entry("2026-01-01", "accrual", 9600),
    entry("2026-04-01", "expiry", -480),
    entry("2026-06-01", "used", -960),
    entry("2026-12-20", "used", -480),
    entry("2026-12-30", "hold", -480),
  ];
  const taken = [entry("2026-06-01", "used", -960)];
  const coming = [entry("2026-12-20", "used", -480)];
  const dayAfter = [entry("2027-01-01", "forfeit", -120), entry("2027-01-01", "accrual", 9600)];
  const year = leaveYear({ range, opening: 1440, entries, taken, coming, dayAfter });
  expect(year.parts.map(({ name, minutes }) => [name, minutes])).toEqual([
    ["Entitlement", 9600],
    ["Carried over", 1200],
    ["Expired", -480],
    ["Used", -960],
    ["Booked", -480],
    ["Requested", -480],
    ["Left", 8400],
  ]);
  expect(year.atRisk).toBe(120);
});

test("for any entries, the parts and the steps come to the same", () => {
  const kinds = ["accrual", "adjustment", "forfeit", "expiry", "used", "hold"] as const;
  const entries = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 364 }), fc.constantFrom(...kinds), fc.integer({ min: 1, max: 9600 })),
  );
  fc.assert(
    fc.property(
      entries,
      fc.integer({ min: -9600, max: 9600 }),
      fc.integer({ min: 0, max: 364 }),
      (drawn, opening, now) => {
        const all = drawn
          .sort(([a], [b]) => a - b)
          .map(([day, kind, minutes]) => {
            const sign = kind === "accrual" || kind === "adjustment" ? 1 : -1;
            return entry(formatDay(range.first + day), kind, sign * minutes);
          });
        const isTaken = ({ date }: BalanceEntry) => dayOfText(date) <= range.first + now;
        const taken = all.filter(isTaken);
        const coming = all.filter((each) => !isTaken(each));
        const { parts, steps } = leaveYear({ range, opening, entries: all, taken, coming, dayAfter: [] });
        const left = opening + all.reduce((sum, { minutes }) => sum + minutes, 0);
        expect(parts.at(-1)!.minutes).toBe(left);
        expect(steps.at(-1)!.minutes).toBe(left);
      },
    ),
  );
});
