// The page by keyboard alone: every control of a view is reached by Tab, the focus is seen, Escape closes what is open and
// gives the focus back, and no control keeps the focus.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { addFive } from "./five.ts";
import { useWeb } from "./visit.ts";

const web = useWeb({ workers: 40 });

/** Marks what Tab should reach, in the document's order, and gives how many there are. Long lists draw what is in sight. */
function controls(page: Page): Promise<number> {
  return page.evaluate(() => {
    const found = [
      ...document.querySelectorAll<HTMLElement>(
        "a[href], button, input, select, textarea, [tabindex]:not([tabindex='-1'])",
      ),
    ].filter(
      (element) =>
        element.tabIndex >= 0 &&
        !element.matches(":disabled") &&
        element.checkVisibility({ visibilityProperty: true }),
    );
    for (const [at, element] of found.entries()) element.dataset.control = String(at);
    return found.length;
  });
}

interface Focus {
  readonly control: string | null;
  readonly isSeen: boolean;
  readonly name: string;
}

/** What has the focus, and whether it can be seen: an outline or a shadow, on something with a size. */
function focused(page: Page): Promise<Focus> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement; // the page has no frames and no SVG links
    const shown = [element, element.parentElement, element.nextElementSibling].filter((one) => one !== null);
    const isMarked = shown.some((one) => {
      const style = getComputedStyle(one);
      return (style.outlineStyle !== "none" && style.outlineWidth !== "0px") || style.boxShadow !== "none";
    });
    const { width, height } = element.getBoundingClientRect();
    return {
      control: element.dataset.control ?? null,
      isSeen: element !== document.body && isMarked && width > 0 && height > 0,
      name: `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent?.slice(0, 40)}`,
    };
  });
}

/** Tabs through the whole view. Every control has the focus once and in sight, until the first has it again. */
async function walk(page: Page): Promise<void> {
  const count = await controls(page);
  expect(count).toBeGreaterThan(3);
  const seen = new Set<string>();
  const unseen: string[] = [];
  let isRound = false;
  let before: string | null = null;
  for (let step = 0; step < count + 200 && !isRound; step++) {
    await page.keyboard.press("Tab");
    const { control, isSeen, name } = await focused(page);
    if (name.startsWith("BODY")) continue; // the browser's own controls come between the last and the first
    if (control !== null && control === before) continue; // a field for a date has several stops of the browser's own
    if (control !== null && seen.has(control)) isRound = true;
    else if (!isSeen) unseen.push(name);
    if (control !== null) seen.add(control);
    before = control;
  }
  expect(unseen).toEqual([]);
  expect(isRound).toBe(true);
  const missed = await page.evaluate(
    (reached) =>
      [...document.querySelectorAll<HTMLElement>("[data-control]")]
        // One of a group of options is in the order; arrow keys lead to the others.
        .filter((one) => !reached.includes(one.dataset.control!) && one.tabIndex >= 0)
        .map((one) => one.outerHTML.slice(0, 120)),
    [...seen],
  );
  expect(missed).toEqual([]);
}

test.each(["/", "/?view=month", "/people", "/balances", "/policies"])("%s", (path) =>
  web.visit(path, async (page) => {
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForLoadState("networkidle");
    await walk(page);
  }),
);

test("one policy", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const [policy] = (await rollcall.policies.list().page()).data;
  await web.visit(`/policies/${policy!.id}`, async (page) => {
    await page.locator(".data-table tbody a").first().waitFor();
    await walk(page);
  });
});

test("a person, with an explanation open", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const balances = await rollcall.balances.list().toArray();
  const { workerId } = balances.find(({ used, available }) => used > 0 && available > 0)!;
  await web.visit(`/people/${workerId}`, async (page) => {
    const used = page.getByRole("button", { name: /^Used/ }).first();
    await used.focus();
    await page.keyboard.press("Enter");
    await page.locator(".bill-used tbody tr").first().waitFor();
    await page.waitForLoadState("networkidle"); // the timelines of other policies come later
    await walk(page);
  });
});

test("signing in", () =>
  web.visit(
    "/",
    async (page) => {
      const field = page.getByLabel(/key/i).first();
      await field.waitFor();
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.type(web.server.keys.all);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Subscribe or export" }).waitFor();
    },
    { key: null },
  ));

test("the arrow keys and Enter choose from a filter, also from a short list", () =>
  web.visit("/people", async (page) => {
    await page.getByRole("button", { name: "Filters" }).press("Enter");
    await page.getByRole("combobox", { name: /^Employment status/ }).press("Enter");
    const field = page.locator(".choices-search");
    await field.press("ArrowDown");
    await field.press("Enter");
    await page.getByRole("combobox", { name: "Status: Draft" }).waitFor();
  }));

test("Escape closes a popover and gives the focus back to what opened it", () =>
  web.visit("/", async (page) => {
    const opener = page.getByRole("button", { name: "Subscribe or export" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const download = page.getByRole("button", { name: "Download CSV" });
    await download.waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await download.waitFor({ state: "detached" });
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  }));

test.each([1280, 360])(
  "at %d pixels leave is typed day by day: nothing moves, and nothing is refused before the day is whole or the field is left",
  async (width) => {
    const key = await addFive(web.server, `typed-${width}`);
    await web.visit(
      "/people/wrk_ana",
      async (page) => {
        const figure = page.locator("figure.line");
        const [first, last] = [figure.getByLabel(/First day$/), figure.getByLabel(/Last day$/)];
        const refusals = figure.getByRole("alert");
        const top = async () => (await last.boundingBox())!.y - (await first.boundingBox())!.y;
        await figure.getByText("On 21 Nov 2026, 11 days can be taken.").waitFor();
        // The browser of the tests has the month first: each part but the last makes a day that is over.
        await first.focus();
        const before = await top();
        for (const part of ["02", "05", "2027"]) {
          await page.keyboard.type(part);
          expect([part, await refusals.count(), await top()]).toEqual([part, 0, before]);
        }
        await figure.getByText("On 5 Feb 2027, 20 days can be taken.").waitFor();
        for (let stop = 0; stop < 2; stop++) await page.keyboard.press("Tab"); // past the browser's button
        expect(await last.evaluate((field) => field === document.activeElement)).toBe(true);
        await page.keyboard.type("02052026");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Tab");
        await refusals.getByText(/^Choose a day within 5 Feb.*31 Dec 2027\.$/).waitFor();
        expect([await last.inputValue(), await top()]).toEqual(["2027-02-05", before]);
        await last.focus();
        await page.keyboard.type("02092027");
        await figure.getByText(/takes 3\sdays/).waitFor();
        expect(await refusals.count()).toBe(0);
        await page.keyboard.type("2026");
        await refusals.waitFor(); // also of somebody who waits in the field
        expect(await last.inputValue()).toBe("2026-02-09");
      },
      { key, viewport: { width, height: 800 } },
    );
  },
);
