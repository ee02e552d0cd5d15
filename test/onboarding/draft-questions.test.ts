// What a draft cannot place, or could take for two things, is a question; nothing of it is lost in silence.
import { describe, expect, test } from "bun:test";
import { parse } from "jsonc-parser";
import { formatDay } from "../../src/time/day.ts";
import { rollcallHere } from "../cli/command.ts";
import { imported, refused } from "../import/convert/mapped.ts";
import { folderOf } from "../support/import-files.ts";
import { workbook } from "../support/workbook.ts";
import { asPaidLeave, draftOf, importedDraft } from "./draft-folders.ts";

const PEOPLE =
  "employee_id,first_name,last_name,email,hire_date\nE1,Ana,Lind,a@example.com,2020-01-01\nE2,Bo,Ek,b@example.com,2021-01-01\n";

// "approved" before the Portuguese "até" would be "approve date".
test.each(["Finish date", "To"])("leave ends on its %s, not on the day of its approval", async (end) => {
  const { text } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv": `Employee,Start date,${end},Leave type,Hours,Status,Approve date,Submit date
E1,2026-02-10,2026-02-11,Annual,16,approved,2026-02-13,2026-02-03
E2,2026-02-12,2026-02-12,Annual,8,approved,2026-02-13,2026-02-11\n`,
  });
  expect(text).toContain(`"${end}": "endAt"`);
  expect(text).toContain("// not used: Approve date");
});

test("a file that is named like people has people, even with little beside their names", async () => {
  const { text } = await draftOf({
    "employees.csv": "emp_id,name,department,rate\n67,Bo Sun,Sales,15000\n14,Al Kim,Sales,40000\n",
  });
  expect(text).toContain('"name": "fullName"');
  expect(text).toContain("startDate is missing");
});

test("a role that says what people may do in the program is no job", async () => {
  const textOf = async (role: string, ...values: string[]) => {
    const rows = values.map((value, at) => `E${at},Ana,Lind,a${at}@example.com,2020-01-01,${value}`);
    const people = `employee_id,first_name,last_name,email,hire_date,${role}\n${rows.join("\n")}\n`;
    return (await draftOf({ "people.csv": people })).text;
  };
  expect(await textOf("Role", "Employee", "Manager", "Administrator")).toContain("// not used: Role");
  expect(await textOf("Role", "Employee", "Welder")).toContain('"Role": "position"');
  expect(await textOf("Job title", "Manager", "Manager")).toContain('"Job title": "position"');
});

test.each([
  [1000, 0, "%Y-%m-%d"],
  [1000, 9.5, "%Y-%m-%dT%H:%M:%SZ"],
  [1, 0, "%Y-%m-%d"],
])(
  "days as %d of a second since 1970, %d hours after midnight, and amounts such as PT6H30M",
  async (perSecond, hours, form) => {
    const at = (day: string) => (Date.parse(day) / 1000 + hours * 3600) * perSecond;
    const people = [
      {
        id: 1583020800000,
        firstName: "Ana",
        lastName: "Lind",
        email: "a@example.com",
        hireDate: at("2020-03-01"),
      },
      {
        id: 1583020800001,
        firstName: "Bo",
        lastName: "Ek",
        email: "b@example.com",
        hireDate: at("2021-06-15"),
      },
    ];
    const leave = people.map(({ id }, row) => ({
      ...{ leaveId: `L${row}`, employeeId: id, leaveType: "Vacation", status: "approved" },
      ...{ startDate: at("2026-01-05"), endDate: at("2026-01-05") + (hours * 3600 + 60) * perSecond * row },
      duration: "PT6H30M",
    }));
    const files = { "people.json": JSON.stringify(people), "leave.json": JSON.stringify(leave) };
    const { text } = await draftOf(files);
    expect(text).toContain(`strftime('${form}', l.\\"hireDate\\" / ${perSecond}.0, 'unixepoch')`);
    expect(text).toContain('"id": "legacyId"');
    expect(text).toContain('"duration": "requestedMinutes"');
  },
);

test("leave that a second column withdraws is asked about, by codes and beside a status that waits, too", async () => {
  const skipOf = async (state: string, other: string, status = "Pending") => {
    const { questions } = await draftOf({
      "people.csv": PEOPLE,
      "leave.csv": `Request ID,Employee,Start date,End date,Leave type,Hours,Approval status,State
1,E1,2026-02-10,2026-02-11,Annual,16,Approved,${other}
2,E2,2026-02-12,2026-02-12,Annual,8,${status},${state}\n`,
    });
    return questions.filter((question) => question.startsWith("requests: skip")).join();
  };
  const asked = (state: string) => `"${state}" in "State" cancelled`;
  expect(await skipOf("ORA_WITHDRAWN", "SUBMITTED")).toContain(asked("ORA_WITHDRAWN"));
  expect(await skipOf("Withdrawn", "Submitted")).toContain(asked("Withdrawn"));
  expect(await skipOf("Withdrawn", "Submitted", "Rejected")).not.toContain("Withdrawn");
  expect(await skipOf("Pending", "Approved")).toBe("");
});

test("names in Japanese letters need no question: the family name comes first", async () => {
  const { questions, text } = await draftOf({
    "社員.csv":
      "社員番号,氏名,メールアドレス,入社日\n1,佐藤 花子,h@x.jp,2020-04-01\n2,田中 健一,k@x.jp,2021-04-01\n",
  });
  expect(questions).toEqual([]);
  expect(text).toContain('"氏名": "fullName"');
});

test("public holidays are drafted, and it asks whose they are, and which are no days off", async () => {
  const { text, questions } = await draftOf({
    "people.csv": PEOPLE,
    "public_holidays.csv":
      "Date,Day,Holiday,Type\n2026-01-01,Thursday,New Year,National\n2026-03-04,Wednesday,Holi,Optional\n2026-08-15,Saturday,Independence Day,National\n",
  });
  expect(text).toContain('"columns": { "Date": "date", "Holiday": "name" }');
  expect(questions).toEqual([
    'public_holidays.csv: who has these days off? Name their calendar in workplaces: "workplaces": { "rows": [{"legacyId":"Berlin","name":"Berlin","holidayCalendar":"Berlin"}] } (docs/importing.md, workplaces)',
    'holidays: values: calendar: whose holidays are these? Write a name for their calendar, such as "Berlin"',
    'holidays: skip: which of "National", "Optional" in "Type" are no days off for everybody with the calendar? List them in place of "?", or remove the line',
  ]);
});

const START = '"columns": { "start": "date", "name": "name" }';
// The library date-holidays writes these (its README, getHolidays); people copy their days without `date`, or without times.
test.each([
  [
    { date: "2026-01-01 00:00:00", start: "2026-01-01T05:00:00.000Z", end: "2026-01-02T05:00:00.000Z" },
    '"columns": { "date": "?", "name": "name", "start": "?" }', // which is the day off?
  ],
  [{ start: "2026-01-01", end: "2026-01-01" }, START],
  [{ start: "2026-01-01", end: "2026-01-02" }, START],
  [{ start: "2026-01-01T00:00:00.000Z", end: "2026-01-02T00:00:00.000Z" }, START],
])("holidays that have a start and an end: %j", async (newYear, columns) => {
  const later = JSON.parse(JSON.stringify(newYear).replaceAll("-01-", "-08-").replaceAll("08-0", "08-1"));
  const holidays = [
    { ...newYear, name: "New Year's Day", type: "public" },
    { ...later, name: "Founding Day", type: "observance" },
  ];
  const { text, questions } = await draftOf({
    "people.csv": PEOPLE,
    "holidays.json": JSON.stringify(holidays),
  });
  expect(text).toContain(columns);
  expect(text).not.toContain('"requests"');
  expect(questions.join()).toContain("holidays: values: calendar: whose holidays are these?");
});

test("what is called holidays, and has people who take some, is leave", async () => {
  const rows = ["03", "04", "05"].map(
    (day, at) => `${at % 2 === 0 ? "Ana Lind" : "Bo Ek"},2026-03-${day},2026-03-${day},Annual`,
  );
  const { text } = await draftOf({
    "people.csv": PEOPLE,
    "holidays.csv": `Name,Start,End,Type\n${rows.join("\n")}\n`,
  });
  expect(text).toContain('"requests"');
  expect(text).not.toContain('"calendar"');
});

// Sesame HR's days off have `seconds`, and Tempo's and QuickBooks Time's amounts are seconds, too.
test("seconds are an amount, and are not left out for whole days; void leave is left out", async () => {
  const { text, questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv": `id,employee_id,type,start_date,end_date,seconds,status,is_void
1,E1,Annual,2026-03-02,2026-03-02,14400,approved,false
2,E2,Annual,2026-03-09,2026-03-10,57600,approved,false
3,E2,Annual,2026-03-16,2026-03-16,28800,approved,true\n`,
  });
  expect(text).toContain('"seconds": "requestedMinutes"');
  expect(questions.join()).toContain("divide seconds by 60 in a query");
  expect(text).toContain('"skip": { "is_void": ["true"] }');
});

// Bob's changes of time off (https://apidocs.hibob.com/docs/explore-time-off-api): `type` is the unit, and `totalCost` has no weekends.
test("a column of units is no kind of leave, and of two totals the amount is asked", async () => {
  const { text, questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv": `requestId,employeeId,policyTypeDisplayName,type,startDate,endDate,status,totalDuration,totalCost
1,E1,Holiday,days,2026-03-06,2026-03-10,approved,5,3
2,E2,Holiday,days,2026-04-01,2026-04-02,approved,2,2\n`,
  });
  expect(text).toContain('"policyTypeDisplayName": "timeOffPolicyId"');
  expect(questions.join()).toContain('which of "totalDuration", "totalCost" is the amount?');
});

// Calamari's absences (https://calamari.io/api-doc): the amount of the first day is not that of the leave.
test("the amount of a first or last day is not the amount of the leave", async () => {
  const { text, questions } = await draftOf({
    "people.csv": PEOPLE,
    "absences.csv": `id,employeeId,absenceTypeName,from,to,entitlementAmount,entitlementAmountUnit,amountFirstDay,amountLastDay,status
1,E1,Annual,2026-03-02,2026-03-04,3,DAYS,1,1,ACCEPTED
2,E2,Annual,2026-03-09,2026-03-10,1.5,DAYS,1,0.5,PENDING\n`,
  });
  expect(text).not.toContain('"requestedMinutes"');
  expect(questions.join()).toContain('"amountLastDay": parts of days would be counted as whole ones');
});

test("holidays of regions have their calendars, and it asks which of two days is off", async () => {
  const { text, questions } = await draftOf({
    "holidays.csv":
      "date,name,federal,observedDate,province\n2026-01-01,New Year,1,2026-01-01,AB\n2026-03-17,Saint Patrick,0,2026-03-16,NL\n2026-01-01,New Year,1,2026-01-01,NL\n",
  });
  expect(text).toContain('"date": "?",');
  expect(text).toContain('"province": "calendar"');
  expect(questions.join("\n")).toContain(
    '"date" and "observedDate" differ: which is the day off? Write "date" beside it',
  );
  expect(questions.join("\n")).toContain('skip: which of "1", "0" in "federal" are no days off');
});

test("amounts of both signs from a first to a last day may be leave, and it asks", async () => {
  const { questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv":
      "id,employee_id,leave_type,start_date,end_date,days,status\nR1,E1,Annual,2026-01-05,2026-01-09,5,approved\nR2,E2,Annual,2026-02-02,2026-02-06,5,approved\nR3,E1,Annual,2026-01-05,2026-01-09,-1,approved\n",
  });
  expect(questions.join("\n")).toContain('negate: is "days" what people got, or leave that they took?');
});

test("names in katakana may be foreigners', with the family name last, and it asks", async () => {
  const { questions } = await draftOf({
    "社員.csv": "社員番号,氏名,メールアドレス,入社日\n1,ジョン スミス,j@x.jp,2020-04-01\n",
  });
  expect(questions.join("\n")).toContain('"氏名" seems to have the last name first');
});

test("days of people are no holidays, whatever their file is called", async () => {
  const { text } = await draftOf({
    "holidays.csv":
      "Name,Date,Hours\nAna Sol,2026-03-02,8\nBo Ek,2026-03-02,8\nAna Sol,2026-03-03,8\nBo Ek,2026-03-03,8\n",
  });
  expect(text).not.toContain('"calendar"');
});

test("a file of leave that is called holidays is leave", async () => {
  const { text } = await draftOf({
    "people.csv": PEOPLE,
    "holidays.csv":
      "Employee,Holiday type,From,To,Days,Status\nE1,Annual,2026-02-02,2026-02-03,2,approved\nE2,Annual,2026-02-02,2026-02-03,2,approved\n",
  });
  expect(text).toContain('"To": "endAt"');
  expect(text).not.toContain('"calendar"');
});

describe("what has no place in a draft", () => {
  test("is a question, and the mapping is refused until it is answered", async () => {
    const leave = (id: string) =>
      `id,employee_id,leave_type,start_date,end_date,days,status\n${id},E1,Annual,2026-09-14,2026-09-14,1,approved\n`;
    const files = {
      "people.csv": PEOPLE,
      "leave.csv": leave("R1"),
      "leave old.csv": leave("R2")
        .replace("days,status", "days,status,comment")
        .replace("approved", "approved,x"),
    };
    const { text, questions } = await draftOf(files);
    expect(questions.join("\n")).toContain("leave.csv: more requests? (id, employee_id");
    expect((await refused(files, text)).join("\n")).toContain(
      '"?": leave.csv has no place yet: map it or remove it',
    );
  });

  test("is a question where the file is named like people, leave or balances, and a comment where it is not", async () => {
    const files = {
      "people.csv": PEOPLE,
      "leave codes.csv": "code,text\nA,Annual\n",
      "colours.csv": "colour,text\nA,Red\n",
    };
    const { text, questions } = await draftOf(files);
    expect(questions.join("\n")).toContain("leave codes.csv: it is not clear what its rows are");
    expect(questions.join("\n")).not.toContain("colours");
    expect(text).toContain("// colours.csv: it is not clear what its rows are");
  });

  test("is a question where its rows have days or somebody's address", async () => {
    const { questions } = await draftOf({
      "people.csv": PEOPLE,
      "extract 7.csv": "who,x\na@example.com,3\nb@example.com,4\n",
      "extract 8.csv": "when,x\n2026-03-01,3\n2026-03-02,4\n",
      "extract 9.csv": "code,x\nA,3\nB,4\n",
    });
    const asked = questions.filter((question) => question.includes("it is not clear what its rows are"));
    expect(asked).toEqual([
      "extract 7.csv: it is not clear what its rows are (who, x)",
      "extract 8.csv: it is not clear what its rows are (when, x)",
    ]);
  });

  test("is a question where it is called departments and has other headers", async () => {
    const { questions } = await draftOf({ "people.csv": PEOPLE, "departments.csv": "code,text\nA,Sales\n" });
    expect(questions.join("\n")).toContain("departments.csv: it is not clear what its rows are");
  });

  // pandas (`orient="split"`), Google Sheets, Metabase and BigQuery write rows so.
  test("is a question where the rows of JSON are lists", async () => {
    const columns = ["id", "employee_id", "start_date", "end_date", "days"];
    const rows = [["R1", "E1", "2026-09-14", "2026-09-14", 1]];
    for (const leave of [
      [columns, ...rows],
      { columns, index: [0], data: rows },
      { values: [columns, ...rows] },
    ]) {
      const { questions } = await draftOf({ "people.csv": PEOPLE, "leave.json": JSON.stringify(leave) });
      expect(questions.join("\n")).toContain("leave.json: its rows are lists without names: save it as CSV");
    }
  });

  test("is a question where it cannot be read", async () => {
    const { questions } = await draftOf({ "people.csv": PEOPLE, "leave.xlsx": "no workbook" });
    expect(questions.join("\n")).toContain("leave.xlsx: is ");
  });

  test("ends the command with an error where it is all", async () => {
    const folder = folderOf({ "colours.csv": "code,text\nA,Red\n" });
    const { exitCode, stderr } = await rollcallHere(folder, ["map", "init", folder, "--out", "m.json"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("was recognised as people, leave or balances, so there is no draft");
    expect(stderr).toContain("colours.csv: it is not clear what its rows are");
  });

  test("tells what to do where no file has a known ending", async () => {
    const folder = folderOf({ "people.txt": PEOPLE });
    const { exitCode, stderr } = await rollcallHere(folder, ["map", "init", folder]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("rename a table of text, such as .txt, to end in .csv, .tsv, .json");
  });
});

describe("amounts of a file that is called balances", () => {
  const asked = async (name: string, header: string) =>
    (
      await draftOf({
        "people.csv": PEOPLE,
        [name]: `employee_id,leave_type,${header}\nE1,Annual,12\nE2,Annual,20\n`,
      })
    ).questions.join("\n");

  test("may be what is left or what was added, which is asked", async () => {
    expect(await asked("leave_balances.csv", "days")).toContain(
      'is "days" what was left, or what was added?',
    );
    expect(await asked("remaining.csv", "amount")).toContain('is "amount" what was left, or what was added?');
  });

  test("are what is left, where their column says so", async () => {
    const question = await asked("leave_balances.csv", "days left");
    expect(question).toContain("on which day were these the amounts?");
    // Horilla takes leave off when it is approved (LeaveRequest), Jorani with all of its period (getLeaveBalanceForEmployee).
    expect(question).toContain("Is approved leave of later days off them already?");
    expect(await asked("cuti.csv", "sisa_hari")).toContain("openings: values: date");
  });

  test("are what was added in a file of adjustments", async () => {
    const { text } = await draftOf({
      "people.csv": PEOPLE,
      "adjustments.csv": "employee_id,leave_type,date,days\nE1,Annual,2026-01-01,2\n",
    });
    expect(text).toContain('"adjustments": {');
    expect(text).not.toContain('"openings": {');
  });
});

describe("a header of two rows", () => {
  const LEAVE =
    "E1,Ana Lind,2026-03-02,2026-03-06,5,Approved,Annual\nE2,Bo Ek,2026-04-02,2026-04-02,1,Approved,Annual\n";

  test.each([
    ["names of groups and of columns", "Emp ID,Name,Leave,,,Status,Leave type\n,,From,To,Days,,\n"],
    [
      "both full, and a title",
      "Leave 2026,,,,,,\nEmp ID,Person,Leave,Leave,Leave,State,Kind\n,Name,From,To,Days,Status,Leave type\n",
    ],
  ])("has %s", async (_, header) => {
    const { text } = await draftOf({ "people.csv": PEOPLE, "leave.csv": header + LEAVE });
    for (const line of ['"headerRows": 2', '"Emp ID": "workerId"', '"To": "endAt"', '"Status": "status"'])
      expect(text).toContain(line);
  });

  test("gives columns of one name that of their group", async () => {
    const balances =
      "Employee,Employee,Annual leave,Annual leave,Sick leave,Sick leave\nID,Name,Entitled,Remaining,Entitled,Remaining\nE1,Ana Lind,25,12,10,9.5\nE2,Bo Ek,25,20,10,10\n";
    const { text } = await draftOf({ "people.csv": PEOPLE, "balances.csv": balances });
    expect(text).toContain('"minutes": ["{Annual leave Remaining}", "{Sick leave Remaining}"]');
  });

  test("is one row where the second is a record", async () => {
    const { text } = await draftOf({
      "people.csv":
        "Emp ID,First name,Last name,Job title,Status\nAna,Ana,Lind,Chief,active\nBo,Bo,Ek,Cook,active\n",
    });
    expect(text).not.toContain("headerRows");
  });
});

test.each([
  ["Employee ID,PTO,Sick\nE1,20,5\nE2,18.5,5\nSumme,38.5,10", '"Employee ID": ["Summe"]'],
  ["Employee ID,PTO,Sick\nE1,20,5\nE2,18.5,5\n,38.5,10", '"Employee ID": [""]'],
  ["Employee ID,PTO,Sick\nE1,20,5\nE2,18.5,5\n,38.5,11", null],
  [
    "Employee ID,Type,From,To,Days\nE1,PTO,2025-03-03,2025-03-04,2\nE2,PTO,2025-03-05,2025-03-05,1\n,,,,3",
    '"Employee ID": [""]',
  ],
  [
    "Employee ID,Type,From,To,Days\nE1,PTO,2025-03-03,2025-03-04,2\nE2,PTO,2025-03-05,2025-03-05,1\n,,,,4",
    null,
  ],
])("a row of sums is left out, and no other row without a person: %s", async (file, skip) => {
  const name = file.includes("From") ? "leave.csv" : "balances.csv";
  const { text } = await draftOf({ "people.csv": PEOPLE, [name]: `${file}\n` });
  if (skip === null) expect(text).not.toContain('"skip"');
  else expect(text).toContain(`"skip": { ${skip} }`);
});

test("columns after an empty one may be a second table, which is asked", async () => {
  const asked = async (gap: string, cell = "") =>
    (
      await draftOf({
        "people.csv": PEOPLE,
        "leave.csv": `Employee ID,Leave type,From,To,${gap},Worker,Balance,Days
E1,PTO,2025-03-03,2025-03-04,${cell},E1,20,7
E2,PTO,2025-03-05,2025-03-05,,E2,18,8\n`,
      })
    ).text.includes('"leave.csv: Worker, Balance, Days": "an empty column is before these. If they are');
  expect(await asked("")).toBe(true);
  expect(await asked("Note")).toBe(false);
  expect(await asked("", "PTO")).toBe(false); // a column without a name, which is told as such
});

test("numbers beside balances may be balances, which is asked", async () => {
  const balances = "Employee ID,Name,Annual,Sick,Study\nE1,Ana Lind,12,9.5,2\nE2,Bo Ek,20,10,0\n";
  const { questions } = await draftOf({ "people.csv": PEOPLE, "balances.csv": balances });
  expect(questions.join("\n")).toContain('is "Annual", "Study" what is left of another kind of leave?');
});

test("a header alone tells the amounts, which the next export has", async () => {
  const header = "request_id,employee_id,leave_type,start_date,end_date,days,status\n";
  const { text } = await draftOf({ "people.csv": PEOPLE, "leave.csv": header });
  expect(text).toContain('"days": "requestedMinutes"');
});

test("allocations alone are grants, not leave of a year", async () => {
  // Frappe HR's list of allocations, as its desk exports it.
  const files = {
    "Leave Allocation.csv":
      "ID,Employee,Leave Type,From Date,To Date,New Leaves Allocated\nA1,E1,Annual,2026-01-01,2026-12-31,20\nA2,E2,Annual,2026-01-01,2026-12-31,20\n",
  };
  const { text } = await draftOf(files);
  expect(text).toContain('"adjustments": {');
  expect(text).not.toContain('"requests": {');
});

// Exports for statistics have no names, and any file name. A number of weekly hours was taken for an amount of leave.
test.each([
  ["hris_extract.csv", "Worker ID,Hire Date,Termination Date,FTE"],
  ["mitarbeiter.csv", "Personalnummer,Eintrittsdatum,Austrittsdatum,Wochenstunden"],
  ["plantilla.csv", "codigo_empleado,fecha_alta,fecha_baja,jornada"],
  ["karyawan.csv", "id_karyawan,tanggal_masuk,tanggal_keluar,jam"],
])("%s with %s is people: it has first and last days of work", async (name, header) => {
  const { text, questions } = await draftOf({
    [name]: `${header}\n101,2022-03-01,,40\n102,2021-09-15,2026-06-30,24\n`,
  });
  const [id, hired, left] = header.split(",");
  expect(text).toContain(`"columns": { "${id}": "legacyId", "${hired}": "startDate", "${left}": "endDate" }`);
  expect(questions.join()).toStartWith("workers: values: no column looks like names.");
});

test("people without names are people, with a question for their names", async () => {
  const files = { "employees.csv": "employee_id,hire_date\nP1,2022-03-01\n" };
  const { text, questions } = await draftOf(files);
  expect(questions.join()).toContain("no column looks like names");
  expect((await refused(files, text)).join()).toContain('values.firstName: "?" is an unanswered question');
  const named = text
    .replace('"firstName": "?"', '"firstName": "{employee_id}"')
    .replace('"lastName": "?"', '"lastName": "-"');
  expect((await imported(files, named)).stored.workers).toHaveLength(1);
});

test("the last file by name alone is read with take, of sources and of tables", async () => {
  const row = (id: string) => `id,first,last,mail,start\n${id},A,B,${id}@example.com,2020-01-01\n`;
  const files = { "p-2024.csv": row("old"), "p-2025.csv": row("new") };
  const values = { status: "active", type: "employee", isBusiness: "no" };
  const columns = { id: "legacyId", first: "firstName", last: "lastName", mail: "email", start: "startDate" };
  const ids = async (source: object) =>
    (await imported(files, { workers: source })).stored.workers.map(({ legacyId }) => legacyId).sort();
  expect(await ids({ from: "p-*.csv", columns, values })).toEqual(["new", "old"]);
  expect(await ids({ from: "p-*.csv", take: "last", columns, values })).toEqual(["new"]);
  const query = "select id, first, last, mail, start from p";
  expect(await ids({ tables: { p: { from: "p-*.csv", take: "last" } }, query, columns, values })).toEqual([
    "new",
  ]);
  expect(await ids({ tables: { p: "p-*.csv" }, query, columns, values })).toEqual(["new", "old"]);
});

test("ids that make no address get one of their letters, and a unique number of leave is its id", async () => {
  const files = {
    "people.csv": "Emp No,First name,Last name,Hire date\nE 1,Ana,Lind,2020-01-01\nE/2,Bo,Ek,2021-01-01\n",
    "leave.csv":
      "Booking No,Emp No,Leave type,Start date,End date,Days,Status\nB-1,E 1,Annual,2026-01-05,2026-01-06,2,approved\nB-2,E 1,Annual,2026-02-05,2026-02-05,1,approved\n",
  };
  const { stored } = await importedDraft(files);
  expect(stored.workers.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc).email]).sort()).toEqual([
    ["E 1", "452031@no-email.invalid"],
    ["E/2", "452f32@no-email.invalid"],
  ]);
  expect(stored.requests.map(({ legacyId }) => legacyId).sort()).toEqual(["B-1", "B-2"]);
});

test("a number that comes again is no id of leave", async () => {
  const { text } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv":
      "Form No,employee_id,Leave type,Start date,End date,Days,Status\n1,E1,Annual,2026-01-05,2026-01-06,2,approved\n1,E1,Annual,2026-02-05,2026-02-05,1,approved\n",
  });
  expect(text).toContain('"legacyId": "{employee_id}|{Leave type}|{Start date}"');
});

test("an empty sheet is no question", async () => {
  const { questions } = await draftOf({
    "hr.xlsx": workbook({
      People: [
        ["ID", "First name", "Last name", "Hire date"],
        ["1", "A", "B", "2020-01-01"],
      ],
      "Leave 2027": [["ID", "From"]],
    }),
  });
  expect(questions.join()).not.toContain("Leave 2027");
});

describe("the header of a file", () => {
  const row = (id: number) => `E${id},Ann,Ek,e${id}@example.com,2020-01-0${id}`;

  test("is the first line, also where one row has a delimiter too many", async () => {
    const { text } = await draftOf({
      "people.csv": `id,first name,last name,email,hire date,note\n${row(1)},a\n${row(2)},b, c, d, e\n${row(3)},f\n`,
    });
    expect(text).toContain('"id": "legacyId"');
    expect(text).not.toContain("skipLines");
  });

  test("is found where lines end in two ways", async () => {
    const { text } = await draftOf({
      "people.csv": `id,first name,last name,email,hire date\r\n${row(1)}\r\n${row(2)}\n${row(3)}\n${row(4)}\n`,
    });
    expect(text).toContain('"hire date": "startDate"');
    expect(text).not.toContain("skipLines");
  });
});

test("the file with rows is used, not one with a header alone that has more columns", async () => {
  const gone = `${PEOPLE.split("\n")[0]},job title,department\n`;
  const { text } = await draftOf({ "deleted employees.csv": gone, "staff.csv": PEOPLE });
  expect(text).toContain('"from": "staff.csv"');
});

test("managers are found by a name that another column has for each person", async () => {
  const files = {
    "people.csv":
      "employee_id,username,full_name,email,hire_date,manager_username\nE1,ana.l,Ana Lind,a@example.com,2020-01-01,\nE2,bo.e,Bo Ek,b@example.com,2021-01-01,ana.l\n",
  };
  const { text } = await draftOf(files);
  expect(text).toContain('"manager_username" has values of "username"');
  const { stored } = await importedDraft(files);
  const [ana, bo] = stored.workers.toSorted((a, b) => (a.legacyId! < b.legacyId! ? -1 : 1));
  expect(bo!.managerId).toBe(ana!.id);
});

test("one column of names with first and last names has whole names", async () => {
  const { stored } = await importedDraft({
    "colaboradores.csv":
      "código,nome,email,data admissão\n1,Ana Lima,a@example.com,2020-01-01\n2,Rui Costa,r@example.com,2021-01-01\n",
    "empleados.csv": "código,nombres,correo,fecha ingreso\n",
  });
  const names = stored.workers.map(({ doc }) => JSON.parse(doc) as { firstName: string; lastName: string });
  expect(names.map(({ firstName, lastName }) => `${firstName}|${lastName}`).sort()).toEqual([
    "Ana|Lima",
    "Rui|Costa",
  ]);
});

describe("what is asked of balances and ledgers", () => {
  test("is whether rows of taken leave in a ledger are in another file, too", async () => {
    const { text, questions } = await draftOf({
      "people.csv": PEOPLE,
      "leave_transactions.csv":
        "employee_id,leave_type,transaction_date,days,transaction_type\nE1,Annual leave,2026-01-01,20,accrual\nE1,Annual leave,2026-01-01,2,carry_over\nE1,Annual leave,2026-02-02,-3,used\n",
    });
    expect(text).toContain('"transaction_date": "date"');
    expect(text).toContain('"skip": { "transaction_type": ["?"] }');
    expect(questions.join("\n")).toContain(
      'are rows with "used" in "transaction_type" leave that is in another file, too?',
    );
  });

  test("is what amounts beside people are, which are named like leave", async () => {
    const { questions } = await draftOf({
      "people.csv":
        "employee_id,first_name,last_name,email,hire_date,leave_annual,salary\nE1,A,B,a@x.com,2020-01-01,12,900\n",
    });
    expect(questions.join("\n")).toContain("people.csv: leave_annual: what people have left");
    expect(questions.join("\n")).not.toContain("salary");
  });

  test.each(["pl_taken", "Sick Days Used", "CL"])("is what %s beside people is", async (column) => {
    const { questions } = await draftOf({
      "people.csv": `employee_id,first_name,last_name,email,hire_date,${column},score\nE1,A,B,a@x.com,2020-01-01,12,9\n`,
    });
    expect(questions.join("\n")).toContain(`people.csv: ${column}: what people have left`);
  });

  test("leaves out a column of years, and names a column that few people have", async () => {
    const { text, questions } = await draftOf({
      "people.csv": PEOPLE,
      "leave balances.csv":
        "employee_id,AnnualLeave,SickLeave,MaternityLeave,LeaveYear\nE1,12,8,,2026\nE2,10,5,,2026\nE3,9,1,60,2026\n",
    });
    expect(text).toContain('"minutes": ["{AnnualLeave}", "{SickLeave}"]');
    expect(questions.join("\n")).toContain(
      'is "MaternityLeave" what is left of another kind of leave? Then add it to policyId and minutes',
    );
  });

  test("is the type of leave in each of several files without one", async () => {
    const leave = "employee_id,start_date,end_date,status\nE1,2026-01-05,2026-01-05,approved\n";
    const { questions } = await draftOf({
      "people.csv": PEOPLE,
      "sick leave.csv": leave,
      "vacation.csv": leave,
    });
    expect(questions.join("\n")).toContain(
      "or give each of sick leave.csv, vacation.csv a source of its own with its type",
    );
  });
});

test("Latin American exports are read: legajo, fecha desde, estado ausencia", async () => {
  const { text } = await draftOf({
    "colaboradores.csv":
      "Legajo,Apellidos,Nombres,Estado,Fecha ingreso,Fecha cese\n1,Lima,Ana,Activo,01/02/2020,\n2,Paz,Rui,Activo,20/03/2021,\n",
    "vacaciones.csv":
      "Legajo,Apellido y nombre,Estado,Tipo de ausentismo,Fecha desde,Fecha hasta,Cantidad de días,Estado ausencia\n1,Lima Ana,Activo,Vacaciones,05/01/2026,05/01/2026,1,Aprobada\n2,Paz Rui,Activo,Licencia,19/01/2026,20/01/2026,2,Pendiente\n",
  });
  for (const line of [
    '"Fecha cese": "endDate"',
    '"Fecha desde": ["startAt", "createdAt"]',
    '"Cantidad de días": "requestedMinutes"',
    '"Estado ausencia": "status"',
    '"translate": { "status": { "Aprobada": "approved", "Pendiente": "pending" } }',
  ])
    expect(text).toContain(line);
});

// Buk's reports of Chile name people by their national id.
test("Chilean exports are read: RUT, fecha ingreso compañía, fecha término", async () => {
  const { text } = await draftOf({
    "colaboradores.csv":
      "RUT;Nombre;Apellido Paterno;Email;Fecha Ingreso Compañía;RUT Jefe\n13.346.107-1;Ana;Lima;a@example.com;21-03-2020;\n14.347.114-2;Rui;Paz;b@example.com;01-02-2020;13.346.107-1\n",
    "vacaciones.csv":
      "ID;RUT;Tipo de Ausencia;Fecha Inicio;Fecha Término;Días Hábiles;Estado\n1;13.346.107-1;Vacaciones;19-01-2026;20-01-2026;2;Aprobada\n",
    "saldos.csv": "RUT;Tipo;Saldo\n13.346.107-1;Vacaciones;10,5\n",
  });
  for (const line of [
    '"RUT": "legacyId"',
    '"RUT Jefe": "managerId"',
    '"Apellido Paterno": "lastName"',
    '"Fecha Ingreso Compañía": "startDate"',
    '"RUT": "workerId"',
    '"Fecha Término": "endAt"',
    '"columns": { "RUT": "workerId", "Tipo": "policyId", "Saldo": "minutes" }',
  ])
    expect(text).toContain(line);
});

test.each([
  // Worky, of Mexico
  [
    "Número de empleado,Nombre,Apellido paterno,Correo,Fecha de ingreso",
    "Número de empleado",
    "Tipo de solicitud,Fecha inicio,Fecha fin,Días,Estatus",
    "Vacaciones,19/01/2026,20/01/2026,2,Aprobada",
    "Rechazada",
  ],
  // TOTVS, of Brazil
  [
    "Chapa,Primeiro nome,Sobrenome,E-mail,Dt. Admissão",
    "Chapa",
    "Tipo de Afastamento,Data Início,Data Fim,Qtd. Dias,Situação",
    "Férias,19/01/2026,20/01/2026,2,Aprovada",
    "Reprovado",
  ],
  // SeamlessHR, of Nigeria
  [
    "Staff ID,First Name,Surname,Official Email,Resumption Date",
    "Staff ID",
    "Leave Type,Start Date,End Date,No of Days,Status",
    "Annual Leave,19/01/2026,20/01/2026,2,Approved",
    "Declined",
  ],
])(
  "people of %s, and their leave, are read: only the last day is asked about",
  async (people, id, columns, leave, denied) => {
    const { text, questions } = await draftOf({
      "people.csv": `${people}\nE1,Ana,Lima,a@example.com,21/03/2020\nE2,Rui,Paz,b@example.com,22/03/2020\n`,
      "leave.csv": `${id},${columns}\nE1,${leave}\nE2,${leave.replace(/[^,]*$/, denied)}\n`,
    });
    expect(questions).toEqual([expect.stringContaining("endDay: is the last day part")]);
    expect(text).toContain(`"${denied}": "denied"`);
  },
);

test("what is outstanding is left, and beside a day of vigencia asks whether it lapses", async () => {
  const balances = (columns: string) =>
    draftOf({
      "people.csv": PEOPLE,
      "balances.csv": `employee_id,${columns}\nE1,20,5,2026-12-31\nE2,20,7,2027-06-30\n`,
    });
  const { text, questions } = await balances("Annual Leave Entitlement,Annual Leave Outstanding,Vigencia");
  expect(text).toContain('"minutes": ["{Annual Leave Outstanding}"]');
  expect(questions.join()).toContain('does a part of what is left lapse after "Vigencia"?');
});

// Exports of 1C and Jisr: balances were left out with a comment, since no file of people told that they name any.
test.each([
  ["Остатки.csv", "Табельный номер,Вид отпуска,Остаток", "0001,Отпуск,12.5"],
  ["رصيد.csv", "الرقم الوظيفي,نوع الإجازة,الرصيد", "1001,إجازة,12.5"],
])("where no file is known to have people, %s may have balances", async (file, header, row) => {
  const { questions } = await draftOf({ [file]: `${header}\n${row}\n` });
  expect(questions).toEqual([expect.stringContaining(`${file}: it is not clear what its rows are`)]);
});

describe("a list of allocations, or a ledger", () => {
  // Its days were left out with a comment, and the grants stayed for ever.
  test.each(["valid_until", "Fin de validité", "Fecha de vencimiento", "Ważne do", "Voimassa asti"])(
    "asks whether its grants lapse after the day in %s",
    async (last) => {
      const { questions } = await draftOf({
        "people.csv": PEOPLE,
        "entitlements.csv": `employee_id,leave_type,valid_from,${last},days\nE1,Annual,2026-01-01,2026-12-31,25\nE2,Annual,2026-01-01,2026-12-31,20\n`,
      });
      expect(questions.join()).toContain(`does what is left of each row lapse after "${last}"?`);
    },
  );

  // Odoo's hr.leave.allocation and OrangeHRM's entitlements have the columns of leave, with a status.
  test.each(["hr_leave_allocation.csv", "Leave Entitlements.csv", "Allocation (hr.leave.allocation).csv"])(
    "is no leave of a year, also with a status: %s",
    async (file) => {
      const files = {
        "people.csv": PEOPLE,
        [file]:
          "ID,Employee ID,Time Off Type,Number of Days,Start Date,End Date,Status\nA1,E1,PTO,20,2026-01-01,2026-12-31,Approved\nA2,E2,PTO,20,2026-01-01,2026-12-31,Refused\n",
      };
      const { stored, draft } = await importedDraft(files, { "adjustments.columns.End Date": null });
      expect(draft).toContain('columns: does what is left of each row lapse after "End Date"?');
      expect(stored.requests).toEqual([]);
      expect(stored.adjustments.map(({ day, minutes }) => [formatDay(day), minutes])).toEqual([
        ["2026-01-01", 9600],
      ]);
    },
  );

  // Frappe HR's Leave Ledger Entry: allocations above 0 beside leave below 0.
  const LEDGER = `ID,Employee ID,Leave Type,Transaction Type,Leaves,From Date,To Date
    a1,E1,PTO,Leave Allocation,20.0,2026-01-01,2026-12-31
    a2,E1,PTO,Leave Application,-2.0,2026-02-02,2026-02-03
    a3,E1,PTO,Leave Application,-0.5,2026-03-02,2026-03-02
    a4,E2,PTO,Leave Allocation,20.0,2026-01-01,2026-12-31
`;

  test("leaves what was allocated out of its leave, and inverts the signs of the rest", async () => {
    const { stored, draft } = await importedDraft(
      { "people.csv": PEOPLE, "Leave Ledger Entry.csv": LEDGER },
      { "requests.units.requestedMinutes": "days", "requests.values.status": "approved" },
    );
    expect(draft).toContain('// rows with "Leave Allocation" in "Transaction Type" are not leave');
    expect(stored.requests.map(({ doc }) => JSON.parse(doc).requestedMinutes).toSorted()).toEqual([240, 960]);
  });

  test("is no leave where only the signs tell grants from leave", async () => {
    const { text } = await draftOf({
      "people.csv": PEOPLE,
      "leave.csv": LEDGER.replaceAll(/Leave (?:Allocation|Application)/g, "HR"),
    });
    expect(text).not.toContain('"requests": {');
    expect(text).toContain('"Leaves": "minutes"');
  });

  test.each([
    ["3 2 -1 1", true],
    ["24 16 -8 8", true],
    ["3 2 20 -1", false], // 20 for one day are a grant
  ])("is told from leave with what is taken back, by the amounts of a day: %s", async (amounts, isLeave) => {
    const days = ["E1,2026-01-05,2026-01-07", "E2,2026-02-05,2026-02-06"];
    const oneDay = ["E1,2026-01-07,2026-01-07", "E2,2026-03-05,2026-03-05"];
    const rows = amounts.split(" ").map((amount, at) => `R${at},${[...days, ...oneDay][at]},PTO,${amount}`);
    const { text } = await draftOf({
      "people.csv": PEOPLE,
      "leave.csv": `ID,Employee ID,Start date,End date,Leave type,Leaves\n${rows.join("\n")}\n`,
    });
    expect(text.includes('"requests": {')).toBe(isLeave);
    expect(text.includes("take leave back")).toBe(isLeave);
  });

  test.each([
    ["Available Days,Carryforward Days,Total Leave Days", ["7,2,9", "12,0,12"], true], // Horilla's assigned leaves
    ["Available Days,Total Leave Days", ["7,9", "12,12"], true],
    ["Available Days,Taken,Total Days", ["7,2,9", "12,0,12"], false],
    ["Available Days,Total Entitlement", ["7,9", "12,12"], false],
    ["Available Days,Total taken", ["7,9", "12,12"], false],
  ])("with a total that may be what is left asks: %s", async (columns, rows, isAsked) => {
    const lines = rows.map((row, at) => `E${at + 1},PTO,${row}`);
    const { questions } = await draftOf({
      "people.csv": PEOPLE,
      "Assign_Leave.csv": `Employee ID,Leave type,${columns}\n${lines.join("\n")}\n`,
    });
    const asked = questions.some((question) => question.includes('which of "Available Days", "Total'));
    expect(asked).toBe(isAsked);
  });
});

// Workday, ADP and Oracle write a row for each day, and the request's id into each of them.
test("rows of days that share the id of their request become requests of a day each", async () => {
  const files = (...rows: readonly string[]) => ({
    "people.csv": PEOPLE,
    "leave.csv": `Request ID,Employee ID,Leave type,Date,Hours,Status\n${rows.join("\n")}\n`,
  });
  const days = ["R1,E1,Paid annual,2025-03-03,8,Approved", "R1,E1,Paid annual,2025-03-04,4,Approved"];
  const { draft, stored } = await importedDraft(files(...days, "R2,E2,Paid annual,2025-03-05,8,Pending"));
  expect(draft).toContain('"legacyId": "{Request ID}|{Date}"');
  expect(draft).not.toContain("not used: Request ID");
  expect(
    stored.requests.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc).requestedMinutes]).toSorted(),
  ).toEqual([
    ["R1|2025-03-03", 480],
    ["R1|2025-03-04", 240],
    ["R2|2025-03-05", 480],
  ]);
  // Versions of a request have another status, and an id that comes twice on a day is a mistake.
  for (const other of ["R1,E1,Paid annual,2025-03-05,8,Pending", "R1,E1,Paid annual,2025-03-04,8,Approved"])
    expect((await draftOf(files(...days, other))).text).toContain('"Request ID": "legacyId"');
});

test.each([
  ["Return to work date", "From"],
  ["Return date", "Start date"],
  ["Back to work on", "From"],
  ["Date de reprise", "Date de début"],
  ["İşbaşı Tarihi", "Başlangıç Tarihi"],
  ["Data powrotu", "Od"],
])("a column %s is the day after the leave", async (end, start) => {
  const filesOf = (...days: readonly string[]) => ({
    "people.csv": PEOPLE,
    "leave.csv": `Employee ID,Leave type,${start},${end},Days,Status
E1,Paid annual,2025-03-03,${days[0]},4,Approved
E2,Paid annual,2025-03-04,${days[1]},1,Approved\n`,
  });
  const { draft, stored } = await importedDraft(filesOf("2025-03-07", "2025-03-05"));
  expect(draft).toContain(`"${end}": "endAt"`);
  expect(draft).toContain('"endDay": "excluded"');
  const ends = stored.requests.map(({ doc }) => JSON.parse(doc).endAt.slice(0, 10));
  expect(ends.toSorted()).toEqual(["2025-03-05", "2025-03-07"]);
  // Back on the day on which the leave began: only the reader knows.
  expect((await draftOf(filesOf("2025-03-07", "2025-03-04"))).text).toContain('"endDay": "?"');
});

test("leave with an amount and a first day alone is no addition to a balance", async () => {
  const files = (name: string, amount: string) => ({
    "people.csv": PEOPLE,
    [name]: `Employee ID,Leave type,Start date,${amount}\nE1,Annual,2025-03-03,3\nE2,Sick,2025-03-10,1\n`,
  });
  const { text, questions } = await draftOf(files("leave.csv", "Days"));
  expect(text).not.toContain('"adjustments"');
  expect(questions.join("\n")).toContain("leave.csv: it is not clear what its rows are");
  expect((await draftOf(files("allocations.csv", "Days"))).text).toContain('"adjustments"');
});

test("a roster of shifts asks which of its marks are leave", async () => {
  const files = (...rows: readonly string[]) => ({
    "people.csv": `${PEOPLE}E3,Cy,Yu,c@example.com,2022-01-01\n`,
    "plan.csv": `employee_id,2025-03-03,2025-03-04,2025-03-05,2025-03-06,2025-03-07\n${rows.join("\n")}\n`,
  });
  const question = "requests: skip: are ";
  const roster = (await draftOf(files("E1,E,L,N,N,AL", "E2,AL,AL,E,,", "E3,,E,L,L,N"))).questions.join("\n");
  expect(roster).toContain(
    `${question}"E", "L", "N", "AL" in "leave type" leave? People have one on most days`,
  );
  const plan = (await draftOf(files("E1,,,AL,AL,", "E2,AL,,,,", "E3,,S,,,"))).questions.join("\n");
  expect(plan).not.toContain(question);
});

// UKG Ready has the length of leave in `Request Type`.
test("a column of full and partial days is not the kind of leave", async () => {
  const files = (columns: string, ...rows: readonly string[]) => ({
    "people.csv": PEOPLE,
    "leave.csv": `Employee ID,${columns},Start Date,End Date,Hours,Status
E1,${rows[0]},2026-03-02,2026-03-03,16,Approved
E2,${rows[1]},2026-03-16,2026-03-16,4,Approved\n`,
  });
  const both = await draftOf(files("Request Type,Time Off", "Full Day,PTO", "Partial Day (Bulk),Sick"));
  expect(both.text).toContain('"Time Off": "timeOffPolicyId"');
  const alone = await draftOf(files("Request Type", "Full Day", "Full Day"));
  expect(alone.questions.join("\n")).toContain("values: no column looks like the type of leave");
});

test("kinds of leave that name what people got or lost ask whether they are leave", async () => {
  const { questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv": `Employee ID,Type,From,To,Hours,Status
E1,TOIL accrued,2026-03-02,2026-03-02,3,Approved
E1,TOIL,2026-03-04,2026-03-04,3,Approved
E2,PTO payout,2026-03-05,2026-03-05,8,Approved\n`,
  });
  expect(questions.join("\n")).toContain(
    'skip: which of "TOIL accrued", "PTO payout" in "Type" are cancelled, or',
  );
});

test("a stage of people that says that somebody declined, or never started, asks whether they are gone", async () => {
  const questionsFor = async (column: string, ...values: readonly string[]) =>
    (
      await draftOf({
        "people.csv": `ID,First Name,Last Name,Email,Start Date,${column}
C1,Ana,Lind,a@x.example,2025-03-03,${values[0]}
C2,Cy,Yu,c@x.example,2025-04-01,${values[1]}\n`,
      })
    ).questions.join("\n");
  expect(await questionsFor("Stage", "Hired", "Offer declined")).toContain(
    'skip: are workers with "Offer declined" in "Stage" gone?',
  );
  for (const [column, value] of [
    ["Outcome", "No show"],
    ["Hiring stage", "Candidate"],
    ["Stage", "Did not join"],
    ["Result", "Offer extended"],
    ["Stage", "Nicht angetreten"],
  ] as const)
    expect(await questionsFor(column, "Hired", value)).toContain(
      `skip: are workers with "${value}" in "${column}" gone?`,
    );
  expect(await questionsFor("Health plan", "Enrolled", "Declined")).toBe("");
  expect(await questionsFor("Stage", "Hired", "Started")).toBe("");
});

test("rows that name another row of the file ask whether they count beside it", async () => {
  const asks = async (column: string, ids: readonly string[], other: string) =>
    (
      await draftOf({
        "people.csv": PEOPLE,
        "leave.csv": `Request ID,${column},Employee ID,Type,From,To,Days,Status
${ids[0]},,E1,Paid annual,2026-03-30,2026-04-02,4,Approved
${ids[1]},${other},E1,Paid annual,2026-05-04,2026-05-05,2,Approved
${ids[2]},,E2,Paid annual,2026-03-04,2026-03-04,1,Approved\n`,
      })
    ).questions
      .join("\n")
      .includes(`skip: rows with a value in "${column}" name another row`);
  expect(await asks("Replaces", ["1", "2", "3"], "1")).toBe(true);
  expect(await asks("Parent ID", ["1", "2", "3"], "1")).toBe(true);
  expect(await asks("Vorher", ["R-1001", "R-1002", "R-1003"], "R-1001")).toBe(true);
  expect(await asks("Level", ["1", "2", "3"], "1")).toBe(false); // a number that is an id by chance
  expect(await asks("Replaces", ["1", "2", "3"], "2")).toBe(false); // its own
  expect(await asks("Replaces", ["1", "2", "3"], "9")).toBe(false);
});

test.each([
  ["Start date,Original start date", "2024-01-01,2020-01-01", "first day of work"],
  ["Start date,Seniority date", "2024-01-01,2019-06-01", "first day of work"],
  ["Hire date,Termination date,Last day worked", "2020-01-01,2024-06-30,2024-05-31", "last day of work"],
])("people with %s that differ ask which is the %s", async (columns, days, what) => {
  const { questions } = await draftOf({
    "people.csv": `Employee ID,First name,Last name,Email,${columns}\nE1,Ana,Lind,a@example.com,${days}\n`,
  });
  expect(questions.join("\n")).toContain(`differ in some rows: which is the ${what}?`);
});

test("a column for each day of the week, with Y or N, asks for the days that people work", async () => {
  const { questions } = await draftOf({
    "people.csv": `Employee ID,Name,Email,Hire date,Mon,Tue,Wed,Thu,Fri
E1,Ana Lind,a@example.com,2020-01-01,Y,Y,Y,Y,N
E2,Bo Ek,b@example.com,2021-01-01,Y,Y,Y,Y,Y\n`,
  });
  expect(questions.join("\n")).toContain("are these the days or the hours that people work?");
});

describe("midnights of whole days beside the times of hours", () => {
  const leave = (end: string, rows: readonly string[]) =>
    `Leave ID,Employee ID,Leave type,From,To,${end}Status\n${rows.join("\n")}\n`;
  const files = (text: string) => ({ "people.csv": PEOPLE, "leave.csv": text });
  const HOURS = "9,E2,PTO,2025-03-06 09:00,2025-03-06 13:00";

  test("amounts tell whether the last day is included", async () => {
    const rows = (days: readonly string[]) => [
      `1,E1,PTO,2025-03-03 00:00,2025-03-${days[0]} 00:00,24,approved`,
      `2,E1,PTO,2025-04-01 00:00,2025-04-${days[1]} 00:00,16,approved`,
      `3,E1,PTO,2025-05-05 00:00,2025-05-${days[2]} 00:00,40,approved`,
      `${HOURS},4,approved`,
    ];
    for (const [days, end] of [
      [["05", "02", "09"], "included"],
      [["06", "03", "10"], "excluded"],
    ] as const) {
      const { draft, stored } = await importedDraft(files(leave("Hours,", rows(days))));
      expect(draft).toContain(`"endDay": "${end}"`);
      const lengths = stored.requests.map((row) => `${row.minutes} in ${row.lastDay - row.firstDay + 1}`);
      expect(lengths.sort()).toEqual(["1440 in 3", "240 in 1", "2400 in 5", "960 in 2"]);
    }
  });

  test("without amounts, a draft asks; leave from a midnight to the same one is a day", async () => {
    const of = (to: string, ...more: readonly string[]) =>
      draftOf(
        files(
          leave(
            "",
            [`1,E1,PTO,2025-03-03 00:00,${to}`, HOURS, ...more].map((row) => `${row},approved`),
          ),
        ),
      );
    expect((await of("2025-03-05 00:00")).text).toContain('"endDay": "?"');
    expect((await of("2025-03-03 00:00")).text).toContain('"endDay": "included"');
    // A shift that ends at midnight is no day.
    const shift = "8,E2,PTO,2025-03-06 18:00,2025-03-07 00:00";
    expect((await of("2025-03-05 00:00", shift)).text).not.toContain("endDay");
  });

  // If all leave starts at midnight, the starts of a workbook are days.
  test.each([45722.375, 45722])("those of a workbook ask, too, beside a start at %d", async (start) => {
    const at = (serial: number) => ({ serial, as: "dateTime" as const });
    const { text } = await draftOf({
      "people.csv": PEOPLE,
      "leave.xlsx": workbook({
        Leave: [
          ["Leave ID", "Employee ID", "Leave type", "From", "To", "Status"],
          ["1", "E1", "PTO", at(45719), at(45721), "approved"],
          ["9", "E2", "PTO", at(start), at(45722.5), "approved"],
        ],
      }),
    });
    expect(text).toContain(
      '? endDay: "To" has midnights beside other times: does leave that ends at "2025-03-05',
    );
  });
});

// Two leavers stayed active, with a comment.
test.each(["Left", "End date"])("a word among the dates of %s asks whether it is no date", async (end) => {
  const files = {
    "people.csv": `Emp No,Name,Email,Joined,${end}\nE1,Ana Sol,a@x.example,2020-01-06,Present\nE2,Bo Lind,b@x.example,2021-03-01,2025-06-30\nE3,Cy Ray,c@x.example,2019-05-13,Present\nE4,Di Moe,d@x.example,2022-09-19,2025-12-31\n`,
  };
  expect((await draftOf(files)).questions).toContain(
    `workers: translate: endDate: do rows with "Present" in "${end}" have no date? If so, write ""`,
  );
  const { stored } = await importedDraft(files, { "workers.translate.endDate.Present": "" });
  const last = stored.workers.map(({ legacyId, endDay }) => [legacyId, endDay && formatDay(endDay)]);
  expect(Object.fromEntries(last)).toEqual({ E1: null, E2: "2025-06-30", E3: null, E4: "2025-12-31" });
});

// A day of 7.5 hours was taken off balances in hours as 8.
describe("days in one file and hours in another", () => {
  const balances = (unit: string, left: number) =>
    `Employee ID,Leave type,Balance (${unit})\nE1,PTO,${left}\nE2,PTO,${left}\n`;
  const leave = (head: string, ...amounts: readonly number[]) => {
    const spans = ["2026-02-02,2026-02-06", "2026-03-02,2026-03-03", "2026-04-01,2026-04-01"];
    const rows = spans.map((span, at) => `R${at},E1,PTO,${span},${amounts[at]},approved`);
    return `Leave ID,Employee ID,Leave type,From,To,${head},Status\n${rows.join("\n")}\n`;
  };

  test("ask how many hours are a day", async () => {
    const files = {
      "people.csv": PEOPLE,
      "leave.csv": leave("Days", 5, 2, 1),
      "balances.csv": balances("hours", 75),
    };
    const { questions, text } = await draftOf(files);
    expect(questions).toContain(
      "requests: hoursPerDay: how many hours are a day? requests are in days, and openings in hours",
    );
    expect(text).toContain('"hoursPerDay": "?"');
  });

  test("ask nothing where only a time sheet is in hours", async () => {
    const sheet = "Employee ID,Date,Hours worked\nE1,2026-02-09,8\nE1,2026-02-10,7.5\nE2,2026-02-09,8\n";
    const files = { "people.csv": PEOPLE, "leave.csv": leave("Days", 5, 2, 1), "timesheet.csv": sheet };
    const { text } = await draftOf(files);
    expect(text).toContain('"work_hours"');
    expect(text).not.toContain("hoursPerDay");
  });

  test("are read by the hours of whole days, where leave has them", async () => {
    const files = (perDay: number) => ({
      "people.csv": PEOPLE,
      "leave.csv": leave("Hours", 5 * perDay, 2 * perDay, perDay),
      "balances.csv": balances("days", 10),
    });
    const { stored } = await importedDraft(files(7.5), { "openings.values.date": "2025-12-31" });
    expect(stored.openings.map(({ minutes }) => minutes)).toEqual([4500, 4500]);
    expect((await draftOf(files(8))).text).not.toContain("hoursPerDay");
  });
});

describe("balances whose kinds have other names than leave", () => {
  const LEAVE =
    "Leave ID,Employee ID,Leave type,From,To,Hours,Status\n1,E1,VAC_DE,2026-02-02,2026-02-06,40,approved\n2,E2,SICK_DE,2026-01-12,2026-01-12,8,approved\n";
  const balances = (rows: string) => ({ "people.csv": PEOPLE, "leave.csv": LEAVE, "balances.csv": rows });
  const SEEN = { "openings.values.date": "2025-12-31", "openings.units.minutes": "days" };

  // SuccessFactors names a time type and its account differently.
  test("in rows are asked about, in the query of assignments, too", async () => {
    const files = balances("Employee ID,Leave type,Balance in days\nE1,VAC_ACC_DE,30\nE2,VAC_ACC_DE,25\n");
    const { text, questions } = await draftOf(files);
    expect(questions.join("\n")).toContain('no leave is called "VAC_ACC_DE", and some leave has no balance');
    expect(text).not.toContain('"legacyId": "VAC_ACC_DE"');
    const query = (parse(text) as { assignments: { query: string } }).assignments.query;
    const { stored } = await importedDraft(files, {
      "openings.values.date": "2025-12-31",
      "openings.hoursPerDay": 8,
      "openings.translate.policyId.VAC_ACC_DE": "VAC_DE",
      "assignments.query": query.replaceAll("'?'", "'VAC_DE'"),
    });
    expect(stored.policies.map(({ legacyId }) => legacyId)).toEqual(["VAC_DE", "SICK_DE"]);
    expect(stored.openings.map(({ minutes }) => minutes)).toEqual([14400, 12000]);
    expect(stored.assignments).toHaveLength(3);
  });

  test("in columns are asked about, and become no policies", async () => {
    const files = balances("Employee ID,CP balance,VAC_DE balance\nE1,30,2\nE2,25,0\n");
    expect((await draftOf(files)).text).toContain('"policyId": ["CP", "VAC_DE"]'); // all leave has a balance
    const others = balances("Employee ID,CP balance,SICK_DE balance\nE1,30,2\nE2,25,0\n");
    const { text } = await draftOf(others);
    expect(text).toContain('"policyId": ["?", "SICK_DE"]');
    expect(text).not.toContain('"legacyId": "CP"');
    const { stored } = await importedDraft(others, {
      ...SEEN,
      "openings.values.policyId": ["VAC_DE", "SICK_DE"],
    });
    expect(stored.openings.map(({ minutes }) => minutes).sort()).toEqual([0, 12000, 14400, 960]);
  });

  test("are not asked about if only sick or unpaid leave has none", async () => {
    const files = balances("Employee ID,Leave type,Balance in days\nE1,VAC_DE,30\nE2,Comp,25\n");
    expect((await draftOf(files)).questions.join()).not.toContain("some leave has no balance");
  });
});

test("a table of balances names people by their names, its kinds by columns, and its day itself", async () => {
  const { stored, draft } = await importedDraft({
    "people.csv": PEOPLE,
    "Resturlaub.csv":
      "Name;Resturlaub in Tagen;Übertrag;Stand\nAna Lind;12,5;3;31.03.2026\nBo Ek;20;0;31.03.2026\n",
  });
  expect(stored.policies.map(({ legacyId }) => legacyId)).toEqual(["Resturlaub in Tagen"]);
  expect(draft).toContain('"Name" has names: the query puts the ids of these people beside them');
  expect(draft).not.toContain("what is left of another kind of leave");
  expect(stored.openings.map(({ minutes, day }) => `${minutes} ${formatDay(day)}`)).toEqual([
    "6000 2026-03-31",
    "9600 2026-03-31",
  ]);
});

test("only one table of balances by columns is drafted: another one is asked about", async () => {
  const { questions } = await draftOf({
    "people.csv": PEOPLE,
    "vacation.csv": "employee_id,Vacation balance in days\nE1,12.5\nE2,20\n",
    "sick.csv": "employee_id,Sick leave balance in hours\nE1,12.5\nE2,20\n",
  });
  expect(questions.join("\n")).toMatch(/^(?:sick|vacation)\.csv: it has balances/m);
});

// SuccessFactors has the unit of the time type beside quantityInDays.
test("an amount whose name has another unit than the column of units is asked about", async () => {
  const of = async (units: readonly string[], amount: string) => {
    const rows = units.map(
      (unit, at) => `${at},E1,PTO,2026-02-0${at + 2},2026-02-0${at + 2},1,${unit},approved`,
    );
    const leave = `Leave ID,Employee ID,Leave type,From,To,${amount},Unit,Status\n${rows.join("\n")}\n`;
    return await draftOf({ "people.csv": PEOPLE, "leave.csv": leave });
  };
  const { text, questions } = await of(["DAYS", "HOURS"], "quantityInDays");
  expect(text).toContain('"units": { "requestedMinutes": "?" }');
  expect(questions.join()).toContain(
    '"quantityInDays" is called days, and "Unit" has "DAYS", "HOURS": which is right?',
  );
  expect((await of(["DAYS", "DAYS"], "quantityInDays")).text).toContain('{ "column": "Unit" }');
  expect((await of(["DAYS", "HOURS"], "quantity")).text).toContain('{ "column": "Unit" }');
});

test("which of two amounts is right, and in which unit, is one question", async () => {
  const { questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv":
      "Leave ID,Employee ID,Leave type,From,To,Dage,Timer,Status\n1,E1,Vacation,2026-02-02,2026-02-06,5,37,approved\n2,E2,Vacation,2026-03-02,2026-03-02,1,7.4,approved\n",
  });
  expect(questions).toEqual([
    'requests: columns: which of "Dage" (days), "Timer" (hours) is the amount? Write "requestedMinutes" beside it, its unit into units, and remove the others',
  ]);
});

test("an empty cell in the approvals of leave is asked about", async () => {
  const { questions, text } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv":
      "Timestamp,Your email,Type of leave,First day,Last day,Days,Approved?\n2026-01-05,a@example.com,Vacation,2026-02-02,2026-02-06,5,Yes\n2026-01-06,b@example.com,Vacation,2026-03-02,2026-03-03,2,\n",
  });
  expect(questions.join()).toContain('translate: status: what is "": one of pending, approved, denied');
  expect(text).toContain('"translate": { "status": { "Yes": "approved", "": "?" } }');
});

test.each(["Export_2026-03.zip", "Report.txt", "Export.ods"])(
  "what a file that is not read, such as %s, holds is asked",
  async (name) => {
    const { questions } = await draftOf({
      "people.csv": PEOPLE,
      [name]: "x",
      "README.txt": "x",
      "Rules.pdf": "x",
    });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toStartWith(`${name}: `);
  },
);

test("days that few people have, after their first one, may be their last, which is asked", async () => {
  const of = async (...days: readonly string[]) => {
    const rows = days.map((day, at) => `E${at},Ana,Lind,a${at}@example.com,2020-01-0${at + 1},${day}`);
    const people = `employee_id,first_name,last_name,email,hire_date,final\n${rows.join("\n")}\n`;
    return (await draftOf({ "people.csv": people })).questions.join();
  };
  const question = 'is "final" the last day of work?';
  expect(await of("", "2026-01-31", "")).toContain(question);
  expect(await of("", "1990-01-31", "")).not.toContain(question); // a day of birth
  expect(await of("2026-01-31", "2026-02-28", "")).not.toContain(question); // everybody's, such as the end of probation
});

test.each(["2026.csv", "group.csv"])(
  "a file whose name is no name in SQL, such as %s, is drafted",
  async (name) => {
    const { stored } = await importedDraft({
      "people.csv": PEOPLE,
      [name]:
        "Request ID,Email,Leave type,From,To,Days,Status\n1,a@example.com,Vacation,2026-02-02,2026-02-02,1,approved\n",
    });
    expect(stored.requests).toHaveLength(1);
    expect(stored.assignments).toHaveLength(2);
  },
);

test("spaces of web pages around a kind of leave or an id are none", async () => {
  const { stored } = await importedDraft({
    "people.csv": PEOPLE.replace("E1", "E1\u00a0"),
    "leave.csv":
      "Request ID,Employee ID,Leave type,From,To,Days,Status\n1,E1\u00a0,Vacation\u00a0,2026-02-02,2026-02-02,1,approved\n2,E2,Vacation,2026-02-02,2026-02-02,1,approved\n",
  });
  expect(stored.assignments).toHaveLength(2);
  expect(stored.policies.map(({ legacyId }) => legacyId)).toEqual(["Vacation"]);
});

// absence.io calls the kind of leave `Reason`.
test("a column of reasons that are all kinds of leave has the kinds", async () => {
  const of = async (reason: string) => {
    const rows = ["Vacation", reason].map(
      (kind, at) => `${at},E${at + 1},${kind},2026-02-02,2026-02-02,1,approved`,
    );
    return (
      await draftOf({
        "people.csv": PEOPLE,
        "leave.csv": `ID,Employee,Reason,Start,End,Days,Status\n${rows.join("\n")}\n`,
      })
    ).text;
  };
  expect(await of("Sick")).toContain('"Reason": "timeOffPolicyId"');
  expect(await of("Wedding of Bo")).toContain('"Reason": "reason"');
});

test("what people get in a year, and nothing of what is left, is asked about", async () => {
  const of = async (columns: string) =>
    (
      await draftOf({ "people.csv": PEOPLE, "Konto.csv": `Personalnummer;${columns}\nE1;30;12\nE2;28;20\n` })
    ).questions.join("\n");
  const question = 'are "Anspruch" what was left, or what people get in a year?';
  expect(await of("Anspruch;Verplant")).toContain(question);
  const left = await of("Anspruch;Rest");
  expect(left).not.toContain(question);
  expect(left).toContain('of which kind of leave is "Rest" what was left');
});

test("letters that several encodings have alike are those of the usual one", async () => {
  const people = "Matricule;Nom;Prénom;Date entrée\n1;Durand;Luc;23/09/2018\n2;Petit;Zoé;12/01/2021\n";
  const { text, questions } = await draftOf({
    "Salaries.csv": Buffer.from(people, "latin1"),
    "Absences.csv": Buffer.from(
      "Matricule;Libellé absence;Date début;Date fin;Nb jours ouvrés;Etat\n1;Congés payés;16/02/2026;20/02/2026;5,00;Validé\n2;Congés payés;13/03/2026;13/03/2026;0,50;Demandé\n",
      "latin1",
    ),
  });
  expect(text).not.toContain("windows-1250");
  expect(questions).toEqual([]);
});

describe("ids of people beside their names", () => {
  const leaveOf = (...rows: string[]) => ({
    "people.csv": PEOPLE.replaceAll("E1", "1").replaceAll("E2", "2"),
    "leave.csv": `ID,Name,Type,From,To,Days,Status\n${rows.map((row) => `${row},1,approved`).join("\n")}\n`,
  });

  // As the id of leave, Ana's next leave would replace this one.
  test("are no ids of leave, whatever their column is called, unless they are of other people", async () => {
    const ofPeople = leaveOf(
      "2,Bo Ek,PTO,2026-02-02,2026-02-02",
      "1,Ana Lind,PTO,2026-03-02,2026-03-02",
      "1,Ana Lind,PTO,2026-04-02,2026-04-02",
    );
    expect((await importedDraft(ofPeople)).stored.requests.map(({ legacyId }) => legacyId).sort()).toEqual([
      ...["1|PTO|2026-03-02", "1|PTO|2026-04-02", "2|PTO|2026-02-02"],
    ]);
    const ofRows = leaveOf("1,Bo Ek,PTO,2026-02-02,2026-02-02", "2,Bo Ek,PTO,2026-03-02,2026-03-02");
    expect((await draftOf(ofRows)).text).toContain('"ID": "legacyId"');
  });

  // BMD and Symfonia write the number of the person beside the name, and small companies count from 1.
  test.each(["DN-Nr", "Nr ewid.", "Nº Func."])(
    "in %s are found in each file by their name and values",
    async (number) => {
      const { text } = await draftOf({
        "people.csv": `${number},First name,Last name,Hire date\n17,Ana,Lind,2020-01-01\n42,Bo,Ek,2021-01-01\n`,
        "leave.csv": `${number},Employee,Type,From,To,Days,Status\n17,Lind Ana,PTO,2026-02-02,2026-02-02,1,approved\n`,
        "balances.csv": `${number},Employee,PTO left\n17,Lind Ana,20\n42,Ek Bo,21\n`,
      });
      expect(text.match(new RegExp(`"${number}": "(?:workerId|legacyId)"`, "g"))).toHaveLength(3);
    },
  );
});

// No language knows `Zzz`, and the file of leave has no other column that names people.
test("a number that people and leave have under one name, whatever it is, names people", async () => {
  const { text } = await draftOf({
    "people.csv": "Zzz,First name,Last name,Hire date\nX1,Ana,Lind,2020-01-01\nX2,Bo,Ek,2021-01-01\n",
    "leave.csv":
      "Key,Zzz,Type,From,To,Days,Status\n1,X1,PTO,2026-02-02,2026-02-02,1,approved\n2,X1,PTO,2026-03-02,2026-03-02,1,approved\n",
    "balances.csv": "Zzz,Balance\nX1,20\nX2,21\n",
  });
  expect(text.match(/"Zzz": "(?:workerId|legacyId)"/g)).toHaveLength(3);
});

// Lists often number their rows. E1 is the first of the people, and row 1 of the leave is somebody else's.
test("numbers of rows name nobody, though lists of people and of leave call them alike", async () => {
  const leave = (number: string, who: string, ...names: string[]) => {
    const rows = names.map(
      (name, at) => `${at + 1},${name},2026-02-0${at + 2},2026-02-0${at + 2},Urlaub,1\n`,
    );
    return `${number},${who},Von,Bis,Art,Tage\n${rows.join("")}`;
  };
  const draft = async (number: string, leave: string) =>
    (
      await draftOf({
        "mitarbeiter.csv": `${number},Name,Email,Startdatum\n1,Ana Lind,a@example.com,2020-01-01\n2,Bo Ek,b@example.com,2020-01-01\n`,
        "urlaub.csv": leave,
      })
    ).text;
  for (const number of ["Nr", "Lfd"]) {
    expect(await draft(number, leave(number, "Wer", "Bo Ek", "Ana Lind"))).not.toContain(
      `"${number}": "workerId"`,
    );
    expect(await draft(number, leave(number, "Name", "Bobby", "Anni"))).not.toContain(
      `"${number}": "workerId"`,
    );
  }
});

describe("what is left", () => {
  const balancesOf = async (columns: string, ...rows: string[]) =>
    await draftOf({
      "people.csv": `${PEOPLE}E3,Cy,Rex,c@example.com,2021-01-01\n`,
      "leave.csv":
        "Request ID,Employee ID,Leave type,From,To,Days,Status\n1,E1,Urlaub,2026-02-02,2026-02-02,1,approved\n",
      "Urlaubskonto.csv": `Employee ID,${columns}\n${rows.map((row, at) => `E${at + 1},${row}\n`).join("")}`,
    });

  // The words are of no language: 23 = 3 + 25 - 5.
  test("and adds up from other columns has their unit, and they are no other balances", async () => {
    const { text, questions } = await balancesOf(
      "Vor,Zu Tage,Weg,Saldo",
      ...["3,25,5,23", "0,20,12.5,7.5", "2,20,4,18"],
    );
    expect(text).toContain('"policyId": ["Urlaub"]'); // as the file is called
    expect(text).toContain('"units": { "minutes": "days" }');
    expect(questions.join()).not.toContain("what is left of another kind");
    const others = await balancesOf("Vor,Zu,Weg,Saldo", "3,25,5,11", "0,20,12.5,9", "2,20,4,18");
    expect(others.questions.join()).toContain("what is left of another kind");
  });

  // In two rows, 10 = 4 + 6 and 12 = 6 + 6 may be chance; the same row again proves no more.
  test("and adds up in fewer rows than there are columns may do so by chance", async () => {
    for (const rows of [
      ["10,4,6,3", "12,6,6,1"],
      ["10,4,6,3", "12,6,6,1", "12,6,6,1"],
    ]) {
      const { questions } = await balancesOf("Saldo,Alpha,Beta,Gamma", ...rows);
      expect(questions.join()).toContain('is "Alpha", "Beta", "Gamma" what is left of another kind');
    }
  });

  // Named like the balance, they were taken for parts of it, and nothing read them.
  test.each([
    ["Leave balance,Leave in lieu,Study leave", '"Leave in lieu", "Study leave"'],
    ["Urlop zaległy,Urlop wypoczynkowy", '"Urlop wypoczynkowy"'],
    ["Urlaub Rest,Urlaub Sonder,Urlaub Anspruch,Urlaub genommen,Urlaub (Tage)", '"Urlaub Sonder"'],
    ["Vacation left,Vacation seniority,Vacation used", '"Vacation seniority"'],
  ])("of %s: those that are not named as parts of one are asked about", async (columns, asked) => {
    const numbers = columns.split(",").map((_, at) => at + 3);
    const { questions } = await draftOf({
      "people.csv": PEOPLE,
      "export.csv": `employee_id,${columns}\nE1,${numbers.join()}\nE2,${numbers.map((at) => at * at).join()}\n`,
    });
    expect(questions.join()).toContain(`is ${asked} what is left of another kind of leave?`);
  });

  test("of one kind in two columns is asked about", async () => {
    const { questions } = await balancesOf("Urlaub Saldo N-1,Urlaub Saldo N", "3,25", "0,20");
    expect(questions.join()).toContain("Two columns of one kind can be added up in a query");
  });

  // Nmbrs writes Vervaldatum, Jinjer 失効日, where the law lets leave lapse.
  test.each([
    ...["Expires on", "Valid to", "Verfällt am", "Vervaldatum", "失効日"],
    ...["Válido hasta", "Valido fino al", "Ważne do", "Giltig till", "Gyldig til", "Platnost do", "Hết hạn"],
  ])("and lapses after a day in %s is asked about", async (name) => {
    const day = "2026-03-31";
    const inRows = await balancesOf(
      `Type,Balance,As of,${name}`,
      `Urlaub,20,2026-02-28,${day}`,
      "Urlaub,9,2026-02-28,",
    );
    const inColumns = await balancesOf(`Urlaub left,${name}`, `20,${day}`, `9,${day}`);
    for (const { questions, text } of [inRows, inColumns]) {
      expect(questions.join()).toContain(`does a part of what is left lapse after "${name}"?`);
      expect(text).toContain(`"${name}": "?"`);
    }
  });

  test("is the balance beside what is granted", async () => {
    const { text } = await balancesOf("Urlaub entitled,Urlaub left", "25,20", "25,21");
    expect(text).toContain('"minutes": ["{Urlaub left}"]');
  });
});

// Sesame HR: a doctor's visit has hours, and one day in its column of days.
test("times that only some leave has may be parts of days", async () => {
  const of = async (...times: string[]) =>
    (
      await draftOf({
        "people.csv": PEOPLE,
        "leave.csv": `ID,Employee,Type,Start,End,Start time,Days,Status\n${times.map((time, at) => `R${at},E${at + 1},PTO,2026-02-02,2026-02-02,${time},1,approved`).join("\n")}\n`,
      })
    ).questions.join();
  expect(await of("", "09:00")).toContain('"Days" has whole days in rows with parts of days in "Start time"');
  expect(await of("09:00", "09:00")).toBe("");
});

// Of several columns, none may be the amount; each of them shows how leave is counted.
test("amounts in several columns tell whether the last day is included, too", async () => {
  const { text } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv": `ID,Employee,Type,From,To,Dni,Godziny,Status
R1,E1,PTO,2026-02-02,2026-02-06,5,40,approved\nR2,E2,PTO,2026-02-02,2026-02-03,2,16,approved\nR3,E2,PTO,2026-03-02,2026-03-03,2,16,approved\n`,
  });
  expect(text).toContain('"endDay": "included"');
});

test("a day after the first one, which half of the people have, may be the last one", async () => {
  const { questions } = await draftOf({
    "people.csv": PEOPLE.replace("hire_date", "hire_date,Gone")
      .replace("2020-01-01", "2020-01-01,")
      .replace("2021-01-01", "2021-01-01,2025-12-31"),
  });
  expect(questions.join()).toContain('is "Gone" the last day of work?');
  const unknown = await draftOf({
    "people.csv":
      "employee_id,first_name,last_name,Aaa,Bbb,email\nE1,Ana,Lind,2020-01-01,,a@example.com\nE2,Bo,Ek,2021-01-01,2025-12-31,b@example.com\n",
  });
  expect(unknown.questions.join()).toContain('is "Bbb" the last day of work?');
});

describe("the words of a system", () => {
  // SAP: fields of the infotypes 2001 and 2006. SPRPS is the lock of a record that is not approved.
  test("SAP's fields of leave, of people, and a lock", async () => {
    const { text } = await draftOf({
      "PA0002.csv":
        "PERNR;VORNA;NACHN;BEGDA;ENDDA;STAT2\n00001001;Ana;Lind;01.01.2020;31.12.9999;3\n00001002;Bo;Ek;15.03.2021;31.12.9999;3\n",
      "PA2001.csv":
        "MANDT;PERNR;SPRPS;ENDDA;BEGDA;AWART;ABWTG;STDAZ\n100;00001001;;06.02.2026;02.02.2026;0100;5,00;40,00\n100;00001002;X;20.02.2026;16.02.2026;0200;5,00;40,00\n",
    });
    expect(text).toContain('"AWART": "timeOffPolicyId"');
    expect(text).toContain('which of "ABWTG" (days), "STDAZ" (hours) is the amount?');
    expect(text).toContain('are requests with "X" in "SPRPS" cancelled or refused?');
    expect(text).toContain("startDate is missing"); // BEGDA is the first day of a record
    expect(text).not.toContain("nearly"); // 0200 is no misspelt 0100
  });

  test("Dayforce's Start Time is a day, Balance a kind of leave", async () => {
    const { text } = await draftOf({
      "people.csv": PEOPLE.replace("employee_id", "XRef Code"),
      "TAFW.csv":
        "Employee XRef Code,Employee,Reason,Start Time,End Time,Net Hours,Status\nE1,Lind Ana,Vacation,2026-02-02T08:00:00,2026-02-02T16:00:00,8,Approved\nE2,Ek Bo,Sick,2025-11-10T08:00:00,2025-11-10T12:00:00,4,Approved\n",
      "Balances.csv":
        "Employee XRef Code,Balance,As Of,Available,Unit\nE1,Vacation,2026-01-31,120,HOURS\nE2,Sick,2026-01-31,36,HOURS\n",
    });
    expect(text).toContain('"Start Time": ["startAt", "createdAt"]');
    expect(text).toContain('"Reason": "timeOffPolicyId"');
    expect(text).toMatch(/"Balance": "policyId",\s+"As Of": "date",\s+"Available": "minutes"/);
  });

  // OBERON and Vema (Slovak), Nmbrs (Dutch), Jinjer (Japanese), PHC (Portuguese).
  test.each([
    ["Osobné číslo", "Druh neprítomnosti;Od;Do;Počet dní;Stav", "Schválené"],
    ["Personeelsnummer", "Verloftype;Van;Tot en met;Uren;Status", "Goedgekeurd"],
    ["社員番号", "休暇種別;取得開始日;取得終了日;取得日数;承認状態", "承認済"],
    ["Nº Func.", "Tipo de falta;Data início;Data fim;Nº dias;Estado", "Aprovado"],
  ])("%s beside %s", async (person, columns, approved) => {
    const { stored } = await importedDraft({
      "people.csv": PEOPLE.replace("employee_id", person),
      "leave.csv": `${person};${columns}\nE1;PTO;2026-02-02;2026-02-06;5;${approved}\nE2;PTO;2026-03-02;2026-03-02;1;${approved}\n`,
    });
    expect(stored.requests.map(({ status }) => status)).toEqual(["approved", "approved"]);
  });

  // As JavaScript, Ruby, Google Forms, Czech, French, Polish, Finnish and Japanese programs write them.
  test.each([
    ...["2/14/2026, 9:00:00 AM", "2026-02-14 00:00:00 UTC", "Saturday, February 14, 2026", "14. 2. 2026"],
    ...["14/02/2026 09h00", "14 lutego 2026 r.", "14.2.2026 9.00", "2026/02/14(土)", "1er mai 2026"],
  ])("a first day such as %s", async (day) => {
    const { text } = await draftOf({
      "people.csv": `employee_id\tfirst_name\tlast_name\temail\thire_date\nE1\tAna\tLind\ta@example.com\t${day}\n`,
    });
    expect(text).toContain('"dates": "');
    expect(text).not.toContain("no known format");
  });

  // A time alone is no first day, and no rival of one.
  test("times of the day are no first days", async () => {
    const { text } = await draftOf({
      "people.csv": PEOPLE,
      "leave.csv":
        "Employee,Type,Date,Start time,End time,Status\nE1,PTO,2026-02-02,09:00,13:00,approved\nE2,PTO,2026-02-03,13:00,17:00,approved\n",
    });
    expect(text).toContain('"Date": ["startAt", "endAt", "createdAt"]');
  });
});

// JavaScript writes a day as its midnight in UTC, and other programs otherwise. As an instant, it is the day before in New York.
test.each(["T00:00:00.000Z", "T00:00:00+00:00", " 00:00:00 Z", " 00:00:00 UTC"])(
  "midnights of UTC in each row, as %s, are days, wherever people are",
  async (midnight) => {
    const { stored, report } = await importedDraft({
      "people.csv": PEOPLE.replace("hire_date", "hire_date,time_zone").replaceAll(
        /01-01$/gm,
        "01-01,America/New_York",
      ),
      "leave.csv": `ID,Employee,Type,From,To,Days,Status\nR1,E1,PTO,2026-02-02${midnight},2026-02-02${midnight},1,approved\n`,
    });
    expect(JSON.parse(stored.requests[0]!.doc)).toMatchObject({
      ...{ startAt: "2026-02-02T05:00:00.000Z", endAt: "2026-02-03T05:00:00.000Z", startRangeType: "date" },
    });
    expect(report.findings.map(({ code }) => code)).not.toContain("shifted-midnight");
  },
);

// TRUE and FALSE as Excel writes them into CSV in each language. People who are gone stayed active.
test.each([
  ...[["Aktywny", "PRAWDA", "FAŁSZ"] as const, ["Aktif", "DOĞRU", "YANLIŞ"] as const],
  ...[["Aktivní", "PRAVDA", "NEPRAVDA"] as const, ["Aktiv", "SANN", "USANN"] as const],
  ...[["Actif", "VRAI", "FAUX"] as const, ["Actief", "WAAR", "ONWAAR"] as const],
  ["Stand", "Aktywny", "Nieaktywny"] as const, // a column that is called otherwise
])("%s: %s is active, %s is inactive", async (column, yes, no) => {
  const { text, questions } = await draftOf({
    "people.csv": `employee_id,first_name,last_name,hire_date,${column}\nE1,Ana,Lind,2020-01-01,${yes}\nE2,Bo,Ek,2021-01-01,${no}\n`,
  });
  expect(text).toContain(`"status": { "${yes}": "active", "${no}": "inactive" }`);
  expect(questions).toEqual([]);
});

// A list of people that somebody keeps by hand, with their leave beside what is left.
test.each(["02.02.-06.02.2026", "2/2 - 6/2/2026", "2.2. bis 6.2.2026", "02.02.2026–06.02.2026"])(
  "%s beside balances is perhaps leave",
  async (span) => {
    const { questions } = await draftOf({
      "people.csv": PEOPLE,
      "Urlaub.csv": `employee_id,Anspruch,Wann,Rest\nE1,30,${span},25\nE2,30,,30\n`,
    });
    expect(questions.join()).toContain("Urlaub.csv: Wann: first and last days: are they leave?");
  },
);

test("a column of yes and no is no first day, whatever it is called", async () => {
  const { text } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv":
      "Employee,Start,Begin date,End date,Type,Days\nE1,yes,2026-02-02,2026-02-02,PTO,1\nE2,no,2026-02-02,2026-02-03,PTO,2\n",
  });
  expect(text).not.toContain('"Start": [');
});

// A manager, then HR: in French systems `Validée` may come before or after `Approuvée`.
test.each<[string, string, boolean]>([
  ["Approuvée", "Validée", true],
  ["Approved", "Confirmed", true],
  ["Approved", "Auto approved", false],
  ["Approved", "Scheduled", false],
  ["Scheduled(1.00)", "Taken(3.00)", false],
  ["Approuvé", "Approuvée", false],
])("leave that is %s beside leave that is %s: are they two steps? %p", async (one, other, isAsked) => {
  const { text, questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv": `ID,Employee,Start,End,Type,Days,Status\n1,E1,2026-02-02,2026-02-02,PTO,1,${one}\n2,E2,2026-02-02,2026-02-03,PTO,2,${other}\n`,
  });
  const asked = `translate: status: "${one}" and "${other}" may be two steps of one approval: which is the last?`;
  expect(questions.join().includes(asked)).toBe(isAsked);
  expect(text.includes(`"status": { "${one}": "?", "${other}": "?" }`)).toBe(isAsked);
});

test("an empty last day is one day of leave or leave that goes on, and it asks", async () => {
  const files = {
    "people.csv": PEOPLE,
    "leave.csv":
      "ID,Employee,From,To,Type,Days,Status\n1,E1,2026-02-02,2026-02-03,PTO,2,approved\n2,E2,2026-02-04,,PTO,1,approved\n",
  };
  const { text, questions } = await draftOf(files);
  expect(text).toContain('"To": "?"');
  expect(questions.join()).toContain('"To" is empty in rows of leave: if such leave is one day');
  const { requests, ...others } = parse(text.replaceAll('"paid": "?"', '"paid": true'));
  const { To, ...columns } = requests.columns;
  // As docs/mapping.md, Leave without an end, says.
  const query = 'select *, coalesce("To", "From") as "Last day" from leave';
  const { from, ...keys } = { ...requests, columns: { ...columns, "Last day": "endAt" }, endDay: "included" };
  const { stored } = await imported(files, { ...others, requests: { ...keys, query } });
  const ends = stored.requests.map(({ doc }) => JSON.parse(doc).endAt);
  expect(ends.sort()).toEqual(["2026-02-04T00:00:00.000Z", "2026-02-05T00:00:00.000Z"]);
  expect(
    await refused(files, { ...others, requests: { from, ...keys, columns: { ...columns, To: "endAt" } } }),
  ).toContain(
    "leave.csv:3: endAt: is missing: if such leave is one day, take the first day in a query; if it goes on, give it a last day (docs/mapping.md, Leave without an end)",
  );
});

test.each(["2026-02-31", "2 of Feb."])(
  "a last day such as %s is wrong, and does not mean that leave goes on",
  async (day) => {
    const { questions } = await draftOf({
      "people.csv": PEOPLE,
      "leave.csv": `ID,Employee,From,To,Type,Days,Status\n${["2026-02-02", "2026-02-03", day].map((to, at) => `${at},E1,2026-02-02,${day.includes("of") ? day : to},PTO,2,approved\n`).join("")}`,
    });
    expect(questions.join()).not.toContain("if such leave is one day");
  },
);

test("an empty last day of leave that is cancelled, and so left out, asks nothing", async () => {
  const { text, questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv":
      "ID,Employee,From,To,Type,Days,Status\n1,E1,2026-02-02,2026-02-03,PTO,2,approved\n2,E2,2026-02-04,,PTO,1,Cancelled\n",
  });
  expect(text).toContain('"skip": { "Status": ["Cancelled"] }');
  expect(questions.join()).not.toContain('"To" is empty');
});

test("people who are named once, above their leave, are a question", async () => {
  const files = {
    "people.csv": PEOPLE,
    "leave 1.csv":
      "ID,Employee,From,To,Type,Days,Status\n1,E1,2026-02-02,2026-02-03,PTO,2,approved\n2,,2026-02-04,2026-02-04,PTO,1,approved\n",
    "leave 2.csv": // its E2 is above the last row of the other file by number, and not in it
      "ID,Employee,From,To,Type,Days,Status\n3,E2,2026-02-05,2026-02-05,PTO,1,approved\n4,,2026-02-06,2026-02-06,PTO,1,approved\n",
  };
  const { text, questions } = await draftOf(files);
  expect(text).toContain('"Employee": "?"');
  expect(questions.join()).toContain(
    '"Employee" is empty in rows of leave: if the file names each person once',
  );
  const { requests, ...others } = parse(text.replaceAll('"paid": "?"', '"paid": true'));
  const { Employee, ...columns } = requests.columns;
  const [query] = /(?<=### People who are named once[^`]+```sql\n)[^`]+/.exec(
    await Bun.file("docs/mapping.md").text(),
  )!;
  const { from, ...keys } = { ...requests, columns: { ...columns, Person: "workerId" } };
  const tables = { leave: { from } };
  const { stored } = await imported(files, { ...others, requests: { ...keys, tables, query } });
  const personOf = new Map(stored.workers.map(({ id, legacyId }) => [id, legacyId]));
  expect(stored.requests.map(({ legacyId, workerId }) => [legacyId, personOf.get(workerId)]).sort()).toEqual([
    ...[
      ["1", "E1"],
      ["2", "E1"],
    ],
    ...[
      ["3", "E2"],
      ["4", "E2"],
    ],
  ]);
});

