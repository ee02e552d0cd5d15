// Drafts for workbooks, whose sheets have titles, totals and remarks, and what an import reads of their numbers.
import { expect, test } from "bun:test";
import { parse } from "jsonc-parser";
import { imported, refused } from "../import/convert/mapped.ts";
import { type WorkbookCell, workbook } from "../support/workbook.ts";
import { asPaidLeave, draftOf, draftText, importedDraft } from "./draft-folders.ts";

const day = (serial: number) => ({ serial, as: "date" }) as const;
const asked = { serial: 45_600.5, as: "dateTime" } as const;

const PEOPLE: WorkbookCell[][] = [
  ["Musterwerk GmbH"],
  ["Stand:", day(45_700)],
  [null],
  ["Pers.-Nr.", "Nachname", "Vorname", "E-Mail\n(dienstlich)", "Eintritt", "Abteilung"],
  ["007", "Groß", "Jürgen", "j@example.com", day(43_922), "Vertrieb"],
  ["Niederlassung Berlin"],
  ["008", "Weiß", "Özlem", "o@example.com", day(44_000), "IT"],
  ["Summe", "2"],
  ["* ohne Praktikanten"],
];

const LEAVE: WorkbookCell[][] = [
  ["Abwesenheiten 2025"],
  ["PersNr", "Art", "Von", "Bis", "Arbeitstage", "Genehmigt?", "erfasst am"],
  ["007", "Urlaub", day(45_658), day(45_659), 1.125, "genehmigt", asked],
  ["008", "Urlaub", "13.01.2025", day(45_670), "1,5", "offen", asked],
  [null, null, null, "Gesamt", 2.625],
];

test("a draft for a workbook has each of its sheets, from the header on, and leaves totals and remarks out", async () => {
  const files = {
    "Export.xlsx": workbook({
      Deckblatt: [["Auswertung"], ["Stand:", day(45_700)]],
      Mitarbeiter: PEOPLE,
      "hidden:Altdaten": PEOPLE,
      Abwesenheiten: LEAVE,
      Tabelle4: [],
    }),
  };
  const draft = await draftText(files);
  for (const line of [
    '// Export.xlsx, sheet "Deckblatt": it is not clear what its rows are',
    '"sheet": "Mitarbeiter",\n    "skipLines": 3',
    '"Pers.-Nr.": "legacyId"',
    '"E-Mail\\n(dienstlich)": ["email", "workEmail"]',
    '"skip": { "Pers.-Nr.": ["Summe", "Niederlassung Berlin", "* ohne Praktikanten"] }',
    '"sheet": "Abwesenheiten",\n    "skipLines": 1',
    '"dates": "dd.MM.yyyy"',
    '"decimal": ","',
    '"Genehmigt?": "status"',
  ])
    expect(draft).toContain(line);
  expect(draft).toContain('// Export.xlsx: "Altdaten" is hidden, and is not read');
  expect(draft).not.toContain("Tabelle4");

  const { stored } = await importedDraft(files, { "requests.endDay": "included" });
  expect(stored.workers.map(({ legacyId }) => legacyId).sort()).toEqual(["007", "008"]);
  expect(stored.assignments).toHaveLength(2);
  // 1.125 days are a number of the workbook: the decimal comma, which is for text, does not make them 1125.
  expect(
    stored.requests.map(({ doc, minutes }) => [JSON.parse(doc).startAt.slice(0, 10), minutes]).sort(),
  ).toEqual([
    ["2025-01-01", 540],
    ["2025-01-13", 720],
  ]);
});

const STAFF: WorkbookCell[][] = [
  ["Employee ID", "Name", "Email", "Start date"],
  ["E1", "Ana Lind", "ana@example.com", day(43_831)],
  ["E2", "Bo Ek", "bo@example.com", day(43_831)],
];
const leaveOf = (files: Awaited<ReturnType<typeof importedDraft>>) =>
  files.stored.requests.map(({ doc }) => JSON.parse(doc).startAt.slice(0, 10)).sort();

test("somebody without leave in a month's plan is no remark: leave in the next one counts", async () => {
  const march = [1, 2, 3, 4, 5].map((at) => day(46_082 + at));
  const april = [1, 2, 3, 4, 5].map((at) => day(46_113 + at));
  const plan = {
    Staff: STAFF,
    March: [["Employee", ...march], ["Ana Lind", "V", "V"], ["Bo Ek"]],
    April: [["Employee", ...april], ["Ana Lind"], ["Bo Ek", null, "V"]],
  };
  const all = await importedDraft({ "plan.xlsx": workbook(plan) }, { "requests.values.status": "approved" });
  expect(all.draft).not.toContain("look like totals");
  expect(leaveOf(all)).toEqual(["2026-03-02", "2026-03-03", "2026-04-03"]);
});

/** March 2026 with the cells of each day; the 1st is a Sunday. */
const marchOf = (name: string, cellOf: (day: number) => WorkbookCell): WorkbookCell[] => [
  name,
  ...[...Array(10).keys()].map((at) => cellOf(at + 1)),
];
const planOf = (...rows: WorkbookCell[][]) => ({
  "plan.xlsx": workbook({
    Staff: [...STAFF, ["E3", "Cy Doe", "cy@example.com", day(43_831)]],
    Plan: [marchOf("Employee", (at) => day(46_081 + at)), ...rows],
  }),
});

