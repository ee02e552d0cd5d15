// What the view shows, as its address says it; and from responses to rows: who, with which absences, and how many
// people are away on each day.
import { useMemo } from "react";
import type { Worker } from "../../client/index.ts";
import { type Day, dayOfText, formatDay } from "../../time/day.ts";
import { type Absence, absencesIn } from "../data/absences.ts";
import { type DayRange, daysIn, monthOf, storedDay, weekOf } from "../data/days.ts";
import { filterPeople, type PeopleFilter, STATUSES, TYPES } from "../data/people.ts";
import { useHolders, useRequestsIn, useToday, useWorkers } from "../data/queries.ts";
import { useListed, useSettings } from "../data/settings.ts";

export type Scale = "week" | "month";

export interface AwaySettings extends PeopleFilter {
  readonly today: Day;
  readonly scale: Scale;
  readonly range: DayRange;
  readonly policies: readonly string[];
  /** Also people who are there. */
  readonly everyone: boolean;
}

export function useAwaySettings() {
  const { search, change } = useSettings();
  const today = useToday();
  const scale: Scale = search.get("view") === "month" ? "month" : "week";
  const day = storedDay(search.get("day")) ?? today;
  const rangeOf = scale === "month" ? monthOf : weekOf;
  const range = useMemo(() => rangeOf(day), [rangeOf, day]);
  const settings: AwaySettings = {
    today,
    scale,
    range,
    name: search.get("name") ?? "",
    statuses: useListed(search.get("status"), STATUSES),
    types: useListed(search.get("type"), TYPES),
    policies: useListed(search.get("policy")),
    everyone: search.get("who") === "everyone",
  };
  const goTo = (next: Day) =>
    change({ day: rangeOf(next).first === rangeOf(today).first ? null : formatDay(next) });
  return {
    settings,
    change,
    showScale: (next: Scale) => change({ view: next === "week" ? null : next }),
    back: () => goTo(range.first - 1),
    forward: () => goTo(range.end),
    goToday: () => goTo(today),
  };
}

export interface AwayRow {
  readonly worker: Worker;
  readonly absences: readonly Absence[];
}

const NONE: readonly Absence[] = [];

export function useAwayRows({ range, everyone, name, statuses, types, policies }: AwaySettings) {
  const workers = useWorkers();
  const requests = useRequestsIn(range);
  const holders = useHolders(policies);
  const { first, end } = range;

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

  // Until the responses arrive, the rows are of the days and policies before.
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
function worksIn({ first, end }: DayRange, { startDate, endDate }: Worker): boolean {
  return dayOfText(startDate) < end && (endDate === null || dayOfText(endDate) >= first);
}

/** How many of the people shown are away (or have asked to be) on each day, by day. */
function countAway(range: DayRange, rows: readonly AwayRow[]): ReadonlyMap<Day, number> {
  const counts = new Map(daysIn(range).map((day) => [day, 0]));
  for (const { absences } of rows) {
    const days = new Set<Day>();
    for (const { firstDay, lastDay } of absences) {
      for (let day = Math.max(firstDay, range.first); day <= Math.min(lastDay, range.end - 1); day++)
        days.add(day);
    }
    for (const day of days) counts.set(day, counts.get(day)! + 1);
  }
  return counts;
}
