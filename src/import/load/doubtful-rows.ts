// Findings about rows that are stored: each is valid, and probably wrong (docs/importing.md, Findings).
import sql, { join, raw, type Sql } from "sql-template-tag";
import { workTimeOf } from "../../balance-facts.ts";
import type { RequestFacts, WorkTime } from "../../balances/facts.ts";
import { firstLeaveDay, lastLeaveDay, minutesOn } from "../../balances/leave.ts";
import { leaveYears, periodOf } from "../../balances/periods.ts";
import { add, type Rational, rational, sign, subtract, ZERO } from "../../balances/rational.ts";
import { scheduleOn, workedMinutes } from "../../balances/working-time.ts";
import type { Kind } from "../../resources/kinds.ts";
import { policyOf, storedTerms } from "../../resources/policies.ts";
import type { ImportSession, ImportStatements, ImportTransaction } from "../../store/store.ts";
import { selected } from "../../store/tables.ts";
import { DAY_MS, type Day, SATURDAY, weekdayOf } from "../../time/day.ts";

/** The requests or adjustments without an assignment. `cross join` makes SQLite read an index of them that begins with the worker. */
const unassigned = (kind: "requests" | "adjustments") => (companyId: string) =>
  sql`
    select r.id
    from workers w
    cross join ${raw(kind)} r
    left join assignments a
      on a.company_id = r.company_id and a.worker_id = r.worker_id and a.policy_id = r.policy_id
    where w.company_id = ${companyId} and r.company_id = w.company_id and r.worker_id = w.id and a.worker_id is null`;

/** How many workers each policy is assigned to. */
const workersOfPolicies = (companyId: string) =>
  sql`
    select policy_id, count(*) as workers
    from assignments
    where company_id = ${companyId}
    group by policy_id`;

/** The rows of a kind, if at least three have another amount than 0, and each amount is less than an hour. */
const smallAmounts =
  (kind: "openings" | "adjustments" | "work_hours", id: string, column = "minutes") =>
  (companyId: string) =>
    sql`
    select ${raw(id)} as id
    from ${raw(kind)}
    where company_id = ${companyId} and ${raw(column)} <> 0
      and not exists (select 1 from ${raw(kind)} where company_id = ${companyId} and abs(${raw(column)}) >= 60)
      and 3 <= (select count(*) from ${raw(kind)} where company_id = ${companyId} and ${raw(column)} <> 0)`;

/** An id as spreadsheets and people may spell it otherwise: 007 is 7, and e1 is E1. */
const TRIMMED = raw("ltrim(replace(legacy_id, ' ', ''), '0')");
const SPELLING = sql`lower(${TRIMMED})`;

