// The rules of balances in files: what is refused and why, what a default changes, and what an export gives back.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { exportCompany } from "../../src/import/export.ts";
import { FindingsRefused } from "../../src/import/load/findings.ts";
import { DAY_MS, dayOfText } from "../../src/time/day.ts";
import { POLICIES_CSV, SMALL, TestCompany, temporaryFolder, workersCsv } from "../support/import-files.ts";

const BASE = {
  name: "Leave",
  paid: "yes",
  unit: "day",
  timeOffTypeName: "Vacation",
  schedule: "yearly",
  minutesPerPeriod: "9600",
};
const HOURS = {
  schedule: "per_hour_worked",
  minutesPerPeriod: "",
  minutesPerChunk: "60",
  hoursWorkedPerChunk: "30",
};
const UNLIMITED = { schedule: "unlimited", minutesPerPeriod: "" };

function csv(...rows: Readonly<Record<string, string>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (row: Readonly<Record<string, string>>) =>
    columns.map((column) => `"${row[column] ?? ""}"`).join(",");
  return [columns.join(","), ...rows.map(line)].join("\n");
}

const policy = (rules: Readonly<Record<string, string>>) => ({
  "policies.csv": csv({ legacyId: "P", ...BASE, ...rules }),
});

async function refusal(files: Record<string, string>): Promise<readonly string[]> {
  const company = await TestCompany.open();
  const findings = await company.refused(files);
  return findings.map((finding) => finding.replace(/^[a-z]+\.csv:\d+: /, ""));
}

async function termsOf(rules: Readonly<Record<string, string>>): Promise<string> {
  const company = await TestCompany.open();
  await company.import(policy(rules));
  return (await company.stored()).policies[0]!.terms;
}

