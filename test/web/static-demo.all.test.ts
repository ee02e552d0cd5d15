// The static demo (docs/page.md): below a path of a server of files alone, each view says what it says on the real server.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { rollcallHere } from "../cli/command.ts";
import { folderOf } from "../support/import-files.ts";
import { TODAY } from "./demo-server.ts";
import { goOn, useWeb } from "./visit.ts";

const WORKERS = 20;
const web = useWeb({ workers: WORKERS });
const folder = folderOf({});
const out = join(folder, "demo");

setDefaultTimeout(300_000);
let written: Awaited<ReturnType<typeof rollcallHere>>;
beforeAll(async () => {
  const args = ["demo", "--out", "demo", "--workers", String(WORKERS), "--today", TODAY];
  written = await rollcallHere(folder, args);
});

/** Files below a path, as hosts serve them: a folder's address gets a slash, and then its index.html. */
async function withFiles<T>(use: (site: string) => Promise<T>): Promise<T> {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith("/some/where")) return new Response("", { status: 404 });
      const path = join(out, pathname.slice("/some/where".length));
      if (!existsSync(path)) return new Response("", { status: 404 });
      if (!statSync(path).isDirectory()) return new Response(Bun.file(path));
      if (!pathname.endsWith("/")) return Response.redirect(`${pathname}/${search}`, 301);
      return new Response(Bun.file(join(path, "index.html")));
    },
  });
  try {
    return await use(`http://127.0.0.1:${server.port}/some/where`);
  } finally {
    await server.stop(true);
  }
}

/** What the view shows; null while anything is loading. */
const shown = (page: Page) =>
  page.evaluate(() =>
    document.querySelector("h1") === null || document.querySelector(".loading, [aria-busy=true]") !== null
      ? null
      : document.querySelector("main")!.innerText,
  );

const PATIENCE_MS = 60_000;

/** Waits until both pages show the same, and it has a number. */
async function expectSame(real: Page, files: Page): Promise<void> {
  for (const untilMs = Date.now() + PATIENCE_MS; ; await files.waitForTimeout(100)) {
    const [expected, text] = [await shown(real), await shown(files)];
    if (text !== null && text === expected && /\d/.test(text)) return;
    if (Date.now() > untilMs) expect([files.url(), text]).toEqual([real.url(), expected]);
  }
}

/** Notes what a page lacks, asks for elsewhere, or shows as an error. */
function watched(page: Page, site: string): string[] {
  const wrong: string[] = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("response", (response) => {
    if (response.status() >= 400 || !response.url().startsWith(site)) wrong.push(response.url());
  });
  return wrong;
}

/** Opens the static demo in a page of its own. Fails if anything is missing, asked for elsewhere, or shown as an error. */
async function visitFiles(
  look: (page: Page, site: string) => Promise<void>,
  locale = "en-GB",
): Promise<void> {
  await withFiles((site) =>
    web.visit(
      "/",
      async (page) => {
        await page.goto("about:blank"); // the visit began at the real server
        const wrong = watched(page, site);
        await look(page, site);
        expect(wrong).toEqual([]);
      },
      { key: null, profile: { locale, timezoneId: "UTC", viewport: { width: 1280, height: 800 } } },
    ),
  );
}

