// Of causes that another system may have for another figure, each is named where it is the one: its figures are made by the rule itself,
// for forty people with first days and leave of their own.
import { expect, test } from "bun:test";
import type { BalanceFacts, PolicyRules, RequestFacts } from "../../src/balances/facts.ts";
import { groupsOf } from "../../src/cli/agreement.ts";
import { balanceAt } from "../../src/cli/hypotheses.ts";
import { day, factsOf, leave, monthly, on, worksFrom, yearly } from "../balances/builders.ts";
import { randomOf } from "../support/random-rows.ts";

const DAY = day("2026-08-14");
const BOTH = { carryoverLimitMinutes: 2400 };

/** Forty people under a policy, by their numbers. */
function people(policy: BalanceFacts["policy"]): BalanceFacts[] {
  const below = randomOf(7);
  return Array.from({ length: 40 }, (_, at) => {
    const assigned = `202${3 + below(3)}-${String(1 + below(12)).padStart(2, "0")}-${String(1 + below(28)).padStart(2, "0")}`;
    const requests: RequestFacts[] = [2024, 2025, 2026].flatMap((year) =>
      Array.from({ length: 1 + below(3) }, () => {
        const date = `${year}-0${1 + below(8)}-${10 + below(18)}`;
        return leave("approved", 240 * (1 + below(6)), date, date);
      }),
    );
    if (at % 3 === 0) requests.push(leave("pending", 960, "2026-08-03", "2026-08-04"));
    if (at % 4 === 0) requests.push(leave("approved", 1440, "2026-12-21", "2026-12-23"));
    const adjustments = at % 5 === 0 ? [on("2026-03-02", 300)] : [];
    const schedules = at % 2 === 0 ? [worksFrom("2020-01-06", "240,240,240,240,240,0,0", 2400)] : [];
    return factsOf({ policy, assigned, starts: assigned, requests, adjustments, schedules });
  });
}

const withRules = (facts: BalanceFacts, rules: Partial<PolicyRules>): BalanceFacts => ({
  ...facts,
  policy: { ...facts.policy, rules: { ...facts.policy.rules, ...rules } },
});
const rules = (other: Partial<PolicyRules>) => (facts: BalanceFacts) => withRules(facts, other);
const amount = (minutesPerPeriod: number) => (facts: BalanceFacts) => ({
  ...facts,
  policy: { ...facts.policy, minutesPerPeriod },
});

type Injected = readonly [
  cause: string,
  ours: BalanceFacts["policy"],
  theirs: (facts: BalanceFacts) => BalanceFacts,
  on?: number,
];

