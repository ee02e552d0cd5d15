// What HR, managers and employees ask, and the most clicks that each may take on the demo company. To write into a field is one click.
import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { dayOfText } from "../../src/time/day.ts";
import { amount, plainDay, plainText } from "../../src/web/data/format.ts";
import { TODAY } from "./demo-server.ts";
import { useWeb } from "./visit.ts";

const USER = "x-user";
const web = useWeb({
  proxyAuth: {
    userHeader: USER,
    groupsHeader: null,
    rules: [{ group: "*", companyId: "demo", access: "reports" }],
  },
});

const client = () => new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });

/** Counts what a person does. */
function hand(page: Page) {
  const done = { clicks: 0 };
  return {
    done,
    async click(target: Locator) {
      done.clicks++;
      await target.click();
    },
    async write(target: Locator, text: string) {
      done.clicks++;
      await target.fill(text);
    },
    /** Opens the list and picks one of it. */
    async choose(target: Locator, value: string) {
      done.clicks += 2;
      await target.selectOption(value);
    },
    view: (name: string) => page.getByRole("navigation").getByRole("link", { name }),
  };
}

test("0: who is away today, without those who work from home and those who have only asked; and how fresh the data is", async () => {
  const rollcall = client();
  const [requests, policies] = await Promise.all([
    rollcall.requests
      .list({ statuses: ["approved"], startsBefore: "2026-11-23", endsOnOrAfter: "2026-11-20" })
      .toArray(),
    rollcall.policies.list().toArray(),
  ]);
  const absence = new Set(policies.flatMap(({ id, isAbsence }) => (isAbsence ? [id] : [])));
  const away = requests.filter(
    ({ timeOffPolicyId, startAt, endAt }) =>
      absence.has(timeOffPolicyId) && startAt < `${TODAY}T10` && endAt > `${TODAY}T14`,
  );
  await web.visit("/", async (page) => {
    const today = page.getByRole("region", { name: /^Away today/ });
    await today.waitFor();
    const count = Number(/\d+/.exec((await today.locator(".count").textContent())!)![0]);
    expect(count).toBe(new Set(away.map(({ workerId }) => workerId)).size);
    await page.getByText("Data as of").waitFor();
  });
});

test("1: all requests that wait, the oldest first", async () => {
  const pending = await client()
    .requests.list({ statuses: ["pending"] })
    .toArray();
  await web.visit("/", async (page) => {
    const { click, view, done } = hand(page);
    await click(view("Requests"));
    await page.getByText(`${pending.length} requests`, { exact: true }).waitFor();
    expect(await page.locator("th[aria-sort=ascending]").textContent()).toContain("Requested on");
    expect(done.clicks).toBeLessThanOrEqual(1);
  });
});

test("2: who loses more than ten days, and by when", async () => {
  await web.visit("/", async (page) => {
    const { click, write, view, done } = hand(page);
    await click(view("Balances"));
    await write(page.getByRole("spinbutton", { name: /Loses more/ }), "10");
    await page.waitForURL(/more=10/);
    const first = page.locator("tbody tr").nth(1);
    await first.getByRole("link").waitFor();
    const cells = await first.locator("th, td").allTextContents();
    const heads = await page.locator("th").allTextContents();
    expect(Number(cells[heads.findIndex((head) => head.startsWith("Will expire"))])).toBeGreaterThan(10);
    expect(cells[heads.indexOf("Use by")]).toMatch(/^\d+ \w+ \d{4}$/);
    expect(done.clicks).toBeLessThanOrEqual(2);
  });
});

test("3: who in Engineering is away on a Monday in three weeks: by the groups, and by the search", async () => {
  await web.visit("/", async (page) => {
    const { write, choose, done } = hand(page);
    await write(page.getByLabel("Show the day"), "2026-12-14");
    await choose(page.getByRole("combobox", { name: "Sort by" }), "department");
    await page.getByRole("heading", { name: "14–20 December 2026" }).waitFor();
    await page.locator(".timeline-group").filter({ hasText: "Engineering" }).waitFor();
    expect(done.clicks).toBeLessThanOrEqual(3);
    await write(page.getByRole("searchbox"), "Engineering");
    await page.waitForURL(/name=Engineering/);
    expect((await page.locator(".timeline-group").allTextContents()).join()).toMatch(
      /^Engineering \d+ people · \d+ away(, \d+ pending)?$/,
    );
  });
});

test("3: how many days somebody has left, and why", async () => {
  const rollcall = client();
  const balance = (await rollcall.balances.list().toArray()).find(
    ({ used, available }) => used > 0 && available > 0,
  )!;
  const { displayName } = await rollcall.workers.retrieve(balance.workerId);
  await web.visit("/", async (page) => {
    const { click, write, view, done } = hand(page);
    await click(view("People"));
    await write(page.getByRole("searchbox"), displayName);
    await click(page.getByRole("link", { name: displayName }).first());
    for (const line of ["Entitlement", "Used", "Left"])
      await page.locator(".bill").getByText(line).first().waitFor();
    expect(done.clicks).toBeLessThanOrEqual(3);
  });
});

