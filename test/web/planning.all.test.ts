// The company of five, as people plan: what can be taken on a day, what leave takes, and how many are there in a year.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { dayOfText } from "../../src/time/day.ts";
import { expectAccessible } from "../support/browser.ts";
import { addFive } from "./five.ts";
import { texts, useWeb } from "./visit.ts";

const web = useWeb({ workers: 10 });
let key: string;
beforeAll(async () => {
  key = await addFive(web.server);
});

const WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri"];

const visit = (path: string, look: (page: Page) => Promise<void>) => web.visit(path, look, { key });

test("the timeline says what can be taken on a day that is moved, by the keyboard too, and has a table", () =>
  visit("/people/wrk_ana", async (page) => {
    const figure = page.locator("figure.line");
    await figure.getByText("On 21 Nov 2026, 11 days can be taken.").waitFor();
    const slider = figure.getByRole("slider", { name: "Day in Annual leave" });
    await slider.fill(String(dayOfText("2027-04-01")));
    // Five days carried over have expired, twenty were granted, five are booked for July.
    await figure.getByText("On 1 Apr 2027, 15 days can be taken.").waitFor();
    await slider.press("ArrowLeft");
    await figure.getByText("On 31 Mar 2027, 20 days can be taken.").waitFor();
    await figure.getByText("As a table").click();
    const newYear = figure.locator("tbody tr").nth(3).locator("th, td");
    await newYear.getByText("20 days", { exact: true }).waitFor();
    expect(await texts(newYear)).toEqual([
      "1 Jan 2027",
      "Expired above a limit − 7 days, Granted + 20 days",
      "25 days",
      "20 days",
    ]);
    expect(await texts(figure.locator(".drop text"))).toEqual(["− 7 days", "− 5 days"]);
    await expectAccessible(page);
  }));

test("leave from a day to a day that are typed: what it takes, what else can be taken, and who is away then", () =>
  visit("/people/wrk_ana", async (page) => {
    const figure = page.locator("figure.line");
    const [first, last] = [
      figure.getByLabel("Annual leave: First day"),
      figure.getByLabel("Annual leave: Last day"),
    ];
    await first.fill("2027-04-01");
    await figure.getByText("On 1 Apr 2027, 15 days can be taken.").waitFor();
    await figure.getByText(/^1 Apr 2027 takes 1\sday. Then 14\sdays can still be taken./).waitFor();
    await last.fill("2027-04-09"); // a Friday
    await figure.getByText(/^1.9 Apr 2027 takes 7\sdays. Then 8\sdays can still be taken./).waitFor();
    // Of the 5 days that were carried over, 3 are taken before 1 April.
    await first.fill("2027-03-29");
    await last.fill("2027-04-02");
    const planned = figure.getByRole("status").filter({ hasText: /takes 5\sdays/ });
    expect((await planned.textContent())!.replaceAll("\u00a0", " ")).toEndWith(
      "takes 5 days. Then 13 days can still be taken. Expires unless taken: 2 days by 31 Mar 2027 and 8 days by 31 Dec 2027.",
    );
    await first.fill("2027-04-01");
    await last.fill("2027-05-31");
    await figure.getByText("but on the first day only 15 days can be taken.").waitFor();
    await first.fill("2031-01-01");
    await figure
      .getByRole("alert")
      .getByText(/^Choose a day within/)
      .waitFor();
    await figure.getByText("On 1 Apr 2027, 15 days can be taken.").waitFor();
    await expectAccessible(page);
    // The address keeps both days; with the calendar, they are seen in one month, with the person's team.
    await page.waitForURL(/leave=.+&from=2027-04-01&to=2027-05-31/);
    await page.reload();
    await figure.getByText("but on the first day only 15 days can be taken.").waitFor();
    // Over two months, each has a link.
    const links = figure.getByRole("link", { name: "Who is away" });
    expect(await texts(links)).toEqual(["Who is away · April 2027", "Who is away · May 2027"]);
    expect(await links.last().getAttribute("href")).toEndWith("&day=2027-05-01&view=month");
    await last.fill("2027-04-06");
    await links.nth(1).waitFor({ state: "detached" });
    await figure.getByRole("link", { name: "Who is away" }).click();
    await page.waitForURL(/\?manager=wrk_ana%2Cwrk_\w+&who=everyone&day=2027-04-01&view=month/);
  }));

