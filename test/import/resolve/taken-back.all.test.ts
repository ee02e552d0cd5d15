// Property: a worker that goes to quarantine because its manager is nobody leaves no trace in the change feed, on every engine:
// an import that changes nothing else moves neither position nor version, and every earlier position gives the same page.
import { describe, expect, test } from "bun:test";
import { importCompany } from "../../../src/import/import-company.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import { CHANGE_RESOURCES } from "../../../src/resources/changes.ts";
import type { ChangePosition, ChangesPage, ReadStore, WriteStore } from "../../../src/store/store.ts";
import { withStore } from "../../store/conformance/engine.ts";
import { ENGINES } from "../../store/conformance/engines.ts";
import { counted, folderOf } from "../../support/import-files.ts";
import { createCompany, exported } from "../../support/stores.ts";

const HEADER = "legacyId,firstName,lastName,email,isBusiness,startDate,status,type,department,managerId";

/** Rows as `id startDate department manager`. */
function workers(...rows: readonly string[]): string {
  const lines = rows.map((row) => {
    const [id, start, department, manager = ""] = row.split(" ");
    return `${id},Ana,Lind,a@example.com,no,${start},active,employee,${department},${manager}`;
  });
  return [HEADER, ...lines].join("\n");
}

async function importWorkers(writer: WriteStore, ...rows: readonly string[]) {
  const { sources } = await findSources([folderOf({ "workers.csv": workers(...rows) })], null);
  return await importCompany(writer, "acme", sources, {
    isDryRun: false,
    isPruning: true,
    allowedRemovals: 1,
    today: 20_240,
    nowMs: 0,
    quarantine: { limit: 50, write: () => {} },
  });
}

async function pageAfter(reader: ReadStore, after: ChangePosition | "now" | null) {
  const page = await reader.company("acme").changes({ after, resources: CHANGE_RESOURCES, limit: 100 });
  return page as ChangesPage; // nothing is forgotten
}

const FIRST = [
  "E1 2024-01-01 A",
  "E2 2024-01-01 A",
  "E3 2024-01-01 A",
  "E4 2024-01-01 A E1",
  "E9 2024-01-01 A",
];

describe.each([...ENGINES])("$name", (engine) => {
  test.each([
    ["changed", ["E2 2024-02-02 B E0", "E3 2024-01-01 A", "E4 2024-01-01 A E1"], 1],
    ["unchanged but for its manager", ["E2 2024-01-01 A E0", "E3 2024-01-01 A", "E4 2024-01-01 A E1"], 1],
    [
      "changed again, after an import with a number",
      ["E2 2024-01-01 A", "E3 2025-02-02 B E0", "E4 2024-01-01 A E1"],
      1,
    ],
    ["new", ["E2 2024-01-01 A", "E3 2024-01-01 A", "E4 2024-01-01 A E1", "E5 2024-01-01 A E0"], 1],
    ["removed before", ["E2 2024-01-01 A", "E3 2024-01-01 A", "E4 2024-01-01 A E1", "E9 2024-01-01 A E0"], 1],
    [
      "one that reports to a new one that reports to nobody",
      [
        "E2 2024-01-01 A",
        "E3 2024-01-01 A",
        "E4 2024-01-01 A E6",
        "E6 2024-01-01 A E7",
        "E7 2024-01-01 A E0",
      ],
      3,
    ],
  ])("%s: the feed does not move", async (_case, rows, putAside) => {
    await withStore(engine, async ({ writer, reader }) => {
      await createCompany(writer, "acme");
      await importWorkers(writer, ...FIRST);
      const { position: first } = await pageAfter(reader, "now");
      // A number on one row, and a removal.
      await importWorkers(
        writer,
        "E1 2024-01-01 A",
        "E2 2024-01-01 A",
        "E3 2024-01-01 C",
        "E4 2024-01-01 A E1",
      );
      await importWorkers(
        writer,
        "E1 2024-01-01 A",
        "E2 2024-01-01 A",
        "E3 2024-01-01 A",
        "E4 2024-01-01 A E1",
      );
      const state = async () => ({
        pages: [
          await pageAfter(reader, "now"),
          await pageAfter(reader, first),
          await pageAfter(reader, null),
        ],
        version: await reader.version("acme"),
        rows: await exported(writer, "acme"),
      });
      const before = await state();
      for (let night = 0; night < 2; night++) {
        const report = await importWorkers(writer, "E1 2024-01-01 A", ...rows);
        expect(report.quarantined).toHaveLength(putAside);
        expect(counted(report)).toEqual({ "workers.csv": `0/0/${rows.length + 1 - putAside}/0` });
        expect(report.isChanged).toBe(false);
        expect(await state()).toEqual(before);
      }
    });
  });

  test("with a real change, the feed has only that and balances", async () => {
    await withStore(engine, async ({ writer, reader }) => {
      await createCompany(writer, "acme");
      await importWorkers(writer, ...FIRST);
      const { position } = await pageAfter(reader, "now");
      await importWorkers(
        writer,
        "E1 2024-03-03 B",
        "E2 2024-02-02 B E0",
        "E3 2024-01-01 A",
        "E4 2024-01-01 A E1",
        "E5 2024-01-01 A E0",
        "E9 2024-01-01 A",
      );
      const { entries } = await pageAfter(reader, position);
      const { workers, departments } = await exported(writer, "acme");
      const one = workers.find(({ legacyId }) => legacyId === "E1");
      expect(entries.map(({ resource, id }) => [resource, id])).toEqual([
        ["departments", departments.find(({ name }) => name === "B")!.id], // E2, who was put aside, did not make it
        ["workers", one!.id],
        ["balances", one!.id],
      ]);
    });
  });
});