test("marks of a plan on weekends, of everybody, or without a word may be no leave, which a draft asks", async () => {
  const isWeekend = (at: number) => at % 7 < 2;
  const rowsOf = (mark: string, isMarked: (at: number) => boolean) => [
    marchOf("Ana Lind", (at) => (isMarked(at) ? mark : at < 5 ? "V" : null)),
    marchOf("Bo Ek", (at) => (isMarked(at) ? mark : null)),
    marchOf("Cy Doe", (at) => (isMarked(at) ? mark : at === 9 ? "S" : null)),
  ];
  const asked = (mark: string) => `skip: are "${mark}" in "leave type" leave?`;
  for (const plan of [rowsOf("x", isWeekend), rowsOf("/", isWeekend), rowsOf("PH", (at) => at === 6)]) {
    const mark = String(plan[1]!.find((cell, at) => at > 0 && cell !== null));
    const { questions, text } = await draftOf(planOf(...plan));
    expect(questions.join()).toContain(asked(mark));
    expect(text).toContain('"skip": { "leave type": ["?"] }');
  }
  const { questions } = await draftOf(planOf(...rowsOf("-", () => false)));
  expect(questions.join()).not.toContain("skip");
});

test("a row of weekdays below the days of a plan is nobody's leave", async () => {
  const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const files = planOf(
    marchOf("", (at) => weekdays[(at - 1) % 7]!),
    marchOf("Ana Lind", (at) => (at === 3 ? "V" : null)),
    marchOf("Cy Doe", (at) => (at === 4 ? "S" : null)),
  );
  const answers = { "requests.values.status": "approved", "requests.workDays": "Mon-Fri" };
  const { draft, stored } = await importedDraft(files, answers);
  expect(stored.requests).toHaveLength(2);
  expect(draft).not.toContain('"name": "Tue"');
});

test("leave that is merged over days of a plan is told: only its first day is read", async () => {
  const rows = [
    marchOf("Ana Lind", (at) => (at === 3 ? "V" : null)),
    marchOf("Bo Ek", (at) => (at === 2 ? "S" : null)),
  ];
  const sheets = { Staff: STAFF, Plan: [marchOf("Employee", (at) => day(46_081 + at)), ...rows, ["Remark"]] };
  const files = { "plan.xlsx": workbook(sheets, { Plan: ["D2:F2", "A4:F4", "A1:A1"] }) };
  const { report } = await importedDraft(files, { "requests.values.status": "approved" });
  expect(report.findings.find(({ code }) => code === "merged-cells")?.count).toBe(1);
});

test("two plans side by side that name other people are asked about: a query reads the first names alone", async () => {
  const header = [
    ...marchOf("Employee", (at) => day(46_081 + at)),
    ...marchOf("Employee", (at) => day(46_112 + at)),
  ];
  const draft = async (first: string, second: string) => {
    const rows = [
      [...marchOf(first, (at) => (at === 3 ? "V" : null)), ...marchOf(second, () => null)],
      [...marchOf("Bo Ek", () => null), ...marchOf("Bo Ek", (at) => (at === 2 ? "V" : null))],
    ];
    return await draftOf({ "plan.xlsx": workbook({ Staff: STAFF, Plan: [header, ...rows] }) });
  };
  const asked = 'plan.xlsx, sheet "Plan": Employee: this column is there twice';
  expect((await draft("Ana Lind", "Cy Doe")).questions.join()).toContain(asked);
  expect((await draft("Ana Lind", "Ana Lind")).questions.join()).not.toContain(asked);
});

test("a plan whose days have other names than days, or are below the months, is asked about", async () => {
  const questionsOf = async (...plan: WorkbookCell[][]) =>
    (await draftOf({ "plan.xlsx": workbook({ Staff: STAFF, "2026": plan }) })).questions.join();
  const people: WorkbookCell[][] = [
    ["Ana Lind", "V", "V", "V", null, "V", "V", "V"],
    ["Bo Ek", null, null, "S", "S", "S", "V", "V"],
  ];
  const named = (name: (day: number) => string) => ["Name", ...[1, 2, 3, 4, 5, 6].map(name)];
  const asked = 'plan.xlsx, sheet "2026": it is not clear what its rows are';
  for (const name of [
    (day: number) => `0${day}.03.`,
    (day: number) => `${day}-Mar`,
    (day: number) => `Mo ${day}`,
    (day: number) => `March ${day}`,
  ])
    expect(await questionsOf(named(name), ...people)).toContain(asked);
  const below: WorkbookCell[][] = [["January"], [null, 1, 2, 3, 4, 5, 6, 7], ...people];
  expect(await questionsOf(...below)).toContain(asked);
  const headless: WorkbookCell[][] = [["2026", "January"], ...people];
  expect(await questionsOf(...headless)).toContain(asked);
  expect(await questionsOf(["Day", "Ana Lind", "Bo Ek"], [1, "V", "S"], [2, "V", null])).toContain(asked);
  const formulas = [1, 2, 3, 4, 5].map((at) => ({ formula: `B1+${at}` }));
  expect(await questionsOf(["Name", day(46_083), ...formulas], ...people)).toContain(asked);
});

