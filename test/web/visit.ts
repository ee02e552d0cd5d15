// One browser, one demo server and, for most visits, one page for the tests of a file. A new page costs ten times as much as to go on
// in one that is open, and to load it again four times. Each visit begins without what the last one left on the screen and stored.
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { useBrowser } from "../support/browser.ts";
import { type DemoServer, startDemo } from "./demo-server.ts";

const START_MS = 120_000;
const PATIENCE_MS = 60_000;
const VIEWPORT = { width: 1280, height: 800 };

export interface Web {
  readonly server: DemoServer;
  /** Shows a path, signed in unless `key` is null; fails if the console shows an error. One visit at a time. */
  visit<T>(path: string, look: (page: Page) => Promise<T>, options?: VisitOptions): Promise<T>;
}

export interface VisitOptions extends Pick<BrowserContextOptions, (typeof SETTABLE)[number]> {
  readonly key?: string | null;
  /** Console errors that the test brings about. */
  readonly expectErrors?: boolean;
  /** Before the page is loaded. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** What a page can have from its beginning alone: it gets one of its own. */
  readonly profile?: BrowserContextOptions;
}

/** What an open page can be told. */
const SETTABLE = ["viewport", "colorScheme", "forcedColors", "extraHTTPHeaders"] as const;

export function useWeb(options: Parameters<typeof startDemo>[0] = {}): Web {
  const browser = useBrowser();
  let server: DemoServer;
  let shared: Page | undefined;
  /** With what key the shared page is signed in, if nothing else was done to it. */
  let signedIn: string | undefined;

  setDefaultTimeout(2 * PATIENCE_MS);
  beforeAll(async () => {
    server = await startDemo(options);
  }, START_MS);
  afterAll(() => server.stop());

  const newPage = async (profile: BrowserContextOptions = {}) => {
    const context = await browser().newContext({
      viewport: VIEWPORT,
      timezoneId: "UTC",
      locale: "en-GB",
      ...profile,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    return page;
  };

  return {
    get server() {
      return server;
    },
    async visit(path, look, visited = {}) {
      const { key = server.keys.all, expectErrors = false, before, profile } = visited;
      const page = profile !== undefined ? await newPage(profile) : (shared ?? (await newPage()));
      shared = undefined; // until this visit has ended well
      const errors: string[] = [];
      page.removeAllListeners();
      await reset(page, visited);
      const isPlain = profile === undefined && before === undefined && !expectErrors && !path.includes("#");
      const isOpen = isPlain && key !== null && key === signedIn && page.url().startsWith(server.address);
      signedIn = undefined;
      if (isOpen) await goOn(page, "/elsewhere");
      else if (page.url() !== "about:blank" || key !== null)
        await page.goto(`${server.address}/web/config.json`); // ends what runs, and has the page's storage
      if (page.url() !== "about:blank")
        await page.evaluate((stored) => {
          localStorage.clear();
          sessionStorage.clear();
          if (stored !== null) sessionStorage.setItem("rollcall.key", stored);
        }, key);
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(String(error)));
      let isDone = false;
      try {
        await before?.(page);
        if (isOpen) await goOn(page, path);
        else await page.goto(server.address + path);
        const result = await look(page);
        if (!expectErrors) expect(errors).toEqual([]);
        isDone = profile === undefined;
        if (isPlain && key !== null) signedIn = key;
        return result;
      } finally {
        if (isDone) shared = page;
        else await page.context().close();
      }
    },
  };
}

/** Takes back what another visit has told the page, its window and its network. Nothing moves: that costs time. */
async function reset(page: Page, { viewport, extraHTTPHeaders, ...media }: VisitOptions): Promise<void> {
  const { colorScheme = "light", forcedColors = "none" } = media;
  await page.unrouteAll();
  await page.context().setOffline(false);
  await page.context().clearCookies();
  await page.setExtraHTTPHeaders(extraHTTPHeaders ?? {});
  await page.setViewportSize(viewport ?? VIEWPORT);
  await page.emulateMedia({ media: "screen", colorScheme, forcedColors, reducedMotion: "reduce" });
  await page.mouse.move(0, 0);
}

/** Goes on to another view as a link does: a tenth of what it costs to load the page again. */
export async function goOn(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    window.scrollTo(0, 0);
  }, path);
}

/** The texts of elements, with single spaces. */
export async function texts(elements: Locator): Promise<string[]> {
  return (await elements.allTextContents()).map((text) => text.replaceAll(/\s+/g, " ").trim());
}

/** The rows of the CSV of an open export menu, the heading first. */
export async function downloadedCsv(page: Page): Promise<string[][]> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  return parse(readFileSync(await download.path()), { bom: true });
}

/** The same as objects by the names of the columns. */
export async function downloadedRows(page: Page): Promise<Record<string, string>[]> {
  const [header, ...rows] = await downloadedCsv(page);
  return rows.map((row) => Object.fromEntries(header!.map((name, at) => [name, row[at]!])));
}

/** The page does not scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(content).toBeLessThanOrEqual(window!);
}
