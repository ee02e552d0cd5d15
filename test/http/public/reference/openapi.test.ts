// The OpenAPI document is valid, contains everything that the contract declares, and has an example for each part.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { oas31 } from "zod-openapi";
import { CHANGE_RESOURCES, listChanges } from "../../../../src/resources/changes.ts";
import { CONTRACTS, ENDPOINTS } from "../../../../src/resources/endpoints.ts";
import { listMovements } from "../../../../src/resources/movements.ts";
import { openApiDocument } from "../../../../src/resources/openapi/document.ts";
import type { Endpoint } from "../../../../src/resources/openapi/operations.ts";
import { previewLeave } from "../../../../src/resources/preview.ts";
import { PROBLEMS, problemSchema } from "../../../../src/resources/problems.ts";
import { parseQuery } from "../../../../src/resources/query.ts";

const RESOURCES = new URL("../../../../src/resources/", import.meta.url);

/** Every endpoint that any file of the contract declares, whether or not the document knows of it. */
async function declaredEndpoints(): Promise<Endpoint[]> {
  const files = readdirSync(RESOURCES).filter((file) => file.endsWith(".ts"));
  const modules = await Promise.all(files.map((file) => import(new URL(file, RESOURCES).href)));
  const found = modules.flatMap((module: object) =>
    Object.values(module).filter(
      (value) => typeof value === "object" && value !== null && "operationId" in value,
    ),
  );
  // What is on the wire and has a path is declared with its resource.
  const lists = modules.flatMap((module: object) =>
    Object.values(module).filter((value) => typeof value === "object" && value !== null && "api" in value),
  );
  expect(Object.keys(ENDPOINTS).length).toBe(lists.length);
  return [...new Set([...found, ...CONTRACTS])];
}

const document = openApiDocument() as oas31.OpenAPIObject; // what zod-openapi makes; the validator below holds it to it
const endpoints = await declaredEndpoints();

function operation(endpoint: Endpoint): oas31.OperationObject {
  return document.paths?.[endpoint.path]?.get ?? {};
}

function parameters(endpoint: Endpoint): oas31.ParameterObject[] {
  return (operation(endpoint).parameters ?? []).filter((parameter) => "in" in parameter);
}

/** Every error example of the document, by code. */
function problemExamples(): Map<string, unknown> {
  const examples = new Map<string, unknown>();
  for (const response of Object.values(document.components?.responses ?? {})) {
    if (!("content" in response)) continue;
    for (const [code, example] of Object.entries(
      response.content?.["application/problem+json"]?.examples ?? {},
    )) {
      if ("value" in example) examples.set(code, example.value);
    }
  }
  return examples;
}

test("an independent validator finds the document valid, and every reference resolves", async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(JSON.stringify(document)));
  expect(result).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
  expect(() => validator.resolveRefs()).not.toThrow();
});

test("each form of a change names its resource and has the schema of that list's objects", () => {
  const change = JSON.parse(JSON.stringify(document)).components.schemas.Change;
  const forms = change.anyOf.map(({ properties: { resource, object } }: typeof change) => [
    resource.const,
    object.anyOf?.[0] ?? null,
  ]);
  expect(forms).toContainEqual(["workers", { $ref: "#/components/schemas/Worker" }]);
  expect(forms).toContainEqual(["balances", null]);
  expect(forms.map(([resource]: string[]) => resource)).toEqual([...CHANGE_RESOURCES]);
});

test("the document is the same every time it is made", () => {
  expect(JSON.stringify(openApiDocument())).toBe(JSON.stringify(document));
});

test("the document has exactly the endpoints that the contract declares", () => {
  expect(Object.keys(document.paths ?? {}).sort()).toEqual(endpoints.map(({ path }) => path).sort());
  for (const endpoint of endpoints) expect(operation(endpoint).operationId).toBe(endpoint.operationId);
});

test("every parameter of the contract is there, with a description, and an example that it accepts", () => {
  for (const endpoint of endpoints) {
    const query = parameters(endpoint).filter((parameter) => parameter.in === "query");
    expect(query.map(({ name }) => name)).toEqual(Object.keys(endpoint.parameters));
    for (const parameter of query) {
      expect(parameter.description).toMatch(/\w/);
      const { kind, schema } = endpoint.parameters[parameter.name]!;
      if (parameter.name === "beforeId") continue; // it cannot stand beside afterId
      if (parameter.name === "knownOn") continue; // which moments are known is the company's
      // The wire has only text, also for the one parameter that the document shows as a number.
      const sent = kind === "list" ? parameter.example : String(parameter.example);
      expect(schema.safeParse(sent)).toMatchObject({ success: true });
      if (kind === "list")
        expect(parameter).toMatchObject({
          style: "form",
          explode: endpoint.parameters[parameter.name]!.isSplit === false, // else `a,b` is two values
          schema: { type: "array" },
        });
    }
  }
});

test("the examples of all parameters together are a valid request", () => {
  for (const endpoint of endpoints) {
    const query = new URLSearchParams();
    for (const { name, example } of parameters(endpoint).filter((one) => one.in === "query"))
      for (const value of [example ?? []].flat()) query.append(name, String(value));
    expect(parseQuery(endpoint.parameters, query)).toMatchObject({ ok: true });
  }
});

