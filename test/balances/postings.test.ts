/** The postings of facts. A row is day, minutes, kind, and the unlock day if it differs. */
import { describe, expect, test } from "bun:test";
import type { BalanceFacts } from "../../src/balances/facts.ts";
import { toHundredths, toMillionths } from "../../src/balances/rational.ts";
import { formatDay } from "../../src/time/day.ts";
import {
  balanceOn,
  day,
  factsOf,
  leave,
  monthly,
  on,
  perHourWorked,
  postings,
  unlimited,
  yearly,
} from "./builders.ts";

function rows(facts: BalanceFacts, until: string): string[] {
  return postings(facts, day(until)).map(({ postedOn, minutes, kind, unlocksOn }) => {
    const wait = unlocksOn === postedOn ? "" : ` from ${formatDay(unlocksOn)}`;
    return `${formatDay(postedOn)} ${toHundredths(minutes) / 100} ${kind}${wait}`;
  });
}

describe("coverage", () => {
  test("a leap February is counted in 29 days", () => {
    expect(rows(factsOf({ policy: monthly(290), assigned: "2024-02-10" }), "2024-02-29")).toEqual([
      "2024-02-10 200 accrual",
    ]);
    expect(rows(factsOf({ policy: yearly(366), assigned: "2024-12-31" }), "2025-01-01")).toEqual([
      "2024-12-31 1 accrual",
      "2025-01-01 366 accrual",
    ]);
  });

  test("a worker who starts after the assignment accrues from the start, on the assignment's anniversaries", () => {
    const facts = factsOf({
      policy: monthly(600, { periodAnchor: "anniversary" }),
      assigned: "2024-01-31",
      starts: "2024-03-16",
    });
    // The month from 29 February to 30 March has 31 days, 15 of them from 16 March.
    expect(rows(facts, "2024-04-30")).toEqual([
      "2024-03-16 290.32 accrual",
      "2024-03-31 600 accrual",
      "2024-04-30 600 accrual",
    ]);
  });

  test("somebody who leaves mid-period gets the part up to the last day, posted the day after with `end`", () => {
    const policy = monthly(600, { accrualTiming: "end" });
    const facts = factsOf({ policy, assigned: "2024-05-01", ends: "2024-06-15" });
    expect(rows(facts, "2024-06-15")).toEqual(["2024-06-01 600 accrual"]);
    expect(rows(facts, "2025-01-01")).toEqual(["2024-06-01 600 accrual", "2024-06-16 300 accrual"]);
  });

  test("with `start` a known end already shortens the grant of its period", () => {
    const facts = factsOf({ policy: monthly(600), assigned: "2024-06-01", ends: "2024-06-15" });
    expect(rows(facts, "2025-01-01")).toEqual(["2024-06-01 300 accrual"]);
  });

  test("a rehire, the end removed, accrues as if never gone", () => {
    const left = factsOf({ policy: monthly(600), assigned: "2024-06-01", ends: "2024-06-15" });
    const returned = { ...left, worker: { ...left.worker, endDate: null } };
    expect(rows(left, "2024-07-01")).toEqual(["2024-06-01 300 accrual"]);
    expect(rows(returned, "2024-07-01")).toEqual(["2024-06-01 600 accrual", "2024-07-01 600 accrual"]);
  });

  test("the assignment's own end counts when it comes first", () => {
    const facts = factsOf({
      policy: monthly(600),
      assigned: "2024-06-01",
      assignmentEnds: "2024-06-20",
      ends: "2024-06-25",
    });
    expect(rows(facts, "2025-01-01")).toEqual(["2024-06-01 400 accrual"]);
  });

  test("an empty coverage accrues and forfeits nothing, adjustments still count", () => {
    const facts = factsOf({
      policy: monthly(600, { carryoverLimitMinutes: 0 }),
      assigned: "2024-06-01",
      ends: "2024-05-31",
      adjustments: [on("2023-01-01", 60)],
    });
    expect(rows(facts, "2026-01-01")).toEqual(["2023-01-01 60 adjustment"]);
  });

  test("without proration a touched period grants the whole", () => {
    const policy = monthly(600, { prorate: false });
    const facts = factsOf({ policy, assigned: "2024-05-31", ends: "2024-06-01" });
    expect(rows(facts, "2025-01-01")).toEqual(["2024-05-31 600 accrual", "2024-06-01 600 accrual"]);
  });

  test("a coverage of one day is that day's part", () => {
    const facts = factsOf({ policy: monthly(600), assigned: "2024-06-30", ends: "2024-06-30" });
    expect(rows(facts, "2025-01-01")).toEqual(["2024-06-30 20 accrual"]);
  });
});

