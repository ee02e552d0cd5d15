// The names that columns of HR exports have in some languages, and the words for states and units: what a draft guesses by.
import { normalised } from "../../resources/cells.ts";
import type { FactKind } from "../../resources/kinds.ts";
import { cellOf, FILE_FIELDS } from "../../resources/registry.ts";
import { GROUP_COLUMNS } from "../../resources/workers.ts";

const PERSON =
  "employeeid employee# employeenumber employeeno empid empno personnelnumber personnelno staffid workerid badge personalnummer mitarbeiternummer mitarbeiterid matricule idempleado numeroempleado numerodeempleado matricola personeelsnummer idkaryawan anstallningsnummer employeeuuid employee.id employeecode filenumber userid user.id employeeexternalid file# fileno mitarbeiternr personalnr persnr pernr stammnummer matriculesalarie numeromatricola codicedipendente numerofuncionario associateid employeeuniqueid businessentityid positionid personnumber personid personalid staffno staffnumber empnumber emplid payrollid payrollnumber payrollno payrollref employeeref employeereference staffref clocknumber employeeexportcode exportcode teammemberid codigodeempleado codigoempleado codigoempregado numempleado anstallningsnr medarbejdernummer medarbejdernr ansattnummer ansattnr lonnummer numerpracownika nrpracownika idpracownika kodpracownika personcode numerewidencyjny 社員番号 従業員番号 社員コード 従業員コード スタッフコード";

/** Names, and addresses, of people in files of leave. */
const PERSON_NAMES =
  "personname personfullname workername teammember staffname associatename payrollname workemail arbeitsemail email emailaddress employeeemail useremail emailadresse mail";

