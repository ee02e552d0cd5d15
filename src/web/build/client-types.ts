// The API's objects as TypeScript, made from the contract's schemas. So the published client needs no other package.
import { z } from "zod";
import { WIRE_OBJECTS } from "../../resources/endpoints.ts";
import { wireSchema } from "../../resources/resource.ts";

/** The part of JSON Schema that the contract uses. */
interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/** Names in the client that differ from the schema's. */
const NAMES: Readonly<Record<string, string>> = { Request: "TimeOffRequest", Preview: "LeavePreview" };

/** A module with an interface for each schema of the contract that has a name. */
export function clientTypes(): string {
  const shape = WIRE_OBJECTS.map((object) => [object.schemaName, wireSchema(object)]);
  const { $defs = {} }: JsonSchema = z.toJSONSchema(z.object(Object.fromEntries(shape)), {
    unrepresentable: "any",
  }) as JsonSchema; // these schemas give nothing else
  return Object.entries($defs)
    .map(([name, schema]) => `${comment(schema)}export interface ${NAMES[name] ?? name} ${typeOf(schema)}\n`)
    .join("\n");
}

function comment({ description = "" }: JsonSchema): string {
  return description === "" ? "" : `/** ${description} */\n`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!;
    return NAMES[name] ?? name;
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  if (schema.type === "array") return `(${typeOf(schema.items!)})[]`; // each list says what it holds
  if (schema.type === "integer") return "number";
  if (schema.type !== "object") return String(schema.type);
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined) return `Record<string, ${typeOf(additionalProperties as JsonSchema)}>`; // a record says what it holds
  const fields = Object.entries(properties).map(([name, field]) => {
    const type = required.includes(name) ? `: ${typeOf(field)}` : `?: ${typeOf(field)} | undefined`;
    return `${comment(field)}${name}${type};\n`;
  });
  return `{\n${fields.join("")}}`;
}