test("the document describes only JSON; a second valid document describes each list as a stream", async () => {
  const streams = openApiDocument("streams") as oas31.OpenAPIObject; // as above
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(JSON.stringify(streams)))).toEqual({ valid: true });
  expect(() => validator.resolveRefs()).not.toThrow();
  const lists = endpoints.filter((endpoint) => "item" in endpoint);
  expect(Object.keys(streams.paths ?? {}).sort()).toEqual(lists.map(({ path }) => path).sort());
  for (const endpoint of endpoints)
    expect(Object.keys(operation(endpoint).responses?.["200"].content)).toEqual(["application/json"]);
  for (const { path, parameters } of lists) {
    const stream = streams.paths?.[path]?.get ?? {};
    expect(Object.keys(stream.responses?.["200"].content)).toEqual(["text/csv", "application/x-ndjson"]);
    expect(stream.responses).not.toHaveProperty("304");
    expect(stream.parameters?.map((one) => "name" in one && one.name)).toEqual(
      Object.keys(parameters).filter((name) => !["limit", "afterId", "beforeId"].includes(name)),
    );
  }
});

test("every component is used, and no link is relative", () => {
  const text = JSON.stringify(document);
  for (const [kind, components] of Object.entries(document.components ?? {}))
    for (const name of Object.keys(components))
      if (kind !== "securitySchemes") expect(text).toContain(`"#/components/${kind}/${name}"`);
  expect(document.externalDocs).toBeUndefined();
});

test("limit is a whole number from 1 to 100, by default 25; the minutes of a preview are any number, without a default", () => {
  const limit = parameters(endpoints.find(({ path }) => path === "/v1/workers")!).find(
    ({ name }) => name === "limit",
  );
  expect(limit?.schema).toEqual({ type: "integer", minimum: 1, maximum: 100, default: 25, examples: [25] });
  const minutes = parameters(previewLeave).find(({ name }) => name === "minutes");
  expect(minutes?.schema).toEqual({ type: "number", minimum: 0, maximum: 1_000_000, examples: [480] });
});

test("a retrieval says which ids it takes", () => {
  for (const endpoint of endpoints.filter(({ path }) => path.endsWith("{id}"))) {
    const id = parameters(endpoint).find((parameter) => parameter.in === "path");
    expect(id).toMatchObject({ name: "id", required: true, example: expect.any(String) });
  }
});

test("every operation has each status of the contract, and the key and scope it needs", () => {
  for (const endpoint of endpoints) {
    const statuses = ["200", "304", "400", "401", "403", "429", "500", "503"];
    if (endpoint === listChanges) statuses.push("410");
    if ("id" in endpoint || endpoint === listMovements) statuses.push("404"); // movements after a close
    if ("item" in endpoint) statuses.push("406");
    expect(Object.keys(operation(endpoint).responses ?? {}).sort()).toEqual(statuses.sort());
    expect(operation(endpoint).security).toEqual([{ "x-api-key": [] }]);
    if (endpoint.scope !== null) expect(operation(endpoint).description).toContain(`\`${endpoint.scope}\``);
  }
});

test("every response has a complete example that its own schema accepts", () => {
  for (const endpoint of endpoints) {
    const example = operation(endpoint).responses?.["200"].content["application/json"].example;
    const { error } = endpoint.response.safeParse(example);
    expect(error?.issues ?? [], `${endpoint.path}: a field without an example, or with a wrong one`).toEqual(
      [],
    );
  }
});

test("every error code has an example that is a complete problem", () => {
  const examples = problemExamples();
  // Of what is not in the document: /mcp, which has a protocol of its own, calendars, other paths and methods.
  const ofMessages = [
    ...["origin_not_allowed", "invalid_token", "body_too_large", "feed_not_found"],
    ...["unknown_path", "method_not_allowed"],
  ];
  const problems = Object.entries(PROBLEMS).filter(([code]) => !ofMessages.includes(code));
  expect([...examples.keys()].sort()).toEqual(problems.map(([code]) => code).sort());
  for (const [code, { status, title }] of problems) {
    const problem = problemSchema.parse(examples.get(code));
    expect(problem).toMatchObject({ code, status, title, type: `/docs/errors#${code}` });
  }
});

test("the example of a bad query is what validation says of that query", () => {
  const query = new URLSearchParams("limit=500&workerId=wrk_1");
  const { errors } = problemSchema.parse(problemExamples().get("invalid_parameter"));
  expect(parseQuery(ENDPOINTS.requests.list.parameters, query)).toEqual({
    ok: false,
    errors: expect.arrayContaining(errors!),
    more: 0,
  });
});

test("every header of the contract is described, with an example", () => {
  const headers = document.components?.headers ?? {};
  const names = ["x-request-id", "ETag", "Cache-Control", "Vary", "Link", "RateLimit", "RateLimit-Policy"];
  expect(Object.keys(headers).sort()).toEqual([...names, "Retry-After", "WWW-Authenticate"].sort());
  for (const header of Object.values(headers)) expect(header).toHaveProperty("example");
});
