// The definitions of kinds hold together: what follows from them relies on it.
import { expect, test } from "bun:test";
import { ValidationError } from "../../src/resources/cells.ts";
import { isNamedKind, KINDS, PARENT_COLUMNS, RESOURCES } from "../../src/resources/kinds.ts";
import type { Api, Field, Resource } from "../../src/resources/resource.ts";
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

test.each(KINDS.filter(isNamedKind))(
  "%s: a legacy id has a column and an index, by which the next import finds its row",
  (kind) => {
    const { fields, indexes }: Resource = RESOURCES[kind];
    expect(fields.legacyId?.column?.key, "the column of legacyId").toBe("legacyId");
    expect(indexes.map(({ columns }) => columns[0])).toContain("legacyId");
  },
);

test.each([...KINDS])("%s: every index and key names columns of the table", (kind) => {
  const { key, indexes }: Resource = RESOURCES[kind];
  const columns: readonly string[] = TABLES[kind].columns;
  const named = [...key, ...indexes.flatMap(({ columns, covers }) => [...columns, ...covers])];
  expect(named.filter((name) => !columns.includes(name))).toEqual([]);
});

test.each([...KINDS])(
  "%s: a text that a list is filtered by is stored without the space around it",
  (kind) => {
    const { fields, api }: Resource & { readonly api?: Api } = RESOURCES[kind];
    for (const { column, parameter } of Object.values(api?.filters ?? {})) {
      if (parameter.isSplit !== false) continue;
      const { cell } = Object.values<Field>(fields).find((field) => field.column?.key === column)!;
      expect(cell!.read(" A 1 "), column).toBe("A 1");
    }
  },
);

/** Fields that an import fills if a file has no value: `import/load/kinds`. */
const FILLED = [
  ...["id", "createdAt", "displayName", "status", "isUnlimited", "isPaidOut", "timeOffTypeId"],
  ...["assignedAt", "startRangeType", "endRangeType"],
];

test.each([...KINDS])("%s: what an empty cell gives is a value of the API", (kind) => {
  const wrong = Object.entries<Field>(RESOURCES[kind].fields).filter(([name, { wire, cell, compute }]) => {
    if (wire === undefined || cell === undefined || compute !== undefined || FILLED.includes(name))
      return false;
    const value = cell.read(null);
    return !(value instanceof ValidationError) && !wire.safeParse(cell.write(value)).success;
  });
  expect(wrong.map(([name]) => name)).toEqual([]);
});

/** Ids have a form. */
const WITHOUT_LIMIT = /^(?:id|(?!legacy).*Id)$/;

test.each([...KINDS])("%s: a file may give as long a text as the API says, and no longer", (kind) => {
  for (const [name, { wire, cell, compute }] of Object.entries<Field>(RESOURCES[kind].fields)) {
    const isText = wire !== undefined && compute === undefined && cell?.read("x") === "x";
    if (!isText || WITHOUT_LIMIT.test(name)) continue;
    const most = wire.meta()?.maxLength as number; // the definitions say so
    expect([cell.read("x".repeat(most)), name]).toEqual(["x".repeat(most), name]);
    expect(cell.read("x".repeat(most + 1)), name).toBeInstanceOf(ValidationError);
  }
});
