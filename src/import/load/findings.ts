// Findings: doubtful data that an import allows. Each kind is reported once, with a count, examples, and advice.
import type { Tier } from "../../balances/rules.ts";
import { type ImportRows, type Kind, RESOURCES, type Rows } from "../../resources/kinds.ts";
import { type Rules, storedTerms } from "../../resources/policies.ts";
import { hasMidnightTimes, LEAVE_AMOUNT, OF_ANOTHER_ZONE } from "../../resources/requests.ts";
import type { Field } from "../../resources/resource.ts";
import type { ImportSession, ImportTransaction } from "../../store/store.ts";
import { countWorkDays, DAY_MS, type Day, formatDay, MONDAY_TO_FRIDAY, utcDayOf } from "../../time/day.ts";
import { localMsOf } from "../../time/zone.ts";
import { EXPANDED_DAYS } from "../read/calendar.ts";
import { namedFormat } from "../read/files.ts";
import type { Doubt } from "../read/records.ts";
import { ImportRefused, type Place, placeText } from "../row-errors.ts";
import { isNamedLikeWork } from "../telling-names.ts";
import { doubtfulHolidays, emptyCalendars, pastCalendars, unusedCalendars } from "./doubtful-holidays.ts";
import { largeOpenings, smallOpenings } from "./doubtful-openings.ts";
import {
  areWholeDays,
  type DoubtfulCode,
  doubtfulRows,
  overlappingLeave,
  spreadLeave,
} from "./doubtful-rows.ts";
import type { Hints } from "./kinds/hints.ts";

const MAX_EXAMPLES = 3;
/** Fewer workers may share a value by chance. */
const MIN_WORKERS = 3;
const SHORT_DAY_MINUTES = 60;
const LEAST_LEAVE_MINUTES = 15;
const LONG_DAY_MINUTES = 720;
const USUAL_DAY_MINUTES = 480;
/** In minutes. */
const SMALLEST_GRANT: Readonly<Record<string, number>> = { yearly: 480, monthly: 60 };
/** Of one person: 5 % of a full-time month. */
const SMALLEST_SHARE = 30;
/** The least plausible amounts of other rules, but 0. In minutes. */
const SMALLEST_AMOUNTS = {
  carryoverLimitMinutes: 60,
  carryoverLimitTiers: 60,
  carryoverKeepsMinutes: 60,
  balanceCapMinutes: 480,
  balanceCapTiers: 480,
  yearlyAccrualCapMinutes: 480,
  useCapMinutes: 480,
} satisfies Partial<Record<keyof Rules, number>>;
const SMALLEST_FULL_TIME = 600;
const FIRST_PLAUSIBLE_YEAR = 1950;
const PLAUSIBLE_DAYS_AHEAD = 731;
/** How far the clock of a later import may be behind. A row that such a clock would report is not plain. */
const CLOCK_BEHIND_DAYS = 366;

