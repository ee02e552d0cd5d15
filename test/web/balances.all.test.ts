// Everybody's balances on a day: the numbers are the API's, sums are the sums of the rows, and the CSV has the same.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import type { Locator, Page } from "playwright-core";
import { type Balance, Rollcall } from "../../src/client/index.ts";
import { dayOfText, formatDay } from "../../src/time/day.ts";
import { workbookRows } from "../support/workbook-rows.ts";
import { downloadedRows, expectNoSidewaysScroll, goOn, useWeb } from "./visit.ts";

const web = useWeb({ workers: 60 });
const ON = "2026-12-31";
const folder = mkdtempSync(join(tmpdir(), "rollcall-export-"));
afterAll(() => rmSync(folder, { recursive: true }));

const client = () => new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });

/** What the API says everybody has on the day, and what of it is owed, in days. */
async function expected(): Promise<{ balance: number; owed: number }> {
  const balances = await client().balances.list({ endDate: ON }).toArray();
  const policies = new Map((await client().policies.list().toArray()).map((policy) => [policy.id, policy]));
  const limited = balances.filter(({ policyId }) => !policies.get(policyId)!.isUnlimited);
  const sum = (some: readonly Balance[]) =>
    some.reduce(
      (all, { accruedUnlocked, accruedLocked, used }) => all + accruedUnlocked + accruedLocked - used,
      0,
    );
  const moved = await client()
    .movements.list({ from: ON, to: ON, groupBy: ["worker", "policy"] })
    .toArray();
  return {
    balance: sum(limited) / 480,
    owed: moved.filter(({ isPaidOut }) => isPaidOut).reduce((all, { earned }) => all + earned, 0) / 480,
  };
}

const numberOf = (text: string | null) => Number(text!.replaceAll(",", ""));
type Sextet = [number, number, number, number, number, number];
const total = (page: Page) => page.locator("tbody tr.total").first().locator(".figure");

test("departments come first and add up to what the API says; each opens to its people, in days or in hours", async () => {
  const { balance, owed } = await expected();
  await web.visit(`/balances?on=${ON}`, async (page) => {
    const groups = page.locator("tbody tr.total:has(th button)");
    await groups.first().waitFor();
    const figures = (row: Locator) => row.locator(".figure").allTextContents();
    const sums = (await Promise.all((await groups.all()).map(figures))).map((all) => all.map(numberOf));
    expect(sums.length).toBeGreaterThan(3);
    const column = (at: number) => sums.reduce((all, row) => all + row[at]!, 0);
    expect(Math.abs(column(1) - balance)).toBeLessThan(0.02 * sums.length);
    expect(Math.abs(column(5) - owed)).toBeLessThan(0.02 * sums.length);
    const days = numberOf(await total(page).nth(1).textContent());
    expect(Math.abs(days - balance)).toBeLessThan(0.01);
    expect(await page.locator("tbody a").count()).toBe(0);
    await groups.first().getByRole("button").first().click();
    await page.locator("tbody a").first().waitFor();
    expect(page.url()).toContain("open=");
    await page.getByRole("button", { name: "Hours" }).click();
    await page.getByRole("button", { name: "Balance, hours" }).waitFor();
    expect(Math.abs(numberOf(await total(page).nth(1).textContent()) - balance * 8)).toBeLessThan(0.1);
    await page.reload();
    await page.getByRole("button", { name: "Balance, hours" }).waitFor(); // remembered
  });
});

test("what is owed at the end of a month is the same on the day and in the year, by department", async () => {
  const owedIn = async (page: Page, figure: (row: Locator) => Locator) => {
    const rows = page.locator("tbody tr");
    await rows.first().waitFor();
    const texts = (await rows.all()).map((row) =>
      Promise.all([row.locator("th").innerText(), figure(row).innerText()]),
    );
    return new Map((await Promise.all(texts)).filter(([, text]) => text !== "0"));
  };
  const onDay = await web.visit("/balances?on=2026-10-31", (page) =>
    owedIn(page, (row) => row.locator(".figure").last()),
  );
  const inYear = await web.visit("/balances?show=year&on=2026-10-01", (page) =>
    owedIn(page, (row) => row.locator(".figure").first()),
  );
  inYear.delete("Will expire");
  expect(onDay.size).toBeGreaterThan(3);
  expect([...onDay.keys()]).toContain("Have left");
  expect(inYear).toEqual(onDay);
});

