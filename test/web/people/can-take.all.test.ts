// What can be taken is what the preview says: under a cap on the balance, with pending leave, and before time unlocks.
import { expect, test } from "bun:test";
import { Rollcall } from "../../../src/client/index.ts";
import { dayOfText, formatDay } from "../../../src/time/day.ts";
import { amount, plainText } from "../../../src/web/data/format.ts";
import { addCompany } from "../five.ts";
import { useWeb } from "../visit.ts";

const web = useWeb({ workers: 10 });

const FILES = {
  "workers.csv": `
    id,legacyId,firstName,lastName,email,startDate,status,type,isBusiness
    wrk_ana,1,Ana,Sol,ana@home.example,2025-01-01,active,employee,no
    wrk_new,2,Nia,Ode,nia@home.example,2026-10-01,active,employee,no`,
  "policies.csv": `
    id,name,paid,unit,schedule,minutesPerPeriod,timeOffTypeId,timeOffTypeName,balanceCapMinutes,waitingPeriodDays
    top_capped,Capped,yes,hour,monthly,960,tot_vacation,Vacation,7200,
    top_waits,Waiting,yes,day,yearly,9600,tot_vacation,Vacation,,90`,
  "assignments.csv": `
    workerId,policyId,startsOn
    1,top_capped,2025-01-01
    2,top_waits,2026-10-01`,
  "requests.csv": `
    id,workerId,timeOffPolicyId,status,startAt,endAt,requestedMinutes,createdAt
    tor_used,1,top_capped,approved,2026-03-02T00:00:00Z,2026-03-07T00:00:00Z,2400,2026-01-05T08:00:00Z
    tor_booked,1,top_capped,approved,2027-02-01T00:00:00Z,2027-02-06T00:00:00Z,2400,2026-02-05T08:00:00Z
    tor_asked,1,top_capped,pending,2026-11-30T00:00:00Z,2026-12-05T00:00:00Z,2400,2026-11-05T08:00:00Z
    tor_later,1,top_capped,pending,2027-08-02T00:00:00Z,2027-08-07T00:00:00Z,2400,2026-11-05T08:00:00Z`,
};

const plain = (text: string | null) => text!.replaceAll(/\s+/g, " ").trim();

test.each([
  ["wrk_ana", "top_capped", "hour"],
  ["wrk_new", "top_waits", "day"],
] as const)(
  "%s: the day that is moved and the table say what the preview says",
  async (workerId, policyId, unit) => {
    const key = await addCompany(web.server, `outlook-${workerId}`, FILES);
    const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: key });
    const mostOn = async (startAt: string) => {
      const { mostMinutes } = await rollcall.preview({ workerId, policyId, startAt, minutes: 60 });
      return plain(amount(mostMinutes!, unit));
    };
    await web.visit(
      `/people/${workerId}`,
      async (page) => {
        const figure = page.locator("figure.line");
        const slider = figure.getByRole("slider");
        const days = { from: "2026-11-22", to: "2027-11-21" };
        const losses = await rollcall.expirations.list({ workerIds: [workerId], ...days }).toArray();
        await figure.locator(".can-take").waitFor();
        const card = page.locator(".balance").filter({ has: figure });
        expect(await card.getByText("Nothing expires in the next twelve months.").count()).toBe(
          losses.some(({ cause }) => cause !== "balanceCap") ? 0 : 1,
        );
        for (const day of [
          "2026-11-21",
          "2026-12-24",
          "2026-12-29",
          "2026-12-31",
          "2027-01-31",
          "2027-06-01",
        ]) {
          await slider.fill(String(dayOfText(day)));
          await figure.locator(".can-take:not([aria-busy=true])").waitFor();
          // The sentence is announced: the field says no amount a second time.
          expect(await slider.getAttribute("aria-valuetext")).toBe(plainText(day));
          expect([day, plain(await figure.locator(".can-take strong").textContent())]).toEqual([
            day,
            await mostOn(day),
          ]);
        }
        await figure.locator("summary").click();
        await figure.locator("thead th").nth(3).waitFor();
        await page.waitForFunction(
          () => !document.querySelector("figure.line tbody")!.textContent!.includes("…"),
        );
        const rows = await figure.locator("tbody tr").all();
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows.slice(-6)) {
          const [day, , , most] = await row.locator("th, td").allTextContents();
          const date = formatDay(dayOfText(new Date(`${day} UTC`).toISOString()));
          expect([date, plain(most!)]).toEqual([date, date < "2026-11-21" ? "" : await mostOn(date)]);
        }
        expect(plain(await figure.locator("tbody").textContent())).not.toContain("Granted 0 h");
        // The bill ends with the card's number, and the one of the next year with what the API says of its last day.
        const lines = card.locator(".bill > li > button");
        await lines.first().waitFor();
        const headline = plain(await card.locator(".balance-now strong").textContent());
        expect(plain(await lines.last().locator(".figure").textContent())).toBe(headline);
        const text = plain(await card.textContent());
        for (const pending of await lines.filter({ hasText: "Pending" }).allTextContents())
          expect(text).toContain(
            `Pending requests of ${plain(pending).replace("Pending− ", "")} are already`,
          );
        await page.getByRole("button", { name: "Next leave year" }).click();
        await card.getByText(/ left$/).waitFor();
        const endDate = "2027-12-31";
        const [then] = await rollcall.balances
          .list({ workerIds: [workerId], policyIds: [policyId], endDate })
          .toArray();
        expect([endDate, plain(await card.locator(".bill-left .figure").textContent())]).toEqual([
          endDate,
          plain(amount(then!.available + then!.accruedLocked, unit)),
        ]);
      },
      { key },
    );
  },
);

