// The company of five: what the page says of it, in whole tables. A column, an order or a sum that changes is noticed here.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Policy } from "../../src/client/index.ts";
import { timeOffTypes } from "../../src/web/data/time-off-types.ts";
import { expectAccessible } from "../support/browser.ts";
import { addCompany, addFive, FILES } from "./five.ts";
import { downloadedCsv, goOn, texts, useWeb } from "./visit.ts";

const web = useWeb({ workers: 10 });
let key: string;
beforeAll(async () => {
  key = await addFive(web.server);
});

const visit = (path: string, look: (page: Page) => Promise<void>) => web.visit(path, look, { key });

/** The rows of the list's CSV, with their heading. */
async function exported(page: Page, name: string): Promise<string[][]> {
  await page.getByRole("button", { name, exact: true }).click();
  return downloadedCsv(page);
}

test("a card says one number, and what is booked in the next leave year beside it", () =>
  visit("/people/wrk_ana", async (page) => {
    const card = page.locator(".panel.balance");
    await card.locator(".bill-left").waitFor();
    expect(await texts(card.locator(".balance-now"))).toEqual([
      "11 days can still be taken in this leave year",
    ]);
    expect(await texts(card.locator(".bill > li > button"))).toEqual([
      "Entitlement20 days",
      "Carried over0 days",
      "Used− 5 days",
      "Booked− 3 days",
      "Pending− 1 day",
      "Left on 31 Dec 202611 days",
    ]);
    const text = (await card.textContent())!.replaceAll("\u00a0", " ");
    expect(text).toContain("Booked or pending in the next leave year: 5 days.");
    expect(text).toContain("Pending requests of 1 day are already subtracted.");
    expect(text).toContain("Expires unless taken: 7 days by 31 Dec 2026 and 5 days by 31 Mar 2027.");
    expect(text).toContain(
      "If the pending requests are approved: 6 days by 31 Dec 2026 and 5 days by 31 Mar 2027.",
    );
    expect(text).not.toContain("7 days left");
    expect(text).toContain("Owed if today were the last day: 12.81 days."); // as in Balances
  }));

test("pending leave of the next leave year counts in what expires, too", async () => {
  const requests = FILES["requests.csv"]
    .replace("tor_july,1,top_annual,approved", "tor_july,1,top_annual,pending")
    .replace("2027-07-05T00:00:00Z,2027-07-10", "2027-02-01T00:00:00Z,2027-02-06")
    .replace("tor_asked,1,top_annual,pending", "tor_asked,1,top_annual,denied");
  const key = await addCompany(web.server, "asked-next", { ...FILES, "requests.csv": requests });
  await web.visit(
    "/people/wrk_ana",
    async (page) => {
      const notice = page.locator(".panel.balance .notice");
      await notice.waitFor();
      expect((await notice.textContent())!.replaceAll("\u00a0", " ")).toBe(
        "Expires unless taken: 7 days by 31 Dec 2026 and 5 days by 31 Mar 2027. If the pending requests are approved: 7 days by 31 Dec 2026.",
      );
    },
    { key },
  );
});

test("pending leave that takes everything leaves nothing that expires", async () => {
  const row =
    "tor_all,2,top_annual,pending,2026-11-23T00:00:00Z,2026-12-19T00:00:00Z,9600,2026-11-20T08:00:00Z";
  const requests = `${FILES["requests.csv"]}\n    ${row}`;
  const key = await addCompany(web.server, "all-asked", { ...FILES, "requests.csv": requests });
  await web.visit(
    "/people/wrk_bo",
    async (page) => {
      const notice = page.locator(".panel.balance .notice");
      await notice.waitFor();
      expect((await notice.textContent())!.replaceAll("\u00a0", " ")).toBe(
        "Expires unless taken: 15 days by 31 Dec 2026 and 5 days by 31 Mar 2027. If the pending requests are approved, nothing expires.",
      );
    },
    { key },
  );
});

test("what was carried over leads to the leave year that it comes from", () =>
  visit("/people/wrk_ana?year=1", async (page) => {
    await page.getByRole("button", { name: /^Carried over/ }).click();
    await page.locator(".explanation").getByRole("button", { name: "Previous leave year" }).click();
    await page.getByText("Left on 31 Dec 2026").waitFor();
    expect(page.url()).toEndWith("/people/wrk_ana?year=0");
  }));

test("an address of who is away that somebody with less access shares opens for those with more", () =>
  visit("/away?day=2026-11-23&who=everyone", (page) =>
    page.locator(".timeline li[data-row]").nth(1).waitFor(),
  ));

