// Finds calendars without holidays, as a mistyped name is one (docs/importing.md, Findings).
import sql from "sql-template-tag";
import type { ImportSession } from "../../store/store.ts";

/** The calendars that workplaces or schedules name, and that have no holidays, in order. */
export async function emptyCalendars(session: ImportSession): Promise<string[]> {
  const { companyId } = session;
  const rows = await session.run<{ readonly calendar: string }>(sql`
    select calendar as "calendar"
    from (
      select holiday_calendar as calendar from workplaces where company_id = ${companyId}
      union
      select calendar from schedules where company_id = ${companyId}) as named
    where calendar is not null
      and not exists (select 1 from holidays h where h.company_id = ${companyId} and h.calendar = named.calendar)
    order by calendar`);
  return rows.map(({ calendar }) => calendar);
}