test("days first in one file and months first in the next are a question", async () => {
  const rows = (...days: string[]) =>
    `ID,Employee,Date,Type,Days,Status\n${days.map((day) => `${day},E1,${day},PTO,1,approved\n`).join("")}`;
  const { text, questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave 2025.csv": rows("05/02/2025", "13/02/2025"),
    "leave 2026.csv": rows("02/03/2026", "02/16/2026"),
  });
  expect(text).toContain('"dates": "?"');
  expect(questions.join()).toContain(
    '"Date" has "13/02/2025" beside "02/16/2026", so the day comes first in some rows, and the month in others',
  );
});

test("leave in hours beside leave in days is a question that says how to map both", async () => {
  const leave = (amount: string) =>
    `ID,Employee,From,To,Type,${amount},Status\n${amount},E1,2026-02-02,2026-02-02,PTO,1,approved\n`;
  const { questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave 2025.csv": leave("Days"),
    "leave 2026.csv": leave("Hours"),
  });
  expect(questions.join()).toContain(
    'more requests? (ID, Employee, From, To, Type, Hours, Status). If so, make a list: "requests": [{…}, {…}]',
  );
});

test("an account whose rows are all positive asks for the sign that another column tells", async () => {
  const { questions } = await draftOf({
    "people.csv": PEOPLE,
    "transactions.csv": `ID,Employee ID,Policy,Transaction Date,Type,Hours
T1,E1,PTO,2026-01-01,Accrual,80\nT2,E1,PTO,2026-02-10,Usage,16\nT3,E2,PTO,2026-01-01,Accrual,80\n`,
  });
  expect(questions.join()).toContain(
    'If "Type" tells which is which, put a minus before what was taken in a query',
  );
});

