import { expect, test } from "bun:test";
import { Rollcall } from "../../src/client/index.ts";
import { peopleCount } from "../../src/web/data/format.ts";
import { ruleTexts } from "../../src/web/policies/rules.ts";
import { TODAY } from "./demo-server.ts";
import { addCompany, FILES } from "./five.ts";
import { downloadedRows, useWeb } from "./visit.ts";

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

test("a policy has a link of its own", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const [policy] = (await rollcall.policies.list().page()).data;
  await web.visit(`/policies/${policy!.id}`, async (page) => {
    await page.getByRole("heading", { level: 1, name: policy!.name }).waitFor();
  });
});
