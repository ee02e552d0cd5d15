// Every request of the page, through the client alone, and the day. A view asks; TanStack Query caches the responses.
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useSyncExternalStore } from "react";
import {
  type ErrorCode,
  type Holiday,
  isRollcallError,
  type List,
  type Rollcall,
  type TimeOffRequest,
} from "../../client/index.ts";
import type { Transport } from "../../client/transport.ts";
import { addMonths, type Day, dayOfText, formatDay } from "../../time/day.ts";
import type { Viewer } from "../session.ts";
import { awayRequests, awayWorkers } from "./away-only.ts";
import type { DayRange } from "./days.ts";
import { amount } from "./format.ts";
import { compareText } from "./people.ts";

export interface Server extends Viewer {
  readonly rollcall: Rollcall;
  /** Whether the server makes calendar feeds for who looks. */
  readonly makesFeeds: boolean;
  readonly fixedToday: Day | null;
  /** With the key of the session, if it has one. */
  readonly transport: Transport;
}

export const ServerContext = createContext<Server | null>(null);

export function useServer(): Server {
  const server = useContext(ServerContext);
  if (server === null) throw new Error("outside a session");
  return server;
}

const MINUTES = 60_000;

/** The day that the server was told is today; else the viewer's own, which a page that is left open follows. */
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

/** Also when the window is looked at again: a machine that slept has no timers. */
function onNewMinute(listener: () => void): () => void {
  const minutes = setInterval(listener, MINUTES);
  document.addEventListener("visibilitychange", listener);
  return () => {
    clearInterval(minutes);
    document.removeEventListener("visibilitychange", listener);
  };
}

/** A server gives one key so many streams at once (src/http/stream.ts): a third would wait, be refused, and begin anew by pages. */
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

/** A whole list: as one stream or, while the server has none free, page by page. */
async function collect<T extends { id: string }>(list: List<T>): Promise<T[]> {
  try {
    return await inTurn(() => Array.fromAsync(list.stream()));
  } catch (error) {
    if (!isRollcallError(error) || REFUSED.includes(error.code)) throw error;
  }
  return list.toArray();
}

/** With these a page would fail as the stream did. */
const REFUSED: readonly ErrorCode[] = ["missing_api_key", "invalid_api_key", "missing_scope"];

/** The company: its name, and how old the data is. */
export function useCompany() {
  const { rollcall } = useServer();
  return useQuery({ queryKey: ["company"], queryFn: ({ signal }) => rollcall.company({ signal }) });
}

/** What became of the last imports, for who sees the whole company. */
export function useImports() {
  const { transport, access } = useServer();
  return useQuery({
    queryKey: ["imports"],
    enabled: access === "everything" || access === "no-reasons",
    queryFn: ({ signal }) => transport.get<Imports>("/web/imports.json", { signal }),
  });
}

interface Imports {
  /** The last import, if it failed; with an instant. */
  readonly failure: {
    readonly endedAt: string;
    readonly outcome: "refused" | "failed";
    readonly mistakes: number | null;
    readonly reason: string | null;
  } | null;
  /** How many the last import that did not fail passed over. */
  readonly findings: number;
}

/** All of the company's workers, by name. */
export function useWorkers() {
  const { rollcall, access } = useServer();
  const today = useToday();
  return useQuery({
    queryKey: ["workers"],
    staleTime: 5 * MINUTES,
    queryFn: async ({ signal }) => {
      const workers =
        access === "away"
          ? await awayWorkers({ first: today, end: today + 1 }, signal)
          : await collect(rollcall.workers.list({}, { signal }));
      return workers.sort((a, b) => compareText(a.displayName, b.displayName));
    },
  });
}

/** Everybody's balances as they stand at the end of a day; without one, with all leave that is booked. */
export function useBalancesOn(day: Day | null) {
  const { rollcall } = useServer();
  const endDate = day === null ? undefined : formatDay(day);
  return useQuery({
    queryKey: ["balances", "of everybody", endDate],
    staleTime: 5 * MINUTES,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => collect(rollcall.balances.list({ endDate }, { signal })),
  });
}

/** What a day is called that is not worked, and by which calendars: `New Year's Day (Berlin, London)`. */
export interface HolidayNames {
  readonly names: string;
  /** Whether somebody has more than some hours of it off. */
  readonly isWhole: boolean;
}

