// The rules of statutes and companies, each worked by hand (docs/balances.md).
import { describe, expect, test } from "bun:test";
import type { BalanceFacts, PolicyFacts } from "../../src/balances/facts.ts";
import { formatDay } from "../../src/time/day.ts";
import {
  balanceOn,
  day,
  entriesOf,
  factsOf,
  leave,
  MON_TO_FRI,
  monthly,
  on,
  opening,
  perHourWorked,
  worksFrom,
  yearly,
} from "./builders.ts";

function rows(facts: BalanceFacts, endDate: string): string[] {
  return entriesOf(facts, { today: day(endDate), endDate: day(endDate) }).map(
    ({ date, kind, minutes }) => `${formatDay(date)} ${kind} ${Math.round(minutes * 100) / 100}`,
  );
}

const left = (facts: BalanceFacts, endDate: string) => balanceOn(facts, { endDate }).available;

describe("the share of full time", () => {
  const schedules = [
    worksFrom("2025-01-01", "480,480,480,480,480,0,0", 2400),
    worksFrom("2026-07-01", "480,480,240,0,0,0,0", 2400),
  ];
  const outline = { assigned: "2026-01-01", schedules };

  test.each(["start", "end", "lastDay"] as const)(
    "scales each day's part of a grant: %s",
    (accrualTiming) => {
      const policy = yearly(9600, { scaleWith: "share", accrualTiming });
      // 9600 × 181/365 + 4800 × 184/365
      expect(left(factsOf({ ...outline, policy, assignmentEnds: "2026-12-31" }), "2027-01-01")).toBe(7180.27);
    },
  );

  test("is posted as a difference on the day of the change", () => {
    const facts = factsOf({ ...outline, policy: yearly(9600, { scaleWith: "share" }) });
    expect(rows(facts, "2026-12-31")).toEqual(["2026-01-01 accrual 9600", "2026-07-01 accrual -2419.73"]);
  });

  test.each([
    ["start", ["9600 for 2026-01-01 to 2026-12-31", "a share of 0.5 of full time from 2026-07-01 on"]],
    [
      "lastDay",
      [
        "9600 for 2026-01-01 to 2026-12-31; a share of 0.5 of full time from 2026-07-01 on; 7180.273973 in all",
      ],
    ],
  ] as const)("is said where it counts: %s", (accrualTiming, details) => {
    const facts = factsOf({ ...outline, policy: yearly(9600, { scaleWith: "share", accrualTiming }) });
    const entries = entriesOf(facts, { today: day("2026-12-31"), endDate: day("2026-12-31") });
    expect(entries.map(({ detail }) => detail)).toEqual([...details]);
  });

  test("is said once if it begins with a period", () => {
    const policy = yearly(9600, { scaleWith: "share", accrualTiming: "end" });
    const facts = factsOf({
      policy,
      assigned: "2026-01-01",
      schedules: [{ ...schedules[1]!, startsOn: day("2026-01-01") }],
    });
    expect(entriesOf(facts, { today: day("2027-01-01") }).map(({ detail }) => detail)).toEqual([
      "9600 for 2026-01-01 to 2026-12-31; a share of 0.5 of full time from 2026-01-01 on",
    ]);
  });

  test("revalues the balance, without what was granted for later days", () => {
    const policy = yearly(9600, { scaleWith: "share", revalue: "remaining" });
    expect(rows(factsOf({ ...outline, policy }), "2026-12-31")).toEqual([
      "2026-01-01 accrual 9600",
      "2026-07-01 revalued -2380.27",
      "2026-07-01 accrual -2419.73",
    ]);
    expect(left(factsOf({ ...outline, policy }), "2026-07-01")).toBe(4800);
    const posted = yearly(9600, { scaleWith: "share", revalue: "remaining", accrualTiming: "lastDay" });
    const before = factsOf({ ...outline, assigned: "2025-01-01", policy: posted });
    expect(rows(before, "2026-07-01")).toEqual(["2025-12-31 accrual 9600", "2026-07-01 revalued -4800"]);
  });

  test("revalues on the last day of a period what was granted for the days before", () => {
    const policy = monthly(600, { scaleWith: "share", revalue: "remaining" });
    const schedules = [
      worksFrom("2026-01-01", "480,480,480,480,480,0,0", 2400),
      worksFrom("2026-01-31", "240,240,240,240,240,0,0", 2400),
    ];
    expect(rows(factsOf({ policy, assigned: "2026-01-01", schedules }), "2026-01-31")).toEqual([
      "2026-01-01 accrual 600",
      "2026-01-31 revalued -290.32",
      "2026-01-31 accrual -9.68",
    ]);
  });

  test("revalues before the grants of the day", () => {
    const policy = monthly(10, { accrualTiming: "end", scaleWith: "share", revalue: "remaining" });
    const share = [worksFrom("2020-01-01", "240,240,240,240,240,0,0", 2400)];
    const facts = factsOf({ policy, assigned: "2019-11-01", schedules: share });
    expect(rows(facts, "2020-01-01")).toEqual([
      "2019-12-01 accrual 10",
      "2020-01-01 revalued -5",
      "2020-01-01 accrual 10",
    ]);
  });

  test("is multiplied by the rate; twelfths have the average of the covered days", () => {
    const rates = [{ from: day("2026-07-01"), percent: 80 }];
    const policy = yearly(9600, { scaleWith: "share" });
    expect(left(factsOf({ ...outline, rates, policy }), "2026-12-31")).toBe(
      Math.round(((9600 * 181 + 4800 * 0.8 * 184) / 365) * 100) / 100,
    );
    const twelfths = yearly(9600, { prorateBy: "monthsStarted", scaleWith: "share" });
    const later = factsOf({ ...outline, assigned: "2026-06-01", policy: twelfths });
    expect(left(later, "2026-12-31")).toBe(Math.round(5600 * ((30 + 184 * 0.5) / 214) * 100) / 100);
  });

  test("a rate scales hours by their day, and 0 percent is no pause", () => {
    const facts = factsOf({
      policy: perHourWorked(60, 30),
      assigned: "2025-01-01",
      rates: [{ from: day("2025-03-01"), percent: 50 }],
      workedHours: [on("2025-02-28", 1800), on("2025-03-01", 1800)],
    });
    expect(rows(facts, "2025-03-31")).toEqual(["2025-02-28 accrual 60", "2025-03-01 accrual 30"]);
    const unpaid = factsOf({
      policy: yearly(1200, { carryoverLimitMinutes: 100 }),
      assigned: "2024-01-01",
      rates: [{ from: day("2024-01-01"), percent: 0 }],
      adjustments: [on("2024-02-01", 500)],
    });
    expect(left(unpaid, "2025-01-01")).toBe(100);
  });
});

