// What spreadsheets do to days, lists and formulas: it is read rightly, or told.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Archive } from "../../../src/import/read/archive.ts";
import { LocalMoment } from "../../../src/import/read/records.ts";
import { cellReader, SharedTexts, styleOf } from "../../../src/import/read/xlsx-cells.ts";
import { draftOf, importedDraft } from "../../onboarding/draft-folders.ts";
import { folderOf } from "../../support/import-files.ts";
import { archive, type WorkbookCell, workbook } from "../../support/workbook.ts";
import { imported, refused } from "../convert/mapped.ts";

const day = (serial: number) => ({ serial, as: "date" }) as const;
const time = (serial: number) => ({ serial, as: "dateTime" }) as const;

/** 2 February 2026 as a spreadsheet counts. */
const MONDAY = 46_055;
const LEAVE_HEADER = ["Request ID", "Employee ID", "Leave type", "From", "To", "Status"];
const PEOPLE: WorkbookCell[][] = [
  ["Employee ID", "First name", "Last name", "Email", "Hire date", "Status"],
  ["E1", "Ana", "Lind", "ana@example.com", day(43_922), "active"],
  ["E2", "Bo", "Ek", "bo@example.com", day(44_000), "active"],
];
/** Reads people.xlsx, which has columns as PEOPLE, and their status from the mapping. */
const mappingOfPeople = (columns: object, values: object = {}) => ({
  workers: {
    from: "people.xlsx",
    ignore: "*",
    columns: {
      ...{ "Employee ID": "legacyId", "First name": "firstName", "Last name": "lastName", Email: "email" },
      ...columns,
    },
    values: { type: "employee", isBusiness: "no", status: "active", ...values },
  },
});
const leave = (id: string, from: WorkbookCell, to: WorkbookCell): WorkbookCell[] => [
  ...[id, "E1", "Vacation"],
  ...[from, to, "Approved"],
];

/** By request, its start, its end and its minutes. */
const spans = (requests: readonly { legacyId: string | null; doc: string; minutes: number }[]) =>
  Object.fromEntries(
    requests.map(({ legacyId, doc, minutes }) => {
      const { startAt, endAt } = JSON.parse(doc);
      return [legacyId, `${startAt.slice(0, 16)} ${endAt.slice(0, 16)} ${minutes}`];
    }),
  );

