// Holidays of a calendar file (.ics, RFC 5545) as records, one for each day.
import { parse as parsePath } from "node:path";
import type ICAL from "ical.js";
import { DAY_MS, type Day, dateOf, formatDay, parseDay, utcDayOf } from "../../time/day.ts";
import { isTimeZone, localMsOf } from "../../time/zone.ts";
import { shown } from "../row-errors.ts";
import { isNamedLikeMovable, isNamedLikeNoHoliday } from "../telling-names.ts";
import {
  type Doubt,
  type ReadOptions,
  type RecordReader,
  type SourceRecord,
  UnreadableFile,
} from "./records.ts";
import { type DayRule, daysOfRule, type RuleParts, unclearRule } from "./recurrence.ts";
import { textOf } from "./text.ts";

const YEAR_DAYS = 365.25;
/** Recurring events are expanded this far before and after the day of the import. */
export const EXPANDED_DAYS = Math.round(10 * YEAR_DAYS);
const MAX_BYTES = 2 * 1024 * 1024;
/** Enough for the calendars of a thousand places. */
const MAX_DAYS = 100_000;
/** A longer event is no holiday. */
const MAX_EVENT_DAYS = 366;
/** How many days and periods the rules of a file may step through: about a second. A yearly rule takes 7,500. */
const MAX_STEPS = 10_000_000;
/** The frequencies of holidays. Others recur within a day. */
const FREQUENCIES: ReadonlySet<string> = new Set(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
const RULE_PART =
  /^(?:FREQ|UNTIL|COUNT|WKST|INTERVAL=0*[1-9]|RSCALE=GREGORIAN$|BY(?:SECOND|MINUTE|HOUR|DAY|MONTHDAY|YEARDAY|WEEKNO|MONTH|SETPOS)=)/i;
const WITH_DATES = /^(?:DTSTART|DTEND|RECURRENCE-ID|RDATE|EXDATE|RRULE)\b[^:\r\n]*:(.*)$/gim;
/** `20260501`, also with a time. */
const DATE = /(?<!\d)(\d{4})(\d\d)(\d\d)(?!\d)/g;
/**
 * How feeds mark days that nobody has off: Google's say, in any language, how to hide them; those of officeholidays.com say it in the name, and
 * others in a sentence or a category.
 */
const OBSERVANCE = /\n.*\bGoogle\b|not a public holiday|\bis an observance\b|^observance$/im;
/** How they mark holidays of some regions: `Public holiday in Bavaria, Hesse`, in any language. */
const REGIONAL_IN_GOOGLE = /^(?:[^\s,]+\s+){2}\S|,/;
/** `(Regional Holiday)`, `(NI only)`, `(N. Ireland)`, `(Bayern, Saarland)`. */
const REGIONAL =
  /\((?:regional\b|nur\b|[^)]*\bonly\)|N(?:\.|orthern)? ?Ireland\)|(?:NI|Scotland|England|Wales)\))/i;
const REGIONS = /\(\p{Lu}[^\d,)]*(?:, ?\p{Lu}[^\d,)]*)+\)/u;
/** Apple's words for a day off, a day of work and a birthday. In a calendar with Apple's days off, all other events are none. */
const DAY_OFF = "WORK-HOLIDAY";
const NO_DAY_OFF: ReadonlySet<string> = new Set(["ALTERNATE-WORKDAY", "BIRTHDAY"]);
/** The word for an event that is not decided, and the word of Outlook for a day on which somebody works elsewhere. */
const NOT_SURELY_OFF: ReadonlySet<string> = new Set(["TENTATIVE", "WORKINGELSEWHERE"]);
/** Longer events are school holidays or somebody's leave, and seldom holidays. */
const LONG_DAYS = 7;
/** The parts of rules that choose other dates in other years. */
const DAYS_OF_RULES: ReadonlySet<string> = new Set(["BYDAY", "BYYEARDAY", "BYWEEKNO"]);
const TIMES_OF_RULES = ["BYHOUR", "BYMINUTE", "BYSECOND"];

