// Findings whose statements engines may read differently: a policy that seems to be renamed, where counts are divided, and missing openings.
import { expect, test } from "bun:test";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { withStore } from "../store/conformance/engine.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { folderOf, workersCsv } from "../support/import-files.ts";
import { createCompany } from "../support/stores.ts";

const files = (policy: string) => ({
  "workers.csv": workersCsv("E1", "E2", "E3"),
  "policies.csv": `legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit\n${policy},Leave,yes,monthly,600,Leave,day`,
  "assignments.csv": [
    "workerId,policyId,startsOn",
    ...["E1", "E2", "E3"].map((id) => `${id},${policy},2024-01-01`),
  ].join("\n"),
});

for (const engine of ENGINES)
  test(
    `a policy with all workers of one that is gone is told, on ${engine.name}`,
    () =>
      withStore(engine, async ({ writer }) => {
        await createCompany(writer, "acme");
        const importing = async (policy: string) => {
          const { sources } = await findSources([folderOf(files(policy))], null);
          return importCompany(writer, "acme", sources, {
            today: 20_240,
            nowMs: Date.now(),
            mayBeOlder: true,
          });
        };
        await importing("P1");
        await expect(importing("P2")).rejects.toThrow('"was": {"P2": "P1"}');
      }),
    120_000,
  );

for (const engine of ENGINES)
  test(
    `a worker without an opening, unlike the others, is told on ${engine.name}`,
    () =>
      withStore(engine, async ({ writer }) => {
        await createCompany(writer, "acme");
        const people = ["E1", "E2", "E3", "E4"];
        const folder = folderOf({
          ...files("P1"),
          "workers.csv": workersCsv(...people),
          "assignments.csv": `workerId,policyId,startsOn\n${people.map((id) => `${id},P1,2024-01-01`).join("\n")}`,
          "openings.csv":
            "workerId,policyId,date,minutes\nE1,P1,2024-12-31,480\nE2,P1,2024-12-31,480\nE3,P1,2024-12-31,0",
        });
        const { sources } = await findSources([folder], null);
        const { findings } = await importCompany(writer, "acme", sources, {
          today: 20_240,
          nowMs: Date.now(),
        });
        const missing = findings.find(({ code }) => code === "missing-opening");
        expect([missing?.count, missing?.examples]).toEqual([1, ["E4"]]);
      }),
    120_000,
  );
