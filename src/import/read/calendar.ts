// Holidays of a calendar file (.ics, RFC 5545) as records, one for each day.
import { parse as parsePath } from "node:path";
import type ICAL from "ical.js";
import { DAY_MS, type Day, formatDay, utcDayOf } from "../../time/day.ts";
import { isTimeZone, localMsOf } from "../../time/zone.ts";
import { shown } from "../row-errors.ts";
import {
  type Doubt,
  type ReadOptions,
  type RecordReader,
  type SourceRecord,
  UnreadableFile,
} from "./records.ts";
import { textOf } from "./text.ts";

const YEAR_DAYS = 365.25;
/** Recurring events are expanded this far before and after the day of the import. */
export const EXPANDED_DAYS = Math.round(10 * YEAR_DAYS);
const MAX_CHARACTERS = 2 * 1024 * 1024;
/** Enough for the calendars of a thousand places. */
const MAX_DAYS = 100_000;
/** A longer event is no holiday. */
const MAX_EVENT_DAYS = 366;
/** How many days, months and years the rules of a file may step through: about a second. A daily rule since 1900 takes 100,000. */
const MAX_STEPS = 300_000;
/** The steps that expanding a year costs. */
const YEAR_STEPS = 50;
/** The frequencies of holidays. Others recur within a day. */
const FREQUENCIES: ReadonlySet<string> = new Set(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
const TIMES_OF_RULES = ["BYHOUR", "BYMINUTE", "BYSECOND"];

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
  for await (const piece of textOf(path, options, onBytes)) {
    text += piece;
    if (text.length > MAX_CHARACTERS)
      throw new UnreadableFile(null, "is larger than 2 MB: export the holidays alone");
  }
  if (!/^BEGIN:VCALENDAR/i.test(text.trimStart()))
    throw new UnreadableFile(null, "is no calendar: it does not begin with BEGIN:VCALENDAR");
  const name = parsePath(path.replace(/\.gz$/i, "")).name;
  const reader = new CalendarReader((await import("ical.js")).default, today); // loaded only for calendars
  try {
    reader.read(text, name);
  } catch (error) {
    // The library raises its own errors for invalid rules and dates.
    throw error instanceof UnreadableFile
      ? error
      : new UnreadableFile(null, `has an event that cannot be read: ${(error as Error).message}`);
  }
  const { records, doubts } = reader;
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

/** Why an event is left out. */
class LeftOut extends Error {}

class CalendarReader {
  readonly records: SourceRecord[] = [];
  readonly doubts: Doubt[] = [];
  readonly #seen = new Set<string>();
  #steps = 0;
  #item = 0;

  constructor(
    private readonly library: typeof ICAL,
    private readonly today: Day,
  ) {}

  read(text: string, fileName: string): void {
    if (/\bINTERVAL=0*\b(?!\d)/i.test(text)) throw new Error("it has an INTERVAL of 0"); // the library would read it as 1
    const parsed = this.library.parse(text) as unknown[]; // one calendar, or a list of several
    for (const component of typeof parsed[0] === "string" ? [parsed] : (parsed as unknown[][]))
      this.#readCalendar(new this.library.Component(component), fileName);
  }

  #readCalendar(calendar: ICAL.Component, fileName: string): void {
    const name = textOfProperty(calendar, "x-wr-calname") || fileName;
    const zone = textOfProperty(calendar, "x-wr-timezone");
    const events = calendar.getAllSubcomponents("vevent");
    const moved = new Set<string>();
    for (const event of events)
      for (const { localMs } of clocksOf(event, "recurrence-id")) moved.add(occurrenceKey(event, localMs));
    for (const event of events) {
      this.#item++;
      if (textOfProperty(event, "status").toUpperCase() === "CANCELLED") continue;
      try {
        this.#readEvent(event, name, isTimeZone(zone) ? zone : "UTC", moved);
      } catch (error) {
        if (!(error instanceof LeftOut)) throw error;
        this.#doubt("left-out-event", event, ` ${error.message}`);
      }
    }
  }

  #doubt(code: Doubt["code"], event: ICAL.Component, why: string): void {
    this.doubts.push({ code, part: `${shown(textOfProperty(event, "summary"))}${why}` });
  }

  /** Makes a record for each day of an event. Throws LeftOut if the event cannot be a holiday. */
  #readEvent(
    event: ICAL.Component,
    calendar: string,
    calendarZone: string,
    moved: ReadonlySet<string>,
  ): void {
    const [start] = clocksOf(event, "dtstart");
    if (start === undefined) throw new Error("it has no DTSTART");
    const lengthMs = lengthOf(event, start);
    // Times in UTC are converted to the calendar's zone.
    const localOf = (ms: number) => (start.zone === "UTC" ? localMsOf(ms, calendarZone) : ms);
    const isMidnight = (ms: number) => ms % DAY_MS === 0;
    const isOfDays =
      lengthMs > 0 && [start.localMs, start.localMs + lengthMs].some((ms) => isMidnight(localOf(ms)));
    if (!isOfDays) throw new LeftOut("neither begins nor ends at midnight");
    const { starts, isMonthLess } = this.#startsOf(event, start, calendarZone, moved);
    if (isMonthLess) this.#doubt("yearly-rule", event, "");
    const isSeries = event.hasProperty("rrule");
    const summary = textOfProperty(event, "summary");
    for (const startMs of starts) {
      const [from, to] = [localOf(startMs), localOf(startMs + lengthMs)];
      const [firstDay, lastDay] = [utcDayOf(from), utcDayOf(to - 1)];
      if (lastDay - firstDay >= MAX_EVENT_DAYS)
        throw new UnreadableFile(null, `has an event of more than a year, from ${formatDay(firstDay)}`);
      for (let day = firstDay; day <= lastDay; day++) {
        if (isSeries && Math.abs(day - this.today) > EXPANDED_DAYS) continue;
        const minutes = (Math.min(to, (day + 1) * DAY_MS) - Math.max(from, day * DAY_MS)) / 60_000;
        this.#addDay([calendar, formatDay(day), summary, minutes === 1440 ? "" : String(minutes)]);
      }
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
  #startsOf(event: ICAL.Component, start: Clock, calendarZone: string, moved: ReadonlySet<string>) {
    if (event.hasProperty("exrule")) throw new LeftOut("has an EXRULE");
    if (event.getFirstProperty("recurrence-id")?.getParameter("range"))
      throw new LeftOut("changes all that follow");
    const zone = start.zone === "" ? calendarZone : start.zone;
    /** In the event's own local time. */
    const byItsClock = (clock: Clock): number => {
      if (clock.zone === start.zone || clock.isDate || start.isDate) return clock.localMs;
      if (clock.zone !== "UTC" || !isTimeZone(zone)) throw new LeftOut(`has times of several zones`);
      return localMsOf(clock.localMs, zone);
    };
    const rules = event.getAllProperties("rrule").map((rule) => rule.getFirstValue() as ICAL.Recur);
    const starts = new Set(rules.length === 0 ? [start.localMs] : []);
    for (const clock of clocksOf(event, "rdate")) starts.add(byItsClock(clock));
    const [fromDay, toDay] = [this.today - EXPANDED_DAYS, this.today + EXPANDED_DAYS];
    for (const rule of rules) {
      const isWithinDay = !FREQUENCIES.has(rule.freq) || TIMES_OF_RULES.some((part) => part in rule.parts);
      if (isWithinDay) throw new LeftOut("recurs within a day");
      const { until, count } = rule;
      rule.count = null as never; // counted here, leaving out days that do not exist
      const untilMs = until === null ? Infinity : byItsClock(clockOf(until, ""));
      const lastMs = Math.min(untilMs, (toDay + 1) * DAY_MS);
      rule.until = this.#time(lastMs, false);
      let counted = 0;
      const iterator = this.#iterator(rule, this.#time(start.localMs, start.isDate));
      for (let next = iterator.next(); next !== null; next = iterator.next()) {
        const { localMs } = clockOf(next, "");
        if (localMs > lastMs) break;
        if (!isOfRule(rule, next, start)) continue;
        if (count !== null && ++counted > count) break;
        if (localMs >= (fromDay - MAX_EVENT_DAYS) * DAY_MS) starts.add(localMs);
      }
    }
    const excluded = clocksOf(event, "exdate");
    const excludedDays = new Set(excluded.flatMap((time) => (time.isDate ? [utcDayOf(time.localMs)] : [])));
    const excludedTimes = new Set(excluded.flatMap((time) => (time.isDate ? [] : [byItsClock(time)])));
    const isExcluded = (ms: number) => excludedDays.has(utcDayOf(ms)) || excludedTimes.has(ms);
    const isMoved = (ms: number) =>
      !event.hasProperty("recurrence-id") && moved.has(occurrenceKey(event, ms));
    return {
      starts: [...starts].filter((ms) => !isExcluded(ms) && !isMoved(ms)),
      isMonthLess: rules.some(
        ({ freq, parts }) => freq === "YEARLY" && Object.keys(parts).join() === "BYMONTHDAY",
      ),
    };
  }

  #time(localMs: number, isDate: boolean): ICAL.Time {
    const date = new Date(localMs);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    const time = { hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds() };
    return this.library.Time.fromData({ year, month, day, ...(isDate ? {} : time), isDate });
  }

  /** The library's iterator, which for some rules would search for ever: each of its loops counts a step. */
  #iterator(rule: ICAL.Recur, dtstart: ICAL.Time): ICAL.RecurIterator {
    const spend = (steps: number) => {
      this.#steps += steps;
      if (this.#steps > MAX_STEPS)
        throw new UnreadableFile(
          null,
          "has rules that take too long to expand: they begin long ago, or never give a day. Export only the holidays of some years",
        );
    };
    const Iterator = class extends this.library.RecurIterator {
      override increment_monthday(days: number): void {
        spend(days);
        super.increment_monthday(days);
      }
      override increment_month(): void {
        spend(1);
        super.increment_month();
      }
      override expand_year_days(year: number) {
        spend(YEAR_STEPS);
        return super.expand_year_days(year);
      }
      override is_day_in_byday(day: ICAL.Time) {
        spend(1);
        return super.is_day_in_byday(day);
      }
      override check_contracting_rules() {
        spend(1);
        return super.check_contracting_rules();
      }
    };
    return new Iterator({ rule, dtstart });
  }
}

