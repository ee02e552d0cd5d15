import { expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { expectAccessible } from "../support/browser.ts";
import { goOn, useWeb } from "./visit.ts";

const web = useWeb({ workers: 40 });

/** Every request to the API gets this response. */
const responding = (respond: (route: Route) => Promise<void>) => (page: Page) =>
  page.route("**/v1/**", respond);

const fault = responding((route) =>
  route.fulfill({
    status: 500,
    contentType: "application/problem+json",
    body: JSON.stringify({
      code: "internal_error",
      detail: "Something went wrong here.",
      requestId: "req-42",
    }),
  }),
);

test("a failure says what happened and names the request; trying again recovers", async () => {
  await web.visit(
    "/",
    async (page) => {
      await page.getByRole("alert").getByText("req-42").waitFor();
      await expectAccessible(page);
      await page.unroute("**/v1/**");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator(".timeline").waitFor();
    },
    { before: fault, expectErrors: true },
  );
});

test("a part of the page that a newer server no longer has comes with a reload", async () => {
  const missing = (page: Page) => page.route("**/balances-*.js", (route) => route.fulfill({ status: 404 }));
  await web.visit(
    "/balances",
    async (page) => {
      await page.getByText("Something went wrong on this page.").waitFor();
      await page.unroute("**/balances-*.js");
      await page.getByRole("button", { name: "Reload the page" }).click();
      await page.locator("table").first().waitFor();
    },
    { before: missing, expectErrors: true },
  );
});

test("a server that cannot be reached is not reported as one that fails", async () => {
  await web.visit(
    "/people",
    async (page) => {
      await page.getByText("The server cannot be reached.").waitFor({ timeout: 10_000 });
    },
    { before: responding((route) => route.abort()), expectErrors: true },
  );
}, 120_000);

test("a browser that goes offline is told that the server cannot be reached, and does not load for ever", async () => {
  await web.visit(
    "/people",
    async (page) => {
      await page.getByRole("table").waitFor();
      await page.context().setOffline(true);
      await page.getByRole("link", { name: "Policies" }).first().click();
      await page.getByText("The server cannot be reached.").waitFor({ timeout: 20_000 });
    },
    { expectErrors: true },
  );
}, 120_000);

test("an address that asks for what there cannot be says so, and does not offer to try again", async () => {
  await web.visit(
    "/balances?on=2090-01-01",
    async (page) => {
      await page.getByText("The server does not accept something in this address.").waitFor();
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    },
    { expectErrors: true },
  );
});

test("while it loads, it says so", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await web.visit(
    "/people",
    async (page) => {
      await page.getByRole("status").getByText("Loading people…").waitFor();
      await expectAccessible(page);
      resolve();
      await page.getByRole("table").waitFor();
    },
    { before: responding(async (route) => promise.then(() => route.continue())) },
  );
});

test("a key that may not see time off is told which scope is missing, and still sees people", async () => {
  await web.visit(
    "/",
    async (page) => {
      const alert = page.getByRole("alert");
      await alert.getByText("You may not see that.").waitFor();
      expect(await alert.textContent()).toContain("time_off:read");
      await expectAccessible(page);
      await page.getByRole("link", { name: "People" }).click();
      await page.getByRole("table").waitFor();
    },
    { key: web.server.keys.workersOnly, expectErrors: true },
  );
});

test("a company without people says so in every view", async () => {
  const views = [
    ["/people", "There are no people yet."],
    ["/requests", "No request is pending."],
    ["/balances", "There are no balances yet."],
    ["/policies", "There are no policies yet."],
  ] as const;
  const look = async (page: Page) => {
    await page.getByText("There are no people yet.").waitFor();
    for (const [path, text] of views) {
      await goOn(page, path);
      await page.getByText(text).waitFor();
    }
  };
  await web.visit("/", look, { key: web.server.keys.empty });
});

