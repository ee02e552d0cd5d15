// Property: without a status of their own, workers are active up to the last day and inactive after it, by every import of the same file.
import { expect, test } from "bun:test";
import { dayOfText, formatDay } from "../../src/time/day.ts";
import { TestCompany, workersCsv } from "../support/import-files.ts";

const LAST_DAYS = { E1: "", E2: "2025-06-02", E3: "2025-05-31", E4: "2025-06-02" };
/** Nobody has a status but E4. */
const FILE = workersCsv(...Object.keys(LAST_DAYS))
  .split("\n")
  .map((line, at) => {
    if (at === 0) return `${line},endDate`;
    const status = line.startsWith("E4") ? "offboarding" : "";
    return `${line.replace("active", status)},${Object.values(LAST_DAYS)[at - 1]}`;
  })
  .join("\n");

test("the same file, night after night, makes workers inactive after their last day", async () => {
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
  const before = "E1 active, E2 active, E3 inactive, E4 offboarding";
  expect(nights).toEqual({
    "2025-06-01": before,
    "2025-06-02": before,
    "2025-06-03": "E1 active, E2 inactive, E3 inactive, E4 offboarding",
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
  ]);
});