/** The bytes without line folds inside of a character: some programs fold a line wherever it has 75 bytes (RFC 5545, 3.1). */
async function* withWholeCharacters(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const read: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    read.push(piece);
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new UnreadableFile(null, "is larger than 2 MB: export the holidays alone");
  }
  const text = Buffer.concat(read).toString("latin1");
  yield Buffer.from(text.replace(/\r?\n[ \t](?=[\x80-\xbf])/g, ""), "latin1");
}

/** Opens a calendar. Raises UnreadableFile if the file is none. */
export async function openCalendar(
  path: string,
  options: ReadOptions,
  onBytes?: (bytes: number) => void,
): Promise<RecordReader> {
  const { today } = options;
  if (today === undefined)
    throw new UnreadableFile(
      null,
      'is a calendar, which is read as holidays alone, and not in a query: "holidays": {"from": "…"} of a mapping names it',
    );
  let text = "";
  for await (const piece of textOf(path, options, onBytes, withWholeCharacters)) text += piece;
  if (!/^BEGIN:VCALENDAR/i.test(text.trimStart()))
    throw new UnreadableFile(null, "is no calendar: it does not begin with BEGIN:VCALENDAR");
  const name = parsePath(path.replace(/\.gz$/i, "")).name;
  // Both are loaded only for calendars.
  const [{ default: library }, { findIana }] = await Promise.all([import("ical.js"), import("windows-iana")]);
  const reader = new CalendarReader(library, findIana, today);
  try {
    reader.read(text, name);
  } catch (error) {
    // The library raises its own errors for invalid rules and dates.
    throw error instanceof UnreadableFile
      ? error
      : new UnreadableFile(null, `has an event that cannot be read: ${(error as Error).message}`);
  }
  const { records, doubts } = reader;
  if (reader.events === 0) throw new UnreadableFile(null, "has no events: export the holidays themselves");
  return {
    header: ["calendar", "date", "name", "minutes"],
    headerLine: 1,
    isHeaderFixed: true,
    async *records() {
      yield records;
    },
    doubts,
    close: async () => {},
  };
}

/** A date or local time in its zone. */
interface Clock {
  /** In milliseconds, as if it were UTC. */
  readonly localMs: number;
  readonly isDate: boolean;
  /** Its TZID, which need not be an IANA name; "" for dates and times without a zone. */
  readonly zone: string;
}

/** What the reading of one event needs of its calendar. */
interface Calendar {
  readonly name: string;
  /** The zone that the calendar names, else UTC. The name need not be a known one. */
  readonly zone: string;
  readonly namesZone: boolean;
  readonly isOfGoogle: boolean;
  /** Whether Apple's word says which of the events are days off. */
  readonly tellsDaysOff: boolean;
  /** The value of TRANSP that fewer events have; "" if all have the same. */
  readonly rareTransparency: string;
  /** The LOCATION of most events; "" if most have none, null if they have different ones. */
  readonly usualPlace: string | null;
  /** Whether an event of days ends on the day on which it begins, as where ends are included. */
  readonly mayIncludeEnds: boolean;
  /** The days of series that have an event of their own, by UID. */
  readonly moved: ReadonlyMap<string, readonly Clock[]>;
}

/** Why an event is left out. */
class LeftOut extends Error {}

class CalendarReader {
  readonly records: SourceRecord[] = [];
  readonly doubts: Doubt[] = [];
  events = 0;
  readonly #seen = new Set<string>();
  #steps = 0;
  #item = 0;

  constructor(
    private readonly library: typeof ICAL,
    private readonly findIana: (windowsName: string) => readonly string[],
    private readonly today: Day,
  ) {}

