// Takes the README's screenshots of the demo company into docs/screenshots: `npm run screenshots`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Rollcall } from "../../src/client/index.ts";
import { withBrowser } from "../support/browser.ts";
import { type DemoServer, startDemo } from "./demo-server.ts";

const folder = join(import.meta.dir, "../../docs/screenshots");

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly colorScheme: "light" | "dark";
  readonly ready: (page: Page) => Promise<void>;
}

async function shots({ address, keys }: DemoServer): Promise<Shot[]> {
  const rollcall = new Rollcall({ baseUrl: address, apiKey: keys.all });
  const balances = await rollcall.balances.list().toArray();
  // The machine that takes them may have no letters but Latin ones.
  const readable = new Set(
    (await rollcall.workers.list().toArray()).flatMap(({ id, displayName }) =>
      /^[\p{sc=Latin}\s]+$/u.test(displayName) ? [id] : [],
    ),
  );
  const accruing = balances.filter(({ accruedUnlocked }) => accruedUnlocked > 0);
  const { workerId } = accruing.find(
    ({ workerId, holds, available }) =>
      readable.has(workerId) &&
      holds > 0 &&
      available > 0 &&
      accruing.filter((other) => other.workerId === workerId).length > 1,
  )!;
  return [
    {
      name: "away-month",
      path: "/?view=month&day=2026-12-01",
      colorScheme: "light",
      async ready(page) {
        await page.locator(".absence.pending").nth(1).waitFor();
        await page.locator(".calendar").evaluate((element) => element.scrollIntoView());
        await page.locator(".absence.pending").nth(1).hover();
        await page.getByRole("dialog").waitFor();
      },
    },
    {
      name: "away",
      path: "/",
      colorScheme: "light",
      ready: (page) => page.locator(".absence").first().waitFor(),
    },
    {
      name: "balances-dark",
      path: "/balances?by=department&on=2026-12-31",
      colorScheme: "dark",
      ready: (page) => page.locator(".data-table tbody tr").first().waitFor(),
    },
    {
      name: "person",
      path: `/people/${workerId}`,
      colorScheme: "light",
      async ready(page) {
        await page.locator("figure[aria-busy=false]").first().waitFor();
        await page.locator(".balances").evaluate((element) => element.scrollIntoView());
      },
    },
  ];
}

mkdirSync(folder, { recursive: true });
const server = await startDemo();
await withBrowser(async (browser) => {
  for (const { name, path, colorScheme, ready } of await shots(server)) {
    const page = await browser.newPage({
      colorScheme,
      deviceScaleFactor: 1.5,
      viewport: { width: 1200, height: 720 },
      reducedMotion: "reduce",
      timezoneId: "Europe/London",
      locale: "en-GB",
    });
    await page.goto(`${server.address}${path}#key=${server.keys.all}`);
    await ready(page);
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(300); // what fades in has faded in
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
  }
});
await server.stop();