test("a holiday counts for those who have it: where others are missing, the warning stays", () =>
  visit("/?day=2026-11-23&who=everyone&order=name", async (page) => {
    await page.locator(".own-holiday").first().waitFor();
    await page.getByText("66% of those without a holiday", { exact: true }).waitFor(); // as each day counts
    const days = page.locator(".days .day");
    const said = (await texts(days.locator(".hidden"))).slice(0, 3);
    expect(said).toEqual([
      "Mon 23 Nov: 1 away, of 2, 3 with a holiday. Long Monday (Berlin) · Fewer than 66% there",
      "Tue 24 Nov: 2 away, of 5. Half Tuesday, 4 h (Lima) · Fewer than 66% there",
      "Wed 25 Nov: 1 away, 1 pending, of 5.",
    ]);
    const isThin = await days.evaluateAll((all) => all.map(({ classList }) => classList.contains("thin")));
    expect(isThin.slice(0, 3)).toEqual([true, true, false]);
    const shaded = await page
      .locator("li[data-row]")
      .evaluateAll((all) => all.map((row) => row.querySelectorAll(".own-holiday").length));
    expect(shaded).toEqual([1, 1, 1, 0, 1]); // Ana, Bo, Cem, Dee, Eve
    await page.getByRole("searchbox").fill("dee");
    await page.waitForURL(/name=dee/);
    await page.locator("li[data-row]").nth(1).waitFor({ state: "detached" });
    expect(await page.locator(".days :is(.holiday, .part-holiday)").count()).toBe(0);
    expect(await page.locator(".legend .holiday").count()).toBe(0);
  }));

test("who is away now comes first, then who is next", () =>
  visit("/", async (page) => {
    await page.locator("li[data-row]").first().waitFor();
    expect(await texts(page.locator("li[data-row] .who a"))).toEqual(["Bo Ray", "Cem Ak", "Dee Li"]);
    await page.getByRole("button", { name: "Show all" }).click();
    const list = (name: RegExp) => page.getByRole("region", { name }).getByRole("listitem");
    expect(await texts(list(/^Away today/).locator(".away-who a"))).toEqual(["Bo Ray"]);
    expect(await texts(list(/^Away next/).locator(".away-who a"))).toEqual(["Cem Ak", "Dee Li", "Ana Sol"]);
  }));

test("by name, the calendar and both lists are in the order of names", () =>
  visit("/?order=name&day=2026-11-23&lists=open", async (page) => {
    await page.locator("li[data-row]").first().waitFor();
    expect(await texts(page.locator("li[data-row] .who a"))).toEqual(["Bo Ray", "Cem Ak", "Dee Li"]);
    const next = page.getByRole("region", { name: /^Away next/ }).getByRole("listitem");
    expect(await texts(next.locator(".away-who a"))).toEqual(["Ana Sol", "Cem Ak", "Dee Li"]);
  }));

test("the head of a group says how many are in it, and how many of them are away", () =>
  visit("/?day=2026-11-23&order=department&lists=open", async (page) => {
    const heads = page.locator(".timeline-group h3");
    await heads.first().waitFor();
    expect(await texts(heads)).toEqual(["IT 3 people · 1 away, 1 pending", "Sales 2 people · 1 away"]);
    expect(await texts(page.locator(".group-name :is(bdi, .count)"))).toEqual([
      ...["Sales", "1"],
      ...["IT", "1, 1 pending"],
      ...["Sales", "0, 1 pending"],
    ]);
  }));

test("the list of people has their first day, and can be in order of it", () =>
  visit("/people?sort=start", async (page) => {
    await page.locator("th[aria-sort=ascending]", { hasText: "First day" }).waitFor();
    const cells = page.getByRole("row", { name: "Cem Ak" }).locator("th, td");
    expect(await texts(cells)).toEqual([
      // the job is below the name
      ...["Cem AkCoder", "IT", "Berlin", "cem@five.example", "1 Jan 2026", "", "Active"],
    ]);
  }));

