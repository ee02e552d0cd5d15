// who_is_away and list_time_off: requests in the worker's local days, one row for each.
import { z } from "zod";
import {
  type DayOfLeave,
  isRollcallError,
  type Policy,
  type RequestFilters,
  type RequestStatus,
  type TimeOffRequest,
} from "../client/index.ts";
import { compareKeys, dayId } from "../resources/ids.ts";
import { REQUEST_STATUSES } from "../resources/requests.ts";
import {
  addMonths,
  DAY_MS,
  type Day,
  dayOfText,
  firstOfMonth,
  formatDay,
  isWritableDay,
  weekdayOf,
} from "../time/day.ts";
import { isTimeZone, localDays, localMsOf } from "../time/zone.ts";
import { CURSOR, choice, choices, day, quoted, ToolProblem, text, texts } from "./arguments.ts";
import { folded, noneCalled } from "./names.ts";
import { ROWS_MAX, type ToolCall, type ToolRows, tool, withWeekday, written } from "./tool.ts";
import { personOf, policyOf, reference } from "./worker-tools.ts";

/** The most requests that one call reads. */
const COLLECTED_MAX = 1000;

export const PERSON =
  "An id, a work address, an id of the source system, a whole name, or a given name that only one person has.";

/** Arguments that limit a list to some people and policies. */
export const ofSome = {
  people: texts(`Only these people. Each: ${PERSON}`).optional(),
  policies: texts("Only these policies, each by id, id of the source system, or name.").optional(),
};

/** The ids of the named people and policies. Raises ToolProblem for a name with no match or several. */
export async function idsMeant(
  { people, policies }: z.output<z.ZodObject<typeof ofSome>>,
  { names }: ToolCall,
  knownOn?: string,
) {
  const workers = people && (await Promise.all(people.map((person) => names.workerMeant(person))));
  const named =
    policies && (await Promise.all(policies.map((policy) => names.policiesMeant(policy, knownOn)))).flat();
  return { workerIds: workers?.map(({ id }) => id), policyIds: named?.map(({ id }) => id) };
}

const leave = z.strictObject({
  person: reference,
  from: z.string().describe("The first day, where the person is."),
  to: z.string().describe("The last day, included."),
  startsAt: z.string().nullable().describe("The local time on the first day; null for its beginning."),
  endsAt: z.string().nullable().describe("The local time on the last day; null for its end."),
  hours: z.number().describe("The hours of the balance that the leave uses."),
  policy: reference,
  status: z.string(),
  requestId: z.string(),
});

type Leave = z.output<typeof leave>;

/** A day of leave, with the leave that it belongs to. */
const row = z.strictObject({
  day: z.string().describe("A day on which the person is away."),
  ...leave.shape,
  hours: z.number().describe("The hours that the leave uses on this day."),
});

const PERIODS = ["today", "tomorrow", "this_week", "next_week", "this_month", "next_month"] as const;

interface Days {
  readonly from: Day;
  readonly to: Day;
}

/** Weeks begin on Monday. */
const PERIOD_DAYS: Readonly<Record<(typeof PERIODS)[number], (today: Day) => Days>> = {
  today: (today) => ({ from: today, to: today }),
  tomorrow: (today) => ({ from: today + 1, to: today + 1 }),
  this_week: (today) => weekOf(today),
  next_week: (today) => weekOf(today + 7),
  this_month: (today) => monthOf(today),
  next_month: (today) => monthOf(addMonths(firstOfMonth(today), 1)),
};

const APPROVED: readonly RequestStatus[] = ["approved"];

function weekOf(day: Day): Days {
  const from = day - weekdayOf(day);
  return { from, to: from + 6 };
}

function monthOf(day: Day): Days {
  const from = firstOfMonth(day);
  return { from, to: addMonths(from, 1) - 1 };
}

const ofDays = (most: number) => ({
  period: choice(PERIODS, "Weeks begin on Monday. Not together with from and to.").optional(),
  from: day("The first day, included.").optional(),
  to: day(`The last day, included, at most ${most} days later.`).optional(),
});

