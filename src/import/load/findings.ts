// What an import allows although it is probably wrong. Each kind of finding is reported once, with a count, examples, and what to do.
import { type ImportRows, type Kind, RESOURCES, type Rows } from "../../resources/kinds.ts";
import { storedTerms } from "../../resources/policies.ts";
import { LEAVE_AMOUNT, OF_ANOTHER_ZONE } from "../../resources/requests.ts";
import type { Field } from "../../resources/resource.ts";
import type { DoubtfulCode, ImportSession, ImportTransaction } from "../../store/store.ts";
import { DAY_MS, formatDay, utcDayOf } from "../../time/day.ts";
import { localMsOf } from "../../time/zone.ts";
import { EXPANDED_DAYS } from "../read/calendar.ts";
import { namedFormat } from "../read/files.ts";
import type { Doubt } from "../read/records.ts";
import { ImportRefused, type Place, placeText } from "../row-errors.ts";
import type { AssignmentHints, RequestHints } from "./kinds/hints.ts";
import { overlappingLeave } from "./overlapping-leave.ts";

const MAX_EXAMPLES = 3;
/** Fewer workers than these may have one start date by chance. */
const MIN_WORKERS = 3;
const SHORT_LEAVE_MINUTES = 60;
const DAY_MINUTES = 1440;
const FIRST_PLAUSIBLE_YEAR = 1950;
const PLAUSIBLE_DAYS_AHEAD = 731;
/** So far the clock of a later import may be behind: a row with a date that would then be too far ahead is not plain. */
const CLOCK_BEHIND_DAYS = 366;

