// One browser and one demo server for the tests of a file; every visit is a new browser profile.
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { withBrowser } from "../support/browser.ts";
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
  let server: DemoServer;
  let browser: Browser;
  const closing = Promise.withResolvers<void>();
  let closed: Promise<void>;

  setDefaultTimeout(2 * PATIENCE_MS);
  beforeAll(async () => {
    server = await startDemo(options);
    const opened = Promise.withResolvers<Browser>();
    closed = withBrowser(async (started) => {
      opened.resolve(started);
      await closing.promise;
    });
    browser = await Promise.race([opened.promise, closed.then(() => opened.promise)]);
  }, START_MS);

  afterAll(async () => {
    closing.resolve();
    await closed;
    await server.stop();
  });

  return {
    get server() {
      return server;
    },
    async visit(path, look, { key = server.keys.all, expectErrors = false, before, ...rest } = {}) {
      const context = await browser.newContext({
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

/** Nothing that axe can find is wrong with the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  // The page has no frames, so that the check needs no second page to put the results of several together.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("; ")}`)).toEqual([]);
}

/** The page does not scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(content).toBeLessThanOrEqual(window!);
}