export const whoIsAway = tool({
  name: "who_is_away",
  title: "Who is away",
  description:
    "Shows who is away on which day, for how many hours, and how long that leave lasts. Give a period, or from and to; by default today. Only approved time off, unless statuses says otherwise. Leave during which people work, such as working from home, is shown only if policies names it.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    ...ofDays(366),
    ...ofSome,
    statuses: choices(
      REQUEST_STATUSES,
      "Only requests with one of these statuses; by default approved.",
    ).optional(),
    cursor: CURSOR,
  }),
  row,
  facts: { from: z.string(), to: z.string() },
  narrow: "Ask for a shorter period, or for some people or policies.",
  cursor: ({ day, requestId }) => dayId(dayOfText(day), requestId),
  async run({ period, from, to, people, policies, statuses = APPROVED, cursor }, call) {
    const days = wantedDays(period, from, to, dayOfText(call.today));
    const facts = { from: formatDay(days.from), to: formatDay(days.to) };
    const { workerIds, policyIds } = await idsMeant({ people, policies }, call);
    const list = call.client.days.list({
      ...facts,
      statuses,
      workerIds,
      policyIds: policyIds ?? (await absences(call))?.map(({ id }) => id),
    });
    const leaveDays: DayOfLeave[] = [];
    let hasMore = true;
    for (let after = cursor; hasMore && leaveDays.length < ROWS_MAX; ) {
      const page = await list.page({ limit: ROWS_MAX, afterId: after });
      leaveDays.push(...page.data.filter(({ isAbsence }) => isAbsence || policyIds !== undefined));
      after = page.data.at(-1)?.id;
      hasMore = page.hasMore;
    }
    const rows = (await Promise.all(leaveDays.map((day) => dayRow(day, call)))).filter((row) => row !== null);
    const when =
      days.from === days.to
        ? `on ${withWeekday(facts.from)}`
        : `from ${withWeekday(facts.from)} to ${withWeekday(facts.to)}`;
    const heading =
      rows.length === 0
        ? `Nobody ${cursor === undefined ? "is" : "else is"} away ${when} (${statuses.join(", ")} time off).`
        : `Away ${when} (${statuses.join(", ")} time off), one row for each day of each request:`;
    return { rows, hasMore, total: hasMore || cursor !== undefined ? null : rows.length, heading, facts };
  },
});

const { person, from, to, startsAt, endsAt } = leave.shape;

/** `who_is_away` for people who see nothing else. It reads the path that the page uses. */
export const whoIsAwayOnly = tool({
  name: "who_is_away",
  title: whoIsAway.title,
  description:
    "Shows who in the company is away, and from when to when. Give a period, or from and to; by default today. Only approved time off, without its type.",
  scopes: [],
  input: z.strictObject({
    ...ofDays(60),
    department: text("Only people of this department, by its whole name.").optional(),
  }),
  row: z.strictObject({ person, department: written.nullable(), from, to, startsAt, endsAt }),
  narrow: "Ask for a shorter period, or for one department.",
  async run({ period, from, to, department }, call) {
    const days = wantedDays(period, from, to, dayOfText(call.today));
    const { people, absences } = await call.away(formatDay(days.from), formatDay(days.to));
    const byId = new Map(people.map((worker) => [worker.id, worker]));
    const wanted = department === undefined ? undefined : folded(department);
    const departments = new Set(people.flatMap((worker) => worker.department?.name ?? []));
    if (wanted !== undefined && ![...departments].some((name) => folded(name) === wanted))
      throw noneCalled("department with people", department, [...departments].toSorted());
    const reading = absences.map(async (absence) => {
      const { id, displayName, timeZone, department: own } = byId.get(absence.workerId)!; // the path sends only known workers
      const { firstDay, lastDay, ...when } = await daysOf(absence, timeZone, call);
      const row = { person: { id, name: displayName }, department: own?.name ?? null, ...when };
      const isWanted = wanted === undefined || wanted === folded(own?.name ?? "");
      return isWanted && firstDay <= days.to && lastDay >= days.from ? [row] : [];
    });
    const rows = (await Promise.all(reading)).flat().toSorted((a, b) => compareKeys([a.from], [b.from]));
    const when = `from ${withWeekday(formatDay(days.from))} to ${withWeekday(formatDay(days.to))}`;
    const heading = rows.length === 0 ? `Nobody is away ${when}.` : `Away ${when}, one row for each leave:`;
    return { rows, total: rows.length, hasMore: false, heading };
  },
});

