// The page behind a proxy that signs people in: no key, and each person sees what their group may see.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Rollcall, type Worker } from "../../../src/client/index.ts";
import { dayOfText, formatDay } from "../../../src/time/day.ts";
import { expectAccessible } from "../../support/browser.ts";
import { type Person, type SignInProxy, startSignInProxy } from "../../support/sign-in-proxy.ts";
import { addCompany, FILES } from "../five.ts";
import { useWeb } from "../visit.ts";

const web = useWeb({
  workers: 60,
  demo: false,
  proxySignOut: "/oauth2/sign_out",
  allowsFeeds: true,
  proxyAuth: {
    userHeader: "x-forwarded-email",
    groupsHeader: "x-forwarded-groups",
    rules: [
      { group: "hr", companyId: "demo", access: "everything" },
      { group: "managers", companyId: "demo", access: "no-reasons" },
      { group: "staff", companyId: "demo", access: "away" },
      { group: "own", companyId: "demo", access: "self" },
      { group: "team", companyId: "demo", access: "self+away" },
      { group: "lead", companyId: "demo", access: "reports" },
      { group: "head", companyId: "five", access: "reports" },
    ],
    contact: "people@example.com",
  },
});

let proxy: SignInProxy;
let people: Record<"hr" | "manager" | "staff" | "guest" | "own" | "team" | "lead", Person>;
let workers: Worker[];
beforeAll(async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  workers = await rollcall.workers.list().toArray();
  const mayEnter = ({ status, workEmail }: Worker) => status === "active" && workEmail !== null;
  const manager = workers.find(
    (one) => mayEnter(one) && one.managerId !== null && reportsOf(one.id).length > 2,
  )!;
  const report = reportsOf(manager.id).find((one) => mayEnter(one) && reportsOf(one.id).length === 0)!;
  const person = (group: string) => ({ email: `${group}@example.com`, groups: [group] });
  people = {
    hr: person("hr"),
    manager: person("managers"),
    staff: person("staff"),
    guest: person("guests"),
    own: { email: report.workEmail!, groups: ["own"] },
    team: { email: report.workEmail!, groups: ["team"] },
    lead: { email: manager.workEmail!, groups: ["lead"] },
  };
  proxy = startSignInProxy(web.server.address, people);
});
afterAll(() => proxy.stop());

const reportsOf = (id: string) => workers.filter(({ managerId }) => managerId === id);
const below = (manager: Worker): Worker[] => [manager, ...reportsOf(manager.id).flatMap(below)];
const workerAt = (address: string) => workers.find(({ workEmail }) => workEmail === address)!;

/** Opens the page as somebody who has signed in at the proxy. */
async function visitAs<T>(
  name: string,
  path: string,
  look: (page: Page) => Promise<T>,
  expectErrors = false,
): Promise<T> {
  const [cookie, value] = (await proxy.signIn(name)).split("=") as [string, string];
  const before = (page: Page) => page.context().addCookies([{ name: cookie, value, url: proxy.address }]);
  return web.visit(
    "/web/config.json",
    async (page) => {
      await page.goto(proxy.address + path);
      return look(page);
    },
    { key: null, before, expectErrors },
  );
}

test("who may see everything sees every view, without a key, and their name and a way out", async () => {
  await visitAs("hr", "/people", async (page) => {
    await page.getByText("60 people").waitFor();
    await page.getByText("hr@example.com").waitFor();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.getByRole("link", { name: "Balances" }).click();
    await page.locator(".data-table tbody tr").first().waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});

test("who may see everything makes a calendar feed with two clicks, and a page of somebody else makes none", async () => {
  const feeds = () => web.server.store.writer.feeds();
  const look = async (page: Page) => {
    await page.getByRole("button", { name: "Subscribe or export" }).click();
    await page.getByRole("button", { name: "Create calendar link" }).click();
    await page.getByText("it is not shown again").waitFor();
    await expectAccessible(page);
    const address = await page.locator(".command code").first().textContent();
    expect(address).toStartWith(`${proxy.address}/calendar/rc_`);
    const feed = await fetch(address!.replace(proxy.address, web.server.address));
    expect(await feed.text()).toContain(": away");
    expect(await feeds()).toHaveLength(1);
    // Another port is another origin of the same site: the browser sends the cookie there.
    using theirs = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("Theirs") });
    await page.goto(theirs.url.href);
    const forge = (url: string) =>
      fetch(url, {
        method: "POST",
        mode: "no-cors",
        credentials: "include",
        body: '{"workers":[],"policies":[]}',
      });
    const forged = page.waitForResponse(/\/web\/feeds$/);
    await page.evaluate(forge, `${proxy.address}/web/feeds`);
    expect((await forged).status()).toBe(403);
    expect(await feeds()).toHaveLength(1);
  };
  await visitAs("hr", "/", look, true);
});

