// Property: without a column of statuses, workers are active from the first to the last day, by every import of the same file.
import { expect, test } from "bun:test";
import { dayOfText, formatDay } from "../../src/time/day.ts";
import { TestCompany, workersCsv } from "../support/import-files.ts";
import { rejection } from "../support/rejection.ts";
import { workbook } from "../support/workbook.ts";

const LAST_DAYS = { E1: "", E2: "2025-06-02", E3: "2025-05-31", E5: "" };
/** E5 begins on 2 June. */
const WITH_STATUS = workersCsv(...Object.keys(LAST_DAYS))
  .split("\n")
  .map((line, at) => {
    if (at === 0) return `${line},endDate`;
    const begun = line.startsWith("E5") ? line.replace("2024-01-01", "2025-06-02") : line;
    return `${begun},${Object.values(LAST_DAYS)[at - 1]}`;
  });
const STATUS_AT = WITH_STATUS[0]!.split(",").indexOf("status");
const FILE = WITH_STATUS.map((line) => line.split(",").toSpliced(STATUS_AT, 1).join(",")).join("\n");

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
    "2025-06-01": "E1 active, E2 active, E3 inactive, E5 onboarding",
    "2025-06-02": "E1 active, E2 active, E3 inactive, E5 active",
    "2025-06-03": "E1 active, E2 inactive, E3 inactive, E5 active",
  });
});

test("in a column of statuses, an empty cell is an error: nobody becomes active by a gap", async () => {
  const company = await TestCompany.open();
  const gap = WITH_STATUS.join("\n").replace("active", "");
  expect(await rejection(company.import({ "workers.csv": gap }))).toThrow(
    "workers.csv:2: status: is missing: write it, or leave out the column",
  );
  const cells = gap.split("\n").map((line) => line.split(",").map((cell) => cell || null));
  expect(await rejection(company.import({ "workers.xlsx": workbook({ People: cells }) }))).toThrow(
    "workers.xlsx:2: status: is missing: write it, or leave out the column",
  );
});