/** How many policies a filter accepts. */
const POLICIES_MAX = 200;

/** The policies with absences; undefined if all are. */
async function absences({ names }: ToolCall): Promise<readonly Policy[] | undefined> {
  const all = await names.policies();
  const withAbsence = all.filter(({ isAbsence }) => isAbsence);
  return withAbsence.length === all.length || withAbsence.length > POLICIES_MAX ? undefined : withAbsence;
}

/** Null if the worker has left by then, or an import just removed the request. */
async function dayRow({ date, minutes, requestId, workerId }: DayOfLeave, call: ToolCall) {
  const endDate = (await call.names.worker(workerId))?.endDate ?? null;
  if (endDate !== null && endDate < date) return null;
  try {
    const { row } = await rowOf(await call.client.requests.retrieve(requestId), call);
    return { day: date, ...row, hours: inHours(minutes) };
  } catch (error) {
    if (isRollcallError(error, "request_not_found")) return null;
    throw error;
  }
}

function wantedDays(
  period: (typeof PERIODS)[number] | undefined,
  from: string | undefined,
  to: string | undefined,
  today: Day,
): Days {
  if (from === undefined && to === undefined) return PERIOD_DAYS[period ?? "today"](today);
  if (period !== undefined)
    throw new ToolProblem("`period` excludes `from` and `to`: give one or the other.");
  if (from === undefined || to === undefined)
    throw new ToolProblem(`\`${from === undefined ? "from" : "to"}\` is missing: give both days.`);
  return requireOrder({ from: dayOfText(from), to: dayOfText(to) });
}

function requireOrder<D extends { readonly from: Day | null; readonly to: Day | null }>(days: D): D {
  if (days.from === null || days.to === null || days.from <= days.to) return days;
  throw new ToolProblem(
    `\`from\` (${formatDay(days.from)}) is after \`to\` (${formatDay(days.to)}): swap them.`,
  );
}

export const listTimeOff = tool({
  name: "list_time_off",
  title: "List one person's time off",
  description:
    "Lists the requests for time off of one person, past and future, in the order of their days, whatever their status.",
  scopes: ["workers:read", "time_off:read"],
  input: z.strictObject({
    person: text(PERSON),
    from: day("Only time off on this day or later.").optional(),
    to: day("Only time off on this day or earlier.").optional(),
    statuses: choices(REQUEST_STATUSES, "Only requests with one of these statuses.").optional(),
  }),
  row: leave,
  facts: { person: reference },
  narrow: "Give from and to, or a status.",
  async run({ person: named, from, to, statuses }, call) {
    const days = requireOrder({ from: dayOrNull(from), to: dayOrNull(to) });
    const { id, name } = await call.names.workerMeant(named);
    const leave = await timeOff(call, days, { statuses, workerIds: [id] });
    const whose = `of ${quoted(name)} (${id})`;
    const heading =
      leave.rows.length === 0 ? `No time off ${whose}.` : `Time off ${whose}, one row for each request:`;
    return { ...leave, heading, facts: { person: { id, name } } };
  },
});

const dayOrNull = (given: string | undefined) => (given === undefined ? null : dayOfText(given));

interface Filters {
  readonly statuses?: readonly RequestStatus[] | undefined;
  readonly workerIds?: readonly string[] | undefined;
  readonly policyIds?: readonly string[] | undefined;
}

