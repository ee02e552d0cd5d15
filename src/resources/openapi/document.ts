// The OpenAPI document, version 3.1, made from the schemas that also validate. Nothing here is written twice.
import { createDocument } from "zod-openapi";
import manifest from "../../../package.json" with { type: "json" };
import { CONTRACTS } from "../registry.ts";
import { RESPONSE_HEADERS } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import { operationOf } from "./operations.ts";
import { PROBLEM_RESPONSES, problemResponse } from "./problems.ts";
import { plainer } from "./schemas.ts";

/** The document as plain data; the same on every call. */
export function openApiDocument(): object {
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Rollcall",
        version: manifest.version,
        description: INTRODUCTION,
      },
      servers: [{ url: "/", description: "The server that gave this document." }],
      externalDocs: { url: "/docs/errors", description: "Every error code" },
      tags: [
        { name: "Company", description: "The company of the key." },
        { name: "Workers", description: "Who works for the company." },
        { name: "Time off", description: "Policies, who they apply to, requests, and what is left." },
        { name: "Changes", description: "What changed, for those who keep a copy." },
      ],
      paths: Object.fromEntries(CONTRACTS.map((endpoint) => [endpoint.path, { get: operationOf(endpoint) }])),
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
            description: "`rk_` and 38 more letters and digits, as the operator gave it to you.",
          },
        },
      },
    },
    { override: plainer },
  );
}