describe("times of a workbook", () => {
  // pandas-dev/pandas #11379: to_excel writes each day as a time, and so do most programs.
  test("are days if the whole column is at midnight", async () => {
    const sheet = [
      LEAVE_HEADER,
      leave("R1", time(MONDAY), time(MONDAY + 4)),
      leave("R2", time(MONDAY + 28), time(MONDAY + 28)),
    ];
    const files = { "hr.xlsx": workbook({ Leave: sheet, Employees: PEOPLE }) };
    const { stored, report } = await importedDraft(files, { "requests.workDays": "Mon-Fri" });
    expect(spans(stored.requests)).toEqual({
      R1: "2026-02-02T00:00 2026-02-07T00:00 2400",
      R2: "2026-03-02T00:00 2026-03-03T00:00 480",
    });
    for (const { doc } of stored.requests)
      expect(JSON.parse(doc)).toMatchObject({ startRangeType: "date", endRangeType: "date" });
    expect(report.findings).toEqual([]);
  });

  // SQL Server's datetime counts in 3 milliseconds, so its last moment of a day is 23:59:59.997.
  test("just before midnight are of their own day", async () => {
    const lastMoment = (serial: number) => time(serial + (86_400 - 0.003) / 86_400);
    const sheet = [LEAVE_HEADER, leave("R1", time(MONDAY), lastMoment(MONDAY + 4))];
    const files = { "hr.xlsx": workbook({ Leave: sheet, Employees: PEOPLE }) };
    const { stored } = await importedDraft(files, {
      "requests.workDays": "Mon-Fri",
      "requests.hoursPerDay": 8,
    });
    expect(spans(stored.requests)).toEqual({ R1: "2026-02-02T00:00 2026-02-06T23:59 2400" });
  });

  // ECMA-376, part 1, 18.18.11: a cell of the type `d` has ISO 8601, with a time or without, whatever its format.
  test("are days, too, if they are stored as ISO 8601, and durations are durations", async () => {
    const iso = (text: string, as: "date" | "dateTime" | "time" = "date") => ({ iso: text, as }) as const;
    const workers: WorkbookCell[][] = [
      ["legacyId", "firstName", "lastName", "email", "startDate", "type", "isBusiness"],
      ["E1", "Ana", "Lind", "ana@example.com", iso("2020-03-01T00:00:00"), "employee", "no"],
      ["E2", "Bo", "Ek", "bo@example.com", iso("2020-05-18T00:00:00.000", "dateTime"), "employee", "no"],
      ["E3", "Cy", "Doe", "cy@example.com", iso("2020-06-01"), "employee", "no"],
    ];
    const { stored } = await imported(
      { "workers.xlsx": workbook({ Workers: workers }) },
      { workers: { from: "workers.xlsx" } },
    );
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).startDate).sort()).toEqual([
      "2020-03-01",
      "2020-05-18",
      "2020-06-01",
    ]);
    const read = cellReader(new SharedTexts(), [styleOf(46, undefined), null], {
      is1904: true,
      isStale: false,
    });
    const cellOf = (value: string, style: string) => String(read("d", style, value, null, false));
    expect(cellOf("1899-12-31T16:00:00", "0")).toBe("40:00:00");
    expect(cellOf("2025-12-01T23:59:59.6", "1")).toBe("2025-12-02");
    expect(cellOf("2025-12-01T09:30:00", "1")).toBe("2025-12-01 09:30:00");
    expect(cellOf("2025-12-01T23:00:00.000Z", "1")).toBe("2025-12-01T23:00:00.000Z");
  });

  test("are asked about if others of the column are not at midnight, and endDay is then an error", async () => {
    const sheet = [
      LEAVE_HEADER,
      leave("R1", time(MONDAY), time(MONDAY + 0.5)),
      leave("R2", time(MONDAY + 28), time(MONDAY + 29)),
    ];
    const files = { "hr.xlsx": workbook({ Leave: sheet, Employees: PEOPLE }) };
    expect((await draftOf(files)).questions.join()).toContain(
      'endDay: "To" has midnights beside other times',
    );
    const mapping = {
      requests: {
        ...{ from: "hr.xlsx", sheet: "Leave", ignore: "*", endDay: "included", hoursPerDay: 8 },
        columns: {
          "Request ID": "legacyId",
          "Employee ID": "workerId",
          From: ["startAt", "createdAt"],
          To: "endAt",
        },
        values: { timeOffPolicyId: "PTO", status: "approved" },
      },
    };
    expect((await refused(files, mapping)).join()).toContain(
      "has a time, but endDay is for days without time: remove endDay from the mapping",
    );
  });

  // A format is how a cell looks; its number has the time (ECMA-376, part 1, 18.8.30 and 18.17.4).
  test("are read if the format of a date hides them", async () => {
    const sheet = [
      LEAVE_HEADER,
      leave("R1", day(MONDAY + 0.5), day(MONDAY)),
      leave("R2", day(MONDAY), day(MONDAY)),
    ];
    const files = { "hr.xlsx": workbook({ Leave: sheet, Employees: PEOPLE }) };
    expect((await draftOf(files)).questions.join()).toContain('hoursPerDay: "From": parts of days');
    const { stored } = await importedDraft(files, {
      "requests.hoursPerDay": 4,
      "requests.workDays": "Mon-Fri",
    });
    expect(spans(stored.requests)).toEqual({
      R1: "2026-02-02T12:00 2026-02-03T00:00 240",
      R2: "2026-02-02T00:00 2026-02-03T00:00 240",
    });
    const end = [
      LEAVE_HEADER,
      leave("R1", day(MONDAY), day(MONDAY)),
      leave("R2", day(MONDAY), day(MONDAY + 0.5)),
    ];
    const draft = { "hr.xlsx": workbook({ Leave: end, Employees: PEOPLE }) };
    expect((await draftOf(draft)).questions.join()).toContain('hoursPerDay: "To": parts of days');
  });

  test("are days beside a column of texts that have a time", async () => {
    const sheet = [
      [...LEAVE_HEADER, "Created at"],
      [...leave("R1", day(MONDAY), day(MONDAY)), "2026-01-02 08:30:00"],
      [...leave("R2", day(MONDAY + 1), day(MONDAY + 2)), "2026-01-03 09:15:00"],
    ];
    const people = [...PEOPLE, ["E3", "Cy", "Yu", "cy@example.com", "2021-03-01 00:00:00", "active"]];
    const files = { "hr.xlsx": workbook({ Leave: sheet, Employees: people }) };
    const { stored } = await importedDraft(files, { "requests.workDays": "Mon-Fri" });
    expect(spans(stored.requests)).toEqual({
      R1: "2026-02-02T00:00 2026-02-03T00:00 480",
      R2: "2026-02-03T00:00 2026-02-05T00:00 960",
    });
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).startDate)).toContain("2021-03-01");
  });

  test("that are days stay days in a query", async () => {
    const files = {
      "hr.xlsx": workbook({
        Employees: PEOPLE.map((row) =>
          row.map((cell) =>
            typeof cell === "object" && cell !== null ? time((cell as { serial: number }).serial) : cell,
          ),
        ),
      }),
    };
    const { stored } = await imported(files, {
      workers: {
        query: `select "Employee ID" as legacyId, "First name" as firstName, "Last name" as lastName, Email as email, "Hire date" as startDate, Status as status, 'employee' as type, 'no' as isBusiness from hr`,
      },
    });
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).startDate).sort()).toEqual([
      "2020-04-01",
      "2020-06-18",
    ]);
  });
});

