// The page in other languages: chosen by the browser or by the viewer, accessible, and no wider than the window.
import { expect, test } from "bun:test";
import { LANGUAGES } from "../../src/web/texts/languages.ts";
import { expectAccessible } from "../support/browser.ts";
import { closeOctober } from "./demo-server.ts";
import { addCompany, addFive, FILES } from "./five.ts";
import { expectNoSidewaysScroll, useWeb } from "./visit.ts";

const web = useWeb({ workers: 10 });
const VIEWS = [
  ...["/?who=everyone", "/people/wrk_ana", "/policies", "/requests", "/?view=year"],
  ...["/balances", "/balances?show=closes"],
];

test.each(LANGUAGES.filter((language) => language !== "en"))(
  "%s: every view is accessible and fits a phone and a desk",
  async (language) => {
    const key = await addFive(web.server, `five-${language}`);
    await closeOctober(web.server.store, `five-${language}`);
    await web.visit(
      "/",
      async (page) => {
        await page.locator("h1").first().waitFor();
        const { lang, dir } = await page.evaluate(() => {
          const { lang, dir } = document.documentElement;
          return { lang, dir };
        });
        expect([lang, dir]).toEqual([language, language === "ar" ? "rtl" : "ltr"]);
        for (const path of VIEWS) {
          await page.goto(web.server.address + path);
          await page.locator("h1").first().waitFor();
          await page.waitForLoadState("networkidle");
          expect(await page.locator("main").textContent()).not.toMatch(/Loading|Nobody|Pending|Balance /);
          await expectAccessible(page);
          for (const width of [1440, 768, 390]) {
            await page.setViewportSize({ width, height: 800 });
            await expectNoSidewaysScroll(page);
          }
        }
      },
      { key, profile: { locale: language } },
    );
  },
  120_000,
);

test("the language can be chosen, and stays", () =>
  web.visit("/people", async (page) => {
    await page.getByRole("combobox", { name: "Language" }).selectOption({ label: "Deutsch" });
    await page.getByRole("heading", { name: "Personen" }).waitFor();
    await page.reload();
    await page.getByText("10 Personen").waitFor();
  }));

test("where the locale writes Arabic digits, the columns of days have them too", () =>
  web.visit(
    "/?who=everyone&view=month",
    async (page) => {
      await page.locator("li[data-row]").first().waitFor();
      const numbers = await page.locator(".day-number").allTextContents();
      expect(numbers.slice(0, 3).concat(numbers.at(-1)!)).toEqual(["١", "٢", "٣", "٣٠"]);
    },
    { profile: { locale: "ar-EG" } },
  ));

test("in Arabic a key is written from left to right", () =>
  web.visit(
    "/",
    async (page) => {
      const field = page.getByPlaceholder("rk_");
      await field.waitFor();
      expect(await field.evaluate((input) => getComputedStyle(input).direction)).toBe("ltr");
    },
    { key: null, profile: { locale: "ar-EG" } },
  ));

test("in Arabic a command is written from left to right", () =>
  web.visit(
    "/balances",
    async (page) => {
      await page.locator(".stepper", { hasText: ".xlsx" }).locator("button").first().click();
      const command = page.locator(".command code").first();
      await command.waitFor();
      const { direction, textAlign } = await command.evaluate((code) => getComputedStyle(code));
      expect([direction, textAlign]).toEqual(["ltr", "left"]);
    },
    { profile: { locale: "ar-EG" } },
  ));

test("in Arabic the name of a close and that of a holiday keep their own direction", async () => {
  const key = await addFive(web.server, "five-directions");
  await closeOctober(web.server.store, "five-directions");
  await web.visit(
    "/balances?show=closes",
    async (page) => {
      const heading = page.locator("h1", { hasText: "2026-10" });
      await heading.waitFor();
      const [year, month] = await heading.evaluate((element) => {
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        while (!texts.nextNode()?.textContent?.includes("2026-10"));
        const text = texts.currentNode;
        const at = text.textContent!.indexOf("2026-10");
        const leftOf = (from: number, to: number) => {
          const range = document.createRange();
          range.setStart(text, at + from);
          range.setEnd(text, at + to);
          return range.getBoundingClientRect().left;
        };
        return [leftOf(0, 4), leftOf(5, 7)];
      });
      expect(year).toBeLessThan(month!);
      await page.goto(`${web.server.address}/?day=2026-11-23`);
      const holiday = page.locator(".day-name", { hasText: "Long Monday" });
      await holiday.waitFor();
      // What is too long is cut at its end.
      expect(await holiday.evaluate((element) => getComputedStyle(element).direction)).toBe("ltr");
    },
    { key, profile: { locale: "ar-EG" } },
  );
});

