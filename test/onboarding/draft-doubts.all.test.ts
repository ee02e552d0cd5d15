// Drafts of what is easy to take for something else: they tell it apart by all of its values, or ask.
import { describe, expect, test } from "bun:test";
import FORMATS from "../../src/onboarding/date-formats.json" with { type: "json" };
import { datesIn, orderOf } from "../../src/onboarding/sample-dates.ts";
import { DAY_MS } from "../../src/time/day.ts";
import { imported, refused } from "../import/convert/mapped.ts";
import { type Files, TestCompany, workersCsv } from "../support/import-files.ts";
import { workbook } from "../support/workbook.ts";
import { answered, asPaidLeave, draftOf, draftText, importedDraft } from "./draft-folders.ts";

/** 4 March 2005, 9:30 in the morning, by the parts of formats. */
const PARTS: Readonly<Record<string, string>> = {
  ...{ yyyy: "2005", yy: "05", MM: "03", M: "3", dd: "04", d: "4", EEE: "Fri" },
  ...{ HH: "09", H: "9", h: "9", mm: "30", ss: "30", a: "AM" },
};

const PEOPLE = `Employee ID,First name,Last name,Hire date,Status
E0701,Ana,Lind,2020-01-02,Active
E0702,Bo,Ek,2021-02-03,Active
E0703,Cy,Yu,2022-03-04,Active`;

/** People, and leave with these columns beside who, what, and when. */
function leaveWith(columns: string, ...rows: readonly string[]): Files {
  const lines = rows.map((row, at) => `E070${(at % 3) + 1},PTO,2025-03-${10 + at},2025-03-${10 + at},${row}`);
  return {
    "people.csv": PEOPLE,
    "leave.csv": `Employee ID,Leave type,From,To,${columns}\n${lines.join("\n")}`,
  };
}

describe("amounts in a draft", () => {
  test.each([
    ["Duration", ["4h", "2", "1d"]],
    ["Duration", ["1.5d", "2", "3d"]],
    ["Hours", ["1.5d", "2", "3d"]],
  ])("in %s, %j: it asks what a number without a unit counts", async (column, amounts) => {
    const draft = await draftText(leaveWith(column, ...amounts));
    expect(draft).toContain('"units": { "requestedMinutes": "?" }');
    expect(draft).toContain(`what is "${column}" counted in: minutes, hours or days?`);
  });

  test.each([
    ["Days (h)", "?"],
    ["Duration (days/hours)", "?"],
    ["Hours (min)", "?"],
    ["Duration (h)", "hours"],
    ["Absence in h", "hours"],
    ["Urlaub [in Std.]", "hours"],
    ["Absence (d)", "days"],
    ["Annual leave (days)", "days"],
  ])("named %s are counted in %s", async (column, unit) => {
    const draft = await draftText(leaveWith(column, "8", "4", "8"));
    expect(draft).toContain(`"units": { "requestedMinutes": "${unit}" }`);
    expect(draft.includes("// ? units: what is")).toBe(unit === "?");
  });

  test("a column of small numbers with decimals, whatever its name is, may be the amounts that no column has", async () => {
    const asks = async (column: string, ...values: readonly string[]) =>
      (await draftText(leaveWith(column, ...values))).includes(`? hoursPerDay: "${column}"`);
    expect(await asks("Wert", "1", "0.5", "1")).toBe(true);
    expect(await asks("Wert", '"1,0"', '"0,5"', '"1,0"')).toBe(true);
    expect(await asks("Cost", "1250.50", "100.00", "80.00")).toBe(false);
    expect(await asks("Level", "1", "2", "1")).toBe(false);
    expect(await asks("Remaining", "12.5", "11.5", "3")).toBe(false);
  });

  test("a column of single letters has no units, unless its name says so", async () => {
    const rows = ["1,H", "2,M", "1,M"];
    const sex = await draftText(leaveWith("Days,Sex", ...rows));
    expect(sex).toContain('"units": { "requestedMinutes": "days" }');
    const unit = await draftText(leaveWith("Duration,Unit", ...rows));
    expect(unit).toContain('"units": { "requestedMinutes": { "column": "Unit" } }');
  });

  test("of 0 in approved leave of a weekday are asked about", async () => {
    const asks = async (...rows: readonly string[]) =>
      (await draftText(leaveWith("Deducted days,Status", ...rows))).includes(
        '// ? columns: "Deducted days" is "0" in rows of approved leave',
      );
    expect(await asks("1,Approved", "0,Approved", "1,Approved")).toBe(true);
    expect(await asks("1,Approved", "0,Cancelled", "0,Rejected")).toBe(false);
    const upToSaturday = ["1", "1", "1", "1", "1", "0"].map((days) => `${days},Approved`);
    expect(await asks(...upToSaturday)).toBe(false);
  });

  test("flags of half days are no amounts", async () => {
    const draft = await draftText(leaveWith("half_day,total_leave_days", "0,1", "1,0.5", "0,1"));
    expect(draft).toContain('"total_leave_days": "requestedMinutes"');
    const alone = await draftText(leaveWith("half_day", "0", "1", "0"));
    expect(alone).toContain('// ? hoursPerDay: "half_day": parts of days would be counted as whole ones');
  });

  // Lengths of leave on Mondays to Fridays, and on Mondays to Saturdays, of one file.
  test("leave without amounts asks for the working days, unless workers have theirs or each row is a day", async () => {
    const leave = (...days: readonly string[]) => ({
      "people.csv": PEOPLE,
      "leave.csv": `Employee ID,Leave type,From,To,Status\n${days.map((day) => `E0701,PTO,${day},Approved`).join("\n")}`,
    });
    const ranges = leave("2025-03-10,2025-03-15", "2025-03-18,2025-03-18");
    const asked = (text: string) => text.includes("// ? workDays: which days of the week are working days");
    const minutesWith = async (workDays: string) =>
      (await importedDraft(ranges, { "requests.workDays": workDays })).stored.requests
        .map(({ minutes }) => minutes)
        .sort();
    expect(asked(await draftText(ranges))).toBe(true);
    expect(await minutesWith("Mon-Fri")).toEqual([2400, 480]);
    expect(await minutesWith("Mon-Sat")).toEqual([2880, 480]);

    const days = PEOPLE.split("\n").map((line, at) => `${line},${at === 0 ? "Work days" : "Mon-Sat"}`);
    const own = await importedDraft({ ...ranges, "people.csv": days.join("\n") });
    expect(own.draft).not.toContain('"workDays": "');
    expect(own.stored.requests.map(({ minutes }) => minutes).sort()).toEqual([2880, 480]);

    const rows = (...dates: readonly string[]) => ({
      "people.csv": PEOPLE,
      "leave.csv": `Employee ID,Leave type,Date,Status\n${dates.map((day) => `E0701,PTO,${day},Approved`).join("\n")}`,
    });
    const one = await importedDraft(rows("2025-03-10", "2025-03-11"));
    expect(asked(one.draft)).toBe(false);
    expect(one.stored.requests.map(({ minutes }) => minutes)).toEqual([480, 480]);
    expect(asked(await draftText(rows("2025-03-14", "2025-03-15")))).toBe(true); // a Saturday
  });

  test.each([
    ["2025-03-10 09:00", "2025-03-10 13:00", true],
    ["2025-03-10T09:00:00+01:00", "2025-03-10T13:00:00+01:00", true],
    ["2025-03-10 00:00", "2025-03-11 00:00", false],
    ["2025-03-10T00:00:00+01:00", "2025-03-10T23:59:59+01:00", false],
  ])("without amounts, leave from %s to %s may be part of a day: %p", async (start, end, isPart) => {
    const draft = await draftText({
      "people.csv": PEOPLE,
      "leave.csv": `Employee ID,Leave type,From,To,Status\nE0701,PTO,${start},${end},Approved`,
    });
    expect(draft.includes('"hoursPerDay": "?"')).toBe(isPart);
  });

  test.each([
    ["Début", ["Matin", "Après-midi", "Matin"]],
    ["flagStartDate", ["FULL_DAY", "FIRST_HALF", "FULL_DAY"]],
    ["Slot", ["AM", "", "PM"]],
    ["Moment", ["Full", "First Half", "Second half"]],
  ])("the values of %s, %j, tell of half days, whatever its name is", async (column, values) => {
    const draft = await draftText(leaveWith(column, ...values));
    expect(draft).toContain(`// ? hoursPerDay: "${column}": parts of days would be counted as whole ones`);
  });
});

describe("amounts of other notations", () => {
  // 1.440 is 1440 where points separate thousands (CLDR: de, it, nl, pt, tr), and 1.44 where they come before decimals.
  test.each([
    [["960", "1.440", "480"], "decimal: is the point in"],
    [["960", "1,440", "480"], "decimal: is the comma in"],
    [["0.500", "1.440", "480"], null],
    [["7.5", "1.440", "480"], null],
    // Switzerland and Liechtenstein (CLDR: de-CH), and a space as in SI.
    [["960", "1'440", "480"], ". is before decimals"],
    [["960", "1\u00a0440.5", "480"], ". is before decimals"],
    [["960", "1\u202f440,5", "480"], ", is before decimals"],
  ])("%j", async (amounts, question) => {
    const text = await draftText({
      "people.csv": PEOPLE,
      "leave.csv": `Employee ID;Leave type;From;To;Minutes\n${amounts.map((amount, at) => `E070${at + 1};PTO;2025-03-10;2025-03-12;${amount}`).join("\n")}`,
    });
    if (question === null) expect(text).not.toContain("decimal");
    else if (/^[.,] /.test(question)) expect(text).toContain(`"decimal": "${question[0]}"`);
    else expect(text).toContain(`// ? ${question} "Minutes" before decimals`);
  });

  // Text cells are as people typed them; numbers of a workbook have no thousands.
  test.each([
    [[480, "1.440", 480], "point"],
    [[480, "1,440", 480.5], "comma"],
    [[480, "1.440", "7.5"], null],
    [[480, 1.44, 1440.125], null],
  ])("%j in a workbook", async (amounts, sign) => {
    const rows = amounts.map((amount, at) => [`E070${at + 1}`, "PTO", "2025-03-10", "2025-03-12", amount]);
    const header = ["Employee ID", "Leave type", "From", "To", "Minutes"];
    const text = await draftText({ "people.csv": PEOPLE, "leave.xlsx": workbook({ A: [header, ...rows] }) });
    if (sign === null) expect(text).not.toContain("decimal");
    else expect(text).toContain(`// ? decimal: is the ${sign} in "Minutes" before decimals`);
  });

  test.each([[["50%", "100%", "100%"]], [["1/2", "1 1/2", "1"]], [["1", "", ""]]])(
    "%j in a column of amounts, which no unit reads or few rows have, are asked about",
    async (amounts) => {
      const text = await draftText(leaveWith("Days", ...amounts));
      expect(text).toContain('// ? hoursPerDay: "Days": parts of days');
      expect(text).toContain('"hoursPerDay": "?"');
    },
  );
});

