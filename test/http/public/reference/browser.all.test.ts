// The reference in a real browser that can reach only this server: it loads, obeys its own policy, and can call the API.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { webPages } from "../../../../src/http/public/public-routes.ts";
import { GUIDES } from "../../../../src/http/public/reference/guides.ts";
import { referenceContents } from "../../../../src/http/public/reference/operations.ts";
import { reference } from "../../../../src/http/public/reference/reference.ts";
import { expectAccessible, useBrowser } from "../../../support/browser.ts";

const KEY = "rk_not-a-real-key";
/** The server has objects for this one. */
const OWN_KEY = "rk_of-a-company";
/** The prefix of the ids of each list whose objects can be retrieved. */
const PREFIX: Readonly<Record<string, string>> = Object.fromEntries(
  referenceContents()
    .operations.filter(({ path }) => path.endsWith("/{id}"))
    .map(({ path, exampleId }) => [path.replace("/{id}", ""), exampleId!.split("_")[0]!]),
);

interface Call {
  readonly target: string;
  readonly key: string | null;
}

setDefaultTimeout(120_000);
const browser = useBrowser();
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
      if (url.search === "?limit=1") {
        const isOwn = request.headers.get("x-api-key") === OWN_KEY;
        return Response.json({
          data: isOwn ? [{ id: `${PREFIX[url.pathname]}_ofthiscompany12345678` }] : [],
        });
      }
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

/** Opens a page at `path` in its own context. */
async function open(path: string, options: BrowserContextOptions = {}) {
  const context = await browser().newContext(options);
  context.setDefaultTimeout(10_000);
  const faults = await watch(context);
  const page = await context.newPage();
  await page.goto(new URL(path, server.url).href);
  return { page, faults };
}

// The reference is long: most tests look at it in one page, in which none leaves what would disturb the next.
let page: Page;
let faults: string[];

beforeAll(async () => {
  ({ page, faults } = await open("/docs"));
  await page.locator('[role="tab"]').first().waitFor();
}, 120_000);

afterEach(() => expect(faults.splice(0)).toEqual([]));

const groundColour = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** Opens everything that can be opened, so that axe sees all of it. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
}

/** Entries of operations are alike, and axe takes seconds for all of them: of these, browser.trial.ts leaves all. */
const LEFT: readonly string[] | null =
  process.env.ROLLCALL_TEST_WHOLE_REFERENCE === undefined ? ["listWorkers", "retrieveBalance"] : null;

async function leaveSomeOperations(page: Page): Promise<void> {
  const operations = referenceContents().operations.map(({ id }) => id);
  const removed = LEFT === null ? [] : operations.filter((id) => !LEFT.includes(id));
  const found = await page.evaluate((ids) => {
    const entries = ids.map((id) => document.getElementById(id));
    for (const entry of entries) entry?.remove();
    return entries.filter((entry) => entry !== null).length;
  }, removed);
  expect(found).toBe(removed.length);
}

test("the reference begins with a request to paste and its response, in the page's type, and calls no other server", async () => {
  const start = page.locator("#start");
  expect(await start.locator("#start-curl code").innerText()).toBe(
    `curl "${server.url.origin}/v1/workers?statuses=active" \\\n  -H "x-api-key: $ROLLCALL_KEY"`,
  );
  expect(await start.locator("figure").last().innerText()).toContain('"hasMore": false');
  expect(await page.locator("main .entry").count()).toBe(
    3 + GUIDES.length + referenceContents().operations.length,
  );
  expect(await page.evaluate(() => document.fonts.ready.then((fonts) => fonts.check("1rem Inter")))).toBe(
    true,
  );
});

test("a language that is chosen once is shown everywhere, also by the keyboard", async () => {
  await page.locator("#start-curl-tab").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Python");
  const shown = await page
    .locator('[role="tabpanel"]:not([hidden])')
    .evaluateAll((panels) => [...new Set(panels.map((panel) => panel.getAttribute("data-language")))]);
  expect(shown).toEqual(["Python"]);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
});

test("the search leaves the sections that have every word", async () => {
  const search = page.getByRole("searchbox", { name: "Search the reference" });
  await search.fill("ratelimit-policy");
  await page.getByText("1 sections").waitFor();
  await page.keyboard.press("Enter");
  const left = page.locator("nav[aria-label=Contents] li:visible");
  expect(await left.allTextContents()).toEqual(["Limits"]);
  await search.fill("");
  await left.nth(3).waitFor();
});

