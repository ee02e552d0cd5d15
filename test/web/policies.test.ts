import { expect, test } from "bun:test";
import { type Policy, Rollcall } from "../../src/client/index.ts";
import { RULES, UNITS } from "../../src/resources/policies.ts";
import { peopleCount } from "../../src/web/data/format.ts";
import { grantText, ruleTexts } from "../../src/web/policies/rules.ts";
import { TODAY } from "./demo-server.ts";
import { addCompany, FILES } from "./five.ts";
import { downloadedRows, useWeb } from "./visit.ts";

/** Without the spaces that keep an amount on one line. */
const plain = (text: string) => text.replaceAll("\u00a0", " ");

const web = useWeb({ workers: 60 });

test("every policy is described in plain words and leads to the people who have it", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const policies = await rollcall.policies.list().toArray();
  const monthly = policies.find(({ schedule }) => schedule === "monthly")!;
  const here = (await rollcall.workers.list().toArray()).filter(
    ({ startDate, endDate }) => startDate <= TODAY && (endDate === null || endDate >= TODAY),
  );
  const holdersOf = async (id: string) => {
    const assignments = await rollcall.assignments.list({ policyIds: [id] }).toArray();
    const holding = assignments.filter(({ assignedAt }) => assignedAt.slice(0, 10) <= TODAY);
    return here.filter((worker) => holding.some(({ workerId }) => workerId === worker.id)).length;
  };
  const holders = await holdersOf(monthly.id);
  await web.visit("/policies", async (page) => {
    await page.getByRole("heading", { level: 2 }).first().waitFor();
    expect(await page.getByRole("heading", { level: 2 }).count()).toBe(policies.length);
    await page.getByText("Unlimited: there is no set amount.").first().waitFor();
    const withRules = policies.find(({ rules }) => "carryoverLimitMinutes" in rules)!;
    const card = page.locator(".panel", {
      has: page.getByRole("link", { name: withRules.name, exact: true }),
    });
    expect(await card.locator(".rules li").allTextContents()).toEqual(ruleTexts(withRules));
    const count = peopleCount(await holdersOf(withRules.id));
    await card.getByRole("link", { name: count, exact: true }).waitFor();

    await page.getByRole("link", { name: monthly.name, exact: true }).click();
    await page.getByText(/ a month, .*: .* a year\./).waitFor();
    await page.getByText(peopleCount(holders)).waitFor();
    expect(page.url()).toBe(`${web.server.address}/policies/${monthly.id}`);
  });
});

test("who has a policy are those who have it today: not who left, has not begun, or has another one now", async () => {
  const key = await addCompany(web.server, "having", {
    ...FILES,
    "workers.csv": `
    id,legacyId,firstName,lastName,email,startDate,endDate,status,type,isBusiness
    wrk_ann,1,Ann,Here,ann@home.example,2026-01-01,,active,employee,no
    wrk_ben,2,Ben,Left,ben@home.example,2026-01-01,2026-11-20,inactive,employee,no
    wrk_cay,3,Cay,Coming,cay@home.example,2026-12-01,,onboarding,employee,no
    wrk_dan,4,Dan,Moved,dan@home.example,2026-01-01,,active,employee,no
    wrk_eli,5,Eli,Later,eli@home.example,2026-01-01,,active,employee,no
    wrk_fay,6,Fay,Leaving,fay@home.example,2026-01-01,2026-11-21,offboarding,employee,no`,
    "assignments.csv": `
    workerId,policyId,startsOn,endsOn
    1,top_annual,2026-01-01,
    2,top_annual,2026-01-01,
    3,top_annual,2026-12-01,
    4,top_annual,2026-01-01,2026-06-30
    5,top_annual,2027-01-01,
    6,top_annual,2026-11-21,`,
    "requests.csv": FILES["requests.csv"].trim().split("\n")[0]!,
  });
  await web.visit(
    "/policies",
    async (page) => {
      await page.getByRole("link", { name: "2 people", exact: true }).click();
      await page.getByRole("status").getByText("2 people", { exact: true }).waitFor();
      const names = page.locator(".data-table tbody tr a, table tbody tr a");
      expect((await names.allTextContents()).toSorted()).toEqual(["Ann Here", "Fay Leaving"]);
    },
    { key },
  );
});

test("the policies can be downloaded as CSV", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const policies = await rollcall.policies.list().toArray();
  await web.visit("/policies", async (page) => {
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByText("/v1/time_off/policies").waitFor();
    const rows = await downloadedRows(page);
    expect(rows.map(({ Policy }) => Policy!).toSorted()).toEqual(policies.map(({ name }) => name).toSorted());
    expect(rows.every(({ Grants, Pay }) => Grants !== "" && Pay !== "")).toBe(true);
  });
});

