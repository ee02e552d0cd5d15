/** Why a balance at the end of a day is another one by other facts: a pure function of both. */
import type { Day } from "../time/day.ts";
import { closingOn } from "./balance.ts";
import type { AdjustmentFacts, BalanceFacts, RequestFacts, ScheduleFacts } from "./facts.ts";

/** What changed of a balance since it was closed (docs/record.md, Why a figure is another one). */
export type DifferenceCause =
  | ("rule" | "worker" | "assignment" | "schedule" | "holiday" | "moved" | "opening" | "workedHours")
  | ("adjustmentAdded" | "adjustmentChanged" | "adjustmentRemoved")
  | ("leaveAdded" | "leaveChanged" | "leaveDenied" | "leaveRemoved");

/** In hundredths of a minute. */
export interface Cause {
  readonly cause: DifferenceCause;
  /** Of a request or an adjustment. */
  readonly sourceId: string | null;
  readonly by: number;
}

/** What there is at the end of a day, in hundredths of a minute, as movements close with it; 0 where there is no balance. */
export function closingOf(facts: BalanceFacts | null, day: Day, today: Day): number {
  if (facts === null || (facts.opening !== null && facts.opening.day > day)) return 0;
  return closingOn(facts, day, today);
}

/**
 * The causes of a difference: the facts `now` are put in the place of those `before`, one after the other in a fixed order, and the balance
 * is computed each time. So they add up to the difference exactly. Null where there is no assignment. `isDenied`: whether a request
 * that is not among the facts now is there, and denied.
 */
export function causesOf(
  before: BalanceFacts | null,
  now: BalanceFacts | null,
  day: Day,
  today: Day,
  isDenied: (requestId: string) => boolean,
): Cause[] {
  const causes: Cause[] = [];
  let facts: BalanceFacts | null = before ?? (now && bare(now));
  let figure = closingOf(before, day, today);
  const step = (cause: DifferenceCause, next: BalanceFacts | null, sourceId: string | null = null) => {
    facts = next;
    const then = closingOf(next, day, today);
    if (then !== figure) causes.push({ cause, sourceId, by: then - figure });
    figure = then;
  };
  if (facts === null) return causes;
  if (before === null) step("assignment", facts);
  const end: BalanceFacts = now ?? bare(facts);
  step("rule", { ...facts, policy: end.policy });
  const { startDate, endDate, workDays, schedules } = end.worker;
  step("worker", { ...facts, worker: { ...facts.worker, startDate, endDate, workDays } });
  step("assignment", { ...facts, assignment: end.assignment, movesOn: end.movesOn });
  step("schedule", {
    ...facts,
    worker: { ...facts.worker, schedules: withHolidaysOf(schedules, facts.worker.schedules) },
  });
  step("holiday", { ...facts, worker: end.worker });
  step("moved", { ...facts, movesFrom: end.movesFrom });
  step("opening", { ...facts, opening: end.opening });
  step("workedHours", { ...facts, workedHours: end.workedHours });
  for (const [id, was, is] of changesOf(facts.adjustments, end.adjustments)) {
    const cause = was === null ? "adjustmentAdded" : is === null ? "adjustmentRemoved" : "adjustmentChanged";
    step(cause, { ...facts, adjustments: replaced(facts.adjustments, id, is) }, id);
  }
  for (const [id, was, is] of changesOf(facts.requests, end.requests)) {
    const cause =
      was === null
        ? "leaveAdded"
        : is !== null
          ? "leaveChanged"
          : isDenied(id)
            ? "leaveDenied"
            : "leaveRemoved";
    step(cause, { ...facts, requests: replaced(facts.requests, id, is) }, id);
  }
  if (now === null) step("assignment", null);
  return causes;
}

/** The facts without what happened to the worker. */
function bare(facts: BalanceFacts): BalanceFacts {
  return { ...facts, adjustments: [], workedHours: [], requests: [], opening: null };
}

/** The schedules with the holidays that others have which hold at the same time. */
function withHolidaysOf(
  schedules: readonly ScheduleFacts[],
  others: readonly ScheduleFacts[],
): readonly ScheduleFacts[] {
  return schedules.map((schedule) => {
    const other = others.findLast(({ startsOn }) => startsOn <= schedule.startsOn) ?? others[0];
    return other === undefined ? schedule : { ...schedule, holidays: other.holidays };
  });
}

type Entry = AdjustmentFacts | RequestFacts;

const dayOf = (entry: Entry) => ("day" in entry ? entry.day : entry.firstDay);

/** By day and id, the entries that are not the same: what each was and is; null where there is none. */
function changesOf<E extends Entry>(
  before: readonly E[],
  now: readonly E[],
): readonly (readonly [id: string, was: E | null, is: E | null])[] {
  const [was, is] = [before, now].map((list) => new Map(list.map((entry) => [entry.id!, entry]))) as [
    Map<string, E>,
    Map<string, E>,
  ]; // both lists, with ids
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((id) => [id, was.get(id) ?? null, is.get(id) ?? null] as const)
    .filter(([, a, b]) => JSON.stringify(a) !== JSON.stringify(b))
    .toSorted((a, b) => dayOf((a[1] ?? a[2])!) - dayOf((b[1] ?? b[2])!) || (a[0] < b[0] ? -1 : 1)); // one of them is there
}

function replaced<E extends Entry>(entries: readonly E[], id: string, entry: E | null): readonly E[] {
  const others = entries.filter((one) => one.id !== id);
  return entry === null ? others : [...others, entry];
}