test("who loses more than ten days, and by when, is one field away", async () => {
  const all = await client().expirations.list({ from: "2027-01-01", to: "2027-12-31" }).toArray();
  const losses = all.filter(({ cause }) => cause !== "balanceCap"); // that was never granted
  const lost = new Map<string, number>();
  for (const { workerId, policyId, minutes } of losses)
    lost.set(`${workerId} ${policyId}`, (lost.get(`${workerId} ${policyId}`) ?? 0) + minutes);
  const many = [...lost.values()].filter((minutes) => minutes > 4800).length;
  expect(many).toBeGreaterThan(0);
  await web.visit(`/balances?on=${ON}`, async (page) => {
    await page.getByLabel("Loses more days than").fill("10");
    await page.waitForURL(/more=10/);
    await page.locator("th[aria-sort=descending]", { hasText: "Will expire" }).waitFor();
    expect(await page.locator(".data-table").getAttribute("aria-rowcount")).toBe(String(many + 2));
    const first = page.locator("tbody tr[aria-rowindex='3'] .figure");
    expect(numberOf(await first.nth(3).textContent())).toBeGreaterThan(10);
    await page.getByRole("button", { name: "Use by" }).click(); // the soonest come first
    await page.locator("th[aria-sort=ascending]", { hasText: "Use by" }).waitFor();
    // Until a day: what expires later is another question. What expires with the end of the day is gone on the next one.
    const lostUntil = (day: string) =>
      losses.filter(({ date }) => date <= day).reduce((sum, { minutes }) => sum + minutes, 0) / 480;
    const firstLoss = losses.map(({ date }) => date).toSorted()[0]!;
    const dayBefore = formatDay(dayOfText(firstLoss) - 1);
    expect(lostUntil(dayBefore)).toBe(0);
    expect(lostUntil(firstLoss)).toBeGreaterThan(0);
    expect(lostUntil(firstLoss)).toBeLessThan(lostUntil("2027-12-31"));
    await page.getByLabel("Loses more days than").fill("0");
    await page.getByLabel("Expires by the end of").fill(dayBefore);
    await page.waitForURL(new RegExp(`until=${dayBefore}`));
    const shown = numberOf(await total(page).nth(3).textContent());
    expect(Math.abs(shown - lostUntil(firstLoss))).toBeLessThan(0.01);
  });
});

test("the movements of a month add up and lead to the people", async () => {
  await web.visit("/balances?show=movements&on=2026-10-03", async (page) => {
    await page.getByRole("heading", { name: "Movements in October 2026" }).waitFor();
    const row = page.locator("tbody tr:not(.total)").first();
    await row.waitFor();
    const figures = (await row.locator(".figure").allTextContents()).map(numberOf);
    const [opening, granted, used, forfeited, adjusted, closing] = figures as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const { data } = await client()
      .movements.list({ from: "2026-10-01", to: "2026-10-31", groupBy: ["department", "policy"] })
      .page();
    expect(data.some((one) => Math.abs(one.closing / 480 - closing) < 0.01)).toBe(true);
    const moved = Math.abs(granted) + Math.abs(used) + Math.abs(forfeited) + Math.abs(adjusted);
    expect(Math.abs(closing - opening)).toBeLessThanOrEqual(moved + 0.05);
    // Policies without balances are left out here, too: the totals are the same.
    expect(await page.getByText("Working from home").count()).toBe(0);
    const closed = await total(page).nth(5).textContent();
    const owed = await total(page).last().textContent();
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Balances on 31 Oct 2026" }).waitFor();
    await page.locator("tbody a").first().waitFor();
    await goOn(page, "/balances?on=2026-10-31");
    await page.locator("tbody tr.total:has(th button)").first().waitFor();
    expect(await total(page).nth(1).textContent()).toBe(closed);
    expect(await total(page).last().textContent()).toBe(owed);
  });
});

test("the movements of a month are those of people, too: each can be found, and they have the departments' total", async () => {
  await web.visit("/balances?show=movements&on=2026-10-03", async (page) => {
    await page.locator("tbody tr:not(.total)").first().waitFor();
    const ofDepartments = await total(page).allTextContents();
    await page.getByLabel("Group by").selectOption("none");
    const links = page.locator("tbody a");
    await links.nth(20).waitFor();
    expect(await total(page).allTextContents()).toEqual(ofDepartments);
    const limited = (await client().policies.list().toArray()).filter(({ isUnlimited }) => !isUnlimited);
    const days = { from: "2026-10-01", to: "2026-10-31" };
    const all = await client()
      .movements.list({ ...days, groupBy: ["worker", "policy"] })
      .toArray();
    const rows = all.filter(({ policyId }) => limited.some(({ id }) => id === policyId));
    const { workerId } = rows.find(({ used }) => used > 0)!;
    const { displayName } = await client().workers.retrieve(workerId!);
    await page.getByLabel("Search people").fill(displayName);
    await links.nth(5).waitFor({ state: "detached" });
    expect(new Set(await links.allTextContents())).toEqual(new Set([displayName]));
    const used = rows.filter((row) => row.workerId === workerId).reduce((sum, row) => sum + row.used, 0);
    expect(Math.abs(numberOf(await total(page).nth(2).textContent()) - used / 480)).toBeLessThan(0.01);
    await links.first().click();
    await page.getByRole("heading", { level: 1, name: displayName }).waitFor();
  });
});

