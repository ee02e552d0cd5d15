// Drafts of exports as other systems write them: labels below technical names, references, columns that are told by their values.
import { expect, test } from "bun:test";
import { draftMapping } from "../../../src/import/mapping/draft.ts";
import { candidatesOf } from "../../../src/import/source/files.ts";
import { folderOf } from "../../support/import-files.ts";
import { imported } from "./mapped.ts";

test("a column of last days that nobody has yet is drafted for those who will leave, with the format of the other dates", async () => {
  const header = "Employee ID,First Name,Last Name,Email,Hire Date,Termination Date";
  const before = `${header}\n1,Ana,Lind,a@x.com,20/01/2020,\n2,Bo,Ek,b@x.com,14/02/2019,`;
  const draft = await draftMapping(await candidatesOf([folderOf({ "employees.csv": before })]));
  expect(draft).toContain('"dates": { "startDate": "dd/MM/yyyy", "endDate": "dd/MM/yyyy" }');
  const { stored } = await imported({ "employees.csv": `${before}31/05/2026` }, draft);
  const people = stored.workers.map(({ doc }) => JSON.parse(doc));
  expect(people.map(({ firstName, status, endDate }) => [firstName, status, endDate]).sort()).toEqual([
    ["Ana", "active", null],
    ["Bo", "inactive", "2026-05-31"],
  ]);
});

test("labels below technical names are no row, and what stands for no manager is none", async () => {
  const files = {
    "User.csv":
      "userId,firstName,lastName,email,department,manager,hireDate,status\nUser ID,First Name,Last Name,Email,Department,Manager,Hire Date,Status\n100045,Birgit,Meyer,b@x.com,FIN,100051,2018-04-01,t\n100051,Jo,Franz,j@x.com,FIN,NO_MANAGER,2012-01-01,t\n100060,Karin,Old,k@x.com,HR,100051,2010-01-01,f",
    "EmployeeTime.csv":
      "externalCode,userId,timeType,startDate,endDate,quantityInDays,approvalStatus,createdDateTime\nCode,User ID,Time Type,Start Date,End Date,Quantity in Days,Approval Status,Created On\na1,100045,VACATION,2025-10-06,2025-10-10,5,APPROVED,2025-09-01T08:22:10Z\na2,100045,SICK,2025-11-12,2025-11-12,0.5,APPROVED,2025-11-12T07:01:00Z\na3,100051,VACATION,2025-12-22,2025-12-30,6,PENDING,2025-11-02T10:00:00Z",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft).toContain('rows with "User ID" in "userId" are taken for labels');
  expect(draft).not.toContain('"Time Type"');
  const { stored } = await imported(files, draft);
  const people = stored.workers.map(({ doc }) => JSON.parse(doc));
  const idOf = (name: string) => people.find(({ lastName }) => lastName === name).id;
  expect(people.map(({ lastName, managerId, status }) => [lastName, managerId, status]).sort()).toEqual([
    ["Franz", null, "active"],
    ["Meyer", idOf("Franz"), "active"],
    ["Old", idOf("Franz"), "inactive"],
  ]);
  expect(stored.requests.map(({ doc }) => JSON.parse(doc).requestedMinutes).sort()).toEqual(
    [2400, 240, 2880].sort(),
  );
});

test("numbers in a column named like a person are ids, not names, and addresses are known by what they are", async () => {
  const files = {
    "medewerkers.csv":
      "Medewerker;Roepnaam;Achternaam;E-mail (zaak);Leidinggevende;Datum in dienst\n1001;Sanne;de Vries;s@x.nl;1002;01-02-2020\n1002;Pieter;van den Berg;p@x.nl;;15-08-2011",
    "verlof.csv":
      "Medewerker;Verlofsoort;Begindatum;Einddatum;Aantal uren;Status;Datum aanvraag\n1001;Wettelijk verlof;20-10-2025;24-10-2025;40,00;Goedgekeurd;01-09-2025\n1002;Ziekte;05-05-2025;06-05-2025;16,00;Ingetrokken;05-05-2025",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft).toContain('"Medewerker": "legacyId"');
  expect(draft).toContain('"E-mail (zaak)": ["email","workEmail"]');
  expect(draft).toContain('"Datum aanvraag": "createdAt"');
  const { stored } = await imported(files, draft);
  expect(stored.requests).toHaveLength(1);
});

