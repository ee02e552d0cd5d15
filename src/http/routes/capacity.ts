// What people can work by days, weeks or months (docs/api.md, Capacity): from their schedules, holidays and leave.
import { withTerms, workTimeOf } from "../../balance-facts.ts";
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
import {
  addMonths,
  DAY_MS,
  type Day,
  dayOfText,
  firstOfMonth,
  formatDay,
  weekdayOf,
} from "../../time/day.ts";
import type { Computation } from "../computation.ts";
import { requireWorkersScope } from "../middleware/auth.ts";
import { parsed, readAll } from "../read-all.ts";
import { spanErrors, spanOf } from "./days.ts";
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

interface Period {
  readonly from: Day;
  readonly to: Day;
}

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
  const isBackward = page.before !== undefined;
  const cursor = page.after ?? page.before;
  const position = cursor === undefined ? null : parseRowId("capacity", cursor);
  const sums = new Map<string, Sum>();
  const wanted: Sum[] = [];
  const take = () => {
    const rows = [...sums.values()].filter(
      ({ key }) => position === null || compareKeys(key, position) * (isBackward ? -1 : 1) > 0,
    );
    rows.sort((a, b) => compareKeys(a.key, b.key) * (isBackward ? -1 : 1));
    wanted.push(...rows);
    sums.clear();
  };
  await company.atOneVersion(async (reader) => {
    sums.clear();
    wanted.length = 0;
    const atWork = atWorkOf(await readAll<Policy>(reader, "policies", {}));
    // Rows of a worker stand together: a page reads no other workers than it shows.
    const isByWorker = groupBy === "worker";
    let at = isByWorker && position !== null ? position[0] : undefined;
    const conditions = workerConditions(values);
    const size = isByWorker ? Math.min(BATCH, Math.ceil((page.limit + 1) / periods.length) + 1) : BATCH;
    let isFirst = at !== undefined;
    for (let hasMore = true; hasMore && wanted.length <= page.limit; ) {
      // The cursor's own worker may have more rows.
      const own: Condition[] = isFirst ? [{ column: "id", is: "in", values: [at!] }] : [];
      const workersPage: DocPage = isFirst
        ? await reader.list("workers", { limit: 1 }, [
            ...conditions.filter(({ column }) => column !== "id"),
            ...own,
          ])
        : await reader.list(
            "workers",
            { limit: size, [isByWorker && isBackward ? "before" : "after"]: at },
            conditions,
          );
      const workers = workersPage.docs.map((doc) => parsed<Worker>(doc));
      const isAsked = ({ id }: Worker) => values.workerIds === undefined || values.workerIds.includes(id);
      await addWorkers(reader, computation, workers.filter(isAsked), periods, groupBy, atWork, sums);
      if (isByWorker) take();
      if (!isFirst) at = (isByWorker && isBackward ? workers[0] : workers.at(-1))?.id;
      hasMore = isFirst || workersPage.hasMore;
      isFirst = false;
    }
    take();
  });
  const docs = wanted.slice(0, page.limit + 1).map((sum) => JSON.stringify(capacityOf(sum)));
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

function workerConditions({ workerIds, departmentIds, managerIds }: Asked): Condition[] {
  const conditions = conditionsOf(LISTS.workers.api.filters, {
    ...(departmentIds && { departmentIds }),
    ...(managerIds && { managerIds }),
  });
  return workerIds === undefined
    ? conditions
    : [...conditions, { column: "id", is: "in", values: workerIds }];
}