/** What each finding says of so many rows (#), with {the word for one|that for several}, and what to do about it. */
const FINDINGS = {
  "short-leave": {
    message: "# {request covers|requests cover} several days but less than an hour in all",
    advice: `were days or hours taken for minutes? Name the unit in the mapping: "units": {"${LEAVE_AMOUNT}": "days"}`,
  },
  "long-leave": {
    message: "# {request takes|requests take} more minutes than there are in the days from start to end",
    advice:
      'is the amount in another unit, does its number have another decimal sign ("units" and "decimal" of the mapping), or is a date wrong?',
  },
  "no-length": {
    message: "# {request ends|requests end} at the very moment of the start",
    advice: 'is the end a day of leave ("endDay": "included" of the mapping), or did the file lose its time?',
  },
  "never-assigned": {
    message:
      "# {request, adjustment or opening is|requests, adjustments and openings are} for a policy that the worker was never assigned to",
    advice: "no balance shows them: import an assignment of that worker to that policy",
  },
  "unlimited-adjustment": {
    message: "# {adjustment is|adjustments are} for an unlimited policy",
    advice:
      'no balance counts them: give the policy the schedule that it has, or "schedule": "yearly" with 0 minutes a period if these are all that people get',
  },
  "shifted-midnight": {
    message:
      "# {request begins or ends|requests begin or end} at a midnight that is another day where the worker is",
    advice:
      "the source probably means local days: read them without the offset, with dates such as \"yyyy-MM-dd'T'HH:mm:ss'Z'\"",
  },
  "written-days": {
    message: "# {request has|requests have} dayMinutes of a day that it touches in another time zone only",
    advice: OF_ANOTHER_ZONE,
  },
  "assignment-day": {
    message: "# {assignment begins|assignments begin} on another day in UTC than where the worker is",
    advice: "balances count from the UTC day of assignedAt: give startsOn, the local day, instead",
  },
  "department-of-name": {
    message: "# {worker has|workers have} the name of a department that no row of departments has",
    advice:
      "it was made of its name: was it renamed? Then give the new name, or the departmentId, in workers, or accept it",
  },
  "same-email": {
    message: "all # workers have the same email address",
    advice: 'take it from a column, or make one of a column: "email": "{Employee ID}@no-email.invalid"',
  },
  "same-start-date": {
    message: "all # workers have the same start date",
    advice: "accruals count from it: take it from a column",
  },
  "same-time-zone": {
    message: "all # workers have the same time zone",
    advice:
      "if that is right, give it to the company instead (rollcall companies set --time-zone), or accept this finding",
  },
  "left-without-end": {
    message: "# {worker has|workers have} left (inactive), but no last day",
    advice: "their time off goes on accruing: take the last day from a column",
  },
  "active-leaver": {
    message:
      "# {worker is active, though the last day is|workers are active, though their last days are} over",
    advice: "correct the status or the last day: nothing accrues any more",
  },
  "expiry-timing": {
    message: "# {policy grants|policies grant} at the end of periods, and what was carried over expires",
    advice:
      "the last grant of a year comes on the day after it, is not carried over, and does not expire with the rest: with accrualTiming lastDay it does",
  },
  "percent-chunk": {
    message: "# {policy grants|policies grant} less than half a minute for each hour worked",
    advice: "were percent taken for minutes? 12.07 % of an hour are 7.242 minutes",
  },
  "merged-cells": {
    message: "cells of several rows of workbooks are merged, # {time|times}",
    advice: "only the first of them has their value: unmerge them in the workbook and fill the others",
  },
  "unread-sheet": {
    message: "# {sheet of a workbook has|sheets of workbooks have} the columns of the one that is read",
    advice: 'name it in the mapping, too ("sheet": ["Leave", "Leave 2"]), or accept it',
  },
  "swapped-dates": {
    message:
      "# {date of a workbook is|dates of workbooks are} in a column where no date has a day above 12, and each text has",
    advice:
      "a spreadsheet of another language has probably swapped day and month: export it anew, and read the text file instead",
  },
  "left-out-event": {
    message: "# {event of a calendar is|events of calendars are} left out",
    advice:
      "holidays are whole days, or begin or end at midnight: give the day, name and minutes of others in a file of holidays, or accept it",
  },
  "yearly-rule": {
    message: "# {event of a calendar recurs|events of calendars recur} each year on a day of no month",
    advice: "the month of the first date is taken, and not each month: is that right?",
  },
  "opening-leave": {
    message: "# {request is|requests are} of days up to the opening of their balance, in whole or in part",
    advice: "nothing counts twice: those days are in the opening, and only later ones are taken from it",
  },
  "moved-leave": {
    message: "# {request is|requests are} under a policy from which the worker's balance has moved by then",
    advice: "that leave is taken from the old balance, where nothing is left: give it the new policy",
  },
  "uncovered-leave": {
    message:
      "# {request is|requests are} of days before the first or after the last day of the worker, or of their assignment to the policy, in whole or in part",
    advice:
      "it counts all the same: where a rehire has overwritten the first day, give the first one, and gaps for the time between, or import openings; else correct the dates",
  },
  "overlapping-leave": {
    message:
      "# {approved request begins|approved requests begin} before another of the same worker ends, and both are more than a day is worked",
    advice: "both count: was leave imported twice, or was one of them cancelled?",
  },
  "snapshot-leave": {
    message: "# {request is|requests are} of days up to adjustments that seem to be what was left that day",
    advice: "the leave counts twice: import what was left as openings instead of adjustments",
  },
  "opening-leaver": {
    message: "# {opening has|openings have} the whole grant of a period in which coverage ends",
    advice:
      "an end does not shorten what is in an opening: take these minutes off with an adjustment if they are not owed",
  },
  "opening-expiry": {
    message: "# {opening has|openings have} carriedMinutes that never expire",
    advice:
      "the policy has no expiry rule, or the day of expiry is over: leave carriedMinutes empty, or check the rule",
  },
  "unused-policy": {
    message: "# {policy is|policies are} assigned to nobody",
    advice: "import assignments, or leave out what nobody has",
  },
  "many-changed": {
    message: "# stored {row is|rows are} changed or removed, a larger share of their kind than is usual",
    advice: "does the file or the mapping write something otherwise now? If it is meant, accept it once",
  },
  "unit-changed": {
    message: "the median amount of # {row|rows} is five times or more what it was, or a fifth or less",
    advice: "does the file write amounts in another unit now? Correct the units of the mapping, or accept it",
  },
  "changes-the-past": {
    message: "what changed of # {policy|policies} makes balances of the past others",
    advice:
      'does it count from a day on? Then say --rules-from YYYY-MM-DD, or "changes": "nextPeriod" in the mapping, beside where policies come from. If the past was wrong, accept it',
  },
  "new-column": {
    message: "# {column is new, and is|columns are new, and are} ignored by the mapping",
    advice:
      'does it say something that is needed? Map it, or accept it once ("ignore": "*" leaves out all the rest)',
  },
  "refused-rows": {
    message: "the API refused to tell of # {person|people}",
    advice:
      "what is stored of them from that file is pruned: give the key the right to read them, or accept it",
  },
  "renamed-policy": {
    message:
      "# {policy is new and has|policies are new and have} the workers of one that the files no longer have",
    advice:
      "is it that one under another name? Then write this into the mapping, beside where its policies come from, and it keeps its id and its history; otherwise accept it",
  },
  "renamed-department": {
    message:
      "# {department is new and has|departments are new and have} the workers of one that nobody has any more",
    advice:
      "is it that one under another name? Then write this into the mapping, and it keeps its id; otherwise accept it",
  },
  "circle-of-managers": {
    message: "# {circle|circles} of managers: each is below themselves",
    advice: "whoever may see the people below them sees only themselves there: correct a managerId",
  },
  rehire: {
    message:
      "# {worker now begins|workers now begin} after the last day that is stored: the earlier employment would be lost",
    advice:
      "balances would begin anew, and leave of before would count against them: give the first startDate, latestRehireDate, and gaps for the time away; otherwise accept it",
  },
  "erased-workers": {
    message: "# {worker|workers} who left longer ago than the company keeps them {is|are} erased",
    advice: "nothing of them is left in the store. Backups and exports still have them",
  },
  "erased-requests": {
    message: "# {request that is|requests that are} older than the company keeps {it|them} {is|are} erased",
    advice: "nothing of them is left in the store. Backups and exports still have them",
  },
  "erased-reasons": {
    message:
      "# {request|requests} that ended longer ago than the company keeps reasons {has|have} none any more",
    advice: "the requests stay. Backups and exports still have the reasons",
  },
  "kept-leavers": {
    message: "# {worker|workers} who left longer ago than the company keeps them {stays|stay}",
    advice: "give those who report to them another manager, or correct the status of who is active",
  },
  "kept-requests": {
    message:
      "# {request that is older than the company keeps it stays: it counts in a balance|requests that are older than the company keeps them stay: they count in balances}",
    advice: "import openings of those balances on a later day: what was taken before is in them",
  },
  "odd-date": {
    message: `# {date is|dates are} before ${FIRST_PLAUSIBLE_YEAR} or more than two years ahead`,
    advice: "is the date format right? A placeholder such as 9999-12-31 is better left empty",
  },
} as const satisfies Record<string, { message: string; advice: string }>;