test("an address that several people have is not their own", async () => {
  const people =
    "Employee ID,First Name,Last Name,Hire Date,Contact in HR\n1,Ana,Lind,2020-01-01,hr@x.com\n2,Bo,Ek,2019-01-01,hr@x.com\n3,Cy,Ode,2021-03-01,it@x.com";
  const draft = await draftMapping(await candidatesOf([folderOf({ "employees.csv": people })]));
  expect(draft).toContain('"email": "{Employee ID}@no-email.invalid"');
  expect(draft).toContain("// not used: Contact in HR");
});

test("without a column that is named so, the kind of leave is the column whose words are kinds of leave", async () => {
  const files = {
    "absences.csv":
      "Matricule;Compte;Date de début;Date de fin;Durée (jours);Statut\n12;Congés payés 2025;13/10/2025;17/10/2025;5,00;Approuvée\n12;RTT;03/11/2025;03/11/2025;0,50;Approuvée\n13;Maladie;05/05/2025;06/05/2025;2,00;Refusée",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft).toContain('"Compte": "timeOffPolicyId"');
  expect(draft).toContain('"legacyId":"RTT"');
});

test("an export of Odoo is drafted by the names of what its rows refer to", async () => {
  const files = {
    "hr.employee.csv":
      "id,name,work_email,department_id/name,parent_id/id,first_contract_date,active\ne3,Marta Gil,m@x.com,Sales,e4,2020-01-15,True\ne4,Luis Pons,l@x.com,Management,,2011-03-01,True",
    "hr.leave.csv":
      "id,employee_id/name,employee_id/id,holiday_status_id/name,request_date_from,request_date_to,number_of_days,state,create_date\nl1,Marta Gil,e3,Paid Time Off,2025-10-13,2025-10-17,5.0,validate,2025-09-10 08:00:00\nl2,Luis Pons,e4,Paid Time Off,2025-12-22,2025-12-24,3.0,confirm,2025-11-03 07:10:00\nl3,Luis Pons,e4,Paid Time Off,2025-08-04,2025-08-08,5.0,refuse,2025-06-03 07:10:00\nl4,Luis Pons,e4,Paid Time Off,2025-08-11,2025-08-15,5.0,cancel,2025-06-03 07:10:00",
  };
  const { stored } = await imported(files, await draftMapping(await candidatesOf([folderOf(files)])));
  const statuses = stored.requests.map(({ doc }) => JSON.parse(doc).status).sort();
  expect(statuses).toEqual(["approved", "denied", "pending"]);
  const [gil, pons] = ["Gil", "Pons"].map((name) =>
    stored.workers.map(({ doc }) => JSON.parse(doc)).find(({ lastName }) => lastName === name),
  );
  expect(gil.managerId).toBe(pons.id);
});

test("amounts with a unit in each row are taken as such, and Swedish columns are known", async () => {
  const files = {
    "TimeOff.csv":
      "Employee ID,Time Off Type,Time Off Date,Total Units,Unit of Time,Status\n21001,Vacation,2025-10-13,4,Hours,Approved\n21001,Vacation,2025-10-14,8,Hours,Approved\n21000,Sick,2025-11-03,4,Hours,Submitted",
  };
  expect(await draftMapping(await candidatesOf([folderOf(files)]))).toContain(
    '"units": { "requestedMinutes": {"column":"Unit of Time"} }',
  );
  const swedish = {
    "franvaro.csv":
      "Anställningsnummer;Frånvarotyp;Fr.o.m.;T.o.m.;Antal dagar;Status;Ansökt\n201;Semester;2025-07-07;2025-07-18;10;Beviljad;2025-04-01\n202;Tjänstledighet;2025-09-01;2025-09-05;5;Avslagen;2025-08-01\n202;Semester;2025-12-22;2025-12-31;5;Ansökt;2025-11-01",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(swedish)]));
  expect(draft).toContain('{ "Beviljad": "approved", "Avslagen": "denied", "Ansökt": "pending" }');
  expect(draft).toContain('"Antal dagar": "requestedMinutes"');
  expect(draft).toContain('"units": { "requestedMinutes": "days" }');
});