/** What is left of letters that were decoded wrongly: `J\ufffdrg`; `JÃ¶rg`, which is UTF-8 as Windows-1252; `J”rg` of DOS and `RenŽe` of Macs; `J?rg` of a program that only knows ASCII, and `R&amp;D` of HTML. */
const GARBLED =
  /\ufffd|[ÂÃÄÅ][\u00a1-\u00bf€‚ƒ„…†‡ˆ‰‹›™]|Ã[œŸŠŽ–“”•˜]|\p{L}[\u0080-\u009f\u00a1-\u00a9«¬\u00ae-\u00b1¶¸»¿‚„”…†‡ˆ‰‹›™]\p{Ll}|\p{Ll}[—ŒŠŸŽ]\p{Ll}|\p{L}\?\p{Ll}|&(?:[A-Za-z]{2,8}|#x?[0-9A-Fa-f]{2,6});/u;

/** Names of the IANA database that are offsets. */
const FIXED_ZONE = /^(?:EST|MST|Etc\/GMT[+-]\d+)$/;

/** Messages, where # is the count and {singular|plural} follows it, and advice. */
const FINDINGS = {
  "short-leave": [
    "# {request covers|requests cover} several days, with an hour or less for each of Monday to Friday, or less than a quarter of an hour",
    `were days or hours taken for minutes, or is a date wrong? Name the unit in the mapping: "units": {"${LEAVE_AMOUNT}": "days"}`,
  ],
  "small-amount": [
    "all # openings, adjustments or hours worked are less than an hour",
    'were days or hours taken for minutes? Name the unit in the mapping: "units": {"minutes": "days"}, or accept it',
  ],
  "large-opening": [
    "# {opening is|openings are} more than the policy can have granted since the worker's first day of work",
    'were hours taken for days? Name the unit in the mapping: "units": {"minutes": "hours"}. Otherwise correct what the policy grants, or accept it',
  ],
  "small-opening": [
    "# {opening is|openings are} a few hours, where as many days would be half or whole days",
    'were days taken for hours? Name the unit in the mapping: "units": {"minutes": "days"}, or accept it',
  ],
  "other-unit": [
    "# {column is|columns are} read in another unit than {its name says|their names say}",
    'correct "units" of the mapping, or accept it if the name is wrong',
  ],
  "long-leave": [
    "# {request takes|requests take} more than 12 hours for each day from start to end",
    'is the amount in another unit, does its number have another decimal sign ("units" and "decimal" of the mapping), is the end a day of leave ("endDay": "included"), or is a date wrong?',
  ],
  "lost-day": [
    "# {request takes|requests take} more than 8 hours for each day from midnight to midnight",
    `is the end a day of leave? Then read it as a day: in a mapping, put the time in quotes (yyyy-MM-dd '00:00') and say "endDay": "included". If days are longer than 8 hours, accept it`,
  ],
  "assumed-days": [
    "# {request has no amount, and nothing says which days its worker works|requests have no amount, and nothing says which days their workers work}: Monday to Friday are counted",
    'someone who works fewer days loses too much: give workers their workDays, or name the days in the mapping ("workDays": "Mon-Fri" of requests), or accept it',
  ],
  "no-length": [
    "# {request ends|requests end} at the moment of the start",
    'is the end a day of leave ("endDay": "included" of the mapping), or did the file lose its time?',
  ],
  "never-assigned": [
    "# {request, adjustment or opening is|requests, adjustments and openings are} for a policy that the worker was never assigned to",
    "no balance shows them: import an assignment of that worker to that policy",
  ],
  "unlimited-adjustment": [
    "# {adjustment is|adjustments are} for an unlimited policy",
    'no balance counts them: give the policy its real schedule, or "schedule": "yearly" with 0 minutes per period if people get nothing but adjustments',
  ],
  "shifted-midnight": [
    "# {request begins or ends|requests begin or end} at a midnight that is another day in the worker's time zone",
    "the source probably means local days: read them without the offset, with dates such as \"yyyy-MM-dd'T'HH:mm:ss'Z'\"",
  ],
  "written-days": [
    "# {request has|requests have} dayMinutes for a day that it touches only in another time zone",
    OF_ANOTHER_ZONE,
  ],
  "assignment-day": [
    "# {assignment begins|assignments begin} on another day in UTC than in the worker's time zone",
    "balances count from the UTC day of assignedAt: give startsOn, the local day, instead",
  ],
  "department-of-name": [
    "# {worker names|workers name} a department that has no row in departments",
    "it was created from the name. Was the department renamed? Then give workers the new name, or the departmentId; otherwise accept it",
  ],
  "same-email": [
    "all # workers have the same email address",
    'take it from a column, or build it from a column: "email": "{Employee ID}@no-email.invalid"',
  ],
  "same-start-date": [
    "all # workers have the same start date",
    "accruals count from it: take it from a column",
  ],
  "same-time-zone": [
    "all # workers have the same time zone",
    "if that is right, give it to the company instead (rollcall companies set --time-zone), or accept this finding",
  ],
  "fixed-zone": [
    "# {worker has|workers have} a time zone that is an offset, without summer time",
    "EST is behind UTC by five hours all year, and Etc/GMT+1 by one: name a place, such as America/New_York, or accept it",
  ],
  "left-without-end": [
    "# {worker has|workers have} left (inactive), but no last day",
    "their time off keeps accruing: take the last day from a column",
  ],
  "active-leaver": [
    "# {worker is active, though the last day is|workers are active, though their last days are} over",
    "correct the status or the last day: nothing accrues any more",
  ],
  "early-leaver": [
    "# {worker is inactive, though the last day is|workers are inactive, though their last days are} still to come",
    "correct the status or the last day. Without a status, workers are active up to their last day, and inactive after it",
  ],
  "garbled-name": [
    "# {worker has|workers have} names or groups with letters that were decoded wrongly",
    'export the file anew as UTF-8, or say how it is encoded ("encoding" of the mapping)',
  ],
  "expiry-timing": [
    "# {policy grants|policies grant} at the end of periods, and what was carried over expires",
    "the last grant of a year is posted on the day after it, so it is neither carried over nor expires with the rest: with accrualTiming lastDay it is and does",
  ],
  "small-grant": [
    "# {policy, change or assignment has|policies, changes or assignments have} an amount of less than eight hours a year or an hour a month, or a limit or cap that is too small",
    'were days or hours taken for minutes? Name the unit in the mapping: "units": {"minutesPerPeriod": "days"}, or accept it',
  ],
  "small-schedule": [
    "# {schedule has|schedules have} no day of an hour or more, or a full-time week of less than ten hours",
    "were hours taken for minutes? A day of 8 hours is 480, a week of 40 hours 2400",
  ],
  "work-policy": [
    "# {policy is named like work, but its leave counts|policies are named like work, but their leave counts} as absence",
    "do people work during it, as at home or on a business trip? Then give the policy isAbsence no, else yes, or accept it",
  ],
  "percent-chunk": [
    "# {policy grants|policies grant} less than half a minute for each hour worked",
    "were percent taken for minutes? 12.07 % of an hour are 7.242 minutes",
  ],
  "merged-cells": [
    "# merged {cell spans|cells span} several rows or columns of a workbook",
    "only the first cell has the value: unmerge the cells in the workbook and fill every one",
  ],
  "hidden-rows": [
    "# {row of a workbook is|rows of workbooks are} hidden, and read all the same",
    "a filter hides rows and removes none: delete what does not count, or accept it",
  ],
  "struck-rows": [
    "# {row of a workbook has|rows of workbooks have} text that is struck through, and {is|are} read all the same",
    "what is struck through is often cancelled: delete such rows, or say in a column of the workbook what was cancelled, or accept it",
  ],
  "unread-sheet": [
    "# {sheet of a workbook has|sheets of workbooks have} about the columns of a sheet that is read, but {is|are} not read",
    'name it in the mapping, too ("sheet": ["Leave", "Leave 2"]), or in a source of its own if its columns differ, or accept it',
  ],
  "unread-file": [
    "# {file is|files are} not read, and {has|have} about the columns of a file that is read, or may have them",
    'name it in the mapping, too ("from": ["leave.csv", "leave 2.csv"]), or in a source of its own if its columns differ; unpack an archive, and save other spreadsheets as .xlsx; or move it elsewhere, or accept it',
  ],
  "swapped-dates": [
    "# {date of a workbook is|dates of workbooks are} in a column where no date has a day above 12, but every text does",
    "a spreadsheet of another language has probably swapped day and month: export it anew, and read the text file instead",
  ],
  "days-from-1904": [
    "# {row of a workbook has a number|rows of workbooks have numbers} that may be {a day|days}, and the workbook counts days from 1904",
    'as dates ("dates": "excel") such numbers are read four years early: mark the cells as dates in the workbook, or accept it if they are none',
  ],
  "early-days": [
    "# {row of a workbook has|rows of workbooks have} a time some seconds before midnight, or a hidden one after noon",
    "the program that wrote it probably meant the next day: export the table as text there, and read that file instead, or accept it",
  ],
  "left-out-event": [
    "# {event of a calendar is|events of calendars are} left out",
    "holidays are whole days, or begin or end at midnight: give the day, name and minutes of others in a file of holidays, or accept it",
  ],
  "regional-holiday": [
    "# {event of a calendar is|events of calendars are} a holiday of some regions alone",
    "everybody with this calendar has the day off: give each region a calendar of its own, remove what is of others, or accept it",
  ],
  "doubtful-holiday": [
    "# {event of a calendar is|events of calendars are} perhaps no whole day off for everybody",
    "school holidays, observances, days of work and somebody's leave are no holidays, and half days need minutes: remove them, give such days in a file of holidays, or accept it",
  ],
  "past-calendar": [
    "# {calendar has|calendars have} no day from today on, or none in a year in which somebody with it is on leave",
    "nobody has a holiday by it then, so leave takes those days, too: load the calendar of those years",
  ],
  "empty-calendar": [
    "# {calendar has|calendars have} no holidays, and workplaces or schedules name {it|them}",
    "nobody has a holiday by it: give it the name that its file, or its rows of holidays, have, import its holidays, or accept it",
  ],
  "unused-calendar": [
    "# {calendar has|calendars have} holidays, and no workplace or schedule names {it|them}",
    "nobody has these days off: name it as holidayCalendar of workplaces, or calendar of schedules, or accept it",
  ],
  "yearly-rule": [
    "# {event of a calendar recurs|events of calendars recur} yearly on a day without a month",
    "the import takes the month of the first date, not every month: is that right?",
  ],
  "opening-leave": [
    "# {request is|requests are} of days up to the opening of their balance, in whole or in part",
    "nothing counts twice: those days are in the opening, and only later days are taken from it",
  ],
  "moved-leave": [
    "# {request is|requests are} under a policy after its balance moved to another policy",
    "that leave is taken from the old balance, which is empty: give it the new policy",
  ],
  "uncovered-leave": [
    "# {request is|requests are} of days before the first or after the last day of the worker, or of their assignment to the policy, in whole or in part",
    "it counts all the same. If a rehire has overwritten the first day, give the original first day and gaps for the time between, or import openings; otherwise correct the dates",
  ],
  "overlapping-leave": [
    "# {approved request overlaps|approved requests overlap} another of the same worker, and together they take more than a working day, or the same hours twice",
    "both count: was leave imported twice, or was one of them cancelled?",
  ],
  "spread-leave": [
    "# {request crosses the turn of a leave year, and nothing says which days its worker works|requests cross the turn of a leave year, and nothing says which days their workers work}: all days take the same, weekends and holidays that are not known included",
    'each leave year may get too much or too little: give workers their workDays (in the mapping for all: "values": {"workDays": "Mon-Fri"}), or requests their dayMinutes',
  ],
  "snapshot-leave": [
    "# {request is|requests are} of days before adjustments that seem to be the balance of that day",
    "the leave counts twice: import such balances as openings, not as adjustments",
  ],
  "opening-leaver": [
    "# {opening has|openings have} the whole grant of a period in which coverage ends",
    "an end does not shorten an opening: if these minutes are not owed, take them off with an adjustment",
  ],
  "opening-grant": [
    "# {opening is|openings are} of the day of a grant, and less than it",
    "an opening is what was left at the end of its day, so that grant is taken to be in it: if it is not, give the day before; otherwise accept it",
  ],
  "missing-opening": [
    "# {worker has|workers have} no opening under a policy, and most others with it have one",
    "all that it ever granted them counts: does the export leave out balances of 0? Then add openings of 0; otherwise accept it",
  ],
  "opening-same-day": [
    "# {opening has|openings have} another amount than before, of the same day",
    "is it the day of these balances? If the mapping names that of an earlier export, leave since then is taken off twice: write the new day. If the amount was corrected, accept it",
  ],
  "future-opening": [
    "# {opening is|openings are} of a day that is still to come",
    "all leave up to that day is taken to be in it: is the year right? Otherwise accept it",
  ],
  "opening-expiry": [
    "# {opening has|openings have} carriedMinutes that never expire",
    "the policy has no expiry rule, or the day of expiry is over: leave carriedMinutes empty, or check the rule",
  ],
  "unused-policy": [
    "# {policy is|policies are} assigned to nobody",
    "import assignments, or leave the policy out",
  ],
  "many-changed": [
    "# stored {row is|rows are} changed, removed or not in the files, a larger share of their kind than usual",
    "is the file cut, or did it or the mapping change? If this is intended, accept it once",
  ],
  "cut-file": [
    "# {file does|files do} not end with a line end, as the one before did",
    "was it cut? Then its last value may be cut, too, such as 12 of 1200: export it again; otherwise accept it",
  ],
  "round-rows": [
    "# {file has|files have} exactly as many rows as programs export at most",
    "is it whole? Ask for more rows, or for several files; otherwise accept it",
  ],
  "unit-changed": [
    "the median amount of # {row|rows} is five times or more what it was, or a fifth or less",
    "does the file write amounts in another unit now? Correct the units of the mapping, or accept it",
  ],
  "changes-the-past": [
    "changes of # {policy|policies} would change past balances",
    'do they apply from a day on? Then say --rules-from YYYY-MM-DD, or "changes": "nextPeriod" for policies in the mapping. If the past was wrong, accept it',
  ],
  "new-column": [
    "the mapping ignores # new {column|columns}",
    'do you need it? Then map it; otherwise accept it once ("ignore": "*" leaves out all the rest)',
  ],
  "skipped-row": [
    "# stored {row is|rows are} in the files only where the mapping's skip leaves out rows",
    "was it cancelled since? It stays as it was, and counts: import with --prune, or translate its status to denied in place of skip",
  ],
  "nothing-left": [
    "# stored rows are removed, because the files have no rows of their kind",
    "is the file, or what the API sent, whole? If it is, accept it once",
  ],
  "refused-rows": [
    "the API refused data of # {person|people}",
    "their stored rows of that file are pruned: give the key the right to read them, or accept it",
  ],
  "renamed-policy": [
    "# {policy is new and has|policies are new and have} the workers of a policy that the files no longer have",
    "was that policy renamed? Then add this to policies in the mapping, and it keeps its id and its history; otherwise accept it",
  ],
  "renamed-department": [
    "# {department is new and has|departments are new and have} the workers of a department that nobody has any more",
    "was that department renamed? Then add this to the mapping, and it keeps its id; otherwise accept it",
  ],
  "two-spellings": [
    "# workers have ids that differ in case, spaces or zeros in front alone",
    "are they the same people, whose ids a program or a person spelled otherwise? Then make each id one in a query, or in the file; otherwise accept it",
  ],
  "circle-of-managers": [
    "# {circle|circles} of managers, who report to themselves",
    "with the access reports they see only themselves: correct a managerId",
  ],
  rehire: [
    "# {worker now starts|workers now start} after the stored last day: the earlier employment would be lost",
    "balances would start again, and earlier leave would count against them: give the first startDate, latestRehireDate, and gaps for the time away; otherwise accept it",
  ],
  "other-person": [
    "# {worker has|workers have} another name, and another email or first day, as somebody else would",
    "was a key used again for somebody else, or are rows mixed up? Then leave, balances and the record of the person before would be theirs: give everybody a key that stays, such as the employee number; otherwise accept it",
  ],
  "renamed-worker": [
    "# {worker is new and seems|workers are new and seem} to be one that the files no longer have",
    "has somebody another key now, such as a new address? Then add this to workers in the mapping, and the id, balances and history stay; otherwise accept it",
  ],
  "erased-workers": [
    "# {worker|workers} who left longer ago than the company keeps them {is|are} erased",
    "nothing of them is left in the store. Backups and exports still have them",
  ],
  "erased-requests": [
    "# {request that is|requests that are} older than the company keeps {it|them} {is|are} erased",
    "nothing of them is left in the store. Backups and exports still have them",
  ],
  "erased-reasons": [
    "# {request|requests} that ended longer ago than the company keeps reasons {has|have} none any more",
    "the requests stay. Backups and exports still have the reasons",
  ],
  "kept-leavers": [
    "# {worker|workers} who left longer ago than the company keeps them {stays|stay}",
    "give those who report to them another manager, or correct the status of who is active",
  ],
  "kept-requests": [
    "# {request that is older than the company keeps it stays: it counts in a balance|requests that are older than the company keeps them stay: they count in balances}",
    "import openings of those balances on a later day: what was taken before is in them",
  ],
  "odd-date": [
    `# {date is|dates are} before ${FIRST_PLAUSIBLE_YEAR} or more than two years ahead`,
    "is the date format right? A placeholder such as 9999-12-31 is better left empty",
  ],
} as const satisfies Record<string, readonly [message: string, advice: string]>;

export type FindingCode = keyof typeof FINDINGS;
/** Findings that a sound source may have every night: a strict import allows them. */
export const EXPECTED: ReadonlySet<FindingCode> = new Set([
  "opening-leave",
  "opening-leaver",
  "past-calendar",
  "same-time-zone",
  "spread-leave",
  "erased-workers",
  "erased-requests",
  "erased-reasons",
  "kept-leavers",
  "kept-requests",
]);
export const FINDING_CODES = Object.keys(FINDINGS) as readonly FindingCode[]; // the keys are the codes

export interface ImportFinding {
  readonly code: FindingCode;
  readonly count: number;
  readonly message: string;
  readonly examples: readonly string[];
  readonly advice: string;
}

function counted(message: string, count: number): string {
  const ofCount = (_: string, singular: string, plural: string) => (count === 1 ? singular : plural);
  return message.replace("#", String(count)).replaceAll(/\{(.*?)\|(.*?)\}/g, ofCount);
}

/** Returns all names that it finds, or the first of them and how many there are. */
type StoredCheck = (
  session: ImportSession,
  transaction: ImportTransaction,
  today: Day,
) => Promise<readonly string[] | { readonly count: number; readonly names: readonly string[] }>;

/** The checks of everything that is stored, and of which kinds an import must have rows for each. */
const STORED_CHECKS: readonly (readonly [FindingCode, StoredCheck, ...Kind[]])[] = [
  ["never-assigned", doubtful("unassigned-requests", "request "), "requests", "assignments"],
  ["never-assigned", doubtful("unassigned-adjustments", "adjustment "), "adjustments", "assignments"],
  ["unused-policy", doubtful("unused-policy", "policy "), "policies", "assignments"],
  ["two-spellings", doubtful("two-spellings"), "workers"],
  ["opening-leave", doubtful("opening-leave"), "openings", "requests"],
  ["small-amount", doubtful("small-openings", "opening of "), "openings"],
  ["small-amount", doubtful("small-carried", "carriedMinutes of "), "openings"],
  ["small-amount", doubtful("small-accrued", "accruedMinutes of "), "openings"],
  ["small-amount", doubtful("small-adjustments", "adjustment "), "adjustments"],
  ["small-amount", doubtful("small-hours", "hours worked by "), "work_hours"],
  ["large-opening", largeOpenings, "openings", "policies"],
  ["small-opening", smallOpenings, "openings", "policies"],
  ["missing-opening", doubtful("missing-opening"), "openings", "assignments"],
  ["moved-leave", doubtful("moved-leave"), "assignments", "requests"],
  ["uncovered-leave", doubtful("uncovered-leave"), "workers", "assignments", "requests"],
  ["snapshot-leave", doubtful("snapshot-leave"), "adjustments", "requests"],
  ["unlimited-adjustment", doubtful("unlimited-adjustment"), "policies", "adjustments"],
  ["doubtful-holiday", doubtfulHolidays, "holidays"],
  [
    "past-calendar",
    (session, _, today) => pastCalendars(session, today),
    "workplaces",
    "schedules",
    "holidays",
    "workers",
    "requests",
  ],
  ["empty-calendar", emptyCalendars, "workplaces", "schedules", "holidays"],
  ["unused-calendar", unusedCalendars, "workplaces", "schedules", "holidays"],
  [
    "spread-leave",
    (session) => spreadLeave(session, MAX_EXAMPLES),
    "requests",
    "workers",
    "schedules",
    "assignments",
  ],
  ["overlapping-leave", overlappingLeave, "requests", "schedules", "holidays"],
];

/** `noun`: stands before each name. */
function doubtful(code: DoubtfulCode, noun = ""): StoredCheck {
  return async (_, transaction) => {
    const { count, names } = await doubtfulRows(transaction, code);
    return { count, names: names.map((name) => noun + name) };
  };
}

/** A row to check for findings. */
export interface SeenRow<K extends Kind> {
  readonly place: Place;
  /** Its position among all rows of the files. */
  readonly order: number;
  readonly fields: ImportRows[K];
  readonly hints: Hints;
  /** The time zone of its worker, else the company's. */
  readonly workersZone: string | null;
}

type Look<K extends Kind> = (seen: SeenRow<K>, row: Rows[K]) => void;

export class Findings {
  readonly #noted = new Map<FindingCode, { count: number; examples: FirstExamples }>();
  /** The order of the current row; findings that belong to no row come after all rows. */
  #order = Number.MAX_SAFE_INTEGER;
  readonly #firstPlausible: number;
  readonly #lastPlausible: number;
  /** Whether a later import would report nothing about the current row either. */
  #isPlain = true;
  readonly #doubts = new Set<string>();
  readonly #same = { "same-email": new Same(), "same-start-date": new Same(), "same-time-zone": new Same() };

  /** Days since 1970-01-01. */
  constructor(private readonly today: number) {
    this.#firstPlausible = Date.UTC(FIRST_PLAUSIBLE_YEAR, 0, 1) / DAY_MS;
    this.#lastPlausible = today + PLAUSIBLE_DAYS_AHEAD;
  }

  /** Adds to the count of a finding, and keeps the first examples. */
  note(code: FindingCode, example: string | (() => string), count = 1): void {
    const finding = this.#noted.get(code) ?? { count: 0, examples: new FirstExamples() };
    this.#noted.set(code, finding);
    finding.count += count;
    this.#isPlain = false;
    finding.examples.add(this.#order, example);
  }

  /** Notes a finding once for each name, in order. */
  noteAll(code: FindingCode, names: readonly string[]): void {
    this.#order = Number.MAX_SAFE_INTEGER;
    for (const name of names) this.note(code, name);
  }

  /** Checks a loaded row. Returns whether it is plain: neither this import nor a later one reports it. */
  see<K extends Kind>(kind: K, seen: SeenRow<K>, row: Rows[K]): boolean {
    this.#isPlain = true;
    this.#order = seen.order;
    this.#dates(kind, seen.place, row);
    const look = this.#looks[kind] as Look<K> | undefined; // the kind's own
    look?.(seen, row);
    return this.#isPlain;
  }

  /** The checks of each kind beside its days. */
  readonly #looks: { readonly [K in Kind]?: Look<K> } = {
    workers: (seen, row) => this.#worker(seen, row),
    policies: (seen, row) => this.#policy(seen, row),
    policy_changes: ({ place, fields }) =>
      this.#amounts(place, fields, fields.minutesPerPeriod === null ? 0 : SMALLEST_GRANT.monthly!),
    schedules: ({ place, fields: { minutesPerWeekday, fullTimeMinutesPerWeek } }) => {
      const longest = Math.max(...minutesPerWeekday.flat());
      const isShortWeek = fullTimeMinutesPerWeek !== null && fullTimeMinutesPerWeek < SMALLEST_FULL_TIME;
      if ((longest > 0 && longest < 60) || isShortWeek) this.note("small-schedule", () => placeText(place));
    },
    assignments: (seen, row) => this.#assignment(seen, row),
    requests: (seen, row) => this.#request(seen, row),
    openings: ({ place }, row) => {
      if (row.day <= this.today + 1) return; // today has begun in another time zone
      this.note("future-opening", () => `${placeText(place)} (${formatDay(row.day)})`);
    },
  };

  #dates(kind: Kind, place: Place, row: Rows[Kind]): void {
    // Recurring events of calendars are read ten years ahead.
    const isExpanded = kind === "holidays" && namedFormat(place.file)?.format === "ics";
    const readAhead = isExpanded ? EXPANDED_DAYS : 0;
    const days = row as unknown as Readonly<Record<string, number | null>>; // days are numbers
    for (const { column, cell } of Object.values<Field>(RESOURCES[kind].fields))
      if (column !== undefined && cell?.holds === "day") this.#date(place, days[column.key]!, readAhead);
  }

  #worker({ place, order, fields }: SeenRow<"workers">, row: Rows["workers"]): void {
    if (row.status === "inactive" && row.endDay === null)
      this.note("left-without-end", () => placeText(place));
    if (row.status === "inactive" && row.endDay !== null && row.endDay >= this.today)
      this.note("early-leaver", () => placeText(place));
    if (row.status === "active" && row.endDay !== null && row.endDay < this.today)
      this.note("active-leaver", () => placeText(place));
    const names = `${fields.firstName} ${fields.lastName} ${fields.position} ${fields.department}`;
    if (GARBLED.test(names)) this.note("garbled-name", () => placeText(place));
    if (FIXED_ZONE.test(row.timeZone ?? ""))
      this.note("fixed-zone", () => `${placeText(place)} (${row.timeZone})`);
    this.#same["same-email"].see(fields.email.toLowerCase(), order, place);
    this.#same["same-start-date"].see(String(row.startDay), order, place);
    this.#same["same-time-zone"].see(row.timeZone ?? "", order, place);
  }

  #policy({ place, fields, hints }: SeenRow<"policies">, row: Rows["policies"]): void {
    if (hints.isAbsenceEmpty && isNamedLikeWork(fields.name))
      this.note("work-policy", () => `${placeText(place)} (${fields.name})`);
    const { schedule, hoursWorkedPerChunk, minutesPerChunk, rules } = storedTerms(row);
    this.#amounts(place, fields, SMALLEST_GRANT[schedule] ?? 0);
    const isExpiring = rules.carryoverExpiresAfterMonths != null || rules.carryoverExpiresAfterDays != null;
    if (rules.accrualTiming === "end" && isExpiring) this.note("expiry-timing", () => placeText(place));
    if (minutesPerChunk !== null && minutesPerChunk > 0 && minutesPerChunk * 2 < (hoursWorkedPerChunk ?? 0))
      this.note("percent-chunk", () => `${placeText(place)} (${minutesPerChunk} minutes)`);
  }

  /** Notes the first amount that is too small. `leastGrant`: of a period. */
  #amounts(place: Place, fields: object, leastGrant: number): void {
    const least = { minutesPerPeriod: leastGrant, tiers: leastGrant, ...SMALLEST_AMOUNTS };
    const given = fields as Readonly<Record<string, unknown>>; // those of a kind that may lack some
    for (const [name, smallest] of Object.entries(least)) {
      const value = given[name];
      const amounts = Array.isArray(value)
        ? (value as readonly Tier[]).map(({ minutes }) => minutes)
        : [value];
      const small = amounts.find(
        (minutes) => typeof minutes === "number" && minutes > 0 && minutes < smallest,
      );
      if (small === undefined) continue;
      const what = name === "minutesPerPeriod" ? "" : `${name}: `;
      this.note("small-grant", () => `${placeText(place)} (${what}${small} minutes)`);
      return;
    }
  }

  #request({ place, fields, hints, workersZone }: SeenRow<"requests">, row: Rows["requests"]): void {
    this.#date(place, row.firstDay);
    this.#date(place, row.lastDay);
    const { pattern, midnights } = hints;
    // A computed amount had no unit to mistake. Leave on a weekend takes nothing.
    const days = row.lastDay - row.firstDay + 1;
    const weekdays = countWorkDays(row.firstDay, row.lastDay, MONDAY_TO_FRIDAY);
    const isFree = weekdays === 0 && row.minutes === 0;
    const isShort =
      (days > 1 && !isFree && row.minutes <= SHORT_DAY_MINUTES * Math.max(1, weekdays)) ||
      (row.minutes > 0 && row.minutes < LEAST_LEAVE_MINUTES);
    if (isShort && pattern === undefined)
      this.note("short-leave", () => `${placeText(place)} (${row.minutes} minutes)`);
    if (row.minutes > days * LONG_DAY_MINUTES)
      this.note("long-leave", () => `${placeText(place)} (${row.minutes} minutes)`);
    else if (row.minutes > days * USUAL_DAY_MINUTES && hasMidnightTimes(fields, row, workersZone))
      this.note("lost-day", () => `${placeText(place)} (${row.minutes} minutes)`);
    if (row.endAtMs <= row.startAtMs) this.note("no-length", () => placeText(place));
    if (midnights === undefined) return;
    const [start, end] = midnights;
    const isEndShifted = end !== null && row.endAtMs > row.startAtMs && end !== formatDay(row.lastDay + 1);
    if (start !== formatDay(row.firstDay) || isEndShifted)
      this.note("shifted-midnight", () => `${placeText(place)} (${start})`);
  }

  #assignment({ place, fields, hints, workersZone }: SeenRow<"assignments">, row: Rows["assignments"]): void {
    this.#date(place, row.assignedDay);
    this.#amounts(place, fields, SMALLEST_SHARE);
    const { assignedAt } = hints;
    if (assignedAt === undefined || fields.assignedAt === null) return;
    // Another time of day is the moment of assignment, whose UTC day counts by contract.
    const localMs = localMsOf(fields.assignedAt, workersZone ?? "UTC");
    const isMidnight = localMs % DAY_MS === 0 && utcDayOf(localMs) !== row.assignedDay;
    if (isMidnight || (assignedAt !== null && assignedAt !== formatDay(row.assignedDay)))
      this.note("assignment-day", () => `${placeText(place)} (${formatDay(row.assignedDay)} in UTC)`);
  }

  /** Checks everything that is stored, if the import has rows of these kinds. */
  async seeStored(
    session: ImportSession,
    transaction: ImportTransaction,
    kinds: readonly Kind[],
    accepted: ReadonlySet<FindingCode>,
    today: Day,
  ): Promise<void> {
    this.#order = Number.MAX_SAFE_INTEGER;
    for (const [code, check, ...ofKinds] of STORED_CHECKS) {
      if (accepted.has(code) || !ofKinds.some((kind) => kinds.includes(kind))) continue;
      const found = await check(session, transaction, today);
      const { count, names } = "names" in found ? found : { count: found.length, names: found };
      for (const [at, name] of names.entries()) this.note(code, name, at === 0 ? count : 0);
    }
    if (this.#noted.has("lost-day") && (await areWholeDays(transaction))) this.#noted.delete("lost-day");
  }

  /** Checks whether the new row of a worker loses an earlier employment. */
  seeChanged(now: Rows["workers"], before: Rows["workers"]): void {
    if (before.endDay === null || now.startDay <= before.endDay) return;
    const employments = `${formatDay(before.startDay)} to ${formatDay(before.endDay)}, then from ${formatDay(now.startDay)}`;
    this.note("rehire", `${now.legacyId ?? now.id}: ${employments}`);
  }

  /** Notes doubts about files, each once, because several sources may read a file. */
  ofFiles(doubts: ReadonlyMap<string, readonly Doubt[]>, expected: ReadonlySet<FindingCode>): void {
    for (const [file, ofFile] of doubts)
      for (const { code, part, count } of ofFile) {
        const text = part === "" ? file : `${file}: ${part}`;
        const doubt = `${code} ${text}`;
        if (expected.has(code) || this.#doubts.has(doubt)) continue;
        this.#doubts.add(doubt);
        this.note(code, text, count);
      }
  }

  #date(place: Place, day: number | null, readAhead = 0): void {
    if (day === null) return;
    if (day > this.#lastPlausible - CLOCK_BEHIND_DAYS) this.#isPlain = false;
    const last = Math.max(this.#lastPlausible, this.today + readAhead);
    if (day >= this.#firstPlausible && day <= last) return;
    this.note("odd-date", () => `${placeText(place)} (${formatDay(day)})`);
  }

  /** The findings that are not accepted, in a fixed order. */
  list(accepted: ReadonlySet<FindingCode>): ImportFinding[] {
    for (const [code, { value, count, places }] of Object.entries(this.#same))
      if (value !== null) this.#noted.set(code as FindingCode, { count, examples: places }); // the keys are codes
    return FINDING_CODES.flatMap((code) => {
      const finding = this.#noted.get(code);
      if (finding === undefined || accepted.has(code)) return [];
      const [message, advice] = FINDINGS[code];
      const { count, examples } = finding;
      return [{ code, count, message: counted(message, count), examples: examples.texts, advice }];
    });
  }
}

/** `12 requests cover several days but …: days or hours … (requests.csv:3, requests.csv:7) [short-leave]` */
export function findingText({ code, message, examples, advice, count }: ImportFinding): string {
  const more = count > examples.length ? ", …" : "";
  const where = examples.length === 0 ? "" : ` (${examples.join(", ")}${more})`;
  return `${message}${where}: ${advice} [${code}]`;
}

/** The examples of a finding that come first in the files, whatever the order of `add`. */
class FirstExamples {
  readonly #first: { readonly order: number; readonly text: string }[] = [];

  add(order: number, example: string | (() => string)): void {
    const at = this.#first.findIndex((other) => other.order > order);
    if (at === -1 && this.#first.length === MAX_EXAMPLES) return;
    const text = typeof example === "string" ? example : example();
    this.#first.splice(at === -1 ? this.#first.length : at, 0, { order, text });
    if (this.#first.length > MAX_EXAMPLES) this.#first.pop();
  }

  get texts(): string[] {
    return this.#first.map(({ text }) => text);
  }
}

/** Whether a value is the same in every row. */
class Same {
  #value: string | null = null;
  #isSame = true;
  count = 0;
  readonly places = new FirstExamples();

  see(value: string, order: number, place: Place): void {
    this.count++;
    this.#value ??= value;
    if (this.#value !== value) this.#isSame = false;
    if (this.#isSame) this.places.add(order, () => placeText(place));
  }

  get value(): string | null {
    return this.#isSame && this.count >= MIN_WORKERS && this.#value !== "" ? this.#value : null;
  }
}

/** An import that was refused only for its findings. */
export class FindingsRefused extends ImportRefused {
  constructor(readonly findings: readonly ImportFinding[]) {
    super(findings.map(findingText));
  }
}
