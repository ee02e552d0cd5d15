// A company with long words, in hours and in days, on phones, at 200 % zoom and on paper: nothing covers anything, no word is broken,
// and no figure is left out. Today is Saturday, 21 November 2026.
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { closeOctober } from "./demo-server.ts";
import { addCompany } from "./five.ts";
import { expectNoSidewaysScroll, goOn, useWeb } from "./visit.ts";

const web = useWeb({ workers: 10 });

const FILES = {
  "workers.csv": `
    legacyId,firstName,lastName,position,email,startDate,status,type,isBusiness,timeZone,department
    1,Anna,Schmidt,Vertriebsbeauftragte,anna@nord.example,2024-01-01,active,employee,no,Europe/Berlin,Geschäftsführung
    2,Mona,Arabi,Entwicklerin,mona@nord.example,2024-01-01,active,employee,no,Europe/Berlin,Informationstechnologie und Digitalisierung
    3,Zacharias-Maximilian,Hohenstein-Weißenburg,Sachbearbeiter für Vertragsangelegenheiten in Österreich,zac@nord.example,2024-01-01,inactive,employee,no,Europe/Berlin,`,
  "policies.csv": `
    legacyId,name,paid,unit,schedule,minutesPerPeriod,timeOffTypeName
    days,Jahresurlaub nach Betriebsvereinbarung,yes,day,yearly,14400,Urlaub
    hours,Gleitzeit,yes,hour,monthly,600,Zeitausgleich`,
  "assignments.csv": `
    workerId,policyId,startsOn
    1,days,2026-01-01
    2,days,2026-01-01
    1,hours,2026-01-01`,
  "requests.csv": `
    legacyId,workerId,timeOffPolicyId,status,startAt,endAt,requestedMinutes,createdAt,reason
    r1,1,days,approved,2026-10-11T22:00:00Z,2026-10-14T22:00:00Z,1440,2026-08-05T08:00:00Z,Familienzusammenkunft
    r2,1,hours,approved,2026-10-20T06:00:00Z,2026-10-20T09:30:00Z,210,2026-10-05T08:00:00Z,Arzt
    r3,1,days,pending,2026-12-20T23:00:00Z,2026-12-23T23:00:00Z,1440,2026-11-05T08:00:00Z,`,
};

let key: Promise<string> | undefined;
async function company(): Promise<string> {
  key ??= addCompany(web.server, "nord", FILES).then(async (made) => {
    await closeOctober(web.server.store, "nord");
    return made;
  });
  return key;
}

const VIEWS = ["", "&show=movements", "&show=year", "&show=closes"].map(
  (show) => `/balances?on=2026-10-31${show}`,
);

test.each(["de-DE", "pl-PL"])(
  "in %s the narrowest phone cuts no word of a person, the calendar, lists and balances",
  async (locale) => {
    const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: await company() });
    const anna = (await rollcall.workers.list().toArray()).find(({ firstName }) => firstName === "Anna")!;
    await web.visit(
      "/policies",
      async (page) => {
        for (const [path, ready] of [
          [`/people/${anna.id}`, ".requests tbody tr"],
          ["/", ".away-lists h2"],
          ["/people", "tbody tr .pill"],
          ["/requests?show=all", "tbody tr .pill"],
          ["/balances?on=2026-10-31", "tbody tr"],
        ] as const) {
          await goOn(page, path);
          await page.locator(ready).first().waitFor();
          await expectNoSidewaysScroll(page);
          expect([path, ...(await faultsOf(page))]).toEqual([path]);
          const outside = await page
            .locator("main :is(.filters > *, .away-list > header > *):visible")
            .evaluateAll((all) =>
              all.flatMap((each) => {
                const right = Math.min(innerWidth - 16, each.parentElement!.getBoundingClientRect().right);
                return each.getBoundingClientRect().right > right + 1 ? [each.textContent] : [];
              }),
            );
          expect([path, ...outside]).toEqual([path]);
          // Nothing stands beside a person's name.
          const head = page.locator(".person-head");
          if ((await head.count()) > 0)
            expect((await head.locator(".pill").boundingBox())!.y).toBeGreaterThan(
              (await head.locator("h1").boundingBox())!.y + 20,
            );
          // A name has the whole width, whatever stands beside it.
          for (const name of await page.locator("main .data-table tbody tr[data-index] > th").all())
            expect([path, (await name.boundingBox())!.width]).toEqual([path, 320 - 2 * 16]);
        }
      },
      {
        key: await company(),
        viewport: { width: 320, height: 640 },
        profile: { locale, timezoneId: "Europe/Berlin" },
      },
    );
  },
);

