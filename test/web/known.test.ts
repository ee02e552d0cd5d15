// Balances and a person as known at the end of a day: the address keeps it, the view says so, and its numbers are those of then.
import { expect, setSystemTime, test } from "bun:test";
import { expectAccessible } from "../support/browser.ts";
import { change } from "../support/stores.ts";
import { addFive } from "./five.ts";
import { useWeb } from "./visit.ts";

const OWN = { group: "own", companyId: "known", access: "self" } as const;
const web = useWeb({
  workers: 10,
  proxyAuth: {
    ...{ userHeader: "x-email", groupsHeader: "x-groups", contact: "people@five.example" },
    rules: [OWN],
  },
});

/** Five, as imported on 19 November; on the 21st, Ana's leave of March goes. */
async function fiveThatChanged(id = "known"): Promise<string> {
  try {
    setSystemTime(new Date("2026-11-19T12:00:00Z"));
    const key = await addFive(web.server, id);
    setSystemTime(new Date("2026-11-21T05:00:00Z"));
    await change(web.server.store.writer, id, (one) => one.remove("requests", [["tor_used"]]));
    return key;
  } finally {
    setSystemTime();
  }
}

test("of a day before the first import, the page says since when something is known, and asks for nothing", () =>
  web.visit("/balances?known=2020-01-01", async (page) => {
    await page.getByText(/^Nothing is known of the time before \d+ \w+ \d{4}, \d\d:\d\d/).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.getByRole("button", { name: "Show what is known now" }).click();
    await page.locator(".data-table .total").first().waitFor();
    // Before its today, nothing is known of this company: there is no day to choose.
    expect(await page.getByLabel("As known on").count()).toBe(0);
  }));

test("a person and the balances as known at the end of a day, which the address keeps", async () => {
  const key = await fiveThatChanged();
  const banner = "As known at the end of 20 Nov 2026. What became known later is left out.";
  await web.visit(
    "/people/wrk_ana",
    async (page) => {
      const used = page.locator(".bill-used .figure").first();
      await used.getByText("0 days").waitFor();
      expect(await page.getByText("As known at").count()).toBe(0);
      // The first day that is known is that of the first import.
      expect(await page.getByLabel("As known on").getAttribute("min")).toBe("2026-11-19");
      await page.getByLabel("As known on").fill("2026-11-20");
      await page.getByText(banner).waitFor();
      await used.getByText("− 5 days").waitFor();
      // Today is the day that is asked about.
      await page.getByText("On 20 Nov 2026, 11 days can be taken.").waitFor();
      await expectAccessible(page);
      await page.reload();
      await used.getByText("− 5 days").waitFor();
      expect(page.url()).toContain("known=2026-11-20");
      await page.getByRole("button", { name: "Show what is known now" }).click();
      await used.getByText("0 days").waitFor();
      expect(page.url()).not.toContain("known");
    },
    { key },
  );
  await web.visit(
    "/balances?known=2026-11-20&by=none",
    async (page) => {
      await page.getByText(banner).waitFor();
      const ana = page.locator("tbody tr", { hasText: "Ana Sol" }).first();
      await ana.waitFor();
      expect((await ana.locator("td.figure").first().textContent())!.trim()).toBe("15");
      await expectAccessible(page);
      await ana.getByRole("link").click();
      await page.getByRole("heading", { level: 1, name: "Ana Sol" }).waitFor();
      await page.getByText(banner).waitFor();
      await page.locator(".bill-used .figure").getByText("− 5 days").waitFor();
      expect(page.url()).toEndWith("/people/wrk_ana?known=2026-11-20");
      await page.getByRole("link", { name: "Eve Noor" }).click(); // her manager
      await page.getByRole("heading", { level: 1, name: "Eve Noor" }).waitFor();
      await page.getByText(banner).waitFor();
      for (const view of ["movements", "year"]) {
        await page.goto(`${web.server.address}/balances?known=2026-11-20&show=${view}`);
        await page.locator("tbody tr").first().waitFor();
        await page.getByText(banner).waitFor();
      }
      await page.goto(`${web.server.address}/balances?known=2026-11-20&show=movements`);
      await page.locator("tbody a").first().click();
      await page.getByText(banner).waitFor();
      expect(page.url()).toContain("known=2026-11-20");
    },
    { key },
  );
  // Who sees themselves alone has it on Me.
  await web.visit(
    "/",
    async (page) => {
      const used = page.locator(".bill-used .figure").first();
      await used.getByText("0 days").waitFor();
      await page.getByLabel("As known on").fill("2026-11-20");
      await page.getByText(banner).waitFor();
      await used.getByText("− 5 days").waitFor();
      await expectAccessible(page);
      await page.reload();
      await used.getByText("− 5 days").waitFor();
    },
    { key: null, extraHTTPHeaders: { "x-email": "ana@five.example", "x-groups": "own" } },
  );
});

test("people, requests and policies are as known on the day, too, and the links between them keep it", async () => {
  const key = await fiveThatChanged("again");
  await web.visit(
    "/people/wrk_ana?known=2026-11-20",
    async (page) => {
      const banner = page.getByText("As known at the end of 20 Nov 2026.");
      // What is downloaded would be of today.
      await page.locator(".bill-used .figure").getByText("− 5 days").waitFor();
      expect(await page.getByRole("button", { name: "Download the leave passport" }).count()).toBe(0);
      await page.getByRole("link", { name: "Annual leave" }).click();
      await page.getByRole("heading", { level: 1, name: "Annual leave" }).waitFor();
      await banner.waitFor();
      await page.locator("main").getByRole("link", { name: "Policies" }).click();
      await page.getByText("5 people").waitFor();
      await banner.waitFor();
      await page.goto(`${web.server.address}/people?known=2026-11-20`);
      await banner.waitFor();
      await page.getByRole("link", { name: "Ana Sol" }).click();
      await page.locator(".bill-used .figure").getByText("− 5 days").waitFor();
      await page.goto(`${web.server.address}/requests?known=2026-11-20&show=all&from=2026-01-01`);
      await banner.waitFor();
      await page.getByText("8 requests", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Show what is known now" }).click();
      await page.getByText("7 requests", { exact: true }).waitFor();
      // A calendar is of now.
      await page.goto(`${web.server.address}/?known=2026-11-20`);
      await page.locator(".timeline li").first().waitFor();
      expect(await page.getByLabel("As known on").count()).toBe(0);
    },
    { key },
  );
});

test("a moment, a day to come and what is no day are not taken for now", async () => {
  const key = await fiveThatChanged("thrice");
  for (const known of ["2026-11-20T06:00:00Z", "2027-01-01", "yesterday"])
    await web.visit(
      `/balances?known=${known}`,
      async (page) => {
        await page.getByText("Choose a day within 19–21 Nov 2026.").waitFor();
        expect(await page.locator("main table").count()).toBe(0);
        await page.getByRole("button", { name: "Show what is known now" }).click();
        await page.locator(".data-table .total").first().waitFor();
        expect(page.url()).not.toContain("known");
      },
      { key },
    );
});

test("from what was known to what is known now and back, the figures of one day change", async () => {
  const key = await fiveThatChanged("twice");
  await web.visit(
    "/balances?on=2026-11-20&known=2026-11-20&by=none",
    async (page) => {
      const balance = page.locator("tbody tr", { hasText: "Ana Sol" }).locator("td.figure").first();
      await balance.getByText("15", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Show what is known now" }).click();
      await balance.getByText("20", { exact: true }).waitFor();
      await page.getByLabel("As known on").fill("2026-11-20");
      await balance.getByText("15", { exact: true }).waitFor();
    },
    { key },
  );
});