test("each view says what the real server's page says, and asks for nothing that is not there", async () => {
  expect(written).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Wrote \d+ files/) });
  const client = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const workers = await client.workers.list().toArray();
  const policies = await client.policies.list().toArray();
  const requests = await client.requests.list({ endsOnOrAfter: "2026-06-01" }).toArray();
  const monthOf = (instant: string) => instant.slice(0, 7);
  // Leave of whole months has neighbours, of whom somebody is away then.
  const ofTwoMonths = requests
    .filter(({ status, startAt, endAt }) => status !== "denied" && monthOf(startAt) !== monthOf(endAt))
    .sort(
      (a, b) => Date.parse(b.endAt) - Date.parse(b.startAt) - Date.parse(a.endAt) + Date.parse(a.startAt),
    );
  const paths = [
    "/",
    "/?day=2026-12-07&who=everyone&lists=open",
    "/?view=month",
    "/?view=month&day=2027-04-01&who=everyone",
    "/?view=year",
    `/?policy=${policies[0]!.id}&view=month`,
    "/people",
    ...workers.slice(0, 5).map(({ id }) => `/people/${id}`),
    `/people/${workers[5]!.id}?year=-1`,
    `/people/${workers[6]!.id}?year=1`,
    "/requests",
    `/requests?show=all&request=${requests.find(({ status }) => status === "approved")!.id}`,
    ...ofTwoMonths.slice(0, 2).map(({ id, workerId }) => {
      const { displayName } = workers.find((worker) => worker.id === workerId)!;
      return `/requests?show=all&name=${encodeURIComponent(displayName)}&request=${id}`; // in sight
    }),
    "/balances?by=none",
    "/balances?by=none&on=2026-12-31",
    "/balances?show=movements",
    "/balances?show=movements&on=2026-06-01",
    "/balances?show=year",
    "/policies",
    `/policies/${policies[0]!.id}`,
  ];
  await withFiles((site) =>
    web.visit("/", async (page) => {
      const files = await page.context().newPage();
      const wrong = watched(files, site);
      for (const path of paths) {
        await goOn(page, path);
        if (path.includes("?")) await goOn(files, site + path);
        else await files.goto(site + path);
        await expectSame(page, files);
        expect([path, ...wrong]).toEqual([path]);
      }
      await files.close();
    }),
  );
});

test("it says which day it is of, goes on by links, and loads again where it is", async () => {
  await visitFiles(async (page, site) => {
    await page.goto(`${site}/index.html`);
    await page.getByText("A demo of fixed data, as of 21 Nov 2026").waitFor();
    expect(page.url()).toBe(`${site}/`);
    await page.getByRole("navigation").getByRole("link", { name: "People" }).click();
    const [first] = await page.locator("main a").all();
    const name = await first!.innerText();
    await first!.click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    expect(page.url()).toMatch(new RegExp(`^${site}/people/wrk_`));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /passport/i }).click(),
    ]);
    expect(readFileSync(await download.path(), "utf8")).toContain(name);
    await page.getByRole("navigation").getByRole("link", { name: "Policies" }).click();
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByText('"http://127.0.0.1:4010/v1/time_off/policies"').waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Use the API" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(page.url()).toBe(`${site}/docs/`);
    await page.locator('[role="tab"]').first().waitFor(); // its script has run
    expect(await page.locator("main").textContent()).not.toContain(new URL(site).host);
  });
});

test("what it has not is said, and no number is shown instead", async () => {
  await visitFiles(async (page, site) => {
    for (const path of [
      "/?day=2031-05-05",
      "/balances?on=2026-11-19",
      "/requests?show=all&from=2026-11-19",
    ]) {
      await page.goto(site + path);
      await page.getByRole("heading", { name: "This is not part of this demo." }).first().waitFor();
      expect(await page.locator("table").count()).toBe(0);
    }
  });
});

test.each(["en-US", "de-DE", "ar-EG"])("in %s the first view has its week", async (locale) => {
  await visitFiles(async (page, site) => {
    await page.goto(site);
    await page.locator(".timeline, .calendar .empty").first().waitFor();
    expect(await page.locator("[role=alert]").count()).toBe(0);
  }, locale);
});

test("it is readable by any web server, and written to an empty folder alone", async () => {
  expect(statSync(join(out, "data/index.json")).mode & 0o777).toBe(0o644);
  expect(statSync(join(out, "data")).mode & 0o777).toBe(0o755);
  const again = await rollcallHere(folder, ["demo", "--out", "demo"]);
  expect(again).toMatchObject({ exitCode: 1, stdout: "" });
  expect(again.stderr).toBe("rollcall: demo is not empty: name a folder that is empty or does not exist\n");
  writeFileSync(join(folder, "file"), "");
  const onFile = await rollcallHere(folder, ["demo", "--out", "file"]);
  expect(onFile.stderr).toContain("file is a file: name a folder");
  const many = await rollcallHere(folder, ["demo", "--out", "many", "--workers", "1001"]);
  expect([many.exitCode, existsSync(join(folder, "many"))]).toEqual([2, false]);
});