export type FindingCode = keyof typeof FINDINGS;
/** What a system leads to every night that has balances beside leave, notices, one time zone or a retention: a strict import passes it. */
export const EXPECTED: ReadonlySet<FindingCode> = new Set([
  "opening-leave",
  "opening-leaver",
  "same-time-zone",
  "erased-workers",
  "erased-requests",
  "erased-reasons",
  "kept-leavers",
  "kept-requests",
]);
export const FINDING_CODES = Object.keys(FINDINGS) as readonly FindingCode[]; // the keys are the codes

/** A kind of finding in an import. */
export interface ImportFinding {
  readonly code: FindingCode;
  readonly count: number;
  readonly message: string;
  readonly examples: readonly string[];
  readonly advice: string;
}

function counted(message: string, count: number): string {
  const ofCount = (_: string, one: string, many: string) => (count === 1 ? one : many);
  return message.replace("#", String(count)).replaceAll(/\{(.*?)\|(.*?)\}/g, ofCount);
}

/** What is looked for in all that is stored once rows of these kinds came. */
const DOUBTFUL: readonly (readonly [DoubtfulCode, ...Kind[]])[] = [
  ["opening-leave", "openings", "requests"],
  ["moved-leave", "assignments", "requests"],
  ["uncovered-leave", "workers", "assignments", "requests"],
  ["snapshot-leave", "adjustments", "requests"],
  ["unlimited-adjustment", "policies", "adjustments"],
];

/** A row that is looked at. */
export interface SeenRow<K extends Kind> {
  readonly place: Place;
  /** Where it stands among all rows of the files. */
  readonly order: number;
  readonly fields: ImportRows[K];
  /** What `KindRules.hintsOf` gave of it, as JSON; null for nothing. */
  readonly hints: string | null;
  /** The time zone of its worker, else the company's. */
  readonly workersZone: string | null;
}

type Look<K extends Kind> = (seen: SeenRow<K>, row: Rows[K]) => void;

export class Findings {
  readonly #found = new Map<FindingCode, { count: number; examples: FirstExamples }>();
  /** Where the row that is looked at stands among all rows of the files; of what is no row, after them. */
  #order = Number.MAX_SAFE_INTEGER;
  readonly #firstPlausible: number;
  readonly #lastPlausible: number;
  /** Of the row that is looked at: whether a later import would find nothing to report of it. */
  #isPlain = true;
  readonly #files = new Set<string>();
  readonly #same = { email: new Same(), start: new Same(), zone: new Same() };

  readonly #today: number;

  /** Days since 1970-01-01. */
  constructor(today: number) {
    this.#today = today;
    this.#firstPlausible = Date.UTC(FIRST_PLAUSIBLE_YEAR, 0, 1) / DAY_MS;
    this.#lastPlausible = today + PLAUSIBLE_DAYS_AHEAD;
  }

