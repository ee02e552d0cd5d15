// The endpoints for the reference, read from the OpenAPI document, so that nothing is described twice.
import type { oas31 } from "zod-openapi";
import { camelName, ENDPOINTS } from "../../../resources/endpoints.ts";
import { LIST_KINDS, LISTS } from "../../../resources/kinds.ts";
import { openApiDocument } from "../../../resources/openapi/document.ts";

/** A key of the object in a response. */
export interface ResponseField {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

export type QueryParameter = ReturnType<typeof queryParameter>;
export type Operation = ReturnType<typeof operationOf>;

export interface ReferenceContents {
  readonly version: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly Operation[];
}

type Document = oas31.OpenAPIObject;

/** Follows a reference within the document. Our own document has no other references. */
function resolved<T extends object>(document: Document, value: T | oas31.ReferenceObject): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T; // it is no reference
  let target: unknown = document;
  for (const key of value.$ref.slice("#/".length).split("/"))
    target = (target as Record<string, unknown>)[key];
  return target as T; // the reference stands for a T
}

function typeText(schema: oas31.SchemaObject): string {
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((part) => ("$ref" in part ? "object" : typeText(part))).join(" or ");
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type ?? "any");
  return schema.format === undefined ? type : `${type}, ${schema.format}`;
}

function queryParameter(document: Document, parameter: oas31.ParameterObject) {
  const schema = resolved<oas31.SchemaObject>(document, parameter.schema ?? {});
  const items = resolved<oas31.SchemaObject>(document, (schema.items ?? {}) as oas31.SchemaObject);
  const isList = schema.type === "array";
  const choices = ((isList ? items.enum : schema.enum) ?? []).map(String);
  return {
    name: parameter.name,
    type: isList ? `list of ${typeText(items)}` : typeText(schema),
    description: (parameter.description ?? "").replace(/ Several values: .*/s, ""),
    /** The example as it is written in a query; empty if there is none. */
    example: parameter.example === undefined ? "" : [parameter.example].flat().join(","),
    isList,
    /** Whether several values may be separated by commas. Free texts may contain commas themselves (docs/api.md, Lists of values). */
    takesCommas: isList && (items.enum !== undefined || items.pattern !== undefined),
    isRequired: parameter.required === true,
    /** The allowed values, if they are listed. */
    choices,
  };
}

function responseFields(document: Document, response: oas31.ResponseObject): ResponseField[] {
  const media = response.content?.["application/json"];
  if (media?.schema === undefined) return [];
  const body = resolved<oas31.SchemaObject>(document, media.schema as oas31.SchemaObject);
  // The body is a list, `{data: [object]}`, or the object itself.
  const data = body.properties?.data as oas31.SchemaObject | undefined;
  const content = data === undefined ? body : resolved<oas31.SchemaObject>(document, data);
  const items = resolved<oas31.SchemaObject>(document, (content.items ?? content) as oas31.SchemaObject);
  const [object = items] = (items.anyOf ?? []) as oas31.SchemaObject[]; // all forms have the same keys
  return Object.entries(object.properties ?? {}).map(([name, property]) => {
    const schema = resolved<oas31.SchemaObject>(document, property as oas31.SchemaObject);
    const choices = schema.enum?.map((choice) => `\`${choice}\``).join(", ");
    const description = [schema.description, choices === undefined ? undefined : `One of ${choices}.`];
    return { name, type: typeText(schema), description: description.filter(Boolean).join(" ") };
  });
}

function operationOf(document: Document, path: string, operation: oas31.OperationObject) {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolved<oas31.ParameterObject>(document, parameter),
  );
  const responses = Object.entries(operation.responses ?? {}).map(
    ([status, response]) => [status, resolved<oas31.ResponseObject>(document, response)] as const,
  );
  const [, ok] = responses.find(([status]) => status === "200") ?? [];
  const example = ok?.content?.["application/json"]?.example;
  const inPath = parameters.find((parameter) => parameter.in === "path");
  return {
    /** The anchor of its section. */
    id: operation.operationId ?? path,
    path,
    tag: operation.tags?.[0] ?? "",
    summary: operation.summary ?? path,
    description: operation.description ?? "",
    parameters: parameters
      .filter((parameter) => parameter.in === "query")
      .map((parameter) => queryParameter(document, parameter)),
    /** An id for the path; null if the path takes none. */
    exampleId: inPath === undefined ? null : String(inPath.example),
    /** The example of a 200, as text. */
    example: example === undefined ? "" : JSON.stringify(example, null, 2),
    /** The keys of the object, or of each object of a list. */
    fields: ok === undefined ? [] : responseFields(document, ok),
    /** The other statuses with their meaning. */
    statuses: responses
      .filter(([status]) => status !== "200")
      .map(([status, { description }]) => [status, description ?? ""] as const),
  };
}

