// Every request of the page, and today. All requests go through the client; TanStack Query caches the responses.
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import {
  type Balance,
  type CallOptions,
  type Close,
  type ErrorCode,
  type Holiday,
  isRollcallError,
  type List,
  type Movement,
  type Policy,
  type Rollcall,
  type TimeOffRequest,
  type Worker,
} from "../../client/index.ts";
import type { Transport } from "../../client/transport.ts";
import { addMonths, type Day, dayOfText, formatDay } from "../../time/day.ts";
import type { Viewer } from "../session.ts";
import { t } from "../texts/texts.ts";
import { awayRequests, awayWorkers } from "./away-only.ts";
import type { DayRange } from "./days.ts";
import { toldApart } from "./directory.ts";
import { amount, compareText, enumerated } from "./format.ts";

export interface Server extends Viewer {
  readonly rollcall: Rollcall;
  /** Whether the viewer may make calendar feeds on the server. */
  readonly makesFeeds: boolean;
  readonly fixedToday: Day | null;
  /** Sends requests, with the session's key if there is one. */
  readonly transport: Transport;
  /** Data is read as it was known at the end of this day, `YYYY-MM-DD`; null for now. */
  readonly knownOn: string | null;
  /** The same viewer's session with the data as known at the end of a day. */
  readonly asKnownOn: (day: Day) => Session;
}

export interface Session {
  readonly server: Server;
  readonly queries: QueryClient;
}

export const ServerContext = createContext<Server | null>(null);

export function useServer(): Server {
  const server = useContext(ServerContext);
  if (server === null) throw new Error("outside a session");
  return server;
}

const MINUTES = 60_000;

/** The server's fixed day, else the viewer's local day, which changes at midnight. */
export function useToday(): Day {
  const { fixedToday } = useServer();
  const own = useSyncExternalStore(onNewMinute, viewerToday);
  return fixedToday ?? own;
}

function viewerToday(): Day {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * MINUTES);
  return dayOfText(local.toISOString());
}

/** Calls `listener` on each new minute, and when the window is shown again: timers stop while a machine sleeps. */
function onNewMinute(listener: () => void): () => void {
  const minutes = setInterval(listener, MINUTES);
  document.addEventListener("visibilitychange", listener);
  return () => {
    clearInterval(minutes);
    document.removeEventListener("visibilitychange", listener);
  };
}

/** A server sends one key this many streams at once (src/http/stream.ts). Further streams would wait and then be refused. */
const STREAMS_AT_ONCE = 2;
let streams = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(stream: () => Promise<T>): Promise<T> {
  if (streams === STREAMS_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else streams++;
  try {
    return await stream();
  } finally {
    const next = waiting.shift();
    if (next === undefined) streams--;
    else next();
  }
}

/** Reads a whole list as one stream, or page by page if the stream fails. */
async function collect<T extends { id: string }>(list: List<T>): Promise<T[]> {
  try {
    return await inTurn(() => Array.fromAsync(list.stream()));
  } catch (error) {
    if (!isRollcallError(error) || REFUSED.includes(error.code)) throw error;
  }
  return list.toArray();
}

/** Errors that reading by pages would get, too. */
const REFUSED: readonly ErrorCode[] = ["missing_api_key", "invalid_api_key", "missing_scope"];

interface ReadOptions {
  readonly enabled?: boolean;
  readonly staleTime?: number;
  readonly refetchInterval?: number;
  readonly placeholderData?: typeof keepPreviousData;
}

/** Data that only imports change is asked for less often. */
const LASTING: ReadOptions = { staleTime: 5 * MINUTES };
/** Shows the previous response until the next one arrives. */
const KEPT: ReadOptions = { placeholderData: keepPreviousData };

function useRead<T>(
  queryKey: readonly unknown[],
  read: (rollcall: Rollcall, options: CallOptions) => Promise<T>,
  options: ReadOptions = {},
) {
  const { rollcall } = useServer();
  return useQuery({ queryKey, queryFn: ({ signal }) => read(rollcall, { signal }), ...options });
}

/** The company: its name, and the age of its data. After an import, all other data is read again, too. */
export function useCompany() {
  const queries = useQueryClient();
  const read = async (rollcall: Rollcall, options: CallOptions) => {
    const company = await rollcall.company(options);
    const last = queries.getQueryData<typeof company>(COMPANY);
    if (last !== undefined && last.changedAt !== company.changedAt)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== COMPANY[0] });
    return company;
  };
  return useRead(COMPANY, read, { refetchInterval: MINUTES });
}

const COMPANY = ["company"];

/** The outcome of the last imports, for viewers of the whole company. */
export function useImports() {
  const { transport, access } = useServer();
  return useQuery({
    queryKey: ["imports"],
    enabled: access === "everything" || access === "no-reasons",
    queryFn: ({ signal }) => transport.get<Imports>("/web/imports.json", { signal }),
  });
}