test("days of each month, and hours of each day, are no hours that were worked unless their sheet says so", async () => {
  const draft = async (sheet: string, days: readonly number[], cell: number) =>
    await draftText({
      "plan.xlsx": workbook({
        Staff: STAFF,
        [sheet]: [
          ["Employee", ...days.map(day)],
          ["Ana Lind", ...days.map(() => cell)],
        ],
      }),
    });
  const firstOfMonths = [46_023, 46_054, 46_082, 46_113, 46_143, 46_174];
  const days = [46_082, 46_083, 46_084, 46_085, 46_086];
  expect(await draft("Taken", firstOfMonths, 3)).toContain('sheet \\"Taken\\"": "it is not clear');
  expect(await draft("Plan", days, 8)).toContain("date, amount of the day)");
  expect(await draft("Timesheet", days, 8)).toContain('"hours": "minutes"');
});

test("a sheet whose rows reach far beyond its header is asked about", async () => {
  const wide: WorkbookCell[][] = [
    ["Key", "V", "Vacation"],
    ["Employee name", ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(String)],
    ["Ana Lind", null, null, null, "V", "V"],
    ["Bo Ek", null, null, null, null, null, "V", "V"],
    ["Cy Yu", null, null, null, null, null, null, "V", "V"],
  ];
  const { questions } = await draftOf({ "plan.xlsx": workbook({ Staff: STAFF, January: wide }) });
  expect(questions.join()).toContain('plan.xlsx, sheet "January": it is not clear what its rows are');
});

test("where a draft asks for the status of leave, it names the sheets that may tell it", async () => {
  const header = ["Employee ID", "Type", "First day", "Last day", "Days"];
  const leave = (id: string): WorkbookCell[][] => [header, [id, "PTO", day(46_083), day(46_083), 1]];
  const sheets = { Staff: STAFF, Approved: leave("E1"), Rejected: leave("E2") };
  expect((await draftOf({ "hr.xlsx": workbook(sheets) })).questions.join()).toContain(
    'or give each of hr.xlsx, sheet "Approved", "Rejected" a source of its own with its status',
  );
});

// openpyxl writes formulas without their values.
test("a column of formulas that were never computed is asked about, and not taken for empty", async () => {
  const leave = (days: WorkbookCell): WorkbookCell[][] => [
    ["Employee ID", "Type", "First day", "Last day", "Days", "Status"],
    ["E1", "Vacation", day(46_083), day(46_083), days, "Approved"],
  ];
  const questionsOf = async (days: WorkbookCell) =>
    (await draftOf({ "hr.xlsx": workbook({ Staff: STAFF, Leave: leave(days) }) })).questions.join();
  const asked = 'sheet "Leave": Days: is a formula without a stored value';
  expect(await questionsOf({ formula: "NETWORKDAYS(C2,D2)/2" })).toContain(asked);
  expect(await questionsOf(0.5)).not.toContain(asked);
});

test("a row with somebody's id alone is no remark, nor are rows without a name beside a remark", async () => {
  const header = ["Employee ID", "Type", "First day", "Last day", "Days", "Status"];
  const leave = ["Vacation", day(46_083), day(46_084), 2, "Approved"] as const;
  const idAlone = { Staff: STAFF, Leave: [header, ["E1"], ["E1", ...leave], ["E2"]] };
  const grouped = {
    Staff: STAFF,
    Leave: [header, ["E1", ...leave], [null, ...leave], [null, "Checked by HR"]],
  };
  for (const sheets of [idAlone, grouped]) {
    const files = { "hr.xlsx": workbook(sheets) };
    const draft = asPaidLeave(await draftText(files)).replace('"endDay": "?"', '"endDay": "included"');
    expect(draft).not.toContain("look like totals");
    expect((await refused(files, draft)).join()).toMatch(/startAt: is missing|Employee ID: "\?"/);
  }
});

test("numbers of a workbook are ids and texts as people see them", async () => {
  const { stored } = await imported(
    {
      "workers.xlsx": workbook({
        A: [
          ["ID", "First", "Last", "Mail", "Hired", "Department"],
          [1.5, "Ana", "Lind", "ana@example.com", day(43_922), 0.1],
          [12_345_678_901_234, "Bo", "Ek", "bo@example.com", day(43_922), 7],
          [{ serial: 42, as: "zeros" }, "Cy", "Yu", "cy@example.com", day(43_922), 7],
        ],
      }),
    },
    {
      workers: {
        from: "workers.xlsx",
        columns: {
          ID: "legacyId",
          First: "firstName",
          Last: "lastName",
          Mail: "email",
          Hired: "startDate",
          Department: "department",
        },
        values: { type: "employee", status: "active", isBusiness: false },
      },
    },
  );
  expect(
    stored.workers.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc).department.name]).sort(),
  ).toEqual([
    ["1.5", "0.1"],
    ["12345678901234", "7"],
    ["E-00042", "7"],
  ]);
});

