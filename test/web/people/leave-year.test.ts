// Property: the numbers of a leave year add up. For any entries, the sum of the parts is what is left, and so is the last
// step of the line.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { explain } from "../../../src/balances/balance.ts";
import { DEFAULT_RULES } from "../../../src/balances/facts.ts";
import { leaveYears, periodOf, periodStart } from "../../../src/balances/periods.ts";
import type { BalanceEntry, Policy } from "../../../src/client/index.ts";
import { addMonths, dayOfText, formatDay } from "../../../src/time/day.ts";
import { leaveYear, leaveYearOf, yearStartOf } from "../../../src/web/people/leave-year.ts";
import { factsOf } from "../../balances/builders.ts";

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

  test("is the day on which expired time was carried over", () => {
    const expiry = {
      ...entry("2025-07-01", "expiry", -60),
      detail: "60 carried over on 2025-04-06, 0 taken",
    };
    expect(startOf("monthly", expiry)).toBe("04-06");
  });

  const rules = fc.record({
    accrualTiming: fc.constantFrom("start", "end", "lastDay"),
    periodAnchor: fc.constantFrom("calendar", "anniversary"),
    yearStartsOn: fc.constantFrom("01-01", "02-28", "03-01", "04-01", "04-06", "07-15", "12-31"),
    prorate: fc.boolean(),
    tiers: fc.constantFrom(null, [{ months: 20, minutes: 12_000 }]),
    tierFrom: fc.constantFrom("nextPeriod", "sameDay"),
    carryoverLimitMinutes: fc.constantFrom(null, 0, 2400),
  });

  test("is what the rules say, for every yearly amount, hired on any day, with leave of absence or not", () => {
    const today = dayOfText("2026-11-21");
    const hired = fc.integer({ min: dayOfText("2019-01-01"), max: today });
    const pause = fc.option(fc.tuple(fc.integer({ min: 20, max: 700 }), fc.integer({ min: 1, max: 80 })));
    fc.assert(
      fc.property(rules, hired, pause, (ruled, assignedOn, away) => {
        const policyFacts = {
          schedule: "yearly",
          minutesPerPeriod: 9600,
          minutesPerChunk: null,
          hoursWorkedPerChunk: null,
          isUnlimited: false,
          rules: { ...DEFAULT_RULES, ...ruled },
        } as const;
        const pauses =
          away === null ? [] : [{ first: assignedOn + away[0], last: assignedOn + away[0] + away[1] }];
        const plain = factsOf({ policy: policyFacts, assigned: formatDay(assignedOn) });
        const facts = { ...plain, assignment: { ...plain.assignment, pauses } };
        const window = {
          today,
          startDate: Math.max(assignedOn, addMonths(today, -24)),
          endDate: addMonths(today, 36),
        };
        const entries = explain(facts, window).map((one) => ({
          ...one,
          date: formatDay(one.date),
          unlocksOn: null,
        }));
        const start = yearStartOf(entries, policy("yearly"), assignedOn);
        const years = leaveYears(policyFacts.rules, assignedOn);
        const { first, end } = leaveYearOf(today, start);
        const n = periodOf(years, today);
        expect([first, end].map(formatDay)).toEqual(
          [n, n + 1].map((one) => formatDay(periodStart(years, one))),
        );
      }),
      { numRuns: 1000 },
    );
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
  const kinds = [
    ...(["opening", "moved", "revalued", "accrual", "adjustment"] as const),
    ...(["forfeit", "expiry", "used", "hold"] as const),
  ];
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
            const sign = kinds.indexOf(kind) < 5 ? 1 : -1;
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
