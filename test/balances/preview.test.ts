// Property: taking the most that a preview allows leaves no day below zero; 0.01 minute more does.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { approved, balance } from "../../src/balances/balance.ts";
import { coverageOf, employmentOf, isCovered } from "../../src/balances/coverage.ts";
import type { BalanceFacts } from "../../src/balances/facts.ts";
import { preview } from "../../src/balances/preview.ts";
import { subtract, toHundredths } from "../../src/balances/rational.ts";
import { day, factsOf, leave, MON_TO_FRI, on, sumsIn, worksFrom, yearly } from "./builders.ts";
import { allFacts, anyDay } from "./generators.ts";

const FIRST = day("2026-08-03");

test("the example of docs/balances.md", () => {
  const facts = factsOf({
    policy: yearly(9600, { carryoverLimitMinutes: 0 }),
    assigned: "2026-01-01",
    requests: [
      leave("approved", 2400, "2026-12-07", "2026-12-11"),
      leave("pending", 2400, "2026-12-14", "2026-12-18"),
    ],
  });
  const previewed = preview(facts, FIRST, FIRST + 6, null);
  expect(previewed).toEqual({
    days: [0, 1, 2, 3, 4].map((at) => ({ day: FIRST + at, minutes: 480 })),
    ...{ before: 9600, after: 7200, most: 4800, isCovered: true },
    lost: [{ day: day("2027-01-01"), minutes: 2400, cause: "carryoverLimit" }],
  });
});

test("what is lost in the twelve months after the first day is said in a leap year, too", () => {
  const facts = factsOf({ policy: yearly(9600, { carryoverLimitMinutes: 0 }), assigned: "2028-01-01" });
  const first = day("2028-01-01"); // 366 days before the loss
  expect(preview(facts, first, first, 0).lost).toEqual([
    { day: day("2029-01-01"), minutes: 9600, cause: "carryoverLimit" },
  ]);
});

test("the balance after leave is that of rounded sums, which a balance shows once it is booked", () => {
  const given = { policy: yearly(0), assigned: "2026-01-01", adjustments: [on("2026-01-01", 0.005)] };
  const booked = factsOf({ ...given, requests: [leave("approved", 960, "2026-08-03")] });
  const { available } = balance(booked, { today: FIRST, endDate: FIRST });
  expect(available).toBe(-959.99); // 0.01 - 960
  expect(preview(factsOf(given), FIRST, FIRST, 960).after).toBe(available);
});

test("the most is exact to 0.01 minute where leave of later days limits it", () => {
  for (const minutes of [4799.97, 4799.98, 4799.99, 4800]) {
    const requests = [leave("approved", minutes, "2026-12-07")];
    const facts = factsOf({ policy: yearly(9600), assigned: "2026-01-01", requests });
    expect(preview(facts, FIRST, FIRST, null).most).toBe(Math.round((9600 - minutes) * 100) / 100);
  }
});

test("the most is limited by the cap on use in a year", () => {
  const facts = factsOf({
    policy: yearly(9600, { useCapMinutes: 2400 }),
    assigned: "2026-01-01",
    requests: [
      leave("approved", 480, "2026-12-07", "2026-12-07"),
      leave("pending", 480, "2026-12-14", "2026-12-14"),
    ],
  });
  expect(preview(facts, FIRST, FIRST, null).most).toBe(1440);
  expect(preview(facts, day("2027-02-01"), day("2027-02-01"), null).most).toBe(2400);
});

test("locked time cannot be taken before its day, nor lent to leave that is booked before it", () => {
  const facts = factsOf({
    policy: yearly(9600, { waitingPeriodDays: 90 }),
    assigned: "2026-06-01",
    adjustments: [on("2026-06-01", 480)],
    requests: [leave("pending", 240, "2026-08-10", "2026-08-10")],
  });
  const most = (date: string) => preview(facts, day(date), day(date), null).most;
  expect([most("2026-08-03"), most("2026-08-29")]).toEqual([240, 240]);
  // The year's 9,600 minutes from 1 June on, in part, and what is left of the adjustment.
  expect(most("2026-08-30")).toBeGreaterThan(5000);
});

