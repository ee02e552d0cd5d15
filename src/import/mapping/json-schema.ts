// The JSON Schema of mappings, so that editors can complete and check them.
import { z } from "zod";
import { cellOf, FACT_KINDS, type FactKind } from "../../resources/registry.ts";
import { mappableFields } from "./columns.ts";
import { sourceSchema, tablesSchema } from "./schema.ts";

type Schema = Record<string, unknown>;

/** JSON Schema, draft 2020-12. The fields of each kind are named where a mapping names them. */
export function mappingJsonSchema(): Schema {
  const options = { io: "input", unrepresentable: "any", reused: "inline" } as const;
  const { $schema: dialect, ...source } = z.toJSONSchema(sourceSchema, options);
  const { $schema: _, ...tables } = z.toJSONSchema(tablesSchema, options);
  const definitions = Object.fromEntries(
    FACT_KINDS.map((kind) => [kind, kindSchema(kind, source as unknown as Schema)]), // an object's schema
  );
  const kinds = FACT_KINDS.map((kind) => {
    const one = { $ref: `#/$defs/${kind}` };
    return [kind, { oneOf: [one, { type: "array", items: one, minItems: 1 }, { type: "null" }] }];
  });
  return {
    $schema: dialect,
    title: "Rollcall mapping",
    description: "How files of another system become the rows of a company: docs/mapping.md",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      extends: {
        type: "string",
        description: "A preset or a mapping beside this one, which this one extends",
      },
      tables,
      ...Object.fromEntries(kinds),
    },
    $defs: definitions,
  };
}

/** The schema of a source with the fields of its kind. */
function kindSchema(kind: FactKind, source: Schema): Schema {
  const fields = mappableFields(kind);
  const properties = { ...(source.properties as Record<string, Schema>) }; // of an object's schema
  const field = { enum: fields };
  const byField = (table: Schema, value: (field: string) => unknown) => ({
    ...table,
    additionalProperties: false,
    propertyNames: undefined,
    properties: Object.fromEntries(fields.map((name) => [name, value(name)])),
  });
  const choicesOf = (name: string) => {
    const choices = cellOf(kind, name)?.choices;
    return choices === undefined ? {} : { enum: [...choices, null] };
  };
  const valueSchema = properties.values!.additionalProperties;
  return {
    ...source,
    properties: {
      ...properties,
      columns: {
        ...properties.columns,
        additionalProperties: { oneOf: [field, { type: "array", items: field, minItems: 1 }] },
      },
      values: byField(properties.values!, () => valueSchema),
      translate: byField(properties.translate!, (name) => ({
        type: "object",
        additionalProperties: choicesOf(name),
      })),
      negate: { type: "array", items: field },
    },
  };
}
