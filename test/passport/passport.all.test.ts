// The leave passport in a browser, from a file and without a network: its figures for any day are those that the API serves, nothing in the
// data runs, and everything that is stored of the person is in it.
import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { balance } from "../../src/balances/balance.ts";
import { withoutReasons } from "../../src/http/visibility.ts";
import { passportHtml } from "../../src/passport/html.ts";
import { passportOf } from "../../src/passport/passport.ts";
import type { Balance } from "../../src/resources/balances.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { dayOfText } from "../../src/time/day.ts";
import { type Tongue, tongueOf } from "../../src/web/texts/languages.ts";
import { rollcallHere } from "../cli/command.ts";
import { TODAY } from "../http/service.ts";
import { expectAccessible, useBrowser } from "../support/browser.ts";
import { folderOf, TestCompany, temporaryFolder } from "../support/import-files.ts";

const NAME = "</script><script>document.title = 'PWNED'</script><!-- &amp; Åsa";

const company = await TestCompany.open();
await company.import(
  {
    "workers.jsonl": `${JSON.stringify({
      ...{ legacyId: "E1", firstName: NAME, lastName: "Lind", email: "Ana@Acme.example", isBusiness: false },
      ...{ startDate: "2023-03-15", status: "active", type: "employee", timeZone: "Europe/Berlin" },
    })}
    {"legacyId":"E2","firstName":"Bo","lastName":"Dal","email":"bo@acme.example","isBusiness":false,"startDate":"2024-01-01","status":"active","type":"employee"}`,
    "policies.csv": `
      legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit,carryoverLimitMinutes,carryoverExpiresAfterMonths,prorate,waitingPeriodDays,scaleWith,hoursWorkedPerChunk,minutesPerChunk
      V,"Vacation <b>",yes,yearly,9600,Vacation,day,2400,3,yes,90,share,,
      W,Sick & more,yes,monthly,333.33,Sick,hour,,,yes,,,,
      H,By hours,yes,per_hour_worked,,Extra,hour,,,,,,30,1.5
      N,New vacation,yes,yearly,12000,Vacation,day,,,yes,,,,`,
    "policy_changes.csv": "policyId,from,minutesPerPeriod,carryoverLimitMinutes\nV,2025-01-01,10000,1200\n",
    "assignments.csv": `
      workerId,policyId,startsOn,endsOn,movesFrom,pauses
      E1,V,2023-03-15,,,2024-07-10/2024-08-04
      E1,W,2023-03-15,,,
      E1,H,2023-03-15,,,
      E1,N,2025-09-01,,V,
      E2,V,2024-01-01,,,`,
    "requests.csv": `
      legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId,reason
      R1,2025-01-01T00:00:00Z,2025-03-03T08:00:00+01:00,2025-03-07T16:00:00+01:00,2222.22,approved,V,E1,a secret of Ana \u2028 <!--<script>
      R2,2025-01-01T00:00:00Z,2026-03-03T08:00:00+01:00,2026-03-07T16:00:00+01:00,2400,pending,N,E1,
      R3,2025-01-01T00:00:00Z,2025-05-03T08:00:00+01:00,2025-05-07T16:00:00+01:00,999,approved,W,E1,
      R4,2025-01-01T00:00:00Z,2025-05-03T08:00:00+01:00,2025-05-07T16:00:00+01:00,999,approved,V,E2,a secret of Bo`,
    "adjustments.csv": "legacyId,workerId,policyId,date,minutes,note\nA1,E1,V,2024-02-01,123.45,a note\n",
    "work_hours.csv": "workerId,date,minutes\nE1,2025-01-07,480\nE1,2025-01-08,455\n",
    "openings.csv": "workerId,policyId,date,minutes\nE1,W,2024-12-31,1000.5\n",
    "schedules.csv":
      "workerId,startsOn,minutesPerWeekday,fullTimeMinutesPerWeek,holidayCalendar\nE1,2023-01-02,480 480 480 480 480 0 0,2400,DE\nE1,2025-04-01,240 240 240 240 240 0 0,2400,DE\n"
        .replaceAll("480 480 480 480 480 0 0", '"480,480,480,480,480,0,0"')
        .replaceAll("240 240 240 240 240 0 0", '"240,240,240,240,240,0,0"'),
    "holidays.csv": "calendar,date,name\nDE,2025-03-05,Some day\n",
    "reported.csv": "workerId,policyId,date,minutes\nE1,V,2025-01-31,5000\n",
  },
  { today: dayOfText(TODAY) },
);
const store = openSqliteReadStore(company.path);
afterAll(() => store.close());
const reader = store.company("acme");
const idOfAna = async () => (await company.stored()).workers.find(({ legacyId }) => legacyId === "E1")!.id;

