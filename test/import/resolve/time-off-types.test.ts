// Types of time off have no file of their own: their ids must not change however policies name them.
import { expect, test } from "bun:test";
import type { Policy } from "../../../src/resources/policies.ts";
import { counted, TestCompany } from "../../support/import-files.ts";

const csv = (...rows: readonly (readonly [legacyId: string, typeId: string, typeName: string])[]) =>
  [
    "legacyId,name,paid,schedule,unit,timeOffTypeId,timeOffTypeName",
    ...rows.map(
      ([legacyId, typeId, typeName]) => `${legacyId},${legacyId},yes,unlimited,day,${typeId},${typeName}`,
    ),
  ].join("\n");

async function typesOf(company: TestCompany): Promise<Record<string, string>> {
  const policies = (await company.stored()).policies.map((row) => JSON.parse(row.doc) as Policy);
  return Object.fromEntries(policies.map(({ name, timeOffTypeId }) => [name, timeOffTypeId]));
}

test("a policy that comes back without its type's id keeps it", async () => {
  const company = await TestCompany.open();
  await company.import({ "policies.csv": csv(["P1", "tot_x", "Vacation"]) });
  const again = await company.import({ "policies.csv": csv(["P1", "", "Vacation"]) });
  expect(counted(again)).toEqual({ "policies.csv": "0/0/1/0" });
  expect(await typesOf(company)).toEqual({ P1: "tot_x" });
});

test("another policy with the type's name gets the type's id, in the same import or a later one", async () => {
  const company = await TestCompany.open();
  await company.import({ "policies.csv": csv(["P2", "", "Vacation"], ["P1", "tot_x", "Vacation"]) });
  await company.import({ "policies.csv": csv(["P3", "", "Vacation"], ["P4", "", "Sick leave"]) });
  const { P4, ...vacation } = await typesOf(company);
  expect(vacation).toEqual({ P1: "tot_x", P2: "tot_x", P3: "tot_x" });
  expect(P4).toMatch(/^tot_[0-9a-z]{20}$/);
});

test("a policy whose type gets another name gets another type", async () => {
  const company = await TestCompany.open();
  await company.import({ "policies.csv": csv(["P1", "tot_x", "Vacation"]) });
  await company.import({ "policies.csv": csv(["P1", "", "Sick leave"]) });
  expect((await typesOf(company)).P1).not.toBe("tot_x");
});