  read(text: string, fileName: string): void {
    const lines = text.replace(/\r?\n[ \t]/g, "");
    if (/^[A-Z-]+;[^:\r\n]*QUOTED-PRINTABLE/im.test(lines))
      throw new UnreadableFile(
        null,
        "has texts in QUOTED-PRINTABLE, as version 1.0 of the format (vCalendar) writes them: export it as iCalendar, version 2.0",
      );
    for (const [, rule] of lines.matchAll(/^RRULE[^:\r\n]*:(.*)$/gim))
      for (const part of rule!.trim().split(";")) // the library leaves out what it does not know
        if (part !== "" && !RULE_PART.test(part))
          throw new Error(`a rule has ${shown(part)}, which is not read`);
    for (const [, dates] of lines.matchAll(WITH_DATES)) // the library makes 2 March of 30 February
      for (const [date, year, month, day] of dates!.matchAll(DATE))
        if (Number(year) > 0 && parseDay(`${year}-${month}-${day}`) === null)
          throw new Error(`${date} is no date`);
    // Some programs write a day without saying that it is one.
    text = lines.replace(
      /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)(?:;TZID=[^:;\r\n]*)?:(?=\d{8}(?:,\d{8})*\s*$)/gim,
      "$1;VALUE=DATE:",
    );
    const parsed = this.library.parse(text) as unknown[]; // one calendar, or a list of several
    for (const component of typeof parsed[0] === "string" ? [parsed] : (parsed as unknown[][]))
      this.#readCalendar(new this.library.Component(component), fileName);
  }

  #readCalendar(component: ICAL.Component, fileName: string): void {
    const events = component.getAllSubcomponents("vevent");
    this.events += events.length;
    const calendar: Calendar = {
      name: calendarName(component) || fileName,
      zone: this.#zoneNamed(textOfProperty(component, "x-wr-timezone") || "UTC"),
      namesZone: component.hasProperty("x-wr-timezone"),
      isOfGoogle: /\bGoogle\b/.test(textOfProperty(component, "prodid")),
      tellsDaysOff: events.some((event) => appleDayOf(event) === DAY_OFF),
      rareTransparency: rareTransparencyOf(events),
      usualPlace: usualPlaceOf(events),
      mayIncludeEnds: events.some((event) => daysToEnd(event) === 0),
      moved: movedDaysOf(events),
    };
    const cancelsAll = textOfProperty(component, "method").toUpperCase() === "CANCEL";
    const newest = newestVersions(events);
    const days = new Map<string, Day>();
    for (const event of events) {
      this.#item++;
      if (cancelsAll || isCancelled(event)) continue;
      const newestVersion = newest.get(versionKey(event)) ?? event;
      if (sequenceOf(event) < sequenceOf(newestVersion)) {
        if (yearlyKey(event) !== yearlyKey(newestVersion) && !isCancelled(newestVersion))
          this.#doubt(
            "doubtful-holiday",
            event,
            " is left out, as an older version of an event with another name or year",
          );
        continue;
      }
      try {
        const day = utcDayOf(clocksOf(event, "dtstart")[0]?.localMs ?? 0);
        const key = `${versionKey(event)}\0${yearlyKey(event)}`;
        if ((days.get(key) ?? day) !== day)
          this.#doubt("doubtful-holiday", event, " comes twice in a year with one UID, on two days");
        days.set(key, day);
        this.#readEvent(event, calendar);
      } catch (error) {
        this.#leaveOut(event, error);
      }
    }
  }

  /** The IANA name of a zone that Windows names, as Outlook does: `W. Europe Standard Time`. Other names stay. */
  #zoneNamed(name: string): string {
    return isTimeZone(name) ? name : (this.findIana(name)[0] ?? name);
  }

  /** Notes why an event is left out. Rethrows other errors, with the event's name. */
  #leaveOut(event: ICAL.Component, error: unknown): void {
    if (error instanceof UnreadableFile) throw error;
    const { message } = error as Error; // the library raises nothing else
    if (!(error instanceof LeftOut))
      throw new Error(`${shown(textOfProperty(event, "summary"))}: ${message}`);
    this.#doubt("left-out-event", event, ` ${message}`);
  }

  #doubt(code: Doubt["code"], event: ICAL.Component, why: string): void {
    this.doubts.push({ code, part: `${shown(textOfProperty(event, "summary"))}${why}` });
  }

  /** Makes a record for each day of an event. Throws LeftOut if the event cannot be a holiday. */
  #readEvent(event: ICAL.Component, calendar: Calendar): void {
    const apple = appleDayOf(event);
    if (NO_DAY_OFF.has(apple) || (calendar.tellsDaysOff && apple !== DAY_OFF))
      throw new LeftOut("is no day off, by its X-APPLE-SPECIAL-DAY");
    const transparency = transparencyOf(event);
    if (transparency !== "" && transparency === calendar.rareTransparency)
      this.#doubt("doubtful-holiday", event, ` is ${transparency}, unlike most others (TRANSP)`);
    const [start] = clocksOf(event, "dtstart");
    if (start === undefined) throw new Error("it has no DTSTART");
    if (start.zone === "UTC" && !isTimeZone(calendar.zone))
      throw new UnreadableFile(
        null,
        `has times in UTC, and an X-WR-TIMEZONE that is not known: write a name such as Europe/Berlin for ${shown(calendar.zone)}`,
      );
    const lengthMs = lengthOf(event, start);
    const spanFrom = (startMs: number) => spanOf(startMs, lengthMs, start.zone, calendar.zone);
    const own = spanFrom(start.localMs);
    const isOfDays = lengthMs > 0 && [own.fromMs, own.endMs].some((ms) => ms % DAY_MS === 0);
    if (!isOfDays) throw new LeftOut("neither begins nor ends at midnight");
    this.#noteDoubts(event, calendar, lengthMs);
    if (start.zone === "UTC" && !calendar.namesZone && lengthMs % DAY_MS !== 0)
      this.#doubt("doubtful-holiday", event, " has times in UTC, and the calendar has no X-WR-TIMEZONE");
    const { starts, isMonthLess } = this.#startsOf(event, start, calendar);
    if (isMonthLess) this.#doubt("yearly-rule", event, "");
    const rule = event.getFirstPropertyValue("rrule") as ICAL.Recur | null;
    if (rule !== null && rule.freq !== "YEARLY")
      this.#doubt("doubtful-holiday", event, ` recurs ${rule.freq.toLowerCase()}`);
    const isOfOneDate =
      rule !== null && starts.length > 1 && !Object.keys(rule.parts).some((part) => DAYS_OF_RULES.has(part));
    if (isOfOneDate && isNamedLikeMovable(textOfProperty(event, "summary")))
      this.#doubt("doubtful-holiday", event, " recurs on one date, and its day has another each year");
    for (const startMs of starts) this.#addDays(event, calendar.name, spanFrom(startMs));
  }

  /** Notes what an event says that holidays of everybody do not. Throws LeftOut for an observance. */
  #noteDoubts(
    event: ICAL.Component,
    { isOfGoogle, mayIncludeEnds, usualPlace }: Calendar,
    lengthMs: number,
  ): void {
    const summary = textOfProperty(event, "summary");
    const description = textOfProperty(event, "description");
    if (OBSERVANCE.test(`${summary} ${description}\n${textOfProperty(event, "categories")}`))
      throw new LeftOut("is an observance, by what it says");
    if (
      REGIONAL.test(summary) ||
      REGIONS.test(summary) ||
      (isOfGoogle && REGIONAL_IN_GOOGLE.test(description)) ||
      (usualPlace !== null && ![usualPlace, ""].includes(textOfProperty(event, "location")))
    )
      this.#doubt("regional-holiday", event, "");
    for (const name of ["status", "x-microsoft-cdo-busystatus"])
      if (NOT_SURELY_OFF.has(upper(event, name)))
        this.#doubt("doubtful-holiday", event, ` is ${upper(event, name)} (${name.toUpperCase()})`);
    if (mayIncludeEnds && daysToEnd(event) > 0)
      this.#doubt(
        "doubtful-holiday",
        event,
        " may last a day longer: another event ends on the day on which it begins",
      );
    const category = textOfProperty(event, "categories");
    if (isNamedLikeNoHoliday(category))
      this.#doubt("doubtful-holiday", event, ` is of the category ${shown(category)}`);
    const days = Math.ceil(lengthMs / DAY_MS);
    if (days >= LONG_DAYS) this.#doubt("doubtful-holiday", event, ` lasts ${days} days`);
    else if (event.hasProperty("attendee")) this.#doubt("doubtful-holiday", event, " has attendees");
  }

  #addDays(event: ICAL.Component, calendar: string, { fromMs, endMs }: Span): void {
    const [firstDay, lastDay] = [utcDayOf(fromMs), utcDayOf(endMs - 1)];
    if (lastDay - firstDay >= MAX_EVENT_DAYS)
      throw new UnreadableFile(null, `has an event of more than a year, from ${formatDay(firstDay)}`);
    const isSeries = event.hasProperty("rrule");
    for (let day = firstDay; day <= lastDay; day++) {
      if (isSeries && Math.abs(day - this.today) > EXPANDED_DAYS) continue;
      const minutes = (Math.min(endMs, (day + 1) * DAY_MS) - Math.max(fromMs, day * DAY_MS)) / 60_000;
      const minutesCell = minutes === 1440 ? "" : String(minutes);
      this.#addDay([calendar, formatDay(day), textOfProperty(event, "summary"), minutesCell]);
    }
  }

  #addDay(cells: readonly string[]): void {
    const key = cells.join("\0");
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.records.push({ line: 1, item: this.#item, cells });
    if (this.#seen.size > MAX_DAYS)
      throw new UnreadableFile(null, "has more than 100,000 days: export the holidays alone");
  }

  /** The starts of an event, in its own local time: one, or those of its rules for ten years back and ahead. */
  #startsOf(event: ICAL.Component, start: Clock, calendar: Calendar) {
    if (event.hasProperty("exrule")) throw new LeftOut("has an EXRULE");
    if (event.getFirstProperty("recurrence-id")?.getParameter("range"))
      throw new LeftOut("changes all that follow");
    const zone = this.#zoneNamed(start.zone === "" ? calendar.zone : start.zone);
    const firstDay = utcDayOf(start.localMs);
    const timeMs = start.localMs - firstDay * DAY_MS;
    /** In the event's own local time. */
    const byItsClock = (clock: Clock): number => {
      const isOfDay = clock.isDate || start.isDate;
      if (isOfDay && clock.localMs % DAY_MS !== timeMs) throw new LeftOut("has days beside times");
      if (isOfDay || clock.zone === start.zone) return clock.localMs;
      if (clock.zone !== "UTC" || !isTimeZone(zone)) throw new LeftOut(`has times of several zones`);
      return localMsOf(clock.localMs, zone);
    };
    const rules = event.getAllProperties("rrule").map((rule) => rule.getFirstValue() as ICAL.Recur);
    const starts = new Set(rules.length === 0 ? [start.localMs] : []);
    for (const clock of clocksOf(event, "rdate")) starts.add(byItsClock(clock));
    const isMonthLess = rules.some(
      ({ freq, parts }) => freq === "YEARLY" && Object.keys(parts).join() === "BYMONTHDAY",
    );
    /** The last day on which an occurrence begins. */
    const lastDayBy = (clock: Clock): Day => {
      const isWholeDay = clock.isDate || (start.isDate && (clock.localMs + 1000) % DAY_MS === 0);
      return isWholeDay ? utcDayOf(clock.localMs) : Math.floor((byItsClock(clock) - timeMs) / DAY_MS);
    };
    let begins = rules.length === 0;
    for (const recur of rules) {
      const rule = dayRuleOf(recur, isMonthLess ? dateOf(firstDay).month : null);
      const lastDay = recur.until === null ? Infinity : lastDayBy(clockOf(recur.until, ""));
      const days = this.#daysOfRule(rule, firstDay, lastDay);
      begins ||= days.beginsOnFirst;
      for (const day of days.within) starts.add(day * DAY_MS + timeMs);
    }
    if (!begins) throw new LeftOut("begins on a day that its rule does not give");
    // The event of a moved day names that day itself.
    const moved = event.hasProperty("recurrence-id") ? [] : calendar.moved.get(textOfProperty(event, "uid"));
    const others = [...clocksOf(event, "exdate"), ...(moved ?? [])]; // by days, or by times
    const otherDays = new Set(others.flatMap(({ isDate, localMs }) => (isDate ? [utcDayOf(localMs)] : [])));
    const otherTimes = new Set(others.flatMap((clock) => (clock.isDate ? [] : [byItsClock(clock)])));
    const isOther = (ms: number) => otherDays.has(utcDayOf(ms)) || otherTimes.has(ms);
    return {
      starts: [...starts].filter((ms) => !isOther(ms)),
      isMonthLess,
    };
  }

  /** The days that a rule gives for ten years back and ahead, and whether the event's first day is one of its days. */
  #daysOfRule(rule: DayRule, firstDay: Day, lastDay: Day) {
    const spend = (steps: number) => this.#spend(steps);
    const onFirst = { fromDay: firstDay, lastDay: Math.min(firstDay, lastDay) };
    const expanded = {
      fromDay: this.today - EXPANDED_DAYS - MAX_EVENT_DAYS,
      lastDay: Math.min(this.today + EXPANDED_DAYS, lastDay),
    };
    return {
      beginsOnFirst: daysOfRule({ ...rule, count: 1 }, firstDay, onFirst, spend).length > 0,
      within: daysOfRule(rule, firstDay, expanded, spend),
    };
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS)
      throw new UnreadableFile(
        null,
        "has rules that take too long to expand: they begin long ago. Export only the holidays of some years",
      );
  }
}

