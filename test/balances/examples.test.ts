/** The worked examples of docs/balances.md, each named by the section whose rule it shows. */
import { describe, expect, test } from "bun:test";
import type { BalanceFacts } from "../../src/balances/facts.ts";
import { toMillionths } from "../../src/balances/rational.ts";
import {
  balanceOn,
  day,
  factsOf,
  leave,
  MON_TO_FRI,
  monthly,
  on,
  perHourWorked,
  postings,
  unlimited,
  writtenLeave,
  yearly,
} from "./builders.ts";

/** Everything that is unlocked or locked as of a day. */
function accruedOn(facts: BalanceFacts, endDate: string): number {
  const { accruedLocked, accruedUnlocked } = balanceOn(facts, { endDate });
  return Math.round((accruedLocked + accruedUnlocked) * 100) / 100;
}

/** What is posted on a day, to 6 decimals. */
function postedOn(facts: BalanceFacts, date: string): number[] {
  return postings(facts, day(date))
    .filter((posting) => posting.postedOn === day(date))
    .map(({ minutes }) => toMillionths(minutes));
}

describe("Monthly and yearly: part of a first month", () => {
  const facts = factsOf({
    policy: monthly(600),
    assigned: "2024-09-02",
    requests: [leave("approved", 480, "2024-09-13")],
  });
  test.each([
    ["2024-09-02", 580, 0, 580],
    ["2024-09-14", 580, 480, 100],
    ["2024-10-01", 1180, 480, 700],
  ])("as of %s: unlocked %d, used %d, available %d", (endDate, accruedUnlocked, used, available) => {
    expect(balanceOn(facts, { endDate })).toEqual({
      accruedLocked: 0,
      accruedUnlocked,
      available,
      holds: 0,
      used,
    });
  });
});

test.each([
  ["2021-09-30", 0],
  ["2021-10-01", 480],
])("Monthly and yearly: at the end of a period, as of %s: unlocked %d", (endDate, expected) => {
  const facts = factsOf({ policy: monthly(480, { accrualTiming: "end" }), assigned: "2021-09-01" });
  expect(balanceOn(facts, { endDate }).accruedUnlocked).toBe(expected);
});

test("Monthly and yearly: six anniversary months", () => {
  const facts = factsOf({ policy: monthly(720, { periodAnchor: "anniversary" }), assigned: "2023-04-13" });
  expect(balanceOn(facts, { endDate: "2023-09-13" }).accruedUnlocked).toBe(4320);
});

test("Per hour worked: a whole number of chunks", () => {
  const facts = factsOf({
    policy: perHourWorked(480, 1),
    assigned: "2024-01-01",
    workedHours: [on("2024-03-04", 8 * 60)],
  });
  expect(balanceOn(facts, {}).accruedUnlocked).toBe(3840);
});

test("Per hour worked: two halves of a chunk", () => {
  const facts = factsOf({
    policy: perHourWorked(60, 40),
    assigned: "2024-01-01",
    workedHours: [on("2024-03-04", 20 * 60), on("2024-03-11", 20 * 60)],
  });
  expect(balanceOn(facts, {}).accruedUnlocked).toBe(60);
});

test("The numbers: available is accrued less used and held", () => {
  const facts = factsOf({
    policy: yearly(14_400),
    assigned: "2024-01-01",
    requests: [
      leave("approved", 1920, "2024-03-04", "2024-03-07"),
      leave("pending", 480, "2024-05-06"),
      leave("denied", 960, "2024-06-03", "2024-06-04"),
    ],
  });
  expect(balanceOn(facts, { today: "2024-07-01" })).toEqual({
    accruedLocked: 0,
    accruedUnlocked: 14_400,
    available: 12_000,
    holds: 480,
    used: 1920,
  });
});

test("Forfeit: the excess over the carry-over limit is lost before the new year's grant", () => {
  const facts = factsOf({
    policy: yearly(7200, { accrualTiming: "end", carryoverLimitMinutes: 3360 }),
    assigned: "2021-01-01",
  });
  expect(balanceOn(facts, { endDate: "2023-01-26" }).accruedUnlocked).toBe(7200 - 3840 + 7200);
});

test("Cap: an accrual is cut, and leave makes room again", () => {
  const facts = factsOf({
    policy: monthly(600, { balanceCapMinutes: 1200 }),
    assigned: "2024-01-01",
    requests: [leave("approved", 300, "2024-03-20")],
  });
  const asOfApril = balanceOn(facts, { endDate: "2024-04-01" });
  expect(asOfApril.accruedUnlocked + asOfApril.accruedLocked).toBe(1500);
  expect(asOfApril.available).toBe(1200);
});

