// Days of leave (docs/api.md, Days of leave). They are not stored, but computed from the requests that touch the days of a page.
import { withTerms, workTimeOf } from "../../balance-facts.ts";
import { minutesOfDay } from "../../balances/leave.ts";
import { dayText, listDays, SPAN_DAYS, SPAN_MAX_DAYS } from "../../resources/days.ts";
import { parseDayId } from "../../resources/ids.ts";
import { LISTS } from "../../resources/kinds.ts";
import type { Policy } from "../../resources/policies.ts";
import type { ParameterError, Values } from "../../resources/query.ts";
import type { Scope } from "../../resources/resource.ts";
import type { Worker } from "../../resources/workers.ts";
import { conditionsOf, pageOf } from "../../store/plan.ts";
import type { CompanyReader, DocPage, LeaveRow, PageQuery } from "../../store/store.ts";
import { DAY_MS, type Day, dayOfText, nearestWritable } from "../../time/day.ts";
import { byId } from "../read-all.ts";
import { readAsked } from "../visibility.ts";
import { type ListInput, listRoute } from "./route.ts";

type QueryValues = Values<typeof listDays.parameters>;
type SpanValues = Pick<QueryValues, "from" | "to">;

export const daysList = listRoute(listDays, readDays, spanErrors);

/** Both days are included. */
export interface DayPeriod {
  readonly from: Day;
  readonly to: Day;
}

export function spanOf({ from, to }: SpanValues, today: string): DayPeriod {
  const first = from === undefined ? (to === undefined ? dayOfText(today) : null) : dayOfText(from);
  const last = to === undefined ? null : dayOfText(to);
  return {
    from: first ?? nearestWritable(last! - SPAN_DAYS), // one of the two is there
    to: last ?? nearestWritable(first! + SPAN_DAYS),
  };
}

export function spanErrors(values: SpanValues, today: string): ParameterError[] {
  const { from, to } = spanOf(values, today);
  if (from > to)
    return [{ parameter: "from", detail: `"${values.from}" is after to "${values.to}": swap them` }];
  if (to - from <= SPAN_MAX_DAYS) return [];
  const detail = `"${values.to}" is more than ${SPAN_MAX_DAYS} days after from "${values.from}": ask in several requests`;
  return [{ parameter: "to", detail }];
}

async function readDays(
  { company, values, today, scopes }: ListInput<QueryValues>,
  page: PageQuery,
): Promise<DocPage> {
  return company.atOneVersion(async (reader) => {
    const rows = await readAsked(reader, scopes, values, (asked) =>
      rowsOf(asked, spanOf(values, today), values, page),
    );
    return pageOf(await docsOf(reader, rows, scopes), page);
  });
}

const HOUR_MS = 3_600_000;

/** The filters for requests that may touch these days. No place is more than 14 hours ahead of UTC or 12 behind it. */
export function touching({ from, to }: DayPeriod) {
  return {
    startsBefore: (to + 1) * DAY_MS + 12 * HOUR_MS,
    endsOnOrAfter: from * DAY_MS - 14 * HOUR_MS,
  };
}

interface DayRow {
  readonly day: Day;
  readonly minutes: string;
  readonly row: LeaveRow;
}

/** Requests that are read at once. */
const BATCH = 100;
/** While there is little leave, each next read covers this many times more days. */
const GROWTH = 4;
/** Sorts after every id. */
const LAST = "~";

/**
 * The rows of a page and at most one more; with `before`, backwards. Days are read in turn, each in the order of requests, so the cost of a
 * page depends on its rows, not on the span. While there is little leave, several days are read at once.
 */
async function rowsOf(
  reader: CompanyReader,
  span: DayPeriod,
  { policyIds, workerIds, statuses = ["approved"] }: QueryValues,
  { limit, after, before }: PageQuery,
): Promise<DayRow[]> {
  const isBackward = before !== undefined;
  const cursor = parseDayId(after ?? before ?? "");
  const start = isBackward ? LAST : undefined;
  const rows: DayRow[] = [];
  let left = daysFrom(cursor?.day, span, isBackward);
  let position = cursor?.day === left[0] ? cursor?.requestId : start;
  let count = 1;
  while (left.length > 0 && rows.length <= limit) {
    const days = left.slice(0, count);
    const period = { from: Math.min(...days), to: Math.max(...days) };
    const filters = { policyIds, workerIds, statuses, ...touching(period) };
    const leave = await reader.leave(
      { limit: BATCH, [isBackward ? "before" : "after"]: position },
      conditionsOf(LISTS.requests.api.filters, filters),
    );
    if (leave.hasMore && days.length > 1) {
      count = 1;
      continue;
    }
    const inOrder = isBackward ? leave.rows.toReversed() : leave.rows;
    rows.push(...(await rowsOfDays(reader, days, inOrder)));
    if (leave.hasMore) {
      position = inOrder.at(-1)!.id;
      continue;
    }
    position = start;
    left = left.slice(days.length);
    count = leave.rows.length < BATCH / GROWTH ? count * GROWTH : 1;
  }
  return rows.slice(0, limit + 1);
}

/** The days of a span in the order of the page, from the cursor's day on. */
function daysFrom(cursor: Day | undefined, { from, to }: DayPeriod, isBackward: boolean): readonly Day[] {
  const days = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  if (isBackward) return days.filter((day) => cursor === undefined || day <= cursor).reverse();
  return days.filter((day) => cursor === undefined || day >= cursor);
}

async function rowsOfDays(
  reader: CompanyReader,
  days: readonly Day[],
  leave: readonly LeaveRow[],
): Promise<DayRow[]> {
  const workTimes = await reader.workTimes([...new Set(leave.map(({ workerId }) => workerId))]);
  const requests = leave.map((row) => ({
    row,
    facts: withTerms([row])[0]!,
    workTime: workTimeOf(workTimes.get(row.workerId)),
  }));
  return days.flatMap((day) =>
    requests.flatMap(({ row, facts, workTime }) => {
      const minutes = minutesOfDay(facts, day, workTime);
      return minutes === null ? [] : [{ day, minutes, row }];
    }),
  );
}

/** The rows as JSON. Without the scope `workers:read`, no workers are read. */
async function docsOf(
  reader: CompanyReader,
  rows: readonly DayRow[],
  scopes: readonly Scope[],
): Promise<string[]> {
  const policies = await byId<Policy>(
    reader,
    "policies",
    rows.map(({ row }) => row.policyId),
  );
  const isNamed = scopes.includes("workers:read");
  const workers = await byId<Worker>(reader, "workers", isNamed ? rows.map(({ row }) => row.workerId) : []);
  return rows.map(({ day, minutes, row }) => {
    const policy = policies.get(row.policyId)!; // each request has a policy
    const worker = workers.get(row.workerId) ?? null;
    return dayText({ ...row, requestId: row.id }, { day, minutes }, policy, worker);
  });
}