/** A rule of the library; `month`: the month of a rule that names none. Throws LeftOut if it recurs within a day or is unclear. */
function dayRuleOf({ freq, interval, count, wkst, parts }: ICAL.Recur, month: number | null): DayRule {
  const isWithinDay = !FREQUENCIES.has(freq) || TIMES_OF_RULES.some((part) => part in parts);
  if (isWithinDay) throw new LeftOut("recurs within a day");
  const rule: DayRule = {
    freq: freq as DayRule["freq"],
    interval,
    count,
    weekStart: (wkst + 5) % 7,
    parts: { ...(month === null ? {} : { BYMONTH: [month] }), ...(parts as RuleParts) }, // the library has checked them
  };
  const why = unclearRule(rule);
  if (why !== null) throw new LeftOut(why);
  return rule;
}

/** From `fromMs` to before `endMs`, in local milliseconds. */
interface Span {
  readonly fromMs: number;
  readonly endMs: number;
}

/** When an event is in its calendar. Times in UTC are converted to the calendar's zone. */
function spanOf(startMs: number, lengthMs: number, zone: string, calendarZone: string): Span {
  const localOf = (ms: number) => (zone === "UTC" ? localMsOf(ms, calendarZone) : ms);
  const endMs = localOf(startMs + lengthMs);
  const restMs = DAY_MS - (endMs % DAY_MS);
  // Some programs end a day at its last second or minute.
  return { fromMs: localOf(startMs), endMs: restMs <= 60_000 ? endMs + restMs : endMs };
}