test("two halves of a day by one person are two requests, whose ids have the half", async () => {
  const { stored } = await importedDraft({
    "people.csv": PEOPLE,
    "leave.csv": `Employee ID,Type,Date,Period,Days,Status
E1,PTO,2026-02-03,AM,0.5,approved\nE1,PTO,2026-02-03,PM,0.5,approved\nE2,PTO,2026-02-04,AM,0.5,approved\n`,
  });
  expect(stored.requests.map(({ legacyId }) => legacyId).sort()).toEqual([
    "E1|PTO|2026-02-03|AM",
    "E1|PTO|2026-02-03|PM",
    "E2|PTO|2026-02-04|AM",
  ]);
});

test("a remark with a day below the rows is left out next month, too, by its beginning", async () => {
  const leave = (...below: string[]) =>
    `Employee ID,Type,From,To,Days,Status\nE1,PTO,2026-02-02,2026-02-02,1,approved\nE2,PTO,2026-02-04,2026-02-04,1,approved\n${below.join("\n")}\n`;
  const files = { "people.csv": PEOPLE, "leave.csv": leave("Total,,,,2,", "Generated on 2026-03-01 by HR") };
  const { draft } = await importedDraft(files);
  expect(draft).toContain('"skip": { "Employee ID": ["Total", "Generated on *"] }');
  const next = { ...files, "leave.csv": leave("Total,,,,2,", "generated on 2026-04-01 by HR") };
  const { stored } = await imported(next, asPaidLeave(draft));
  expect(stored.requests).toHaveLength(2);
  const other = { ...files, "leave.csv": leave("Generated by E9") };
  expect((await refused(other, asPaidLeave(draft))).join()).toContain("leave.csv:4: has 1 cell");
});

