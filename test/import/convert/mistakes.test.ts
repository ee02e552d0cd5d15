// The mistakes that a mapping can have: all of them told before a row is read.
import { describe, expect, test } from "bun:test";
import { KINDS } from "../../../src/resources/kinds.ts";
import { POLICIES_CSV, SMALL } from "../../support/import-files.ts";
import { imported, refused } from "./mapped.ts";

describe("mistakes", () => {
  const workers = { from: "a.csv", columns: { Nr: "legacyId" }, ignore: "*" };
  test.each<[string, unknown, string]>([
    ["no JSON", "{", "map.json: is not valid JSON"],
    [
      "an unknown kind",
      { worker: workers },
      `map.json: "worker" is not one of ${KINDS.join(", ")} (did you mean workers?)`,
    ],
    [
      "an unknown ability",
      { workers: { ...workers, colums: {} } },
      'map.json: workers: "colums" is not one of from, rows, query, tables, encoding, delimiter, skipLines, headerRows, sheet, at, take, columns, values, translate, dates, locale, endDay, zone, units, decimal, negate, hoursPerDay, workDays, skip, complete, changes, was, unpivot, ignore (did you mean columns?)',
    ],
    [
      "no file",
      { workers: { columns: {} } },
      'map.json: workers: has no "from" (a file), "query" (SQL over the files) or "rows" (the rows themselves)',
    ],
    [
      "an unknown field",
      { workers: { ...workers, columns: { Nr: "legacyID_" } } },
      'map.json: workers.columns.Nr: "legacyID_" is not a field of workers (did you mean legacyId?)',
    ],
    [
      "columns the wrong way round",
      { workers: { ...workers, columns: { lastName: "Nachname", firstName: ["Vorname"] } } },
      'map.json: workers.columns.lastName: write the file\'s column first and then our field, but "Nachname" is not a field of workers. Did you mean "Nachname": "lastName"?',
    ],
    ["no file in a list", { workers: { from: [] } }, "map.json: workers.from: is an empty list"],
    ["a query without text", { workers: { query: "" } }, 'map.json: workers.query: "" is empty'],
    [
      "an object where values are meant",
      { workers: { ...workers, skip: { Nr: {} } } },
      "map.json: workers.skip.Nr: is neither a value nor a list of values",
    ],
    [
      "several mappings to extend",
      { extends: ["personio"], workers },
      "map.json: extends: is not the name of a preset or of a file beside this one",
    ],
    ["a list", [], 'map.json: is not an object such as {"workers": {"from": "people.csv"}}'],
    [
      "a file's name alone",
      { workers: "a.csv" },
      'map.json: workers: "a.csv" is not an object such as {"from": "people.csv"}',
    ],
    [
      "columns that are a list",
      { workers: { ...workers, columns: ["Nr"] } },
      'map.json: workers.columns: is not an object such as {"Surname": "lastName"}',
    ],
    [
      "a translation that is no table",
      { workers: { ...workers, translate: { status: "active" } } },
      'map.json: workers.translate.status: "active" is not an object such as {"A": "active"}',
    ],
    [
      "a field from two columns",
      { workers: { ...workers, columns: { A: "email", B: ["email"] } } },
      'map.json: workers.columns.B: email is already taken from the column "A"',
    ],
    [
      "a field from a column and a value",
      { workers: { ...workers, values: { legacyId: "1" } } },
      'map.json: workers.values: legacyId is already taken from the column "Nr"',
    ],
    [
      "a date format",
      { workers: { ...workers, dates: "DD/MM/YYYY" } },
      'map.json: workers.dates: "DD/MM/YYYY" has DD, which is not one of yyyy,',
    ],
    [
      "a date format of a field",
      { workers: { ...workers, dates: { startDate: "yyyy" } } },
      "map.json: workers.dates",
    ],
    [
      "a field that is no date",
      { workers: { ...workers, dates: { email: "yyyy-MM-dd" } } },
      'map.json: workers.dates: "email" is not a date or date-time of workers',
    ],
    [
      "a unit",
      { requests: { from: "a.csv", units: { requestedMinutes: "weeks" } } },
      'map.json: requests.units.requestedMinutes: "weeks" is not "minutes", "hours", "days"',
    ],
    [
      "an encoding",
      { workers: { ...workers, encoding: "utf-9" } },
      'map.json: workers.encoding: "utf-9" is not an encoding',
    ],
    [
      "a decimal sign",
      { workers: { ...workers, decimal: "comma" } },
      'map.json: workers.decimal: "comma" is neither "," nor "."',
    ],
    [
      "a delimiter",
      { workers: { ...workers, delimiter: ";;" } },
      'map.json: workers.delimiter: ";;" is not one character',
    ],
    [
      "a file that is not there",
      { workers: { ...workers, from: "b.csv" } },
      "map.json: workers.from: there is no b.csv (did you mean a.csv?) among the given files: a.csv",
    ],
    [
      "a path out of the folder",
      { workers: { ...workers, from: "../../etc/passwd" } },
      "map.json: workers.from: there is no ../../etc/passwd among the given files: a.csv",
    ],
    ["nothing", {}, "map.json: maps nothing"],
    [
      "a column that is not there",
      { workers: { ...workers, columns: { Nrr: "legacyId" } } },
      'a.csv:1: has no column "Nrr" (did you mean Nr?), which map.json names (workers.columns)',
    ],
    [
      "a column that is neither mapped nor ignored",
      { workers: { ...workers, ignore: [] } },
      'a.csv:1: column "Other" is not mapped: add it to columns or to ignore in map.json',
    ],
    ["a field that nothing gives", { workers }, "a.csv:1: column firstName is missing: every row needs it"],
    [
      "an ignored column that is not there",
      { workers: { ...workers, ignore: ["Othr"] } },
      'a.csv:1: has no column "Othr" (did you mean Other?), which map.json names (workers.ignore)',
    ],
    [
      "a column that is both mapped and ignored",
      { workers: { ...workers, ignore: ["Other", "nr"] } },
      'map.json: workers.ignore: "nr" is in columns too: remove it from one of them',
    ],
    [
      "a translation to what is no value of the field",
      { workers: { ...workers, translate: { status: { A: "active", L: "on leave" } } } },
      'map.json: workers.translate.status.L: "on leave" is not one of draft, invited, onboarding, active, offboarding, inactive',
    ],
    [
      "a translation to nothing, where every row needs something",
      { workers: { ...workers, translate: { type: { X: null } } } },
      "map.json: workers.translate.type.X: is empty, but every row needs type",
    ],
    [
      "a translation to a date in another form than the file's",
      { workers: { ...workers, dates: "dd/MM/yyyy", translate: { endDate: { never: "2099-12-31" } } } },
      'map.json: workers.translate.endDate.never: "2099-12-31" does not have the form dd/MM/yyyy: correct it, or add its form to the mapping\'s "dates"',
    ],
    [
      "a fixed value that is none of the field",
      { workers: { ...workers, values: { startDate: "30.06.2014" } } },
      'map.json: workers.values.startDate: "30.06.2014" is not a date: write YYYY-MM-DD',
    ],
  ])("%s", async (_, mapping, finding) => {
    const mistakes = await refused({ "a.csv": "Nr,Other\n1,2" }, mapping);
    expect(mistakes.some((text) => text.startsWith(finding)) ? finding : mistakes).toBe(finding);
  });

  test("every wrong value is reported at once, before a file is opened", async () => {
    const wrong = {
      workers: {
        ...workers,
        values: { type: "staff", isBusiness: "perhaps" },
        translate: { status: { A: "activ", B: "active", C: "gone" } },
      },
    };
    expect(await refused({ "b.csv": "" }, wrong)).toEqual([
      'map.json: workers.values.isBusiness: "perhaps" is not one of true, false, yes, no, 1, 0',
      'map.json: workers.values.type: "staff" is not one of employee, contractor',
      expect.stringMatching(/^map.json: workers.translate.status.A: "activ" is not one of /),
      expect.stringMatching(/^map.json: workers.translate.status.C: "gone" is not one of /),
    ]);
  });

  test("another delimiter than the mapping's is one finding", async () => {
    const mapping = { from: "a.csv", delimiter: ";", columns: { Nr: "legacyId", Mail: "email" } };
    expect(await refused({ "a.csv": "Nr,Mail,Other\n1,2,3" }, { workers: mapping })).toEqual([
      'a.csv:1: the header seems to be another: say "delimiter": "," for workers in map.json',
    ]);
  });

  test("a cell with the wrong format is shown as the file has it", async () => {
    const mistakes = await refused(
      { ...{ "policies.csv": POLICIES_CSV }, "h.csv": "who,when,hours\nE1,31/02/2026,1\nE1,2026-01-01,x" },
      {
        work_hours: {
          from: "h.csv",
          columns: { who: "workerId", when: "date", hours: "minutes" },
          dates: "dd/MM/yyyy",
          units: { minutes: "hours" },
        },
      },
    );
    expect(mistakes).toEqual([
      'h.csv:2: date: "31/02/2026" is a day that does not exist (read as dd/MM/yyyy)',
      'h.csv:3: date: "2026-01-01" does not have the form dd/MM/yyyy: correct it, or add its form to the mapping\'s "dates"',
      'h.csv:3: minutes: "x" is not a number: write digits, with a point before decimals and no thousands separators',
    ]);
  });
});

