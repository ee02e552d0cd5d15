// The names that columns of HR exports have in some languages, and the words for states and units: what a draft guesses by.
import { normalised } from "../../resources/cells.ts";
import { cellOf, type FactKind, FILE_FIELDS } from "../../resources/registry.ts";

const PERSON =
  "employeeid employee# employeenumber employeeno empid empno personnelnumber personnelno staffid workerid badge personalnummer mitarbeiternummer mitarbeiterid matricule idempleado numeroempleado numerodeempleado matricola personeelsnummer idkaryawan anstallningsnummer employeeuuid employee.id employeecode";

/** Names in the order of how sure they are. In names, case, spaces, _ and - do not count. */
const NAMES: Readonly<Partial<Record<FactKind, Readonly<Record<string, string>>>>> = {
  workers: {
    legacyId: `${PERSON} uuid id nr number`,
    firstName: "firstname legalfirstname givenname vorname prenom prénom nombre nome voornaam fornamn first",
    lastName:
      "lastname legallastname surname familyname nachname nom apellidos apellido cognome sobrenome achternaam efternamn last",
    fullName:
      "fullname employeename displayname namalengkap nombrecompleto name nama worker employee mitarbeiter",
    email:
      "workemail emailwork email emailaddress companyemail mail emailadresse courriel correo correoelectronico",
    position: "jobtitle businesstitle position title role poste puesto stelle funktion cargo functie jabatan",
    startDate:
      "originalhiredate hiredate dateofhire datehired hired startdate employmentstartdate joindate joiningdate dateofjoining doj eintrittsdatum eintritt dateembauche datedembauche datedentree fechaalta fechadeingreso fechadealta dataassunzione dataadmissao datumindienst tanggalbergabung startson starts start",
    endDate:
      "terminationdate dateoftermination lastday lastworkingday leavedate exitdate enddate austrittsdatum austritt datedesortie datesortie fechabaja fechadebaja datacessazione datumuitdienst terminated",
    status: "employmentstatus workerstatus employeestatus status state statut estado stato statuskaryawan",
    type: "employmenttype workertype contracttype type",
    timeZone: "timezone",
    managerId:
      "managerid manageremployeeid managernumber supervisorid reportstoid reportsto manager supervisor vorgesetzter idmanajer",
  },
  requests: {
    legacyId: "requestid leaveid absenceid timeoffid requestno idrequest id nr number",
    workerId: `${PERSON} employee worker mitarbeiter employé empleado`,
    timeOffPolicyId:
      "leavetype absencetype timeofftype policy type category abwesenheitsart typedabsence tipodeausencia tipecuti jeniscuti leavepolicy",
    startAt:
      "startdate from fromdate start firstday leavefrom von beginn datededebut datedebut fechainicio fechadeinicio datainizio tanggalmulai",
    endAt:
      "enddate to todate end lastday until leaveto bis ende datedefin datefin fechafin fechadefin datafine tanggalselesai",
    requestedMinutes:
      "duration amount quantity totaldays numberofdays dayscount days noofdays totalhours hours tage arbeitstage stunden jours heures dias horas giorni ore units requested",
    status: "requeststatus approvalstatus leavestatus status state statut estado statusrequest",
    createdAt:
      "createdat created requesteddate requestdate requestedon requestedat submitted submittedon applied appliedon beantragtam",
    reason: "reason comment comments note notes description grund motif motivo bemerkung",
  },
  work_hours: {
    workerId: `${PERSON} employee worker mitarbeiter`,
    date: "workdate date day datum jour fecha",
    minutes: "hoursworked workedhours hours duration minutes stunden heures horas total",
  },
  adjustments: {
    legacyId: "adjustmentid id",
    workerId: `${PERSON} employee worker mitarbeiter`,
    policyId: "leavetype policy timeofftype absencetype tipecuti jeniscuti type",
    date: "asof date effectivedate datum fecha",
    minutes:
      "balance currentbalance available openingbalance adjustment amount days hours saldo solde resturlaub sisahari",
    note: "note notes comment reason",
  },
};

/** The field of a worker that names another worker. */
export const PERSON_MANAGER = "managerId";

/** Words that exports put before the names above: `employee_first_name`, `leave_start_date`. */
export const PREFIXES: Readonly<Partial<Record<FactKind, readonly string[]>>> = {
  workers: ["employee", "emp", "worker", "staff"],
  requests: ["leave", "absence", "timeoff", "request"],
};

/** The fields of a request by what they are. */
export const LEAVE = {
  worker: "workerId",
  policy: "timeOffPolicyId",
  start: "startAt",
  end: "endAt",
  asked: "createdAt",
} as const;

