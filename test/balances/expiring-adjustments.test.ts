// Adjustments that expire: the worked example of docs/balances.md, Adjustments that expire; CO4 (Clerks Award 2020, cl. 23: time in lieu lapses after six months), and
// what is refused.
import { describe, expect, test } from "bun:test";
import { explain } from "../../src/balances/balance.ts";
import { losses } from "../../src/balances/movements.ts";
import { dayOfText } from "../../src/time/day.ts";
import { TestCompany, workersCsv } from "../support/import-files.ts";
import { balanceOn, day, factsOf, leave, on, worksFrom, yearly } from "./builders.ts";

const closing = (facts: Parameters<typeof balanceOn>[0], date: string) =>
  balanceOn(facts, { endDate: date }).available;

test("time in lieu lapses, and leave uses it first", () => {
  const lieu = { ...on("2025-03-03", 360), expiresOn: day("2025-09-03") };
  const policy = yearly(9600, { carryoverLimitMinutes: 2400 });
  const facts = factsOf({ policy, assigned: "2025-01-01", adjustments: [lieu] });
  expect(["2025-09-02", "2025-09-03"].map((date) => closing(facts, date))).toEqual([9960, 9600]);
  expect(losses(facts, day("2025-01-01"), day("2025-12-31"))).toEqual([
    { day: day("2025-09-03"), minutes: 360, cause: "grantExpiry" },
  ]);
  const taken = { ...facts, requests: [leave("approved", 240, "2025-05-05", "2025-05-05")] };
  expect(["2025-09-02", "2025-09-03"].map((date) => closing(taken, date))).toEqual([9720, 9600]);
  const all = { ...facts, requests: [leave("approved", 480, "2025-05-05", "2025-05-05")] };
  expect(["2025-09-02", "2025-09-03"].map((date) => closing(all, date))).toEqual([9480, 9480]);
  const gone = { ...facts, assignment: { ...facts.assignment, endsOn: day("2025-06-30") } };
  expect(closing(gone, "2025-09-03")).toBe(closing(gone, "2025-09-02")); // nothing expires without employment
});

test("leave uses the earliest expiry first, also where grants expire", () => {
  const policy = yearly(0, { grantsExpireAfterMonths: 6 });
  const adjustments = [
    { ...on("2025-01-10", 100), expiresOn: day("2025-08-01") },
    { ...on("2025-01-20", 100), expiresOn: day("2025-07-01") },
    on("2025-01-30", 100),
  ];
  const requests = [leave("approved", 150, "2025-06-02", "2025-06-02")];
  const facts = factsOf({ policy, assigned: "2025-01-01", adjustments, requests });
  expect(["2025-06-30", "2025-07-01", "2025-08-01"].map((date) => closing(facts, date))).toEqual([
    150, 150, 100,
  ]);
});

test("of what expires on one day, leave uses the oldest first", () => {
  const expiresOn = day("2025-09-03");
  const facts = factsOf({
    policy: yearly(0),
    assigned: "2025-01-01",
    adjustments: ["2025-03-03", "2025-04-03"].map((date) => ({ ...on(date, 360), expiresOn })),
    requests: [leave("approved", 400, "2025-05-05")],
  });
  const window = { today: expiresOn, endDate: expiresOn };
  expect(explain(facts, window).find(({ kind }) => kind === "expiry")?.detailParts[0]?.values).toEqual({
    minutes: 320,
    grantedMinutes: 360,
    grantedOn: "2025-04-03",
    on: "2025-09-03",
  });
});

const HALF = "240,240,240,240,240,0,0";
const FULL = "480,480,480,480,480,0,0";

test("what revaluing added is forfeited, too: nothing that comes later owes it", () => {
  const facts = factsOf({
    policy: yearly(1000, { scaleWith: "share", revalue: "weeks", carryoverLimitMinutes: 100 }),
    assigned: "2020-01-01",
    schedules: [worksFrom("2018-01-01", HALF, 2400), worksFrom("2020-07-01", FULL, 2400)],
    adjustments: [{ ...on("2021-01-01", 600), expiresOn: day("2021-05-01") }],
  });
  // 500 became 1000, of which 900 are forfeited; then 600 and 1000 come.
  expect(["2020-12-31", "2021-04-30", "2021-05-01"].map((date) => closing(facts, date))).toEqual([
    1000, 1700, 1100,
  ]);
});

test("what revaluing took away does not expire", () => {
  const facts = factsOf({
    policy: yearly(0, { scaleWith: "share", revalue: "remaining" }),
    assigned: "2025-01-01",
    schedules: [worksFrom("2024-01-01", FULL, 2400), worksFrom("2025-03-01", HALF, 2400)],
    adjustments: [{ ...on("2025-02-03", 1000), expiresOn: day("2025-12-01") }, on("2025-06-02", 600)],
    requests: [leave("approved", 500, "2025-04-07")],
  });
  expect(
    ["2025-03-01", "2025-04-08", "2025-11-30", "2025-12-01"].map((date) => closing(facts, date)),
  ).toEqual([500, 0, 600, 600]);
});

describe("an import", () => {
  const file = (row: string) => ({
    "workers.csv": workersCsv("E1"),
    "policies.csv":
      "legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod\nV,V,yes,day,V,yearly,9600\n",
    "adjustments.csv": `legacyId,workerId,policyId,date,minutes,expiresOn\n${row}\n`,
  });

  test("stores the day, and an export has it", async () => {
    const company = await TestCompany.open();
    await company.import(file("A,E1,V,2025-03-03,360,2025-09-03"));
    expect((await company.stored()).adjustments).toMatchObject([
      { minutes: 360, expiresDay: dayOfText("2025-09-03") },
    ]);
  });

  test.each([
    [
      "A,E1,V,2025-03-03,360,2025-03-03",
      'adjustments.csv:2: expiresOn: "2025-03-03" is not after date "2025-03-03"',
    ],
    [
      "A,E1,V,2025-03-03,-1,2025-04-03",
      'adjustments.csv:2: expiresOn: "2025-04-03" has no meaning unless minutes are added: leave it empty (minutes "-1")',
    ],
  ])("%s is refused", async (row, mistake) => {
    const company = await TestCompany.open();
    expect((await company.refused(file(row)))[0]).toStartWith(mistake.slice(0, 60));
  });
});

test("a subtraction on the same day uses it, in whatever order the two are given", () => {
  const lieu = { ...on("2025-03-03", 360), expiresOn: day("2025-09-03") };
  const paidOut = on("2025-03-03", -300);
  for (const adjustments of [
    [lieu, paidOut],
    [paidOut, lieu],
  ]) {
    const facts = factsOf({ policy: yearly(9600), assigned: "2025-01-01", adjustments });
    expect(["2025-09-02", "2025-09-03"].map((date) => closing(facts, date))).toEqual([9660, 9600]);
  }
});
