// How days, times and amounts are written. English, as the page is; numbers and names of days by the browser.
import type { Policy } from "../../client/index.ts";
import { DAY_MS, type Day, dayOfText } from "../../time/day.ts";

/** Midnight UTC of the day, for formats in UTC. */
const dayDate = (day: Day) => new Date(day * DAY_MS);

const dayFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });

const WEEKDAY = dayFormat({ weekday: "short" });
const LONG = dayFormat({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const SHORT = dayFormat({ weekday: "short", day: "numeric", month: "short" });
const PLAIN = dayFormat({ day: "numeric", month: "short", year: "numeric" });
const MONTH = dayFormat({ month: "long", year: "numeric" });
const MONTH_DAY = dayFormat({ day: "numeric", month: "long" });
const SHORT_MONTH = dayFormat({ month: "short" });
const RANGE = dayFormat({ day: "numeric", month: "long", year: "numeric" });
const DAYS_RANGE = dayFormat({ day: "numeric", month: "short", year: "numeric" });

export const weekdayName = (day: Day) => WEEKDAY.format(dayDate(day));
export const longDay = (day: Day) => LONG.format(dayDate(day));
export const shortDay = (day: Day) => SHORT.format(dayDate(day));
export const plainDay = (day: Day) => PLAIN.format(dayDate(day));
/** Of a `YYYY-MM-DD`. */
export const plainText = (day: string) => plainDay(dayOfText(day));
export const monthName = (day: Day) => MONTH.format(dayDate(day));
export const monthDay = (day: Day) => MONTH_DAY.format(dayDate(day));
export const shortMonth = (day: Day) => SHORT_MONTH.format(dayDate(day));
export const dayOfMonth = (day: Day) => dayDate(day).getUTCDate();

/** `16 – 22 November 2026`, both included. */
export const dayRange = (first: Day, last: Day) => RANGE.formatRange(dayDate(first), dayDate(last));
export const shortDays = (first: Day, last: Day) => SHORT.formatRange(dayDate(first), dayDate(last));
export const shortRange = (first: Day, last: Day) => DAYS_RANGE.formatRange(dayDate(first), dayDate(last));

/** `09:30`; the end of a day is `24:00`. */
export function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

const INSTANT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

/** An instant on the viewer's clock, with the clock's zone: `21 Nov 2026, 06:00 CET`. */
export const instantText = (instant: string) => INSTANT.format(new Date(instant));

/** The wire has no length of a working day: where amounts are shown in days, they are days of eight hours. */
export const DAY_MINUTES = 480;

const NUMBER = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 });
export const number = (value: number) => NUMBER.format(value);

/** `1 person`, `1,250 people`. */
export const peopleCount = (count: number) => (count === 1 ? "1 person" : `${number(count)} people`);

/** Minutes in the unit of the policy: `12.5 days`, `96 h`. */
export function amount(minutes: number, unit: Policy["unit"]): string {
  if (unit === "hour") return `${number(minutes / 60)} h`;
  const days = minutes / DAY_MINUTES;
  return `${number(days)} ${Math.abs(days) === 1 ? "day" : "days"}`;
}