/** The holidays of a range, by day. */
export function useHolidays({ first, end }: DayRange): ReadonlyMap<Day, HolidayNames> {
  const { rollcall, access } = useServer();
  const days = { from: formatDay(first), to: formatDay(end - 1) };
  const { data = [] } = useQuery({
    queryKey: ["holidays", days.from, days.to],
    enabled: access !== "away",
    staleTime: 5 * MINUTES,
    queryFn: ({ signal }) => rollcall.holidays.list(days, { signal }).toArray(),
  });
  const byDay = Map.groupBy(data, ({ date }) => dayOfText(date));
  return new Map([...byDay].sort(([a], [b]) => a - b).map(([day, all]) => [day, holidayNames(all)]));
}

function holidayNames(all: readonly Holiday[]): HolidayNames {
  const byName = Map.groupBy(all, ({ name, minutes }) =>
    minutes === null ? name : `${name}, ${amount(minutes, "hour")}`,
  );
  const names = [...byName].map(
    ([name, same]) => `${name} (${same.map(({ calendar }) => calendar).join(", ")})`,
  );
  return { names: names.join("; "), isWhole: all.some(({ minutes }) => minutes === null) };
}

/** Nobody who may only see who is away sees a policy. */
export function usePolicies() {
  const { rollcall, access } = useServer();
  return useQuery({
    queryKey: ["policies"],
    staleTime: 5 * MINUTES,
    queryFn: async ({ signal }) => {
      const policies = access === "away" ? [] : await rollcall.policies.list({}, { signal }).toArray();
      return policies.sort((a, b) => a.name.localeCompare(b.name, "en"));
    },
  });
}

/** Pending and approved requests that touch these days anywhere on earth: a day more on either side. */
export function useRequestsIn({ first, end }: DayRange) {
  const { rollcall, access } = useServer();
  return useQuery({
    queryKey: ["requests", "in", first, end],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      access === "away"
        ? awayRequests({ first, end }, signal)
        : collect(
            rollcall.requests.list(
              {
                statuses: ["pending", "approved"],
                startsBefore: formatDay(end + 1),
                endsOnOrAfter: formatDay(first - 1),
              },
              { signal },
            ),
          ),
  });
}

/** So many people are shown before the others have come: 5,000 take 17 seconds on a slow network. */
const FIRST_PEOPLE = 6;

/** The first few who are on leave on a day, with their requests; none if people have come already, or if it fails: lists say why. */
export function useFirstAway(day: Day) {
  const { rollcall, access } = useServer();
  const hasPeople = useQueryClient().getQueryData(["workers"]) !== undefined;
  return useQuery({
    queryKey: ["requests", "first", day],
    enabled: !hasPeople && access !== "away",
    queryFn: ({ signal }) => firstAway(rollcall, day, signal).catch(() => []),
  });
}

async function firstAway(rollcall: Rollcall, day: Day, signal: AbortSignal) {
  const days = { startsBefore: formatDay(day + 1), endsOnOrAfter: formatDay(day) };
  const list = rollcall.requests.list({ ...days, statuses: ["approved"] }, { signal });
  const { data } = await list.page({ limit: 4 * FIRST_PEOPLE });
  const ids = [...new Set(data.map(({ workerId }) => workerId))].slice(0, FIRST_PEOPLE);
  const people = await Promise.all(ids.map((id) => rollcall.workers.retrieve(id, { signal })));
  return people.flatMap((worker) => {
    const request = data.find(({ workerId }) => workerId === worker.id);
    return request === undefined ? [] : [{ worker, request }];
  });
}

/** The longest list of ids that the API takes. */
const MOST_IDS = 200;

/** Approved requests of these people that begin on a day or later. */
export function useRequestsFrom(workerIds: readonly string[], first: Day) {
  const { rollcall, access } = useServer();
  return useQuery({
    queryKey: ["requests", "from", first, workerIds],
    enabled: workerIds.length > 0 && access !== "away",
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const requests: TimeOffRequest[] = [];
      for (let from = 0; from < workerIds.length; from += MOST_IDS) {
        const ids = workerIds.slice(from, from + MOST_IDS);
        const filters = {
          workerIds: ids,
          statuses: ["approved"],
          startsOnOrAfter: formatDay(first - 1),
        } as const;
        requests.push(...(await collect(rollcall.requests.list(filters, { signal }))));
      }
      return requests;
    },
  });
}

