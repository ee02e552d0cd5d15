// Where and when people work: workplaces, their countries' holidays on fixed dates, and weeks that are not Monday to Friday.
import { type Day, dateOf, dayOfText, formatDay, weekdayOf } from "../time/day.ts";
import data from "./data/holidays.json";
import { isUsualWeek, siteSlots, type Worker } from "./workers.ts";

interface HolidayCalendar {
  readonly calendar: string;
  readonly country: string;
  /** Names by `MM-DD`. */
  readonly days: Readonly<Record<string, string>>;
  readonly halfDays?: readonly string[];
}

const calendars: readonly HolidayCalendar[] = data;
const byCountry = new Map(calendars.map((calendar) => [calendar.country, calendar]));

const FULL_WEEK = 2400;
const YEARS_BACK = 4;
const YEARS_AHEAD = 1;

export function workplaceRows() {
  return [...new Set(siteSlots)].map(({ city, country, timeZone }) => ({
    legacyId: city,
    name: city,
    timeZone,
    holidayCalendar: byCountry.get(country)?.calendar ?? null,
  }));
}

/** The holidays of each calendar, for the years that have requests. */
export function holidayRows(today: Day) {
  const { year } = dateOf(today);
  const years = Array.from({ length: YEARS_BACK + 1 + YEARS_AHEAD }, (_, at) => year - YEARS_BACK + at);
  return calendars.flatMap(({ calendar, days, halfDays = [] }) =>
    years.flatMap((each) =>
      Object.entries(days).map(([date, name]) => ({
        calendar,
        name,
        date: formatDay(dayOfText(`${each}-${date}`)),
        minutes: halfDays.includes(date) ? 240 : null,
      })),
    ),
  );
}

/** The worker's schedule; empty for a week from Monday to Friday. */
export function scheduleRows(worker: Worker) {
  if (isUsualWeek(worker)) return [];
  const { legacyId, startDay, daysOff } = worker;
  const minutes = [0, 1, 2, 3, 4, 5, 6].map((weekday) => (daysOff.includes(weekday) ? 0 : 480));
  return [
    {
      workerId: legacyId,
      startsOn: formatDay(startDay),
      minutesPerWeekday: minutes.join(","),
      fullTimeMinutesPerWeek: FULL_WEEK,
    },
  ];
}

/** Whether the day is a day off or a holiday, half holidays included. People who work from anywhere have no holidays. */
export function isDayOff({ daysOff, site, location }: Worker, day: Day): boolean {
  const days = location === site.city ? byCountry.get(site.country)?.days : undefined;
  return daysOff.includes(weekdayOf(day)) || formatDay(day).slice(5) in (days ?? {});
}