function movedDaysOf(events: readonly ICAL.Component[]): ReadonlyMap<string, readonly Clock[]> {
  const moved = new Map<string, Clock[]>();
  for (const event of events) {
    const uid = textOfProperty(event, "uid");
    const days = clocksOf(event, "recurrence-id");
    if (days.length > 0) moved.set(uid, [...(moved.get(uid) ?? []), ...days]);
  }
  return moved;
}

/** The version with the highest SEQUENCE of each event that has a UID, by `versionKey`. */
function newestVersions(events: readonly ICAL.Component[]): ReadonlyMap<string, ICAL.Component> {
  const newest = new Map<string, ICAL.Component>();
  for (const event of events) {
    if (textOfProperty(event, "uid") === "") continue;
    const key = versionKey(event);
    if (sequenceOf(event) >= sequenceOf(newest.get(key) ?? event)) newest.set(key, event);
  }
  return newest;
}

/** The name and the year of an event. */
function yearlyKey(event: ICAL.Component): string {
  const day = utcDayOf(clocksOf(event, "dtstart")[0]?.localMs ?? 0);
  return `${dateOf(day).year} ${textOfProperty(event, "summary")}`;
}

/** From the first day to DTEND; NaN if the event has no DTEND or has times. */
function daysToEnd(event: ICAL.Component): number {
  const [start] = clocksOf(event, "dtstart");
  const [end] = clocksOf(event, "dtend");
  return start?.isDate && end?.isDate ? (end.localMs - start.localMs) / DAY_MS : NaN;
}

