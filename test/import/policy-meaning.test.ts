// What an import says of a policy's meaning and of a request's range: defaults, and what is on the wire.
import { expect, test } from "bun:test";
import { folderOf, POLICIES_CSV, SMALL, TestCompany } from "../support/import-files.ts";
import { mapFile } from "./convert/mapped.ts";

const policies = async (csv: string) => {
  const company = await TestCompany.open();
  await company.import({ "policies.csv": csv });
  return (await company.stored()).policies.map(({ doc }) => JSON.parse(doc));
};

test("a policy is an absence, and is paid out if it is paid and not unlimited", async () => {
  const rows = await policies(
    "legacyId,name,timeOffTypeName,paid,unit,schedule,minutesPerPeriod,isAbsence,isPaidOut\n" +
      "A,A,V,yes,day,yearly,9600,,\nB,B,V,no,day,yearly,9600,,\nC,C,V,yes,day,unlimited,,,\n" +
      "D,D,V,yes,day,yearly,9600,no,no\nE,E,V,no,day,unlimited,,yes,yes\n",
  );
  expect(rows.map(({ name, isAbsence, isPaidOut }) => [name, isAbsence, isPaidOut]).toSorted()).toEqual([
    ["A", true, true],
    ["B", true, false],
    ["C", true, false],
    ["D", false, false],
    ["E", true, true],
  ]);
});

test("rules are on the wire as they are in files, without those at their default", async () => {
  const [policy] = await policies(
    "legacyId,name,timeOffTypeName,paid,unit,schedule,minutesPerPeriod,accrualTiming,prorate,waitingPeriodDays,tiers,instalments,instalmentsFrom,carryoverLimitMinutes\n" +
      "A,A,V,yes,day,yearly,9600,start,no,0,60:800; 120:1000,weekly,2024-01-05,2400\n",
  );
  expect(Object.keys(policy).slice(-5)).toEqual(["legacyId", "isAbsence", "isPaidOut", "rules", "changes"]);
  expect(policy.rules).toEqual({
    prorate: false,
    carryoverLimitMinutes: 2400,
    instalments: "weekly",
    instalmentsFrom: "2024-01-05",
    tiers: "60:800; 120:1000",
  });
  const [plain] = await policies(POLICIES_CSV);
  expect(plain.rules).toEqual({});
});

test("a request's range is of days where a mapping reads days alone, or a file says so", async () => {
  const company = await TestCompany.open();
  await company.import({
    ...SMALL,
    "requests.csv":
      "legacyId,workerId,timeOffPolicyId,createdAt,startAt,endAt,requestedMinutes,status,startRangeType,endRangeType\n" +
      "R1,E1,PTO,2026-01-01T00:00:00Z,2026-03-02T00:00:00Z,2026-03-03T00:00:00Z,480,approved,date,\n",
  });
  const rangesOf = async () =>
    (await company.stored()).requests.map(({ doc, legacyId }) => {
      const { startRangeType, endRangeType } = JSON.parse(doc);
      return [legacyId, startRangeType, endRangeType];
    });
  expect(await rangesOf()).toEqual([["R1", "date", "datetime"]]);
  const mapping = {
    requests: {
      from: "requests.csv",
      columns: { Nr: "legacyId", From: ["startAt", "createdAt"], To: "endAt" },
      values: { workerId: "E1", timeOffPolicyId: "PTO", requestedMinutes: 480, status: "approved" },
      dates: ["dd/MM/yyyy", "dd/MM/yyyy HH:mm"],
      endDay: "included",
    },
  };
  const leave = "Nr,From,To\nR2,02/03/2026,02/03/2026\nR3,03/03/2026 09:00,03/03/2026 13:00\n";
  await company.importFolder(folderOf({ "requests.csv": leave }), {}, mapFile(mapping));
  expect((await rangesOf()).toSorted()).toEqual([
    ["R1", "date", "datetime"],
    ["R2", "date", "date"],
    ["R3", "datetime", "datetime"],
  ]);
});