test("leave that ends when it begins is reported", async () => {
  const sheet = [LEAVE_HEADER, leave("R1", time(MONDAY + 0.375), time(MONDAY + 0.375))];
  const { report } = await importedDraft(
    { "hr.xlsx": workbook({ Leave: sheet, Employees: PEOPLE }) },
    { "requests.workDays": "Mon-Fri", "requests.hoursPerDay": 8 },
  );
  expect(report.findings.map(({ code, count }) => [code, count])).toContainEqual(["no-length", 1]);
});

describe("days and months that a spreadsheet swapped", () => {
  const people = (...dates: readonly WorkbookCell[]): WorkbookCell[][] => [
    PEOPLE[0]!,
    ...dates.map((date, at): WorkbookCell[] => [
      `E${at}`,
      "Ana",
      `Lind ${at}`,
      `e${at}@example.com`,
      date,
      "active",
    ]),
  ];
  const mapping = {
    workers: {
      ...{
        from: "people.xlsx",
        dates: "dd/MM/yyyy",
        ignore: "*",
        values: { type: "employee", isBusiness: "no" },
      },
      columns: {
        ...{ "Employee ID": "legacyId", "First name": "firstName", "Last name": "lastName" },
        ...{ Email: "email", "Hire date": "startDate", Status: "status" },
      },
    },
  };
  const codes = async (...dates: readonly WorkbookCell[]) => {
    const { report } = await imported({ "people.xlsx": workbook({ People: people(...dates) }) }, mapping);
    return report.findings.flatMap(({ code, examples }) => (code === "swapped-dates" ? examples : []));
  };

  // A file with the day first that was opened in an American spreadsheet.
  test("are a finding with row numbers, and a question in a draft", async () => {
    const dates = [day(43_924), "16/05/2020", day(44_502), "25/07/2021"];
    expect(await codes(...dates)).toEqual([
      'people.xlsx: "Hire date" (dates in rows 2, 4, texts in rows 3, 5)',
    ]);
    const { questions } = await draftOf({ "people.xlsx": workbook({ People: people(...dates) }) });
    expect(questions.join()).toContain("did a spreadsheet of another language swap day and month?");
  });

  test("are not suspected if a date has a day above 12, a text is no date, or all cells have one form", async () => {
    expect(await codes(day(43_924), "16/05/2020", day(43_936))).toEqual([]); // 15 April
    expect(await codes(day(43_924), "16/05/2020", "04/05/2020")).toEqual([]);
    expect(await codes(day(43_924), day(43_925))).toEqual([]);
    expect(await codes("16/05/2020", "17/05/2020")).toEqual([]);
  });
});