describe("Tiers", () => {
  const tiers = [{ months: 60, minutes: 800 }];
  const outline = { assigned: "2024-01-01", serviceFrom: "2019-07-15" };

  test("a new tier applies from the next period", () => {
    const facts = factsOf({ ...outline, policy: monthly(600, { tiers }) });
    expect(postedOn(facts, "2024-07-01")).toEqual([600]);
    expect(postedOn(facts, "2024-08-01")).toEqual([800]);
  });

  test("or on the same day", () => {
    const facts = factsOf({ ...outline, policy: monthly(600, { tiers, tierFrom: "sameDay" }) });
    expect(postedOn(facts, "2024-07-01")).toEqual([600]);
    expect(postedOn(facts, "2024-07-15")).toEqual([109.677419]);
    expect(postedOn(facts, "2024-08-01")).toEqual([800]);
  });

  test("anniversary years of one, two and six years of service", () => {
    const rules = {
      periodAnchor: "anniversary",
      tiers: [
        { months: 60, minutes: 9600 },
        { months: 12, minutes: 7200 },
      ],
    } as const;
    const facts = factsOf({ policy: yearly(4800, rules), assigned: "2020-03-01", starts: "2020-03-01" });
    expect(postedOn(facts, "2020-03-01")).toEqual([4800]);
    expect(postedOn(facts, "2021-03-01")).toEqual([7200]);
    expect(postedOn(facts, "2025-03-01")).toEqual([9600]);
  });
});

test("Instalments: half months, posted after them", () => {
  const policy = yearly(11_520, { instalments: "semimonthly", accrualTiming: "end" });
  const facts = factsOf({ policy, assigned: "2021-09-04" });
  expect(postedOn(facts, "2021-09-16")).toEqual([384]);
  expect(postedOn(facts, "2021-10-01")).toEqual([480]);
});

test("Leave years: part of the first year from April is granted", () => {
  const facts = factsOf({ policy: yearly(13_440, { yearStartsOn: "04-01" }), assigned: "2024-11-01" });
  expect(accruedOn(facts, "2024-11-01")).toBe(5560.11);
});

describe("Expiry", () => {
  test("takes carried time that was not used", () => {
    const rules = { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 6 };
    const facts = factsOf({ policy: yearly(9600, rules), assigned: "2025-01-01" });
    expect(accruedOn(facts, "2026-03-01")).toBe(12_000);
    expect(accruedOn(facts, "2026-09-01")).toBe(9600);
  });

  test("leave since the year began uses carried time first", () => {
    const rules = { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 3 };
    const facts = factsOf({
      policy: yearly(13_440, rules),
      assigned: "2024-01-01",
      requests: [leave("approved", 960, "2025-02-10", "2025-02-11")],
    });
    expect(postedOn(facts, "2025-04-01")).toEqual([-1440]);
  });
});

test("Timing: granted on the last day, forfeited on the day after", () => {
  const policy = monthly(480, { carryoverLimitMinutes: 0, accrualTiming: "lastDay" });
  const facts = factsOf({ policy, assigned: "2022-01-01" });
  expect(accruedOn(facts, "2022-12-31")).toBe(5760);
  expect(accruedOn(facts, "2023-01-01")).toBe(0);
});

describe("Twelfths and rounding", () => {
  test("months started, rounded up", () => {
    const rules = { prorateBy: "monthsStarted", roundGrantsToMinutes: 240, roundGrants: "up" } as const;
    const facts = factsOf({ policy: yearly(13_440, rules), assigned: "2019-06-01" });
    expect(accruedOn(facts, "2019-12-31")).toBe(7920);
  });

  test("full months, rounded to the nearest", () => {
    const rules = { prorateBy: "fullMonths", roundGrantsToMinutes: 480 } as const;
    const facts = factsOf({ policy: yearly(9600, rules), assigned: "2024-09-01" });
    expect(accruedOn(facts, "2024-12-31")).toBe(3360);
  });
});

test("Yearly cap: worked hours accrue until it is reached", () => {
  const workedHours = Array.from({ length: 50 }, (_, week) => ({
    day: day("2024-01-05") + week * 7,
    minutes: 30 * 60,
  }));
  const policy = perHourWorked(60, 30, { yearlyAccrualCapMinutes: 2400 });
  const facts = factsOf({ policy, assigned: "2024-01-01", workedHours });
  expect(accruedOn(facts, "2024-12-31")).toBe(2400);
});

describe("Pauses", () => {
  test("grant nothing, and the months around them in part", () => {
    const facts = factsOf({
      policy: monthly(600),
      assigned: "2024-01-01",
      pauses: ["2024-03-11/2024-05-20"],
    });
    expect(postedOn(facts, "2024-03-01")).toEqual([193.548387]);
    expect(postedOn(facts, "2024-04-01")).toEqual([]);
    expect(postedOn(facts, "2024-05-21")).toEqual([212.903226]);
  });

  test("somebody who comes back keeps the old balance", () => {
    const facts = factsOf({
      policy: monthly(600, { carryoverLimitMinutes: 1200 }),
      assigned: "2022-01-01",
      adjustments: [on("2022-01-01", 1200)],
      gaps: ["2022-07-01/2023-12-31"],
    });
    expect(accruedOn(facts, "2022-06-30")).toBe(4800);
    expect(accruedOn(facts, "2024-01-01")).toBe(5400);
  });

  test("so does somebody who accrues by hours worked", () => {
    const facts = factsOf({
      policy: perHourWorked(60, 30, { carryoverLimitMinutes: 1200 }),
      assigned: "2022-01-01",
      adjustments: [on("2022-01-01", 2400)],
      gaps: ["2022-07-01/2023-12-31"],
    });
    expect(accruedOn(facts, "2024-01-01")).toBe(2400);
    expect(balanceOn(facts, { endDate: "2024-01-01" }).available).toBe(2400);
  });
});