/** The ids of the rows of a company that each finding is about. */
const DOUBTFUL = {
  "unassigned-requests": unassigned("requests"),
  "unassigned-adjustments": unassigned("adjustments"),
  "unused-policy": (companyId: string) => sql`
    select p.id
    from policies p
    where p.company_id = ${companyId}
      and not exists (select 1 from assignments a where a.company_id = p.company_id and a.policy_id = p.id)`,
  "two-spellings": (companyId: string) => sql`
    select id
    from workers
    where company_id = ${companyId} and ${SPELLING} in (
      select ${SPELLING}
      from workers
      where company_id = ${companyId} and legacy_id is not null
      group by ${SPELLING}
      having count(distinct ${TRIMMED}) < count(*)
        -- Where each has capitals and small letters, as in Salesforce, they may be of two people.
        or (count(*) > 1 and max(case when legacy_id in (lower(legacy_id), upper(legacy_id)) then 1 else 0 end) = 1))`,
  "opening-leave": (companyId: string) => sql`
    select r.id
    from requests r
    join openings o on o.company_id = r.company_id and o.worker_id = r.worker_id and o.policy_id = r.policy_id
    where r.company_id = ${companyId} and r.first_day <= o.day and r.status <> 'denied'`,
  "small-openings": smallAmounts("openings", "worker_id"),
  "small-carried": smallAmounts("openings", "worker_id", "carried_minutes"),
  "small-accrued": smallAmounts("openings", "worker_id", "accrued_minutes"),
  "small-adjustments": smallAmounts("adjustments", "id"),
  "small-hours": smallAmounts("work_hours", "worker_id"),
  // Who had a policy before the openings of most others with it: a system may leave out balances of 0. Leavers without a
  // last day are `left-without-end`. `cross join` makes SQLite read the assignments once.
  "missing-opening": (companyId: string) => sql`
    select distinct a.worker_id as id
    from assignments a
    cross join (
      select policy_id, min(day) as day, count(*) as workers
      from openings
      where company_id = ${companyId}
      group by policy_id
      having count(*) >= 3
    ) o
    join (${workersOfPolicies(companyId)}) assigned on assigned.policy_id = o.policy_id
    join workers w on w.company_id = a.company_id and w.id = a.worker_id
    left join openings own
      on own.company_id = a.company_id and own.worker_id = a.worker_id and own.policy_id = a.policy_id
    where a.company_id = ${companyId} and o.policy_id = a.policy_id
      and 2 * o.workers > assigned.workers
      and own.worker_id is null
      and a.assigned_day < o.day
      and w.start_day < o.day
      and (w.status <> 'inactive' or w.end_day is not null)
      and coalesce(a.ends_day, o.day + 1) > o.day
      and coalesce(w.end_day, o.day + 1) > o.day`,
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
  // If most assigned workers have an adjustment on one day, with many different amounts, these are remaining balances. But leave after an
  // earlier adjustment is taken from that one: a system that tells what it grants each year also has many amounts on one day.
  // `cross join` makes SQLite begin with these days, of which there are few or none.
  "snapshot-leave": (companyId: string) => sql`
    with snapshots as materialized (
      select d.policy_id, d.day
      from (
        select policy_id, day, count(*) as workers
        from adjustments
        where company_id = ${companyId} and minutes > 0
        group by policy_id, day
        having count(distinct minutes) >= 5
      ) d
      left join (${workersOfPolicies(companyId)}) a on a.policy_id = d.policy_id
      where 2 * d.workers > coalesce(a.workers, 0)
    )
    select distinct r.id
    from snapshots d
    cross join adjustments j
    cross join requests r
    where j.company_id = ${companyId} and j.policy_id = d.policy_id and j.day = d.day
      and r.company_id = j.company_id and r.worker_id = j.worker_id and r.policy_id = j.policy_id
      and r.first_day < d.day
      and r.status <> 'denied'
      and not exists (
        select 1
        from adjustments e
        where e.company_id = r.company_id and e.worker_id = r.worker_id and e.policy_id = r.policy_id
          and e.day <= r.first_day and e.minutes > 0)`,
} as const satisfies Readonly<Record<string, (companyId: string) => Sql>>;

export type DoubtfulCode = keyof typeof DOUBTFUL;

