// Drafts of exports as further systems write them, imported as they are drafted: what each says of people and of their leave.
import { describe, expect, test } from "bun:test";
import { draftMapping } from "../../../src/import/mapping/draft.ts";
import { candidatesOf } from "../../../src/import/source/files.ts";
import { type Files, folderOf } from "../../support/import-files.ts";
import { imported } from "./mapped.ts";

interface Person {
  readonly id: string;
  readonly legacyId: string;
  readonly firstName: string;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly status: string;
  readonly managerId: string | null;
}

/** By people's first names, those of people and of leave that an import of the draft stores. */
async function drafted(files: Files) {
  const draft = await draftMapping(await candidatesOf([folderOf(files)]));
  const { stored } = await imported(files, draft);
  const people: Person[] = stored.workers.map(({ doc }) => JSON.parse(doc));
  const nameOf = (id: string | null) => people.find((one) => one.id === id)?.firstName ?? null;
  return {
    draft,
    ends: stored.requests.map(({ doc }) => JSON.parse(doc).endAt.slice(0, 10)).sort(),
    people: people
      .map((one) => [one.firstName, one.startDate, one.endDate, one.status, nameOf(one.managerId)])
      .sort(),
    leave: stored.requests
      .map(({ doc }) => JSON.parse(doc))
      .map((one) => [
        nameOf(one.workerId),
        one.startAt.slice(0, 10),
        one.requestedMinutes,
        one.status,
        one.createdAt.slice(0, 16),
      ])
      .sort(),
  };
}

