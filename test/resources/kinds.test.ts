// The definitions of kinds hold together: what follows from them relies on it.
import { expect, test } from "bun:test";
import { KINDS, PARENT_COLUMNS, RESOURCES } from "../../src/resources/kinds.ts";
import type { Resource } from "../../src/resources/resource.ts";
import { TABLES } from "../../src/store/tables.ts";

test("parents come before what belongs to them, so that rows can be loaded in this order", () => {
  for (const { kind, parent } of PARENT_COLUMNS)
    expect(KINDS.indexOf(parent)).toBeLessThan(KINDS.indexOf(kind) + (parent === kind ? 1 : 0));
});

test("what belongs to a row is found by an index or the key, so that nothing is removed before it at the cost of a scan", () => {
  for (const { kind, column } of PARENT_COLUMNS) {
    const { key, indexes }: Resource = RESOURCES[kind];
    if ("hasTimeBuckets" in RESOURCES[kind] && column === "policyId") continue; // these have an index by policy
    const first = [key[0], ...indexes.map(({ columns }) => columns[0])];
    expect(first, `${kind} by ${column}`).toContain(column);
  }
});

test.each([...KINDS])("%s: every index and key names columns of the table", (kind) => {
  const { key, indexes }: Resource = RESOURCES[kind];
  const columns: readonly string[] = TABLES[kind].columns;
  const named = [...key, ...indexes.flatMap(({ columns, covers }) => [...columns, ...covers])];
  expect(named.filter((name) => !columns.includes(name))).toEqual([]);
});