describe("a policy", () => {
  test.each<[string, Record<string, string>, string]>([
    [
      "tiers of the same day by hours worked",
      { ...HOURS, tiers: "60:800", tierFrom: "sameDay" },
      'tierFrom: "sameDay" has no meaning under the schedule per_hour_worked',
    ],
    [
      "months of service by month",
      { schedule: "monthly", prorateBy: "serviceMonths" },
      "serviceMonths has no meaning under the schedule monthly",
    ],
    [
      "a day that not every month has",
      { prorateBy: "startsBy:31" },
      'prorateBy: "startsBy:31" is not one of',
    ],
    [
      "weeks without shares",
      { schedule: "yearly", revalue: "weeks" },
      "has no meaning without scaleWith share",
    ],
    [
      "weeks with a tier of the same day",
      { schedule: "yearly", scaleWith: "share", revalue: "weeks", tiers: "60:800", tierFrom: "sameDay" },
      "weeks contradicts tierFrom",
    ],
    [
      "weeks with a first year",
      { schedule: "yearly", scaleWith: "share", revalue: "weeks", firstYearWholeAfterMonths: "6" },
      "weeks contradicts firstYearWholeAfterMonths",
    ],
    [
      "weeks with a rounded sum of the year",
      { schedule: "yearly", scaleWith: "share", revalue: "weeks", roundSumToMinutes: "480" },
      "weeks contradicts roundSumToMinutes",
    ],
    [
      "a first year by month without one",
      { schedule: "yearly", firstYearGrants: "monthly" },
      "has no meaning without firstYearWholeAfterMonths",
    ],
    [
      "a first year by month that is granted when it is over",
      {
        schedule: "yearly",
        firstYearWholeAfterMonths: "6",
        firstYearGrants: "monthly",
        accrualTiming: "end",
      },
      "monthly contradicts accrualTiming end: it needs start",
    ],
    [
      "instalments by month",
      { schedule: "monthly", instalments: "quarterly" },
      'instalments: "quarterly" has no meaning under the schedule monthly',
    ],
    [
      "a cap without limit",
      { ...UNLIMITED, yearlyAccrualCapMinutes: "60" },
      "has no meaning under the schedule unlimited",
    ],
    ["weeks that begin nowhere", { instalments: "biweekly" }, "instalmentsFrom: is missing"],
    [
      "quarters that begin anywhere",
      { instalments: "quarterly", instalmentsFrom: "2024-01-01" },
      "has no meaning with quarterly instalments",
    ],
    [
      "a first day without instalments",
      { instalmentsFrom: "2024-01-01" },
      "has no meaning without weekly or biweekly instalments",
    ],
    [
      "two starts of the year",
      { periodAnchor: "anniversary", yearStartsOn: "04-01" },
      "contradicts periodAnchor anniversary",
    ],
    ["29 February", { yearStartsOn: "02-29" }, "is not in every year"],
    ["a day that no month has", { yearStartsOn: "04-31" }, "is not a day of the year"],
    [
      "twelfths of instalments",
      { instalments: "quarterly", prorateBy: "fullMonths" },
      "has no meaning with instalments",
    ],
    [
      "twelfths of the whole",
      { prorate: "no", prorateBy: "monthsStarted" },
      "has no meaning without prorate",
    ],
    [
      "a tier by days and by months",
      { tiers: "12:800", tierFrom: "sameDay", prorateBy: "fullMonths" },
      "contradicts prorateBy fullMonths",
    ],
    [
      "a tier of the same day in a first year of twelfths",
      { tiers: "12:800", tierFrom: "sameDay", firstYearWholeAfterMonths: "6" },
      "contradicts firstYearWholeAfterMonths: a tier on the same day",
    ],
    [
      "single grants that are revalued",
      { scaleWith: "share", revalue: "remaining", grantsExpireAfterMonths: "24" },
      "single grants are never revalued",
    ],
    ["a wait of more than a life", { waitingPeriodDays: "36601" }, "is more than a hundred years"],
    ["a tier that is not there", { tierFrom: "sameDay" }, "has no meaning without tiers"],
    ["rounding to nothing", { roundGrants: "up" }, "has no meaning without roundGrantsToMinutes"],
    ["rounding to 0", { roundGrantsToMinutes: "0" }, "is 0: write a number above 0"],
    [
      "two expiries",
      { carryoverExpiresAfterMonths: "3", carryoverExpiresAfterDays: "90" },
      "contradicts carryoverExpiresAfterMonths",
    ],
    ["an expiry too late", { carryoverExpiresAfterMonths: "61" }, "is not between 1 and 60"],
    ["an expiry at once", { carryoverExpiresAfterDays: "0" }, "is not between 1 and 1826"],
    ["grants for ever", { grantsExpireAfterMonths: "121" }, "is not between 1 and 120"],
    [
      "grants and carried time that expire",
      { grantsExpireAfterMonths: "24", carryoverExpiresAfterDays: "90" },
      "contradicts the expiry of carried time",
    ],
    ["what is kept of nothing", { carryoverKeepsMinutes: "60" }, "carried time never expires"],
    ["a day to carry nothing over", { carryoverOn: "04-01" }, "without a carry-over limit or expiry"],
    [
      "two roundings",
      { roundGrantsToMinutes: "60", roundSumToMinutes: "60" },
      "contradicts roundGrantsToMinutes",
    ],
    ["a sum rounded to nothing", { roundSum: "up" }, "has no meaning without roundSumToMinutes"],
    ["a whole first year of a year", { firstYearWholeAfterMonths: "12" }, "is not between 1 and 11"],
    [
      "a first year of instalments",
      { firstYearWholeAfterMonths: "6", instalments: "quarterly" },
      "has no meaning with instalments",
    ],
    [
      "a year of months",
      { schedule: "monthly", tiers: "12:800", tierFrom: "sameYear" },
      "needs the schedule yearly",
    ],
    ["service that nothing counts", { serviceCounts: "assigned" }, "if nothing depends on service"],
    ["what is revalued by nothing", { revalue: "remaining" }, "has no meaning without scaleWith share"],
    ["pay periods of months", { payPeriods: "monthly" }, "has no meaning under the schedule yearly"],
    [
      "fortnights that begin nowhere",
      { ...HOURS, payPeriods: "biweekly" },
      "payPeriodsFrom: is missing: biweekly pay periods",
    ],
    ["hours rounded one by one", { ...HOURS, roundGrantsToMinutes: "60" }, "needs payPeriods"],
    ["half a month", { carryoverExpiresAfterMonths: "1.5" }, "is not a whole number"],
    ["months twice", { tiers: "12:800;12:900" }, "names 12 months twice"],
    ["no months", { tiers: "0:800" }, "has a tier of 0 months"],
    ["half a tier", { tiers: "12:800;60" }, '"60" is not a tier'],
    ["a tier of years", { tiers: "1.5:800" }, '"1.5:800" is not a tier'],
    ["minutes below 0", { tiers: "12:-800" }, "is below 0"],
    ["a limit below 0", { yearlyAccrualCapMinutes: "-1" }, "is below 0"],
  ])("is refused with %s", async (_, rules, message) => {
    const findings = await refusal(policy(rules));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(message);
  });

  test("is the same whether its defaults are written or left out", async () => {
    const defaults = {
      accrualTiming: "start",
      periodAnchor: "calendar",
      prorate: "yes",
      prorateBy: "days",
      waitingPeriodDays: "0",
      yearStartsOn: "01-01",
      tierFrom: "nextPeriod",
      roundGrants: "nearest",
    };
    const terms = await termsOf({});
    expect(await termsOf(defaults)).toBe(terms);
    // What earlier versions stored: the next import of the same files changes nothing.
    expect(JSON.parse(terms)).toEqual({
      schedule: "yearly",
      minutesPerPeriod: 9600,
      minutesPerChunk: null,
      hoursWorkedPerChunk: null,
      isUnlimited: false,
      rules: {
        accrualTiming: "start",
        periodAnchor: "calendar",
        prorate: true,
        waitingPeriodDays: 0,
        carryoverLimitMinutes: null,
        balanceCapMinutes: null,
      },
    });
  });
});