/** Who has any of these policies; nobody is asked about when none is given. */
export function useHolders(policyIds: readonly string[]) {
  const { rollcall } = useServer();
  return useQuery({
    queryKey: ["assignments", "of policies", policyIds],
    enabled: policyIds.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      collect(rollcall.assignments.list(policyIds.length > MOST_IDS ? {} : { policyIds }, { signal })),
  });
}

/** Requests that wait or, with a day, those of every status that end on it or later. */
export function useRequests(from: string | null) {
  const { rollcall } = useServer();
  const filters = from === null ? { statuses: ["pending"] as const } : { endsOnOrAfter: from };
  return useQuery({
    queryKey: ["requests", "all", from],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => collect(rollcall.requests.list(filters, { signal })),
  });
}

/** The days of a request: a day more on either side, as days are in its own zone. */
export function useDaysOf({ id, workerId, status }: TimeOffRequest, first: Day, last: Day) {
  const { rollcall } = useServer();
  const [from, to] = [formatDay(first - 1), formatDay(Math.min(last + 1, first + 364))];
  return useQuery({
    queryKey: ["days", id],
    queryFn: async ({ signal }) => {
      const filters = { workerIds: [workerId], from, to, statuses: [status] };
      const days = await rollcall.days.list(filters, { signal }).toArray();
      return days.filter(({ requestId }) => requestId === id);
    },
  });
}

/** What everybody, or one worker, will lose, and when, in the year after a day. */
export function useLosses(day: Day, workerId?: string) {
  const { rollcall } = useServer();
  const days = { from: formatDay(day + 1), to: formatDay(addMonths(day, 12)) };
  const filters = workerId === undefined ? days : { ...days, workerIds: [workerId] };
  return useQuery({
    queryKey: ["expirations", filters],
    staleTime: 5 * MINUTES,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const list = rollcall.expirations.list(filters, { signal });
      return workerId === undefined ? collect(list) : list.toArray();
    },
  });
}

/** What moved balances in a month, by department and policy. */
export function useMovements(from: Day, end: Day) {
  const { rollcall } = useServer();
  const days = { from: formatDay(from), to: formatDay(end - 1) };
  return useQuery({
    queryKey: ["movements", days.from],
    staleTime: 5 * MINUTES,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      collect(rollcall.movements.list({ ...days, groupBy: ["department", "policy"] }, { signal })),
  });
}

export function useWorker(id: string) {
  const { rollcall } = useServer();
  return useQuery({
    queryKey: ["worker", id],
    queryFn: ({ signal }) => rollcall.workers.retrieve(id, { signal }),
  });
}

export function usePolicy(id: string) {
  const { rollcall } = useServer();
  return useQuery({
    queryKey: ["policy", id],
    queryFn: ({ signal }) => rollcall.policies.retrieve(id, { signal }),
  });
}

export function useAssignmentsOf(workerId: string) {
  const { rollcall } = useServer();
  return useQuery({
    queryKey: ["assignments", "of worker", workerId],
    queryFn: ({ signal }) => rollcall.assignments.list({ workerIds: [workerId] }, { signal }).toArray(),
  });
}

export function useRequestsOf(workerId: string) {
  const { rollcall } = useServer();
  return useQuery({
    queryKey: ["requests", "of", workerId],
    queryFn: ({ signal }) => rollcall.requests.list({ workerIds: [workerId] }, { signal }).toArray(),
  });
}

/** A balance with its entries in a window of days, both ends included. */
export function explanationOf({ rollcall }: Server, balanceId: string, first: Day, last: Day) {
  const window = { startDate: formatDay(first), endDate: formatDay(last) };
  return queryOptions({
    queryKey: ["balance", balanceId, window.startDate, window.endDate],
    staleTime: MINUTES,
    queryFn: ({ signal }) => rollcall.balances.retrieve(balanceId, window, { signal }),
  });
}

/** A worker's balances, now (leave that is booked for later counted) or as they stand on a day. */
export function balancesOf({ rollcall }: Server, workerId: string, endDay?: Day) {
  const endDate = endDay === undefined ? undefined : formatDay(endDay);
  return queryOptions({
    queryKey: ["balances", workerId, endDate ?? "now"],
    queryFn: ({ signal }) => rollcall.balances.list({ workerIds: [workerId], endDate }, { signal }).toArray(),
  });
}
