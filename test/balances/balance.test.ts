/** The postings and leave that a window counts. */
import { describe, expect, test } from "bun:test";
import { leftOfCap } from "../../src/balances/balance.ts";
import type { BalanceFacts, RequestFacts } from "../../src/balances/facts.ts";
import { localDays } from "../../src/time/zone.ts";
import {
  balanceOn,
  day,
  entriesOf,
  factsOf,
  leave,
  monthly,
  on,
  opening,
  unlimited,
  writtenLeave,
  yearly,
} from "./builders.ts";

function request(startAt: string, endAt: string, timeZone: string, minutes: number): RequestFacts {
  const days = localDays(Date.parse(startAt), Date.parse(endAt), timeZone);
  return { status: "approved", minutes, ...days };
}

function used(requests: RequestFacts[], startDate: string, endDate: string): number {
  return balanceOn(factsOf({ policy: monthly(0), assigned: "2020-01-01", requests }), { startDate, endDate })
    .used;
}

describe("leave in a window", () => {
  test("a request over New Year is split by its days", () => {
    const requests = [leave("approved", 1000, "2024-12-30", "2025-01-01")];
    expect(used(requests, "2024-01-01", "2024-12-31")).toBe(666.67);
    expect(used(requests, "2025-01-01", "2025-12-31")).toBe(333.33);
    expect(used(requests, "2024-12-31", "2024-12-31")).toBe(333.33);
  });

  test("over a clock change, every day counts the same", () => {
    const requests = [request("2024-03-29T23:00:00Z", "2024-04-01T22:00:00Z", "Europe/Berlin", 1440)];
    expect(used(requests, "2024-03-30", "2024-03-30")).toBe(480);
    expect(used(requests, "2024-03-31", "2024-03-31")).toBe(480);
    expect(used(requests, "2024-04-01", "2024-04-01")).toBe(480);
  });

  test("leave falls on the local day of its zone, also where UTC has another day", () => {
    const requests = [request("2024-12-31T10:00:00Z", "2025-01-01T10:00:00Z", "Pacific/Kiritimati", 480)];
    expect(used(requests, "2024-12-31", "2024-12-31")).toBe(0);
    expect(used(requests, "2025-01-01", "2025-01-01")).toBe(480);
  });

  test("leave of zero length keeps its minutes, on the day of its start", () => {
    const requests = [request("2024-05-01T22:00:00Z", "2024-05-01T22:00:00Z", "Europe/Berlin", 240)];
    expect(used(requests, "2024-05-02", "2024-05-02")).toBe(240);
  });

  test("leave for part of a day counts the minutes of the source", () => {
    const requests = [request("2024-05-02T12:00:00Z", "2024-05-02T16:00:00Z", "UTC", 197.5)];
    expect(used(requests, "2024-05-01", "2024-05-31")).toBe(197.5);
  });

  test("a window that ends before it begins holds nothing", () => {
    expect(used([leave("approved", 600, "2024-05-01", "2024-05-10")], "2024-05-08", "2024-05-03")).toBe(0);
  });

  test("future leave counts, unless the window ends before it", () => {
    const facts = factsOf({
      policy: yearly(7200),
      assigned: "2024-01-01",
      requests: [leave("approved", 480, "2024-12-02"), leave("pending", 240, "2024-12-03")],
    });
    const now = balanceOn(facts, { today: "2024-06-01" });
    expect([now.used, now.holds, now.available]).toEqual([480, 240, 6480]);
    const then = balanceOn(facts, { today: "2024-06-01", endDate: "2024-06-01" });
    expect([then.used, then.holds, then.available]).toEqual([0, 0, 7200]);
  });
});

describe("locked and unlocked", () => {
  test("a projection shows future accruals as locked", () => {
    const facts = factsOf({
      policy: monthly(600),
      assigned: "2024-01-01",
      adjustments: [on("2024-05-05", 60)],
    });
    const projected = balanceOn(facts, { today: "2024-03-15", endDate: "2024-06-30" });
    expect(projected.accruedUnlocked).toBe(1800);
    expect(projected.accruedLocked).toBe(1860);
  });

  test("a waiting period locks minutes, and a projection does not unlock them early", () => {
    const facts = factsOf({
      policy: monthly(600, { waitingPeriodDays: 90 }),
      assigned: "2024-01-01",
      adjustments: [on("2024-01-01", 120)],
    });
    const at = (today: string, endDate?: string) => {
      const { accruedLocked, accruedUnlocked } = balanceOn(facts, endDate ? { today, endDate } : { today });
      return [accruedLocked, accruedUnlocked];
    };
    expect(at("2024-03-30")).toEqual([1800, 120]);
    expect(at("2024-03-31")).toEqual([0, 1920]);
    expect(at("2024-03-30", "2024-04-30")).toEqual([2400, 120]);
    expect(at("2024-12-31", "2024-03-30")).toEqual([1800, 120]);
  });

  test("postings before the window are left out, but still count towards the cap", () => {
    const facts = factsOf({ policy: monthly(600, { balanceCapMinutes: 1000 }), assigned: "2024-01-01" });
    const { accruedUnlocked } = balanceOn(facts, { startDate: "2024-02-01", endDate: "2024-12-31" });
    expect(accruedUnlocked).toBe(400);
  });

  test("a window that begins after today has no postings yet", () => {
    const facts = factsOf({
      policy: monthly(600),
      assigned: "2024-01-01",
      requests: [leave("approved", 60, "2024-08-01")],
    });
    expect(balanceOn(facts, { today: "2024-06-15", startDate: "2024-07-01" })).toEqual({
      accruedLocked: 0,
      accruedUnlocked: 0,
      available: -60,
      holds: 0,
      used: 60,
    });
  });
});

