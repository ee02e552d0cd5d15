// While data arrives: what is there is shown, what is not there yet is "…", and no figure stands under the heading of another question.
import { expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { useWeb } from "./visit.ts";

const web = useWeb({ workers: 40 });

/** Holds the streams of a list until the returned function is called. */
async function hold(page: Page, list: string): Promise<() => Promise<unknown>> {
  const held: Route[] = [];
  let isHeld = true;
  await page.route(
    ({ pathname }) => pathname === list,
    (route) => {
      const isStream = route.request().headers().accept === "application/x-ndjson";
      return isHeld && isStream ? void held.push(route) : route.continue();
    },
  );
  return () => {
    isHeld = false;
    return Promise.all(held.splice(0).map((route) => route.continue()));
  };
}

test("balances are shown before what is booked and what expires, and a file is offered once all is there", async () => {
  let [letBalances, letLosses] = [async () => {}, async () => {}] as (() => Promise<unknown>)[];
  const before = async (page: Page) => {
    letBalances = await hold(page, "/v1/time_off/balances");
    letLosses = await hold(page, "/v1/time_off/expirations");
  };
  await web.visit(
    "/balances",
    async (page) => {
      const figures = page.locator("tbody tr.total").first().locator(".figure");
      const shown = () => figures.allTextContents();
      await figures.first().waitFor();
      const [people, balance, ...rest] = await shown();
      expect([Number(people) > 30, Number.parseFloat(balance!) > 100]).toEqual([true, true]);
      expect(rest.slice(0, 3)).toEqual(["…", "…", "…"]);
      expect(await page.getByRole("button", { name: "Export" }).count()).toBe(0);
      const unknown = page.locator("tbody tr.total").first().getByText("…");
      expect(await unknown.count()).toBe(4); // with the day by which it expires
      await letBalances!();
      await letLosses!();
      await page.getByRole("button", { name: "Export" }).waitFor();
      expect((await shown()).slice(0, 2)).toEqual([people!, balance!]);
      expect(await unknown.count()).toBe(0);
    },
    { before },
  );
});

test.each([
  ["/balances", "/v1/time_off/movements", "/balances?on=2026-10-15"],
  ["/balances?show=movements", "/v1/time_off/movements", "/balances?show=movements&on=2026-05-01"],
  ["/requests?from=2026-02-01&show=all", "/v1/time_off/requests", "/requests?from=2026-01-01&show=all"],
])("the controls of %s stay where they are while the next list is read", async (path, list, next) => {
  await web.visit(path, async (page) => {
    const controls = page.locator("main .head-end");
    await page.getByRole("button", { name: ".xlsx" }).waitFor();
    const before = await controls.boundingBox();
    const letGo = await hold(page, list);
    await page.evaluate((to) => history.pushState(null, "", to), next);
    await page.getByRole("button", { name: ".xlsx" }).waitFor({ state: "hidden" });
    expect(await controls.boundingBox()).toEqual(before);
    await letGo();
  });
});

test("the button for the next week stays below the pointer while a week is read", async () => {
  await web.visit("/", async (page) => {
    await page.getByRole("button", { name: ".xlsx" }).waitFor();
    const held: Route[] = [];
    await page.route(
      ({ pathname }) => pathname === "/v1/time_off/requests",
      (route) => void held.push(route),
    );
    const next = page.getByRole("button", { name: "Next week" });
    const before = await next.boundingBox();
    while (held.length === 0) await next.click(); // some weeks are read already
    await page.getByRole("button", { name: ".xlsx" }).waitFor({ state: "hidden" });
    expect(await next.boundingBox()).toEqual(before);
    await page.unrouteAll();
  });
});

test.each([
  ["/balances", "/v1/time_off/movements", "/balances?on=2026-12-31"],
  ["/requests", "/v1/time_off/requests", "/requests?show=all"],
])("%s shows no rows of the last question under the heading of the next", async (path, list, next) => {
  await web.visit(path, async (page) => {
    await page.locator("tbody tr").first().waitFor();
    const heading = await page.locator("h1").textContent();
    const letGo = await hold(page, list);
    await page.evaluate((to) => history.pushState(null, "", to), next);
    await page.locator("h1", { hasNotText: heading! }).waitFor();
    expect(await page.locator("main tbody tr").count()).toBe(0);
    expect(await page.locator("main .head").textContent()).not.toMatch(/\d requests/);
    await letGo();
    await page.locator("tbody tr").first().waitFor();
  });
});

test.each([
  ["/people", "/v1/workers"],
  ["/requests", "/v1/time_off/requests"],
  ["/", "/v1/time_off/requests"],
  ["/balances?show=movements", "/v1/time_off/movements"],
  ["/balances?show=year", "/v1/time_off/movements"],
])("%s offers no file before its list is there", async (path, list) => {
  let letGo: () => Promise<unknown> = async () => {};
  await web.visit(
    path,
    async (page) => {
      await page.locator("main h1").waitFor();
      const file = page.getByRole("button", { name: ".xlsx" });
      await page.locator("main .loading").first().waitFor();
      await page.waitForTimeout(300); // the menu is a script of its own
      expect(await file.count()).toBe(0);
      await letGo();
      await file.waitFor();
    },
    {
      before: async (page) => {
        letGo = await hold(page, list);
      },
    },
  );
});

test("a year shows its first month before the second is there", async () => {
  const before = async (page: Page) => {
    let asked = 0;
    await page.route(
      ({ pathname }) => pathname === "/v1/time_off/movements",
      (route) => (++asked === 1 ? route.continue() : undefined),
    );
  };
  await web.visit(
    "/balances?show=year&on=2026-10-01",
    async (page) => {
      const months = page.locator("tbody tr.total").first().locator(".figure");
      await months.first().waitFor();
      expect((await months.allTextContents()).slice(0, 2)).toEqual([expect.stringMatching(/\d/), "…"]);
      await page.unrouteAll();
    },
    { before },
  );
});

test("a year shows each month once it is there, and says if one fails", async () => {
  let asked = 0;
  const before = (page: Page) =>
    page.route(
      ({ pathname }) => pathname === "/v1/time_off/movements",
      (route) => (++asked <= 5 ? route.continue() : route.abort()),
    );
  await web.visit(
    "/balances?show=year&on=2026-10-01",
    async (page) => {
      const months = page.locator("tbody tr.total").first().locator(".figure");
      await months.first().waitFor();
      expect((await months.allTextContents()).at(-1)).toBe("…");
      expect(await page.getByRole("button", { name: ".xlsx" }).count()).toBe(0);
      await page.getByRole("button", { name: "Try again" }).waitFor();
      expect(await months.count()).toBe(0);
      await page.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("button", { name: ".xlsx" }).waitFor();
      expect(await months.count()).toBe(12);
      expect(await months.allTextContents()).not.toContain("…");
    },
    { before, expectErrors: true },
  );
});