/** What reaches over the next cell, and words that are broken in two lines. */
function faultsOf(page: Page): Promise<string[]> {
  return page.locator("main table :is(th, td):visible").evaluateAll((cells) =>
    cells.flatMap((cell) => {
      const edge = cell.getBoundingClientRect();
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const faults: string[] = [];
      while (texts.nextNode()) {
        const text = texts.currentNode as Text;
        if (
          !text.parentElement!.checkVisibility() ||
          getComputedStyle(text.parentElement!).textOverflow !== "clip"
        )
          continue;
        for (const { index, 0: word } of text.data.matchAll(/[\p{L}\d.,]+/gu)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          const { left, right, bottom } = range.getBoundingClientRect();
          if (lines.size > 1) faults.push(`broken: ${word}`);
          if (left < edge.left - 1 || right > edge.right + 1 || bottom > edge.bottom + 1)
            faults.push(`outside: ${word}`);
        }
      }
      return faults;
    }),
  );
}

for (const width of [1440, 1040, 720, 390, 320])
  test(`at ${width} pixels no long name covers a figure, and no word is broken`, async () => {
    await web.visit(
      "/policies",
      async (page) => {
        for (const view of VIEWS) {
          await goOn(page, view);
          await page.locator("tbody tr").first().waitFor();
          await page.getByText("Informationstechnologie").first().waitFor();
          expect([view, ...(await faultsOf(page))]).toEqual([view]);
          await expectNoSidewaysScroll(page);
        }
      },
      { key: await company(), viewport: { width, height: 800 } },
    );
  });

test.each(["de-DE", "pl-PL"])(
  "in %s tables of balances fit a window of 900 pixels, to ten columns, and no field is indented in its line",
  async (locale) => {
    await web.visit(
      "/policies",
      async (page) => {
        for (const [path, columns] of [
          ["/balances?on=2026-11-01&show=movements", 10], // after a close
          ["/balances?on=2026-10-01&show=movements", 9],
          ["/balances?by=none", 8],
          ["/balances", 9],
        ] as const) {
          await goOn(page, path);
          await page.locator(`thead tr:has(th:nth-child(${columns}):last-child)`).waitFor();
          await page.locator("tbody tr").first().waitFor();
          await expectNoSidewaysScroll(page);
          expect([path, ...(await faultsOf(page))]).toEqual([path]);
        }
        const bar = page.locator(".filters").first();
        const [start, starts] = await bar.evaluate((each) => {
          const boxes = [...each.children].map((child) => child.getBoundingClientRect());
          // Of each line: its first field. What stands at the end of its line is not looked at.
          const lines = Map.groupBy(boxes, ({ top, height }) => Math.round((top + height / 2) / 20));
          return [
            each.getBoundingClientRect().left,
            [...lines.values()].map((line) => Math.min(...line.map(({ left }) => left))),
          ];
        });
        expect(starts.length).toBeGreaterThan(1);
        expect(starts).toEqual(starts.map(() => start));
      },
      { key: await company(), viewport: { width: 900, height: 800 }, profile: { locale } },
    );
  },
);

test("in a wide window long names, jobs, departments and policies are whole", async () => {
  await web.visit(
    "/policies",
    async (page) => {
      for (const [path, ready] of [
        ["/?view=month&day=2026-12-01&who=everyone", ".calendar .who"],
        ["/people", "tbody tr .pill"],
        ["/requests?show=all", "tbody tr .pill"],
        ["/balances?by=none", "tbody tr"],
        ["/balances?show=closes", "tbody tr"],
      ] as const) {
        await goOn(page, path);
        await page.locator(ready).first().waitFor();
        const cut = await page
          .locator("main .clip:visible")
          .evaluateAll((all) =>
            all.flatMap((each) => (each.scrollWidth > each.clientWidth ? [each.textContent] : [])),
          );
        expect([path, ...cut, ...(await faultsOf(page))]).toEqual([path]);
      }
    },
    { key: await company(), viewport: { width: 1280, height: 800 } },
  );
});