/** Whether a rule has this day: for a 29 February that a year lacks, the library gives 1 March. */
function isOfRule({ freq, parts }: ICAL.Recur, time: ICAL.Time, start: Clock): boolean {
  const { BYMONTH: months, BYMONTHDAY: days } = parts as Readonly<Record<string, readonly number[]>>;
  if (months !== undefined && !months.includes(time.month)) return false;
  const fromEnd = time.day - 1 - new Date(Date.UTC(time.year, time.month, 0)).getUTCDate();
  if (days !== undefined) return days.includes(time.day) || days.includes(fromEnd);
  const isByDate = freq === "YEARLY" && Object.keys(parts).every((part) => part === "BYMONTH");
  return !isByDate || time.day === new Date(start.localMs).getUTCDate();
}

const occurrenceKey = (event: ICAL.Component, localMs: number) =>
  `${textOfProperty(event, "uid")}\0${localMs}`;

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
  if (end === undefined) return duration === null ? (start.isDate ? DAY_MS : 0) : duration.toSeconds() * 1000;
  if (end.zone !== start.zone || end.isDate !== start.isDate)
    throw new LeftOut("begins and ends in different time zones");
  // A day lasts at least one day, even if it ends on the day on which it begins.
  return Math.max(end.localMs - start.localMs, start.isDate ? DAY_MS : 0);
}
