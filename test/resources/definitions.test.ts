// The definitions of the resources hold together: what one part of them names exists in another. Properties that the
// types do not hold.
import { describe, expect, test } from "bun:test";
import { DEFAULT_RULES, type PolicyTerms, policyOf } from "../../src/balances/facts.ts";
import { LISTS, type ListKind, RESOURCES } from "../../src/resources/kinds.ts";
import { policyTerms, storedRuleCells } from "../../src/resources/policies.ts";
import { FILE_FIELDS, readImportRow } from "../../src/resources/registry.ts";
import type { Fields } from "../../src/resources/resource.ts";
import { TABLES } from "../../src/store/tables.ts";

describe.each(Object.keys(LISTS) as ListKind[])("%s", (kind) => {
  const { api } = LISTS[kind];
  const columns: readonly string[] = TABLES[kind].columns;

  test("each filter compares a column that is stored", () => {
    for (const { column } of Object.values(api.filters)) expect(columns).toContain(column);
  });

  test("what is on the wire is in files", () => {
    const fields: Fields = RESOURCES[kind].fields;
    for (const [name, { wire, made }] of Object.entries(fields))
      if (wire !== undefined && made === undefined) expect(FILE_FIELDS[kind]).toContain(name);
  });
});

test("a policy's rules that are left out have the defaults that balances know", () => {
  const required = { name: "Leave", paid: "true", schedule: "monthly", minutesPerPeriod: "600", unit: "day" };
  const { importRow, problems } = readImportRow("policies", { ...required, timeOffTypeName: "Vacation" });
  expect(problems).toEqual([]);
  const terms: PolicyTerms = policyTerms(importRow!);
  expect(policyOf(terms).rules).toEqual(DEFAULT_RULES);
  const written = storedRuleCells(JSON.stringify(terms));
  expect(Object.keys(written).toSorted()).toEqual(Object.keys(DEFAULT_RULES).toSorted());
  expect(
    policyTerms(
      readImportRow("policies", { ...required, ...written, timeOffTypeName: "Vacation" }).importRow!,
    ),
  ).toEqual(terms);
});
