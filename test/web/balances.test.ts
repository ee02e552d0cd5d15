// Everybody's balances on a day: the numbers are the API's, sums are the sums of the rows, and the CSV has the same.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import type { Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { expectNoSidewaysScroll, useWeb } from "./visit.ts";

const web = useWeb({ workers: 60 });
const ON = "2026-12-31";

/** What the API says is owed to everybody on the day, in hours. */
async function owed(): Promise<number> {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const balances = await rollcall.balances.list({ endDate: ON }).toArray();
  const policies = new Map((await rollcall.policies.list().toArray()).map((policy) => [policy.id, policy]));
  return balances
    .filter(({ policyId }) => !policies.get(policyId)!.isUnlimited)
    .reduce(
      (sum, { accruedUnlocked, accruedLocked, used }) => sum + accruedUnlocked + accruedLocked - used,
      0,
    );
}

const hours = (text: string | null) => Number(text!.replace(/ h$/, "").replaceAll(",", ""));
const total = async (page: Page) => hours(await page.locator("thead .total .figure").first().textContent());

test("the total is what the API says is owed, and groups add up to it", async () => {
  const expected = (await owed()) / 60;
  await web.visit(`/balances?on=${ON}&by=department`, async (page) => {
    await page.locator(".balance-table tbody .total").first().waitFor();
    expect(Math.abs((await total(page)) - expected)).toBeLessThan(0.02);
    const sums = new Map<string, number>();
    for (let y = 0; ; y += 400) {
      await page.evaluate((to) => window.scrollTo(0, to), y);
      await page.waitForTimeout(30);
      for (const row of await page.locator("tbody .total").all()) {
        const [name, sum] = [
          await row.locator("th").textContent(),
          await row.locator(".figure").first().textContent(),
        ];
        sums.set(name!, hours(sum));
      }
      if (await page.evaluate(() => innerHeight + scrollY >= document.body.scrollHeight - 1)) break;
    }
    expect(sums.size).toBeGreaterThan(3);
    const all = [...sums.values()].reduce((sum, value) => sum + value, 0);
    expect(Math.abs(all - expected)).toBeLessThan(0.02 * sums.size);
  });
});

test("the sums of a large company fit the narrowest phone", () =>
  web.visit(
    "/balances",
    async (page) => {
      const sums = page.locator("thead .total .figure");
      await sums.first().waitFor();
      await sums.evaluateAll((cells) => {
        for (const cell of cells) cell.textContent = "12,365,443.25 h";
      });
      await expectNoSidewaysScroll(page);
      const [one, other] = await sums.evaluateAll((cells) =>
        cells
          .filter((cell) => cell.checkVisibility())
          .map((cell) => {
            const text = document.createRange();
            text.selectNodeContents(cell);
            const { left, right } = text.getBoundingClientRect();
            return { left, right };
          }),
      );
      expect(one!.right).toBeLessThan(other!.left);
      expect(other!.right).toBeLessThanOrEqual(320);
    },
    { viewport: { width: 320, height: 640 } },
  ));

test("a column sorts the rows, up and down", async () => {
  await web.visit(`/balances?on=${ON}`, async (page) => {
    const values = async () =>
      (await page.locator("tbody tr[aria-rowindex] td:nth-last-child(4)").allTextContents())
        .slice(0, 10)
        .map(parseFloatOf);
    await page.locator("tbody tr[aria-rowindex]").first().waitFor();
    await page.getByRole("button", { name: "Balance" }).click();
    await page.locator("th[aria-sort=descending]").waitFor();
    const falling = await values();
    expect(falling).toEqual([...falling].sort((a, b) => b - a));
    await page.getByRole("button", { name: "Balance" }).click();
    await page.locator("th[aria-sort=ascending]").waitFor();
    const rising = await values();
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
    expect(page.url()).toContain("sort=balance");
  });
});

/** In minutes, whatever the unit. */
function parseFloatOf(text: string): number {
  return Number.parseFloat(text.replaceAll(",", "")) * (text.includes("day") ? 480 : 60);
}

test("the CSV has the rows that are shown; commands for the API and the calendar are beside it", async () => {
  const expected = await owed();
  await web.visit(
    `/balances?on=${ON}`,
    async (page) => {
      await page.locator("tbody tr[aria-rowindex]").first().waitFor();
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByText(`/v1/time_off/balances?endDate=${ON}`).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download CSV" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`balances-${ON}.csv`);
      const rows: Record<string, string>[] = parse(readFileSync(await download.path()), {
        bom: true,
        columns: true,
      });
      const sum = rows.reduce((all, row) => all + Number(row["Balance (minutes)"]), 0);
      expect(Math.abs(sum - expected)).toBeLessThan(0.01 * rows.length);

      await page.goto(`${web.server.address}/`);
      await page.getByRole("button", { name: "Subscribe or export" }).click();
      await page.getByText(/rollcall feeds create[\s\S]*--company demo/).waitFor();
      await page.getByText(/accept: text\/csv/).waitFor();
    },
    { acceptDownloads: true },
  );
});