describe("leave spread by working time", () => {
  const holidays = [
    { day: day("2026-12-24"), minutes: 240 },
    { day: day("2026-12-25"), minutes: null },
  ];
  const used = (schedule: Parameters<typeof worksFrom>, request: ReturnType<typeof leave>, date: string) =>
    balanceOn(
      factsOf({
        policy: monthly(0),
        assigned: "2026-01-01",
        requests: [request],
        schedules: [worksFrom(...schedule)],
        workDays: MON_TO_FRI,
      }),
      { startDate: date, endDate: date },
    ).used;

  test("holidays are left out, unless all days are holidays", () => {
    const week = ["2026-01-01", "480,480,480,240,480,0,0", null, holidays] as const;
    const request = leave("approved", 1680, "2026-12-21", "2026-12-25");
    const days = ["2026-12-21", "2026-12-23", "2026-12-24", "2026-12-25"];
    expect(days.map((date) => used([...week], request, date))).toEqual([560, 560, 0, 0]);
    const onHolidays = leave("approved", 300, "2026-12-24", "2026-12-25");
    expect(days.slice(2).map((date) => used([...week], onHolidays, date))).toEqual([100, 200]);
  });

  test("weeks alternate, starting with the week of the first day", () => {
    const weeks = ["2026-01-08", "480,480,480,480,480,0,0;240,0,0,0,0,0,0", null] as const;
    const request = leave("approved", 2640, "2026-01-08", "2026-01-22");
    // Thursday and Friday, then Monday alone, then Monday to Thursday.
    const days = ["2026-01-08", "2026-01-12", "2026-01-13", "2026-01-19", "2026-01-22"];
    expect(days.map((date) => used([...weeks], request, date))).toEqual([
      ...[406.15, 203.08, 0, 406.15, 406.15],
    ]);
  });

  test("is spread as without a schedule if the schedule begins later or has no working time", () => {
    const request = leave("approved", 1200, "2026-03-02", "2026-03-08");
    expect(used(["2026-03-03", "480,480,480,480,480,0,0"], request, "2026-03-02")).toBe(240);
    expect(used(["2026-03-02", "0,0,0,0,0,0,0"], request, "2026-03-06")).toBe(240);
  });
});

test("in a pause over the new year time is forfeited and expires; in a gap it does not", () => {
  const policy = yearly(9600, { prorate: false, carryoverLimitMinutes: 2400, carryoverExpiresAfterDays: 5 });
  const days = ["2025-12-20/2026-01-10"];
  const paused = factsOf({ policy, assigned: "2025-01-01", pauses: days });
  const left = (facts: BalanceFacts, date: string) => balanceOn(facts, { endDate: date }).available;
  expect(left(paused, "2026-01-01")).toBe(2400);
  expect(left(paused, "2026-01-06")).toBe(0);
  expect(left(paused, "2026-01-31")).toBe(9600);
  const apart = factsOf({ policy, assigned: "2025-01-01", gaps: days });
  expect(left(apart, "2026-01-31")).toBe(19_200);
  // A pause that lasts to the end is employment, too.
  const last = factsOf({
    policy,
    assigned: "2025-01-01",
    pauses: ["2025-12-20/2026-03-31"],
    ends: "2026-03-31",
  });
  expect(left(last, "2026-01-01")).toBe(2400);
});