/** Names in the order of how sure they are. In names, case, spaces, _ and - do not count. */
const NAMES: Readonly<Partial<Record<FactKind, Readonly<Record<string, string>>>>> = {
  workers: {
    legacyId: `${PERSON} externalid uuid id nr number codigo`,
    firstName:
      "firstname legalfirstname legalnamefirst givenname forename forenames vorname rufname prenom nombre nombredepila primeironome nome voornaam roepnaam fornamn fornavn first imie 名",
    lastName:
      "lastname legallastname legalnamelast surname familyname nachname familienname nom nomdefamille apellidos apellido cognome sobrenome apelido achternaam efternamn efternavn etternavn last nazwisko 姓",
    preferredName: "preferredname knownas preferredfirstname goesby nickname prenomusuel spitzname",
    fullName:
      "fullname personname personfullname workername teammember staffname associatename employeename displayname payrollname lastnamefirstname namelastfirst nachnamevorname namevorname vornamenachname namalengkap nomcomplet nometprenom nomprenom nombrecompleto nombreyapellidos apellidosynombre nomecompleto nomeecognome cognomeenome nomecognome volledigenaam namn navn naam name nama worker employee user mitarbeiter salarie collaborateur colaborador collaboratore empleado dipendente funcionario medewerker imieinazwisko nazwiskoiimie pracownik 氏名 名前 社員名 従業員名 スタッフ名 表示名",
    email:
      "workemail emailwork businessemail emailgeschaftlich geschaftlicheemail dienstlicheemail emaildienstlich emailprofessionnel emailprofessionnelle adresseemailprofessionnelle correoprofesional correocorporativo emailaziendale emailzakelijk arbeitsemail email emailaddress companyemail workcontactworkemail personalemail personalcontactpersonalemail mail emailadresse mailadresse courriel adressemail adresseemail correo correoelectronico email posta postaelettronica endereco endereçodeemail mailadres emailadres emailwerk werkemail epost epostadress arbejdsmail adresemail emailsłuzbowy メールアドレス",
    position:
      "jobtitle designation jobtitledescription jobposition businesstitle position title role poste intituledeposte puesto puestodetrabajo stelle stellenbezeichnung berufsbezeichnung funktion befattning stilling cargo funcao mansione posizione ruolo functie functietitel jabatan stanowisko 役職 役職名 職種",
    startDate:
      "originalhiredate hiredate dateofhire datehired hired startdate employmentstartdate contractstartdate firstcontractdate joindate joiningdate dateofjoining doj continuousservicedate continuousservicestartdate servicestartdate eintrittsdatum eintritt einstellungsdatum einstellung beschaftigungsbeginn dateembauche datedembauche datedentree fechaalta fechadeincorporacion fechaincorporacion fechadeingreso fechadealta fechacontratacion fechadecontratacion dataassunzione datadiassunzione dataadmissao datadeadmissao datainicio datumindienst indienst startdatum anstallningsdatum ansattelsesdato ansettelsesdato startdato tanggalbergabung startson starts start datazatrudnienia zatrudnionyod hireddate employmentstart dateinservice datumdeseintritts fechainiciocontrato begindatumdienstverband datededebut debut 入社年月日 入社日",
    endDate:
      "terminationdate termdate separationdate relievingdate dateoftermination lastday lastworkingday lastdayofwork leavedate exitdate enddate contractenddate austrittsdatum austritt letzterarbeitstag letztertag vertragsende kundigungsdatum datedesortie datededepart datedepart datesortie fechabaja fechadebaja datacessazione datadicessazione datademissao datadesaida datumuitdienst uitdienst einddatum dateofexit dateofleaving leavingdate slutdatum sluttdato slutdato terminated datazwolnienia datarozwiazaniaumowy zatrudnionydo employmentleftdate leftdate dateleft fechadesalida employmentenddate employmentend deactivationdate dateoutofservice datumdesaustritts fechafincontrato einddatumdienstverband datedefin 退職年月日 退職日 退社日",
    status:
      "employmentstatus hiringstatus workerstatus employeestatus lifecyclestatus positionstatus contractstatus beschaftigungsstatus status active isactive activestatus aktiv actif activo attivo ativo archived state situation situacao stato statut estado stato statuskaryawan statuspracownika benutzerkontoaktiv 在籍状況 在籍区分 在籍状態",
    type: "employmenttype workertype workercategorydescription workercategory contracttype beschaftigungsart anstellungsart vertragsart typedecontrat typecontrat tipodecontrato tipocontratto contractsoort type rodzajumowy typumowy formazatrudnienia 雇用形態 雇用区分",
    timeZone: "timezone zeitzone fuseauhoraire zonahoraria fusoorario fusohorario tijdzone",
    ...GROUP_COLUMNS,
    managerId:
      "managerid managerexternalcode manageremployeeid manageremployeenumber manageremployeeno reportingmanagerid reportingmanageremployeenumber linemanagerid managernumber managerexternalid manager.userid manager.id manager.employeeid supervisorid reportstoid vorgesetzterid vorgesetztenid responsableid idresponsable idmanajer reportsto reportingto reportstoname manager manager1 primarymanager reportingmanager linemanager linemanagername directmanager n1 supervisor manageremail supervisoremail reportstoemail managername supervisorname vorgesetzter vorgesetzte fuhrungskraft responsable responsablehierarchique parentid chef narmastechef leder narmesteleder jefe superior responsabile gestor chefia leidinggevende przełozony bezposredniprzełozony kierownik 上長社員番号 上司社員番号 上長 上司",
  },
  requests: {
    legacyId:
      "requestid leaveid absenceid timeoffid recordid transactionid txnid requestno idrequest externalid externalcode id nr number numerwniosku idwniosku 申請番号",
    workerId: `${PERSON} employee employeename worker user mitarbeiter employe salarie collaborateur colaborador collaboratore empleado dipendente funcionario medewerker name fullname displayname nachnamevorname lastnamefirstname pracownik imieinazwisko nazwiskoiimie nomcomplet nometprenom nomprenom cognomeenome usuario 氏名 社員名 従業員名 スタッフ名 ${PERSON_NAMES}`,
    timeOffPolicyId:
      "leavetype paycode paycodename leavetypename absencetypename timeofftypename holidaytype absencereason leavereason leavecategory absencecategory absencetype timeofftype timetype timeoffpolicy absencecause accountid absencecode leavecode timeoffcode policytype policyname policy type category abwesenheitsart abwesenheitstyp fehlgrund fehlzeitart urlaubsart art typedabsence typeabsence typedeconge motifdabsence motifabsence tipodeausencia tipoausencia tipodiassenza tipoassenza tipodeausencia tipoferias holidaystatus franvarotyp franvaroorsak fraværstype fraværsårsag fravarstype fravarstyp verlofsoort verloftype tipecuti jeniscuti leavepolicy rodzajnieobecnosci typnieobecnosci rodzajurlopu typurlopu typeverlof giustificativo tipodeevento 休暇種別 休暇種類 休暇区分 休暇区分名 休暇名",
    startAt:
      "requeststartdate startdate from fromdate datefrom timeoffdatefrom start firstday leavefrom von beginn startdatum anfang datumvon du datededebut datedebut fechainicio fechadeinicio desde datainizio dal datainicio datadeinicio fr.o.m fom franochmed startdato de van begindatum tanggalmulai od dataod odkiedy datarozpoczecia debut dalgiorno datum/tijdaanvang 開始日 休暇開始日 開始日時",
    endAt:
      "requestenddate enddate to todate dateto timeoffdateto end lastday until leaveto bis ende enddatum datumbis au datedefin datefin fechafin fechadefin hasta datafine al datafim datadefim ate tot einddatum t.o.m tom tillochmed slutdatum sluttdato slutdato tanggalselesai do datado dokiedy datazakonczenia fin algiorno datum/tijdeinde 終了日 休暇終了日 終了日時",
    requestedMinutes:
      "duration totalduration requestedhours requesteddays totalleavedays hourstaken daystaken dayshourstaken workingdays businessdays arbeitstage joursouvres giornilavorativi diaslaborables diashabiles deducted deduction daysdeducted hoursdeducted amount requestedamount quantity qty quantityinhours totalunits antaldagar antaltimmar antaldage antaltimer antalldager antalltimer quantityindays hoursrequested daysrequested numberofhours durationdays durationhours totaldays numberofdays dayscount days noofdays totalhours hours tage dauer umfang stunden jours nombredejours duree heures dias numerodedias duracion horas giorni numerogiorni durata quantitaore ore duracao dagen aantaldagen uren duur units requested total liczbadni dni liczbagodzin godziny 日数 取得日数 休暇日数 時間数 取得時間",
    status:
      "requeststatus approvalstatus leavestatus status genehmigungsstatus genehmigung genehmigt approval approved isapproved authorised authorized authorisation authorization validation state statut estado stato situacao statusrequest statuswniosku etatdelademande etatdemande statutdelademande statorichiesta estadosolicitud estadodelasolicitud 状態 承認状況 承認状態 申請状況 ステータス",
    createdAt:
      "createdat dateofrequest created createdon createdate createddatetime bookedon enteredon requesteddate requestdate requesttime requestedon requestedat postedon submitted submittedon submittedat applied appliedon dateentered daterequested datebooked applieddate createddate insertdate datedecreation fechadecreacion datainserimento beantragtam erstelltam eingereichtam erfasstam angelegtam antragsdatum saisile demandele datededemande datedelademande datedemande creele fechadesolicitud fechasolicitud fechadelasolicitud datarichiesta datadepedido aangevraagdop aanvraagdatum datumaanvraag ansokt ansokningsdatum datazłozenia datawniosku 申請日 申請日時",
    reason:
      "reason reasonforleave comment comments note notes description grund bemerkung kommentar notiz motif commentaire motivo comentario commento osservazioni reden opmerking powod uwagi komentarz 理由 事由 備考",
  },
  work_hours: {
    workerId: `${PERSON} employee worker mitarbeiter`,
    date: "workdate date day datum jour fecha",
    minutes: "hoursworked workedhours hours duration minutes stunden heures horas total",
  },
  adjustments: {
    legacyId: "adjustmentid externalid id",
    workerId: `${PERSON} employee employeename worker user mitarbeiter salarie collaborateur colaborador collaboratore empleado dipendente funcionario medewerker name fullname nachnamevorname lastnamefirstname ${PERSON_NAMES}`,
    policyId:
      "leavetype policy policyname timeofftype absencetype absencecode leavecode timeoffcode abwesenheitsart typedabsence tipodeausencia tipodiassenza verlofsoort tipecuti jeniscuti concepto type",
    date: "asof asofdate date effectivedate validfrom stichtag datum fecha data",
    minutes:
      "balance currentbalance available openingbalance remaining adjustment amount quantity qty numberofdays numberofhours days hours saldo saldodias saldohoras solde resturlaub restanspruch disponible residuo tegoed sisahari",
    note: "note notes comment reason",
  },
};

