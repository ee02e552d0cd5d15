// From answers to rows: who is shown, with which absences, and how many are away on each day.
import { useMemo } from "react";
import type { Worker } from "../../client/index.ts";
import { filterPeople } from "../data/people.ts";
import { useHolders, useRequestsIn, useWorkers } from "../data/queries.ts";
import { type Day, dayOf, daysIn, type Span } from "../time/days.ts";
import { type Absence, absencesIn } from "./absences.ts";
import type { AwaySettings } from "./settings.ts";

export interface AwayRow {
  readonly worker: Worker;
  readonly absences: readonly Absence[];
}

const NONE: readonly Absence[] = [];

export function useAwayRows({ span, everyone, name, statuses, types, policies }: AwaySettings) {
  const workers = useWorkers();
  const requests = useRequestsIn(span);
  const holders = useHolders(policies);
  const { first, end } = span;

  const absences = useMemo(
    () => absencesIn({ first, end }, requests.data ?? [], workers.data ?? []),
    [first, end, requests.data, workers.data],
  );
  const people = useMemo(() => {
    const found = filterPeople(workers.data ?? [], { name, statuses, types });
    if (policies.length === 0) return found;
    const holding = new Set(holders.data?.map(({ workerId }) => workerId));
    return found.filter(({ id }) => holding.has(id));
  }, [workers.data, holders.data, name, statuses, types, policies]);

  const rows = useMemo(() => {
    const all = people.map((worker) => ({ worker, absences: absences.get(worker.id) ?? NONE }));
    return all.filter((row) => row.absences.length > 0 || (everyone && worksIn({ first, end }, row.worker)));
  }, [people, absences, everyone, first, end]);

  // What is shown is of other days or other policies until the answers are there.
  const isWaiting = policies.length > 0 && (holders.data === undefined || holders.isPlaceholderData);
  const isStale = requests.isPlaceholderData || isWaiting;
  return {
    rows,
    isStale,
    workers,
    requests,
    holders,
    away: useMemo(() => countAway({ first, end }, rows), [rows, first, end]),
  };
}

/** Whether the worker's time in the company touches these days. */
function worksIn({ first, end }: Span, { startDate, endDate }: Worker): boolean {
  return dayOf(startDate) < end && (endDate === null || dayOf(endDate) >= first);
}

/** How many of the people shown are away (or have asked to be) on each day, by day. */
function countAway(span: Span, rows: readonly AwayRow[]): ReadonlyMap<Day, number> {
  const counts = new Map(daysIn(span).map((day) => [day, 0]));
  for (const { absences } of rows) {
    const days = new Set<Day>();
    for (const { firstDay, lastDay } of absences) {
      for (let day = Math.max(firstDay, span.first); day <= Math.min(lastDay, span.end - 1); day++)
        days.add(day);
    }
    for (const day of days) counts.set(day, counts.get(day)! + 1);
  }
  return counts;
}