test("730 that a format shows as 07:30 is seven and a half hours, and no number of minutes", async () => {
  const leave = [...LEAVE_HEADER.slice(0, 3), "hours"];
  const sheet = [leave, ["R1", "Ana Lind", "2025-03-03", { serial: 730, as: "clock" } as const]];
  const files = { "people.csv": PEOPLE_CSV, "leave.xlsx": workbook({ A: sheet }) };
  const { requests } = LEAVE_BY_NAME;
  const mapping = (unit: string) => ({
    ...LEAVE_BY_NAME,
    requests: {
      ...requests,
      query: requests.query.replaceAll("l.days", "l.hours"),
      units: { requestedMinutes: unit },
    },
  });
  const { stored } = await imported(files, mapping("hours"));
  expect(stored.requests.map(({ minutes }) => minutes)).toEqual([450]);
  const [mistake] = await refused(files, mapping("minutes"));
  expect(mistake).toContain('requestedMinutes: "07:30" is not a number');
});

test("a number with decimals, in a workbook or JSON, is the same with a decimal comma, also alone in a template", async () => {
  const header = ["workerId", "policyId", "date", "minutes", "note"];
  const rows = [
    ["E1", "PTO", "2025-01-01", 1.125, "number"],
    ["E1", "PTO", "2025-01-02", "1.125", "text with thousands"],
    ["E1", "PTO", "2025-01-03", "1,125", "text"],
  ] as const;
  const json = JSON.stringify(
    rows.map((row) => Object.fromEntries(row.map((cell, at) => [header[at]!, cell]))),
  );
  for (const [name, bytes] of Object.entries({
    "a.xlsx": workbook({ A: [header, ...rows] }),
    "a.json": json,
  }))
    for (const values of [{}, { minutes: "{minutes}" }]) {
      const { stored } = await imported(
        {
          "workers.csv":
            "legacyId,firstName,lastName,email,isBusiness,startDate,status,type\nE1,Ana,Lind,a@example.com,no,2020-01-01,active,employee",
          "policies.csv": "legacyId,name,paid,unit,schedule,timeOffTypeName\nPTO,PTO,yes,day,unlimited,PTO",
          [name]: bytes,
        },
        {
          adjustments: {
            from: name,
            columns: { workerId: "workerId", policyId: "policyId", date: "date", note: "note" },
            values,
            ...("minutes" in values
              ? {}
              : { columns: Object.fromEntries(header.map((column) => [column, column])) }),
            units: { minutes: "hours" },
            decimal: ",",
          },
        },
      );
      expect(stored.adjustments.map(({ note, minutes }) => [note, minutes]).sort()).toEqual([
        ["number", 67.5],
        ["text with thousands", 67_500],
        ["text", 67.5],
      ]);
    }
});

const LEAVE_BY_NAME = {
  requests: {
    query:
      "select l.no as legacyId, p.id as workerId, 'PTO' as timeOffPolicyId, l.start as startAt, l.start as endAt, l.start as createdAt, l.days as requestedMinutes, l._file, l._line from leave l join people p on p.name = l.name where l.days > '0'",
    values: { status: "approved" },
    dates: { createdAt: "yyyy-MM-dd" },
    endDay: "included",
    units: { requestedMinutes: "days" },
    decimal: ",",
  },
  workers: {
    query: "select * from people",
    columns: { id: "legacyId", name: "fullName" },
    values: {
      email: "{id}@x.invalid",
      type: "employee",
      status: "active",
      isBusiness: false,
      startDate: "2020-01-01",
    },
  },
  policies: {
    rows: [
      {
        legacyId: "PTO",
        name: "PTO",
        paid: true,
        unit: "day",
        schedule: "unlimited",
        timeOffTypeName: "PTO",
      },
    ],
  },
  assignments: { query: "select id as workerId, 'PTO' as policyId, '2020-01-01' as startsOn from people" },
};

const LEAVE_HEADER = ["no", "name", "start", "days"];
const PEOPLE_CSV = "id,name\nE1,Ana Lind";

// A cell that shows 80 % has 0.8.
test("a number that is shown in percent is read as percent", async () => {
  const share = (serial: number, as: "percent" | "decimalPercent" = "percent") => ({ serial, as });
  const { stored } = await imported(
    {
      "hr.xlsx": workbook({
        People: [
          ["id", "name", "fte"],
          ["E1", "Ana Lind", share(0.8)],
          ["E2", "Bo Ek", share(0.575, "decimalPercent")],
        ],
      }),
    },
    {
      workers: { ...LEAVE_BY_NAME.workers, columns: { id: "legacyId", name: "fullName", fte: "position" } },
      tables: { people: { from: "hr.xlsx", sheet: "People" } },
    },
  );
  expect(stored.workers.map(({ doc }) => JSON.parse(doc).position).toSorted()).toEqual(["57.5%", "80%"]);
  // Beside days without an amount, half a day in percent asks, as it does in a text file.
  const draft = await draftText({
    "hr.xlsx": workbook({
      People: PEOPLE.slice(3, 5),
      Leave: [
        ["PersNr", "Art", "Datum", "Anteil", "Genehmigt?"],
        ["007", "Urlaub", day(45_658), share(1), "genehmigt"],
        ["007", "Urlaub", day(45_659), share(0.5), "genehmigt"],
      ],
    }),
  });
  expect(draft).toContain('? hoursPerDay: "Anteil": parts of days would be counted as whole ones');
});