/** Names of columns with whole names that begin with the last name. */
const LAST_FIRST =
  /^(?:lastnamefirst|namelastfirst|nachnamevorname|nomprenom|cognomenome|cognomeenome|apellidosynombre|apellidosnombre|nazwiskoiimie|氏名|社員名|従業員名|スタッフ名)/;

/** Whether a column's name says that the last name comes first. */
export function isLastFirst(column: string): boolean {
  return LAST_FIRST.test(nameKey(column));
}

/** Odoo's names of what a row refers to: `department_id/name`, `employee_id/id`. */
const REFERENCE = /_id\/(?:(\.?id)|(?:display_)?name)$/;

/** A column's name as it is compared: letters without accents, digits, # and the points of a path, not of an abbreviation. */
export function nameKey(name: string): string {
  const own = name.replace(REFERENCE, (_, id) => (id === undefined ? "" : "_id"));
  return normalised(own.replace(/\.(?=[\s_-]|$)/g, ""))
    .normalize("NFD")
    .replace(/[^\p{L}\p{N}.#]/gu, "");
}

/** The name without what is in brackets: `From * (YYYY-MM-DD)`. */
export function bareNameKey(name: string): string {
  return nameKey(name.replace(/\([^)]*\)|\[[^\]]*\]/g, ""));
}

