// The page behind a proxy that signs people in: no key, and each person sees what their group may see.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessible } from "../../support/browser.ts";
import { type SignInProxy, startSignInProxy } from "../../support/sign-in-proxy.ts";
import { useWeb } from "../visit.ts";

const web = useWeb({
  workers: 60,
  demo: false,
  proxyAuth: {
    userHeader: "x-forwarded-email",
    groupsHeader: "x-forwarded-groups",
    rules: [
      { group: "hr", companyId: "demo", access: "everything" },
      { group: "managers", companyId: "demo", access: "no-reasons" },
      { group: "staff", companyId: "demo", access: "away" },
    ],
  },
});

let proxy: SignInProxy;
beforeAll(() => {
  const person = (group: string) => ({ email: `${group}@example.com`, groups: [group] });
  const people = {
    hr: person("hr"),
    manager: person("managers"),
    staff: person("staff"),
    guest: person("guests"),
  };
  proxy = startSignInProxy(web.server.address, people);
});
afterAll(() => proxy.stop());

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
    "/docs",
    async (page) => {
      await page.goto(proxy.address + path);
      return look(page);
    },
    { key: null, before, expectErrors },
  );
}

test("who may see everything sees every view, without a key and without a way to sign out here", async () => {
  await visitAs("hr", "/people", async (page) => {
    await page.getByText("60 people").waitFor();
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(0);
    await page.getByRole("link", { name: "Balances" }).click();
    await page.locator(".data-table tbody tr").first().waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
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
    expect(await page.locator("body").textContent()).not.toMatch(/Vacation|Sick leave|@example/);
    await page.locator(".absence").first().click();
    await page.getByRole("dialog").getByText("Time off · Approved").waitFor();
    await expectAccessible(page);
    expect([...new Set(requested)].filter((path) => path.startsWith("/v1"))).toEqual(["/v1/company"]);
  });
});

test("somebody whose groups may see nothing is asked for a key", async () => {
  const look = (page: Page) => page.getByLabel("API key").waitFor();
  await visitAs("guest", "/", look, true);
});