interface Imports {
  /** The last import, if it failed. */
  readonly failure: {
    readonly endedAt: string;
    readonly outcome: "refused" | "failed";
    readonly mistakes: number | null;
  } | null;
}

/** All of the company's workers, by name. Viewers who see only absences get those who have started by today or the last of `days`. */
export function useWorkers(days?: DayRange) {
  const { access } = useServer();
  const today = useToday();
  const { first, end } = days ?? { first: today, end: today + 1 };
  const isAway = access === "away";
  const read = async (rollcall: Rollcall, options: CallOptions) => {
    const workers = await (isAway
      ? awayWorkers({ first, end }, today, options)
      : collect(rollcall.workers.list({}, options)));
    return toldApart(workers).sort((a, b) => compareText(a.displayName, b.displayName));
  };
  return useRead(isAway ? ["workers", first, end, today] : ["workers"], read, { ...LASTING, ...KEPT });
}

/** Everybody's balances, with all booked leave. */
export const useBalances = (options: ReadOptions) =>
  useRead(["balances", "of everybody"], ({ balances }, call) => collect(balances.list({}, call)), {
    ...LASTING,
    ...options,
  });

/** A worker's holidays in a range, by day. */
export type HolidaysOf = (worker: Pick<Worker, "primaryWorkplace">) => HolidaysByDay;
export type HolidaysByDay = ReadonlyMap<Day, readonly Holiday[]>;

const NO_HOLIDAYS: HolidaysByDay = new Map();

/** Returns a function from a worker to the holidays of the workplace's calendar. */
export function useHolidays({ first, end }: DayRange): HolidaysOf {
  const { access, workerId } = useServer();
  const days = { from: formatDay(first), to: formatDay(end - 1) };
  const options = { ...LASTING, enabled: access !== "away" || workerId !== null };
  const { data: workplaces } = useRead(
    ["workplaces"],
    (rollcall, call) => rollcall.workplaces.list({}, call).toArray(),
    options,
  );
  const { data: holidays } = useRead(
    ["holidays", days.from, days.to],
    (rollcall, call) => rollcall.holidays.list(days, call).toArray(),
    options,
  );
  return useMemo(() => {
    const ofCalendar = new Map(
      [...Map.groupBy(holidays ?? [], ({ calendarId }) => calendarId)].map(([id, own]) => [
        id,
        Map.groupBy(own, ({ date }) => dayOfText(date)),
      ]),
    );
    const calendarOf = new Map(workplaces?.map(({ id, holidayCalendarId }) => [id, holidayCalendarId]));
    return ({ primaryWorkplace }) =>
      ofCalendar.get(calendarOf.get(primaryWorkplace?.id ?? "") ?? "") ?? NO_HOLIDAYS;
  }, [holidays, workplaces]);
}

/** The name of a holiday and its calendars: `New Year's Day (Berlin, London)`. */
export function holidayNames(holidays: Iterable<Holiday>): string {
  const byName = Map.groupBy(holidays, ({ name, minutes }) =>
    minutes === null ? name : t("holiday.part", { name, amount: amount(minutes, "hour") }),
  );
  return [...byName]
    .map(([holiday, same]) =>
      t("holiday.of", { holiday, calendars: enumerated(same.map(({ calendar }) => calendar)) }),
    )
    .join("; ");
}

/** Whether the whole day is not worked. */
export const isWholeHoliday = (holidays: readonly Holiday[] | undefined) =>
  holidays?.some(({ minutes }) => minutes === null) === true;

/** The policies. Viewers who see only absences see none. */
export function usePolicies() {
  const { access } = useServer();
  const read = async (rollcall: Rollcall, options: CallOptions) => {
    const policies = access === "away" ? [] : await rollcall.policies.list({}, options).toArray();
    return policies.sort((a, b) => compareText(a.name, b.name));
  };
  return useRead(["policies"], read, LASTING);
}

/** Pending and approved requests that touch these days in any time zone. So it asks for an extra day on either side. */
export function useRequestsIn(range: DayRange) {
  return useQuery({ ...requestsIn(useServer(), range), ...KEPT });
}

function requestsIn({ access, rollcall }: Server, { first, end }: DayRange) {
  const filters = {
    statuses: ["pending", "approved"],
    startsBefore: formatDay(end + 1),
    endsOnOrAfter: formatDay(first - 1),
  } as const;
  return queryOptions({
    queryKey: ["requests", "in", first, end],
    queryFn: ({ signal }) =>
      access === "away"
        ? awayRequests({ first, end }, { signal })
        : collect(rollcall.requests.list(filters, { signal })),
  });
}