/** The requests that touch the days, sorted by day. Lists are in the order of ids, so all of them are collected first. */
async function timeOff(
  call: ToolCall,
  { from, to }: { readonly from: Day | null; readonly to: Day | null },
  filters: Filters,
): Promise<Omit<ToolRows<Leave>, "heading" | "facts">> {
  // No place is more than a day from UTC, so a day of margin suffices. The local days are checked below.
  const bounds: RequestFilters = {
    endsOnOrAfter: from === null ? undefined : boundAt(from - 1),
    startsBefore: to === null ? undefined : boundAt(to + 2),
  };
  const rows: Leave[] = [];
  let read = 0;
  let hasMore = false;
  for await (const page of call.client.requests.list({ ...filters, ...bounds }).pages()) {
    for (const request of page.data) {
      const { row, firstDay, lastDay } = await rowOf(request, call);
      const isWithin = (from === null || lastDay >= from) && (to === null || firstDay <= to);
      if (isWithin) rows.push(row);
    }
    read += page.data.length;
    hasMore = read >= COLLECTED_MAX && page.hasMore;
    if (hasMore) break;
  }
  const keyOf = ({ from, to, person, requestId }: Leave) => [from, to, person.name, requestId];
  return {
    rows: rows.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b))),
    total: hasMore ? null : rows.length,
    hasMore,
    caveat: hasMore ? `More than ${COLLECTED_MAX} requests fit, so earlier ones may be missing.` : null,
  };
}

/** A day as a bound in a query; undefined if it cannot be written. */
const boundAt = (day: Day) => (isWritableDay(day) ? formatDay(day) : undefined);

async function rowOf(request: TimeOffRequest, call: ToolCall) {
  const { id, workerId, timeOffPolicyId, status, requestedMinutes } = request;
  const worker = await call.names.worker(workerId);
  const { firstDay, lastDay, ...days } = await daysOf(request, worker?.timeZone ?? null, call);
  const row: Leave = {
    person: await personOf(workerId, call),
    ...days,
    hours: inHours(requestedMinutes),
    policy: await policyOf(timeOffPolicyId, call),
    status,
    requestId: id,
  };
  return { row, firstDay, lastDay };
}

/** The request's days and times where the worker is. */
async function daysOf(
  { startAt, endAt, timeZone }: Pick<TimeOffRequest, "startAt" | "endAt" | "timeZone">,
  workerZone: string | null,
  { names }: ToolCall,
) {
  const zone = timeZone ?? workerZone ?? (await names.companyZone()) ?? "UTC";
  const known = isTimeZone(zone) ? zone : "UTC";
  const [startMs, endMs] = [Date.parse(startAt), Date.parse(endAt)];
  const { firstDay, lastDay } = localDays(startMs, endMs, known);
  return {
    firstDay,
    lastDay,
    from: formatDay(firstDay),
    to: formatDay(lastDay),
    startsAt: localTime(startMs, known),
    endsAt: localTime(endMs, known),
  };
}

/** Rounded to 0.01 hour. */
export function inHours(minutes: number): number {
  return Math.round((minutes * 100) / 60) / 100;
}

/**
 * Parts in hours, added to `startMinutes` one after the other. Each is the difference of two totals, rounded to 0.01 hour, so the
 * parts that are shown add up to the totals that are shown.
 */
export function hoursThatAddUp(startMinutes: number, parts: readonly number[]): number[] {
  let total = startMinutes;
  return parts.map((minutes) => {
    const before = inHours(total);
    total = roundTo2Decimals(total + minutes);
    return roundTo2Decimals(inHours(total) - before);
  });
}

const roundTo2Decimals = (amount: number) => Math.round(amount * 100) / 100;

/** `HH:MM`; null for midnight. */
function localTime(instantMs: number, timeZone: string): string | null {
  const localMs = localMsOf(instantMs, timeZone);
  return localMs % DAY_MS === 0 ? null : new Date(localMs).toISOString().slice(11, 16);
}
