// The recipes that need no other tool, against a real server: Apps Script in Node, the manifest of Airbyte by an interpreter of what it
// uses, and each list and column that Power Query names.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { LIST_KINDS } from "../../src/resources/kinds.ts";
import { openApiDocument } from "../../src/resources/openapi/document.ts";
import { serveStore } from "../http/process.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../support/rows.ts";
import { addCompany, addKey } from "../support/stores.ts";

setDefaultTimeout(60_000);

const ROOT = join(import.meta.dir, "../..");
const recipe = (name: string) => join(ROOT, "examples/recipes", name);
const folder = mkdtempSync(join(tmpdir(), "rollcall-recipes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const served = await serveStore();
/** More than a page, with ids that Python and so Airbyte reads as numbers. */
const numbers = Array.from({ length: 120 }, (_, index) => `${1000 + index}`.replace(/^1/, "1_"));
await addCompany(served.writer, "acme", {
  workers: [
    workerRow("wrk_formula", { displayName: "=HYPERLINK(1)" }),
    ...numbers.map((number) => workerRow(`wrk_${number}`, { displayName: `Worker ${number}` })),
  ],
  policies: [
    policyRow("top_leave", { name: "Leave" }),
    policyRow("top_home", { name: "Home", isAbsence: false }),
  ],
  assignments: numbers.map((number) => assignmentRow(`toa_${number}`, `wrk_${number}`, "top_leave")),
  requests: [
    ...numbers.map((number) => requestRow(number, `wrk_${number}`, "top_leave")),
    requestRow("home", "wrk_formula", "top_home"),
    requestRow("formula", "wrk_formula", "top_leave"),
  ],
});
const key = await addKey(served.writer, "acme");
const headers = { "x-api-key": key };

/** Every object of a list, as one stream. */
async function all(path: string): Promise<Record<string, unknown>[]> {
  const accept = "application/x-ndjson";
  const response = await fetch(`${served.address}/v1/${path}`, { headers: { ...headers, accept } });
  expect(response.status).toBe(200);
  return (await response.text())
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function sheets(apiKey: string) {
  const run = Bun.spawnSync(
    ["node", join(ROOT, "test/support/apps-script.mjs"), recipe("google-sheets.gs"), "refresh"],
    {
      env: {
        PATH: process.env.PATH!,
        ROLLCALL_URL: served.address,
        ROLLCALL_KEY: apiKey,
        SHEETS_NOW: "2026-03-01T12:00:00Z",
      },
    },
  );
  return {
    error: run.stderr.toString(),
    sheets: run.exitCode === 0 ? JSON.parse(run.stdout.toString()) : null,
  };
}

test("Google Sheets: a row for each balance and each day away, and a formula stays text", async () => {
  const { error, sheets: filled } = sheets(key);
  expect(error).toBe("");
  const [header, ...balances] = filled.Balances as unknown[][];
  expect(header).toEqual(["Name", "Email", "Policy", "Available, days", "Requested, days"]);
  const expected = await all("time_off/balances");
  expect(balances.map(([name, , policy, days]) => [name, policy, days])).toEqual(
    expected.map(({ workerId, available }) => [
      `Worker ${String(workerId).slice(4)}`,
      "Leave",
      Number(available) / 480,
    ]),
  );
  const away = filled.Away.slice(1);
  expect(away).toHaveLength(numbers.length + 1);
  expect(away[0]).toEqual(["2026-03-02", "'=HYPERLINK(1)", "Leave", 8]);
});

test("Google Sheets: a key that is refused is said, and no sheet is written", () => {
  const { error, sheets: filled } = sheets("rk_wrong");
  expect(error).toContain("/v1/workers: ");
  expect(filled).toBeNull();
});

test("Power Query: each list that is read has the columns that are taken", async () => {
  const text = await Bun.file(recipe("balances.pq")).text();
  const reads = [...text.matchAll(/Read\("([^"]+)"(?:, \[(\w+) = Day\])?\),\s*\{([^}]*)\}/g)];
  expect(reads).toHaveLength(text.split("Read(").length - 1);
  for (const [, path, parameter, columns] of reads) {
    const query = parameter === undefined ? "" : `?${parameter}=2026-12-31`;
    const response = await fetch(`${served.address}/${path}${query}`, {
      headers: { ...headers, accept: "text/csv" },
    });
    expect(response.status).toBe(200);
    const [header] = parse(await response.text(), { to: 1 }) as string[][];
    expect(header).toEqual(expect.arrayContaining(JSON.parse(`[${columns}]`)));
  }
});

// The manifest of Airbyte, as its CDK 7.9 reads it.

type Component = { readonly [name: string]: unknown };

const isComponent = (value: unknown): value is Component =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is at a place in a document; undefined if nothing is. */
function at(document: unknown, ...place: readonly string[]): unknown {
  return place.reduce((value, name) => (isComponent(value) ? value[name] : undefined), document);
}

const textAt = (document: unknown, ...place: readonly string[]) => String(at(document, ...place));
const targetOf = ($ref: string, document: unknown) => at(document, ...$ref.split("/").slice(1));

const manifest: unknown = Bun.YAML.parse(await Bun.file(recipe("airbyte.yaml")).text());

/** The manifest with its references in place. Keys beside a `$ref` win. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (!isComponent(value)) return value;
  const { $ref, ...own } = value;
  const inner = Object.fromEntries(Object.entries(own).map(([name, field]) => [name, resolved(field)]));
  return typeof $ref === "string"
    ? { ...(resolved(targetOf($ref, manifest)) as Component), ...inner }
    : inner;
}

/** Parameters reach every component below, and become its fields where it has none of that name. */
function withParameters(value: unknown, above: Component = {}): unknown {
  if (Array.isArray(value)) return value.map((item) => withParameters(item, above));
  if (!isComponent(value) || value.type === "object") return value; // a schema is not a component
  const { $parameters = {}, ...own } = value;
  const parameters = { ...above, ...($parameters as Component) };
  const fields = own.type === undefined ? own : { ...parameters, ...own };
  const inner = Object.entries(fields).map(([name, field]) => [name, withParameters(field, parameters)]);
  return { ...Object.fromEntries(inner), parameters };
}

/** A template's value. As in Python, a text that looks like a number or a quoted text is read as one. */
function evaluate(template: string, context: Component): unknown {
  const text = template.replaceAll(/\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const parts = /^(not )?(\w+)\['(\w+)'\](\.rstrip\('\/'\))?$/.exec(expression);
    if (parts === null) throw new Error(`the interpreter does not know ${expression}`);
    const [, not, object, name, strip] = parts;
    const value = at(context, object!, name!);
    if (not !== undefined) return value ? "False" : "True";
    return strip === undefined ? String(value) : String(value).replace(/\/+$/, "");
  });
  if (/^\d+(?:_\d+)*$/.test(text)) return Number(text.replaceAll("_", ""));
  if (text === "True" || text === "False") return text === "True";
  return /^'([^'\\]*)'$/.exec(text)?.[1] ?? text;
}

async function readStream(stream: unknown, config: Component): Promise<unknown[]> {
  const requester = at(stream, "retriever", "requester");
  const paginator = at(stream, "retriever", "paginator");
  const places = [
    at(requester, "authenticator", "inject_into"),
    at(paginator, "page_size_option"),
    at(paginator, "page_token_option"),
  ];
  const [keyHeader, sizeParameter, cursorParameter] = places.map((place) => textAt(place, "field_name"));
  expect(places.map((place) => at(place, "inject_into"))).toEqual([
    "header",
    "request_parameter",
    "request_parameter",
  ]);
  const base = evaluate(textAt(requester, "url"), { config, parameters: at(requester, "parameters") });
  const url = at(requester, "path") === undefined ? base : `${base}/${at(requester, "path")}`;
  const apiKey = String(evaluate(textAt(requester, "authenticator", "api_token"), { config }));
  const strategy = at(paginator, "pagination_strategy");
  const records: unknown[] = [];
  let cursor: unknown;
  for (let pages = 0; pages < 10; pages++) {
    const query = new URLSearchParams({ [sizeParameter!]: textAt(strategy, "page_size") });
    if (cursor !== undefined) query.set(cursorParameter!, String(cursor));
    const response = await fetch(`${url}?${query}`, {
      method: textAt(requester, "http_method"),
      headers: { [keyHeader!]: apiKey },
    });
    expect(response.status).toBe(200);
    const body: unknown = await response.json();
    const fieldPath = at(stream, "retriever", "record_selector", "extractor", "field_path") as string[];
    const page = at(body, ...fieldPath) as unknown[];
    records.push(...page);
    if (evaluate(textAt(strategy, "stop_condition"), { response: body }) === true) return records;
    cursor = evaluate(textAt(strategy, "cursor_value"), { last_record: page.at(-1) });
  }
  throw new Error("the stream does not end");
}

const streams = new Map(
  (at(resolved(manifest), "streams") as unknown[]).map((stream) => [
    textAt(stream, "name"),
    withParameters(stream),
  ]),
);
const config = { url: `${served.address}/`, api_key: key };

test.each([...streams.keys()])(
  "Airbyte: the stream %s is the whole list, with the columns and types of the definitions",
  async (name) => {
    const stream = streams.get(name);
    const list = textAt(stream, "parameters", "list");
    expect(await readStream(stream, config)).toEqual(await all(list));
    const document = openApiDocument();
    const followed = (schema: unknown): unknown => {
      const $ref = at(schema, "$ref");
      return typeof $ref === "string" ? followed(targetOf($ref, document)) : schema;
    };
    const media = at(
      document,
      "paths",
      `/v1/${list}`,
      "get",
      "responses",
      "200",
      "content",
      "application/json",
    );
    const data = followed(at(followed(at(media, "schema")), "properties", "data"));
    const properties = at(followed(at(data, "items")), "properties") as Component;
    const types = Object.entries(properties).map(([column, schema]) => [
      column,
      { type: at(followed(schema), "type") },
    ]);
    expect(at(stream, "schema_loader", "schema", "properties")).toEqual(Object.fromEntries(types));
    expect(at(stream, "primary_key")).toEqual(["id"]);
  },
);

test("Airbyte: every list of the store has a stream", () => {
  expect(LIST_KINDS.filter((kind) => !streams.has(kind))).toEqual([]);
});

test("Airbyte: the check reads a stream, and the form asks for what templates use", () => {
  expect([...streams.keys()]).toEqual(
    expect.arrayContaining(at(manifest, "check", "stream_names") as string[]),
  );
  const form = at(manifest, "spec", "connection_specification");
  expect(Object.keys(at(form, "properties") as Component)).toEqual(Object.keys(config));
  expect(at(form, "required")).toEqual(Object.keys(config));
  expect(at(form, "properties", "api_key", "airbyte_secret")).toBe(true);
});
