// What can be taken, around the first and the last day and before time unlocks.
import { expect, test } from "bun:test";
import { dayOfText } from "../../../src/time/day.ts";
import { addCompany } from "../five.ts";
import { useWeb } from "../visit.ts";

const web = useWeb({ workers: 10 });

const plain = (text: string | null) => text!.replaceAll(/\s+/g, " ").trim();

test("nothing can be taken after the last day", async () => {
  const key = await addCompany(web.server, "leavers", {
    "workers.csv": `
      id,firstName,lastName,email,startDate,endDate,status,type,isBusiness
      wrk_left,Lea,Ode,lea@home.example,2020-01-01,2026-10-31,inactive,employee,no
      wrk_leaving,Leo,Ode,leo@home.example,2020-01-01,2026-12-10,active,employee,no`,
    "policies.csv": `
      id,name,paid,unit,schedule,minutesPerPeriod,timeOffTypeId,timeOffTypeName,carryoverLimitMinutes
      top_a,Vacation,yes,day,yearly,9600,tot_vacation,Vacation,0`,
    "assignments.csv": `
      workerId,policyId,startsOn
      wrk_left,top_a,2026-01-01
      wrk_leaving,top_a,2026-01-01`,
  });
  const headline = (workerId: string) =>
    web.visit(
      `/people/${workerId}`,
      async (page) => {
        await page.locator(".bill-left").waitFor();
        const sliders = page.getByRole("slider");
        const shown = [plain(await page.locator(".balance-now").textContent()), await sliders.count()];
        if ((await sliders.count()) === 0) return shown;
        await sliders.fill(String(dayOfText("2026-12-11")));
        await page.locator(".can-take:not([aria-busy=true])").waitFor();
        return [...shown, plain(await page.locator(".can-take strong").textContent())];
      },
      { key },
    );
  // 9600 × 304 ÷ 365 and 9600 × 344 ÷ 365 minutes.
  expect(await headline("wrk_left")).toEqual(["16.66 days left", 0]);
  expect(await headline("wrk_leaving")).toEqual([
    "18.85 days can still be taken in this leave year",
    1,
    "0 days",
  ]);
});

test("a card says when locked time can be used, and what the last day is, and nothing of leave that nobody booked", async () => {
  const key = await addCompany(web.server, "ahead", {
    "workers.csv": `
      id,firstName,lastName,email,startDate,endDate,status,type,isBusiness
      wrk_waits,Wil,Ode,wil@home.example,2026-10-01,,active,employee,no
      wrk_gap,Gil,Ode,gil@home.example,2024-01-01,,active,employee,no
      wrk_leaving,Leo,Ode,leo@home.example,2024-01-01,2026-12-31,active,employee,no`,
    "policies.csv": `
      id,name,paid,isPaidOut,unit,schedule,minutesPerPeriod,timeOffTypeId,timeOffTypeName,waitingPeriodDays
      top_waits,Waiting,yes,no,day,monthly,480,tot_vacation,Vacation,180
      top_month,Monthly,yes,no,day,monthly,480,tot_vacation,Vacation,`,
    "assignments.csv": `
      workerId,policyId,startsOn,gaps
      wrk_waits,top_waits,2026-10-01,
      wrk_gap,top_month,2026-01-01,2026-09-01/2027-02-28
      wrk_leaving,top_month,2026-01-01,`,
  });
  const ahead = (workerId: string) =>
    web.visit(
      `/people/${workerId}`,
      async (page) => {
        await page.locator(".bill-left").waitFor();
        return (await page.locator(".balance > p.small").allTextContents()).map(plain);
      },
      { key },
    );
  const nothing = "Nothing expires in the next twelve months.";
  expect(await ahead("wrk_waits")).toEqual([
    `Next: + 1 day (usable from 30 Mar 2027) on 1 Dec 2026. ${nothing}`,
  ]);
  expect(await ahead("wrk_gap")).toEqual([`Next: + 1 day on 1 Mar 2027. ${nothing}`]);
  expect(await ahead("wrk_leaving")).toEqual(["Next: + 1 day on 1 Dec 2026.", "Last day: 31 Dec 2026"]);
});
