// A person's cards and requests: which come first, and what a phone shows of them.
import { beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { Rollcall } from "../../../src/client/index.ts";
import { addCompany } from "../five.ts";
import { useWeb } from "../visit.ts";

const web = useWeb({ workers: 10 });
const FILES = {
  "workers.csv": `
    id,legacyId,firstName,lastName,email,startDate,endDate,status,type,isBusiness
    wrk_kim,1,Kim,Lo,kim@home.example,2026-01-01,,active,employee,no
    wrk_gone,2,Jo,Gone,jo@home.example,2026-01-01,2026-06-30,inactive,employee,no
    wrk_ends,3,Mo,Ends,mo@home.example,2026-01-01,,active,employee,no
    wrk_old,4,Al,Long,al@home.example,2000-11-19,,active,employee,no
    wrk_over,5,Bo,Over,bo@home.example,2026-01-01,,active,employee,no`,
  // By name, the order would be the other way round.
  "policies.csv": `
    id,name,paid,isPaidOut,unit,schedule,minutesPerPeriod,timeOffTypeId,timeOffTypeName,yearStartsOn
    top_sick,Absence when ill,yes,no,day,unlimited,,tot_sick,Sickness,
    top_study,Learning,yes,no,day,yearly,2400,tot_study,Study,
    top_annual,Vacation,yes,yes,day,yearly,9600,tot_vacation,Vacation,
    top_extra,Week for ten years,yes,yes,day,yearly,2400,tot_vacation,Vacation,
    top_autumn,Year from autumn,yes,no,day,yearly,2400,tot_study,Study,11-20`,
  "assignments.csv": `
    workerId,policyId,startsOn
    1,top_sick,2026-01-01
    1,top_study,2026-01-01
    1,top_annual,2026-01-01
    1,top_extra,2026-01-01
    2,top_annual,2026-01-01
    2,top_study,2026-01-01
    3,top_annual,2026-01-01
    4,top_autumn,2000-11-19
    5,top_study,2026-01-01`,
  "adjustments.csv": `
    workerId,policyId,date,minutes
    5,top_study,2026-02-02,480`,
  "requests.csv": `
    id,workerId,timeOffPolicyId,status,startAt,endAt,requestedMinutes,createdAt,reason
    tor_kim,1,top_annual,approved,2026-12-21T00:00:00Z,2026-12-24T00:00:00Z,1440,2026-02-05T08:00:00Z,Visiting my mother in Porto
    tor_next,3,top_annual,approved,2026-11-22T00:00:00Z,2026-11-23T00:00:00Z,480,2026-02-05T08:00:00Z,
    tor_over,5,top_study,approved,2026-03-02T00:00:00Z,2026-03-11T00:00:00Z,3360,2026-01-05T08:00:00Z,
    tor_ill,1,top_sick,pending,2026-11-24T00:00:00Z,2026-11-26T00:00:00Z,960,2026-11-20T08:00:00Z,
    tor_last,3,top_annual,approved,2026-12-31T00:00:00Z,2027-01-01T00:00:00Z,480,2026-02-05T08:00:00Z,`,
};

let key: string;
beforeAll(async () => {
  key = await addCompany(web.server, "cards", FILES);
});

test("what is paid out comes first, and what has no balance last", () =>
  web.visit(
    "/people/wrk_kim",
    async (page) => {
      await page.locator(".balance h3").nth(3).waitFor();
      expect(await page.locator(".balance h3 a").allTextContents()).toEqual([
        "Vacation",
        "Week for ten years",
        "Learning",
        "Absence when ill",
      ]);
      // Each has the letters and the colour of its type of leave, as its requests and the calendar have.
      const swatches = page.locator(".balance h3 .swatch");
      expect(await swatches.allTextContents()).toEqual(["V", "V", "ST", "S"]);
      const colours = (shown: Locator) =>
        shown.evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
      const [vacation, , , sick] = await colours(swatches);
      expect(await colours(page.locator(".requests .swatch"))).toEqual([vacation!, sick!]);
    },
    { key },
  ));

test("the page of somebody who left says what is owed, which is nothing under a policy that is not paid out", () =>
  web.visit(
    "/people/wrk_gone",
    async (page) => {
      await page.locator(".balance-now").nth(1).waitFor();
      const [vacation, study] = await page.locator(".balance").allTextContents();
      const movements = await new Rollcall({ baseUrl: web.server.address, apiKey: key }).movements
        .list({
          from: "2026-11-21",
          to: "2026-11-21",
          groupBy: ["policy", "worker"],
          workerIds: ["wrk_gone"],
        })
        .toArray();
      const { earned } = movements.find(({ policyId }) => policyId === "top_annual")!;
      expect(earned).toBeGreaterThan(0);
      expect(vacation).toContain(`Owed: ${Math.round(earned / 4.8) / 100}\u00a0days`);
      expect(study).toContain("Owed: 0\u00a0days"); // what is left of it is lost
      expect(await page.locator(".balance-now").allTextContents()).toEqual([
        "9.92\u00a0days left",
        "0\u00a0days can still be taken in this leave year",
      ]);
    },
    { key },
  ));

test("leave of tomorrow and of the last day of the leave year is booked", () =>
  web.visit(
    "/people/wrk_ends",
    async (page) => {
      await page.locator(".bill-booked .figure").waitFor();
      expect(await page.locator(".bill-booked .figure").allTextContents()).toEqual(["−\u00a02\u00a0days"]);
      await page.getByText("a day is eight hours").waitFor();
      expect(await page.locator(".balance-now").allTextContents()).toEqual([
        "18\u00a0days can still be taken in this leave year",
      ]);
    },
    { key },
  ));

test("pending leave is in the bill of an unlimited policy, too", () =>
  web.visit(
    "/people/wrk_kim",
    async (page) => {
      const card = page.locator(".balance").filter({ hasText: "Absence when ill" });
      await card.locator(".bill > li").first().waitFor();
      expect(await card.locator(".bill > li > button").allTextContents()).toEqual([
        "Used0\u00a0days",
        "Pending−\u00a02\u00a0days",
      ]);
    },
    { key },
  ));

test("each step is one leave year, to three years ahead and back to the first", () =>
  web.visit(
    "/people/wrk_kim",
    async (page) => {
      const step = async (name: string, year: number) => {
        await page.getByRole("button", { name: `${name} leave year` }).press("Enter"); // does nothing after the last one
        await page.locator(".balance header").first().getByText(`1 Jan – 31 Dec ${year}`).waitFor();
      };
      for (const year of [2027, 2028, 2029, 2029]) await step("Next", year);
      for (const year of [2028, 2027, 2026, 2025, 2025]) await step("Previous", year);
      expect(await page.getByText("Assigned on 1 Jan 2026, after this leave year.").count()).toBe(4);
    },
    { key },
  ));

test("the first leave year is in reach, however long ago it was", () =>
  web.visit(
    "/people/wrk_old?year=-40",
    async (page) => {
      await page.getByText("27 leave years ago").waitFor();
      await page.locator(".bill-left .figure").waitFor();
      expect(await page.locator(".balance header .small").textContent()).toMatch(
        /^20\sNov\s1999\s–\s19\sNov\s2000$/,
      );
    },
    { key },
  ));

test("a bill has a sign where time comes, goes or is missing", () =>
  web.visit(
    "/people/wrk_over",
    async (page) => {
      await page.locator(".bill-left .figure").waitFor();
      const shown = async (selector: string) =>
        (await page.locator(selector).allTextContents()).map((text) => text.replaceAll("\u00a0", " "));
      expect(await shown(".balance-now")).toEqual(["1 day overdrawn"]);
      expect(await shown(".bill > li > button")).toEqual([
        "Entitlement5 days",
        "Carried over0 days",
        "Adjusted+ 1 day",
        "Used− 7 days",
        "Left on 31 Dec 2026− 1 day",
        "Can still be taken0 days",
      ]);
    },
    { key },
  ));

test.each([1280, 390])("at %d px a request says its reason, once and whole", (width) =>
  web.visit(
    "/people/wrk_kim",
    async (page) => {
      const reasons = page.locator(".requests tbody").getByText("Visiting my mother in Porto");
      await page.locator(".requests tbody tr").first().waitFor();
      expect(await reasons.filter({ visible: true }).count()).toBe(1);
      const [box, isCut] = await reasons
        .filter({ visible: true })
        .evaluate((element) => [
          element.getBoundingClientRect().right,
          element.scrollWidth > element.clientWidth + 1,
        ]);
      expect(isCut).toBe(false);
      expect(box).toBeLessThanOrEqual(width);
    },
    { key, viewport: { width, height: 844 } },
  ),
);

test("on paper a card is no grid: Chromium moves one to the next sheet, whole, and leaves the first empty", () =>
  web.visit(
    "/people/wrk_kim",
    async (page) => {
      await page.locator(".bill > li").first().waitFor();
      await page.emulateMedia({ media: "print" });
      const shown = page.locator(".balances, .panel.balance");
      const styles = await shown.evaluateAll((all) => all.map((each) => getComputedStyle(each).display));
      expect(styles).toEqual(["block", "block", "block", "block", "block"]);
    },
    { key },
  ));

test("on paper planned leave is its sentence, without fields and links", () =>
  web.visit(
    "/people/wrk_ends?leave=top_annual&from=2026-12-28&to=2026-12-30",
    async (page) => {
      const planned = page.locator(".planned");
      await planned.getByText(/takes 3\sdays/).waitFor();
      await planned.getByRole("link", { name: "Who is away" }).waitFor();
      await page.emulateMedia({ media: "print" });
      expect((await planned.innerText()).replaceAll(/\s+/g, " ").trim()).toMatch(
        /^28.30 Dec 2026 takes 3 days\. Then 15 days can still be taken\./,
      );
    },
    { key },
  ));

test("on paper a chart of a window with two columns is larger, and a third of a page high at most", async () => {
  const look = async (page: Page) => {
    const chart = page.locator(".line > svg").first();
    await chart.waitFor();
    await page.emulateMedia({ media: "print" });
    const [scale, share] = await chart.evaluate((svg) => [
      (svg as SVGSVGElement).getScreenCTM()!.a,
      svg.clientWidth / svg.parentElement!.clientWidth,
    ]);
    expect(scale).toBeWithin(1.25, 1.6);
    expect(share).toBe(1);
  };
  // A browser that prints does not tell the page how large elements are on paper.
  const before = (page: Page) =>
    page.addInitScript(() => {
      const Told = ResizeObserver;
      window.ResizeObserver = class extends Told {
        constructor(tell: ResizeObserverCallback) {
          super((...sizes) => matchMedia("screen").matches && tell(...sizes));
        }
      };
    });
  const viewport = { width: 1440, height: 900 };
  await web.visit("/people/wrk_kim", look, { key, viewport, before, profile: { viewport } });
});