// Excel writes `0.0 "h"` for numbers that people enter as hours: the cell has 7.5, and shows 7.5 h.
test("a number whose format names a unit is read in it, directly and by a query", async () => {
  const unit = (serial: number, as: "hours" | "days") => ({ serial, as });
  const filesOf = (...amounts: WorkbookCell[]) => ({
    "Export.xlsx": workbook({
      People: PEOPLE.slice(3, 5),
      Leave: [
        LEAVE[1]!.map((name) => (name === "Arbeitstage" ? "Umfang" : name)),
        ...amounts.map((amount, at) => [
          "007",
          "Urlaub",
          day(45_658 + at),
          day(45_658 + at),
          amount,
          "genehmigt",
          asked,
        ]),
      ],
    }),
  });
  const minutes = async (files: ReturnType<typeof filesOf>, answers = {}) => {
    const { draft, stored } = await importedDraft(files, answers);
    return [draft, stored.requests.map(({ doc }) => JSON.parse(doc).requestedMinutes).sort()];
  };
  const [hours, ofHours] = await minutes(filesOf(unit(7.5, "hours"), unit(8, "hours")));
  expect(hours).toContain('"units": { "requestedMinutes": "hours" }');
  expect(ofHours).toEqual([450, 480]);
  const [both, ofBoth] = await minutes(filesOf(unit(7.125, "hours"), unit(1, "days")), {
    "requests.hoursPerDay": 7,
  });
  expect(both).toContain("// ? hoursPerDay: how many hours are a day?");
  expect(ofBoth).toEqual([420, 427.5]);
  // Beside a number without a unit, and under a header that says another, it asks.
  const plain = await draftText(filesOf(unit(7.5, "hours"), 1));
  expect(plain).toContain('"units": { "requestedMinutes": "?" }');
  const other = await draftText({
    "Export.xlsx": workbook({
      People: PEOPLE.slice(3, 5),
      Leave: [LEAVE[1]!, ["007", "Urlaub", day(45_658), day(45_658), unit(8, "hours"), "genehmigt", asked]],
    }),
  });
  expect(other).toContain('// ? units: what is "Arbeitstage" counted in');

  const queried = await imported(filesOf(unit(7.125, "hours"), unit(1.125, "days"), "7,5"), {
    tables: { leave: { from: "Export.xlsx", sheet: "Leave" } },
    policies: {
      rows: [
        {
          legacyId: "U",
          name: "U",
          paid: true,
          unit: "day",
          schedule: "unlimited",
          timeOffTypeName: "U",
        },
      ],
    },
    workers: {
      from: "Export.xlsx",
      sheet: "People",
      columns: { "Pers.-Nr.": "legacyId", Nachname: "lastName", Vorname: "firstName", Eintritt: "startDate" },
      values: { email: "e@example.com", type: "employee", isBusiness: false },
      ignore: "*",
    },
    requests: {
      query: `select Von || 'x' as legacyId, '007' as workerId, 'U' as timeOffPolicyId, Von as startAt, Bis as endAt, Von as createdAt,
        Umfang as requestedMinutes, 'approved' as status from leave`,
      dates: "yyyy-MM-dd",
      endDay: "included",
      units: { requestedMinutes: "hours" },
      decimal: ",",
    },
  });
  expect(queried.stored.requests.map(({ doc }) => JSON.parse(doc).requestedMinutes).sort()).toEqual([
    427.5, 450, 540,
  ]);
});

test("a query reads numbers of a workbook as numbers, and text beside them with a decimal comma", async () => {
  const rows = [
    ["R1", "Ana Lind", "2025-03-03", 1.125],
    ["R2", "Ana Lind", "2025-03-04", "1,125"],
    ["R3", "Ana Lind", "2025-03-05", 0.5],
    ["R4", "Ana Lind", "2025-03-06", 2],
    ["R5", "Ana Lind", "2025-03-07", "1.250,0"],
  ] as const;
  for (const leave of [
    { "leave.xlsx": workbook({ A: [LEAVE_HEADER, ...rows] }) },
    {
      "leave.json": JSON.stringify(
        rows.map((row) => Object.fromEntries(row.map((cell, at) => [LEAVE_HEADER[at]!, cell]))),
      ),
    },
  ]) {
    const { stored } = await imported({ "people.csv": PEOPLE_CSV, ...leave }, LEAVE_BY_NAME);
    expect(stored.requests.map(({ legacyId, minutes }) => [legacyId, minutes]).sort()).toEqual([
      ["R1", 540],
      ["R2", 540],
      ["R3", 240],
      ["R4", 960],
      ["R5", 600_000],
    ]);
  }
});

test("what a query computes of a workbook's numbers is a number; a text that is one elsewhere is refused", async () => {
  const rows = [
    ["R1", "Ana Lind", "2025-03-03", 1.125],
    ["R2", "Ana Lind", "2025-03-04", "1.125"],
    ["R3", "Ana Lind", "2025-03-05", 1.5],
  ];
  const files = { "people.csv": PEOPLE_CSV, "leave.xlsx": workbook({ A: [LEAVE_HEADER, ...rows] }) };
  expect(await refused(files, LEAVE_BY_NAME)).toEqual(
    [2, 3].map((line) =>
      expect.stringContaining(
        `leave.xlsx:${line}: requestedMinutes: "1.125" may come from a number or from text`,
      ),
    ),
  );
  const { requests } = LEAVE_BY_NAME;
  const doubled = { ...requests, query: requests.query.replace("l.days as", "l.days * 2 as") };
  const { stored } = await imported(files, { ...LEAVE_BY_NAME, requests: doubled });
  expect(stored.requests.map(({ minutes }) => minutes).sort()).toEqual([1080, 1080, 1440]);
});