describe("sheets with the same columns", () => {
  const sheets = {
    Leave: [LEAVE_HEADER, leave("R1", day(MONDAY), day(MONDAY))],
    "Leave Feb": [LEAVE_HEADER, leave("R5", day(MONDAY + 1), day(MONDAY + 2))],
  };

  test("are read as one list, like several files", async () => {
    const files = { "hr.xlsx": workbook({ ...sheets, Employees: PEOPLE }) };
    const { stored, draft, report } = await importedDraft(files, { "requests.workDays": "Mon-Fri" });
    expect(draft).toContain('"sheet": ["Leave", "Leave Feb"]');
    expect(Object.keys(spans(stored.requests)).sort()).toEqual(["R1", "R5"]);
    expect(report.findings.map(({ code }) => code)).not.toContain("unread-sheet");
  });

  test("are reported if a mapping does not read one, even a hidden one, unless it is empty", async () => {
    const mapping = {
      requests: {
        ...{ from: "hr.xlsx", sheet: "Leave", ignore: "*", endDay: "included", hoursPerDay: 8 },
        columns: {
          "Request ID": "legacyId",
          "Employee ID": "workerId",
          From: ["startAt", "createdAt"],
          To: "endAt",
        },
        values: { timeOffPolicyId: "PTO", status: "approved" },
      },
      workers: {
        rows: [
          {
            legacyId: "E1",
            firstName: "A",
            lastName: "B",
            email: "a@example.com",
            startDate: "2020-01-01",
            status: "active",
            type: "employee",
            isBusiness: "no",
          },
        ],
      },
      policies: {
        rows: [
          {
            legacyId: "PTO",
            name: "Leave",
            timeOffTypeName: "Leave",
            paid: true,
            unit: "day",
            schedule: "unlimited",
          },
        ],
      },
    };
    const { "Leave Feb": more, Leave } = sheets;
    const unread = async (others: Record<string, WorkbookCell[][]>) => {
      const { report } = await imported({ "hr.xlsx": workbook({ Leave, ...others }) }, mapping);
      return report.findings.find(({ code }) => code === "unread-sheet")?.examples;
    };
    expect(await unread({ More: more, "hidden:Old": more, Next: [LEAVE_HEADER] })).toEqual([
      'hr.xlsx: "More"',
      'hr.xlsx: "Old" (hidden)',
    ]);
    // The next year's sheet, as people copy it: a title, a new column, other names and another order.
    const [row] = more.slice(1) as [WorkbookCell[]];
    expect(await unread({ Titled: [["Leave 2027"], [], ...more] })).toEqual(['hr.xlsx: "Titled"']);
    expect(
      await unread({
        Noted: [
          [...LEAVE_HEADER, "Note"],
          [...row, "x"],
        ],
      }),
    ).toEqual(['hr.xlsx: "Noted"']);
    const otherNames = ["Request_ID", "EMPLOYEE ID", "Leave Type", "From", "Until", "Status"];
    expect(await unread({ Named: [otherNames, row] })).toEqual(['hr.xlsx: "Named"']);
    const turned = [LEAVE_HEADER, row].map((cells) => cells.toReversed());
    expect(await unread({ Turned: turned })).toEqual(['hr.xlsx: "Turned"']);
    expect(await unread({ People: PEOPLE })).toBeUndefined();
  });
});

