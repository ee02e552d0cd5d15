// As known at the end of a day, in the other views.
import { expect, test } from "bun:test";
import { expectAccessible } from "../support/browser.ts";
import { addFiveThatChanged } from "./five.ts";
import { useWeb } from "./visit.ts";

const OWN = { group: "own", companyId: "known", access: "self" } as const;
const web = useWeb({
  workers: 10,
  proxyAuth: {
    ...{ userHeader: "x-email", groupsHeader: "x-groups", contact: "people@five.example" },
    rules: [OWN],
  },
});

test("the balances as known at the end of a day, and the links from them", async () => {
  const key = await addFiveThatChanged(web.server, "links");
  const banner = "As known at the end of 20 Nov 2026. What became known later is left out.";
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
});

test("who sees themselves alone has it on Me", async () => {
  await addFiveThatChanged(web.server, "known");
  const banner = "As known at the end of 20 Nov 2026. What became known later is left out.";
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
  const key = await addFiveThatChanged(web.server, "again");
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
  const key = await addFiveThatChanged(web.server, "thrice");
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
