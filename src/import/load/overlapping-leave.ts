// Finds approved leave that overlaps and takes more than a working day in all (docs/importing.md, Findings).
import sql, { raw } from "sql-template-tag";
import { workTimeOf } from "../../balance-facts.ts";
import type { RequestFacts, WorkTime } from "../../balances/facts.ts";
import { firstLeaveDay, lastLeaveDay, minutesOn } from "../../balances/leave.ts";
import { add, type Rational, rational, sign, subtract, ZERO } from "../../balances/rational.ts";
import { scheduleOn, workedMinutes } from "../../balances/working-time.ts";
import type { ImportSession, ImportTransaction } from "../../store/store.ts";
import { selected } from "../../store/tables.ts";

/** Minutes of a day without a schedule. Two halves of a day are at most 12 hours, each at most 6. */
const [USUAL, LONGEST_DAY, LONGEST_HALF] = [480, 720, 360];

interface Leave extends RequestFacts {
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
  const doubtful: Leave[] = [];
  const look = async (leave: readonly Leave[]) => {
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
  let held: Leave[] = [];
  for await (const rows of session.batches<Leave>(query)) {
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

/** Whether a request and others of the same day take more than the day's working time. */
function isTooMuch(request: Leave, others: readonly Leave[], workTime: WorkTime): boolean {
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

function isMore(leave: readonly Leave[], day: number, worked: Rational, workTime: WorkTime): boolean {
  let sum: Rational = ZERO;
  for (const request of leave) sum = add(sum, minutesOn(request, day, day, workTime));
  return sign(subtract(sum, sign(worked) > 0 ? worked : rational(USUAL))) > 0;
}

/** Whether these may be parts of one working day of unknown length. */
function areHalves(leave: readonly Leave[]): boolean {
  const minutes = leave.reduce((sum, request) => sum + request.minutes, 0);
  const longest = leave.some((request) => request.minutes > LONGEST_HALF) ? USUAL : LONGEST_DAY;
  return leave.every(({ firstDay, lastDay }) => firstDay === lastDay) && minutes <= longest;
}
