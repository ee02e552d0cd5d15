// The forms in which foreign exports write days, times and numbers.
import { expect, test } from "bun:test";
import { POLICIES_CSV, workersCsv } from "../../support/import-files.ts";
import { imported, refused } from "./mapped.ts";

test.each([
  ["M/d/yyyy h:mm a", "3/4/2026 12:05 AM", "2026-03-04T00:05:00.000Z"],
  ["M/d/yyyy h:mm a", "3/4/2026 1:05 pm", "2026-03-04T13:05:00.000Z"],
  ["dd MMM yyyy", "04 Mar 2026", "2026-03-04T00:00:00.000Z"],
  ["yyyyMMdd'T'HH:mmXXX", "20260304T09:00+02:00", "2026-03-04T07:00:00.000Z"],
  ["yyyy-MM-dd HH:mm", "2026-02-28 24:00", "2026-03-01T00:00:00.000Z"],
  ["dd.MM.yyyy H:mm:ss", "31.12.2025 24:00:00", "2026-01-01T00:00:00.000Z"],
])("the format %s reads %s", async (format, text, expected) => {
  const { stored } = await imported(
    {
      "policies.csv": POLICIES_CSV,
      "workers.csv":
        "id,firstName,lastName,email,isBusiness,startDate,status,type\nwrk_1,A,B,a@b.co,no,2024-01-01,active,employee",
      "a.csv": `worker,at\nwrk_1,${text}`,
    },
    {
      assignments: {
        from: "a.csv",
        columns: { worker: "workerId", at: "assignedAt" },
        values: { policyId: "PTO" },
        dates: format,
      },
    },
  );
  expect(JSON.parse(stored.assignments[0]!.doc).assignedAt).toBe(expected);
});

// SAP and pandas write days as numbers.
test("a day that is a number of JSON is read by its format, and a message shows it", async () => {
  const files = (date: number) => ({
    "policies.csv": POLICIES_CSV,
    "workers.csv": workersCsv("E1"),
    "a.json": `[{"worker": "E1", "date": ${date}, "minutes": 480}]`,
  });
  const columns = { worker: "workerId", date: "date", minutes: "minutes" };
  const mapping = {
    adjustments: { from: "a.json", columns, values: { policyId: "PTO" }, dates: "yyyyMMdd" },
  };
  const { stored } = await imported(files(20_260_304), mapping);
  expect(stored.adjustments.map(({ day }) => day)).toEqual([Date.UTC(2026, 2, 4) / 86_400_000]);
  expect(await refused(files(20_260_230), mapping)).toEqual([
    "a.json:1 (element 1): date: 20260230 is a day that does not exist (read as yyyyMMdd)",
  ]);
});

test.each([
  [",", "12,5", 750],
  [",", "1.234,5", 74_070],
  [",", "1.234", 74_040],
  [",", "-1 234,25", -74_055],
  [".", "1,234.5", 74_070],
  [".", "1'234", 74_040],
] as const)("with %s before decimals, %s hours are %d minutes", async (decimal, cell, minutes) => {
  const { stored } = await imported(
    {
      "policies.csv": POLICIES_CSV,
      "workers.csv": workersCsv("E1"),
      "balances.csv": `who;hours\nE1;${cell}\n`,
    },
    {
      adjustments: {
        from: "balances.csv",
        delimiter: ";",
        decimal,
        columns: { who: ["workerId", "legacyId"], hours: "minutes" },
        values: { policyId: "PTO", date: "2026-01-01" },
        units: { minutes: "hours" },
      },
    },
  );
  expect(stored.adjustments[0]!.minutes).toBe(minutes);
});

test.each([
  [",", "12.5"],
  [",", "1.23,5"],
  [".", "1,23"],
  [".", "twelve"],
] as const)("with %s before decimals, %s is no number", async (decimal, cell) => {
  const mistakes = await refused(
    { "hours.csv": `who;when;minutes\nE1;2026-01-01;${cell}` },
    {
      work_hours: {
        from: "hours.csv",
        delimiter: ";",
        decimal,
        columns: { who: "workerId", when: "date", minutes: "minutes" },
      },
    },
  );
  expect(mistakes).toEqual([
    `hours.csv:2: minutes: "${cell}" is not a number with "${decimal}" before its decimals`,
  ]);
});