const ASSIGNMENT = { workerId: "E1", policyId: "PTO", assignedAt: "2024-01-01T00:00:00Z" };

const assigned = (...rows: Record<string, string>[]) => ({
  "workers.csv": workersCsv("E1", "E2"),
  "policies.csv": POLICIES_CSV,
  "assignments.csv": csv(...rows.map((row) => ({ ...ASSIGNMENT, ...row }))),
});

describe("an assignment", () => {
  test.each<[string, Record<string, string>, string]>([
    ["no day", { assignedAt: "" }, "assignedAt: is missing: give it, or startsOn"],
    [
      "an end before startsOn",
      { startsOn: "2024-05-01", endsOn: "2024-04-30" },
      'is before startsOn ("2024-05-01")',
    ],
    [
      "pauses that overlap",
      { pauses: "2024-03-11/2024-05-20; 2024-05-20/2024-06-01" },
      "has days that overlap: 2024-05-20 is in two spans",
    ],
    ["a pause that ends before it begins", { pauses: "2024-03-11/2024-03-10" }, "ends before it begins"],
    ["a rate without percent", { rates: "2026-03-01:80" }, '"2026-03-01:80" is not a day and a percentage'],
    ["a rate of ten times", { rates: "2026-03-01:1001%" }, "is more than 1000%"],
    ["a day with two rates", { rates: "2026-03-01:80%;2026-03-01:90%" }, "names 2026-03-01 twice"],
    ["own grants for ever", { grantsExpireAfterMonths: "0" }, "is not between 1 and 120"],
    ["minutes kept that do not expire", { carryoverKeepsMinutes: "60" }, "without an expiry of carried time"],
    ["a pause of one day", { pauses: "2024-03-11" }, "is not two days with / between them"],
    ["a pause that is no day", { pauses: "2024-03-11/2024-02-30" }, '"2024-02-30" is not a date'],
  ])("is refused with %s", async (_, row, message) => {
    const findings = await refusal(assigned(row));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(message);
  });

  test("is refused with an amount of its own where the policy has none", async () => {
    const policies = csv({ legacyId: "PTO", ...BASE, ...HOURS }, { legacyId: "OPEN", ...BASE, ...UNLIMITED });
    const rows = csv(
      { ...ASSIGNMENT, minutesPerPeriod: "7200" },
      { ...ASSIGNMENT, policyId: "OPEN", minutesPerPeriod: "7200" },
    );
    const files = { "workers.csv": workersCsv("E1"), "policies.csv": policies, "assignments.csv": rows };
    expect(await refusal(files)).toEqual([
      'minutesPerPeriod: "7200" has no meaning under a policy with the schedule per_hour_worked: leave it empty',
      'minutesPerPeriod: "7200" has no meaning under a policy with the schedule unlimited: leave it empty',
    ]);
  });

  test("begins on startsOn, and is shown at that day's midnight UTC where it has no assignedAt", async () => {
    const company = await TestCompany.open();
    await company.import(assigned({ assignedAt: "", startsOn: "2024-03-01" }));
    const [row] = (await company.stored()).assignments;
    expect(row).toMatchObject({
      assignedDay: dayOfText("2024-03-01"),
      terms: `{"startsOn":${dayOfText("2024-03-01")}}`,
    });
    expect(JSON.parse(row!.doc).assignedAt).toBe("2024-03-01T00:00:00.000Z");
  });

  test("begins on the day of an assignedAt with a fraction finer than a millisecond, as .NET writes the end of a day", async () => {
    const company = await TestCompany.open();
    await company.import(assigned({ assignedAt: "2024-03-01T23:59:59.9999999Z" }));
    const [row] = (await company.stored()).assignments;
    expect(row!.assignedDay).toBe(dayOfText("2024-03-01"));
  });

  test("keeps its assignedAt beside startsOn", async () => {
    const company = await TestCompany.open();
    await company.import(assigned({ startsOn: "2024-03-01" }));
    const [row] = (await company.stored()).assignments;
    expect(row!.assignedDay).toBe(dayOfText("2024-03-01"));
    expect(JSON.parse(row!.doc).assignedAt).toBe("2024-01-01T00:00:00.000Z");
  });

  test("that comes twice is pointed to gaps", async () => {
    const [finding] = await refusal(
      assigned({ endsOn: "2024-06-30" }, { assignedAt: "2025-01-01T00:00:00Z" }),
    );
    expect(finding).toContain('workerId: "E1" with policyId "PTO" is already on line 2');
    expect(finding).toContain("write times without employment as gaps");
  });

  test.each([
    ["2024-02-29T23:00:00Z", 1],
    ["2024-03-01T00:00:00Z", 0],
    ["2024-02-29T22:59:00Z", 0],
  ])("at %s, in Berlin, gives %i findings, and none with startsOn", async (assignedAt, count) => {
    const company = await TestCompany.open();
    const codes = async (row: Record<string, string>) =>
      (await company.import(assigned(row))).findings.filter(({ code }) => code === "assignment-day");
    expect(await codes({ assignedAt })).toHaveLength(count);
    expect(await codes({ assignedAt, startsOn: "2024-03-01" })).toEqual([]);
  });
});