test.each([
  ["isDeleted", "false", "true"],
  ["Terminated", "No", "Yes"],
  ["Ausgeschieden", "nein", "ja"],
  ["Active", "Yes", "No"],
])("the flag %s is a status: %s is active, %s is inactive", async (column, active, inactive) => {
  const flags = [column, active, inactive, active];
  const lines = PEOPLE.split("\n").map((line, at) => line.replace(/[^,]*$/, flags[at]!));
  const { stored } = await importedDraft({
    "people.csv": lines.join("\n"),
    "leave.csv": leaveWith("Days,Status", "1,Approved", "1,Approved")["leave.csv"]!,
  });
  expect(stored.workers.map(({ legacyId, status }) => `${legacyId} ${status}`).sort()).toEqual([
    "E0701 active",
    "E0702 inactive",
    "E0703 active",
  ]);
});

test("a person without a status, among others who have one, is asked about", async () => {
  const people = `${PEOPLE.replace("2021-02-03,Active", "2021-02-03,")}\nTotal,3,,,`;
  const files = {
    "people.csv": people,
    "leave.csv": leaveWith("Days,Status", "1,Approved", "1,Approved")["leave.csv"]!,
  };
  expect(await draftText(files)).toContain('// ? translate: status: what is "": one of draft, invited,');
  const { stored } = await importedDraft(files, { "workers.translate.status.": "inactive" });
  expect(stored.workers.map(({ status }) => status).sort()).toEqual(["active", "active", "inactive"]);
  expect(await draftText({ ...files, "people.csv": `${PEOPLE}\nTotal,3,,,` })).not.toContain('what is ""');
});

test("files whose letters look like two encodings are asked about", async () => {
  const people = "Employee ID;Last name;First name;Hire date\n";
  const polish = `${people}1;Wiśniewski;Łukasz;2020-01-15\n2;Wójcik;Małgorzata;2021-02-03\n3;Dąbrowska;Żaneta;2021-02-04`;
  const leave =
    "Employee ID;Type;First day;Last day;Days;Status;Note\n1;Vacation;2025-03-13;2025-03-14;2;Approved;";
  const in1250 = new Map(Object.entries({ ś: 0x9c, Ł: 0xa3, ó: 0xf3, ł: 0xb3, ą: 0xb9, Ż: 0xaf }));
  const bytes = Buffer.from([...polish].map((letter) => in1250.get(letter) ?? letter.charCodeAt(0)));
  const files = {
    "people.csv": bytes,
    "leave.csv": Buffer.from(`${leave}Müller vertritt, schöne Grüße`, "latin1"),
  };
  const draft = await draftOf(files);
  expect(draft.questions.filter((question) => question.includes("encoding"))).toEqual([
    'people.csv: encoding: its letters look like windows-1250, those of leave.csv like windows-1252. If one program wrote both, correct "encoding" where it is wrong',
  ]);
  const alike = { ...files, "leave.csv": leave };
  expect((await draftOf(alike)).questions.join()).not.toContain("encoding");
});

test("a column without a name is told, and may be the amounts that no column has", async () => {
  const csv = String(leaveWith("Days", "1", "0.5")["leave.csv"]).replace("Days", "");
  const text = await draftText({ "people.csv": PEOPLE, "leave.csv": csv });
  expect(text).toContain("// column 5 has values, but no name in the header, so nothing reads it: name it");
  expect(text).toContain("// ? hoursPerDay: column 5, which has no name: parts of days");
  const index = leaveWith("Days", "1", "1");
  const pandas = Object.fromEntries(
    Object.entries(index).map(([name, lines]) => [
      name,
      String(lines)
        .split("\n")
        .map((line, at) => `${at === 0 ? "" : at - 1},${line}`)
        .join("\n"),
    ]),
  );
  const { draft, stored } = await importedDraft(pandas, { "requests.values.status": "approved" });
  expect(draft).toContain("// column 1 has values, but no name");
  expect(stored.requests).toHaveLength(2);
});

test("words for nothing are no departments, workplaces, positions or managers", async () => {
  const more = [
    "Department,Location,Job title,Manager",
    "NULL,-,None,n/a",
    "IT,N/A,Nil Officer,E0701",
    "IT,,Clerk,-",
  ];
  const people = PEOPLE.split("\n").map((line, at) => `${line},${more[at]}`);
  const { stored } = await importedDraft({
    "people.csv": people.join("\n"),
    "leave.csv": leaveWith("Days,Status", "1,Approved", "1,Approved")["leave.csv"]!,
  });
  const told = stored.workers.map(({ doc }) => {
    const { firstName, department, primaryWorkplace, position, manager } = JSON.parse(doc);
    return [firstName, department?.name, primaryWorkplace?.name, position, manager?.firstName];
  });
  expect(told.sort()).toEqual([
    ["Ana", undefined, undefined, "", undefined],
    ["Bo", "IT", undefined, "Nil Officer", "Ana"],
    ["Cy", "IT", undefined, "Clerk", undefined],
  ]);
});

describe("dates in a draft", () => {
  const people = (...hired: readonly string[]) =>
    ["Employee ID,First name,Last name,Hire date,Status"]
      .concat(hired.map((day, at) => `E070${at + 1},A${at},B${at},${day},Active`))
      .join("\n");
  const leave = (from: string, to: string) =>
    `Employee ID,Leave type,From,To,Days,Status\nE0701,PTO,${from},${to},1,Approved\nE0702,PTO,${to},${to},1,Approved`;

  // yy/MM/dd is the short form of Japan, South Africa and others; dd/MM/yy that of most of Europe.
  test("with years of two digits are asked about, unless the lengths of leave tell their order", async () => {
    const draft = await draftText({
      "people.csv": people("25/03/10", "21/04/26"),
      "leave.csv": leave("25/07/01", "25/07/08"),
    });
    expect(draft).toContain('// ? dates: d/M/yy or yy/MM/dd in "Hire date"? No date in the file tells');
    expect(draft).toContain('// ? dates: d/M/yy or yy/MM/dd in "From", "To"? No date in the file tells');
    const three = await draftText({ "people.csv": people("05/03/10", "04/11/12") });
    expect(three).toContain('// ? dates: M/d/yy or d/M/yy or yy/MM/dd in "Hire date"?');
    const spans = (...days: readonly string[]) => ({
      "people.csv": people("2025-03-10", "2021-04-26"),
      "leave.csv": `Employee ID,Leave type,From,To,Status\n${days.map((day) => `E1,PTO,${day},Approved`).join("\n")}`,
    });
    const year = await draftText(spans("25/07/01,25/07/08", "25/12/22,26/01/05", "25/08/04,25/08/04"));
    expect(year).toContain('"dates": "yy/MM/dd"');
    const day = await draftText(spans("01.07.25,08.07.25", "22.12.25,05.01.26"));
    expect(day).toContain('"dates": "dd.MM.yy"');
    // One such row may be a mistake of the file.
    const mistake = await draftText(spans("25/07/01,25/07/08", "25/08/04,25/08/04"));
    expect(mistake).toContain("// ? dates: d/M/yy or yy/MM/dd");
    const month = await draftText(spans("02/03/2026,01/04/2026", "02/10/2026,01/11/2026"));
    expect(month).toContain('"dates": "dd/MM/yyyy"');
  });

  // One system writes 03/25/2020, another 01/02/2026 for 1 February: the order of one file says nothing of the other.
  test("of a file that tells no order of day and month are asked about, and those of other files are a hint", async () => {
    const draft = await draftText({
      "people.csv": people("03/25/2020", "04/26/2021"),
      "leave.csv": leave("01/02/2026", "02/02/2026"),
    });
    expect(draft).toContain(
      '// ? dates: dd/MM/yyyy or MM/dd/yyyy in "From", "To"? No date in the file tells. In other files, the month comes first',
    );
    expect(draft).toContain('"dates": "?"');
    expect(draft).toContain('"dates": "MM/dd/yyyy"');
  });

  test("are read by the order that another column of their file tells", async () => {
    const draft = await draftText({
      "people.csv": people("03/25/2020", "04/26/2021"),
      "leave.csv": leave("01/02/2026", "25/02/2026"),
    });
    expect(draft).not.toContain("? dates");
    expect(draft).toContain('"dates": "dd/MM/yyyy"');
    expect(draft).toContain('"dates": "MM/dd/yyyy"');
  });
});

describe("states in a draft", () => {
  test("a day of cancellation is asked about, unless the status tells it", async () => {
    const rows = ["1,Approved,2025-02-01", "1,Approved,", "1,Approved,"];
    const files = leaveWith("Days,Status,Cancelled on", ...rows);
    expect(await draftText(files)).toContain(
      '// ? skip: are requests with a value, such as "2025-02-01", in "Cancelled on" cancelled or refused? Write "*" to leave them out, or remove the line',
    );
    const { stored } = await importedDraft(files, { "requests.skip": { "Cancelled on": "*" } });
    expect(stored.requests.map(({ legacyId }) => legacyId).sort()).toEqual([
      "E0702|PTO|2025-03-11",
      "E0703|PTO|2025-03-12",
    ]);
    expect(await refused(files, answered(asPaidLeave(await draftText(files)), {}))).toEqual([
      'map.json: requests.skip.Cancelled on: "?" is an unanswered question',
    ]);
    const told = ["1,Cancelled,2025-02-01", "1,Approved,", "1,Approved,"];
    expect(await draftText(leaveWith("Days,Status,Cancelled on", ...told))).not.toContain("// ? skip");
  });

  test("a cancellation that was asked for, or refused, is asked about", async () => {
    const states = [
      "Cancelled",
      "Cancellation requested",
      "Annulation refusée",
      "Storno beantragt",
      "Approved",
    ];
    const draft = await draftText(leaveWith("Days,Status", ...states.map((state) => `1,${state}`)));
    expect(draft).toContain('"skip": { "Status": ["Cancelled"] }');
    expect(draft).toContain(
      '// ? translate: status: what is "Cancellation requested", "Annulation refusée", "Storno beantragt": one of pending, approved, denied, or rows to "skip"?',
    );
  });

  // Jorani's `Cancellation` is leave that counts until a manager cancels it: LMS_CANCELLATION in getLeaveBalanceForEmployee.
  test.each([
    ["Cancellation", "Canceled"],
    ["Annulation", "Annulée"],
    ["Stornierung", "Storniert"],
    ["Annulering", "Geannuleerd"],
    ["Cancelación", "Cancelada"],
    ["Cancelamento", "Cancelado"],
    ["Annullamento", "Annullata"],
    ["Anulowanie", "Anulowany"],
    ["Cancellation in review", "Withdrawn"],
  ])("a %s is asked about, and leave that is %s is left out", async (wish, cancelled) => {
    const states = [wish, cancelled, "Approved"];
    const draft = await draftText(leaveWith("Days,Status", ...states.map((state) => `1,${state}`)));
    expect(draft).toContain(`"skip": { "Status": ["${cancelled}"] }`);
    expect(draft).toContain(`translate: status: what is "${wish}": one of`);
  });

  // Frappe: docstatus 0 is a draft, 1 submitted, 2 cancelled. A draft may be Approved already, and does not count.
  test("a second status in numbers is asked about, unless the first one tells it", async () => {
    const draft = await draftText(
      leaveWith("Days,Status,Document Status", "1,Approved,1", "1,Approved,0", "1,Cancelled,2"),
    );
    expect(draft).toContain('"skip": { "Status": ["Cancelled"], "Document Status": ["?"] }');
    expect(draft).toContain('which of "1", "0", "2" in "Document Status" are drafts, or cancelled');
    const told = leaveWith("Days,Status,Document Status", "1,Approved,1", "1,Open,0", "1,Cancelled,2");
    expect(await draftText(told)).not.toContain("are drafts, or cancelled");
  });

  test("a column that says which requests were cancelled leaves them out", async () => {
    const draft = await draftText(leaveWith("Days,Cancelled,Status", "1,Yes,Approved", "1,No,Approved"));
    expect(draft).toContain('"skip": { "Cancelled": ["Yes"] }');
    expect(draft).toContain('"status": { "Approved": "approved" }');
  });

  test("approved by yes is approved, and by no is asked about", async () => {
    const draft = await draftText(leaveWith("Days,isApproved", "1,oui", "1,oui", "1,non"));
    expect(draft).toContain('"status": { "oui": "approved", "non": "?" }');
    expect(draft).toContain('// ? translate: status: what is "non": one of pending, approved, denied');
  });

  test("a termination that is not yet, or not at all, is asked about", async () => {
    const people = PEOPLE.replace("2020-01-02,Active", "2020-01-02,Pending termination")
      .replace("2021-02-03,Active", "2021-02-03,Not terminated")
      .replace("2022-03-04,Active", "2022-03-04,Voluntarily terminated");
    const draft = await draftText({ "people.csv": people });
    expect(draft).toContain('"Voluntarily terminated": "inactive"');
    expect(draft).toContain(
      '// ? translate: status: what is "Pending termination", "Not terminated": one of',
    );
  });

  test.each([
    "Grant",
    "Credited",
    "Lapsed",
    "Encashed",
    "Paid out",
    "Forfeited",
    "Expired",
    "Closing balance",
    "Verfallen",
    "Auszahlung",
  ])("rows with %s are no leave", async (word) => {
    const draft = await draftText(leaveWith("Days,Transaction type", "1,Leave", `1,${word}`, "2,Leave"));
    expect(draft).toContain(`"skip": { "Transaction type": ["${word}"] }`);
  });
});

