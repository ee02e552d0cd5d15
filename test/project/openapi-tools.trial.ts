// The OpenAPI document in the tools that callers use: linters, a validating proxy before a real server, generators of clients whose
// code is type-checked, and Postman's converter. Needs the npm registry, which brings the tools. ROLLCALL_PROXIED: how many requests
// pass the proxy, 8,000 unless told otherwise.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiDocument } from "../../src/resources/openapi/document.ts";
import { serveStore } from "../http/process.ts";
import { freePort } from "../support/postgres.ts";
import { randomOf } from "../support/random-rows.ts";
import { addKey, createCompany, importGenerated } from "../support/stores.ts";

const PROXIED = Number(process.env.ROLLCALL_PROXIED ?? 8000);
/** The newest versions that run on Node 20 or Bun. */
const TOOLS = {
  "@hey-api/openapi-ts": "0.99.0",
  "@redocly/cli": "2.77.0",
  "@stoplight/prism-cli": "5.14.2",
  "@stoplight/spectral-cli": "6.16.3",
  "openapi-fetch": "0.17.0",
  "openapi-to-postmanv2": "6.3.3",
  "openapi-typescript": "7.13.0",
  orval: "8.38.0",
};

interface Parameter {
  readonly name: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema: { readonly items?: { readonly enum?: readonly string[] } };
  readonly example?: unknown;
}

const document = openApiDocument() as {
  readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly Parameter[] } }>>;
}; // its own operations, all of them GET
const folder = mkdtempSync(join(tmpdir(), "rollcall-openapi-"));
const server = await serveStore();

