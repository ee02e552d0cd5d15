import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { Temporal } from "temporal-polyfill";
import { Rollcall, type Worker } from "../../../src/client/index.ts";
import { longName } from "../../../src/web/data/directory.ts";
import { detailIn } from "../../../src/web/people/detail.ts";
import { expectAccessible } from "../../support/browser.ts";
import { TODAY } from "../demo-server.ts";
import { downloadedRows, useWeb } from "../visit.ts";

const web = useWeb();

const client = () => new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });

/** Someone with a balance that accrues, of which something is used and something is held. */
async function somebody() {
  const rollcall = client();
  const balances = await rollcall.balances.list().toArray();
  const balance = balances.find(({ used, holds, available }) => used > 0 && holds > 0 && available > 0)!;
  return { worker: await rollcall.workers.retrieve(balance.workerId), balance };
}

test("everybody is in the list, and the search finds them without accents and by position", async () => {
  await web.visit("/people", async (page) => {
    await page.getByText("250 people").waitFor();
    const { displayName } = (await client().workers.list().toArray()).find(({ displayName }) =>
      /ñ/.test(displayName),
    )!;
    await page.getByRole("searchbox").fill(displayName.replaceAll("ñ", "n"));
    await page.getByRole("link", { name: displayName }).first().waitFor();
    await page.getByRole("searchbox").fill("engineer");
    await page.waitForURL(/name=engineer/);
    await page.getByRole("searchbox").fill("nobody is called this");
    await page.getByText("Nobody matches this search.").waitFor();
  });
});

test("a preferred name comes with the full one, and both are found", async () => {
  const worker = (await client().workers.list().toArray()).find(
    ({ preferredName, displayName, firstName, isBusiness }) =>
      !isBusiness && preferredName === displayName && !displayName.includes(firstName),
  )!;
  const full = longName(worker)!;
  expect(full.split(" ")).toContain(worker.firstName);
  await web.visit("/people", async (page) => {
    for (const name of [worker.displayName, full]) {
      await page.getByRole("searchbox").fill(name);
      const row = page.getByRole("row").filter({ hasText: `${full} · ` });
      await row.getByRole("link", { name: worker.displayName, exact: true }).first().click();
      await page.getByRole("heading", { level: 1, name: worker.displayName }).waitFor();
      await page.getByText(`${full} · `).waitFor();
      await page.goBack();
    }
  });
});

test("the full name is shown only when the display name leaves a part of it out", () => {
  const named = (displayName: string, firstName: string, lastName: string) =>
    longName({ displayName, firstName, lastName } as Worker); // nothing else is looked at
  expect(named("Bill", "William", "Harris")).toBe("William Harris");
  expect(named("Bill Harris", "William", "Harris")).toBe("William Harris");
  expect(named("William Harris", "William", "Harris")).toBeNull();
  expect(named("Harris, William", "William", "Harris")).toBeNull();
  expect(named("Jose Garcia", "José", "García")).toBeNull();
  expect(named("이하은", "하은", "이")).toBeNull();
  expect(named("Ken", "健一", "田中")).toBe("田中 健一");
  expect(named("Acme Ltd", "Beth", "")).toBe("Beth");
});

test("a person's leave as CSV has the days of the person's own time zone, and a year without leave is no fault", async () => {
  const rollcall = client();
  const requests = await rollcall.requests.list({ statuses: ["approved"] }).toArray();
  const workers = new Map((await rollcall.workers.list().toArray()).map((worker) => [worker.id, worker]));
  const request = requests.find(({ startAt, workerId }) => {
    const zone = workers.get(workerId)!.timeZone;
    return zone !== null && localDay(startAt, zone) > startAt.slice(0, 10);
  })!;
  const zone = workers.get(request.workerId)!.timeZone!;
  await web.visit(`/people/${request.workerId}?year=-9999`, async (page) => {
    await page.getByText("Subscribe or export").click();
    const rows = await downloadedRows(page);
    expect(rows.map((row) => row["First day"])).toContain(localDay(request.startAt, zone));
    expect(new Set(rows.map((row) => row["Time zone"]))).toContain(zone);
  });
});

/** The day of an instant in a time zone. */
const localDay = (instant: string, zone: string) =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDate().toString();

test("a long list renders only the rows in sight, and scrolls to its end", async () => {
  await web.visit("/people", async (page) => {
    const rows = page.getByRole("row");
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await page.keyboard.press("End");
    await page.locator("[aria-rowindex='251']").waitFor();
  });
});