test("the sums of a large company fit the narrowest phone", () =>
  web.visit(
    "/balances",
    async (page) => {
      const sums = page.locator("tbody tr.total").first().locator(".figure:not(.wide-only)");
      await sums.first().waitFor();
      await sums.evaluateAll((cells) => {
        for (const cell of cells) cell.textContent = "12,365,443.25";
      });
      await expectNoSidewaysScroll(page);
      const edges = await sums.evaluateAll((cells) =>
        cells
          .filter((cell) => cell.checkVisibility())
          .flatMap((cell) => {
            const text = document.createRange();
            text.selectNodeContents(cell);
            const { left, right } = text.getBoundingClientRect();
            return [left, right];
          }),
      );
      expect(edges).toHaveLength(6); // balance, what will expire, and what is owed
      expect(edges).toEqual(edges.toSorted((a, b) => a - b));
      expect(edges.at(-1)).toBeLessThanOrEqual(320);
    },
    { viewport: { width: 320, height: 640 } },
  ));

/** A figure that has no sign or − before it. */
const signedNumber = (text: string) => numberOf(text.replace(/^[−-]/, "")) * (/^[−-]/.test(text) ? -1 : 1);

test("each month's row adds up as it is shown, in days and in hours, and a sheet adds up to what is shown", async () => {
  for (const unit of ["Days", "Hours"])
    await web.visit("/balances?show=movements&on=2026-10-03", async (page) => {
      await page.locator("tbody a").first().waitFor();
      await page.getByRole("button", { name: unit, exact: true }).click();
      await page.getByRole("button", { name: `Closing, ${unit.toLowerCase()}` }).waitFor();
      for (const row of await page.locator("tbody tr[aria-rowindex]").all()) {
        const figures = (await row.locator("td.figure").allTextContents()).map(signedNumber);
        const [opening, granted, used, expired, adjusted, closing] = figures as Sextet;
        expect([figures, opening + granted - used - expired + adjusted]).toEqual([
          figures,
          expect.closeTo(closing, 8),
        ]);
      }
    });
  await web.visit(`/balances?by=none&on=${ON}`, async (page) => {
    await page.locator("tbody a").first().waitFor();
    const shown = await total(page).last().textContent();
    await page.getByRole("button", { name: "Export" }).click();
    const rows = await downloadedRows(page);
    const people = rows.map((row) => Number(row["Owed, days"]));
    const sum = people.reduce((all, days) => all + days, 0);
    expect(Math.abs(sum - numberOf(shown))).toBeLessThanOrEqual(0.006); // the rounding of the total alone
  });
});

test("a column sorts the rows, up and down", async () => {
  await web.visit(`/balances?on=${ON}&by=none`, async (page) => {
    const values = async () =>
      (await page.locator("tbody tr:not(.total) .figure:nth-child(3)").allTextContents())
        .slice(0, 10)
        .map(numberOf);
    await page.locator("tbody a").first().waitFor();
    await page.getByRole("button", { name: "Balance, days" }).click();
    await page.locator("th[aria-sort=descending]").waitFor();
    const falling = await values();
    expect(falling).toEqual([...falling].sort((a, b) => b - a));
    await page.getByRole("button", { name: "Balance, days" }).click();
    await page.locator("th[aria-sort=ascending]").waitFor();
    const rising = await values();
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
    expect(page.url()).toContain("sort=balance");
  });
});

test("CSV and workbook have what is seen: the unit, and groups that add up; commands for the API and the calendar are beside them", async () => {
  const { balance } = await expected();
  await web.visit(`/balances?on=${ON}`, async (page) => {
    const groups = page.locator("tbody tr.total:has(th button)");
    await groups.first().waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByText(`/v1/time_off/balances?endDate=${ON}`).waitFor();
    const downloaded = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name }).click(),
      ]);
      const path = join(folder, download.suggestedFilename());
      await download.saveAs(path);
      return path;
    };
    const csv = await downloaded("Download CSV");
    expect(csv).toEndWith(`Balances-${ON}.csv`);
    const rows: Record<string, string>[] = parse(readFileSync(csv), { bom: true, columns: true });
    expect(rows).toHaveLength(await groups.count());
    const sum = rows.reduce((all, row) => all + Number(row["Balance, days"]), 0);
    expect(Math.abs(sum - balance)).toBeLessThan(0.01);
    expect(await workbookRows(await downloaded("Download .xlsx"))).toEqual(rows);

    await page.goto(`${web.server.address}/`);
    await page.getByRole("button", { name: "Subscribe or export" }).click();
    await page.getByText(/rollcall feeds create[\s\S]*--company demo/).waitFor();
    await page.getByText(/accept: text\/csv/).waitFor();
  });
});

test("what is owed opens to the balance that it comes from", () =>
  web.visit(`/balances?on=${ON}`, async (page) => {
    await total(page).first().waitFor();
    const owed = await total(page).last().textContent();
    await total(page).last().getByRole("button").click();
    const text = (await page.locator("tr.detail").innerText()).replaceAll(/\s/g, " ");
    const figures = /paid out: ([\d.,]+) days\. .*: ([−+]) ([\d.,]+) days\. Owed: ([\d.,]+) days\./.exec(
      text,
    )!;
    const [, balance, sign, change, shown] = figures;
    expect(shown).toBe(owed!);
    const sum = numberOf(balance!) + (sign === "−" ? -1 : 1) * numberOf(change!);
    expect(sum).toBeCloseTo(numberOf(owed), 8);
  }));