const browser = useBrowser();

/** Opens a file without any network, and fails on whatever is asked for or goes wrong. */
async function opened(path: string, look: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser().newContext({ offline: true });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on("request", (request) => request.url().startsWith("file:") || wrong.push(request.url()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("dialog", (dialog) => wrong.push(dialog.message()));
  await page.goto(`file://${path}`);
  await look(page);
  expect(wrong).toEqual([]);
  await context.close();
}

const AMOUNTS = ["accruedUnlocked", "accruedLocked", "used", "holds", "available"] as const;

/** From a number as the file's language writes it. */
async function plainNumbers(page: Page): Promise<(text: string) => number> {
  const lang = (await page.locator("html").getAttribute("lang"))!;
  const digits = [...new Intl.NumberFormat(lang, { useGrouping: false }).format(9_876_543_210)].toReversed();
  const parts = new Intl.NumberFormat(lang).formatToParts(-1_000_000.5);
  const signs = new Map(parts.map(({ type, value }) => [type, value]));
  return (text) => {
    const bare = text.replaceAll(signs.get("group") ?? "", "").replace(signs.get("decimal")!, ".");
    const signed = bare.replace(signs.get("minusSign")!, "-");
    return Number([...signed].map((sign) => (digits.includes(sign) ? digits.indexOf(sign) : sign)).join(""));
  };
}

async function figures(page: Page, on: string): Promise<Record<string, number[]>> {
  await page.locator("#day").fill(on);
  const found: Record<string, number[]> = {};
  const plain = await plainNumbers(page);
  for (const section of await page.locator("section[data-policy]").all()) {
    const texts = AMOUNTS.map((name) => section.locator(`[data-amount=${name}]`).textContent());
    found[(await section.getAttribute("data-policy"))!] = (await Promise.all(texts)).map((text) =>
      plain(text!),
    );
  }
  return found;
}

test("figures of any day are those that are served, and nothing in the data runs", async () => {
  const folder = temporaryFolder();
  const shown = await rollcallHere(folder, [
    ...[
      "workers",
      "show",
      "ana@acme.EXAMPLE",
      "--company",
      "acme",
      "--db",
      company.path,
      "--out",
      "ana.html",
    ],
  ]);
  expect([shown.exitCode, shown.stderr]).toEqual([
    0,
    expect.stringContaining("ana.html is the leave passport of"),
  ]);
  const path = join(folder, "ana.html");
  expect(statSync(path).size).toBeLessThan(1_000_000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const html = readFileSync(path, "utf8");
  for (const text of ["a secret of Ana", "a note", "Some day", "1000.5", "R2"]) expect(html).toContain(text);
  for (const text of ["a secret of Bo", "bo@acme.example"]) expect(html).not.toContain(text);
  await opened(path, async (page) => {
    expect(await page.title()).toContain("PWNED'</script>"); // the name, as text
    expect(await page.title()).toStartWith("Leave passport of </script>");
    expect(await page.locator("#checked").textContent()).toMatch(
      /^(\d+) of \1 figures that were served come out the same/,
    );
    expect(await page.locator("#checked").getAttribute("class")).toBe("same");
    await expectAccessible(page);
    // On a phone no word of the figures is broken, and nothing is wider than it.
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    for (const row of await page.locator("section[data-policy] > table tbody tr").all())
      expect((await row.boundingBox())!.height).toBeLessThan(60); // two lines
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize(size);
    for (const on of [
      "2023-12-31",
      "2024-02-29",
      "2025-03-05",
      "2025-08-31",
      "2025-09-01",
      "2026-03-04",
      "2027-01-01",
    ]) {
      const list = await rollcallHere(folder, [
        "balances",
        "--company",
        "acme",
        "--db",
        company.path,
        "--on",
        on,
        "--json",
      ]);
      const served = (JSON.parse(list.stdout) as Balance[]).filter(
        ({ legacyWorkerId }) => legacyWorkerId === "E1",
      );
      const expected = served.map((one) => [one.policyId, AMOUNTS.map((name) => one[name])] as const);
      expect(await figures(page, on)).toEqual(Object.fromEntries(expected));
    }
    // As far ahead as the server gives balances. Years of daily grants would keep the browser busy.
    const isRefused = () => page.locator("#day").evaluate((input: HTMLInputElement) => !input.validity.valid);
    const [year, rest] = [Number(TODAY.slice(0, 4)) + 10, TODAY.slice(4)];
    expect(Object.keys(await figures(page, `${year}${rest}`))).toHaveLength(4);
    expect(await isRefused()).toBe(false);
    for (const on of ["9999-12-31", ""]) {
      expect(await figures(page, on)).toEqual({});
      expect(await isRefused()).toBe(true);
    }
    await page.locator("#day").fill("2027-01-01");
    const summaries = page.locator("section[data-policy] summary", { hasText: "steps" });
    expect(await summaries.count()).toBe(4);
    const steps = page.locator("section[data-policy] details tbody tr");
    expect(await steps.count()).toBe(0);
    await summaries.first().click();
    await steps.nth(1).waitFor();
    const data = JSON.parse((await page.locator("#passport").textContent())!);
    expect(data.worker.firstName).toBe(NAME);
    expect(Object.keys(data.stored)).toEqual([
      "workers",
      "assignments",
      "requests",
      "adjustments",
      "work_hours",
      "openings",
      "schedules",
      "reported",
    ]);
    expect(data.stored.adjustments).toMatchObject([{ legacyId: "A1", minutes: 123.45, note: "a note" }]);
  });
});

/** The file's own words, steps included: names, cells of stored rows and JSON are data. */
async function ownWords(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    for (const part of document.querySelectorAll("details")) part.open = true;
  });
  await page.waitForFunction(
    () => document.querySelectorAll("section > details:not(:has(> table, > pre))").length === 0,
  );
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const words: string[] = [document.title];
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (parentElement!.closest("bdi, pre, .stored, script") === null && textContent!.trim() !== "")
        words.push(textContent!);
    }
    return words;
  });
}

