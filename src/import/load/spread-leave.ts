// Finds leave across the turn of a leave year of which nothing says on which days it falls (docs/importing.md, Findings).
import sql, { join } from "sql-template-tag";
import { leaveYears, periodOf } from "../../balances/periods.ts";
import { policyOf, storedTerms } from "../../resources/policies.ts";
import type { ImportSession } from "../../store/store.ts";
import { type Day, SATURDAY, weekdayOf } from "../../time/day.ts";

/** Less for each day says that some of the days are holidays, which are not known, or free. */
const LEAST_DAY_MINUTES = 420;

interface Leave {
  readonly id: string;
  readonly policyId: string;
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly assignedDay: Day;
  readonly minutes: number;
  /** The holiday calendar of the worker's workplace; null for none. */
  readonly calendar: string | null;
}

/** Counts requests whose minutes are divided between leave years by weekends or holidays, too, with `examples` legacy ids, else ids. */
export async function spreadLeave(
  session: ImportSession,
  examples: number,
): Promise<{ count: number; names: string[] }> {
  const { companyId } = session;
  const policies = await session.run<{ readonly id: string; readonly terms: string }>(
    sql`select id as "id", terms as "terms" from policies where company_id = ${companyId}`,
  );
  const factsOf = new Map(policies.map((row) => [row.id, policyOf(storedTerms(row))]));
  const holidays = await session.run<{ readonly calendar: string; readonly day: Day }>(sql`
    select distinct calendar as "calendar", day as "day"
    from holidays
    where company_id = ${companyId}`);
  const holidaysOf = Map.groupBy(holidays, ({ calendar }) => calendar);
  // An index covers these columns of requests. Rows, which have the objects, are many times as large.
  const leave = session.batches<Leave>(sql`
    select
      r.id as "id", r.policy_id as "policyId", r.first_day as "firstDay", r.last_day as "lastDay",
      a.assigned_day as "assignedDay", r.minutes as "minutes", p.holiday_calendar as "calendar"
    from requests r
    join workers w on w.company_id = r.company_id and w.id = r.worker_id
    join assignments a
      on a.company_id = r.company_id and a.worker_id = r.worker_id and a.policy_id = r.policy_id
    left join workplaces p on p.company_id = w.company_id and p.id = w.workplace_id
    where r.company_id = ${companyId} and r.status <> 'denied' and r.minutes > 0 and r.first_day < r.last_day
      and r.terms is null and w.terms is null
      and not exists (
        select 1
        from schedules s
        where s.company_id = r.company_id and s.worker_id = r.worker_id and s.day <= r.first_day)
    order by r.worker_id, r.id`);
  const ids: string[] = [];
  for await (const rows of leave)
    for (const { id, policyId, firstDay, lastDay, assignedDay, minutes, calendar } of rows) {
      const { isUnlimited, rules } = factsOf.get(policyId)!; // an assignment has a policy
      const years = leaveYears(rules, assignedDay);
      if (isUnlimited || periodOf(years, firstDay) === periodOf(years, lastDay)) continue;
      const free =
        holidaysOf.get(calendar ?? "")?.filter(({ day }) => firstDay <= day && day <= lastDay) ?? [];
      const isShort = minutes < (lastDay - firstDay + 1 - free.length) * LEAST_DAY_MINUTES;
      if (isShort || hasWeekend(firstDay, lastDay)) ids.push(id);
    }
  if (ids.length === 0) return { count: 0, names: [] };
  const first = ids.toSorted().slice(0, examples);
  const names = await session.run<{ readonly name: string }>(sql`
    select coalesce(legacy_id, id) as "name"
    from requests
    where company_id = ${companyId} and id in (${join(first)})
    order by id`);
  return { count: ids.length, names: names.map(({ name }) => name) };
}

function hasWeekend(first: Day, last: Day): boolean {
  return last - first >= SATURDAY || weekdayOf(last) >= SATURDAY || weekdayOf(last) < weekdayOf(first);
}
