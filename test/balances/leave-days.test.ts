// Property: the written minutes of a request's days add up exactly to those of the request. No day has 0, none lies outside the
// request's local days, and each differs from what balances count by no more than rounding.
import { expect, test } from "bun:test";
import type { RequestFacts, WorkTime } from "../../src/balances/facts.ts";
import { firstLeaveDay, lastLeaveDay, minutesOfDay, minutesOn, spread } from "../../src/balances/leave.ts";
import { toMillionths } from "../../src/balances/rational.ts";
import { addUpTo } from "../../src/resources/balance-cells.ts";
import { DAY_MS, dayOfText } from "../../src/time/day.ts";
import { localDays } from "../../src/time/zone.ts";
import { randomOf } from "../support/random-rows.ts";

const ZONES = Intl.supportedValuesOf("timeZone")
  .filter((_, at) => at % 10 === 0)
  .slice(0, 40);
const AMOUNTS = [
  480, 1000, 0, 0.01, 0.000_001, 433.33, 83.33333333333333, 12_345.678_9, 1, 1_000_000_000, 2400,
];

/** `leave-days.trial.ts` has more. */
const RUNS = Number(process.env.ROLLCALL_TEST_LEAVE_RUNS ?? 2000);

test(`${RUNS} random requests in 40 zones`, () => {
  expect(ZONES).toHaveLength(40);
  const random = randomOf(37);
  for (let at = 0; at < RUNS; at++) {
    const startMs = (10_000 + random(20_000)) * DAY_MS + random(96) * 900_000;
    const endMs = startMs + (random(50) === 0 ? random(400) * DAY_MS : random(20 * 96) * 900_000);
    const days = localDays(startMs, endMs, ZONES[random(ZONES.length)]!);
    const minutes = random(2) === 0 ? AMOUNTS[random(AMOUNTS.length)]! : random(100_000) / 7;
    const dayMinutes = [0, 1, 2].map((day) => ({ day: days.firstDay + day, minutes: random(1000) / 8 }));
    const isWritten = random(5) === 0;
    const request: RequestFacts = {
      status: "approved",
      ...days,
      minutes: isWritten ? dayMinutes.reduce((sum, day) => sum + day.minutes, 0) : minutes,
      ...(isWritten && { dayMinutes }),
    };
    const workDays = random(3) === 0 ? null : random(128);
    const week = [480, 450, random(3) === 0 ? 0 : 465.5, 0, 300, 0, random(2) * 120];
    const holidays = [{ day: days.firstDay, minutes: random(2) === 0 ? null : 100 }];
    const schedule = { startsOn: days.firstDay - 9, weeks: [week], fullTimeMinutesPerWeek: null, holidays };
    const worker = { workDays, schedules: random(3) === 0 ? [schedule] : [], holidays };
    const texts: string[] = [];
    for (let day = firstLeaveDay(request) - 1; day <= lastLeaveDay(request) + 1; day++) {
      const own = minutesOfDay(request, day, worker);
      const exact = toMillionths(minutesOn(request, day, day, worker));
      expect(Math.abs(Number(own ?? 0) - exact)).toBeLessThanOrEqual(0.010_001);
      if (own === null) continue;
      expect(own).toMatch(/^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
      expect(own).not.toBe("0");
      texts.push(own);
    }
    const decimals = Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0));
    const scaled = texts.map((text) => {
      const [whole = "", rest = ""] = text.split(".");
      return BigInt(whole + rest.padEnd(decimals, "0"));
    });
    const sum = String(scaled.reduce((a, b) => a + b, 0n)).padStart(decimals + 1, "0");
    const written = decimals === 0 ? sum : `${sum.slice(0, -decimals)}.${sum.slice(-decimals)}`;
    expect(Number(written)).toBe(request.minutes);
    // So do the numbers that a JSON parser reads, if the amount has no more digits than a double.
    if (String(request.minutes).length <= 16) expect(addUpTo(texts.map(Number), request.minutes)).toBe(true);
  }
});

test("leave to the year 9999, as systems write an open end, is spread in no time", () => {
  const [firstDay, lastDay] = [dayOfText("2026-01-01"), dayOfText("9999-12-31")];
  const leave: RequestFacts = { status: "approved", firstDay, lastDay, minutes: 480 };
  const holidays = [{ day: dayOfText("2026-01-06"), minutes: null }]; // a Tuesday
  const weeks = [[480, 480, 480, 0, 0, 0, 0]];
  const schedule = { startsOn: leave.firstDay, weeks, fullTimeMinutesPerWeek: null, holidays };
  // Python's datetime counts 1,248,189 Mondays, Tuesdays and Wednesdays.
  const expected = { counted: 2, of: 1_248_188 };
  const before = process.cpuUsage();
  for (let at = 0; at < 100; at++) {
    const spreadBy = (worker: WorkTime) => spread(leave, leave.firstDay, leave.firstDay + 6, worker);
    expect(spreadBy({ workDays: 0b0000111, schedules: [], holidays })).toMatchObject(expected);
    expect(spreadBy({ workDays: null, schedules: [schedule], holidays: [] })).toMatchObject({
      counted: 480 * expected.counted,
      of: 480 * expected.of,
    });
  }
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
});
