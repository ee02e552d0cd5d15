// Every request of the page, through the client alone, and the day. A view asks; TanStack Query caches the responses.
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { List, Rollcall } from "../../client/index.ts";
import { type Day, dayOfText, formatDay } from "../../time/day.ts";
import type { DayRange } from "./days.ts";

export interface Server {
  readonly rollcall: Rollcall;
  readonly fixedToday: Day | null;
}

export const ServerContext = createContext<Server | null>(null);

export function useServer(): Server {
  const server = useContext(ServerContext);
  if (server === null) throw new Error("outside a session");
  return server;
}

/** The day that the server was told is today; else the viewer's own. */
export function useToday(): Day {
  const { fixedToday } = useServer();
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return fixedToday ?? dayOfText(local.toISOString());
}

const MINUTES = 60_000;

/** A whole list, reporting after each page how many objects have arrived. */
async function collect<T extends { id: string }>(
  list: List<T>,
  progress: (count: number) => void,
): Promise<T[]> {
  const all: T[] = [];
  for await (const page of list.pages()) {
    all.push(...page.data);
    progress(all.length);
  }
  return all;
}

const progressKey = ["workers", "progress"] as const;

/** All of the company's workers, by name. */
export function useWorkers() {
  const { rollcall } = useServer();
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["workers"],
    staleTime: 5 * MINUTES,
    queryFn: async ({ signal }) => {
      const tell = (count: number) => queries.setQueryData(progressKey, count);
      const workers = await collect(rollcall.workers.list({}, { signal }), tell);
      const order = new Intl.Collator("en");
      return workers.sort((a, b) => order.compare(a.displayName, b.displayName));
    },
  });
}

/** How many workers have come so far. */
export function useWorkersProgress(): number {
  const { data } = useQuery({ queryKey: progressKey, enabled: false, initialData: 0 });
  return data;
}

export function usePolicies() {
  const { rollcall } = useServer();
  return useQuery({
    queryKey: ["policies"],
    staleTime: 5 * MINUTES,
    queryFn: async ({ signal }) => {
      const policies = await rollcall.policies.list({}, { signal }).toArray();
      return policies.sort((a, b) => a.name.localeCompare(b.name, "en"));
    },
  });
}

/** Pending and approved requests that touch these days anywhere on earth: a day more on either side. */
export function useRequestsIn({ first, end }: DayRange) {
  const { rollcall } = useServer();
  return useQuery({
    queryKey: ["requests", "in", first, end],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      rollcall.requests
        .list(
          {
            statuses: ["pending", "approved"],
            startsBefore: formatDay(end + 1),
            endsOnOrAfter: formatDay(first - 1),
          },
          { signal },
        )
        .toArray(),
  });
}

/** Who has any of these policies; nobody is asked about when none is given. */
export function useHolders(policyIds: readonly string[]) {
  const { rollcall } = useServer();
  return useQuery({
    queryKey: ["assignments", "of policies", policyIds],
    enabled: policyIds.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => rollcall.assignments.list({ policyIds }, { signal }).toArray(),
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

/** A worker's balances, now (leave that is booked for later counted) or as they stand on a day. */
export function balancesOf({ rollcall }: Server, workerId: string, endDay?: Day) {
  const endDate = endDay === undefined ? undefined : formatDay(endDay);
  return queryOptions({
    queryKey: ["balances", workerId, endDate ?? "now"],
    queryFn: ({ signal }) => rollcall.balances.list({ workerIds: [workerId], endDate }, { signal }).toArray(),
  });
}