// Excel's Subtotal and LibreOffice's write the name of each group beside the word, and the whole sum below.
test.each(["Total", "Ergebnis", "Summe"])(
  "rows of groups that are added up (%s) are no leave",
  async (word) => {
    const leave = (person: string, label: string) =>
      `${label},${person},PTO,2025-03-10,2025-03-11,2\n,E0701 ${word},,,,2\n`;
    const header = "Request ID,Employee ID,Leave type,From,To,Days\n";
    const files = { "people.csv": PEOPLE, "leave.csv": `${header}${leave("E0701", "R1")}` };
    expect(await draftText(files)).toContain(`"skip": { "Employee ID": ["E0701 ${word}"] }`);
    const first = `${header}R1,E0701,PTO,2025-03-10,2025-03-11,2\nE0701 ${word},,,,,2\nR2,E0702,PTO,2025-03-12,2025-03-12,1\nE0702 ${word},,,,,1\nGrand Total,,,,,3\n`;
    expect(await draftText({ ...files, "leave.csv": first })).toContain('"skip": { "Employee ID": [""] }');
    const named = `${header}R1,Ana ${word},PTO,2025-03-10,2025-03-11,2\n`;
    expect(await draftText({ ...files, "leave.csv": named })).not.toContain("look like totals");
  },
);

describe("people in a draft", () => {
  test("Name beside a first name is the last name", async () => {
    const people =
      "Pers-Nr;Name;Vorname;E-Mail;Eintritt;Status\n1;von Allmen;Urs;u@acme.example;2020-01-13;aktiv";
    const { stored } = await importedDraft({ "mitarbeiter.csv": people });
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).displayName)).toEqual(["Urs von Allmen"]);
  });

  test.each(["4712-12-31", "31/12/2999", "0001-01-01", "12/31/4712", "1900-01-01", "01.01.1900"])(
    "%s as a last day means that there is none",
    async (none) => {
      const rows = [`${none}`, "2024-05-31", `${none}`];
      const [head = "", ...people] = PEOPLE.replaceAll(",Active", "").replace(",Status", "").split("\n");
      const lines = [`${head},Termination date`, ...people.map((one, at) => `${one},${rows[at]}`)];
      const files = { "people.csv": lines.join("\n") };
      const draft = await draftText(files);
      expect(draft).toContain(`"endDate": { "${none}": "" }`);
      const { stored } = await imported(files, draft);
      expect(stored.workers.map(({ status }) => status).toSorted()).toEqual(["active", "active", "inactive"]);
    },
  );

  // A formula that refers to an empty cell is 0, which a date format shows as 00/01/1900.
  test("a last day of 0 in a workbook, or of one day for all that is none, means that there is none", async () => {
    const [head = [], ...people] = PEOPLE.split("\n").map((line) => line.split(",").slice(0, -1));
    const date = (serial: number) => ({ serial, as: "date" }) as const;
    const sheet = [
      [...head, "Termination date"],
      ...people.map((person, at) => [...person, date(at > 0 ? 0 : 45_000)]),
    ];
    expect(await draftText({ "people.xlsx": workbook({ People: sheet }) })).toContain(
      '"endDate": { "0": "" }',
    );
    const lines = [[...head, "Termination date"], ...people.map((person) => [...person, "9999-12-31"])];
    expect(await draftText({ "people.csv": lines.map((line) => line.join(",")).join("\n") })).toContain(
      '"endDate": { "9999-12-31": "" }',
    );
  });

  test.each([
    [["", "Lind Ana", "Ek Bo"]],
    [["", "Lind, Ana (E0701)", "Ana Lind (E0701)"]],
    [["", "E0701: Lind, Ana", "E0701 - Ana Lind"]],
    [["", "E0701: Lind, Ana", "Ana Lind (E0701)"]],
  ])("managers are found by their names, or by ids beside these, as in %j", async (managers) => {
    const [head = "", ...people] = PEOPLE.split("\n");
    const lines = [`${head},Manager`, ...people.map((one, at) => `${one},"${managers[at]}"`)];
    const files = { "people.csv": lines.join("\n") };
    const { stored } = await imported(files, await draftText(files));
    const idOf = new Map(stored.workers.map(({ legacyId, id }) => [legacyId, id]));
    const found = new Map(stored.workers.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc).managerId]));
    expect(found.get("E0701") ?? null).toBeNull();
    expect(found.get("E0702")).toBe(idOf.get("E0701"));
    expect(found.get("E0703")).toBe(idOf.get(managers[2] === "Ek Bo" ? "E0702" : "E0701"));
  });

  test("capitals tell that the last name comes first", async () => {
    const rows = ["DUPONT Marie", "LE GALL Yann", "PETIT Zoé"].map(
      (name, at) => `E070${at},${name},2020-01-02`,
    );
    const draft = await draftText({ "people.csv": `Matricule,Salarié,Date d'entrée\n${rows.join("\n")}` });
    expect(draft).toContain('"Salarié" seems to have the last name first, without a comma');
  });
});

describe("dates in a draft", () => {
  test.each([
    ["2025-03-10Z", "yyyy-MM-dd'Z'"],
    ["2025-03-10-08:00", "yyyy-MM-ddXXX"],
    ["2025-03-10T09:30", "yyyy-MM-dd'T'HH:mm"],
    ["2025-03-10T09:30Z", "yyyy-MM-dd'T'HH:mmXXX"],
  ])("%s has the format %s", async (date, format) => {
    const draft = await draftText({
      "people.csv": PEOPLE,
      "leave.csv": `Employee ID,Leave type,From,To,Days\nE0701,PTO,${date},${date},1\nE0702,PTO,${date},${date},1`,
    });
    expect(draft).toContain(`"dates": "${format}"`);
  });
});

// Systems keep rows that count no more, and say so in a column of their own: Timetastic's `isArchived`, Factorial's `active`.
describe("a flag beside the status", () => {
  const withFlag = (name: string, ...flags: readonly string[]) =>
    PEOPLE.split("\n")
      .map((line, at) => `${line},${at === 0 ? name : flags[at - 1]}`)
      .join("\n");

  test.each([
    ["isArchived", ["false", "true", "false"], '"true" in "isArchived"'],
    ["is_active", ["1", "0", "1"], '"0" in "is_active"'],
    ["Aktiv", ["ja", "ja", "nein"], '"nein" in "Aktiv"'],
    ["Archived at", ["", "2024-05-06", ""], 'a value, such as "2024-05-06", in "Archived at"'],
  ])("%s asks whether these people are gone", async (name, flags, said) => {
    const files = { "people.csv": withFlag(name, ...flags) };
    const draft = await draftText(files);
    expect(draft).toContain(`// ? skip: are workers with ${said} gone?`);
    expect(draft).toContain(`"skip": { "${name}": ["?"] }`);
    expect((await refused(files, draft)).join()).toContain(`skip.${name}: "?" is an unanswered question`);
  });

  test("asks nothing if it is set for nobody, or for those alone whom the status says to be gone", async () => {
    for (const text of [
      withFlag("isArchived", "false", "false", "false"),
      withFlag("Full day worker", "yes", "no", "no"),
      withFlag("isArchived", "false", "true", "false").replace("2021-02-03,Active", "2021-02-03,Terminated"),
    ])
      expect(await draftText({ "people.csv": text })).not.toContain("? skip:");
  });

  test("of leave or balances asks, too, and cancelled leave is left out", async () => {
    const leave = leaveWith(
      "Days,Status,isArchived,Deleted",
      "1,Approved,0,0",
      "1,Approved,1,0",
      "1,Approved,0,1",
    );
    const draft = await draftText(leave);
    expect(draft).toContain('// ? skip: are requests with "1" in "isArchived" cancelled or refused?');
    expect(draft).toContain('"skip": { "isArchived": ["?"], "Deleted": ["1"] }');
    const balances = "Employee ID,Leave type,Balance,Archived\nE0701,PTO,5,no\nE0702,PTO,7,yes";
    expect(await draftText({ "people.csv": PEOPLE, "balances.csv": balances })).toContain(
      '// ? skip: are openings with "yes" in "Archived" gone?',
    );
  });
});

