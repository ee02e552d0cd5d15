// Findings about holidays (docs/importing.md, Findings): those that are perhaps none, by their names and by how many there are, and calendars
// that are named and have no holidays, or the reverse. A mistyped name is both.
import sql, { type Sql } from "sql-template-tag";
import { fold } from "../../fold.ts";
import type { Worker } from "../../resources/workers.ts";
import type { ImportSession } from "../../store/store.ts";
import { type Day, dateOf, dayOf, SATURDAY, weekdayOf } from "../../time/day.ts";
import { shown } from "../row-errors.ts";
import { isNamedLikeBirthday, isNamedLikeNoHoliday, isNamedLikeObservance } from "../telling-names.ts";

const wordsOf = (text: string) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
/** The same for `Ana Lind` and `Lind, Ana`. */
const nameOf = (words: readonly string[]) => words.toSorted().join(" ");

/** What names say of days that are half a day, or not everybody's. */
const IN_PART =
  /\bhalf[\s-]?day|½|(?<![\d/])1\/2(?![\d/])|半日|\d:\d\d|\d ?(?:uhr|[ap]\.?m\b)|\([ap]\.?m\.?\)|\bearly (?:clos|finish|release)|afternoon|nachmittag|après-midi|\bhalb(?:er tag|tags)|demi-journée|medi[ao] (?:jornada|día)|mezza giornata|mei[ao] (?:dia|período)|ponto facultativo|\bhalve? ?dag|pół dnia|půl dne|(?:restricted|optional|school) holiday|(?<!betriebs)ferien\b|vacances scolaires|\b(?:spring|autumn|winter) break\b|\bhalf[\s-]?term\b/iu;

/** Nobody has less off. */
const LEAST_MINUTES = 60;
const DAY_MINUTES = 1440;

/** What is doubtful about the holidays of a company, in order. */
export async function doubtfulHolidays(session: ImportSession): Promise<string[]> {
  const names = await namesOfOtherDays(session);
  const whole = await session.run<{ readonly name: string }>(
    sql`select distinct name as "name" from holidays where company_id = ${session.companyId} and minutes is null order by name`,
  );
  const parts = await session.run<{ readonly name: string; readonly minutes: number }>(sql`
    select distinct name as "name", minutes as "minutes"
    from holidays
    where company_id = ${session.companyId} and (minutes < ${LEAST_MINUTES} or minutes > ${DAY_MINUTES})
    order by 1, 2`);
  return [
    ...parts.map(
      ({ name, minutes }) => `${shown(name)} has ${minutes} minutes: were hours or days taken for minutes?`,
    ),
    ...whole.flatMap(({ name }) =>
      isNamedLikeObservance(name) ? `${shown(name)} names an observance, which nobody has off` : [],
    ),
    ...whole.flatMap(({ name }) =>
      IN_PART.test(name) ? `${shown(name)} names a half day, or a day off for some` : [],
    ),
    ...names.map((name) => `${shown(name)} names leave, work, pay or a worker`),
    ...(await doubtfulYears(session)),
  ];
}

/** The names of holidays that have a word for leave, work or pay, or that of a worker. */
async function namesOfOtherDays(session: ImportSession): Promise<string[]> {
  const { companyId } = session;
  const rows = await session.run<{ readonly name: string }>(
    sql`select distinct name as "name" from holidays where company_id = ${companyId} order by name`,
  );
  const holidays = rows.map(({ name }) => name);
  const found = new Set(holidays.filter(isNamedLikeNoHoliday));
  const byName = new Map(holidays.flatMap((holiday) => namesIn(holiday).map((name) => [name, holiday])));
  const birthdays = holidays.filter(isNamedLikeBirthday);
  const byFirstName = new Map(
    birthdays.flatMap((holiday) => wordsOf(holiday).map((word) => [word, holiday])),
  );
  const workers = session.batches<{ readonly doc: string }>(
    sql`select doc as "doc" from workers where company_id = ${companyId} order by id`,
  );
  for await (const rows of workers)
    for (const { doc } of rows) {
      const { firstName, lastName } = JSON.parse(doc) as Worker; // what an import wrote
      const [word = ""] = wordsOf(firstName);
      for (const holiday of [byName.get(nameOf(wordsOf(`${firstName} ${lastName}`))), byFirstName.get(word)])
        if (holiday !== undefined) found.add(holiday);
    }
  return [...found].sort();
}

/** Each run of two to four words of a holiday, as the name of a worker: `Ana Lind - Holiday` has that of `Lind, Ana`. */
function namesIn(holiday: string): string[] {
  const words = wordsOf(holiday);
  return [...words.keys()].flatMap((first) =>
    WORDS_OF_A_NAME.flatMap((count) =>
      first + count <= words.length ? nameOf(words.slice(first, first + count)) : [],
    ),
  );
}

/** Longer names of people are not looked for. */
const WORDS_OF_A_NAME = [2, 3, 4];

/** No country has more public holidays from Monday to Friday in a year. More are observances, or days of other regions. */
const MOST_IN_A_YEAR = 30;