const REQUEST = {
  legacyId: "R1",
  createdAt: "2024-01-01T00:00:00Z",
  startAt: "2025-12-22T23:00:00Z",
  endAt: "2025-12-24T23:00:00Z",
  requestedMinutes: "720",
  status: "approved",
  timeOffPolicyId: "PTO",
  workerId: "E1",
};

const requested = (...rows: Record<string, string>[]) => ({
  ...assigned({}),
  "requests.csv": csv(...rows.map((row) => ({ ...REQUEST, ...row }))),
});

describe("a request", () => {
  test.each<[string, string, string]>([
    [
      "a day that it does not touch",
      "2025-12-23:480; 2025-12-26:240",
      "dayMinutes: 2025-12-26 is none of the request's days, which are 2025-12-23 to 2025-12-24 in Europe/Berlin",
    ],
    ["a day twice", "2025-12-23:480; 2025-12-23:240", "names 2025-12-23 twice"],
    ["minutes below 0", "2025-12-23:960; 2025-12-24:-240", "is below 0"],
    ["another sum", "2025-12-23:480; 2025-12-24:240.000001", "does not add up to requestedMinutes"],
    ["no minutes", "2025-12-23", "is not a day and its minutes"],
  ])("is refused with %s", async (_, dayMinutes, message) => {
    const findings = await refusal(requested({ dayMinutes }));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(message);
  });

  test("adds up exactly, where binary fractions would not", async () => {
    const company = await TestCompany.open();
    await company.import(
      requested({ requestedMinutes: "0.3", dayMinutes: "2025-12-24:0.2;2025-12-23:0.1;" }),
    );
    expect((await company.stored()).requests[0]!.terms).toBe(
      `{"dayMinutes":[{"day":${dayOfText("2025-12-23")},"minutes":0.1},{"day":${dayOfText("2025-12-24")},"minutes":0.2}]}`,
    );
  });

  test("keeps the written days when the worker's zone moves it", async () => {
    const company = await TestCompany.open();
    await company.import(requested({ dayMinutes: "2025-12-23:480; 2025-12-24:240" }));
    const { terms } = (await company.stored()).requests[0]!;
    expect(terms).toContain('"minutes":240');
    await company.import({
      "workers.csv": workersCsv("E1", "E2").replaceAll("Europe/Berlin", "America/New_York"),
    });
    const [row] = (await company.stored()).requests;
    expect(row).toMatchObject({
      firstDay: dayOfText("2025-12-22"),
      terms,
    });
  });

  test("that is imported again after the worker has moved is not refused for days written before", async () => {
    const company = await TestCompany.open();
    const written = {
      dayMinutes: "2025-12-23:480; 2025-12-24:240",
      startAt: "2025-12-23T18:00:00Z",
      endAt: "2025-12-24T12:00:00Z",
    };
    await company.import(requested(written));
    const again = {
      ...requested({ ...written, reason: "Skiing" }),
      "workers.csv": workersCsv("E1", "E2").replaceAll("Europe/Berlin", "Asia/Tokyo"),
    };
    await company.import(again);
    const [row] = (await company.stored()).requests;
    expect(row).toMatchObject({ firstDay: dayOfText("2025-12-24"), lastDay: dayOfText("2025-12-24") });
    expect(row!.terms).toContain(`"day":${dayOfText("2025-12-23")},`);
    expect((await company.import(again)).isChanged).toBe(false);
    const others = again["requests.csv"].replace("2025-12-23:480", "2025-12-22:480");
    expect(await company.refused({ ...again, "requests.csv": others })).toEqual([
      "requests.csv:2: dayMinutes: 2025-12-22 is none of the request's days, which is 2025-12-24 in Asia/Tokyo",
    ]);
  });

  test("with days that it touches in another time zone only is reported once, and refused by a strict import", async () => {
    const company = await TestCompany.open();
    const files = requested({ dayMinutes: "2025-12-23:480; 2025-12-25:240" });
    await expect(company.import(files, { isStrict: true })).rejects.toThrow(FindingsRefused);
    const { findings } = await company.import(files);
    expect(findings.find(({ code }) => code === "written-days")).toEqual({
      code: "written-days",
      count: 1,
      message: "1 request has dayMinutes for a day that it touches only in another time zone",
      examples: ["requests.csv:2 (2025-12-25)"],
      advice:
        "they count as written. If they were written for another time zone, give it as the request's timeZone",
    });
    expect((await company.import(files)).findings.map(({ code }) => code)).not.toContain("written-days");
  });
});

