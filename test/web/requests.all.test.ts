// Requests: all that wait, the oldest first; all of a time; and the days of one.
import { expect, test } from "bun:test";
import { Rollcall } from "../../src/client/index.ts";
import { addCompany, addFive, FILES } from "./five.ts";
import { downloadedRows, useWeb } from "./visit.ts";

const web = useWeb({ workers: 60 });

test("all that wait are one click away, the oldest first, and each opens its days; then all are", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const pending = await rollcall.requests.list({ statuses: ["pending"] }).toArray();
  const [oldest] = pending.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  const worker = await rollcall.workers.retrieve(oldest!.workerId);
  await web.visit("/", async (page) => {
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByText(`${pending.length} requests`, { exact: true }).waitFor();
    const row = page.locator("tbody tr").first();
    expect(await row.textContent()).toContain(worker.displayName);
    await row.getByRole("button").click();
    const days = page.locator("tr.detail li");
    await days.first().waitFor();
    expect(await page.getByText("Requested on").filter({ visible: true }).count()).toBe(1); // the head of a column
    expect(await days.last().innerText()).toMatch(/^“\S.*\S”$/); // its reason
    const hours = (await days.allTextContents()).flatMap((text) => /: ([\d.]+)\sh$/.exec(text)?.[1] ?? []);
    expect(hours.reduce((sum, text) => sum + Number(text), 0) * 60).toBeCloseTo(oldest!.requestedMinutes, 0);
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByRole("heading", { name: /^Requests since/ }).waitFor();
    await page.locator(".pill.request-approved").first().waitFor();
    expect(page.url()).toContain("show=all");
    await page.getByRole("button", { name: "Export" }).click();
    const command = await page.locator(".command code").textContent();
    const { search } = new URL(/"(http[^"]+)"/.exec(command!)![1]!);
    const filters = Object.fromEntries(new URLSearchParams(search));
    const commanded = await rollcall.requests.list(filters).toArray();
    await page.getByText(`${commanded.length} requests`, { exact: true }).waitFor();
  });
});

test("the command of a filtered list gets the people that the sheet has; where the API has no such filter, there is none", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const workers = await rollcall.workers.list().toArray();
  const names = new Map(workers.map(({ id, displayName }) => [id, displayName]));
  const { department, managerId, primaryWorkplace } = workers.find(
    (worker) => worker.department !== null && worker.primaryWorkplace !== null && worker.managerId !== null,
  )!;
  const team = new URLSearchParams({ department: department!.name, manager: managerId! });
  const place = new URLSearchParams({ location: primaryWorkplace!.name, status: "active" });
  const policy = (await rollcall.policies.list().toArray()).find(({ isUnlimited }) => !isUnlimited); // others have no balance
  const commandOf = (path: string) =>
    web.visit(path, async (page) => {
      await page.getByRole("button", { name: /xport$/ }).click();
      const shown = new Set((await downloadedRows(page)).map(({ Person }) => Person!.split(" (")[0]!));
      const [command] = await page.getByText(/^curl /).allTextContents();
      if (command === undefined) return null;
      const url = /"(http[^"]+)"/.exec(command)![1]!;
      const response = await fetch(url, { headers: { "x-api-key": web.server.keys.all } });
      const { data } = (await response.json()) as { data: { id: string; workerId?: string }[] };
      return { shown, listed: new Set(data.map(({ id, workerId }) => names.get(workerId ?? id)!)) };
    });
  for (const path of [
    `/people?${team}`,
    `/people?${place}`,
    `/requests?show=all&from=2026-01-01&${team}`,
    `/balances?by=none&policy=${policy!.id}&${team}`,
  ]) {
    const { shown, listed } = (await commandOf(path))!;
    expect(shown.size).toBeLessThan(workers.length);
    const extra = [...listed].filter((name) => !shown.has(name));
    expect([path, ...extra]).toEqual([path]);
  }
  const unsaid = ["/people?name=a", `/requests?show=all&${place}`, "/requests?show=past", "/balances?more=1"];
  for (const path of unsaid) expect([path, await commandOf(path)]).toEqual([path, null]);
}, 120_000);

test("a narrow window, such as one at 200 % zoom, says what is asked for and how much of it", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const [policies, pending] = await Promise.all([
    rollcall.policies.list().toArray(),
    rollcall.requests.list({ statuses: ["pending"] }).toArray(),
  ]);
  const [oldest] = pending.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  const kind = policies.find(({ id }) => id === oldest!.timeOffPolicyId)!.timeOffTypeName;
  await web.visit(
    "/requests",
    async (page) => {
      const row = page.locator("tbody tr").first();
      await row.waitFor();
      expect(await row.innerText()).toMatch(new RegExp(`[\\d.]+\\s(?:h|days?) · ${kind}`));
    },
    { viewport: { width: 640, height: 400 } },
  );
});