test("a file of another day or month: the error says how to name those of all", async () => {
  const files = { "leave_2026-03.csv": "Nr\n1\n", "policies.csv": POLICIES_CSV };
  const mapping = { requests: { from: "leave_2026-02.csv", columns: { Nr: "legacyId" } } };
  expect((await refused(files, mapping)).join()).toContain(
    'If each export has a name of its own, write a pattern: "leave_*.csv"',
  );
  expect(
    (await refused(files, { requests: { ...mapping.requests, from: "staff_2026.csv" } })).join(),
  ).not.toContain("pattern");
  const ofHalves = {
    "h2 leave 2025.csv": "Nr\n1\n",
    "h2 people 2025.csv": "Nr\n1\n",
    "policies.csv": POLICIES_CSV,
  };
  const ofFirst = { requests: { ...mapping.requests, from: "h1 leave 2025.csv" } };
  expect((await refused(ofHalves, ofFirst)).join()).toContain('write a pattern: "h* leave *.csv"');
});

test("an empty amount: the error says what to write", async () => {
  const files = {
    ...SMALL,
    "policies.csv": POLICIES_CSV,
    "assignments.csv": "workerId,policyId,assignedAt\nE1,PTO,2024-01-01T00:00:00Z",
    "balances.csv": "Who,Left\nE1,\n",
    "leave.csv": "Who,Day,Hours\nE1,2026-03-02,\n",
  };
  const openings = {
    ...{ from: "balances.csv", columns: { Who: "workerId", Left: "minutes" }, units: { minutes: "hours" } },
    values: { policyId: "PTO", date: "2025-12-31" },
  };
  const columns = { Who: "workerId", Day: ["startAt", "endAt", "createdAt"], Hours: "requestedMinutes" };
  const requests = {
    ...{ from: "leave.csv", columns, endDay: "included", units: { requestedMinutes: "hours" } },
    values: { timeOffPolicyId: "PTO", status: "approved", legacyId: "{Who}|{Day}" },
  };
  const told = (await refused(files, { openings, requests })).join();
  expect(told).toContain(
    'balances.csv:2: minutes: is missing: if it is nothing, say so: "translate": {"minutes": {"": "0"}}',
  );
  expect(told).toContain(
    "leave.csv:2: requestedMinutes: is missing: to count the working days of such leave",
  );
  const { stored } = await imported(files, {
    openings: { ...openings, translate: { minutes: { "": "0" } } },
    requests: { ...requests, hoursPerDay: 8 },
  });
  expect(stored.openings.map(({ minutes }) => minutes)).toEqual([0]);
  expect(stored.requests.map(({ doc }) => JSON.parse(doc).requestedMinutes)).toEqual([480]);
});