describe("work days", () => {
  const worker = (workDays: string) => ({
    "workers.csv": `${workersCsv("E1").split("\n")[0]},workDays\n${workersCsv("E1").split("\n")[1]},"${workDays}"`,
  });

  test.each([
    ["Mon-Fri", 0b0011111, "Mon-Fri"],
    ["Mon,Tue,Thu", 0b0001011, "Mon-Tue,Thu"],
    ["Mon-Wed,Fri", 0b0010111, "Mon-Wed,Fri"],
    ["Sun-Thu", 0b1001111, "Sun-Thu"],
    ["sat, SUN", 0b1100000, "Sat-Sun"],
    ["Mon-Sun", 0b1111111, "Mon-Sun"],
    ["Thu-Wed", 0b1111111, "Mon-Sun"],
    ["Wed", 0b0000100, "Wed"],
  ])("%s", async (written, bits, exported) => {
    const company = await TestCompany.open();
    await company.import(worker(written));
    expect((await company.stored()).workers[0]!.terms).toBe(`{"workDays":${bits}}`);
    const out = join(temporaryFolder(), "export");
    await exportCompany(company.store, "acme", out, false);
    expect(await Bun.file(join(out, "workers.csv")).text()).toContain(exported);
  });

  test.each(["Mon-Fri,Wed", "Mo-Fr", "Mon-Wed-Fri", "Mon,,Tue", "1-5"])("%s is refused", async (written) => {
    const company = await TestCompany.open();
    const [finding] = await company.refused(worker(written));
    expect(finding).toStartWith(`workers.csv:2: workDays: "${written}"`);
  });
});

