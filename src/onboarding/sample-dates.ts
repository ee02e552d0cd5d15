// Finds how a column writes its dates, by trying the usual formats in each language.
import { compiledFormat, dateReader, SERIALS } from "../import/convert/dates.ts";
import { ValidationError } from "../resources/cells.ts";
import { type Day, parseDay } from "../time/day.ts";
import { FIRST_STORED_DAY, LAST_STORED_DAY } from "../time/instant.ts";
import FORMATS from "./date-formats.json" with { type: "json" };
import { LANGUAGES } from "./words.ts";

/** A column with more formats than this is free text. */
const MAX_MIXED_FORMATS = 3;
/** The share of dates that must have known formats; the others are mistakes of the file. */
const ENOUGH_DATES = 0.9;
/** How many texts are tried first: if half of them are no dates in a language, the rest is not tried. */
const TRIED_FIRST = 20;

const LONG_AGO = parseDay("1980-01-01")!;
const [FIRST_DAY, LAST_DAY] = [parseDay(FIRST_STORED_DAY)!, parseDay(LAST_STORED_DAY)!];

/** Words for "nothing" in exports. */
const NOTHING = /^(?:[-\u2013\u2014]+|n\/?a|none|null|nil)$/i;
/** Words for "no date" in other systems. */
const NO_DATE =
  /^(?:0000-00-00.*|00[./-]00[./-]0000|.*9999.*|(?:.*\D)?(?:4712|2999|0001)(?:\D.*)?|1900[./-]01[./-]0[01].*|0?[01][./-]0?1[./-]1900.*|1899[./-]12[./-]3[01].*|0)$/i;

export function isNothing(value: string): boolean {
  return NOTHING.test(value.trim());
}

export interface DatesFound {
  /** The formats of the column; several if it mixes them. */
  readonly formats: readonly string[];
  /** Formats, the first of them in `formats`, that read all of the same dates in different orders; empty if there is one order. */
  readonly either: readonly string[];
  /** Which part comes first, if a date shows it. */
  readonly order: DayOrder | null;
  /** The language of the names of months; null if there are none, or they are English. */
  readonly locale: string | null;
  /** Values that stand for no date. */
  readonly placeholders: readonly string[];
  /** A value that no format reads. */
  readonly unread: string | null;
}

export type DayOrder = "day" | "month" | "year";