test("minutes come from the schedule, the work days, or the request", () => {
  const of = (more: object, minutes: number | null = null) =>
    preview(
      factsOf({ policy: yearly(9600), assigned: "2026-01-01", ...more }),
      FIRST,
      FIRST + 6,
      minutes,
    ).days.map(({ day, minutes }) => [day - FIRST, minutes]);
  expect(of({ workDays: 0b0000011 })).toEqual([
    [0, 480],
    [1, 480],
  ]);
  const holidays = [{ day: FIRST + 1, minutes: null }];
  expect(of({ schedules: [worksFrom("2026-01-05", "480,480,240,0,0,0,0", null, holidays)] })).toEqual([
    [0, 480],
    [2, 240],
  ]);
  expect(of({ workDays: MON_TO_FRI }, 100)).toEqual([0, 1, 2, 3, 4].map((at) => [at, 20]));
});

test("the workplace's holidays are left out on days without a schedule", () => {
  const holidays = [
    { day: FIRST + 1, minutes: null },
    { day: FIRST + 2, minutes: 240 },
  ];
  const minutesOf = (more: object) =>
    preview(
      factsOf({ policy: yearly(9600), assigned: "2026-01-01", holidays, ...more }),
      FIRST,
      FIRST + 6,
      null,
    ).days.map(({ day, minutes }) => [day - FIRST, minutes]);
  expect(minutesOf({})).toEqual([
    [0, 480],
    [2, 240],
    [3, 480],
    [4, 480],
  ]);
  // A schedule has its own calendar; here it begins on Wednesday.
  expect(minutesOf({ schedules: [worksFrom("2026-08-05", "300,300,300,0,0,0,0")] })).toEqual([
    [0, 480],
    [2, 300],
  ]);
});

test("leave across a leave year is covered by both years' grants", () => {
  const facts = factsOf({ policy: yearly(2400, { carryoverLimitMinutes: 0 }), assigned: "2026-01-01" });
  const covered = (first: string, last: string, minutes: number | null = null) =>
    preview(facts, day(first), day(last), minutes).isCovered;
  // Monday 28 December to Friday 8 January takes four days of one year and six of the next, which grants five.
  expect(covered("2026-12-28", "2027-01-07")).toBe(true);
  expect(covered("2026-12-28", "2027-01-08")).toBe(false);
  expect(covered("2026-12-21", "2026-12-25")).toBe(true);
  expect(covered("2026-12-21", "2026-12-28")).toBe(false);
  expect(covered("2026-12-28", "2026-12-28", 2400)).toBe(true);
  expect(covered("2026-12-28", "2026-12-28", 2401)).toBe(false);
});

test("leave is not covered where a leave year has more than its cap on use", () => {
  const facts = factsOf({ policy: yearly(9600, { useCapMinutes: 1440 }), assigned: "2026-01-01" });
  const covered = (first: string, last: string) => preview(facts, day(first), day(last), null).isCovered;
  expect(covered("2026-12-29", "2027-01-05")).toBe(true); // three days of each year
  expect(covered("2026-12-28", "2027-01-05")).toBe(false);
  expect(covered("2026-12-29", "2027-01-06")).toBe(false);
  // Another year that has more leave already is no reason.
  const requests = [leave("approved", 1441, "2026-06-01")];
  const later = day("2027-02-01");
  expect(preview({ ...facts, requests }, later, later, null).isCovered).toBe(true);
});

