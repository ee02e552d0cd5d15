// Balances and a person as known at the end of a day: the address keeps it, the view says so, and its numbers are those of then.
import { expect, test } from "bun:test";
import { expectAccessible } from "../support/browser.ts";
import { addFiveThatChanged } from "./five.ts";
import { useWeb } from "./visit.ts";

const web = useWeb({ workers: 10 });
const banner = "As known at the end of 20 Nov 2026. What became known later is left out.";

test("of a day before the first import, the page says since when something is known, and asks for nothing", () =>
  web.visit("/balances?known=2020-01-01", async (page) => {
    await page.getByText(/^Nothing is known of the time before \d+ \w+ \d{4}, \d\d:\d\d/).waitFor();
    await expectAccessible(page); // it has a heading, too
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.getByRole("button", { name: "Show what is known now" }).click();
    await page.locator(".data-table .total").first().waitFor();
    // Before its today, nothing is known of this company: there is no day to choose.
    expect(await page.getByLabel("As known on").count()).toBe(0);
  }));

test("a person as known at the end of a day, which the address keeps", async () => {
  const key = await addFiveThatChanged(web.server, "known");
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
});

test("from what was known to what is known now and back, the figures of one day change", async () => {
  const key = await addFiveThatChanged(web.server, "twice");
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