/** The kind of a finding's rows, if they are not requests. */
const OF_OTHERS: { readonly [C in DoubtfulCode]?: Kind } = {
  "unassigned-adjustments": "adjustments",
  "unlimited-adjustment": "adjustments",
  "unused-policy": "policies",
  "two-spellings": "workers",
  "missing-opening": "workers",
  "small-openings": "workers",
  "small-carried": "workers",
  "small-accrued": "workers",
  "small-adjustments": "adjustments",
  "small-hours": "workers",
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

/** Whether most leave of one whole day takes at most 12 hours: if its end were a day of leave, it would be leave of two days. */
export async function areWholeDays(statements: ImportStatements): Promise<boolean> {
  const [row] = await statements.run<{ readonly whole: number | string | null }>(sql`
    select sum(case when minutes <= ${LONGEST_DAY} then 1 else -1 end) as whole
    from requests
    where company_id = ${statements.companyId}
      and first_day = last_day and end_at_ms - start_at_ms = ${DAY_MS} and minutes > 0`);
  return Number(row?.whole) > 0;
}

// Leave across the turn of a leave year, of which nothing says how many minutes fall on which day -------------------------

/** Leave with fewer minutes a day probably includes free days, or holidays that are not known. */
const LEAST_DAY_MINUTES = 420;

interface YearTurnLeave {
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
  const leave = session.batches<YearTurnLeave>(sql`
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

// Approved leave that overlaps and takes more than a working day in all -------------------------------------------------

/** Minutes of a day without a schedule. Two halves of a day are at most 12 hours, each at most 6; more parts are at most 8 hours. */
const [USUAL, LONGEST_DAY, LONGEST_HALF] = [480, 720, 360];

interface ApprovedLeave extends RequestFacts {
  readonly id: string;
  readonly name: string;
  readonly workerId: string;
  readonly startAtMs: number;
  readonly endAtMs: number;
  readonly terms: string | null;
}

/** Requests that begin before an earlier one of their worker ends, if both take too many minutes: legacy ids, else ids, in order. */
export async function overlappingLeave(
  session: ImportSession,
  transaction: Pick<ImportTransaction, "workTimes">,
): Promise<string[]> {
  const { companyId } = session;
  const isLeave = sql`
    company_id = ${companyId} and status = 'approved' and minutes > 0
      and policy_id in (select id from policies where company_id = ${companyId} and absence = 'true')`;
  // All leave of workers with overlapping leave. An index has what the inner query reads.
  const query = sql`
    select
      ${raw(selected(["id", "workerId", "status", "minutes", "terms"]))},
      ${raw(selected(["startAtMs", "endAtMs", "firstDay", "lastDay"]))}, coalesce(legacy_id, id) as "name"
    from requests
    where ${isLeave}
      and worker_id in (
        select worker_id
        from (
          select
            worker_id, start_at_ms,
            max(end_at_ms) over (
              partition by worker_id order by start_at_ms, id rows between unbounded preceding and 1 preceding
            ) as before_ms
          from requests
          where ${isLeave}) as leave
        where start_at_ms < before_ms)
    order by worker_id, start_at_ms, id`;
  const doubtful: ApprovedLeave[] = [];
  const look = async (leave: readonly ApprovedLeave[]) => {
    if (leave.length === 0) return;
    const ofWorkers = Map.groupBy(leave, ({ workerId }) => workerId);
    const workTimes = await transaction.workTimes([...ofWorkers.keys()]);
    for (const [workerId, requests] of ofWorkers) {
      const workTime = workTimeOf(workTimes.get(workerId));
      for (const [at, request] of requests.entries()) {
        const others = requests.slice(0, at).filter(({ endAtMs }) => endAtMs > request.startAtMs);
        if (isTooMuch(request, others, workTime)) doubtful.push(request);
      }
    }
  };
  let held: ApprovedLeave[] = [];
  for await (const rows of session.batches<ApprovedLeave>(query)) {
    held.push(
      ...rows.map((row) => ({ ...row, ...(JSON.parse(row.terms ?? "{}") as Partial<RequestFacts>) })),
    );
    const last = held.at(-1)!.workerId; // a batch is not empty, and the next may have more of this worker
    await look(held.filter(({ workerId }) => workerId !== last));
    held = held.filter(({ workerId }) => workerId === last);
  }
  await look(held);
  return doubtful.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ name }) => name);
}

/** Whether a request and others that overlap it take more than a day's working time, or the same hours twice. */
function isTooMuch(request: ApprovedLeave, others: readonly ApprovedLeave[], workTime: WorkTime): boolean {
  if (takesWholeSpan(request) && others.some(takesWholeSpan)) return true;
  for (const other of others) {
    const through = Math.min(lastLeaveDay(request), lastLeaveDay(other));
    for (let day = Math.max(firstLeaveDay(request), firstLeaveDay(other)); day <= through; day++) {
      const leave = [request, ...others].filter(
        (entry) => firstLeaveDay(entry) <= day && day <= lastLeaveDay(entry),
      );
      const schedule = scheduleOn(workTime.schedules, day);
      if (
        schedule === undefined
          ? !areHalves(leave)
          : isMore(leave, day, workedMinutes(schedule, day), workTime)
      )
        return true;
    }
  }
  return false;
}

/** Whether each minute from the start to the end is leave, as from 09:00 to 13:00, 4 hours. */
const takesWholeSpan = ({ startAtMs, endAtMs, minutes }: ApprovedLeave) =>
  minutes * 60_000 >= endAtMs - startAtMs;

function isMore(leave: readonly ApprovedLeave[], day: number, worked: Rational, workTime: WorkTime): boolean {
  let sum: Rational = ZERO;
  for (const request of leave) sum = add(sum, minutesOn(request, day, day, workTime));
  return sign(subtract(sum, sign(worked) > 0 ? worked : rational(USUAL))) > 0;
}

/** Whether these may be parts of one working day of unknown length. */
function areHalves(leave: readonly ApprovedLeave[]): boolean {
  const minutes = leave.reduce((sum, request) => sum + request.minutes, 0);
  const areTwoHalves = leave.length === 2 && leave.every((request) => request.minutes <= LONGEST_HALF);
  const longest = areTwoHalves ? LONGEST_DAY : USUAL;
  return leave.every(({ firstDay, lastDay }) => firstDay === lastDay) && minutes <= longest;
}