test("Own amount: a worker's own minutes per year", () => {
  const facts = factsOf({ policy: yearly(9600), assigned: "2023-07-01", ownAmount: 7200 });
  expect(accruedOn(facts, "2023-12-31")).toBe(3629.59);
});

describe("Requests and days: leave over New Year", () => {
  const used = (facts: BalanceFacts) =>
    [
      { startDate: "2013-01-01", endDate: "2013-12-31" },
      { startDate: "2014-01-01", endDate: "2014-12-31" },
    ].map((window) => balanceOn(facts, window).used);

  test("is spread over the days that the worker works", () => {
    const requests = [leave("approved", 2400, "2013-12-23", "2014-01-02")];
    const facts = factsOf({
      policy: yearly(9600),
      assigned: "2013-01-01",
      workDays: MON_TO_FRI,
      requests,
    });
    expect(used(facts)).toEqual([1866.67, 533.33]);
  });

  // BUrlG § 3 (2): public holidays are no days of leave.
  test("holidays of the workplace take nothing", () => {
    const requests = [leave("approved", 2400, "2013-12-23", "2014-01-02")];
    const holidays = ["2013-12-25", "2013-12-26", "2014-01-01"].map((date) => ({
      day: day(date),
      minutes: null,
    }));
    const outline = { policy: yearly(9600), assigned: "2013-01-01", workDays: MON_TO_FRI, requests };
    expect(used(factsOf({ ...outline, holidays }))).toEqual([2000, 400]);
    const halfDays = [...holidays, { day: day("2013-12-31"), minutes: 240 }].toSorted(
      (a, b) => a.day - b.day,
    );
    // 4.5 and 1 of 5.5 days.
    expect(used(factsOf({ ...outline, holidays: halfDays }))).toEqual([1963.64, 436.36]);
    // Leave of holidays alone falls on them.
    const alone = [leave("approved", 960, "2013-12-25", "2013-12-26")];
    expect(used(factsOf({ ...outline, holidays, requests: alone }))).toEqual([960, 0]);
  });

  test("or has the minutes of the source for each day", () => {
    const requests = [
      writtenLeave("2013-12-23", "2014-01-02", {
        "2013-12-23": 480,
        "2013-12-24": 480,
        "2013-12-27": 480,
        "2013-12-30": 480,
        "2014-01-02": 480,
      }),
    ];
    const facts = factsOf({
      policy: yearly(9600),
      assigned: "2013-01-01",
      workDays: MON_TO_FRI,
      requests,
    });
    expect(used(facts)).toEqual([1920, 480]);
  });
});

test("Locked time: a forfeit takes locked time first", () => {
  const policy = monthly(600, { waitingPeriodDays: 90, carryoverLimitMinutes: 200 });
  const facts = factsOf({ policy, assigned: "2023-12-01", adjustments: [on("2023-12-01", 500)] });
  const forfeits = postings(facts, day("2024-01-01"))
    .filter(({ kind }) => kind === "forfeit")
    .map(({ minutes, unlocksOn }) => [toMillionths(minutes), unlocksOn]);
  expect(forfeits).toEqual([
    [-600, day("2024-02-29")],
    [-300, day("2024-01-01")],
  ]);
  expect(balanceOn(facts, { endDate: "2024-01-01" })).toMatchObject({
    accruedLocked: 600,
    accruedUnlocked: 200,
  });
  expect(balanceOn(facts, { endDate: "2024-02-29" })).toMatchObject({
    accruedLocked: 0,
    accruedUnlocked: 1400,
  });
});

describe("The numbers: a waiting period", () => {
  const facts = factsOf({
    policy: monthly(600, { waitingPeriodDays: 90 }),
    assigned: "2024-01-01",
    adjustments: [on("2024-01-01", 120)],
  });
  test.each([
    ["2024-03-30", undefined, 1800, 120],
    ["2024-03-31", undefined, 0, 1920],
    ["2024-03-30", "2024-04-30", 2400, 120],
  ])("today %s, until %s: locked %d, unlocked %d", (today, endDate, accruedLocked, accruedUnlocked) => {
    const window = { today, ...(endDate === undefined ? {} : { endDate }) };
    expect(balanceOn(facts, window)).toMatchObject({ accruedLocked, accruedUnlocked });
  });
});

test("Unlimited: leave is counted, and nothing else", () => {
  const requests = [leave("approved", 480, "2024-02-01"), leave("pending", 240, "2024-02-02")];
  const facts = factsOf({ policy: unlimited(), assigned: "2024-01-01", requests });
  expect(balanceOn(facts, {})).toEqual({
    accruedLocked: 0,
    accruedUnlocked: 0,
    available: 0,
    holds: 240,
    used: 480,
  });
});
