// Every engine, held to the store's promises.

import { expect, test } from "bun:test";
import { PARENT_COLUMNS } from "../../../src/resources/kinds.ts";
import { makeFacts } from "../../support/random-rows.ts";
import { ENGINES } from "./engines.ts";
import { conformance } from "./suite.ts";

test.each(PARENT_COLUMNS)("random rows: $column of $kind names $parent", (reference) => {
  const { kind, column, parent } = reference;
  const facts = makeFacts(1, 60);
  const named = new Set(facts[kind].map((row) => (row as Readonly<Record<string, unknown>>)[column])); // any column
  const parents = facts[parent].filter(({ id }) => named.has(id));
  expect(
    parents,
    `makeFacts in test/support/random-rows.ts: ${kind} need ids of ${parent} as ${column}`,
  ).not.toEqual([]);
});

for (const engine of ENGINES) conformance(engine);