describe("grants that expire one by one", () => {
  test("leave takes the oldest first, and an entry names its grant", () => {
    const facts = factsOf({
      policy: yearly(4800, { grantsExpireAfterMonths: 24, periodAnchor: "anniversary" }),
      assigned: "2022-04-01",
      requests: [leave("approved", 960, "2023-05-01", "2023-05-02"), leave("approved", 480, "2024-04-01")],
      adjustments: [on("2023-06-01", -240), on("2023-06-02", 100)],
    });
    const entries = entriesOf(facts, { today: day("2025-04-01") });
    expect(entries.map(({ date, kind, minutes }) => `${formatDay(date)} ${kind} ${minutes}`)).toEqual([
      "2022-04-01 accrual 4800",
      "2023-04-01 accrual 4800",
      "2023-05-01 used -960",
      "2023-06-01 adjustment -240",
      "2023-06-02 adjustment 100",
      "2024-04-01 expiry -3600",
      "2024-04-01 accrual 4800",
      "2024-04-01 used -480",
      "2025-04-01 expiry -4320",
      "2025-04-01 accrual 4800",
    ]);
    expect(entries.find(({ kind }) => kind === "expiry")!.detail).toBe(
      "3600 of the 4800 granted on 2022-04-01 were not used before 2024-04-01",
    );
  });

  test("the next lots owe what no lot has", () => {
    const facts = factsOf({
      policy: yearly(480, { grantsExpireAfterMonths: 12 }),
      assigned: "2024-01-01",
      requests: [leave("approved", 800, "2024-02-01")],
    });
    expect(rows(facts, "2026-01-01").filter((row) => row.includes("expiry"))).toEqual([
      "2026-01-01 expiry -160",
    ]);
  });

  test("a carry-over limit counts what the ended year granted", () => {
    const policy = yearly(4800, { grantsExpireAfterMonths: 72, carryoverLimitMinutes: 2400 });
    const facts = factsOf({ policy, assigned: "2022-01-01" });
    expect(rows(facts, "2024-01-01").filter((row) => row.includes("forfeit"))).toEqual([
      "2023-01-01 forfeit -2400",
      "2024-01-01 forfeit -2400",
    ]);
    expect(left(facts, "2024-01-01")).toBe(9600);
  });

  test("a grant of the ended year's last day counts for the limit, too", () => {
    const rules = {
      grantsExpireAfterMonths: 24,
      carryoverLimitMinutes: 2400,
      accrualTiming: "lastDay",
    } as const;
    const facts = factsOf({ policy: yearly(9600, rules), assigned: "2024-01-01" });
    expect(rows(facts, "2025-01-01")).toEqual(["2024-12-31 accrual 9600", "2025-01-01 forfeit -7200"]);
  });

  test("an opening fills the newest grants; the rest does not expire", () => {
    const outline = { policy: yearly(4800, { grantsExpireAfterMonths: 24 }), assigned: "2020-01-01" };
    const expiries = (minutes: number) =>
      rows(factsOf({ ...outline, opening: opening("2023-06-30", minutes) }), "2025-12-31").filter((row) =>
        row.includes("expiry"),
      );
    expect(expiries(6000)).toEqual(["2024-01-01 expiry -1200", "2025-01-01 expiry -4800"]);
    expect(expiries(10_000)).toEqual(["2024-01-01 expiry -4800", "2025-01-01 expiry -4800"]);
  });
});

test("the kept part of carried time is used last, and may be the assignment's own amount", () => {
  const policy = yearly(9600, { carryoverExpiresAfterMonths: 3, carryoverKeepsMinutes: 960 });
  const requests = [leave("approved", 2400, "2026-02-02", "2026-02-06")];
  const facts = factsOf({ policy, assigned: "2025-01-01", requests });
  expect(rows(facts, "2026-04-01").at(-1)).toBe("2026-04-01 expiry -6240");
  const own = factsOf({ policy, assigned: "2025-01-01", requests, carryoverKeepsMinutes: 9600 });
  expect(rows(own, "2026-04-01").at(-1)).toBe("2026-02-02 used -2400");
});

test("carried time may outlive the year: an earlier expiry counts as taken", () => {
  const policy = yearly(1000, { carryoverExpiresAfterMonths: 24 });
  expect(rows(factsOf({ policy, assigned: "2024-01-01" }), "2028-01-01")).toEqual([
    "2024-01-01 accrual 1000",
    "2025-01-01 accrual 1000",
    "2026-01-01 accrual 1000",
    "2027-01-01 expiry -1000",
    "2027-01-01 accrual 1000",
    "2028-01-01 expiry -1000",
    "2028-01-01 accrual 1000",
  ]);
});

test("the carry-over may be on another day than the start of the leave year", () => {
  const policy = yearly(9600, { carryoverOn: "04-01", carryoverLimitMinutes: 2400 });
  expect(rows(factsOf({ policy, assigned: "2025-01-01" }), "2026-04-01")).toEqual([
    "2025-01-01 accrual 9600",
    "2025-04-01 forfeit -7200",
    "2026-01-01 accrual 9600",
    "2026-04-01 forfeit -9600",
  ]);
});

describe("rounding the sum of a year", () => {
  test("France: 2.5 days a month, and 22.5 become 23 when the year ends", () => {
    const rules = { yearStartsOn: "06-01", accrualTiming: "lastDay" } as const;
    const sum = { roundSumToMinutes: 480, roundSum: "up", roundSumOn: "yearEnd" } as const;
    const facts = factsOf({ policy: monthly(1200, { ...rules, ...sum }), assigned: "2024-09-01" });
    expect([left(facts, "2024-09-30"), left(facts, "2025-05-31")].map((minutes) => minutes / 480)).toEqual([
      2.5, 23,
    ]);
  });

  test("the year ends with its last covered period, were it of one day", () => {
    const rules = {
      roundSumToMinutes: 480,
      roundSum: "up",
      roundSumOn: "yearEnd",
      accrualTiming: "lastDay",
    } as const;
    const facts = factsOf({
      policy: monthly(800, rules),
      assigned: "2025-01-01",
      assignmentEnds: "2025-03-01",
    });
    expect(rows(facts, "2025-12-31")).toEqual([
      "2025-01-31 accrual 800",
      "2025-02-28 accrual 800",
      "2025-03-01 accrual 320", // 1600 and 800 × 1/31, rounded up to four days
    ]);
  });

  test("each posting is the difference of the rounded sums; less than half is kept", () => {
    const policy = monthly(800, { roundSumToMinutes: 480, roundSum: "halfUpKeep" });
    const facts = factsOf({ policy, assigned: "2025-01-01" });
    // 800 → 960, 1600 stays, 2400 stays, 3200 → 3360.
    expect(rows(facts, "2025-04-01")).toEqual([
      "2025-01-01 accrual 960",
      "2025-02-01 accrual 640",
      "2025-03-01 accrual 800",
      "2025-04-01 accrual 960",
    ]);
  });

  // 5 CFR 630.303: an hour for each 20 hours in a pay status, of part-time employees of the United States.
  test("rounded down, what is not enough for one more counts later", () => {
    const policy = perHourWorked(60, 20, { roundSumToMinutes: 60, roundSum: "down" });
    const workedHours = ["2025-01-17", "2025-01-31", "2025-02-14"].map((date) => on(date, 33 * 60));
    const facts = factsOf({ policy, assigned: "2025-01-01", workedHours });
    expect(rows(facts, "2025-03-01")).toEqual([
      "2025-01-17 accrual 60",
      "2025-01-31 accrual 120",
      "2025-02-14 accrual 60",
    ]);
  });
});

