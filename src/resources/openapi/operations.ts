// Turns an endpoint of the contract into an operation of the OpenAPI document.
import type { z } from "zod";
import type { oas31, ZodOpenApiOperationObject } from "zod-openapi";
import { WIRE_OBJECTS } from "../endpoints.ts";
import type { Parameter } from "../query.ts";
import type { EndpointContract, ListContract, RetrieveContract } from "../resource.ts";
import { headersOf, PROBLEM_RESPONSES } from "./responses.ts";

// Examples share ids, so that a reader can follow a worker to the assignment, requests and balance.

/** The example in a schema's metadata; for a list, one element; for an object, its fields. */
function exampleOf(schema: z.ZodType): unknown {
  const { example } = schema.meta() ?? {};
  if (example !== undefined) return example;
  if ("element" in schema) return [exampleOf(schema.element as z.ZodType)]; // an array schema has `element`
  if (!("shape" in schema)) return undefined;
  const shape = Object.entries(schema.shape as Record<string, z.ZodType>); // an object schema has `shape`
  return Object.fromEntries(shape.map(([name, field]) => [name, exampleOf(field)]));
}

/** A complete example object by the name of its schema. */
const RESOURCE_EXAMPLES: Readonly<Record<string, object>> = Object.fromEntries(
  WIRE_OBJECTS.map(({ schemaName, fields }) => {
    const values = Object.entries(fields).flatMap(([name, { wire }]) =>
      wire === undefined ? [] : [[name, exampleOf(wire)]],
    );
    return [schemaName, Object.fromEntries(values)];
  }),
);

/** A page with only the example object (docs/api.md, Lists). */
function listExample(name: string) {
  return { count: 1, data: [RESOURCE_EXAMPLES[name]], hasMore: false };
}

export type Endpoint = EndpointContract | ListContract | RetrieveContract;

const LIST_SPELLINGS =
  "Several values: repeat the parameter, or write `name[]=…`, `name[0]=…` or `name=a,b`. The spellings may be mixed.";

const UNSPLIT_SPELLINGS =
  "Several values: repeat the parameter, or write `name[]=…` or `name[0]=…`. A comma is part of the value: write it as `%2C`.";

const IF_NONE_MATCH: oas31.ReferenceObject = { $ref: "#/components/parameters/If-None-Match" };

// The parameter has the description. The schema has an empty one, so that zod-openapi does not repeat it there.
function queryParameter(name: string, { kind, isSplit, isRequired, schema }: Parameter): z.ZodType {
  const { description = "" } = schema.meta() ?? {};
  const list = {
    description: `${description} ${(isSplit === false ? UNSPLIT_SPELLINGS : LIST_SPELLINGS).replaceAll("name", name)}`,
    style: "form",
    explode: isSplit === false,
  } as const;
  const param = { name, in: "query", example: exampleOf(schema) } as const;
  return (isRequired ? schema : schema.optional()).meta({
    description: "",
    param: { ...param, ...(kind === "list" ? list : { description }) },
  });
}

function pathParameter({ id }: RetrieveContract): z.ZodType {
  const { description = "" } = id.meta() ?? {};
  return id.meta({
    description: "",
    param: { name: "id", in: "path", required: true, description, example: exampleOf(id) },
  });
}

/** References to the errors of a GET of this endpoint, by status (docs/api.md, Errors). */
function problemsOf(endpoint: Endpoint): Record<string, oas31.ReferenceObject> {
  const notFound = Object.entries(PROBLEM_RESPONSES).find(
    ([, codes]) => "notFound" in endpoint && codes.some((code) => code === endpoint.notFound),
  );
  const names = {
    "400": "knownOn" in endpoint.parameters ? "NotKnown" : "InvalidParameter",
    "401": "Unauthorized",
    "403": "Forbidden", // also where no scope is needed: somebody who is signed in may see nothing
    ...(notFound === undefined ? {} : { "404": notFound[0] }),
    ...("item" in endpoint ? { "406": "NotAcceptable" } : {}),
    ...endpoint.moreProblems,
    "429": "RateLimited",
    "500": "InternalError",
    "503": "Unavailable",
  };
  return Object.fromEntries(
    Object.entries(names).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}

function responseExample(endpoint: Endpoint): unknown {
  const resource = "item" in endpoint ? endpoint.item : endpoint.response;
  const name = String(resource.meta()?.id); // every resource's schema is named, and a test looks for its example
  if ("item" in endpoint) return listExample(name);
  // A list that has no pages.
  const listed = name.replace(/List$/, "");
  if (listed !== name && listed in RESOURCE_EXAMPLES) return listExample(listed);
  return RESOURCE_EXAMPLES[name] ?? exampleOf(endpoint.response);
}

function scopeText({ scope, scopeNote }: Endpoint): string {
  if (scopeNote !== undefined) return scopeNote;
  return scope === null ? "Needs no scope." : `Needs the scope \`${scope}\`.`;
}

/** The whole list as a stream (docs/api.md, Streams). It has a document of its own, because generators would type a page as "page or text". */
const STREAMS = {
  "text/csv": { schema: { type: "string", description: "The whole list, as CSV with a header." } },
  "application/x-ndjson": { schema: { type: "string", description: "The whole list, an object a line." } },
} as const;

/** The operation, with every parameter and every status of a GET of this path. */
export function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const isList = "item" in endpoint;
  const conditional = [
    "x-request-id",
    "ETag",
    "Cache-Control",
    "Vary",
    "RateLimit",
    "RateLimit-Policy",
  ] as const;
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: `${endpoint.description}\n\n${scopeText(endpoint)}`,
    tags: [endpoint.tag],
    security: [{ "x-api-key": [] }],
    parameters: [
      ...("id" in endpoint ? [pathParameter(endpoint)] : []),
      ...Object.entries(endpoint.parameters).map(([name, parameter]) => queryParameter(name, parameter)),
      IF_NONE_MATCH,
    ],
    responses: {
      "200": {
        description: isList ? "A page of the list." : "The object.",
        headers: headersOf(...conditional, ...(isList ? (["Link"] as const) : [])),
        content: {
          "application/json": { schema: endpoint.response, example: responseExample(endpoint) },
        },
      },
      "304": {
        description: "Unchanged since the response that `If-None-Match` names; no body.",
        headers: headersOf(...conditional),
      },
      ...problemsOf(endpoint),
    },
  };
}

const OF_PAGES = ["limit", "afterId", "beforeId"];

/** The list as a stream: with the same filters, but without pages and tag. */
export function streamOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { operationId = "", ...operation } = operationOf(endpoint);
  const { "304": _, "200": page, ...problems } = operation.responses;
  return {
    ...operation,
    operationId: operationId.replace("list", "stream"),
    parameters: Object.entries(endpoint.parameters)
      .filter(([name]) => !OF_PAGES.includes(name))
      .map(([name, parameter]) => queryParameter(name, parameter)),
    responses: {
      "200": {
        description: "The whole list.",
        headers: headersOf("x-request-id", "Cache-Control", "Vary", "RateLimit", "RateLimit-Policy"),
        content: STREAMS,
      },
      ...problems,
    },
  };
}