test("in Arabic the hours of a holiday are read after its name", async () => {
  const key = await addFive(web.server, "five-hours");
  await web.visit(
    "/?day=2026-11-23",
    async (page) => {
      const holiday = page.locator(".legend li", { hasText: "Half Tuesday" });
      await holiday.waitFor();
      const [name, hours] = await holiday.evaluate((element) => {
        const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!;
        return [/Half/, /\S+\sس/].map((part) => {
          const range = document.createRange();
          range.setStart(text, part.exec(text.textContent!)!.index);
          range.setEnd(text, range.startOffset + 1);
          return range.getBoundingClientRect().left;
        });
      });
      expect(hours).toBeLessThan(name!); // from right to left
    },
    { key, profile: { locale: "ar" } },
  );
});

test("in Arabic the bracket at the end of a department or a policy in Latin letters is read at its end", async () => {
  const files = {
    ...FILES,
    "workers.csv": FILES["workers.csv"].replaceAll(",Sales,", ",Sales (EU),"),
    "policies.csv": FILES["policies.csv"].replace("Annual leave", "Annual (EU)"),
  };
  const key = await addCompany(web.server, "arabic-names", files);
  await web.visit(
    "/people",
    async (page) => {
      const expectEnd = async (name: string, place: string) => {
        const shown = page.locator(place, { hasText: name }).first();
        await shown.waitFor();
        const [first, bracket, isAtEdge] = await shown.evaluate((element, letters) => {
          const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!;
          const leftOf = (at: number) => {
            const range = document.createRange();
            range.setStart(text, at);
            range.setEnd(text, at + 1);
            return range.getBoundingClientRect().left;
          };
          const { textAlign } = getComputedStyle(element);
          return [
            leftOf(0),
            leftOf(letters - 1),
            element.localName === "a" || textAlign === "right",
          ] as const;
        }, name.length);
        expect([place, bracket > first, isAtEdge]).toEqual([place, true, true]);
      };
      await expectEnd("Sales (EU)", ".data-table td");
      await page.goto(`${web.server.address}/people/wrk_ana`);
      await expectEnd("Sales (EU)", ".person-head dd");
      await expectEnd("Annual (EU)", ".balance h3 a");
      await page.goto(`${web.server.address}/policies`);
      await expectEnd("Annual (EU)", "h2 a");
      await page.goto(`${web.server.address}/policies/top_annual`);
      await expectEnd("Annual (EU)", "h1");
    },
    { key, profile: { locale: "ar-EG" } },
  );
});

test("in Arabic today's line is where today begins, and a reason in Latin letters where its row begins", async () => {
  const files = {
    ...FILES,
    "requests.csv": FILES["requests.csv"]
      .replace("createdAt", "createdAt,reason")
      .replaceAll(/Z$/gm, "Z,Wedding"),
  };
  const key = await addCompany(web.server, "arabic-rows", files);
  await web.visit(
    "/?day=2026-11-21",
    async (page) => {
      const widths = await page.locator(".ground-day.today").evaluate((day) => {
        const { borderLeftWidth, borderRightWidth, boxShadow } = getComputedStyle(day);
        return [borderLeftWidth, borderRightWidth, boxShadow];
      });
      expect(widths).toEqual(["0px", "2px", "none"]);
      await page.goto(`${web.server.address}/people/wrk_ana`);
      const reason = page.locator(".requests tbody .narrow-only", { hasText: "Wedding" }).first();
      await reason.waitFor();
      expect(await reason.evaluate((element) => getComputedStyle(element).textAlign)).toBe("right");
    },
    { key, viewport: { width: 390, height: 800 }, profile: { locale: "ar-EG" } },
  );
});
