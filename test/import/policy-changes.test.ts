// Rules with a date, through an import: what a policy shows, on which day, and what is refused.
import { expect, test } from "bun:test";
import type { Policy } from "../../src/resources/policies.ts";
import { dayOfText } from "../../src/time/day.ts";
import { TestCompany } from "../support/import-files.ts";

const POLICIES = `legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod,carryoverLimitMinutes
V,Vacation,yes,day,Vacation,yearly,9600,2400
`;
const CHANGES = `policyId,from,minutesPerPeriod,carryoverLimitMinutes,prorate
V,2027-01-01,12000,,
V,2026-01-01,,none,yes
`;
const on = (today: string) => ({ today: dayOfText(today) });

async function policyOf(company: TestCompany): Promise<Policy> {
  const { policies } = await company.stored();
  return JSON.parse(policies[0]!.doc) as Policy; // what the import wrote
}

test("a policy shows its changes, and what is in force on the day of the last import", async () => {
  const company = await TestCompany.open();
  await company.import({ "policies.csv": POLICIES, "policy_changes.csv": CHANGES }, on("2025-06-01"));
  const changes = [
    { from: "2026-01-01", minutesPerPeriod: null, rules: { prorate: "none", carryoverLimitMinutes: "none" } },
    { from: "2027-01-01", minutesPerPeriod: 12_000, rules: {} },
  ];
  expect(await policyOf(company)).toMatchObject({
    minutesPerPeriod: 9600,
    rules: { carryoverLimitMinutes: 2400 },
    changes,
  });

  const same = await company.import({ "policies.csv": POLICIES }, on("2025-12-31"));
  expect(same.isChanged).toBe(false);
  const later = await company.import({ "policies.csv": POLICIES }, on("2026-01-01"));
  expect(later.isChanged).toBe(true);
  expect(await policyOf(company)).toMatchObject({ minutesPerPeriod: 9600, rules: {}, changes });
  await company.import({ "policy_changes.csv": CHANGES }, on("2027-01-01"));
  expect(await policyOf(company)).toMatchObject({ minutesPerPeriod: 12_000, rules: {}, changes });

  await company.import(
    { "policy_changes.csv": CHANGES.split("\n").slice(0, 2).join("\n") },
    { ...on("2027-01-01"), isPruning: true },
  );
  expect((await policyOf(company)).changes).toEqual([changes[1]!]);
  expect((await company.stored()).policies[0]!.terms).toContain('"minutesPerPeriod":9600');
});

test.each([
  [
    "V,2026-01-01,,",
    [
      'policy_changes.csv:2: from: "2026-01-01" changes nothing: give an amount or a rule, or leave the row out',
    ],
  ],
  [
    "V,2026-01-01,,sameDay",
    ["policy_changes: Vacation from 2026-01-01: tierFrom has no meaning without tiers"],
  ],
])("%s is refused", async (row, mistakes) => {
  const company = await TestCompany.open();
  const files = {
    "policies.csv": POLICIES,
    "policy_changes.csv": `policyId,from,minutesPerPeriod,tierFrom\n${row}\n`,
  };
  expect(await company.refused(files, on("2025-06-01"))).toEqual(mistakes);
});
