// Property: the numbers of a leave year add up. For any entries, the sum of the parts is what is left.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { leaveYears, periodOf, periodStart } from "../../../src/balances/periods.ts";
import type { BalanceEntry } from "../../../src/client/index.ts";
import { DEFAULT_RULES } from "../../../src/resources/policies.ts";
import { dayOfText, formatDay } from "../../../src/time/day.ts";
import { leaveYearOf, yearStartOf } from "../../../src/web/data/leave-years.ts";
import { leaveYear } from "../../../src/web/people/leave-year.ts";

const entry = (date: string, kind: BalanceEntry["kind"], minutes: number): BalanceEntry => ({
  date,
  kind,
  minutes,
  balance: 0,
  unlocksOn: null,
  sourceId: null,
  detail: "",
  detailParts: [],
});

test("each leave year begins on the day that the rules say, whenever somebody was hired", () => {
  const rules = fc.record({
    periodAnchor: fc.constantFrom("calendar", "anniversary"),
    yearStartsOn: fc.constantFrom("01-01", "02-28", "02-29", "03-01", "04-01", "04-06", "07-15", "12-31"),
  });
  const [from, to] = [dayOfText("2023-12-01"), dayOfText("2029-03-31")];
  const hired = fc.oneof(fc.integer({ min: from, max: to }), fc.constant(dayOfText("2024-02-29")));
  const day = fc.oneof(fc.integer({ min: from, max: to }), fc.constant(dayOfText("2027-02-28")));
  fc.assert(
    fc.property(rules, hired, day, fc.integer({ min: -2, max: 3 }), (ruled, assignedOn, today, offset) => {
      const years = leaveYears({ ...DEFAULT_RULES, ...ruled }, assignedOn);
      const n = periodOf(years, today) + offset;
      const { first, end } = leaveYearOf(today, yearStartOf({ rules: ruled }, assignedOn), offset);
      expect([first, end].map(formatDay)).toEqual(
        [n, n + 1].map((one) => formatDay(periodStart(years, one))),
      );
    }),
    { numRuns: 1000 },
  );
  expect(yearStartOf({ rules: {} }, from)).toEqual({ month: 1, dayOfMonth: 1 });
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
  const year = leaveYear({ range, opening: 1440, entries, taken, coming });
  expect(year.parts.map(({ kind, minutes }) => [kind, minutes])).toEqual([
    ["entitlement", 9600],
    ["carried", 1200],
    ["lost", -480],
    ["used", -960],
    ["booked", -480],
    ["requested", -480],
    ["left", 8400],
  ]);
});

test("for any entries, the parts come to what is left", () => {
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
        const { parts } = leaveYear({ range, opening, entries: all, taken, coming });
        const left = opening + all.reduce((sum, { minutes }) => sum + minutes, 0);
        expect(parts.at(-1)!.minutes).toBe(left);
      },
    ),
  );
});