/** Everything that the reference shows of the OpenAPI document, in its order. */
export function referenceContents(): ReferenceContents {
  const document = openApiDocument() as Document; // made by zod-openapi, which has this type
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, { get } = {}]) =>
    get === undefined ? [] : [operationOf(document, path, get)],
  );
  const tags = (document.tags ?? []).map(({ name, description = "" }) => ({ name, description }));
  return { version: document.info.version, tags, operations };
}

// How to call each endpoint: curl, TypeScript and Python, each complete, so that it can be pasted and run.

export const LANGUAGES = ["curl", "TypeScript", "Python"] as const;
export type Language = (typeof LANGUAGES)[number];
export type Samples = Readonly<Record<Language, string>>;

/** The address in all samples. The page replaces it with its own. */
export const SAMPLE_ADDRESS = "http://127.0.0.1:4010";

/** The parameters in the samples of these operations. Others show the first two that are required or have an example. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  listWorkers: ["statuses"],
  listPolicies: [],
  listRequests: ["statuses", "startsOnOrAfter"],
  listBalances: ["workerIds", "endDate"],
  retrieveBalance: ["endDate"],
  listAssignments: ["workerIds"],
  listDays: ["from", "to"],
  retrieveSchedule: ["from", "to"],
  listMovements: ["from", "to", "groupBy"],
  listExpirations: ["to"],
  listCapacity: ["from", "to", "groupBy"],
  previewLeave: ["workerId", "policyId", "startAt"],
};

/** The client's call for each operation, and a variable for what it returns. Other operations are called with `fetch`. */
const CLIENT_CALLS: Readonly<Record<string, readonly [call: string, item: string]>> = {
  ...Object.fromEntries(
    LIST_KINDS.flatMap((kind) => {
      const { list, retrieve } = ENDPOINTS[kind];
      const { idKind } = LISTS[kind];
      return [
        [list.operationId, [`${camelName(kind)}.list`, idKind]],
        ...(retrieve === null ? [] : [[retrieve.operationId, [`${camelName(kind)}.retrieve`, idKind]]]),
      ];
    }),
  ),
  retrieveCompany: ["company", "company"],
  listBalances: ["balances.list", "balance"],
  retrieveBalance: ["balances.retrieve", "balance"],
  listDays: ["days.list", "day"],
  retrieveSchedule: ["workers.schedule", "schedule"],
  listMovements: ["movements.list", "movement"],
  listExpirations: ["expirations.list", "expiration"],
  listCapacity: ["capacity.list", "row"],
  previewLeave: ["preview", "preview"],
};

function shownParameters({ id, parameters }: Operation): readonly QueryParameter[] {
  const names = SHOWN[id];
  if (names !== undefined) return parameters.filter(({ name }) => names.includes(name));
  const candidates = parameters.filter(
    ({ name, isRequired, example }) =>
      isRequired || (example !== "" && !["limit", "afterId", "beforeId"].includes(name)),
  );
  return candidates.slice(0, 2);
}

function queryText(parameters: readonly QueryParameter[]): string {
  const pairs = parameters.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** A parameter's value as the client takes it. */
function literal({ example, isList }: QueryParameter): string {
  return isList
    ? `[${example
        .split(",")
        .map((value) => JSON.stringify(value))
        .join(", ")}]`
    : JSON.stringify(example);
}

function typescript(operation: Operation, url: string, shown: readonly QueryParameter[]): string {
  const client = CLIENT_CALLS[operation.id];
  if (client === undefined) {
    return `const response = await fetch("${url}", {
  headers: { "x-api-key": process.env.ROLLCALL_KEY ?? "" },
});
console.log(await response.text());`;
  }
  const [call, item] = client;
  const setUp = `import { Rollcall } from "@rollcall/client";

const rollcall = new Rollcall({
  baseUrl: "${SAMPLE_ADDRESS}",
  apiKey: process.env.ROLLCALL_KEY ?? "",
});
`;
  const filters = shown.map((parameter) => `  ${parameter.name}: ${literal(parameter)},\n`).join("");
  if (!call.endsWith(".list")) {
    const id = operation.exampleId === null ? [] : [`"${operation.exampleId}"`];
    const given = filters === "" ? id : [...id, `{\n${filters}}`];
    return `${setUp}
const ${item} = await rollcall.${call}(${given.join(", ")});
console.log(${item});`;
  }
  return `${setUp}
const list = rollcall.${call}(${filters === "" ? "" : `{\n${filters}}`});
for await (const ${item} of list) {
  console.log(${item});
}`;
}

function python(url: string): string {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"x-api-key": os.environ["ROLLCALL_KEY"]},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`;
}

/** The samples of an endpoint. Each reads the key from the environment variable `ROLLCALL_KEY`. */
export function samplesOf(operation: Operation): Samples {
  const shown = shownParameters(operation);
  const path = operation.path.replace(/\{\w+\}/, operation.exampleId ?? "");
  const url = `${SAMPLE_ADDRESS}${path}${queryText(shown)}`;
  return {
    curl: `curl "${url}" \\\n  -H "x-api-key: $ROLLCALL_KEY"`,
    TypeScript: typescript(operation, url, shown),
    Python: python(url),
  };
}
