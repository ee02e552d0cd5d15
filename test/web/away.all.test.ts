import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { expectAccessible } from "../support/browser.ts";
import { holidayRow, policyRow, requestRow, workerRow, workplaceRow } from "../support/rows.ts";
import { addCompany, addKey } from "../support/stores.ts";
import { workbookRows } from "../support/workbook-rows.ts";
import { TODAY } from "./demo-server.ts";
import { useWeb } from "./visit.ts";

const web = useWeb();

const rows = (page: Page) => page.locator(".timeline li[data-row]");
const bars = (page: Page) => page.locator(".timeline .absence");
const shown = (page: Page) => page.locator(".head [role=status]");

const client = () => new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });

test("the first screen says who is away today and next, until when, and back on which day", async () => {
  const rollcall = client();
  const filters = {
    startsBefore: "2026-11-23",
    endsOnOrAfter: "2026-11-20",
    statuses: ["approved"],
  } as const;
  const requests = await rollcall.requests.list(filters).toArray();
  const request = requests.find(
    ({ startAt, endAt }) => startAt < "2026-11-20" && endAt > "2026-11-25" && endAt < "2026-12-20",
  )!;
  const worker = await rollcall.workers.retrieve(request.workerId);
  const zone = request.timeZone ?? worker.timeZone ?? "UTC";
  const lastDay = new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "numeric", month: "short" });
  const until = lastDay.format(Date.parse(request.endAt) - 1);
  await web.visit("/", async (page) => {
    const today = page.getByRole("region", { name: /^Away today/ });
    const item = today.getByRole("listitem").filter({ hasText: worker.displayName });
    await page.getByRole("button", { name: "Show all" }).click();
    await item.waitFor();
    expect(await item.textContent()).toContain(until);
    expect(await item.textContent()).toMatch(/back \w{3},? \d+ \w+$/);
    const next = page.getByRole("region", { name: /^Away next/ });
    expect(await next.getByRole("listitem").count()).toBeGreaterThan(0);
    expect(page.url()).toContain("lists=open");
    await page.getByRole("button", { name: "Show less" }).click();
    await page.locator("[data-open=false]").waitFor();
    // How many names are in sight depends on the window: the only count is of everybody who is away.
    expect(
      await page
        .locator("[data-open=false]")
        .getByText(/\bmore\b/)
        .count(),
    ).toBe(0);
    const box = (await today.boundingBox())!;
    expect(box.height).toBeLessThan(40);
    expect((await page.locator(".timeline").boundingBox())!.y).toBeGreaterThan(box.y);
  });
});

test("who is next comes first; by department, location or manager there are groups", async () => {
  await web.visit("/?view=month", async (page) => {
    await rows(page).first().waitFor();
    const names = () => page.locator(".timeline .who a").allTextContents();
    const byNext = await names();
    await page.getByRole("combobox", { name: "Sort by" }).selectOption("name");
    await page.waitForURL(/order=name/);
    expect(await names()).not.toEqual(byNext);
    for (const order of ["department", "location", "manager"]) {
      await page.getByRole("combobox", { name: "Sort by" }).selectOption(order);
      await page.locator(".timeline-group").first().waitFor();
      expect(page.url()).toContain(`order=${order}`);
    }
    await page.getByRole("button", { name: "Show all" }).click();
    const region = page.getByRole("region", { name: /^Away next/ });
    await region.locator(".group-name").first().waitFor();
  });
});

