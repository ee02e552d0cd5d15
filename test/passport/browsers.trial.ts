// Passports of a whole made-up company, and of people whose data is odd, in Chromium, and in Firefox where `firefox-esr` is installed:
// every figure comes out as it was served, and no file has a megabyte. ROLLCALL_TRIAL_PEOPLE says how many people.
import { afterAll, expect, test } from "bun:test";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { passportHtml } from "../../src/passport/html.ts";
import { passportOf } from "../../src/passport/passport.ts";
import { DAY_MS, dayOfText } from "../../src/time/day.ts";
import { withBrowser } from "../support/browser.ts";
import { FIREFOX, withFirefox } from "../support/firefox.ts";
import { folderOf } from "../support/import-files.ts";
import { filesOf, oddPeople, rowsOf } from "../support/odd-people.ts";
import { importGenerated, openTestStore } from "../support/stores.ts";

const PEOPLE = Number(process.env.ROLLCALL_TRIAL_PEOPLE ?? 500);
const TODAY = "2026-11-21";
const BIGGEST_BYTES = 1_000_000;

const written = await openTestStore();
await written.writer.createCompany({ id: "acme", name: "Acme", createdAtMs: 0 });
await importGenerated(written.writer, "acme", { workers: PEOPLE, today: TODAY });
const reader = written.reader.company("acme");
const { sources } = await findSources([folderOf(filesOf(rowsOf(oddPeople(PEOPLE, 2026))))], null);
const today = dayOfText(TODAY);
const options = { isDryRun: false, isPruning: false, today, nowMs: today * DAY_MS };
await importCompany(written.writer, "acme", sources, options);
const { docs } = await reader.list("workers", { limit: 2 * PEOPLE }, []);
const ids = docs.map((doc) => (JSON.parse(doc) as { readonly id: string }).id);

let biggestBytes = 0;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const id = ids[Number(new URL(request.url).pathname.slice(1))];
    if (id === undefined) return new Response(null, { status: 404 });
    const html = await passportHtml((await passportOf(reader, id, today))!);
    biggestBytes = Math.max(biggestBytes, Buffer.byteLength(html));
    return new Response(html, { headers: { "content-type": "text/html" } });
  },
});
afterAll(async () => {
  await server.stop(true);
  await written.dispose();
});

/** What a passport says of its own figures, and after how many milliseconds it was there. */
const LOOK = `JSON.stringify({
  verdict: document.querySelector("#checked").className,
  ms: performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
})`;

/** Opens an address, and returns what the page says to `LOOK`. */
type Look = (url: string) => Promise<string>;

/** A browser that has read thousands of pages may end by itself. */
const PASSPORTS_PER_BROWSER = 500;

/** Reads all passports. `withLook` starts a browser, and ends it after `read`. */
async function readAll(
  name: string,
  withLook: (read: (look: Look) => Promise<void>) => Promise<void>,
): Promise<void> {
  const times: number[] = [];
  const readOne = async (look: Look, number: number) => {
    const { verdict, ms } = JSON.parse(await look(`${server.url}${number}`)) as {
      verdict: string;
      ms: number;
    };
    if (verdict !== "same")
      throw new Error(`${name}: the passport of ${ids[number]} has another figure than was served`);
    times.push(ms);
  };
  while (times.length < ids.length) {
    const end = Math.min(times.length + PASSPORTS_PER_BROWSER, ids.length);
    await withLook(async (look) => {
      while (times.length < end) await readOne(look, times.length);
    });
  }
  times.sort((a, b) => a - b);
  const [median, slowest] = [times[times.length >> 1]!, times.at(-1)!];
  console.log(
    `${name}: ${times.length} passports, median ${median} ms, slowest ${slowest} ms, biggest ${biggestBytes} bytes`,
  );
  expect(times.length).toBe(2 * PEOPLE);
  expect(biggestBytes).toBeLessThan(BIGGEST_BYTES);
}

test("Chromium computes what was served", () =>
  readAll("Chromium", (read) =>
    withBrowser(async (browser) => {
      const page = await browser.newPage();
      await read(async (url) => {
        await page.goto(url);
        return page.evaluate(LOOK);
      });
    }),
  ));

test.skipIf(FIREFOX === null)("Firefox computes what was served", () =>
  readAll("Firefox", (read) =>
    withFirefox(async (send) => {
      const { context } = await send("browsingContext.create", { type: "tab" });
      await read(async (url) => {
        await send("browsingContext.navigate", { context, url, wait: "complete" });
        const { result } = await send("script.evaluate", {
          ...{ expression: LOOK, target: { context }, awaitPromise: false },
        });
        return (result as { value: string }).value;
      });
    }),
  ),
);