describe("what a table has beside what is read", () => {
  test("kinds of hours ask which are leave, as ADP's earning codes do", async () => {
    const hours = (codes: readonly string[]) =>
      `Employee ID,Work date,Hours,Earning code\n${codes.map((code, at) => `E070${at + 1},2025-03-0${at + 3},8,${code}`).join("\n")}`;
    const draft = await draftText({ "people.csv": PEOPLE, "timecards.csv": hours(["REG", "VAC", "REG"]) });
    expect(draft).toContain(
      '// ? skip: which of "REG", "VAC" in "Earning code" are not hours that were worked',
    );
    expect(draft).toContain('"skip": { "Earning code": ["?"] }');
    expect(await draftText({ "timecards.csv": hours(["REG", "REG", "REG"]) })).not.toContain("? skip:");
  });

  test("times in cells of their own ask for amounts", async () => {
    const rows = (start: string, end: string) =>
      leaveWith("Start time,End time,Status", `${start},${end},Approved`);
    for (const [start, end] of [
      ["09:00", "13:00"],
      ["9:00 AM", "1:00 PM"],
    ] as const)
      expect(await draftText(rows(start, end))).toContain('// ? hoursPerDay: "Start time", "End time"');
    expect(await draftText(rows("00:00", "23:59"))).not.toContain("? hoursPerDay");
  });

  const WEEKDAYS = ["2025-03-03", "2025-03-04", "2025-03-05", "2025-03-06", "2025-03-07"];
  const planWith = (kind: string, days = WEEKDAYS) => ({
    "people.csv": PEOPLE,
    "plan.csv": `Employee ID;${days.join(";")};Total\nE0701;U;U;;${kind};;3\nE0702;;K;;;;1`,
  });

  test("a sum beside days in columns is no amount of a day", async () => {
    const draft = await draftText(planWith("U"));
    expect(draft).toContain('"hoursPerDay": 8');
    expect(draft).not.toContain("requestedMinutes");
  });

  test.each([
    ["U/2", "U"],
    ["½U", "U"],
    ["U0,5", "U"],
    ["U vormittags", "U"],
    ["U am", "U"],
    ["U4", "U"],
    ["U 4h", "U"],
    ["½X", null],
    ["HU", null],
    ["U/K", null],
  ])("%s in a plan of days asks what part of a day it is, and is of the policy %s", async (kind, whole) => {
    const draft = await draftText(planWith(kind));
    const question = `? translate: requestedMinutes: are "${kind}" in "leave type" parts of days?`;
    expect(draft).toContain(question);
    const amounts = { [`requests.translate.requestedMinutes.${kind}`]: "0.5" };
    const { stored } = await importedDraft(planWith(kind), {
      ...amounts,
      "requests.values.status": "approved",
    });
    const names = new Map(stored.policies.map(({ id, legacyId }) => [id, legacyId]));
    const leave = stored.requests.map(({ doc }) => JSON.parse(doc));
    expect(
      leave
        .map((one) => `${one.startAt.slice(5, 10)} ${names.get(one.timeOffPolicyId)} ${one.requestedMinutes}`)
        .toSorted(),
    ).toEqual(["03-03 U 480", "03-04 K 480", "03-04 U 480", `03-06 ${whole ?? kind} 240`]);
  });

  test.each(["V", "UNPAID", "Training", "K"])("%s in a plan of days is a kind of its own", async (kind) => {
    expect(await draftText(planWith(kind))).toContain('"hoursPerDay": 8');
  });

  test("a plan that has U and u asks for another word, because a mapping does not tell them apart", async () => {
    const draft = await draftText(planWith("u"));
    expect(draft).toContain('? hoursPerDay: is "U" or "u" in "leave type" a part of a day?');
    expect(draft).toContain('"hoursPerDay": "?"');
  });

  test("if weekends are marked, parts of days ask for hoursPerDay, since amounts would count the weekends", async () => {
    const draft = await draftText(planWith("U/2", [...WEEKDAYS.slice(0, 3), "2025-03-08", "2025-03-10"]));
    expect(draft).toContain('// ? hoursPerDay: "leave type": parts of days');
    expect(draft).toContain("Give them a source of their own");
  });

  // The wall planner of an office: a sheet a year, the days of the month above, a row a person.
  test("people beside days of the month, or beside several amounts, have a place or a question", async () => {
    const days = Array.from({ length: 31 }, (_, at) => String(at + 1));
    const files = (header: readonly string[], ...cells: readonly string[]) => ({
      "people.csv": PEOPLE,
      "2025.csv": `Name,${header}\n${["Ana Lind", "Bo Ek", "Cy Yu"].map((name) => `${name},${cells}`).join("\n")}`,
    });
    const asks = async (given: Files) => (await draftText(given)).includes("// ? What is in these?");
    expect(await asks(files(days, "U", ...days.slice(1).map(() => "")))).toBe(true);
    expect(await asks(files(["Jan", "Feb", "Mar"], "1", "0", "2.5"))).toBe(true);
    // In an unknown language, the days may have a form that nobody knows, too.
    expect(await asks(files(["ရက်"], "2026 မတ် 2"))).toBe(true);
    expect(await asks(files(["Laptop", "Phone"], "X1", "none"))).toBe(false);
  });
});

describe("nothing of leave is lost without a question", () => {
  test("days with AM or PM, in any language, are parts of days", async () => {
    for (const day of ["13/03/2025 AM", "13/03/2025 Matin"]) {
      const leave = `Employee ID,Leave type,Start date,End date,Status\nE0701,PTO,${day},${day},Approved`;
      expect(await draftText({ "people.csv": PEOPLE, "leave.csv": leave })).toContain(
        '// ? hoursPerDay: "Start date", "End date": parts of days',
      );
    }
  });

  test("a second status that refuses or cancels is asked about, unless the first one does so", async () => {
    const files = (...states: readonly string[]) => leaveWith("Days,Approval status,Status", ...states);
    expect(await draftText(files("1,Approved,Closed", "1,Approved,Withdrawn"))).toContain(
      '// ? skip: are requests with "Withdrawn" in "Status" cancelled or refused? Write "Withdrawn" to leave them out',
    );
    expect(await draftText(files("1,Approved,Closed", "1,Rejected,Withdrawn"))).not.toContain("? skip:");
    // Two people approve: one has not yet.
    const two = async (...states: readonly string[]) =>
      await draftText(leaveWith("Days,Manager status,HR status", ...states));
    expect(await two("1,Approved,Pending", "1,Approved,Approved")).toContain(
      '// ? skip: are requests with "Pending" in "HR status" cancelled, or not approved?',
    );
    expect(await two("1,Pending,Pending", "1,Approved,Approved")).not.toContain("? skip:");
  });

  // greytHR's transactions: what was granted, availed, withdrawn and cancelled is told by one column, and no column is a status.
  test("rows that are refused or cancelled by another column are asked about where there is no status", async () => {
    const draft = await draftText(
      leaveWith("Days,Transaction type", "1,Granted", "1,Availed", "1,Availed", "1,Withdrawn", "1,Cancelled"),
    );
    expect(draft).toContain(
      '// ? skip: are requests with "Withdrawn", "Cancelled" in "Transaction type" cancelled or refused? Write "Withdrawn", "Cancelled" to leave them out, or remove the "?"',
    );
    expect(draft).toContain('"skip": { "Transaction type": ["?", "Granted"] }');
    for (const [column, value] of [
      ["Rejected at", "2025-03-12T08:00:00Z"],
      ["rejectedOn", "2025-03-12"],
      ["Rejected", "Yes"],
    ])
      expect(await draftText(leaveWith(`Days,${column}`, `1,${value}`, "1,", "1,"))).toContain(
        `in "${column}" cancelled or refused?`,
      );
    expect(await draftText(leaveWith("Days,Approved at", "1,2025-03-12", "1,"))).not.toContain("? skip");
  });

  // PeopleForce and others export JSON in UTC, where leave of Berlin begins at 22:00 or 23:00 of the day before.
  test("midnights of another zone ask for the zone", async () => {
    const files = (...spans: readonly string[]) => ({
      "people.csv": PEOPLE,
      "leave.csv": `Employee ID,Leave type,Start date,End date,Days,Status\n${spans.map((span) => `E0701,PTO,${span},1,Approved`).join("\n")}`,
    });
    const winter = "2025-03-02T23:00:00Z,2025-03-03T22:59:59Z";
    expect(await draftText(files(winter))).toContain(
      '// ? values: timeZone: "Start date" is at the same hour',
    );
    expect(await draftText(files("2025-07-03T22:00:00Z,2025-07-04T21:59:59Z", winter))).toContain(
      '"timeZone": "?"',
    );
    expect(await draftText(files("2025-03-02T23:00:00Z,2025-03-03T23:00:00Z"))).toContain('"timeZone": "?"');
    for (const other of [
      "2025-03-03T00:00:00Z,2025-03-04T00:00:00Z",
      "2025-03-03T09:00:00Z,2025-03-03T13:00:00Z",
    ])
      expect(await draftText(files(other))).not.toContain("timeZone");
  });

  // JavaScript, PostgreSQL, SQL Server and Java write a day as its midnight, so an end may be the last day of leave.
  test.each([
    ["2025-03-03T00:00:00.000Z", "2025-03-05T00:00:00.000Z"],
    ["2025-03-03T00:00:00Z", "2025-03-05T00:00:00Z"],
    ["2025-03-03T00:00:00+01:00", "2025-03-05T00:00:00+01:00"],
    ["2025-03-03 00:00:00+00", "2025-03-05 00:00:00+00"],
    ["2025-03-03 00:00:00.000", "2025-03-05 00:00:00.000"],
    ["2025-03-03 00:00:00.0", "2025-03-05 00:00:00.0"],
    ["03/17/2025 00:00:00", "03/19/2025 00:00:00"],
    ["3/17/2025 0:00", "3/19/2025 0:00"],
    ["17 Mar 2025 12:00 AM", "19 Mar 2025 12:00 AM"],
  ])("leave from %s to %s is days: the draft asks for the end, and reads it", async (start, end) => {
    const files = {
      "people.csv": PEOPLE,
      "leave.csv": `Request ID,Employee ID,Leave type,From,To,Days,Status\nR1,E0701,PTO,${start},${end},2.5,Approved`,
    };
    expect(await draftText(files)).toContain("? endDay: is the last day part of the leave");
    const { stored } = await importedDraft(files, { "requests.endDay": "included" });
    const { startAt, endAt } = JSON.parse(stored.requests[0]!.doc);
    expect(Date.parse(endAt) - Date.parse(startAt)).toBe(3 * DAY_MS);
  });

  const [ana, bo] = ["Ana", "Bo"].map((firstName, at) => ({
    id: `E${at}`,
    firstName,
    lastName: "Lind",
    email: `e${at}@example.com`,
    hireDate: "2020-01-02",
  }));
  const leave = {
    employeeId: "E0",
    type: "PTO",
    startDate: "2025-03-03",
    endDate: "2025-03-03",
    days: 1,
    status: "approved",
  };

  // A ListResponse of SCIM (RFC 7644, 3.4.2): `totalResults` is not the number of its `schemas`.
  test("a list of texts beside the rows has no rows", async () => {
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:ListResponse"];
    const response = { schemas, totalResults: 2, Resources: [ana, bo] };
    const { draft, stored } = await importedDraft({ "users.json": JSON.stringify(response) });
    expect(draft).toContain('"at": "Resources"');
    expect(stored.workers).toHaveLength(2);
  });

  // Oracle's REST: `count` is of the items, not of the links beside them.
  test.each([
    [[], 0],
    [[{ rel: "self", href: "https://example.com/emps" }], 1],
  ])("a list beside the people that is not as long as their count says: %j", async (links, asked) => {
    const response = { items: [ana, bo], count: 2, hasMore: false, links };
    const { text, questions } = await draftOf({ "emps.json": JSON.stringify(response) });
    expect(text).toContain('"at": "items"');
    expect(questions).toHaveLength(asked);
    if (asked > 0) expect(text).toContain('"emps.json, list \\"links\\"": "is one page of a longer list');
    const page = await draftOf({ "emps.json": JSON.stringify({ ...response, count: 3 }) });
    expect(page.isEmpty).toBe(true);
  });

  test("the name of a department or manager is not that of a person; an empty column is no id; an object or null is no column", async () => {
    const inside = [ana, bo].map((person, at) => ({
      ...{ ...person, ref: null, employee_ref: "", department: { id: 1, name: "Sales" } },
      line_manager: at === 0 ? null : { id: "E0", name: "Ana Lind" },
    }));
    const { draft, stored } = await importedDraft({ "employees.json": JSON.stringify(inside) });
    expect(draft).toContain('"id": "legacyId"');
    expect(draft).toContain('"department.name": "department"');
    expect(draft).toContain('"line_manager.id": "managerId"');
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).displayName).toSorted()).toEqual([
      "Ana Lind",
      "Bo Lind",
    ]);
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).department.name)).toEqual(["Sales", "Sales"]);
    expect(stored.workers.filter(({ managerId }) => managerId !== null)).toHaveLength(1);
  });

  test("each list of a JSON document is read; a list inside of each row is asked about", async () => {
    const two = {
      "export.json": JSON.stringify({ employees: [ana, bo], timeOff: [{ id: 7, ...leave }], kinds: [1] }),
    };
    const { draft, stored } = await importedDraft(two);
    expect(draft).toContain('"at": "timeOff"');
    expect(stored.workers).toHaveLength(2);
    expect(stored.requests).toHaveLength(1);
    const inside = {
      "people.json": JSON.stringify([
        { ...ana, leaves: [] },
        {
          ...bo,
          leaves: [leave],
          Ausfälle: [{ typ: "U", von: "2025-03-10", bis: "2025-03-11" }],
          jobs: [{ hired: "2020-01-15" }],
        },
      ]),
    };
    const asked = await draftText(inside);
    expect(asked).toContain('"people.json: Ausfälle": "it is a list inside of each row');
    expect(asked).toContain('"people.json: leaves": "it is a list inside of each row');
    expect(asked).not.toContain("people.json: jobs");
  });

  test("a file of another form that is named like leave is asked about; one of a kind's own name is refused", async () => {
    const files = { "people.csv": PEOPLE, "leave.zip": "PK", "readme.txt": "x" };
    const draft = await draftText(files);
    expect(draft).toContain('"leave.zip": "its name does not end in .csv');
    expect(draft).toContain("// readme.txt is not read");
    const company = await TestCompany.open();
    const findings = await company.refused({ "workers.csv": workersCsv("E1"), "requests.txt": "x" });
    expect(findings.join()).toContain("requests.txt is not an import file");
  });

  // hs_hr_employee of OrangeHRM has the key of an employment status, and nothing for most people.
  test("an empty status beside ones is asked about, unless the column is named like a flag", async () => {
    const people = (column: string) =>
      draftText({
        "people.csv": PEOPLE.replace("Active", "1")
          .replace(/Active/g, "")
          .replace("Status", column),
      });
    expect(await people("emp_status")).toContain('"status": { "1": "active", "": "?" }');
    expect(await people("Active")).toContain('"status": { "1": "active", "": "inactive" }');
    expect(await people("Terminated")).toContain('"status": { "1": "inactive", "": "active" }');
  });

  test("the kind of a balance is told by its words, whatever its column is called", async () => {
    const balances = "Personeelsnummer;Soort;Resterend (uren)\nE0701;Vakantie;152,5\nE0702;Vakantie;8,0";
    const draft = await draftText({ "people.csv": PEOPLE, "verlofsaldo.csv": balances });
    expect(draft).toContain('"Soort": "policyId"');
  });

  test("percentages of days ask for amounts, and people with leave in their rows for its place", async () => {
    const percent = (...values: readonly string[]) => leaveWith("Percentage,Status", ...values);
    expect(await draftText(percent("100%,Approved", "50%,Approved"))).toContain(
      '// ? hoursPerDay: "Percentage"',
    );
    expect(await draftText(percent("100%,Approved", "100%,Approved"))).not.toContain("? hoursPerDay");
    const beside = PEOPLE.split("\n").map(
      (line, at) =>
        `${line},${["Leave type,Leave start,Leave end", "PTO,2025-03-03,2025-03-04"][Math.min(at, 1)]}`,
    );
    expect(await draftText({ "people.csv": beside.join("\n") })).toContain(
      '"people.csv": "its rows of people have leave, too: map that to requests"',
    );
    const [first = "", ...rest] = PEOPLE.replaceAll("Hire", "Start").split("\n");
    const absences = [`${first},Absence type,Days`, ...rest.map((line) => `${line},MEDICAL,2`)].join("\n");
    expect(await draftText({ "absences.csv": absences })).toContain(
      '"absences.csv": "its rows of people have leave, too: map that to requests"',
    );
  });
});