describe("a draft reads an export in the form of", () => {
  test("Humaans: days of work, not those of the calendar, and last days of employments", async () => {
    const { people, leave } = await drafted({
      "people.csv":
        "First name,Last name,Email,Employee ID,Reports to,Employment start date,Employment end date,Status\nIda,Lee,i@x.com,1,,2019-05-01,,Active\nKim,Sun,k@x.com,3,i@x.com,2023-01-09,2025-10-31,Offboarded",
      "time-away.csv":
        "Email,Type,Start date,Start period,End date,End period,Days,Working days,Status,Requested at\ni@x.com,PTO,2025-07-12,Full day,2025-07-18,Full day,7,5,approved,2025-06-01T10:00:00.000Z\nk@x.com,PTO,2025-09-01,PM,2025-09-02,Full day,2,1.5,declined,2025-09-01T07:00:00.000Z",
    });
    expect(people).toEqual([
      ["Ida", "2019-05-01", null, "active", null],
      ["Kim", "2023-01-09", "2025-10-31", "inactive", "Ida"],
    ]);
    expect(leave).toEqual([
      ["Ida", "2025-07-12", 2400, "approved", "2025-06-01T10:00"],
      ["Kim", "2025-09-01", 720, "denied", "2025-09-01T07:00"],
    ]);
  });

  test("Kelio: refused leave is not approved", async () => {
    const { leave } = await drafted({
      "salaries.csv":
        "Matricule;Nom;Prénom;E-mail;Date d'entrée;Actif\n1;MARTIN;Luc;l@x.fr;15/03/2003;Oui\n2;BERNARD;Éva;e@x.fr;15/10/2019;Oui",
      "absences.csv":
        "Matricule;Nom Prénom;Libellé du motif;Date de début;Date de fin;Nombre de jours;Nombre d'heures;État de la demande;Date de la demande\n1;MARTIN Luc;Congés payés;15/07/2025;25/07/2025;9,00;63h00;Validée;02/05/2025\n2;BERNARD Éva;RTT;18/08/2025;18/08/2025;0,50;3h30;En cours;01/08/2025\n2;BERNARD Éva;Maladie;22/09/2025;23/09/2025;2,00;14h00;Refusée;22/09/2025",
    });
    expect(leave).toEqual([
      ["Luc", "2025-07-15", 4320, "approved", "2025-05-02T00:00"],
      ["Éva", "2025-08-18", 240, "pending", "2025-08-01T00:00"],
      ["Éva", "2025-09-22", 960, "denied", "2025-09-22T00:00"],
    ]);
  });

  test("AFAS: numbers that both files have under one name, and days without zeros in front", async () => {
    const { people, leave } = await drafted({
      "Medewerkers.csv":
        "Medewerker;Naam;Voornaam;Achternaam;E-mail werk;Manager;Begindatum dienstverband;Einddatum dienstverband\n100;A. de Boer;Anna;de Boer;a@x.nl;;1-9-2014;\n102;C. Mol;Cor;Mol;c@x.nl;100;13-5-2018;31-8-2025",
      "Verlof.csv":
        "Medewerker;Volgnummer;Type verlof;Datum/tijd aanvang;Datum/tijd einde;Uren;Status\n100;1;Vakantieverlof;14-07-2025 09:00;18-07-2025 17:30;40,00;Goedgekeurd\n102;3;Bijzonder verlof;05-05-2025 09:00;06-05-2025 17:30;16,00;Afgekeurd",
    });
    expect(people).toEqual([
      ["Anna", "2014-09-01", null, "active", null],
      ["Cor", "2018-05-13", "2025-08-31", "inactive", "Anna"],
    ]);
    expect(leave).toEqual([
      ["Anna", "2025-07-14", 2400, "approved", "2025-07-14T09:00"],
      ["Cor", "2025-05-05", 960, "denied", "2025-05-05T09:00"],
    ]);
  });

  test("Zucchetti: the first and the last day, and hours", async () => {
    const { draft, people, leave } = await drafted({
      "dipendenti.csv":
        "Matricola;Cognome;Nome;E-mail aziendale;Responsabile;Data assunzione;Data cessazione\n1;Rossi;Ada;a@x.it;;01/02/2012;\n2;Neri;Ugo;u@x.it;Rossi Ada;15/09/2020;",
      "richieste.csv":
        "Matricola;Cognome e Nome;Giustificativo;Dal giorno;Al giorno;Quantità ore;Stato richiesta;Data inserimento\n1;Rossi Ada;FERIE;04/08/2025;08/08/2025;40,00;Approvata;03/06/2025\n2;Neri Ugo;PERMESSO ROL;18/08/2025;18/08/2025;4,00;In attesa di approvazione;01/08/2025\n2;Neri Ugo;FERIE;25/08/2025;26/08/2025;16,00;Rifiutata;01/08/2025",
    });
    expect(draft.match(/not used: .*/g)).toEqual(["not used: Cognome e Nome"]);
    expect(people.map(([name, , , , manager]) => [name, manager])).toEqual([
      ["Ada", null],
      ["Ugo", "Ada"],
    ]);
    expect(leave).toEqual([
      ["Ada", "2025-08-04", 2400, "approved", "2025-06-03T00:00"],
      ["Ugo", "2025-08-18", 240, "pending", "2025-08-01T00:00"],
      ["Ugo", "2025-08-25", 960, "denied", "2025-08-01T00:00"],
    ]);
  });

  test("Woffu: working days beside those of the calendar, deleted requests, and accounts that are not active", async () => {
    const { people, leave } = await drafted({
      "usuarios.csv":
        "Id usuario;Nombre;Apellidos;Email;Responsable;Fecha inicio contrato;Fecha fin contrato;Activo\n70;Eva;Ruiz;e@x.es;;01/03/2015;;Sí\n72;Iris;Sol;i@x.es;Eva Ruiz;20/05/2019;31/07/2025;No",
      "solicitudes.csv":
        "Usuario;Tipo de evento;Fecha inicio;Fecha fin;Días naturales;Días laborables;Estado;Fecha de creación\nEva Ruiz;Vacaciones;14/07/2025;20/07/2025;7;5;Aceptada;02/06/2025\nIris Sol;Vacaciones;23/06/2025;23/06/2025;1;0,5;Pendiente de aprobación;01/06/2025\nIris Sol;Vacaciones;26/06/2025;26/06/2025;1;1;Eliminada;01/06/2025",
    });
    expect(people).toEqual([
      ["Eva", "2015-03-01", null, "active", null],
      ["Iris", "2019-05-20", "2025-07-31", "inactive", "Eva"],
    ]);
    expect(leave).toEqual([
      ["Eva", "2025-07-14", 2400, "approved", "2025-06-02T00:00"],
      ["Iris", "2025-06-23", 240, "pending", "2025-06-01T00:00"],
    ]);
  });

  test("Darwinbox and Employment Hero: clocks of twelve hours after days with dashes, and without a space", async () => {
    const people = "Employee Id,Full Name,Date Of Joining\nDB1,Asha Rao,16-04-2016\nDB2,Vik Das,16-08-2021";
    const { leave } = await drafted({
      "Employee Master.csv": people,
      "Leave Report.csv":
        "Employee Id,Leave Name,From Date,To Date,No. of Days,Applied On,Leave Status\nDB1,Privilege Leave,14-07-2025,18-07-2025,5,21-06-2025 12:10 AM,Approved\nDB2,Casual Leave,04-08-2025,04-08-2025,0.5,21-07-2025 11:30 PM,Pending for Approval\nDB2,Casual Leave,05-08-2025,05-08-2025,1,21-07-2025 11:30 PM,Revoked",
    });
    expect(leave).toEqual([
      ["Asha", "2025-07-14", 2400, "approved", "2025-06-21T00:10"],
      ["Vik", "2025-08-04", 240, "pending", "2025-07-21T23:30"],
    ]);
    const hero = await drafted({
      "Employee Master.csv": people,
      "leave_history.csv":
        "Employee Id,Leave category,Applied date,Leave start date,Leave end date,Hours,Status\nDB1,Annual leave,21/06/2025 12:15AM,14/07/2025,18/07/2025,38,Approved\nDB2,Annual leave,21/07/2025 01:00PM,04/08/2025,04/08/2025,3.8,Disapproved",
    });
    expect(hero.leave).toEqual([
      ["Asha", "2025-07-14", 2280, "approved", "2025-06-21T00:15"],
      ["Vik", "2025-08-04", 228, "denied", "2025-07-21T13:00"],
    ]);
  });

  test("Cezanne and PeopleHR: codes of people, and dates of holidays", async () => {
    const cezanne = await drafted({
      "people.csv":
        'Person Code;Full Name;Work Email;Line Manager;Hire Date\n001;"Rossi, Carla";c@x.it;;01-Sep-2015\n002;"Bianchi, Luca";l@x.it;"Rossi, Carla";23-Jan-2019',
      "absences.csv":
        'Person Code;Full Name;Absence Cause;From;To;Duration (Days);Status;Insert Date\n001;"Rossi, Carla";Holiday;04-Aug-2025;08-Aug-2025;5;Authorized;02-Jun-2025 10:11\n002;"Bianchi, Luca";Holiday;11-Aug-2025;12-Aug-2025;1.5;Waiting;03-Jun-2025 16:45\n002;"Bianchi, Luca";Sickness;17-Nov-2025;17-Nov-2025;1;Not authorized;17-Nov-2025 09:00',
    });
    expect(cezanne.draft).toContain('"Person Code": "legacyId"');
    expect(cezanne.people.map(([name, , , , manager]) => [name, manager])).toEqual([
      ["Carla", null],
      ["Luca", "Carla"],
    ]);
    expect(cezanne.leave).toEqual([
      ["Carla", "2025-08-04", 2400, "approved", "2025-06-02T10:11"],
      ["Luca", "2025-08-11", 720, "pending", "2025-06-03T16:45"],
      ["Luca", "2025-11-17", 480, "denied", "2025-11-17T09:00"],
    ]);
    const peopleHr = await drafted({
      "Employees.csv":
        "Employee Id,First Name,Last Name,Email Id,Start Date,Reports To,Employee Status,Leaving Date\nPW1,Ann,Hill,ann@x.com,21/09/2014,,Active,\nPW3,Cat,Low,cat@x.com,13/02/2017,Ann Hill,Leaver,31/08/2025",
      "Holidays.csv":
        "Employee Id,Name,Holiday Start Date,Holiday End Date,Duration Type,Duration In Days,Part Of Day,Requested On,Status\nPW1,Ann Hill,14/07/2025,18/07/2025,Days,5,,01/06/2025,Approved\nPW3,Cat Low,11/08/2025,11/08/2025,Half Day,0.5,AM,30/07/2025,Rejected",
    });
    expect(peopleHr.leave).toEqual([
      ["Ann", "2025-07-14", 2400, "approved", "2025-06-01T00:00"],
      ["Cat", "2025-08-11", 240, "denied", "2025-07-30T00:00"],
    ]);
  });

  test.each([
    ["Justworks", " - "],
    ["a report with words between days", " to "],
    ["a report with longer dashes", " \u2013 "],
  ])("%s: the first and the last day in one cell, or a day alone", async (_, between) => {
    const { draft, leave, ends } = await drafted({
      "members.csv":
        "First name,Last name,Work email,Start date\nLiz,Kay,lk@x.com,01/06/2020\nTom,Ray,tr@x.com,03/15/2022",
      "time_off_requests.csv": `Employee,Time off type,Dates requested,Hours,Status,Requested on\nLiz Kay,Vacation,07/14/2025${between}07/18/2025,40,Approved,06/01/2025\nTom Ray,Sick,08/05/2025,4,Approved,08/05/2025\nTom Ray,Vacation,12/30/2025${between}01/02/2026,24,Declined,09/01/2025`,
    });
    expect(draft).toContain(
      `"Dates requested" has the first and the last day: the query splits it at "${between}"`,
    );
    expect(draft).not.toContain('adjustments"');
    expect(draft).not.toContain("not used");
    expect(ends).toEqual(["2025-07-19", "2025-08-06", "2026-01-03"]);
    expect(leave).toEqual([
      ["Liz", "2025-07-14", 2400, "approved", "2025-06-01T00:00"],
      ["Tom", "2025-08-05", 240, "approved", "2025-08-05T00:00"],
      ["Tom", "2025-12-30", 1440, "denied", "2025-09-01T00:00"],
    ]);
  });

  test.each([
    ["IRIS Cascade", "2025-07-14T00:00:00", "2025-07-18T00:00:00"],
    ["a report of a database", "14/07/2025 00:00", "18/07/2025 00:00"],
    ["a report of the United States", "7/14/2025 12:00:00 AM", "7/18/2025 12:00:00 AM"],
    ["LeaveDates", "14 Jul 2025 (am)", "18 Jul 2025 (pm)"],
  ])(
    "%s: days with midnights or halves behind them, of which the last one is leave, too",
    async (_, first, last) => {
      const { draft, people, leave, ends } = await drafted({
        "employees.csv":
          "Employee ID,First Name,Surname,Work Email,Continuous Service Start Date,Employment Left Date\n10,Al,Orr,al@x.uk,2014-01-06T00:00:00,\n11,Bea,Sim,bea@x.uk,2019-02-11T00:00:00,2025-08-30T00:00:00",
        "absences.csv": `Id,Employee ID,Absence Reason,Start Date,End Date,Working Days Lost,Status,Created\n1,10,Holiday,${first},${last},5,Approved,2025-06-01T09:00:00\n2,11,Holiday,${last},${last},1,Declined,2025-05-06T09:00:00`,
      });
      expect(draft).toContain('is the last day part of the leave ("included")');
      expect(people).toEqual([
        ["Al", "2014-01-06", null, "active", null],
        ["Bea", "2019-02-11", "2025-08-30", "inactive", null],
      ]);
      expect(leave).toEqual([
        ["Al", "2025-07-14", 2400, "approved", "2025-06-01T09:00"],
        ["Bea", "2025-07-18", 480, "denied", "2025-05-06T09:00"],
      ]);
      expect(ends).toEqual(["2025-07-19", "2025-07-19"]);
    },
  );

  test("a ledger: amounts that are all below 0 are what was taken", async () => {
    const { draft, leave } = await drafted({
      "staff.csv":
        "Staff ID,First name,Last name,Email,Hire date\n1,Ann,Ek,a@x.com,2020-01-20\n2,Bo,Li,b@x.com,2021-01-20",
      "time off.csv":
        "Staff ID,Leave type,Start date,End date,Hours,Status\n1,Annual leave,2025-07-14,2025-07-18,-40.00,Approved\n2,Annual leave,2025-08-04,2025-08-04,(4.00),Rejected",
    });
    expect(draft).toContain('"Hours" is below 0 in every row');
    expect(draft).not.toContain("takes leave back");
    expect(leave).toEqual([
      ["Ann", "2025-07-14", 2400, "approved", "2025-07-14T00:00"],
      ["Bo", "2025-08-04", 240, "denied", "2025-08-04T00:00"],
    ]);
  });
});
