// The reference in a real browser that can reach only this server: it loads, obeys its own policy, and can call the API.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { webPages } from "../../../../src/http/public/page.ts";
import { reference } from "../../../../src/http/public/reference/reference.ts";
import { withBrowser } from "../../../support/browser.ts";

const KEY = "rk_not-a-real-key";

interface Call {
  readonly target: string;
  readonly key: string | null;
}

const calls: Call[] = [];
// The reference uses the page's fonts, and links back to the page.
const web = webPages({ demo: false, today: null });
let server: Bun.Server<undefined>;

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      const page = reference(url.pathname, true) ?? web(url.pathname, true);
      if (page !== null) return new Response(page.body, page);
      calls.push({ target: url.pathname + url.search, key: request.headers.get("x-api-key") });
      return Response.json({ count: 0, data: [], hasMore: false });
    },
  });
});

afterAll(() => server.stop(true));

/** Faults on the pages of a context: console messages, violations of the policy, requests to other servers. */
async function watch(context: BrowserContext): Promise<string[]> {
  const faults: string[] = [];
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url.startsWith(server.url.origin)) return route.continue();
    faults.push(`asked for ${url}`);
    return route.abort();
  });
  await context.exposeFunction("reportViolation", (violation: string) => faults.push(`refused ${violation}`));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      Reflect.get(window, "reportViolation")(`${violatedDirective} ${blockedURI}`),
    );
  });
  context.on("console", (message) => {
    if (message.type() !== "log") faults.push(`${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => faults.push(`thrown: ${error.error().message}`));
  return faults;
}

/** Opens a page at `path` in its own context; returns the result of `visit`, and the faults seen meanwhile. */
function visiting<T>(path: string, visit: (page: Page) => Promise<T>, options: BrowserContextOptions = {}) {
  return withBrowser(async (browser) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(10_000);
    const faults = await watch(context);
    const page = await context.newPage();
    await page.goto(new URL(path, server.url).href);
    return { response: await visit(page), faults };
  });
}

const groundColour = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test("the reference shows all seven operations and calls no other server", async () => {
  const { response, faults } = await visiting("/docs", async (page) => {
    await page.locator(".opblock").first().waitFor();
    return page.locator(".opblock-summary-path").allInnerTexts();
  });
  expect(response.map((path) => path.replaceAll("\u200b", "")).sort()).toEqual([
    "/v1/time_off/assignments",
    "/v1/time_off/balances",
    "/v1/time_off/policies",
    "/v1/time_off/policies/{id}",
    "/v1/time_off/requests",
    "/v1/workers",
    "/v1/workers/{id}",
  ]);
  expect(faults).toEqual([]);
}, 20_000);

test("a first call takes two clicks, unfiltered; with the key typed in, the key goes along and is not stored", async () => {
  const { response: stored, faults } = await visiting("/docs", async (page) => {
    await page.locator("#operations-Workers-listWorkers .opblock-summary-control").click();
    await page.getByRole("button", { name: "Execute" }).click();
    await page.locator(".live-responses-table").waitFor();

    await page.getByRole("button", { name: "Authorize" }).first().click();
    await page.locator(".auth-container input").fill(KEY);
    await page.locator(".auth-container").getByRole("button", { name: "Apply credentials" }).click();
    await page.getByRole("button", { name: "Close" }).last().click();
    const responded = page.waitForResponse((response) => response.url().includes("/v1/"));
    await page.getByRole("button", { name: "Execute" }).click();
    await responded;
    return page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  });
  expect(calls).toEqual([
    { target: "/v1/workers?limit=25", key: null },
    { target: "/v1/workers?limit=25", key: KEY },
  ]);
  expect(stored).not.toContain(KEY);
  expect(faults).toEqual([]);
}, 20_000);

test("the name in the header leads to the page, in whose type the reference is set", async () => {
  const { response, faults } = await visiting("/docs", async (page) => {
    await page.locator(".opblock").first().waitFor();
    const isInter = await page.evaluate(() =>
      document.fonts.ready.then((fonts) => fonts.check("1rem Inter")),
    );
    await page.getByRole("link", { name: "Rollcall", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    return isInter;
  });
  expect(response).toBe(true);
  expect(faults).toEqual([]);
}, 20_000);

test("the policy is in force: an inline script is refused", async () => {
  const { faults } = await visiting("/docs", async (page) => {
    await page.locator(".opblock").first().waitFor();
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'intruder'";
      document.body.append(script);
    });
    expect(await page.title()).toBe("Rollcall API reference");
  });
  expect(faults.join("\n")).toContain("refused script-src-elem inline");
}, 20_000);

for (const [colorScheme, ground] of Object.entries({
  light: "rgb(250, 250, 248)",
  dark: "rgb(18, 20, 18)",
} as const)) {
  const options = { colorScheme: colorScheme as "light" | "dark" }; // the keys just above

  test(`the reference is ${colorScheme} where the reader's other pages are`, async () => {
    const { response, faults } = await visiting(
      "/docs",
      async (page) => {
        await page.locator(".opblock").first().waitFor();
        return groundColour(page);
      },
      options,
    );
    expect(response).toBe(ground);
    expect(faults).toEqual([]);
  }, 20_000);

  test(`the type of a problem leads to its section, ${colorScheme} and accessible`, async () => {
    const { response, faults } = await visiting(
      "/docs/errors#overloaded",
      async (page) => {
        expect(await page.locator("section:target h2").textContent()).toContain("overloaded");
        expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
        return groundColour(page);
      },
      options,
    );
    expect(response).toBe(ground);
    expect(faults).toEqual([]);
  }, 20_000);
}