test("the sheet has the days, the amounts and the words of the table: local days, and minutes", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const pending = await rollcall.requests.list({ statuses: ["pending"] }).toArray();
  const workers = new Map((await rollcall.workers.list().toArray()).map((worker) => [worker.id, worker]));
  const expected = pending.map(({ workerId, startAt, endAt, timeZone, createdAt, requestedMinutes }) => {
    const { displayName, timeZone: own } = workers.get(workerId)!;
    const zone = timeZone ?? own ?? "UTC";
    const local = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
    return {
      Person: displayName,
      "First day": String(local(Date.parse(startAt)).toPlainDate()),
      "Last day": String(local(Date.parse(endAt) - 1).toPlainDate()),
      Minutes: String(requestedMinutes),
      "Requested on": String(local(Date.parse(createdAt)).toPlainDate()),
      Status: "Pending",
    };
  });
  // The case is there: a day that is another one in UTC.
  expect(expected.map((row) => row["First day"])).not.toEqual(
    pending.map(({ startAt }) => startAt.slice(0, 10)),
  );
  await web.visit("/requests", async (page) => {
    await page.getByRole("button", { name: "Export" }).click();
    const rows = await downloadedRows(page);
    const keys = Object.keys(expected[0]!);
    const shown = rows.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]])));
    const inOrder = (some: readonly object[]) => some.map((row) => JSON.stringify(row)).sort();
    expect(inOrder(shown)).toEqual(inOrder(expected));
    const asked = rows.map((row) => row["Requested on"]!);
    expect(asked).toEqual(asked.toSorted());
  });
});

test("an opened request names those of the team who ask for the same days, and that they are pending", async () => {
  const request = "tor_bo,2,top_sick,approved,2026-11-20";
  const key = await addCompany(web.server, "asking", {
    ...FILES,
    "requests.csv": FILES["requests.csv"].replace(
      request,
      `tor_bo_asks,2,top_annual,pending,2026-11-30T00:00:00Z,2026-12-01T00:00:00Z,480,2026-11-20T08:00:00Z
    ${request}`,
    ),
  });
  await web.visit(
    "/requests",
    async (page) => {
      await page.getByRole("button", { name: "30 Nov 2026" }).first().click(); // Ana's
      await page
        .getByText("Also away then, with the same manager: Bo Ray (Pending).")
        .waitFor({ timeout: 10_000 });
    },
    { key },
  );
});

test("those whose days are over are a click away; an opened request says who else of the team is away then", async () => {
  const key = await addFive(web.server);
  await web.visit(
    "/requests",
    async (page) => {
      await page.getByText("3 requests", { exact: true }).waitFor();
      await page.getByRole("button", { name: "25 Nov 2026" }).click(); // Dee's
      await page.getByText("Also away then, with the same manager: Cem Ak.").waitFor();
      await page.getByRole("button", { name: "30 Nov 2026" }).click(); // Ana's
      await page.getByText("Nobody else with the same manager is away then.").waitFor();
      // Of 20 days 5 are used and this one is asked for; 3 more are booked in December.
      await page.getByText(/^Left on 30 Nov 2026: 14\sdays · Can still be taken: 11\sdays$/).waitFor();
      expect(await page.locator(".detail a").getAttribute("href")).toContain("day=2026-11-30");
      await page.getByRole("button", { name: "Past, still pending" }).click();
      await page.getByText("1 request", { exact: true }).waitFor();
      expect(await page.locator("tbody tr").first().innerText()).toContain("Eve Noor");
    },
    { key },
  );
});

test("on a phone, nothing of a row is cut, also where days have times", async () => {
  const timed =
    "tor_timed,2,top_sick,pending,2026-12-02T13:00:00Z,2026-12-04T19:30:00Z,1110,2026-11-20T08:00:00Z";
  const requests = `${FILES["requests.csv"]}\n${timed}`;
  const key = await addCompany(web.server, "timed", { ...FILES, "requests.csv": requests });
  await web.visit(
    "/requests",
    async (page) => {
      await page.getByText("4 requests", { exact: true }).waitFor();
      for (const isOpened of [false, true]) {
        if (isOpened) {
          await page.locator("tbody button").first().click();
          await page.locator(".detail li").first().waitFor();
          await page.getByText(/^Requested on: \d+ \w+ 2026$/).waitFor(); // its column is left out
        }
        const cells = page.locator("tbody :is(th, td):visible, tbody :is(th, td):visible > *");
        expect(
          await cells.evaluateAll((all) =>
            all.flatMap(({ scrollWidth, clientWidth, scrollHeight, clientHeight, textContent }) =>
              clientWidth > 0 && (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1)
                ? [textContent]
                : [],
            ),
          ),
        ).toEqual([]);
      }
    },
    { key, viewport: { width: 320, height: 800 } },
  );
});