describe("numbers that are dates", () => {
  const numbers = (to: number) => [
    LEAVE_HEADER,
    leave("R1", MONDAY, to),
    leave("R2", MONDAY + 7, MONDAY + 7),
  ];

  test('are read by "dates": "excel", which a draft proposes', async () => {
    const files = { "hr.xlsx": workbook({ Leave: numbers(MONDAY + 4), Employees: PEOPLE }) };
    const { stored, draft } = await importedDraft(files, { "requests.workDays": "Mon-Fri" });
    expect(draft).toContain('"dates": "excel"');
    expect(spans(stored.requests)).toEqual({
      R1: "2026-02-02T00:00 2026-02-07T00:00 2400",
      R2: "2026-02-09T00:00 2026-02-10T00:00 480",
    });
  });

  test("have a time if they have decimals", async () => {
    const files = { "hr.xlsx": workbook({ Leave: numbers(MONDAY + 0.5).slice(0, 2), Employees: PEOPLE }) };
    const { stored } = await importedDraft(files, {
      "requests.workDays": "Mon-Fri",
      "requests.hoursPerDay": 8,
    });
    expect(spans(stored.requests).R1).toStartWith("2026-02-02T00:00 2026-02-02T12:00");
  });
});

test("a formula that was never computed is an error of its cell if the cell is read", async () => {
  // openpyxl writes formulas without values.
  const sheet = [PEOPLE[0]!, ["E1", "Ana", "Lind", "ana@example.com", { formula: "TODAY()" }, "active"]];
  const files = { "people.xlsx": workbook({ People: sheet }) };
  expect((await refused(files, mappingOfPeople({ "Hire date": "startDate" }))).join()).toContain(
    "startDate: is a formula without a stored value, or whose value must be computed again: open the workbook in a spreadsheet program, and save it",
  );
  const { stored } = await imported(files, mappingOfPeople({}, { startDate: "2020-01-01" }));
  expect(stored.workers).toHaveLength(1);
  const query = { workers: { query: 'select "Employee ID" as legacyId from people' } };
  expect((await refused(files, query)).join()).toContain('"Hire date" is a formula without a stored value');
});

// Excel keeps 15 digits of a number: 1234567890123456 is ...450 since it was typed.
test.each([
  [1_234_567_890_123_450, "1.23456789012345E+15"],
  [1e17, "1E+17"],
])("an id of more than 15 digits, %d, that is a number is refused", async (id, shown) => {
  const sheet = [PEOPLE[0]!, [id, "Ana", "Lind", "ana@example.com", "2020-01-01", "active"]];
  const mapping = mappingOfPeople({ "Hire date": "startDate" });
  expect(await refused({ "people.xlsx": workbook({ People: sheet }) }, mapping)).toEqual([
    `people.xlsx:2: legacyId: "${shown}" is a number whose last digits a spreadsheet left out: export ids as text`,
  ]);
});

test("a worker's id that a spreadsheet made a date of is refused", async () => {
  const sheet = [PEOPLE[0]!, [day(45_719), "Ana", "Lind", "ana@example.com", "2020-01-01", "active"]];
  const mapping = mappingOfPeople({ "Hire date": "startDate" });
  expect((await refused({ "people.xlsx": workbook({ People: sheet }) }, mapping)).join()).toContain(
    'legacyId: "2025-03-03" is a date: a spreadsheet makes dates of ids such as 3-4 or MAR1: export ids as text',
  );
});

// XlsxWriter stores 0 for each formula, and openxlsx2 what was there before: both say fullCalcOnLoad. Excel writes calcCompleted="0" if it was
// told to compute by hand (ECMA-376, part 1, 18.2.2, calcPr).
test.each([
  ['fullCalcOnLoad="1"', false],
  ['calcId="1" fullCalcOnLoad="true"', false],
  ['calcCompleted="0"', false],
  ['calcId="191029" fullCalcOnLoad="0" calcCompleted="1"', true],
])("a formula's stored value in a workbook with %s counts: %p", async (calculation, isRead) => {
  const sheet = [
    PEOPLE[0]!,
    ["E1", "Ana", "Lind", "ana@example.com", { formula: "TODAY()", value: 45_658 }, "active"],
  ];
  const files = { "people.xlsx": workbook({ People: sheet }, {}, [], false, calculation) };
  const { workers } = mappingOfPeople({ "Hire date": "startDate" });
  const mapping = { workers: { ...workers, dates: "excel" } };
  if (isRead) expect((await imported(files, mapping)).stored.workers).toHaveLength(1);
  else expect((await refused(files, mapping)).join()).toContain("whose value must be computed again");
});