// BambooHR, Gusto and Paychex export the history of a balance with the balance after each row; payroll reports say what was taken in a period.
describe("amounts of balances and reports", () => {
  const draftOfTable = (name: string, header: string, ...rows: readonly string[]) =>
    draftText({ "people.csv": PEOPLE, [name]: [header, ...rows].join("\n") });

  test("balances of several days are not added up: they ask for a place", async () => {
    const draft = await draftOfTable(
      "balances.csv",
      "Employee ID,Leave type,Date,Balance (days)",
      ...["E0701,PTO,2025-01-31,10", "E0701,PTO,2025-02-28,12", "E0702,PTO,2025-01-31,5"],
    );
    expect(draft).toContain('"balances.csv": "it has balances: what was left on which day');
    expect(draft).not.toContain('"adjustments"');
  });

  test.each([
    [
      "Date,Leave type,Amount (hours),Balance (hours)",
      ["2025-01-01,PTO,8,8", "2025-02-01,PTO,8,16", "2025-03-10,PTO,-8,8"],
      '"Balance (hours)", "Amount (hours)"',
    ],
    [
      "Date,Leave type,Description,Earned,Used,Balance",
      ["2025-01-01,PTO,Accrual,2,,2", "2025-02-01,PTO,Accrual,2,,4", "2025-03-10,PTO,Vacation,,1,3"],
      '"Balance", "Earned", "Used"',
    ],
  ])("in a ledger of %s, it asks which column is the amount", async (header, rows, names) => {
    const lines = rows.map((row) => `E0701,${row}`);
    const draft = await draftOfTable("pto_history.csv", `Employee ID,${header}`, ...lines);
    expect(draft).toContain(`// ? columns: which of ${names} is the amount? Write "minutes" beside it`);
    expect(draft).not.toContain('"requests"');
  });

  test("an opening beside a closing balance asks which was left; what was granted and taken does not", async () => {
    const balances = (columns: string) =>
      draftOfTable(
        "balances.csv",
        `Employee ID,Leave type,${columns}`,
        "E0701,PTO,10,2,1,11",
        "E0702,PTO,5,2,0,7",
      );
    expect(await balances("Opening balance,Accrued,Taken,Closing balance")).toContain(
      '// ? columns: which of "Opening balance", "Closing balance" is the amount?',
    );
    expect(await balances("Entitlement,Carried,Taken,Balance")).not.toContain("? columns:");
  });

  test("hours beside hours worked ask which count", async () => {
    const hours = (column: string, ...values: readonly string[]) =>
      draftOfTable(
        "timesheets.csv",
        `Employee ID,Date,Hours,${column}`,
        ...values.map((value, at) => `E0701,2025-03-1${at},8,${value}`),
      );
    expect(await hours("Overtime", "1", "0")).toContain(
      '// ? columns: which of "Hours", "Overtime" is the amount? Write "minutes" beside it',
    );
    for (const [column, values] of [
      ["In", ["08:00", "09:00"]],
      ["Cost center", ["4711", "4712"]],
      ["Job code", ["12", "13"]],
    ] as const)
      expect(await hours(column, ...values)).not.toContain("? columns:");
  });

  test.each([
    ["absences.csv", "Employee ID,Absence type,Month,Days", ["E0701,PTO,2025-01,3", "E0702,PTO,2025-02,2"]],
    [
      "leave_adjustments.csv",
      "Employee ID,Date,Leave type,Transaction,Days",
      ["E0701,2025-01-01,PTO,Credit,2", "E0701,2025-02-01,PTO,Lapse,1"],
    ],
  ] as const)("%s with %s asks whether amounts were got or taken", async (name, header, rows) => {
    const draft = await draftOfTable(name, header, ...rows);
    expect(draft).toContain('// ? negate: is "Days" what people got, or leave that they took?');
    expect(draft).toContain('"negate": ["?"]');
    expect(draft).not.toContain('"requests"');
  });

  test("credits beside debits are no leave", async () => {
    const rows = ["E0701,2025-01-01,PTO,Credit,2", "E0701,2025-02-01,PTO,Debit,1"];
    const draft = await draftOfTable("leave.csv", "Employee ID,Date,Leave type,Debit/Credit,Days", ...rows);
    expect(draft).toContain('"skip": { "Debit/Credit": ["Credit"] }');
  });
});