test("anniversary months of an assignment on the 31st are granted whole", () => {
  const policy = monthly(600, { periodAnchor: "anniversary" });
  expect(rows(factsOf({ policy, assigned: "2024-01-31" }), "2024-04-30")).toEqual([
    "2024-01-31 600 accrual",
    "2024-02-29 600 accrual",
    "2024-03-31 600 accrual",
    "2024-04-30 600 accrual",
  ]);
});

test("worked hours count inside the coverage, in parts of chunks, and can be taken back", () => {
  const facts = factsOf({
    policy: perHourWorked(90, 30),
    assigned: "2024-01-01",
    ends: "2024-01-31",
    workedHours: [
      on("2024-02-01", 600),
      on("2024-01-31", 610),
      on("2024-01-01", 7),
      on("2023-12-31", 600),
      on("2024-01-31", -10),
    ],
  });
  expect(rows(facts, "2025-01-01")).toEqual([
    "2024-01-01 0.35 accrual",
    "2024-01-31 -0.5 accrual",
    "2024-01-31 30.5 accrual",
  ]);
});

test("the waiting period runs from the assignment day, and locks accruals and forfeits, never adjustments", () => {
  const facts = factsOf({
    policy: yearly(1000, { waitingPeriodDays: 60, carryoverLimitMinutes: 100, prorate: false }),
    assigned: "2024-12-01",
    starts: "2024-12-10",
    adjustments: [on("2024-12-05", 50)],
  });
  expect(rows(facts, "2026-01-01")).toEqual([
    "2024-12-05 50 adjustment",
    "2024-12-10 1000 accrual from 2025-01-30",
    "2025-01-01 -950 forfeit from 2025-01-30",
    "2025-01-01 1000 accrual from 2025-01-30",
    "2026-01-01 -1000 forfeit",
    "2026-01-01 1000 accrual",
  ]);
});

describe("forfeit", () => {
  const rules = { carryoverLimitMinutes: 100, accrualTiming: "end" } as const;

  test("comes before adjustments and accruals of its day", () => {
    const facts = factsOf({
      policy: yearly(500, rules),
      assigned: "2022-01-01",
      adjustments: [on("2023-01-01", -20), on("2022-12-31", 130), on("2023-01-01", 70)],
    });
    expect(rows(facts, "2023-01-01")).toEqual([
      "2022-12-31 130 adjustment",
      "2023-01-01 -30 forfeit",
      "2023-01-01 70 adjustment",
      "2023-01-01 -20 adjustment",
      "2023-01-01 500 accrual",
    ]);
  });

  test("comes after what was carried over a year before has expired: it is not lost twice", () => {
    const facts = factsOf({
      policy: yearly(9600, { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 12 }),
      assigned: "2025-01-01",
    });
    const ends = ["2026-01-01", "2027-01-01", "2028-01-01", "2029-01-01"];
    expect(ends.map((endDate) => balanceOn(facts, { endDate }).available)).toEqual([
      12000, 12000, 12000, 12000,
    ]);
    expect(rows(facts, "2027-01-01").slice(-3)).toEqual([
      "2027-01-01 -2400 expiry",
      "2027-01-01 -7200 forfeit",
      "2027-01-01 9600 accrual",
    ]);
  });

  test("is not posted on the first day of coverage or after its last day, but on the last day", () => {
    const opening = [on("2022-12-01", 500)];
    const of = (assigned: string, ends: string) =>
      rows(factsOf({ policy: yearly(0, rules), assigned, ends, adjustments: opening }), "2026-01-01").filter(
        (row) => row.endsWith("forfeit"),
      );
    expect(of("2023-01-01", "2023-12-31")).toEqual([]);
    expect(of("2023-01-01", "2024-01-01")).toEqual(["2024-01-01 -400 forfeit"]);
    expect(of("2022-12-31", "2023-06-30")).toEqual(["2023-01-01 -400 forfeit"]);
  });

  test("is posted on the anniversary of the assignment, 28 February for a leap day", () => {
    const facts = factsOf({
      policy: yearly(500, { ...rules, periodAnchor: "anniversary" }),
      assigned: "2024-02-29",
      starts: "2024-06-01",
      adjustments: [on("2024-03-01", 150)],
    });
    expect(rows(facts, "2025-02-28")).toEqual([
      "2024-03-01 150 adjustment",
      "2025-02-28 -50 forfeit",
      `2025-02-28 ${Math.round((500_00 * 272) / 365) / 100} accrual`,
    ]);
  });

  test("is not reduced by pending leave, or by leave on or after the boundary", () => {
    const facts = factsOf({
      policy: yearly(500, rules),
      assigned: "2022-01-01",
      adjustments: [on("2022-01-01", 500)],
      requests: [
        leave("pending", 200, "2022-06-01"),
        leave("denied", 200, "2022-07-01"),
        leave("approved", 300, "2023-01-01"),
        // Two of its three days are past at the boundary.
        leave("approved", 90, "2022-12-30", "2023-01-01"),
      ],
    });
    expect(rows(facts, "2023-01-01")[1]).toBe("2023-01-01 -340 forfeit");
  });
});