test("a year of balances counts nothing as expired that a limit keeps from being granted", async () => {
  const key = await addCompany(web.server, "outlook-year", FILES);
  const client = new Rollcall({ baseUrl: web.server.address, apiKey: key });
  const losses = await client.expirations.list({ from: "2026-11-01", to: "2027-10-31" }).toArray();
  expect(new Set(losses.map(({ cause }) => cause))).toEqual(new Set(["balanceCap"]));
  await web.visit(
    "/balances?show=year&on=2026-11-01",
    async (page) => {
      const row = page.locator("tbody tr").filter({ hasText: "Will expire" });
      await row.waitFor();
      expect(new Set(await row.locator(".figure").allTextContents())).toEqual(new Set(["0"]));
    },
    { key },
  );
});

// docs/balances.md, Opening balances: an opening is of the day before the assignment at the earliest.
test("the bill of the first leave year has what was there on the day before it", async () => {
  const policies = ["top_opened", "top_adjusted"];
  const key = await addCompany(web.server, "day-before", {
    "workers.csv": `
      id,firstName,lastName,email,startDate,status,type,isBusiness
      wrk_ben,Ben,Ode,ben@home.example,2020-01-01,active,employee,no`,
    "policies.csv": `
      id,name,paid,unit,schedule,minutesPerPeriod,timeOffTypeId,timeOffTypeName
      top_opened,Opened,yes,day,yearly,9600,tot_vacation,Vacation
      top_adjusted,Adjusted,yes,day,yearly,9600,tot_vacation,Vacation`,
    "assignments.csv": `
      workerId,policyId,startsOn
      wrk_ben,top_opened,2026-01-01
      wrk_ben,top_adjusted,2026-01-01`,
    "openings.csv": `
      workerId,policyId,date,minutes
      wrk_ben,top_opened,2025-12-31,1440`,
    "adjustments.csv": `
      workerId,policyId,date,minutes
      wrk_ben,top_adjusted,2025-12-31,960`,
  });
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: key });
  await web.visit(
    "/people/wrk_ben",
    async (page) => {
      for (const policyId of policies) {
        const [balance] = await rollcall.balances
          .list({ policyIds: [policyId], endDate: "2026-12-31" })
          .toArray();
        const card = page.locator(".balance").filter({ has: page.locator(`a[href$="/${policyId}"]`) });
        const left = plain(await card.locator(".bill-left .figure").textContent());
        expect([policyId, left]).toEqual([policyId, plain(amount(balance!.accruedUnlocked, "day"))]);
      }
    },
    { key },
  );
});