test("who may only see who is away sees names and days, and nothing leads anywhere else", async () => {
  await visitAs("staff", "/?view=month&day=2026-12-01", async (page) => {
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.reload();
    await page.locator(".timeline li[data-row]").first().waitFor();
    await page.getByRole("region", { name: /^Away today/ }).waitFor();
    expect(await page.getByRole("navigation").getByRole("link").allTextContents()).toEqual(["Who is away"]);
    expect(await page.locator('a[href^="/people"], a[href^="/policies"]').count()).toBe(0);
    const text = (await page.locator("body").textContent())!.replace("staff@example.com", ""); // their own
    expect(text).not.toMatch(/Vacation|Sick leave|@example/);
    await page.locator(".absence").first().click();
    await page.getByRole("dialog").getByText("Time off · Approved").waitFor();
    await expectAccessible(page);
    expect([...new Set(requested)].filter((path) => path.startsWith("/v1"))).toEqual(["/v1/company"]);
  });
});

test("who may only see who is away counts on each day those who have started by it", async () => {
  const isThere = workers.filter(({ status }) => ["onboarding", "active", "offboarding"].includes(status));
  const newest = isThere
    .map(({ startDate }) => startDate)
    .sort()
    .at(-1)!;
  const first = `${newest.slice(0, 7)}-01`;
  expect(newest > first).toBe(true); // else no day of the month is before it
  for (const view of ["month", "year"])
    await visitAs("staff", `/?view=${view}&day=${first}&who=everyone`, async (page) => {
      await page
        .locator(view === "month" ? "li[data-row]" : ".heat-day")
        .first()
        .waitFor();
      const said = page.locator(".day .hidden, .heat-day .hidden");
      const days = await said.allTextContents();
      const from = dayOfText(view === "month" ? first : `${first.slice(0, 4)}-01-01`);
      const counted = days.map((text) => Number(/of (\d+)\. *$/.exec(text)![1]));
      expect(counted).toEqual(
        days.map((_, at) => isThere.filter(({ startDate }) => startDate <= formatDay(from + at)).length),
      );
      expect(new Set(counted).size).toBeGreaterThan(1);
    });
});

test("the way out is at the end of the first line, also where the words are long", () =>
  visitAs("lead", "/", async (page) => {
    await page.evaluate(() => localStorage.setItem("rollcall.language", "de"));
    await page.reload();
    const middle = async (name: string, role: "link" | "button") => {
      const { y, height } = (await page.getByRole(role, { name, exact: true }).first().boundingBox())!;
      return y + height / 2;
    };
    for (const width of [1440, 1280, 1200]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole("button", { name: "Abmelden" }).waitFor();
      expect(await middle("Abmelden", "button")).toBeCloseTo(await middle("Salden", "link"), 0);
    }
    await page.evaluate(() => localStorage.clear());
  }));

test("somebody whose groups may see nothing is told so, and whom to ask", async () => {
  const text =
    "You are signed in as guests@example.com, but none of your groups (guests) may see anything here. Ask people@example.com.";
  const look = async (page: Page) => {
    await page.getByText(text).waitFor();
    await expectAccessible(page);
    expect(await page.locator("input").count()).toBe(0); // no key is asked for
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/oauth2/sign_out");
  };
  await visitAs("guest", "/", look, true);
  const inGerman = async (page: Page) => {
    await page.evaluate(() => localStorage.setItem("rollcall.language", "de"));
    await page.reload();
    await page.getByText("keine Ihrer Gruppen (guests) darf hier etwas sehen. Fragen Sie people@").waitFor();
    await page.evaluate(() => localStorage.clear());
  };
  await visitAs("guest", "/", inGerman, true);
});

test("while it cannot be known who is signed in, no key is asked for, and the page can be loaded again", async () => {
  const look = async (page: Page) => {
    const session = "**/web/session.json";
    await page.route(session, (route) =>
      route.fulfill({ status: 500, json: { code: "internal_error", detail: "It failed." } }),
    );
    await page.reload();
    const reload = page.getByRole("button", { name: "Reload" });
    await reload.waitFor();
    expect(await page.locator("input").count()).toBe(0);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("The server could not respond.");
    await page.unroute(session);
    await reload.click();
    await page.getByRole("heading", { name: "Who is away" }).waitFor();
  };
  await visitAs("hr", "/", look, true);
});

/** The names of people in the page who are not among these, nor their managers. */
async function othersIn(page: Page, own: readonly Worker[]): Promise<string[]> {
  const text = (await page.locator("main").textContent())!;
  const ownText = own.map(({ displayName, manager }) => displayName + (manager?.displayName ?? "")).join();
  return workers
    .map(({ displayName }) => displayName)
    .filter((name) => text.includes(name) && !ownText.includes(name));
}