test("the head says that the last import failed while the data is older than a night leaves it; before, the foot", async () => {
  const { writer } = web.server.store;
  const endedAtMs = Date.UTC(2026, 10, 21, 2);
  await writer.noteFailedImport(
    "empty",
    JSON.stringify({ endedAtMs, outcome: "refused", mistakes: 3, reason: null }),
  );
  const look = async (page: Page) => {
    await page.reload(); // another visit may have asked before
    const news = page.getByText(
      "The import of 21 Nov 2026, 02:00 UTC was refused for 3 reasons. What you see is older.",
    );
    const foot = page.getByRole("contentinfo").and(page.locator(":has(time)"));
    await news.waitFor();
    expect(await foot.count()).toBe(0);
    const dataAsOfMs = Date.now();
    await writer.change("empty", async () => ({
      result: 0,
      changed: true,
      commit: true,
      times: { dataAsOfMs, changedAtMs: dataAsOfMs },
    }));
    await page.reload();
    await page.getByText("Data as of").waitFor();
    await foot.getByText(/was refused for 3 reasons/).waitFor();
    expect(await news.count()).toBe(1);
    await expectAccessible(page);
  };
  await web.visit("/", look, { key: web.server.keys.empty });
});

// Each view has its own age: without this, balances of yesterday would stand below "Data as of" this morning for five minutes.
test("an import is noticed within a minute, and every figure is asked for anew", async () => {
  const { writer } = web.server.store;
  const asked: string[] = [];
  await web.visit(
    "/balances",
    async (page) => {
      await page.getByRole("button", { name: "Export" }).waitFor();
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.clock.fastForward(60_000);
      while (!asked.includes("/v1/company")) await page.waitForTimeout(20);
      expect(asked).toEqual(["/v1/company"]);
      const atMs = Date.UTC(2026, 10, 21, 9, 17);
      const times = { dataAsOfMs: atMs, changedAtMs: atMs };
      await writer.change("demo", async () => ({ result: 0, changed: true, commit: true, times }));
      await page.clock.fastForward(60_000);
      await page.getByText("09:17").waitFor();
      const lists = ["balances", "expirations", "movements"].map((list) => `/v1/time_off/${list}`);
      while (![...lists, "/v1/workers"].every((list) => asked.includes(list))) await page.waitForTimeout(20);
    },
    { before: (page) => page.clock.install() },
  );
});

test("an unknown person or policy gets a message", async () => {
  await web.visit("/people/wrk_nobody", (page) => page.getByText("There is no such person.").waitFor(), {
    expectErrors: true,
  });
  await web.visit("/policies/top_nothing", (page) => page.getByText("There is no such policy.").waitFor(), {
    expectErrors: true,
  });
});

test("where the browser refuses the clipboard, the text is selected and the page says how to copy it", async () => {
  await web.visit(
    "/policies",
    async (page) => {
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("button", { name: /^Copy/ }).click();
      await page.getByRole("status").getByText("Press Ctrl+C").waitFor();
      expect(await page.evaluate(() => String(getSelection()))).toStartWith("curl -H");
      await expectAccessible(page);
    },
    {
      profile: {},
      before: (page) =>
        page.addInitScript(() => {
          const refuse = () =>
            Promise.reject(new DOMException("Write permission denied.", "NotAllowedError"));
          Object.defineProperty(navigator.clipboard, "writeText", { value: refuse });
        }),
    },
  );
});

test("without JavaScript a link leads to the reference", async () => {
  await web.visit(
    "/",
    async (page) => {
      await page.locator("noscript a").click();
      await page.waitForURL("**/docs");
    },
    { key: null, profile: { javaScriptEnabled: false } },
  );
});

test("a mistyped address is a page with a way on in a browser, and the problem for a program", async () => {
  const { address } = web.server;
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  const asked = (path: string, headers: Record<string, string>) => fetch(address + path, { headers });
  const page = await asked("/persons", { accept });
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  for (const [path, headers] of [
    ["/persons", {}],
    ["/v1/persons", { accept }],
    ["/web/none.js", { accept }],
  ] as [string, Record<string, string>][]) {
    const response = await asked(path, headers);
    const { code } = (await response.json()) as { code: string };
    expect([path, response.status, code]).toEqual([path, 404, "unknown_path"]);
  }
  await web.visit(
    "/persons",
    async (page) => {
      await page.getByRole("heading", { name: "Nothing is at this address" }).waitFor();
      expect(await page.title()).toBe("Nothing is at this address · Rollcall");
      await page.getByRole("link", { name: "Go to the first view" }).click();
      await page.getByRole("heading", { name: "Who is away" }).waitFor();
    },
    { profile: {}, expectErrors: true },
  );
});