/** What is in the names of columns with amounts of leave. */
export const AMOUNT_WORDS =
  /hour|days?(?!of|off)|stunden|^std|tage|heure|jour|hora|dias?$|giorni|^ore|dag(?:en|ar|er|e)$|uren|timmar|timer|duration|dauer|duree|duracion|durata|amount|quantity|taken|deduct|units|dni$|godzin|日数|時間/;

/** What is in the names of columns that number requests: `Id solicitud`, `Antragsnummer`. */
const OF_REQUESTS =
  /request|leave|absence|timeoff|antrag|abwesenheit|urlaub|demande|conge|solicitud|peticion|ausencia|richiesta|assenza|pedido|aanvraag|verlof|ansokan|franvaro|ansogning|fravar/;
const OF_NUMBERS =
  /^(?:id|nr|num|codigo|codice|no?(?=demande|solicitud|pedido|richiesta))|(?:id|nr|no|nummer|number|numero|code|ref|reference|#)$/;

/** Whether a column's name says that it numbers requests. */
export function isNamedRequestId(column: string): boolean {
  const name = nameKey(column);
  return OF_REQUESTS.test(name) && OF_NUMBERS.test(name);
}

/** What is in the names of columns that tell half days. */
const HALF_DAYS =
  /half|halb|demi|medio|mezza|meiodia|halve|partofday|starttype|endtype|morning|afternoon|vormittag|nachmittag|portion|session|半休|半日/;
const HALF_DAY =
  /^(?:a\.?m\.?|p\.?m\.?|(?:first|second|1st|2nd|am|pm)?half(?:day)?(?:am|pm|morning|afternoon)?|morning|afternoon|matin(?:ee)?|apresmidi|demijournee|vormittags?|nachmittags?|halbtags?|halbertag|manana|tarde|mediodia|mattina|pomeriggio|ochtend|middag|formiddag|eftermiddag|(?:午前|午後)?半[休日]|(?:午前|午後)休?)$/;
const WHOLE_DAY =
  /^(?:(?:full|whole|all|entire)(?:day)?|day|none|journee(?:entiere|complete)?|ganztags?|ganzertag|(?:dia)?completo|giornataintera|(?:hele?)?dag|全[日休]|終日)$/;

/** Whether a column tells half days, by its name. */
export function isNamedOfHalfDays(column: string): boolean {
  return HALF_DAYS.test(nameKey(column));
}

/** Whether these values tell half days from whole ones. */
export function areHalfDays(values: readonly string[]): boolean {
  const words = [...new Set(values.map(nameKey))];
  const halves = words.filter((word) => HALF_DAY.test(word));
  return halves.length > 0 && words.every((word) => halves.includes(word) || WHOLE_DAY.test(word));
}

/** What is in the names of columns with balances and entitlements. */
export const BALANCE_WORDS =
  /balance|anspruch|resturlaub|verfugbar|guthaben|kontingent|saldo|solde|remaining|available|allowance|entitle|restant|acquis|disponib|rimanent|residu|spettant|direito|tegoed|resterend|verbleib/;

/** What is in the names of columns with what a year grants, and not in those with what is left. */
const YEARLY_WORDS = /anspruch|kontingent|allowance|entitle|spettant|direito/;
const LEFT_WORDS = /rest|remain|balance|available|left|saldo|solde|verfugbar|verbleib/;
const EARLIER_WORDS = /vorjahr|previous|lastyear|prior|opening|begin/;

/** Whether a column has what is left on the day of the export. */
export function isLeftAmount(column: string): boolean {
  const name = nameKey(column);
  return LEFT_WORDS.test(name) && !EARLIER_WORDS.test(name);
}

/** Whether a column has what a year grants, rather than what is left. */
export function isYearlyAmount(column: string): boolean {
  const name = nameKey(column);
  return YEARLY_WORDS.test(name) && !LEFT_WORDS.test(name);
}

const TOTAL = /^(?:grand|sub|sous)?[\s-]*(?:total\w*|totaal|sum|summe|gesamt\w*|zwischensumme|somme|suma)\b/i;

/** Whether a word says that a row is what somebody was given, or a correction, rather than leave. */
export function isGrant(word: string): boolean {
  return /accru|adjust|carry|opening|closingbal|award|grant|credit|reset|lapse|expir|forfeit|encash|paidout|payout|cashout|anpassung|korrektur|ubertrag|gutschrift|verfall|auszahl|acquisition|report|ajust|devengo/.test(
    nameKey(word),
  );
}

/** Whether a cell is that of a row with sums. */
export function isTotal(text: string): boolean {
  return TOTAL.test(text.trim());
}

/** What is in the names of kinds of leave. */
const LEAVE_KIND =
  /leave|vacation|holiday|sick|pto|timeoff|parental|urlaub|krank|elternzeit|conge|maladie|^rtt|maternite|vacacion|enfermedad|baja|ferie|malattia|permesso|licenca|doenca|verlof|ziek|semester|sjuk|ledighet|syg|syk|urlop|chorob|nieobecnosc|休暇|有給|年休|欠勤|休業/;

/** Whether a word is a kind of leave. */
export function isLeaveKind(word: string): boolean {
  return LEAVE_KIND.test(nameKey(word));
}

const CANCELLED =
  /^(?:cancel|withdraw|revoke|delete|storn|zuruckgezogen|annul|retire|cancelad|anulad|ritirat|geannuleerd|ingetrokken|aterkalla|makulera|tilbagekald|trukket|removed|eliminad|recall|dibatalkan|wycofan|anulowan|取消|取り消|取下|取り下)/;

/** Whether a column, of yes and no, is named for requests that were cancelled. */
export function isNamedCancelled(column: string): boolean {
  return /^(?:is)?(?:cancell?ed|deleted|storniert|annulee?|anulad[oa]|cancelad[oa]|annullat[oa]|geannuleerd)$/.test(
    nameKey(column),
  );
}

/** What makes of a cancellation one that was asked for only, or refused. */
const NOT_YET =
  /request|reject|refus|denied|declin|pending|await|fail|beantragt|angefragt|offen|abgelehnt|demand|attente|solicit|pendient|rechaz|richiest|attesa|rifiut|aangevraagd|afgewezen/;

/** Whether a status is about a request that was, or may be, cancelled. */
export function isAboutCancelling(word: string): boolean {
  return CANCELLED.test(nameKey(word));
}

/** Whether a status says that a request is no longer one. */
export function isCancelled(word: string): boolean {
  return isAboutCancelling(word) && !NOT_YET.test(nameKey(word));
}

const SALUTATION =
  /^(?:mr|mrs|ms|miss|mx|dr|prof|sir|herr|frau|m|mme|mlle|monsieur|madame|sr|sra|srta|sig|signor|signora|dhr|mevr|mevrouw|hr|fr)$/;

/** Whether a column such as `Title` says how to address people, and not what their job is. */
export function areSalutations(values: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => SALUTATION.test(nameKey(value).replaceAll(".", "")));
}

