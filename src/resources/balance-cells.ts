// Cells that only balances use: tiers, pauses, work days, and minutes of single days (docs/importing.md, Values).
import { type Day, formatDay, parseDay } from "../time/day.ts";
import { isStorableDay } from "../time/instant.ts";
import {
  amount,
  type CellCodec,
  choiceOr,
  inNotation,
  optional,
  required,
  ValidationError,
} from "./cells.ts";

/** The amount of a period, and after how many completed months of service it applies. */
interface Tier {
  readonly months: number;
  readonly minutes: number;
}

export interface WrittenDay {
  readonly day: Day;
  readonly minutes: number;
}

/** Both days are included. */
interface DayRange {
  readonly first: Day;
  readonly last: Day;
}

/** A percentage of grants from a day on. */
interface Rate {
  readonly from: Day;
  readonly percent: number;
}

/** A list of entries separated by semicolons. A semicolon at the end is optional. */
function listed<T>(
  wanted: string,
  read: (entry: string) => T | string,
  check: (entries: readonly T[]) => string | null = () => null,
  order: (a: T, b: T) => number = () => 0,
) {
  return inNotation<readonly T[]>(wanted, (text) => {
    const parts = text.split(";").map((part) => part.trim());
    if (parts.at(-1) === "") parts.pop();
    const entries: T[] = [];
    for (const part of parts) {
      const entry = read(part);
      if (typeof entry === "string") return new ValidationError(`is not ${wanted}: ${entry}`);
      entries.push(entry);
    }
    const problem = entries.length === 0 ? `is not ${wanted}` : check(entries);
    return problem === null ? entries.toSorted(order) : new ValidationError(problem);
  });
}

/** A value that occurs twice, if there is one. */
function repeated<T>(values: readonly T[]): T | undefined {
  return values.find((value, at) => values.indexOf(value) !== at);
}

function checkDays(days: readonly Day[]): string | null {
  const twice = repeated(days);
  return twice === undefined ? null : `names ${formatDay(twice)} twice`;
}

const readMinutes = amount().read;

/** Minutes, or why the text has none. */
function minutesOf(text: string): number | string {
  const minutes = readMinutes(text.trim());
  return minutes instanceof ValidationError ? `${JSON.stringify(text.trim())} ${minutes.message}` : minutes;
}

function dayOf(text: string): Day | string {
  const day = parseDay(text.trim());
  if (day === null) return `${JSON.stringify(text.trim())} is not a date as YYYY-MM-DD`;
  return isStorableDay(day) ? day : `${text.trim()} is out of range`;
}

const TIERS = "tiers: write months of service and minutes, as 60:800; 120:1000";
const MAX_SERVICE_MONTHS = 1200;

function readTier(entry: string): Tier | string {
  const [months = "", minutesText, ...rest] = entry.split(":");
  if (minutesText === undefined || rest.length > 0 || !/^\s*\d{1,9}\s*$/.test(months))
    return `${JSON.stringify(entry)} is not a tier`;
  const minutes = minutesOf(minutesText);
  return typeof minutes === "string" ? minutes : { months: Number(months), minutes };
}

function checkTiers(tiers: readonly Tier[]): string | null {
  const months = tiers.map((tier) => tier.months);
  const twice = repeated(months);
  if (twice !== undefined) return `names ${twice} months twice`;
  if (months.some((count) => count < 1)) return "has a tier of 0 months: that amount is the policy's own";
  if (months.some((count) => count > MAX_SERVICE_MONTHS)) return "has a tier of more than a hundred years";
  return null;
}

/** Tiers by months of service, in ascending order. */
export const tiers = optional<readonly Tier[], null>(
  {
    read: listed(TIERS, readTier, checkTiers, (a, b) => a.months - b.months),
    write: (tiers) => tiers.map(({ months, minutes }) => `${months}:${minutes}`).join("; "),
  },
  null,
);

const RANGES = "spans of days: write the first and the last day of each, as 2024-03-11/2024-05-20; …";

