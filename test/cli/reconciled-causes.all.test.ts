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
    if (at % 10 === 0) adjustments.push(on("2026-04-01", at * 60));
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

/** Those whose figures in hundredths of a minute differ from ours by more than a minute, and the others. */
function compared(all: readonly BalanceFacts[], figure: (facts: BalanceFacts, at: number) => number) {
  const reported = all.map((facts, at) => {
    const theirs = figure(facts, at);
    const row = { workerId: `wrk_${at}`, policyId: "top_a", day: DAY, minutes: theirs / 100, facts };
    return { ...row, by: balanceAt(facts, DAY)! - theirs };
  });
  const differs = ({ by }: { by: number }) => Math.abs(by) > 100;
  return [reported.filter(differs), reported.filter((row) => !differs(row))] as const;
}

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
  [
    "without our adjustment of 2026-03-02?",
    yearly(9600, BOTH),
    (facts) => ({ ...facts, adjustments: facts.adjustments.slice(1) }),
  ],
  ["without our adjustments?", yearly(9600, BOTH), (facts) => ({ ...facts, adjustments: [] })],
  [
    "grants are rounded down to a multiple of 30 minutes there?",
    monthly(813.33),
    rules({ roundGrantsToMinutes: 30, roundGrants: "down" }),
  ],
  // A day of leave is 7.5 hours there, and 8 here.
  [
    "leave counts 93.75% there?",
    yearly(9600),
    (facts) => ({
      ...facts,
      requests: facts.requests.map((request) => ({ ...request, minutes: request.minutes * 0.9375 })),
    }),
  ],
  ["leave counts 0% there?", yearly(9600), (facts) => ({ ...facts, requests: [] })],
  [
    "without some leave of ours?",
    yearly(9600),
    (facts) => ({
      ...facts,
      requests: facts.requests.filter((_, at) => at !== facts.assignment.assignedOn % 2),
    }),
  ],
])("%s", (cause, policy, change, theirDay = DAY) => {
  const [differences, agreeing] = compared(people(policy), (facts) => balanceAt(change(facts), theirDay)!);
  expect(differences.length).toBeGreaterThan(5);
  const [first, ...rest] = groupsOf(differences, agreeing, 100);
  expect([first!.cause, first!.balances, rest]).toEqual([cause, differences.length, []]);
});

test("causes that explain the same balances are all told", () => {
  // Everybody has more than the limit on the year boundary, so more of the amount is as much of the limit.
  const own = people(yearly(9600, BOTH))
    .filter(({ assignment }) => assignment.assignedOn < day("2025-01-01"))
    .map((facts) => ({ ...facts, requests: [] }));
  const [differences] = compared(own, (facts) => balanceAt(amount(12_000)(facts), DAY)!);
  const [group, ...rest] = groupsOf(differences, [], 100);
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
  const all = people(monthly(813.33, BOTH));
  const [differences] = compared(all, (facts) => Math.round(balanceAt(facts, DAY)! / minutes));
  expect(groupsOf(differences, [], 100)).toMatchObject([
    { balances: 40, cause: `their figure is in ${unit}, not minutes?` },
  ]);
});

test("terms of an assignment that are unknown there are named", () => {
  const moved = people(yearly(9600)).map((facts) => {
    const { assignedOn } = facts.assignment;
    const worker = { ...facts.worker, startDate: assignedOn - 200 };
    const assignment = { ...facts.assignment, assignedOn: assignedOn - 200, endsOn: assignedOn - 1 };
    const old = { ...facts, worker, assignment, policy: monthly(500), requests: [], adjustments: [] };
    return { ...facts, worker, movesFrom: { ...old, movesOn: assignedOn } };
  });
  const unmoved = compared(moved, (facts) => balanceAt({ ...facts, movesFrom: null }, DAY)!);
  expect(groupsOf(...unmoved, 100)).toMatchObject([
    { balances: 40, cause: "nothing moves from another policy there?" },
  ]);

  const ended = people(monthly(800)).map((facts, at) => ({
    ...facts,
    assignment: { ...facts.assignment, endsOn: day("2026-01-31") + 15 * (at % 5) },
  }));
  const endless = compared(ended, (facts) => {
    return balanceAt({ ...facts, assignment: { ...facts.assignment, endsOn: null } }, DAY)!;
  });
  expect(groupsOf(...endless, 100)).toMatchObject([
    { balances: 40, cause: "grants go on there after the last day?" },
  ]);
});

test.each([
  ["to the nearest", Math.round],
  ["up to a", Math.ceil],
  ["down to a", Math.floor],
] as const)("figures that are rounded %s half hour are named", (how, round) => {
  const [differences] = compared(
    people(monthly(813.33)),
    (facts) => round(balanceAt(facts, DAY)! / 3000) * 3000,
  );
  expect(groupsOf(differences, [], 100)).toMatchObject([
    { balances: differences.length, cause: `their figure is rounded ${how} multiple of 30 minutes?` },
  ]);
});

test.each([
  ["the day after", "2026-01-01"],
  ["the end of the month before", "2025-11-30"],
])("an opening that is of %s there is named", (name, theirDay) => {
  const opening = { day: day("2025-12-31"), minutes: 4000, carriedMinutes: null, accruedMinutes: null };
  const all = people(monthly(800)).map((facts) => ({ ...facts, opening }));
  const [differences, agreeing] = compared(
    all.filter(({ worker }) => worker.startDate < day("2025-11-01")),
    (facts) => balanceAt({ ...facts, opening: { ...opening, day: day(theirDay) } }, DAY)!,
  );
  expect(groupsOf(differences, agreeing, 100)[0]).toMatchObject({
    balances: differences.length,
    cause: `our opening is of ${name} there?`,
  });
});

test("a rule that gives most others another figure than the reported one is no cause of what a few have less of", () => {
  // A day of leave of every eighth is not here yet. Their amount could be 480 lower, but then the others' would be, too.
  const [differences, agreeing] = compared(
    people(yearly(9600)),
    (facts, at) => balanceAt(facts, DAY)! - (at % 8 === 7 ? 48_000 : 0),
  );
  const [group, ...rest] = groupsOf(differences, agreeing, 100);
  expect(rest).toEqual([]);
  expect(group).toMatchObject({ balances: 5, cause: "more here by 480", contradictedBy: 0 });
});

test("a cause of a few says how many others contradict it", () => {
  // Every fourth has another amount, which their first years have a part of.
  const all = people(yearly(9600));
  const isOther = (facts: BalanceFacts) => all.indexOf(facts) % 4 === 0;
  const [differences, agreeing] = compared(
    all,
    (facts) => balanceAt(isOther(facts) ? amount(12_000)(facts) : facts, DAY)!,
  );
  expect(groupsOf(differences, agreeing, 100)).toMatchObject([
    { balances: 10, cause: "an amount of 12000 minutes there?", contradictedBy: 30 },
  ]);
});

test("figures that are in minutes contradict that those of a few are in hours", () => {
  const [differences, agreeing] = compared(people(yearly(9600)), (facts, at) =>
    Math.round(balanceAt(facts, DAY)! / (at % 8 === 7 ? 60 : 1)),
  );
  const [group] = groupsOf(differences, agreeing, 100);
  expect(group).toMatchObject({
    balances: 5,
    cause: "their figure is in hours, not minutes?",
    contradictedBy: 35,
  });
});
