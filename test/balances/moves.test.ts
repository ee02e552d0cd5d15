// Balances that move to another policy, and balances that end (docs/balances.md).
import { describe, expect, test } from "bun:test";
import type { BalanceFacts } from "../../src/balances/facts.ts";
import { formatDay } from "../../src/time/day.ts";
import { day, factsOf, leave, postings, yearly } from "./builders.ts";

function posted(facts: BalanceFacts, until: string): [string, string, number][] {
  return postings(facts, day(until)).map(({ postedOn, kind, minutes }) => [
    formatDay(postedOn),
    kind,
    minutes as number, // whole numbers
  ]);
}

describe("a balance that moved", () => {
  test("has nothing left that could expire where it was", () => {
    const rules = { grantsExpireAfterMonths: 18, prorate: false };
    const movesFrom = factsOf({
      ...{ policy: yearly(9600, rules), assigned: "2025-01-01", movesOn: "2026-03-01" },
      ...{ assignmentEnds: "2026-02-28", requests: [leave("approved", 2400, "2025-06-02", "2025-06-06")] },
    });
    expect(posted(movesFrom, "2028-01-01")).toEqual([
      ["2025-01-01", "accrual", 9600],
      ["2026-01-01", "accrual", 9600],
      ["2026-03-01", "moved", -16_800],
    ]);
    expect(
      posted(factsOf({ policy: yearly(0, rules), assigned: "2026-03-01", movesFrom }), "2026-12-31"),
    ).toEqual([
      ["2026-03-01", "moved", 16_800],
      ["2026-03-01", "accrual", 0],
      ["2026-07-01", "expiry", -7200],
    ]);
  });

  test("keeps the days on which its grants expire only where grants expire, too", () => {
    const movesFrom = factsOf({
      ...{ policy: yearly(9600, { grantsExpireAfterMonths: 18, prorate: false }), assigned: "2025-01-01" },
      ...{ movesOn: "2025-03-01", assignmentEnds: "2025-02-28" },
    });
    const adjustments = [{ day: day("2025-04-01"), minutes: 60, expiresOn: day("2025-05-01") }];
    const facts = factsOf({ policy: yearly(0), assigned: "2025-03-01", movesFrom, adjustments });
    expect(posted(facts, "2027-12-31").filter(([, , minutes]) => minutes !== 0)).toEqual([
      ["2025-03-01", "moved", 9600],
      ["2025-04-01", "adjustment", 60],
      ["2025-05-01", "expiry", -60],
    ]);
  });

  test("on the day on which carried time expires, expires where it is now, or not at all", () => {
    const rules = { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 3, prorate: false };
    const movesFrom = factsOf({
      ...{ policy: yearly(9600, rules), assigned: "2025-01-01", movesOn: "2026-04-01" },
      assignmentEnds: "2026-03-31",
    });
    expect(posted(movesFrom, "2026-12-31")).toEqual([
      ["2025-01-01", "accrual", 9600],
      ["2026-01-01", "forfeit", -7200],
      ["2026-01-01", "accrual", 9600],
      ["2026-04-01", "moved", -12_000],
    ]);
    const to = (policy: BalanceFacts["policy"]) =>
      posted(factsOf({ policy, assigned: "2026-04-01", movesFrom }), "2026-12-31");
    expect(to(yearly(0, rules))).toEqual([
      ["2026-04-01", "moved", 12_000],
      ["2026-04-01", "expiry", -2400],
      ["2026-04-01", "accrual", 0],
    ]);
    expect(to(yearly(0))).toEqual([
      ["2026-04-01", "moved", 12_000],
      ["2026-04-01", "accrual", 0],
    ]);
  });
});

describe("a balance that ends with its assignment, under a policy that forfeits the rest", () => {
  const ending = (opened: string) =>
    factsOf({
      ...{
        policy: yearly(9600, { whenItEnds: "forfeit" }),
        assigned: "2024-01-01",
        assignmentEnds: "2026-06-30",
      },
      opening: { day: day(opened), minutes: 1200, carriedMinutes: 0, accruedMinutes: null },
    });

  test("loses an opening of the last day", () => {
    expect(posted(ending("2026-06-30"), "2026-12-31")).toEqual([
      ["2026-06-30", "opening", 1200],
      ["2026-07-01", "forfeit", -1200],
    ]);
  });

  test("keeps an opening of the day after it, which says what is left then", () => {
    expect(posted(ending("2026-07-01"), "2026-12-31")).toEqual([["2026-07-01", "opening", 1200]]);
  });
});