/** The days of a span as they have rows: the first and the last one may be a part. */
function periodsOf({ from, to }: Period, by: NonNullable<Asked["by"]>): Period[] {
  const periods: Period[] = [];
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

/** Adds what these workers can work to the rows of their groups. */
async function addWorkers(
  reader: CompanyReader,
  computation: Computation,
  workers: readonly Worker[],
  periods: readonly Period[],
  groupBy: Asked["groupBy"],
  atWork: ReadonlySet<string>,
  sums: Map<string, Sum>,
): Promise<void> {
  if (workers.length === 0) return;
  const ids = workers.map(({ id }) => id);
  const [first, last] = [periods[0]!.from, periods.at(-1)!.to];
  const workTimes = await reader.workTimes(ids);
  const leave = Map.groupBy(await leaveOf(reader, ids, first, last), ({ workerId }) => workerId);
  for (const worker of workers) {
    const turn = computation.turn();
    if (turn !== undefined) await turn;
    const requests = leave.get(worker.id)?.filter(({ policyId }) => !atWork.has(policyId)) ?? [];
    const workTime = workTimeOf(workTimes.get(worker.id));
    const usual = usualSchedule(workTime);
    const facts = withTerms(requests);
    const starts = dayOfText(worker.startDate);
    const ends = worker.endDate === null ? Infinity : dayOfText(worker.endDate);
    for (const { from, to } of periods) {
      if (starts > to || ends < from) continue;
      const sum = sumOf(worker, { from, to }, groupBy, sums);
      sum.workers += 1;
      let isAssumed = false;
      for (let day = Math.max(from, starts); day <= Math.min(to, ends); day++) {
        const known = scheduleOn(workTime.schedules, day);
        isAssumed ||= known === undefined;
        const schedule = known ?? usual;
        const scheduled = toHundredths(rational(plannedMinutes(schedule, day)));
        const worked = toHundredths(workedMinutes(schedule, day));
        let left = worked;
        const taken = { approved: 0, pending: 0 };
        for (const status of ["approved", "pending"] as const)
          for (const request of facts) {
            if (request.status !== status || firstLeaveDay(request) > day || lastLeaveDay(request) < day)
              continue;
            const through = (on: Day) => toHundredths(minutesOn(request, -Infinity, on, workTime));
            const minutes = Math.min(left, through(day) - through(day - 1));
            taken[status] += minutes;
            left -= minutes;
          }
        sum.scheduled += scheduled;
        sum.holidays += scheduled - worked;
        sum.approved += taken.approved;
        sum.pending += taken.pending;
        sum.left += left;
      }
      if (isAssumed) sum.assumedWorkers += 1;
    }
  }
}

/** The row of a worker's group and of some days. */
function sumOf(worker: Worker, { from, to }: Period, groupBy: Asked["groupBy"], sums: Map<string, Sum>): Sum {
  const department = groupBy === "department" ? worker.department : null;
  const workerId = groupBy === "worker" ? worker.id : null;
  const key = [workerId ?? department?.id ?? "", formatDay(from)] as const;
  const id = key.join(" ");
  const known = sums.get(id);
  if (known !== undefined) return known;
  const sum: Sum = {
    ...{ key, to, workers: 0, assumedWorkers: 0 },
    of: { workerId, departmentId: department?.id ?? null, department: department?.name ?? null },
    ...{ scheduled: 0, holidays: 0, approved: 0, pending: 0, left: 0 },
  };
  sums.set(id, sum);
  return sum;
}

/** Leave that may touch these days. No place is more than 14 hours ahead of UTC or 12 behind it; written days may lie outside a request. */
async function leaveOf(
  reader: CompanyReader,
  workerIds: readonly string[],
  first: Day,
  last: Day,
): Promise<LeaveRow[]> {
  const conditions: Condition[] = [
    { column: "workerId", is: "in", values: workerIds },
    { column: "status", is: "in", values: ["approved", "pending"] },
    { column: "startAtMs", is: "<", values: [(last + 2) * DAY_MS] },
    { column: "endAtMs", is: ">=", values: [(first - 1) * DAY_MS] },
  ];
  const rows: LeaveRow[] = [];
  for (;;) {
    const page = await reader.leave({ limit: 500, after: rows.at(-1)?.id }, conditions);
    rows.push(...page.rows);
    if (!page.hasMore) return rows;
  }
}