test("everything that is not on the wire comes back from an export", async () => {
  const [here, there] = [await TestCompany.open(), await TestCompany.open()];
  await here.import({
    ...requested({ dayMinutes: "2025-12-24:240; 2025-12-23:480" }),
    "policies.csv": csv(
      {
        ...{
          legacyId: "PTO",
          ...BASE,
          accrualTiming: "lastDay",
          instalments: "biweekly",
          instalmentsFrom: "2024-01-05",
        },
        ...{ tiers: "120:12000; 60:10800.5", tierFrom: "sameDay", yearStartsOn: "04-06", roundGrants: "up" },
        ...{ roundGrantsToMinutes: "0.5", yearlyAccrualCapMinutes: "0", carryoverExpiresAfterMonths: "11" },
      },
      { legacyId: "SICK", ...BASE, prorateBy: "fullMonths", carryoverExpiresAfterDays: "364" },
      {
        ...{ legacyId: "HOURS", ...BASE, ...HOURS, payPeriods: "fourWeekly", payPeriodsFrom: "2024-01-05" },
        ...{ roundGrantsToMinutes: "60", useCapMinutes: "2400", grantsExpireAfterMonths: "24" },
      },
      {
        ...{ legacyId: "SHARE", ...BASE, scaleWith: "share", revalue: "remaining", tiers: "12:9000" },
        ...{
          tierFrom: "sameYear",
          serviceCounts: "assigned",
          roundSumToMinutes: "480",
          roundSum: "halfUpKeep",
        },
        ...{ roundSumOn: "yearEnd", firstYearWholeAfterMonths: "6", balanceCapTiers: "12:900; 24:1800" },
        ...{ carryoverLimitMinutes: "0", carryoverLimitTiers: "12:900", carryoverOn: "04-01" },
        ...{ carryoverExpiresAfterMonths: "60", carryoverKeepsMinutes: "480" },
      },
    ),
    "assignments.csv": csv(
      {
        ...ASSIGNMENT,
        pauses: "2025-01-01/2025-01-31;2024-03-11/2024-05-20",
        minutesPerPeriod: "7200.25",
        rates: "2026-07-01:100%; 2026-03-01:80.5%",
      },
      {
        ...ASSIGNMENT,
        workerId: "E2",
        startsOn: "2024-01-02",
        serviceFrom: "2019-07-15",
        endsOn: "2030-01-01",
      },
    ),
  });
  const out = join(temporaryFolder(), "export");
  await exportCompany(here.store, "acme", out, false);
  await there.importFolder(out);
  expect(await there.stored()).toEqual(await here.stored());
  expect((await here.importFolder(out)).isChanged).toBe(false);
  const [first, second] = (await there.stored()).assignments;
  const { minutesPerPeriod, pauses } = JSON.parse((first!.terms ?? second!.terms)!);
  expect([minutesPerPeriod, pauses[0].first]).toEqual([7200.25, dayOfText("2024-03-11")]);
});