test("a balance below zero is shown", () => {
  const facts = factsOf({
    policy: monthly(100),
    assigned: "2024-01-01",
    requests: [leave("approved", 480, "2024-01-10")],
  });
  expect(balanceOn(facts, { endDate: "2024-01-31" }).available).toBe(-380);
});

test("available comes from the rounded sums, without errors of binary fractions", () => {
  const facts = factsOf({
    policy: monthly(0),
    assigned: "2024-01-01",
    adjustments: [on("2024-01-01", 0.3), on("2024-01-02", 0.005)],
    requests: [leave("approved", 0.1, "2024-01-10"), leave("pending", 0.2, "2024-01-11")],
  });
  const shown = balanceOn(facts, { endDate: "2024-01-31" });
  expect(shown).toEqual({ accruedLocked: 0, accruedUnlocked: 0.31, available: 0.01, holds: 0.2, used: 0.1 });
});

test("no number is ever -0", () => {
  const facts = factsOf({
    policy: monthly(0),
    assigned: "2024-01-01",
    adjustments: [on("2024-01-01", -0.001), on("2025-01-01", -0)],
    requests: [leave("approved", -0, "2024-01-10"), leave("pending", -0.004, "2024-01-11")],
  });
  const shown = balanceOn(facts, { today: "2024-06-01", endDate: "2025-06-01" });
  for (const minutes of Object.values(shown)) expect(Object.is(minutes, 0)).toBe(true);
});

test("an unlimited policy has leave but nothing accrued and nothing available", () => {
  const facts = factsOf({
    policy: unlimited(),
    assigned: "2024-01-01",
    adjustments: [on("2024-01-01", 600)],
    requests: [leave("approved", 480, "2024-02-01"), leave("pending", 240, "2024-03-01")],
  });
  expect(balanceOn(facts, { today: "2024-06-01" })).toEqual({
    accruedLocked: 0,
    accruedUnlocked: 0,
    available: 0,
    holds: 240,
    used: 480,
  });
});

test("what the cap on use leaves counts leave under the policy before, through the day before the balance moved", () => {
  const movesFrom = factsOf({
    ...{ policy: yearly(9600), assigned: "2026-01-01", movesOn: "2026-07-01" },
    requests: [leave("approved", 480, "2026-06-30"), leave("approved", 60, "2026-07-01")],
  });
  const policy = yearly(9600, { useCapMinutes: 2400 });
  const facts = factsOf({ policy, assigned: "2026-07-01", movesFrom });
  expect(leftOfCap(facts, { today: day("2026-12-01") })).toBe(192_000);
});

test("leave of one minute counts", () => {
  expect(used([leave("approved", 1, "2026-03-02")], "2026-01-01", "2026-12-31")).toBe(1);
});

test("what is carried over from the day before the leave year, as opened, is cut on its first day", () => {
  const policy = monthly(480, { carryoverLimitMinutes: 960 });
  const facts = factsOf({ policy, assigned: "2024-01-01", opening: opening("2025-12-31", 4800) });
  // 960 and the month's own 480.
  expect(balanceOn(facts, { endDate: "2026-01-01" }).available).toBe(1440);
});

describe("an explanation", () => {
  const explained = (facts: BalanceFacts, startDate: string, endDate: string) =>
    entriesOf(facts, { today: day("2026-12-31"), startDate: day(startDate), endDate: day(endDate) });

  test("names the adjustment or request of each entry", () => {
    const facts = factsOf({
      ...{ policy: monthly(0), assigned: "2026-01-01" },
      adjustments: [{ ...on("2026-02-02", 60), id: "toj_1" }],
      requests: [{ ...leave("approved", 480, "2026-03-02"), id: "tor_1" }],
    });
    const sources = explained(facts, "2026-01-01", "2026-12-31").map(({ kind, sourceId }) => [
      kind,
      sourceId,
    ]);
    expect(sources.filter(([, id]) => id !== null)).toEqual([
      ["adjustment", "toj_1"],
      ["used", "tor_1"],
    ]);
  });

  test("of a window that holds a part of written leave says how much of it", () => {
    const requests = [writtenLeave("2026-03-02", "2026-03-04", { "2026-03-02": 480, "2026-03-03": 240 })];
    const facts = factsOf({ policy: monthly(0), assigned: "2026-01-01", requests });
    const texts = (startDate: string, endDate: string) =>
      explained(facts, startDate, endDate)
        .filter(({ kind }) => kind === "used")
        .map(({ detail }) => detail);
    const asWritten = "as the source wrote for each day";
    expect([texts("2026-03-01", "2026-03-31"), texts("2026-03-03", "2026-03-31")]).toEqual([
      [`approved leave, 2026-03-02 to 2026-03-03; ${asWritten}`],
      [`approved leave, 2026-03-03: 240 of 720; ${asWritten}`],
    ]);
    expect(texts("2026-03-01", "2026-03-02")).toEqual([
      `approved leave, 2026-03-02: 480 of 720; ${asWritten}`,
    ]);
  });

  test("of grants whose sum is rounded says so", () => {
    const policy = monthly(800, { roundSumToMinutes: 480, roundSum: "up" });
    const entries = explained(factsOf({ policy, assigned: "2026-01-01" }), "2026-01-01", "2026-01-31");
    expect(entries.map(({ minutes, detail }) => [minutes, detail])).toEqual([
      [960, "800 for 2026-01-01 to 2026-01-31; 800 become 960 by rounding the year's sum"],
    ]);
  });
});
