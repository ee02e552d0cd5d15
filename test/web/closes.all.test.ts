// A close on the page: nothing is shown of it where there is none; then whose figure differs today, and why, as the API says.
import { expect, setSystemTime, test } from "bun:test";
import { type Close, type CloseDifference, Rollcall } from "../../src/client/index.ts";
import { dayOfText } from "../../src/time/day.ts";
import { shortRange } from "../../src/web/data/format.ts";
import { change, exported } from "../support/stores.ts";
import { closeOctober } from "./demo-server.ts";
import { addFive, FILES } from "./five.ts";
import { downloadedRows, goOn, useWeb } from "./visit.ts";

const web = useWeb({ workers: 40 });
/** Without the spaces of ranges, which differ by browser. */
const plain = (text: string | null) => text!.replaceAll(/\s/g, " ").replaceAll(" – ", "–");
const client = () => new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });

/** A page of its own: another one remembers what it was told of closes. */
const AGAIN = { profile: {} };

/** The leave of eight people that ended by September goes. */
async function removeLeave(): Promise<void> {
  const { requests } = await exported(web.server.store.writer, "demo");
  const early = requests.filter(
    ({ status, lastDay, minutes }) =>
      status === "approved" && lastDay < dayOfText("2026-10-01") && minutes > 0,
  );
  const people = new Set([...new Set(early.map(({ workerId }) => workerId))].slice(0, 8));
  const ids = early.filter(({ workerId }) => people.has(workerId)).map(({ id }) => id);
  await change(web.server.store.writer, "demo", (one) =>
    one.remove(
      "requests",
      ids.map((id) => [id]),
    ),
  );
}

test("without a close there is nothing of it; with one, everything is as closed", async () => {
  await web.visit("/balances?show=closes", async (page) => {
    await page.getByRole("heading", { name: /^Balances/ }).waitFor();
    expect(await page.getByRole("button", { name: "Closes" }).count()).toBe(0);
  });
  await closeOctober(web.server.store, "demo");
  const [close] = (await client().closes.list()) as [Close];
  await web.visit(
    "/balances?show=closes",
    async (page) => {
      await page.getByRole("heading", { name: "Close 2026-10 until 31 Oct 2026" }).waitFor();
      const days = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 }).format(close.minutes / 480);
      const summary = page.getByText(`${close.balances} balances · ${days} days · all as closed`);
      await summary.waitFor();
      const total = page.locator("tbody tr.total").first().locator("td.figure");
      expect(await total.allTextContents()).toEqual([days, days, "0"]);
      // A department opens to its people; the sheet has everybody, and adds up.
      await page.getByRole("button", { name: "Engineering" }).click();
      await page.locator("tbody tr:not(.total)", { hasText: "Engineering" }).first().waitFor();
      const figureOf = (name: string) =>
        page.locator("tbody tr.total", { hasText: name }).locator("td.figure").first().textContent();
      const inClose = [await figureOf("Engineering"), await figureOf("Have left")];
      await page.getByRole("button", { name: "Export" }).click();
      const rows = await downloadedRows(page);
      const sum = rows.reduce((all, row) => all + Number(row["Closed, days"]), 0);
      expect(sum).toBeCloseTo(close.minutes / 480, 0);
      expect(rows.every((row) => row["Difference, days"] === "0")).toBe(true);
      // The same departments as in the view of balances.
      await goOn(page, "/balances?on=2026-10-31");
      await page.getByRole("heading", { name: /^Balances/ }).waitFor();
      await page.locator("tbody tr.total").first().waitFor();
      const column = (name: string) =>
        page.locator("tbody tr.total", { hasText: name }).locator("td.figure").nth(1).textContent();
      expect([await column("Engineering"), await column("Have left")]).toEqual(inClose);
    },
    AGAIN,
  );
});