test("on a weekend the next week opens, with everybody who is away in it", async () => {
  const rollcall = client();
  const filters = { startsBefore: "2026-11-30", endsOnOrAfter: "2026-11-23" };
  const requests = await rollcall.requests.list({ ...filters, statuses: ["approved", "pending"] }).toArray();
  const policies = await rollcall.policies.list().toArray();
  const absent = new Set(policies.filter(({ isAbsence }) => isAbsence).map(({ id }) => id));
  await web.visit("/", async (page) => {
    await page.getByRole("heading", { name: "23–29 November 2026" }).waitFor();
    await rows(page).first().waitFor();
    const numbers = (await shown(page).textContent())!.match(/\d+/g)!; // away, and asked
    const people = numbers.reduce((sum, text) => sum + Number(text), 0);
    const expected = new Set(
      requests.filter(({ timeOffPolicyId }) => absent.has(timeOffPolicyId)).map(({ workerId }) => workerId),
    ).size;
    expect(Math.abs(people - expected)).toBeLessThanOrEqual(2); // UTC weeks and people's own weeks differ by hours
    // Everybody on the first screen is away in this week: no row is empty.
    for (const row of await rows(page).all())
      expect(await row.locator(".absence").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Previous week" }).click();
    const today = page.locator(".days [aria-current=date]");
    await today.waitFor();
    expect(await today.textContent()).toMatch(/^Sat,? 21 Nov: \d+ away.*, of \d+/);
  });
});

test("month, other days and back to today: all of it in the address", async () => {
  const { address } = web.server;
  await web.visit("/", async (page) => {
    await page.getByRole("button", { name: "Month" }).click();
    await page.getByRole("button", { name: "Next month" }).click();
    await page.getByRole("heading", { name: "December 2026" }).waitFor();
    expect(page.url()).toBe(`${address}/?view=month&day=2026-12-01`);
    await page.reload();
    await page.getByRole("heading", { name: "December 2026" }).waitFor();
    await rows(page).first().waitFor();
    expect(await page.locator(".days .day").count()).toBe(31);
    expect(await page.locator(".absence.pending").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Today" }).click();
    expect(page.url()).toBe(`${address}/?view=month`);
  });
});

test("leave during which people work is shown on request, other kinds can be left out, and requests chosen by status", async () => {
  const rollcall = client();
  const policies = await rollcall.policies.list().toArray();
  const home = policies.find(({ timeOffTypeName }) => timeOffTypeName === "Working from home")!;
  const [request] = await rollcall.requests
    .list({ policyIds: [home.id], statuses: ["approved"], startsOnOrAfter: "2026-11-01" })
    .toArray();
  const worker = await rollcall.workers.retrieve(request!.workerId);
  const where = `view=month&day=${request!.endAt.slice(0, 10)}&name=${encodeURIComponent(worker.displayName)}`;
  await web.visit(`/?${where}`, async (page) => {
    await page.getByRole("button", { name: "Filters" }).click();
    const kind = page.getByRole("combobox", { name: "Type of leave: All but Working from home" });
    await kind.waitFor();
    const atHome = page.getByRole("button", { name: /: Working from home/ });
    expect(await atHome.count()).toBe(0);
    await kind.click();
    await page.getByRole("option", { name: "Working from home" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Type of leave: All", exact: true }).waitFor();
    await atHome.first().waitFor();
    await page.getByRole("combobox", { name: "Type of leave: All", exact: true }).click();
    await page.getByRole("option", { name: "Vacation" }).click();
    await page.keyboard.press("Escape");
    await page.waitForURL(/with=.*without=|without=.*with=/);
    await atHome.first().waitFor();
    await page.goto(`${web.server.address}/?view=month&day=2026-12-01`);
    await rows(page).first().waitFor();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("combobox", { name: "Request: All" }).click();
    await page.getByRole("option", { name: "Pending" }).click();
    await page.keyboard.press("Escape");
    await page.waitForURL(/request=pending/);
    expect(await bars(page).count()).toBeGreaterThan(0);
    expect(await page.locator(".absence:not(.pending)").count()).toBe(0);
  });
});

test("filters narrow the people, by name, status, type, policy and department", async () => {
  await web.visit("/?who=everyone", async (page) => {
    await rows(page).first().waitFor();
    const all = await shown(page).textContent();
    await page.getByRole("searchbox", { name: "Search people" }).fill("garcia");
    await page.waitForURL(/name=garcia/);
    for (const name of await page.locator(".who a").allTextContents()) expect(name).toMatch(/Garc[ií]a/i);

    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("combobox", { name: "Employment: All" }).click();
    await page.getByRole("option", { name: "Contractor" }).click();
    await page.keyboard.press("Escape");
    await page.waitForURL(/type=contractor/);
    await page.getByRole("combobox", { name: "Policy: All" }).click();
    await page.getByRole("option", { name: "Jahresurlaub (DE)" }).click();
    await page.keyboard.press("Escape");
    await page.getByText(/Nobody matches/).waitFor(); // contractors have no annual leave of Germany
    await page.getByRole("button", { name: "Clear" }).click();
    await rows(page).first().waitFor();
    expect(await shown(page).textContent()).toBe(all);
    await page.getByRole("combobox", { name: "Department: All" }).click();
    await page.getByRole("option", { name: "Finance" }).click();
    await page.keyboard.press("Escape");
    await page.waitForURL(/department=Finance/);
    expect(await shown(page).textContent()).not.toBe(all);
  });
});

test("filters come with the link", async () => {
  await web.visit("/?who=everyone&status=inactive,offboarding&view=month", async (page) => {
    await rows(page).first().waitFor();
    await page.getByRole("combobox", { name: "Employment status: Offboarding +1" }).waitFor();
    await page.getByRole("button", { name: "Everyone", pressed: true }).waitFor();
  });
});

test("a bar opens the details of an absence, to the mouse and to the keyboard", async () => {
  await web.visit("/", async (page) => {
    const bar = bars(page).first();
    await bar.focus();
    await page.keyboard.press("Enter");
    const card = page.getByRole("dialog");
    await card.getByText("Time zone").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "hidden" });
    expect(await bar.evaluate((element) => element === document.activeElement)).toBe(true);
    await bar.hover();
    await card.waitFor();
  });
});

test("on a phone, days beyond an edge are hinted at, and every bar has an accessible name", async () => {
  await web.visit(
    "/?day=2026-11-16",
    async (page) => {
      await bars(page).first().waitFor();
      const frame = page.locator(".timeline-frame");
      const hints = () =>
        frame.evaluate((element) =>
          ["::before", "::after"].map((side) => Number(getComputedStyle(element, side).opacity)),
        );
      const scroller = page.locator(".timeline");
      for (const [share, more, shown] of [
        [0, "after", [0, 1]],
        [0.5, "both", [1, 1]],
        [1, "before", [1, 0]],
      ] as const) {
        await scroller.evaluate((element, to) => {
          element.scrollLeft = (element.scrollWidth - element.clientWidth) * to;
        }, share);
        await page.locator(`.timeline-frame[data-more=${more}]`).waitFor();
        expect(await hints()).toEqual([...shown]);
      }
      const names = await bars(page).evaluateAll((all) => all.map((bar) => bar.getAttribute("aria-label")));
      for (const name of names) expect(name).toMatch(/^.+: .+, (Approved|Pending), .*\d/);

      await page.setViewportSize({ width: 1280, height: 800 });
      await page.locator(".timeline-frame[data-more=none]").waitFor();
      expect(await hints()).toEqual([0, 0]);
    },
    { viewport: { width: 390, height: 844 } },
  );
});

test("arrow keys move between people", async () => {
  await web.visit("/", async (page) => {
    await page.locator(".who a").first().focus();
    await page.keyboard.press("ArrowDown");
    const focused = page.locator("[data-row='1'] .who a");
    expect(await focused.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

test("a part of a day lies at its hours in the person's own zone, and says the viewer's", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const requests = await rollcall.requests.list({ statuses: ["approved"], endsBefore: TODAY }).toArray();
  const request = requests.find(
    ({ startAt, endAt, timeZone }) =>
      timeZone === "Pacific/Auckland" && Date.parse(endAt) - Date.parse(startAt) === 2 * 3_600_000,
  );
  const start = new Intl.DateTimeFormat("sv-SE", {
    timeZone: "Pacific/Auckland",
    dateStyle: "short",
    timeStyle: "short",
  }).format(new Date(request!.startAt));
  const [day, time] = start.split(" ") as [string, string];
  const worker = await rollcall.workers.retrieve(request!.workerId);
  await web.visit(`/?day=${day}&name=${encodeURIComponent(worker.displayName)}`, async (page) => {
    const bar = page.locator(".absence.part", { hasText: time }).first();
    await bar.waitFor();
    const left = Number.parseFloat(
      (await bar.getAttribute("style"))!.match(/inset-inline-start: ([\d.]+)%/)![1]!,
    );
    const weekday = (new Date(day).getUTCDay() + 6) % 7;
    const [hours, minutes] = time.split(":").map(Number) as [number, number];
    expect(left).toBeCloseTo(((weekday + (hours * 60 + minutes) / 1440) / 7) * 100, 2);
    await bar.click();
    const card = page.getByRole("dialog");
    await card.getByText("Pacific/Auckland").waitFor();
    await card.getByText("For you").waitFor(); // the browser is in UTC
  });
});

test("five thousand people scroll and filter without a stall", async () => {
  const people = Array.from({ length: 5_000 }, (_, index) => String(index).padStart(4, "0"));
  await addCompany(web.server.store.writer, "large", {
    workers: people.map((number) => workerRow(`wrk_${number}`, { displayName: `Person ${number}` })),
    policies: [policyRow("top_annual")],
    requests: people.map((number) =>
      requestRow(`tor_${number}`, `wrk_${number}`, "top_annual", {
        startAt: "2026-11-18T00:00:00.000Z",
        endAt: "2026-11-20T00:00:00.000Z",
      }),
    ),
  });
  await web.visit(
    "/?day=2026-11-16",
    async (page) => {
      await page.getByText("5,000 away", { exact: true }).waitFor();
      expect(await rows(page).count()).toBeLessThan(60);
      await page.evaluate(() => {
        const stalls: number[] = [];
        Object.assign(window, { stalls });
        new PerformanceObserver((list) => {
          stalls.push(...list.getEntries().map(({ duration }) => duration));
        }).observe({ entryTypes: ["longtask"] });
      });
      for (const share of [0.2, 0.5, 0.8, 1]) {
        await page
          .locator(".timeline")
          .evaluate((element, to) => element.scrollTo(0, element.scrollHeight * to), share);
        await page.waitForTimeout(50);
      }
      await page.getByRole("link", { name: "Person 4999" }).waitFor();
      await page.getByRole("searchbox").pressSequentially("4321");
      await page.getByText("1 away", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Person 4321" }).waitFor();
      const stalls = await page.evaluate(() => (window as unknown as { stalls: number[] }).stalls); // set above
      expect(Math.max(0, ...stalls)).toBeLessThan(1_000); // on a busy machine; a free one has none over 50 ms
    },
    { key: await addKey(web.server.store.writer, "large") },
  );
}, 120_000);

/** Six people: two on leave on Monday 23, one of whom has ten requests in it, one who has asked, one who works from home. */
async function smallTeam(): Promise<string> {
  const names = ["Ann", "Bo", "Cem", "Dee", "Eli", "Flo"];
  const hour = (at: number) => `2026-11-23T${String(at).padStart(2, "0")}:00:00.000Z`;
  const days = { startAt: "2026-11-23T00:00:00.000Z", endAt: "2026-11-26T00:00:00.000Z" };
  await addCompany(web.server.store.writer, "small", {
    holidays: [
      holidayRow("hol_a", { date: "2026-11-27" }),
      holidayRow("hol_b", {
        date: "2026-11-27",
        calendarId: "hca_lima",
        calendar: "Lima",
        name: "Half day",
        minutes: 240,
      }),
      holidayRow("hol_c", { date: "2026-11-27", calendarId: "hca_lima", calendar: "Lima" }),
      holidayRow("hol_d", { date: "2026-11-30" }),
      holidayRow("hol_e", { date: "2026-11-26", name: "Eve", minutes: 240 }),
    ],
    workplaces: ["Berlin", "Lima"].map((name) =>
      workplaceRow(`wkp_${name}`, { name, holidayCalendarId: `hca_${name.toLowerCase()}` }),
    ),
    workers: names.map((displayName, at) =>
      workerRow(`wrk_${displayName}`, {
        displayName,
        timeZone: "UTC",
        location: at < 3 ? "Berlin" : "Lima",
      }),
    ),
    policies: [
      policyRow("top_annual"),
      policyRow("top_home", { isAbsence: false, timeOffTypeName: "At home", timeOffTypeId: "tot_home" }),
    ],
    requests: [
      requestRow("tor_ann", "wrk_Ann", "top_annual", days),
      ...Array.from({ length: 10 }, (_, at) =>
        requestRow(`tor_bo${at}`, "wrk_Bo", "top_annual", {
          startAt: hour(8),
          endAt: hour(9 + at),
          requestedMinutes: 60,
        }),
      ),
      requestRow("tor_cem", "wrk_Cem", "top_annual", { ...days, status: "pending" }),
      requestRow("tor_dee", "wrk_Dee", "top_home", days),
    ],
  });
  return addKey(web.server.store.writer, "small");
}

test("those who have asked count apart, those who work do not count, and days when more than a third is away are marked", async () => {
  const key = await smallTeam();
  const look = async (page: Page) => {
    await rows(page).first().waitFor();
    expect(await shown(page).textContent()).toBe("2 away, 1 pending");
    const days = page.locator(".days .day");
    expect(await days.nth(0).textContent()).toContain("2 away, 1 pending, of 6");
    const names = "Labour Day (Berlin, Lima); Half day, 4 h (Lima)";
    expect((await page.locator(".days .holiday").textContent())!.replaceAll("\u00a0", " ")).toContain(names);
    await page.getByRole("list", { name: "Legend" }).getByText(`Fri 27 Nov: ${names}`).waitFor();
    expect(await page.locator(".own-holiday:not(.part-holiday)").count()).toBe(3); // Ann, Bo and Cem
    expect((await page.locator(".days .part-holiday").textContent())!.replaceAll("\u00a0", " ")).toContain(
      "Eve, 4 h (Berlin)",
    );
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("combobox", { name: "Type of leave: All but At home" }).click();
    await page.getByRole("option", { name: "At home" }).click();
    await page.keyboard.press("Escape");
    await page.locator(".absence.at-work").waitFor();
    expect(await shown(page).textContent()).toBe("2 away, 1 pending");
    expect(await page.locator(".day.thin").count()).toBe(0); // two of six
    await page.getByRole("searchbox").fill("ann");
    await page.waitForURL(/name=ann/);
    await page.locator(".day.thin").first().waitFor();
    expect(await page.locator(".day.thin").count()).toBe(3);
    await page.getByRole("searchbox").fill("bo");
    await page.waitForURL(/name=bo/);
    await rows(page).nth(1).waitFor({ state: "detached" });
    const tops = await bars(page).evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect()));
    const lanes = tops.toSorted((a, b) => a.top - b.top);
    expect(lanes).toHaveLength(10);
    for (const [at, { top, height }] of lanes.entries()) {
      expect(height).toBeGreaterThan(14);
      if (at > 0) expect(top).toBeGreaterThan(lanes[at - 1]!.bottom - 1);
    }
  };
  await web.visit("/?day=2026-11-23", look, { key });
});

test("a date leads to its week; eight people are above the fold of a small screen, and all are on paper", async () => {
  const look = async (page: Page) => {
    await rows(page).nth(7).waitFor();
    const eighth = (await rows(page).nth(7).boundingBox())!;
    expect(eighth.y + eighth.height).toBeLessThanOrEqual(768);
    await page.getByLabel("Show the day").fill("2026-12-16");
    await page.getByRole("heading", { level: 1, name: "14–20 December 2026" }).waitFor();
    expect(page.url()).toContain("day=2026-12-16");
    const people = Number((await shown(page).textContent())!.match(/\d+/)![0]);
    // Firefox prints what is there at the end of the event.
    const printed = await page.evaluate(() => {
      window.dispatchEvent(new Event("beforeprint"));
      return document.querySelectorAll(".timeline li[data-row]").length;
    });
    expect(printed).toBe(people);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("searchbox").isVisible()).toBe(false);
  };
  await web.visit("/?who=everyone", look, { viewport: { width: 1024, height: 768 } });
});

test("the lists cost a few requests, however many people are away", async () => {
  const asked: string[] = [];
  await web.visit(
    "/?view=month",
    async (page) => {
      await page.locator(".away-list, .calendar").first().waitFor();
      await page.waitForLoadState("networkidle");
    },
    {
      before: async (page) =>
        page.on("request", (request) => {
          if (request.url().includes("/v1/time_off/requests")) asked.push(request.url());
        }),
    },
  );
  // The first few, the lists, the month, and later requests of the few whose leave goes on for weeks.
  expect(asked.length).toBeLessThanOrEqual(4);
});

test("a workbook of thousands of requests is saved: nothing of it runs where the page's policy forbids it", () =>
  web.visit("/requests?show=all&from=2000-01-01", async (page) => {
    await page.locator("tbody tr").first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download", { timeout: 30_000 }),
      page.getByRole("button", { name: "Download .xlsx" }).click(),
    ]);
    const listed = await page.getByText(/^[\d,]+ requests$/).innerText();
    const rows = await workbookRows(await download.path());
    expect(rows.length).toBeGreaterThan(1000); // a sheet of more than 160 kB, which the writer gives to a worker
    expect(rows).toHaveLength(Number(listed.replaceAll(/\D/g, "")));
  }));
