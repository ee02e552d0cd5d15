// A table with a column for each day, or for each kind of leave, as a row for each cell.
import { expect, test } from "bun:test";
import { ImportRefused } from "../../../src/import/row-errors.ts";
import { workersCsv } from "../../support/import-files.ts";
import { workbook } from "../../support/workbook.ts";
import { imported } from "./mapped.ts";

const POLICIES = {
  rows: [
    { legacyId: "V", name: "V", timeOffTypeName: "V", paid: true, unit: "day", schedule: "unlimited" },
    { legacyId: "S", name: "S", timeOffTypeName: "S", paid: true, unit: "day", schedule: "unlimited" },
  ],
};
const DAYS = {
  from: "days.csv",
  unpivot: { columns: "2026-*", as: "date" },
  columns: { Person: "workerId", date: ["startAt", "endAt", "createdAt"], value: "timeOffPolicyId" },
  translate: { timeOffPolicyId: { "1/2 V": "V" } },
  values: { legacyId: "{Person}|{date}", requestedMinutes: 480, status: "approved" },
  skip: { value: ["x"] },
  endDay: "included",
};
const CSV = "Person,Team,2026-03-02,2026-03-03,2026-03-04\nE1,A,V,,S\nE2,B,x,1/2 V,\n";

test("each cell of the columns becomes a row with the column's name and the cell", async () => {
  const mapping = {
    workers: { from: "workers.csv" },
    policies: POLICIES,
    requests: { ...DAYS, ignore: ["Team"] },
  };
  const files = { "workers.csv": workersCsv("E1", "E2"), "days.csv": CSV };
  const { stored } = await imported(files, JSON.stringify(mapping));
  const leave = stored.requests.map(({ doc, legacyId }) => [legacyId, JSON.parse(doc).startAt]).toSorted();
  expect(leave).toEqual([
    ["E1|2026-03-02", "2026-03-01T23:00:00.000Z"],
    ["E1|2026-03-04", "2026-03-03T23:00:00.000Z"],
    ["E2|2026-03-03", "2026-03-02T23:00:00.000Z"],
  ]);
  const query = { ...mapping.requests, from: undefined, query: "select * from days", ignore: "*" };
  const again = await imported(files, JSON.stringify({ ...mapping, requests: query }));
  expect(again.stored.requests).toHaveLength(3);
  // pandas writes days above columns as times at midnight; 46,083 is 2 March 2026.
  const header = [
    "Person",
    "Team",
    ...[46_083, 46_084, 46_085].map((serial) => ({ serial, as: "dateTime" }) as const),
  ];
  const sheet = [header, ["E1", "A", "V", null, "S"], ["E2", "B", "x", "1/2 V"]];
  const { stored: ofSheet } = await imported(
    { "workers.csv": workersCsv("E1", "E2"), "days.xlsx": workbook({ A: sheet }) },
    JSON.stringify({ ...mapping, requests: { ...mapping.requests, from: "days.xlsx" } }),
  );
  expect(ofSheet.requests.map(({ doc }) => doc).toSorted()).toEqual(
    stored.requests.map(({ doc }) => doc).toSorted(),
  );
});

test("an unknown column, a pattern without matches, and a file without a header row are refused", async () => {
  const refused = (requests: object, files: Record<string, string> = { "days.csv": CSV }) =>
    imported(
      { "workers.csv": workersCsv("E1"), ...files },
      JSON.stringify({ policies: POLICIES, requests }),
    ).then(
      () => "",
      (error) => (error instanceof ImportRefused ? error.message : String(error)),
    );
  expect(await refused(DAYS)).toContain("Team");
  expect(await refused({ ...DAYS, unpivot: { columns: ["2027-*"], as: "date" } })).toContain(
    "days.csv:1: has no column 2027-*, which unpivot names",
  );
  expect(await refused({ ...DAYS, from: "days.jsonl" }, { "days.jsonl": '{"a":1}' })).toContain(
    "days.jsonl: has no header row, which unpivot needs",
  );
  expect(await refused({ ...DAYS, unpivot: { columns: "2026-*" } })).toContain("requests.unpivot.as");
});