test("whoever has another figure is there, each with causes that add up", async () => {
  await removeLeave();
  const differences: CloseDifference[] = await client().closes.differences("2026-10").toArray();
  expect(differences.length).toBeGreaterThan(1);
  await web.visit(
    "/balances?show=closes",
    async (page) => {
      await page.getByText(`${differences.length} have another figure today`).waitFor();
      const all = page.locator("tbody tr[aria-rowindex]");
      const before = page.locator("tbody tr:has(~ tr.total):not(.total):not(tr.total ~ tr)");
      expect(await before.count()).toBe(differences.length);
      const rows = all.filter({ has: page.getByRole("button") }).and(before);
      const shown = await rows.locator("td:last-child").allTextContents();
      expect(shown.filter((text) => Number(text) > 0 && !text.startsWith("+"))).toEqual([]);
      const inDays = (minutes: number) => Math.round((minutes / 480) * 100);
      expect(shown.map((text) => Math.round(Number(text) * 100)).sort()).toEqual(
        differences.map(({ closedMinutes, nowMinutes }) => inDays(nowMinutes) - inDays(closedMinutes)).sort(),
      );
      // The difference opens; the name leads to the person, as everywhere.
      expect(await rows.first().locator("th").getByRole("link").count()).toBe(1);
      await page.setViewportSize({ width: 390, height: 844 });
      const { name } = await client().policies.retrieve(differences[0]!.policyId);
      await before.getByText(name).filter({ visible: true }).first().waitFor();
      await rows.first().locator("td:last-child").getByRole("button").click();
      const item = page.locator("tr.detail li", { hasText: "leave was removed" }).first();
      await item.waitFor();
      const days = differences.flatMap(({ causes }) =>
        causes.map(({ was }) => plain(shortRange(dayOfText(was!.from), dayOfText(was!.through)))),
      );
      expect(days).toContain(plain(await item.textContent()).split(" · ")[2]!);
      expect(page.url()).toContain("open=");
    },
    AGAIN,
  );
});

test("a department opens to everybody, also those who are above with another figure: they add up", async () => {
  await web.visit(
    "/balances?show=closes",
    async (page) => {
      await page.getByText("have another figure today").waitFor();
      const changed = page
        .locator("tbody tr.total:has(button)")
        .filter({ hasNot: page.locator("td:last-child", { hasText: /^0$/ }) });
      const sums = (await changed.first().locator("td.figure").allTextContents()).map(figureIn);
      const name = (await changed.first().locator("th").textContent())!;
      await changed.first().getByRole("button").click();
      await page.locator("tbody tr.total + tr:not(.total)").first().waitFor();
      const people = page.locator(
        `xpath=//tbody/tr[not(contains(@class,"total")) and preceding-sibling::tr[contains(@class,"total")][1]/th[normalize-space()="${name}"]]`,
      );
      const rows = await Promise.all(
        (await people.all()).map((row) => row.locator("td.figure").allTextContents()),
      );
      expect(rows.some(([, , difference]) => difference !== "0")).toBe(true);
      for (const at of [0, 1, 2])
        expect(rows.reduce((sum, row) => sum + figureIn(row[at]!), 0)).toBeCloseTo(sums[at]!, 0);
    },
    { ...AGAIN, viewport: { width: 1280, height: 4000 } },
  );
});

/** Five as a company of this id, with October closed; returns a key. */
async function addFiveWithClose(id: string): Promise<string> {
  try {
    setSystemTime(new Date("2026-11-19T12:00:00Z"));
    const key = await addFive(web.server, id);
    await closeOctober(web.server.store, id);
    return key;
  } finally {
    setSystemTime();
  }
}

/** A figure as it is written, with any sign and unit. */
const figureIn = (text: string) => Number(text.replaceAll("−", "-").replaceAll(/[^\d.-]/g, ""));

test("each row adds up as it is shown, in days and in hours; so do its causes and its sheet", async () => {
  for (const unit of ["days", "hours"])
    await web.visit(
      "/balances?show=closes",
      async (page) => {
        await page.getByText("have another figure today").waitFor();
        await page.getByRole("button", { name: unit, exact: false }).first().click();
        await page.getByRole("button", { name: `Difference, ${unit}` }).waitFor();
        const rows = page.locator("tbody tr[aria-rowindex]");
        for (const row of await rows.all()) {
          const figures = (await row.locator("td.figure").allTextContents()).map(figureIn);
          const [closed, now, difference] = figures as [number, number, number];
          expect([figures, closed + difference]).toEqual([figures, expect.closeTo(now, 8)]);
        }
        const closed = page.locator("tbody tr:not(.total) [aria-expanded=false]");
        while ((await closed.count()) > 0) await closed.first().click();
        const details = page.locator("tr.detail");
        expect(await details.count()).toBeGreaterThan(1);
        for (const detail of await details.all()) {
          const above = detail.locator("xpath=preceding-sibling::tr[1]").locator("td:last-child");
          const causes = (await detail.locator("li").allTextContents()).map((text) =>
            figureIn(text.split(" · ")[0]!),
          );
          const difference = figureIn((await above.textContent())!);
          const sum = causes.reduce((all, cause) => all + cause, 0);
          expect([causes, sum]).toEqual([causes, expect.closeTo(difference, 8)]);
        }
        await page.getByRole("button", { name: "Export" }).click();
        for (const row of await downloadedRows(page)) {
          const [first, now, difference] = ["Closed", "Today", "Difference"].map((name) =>
            Number(row[`${name}, ${unit}`]),
          ) as [number, number, number];
          expect([row, first + difference]).toEqual([row, expect.closeTo(now, 8)]);
        }
      },
      AGAIN,
    );
});

