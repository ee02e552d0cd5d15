// Each sample of the reference can be pasted and run: it sends one request, for its endpoint, with the key. npm brings no
// Python: where there is no python3, its samples are only checked to name the same address, and the test's name says so.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { GUIDES } from "../../../../src/http/public/reference/guides.ts";
import {
  type Operation,
  referenceContents,
  SAMPLE_ADDRESS,
  samplesOf,
} from "../../../../src/http/public/reference/operations.ts";
import { openApiDocument } from "../../../../src/resources/openapi/document.ts";
import { PATH_WITH_CURL } from "../../../cli/command.ts";

setDefaultTimeout(30_000); // a process for each sample, on a busy machine

const ROOT = join(import.meta.dir, "../../../..");
const KEY = "rk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA000000";
const { operations } = referenceContents();
const PYTHON = Bun.which("python3");
const NOT_RUN = "was NOT RUN, because this machine has no python3";

let server: Bun.Server<undefined>;
let asked: URL[] = [];

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      if (request.headers.get("x-api-key") !== KEY) return new Response(null, { status: 401 });
      asked.push(url);
      const operation = operations.find(({ path }) => pathOf(path).test(url.pathname));
      return new Response(operation?.example, { headers: { "content-type": "application/json" } });
    },
  });
});

afterAll(() => server.stop(true));

const pathOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/, "[^/]+")}$`);

async function run(command: readonly string[], code: string): Promise<{ output: string; urls: URL[] }> {
  asked = [];
  const child = Bun.spawn([...command, code.replaceAll(SAMPLE_ADDRESS, server.url.origin)], {
    cwd: ROOT,
    env: { ...process.env, PATH: PATH_WITH_CURL, ROLLCALL_KEY: KEY },
    stderr: "inherit",
  });
  const output = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return { output, urls: asked };
}

test("the reference has every path of the OpenAPI document", () => {
  const { paths } = openApiDocument() as { paths: object }; // made by zod-openapi
  expect(operations.map(({ path }) => path)).toEqual(Object.keys(paths));
});

describe.each(operations)("the samples of $path", (operation: Operation) => {
  const samples = samplesOf(operation);

  test("curl gets a response", async () => {
    const { output, urls } = await run(["bash", "-c"], samples.curl.replace("curl ", "curl -s "));
    expect(urls.map(({ pathname }) => pathname)).toEqual([expect.stringMatching(pathOf(operation.path))]);
    expect(output.trim()).toBe(operation.example.trim());
  });

  test("TypeScript sends the same request and prints what it got", async () => {
    const { output, urls } = await run([process.execPath, "-e"], samples.TypeScript);
    expect(urls[0]?.pathname).toMatch(pathOf(operation.path));
    const expected = new URL(/"(http[^"]+)"/.exec(samples.curl)![1]!).searchParams;
    for (const [name, value] of expected) expect(urls[0]?.searchParams.get(name)).toBe(value);
    expect(output).not.toBe("");
  });

  test(`Python ${PYTHON === null ? NOT_RUN : "sends the same request and prints what it got"}`, async () => {
    const url = /"(http[^"]+)"/.exec(samples.curl)![1]!;
    expect(samples.Python).toContain(url);
    if (PYTHON === null) return;
    const { output, urls } = await run([PYTHON, "-c"], samples.Python);
    expect(urls.map(({ pathname, search }) => pathname + search)).toEqual([url.slice(SAMPLE_ADDRESS.length)]);
    expect(output).not.toBe("");
  });
});

describe.each([...GUIDES])("the guide $title", ({ samples, id }) => {
  test("has curl, TypeScript and Python", () => {
    expect(Object.keys(samples)).toEqual(["curl", "TypeScript", "Python"]);
  });

  if (id === "errors") return; // its requests are meant to fail
  test(`its Python ${PYTHON === null ? NOT_RUN : "runs"}`, async () => {
    if (PYTHON === null) return;
    const { urls } = await run([PYTHON, "-c"], samples.Python!);
    expect(urls.length).toBeGreaterThan(0);
  });

  test("its TypeScript runs", async () => {
    const { urls } = await run([process.execPath, "-e"], samples.TypeScript!);
    expect(urls.length).toBeGreaterThan(0);
  });
});