test("the export of people has every column of everybody", () =>
  visit("/people", async (page) => {
    await page.getByText("5 people").waitFor();
    expect(await exported(page, "Export")).toEqual([
      "Person,Source id,Position,Department,Location,Manager,Work email,Status,Employment,First day,Last day".split(
        ",",
      ),
      [
        "Ana Sol",
        "1",
        "Clerk",
        "Sales",
        "Berlin",
        "Eve Noor",
        "ana@five.example",
        "Active",
        "Employee",
        "2026-01-01",
        "",
      ],
      ["Bo Ray", "2", "Clerk", "Sales", "Lima", "Eve Noor", "", "Active", "Employee", "2026-01-01", ""],
      [
        "Cem Ak",
        "3",
        "Coder",
        "IT",
        "Berlin",
        "Eve Noor",
        "cem@five.example",
        "Active",
        "Employee",
        "2026-01-01",
        "",
      ],
      [
        "Dee Li",
        "4",
        "",
        "IT",
        "",
        "Eve Noor",
        "dee@five.example",
        "Onboarding",
        "Contractor",
        "2026-01-01",
        "",
      ],
      [
        "Eve Noor",
        "5",
        "Head",
        "IT",
        "Berlin",
        "",
        "eve@five.example",
        "Active",
        "Employee",
        "2026-01-01",
        "",
      ],
    ]);
  }));

test("the export of balances has what is booked, requested, lost and owed of each", () =>
  visit("/balances?by=none&on=2026-11-21", async (page) => {
    await page.locator("tbody a").first().waitFor();
    expect(await exported(page, "Export")).toEqual([
      [
        "Person",
        "Policy",
        "Balance, days",
        "Booked, days",
        "Pending, days",
        "Will expire, days",
        "Use by",
        "Owed, days",
      ],
      ["Ana Sol", "Annual leave", "15", "8", "1", "12", "2026-12-31", "12.8082"],
      ["Bo Ray", "Annual leave", "20", "0", "0", "20", "2026-12-31", "17.8082"],
      ["Cem Ak", "Annual leave", "20", "2", "0", "18", "2026-12-31", "17.8082"],
      ["Dee Li", "Annual leave", "20", "0", "1", "20", "2026-12-31", "17.8082"],
      ["Eve Noor", "Annual leave", "20", "0", "1", "20", "2026-12-31", "17.8082"],
    ]);
  }));

test("a day of the week says who is away, who more is pending, and of how many", () =>
  visit("/?day=2026-11-23", async (page) => {
    await page.locator("li[data-row]").first().waitFor();
    const days = await texts(page.locator(".day-count"));
    expect(days.map((day) => day.replaceAll(/\s+/g, " "))).toContain("1+1 of 5");
  }));

test("the export of the calendar has each absence", () =>
  visit("/?day=2026-11-23&order=name", async (page) => {
    await page.locator("li[data-row]").first().waitFor();
    expect(await exported(page, "Subscribe or export")).toEqual([
      "Person,Department,Location,Type of leave,Status,First day,Last day,Start,End,Time zone".split(","),
      ["Bo Ray", "Sales", "Lima", "Sickness", "Approved", "2026-11-20", "2026-11-24", "", "", "UTC"],
      ["Cem Ak", "IT", "Berlin", "Vacation", "Approved", "2026-11-24", "2026-11-25", "", "", "UTC"],
      ["Dee Li", "IT", "", "Vacation", "Pending", "2026-11-25", "2026-11-25", "", "", "UTC"],
    ]);
  }));

test("the export of a year has the absences of its days, and none of those for which people are counted after it", () =>
  visit("/?view=year&day=2026-11-23&order=name", async (page) => {
    await page.locator(".heat tr").nth(11).waitFor();
    const rows = await exported(page, "Subscribe or export");
    expect(rows.map((row) => `${row[0]} ${row[5]}`)).toEqual([
      "Person First day",
      ...["Ana Sol 2026-03-02", "Ana Sol 2026-11-30", "Ana Sol 2026-12-21"], // but not that of July 2027
      ...["Bo Ray 2026-11-20", "Cem Ak 2026-11-24", "Dee Li 2026-11-25", "Eve Noor 2026-11-02"],
    ]);
  }));

test("while the server cannot be reached, nobody is told that there are no requests", () =>
  web.visit(
    "/requests",
    async (page) => {
      await page.getByText("The server cannot be reached.").waitFor();
      expect(await texts(page.locator(".head [role=status]"))).toEqual(["–"]);
    },
    { key, expectErrors: true, before: (page) => page.route("**/v1/**", (route) => route.abort()) },
  ));

test("hours, once chosen, are shown in every view", () =>
  visit("/balances", async (page) => {
    await page.getByRole("button", { name: "Hours" }).click();
    await goOn(page, "/people/wrk_ana");
    await page.getByText("88 h can still be taken").waitFor();
    await page.getByRole("button", { name: "Days" }).click();
    await page.getByText("11 days can still be taken").waitFor();
  }));

