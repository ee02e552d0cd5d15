// The definitions of the resources hold together: what one part of them names exists in another. Properties that the
// types do not hold.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import * as cells from "../../src/resources/cells.ts";
import { type Kind, LISTS, type ListKind, RESOURCES } from "../../src/resources/kinds.ts";
import { AMOUNTS, policyOf, policyTerms, storedTermCells } from "../../src/resources/policies.ts";
import { FILE_FIELDS, readImportRow } from "../../src/resources/registry.ts";
import { columnName, type Field, type Fields, type Filter } from "../../src/resources/resource.ts";
import { type AccessPath, planOf } from "../../src/store/plan.ts";
import { TABLES } from "../../src/store/tables.ts";

/** The most characters that a cell takes, as it says itself; undefined if it says none. */
function mostOf(cell: Field["cell"]): number | undefined {
  const read = cell?.read("x".repeat(5000));
  const most = read instanceof cells.ValidationError && /^is longer than (\d+) /.exec(read.message);
  return most ? Number(most[1]) : undefined;
}

/** Words that PostgreSQL 18 does not take as the name of a column (its documentation, appendix C). SQLite's are asked below. */
const RESERVED =
  /^(all|analy[sz]e|and|any|array|as|asc|asymmetric|both|case|cast|check|collate|column|constraint|create|current_\w+|default|deferrable|desc|distinct|do|else|end|except|false|fetch|for|foreign|from|grant|group|having|in|initially|intersect|into|lateral|leading|limit|localtime|localtimestamp|not|null|offset|on|only|or|order|placing|primary|references|returning|select|session_user|some|symmetric|system_user|table|then|to|trailing|true|union|unique|user|using|variadic|when|where|window|with)$/;

test.each(Object.keys(TABLES) as Kind[])("no column of %s is a reserved word of SQL", (kind) => {
  const names = TABLES[kind].columns.map(columnName);
  expect(names.filter((name) => RESERVED.test(name))).toEqual([]);
  for (const name of names) new Database(":memory:").run(`create table t (${name} text)`);
});

describe.each(Object.keys(LISTS) as ListKind[])("%s", (kind) => {
  const { api } = LISTS[kind];
  const columns: readonly string[] = TABLES[kind].columns;

  test("the API's text says the length to which its cell limits it", () => {
    for (const [name, { wire, cell, compute }] of Object.entries<Field>(RESOURCES[kind].fields)) {
      const max = mostOf(cell);
      if (wire === undefined || max === undefined || compute !== undefined) continue;
      if (/^id$|Id$/.test(name) && name !== "legacyId") continue; // ids have a pattern
      expect([name, wire.meta()?.maxLength]).toEqual([name, max]);
    }
  });

  test("each filter compares a column that is stored", () => {
    for (const { column } of Object.values(api.filters)) expect(columns).toContain(column);
  });

  test("a filter of values has an index or time buckets: else each page would read the list until it is full", () => {
    const filters: Readonly<Record<string, Filter>> = api.filters;
    for (const [name, { column, is }] of Object.entries(filters)) {
      if (is !== "in") continue;
      const [{ path }] = planOf(LISTS[kind], [{ column, is, values: ["a"] }]) as [AccessPath];
      expect(path, `${kind}, ${name}: add an index on ${column} to indexes`).not.toBe("list");
    }
  });

  test("a filter of several values has the name of its column, in the plural", () => {
    const filters: Readonly<Record<string, Filter>> = api.filters;
    for (const [name, { column, is }] of Object.entries(filters))
      if (is === "in" && name !== "workEmail") expect([`${column}s`, `${column}es`]).toContain(name);
  });

  test("prose says whether it is a reason, and a reason may be null: new prose is not shown by mistake", () => {
    for (const [name, { wire, cell, isReason }] of Object.entries<Field>(RESOURCES[kind].fields)) {
      if (wire === undefined) continue;
      if (cell === cells.optionalProse) expect([name, typeof isReason]).toEqual([name, "boolean"]);
      if (isReason) expect([name, wire.safeParse(null).success]).toEqual([name, true]);
    }
  });

  test("what is on the wire is in files", () => {
    const fields: Fields = RESOURCES[kind].fields;
    for (const [name, { wire, compute }] of Object.entries(fields))
      if (wire !== undefined && compute === undefined) expect(FILE_FIELDS[kind]).toContain(name);
  });
});

/** As docs/balances.md names them, in the order in which they are stored. */
const DEFAULTS = {
  accrualTiming: "start",
  periodAnchor: "calendar",
  prorate: true,
  waitingPeriodDays: 0,
  carryoverLimitMinutes: null,
  balanceCapMinutes: null,
  prorateBy: "days",
  instalments: null,
  instalmentsFrom: null,
  yearStartsOn: "01-01",
  tiers: null,
  tierFrom: "nextPeriod",
  roundGrantsToMinutes: null,
  roundGrants: "nearest",
  yearlyAccrualCapMinutes: null,
  carryoverExpiresAfterMonths: null,
  carryoverExpiresAfterDays: null,
  carryoverKeepsMinutes: null,
  carryoverOn: null,
  grantsExpireAfterMonths: null,
  balanceCapTiers: null,
  carryoverLimitTiers: null,
  useCapMinutes: null,
  roundSumToMinutes: null,
  roundSum: "nearest",
  roundSumOn: "every",
  firstYearWholeAfterMonths: null,
  firstYearGrants: "atOnce",
  serviceCounts: "employed",
  payPeriods: null,
  payPeriodsFrom: null,
  scaleWith: "none",
  revalue: "none",
  whenItEnds: "keep",
} as const;

test("a policy's rules that are left out have the defaults that are documented", () => {
  const required = { name: "Leave", paid: "true", schedule: "monthly", minutesPerPeriod: "600", unit: "day" };
  const { importRow, problems } = readImportRow("policies", { ...required, timeOffTypeName: "Vacation" });
  expect(problems).toEqual([]);
  const terms = policyTerms(importRow!);
  expect(policyOf(terms).rules).toEqual(DEFAULTS);
  const written = storedTermCells(JSON.stringify(terms));
  expect(Object.keys(written).toSorted()).toEqual([...Object.keys(DEFAULTS), ...AMOUNTS].toSorted());
  expect(
    policyTerms(
      readImportRow("policies", { ...required, ...written, timeOffTypeName: "Vacation" }).importRow!,
    ),
  ).toEqual(terms);
});