/** The bill of a policy's card: minutes by the name of the line, from what is on screen. */
async function billOf(panel: Locator, unit: "hour" | "day"): Promise<Map<string, number>> {
  const lines = await panel.locator(".bill > li > button").allTextContents();
  return new Map(
    lines.map((line) => {
      const [, name, sign, value] =
        /^(.*?)([−+]\s)?([\d,.]+)\s(?:h|days?)$/.exec(line.replace(/ on .*? \d{4}/, "")) ?? [];
      const minutes = Number(value!.replaceAll(",", "")) * (unit === "day" ? 480 : 60);
      return [name!, sign?.startsWith("−") ? -minutes : minutes];
    }),
  );
}

test("the list says how many have which status, so that its count is not taken for those who are there", async () => {
  const workers = await client().workers.list().toArray();
  const active = workers.filter(({ status }) => status === "active").length;
  const inactive = workers.filter(({ status }) => status === "inactive").length;
  expect(inactive).toBeGreaterThan(0);
  await web.visit("/people", async (page) => {
    const summary = page.locator(".summary");
    await summary.getByText(`${workers.length} people`).waitFor();
    const text = await summary.innerText();
    expect(text).toContain(`Active: ${active}`);
    expect(text).toContain(`Inactive: ${inactive}`);
    await page.goto(`${web.server.address}/people?status=active`);
    await summary.getByText(`${active} people`, { exact: true }).waitFor();
  });
});

test("the numbers of a leave year add up, agree with the API, and change with the year", async () => {
  const { worker, balance } = await somebody();
  const rollcall = client();
  const policy = await rollcall.policies.retrieve(balance.policyId);
  await web.visit(`/people/${worker.id}`, async (page) => {
    await page.getByRole("heading", { level: 1, name: worker.displayName }).waitFor();
    const panel = page.locator(".panel", { has: page.getByRole("link", { name: policy.name, exact: true }) });
    const years: string[] = [];
    for (const step of [null, "Previous leave year", "Next leave year", "Next leave year"]) {
      if (step !== null) await page.getByRole("button", { name: step }).click();
      await panel.locator(".bill-left").waitFor();
      await panel.locator("figure[aria-busy=false]").waitFor();
      const bill = await billOf(panel, policy.unit);
      const left = bill.get("Left")!;
      const parts = [...bill]
        .filter(([name]) => name !== "Left")
        .reduce((sum, [, minutes]) => sum + minutes, 0);
      expect(parts).toBeCloseTo(left, 6); // as they are shown
      const [, first, last] = /(\d+ \w+(?: \d{4})?)\s–\s(\d+ \w+ \d{4})/.exec((await panel.textContent())!)!;
      years.push(`${first} – ${last}`);
      const end = new Date(`${last!.replace("Sept", "Sep")} UTC`).toISOString().slice(0, 10);
      const filters = { workerIds: [worker.id], policyIds: [policy.id], endDate: end };
      const [then] = await rollcall.balances.list(filters).toArray();
      const expected = then!.accruedUnlocked + then!.accruedLocked - then!.used;
      expect(Math.abs(left - (bill.get("Pending") ?? 0) - expected)).toBeLessThan(1);
    }
    expect(new Set(years).size).toBe(3);
    expect(years[0]).toBe(years[2]!);
  });
});

test("each number opens the entries that it is made of, in words", async () => {
  const { worker, balance } = await somebody();
  const explained = await client().balances.retrieve(balance.id, { startDate: "2026-01-01", endDate: TODAY });
  const policy = await client().policies.retrieve(balance.policyId);
  await web.visit(`/people/${worker.id}`, async (page) => {
    const panel = page.locator(".panel", { has: page.getByRole("link", { name: policy.name, exact: true }) });
    await panel.getByRole("button", { name: /^Used/ }).focus();
    await page.keyboard.press("Enter");
    const rows = panel.locator(".bill-used tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(explained.entries.filter(({ kind }) => kind === "used").length);
    await panel.getByRole("button", { name: /^Entitlement/ }).click();
    const grant = explained.entries.find(({ kind }) => kind === "accrual")!;
    await panel
      .locator(".bill-entitlement tbody")
      .getByText(detailIn(policy.unit, grant.detailParts).split(" for ")[0]!) // browsers differ in the spaces of days
      .first()
      .waitFor();
    await expectAccessible(page);
  });
});

test("a person's requests are all there, in their own time zone", async () => {
  const { worker } = await somebody();
  const requests = await client()
    .requests.list({ workerIds: [worker.id] })
    .toArray();
  await web.visit(`/people/${worker.id}`, async (page) => {
    await page.locator(".requests tbody tr").first().waitFor();
    expect(await page.locator(".requests tbody tr").count()).toBe(requests.length);
  });
});
