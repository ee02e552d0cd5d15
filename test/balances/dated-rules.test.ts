// Property: a policy that changes on a year boundary equals two policies of which the second takes over the balance, for rules that both
// can express. The examples are those of docs/balances.md, Rules with a date.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { pastDifferences } from "../../src/balances/differences.ts";
import type { BalanceFacts, PolicyFacts, PolicyRules } from "../../src/balances/facts.ts";
import { lastYearBoundary } from "../../src/balances/periods.ts";
import { add, subtract, toMillionths } from "../../src/balances/rational.ts";
import { DEFAULT_RULES } from "../../src/resources/policies.ts";
import {
  balanceOn,
  changing,
  day,
  factsOf,
  leave,
  monthly,
  on,
  perHourWorked,
  postings,
  sumsIn,
  worksFrom,
  yearly,
} from "./builders.ts";
import { anyFacts, lateDay, neverExpiring } from "./generators.ts";

function closing(facts: BalanceFacts, date: string): number {
  return closingOn(facts, day(date));
}

/** To 6 decimals: the parts of a sum are not rounded. */
function closingOn(facts: BalanceFacts, on: number): number {
  const { accruedLocked, accruedUnlocked, used } = sumsIn(facts, { today: on, endDate: on });
  return toMillionths(subtract(add(accruedLocked, accruedUnlocked), used));
}

function posted(facts: BalanceFacts, until: string): [string, string, number][] {
  return postings(facts, day(until)).map(({ postedOn, kind, minutes }) => [
    new Date(postedOn * 86_400_000).toISOString().slice(0, 10),
    kind,
    minutes as number, // whole numbers
  ]);
}

describe("a raise", () => {
  const policy = changing(yearly(9600, { carryoverLimitMinutes: 2400 }), {
    "2026-01-01": { amount: 12_000 },
  });
  const facts = factsOf({
    policy,
    assigned: "2024-01-01",
    requests: [leave("approved", 7200, "2025-06-02", "2025-06-20")],
  });

  test("leaves closed years as they were", () => {
    expect(closing(facts, "2025-12-31")).toBe(4800);
    expect(posted(facts, "2026-01-01")).toEqual([
      ["2024-01-01", "accrual", 9600],
      ["2025-01-01", "forfeit", -7200],
      ["2025-01-01", "accrual", 9600],
      ["2026-01-01", "forfeit", -2400],
      ["2026-01-01", "accrual", 12_000],
    ]);
  });

  test("inside a period counts from the next period", () => {
    const inside = changing(yearly(9600), { "2025-03-01": { amount: 12_000 } });
    const { accruedUnlocked } = balanceOn(factsOf({ policy: inside, assigned: "2025-01-01" }), {
      endDate: "2026-01-01",
    });
    expect(accruedUnlocked).toBe(21_600);
  });

  test("is said by the entry of its grant, and no other", () => {
    const details = postings(facts, day("2026-01-01")).map(({ detail }) => detail);
    expect(details.filter((text) => text.includes("the rules from 2026-01-01 on"))).toEqual([
      "the year ends with 4800, of which 2400 may be carried over; the rules from 2026-01-01 on",
      "12000 for 2026-01-01 to 2026-12-31; the rules from 2026-01-01 on",
    ]);
  });

  test("without a date would change the past", () => {
    const undated = { ...facts, policy: { ...facts.policy, minutesPerPeriod: 12_000, changes: [] } };
    const boundary = lastYearBoundary(facts, day("2026-05-01"));
    expect(boundary).toBe(day("2026-01-01"));
    const days = [day("2024-12-31"), day("2025-12-31"), boundary];
    expect(pastDifferences(facts, undated, days)).toEqual([
      { day: day("2024-12-31"), minutes: 2400 },
      { day: day("2025-12-31"), minutes: 2400 },
    ]);
    expect(pastDifferences(facts, facts, days)).toEqual([]);
  });
});

test("Ireland, SI 607/2023: three days of sick leave in 2023, five from 2024", () => {
  const policy = changing(yearly(1440, { prorate: false, carryoverLimitMinutes: 0 }), {
    "2024-01-01": { amount: 2400 },
  });
  const facts = factsOf({ policy, assigned: "2022-01-01" });
  expect(["2023-06-01", "2024-06-01", "2025-06-01"].map((date) => closing(facts, date))).toEqual([
    1440, 2400, 2400,
  ]);
});

