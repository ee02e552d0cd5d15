import { describe, expect, test } from "bun:test";
import type { TimeOffRequest, Worker } from "../../src/client/index.ts";
import { dayOfText, formatDay } from "../../src/time/day.ts";
import {
  absenceOf,
  absencesIn,
  awayFrom,
  barsIn,
  countOf,
  dayColumns,
  statusText,
  whenText,
} from "../../src/web/data/absences.ts";
import { monthOf, storedDay, weekOf } from "../../src/web/data/days.ts";

const request = (fields: Partial<TimeOffRequest>): TimeOffRequest => ({
  id: "tor_a",
  createdAt: "2026-01-01T00:00:00.000Z",
  endAt: "2026-03-02T00:00:00.000Z",
  reason: null,
  requestedMinutes: 480,
  startAt: "2026-03-01T00:00:00.000Z",
  status: "approved",
  timeOffPolicyId: "top_a",
  timeZone: null,
  workerId: "wrk_a",
  legacyId: null,
  startRangeType: "datetime",
  endRangeType: "datetime",
  ...fields,
});

test("days are those of the request's zone, else the worker's, else UTC", () => {
  const instants = { startAt: "2026-03-01T15:00:00.000Z", endAt: "2026-03-03T15:00:00.000Z" };
  const tokyo = absenceOf(request({ ...instants, timeZone: "Asia/Tokyo" }), { timeZone: "UTC" });
  expect([formatDay(tokyo.firstDay), formatDay(tokyo.lastDay), tokyo.isWholeDays]).toEqual([
    "2026-03-02",
    "2026-03-03",
    true,
  ]);
  expect(absenceOf(request(instants), { timeZone: "Asia/Tokyo" })).toEqual({
    ...tokyo,
    request: request(instants),
  });
  expect(absenceOf(request(instants), { timeZone: null })).toMatchObject({ zone: "UTC", isWholeDays: false });
});

test("a whole day is one also where clocks change", () => {
  const spring = request({
    startAt: "2026-03-28T23:00:00.000Z",
    endAt: "2026-03-29T22:00:00.000Z",
    timeZone: "Europe/Berlin",
  });
  const absence = absenceOf(spring, { timeZone: null });
  expect(absence).toMatchObject({
    isWholeDays: true,
    firstDay: dayOfText("2026-03-29"),
    lastDay: dayOfText("2026-03-29"),
  });
  expect(whenText(absence)).toMatch(/^Sun,? 29 Mar 2026$/);
});

test("a request of no length has the day of its start, and a zone nobody knows is UTC", () => {
  const at = "2026-03-01T00:00:00.000Z";
  expect(
    absenceOf(request({ startAt: at, endAt: at, timeZone: "Moon/Base" }), { timeZone: null }),
  ).toMatchObject({
    firstDay: dayOfText("2026-03-01"),
    lastDay: dayOfText("2026-03-01"),
  });
});

test("bars are cut at the edges, and lie in lanes where they overlap", () => {
  const week = weekOf(dayOfText("2026-03-04"));
  const long = absenceOf(
    request({ startAt: "2026-02-20T00:00:00.000Z", endAt: "2026-03-05T12:00:00.000Z" }),
    {
      timeZone: "UTC",
    },
  );
  const short = absenceOf(
    request({ startAt: "2026-03-05T09:00:00.000Z", endAt: "2026-03-05T15:00:00.000Z" }),
    {
      timeZone: "UTC",
    },
  );
  const { bars, lanes } = barsIn(week, [long, short]);
  expect(lanes).toBe(2);
  expect(bars[0]).toMatchObject({ left: 0, width: 3.5 / 7, lane: 0, startsBefore: true, endsAfter: false });
  expect(bars[1]?.lane).toBe(1);
  expect(bars[1]?.left).toBeCloseTo(3.375 / 7);
});

test("weeks begin on Monday, months are whole, and only real days are days", () => {
  expect(formatDay(weekOf(dayOfText("2026-11-22")).first)).toBe("2026-11-16");
  const february = monthOf(dayOfText("2028-02-10"));
  expect([formatDay(february.first), formatDay(february.end)]).toEqual(["2028-02-01", "2028-03-01"]);
  expect(storedDay("2026-02-30")).toBeNull();
  expect(storedDay("tomorrow")).toBeNull();
});

describe("when somebody who is away is back", () => {
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
    const until = (end: string) =>
      shown(awayFrom(absence("2026-11-20T13:00:00.000Z", `2026-11-20T${end}Z`), []));
    expect(until("16:59:00.000")).toBe("until 2026-11-20, back 2026-11-20 1019");
    expect(until("17:00:00.000")).toBe("until 2026-11-20, back 2026-11-23 0"); // a Friday
  });
});

test("a pending request is past from the day after its last local day", () => {
  const pending = request({
    startAt: "2026-03-01T15:00:00.000Z",
    endAt: "2026-03-03T15:00:00.000Z",
    timeZone: "Asia/Tokyo",
    status: "pending",
  });
  const absence = absenceOf(pending, { timeZone: null });
  expect(statusText(absence, dayOfText("2026-03-03"))).toBe("Pending");
  expect(statusText(absence, dayOfText("2026-03-04"))).toBe("Past, still pending");
  expect(statusText({ ...absence, request: request({ status: "denied" }) }, dayOfText("2026-04-01"))).toBe(
    "Denied",
  );
});

test("a range has the absences of its first and of its last day, and none of the days beside it", () => {
  const range = { first: dayOfText("2026-03-02"), end: dayOfText("2026-03-09") };
  const day = (id: string, startAt: string, endAt: string) =>
    request({ id, startAt: `${startAt}T00:00:00.000Z`, endAt: `${endAt}T00:00:00.000Z` });
  const requests = [
    day("after", "2026-03-09", "2026-03-10"),
    day("last", "2026-03-08", "2026-03-09"),
    day("first", "2026-03-02", "2026-03-03"),
    day("before", "2026-03-01", "2026-03-02"),
  ];
  const workers = new Map([["wrk_a", { timeZone: null } as Worker]]); // nothing else is looked at
  const absences = absencesIn(range, requests, workers, null).get("wrk_a")!;
  expect(absences.map((absence) => absence.request.id)).toEqual(["first", "last"]);
});

test("nobody counts without an absence, and each person once: as away, if any of it is approved", () => {
  const absence = (status: TimeOffRequest["status"]) => absenceOf(request({ status }), { timeZone: null });
  const [approved, pending] = [absence("approved"), absence("pending")];
  expect(countOf([[], [approved, approved], [pending], [pending, approved]])).toEqual({ away: 2, asked: 1 });
});

test("in sheets, a part of a day has its times, and whole days have none", () => {
  const [startAt, endAt] = ["2026-03-02T09:00:00.000Z", "2026-03-02T11:30:00.000Z"];
  const cells = (fields: Partial<TimeOffRequest>) =>
    Object.values(dayColumns()).map((cell) => cell(absenceOf(request(fields), { timeZone: null })));
  expect(cells({ startAt, endAt })).toEqual(["2026-03-02", "2026-03-02", "09:00", "11:30", "UTC"]);
  expect(cells({})).toEqual(["2026-03-01", "2026-03-01", null, null, "UTC"]);
});
