// Property: what each worker can work on each day is what the schedule says, less what the days of leave say, no more than is worked; rows
// of weeks, months and departments are the sums of these; pages in both directions and a walk give the same rows.
import { expect, test } from "bun:test";
import type { Capacity } from "../../../../src/resources/capacity.ts";
import type { DayOfLeave } from "../../../../src/resources/days.ts";
import type { WorkSchedule } from "../../../../src/resources/schedules.ts";
import { dayOfText, formatDay, weekdayOf } from "../../../../src/time/day.ts";
import { randomOf } from "../../../support/random-rows.ts";
import {
  assignmentRow,
  departmentRow,
  type Facts,
  holidayRow,
  policyRow,
  requestRow,
  workerRow,
  workplaceRow,
} from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { listOf, startService } from "../../service.ts";

const random = randomOf(7);
const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
const [FROM, TO] = ["2026-01-28", "2026-03-10"];
const SPAN = `from=${FROM}&to=${TO}`;

const workers = Array.from({ length: 23 }, (_, at) => ({
  ...workerRow(`wrk_${String(at).padStart(2, "0")}`, {
    department: pick(["Payroll", "Sales", null]),
    startDate: at % 5 === 0 ? "2026-02-11" : "2024-01-01",
    endDate: at % 7 === 0 ? "2026-02-26" : null,
  }),
  // From Monday to Thursday.
  terms: at % 3 === 0 ? JSON.stringify({ workDays: 0b0001111 }) : null,
}));
const policies = [policyRow("top_a"), policyRow("top_b"), policyRow("top_home", { isAbsence: false })];
const schedules = workers.flatMap(({ id }, at) => {
  const terms = (...weeks: number[][]) => JSON.stringify({ minutesPerWeekday: weeks });
  const row = (day: string, text: string) => ({
    workerId: id,
    day: dayOfText(day),
    terms: text,
    calendar: at % 2 ? "PT" : null,
  });
  if (at % 4 === 3) return []; // no schedule
  const first = row(at % 4 === 2 ? "2026-02-05" : "2024-01-01", terms([480, 480, 480.5, 480, 360, 0, 0]));
  return at % 4 === 1
    ? [first, row("2026-02-16", terms([300, 0, 300, 0, 300, 0, 0], [0, 300, 0, 300, 0, 100, 0]))]
    : [first];
});
const requests = Array.from({ length: 90 }, (_, at) => {
  const startAt = new Date(Date.UTC(2026, 0, 20 + random(50), pick([0, 9])));
  return requestRow(`tor_${at}`, pick(workers).id, pick(["top_a", "top_b", "top_home"]), {
    startAt: startAt.toISOString(),
    endAt: new Date(startAt.getTime() + (1 + random(9)) * 86_400_000).toISOString(),
    status: pick(["approved", "approved", "pending", "denied"]),
    requestedMinutes: pick([480, 333.33, 1000, 120]),
  });
});

const onOneDay = {
  startAt: "2026-02-03T09:00:00.000Z",
  endAt: "2026-02-03T11:00:00.000Z",
  requestedMinutes: 120,
};
requests.push(
  requestRow("tor_sure", "wrk_01", "top_a", { ...onOneDay, status: "approved" }),
  requestRow("tor_asked", "wrk_01", "top_b", { ...onOneDay, status: "pending" }),
);

const service = await startService();
await addCompany(service.writer, "acme", {
  departments: [departmentRow("dpt_Payroll"), departmentRow("dpt_Sales")],
  holidays: [
    holidayRow("hol_1", { calendarId: "hca_PT", date: "2026-02-17", minutes: null }),
    holidayRow("hol_2", { calendarId: "hca_PT", date: "2026-02-18", minutes: 240 }),
  ].map((row) => ({ ...row, calendar: "PT" })),
  ...{ workers, policies, schedules, requests },
  assignments: workers.map(({ id }) => assignmentRow(`toa_${id}`, id, "top_a", "2024-01-01T00:00:00.000Z")),
} as unknown as Facts);
const key = await addKey(service.writer, "acme");

async function lines<T>(path: string, own = key): Promise<T[]> {
  const { body } = await service.raw(path, { key: own, headers: { accept: "application/x-ndjson" } });
  const texts = new TextDecoder().decode(body).split("\n");
  return texts.filter((line) => line !== "").map((line) => JSON.parse(line));
}

const capacityOf = (query: string, own = key) => lines<Capacity>(`/v1/time_off/capacity?${query}`, own);
const days = await lines<DayOfLeave>(`/v1/time_off/days?${SPAN}&statuses=approved,pending`);
const single = await capacityOf(`${SPAN}&by=day&groupBy=worker`);
const hundredths = (minutes: number) => Math.round(minutes * 100);