function readRange(entry: string): DayRange | string {
  const [from, to, ...rest] = entry.split("/");
  if (from === undefined || to === undefined || rest.length > 0)
    return `${JSON.stringify(entry)} is not two days with / between them`;
  const [first, last] = [dayOf(from), dayOf(to)];
  if (typeof first === "string") return first;
  if (typeof last === "string") return last;
  return last < first ? `${entry} ends before it begins` : { first, last };
}

function checkRanges(ranges: readonly DayRange[]): string | null {
  const day = overlapOf(ranges);
  return day === null ? null : `has days that overlap: ${formatDay(day)} is in two spans`;
}

/** The first day that is in two ranges; null if none is. */
export function overlapOf(ranges: readonly DayRange[]): Day | null {
  const inOrder = ranges.toSorted(byFirst);
  return inOrder.find((range, at) => at > 0 && range.first <= inOrder[at - 1]!.last)?.first ?? null;
}

const byFirst = (a: DayRange, b: DayRange) => a.first - b.first;

/** Spans of days, in order. */
export const dayRanges = optional<readonly DayRange[], null>(
  {
    read: listed(RANGES, readRange, checkRanges, byFirst),
    write: (ranges) => ranges.map(({ first, last }) => `${formatDay(first)}/${formatDay(last)}`).join("; "),
  },
  null,
);

const DAY_MINUTES =
  "minutes of single days: write each day and its minutes, as 2025-12-23:480; 2025-12-24:240";

function readDayMinutes(entry: string): WrittenDay | string {
  const [date, minutesText, ...rest] = entry.split(":");
  if (date === undefined || minutesText === undefined || rest.length > 0)
    return `${JSON.stringify(entry)} is not a day and its minutes`;
  const [day, minutes] = [dayOf(date), minutesOf(minutesText)];
  if (typeof day === "string") return day;
  return typeof minutes === "string" ? minutes : { day, minutes };
}

/** The minutes of single days, in order. */
export const dayMinutes = optional<readonly WrittenDay[], null>(
  {
    read: listed(
      DAY_MINUTES,
      readDayMinutes,
      (amounts) => checkDays(amounts.map(({ day }) => day)),
      (a, b) => a.day - b.day,
    ),
    write: (amounts) => amounts.map(({ day, minutes }) => `${formatDay(day)}:${minutes}`).join("; "),
  },
  null,
);

/** Whether decimals add up to a total exactly. */
export function addUpTo(parts: readonly number[], total: number): boolean {
  const decimals = Math.max(...[total, ...parts].map((value) => String(value).split(".")[1]?.length ?? 0));
  const scaled = (value: number) => BigInt(value.toFixed(decimals).replace(".", ""));
  return parts.reduce((sum, part) => sum + scaled(part), 0n) === scaled(total);
}

const WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const WORK_DAYS = "days of the week: write them as Mon-Fri, Sun-Thu or Mon,Tue,Thu";

/** `Mon-Wed,Fri` as bits, Monday first. A range may cross Sunday. */
function readWorkDays(text: string): number | ValidationError {
  let bits = 0;
  for (const part of text.split(",")) {
    const [from = "", to = from, ...rest] = part.split("-").map(weekdayNamed);
    if (typeof from !== "number" || typeof to !== "number" || rest.length > 0)
      return new ValidationError(`is not ${WORK_DAYS}`);
    for (let weekday = from; ; weekday = (weekday + 1) % 7) {
      if ((bits & (1 << weekday)) !== 0) return new ValidationError(`names ${WEEK[weekday]} twice`);
      bits |= 1 << weekday;
      if (weekday === to) break;
    }
  }
  return bits;
}

function weekdayNamed(text: string): number | null {
  const weekday = WEEK.findIndex((name) => name.toLowerCase() === text.trim().toLowerCase());
  return weekday === -1 ? null : weekday;
}

/** Bits as `Mon-Wed,Fri`: consecutive days become a range. */
function workDaysText(bits: number): string {
  const has = (weekday: number) => ((bits >> (weekday % 7)) & 1) === 1;
  if (bits === 0b1111111) return "Mon-Sun";
  const ranges: string[] = [];
  for (let weekday = 0; weekday < 7; weekday++) {
    if (!has(weekday) || has(weekday + 6)) continue;
    let last = weekday;
    while (has(last + 1)) last += 1;
    ranges.push(last === weekday ? WEEK[weekday]! : `${WEEK[weekday]}-${WEEK[last % 7]}`);
  }
  return ranges.join(",");
}

