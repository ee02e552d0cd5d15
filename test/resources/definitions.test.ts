// The definitions of the resources hold together: what one part of them names exists in another. Properties that the
// types do not hold.
import { describe, expect, test } from "bun:test";
import { DEFAULT_RULES, type PolicyTerms, policyOf } from "../../src/balances/facts.ts";
import { policyTerms, ruleCells } from "../../src/resources/policies.ts";
import {
  FACT_KINDS,
  FILE_FIELDS,
  LISTS,
  type ListKind,
  RESOURCES,
  readFact,
} from "../../src/resources/registry.ts";
import { columnName } from "../../src/resources/resource.ts";
import { isNumbered } from "../../src/store/feed-notes.ts";
import { SCHEMA as POSTGRES } from "../../src/store/postgres/schema.ts";
import { MIGRATIONS as SQLITE } from "../../src/store/sqlite/schema.ts";
import { isDigested, TABLES } from "../../src/store/tables.ts";

const schemas = { sqlite: SQLITE.join("\n"), postgres: POSTGRES };

test.each([...FACT_KINDS])(
  "every column of %s, and every part of its key, is in both engines' tables",
  (kind) => {
    const { columns, key } = TABLES[kind];
    expect(columns).toEqual(expect.arrayContaining([...key]));
    for (const text of Object.values(schemas)) {
      const table = new RegExp(`create table ${kind} \\((.*?)\\n\\s*\\)`, "s").exec(text)?.[1] ?? "";
      const added = [...text.matchAll(new RegExp(`alter table ${kind} add column (\\w+)`, "g"))].map(
        (match) => match[1],
      );
      const stored = [
        ...[...table.matchAll(/^\s*(\w+) (?:text|integer|bigint|real|double)/gm)].map((match) => match[1]),
        ...added,
      ];
      const ofFeed = isNumbered(kind) ? ["seq"] : [];
      const ofDigests = isDigested(kind) ? ["digest"] : [];
      expect(stored.toSorted()).toEqual(
        ["company_id", ...ofFeed, ...ofDigests, ...columns.map(columnName)].toSorted(),
      );
    }
  },
);

describe.each(Object.keys(LISTS) as ListKind[])("%s", (kind) => {
  const { api, indexes } = LISTS[kind];
  const columns: readonly string[] = TABLES[kind].columns;

  test("each filter compares a column that is stored", () => {
    for (const { column } of Object.values(api.filters)) expect(columns).toContain(column);
  });

  test("each index is one of both engines, of columns that are stored", () => {
    for (const index of indexes) {
      expect(columns).toEqual(expect.arrayContaining([...index.columns, ...index.covers]));
      if (index.name === null) continue;
      for (const text of Object.values(schemas)) expect(text).toContain(`index ${index.name} on ${kind}`);
    }
  });

  test("what is on the wire is in files", () => {
    for (const [name, { wire }] of Object.entries(RESOURCES[kind].fields))
      if (wire !== undefined) expect(FILE_FIELDS[kind]).toContain(name);
  });
});

test("a policy's rules that are left out have the defaults that balances know", () => {
  const required = { name: "Leave", paid: "true", schedule: "monthly", minutesPerPeriod: "600", unit: "day" };
  const { fact, problems } = readFact("policies", { ...required, timeOffTypeName: "Vacation" });
  expect(problems).toEqual([]);
  const terms: PolicyTerms = policyTerms(fact!);
  expect(policyOf(terms).rules).toEqual(DEFAULT_RULES);
  const written = ruleCells(JSON.stringify(terms));
  expect(Object.keys(written).toSorted()).toEqual(Object.keys(DEFAULT_RULES).toSorted());
  expect(
    policyTerms(readFact("policies", { ...required, ...written, timeOffTypeName: "Vacation" }).fact!),
  ).toEqual(terms);
});
