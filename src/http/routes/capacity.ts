// What people can work by days, weeks or months (docs/api.md, Capacity): from their schedules, holidays and leave.
import { withTerms, workTimeOf } from "../../balance-facts.ts";
import type { RequestFacts, ScheduleFacts, WorkTime } from "../../balances/facts.ts";
import { firstLeaveDay, lastLeaveDay, minutesOn } from "../../balances/leave.ts";
import { rational, toHundredths } from "../../balances/rational.ts";
import { plannedMinutes, scheduleOn, usualSchedule, workedMinutes } from "../../balances/working-time.ts";
import { CAPACITY_MINUTES, type Capacity, listCapacity } from "../../resources/capacity.ts";
import { compareKeys, parseRowId, rowId } from "../../resources/ids.ts";
import { LISTS } from "../../resources/kinds.ts";
import { atWorkOf, type Policy } from "../../resources/policies.ts";
import type { Values } from "../../resources/query.ts";
import type { Worker } from "../../resources/workers.ts";
import { conditionsOf, pageOf } from "../../store/plan.ts";
import type { CompanyReader, Condition, DocPage, LeaveRow, PageQuery } from "../../store/store.ts";
import { addMonths, type Day, dayOfText, firstOfMonth, formatDay, weekdayOf } from "../../time/day.ts";
import type { Computation } from "../computation.ts";
import { requireWorkersScope } from "../middleware/auth.ts";
import { parsed, readAll } from "../read-all.ts";
import { type DayPeriod, spanErrors, spanOf, touching } from "./days.ts";
import { type ListInput, listRoute } from "./route.ts";

type Asked = Values<typeof listCapacity.parameters>;

export const capacityList = listRoute(listCapacity, readCapacity, spanErrors);

/** Workers who are read at once. */
const BATCH = 100;

type Minutes = Record<(typeof CAPACITY_MINUTES)[number], number>;

/** A row, with minutes in hundredths. */
interface Sum extends Minutes {
  readonly key: readonly [group: string, from: string];
  readonly to: Day;
  readonly of: Pick<Capacity, "workerId" | "departmentId" | "department">;
  workers: number;
  assumedWorkers: number;
}

/** By group and first day. */
type Sums = Map<string, Sum>;

async function readCapacity(
  { company, values, today, scopes, computation }: ListInput<Asked>,
  page: PageQuery,
): Promise<DocPage> {
  const { groupBy } = values;
  const needing = (["groupBy", "departmentIds", "managerIds"] as const).filter(
    (name) => values[name] !== undefined,
  );
  requireWorkersScope(scopes, needing);
  const periods = periodsOf(spanOf(values, today), values.by ?? "week");
  const direction = page.before === undefined ? 1 : -1;
  const cursor = page.after ?? page.before;
  const position = cursor === undefined ? null : parseRowId("capacity", cursor);
  const inPage = (sums: Sums) =>
    [...sums.values()]
      .filter(({ key }) => position === null || compareKeys(key, position) * direction > 0)
      .sort((a, b) => compareKeys(a.key, b.key) * direction);
  // A worker's rows stand together, so a page reads only the workers that it shows.
  const isByWorker = groupBy === "worker";
  const batches = {
    from: isByWorker ? position?.[0] : undefined,
    isBackward: isByWorker && direction === -1,
    size: isByWorker ? Math.min(BATCH, Math.ceil((page.limit + 1) / periods.length) + 1) : BATCH,
  };
  const rows = await company.atOneVersion(async (reader) => {
    const atWork = atWorkOf(await readAll<Policy>(reader, "policies", {}));
    const sums: Sums = new Map();
    const rows: Sum[] = [];
    for await (const workers of workersOf(reader, values, batches)) {
      await addWorkers(workers, reader, computation, { periods, groupBy, atWork, sums });
      if (!isByWorker) continue;
      rows.push(...inPage(sums));
      sums.clear();
      if (rows.length > page.limit) break;
    }
    return [...rows, ...inPage(sums)];
  });
  const docs = rows.slice(0, page.limit + 1).map((sum) => JSON.stringify(capacityOf(sum)));
  return pageOf(docs, page);
}

function capacityOf(sum: Sum): Capacity {
  const { key, to, of, workers, assumedWorkers } = sum;
  const minutes = CAPACITY_MINUTES.map((name) => [name, sum[name] / 100] as const);
  return {
    id: rowId("capacity", key),
    from: key[1],
    to: formatDay(to),
    ...of,
    workers,
    assumedWorkers,
    ...(Object.fromEntries(minutes) as Minutes), // one entry per name
  };
}

/** The workers that the parameters ask for, in batches. `from`: the worker of the cursor, who may have more rows and comes first. */
async function* workersOf(
  reader: CompanyReader,
  { workerIds, departmentIds, managerIds }: Asked,
  {
    from,
    isBackward,
    size,
  }: { readonly from: string | undefined; readonly isBackward: boolean; readonly size: number },
): AsyncGenerator<readonly Worker[]> {
  const groups = conditionsOf(LISTS.workers.api.filters, {
    ...(departmentIds && { departmentIds }),
    ...(managerIds && { managerIds }),
  });
  const withIds = (ids: readonly string[] | undefined): Condition[] =>
    ids === undefined ? groups : [...groups, { column: "id", is: "in", values: ids }];
  const read = async (page: PageQuery, ids: readonly string[] | undefined) => {
    const { docs, hasMore } = await reader.list("workers", page, withIds(ids));
    return { workers: docs.map((doc) => parsed<Worker>(doc)), hasMore };
  };
  if (from !== undefined && (workerIds === undefined || workerIds.includes(from)))
    yield (await read({ limit: 1 }, [from])).workers;
  let at = from;
  for (let isEnd = false; !isEnd; ) {
    const { workers, hasMore } = await read(
      { limit: size, [isBackward ? "before" : "after"]: at },
      workerIds,
    );
    yield workers;
    at = (isBackward ? workers[0] : workers.at(-1))?.id;
    isEnd = !hasMore;
  }
}