/** The same for several ranges. A request that touches more than one range is in each. */
export function useRequestsInEach(ranges: readonly DayRange[]) {
  const server = useServer();
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["requests", "in each", ranges],
    queryFn: async () =>
      (await Promise.all(ranges.map((range) => queries.fetchQuery(requestsIn(server, range))))).flat(),
  });
}

/** This many people are shown first: 5,000 take 17 seconds on a slow network. */
const FIRST_PEOPLE = 6;

/** The first few people on leave on a day, with their requests. Empty if all people have loaded, or on errors, which the lists show. */
export function useFirstAway(day: Day) {
  const { access } = useServer();
  const hasPeople = useQueryClient().getQueryData(["workers"]) !== undefined;
  return useRead(
    ["requests", "first", day],
    (rollcall, options) => firstAway(rollcall, day, options).catch(() => []),
    { enabled: !hasPeople && access !== "away" },
  );
}

async function firstAway(rollcall: Rollcall, day: Day, options: CallOptions) {
  const days = { startsBefore: formatDay(day + 1), endsOnOrAfter: formatDay(day) };
  const list = rollcall.requests.list({ ...days, statuses: ["approved"] }, options);
  const { data } = await list.page({ limit: 4 * FIRST_PEOPLE });
  const ids = [...new Set(data.map(({ workerId }) => workerId))].slice(0, FIRST_PEOPLE);
  const people = await Promise.all(ids.map((id) => rollcall.workers.retrieve(id, options)));
  return people.flatMap((worker) => {
    const request = data.find(({ workerId }) => workerId === worker.id);
    return request === undefined ? [] : [{ worker, request }];
  });
}

/** The API's limit for a list of ids. */
const MOST_IDS = 200;

/** Approved requests of these people that begin on a day or later. */
export function useRequestsFrom(workerIds: readonly string[], first: Day) {
  const { access } = useServer();
  const filters = { statuses: ["approved"], startsOnOrAfter: formatDay(first - 1) } as const;
  const read = async (rollcall: Rollcall, options: CallOptions) => {
    const requests: TimeOffRequest[] = [];
    for (let from = 0; from < workerIds.length; from += MOST_IDS) {
      const ids = workerIds.slice(from, from + MOST_IDS);
      requests.push(...(await collect(rollcall.requests.list({ ...filters, workerIds: ids }, options))));
    }
    return requests;
  };
  const enabled = workerIds.length > 0 && access !== "away";
  return useRead(["requests", "from", first, workerIds], read, { ...KEPT, enabled });
}

/** Workers who have any of these policies. Asks nothing if none is given. */
export function useHolders(policyIds: readonly string[]) {
  const filters = policyIds.length > MOST_IDS ? {} : { policyIds };
  return useRead(
    ["assignments", "of policies", policyIds],
    ({ assignments }, options) => collect(assignments.list(filters, options)),
    { ...KEPT, enabled: policyIds.length > 0 },
  );
}

/** Pending requests or, with a day, all that end on it or later. */
export function useRequests(from: string | null) {
  const filters = from === null ? { statuses: ["pending"] as const } : { endsOnOrAfter: from };
  const key = ["requests", "all", from];
  return useRead(key, ({ requests }, options) => collect(requests.list(filters, options)));
}

/** The days of a request, with an extra day on either side, because they are in its own zone. */
export function useDaysOf({ id, workerId, status }: TimeOffRequest, first: Day, last: Day) {
  const [from, to] = [formatDay(first - 1), formatDay(Math.min(last + 1, first + 364))];
  return useRead(["days", id], async (rollcall, options) => {
    const filters = { workerIds: [workerId], from, to, statuses: [status] };
    const days = await rollcall.days.list(filters, options).toArray();
    return days.filter(({ requestId }) => requestId === id);
  });
}

/** Time that everybody, or one worker, will lose in the year after a day. */
export function useLosses(day: Day, options: ReadOptions = {}, workerId?: string) {
  const days = { from: formatDay(day + 1), to: formatDay(addMonths(day, 12)) };
  const filters = workerId === undefined ? days : { ...days, workerIds: [workerId] };
  const read = (rollcall: Rollcall, call: CallOptions) => {
    const list = rollcall.expirations.list(filters, call);
    return workerId === undefined ? collect(list) : list.toArray();
  };
  return useRead(["expirations", filters], read, { ...LASTING, ...options });
}

/** The closes, for viewers of the whole company; others have none. */
export function useCloses() {
  const { access } = useServer();
  return useRead(["closes"], ({ closes }, options) => closes.list(options), {
    ...LASTING,
    enabled: access === "everything" || access === "no-reasons",
  });
}