test.each(["de-DE", "nl-NL", "pl-PL"])(
  "in %s with wider spaces between letters and words (WCAG 1.4.12), no label, bill or cell breaks a word, and nothing is wider than a phone",
  async (locale) => {
    const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: await company() });
    const anna = (await rollcall.workers.list().toArray()).find(({ firstName }) => firstName === "Anna")!;
    await web.visit(
      "/policies",
      async (page) => {
        await page.evaluate(() => {
          const spacing = new CSSStyleSheet();
          spacing.replaceSync(
            "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }",
          );
          document.adoptedStyleSheets = [spacing];
        });
        for (const path of ["/", "/people", "/requests?show=all", ...VIEWS, `/people/${anna.id}`]) {
          await goOn(page, path);
          await page.locator("main :is(.away-list h2, tbody tr)").filter({ visible: true }).first().waitFor();
          expect([path, ...(await faultsOf(page))]).toEqual([path]);
          const broken = await page
            .locator(
              "main :is(.filters :is(label, span, button), .bill > li > button > span, .away-list :is(h2, p)):visible",
            )
            .evaluateAll((all) =>
              all.flatMap((each) => {
                const word = document.createRange();
                const text = each.lastChild; // after a swatch
                if (!(text instanceof Text)) return [];
                return [...text.data.matchAll(/\S+/g)].flatMap(({ index, 0: letters }) => {
                  word.setStart(text, index);
                  word.setEnd(text, index + letters.length);
                  return word.getClientRects().length > 1 ? [letters] : [];
                });
              }),
            );
          expect([path, ...broken]).toEqual([path]);
          await expectNoSidewaysScroll(page);
        }
      },
      { key: await company(), viewport: { width: 320, height: 640 }, profile: { locale } },
    );
  },
);

test("on paper no long name covers a figure, and no word is broken", async () => {
  await web.visit(
    "/policies",
    async (page) => {
      for (const view of VIEWS) {
        await page.emulateMedia({ media: "screen" });
        await goOn(page, view);
        await page.getByText("Informationstechnologie").first().waitFor();
        await page.emulateMedia({ media: "print" });
        expect([view, ...(await faultsOf(page))]).toEqual([view]);
        expect(await page.locator(".rest:visible").count()).toBe(0);
      }
    },
    { key: await company(), viewport: { width: 1047, height: 718 } }, // A4 on its side, without its margins
  );
});

test("on a phone what a month granted and used stands below its row, and so do the other months of a year", async () => {
  await web.visit(
    "/balances?on=2026-10-31&show=movements",
    async (page) => {
      const below = page.locator("tr.rest");
      const management = below.filter({ hasText: "Used, days: 3" }).nth(1); // the first is the total
      await management.waitFor();
      // 30 days, of which 304 of 365 are earned, less 3 that are used.
      expect(await management.locator("span").allTextContents()).toEqual([
        "Policy: Jahresurlaub nach Betriebsvereinbarung",
        "Used, days: 3",
        "Owed, days: 21.99",
      ]);
      await goOn(page, "/balances?on=2026-10-01&show=year");
      await page.getByRole("button", { name: ".xlsx" }).waitFor(); // all months are there
      expect((await below.first().innerText()).match(/\w{3}: [\d.]+/g)).toHaveLength(10); // the other two are in the row
    },
    { key: await company(), viewport: { width: 390, height: 800 } },
  );
});

test("who has policies in days and in hours can choose both or hours, and tables have all in days", async () => {
  const units = (page: Page) => page.getByRole("group", { name: /^(Unit|Einheit)$/ }).getByRole("button");
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: await company() });
  const [anna, mona] = (await rollcall.workers.list().toArray()).toSorted((a, b) =>
    a.displayName.localeCompare(b.displayName),
  );
  const look = async (page: Page) => {
    await page.locator(".balance-now").nth(1).waitFor();
    return units(page).allTextContents();
  };
  const options = { key: await company() };
  expect(await web.visit(`/people/${anna!.id}`, look, options)).toEqual(["Days, Hours", "Hours"]);
  await web.visit(
    `/people/${mona!.id}`,
    async (page) => {
      await page.locator(".balance-now").first().waitFor();
      expect(await units(page).allTextContents()).toEqual(["Days", "Hours"]);
      await goOn(page, VIEWS[1]!);
      await page.locator("tbody tr").first().waitFor();
      expect(await units(page).allTextContents()).toEqual(["Days", "Hours"]);
    },
    options,
  );
  const german = { ...options, profile: { locale: "de-DE" } };
  expect(await web.visit(`/people/${anna!.id}`, look, german)).toEqual(["Tage, Stunden", "Stunden"]);
});