describe("the day whose rules apply", () => {
  test("to a forfeit and to carried time: the boundary", () => {
    const policy = changing(yearly(9600, { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 6 }), {
      "2025-03-01": {
        carryoverLimitMinutes: 4800,
        carryoverExpiresAfterMonths: 3,
        carryoverKeepsMinutes: 480,
      },
    });
    expect(posted(factsOf({ policy, assigned: "2024-01-01" }), "2026-04-01")).toEqual([
      ["2024-01-01", "accrual", 9600],
      ["2025-01-01", "forfeit", -7200],
      ["2025-01-01", "accrual", 9600],
      ["2025-07-01", "expiry", -2400],
      ["2026-01-01", "forfeit", -4800],
      ["2026-01-01", "accrual", 9600],
      ["2026-04-01", "expiry", -4320],
    ]);
  });

  test("to a balance cap: the day of the posting; to a yearly cap: the first day of its leave year", () => {
    const capped = changing(monthly(600, { balanceCapMinutes: 1000 }), {
      "2024-03-15": { balanceCapMinutes: 1500 },
    });
    expect(
      posted(factsOf({ policy: capped, assigned: "2024-01-01" }), "2024-05-01").map(
        ([, , minutes]) => minutes,
      ),
    ).toEqual([600, 400, 0, 500, 0]);
    const yearlyCap = changing(monthly(600, { yearlyAccrualCapMinutes: 1000 }), {
      "2024-02-01": { yearlyAccrualCapMinutes: null },
    });
    expect(closing(factsOf({ policy: yearlyCap, assigned: "2024-01-01" }), "2025-02-01")).toBe(2200);
  });

  test("to a waiting period and to an assignment's own expiry: the day of the grant", () => {
    const policy = changing(monthly(600, { waitingPeriodDays: 60 }), {
      "2024-02-15": { waitingPeriodDays: 90, grantsExpireAfterMonths: 2 },
    });
    const facts = factsOf({ policy, assigned: "2024-01-01" });
    expect(postings(facts, day("2024-05-01")).map(({ unlocksOn }) => unlocksOn - day("2024-01-01"))).toEqual([
      60, 60, 90, 91, 121, 121,
    ]);
    expect(posted(facts, "2024-05-01").filter(([, kind]) => kind === "expiry")).toEqual([
      ["2024-05-01", "expiry", -600],
    ]);
  });

  test("a forfeit takes first what unlocks first, though it was granted later", () => {
    const rules = { waitingPeriodDays: 200, carryoverOn: "02-01", carryoverLimitMinutes: 500 };
    const policy = changing(monthly(600, rules), { "2024-01-01": { waitingPeriodDays: 150 } });
    const facts = factsOf({ policy, assigned: "2023-12-01" });
    expect(
      postings(facts, day("2024-02-01")).map(({ kind, minutes, unlocksOn }) => [
        kind,
        minutes as number,
        unlocksOn - day("2023-12-01"),
      ]),
    ).toEqual([
      ["accrual", 600, 200],
      ["accrual", 600, 150],
      ["forfeit", -600, 150],
      ["forfeit", -100, 200],
      ["accrual", 600, 150],
    ]);
  });

  test("to the cap on use in a year: the day asked for", () => {
    const policy = changing(yearly(9600, { useCapMinutes: 2400 }), { "2025-01-01": { useCapMinutes: null } });
    const facts = factsOf({ policy, assigned: "2024-01-01" });
    expect(balanceOn(facts, { endDate: "2024-12-31" }).available).toBe(2400);
    expect(balanceOn(facts, { endDate: "2025-01-01" }).available).toBe(19_200);
  });

  test("to hours worked: the day of the entry", () => {
    const base = perHourWorked(60, 30);
    const policy = { ...base, changes: [{ ...base, from: day("2025-01-01"), minutesPerChunk: 120 }] };
    const facts = factsOf({
      policy,
      assigned: "2024-01-01",
      workedHours: [on("2024-12-31", 1800), on("2025-01-01", 1800)],
    });
    expect(posted(facts, "2025-01-01")).toEqual([
      ["2024-12-31", "accrual", 60],
      ["2025-01-01", "accrual", 120],
    ]);
  });

  test("to revaluing: the day of the revaluation", () => {
    const policy = changing(yearly(9600, { scaleWith: "share" }), {
      "2025-05-01": { scaleWith: "share", revalue: "remaining" },
    });
    const week = (from: string, minutes: number) =>
      worksFrom(from, `${Array(5).fill(minutes).join(",")},0,0`, 2400);
    const schedules = [week("2020-01-06", 480), week("2025-04-01", 240), week("2025-10-01", 480)];
    const facts = factsOf({ policy, assigned: "2025-01-01", schedules });
    const revalued = postings(facts, day("2025-12-31")).filter(({ kind }) => kind === "revalued");
    expect(revalued.map(({ postedOn }) => postedOn)).toEqual([day("2025-10-01")]);
  });

  test("to the day of the carry-over itself, which may change", () => {
    const policy = changing(yearly(9600, { carryoverLimitMinutes: 0 }), {
      "2025-01-02": { carryoverOn: "04-01" },
    });
    const forfeits = posted(factsOf({ policy, assigned: "2024-01-01" }), "2026-12-31").filter(
      ([, kind]) => kind === "forfeit",
    );
    expect(forfeits).toEqual([
      ["2025-01-01", "forfeit", -9600],
      ["2025-04-01", "forfeit", -9600],
      ["2026-04-01", "forfeit", -9600],
    ]);
  });
});

