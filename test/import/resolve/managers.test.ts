// Managers: a worker may name another of the same files, before or after it, or one that is stored.
import { expect, test } from "bun:test";
import type { Worker } from "../../../src/resources/workers.ts";
import { counted, TestCompany } from "../../support/import-files.ts";

const HEADER = "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,department,managerId";

/** Rows as `id department manager`. */
const workers = (...rows: readonly string[]) => {
  const lines = rows.map((row) => {
    const [id, department, manager = ""] = row.split(" ");
    return `${id},Ana,Lind,a@example.com,no,2024-01-01,active,employee,${department},${manager}`;
  });
  return { "workers.csv": [HEADER, ...lines].join("\n") };
};

/** The legacy id of each worker's manager, by legacy id, as the columns and the wire objects say. */
async function managers(company: TestCompany): Promise<Record<string, string | null>> {
  const { workers: rows } = await company.stored();
  const legacyIds = new Map(rows.map(({ id, legacyId }) => [id, legacyId]));
  return Object.fromEntries(
    rows
      .map((row) => {
        const { managerId } = JSON.parse(row.doc) as Worker;
        expect(managerId).toBe(row.managerId);
        return [row.legacyId!, row.managerId === null ? null : legacyIds.get(row.managerId)!] as const;
      })
      .toSorted(),
  );
}

test("managers may come before or after, form a circle, or be the worker", async () => {
  const company = await TestCompany.open();
  const report = await company.import(workers("E1 A E2", "E2 A E3", "E3 A E1", "E4 B E4", "E5 B"));
  expect(counted(report)["workers.csv"]).toBe("5/0/0/0");
  expect(await managers(company)).toEqual({ E1: "E2", E2: "E3", E3: "E1", E4: "E4", E5: null });
});

test("an unchanged import changes nothing; one that moves a worker changes that worker", async () => {
  const company = await TestCompany.open();
  await company.import(workers("E1 A E2", "E2 A", "E3 A E2"));
  const again = await company.import(workers("E1 A E2", "E2 A", "E3 A E2"));
  expect([counted(again)["workers.csv"], again.isChanged]).toEqual(["0/0/3/0", false]);
  const moved = await company.import(workers("E1 A E3", "E2 A", "E3 A E2"));
  expect([counted(moved)["workers.csv"], moved.isChanged]).toEqual(["0/1/2/0", true]);
  expect(await managers(company)).toEqual({ E1: "E3", E2: null, E3: "E2" });
  const both = await company.import(workers("E1 B E2", "E2 A", "E3 A"));
  expect(counted(both)["workers.csv"]).toBe("0/2/1/0");
  expect(await managers(company)).toEqual({ E1: "E2", E2: null, E3: null });
});

test("a manager that is stored, by id", async () => {
  const company = await TestCompany.open();
  await company.import(workers("E1 A"));
  const [stored] = (await company.stored()).workers;
  await company.import(workers(`E2 A ${stored!.id}`));
  expect(await managers(company)).toEqual({ E1: null, E2: "E1" });
});

test("an unknown manager is a bad row, and nothing is changed", async () => {
  const company = await TestCompany.open();
  expect(await company.refused(workers("E1 A E9", "E2 A E1"))).toEqual([
    'workers.csv:2: managerId: "E9" is no worker: neither an id nor a legacyId, in these files or stored',
  ]);
  expect((await company.stored()).workers).toEqual([]);
});

test("a manager cannot be pruned while somebody reports to them", async () => {
  const company = await TestCompany.open();
  await company.import(workers("E1 A E2", "E2 A", "E3 A E2", "E4 A", "E5 A"));
  const manager = (await company.stored()).workers.find(({ legacyId }) => legacyId === "E2")!.id;
  const [mistake] = await company.refused(workers(`E1 A ${manager}`, "E3 A", "E4 A", "E5 A"), {
    isPruning: true,
  });
  expect(mistake).toContain(
    `${manager} is not in the file but cannot be removed, because it is a managerId: that of worker wrk_`,
  );
  const report = await company.import(workers("E3 A", "E4 A", "E5 A"), { isPruning: true });
  expect(counted(report)["workers.csv"]).toBe("0/1/2/2");
});
