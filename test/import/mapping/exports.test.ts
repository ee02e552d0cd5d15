// Made-up exports in the forms of some systems, each with its quirks: what a draft alone makes of them. The expected minutes are
// worked out by hand.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { draftMapping } from "../../../src/import/mapping/draft.ts";
import { candidatesOf } from "../../../src/import/source/files.ts";
import { type Files, folderOf } from "../../support/import-files.ts";
import { imported, refused } from "./mapped.ts";

const draftOf = async (files: Files) => await draftMapping(await candidatesOf([folderOf(files)]));

/** Of what an import through the mapping stores, the minutes of each worker, policy and status: `1|Holiday|approved`. */
async function minutesBy(files: Files, mapping: string): Promise<Record<string, number>> {
  const { stored } = await imported(files, mapping);
  const names = new Map([...stored.workers, ...stored.policies].map(({ id, legacyId }) => [id, legacyId]));
  const assigned = new Set(stored.assignments.map(({ workerId, policyId }) => `${workerId}|${policyId}`));
  const minutes: Record<string, number> = {};
  for (const { doc } of stored.requests) {
    const { workerId, timeOffPolicyId, status, requestedMinutes } = JSON.parse(doc);
    expect(assigned).toContain(`${workerId}|${timeOffPolicyId}`);
    const key = `${names.get(workerId)}|${names.get(timeOffPolicyId)}|${status}`;
    minutes[key] = (minutes[key] ?? 0) + requestedMinutes;
  }
  return minutes;
}

