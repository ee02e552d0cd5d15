import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessible } from "../../support/browser.ts";
import { addKey } from "../../support/stores.ts";
import { startDemo } from "../demo-server.ts";
import { addFive } from "../five.ts";
import { goOn, useWeb } from "../visit.ts";

const web = useWeb({ workers: 40 });

test("a pasted key is tried, and stored for this tab only", async () => {
  const { keys, address } = web.server;
  await web.visit(
    "/people",
    async (page) => {
      await expectAccessible(page);
      const field = page.getByLabel("API key");
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("Paste your key first.").waitFor();
      await page.getByLabel("API key").fill(`  ${keys.all}\n`);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "People" }).waitFor();
      expect(page.url()).toBe(`${address}/people`);

      await page.reload();
      await page.getByRole("table").waitFor();
      const other = await page.context().newPage();
      await other.goto(`${address}/people`);
      await other.getByLabel("API key").waitFor();
      await other.close();

      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("API key").waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    },
    { key: null },
  );
});

test("a bad key is refused with the reason and the request id, and not stored", async () => {
  await web.visit(
    "/",
    async (page) => {
      await page.getByLabel("API key").fill("correct horse");
      await page.keyboard.press("Enter");
      await page.getByText("This is not an API key").waitFor();
      await page.getByLabel("API key").fill(`rk_${"a".repeat(38)}`);
      await page.keyboard.press("Enter");
      await page
        .getByRole("alert")
        .getByText(/This key is not valid.*Request .+: the operator/)
        .waitFor();
      await expectAccessible(page);
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    },
    { key: null, expectErrors: true },
  );
});

// docs/security.md, Keys: such a key sees the id and the name of a manager, whoever that is.
test("a key that sees some people leads to nobody else: their manager has no link, and no command makes a feed of everybody", async () => {
  const all = await addFive(web.server);
  const access = { workers: ["wrk_ana", "wrk_cem"] };
  const some = await addKey(web.server.store.writer, "five", { access });
  const manager = (page: Page) => page.locator(".person-head dd").filter({ hasText: "Eve Noor" });
  const withLink = async (page: Page) => manager(page).getByRole("link").waitFor();
  await web.visit("/people/wrk_ana", withLink, { key: all });
  const withName = async (page: Page) => {
    await manager(page).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await manager(page).getByRole("link").count()).toBe(0);
    await page.getByRole("button", { name: "Export" }).click(); // without a feed: its command would show everybody
    await page.getByRole("button", { name: "Download CSV" }).waitFor();
    expect(await page.locator(".command").count()).toBe(0);
    await goOn(page, "/?who=everyone&order=manager");
    await page.locator(".timeline-group").waitFor();
    expect(await page.locator(".timeline-group").allTextContents()).toEqual(["Eve Noor 2 people · 1 away"]);
  };
  await web.visit("/people/wrk_ana", withName, { key: some, expectErrors: true });
});

// docs/security.md: of the API, such a key opens /v1/company, a tool of assistants and who is away, none of which the page shows to keys.
test("a key that opens no view is refused, and not stored", async () => {
  const { writer } = web.server.store;
  const access = { level: "away", workers: [], departments: [], managers: [] } as const;
  const key = await addKey(writer, "demo", { access });
  await web.visit(
    "/",
    async (page) => {
      await page.getByLabel("API key").fill(key);
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("You may not see that").waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
      await page.getByLabel("API key").fill(await addKey(writer, "demo", { scopes: ["time_off:read"] }));
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Policies" }).waitFor();
    },
    { key: null, expectErrors: true },
  );
});

test("the demo's link signs in by itself, and the key is gone from the address before anything is drawn", async () => {
  const { keys, address } = web.server;
  await web.visit(
    `/?view=month#key=${keys.all}`,
    async (page) => {
      await page.getByRole("heading", { name: "Who is away" }).waitFor();
      expect(page.url()).toBe(`${address}/?view=month`);
      expect(await page.evaluate(() => history.length)).toBe(2); // about:blank, and this page: no entry with the key
    },
    { key: null, profile: {} },
  );
});

test("a link with a key is refused where the data is real", async () => {
  const real = await startDemo({ workers: 5, demo: false });
  try {
    await web.visit(
      "/web/config.json",
      async (page) => {
        await page.goto(`${real.address}/#key=${real.keys.all}`);
        await page.getByText("Links that carry a key work for the demo only").waitFor();
        expect(page.url()).toBe(`${real.address}/`);
        expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
      },
      { key: null },
    );
  } finally {
    await real.stop();
  }
});

test("a key that stops working leads back to the sign-in, with the reason", async () => {
  await web.visit(
    "/people",
    async (page) => {
      await page.getByText("The key that was used here is not valid any more").waitFor();
      expect(await page.evaluate(() => sessionStorage.getItem("rollcall.key"))).toBeNull();
    },
    { key: `rk_${"a".repeat(38)}`, expectErrors: true },
  );
});