test("the month after a close begins with its figures, and says what became known since", async () => {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const after = { after: "2026-10", to: "2026-11-30", groupBy: ["department", "policy"] } as const;
  const rows = await client().movements.list(after).toArray();
  const [close] = (await client().closes.list()) as [Close];
  expect(Math.round(sum(rows.map(({ opening }) => opening)))).toBe(Math.round(close.minutes));
  await web.visit(
    "/balances?show=movements&on=2026-11-01",
    async (page) => {
      await page.getByRole("button", { name: "Became known since, days" }).waitFor();
      const column = await page
        .locator("tbody tr[aria-rowindex]:not(.total) td:nth-child(4)")
        .allTextContents();
      const inDays = (minutes: number) => Math.round((minutes / 480) * 100);
      const restated = new Set(rows.map((row) => inDays(row.opening + row.restated) - inDays(row.opening)));
      expect(column.some((text) => text !== "0")).toBe(true);
      for (const text of column) expect(restated).toContain(Math.round(figureIn(text) * 100));
    },
    AGAIN,
  );
  await web.visit("/balances?show=movements&on=2026-10-01", async (page) => {
    await page.getByRole("button", { name: "Opening, days" }).waitFor();
    expect(await page.getByRole("button", { name: "Became known since, days" }).count()).toBe(0);
  });
});

test("a policy that is gone has its name and its closed figures, also in the month after", async () => {
  const key = await addFiveWithClose("gone");
  await change(web.server.store.writer, "gone", async (one) => {
    const requests = FILES["requests.csv"].match(/tor_\w+/g)!.filter((id) => id !== "tor_bo");
    await one.remove(
      "requests",
      requests.map((id) => [id]),
    );
    const workers = FILES["workers.csv"].match(/wrk_\w+/g)!;
    await one.remove(
      "assignments",
      workers.map((worker) => [worker, "top_annual"]),
    );
    await one.remove("policies", [["top_annual"]]);
  });
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: key });
  const [close] = (await rollcall.closes.list()) as [Close];
  const days = String(close.minutes / 480);
  await web.visit(
    "/balances?show=closes",
    async (page) => {
      await page.getByText("5 have another figure today").waitFor();
      const total = page.locator("tbody tr.total").first().locator("td.figure");
      expect(await total.allTextContents()).toEqual([days, "0", `-${days}`]);
      expect(await page.getByRole("row", { name: /^Ana Sol.*Annual leave/ }).count()).toBe(1);
      await goOn(page, "/balances?show=movements&on=2026-11-01");
      await page.getByText("Annual leave").first().waitFor();
      expect(await page.locator("tbody tr.total td.figure").first().textContent()).toBe(days);
    },
    { key, profile: {} },
  );
});

test("a cause says how leave was known at the close, and how it is today", async () => {
  const key = await addFiveWithClose("moved");
  const { writer } = web.server.store;
  const { requests } = await exported(writer, "moved");
  const row = (id: string) => requests.find((request) => request.id === id)!;
  const october = { firstDay: dayOfText("2026-10-05"), lastDay: dayOfText("2026-10-05"), minutes: 480 };
  await change(writer, "moved", (one) =>
    one.put("requests", [
      { ...row("tor_used"), lastDay: dayOfText("2026-03-04"), minutes: 1440 },
      { ...row("tor_dee"), ...october, status: "approved" },
    ]),
  );
  await web.visit(
    "/balances?show=closes",
    async (page) => {
      await page.getByText("2 have another figure today").waitFor();
      const cause = async (name: RegExp) => {
        await page.getByRole("row", { name }).locator("td:last-child").getByRole("button").click();
        return plain(await page.locator("tr.detail li").last().textContent());
      };
      // Dee's detail is below Ana's.
      expect(await cause(/^Ana Sol/)).toBe(
        "+ 2 days · leave was changed · 2–6 Mar 2026 → 2–4 Mar 2026 · 5 days → 3 days",
      );
      expect(await cause(/^Dee Li/)).toBe(
        "− 1 day · leave was changed · 25 Nov 2026 → 5 Oct 2026 · 1 day · Pending → Approved",
      );
    },
    { key, profile: {} },
  );
});