describe("what tells that leave is not its whole days", () => {
  test.each([
    ["Comment", ["half day (morning)", "family"]],
    ["Bemerkung", ["halber Tag", ""]],
    ["Note", ["", "medio día por la tarde"]],
    ["Hours per day", ["4", "8"]],
    ["Daily hours", ["4", "8"]],
    ["Degree", ["50", "100"]],
  ])("%s with %j asks for amounts", async (column, values) => {
    const draft = await draftText(leaveWith(column, ...values));
    expect(draft).toContain(`// ? hoursPerDay: "${column}": parts of days would be counted as whole ones`);
  });

  test("remarks without such words, and other numbers, ask nothing", async () => {
    for (const [column, ...values] of [
      ["Comment", "I am on behalf of Bo", "deshalb", "at the academy"],
      ["Level", "10", "20", "5"],
    ] as const)
      expect(await draftText(leaveWith(column, ...values))).not.toContain("? hoursPerDay");
  });

  test("hours of a day that are not 8 ask how long a day is", async () => {
    const asks = async (...rows: readonly string[]) =>
      (await draftText(leaveWith("Days,Hours per day", ...rows))).includes(
        "// ? hoursPerDay: a day has 8 hours, but",
      );
    expect(await asks("2,7.5", "0.5,7.5")).toBe(true);
    expect(await asks("2,8", "0.5,8.0")).toBe(false);
  });

  test("7.30 may be hours and minutes; 7.50 is not", async () => {
    const asks = async (...hours: readonly string[]) =>
      (await draftText(leaveWith("Hours", ...hours))).includes(
        '// ? units: is "7.30" in "Hours" hours and minutes',
      );
    expect(await asks("8.00", "7.30", "3.45")).toBe(true);
    for (const other of [
      ["8.00", "7.50", "3.75"],
      ["7.30", "7.3"],
      ["8.00", "4.00"],
    ])
      expect(await asks(...other)).toBe(false);
  });

  test("a day alone with amounts of several days asks when the leave ends", async () => {
    const leave = (...rows: readonly string[]) =>
      draftText({
        "people.csv": PEOPLE,
        "leave.csv": `Employee ID,Leave type,Date,Days,Status\n${rows.join("\n")}`,
      });
    const draft = await leave("E0701,PTO,2025-03-03,2,Approved", "E0702,PTO,2025-03-04,1,Approved");
    expect(draft).toContain(
      '// ? columns: "Date" is one day, but "Days" has "2" days: when does such leave end?',
    );
    expect(draft).toContain('"Date": "?"');
    expect(await leave("E0701,PTO,2025-03-03,0.5,Approved", "E0702,PTO,2025-03-04,1,Approved")).not.toContain(
      "?",
    );
  });

  // A wall planner whose cells are filled with colours, or with 1 and 0.5, which attendance has, too.
  test("a planner of colours or of parts of days asks what it is", async () => {
    const days = [45726, 45727, 45728, 45729, 45730].map((serial) => ({ serial, as: "date" }) as const);
    const plan = workbook({ "2025": [["Name", ...days], ["Ana Lind"], ["Bo Ek"]] });
    expect(await draftText({ "people.csv": PEOPLE, "plan.xlsx": plan })).toContain(
      '"plan.xlsx": "all cells below its days are empty: write what their colours mean into them"',
    );
    const parts = (cell: string, file = "plan.csv") =>
      draftText({
        "people.csv": PEOPLE,
        [file]: `Employee ID,2025-03-10,2025-03-11,2025-03-12,2025-03-13,2025-03-14\nE0701,${cell},0.5,,,\nE0702,,,1,,`,
      });
    expect(await parts("1")).toContain('"plan.csv": "it is not clear what its rows are');
    expect(await parts("7.5")).toContain('"plan.csv": "it is not clear what its rows are');
    expect(await parts("7.5", "hours.csv")).toContain('"work_hours"');
  });
});

describe("managers and days of work that are not clear", () => {
  const withColumn = (name: string, ...values: readonly string[]) => ({
    "people.csv": PEOPLE.split("\n")
      .map((line, at) => `${line},${at === 0 ? name : values[at - 1]}`)
      .join("\n"),
  });

  test.each([
    ["Manager", ["Zoe Boss", "Ana Lind", "Zoe Boss"], "Zoe Boss"],
    ["Manager ID", ["", "E0701", "E0799"], "E0799"],
  ])("%s of %j asks who is not among the people", async (name, managers, stranger) => {
    const files = withColumn(name, ...managers);
    const draft = await draftText(files);
    expect(draft).toContain(`// ? translate: managerId: "${stranger}" in "${name}" is none of these people`);
    expect((await refused(files, draft)).join()).toContain(
      `translate.managerId.${stranger}: "?" is an unanswered question`,
    );
    const { stored } = await imported(files, draft.replace(`"${stranger}": "?"`, `"${stranger}": ""`));
    const idOf = new Map(stored.workers.map(({ legacyId, id }) => [legacyId, id]));
    const managerIds = new Map(
      stored.workers.map(({ legacyId, doc }) => [legacyId, JSON.parse(doc).managerId]),
    );
    expect(managerIds.get("E0702")).toBe(idOf.get("E0701"));
    expect(managerIds.get("E0701")).toBeNull();
  });

  test("managers whom two people's name fits, or nobody's, ask for a query", async () => {
    const twins = withColumn("Manager", "", "", "Ana Lind");
    twins["people.csv"] = twins["people.csv"].replace("Bo,Ek", "Ana,Lind");
    for (const files of [twins, withColumn("Manager", "", "", "The board")]) {
      const draft = await draftText(files);
      expect(draft).toContain('// ? columns: whom does "Manager" name?');
      expect(draft).toContain('"Manager": "?"');
    }
  });

  // HiBob and ADP export the first employment beside the newest; German files the end of the contract beside the last day of work.
  test.each([
    ["Original hire date", ["2010-05-01", "", ""], '"Original hire date" and "Hire date"'],
    [
      "Last working day,Termination date",
      ["2025-05-16,2025-06-30", ",", ","],
      '"Termination date" and "Last working day"',
    ],
  ])("%s that differs asks which day counts", async (name, values, said) => {
    const files = withColumn(name, ...values);
    expect(await draftText(files)).toContain(`// ? columns: ${said} differ in some rows: which is the`);
    const same = withColumn("Original hire date", "2020-01-02", "2021-02-03", "2022-03-04");
    expect(await draftText(same)).not.toContain("?");
  });

  test.each(["Resignation date", "Kündigungsdatum"])("%s may be a day of notice", async (name) => {
    const draft = await draftText(withColumn(name, "2025-05-16", "", ""));
    expect(draft).toContain(
      `// ? columns: is "${name}" the last day of work, or the day on which somebody gave notice?`,
    );
  });

  test("the day of a rehire is latestRehireDate, and days of the week are workDays", async () => {
    const files = withColumn("Rehire date,Working days", "2023-05-01,Mon-Fri", ',"Mon,Wed"', ",Mon-Fri");
    const { stored } = await imported(files, await draftText(files));
    const days = stored.workers.map(({ doc }) => JSON.parse(doc).latestRehireDate);
    expect(days.toSorted()).toEqual(["2023-05-01", null, null]);
    expect(await draftText(files)).toContain('"Working days": "workDays"');
    expect(await draftText(withColumn("Working days", "5", "2", "5"))).not.toContain("workDays");
  });

  test("hours that are not approved ask whether they count", async () => {
    const hours = "Employee ID,Date,Hours,Approved\nE0701,2025-03-10,8,Yes\nE0701,2025-03-11,8,No";
    const draft = await draftText({ "people.csv": PEOPLE, "timesheets.csv": hours });
    expect(draft).toContain('"skip": { "Approved": ["?"] }');
  });
});

describe("days that are not as they seem", () => {
  // JavaScript writes local midnights in UTC: 2 January in Berlin is 2020-01-01T23:00:00.000Z.
  test("first days of work at midnights of another zone ask for local days", async () => {
    const people = (...days: readonly string[]) =>
      draftText({
        "people.json": JSON.stringify(
          days.map((hireDate, at) => ({
            id: `E${at}`,
            firstName: "Ana",
            lastName: "Lind",
            hireDate,
            status: "active",
          })),
        ),
      });
    const draft = await people("2020-01-01T23:00:00.000Z", "2020-06-30T22:00:00.000Z");
    expect(draft).toContain(
      '// ? dates: "hireDate" is at the same hour of UTC in each row, as midnights elsewhere are',
    );
    expect(draft).toContain('"dates": "?"');
    for (const other of [
      ["2020-01-01T00:00:00.000Z", "2020-07-01T00:00:00.000Z"],
      ["2020-01-01T23:00:00.000Z", "2020-07-01T09:30:00.000Z"],
      ["2020-01-02T00:00:00+01:00", "2020-07-01T00:00:00+02:00"],
    ])
      expect(await people(...other)).not.toContain("? dates");
  });

  // Thai files write 2568 for 2025, and 68 for short; Persian ones 1403.
  test("years that are all long ago, or far ahead, may be those of another calendar", async () => {
    const people = (...days: readonly string[]) =>
      draftText({
        "people.csv": `Employee ID,First name,Last name,Hire date\n${days.map((day, at) => `E070${at},Ana,Lind,${day}`).join("\n")}`,
      });
    for (const [day, other] of [
      ["15/03/60", "24/06/68"],
      ["15/03/2560", "24/06/2568"],
      ["1398/05/01", "1403/12/30"],
    ])
      expect(await people(day!, other!)).toContain(
        `// ? dates: "Hire date": are years such as in "${day}" those of another calendar?`,
      );
    expect(await people("08/03/02", "02/01/04")).toContain("not those of an era such as Reiwa");
    expect(await people("15/03/75", "24/06/01")).not.toContain("? dates");
    expect(await people("15/03/1975", "24/06/1978")).not.toContain("? dates");
  });

  // Dots stand between the day, the month and four digits of the year alone, and French has no other order.
  test.each(
    FORMATS.filter(
      (format) => orderOf(format) !== null && !/\. ?yyyy|'h'|\.M\.yy|EEE,|Matin|Après/.test(format),
    ),
  )("%s has a rival in another order, and is asked about", (format) => {
    const written = format.replace(/'([^']*)'|([A-Za-z])\2*/g, (part, quoted) => quoted ?? PARTS[part]);
    expect(datesIn([written]).either).not.toEqual([]);
  });

  // The usual forms of CLDR: zh, ko, hu and hr; and a date that a program wrote without zeros.
  test.each(["2026年3月2日", "2026년 3월 2일", "2026. 3. 2.", "2026.03.02.", "02.03.2026.", "2026-3-2"])(
    "%s is the second of March",
    async (day) => {
      const files = {
        "people.csv": PEOPLE,
        "leave.csv": `Employee ID,Leave type,From,To,Days,Status\nE0701,PTO,${day},${day},1,Approved`,
      };
      const { stored } = await importedDraft(files);
      expect(JSON.parse(stored.requests[0]!.doc).startAt).toStartWith("2026-03-02");
    },
  );

  test("ids with different letters in front are not the same people", async () => {
    const leave = (id: string) => ({
      "people.csv": PEOPLE,
      "leave.csv": `Employee ID,Leave type,From,To,Days,Status\n${id},PTO,2025-03-10,2025-03-10,1,Approved`,
    });
    expect(await draftText(leave("701"))).toContain(
      '"Employee ID" has ids with other letters or zeros in front',
    );
    const other = await draftText(leave("X0701"));
    expect(other).not.toContain("ids with other letters");
    expect((await refused(leave("X0701"), asPaidLeave(other))).join()).toContain('"X0701" is no worker');
  });
});