test("leave across the turn of the leave year is said to be covered or not, by what each year grants", () =>
  visit("/people/wrk_ana", async (page) => {
    const figure = page.locator("figure.line");
    await figure.getByLabel("Annual leave: First day").fill("2026-12-24");
    await figure.getByLabel("Annual leave: Last day").fill("2027-01-08");
    await figure.getByText("takes 12 days, which can be taken.").waitFor();
    await figure.getByLabel("Annual leave: Last day").fill("2027-03-31");
    await figure.getByText(/takes \d+\sdays, more than can be taken\.$/).waitFor();
    await figure.getByLabel("Annual leave: Last day").fill("2027-12-26"); // a day too many for a preview
    await figure.getByText("Choose a day within 24 Dec 2026 – 25 Dec 2027.").waitFor();
  }));

test("a year of a team is a heat map, with the days on which fewer are there than the address says", () =>
  visit("/?view=year&day=2026-11-23&least=5", async (page) => {
    await page.locator(".heat tr").nth(11).waitFor();
    expect(await page.locator(".heat-day").count()).toBe(365);
    expect(await texts(page.locator(".forecast li"))).toEqual([
      "Mon 23 Nov 1 of 2 there · 1 away",
      "Tue 24 Nov 3 of 5 there · 2 away",
      "Wed 25 Nov 4 of 5 there · 1 away, 1 pending",
      "Mon 21 Dec 4 of 5 there · 1 away",
      "Tue 22 Dec 4 of 5 there · 1 away",
      "Wed 23 Dec 4 of 5 there · 1 away",
      ...[5, 6, 7, 8, 9].map((day) => `${WEEK[day - 5]}, ${day} Jul 2027 4 of 5 there · 1 away`),
    ]);
    // Its legend has what the picture has: shades, days with few people, holidays.
    expect((await texts(page.getByRole("list", { name: "Legend" }).locator("li"))).slice(0, 4)).toEqual([
      "How many are away on each day",
      "Fewer than 5 people there",
      "Mon 23 Nov: Long Monday (Berlin)",
      "Tue 24 Nov: Half Tuesday, 4 h (Lima)",
    ]);
    await page.emulateMedia({ media: "print" });
    const printed = await page
      .locator(".heat tr:nth-child(11) .heat-day:nth-last-child(-n+8)") // from 23 November
      .evaluateAll((days) => days.map((day) => getComputedStyle(day, "::after").content));
    expect(printed).toEqual(['"1"', '"2"', '"1"', '""', '""', '""', '""', '""']);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("heading", { name: "until 20 Nov 2027" }).waitFor();
    await page.getByLabel("Fewest there").fill("70%");
    await page.getByText("70% of those without a holiday", { exact: true }).waitFor();
    await page.locator(".forecast li").nth(2).waitFor({ state: "detached" });
    expect((await texts(page.locator(".forecast a"))).slice(0, 3)).toEqual(["Mon 23 Nov", "Tue 24 Nov"]);
    expect(page.url()).toContain("least=70%25");
    await page.getByLabel("Fewest there").fill("4"); // people, as the field and the list say
    await page.getByText("4 people", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Fewer than 4 people there" }).waitFor();
    await page.getByLabel("Fewest there").fill("0,75"); // no number of people and no share: what counts is said beside it
    await page.getByText("66% of those without a holiday", { exact: true }).waitFor();
    expect(await page.getByLabel("Fewest there").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Fewest there").fill("4");
    await page.getByText("4 people", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    await page.getByRole("link", { name: "Who is away" }).last().click();
    await page.waitForURL(/\?least=4$/);
    await expectAccessible(page);
  }));
