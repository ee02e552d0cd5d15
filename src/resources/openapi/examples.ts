// Examples for the OpenAPI document, made of the example of each field. Ids are the same in all of them, so that a
// reader can follow a worker to their assignment, requests and balance.
import type { z } from "zod";
import { WIRE_OBJECTS } from "../registry.ts";

/** What the metadata of a schema gives as its example; of a list, one with that of its element; of an object, those of its fields. */
export function exampleOf(schema: z.ZodType): unknown {
  const { example } = schema.meta() ?? {};
  if (example !== undefined) return example;
  if ("element" in schema) return [exampleOf(schema.element as z.ZodType)]; // `element` is an array's schema
  if (!("shape" in schema)) return undefined;
  const shape = Object.entries(schema.shape as Record<string, z.ZodType>); // an object's fields
  return Object.fromEntries(shape.map(([name, field]) => [name, exampleOf(field)]));
}

/** A complete object, by the name of its schema. */
export const RESOURCE_EXAMPLES: Readonly<Record<string, object>> = Object.fromEntries(
  WIRE_OBJECTS.map(({ schemaName, fields }) => {
    const values = Object.entries(fields).flatMap(([name, { wire }]) =>
      wire === undefined ? [] : [[name, exampleOf(wire)]],
    );
    return [schemaName, Object.fromEntries(values)];
  }),
);

/** A page that holds just the example, in the envelope of every list (docs/api.md, Lists). */
export function listExample(name: string) {
  return { count: 1, data: [RESOURCE_EXAMPLES[name]], hasMore: false };
}
