// Whose day and whose clock: "today" is the viewer's, absences are in their own zone, and every time that may be mistaken for
// the viewer's has its zone.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { policyRow, requestRow, workerRow } from "../support/rows.ts";
import { addCompany, addKey } from "../support/stores.ts";
import { addCompany as importFiles } from "./five.ts";
import { useWeb } from "./visit.ts";

const web = useWeb({ workers: 60 });

/** The server computes for no fixed day: the page takes the viewer's. */
const withoutFixedDay = (page: Page) =>
  page.route("**/web/config.json", (route) =>
    route.fulfill({ json: { demo: true, today: null, signIn: null } }),
  );

test.each([
  ["Pacific/Auckland", /^Away today, Sun,? 22 Nov/],
  ["America/Los_Angeles", /^Away today, Sat,? 21 Nov/],
])("today is the day in %s, not the one in UTC", (timezoneId, day) =>
  web.visit("/", (page) => page.getByRole("heading", { name: day }).waitFor(), {
    profile: { timezoneId },
    before: async (page) => {
      await withoutFixedDay(page);
      await page.clock.setFixedTime("2026-11-21T23:30:00Z");
    },
  }),
);

test("a page that is left open goes to the new day at midnight", () =>
  web.visit(
    "/",
    async (page) => {
      await page.getByRole("heading", { name: /^Away today, Mon,? 23 Nov/ }).waitFor();
      await page.locator(".timeline").waitFor();
      await page.clock.fastForward("00:20:00");
      await page.getByRole("heading", { name: /^Away today, Tue,? 24 Nov/ }).waitFor();
      expect(await page.locator(".days [aria-current=date]").textContent()).toMatch(/^Tue,? 24 Nov/);
    },
    {
      profile: {},
      before: async (page) => {
        await withoutFixedDay(page);
        await page.clock.install({ time: "2026-11-23T23:50:00Z" });
      },
    },
  ));

/** Opened on the server's today, which is tomorrow in Los Angeles. */
const OPENED = {
  "workers.csv": `
    id,legacyId,firstName,lastName,email,startDate,status,type,isBusiness
    wrk_new,1,Noa,New,noa@home.example,2020-01-01,active,employee,no`,
  "policies.csv": `
    id,name,paid,unit,schedule,minutesPerPeriod,timeOffTypeId,timeOffTypeName
    top_annual,Annual leave,yes,day,yearly,9600,tot_vacation,Vacation
    top_study,Study,yes,day,yearly,2400,tot_study,Study`,
  "assignments.csv": `
    workerId,policyId,startsOn
    1,top_annual,2020-01-01
    1,top_study,2020-01-01`,
  "openings.csv": `
    workerId,policyId,date,minutes
    1,top_annual,2026-11-21,4800`,
};

test("a balance that is opened on the viewer's tomorrow is not shown yet; in the year before, nothing can be tried again", async () => {
  const key = await importFiles(web.server, "opened", OPENED);
  const before = async (page: Page) => {
    await withoutFixedDay(page);
    await page.clock.setFixedTime("2026-11-21T04:00:00Z");
  };
  const evening = async (page: Page) => {
    await page.locator(".balance-now").waitFor();
    expect(await page.locator(".balance h3").allTextContents()).toEqual(["SStudy"]);
    expect(await page.getByRole("alert").count()).toBe(0);
  };
  await web.visit("/people/wrk_new", evening, {
    key,
    before,
    profile: { timezoneId: "America/Los_Angeles" },
  });
  const morning = async (page: Page) => {
    await page.getByRole("alert").getByText("This balance begins later.").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  };
  await web.visit("/people/wrk_new?year=-1", morning, { key, before, profile: {}, expectErrors: true });
});

test("the time of the data has the zone of the viewer's clock", () =>
  web.visit(
    "/people",
    async (page) => {
      const age = page.locator(".data-age time");
      await age.waitFor();
      expect(await age.textContent()).toMatch(/, \d\d:\d\d GMT-[45]$/);
    },
    { profile: { timezoneId: "America/New_York" } },
  ));

async function visitKiri<T>(startAt: string, endAt: string, path: string, look: (page: Page) => Promise<T>) {
  const { writer } = web.server.store;
  const company = `kiri-${startAt.slice(0, 13).toLowerCase()}`;
  await addCompany(writer, company, {
    workers: [workerRow("wrk_kiri", { displayName: "Kiri", timeZone: "Pacific/Auckland" })],
    policies: [policyRow("top_annual")],
    requests: [
      requestRow("tor_kiri", "wrk_kiri", "top_annual", {
        startAt,
        endAt,
        requestedMinutes: 120,
        timeZone: null,
        status: "approved",
      }),
    ],
  });
  return web.visit(path, look, { key: await addKey(writer, company) });
}

test("hours that end a day's work name their zone: nothing else says where they are", () =>
  // 15:00 to 17:30 on 21 November in Auckland
  visitKiri("2026-11-21T02:00:00.000Z", "2026-11-21T04:30:00.000Z", "/", async (page) => {
    const item = page.getByRole("region", { name: /^Away today/ }).getByRole("listitem");
    await item.getByText("15:00–17:30 in Auckland").waitFor();
  }));

test("on the viewer's clock a part of a day may end on another day", () =>
  // 12:00 to 14:00 on 23 November in Auckland
  visitKiri("2026-11-22T23:00:00.000Z", "2026-11-23T01:00:00.000Z", "/", async (page) => {
    await page.locator(".absence").click();
    const card = page.getByRole("dialog");
    await card.getByText(/^Mon,? 23 Nov 2026, 12:00–14:00$/).waitFor();
    await card.getByText(/^Sun,? 22 Nov 2026, 23:00 – Mon,? 23 Nov 2026, 01:00$/).waitFor();
  }));

test("the command beside the calendar gets every request that the calendar shows, whatever its zone", () =>
  // 09:00 to 11:00 on Monday, the first day of the week, in Auckland: Sunday in UTC
  visitKiri("2026-11-15T20:00:00.000Z", "2026-11-15T22:00:00.000Z", "/?day=2026-11-16", async (page) => {
    await page.locator(".absence").waitFor();
    await page.getByRole("button", { name: "Subscribe or export" }).click();
    const command = await page.locator(".command code").last().textContent();
    const { pathname, search } = new URL(/"(http[^"]+)"/.exec(command!)![1]!);
    const apiKey = await page.evaluate(() => sessionStorage.getItem("rollcall.key"));
    const response = await fetch(web.server.address + pathname + search, {
      headers: { "x-api-key": apiKey! },
    });
    expect(await response.json()).toMatchObject({ data: [{ id: "tor_kiri" }] });
  }));

test("without the company's zone no day is guessed: the view says what failed", () => {
  let isFailing = true;
  return web.visit(
    "/",
    async (page) => {
      await page.getByRole("alert").getByText("req-77").waitFor();
      isFailing = false; // a route that is taken away may leave a request without a response
      await page.waitForLoadState("networkidle"); // a request that still fails would be the one that is tried again
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator(".timeline").waitFor();
    },
    {
      expectErrors: true,
      before: (page) =>
        page.route("**/v1/company", (route) =>
          isFailing
            ? route.fulfill({
                status: 500,
                contentType: "application/problem+json",
                body: JSON.stringify({ code: "internal_error", detail: "It failed.", requestId: "req-77" }),
              })
            : route.continue(),
        ),
    },
  );
});