const upper = (event: ICAL.Component, name: string) => textOfProperty(event, name).toUpperCase();
const isCancelled = (event: ICAL.Component) => upper(event, "status") === "CANCELLED";
const appleDayOf = (event: ICAL.Component) => upper(event, "x-apple-special-day");

/** Versions of an event, or of one of its days, have the same key, and a higher SEQUENCE. */
const versionKey = (event: ICAL.Component) =>
  [textOfProperty(event, "uid"), ...clocksOf(event, "recurrence-id").map(({ localMs }) => localMs)].join(
    "\0",
  );
const sequenceOf = (event: ICAL.Component) => Number(textOfProperty(event, "sequence")) || 0;

/** TRANSP, whether an event keeps people busy: `OPAQUE` or `TRANSPARENT`; "" if it does not say. */
const transparencyOf = (event: ICAL.Component) => upper(event, "transp");

/** The TRANSP of the fewer events, if a calendar has both. Feeds of public holidays have one for all. */
function rareTransparencyOf(events: readonly ICAL.Component[]): string {
  const count = (value: string) => events.filter((event) => transparencyOf(event) === value).length;
  const [opaque, transparent] = [count("OPAQUE"), count("TRANSPARENT")];
  return opaque === 0 ? "" : opaque < transparent ? "OPAQUE" : "TRANSPARENT";
}