/** The field of a worker that says when the work began. */
export const PERSON_START = "startDate";

/** Fields that the column of another one fills, too, where they have none of their own. */
export const ALSO_FILLS: Readonly<Record<string, readonly string[]>> = {
  email: FILE_FIELDS.workers.filter((field) => /Email$/.test(field)),
  [LEAVE.start]: [LEAVE.asked],
};

/** By field, the names that its column may have; optional fields without names here go by their own. */
export function fieldSynonyms(kind: FactKind): [field: string, names: readonly string[]][] {
  const names = NAMES[kind] ?? {};
  const others = FILE_FIELDS[kind].filter(
    (field) => field !== "id" && !(field in names) && cellOf(kind, field)?.isRequired !== true,
  );
  return [...Object.entries(names), ...others.map((field) => [field, field] as const)].map(
    ([field, words]) => [field, words.split(" ").map(normalised)],
  );
}

/** What a file must have to be of a kind, one of each list; and words in its name that speak for it. */
export const KIND_SIGNS: readonly {
  readonly kind: FactKind;
  readonly needs: readonly (readonly string[])[];
  readonly words: readonly string[];
}[] = [
  {
    kind: "workers",
    needs: [
      ["firstName", "fullName", "lastName"],
      ["startDate", "email", "status", "position"],
    ],
    words: ["employee", "people", "worker", "staff", "mitarbeiter", "personal", "roster", "headcount"],
  },
  {
    kind: "requests",
    needs: [["workerId"], ["startAt"], ["endAt"]],
    words: ["leave", "request", "absence", "timeoff", "vacation", "urlaub", "abwesenheit", "conge", "pto"],
  },
  {
    kind: "work_hours",
    needs: [["workerId"], ["date"], ["minutes"]],
    words: ["hours", "timesheet", "attendance", "stunden"],
  },
  {
    kind: "adjustments",
    needs: [["workerId"], ["minutes"], ["policyId", "date"]],
    words: ["balance", "saldo", "entitlement"],
  },
];

const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  onboarding: ["onboarding", "hired", "prehire", "pending start"],
  active: [
    "active",
    "aktiv",
    "aktif",
    "actif",
    "activo",
    "attivo",
    "ativo",
    "current",
    "employed",
    "working",
    "on leave",
    "leave",
    "voluntary",
  ],
  offboarding: ["offboarding", "notice", "serving notice"],
  inactive: [
    "inactive",
    "inaktiv",
    "inactif",
    "inactivo",
    "terminated",
    "resigned",
    "left",
    "former",
    "ausgeschieden",
    "retired",
    "deceased",
  ],
  employee: [
    "employee",
    "full time",
    "part time",
    "fulltime",
    "parttime",
    "permanent",
    "internal",
    "regular",
    "temporary",
    "intern",
  ],
  contractor: ["contractor", "freelancer", "external", "consultant", "contingent worker", "agency"],
  approved: [
    "approved",
    "granted",
    "genehmigt",
    "approuvé",
    "aprobado",
    "disetujui",
    "approvato",
    "accepted",
    "taken",
    "confirmed",
    "scheduled",
  ],
  pending: [
    "pending",
    "requested",
    "submitted",
    "open",
    "offen",
    "beantragt",
    "en attente",
    "pendiente",
    "menunggu",
    "menunggu persetujuan",
    "in review",
    "awaiting approval",
    "pending approval",
  ],
  denied: ["denied", "declined", "rejected", "refused", "abgelehnt", "refusé", "rechazado", "ditolak"],
};

/** Which of the choices a word of another system means; null where that is not clear. */
export function meantChoice(word: string, choices: readonly string[]): string | null {
  const wanted = normalised(word);
  const isSame = (one: string) => normalised(one) === wanted;
  const exact = choices.find(isSame) ?? choices.find((choice) => MEANINGS[choice]?.some(isSame));
  // "Voluntarily Terminated", "Terminated for Cause"
  const isLeaver = choices.includes("inactive") && /terminat|resign|ausgeschied|retired/.test(wanted);
  return exact ?? (isLeaver ? "inactive" : null);
}

/** What an amount is counted in, by the name of its column and by its values; null where that is not clear. */
export function unitOf(
  column: string,
  values: readonly string[],
): "minutes" | "hours" | "days" | "HH:mm" | null {
  if (values.length > 0 && values.every((value) => /^-?\d+:\d{2}(?::\d{2})?$/.test(value.trim())))
    return "HH:mm";
  const name = normalised(column);
  if (/minut/.test(name)) return "minutes";
  if (/hour|stunden|heure|hora|\bore\b/.test(name)) return "hours";
  return /day|tage|jour|dia|giorn|hari/.test(name) ? "days" : null;
}