test("a type of leave keeps its colour when others come, and has letters beside it", () => {
  const policy = (timeOffTypeId: string, timeOffTypeName: string) =>
    ({ timeOffTypeId, timeOffTypeName }) as Policy; // nothing else is looked at
  const [vacation, sick] = [policy("tot_vacation", "Vacation"), policy("tot_sick", "Sickness")];
  const shown = (policies: readonly Policy[], chosen = {}) =>
    timeOffTypes(policies, chosen).map(({ name, tone, letters }) => [name, tone.split(" ")[0], letters]);
  const alone = shown([vacation]);
  expect(shown([sick, vacation, policy("tot_volunteer", "Volunteering")])).toContainEqual([
    "Vacation",
    alone[0]![1],
    "V",
  ]);
  expect(shown([vacation, policy("tot_volunteer", "Volunteering")]).map(([, , letters]) => letters)).toEqual([
    "V",
    "VO",
  ]);
  expect(shown([vacation, sick], { tot_sick: "teal" })).toContainEqual(["Sickness", "tone-7", "S"]);
});

test("leave that goes on today is two steps of the timeline, as it is two lines of the bill", async () => {
  // Thursday and Friday; after today, a Saturday, Monday and Tuesday.
  const requests = FILES["requests.csv"].replace(
    "tor_dee,4,top_annual,pending,2026-11-25T00:00:00Z,2026-11-26T00:00:00Z,480",
    "tor_dee,4,top_annual,approved,2026-11-19T00:00:00Z,2026-11-25T00:00:00Z,1920",
  );
  const key = await addCompany(web.server, "on-leave", { ...FILES, "requests.csv": requests });
  await web.visit(
    "/people/wrk_dee",
    async (page) => {
      await page.locator("figure.line").getByText("As a table").click();
      const rows = page.locator("figure.line tbody tr");
      await rows.nth(2).getByText("16 days").first().waitFor();
      const row = async (at: number) => (await texts(rows.nth(at).locator("th, td"))).slice(0, 3);
      expect(await row(1)).toEqual(["19 Nov 2026", "Used − 2 days", "18 days"]);
      expect(await row(2)).toEqual(["22 Nov 2026", "Booked − 2 days", "16 days"]);
      const bill = await texts(page.locator(".bill > li > button"));
      expect(bill.slice(2, 4)).toEqual(["Used− 2 days", "Booked− 2 days"]);
    },
    { key },
  );
});

test("somebody who came back has the first day, and the one since which they are back", () =>
  visit("/people/wrk_cem", async (page) => {
    const facts = page.locator(".person-head dl > div");
    await facts.filter({ hasText: "First day" }).getByText("1 Jan 2026").waitFor();
    await facts.filter({ hasText: "Back since" }).getByText("1 Jun 2026").waitFor();
  }));

test.each([
  // Of those who work: half and two fifths are away, which is the darkest, then a fifth. Pending leave has no shade.
  ["everybody", "", ["heat-5 thin", "heat-5 thin", "heat-3", "heat-0", "heat-0"]],
  ["somebody who has the holiday", "&name=ana", ["heat-0 holiday", "heat-0", "heat-0", "heat-0", "heat-0"]],
])("a day of the heat map is the darker, the more are away, and has its marks: of %s", (_, name, week) =>
  visit(`/?view=year&day=2026-11-23${name}`, async (page) => {
    await page.locator(".heat tr").nth(11).waitFor();
    const days = page.locator(".heat tr:nth-child(11) .heat-day:nth-last-child(-n+8)"); // from 23 November
    const marks = await days.evaluateAll((all) => all.map(({ className }) => className));
    expect(marks).toEqual(
      [...week, "heat-0 weekend", "heat-0 weekend", "heat-0"].map((mark) => `heat-day ${mark}`),
    );
  }),
);

test.each([
  ["what is owed", "/balances", ["Department ↑", "Balance, days", "Will expire, days", "Owed, days"]],
  ["the end of the calendar year", "/balances?show=year", ["Owed at month’s end, days", "Dec", "Oct"]],
  [
    "the middle of a calendar year",
    "/balances?show=year&on=2026-01-01",
    ["Owed at month’s end, days", "Jun", "Dec"],
  ],
])("on a phone balances have %s", (_, path, columns) =>
  web.visit(
    path,
    async (page) => {
      await page.locator("tbody tr.total").nth(1).waitFor();
      expect(await texts(page.locator("thead th").filter({ visible: true }))).toEqual(columns);
    },
    { key, viewport: { width: 390, height: 844 } },
  ),
);