describe("what lists that people keep by hand say in other places", () => {
  test("kinds of leave and remarks that say that leave is cancelled ask", async () => {
    const leave = leaveWith("Days,Status", "1,Approved", "1,Approved");
    const kinds = {
      ...leave,
      "leave.csv": `${leave["leave.csv"]}`.replace("E0702,PTO", "E0702,PTO (cancelled)"),
    };
    const draft = await draftText(kinds);
    expect(draft).toContain('// ? skip: which of "PTO (cancelled)" in "Leave type" are cancelled');
    expect(draft).toContain('"skip": { "Leave type": ["?"] }');
    expect(
      await draftText(leaveWith("Days,Status,Comment", "1,Approved,cancelled by Bo", "1,Approved,")),
    ).toContain('// ? skip: are requests with "cancelled by Bo" in "Comment" cancelled or refused?');
    expect(
      await draftText(leaveWith("Days,Status,Comment", "1,Approved,my flight was cancelled")),
    ).not.toContain("? skip");
  });

  test("addresses tell that the last name comes first", async () => {
    const people = (...rows: readonly string[]) =>
      draftText({ "people.csv": `Employee ID,Employee,Email,Hire date\n${rows.join("\n")}` });
    expect(
      await people("E1,Lind Ana,ana.lind@x.example,2020-01-02", "E2,Ek Bo,bo.ek@x.example,2021-02-03"),
    ).toContain('"Employee" seems to have the last name first, without a comma');
    expect(
      await people("E1,Ana Lind,ana.lind@x.example,2020-01-02", "E2,Bo Ek,ek@x.example,2021-02-03"),
    ).not.toContain("? columns");
  });

  test("a file of leavers without a column that says so asks whether they are gone", async () => {
    const people = (id: string) => `Employee ID,First name,Last name,Hire date\n${id},Ana,Lind,2020-01-02`;
    const draft = await draftText({ "employees.csv": people("E1"), "leavers.csv": people("E2") });
    expect(draft).toContain('// ? values: status: are the people in "leavers.csv" gone?');
    expect(draft).toContain('"status": "?"');
    expect(await draftText({ "employees.csv": people("E1") })).not.toContain("?");
  });

  test("two pairs of first and last days that differ ask which count", async () => {
    const leave = (...days: readonly string[]) =>
      draftText({
        "people.csv": PEOPLE,
        "leave.csv": `Employee ID,Leave type,Start,End,Leave start,Leave end,Days,Status\nE0701,PTO,${days},1,Approved`,
      });
    const draft = await leave("2025-02-01", "2025-02-01", "2025-03-10", "2025-03-10");
    expect(draft).toContain(
      '// ? columns: "Start" and "Leave start" differ in some rows: which is the first day? Write ["startAt","createdAt"] beside it',
    );
    expect(draft).toContain(
      '// ? columns: "End" and "Leave end" differ in some rows: which is the last day?',
    );
    expect(await leave("2025-03-10", "2025-03-10", "2025-03-10", "2025-03-10")).not.toContain("? columns");
  });

  // Excel stores 8:00 as 0.333…, which a cell without a format shows as a number.
  test("hours that are all parts of one are asked about", async () => {
    const draft = await draftText(leaveWith("Hours,Status", "0.3333333333,Approved", "0.5,Approved"));
    expect(draft).toContain('// ? units: is "0.3333333333" in "Hours" a part of 24 hours');
    expect(draft).toContain('"units": { "requestedMinutes": "?" }');
    for (const hours of [
      ["0.5", "0.75"],
      ["0.333", "8"],
    ])
      expect(
        await draftText(leaveWith("Hours,Status", ...hours.map((each) => `${each},Approved`))),
      ).not.toContain("? units");
  });
});

describe("columns beside leave that change what a row means", () => {
  test("two columns of policies that differ ask which has the balance", async () => {
    const asked = async (...policies: readonly string[]) =>
      (await draftText(leaveWith("Policy,Days", ...policies.map((policy) => `${policy},1`)))).includes(
        '"Leave type" and "Policy" differ',
      );
    expect(await asked("UK holiday", "US time off", "UK holiday")).toBe(true);
    expect(await asked("Holiday", "Holiday", "Holiday")).toBe(false); // another name for the same
    expect(await asked("", "a remark", "")).toBe(false);
  });

  test("what is left of a kind is its balance, not what was acquired beside it", async () => {
    const draft = await draftText({
      "people.csv": PEOPLE,
      "soldes.csv": "Employee ID,CP N Acquis,CP N Solde\nE0701,12.5,10\nE0702,12.5,12.5\nE0703,2,1",
    });
    expect(draft).toContain('"policyId": ["CP N"], "minutes": ["{CP N Solde}"]');
  });

  test("first and last days of people that are only called Start and End", async () => {
    const draft = await draftText({
      "people.csv":
        "Employee,Email,Start,End\nAna Lind,a@x.example,2020-01-15,2025-09-30\nBo Ek,b@x.example,2021-01-15,",
    });
    expect(draft).toContain('"End": "endDate"');
  });

  // UKG Ready: `Time Off` is no usual name for kinds of leave.
  test("a column with kinds of leave beside a policy without any asks which has the balance", async () => {
    const asked = async (...rows: readonly string[]) => {
      const files = leaveWith("Time Off,Request Type,Days", ...rows);
      const draft = await draftText({
        ...files,
        "leave.csv": String(files["leave.csv"]).replace("Leave type", "Note"),
      });
      return draft.includes('"Request Type" and "Time Off" differ');
    };
    expect(await asked("Vacation,Full,1", "Sick,Full,1", "Sick,Part,1")).toBe(true);
    expect(await asked("Vacation,PTO,1", "Sick,PTO,1", "Sick,PTO,1")).toBe(false);
  });

  test.each([
    ["Start half day", ["Yes,1", "No,1", "No,1"], true],
    ["First day PM only", ["Yes,1", "No,1", "No,1"], true],
    ["Half", ["AM,1", ",1", ",1"], true],
    ["Start half day", ["Yes,0.5", "No,1", "No,1"], false],
    ["Percent", ["50,1", "100,1", "100,1"], true],
    ["Percent", ["50,0.5", "100,1", "100,1"], false],
    ["Start,End", ["AM,PM,1", "AM,PM,1", "AM,PM,1"], false],
    ["Start,End", ["AM,AM,0.5", "AM,PM,1", "PM,PM,0.5"], false],
    ["Start,End", ["AM,AM,1", "AM,PM,1", "PM,PM,0.5"], true],
  ])("half days in %s beside the amounts %j ask: %p", async (columns, rows, isAsked) => {
    const draft = await draftText(leaveWith(`${columns},Days`, ...rows));
    expect(draft.includes('"Days" has whole days in rows with parts of days in')).toBe(isAsked);
  });

  test.each([
    ["Weekdays", ["Mon", "Mon", "Mon"], true],
    ["Tage", ["Mo", "", ""], true],
    ["On", ["Monday, Friday", "Tuesday", "Monday"], true],
    ["Repeat", ["Weekly", "Never", "Never"], true],
    ["Recurring", ["Yes", "No", "No"], true],
    ["Recurring", ["No", "No", "No"], false],
    ["Day", ["Monday", "Tuesday", "Wednesday"], false],
  ])("%s with %j asks whether leave recurs: %p", async (column, values, isAsked) => {
    const rows = values.map((value) => (value.includes(",") ? `"${value}",1` : `${value},1`));
    const draft = await draftText(leaveWith(`${column},Days`, ...rows));
    expect(draft.includes("// ? skip: is leave with")).toBe(isAsked);
  });

  test("actual days beside requested ones ask which count", async () => {
    const leave = (columns: string) => ({
      "people.csv": PEOPLE,
      "leave.csv": `Employee ID,Leave type,${columns},Days,Status\nE0701,PTO,2025-03-10,2025-03-12,2025-03-10,2025-03-11,2,Approved`,
    });
    for (const columns of [
      "Requested from,Requested to,Actual from,Actual to",
      "From,To,Actual from,Actual to",
    ])
      expect(await draftText(leave(columns))).toContain(
        '"Actual to" differ in some rows: which is the last day?',
      );
  });

  test.each(["Extended to", "Revised end date", "New end date"])(
    "an end that %s changed asks which counts",
    async (end) => {
      const leave = `Employee ID,Leave type,From,To,${end},Days,Status\nE0701,PTO,2025-03-10,2025-03-11,2025-03-12,2,Approved\nE0701,PTO,2025-04-07,2025-04-08,,2,Approved`;
      expect(await draftText({ "people.csv": PEOPLE, "leave.csv": leave })).toContain(
        `"To" and "${end}" differ in some rows: which is the last day?`,
      );
    },
  );

  test("final days beside others ask which count", async () => {
    const leave = leaveWith("Days,Final days,Status", "2,1,Approved", "1,1,Approved");
    expect(await draftText(leave)).toContain('which of "Days", "Final days" is the amount?');
  });

  test.each([
    ["Deduct from balance", ["Yes", "No", "Yes"], true],
    ["Paid", ["Yes", "No", "Yes"], true],
    ["Paid", ["Yes", "Yes", "Yes"], false],
  ])("%s with %j asks whether leave takes from the balance: %p", async (column, values, isAsked) => {
    const draft = await draftText(leaveWith(`${column},Days`, ...values.map((value) => `${value},1`)));
    expect(draft.includes("take from the balance?")).toBe(isAsked);
  });

  // BambooHR writes the hours of each day as an object.
  test("hours of days inside of a request ask for amounts", async () => {
    const leave = {
      ...{ employeeId: "E0701", type: "PTO", start: "2025-03-10", end: "2025-03-11", status: "approved" },
      dates: { "2025-03-10": "8", "2025-03-11": "4" },
    };
    const draft = await draftText({ "people.csv": PEOPLE, "leave.json": JSON.stringify([leave]) });
    expect(draft).toContain('// ? hoursPerDay: "dates.2025-03-10", "dates.2025-03-11": parts of days');
  });

  test.each([
    ["Opening balance,Closing balance", '["?", "?"]'],
    ["Beginsaldo,Saldo", '["?", "?"]'],
    ["Resturlaub Vorjahr,Resturlaub", '["?", "Resturlaub"]'],
    ["Balance", '["?"]'],
    ["Vacation,Comp time balance", '["Vacation", "Comp time"]'],
  ])("balances %s ask whose they are, unless they are kinds of leave", async (columns, policies) => {
    const days = columns.includes(",") ? "3,7" : "3";
    const balances = `Employee ID,${columns}\nE0701,${days}\nE0702,${days}`;
    const draft = await draftText({ "people.csv": PEOPLE, "balances.csv": balances });
    expect(draft).toContain(`"policyId": ${policies}`);
  });

  test.each(["Mon,Tue,Wed,Thu,Fri", "Montag,Dienstag,Mittwoch,Donnerstag,Freitag"])(
    "hours of people on %s ask for a place",
    async (days) => {
      const people = PEOPLE.split("\n").map((line, at) => `${line},${at === 0 ? days : "8,8,8,8,0"}`);
      const draft = await draftText({ ...leaveWith("Days", "1", "1", "1"), "people.csv": people.join("\n") });
      expect(draft).toContain(
        `"people.csv: ${days.replaceAll(",", ", ")}": "are these the days or the hours`,
      );
    },
  );
});

test("a calendar beside other files is read as holidays, and asks nothing", async () => {
  const drafted = await draftText({
    "people.csv": PEOPLE,
    "Feiertage.ics":
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART;VALUE=DATE:20260101\nEND:VEVENT\nEND:VCALENDAR",
  });
  expect(drafted).toContain(
    "// Feiertage.ics is read as holidays, and needs no mapping. Nobody has them off before workplaces name its calendar",
  );
  expect(drafted).not.toContain('"?": {');
});