test("with a decimal comma, a number and its unit in another column are joined as 1,125 Tage", async () => {
  const leave = [
    ["no", "name", "start", "days", "unit"],
    ["R1", "Ana Lind", "2025-03-03", 1.125, "Tage"],
    ["R2", "Ana Lind", "2025-03-04", 0.5, "Tage"],
    ["R3", "Ana Lind", "2025-03-05", "1,125", "Tage"],
    ["R4", "Ana Lind", "2025-03-06", 1, "Tag"],
  ];
  const [header, ...rows] = leave;
  const objects = rows.map((row) => Object.fromEntries(row.map((cell, at) => [header![at], cell])));
  const { requests } = LEAVE_BY_NAME;
  const joined = { ...requests, values: { ...requests.values, requestedMinutes: "{amount} {unit}" } };
  const query = requests.query.replace("l.days as requestedMinutes", "l.days as amount, l.unit");
  const inSql = requests.query.replace("l.days as", "l.days || ' ' || l.unit as");
  for (const file of [{ "leave.xlsx": workbook({ A: leave }) }, { "leave.json": JSON.stringify(objects) }]) {
    const files = { "people.csv": PEOPLE_CSV, ...file };
    const mapping = { ...LEAVE_BY_NAME, requests: { ...joined, query } };
    const { stored } = await imported(files, mapping);
    expect(stored.requests.map(({ legacyId, minutes }) => [legacyId, minutes]).sort()).toEqual([
      ["R1", 540],
      ["R2", 240],
      ["R3", 540],
      ["R4", 480],
    ]);
    // In SQL, both are text: 1.125 Tage could be 1125.
    const [mistake] = await refused(files, { ...mapping, requests: { ...requests, query: inSql } });
    expect(mistake).toContain('requestedMinutes: "1.125 Tage" may come from a number or from text');
  }
});

const MERGED = workbook(
  {
    A: [
      ["Staff"],
      ["id", "first", "last", "hired", "dept", "remark"],
      ["E1", "Ana", "Lind", day(43_922), "Sales", "good"],
      ["E2", "Bo", "Ek", day(43_922), null, null],
      ["E3", "Cy", "Ode", day(43_922), null, null],
      ["Berlin", null, null, null, null, null],
      ["E4", "Di", "Ash", day(43_922), "IT", null],
      ["E5", "Ed", "Oak", day(43_922), null, null],
    ],
  },
  // A title, a row that is skipped, a department over three rows (one of them skipped) and over two, a remark that is not read.
  { A: ["A1:F1", "A6:F6", "E3:E6", "E7:E8", "F3:F5"] },
);

const STAFF_SOURCE = {
  columns: { id: "legacyId", first: "firstName", last: "lastName", hired: "startDate", dept: "department" },
  values: { email: "{id}@x.invalid", type: "employee", status: "active", isBusiness: false },
};

test("a workbook in which cells of several rows are merged is reported: only the first has the value", async () => {
  const skip = { id: "Berlin" };
  const table = { staff: { from: "staff.xlsx", skipLines: 1, skip } };
  for (const source of [
    { from: "staff.xlsx", skipLines: 1, skip, ignore: "*", ...STAFF_SOURCE },
    { tables: table, query: "select id, first, last, hired, dept, _file, _line from staff", ...STAFF_SOURCE },
    { tables: table, query: "select * from staff", ignore: "*", ...STAFF_SOURCE },
  ]) {
    const { report, stored } = await imported({ "staff.xlsx": MERGED }, { workers: source });
    expect(stored.workers).toHaveLength(5);
    const found = report.findings.find(({ code }) => code === "merged-cells");
    expect(found?.examples).toEqual(["staff.xlsx"]);
    expect(found?.count).toBe(3);
  }
});

test("merged cells of a header, as above the columns of a group, are not told", async () => {
  const sheet = [
    ["Staff"],
    ["id", "Name", null, "Work", null],
    [null, "first", "last", "hired", "dept"],
    ["E1", "Ana", "Lind", day(43_922), "Sales"],
  ];
  const { report, stored } = await imported(
    { "staff.xlsx": workbook({ A: sheet }, { A: ["B1:E1", "A2:A3", "B2:C2", "D2:E2"] }) },
    { workers: { from: "staff.xlsx", skipLines: 1, headerRows: 2, ...STAFF_SOURCE } },
  );
  expect(stored.workers).toHaveLength(1);
  expect(report.findings.map(({ code }) => code)).not.toContain("merged-cells");
});

test("the same mistake in two sheets is told of each, and a date is no whole name", async () => {
  const header = ["ID", "Name", "Mail", "Hired"];
  const source = (sheet: string) => ({
    from: "staff.xlsx",
    sheet,
    columns: { ID: "legacyId", Name: "fullName", Mail: "email", Hired: "startDate" },
    values: { type: "employee", status: "active", isBusiness: false },
  });
  const people = (id: string) => [header, [id, day(43_922), "a@example.com", day(43_922)]];
  const findings = await refused(
    { "staff.xlsx": workbook({ North: people("E1"), South: people("E2") }) },
    { workers: [source("North"), source("South")] },
  );
  expect(findings.map((one) => one.slice(0, one.indexOf(":2: ")))).toEqual(
    expect.arrayContaining(['staff.xlsx, sheet "North"', 'staff.xlsx, sheet "South"']),
  );
  expect(findings.join("\n")).toContain('"2020-04-01" is a single name, without first and last name');
});