  /** `count`: how often; the first examples are kept. */
  note(code: FindingCode, example: string | (() => string), count = 1): void {
    const found = this.#found.get(code) ?? { count: 0, examples: new FirstExamples() };
    this.#found.set(code, found);
    found.count += count;
    this.#isPlain = false;
    found.examples.add(this.#order, example);
  }

  /** Notes a finding once for each of these, which are in order. */
  noteAll(code: FindingCode, names: readonly string[]): void {
    this.#order = Number.MAX_SAFE_INTEGER;
    for (const name of names) this.note(code, name);
  }

  /** Looks at a loaded row. Returns whether nothing is to be reported of it, now or if it is looked at again. */
  see<K extends Kind>(kind: K, seen: SeenRow<K>, row: Rows[K]): boolean {
    this.#isPlain = true;
    this.#order = seen.order;
    const look = this.#looks[kind] as Look<K> | undefined; // the kind's own
    if (look === undefined) this.#dates(kind, seen.place, row);
    else look(seen, row);
    return this.#isPlain;
  }

  /** What is looked at in a row, where that is more or less than its days. */
  readonly #looks: { readonly [K in Kind]?: Look<K> } = {
    workers: (seen, row) => this.#worker(seen, row),
    policies: ({ place }, row) => this.#policy(place, row),
    assignments: (seen, row) => this.#assignment(seen, row),
    requests: (seen, row) => this.#request(seen, row),
    // Series of calendars are read ten years ahead.
    holidays: ({ place }, row) =>
      this.#date(place, row.day, namedFormat(place.file)?.format === "ics" ? EXPANDED_DAYS : 0),
  };

