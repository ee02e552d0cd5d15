// Names of all kinds: with letters that are no accents, written from right to left, and longer than any window.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { fold } from "../../../src/fold.ts";
import { HIDDEN_WORKER } from "../../../src/web/data/away-only.ts";
import { toldApart } from "../../../src/web/data/directory.ts";
import { expectAccessible } from "../../support/browser.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addKey, putFacts } from "../../support/stores.ts";
import { expectNoSidewaysScroll, goOn, useWeb } from "../visit.ts";

const NARROWEST = { width: 320, height: 640 };
const web = useWeb({ workers: 10 });

const LONG = "Wolfeschlegelsteinhausenbergerdorff".repeat(5);
const ARABIC = "عبد الرحمن محمد إبراهيم الخوارزمي";
const TODAY = "2026-11-21";

let key: string;
beforeAll(async () => {
  const { writer } = web.server.store;
  await writer.createCompany({ id: "names", name: LONG, createdAtMs: 0 });
  const at = { department: LONG, location: LONG, position: LONG, email: `${LONG}@example.com` };
  await putFacts(writer, "names", {
    workers: [
      workerRow("wrk_long", {
        displayName: LONG,
        firstName: LONG,
        lastName: LONG,
        preferredName: "L",
        ...at,
      }),
      workerRow("wrk_arabic", { displayName: ARABIC, managerId: "wrk_long" }),
      workerRow("wrk_danish", { displayName: "Søren Ægir Þórsson", managerId: "wrk_arabic" }),
      workerRow("wrk_polish", { displayName: "Łukasz Groß" }),
      workerRow("wrk_twin1", { displayName: "Anna Berg", workEmail: "anna.berg@example.com" }),
      workerRow("wrk_twin2", { displayName: "Anna Berg", workEmail: null, email: "", legacyId: "E-17" }),
    ],
    policies: [policyRow("top_annual", { name: LONG, description: LONG, timeOffTypeName: LONG })],
    assignments: [
      assignmentRow("toa_1", "wrk_long", "top_annual"),
      assignmentRow("toa_2", "wrk_arabic", "top_annual"),
    ],
    requests: ["wrk_long", "wrk_arabic"].map((id) =>
      requestRow(`tor_${id}`, id, "top_annual", {
        startAt: `${TODAY}T00:00:00.000Z`,
        endAt: "2026-11-25T00:00:00.000Z",
        reason: LONG,
        status: "approved",
      }),
    ),
  });
  key = await addKey(writer, "names");
});

test("letters that are more than an accent are found by the letters that people type", () => {
  expect(fold("Søren Ægir Þórsson")).toBe("soren aegir thorsson");
  expect(fold("Łukasz Groß ẞ Đặng Œuvre Ħal Sığır İz")).toBe("lukasz gross ss dang oeuvre hal sigir iz");
});

test.each([
  ["soren", "Søren Ægir Þórsson"],
  ["SØREN aegir", "Søren Ægir Þórsson"],
  ["lukasz gross", "Łukasz Groß"],
  ["groß, łuk", "Łukasz Groß"],
])("the search for %s finds %s alone", (text, name) =>
  web.visit(
    "/people",
    async (page) => {
      await page.getByLabel("Search people").fill(text);
      await page.getByText("1 person").waitFor();
      await page.getByRole("link", { name }).waitFor();
    },
    { key },
  ),
);

test("people of one name are told apart in every list, by the name in the e-mail address or else by an id", async () => {
  const names = ["Anna Berg (anna.berg)", "Anna Berg (E-17)"];
  for (const path of ["/people", "/?who=everyone"])
    await web.visit(
      path,
      async (page) => {
        for (const name of names) await page.getByRole("link", { name }).first().waitFor();
      },
      { key },
    );
});

test("without addresses people of one name are told apart by department, workplace, or the end of an id", () => {
  const named = (id: string, department: string | null, workplace: string | null = null) => ({
    ...HIDDEN_WORKER,
    ...{ id, displayName: "Anna Berg", managerId: null, timeZone: null },
    department: department === null ? null : { id: department, name: department },
    primaryWorkplace: workplace === null ? null : { id: workplace, name: workplace, type: "office" as const },
  });
  const told = (...workers: Parameters<typeof toldApart>[0]) =>
    toldApart(workers).map(({ displayName }) => displayName.replace("Anna Berg", "").trim());
  expect(told(named("wrk_1", "Sales"), named("wrk_2", "IT"))).toEqual(["(Sales)", "(IT)"]);
  expect(told(named("wrk_1", "IT", "Lima"), named("wrk_2", "IT"), named("wrk_3", "Sales"))).toEqual([
    "(Lima)",
    "(rk_2)",
    "(Sales)",
  ]);
  expect(told(named("wrk_abcd1234", "IT"), named("wrk_abcd5678", "IT"))).toEqual(["(1234)", "(5678)"]);
  expect(told(named("wrk_ab1234", "IT"), named("wrk_cd1234", "IT"))).toEqual([
    "(wrk_ab1234)",
    "(wrk_cd1234)",
  ]);
  expect(told(named("wrk_1", "IT"))).toEqual([""]);
  const at = (id: string, workEmail: string) => ({ ...named(id, "IT"), workEmail });
  const twins = [
    at("wrk_1", "anna@one.example"),
    at("wrk_2", "anna@two.example"),
    at("wrk_3", "ab@two.example"),
  ];
  expect(told(...twins)).toEqual(["(anna@one.example)", "(anna@two.example)", "(ab)"]);
});