test("a department that is opened is its people in the sheet: the sum of a column counts nobody twice", () =>
  visit("/balances?by=department&open=Sales", async (page) => {
    await page.locator("tbody a").first().waitFor();
    const rows = await exported(page, "Export");
    expect(rows.map((row) => row.slice(0, 5))).toEqual([
      ["Department", "Person", "Policy", "People", "Balance, days"],
      ["IT", "", "", "3", "60"],
      ["Sales", "Ana Sol", "Annual leave", "", "15"],
      ["Sales", "Bo Ray", "Annual leave", "", "20"],
    ]);
  }));

test("a year of balances: what is owed at the end of each month, and what expires in it", () =>
  visit("/balances?show=year&on=2026-11-21", async (page) => {
    await page.locator("tbody tr.total").nth(1).waitFor();
    expect(await page.locator("thead button").count()).toBe(0); // its months have one order
    expect(await exported(page, "Export")).toEqual([
      ["Owed at month’s end, days", "Nov,Dec,Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sept,Oct".split(",")].flat(),
      // 3 × 20 × 334 ÷ 365 − 2 at the end of November, 3 × (5 + 20 × 31 ÷ 365) at that of January.
      [
        "IT",
        "52.9041,58,20.0959,24.6986,29.7945,19.726,24.8219,29.7534,34.8493,39.9452,44.8767,49.9726".split(
          ",",
        ),
      ].flat(),
      [
        "Sales",
        "31.6028,32,13.3973,16.4658,19.863,13.1507,16.548,19.8356,18.2329,21.6301,24.9178,28.3151".split(","),
      ].flat(),
      ["Will expire", "0", "65", "0", "0", "25", "0", "0", "0", "0", "0", "0", "0"],
    ]);
    // Its command asks for the first of these months.
    await page.getByText("/v1/time_off/movements?from=2026-11-01&to=2026-11-30&groupBy=department").waitFor();
    // The chart has the same sums: in December 90 days are owed, the most, and 65 expire.
    const heights = (bars: string) =>
      page
        .locator(`.bars .${bars}`)
        .evaluateAll((all) =>
          all.map((bar) => Math.round(Number.parseFloat((bar as HTMLElement).style.height))),
        );
    expect(await heights("bars-owed")).toEqual([94, 100, 37, 46, 55, 37, 46, 55, 59, 68, 78, 87]);
    expect(await heights("bars-lost")).toEqual([0, 72, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0]);
    await expectAccessible(page);
  }));

test("a pending request whose days are over is marked", () =>
  visit("/requests", async (page) => {
    await page.locator("tbody tr").nth(2).waitFor();
    expect(await texts(page.locator("tbody tr :is(a, .pill)"))).toEqual([
      ...["Eve Noor", "Past, still pending", "Dee Li", "Pending", "Ana Sol", "Pending"],
    ]);
  }));

test.each([
  ["/", "Who is away"],
  ["/requests", "Requests"],
  ["/people", "People"],
  ["/people/wrk_ana", "Ana Sol"],
  ["/policies", "Policies"],
  ["/policies/top_annual", "Annual leave"],
  ["/balances", "Balances"],
  ["/balances?show=year", "Balances"],
  ["/balances?show=movements", "Movements of a month"],
])("the browser's tab of %s is named %s", (path, name) =>
  visit(path, async (page) => {
    await page.waitForFunction((title) => document.title === title, `${name} · Rollcall`);
  }),
);

test("a last day of losses that the chosen day has passed does not hide what expires after it", () =>
  // Up to five days of 2026 can be used until the end of March.
  visit("/balances?on=2027-02-01&until=2026-12-31", async (page) => {
    expect(await page.getByLabel("Expires by the end of").inputValue()).toBe("2028-01-31");
    const total = page.locator("tbody tr.total").first();
    await total.getByText("31 Mar 2027").waitFor();
  }));

test("Back goes back from one table of balances to the other", () =>
  visit("/balances", async (page) => {
    await page.getByRole("button", { name: "A month" }).click();
    await page.getByRole("heading", { name: "Movements in November 2026" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Balances on 21 Nov 2026" }).waitFor();
  }));

test("Back goes back in the calendar", () =>
  visit("/?view=month&day=2026-11-23", async (page) => {
    await page.getByRole("button", { name: "Next month" }).click();
    await page.getByRole("heading", { name: "December 2026" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "November 2026" }).waitFor();
  }));
