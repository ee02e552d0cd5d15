// Passports of a whole made-up company, and of people whose data is odd, in Chromium, and in Firefox where `firefox-esr` is installed:
// every figure comes out as it was served, and no file has a megabyte. ROLLCALL_TRIAL_PEOPLE says how many people.
import { afterAll, expect, test } from "bun:test";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { passportHtml } from "../../src/passport/html.ts";
import { passportOf } from "../../src/passport/passport.ts";
import { DAY_MS, dayOfText } from "../../src/time/day.ts";
import { useBrowser } from "../support/browser.ts";
import { folderOf, temporaryFolder } from "../support/import-files.ts";
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

async function readAll(name: string, look: (url: string) => Promise<string>): Promise<void> {
  const times: number[] = [];
  for (const [number, id] of ids.entries()) {
    const { verdict, ms } = JSON.parse(await look(`${server.url}${number}`)) as {
      verdict: string;
      ms: number;
    };
    if (verdict !== "same")
      throw new Error(`${name}: the passport of ${id} has another figure than was served`);
    times.push(ms);
  }
  times.sort((a, b) => a - b);
  const [median, slowest] = [times[times.length >> 1]!, times.at(-1)!];
  console.log(
    `${name}: ${times.length} passports, median ${median} ms, slowest ${slowest} ms, biggest ${biggestBytes} bytes`,
  );
  expect(times.length).toBe(2 * PEOPLE);
  expect(biggestBytes).toBeLessThan(BIGGEST_BYTES);
}

const chromium = useBrowser();

test("Chromium computes what was served", async () => {
  const page = await chromium().newPage();
  await readAll("Chromium", async (url) => {
    await page.goto(url);
    return page.evaluate(LOOK);
  });
});

const firefox = Bun.which("firefox-esr") ?? Bun.which("firefox");

test.skipIf(firefox === null)("Firefox computes what was served", async () => {
  const args = ["--headless", "--no-remote", "--profile", temporaryFolder(), "--remote-debugging-port", "0"];
  const running = Bun.spawn([firefox!, ...args], { stdout: "ignore", stderr: "pipe" });
  try {
    const send = await connect(await addressOf(running.stderr));
    await send("session.new", { capabilities: {} });
    const { context } = await send("browsingContext.create", { type: "tab" });
    await readAll("Firefox", async (url) => {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
      const { result } = await send("script.evaluate", {
        ...{ expression: LOOK, target: { context }, awaitPromise: false },
      });
      return (result as { value: string }).value;
    });
  } finally {
    running.kill();
  }
});

/** Firefox prints the address of its WebDriver BiDi server. */
async function addressOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const bytes of output) {
    text += new TextDecoder().decode(bytes);
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(text)?.[1];
    if (address !== undefined) return `${address}/session`;
  }
  throw new Error(`Firefox did not start: ${text}`);
}

type Send = (method: string, params: object) => Promise<Record<string, unknown>>;

/** Sends commands of WebDriver BiDi. */
async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  const waiting = new Map<
    number,
    (message: { result?: Record<string, unknown>; message?: string }) => void
  >();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data));
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  let id = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      id += 1;
      waiting.set(id, ({ result, message }) =>
        result === undefined ? reject(new Error(`${method}: ${message}`)) : resolve(result),
      );
      socket.send(JSON.stringify({ id, method, params }));
    });
}
