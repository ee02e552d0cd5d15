// What a screen reader is told: whose a figure is, what a picture is of, one title for each view, and nothing twice.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { addFive } from "./five.ts";
import { goOn, useWeb } from "./visit.ts";

const web = useWeb({ workers: 40 });

interface Spoken {
  readonly role: string;
  readonly name: string;
  readonly description: string;
}

/** All that the browser's accessibility tree contains. */
async function spoken(page: Page): Promise<Spoken[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, description }) => ({
      role: String(role?.value),
      name: String(name?.value ?? ""),
      description: String(description?.value ?? ""),
    }));
}

test("the first cell of a row names it, also of a sum", () =>
  web.visit("/people", async (page) => {
    for (const path of ["/people", "/requests", "/balances", "/balances?show=movements"]) {
      await goOn(page, path);
      await page.locator("tbody tr[data-index]").first().waitFor();
      const rows = page.locator("tbody tr[data-index]");
      const named = await rows.locator("th[scope=row]").count();
      expect([path, named]).toEqual([path, await rows.count()]);
      const headers = (await spoken(page)).filter(({ role }) => role === "rowheader");
      expect([path, headers.length]).toEqual([path, await rows.count()]);
    }
  }));

test("each table has a name, and rows that only take room are not said", () =>
  web.visit(
    "/people",
    async (page) => {
      for (const path of ["/people", "/requests?show=all", "/balances?by=none", "/balances?show=movements"]) {
        await goOn(page, path);
        await page.locator("tbody tr[data-index]").first().waitFor();
        const rows = page.locator("tbody tr[data-index]");
        const all = await spoken(page);
        const tables = all.filter(({ role }) => role === "table").map(({ name }) => name);
        expect([path, tables.length, tables.includes("")]).toEqual([path, 1, false]);
        expect([path, all.filter(({ role }) => role === "row").length]).toEqual([
          path,
          (await rows.count()) + 1,
        ]);
      }
    },
    { viewport: { width: 1280, height: 300 } },
  ));

test("entries and a person's requests have heads of rows", async () => {
  const key = await addFive(web.server, "heads");
  await web.visit(
    "/people/wrk_ana",
    async (page) => {
      await page.getByRole("button", { name: /^Used/ }).click();
      await page.getByText("As a table").click();
      await page.locator(".explanation-entries tbody tr").nth(1).waitFor();
      const bodies = page.locator("tbody");
      expect(await bodies.count()).toBe(3);
      for (const body of await bodies.all()) {
        const rows = await body.locator("tr").count();
        expect(rows).toBeGreaterThan(0);
        expect(await body.locator("tr > th[scope=row]").count()).toBe(rows);
      }
      const names = (await spoken(page)).filter(({ role }) => role === "table").map(({ name }) => name);
      expect(names).toContain("Requests");
      expect(names).not.toContain("");
      await goOn(page, "/?view=year");
      await page.locator(".heat").waitFor();
      const heat = (await spoken(page)).find(({ role }) => role === "table");
      expect(heat?.name).toBe("How many are away on each day");
    },
    { key },
  );
});

test("no control is described by words of its name", () =>
  web.visit("/", async (page) => {
    await page.locator(".absence").first().waitFor();
    const twice = (await spoken(page)).filter(
      ({ name, description }) => description !== "" && name.includes(description),
    );
    expect(twice).toEqual([]);
    await page.getByText("Fewest there", { exact: true }).click();
    expect(await page.locator("input.least").evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
  }));

test("the picture of a balance has the name of its policy", async () => {
  const key = await addFive(web.server);
  await web.visit(
    "/people/wrk_ana",
    async (page) => {
      await page.locator("figure[aria-busy=false]").first().waitFor();
      const figures = (await spoken(page)).filter(({ role }) => role === "figure");
      expect(figures.map(({ name }) => name)).toEqual(["Annual leave"]);
    },
    { key },
  );
});

test("the number beside a title says what it counts", async () => {
  const key = await addFive(web.server, "five-away");
  await web.visit(
    "/",
    async (page) => {
      await page.locator(".away-list li").first().waitFor();
      const headings = (await spoken(page)).filter(
        ({ role, name }) => role === "heading" && name.startsWith("Away"),
      );
      expect(headings.map(({ name }) => name)).toEqual([
        "Away today, Sat 21 Nov 1 away",
        "Away next 1 away, 2 pending",
      ]);
    },
    { key },
  );
});

test("a view that fails, as a whole or in part, has one title", () =>
  web.visit(
    "/balances",
    async (page) => {
      for (const path of ["/balances", "/requests", "/people/wrk_nobody", "/policies/top_none", "/nowhere"]) {
        await goOn(page, path);
        await page.locator(".message").waitFor();
        expect([path, await page.getByRole("heading", { level: 1 }).count()]).toEqual([path, 1]);
      }
    },
    { key: web.server.keys.workersOnly, expectErrors: true },
  ));
