// Below a path of a proxy: API, page, reference, links and the types of problems, whether the proxy strips the path or not.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createApp } from "../../../src/http/app.ts";
import { publicRoutes, webPages } from "../../../src/http/public/public-routes.ts";
import { listen, type Server } from "../../../src/http/server.ts";
import { withBrowser } from "../../support/browser.ts";
import { addCompany, addKey, importGenerated, openTestStore, type TestStore } from "../../support/stores.ts";
import { bareParts } from "../bare-parts.ts";

setDefaultTimeout(120_000);

let store: TestStore;
let key: string;
const servers: Server[] = [];
beforeAll(async () => {
  store = await openTestStore();
  await addCompany(store.writer, "acme");
  await importGenerated(store.writer, "acme", { workers: 10, today: "2026-03-10" });
  key = await addKey(store.writer, "acme");
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await store.dispose();
});

function serve(basePath: string, isTrusted: boolean): string {
  const page = webPages({ demo: true, today: "2026-03-10" });
  const parts = bareParts(store.reader, {
    today: () => "2026-03-10",
    basePath,
    publicRoutes: publicRoutes({ store: store.reader, isStopping: () => false, page }),
  });
  const server = listen(
    createApp(parts),
    {
      host: "127.0.0.1",
      port: 0,
      reusePort: false,
      tls: null,
      addressOf: (_, peer) => peer,
      isTrustedPeer: () => isTrusted,
      basePath,
    },
    () => {},
  );
  servers.push(server);
  return server.address;
}

const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers: { "x-api-key": key, ...headers } });

/** Every link of the server's own in a document. */
async function linksIn(response: Response): Promise<string[]> {
  expect(response.status).toBe(200);
  return [...(await response.text()).matchAll(/\b(?:href|src)="(\/[^"]*)"|\burl\("(\/[^"]*)"/g)].map(
    ([, html, css]) => (html ?? css)!,
  );
}

test("everything is below the base path, and at the root for a proxy that strips it", async () => {
  const address = serve("/hr", false);
  for (const at of [`${address}/hr`, address]) {
    expect((await get(`${at}/v1/workers`)).status).toBe(200);
    const problem = await (await get(`${at}/v1/workers?limit=0`)).json();
    expect(problem.type).toBe("/hr/docs/errors#invalid_parameter");
    expect((await get(`${at}/healthz`)).status).toBe(200);
    for (const path of ["/", "/people", "/docs", "/docs/errors", "/docs/fonts.css"]) {
      const links = await linksIn(await get(at + path));
      expect(links.length).toBeGreaterThan(1);
      for (const link of links) expect(link).toStartWith("/hr/");
    }
    // OpenAPI 3.1, Paths Object: a path is appended to the server's address without resolving it.
    const [{ url }] = (await (await get(`${at}/openapi.json`)).json()).servers;
    expect((await get(`${address}${url}/v1/workers`)).status).toBe(200);
  }
  expect((await get(`${address}/hr`)).status).toBe(200);
  expect((await get(`${address}/hrx/v1/workers`)).status).toBe(404);
});

test("links of a list stay below the path, from the first page to the last and back", async () => {
  for (const [start, headers] of [
    [`${serve("/hr", false)}/hr`, {}],
    [serve("", true), { "x-forwarded-prefix": "/hr" }],
  ] as const) {
    const seen: string[] = [];
    let next: string | undefined = `${start}/v1/workers?limit=4`;
    let last = next;
    while (next !== undefined) {
      last = next;
      const response = await get(next, headers);
      seen.push(...(await response.json()).data.map(({ id }: { id: string }) => id));
      const link = response.headers.get("link") ?? "";
      for (const [, path] of link.matchAll(/<([^>]*)>/g)) expect(path).toStartWith("/hr/v1/workers?limit=4&");
      const path = /<([^>]*)>; rel="next"/.exec(link)?.[1];
      next =
        path === undefined
          ? undefined
          : start.replace(/\/hr$/, "") + (start.endsWith("/hr") ? path : path.slice(3));
    }
    expect(new Set(seen).size).toBe(10);
    expect((await get(last, headers)).headers.get("link")).toContain('rel="prev"');
  }
});

test("an error names addresses below the path", async () => {
  const problem = await (await get(`${serve("/hr", false)}/hr/v1/worker`)).json();
  expect(problem.detail).toBe("Nothing is at /v1/worker: see /hr/docs for the paths.");
});

test("a response cached for one base path is not used for another", async () => {
  const [one, other] = [serve("/hr", false), serve("/people", false)];
  const { headers } = await get(`${one}/hr/`);
  expect((await get(`${one}/hr/`, { "if-none-match": headers.get("etag")! })).status).toBe(304);
  expect((await get(`${other}/people/`, { "if-none-match": headers.get("etag")! })).status).toBe(200);
});

test("only a trusted proxy can name the base path", async () => {
  const prefix = { "x-forwarded-prefix": "/hr" };
  const trusting = serve("", true);
  expect((await linksIn(await get(`${trusting}/`, prefix))).every((link) => link.startsWith("/hr/"))).toBe(
    true,
  );
  for (const evil of ["//evil.example", '/"><script>', "/a/../b"])
    expect(await linksIn(await get(`${trusting}/`, { "x-forwarded-prefix": evil }))).toContain("/docs");
  expect(await linksIn(await get(`${serve("", false)}/`, prefix))).toContain("/docs");
});

test("the page and the reference work in a browser", async () => {
  const address = serve("/hr", false);
  await withBrowser(async (browser) => {
    const tab = await browser.newPage();
    const failed: string[] = [];
    tab.on("response", (response) => response.status() >= 400 && failed.push(response.url()));
    const asked: string[] = [];
    tab.on("request", (request) => asked.push(request.url()));
    await tab.goto(`${address}/hr/#key=${key}`);
    await tab.getByRole("link", { name: "People" }).click();
    expect(tab.url()).toBe(`${address}/hr/people`);
    await tab.reload();
    await tab.getByRole("heading", { level: 1 }).waitFor();
    await tab.getByRole("link", { name: "API" }).click();
    expect(tab.url()).toBe(`${address}/hr/docs`);
    expect(failed).toEqual([]);
    // Also scripts and fonts: the proxy sends nothing else to this server.
    expect(asked.filter((url) => !url.startsWith(`${address}/hr/`))).toEqual([]);
    expect(asked.some((url) => url.endsWith(".woff2"))).toBe(true);
  });
});
