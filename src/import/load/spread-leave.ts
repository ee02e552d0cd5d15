// Finds leave across the turn of a leave year of which nothing says on which days it falls (docs/importing.md, Findings).
import sql from "sql-template-tag";
import { leaveYears, periodOf } from "../../balances/periods.ts";
import { policyOf, storedTerms } from "../../resources/policies.ts";
import type { ImportSession } from "../../store/store.ts";
import { type Day, weekdayOf } from "../../time/day.ts";

const SATURDAY = 5;
/** Less for each day says that some of the days are holidays, which are not known, or free. */
const LEAST_DAY_MINUTES = 420;

interface Leave {
  readonly name: string;
  readonly policyId: string;
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly assignedDay: Day;
  readonly minutes: number;
  /** The number of days of the span that are holidays of the workplace. */
  readonly holidays: number;
}

/** The requests whose minutes are divided between leave years by weekends or holidays, too. Returns legacy ids, else ids, in order of ids. */
export async function spreadLeave(session: ImportSession): Promise<string[]> {
  const { companyId } = session;
  const policies = await session.run<{ readonly id: string; readonly terms: string }>(
    sql`select id as "id", terms as "terms" from policies where company_id = ${companyId}`,
  );
  const factsOf = new Map(policies.map((row) => [row.id, policyOf(storedTerms(row))]));
  const names: string[] = [];
  const leave = session.batches<Leave>(sql`
    select
      coalesce(r.legacy_id, r.id) as "name", r.policy_id as "policyId", r.first_day as "firstDay",
      r.last_day as "lastDay", a.assigned_day as "assignedDay", r.minutes as "minutes",
      (select count(distinct h.day)
        from holidays h
        join workplaces p on p.company_id = h.company_id and p.holiday_calendar = h.calendar
        where h.company_id = r.company_id and p.id = w.workplace_id
          and h.day between r.first_day and r.last_day) as "holidays"
    from requests r
    join workers w on w.company_id = r.company_id and w.id = r.worker_id
    join assignments a
      on a.company_id = r.company_id and a.worker_id = r.worker_id and a.policy_id = r.policy_id
    where r.company_id = ${companyId} and r.status <> 'denied' and r.minutes > 0 and r.first_day < r.last_day
      and r.terms is null and w.terms is null
      and not exists (
        select 1
        from schedules s
        where s.company_id = r.company_id and s.worker_id = r.worker_id and s.day <= r.first_day)
    order by r.id`);
  for await (const rows of leave)
    for (const { name, policyId, firstDay, lastDay, assignedDay, minutes, holidays } of rows) {
      const { isUnlimited, rules } = factsOf.get(policyId)!; // an assignment has a policy
      const years = leaveYears(rules, assignedDay);
      const hasTurn = periodOf(years, firstDay) !== periodOf(years, lastDay);
      const isShort = minutes < (lastDay - firstDay + 1 - Number(holidays)) * LEAST_DAY_MINUTES;
      if (!isUnlimited && hasTurn && (isShort || hasWeekend(firstDay, lastDay))) names.push(name);
    }
  return names;
}

function hasWeekend(first: Day, last: Day): boolean {
  return last - first >= SATURDAY || weekdayOf(last) >= SATURDAY || weekdayOf(last) < weekdayOf(first);
}
