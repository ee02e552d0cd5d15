// How the schemas are put into the document: as Zod gives them, less what a reader stumbles over.
import type { ZodOpenApiOverride } from "zod-openapi";

type GeneratedSchema = Parameters<ZodOpenApiOverride>[0]["jsonSchema"];

/** `anyOf: [{type: "string"}, {type: "null"}]` said in one line: `type: ["string", "null"]`. */
function joinNull(schema: GeneratedSchema): void {
  const { anyOf, ...outer } = schema;
  const inner = anyOf?.[0];
  if (anyOf?.length !== 2 || inner === undefined || !("type" in inner) || typeof inner.type !== "string")
    return;
  delete schema.anyOf;
  Object.assign(schema, inner, outer, { type: [inner.type, "null"] });
}

/** Makes one generated schema plainer to read without changing what it says. */
export const plainer: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  if (zodSchema._zod.def.type === "nullable") joinNull(jsonSchema);
  // `example` is OpenAPI's own and deprecated in 3.1; JSON Schema, which 3.1 builds on, has `examples`.
  if ("example" in jsonSchema) {
    jsonSchema.examples = [jsonSchema.example];
    delete jsonSchema.example;
  }
  if (jsonSchema.description === "") delete jsonSchema.description;
  // Said by the format already, or about the digits of a number that the document shows as a number.
  if (jsonSchema.format === "date" || jsonSchema.format === "date-time" || jsonSchema.type === "integer") {
    delete jsonSchema.pattern;
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};