test("a query over two sheets of one workbook tells in which of them a bad row is", async () => {
  const header = ["ID", "First", "Last", "Mail", "Hired"];
  const people = (id: string) => [header, [id, "Ana", "Lind", `${id} at example.com`, day(43_922)]];
  const table = (sheet: string) => ({ from: "staff.xlsx", sheet });
  const rows = (name: string) =>
    `select ID as legacyId, First as firstName, Last as lastName, Mail as email, Hired as startDate, _file, _line from ${name}`;
  const findings = await refused(
    { "staff.xlsx": workbook({ North: people("E1"), South: people("E2") }) },
    {
      tables: { north: table("North"), south: table("South") },
      workers: {
        query: `${rows("north")} union all ${rows("south")}`,
        values: { type: "employee", status: "active", isBusiness: false },
      },
    },
  );
  expect(findings).toEqual([
    expect.stringMatching(/^staff\.xlsx, sheet "North":2: email: "E1 at example\.com"/),
    expect.stringMatching(/^staff\.xlsx, sheet "South":2: email: "E2 at example\.com"/),
  ]);
});

test("a draft for a workbook that names people by their names puts ids beside them, and reads its dates as a query has them", async () => {
  const book = workbook({
    Salariés: [
      ["Matricule", "Nom", "Prénom", "Date d'entrée", "Date de sortie", "Situation", "Responsable"],
      ["M1", "Lefèvre", "Anaïs", day(43_922), null, "Présent", null],
      ["M2", "Dupont", "Zoé", "06/01/2020", day(47_000), "En préavis", "Anaïs Lefèvre"],
      ["M3", "Nguyễn", "Linh", day(44_683), null, "Présent", "Lefèvre, Anaïs"],
      ["Total", 3],
    ],
    Congés: [
      [
        "Collaborateur",
        "Type d'absence",
        "Date de début",
        "Date de fin",
        "Nombre de jours",
        "Statut",
        "Demandé le",
      ],
      ["Dupont, Zoé", "RTT", day(45_658), "03/01/2025", "2,5", "Validé", asked],
      ["Zoé Dupont", "RTT", day(45_670), day(45_670), 1, "En attente", asked],
      ["Linh Nguyễn", "RTT", day(45_671), day(45_671), 1, "Validé", asked],
      ["Total", null, null, null, 4.5],
    ],
  });
  const files = { "Export RH.xlsx": book };
  const { stored } = await importedDraft(files, {
    "workers.dates.startDate": ["yyyy-MM-dd", "dd/MM/yyyy"],
    "assignments.dates": ["yyyy-MM-dd", "dd/MM/yyyy"],
    "requests.dates.endAt": ["yyyy-MM-dd", "dd/MM/yyyy"],
  });
  const workers = stored.workers.map(({ doc }) => JSON.parse(doc));
  const idOf = (legacyId: string) => workers.find((one) => one.legacyId === legacyId).id;
  expect(
    workers
      .map(({ legacyId, startDate, endDate, status, managerId }) => [
        legacyId,
        startDate,
        endDate,
        status,
        managerId,
      ])
      .toSorted(),
  ).toEqual([
    ["M1", "2020-04-01", null, "active", null],
    ["M2", "2020-01-06", "2028-09-04", "offboarding", idOf("M1")],
    ["M3", "2022-05-02", null, "active", idOf("M1")],
  ]);
  expect(
    stored.requests
      .map(({ doc }) => JSON.parse(doc))
      .map(({ workerId, startAt, endAt, requestedMinutes, createdAt }) => [
        workerId,
        startAt.slice(0, 10),
        endAt.slice(0, 10),
        requestedMinutes,
        createdAt,
      ])
      .toSorted((a, b) => (a[1] < b[1] ? -1 : 1)),
  ).toEqual([
    [idOf("M2"), "2025-01-01", "2025-01-04", 1200, "2024-11-04T12:00:00.000Z"],
    [idOf("M2"), "2025-01-13", "2025-01-14", 480, "2024-11-04T12:00:00.000Z"],
    [idOf("M3"), "2025-01-14", "2025-01-15", 480, "2024-11-04T12:00:00.000Z"],
  ]);
});

test("a mapping that looks for the header in the titles of a sheet is told on which line it is", async () => {
  const files = { "Export.xlsx": workbook({ Deckblatt: [["Auswertung"]], Mitarbeiter: PEOPLE }) };
  const columns = { "Pers.-Nr.": "legacyId", Nachname: "lastName", Vorname: "firstName" };
  const mapping = { workers: { from: "Export.xlsx", sheet: "Mitarbeiter", columns, ignore: "*" } };
  expect(await refused(files, JSON.stringify(mapping))).toEqual([
    'Export.xlsx:1: the header seems to be another: say "skipLines": 3 for workers in map.json',
  ]);
});