// Excel for Mac until 2011 counted days from 1904 (ECMA-376, 18.2.28, date1904). Only cells marked as dates tell their day.
test("numbers that may be days are told in a workbook that counts from 1904, and dates are right", async () => {
  const found = async (hired: WorkbookCell, is1904: boolean) => {
    const people = [PEOPLE[0]!, ["E1", "Ana", "Lind", "ana@example.com", hired, "active"]];
    const files = { "people.xlsx": workbook({ People: people }, {}, [], is1904) };
    const { stored, report } = await importedDraft(files);
    const told = report.findings.some(({ code }) => code === "days-from-1904");
    return [JSON.parse(stored.workers[0]!.doc).startDate, told];
  };
  expect(await found(day(MONDAY - 1462), true)).toEqual(["2026-02-02", false]);
  expect(await found(MONDAY - 1462, true)).toEqual(["2022-02-01", true]);
  expect(await found(MONDAY, false)).toEqual(["2026-02-02", false]);
});

// SheetJS 0.18 loses the seconds by which a zone's local mean time differs from its offset: 46055 becomes 46054.9996.
test.each([
  [(23 * 3600 + 59 * 60 + 26) / 86_400, true],
  [(23 * 3600 + 58 * 60 + 45) / 86_400, true],
  [(23 * 3600 + 59 * 60) / 86_400, false], // ends of days
  [(23 * 3600 + 59 * 60 + 59) / 86_400, false],
  [(12 * 3600 + 26) / 86_400, false],
  [0, false],
])("days that a program wrote some seconds early are told: %d", async (fraction, isTold) => {
  const people = [PEOPLE[0]!, ["E1", "Ana", "Lind", "ana@example.com", day(44_000 + fraction), "active"]];
  const { report } = await importedDraft({ "people.xlsx": workbook({ People: people }) });
  expect(report.findings.some(({ code }) => code === "early-days")).toBe(isTold);
});

test("a time some seconds before midnight is one of the times in its column", async () => {
  const told = async (hired: number) => {
    const late = (23 * 3600 + 58 * 60 + 12) / 86_400;
    const people = [
      PEOPLE[0]!,
      ["E1", "Ana", "Lind", "ana@example.com", day(44_000 + late), "active"],
      ["E2", "Bo", "Ek", "bo@example.com", day(hired), "active"],
    ];
    const { report } = await importedDraft({ "people.xlsx": workbook({ People: people }) });
    return report.findings.flatMap(({ code, examples }) => (code === "early-days" ? examples : []));
  };
  expect(await told(44_100.5)).toEqual([]); // 12:00
  expect(await told(44_100)).toEqual(["people.xlsx: row 2"]);
});

