// The sign-in at the proxy ends while the page is open. Proxies say so in their own ways; the page says it in one.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessible } from "../../support/browser.ts";
import { type SignInProxy, startSignInProxy } from "../../support/sign-in-proxy.ts";
import { useWeb } from "../visit.ts";

const web = useWeb({
  workers: 30,
  demo: false,
  proxyAuth: {
    userHeader: "x-forwarded-email",
    groupsHeader: "x-forwarded-groups",
    rules: [
      { group: "hr", companyId: "demo", access: "everything" },
      { group: "staff", companyId: "demo", access: "away" },
    ],
  },
});

let proxy: SignInProxy;
beforeAll(() => {
  const person = (group: string) => ({ email: `${group}@example.com`, groups: [group] });
  proxy = startSignInProxy(web.server.address, { hr: person("hr"), staff: person("staff") });
});
afterAll(() => proxy.stop());

async function signIn(page: Page, name: string): Promise<void> {
  const [cookie, value] = (await proxy.signIn(name)).split("=") as [string, string];
  await page.context().addCookies([{ name: cookie, value, url: proxy.address }]);
}

const LOGIN_PAGE = "<!doctype html><title>Sign in</title><p>Sign in at the proxy</p>";

/** How the requests of a script are refused: oauth2-proxy redirects, nginx has its own 401, others send their page at once. */
const refusals: Record<string, (page: Page) => Promise<unknown>> = {
  "a redirect": (page) => page.context().clearCookies(),
  "a 401 of its own": (page) =>
    page.route(/\/v1\/|\/web\/.*\.json/, (route) =>
      route.fulfill({ status: 401, contentType: "text/html", body: LOGIN_PAGE }),
    ),
  "its sign-in page": (page) =>
    page.route(/\/v1\/|\/web\/.*\.json/, (route) =>
      route.fulfill({ contentType: "text/html", body: LOGIN_PAGE }),
    ),
};

const visits = [
  { name: "hr", path: "/people", next: "Policies" },
  { name: "staff", path: "/", next: "Month" },
] as const;

for (const [form, refuse] of Object.entries(refusals)) {
  test.each([...visits])(
    `${form}: $name is told that the sign-in has ended, and reloads`,
    ({ name, path, next }) =>
      web.visit(
        "/web/config.json",
        async (page) => {
          await signIn(page, name);
          await page.goto(proxy.address + path);
          const more = page.getByRole(name === "hr" ? "link" : "button", { name: next });
          await more.waitFor();
          await page.waitForLoadState("networkidle");
          await refuse(page);
          await more.click();
          await page.getByText("Your sign-in has ended.").waitFor();
          if (form === "a redirect") await expectAccessible(page); // it looks the same in each
          const reload = page.getByRole("button", { name: "Reload the page" });
          expect(await reload.evaluate((element) => element === document.activeElement)).toBe(true);

          await page.unrouteAll();
          await signIn(page, name);
          const at = page.url();
          await page.keyboard.press("Enter");
          await page.getByRole("navigation").waitFor();
          expect(page.url()).toBe(at);
        },
        { key: null, expectErrors: true },
      ),
  );
}

test("somebody with a key is told, too, and may keep the key", () =>
  web.visit(
    "/people",
    async (page) => {
      await page.getByRole("table").waitFor();
      await refusals["its sign-in page"]!(page);
      await page.getByRole("link", { name: "Policies" }).click();
      await page.getByRole("alert").getByText("You may have to sign in there again").waitFor();
      await expectAccessible(page);
      await page.unrouteAll();
      await page.getByRole("button", { name: "Reload the page" }).click();
      await page.getByRole("heading", { name: "Policies" }).waitFor();
    },
    { expectErrors: true },
  ));

test("an error page of a proxy is no ended sign-in", () =>
  web.visit(
    "/web/config.json",
    async (page) => {
      await signIn(page, "staff");
      await page.route("**/web/away.json*", (route) =>
        route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }),
      );
      await page.goto(proxy.address);
      const alert = page.getByRole("alert");
      await alert.getByText("The server could not respond.").waitFor();
      expect(await alert.textContent()).toContain("502");
      await page.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator(".away-list").first().waitFor();
    },
    { key: null, expectErrors: true },
  ));