test("a row of an earlier version is unchanged by an import of the same files", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  expect((await company.import(SMALL)).isChanged).toBe(false);
  const { workers, assignments, requests } = await company.stored();
  for (const { terms } of [...workers, ...assignments, ...requests]) expect(terms).toBeNull();
  expect(assignments[0]!.assignedDay * DAY_MS).toBe(Date.parse(JSON.parse(assignments[0]!.doc).assignedAt));
});

describe("an opening", () => {
  const OPENING = { workerId: "E1", policyId: "PTO", date: "2024-06-30", minutes: "4800" };
  const opened = (opening: Record<string, string>, more: Record<string, string> = {}) => ({
    ...assigned({}),
    ...more,
    "openings.csv": csv({ ...OPENING, ...opening }),
  });

  test.each<[string, Record<string, string>, string]>([
    ["more carried over than there was", { carriedMinutes: "4801" }, "is more than minutes"],
    ["time carried over into a debt", { minutes: "-60", carriedMinutes: "1" }, "is more than minutes"],
    [
      "a day before the assignment",
      { date: "2023-12-30" },
      "is more than a day before the assignment begins on 2024-01-01",
    ],
    ["no such policy", { policyId: "NONE" }, "NONE"],
  ])("is refused with %s", async (_, opening, message) => {
    const [finding, ...others] = await refusal(opened(opening));
    expect(others).toEqual([]);
    expect(finding).toContain(message);
  });

  test("is refused under an unlimited policy", async () => {
    const files = { ...opened({}), "policies.csv": csv({ legacyId: "PTO", ...BASE, ...UNLIMITED }) };
    expect((await refusal(files))[0]).toContain("names an unlimited policy, which has no balance");
  });

  test("comes back from an export as it was, and changes nothing the second time", async () => {
    const company = await TestCompany.open();
    const files = opened({ date: "2023-12-31", carriedMinutes: "60.5", accruedMinutes: "0" });
    await company.import(files);
    expect((await company.stored()).openings).toMatchObject([
      { day: dayOfText("2023-12-31"), minutes: 4800, carriedMinutes: 60.5, accruedMinutes: 0 },
    ]);
    expect((await company.import(files)).isChanged).toBe(false);
  });

  test("tells of leave that it has, of ends that it does not know, and of time that never expires", async () => {
    const company = await TestCompany.open();
    const leave = {
      ...{
        legacyId: "R1",
        workerId: "E1",
        timeOffPolicyId: "PTO",
        status: "approved",
        requestedMinutes: "960",
      },
      ...{
        createdAt: "2024-01-01T00:00:00Z",
        startAt: "2024-06-28T09:00:00Z",
        endAt: "2024-07-02T17:00:00Z",
      },
    };
    const { findings } = await company.import({
      ...opened({ carriedMinutes: "60" }, { "requests.csv": csv(leave) }),
      "assignments.csv": csv({ ...ASSIGNMENT, endsOn: "2024-12-31" }),
      "policies.csv": csv({ legacyId: "PTO", ...BASE }),
    });
    expect(findings.map(({ code }) => code)).toEqual(["opening-leave", "opening-expiry"]);
    const left = await company.import({
      ...opened({}),
      "policies.csv": csv({ legacyId: "PTO", ...BASE }),
      "assignments.csv": csv({ ...ASSIGNMENT, endsOn: "2024-09-30" }),
    });
    // Of 9600 for 2024, 92 of 366 days come after the end.
    expect(left.findings.find(({ code }) => code === "opening-leaver")?.examples[0]).toContain(
      "2413.11 minutes",
    );
  });
});