beforeAll(async () => {
  writeFileSync(join(folder, "api.json"), JSON.stringify(document));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await run("npm", "install", "--silent", ...Object.entries(TOOLS).map((one) => one.join("@")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a command prints. Fails if it does. */
async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${stdout}${stderr}`);
  return stdout;
}

const tool = (name: string) => join(folder, "node_modules/.bin", name);

/** Type-checks what was generated, as strictly as its users may. */
const typeCheck = (...files: string[]) =>
  run(
    join(import.meta.dir, "../../node_modules/.bin/tsc"),
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2023",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--allowImportingTsExtensions",
    "--types",
    "node",
    "--typeRoots",
    join(import.meta.dir, "../../node_modules/@types"),
    ...files,
  );

test("Spectral and Redocly find nothing", async () => {
  const rules = {
    "info-contact": "off", // whom to ask is the operator, who is not known here
  };
  writeFileSync(join(folder, ".spectral.json"), JSON.stringify({ extends: ["spectral:oas"], rules }));
  const lint = ["lint", "api.json", "--fail-severity", "hint"];
  expect(await run(tool("spectral"), ...lint)).toContain("No results");
  await run(tool("redocly"), "lint", "api.json");
});

/** A list call as a user writes it, without a cast: a page is a page, not "page or text". */
const LIST_CALLS = {
  "use-fetch.ts": `import createClient from "openapi-fetch";
import type { paths } from "./types.d.ts";
const client = createClient<paths>({ baseUrl: process.argv[2]!, headers: { "x-api-key": process.argv[3]! } });
const { data, error } = await client.GET("/v1/workers", { params: { query: { limit: 100, statuses: ["active", "inactive"] } } });
if (error !== undefined) throw new Error(error.detail);
console.log(data.data.map((worker) => worker.displayName.toUpperCase()).length);
`,
  "use-orval.ts": `import { listWorkers } from "./orval/api.ts";
const response = await listWorkers({ statuses: ["active", "inactive"], limit: 100 }, { headers: { "x-api-key": process.argv[3]! } });
if (response.status !== 200) throw new Error(String(response.status));
console.log(response.data.data.map((worker) => worker.displayName.toUpperCase()).length);
`,
};

test("openapi-typescript, orval and hey-api generate clients that type-check, and so does a call of theirs", async () => {
  await run(tool("openapi-typescript"), "api.json", "-o", "types.d.ts");
  await run(tool("orval"), "--input", "api.json", "--output", "orval/api.ts", "--client", "fetch");
  await run(tool("openapi-ts"), "-i", "api.json", "-o", "hey-api");
  for (const [name, text] of Object.entries(LIST_CALLS)) writeFileSync(join(folder, name), text);
  await typeCheck("types.d.ts", "orval/api.ts", "hey-api/index.ts", ...Object.keys(LIST_CALLS));
});

test("Postman's converter makes a request of each operation", async () => {
  await run(tool("openapi2postmanv2"), "-s", "api.json", "-o", "postman.json");
  const collection = await Bun.file(join(folder, "postman.json")).text();
  const operations = Object.keys(document.paths).length;
  expect(collection.match(/"request": ?{/g)!.length).toBeGreaterThanOrEqual(operations);
});

test("Prism finds no difference between the document and the responses", async () => {
  const { writer, address } = server;
  await createCompany(writer, "acme");
  await importGenerated(writer, "acme", { workers: 60, today: "2026-03-01" });
  const key = await addKey(writer, "acme");
  const headers = { "x-api-key": key, "accept-encoding": "identity" }; // Prism cannot read zstd
  const own = await fetch(`${address}/v1/workers?statuses=active,inactive&limit=100`, { headers });
  expect((await run(process.execPath, "use-fetch.ts", address, key)).trim()).toBe(
    `${(await own.json()).count}`,
  );
  const port = await freePort();
  const prism = Bun.spawn(
    [
      tool("prism"),
      "proxy",
      "api.json",
      address,
      "--errors",
      "--port",
      `${port}`,
      "--verboseLevel",
      "silent",
    ],
    { cwd: folder, stdout: "ignore", stderr: "inherit" },
  );
  while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => null))) await Bun.sleep(100);
  for (const [query, status] of [
    ["statuses=active,inactive", 200],
    ["statuses=active&statuses=inactive", 200],
    ["statuses=nobody", 422],
  ] as const)
    expect((await fetch(`http://127.0.0.1:${port}/v1/workers?${query}`, { headers })).status).toBe(status);
  const random = randomOf(1);
  const oneOf = <T>(all: readonly T[]): T => all[random(all.length)]!;
  const ids: string[] = []; // that responses named
  const valueFor = ({ name, schema, example }: Parameter): string => {
    if (schema.items?.enum !== undefined) return oneOf(schema.items.enum);
    const prefix = /^[a-z]{3}_/.exec([example].flat().join())?.[0];
    const known = prefix === undefined ? [] : ids.filter((id) => id.startsWith(prefix));
    if (known.length > 0) return oneOf(known);
    return name === "limit" ? oneOf(["1", "25", "100"]) : [example].flat().join();
  };
  const pathOf = (): string => {
    const [path, operation] = oneOf(Object.entries(document.paths));
    const { parameters } = operation.get;
    const inPath = parameters.find(({ in: place }) => place === "path");
    const asked = parameters.filter(({ in: place, example }) => place === "query" && example !== undefined);
    const query = asked
      .filter(({ required }) => required || random(4) === 0)
      .map((one) => `${one.name}=${encodeURIComponent(valueFor(one))}`);
    return `${inPath === undefined ? path : path.replace("{id}", valueFor(inPath))}?${query.join("&")}`;
  };
  const statuses = new Map<number, number>();
  const violations: string[] = [];
  const askOnce = async () => {
    const path = pathOf();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const text = await response.text();
    if (response.status >= 500) violations.push(`${path}: ${text.slice(0, 500)}`);
    // A policy that the worker does not have.
    const status = path.startsWith("/v1/time_off/preview") && response.status === 400 ? 404 : response.status;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (ids.length < 2000) ids.push(...[...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id!));
  };
  const ask = async () => {
    for (let at = 0; at < PROXIED / 4; at++) await askOnce();
  };
  await Promise.all([ask(), ask(), ask(), ask()]);
  prism.kill();
  console.log(Object.fromEntries(statuses));
  expect(violations.slice(0, 5)).toEqual([]);
  expect([...statuses.keys()].toSorted()).toEqual([200, 404]);
  expect(statuses.get(200)).toBeGreaterThan(PROXIED / 2);
});