test("a start at another time than most, beside an amount of whole days, is perhaps half a day", async () => {
  const asks = async (...rows: readonly string[]) =>
    (await draftText(leaveWith("Days,Start time", ...rows))).includes(
      '"Days" has whole days in rows with parts',
    );
  expect(await asks("1,09:00", "1,13:00", "1,09:00")).toBe(true);
  expect(await asks("1,09:00", "0.5,13:00", "1,09:00")).toBe(false);
  expect(await asks("1,09:00", "1,09:00", "1,09:00")).toBe(false);
});

test("a leave year that is not that of its days is asked", async () => {
  const of = async (...rows: readonly string[]) => draftText(leaveWith("Days,Leave year", ...rows));
  const draft = await of("1,2025", "1,2024", "1,2025");
  expect(draft).toContain('"Leave year" has "2024" beside leave of another year');
  expect(draft).toContain('"skip": { "Leave year": ["?"] }');
  expect(await of("1,2025", "1,2025", "1,2025")).not.toContain("beside leave of another year");
});

// Frappe HR's leave applications name the employee and, by address, the approver.
test.each(["Leave Approver", "Genehmigt durch", "Responsable", "Vorgesetzter"])(
  "leave is that of the person on leave, and not of %s",
  async (approver) => {
    const files = (leave: string) => ({
      "Employee.csv": `ID,Employee Number,First Name,Last Name,Date of Joining,Company Email
        HR-EMP-1,101,Ana,Lind,2020-01-01,ana@example.com
        HR-EMP-2,102,Bo,Lund,2021-01-01,bo@example.com`,
      "Leave Application.csv": `ID,Employee,Leave Type,From Date,To Date,Total Leave Days,Status,${approver}\n${leave}`,
    });
    const row = (id: string, by: string) =>
      `L${id},HR-EMP-${id},PTO,2026-02-02,2026-02-02,1,Approved,${by}@example.com\n`;
    for (const leave of [row("1", "bo") + row("2", "bo"), row("1", "bo") + row("2", "ana"), row("1", "bo")]) {
      const { stored } = await importedDraft(files(leave));
      const names = new Map(stored.workers.map(({ id, doc }) => [id, JSON.parse(doc).firstName]));
      const people = stored.requests.map(({ legacyId, workerId }) => `${legacyId} ${names.get(workerId)}`);
      expect(people.toSorted()).toEqual(["L1 Ana", "L2 Bo"].slice(0, people.length));
    }
  },
);

test("an address that is beside several people is none of theirs, whatever its column is called", async () => {
  const draft = await draftText({
    "people.csv":
      "Number,First name,Last name,Hire date,E-mail\nE1,Ana,Lind,2020-01-02,a@example.com\nE2,Bo,Ek,2021-02-03,b@example.com",
    "leave.csv":
      "Employee,Leave type,From,To,Days,Contact\nAna L,PTO,2025-03-03,2025-03-03,1,a@example.com\nAna L,PTO,2025-03-05,2025-03-05,1,a@example.com\nBo E,PTO,2025-03-04,2025-03-04,1,a@example.com",
  });
  expect(draft).toContain('"Employee": "workerId"');
  expect(draft).not.toContain('"Contact": "workerId"');
});

// Odoo exports the times of its leave in UTC or in the zone of whoever exports them, not in that of each employee.
test("times of people in several zones ask whose they are; days do not", async () => {
  const asks = async (zone: string, from: string, to: string) => {
    const draft = await draftText({
      "people.csv": `Employee ID,First name,Last name,Hire date,Timezone
        E1,Ana,Lind,2020-01-02,Europe/Madrid
        E2,Bo,Ek,2021-02-03,${zone}`,
      "leave.csv": `Employee ID,Leave type,From,To,Days,Created on\nE1,PTO,${from},${to},1,2025-01-01 10:00:00`,
    });
    return draft.includes("? zone: are these times in UTC, in the zone of the person who exported them");
  };
  const times = ["2025-03-10 07:00:00", "2025-03-10 16:00:00"] as const;
  expect(await asks("Asia/Tokyo", ...times)).toBe(true);
  expect(await asks("Europe/Madrid", ...times)).toBe(false);
  expect(await asks("Asia/Tokyo", "2025-03-10", "2025-03-10")).toBe(false);
});

// SugarCRM's modules, such as MintHCM's WorkSchedules, name each row.
test("leave is that of the person, and not of the name that each row has", async () => {
  const draft = await draftText({
    "people.csv": PEOPLE,
    "leave.csv":
      "Name,Type,Assigned to,Assigned User Id,From,To,Days\nw1,PTO,Ana Lind,E0701,2025-03-03,2025-03-03,1\nw2,PTO,Ana Lind,E0701,2025-03-04,2025-03-04,1\nw3,PTO,Bo Ek,E0702,2025-03-04,2025-03-04,1",
  });
  expect(draft).toContain('"Assigned User Id": "workerId"');
});

// IceHrm's employees name their supervisor by the key of the table, and not by employee_id.
test("a number is the key of a person's row, and not what their number ends in", async () => {
  const files = {
    "Employees.csv": `id,employee_id,first_name,last_name,work_email,joined_date,supervisor,status
      1,EMP003,Ana,Lind,a@example.com,2020-01-01,,Active
      2,EMP001,Bo,Ek,b@example.com,2020-01-01,1,Active
      3,EMP002,Cy,Yu,c@example.com,2020-01-01,1,Active`,
    "EmployeeLeaves.csv": `id,employee,leave_type,date_start,date_end,days,status
      1,1,PTO,2026-02-02,2026-02-02,1,Approved
      2,3,PTO,2026-02-03,2026-02-03,1,Approved`,
  };
  const { stored } = await importedDraft(files);
  const nameOf = new Map(stored.workers.map(({ id, doc }) => [id, JSON.parse(doc).firstName]));
  const managers = stored.workers.map(({ doc }) => nameOf.get(JSON.parse(doc).managerId) ?? null);
  expect(managers.toSorted()).toEqual(["Ana", "Ana", null]);
  expect(stored.requests.map(({ workerId }) => nameOf.get(workerId)).toSorted()).toEqual(["Ana", "Cy"]);
});

// Sentrifugo's reporting_manager is a user_id; its summary has a key of its own, and the first manager is nobody's row.
test("a number that may be an id is no key", async () => {
  const draft = await draftText({
    "main_employees_summary.csv": `id,user_id,firstname,lastname,emailaddress,date_of_joining,reporting_manager
      1,2,Ana,Lind,a@example.com,2020-01-01,1
      2,3,Bo,Ek,b@example.com,2020-01-01,2
      3,4,Cy,Yu,c@example.com,2020-01-01,2`,
  });
  expect(draft).toContain('"reporting_manager": "managerId"');
  expect(draft).toContain('translate: managerId: "1" in "reporting_manager" is none of these people');
});

describe("numbers that are two ids of people", () => {
  const people = (ids: string) =>
    `${ids},First name,Last name,Email,Hire date,Manager
      1,3,Ana,Lind,a@example.com,2020-01-15,
      2,1,Bo,Ek,b@example.com,2020-01-15,3
      3,2,Cy,Yu,c@example.com,2020-01-15,3`;
  const leave = (id: string) =>
    `${id},Leave type,From,To,Days,Status\n1,PTO,2025-03-14,2025-03-14,1,Approved\n3,PTO,2025-03-17,2025-03-17,1,Approved`;
  const ofLeave = async (files: Files) => {
    const { stored } = await importedDraft(files, { "workers.columns.Manager": null });
    const names = new Map(stored.workers.map(({ id, doc }) => [id, JSON.parse(doc).firstName]));
    return stored.requests.map(({ doc }) => names.get(JSON.parse(doc).workerId)).toSorted();
  };

  test("the column of the same name tells whose they are", async () => {
    for (const ids of ["User ID,Personnel number", "Personnel number,User ID"]) {
      const file = {
        "people.csv": people(ids),
        "balances.csv": "Personnel number,Leave type,Balance (days),As of\n1,PTO,5,2024-12-31",
      };
      const [first, second] = [
        ["Ana", "Cy"],
        ["Ana", "Bo"],
      ];
      expect(await ofLeave({ ...file, "leave.csv": leave("User ID") })).toEqual(
        ids.startsWith("User") ? first : second,
      );
      expect(await ofLeave({ ...file, "leave.csv": leave("Personnel number") })).toEqual(
        ids.startsWith("User") ? second : first,
      );
    }
  });

  test("without one, and of managers, it is asked whose they are", async () => {
    const draft = await draftText({
      "people.csv": people("ID,Employee number"),
      "leave.csv": leave("Worker ID"),
    });
    expect(draft).toContain('columns: "Worker ID" has values of "Employee number" and "ID"');
    expect(draft).toContain('"Worker ID": "?"');
    expect(draft).toContain('columns: "Manager" has values of "Employee number" and "ID"');
    const left = await draftText({
      "people.csv": people("ID,Employee number"),
      "balances.csv": "Worker ID,Vacation balance (days),Sick leave balance (days)\n1,5,2\n2,6,3\n3,7,4",
    });
    expect(left).toContain('columns: "Worker ID" has values of "Employee number" and "ID"');
    expect(left).toContain('"Worker ID": "?"');
    const alike = people("ID,Employee number").replaceAll(/ (\d),\d,/g, " $1,$1,");
    expect(await draftText({ "people.csv": alike, "leave.csv": leave("Worker ID") })).not.toContain(
      "has values of",
    );
  });
});

// TimeOff.Management's backup has a row for each leave, with the person's names, address and department.
test("people beside the days of their leave are no people, but leave", async () => {
  const draft = await draftText({
    "acme.csv": "email,lastname,name,department\nbo@x.com,Ek,Bo,IT\nana@x.com,Lind,Ana,Sales",
    "acme_backup.csv": `Department,Last name,Name,Email address,Type of absence,Started at,Date type,Ended at,Date type
      IT,Ek,Bo,bo@x.com,Holiday,2026-02-02,All Day,2026-02-06,All Day
      IT,Ek,Bo,bo@x.com,Holiday,2026-03-02,Morning,2026-03-02,Morning
      Sales,Lind,Ana,ana@x.com,Sick Leave,2026-03-09,Afternoon,2026-03-11,All Day`,
  });
  expect(draft).toContain('"Email address": "workerId"');
  expect(draft).toContain('? hoursPerDay: "Date type"');
});

test("codes are no positions, and no status where a column has one in words", async () => {
  const draft = await draftText({
    "Employees.csv": `employee_id,first_name,last_name,work_email,joined_date,job_title,employment_status,status
      EMP001,Ana,Lind,a@example.com,2020-01-01,11,3,Active
      EMP002,Bo,Ek,b@example.com,2020-01-01,12,5,Terminated`,
  });
  expect(draft).toContain('"translate": { "status": { "Active": "active", "Terminated": "inactive" } }');
  expect(draft).toContain("// not used: job_title, employment_status");
});
