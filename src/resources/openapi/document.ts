// The OpenAPI 3.1 document, made from the schemas that validate.
import { createDocument, type ZodOpenApiOverride } from "zod-openapi";
import manifest from "../../../package.json" with { type: "json" };
import { CONTRACTS } from "../endpoints.ts";
import { LIMIT_DEFAULT, LIMIT_MAX, LIST_MAX_VALUES } from "../query.ts";
import { operationOf, streamOf } from "./operations.ts";
import { PROBLEM_RESPONSES, problemResponse, RESPONSE_HEADERS } from "./responses.ts";

/** The form of a document: every path as JSON, or each list as a stream of CSV or JSON lines. */
export type OpenApiForm = "json" | "streams";

/** The document as plain data, the same at every call. */
export function openApiDocument(form: OpenApiForm = "json"): object {
  const document = createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: form === "json" ? "Rollcall" : "Rollcall: lists as streams",
        version: manifest.version,
        license: { name: manifest.license, identifier: manifest.license },
        description: INTRODUCTION,
      },
      servers: [{ url: "/", description: "The server that gave this document." }],
      tags: [
        { name: "Company", description: "The company of the key." },
        { name: "Workers", description: "Who works for the company." },
        { name: "Time off", description: "Policies, assignments, requests and balances." },
        { name: "Changes", description: "Changes, for callers that store a copy." },
      ],
      paths: Object.fromEntries(
        CONTRACTS.flatMap((endpoint) => {
          if (form === "json") return [[endpoint.path, { get: operationOf(endpoint) }]];
          return "item" in endpoint ? [[endpoint.path, { get: streamOf(endpoint) }]] : [];
        }),
      ),
      components: {
        headers: RESPONSE_HEADERS,
        responses: Object.fromEntries(
          Object.entries(PROBLEM_RESPONSES).map(([name, codes]) => [name, problemResponse(codes)]),
        ),
        parameters: {
          "If-None-Match": {
            name: "If-None-Match",
            in: "header",
            description:
              "An `ETag` of an earlier response, a list of them, or `*`. A match gives a 304 without a body.",
            schema: { type: "string" },
            example: RESPONSE_HEADERS.ETag.example,
          },
        },
        securitySchemes: {
          "x-api-key": {
            type: "apiKey",
            in: "header",
            name: "x-api-key",
            description: "`rk_` and 38 letters and digits. The operator gives it to you.",
          },
        },
      },
    },
    { override: simplify },
  );
  while (removeUnused(document));
  return document;
}

/** Removes unused components. Returns whether there were any, because removing one may make others unused. */
function removeUnused(document: ReturnType<typeof createDocument>): boolean {
  const text = JSON.stringify(document);
  const unused = Object.entries(document.components ?? {}).flatMap(([kind, components]) =>
    kind === "securitySchemes"
      ? []
      : Object.keys(components)
          .filter((name) => !text.includes(`"#/components/${kind}/${name}"`))
          .map((name) => [components as Record<string, unknown>, name] as const),
  );
  for (const [components, name] of unused) delete components[name];
  return unused.length > 0;
}

// Simplifies the schemas that Zod generates.

type GeneratedSchema = Parameters<ZodOpenApiOverride>[0]["jsonSchema"];

/** Writes `anyOf: [{type: "string"}, {type: "null"}]` as `type: ["string", "null"]`. */
function joinNull(schema: GeneratedSchema): void {
  const { anyOf, ...outer } = schema;
  const inner = anyOf?.[0];
  if (anyOf?.length !== 2 || inner === undefined || !("type" in inner) || typeof inner.type !== "string")
    return;
  delete schema.anyOf;
  Object.assign(schema, inner, outer, { type: [inner.type, "null"] });
}

/** Simplifies a generated schema without changing its meaning. */
const simplify: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  if (zodSchema._zod.def.type === "nullable") joinNull(jsonSchema);
  // OpenAPI 3.1 deprecates its own `example`; JSON Schema has `examples`.
  if ("example" in jsonSchema) {
    jsonSchema.examples = [jsonSchema.example];
    delete jsonSchema.example;
  }
  if (jsonSchema.description === "") delete jsonSchema.description;
  // A date's format implies its pattern. An integer's pattern is of its digits in a query.
  if (jsonSchema.format === "date" || jsonSchema.format === "date-time" || jsonSchema.type === "integer") {
    delete jsonSchema.pattern;
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

// What callers should know before their first request, in Markdown (docs/api.md).

const INTRODUCTION = `Read-only access to a company's workers and their time off.

**Authentication.** Send your key in \`x-api-key\` with every request under \`/v1\`. A key reads the data of one
company only. Its scopes, \`workers:read\` and \`time_off:read\`, say what it may read.

**Methods.** GET, and HEAD, which is GET without the body. Any other method is a 405
\`method_not_allowed\`, and a path that is not in this document a 404 \`unknown_path\`.

**Lists** come in pages: \`{"count": n, "data": [...], "hasMore": bool}\`, ordered by id. \`limit\` is 1–${LIMIT_MAX}, by default
${LIMIT_DEFAULT}. Read on with \`afterId\` set to the last id of the page, or backwards with \`beforeId\` set to the first, as long as
\`hasMore\` is true; or follow the \`Link\` header. You get every object that matched the whole time exactly once, even while
imports run.

**Filters** combine with AND; the values of one list with OR. A list takes up to ${LIST_MAX_VALUES} values in any of the spellings
\`workerIds=a&workerIds=b\`, \`workerIds[]=a\`, \`workerIds[0]=a\` and \`workerIds=a,b\`. An unknown parameter is an error, so
that a mistyped filter never returns everybody's data. In a URL that you write yourself, \`+\` is \`%2B\`.

**Values.** Date-times are RFC 3339 in UTC with milliseconds, dates \`YYYY-MM-DD\`, durations minutes. Ids are opaque; every
key is always present.

**Unchanged responses.** Every 200 has an \`ETag\`. Send it back as \`If-None-Match\`: while nothing has changed, the response is an
empty 304.

**Errors** are \`application/problem+json\` (RFC 9457) with a stable \`code\`. [Every code is explained here](/docs/errors).
`;