/** Rules that both forms can express: none that depends on the assignment day or on other periods of a year. */
function comparable(rules: PolicyRules): PolicyRules {
  const { accrualTiming } = rules;
  const none = [
    "waitingPeriodDays",
    "firstYearWholeAfterMonths",
    "scaleWith",
    "revalue",
    "periodAnchor",
    "useCapMinutes",
  ] as const;
  return {
    ...rules,
    ...Object.fromEntries(none.map((rule) => [rule, DEFAULT_RULES[rule]])),
    accrualTiming: accrualTiming === "end" ? "lastDay" : accrualTiming,
    yearStartsOn: "01-01",
    carryoverOn: null,
  };
}

test("a change on a year boundary equals a second policy that takes over the balance", () => {
  const all = fc.tuple(
    anyFacts,
    anyFacts,
    fc.constantFrom("2020-01-01", "2021-01-01", "2022-01-01"),
    lateDay,
  );
  fc.assert(
    fc.property(all, ([facts, other, from, endDate]) => {
      const { schedule, minutesPerChunk, hoursWorkedPerChunk, minutesPerPeriod } = facts.policy;
      const change = day(from);
      const first: PolicyFacts = { ...facts.policy, rules: comparable(facts.policy.rules) };
      const { carryoverExpiresAfterMonths, carryoverExpiresAfterDays, carryoverKeepsMinutes } = first.rules;
      const { instalments, instalmentsFrom } = first.rules;
      const sameExpiry = { carryoverExpiresAfterMonths, carryoverExpiresAfterDays, carryoverKeepsMinutes };
      const isLike = other.policy.schedule === schedule;
      const rules = isLike
        ? { ...comparable(other.policy.rules), ...sameExpiry, instalments, instalmentsFrom }
        : { ...first.rules, balanceCapMinutes: 700 };
      // A period over the new year is one period here, and two there.
      fc.pre(!["weekly", "biweekly"].includes(instalments ?? ""));
      fc.pre(
        facts.assignment.assignedOn < change && facts.worker.startDate < change && !facts.policy.isUnlimited,
      );
      const amount = minutesPerPeriod === null ? null : minutesPerPeriod + 60;
      const second: PolicyFacts = {
        ...first,
        minutesPerPeriod: amount,
        minutesPerChunk,
        hoursWorkedPerChunk,
        rules,
      };
      const plain = {
        ...facts,
        adjustments: neverExpiring(facts.adjustments),
        assignment: { ...facts.assignment, pauses: [], minutesPerPeriod: null },
      };
      const ended = {
        worker: { ...facts.worker, endDate: null },
        assignment: { ...plain.assignment, endsOn: null },
      };
      const dated = { ...plain, ...ended, policy: { ...first, changes: [{ ...second, from: change }] } };
      const old = { ...plain, ...ended, policy: first, movesOn: change };
      const isOld = ({ day }: { readonly day: number }) => day < change;
      const requests = facts.requests.filter(
        ({ dayMinutes, firstDay, lastDay }) =>
          dayMinutes === undefined && (lastDay < change || firstDay >= change),
      );
      const both = { ...dated, requests };
      const joined = {
        ...plain,
        ...ended,
        policy: second,
        assignment: { ...ended.assignment, assignedOn: change },
        adjustments: plain.adjustments.filter((entry) => !isOld(entry)),
        workedHours: facts.workedHours.filter((entry) => !isOld(entry)),
        requests: requests.filter(({ firstDay }) => firstDay >= change),
        movesFrom: {
          ...old,
          adjustments: plain.adjustments.filter(isOld),
          workedHours: facts.workedHours.filter(isOld),
          requests: requests.filter(({ lastDay }) => lastDay < change),
        },
      };
      expect(closingOn(both, endDate)).toBe(
        endDate < change ? closingOn(joined.movesFrom, endDate) : closingOn(joined, endDate),
      );
    }),
    { numRuns: Number(process.env.ROLLCALL_TEST_PROPERTY_RUNS ?? 200) },
  );
});

test("a share that changed under the rules before is revalued the same once the new ones grant", () => {
  // The share is halved and the rate doubled, so that the grant of 2026 stays as it is.
  const facts = factsOf({
    policy: changing(yearly(9600, { scaleWith: "share", revalue: "remaining" }), {
      "2027-01-01": { amount: 12_000 },
    }),
    assigned: "2026-01-01",
    rates: [{ from: day("2026-07-01"), percent: 200 }],
    schedules: [
      worksFrom("2026-01-01", "480,480,480,480,480,0,0", 2400),
      worksFrom("2026-07-01", "240,240,240,240,240,0,0", 2400),
    ],
  });
  // Half of 9600 × 181/365 is taken away.
  expect(closing(facts, "2026-12-31")).toBe(7219.726027);
  expect(closing(facts, "2027-01-01")).toBe(19_219.726027);
});