test.each<Injected>([
  ["an amount of 10080 minutes there?", yearly(9600, BOTH), amount(10_080)],
  ["an amount of 840 minutes there?", monthly(800, BOTH), amount(840)],
  ["a carry-over limit of 1200 there?", yearly(9600, BOTH), rules({ carryoverLimitMinutes: 1200 })],
  ["no carry-over limit there?", yearly(9600, BOTH), rules({ carryoverLimitMinutes: null })],
  ["a carry-over limit of 0 there?", yearly(9600, BOTH), rules({ carryoverLimitMinutes: 0 })],
  [
    "what is carried over expires after 3 months there?",
    yearly(9600, BOTH),
    rules({ carryoverExpiresAfterMonths: 3 }),
  ],
  [
    "what is carried over never expires there?",
    yearly(9600, { ...BOTH, carryoverExpiresAfterMonths: 3 }),
    rules({ carryoverExpiresAfterMonths: null }),
  ],
  ["a part of a period is granted whole there?", monthly(800), rules({ prorate: false })],
  [
    '"prorateBy": "monthsStarted" there?',
    yearly(9600, { prorate: true }),
    rules({ prorateBy: "monthsStarted" }),
  ],
  ["grants come after the end of a period there?", monthly(800), rules({ accrualTiming: "end" })],
  [
    "a first year that is whole after 6 months there?",
    yearly(9600, { prorate: true }),
    rules({ firstYearWholeAfterMonths: 6 }),
  ],
  [
    "grants are rounded up to a multiple of 480 minutes there?",
    yearly(9600),
    rules({ roundGrantsToMinutes: 480, roundGrants: "up" }),
  ],
  ["a balance cap of 14400 minutes there?", monthly(800), rules({ balanceCapMinutes: 14_400 })],
  ['"scaleWith": "share" there?', yearly(9600), rules({ scaleWith: "share" })],
  ["the leave year begins on 04-01 there?", yearly(9600, BOTH), rules({ yearStartsOn: "04-01" })],
  ['"periodAnchor": "anniversary" there?', yearly(9600, BOTH), rules({ periodAnchor: "anniversary" })],
  [
    "their figure is of the end of the month before?",
    monthly(800, BOTH),
    (facts) => facts,
    day("2026-07-31"),
  ],
  [
    "pending leave is taken off there?",
    yearly(9600, BOTH),
    (facts) => ({
      ...facts,
      requests: facts.requests.map((request) => ({ ...request, status: "approved" as const })),
    }),
  ],
  [
    "leave of later days and pending leave are taken off there?",
    yearly(9600, BOTH),
    (facts) => ({
      ...facts,
      requests: facts.requests.map((request) => {
        const [firstDay, lastDay] = [Math.min(request.firstDay, DAY), Math.min(request.lastDay, DAY)];
        return { ...request, status: "approved" as const, firstDay, lastDay };
      }),
    }),
  ],
  ["without our adjustment of 2026-03-02?", yearly(9600, BOTH), (facts) => ({ ...facts, adjustments: [] })],
])("%s", (cause, policy, change, theirDay = DAY) => {
  const differences = people(policy).flatMap((facts, at) => {
    const [ours, theirs] = [balanceAt(facts, DAY)!, balanceAt(change(facts), theirDay)!];
    const row = { workerId: `wrk_${at}`, policyId: "top_a", day: DAY, minutes: theirs / 100, facts };
    return Math.abs(ours - theirs) <= 100 ? [] : [{ ...row, by: ours - theirs }];
  });
  expect(differences.length).toBeGreaterThan(5);
  const [first, ...rest] = groupsOf(differences, 100);
  expect([first!.cause, first!.balances, rest]).toEqual([cause, differences.length, []]);
});

test("causes that explain the same balances are all told", () => {
  // Everybody has more than the limit on the year boundary, so more of the amount is as much of the limit.
  const differences = people(yearly(9600, BOTH))
    .filter(({ assignment }) => assignment.assignedOn < day("2025-01-01"))
    .map((facts, at) => {
      const own = { ...facts, requests: [] };
      const [ours, theirs] = [balanceAt(own, DAY)!, balanceAt(amount(12_000)(own), DAY)!];
      const row = { workerId: `wrk_${at}`, policyId: "top_a", day: DAY, minutes: theirs / 100, facts: own };
      return { ...row, by: ours - theirs };
    });
  const [group, ...rest] = groupsOf(differences, 100);
  expect(rest).toEqual([]);
  expect([group!.cause, ...group!.otherCauses]).toEqual([
    "a carry-over limit of 4800 there?",
    "an amount of 12000 minutes there?",
  ]);
});

test.each([
  ["hours", 60],
  ["days of 8 hours", 480],
] as const)("figures in %s are named, also rounded to two decimals", (unit, minutes) => {
  const differences = people(monthly(813.33, BOTH)).map((facts, at) => {
    const ours = balanceAt(facts, DAY)!;
    const theirs = Math.round(ours / minutes) / 100;
    const row = { workerId: `wrk_${at}`, policyId: "top_a", day: DAY, minutes: theirs, facts };
    return { ...row, by: ours - theirs * 100 };
  });
  expect(groupsOf(differences, 100)).toMatchObject([
    { balances: 40, cause: `their figure is in ${unit}, not minutes?` },
  ]);
});