/** The first part of a numeric format; null if it is clear, as a year of four digits is. */
export function orderOf(format: string): DayOrder | null {
  const [first, letter] = /([dMy])\1*/.exec(format.replace(/'[^']*'/g, "")) ?? [];
  if (/MMM/.test(format) || first === "yyyy") return null;
  return letter === "y" ? "year" : letter === "d" ? "day" : "month";
}

const KNOWN_FORMATS = FORMATS.map((format) => ({ format, own: orderOf(format) }));

/** Whether a count is enough to decide: this share of all values, or all but one. */
export function areEnough(count: number, all: number, share: number): boolean {
  return all > 0 && (count >= all * share || (count > 1 && count >= all - 1));
}

/** How a column writes its dates. `known`: the order that other columns show. */
export function datesIn(column: readonly string[], known: DayOrder | null = null): DatesFound {
  const dates = new Set(column.filter((value) => !isNothing(value) && !NO_DATE.test(value.trim())));
  const placeholders = [...new Set(column).difference(dates)];
  const [unread = null] = dates;
  if (dates.size > 0 && [...dates].every(isSerial))
    return { formats: [SERIALS], either: [], order: null, locale: null, placeholders, unread: null };
  let best: DatesFound = { formats: [], either: [], order: null, locale: null, placeholders, unread };
  const hasMonths = [...dates].some((date) => /\p{L}{3}/u.test(date));
  const first = new Set([...dates].slice(0, TRIED_FIRST));
  for (const tag of hasMonths ? LANGUAGES.keys() : ["en"]) {
    const tried = formatsOf(first, tag, known);
    if (tried.left.size > first.size / 2) continue; // saves time
    const { left, ...formats } = first.size === dates.size ? tried : formatsOf(dates, tag, known);
    // One odd value is a mistake of the file; with many, the column has no dates.
    const isBetter = best.formats.length === 0 || (left.size === 0 && best.unread !== null);
    if (!areEnough(dates.size - left.size, dates.size, ENOUGH_DATES) || !isBetter) continue;
    const [odd = null] = left;
    best = { ...formats, locale: tag === "en" ? null : tag, placeholders, unread: odd };
    if (odd === null) break;
  }
  return best;
}

/** The minutes of the day of instants in UTC, such as `2025-03-02T23:00:00Z`; NaN for others. */
export function timesOfUtc(values: readonly string[], addSeconds = 0): number[] {
  return values.map((value) => {
    const ms = /T\d\d:\d\d.*Z$/i.test(value.trim()) ? Date.parse(value.trim()) : Number.NaN;
    return Math.ceil((ms / 1000 + addSeconds) / 60) % (24 * 60);
  });
}

/** Whether instants are the midnights of another zone: all at one time of UTC, or two in summer and winter, which is not midnight. */
export function areElsewhere(values: readonly string[]): boolean {
  const [first = 0, second = first, ...others] = [...new Set(timesOfUtc(values))].sort((a, b) => a - b);
  return others.length === 0 && (second - first === 0 || second - first === 60) && first > 0;
}

/** Whether no year can be one of ours: `68` or `2568` of the Buddhist calendar, `1403` of the Persian one. */
export function areOfAnotherCalendar(values: readonly string[], formats: readonly string[]): boolean {
  const days = values.map(dayReader(formats)).filter((day) => day !== null);
  const areShort = formats.length > 0 && formats.every((format) => /(?<!y)yy(?!y)/.test(format));
  const isForeign = (day: Day) => day < (areShort ? LONG_AGO : FIRST_DAY) || day > LAST_DAY;
  return days.length > 0 && days.every(isForeign);
}

/** Reads days without their times; null for what has none of the formats. */
export function dayReader(formats: readonly string[], locale?: string): (cell: string) => Day | null {
  const read = dateReader(formats, { holds: "day", locale, zone: null, endDay: null });
  return (cell) => {
    const day = read(cell);
    return typeof day === "string" ? parseDay(day.slice(0, 10)) : null;
  };
}

/** Whether a number is a spreadsheet's day from 1950 to 2100. */
function isSerial(value: string): boolean {
  return /^\d{5}(?:\.\d+)?$/.test(value.trim()) && Number(value) >= 18_264 && Number(value) < 73_051;
}

/** The formats of a language that read most of these dates, and the dates that none of them reads. */
function formatsOf(dates: ReadonlySet<string>, language: string, known: DayOrder | null) {
  const formats: string[] = [];
  let either: readonly string[] = [];
  let order: DayOrder | null = null;
  let left = new Set(dates);
  while (left.size > 0 && formats.length < MAX_MIXED_FORMATS) {
    const first: DayOrder | null = order ?? known;
    // One file does not mix the order of day and month: dates in the other order are mistakes.
    const read = KNOWN_FORMATS.filter(({ own }) => order === null || own === order || own === null)
      .map((known) => ({ ...known, dates: readBy(known.format, language, left) }))
      .sort((a, b) => b.dates.size - a.dates.size);
    const most = read.filter(({ dates }) => dates.size > 0 && dates.size === read[0]!.dates.size);
    const best: (typeof read)[number] | undefined =
      most.find(({ own }) => own !== null && own === first) ?? most[0];
    if (best === undefined) break;
    const others = [...Map.groupBy(most, ({ own }) => own)].flatMap(([own, [same]]) =>
      own === null || own === best.own ? [] : same!.format,
    );
    const asDays = (format: string) => withoutMidnight(format, best.dates);
    if (others.length === 0 || best.own === null) order ??= best.own;
    else if (best.own !== first) either = [best.format, ...others].map(asDays);
    formats.push(asDays(best.format));
    left = left.difference(best.dates);
  }
  return { formats, either, order, left };
}

const TIME = / ?[Hh]+:mm(?::ss)?(?:\.SSS)?(?: ?a)?/;
const MIDNIGHT = / ?(?<![\d:])(?:0?0:00(?::00)?(?:\.0+)?(?![\d:.])(?!\s?[ap]m)|12:00(?::00)?\s?am)/i;
const UTC = /(?<=\d) ?(?:Z|UTC|GMT|[+-]00(?::?00)?)$/i;

/** Whether a date has a time, and it is midnight. */
export const isMidnight = (date: string) => MIDNIGHT.test(date);

/** A format with times as one of days, if each is midnight: `yyyy-MM-dd' 00:00:00'`. Many programs write a day as its midnight. */
export function withoutMidnight(format: string, dates: ReadonlySet<string>): string {
  const midnights = new Set([...dates].map((date) => MIDNIGHT.exec(date)?.[0]));
  const [midnight] = midnights;
  if (midnights.size > 1 || midnight === undefined) return format;
  // Midnights of UTC are days, as programs write that know no times. Read as instants, they are other days elsewhere.
  const [zone, ...others] = new Set([...dates].map((date) => UTC.exec(date.trim())?.[0]));
  const day = format.replace(TIME, `'${midnight}'`).replace("''", "");
  return zone === undefined || others.length > 0 ? day : day.replace(/' ?XXX/, `${zone}'`);
}

/** The values that a format reads as existing days. */
function readBy(format: string, locale: string, values: ReadonlySet<string>): Set<string> {
  if (typeof compiledFormat(format, locale) === "string") return new Set();
  const read = dateReader([format], { holds: "instant", locale, zone: null, endDay: null });
  return new Set([...values].filter((value) => !(read(value) instanceof ValidationError)));
}
