// Drafts of mappings: what is told by the names of columns and by values, and that what is told can be imported.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { draftMapping } from "../../../src/import/mapping/draft.ts";
import { candidatesOf } from "../../../src/import/source/files.ts";
import { rollcallHere } from "../../cli/command.ts";
import { type Files, folderOf } from "../../support/import-files.ts";
import { imported, refused } from "./mapped.ts";

const PEOPLE = `Personalnummer;Vorname;Nachname;E-Mail;Eintritt;Austritt;Status;Kostenstelle
7;J\u00f6rg;Lind;j@example.com;01.03.2020;;Aktiv;IT
8;Bo;Ek;b@example.com;15.06.2021;30.04.2025;Ausgeschieden;HR
`;
const LEAVE = `Abwesenheiten 2025

Personalnummer;Abwesenheitsart;Von;Bis;Tage;Status
7;Urlaub;03.03.2025;05.03.2025;3,0;Genehmigt
8;Urlaub;13.03.2025;14.03.2025;1,5;Offen
7;Krank;20.05.2025;20.05.2025;1;Ruhend
`;
const FILES = { "mitarbeiter.csv": Buffer.from(PEOPLE, "latin1"), "abwesenheiten.csv": LEAVE };

describe("rollcall map", () => {
  test("init drafts a mapping that check runs, once what cannot be told is added", async () => {
    const folder = folderOf(FILES);
    const out = join(folder, "map.json");
    expect((await rollcallHere(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    for (const line of [
      '"encoding": "windows-1252"',
      '"delimiter": ";"',
      '"skipLines": 2',
      '"decimal": ","',
      '"units": { "requestedMinutes": "days" }',
      '"endDay": "included"',
      '"translate": { "status": { "Genehmigt": "approved", "Offen": "pending" } }',
      '// status: what is "Ruhend": one of pending, approved, denied, or rows to "skip"?',
      "// not used: Kostenstelle",
    ])
      expect(draft).toContain(line);
    const check = [
      "map",
      "check",
      join(folder, "mitarbeiter.csv"),
      join(folder, "abwesenheiten.csv"),
      "--map",
      out,
    ];
    const refused = await rollcallHere(folder, check);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(
      'abwesenheiten.csv:6: status: "Ruhend" is not one of pending, approved, denied',
    );
    writeFileSync(
      out,
      draft.replace(
        '"from": "abwesenheiten.csv"',
        '"from": "abwesenheiten.csv", "skip": {"Status": "Ruhend"}',
      ),
    );
    const { stdout, exitCode } = await rollcallHere(folder, [...check, "--json"]);
    expect(exitCode).toBe(0);
    const { files, examples } = JSON.parse(stdout);
    expect(files.map((file: { kind: string; added: number }) => [file.kind, file.added])).toEqual([
      ["workers", 2],
      ["policies", 2],
      ["assignments", 4],
      ["requests", 2],
    ]);
    expect(examples.workers).toMatchObject({ startDate: expect.stringMatching(/^202[01]-/) });
    expect((await rollcallHere(folder, ["map", "init", folder, "--out", out])).stderr).toContain(
      "is there already",
    );
  });

  test("init reads names with prefixes, and takes the file that fits a kind best", async () => {
    const folder = folderOf({
      "contracts.csv":
        "contract_id,employee_id,start_date,end_date,pay_rate\nc1,E1,2024-01-02,2024-12-31,20\n",
      "employee_details.csv":
        "employee_id,employee_first_name,employee_last_name,employee_location,hire_date,manager_id\nE1,Ana,Lind,Bern,2024-01-02,\nE2,Bo,Ek,Bern,2024-01-02,E1\n",
      "employee_leave.csv":
        "leave_id,employee_id,leave_type,leave_start_date,leave_end_date,leave_hours\nl1,E1,Annual,2024-03-04,2024-03-04,8\n",
      "roster.csv": "",
    });
    const out = join(folder, "map.json");
    expect((await rollcallHere(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    expect(draft).toContain("// roster.csv is empty");
    expect(draft).toContain("// contracts.csv: more requests?");
    expect(draft).toContain('"employee_location": "location"');
    expect(draft).toContain('"manager_id": "managerId"');
    const files = ["employee_details.csv", "employee_leave.csv"].map((name) => join(folder, name));
    const { stdout } = await rollcallHere(folder, ["map", "check", ...files, "--map", out, "--json"]);
    const { files: read } = JSON.parse(stdout);
    expect(read.map((file: { kind: string; added: number }) => [file.kind, file.added])).toEqual([
      ["workers", 2],
      ["policies", 1],
      ["assignments", 2],
      ["requests", 1],
    ]);
  });

  test("init drafts requests of one day from a file with a row for each day of leave", async () => {
    const folder = folderOf({
      "people.csv":
        "Employee ID,First Name,Last Name,Email,Hire Date\nE1,Ana,Lind,a@example.com,2020-01-02\nE2,Bo,Ek,b@example.com,2021-01-02\n",
      "export.csv":
        "Employee ID,Date,Leave Type,Hours,Status\nE1,03.03.2025,Holiday,8,Approved\nE1,04.03.2025,Holiday,4,Approved\nE2,14.03.2025,Sick,8,Pending\n",
    });
    const out = join(folder, "map.json");
    expect((await rollcallHere(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    expect(draft).toContain("// each row is one day of leave, and becomes a request of that day");
    expect(draft).toContain('"Date": ["startAt","createdAt","endAt"]');
    const files = ["people.csv", "export.csv"].map((name) => join(folder, name));
    const { stdout } = await rollcallHere(folder, ["map", "check", ...files, "--map", out, "--json"]);
    const { files: read, examples } = JSON.parse(stdout);
    expect(read.map((file: { kind: string; added: number }) => [file.kind, file.added])).toEqual([
      ["workers", 2],
      ["policies", 2],
      ["assignments", 4],
      ["requests", 3],
    ]);
    expect(examples.requests).toMatchObject({
      requestedMinutes: 480,
      startAt: "2025-03-03T00:00:00.000Z",
      endAt: "2025-03-04T00:00:00.000Z",
    });
  });

  test.each([
    [
      "amounts below 0",
      "Employee ID,Date,Leave Type,Amount\nE1,2025-03-03,Holiday,-8\nE1,2025-03-04,Holiday,4\n",
    ],
    ["one date", "Employee ID,Date,Leave Type,Amount\nE1,2025-01-01,Holiday,8\nE2,2025-01-01,Holiday,4\n"],
    ["balances", "Employee ID,Date,Leave Type,Balance\nE1,2025-01-01,Holiday,8\nE2,2025-01-02,Holiday,4\n"],
  ])("init takes rows with %s for adjustments, not for days of leave", async (_, text) => {
    const folder = folderOf({ "export.csv": text });
    const { stdout } = await rollcallHere(folder, ["map", "init", folder]);
    expect(stdout).toContain('"adjustments": {');
    expect(stdout).not.toContain('"requests": {');
  });

  test("check says as JSON, too, what is wrong; init says why it cannot draft", async () => {
    const folder = folderOf({ "workers.csv": "legacyId,startDate\nE1,x" });
    const { exitCode, stdout } = await rollcallHere(folder, ["map", "check", folder, "--json"]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      right: false,
      findings: expect.arrayContaining([expect.stringContaining("column email is missing")]),
      moreBadRows: 0,
    });
    const init = await rollcallHere(folder, ["map", "init", "none"]);
    expect(init).toMatchObject({ exitCode: 1, stdout: "" });
    expect(init.stderr).toStartWith(
      "rollcall: no mapping can be drafted:\nThere is no file or folder at none",
    );
  });

  test("init says what to do with a spreadsheet that is not read, alone or beside other files", async () => {
    const folder = folderOf({ "Leave.xls": "not read" });
    const advice = "Leave.xls: it is a spreadsheet of another form: open it and save it as Leave.xlsx";
    const alone = await rollcallHere(folder, ["map", "init", folder]);
    expect(alone).toMatchObject({ exitCode: 1, stdout: "" });
    expect(alone.stderr).toContain(`\n${advice}`);
    writeFileSync(join(folder, "people.csv"), "ID,First name,Last name,Hire date\n1,Ana,Lind,2020-01-01\n");
    const beside = await rollcallHere(folder, ["map", "init", folder]);
    expect(beside.exitCode).toBe(0);
    expect(beside.stderr).toContain(`rollcall: note: left out: ${advice}`);
  });

  test("init assigns people by their balances, too, and asks for the day of these", async () => {
    const folder = folderOf({
      "balances.csv": "emp_id,leave_type,balance\n1,Annual,12\n2,Sick,7\n",
      "leave.csv": "emp_id,leave_type,from,to,days\n1,Annual,2024-03-04,2024-03-05,2\n",
      "people.csv": "emp_id,first_name,last_name,hire_date\n1,Ana,Lind,2024-01-02\n2,Bo,Ek,2024-01-02\n",
    });
    const out = join(folder, "map.txt");
    expect((await rollcallHere(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    expect(draft).toContain("// date is missing: on which day were these the amounts?");
    expect(draft).toContain('// what is "balance" counted in');
    expect(draft).toContain("Leave up to the day of an exported balance is off it already");
    const dated = draft.replace('"from": "balances.csv"', '"values": { "date": "2024-02-01" }, $&');
    writeFileSync(out, dated.replace('"minutes": "?"', '"minutes": "days"'));
    const files = ["balances.csv", "leave.csv", "people.csv"].map((name) => join(folder, name));
    const { stdout, stderr } = await rollcallHere(folder, ["map", "check", ...files, "--map", out, "--json"]);
    expect(stderr).not.toContain("never-assigned");
    const { files: read, examples } = JSON.parse(stdout);
    expect(read.map((file: { kind: string; added: number }) => [file.kind, file.added])).toEqual([
      ["workers", 2],
      ["policies", 2],
      ["assignments", 2],
      ["requests", 1],
      ["adjustments", 2],
    ]);
    expect(examples.adjustments).toMatchObject({ date: "2024-02-01" });
  });

  test("init takes formats that read days that exist, and managers only from ids of the same file", async () => {
    const folder = folderOf({
      "people.csv":
        'EmpID,Employee_Name,DateofHire,DateofTermination,ManagerID\n1,"Lind, Ana, Dr., PhD, MBA",09/26/2011,,77\n2,"Ek, Bo",01/02/2012,12-31-2015,77\n',
    });
    const out = join(folder, "map.json");
    expect((await rollcallHere(folder, ["map", "init", folder, "--out", out])).exitCode).toBe(0);
    const draft = readFileSync(out, "utf8");
    expect(draft).toContain('"dates": { "startDate": "MM/dd/yyyy", "endDate": "MM-dd-yyyy" }');
    expect(draft).not.toContain("would also fit"); // M/d/yyyy reads the same days
    expect(draft).toContain("// not used: ManagerID\n");
    expect(draft).not.toContain("skipLines");
  });

  test("init finds the array of a JSON document and names nested columns by their path", async () => {
    const rows = [
      {
        id: 1,
        name: { first_name: "Ana", last_name: "Lind" },
        email: "a@example.com",
        hire_date: "2024-01-01",
      },
    ];
    const folder = folderOf({ "people.json": JSON.stringify({ fields: [1], data: rows }) });
    const { stdout } = await rollcallHere(folder, ["map", "init", join(folder, "people.json")]);
    for (const line of ['"at": "data"', '"name.first_name": "firstName"', '"hire_date": "startDate"'])
      expect(stdout).toContain(line);
  });

  test("schema is a JSON Schema that names the fields of each kind, presets a list", async () => {
    const folder = folderOf({});
    const schema = JSON.parse((await rollcallHere(folder, ["map", "schema"])).stdout);
    expect(Object.keys(schema.$defs)).toEqual([
      "workers",
      "policies",
      "assignments",
      "requests",
      "adjustments",
      "work_hours",
    ]);
    expect(schema.$defs.requests.properties.translate.properties.status).toMatchObject({
      additionalProperties: { enum: ["pending", "approved", "denied", null] },
    });
    expect(schema.$defs.workers.properties.columns.additionalProperties.oneOf[0].enum).toContain("fullName");
    const presets = JSON.parse((await rollcallHere(folder, ["map", "presets", "--json"])).stdout);
    expect(presets.map(({ name }: { name: string }) => name)).toContain("personio");
  });
});

/** The draft of a mapping for these files, and what an import through it stores. */
async function drafted(files: Files) {
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  return { draft, ...(await imported(files, draft)) };
}

const rowsOf = (docs: readonly { readonly doc: string }[]) => docs.map(({ doc }) => JSON.parse(doc));

describe("a draft", () => {
  test("of a German report: title lines filled up with cells, sums, missing addresses, balances in columns", async () => {
    const { draft, stored } = await drafted({
      "Mitarbeiterliste.csv": `ID;Vorname;Nachname;E-Mail;Status;Einstellungsdatum;K\u00fcndigungsdatum;Abteilung;Standort;Vorgesetzter
1;\u00c4nne;M\u00fcller;aenne@beispiel.de;Aktiv;01.03.2019;;Vertrieb;M\u00fcnchen;
3;Mia;Kowalski;;Inaktiv;01.01.2020;31.03.2025;Vertrieb;Berlin;1`,
      "Abwesenheiten.csv": `Abwesenheits\u00fcbersicht;;;;;;
;;;;;;
Mitarbeiter-ID;Name;Abwesenheitsart;Von;Bis;Tage;Status
1;M\u00fcller, \u00c4nne;Urlaub;06.01.2025;10.01.2025;5,0;Genehmigt
1;M\u00fcller, \u00c4nne;Urlaub;14.02.2025;14.02.2025;0,5;Storniert
3;Kowalski, Mia;Urlaub;17.03.2025;31.03.2025;11,0;Abgelehnt
Summe;;;;;16,5;`,
      "Konten.csv":
        "Mitarbeiter-ID;Urlaub Anspruch;Urlaub verf\u00fcgbar;Notiz\n1;30,0;28,0;\n3;20,0;-1,5;ausgezahlt\n",
    });
    for (const line of [
      '"skipLines": 2',
      '"skip": {"Mitarbeiter-ID":["Summe"],"Status":["Storniert"]}',
      "Konten.csv has balances: Urlaub Anspruch, Urlaub verf\u00fcgbar. Import what is left",
      '"minutes":["{Urlaub verf\u00fcgbar}"],"date":"2026-01-01"},"units":{"minutes":"days"},"decimal":","',
      '"schedule":"yearly","minutesPerPeriod":0',
    ])
      expect(draft).toContain(line);
    expect(rowsOf(stored.workers).toSorted((a, b) => a.legacyId - b.legacyId)).toMatchObject([
      {
        email: "1@no-email.invalid",
        workEmail: "aenne@beispiel.de",
        department: "Vertrieb",
        location: "M\u00fcnchen",
      },
      { email: "3@no-email.invalid", endDate: "2025-03-31", managerId: expect.stringMatching(/^wrk_/) },
    ]);
    expect(rowsOf(stored.requests).map(({ status, requestedMinutes }) => [status, requestedMinutes])).toEqual(
      expect.arrayContaining([
        ["approved", 2400],
        ["denied", 5280],
      ]),
    );
  });

  test("of a report without ids: people are told apart by the address that every file has", async () => {
    const { draft, stored } = await drafted({
      "Employees.csv": `Employee,Work email,Start date,End date,Employment status,Employment type,Manager
Ana Lind,ana@r.example,"Jan 5, 2020",--,Active,"Salaried, full-time",Bo Yu
Bo Yu,bo@r.example,"Jun 15, 2024",--,Terminated,Contractor,--`,
      "Time Off.csv": `Employee,Employee - Work email,Leave type,Start date,End date,Hours requested,Request status
Ana Lind,ana@r.example,Vacation,"Mar 3, 2025","Mar 7, 2025",40h,Approved
Bo Yu,bo@r.example,Sick,"Apr 11, 2025","Apr 11, 2025",4h 30m,Pending`,
    });
    expect(draft).toContain('"Work email": ["legacyId","email","workEmail"]');
    expect(draft).toContain('"Employee - Work email": "workerId"');
    expect(draft).toContain('"translate": { "endDate": { "--": "" }');
    expect(draft).toContain('// "Manager" has no ids of this file');
    expect(
      rowsOf(stored.requests)
        .map(({ requestedMinutes }) => requestedMinutes)
        .toSorted(),
    ).toEqual([2400, 270]);
    expect(stored.assignments).toHaveLength(4);
  });

  test("of people whom only the id of a position tells apart, and of people without ids and addresses", async () => {
    const of = async (csv: string) =>
      await draftMapping(await candidatesOf([folderOf({ "Employees.csv": csv })]));
    const draft = await of(
      'Position ID,Work Contact: Work Email,Payroll Name,Hire Date\nA1,a@b.co,"Lind, Ana M",03/21/2020\n',
    );
    expect(draft).toContain('"Position ID": "legacyId"');
    expect(draft).toContain('"Work Contact: Work Email": ["email","workEmail"]');
    const entities = await of("BusinessEntityID,FirstName,LastName,EmailAddress\n285,Syed,Abbas,s@b.co\n");
    expect(entities).toContain('"BusinessEntityID": "legacyId"');
    const bare = await of('Payroll Name,Hire Date\n"Lind, Ana M",03/21/2020\n');
    expect(bare).toContain("// email is missing: every row needs it; add it to columns or values");
    expect(bare).not.toContain("no-email.invalid");
  });

  test("of a report with its own units, and of people who are active or not", async () => {
    const { draft, stored } = await drafted({
      "People.csv": `Employee ID,Display name,Email,Start date,Active status,Last day of work
1,Ana Lind,ana@r.example,21/03/2020,Yes,
2,Bo Yu,bo@r.example,15/06/2019,No,30/04/2024`,
      "Time off.csv": `Employee ID,Policy type,Start date,Start portion,End date,End portion,Total duration,Unit,Status
1,Holiday,25/03/2024,All day,28/03/2024,Morning,3.5,Days,Approved
2,Sick,13/04/2024,All day,13/04/2024,All day,6,Hours,Pending`,
    });
    expect(draft).toContain('"units": { "requestedMinutes": {"column":"Unit"} }');
    const minutes = rowsOf(stored.requests).map(({ requestedMinutes }) => requestedMinutes);
    expect(minutes.toSorted()).toEqual([1680, 360]);
    const people = rowsOf(stored.workers).map(({ status, endDate }) => [status, endDate]);
    expect(people.toSorted()).toEqual([
      ["active", null],
      ["inactive", "2024-04-30"],
    ]);
  });

  test("of an export in French: formats that a column mixes, names of months, days before months", async () => {
    const { draft, stored } = await drafted({
      "salaries.csv": `Matricule;Nom;Pr\u00e9nom;Date d'entr\u00e9e;D\u00e9partement;Lieu;Actif
1;Durand;Zo\u00e9;05/01/2015;Ventes;Lyon;oui
2;Petit;L\u00e9o;01/02/2016;Ventes;Lyon;oui`,
      "conges.csv": `Matricule;Type d'absence;Date de d\u00e9but;Date de fin;Nombre de jours;Statut;Demand\u00e9 le
1;RTT;25/08/2025;26/08/2025;2;Accept\u00e9;3 ao\u00fbt 2025
2;RTT;2025-09-01;01/09/2025;1;En attente;15 f\u00e9vr. 2025`,
    });
    expect(draft).toContain('"dates": { "startDate": "dd/MM/yyyy" }');
    expect(draft).toContain('"startAt": ["yyyy-MM-dd","dd/MM/yyyy"]');
    expect(draft).toContain('// "Date de d\u00e9but" mixes formats');
    expect(draft).toContain('"locale": "fr"');
    expect(
      rowsOf(stored.requests)
        .map(({ createdAt }) => createdAt.slice(0, 10))
        .toSorted(),
    ).toEqual(["2025-02-15", "2025-08-03"]);
  });

  test("of JSON whose array is two levels deep, and of allocations that were not granted yet", async () => {
    const { draft, stored } = await drafted({
      "User.json": JSON.stringify({
        d: {
          results: [
            { userId: "7", firstName: "Ana", lastName: "Lind", hireDate: "2020-01-01", email: "a@b.co" },
          ],
        },
      }),
      "allocation.csv":
        "External ID,User Id,Time Off Type,Number of Days,Valid From,Status\na1,7,PTO,25.0,2025-01-01,Approved\na2,7,PTO,1.0,2025-02-01,To Approve",
    });
    expect(draft).toContain('"at": "d.results"');
    expect(draft).toContain('"skip": {"Status":["To Approve"]}');
    expect(stored.adjustments).toMatchObject([{ legacyId: "a1", minutes: 12_000 }]);
  });
});

const draftOf = async (files: Files) => await draftMapping(await candidatesOf([folderOf(files)]));

describe("a draft of files that name people", () => {
  const PEOPLE = `Employee #,Name,Hire Date,Reports to
0001,"Lind, Ana",03/21/2020,
0002,"van der Berg, Bo",04/15/2021,Ana Lind
0003,"O'Neil, Cy",05/15/2021,ana lind`;
  const LEAVE = `Name,Time Off Type,From,To,Hours,Status
Ana Lind,PTO,03/14/2025,03/14/2025,8,Approved
Bo van der Berg,PTO,03/14/2025,03/14/2025,4,Approved
Cy O'Neil,PTO,03/17/2025,03/17/2025,8,Approved`;
  const files = { "employees.csv": PEOPLE, "leave.csv": LEAVE };
  test("by whole names in another order finds their ids, and those of managers", async () => {
    const { stored } = await imported(files, await draftOf(files));
    const people = new Map(rowsOf(stored.workers).map(({ id, legacyId }) => [id, legacyId]));
    expect(
      rowsOf(stored.requests)
        .map(({ workerId, requestedMinutes }) => [people.get(workerId), requestedMinutes])
        .toSorted(),
    ).toEqual([
      ["0001", 480],
      ["0002", 240],
      ["0003", 480],
    ]);
    expect(stored.assignments).toHaveLength(3);
    expect(
      rowsOf(stored.workers)
        .map(({ legacyId, managerId }) => [legacyId, people.get(managerId)])
        .toSorted(),
    ).toEqual([
      ["0001", undefined],
      ["0002", "0001"],
      ["0003", "0001"],
    ]);
  });

  test("in two columns finds them too, and a name that nobody has is named with its line", async () => {
    const parts = {
      "employees.csv": `Employee #,First name,Last name,Hire Date
1,Ana,Lind,03/21/2020
2,Bo,Ek,03/21/2020
3,Cy,Yu,03/21/2020
4,Di,Ho,03/21/2020`,
      "leave.csv": `Name,Time Off Type,From,To,Hours,Status
"Lind, Ana",PTO,03/14/2025,03/14/2025,8,Approved
"Ek, Bo",PTO,03/14/2025,03/14/2025,8,Approved
"Yu, Cy",PTO,03/14/2025,03/14/2025,8,Approved
"Ho, Di",PTO,03/14/2025,03/14/2025,8,Approved
"Ho, Dy",PTO,03/14/2025,03/14/2025,8,Approved`,
    };
    expect(await refused(parts, await draftOf(parts))).toEqual([
      expect.stringMatching(/^leave\.csv:6: workerId: "Ho, Dy" is no worker/),
    ]);
  });

  test("asks for ids where two people have one name", async () => {
    const twice = { ...files, "employees.csv": `${PEOPLE}\n0004,"Lind, Ana",03/21/2020,` };
    expect(await draftOf(twice)).toContain('"Name": "workerId"');
  });
});

test("a draft says what to do with what people get in a year, and does not take it for a balance", async () => {
  const draft = await draftOf({
    "Mitarbeiter.csv":
      "Personalnummer;Vorname;Nachname;Eintritt;Urlaubsanspruch (Tage)\n7;Ana;Lind;01.03.2020;28,5\n",
    "Abwesenheiten.csv":
      "Personalnummer;Abwesenheitsart;Von;Bis;Tage;Status\n7;Urlaub;13.03.2025;13.03.2025;1;Genehmigt\n",
  });
  expect(draft).toContain('Give that policy "schedule": "yearly"');
  expect(draft).toContain('p."Urlaubsanspruch (Tage)" as minutesPerPeriod');
  expect(draft).toContain('"units":{"minutesPerPeriod":"days"},"decimal":","');
  expect(draft).toContain('"schedule":"unlimited"');
});

test("without a status, who has a last day is drafted as inactive, and the draft says so", async () => {
  const files = {
    "employees.csv":
      "Employee ID,First Name,Last Name,Email,Hire Date,Termination Date\n1,Ana,Lind,a@x.com,2020-01-01,\n2,Bo,Ek,b@x.com,2019-01-01,2024-05-31\n3,Cy,Ode,c@x.com,2021-03-01,9999-12-31",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft).toContain(
    '// no column has a status: who has a date in "Termination Date" is inactive, also if',
  );
  expect(draft).toContain('"status": { "": "active", "9999-12-31": "active", "*": "inactive" }');
  const { stored } = await imported(files, draft);
  const people = stored.workers.map(({ doc }) => JSON.parse(doc));
  expect(people.map(({ firstName, status, endDate }) => [firstName, status, endDate]).sort()).toEqual([
    ["Ana", "active", null],
    ["Bo", "inactive", "2024-05-31"],
    ["Cy", "active", null],
  ]);
});
