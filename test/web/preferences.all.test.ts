// What people ask of their system: no motion, colours of their own, and everything four times as large.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { expectAccessible } from "../support/browser.ts";
import { expectNoSidewaysScroll, goOn, useWeb } from "./visit.ts";

const web = useWeb({ workers: 40 });

/** 1280 × 1024 at 400 %. */
const ZOOMED = { width: 320, height: 256 };

async function somebody(): Promise<string> {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const [balance] = (await rollcall.balances.list().page({ limit: 1 })).data;
  return `/people/${balance!.workerId}`;
}

test("who wants no motion, as all visits of these tests do, sees none", async () => {
  const person = await somebody();
  await web.visit("/", async (page) => {
    for (const [path, ready] of [
      ["/", ".timeline li"],
      [person, ".bill"],
    ] as const) {
      await goOn(page, path);
      await page.locator(ready).first().waitFor();
      const moving = await page.evaluate(() =>
        [...document.querySelectorAll("body *")].flatMap((element) =>
          ["", "::before", "::after"].flatMap((part) => {
            const { transitionDuration, animationName, content } = getComputedStyle(element, part || null);
            const isThere = part === "" || content !== "none";
            const moves = /[1-9]/.test(transitionDuration) || animationName !== "none";
            return isThere && moves ? [`${element.outerHTML.slice(0, 60)} ${part}`] : [];
          }),
        ),
      );
      expect(moving).toEqual([]);
    }
  });
});

/** Whether two elements look different where the system chooses the colours. */
async function differ(page: Page, one: string, other: string): Promise<boolean> {
  const looks = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const { color, backgroundColor, outlineStyle, borderColor, borderWidth } = getComputedStyle(element);
        const border = borderWidth === "0px" ? "" : borderColor;
        return [color, backgroundColor, outlineStyle, border].join(" ");
      });
  return (await looks(one)) !== (await looks(other));
}

test("in forced colours what is chosen, current or highlighted is seen", () =>
  web.visit(
    "/?day=2026-11-21",
    async (page) => {
      await page.locator(".timeline li").first().waitFor();
      await expectAccessible(page);
      expect(await differ(page, "[aria-pressed=true]", "[aria-pressed=false]")).toBe(true);
      expect(await differ(page, "nav [aria-current=page]", "nav a:not([aria-current])")).toBe(true);
      expect(await differ(page, ".day.today .day-number", ".day:not(.today) .day-number")).toBe(true);
      await page.getByRole("button", { name: "Filters" }).click();
      await page.getByRole("combobox", { name: /^Department/ }).press("Enter");
      await page.locator(".choices-search").press("ArrowDown"); // waits until the list is open
      await page.locator(".choice[data-highlighted]").waitFor();
      expect(await differ(page, ".choice[data-highlighted]", ".choice:not([data-highlighted])")).toBe(true);
    },
    { forcedColors: "active", colorScheme: "dark" },
  ));

test("in forced colours a day is marked on which too few people are there", () =>
  web.visit(
    "/?view=week&least=99%",
    async (page) => {
      const marked = page.locator(".thin .day-count").first();
      await marked.waitFor();
      expect(await marked.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
      expect(await page.getByRole("list", { name: "Legend" }).getByText("Fewer than 99% there").count()).toBe(
        1,
      );
    },
    { forcedColors: "active" },
  ));

test("in forced colours a year shows on which days more are away, and the months what is owed", () =>
  web.visit(
    "/?view=year",
    async (page) => {
      const grounds = (selector: string) =>
        page
          .locator(selector)
          .evaluateAll((all) => [
            ...new Set(all.map((element) => getComputedStyle(element).backgroundColor)),
          ]);
      await page.locator(".heat-day").first().waitFor();
      expect((await grounds(".heat-day")).length).toBeGreaterThan(2);
      await goOn(page, "/balances?show=year");
      await page.locator(".bars-owed").first().waitFor();
      expect(await grounds(".bars-owed")).not.toEqual(await grounds("body"));
      const legend = page.locator(".legend li");
      expect(await legend.allTextContents()).toEqual(["Owed", "Will expire"]);
      for (const bar of ["bars-owed", "bars-lost"])
        expect(await grounds(`.legend .${bar}`)).toEqual(await grounds(`.bars .${bar}`));
    },
    { forcedColors: "active" },
  ));

/** Every part of an open popup can be scrolled into the window. */
async function expectReachable(page: Page, selector: string): Promise<void> {
  const popup = page.locator(".popup").last();
  await popup.waitFor();
  for (const part of await popup.locator(selector).all()) {
    await part.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await part.boundingBox())!;
    expect([
      x >= 0,
      x + width <= ZOOMED.width + 1,
      y >= 0,
      y + Math.min(height, 100) <= ZOOMED.height,
    ]).toEqual([true, true, true, true]);
  }
}

test("at 400 % every view and every popup can be read and used", async () => {
  const views = [
    ["/", ".timeline li"],
    ["/people", ".data-table tbody a"],
    ["/balances", ".data-table tbody tr"],
    ["/policies", ".policies"],
    [await somebody(), ".requests tbody tr"],
  ] as const;
  await web.visit(
    "/",
    async (page) => {
      for (const [path, ready] of views) {
        await goOn(page, path);
        await page.locator(ready).first().waitFor();
        await expectNoSidewaysScroll(page);
        await page
          .getByRole("button", { name: /export/i })
          .first()
          .click();
        await expectReachable(page, "button, p, h3");
        await page.keyboard.press("Escape");
      }
      await goOn(page, "/?who=everyone");
      await page.locator(".absence").first().click();
      await expectReachable(page, "dd");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Filters" }).click();
      await page.getByRole("combobox", { name: /^Department/ }).click();
      await expectReachable(page, ".choice");
    },
    { viewport: ZOOMED },
  );
});

test("at 400 % more than half of the window is left to what scrolls under heads", () =>
  web.visit(
    "/balances?by=none",
    async (page) => {
      await page.locator(".data-table tbody tr").first().waitFor();
      await page.evaluate(() => window.scrollTo(0, 900));
      const { y, height } = (await page.locator(".data-table thead").boundingBox())!;
      expect(Math.max(0, y + height)).toBeLessThan(ZOOMED.height / 2);
    },
    { viewport: ZOOMED },
  ));