test("columns that number requests, and those of units and of rows that are left out, are known as used", async () => {
  const files = {
    "Empleados.csv":
      "Código;Nombre;Apellidos;Correo electrónico;Centro;Fecha de alta;NIF\n1;Ana;Gil;a@x.es;Las Palmas;01/02/2020;1X\n2;Bo;Díaz;b@x.es;Lisboa;15/02/2021;2X",
    "Ausencias.csv":
      "Id solicitud;Código empleado;Tipo de ausencia;Desde;Hasta;Duración;Unidad;Estado;Anulada\nS1;1;Vacaciones;13/10/2026;14/10/2026;2;días;Aprobada;no\nS2;1;Vacaciones;13/10/2026;13/10/2026;4;horas;Aprobada;sí\nS3;2;Vacaciones;13/10/2026;13/10/2026;4;horas;Aprobada;no",
    "Saldos.csv":
      "Código empleado;Concepto;Saldo días;Fecha\n1;Vacaciones;2,5;31/12/2025\n2;Vacaciones;3;31/12/2025",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft).toContain('"Centro": "location"');
  expect(draft.match(/not used: .*/g)).toEqual(["not used: NIF"]);
  const { stored } = await imported(files, draft);
  const requests = stored.requests.map(({ doc }) => JSON.parse(doc));
  expect(requests.map(({ legacyId, requestedMinutes }) => [legacyId, requestedMinutes]).sort()).toEqual([
    ["S1", 960],
    ["S3", 240],
  ]);
  expect(stored.workers.map(({ doc }) => JSON.parse(doc).location).sort()).toEqual(["Las Palmas", "Lisboa"]);
  expect(stored.adjustments.map(({ minutes }) => minutes).sort()).toEqual([1200, 1440]);
});

test("a number of a file names people in place of their names and addresses", async () => {
  const files = {
    "Roster.csv":
      'File #,Legal First Name,Legal Last Name,Work Email,Home Department,Hire Date\n001201,Ana,Lopez,a@x.com,Payroll,01/13/2015\n001202,Bob,"O\'Neil, Jr.",b@x.com,Ops,12/21/2019',
    "Time Off.csv":
      'Request ID,File #,Employee Name,Policy,Start Date,End Date,Hours,Status\n9,001201,"Lopez, Ana",Vacation,11/02/2026,11/13/2026,16,Approved\n8,001202,"O\'Neil, Jr., Bob",Sick,11/05/2026,11/05/2026,8,Approved',
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft).toContain('"File #": "legacyId"');
  expect(draft).toContain('"Home Department": "department"');
  expect((await imported(files, draft)).stored.requests).toHaveLength(2);
});

test.each(["\n", "\r\n"])(
  "line breaks (%j) in the cells of a title and of a header, and in a row's, are read",
  async (lineEnd) => {
    const lines = [
      '"Staff\nlist"',
      "",
      '"Employee\nID";"First name";Last name;Work email;"Start\ndate";Status',
      '1;Ana;"Lind; née\n""Ek""";a@x.com;21/02/2020;Active',
    ];
    const files = { "staff.csv": lines.join("\n").replaceAll("\n", lineEnd) };
    const draft = await draftMapping(await candidatesOf([folderOf(files)]));
    expect(draft).toContain('"skipLines": 3,');
    const { stored } = await imported(files, draft);
    expect(stored.workers.map(({ doc }) => JSON.parse(doc))).toMatchObject([
      { legacyId: "1", firstName: "Ana", startDate: "2020-02-21" },
    ]);
  },
);

test("British columns are known, and how to address people is not their job", async () => {
  const files = {
    "employees.csv":
      "Payroll Ref,Title,Forename,Surname,Known As,Work E-mail Address,Line Manager Name,Continuous Service Date,Leaving Date,Contract Type\nP001,Ms,Ann,O'Hara,Annie,ann@x.com,,01-Apr-2011,,Permanent\nP002,Mr,Bob,St. John,,bob@x.com,Ann O'Hara,15-Sep-2019,31-Oct-2026,Fixed Term",
    "absence.csv":
      "Payroll Ref,Employee,Absence Category,First Day,Last Day,Hours Lost,Authorised,Date Entered\nP001,Ann O'Hara,Annual Leave,06-Apr-2026,10-Apr-2026,37.5,Yes,01-Mar-2026\nP002,Bob St. John,Sickness,20-Apr-2026,21-Apr-2026,8,Yes,20-Apr-2026",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft.match(/not used: .*/g)).toEqual(["not used: Title", "not used: Employee"]);
  const { stored } = await imported(files, draft);
  const people = stored.workers.map(({ doc }) => JSON.parse(doc));
  const ann = people.find(({ legacyId }) => legacyId === "P001");
  expect(ann).toMatchObject({
    displayName: "Annie",
    position: "",
    startDate: "2011-04-01",
    type: "employee",
  });
  expect(people.find(({ legacyId }) => legacyId === "P002")).toMatchObject({
    managerId: ann.id,
    status: "inactive",
  });
  expect(stored.requests.map(({ doc }) => JSON.parse(doc).createdAt).sort()).toEqual([
    "2026-03-01T00:00:00.000Z",
    "2026-04-20T00:00:00.000Z",
  ]);
});