describe("a draft reads", () => {
  test("milliseconds beyond any date, which are no dates", async () => {
    const row = {
      userId: "E1",
      timeType: "VACATION",
      startDate: "/Date(99999999999999999)/",
      quantityInDays: 1,
    };
    const draft = await draftOf({ "EmployeeTime.json": JSON.stringify([row]) });
    expect(draft).toContain(
      "EmployeeTime.json: it is not clear what its rows are (userId, timeType, startDate, quantityInDays)",
    );
  });

  test("milliseconds before 1970 in the second that began before them", async () => {
    const dates = ["/Date(-500)/", "/Date(1500)/"];
    const rows = dates.map((hireDate, at) => ({ userId: `E${at}`, firstName: "A", lastName: "B", hireDate }));
    const draft = await draftOf({
      "User.json": JSON.stringify(rows),
      "Other.json": JSON.stringify([
        {
          userId: "E0",
          timeType: "VACATION",
          startDate: dates[0],
          endDate: dates[0],
          quantityInDays: "1",
          approvalStatus: "APPROVED",
        },
      ]),
    });
    const [expression] = /strftime\([^()]*substr\([^()]*\)[^()]*\)/.exec(draft)!;
    const database = new Database(":memory:");
    const select = database.query(
      `select ${expression.replace(/substr\([^()]*\)/, "substr(?, 7)").replaceAll('\\"', '"')}`,
    );
    expect(dates.map((date) => select.values(date)[0]![0])).toEqual([
      "1969-12-31T23:59:59Z",
      "1970-01-01T00:00:01Z",
    ]);
    database.close();
  });

  test("OData of SAP SuccessFactors: dates in milliseconds, in a query; what OData says of records is no column", async () => {
    const day = (text: string) => `/Date(${Date.parse(text)})/`;
    const results = (type: string, rows: readonly object[]) =>
      JSON.stringify({ d: { results: rows.map((row) => ({ __metadata: { uri: "x", type }, ...row })) } });
    const time = (
      externalCode: string,
      userId: string,
      from: string,
      to: string,
      days: string,
      status: string,
    ) => ({
      externalCode,
      userId,
      timeType: "VACATION",
      startDate: day(from),
      endDate: day(to),
      quantityInDays: days,
      approvalStatus: status,
      createdDateTime: "/Date(1735722000000+0000)/",
    });
    const files = {
      "User.json": results("SFOData.User", [
        {
          userId: "102034",
          firstName: "Ana",
          lastName: "Lind",
          email: "a@b.co",
          hireDate: day("1969-06-30"),
        },
        { userId: "102047", firstName: "Bo", lastName: "Ek", email: "b@b.co", hireDate: day("2020-02-29") },
      ]),
      "EmployeeTime.json": results("SFOData.EmployeeTime", [
        time("t1", "102034", "2025-03-03", "2025-03-05", "2.5", "APPROVED"),
        time("t2", "102034", "2025-12-31", "2026-01-02", "3", "PENDING"),
        time("t3", "102047", "2025-03-03", "2025-03-03", "1", "CANCELLED"),
        time("t4", "102047", "2025-03-04", "2025-03-04", "0.5", "REJECTED"),
      ]),
    };
    const draft = await draftOf(files);
    expect(draft).toContain('"date of startDate": "startAt"');
    expect(draft).not.toContain("__metadata");
    expect(await minutesBy(files, draft)).toEqual({
      "102034|VACATION|approved": 1200,
      "102034|VACATION|pending": 1440,
      "102047|VACATION|denied": 240,
    });
    const { stored } = await imported(files, draft);
    expect(stored.workers.map(({ startDay }) => startDay).toSorted()).toEqual(
      ["1969-06-30", "2020-02-29"].map((text) => Date.parse(text) / 86_400_000),
    );
    const [first] = stored.requests
      .map(({ doc }) => JSON.parse(doc))
      .filter(({ legacyId }) => legacyId === "t1");
    expect(first).toMatchObject({
      startAt: "2025-03-03T00:00:00.000Z",
      endAt: "2025-03-06T00:00:00.000Z",
      createdAt: "2025-01-01T09:00:00.000Z",
    });
  });

  test("a German export whose rows have more commas than semicolons, with managers by email address", async () => {
    const files = {
      "Mitarbeiterliste.csv":
        "Stand: 23.11.2026;;;;;;;\nPersonalnr.;Name;E-Mail geschäftlich;Eintrittsdatum;Vertragsende;Letzter Arbeitstag;Status;Vorgesetzte (E-Mail)\n" +
        "1001;Müller, Jörg;Joerg@muster.example;01.03.2019;;;Aktiv;\n" +
        "1002;Schön, Änne;aenne@muster.example;15.07.2021;31.12.2027;30.11.2026;Gekündigt; joerg@muster.example\n" +
        "1003;Berg, Karl;karl@muster.example;01.01.24;31.12.2027;;Elternzeit;aenne@muster.example\n" +
        "Summe;3;;;;;;\n",
      "Abwesenheiten.csv":
        "Personalnr.;Abwesenheitsart;Von;Bis;Tage;Genehmigungsstatus\n1001;Urlaub;02.11.2026;06.11.2026;5,0;Genehmigt\n",
      "Urlaubskonto.csv": "Personalnr.;Anspruch;Resturlaub\n1001;30,0;3,5\n1002;28,0;-1,5\n1003;30,0;2,0\n",
    };
    const draft = await draftOf(files);
    expect(draft).toContain("Urlaubskonto.csv has balances: Anspruch, Resturlaub.");
    expect(draft).not.toContain("is one name, not a first and a last one");
    expect(draft).not.toContain("would also fit");
    const { stored } = await imported(files, draft);
    const workers = stored.workers.map(({ doc }) => JSON.parse(doc));
    const of = (legacyId: string) => workers.find((one) => one.legacyId === legacyId);
    expect(of("1002")).toMatchObject({
      workEmail: "aenne@muster.example",
      status: "offboarding",
      endDate: "2026-11-30",
      managerId: of("1001").id,
    });
    expect(of("1003")).toMatchObject({ startDate: "2024-01-01", managerId: of("1002").id });
  });

  test("a French export: what became of a request by the words of a column, whatever its name is; last names first", async () => {
    const files = {
      "Salaries.csv":
        "Matricule;Nom Prénom;Date embauche;N+1\n12;LEFEVRE Anaïs;03-09-2018;\n13;DUPONT Zoé;16-01-2020;LEFEVRE Anaïs\n",
      "Absences.csv":
        "Matricule;Motif absence;Du;Au;Durée (h);Décision RH;Saisi le\n" +
        "12;CP;30-11-2026;04-12-2026;35:00;Validée;01-10-2026\n" +
        "13;RTT;24-12-2026;24-12-2026;3:30;En cours de validation;01-11-2026\n" +
        "13;CP;02-02-2026;03-02-2026;14:00;Refusée;01-01-2026\n" +
        "13;CP;05-02-2026;05-02-2026;7:00;Annulée;01-01-2026\n",
    };
    const draft = await draftOf(files);
    expect(draft).toContain('"Décision RH": "status"');
    expect(draft).toContain('"Nom Prénom" seems to have the last name first, without a comma');
    expect(await minutesBy(files, draft)).toEqual({
      "12|CP|approved": 2100,
      "13|RTT|pending": 210,
      "13|CP|denied": 840,
    });
    const { stored } = await imported(files, draft);
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).managerId !== null).toSorted()).toEqual([
      false,
      true,
    ]);
  });

  test("leave without a known status or kind, which is approved leave of one policy: the draft says so", async () => {
    const draft = await draftOf({
      "people.csv": "Employee ID,First name,Last name,Hire date\n1,Ana,Lind,2020-01-15\n",
      "leave.csv": "Employee ID,Sort,From,To,Days,Verdict\n1,Trip,2026-01-15,2026-01-16,2,Thumbs up\n",
    });
    expect(draft).toContain(
      '// no column is known as status, so it is "approved" in every row: is that right?',
    );
    expect(draft).toContain(
      '// no column is known as timeOffPolicyId, so it is "PTO" in every row: is that right?',
    );
  });

  test("a header of two lines, of which the first has groups of columns", async () => {
    const files = {
      "people.csv":
        "Employee,Employee,Employee,Employment,Employment\nNumber,First Name,Last Name,Hire Date,Status\n1,Ana,Lind,2020-01-15,Active\n",
      "leave.csv":
        "Who,Absence,Absence,Absence,Absence,Absence\nEmployee ID,Leave Type,From,To,Hours,Status\n1,PTO,2026-01-15,2026-01-16,12,Approved\n",
    };
    expect(await minutesBy(files, await draftOf(files))).toEqual({ "1|PTO|approved": 720 });
  });

  test("transactions in which accruals and corrections stand beside leave, with times after years of two digits", async () => {
    const files = {
      "Roster.csv":
        'Employee ID,Employee Name,Status,Hire Date,Department Description\n00123,"Smith, John A.",Active,3/1/19,Sales\n00126,"Lee, Kim",Leave of Absence,7/17/21,Ops\n',
      "PTO Detail.csv":
        "Employee ID,Policy Name,Transaction Type,Date,Hours,Status,Requested On\n" +
        "00123,PTO  ,Taken,11/30/26,8.00,Approved,11/2/26 9:05 AM\n" +
        "00126,PTO  ,Accrual,2/1/26,6.67,Approved,1/1/26 1:00 PM\n" +
        "00126,PTO,Adjustment,1/13/26,-16.00,Approved,1/1/26 1:00 PM\n",
    };
    const draft = await draftOf(files);
    expect(draft).toContain('rows with "Accrual" or "Adjustment" in "Transaction Type" are no leave');
    expect(await minutesBy(files, draft)).toEqual({ "00123|PTO|approved": 480 });
    const { stored } = await imported(files, draft);
    expect(stored.requests.map(({ doc }) => JSON.parse(doc).createdAt)).toEqual(["2026-11-02T09:05:00.000Z"]);
    expect(stored.workers.map(({ doc }) => JSON.parse(doc).department).toSorted()).toEqual(["Ops", "Sales"]);
  });

  test("a report of UKG: UTF-16 with tabs, title lines, hours and minutes of each day, line breaks in cells, a total", async () => {
    const utf16 = (text: string) => Buffer.from(`\ufeff${text.replaceAll("\n", "\r\n")}`, "utf16le");
    const files = {
      "People.csv": utf16(
        'Person Number\tFull Name\tHire Date\tStatus\tEmail Address\n000123\t"Lind, Ana"\t3/9/2015\tActive\ta@b.co\n000124\t"Ek, Bo"\t11/30/2018\tActive\t\n',
      ),
      "Time Detail.csv": utf16(
        'Time Detail Report\nRun on:\t1/2/2026 7:15 AM\n\nPerson Number\tPerson Name\tPay Code\tApply Date\tHours\tComment\n000123\t"Lind, Ana"\tPTO\t3/3/2025\t8:00\t"with\na break"\n000123\t"Lind, Ana"\tPTO\t3/14/2025\t4:30\t\n000124\t"Ek, Bo"\tPTO\t10/1/2025\t8:00\t\nGrand Total\t\t\t\t20:30\t\n',
      ),
    };
    const draft = await draftOf(files);
    expect(draft).toContain('rows with "Grand Total" in "Person Number" are taken for totals');
    expect(await minutesBy(files, draft)).toEqual({ "000123|PTO|approved": 750, "000124|PTO|approved": 480 });
  });

  const USERS =
    'First name,Surname,Email,Start date,Archived\nAna,Lind,ana@x.example,21/03/2020,No\nBo,"Ek, Dr",bo@x.example,15/06/2019,No\n';
  const ABSENCES = `First name,Surname,Leave type,Start date,Start type,End date,End type,Duration,Deducted,Status
Ana,Lind,Holiday,25/03/2024,Morning,28/03/2024,Morning,3.5 days,3.5,Approved
Ana,LIND,Holiday,02/04/2024,Morning,02/04/2024,Afternoon,1 day,1,Pending
Bo,"Ek, Dr",Holiday,13/05/2024,Afternoon,13/05/2024,Afternoon,0.5 days,0.5,Approved
Bo,"Ek, Dr",Holiday,14/05/2024,Morning,14/05/2024,Afternoon,1 day,1,Cancelled
`;

  test("an export of Timetastic: people without ids, named in two columns", async () => {
    const files = { "Users.csv": USERS, "Absences.csv": ABSENCES };
    const draft = await draftOf(files);
    expect(draft).toContain('the amount is taken from "Duration", not from "Deducted": is that right?');
    expect(await minutesBy(files, draft)).toEqual({
      "ana@x.example|Holiday|approved": 1680,
      "ana@x.example|Holiday|pending": 480,
      "bo@x.example|Holiday|approved": 240,
    });
    const twice = { ...files, "Users.csv": `${USERS}Ana,Lind,other@x.example,21/03/2021,No\n` };
    expect(await draftOf(twice)).toContain("// workerId is missing: every row needs it");
  });

  test("an export of CharlieHR: halves of days in the dates, people by their names", async () => {
    const files = {
      "team.csv":
        "Team member,Email,Start date,Status\nAna Lind,a@b.co,3 March 2020,Active\nBo Ek,b@b.co,15 June 2021,Active\n",
      "time off.csv": `Team member,Type,From,To,Days,Status
Ana Lind,Holiday,3 Mar 2025 AM,4 Mar 2025 PM,2,Approved
Ana Lind,Holiday,5 Mar 2025 PM,5 Mar 2025 PM,0.5,Approved
Bo Ek,Holiday,6 Mar 2025 AM,6 Mar 2025 AM,0.5,Pending
`,
    };
    const draft = await draftOf(files);
    expect(await minutesBy(files, draft)).toEqual({
      "Ana Lind|Holiday|approved": 1200,
      "Bo Ek|Holiday|pending": 240,
    });
    const { stored } = await imported(files, draft);
    const spans = stored.requests
      .map(({ doc }) => JSON.parse(doc))
      .map(({ startAt, endAt }) => [startAt, endAt]);
    expect(spans.toSorted()[1]).toEqual(["2025-03-05T00:00:00.000Z", "2025-03-06T00:00:00.000Z"]);
  });

  test("a Spanish export: thousands with points, line breaks and semicolons in cells, states of requests", async () => {
    const files = {
      "empleados.csv":
        "C\u00f3digo de empleado;Nombre;Apellidos;Fecha de alta\n1001;Ana;Garc\u00eda;01/03/2020\n1002;Bo;Ruiz;15/06/2021\n",
      "ausencias.csv": `C\u00f3digo de empleado;Tipo de ausencia;Fecha inicio;Fecha fin;Horas;Estado;Comentario
1001;Vacaciones;03/03/2025;07/03/2025;37,50;Aprobada;"uno
dos; tres"
1002;Vacaciones;01/01/2025;30/06/2025;1.040,50;Aprobada;
1001;Vacaciones;05/05/2025;05/05/2025;4,00;Rechazada;
1001;Vacaciones;06/05/2025;06/05/2025;4,00;Cancelada;
`,
    };
    expect(await minutesBy(files, await draftOf(files))).toEqual({
      "1001|Vacaciones|approved": 2250,
      "1001|Vacaciones|denied": 240,
      "1002|Vacaciones|approved": 62_430,
    });
  });

  test("looks people's names up in an index, rather than compare each with every other", async () => {
    const count = 400;
    const people = Array.from({ length: count }, (_, at) => `E${at},First${at},Last${at},2020-01-01`);
    const leave = people.map((_, at) => `"Last${at}, First${at}",PTO,2025-03-03,2025-03-03,1`);
    const files = {
      "people.csv": ["Employee ID,First name,Last name,Hire date", ...people].join("\n"),
      "leave.csv": ["Name,Leave type,From,To,Days", ...leave].join("\n"),
    };
    const draft = await draftOf(files);
    expect(Object.keys(await minutesBy(files, draft))).toHaveLength(count);
    const database = new Database(":memory:");
    database.run('create table people (_file, _line, "Employee ID", "First name", "Last name", "Hire date")');
    database.run('create table leave (_file, _line, Name, "Leave type", "From", "To", Days)');
    const queries = [...draft.matchAll(/"query": ("(?:[^"\\]|\\.)*")/g)].map(([, sql]) => JSON.parse(sql!));
    const plans = queries.map((sql) => JSON.stringify(database.query(`explain query plan ${sql}`).all()));
    expect(plans.map((plan) => /AUTOMATIC (?:COVERING )?INDEX \(name=\?\)/.test(plan))).toEqual([true, true]);
    database.close();
  });

  test("a template of Kenjo: names of columns with stars and brackets, people by their addresses", async () => {
    const files = {
      "Mitarbeiter.csv": Buffer.from(
        "Arbeits-E-Mail;Vorname;Nachname;Eintrittsdatum (TT.MM.JJJJ)\na@b.co;J\u00f6rg;Lind;01.03.2020\nb@b.co;Bo;Ek;15.06.2021\n",
        "latin1",
      ),
      "Abwesenheiten.csv": `Work Email *;Time off type name *;From * (YYYY-MM-DD);Part of day (From) *;To * (YYYY-MM-DD);Part of day (To) *;Days;Status
a@b.co;Urlaub;2025-03-03;Ganzer Tag;2025-03-05;Vormittag;2,5;Genehmigt
b@b.co;Urlaub;2025-03-10;Ganzer Tag;2025-03-10;Ganzer Tag;1;Ausstehend
b@b.co;Urlaub;2025-03-11;Ganzer Tag;2025-03-11;Ganzer Tag;1;Storniert
`,
    };
    expect(await minutesBy(files, await draftOf(files))).toEqual({
      "a@b.co|Urlaub|approved": 1200,
      "b@b.co|Urlaub|pending": 480,
    });
  });

  test("an export of Zoho People: ids beside names in one column, a unit in each row", async () => {
    const files = {
      "Employee_View.csv":
        "Employee ID,First Name,Last Name,Date of joining,Employee Status\nEMP1,Ana,Lind,01-Mar-2020,Active\nEMP2,Bo,Ek,15-Jun-2021,Active\nEMP12,Cy,Yu,15-Jun-2021,Active\n",
      "Leave.csv": `Record ID,Employee ID,Leave Type,From,To,Days/Hours Taken,Unit,Approval Status
11,Ana Lind EMP1,Casual,03-Mar-2025,04-Mar-2025,1.5,Day(s),Approved
12,Bo Ek (EMP2),Casual,05-Mar-2025,05-Mar-2025,6,Hour(s),Approved
13,"EMP12, Cy Yu",Casual,06-Mar-2025,06-Mar-2025,1,Day(s),Rejected
14,Ana Lind EMP1,Casual,10-Mar-2025,10-Mar-2025,1,Day(s),Cancelled
`,
    };
    const draft = await draftOf(files);
    expect(await minutesBy(files, draft)).toEqual({
      "EMP1|Casual|approved": 720,
      "EMP2|Casual|approved": 360,
      "EMP12|Casual|denied": 480,
    });
    const unknown = { ...files, "Leave.csv": files["Leave.csv"].replace("Bo Ek (EMP2)", "Di Ho (EMP7)") };
    expect(await refused(unknown, draft)).toEqual([
      expect.stringMatching(/^Leave\.csv:3: workerId: "Di Ho \(EMP7\)" is no worker/),
    ]);
  });

  test.each([
    ["Requested Hours", '"1,040.00"', 62_400],
    ["Leave hours used (h)", "7.50", 450],
    ["Absence days", "0.5", 240],
  ])(
    "an amount in %s, which is no known name, rather than count working days",
    async (name, amount, minutes) => {
      const files = {
        "Roster.csv":
          'Associate ID,Payroll Name,Hire Date\nK1XQ,"Lind, Ana",03/21/2020\nK2XQ,"Ek, Bo",04/15/2021\n',
        "Time Off.csv": `Associate ID,Policy Name,Time Off Date From,Time Off Date To,Start hour,${name},Status
K1XQ,Vacation,01/06/2025,07/04/2025,09:00,${amount},Approved
K2XQ,Vacation,03/14/2025,03/14/2025,13:00,1.00,Submitted
Total,,,,,"9,999.00",
`,
      };
      const draft = await draftOf(files);
      expect(draft).toContain(`"${name}": "requestedMinutes"`);
      expect((await minutesBy(files, draft))["K1XQ|Vacation|approved"]).toBe(minutes);
    },
  );
});
