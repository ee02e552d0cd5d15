// Property: for any two sets of facts, the causes of a difference add up to it exactly. A single change has that change as its only
// cause.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { figureOf } from "../../src/balances/balance.ts";
import { causesOf, type DifferenceCause } from "../../src/balances/differences.ts";
import type { BalanceFacts, ScheduleFacts } from "../../src/balances/facts.ts";
import { day, factsOf, leave, on, perHourWorked, worksFrom, yearly } from "./builders.ts";
import { allFacts, anyDay } from "./generators.ts";

const RUNS = Number(process.env.ROLLCALL_TEST_RUNS ?? 40);

/** As the store returns facts: each entry has an id. */
function withIds(facts: BalanceFacts, level = 0): BalanceFacts {
  const named = <E extends object>(entries: readonly E[], prefix: string) =>
    entries.map((entry, at) => ({ ...entry, id: `${prefix}${level}_${at}` }));
  return {
    ...facts,
    adjustments: named(facts.adjustments, "toj_"),
    requests: named(facts.requests, "tor_"),
    movesFrom: facts.movesFrom && withIds(facts.movesFrom, level + 1),
  };
}

const factsWithIds = allFacts.map((facts) => withIds(facts));

test("the causes of a difference add up to it", () => {
  let different = 0;
  fc.assert(
    fc.property(
      fc.option(factsWithIds, { freq: 8 }),
      fc.option(factsWithIds, { freq: 8 }),
      anyDay,
      (before, now, day) => {
        const causes = causesOf(before, now, day, (id) => id === "tor_0_0");
        const difference = figureOf(now, day) - figureOf(before, day);
        expect(causes.reduce((sum, { by }) => sum + by, 0)).toBe(difference);
        if (difference !== 0) different++;
      },
    ),
    { numRuns: RUNS },
  );
  expect(different).toBeGreaterThan(2);
});

/** Single changes, each with its expected cause. */
const CHANGES: readonly (readonly [cause: DifferenceCause, change: (facts: BalanceFacts) => BalanceFacts])[] =
  [
    [
      "leaveAdded",
      (facts) => {
        const firstDay = facts.assignment.assignedOn + 20;
        const added = {
          id: "tor_new",
          status: "approved",
          firstDay,
          lastDay: firstDay,
          minutes: 480,
        } as const;
        return { ...facts, requests: [...facts.requests, added] };
      },
    ],
    ["leaveRemoved", (facts) => ({ ...facts, requests: facts.requests.slice(1) })],
    [
      "leaveChanged",
      (facts) => ({
        ...facts,
        requests: facts.requests.map((request, at) =>
          at === 0 ? { ...request, minutes: request.minutes + 60 } : request,
        ),
      }),
    ],
    [
      "adjustmentAdded",
      (facts) => ({
        ...facts,
        adjustments: [
          ...facts.adjustments,
          { id: "toj_new", day: facts.assignment.assignedOn + 9, minutes: 30 },
        ],
      }),
    ],
    ["adjustmentRemoved", (facts) => ({ ...facts, adjustments: facts.adjustments.slice(1) })],
    [
      "adjustmentChanged",
      (facts) => ({
        ...facts,
        adjustments: facts.adjustments.map((entry) => ({ ...entry, minutes: entry.minutes - 45 })),
      }),
    ],
    [
      "rule",
      (facts) => ({
        ...facts,
        policy: { ...facts.policy, minutesPerPeriod: (facts.policy.minutesPerPeriod ?? 0) + 120 },
      }),
    ],
    [
      "worker",
      (facts) => ({ ...facts, worker: { ...facts.worker, startDate: facts.worker.startDate + 200 } }),
    ],
    ["assignment", (facts) => ({ ...facts, assignment: { ...facts.assignment, minutesPerPeriod: 12345 } })],
    [
      "opening",
      (facts) => ({
        ...facts,
        opening: facts.opening && { ...facts.opening, minutes: facts.opening.minutes + 10 },
      }),
    ],
    ["workedHours", (facts) => ({ ...facts, workedHours: facts.workedHours.slice(1) })],
  ];

test.each(CHANGES)("%s: a single change is the only cause", (cause, change) => {
  fc.assert(
    fc.property(factsWithIds, anyDay, (facts, day) => {
      const now = change(facts);
      fc.pre(figureOf(now, day) !== figureOf(facts, day));
      const causes = causesOf(facts, now, day, () => false);
      expect([...new Set(causes.map(({ cause }) => cause))]).toEqual([cause]);
    }),
    { numRuns: Math.ceil(RUNS / 10), maxSkipsPerRun: 2000 },
  );
});

test.each(CHANGES)("%s: under the policy from which the balance moved, too", (cause, change) => {
  const moved = factsWithIds.filter(({ movesFrom }) => movesFrom !== null);
  fc.assert(
    fc.property(moved, anyDay, (facts, day) => {
      const former = change(facts.movesFrom!);
      const now = { ...(cause === "worker" ? change(facts) : facts), movesFrom: former };
      fc.pre(figureOf(now, day) !== figureOf(facts, day));
      const causes = causesOf(facts, now, day, () => false);
      expect([...new Set(causes.map((each) => each.cause))]).toEqual([cause]);
    }),
    { numRuns: Math.ceil(RUNS / 10), maxSkipsPerRun: 2000 },
  );
});

