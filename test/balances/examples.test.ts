/** The worked examples of docs/balances.md, each named by the section whose rule it shows. */
import { describe, expect, test } from "bun:test";
import { balanceOn, factsOf, leave, monthly, on, perHourWorked, yearly } from "./builders.ts";

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

test("The numbers: available is what is granted less what is used and held", () => {
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

test("Forfeit: what exceeds the carry-over limit goes before the year's grant comes", () => {
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