test.each(["de-AT", "ja", "ar"])(
  "in %s it has the figures served, and no English word of its own",
  async (tag) => {
    const passport = (await passportOf(reader, await idOfAna(), dayOfText(TODAY)))!;
    const plain = { ...passport, worker: { ...passport.worker, displayName: "Åsa" } };
    const written = async (tongue?: Tongue) => {
      const path = join(folderOf({}), "x.html");
      await Bun.write(path, await passportHtml(plain, tongue));
      expect(statSync(path).size).toBeLessThan(1_000_000);
      return path;
    };
    let english: string[] = [];
    await opened(await written(), async (page) => {
      english = await ownWords(page);
    });
    await opened(await written(tongueOf([tag])!), async (page) => {
      expect(await page.locator("html").getAttribute("lang")).toBe(tag);
      expect(await page.locator("html").getAttribute("dir")).toBe(tag === "ar" ? "rtl" : "ltr");
      expect(await page.locator("#checked").getAttribute("class")).toBe("same");
      await expectAccessible(page);
      const own = await ownWords(page);
      expect(own).toHaveLength(english.length);
      const data = [...passport.policies.map(({ name }) => name), "Person"]; // the word is German, too
      const same = own.filter(
        (text, at) => text === english[at] && /[a-z]{2}/i.test(text) && !data.includes(text),
      );
      expect(same).toEqual([]);
      const englishWord = /\b(?:the|and|of|for|on|Rollcall \d\S* by|Granted|Used|Pending|Left|days?)\b/;
      expect(own.filter((text) => englishWord.test(text) && !data.includes(text))).toEqual([]);
      for (const on of ["2023-12-31", "2025-03-05", "2025-09-01"]) {
        const served = passport.balances.filter(({ openedOn }) => openedOn === null || openedOn <= on);
        const expected = served.map(({ policyId, facts }) => {
          const amounts = balance(facts, { today: dayOfText(TODAY), endDate: dayOfText(on) });
          return [policyId, AMOUNTS.map((name) => amounts[name])];
        });
        expect(await figures(page, on)).toEqual(Object.fromEntries(expected));
      }
    });
  },
);

test("a stored row shows each column in which some row has a value, and no other", async () => {
  const passport = (await passportOf(reader, await idOfAna(), dayOfText(TODAY)))!;
  const path = join(folderOf({}), "x.html");
  await Bun.write(path, await passportHtml(passport));
  await opened(path, async (page) => {
    const tables = page.locator(".stored");
    for (const [at, rows] of Object.values(passport.stored)
      .filter((rows) => rows.length > 0)
      .entries()) {
      const filled = rows.flatMap((row) =>
        Object.keys(row).filter((name) => row[name] !== null && row[name] !== ""),
      );
      const shown = await tables.nth(at).locator("th").allTextContents();
      expect(shown.toSorted()).toEqual([...new Set(filled)].sort());
    }
  });
});