test("a balance that moved from another policy than before differs by what moved", () => {
  const from = (policyId: string, minutesPerPeriod: number) => {
    const facts = factsOf({
      policy: yearly(minutesPerPeriod),
      assigned: "2020-01-01",
      movesOn: "2020-07-01",
    });
    return { ...facts, assignment: { ...facts.assignment, policyId } };
  };
  const facts = factsOf({ policy: yearly(0), assigned: "2020-07-01" });
  const [before, now] = [from("top_a", 9600), from("top_b", 4800)].map((movesFrom) => ({
    ...facts,
    movesFrom,
  }));
  expect(causesOf(before!, now!, day("2020-12-31"), () => false)).toMatchObject([{ cause: "moved" }]);
  expect(causesOf(before!, facts, day("2020-12-31"), () => false)).toMatchObject([{ cause: "moved" }]);
});

test("hours that count since the schedule is another one are no cause of their own", () => {
  const policy = { ...perHourWorked(60, 1), changes: [] };
  const byHours = factsOf({ policy, assigned: "2020-01-01", workedHours: [on("2020-02-03", 600)] });
  const yearlyFacts = factsOf({ policy: yearly(9600), assigned: "2020-01-01" });
  for (const [before, now] of [
    [yearlyFacts, byHours],
    [byHours, yearlyFacts],
  ] as const)
    expect(
      causesOf(before, now, day("2020-12-31"), () => false).map(({ cause, by }) => [cause, Math.abs(by)]),
    ).toEqual([["rule", 900_000]]);
});

test.each([
  ["came", true],
  ["went", false],
] as const)(
  "an assignment that %s is the only cause, although its leave may be there before and after",
  (_, isNow) => {
    fc.assert(
      fc.property(factsWithIds, anyDay, (facts, day) => {
        const [before, now] = isNow ? [null, facts] : [facts, null];
        const causes = causesOf(before, now, day, () => false);
        expect(causes.every(({ cause }) => cause === "assignment")).toBe(true);
      }),
      { numRuns: RUNS },
    );
  },
);

test("each cause of a difference names its request or adjustment, as it was if it is gone, by day", () => {
  const request = (id: string, date: string, minutes: number) => ({
    ...({ id, status: "approved", firstDay: day(date), lastDay: day(date) + 1, minutes } as const),
  });
  const adjustment = (id: string, date: string, minutes: number) => ({ id, day: day(date), minutes });
  const before = {
    ...factsOf({ policy: yearly(9600), assigned: "2020-01-01" }),
    requests: [request("tor_gone", "2020-09-01", 960), request("tor_less", "2020-03-02", 960)],
    adjustments: [adjustment("toj_gone", "2020-05-04", 100)],
  };
  const now = {
    ...before,
    requests: [request("tor_less", "2020-03-02", 480), request("tor_new", "2020-06-01", 240)],
    adjustments: [adjustment("toj_new", "2020-02-03", 50)],
  };
  const causes = causesOf(before, now, day("2020-12-31"), () => false);
  expect(causes).toEqual([
    { cause: "adjustmentAdded", sourceId: "toj_new", was: null, is: now.adjustments[0]!, by: 5000 },
    { cause: "adjustmentRemoved", sourceId: "toj_gone", was: before.adjustments[0]!, is: null, by: -10_000 },
    {
      cause: "leaveChanged",
      sourceId: "tor_less",
      was: before.requests[1]!,
      is: now.requests[0]!,
      by: 48_000,
    },
    { cause: "leaveAdded", sourceId: "tor_new", was: null, is: now.requests[1]!, by: -24_000 },
    { cause: "leaveRemoved", sourceId: "tor_gone", was: before.requests[0]!, is: null, by: 96_000 },
  ]);
});

test("a schedule and its holidays are causes of their own", () => {
  // Two weeks, of which four days have passed by the closing.
  const requests = [{ ...leave("approved", 4800, "2020-02-24", "2020-03-08"), id: "tor_1" }];
  const at = day("2020-02-27");
  const holiday = { day: day("2020-03-03"), minutes: null, name: "Holiday" };
  const [five, four] = ["480,480,480,480,480,0,0", "480,480,480,480,0,0,0"] as const;
  const causes = (before: readonly ScheduleFacts[], now: readonly ScheduleFacts[]) => {
    const [then, since] = [before, now].map((schedules) =>
      factsOf({ policy: yearly(9600), assigned: "2020-01-01", requests, schedules }),
    );
    return causesOf(then!, since!, at, () => false).map(({ cause, by }) => [cause, by]);
  };
  const from = (week: string, ...holidays: readonly (typeof holiday)[]) =>
    worksFrom("2020-01-01", week, null, holidays);
  // 4 of 10 days, of 8, of 9, of 7.
  expect(causes([from(five)], [from(four)])).toEqual([["schedule", -48_000]]);
  expect(causes([from(five)], [from(five, holiday)])).toEqual([["holiday", -21_333]]);
  expect(causes([from(five)], [from(four, holiday)])).toEqual([
    ["schedule", -48_000],
    ["holiday", -34_286],
  ]);
  // Each schedule keeps the holidays that its days had: then only the schedule changed.
  const since = (week: string) => worksFrom("2020-03-02", week, null, [holiday]);
  const changed = causes([from(five), since(five)], [from(five), since(four)]);
  expect(changed).toEqual([["schedule", -26_667]]);
});
