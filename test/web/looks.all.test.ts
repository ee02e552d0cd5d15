// How every view looks to everybody, and what the browser is allowed to load.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Rollcall, type Worker } from "../../src/client/index.ts";
import { expectAccessible } from "../support/browser.ts";
import { expectNoSidewaysScroll, goOn, useWeb } from "./visit.ts";

const web = useWeb({ workers: 60 });
const WIDE = { width: 1920, height: 640 };
const PHONE = { width: 390, height: 664 };
/** What Chromium takes for the width of paper before it reads the style of the page. */
const PAPER = { width: 816, height: 1056 };
const NARROWEST = { width: 320, height: 640 };

async function anyWorker(): Promise<Worker> {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  return (await rollcall.workers.list().page()).data[0]!;
}

async function views(): Promise<[path: string, ready: string][]> {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const worker = await anyWorker();
  const [policy] = (await rollcall.policies.list().page()).data;
  const partOfADay = new Set<string>();
  for await (const { workerId, requestedMinutes } of rollcall.requests.list())
    if (requestedMinutes < 480) partOfADay.add(workerId);
  const zoned: Worker[] = [];
  for await (const one of rollcall.workers.list()) if (partOfADay.has(one.id)) zoned.push(one);
  const [longest] = zoned.sort((a, b) => (b.timeZone?.length ?? 0) - (a.timeZone?.length ?? 0));
  return [
    ["/?who=everyone", ".timeline li"],
    ["/?view=month&who=everyone", ".timeline li"],
    ["/?order=department&department=Sales&lists=open", ".away-list"],
    ["/people", ".data-table tbody a"],
    ["/balances", ".data-table tbody tr"],
    ["/balances?by=none", ".data-table tbody a"],
    ["/balances?show=movements", ".data-table tbody a"],
    ["/requests", ".data-table tbody tr"],
    ["/nothing/here", "h1"],
    [`/people/${worker.id}`, "figure[aria-busy=false], .empty"],
    [`/people/${longest!.id}`, ".requests tbody tr"],
    ["/policies", ".policies"],
    [`/policies/${policy!.id}`, ".summary"],
  ];
}

test("every view is accessible in light and in dark, wide and on a phone, and never wider than the window", async () => {
  const look = async (page: Page) => {
    for (const [path, ready] of await views()) {
      await page.setViewportSize(WIDE);
      await page.emulateMedia({ colorScheme: "light" });
      await goOn(page, path);
      await page.locator(ready).first().waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.setViewportSize({ width: 1024, height: 768 });
      await expectNoSidewaysScroll(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize(PHONE);
      await page.locator(ready).first().waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.setViewportSize(NARROWEST);
      await expectNoSidewaysScroll(page);
    }
  };
  await web.visit("/policies", look);
}, 180_000);

test("paper has no fields and no buttons to press, and the heads of tables as words, which are on each page", async () => {
  const look = async (page: Page) => {
    for (const [path, ready] of await views()) {
      await page.emulateMedia({ media: "screen" });
      await goOn(page, path);
      await page.locator(ready).first().waitFor();
      const openers = page.locator(".data-table :is(th, td) > [aria-expanded]");
      const marksOf = () =>
        openers.evaluateAll((all) =>
          all.map((opener) => {
            const { content, display } = getComputedStyle(opener, "::before");
            return display !== "none" && /[▸▾]/.test(content);
          }),
        );
      expect([path, (await marksOf()).includes(false)]).toEqual([path, false]);
      await page.emulateMedia({ media: "print" });
      expect([path, (await marksOf()).includes(true)]).toEqual([path, false]);
      const fields = page.locator(
        "main :is(input, select, .stepper button, .segments button, .passport button)",
      );
      expect([path, await fields.filter({ visible: true }).count()]).toEqual([path, 0]);
      for (const head of await page.locator(".sort").all())
        expect(await head.evaluate((one) => getComputedStyle(one).display)).toBe("contents");
      // What stays at the edge of a window would be printed where that was scrolled to, over something else.
      const sticky = await page
        .locator("body *")
        .evaluateAll((all) => all.filter((each) => getComputedStyle(each).position === "sticky").length);
      expect([path, sticky]).toEqual([path, 0]);
      // What only opens something has no mark, and nothing is left out or cut: paper counts as narrow.
      const marks = page.locator("main :is(summary, [class*=narrow-only])");
      expect([path, await marks.filter({ visible: true }).count()]).toEqual([path, 0]);
      const cut = await page.locator("main :is(th, td), main .clip:not(.day-name)").evaluateAll((all) =>
        all
          .filter((each) => !each.checkVisibility() || each.scrollWidth > each.clientWidth + 1)
          .filter((each) => each.closest(".narrow-only, .hidden, .away-lists") === null)
          .map(({ outerHTML }) => outerHTML),
      );
      expect([path, ...cut]).toEqual([path]);
    }
  };
  await web.visit("/policies", look, { viewport: PAPER });
}, 120_000);

test("on paper a head stays with what it is the head of, and the company's name is not squeezed", async () => {
  const look = async (page: Page) => {
    await page.goto(`${web.server.address}/people/${(await anyWorker()).id}`);
    await page.locator("#requests").waitFor();
    await page.emulateMedia({ media: "print" });
    const breaks = await page
      .locator("main :is(.head, h2)")
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).breakAfter));
    expect(new Set(breaks)).toEqual(new Set(["avoid"]));
    const width = await page.locator(".company").evaluate((each) => getComputedStyle(each).maxWidth);
    expect(width).toBe("none");
  };
  await web.visit("/policies", look, { viewport: PAPER });
});

// Mixed colours are mixed in Oklab, also between two stops, and Firefox 153 then draws one stripe in four.
test("stripes of mixed colours are drawn in sRGB", () => {
  const folder = join(import.meta.dir, "../../src/web/style");
  const styles = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const stripes = styles.flatMap((style) => style.match(/repeating-linear-gradient\([^;]+/g) ?? []);
  const mixed = stripes.filter((gradient) => gradient.includes("color-mix"));
  expect(mixed.length).toBeGreaterThan(2);
  for (const gradient of mixed) expect(gradient).toContain(" in srgb,");
});

test("the policy allows nothing from elsewhere and nothing inline, and the script stays small", async () => {
  const { address } = web.server;
  const response = await fetch(address);
  expect(response.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'/,
  );
  const html = await response.text();
  expect(html).not.toMatch(/<style|style="|<script>/);
  const scripts = readdirSync(join(import.meta.dir, "../../dist/web")).filter((name) => name.endsWith(".js"));
  let [bytes, first] = [0, 0];
  const other = /^(?:de|fr|es|nl|pt|it|pl|ja|ar)-/;
  expect(scripts.filter((name) => other.test(name))).toHaveLength(9);
  // English is in the script; another language is a file more, which its viewers load.
  // static.js is for static demos alone.
  for (const script of scripts.filter((name) => !other.test(name) && name !== "static.js")) {
    const sent = await fetch(`${address}/web/${script}`, {
      headers: { "accept-encoding": "gzip" },
      decompress: false,
    });
    expect(sent.headers.get("cache-control")).toContain("immutable");
    const { byteLength } = await sent.arrayBuffer();
    bytes += byteLength;
    if (html.includes(script)) first += byteLength;
  }
  // What comes before the first answer, and what everything that a view loads by and by comes to, writers of files included.
  expect(first).toBeGreaterThan(50_000);
  expect(first).toBeLessThan(153_000);
  expect(bytes).toBeLessThan(240_000);
});