/** The policies of these rows. A deleted policy comes from the data of the close. */
export function usePoliciesOf(
  close: Close | undefined,
  rows: readonly { readonly policyId: string | null }[] | undefined,
) {
  const now = usePolicies();
  const has = (id: string | null) => now.data?.some((policy) => policy.id === id);
  const isGone = close !== undefined && rows?.some(({ policyId }) => has(policyId) === false) === true;
  const closed = useRead(
    ["policies", "closed", close?.id],
    ({ policies }, options) => policies.list({ knownOn: close?.knownOn }, options).toArray(),
    { ...LASTING, enabled: isGone },
  );
  const all = [closed, now].flatMap(({ data = [] }) => data);
  return {
    queries: isGone ? [now, closed] : [now],
    policyOf: new Map(all.map((policy) => [policy.id, policy])),
  };
}

/** Whether the row counts in sums. An unlimited policy has no balance, except one that was closed before it became unlimited. */
export const hasBalance = ({ opening }: Movement, policy: Policy | undefined) =>
  policy !== undefined && (opening !== 0 || !policy.isUnlimited);

/** The balances whose figure differs from the closed one. */
export const useDifferences = (close: string) =>
  useRead(
    ["closes", close],
    ({ closes }, options) => collect(closes.differences(close, {}, options)),
    LASTING,
  );

/** How balances changed from `from` to before `end`. `after`: a close, whose figures are the openings. */
export function movementsOf(
  { rollcall }: Server,
  from: Day,
  end: Day,
  groupBy: readonly ("department" | "policy" | "worker")[],
  { after, workerIds }: { readonly after?: string | undefined; readonly workerIds?: readonly string[] } = {},
) {
  const filters = { from: formatDay(from), to: formatDay(end - 1), groupBy, after, workerIds };
  return queryOptions({
    ...LASTING,
    queryKey: ["movements", filters],
    queryFn: ({ signal }) => collect(rollcall.movements.list(filters, { signal })),
  });
}

/** A day before all data. */
const BEGINNING = dayOfText("1900-01-01");

/** Movements of all balances, or of one worker's, until the end of a day. They include what would be paid out if that were the last day. */
export function useMovementsUntil(on: Day, workerId?: string) {
  const filters = workerId === undefined ? {} : { workerIds: [workerId] };
  return useQuery(movementsOf(useServer(), BEGINNING, on + 1, ["policy", "worker"], filters));
}

/** Movements of the day after a close. The openings are the closed figures, and `restated` is what became known since. */
export function useClosed({ id, through }: Close) {
  const day = dayOfText(through) + 1;
  return useQuery(movementsOf(useServer(), day, day + 1, ["policy", "worker"], { after: id }));
}

export const useWorker = (id: string, enabled = true) =>
  useRead(["worker", id], ({ workers }, options) => workers.retrieve(id, options), { enabled });

export const usePolicy = (id: string) =>
  useRead(["policy", id], ({ policies }, options) => policies.retrieve(id, options));

export const useAssignmentsOf = (workerId: string) =>
  useRead(["assignments", "of worker", workerId], ({ assignments }, options) =>
    assignments.list({ workerIds: [workerId] }, options).toArray(),
  );

export const useRequestsOf = (workerId: string) =>
  useRead(["requests", "of", workerId], ({ requests }, options) =>
    requests.list({ workerIds: [workerId] }, options).toArray(),
  );

/** A balance with its entries from the first to the last day, both included; null begins at the first entry. */
export function explanationOf({ rollcall }: Server, balanceId: string, first: Day | null, last: Day) {
  const window = { startDate: first === null ? undefined : formatDay(first), endDate: formatDay(last) };
  return queryOptions({
    queryKey: ["balance", balanceId, window.startDate, window.endDate],
    staleTime: MINUTES,
    queryFn: ({ signal }) => rollcall.balances.retrieve(balanceId, window, { signal }),
  });
}

/** A preview of leave from `first` to `last`. Without `last`: what can be taken on `first`, and what will be lost if nothing is taken. */
export function previewOf(
  { rollcall }: Server,
  { workerId, policyId }: Pick<Balance, "workerId" | "policyId">,
  first: Day,
  last?: Day,
) {
  const startAt = formatDay(first);
  const leave = {
    workerId,
    policyId,
    startAt,
    ...(last === undefined ? { minutes: 0 } : { endAt: formatDay(last) }),
  };
  return queryOptions({
    queryKey: ["preview", leave],
    staleTime: MINUTES,
    queryFn: ({ signal }) => rollcall.preview(leave, { signal }),
  });
}

/** A worker's balances at the end of a day; without a day, now, with all booked leave. */
export function balancesOf({ rollcall }: Server, workerId: string, endDay?: Day) {
  const endDate = endDay === undefined ? undefined : formatDay(endDay);
  return queryOptions({
    queryKey: ["balances", workerId, endDate ?? "now"],
    queryFn: ({ signal }) => rollcall.balances.list({ workerIds: [workerId], endDate }, { signal }).toArray(),
  });
}
