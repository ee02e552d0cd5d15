// One browser and one demo server for the tests of a file; every visit is a new browser profile.
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { useBrowser } from "../support/browser.ts";
import { type DemoServer, startDemo } from "./demo-server.ts";

const START_MS = 60_000;
const PATIENCE_MS = 15_000;

export interface Web {
  readonly server: DemoServer;
  /** Opens a path, signed in unless `key` is null, and closes it afterwards; fails if the console shows an error. */
  visit<T>(path: string, look: (page: Page) => Promise<T>, options?: VisitOptions): Promise<T>;
}

export interface VisitOptions extends BrowserContextOptions {
  readonly key?: string | null;
  /** Console errors that the test brings about. */
  readonly expectErrors?: boolean;
  /** Before the page is opened. */
  readonly before?: (page: Page) => Promise<unknown>;
}

export function useWeb(options: Parameters<typeof startDemo>[0] = {}): Web {
  const browser = useBrowser();
  let server: DemoServer;

  setDefaultTimeout(2 * PATIENCE_MS);
  beforeAll(async () => {
    server = await startDemo(options);
  }, START_MS);
  afterAll(() => server.stop());

  return {
    get server() {
      return server;
    },
    async visit(path, look, { key = server.keys.all, expectErrors = false, before, ...rest } = {}) {
      const context = await browser().newContext({
        viewport: { width: 1280, height: 800 },
        timezoneId: "UTC",
        ...rest,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      const errors: string[] = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(String(error)));
      await before?.(page);
      if (key !== null)
        await page.addInitScript((stored) => sessionStorage.setItem("rollcall.key", stored), key);
      try {
        await page.goto(server.address + path);
        const result = await look(page);
        if (!expectErrors) expect(errors).toEqual([]);
        return result;
      } finally {
        await context.close();
      }
    },
  };
}

/** The page does not scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(content).toBeLessThanOrEqual(window!);
}