/** The field of a worker that names another worker. */
export const PERSON_MANAGER = "managerId";

/** Words that exports put before the names above: `employee_first_name`, `leave_start_date`. */
export const PREFIXES: Readonly<Partial<Record<FactKind, readonly string[]>>> = {
  workers: ["employee", "emp", "worker", "staff"],
  requests: ["leave", "absence", "timeoff", "holiday", "request"],
};

/** The fields of a request by what they are. */
export const LEAVE = {
  worker: "workerId",
  policy: "timeOffPolicyId",
  start: "startAt",
  end: "endAt",
  asked: "createdAt",
} as const;

/** The field of a worker that says what their job is. */
export const PERSON_POSITION = "position";

/** The fields of a worker that say when the work began, and when it ended. */
export const PERSON_START = "startDate";
export const PERSON_END = "endDate";

/** Fields that the column of another one fills, too, where they have none of their own. */
export const ALSO_FILLS: Readonly<Record<string, readonly string[]>> = {
  email: FILE_FIELDS.workers.filter((field) => /Email$/.test(field)),
  [LEAVE.start]: [LEAVE.asked, LEAVE.end],
};

/** Names of the column with the day, where each row is one day of leave. */
export const LEAVE_DAY: ReadonlySet<string> = new Set(
  "date day datetaken leavedate absencedate dateofabsence dateofleave timeoffdate applydate leaveday absenceday datum tag jour fecha dia data giorno dag tanggal dzien 取得日 休暇取得日 休暇日"
    .split(" ")
    .map(nameKey),
);