/** X-WR-CALNAME, else NAME (RFC 7986, 5.1). The library reads escapes such as `\,` of texts that it knows, and these are none. */
function calendarName(calendar: ICAL.Component): string {
  return (textOfProperty(calendar, "x-wr-calname") || textOfProperty(calendar, "name")).replace(
    /\\([\\;,])/g,
    "$1",
  );
}

/** The LOCATION of more than half of the events; null if there is none. A feed of a country names regions there. */
function usualPlaceOf(events: readonly ICAL.Component[]): string | null {
  const places = Map.groupBy(events, (event) => textOfProperty(event, "location"));
  const usual = [...places].find(([, there]) => there.length * 2 > events.length);
  return usual === undefined ? null : usual[0];
}

function textOfProperty(component: ICAL.Component, name: string): string {
  return String(component.getFirstPropertyValue(name) ?? "").trim();
}

/** The times listed by a property. */
function clocksOf(event: ICAL.Component, name: string): Clock[] {
  return event.getAllProperties(name).flatMap((property) => {
    const zone = String(property.getParameter("tzid") ?? "");
    return property.getValues().map((value: ICAL.Time) => clockOf(value, zone));
  });
}

function clockOf(time: ICAL.Time, zone: string): Clock {
  const { year, month, day, hour, minute, second, isDate } = time;
  if (!(year >= 1 && year <= 9999)) throw new Error(`${time} is no date`); // a period has no year either
  const localMs = Date.UTC(2000, month - 1, day, hour, minute, second);
  const date = new Date(localMs);
  date.setUTCFullYear(year, month - 1, day);
  return { localMs: date.getTime(), isDate, zone: isDate ? "" : time.zone?.tzid === "UTC" ? "UTC" : zone };
}

/** The length of an event; its end is exclusive. Throws LeftOut if it depends on two zones. */
function lengthOf(event: ICAL.Component, start: Clock): number {
  const [end] = clocksOf(event, "dtend");
  const duration = event.getFirstPropertyValue("duration") as ICAL.Duration | null;
  const durationMs = duration === null ? null : duration.toSeconds() * 1000;
  if (end === undefined) return durationMs ?? (start.isDate ? DAY_MS : 0);
  if (end.zone !== start.zone || end.isDate !== start.isDate)
    throw new LeftOut("begins and ends in different time zones");
  if (end.localMs < start.localMs) throw new LeftOut("ends before it begins");
  // A day lasts at least one day, even if it ends on the day on which it begins.
  const lengthMs = Math.max(end.localMs - start.localMs, start.isDate ? DAY_MS : 0);
  if (durationMs !== null && durationMs !== lengthMs) throw new LeftOut("has a DTEND and another DURATION");
  return lengthMs;
}