// new Date("2024-03-01") is midnight in UTC (ECMA-262, 21.4.3.2), and a local 19:00 of 29 February in New York. SheetJS 0.18 writes it so.
// ExcelJS 4 writes UTC: new Date(2024, 2, 1) is 23:00 of 29 February there if made in Berlin, 22:00 in summer, and 18:30 in India.
test("a hidden hour after noon in a column of days is told: it may be midnight elsewhere", async () => {
  const told = async (...hired: WorkbookCell[]) => {
    const people = hired.map((cell, at) => [`E${at}`, "Ana", "Lind", `a${at}@example.com`, cell, "active"]);
    const files = { "people.xlsx": workbook({ People: [PEOPLE[0]!, ...people] }) };
    const { report } = await imported(files, mappingOfPeople({ "Hire date": "startDate" }));
    return report.findings.flatMap(({ code, examples }) => (code === "early-days" ? examples : []));
  };
  const hour = 1 / 24;
  expect(await told(day(44_000 + 19 * hour), day(44_100 + 20 * hour))).toEqual(["people.xlsx: rows 2, 3"]);
  expect(await told(day(44_000 + 23 * hour), day(44_100 + 22 * hour))).toEqual(["people.xlsx: rows 2, 3"]);
  expect(await told(day(44_000 + 18.5 * hour))).toEqual(["people.xlsx: row 2"]);
  expect(await told({ iso: "2024-02-29T23:00:00", as: "date" })).toEqual(["people.xlsx: row 2"]);
  expect(await told(day(44_000 + 12 * hour))).toEqual([]); // noon, as some programs write days
  expect(await told(day(44_000 + 19 * hour), day(44_100 + 9.25 * hour))).toEqual([]); // times
  expect(await told(time(44_000 + 19 * hour), time(44_100 + 20 * hour))).toEqual([]); // shown
  expect(await told(day(44_000 + 2 * hour), day(44_100 + hour))).toEqual([]); // the same day, east of Greenwich
});

test("hidden rows are read, and told", async () => {
  // Excel's filter writes hidden="1" at each row that it does not show. The header and empty rows do not count.
  const people = [...PEOPLE, [null], ["E3", "Cy", "Yu", "cy@example.com", day(44_001), "active"]];
  const files = { "people.xlsx": workbook({ People: people }, {}, [1, 3, 4, 5]) };
  const { stored, report } = await importedDraft(files);
  expect(stored.workers).toHaveLength(3);
  expect(report.findings.find(({ code }) => code === "hidden-rows")).toMatchObject({
    count: 2,
    examples: ["people.xlsx: rows 3, 5"],
  });
});

test("rows that are struck through are read, and told", async () => {
  const struck = { serial: 44_001, as: "struck" } as const;
  const people = [...PEOPLE, ["E3", "Cy", "Yu", "cy@example.com", struck, "active"] as const];
  const { stored, report } = await importedDraft({ "people.xlsx": workbook({ People: people }) });
  expect(JSON.parse(stored.workers.find(({ legacyId }) => legacyId === "E3")!.doc).startDate).toBe(
    "2020-06-19",
  );
  expect(report.findings.find(({ code }) => code === "struck-rows")).toMatchObject({
    count: 1,
    examples: ["people.xlsx: row 4"],
  });
});

// ECMA-376, part 1, 18.4.4: a run of a text has a format of its own. Excel keeps `5`, struck through, beside the `4` that replaces it.
test("a row with a text of which a part is struck through is told", async () => {
  const corrected = (id: string, text: string) => [
    id,
    text,
    "Yu",
    `${id}@example.com`,
    day(44_001),
    "active",
  ];
  const people = [...PEOPLE, corrected("E3", "struck:54"), corrected("E4", "inline:struck:54")];
  const { report } = await importedDraft({ "people.xlsx": workbook({ People: people }) });
  expect(report.findings.find(({ code }) => code === "struck-rows")).toMatchObject({
    count: 2,
    examples: ["people.xlsx: rows 4, 5"],
  });
});

// What Excel and LibreOffice show in English, German, French, Spanish, Dutch and Swedish.
const FORMULA_ERRORS = ["#N/A", "#REF!", "#NV", "#WERT!", "#VALEUR!", "#¿NOMBRE?", "#DEEL/0!", "#SKÄRNING!"];