test("3: what is owed on the last day of the month, by department, in a spreadsheet", async () => {
  const look = async (page: Page) => {
    const { click, write, view, done } = hand(page);
    await click(view("Balances"));
    await write(page.getByLabel("On", { exact: true }), "2026-11-30");
    await page.locator(".data-table .total").nth(1).waitFor();
    const download = page.waitForEvent("download");
    await click(page.getByRole("button", { name: "Download .xlsx" }));
    expect((await download).suggestedFilename()).toBe("Balances-2026-11-30.xlsx");
    expect(done.clicks).toBeLessThanOrEqual(3);
  };
  await web.visit("/", look);
});

test("0: an employee's own balances, what they get next, and what they lose by when", async () => {
  const rollcall = client();
  const [losses, workers] = await Promise.all([
    rollcall.expirations.list().toArray(),
    rollcall.workers.list({ statuses: ["active"] }).toArray(),
  ]);
  const addressOf = new Map(workers.map(({ id, workEmail }) => [id, workEmail]));
  const lossesOf = Map.groupBy(losses, ({ workerId, policyId }) => `${workerId}-${policyId}`);
  const single = [...lossesOf.values()].find(
    (own) => own.length === 1 && (addressOf.get(own[0]!.workerId) ?? null) !== null,
  );
  const loss = single![0]!;
  const balances = await rollcall.balances.list({ workerIds: [loss.workerId] }).toArray();
  const { id } = balances.find(({ policyId }) => policyId === loss.policyId)!;
  const window = { startDate: "2026-11-22", endDate: "2027-11-21" };
  const { entries } = await rollcall.balances.retrieve(id, window);
  const { name, unit } = await rollcall.policies.retrieve(loss.policyId);
  const next = entries.find(({ kind, minutes }) => kind === "accrual" && minutes > 0)!;
  const look = async (page: Page) => {
    const card = page.locator(".balance").filter({ has: page.getByRole("link", { name, exact: true }) });
    await card.getByText("can still be taken in this leave year").waitFor();
    await card.getByText(`Next: + ${amount(next.minutes, unit)} on ${plainText(next.date)}.`).waitFor();
    const expires = `${amount(loss.minutes, unit)} by ${plainDay(dayOfText(loss.date) - 1)}`;
    await card.getByText(`Expires unless taken: ${expires}.`).waitFor();
    await page.getByRole("heading", { name: "Requests" }).waitFor();
  };
  await web.visit("/", look, { key: null, extraHTTPHeaders: { [USER]: addressOf.get(loss.workerId)! } });
});

test("3: a manager's own team in August, and the days when more than a third is away", async () => {
  const workers = await client().workers.list().toArray();
  const team = Map.groupBy(workers, ({ managerId }) => managerId ?? "");
  const [manager] = workers
    .filter(({ workEmail, status }) => workEmail !== null && status === "active")
    .sort((a, b) => (team.get(b.id)?.length ?? 0) - (team.get(a.id)?.length ?? 0));
  const look = async (page: Page) => {
    const { click, write, view, done } = hand(page);
    await click(view("My team"));
    await write(page.getByLabel("Show the day"), "2026-08-03");
    await click(page.getByRole("button", { name: "Month" }));
    await page.getByRole("heading", { name: "August 2026" }).waitFor();
    const days = page.locator(".days .day .hidden");
    await days.first().waitFor({ state: "attached" }); // the heading comes before its people
    const counts = await days.allTextContents();
    expect(counts).toHaveLength(31);
    for (const day of await page.locator(".days .thin .hidden").allTextContents()) {
      const [, away, of] = /: (\d+) away.*, of (\d+)/.exec(day)!;
      expect(Number(away) * 3).toBeGreaterThan(Number(of));
    }
    const below = Number(/of (\d+)/.exec(counts[0]!)![1]);
    expect(below).toBeGreaterThanOrEqual(team.get(manager!.id)!.length / 2);
    expect(below).toBeLessThan(workers.length);
    expect(done.clicks).toBeLessThanOrEqual(3);
  };
  await web.visit("/", look, { key: null, extraHTTPHeaders: { [USER]: manager!.workEmail! } });
});

test("3: for payroll an endpoint, a request that works, a copy of it, and the limits", async () => {
  const look = async (page: Page) => {
    const { click, done } = hand(page);
    await click(page.getByRole("link", { name: "Use the API" }));
    await click(page.getByRole("button", { name: "Copy: First request: curl" }));
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const url = /"(http[^"]+)"/.exec(copied)![1]!;
    const response = await fetch(url, { headers: { "x-api-key": web.server.keys.all } });
    expect([response.status, copied]).toEqual([200, expect.stringContaining("x-api-key")]);
    await click(page.getByRole("navigation").getByRole("link", { name: "Limits" }));
    await page.getByText("100 requests").first().waitFor();
    expect(done.clicks).toBeLessThanOrEqual(3);
  };
  await web.visit("/", look, { profile: { permissions: ["clipboard-read", "clipboard-write"] } });
});