test("once no locked time is left, a loss is one entry", () => {
  const facts = factsOf({
    policy: yearly(600, { waitingPeriodDays: 365, prorate: false }),
    assigned: "2025-06-01",
    adjustments: [
      { ...on("2025-06-02", 1000), expiresOn: day("2025-12-01") },
      { ...on("2025-06-02", 100), expiresOn: day("2025-12-15") },
    ],
  });
  expect(rows(facts, "2025-12-31").slice(3)).toEqual([
    "2025-12-01 expiry -600",
    "2025-12-01 expiry -400",
    "2025-12-15 expiry -100",
  ]);
});

test("the expiry of carried time says how much of it never expires", () => {
  const rules = { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 6, carryoverKeepsMinutes: 480 };
  const facts = factsOf({ policy: yearly(9600, rules), assigned: "2025-01-01" });
  const expiry = entriesOf(facts, { today: day("2026-07-01") }).at(-1)!;
  expect([expiry.minutes, expiry.detailParts[1]]).toEqual([
    -1920,
    { code: "neverExpire", values: { minutes: 480 } },
  ]);
});

test("available is at most what may still be used in the leave year", () => {
  const facts = factsOf({
    policy: yearly(4800, { useCapMinutes: 2400 }),
    assigned: "2025-01-01",
    requests: [leave("approved", 480, "2025-12-31"), leave("pending", 240, "2026-02-02")],
  });
  const available = (window: Parameters<typeof balanceOn>[1]) => balanceOn(facts, window).available;
  expect(available({ endDate: "2025-12-30" })).toBe(2400);
  expect(available({ endDate: "2025-12-31" })).toBe(1920);
  expect(available({ today: "2026-01-05" })).toBe(2160);
  expect(available({ startDate: "2026-01-01", endDate: "2026-01-05" })).toBe(4800);
});

test("limits by length of service", () => {
  const rules = {
    balanceCapMinutes: 1000,
    balanceCapTiers: [{ months: 12, minutes: 1500 }],
    carryoverLimitMinutes: 0,
    carryoverLimitTiers: [{ months: 12, minutes: 300 }],
  };
  const facts = factsOf({ policy: yearly(2000, rules), assigned: "2024-06-01", starts: "2024-06-01" });
  expect(rows(facts, "2026-01-01")).toEqual([
    "2024-06-01 accrual 1000",
    "2025-01-01 forfeit -1000",
    "2025-01-01 accrual 1000",
    "2026-01-01 forfeit -700",
    "2026-01-01 accrual 1200",
  ]);
});

test("the first year: full twelfths, and the rest after six months of service", () => {
  const policy = yearly(14_400, { firstYearWholeAfterMonths: 6 });
  const of = (assigned: string) => rows(factsOf({ policy, assigned, starts: assigned }), "2025-12-31");
  expect(of("2025-03-15")).toEqual(["2025-03-15 accrual 10800", "2025-09-15 accrual 3600"]);
  expect(of("2025-08-01")).toEqual(["2025-08-01 accrual 6000"]);
});

test("the rest of a first year waits for a covered day, and comes with the year's grant if that comes later", () => {
  const started = { assigned: "2025-03-15", starts: "2025-03-15" };
  const atStart = factsOf({
    ...started,
    policy: yearly(14_400, { firstYearWholeAfterMonths: 6 }),
    pauses: ["2025-09-01/2025-09-30"],
  });
  // April to December without September: eight whole months
  expect(rows(atStart, "2025-12-31")).toEqual(["2025-03-15 accrual 9600", "2025-10-01 accrual 4800"]);
  const policy = yearly(14_400, { firstYearWholeAfterMonths: 6, accrualTiming: "lastDay" });
  expect(rows(factsOf({ ...started, policy }), "2025-12-31")).toEqual(["2025-12-31 accrual 14400"]);
});

test("a year boundary in a gap carries nothing over", () => {
  const policy = yearly(9600, { carryoverExpiresAfterMonths: 6 });
  const expired = (gaps: string[]) =>
    rows(factsOf({ policy, assigned: "2024-01-01", gaps }), "2025-12-31").filter((row) =>
      row.includes("expiry"),
    );
  expect(expired([])).toEqual(["2025-07-01 expiry -9600"]);
  expect(expired(["2024-12-01/2025-02-28"])).toEqual([]);
});