test.each(FORMULA_ERRORS)(
  "%s in a text is an error, unless the mapping says what it means",
  async (shown) => {
    const [header, ana] = PEOPLE;
    const more = [
      [...header!, "Department", "Title"],
      [...ana!, shown, "#1 clerk"],
    ];
    const mapping = (translate?: object) => ({
      workers: {
        from: "people.xlsx",
        columns: {
          ...{
            "Employee ID": "legacyId",
            "First name": "firstName",
            "Last name": "lastName",
            Email: "email",
          },
          ...{ "Hire date": "startDate", Status: "status", Department: "department", Title: "position" },
        },
        values: { type: "employee", isBusiness: "no" },
        ...(translate && { translate }),
      },
    });
    const files = { "people.xlsx": workbook({ People: more }) };
    expect(await refused(files, mapping())).toEqual([
      `people.xlsx:2: department: "${shown}" is an error of a formula: correct the spreadsheet, or say in a mapping what it means (translate)`,
    ]);
    const { stored } = await imported(files, mapping({ department: { [shown]: "" } }));
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).department)).toEqual([null]);
  },
);

test.each([
  // As spreadsheets show them: ECMA-376, part 1, 18.8.31.
  ['00":"00', "730", "07:30"],
  ["0\\:00", "-1545", "-15:45"],
  ["00\\:00;@", "12345", "123:45"],
  ["000-00-0000", "123456789", "123-45-6789"],
  ['"E"0', "7", "E7"],
  ['"E-"0000', "42", "E-0042"],
  ["0000", "7.0", "0007"],
  // Points part thousands in some languages, and words at the end are often units: these are numbers.
  ["0\\.000", "7500", "7500"],
  ['00" Arbeitstage"', "7", "7"],
  ["0", "7", "7"],
])("the format %s shows %s as %s", (format, stored, shown) => {
  const cell = cellReader(new SharedTexts(), [styleOf(170, format)], { is1904: false, isStale: false });
  expect(cell("n", "0", stored, null, false)).toBe(shown);
});

// ECMA-376, part 1, 18.8.30: a workbook only names these formats. 34, 35, 55 and 56 are times in Chinese, dates in Japanese and Korean.
test("formats of Chinese, Japanese and Korean programs show dates and times", () => {
  const read = (id: number, serial: number) => {
    const cell = cellReader(new SharedTexts(), [styleOf(id, undefined)], { is1904: false, isStale: false });
    return cell("n", "0", String(serial), null, false);
  };
  const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const times = [32, 33];
  for (const id of [...ids(27, 36), ...ids(50, 58)].filter((id) => !times.includes(id)))
    expect([id, read(id, MONDAY)]).toEqual([id, new LocalMoment(Date.UTC(2026, 1, 2), false)]);
  for (const id of [...times, 34, 35, 55, 56]) expect([id, read(id, 0.375)]).toEqual([id, "9:00:00"]);
  for (const id of [26, 37, 49, 59]) expect([id, read(id, MONDAY)]).toEqual([id, String(MONDAY)]);
});

// ECMA-376, part 2, 9.3: a target is a relative reference (RFC 3986), or begins with "/".
test.each(["./sheets/1.xml", "../xl/sheets/1.xml", "/xl/sheets/1.xml"])(
  "a sheet that the workbook names by %s is found",
  async (target) => {
    const cells = ["legacyId", "name"].map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join("");
    const row = ["D1", "Sales"].map((text) => `<c t="str"><v>${text}</v></c>`).join("");
    const file = archive({
      "xl/workbook.xml":
        '<workbook xmlns:r="r"><sheets><sheet name="A" sheetId="1" r:id="s"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="s" Type="t/worksheet" Target="${target}"/></Relationships>`,
      "xl/sheets/1.xml": `<worksheet><sheetData><row>${cells}</row><row>${row}</row></sheetData></worksheet>`,
    });
    const { report } = await imported({ "d.xlsx": file }, { departments: { from: "d.xlsx" } });
    expect(report.files).toMatchObject([{ added: 1 }]);
  },
);

test("a file that begins like a workbook and is none is closed", async () => {
  const path = join(folderOf({ "people.xlsx": Buffer.from("PK, and no archive") }), "people.xlsx");
  const open = () => readdirSync("/dev/fd").length;
  const before = open();
  for (let times = 0; times < 5; times++)
    await expect(Archive.open(path, null, () => {})).rejects.toThrow("is a damaged workbook");
  expect(open()).toBe(before);
});
