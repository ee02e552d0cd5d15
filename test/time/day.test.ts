import { expect, test } from "bun:test";
import { Temporal } from "temporal-polyfill";
import {
  addMonths,
  dateOf,
  dayOf,
  dayOfText,
  daysInMonth,
  firstOfMonth,
  formatDay,
  isWritableDay,
  parseDay,
  utcDayOf,
  weekdayOf,
} from "../../src/time/day.ts";
import { day } from "../balances/builders.ts";

test("every day from 1890 to 2210 has the date that Temporal gives it", () => {
  const first = day("1890-01-01");
  let date = Temporal.PlainDate.from("1890-01-01");
  for (let at = first; at <= day("2210-12-31"); at++) {
    const { year, month, dayOfMonth } = dateOf(at);
    if (year !== date.year || month !== date.month || dayOfMonth !== date.day) {
      throw new Error(`day ${at} is ${year}-${month}-${dayOfMonth}, not ${date}`);
    }
    if (dayOf(year, month, dayOfMonth) !== at) throw new Error(`${date} is not day ${at}`);
    if (daysInMonth(year, month) !== date.daysInMonth) throw new Error(`month of ${date}`);
    if (weekdayOf(at) + 1 !== date.dayOfWeek) throw new Error(`weekday of ${date}`);
    date = date.add({ days: 1 });
  }
});

test("a day is written as it was read", () => {
  for (const text of ["0000-01-01", "1900-02-28", "1970-01-01", "2000-02-29", "2200-12-31", "9999-12-31"]) {
    expect(formatDay(parseDay(text)!)).toBe(text);
  }
  expect(parseDay("1970-01-01")).toBe(0);
  expect(() => formatDay(parseDay("9999-12-31")! + 1)).toThrow(RangeError);
});

test.each([
  "",
  "2024-2-01",
  "2024-02-1",
  "2024-02-30",
  "2023-02-29",
  "1900-02-29",
  "2024-13-01",
  "2024-00-01",
  "2024-01-00",
  "2024-04-31",
  "20240101",
  "2024/01/01",
  " 2024-01-01",
  "2024-01-01T00:00:00Z",
  "２０２４-01-01",
  "-024-01-01",
])("%p is not a day", (text) => {
  expect(parseDay(text)).toBeNull();
});

test("the UTC day of an instant begins at midnight, before 1970 too", () => {
  expect(utcDayOf(0)).toBe(0);
  expect(utcDayOf(86_399_999)).toBe(0);
  expect(utcDayOf(86_400_000)).toBe(1);
  expect(utcDayOf(-1)).toBe(-1);
});

test("months are added as Temporal adds them: a day that a month lacks becomes its last", () => {
  for (let at = day("2019-11-25"); at < day("2024-04-05"); at++) {
    for (const months of [-13, -12, -1, 0, 1, 2, 11, 12, 48]) {
      const expected = Temporal.PlainDate.from(formatDay(at)).add({ months });
      expect(formatDay(addMonths(at, months))).toBe(expected.toString());
    }
    expect(formatDay(firstOfMonth(at))).toBe(`${formatDay(at).slice(0, 7)}-01`);
  }
});

test("the day of a text is that of its date, and other texts throw", () => {
  expect(dayOfText("1970-01-02")).toBe(1);
  expect(dayOfText("1970-01-02T23:59:59Z")).toBe(1);
  for (const text of ["", "1970-02-30", "1970-01-02 23:59", "soon"])
    expect(() => dayOfText(text)).toThrow(RangeError);
});

test("days of the years 0000 to 9999 can be written", () => {
  const [first, last] = [day("0000-01-01"), day("9999-12-31")];
  expect([first - 1, first, last, last + 1].map(isWritableDay)).toEqual([false, true, true, false]);
});