  #dates(kind: Kind, place: Place, row: Rows[Kind]): void {
    for (const { column, cell } of Object.values<Field>(RESOURCES[kind].fields))
      if (column !== undefined && cell?.holds === "day")
        this.#date(place, (row as unknown as Readonly<Record<string, number | null>>)[column.key]!); // days are numbers
  }

  #worker({ place, order, fields }: SeenRow<"workers">, row: Rows["workers"]): void {
    this.#date(place, row.startDay);
    this.#date(place, row.endDay);
    if (row.status === "inactive" && row.endDay === null)
      this.note("left-without-end", () => placeText(place));
    if (row.status === "active" && row.endDay !== null) {
      this.#isPlain = false; // a later import may find that it is over
      if (row.endDay < this.#today) this.note("active-leaver", () => placeText(place));
    }
    this.#same.email.see(fields.email.toLowerCase(), order, place);
    this.#same.start.see(String(row.startDay), order, place);
    this.#same.zone.see(row.timeZone ?? "", order, place);
  }

  #policy(place: Place, row: Rows["policies"]): void {
    const { hoursWorkedPerChunk, minutesPerChunk, rules } = storedTerms(row);
    const isExpiring = rules.carryoverExpiresAfterMonths != null || rules.carryoverExpiresAfterDays != null;
    if (rules.accrualTiming === "end" && isExpiring) this.note("expiry-timing", () => placeText(place));
    if (minutesPerChunk !== null && minutesPerChunk > 0 && minutesPerChunk * 2 < (hoursWorkedPerChunk ?? 0))
      this.note("percent-chunk", () => `${placeText(place)} (${minutesPerChunk} minutes)`);
  }

  #request({ place, hints }: SeenRow<"requests">, row: Rows["requests"]): void {
    this.#date(place, row.firstDay);
    this.#date(place, row.lastDay);
    const { pattern, midnights } = hints === null ? {} : (JSON.parse(hints) as RequestHints); // as it was staged
    // An amount that was computed had no unit to mistake: leave on a weekend alone comes to 0.
    const isShort = row.lastDay > row.firstDay && row.minutes < SHORT_LEAVE_MINUTES;
    if (isShort && pattern === undefined)
      this.note("short-leave", () => `${placeText(place)} (${row.minutes} minutes)`);
    if (row.minutes > (row.lastDay - row.firstDay + 1) * DAY_MINUTES)
      this.note("long-leave", () => `${placeText(place)} (${row.minutes} minutes)`);
    if (row.endAtMs <= row.startAtMs) this.note("no-length", () => placeText(place));
    if (midnights === undefined) return;
    const [start, end] = midnights;
    const isEndShifted = end !== null && row.endAtMs > row.startAtMs && end !== formatDay(row.lastDay + 1);
    if (start !== formatDay(row.firstDay) || isEndShifted)
      this.note("shifted-midnight", () => `${placeText(place)} (${start})`);
  }

  #assignment({ place, fields, hints, workersZone }: SeenRow<"assignments">, row: Rows["assignments"]): void {
    this.#date(place, row.assignedDay);
    this.#date(place, row.endsDay);
    const { assignedAt } = hints === null ? {} : (JSON.parse(hints) as AssignmentHints); // as it was staged
    if (assignedAt === undefined || fields.assignedAt === null) return;
    // Another time of day is when somebody was assigned, and counts by its UTC day, as the contract says.
    const localMs = localMsOf(fields.assignedAt, workersZone ?? "UTC");
    const isMidnight = localMs % DAY_MS === 0 && utcDayOf(localMs) !== row.assignedDay;
    if (isMidnight || (assignedAt !== null && assignedAt !== formatDay(row.assignedDay)))
      this.note("assignment-day", () => `${placeText(place)} (${formatDay(row.assignedDay)} in UTC)`);
  }

  /** Looks in all that is stored, once rows of these kinds came. */
  async seeStored(
    session: ImportSession,
    transaction: ImportTransaction,
    kinds: readonly Kind[],
    accepted: ReadonlySet<FindingCode>,
  ): Promise<void> {
    this.#order = Number.MAX_SAFE_INTEGER;
    const touches = (...some: readonly Kind[]) => some.some((kind) => kinds.includes(kind));
    const noteFound = (
      code: FindingCode,
      { count, names }: { count: number; names: readonly string[] },
      noun = "",
    ) => {
      for (const [at, name] of names.entries()) this.note(code, `${noun}${name}`, at === 0 ? count : 0);
    };
    for (const [kind, code] of [
      ["requests", "never-assigned"],
      ["adjustments", "never-assigned"],
      ["policies", "unused-policy"],
    ] as const) {
      if (accepted.has(code) || !touches(kind, "assignments")) continue;
      const noun = { requests: "request", adjustments: "adjustment", policies: "policy" }[kind];
      noteFound(code, await transaction.withoutAssignment(kind), `${noun} `);
    }
    for (const [code, ...ofKinds] of DOUBTFUL) {
      if (accepted.has(code) || !touches(...ofKinds)) continue;
      noteFound(code, await transaction.doubtful(code));
    }
    if (!accepted.has("overlapping-leave") && touches("requests", "schedules", "holidays"))
      for (const name of await overlappingLeave(session, transaction)) this.note("overlapping-leave", name);
  }

  /** Looks at what the new row of a worker takes away: an earlier employment. */
  seeChanged(now: Rows["workers"], before: Rows["workers"]): void {
    if (before.endDay === null || now.startDay <= before.endDay) return;
    const employments = `${formatDay(before.startDay)} to ${formatDay(before.endDay)}, then from ${formatDay(now.startDay)}`;
    this.note("rehire", `${now.legacyId ?? now.id}: ${employments}`);
  }

  /** Notes what is probably wrong with files, each once: several sources may read one. */
  ofFiles(doubts: ReadonlyMap<string, readonly Doubt[]>): void {
    for (const [file, found] of doubts) {
      if (this.#files.has(file)) continue;
      this.#files.add(file);
      for (const { code, part, count } of found)
        this.note(code, part === "" ? file : `${file}: ${part}`, count);
    }
  }

  #date(place: Place, day: number | null, readAhead = 0): void {
    if (day === null) return;
    if (day > this.#lastPlausible - CLOCK_BEHIND_DAYS) this.#isPlain = false;
    const last = Math.max(this.#lastPlausible, this.#today + readAhead);
    if (day >= this.#firstPlausible && day <= last) return;
    this.note("odd-date", () => `${placeText(place)} (${formatDay(day)})`);
  }

  /** The findings that are not accepted, in a fixed order. */
  list(accepted: ReadonlySet<FindingCode>): ImportFinding[] {
    const { email, start, zone } = this.#same;
    for (const [code, same] of [
      ["same-email", email],
      ["same-start-date", start],
      ["same-time-zone", zone],
    ] as const) {
      const value = same.value;
      if (value !== null && !this.#found.has(code))
        this.#found.set(code, { count: same.count, examples: same.places });
    }
    return FINDING_CODES.flatMap((code) => {
      const found = this.#found.get(code);
      if (found === undefined || accepted.has(code)) return [];
      const { message, advice } = FINDINGS[code];
      const { count, examples } = found;
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

/** The examples of a finding that come first in the files, in whatever order rows are looked at. */
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

/** An import that was refused for its findings alone. */
export class FindingsRefused extends ImportRefused {
  constructor(readonly findings: readonly ImportFinding[]) {
    super(findings.map(findingText));
  }
}