describe("what a day without employment keeps is entriesOf", () => {
  const reasons = (facts: BalanceFacts, endDate: string) =>
    entriesOf(facts, { today: day(endDate), endDate: day(endDate) })
      .filter(({ kind }) => kind === "forfeit" || kind === "expiry")
      .map(({ date, kind, minutes, balance, detailParts }) => [
        ...[formatDay(date), kind, minutes, balance],
        ...detailParts.map(({ code, values }) => `${code} ${values.minutes}`),
      ]);

  // The turn of the year is in the gap, or at its edge. The next one takes what both years left.
  test.each(["2025-10-01/2026-02-28", "2025-10-01/2025-12-31"])(
    "more than may be carried over: %s",
    (gap) => {
      const policy = yearly(9600, { prorate: false, carryoverLimitMinutes: 2400 });
      expect(reasons(factsOf({ policy, assigned: "2025-01-01", gaps: [gap] }), "2027-01-01")).toEqual([
        ["2026-01-01", "forfeit", 0, 9600, "carryoverLimit 9600", "notCovered 7200"],
        ["2027-01-01", "forfeit", -16_800, 2400, "carryoverLimit 19200"],
      ]);
    },
  );

  test("carried time that would expire, less what was taken; and that of somebody who has left", () => {
    const policy = yearly(9600, { carryoverLimitMinutes: 2400, carryoverExpiresAfterMonths: 6 });
    const requests = [leave("approved", 480, "2026-02-02")];
    const outline = { policy, assigned: "2025-01-01", requests };
    const kept = (facts: BalanceFacts) => {
      const [date, kind, minutes, , ...codes] = reasons(facts, "2026-12-31").at(-1)!;
      return [date, kind, minutes, ...codes];
    };
    const expected = ["2026-07-01", "expiry", 0, "carriedExpired 2400", "notCovered 1920"];
    expect(kept(factsOf({ ...outline, gaps: ["2026-06-01/2026-07-31"] }))).toEqual(expected);
    expect(kept(factsOf({ ...outline, ends: "2026-05-31" }))).toEqual(expected);
  });

  test("a grant that would expire", () => {
    const policy = yearly(9600, { grantsExpireAfterMonths: 12 });
    const facts = factsOf({ policy, assigned: "2024-01-01", gaps: ["2024-12-01/2025-02-28"] });
    const granted = Math.round((9600 * 335 * 1e6) / 366) / 1e6; // from January to November
    expect(reasons(facts, "2025-12-31")).toEqual([
      ["2025-01-01", "expiry", 0, granted, `grantExpired ${granted}`, `notCovered ${granted}`],
    ]);
  });
});

test("a grant whose expiry is in a gap never expires, and is used before what expires later", () => {
  const policy = yearly(9600, { grantsExpireAfterMonths: 12 });
  const facts = factsOf({
    policy,
    assigned: "2024-01-01",
    gaps: ["2024-12-01/2025-02-28"],
    requests: [leave("approved", 4800, "2025-06-02")],
  });
  // 306 of the 365 days of 2025. The leave takes of the grant of 2024, which was to expire on 1 January 2025.
  expect(rows(facts, "2026-12-31").filter((row) => row.startsWith("2026-03-01"))).toEqual([
    "2026-03-01 expiry -8048.22",
  ]);
});

test("Italy: a month of fifteen covered days counts", () => {
  const policy = yearly(1200, { prorateBy: "halfMonths" });
  const granted = (assigned: string) => left(factsOf({ policy, assigned }), "2025-12-31");
  expect([granted("2025-06-16"), granted("2025-06-17")]).toEqual([700, 600]);
});

test("Poland: the whole supplement in the year of the step", () => {
  const policy = yearly(9600, { tiers: [{ months: 120, minutes: 12_480 }], tierFrom: "sameYear" });
  const facts = factsOf({ policy, assigned: "2024-01-01", serviceFrom: "2015-09-01" });
  expect(rows(facts, "2026-01-01")).toEqual([
    "2024-01-01 accrual 9600",
    "2025-01-01 accrual 9600",
    "2025-09-01 accrual 2880",
    "2026-01-01 accrual 12480",
  ]);
});

test("a pause delays tiers and limits by service if only assigned months count", () => {
  const rules = { tiers: [{ months: 12, minutes: 900 }], serviceCounts: "assigned" } as const;
  const facts = factsOf({
    policy: monthly(600, rules),
    assigned: "2024-01-01",
    starts: "2024-01-01",
    pauses: ["2024-03-01/2024-03-31"],
  });
  expect(rows(facts, "2025-03-01").slice(-3)).toEqual([
    "2025-01-01 accrual 600",
    "2025-02-01 accrual 900",
    "2025-03-01 accrual 900",
  ]);
});

test("a pause that begins on the day on which months of service are completed does not delay it", () => {
  const rules = { carryoverLimitMinutes: 0, carryoverLimitTiers: [{ months: 12, minutes: 700 }] };
  const facts = (pause: string) =>
    factsOf({
      policy: yearly(1000, { ...rules, serviceCounts: "assigned", prorate: false }),
      assigned: "2019-12-01",
      serviceFrom: "2019-12-01",
      pauses: [pause],
    });
  // The twelve months are over on 30 November 2020.
  expect(left(facts("2020-12-01/2021-02-28"), "2021-01-01")).toBe(700);
  expect(left(facts("2020-11-30/2021-02-28"), "2021-01-01")).toBe(0);
});

test("daily instalments are the year's amount divided by its days", () => {
  const facts = factsOf({ policy: yearly(7320, { instalments: "daily" }), assigned: "2024-02-28" });
  expect(rows(facts, "2024-03-01")).toEqual([
    "2024-02-28 accrual 20",
    "2024-02-29 accrual 20",
    "2024-03-01 accrual 20",
  ]);
});

test("United Kingdom: 12.07 percent of the hours of a pay period, rounded, on its last covered day", () => {
  const rules = { payPeriods: "monthly", roundGrantsToMinutes: 60 } as const;
  const facts = factsOf({
    policy: perHourWorked(724.2, 100, rules),
    assigned: "2025-01-01",
    ends: "2025-03-20",
    workedHours: [
      on("2025-01-03", 3000),
      on("2025-01-31", 3000),
      on("2025-03-05", 600),
      on("2025-03-21", 600),
    ],
  });
  expect(rows(facts, "2025-01-30")).toEqual([]);
  expect(rows(facts, "2025-04-01")).toEqual(["2025-01-31 accrual 720", "2025-03-20 accrual 60"]);
});