/** A worker's days of the week as bits: bit 0 is Monday. */
export const workDays: CellCodec<number | null> = optional(
  { read: inNotation(WORK_DAYS, readWorkDays), write: workDaysText },
  null,
);

const RATES = "rates: write a day and a percentage, as 2026-03-01:80%; 2026-07-01:100%";
const MAX_PERCENT = 1000;

function readRate(entry: string): Rate | string {
  const [date, text, ...rest] = entry.split(":");
  const percent = /^\s*(\d{1,4}(?:\.\d{1,6})?)\s*%\s*$/.exec(text ?? "")?.[1];
  if (date === undefined || percent === undefined || rest.length > 0)
    return `${JSON.stringify(entry)} is not a day and a percentage`;
  const from = dayOf(date);
  if (typeof from === "string") return from;
  if (Number(percent) > MAX_PERCENT) return `${entry.trim()} is more than ${MAX_PERCENT}%`;
  return { from, percent: Number(percent) };
}

/** Percentages that scale grants, each from a day on, in order. */
export const rates = optional<readonly Rate[], null>(
  {
    read: listed(
      RATES,
      readRate,
      (shares) => checkDays(shares.map(({ from }) => from)),
      (a, b) => a.from - b.from,
    ),
    write: (shares) => shares.map(({ from, percent }) => `${formatDay(from)}:${percent}%`).join("; "),
  },
  null,
);

const WEEKS =
  "minutes of weeks: write those of Monday to Sunday, as 480,480,480,480,480,0,0, and of several weeks with ; between them";
const MAX_DAY_MINUTES = 1440;

function readWeek(entry: string): readonly number[] | string {
  const days = entry.split(",").map(minutesOf);
  const wrong = days.find((minutes) => typeof minutes === "string");
  if (typeof wrong === "string") return wrong;
  if (days.length !== 7) return `${JSON.stringify(entry)} has ${days.length} days`;
  const week = days as number[]; // checked: none is an error text
  return week.some((minutes) => minutes > MAX_DAY_MINUTES)
    ? `${JSON.stringify(entry)} has a day of more than 24 hours`
    : week;
}

/** The minutes worked on each weekday of a week, or of several weeks in turn. */
export const minutesPerWeekday: CellCodec<readonly (readonly number[])[]> = required({
  read: listed(WEEKS, readWeek),
  write: (weeks) => weeks.map((week) => week.join(",")).join("; "),
});

const PARTS = choiceOr(
  ["days", "monthsStarted", "halfMonths", "fullMonths", "serviceMonths", "thirtieths"],
  "days",
);
type StartsBy = `startsBy:${number}`;

function isStartsBy(cell: unknown): cell is StartsBy {
  return typeof cell === "string" && /^startsBy:(?:[1-9]|1\d|2[0-8])$/.test(cell);
}

type Parts = Exclude<ReturnType<typeof PARTS.read>, ValidationError> | StartsBy;

/** How a part of a period is measured: one of a list, or `startsBy:15` for months in which the coverage begins by that day. */
export const prorateBy: CellCodec<Parts> = {
  ...PARTS,
  read: (cell) => (isStartsBy(cell) ? cell : PARTS.read(cell)),
  write: (parts) => parts,
};

const MONTH_DAY = "a day of the year: write it as MM-DD, such as 04-01";

/** `MM-DD`, a day that exists in every year. */
const dayOfYear = {
  read: inNotation(MONTH_DAY, (text) => {
    if (text === "02-29") return new ValidationError("is not in every year: write 02-28 or 03-01");
    return parseDay(`2001-${text}`) === null ? new ValidationError(`is not ${MONTH_DAY}`) : text;
  }),
};

export const yearStart: CellCodec<string> = optional(dayOfYear, "01-01");
export const monthDay: CellCodec<string | null> = optional(dayOfYear, null);