describe("cap", () => {
  const policy = monthly(600, { balanceCapMinutes: 1000 });

  test("cuts an accrual to the room there is, and to nothing above the cap", () => {
    const facts = factsOf({ policy, assigned: "2024-01-01", adjustments: [on("2024-02-15", 500)] });
    expect(rows(facts, "2024-03-01")).toEqual([
      "2024-01-01 600 accrual",
      "2024-02-01 400 accrual",
      "2024-02-15 500 adjustment",
      "2024-03-01 0 accrual",
    ]);
  });

  test("has room again after approved leave, but not after pending leave", () => {
    const facts = factsOf({
      policy,
      assigned: "2024-01-01",
      requests: [leave("approved", 240, "2024-03-01"), leave("pending", 480, "2024-01-15")],
    });
    expect(rows(facts, "2024-04-01").slice(1)).toEqual([
      "2024-02-01 400 accrual",
      "2024-03-01 0 accrual",
      "2024-04-01 240 accrual",
    ]);
  });

  test("lets a negative balance climb by whole grants", () => {
    const facts = factsOf({ policy, assigned: "2024-01-01", adjustments: [on("2024-01-01", -700)] });
    expect(rows(facts, "2024-03-01")).toEqual([
      "2024-01-01 -700 adjustment",
      "2024-01-01 600 accrual",
      "2024-02-01 600 accrual",
      "2024-03-01 500 accrual",
    ]);
  });

  test("cuts worked hours the same in any order", () => {
    const capped = perHourWorked(60, 1, { balanceCapMinutes: 100 });
    const workedHours = [on("2024-01-02", 80), on("2024-01-02", -30), on("2024-01-02", 70)];
    const facts = factsOf({ policy: capped, assigned: "2024-01-01", workedHours });
    expect(rows(facts, "2024-01-02")).toEqual([
      "2024-01-02 -30 accrual",
      "2024-01-02 70 accrual",
      "2024-01-02 60 accrual",
    ]);
  });
});

test("an unlimited policy posts nothing", () => {
  const facts = factsOf({ policy: unlimited(), assigned: "2024-01-01", adjustments: [on("2024-01-01", 60)] });
  expect(rows(facts, "2026-01-01")).toEqual([]);
});

describe("a lower tier", () => {
  const rules = { tiers: [{ months: 12, minutes: 12_000 }], tierFrom: "sameDay" } as const;
  const outline = { assigned: "2024-01-01", serviceFrom: "2023-07-01" };

  test.each(["start", "end", "lastDay"] as const)(
    "takes nothing that a cap cut before: %s",
    (accrualTiming) => {
      const policy = yearly(19_200, { ...rules, accrualTiming, balanceCapMinutes: 12_000 });
      const facts = factsOf({ ...outline, policy });
      const sum = rows(facts, "2025-01-01").filter(
        (row) => row.startsWith("2024") || accrualTiming === "end",
      );
      expect(sum.filter((row) => row.includes("12000"))).toHaveLength(1);
      expect(balanceOn(facts, { endDate: "2024-12-31" }).accruedUnlocked).toBe(
        accrualTiming === "end" ? 0 : 12_000,
      );
    },
  );

  test("takes back the part of the grant above the new amount", () => {
    const policy = yearly(19_200, { ...rules, balanceCapMinutes: 16_000 });
    expect(rows(factsOf({ ...outline, policy }), "2024-12-31")).toEqual([
      "2024-01-01 16000 accrual",
      "2024-07-01 -419.67 accrual",
    ]);
  });

  test("explains the rounded total and the posted difference", () => {
    const policy = monthly(600, {
      ...rules,
      tiers: [{ months: 12, minutes: 370 }],
      roundGrantsToMinutes: 30,
      roundGrants: "up",
    });
    const facts = factsOf({ ...outline, serviceFrom: "2023-07-16", policy });
    expect(postings(facts, day("2024-07-16")).at(-1)).toMatchObject({
      minutes: -90,
      detail:
        "(370 − 600) × 16/31 for 2024-07-16 to 2024-07-31; the amount after 12 months of service; " +
        "the period's total of 481.290323 is 510 once rounded, 600 were granted before",
    });
  });
});

test("hours under a limit lose nothing at a year boundary in a gap", () => {
  const facts = factsOf({
    policy: perHourWorked(60, 1, { carryoverLimitMinutes: 0 }),
    assigned: "2024-01-01",
    gaps: ["2024-12-20/2025-01-10"],
    workedHours: [on("2024-06-03", 480)],
  });
  const posted = postings(facts, day("2025-02-01")).map(({ kind, minutes }) => [kind, toMillionths(minutes)]);
  expect(posted).toEqual([
    ["accrual", 480],
    ["forfeit", 0],
  ]);
});