/** Bo's days of October under the unlimited policy. */
async function addLateSickness(company: string): Promise<void> {
  const { requests } = await exported(web.server.store.writer, company);
  const late = {
    ...requests.find(({ id }) => id === "tor_bo")!,
    ...{ id: "tor_late", legacyId: "late", minutes: 960 },
    ...{ firstDay: dayOfText("2026-10-13"), lastDay: dayOfText("2026-10-14") },
    ...{ startMs: Date.parse("2026-10-13T00:00:00Z"), endMs: Date.parse("2026-10-15T00:00:00Z") },
  };
  await change(web.server.store.writer, company, (one) => one.put("requests", [late]));
}

test("late leave under an unlimited policy is a row, in the sheet too, and in no sum", async () => {
  const key = await addFiveWithClose("late");
  await addLateSickness("late");
  const [close] = (await new Rollcall({ baseUrl: web.server.address, apiKey: key }).closes.list()) as [Close];
  const days = String(close.minutes / 480);
  await web.visit(
    "/balances?show=closes",
    async (page) => {
      await page.getByText("1 has another figure today").waitFor();
      const row = page.getByRole("row", { name: /^Bo Ray.*Sick leave/ });
      expect(await row.locator("td.figure").allTextContents()).toEqual(["0", "-2", "-2"]);
      await row.getByRole("button").click();
      await page.locator("tr.detail", { hasText: "− 2 days · leave that came late · 13" }).waitFor();
      const sums = page.locator("tbody tr.total");
      expect(await sums.first().locator("td.figure").allTextContents()).toEqual([days, days, "0"]);
      // The department opens to the balances alone.
      const sales = await sums.filter({ hasText: "Sales" }).locator("td.figure").allTextContents();
      expect(sales).toEqual(["35", "35", "0"]);
      await page.getByRole("button", { name: "Sales" }).click();
      await page.getByRole("row", { name: /^Bo Ray.*Annual leave/ }).waitFor();
      expect(await row.count()).toBe(1);
      await page.getByRole("button", { name: "Export" }).click();
      const rows = await downloadedRows(page);
      expect(rows.filter(({ Policy }) => Policy === "Sick leave")).toEqual([
        expect.objectContaining({ "Closed, days": "0", "Today, days": "-2", "Difference, days": "-2" }),
      ]);
    },
    { key, profile: {} },
  );
});

test("a policy that became unlimited has its closed balances in the sums, also in the month after", async () => {
  const key = await addFiveWithClose("unlimited");
  const { writer } = web.server.store;
  const { policies } = await exported(writer, "unlimited");
  const [annual, sick] = ["top_annual", "top_sick"].map((id) => policies.find((row) => row.id === id)!);
  const doc = annual!.doc.replace('"isUnlimited":false', '"isUnlimited":true');
  await change(writer, "unlimited", (one) =>
    one.put("policies", [{ ...annual!, terms: sick!.terms, doc: doc.replace('"yearly"', '"unlimited"') }]),
  );
  await web.visit(
    "/balances?show=closes",
    async (page) => {
      await page.getByText("6 balances · 95 days · 5 have another figure today").waitFor();
      // Now it is the leave until then.
      const row = page.getByRole("row", { name: /^Ana Sol.*Annual leave/ });
      expect(await row.locator("td.figure").allTextContents()).toEqual(["15", "-5", "-20"]);
      const total = page.locator("tbody tr.total").first().locator("td.figure");
      expect(await total.allTextContents()).toEqual(["95", "0", "-95"]);
      await goOn(page, "/balances?show=movements&on=2026-11-01");
      await page.getByText("Annual leave").first().waitFor();
      expect(await page.locator("tbody tr.total td.figure").first().textContent()).toBe("95");
    },
    { key, profile: {} },
  );
});