describe("pending leave of the past", () => {
  const asked = { ...leave("pending", 2400, "2024-08-05", "2024-08-09"), id: "tor_1" };
  const facts = factsOf({
    policy: yearly(9600, { carryoverLimitMinutes: 0 }),
    assigned: "2024-01-01",
    requests: [asked],
  });

  test("holds only what it can still take", () => {
    expect(balanceOn(facts, { endDate: "2024-12-31" })).toMatchObject({ holds: 2400, available: 7200 });
    expect(balanceOn(facts, { endDate: "2025-01-01" })).toMatchObject({ holds: 0, available: 9600 });
    expect(balanceOn(facts, { startDate: "2024-01-01", endDate: "2025-01-01" }).holds).toBe(2400);
    const decided = { ...facts, requests: [{ ...asked, status: "approved" as const }] };
    expect(left(decided, "2025-01-01")).toBe(9600);
  });

  test("is entriesOf by what it would take", () => {
    const partly = factsOf({
      policy: yearly(9600, { carryoverLimitMinutes: 8400 }),
      assigned: "2024-01-01",
      requests: [asked, { ...leave("pending", 60, "2025-03-03"), id: "tor_2" }],
    });
    const entries = entriesOf(partly, { today: day("2025-01-01") }).filter(({ kind }) => kind === "hold");
    expect(entries.map(({ minutes, detail }) => [minutes, detail])).toEqual([
      [-1200, "pending leave, 2024-08-05 to 2024-08-09; only 1200 of them would still be taken"],
      [-60, "pending leave, 2025-03-03"],
    ]);
  });

  test("of two requests, the earlier one holds first, whatever their ids", () => {
    const both = factsOf({
      policy: yearly(9600, { carryoverLimitMinutes: 2400 }),
      assigned: "2024-01-01",
      requests: [
        { ...leave("pending", 6000, "2024-09-02", "2024-09-13"), id: "tor_1" },
        { ...leave("pending", 3000, "2024-08-05", "2024-08-09"), id: "tor_2" },
      ],
    });
    // 3000 would all be of the 7200 that were forfeited; of both, 1800 are not.
    const holds = entriesOf(both, { today: day("2025-01-01") }).filter(({ kind }) => kind === "hold");
    expect(holds.map(({ sourceId, minutes }) => [sourceId, minutes])).toEqual([
      ["tor_2", 0],
      ["tor_1", -1800],
    ]);
  });
});

test("pending leave holds what it can still take until the day on which the balance moves", () => {
  const facts = factsOf({
    policy: yearly(9600, { carryoverLimitMinutes: 0 }),
    assigned: "2024-01-01",
    movesOn: "2025-07-01",
    requests: [leave("pending", 2400, "2024-08-05", "2024-08-09")],
  });
  const holds = (endDate: string) => balanceOn(facts, { endDate }).holds;
  expect(["2025-06-30", "2025-07-01"].map(holds)).toEqual([0, 2400]);
});

test("the cap on use in a year counts leave under the policy from which the balance moved", () => {
  const before = factsOf({
    policy: yearly(9600),
    assigned: "2025-01-01",
    movesOn: "2025-07-01",
    requests: [leave("approved", 960, "2025-03-03", "2025-03-04"), leave("approved", 480, "2025-07-07")],
  });
  const policy = yearly(9600, { useCapMinutes: 2400 });
  const facts = factsOf({
    policy,
    assigned: "2025-07-01",
    movesFrom: before,
    requests: [leave("approved", 480, "2025-08-04")],
  });
  expect(left(facts, "2025-12-31")).toBe(960);
  expect(left(facts, "2026-01-01")).toBe(2400);
});

describe("how the part of a period is measured", () => {
  const granted = (policy: PolicyFacts, assigned: string, on: string, ends?: string) =>
    left(factsOf({ policy, assigned, starts: assigned, ...(ends === undefined ? {} : { ends }) }), on);

  test("Germany, BUrlG § 5 (BAG 8 AZR 730/87): twelfths of months of employment, not of the calendar", () => {
    const policy = yearly(9600, { prorateBy: "serviceMonths" });
    expect(granted(policy, "2025-08-15", "2025-11-14", "2025-11-14")).toBe(2400);
    expect(granted(policy, "2025-08-15", "2025-12-31")).toBe(3200);
    expect(granted(policy, "2025-01-31", "2025-12-31")).toBe(8800);
  });

  test("begun by the 15th: the whole month", () => {
    const policy = monthly(480, { prorateBy: "startsBy:15" });
    const days = [
      ["2025-01-16", "2025-01-31"],
      ["2025-02-15", "2025-02-28"],
      ["2025-03-15", "2025-03-31"],
      ["2025-04-16", "2025-04-30"],
    ] as const;
    expect(days.map(([from, to]) => granted(policy, from, to))).toEqual([0, 480, 480, 0]);
    expect(granted(yearly(4800, { prorateBy: "startsBy:15" }), "2025-11-15", "2025-12-31")).toBe(800);
  });

  test("months of thirty days", () => {
    const policy = yearly(9600, { prorateBy: "thirtieths" });
    expect(granted(policy, "2025-02-15", "2025-12-31")).toBe(8426.67);
    expect(granted(monthly(600, { prorateBy: "thirtieths" }), "2025-01-31", "2025-01-31")).toBe(0);
    expect(granted(monthly(600, { prorateBy: "thirtieths" }), "2025-01-16", "2025-01-31")).toBe(300);
  });

  test("Austria, UrlG § 2(2): the first working year month by month, then the rest", () => {
    const policy = yearly(12_000, {
      periodAnchor: "anniversary",
      firstYearWholeAfterMonths: 6,
      firstYearGrants: "monthly",
    });
    const days = ["2024-03-01", "2024-05-01", "2024-08-01", "2025-02-01"];
    expect(days.map((on) => granted(policy, "2024-02-01", on))).toEqual([1000, 3000, 12_000, 24_000]);
    // Once the rest is granted, the months that are left have no entries.
    const facts = factsOf({ policy, assigned: "2024-02-01", starts: "2024-02-01" });
    expect(rows(facts, "2025-01-31").slice(6)).toEqual([
      "2024-07-31 accrual 1000",
      "2024-08-01 accrual 6000",
    ]);
  });
});