test.each(["ongoing", "9999-12-31", "-"])("leave whose last day is %s goes on, and it asks", async (end) => {
  const { questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv": `ID,Employee,From,To,Type,Days,Status\n1,E1,2026-02-02,${end},PTO,2,approved\n2,E2,2026-02-04,2026-02-04,PTO,1,approved\n3,E2,2026-02-05,2026-02-05,PTO,1,approved\n`,
  });
  expect(questions.join()).toContain(`"To" is "${end}" in rows of leave: if such leave is one day`);
});

test("leave without a kind is a question, and its error says what to write", async () => {
  const files = {
    "people.csv": PEOPLE,
    "leave.csv":
      "ID,Employee,From,To,Type,Days,Status\n1,E1,2026-02-02,2026-02-02,,1,approved\n2,E2,2026-02-04,2026-02-04,PTO,1,approved\n",
  };
  const { text, questions } = await draftOf(files);
  const remedy = 'if such leave is of one policy, name it: "translate": {"timeOffPolicyId": {"": "PTO"}}';
  expect(questions.join()).toContain(`"Type" is empty in rows of leave: ${remedy}`);
  const mapping = parse(asPaidLeave(text));
  mapping.requests.columns.Type = "timeOffPolicyId";
  expect((await refused(files, mapping)).join()).toContain(
    `leave.csv:2: timeOffPolicyId: is missing: ${remedy}`,
  );
  mapping.requests.translate.timeOffPolicyId = { "": "PTO" };
  expect((await imported(files, mapping)).stored.requests).toHaveLength(2);
});

test("of an id that some leave has not, one is made for all", async () => {
  const { stored } = await importedDraft({
    "people.csv": PEOPLE,
    "leave.csv":
      "ID,Employee,From,To,Type,Days,Status\n,E1,2026-02-02,2026-02-02,PTO,1,approved\n2,E2,2026-02-04,2026-02-04,PTO,1,approved\n",
  });
  expect(stored.requests.map(({ legacyId }) => legacyId).sort()).toEqual([
    "E1|PTO|2026-02-02",
    "E2|PTO|2026-02-04",
  ]);
});

test("a number of an approval is a step, and not an amount as in Taken(3.00)", async () => {
  const { questions } = await draftOf({
    "people.csv": PEOPLE,
    "leave.csv":
      "ID,Employee,Start,End,Type,Days,Status\n1,E1,2026-02-02,2026-02-02,PTO,1,Approved(1)\n2,E2,2026-02-02,2026-02-03,PTO,2,Approved(2)\n",
  });
  expect(questions.join()).toContain('status: what is "Approved(1)", "Approved(2)"');
});
