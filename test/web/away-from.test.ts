// When somebody who is away is back: after other absences that follow on, and after the weekend where they are.
import { expect, test } from "bun:test";
import type { TimeOffRequest } from "../../src/client/index.ts";
import { formatDay } from "../../src/time/day.ts";
import { absenceOf, awayFrom } from "../../src/web/data/absences.ts";

const absence = (startAt: string, endAt: string, timeZone = "UTC") =>
  absenceOf({ startAt, endAt, timeZone } as TimeOffRequest, { timeZone: null }); // nothing else is looked at

const shown = ({ lastDay, backOn, backMinute }: ReturnType<typeof awayFrom>) =>
  `until ${formatDay(lastDay)}, back ${formatDay(backOn)} ${backMinute}`;

const days = (first: string, end: string, zone?: string) =>
  absence(`${first}T00:00:00.000Z`, `${end}T00:00:00.000Z`, zone);

test("the next day, or Monday after a Friday", () => {
  expect(shown(awayFrom(days("2026-11-16", "2026-11-19"), []))).toBe("until 2026-11-18, back 2026-11-19 0");
  expect(shown(awayFrom(days("2026-11-16", "2026-11-21"), []))).toBe("until 2026-11-20, back 2026-11-23 0");
});

test("after the absence that follows on, also over a weekend", () => {
  const week = days("2026-11-16", "2026-11-21");
  const next = days("2026-11-23", "2026-11-25");
  expect(shown(awayFrom(week, [next, week]))).toBe("until 2026-11-24, back 2026-11-25 0");
  const later = days("2026-11-24", "2026-11-25");
  expect(shown(awayFrom(week, [later]))).toBe("until 2026-11-20, back 2026-11-23 0");
});

test("on Sunday where Friday and Saturday are off", () => {
  const midnight = absence("2026-11-16T22:00:00.000Z", "2026-11-19T22:00:00.000Z", "Africa/Cairo");
  expect(shown(awayFrom(midnight, []))).toBe("until 2026-11-19, back 2026-11-22 0");
});

test("at an hour of the same day, unless the working day is over then", () => {
  const morning = absence("2026-11-18T09:00:00.000Z", "2026-11-18T11:00:00.000Z");
  expect(shown(awayFrom(morning, []))).toBe("until 2026-11-18, back 2026-11-18 660");
  const afternoon = absence("2026-11-20T13:00:00.000Z", "2026-11-20T17:30:00.000Z");
  expect(shown(awayFrom(afternoon, []))).toBe("until 2026-11-20, back 2026-11-23 0");
});