test("hours worked: tiers by service, and the sum of a year rounded", () => {
  const policy = perHourWorked(2.31, 1, { tiers: [{ months: 60, minutes: 3.462 }] });
  const workedHours = [on("2025-03-15", 9600), on("2025-07-15", 9600)];
  const facts = factsOf({ policy, assigned: "2025-01-01", starts: "2020-06-01", workedHours });
  expect([left(facts, "2025-04-01"), left(facts, "2025-08-01")]).toEqual([369.6, 923.52]);
  expect(entriesOf(facts, { today: day("2025-08-01") }).map(({ detail }) => detail)).toEqual([
    "160 hours × 2.31",
    "160 hours × 3.462; the amount after 60 months of service",
  ]);
  // Czechia, zákoník práce §§ 213, 216: 30 weeks of 40 hours and 22 of 20 are (1200 + 440) ÷ 52 × 4 = 126.15 hours.
  const weeks = Array.from({ length: 52 }, (_, at) => ({
    day: day("2025-01-03") + 7 * at,
    minutes: at < 30 ? 2400 : 1200,
  }));
  const summed = perHourWorked(240, 52, { roundSumToMinutes: 60, roundSum: "up" });
  expect(left(factsOf({ policy: summed, assigned: "2025-01-01", workedHours: weeks }), "2025-12-31")).toBe(
    127 * 60,
  );
});

test("New Zealand, Holidays Act s 16: the balance is weeks of current working time", () => {
  const policy = yearly(9600, {
    periodAnchor: "anniversary",
    accrualTiming: "end",
    scaleWith: "share",
    revalue: "weeks",
  });
  const facts = factsOf({
    policy,
    assigned: "2024-05-13",
    schedules: [
      worksFrom("2024-05-13", "480,480,480,480,480,0,0", 2400),
      worksFrom("2025-08-01", "480,480,480,0,0,0,0", 2400),
    ],
    requests: [leave("approved", 2400, "2025-06-02", "2025-06-06")],
  });
  const days = ["2025-05-13", "2025-07-31", "2025-08-01", "2026-05-13"];
  expect(days.map((date) => left(facts, date))).toEqual([9600, 7200, 4320, 10_080]);
});

describe("grants that are weeks", () => {
  const weeks = { scaleWith: "share", revalue: "weeks" } as const;
  const [whole, half] = ["480,480,480,480,480,0,0", "480,480,240,0,0,0,0"];

  test("are weeks of the day of posting, though it is the first with another share", () => {
    const schedules = [worksFrom("2025-01-01", half, 2400), worksFrom("2026-01-01", whole, 2400)];
    const policy = yearly(9600, { ...weeks, accrualTiming: "end" });
    const facts = factsOf({ policy, assigned: "2025-01-01", schedules });
    expect(rows(facts, "2026-01-01")).toEqual(["2026-01-01 accrual 9600"]);
    // After the last covered day the share is that of this day.
    expect(rows({ ...facts, worker: { ...facts.worker, endDate: day("2025-12-31") } }, "2026-01-01")).toEqual(
      ["2026-01-01 accrual 4800"],
    );
  });

  test("are scaled by the average rate of their covered days", () => {
    const rates = [{ from: day("2025-07-01"), percent: 0 }];
    const posted = yearly(9600, { ...weeks, accrualTiming: "lastDay" });
    // 9600 × 181/365
    expect(rows(factsOf({ policy: posted, assigned: "2025-01-01", rates }), "2025-12-31")).toEqual([
      "2025-12-31 accrual 4760.55",
    ]);
    const schedules = [worksFrom("2025-01-01", whole, 2400), worksFrom("2025-04-01", half, 2400)];
    const facts = factsOf({ policy: yearly(9600, weeks), assigned: "2025-01-01", rates, schedules });
    // Weeks of half the time: 9600 × 0.5 × 184/365 are taken back.
    expect(rows(facts, "2025-12-31")).toEqual([
      "2025-01-01 accrual 9600",
      "2025-04-01 revalued -4800",
      "2025-07-01 accrual -2419.73",
    ]);
    // The cap cut 3600 of the 9600, so less is taken back: what 6000, or now 3000, exceed 4800 × 181/365.
    const capped = { ...facts, policy: yearly(9600, { ...weeks, balanceCapMinutes: 6000 }) };
    expect(rows(capped, "2025-12-31").at(-1)).toBe("2025-07-01 accrual -619.73");
  });

  test("a share of 0 leaves nothing that a lower rate could take back", () => {
    const none = "0,0,0,0,0,0,0";
    const facts = factsOf({
      policy: yearly(9600, weeks),
      assigned: "2025-01-01",
      rates: [{ from: day("2025-10-01"), percent: 50 }],
      schedules: [
        worksFrom("2025-01-01", whole, 2400),
        worksFrom("2025-04-01", none, 2400),
        worksFrom("2025-07-01", half, 2400),
      ],
    });
    expect(rows(facts, "2025-12-31")).toEqual([
      "2025-01-01 accrual 9600",
      "2025-04-01 revalued -9600",
      "2025-10-01 accrual 0",
    ]);
  });

  test("a rate that ends takes back what was granted after a share of 0", () => {
    const none = "0,0,0,0,0,0,0";
    const facts = factsOf({
      policy: yearly(9600, weeks),
      assigned: "2025-01-01",
      rates: [
        { from: day("2025-01-01"), percent: 0 },
        { from: day("2025-05-01"), percent: 100 },
        { from: day("2025-09-01"), percent: 0 },
      ],
      schedules: [
        worksFrom("2025-01-01", whole, 2400),
        worksFrom("2025-03-01", none, 2400),
        worksFrom("2025-04-01", whole, 2400),
      ],
    });
    // 9600 × 245/365; less 9600 × 122/365.
    expect(rows(facts, "2025-12-31").slice(-2)).toEqual([
      "2025-05-01 accrual 6443.84",
      "2025-09-01 accrual -3208.77",
    ]);
  });

  test.each([
    [600, 300, ""],
    [610, 300, "; 305 rounded down to a multiple of 30"],
  ])("are rounded in minutes of the share: %d", (minutes, granted, rounding) => {
    const policy = monthly(minutes, { ...weeks, roundGrantsToMinutes: 30, roundGrants: "down" });
    const schedules = [worksFrom("2025-01-01", half, 2400)];
    const [entry] = entriesOf(factsOf({ policy, assigned: "2025-01-01", schedules }), {
      today: day("2025-01-01"),
    });
    expect([entry!.minutes, entry!.detail]).toEqual([
      granted,
      `${minutes} for 2025-01-01 to 2025-01-31; a share of 0.5 of full time from 2025-01-01 on${rounding}`,
    ]);
  });

  test("name the share and the rate once each", () => {
    const facts = factsOf({
      policy: yearly(9600, weeks),
      assigned: "2025-01-01",
      rates: [{ from: day("2025-01-01"), percent: 80 }],
      schedules: [worksFrom("2025-01-01", half, 2400)],
    });
    const [granted] = entriesOf(facts, { today: day("2025-01-01") });
    expect([granted!.minutes, granted!.detail]).toEqual([
      3840,
      "9600 for 2025-01-01 to 2025-12-31; a share of 0.5 of full time from 2025-01-01 on; × 0.8, share and rate from 2025-01-01 on",
    ]);
  });
});