/** By field, the names that its column may have; optional fields without names here go by their own. */
export function fieldSynonyms(kind: FactKind): [field: string, names: readonly string[]][] {
  const names = NAMES[kind] ?? {};
  const others = FILE_FIELDS[kind].filter(
    (field) => field !== "id" && !(field in names) && cellOf(kind, field)?.isRequired !== true,
  );
  return [...Object.entries(names), ...others.map((field) => [field, field] as const)].map(
    ([field, words]) => [field, words.split(" ").map(nameKey)],
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
    words: [
      "employee",
      "people",
      "worker",
      "staff",
      "mitarbeiter",
      "personal",
      "roster",
      "headcount",
      "directory",
      "salarie",
      "empleado",
      "dipendent",
      "funcionario",
      "medewerker",
      "anstall",
      "medarbej",
      "users",
      "pracowni",
      "社員",
      "従業員",
    ],
  },
  {
    kind: "requests",
    needs: [["workerId"], ["startAt"], ["endAt"]],
    words: [
      "leave",
      "request",
      "absence",
      "timeoff",
      "vacation",
      "urlaub",
      "abwesenheit",
      "conge",
      "ausencia",
      "assenz",
      "verlof",
      "holiday",
      "ferie",
      "ferias",
      "vacacion",
      "franvaro",
      "ledighet",
      "fravær",
      "pto",
      "urlop",
      "nieobecn",
      "休暇",
    ],
  },
  {
    kind: "work_hours",
    needs: [["workerId"], ["date"], ["minutes"]],
    words: ["hours", "timesheet", "attendance", "stunden"],
  },
  {
    kind: "adjustments",
    needs: [["workerId"], ["minutes"], ["policyId", "date"]],
    words: ["balance", "saldo", "entitlement", "allocation", "allowance", "konto", "konten", "solde"],
  },
];

