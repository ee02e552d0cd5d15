// The definitions of the resources hold together: what one part of them names exists in another. Properties that the
// types do not hold.
import { describe, expect, test } from "bun:test";
import { optionalProse } from "../../src/resources/cells.ts";
import { LISTS, type ListKind, RESOURCES } from "../../src/resources/kinds.ts";
import { AMOUNTS, policyOf, policyTerms, storedTermCells } from "../../src/resources/policies.ts";
import { FILE_FIELDS, readImportRow } from "../../src/resources/registry.ts";
import type { Field, Fields, Filter } from "../../src/resources/resource.ts";
import { TABLES } from "../../src/store/tables.ts";

describe.each(Object.keys(LISTS) as ListKind[])("%s", (kind) => {
  const { api } = LISTS[kind];
  const columns: readonly string[] = TABLES[kind].columns;

  test("each filter compares a column that is stored", () => {
    for (const { column } of Object.values(api.filters)) expect(columns).toContain(column);
  });

  test("a filter of several values has the name of its column, in the plural", () => {
    const filters: Readonly<Record<string, Filter>> = api.filters;
    for (const [name, { column, is }] of Object.entries(filters))
      if (is === "in" && name !== "workEmail") expect([`${column}s`, `${column}es`]).toContain(name);
  });

  test("prose says whether it is a reason, and a reason may be null: new prose is not shown by mistake", () => {
    for (const [name, { wire, cell, isReason }] of Object.entries<Field>(RESOURCES[kind].fields)) {
      if (wire === undefined) continue;
      if (cell === optionalProse) expect([name, typeof isReason]).toEqual([name, "boolean"]);
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
