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
  const { policyId, workerId } = assignments[0]!;
  const run = (worker: string, from: string, policy = "V") =>
    rollcallHere(dirname(company.path), [
      ...["preview", "--company", "acme", "--db", company.path, "--worker", worker],
      ...["--policy", policy, "--from", from],
    ]);
  const given = await run(workerId, "2026-08-03");
  expect(given.stdout).toBe(
    "480 minutes on 1 day\n9600 before, 9120 after, at most 9600 can be taken on 2026-08-03\nthis leave can be taken\n",
  );
  for (const worker of ["E1", "E1@example.com"])
    expect((await run(worker, "2026-08-03", policyId)).stdout).toBe(given.stdout);
  expect((await run("E2", "2026-08-03")).stderr).toBe(
    'rollcall: "E2" is no worker\'s id, id of the source system, or address: see rollcall workers list\n',
  );
  expect((await run("E1", "2026-08-03", "W")).stderr).toBe(
    'rollcall: "W" is no policy\'s id, id of the source system, or name: the company has V\n',
  );
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