// BUrlG § 7 (4): what is left when the employment ends is paid out, not taken.
test("leave after the last day, or before the first one, cannot be taken", () => {
  const asked = (more: object, first: string, last = first) => {
    const facts = factsOf({ policy: yearly(9600), assigned: "2026-01-01", ...more });
    const { most, isCovered } = preview(facts, day(first), day(last), null);
    return [most, isCovered];
  };
  const ends = { ends: "2026-08-31" };
  const atLeast = 6390; // 9600 × 243 ÷ 365
  for (const more of [ends, { assignmentEnds: "2026-08-31" }]) {
    expect(asked(more, "2026-08-31")[0]).toBeGreaterThan(atLeast);
    expect(asked(more, "2026-08-31")[1]).toBe(true);
    expect(asked(more, "2026-08-31", "2026-09-01")[1]).toBe(false);
    expect(asked(more, "2026-09-01")).toEqual([0, false]);
  }
  // The employment ends on Friday 7 August; the weekend takes nothing.
  expect(asked({ ends: "2026-08-07" }, "2026-08-03", "2026-08-09")[1]).toBe(true);
  expect(asked({ gaps: ["2026-06-01/2026-06-30"] }, "2026-06-15")).toEqual([0, false]);
  expect(asked({ adjustments: [on("2025-12-01", 4800)] }, "2025-12-31")).toEqual([0, false]);
  const unlimited = { policy: { ...yearly(0), isUnlimited: true, schedule: "unlimited" }, ...ends };
  expect(asked(unlimited, "2026-08-31")[1]).toBe(true);
  expect(asked(unlimited, "2026-09-01")[1]).toBe(false);
});

test("pending leave under the policy before counts, too", () => {
  const before = factsOf({
    policy: yearly(4800),
    assigned: "2025-01-01",
    assignmentEnds: "2025-12-31",
    requests: [leave("pending", 2400, "2025-12-15", "2025-12-19")],
  });
  const facts = { ...factsOf({ policy: yearly(2400), assigned: "2026-01-01" }), movesFrom: before };
  const june = day("2026-06-15");
  const { most, isCovered } = preview(facts, june, june, 4801);
  // 4800 − 2400 move here, and 2400 are granted.
  expect([most, isCovered]).toEqual([4800, false]);
});

/** With all pending leave approved, also under policies from which the balance moved. */
const withoutPending = (facts: BalanceFacts): BalanceFacts => ({
  ...facts,
  movesFrom: facts.movesFrom && withoutPending(facts.movesFrom),
  requests: facts.requests.map(approved),
});

/** The least that can be used on a day from a day on, in hundredths, with so much taken on that day. Computes each day on its own. */
function lowest(facts: BalanceFacts, from: number, hundredths: number): number {
  const minutes = hundredths / 100;
  const taken = { firstDay: from, lastDay: from, minutes, dayMinutes: [{ day: from, minutes }] };
  const booked = withoutPending({ ...facts, requests: [...facts.requests, { ...taken, status: "pending" }] });
  const { requests } = booked;
  const lastLeave = requests.map(({ lastDay, dayMinutes }) => dayMinutes?.at(-1)?.day ?? lastDay);
  const dated = [...facts.adjustments, ...facts.workedHours].map((fact) => fact.day);
  const last = Math.max(from + 800, ...lastLeave, ...dated);
  let low = Infinity;
  for (let endDate = from; endDate <= last; endDate++) {
    const sums = sumsIn(booked, { today: endDate, endDate });
    low = Math.min(low, toHundredths(subtract(sums.accruedUnlocked, sums.used)));
  }
  return low;
}

test("the most leaves no day below zero, and 0.01 minute more does", () => {
  fc.assert(
    fc.property(allFacts, anyDay, (given, from) => {
      const { useCapMinutes } = given.policy.rules;
      fc.pre(!given.policy.isUnlimited && useCapMinutes === null && given.policy.changes.length === 0);
      fc.pre(given.opening === null || given.opening.day < from);
      fc.pre(isCovered(employmentOf(given, coverageOf(given)), from)); // else there is no leave to take
      const most = Math.round(preview(given, from, from, null).most * 100);
      if (most > 0) expect(lowest(given, from, most)).toBeGreaterThanOrEqual(0);
      const canTake = (hundredths: number) => preview(given, from, from, hundredths / 100).isCovered;
      if (most > 0) expect(canTake(most)).toBe(true);
      expect(canTake(most + 1)).toBe(false);
      expect(lowest(given, from, most + 1)).toBeLessThan(0);
    }),
    { numRuns: 12 },
  );
}, 120_000);
