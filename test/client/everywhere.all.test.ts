// The built client against the real server, in each runtime that it promises.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { isRollcallError, Rollcall } from "../../src/client/index.ts";
import { withBrowser } from "../support/browser.ts";
import { addKey } from "../support/stores.ts";
import { EXPECTED, exercise } from "./exercise.ts";
import { type ClientServer, startServer } from "./server.ts";

const root = join(import.meta.dir, "../..");
// A page of somebody else's, on an origin of its own, that is allowed to call.
const page = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => pageFile(new URL(url).pathname),
});
const PAGE = `http://127.0.0.1:${page.port}`;

setDefaultTimeout(120_000); // other runtimes start slowly on a busy machine

let server: ClientServer;
beforeAll(async () => {
  server = await startServer({ corsOrigin: PAGE });
});
afterAll(async () => {
  await page.stop(true);
  await server.stop();
});

async function pageFile(path: string): Promise<Response> {
  const scripts: Record<string, () => Promise<string>> = {
    "/client.js": () => Bun.file(join(root, "dist/client/index.js")).text(),
    "/exercise.js": async () => (await exerciseScript()).replace('"rollcall/client"', '"/client.js"'),
  };
  const script = await scripts[path]?.();
  const type = script === undefined ? "text/html" : "text/javascript";
  return new Response(script ?? "<!doctype html><title>A page</title>", {
    headers: { "content-type": type },
  });
}

/** The exercise as JavaScript that still imports the client by its public name. */
async function exerciseScript(): Promise<string> {
  const entrypoints = [join(import.meta.dir, "exercise.ts")];
  const built = await Bun.build({ entrypoints, external: ["rollcall/client"], target: "browser" });
  return await built.outputs[0]!.text();
}

test("in Bun", async () => {
  const before = server.statuses.length;
  expect(await exercise(server.baseUrl, server.apiKey)).toEqual(EXPECTED);
  expect(server.statuses.slice(before)).toContain(304);
});

test("in Node", async () => {
  const script = `${await exerciseScript()}
    console.log(JSON.stringify(await exercise(process.argv[1], process.argv[2])));`;
  const node = Bun.spawn(["node", "--input-type=module", "-e", script, server.baseUrl, server.apiKey], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(node.stdout).text(),
    new Response(node.stderr).text(),
  ]);
  expect(errors).toBe("");
  expect(JSON.parse(output)).toEqual(EXPECTED);
});

test("in a browser, from another origin", async () => {
  const result = await withBrowser(async (browser) => {
    const tab = await browser.newPage();
    await tab.goto(PAGE);
    return await tab.evaluate(
      async ({ baseUrl, apiKey, module }) => (await import(module)).exercise(baseUrl, apiKey),
      { baseUrl: server.baseUrl, apiKey: server.apiKey, module: "/exercise.js" },
    );
  });
  expect(result).toEqual(EXPECTED);
}, 120_000);

test("iteration keeps within the server's rate limit, and returns everybody", async () => {
  const limited = await startServer({ perSecond: 2 });
  try {
    const rollcall = new Rollcall({ baseUrl: limited.baseUrl, apiKey: limited.apiKey });
    expect(await rollcall.workers.list().toArray()).toHaveLength(230);
    expect(limited.statuses).toEqual([200, 200, 200]);
  } finally {
    await limited.stop();
  }
});

test("parallel calls are paced by the limit that the server tells", async () => {
  const limited = await startServer({ perSecond: 20 });
  try {
    const rollcall = new Rollcall({ baseUrl: limited.baseUrl, apiKey: limited.apiKey, retries: 1 });
    const calls = Array.from({ length: 100 }, () => rollcall.company());
    expect(new Set((await Promise.all(calls)).map(({ id }) => id)).size).toBe(1);
    // Only the calls that left before the first response can be refused.
    expect(limited.statuses.filter((status) => status === 429).length).toBeLessThanOrEqual(80);

    const abort = AbortSignal.timeout(50);
    const late = Promise.all(Array.from({ length: 50 }, () => rollcall.company({ signal: abort })));
    expect(await late.catch((error: unknown) => error)).toBe(abort.reason);
  } finally {
    await limited.stop();
  }
});

test("the server's own words come with its errors", async () => {
  const { baseUrl, apiKey } = server;
  const rollcall = new Rollcall({ baseUrl, apiKey });
  const misspelt = await rollcall.workers
    .list({ status: ["active"] } as object)
    .toArray()
    .catch((error: unknown) => error);
  if (!isRollcallError(misspelt, "invalid_parameter")) throw misspelt;
  expect(misspelt.errors[0]).toMatchObject({
    parameter: "status",
    detail: expect.stringContaining("statuses"),
  });
  expect(misspelt.message).toBe(
    `invalid_parameter: status: is not known here: did you mean \`statuses\`? (request ${misspelt.requestId})`,
  );

  const restricted = await addKey(server.store.writer, "acme", { scopes: ["workers:read"] });
  const refusal = await new Rollcall({ baseUrl, apiKey: restricted }).policies
    .list()
    .page()
    .catch((error) => error);
  expect(refusal).toMatchObject({ code: "missing_scope", status: 403 });
  const stranger = await new Rollcall({ baseUrl, apiKey: "rk_no" }).workers
    .list()
    .page()
    .catch((error) => error);
  expect(stranger).toMatchObject({ code: "invalid_api_key", status: 401 });
});
