// The department, the workplace and the manager that workers repeat, on every engine: made of names or given by rows of their own,
// and in step with what the import changes there.
import { describe, expect, test } from "bun:test";
import { importCompany } from "../../../src/import/import-company.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import type { ImportReport } from "../../../src/import/report.ts";
import type { ImportRefused } from "../../../src/import/row-errors.ts";
import { CHANGE_RESOURCES } from "../../../src/resources/changes.ts";
import type { Worker } from "../../../src/resources/workers.ts";
import type { ChangesPage, ReadStore, WriteStore } from "../../../src/store/store.ts";
import { withStore } from "../../store/conformance/engine.ts";
import { ENGINES } from "../../store/conformance/engines.ts";
import { folderOf } from "../../support/import-files.ts";
import { createCompany, exported } from "../../support/stores.ts";

const HEADER = "legacyId,firstName,lastName,email,isBusiness,startDate,status,type";

/** Workers of `columns`, with rows as `E1,Ana,` and the values of these columns. */
function people(columns: string, ...rows: readonly string[]): string {
  const lines = rows.map((row) => {
    const [id, name, ...values] = row.split(",");
    return [id, name, "Lind,a@example.com,no,2024-01-01,active,employee", ...values].join(",");
  });
  return [`${HEADER},${columns}`, ...lines].join("\n");
}

class Company {
  #nowMs = Date.UTC(2026, 0, 1);

  constructor(
    readonly writer: WriteStore,
    readonly reader: ReadStore,
  ) {}

  /** Each import is a day later. */
  async import(files: Record<string, string>, isPruning = false): Promise<ImportReport> {
    this.#nowMs += 86_400_000;
    const { sources } = await findSources([folderOf(files)], null);
    const options = { isDryRun: false, isPruning, allowedRemovals: 1, today: 20_480, nowMs: this.#nowMs };
    return await importCompany(this.writer, "acme", sources, options);
  }

  async refused(files: Record<string, string>): Promise<readonly string[]> {
    const error = await this.import(files).then(
      () => null,
      (refusal: unknown) => refusal,
    );
    return (error as ImportRefused).mistakes;
  }

  /** By legacy id. */
  async workers(): Promise<Record<string, Worker>> {
    const { workers } = await exported(this.writer, "acme");
    return Object.fromEntries(workers.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc)]));
  }

  async departments(): Promise<string[]> {
    return (await exported(this.writer, "acme")).departments.map(({ name }) => name).sort();
  }

  /** What the change feed tells of an import: the resources, and the legacy ids of workers. */
  async told(files: Record<string, string>): Promise<string[]> {
    const changes = async (after: "now" | ChangesPage["position"]) =>
      (await this.reader
        .company("acme")
        .changes({ after, resources: CHANGE_RESOURCES, limit: 100 })) as ChangesPage; // nothing is forgotten
    const { position } = await changes("now");
    await this.import(files);
    const legacyIds = new Map(Object.values(await this.workers()).map(({ id, legacyId }) => [id, legacyId]));
    const { entries } = await changes(position);
    return entries.map(({ resource, id }) => `${resource} ${legacyIds.get(id) ?? "-"}`).sort();
  }
}

