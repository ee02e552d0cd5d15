// The keyboard's focus is never hidden and never lost: not under heads that stick, and not with a button that goes away.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { addFive, addFiveThatChanged } from "./five.ts";
import { useWeb } from "./visit.ts";

const web = useWeb({ workers: 60 });

/** What has the focus; `hidden` is set if its upper or its lower edge is covered, or outside the window. */
function focused(page: Page): Promise<{ name: string; hidden: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement; // the page has no frames and no SVG links
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [from, to] = [Math.max(0, left), Math.min(innerWidth, right)];
    const isSeen = (y: number) =>
      [0.02, 0.25, 0.5, 0.75, 0.98].some((share) =>
        element.contains(document.elementFromPoint(from + (to - from) * share, y)),
      );
    const name = element.getAttribute("aria-label") ?? element.textContent;
    return { name: `${element.tagName} ${name}`, hidden: !isSeen(top + 3) || !isSeen(bottom - 3) };
  });
}

/** The name of what has the focus, also for `expect`. */
const focusName = async (page: Page) => (await focused(page)).name;

async function hiddenStops(page: Page, key: string, steps: number): Promise<string[]> {
  const hidden: string[] = [];
  for (let step = 0; step < steps; step++) {
    await page.keyboard.press(key);
    const stop = await focused(page);
    if (stop.hidden && !stop.name.startsWith("BODY")) hidden.push(stop.name);
  }
  return hidden;
}

const SMALL = { width: 900, height: 480 };
const PHONE = { width: 390, height: 664 };

test.each([SMALL, PHONE])(
  "back through everybody's balances nothing is under the head of the table",
  (viewport) =>
    web.visit(
      "/balances?by=none",
      async (page) => {
        const link = page.locator(".data-table tbody a");
        await link.first().waitFor();
        await page.evaluate(() => window.scrollTo(0, 1200));
        await page.waitForTimeout(200);
        await link.last().focus();
        expect(await hiddenStops(page, "Shift+Tab", 30)).toEqual([]);
      },
      { viewport },
    ),
);

test.each([
  [SMALL, "/?view=month&who=everyone"],
  [PHONE, "/?view=month&who=everyone"],
  [PHONE, "/?who=everyone"],
])("%o %s: in the calendar nothing is under the days or under the names", (viewport, path) =>
  web.visit(
    path,
    async (page) => {
      await page.locator(".timeline .absence").first().waitFor();
      const sideways = () => page.locator(".timeline").evaluate(({ scrollLeft }) => scrollLeft);
      const before = await sideways();
      await page.locator(".timeline li[data-row] .who a").first().focus();
      expect(await sideways()).toBe(before);
      expect(await hiddenStops(page, "Tab", 40)).toEqual([]);
      expect(await hiddenStops(page, "Shift+Tab", 36)).toEqual([]);
    },
    { viewport },
  ),
);

test("after trying again the focus is on the content", () =>
  web.visit(
    "/people",
    async (page) => {
      const again = page.getByRole("button", { name: "Try again" });
      await again.focus();
      await page.unroute("**/v1/**");
      await page.keyboard.press("Enter");
      await page.getByRole("table").waitFor();
      await page.getByRole("button", { name: "Export" }).waitFor();
      await page.keyboard.press("Tab");
      expect(await focusName(page)).toBe("BUTTON Export");
    },
    {
      expectErrors: true,
      before: (page) => page.route("**/v1/**", (route) => route.fulfill({ status: 500, body: "" })),
    },
  ));

test("after signing in the focus is on the content; after a bad key it is on the field", () =>
  web.visit(
    "/people",
    async (page) => {
      const field = page.getByLabel("API key");
      await field.fill(`rk_${"a".repeat(38)}`);
      await page.getByRole("button", { name: "Sign in" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("This key is not valid.").waitFor();
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.press("Control+A");
      await page.keyboard.type(web.server.keys.all);
      await page.keyboard.press("Enter");
      await page.getByRole("table").waitFor();
      await page.getByRole("button", { name: "Export" }).waitFor();
      await page.keyboard.press("Tab");
      expect(await focusName(page)).toBe("BUTTON Export");
    },
    { key: null, expectErrors: true },
  ));

test("clearing the filters leaves the focus in the search", () =>
  web.visit("/people?name=zzzz", async (page) => {
    await page.getByRole("button", { name: "Clear" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("table").waitFor();
    expect(await focusName(page)).toBe("INPUT Search people");
  }));

test("the last leave year keeps the focus on its button", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const [balance] = (await rollcall.balances.list().page({ limit: 1 })).data;
  await web.visit(`/people/${balance!.workerId}`, async (page) => {
    const next = page.getByRole("button", { name: "Next leave year" });
    await next.focus();
    for (let year = 0; year < 5; year++) await page.keyboard.press("Enter");
    await page.getByText("In 3 leave years").waitFor();
    expect(await focusName(page)).toBe("BUTTON Next leave year");
    expect(await next.getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByText("In 2 leave years").waitFor();
  });
});

test("the way to the leave year before leaves the focus in the card", async () => {
  const key = await addFive(web.server);
  await web.visit(
    "/people/wrk_ana?year=1",
    async (page) => {
      await page.getByRole("button", { name: /^Carried over/ }).press("Enter");
      await page.locator(".explanation").getByRole("button", { name: "Previous leave year" }).press("Enter");
      await page.getByText("Left on 31 Dec 2026").waitFor();
      expect(await focusName(page)).toBe("A Annual leave");
    },
    { key },
  );
});

test("another table of balances leaves the focus on its button, and what is known now leaves it on the content", async () => {
  const key = await addFiveThatChanged(web.server, "tables");
  await web.visit(
    "/balances?known=2026-11-20",
    async (page) => {
      for (const [name, show] of [
        ["A month", /show=movements/],
        ["A year", /show=year/],
        ["Balances", /\?known=2026-11-20$/],
      ] as const) {
        await page.getByRole("button", { name, exact: true }).press("Enter");
        await page.waitForURL(show);
        await page.locator("tbody tr").first().waitFor();
        expect(await focusName(page)).toBe(`BUTTON ${name}`);
      }
      await page.getByRole("button", { name: "Show what is known now" }).press("Enter");
      await page.getByText("As known at the end of").waitFor({ state: "detached" });
      await page.locator("tbody tr").first().waitFor();
      expect(await focusName(page)).toStartWith("MAIN");
    },
    { key },
  );
});