/** The years in which a calendar has too many days off from Monday to Friday, or none between two years that have some. */
async function doubtfulYears(session: ImportSession): Promise<string[]> {
  const days = await session.run<{ readonly calendar: string; readonly day: number }>(sql`
    select distinct calendar as "calendar", day as "day"
    from holidays
    where company_id = ${session.companyId} and minutes is null
    order by 1, 2`);
  return [...Map.groupBy(days, ({ calendar }) => calendar)].flatMap(([calendar, ofCalendar]) => {
    const years = Map.groupBy(ofCalendar, ({ day }) => dateOf(day).year);
    const crowded = [...years].flatMap(([year, ofYear]) => {
      const { length } = ofYear.filter(({ day }) => weekdayOf(day) < SATURDAY);
      return length > MOST_IN_A_YEAR
        ? [`${shown(calendar)} has ${length} days off from Monday to Friday in ${year}`]
        : [];
    });
    const empty = [...years.keys()].filter((year, at) => at > 0 && !years.has(year - 1));
    return [
      ...crowded,
      ...empty.map((year) => `${shown(calendar)} has no days off in ${year - 1}, and some before`),
    ];
  });
}

/** The calendars that workplaces or schedules name, and that have no holidays, in order. */
export async function emptyCalendars(session: ImportSession): Promise<string[]> {
  return difference(session, named(session), ofHolidays(session));
}

/** The calendars of holidays that no workplace or schedule names, in order. */
export async function unusedCalendars(session: ImportSession): Promise<string[]> {
  return difference(session, ofHolidays(session), named(session));
}

interface CalendarYears {
  readonly calendar: string;
  /** The first day of its first year, and the last day of its last year. */
  readonly firstDay: Day;
  readonly lastDay: Day;
}

/** The calendars that workplaces or schedules name, and that lack days: all from today on, or those of a year with leave. In order. */
export async function pastCalendars(session: ImportSession, today: Day): Promise<string[]> {
  const spans = await session.run<{ readonly calendar: string; readonly first: Day; readonly last: Day }>(sql`
    select calendar as "calendar", min(day) as "first", max(day) as "last"
    from holidays
    where company_id = ${session.companyId} and calendar in (select calendar from (${named(session)}) as other)
    group by calendar
    order by 1`);
  const years = spans.map(({ calendar, first, last }) => ({
    calendar,
    firstDay: dayOf(dateOf(first).year, 1, 1),
    lastDay: dayOf(dateOf(last).year, 12, 31),
  }));
  const outside = await leaveOutside(session, years);
  return spans.flatMap(({ calendar, first, last }) => {
    if (last < today) return calendar;
    const { before = 0, after = 0 } = outside.get(calendar) ?? {};
    return [
      ...(before > 0
        ? [`${calendar} begins in ${dateOf(first).year}, with ${before} ${requests(before)} before`]
        : []),
      ...(after > 0
        ? [`${calendar} ends in ${dateOf(last).year}, with ${after} ${requests(after)} after`]
        : []),
    ];
  });
}

const requests = (count: number) => (count === 1 ? "request" : "requests");

/** By calendar, how much leave is in a year after its last, and how much begins in a year before its first and ends in one that it has. */
async function leaveOutside(session: ImportSession, years: readonly CalendarYears[]) {
  if (years.length === 0) return new Map<string, { before: number; after: number }>();
  const { companyId } = session;
  await session.makeTable("calendar_years", { calendar: "text", firstDay: "integer", lastDay: "integer" });
  await session.fill(
    "calendar_years",
    years.map(({ calendar, firstDay, lastDay }) => [calendar, firstDay, lastDay]),
  );
  const [firstDays, lastDays] = [years.map(({ firstDay }) => firstDay), years.map(({ lastDay }) => lastDay)];
  const rows = await session.run<{ calendar: string; before: number; after: number }>(sql`
    with leave as (
      select r.first_day, r.last_day, coalesce((
        select s.calendar
        from schedules s
        where s.company_id = r.company_id and s.worker_id = r.worker_id and s.day <= r.first_day
        order by s.day desc
        limit 1), p.holiday_calendar) as calendar
      from requests r
      join workers w on w.company_id = r.company_id and w.id = r.worker_id
      left join workplaces p on p.company_id = w.company_id and p.id = w.workplace_id
      where r.company_id = ${companyId} and r.status <> 'denied'
        and (r.last_day > ${Math.min(...lastDays)}
          or (r.first_day < ${Math.max(...firstDays)} and r.last_day >= ${Math.min(...firstDays)})))
    select y.calendar as "calendar",
      sum(case when leave.last_day > y.last_day then 1 else 0 end) as "after",
      sum(case when leave.first_day < y.first_day and leave.last_day >= y.first_day then 1 else 0 end) as "before"
    from leave
    join calendar_years y on y.calendar = leave.calendar
    group by y.calendar`);
  return new Map(
    rows.map(({ calendar, before, after }) => [calendar, { before: Number(before), after: Number(after) }]),
  );
}

/** The calendars that workplaces or schedules name. A schedule's `none` is no calendar (docs/importing.md, schedules). */
const named = ({ companyId }: ImportSession) => sql`
  select holiday_calendar as calendar from workplaces where company_id = ${companyId}
  union
  select calendar from schedules where company_id = ${companyId} and calendar <> 'none'`;

const ofHolidays = ({ companyId }: ImportSession) => sql`
  select calendar from holidays where company_id = ${companyId}`;

/** The calendars of one query that the other lacks. */
async function difference(session: ImportSession, some: Sql, others: Sql): Promise<string[]> {
  const rows = await session.run<{ readonly calendar: string }>(sql`
    select distinct own.calendar as "calendar"
    from (${some}) as own
    where own.calendar is not null
      and own.calendar not in (select calendar from (${others}) as other where calendar is not null)
    order by "calendar"`);
  return rows.map(({ calendar }) => calendar);
}
