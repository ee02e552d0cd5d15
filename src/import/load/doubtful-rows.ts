// Findings about rows that are stored: each is valid, and probably wrong (docs/importing.md, Findings).
import sql, { raw, type Sql } from "sql-template-tag";
import type { Kind } from "../../resources/kinds.ts";
import type { ImportStatements } from "../../store/store.ts";

/** The requests or adjustments of no assignment. `cross join` makes SQLite read an index of them that begins with the worker. */
const unassigned = (kind: "requests" | "adjustments") => (companyId: string) =>
  sql`
    select r.id
    from workers w
    cross join ${raw(kind)} r
    left join assignments a
      on a.company_id = r.company_id and a.worker_id = r.worker_id and a.policy_id = r.policy_id
    where w.company_id = ${companyId} and r.company_id = w.company_id and r.worker_id = w.id and a.worker_id is null`;

/** The ids of the rows of a company that each finding is about. */
const DOUBTFUL = {
  "unassigned-requests": unassigned("requests"),
  "unassigned-adjustments": unassigned("adjustments"),
  "unused-policy": (companyId: string) => sql`
    select p.id
    from policies p
    where p.company_id = ${companyId}
      and not exists (select 1 from assignments a where a.company_id = p.company_id and a.policy_id = p.id)`,
  "opening-leave": (companyId: string) => sql`
    select r.id
    from requests r
    join openings o on o.company_id = r.company_id and o.worker_id = r.worker_id and o.policy_id = r.policy_id
    where r.company_id = ${companyId} and r.first_day <= o.day and r.status <> 'denied'`,
  // `cross join` begins with the few moves. `> ''` lets SQLite use their index.
  "moved-leave": (companyId: string) => sql`
    select r.id
    from assignments a
    cross join requests r
    where a.company_id = ${companyId}
      and a.moves_from > ''
      and r.company_id = a.company_id and r.worker_id = a.worker_id and r.policy_id = a.moves_from
      and r.last_day >= a.assigned_day
      and r.status <> 'denied'`,
  // `cross join` makes SQLite begin with the workers, whose rows are wide: a look-up for each request takes twenty times as long.
  "uncovered-leave": (companyId: string) => sql`
    select r.id
    from workers w
    cross join requests r
    join assignments a
      on a.company_id = r.company_id and a.worker_id = r.worker_id and a.policy_id = r.policy_id
    left join openings o
      on o.company_id = r.company_id and o.worker_id = r.worker_id and o.policy_id = r.policy_id
      and o.day >= r.first_day
    where w.company_id = ${companyId}
      and r.company_id = w.company_id and r.worker_id = w.id
      and r.status <> 'denied'
      and (
        r.last_day > w.end_day
        or r.last_day > a.ends_day
        or ((r.first_day < w.start_day or r.first_day < a.assigned_day) and o.day is null))`,
  "unlimited-adjustment": (companyId: string) => sql`
    select id
    from adjustments
    where company_id = ${companyId}
      and policy_id in (select id from policies where company_id = ${companyId} and terms like '%"isUnlimited":true%')`,
  // Many different amounts on one day, for most who are assigned, are remaining balances.
  "snapshot-leave": (companyId: string) => sql`
    select r.id
    from (
      select policy_id, day, count(*) as workers
      from adjustments
      where company_id = ${companyId} and minutes > 0
      group by policy_id, day
      having count(distinct minutes) >= 5
    ) d
    left join (
      select policy_id, count(*) as workers
      from assignments
      where company_id = ${companyId}
      group by policy_id
    ) a on a.policy_id = d.policy_id
    join adjustments j on j.policy_id = d.policy_id and j.day = d.day
    join requests r
      on r.company_id = j.company_id and r.worker_id = j.worker_id and r.policy_id = j.policy_id
    where j.company_id = ${companyId}
      and 2 * d.workers > coalesce(a.workers, 0)
      and r.first_day <= d.day
      and r.status <> 'denied'`,
} as const satisfies Readonly<Record<string, (companyId: string) => Sql>>;

export type DoubtfulCode = keyof typeof DOUBTFUL;

/** The kinds of those rows that are no requests. */
const OF_OTHERS: { readonly [C in DoubtfulCode]?: Kind } = {
  "unassigned-adjustments": "adjustments",
  "unlimited-adjustment": "adjustments",
  "unused-policy": "policies",
};

/** Rows that are probably wrong, although each is valid: how many, and the names of three. A limit on the search would mislead the planner. */
export async function doubtfulRows(
  statements: ImportStatements,
  code: DoubtfulCode,
): Promise<{ readonly count: number; readonly names: readonly string[] }> {
  const { companyId } = statements;
  const table = raw(OF_OTHERS[code] ?? "requests");
  const legacyId = sql`select n.legacy_id from ${table} n where n.company_id = ${companyId} and n.id = named.id`;
  const rows = await statements.run<{ readonly name: string; readonly count: number | string }>(sql`
    with doubtful as materialized (${DOUBTFUL[code](companyId)})
    select coalesce((${legacyId}), id) as "name", (select count(*) from doubtful) as "count"
    from (select id from doubtful order by id limit 3) as named
    order by id`);
  return { count: Number(rows[0]?.count ?? 0), names: rows.map(({ name }) => name) };
}