test("who sees themselves alone begins with what they have, and no address shows anybody else", async () => {
  const me = workerAt(people.own.email);
  const other = workers.find(({ id }) => id !== me.id)!;
  const look = async (page: Page) => {
    await page.getByRole("heading", { level: 1, name: me.displayName }).waitFor();
    expect(await page.getByRole("navigation").getByRole("link").allTextContents()).toEqual([
      "Me",
      "Policies",
    ]);
    await page.locator(".balance, .empty").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Subscribe or export" }).click();
    await page.getByRole("button", { name: "Create calendar link" }).waitFor(); // of their own leave
    expect(await page.getByText("rollcall feeds create").count()).toBe(0); // a command that they cannot run
    for (const path of ["/people", "/requests", "/balances", "/team", "/away", `/people/${other.id}`]) {
      await page.goto(proxy.address + path);
      await page.waitForLoadState("networkidle");
      expect([path, await othersIn(page, [me])]).toEqual([path, []]);
    }
  };
  await visitAs("own", "/", look, true);
}, 120_000);

test("who also sees who is away has their team's calendar, without kinds and addresses", async () => {
  await visitAs("team", "/", async (page) => {
    await page.getByRole("link", { name: "My team’s calendar" }).click();
    await page.locator(".timeline li[data-row]").nth(1).waitFor();
    expect(await page.locator("main").textContent()).not.toMatch(/Vacation|Sick leave|@example/);
    await page.getByRole("button", { name: "Year" }).click();
    await page.locator(".heat-day").nth(364).waitFor();
    await page.goto(`${proxy.address}/away?day=2026-12-25`);
    await page.locator(".legend li", { hasText: "25 Dec" }).waitFor(); // holidays are everybody's to see
    await page.getByRole("link", { name: "Me", exact: true }).click();
    await page.getByRole("heading", { name: "Balances" }).waitFor();
    await page.getByRole("button", { name: /export$/i }).click();
    await page.getByRole("button", { name: "CSV" }).waitFor();
    expect(await page.getByText("ROLLCALL_KEY").count()).toBe(0); // they have none
    await page.keyboard.press("Escape");
    // Leave that somebody thinks about leads to the same team.
    const line = page.locator("figure.line").first();
    await line.getByText(/^On .* you can take/).waitFor();
    await line.getByLabel(/: First day$/).fill("2026-12-07");
    await line.getByLabel(/: Last day$/).fill("2026-12-18");
    await line.getByRole("link", { name: "Who is away" }).click();
    await page.waitForURL(/\/away\?manager=wrk_.*%2Cwrk_.*&who=everyone&day=2026-12-07&view=month/);
  });
});

test.each([
  ["own", "/me", "Me"],
  ["hr", "/away", "Who is away"],
])("the first view of %s is marked in the menu at its own path, too: %s", (name, path, view) =>
  visitAs(name, path, async (page) => {
    await page.locator("h1").first().waitFor();
    expect(await page.locator("nav [aria-current=page]").allTextContents()).toEqual([view]);
  }),
);

test("a manager has the calendar and the lists of the people below, and of nobody else", async () => {
  const team = below(workerAt(people.lead.email));
  await visitAs("lead", "/", async (page) => {
    await page.getByRole("link", { name: "My team" }).first().click();
    await page.getByRole("heading", { level: 1, name: /^My team/ }).waitFor();
    for (const path of [
      "/team?view=month&who=everyone",
      "/requests?show=all",
      "/balances?by=none",
      "/people",
    ]) {
      await page.goto(proxy.address + path);
      await page.waitForLoadState("networkidle");
      expect([path, await othersIn(page, team)]).toEqual([path, []]);
    }
    await page.getByText(`${team.length} people`).waitFor();
  });
});

test("an import that has just failed is told to those who see everything, and to nobody else", async () => {
  const failure = { endedAtMs: Date.now() + 1000, outcome: "failed", mistakes: null, reason: null };
  await web.server.store.writer.noteFailedImport("demo", JSON.stringify(failure));
  for (const [name, times] of [
    ["hr", 1],
    ["manager", 0],
    ["lead", 0],
    ["own", 0],
  ] as const)
    await visitAs(name, "/policies", async (page) => {
      await page.locator(".policies").waitFor();
      await page.waitForLoadState("networkidle");
      expect([
        name,
        await page.getByText(/^The import of .* failed\. What you see is older\.$/).count(),
      ]).toEqual([name, times]);
    });
});

test("an opened request tells a manager that they are away then, too", async () => {
  const own =
    "tor_own,5,top_annual,approved,2026-11-23T00:00:00Z,2026-11-26T00:00:00Z,1440,2026-10-02T08:00:00Z";
  await addCompany(web.server, "five", {
    ...FILES,
    "requests.csv": `${FILES["requests.csv"]}\n    ${own}`,
  });
  const headers = { "x-forwarded-email": "eve@five.example", "x-forwarded-groups": "head" };
  await web.visit(
    "/requests",
    async (page) => {
      await page.getByRole("button", { name: "25 Nov 2026" }).click(); // Dee's
      await page.getByText("You are away then, too: 23–25 Nov 2026.").waitFor();
      await page.getByText("Also away then, with the same manager: Cem Ak.").waitFor();
    },
    { key: null, extraHTTPHeaders: headers },
  );
});
