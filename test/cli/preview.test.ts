// `rollcall preview`: what leave would use, and mistakes by the names of the options.
import { expect, test } from "bun:test";
import { dirname } from "node:path";
import { TestCompany, workersCsv } from "../support/import-files.ts";
import { rollcallHere } from "./command.ts";

const FILES = {
  "workers.csv": workersCsv("E1"),
  "policies.csv":
    "legacyId,name,paid,unit,timeOffTypeName,schedule,minutesPerPeriod\nV,V,yes,day,V,yearly,9600\n",
  "assignments.csv": "workerId,policyId,startsOn\nE1,V,2026-01-01\n",
};

test("says minutes, the balance before and after, and the most; a mistake names the option", async () => {
  const company = await TestCompany.open();
  await company.import(FILES);
  const { assignments } = await company.stored();
  await company.store.close();
  const run = (worker: string, from: string) =>
    rollcallHere(dirname(company.path), [
      ...["preview", "--company", "acme", "--db", company.path, "--worker", worker],
      ...["--policy", assignments[0]!.policyId, "--from", from],
    ]);
  const { workerId } = assignments[0]!;
  const given = await run(workerId, "2026-08-03");
  expect(given.stdout).toBe(
    "480 minutes on 1 day\n9600 before, 9120 after, at most 9600 can be taken on 2026-08-03\nthis leave can be taken\n",
  );
  expect((await run("E1", "2026-08-03")).stderr).toStartWith('rollcall: --worker: "E1" is not a worker id');
  expect((await run(workerId, "soon")).stderr).toStartWith('rollcall: --from: "soon"');
});

test("what the API refuses of movements is said as a mistake, not as a fault", async () => {
  const company = await TestCompany.open();
  await company.import(FILES);
  await company.store.close();
  const { exitCode, stderr } = await rollcallHere(dirname(company.path), [
    ...["movements", "--company", "acme", "--db", company.path, "--after", "2025-12"],
  ]);
  expect([exitCode, stderr]).toEqual([1, 'rollcall: No close has the name "2025-12".\n']);
});
