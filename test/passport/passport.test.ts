// The data of a leave passport, as a whole: which figures are served, in which order, of which policies, and what is stored.
import { expect, test } from "bun:test";
import { balance } from "../../src/balances/balance.ts";
import { passportOf } from "../../src/passport/passport.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { addMonths, dayOfText, formatDay } from "../../src/time/day.ts";
import { TestCompany } from "../support/import-files.ts";

const TODAY = dayOfText("2026-03-15");
const AMOUNTS = ["accruedLocked", "accruedUnlocked", "available", "holds", "used"] as const;

const company = await TestCompany.open();
await company.import(
  {
    "workers.csv": `
      id,legacyId,firstName,lastName,email,isBusiness,startDate,status,type
      wrk_1,E1,Ana,Lind,ana@acme.example,no,2025-11-10,active,employee`,
    "policies.csv": `
      id,legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod,waitingPeriodDays
      top_b,V,Vacation,yes,day,Vacation,monthly,600,180
      top_a,W,Opened,yes,hour,Opened,yearly,4800,
      top_c,X,Opens later,yes,hour,Opened,yearly,4800,
      top_d,R,Of a request,yes,day,Other,yearly,4800,
      top_e,A,Of an adjustment,yes,day,Other,yearly,4800,
      top_f,N,Of nobody,yes,day,Other,yearly,4800,`,
    "assignments.csv": `
      workerId,policyId,startsOn
      E1,V,2025-10-01
      E1,W,2025-11-10
      E1,X,2025-11-10`,
    "openings.csv": "workerId,policyId,date,minutes\nE1,W,2026-01-15,1000.5\nE1,X,2026-03-16,60\n",
    "requests.csv": `
      id,legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId,reason
      tor_1,R1,2025-12-01T00:00:00Z,2026-02-02T08:00:00Z,2026-02-02T16:00:00Z,240,approved,V,E1,a reason
      tor_2,R2,2025-12-01T00:00:00Z,2026-02-03T08:00:00Z,2026-02-03T16:00:00Z,240,denied,R,E1,`,
    "adjustments.csv":
      "id,legacyId,workerId,policyId,date,minutes,note\nadj_1,A1,E1,V,2026-01-05,30,a gift\nadj_2,A2,E1,A,2026-01-05,30,\n",
  },
  { today: TODAY },
);
const store = openSqliteReadStore(company.path);
const passport = (await passportOf(store.company("acme"), "wrk_1", TODAY))!;
const asOf = (await store.company("acme").about())!.dataAsOfMs!;
await store.close();

/** The last days of months from one to another, and today, from the first day with a balance. */
function daysFrom(first: string): string[] {
  const days = [TODAY];
  for (let month = dayOfText("2023-03-01"); month <= dayOfText("2027-03-01"); month = addMonths(month, 1))
    days.push(month - 1);
  return days
    .filter((day) => day >= dayOfText(first))
    .toSorted((a, b) => a - b)
    .map(formatDay);
}

test("it is of the worker and the company, on a day, with all policies that anything refers to, in order of ids", () => {
  expect(passport).toMatchObject({ format: "rollcall-passport/1", today: TODAY });
  expect(passport.company).toEqual({ id: "acme", name: "Acme", dataAsOf: new Date(asOf).toISOString() });
  expect(passport.worker).toMatchObject({ id: "wrk_1", displayName: "Ana Lind" });
  expect(passport.policies.map(({ id, name }) => [id, name])).toEqual([
    ["top_a", "Opened"],
    ["top_b", "Vacation"],
    ["top_c", "Opens later"],
    ["top_d", "Of a request"],
    ["top_e", "Of an adjustment"],
  ]);
});

test("each balance has figures of the ends of 36 months before and 12 after, and of today, as the engine computes them", () => {
  expect(
    passport.balances.map(({ id, policyId, policyName, openedOn }) => [id, policyId, policyName, openedOn]),
  ).toEqual([
    ["tob_011a", "top_a", "Opened", "2026-01-15"],
    ["tob_011b", "top_b", "Vacation", null],
    ["tob_011c", "top_c", "Opens later", "2026-03-16"],
  ]);
  const firsts = ["2026-01-15", "2025-10-01", "2026-03-16"];
  for (const [at, { served, facts }] of passport.balances.entries()) {
    expect(served.map(({ on }) => on)).toEqual(daysFrom(firsts[at]!));
    for (const { on, ...amounts } of served)
      expect([on, amounts]).toEqual([on, balance(facts, { today: TODAY, endDate: dayOfText(on) })]);
  }
  expect(Object.keys(passport.balances[1]!.served[0]!).toSorted()).toEqual([...AMOUNTS, "on"].toSorted());
  expect(passport.balances[1]!.served.find(({ on }) => on === "2026-03-15")).toEqual({
    ...{ on: "2026-03-15", accruedLocked: 3000 - 180, accruedUnlocked: 30 },
    ...{ available: -210, holds: 0, used: 240 },
  });
});

test("entries say what they are of, and what can be used later; a balance that begins later has none", () => {
  const [opened, vacation, later] = passport.balances.map(({ entries }) => entries);
  expect(later).toEqual([]);
  expect(opened![0]).toEqual({
    ...{ date: "2026-01-15", kind: "opening", minutes: 1000.5, balance: 1000.5 },
    detail: expect.stringContaining("opening"),
  });
  expect(vacation!.map(({ detail: _, ...entry }) => entry)).toEqual([
    { date: "2025-11-10", kind: "accrual", minutes: 420, balance: 420, unlocksOn: "2026-03-30" },
    { date: "2025-12-01", kind: "accrual", minutes: 600, balance: 1020, unlocksOn: "2026-03-30" },
    { date: "2026-01-01", kind: "accrual", minutes: 600, balance: 1620, unlocksOn: "2026-03-30" },
    { date: "2026-01-05", kind: "adjustment", minutes: 30, balance: 1650, sourceId: "adj_1" },
    { date: "2026-02-01", kind: "accrual", minutes: 600, balance: 2250, unlocksOn: "2026-03-30" },
    { date: "2026-02-02", kind: "used", minutes: -240, balance: 2010, sourceId: "tor_1" },
    { date: "2026-03-01", kind: "accrual", minutes: 600, balance: 2610, unlocksOn: "2026-03-30" },
  ]);
});

test("what is stored has a list for each kind, with the values of import files", () => {
  const counts = Object.entries(passport.stored).map(([kind, rows]) => [kind, rows.length]);
  expect(counts).toEqual([
    ["workers", 1],
    ["assignments", 3],
    ["requests", 2],
    ["adjustments", 2],
    ["work_hours", 0],
    ["openings", 2],
    ["schedules", 0],
    ["reported", 0],
  ]);
  expect(passport.stored.requests![0]).toMatchObject({
    ...{ id: "tor_1", legacyId: "R1", startAt: "2026-02-02T08:00:00.000Z", requestedMinutes: 240 },
    ...{ status: "approved", timeOffPolicyId: "top_b", workerId: "wrk_1", reason: "a reason" },
  });
});