test("a change on a date is said in words", () => {
  const policy: Policy = {
    ...{ id: "top_1", name: "Leave", description: null, paid: true, unit: "day", schedule: "yearly" },
    ...{ minutesPerPeriod: 9600, minutesPerChunk: null, hoursWorkedPerChunk: null, isUnlimited: false },
    ...{
      timeOffTypeId: "tot_1",
      timeOffTypeName: "Vacation",
      legacyId: null,
      isAbsence: true,
      isPaidOut: true,
    },
    rules: { carryoverLimitMinutes: 2400 },
    changes: [
      { from: "2027-01-01", minutesPerPeriod: 12_000, rules: { balanceCapMinutes: 24_000 } },
      { from: "2028-01-01", minutesPerPeriod: null, rules: { carryoverLimitMinutes: "none" } },
    ],
  };
  expect(ruleTexts(policy).map(plain)).toEqual([
    "It carries over at most 5 days.",
    "From 1 Jan 2027 on: 25 days a year, credited at the year’s start. It grants nothing above a balance of 50 days.",
    "From 1 Jan 2028 on: No longer: It carries over at most 5 days.",
  ]);
});

test("a policy has a link of its own", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const [policy] = (await rollcall.policies.list().page()).data;
  await web.visit(`/policies/${policy!.id}`, async (page) => {
    await page.getByRole("heading", { level: 1, name: policy!.name }).waitFor();
  });
});

/** A value of each rule that is not its default. */
const VALUES = {
  accrualTiming: "end",
  periodAnchor: "anniversary",
  prorate: false,
  waitingPeriodDays: 90,
  carryoverLimitMinutes: 2400,
  balanceCapMinutes: 9600,
  prorateBy: "halfMonths",
  instalments: "quarterly",
  instalmentsFrom: "2026-01-05",
  yearStartsOn: "04-01",
  tiers: "60:10560; 18:10080",
  tierFrom: "sameYear",
  roundGrantsToMinutes: 240,
  roundGrants: "up",
  yearlyAccrualCapMinutes: 12000,
  carryoverExpiresAfterMonths: 3,
  carryoverExpiresAfterDays: 100,
  carryoverKeepsMinutes: 480,
  carryoverOn: "03-31",
  grantsExpireAfterMonths: 12,
  balanceCapTiers: "60:14400",
  carryoverLimitTiers: "60:4800",
  useCapMinutes: 7200,
  roundSumToMinutes: 240,
  roundSum: "halfUpKeep",
  roundSumOn: "yearEnd",
  firstYearWholeAfterMonths: 6,
  firstYearGrants: "monthly",
  serviceCounts: "assigned",
  payPeriods: "biweekly",
  payPeriodsFrom: "2026-01-05",
  scaleWith: "share",
  revalue: "remaining",
  whenItEnds: "forfeit",
} as const satisfies Record<(typeof RULES)[number], string | number | boolean>;

/** What a rule is about: how something is rounded says nothing alone. */
const WITH: Readonly<Record<string, string>> = {
  roundGrants: "roundGrantsToMinutes",
  roundSum: "roundSumToMinutes",
  roundSumOn: "roundSumToMinutes",
};

test("every rule is in the words of its policy, in amounts of the policy's unit", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const [policy] = (await rollcall.policies.list().page()).data;
  const base = { ...policy!, schedule: "yearly", minutesPerPeriod: 9600, unit: "day" } as const;
  const words = (rules: typeof base.rules) =>
    plain([grantText({ ...base, rules }), ...ruleTexts({ ...base, rules })].join(" "));
  for (const rule of RULES) {
    const about = WITH[rule] === undefined ? {} : { [WITH[rule]]: 240 };
    const said = words({ ...about, [rule]: VALUES[rule] });
    expect(said, rule).not.toBe(words(about));
    expect(said, rule).not.toMatch(/undefined|NaN|null/);
  }
  const { carryoverLimitMinutes, carryoverExpiresAfterMonths, tiers } = VALUES;
  expect(words({ carryoverLimitMinutes, carryoverExpiresAfterMonths, tiers })).toBe(
    "20 days a year, credited at the year’s start. It carries over at most 5 days. What was carried over expires after 3 months: the last day is " +
      "31 March. It grows: 22 days after 5 years of service, 21 days after 18 months of service.",
  );
  expect(words({ carryoverLimitMinutes: 0, yearStartsOn: "04-01", carryoverExpiresAfterMonths })).toContain(
    "the last day is 30 June",
  );
  for (const unit of UNITS)
    expect(plain(grantText({ ...base, unit, rules: {} }))).toBe(
      unit === "day"
        ? "20 days a year, credited at the year’s start."
        : "160 h a year, credited at the year’s start.",
    );
});