/** What a worker can work on a day, by what the API says of schedules and leave. */
function expectedOn(worker: (typeof workers)[number], date: string, schedule: WorkSchedule["days"][number]) {
  const workDays = worker.terms === null ? 5 : 4;
  const usual = weekdayOf(dayOfText(date)) < workDays ? 480 : 0;
  const worked = hundredths(schedule.minutes ?? usual);
  const of = (status: string) =>
    days
      .filter(
        (one) => one.workerId === worker.id && one.date === date && one.status === status && one.isAbsence,
      )
      .reduce((sum, { minutes }) => sum + hundredths(minutes), 0);
  const approved = Math.min(worked, of("approved"));
  const pending = Math.min(worked - approved, of("pending"));
  return { worked, approved, pending, isAssumed: schedule.minutes === null };
}

test("each worker and day has what the schedule says, less leave", async () => {
  let count = 0;
  for (const worker of workers) {
    const response = await service.call(`/v1/workers/${worker.id}/schedule?${SPAN}`, { key });
    const schedule = (JSON.parse(response.text) as WorkSchedule).days;
    for (const ofDay of schedule) {
      const { date } = ofDay;
      const row = single.find((one) => one.workerId === worker.id && one.from === date);
      const isEmployed =
        dayOfText(date) >= worker.startDay && dayOfText(date) <= (worker.endDay ?? Number.POSITIVE_INFINITY);
      expect(row !== undefined).toBe(isEmployed);
      if (row === undefined) continue;
      count += 1;
      const { worked, approved, pending, isAssumed } = expectedOn(worker, date, ofDay);
      expect(hundredths(row.scheduled) - hundredths(row.holidays)).toBe(worked);
      expect([row.approved, row.pending].map(hundredths)).toEqual([approved, pending]);
      expect(hundredths(row.left)).toBe(worked - approved - pending);
      expect([row.workers, row.assumedWorkers, row.to]).toEqual([1, isAssumed ? 1 : 0, date]);
    }
  }
  expect(count).toBe(single.length);
  expect(single.some(({ approved, pending }) => approved > 0 && pending > 0)).toBe(true);
  expect(single.some(({ holidays }) => holidays > 0)).toBe(true);
});

const NUMBERS = ["scheduled", "holidays", "approved", "pending", "left"] as const;
const startOf = {
  day: (date: string) => date,
  month: (date: string) => `${date.slice(0, 7)}-01`,
  week: monday,
};

function monday(date: string): string {
  const day = dayOfText(date);
  return formatDay(day - weekdayOf(day));
}

test.each([
  ...(["day", "week", "month"] as const).flatMap((by) =>
    ([null, "department", "worker"] as const).map((groupBy) => [by, groupBy] as const),
  ),
])("rows by %s and %p are the sums", async (by, groupBy) => {
  const query = `${SPAN}&by=${by}${groupBy === null ? "" : `&groupBy=${groupBy}`}`;
  const rows = await capacityOf(query);
  const sums = new Map<string, { minutes: number[]; workers: Set<string> }>();
  for (const one of single) {
    const department = JSON.parse(workers.find(({ id }) => id === one.workerId)!.doc).department?.id ?? "";
    const group = groupBy === null ? "" : groupBy === "worker" ? one.workerId : department;
    const start = startOf[by](one.from);
    const name = `${group} ${start < FROM ? FROM : start}`;
    const sum = sums.get(name) ?? { minutes: NUMBERS.map(() => 0), workers: new Set() };
    sums.set(name, sum);
    for (const [at, column] of NUMBERS.entries()) sum.minutes[at]! += hundredths(one[column]);
    sum.workers.add(one.workerId!);
  }
  expect(
    rows.map((row) => [
      `${row.workerId ?? row.departmentId ?? ""} ${row.from}`,
      NUMBERS.map((column) => hundredths(row[column])),
      row.workers,
    ]),
  ).toEqual(
    [...sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { minutes, workers: all }]) => [name, minutes, all.size]),
  );
  // Pages, in both directions.
  for (const cursor of ["afterId", "beforeId"] as const) {
    const walked: Capacity[] = [];
    const isBackward = cursor === "beforeId";
    let at = isBackward ? rows.at(-1)!.id : undefined;
    for (let hasMore = true; hasMore; ) {
      const more = at === undefined ? "" : `&${cursor}=${at}`;
      const page = listOf(await service.call(`/v1/time_off/capacity?${query}&limit=7${more}`, { key }));
      const data = page.data as unknown as Capacity[];
      if (isBackward) walked.unshift(...data);
      else walked.push(...data);
      at = (isBackward ? data[0] : data.at(-1))?.id;
      hasMore = page.hasMore;
    }
    expect(walked).toEqual(isBackward ? rows.slice(0, -1) : rows);
  }
});

