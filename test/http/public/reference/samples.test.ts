// Each sample of the reference can be pasted and run: it sends one request, for its endpoint, with the key. npm brings no
// Python: where there is no python3, its samples are only checked to name the same address, and the test's name says so.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GUIDES } from "../../../../src/http/public/reference/guides.ts";
import {
  type Operation,
  referenceContents,
  SAMPLE_ADDRESS,
  samplesOf,
} from "../../../../src/http/public/reference/operations.ts";
import { openApiDocument } from "../../../../src/resources/openapi/document.ts";
import { LIMIT_DEFAULT, LIMIT_MAX, LIST_MAX_VALUES } from "../../../../src/resources/query.ts";
import { PATH_WITH_CURL } from "../../../cli/command.ts";

setDefaultTimeout(120_000); // a process for all samples of a language, on a busy machine

const ROOT = join(import.meta.dir, "../../../..");
const KEY = "rk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA000000";
const { operations } = referenceContents();
const PYTHON = Bun.which("python3");
const NOT_RUN = "was NOT RUN, because this machine has no python3";

let server: Bun.Server<undefined>;
let asked: URL[] = [];

/** What a sample printed, and what it asked for. */
interface Ran {
  readonly output: string;
  readonly urls: readonly URL[];
}

/** Before each sample, its process prints this and asks for it. */
const NEXT = "/next-sample";

/** Each file is run by itself, with nothing left of the one before but the process. */
const RUNNERS = {
  TypeScript: `for (const file of process.argv.slice(1)) {
    console.log("${NEXT}");
    await fetch("ADDRESS${NEXT}");
    await import(file);
  }`,
  Python: `import sys, urllib.request
for file in sys.argv[1:]:
    print("${NEXT}", flush=True)
    urllib.request.urlopen("ADDRESS${NEXT}")
    exec(compile(open(file).read(), file, "exec"), {"__name__": "__main__"})`,
};

test("a parameter with several values is a list, in its type and in samples", () => {
  const requests = operations.find(({ path }) => path === "/v1/time_off/requests")!;
  const types = Object.fromEntries(requests.parameters.map(({ name, type }) => [name, type]));
  expect(types).toMatchObject({ statuses: "list of string", workerIds: "list of string", limit: "integer" });
  expect(samplesOf(requests).TypeScript).toContain('statuses: ["approved"]');
});

// A guide about errors has requests that are meant to fail.
const guides = [...GUIDES].filter(({ id }) => id !== "errors");
const ran = { TypeScript: new Map<string, Ran>(), Python: new Map<string, Ran>() };

async function runAll(language: keyof typeof RUNNERS, command: readonly string[]): Promise<void> {
  const samples = [
    ...operations.map((operation) => [operation.path, samplesOf(operation)[language]] as const),
    ...guides.map(({ title, samples }) => [title, samples[language]!] as const),
  ];
  // Below the root, whose packages they import.
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, "dist/samples-"));
  try {
    const files = samples.map(([, code], at) => {
      const file = join(folder, `${at}.${language === "Python" ? "py" : "ts"}`);
      writeFileSync(file, code.replaceAll(SAMPLE_ADDRESS, server.url.origin));
      return file;
    });
    const runner = RUNNERS[language].replace("ADDRESS", server.url.origin);
    const { output, urls } = await run([...command, runner, ...files]);
    const outputs = output.split(`${NEXT}\n`).slice(1);
    const starts = urls.flatMap(({ pathname }, at) => (pathname === NEXT ? [at + 1] : []));
    for (const [at, [name]] of samples.entries())
      ran[language].set(name, {
        output: outputs[at]!,
        urls: urls.slice(starts[at], (starts[at + 1] ?? urls.length + 1) - 1),
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      if (url.pathname === NEXT) {
        asked.push(url);
        return new Response(null);
      }
      if (request.headers.get("x-api-key") !== KEY) return new Response(null, { status: 401 });
      asked.push(url);
      const operation = operations.find(({ path }) => pathOf(path).test(url.pathname));
      return new Response(operation?.example, { headers: { "content-type": "application/json" } });
    },
  });
  await runAll("TypeScript", [process.execPath, "-e"]);
  if (PYTHON !== null) await runAll("Python", [PYTHON, "-c"]);
});

afterAll(() => server.stop(true));

const pathOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/, "[^/]+")}$`);

async function run(command: readonly string[]): Promise<Ran> {
  asked = [];
  const child = Bun.spawn([...command], {
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
    const { output, urls } = await run([
      "bash",
      "-c",
      samples.curl.replace("curl ", "curl -s ").replaceAll(SAMPLE_ADDRESS, server.url.origin),
    ]);
    expect(urls.map(({ pathname }) => pathname)).toEqual([expect.stringMatching(pathOf(operation.path))]);
    expect(output.trim()).toBe(operation.example.trim());
  });

  test("TypeScript sends the same request and prints what it got", () => {
    const { output, urls } = ran.TypeScript.get(operation.path)!;
    expect(urls[0]?.pathname).toMatch(pathOf(operation.path));
    const expected = new URL(/"(http[^"]+)"/.exec(samples.curl)![1]!).searchParams;
    for (const [name, value] of expected) expect(urls[0]?.searchParams.get(name)).toBe(value);
    expect(output).not.toBe("");
  });

  test(`Python ${PYTHON === null ? NOT_RUN : "sends the same request and prints what it got"}`, () => {
    const url = /"(http[^"]+)"/.exec(samples.curl)![1]!;
    expect(samples.Python).toContain(url);
    if (PYTHON === null) return;
    const { output, urls } = ran.Python.get(operation.path)!;
    expect(urls.map(({ pathname, search }) => pathname + search)).toEqual([url.slice(SAMPLE_ADDRESS.length)]);
    expect(output).not.toBe("");
  });
});

test("the guides name the limits of lists", () => {
  const words = GUIDES.map(({ text }) => text).join("\n");
  expect(words).toContain(`1 to ${LIMIT_MAX}, by default ${LIMIT_DEFAULT}`);
  expect(words).toContain(`up to ${LIST_MAX_VALUES} values`);
});

describe.each([...GUIDES])("the guide $title", ({ samples, id, title }) => {
  test("has curl, TypeScript and Python", () => {
    expect(Object.keys(samples)).toEqual(["curl", "TypeScript", "Python"]);
  });

  if (id === "errors") return;
  test(`its Python ${PYTHON === null ? NOT_RUN : "runs"}`, () => {
    if (PYTHON === null) return;
    expect(ran.Python.get(title)!.urls.length).toBeGreaterThan(0);
  });

  test("its TypeScript runs", () => {
    expect(ran.TypeScript.get(title)!.urls.length).toBeGreaterThan(0);
  });
});