test("an endpoint can be tried; the key that is typed in goes along and is not stored", async () => {
  calls.length = 0;
  const entry = page.locator("#listWorkers");
  await entry.getByText("Try it").click();
  await entry.getByRole("button", { name: "Send request" }).click();
  await entry.locator(".outcome").waitFor();
  await page.getByLabel("API key").fill(KEY);
  await entry.getByLabel("statuses").fill("active, inactive");
  const responded = page.waitForResponse((response) => response.url().includes("statuses"));
  await entry.getByLabel("statuses").press("Enter");
  await responded;
  await entry.getByText("GET /v1/workers?statuses=active&statuses=inactive").waitFor();
  expect(await entry.locator(".result pre").innerText()).toContain('"count": 0');
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(calls).toEqual([
    { target: "/v1/workers", key: null },
    { target: "/v1/workers?statuses=active&statuses=inactive", key: KEY },
  ]);
  expect(stored).not.toContain(KEY);
});

test("with a key stored for the tab, samples and forms have ids of its company, the curl command follows the form, and the response can be copied", async () => {
  await page.reload(); // without what was tried before
  await page.getByLabel("Keep it for this tab").check();
  await page.getByLabel("API key").fill(OWN_KEY);
  const entry = page.locator("#retrieveWorker");
  await entry.getByText("Try it").click();
  const own = "wrk_ofthiscompany12345678";
  await entry
    .locator("code")
    .filter({ hasText: `/v1/workers/${own}` })
    .first()
    .waitFor();
  expect(await entry.getByLabel("id").inputValue()).toBe(own);
  await page.reload();
  await page.locator("#retrieveWorker code").filter({ hasText: own }).first().waitFor();
  const list = page.locator("#listWorkers");
  await list.getByText("Try it").click();
  await list.getByLabel("statuses").fill("draft");
  expect(await list.locator('[data-language="curl"] code').textContent()).toBe(
    `curl "${server.url.origin}/v1/workers?statuses=draft" \\\n  -H "x-api-key: $ROLLCALL_KEY"`,
  );
  await list.getByRole("button", { name: "Send request" }).click();
  await list.getByRole("button", { name: "Copy: Response" }).waitFor();
});

const SCHEMES = { light: "rgb(250, 250, 248)", dark: "rgb(18, 20, 18)" } as const;

async function expectAccessibleInBothColours(shown: Page): Promise<void> {
  for (const [colorScheme, ground] of Object.entries(SCHEMES)) {
    await shown.emulateMedia({ colorScheme: colorScheme as keyof typeof SCHEMES }); // its keys
    expect(await groundColour(shown)).toBe(ground);
    await expectAccessible(shown);
  }
}

test("the reference is light or dark, accessible and not too wide, at 1400 px and at 390 px", async () => {
  await openAll(page);
  for (const width of [1400, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  await leaveSomeOperations(page);
  for (const width of [390, 1400]) {
    await page.setViewportSize({ width, height: 900 });
    await expectAccessibleInBothColours(page);
  }
}, 240_000);

test("the policy is in force: an inline script is refused", async () => {
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'intruder'";
    document.body.append(script);
  });
  expect(await page.title()).toBe("Rollcall API reference");
  expect(faults.splice(0).join("\n")).toContain("refused script-src-elem inline");
});

test("the name in the header leads to the page", async () => {
  await page.evaluate(() => sessionStorage.clear()); // the page would sign in with the key
  await page.getByRole("link", { name: "Rollcall", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("the type of a problem leads to its section, light or dark and accessible", async () => {
  await page.goto(new URL("/docs/errors#overloaded", server.url).href);
  expect(await page.locator("section:target h2").textContent()).toContain("overloaded");
  await expectAccessibleInBothColours(page);
}, 120_000);

test("without scripts everything can be read", async () => {
  const plain = await open("/docs", { javaScriptEnabled: false });
  const figures = await plain.page.locator("figure:visible").count();
  expect(figures).toBeGreaterThan(3 * (1 + GUIDES.length + referenceContents().operations.length));
  expect(plain.faults).toEqual([]);
});