test("no name is cut at the edge of a phone or a sheet, and a policy's name has its own direction", async () => {
  const passport = (await passportOf(reader, await idOfAna(), dayOfText(TODAY)))!;
  const name = `${"x".repeat(200)} (EU)`;
  const long = {
    ...passport,
    worker: { ...passport.worker, displayName: name },
    balances: passport.balances.map((owned) => ({ ...owned, policyName: name })),
    policies: passport.policies.map((policy) => ({ ...policy, name })),
  };
  const path = join(folderOf({}), "long.html");
  await Bun.write(path, await passportHtml(long, { language: "ar", locale: "ar-EG" }));
  await opened(path, async (page) => {
    await page.locator("section[data-policy]").first().waitFor();
    for (const [media, width] of [
      ["screen", 390],
      ["print", 720],
    ] as const) {
      await page.emulateMedia({ media });
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    expect(await page.locator("summary bdi").allTextContents()).toEqual(long.policies.map(() => name));
    const heads = page.locator("h1, h2, h3");
    const breaks = await heads.evaluateAll((all) => all.map((each) => getComputedStyle(each).breakAfter));
    expect(new Set(breaks)).toEqual(new Set(["avoid"])); // none stands alone at the foot of a sheet
  });
});

test("a figure that was changed in the file is told", async () => {
  const passport = (await passportOf(reader, await idOfAna(), dayOfText(TODAY)))!;
  const path = join(folderOf({}), "x.html");
  await Bun.write(path, await passportHtml(passport));
  await opened(path, async (page) =>
    expect(await page.locator("#checked").getAttribute("class")).toBe("same"),
  );
  const served = passport.balances[0]!.served.map((one) => ({ ...one, used: one.used + 0.01 }));
  const changed = {
    ...passport,
    balances: [{ ...passport.balances[0]!, served }, ...passport.balances.slice(1)],
  };
  await Bun.write(path, await passportHtml(changed));
  await opened(path, async (page) => {
    expect(await page.locator("#checked").getAttribute("class")).toBe("other");
    expect(await page.locator("section .other").first().textContent()).toContain("Served:");
  });
});

test("whoever sees no reasons gets none, and nobody gets another company's person", async () => {
  const id = await idOfAna();
  const passport = await passportOf(withoutReasons(reader), id, dayOfText(TODAY), { hidesReasons: true });
  const hidden = JSON.stringify(passport);
  expect(hidden).not.toContain("a secret of Ana");
  expect(hidden).not.toContain("a note");
  const path = join(folderOf({}), "x.html");
  await Bun.write(path, await passportHtml(passport!));
  await opened(path, async (page) =>
    expect(await page.getByText("Reasons and notes are left out").count()).toBe(1),
  );
  expect(await passportOf(store.company("none"), id, dayOfText(TODAY))).toBeNull();
  expect(await passportOf(reader, "wrk_nobody", dayOfText(TODAY))).toBeNull();
});

test("a name that is nobody's, or several people's, is a mistake", async () => {
  const show = (name: string, ...more: string[]) =>
    rollcallHere(temporaryFolder(), [
      "workers",
      "show",
      name,
      "--company",
      "acme",
      "--db",
      company.path,
      ...more,
    ]);
  expect(await show("nobody")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("see rollcall workers list"),
  });
  expect((await show("E1", "--out", "no/such/folder.html")).stderr).toContain(
    "--out: no/such/folder.html cannot be written",
  );
  expect(JSON.parse((await show("E2")).stdout).worker.legacyId).toBe("E2");
});

test("the language is the one asked for, else that of the environment, else English", async () => {
  const written = async (lang: string, ...more: string[]) => {
    const folder = temporaryFolder();
    const args = ["workers", "show", "E2", "--company", "acme", "--db", company.path, ...more];
    const { exitCode, stderr } = await rollcallHere(folder, args, { LANG: lang });
    const file = join(folder, "x.html");
    return {
      exitCode,
      stderr,
      lang: existsSync(file) ? /<html lang="([^"]+)"/.exec(readFileSync(file, "utf8"))![1] : null,
    };
  };
  const out = ["--out", "x.html"];
  expect(await written("C.UTF-8", ...out)).toMatchObject({ exitCode: 0, lang: "en-GB" });
  expect(await written("sv_SE.UTF-8", ...out)).toMatchObject({ exitCode: 0, lang: "en-GB" });
  expect(await written("de_AT.UTF-8", ...out)).toMatchObject({ exitCode: 0, lang: "de-AT" });
  expect(await written("de_AT.UTF-8", ...out, "--language", "ja")).toMatchObject({ exitCode: 0, lang: "ja" });
  for (const bad of ["sv", "german", "", "d_e"])
    expect(await written("", ...out, "--language", bad)).toMatchObject({
      ...{ exitCode: 2, lang: null },
      stderr: expect.stringContaining(
        `--language: "${bad}" is no language of Rollcall: use one of en, de, fr,`,
      ),
    });
  expect(await written("", "--language", "de")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--language is the language of a passport: give its file with --out"),
  });
});