test("cells beyond the header of a sheet are told once for each column, with what to do", async () => {
  const rows = Array.from({ length: 9 }, (_, at) => [`P${at}`, `name ${at}`, "x"]);
  const files = { "Export.xlsx": workbook({ People: [["Report"], ["id", "name", null], ...rows] }) };
  const mapping = { workers: { query: "select * from export" } };
  const [finding] = await refused(files, mapping);
  expect(finding).toBe(
    'Export.xlsx:2: has something in column 2, which has no name in the header: name it, or say with "skipLines" where the header is (10 rows)',
  );
});

test("a workbook of very many sheets is told, and not read at length", async () => {
  const sheet = [
    ["legacyId", "firstName", "lastName", "email", "startDate", "status", "type", "isBusiness"],
    ["E1", "Ana", "Lind", "ana@example.com", "2020-01-01", "active", "employee", "no"],
  ];
  const file = workbook(Object.fromEntries(Array.from({ length: 102 }, (_, at) => [`S${at}`, sheet])));
  const { questions } = await draftOf({ "people.xlsx": file });
  expect(questions.join()).toContain("people.xlsx: has 102 sheets, and a draft looks at 100 at most");
  const { report } = await imported(
    { "people.xlsx": file },
    {
      workers: {
        from: "people.xlsx",
        columns: Object.fromEntries(sheet[0]!.map((name) => [name, name])),
      },
    },
  );
  const unread = report.findings.find(({ code }) => code === "unread-sheet");
  expect([unread?.count, unread?.examples[0]]).toEqual([
    100,
    "people.xlsx: those after the first 100, perhaps",
  ]);
});

test("a sheet that cannot be read asks for a place beside those that can, unless it is empty", async () => {
  const long = [["Note"], [`inline:${"x".repeat(1_100_000)}`]];
  const { questions, text } = await draftOf({
    "Export.xlsx": workbook({ Leave: long, Chart: [], Staff: STAFF }),
  });
  expect(text).toContain('"workers": {');
  expect(questions.join()).toContain(
    'Export.xlsx, sheet "Leave": is a workbook with more than 1 MB between two tags',
  );
  expect(questions.join()).not.toContain("Chart");
});

test("two tables beside each other in one sheet are asked about", async () => {
  const leave: WorkbookCell[][] = [
    ["Pers.-Nr.", "Art", "Von", "Bis", null, "Mitarbeiter", "Tage"],
    ["007", "Urlaub", "13.01.2025", "14.01.2025", null, "008", 20],
    ["008", "Urlaub", "15.01.2025", "15.01.2025", null, "007", 18],
  ];
  const draft = await draftText({ "Export.xlsx": workbook({ Personal: PEOPLE, Urlaub: leave }) });
  expect(draft).toMatch(/"Export.xlsx.*Urlaub.*: Mitarbeiter, Tage": "an empty column is before these\./);
});

// One source has days or times: with endDay, the times were refused, and without it the days.
test("a sheet of days beside one of times is asked about, and each is read by a source of its own", async () => {
  const header = ["ID", "Employee", "Type", "From", "To", "Days", "Status"];
  const row = (id: string, person: string, from: WorkbookCell, to: WorkbookCell, days: number) => [
    ...[id, person, "PTO", from, to, days, "approved"],
  ];
  const time = (serial: number) => ({ serial, as: "dateTime" as const });
  const files = {
    "people.csv":
      "Employee,First name,Last name,Email,Hire date\nE1,Ana,Lind,a@example.com,2020-01-01\nE2,Bo,Ek,b@example.com,2021-01-01\n",
    "leave.xlsx": workbook({
      "2025": [header, row("1", "E1", day(45692), day(45692), 1), row("2", "E2", day(45692), day(45693), 2)],
      "2026": [header, row("3", "E1", time(46055.375), time(46055.5), 0.5)],
    }),
  };
  const { text, questions } = await draftOf(files);
  expect(questions.join()).toContain('leave.xlsx, sheet "2026": more requests?');
  const { "?": _, ...mapping } = parse(asPaidLeave(text));
  const { endDay, ...ofTimes } = mapping.requests;
  const requests = [mapping.requests, { ...ofTimes, sheet: "2026" }];
  const { stored } = await imported(files, { ...mapping, requests });
  expect(stored.requests.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc).endAt]).sort()).toEqual([
    ["1", "2025-02-05T00:00:00.000Z"],
    ["2", "2025-02-06T00:00:00.000Z"],
    ["3", "2026-02-02T12:00:00.000Z"],
  ]);
});

test("a sheet that is still empty is read with those of its columns, also where leave ends at times", async () => {
  const header = ["ID", "Employee", "Type", "From", "To", "Days", "Status"];
  const time = (serial: number) => ({ serial, as: "dateTime" as const });
  const { text } = await draftOf({
    "people.csv":
      "Employee,First name,Last name,Email,Hire date\nE1,Ana,Lind,a@example.com,2020-01-01\nE2,Bo,Ek,b@example.com,2021-01-01\n",
    "leave.xlsx": workbook({
      "2025": [header, ["1", "E1", "PTO", time(45692.375), time(45692.5), 0.5, "approved"]],
      "2026": [header],
    }),
  });
  expect(parse(text).requests.sheet).toEqual(["2025", "2026"]);
});
