// Writes days, times, amounts and lists in the viewer's language, with the browser's formats.
import type { Policy } from "../../client/index.ts";
import { DAY_MS, type Day, dayOfText } from "../../time/day.ts";
import { currentLocale, t } from "../texts/texts.ts";
import { figureOf, shownUnit } from "./unit.ts";

/** Midnight UTC of the day, for formats in UTC. */
const dayDate = (day: Day) => new Date(day * DAY_MS);

/** Returns a function that makes a format once for each locale. */
function perLocale<T>(make: (locale: string) => T): () => T {
  let [madeFor, made] = ["", undefined as T | undefined];
  return () => {
    if (made === undefined || madeFor !== currentLocale())
      [madeFor, made] = [currentLocale(), make(currentLocale())];
    return made;
  };
}

const dayFormat = (options: Intl.DateTimeFormatOptions) =>
  perLocale((locale) => new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }));

const WEEKDAY = dayFormat({ weekday: "short" });
const NARROW_WEEKDAY = dayFormat({ weekday: "narrow" });
const LONG = dayFormat({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const SHORT = dayFormat({ weekday: "short", day: "numeric", month: "short" });
const PLAIN = dayFormat({ day: "numeric", month: "short", year: "numeric" });
const MONTH = dayFormat({ month: "long", year: "numeric" });
const MONTH_DAY = dayFormat({ day: "numeric", month: "long" });
const SHORT_MONTH = dayFormat({ month: "short" });
const RANGE = dayFormat({ day: "numeric", month: "long", year: "numeric" });
const TIME = dayFormat({ hour: "2-digit", minute: "2-digit" });

export const weekdayName = (day: Day) => WEEKDAY().format(dayDate(day));
export const narrowWeekday = (day: Day) => NARROW_WEEKDAY().format(dayDate(day));
export const longDay = (day: Day) => LONG().format(dayDate(day));
export const shortDay = (day: Day) => SHORT().format(dayDate(day));
export const plainDay = (day: Day) => PLAIN().format(dayDate(day));
/** `plainDay` of a `YYYY-MM-DD`. */
export const plainText = (day: string) => plainDay(dayOfText(day));
export const monthName = (day: Day) => MONTH().format(dayDate(day));
export const monthDay = (day: Day) => MONTH_DAY().format(dayDate(day));
export const shortMonth = (day: Day) => SHORT_MONTH().format(dayDate(day));
/** The number alone. `Intl.DateTimeFormat` would give `21日` in Japanese. */
export const dayOfMonth = (day: Day) => number(dayDate(day).getUTCDate());

/** `16 – 22 November 2026`, both included. */
export const dayRange = (first: Day, last: Day) => RANGE().formatRange(dayDate(first), dayDate(last));
export const shortDays = (first: Day, last: Day) => SHORT().formatRange(dayDate(first), dayDate(last));
export const shortRange = (first: Day, last: Day) => PLAIN().formatRange(dayDate(first), dayDate(last));

/** Minutes since midnight on the viewer's kind of clock: `09:30`, `9:30 AM`. */
export const clock = (minute: number) => TIME().format(new Date(minute * 60_000));

/** For sheets: `09:30`; the end of a day is `24:00`. */
export function plainClock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

const INSTANT = perLocale(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      timeZoneName: "short",
    }),
);

/** An instant on the viewer's clock, with the clock's zone: `21 Nov 2026, 06:00 CET`. */
export const instantText = (instant: string) => INSTANT().format(new Date(instant));

const NUMBER = perLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }));
export const number = (value: number) => NUMBER().format(value);

const CHANGE = perLocale(
  (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2, signDisplay: "exceptZero" }),
);
/** With its sign: `+2`, `-2`. */
export const changeText = (value: number) => CHANGE().format(value);

const PERCENT = perLocale((locale) => new Intl.NumberFormat(locale, { style: "percent" }));
/** A share as a percentage. */
export const percent = (share: number) => PERCENT().format(share);

const LIST = perLocale((locale) => new Intl.ListFormat(locale, { type: "conjunction" }));
/** `a, b and c`. */
export const listed = (texts: readonly string[]) => LIST().format(texts);
export const SEPARATOR = " · ";
/** Short facts side by side: `a · b`. */
export const facts = (...texts: readonly (string | false | null)[]) =>
  texts.filter((text) => text !== false && text !== null && text !== "").join(SEPARATOR);
/** `a, b`, without an "and". In most languages, `Intl.ListFormat` has no such form: it gives `a y b`. */
export const enumerated = (texts: readonly string[]) => texts.join(t("comma"));

const COLLATOR = perLocale((locale) => new Intl.Collator(locale));
export const compareText = (a: string, b: string) => COLLATOR().compare(a, b);

/** `1 person`, `1,250 people`. */
export const peopleCount = (count: number) => t("people.count", { count });

/** Minutes in the policy's unit, or in hours if the viewer chose them, on one line: `12.5 days`, `96 h`. */
export function amount(minutes: number, unit: Policy["unit"]): string {
  const shown = shownUnit(unit);
  const figure = figureOf(minutes, shown);
  const text =
    shown === "hour"
      ? t("amount.hours", { hours: number(figure) })
      : t("amount.days", { count: figure, days: number(figure) });
  return text.replaceAll(" ", NO_BREAK);
}

const NO_BREAK = "\u00a0";

/** The same with its sign: `+ 1 day`, `− 2 days`. */
export function signed(minutes: number, unit: Policy["unit"]): string {
  const figure = figureOf(minutes, shownUnit(unit)); // rounded first: an amount shown as 0 has no sign
  const sign = figure < 0 ? `−${NO_BREAK}` : figure > 0 ? `+${NO_BREAK}` : "";
  return sign + amount(Math.abs(minutes), unit);
}

const FIRST_DAY = perLocale((locale) => {
  // TypeScript lacks these members, and so do some browsers.
  const { getWeekInfo, weekInfo } = new Intl.Locale(locale) as Intl.Locale & {
    readonly getWeekInfo?: () => { readonly firstDay: number };
    readonly weekInfo?: { readonly firstDay: number };
  };
  const info = getWeekInfo?.call(new Intl.Locale(locale)) ?? weekInfo;
  return (info?.firstDay ?? 1) - 1;
});
/** The first day of the viewer's week; 0 is Monday. */
export const firstWeekday = () => FIRST_DAY();
