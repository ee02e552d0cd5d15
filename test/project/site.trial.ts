// The documentation site, built as docs/README.md says: each link and anchor in it leads somewhere, each document is in it, it loads
// nothing from elsewhere, and its search finds a page. Needs the npm registry.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ENDPOINTS } from "../../src/resources/endpoints.ts";
import { withBrowser } from "../support/browser.ts";

const ROOT = join(import.meta.dir, "../..");
const SITE = join(ROOT, "dist/site");
/** Most static hosts of projects serve below a path. */
const BASE = "/rollcall/";
let pages: Map<string, string>;

beforeAll(async () => {
  const built = Bun.spawn(["npm", "run", "site"], {
    cwd: ROOT,
    env: { ...process.env, SITE_BASE: BASE },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(built.stdout).text(),
    new Response(built.stderr).text(),
  ]);
  if ((await built.exited) !== 0) throw new Error(out + err);
  expect(err).not.toMatch(/npm warn/i);
  const files = [...new Bun.Glob("**/*.html").scanSync(SITE)];
  pages = new Map(files.map((file) => [file, readFileSync(join(SITE, file), "utf8")]));
}, 600_000);

/** The file at an address of the site, as the plainest host finds it; null if there is none. */
function fileAt({ pathname }: URL): string | null {
  const path = decodeURI(pathname);
  if (!path.startsWith(BASE)) return null;
  const file = join(SITE, path.slice(BASE.length), path.endsWith("/") ? "index.html" : "");
  return existsSync(file) && statSync(file).isFile() ? file : null;
}

const ORIGIN = "https://site.example";
const attributes = (html: string, pattern: RegExp) =>
  [...html.matchAll(pattern)].map(([, value]) => value!.replaceAll("&amp;", "&"));

test("each link leads to a page and an anchor that exist", () => {
  const ids = new Map(
    [...pages].map(([file, html]) => [join(SITE, file), new Set(attributes(html, /\sid="([^"]*)"/g))]),
  );
  const dead: string[] = [];
  let links = 0;
  for (const [file, html] of pages) {
    for (const href of attributes(html, /<a\s[^>]*?href="([^"]*)"/g)) {
      const url = new URL(href, `${ORIGIN}${BASE}${file}`);
      if (url.origin !== ORIGIN) continue;
      links++;
      const target = fileAt(url);
      const anchor = decodeURIComponent(url.hash.slice(1));
      if (target === null || (anchor !== "" && ids.get(target)?.has(anchor) !== true))
        dead.push(`${file}: ${href}`);
    }
  }
  expect(dead).toEqual([]);
  expect(links).toBeGreaterThan(2_000);
});

test("no file names the folder in which the site was built", () => {
  const files = [...new Bun.Glob("**/*.{html,js,css,json,txt,md}").scanSync(SITE)];
  expect(files.filter((file) => readFileSync(join(SITE, file), "utf8").includes(ROOT))).toEqual([]);
});

test("scripts, styles, pictures and fonts are files of the site", () => {
  const missing: string[] = [];
  for (const [file, html] of pages) {
    for (const address of attributes(html, /<(?:script|link|img)\s[^>]*?(?:src|href)="([^"]*)"/g)) {
      const url = new URL(address, `${ORIGIN}${BASE}${file}`);
      if (url.origin !== ORIGIN || fileAt(url) === null) missing.push(`${file}: ${address}`);
    }
  }
  for (const file of new Bun.Glob("**/*.css").scanSync(SITE)) {
    for (const address of attributes(readFileSync(join(SITE, file), "utf8"), /url\(["']?(?!data:)([^"')]+)/g))
      if (fileAt(new URL(address, `${ORIGIN}${BASE}${file}`)) === null) missing.push(`${file}: ${address}`);
  }
  expect(missing).toEqual([]);
});

test("the start page links to each document, and the reference has each endpoint", () => {
  const start = pages.get("index.html")!;
  for (const document of new Bun.Glob("**/*.md").scanSync(join(ROOT, "docs"))) {
    if (document !== "README.md") expect(start).toContain(`href="${BASE}${document.replace(/md$/, "html")}"`);
  }
  const reference = [...pages]
    .flatMap(([file, html]) => (file.startsWith("reference/") ? [html] : []))
    .join();
  for (const { list, retrieve } of Object.values(ENDPOINTS))
    for (const endpoint of [list, retrieve])
      if (endpoint !== null) expect(reference).toContain(`GET ${endpoint.path}<`);
  expect(JSON.parse(readFileSync(join(SITE, "openapi.json"), "utf8")).openapi).toStartWith("3.1");
});

test("a reader searches and follows a result, and nothing is loaded from elsewhere", async () => {
  const server = Bun.serve({
    port: 0,
    fetch({ url }) {
      const file = fileAt(new URL(url));
      return file === null ? new Response(null, { status: 404 }) : new Response(Bun.file(file));
    },
  });
  afterAll(() => server.stop(true));
  await withBrowser(async (browser) => {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000); // the search indexes in the background, after everything else on a busy machine
    const origins = new Set<string>();
    const faults: string[] = [];
    page.on("request", (request) => origins.add(new URL(request.url()).origin));
    page.on("response", (response) => {
      if (response.status() >= 400) faults.push(response.url());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(new URL(BASE, server.url).href);
    await page.locator(".rp-search-button").first().click();
    await page.keyboard.type("carryover");
    await page
      .getByRole("link", { name: /carryover/i })
      .first()
      .click();
    const title = page.locator("h1", { hasText: /balance/i });
    await title.waitFor();
    await page.reload();
    await title.waitFor();
    expect([...origins]).toEqual([server.url.origin]);
    expect(faults).toEqual([]);
  });
}, 300_000);