/** The words of other systems for states and types. Odoo's "confirm" waits for an approval, and "validate1" for a second one. */
const MEANINGS = listsOf({
  onboarding: "onboarding, hired, prehire, pending start",
  active:
    "active, aktiv, aktif, actif, activo, alta, attivo, ativo, current, employed, working, on leave, leave, leave of absence, loa, parental leave, maternity leave, probation, on probation, confirmed, elternzeit, mutterschutz, beurlaubt, ruhend, present, en poste, conge parental, voluntary, aktywny, aktywna, zatrudniony, zatrudniona, 在籍, 在籍中, 在職, 在職中, 休職, 休職中",
  offboarding: "offboarding, notice, serving notice, garden leave, gekundigt, en preavis",
  inactive:
    "inactive, offboarded, inaktiv, inactif, inactivo, leaver, terminated, resigned, left, former, ausgeschieden, ausgetreten, sorti, parti, retired, deceased, ended, relieved, ex-employee, nieaktywny, nieaktywna, zwolniony, zwolniona, 退職, 退職済, 退職済み, 退社",
  employee:
    "employee, direct employee, eor, salaried full-time, salaried part-time, hourly full-time, hourly part-time, festangestellt, angestellt, unbefristet, befristet, teilzeit, vollzeit, cdi, cdd, indefinido, temporal, tempo indeterminato, tempo determinato, clt, vast, tijdelijk, intern, praktikant, full time, part time, fulltime, parttime, permanent, internal, regular, temporary, casual, fixed term, fixed term contract, permanent contract, zero hours, zero hours contract, apprentice, trainee, stage, stagiaire, apprenti, alternance, werkstudent, minijob, auszubildender, azubi, becario, practicas, apprendista, umowa o pracę, 正社員, 契約社員, パート, アルバイト, 嘱託社員",
  contractor:
    "contractor, independent contractor, 1099, 1099 contractor, freelance, freelancer, freiberufler, autonomo, zzp, external, extern, consultant, contingent worker, agency, ic, b2b, umowa b2b, 業務委託, 派遣社員",
  approved:
    "approved, authorised, authorized, granted, genehmigt, approuve, approuvee, accepte, acceptee, valide, validee, aprobado, aprobada, aceptado, aceptada, aprovado, goedgekeurd, approved (auto), auto approved, disetujui, approvato, approvata, autorizzato, autorizzata, accepted, taken, confirmed, scheduled, validate, beviljad, godkand, godkendt, godkjent, innvilget, zatwierdzony, zatwierdzona, zatwierdzono, zaakceptowany, zaakceptowana, zaakceptowano, 承認, 承認済, 承認済み",
  pending:
    "pending, angefragt, waiting, waiting approval, pending for approval, waiting for authorisation, waiting for authorization, requested, submitted, open, offen, beantragt, en attente, en attente de validation, en cours de validation, en cours, pendiente, pendiente de aprobacion, pendente, in attesa, in attesa di approvazione, in behandeling, aangevraagd, to approve, to submit, second approval, waiting for approval, menunggu, menunggu persetujuan, in review, ausstehend, awaiting, unapproved, awaiting approval, pending approval, confirm, validate1, ansokt, sokt, vantar, afventer, tilgodkendelse, oczekujący, oczekująca, oczekuje, złożony, do akceptacji, 申請中, 承認待ち, 未承認",
  denied:
    "denied, disapproved, not approved, not authorised, not authorized, declined, rejected, refused, abgelehnt, refuse, refusee, rejete, rejetee, rechazado, rechazada, denegado, denegada, recusado, rejeitado, rifiutato, rifiutata, respinto, respinta, afgekeurd, afgewezen, ditolak, avslagen, avslag, nekad, afvist, odrzucony, odrzucona, odrzucono, 却下, 否認",
});

