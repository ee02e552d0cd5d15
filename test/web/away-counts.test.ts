// Property: who is counted on a day (docs/page.md, Who is away) is whoever is employed on it, by a model that looks at each person on
// each day. Who has a whole holiday is neither there nor away.
import { expect, test } from "bun:test";
import type { Holiday, TimeOffRequest, Worker } from "../../src/client/index.ts";
import { formatDay } from "../../src/time/day.ts";
import { countDays } from "../../src/web/away/away-rows.ts";
import { absenceOf } from "../../src/web/data/absences.ts";
import { daysIn } from "../../src/web/data/days.ts";
import type { HolidaysByDay } from "../../src/web/data/queries.ts";
import { randomOf } from "../support/random-rows.ts";

const RANGE = { first: 20_000, end: 20_060 };
const random = randomOf(5);
/** Some days lie before the range, some after it. */
const someDay = () => RANGE.first - 20 + random(100);

const holiday = (minutes: number | null) => ({ name: "", minutes }) as Holiday;
const CALENDARS: readonly HolidaysByDay[] = [
  new Map(),
  new Map([
    [20_003, [holiday(null)]],
    [20_010, [holiday(240)]],
  ]),
  new Map([[20_010, [holiday(null)]]]),
];

function someRow() {
  const [start, end, first] = [someDay(), someDay(), someDay()];
  const worker = {
    startDate: formatDay(start),
    endDate: random(2) === 0 ? null : formatDay(end),
    timeZone: "UTC",
  } as Worker;
  const request = {
    status: random(2) === 0 ? "approved" : "pending",
    startAt: `${formatDay(first)}T00:00:00.000Z`,
    endAt: `${formatDay(first + 1 + random(5))}T00:00:00.000Z`,
    timeZone: null,
  } as TimeOffRequest;
  const absences = [request].map((asked) => absenceOf(asked, worker));
  return { worker, absences, holidays: CALENDARS[random(CALENDARS.length)]! };
}

test("each day counts those who are employed, and who of them is away, asks to be, or has a holiday", () => {
  const rows = Array.from({ length: 400 }, someRow);
  const holidaysOf = new Map(rows.map(({ worker, holidays }) => [worker, holidays]));
  const counts = countDays(
    RANGE,
    rows,
    () => true,
    (worker) => holidaysOf.get(worker as Worker)!,
  );
  expect([...counts.keys()]).toEqual(daysIn(RANGE));
  for (const [day, count] of counts) {
    const text = formatDay(day);
    const employed = rows.filter(
      ({ worker }) => worker.startDate <= text && (worker.endDate === null || worker.endDate >= text),
    );
    const hasHoliday = ({ holidays }: (typeof rows)[number]) =>
      holidays.get(day)?.some(({ minutes }) => minutes === null) === true;
    const absent = (status: string) =>
      rows.filter(
        (row) =>
          !hasHoliday(row) &&
          row.absences.some(
            ({ request, firstDay, lastDay }) =>
              request.status === status && firstDay <= day && lastDay >= day,
          ),
      ).length;
    expect({ day, ...count }).toEqual({
      day,
      of: employed.filter((row) => !hasHoliday(row)).length,
      off: employed.filter(hasHoliday).length,
      away: absent("approved"),
      asked: absent("pending"),
      holidays: new Set(employed.flatMap(({ holidays }) => holidays.get(day) ?? [])),
    });
  }
});

test("a day of a calendar is looked up once, not for each of its people", () => {
  let lookups = 0;
  class Counting extends Map<number, readonly Holiday[]> {
    override get(day: number) {
      lookups++;
      return super.get(day);
    }
  }
  const holidays = new Counting();
  const rows = Array.from({ length: 100 }, someRow).map(({ worker }) => ({ worker, absences: [] }));
  countDays(
    RANGE,
    rows,
    () => true,
    () => holidays,
  );
  expect(lookups).toBe(RANGE.end - RANGE.first);
});