const VIEWS = [
  ["/?who=everyone", ".timeline li"],
  ["/?view=month&order=department&department=x", ".filters"],
  ["/?order=department", ".timeline-group"],
  ["/people?department=x", ".filters"],
  ["/people", ".data-table tbody a"],
  ["/people/wrk_long", ".requests tbody tr"],
  ["/people/wrk_arabic", ".requests tbody tr"],
  ["/balances?by=department", ".data-table tbody tr"],
  ["/policies", ".policies"],
  ["/policies/top_annual", ".data-table tbody a"],
] as const;

test("a name of 175 letters makes no view wider than the window", () => {
  const look = async (page: Page) => {
    for (const [path, ready] of VIEWS) {
      await page.setViewportSize(NARROWEST);
      await goOn(page, path);
      await page.locator(ready).first().waitFor();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await page.setViewportSize({ width: 1280, height: 800 });
      await expectNoSidewaysScroll(page);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll("main :is(h1, h2, h3, p, dd, button)")]
          .filter(
            (element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth,
          )
          .filter((element) => element.closest(".timeline, .hidden") === null)
          .map((element) => element.outerHTML.slice(0, 80)),
      );
      expect([path, ...cut]).toEqual([path]);
    }
  };
  return web.visit("/people", look, { key });
}, 180_000);

test("the card of an absence and the export fit the narrowest window", () =>
  web.visit(
    "/",
    async (page) => {
      await page.locator(".absence").first().click();
      const card = page.getByRole("dialog");
      await card.getByText("Reason").waitFor();
      await expectFits(page, ".popup");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Subscribe or export" }).click();
      await page.getByRole("button", { name: "Download CSV" }).waitFor();
      await expectFits(page, ".popup");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Filters" }).click();
      await page.getByRole("combobox", { name: /^Department/ }).click();
      await page.locator(".choice").first().waitFor();
      await expectFits(page, ".popup");
    },
    { key, viewport: NARROWEST },
  ));

/** Neither the element nor what is in it reaches out of the window. */
async function expectFits(page: Page, selector: string): Promise<void> {
  const out = await page.evaluate((wanted) => {
    const popup = document.querySelector(wanted)!;
    return [popup, ...popup.querySelectorAll("*")]
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        return right > innerWidth + 1 || left < -1;
      })
      .map((element) => element.outerHTML.slice(0, 80));
  }, selector);
  expect(out).toEqual([]);
}

test("a name from right to left is whole in a wide window, and stands where the others do", () =>
  web.visit(
    "/?who=everyone",
    async (page) => {
      await page.locator(".timeline .who a").first().waitFor();
      const name = page.locator(".timeline .who .clip").getByText(ARABIC);
      /** Whether nothing of the name is cut off, and its first letter is inside. */
      const isWhole = await name.evaluate((element) => {
        const letter = document.createRange();
        letter.setStart(element.firstChild!, 0);
        letter.setEnd(element.firstChild!, 1);
        const [inner, outer] = [letter.getBoundingClientRect(), element.getBoundingClientRect()];
        const isCut = element.scrollWidth > element.clientWidth;
        return !isCut && inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
      });
      expect(isWhole).toBe(true);
    },
    { key, viewport: { width: 920, height: 800 } },
  ));

test("on a phone names, jobs and departments are whole, and rows are below each other", () => {
  const look = async (page: Page) => {
    for (const [path, ready] of [
      ["/requests?show=all&from=2026-01-01", ".data-table tbody a"],
      ["/people", ".data-table tbody a"],
      ["/balances?by=none", ".data-table tbody a"],
      ["/balances?show=movements", ".data-table tbody a"],
      ["/?who=everyone", ".timeline .who a"],
      ["/?lists=open", ".away-item"],
    ] as const) {
      await goOn(page, path);
      await page.locator(ready).first().waitFor();
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('main .clip:not(.day-name, [data-open="false"] *)')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
          .map(({ outerHTML }) => outerHTML),
      );
      expect([path, ...cut]).toEqual([path]);
      const rows = await page.locator("li[data-row]").all();
      const boxes = await Promise.all(rows.map((row) => row.boundingBox()));
      for (const [at, box] of boxes.slice(1).entries())
        expect(box!.y).toBeGreaterThanOrEqual(boxes[at]!.y + boxes[at]!.height - 1);
    }
  };
  return web.visit("/people", look, { key, viewport: { width: 390, height: 844 } });
}, 120_000);

test("a folded list has one line in a narrow window", () =>
  web.visit(
    "/",
    async (page) => {
      await page.locator('[data-open="false"] .away-item').first().waitFor();
      const heights = await page
        .locator('[data-open="false"] .away-who .clip')
        .evaluateAll((all) => all.filter((each) => each.checkVisibility()).map((each) => each.clientHeight));
      expect(Math.max(...heights)).toBeLessThan(30);
    },
    { key, viewport: { width: 720, height: 800 } },
  ));