test("only people of the given departments, managers and ids", async () => {
  const of = async (query: string) =>
    new Set((await capacityOf(`${SPAN}&groupBy=worker&${query}`)).map((one) => one.workerId!));
  const sales = workers
    .filter(({ doc }) => JSON.parse(doc).department?.id === "dpt_Sales")
    .map(({ id }) => id);
  expect(await of("departmentIds=dpt_Sales")).toEqual(new Set(sales));
  expect(await of(`departmentIds=dpt_Sales&workerIds=${sales[0]},wrk_none`)).toEqual(new Set([sales[0]!]));
  expect(await of("managerIds=wrk_none")).toEqual(new Set());
});

test("a key for some workers sees only theirs; a key without workers:read sees only sums", async () => {
  const own = await addKey(service.writer, "acme", {
    access: { level: "everything", workers: ["wrk_01"], departments: [], managers: [] },
  });
  const rows = await capacityOf(`${SPAN}&by=day`, own);
  expect(rows.map(({ workers: count, left }) => [count, left])).toEqual(
    single.filter(({ workerId }) => workerId === "wrk_01").map(({ left }) => [1, left]),
  );
  const bare = await addKey(service.writer, "acme", { scopes: ["time_off:read"] });
  expect(await capacityOf(`${SPAN}&by=month`, bare)).toEqual(await capacityOf(`${SPAN}&by=month`));
  for (const parameter of ["groupBy=worker", "departmentIds=dpt_Sales", "managerIds=wrk_01"]) {
    const response = await service.call(`/v1/time_off/capacity?${parameter}`, { key: bare });
    expect(response.status).toBe(403);
  }
});

test.each([
  [
    "from=2026-01-01&to=2027-02-01",
    "to",
    '"2027-02-01" is more than 366 days after from "2026-01-01": ask in several requests',
  ],
  ["by=year", "by", '"year" is not one of day, week, month'],
  ["by=weeks", "by", '"weeks" is not one of day, week, month (did you mean week?)'],
  ["groupBy=policy", "groupBy", '"policy" is not one of department, worker'],
])("%s is a 400", async (query, parameter, detail) => {
  const response = await service.call(`/v1/time_off/capacity?${query}`, { key });
  expect([response.status, JSON.parse(response.text).errors]).toEqual([400, [{ parameter, detail }]]);
});

test("without a schedule, the worker's work days and the workplace's holidays count, also without a policy", async () => {
  await addCompany(service.writer, "gulf", {
    workplaces: [{ ...workplaceRow("wkp_dubai"), holidayCalendar: "AE" }],
    holidays: [
      { ...holidayRow("hol_1", { calendarId: "hca_AE", date: "2026-06-16", minutes: null }), calendar: "AE" },
      { ...holidayRow("hol_2", { calendarId: "hca_AE", date: "2026-06-17", minutes: 240 }), calendar: "AE" },
      // Of two on one day, the one that takes the most counts.
      { ...holidayRow("hol_3", { calendarId: "hca_AE", date: "2026-06-17", minutes: 60 }), calendar: "AE" },
      { ...holidayRow("hol_0", { calendarId: "hca_AE", date: "2026-06-17", minutes: 120 }), calendar: "AE" },
    ],
    workers: [
      {
        ...workerRow("wrk_a", { primaryWorkplace: { id: "wkp_dubai", name: "Dubai", type: "office" } }),
        // From Sunday to Thursday.
        terms: JSON.stringify({ workDays: 0b1001111 }),
      },
    ],
  } as unknown as Facts);
  const own = await addKey(service.writer, "gulf");
  const span = "from=2026-06-14&to=2026-06-20";
  const rows = await capacityOf(`${span}&by=day`, own);
  expect(rows.map(({ scheduled, holidays, left }) => [scheduled, holidays, left])).toEqual([
    ...[0, 1].map(() => [480, 0, 480]),
    [480, 480, 0],
    [480, 240, 240],
    [480, 0, 480],
    ...[0, 1].map(() => [0, 0, 0]),
  ]);
  expect(rows.map(({ assumedWorkers }) => assumedWorkers)).toEqual(Array(7).fill(1));
  const { text } = await service.call(`/v1/workers/wrk_a/schedule?${span}`, { key: own });
  const { days: scheduled } = JSON.parse(text) as WorkSchedule;
  expect(scheduled.map(({ minutes, holiday }) => [minutes, holiday !== null])).toEqual(
    [false, false, true, true, false, false, false].map((isHoliday) => [null, isHoliday]),
  );
});