test("what is taken back of grants that never expire is not time in lieu that does", () => {
  const lieu = { ...on("2025-03-03", 360), expiresOn: day("2025-09-03") };
  const facts = factsOf({
    policy: yearly(9600),
    assigned: "2025-01-01",
    rates: [{ from: day("2025-07-01"), percent: 50 }],
    adjustments: [lieu],
  });
  expect(rows(facts, "2025-12-31")).toEqual([
    "2025-01-01 accrual 9600",
    "2025-03-03 adjustment 360",
    "2025-07-01 accrual -2419.73",
    "2025-09-03 expiry -360",
  ]);
});

test("the rest is forfeited when a policy with whenItEnds forfeit ends", () => {
  const policy = yearly(3840, { whenItEnds: "forfeit" });
  const facts = factsOf({
    policy,
    assigned: "2025-01-01",
    assignmentEnds: "2025-12-31",
    adjustments: [on("2026-02-01", 60)],
  });
  expect(["2025-12-31", "2026-01-01", "2026-02-01"].map((date) => left(facts, date))).toEqual([3840, 0, 60]);
});

test.each([
  ["sameDay", 604.93, "× 184/365 for 2025-07-01", "; × 0.5, share and rate"],
  // The average of the whole year: 90 days, and half of 275.
  ["sameYear", 1495.89, "for 2025-01-01", "; × 0.623288, share and rate"],
] as const)("the explanation of a tier reached inside names its factor: %s", (...given) => {
  const [tierFrom, minutes, part, factor] = given;
  const tiers = [{ months: 12, minutes: 12_000 }];
  const facts = factsOf({
    policy: yearly(9600, { tiers, tierFrom, scaleWith: "share" }),
    assigned: "2025-01-01",
    serviceFrom: "2024-07-01",
    schedules: [
      worksFrom("2020-01-06", "480,480,480,480,480,0,0", 2400),
      worksFrom("2025-04-01", "240,240,240,240,240,0,0", 2400),
    ],
  });
  const entry = entriesOf(facts, { today: day("2025-07-01") }).at(-1)!;
  expect([Math.round(entry.minutes * 100) / 100, entry.detail]).toEqual([
    minutes,
    `(12000 − 9600) ${part} to 2025-12-31; the amount after 12 months of service${factor}`,
  ]);
});

describe("a tier and a change of working time in one period", () => {
  const of = (tierOn: string, shareFrom: string) =>
    rows(
      factsOf({
        policy: yearly(9600, {
          tiers: [{ months: 12, minutes: 12_000 }],
          tierFrom: "sameDay",
          scaleWith: "share",
        }),
        assigned: "2025-01-01",
        serviceFrom: tierOn.replace("2025", "2024"),
        schedules: [
          worksFrom("2020-01-06", "480,480,480,480,480,0,0", 2400),
          worksFrom(shareFrom, "240,240,240,240,240,0,0", 2400),
        ],
      }),
      "2025-12-31",
    );

  test("the tier first: 2400 × 275 ÷ 365, then half of 12000 for the last 184 days", () => {
    expect(of("2025-04-01", "2025-07-01")).toEqual([
      "2025-01-01 accrual 9600",
      "2025-04-01 accrual 1808.22",
      "2025-07-01 accrual -3024.66",
    ]);
  });

  test("the change first: half of 9600 for the last 275 days, then half of 2400 × 184 ÷ 365", () => {
    expect(of("2025-07-01", "2025-04-01")).toEqual([
      "2025-01-01 accrual 9600",
      "2025-04-01 accrual -3616.44",
      "2025-07-01 accrual 604.93",
    ]);
  });
});