describe.each([...ENGINES])("$name", (engine) => {
  const onCompany = (work: (company: Company) => Promise<void>) =>
    withStore(engine, async ({ writer, reader }) => {
      await createCompany(writer, "acme");
      await work(new Company(writer, reader));
    });

  test("names create departments and workplaces once; without workers they are pruned", async () => {
    await onCompany(async (company) => {
      const columns = "department,location,workplaceType";
      await company.import({
        "workers.csv": people(
          columns,
          "E1,Ana,Sales,Bonn,office",
          "E2,Bo,Sales,Home,remote",
          "E3,Cy,HR,Bonn,",
        ),
      });
      const { E1, E2, E3 } = await company.workers();
      expect(E1!.department!.id).toStartWith("dpt_");
      expect(E2!.department).toEqual(E1!.department);
      expect(E3!.department!.name).toBe("HR");
      expect(E2!.primaryWorkplace).toMatchObject({ name: "Home", type: "remote" });
      expect(E3!.primaryWorkplace).toEqual(E1!.primaryWorkplace);

      const moved = {
        "workers.csv": people(columns, "E1,Ana,Sales,Bonn,", "E2,Bo,Sales,Bonn,", "E3,Cy,Sales,,"),
      };
      await company.import(moved);
      expect(await company.departments()).toEqual(["HR", "Sales"]);
      expect((await company.import(moved, true)).isChanged).toBe(true);
      expect(await company.departments()).toEqual(["Sales"]);
      expect((await exported(company.writer, "acme")).workplaces.map(({ name }) => name)).toEqual(["Bonn"]);
      expect((await company.import(moved, true)).isChanged).toBe(false);
    });
  });

  test("a department that is renamed keeps its id; its workers change in the same import, and nobody else", async () => {
    await onCompany(async (company) => {
      const departments = (name: string) => `legacyId,name\nD1,${name}\nD2,HR`;
      const workers = people("departmentId,managerId", "E1,Ana,D1,", "E2,Bo,D1,E1", "E3,Cy,D2,E1");
      await company.import({ "departments.csv": departments("Sales"), "workers.csv": workers });
      const before = await company.workers();
      expect(await company.told({ "departments.csv": departments("Revenue") })).toEqual([
        "departments -",
        "workers E1",
        "workers E2",
      ]);
      const after = await company.workers();
      expect(after.E1!.department).toEqual({ id: before.E1!.department!.id, name: "Revenue" });
      expect(after.E1!.updatedAt > before.E1!.updatedAt).toBe(true);
      expect(after.E3).toEqual(before.E3!);
    });
  });

  test("a new name of a manager updates the reports; an unchanged import updates no time", async () => {
    await onCompany(async (company) => {
      const file = (name: string) => ({
        "workers.csv": people("managerId", `E1,${name},`, "E2,Bo,E1", "E3,Cy,E2"),
      });
      await company.import(file("Ana"));
      const before = await company.workers();
      expect(before.E2!.manager).toEqual({
        id: before.E1!.id,
        firstName: "Ana",
        lastName: "Lind",
        displayName: "Ana Lind",
      });
      expect(await company.told(file("Ana"))).toEqual([]);
      expect(await company.workers()).toEqual(before);
      expect(await company.told(file("Anna"))).toEqual(["workers E1", "workers E2"]);
      const after = await company.workers();
      expect(after.E2!.manager!.displayName).toBe("Anna Lind");
      expect(after.E2!.updatedAt > before.E2!.updatedAt).toBe(true);
      expect(after.E3).toEqual(before.E3!);
    });
  });

  test("rows of departments take over departments created from their names; a name without a row is a finding", async () => {
    await onCompany(async (company) => {
      const workers = people("department", "E1,Ana,Sales", "E2,Bo,Sales");
      await company.import({ "workers.csv": workers });
      const { E1 } = await company.workers();
      await company.import({ "departments.csv": "legacyId,name\nD1,Sales" });
      await company.import({ "departments.csv": "legacyId,name\nD1,Revenue" });
      expect((await company.workers()).E1!.department).toEqual({ id: E1!.department!.id, name: "Revenue" });
      const { findings } = await company.import({ "workers.csv": workers });
      expect(findings.map(({ code }) => code)).toContain("department-of-name");
      expect(await company.departments()).toEqual(["Revenue", "Sales"]);
    });
  });

  test("another type of a workplace, an unknown id and an ambiguous name are refused", async () => {
    await onCompany(async (company) => {
      expect(
        await company.refused({
          "workers.csv": people("workplace,workplaceType", "E1,Ana,Home,remote", "E2,Bo,Home,office"),
        }),
      ).toEqual(['workers.csv:3: workplaceType: "office" is not the type of "Home": it is remote']);
      const [unknown] = await company.refused({ "workers.csv": people("departmentId", "E1,Ana,D9") });
      expect(unknown).toStartWith('workers.csv:2: departmentId: "D9" ');
      expect(
        await company.refused({
          "departments.csv": "legacyId,name\nD1,Sales\nD2,Sales",
          "workers.csv": people("department", "E1,Ana,Sales"),
        }),
      ).toEqual(['workers.csv:2: department: "Sales" is the name of several departments: give departmentId']);
      expect(await company.departments()).toEqual([]);
    });
  });
});