test("Polish columns and words are known", async () => {
  const files = {
    "pracownicy.csv":
      "Numer pracownika;Nazwisko;Imię;Adres e-mail;Stanowisko;Dział;Rodzaj umowy;Data zatrudnienia;Data zwolnienia;Status;Przełożony\n101;Wiśniewski;Łukasz;lw@x.pl;Kierownik;Księgowość;Umowa o pracę;01.04.2015;;Aktywny;\n103;Dąbrowska;Żaneta;zd@x.pl;Specjalista;Sprzedaż;B2B;01.02.2021;31.03.2025;Nieaktywny;Wiśniewski Łukasz",
    "nieobecnosci.csv":
      "Numer wniosku;Numer pracownika;Rodzaj nieobecności;Data od;Data do;Liczba dni;Status wniosku;Data złożenia;Uwagi\n1;103;Urlop wypoczynkowy;02.06.2025;06.06.2025;5;Zatwierdzony;01.05.2025 10:15;\n2;101;Zwolnienie lekarskie;07.07.2025;09.07.2025;2,5;Oczekujący;07.07.2025 09:30;grypa\n3;101;Urlop wypoczynkowy;01.08.2025;08.08.2025;6;Anulowany;01.07.2025 12:00;",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft).not.toContain("not used");
  const { stored } = await imported(files, draft);
  const people = stored.workers.map(({ doc }) => JSON.parse(doc));
  const lead = people.find(({ legacyId }) => legacyId === "101");
  expect(lead).toMatchObject({ lastName: "Wiśniewski", department: "Księgowość", type: "employee" });
  expect(people.find(({ legacyId }) => legacyId === "103")).toMatchObject({
    managerId: lead.id,
    status: "inactive",
    type: "contractor",
  });
  const requests = stored.requests.map(({ doc }) => JSON.parse(doc));
  expect(
    requests.map(({ legacyId, requestedMinutes, status }) => [legacyId, requestedMinutes, status]).sort(),
  ).toEqual([
    ["1", 2400, "approved"],
    ["2", 1200, "pending"],
  ]);
});

test("Japanese columns and words are known", async () => {
  const files = {
    "従業員一覧.csv":
      "社員番号,姓,名,表示名,メールアドレス,雇用形態,部署,役職,入社年月日,退職年月日,在籍状況,上長社員番号\n1001,佐藤,花子,佐藤 花子,h@x.jp,正社員,営業部,部長,2015/04/01,,在籍,\n1003,高橋,健,高橋 健,k@x.jp,業務委託,開発部,,2020/04/01,2025/03/31,退職,1001",
    "休暇申請.csv":
      "申請番号,社員番号,休暇種別,開始日,終了日,日数,申請日時,状態,理由\nL-1,1001,年次有給休暇,2025/05/01,2025/05/02,2,2025/04/10 09:12,承認済,旅行\nL-2,1003,特別休暇,2025/01/22,2025/01/22,0.5,2025/01/01 08:00,申請中,\nL-3,1001,病気休暇,2025/09/01,2025/09/03,3,2025/09/01 07:00,取消,",
  };
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  expect(draft).not.toContain("not used");
  const { stored } = await imported(files, draft);
  const people = stored.workers.map(({ doc }) => JSON.parse(doc));
  const lead = people.find(({ legacyId }) => legacyId === "1001");
  expect(lead).toMatchObject({ displayName: "佐藤 花子", department: "営業部", position: "部長" });
  expect(people.find(({ legacyId }) => legacyId === "1003")).toMatchObject({
    managerId: lead.id,
    status: "inactive",
    type: "contractor",
  });
  const requests = stored.requests.map(({ doc }) => JSON.parse(doc));
  expect(
    requests.map(({ legacyId, requestedMinutes, status }) => [legacyId, requestedMinutes, status]).sort(),
  ).toEqual([
    ["L-1", 960, "approved"],
    ["L-2", 240, "pending"],
  ]);
});
