// Property: without a status of their own, workers are active from the first to the last day, by every import of the same file.
import { expect, test } from "bun:test";
import { dayOfText, formatDay } from "../../src/time/day.ts";
import { TestCompany, workersCsv } from "../support/import-files.ts";

const LAST_DAYS = { E1: "", E2: "2025-06-02", E3: "2025-05-31", E4: "2025-06-02", E5: "" };
/** Nobody has a status but E4. E5 begins on 2 June. */
const FILE = workersCsv(...Object.keys(LAST_DAYS))
  .split("\n")
  .map((line, at) => {
    if (at === 0) return `${line},endDate`;
    const status = line.startsWith("E4") ? "offboarding" : "";
    const begun = line.startsWith("E5") ? line.replace("2024-01-01", "2025-06-02") : line;
    return `${begun.replace("active", status)},${Object.values(LAST_DAYS)[at - 1]}`;
  })
  .join("\n");

test("the same file, night after night, makes workers active on their first day and inactive after their last", async () => {
  const company = await TestCompany.open();
  const nights: Record<string, string> = {};
  for (const today of [dayOfText("2025-06-01"), dayOfText("2025-06-02"), dayOfText("2025-06-03")]) {
    const { findings } = await company.import({ "workers.csv": FILE }, { today });
    expect(findings.filter(({ code }) => /-leaver$/.test(code))).toEqual([]);
    const { workers } = await company.stored();
    nights[formatDay(today)] = workers
      .map(({ legacyId, status }) => `${legacyId} ${status}`)
      .sort()
      .join(", ");
  }
  expect(nights).toEqual({
    "2025-06-01": "E1 active, E2 active, E3 inactive, E4 offboarding, E5 onboarding",
    "2025-06-02": "E1 active, E2 active, E3 inactive, E4 offboarding, E5 active",
    "2025-06-03": "E1 active, E2 inactive, E3 inactive, E4 offboarding, E5 active",
  });
});

test("a file without the column says the same", async () => {
  const company = await TestCompany.open();
  const withoutStatus = FILE.split("\n").map((line) => line.split(",").toSpliced(6, 1).join(","));
  await company.import({ "workers.csv": withoutStatus.join("\n") });
  const { workers } = await company.stored();
  expect(workers.map(({ legacyId, status }) => `${legacyId} ${status}`).sort()).toEqual([
    "E1 active",
    "E2 active",
    "E3 inactive",
    "E4 active",
    "E5 onboarding",
  ]);
});