/** The periods of a span, one for each row. The first and the last may be cut. */
function periodsOf({ from, to }: DayPeriod, by: NonNullable<Asked["by"]>): DayPeriod[] {
  const periods: DayPeriod[] = [];
  for (let first = from; first <= to; first = periods.at(-1)!.to + 1) {
    const last =
      by === "day"
        ? first
        : by === "week"
          ? first + 6 - weekdayOf(first)
          : addMonths(firstOfMonth(first), 1) - 1;
    periods.push({ from: first, to: Math.min(last, to) });
  }
  return periods;
}

interface Summing {
  readonly periods: readonly DayPeriod[];
  readonly groupBy: Asked["groupBy"];
  /** The ids of policies whose leave is work. */
  readonly atWork: ReadonlySet<string>;
  readonly sums: Sums;
}

/** Adds what these workers can work to the rows of their groups. */
async function addWorkers(
  workers: readonly Worker[],
  reader: CompanyReader,
  computation: Computation,
  summing: Summing,
): Promise<void> {
  if (workers.length === 0) return;
  const { periods, atWork } = summing;
  const ids = workers.map(({ id }) => id);
  const workTimes = await reader.workTimes(ids);
  const rows = await leaveOf(reader, ids, { from: periods[0]!.from, to: periods.at(-1)!.to });
  const leave = Map.groupBy(
    rows.filter(({ policyId }) => !atWork.has(policyId)),
    ({ workerId }) => workerId,
  );
  for (const worker of workers) {
    const turn = computation.turn();
    if (turn !== undefined) await turn;
    addWorker(worker, workTimeOf(workTimes.get(worker.id)), withTerms(leave.get(worker.id) ?? []), summing);
  }
}

/** Adds the days of a worker's employment to the rows of their group. */
function addWorker(
  worker: Worker,
  workTime: WorkTime,
  leave: readonly RequestFacts[],
  { periods, groupBy, sums }: Summing,
): void {
  const usual = usualSchedule(workTime);
  const starts = dayOfText(worker.startDate);
  const ends = worker.endDate === null ? Infinity : dayOfText(worker.endDate);
  for (const period of periods) {
    const [from, to] = [Math.max(period.from, starts), Math.min(period.to, ends)];
    if (from > to) continue;
    const sum = sumOf(worker, period, groupBy, sums);
    sum.workers += 1;
    let isAssumed = false;
    for (let day = from; day <= to; day++) {
      const schedule = scheduleOn(workTime.schedules, day);
      isAssumed ||= schedule === undefined;
      const minutes = minutesOfDay(day, schedule ?? usual, leave, workTime);
      for (const name of CAPACITY_MINUTES) sum[name] += minutes[name];
    }
    if (isAssumed) sum.assumedWorkers += 1;
  }
}

/** A day in hundredths of a minute. Approved leave is taken off first. */
function minutesOfDay(
  day: Day,
  schedule: ScheduleFacts,
  leave: readonly RequestFacts[],
  workTime: WorkTime,
): Minutes {
  const scheduled = toHundredths(rational(plannedMinutes(schedule, day)));
  const worked = toHundredths(workedMinutes(schedule, day));
  const taken = { approved: 0, pending: 0 };
  let left = worked;
  for (const status of ["approved", "pending"] as const)
    for (const request of leave) {
      if (request.status !== status || firstLeaveDay(request) > day || lastLeaveDay(request) < day) continue;
      const through = (on: Day) => toHundredths(minutesOn(request, -Infinity, on, workTime));
      const minutes = Math.min(left, through(day) - through(day - 1));
      taken[status] += minutes;
      left -= minutes;
    }
  return { scheduled, holidays: scheduled - worked, ...taken, left };
}

/** The row of a worker's group and of some days. */
function sumOf(worker: Worker, { from, to }: DayPeriod, groupBy: Asked["groupBy"], sums: Sums): Sum {
  const department = groupBy === "department" ? worker.department : null;
  const workerId = groupBy === "worker" ? worker.id : null;
  const key = [workerId ?? department?.id ?? "", formatDay(from)] as const;
  const id = key.join(" ");
  const known = sums.get(id);
  if (known !== undefined) return known;
  const sum: Sum = {
    key,
    to,
    workers: 0,
    assumedWorkers: 0,
    of: { workerId, departmentId: department?.id ?? null, department: department?.name ?? null },
    scheduled: 0,
    holidays: 0,
    approved: 0,
    pending: 0,
    left: 0,
  };
  sums.set(id, sum);
  return sum;
}

/** Leave that may touch these days. */
async function leaveOf(
  reader: CompanyReader,
  workerIds: readonly string[],
  period: DayPeriod,
): Promise<LeaveRow[]> {
  const filters = { workerIds, statuses: ["approved", "pending"], ...touching(period) };
  const conditions = conditionsOf(LISTS.requests.api.filters, filters);
  const rows: LeaveRow[] = [];
  for (;;) {
    const page = await reader.leave({ limit: 500, after: rows.at(-1)?.id }, conditions);
    rows.push(...page.rows);
    if (!page.hasMore) return rows;
  }
}