function listsOf(words: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(words).map(([choice, list]) => [choice, list.split(", ")]));
}

/** Which of the choices a word of another system means; null where that is not clear. */
export function meantChoice(word: string, choices: readonly string[]): string | null {
  const wanted = nameKey(word);
  const isSame = (one: string) => nameKey(one) === wanted;
  const exact = choices.find(isSame) ?? choices.find((choice) => MEANINGS[choice]?.some(isSame));
  // "Full-Time" as an employment status
  const isEmployed =
    choices.includes("active") && [...MEANINGS.employee!, ...MEANINGS.contractor!].some(isSame);
  if (exact === undefined && isEmployed) return "active";
  // "Voluntarily Terminated", "Terminated for Cause", not "Pending Termination"
  const isLeaver =
    choices.includes("inactive") &&
    /terminat|resign|ausgeschied|retired/.test(wanted) &&
    !/^(?:not|non|un|never|nicht|noch)|^tobe|pending|notice|upcoming|scheduled|future|request|rescind/.test(
      wanted,
    );
  return exact ?? (isLeaver ? "inactive" : null);
}

/** Words of a column that says yes or no. */
export const BOOLEAN_WORDS =
  /^(?:true|false|t|f|yes|no|y|n|1|0|ja|nein|nee|oui|non|si|s\u00ed|sim|n\u00e3o|nao|tak|nie)$/i;

/** What yes or no in a column such as "Active" or "Archived" says of a worker. */
export function meantState(column: string, word: string): string {
  const isReversed = /archiv|terminat|inact|left|ausgeschied/.test(nameKey(column));
  return isYes(word) === isReversed ? "inactive" : "active";
}

/** Of the words of a column that says yes or no, those that say yes. */
export function isYes(word: string): boolean {
  return /^(?:true|t|yes|y|1|ja|oui|si|s\u00ed|sim|tak)$/i.test(word);
}

/** What an amount is counted in, by the name of its column and by its values; null where that is not clear. */
export function unitOf(
  column: string,
  values: readonly string[],
): "minutes" | "hours" | "days" | "HH:mm" | null {
  if (values.length > 0 && values.every((value) => /^-?\d+:\d{2}(?::\d{2})?$/.test(value.trim())))
    return "HH:mm";
  const name = nameKey(column).replace(/holidays?/g, "");
  const isDays = /day|tage|jour|dia|giorn|dag(?:en|ar|er|e)$|hari|dni$|日数/.test(name);
  if (/minut/.test(name)) return "minutes";
  if (
    /hour|stunden|std|heure|hora|(?:^|quantita|numero|durata|totale)ore$|uren|timmar|timer$|godzin|時間/.test(
      name,
    )
  )
    return isDays ? null : "hours"; // Days/Hours
  return isDays ? "days" : null;
}

/** Most whole names must begin with capitals alone. */
const ENOUGH_CAPITALS = 0.8;

/** Whether whole names begin with the last name, in capitals: `LE GALL Yann`. */
export function areCapitalsFirst(names: readonly string[]): boolean {
  const found = names.filter((name) => /^\P{Ll}*\p{Lu}{2}\P{Ll}*\s\p{Lu}\p{Ll}[^\s]*$/u.test(name.trim()));
  return names.length > 0 && found.length >= names.length * ENOUGH_CAPITALS;
}
