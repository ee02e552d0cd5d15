// Finds calendars that are named and have no holidays, and the reverse (docs/importing.md, Findings): a mistyped name is both.
import sql, { type Sql } from "sql-template-tag";
import type { ImportSession } from "../../store/store.ts";

/** The calendars that workplaces or schedules name, and that have no holidays, in order. */
export async function emptyCalendars(session: ImportSession): Promise<string[]> {
  return difference(session, named(session), ofHolidays(session));
}

/** The calendars of holidays that no workplace or schedule names, in order. */
export async function unusedCalendars(session: ImportSession): Promise<string[]> {
  return difference(session, ofHolidays(session), named(session));
}

const named = ({ companyId }: ImportSession) => sql`
  select holiday_calendar as calendar from workplaces where company_id = ${companyId}
  union
  select calendar from schedules where company_id = ${companyId}`;

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
